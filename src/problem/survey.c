/* See survey.h. What is added up over the rows is added up block by block, and the blocks in order. */
#include "problem/survey.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "design/design.h"
#include "design/gram.h"
#include "kernel/kernel.h"

#include <math.h>

/* Multipliers below this are 0: their logarithms and products would not be numbers to rely on. */
static const double NOTHING = 1e-290;
/* Shares by which multipliers may move without a trace in the sum of duals. */
static const double UNFELT = 1e-14;

typedef struct hsp_survey_share {
    double loss, wrong, tilt, sum, size, cut, duals;
} survey_share;

/* ---- making ---- */

static bool allocate_survey(hsp_survey *s, bool gram) {
    int64_t n = s->p->design->n, d = s->p->design->d;
    s->g = hsp_alloc_zero(d + 1, sizeof *s->g);
    s->scores = hsp_alloc(n, sizeof *s->scores);
    s->before = hsp_alloc(n, sizeof *s->before);
    s->slopes = hsp_alloc(n, sizeof *s->slopes);
    s->h = hsp_alloc(n, sizeof *s->h);
    s->alpha = hsp_alloc_zero(n, sizeof *s->alpha);
    s->pull = s->p->c ? hsp_alloc(n, sizeof *s->pull) : s->alpha;
    s->lean = hsp_alloc(n, sizeof *s->lean);
    s->mean = hsp_alloc_zero(d, sizeof *s->mean);
    s->v = hsp_alloc(2 * d, sizeof *s->v);
    s->w = hsp_alloc(d, sizeof *s->w);
    s->shares = hsp_alloc(hsp_sweep_blocks(s->sweep), sizeof *s->shares);
    if (gram) s->G = hsp_alloc(d * d, sizeof *s->G);
    return s->g && s->scores && s->before && s->slopes && s->h && s->alpha && s->pull && s->lean && s->mean && s->v &&
           s->w && s->shares && (s->G || !gram);
}

enum { GUESSED = 256 };

/* A point among the dense rows, from some of them: see `near` in sweep.h. */
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
    if (s->pull != s->alpha) hsp_free(s->pull);
    hsp_sweep_free(s->sweep);
    HSP_FREE(s->g, s->scores, s->before, s->slopes, s->h, s->alpha, s->lean, s->mean, s->v, s->w, s->shares, s->G, s);
}

/* ---- the rows of a block ---- */

static double touching(double m) {
    return m > 1e-4 ? tanh(m / 2) / (2 * m) : 0.25;
}

static bool two_sided(const hsp_problem *p) { /* multipliers may be any number */
    return p->loss->dual_low == -INFINITY && p->loss->dual_high == INFINITY;
}

/* Multipliers from slopes and curvatures before and the change of the scores, in the domain of the conjugate. */
static void foresee(hsp_survey *s, survey_share *t, int64_t from, int64_t to) {
    const hsp_problem *p = s->p;
    double low = p->loss->dual_low, high = p->loss->dual_high, whole = 1 / s->t;
    for (int64_t i = from; i < to; i++) s->alpha[i] = -(s->slopes[i] + s->h[i] * ((s->scores[i] - s->before[i]) * whole));
    if (p->c)
        for (int64_t i = from; i < to; i++) s->alpha[i] = p->c[i] > 0 ? s->alpha[i] / p->c[i] : 0;
    if (two_sided(p)) return;
    for (int64_t i = from; i < to; i++) {
        double a = p->y[i] > 0 ? s->alpha[i] : -s->alpha[i];
        a = a < low ? low : a > high ? high : a;
        if (!(fabs(a) >= NOTHING)) a = 0;
        s->alpha[i] = p->y[i] > 0 ? a : -a;
        s->lean[i] = s->h[i];
    }
    if (p->c)
        for (int64_t i = from; i < to; i++) s->pull[i] = p->c[i] * s->alpha[i];
    t->sum = hsp_sum_f64(s->pull + from, to - from);
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

static void take_care(hsp_survey *s, int64_t from, int64_t to) {
    for (int64_t i = from; i < to; i++) {
        double m = s->p->y[i] * s->scores[i];
        if (m < 0) s->h[i] = touching(-m);
    }
}

/* The scores a share t of the way, and what the step foresaw. */
static void walk_rows(hsp_survey *s, survey_share *t, int64_t from, int64_t to) {
    if (s->pass.along)
        for (int64_t i = from; i < to; i++) s->scores[i] = s->before[i] + s->t * (s->scores[i] - s->before[i]);
    if (!s->pass.foresee) return;
    foresee(s, t, from, to);
    t->duals = duals_of(s, from, to);
}

static void walk_block(void *ctx, int64_t block) {
    hsp_survey *s = ctx;
    s->shares[block] = (survey_share){0};
    walk_rows(s, &s->shares[block], hsp_sweep_begin(s->sweep, block), hsp_sweep_begin(s->sweep, block + 1));
}

/* Rows of a sample count for those that are not in it. */
static void stand_for(const hsp_survey *s, survey_share *t, double *slope, double *h, int64_t count) {
    t->loss *= s->pass.up;
    hsp_scale_f64(s->pass.up, slope, count);
    hsp_scale_f64(s->pass.up, h, count);
}

static void look_block(void *ctx, int64_t block, int64_t from, int64_t to) {
    hsp_survey *s = ctx;
    const hsp_problem *p = s->p;
    int64_t count = to - from;
    double value[HSP_SWEEP_ROWS], *slope = s->slopes + from, *h = s->h + from;
    survey_share t = {0};
    if (s->pass.walked)
        t = s->shares[block];
    else
        walk_rows(s, &t, from, to);
    p->loss->second(p->loss, p->y + from, s->scores + from, count, value, slope, h);
    if (s->pass.careful) take_care(s, from, to);
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
    if (s->pass.every > 1) stand_for(s, &t, slope, h, count);
    t.tilt = hsp_sum_f64(slope, count);
    t.wrong = p->regression ? 0 : wrong_of(p, s->scores, from, to);
    s->shares[block] = t;
}

/* ---- the bound ---- */

static void no_bound(hsp_survey *s) {
    s->bound = 0;
    for (int64_t i = 0; i < s->p->design->n; i++) s->alpha[i] = 0;
}

/* The slow way, for any multipliers. */
static void bound_of_any(hsp_survey *s) {
    s->bound = hsp_problem_dual_of(s->p, s->alpha);
    for (int64_t i = 0; i < s->p->design->n; i++) s->alpha[i] = s->p->slopes[i];
}

/* lean <- 0 where a shift of twice the present one, either way, would lead out of the domain; adds up what that takes. */
static void fix_block(void *ctx, int64_t block) {
    hsp_survey *s = ctx;
    const hsp_problem *p = s->p;
    int64_t from = hsp_sweep_begin(s->sweep, block), to = hsp_sweep_begin(s->sweep, block + 1);
    double low = p->loss->dual_low, high = p->loss->dual_high, most = 2 * fabs(s->pass.shift), cut = 0;
    for (int64_t i = from; i < to; i++) {
        double a = fabs(s->alpha[i]), room = fmin(a - low, high - a), c = p->c ? p->c[i] : 1;
        if (s->lean[i] == 0 || most * s->lean[i] < c * room) continue;
        cut += s->lean[i];
        s->lean[i] = -s->lean[i];
    }
    s->shares[block].cut = cut;
}

static void shift_block(void *ctx, int64_t block) {
    hsp_survey *s = ctx;
    int64_t from = hsp_sweep_begin(s->sweep, block), to = hsp_sweep_begin(s->sweep, block + 1);
    for (int64_t i = from; i < to; i++)
        if (s->lean[i] > 0) s->alpha[i] -= s->pass.shift * (s->p->c ? s->lean[i] / s->p->c[i] : s->lean[i]);
    if (fabs(s->pass.shift) > UNFELT) s->shares[block].duals = duals_of(s, from, to);
}

/* v <- v - shift sum_i lean_i x_i, where that sum over all rows is known from the point before and the fixed ones, which
 * are few, are taken out of it again. */
static void shift_pull(hsp_survey *s) {
    const hsp_design *D = s->p->design;
    double *v = s->v, cut = 0;
    hsp_axpy_f64(-s->pass.shift * s->mass, s->mean, v, D->d);
    for (int64_t i = 0; i < D->n; i++) {
        if (!(s->lean[i] < 0)) continue;
        hsp_row_axpy(-s->pass.shift * s->lean[i], hsp_design_row(D, i, NULL), v);
        cut -= s->lean[i];
    }
    if (D->p) hsp_axpy_f64(-s->pass.shift * cut, D->p, v, D->d);
}

/* Multipliers that were cut back into their domain no longer sum to 0, as they must with a free intercept; others miss it
 * by rounding, which columns far from 0 multiply. They are moved as a change of the intercept would move them, by shift
 * h_i; those without the room for that stay. */
static bool balance(hsp_survey *s, double sum) {
    int64_t blocks = hsp_sweep_blocks(s->sweep);
    int threads = s->p->design->threads;
    double cut = 0;
    s->pass.shift = sum / s->mass;
    if (!isfinite(s->pass.shift)) return false;
    double first = fabs(s->pass.shift);
    hsp_pool_run(blocks, threads, fix_block, s);
    for (int64_t b = 0; b < blocks; b++) cut += s->shares[b].cut;
    s->pass.shift = sum / (s->mass - cut);
    if (!(fabs(s->pass.shift) < 2 * first)) return false;
    hsp_pool_run(blocks, threads, shift_block, s);
    shift_pull(s);
    return true;
}

static void find_bound(hsp_survey *s) {
    const hsp_problem *p = s->p;
    int64_t blocks = hsp_sweep_blocks(s->sweep), d = p->design->d;
    survey_share all = {0};
    for (int64_t b = 0; b < blocks; b++) all.sum += s->shares[b].sum;
    if (two_sided(p) || (p->intercept == HSP_INTERCEPT_FREE && all.sum != 0 && !balance(s, all.sum))) {
        bound_of_any(s);
        return;
    }
    for (int64_t b = 0; b < blocks; b++) all.duals += s->shares[b].duals;
    double D = all.duals - p->C * hsp_dot_f64(s->v, s->v, d) / 2;
    if (p->intercept == HSP_INTERCEPT_PENALISED) D -= p->C * all.sum * all.sum / 2;
    s->bound = p->C * D;
    if (!isfinite(s->bound) || !(s->bound > 0)) no_bound(s); /* losses and penalties are never negative */
}

void hsp_survey_settle(hsp_survey *s) {
    for (int64_t i = 0; i < s->p->design->n; i++) {
        double c = s->p->c ? s->p->c[i] : 1;
        s->alpha[i] = c > 0 ? -s->slopes[i] / c : 0;
    }
    bound_of_any(s);
}

/* ---- a look ---- */

/* The figures, from the blocks. */
static void add_up(hsp_survey *s, const double *w, double b) {
    const hsp_problem *p = s->p;
    int64_t d = p->design->d;
    double loss = 0, wrong = 0, tilt = 0, ww = hsp_dot_f64(w, w, d), size = ww;
    for (int64_t k = 0; k < hsp_sweep_blocks(s->sweep); k++) {
        loss += s->shares[k].loss;
        wrong += s->shares[k].wrong;
        tilt += s->shares[k].tilt;
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

static bool all_zero(const double *w, int64_t d) {
    for (int64_t j = 0; j < d; j++)
        if (w[j] != 0) return false;
    return true;
}

/* Asks a pass for what the gradient and the curvature need. */
static void want_rest(hsp_survey *s, bool gram, hsp_pass *q) {
    int64_t d = s->p->design->d;
    q->s = s->slopes, q->pull_s = s->g;
    q->h = s->h, q->sums = s->v + d;
    if (gram) q->G = s->G, q->near = s->mean, q->centred = s->p->intercept != HSP_INTERCEPT_NONE;
    s->has_gram = gram;
}

/* The mean of the rows by curvature is also where the next one may be expected. */
static void take_rest(hsp_survey *s, const hsp_pass *q) {
    int64_t d = s->p->design->d;
    s->has_rest = true;
    s->mass = q->mass;
    for (int64_t j = 0; q->mass > 0 && j < d; j++) s->mean[j] = q->sums[j] / q->mass;
    hsp_axpy_f64(s->mu, s->w, s->g, d);
    s->g[d] = s->pass.tilt;
}

/* The scores at the last point become those before. */
static void step_on(hsp_survey *s) {
    double *swap = s->before;
    s->before = s->scores;
    s->scores = swap;
}

void hsp_survey_return(hsp_survey *s) {
    step_on(s);
}

void hsp_survey_aim(hsp_survey *s, const double *w, double b) {
    step_on(s);
    hsp_design_scores(s->p->design, w, b, s->scores);
}

double *hsp_survey_walk(hsp_survey *s, double t, bool bound) {
    s->t = t;
    s->pass.along = true;
    s->pass.foresee = bound;
    hsp_pool_run(hsp_sweep_blocks(s->sweep), s->p->design->threads, walk_block, s);
    return s->scores;
}

int hsp_survey_look(hsp_survey *s, const double *w, double b, unsigned how, hsp_error **err) {
    const hsp_problem *p = s->p;
    if (how & HSP_LOOK_STEP) step_on(s);
    s->pass.foresee = how & HSP_LOOK_BOUND;
    s->pass.careful = how & HSP_LOOK_CAREFUL;
    s->pass.along = how & HSP_LOOK_ALONG;
    s->pass.walked = how & HSP_LOOK_WALKED;
    s->has_rest = s->has_gram = false;
    s->pass.every = 0;
    if (!s->pass.along && !s->pass.walked) s->t = 1;
    hsp_pass q = {.w = all_zero(w, p->design->d) ? NULL : w, .b = b, .scores = s->scores, .ctx = s, .look = look_block};
    q.scored = s->pass.along || s->pass.walked;
    if (!(how & HSP_LOOK_BARE)) want_rest(s, s->G && (how & HSP_LOOK_GRAM), &q);
    if (s->pass.foresee && !two_sided(p)) q.r = s->pull, q.pull_r = s->v; /* else their bound goes another way */
    int status = hsp_sweep_run(s->sweep, &q, err);
    if (status) return status;
    add_up(s, w, b);
    if (s->pass.foresee) find_bound(s); /* by the mean at the point before */
    if (q.s) take_rest(s, &q);
    return HSP_OK;
}

/* How many rows a row of the sample stands for. */
static double share_of(const hsp_survey *s, int64_t every) {
    int64_t rows = 0;
    for (int64_t b = 0; b < hsp_sweep_blocks(s->sweep); b++)
        if (hsp_sweep_drawn(b, every)) rows += hsp_sweep_begin(s->sweep, b + 1) - hsp_sweep_begin(s->sweep, b);
    return rows > 0 ? (double)s->p->design->n / (double)rows : 1;
}

int hsp_survey_sample(hsp_survey *s, const double *w, double b, unsigned how, int64_t every, hsp_error **err) {
    const hsp_problem *p = s->p;
    if (s->pass.every != every) {
        for (int64_t i = 0; i < p->design->n; i++) s->slopes[i] = s->h[i] = 0;
        for (int64_t k = 0; k < hsp_sweep_blocks(s->sweep); k++) s->shares[k] = (survey_share){0};
        s->pass.up = share_of(s, every);
    }
    s->pass.every = every;
    s->pass.foresee = s->pass.careful = s->pass.along = s->pass.walked = false;
    hsp_pass q = {.w = all_zero(w, p->design->d) ? NULL : w, .b = b, .scores = s->scores, .ctx = s, .look = look_block};
    q.every = every;
    want_rest(s, s->G && (how & HSP_LOOK_GRAM), &q);
    int status = hsp_sweep_run(s->sweep, &q, err);
    if (status) return status;
    add_up(s, w, b);
    take_rest(s, &q);
    return HSP_OK;
}

int hsp_survey_complete(hsp_survey *s, bool gram, hsp_error **err) {
    if (!s->has_rest) {
        hsp_pass q = {.scored = true, .scores = s->scores};
        want_rest(s, gram, &q);
        int status = hsp_sweep_run(s->sweep, &q, err);
        if (!status) take_rest(s, &q);
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
    const double *base = s->before + from, *end = s->scores + from;
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
    s->shares[block] = (survey_share){.loss = hsp_sum_f64(value, count), .tilt = hsp_dot_f64(slope, change, count)};
}

double hsp_survey_line(hsp_survey *s, double t, double *derivative) {
    double loss = 0, slope = 0;
    s->t = t;
    hsp_pool_run(hsp_sweep_blocks(s->sweep), s->p->design->threads, line_block, s);
    for (int64_t b = 0; b < hsp_sweep_blocks(s->sweep); b++) {
        loss += s->shares[b].loss;
        slope += s->shares[b].tilt;
    }
    *derivative = slope;
    return loss;
}
