/* The solver `class-interior`: a primal-dual interior point method for the crammer-singer loss and few columns, with
 * Mehrotra's predictor and corrector (1992). Row i has a slack xi_i, distances t_ik and parts u_ik of its weight k_i = C c_i:
 *
 *     min  |W|^2 / 2 + sum_i k_i xi_i,   t_ik = xi_i + g_iy - g_ik - [k != y_i] >= 0
 *     sum_k u_ik = k_i,  u_ik >= 0,      w_k = sum_i beta_ik x_i,  sum_i beta_ik = 0 (free),  beta_ik = k_i [k = y_i] - u_ik
 *     u_ik t_ik = mu -> 0
 *
 * The distances follow from W, b and xi, and the parts of a row always sum to k_i. Eliminating the changes of u, t and xi
 * leaves a linear system for those of W and b. With S_i = sum_k u_ik / t_ik and p_ik = u_ik / (t_ik S_i) its matrix is
 *
 *     I + sum_i S_i (diag(p_i) - p_i p_i') x x_i x_i',
 *
 * the Hessian of softmax with probabilities p and row weights S, so that its code serves here too. It is as accurate for
 * unscaled columns, and treats the intercepts exactly. An iteration costs a Hessian and some passes over the rows. */
#include "base/error.h"
#include "base/memory.h"
#include "kernel/kernel.h"
#include "loss/loss.h"
#include "problem/multipliers.h"
#include "problem/point.h"
#include "problem/problem.h"
#include "solve/loop/solver.h"
#include "solve/loop/stop.h"
#include "solve/newton/hessian.h"
#include "solve/newton/whole_factor.h"

#include <math.h>

/* A step goes this share of the way to the boundary. */
static const double NEARLY = 0.995;
/* Below this product of a part and its distance, relative to P, nothing is left to gain. */
static const double LEAST = 1e-17;
/* Steps shorter than LONG are lengthened, by the factor LONGER and more if possible, as long as that gains GAIN. */
static const double LONG = 0.9, LONGER = 1.3, GAIN = 0.02;
enum {
    MOST_SHORT = 5,      /* consecutive steps that hardly move */
    MOST_CORRECTIONS = 4 /* of outliers, in a step */
};

/* A direction: the changes of W and b (K (d + 1)), of the parts and of the scores (n x K), and of xi + g_y (n). All owned. */
typedef struct class_direction {
    double *step, *du, *change, *xi;
} class_direction;

typedef struct class_interior {
    hsp_problem *p;
    hsp_hessian H;
    hsp_whole_factor factor;
    double *point, *g; /* K (d + 1): weights and intercepts; right-hand side. Owned, as all arrays */
    double *gc;        /* K d: the right-hand side with the intercepts eliminated */
    double *u, *t;     /* n x K: parts and distances */
    double *a, *aim;   /* n x K: constant terms of the changes of the parts; what the products u t aim at */
    double *sum;       /* n: S_i, then the sums of the constant terms */
    class_direction now, other;
    double pairs; /* number of products u t */
    int short_steps;
    bool begun;
} class_interior;

static int64_t class_of(const class_interior *s, int64_t i) {
    return (int64_t)s->p->y[i];
}

static bool counts(const class_interior *s, int64_t i) {
    return hsp_row_weight(s->p, i) > 0;
}

/* ---- start ---- */

static bool allocate_direction(class_direction *to, int64_t n, int64_t K, int64_t size) {
    return HSP_ALLOC_DOUBLES(size, &to->step) && HSP_ALLOC_DOUBLES(n * K, &to->du, &to->change) &&
           HSP_ALLOC_DOUBLES(n, &to->xi);
}

static int init_interior(void *state, hsp_problem *p, const hsp_rules *rules, const hsp_point *start, hsp_error **err) {
    class_interior *s = state;
    int64_t n = p->design->n, K = p->outputs, size = K * (p->design->d + 1);
    (void)rules, (void)start; /* the start is a centre; a point near the boundary would slow the method down */
    *s = (class_interior){.p = p};
    int status = hsp_hessian_init(&s->H, p, err);
    if (status) return status;
    bool allocated = !hsp_whole_factor_init(&s->factor, &s->H) && HSP_ALLOC_DOUBLES(size, &s->point, &s->g) &&
                     HSP_ALLOC_DOUBLES(K * p->design->d, &s->gc) &&
                     HSP_ALLOC_DOUBLES(n * K, &s->u, &s->t, &s->a, &s->aim) && HSP_ALLOC_DOUBLES(n, &s->sum) &&
                     allocate_direction(&s->now, n, K, size) && allocate_direction(&s->other, n, K, size);
    return allocated ? HSP_OK : hsp_fail_memory(err);
}

/* Sets the multipliers beta = k_i (e_y - u_i / k_i) of the parts, in H.t. */
static void set_multipliers(class_interior *s) {
    int64_t n = s->p->design->n, K = s->p->outputs;
    for (int64_t i = 0; i < n; i++) {
        double *r = s->H.t + i * K, others = 0;
        for (int64_t k = 0; k < K; k++) {
            r[k] = -s->u[i * K + k];
            others -= k == class_of(s, i) ? 0 : r[k];
        }
        r[class_of(s, i)] = others;
    }
}

/* A centre: the weights that equal parts imply, distances that are at least as large as the scores differ, and then parts for
 * which all products of a row are equal. So W nearly belongs to the parts, and all products are of one size. Here, not in
 * init, since the labels must be there. */
static void begin_at_centre(class_interior *s) {
    hsp_problem *p = s->p;
    int64_t n = p->design->n, K = p->outputs, size = K * p->design->d;
    double spread = 0;
    for (int64_t e = 0; e < n * K; e++) s->u[e] = hsp_row_weight(p, e / K) / (double)K;
    for (int64_t k = 0; k < K; k++) s->point[size + k] = 0;
    set_multipliers(s);
    hsp_problem_adjoint(p, s->H.t, s->point);
    hsp_problem_scores(p, s->point, s->point + size, p->scores);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; counts(s, i) && k < K; k++)
            spread = fmax(spread, fabs(p->scores[i * K + k] - p->scores[i * K + class_of(s, i)]));
    for (int64_t i = 0; i < n; i++) {
        double *g = p->scores + i * K, *t = s->t + i * K, top = -INFINITY, shares = 0;
        for (int64_t k = 0; k < K; k++) top = fmax(top, g[k] += k != class_of(s, i));
        for (int64_t k = 0; k < K; k++) shares += 1 / (t[k] = top + spread + 1 - g[k]);
        for (int64_t k = 0; k < K; k++) s->u[i * K + k] = hsp_row_weight(p, i) / (shares * t[k]);
        s->pairs += counts(s, i) ? (double)K : 0;
    }
    s->begun = true;
}

/* ---- the linear system ---- */

static double complementarity(const class_interior *s) {
    return hsp_dot_f64(s->u, s->t, s->p->design->n * s->p->outputs) / s->pairs;
}

/* p_ik and S_i. The Hessian is that of F, lambda times that of P. */
static bool set_curvature(class_interior *s, hsp_budget *budget) {
    int64_t n = s->p->design->n, K = s->p->outputs;
    for (int64_t i = 0; i < n; i++) {
        double sum = 0, *q = s->H.a + i * K;
        for (int64_t k = 0; k < K; k++) sum += q[k] = s->u[i * K + k] / s->t[i * K + k];
        for (int64_t k = 0; k < K; k++) q[k] = sum > 0 ? q[k] / sum : 1 / (double)K;
        s->sum[i] = sum;
        s->H.weight[i] = sum * s->p->lambda;
    }
    return hsp_hessian_use(&s->H, budget);
}

/* a_ik = aim / t - u, less the part that the constraint on the row takes up. */
static void set_constant_terms(class_interior *s) {
    int64_t n = s->p->design->n, K = s->p->outputs;
    for (int64_t i = 0; i < n; i++) {
        double total = 0, *a = s->a + i * K;
        const double *u = s->u + i * K, *t = s->t + i * K, *q = s->H.a + i * K, *aim = s->aim + i * K;
        for (int64_t k = 0; counts(s, i) && k < K; k++) {
            a[k] = aim[k] / t[k] - u[k];
            total += a[k];
        }
        s->sum[i] = total; /* needed again for the change of xi */
        for (int64_t k = 0; k < K; k++) a[k] = counts(s, i) ? a[k] - q[k] * total : 0;
    }
}

/* The gradient of the system in s->g: lambda (W - sum_i (beta_ik - a_ik) x_i), and likewise for the intercepts. */
static void set_gradient(class_interior *s) {
    hsp_problem *p = s->p;
    int64_t n = p->design->n, K = p->outputs, size = K * p->design->d;
    double *gb = s->g + size;
    for (int64_t k = 0; k < K; k++) gb[k] = 0;
    set_multipliers(s);
    for (int64_t i = 0; i < n; i++) {
        double *r = s->H.t + i * K;
        for (int64_t k = 0; k < K; k++) {
            r[k] = s->a[i * K + k] - r[k];
            gb[k] += r[k];
        }
    }
    hsp_problem_adjoint(p, s->H.t, s->g);
    hsp_axpy_f64(1, s->point, s->g, size);
    for (int64_t k = 0; k < K; k++) {
        if (p->intercept == HSP_INTERCEPT_NONE) gb[k] = 0;
        if (p->intercept == HSP_INTERCEPT_PENALISED) gb[k] += s->point[size + k];
    }
    hsp_scale_f64(p->lambda, s->g, size + K);
}

/* The change of distance e of row i. */
static double distance_change(const class_interior *s, int64_t i, int64_t e) {
    return s->now.xi[i] - s->now.change[e];
}

/* The changes of W and b in s->now.step, of the scores in s->now.change, then those of xi + g_y and of the parts. */
static void solve_system(class_interior *s, hsp_budget *budget) {
    set_constant_terms(s);
    set_gradient(s);
    int64_t n = s->p->design->n, K = s->p->outputs, size = K * s->p->design->d;
    hsp_inner inner = {.precondition = hsp_whole_factor_solve, .ctx = &s->factor, .relative = 1e-9, .most = 4};
    hsp_hessian_reduce(&s->H, s->g, s->g + size, s->gc);
    hsp_hessian_solve(&s->H, s->gc, s->now.step, &inner, budget);
    hsp_hessian_complete(&s->H, s->g + size, s->now.step, s->now.step + size, s->now.change);
    for (int64_t i = 0; i < n; i++) {
        const double *q = s->H.a + i * K, *dg = s->now.change + i * K;
        double mean = 0, S = s->H.weight[i] / s->p->lambda;
        for (int64_t k = 0; k < K; k++) mean += q[k] * dg[k];
        s->now.xi[i] = S > 0 ? s->sum[i] / S + mean : mean;
        for (int64_t k = 0; k < K; k++) s->now.du[i * K + k] = s->a[i * K + k] + S * q[k] * (dg[k] - mean);
    }
}

/* The longest step that keeps parts and distances nonnegative, at most 1. */
static double longest_step(const class_interior *s) {
    int64_t n = s->p->design->n, K = s->p->outputs;
    double most = 1;
    for (int64_t i = 0; i < n; i++) {
        if (!counts(s, i)) continue;
        for (int64_t e = i * K; e < (i + 1) * K; e++) {
            double dt = distance_change(s, i, e);
            if (s->now.du[e] < 0 && s->u[e] + most * s->now.du[e] < 0) most = -s->u[e] / s->now.du[e];
            if (dt < 0 && s->t[e] + most * dt < 0) most = -s->t[e] / dt;
        }
    }
    return most;
}

static double complementarity_after(const class_interior *s, double step) {
    int64_t n = s->p->design->n, K = s->p->outputs;
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = i * K; counts(s, i) && e < (i + 1) * K; e++)
            sum += (s->u[e] + step * s->now.du[e]) * (s->t[e] + step * distance_change(s, i, e));
    return sum / s->pairs;
}

/* ---- what the products aim at ---- */

static void aim_at(class_interior *s, double target, bool second_order) {
    int64_t n = s->p->design->n, K = s->p->outputs;
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = i * K; e < (i + 1) * K; e++)
            s->aim[e] = target - (second_order ? s->now.du[e] * distance_change(s, i, e) : 0);
}

/* Products that a longer step would leave outside [SMALL, LARGE] times the target are aimed into it (Gondzio 1996): they would
 * shorten the next steps. */
static void aim_at_outliers(class_interior *s, double target, double step) {
    static const double SMALL = 0.1, LARGE = 10;
    int64_t n = s->p->design->n, K = s->p->outputs;
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = i * K; counts(s, i) && e < (i + 1) * K; e++) {
            double product = (s->u[e] + step * s->now.du[e]) * (s->t[e] + step * distance_change(s, i, e));
            if (product < SMALL * target) s->aim[e] += SMALL * target - product;
            if (product > LARGE * target) s->aim[e] += fmax(LARGE * target - product, -LARGE * target);
        }
}

static void exchange_directions(class_interior *s) {
    class_direction now = s->now;
    s->now = s->other;
    s->other = now;
}

/* The direction: predictor, corrector, and corrections of outliers as long as they lengthen the step. The step's length. */
static double find_direction(class_interior *s, double mu, hsp_budget *budget) {
    aim_at(s, 0, false);
    solve_system(s, budget);
    double reach = longest_step(s), ratio = fmax(complementarity_after(s, reach), 0) / mu;
    double target = fmax(ratio * ratio * ratio, 1e-4) * mu;
    aim_at(s, target, true);
    solve_system(s, budget);
    double step = longest_step(s);
    for (int turn = 0; turn < MOST_CORRECTIONS && step < LONG; turn++) {
        aim_at_outliers(s, target, fmin(1, LONGER * step + 1 - LONG));
        exchange_directions(s);
        solve_system(s, budget);
        double next = longest_step(s);
        if (!(next > step + GAIN)) {
            exchange_directions(s);
            break;
        }
        step = next;
    }
    return fmin(1, NEARLY * step);
}

static void move(class_interior *s, double step) {
    int64_t n = s->p->design->n, K = s->p->outputs;
    hsp_axpy_f64(step, s->now.step, s->point, K * (s->p->design->d + 1));
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = i * K; counts(s, i) && e < (i + 1) * K; e++) {
            s->u[e] += step * s->now.du[e];
            s->t[e] += step * distance_change(s, i, e);
        }
}

/* Computes the distances from the scores again, with the least xi that leaves the smallest one of each row as it is. This
 * removes the rounding errors of many steps. */
static void renew_distances(class_interior *s) {
    hsp_problem *p = s->p;
    int64_t n = p->design->n, K = p->outputs;
    hsp_problem_scores(p, s->point, s->point + K * p->design->d, p->scores);
    for (int64_t i = 0; i < n; i++) {
        double *g = p->scores + i * K, *t = s->t + i * K;
        int64_t near = 0;
        for (int64_t k = 1; k < K; k++)
            if (t[k] < t[near]) near = k;
        double top = g[near] + (near != class_of(s, i)) + t[near];
        for (int64_t k = 0; k < K; k++) {
            double fresh = top - g[k] - (k != class_of(s, i));
            if (k != near && fresh > 0.5 * t[k]) t[k] = fresh;
        }
    }
}

/* ---- the slots ---- */

static hsp_step step_interior(void *state, hsp_budget *budget) {
    class_interior *s = state;
    if (!s->begun) begin_at_centre(s);
    if (hsp_budget_out(budget)) return HSP_STEP_MORE;
    if (!(s->pairs > 0)) return HSP_STEP_DONE;
    double mu = complementarity(s);
    if (!isfinite(mu)) return HSP_STEP_FAILED;
    if (!set_curvature(s, budget)) return HSP_STEP_MORE;
    if (hsp_whole_factor_make(&s->factor)) return HSP_STEP_MEMORY;
    double step = find_direction(s, mu, budget);
    if (!isfinite(step)) return HSP_STEP_FAILED;
    move(s, step);
    renew_distances(s);
    budget->updates++;
    budget->steps += s->p->design->n;
    s->short_steps = step < 0.01 ? s->short_steps + 1 : 0;
    return s->short_steps > MOST_SHORT || mu <= LEAST * s->p->scale ? HSP_STEP_STALLED : HSP_STEP_MORE;
}

static bool export_interior(void *state, hsp_which which, hsp_point *out) {
    const class_interior *s = state;
    int64_t n = s->p->design->n, K = s->p->outputs, size = K * s->p->design->d;
    if (which == HSP_POINT_CANDIDATE) return false;
    for (int64_t j = 0; j < size; j++) out->w[j] = s->begun ? s->point[j] : 0;
    for (int64_t k = 0; k < K; k++) out->b[k] = s->begun ? s->point[size + k] : 0;
    for (int64_t i = 0; out->alpha && i < n; i++) {
        double weight = hsp_row_weight(s->p, i), others = 0, *r = out->alpha + i * K;
        for (int64_t k = 0; k < K; k++) {
            r[k] = weight > 0 && s->begun ? -s->u[i * K + k] / weight : 0;
            others -= k == class_of(s, i) ? 0 : r[k];
        }
        r[class_of(s, i)] = others;
    }
    return true;
}

static void free_interior(void *state) {
    class_interior *s = state;
    hsp_hessian_free(&s->H);
    hsp_whole_factor_free(&s->factor);
    HSP_FREE(s->point, s->g, s->gc, s->u, s->t, s->a, s->aim, s->sum);
    HSP_FREE(s->now.step, s->now.du, s->now.change, s->now.xi);
    HSP_FREE(s->other.step, s->other.du, s->other.change, s->other.xi);
}

const hsp_solver hsp_solver_class_interior = {
    .name = "class-interior",
    .help = "interior point method for all classes together; for crammer-singer with few columns",
    .done = HSP_STOP_GRADIENT,
    .needs = HSP_LOSS_MANY | HSP_LOSS_KINKED | HSP_LOSS_DUAL,
    .many = true,
    .smooth_penalty = true,
    .proposes = true,
    .expensive_steps = true,
    .own_start = true,
    .without_matrix = "class-dual",
    .state_size = sizeof(class_interior),
    .init = init_interior,
    .step = step_interior,
    .export = export_interior,
    .free = free_interior};
