/* prox-newton: proximal Newton steps for losses with curvature and penalties with an L1 part. One step of the solver takes
 * the gradient from all rows, minimises the quadratic model of prox_newton.h (inexactly, ever more exactly as the run goes
 * on), and searches along the way to its minimum on the true objective (Lee, Sun and Saunders 2014, "Proximal Newton-type
 * methods for minimizing composite functions"). By columns, a few such steps are taken in one working set before all rows
 * are passed again (as in Johnson and Guestrin 2015, "Blitz"). Before the point is shown the intercepts are brought to
 * their optimum, without which no tight lower bound could be had from it. */
#include "solve/prox_newton.h"
#include "solve/prox_newton_active.h"

#include "base/memory.h"
#include "factor/factor.h"
#include "kernel/kernel.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    FIRST_PATIENCE = 20,
    MOST_PATIENCE = 600,
    MOST_ROUNDS = 6,
    FEW_ROUNDS = 2,
    MOST_HALVINGS = 50,
    MOST_TUNINGS = 6,
    MOST_IDLE = 8,
    FEW_IDLE = 2,
    MOST_GRAM = 1000
};
static const double ENOUGH = 1e-4;        /* share of the promised fall that a step must keep */
static const double SMALL = 1e-10;        /* violations count as gone at this share of the first */
static const double SLOW = 0.5;           /* what a step leaves of the violations, to be called so */
static const double LEAST_DAMPING = 1e-4; /* see curvature_one */

/* ---- memory ---- */

/* Few weights, and rows so short (or a dense product so fast) that the whole Hessian costs about what some sweeps do. */
static bool wants_gram(const hsp_design *D, int64_t K) {
    if (K * D->d > MOST_GRAM) return false;
    return D->x->dense || (double)D->x->stored / (double)D->n * (double)K <= 200;
}

static int init(void *vs, hsp_problem *p, const hsp_rules *rules, const hsp_point *start, hsp_error **err) {
    hsp_prox *s = vs;
    int64_t n = p->design->n, d = p->design->d, K = p->outputs, m = K * d;
    *s = (hsp_prox){.p = p,
                    .rules = rules,
                    .n = n,
                    .d = d,
                    .K = K,
                    .m = m,
                    .first_violation = -1,
                    .damping = LEAST_DAMPING,
                    .patience = FIRST_PATIENCE,
                    .best_violation = INFINITY};
    s->t = p->lambda * p->rho;
    s->ridge = p->lambda * (1 - p->rho);
    double **const weights[] = {&s->w, &s->gw, &s->u}, **const intercepts[] = {&s->b, &s->gb, &s->to_b};
    double **const scores[] = {&s->h, &s->q, &s->trial, &s->alpha},
                   **const rows[] = {&s->losses, &s->before, &s->c, &s->extra, &s->more};
    double **const blocks[] = {&s->S, &s->M, &s->factor, &s->sorted};
    for (int a = 0; a < 3; a++)
        if (!(*weights[a] = hsp_alloc_zero(m, sizeof(double))) || !(*intercepts[a] = hsp_alloc_zero(K, sizeof(double))))
            return hsp_fail_memory(err);
    for (int a = 0; a < 4; a++)
        if (!(*scores[a] = hsp_alloc_zero(n * K, sizeof(double))) || !(*blocks[a] = hsp_alloc_zero(K * K, sizeof(double))))
            return hsp_fail_memory(err);
    for (int a = 0; a < 5; a++)
        if (!(*rows[a] = hsp_alloc_zero(n, sizeof(double)))) return hsp_fail_memory(err);
    for (int64_t i = 0; i < n; i++) s->c[i] = (p->c ? p->c[i] : 1) / p->sum_c;
    memcpy(s->w, start->w, (size_t)m * sizeof *s->w);
    memcpy(s->b, start->b, (size_t)K * sizeof *s->b);
    s->by_gram = wants_gram(p->design, K);
    return s->by_gram ? hsp_prox_gram_init(s, err) : hsp_prox_columns_init(s, err);
}

static void release(void *vs) {
    hsp_prox *s = vs;
    double *const all[] = {s->w,      s->gw, s->u, s->b,      s->gb,     s->to_b,  s->h, s->q,     s->trial, s->losses,
                           s->before, s->S,  s->M, s->factor, s->sorted, s->alpha, s->c, s->extra, s->more};
    for (size_t a = 0; a < sizeof all / sizeof *all; a++) hsp_free(all[a]);
    hsp_prox_gram_free(s);
    hsp_prox_columns_free(s);
}

/* ---- derivatives at p->scores ---- */

/* Losses and weighted slopes; gb. */
static void slopes(hsp_prox *s) {
    hsp_problem *p = s->p;
    int64_t K = s->K;
    p->loss->batch(p->y, p->scores, s->n, K, p->kink, p->values, p->slopes);
    for (int64_t k = 0; k < K; k++) s->gb[k] = 0;
    for (int64_t i = 0; i < s->n; i++) {
        double c = s->c[i], *r = p->slopes + i * K;
        for (int64_t k = 0; k < K; k++) {
            r[k] *= c;
            s->gb[k] += r[k];
        }
    }
    for (int64_t k = 0; k < K; k++) {
        if (p->intercept == HSP_INTERCEPT_NONE) s->gb[k] = 0;
        if (p->intercept == HSP_INTERCEPT_PENALISED) s->gb[k] += p->lambda * s->b[k];
    }
}

/* A row far on the wrong side has a slope but next to no curvature, and the model would send it to infinity: what is
 * missing to a share of slope / score is added, which changes nothing on the right side. The share is small as long as
 * steps are taken whole; 1 is about what bounds the logistic loss from above. */
static void curvature_one(hsp_prox *s) {
    const hsp_problem *p = s->p;
    hsp_problem_curvature(p, s->h);
    for (int64_t i = 0; i < s->n; i++) {
        double slope = fabs(p->slopes[i]), c = s->c[i];
        double least = s->damping * (slope < c ? slope : c) / (1 + fabs(p->scores[i]));
        if (least < c * s->extra[i]) least = c * s->extra[i];
        if (s->h[i] < least) s->h[i] = least;
    }
}

/* For K classes likewise, in all directions but (1, .., 1). */
static void probabilities(hsp_prox *s) {
    int64_t K = s->K;
    for (int64_t i = 0; i < s->n; i++) {
        const double *g = s->p->scores + i * K;
        double *P = s->h + i * K, top = g[0], low = g[0], sum = 0;
        for (int64_t k = 1; k < K; k++) {
            if (g[k] > top) top = g[k];
            if (g[k] < low) low = g[k];
        }
        for (int64_t k = 0; k < K; k++) sum += P[k] = exp(g[k] - top);
        for (int64_t k = 0; k < K; k++) P[k] /= sum;
        double wrong = 1 - P[(int64_t)s->p->y[i]], least = s->damping * wrong / (1 + top - low);
        s->more[i] = fmax(fmax(least - (1 - 1 / sum) / sum, 0), s->extra[i]); /* 1 / sum: the largest P */
    }
}

/* M: the inverse of S + lambda I (penalised) or of S on the complement of (1, .., 1), where softmax has no curvature. */
void hsp_prox_invert(hsp_prox *s) {
    int64_t K = s->K;
    bool free_b = s->p->intercept == HSP_INTERCEPT_FREE;
    double trace = 0, share = 0;
    for (int64_t k = 0; k < K; k++) trace += s->S[k * K + k];
    memset(s->M, 0, (size_t)(K * K) * sizeof *s->M);
    double size = trace / (double)K + (free_b ? 0 : s->p->lambda);
    if (s->p->intercept == HSP_INTERCEPT_NONE || !(size > 0)) return;
    for (int tries = 0; tries < 8; tries++, share = share == 0 ? 1e-15 : share * 100) {
        for (int64_t k = 0; k < K * K; k++) s->factor[k] = s->S[k] + (free_b && K > 1 ? size / (double)K : 0);
        for (int64_t k = 0; k < K; k++) s->factor[k * K + k] += share * size + (free_b ? 0 : s->p->lambda);
        if (hsp_cholesky(s->factor, K) == 0) {
            for (int64_t k = 0; k < K; k++) s->M[k * K + k] = 1;
            hsp_cholesky_solve(s->factor, K, s->M, K);
            return;
        }
    }
}

static void curvature(hsp_prox *s) {
    int64_t K = s->K;
    memset(s->S, 0, (size_t)(K * K) * sizeof *s->S);
    if (K == 1) {
        curvature_one(s);
        s->S[0] = hsp_sum_f64(s->h, s->n);
    } else {
        probabilities(s);
        for (int64_t i = 0; i < s->n; i++)
            for (int64_t k = 0; k < K; k++)
                for (int64_t l = 0; l <= k; l++) s->S[k * K + l] += hsp_prox_hessian(s, i, k, l);
        for (int64_t k = 0; k < K; k++)
            for (int64_t l = 0; l < k; l++) s->S[l * K + k] = s->S[k * K + l];
    }
    hsp_prox_invert(s);
}

/* ---- the way to the model's minimum ---- */

static int64_t movable(const hsp_prox *s) {
    return s->by_gram ? s->m : s->set_count;
}

static int64_t weight_number(const hsp_prox *s, int64_t a) {
    return s->by_gram ? a : s->set[a];
}

/* What the gradient and the L1 term promise for the whole way: negative unless (w, b) is optimal. */
static double promise(const hsp_prox *s) {
    double sum = 0;
    for (int64_t a = 0, count = movable(s); a < count; a++) {
        int64_t x = weight_number(s, a);
        sum += s->gw[x] * (s->u[x] - s->w[x]) + s->t * (fabs(s->u[x]) - fabs(s->w[x]));
    }
    for (int64_t k = 0; k < s->K; k++) sum += s->gb[k] * (s->to_b[k] - s->b[k]);
    return sum;
}

/* F at a share of the way, less F here: term by term, so that little cancels. Leaves trial and losses. */
static double change(hsp_prox *s, double share) {
    const hsp_problem *p = s->p;
    double loss = 0, penalty = 0;
    for (int64_t x = 0; x < s->n * s->K; x++) s->trial[x] = p->scores[x] + share * s->q[x];
    p->loss->batch(p->y, s->trial, s->n, s->K, p->kink, s->losses, NULL);
    for (int64_t i = 0; i < s->n; i++) loss += (p->c ? p->c[i] : 1) * (s->losses[i] - s->before[i]);
    for (int64_t a = 0, count = movable(s); a < count; a++) {
        int64_t x = weight_number(s, a);
        double D = share * (s->u[x] - s->w[x]);
        penalty += s->t * (fabs(s->w[x] + D) - fabs(s->w[x])) + s->ridge * D * (s->w[x] + D / 2);
    }
    for (int64_t k = 0; k < s->K && p->intercept == HSP_INTERCEPT_PENALISED; k++) {
        double D = share * (s->to_b[k] - s->b[k]);
        penalty += p->lambda * D * (s->b[k] + D / 2);
    }
    return loss / p->sum_c + penalty;
}

static void move(hsp_prox *s, double share) {
    double *scores = s->p->scores;
    for (int64_t a = 0, count = movable(s); a < count; a++) {
        int64_t x = weight_number(s, a);
        s->w[x] = share == 1 ? s->u[x] : s->w[x] + share * (s->u[x] - s->w[x]);
    }
    for (int64_t k = 0; k < s->K; k++) s->b[k] += share * (s->to_b[k] - s->b[k]);
    memcpy(scores, s->trial, (size_t)(s->n * s->K) * sizeof *scores);
    memcpy(s->before, s->losses, (size_t)s->n * sizeof *s->before);
}

/* How well differences of F can be known: rounding of the losses, and of the scores. */
static double rounding(const hsp_prox *s, double F) {
    const hsp_problem *p = s->p;
    double sum = 0;
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t k = 0; k < s->K; k++) {
            int64_t x = i * s->K + k;
            sum += fabs(p->slopes[x]) * (fabs(p->scores[x]) + fabs(s->b[k]));
        }
    return 4 * DBL_EPSILON * (fabs(F) + sum);
}

/* After the whole way failed: rows whose loss rose above what the model said (right by far here, wrong by far there) get
 * the curvature that would have told. */
static void remember(hsp_prox *s) {
    const hsp_problem *p = s->p;
    int64_t K = s->K;
    for (int64_t i = 0; i < s->n; i++) {
        const double *q = s->q + i * K, *slope = p->slopes + i * K;
        double mean = 0, square = 0, said = 0;
        for (int64_t k = 0; K > 1 && k < K; k++) mean += q[k] / (double)K;
        for (int64_t k = 0; k < K; k++) {
            said += slope[k] * q[k];
            square += (q[k] - mean) * (q[k] - mean);
            for (int64_t l = 0; l < K; l++) said += q[k] * hsp_prox_hessian(s, i, k, l) * q[l] / 2;
        }
        double beyond = s->c[i] > 0 ? s->losses[i] - s->before[i] - said / s->c[i] : 0;
        if (beyond > 0 && square > 0 && isfinite(beyond)) s->extra[i] = fmax(s->extra[i], 2 * beyond / square);
    }
}

/* A model whose way had to be cut is too bold; one whose way was taken whole is worth solving more exactly. */
static void learn(hsp_prox *s, double share) {
    if (share == 1) {
        s->damping = fmax(s->damping / 3, LEAST_DAMPING);
        for (int64_t i = 0; i < s->n; i++) s->extra[i] /= 10;
        if (s->tired && s->patience < MOST_PATIENCE) s->patience *= 2;
    } else if (share < 0.5) {
        s->damping = fmin(s->damping * 10, 1);
    }
}

/* Halves the way until F falls by enough; when the promise is lost in rounding the whole way is taken, for the sake of the
 * conditions of optimality, which are known more exactly than F. False: there is no such way. */
static bool search(hsp_prox *s, double noise, double promised) {
    double share = 1, least = promised < 0 ? promised : 0;
    if (!(promised < 16 * noise)) return false;
    for (int t = 0; t < MOST_HALVINGS; t++, share /= 2) {
        if (change(s, share) <= ENOUGH * share * least + noise) {
            move(s, share);
            learn(s, share);
            return true;
        }
        if (-promised * share < 16 * noise) return false;
        if (t == 0) remember(s);
    }
    return false;
}

/* The number m that makes sum_k t |v_k - m| + ridge (v_k - m)^2 / 2 least, as near to 0 as it may be; v ascends. */
static double best_shift(const hsp_prox *s, const double *v) {
    int64_t K = s->K;
    double sum = 0, low = v[(K - 1) / 2], high = v[K / 2]; /* the medians */
    if (s->ridge == 0) return low > 0 ? low : high < 0 ? high : 0;
    for (int64_t k = 0; k < K; k++) sum += v[k];
    for (int64_t k = 0; k <= K; k++) { /* between v_k-1 and v_k the slope is ridge (K m - sum) + t (2 k - K) */
        double m = (sum - s->t / s->ridge * (double)(2 * k - K)) / (double)K;
        if (k < K && m > v[k]) continue;
        return k > 0 && m < v[k - 1] ? v[k - 1] : m;
    }
    return 0;
}

/* Softmax does not see a number added to all K weights of a column: the best one is added. */
static void shift_columns(hsp_prox *s) {
    int64_t K = s->K, d = s->d;
    if (K == 1 || s->t + s->ridge == 0) return;
    for (int64_t j = 0; j < d; j++) {
        double *v = s->sorted, largest = 0;
        for (int64_t k = 0; k < K; k++) {
            double x = s->w[k * d + j];
            int64_t at = k;
            for (; at > 0 && v[at - 1] > x; at--) v[at] = v[at - 1];
            v[at] = x;
            if (fabs(x) > largest) largest = fabs(x);
        }
        double m = largest > 0 ? best_shift(s, v) : 0;
        for (int64_t k = 0; fabs(m) > 4 * DBL_EPSILON * largest && k < K; k++) s->w[k * d + j] -= m;
    }
}

/* The part of F that depends on b, at the scores. */
static double loss_at(const hsp_prox *s) {
    const hsp_problem *p = s->p;
    double sum = p->c ? hsp_dot_f64(p->c, p->values, s->n) : hsp_sum_f64(p->values, s->n), square = 0;
    if (p->intercept == HSP_INTERCEPT_PENALISED) square = hsp_dot_f64(s->b, s->b, s->K);
    return sum / p->sum_c + p->lambda * square / 2;
}

static void move_intercepts(hsp_prox *s, const double *by) {
    int64_t K = s->K;
    for (int64_t k = 0; k < K; k++) s->b[k] += by[k];
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t k = 0; k < K; k++) s->p->scores[i * K + k] += by[k];
}

/* Newton steps in the intercepts alone, down to rounding; the first that does not help is taken back. */
static void tune_intercepts(hsp_prox *s) {
    int64_t K = s->K;
    double before = INFINITY, *by = s->to_b;
    if (s->p->intercept == HSP_INTERCEPT_NONE) return;
    slopes(s);
    for (int t = 0; t < MOST_TUNINGS; t++) {
        double size = 0, all = 0, loss = loss_at(s);
        for (int64_t k = 0; k < K; k++) size += fabs(s->gb[k]);
        for (int64_t x = 0; x < s->n * K; x++) all += fabs(s->p->slopes[x]);
        if (!(size > 4 * DBL_EPSILON * all && size < before)) return;
        before = size;
        curvature(s);
        for (int64_t k = 0; k < K; k++) by[k] = -hsp_dot_f64(s->M + k * K, s->gb, K);
        move_intercepts(s, by);
        slopes(s);
        size = 0;
        for (int64_t k = 0; k < K; k++) size += fabs(s->gb[k]);
        if (size < before && loss_at(s) <= loss + 1e-12 * fabs(loss)) continue;
        for (int64_t k = 0; k < K; k++) by[k] = -by[k];
        move_intercepts(s, by);
        return;
    }
}

/* ---- steps ---- */

static double violation(const hsp_prox *s) {
    double top = 0;
    for (int64_t x = 0; x < s->m; x++) {
        double v = hsp_l1_violation(s->w[x], s->gw[x], s->t);
        if (isnan(v)) return v;
        if (v > top) top = v;
    }
    for (int64_t k = 0; k < s->K; k++) {
        if (isnan(s->gb[k])) return NAN;
        if (fabs(s->gb[k]) > top) top = fabs(s->gb[k]);
    }
    return top;
}

/* A violation of v costs about v / t of the relative gap: smaller ones than this are of no use. */
static double negligible(const hsp_prox *s) {
    return s->rules->tol > 0 ? s->rules->tol * s->t / 20 : 0;
}

/* How exactly to solve the model: a tenth of what is violated now, less when the model is good because little is. */
static double model_tolerance(const hsp_prox *s, double violated) {
    double size = s->t > 0 ? s->t : s->first_violation, share = size > 0 ? violated / size : 1;
    share = share > 0.1 ? 0.1 : share < 1e-3 ? 1e-3 : share;
    return fmax(share * violated, negligible(s));
}

/* Multipliers from the model's minimum, -(slope_i + H_i q_i): there they meet the conditions of the dual as exactly as the
 * model was solved, whereas the slopes at the point itself meet them as well as the point is optimal. */
static void propose(hsp_prox *s) {
    const hsp_problem *p = s->p;
    int64_t K = s->K;
    for (int64_t i = 0; i < s->n; i++) {
        const double *slope = p->slopes + i * K, *q = s->q + i * K;
        double c = s->c[i], *r = s->alpha + i * K, mean = 0, middle = 0;
        for (int64_t k = 0; K > 1 && k < K; k++) {
            mean += s->h[i * K + k] * q[k];
            middle += q[k] / (double)K;
        }
        for (int64_t k = 0; k < K; k++) {
            double bend = K == 1 ? s->h[i] * q[0] : c * (s->h[i * K + k] * (q[k] - mean) + s->more[i] * (q[k] - middle));
            r[k] = c > 0 ? -(slope[k] + bend) / c : 0;
        }
    }
}

/* Newton steps in the working set: until most of what was violated in it is not. False: not even one. */
static bool rounds(hsp_prox *s, double F, double violated, bool *lost, hsp_budget *budget) {
    double target = fmax(violated / 10, negligible(s));
    bool moved = false;
    memcpy(s->before, s->p->values, (size_t)s->n * sizeof *s->before);
    int most = !s->by_gram && s->cut ? FEW_ROUNDS : MOST_ROUNDS;
    for (int round = 0; round < most; round++) {
        curvature(s);
        double tol = model_tolerance(s, violated);
        if (s->by_gram) {
            if (!hsp_prox_gram_solve(s, tol / 100, budget)) return false;
        } else {
            hsp_prox_columns_solve(s, tol, budget);
        }
        propose(s);
        double noise = rounding(s, F), promised = promise(s);
        if (round == 0) *lost = fabs(promised) <= 64 * noise;
        if (!search(s, noise, promised)) {
            if (*lost || s->damping == 1 || budget->out) return moved;
            s->damping = fmin(s->damping * 100, 1); /* the model is too bold: once more */
            continue;
        }
        budget->updates++;
        moved = true;
        if (s->by_gram || budget->out) return true;
        slopes(s);
        violated = hsp_prox_columns_gradient(s);
        if (violated <= target) return true;
    }
    return moved;
}

/* Nothing is left but rounding: what there is to gain is lost in it, and violations no longer shrink. */
static bool idle(hsp_prox *s, double violated, bool lost) {
    if (violated < 0.5 * s->best_violation) {
        s->best_violation = violated;
        s->idle = 0;
    } else {
        s->idle++;
    }
    return s->idle >= MOST_IDLE && lost;
}

/* The bound of the slopes: v = -scale X' slopes is the gradient, which is here already. NaN when the free intercept's
 * condition does not hold to rounding. One output. */
static double slope_bound(hsp_prox *s) {
    const hsp_problem *p = s->p;
    double size = 0, top = 0, conjugate = 0, shrink = 1, pull = hsp_sum_f64(p->slopes, s->n);
    for (int64_t i = 0; i < s->n; i++) {
        size += fabs(p->slopes[i]);
        s->alpha[i] = s->c[i] > 0 ? -p->slopes[i] / s->c[i] : 0;
    }
    if (p->intercept == HSP_INTERCEPT_FREE && !(fabs(s->gb[0]) <= 1e-14 * size)) return NAN;
    for (int64_t j = 0; j < s->m; j++) {
        double v = p->scale * fabs(s->gw[j] - s->ridge * s->w[j]), e = v - p->rho;
        if (v > top) top = v;
        if (e > 0) conjugate += e * e;
    }
    if (p->rho == 1 && top > 1) shrink = (1 - 1e-12) / top;
    hsp_scale_f64(shrink, s->alpha, s->n);
    p->loss->duals(p->y, s->alpha, s->n, s->trial);
    double sum = p->scale * hsp_dot_f64(s->c, s->trial, s->n), tilt = shrink * p->scale * pull;
    if (p->intercept == HSP_INTERCEPT_PENALISED) sum -= tilt * tilt / 2;
    if (p->rho < 1) sum -= conjugate / (2 * (1 - p->rho));
    if (sum > 0 && isfinite(sum)) return sum;
    return NAN;
}

/* Gradient and figures at the point, from the scores unless these are to be made anew. What is known so is kept for one
 * output with a penalty; run.c measures the rest, and uses the scratch of the problem up. */
static void look(hsp_prox *s, bool anew) {
    hsp_problem *p = s->p;
    s->known.at =
        anew ? hsp_problem_gradient(p, s->w, s->b, s->gw, s->gb) : hsp_problem_gradient_scores(p, s->w, s->b, s->gw, s->gb);
    s->violated = violation(s);
    s->ready = s->K == 1 && hsp_problem_has_dual(p);
    s->known.bound = s->ready && s->idle < FEW_IDLE ? slope_bound(s) : NAN;
}

static hsp_step step(void *vs, hsp_budget *budget) {
    hsp_prox *s = vs;
    bool lost = false;
    if (hsp_budget_look(budget)) return HSP_STEP_MORE;
    if (!s->ready) look(s, true);
    double F = hsp_problem_mean(s->p, s->known.at.objective), violated = s->violated;
    budget->steps += s->n;
    if (!isfinite(violated) || !isfinite(F)) return HSP_STEP_FAILED;
    if (s->first_violation < 0) s->first_violation = violated;
    if (violated == 0) return HSP_STEP_DONE;
    if (!s->by_gram) hsp_prox_columns_choose(s);
    bool moved = rounds(s, F, violated, &lost, budget);
    if (s->starved) return HSP_STEP_MEMORY;
    shift_columns(s);
    tune_intercepts(s);
    bool still = idle(s, violated, lost);
    s->ready = false;
    if (s->K == 1 && hsp_problem_has_dual(s->p)) look(s, false);
    if (!(s->violated < SLOW * violated)) s->based = false; /* a Hessian that is right again may do better */
    if (!s->by_gram) budget->steps += (int64_t)(s->visited / ((double)s->columns->stored + 1) * (double)s->n);
    if (!moved || still) return budget->out ? HSP_STEP_MORE : HSP_STEP_STALLED;
    return violated <= SMALL * s->first_violation ? HSP_STEP_DONE : HSP_STEP_MORE;
}

static bool export(void *vs, hsp_which which, hsp_point *out) {
    const hsp_prox *s = vs;
    if (which == HSP_POINT_CANDIDATE) return false;
    memcpy(out->w, s->w, (size_t)s->m * sizeof *s->w);
    memcpy(out->b, s->b, (size_t)s->K * sizeof *s->b);
    if (out->alpha) memcpy(out->alpha, s->alpha, (size_t)(s->n * s->K) * sizeof *s->alpha);
    return true;
}

/* ---- the solver: by working sets where there is one output and many columns ---- */

typedef struct hsp_prox_state {
    bool by_active;
    hsp_active active;
    hsp_prox prox;
} hsp_prox_state;

static int begin(void *vs, hsp_problem *p, const hsp_rules *rules, const hsp_point *start, hsp_error **err) {
    hsp_prox_state *s = vs;
    s->by_active = p->outputs == 1 && p->lambda * p->rho > 0 && !wants_gram(p->design, 1);
    return s->by_active ? hsp_active_init(&s->active, p, rules, start, err) : init(&s->prox, p, rules, start, err);
}

static hsp_step take_step(void *vs, hsp_budget *budget) {
    hsp_prox_state *s = vs;
    return s->by_active ? hsp_active_step(&s->active, budget) : step(&s->prox, budget);
}

static bool give(void *vs, hsp_which which, hsp_point *out) {
    hsp_prox_state *s = vs;
    if (which == HSP_POINT_CANDIDATE) return false;
    if (s->by_active) {
        hsp_active_export(&s->active, out);
        return true;
    }
    return export(&s->prox, which, out);
}

static bool tell(void *vs, hsp_known *out) {
    hsp_prox_state *s = vs;
    if (s->by_active ? !s->active.ready : !s->prox.ready) return false;
    *out = s->by_active ? s->active.known : s->prox.known;
    if (isnan(out->bound)) s->prox.ready = false; /* others will look, and use the scratch of the problem up */
    return true;
}

static void end(void *vs) {
    hsp_prox_state *s = vs;
    if (s->by_active)
        hsp_active_free(&s->active);
    else
        release(&s->prox);
}

const hsp_solver hsp_solver_prox_newton = {.name = "prox-newton",
                                           .help = "Newton steps through an L1 term, by coordinate descent: exact zeros",
                                           .done = "gradient",
                                           .needs = HSP_LOSS_SLOPE | HSP_LOSS_SMOOTH | HSP_LOSS_CURVED,
                                           .many = true,
                                           .proposes = true,
                                           .dear_steps = true,
                                           .state_size = sizeof(hsp_prox_state),
                                           .init = begin,
                                           .step = take_step,
                                           .export = give,
                                           .known = tell,
                                           .free = end};
