#include "explain/convex.h"

#include "base/error.h"
#include "design/design.h"
#include "design/gram.h"
#include "kernel/kernel.h"
#include "problem/problem.h"

#include <math.h>
#include <string.h>

/* ---- the problem ---- */

int hsp_convex_new(hsp_derivation *v, hsp_convex *c, hsp_error **err) {
    *c = (hsp_convex){.ones = v->intercept != HSP_INTERCEPT_NONE};
    int status = hsp_derivation_pose(v, &c->p, err);
    if (status) return status;
    c->K = c->p->outputs;
    c->q = v->rows.d + c->ones;
    c->w = hsp_derivation_zeros(v, c->K * v->rows.d);
    c->b = hsp_derivation_zeros(v, c->K);
    c->gw = hsp_derivation_zeros(v, c->K * v->rows.d);
    c->gb = hsp_derivation_zeros(v, c->K);
    c->h = hsp_derivation_zeros(v, v->rows.n);
    return c->w && c->b && c->gw && c->gb && c->h ? HSP_OK : hsp_fail_memory(err);
}

void hsp_convex_free(hsp_convex *c) {
    hsp_problem_free(c->p);
    c->p = NULL;
}

static void unpack(const hsp_derivation *v, hsp_convex *c, const double *theta) {
    int64_t d = v->rows.d;
    for (int64_t k = 0; k < c->K; k++) {
        c->b[k] = c->ones ? theta[k * c->q] : 0;
        memcpy(c->w + k * d, theta + k * c->q + c->ones, (size_t)d * sizeof *theta);
    }
}

double hsp_convex_at(const hsp_derivation *v, hsp_convex *c, const double *theta, double *gradient) {
    int64_t d = v->rows.d;
    unpack(v, c, theta);
    hsp_evaluation at = hsp_problem_gradient(c->p, c->w, c->b, c->gw, c->gb);
    for (int64_t k = 0; gradient && k < c->K; k++) {
        if (c->ones) gradient[k * c->q] = c->gb[k];
        memcpy(gradient + k * c->q + c->ones, c->gw + k * d, (size_t)d * sizeof *gradient);
    }
    return hsp_problem_mean(c->p, at.objective);
}

void hsp_convex_trained(const hsp_derivation *v, const hsp_convex *c, double *theta) {
    int64_t d = v->rows.d, first = c->K > 1 ? 0 : v->k;
    for (int64_t k = 0; k < c->K; k++) {
        if (c->ones) theta[k * c->q] = v->b[first + k];
        memcpy(theta + k * c->q + c->ones, v->w + (first + k) * d, (size_t)d * sizeof *theta);
    }
}

/* ---- the Hessian ---- */

/* The block (k, l) of H: sum of h_i (1, x_i)(1, x_i)', times sign. */
static int add_block(hsp_derivation *v, hsp_convex *c, int64_t k, int64_t l, double sign, double *gram, double *H,
                     hsp_error **err) {
    int64_t d = v->rows.d, q = c->q, o = c->ones, size = c->K * q;
    int status = hsp_design_gram(v->design, c->h, NULL, NULL, 1, gram, err);
    if (status) return status;
    double *edge = gram + d * d, sum = hsp_sum_f64(c->h, v->rows.n);
    hsp_design_adjoint(v->design, c->h, edge);
    for (int64_t i = 0; i < q; i++)
        for (int64_t j = 0; j < q; j++) {
            bool top = o && i == 0, left = o && j == 0;
            double value = top && left ? sum : top ? edge[j - 1] : left ? edge[i - 1] : gram[(i - o) * d + j - o];
            H[(k * q + i) * size + l * q + j] = H[(l * q + i) * size + k * q + j] = sign * value;
        }
    return HSP_OK;
}

/* Probabilities of the K classes at the scores of the last evaluation. */
static double softmax_at(const hsp_convex *c, int64_t i, int64_t k) {
    const double *g = c->p->scores + i * c->K;
    double most = -INFINITY, sum = 0;
    for (int64_t l = 0; l < c->K; l++) most = fmax(most, g[l]);
    for (int64_t l = 0; l < c->K; l++) sum += exp(g[l] - most);
    return exp(g[k] - most) / sum;
}

static int add_softmax(hsp_derivation *v, hsp_convex *c, double *gram, double *H, hsp_error **err) {
    int status = HSP_OK;
    for (int64_t k = 0; k < c->K; k++)
        for (int64_t l = 0; l <= k && !status; l++) {
            for (int64_t i = 0; i < v->rows.n; i++) {
                double pk = softmax_at(c, i, k), pl = softmax_at(c, i, l);
                c->h[i] = v->rows.c[i] / v->rows.mass * (k == l ? pk * (1 - pk) : pk * pl);
            }
            status = add_block(v, c, k, l, k == l ? 1 : -1, gram, H, err);
        }
    return status;
}

int hsp_convex_hessian(hsp_derivation *v, hsp_convex *c, const double *theta, double *H, hsp_error **err) {
    int64_t d = v->rows.d, size = c->K * c->q;
    double *gram = hsp_derivation_zeros(v, d * d + d), smooth = c->p->lambda * (1 - c->p->rho);
    if (!gram) return hsp_fail_memory(err);
    hsp_convex_at(v, c, theta, NULL);
    int status;
    if (c->K > 1) {
        status = add_softmax(v, c, gram, H, err);
    } else {
        hsp_problem_curvature(c->p, c->h);
        status = add_block(v, c, 0, 0, 1, gram, H, err);
    }
    for (int64_t i = 0; !status && i < size; i++)
        if (!c->ones || i % c->q > 0 || v->intercept == HSP_INTERCEPT_PENALISED) H[i * size + i] += smooth;
    return status;
}

/* ---- parts ---- */

int64_t hsp_convex_count(const hsp_derivation *v, const hsp_convex *c) {
    return v->count + c->ones;
}

double *hsp_convex_part(hsp_derivation *v, const hsp_convex *c, const double *full) {
    int64_t m = hsp_convex_count(v, c);
    double *part = hsp_derivation_zeros(v, m);
    for (int64_t t = 0; part && t < m; t++) part[t] = full[c->ones && t == 0 ? 0 : v->shown[t - c->ones] + c->ones];
    return part;
}

hsp_figure hsp_convex_vector(hsp_derivation *v, const hsp_convex *c, const double *full) {
    hsp_figure f = vector(hsp_convex_part(v, c, full), hsp_convex_count(v, c));
    f.cut = v->count < v->rows.d;
    return f;
}

const char *hsp_convex_label(const hsp_derivation *v, const hsp_convex *c, int64_t t, char *buf) {
    return hsp_derivation_feature(v, c->ones && t == 0 ? -1 : v->shown[t - c->ones], buf);
}

double hsp_convex_norm(const double *x, int64_t n) {
    return sqrt(hsp_dot_f64(x, x, n));
}

/* ---- optimality with an L1 part ---- */

/* How far weight j is from its condition. */
static double violation_of(double w, double pull, double bound) {
    return w != 0 ? fabs(pull - copysign(bound, w)) : fmax(0, fabs(pull) - bound);
}

void hsp_convex_write_kkt(hsp_derivation *v, hsp_convex *c) {
    hsp_exposition *e = &v->text;
    int64_t d = v->rows.d, k = c->K > 1 ? hsp_derivation_hardest(v) : 0, zeros = 0;
    double bound = c->p->lambda * c->p->rho, most = 0, cells[HSP_SHOWN_FEATURES][3];
    double *theta = hsp_derivation_zeros(v, c->K * c->q);
    char buf[HSP_LABEL_SIZE];
    if (!theta) return;
    hsp_convex_trained(v, c, theta);
    hsp_convex_at(v, c, theta, NULL);
    const double *w = c->w + k * d, *g = c->gw + k * d;
    for (int64_t i = 0; i < c->K * d; i++) most = fmax(most, violation_of(c->w[i], -c->gw[i], bound));
    for (int64_t j = 0; j < d; j++) zeros += w[j] == 0;
    hsp_exposition_section(e, "The condition of each weight (KKT)");
    HSP_SAY(e, "`|w_j|~|w_j|` has a kink at 0. Let `q_j` be minus the derivative of the rest of the objective. At the "
               "minimum "
               "`q_j` balances the penalty:");
    HSP_FORMULA(e, "w_j > 0: q_j = lambda rho;   w_j < 0: q_j = -lambda rho;   w_j = 0: |q_j| <= lambda rho = %1~"
                   "w_j > 0: q_j = \\lambda\\rho; \\quad w_j < 0: q_j = -\\lambda\\rho; \\quad w_j = 0: |q_j| \\le "
                   "\\lambda\\rho = %1",
                number(bound));
    if (c->K > 1) HSP_SAY(e, "For class '%1':", word(hsp_derivation_class(v, k)));
    hsp_exposition_table(e, "feature", (const char *const[]){"`w_j`", "`q_j`", "`lambda rho~\\lambda\\rho`"}, 3);
    for (int64_t t = 0; t < v->count; t++) {
        int64_t j = v->shown[t];
        cells[t][0] = w[j], cells[t][1] = -g[j], cells[t][2] = bound;
        hsp_exposition_row(e, hsp_derivation_feature(v, j, buf), cells[t],
                w[j] != 0 ? "on the bound" : "inside: exactly 0");
    }
    hsp_exposition_table_end(e, "condition");
    HSP_SAY(e, "%1 of the %2 weights are exactly 0. The largest violation of a condition, over all weights, is %3.",
            whole(zeros), whole(d), number(most));
    hsp_exposition_matrix(e, "kkt", &cells[0][0], v->count, 3);
    hsp_exposition_number(e, "zeros", (double)zeros);
    hsp_exposition_number(e, "violation", most);
}
