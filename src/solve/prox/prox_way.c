/* The way from the point to the model's minimum, and how far to go along it on the true objective. */
#include "problem/problem.h"
#include "solve/prox/prox_newton.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_PATIENCE = 600, MOST_HALVINGS = 50, FARTHEST = 4 };
static const double ENOUGH = 1e-4; /* share of the promised fall that a step must keep */
static const double BENT = 0.55;   /* of the promise; 0.5 is what the model says */
static const double STRIDE = 1.4;  /* from one try beyond the model's minimum to the next */

static int64_t movable(const hsp_prox *s) {
    return s->by_gram ? s->m : s->set_count;
}

static int64_t weight_number(const hsp_prox *s, int64_t a) {
    return s->by_gram ? a : s->set[a];
}

/* What the gradient and the L1 term promise for the whole way: negative unless (w, b) is optimal. */
double hsp_prox_promise(const hsp_prox *s) {
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
double hsp_prox_rounding(const hsp_prox *s, double F) {
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
        s->damping = fmax(s->damping / 3, HSP_PROX_LEAST_DAMPING);
        for (int64_t i = 0; i < s->n; i++) s->extra[i] /= 10;
        if (s->tired && s->patience < MOST_PATIENCE) s->patience *= 2;
    } else if (share < 0.5) {
        s->damping = fmin(s->damping * 10, 1);
    }
}

/* Where curvatures fall along the way F falls by more than the model said, and goes on falling beyond its minimum. */
static double stretch(hsp_prox *s, double by) {
    double share = 1, further;
    while (share < FARTHEST && (further = change(s, STRIDE * share)) < by) {
        by = further;
        share *= STRIDE;
    }
    change(s, share);
    return share;
}

/* Halves the way until F falls by enough; when the promise is lost in rounding the whole way is taken, for the sake of the
 * conditions of optimality, which are known more exactly than F. False: there is no such way. */
bool hsp_prox_search(hsp_prox *s, double noise, double promised) {
    double share = 1, least = promised < 0 ? promised : 0;
    s->fall = INFINITY;
    if (!(promised < 16 * noise)) return false;
    for (int t = 0; t < MOST_HALVINGS; t++, share /= 2) {
        double by = change(s, share);
        if (by <= ENOUGH * share * least + noise) {
            if (t == 0 && s->by_gram && s->K == 1 && by < BENT * promised) share = stretch(s, by);
            move(s, share);
            learn(s, fmin(share, 1));
            if (share >= 1) s->fall = -promised;
            return true;
        }
        if (-promised * share < 16 * noise) return false;
        if (t == 0) remember(s);
    }
    return false;
}
