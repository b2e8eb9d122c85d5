/* Principal components without the covariance matrix: the Lanczos iteration on X'X with centred and scaled columns and full
 * reorthogonalisation. Each step makes two passes over the stored rows. */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/rng.h"
#include "design/design.h"
#include "factor/factor.h"
#include "kernel/kernel.h"
#include "study/plane.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 120, LOOK = 5 };

static const double enough = 1e-9; /* residual of a component, relative to the largest variance */

typedef struct lanczos {
    hsp_design *D;
    int64_t n, d, steps, most;
    double *shift, *factor; /* d: of the columns of the matrix */
    double *z;              /* n */
    double *apart;          /* n: unit vector to project out, or NULL */
    double *Q;              /* most + 1 rows of d */
    double alpha[MOST_STEPS], beta[MOST_STEPS + 1];
    double *T, *value; /* most x most, and most: the small eigenproblem */
    hsp_rng random;
} lanczos;

/* The coordinates of the rows along w. */
static void scores(const lanczos *l, const double *w, double *z) {
    hsp_design_scores(l->D, w, 0, z);
    if (l->apart) hsp_axpy_f64(-hsp_dot_f64(l->apart, z, l->n), l->apart, z, l->n);
}

/* Two passes of Gram-Schmidt are enough (Kahan, Parlett). */
static double orthogonalise(const lanczos *l, double *q, int64_t before) {
    for (int turn = 0; turn < 2; turn++)
        for (int64_t k = 0; k < before; k++) {
            const double *other = l->Q + k * l->d;
            hsp_axpy_f64(-hsp_dot_f64(other, q, l->d), other, q, l->d);
        }
    return sqrt(hsp_dot_f64(q, q, l->d));
}

/* Sets vector k to a random direction orthogonal to those before it: at the start, and when an invariant subspace is
 * exhausted. Returns false if there is none. */
static bool restart_bars(lanczos *l, int64_t k) {
    double *q = l->Q + k * l->d;
    for (int64_t j = 0; j < l->d; j++) q[j] = l->factor[j] > 0 ? hsp_rng_normal(&l->random) : 0;
    double before = sqrt(hsp_dot_f64(q, q, l->d)), norm = orthogonalise(l, q, k);
    if (!(norm > 1e-10 * before)) return false;
    hsp_scale_f64(1 / norm, q, l->d);
    return true;
}

/* The rows of T become the eigenvectors of the tridiagonal matrix, by ascending eigenvalue. */
static int solve_small(lanczos *l, hsp_error **err) {
    int64_t k = l->steps;
    memset(l->T, 0, (size_t)(k * k) * sizeof *l->T);
    for (int64_t i = 0; i < k; i++) {
        l->T[i * k + i] = l->alpha[i];
        if (i + 1 < k) l->T[i * k + i + 1] = l->T[(i + 1) * k + i] = l->beta[i + 1];
    }
    int status = hsp_eigen(l->T, k, l->value);
    if (status == HSP_EMEMORY) return hsp_fail_memory(err);
    if (status)
        return hsp_fail(err, status, "cannot compute the principal components: choose two features with --x and --y");
    return HSP_OK;
}

static bool settled(const lanczos *l, int count) {
    int64_t k = l->steps;
    for (int c = 0; c < count && c < k; c++) {
        double residual = fabs(l->beta[k] * l->T[(k - 1 - c) * k + k - 1]);
        if (residual > enough * l->value[k - 1]) return false;
    }
    return k >= count;
}

static int iterate(lanczos *l, int count, hsp_error **err) {
    int status = HSP_OK;
    if (!restart_bars(l, 0)) return HSP_OK;
    double largest = 0;
    while (!status && l->steps < l->most) {
        int64_t k = l->steps;
        double *q = l->Q + k * l->d, *next = q + l->d;
        if (hsp_cancel_take()) return hsp_fail(err, HSP_ECANCELLED, "cancelled");
        scores(l, q, l->z);
        hsp_design_adjoint(l->D, l->z, next);
        l->alpha[k] = hsp_dot_f64(q, next, l->d);
        largest = fmax(largest, l->alpha[k]);
        double norm = orthogonalise(l, next, k + 1);
        l->steps = k + 1;
        bool exhausted = !(norm > 1e-12 * largest);
        l->beta[k + 1] = exhausted ? 0 : norm;
        if (l->steps % LOOK == 0 && !exhausted) {
            status = solve_small(l, err);
            if (!status && settled(l, count)) return HSP_OK;
        }
        if (exhausted && (l->steps >= l->most || !restart_bars(l, l->steps))) break;
        if (!exhausted) hsp_scale_f64(1 / norm, next, l->d);
    }
    return status ? status : solve_small(l, err);
}

/* Component c in the columns, with the sign that makes its largest entry positive. */
static void direction(const lanczos *l, int c, double *w) {
    int64_t k = l->steps;
    const double *s = l->T + (k - 1 - c) * k;
    double most = 0;
    memset(w, 0, (size_t)l->d * sizeof *w);
    for (int64_t i = 0; i < k; i++) hsp_axpy_f64(s[i], l->Q + i * l->d, w, l->d);
    for (int64_t j = 0; j < l->d; j++)
        if (fabs(w[j]) > fabs(most) * (1 + 1e-9)) most = w[j];
    if (most < 0) hsp_scale_f64(-1, w, l->d);
}

/* Columns of the matrix beyond the features get factor 0. All are scaled to about 1, so that squares stay in range. */
static double set_columns(const hsp_plane *p, const double *scale, lanczos *l) {
    double unit = 0;
    for (int64_t j = 0; j < l->d && j < p->d; j++) unit = fmax(unit, p->sd[j] * (scale ? scale[j] : 1));
    for (int64_t j = 0; j < l->d; j++) {
        bool used = j < p->d && p->sd[j] > 0 && unit > 0;
        l->shift[j] = used ? p->mean[j] : 0;
        l->factor[j] = used ? (scale ? scale[j] : 1) / unit : 0;
        if (!isfinite(l->factor[j])) l->factor[j] = 0;
    }
    return unit;
}

static int open_lanczos(const hsp_plane *p, const double *scale, const double *without, int count, lanczos *l, double *unit,
                        hsp_error **err) {
    int64_t room = (INT64_C(1) << 26) / (p->x->d + 1);
    l->n = p->n;
    l->d = p->x->d;
    l->most = l->d < MOST_STEPS ? l->d : MOST_STEPS;
    if (l->most > room) l->most = room;
    if (l->most < 2 * count + 4) l->most = 2 * count + 4 < l->d ? 2 * count + 4 : l->d;
    l->random = hsp_rng_new(1, 0x706361);
    l->shift = hsp_alloc(l->d, sizeof *l->shift);
    l->factor = hsp_alloc(l->d, sizeof *l->factor);
    l->z = hsp_alloc(l->n, sizeof *l->z);
    l->apart = without ? hsp_alloc(l->n, sizeof *l->apart) : NULL;
    l->Q = hsp_alloc((l->most + 1) * l->d, sizeof *l->Q);
    l->T = hsp_alloc(l->most * l->most, sizeof *l->T);
    l->value = hsp_alloc(l->most, sizeof *l->value);
    if (!l->shift || !l->factor || !l->z || (without && !l->apart) || !l->Q || !l->T || !l->value)
        return hsp_fail_memory(err);
    *unit = set_columns(p, scale, l);
    return hsp_design_new(p->x, l->shift, l->factor, p->in->threads, &l->D, err);
}

int hsp_plane_components(const hsp_plane *p, const double *scale, const double *without, int count, double *const *out,
                         double *share, hsp_error **err) {
    lanczos l = {0};
    double unit = 0, total = 0;
    int status = open_lanczos(p, scale, without, count, &l, &unit, err);
    if (!status && without) {
        /* Centre `without` and scale it to length 1; it is 0 if it does not vary. */
        long double mean = 0, most = 0;
        for (int64_t i = 0; i < l.n; i++) mean += (without[i] - mean) / (i + 1);
        for (int64_t i = 0; i < l.n; i++) most = fmaxl(most, fabsl(without[i] - mean));
        for (int64_t i = 0; i < l.n; i++) l.apart[i] = most > 0 ? (double)((without[i] - mean) / most) : 0;
        double norm = sqrt(hsp_dot_f64(l.apart, l.apart, l.n));
        if (norm > 0) hsp_scale_f64(1 / norm, l.apart, l.n);
    }
    if (!status) status = iterate(&l, count, err);
    for (int64_t j = 0; !status && j < l.d && j < p->d; j++) {
        double sd = p->sd[j] * l.factor[j];
        total += sd * sd * (double)p->n;
    }
    double *w = status ? NULL : hsp_alloc(l.d, sizeof *w);
    if (!status && !w) status = hsp_fail_memory(err);
    for (int c = 0; !status && c < count; c++) {
        bool there = c < l.steps && unit > 0;
        share[c] = there && total > 0 ? fmin(1, fmax(0, l.value[l.steps - 1 - c] / total)) : 0;
        memset(out[c], 0, (size_t)l.n * sizeof *out[c]);
        if (!there) continue;
        direction(&l, c, w);
        scores(&l, w, out[c]);
        hsp_scale_f64(unit, out[c], l.n);
    }
    hsp_design_free(l.D);
    HSP_FREE(l.shift, l.factor, l.z, l.apart, l.Q, l.T, l.value, w);
    return status;
}
