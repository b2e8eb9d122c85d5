/* LSMR (Fong and Saunders 2011) for all targets together: each has its own recurrence, but they share the passes over the
 * rows. The operator is
 *
 *     B = [sqrt(c) Z; sqrt(kappa) m'; sqrt(mu) I] S
 *
 * with S = I, which from zero finds the solution of minimum norm, or S the inverse lengths of the columns, which takes fewer
 * iterations on columns of different scales. It runs in rounds, each on the residual of the last, computed again from the
 * rows: ridge until the duality gap is small enough, least squares until the normal equations hold. */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "data/matrix.h"
#include "design/design.h"
#include "design/gram.h"
#include "kernel/kernel.h"
#include "problem/squares.h"
#include "squares/squares_frame.h"

#include <string.h>

typedef struct recurrence {
    double alpha, beta, alpha_bar, zeta_bar, rho, rho_bar, c_bar, s_bar;
    double start; /* |B'r| at the beginning of the round */
    bool live;
} recurrence;

typedef struct lsmr {
    hsp_squares_frame *f;
    double *s;                  /* d: scales, or NULL: 1; all arrays are owned */
    double *U, *Ue, *Ud;        /* n x K, K and K x d: left vectors, in the three parts of B */
    double *P;                  /* n x K: products */
    double *V, *H, *Hb, *X, *Q; /* K x d each */
    recurrence *of;             /* K */
    int64_t iterations;
} lsmr;

static int allocate_vectors(lsmr *t, hsp_squares_frame *f) {
    int64_t nk = f->n * f->K, kd = f->K * f->d;
    *t = (lsmr){.f = f};
    t->of = hsp_alloc(f->K, sizeof *t->of);
    bool allocated = t->of && HSP_ALLOC_DOUBLES(nk, &t->U, &t->P) && HSP_ALLOC_DOUBLES(f->K, &t->Ue) &&
                     HSP_ALLOC_DOUBLES(kd, &t->Ud, &t->V, &t->H, &t->Hb, &t->X, &t->Q);
    return allocated ? HSP_OK : HSP_EMEMORY;
}

/* Inverse lengths of the columns of B. */
static int column_scales(lsmr *t) {
    const hsp_squares_frame *f = t->f;
    const hsp_design *E = f->E;
    double *tile = hsp_alloc(f->d, sizeof *tile), *sum = hsp_alloc_zero(f->d, sizeof *sum);
    t->s = hsp_alloc_zero(f->d, sizeof *t->s);
    int status = tile && sum && t->s ? HSP_OK : HSP_EMEMORY;
    for (int64_t i = 0; !status && i < f->n; i++) {
        double c = f->p->c ? f->p->c[i] : 1;
        if (c == 0) continue;
        hsp_row r = hsp_design_row(E, i, tile);
        for (int64_t e = 0; e < r.count; e++) {
            int64_t j = hsp_row_id(r, e);
            double v = hsp_row_value(r, e);
            t->s[j] += c * v * v;
            sum[j] += c * v;
        }
    }
    for (int64_t j = 0; !status && j < f->d; j++) {
        double v = t->s[j], p = E->p ? E->p[j] : 0;
        double length2 = fmax(v - p * (2 * sum[j] - f->S * p), v * 1e-12) + f->mu + f->kappa * f->m[j] * f->m[j];
        t->s[j] = length2 > 0 ? 1 / sqrt(length2) : 1;
    }
    HSP_FREE(tile, sum);
    return status;
}

static void rescale(const lsmr *t, double *V) {
    for (int64_t e = 0; t->s && e < t->f->K * t->f->d; e++) V[e] *= t->s[e % t->f->d];
}

/* Divides the left vectors by their lengths, which become beta. */
static void normalise_left(lsmr *t) {
    const hsp_squares_frame *f = t->f;
    int64_t K = f->K;
    for (int64_t k = 0; k < K; k++) {
        double sum = t->Ue[k] * t->Ue[k] + hsp_dot_f64(t->Ud + k * f->d, t->Ud + k * f->d, f->d);
        for (int64_t i = 0; i < f->n; i++) sum += t->U[i * K + k] * t->U[i * K + k];
        double beta = sqrt(sum), a = beta > 0 ? 1 / beta : 0;
        t->of[k].beta = beta;
        t->Ue[k] *= a;
        hsp_scale_f64(a, t->Ud + k * f->d, f->d);
        for (int64_t i = 0; i < f->n; i++) t->U[i * K + k] *= a;
    }
}

/* Q = B'u. */
static int adjoint(lsmr *t, hsp_error **err) {
    const hsp_squares_frame *f = t->f;
    for (int64_t e = 0; e < f->n * f->K; e++) t->P[e] = hsp_frame_root(f, e / f->K) * t->U[e];
    int status = hsp_design_adjoint_many(f->E, t->P, f->K, t->Q, err);
    for (int64_t k = 0; !status && k < f->K; k++) {
        if (f->kappa > 0) hsp_axpy_f64(sqrt(f->kappa) * t->Ue[k], f->m, t->Q + k * f->d, f->d);
        if (f->mu > 0) hsp_axpy_f64(sqrt(f->mu), t->Ud + k * f->d, t->Q + k * f->d, f->d);
    }
    if (!status) rescale(t, t->Q);
    return status;
}

/* u := B v - alpha u; Q becomes S v. */
static int forward(lsmr *t, hsp_error **err) {
    const hsp_squares_frame *f = t->f;
    int64_t K = f->K, d = f->d;
    memcpy(t->Q, t->V, (size_t)(K * d) * sizeof *t->Q);
    rescale(t, t->Q);
    int status = hsp_design_scores_many(f->E, t->Q, NULL, K, t->P, err);
    if (status) return status;
    for (int64_t e = 0; e < f->n * K; e++) t->U[e] = hsp_frame_root(f, e / K) * t->P[e] - t->of[e % K].alpha * t->U[e];
    for (int64_t k = 0; k < K; k++) {
        double alpha = t->of[k].alpha, *u = t->Ud + k * d, *v = t->Q + k * d;
        t->Ue[k] = sqrt(f->kappa) * hsp_dot_f64(f->m, v, d) - alpha * t->Ue[k];
        for (int64_t j = 0; j < d; j++) u[j] = sqrt(f->mu) * v[j] - alpha * u[j];
    }
    return HSP_OK;
}

/* v := (Q - beta v) / alpha. */
static void next_right(lsmr *t, int64_t k, bool first) {
    int64_t d = t->f->d;
    double *v = t->V + k * d, *q = t->Q + k * d;
    for (int64_t j = 0; j < d; j++) v[j] = q[j] - (first ? 0 : t->of[k].beta * v[j]);
    double alpha = sqrt(hsp_dot_f64(v, v, d));
    t->of[k].alpha = alpha;
    hsp_scale_f64(alpha > 0 ? 1 / alpha : 0, v, d);
}

/* Starts a round from the residual at W. */
static int start_recurrences(lsmr *t, const double *W, hsp_error **err) {
    const hsp_squares_frame *f = t->f;
    int64_t K = f->K, d = f->d;
    int status = hsp_design_scores_many(f->E, W, NULL, K, t->P, err);
    if (status) return status;
    for (int64_t e = 0; e < f->n * K; e++) t->U[e] = hsp_frame_root(f, e / K) * (f->T[e] - t->P[e]);
    for (int64_t k = 0; k < K; k++) {
        t->Ue[k] = sqrt(f->kappa) * (f->y[k] - hsp_dot_f64(f->m, W + k * d, d));
        for (int64_t j = 0; j < d; j++) t->Ud[k * d + j] = -sqrt(f->mu) * W[k * d + j];
    }
    normalise_left(t);
    status = adjoint(t, err);
    for (int64_t k = 0; !status && k < K; k++) {
        recurrence *r = &t->of[k];
        next_right(t, k, true);
        r->alpha_bar = r->alpha;
        r->zeta_bar = r->start = r->alpha * r->beta;
        r->rho = r->rho_bar = r->c_bar = 1;
        r->s_bar = 0;
        r->live = r->start > 0;
    }
    memcpy(t->H, t->V, (size_t)(K * d) * sizeof *t->H);
    memset(t->Hb, 0, (size_t)(K * d) * sizeof *t->Hb);
    memset(t->X, 0, (size_t)(K * d) * sizeof *t->X);
    return status;
}

/* The plane rotations of one output, and its step. */
static void advance(lsmr *t, int64_t k, double enough) {
    int64_t d = t->f->d;
    recurrence *r = &t->of[k];
    double rho_old = r->rho, rho_bar_old = r->rho_bar;
    r->rho = hypot(r->alpha_bar, r->beta);
    double c = r->alpha_bar / r->rho, s = r->beta / r->rho, theta = s * r->alpha;
    r->alpha_bar = c * r->alpha;
    double theta_bar = r->s_bar * r->rho, turned = r->c_bar * r->rho;
    r->rho_bar = hypot(turned, theta);
    r->c_bar = turned / r->rho_bar;
    r->s_bar = theta / r->rho_bar;
    double zeta = r->c_bar * r->zeta_bar;
    r->zeta_bar *= -r->s_bar;
    double back = theta_bar * r->rho / (rho_old * rho_bar_old), step = zeta / (r->rho * r->rho_bar), fade = theta / r->rho;
    double *h = t->H + k * d, *hb = t->Hb + k * d, *x = t->X + k * d, *v = t->V + k * d;
    for (int64_t j = 0; j < d; j++) {
        hb[j] = h[j] - back * hb[j];
        x[j] += step * hb[j];
        h[j] = v[j] - fade * h[j];
    }
    r->live = fabs(r->zeta_bar) > enough * r->start && r->alpha > 0 && r->beta > 0;
}

/* One round: W moves by S X. */
static int run_round(lsmr *t, double enough, int64_t most, double *W, hsp_error **err) {
    int64_t K = t->f->K, live = 0;
    int status = start_recurrences(t, W, err);
    for (int64_t k = 0; !status && k < K; k++) live += t->of[k].live;
    for (int64_t step = 0; !status && live > 0 && step < most && !hsp_cancel_pending(); step++) {
        status = forward(t, err);
        if (!status) normalise_left(t);
        if (!status) status = adjoint(t, err);
        live = 0;
        for (int64_t k = 0; !status && k < K; k++) {
            if (!t->of[k].live) continue;
            next_right(t, k, false);
            advance(t, k, enough);
            live += t->of[k].live;
        }
        t->iterations++;
    }
    if (status) return status;
    rescale(t, t->X);
    hsp_axpy_f64(1, t->X, W, K * t->f->d);
    return HSP_OK;
}

/* ---- stopping ---- */

/* Largest |B'r| / (|B'y| + |B| |r|), in the present scaling; the norm of the whole of B by its columns. */
static int normal_residual(lsmr *t, const double *W, double first, double *worst, double *sum, hsp_error **err) {
    int status = start_recurrences(t, W, err);
    *worst = *sum = 0;
    for (int64_t k = 0; !status && k < t->f->K; k++) {
        *sum += t->of[k].start;
        if (first > 0) *worst = fmax(*worst, t->of[k].start / first);
    }
    return status;
}

/* Relative duality gap of the whole fit at W. */
static int gap_at(lsmr *t, hsp_squares_answer *a, double *gap, hsp_error **err) {
    hsp_frame_intercepts(t->f, a->w, a->b);
    int status = hsp_squares_measure(t->f->p, a->w, a->b, a->scores, t->Q, a->figures, err);
    double P = 0, excess = 0;
    for (int64_t k = 0; !status && k < t->f->K; k++) {
        P += a->figures[k].at.objective;
        excess += a->figures[k].excess;
    }
    *gap = P > 0 ? excess / P : 0; /* not from P - excess: a sum of squares is known far below the rounding of P */
    return status;
}

static int64_t iteration_limit(const hsp_squares_frame *f) {
    int64_t least = f->n < f->d ? f->n : f->d;
    return least > 5000 ? 20000 : 4 * least + 200;
}

/* |w - w*|^2 is at most twice the gap, so a gap at the rounding of the objective gives only half the digits of the weights:
 * continue until it does not decrease any more. */
static int ridge_rounds(lsmr *t, double tol, hsp_squares_answer *a, hsp_error **err) {
    enum { ROUNDS = 12 };
    const double enough = 1e-22;
    double gap = INFINITY, last = INFINITY, wanted = tol < 1e-10 ? tol : 1e-10;
    int64_t most = iteration_limit(t->f);
    int status = column_scales(t) ? hsp_fail_memory(err) : HSP_OK;
    for (int round = 0; !status && round < ROUNDS && t->iterations < most && !hsp_cancel_pending(); round++) {
        status = run_round(t, 1e-7, most - t->iterations, a->w, err);
        if (!status) status = gap_at(t, a, &gap, err);
        if (gap <= enough || (round > (gap <= wanted ? 0 : 2) && !(gap < last / 2))) break;
        last = gap;
    }
    a->reached = gap;
    return status;
}

/* Minimum norm: first with unscaled columns; if that is too slow, with scaled ones from the point reached. */
static int squares_rounds(lsmr *t, hsp_squares_answer *a, hsp_error **err) {
    enum { ROUNDS = 6 };
    double first, left = INFINITY, ignored;
    int status = HSP_OK;
    for (int scaled = 0; !status && scaled < 2 && !(left <= 1e-10) && !hsp_cancel_pending(); scaled++) {
        int64_t stop = t->iterations + iteration_limit(t->f);
        if (scaled && column_scales(t)) return hsp_fail_memory(err);
        memset(t->X, 0, (size_t)(t->f->K * t->f->d) * sizeof *t->X);
        status = normal_residual(t, t->X, 0, &ignored, &first, err); /* at zero; it clears X as well */
        double last = INFINITY;
        for (int round = 0; !status && round < ROUNDS && t->iterations < stop && !hsp_cancel_pending(); round++) {
            status = run_round(t, 1e-8, stop - t->iterations, a->w, err);
            if (!status) status = normal_residual(t, a->w, first, &left, &ignored, err);
            if (left <= 1e-14 || !(left < last / 4)) break;
            last = left;
        }
    }
    a->reached = left;
    return status;
}

int hsp_squares_by_lsmr(hsp_squares_frame *f, double tol, hsp_squares_answer *a, hsp_error **err) {
    lsmr t;
    a->path = HSP_SQUARES_LSMR;
    a->condition = NAN;
    a->rank = -1;
    int status = allocate_vectors(&t, f) ? hsp_fail_memory(err) : HSP_OK;
    if (!a->scores && !(a->scores = hsp_alloc(f->n * f->K, sizeof *a->scores)) && !status) status = hsp_fail_memory(err);
    memset(a->w, 0, (size_t)(f->K * f->d) * sizeof *a->w);
    if (!status) status = f->mu > 0 ? ridge_rounds(&t, tol, a, err) : squares_rounds(&t, a, err);
    a->iterations = t.iterations;
    HSP_FREE(t.s, t.U, t.P, t.Ue, t.Ud, t.V, t.H, t.Hb, t.X, t.Q, t.of);
    return status;
}
