/* The choice of lambda by leave-one-out over a grid. One eigen-decomposition A = V' diag(e) V of the centred Gram matrix (or,
 * for more columns than rows, of the matrix of products) serves every mu = lambda S: with p_i = V z_i
 *
 *     g_i = sum_k p_ik (V q)_k / (e_k + mu),   h_i = c_i (1/S + sum_k p_ik^2 / (e_k + mu)),   q = sum_i c_i t_i z_i
 *
 * and in the dual form, without the roots of the weights,
 *
 *     r_i / (1 - h_i) = (sum_k U_ki (U t)_k / (e_k + mu)) / (sum_k U_ki^2 / (e_k + mu))
 *
 * A penalised intercept is one more column of ones. The grid is from 1e-9 to 1e5 times the mean eigenvalue: below that,
 * rounding errors of the largest eigenvalues would matter. */
#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "data/matrix.h"
#include "design/design.h"
#include "design/gram.h"
#include "factor/factor.h"
#include "kernel/kernel.h"
#include "problem/problem.h"
#include "problem/squares.h"
#include "squares/squares_frame.h"

#include <string.h>

enum { LOW = -9, HIGH = 5, PER_DECADE = 4, COARSE = (HIGH - LOW) * PER_DECADE + 1, FINE = 16, AT_ONCE = 64 };
enum { ROWS = 512, SLICE = 4096 }; /* of a task; of a slice: memory does not grow with the rows */

typedef struct spectrum {
    hsp_squares_frame f;
    bool ones;      /* the last column is the intercept */
    bool by_rows;   /* dual */
    int64_t size;   /* of the matrix */
    double *V, *e;  /* size x size and size: eigenvectors and eigenvalues; all arrays are owned */
    double *q;      /* K x size: right-hand sides, rotated */
    double mean;    /* eigenvalue */
    double *H;      /* by columns: SLICE x FINE or COARSE: sum_k p_ik^2 / (e_k + mu) */
    double *buffer; /* SLICE x AT_ONCE; by rows: n */
    double *W, *b;  /* AT_ONCE or K x d, and as many */
    double *fits;   /* by columns: COARSE x K x (d + 1): weights and intercepts at every mu */
} spectrum;

/* ---- the matrix ---- */

/* Gram matrix and, with a column of ones, sums; right-hand sides into q, unrotated. */
static int gram_matrix(spectrum *s, double *G, double *sums, hsp_error **err) {
    hsp_squares_frame *f = &s->f;
    int64_t d = f->d, size = s->size;
    double mass;
    int status = hsp_design_gram(f->E, f->p->c, NULL, NULL, 1, G, err);
    if (!status && s->ones) status = hsp_design_group_sums(f->E, f->p->c, NULL, 1, &mass, sums, err);
    if (status) return status;
    for (int64_t i = d - 1; i >= 0; i--) memmove(s->V + i * size, G + i * d, (size_t)d * sizeof *G);
    for (int64_t j = 0; s->ones && j < d; j++) s->V[j * size + d] = s->V[d * size + j] = sums[j];
    if (s->ones) s->V[d * size + d] = f->S;
    status = hsp_frame_moment(f, s->W, err);
    for (int64_t k = 0; !status && k < f->K; k++) {
        memcpy(s->q + k * size, s->W + k * d, (size_t)d * sizeof *s->q);
        if (!s->ones) continue;
        s->q[k * size + d] = 0;
        for (int64_t i = 0; i < f->n; i++) s->q[k * size + d] += hsp_squares_weight(s->f.p, i) * f->T[i * f->K + k];
    }
    return status;
}

static int product_matrix(spectrum *s, hsp_error **err) {
    hsp_squares_frame *f = &s->f;
    int64_t n = f->n;
    int status = hsp_frame_products(f, s->ones, s->V, &s->mean, err);
    if (status) return status;
    /* Along the roots of the weights the centred matrix is zero; deflated far above the rest, they are the last eigenvector. */
    double above = f->p->intercept == HSP_INTERCEPT_FREE ? 4 * s->mean + 1 : 0;
    if (above > 0) hsp_frame_deflate(f, above, s->V);
    for (int64_t k = 0; k < f->K; k++)
        for (int64_t i = 0; i < n; i++) s->q[k * n + i] = hsp_frame_root(f, i) * f->T[i * f->K + k];
    return HSP_OK;
}

static int decompose_spectrum(spectrum *s, hsp_error **err) {
    int64_t size = s->size, K = s->f.K;
    int status = hsp_eigen(s->V, size, s->e);
    if (status == HSP_EINTERNAL) return hsp_frame_extreme(s->f.p, err);
    if (status) return hsp_factor_fail(status, "", err);
    double *v = hsp_alloc(size, sizeof *v);
    if (!v) return hsp_fail_memory(err);
    for (int64_t k = 0; k < K; k++) {
        for (int64_t r = 0; r < size; r++) v[r] = hsp_dot_f64(s->V + r * size, s->q + k * size, size);
        memcpy(s->q + k * size, v, (size_t)size * sizeof *v);
    }
    hsp_free(v);
    if (s->by_rows && s->f.p->intercept == HSP_INTERCEPT_FREE) s->e[size - 1] = INFINITY; /* no effect on anything */
    for (int64_t r = 0; r < size; r++)
        if (s->e[r] < 0) s->e[r] = 0;
    return HSP_OK;
}

static int open_spectrum(spectrum *s, const hsp_squares *p, bool by_rows, hsp_error **err) {
    *s = (spectrum){.by_rows = by_rows, .ones = p->intercept == HSP_INTERCEPT_PENALISED};
    int status = hsp_frame_open(&s->f, p, true, err);
    if (status) return status;
    int64_t n = s->f.n, d = s->f.d, K = s->f.K;
    s->size = by_rows ? n : d + s->ones;
    int64_t most = AT_ONCE > K ? AT_ONCE : K;
    int64_t slice = n < SLICE ? n : SLICE, fits = by_rows ? -1 : COARSE * K * (d + 1);
    double *G = NULL;
    bool allocated = HSP_ALLOC_DOUBLES(s->size * s->size, &s->V) && HSP_ALLOC_DOUBLES(s->size, &s->e) &&
                     HSP_ALLOC_DOUBLES(K * s->size, &s->q) && HSP_ALLOC_DOUBLES(most * d, &s->W) &&
                     HSP_ALLOC_DOUBLES(most, &s->b) && HSP_ALLOC_DOUBLES(by_rows ? -1 : slice * COARSE, &s->H) &&
                     HSP_ALLOC_DOUBLES(by_rows ? n : slice * AT_ONCE, &s->buffer) && HSP_ALLOC_DOUBLES(fits, &s->fits) &&
                     HSP_ALLOC_DOUBLES(by_rows ? -1 : d * (d + 1), &G);
    if (!allocated) status = hsp_fail_memory(err);
    if (!status) status = by_rows ? product_matrix(s, err) : gram_matrix(s, G, G + d * d, err);
    hsp_free(G);
    for (int64_t r = 0; !status && !by_rows && r < s->size; r++) s->mean += s->V[r * s->size + r];
    s->mean /= (double)(s->size < s->f.rows ? s->size : s->f.rows);
    if (!status && !isfinite(s->mean)) status = hsp_frame_extreme(s->f.p, err);
    return status ? status : decompose_spectrum(s, err);
}

/* ---- errors ---- */

typedef struct squares_pass {
    const spectrum *s;
    const double *inverse; /* few x count: 1 / (e + mu) */
    int64_t rows, few, count;
} squares_pass;

/* Adds the squares of a block of rows' scores to H. */
static void add_squares(void *ctx, int64_t block) {
    const squares_pass *q = ctx;
    int64_t end = (block + 1) * ROWS < q->rows ? (block + 1) * ROWS : q->rows;
    for (int64_t i = block * ROWS; i < end; i++)
        for (int64_t r = 0; r < q->few; r++) {
            double v = q->s->buffer[i * q->few + r];
            hsp_axpy_f64(v * v, q->inverse + r * q->count, q->s->H + i * q->count, q->count);
        }
}

/* H of a slice for all mu at once: one product of matrices for every AT_ONCE eigenvectors. */
static int leverages(spectrum *s, const hsp_design *slice, const double *mu, int64_t count, hsp_error **err) {
    int64_t d = slice->d;
    double inverse[AT_ONCE * COARSE];
    int status = HSP_OK;
    memset(s->H, 0, (size_t)(slice->n * count) * sizeof *s->H);
    for (int64_t first = 0; !status && first < s->size; first += AT_ONCE) {
        int64_t few = s->size - first < AT_ONCE ? s->size - first : AT_ONCE;
        for (int64_t r = 0; r < few; r++) {
            memcpy(s->W + r * d, s->V + (first + r) * s->size, (size_t)d * sizeof *s->W);
            s->b[r] = s->ones ? s->V[(first + r) * s->size + d] : 0;
            for (int64_t t = 0; t < count; t++) inverse[r * count + t] = 1 / (s->e[first + r] + mu[t]);
        }
        status = hsp_design_scores_many(slice, s->W, s->b, few, s->buffer, err);
        squares_pass pass = {s, inverse, slice->n, few, count};
        if (!status) hsp_pool_run((slice->n + ROWS - 1) / ROWS, slice->threads, add_squares, &pass);
    }
    return status;
}

/* The fit at each mu, from the spectrum: K x d weights, then K intercepts. */
static void find_fits(spectrum *s, const double *mu, int64_t count) {
    int64_t d = s->f.d, K = s->f.K;
    memset(s->fits, 0, (size_t)(count * K * (d + 1)) * sizeof *s->fits);
    for (int64_t t = 0; t < count; t++) {
        double *W = s->fits + t * K * (d + 1), *b = W + K * d;
        for (int64_t k = 0; k < K; k++)
            for (int64_t r = 0; r < s->size; r++) {
                double u = s->q[k * s->size + r] / (s->e[r] + mu[t]);
                hsp_axpy_f64(u, s->V + r * s->size, W + k * d, d);
                if (s->ones) b[k] += u * s->V[r * s->size + d];
            }
    }
}

/* Adds the errors of a slice at the t-th mu to the sum. */
static int add_slice(spectrum *s, const hsp_design *slice, int64_t from, int64_t t, int64_t count, double *sum,
                     hsp_error **err) {
    hsp_squares_frame *f = &s->f;
    double own = f->p->intercept == HSP_INTERCEPT_FREE ? 1 / f->S : 0;
    const double *W = s->fits + t * f->K * (f->d + 1);
    int status = hsp_design_scores_many(slice, W, W + f->K * f->d, f->K, f->R, err);
    for (int64_t i = 0; !status && i < slice->n; i++) {
        double c = hsp_squares_weight(f->p, from + i), spare = 1 - c * (own + s->H[i * count + t]);
        for (int64_t k = 0; c > 0 && k < f->K; k++) {
            double r = (f->T[(from + i) * f->K + k] - f->R[i * f->K + k]) / spare;
            *sum += spare > 1e-10 ? c * r * r : INFINITY;
        }
    }
    return status;
}

static int errors_by_columns(spectrum *s, const double *mu, int64_t count, double *error, hsp_error **err) {
    hsp_squares_frame *f = &s->f;
    int status = HSP_OK;
    find_fits(s, mu, count);
    for (int64_t t = 0; t < count; t++) error[t] = 0;
    for (int64_t from = 0; !status && from < f->n; from += SLICE) {
        hsp_matrix x;
        hsp_design slice = hsp_design_slice(f->E, from, f->n - from < SLICE ? f->n - from : SLICE, &x);
        status = leverages(s, &slice, mu, count, err);
        for (int64_t t = 0; !status && t < count; t++) status = add_slice(s, &slice, from, t, count, &error[t], err);
    }
    for (int64_t t = 0; t < count; t++) error[t] /= f->S;
    return status;
}

static void errors_by_rows(spectrum *s, const double *mu, int64_t count, double *error) {
    hsp_squares_frame *f = &s->f;
    int64_t n = f->n;
    for (int64_t t = 0; t < count; t++) {
        double sum = 0, *alpha = f->R, *diagonal = s->buffer; /* n x K and n */
        memset(alpha, 0, (size_t)(n * f->K) * sizeof *alpha);
        memset(diagonal, 0, (size_t)n * sizeof *diagonal);
        for (int64_t r = 0; r < n; r++) {
            double inverse = 1 / (s->e[r] + mu[t]);
            for (int64_t i = 0; i < n; i++) {
                double v = s->V[r * n + i];
                diagonal[i] += v * v * inverse;
                for (int64_t k = 0; k < f->K; k++) alpha[i * f->K + k] += v * inverse * s->q[k * n + r];
            }
        }
        for (int64_t i = 0; i < n; i++) /* alpha = sqrt(c) times the residual */
            for (int64_t k = 0; hsp_squares_weight(s->f.p, i) > 0 && k < f->K; k++) {
                double r = alpha[i * f->K + k] / diagonal[i];
                sum += diagonal[i] > 0 ? r * r : INFINITY;
            }
        error[t] = sum / f->S;
    }
}

/* Appends the errors of `count` values of mu to the search. */
static int add_errors(spectrum *s, const double *mu, int64_t count, hsp_squares_search *out, hsp_error **err) {
    double *error = out->error + out->count;
    int status = HSP_OK;
    if (s->by_rows)
        errors_by_rows(s, mu, count, error);
    else
        status = errors_by_columns(s, mu, count, error, err);
    for (int64_t t = 0; t < count; t++) out->lambda[out->count + t] = mu[t] / s->f.S;
    if (!status) out->count += count;
    return status;
}

/* The least error; of equals the one with the largest lambda. */
static int64_t best_of(const hsp_squares_search *s) {
    int64_t best = 0;
    for (int64_t t = 1; t < s->count; t++)
        if (s->error[t] < s->error[best] || (s->error[t] == s->error[best] && s->lambda[t] > s->lambda[best])) best = t;
    return best;
}

static void sort_by_mu(hsp_squares_search *s) {
    for (int64_t t = 1; t < s->count; t++) {
        double lambda = s->lambda[t], error = s->error[t];
        int64_t at = t;
        for (; at > 0 && s->lambda[at - 1] > lambda; at--) {
            s->lambda[at] = s->lambda[at - 1];
            s->error[at] = s->error[at - 1];
        }
        s->lambda[at] = lambda;
        s->error[at] = error;
    }
}

static int search_lambda(spectrum *s, hsp_squares_search *out, hsp_error **err) {
    double mu[COARSE], middle = s->mean > 0 ? s->mean : 1;
    for (int64_t t = 0; t < COARSE; t++) mu[t] = middle * pow(10, LOW + (double)t / PER_DECADE);
    int status = add_errors(s, mu, COARSE, out, err);
    if (status) return status;
    int64_t best = best_of(out), from = best > 0 ? best - 1 : 0, to = best < COARSE - 1 ? best + 1 : best;
    if (s->f.p->c && isinf(out->error[best]))
        return hsp_fail(err, HSP_EINPUT,
                        "--lambda auto cannot leave out a row that has nearly all the weight: give a number");
    if (!isfinite(out->error[best])) return hsp_frame_extreme(s->f.p, err);
    double low = log(mu[from]), high = log(mu[to]);
    for (int64_t t = 0; t < FINE; t++) mu[t] = exp(low + (high - low) * ((double)t + 0.5) / FINE);
    status = add_errors(s, mu, FINE, out, err);
    if (!status) out->best = out->lambda[best_of(out)];
    if (!status) sort_by_mu(out);
    return status;
}

int hsp_squares_search_lambda(const hsp_squares *p, hsp_squares_search *out, hsp_error **err) {
    enum { LARGEST = 12000 };
    hsp_squares_path path = hsp_squares_choose_path(p);
    bool by_rows = path == HSP_SQUARES_DUAL;
    int64_t size = by_rows ? p->design->n : p->design->d;
    *out = (hsp_squares_search){0};
    if (hsp_squares_rows(p) < 2)
        return hsp_fail(err, HSP_EINPUT, "--lambda auto needs more than one row%s: give a number",
                        p->c ? " with weight" : "");
    if (path == HSP_SQUARES_LSMR || size > LARGEST || !hsp_frame_fits(size, size, 6))
        return hsp_fail(err, HSP_EUSAGE,
                        "--lambda auto needs an eigendecomposition that is too large for %lld rows x %lld columns: give a "
                        "number, or use fewer columns",
                        (long long)p->design->n, (long long)p->design->d);
    spectrum s = {0};
    bool allocated = HSP_ALLOC_DOUBLES(COARSE + FINE, &out->lambda, &out->error);
    int status = allocated ? open_spectrum(&s, p, by_rows, err) : hsp_fail_memory(err);
    if (!status) status = search_lambda(&s, out, err);
    hsp_frame_close(&s.f);
    HSP_FREE(s.V, s.e, s.q, s.W, s.b, s.H, s.buffer, s.fits);
    if (status) hsp_squares_search_clear(out);
    return status;
}

void hsp_squares_search_clear(hsp_squares_search *s) {
    HSP_FREE(s->lambda, s->error);
    *s = (hsp_squares_search){0};
}
