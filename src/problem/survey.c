/* See survey.h. Sums over the rows are made block by block, and the blocks added in order. */
#include "problem/survey.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "design/design.h"
#include "design/gram.h"
#include "kernel/kernel.h"

#include <math.h>

/* Multipliers below this count as 0: their logarithms and products would be inaccurate. */
static const double NOTHING = 1e-290;
/* A relative change of the multipliers too small to change the sum of duals. */
static const double NEGLIGIBLE = 1e-14;

typedef struct hsp_survey_block {
    double loss, wrong, tilt; /* losses, weight on the wrong side, slopes */
    double sum, fixed, duals; /* multipliers, curvature of those at a bound, duals */
} survey_block;

/* ---- making ---- */

static bool allocate_survey(hsp_survey *s, bool gram) {
    int64_t n = s->p->design->n, d = s->p->design->d;
    s->blocks = hsp_alloc(hsp_sweep_blocks(s->sweep), sizeof *s->blocks);
    if (!s->blocks || !HSP_ALLOC_DOUBLES(n, &s->scores, &s->slopes, &s->h, &s->alpha) ||
        !HSP_ALLOC_DOUBLES(s->p->c ? n : -1, &s->c_alpha) || !HSP_ALLOC_DOUBLES(d, &s->mean, &s->w) ||
        !HSP_ALLOC_DOUBLES(d + 1, &s->g) || !HSP_ALLOC_DOUBLES(2 * d, &s->v))
        return false;
    if (!s->p->c) s->c_alpha = s->alpha;
    return !gram || (s->G = hsp_alloc(d * d, sizeof *s->G));
}

enum { GUESSED = 256 };

/* The mean of some of the dense rows: see `near` in sweep.h. */
static void guess_mean(hsp_survey *s) {
    const hsp_design *D = s->p->design;
    if (!D->x->dense || D->n == 0) return;
    int64_t every = D->n / GUESSED > 0 ? D->n / GUESSED : 1, seen = (D->n + every - 1) / every;
    for (int64_t i = 0; i < D->n; i += every) hsp_row_axpy(1 / (double)seen, hsp_design_row(D, i, NULL), s->mean);
}

int hsp_survey_new(hsp_problem *p, bool gram, hsp_survey **out, hsp_error **err) {
    *out = NULL;
    hsp_survey *s = hsp_alloc_zero(1, sizeof *s);
    if (!s) return hsp_fail_memory(err);
    s->p = p;
    s->mu = 1 / p->C;
    s->h_before = p->slopes;
    int status = hsp_sweep_new(p->design, gram, &s->sweep, err);
    if (!status && !allocate_survey(s, gram)) status = hsp_fail_memory(err);
    if (status) {
        hsp_survey_free(s);
        return status;
    }
    if (gram) guess_mean(s);
    *out = s;
    return HSP_OK;
}

void hsp_survey_free(hsp_survey *s) {
    if (!s) return;
    if (s->c_alpha != s->alpha) hsp_free(s->c_alpha);
    hsp_sweep_free(s->sweep);
    HSP_FREE(s->g, s->scores, s->slopes, s->h, s->alpha, s->mean, s->v, s->w, s->blocks, s->G, s);
}

/* ---- the rows of a block ---- */

static bool unbounded_dual(const hsp_problem *p) { /* multipliers may be any number */
    return p->loss->dual_low == -INFINITY && p->loss->dual_high == INFINITY;
}

/* Multipliers from the slopes and curvatures before and the change of the scores, clipped to the domain of the conjugate. */
static void predict_multipliers(hsp_survey *s, survey_block *t, int64_t from, int64_t to) {
    const hsp_problem *p = s->p;
    double low = p->loss->dual_low, high = p->loss->dual_high, whole = 1 / s->t;
    const double *before = p->scores;
    for (int64_t i = from; i < to; i++) s->alpha[i] = -(s->slopes[i] + s->h[i] * ((s->scores[i] - before[i]) * whole));
    if (p->c)
        for (int64_t i = from; i < to; i++) s->alpha[i] = p->c[i] > 0 ? s->alpha[i] / p->c[i] : 0;
    if (unbounded_dual(p)) return;
    for (int64_t i = from; i < to; i++) {
        double a = p->y[i] > 0 ? s->alpha[i] : -s->alpha[i];
        a = a < low ? low : a > high ? high : a;
        if (!(fabs(a) >= NOTHING)) a = 0;
        s->alpha[i] = p->y[i] > 0 ? a : -a;
        s->h_before[i] = s->h[i];
    }
    if (p->c)
        for (int64_t i = from; i < to; i++) s->c_alpha[i] = p->c[i] * s->alpha[i];
    t->sum = hsp_sum_f64(s->c_alpha + from, to - from);
}

/* sum c_i dual_i of a block. */
static double duals_of(const hsp_survey *s, int64_t from, int64_t to) {
    const hsp_problem *p = s->p;
    double value[HSP_SWEEP_ROWS];
    p->loss->duals(p->loss, p->y + from, s->alpha + from, to - from, value);
    return p->c ? hsp_dot_f64(p->c + from, value, to - from) : hsp_sum_f64(value, to - from);
}

static double wrong_of(const hsp_problem *p, const double *scores, int64_t from, int64_t to) {
    double wrong = 0;
    if (p->c)
        for (int64_t i = from; i < to; i++) wrong += (scores[i] > 0) != (p->y[i] > 0) ? p->c[i] : 0;
    else
        for (int64_t i = from; i < to; i++) wrong += (scores[i] > 0) != (p->y[i] > 0);
    return wrong;
}

/* The scores at the share t of the step, and the multipliers that its model predicts. */
static void move_rows(hsp_survey *s, survey_block *t, int64_t from, int64_t to) {
    const double *before = s->p->scores;
    if (s->pass.along)
        for (int64_t i = from; i < to; i++) s->scores[i] = before[i] + s->t * (s->scores[i] - before[i]);
    if (!s->pass.predict) return;
    predict_multipliers(s, t, from, to);
    t->duals = duals_of(s, from, to);
}

static void move_block(void *ctx, int64_t block) {
    hsp_survey *s = ctx;
    s->blocks[block] = (survey_block){0};
    move_rows(s, &s->blocks[block], hsp_sweep_begin(s->sweep, block), hsp_sweep_begin(s->sweep, block + 1));
}

static void evaluate_block(void *ctx, int64_t block, int64_t from, int64_t to) {
    hsp_survey *s = ctx;
    const hsp_problem *p = s->p;
    int64_t count = to - from;
    double value[HSP_SWEEP_ROWS], *slope = s->slopes + from, *h = s->h + from;
    survey_block t = {0};
    if (s->pass.moved)
        t = s->blocks[block];
    else
        move_rows(s, &t, from, to);
    p->loss->second(p->loss, p->y + from, s->scores + from, count, value, slope, h);
    for (int64_t i = 0; s->pass.majorised && i < count; i++) {
        double m = p->y[from + i] * s->scores[from + i];
        if (m < 0) h[i] = hsp_majorant(-m);
    }
    if (p->c) {
        const double *c = p->c + from;
        for (int64_t i = 0; i < count; i++) {
            slope[i] *= c[i];
            h[i] *= c[i];
        }
        t.loss = hsp_dot_f64(c, value, count);
    } else {
        t.loss = hsp_sum_f64(value, count);
    }
    if (s->pass.every > 1) { /* rows of a sample count for those that are not in it */
        t.loss *= s->pass.scale;
        hsp_scale_f64(s->pass.scale, slope, count);
        hsp_scale_f64(s->pass.scale, h, count);
    }
    t.tilt = hsp_sum_f64(slope, count);
    t.wrong = p->regression ? 0 : wrong_of(p, s->scores, from, to);
    s->blocks[block] = t;
}

/* ---- the bound ---- */

/* By a pass over the data, for any multipliers. */
static void bound_of_any(hsp_survey *s) {
    s->bound = hsp_problem_dual_of(s->p, s->alpha);
    for (int64_t i = 0; i < s->p->design->n; i++) s->alpha[i] = s->p->slopes[i];
}

/* Marks multipliers that a shift of twice the present one, either way, would take out of the domain: their h_before becomes
 * negative, and is added up. */
static void fix_at_bounds(void *ctx, int64_t block) {
    hsp_survey *s = ctx;
    const hsp_problem *p = s->p;
    int64_t from = hsp_sweep_begin(s->sweep, block), to = hsp_sweep_begin(s->sweep, block + 1);
    double low = p->loss->dual_low, high = p->loss->dual_high, most = 2 * fabs(s->pass.shift), fixed = 0;
    for (int64_t i = from; i < to; i++) {
        double a = fabs(s->alpha[i]), distance = fmin(a - low, high - a), c = p->c ? p->c[i] : 1;
        if (s->h_before[i] == 0 || most * s->h_before[i] < c * distance) continue;
        fixed += s->h_before[i];
        s->h_before[i] = -s->h_before[i];
    }
    s->blocks[block].fixed = fixed;
}

static void shift_block(void *ctx, int64_t block) {
    hsp_survey *s = ctx;
    int64_t from = hsp_sweep_begin(s->sweep, block), to = hsp_sweep_begin(s->sweep, block + 1);
    for (int64_t i = from; i < to; i++)
        if (s->h_before[i] > 0) s->alpha[i] -= s->pass.shift * (s->p->c ? s->h_before[i] / s->p->c[i] : s->h_before[i]);
    if (fabs(s->pass.shift) > NEGLIGIBLE) s->blocks[block].duals = duals_of(s, from, to);
}

/* v <- v - shift sum_i h_i x_i over the rows that are not fixed: the sum over all rows is known from the previous point, and
 * the few fixed ones are subtracted. */
static void shift_combination(hsp_survey *s) {
    const hsp_design *D = s->p->design;
    double *v = s->v, fixed = 0;
    hsp_axpy_f64(-s->pass.shift * s->mass, s->mean, v, D->d);
    for (int64_t i = 0; i < D->n; i++) {
        if (!(s->h_before[i] < 0)) continue;
        hsp_row_axpy(-s->pass.shift * s->h_before[i], hsp_design_row(D, i, NULL), v);
        fixed -= s->h_before[i];
    }
    if (D->p) hsp_axpy_f64(-s->pass.shift * fixed, D->p, v, D->d);
}

/* Clipped multipliers no longer sum to 0, as they must with a free intercept; others miss it by rounding, which columns far
 * from 0 amplify. They are moved as a change of the intercept would move them, by shift h_i; those too near to a bound for
 * that stay fixed. */
static bool balance(hsp_survey *s, double sum) {
    int64_t blocks = hsp_sweep_blocks(s->sweep);
    int threads = s->p->design->threads;
    double fixed = 0;
    s->pass.shift = sum / s->mass;
    if (!isfinite(s->pass.shift)) return false;
    double first = fabs(s->pass.shift);
    hsp_pool_run(blocks, threads, fix_at_bounds, s);
    for (int64_t b = 0; b < blocks; b++) fixed += s->blocks[b].fixed;
    s->pass.shift = sum / (s->mass - fixed);
    if (!(fabs(s->pass.shift) < 2 * first)) return false;
    hsp_pool_run(blocks, threads, shift_block, s);
    shift_combination(s);
    return true;
}

static void find_bound(hsp_survey *s) {
    const hsp_problem *p = s->p;
    int64_t blocks = hsp_sweep_blocks(s->sweep), d = p->design->d;
    double sum = 0, duals = 0;
    for (int64_t b = 0; b < blocks; b++) sum += s->blocks[b].sum;
    if (unbounded_dual(p) || (p->intercept == HSP_INTERCEPT_FREE && sum != 0 && !balance(s, sum))) {
        bound_of_any(s);
        return;
    }
    for (int64_t b = 0; b < blocks; b++) duals += s->blocks[b].duals;
    double D = duals - p->C * hsp_dot_f64(s->v, s->v, d) / 2;
    if (p->intercept == HSP_INTERCEPT_PENALISED) D -= p->C * sum * sum / 2;
    s->bound = p->C * D;
    if (isfinite(s->bound) && s->bound > 0) return;
    s->bound = 0; /* losses and penalties are never negative */
    for (int64_t i = 0; i < p->design->n; i++) s->alpha[i] = 0;
}

void hsp_survey_bound_of_slopes(hsp_survey *s) {
    for (int64_t i = 0; i < s->p->design->n; i++) {
        double c = s->p->c ? s->p->c[i] : 1;
        s->alpha[i] = c > 0 ? -s->slopes[i] / c : 0;
    }
    bound_of_any(s);
}

/* ---- an evaluation ---- */

static void sum_figures(hsp_survey *s, const double *w, double b) {
    const hsp_problem *p = s->p;
    int64_t d = p->design->d;
    double loss = 0, wrong = 0, tilt = 0, ww = hsp_dot_f64(w, w, d), size = ww;
    for (int64_t k = 0; k < hsp_sweep_blocks(s->sweep); k++) {
        loss += s->blocks[k].loss;
        wrong += s->blocks[k].wrong;
        tilt += s->blocks[k].tilt;
    }
    if (p->intercept == HSP_INTERCEPT_PENALISED) size += b * b;
    s->J = loss + s->mu * size / 2;
    s->at = (hsp_evaluation){.objective = size / 2 + p->C * loss,
                             .mean_loss = loss / p->sum_c,
                             .error = p->regression ? NAN : wrong / p->sum_c,
                             .norm = sqrt(ww)};
    s->pass.tilt = p->intercept == HSP_INTERCEPT_NONE ? 0 : tilt;
    if (p->intercept == HSP_INTERCEPT_PENALISED) s->pass.tilt += s->mu * b;
    for (int64_t j = 0; j < d; j++) s->w[j] = w[j];
}

/* Makes a pass compute what gradient and curvature need. */
static void request_gradient(hsp_survey *s, bool gram, hsp_pass *q) {
    int64_t d = s->p->design->d;
    q->s = s->slopes, q->pull_s = s->g;
    q->h = s->h, q->sums = s->v + d;
    if (gram) q->G = s->G, q->near = s->mean, q->centred = s->p->intercept != HSP_INTERCEPT_NONE;
    s->has_gram = gram;
}

/* The mean of the rows weighted by curvature is also a guess of the next one. */
static void take_gradient(hsp_survey *s, const hsp_pass *q) {
    int64_t d = s->p->design->d;
    s->has_gradient = true;
    s->mass = q->mass;
    for (int64_t j = 0; q->mass > 0 && j < d; j++) s->mean[j] = q->sums[j] / q->mass;
    hsp_axpy_f64(s->mu, s->w, s->g, d);
    s->g[d] = s->pass.tilt;
}

void hsp_survey_undo_step(hsp_survey *s) {
    double *swap = s->p->scores;
    s->p->scores = s->scores;
    s->scores = swap;
}

void hsp_survey_score_step(hsp_survey *s, const double *w, double b) {
    hsp_survey_undo_step(s); /* the present scores become those before */
    hsp_design_scores(s->p->design, w, b, s->scores);
}

double *hsp_survey_move(hsp_survey *s, double t, bool bound) {
    s->t = t;
    s->pass.along = true;
    s->pass.predict = bound;
    hsp_pool_run(hsp_sweep_blocks(s->sweep), s->p->design->threads, move_block, s);
    return s->scores;
}

int hsp_survey_evaluate(hsp_survey *s, const double *w, double b, unsigned how, hsp_error **err) {
    const hsp_problem *p = s->p;
    if (how & HSP_SURVEY_STEP) hsp_survey_undo_step(s); /* the present scores become those before */
    s->pass.predict = how & HSP_SURVEY_BOUND;
    s->pass.majorised = how & HSP_SURVEY_MAJORISED;
    s->pass.along = how & HSP_SURVEY_ALONG;
    s->pass.moved = how & HSP_SURVEY_MOVED;
    s->has_gradient = s->has_gram = false;
    s->pass.every = 0;
    if (!s->pass.along && !s->pass.moved) s->t = 1;
    hsp_pass q = {
        .w = hsp_all_zero(w, p->design->d) ? NULL : w, .b = b, .scores = s->scores, .ctx = s, .weigh = evaluate_block};
    q.scored = s->pass.along || s->pass.moved;
    if (!(how & HSP_SURVEY_FIGURES)) request_gradient(s, s->G && (how & HSP_SURVEY_GRAM), &q);
    if (s->pass.predict && !unbounded_dual(p))
        q.r = s->c_alpha, q.pull_r = s->v; /* else the bound takes a pass of its own */
    int status = hsp_sweep_run(s->sweep, &q, err);
    if (status) return status;
    sum_figures(s, w, b);
    if (s->pass.predict) find_bound(s); /* needs the mean at the previous point */
    if (q.s) take_gradient(s, &q);
    return HSP_OK;
}

/* The number of rows divided by those of the sample. */
static double sample_scale(const hsp_survey *s, int64_t every) {
    int64_t rows = 0;
    for (int64_t b = 0; b < hsp_sweep_blocks(s->sweep); b++)
        if (hsp_sweep_drawn(b, every)) rows += hsp_sweep_begin(s->sweep, b + 1) - hsp_sweep_begin(s->sweep, b);
    return rows > 0 ? (double)s->p->design->n / (double)rows : 1;
}

int hsp_survey_sample(hsp_survey *s, const double *w, double b, unsigned how, int64_t every, hsp_error **err) {
    const hsp_problem *p = s->p;
    if (s->pass.every != every) {
        for (int64_t i = 0; i < p->design->n; i++) s->slopes[i] = s->h[i] = 0;
        for (int64_t k = 0; k < hsp_sweep_blocks(s->sweep); k++) s->blocks[k] = (survey_block){0};
        s->pass.scale = sample_scale(s, every);
    }
    s->pass.every = every;
    s->pass.predict = s->pass.majorised = s->pass.along = s->pass.moved = false;
    hsp_pass q = {
        .w = hsp_all_zero(w, p->design->d) ? NULL : w, .b = b, .scores = s->scores, .ctx = s, .weigh = evaluate_block};
    q.every = every;
    request_gradient(s, s->G && (how & HSP_SURVEY_GRAM), &q);
    int status = hsp_sweep_run(s->sweep, &q, err);
    if (status) return status;
    sum_figures(s, w, b);
    take_gradient(s, &q);
    return HSP_OK;
}

int hsp_survey_complete(hsp_survey *s, bool gram, hsp_error **err) {
    if (!s->has_gradient) {
        hsp_pass q = {.scored = true, .scores = s->scores};
        request_gradient(s, gram, &q);
        int status = hsp_sweep_run(s->sweep, &q, err);
        if (!status) take_gradient(s, &q);
        return status;
    }
    if (!gram || s->has_gram) return HSP_OK;
    bool centred = s->p->intercept != HSP_INTERCEPT_NONE && s->mass > 0;
    s->has_gram = true;
    return hsp_design_gram(s->p->design, s->h, centred ? s->mean : NULL, NULL, 1, s->G, err);
}

/* ---- a line ---- */

static void line_block(void *ctx, int64_t block) {
    hsp_survey *s = ctx;
    const hsp_problem *p = s->p;
    int64_t from = hsp_sweep_begin(s->sweep, block), count = hsp_sweep_begin(s->sweep, block + 1) - from;
    double at[HSP_SWEEP_ROWS], change[HSP_SWEEP_ROWS], value[HSP_SWEEP_ROWS], slope[HSP_SWEEP_ROWS];
    const double *base = p->scores + from, *end = s->scores + from;
    for (int64_t i = 0; i < count; i++) {
        change[i] = end[i] - base[i];
        at[i] = base[i] + s->t * change[i];
    }
    p->loss->batch(p->loss, p->y + from, at, count, 1, p->kink, value, slope);
    if (p->c)
        for (int64_t i = 0; i < count; i++) {
            value[i] *= p->c[from + i];
            slope[i] *= p->c[from + i];
        }
    s->blocks[block] = (survey_block){.loss = hsp_sum_f64(value, count), .tilt = hsp_dot_f64(slope, change, count)};
}

double hsp_survey_line(hsp_survey *s, double t, double *derivative) {
    double loss = 0, slope = 0;
    s->t = t;
    hsp_pool_run(hsp_sweep_blocks(s->sweep), s->p->design->threads, line_block, s);
    for (int64_t b = 0; b < hsp_sweep_blocks(s->sweep); b++) {
        loss += s->blocks[b].loss;
        slope += s->blocks[b].tilt;
    }
    *derivative = slope;
    return loss;
}
