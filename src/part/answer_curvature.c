/* What preconditions the products of the Hessian: its diagonal over all rows, and for few columns its blocks by a sample.
 *
 * A row is drawn with a probability in proportion to its curvature and its length, and reweighted, by random numbers of its
 * block and output: the same rows however blocks are divided into parts. */
#include "base/error.h"
#include "base/memory.h"
#include "base/rng.h"
#include "data/matrix.h"
#include "design/design.h"
#include "design/gram.h"
#include "design/sweep.h"
#include "kernel/kernel.h"
#include "loss/loss.h"
#include "part/answer.h"
#include "part/evaluated.h"

#include <math.h>
#include <string.h>

static hsp_sum_shape shape_of(const hsp_request *q) {
    return (hsp_sum_shape){.rule = HSP_SUM_PLAIN,
                           .length = hsp_curvature_block(q->problem.outputs, q->rows.features, hsp_curvature_blocks(q))};
}

/* Arrays of a block; all are owned by `memory`. */
typedef struct curve_arrays {
    const hsp_request *q;
    const hsp_part_block *b;
    double *memory;
    double *scores;          /* n x outputs; of a joint problem then the probabilities */
    double *y, *g, *h;       /* n: of one output */
    double *length, *chosen; /* n: of the rows; the weights of the sample */
    double *G;               /* d x (d + 1) */
} curve_arrays;

static bool make_arrays(curve_arrays *s) {
    int64_t n = s->b->n, K = s->q->problem.outputs, d = s->q->rows.features, square = s->q->at.gram ? d * (d + 1) : 0;
    s->memory = hsp_alloc(n * K + 5 * n + square + 1, sizeof *s->memory);
    if (!s->memory) return false;
    s->scores = s->memory;
    s->y = s->scores + n * K;
    s->g = s->y + n;
    s->h = s->g + n;
    s->length = s->h + n;
    s->chosen = s->length + n;
    s->G = s->chosen + n;
    return true;
}

/* ---- curvatures ---- */

/* The scores of all outputs; of a joint problem the probabilities. */
static int score_rows(curve_arrays *s, hsp_error **err) {
    const hsp_request *q = s->q;
    const hsp_part_block *b = s->b;
    int64_t n = b->n, K = q->problem.outputs;
    int status = HSP_OK;
    if (!q->at.w)
        for (int64_t i = 0; i < n * K; i++) s->scores[i] = 0;
    else if (K > 1)
        status = hsp_design_scores_many(b->design, q->at.w, q->at.b, K, s->scores, err);
    else
        hsp_design_scores(b->design, q->at.w, q->at.b[0], s->scores);
    if (status || !q->problem.joint) return status;
    const hsp_loss *loss = q->problem.loss;
    hsp_part_targets(b, &q->problem, 0, s->y);
    loss->batch(loss, s->y, s->scores, n, K, HSP_KINK_OPEN, NULL, s->scores);
    for (int64_t i = 0; i < n; i++) s->scores[i * K + b->class[i]] += 1;
    return HSP_OK;
}

/* h: the second derivatives in the score of output k, with the weights of the rows. */
static void curve_rows(curve_arrays *s, int64_t k) {
    const hsp_request_problem *p = &s->q->problem;
    const hsp_part_block *b = s->b;
    int64_t n = b->n, K = p->outputs;
    for (int64_t i = 0; i < n; i++) s->g[i] = s->scores[i * K + k];
    if (p->joint) {
        for (int64_t i = 0; i < n; i++) s->h[i] = fmax(0, s->g[i] * (1 - s->g[i]));
    } else {
        hsp_part_targets(b, p, k, s->y);
        p->loss->second(p->loss, s->y, s->g, n, NULL, NULL, s->h);
    }
    for (int64_t i = 0; b->c && i < n; i++) s->h[i] *= b->c[i];
}

/* ---- the diagonal ---- */

/* Sums of h x^2 and h x, and of h. */
static void add_diagonal(const curve_arrays *s, hsp_sweep *sweep, double *out) {
    int64_t d = s->q->rows.features;
    const double *shift = s->b->design->p;
    double *first = out + d, mass = hsp_sum_f64(s->h, s->b->n);
    hsp_sweep_squares(sweep, s->h, NULL, first, out);
    for (int64_t j = 0; shift && j < d; j++) {
        out[j] = fmax(0, out[j] - shift[j] * (2 * first[j] - shift[j] * mass));
        first[j] -= shift[j] * mass;
    }
    out[2 * d] = mass;
}

/* ---- the sample ---- */

/* A row's length: half of it is 1 and half the sum of its squares, each relative to the mean of its column in the block, so
 * that the few rows of a rare column are likely to be drawn. */
static void measure_lengths(const curve_arrays *s, hsp_sweep *sweep) {
    enum { CHUNK = 256 };
    const hsp_design *D = s->b->design;
    int64_t n = s->b->n, d = D->d;
    double *first = s->G, *inverse = s->G + d, value[CHUNK], *tile = D->tiles;
    uint32_t id[CHUNK];
    for (int64_t i = 0; i < n; i++) s->h[i] = 1;
    hsp_sweep_squares(sweep, s->h, NULL, first, inverse);
    for (int64_t j = 0; j < d; j++) inverse[j] = inverse[j] > 0 ? (double)n / ((double)d * inverse[j]) : 0;
    for (int64_t i = 0; i < n; i++) {
        hsp_row r = hsp_design_row(D, i, tile);
        double sum = 1;
        for (int64_t at = 0, count; (count = hsp_row_decode(r, at, CHUNK, r.id ? id : NULL, value)) > 0; at += count)
            for (int64_t e = 0; e < count; e++) sum += value[e] * value[e] * inverse[r.id ? (int64_t)id[e] : at + e];
        s->length[i] = sum / 2;
    }
}

/* chosen: the weights of the rows that are drawn, 0 for others. */
static void draw_rows(const curve_arrays *s, int64_t k) {
    int64_t n = s->b->n;
    double share = s->q->at.steps[0], total = hsp_dot_f64(s->h, s->length, n), scale = share * (double)n / total;
    hsp_rng rng = hsp_rng_new((uint64_t)s->b->number, 11 + (uint64_t)k);
    for (int64_t i = 0; i < n; i++) {
        double luck = hsp_rng_uniform(&rng), chance = s->h[i] * s->length[i] * scale;
        s->chosen[i] = share == 1 || chance >= 1 ? s->h[i] : luck < chance ? s->h[i] / chance : 0;
    }
}

/* Lower triangle, and the row of the intercept. */
static int add_block(const curve_arrays *s, double *out, hsp_error **err) {
    const hsp_design *D = s->b->design;
    int64_t d = D->d;
    double mass, *sums = s->G + d * d;
    int status = hsp_design_gram(D, s->chosen, NULL, NULL, 1, s->G, err);
    if (!status) status = hsp_design_group_sums(D, s->chosen, NULL, 1, &mass, sums, err);
    if (status) return status;
    for (int64_t j = 0; j < d; j++, out += j) memcpy(out, s->G + j * d, (size_t)(j + 1) * sizeof *out);
    memcpy(out, sums, (size_t)d * sizeof *out);
    out[d] = mass;
    return HSP_OK;
}

static int add_outputs(curve_arrays *s, hsp_sweep *sweep, double *sums, hsp_error **err) {
    int64_t K = s->q->problem.outputs, d = s->q->rows.features, blocks = hsp_curvature_blocks(s->q);
    int status = score_rows(s, err);
    if (!status && blocks > 0) measure_lengths(s, sweep);
    for (int64_t k = 0; !status && k < K; k++) {
        curve_rows(s, k);
        add_diagonal(s, sweep, sums + hsp_curvature_diagonal(d, k));
        if (k >= blocks) continue;
        draw_rows(s, k);
        status = add_block(s, sums + hsp_curvature_block(K, d, k), err);
    }
    return status;
}

static int answer_curvature(hsp_answer *a, const hsp_part_block *b, double *sums, hsp_error **err) {
    curve_arrays s = {.q = a->q, .b = b};
    hsp_sweep *sweep = NULL;
    int status = make_arrays(&s) ? hsp_sweep_new(b->design, false, &sweep, err) : hsp_fail_memory(err);
    if (!status) status = add_outputs(&s, sweep, sums, err);
    hsp_sweep_free(sweep);
    hsp_free(s.memory);
    return status;
}

const hsp_answer_kind hsp_answer_curvature = {shape_of, answer_curvature};
