/* The choice of the method, and the figures of its result. */
#include "squares/squares_solve.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/matrix.h"
#include "factor/factor.h"
#include "kernel/kernel.h"
#include "problem/problem.h"
#include "squares/squares_frame.h"

#include <float.h>

const char *hsp_squares_path_name(hsp_squares_path path) {
    static const char *const name[] = {"auto", "cholesky", "qr", "dual-cholesky", "svd", "lsmr"};
    return name[path];
}

/* Multiplications for the Gram matrix of sparse rows. */
static double sparse_work(const hsp_matrix *x) {
    double work = 0;
    for (int64_t i = 0; i < x->n; i++) {
        double count = (double)hsp_matrix_row(x, i).count;
        work += count * count;
    }
    return work;
}

hsp_squares_path hsp_squares_choose_path(const hsp_squares *p) {
    enum { SMALL = 2000 };
    const hsp_matrix *x = p->design->x;
    int64_t n = p->design->n, d = p->design->d, rows = hsp_squares_rows(p);
    /* With as many weights as rows, ridge nearly interpolates its targets: residuals and 1 - leverage are then differences of
     * nearly equal numbers by columns, but products by rows. */
    bool interpolates = hsp_squares_penalised(p) && d >= rows - 1 && n <= 4 * (d + 1);
    if (interpolates && (x->dense ? hsp_frame_fits(n, n, 3) : n <= SMALL)) return HSP_SQUARES_DUAL;
    if (x->dense) {
        if (d <= rows) return hsp_frame_fits(d, d, 4) ? HSP_SQUARES_GRAM : HSP_SQUARES_LSMR;
        return hsp_frame_fits(n, n, 3) ? HSP_SQUARES_DUAL : HSP_SQUARES_LSMR;
    }
    if (d <= SMALL && d <= rows && sparse_work(x) <= 1e11) return HSP_SQUARES_GRAM;
    if (n <= SMALL && rows < d) return HSP_SQUARES_DUAL;
    return HSP_SQUARES_LSMR;
}

void hsp_squares_answer_clear(hsp_squares_answer *a) {
    HSP_FREE(a->w, a->b, a->scores, a->figures, a->excess, a->constant, a->dependent, a->L, a->scale, a->T, a->spare,
             a->residuals, a->gram, a->cross, a->mean);
    *a = (hsp_squares_answer){0};
}

static int list_constants(const hsp_squares_frame *f, hsp_squares_answer *a) {
    for (int64_t j = 0; j < f->d; j++) a->constants += f->constant[j];
    if (a->constants == 0) return HSP_OK;
    if (!(a->constant = hsp_alloc(a->constants, sizeof *a->constant))) return HSP_EMEMORY;
    for (int64_t j = 0, at = 0; j < f->d; j++)
        if (f->constant[j]) a->constant[at++] = j;
    return HSP_OK;
}

static bool by_rows(hsp_squares_path path) {
    return path == HSP_SQUARES_DUAL || path == HSP_SQUARES_SVD;
}

/* The chosen method, and the one that it may fall back to. */
static int try_path(hsp_squares_frame *f, hsp_squares_path path, bool insist, double tol, hsp_squares_answer *a,
                    hsp_error **err) {
    int status = HSP_OK;
    a->path = path;
    if (path == HSP_SQUARES_GRAM) status = hsp_squares_by_gram(f, insist, a, err);
    if (!status && path == HSP_SQUARES_DUAL) status = hsp_squares_by_dual(f, insist, a, err);
    if (!status && a->path != path) { /* the factor was too inaccurate */
        HSP_FREE(a->L, a->scale);
        a->L = a->scale = NULL;
        bool fits = a->path == HSP_SQUARES_QR ? hsp_frame_fits(f->d, f->d, 8) : hsp_frame_fits(f->n, f->d, 4);
        if (!fits) a->path = HSP_SQUARES_LSMR;
    }
    if (!status && a->path == HSP_SQUARES_LSMR && by_rows(path)) {
        const hsp_squares *p = f->p;
        hsp_frame_close(f);
        status = hsp_frame_open_passes(f, p, false, err);
    }
    if (!status && a->path == HSP_SQUARES_QR) status = hsp_squares_by_qr(f, a, err);
    if (!status && a->path == HSP_SQUARES_SVD) status = hsp_squares_by_svd(f, a, err);
    if (!status && a->path == HSP_SQUARES_LSMR) status = hsp_squares_by_lsmr(f, tol, a, err);
    return status;
}

/* v' A^+ v / 2: the possible decrease at weights whose normal equations have the residual v. */
static double could_gain(const hsp_squares_answer *a, const double *v, int64_t d, double *scratch) {
    double sum = 0;
    for (int64_t k = 0; a->T && k < a->rank; k++) {
        double u = hsp_dot_f64(a->T + k * d, v, d);
        sum += u * u;
    }
    if (a->T) return sum / 2;
    for (int64_t j = 0; j < d; j++) scratch[j] = v[j] * a->scale[j];
    hsp_cholesky_forward(a->L, d, scratch, 1);
    return hsp_dot_f64(scratch, scratch, d) / 2;
}

/* Least squares: 0 when it is within the rounding errors of the scores. */
static double squares_excess(const hsp_squares *p, const hsp_squares_answer *a, int64_t k, double *pull, double *scratch) {
    const hsp_squares_figures *g = &a->figures[k];
    if (a->path == HSP_SQUARES_LSMR) return NAN;
    /* The dual form has as many directions as rows: all of the objective could be gained. */
    double gain = a->measured ? a->excess[k] : g->excess;
    if (!a->measured) gain += a->path == HSP_SQUARES_DUAL ? g->at.objective : could_gain(a, pull, p->design->d, scratch);
    double noise = 64 * DBL_EPSILON * g->size * fmin(fmax(a->condition, 1), 1e8);
    return gain <= noise * noise / 2 ? 0 : gain;
}

/* Ridge: the duality gap at the residuals; or, from the factorisation, that at the residuals of the exact solution. With
 * columns of large numbers the first is mostly rounding. pull becomes the residual of the normal equations. */
static double ridge_excess(const hsp_squares *p, const hsp_squares_answer *a, int64_t k, double *pull, double *scratch) {
    int64_t d = p->design->d;
    double gap = a->measured ? a->excess[k] : a->figures[k].excess;
    bool by_columns = a->path == HSP_SQUARES_GRAM || a->path == HSP_SQUARES_QR;
    if (a->measured || !by_columns || p->intercept == HSP_INTERCEPT_PENALISED) return gap;
    hsp_axpy_f64(-hsp_squares_mu(p), a->w + k * d, pull, d);
    double shift = p->intercept == HSP_INTERCEPT_FREE ? a->figures[k].tilt : 0;
    return fmin(gap, p->C * could_gain(a, pull, d, scratch) + shift);
}

int hsp_squares_solve(const hsp_squares *p, hsp_squares_path path, double tol, hsp_squares_answer *out, hsp_error **err) {
    hsp_squares_answer *a = out;
    *a = (hsp_squares_answer){.condition = NAN, .rank = -1, .reached = NAN};
    a->figures = hsp_alloc_zero(p->K, sizeof *a->figures);
    if (!a->figures || !HSP_ALLOC_DOUBLES(p->K * p->design->d, &a->w) || !HSP_ALLOC_DOUBLES(p->K, &a->b, &a->excess)) {
        hsp_squares_answer_clear(a);
        return hsp_fail_memory(err);
    }
    bool insist = path == HSP_SQUARES_GRAM || path == HSP_SQUARES_DUAL;
    if (path == HSP_SQUARES_AUTO) path = hsp_squares_choose_path(p);
    hsp_squares_frame f;
    int status = hsp_frame_open_passes(&f, p, by_rows(path), err);
    if (!status) status = try_path(&f, path, insist, tol, a, err);
    if (!status && list_constants(&f, a)) status = hsp_fail_memory(err);
    if (!status && !(by_rows(a->path) && p->intercept == HSP_INTERCEPT_PENALISED)) hsp_frame_intercepts(&f, a->w, a->b);
    hsp_frame_close(&f);
    if (!status) {
        /* The figures of the solution, from the rows as given. */
        int64_t d = p->design->d;
        double *pull = hsp_alloc((p->K + 1) * d, sizeof *pull);
        if (!a->measured && !a->scores) a->scores = hsp_alloc(p->design->n * p->K, sizeof *a->scores);
        status = pull && (a->measured || a->scores) ? HSP_OK : hsp_fail_memory(err);
        if (!status && (!hsp_finite_f64(a->w, p->K * d) || !hsp_finite_f64(a->b, p->K))) status = hsp_frame_extreme(p, err);
        if (!status && !a->measured) status = hsp_squares_measure(p, a->w, a->b, a->scores, pull, a->figures, err);
        if (!status && a->scores && !hsp_finite_f64(a->scores, p->design->n * p->K)) status = hsp_frame_extreme(p, err);
        if (!status) {
            /* P - P*; overwrites pull. */
            double *scratch = pull + p->K * d;
            bool ridge = hsp_squares_penalised(p);
            for (int64_t k = 0; k < p->K; k++) {
                double *v = pull + k * p->design->d;
                a->excess[k] = ridge ? ridge_excess(p, a, k, v, scratch) : squares_excess(p, a, k, v, scratch);
            }
        }
        hsp_free(pull);
    }
    if (status) hsp_squares_answer_clear(a);
    return status;
}
