/* The line search from the point to the model's minimum, on the true objective. */
#include "base/pool.h"
#include "problem/problem.h"
#include "solve/prox/column_model.h"
#include "solve/prox/gram_model.h"
#include "solve/prox/prox_newton.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_HALVINGS = 50, FARTHEST = 4 };
static const double ENOUGH = 1e-4; /* share of the predicted decrease that a step must achieve */
static const double BENT = 0.55;   /* a decrease above this share suggests a longer step; the model says 0.5 */
static const double STRIDE = 1.4;  /* from one trial beyond the model's minimum to the next */

static int64_t weight_number(const hsp_prox *s, int64_t a) {
    return s->move.weight ? s->move.weight[a] : a;
}

double hsp_prox_predict(const hsp_prox *s) {
    double sum = 0;
    for (int64_t a = 0; a < s->move.count; a++) {
        int64_t x = weight_number(s, a);
        sum += s->at.gw[x] * (s->move.u[x] - s->at.w[x]) + s->t * (fabs(s->move.u[x]) - fabs(s->at.w[x]));
    }
    for (int64_t k = 0; k < s->K; k++) sum += s->at.gb[k] * (s->move.to_b[k] - s->at.b[k]);
    return sum;
}

typedef struct search_trial {
    hsp_prox *s;
    double share;
} search_trial;

static void try_block(void *ctx, int64_t block) {
    const search_trial *t = ctx;
    hsp_prox *s = t->s;
    const hsp_problem *p = s->p;
    int64_t from, count = hsp_block_rows(s->n, block, &from), K = s->K;
    for (int64_t x = from * K; x < (from + count) * K; x++) s->move.trial[x] = p->scores[x] + t->share * s->move.q[x];
    p->loss->batch(p->loss, p->y + from, s->move.trial + from * K, count, K, p->kink, s->move.losses + from, NULL);
}

/* F after a share of the move, less F here: term by term, to limit cancellation. Leaves trial and losses. */
static double objective_change(hsp_prox *s, double share) {
    const hsp_problem *p = s->p;
    double loss = 0, penalty = 0;
    hsp_pool_run(hsp_block_count(s->n), p->design->threads, try_block, &(search_trial){s, share});
    double part[4] = {0}; /* as above; by columns the change is compared with the prediction, in one order */
    for (int64_t i = 0; s->columns && i < s->n; i++)
        part[0] += (p->c ? p->c[i] : 1) * (s->move.losses[i] - s->move.before[i]);
    for (int64_t i = 0; !s->columns && i < s->n; i++)
        part[i % 4] += (p->c ? p->c[i] : 1) * (s->move.losses[i] - s->move.before[i]);
    loss = (part[0] + part[1]) + (part[2] + part[3]);
    for (int64_t a = 0; a < s->move.count; a++) {
        int64_t x = weight_number(s, a);
        double D = share * (s->move.u[x] - s->at.w[x]);
        penalty += s->t * (fabs(s->at.w[x] + D) - fabs(s->at.w[x])) + s->ridge * D * (s->at.w[x] + D / 2);
    }
    for (int64_t k = 0; k < s->K && p->intercept == HSP_INTERCEPT_PENALISED; k++) {
        double D = share * (s->move.to_b[k] - s->at.b[k]);
        penalty += p->lambda * D * (s->at.b[k] + D / 2);
    }
    return loss / p->sum_c + penalty;
}

static void move_point(hsp_prox *s, double share) {
    double *scores = s->p->scores;
    for (int64_t a = 0; a < s->move.count; a++) {
        int64_t x = weight_number(s, a);
        s->at.w[x] = share == 1 ? s->move.u[x] : s->at.w[x] + share * (s->move.u[x] - s->at.w[x]);
    }
    for (int64_t k = 0; k < s->K; k++) s->at.b[k] += share * (s->move.to_b[k] - s->at.b[k]);
    memcpy(scores, s->move.trial, (size_t)(s->n * s->K) * sizeof *scores);
    memcpy(s->move.before, s->move.losses, (size_t)s->n * sizeof *s->move.before);
}

/* Rounding of the losses, and of the scores. */
double hsp_prox_rounding(const hsp_prox *s) {
    const hsp_problem *p = s->p;
    double sum = 0, part[4] = {0}; /* in lanes where nothing but a comparison depends on it */
    for (int64_t i = 0; s->K == 1 && i < s->n; i++)
        part[i % 4] += fabs(p->slopes[i]) * (fabs(p->scores[i]) + fabs(s->at.b[0]));
    sum = (part[0] + part[1]) + (part[2] + part[3]);
    for (int64_t i = 0; s->K > 1 && i < s->n; i++)
        for (int64_t k = 0; k < s->K; k++) {
            int64_t x = i * s->K + k;
            sum += fabs(p->slopes[x]) * (fabs(p->scores[x]) + fabs(s->at.b[k]));
        }
    return 4 * DBL_EPSILON * (fabs(hsp_problem_mean(p, s->at.measured.at.objective)) + sum);
}

/* After the whole move failed: rows whose loss rose above the model's prediction get the curvature that would have predicted
 * it. */
static void remember_curvature(hsp_prox *s) {
    int64_t K = s->K;
    for (int64_t i = 0; i < s->n; i++) {
        const double *q = s->move.q + i * K, *slope = s->p->slopes + i * K;
        double mean = 0, square = 0, predicted = 0, *extra = s->rows.extra + i;
        for (int64_t k = 0; K > 1 && k < K; k++) mean += q[k] / (double)K;
        for (int64_t k = 0; k < K; k++) {
            predicted += slope[k] * q[k];
            square += (q[k] - mean) * (q[k] - mean);
            for (int64_t l = 0; l < K; l++) predicted += q[k] * hsp_prox_hessian(s, i, k, l) * q[l] / 2;
        }
        double beyond = s->rows.c[i] > 0 ? s->move.losses[i] - s->move.before[i] - predicted / s->rows.c[i] : 0;
        if (beyond > 0 && square > 0 && isfinite(beyond)) *extra = fmax(*extra, 2 * beyond / square);
    }
}

/* The change of F that the model predicts for the whole move: hsp_prox_predict leaves out the quadratic term. */
static double predicted_change(const hsp_prox *s, double linear) {
    double sum = 0, square = 0, *bent = s->rows.sorted;
    for (int64_t i = 0; i < s->n; i++) {
        const double *q = s->move.q + i * s->K;
        hsp_prox_apply_hessian(s, i, q, bent);
        for (int64_t k = 0; k < s->K; k++) sum += bent[k] * q[k];
    }
    for (int64_t a = 0; s->ridge > 0 && a < s->move.count; a++) {
        double D = s->move.u[weight_number(s, a)] - s->at.w[weight_number(s, a)];
        square += D * D;
    }
    return linear + (sum + s->ridge * square) / 2;
}

/* A model whose minimum was too far had too little curvature. */
static void adapt_damping(hsp_prox *s, double share) {
    if (share >= 1) {
        s->rows.damping = fmax(s->rows.damping / 3, HSP_PROX_LEAST_DAMPING);
        for (int64_t i = 0; i < s->n; i++) s->rows.extra[i] /= 10;
    } else if (share < 0.5) {
        s->rows.damping = fmin(s->rows.damping * 10, 1);
    }
}

/* Where curvatures decrease along the move, F decreases by more than the model predicted, and beyond its minimum. */
static double extend_step(hsp_prox *s, double by) {
    double share = 1, further;
    while (share < FARTHEST && (further = objective_change(s, STRIDE * share)) < by) {
        by = further;
        share *= STRIDE;
    }
    objective_change(s, share);
    return share;
}

/* Halves the move until F decreases by enough. If the predicted decrease is lost in rounding the whole move is made, for the
 * optimality conditions, which are measured more accurately than F. */
bool hsp_prox_search(hsp_prox *s, double noise, double predicted) {
    double share = 1, least = predicted < 0 ? predicted : 0;
    s->move.fall = INFINITY;
    if (!(predicted < 16 * noise)) return false;
    for (int t = 0; t < MOST_HALVINGS; t++, share /= 2) {
        double by = objective_change(s, share);
        if (by <= ENOUGH * share * least + noise) {
            if (t == 0 && s->gram && !s->gram->lasting && s->K == 1 && by < BENT * predicted) share = extend_step(s, by);
            if (s->columns) hsp_column_model_adapt(s, share, by, predicted_change(s, predicted));
            move_point(s, share);
            adapt_damping(s, share);
            if (share >= 1) s->move.fall = -predicted;
            return true;
        }
        if (-predicted * share < 16 * noise) return false;
        if (t == 0) remember_curvature(s);
    }
    return false;
}
