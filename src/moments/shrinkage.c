/* Shrinkage of a covariance towards a multiple of the identity,
 *
 *     S* = (1 - delta) S + delta (tr S / d) I
 *
 * Ledoit and Wolf (2004) choose delta so that S* is, for many rows, as near as possible (in squares) to the true covariance.
 * With S = (1/n) sum_i x_i x_i' of centred rows,
 *
 *     delta = min(beta, gamma) / gamma,   gamma = |S - (tr S / d) I|^2,   beta = (1/n^2) sum_i |x_i x_i' - S|^2
 *
 * Since |x x'|^2 = |x|^4, beta = ((1/n) sum |x_i|^4 - |S|^2) / n takes one more pass over the rows. Rows of weight c count c
 * times. */
#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "data/matrix.h"
#include "design/design.h"
#include "kernel/kernel.h"
#include "moments/class_moments.h"
#include "option/options.h"

#include <math.h>

enum { MOST_PIECES = 16, ROWS_IN_PIECE = 1024 };

typedef struct quartic {
    const hsp_class_rows *set;
    const hsp_design *D;
    int64_t pieces;
    double unit;          /* of the squares */
    const double *centre; /* K x d: dense rows: the means; sparse ones: p + mean, of what is stored */
    const double *length; /* K: |centre|^2 */
    double *tile;         /* pieces x d */
    double *sum;          /* pieces */
} quartic;

/* |x_i - mu|^2. Sparse rows are not filled up: |z - q|^2 = |z|^2 - 2 z.q + |q|^2. */
static double distance2(const quartic *q, int64_t i, double *tile) {
    const hsp_design *D = q->D;
    hsp_row r = hsp_design_row(D, i, tile);
    const double *centre = q->centre + q->set->y[i] * D->d;
    if (r.id) return fmax(0, hsp_row_norm2(r) - 2 * hsp_row_dot(r, centre) + q->length[q->set->y[i]]);
    double sum = 0;
    for (int64_t j = 0; j < D->d; j++) {
        double v = hsp_row_value(r, j) - centre[j];
        sum += v * v;
    }
    return sum;
}

static void quartic_of_piece(void *ctx, int64_t piece) {
    const quartic *q = ctx;
    const hsp_design *D = q->D;
    double sum = 0;
    for (int64_t i = D->n * piece / q->pieces, end = D->n * (piece + 1) / q->pieces; i < end; i++) {
        double c = q->set->c ? q->set->c[i] : 1, s = c > 0 ? distance2(q, i, q->tile + piece * D->d) / q->unit : 0;
        sum += c * s * s;
    }
    q->sum[piece] = sum;
}

/* sum_i c_i (|x_i - mu|^2 / unit)^2, each row about the mean of its class. */
static int fourth_powers(const hsp_class_rows *set, const hsp_class_moments *m, double unit, double *out, hsp_error **err) {
    const hsp_design *D = m->design;
    int64_t d = D->d, pieces = D->n / ROWS_IN_PIECE;
    pieces = pieces < 1 ? 1 : pieces > MOST_PIECES ? MOST_PIECES : pieces;
    double *tile = hsp_alloc(pieces * d, sizeof *tile), *sum = hsp_alloc(pieces, sizeof *sum);
    double *length = hsp_alloc(m->K, sizeof *length), *centre = hsp_alloc(m->K * d, sizeof *centre);
    int status = tile && sum && length && centre ? HSP_OK : hsp_fail_memory(err);
    if (!status) {
        for (int64_t k = 0; k < m->K; k++) {
            for (int64_t j = 0; j < d; j++) centre[k * d + j] = m->mean[k * d + j] + (D->p ? D->p[j] : 0);
            length[k] = hsp_dot_f64(centre + k * d, centre + k * d, d);
        }
        quartic q = {set, D, pieces, unit, centre, length, tile, sum};
        hsp_pool_run(pieces, D->threads, quartic_of_piece, &q);
        *out = hsp_sum_f64(sum, pieces);
    }
    HSP_FREE(tile, sum, length, centre);
    return status;
}

static double trace(const double *S, int64_t d) {
    double t = 0;
    for (int64_t j = 0; j < d; j++) t += S[j * d + j];
    return t;
}

static int ledoit_wolf(const hsp_class_rows *set, const hsp_class_moments *m, const double *scatter, double *delta,
                       hsp_error **err) {
    double n = m->total, d = (double)m->d, quartics;
    *delta = 0;
    double mean = trace(scatter, m->d) / n / d, squares = 0, gamma = 0;
    if (!(mean > 0 && isfinite(mean))) return HSP_OK;
    double unit = scalbn(1, ilogb(mean)); /* keeps fourth powers in range; delta does not depend on it */
    int status = fourth_powers(set, m, unit, &quartics, err);
    if (status) return status;
    mean /= unit;
    for (int64_t i = 0; i < m->d; i++)
        for (int64_t j = 0; j < m->d; j++) {
            double s = scatter[i * m->d + j] / n / unit, off = i == j ? s - mean : s;
            squares += s * s;
            gamma += off * off;
        }
    double beta = (quartics / n - squares) / n;
    if (gamma > 0 && beta > 0) *delta = fmin(beta, gamma) / gamma;
    return HSP_OK;
}

int hsp_shrinkage_choose(const hsp_options *o, const hsp_class_rows *set, const hsp_class_moments *m, const double *scatter,
                         double *delta, hsp_error **err) {
    *delta = hsp_options_real(o, "shrinkage", 0);
    return hsp_options_is(o, "shrinkage", "auto") ? ledoit_wolf(set, m, scatter, delta, err) : HSP_OK;
}

bool hsp_shrinkage_asked(const hsp_options *o) {
    return !hsp_options_is(o, "shrinkage", "none");
}

void hsp_shrinkage_apply(double delta, double *S, int64_t d) {
    if (delta == 0) return;
    double add = delta * trace(S, d) / (double)d;
    hsp_scale_f64(1 - delta, S, d * d);
    for (int64_t j = 0; j < d; j++) S[j * d + j] += add;
}
