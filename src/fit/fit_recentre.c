/* Centres columns whose mean is large compared with their spread, since sums over them would lose digits. */
#include "base/error.h"
#include "base/memory.h"
#include "data/matrix.h"
#include "design/design.h"
#include "fit/fit.h"
#include "fit/fit_solve.h"
#include "kernel/level.h"
#include "option/options.h"
#include "prepare/prepare.h"

#include <math.h>

enum { SAMPLED_ROWS = 4096 }; /* rows that the test samples */

/* Whether a sample of the rows suggests a column far from 0. The sample misses no such column: one that is constant but for
 * a few rows appears constant here. */
static int doubtful(const hsp_matrix *x, bool *out, hsp_error **err) {
    int64_t stride = x->n / SAMPLED_ROWS + 1, rows = (x->n + stride - 1) / stride;
    double *sum = hsp_alloc_zero(3 * x->d, sizeof *sum);
    double *squares = sum ? sum + x->d : NULL, *pivot = sum ? sum + 2 * x->d : NULL;
    if (!sum) return hsp_fail_memory(err);
    *out = rows < 2;
    /* relative to row 0: avoids cancellation */
    bool stored = hsp_matrix_coding(x) == HSP_CODING_F64 || hsp_matrix_coding(x) == HSP_CODING_F32;
    hsp_row first = hsp_matrix_row(x, 0);
    hsp_row_decode(first, 0, x->d, NULL, pivot);
    if (stored) {
        int64_t step = stride * hsp_matrix_stride(x);
        if (hsp_matrix_coding(x) == HSP_CODING_F64)
            hsp_level_now()->spread(rows, x->d, first.value, step, pivot, sum, squares);
        else
            hsp_level_now()->single.spread(rows, x->d, first.value, step, pivot, sum, squares);
    }
    for (int64_t i = 0; i < x->n && !stored; i += stride) {
        hsp_row r = hsp_matrix_row(x, i);
        for (int64_t j = 0; j < x->d; j++) {
            double e = hsp_row_value(r, j) - pivot[j];
            sum[j] += e;
            squares[j] += e * e;
        }
    }
    for (int64_t j = 0; j < x->d && !*out; j++) {
        double n = (double)rows, off = sum[j] / n, mean = pivot[j] + off;
        double variance = squares[j] / n - off * off;
        *out = !(mean * mean <= 2500 * variance); /* 50 sd: half the limit below, since this is an estimate */
    }
    hsp_free(sum);
    return HSP_OK;
}

int hsp_fit_recentre(hsp_fit *f, hsp_recentred *c, hsp_error **err) {
    const hsp_prepare *p = f->job.prepare;
    int64_t d = f->job.design->d;
    if (!f->job.data->x.dense || p->shift || !hsp_options_is(f->job.options, "intercept", "free")) return HSP_OK;
    bool look = false;
    int status = doubtful(&f->job.data->x, &look, err);
    if (status || !look) return status;
    if (hsp_column_stats_fit(&f->job.data->x, &c->stats)) return hsp_fail_memory(err);
    /* Sums over the rows lose digits if a mean exceeds 100 standard deviations, or the column is constant. */
    bool far = false;
    for (int64_t j = 0; j < d; j++) far |= fabs(c->stats.mean[j]) > 100 * c->stats.sd[j];
    if (!far) return HSP_OK;
    c->shift = hsp_alloc(d, sizeof *c->shift);
    c->factor = hsp_alloc(d, sizeof *c->factor);
    if (!c->shift || !c->factor) return hsp_fail_memory(err);
    for (int64_t j = 0; j < d; j++) {
        c->shift[j] = c->stats.min[j] == c->stats.max[j] ? c->stats.min[j] : c->stats.mean[j];
        c->factor[j] = p->factor ? p->factor[j] : 1;
    }
    status = hsp_design_new(&f->job.data->x, c->shift, c->factor, f->job.design->threads, &c->design, err);
    if (status) return status;
    c->before = f->job.design;
    f->job.design = c->design;
    return HSP_OK;
}

/* Restores the design and converts the intercepts to uncentred columns. */
void hsp_fit_restore(hsp_fit *f, hsp_recentred *c) {
    if (c->before) {
        int64_t d = c->before->d;
        f->job.design = c->before;
        for (int64_t k = 0; k < f->out.outputs; k++)
            for (int64_t j = 0; j < d; j++) f->out.b[k] -= c->shift[j] * c->factor[j] * f->out.w[k * d + j];
    }
    hsp_design_free(c->design);
    HSP_FREE(c->shift, c->factor);
    hsp_column_stats_clear(&c->stats);
}
