/* See whole_sample.h. The draws are stratified: the probabilities are added up over the rows, and one row is drawn in each
 * unit of the sum. A row whose probability would be 1 or more is taken as it is. */
#include "solve/newton/whole_sample.h"

#include "base/memory.h"
#include "base/rng.h"
#include "data/matrix.h"
#include "problem/problem.h"
#include "solve/loop/solver.h"
#include "solve/newton/row_lengths.h"

#include <math.h>
#include <string.h>

enum {
    ROWS_A_COLUMN = 20,
    FEWEST_ROWS = 1000,
    LEAST_SHARE = 4 /* samples are of at most one row in so many */
};

int64_t hsp_whole_sample_size(const hsp_problem *p) {
    int64_t wanted = ROWS_A_COLUMN * p->design->d;
    if (wanted < FEWEST_ROWS) wanted = FEWEST_ROWS;
    return p->outputs > 1 && p->design->n / LEAST_SHARE >= wanted ? wanted : 0;
}

/* x'_i as d numbers; tile: d numbers of scratch. */
static void copy_row(const hsp_design *D, int64_t i, double *tile, double *out) {
    hsp_row r = hsp_design_row(D, i, tile);
    for (int64_t j = 0; j < D->d; j++) out[j] = D->p ? -D->p[j] : 0;
    hsp_row_axpy(1, r, out);
}

int hsp_whole_sample_init(hsp_whole_sample *s, const hsp_hessian *all, int64_t wanted) {
    const hsp_problem *p = all->p;
    int64_t n = p->design->n, d = p->design->d, K = p->outputs, most = wanted + 1;
    *s = (hsp_whole_sample){.all = all, .wanted = wanted};
    bool allocated = HSP_ALLOC_DOUBLES(most * d, &s->rows) && HSP_ALLOC_DOUBLES(n + d, &s->length) &&
                     HSP_ALLOC_DOUBLES(most * K, &s->H.a) && HSP_ALLOC_DOUBLES(most, &s->H.weight) &&
                     HSP_ALLOC_DOUBLES(K * K, &s->H.B);
    if (!allocated) return HSP_EMEMORY;
    s->x = (hsp_matrix){.n = most, .d = d, .dense = true, .dtype = HSP_FLOAT64, .stored = most * d, .value = s->rows};
    if (hsp_design_new(&s->x, NULL, NULL, p->design->threads, &s->D, NULL)) return HSP_EMEMORY;
    s->p = (hsp_problem){.design = s->D, .outputs = K, .lambda = p->lambda, .intercept = p->intercept, .sum_c = 1};
    s->H.p = &s->p;
    s->H.intercepts = all->intercepts;
    return hsp_row_lengths(p->design, s->length);
}

void hsp_whole_sample_free(hsp_whole_sample *s) {
    hsp_design_free(s->D);
    HSP_FREE(s->rows, s->length, s->H.a, s->H.weight, s->H.B);
}

static void take_row(hsp_whole_sample *s, int64_t i, double weight) {
    const hsp_hessian *all = s->all;
    int64_t at = s->x.n++, K = s->p.outputs, d = s->x.d;
    copy_row(all->p->design, i, s->length + all->p->design->n, s->rows + at * d);
    memcpy(s->H.a + at * K, all->a + i * K, (size_t)K * sizeof(double));
    s->H.weight[at] = weight;
}

void hsp_whole_sample_draw(hsp_whole_sample *s, uint64_t seed, int64_t k) {
    const hsp_hessian *all = s->all;
    int64_t n = all->p->design->n, K = s->p.outputs;
    double *chance = all->t, total = 0, sum = 0;
    hsp_rng rng = hsp_rng_new(seed, 7 + (uint64_t)k);
    for (int64_t i = 0; i < n; i++) {
        const double *q = all->a + i * K;
        double spread = 1;
        for (int64_t l = 0; l < K; l++) spread -= q[l] * q[l];
        chance[i] = all->weight[i] * fmax(spread, 0) * s->length[i];
        total += chance[i];
    }
    s->x.n = 0;
    double scale = total > 0 ? (double)s->wanted / total : 0, next = hsp_rng_uniform(&rng);
    for (int64_t i = 0; i < n && s->x.n < s->wanted; i++) {
        double each = chance[i] * scale;
        if (each >= 1) {
            take_row(s, i, all->weight[i]);
            continue;
        }
        sum += each;
        if (sum <= next) continue;
        take_row(s, i, all->weight[i] / each);
        next = floor(next) + 1 + hsp_rng_uniform(&rng);
    }
    s->D->n = s->x.n;
    s->x.stored = s->x.n * s->x.d;
    hsp_hessian_use(&s->H, &(hsp_budget){.deadline = INFINITY});
}
