/* Newton's method for F(z) = lambda |w|^2 / 2 + mean loss, z = (W, b). The step solves H delta = -g, the more accurately the
 * nearer the optimum (Dembo, Eisenstat and Steihaug 1982). The line search uses only derivatives of a convex function of one
 * variable, so that it works to the last digit and on data of any scale; X delta is computed once.
 *
 * A step also proposes multipliers: the slopes that the quadratic model predicts at its end, r - A X delta. With them
 * sum_i k_i r_i x_i equals w + delta up to the residual of the linear system. So the error of the bound is of third order,
 * however badly the columns are scaled, while that of the plain slopes at a point is |gradient|^2 / 2. */
#include "solve/newton/newton_core.h"

#include "base/error.h"
#include "base/memory.h"
#include "kernel/kernel.h"
#include "loss/loss.h"
#include "solve/newton/line_search.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_TINY = 4, MOST_ENDLESS = 30 };
/* Steps with a predicted decrease below this share of F need no majorant. */
static const double PROGRESS = 0.1;
/* Decreases of F below this share are lost in rounding: always, and where columns lie far from 0. */
static const double ROUNDING = 1e-15, BLURRED = 1e-9;
/* Errors of the scores may be up to this share of the tolerance. */
static const double DRIFT = 1e-3;

int hsp_newton_init(hsp_newton *s, hsp_problem *p, const hsp_rules *rules, const hsp_point *start, hsp_error **err) {
    int64_t n = p->design->n, d = p->design->d, K = p->outputs;
    *s = (hsp_newton){.p = p, .rules = rules, .size = K * (d + 1), .decrease = -1};
    int status = hsp_hessian_init(&s->H, p, err);
    if (!status) status = hsp_separation_init(&s->separation, p, err);
    if (status) return status;
    if (!HSP_ALLOC_DOUBLES(s->size, &s->point, &s->step) || !HSP_ALLOC_DOUBLES(K, &s->gb) ||
        !HSP_ALLOC_DOUBLES(K * d, &s->gc) ||
        !HSP_ALLOC_DOUBLES(n * K, &s->base, &s->change, &s->alpha))
        return hsp_fail_memory(err);
    for (int64_t j = 0; j < K * d; j++) s->point[j] = start->w[j];
    for (int64_t k = 0; k < K; k++) s->point[K * d + k] = start->b[k];
    return HSP_OK;
}

void hsp_newton_free(hsp_newton *s) {
    hsp_hessian_free(&s->H);
    hsp_separation_free(&s->separation);
    HSP_FREE(s->point, s->step, s->gb, s->gc, s->base, s->change, s->alpha);
}

/* ---- the direction ---- */

/* How accurately to solve the linear system. In the units of P the residual rho adds scale^2 |rho|^2 / 2 to the gap; that
 * matters once the predicted decrease is within the tolerance. Without a penalty the residual must nearly vanish. */
static void set_tolerances(const hsp_newton *s, double F, hsp_inner *inner) {
    const hsp_problem *p = s->p;
    double tol = s->rules->tol;
    inner->enough = tol * F;
    inner->absolute = p->penalty->penalises ? sqrt(0.2 * tol * F / p->scale) : 0;
    inner->finest = p->penalty->penalises ? 1e-13 : 1e-9;
    if (s->decrease >= 0) inner->relative = fmin(inner->relative, fmax(sqrt(s->decrease / F), 1e-4));
}

/* Without a penalty, a step that still moves scores by much may be one of infinitely many: a bound would be valid, but of an
 * infimum that is not attained. */
static bool scores_have_settled(const hsp_newton *s) {
    for (int64_t e = 0; e < s->p->design->n * s->p->outputs; e++)
        if (!(fabs(s->change[e]) < 0.1)) return false;
    return true;
}

/* alpha = -loss' - A change, both without the weight of the row; where the gradient vanishes there is no step, and
 * alpha = -loss'. p->slopes holds the weighted slopes at the point. */
static void propose_multipliers(hsp_newton *s, bool step) {
    const hsp_problem *p = s->p;
    int64_t n = p->design->n, K = p->outputs;
    for (int64_t e = 0; e < n * K; e++) s->alpha[e] = s->change[e];
    if (step) hsp_hessian_rows(&s->H, s->alpha);
    for (int64_t i = 0; i < n; i++) {
        double c = p->c ? p->c[i] : 1, up = c > 0 ? p->sum_c / c : 0;
        for (int64_t k = 0, e = i * K; k < K; k++, e++)
            s->alpha[e] = -up * (step ? p->slopes[e] + s->alpha[e] : p->slopes[e]);
    }
    s->proposed = !step || p->penalty->penalises || scores_have_settled(s);
}

/* ---- one iteration ---- */

/* The mean loss and its derivative at a share t of the step. */
static double loss_along(void *state, double t, double *derivative) {
    const hsp_newton *s = state;
    return hsp_problem_line(s->p, s->base, s->change, t, derivative);
}

/* Moves the scores along with the point and measures it, unless their rounding errors could matter: a pass less for the next
 * step, and one less for run.c. */
static void move_scores(hsp_newton *s, double t, double F) {
    hsp_problem *p = s->p;
    int64_t n = p->design->n, K = p->outputs;
    double most = 0;
    for (int64_t e = 0; e < n * K; e++) {
        double change = t * s->change[e];
        most = fabs(change) > most ? fabs(change) : most;
        p->scores[e] = s->base[e] += change;
    }
    s->drift += most;
    s->scored = s->drift * DBL_EPSILON <= DRIFT * s->rules->tol * F;
    if (s->scored) s->at = hsp_problem_evaluate_scores(p, s->point, K * p->design->d, s->point + K * p->design->d);
}

/* Steps with a predicted decrease below rounding are taken whole, a few times: they still improve the gradient. */
static hsp_step move_along(hsp_newton *s, double F, hsp_budget *budget) {
    const hsp_problem *p = s->p;
    int64_t size = p->intercept == HSP_INTERCEPT_PENALISED ? s->size : p->outputs * p->design->d;
    double slope = hsp_dot_f64(p->slopes, s->change, p->design->n * p->outputs), t = 1;
    slope += p->lambda * hsp_dot_f64(s->point, s->step, size);
    if (!isfinite(slope)) return HSP_STEP_FAILED;
    bool tiny = fabs(slope) <= ROUNDING * F;
    if (!tiny) {
        hsp_line l = hsp_line_along(s->point, s->step, size, p->lambda, loss_along, s);
        t = slope < 0 ? hsp_line_search(&l, F, slope) : 0;
        tiny = t == 0 && fabs(slope) <= BLURRED * F;
        if (tiny) t = 1;
    }
    s->tiny = tiny ? s->tiny + 1 : 0;
    if (s->tiny > MOST_TINY || !(t > 0)) return HSP_STEP_STALLED;
    hsp_axpy_f64(t, s->step, s->point, s->size);
    move_scores(s, t, F);
    /* A step that had to be shortened came from a model with too little curvature: majorise it until steps predict little. */
    if (!(s->p->loss->traits & HSP_LOSS_PIECEWISE)) s->majorised = t < 0.5 || (s->majorised && s->decrease > PROGRESS * F);
    s->k++;
    budget->updates++;
    return HSP_STEP_MORE;
}

hsp_step hsp_newton_step(hsp_newton *s, hsp_newton_prepare prepare, hsp_inner inner, hsp_budget *budget) {
    hsp_problem *p = s->p;
    int64_t n = p->design->n, K = p->outputs, d = p->design->d;
    if (hsp_budget_out(budget)) return HSP_STEP_MORE;
    if (s->k == 0 && hsp_separation_one_class(p)) return HSP_STEP_ENDLESS;
    if (s->scored) {
        memcpy(p->scores, s->base, (size_t)(n * K) * sizeof *s->base);
    } else {
        hsp_problem_scores(p, s->point, s->point + K * d, p->scores);
        s->drift = 0;
    }
    hsp_evaluation e = hsp_problem_slopes_scores(p, s->point, s->point + K * d, s->gb);
    double F = hsp_problem_mean(p, e.objective);
    budget->steps += n;
    if (!isfinite(F)) return HSP_STEP_FAILED;
    if (hsp_separation_complete(&s->separation, s->point, p->scores)) return HSP_STEP_ENDLESS;
    memcpy(s->base, p->scores, (size_t)(n * K) * sizeof *s->base);
    if (!hsp_hessian_set(&s->H, s->majorised, budget)) return HSP_STEP_MORE;
    hsp_hessian_gradient(&s->H, p->slopes, s->point, s->gb, s->gc);
    if (hsp_all_zero(s->gc, K * d) && hsp_all_zero(s->gb, K)) {
        propose_multipliers(s, false);
        return HSP_STEP_DONE;
    }
    if (prepare(inner.ctx)) return HSP_STEP_MEMORY;
    set_tolerances(s, F, &inner);
    hsp_hessian_solve(&s->H, s->gc, s->step, &inner, budget);
    s->products = inner.products;
    hsp_hessian_complete(&s->H, s->gb, s->step, s->step + K * d, s->change);
    propose_multipliers(s, true);
    s->decrease = fmax(inner.decrease, 0);
    hsp_step moved = move_along(s, F, budget);
    if (s->endless > 0 || hsp_separation_quasi(&s->separation, s->step, s->change)) s->endless++;
    if (s->endless == 0) return moved;
    /* With a direction to infinity there is no optimum. A few more steps find out whether the classes are completely
     * separable, and leave useful weights. */
    s->proposed = false;
    return s->endless > MOST_ENDLESS || s->tiny > 0 || s->decrease <= s->rules->tol * F ? HSP_STEP_ENDLESS : moved;
}

bool hsp_newton_export(void *state, hsp_which which, hsp_point *out) {
    const hsp_newton *s = state;
    int64_t K = s->p->outputs, d = s->p->design->d;
    if (which == HSP_POINT_CANDIDATE) return false;
    for (int64_t j = 0; j < K * d; j++) out->w[j] = s->point[j];
    for (int64_t k = 0; k < K; k++) out->b[k] = s->point[K * d + k];
    for (int64_t e = 0; out->alpha && e < s->p->design->n * K; e++) out->alpha[e] = s->proposed ? s->alpha[e] : 0;
    return true;
}

bool hsp_newton_measured(void *state, hsp_measured *out) {
    const hsp_newton *s = state;
    *out = (hsp_measured){.at = s->at, .bound = NAN};
    return s->scored;
}

int hsp_newton_diverging(void *state, int64_t *columns) {
    hsp_newton *s = state;
    return hsp_separation_columns(&s->separation, columns);
}
