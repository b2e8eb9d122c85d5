/* Working sets as in Massias, Gramfort and Salmon 2018, "Celer"; on a path also the columns that are about to enter, from the
 * last two gradients. The columns that are in are copied side by side, so that the Hessian of their weights is one product of
 * dense tiles, or of few sparse pairs, and coordinate descent in it costs nothing beside that. */
#include "solve/prox/reduced.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/matrix.h"
#include "design/design.h"
#include "kernel/kernel.h"
#include "loss/loss.h"
#include "penalty/penalty.h"
#include "problem/gradient_bound.h"
#include "problem/problem.h"
#include "solve/prox/gram_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Columns, numbers a row, rows for each column, and columns for each that wants a weight: see whole_is_cheap, fits_alone and
 * choose_columns. */
enum { MOST_WHOLE = 256, DENSE_WHOLE = 128, SHORT = 20, TALL = 2, HALF = 2 };
enum { LEAST_NEW = 100, MOST_NEW = 500, FEW = 5, MOST_COLUMNS = 2500, MOST_INNER = 6, MOST_FAILED = 8 };
static const double PACE = 10; /* the threshold decreases by this factor from stage to stage */
static const double SOON =
    0.85; /* on a path, columns with gradients above this share of the threshold come in with others */
/* Newton steps go on until the last decreased the objective by less than this share; in the stages before the last one. */
static const double ROUGH = 0.05;
static const double EXACT =
    1e-10; /* of the threshold: errors of gradients that are rounding; and a share of the tolerance */
static const double SHARE = 1e-2;
static const double FAR = 1e4;      /* a mean so many standard deviations from 0, squared, costs the matrix digits */
static const double SLOW = 0.5;     /* a step that leaves at least this share of the violations is slow */
static const double MOST_AHEAD = 2; /* times the last change: how far gradients are extrapolated */

/* ---- memory ---- */

/* With many more rows than columns a matrix of all columns is expensive, and a copy of them, too. */
static bool fits_alone(const hsp_design *D) {
    return D->x->dense && D->d > DENSE_WHOLE && D->n >= TALL * D->d;
}

bool hsp_reduced_suits(const hsp_problem *p, bool path) {
    bool smooth = (p->loss->traits & HSP_LOSS_SMOOTH) && (p->loss->traits & HSP_LOSS_CURVED);
    if (p->outputs > 1 || !(p->rho > 0) || !smooth || !hsp_problem_has_dual(p)) return false;
    /* With jumps in the curvature and more columns than rows the matrix model overshoots. The squared loss, whose multipliers
     * may be any numbers, has none. */
    bool jumps = (p->loss->traits & HSP_LOSS_PIECEWISE) && p->loss->dual_low > -INFINITY;
    if (p->intercept == HSP_INTERCEPT_PENALISED || jumps) return false;
    /* Where the curvature changes, a single fit gains nothing: one matrix of all columns, or coordinate descent in them, costs
     * less. */
    bool constant = (p->loss->traits & HSP_LOSS_PIECEWISE) && p->loss->dual_low == -INFINITY;
    return path ? p->design->d > 16 : constant && fits_alone(p->design);
}

int hsp_reduced_init(hsp_prox *s, bool alone, hsp_error **err) {
    hsp_reduced *r = s->reduced = hsp_alloc_zero(1, sizeof *r);
    if (!r) return hsp_fail_memory(err);
    r->alone = alone;
    r->rules = *s->rules;
    if (!HSP_ALLOC(r->wanted, s->d) || !HSP_ALLOC_DOUBLES(s->d, &r->w, &r->last, &r->before)) return hsp_fail_memory(err);
    int status = hsp_narrow_new(s->p->design, &r->narrow, err);
    r->narrow.grows = alone; /* on a path, columns come and go */
    return status;
}

static void close_inner(hsp_reduced *r) {
    if (r->open) hsp_prox_close(&r->inner);
    r->open = false;
    hsp_problem_free(r->problem);
    r->problem = NULL;
}

void hsp_reduced_free(hsp_reduced *r) {
    if (!r) return;
    close_inner(r);
    hsp_narrow_clear(&r->narrow);
    hsp_column_screen_free(r->screen);
    hsp_single_screen_free(r->single);
    HSP_FREE(r->wanted, r->w, r->last, r->before, r);
}

/* ---- the choice ---- */

static int ascending(const void *a, const void *b) {
    int64_t u = *(const int64_t *)a, v = *(const int64_t *)b;
    return (u > v) - (u < v);
}

/* What |g_j| is expected to be at the present lambda: on a path gradients move steadily. */
static double expected(const hsp_prox *s, int64_t j) {
    double g = s->at.gw[j], by = s->reduced->follows;
    return by != 0 ? fmax(fabs(g), fabs(g + by * (g - s->reduced->before[j]))) : fabs(g);
}

typedef struct entering {
    double size;
    int64_t column;
} entering;

static int by_size(const void *a, const void *b) {
    const entering *u = a, *v = b;
    if (u->size != v->size) return u->size > v->size ? -1 : 1;
    return (u->column > v->column) - (u->column < v->column);
}

/* Lists in `wanted` the columns with a weight and the `most` others with the largest gradients above the threshold. */
static int64_t list_wanted(hsp_prox *s, double threshold, int64_t most, entering *some) {
    hsp_reduced *r = s->reduced;
    int64_t count = 0, others = 0;
    for (int64_t j = 0; j < s->d; j++) {
        double size = expected(s, j);
        if (s->at.w[j] != 0)
            r->wanted[count++] = j;
        else if (size > threshold)
            some[others++] = (entering){size, j};
    }
    if (others > most) qsort(some, (size_t)others, sizeof *some, by_size);
    for (int64_t a = 0; a < others && a < most; a++) r->wanted[count++] = some[a].column;
    return count;
}

static bool all_are_in(const hsp_reduced *r, int64_t count) {
    for (int64_t a = 0; a < count; a++)
        if (r->narrow.place[r->wanted[a]] < 0) return false;
    return true;
}

/* The problem in the columns of the narrow design, started at the present point. */
static int pose_inner(hsp_prox *s, hsp_error **err) {
    hsp_reduced *r = s->reduced;
    const hsp_problem *p = s->p;
    int64_t count = r->narrow.count;
    const hsp_problem_spec spec = {.loss = p->loss,
                                   .penalty = p->penalty,
                                   .intercept = p->intercept,
                                   .kink = p->kink,
                                   .C = NAN,
                                   .lambda = p->lambda,
                                   .l1_ratio = p->rho,
                                   .c = p->c,
                                   .outputs = 1,
                                   .regression = p->regression};
    int status = hsp_problem_new(r->narrow.design, &spec, &r->problem, err);
    if (status) return status;
    memcpy(r->problem->y, p->y, (size_t)s->n * sizeof *p->y);
    for (int64_t a = 0; a < count; a++) r->w[a] = s->at.w[r->narrow.column[a]];
    r->open = true;
    memcpy(r->problem->scores, p->scores, (size_t)s->n * sizeof *p->scores);
    status = hsp_prox_open(&r->inner, r->problem, &r->rules, HSP_PROX_MATRIX, r->w, s->at.b, err);
    if (!status) r->inner.gram->lasting = r->inner.gram->quadratic.near = true;
    return status;
}

/* The problem in the wanted columns, started at the present point. */
static int open_inner(hsp_prox *s, int64_t count, hsp_error **err) {
    hsp_reduced *r = s->reduced;
    close_inner(r);
    qsort(r->wanted, (size_t)count, sizeof *r->wanted, ascending);
    r->narrow.columns = r->screen && !r->screenless ? hsp_column_screen_columns(r->screen) : NULL;
    int status = hsp_narrow_choose(&r->narrow, r->wanted, count, err);
    return status ? status : pose_inner(s, err);
}

/* Some columns more, fewer than are there: only they are copied, and the matrix of the others is kept. `wanted` are all. */
static bool may_extend(const hsp_prox *s, int64_t count) {
    const hsp_reduced *r = s->reduced;
    int64_t more = 0;
    for (int64_t a = 0; a < count; a++) more += r->narrow.place[r->wanted[a]] < 0;
    return r->open && r->inner.gram->based && more <= hsp_narrow_room(&r->narrow) && r->narrow.count > 0;
}

static int extend_inner(hsp_prox *s, int64_t count, hsp_error **err) {
    hsp_reduced *r = s->reduced;
    hsp_gram_model *known = r->inner.gram;
    int64_t more = 0, before = r->narrow.count;
    r->inner.gram = NULL;
    close_inner(r);
    for (int64_t a = 0; a < count; a++)
        if (r->narrow.place[r->wanted[a]] < 0) r->wanted[more++] = r->wanted[a];
    qsort(r->wanted, (size_t)more, sizeof *r->wanted, ascending);
    int status = hsp_narrow_add(&r->narrow, r->wanted, more, err);
    if (!status) status = pose_inner(s, err);
    if (!status) status = hsp_gram_model_extend(&r->inner, known, before, err);
    hsp_gram_model_free(known);
    return status;
}

/* Whether a matrix of all columns costs no more than some passes: then they all come in, and no gradient beside that of the
 * model is needed. */
static bool whole_is_cheap(const hsp_prox *s) {
    const hsp_matrix *x = s->p->design->x;
    return x->dense ? s->d <= DENSE_WHOLE : s->d <= MOST_WHOLE && x->stored <= SHORT * s->n;
}

/* The columns that have a weight or want one: a guess at how many will. */
static int64_t count_violated(const hsp_prox *s) {
    int64_t count = 0;
    for (int64_t j = 0; j < s->d; j++) count += s->at.w[j] != 0 || fabs(s->at.gw[j]) > s->p->lambda * s->p->rho;
    return count;
}

static int64_t list_all(hsp_prox *s) {
    for (int64_t j = 0; j < s->d; j++) s->reduced->wanted[j] = j;
    return s->d;
}

static double largest_gradient(const hsp_prox *s) {
    double top = 0;
    for (int64_t j = 0; j < s->d; j++) top = fmax(top, fabs(s->at.gw[j]));
    return top;
}

/* Chooses the columns. *changed: others are in than before. *none, *many: there are none to choose, or too many. */
static int choose_columns(hsp_prox *s, bool *changed, bool *none, bool *many) {
    hsp_reduced *r = s->reduced;
    int64_t held = 0;
    for (int64_t j = 0; j < s->d; j++) held += s->at.w[j] != 0;
    int64_t most = s->d / FEW > LEAST_NEW ? s->d / FEW : LEAST_NEW;
    if (most > MOST_NEW) most = MOST_NEW;
    if (most < 2 * held) most = 2 * held;
    entering *some = hsp_alloc(s->d, sizeof *some);
    if (!some) return HSP_EMEMORY;
    int64_t count = list_wanted(s, r->alone && !r->open ? fmax(s->t, largest_gradient(s) / PACE) : s->t, most, some);
    *changed = !r->open || !all_are_in(r, count);
    int status = HSP_OK;
    if (*changed && count > 0) {
        if (whole_is_cheap(s))
            count = list_all(s);
        else if (r->lambdas > 0)
            count = list_wanted(s, SOON * s->t, most, some);
        *many = count > MOST_COLUMNS || (r->alone && r->open && HALF * count_violated(s) > s->d);
        if (!*many) status = (may_extend(s, count) ? extend_inner : open_inner)(s, count, NULL);
    }
    *none = count == 0;
    hsp_free(some);
    return status;
}

void hsp_reduced_relax(hsp_prox *s) {
    hsp_reduced *r = s->reduced;
    double *free = r->before;
    r->before = r->last;
    r->last = free;
    memcpy(r->last, s->at.gw, (size_t)s->d * sizeof *r->last);
    r->lambda_before = r->lambda_last;
    r->lambda_last = r->lambda;
    r->lambda = s->p->lambda;
    double apart = r->lambda_last - r->lambda_before, by = apart != 0 ? (r->lambda - r->lambda_last) / apart : 0;
    r->follows = r->lambdas++ < 2 ? 0 : by > MOST_AHEAD ? MOST_AHEAD : by < -1 ? -1 : by;
    s->at.measured.bound = NAN;
}

void hsp_reduced_start(hsp_prox *s, const double *scores) {
    hsp_reduced *r = s->reduced;
    double *own = s->p->scores;
    if (scores)
        memcpy(own, scores, (size_t)s->n * sizeof *own);
    else
        hsp_problem_scores(s->p, s->at.w, s->at.b, own);
    if (!r->open) return;
    for (int64_t a = 0; a < r->narrow.count; a++) r->inner.at.w[a] = s->at.w[r->narrow.column[a]];
    r->inner.at.b[0] = s->at.b[0];
    memcpy(r->problem->scores, own, (size_t)s->n * sizeof *own);
}

/* ---- a start ---- */

/* Gradient, figures and bound at at.w and the scores of the problem, which must be those of at.w. */
static void measure(hsp_prox *s) {
    hsp_problem *p = s->p;
    hsp_prox_point *at = &s->at;
    hsp_prox_tune_intercepts(s);
    hsp_problem_adjoint(p, p->slopes, at->gw);
    hsp_axpy_f64(s->ridge, at->w, at->gw, s->d);
    at->violated = hsp_prox_largest_violation(s);
    at->measured.at = hsp_problem_evaluate_scores(p, at->w, s->d, at->b);
    at->measured.bound = hsp_problem_bound_of_gradient(p, at->w, at->gw, s->d, s->rows.c, at->alpha, s->move.trial);
    at->ready = true;
}

/* Far from the optimum the gradient names the wrong columns. So the threshold decreases in stages, each solved roughly: a path
 * with few values. A start near the optimum skips it. */
static void lower_threshold(hsp_prox *s, bool first) {
    double goal = s->p->lambda * s->p->rho, top = largest_gradient(s);
    if (s->reduced->alone) first = false, s->t = goal;
    s->t = first ? top / PACE : s->t / PACE;
    if (!(s->t > 1.5 * goal)) s->t = goal;
}

/* ---- the columns that are in ---- */

/* The inner problem has the lambda of the present stage. */
static void pass_lambda_on(hsp_prox *s) {
    hsp_problem *q = s->reduced->problem;
    double lambda = hsp_prox_at_final_threshold(s) ? s->p->lambda : s->t / s->p->rho;
    if (q->lambda == lambda) return;
    q->lambda = lambda;
    q->C = 1 / (lambda * q->sum_c);
    q->scale = q->C * q->sum_c;
    hsp_prox_relax(&s->reduced->inner);
}

/* Losses, slopes and the gradient in the columns that are in, at the inner point. */
static void renew_inner(hsp_prox *s) {
    hsp_prox *inner = &s->reduced->inner;
    hsp_problem *q = inner->p;
    s->reduced->measured = false;
    hsp_prox_slopes(inner);
    hsp_problem_adjoint(q, q->slopes, inner->at.gw);
    hsp_axpy_f64(inner->ridge, inner->at.w, inner->at.gw, inner->d);
    inner->at.violated = hsp_prox_largest_violation(inner);
    if (inner->first_violation < 0) inner->first_violation = inner->at.violated;
    double loss = q->c ? hsp_dot_f64(q->c, q->values, inner->n) : hsp_sum_f64(q->values, inner->n);
    inner->at.measured.at.objective = hsp_penalty_value(inner->at.w, inner->d, q->rho) + q->C * loss;
    inner->at.measured.at.mean_loss = loss / q->sum_c;
}

/* The figures of the inner point, from the losses that its step left, and the bound from the multipliers of the step's model if
 * no column that is out mattered. They stay in the inner slopes, feasible for the intercept and the loss. */
static double measure_inner(hsp_prox *s) {
    hsp_reduced *r = s->reduced;
    hsp_prox *inner = &r->inner;
    hsp_problem *q = inner->p;
    const double *losses = inner->move.before, *u = inner->move.u;
    double loss = q->c ? hsp_dot_f64(q->c, losses, inner->n) : hsp_sum_f64(losses, inner->n);
    double square = q->rho < 1 ? hsp_dot_f64(u, u, inner->d) : 0, top = 0;
    const double *g = inner->gram->quadratic.r;
    for (int64_t a = 0; q->rho == 1 && a < inner->d; a++) top = fmax(top, q->scale * fabs(g[a]));
    double P = hsp_penalty_value(inner->at.w, inner->d, q->rho) + q->C * loss;
    inner->at.measured.at = (hsp_evaluation){.objective = P, .mean_loss = loss / q->sum_c, .error = NAN, .norm = NAN};
    hsp_problem_dual_begin(q, inner->at.alpha);
    r->duals = hsp_problem_dual_end(q, 0, 0);
    r->measured = true;
    return hsp_relative_gap(P, r->duals / fmax(top, 1) - (1 - q->rho) * square / 2);
}

/* Newton steps until, at the final threshold, nothing but the columns that are out can keep the gap from the tolerance, and
 * before until the last step decreased the objective by less than a share of it. */
static hsp_step solve_inner(hsp_prox *s, hsp_budget *budget) {
    hsp_prox *inner = &s->reduced->inner;
    bool arrived = hsp_prox_at_final_threshold(s);
    int failed = 0;
    s->reduced->rules.tol = s->rules->tol;
    pass_lambda_on(s);
    for (int k = 0; k < MOST_INNER + failed && !budget->out; k++) {
        bool lost = false;
        double before = inner->at.violated;
        renew_inner(s);
        if (k > 0 && !(inner->at.violated < SLOW * before)) hsp_gram_model_sharpen(inner->gram);
        double F = hsp_problem_mean(inner->p, inner->at.measured.at.objective);
        if (!isfinite(F) || isnan(inner->at.violated)) return HSP_STEP_FAILED;
        int64_t steps = hsp_prox_take_steps(inner, &lost, budget);
        if (steps < 0) return HSP_STEP_MEMORY;
        if (steps == 0) { /* the matrix may be of curvatures that are too old */
            if (lost || ++failed > MOST_FAILED) return HSP_STEP_STALLED;
            hsp_gram_model_sharpen(inner->gram);
            continue;
        }
        budget->updates++;
        if (!isfinite(inner->move.fall)) inner->gram->due = true;
        if (arrived ? measure_inner(s) <= s->rules->tol : inner->move.fall <= ROUGH * F) break;
    }
    return HSP_STEP_MORE;
}

static void take_inner_point(hsp_prox *s) {
    const hsp_reduced *r = s->reduced;
    for (int64_t j = 0; j < s->d; j++) s->at.w[j] = 0;
    for (int64_t a = 0; a < r->narrow.count; a++) s->at.w[r->narrow.column[a]] = r->inner.at.w[a];
    s->at.b[0] = r->inner.at.b[0];
    memcpy(s->p->scores, r->problem->scores, (size_t)s->n * sizeof *s->p->scores);
}

/* ---- all columns ---- */

/* On a path over sparse rows most columns are far inside. The copy by columns is made when the second lambda is proved; without
 * memory for it, all columns are visited. */
static bool screen_columns(hsp_prox *s) {
    hsp_reduced *r = s->reduced;
    if (s->p->design->x->dense || r->lambdas < 2 || r->screenless) return false;
    if (!r->screen) r->screenless = hsp_column_screen_new(s->p, s->rows.c, &r->screen, NULL) != HSP_OK;
    return !r->screenless;
}

/* The gradients in the columns that are in, at the multipliers of the model, which are `slopes` after they were made feasible.
 * By the inequality of Cauchy and Schwarz, in the metric of the model's curvatures, that changed them by at most the `by`
 * below. False: by more than rounding, or the matrix is not accurate. */
static bool take_model_gradient(hsp_prox *s) {
    const hsp_reduced *r = s->reduced;
    const hsp_prox *inner = &r->inner;
    const hsp_gram_model *G = inner->gram;
    const double *slopes = inner->p->slopes;
    double sum = 0, least = fmin(EXACT, SHARE * s->rules->tol) * s->p->lambda * s->p->rho;
    bool centred = s->p->intercept == HSP_INTERCEPT_FREE;
    if (!(r->duals > 0)) return false;
    for (int64_t i = 0; i < s->n; i++) {
        double by = inner->rows.c[i] * (slopes[i] - inner->at.alpha[i]);
        sum += by != 0 ? by * by / inner->rows.h[i] : 0;
    }
    for (int64_t a = 0; a < inner->d; a++) {
        double g = G->quadratic.r[a] - inner->ridge * inner->move.u[a], spread = G->base[a * (inner->d + 1)];
        double by = sqrt(sum * fmax(spread, 0)), far = centred ? G->centre[a] * G->centre[a] * inner->rows.S[0] : 0;
        bool constant = G->quadratic.A[a * (inner->d + 1)] <= inner->ridge;
        if (!(by <= least) || (far > FAR * spread && !constant)) return false;
        s->at.gw[r->narrow.column[a]] = g < 0 ? g - by : g + by;
    }
    return true;
}

/* The same for dense rows: a copy in floats. */
static bool screen_singly(hsp_prox *s) {
    hsp_reduced *r = s->reduced;
    if (r->lambdas < 2 || r->screenless || !hsp_single_screen_suits(s->p->design)) return false;
    if (!r->single) hsp_single_screen_new(s->p->design, &r->single, NULL);
    r->screenless = !r->single;
    return !r->screenless;
}

/* The gradients at the multipliers in p->slopes, where they might matter. slope: n, scratch. */
static void find_gradients(hsp_prox *s, double *slope) {
    hsp_reduced *r = s->reduced;
    hsp_problem *p = s->p;
    bool known = take_model_gradient(s);
    if (known && r->narrow.count == s->d) return;
    for (int64_t i = 0; i < s->n; i++) slope[i] = -s->rows.c[i] * p->slopes[i];
    if (screen_columns(s))
        hsp_column_screen_adjoint(r->screen, p, slope, p->lambda * p->rho, known ? r->narrow.place : NULL, s->at.gw);
    else if (known && screen_singly(s)) {
        hsp_single_screen_adjoint(r->single, slope, s->at.gw);
        take_model_gradient(s);
    } else
        hsp_problem_adjoint(p, slope, s->at.gw);
}

/* The multipliers of the last model, made feasible, give the gradient and the bound: they satisfy the conditions in the columns
 * that are in, while the slopes at the point do so only as far as it is optimal. */
static void prove(hsp_prox *s) {
    hsp_problem *p = s->p;
    hsp_prox_point *at = &s->at;
    hsp_reduced *r = s->reduced;
    const hsp_problem *q = r->problem;
    double top = 0, conjugate = 0;
    if (!r->measured) measure_inner(s);
    at->measured.at = r->inner.at.measured.at;
    at->measured.at.objective += (p->C - q->C) * p->sum_c * at->measured.at.mean_loss;
    if (r->alone) at->measured.at = hsp_problem_evaluate_scores(p, at->w, s->d, at->b);
    if (r->duals > 0)
        memcpy(p->slopes, q->slopes, (size_t)s->n * sizeof *p->slopes);
    else
        hsp_problem_dual_begin(p, r->inner.at.alpha);
    find_gradients(s, s->move.trial);
    for (int64_t j = 0; j < s->d; j++) {
        double v = p->scale * fabs(at->gw[j]), over = v - p->rho;
        if (v > top) top = v;
        if (over > 0) conjugate += over * over;
    }
    conjugate = p->rho < 1 ? conjugate / (2 * (1 - p->rho)) : 0;
    bool known = r->duals > 0 && p->C == q->C && (p->rho < 1 || top <= 1);
    double P = at->measured.at.objective, D = known ? r->duals - conjugate : hsp_problem_dual_end(p, top, conjugate);
    at->measured.bound = D > P && D - P <= 1e-12 * fabs(P) ? P : D > P ? (double)NAN : D;
    memcpy(at->alpha, p->slopes, (size_t)s->n * sizeof *at->alpha);
    at->ready = true;
}

/* ---- the step ---- */

hsp_step hsp_reduced_step(hsp_prox *s, hsp_budget *budget, bool *many) {
    hsp_reduced *r = s->reduced;
    bool first = s->first_violation < 0, changed = false, none = false;
    double tol = s->rules->tol;
    if (!s->at.ready) {
        hsp_problem_scores(s->p, s->at.w, s->at.b, s->p->scores);
        measure(s);
        budget->steps += s->n;
        if (!isfinite(s->at.violated) || !isfinite(s->at.measured.at.objective)) return HSP_STEP_FAILED;
        if (s->at.violated == 0) return HSP_STEP_DONE;
        if (hsp_relative_gap(s->at.measured.at.objective, s->at.measured.bound) <= tol)
            return HSP_STEP_MORE; /* the start is good enough */
    }
    if (first) s->first_violation = s->at.violated;
    if (first || !hsp_prox_at_final_threshold(s)) lower_threshold(s, first);
    bool arrived = hsp_prox_at_final_threshold(s);
    if (choose_columns(s, &changed, &none, many)) return HSP_STEP_MEMORY;
    if (*many) return HSP_STEP_MORE;
    if (none) { /* no weights, and none that wants to enter */
        s->at.ready = false;
        return s->idle++ < 2 ? HSP_STEP_QUIET : HSP_STEP_STALLED;
    }
    hsp_step step = solve_inner(s, budget);
    if (step == HSP_STEP_MEMORY || step == HSP_STEP_FAILED) return step;
    r->follows = 0;
    take_inner_point(s);
    prove(s);
    budget->steps += s->n;
    if (!isfinite(s->at.measured.at.objective)) return HSP_STEP_FAILED;
    if (!arrived || budget->out) return HSP_STEP_MORE;
    double gap = hsp_relative_gap(s->at.measured.at.objective, s->at.measured.bound);
    if (s->idle > 0 && !(gap <= tol)) { /* far multipliers of the model may be worth less than the slopes */
        double bound = s->at.measured.bound;
        hsp_gram_model_sharpen(r->inner.gram);
        measure(s);
        if (!(s->at.measured.bound >= bound)) prove(s);
        gap = hsp_relative_gap(s->at.measured.at.objective, s->at.measured.bound);
    }
    bool better = gap < 0.5 * s->best_violation;
    if (better) s->best_violation = gap;
    s->idle = better || changed ? 0 : s->idle + 1;
    return s->idle >= 8 || (step == HSP_STEP_STALLED && s->idle > 1) ? HSP_STEP_STALLED : HSP_STEP_MORE;
}
