/* n >= d: the centred Gram matrix A = Z'CZ + mu I, scaled to a unit diagonal so that the units of the columns have no effect,
 * and Cholesky. The Gram matrix has the squared condition number; the lost accuracy is restored by refinement with residuals
 * from the rows, as long as the condition of the scaled matrix lets it converge. */
#include "base/error.h"
#include "base/memory.h"
#include "design/gram.h"
#include "factor/factor.h"
#include "kernel/kernel.h"
#include "problem/problem.h"
#include "problem/squares.h"
#include "squares/squares_frame.h"

#include <float.h>
#include <string.h>

/* The least reciprocal condition with which a factor of products in single precision is refined: each step must reduce the
 * error by much. */
static const double SINGLE_RCOND = 1e-6;

/* The same with which a factor of products in double precision is refined by these alone: the errors of the sums, of 1e-14 or
 * so, grow by the inverse of it. */
static const double SUMS_RCOND = 1e-4;

/* Products in single precision, and the moment by a pass of its own. */
static int single_gram(hsp_squares_frame *f, double *A, double *moment, hsp_error **err) {
    int status = hsp_design_gram_single(f->E, f->p->c, NULL, A, err);
    for (int64_t j = 0; !status && f->kappa > 0 && j < f->d; j++)
        hsp_axpy_f64(f->kappa * f->m[j], f->m, A + j * f->d, f->d);
    return status ? status : hsp_frame_moment(f, moment, err);
}

/* Keeps the sums of few columns for those who need moments. */
static int keep_sums(const hsp_squares_frame *f, const double *A, const double *moment, hsp_squares_answer *a,
                     hsp_error **err) {
    int64_t d = f->d;
    if (d > HSP_SQUARES_KEPT || f->p->intercept != HSP_INTERCEPT_FREE) return HSP_OK;
    if (HSP_COPY(a->gram, A, d * d) || HSP_COPY(a->cross, moment, f->K * d) || HSP_COPY(a->mean, f->m, d))
        return hsp_fail_memory(err);
    return HSP_OK;
}

/* A in a->L, its scaling, and the moment in a->w; constant columns get a unit row and, with a right-hand side of 0, the
 * weight 0. */
static int scaled_gram(hsp_squares_frame *f, bool single, hsp_squares_answer *a, hsp_error **err) {
    int64_t d = f->d;
    double *A = a->L, *s = a->scale;
    int status = single ? single_gram(f, A, a->w, err) : hsp_frame_gram(f, A, a->w, err);
    if (!status && !single) status = keep_sums(f, A, a->w, a, err);
    if (status) return status;
    for (int64_t j = 0; j < d; j++) {
        double v = A[j * d + j] + f->mu;
        if (!isfinite(v) && !single) return hsp_frame_extreme(f->p, err);
        s[j] = v > 0 ? 1 / sqrt(v) : 0;
    }
    for (int64_t j = 0; j < d; j++) {
        A[j * d + j] += f->mu;
        for (int64_t k = 0; k < d; k++) A[j * d + k] *= s[j] * s[k];
        A[j * d + j] = 1;
    }
    return HSP_OK;
}

/* The largest ratio of |step| to |w| over the outputs, in the scaled columns. */
static double relative_step(const hsp_squares_frame *f, const hsp_squares_answer *a, const double *step) {
    double worst = 0;
    for (int64_t k = 0; k < f->K; k++) {
        double up = 0, down = 0;
        for (int64_t j = 0; j < f->d; j++) {
            double s = a->scale[j] > 0 ? 1 / a->scale[j] : 0, u = step[k * f->d + j] * s, w = a->w[k * f->d + j] * s;
            up += u * u;
            down += w * w;
        }
        double ratio = up == 0 ? 0 : sqrt(up / down);
        if (!(ratio <= worst)) worst = ratio;
    }
    return worst;
}

/* Whether the pass over the rows that gave the step also certifies the result: the step must change the objective by less than
 * its rounding. The decrease is rho'A^-1 rho / 2 with rho the residual of the normal equations. Not with a penalised
 * intercept, which is not in the frame's sums, nor where scores are needed: they would be those before the step. */
static bool is_accurate(const hsp_squares_frame *f, const double *rho, const double *step, double size,
                        hsp_squares_answer *a) {
    const hsp_squares *p = f->p;
    if (!p->unscored || p->intercept == HSP_INTERCEPT_PENALISED || !(size < 1e-9)) return false;
    double C = hsp_squares_penalised(p) ? p->C : 1;
    for (int64_t k = 0; k < f->K; k++) {
        a->figures[k] = hsp_squares_figures_of(p, f->sums[k], f->S, a->w + k * f->d, 0);
        a->excess[k] = fmax(C * hsp_dot_f64(rho + k * f->d, step + k * f->d, f->d) / 2, 0) + a->figures[k].tilt;
        double P = a->figures[k].at.objective;
        if (!(a->excess[k] <= DBL_EPSILON / 8 * P && isfinite(P))) return false;
    }
    return true;
}

/* Whether scores, residuals and their pull are one pass, and the solution is measured by it. */
static bool may_measure(const hsp_squares_frame *f) {
    enum { LARGE = 1 << 16 }; /* numbers: fewer are measured as fast in any way */
    return f->sweep && f->n * f->d >= LARGE && f->p->unscored && f->p->intercept != HSP_INTERCEPT_PENALISED;
}

/* Refines and measures the solution of ridge by the sums that gave it, without a pass: with few columns, and residuals that are
 * not lost in rounding. These are figures of the solver; the certificate is of the rows. step: 2 d. */
static bool measure_by_sums(hsp_squares_frame *f, hsp_squares_answer *a, double *step) {
    static const double LEAST = 1e-4; /* of the targets' squares: the residuals' */
    const hsp_squares *p = f->p;
    int64_t d = f->d;
    double *rho = step + d, squares = 0, sum = 0;
    if (!may_measure(f) || !a->gram || !p->regression || !hsp_squares_penalised(p)) return false;
    for (int64_t i = 0; i < f->n; i++) {
        double c = hsp_squares_weight(p, i);
        squares += c * f->T[i] * f->T[i];
        sum += c * f->T[i];
    }
    double rest = squares;
    for (int64_t j = 0; j < d; j++) {
        double product = hsp_dot_f64(a->gram + j * d, a->w, d);
        rest += a->w[j] * (product - 2 * a->cross[j]);
        rho[j] = step[j] = f->constant[j] ? 0 : a->cross[j] - product - f->mu * a->w[j];
    }
    if (!(rest >= LEAST * squares)) return false;
    f->sums[0] = (hsp_squares_sums){.squares = rest, .residuals = sum, .size = 4 * squares};
    hsp_cholesky_solve_scaled(a->L, d, a->scale, step, 1);
    if (!is_accurate(f, rho, step, relative_step(f, a, step), a)) return false;
    hsp_axpy_f64(1, step, a->w, d);
    return true;
}

/* Refinement steps down to rounding; *converged is false when they do not shrink. Each step reduces the error by about the
 * same factor, which the first step measures, so the size of the next one is known and the last can be skipped. */
static int refine_by_residual(hsp_squares_frame *f, hsp_squares_answer *a, double rcond, bool *converged, hsp_error **err) {
    enum { MOST = 8 };
    double *step = hsp_alloc(2 * f->K * f->d, sizeof *step), *rho = step ? step + f->K * f->d : NULL, last = 1;
    int status = step ? HSP_OK : hsp_fail_memory(err);
    /* Cholesky alone gives thirteen digits; a step costs nothing where its pass also measures the result. */
    if (!status && rcond > SUMS_RCOND) a->measured = measure_by_sums(f, a, step);
    *converged = a->measured || (rcond > 1e-3 && !may_measure(f));
    for (int t = 0; !status && !*converged && t < MOST; t++) {
        status = hsp_frame_residual(f, a->w, step, err);
        if (status) break;
        memcpy(rho, step, (size_t)(f->K * f->d) * sizeof *rho);
        hsp_cholesky_solve_scaled(a->L, f->d, a->scale, step, f->K);
        double size = relative_step(f, a, step);
        if (!(size < last / 2)) break; /* NaN too */
        hsp_axpy_f64(1, step, a->w, f->K * f->d);
        *converged = size * (size / last) < 1e-14;
        a->measured = *converged && is_accurate(f, rho, step, size, a);
        last = size;
    }
    if (last < 1e-10) *converged = true;
    hsp_free(step);
    return status;
}

/* Computes, factorises and solves, with products in single precision or double. HSP_OK, and whether it converged. */
static int solve_by_gram(hsp_squares_frame *f, bool single, double least, hsp_squares_answer *a, bool *converged,
                         hsp_error **err) {
    int64_t d = f->d;
    *converged = false;
    int status = scaled_gram(f, single, a, err);
    if (status) return status;
    double norm = hsp_matrix_norm1(a->L, d), rcond = 0;
    int64_t bad = hsp_cholesky(a->L, d);
    if (bad < 0) return hsp_factor_fail((int)bad, "", err);
    if (bad == 0) {
        rcond = hsp_cholesky_rcond(a->L, d, norm);
        if (isnan(rcond)) return hsp_fail_memory(err);
    }
    a->condition = rcond > 0 ? 1 / sqrt(rcond) : INFINITY;
    a->rank = 0;
    for (int64_t j = 0; j < d; j++) a->rank += a->scale[j] > 0;
    if (!(rcond > least)) return HSP_OK;
    hsp_cholesky_solve_scaled(a->L, d, a->scale, a->w, f->K);
    return refine_by_residual(f, a, single ? 0 : rcond, converged, err);
}

/* Products in single precision take half the time; refinement restores the accuracy. Where leave-one-out needs the factor
 * itself, or the products take little time anyway, they are not worth it. */
static bool suits_single(const hsp_squares_frame *f) {
    enum { FEWEST = 96 };
    return f->p->unscored && f->E->x->dense && f->d >= FEWEST;
}

int hsp_squares_by_gram(hsp_squares_frame *f, bool insist, hsp_squares_answer *a, hsp_error **err) {
    int64_t d = f->d;
    bool converged = false;
    int status = HSP_OK;
    a->path = HSP_SQUARES_GRAM;
    if (!HSP_ALLOC(a->L, d * d) || !HSP_ALLOC(a->scale, d)) return hsp_fail_memory(err);
    if (suits_single(f)) status = solve_by_gram(f, true, SINGLE_RCOND, a, &converged, err);
    if (!status && !converged) status = solve_by_gram(f, false, insist ? 1e-15 : HSP_SQUARES_RCOND, a, &converged, err);
    if (!status && !converged) a->path = HSP_SQUARES_QR;
    return status;
}
