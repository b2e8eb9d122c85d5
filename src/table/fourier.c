#include "table/fourier.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "base/rng.h"
#include "data/block.h"
#include "data/unseen_levels.h"

#include <math.h>

/* ---- features ---- */

#define TWO_PI 6.28318530717958647693

/* Range reduction by pi/2 in two parts, the first of 33 bits, so that its products with small integers are exact (W. Cody,
 * W. Waite, Software manual for the elementary functions, 1980); then a Taylor series, whose next term is below 1e-17. */
double hsp_cosine(double x) {
    static const double head = 0x1.921fb544p+0, tail = 0x1.0b4611a626331p-34;
    if (!isfinite(x)) return 0;
    if (fabs(x) > 1e6) x = fmod(x, TWO_PI);
    double k = rint(x * (4 / TWO_PI)), r = x - k * head - k * tail, s = r * r;
    int quarter = (int)((int64_t)k & 3);
    double cosine = 0, sine = 0;
    if (quarter % 2 == 0) {
        static const double c[] = {1.0 / 20922789888000, -1.0 / 87178291200, 1.0 / 479001600, -1.0 / 3628800,
                                   1.0 / 40320,          -1.0 / 720,         1.0 / 24,        -0.5};
        for (int i = 0; i < 8; i++) cosine = cosine * s + c[i];
        cosine = 1 + s * cosine;
        return quarter == 0 ? cosine : -cosine;
    }
    static const double c[] = {1.0 / 355687428096000, -1.0 / 1307674368000, 1.0 / 6227020800, -1.0 / 39916800,
                               1.0 / 362880,          -1.0 / 5040,          1.0 / 120,        -1.0 / 6};
    for (int i = 0; i < 8; i++) sine = sine * s + c[i];
    sine = r + r * (s * sine);
    return quarter == 3 ? sine : -sine;
}

int hsp_fourier_make(hsp_expansion *x) {
    const uint64_t stream = UINT64_C(1) << 32; /* other than those of solvers and generators */
    if (!HSP_ALLOC(x->direction, x->fourier * x->numbers) || !HSP_ALLOC(x->phase, x->fourier)) return HSP_EMEMORY;
    double spread = sqrt(2 * x->gamma);
    for (int64_t i = 0; i < x->fourier; i++) {
        hsp_rng wave = hsp_rng_new(x->seed, stream + (uint64_t)i);
        uint64_t seed = hsp_rng_next(&wave);
        x->phase[i] = TWO_PI * hsp_rng_uniform(&wave);
        for (int64_t j = 0; j < x->numbers; j++) {
            hsp_rng r = hsp_rng_new(seed, (uint64_t)j);
            x->direction[i * x->numbers + j] = spread * hsp_rng_normal(&r);
        }
    }
    return 0;
}

/* ---- standardisation ---- */

enum { SLOTS = 8 }; /* blocks that are encoded concurrently */

typedef struct block_slot {
    hsp_encode_room room;
    hsp_block rows;
    hsp_unseen unseen;
    hsp_error *err; /* owned */
    int status;
} block_slot;

typedef struct encoding_job {
    const hsp_encoding *e;
    hsp_expansion *x;
    int threads;
    double n; /* rows so far */
    const hsp_frame *f; /* that is encoded */
    int64_t from;
    block_slot slot[SLOTS];
} encoding_job;

static void encode_block(void *ctx, int64_t k) {
    encoding_job *w = ctx;
    block_slot *s = &w->slot[k];
    s->status =
        hsp_encode_block(w->e, &w->f->block[w->from + k], w->e->rules.file, &s->room, &s->rows, &s->unseen, &s->err);
}

/* Updates mean and sum of squared deviations (in `scale`) by row i, the n-th (B. Welford, Technometrics 4, 1962). */
static void add_row(hsp_expansion *x, const hsp_block *b, int64_t i, double n) {
    int64_t t = b->row[i], end = b->row[i + 1];
    for (int64_t j = 0; j < x->numbers; j++) {
        while (t < end && b->id[t] < x->number[j]) t++;
        double value = t < end && b->id[t] == x->number[j] ? b->value[t] : 0, before = value - x->mean[j];
        x->mean[j] += before / n;
        x->scale[j] += before * (value - x->mean[j]);
    }
}

/* Turns the sums into scales; 0 for a number that is constant or whose deviation overflows, which drops it. */
static void finish_scales(hsp_expansion *x, double n) {
    for (int64_t j = 0; j < x->numbers; j++) {
        double sd = sqrt(fmax(x->scale[j], 0) / n), scale = sd > 0 ? 1 / sd : 0;
        bool sound = isfinite(x->mean[j]) && isfinite(scale);
        if (!sound) x->mean[j] = 0;
        x->scale[j] = sound ? scale : 0;
    }
}

static int add_rows(void *ctx, const hsp_frame *f, hsp_error **err) {
    encoding_job *w = ctx;
    int status = HSP_OK;
    w->f = f;
    for (w->from = 0; !status && w->from < f->blocks; w->from += SLOTS) {
        int64_t slots = f->blocks - w->from < SLOTS ? f->blocks - w->from : SLOTS;
        hsp_pool_run(slots, w->threads, encode_block, w);
        for (int64_t k = 0; !status && k < slots; k++) {
            block_slot *s = &w->slot[k];
            status = s->status;
            hsp_error_pass(err, s->err);
            s->err = NULL;
            for (int64_t i = 0; !status && i < s->rows.rows; i++) add_row(w->x, &s->rows, i, ++w->n);
        }
    }
    return status;
}

int hsp_fourier_learn(const hsp_encoding *e, const hsp_frame *f, int threads, hsp_expansion *x, hsp_error **err) {
    int status = HSP_OK;
    encoding_job *w = hsp_alloc_zero(1, sizeof *w);
    if (!w || !HSP_ALLOC_ZERO(x->mean, x->numbers) || !HSP_ALLOC_ZERO(x->scale, x->numbers)) status = hsp_fail_memory(err);
    if (!status) {
        *w = (encoding_job){.e = e, .x = x, .threads = threads};
        status = hsp_frame_each(f, add_rows, w, err);
    }
    if (!status) finish_scales(x, w->n);
    for (int64_t k = 0; w && k < SLOTS; k++) {
        hsp_encode_room_free(&w->slot[k].room);
        hsp_block_free(&w->slot[k].rows);
        hsp_error_free(w->slot[k].err);
    }
    hsp_free(w);
    return status;
}
