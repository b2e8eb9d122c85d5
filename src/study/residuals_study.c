/* The study "residuals": predictions of a regression and what they miss, at up to 2,000 rows: more points would be no more to
 * see. The figures are of all rows. */
#include "base/error.h"
#include "base/memory.h"
#include "eval/metrics.h"
#include "study/study.h"

#include <float.h>
#include <math.h>

enum { POINTS = 2000 };

static int check_model(const hsp_study_input *in, hsp_study *s, hsp_error **err) {
    if (!in->model->prepare.regression)
        return hsp_fail(err, HSP_EUSAGE, "'%s' needs a regression, and the model is a classifier: use scores",
                        hsp_study_kind(s));
    return hsp_metrics_check(in->model, in->data, err);
}

static double within_range(double v) {
    return v > DBL_MAX ? DBL_MAX : v < -DBL_MAX ? -DBL_MAX : v;
}

/* Evenly spaced rows, the first and the last among them. */
static int add_points(const hsp_study_input *in, const double *score, hsp_study *s, hsp_error **err) {
    static const char *const names[] = {"row", "predicted", "target", "residual"};
    int64_t n = in->data->x.n, shown = n < POINTS ? n : POINTS;
    double *v[4];
    int status = hsp_study_add_vectors(s, shown, names, 4, v, err);
    for (int64_t k = 0; k < shown && !status; k++) {
        int64_t i = shown > 1 ? (int64_t)((long double)k * (long double)(n - 1) / (long double)(shown - 1)) : 0;
        v[0][k] = (double)i;
        v[1][k] = score[i];
        v[2][k] = in->data->target[i];
        v[3][k] = within_range(in->data->target[i] - score[i]);
    }
    return status;
}

static int add_figures(const hsp_study_input *in, hsp_study *s, hsp_error **err) {
    hsp_metrics x;
    int status = hsp_metrics_compute(in->model, in->data, NULL, &x, err);
    if (status) return status;
    const hsp_study_figure figures[] = {{"rows", (double)in->data->x.n},
                                        {"weighted", in->data->weight ? 1 : 0},
                                        {"rmse", x.rmse},
                                        {"mae", x.mae},
                                        {"r2", x.r2}};
    status = hsp_study_set_figures(s, figures, sizeof figures / sizeof *figures, err);
    hsp_metrics_clear(&x);
    return status ? status : hsp_study_add_text(s, "algorithm", in->model->algorithm, err);
}

static int study_residuals(const hsp_study_input *in, hsp_study *s, hsp_error **err) {
    int status = check_model(in, s, err);
    if (status) return status;
    double *score = hsp_alloc(in->data->x.n, sizeof *score);
    status = score ? hsp_model_score(in->model, in->data, score, NULL, err) : hsp_fail_memory(err);
    if (!status) status = add_points(in, score, s, err);
    if (!status) status = add_figures(in, s, err);
    hsp_free(score);
    return status;
}

const hsp_study_entry hsp_study_residuals = {
    .name = "residuals",
    .help = "predictions of a regression and their errors",
    .needs_model = true,
    .needs_data = true,
    .run = study_residuals,
};
