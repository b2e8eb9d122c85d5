/* Without a penalty, a bound needs multipliers a with
 *
 *     sum_i a_i x_i = 0.
 *
 * Rounded multipliers satisfy this only approximately: the sum is some v. Exact multipliers a - c rho exist, where
 *
 *     sum_i c_i rho_i (x_i - at) = v,
 *
 * and one such rho has
 *
 *     sum_i c_i rho_i^2 = v' G^-1 v,   G = sum_i c_i (x_i - at)(x_i - at)'.
 *
 * They change the dual by at most |rho| |g| plus a second-order term, so the bound is lowered by that. The least eigenvalue
 * of G, scaled to a unit diagonal, gives an upper bound of v' G^-1 v. (Nearly) collinear columns make the bound useless, as
 * they should: then the weights can be large at no cost, and v.w with them. */
#include "base/error.h"
#include "base/memory.h"
#include "data/matrix.h"
#include "factor/factor.h"
#include "verify/claim/audit.h"

#include <float.h>

/* The largest number of multiplications to spend on G and its eigenvalues. */
static const double AFFORDABLE = 3e9;

/* Computes the lower triangle of G. */
static void sum_products(const hsp_audit *u, const double *at, double *z, double *G) {
    int64_t d = u->c.d;
    for (int64_t i = 0; i < u->c.n; i++) {
        if (u->c.c[i] == 0) continue;
        /* The row minus `at`, with all d values. */
        hsp_row r = hsp_matrix_row(&u->c.data->x, i);
        for (int64_t j = 0; j < u->c.d; j++) z[j] = -at[j];
        for (int64_t t = 0; t < r.count; t++) z[hsp_row_id(r, t)] += hsp_row_value(r, t);
        for (int64_t j = 0; j < d; j++) {
            double f = u->c.c[i] * z[j], *row = G + j * d;
            if (f == 0) continue;
            for (int64_t k = 0; k <= j; k++) row[k] += f * z[k];
        }
    }
}

/* Scales G to a unit diagonal and fills both triangles. Constant columns become those of the identity, with size 0. */
static void scale(int64_t d, double *G, double *size) {
    for (int64_t j = 0; j < d; j++) size[j] = sqrt(G[j * d + j]);
    for (int64_t j = 0; j < d; j++)
        for (int64_t k = 0; k <= j; k++) {
            double s = size[j] * size[k], g = j == k ? 1 : s > 0 ? G[j * d + k] / s : 0;
            G[j * d + k] = G[k * d + j] = g;
        }
}

int hsp_audit_conditioning(const hsp_audit *u, const double *at, hsp_conditioning *out, hsp_error **err) {
    int64_t d = u->c.d;
    *out = (hsp_conditioning){.least = NAN};
    double n = (double)u->c.n, width = (double)d, cost = n * width * width / 2 + 10 * width * width * width;
    if (d == 0 || cost > AFFORDABLE) return HSP_OK;
    double *G = hsp_alloc_zero(d * d, sizeof *G), *z = hsp_alloc(2 * d, sizeof *z);
    out->size = hsp_alloc(d, sizeof *out->size);
    int status = G && z && out->size ? HSP_OK : hsp_fail_memory(err);
    if (!status) {
        sum_products(u, at, z, G);
        scale(d, G, out->size);
        int solved = hsp_eigen(G, d, z + d);
        if (solved == HSP_EMEMORY) status = hsp_fail_memory(err);
        /* minus the rounding error of products and eigenvalues */
        if (!solved) out->least = z[d] - DBL_EPSILON * (double)(u->c.n + d) * fmax(z[2 * d - 1], 1);
    }
    HSP_FREE(G, z);
    return status;
}

double hsp_audit_allowance(const hsp_audit *u, const hsp_conditioning *q, const double *v, const double *error) {
    if (u->c.d == 0) return 0;
    if (!(q->least > 0)) return INFINITY;
    double square = 0, scores = 0;
    for (int64_t j = 0; j < u->c.d; j++) {
        double off = fabs(v[j]) + error[j];
        if (q->size[j] > 0)
            square += off / q->size[j] * (off / q->size[j]);
        else if (off > 0 && !(fabs(v[j]) <= error[j]))
            return INFINITY;
    }
    for (int64_t i = 0; i < u->c.n; i++)
        for (int64_t l = 0; l < u->width; l++) scores += u->c.c[i] * u->g[l * u->c.n + i] * u->g[l * u->c.n + i];
    double rho = sqrt(square / q->least);
    return 2 * rho * (sqrt(scores) + rho);
}
