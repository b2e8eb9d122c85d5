/* The rows of ascent.h: how they are laid out, and which of them take part. */
#include "base/error.h"
#include "base/memory.h"
#include "base/rng.h"
#include "data/matrix.h"
#include "design/design.h"
#include "design/packed.h"
#include "kernel/kernel.h"
#include "problem/problem.h"
#include "solve/dual/ascent.h"
#include "solve/margin/margin.h"
#include "solve/margin/polish.h"

#include <math.h>
#include <string.h>

/* The centre of the rows and their mean norm need not be exact: they are those of some rows. */
enum { LEAST_SAMPLE = 512, SAMPLE_SHARE = 64 };
/* A centre whose square is this share of the rows' mean square distance from it changes little. */
static const double NEAR = 0.03;
/* Neighbours among the rows of the design stay together, so many of them: a row alone, fetched from anywhere, takes twice
 * as long to visit, and runs in random order converge as single rows do, in up to 40 % more epochs where the rows are
 * sorted. */
enum { RUN = 8 };
/* Rows are packed when half of them have been left out for some epochs, or after so many: a copy takes as long as one or
 * two, and visits are a fifth quicker. */
enum { PACK_FEW_AFTER = 3, PACK_AFTER = 10 };

/* ---- making ---- */

/* |z_i - c|^2. Dense rows are centred before they are squared, so that nothing cancels. */
static double norm(const hsp_ascent *s, hsp_packed_row row, double cz) {
    const hsp_packed *P = s->all.x;
    hsp_coding coding = P->copied ? P->x.coding : P->design->factor ? HSP_CODING_F64 : hsp_matrix_coding(P->design->x);
    const double *table = P->design->x->table;
    if (row.id || !s->c) return fmax(hsp_norms2[coding](row.value, table, row.count) + (s->cc - 2 * cz), 0);
    hsp_row r = {row.count, NULL, row.value, table, coding, false};
    double sum = 0;
    for (int64_t t = 0; t < r.count; t++) {
        double e = hsp_row_value(r, t) - s->c[t];
        sum += e * e;
    }
    return sum;
}

/* c <- the mean of some z_i, for a free intercept; the design's own p otherwise. */
static void take_centre(hsp_ascent *s, int64_t sample) {
    const hsp_design *D = s->m->design;
    if (s->m->intercept == HSP_INTERCEPT_FREE) {
        for (int64_t place = 0; place < sample; place++)
            hsp_packed_axpy(s->all.x, 1 / (double)sample, hsp_packed_at(s->all.x, place), s->c);
    } else {
        memcpy(s->c, D->p, (size_t)D->d * sizeof *s->c);
    }
    s->cc = hsp_dot_f64(s->c, s->c, D->d);
}

void hsp_ascent_load(hsp_ascent *s, int64_t until) {
    const hsp_margin *m = s->m;
    for (; s->loaded < until; s->loaded++) {
        int64_t i = s->all.x->origin[s->loaded];
        hsp_packed_row row = hsp_packed_at(s->all.x, s->loaded);
        double cz = s->c ? hsp_packed_dot(s->all.x, row, s->c) : 0, q = m->ridge ? m->ridge[i] : 0;
        s->all.item[s->loaded] = (hsp_ascent_item){
            .y = m->y[i], .upper = m->upper[i], .ridge = q, .norm = norm(s, row, cz) + s->rho + q, .cz = cz};
    }
}

/* How much the rows of a class can pull. */
static double strength(const hsp_margin *m, double y) {
    double sum = 0;
    for (int64_t i = 0; i < m->design->n; i++) {
        if (m->y[i] != y || m->upper[i] == 0) continue;
        double q = m->ridge ? m->ridge[i] : 0;
        sum += fmin(m->upper[i], q > 0 ? 1 / (2 * q) : INFINITY);
    }
    return sum;
}

/* rho for a free intercept; a centre that is hardly worth its products is given up. */
static double stiffness(hsp_ascent *s, int64_t sample) {
    double sum = 0, plus = strength(s->m, 1), minus = strength(s->m, -1), weaker = fmin(plus, minus);
    for (int64_t place = 0; place < sample; place++) {
        hsp_packed_row row = hsp_packed_at(s->all.x, place);
        sum += norm(s, row, hsp_packed_dot(s->all.x, row, s->c));
    }
    double mean = sample > 0 ? sum / (double)sample : 0;
    if (s->cc <= NEAR * mean) {
        hsp_free(s->c);
        s->c = NULL;
        s->cc = 0;
    }
    double rho = fmax(0.01 * mean, weaker > 0 ? 3 / weaker : 0);
    return rho > 0 && isfinite(rho) ? rho : 1;
}

static int allocate(hsp_ascent *s, bool centred, hsp_error **err) {
    int64_t n = s->m->design->n, d = s->m->design->d;
    s->v = hsp_alloc_zero(d, sizeof *s->v);
    s->w = s->m->design->p ? hsp_alloc(d, sizeof *s->w) : s->v;
    s->scores = hsp_alloc_zero(n, sizeof *s->scores);
    s->scratch = hsp_alloc(2 * n, sizeof *s->scratch);
    s->order = hsp_alloc(n, sizeof *s->order);
    s->bucket = hsp_alloc(n, sizeof *s->bucket);
    s->all.item = hsp_alloc(n, sizeof *s->all.item);
    if (centred) s->c = hsp_alloc_zero(d, sizeof *s->c);
    if (!s->v || !s->w || !s->scores || !s->scratch || !s->order || !s->bucket || !s->all.item || (centred && !s->c))
        return hsp_fail_memory(err);
    return HSP_OK;
}

/* The rows that count, in runs in random order. */
static void shuffle(hsp_ascent *s) {
    const hsp_margin *m = s->m;
    int64_t n = m->design->n, runs = (n + RUN - 1) / RUN;
    for (int64_t k = 0; k < runs; k++) s->bucket[k] = k;
    hsp_rng_shuffle(&s->rng, s->bucket, runs);
    for (int64_t k = 0; k < runs; k++)
        for (int64_t i = s->bucket[k] * RUN; i < (s->bucket[k] + 1) * RUN && i < n; i++)
            if (m->upper[i] > 0) s->order[s->rows++] = i;
}

/* They, and room for copies of them. */
static int make_room(hsp_ascent *s, hsp_error **err) {
    const hsp_margin *m = s->m;
    shuffle(s);
    int status = hsp_packed_new(m->design, s->order, s->rows, &s->all.x, err);
    if (!status) status = hsp_packed_copy_of(s->all.x, hsp_packed_room(m->design), &s->part.x, err);
    if (status || !s->part.x) return status;
    s->part.item = hsp_alloc(s->rows, sizeof *s->part.item);
    s->part.home = hsp_alloc(s->rows, sizeof *s->part.home);
    return s->part.item && s->part.home ? HSP_OK : hsp_fail_memory(err);
}

static void take_start(hsp_ascent *s, const hsp_margin_point *start) {
    hsp_ascent_load(s, s->rows);
    for (int64_t place = 0; place < s->rows; place++) {
        hsp_ascent_item *e = s->all.item + place;
        double a = start->alpha[s->all.x->origin[place]];
        e->alpha = a > 0 && a < INFINITY ? fmin(a, e->upper) : 0;
        if (!s->logistic || !(e->alpha > 0)) continue;
        e->alpha = fmin(e->alpha, e->upper * (1 - 0x1p-50));
        e->last = log(e->alpha / (e->upper - e->alpha));
    }
    hsp_ascent_recompute(s);
    const hsp_design *D = s->m->design;
    bool free = s->m->intercept == HSP_INTERCEPT_FREE;
    if (free) /* of the rows as they are here, without c */
        s->b = start->b + (s->c ? hsp_dot_f64(start->w, s->c, D->d) : 0) - (D->p ? hsp_dot_f64(start->w, D->p, D->d) : 0);
    hsp_ascent_measure(s);
    s->value = s->dual - (free ? s->r * s->b : 0);
}

int hsp_ascent_init(hsp_ascent *s, const hsp_margin *m, hsp_problem *p, bool logistic, double aim,
                    const hsp_margin_point *start, uint64_t seed, hsp_error **err) {
    *s = (hsp_ascent){.m = m, .p = p, .logistic = logistic, .aim = aim, .gap = INFINITY, .estimate = INFINITY};
    s->rng = hsp_rng_new(seed, 70);
    s->ratio = 1.3;
    s->next_look = 1;
    s->lonely = hsp_polish_lonely(m);
    s->warm = start != NULL;
    bool free = m->intercept == HSP_INTERCEPT_FREE;
    int status = allocate(s, free || m->design->p, err);
    if (!status) status = make_room(s, err);
    if (status) return status;
    int64_t sample = s->rows / SAMPLE_SHARE > LEAST_SAMPLE ? s->rows / SAMPLE_SHARE : LEAST_SAMPLE;
    if (sample > s->rows) sample = s->rows;
    if (s->c) take_centre(s, sample);
    s->rho = free ? stiffness(s, sample) : m->intercept == HSP_INTERCEPT_PENALISED ? 1 : 0;
    for (int64_t i = 0; logistic && i < m->design->n; i++) s->primal += M_LN2 * m->upper[i]; /* of w = 0 */
    hsp_ascent_reactivate(s);
    if (start) take_start(s, start);
    return HSP_OK;
}

void hsp_ascent_free(hsp_ascent *s) {
    hsp_packed_free(s->all.x);
    hsp_packed_free(s->part.x);
    if (s->w != s->v) hsp_free(s->w);
    void *all[] = {s->all.item, s->part.item, s->part.home, s->v, s->c, s->order, s->bucket, s->scores, s->scratch};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) hsp_free(all[k]);
}

/* ---- which take part ---- */

void hsp_ascent_settle(hsp_ascent *s) {
    if (s->now != &s->part) return;
    for (int64_t k = 0; k < s->part.x->rows; k++) {
        hsp_ascent_item *e = s->all.item + s->part.home[k];
        e->alpha = s->part.item[k].alpha;
        e->last = s->part.item[k].last;
    }
}

void hsp_ascent_reactivate(hsp_ascent *s) {
    hsp_ascent_settle(s);
    if (s->now != &s->all) s->settled = 0;
    s->now = &s->all;
    for (int64_t place = 0; place < s->rows; place++) s->order[place] = place;
    s->active = s->rows;
    s->high = INFINITY;
    s->low = -INFINITY;
}

/* The rows that take part, packed. */
static void pack(hsp_ascent *s) {
    hsp_ascent_rows *from = s->now, *to = &s->part;
    hsp_ascent_settle(s);
    hsp_packed_take(from->x, s->order, s->active, to->x);
    for (int64_t k = 0; k < s->active; k++) {
        int64_t place = s->order[k];
        to->item[k] = from->item[place];
        to->home[k] = from == to ? to->home[place] : place;
        s->order[k] = k;
    }
    s->now = to;
    s->settled = 0;
    s->few = 0;
}

void hsp_ascent_compact(hsp_ascent *s) {
    int64_t kept = 0;
    for (int64_t k = 0; k < s->active; k++) {
        int64_t place = s->order[k];
        if (!s->now->item[place].out) s->order[kept++] = place;
        s->now->item[place].out = false;
    }
    s->active = kept;
    s->settled++;
    s->few = 2 * kept <= s->now->x->rows ? s->few + 1 : 0;
    bool long_enough = s->now == &s->all && s->settled >= PACK_AFTER;
    if (s->part.x && kept > 0 && (s->few >= PACK_FEW_AFTER || long_enough)) pack(s);
}

static bool violates(const hsp_ascent *s, int64_t place) {
    const hsp_ascent_item *e = s->all.item + place;
    double slope = e->y * (s->scores[s->all.x->origin[place]] + s->own_b) - 1 + e->ridge * e->alpha;
    return slope < 0 ? e->alpha < e->upper : slope > 0 && e->alpha > 0;
}

void hsp_ascent_take_back(hsp_ascent *s) {
    if (s->active == s->rows) return;
    bool part = s->now == &s->part;
    int64_t back = 0, kept = 0;
    for (int64_t place = 0; place < s->rows; place++) s->all.item[place].out = true;
    for (int64_t k = 0; k < s->active; k++) s->all.item[part ? s->part.home[s->order[k]] : s->order[k]].out = false;
    for (int64_t place = 0; place < s->rows; place++) back += s->all.item[place].out && violates(s, place);
    for (int64_t place = 0; place < s->rows; place++) {
        hsp_ascent_item *e = s->all.item + place;
        if (back > 0 && (!e->out || violates(s, place))) s->order[kept++] = place;
        e->out = false;
    }
    if (back == 0) return;
    s->now = &s->all;
    s->active = kept;
    s->settled = 0;
    if (s->part.x && 2 * kept <= s->rows) pack(s);
}

void hsp_ascent_recompute(hsp_ascent *s) {
    const hsp_packed *P = s->all.x;
    int64_t d = s->m->design->d;
    memset(s->v, 0, (size_t)d * sizeof *s->v);
    s->r = 0;
    for (int64_t place = 0; place < s->loaded; place++) {
        const hsp_ascent_item *e = s->all.item + place;
        if (e->alpha == 0) continue;
        hsp_packed_axpy(P, e->alpha * e->y, hsp_packed_at(P, place), s->v);
        s->r += e->alpha * e->y;
    }
    s->vc = s->c ? hsp_dot_f64(s->v, s->c, d) : 0;
    s->recomputed = s->epoch;
}
