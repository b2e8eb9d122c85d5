/* The model as a matrix: the Hessian in all weights, m x m, after the intercepts are eliminated. With rows centred at c the
 * intercepts are beta' = beta + delta c, V = sum_i (x_i - c) H_i are the mixed derivatives, and
 *
 *     A = sum_i H_i (x) (x_i - c)(x_i - c)' - V M V',    r = g - c gb - V M gb.
 *
 * One output: c is the mean weighted by the first curvatures. From step to step the matrix is updated only by the rows whose
 * curvature changed by much; for the others the model uses the old curvature, which leaves it correct to first order. Far
 * from the optimum, where no model is accurate, few rows need an update; near it hardly any. */
#include "solve/prox/gram_model.h"
#include "base/error.h"
#include "base/memory.h"
#include "data/matrix.h"
#include "design/design.h"
#include "design/gram.h"
#include "kernel/kernel.h"
#include "problem/problem.h"

#include <math.h>
#include <string.h>

enum { MOST_SWEEPS = 20000, LINES = 10, OLD = 8 };
/* A column whose spread is below this share of its size is constant: the rest is rounding. */
static const double CONSTANT = 1e-13;
/* Relative errors allowed in the curvatures of a matrix: far from the optimum, and the least. */
static const double MOST = 0.4, LEAST = 1e-3;
static const double STIFFNESS = 1e-10; /* see stiffen_class_sums */
static const double SLIGHT = 0.1;      /* curvatures below this share of the mean hardly count */
static const double MUCH = 0.8;        /* a common factor is applied if it leaves at most this share of their errors ... */
static const double LITTLE = 0.1;      /* ... and differs from 1 by at least this */

int hsp_gram_model_init(hsp_prox *s, hsp_error **err) {
    int64_t n = s->n, d = s->d, K = s->K, m = K * d;
    hsp_gram_model *G = s->gram = hsp_alloc_zero(1, sizeof *G);
    if (!G) return hsp_fail_memory(err);
    if (!HSP_ALLOC_DOUBLES(d, &G->centre, &G->sum) || !HSP_ALLOC_DOUBLES(m, &G->delta) ||
        !HSP_ALLOC_DOUBLES(m * K, &G->cross) || !HSP_ALLOC(G->block, d * d) || !HSP_ALLOC_DOUBLES(n, &G->weight) ||
        (K == 1 && !HSP_ALLOC(G->base, d * d)) || !HSP_ALLOC_DOUBLES(K == 1 ? n : -1, &G->used))
        return hsp_fail_memory(err);
    G->line = MOST;
    s->move.count = m;
    return hsp_quadratic_init(&G->quadratic, m, err);
}

void hsp_gram_model_free(hsp_gram_model *G) {
    if (!G) return;
    HSP_FREE(G->centre, G->sum, G->cross, G->delta, G->block, G->weight, G->base, G->used);
    hsp_quadratic_free(&G->quadratic);
    hsp_free(G);
}

static bool centred(const hsp_prox *s) {
    return s->p->intercept == HSP_INTERCEPT_FREE;
}

/* One output: leaves the sums of the rows in `cross`. */
static int find_centre(hsp_prox *s, double *mass) {
    *mass = 0; /* stays so without memory */
    if (!centred(s)) return HSP_OK;
    int status =
        hsp_design_group_sums(s->p->design, s->K == 1 ? s->rows.h : s->p->c, NULL, 1, mass, s->gram->centre, NULL);
    if (s->K == 1) memcpy(s->gram->cross, s->gram->centre, (size_t)s->d * sizeof *s->gram->cross);
    for (int64_t j = 0; j < s->d; j++) s->gram->centre[j] = *mass > 0 ? s->gram->centre[j] / *mass : 0;
    return status;
}

/* ---- one output: updates of the matrix ---- */

/* The error of the curvature of row i in the matrix, relative to it or, if that is tiny, to what counts at all. */
static double curvature_error(const hsp_prox *s, int64_t i, double counts) {
    double by = fabs(s->rows.h[i] - s->gram->used[i]), size = fmax(s->rows.h[i], s->gram->used[i]) + counts;
    return size > 0 ? by / size : 0;
}

/* The share of the violations that a step with the exact matrix would leave: about the relative change of the curvatures in
 * the last step. */
static double error_of_exact_step(const hsp_prox *s) {
    double sum = 0, all = 0;
    for (int64_t i = 0; i < s->n; i++) {
        sum += s->gram->used[i] * fmin(fabs(s->move.q[i]), 1);
        all += s->gram->used[i];
    }
    return all > 0 ? fmin(fmax(sum / all, LEAST), MOST) : MOST;
}

/* The cost of a step without the product, as a share of the product over all rows: from measured nanoseconds a row. */
static double cost_beside_product(const hsp_prox *s) {
    const hsp_matrix *x = s->p->design->x;
    double length = x->dense ? (double)s->d : 1 + (double)x->stored / (double)s->n;
    double passes = (x->dense ? 0.3 : 1.5) * length + 40, product = (x->dense ? 0.06 : 0.35) * length * length;
    return 0.05 + passes / product;
}

/* The relative error above which a row is updated: MOST, MOST/2, ... A step leaves about the share of the violations by which
 * the curvatures are wrong, and costs its passes and the updated rows' part of the product: the best progress per cost. */
static double choose_line(const hsp_prox *s, double counts) {
    int64_t count[LINES] = {0}, beyond = 0;
    double end = error_of_exact_step(s), other = cost_beside_product(s), line = MOST, best = MOST, least = INFINITY;
    for (int64_t i = 0; i < s->n; i++) {
        double share = curvature_error(s, i, counts);
        int power;
        if (!(share > 0)) continue;
        frexp(share / MOST, &power);
        if (power > 1 - LINES) count[power > 1 ? 0 : 1 - power]++;
    }
    for (int k = 0; k < LINES; k++, line /= 2) {
        beyond += count[k];
        if (line > s->gram->line && k + 1 < LINES) continue;
        double cost = (other + (double)beyond / (double)s->n) / -log(fmax(line, end));
        if (cost < least) {
            least = cost;
            best = line;
        }
    }
    return best;
}

/* Sets the weights of the rows to update to the change of their curvature. Returns their number. */
static int64_t mark_changed_rows(hsp_prox *s) {
    double fine = s->gram->line / MOST, counts = SLIGHT * fine * fine * s->rows.S[0] / (double)s->n,
           line = choose_line(s, counts);
    int64_t count = 0;
    for (int64_t i = 0; i < s->n; i++) {
        bool much = curvature_error(s, i, counts) > line;
        s->gram->weight[i] = much ? s->rows.h[i] - s->gram->used[i] : 0;
        count += much;
    }
    return count;
}

/* Curvatures of a smooth loss decrease together as scores grow: the matrix is scaled to their present sum, if that reduces
 * most of the errors. */
static void rescale_base(hsp_prox *s) {
    double scale = s->rows.S[0] / hsp_sum_f64(s->gram->used, s->n), before = 0, after = 0;
    if (!(scale > 0 && isfinite(scale))) return;
    for (int64_t i = 0; i < s->n; i++) {
        before += fabs(s->rows.h[i] - s->gram->used[i]);
        after += fabs(s->rows.h[i] - scale * s->gram->used[i]);
    }
    if (!(after < MUCH * before) || fabs(scale - 1) < LITTLE) return;
    hsp_scale_f64(scale, s->gram->base, s->d * s->d);
    hsp_scale_f64(scale, s->gram->used, s->n);
}

/* More accurate curvatures may help; if they are accurate, a new matrix without the rounding errors of the updates. */
void hsp_gram_model_sharpen(hsp_gram_model *G) {
    if (G->line <= LEAST && G->age >= OLD) G->based = false;
    G->due = true;
    G->line = fmax(G->line / 4, LEAST);
}

static void copy_base(hsp_prox *s) {
    memcpy(s->gram->quadratic.A, s->gram->base, (size_t)(s->d * s->d) * sizeof *s->gram->base);
}

/* One output: A from the matrix, which is updated or computed from all rows, and V. The model's curvatures become those of
 * the matrix. */
static int update_matrix(hsp_prox *s, bool mixed) {
    const hsp_design *D = s->p->design;
    const double *centre = centred(s) ? s->gram->centre : NULL;
    int64_t d = s->d;
    double mass = 0;
    int status = HSP_OK;
    bool summed = false; /* the sums of the rows are in `cross` */
    if (s->gram->based) rescale_base(s);
    int64_t changed = s->gram->based ? mark_changed_rows(s) : s->n;
    if (s->gram->based && 4 * changed < 3 * s->n) {
        s->gram->age++;
        if (changed > 0) {
            status = hsp_design_gram(D, s->gram->weight, centre, NULL, 1, s->gram->block, NULL);
            hsp_axpy_f64(1, s->gram->block, s->gram->base, d * d);
            hsp_axpy_f64(1, s->gram->weight, s->gram->used, s->n);
        }
        memcpy(s->rows.h, s->gram->used, (size_t)s->n * sizeof *s->rows.h);
        s->rows.S[0] = hsp_sum_f64(s->rows.h, s->n);
        hsp_prox_invert(s);
    } else {
        status = find_centre(s, &mass);
        summed = !status && centred(s);
        if (!status) status = hsp_design_gram(D, s->rows.h, centre, NULL, 1, s->gram->base, NULL);
        memcpy(s->gram->used, s->rows.h, (size_t)s->n * sizeof *s->gram->used);
        s->gram->based = true;
        s->gram->age = 0;
    }
    s->gram->due = false;
    copy_base(s);
    if (status || !mixed) return status;
    if (!summed) status = hsp_design_group_sums(D, s->rows.h, NULL, 1, &mass, s->gram->cross, NULL);
    for (int64_t j = 0; centred(s) && j < d; j++) s->gram->cross[j] -= mass * s->gram->centre[j];
    return status;
}

/* Products of `more` columns, about their means in R, with all: the rows and columns of the matrix from `before` on. */
static void take_products(hsp_prox *s, const double *R, const double *products, int64_t before) {
    int64_t d = s->d, more = d - before;
    hsp_gram_model *G = s->gram;
    for (int64_t k = 0; k < more; k++) {
        double sum = 0;
        for (int64_t i = 0; i < s->n; i++) sum += R[i * more + k];
        for (int64_t j = 0; j < d; j++) {
            double v = products[k * d + j] - G->centre[j] * sum;
            G->base[(before + k) * d + j] = v;
            if (j <= before + k) G->base[j * d + before + k] = v;
        }
    }
}

int hsp_gram_model_extend(hsp_prox *s, const hsp_gram_model *known, int64_t before, hsp_error **err) {
    hsp_gram_model *G = s->gram;
    const hsp_design *D = s->p->design;
    int64_t d = s->d, n = s->n, more = d - before;
    const double *x = D->x->value, *used = known->used;
    double mass = hsp_sum_f64(used, n), *R = hsp_alloc(n * more, sizeof *R),
           *products = hsp_alloc(more * d, sizeof *products);
    int status = R && products ? HSP_OK : hsp_fail_memory(err);
    if (status) goto done;
    for (int64_t j = 0; j < d; j++) G->centre[j] = j < before ? known->centre[j] : 0;
    for (int64_t i = 0; i < n && centred(s) && mass > 0; i++)
        for (int64_t j = before; j < d; j++) G->centre[j] += used[i] / mass * x[i * hsp_matrix_stride(D->x) + j];
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < more; k++)
            R[i * more + k] = used[i] * (x[i * hsp_matrix_stride(D->x) + before + k] - G->centre[before + k]);
    status = hsp_design_adjoint_many(D, R, more, products, err);
    if (status) goto done;
    for (int64_t j = 0; j < before; j++)
        memcpy(G->base + j * d, known->base + j * before, (size_t)before * sizeof *G->base);
    take_products(s, R, products, before);
    memcpy(G->used, used, (size_t)n * sizeof *G->used);
    G->based = G->due = true; /* due: the curvatures are compared before it is used */
    G->line = known->line;
    G->age = known->age;
done:
    HSP_FREE(R, products);
    return status;
}

/* Blocks (k, l) and (l, k) of A, and of V when wanted. */
static int fill_class_block(hsp_prox *s, int64_t k, int64_t l, bool mixed) {
    const hsp_design *D = s->p->design;
    hsp_quadratic *Q = &s->gram->quadratic;
    int64_t d = s->d, K = s->K, m = s->K * s->d;
    double sign = k == l ? 1 : -1, mass, *G = s->gram->block, *h = s->gram->weight;
    for (int64_t i = 0; i < s->n; i++) h[i] = fabs(hsp_prox_hessian(s, i, k, l));
    int status = hsp_design_gram(D, h, centred(s) ? s->gram->centre : NULL, NULL, 1, G, NULL);
    for (int64_t a = 0; a < d; a++)
        for (int64_t b = 0; b < d; b++)
            Q->A[(k * d + a) * m + l * d + b] = Q->A[(l * d + b) * m + k * d + a] = sign * G[a * d + b];
    if (status || !mixed) return status;
    status = hsp_design_group_sums(D, h, NULL, 1, &mass, s->gram->sum, NULL);
    for (int64_t j = 0; j < d; j++)
        s->gram->cross[(k * d + j) * K + l] = s->gram->cross[(l * d + j) * K + k] =
            sign * (s->gram->sum[j] - (centred(s) ? mass * s->gram->centre[j] : 0));
    return status;
}

/* A number added to all K weights of a column does not change softmax: the Hessian is singular in that direction up to
 * rounding, which may be negative. A little curvature is added. */
static void stiffen_class_sums(hsp_prox *s) {
    hsp_quadratic *Q = &s->gram->quadratic;
    int64_t d = s->d, K = s->K, m = s->K * s->d;
    for (int64_t j = 0; K > 1 && j < d; j++) {
        double sum = 0;
        for (int64_t k = 0; k < K; k++) sum += Q->A[(k * d + j) * m + k * d + j];
        for (int64_t k = 0; k < K; k++)
            for (int64_t l = 0; l < K; l++) Q->A[(k * d + j) * m + l * d + j] += STIFFNESS * sum / (double)(K * K);
    }
}

/* A, unless it is kept, and r without the intercepts. */
static void eliminate_intercepts(hsp_prox *s, bool mixed, bool kept) {
    hsp_quadratic *Q = &s->gram->quadratic;
    int64_t K = s->K, m = s->K * s->d;
    for (int64_t a = 0; a < m; a++) {
        double *MV = s->move.trial;
        Q->r[a] = s->at.gw[a];
        if (centred(s)) Q->r[a] -= s->gram->centre[a % s->d] * s->at.gb[a / s->d];
        if (!mixed) continue;
        if (K == 1) {
            double by = -s->rows.M[0] * s->gram->cross[a];
            Q->r[a] += by * s->at.gb[0];
            if (!kept) hsp_axpy_f64(by, s->gram->cross, Q->A + a * m, m);
            continue;
        }
        for (int64_t l = 0; l < K; l++) MV[l] = hsp_dot_f64(s->rows.M + l * K, s->gram->cross + a * K, K);
        Q->r[a] -= hsp_dot_f64(MV, s->at.gb, K);
        for (int64_t b = 0; b < m; b++) Q->A[a * m + b] -= hsp_dot_f64(MV, s->gram->cross + b * K, K);
    }
}

static void set_thresholds(hsp_prox *s, bool kept) {
    hsp_quadratic *Q = &s->gram->quadratic;
    double ridge = kept ? s->ridge : 0; /* it is on the diagonal already */
    for (int64_t a = 0; a < s->K * s->d; a++) {
        double c = centred(s) ? s->gram->centre[a % s->d] : 0, S = s->rows.S[(a / s->d) * (s->K + 1)];
        Q->t[a] = hsp_prox_threshold(s, S, Q->A[a * (s->K * s->d + 1)] - ridge + S * c * c);
    }
}

/* Adds the L2 part; removes the rounding errors of constant columns. */
static void add_ridge(hsp_prox *s) {
    hsp_quadratic *Q = &s->gram->quadratic;
    int64_t m = s->K * s->d;
    for (int64_t a = 0; a < m; a++) {
        int64_t k = a / s->d;
        double size = CONSTANT * (centred(s) ? s->gram->centre[a % s->d] : 0);
        if (Q->A[a * m + a] <= size * size * s->rows.S[k * s->K + k]) {
            for (int64_t b = 0; b < m; b++) Q->A[a * m + b] = Q->A[b * m + a] = 0;
            Q->r[a] = s->ridge * s->at.w[a];
        }
        Q->A[a * m + a] += s->ridge;
    }
    s->gram->ridge = s->ridge;
}

/* In a matrix that is kept, a constant column has nothing but the ridge. */
static void pull_constant(hsp_prox *s) {
    hsp_quadratic *Q = &s->gram->quadratic;
    for (int64_t a = 0; a < s->d; a++)
        if (Q->A[a * (s->d + 1)] <= s->ridge) Q->r[a] = s->ridge * s->at.w[a];
}

/* Where the minimum of the quadratic leads: the intercepts, and how the scores move. */
static void move_to_minimum(hsp_prox *s, bool mixed) {
    int64_t d = s->d, K = s->K;
    double *beta = s->move.to_b, *pull = s->move.trial;
    for (int64_t a = 0; a < s->K * s->d; a++) {
        s->move.u[a] = s->gram->quadratic.u[a];
        s->gram->delta[a] = s->move.u[a] - s->at.w[a];
    }
    for (int64_t k = 0; k < K; k++) {
        pull[k] = s->at.gb[k];
        for (int64_t a = 0; mixed && a < s->K * s->d; a++) pull[k] += s->gram->cross[a * K + k] * s->gram->delta[a];
    }
    for (int64_t k = 0; k < K; k++) {
        beta[k] = -hsp_dot_f64(s->rows.M + k * K, pull, K);
        if (centred(s)) beta[k] -= hsp_dot_f64(s->gram->centre, s->gram->delta + k * d, d);
    }
    hsp_problem_scores(s->p, s->gram->delta, beta, s->move.q);
    for (int64_t k = 0; k < K; k++) beta[k] += s->at.b[k];
}

bool hsp_gram_model_solve(hsp_prox *s, double tol, hsp_budget *budget) {
    hsp_quadratic *Q = &s->gram->quadratic;
    bool mixed = s->p->intercept != HSP_INTERCEPT_NONE, keeps = hsp_gram_model_keeps(s->gram);
    bool kept = keeps && s->gram->ridge == s->ridge;
    double mass;
    int status = keeps ? HSP_OK : s->K == 1 ? update_matrix(s, mixed) : find_centre(s, &mass);
    if (keeps && !kept) copy_base(s);
    Q->m = s->K * s->d;
    for (int64_t k = 0; s->K > 1 && !status && k < s->K; k++)
        for (int64_t l = 0; !status && l <= k; l++) status = fill_class_block(s, k, l, mixed);
    if (status) return false;
    stiffen_class_sums(s);
    eliminate_intercepts(s, mixed, kept);
    set_thresholds(s, kept);
    (kept ? pull_constant : add_ridge)(s);
    memcpy(Q->u, s->at.w, (size_t)(s->K * s->d) * sizeof *Q->u);
    hsp_quadratic_descend(Q, tol, MOST_SWEEPS, budget);
    budget->steps += s->n;
    move_to_minimum(s, mixed);
    return true;
}
