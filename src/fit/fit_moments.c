/* Computes the moments of the classes and stores them for the model. */
#include "fit/fit_moments.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "kernel/kernel.h"
#include "model/model.h"
#include "prepare/prepare.h"

#include <math.h>
#include <string.h>

hsp_class_rows hsp_fit_class_rows(const hsp_fit *f) {
    return (hsp_class_rows){f->job.design, f->job.prepare, f->rows.y, f->rows.c, f->job.moments};
}

int hsp_fit_add_extra(hsp_fit *f, const char *name, int64_t rows, int64_t columns, double *data, hsp_error **err) {
    if (!data) return hsp_fail_memory(err);
    for (int64_t i = 0; i < rows * columns; i++)
        if (!isfinite(data[i])) {
            hsp_free(data);
            if (columns == f->job.design->d)
                return hsp_class_extreme(f->job.prepare, i % columns, "large or too small", err);
            return hsp_fail(err, HSP_EINPUT, "the values are too large or too small to compute with: %s",
                            hsp_class_remedy(f->job.prepare));
        }
    f->out.extras[f->out.extra_count++] = (hsp_extra){name, rows, columns, data};
    return HSP_OK;
}

static double *copy_numbers(const double *from, int64_t count) {
    double *to = hsp_alloc(count, sizeof *to);
    if (to) memcpy(to, from, (size_t)count * sizeof *to);
    return to;
}

/* Returns false if a square overflows in original units, though it did not in the design's. */
static bool to_original_scatter(const hsp_fit *f, double *S) {
    int64_t d = f->job.design->d;
    for (int64_t j = 0; j < d; j++) {
        double factor = f->job.prepare->factor ? f->job.prepare->factor[j] : 1, sd = sqrt(S[j * d + j]) / factor;
        if (sd > HSP_MOMENTS_LARGE || (sd > 0 && factor > 1 && sd < 1 / HSP_MOMENTS_LARGE)) return false;
    }
    hsp_prepare_unscale_scatter(f->job.prepare, S);
    return true;
}

int hsp_fit_store_moments(hsp_fit *f, const hsp_class_moments *m, double *scatter, hsp_error **err) {
    int64_t K = m->K, d = m->d;
    double *mean = copy_numbers(m->mean, K * d);
    for (int64_t k = 0; mean && k < K; k++) {
        double *x = mean + k * d;
        if (m->mass[k] > 0 && !m->g) hsp_prepare_unscale_point(f->job.prepare, x);
        for (int64_t j = 0; m->mass[k] > 0 && m->g && j < d; j++) x[j] = x[j] / m->factor[j] + m->shift[j];
    }
    bool kept = true;
    for (int64_t k = 0; scatter && k < K; k++) {
        double divisor = m->mass[k] - 1;
        hsp_scale_f64(m->rows[k] > 1 && divisor > 0 ? 1 / divisor : 0, scatter + k * d * d, d * d);
        kept &= to_original_scatter(f, scatter + k * d * d);
    }
    if (!kept) {
        hsp_free(scatter);
        scatter = NULL;
        hsp_text_add(&f->notes.warnings,
                     "the class covariances are out of range in the units of the data: the model does not hold them\n");
    }
    int status = hsp_fit_add_extra(f, "class-mass", K, 1, copy_numbers(m->mass, K), err);
    if (status)
        hsp_free(mean);
    else
        status = hsp_fit_add_extra(f, "class-means", K, d, mean, err);
    if (status)
        hsp_free(scatter);
    else if (scatter)
        status = hsp_fit_add_extra(f, "class-covariances", K * d, d, scatter, err);
    return status;
}
