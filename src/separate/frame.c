/* Scaling. Columns are measured in units of a power of two near their largest value, so that nothing overflows. */
#include "base/error.h"
#include "base/memory.h"
#include "data/matrix.h"
#include "design/design.h"
#include "separate/cone.h"
#include "verify/proof/proof.h"

#include <math.h>

enum { HIGHEST = 1000 }; /* largest exponent of a factor */

/* Loops over the stored values of the rows that count. */
#define EACH(q, i, r, t, j)                                                                                   \
    for (int64_t i = 0; i < (q)->x->n; i++)                                                                   \
        for (hsp_row r = (q)->y[i] ? hsp_matrix_row((q)->x, i) : (hsp_row){0}, *once = &r; once; once = NULL) \
            for (int64_t t = 0, j = 0; t < r.count && (j = hsp_row_id(r, t), true); t++)

/* Of each column: centre (0 unless `centred`), unit `size` and count of the values (sparse: of the non-zeros). */
static void measure_columns(const hsp_rows_by_side *q, bool centred, double *centre, double *size, double *count) {
    int64_t d = q->x->d;
    for (int64_t j = 0; j < d; j++) centre[j] = size[j] = count[j] = 0;
    EACH(q, i, r, t, j) {
        double v = fabs(hsp_row_value(r, t));
        if (v > size[j]) size[j] = v;
        count[j] += q->x->dense || v != 0;
    }
    for (int64_t j = 0; j < d; j++) {
        int e = size[j] > 0 ? ilogb(size[j]) : 0;
        size[j] = ldexp(1, e < -HIGHEST ? -HIGHEST : e > HIGHEST ? HIGHEST : e);
    }
    if (centred) {
        EACH(q, i, r, t, j) centre[j] += hsp_row_value(r, t) / size[j] / count[j];
        for (int64_t j = 0; j < d; j++) centre[j] *= size[j];
    }
}

/* A power of two near 1 / root mean square; 0 for a constant column. */
static double factor_of(double mean_square, double unit) {
    if (!(mean_square > 0)) return 0;
    int e = ilogb(unit) + ilogb(sqrt(mean_square));
    return ldexp(1, -e > HIGHEST ? HIGHEST : -e < -HIGHEST ? -HIGHEST : -e);
}

static int scale_columns(const hsp_rows_by_side *q, hsp_cone_frame *f) {
    int64_t d = q->x->d;
    bool centred = q->x->dense && !q->origin;
    double *unit = hsp_alloc(d + 1, sizeof *unit), *count = hsp_alloc(d + 1, sizeof *count);
    int status = unit && count && HSP_ALLOC(f->shift, d + 1) && HSP_ALLOC(f->factor, d + 1) ? HSP_OK : HSP_EMEMORY;
    if (!status) {
        measure_columns(q, centred, f->shift, unit, count);
        for (int64_t j = 0; j < d; j++) f->factor[j] = 0;
        EACH(q, i, r, t, j) {
            double v = hsp_row_value(r, t) / unit[j] - (centred ? f->shift[j] / unit[j] : 0);
            f->factor[j] += v * v / count[j];
        }
        for (int64_t j = 0; j < d; j++) f->factor[j] = factor_of(f->factor[j], unit[j]);
        if (!centred) {
            hsp_free(f->shift);
            f->shift = NULL;
        }
    }
    HSP_FREE(unit, count);
    return status;
}

int hsp_frame_make(const hsp_rows_by_side *q, hsp_cone_frame *f, hsp_error **err) {
    *f = (hsp_cone_frame){.finite = true};
    int64_t n = q->x->n;
    if (!HSP_ALLOC(f->rho, n + 1) || scale_columns(q, f)) return hsp_fail_memory(err);
    int status = hsp_design_new(q->x, f->shift, f->factor, q->threads, &f->design, err);
    for (int64_t i = 0; !status && i < n; i++) {
        f->rho[i] = 0;
        if (!q->y[i]) continue;
        double length = hsp_row_norm2(hsp_design_row(f->design, i, NULL)) + (q->origin ? 0 : 1);
        if (length == 0 && hsp_row_is_zero(hsp_matrix_row(q->x, i))) continue; /* on every plane */
        if (length > 0) f->rho[i] = q->y[i] / sqrt(length);
        if (!isfinite(length) || !(length > 0) || !isfinite(f->rho[i]) || f->rho[i] == 0) f->finite = false;
    }
    return status;
}

void hsp_frame_clear(hsp_cone_frame *f) {
    HSP_FREE(f->shift, f->factor, f->rho);
    hsp_design_free(f->design);
    *f = (hsp_cone_frame){0};
}

hsp_cone hsp_frame_cone(const hsp_cone_frame *f, bool origin) {
    const hsp_design *x = f->design;
    return (hsp_cone){.design = x, .rho = f->rho, .free = !origin, .n = x->n, .d = x->d, .p = x->d + !origin, .base = x};
}
