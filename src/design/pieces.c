#include "design/pieces.h"

#include "base/memory.h"
#include "base/pool.h"

enum { LEAST_ROWS = 512, SQUARE = 64, COPIES_TOGETHER = 1 << 21 };

int64_t hsp_design_active(int64_t n, const double *c) {
    if (!c) return n;
    int64_t active = 0;
    for (int64_t i = 0; i < n; i++) active += c[i] != 0;
    return active;
}

hsp_slabs hsp_design_cut(int64_t n, const double *c, int64_t most) {
    int64_t active = hsp_design_active(n, c), row = 0, seen = 0;
    hsp_slabs s = {.count = 1};
    if (most > HSP_SLABS_MOST) most = HSP_SLABS_MOST;
    while (2 * s.count <= most && 2 * s.count * LEAST_ROWS <= active) s.count *= 2;
    for (int64_t k = 1; k < s.count; k++) {
        int64_t until = active * k / s.count;
        if (!c)
            row = until;
        else
            for (; seen < until; row++) seen += c[row] != 0;
        s.begin[k] = row;
    }
    s.begin[s.count] = n;
    return s;
}

int64_t hsp_design_copies(int64_t d) {
    int64_t copies = d > 0 && d < (1 << 20) ? COPIES_TOGETHER / (d * d) : 0;
    return copies < 8 ? 1 : copies;
}

/* ---- triangles ---- */

typedef struct triangle_job {
    int64_t d;
    double *G;
    const double *copies;
    int64_t count;
} triangle_job;

/* Mirrors a strip of squares; square by square, so that both sides stay in the cache. */
static void mirror_strip(void *ctx, int64_t strip) {
    const triangle_job *t = ctx;
    int64_t d = t->d, top = strip * SQUARE, bottom = top + SQUARE < d ? top + SQUARE : d;
    for (int64_t left = 0; left < bottom; left += SQUARE)
        for (int64_t i = top; i < bottom; i++)
            for (int64_t j = left, end = left + SQUARE < i ? left + SQUARE : i; j < end; j++)
                t->G[j * d + i] = t->G[i * d + j];
}

void hsp_design_mirror(int64_t d, double *G, int threads) {
    triangle_job t = {.d = d, .G = G};
    hsp_pool_run((d + SQUARE - 1) / SQUARE, threads, mirror_strip, &t);
}

static void join_strip(void *ctx, int64_t strip) {
    const triangle_job *t = ctx;
    int64_t d = t->d, top = strip * SQUARE, bottom = top + SQUARE < d ? top + SQUARE : d;
    for (int64_t i = top; i < bottom; i++)
        for (int64_t s = 0; s < t->count; s++) {
            const double *from = t->copies + (s * d + i) * d;
            for (int64_t j = 0; j <= i; j++) t->G[i * d + j] += from[j];
        }
}

void hsp_design_join(int64_t d, double *G, const double *copies, int64_t count, int threads) {
    triangle_job t = {d, G, copies, count};
    if (count > 0) hsp_pool_run((d + SQUARE - 1) / SQUARE, threads, join_strip, &t);
}

/* ---- scratch ---- */

int hsp_slots_new(int64_t tasks, int threads, int64_t size, hsp_slots *out) {
    int64_t count = threads < 1 ? 1 : threads < tasks ? threads : tasks < 1 ? 1 : tasks;
    size = (size + HSP_LINE - 1) / HSP_LINE * HSP_LINE;
    *out = (hsp_slots){.count = count, .size = size};
    out->memory = hsp_alloc(count * size + HSP_LINE, sizeof *out->memory);
    out->taken = hsp_alloc(count, sizeof *out->taken);
    if (!out->memory || !out->taken) return HSP_EMEMORY;
    out->first = hsp_design_aligned(out->memory);
    for (int64_t k = 0; k < count; k++) atomic_flag_clear(&out->taken[k]);
    return HSP_OK;
}

void hsp_slots_free(hsp_slots *s) {
    HSP_FREE(s->memory, s->taken);
    *s = (hsp_slots){0};
}

/* At most `count` tasks run at once, so there is one. */
double *hsp_slots_take(hsp_slots *s) {
    for (int64_t k = 0;; k = (k + 1) % s->count)
        if (!atomic_flag_test_and_set(&s->taken[k])) return s->first + k * s->size;
}

void hsp_slots_give(hsp_slots *s, const double *slot) {
    atomic_flag_clear(&s->taken[(slot - s->first) / s->size]);
}

/* ---- slabs ---- */

typedef struct slab_sum {
    const hsp_slabs *slabs;
    int64_t d;
    double *G, *copies; /* of slab 0; of the others */
    hsp_slots slots;
    hsp_slab_task *task;
    void *ctx;
} slab_sum;

static void run_slab_task(void *ctx, int64_t slab) {
    slab_sum *s = ctx;
    double *scratch = hsp_slots_take(&s->slots);
    s->task(s->ctx, s->slabs, slab, scratch, slab == 0 ? s->G : s->copies + (slab - 1) * s->d * s->d);
    hsp_slots_give(&s->slots, scratch);
}

int hsp_design_sum_slabs(const hsp_slabs *slabs, int threads, int64_t d, int64_t size, hsp_slab_task *task, void *ctx,
                         double *G) {
    slab_sum s = {.slabs = slabs, .d = d, .G = G, .task = task, .ctx = ctx};
    int status = hsp_slots_new(slabs->count, threads, size, &s.slots);
    if (!status && !(s.copies = hsp_alloc((slabs->count - 1) * d * d, sizeof *s.copies))) status = HSP_EMEMORY;
    if (!status) {
        hsp_pool_run(slabs->count, threads, run_slab_task, &s);
        hsp_design_join(d, G, s.copies, slabs->count - 1, threads);
    }
    hsp_free(s.copies);
    hsp_slots_free(&s.slots);
    return status;
}
