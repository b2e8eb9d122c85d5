/* The study "projection": the rows projected on the weight vector of a two-class model, where the boundary is a point, and
 * Fisher's criterion of this projection,
 *     J = (m1 - m2)^2 / (s1^2 + s2^2).
 * For `-a fisher` this is the criterion of the model itself. */
#include "base/error.h"
#include "base/memory.h"
#include "data/data.h"
#include "model/model.h"
#include "option/options.h"
#include "study/binning.h"
#include "study/class_gaussians.h"
#include "study/labelled_scores.h"
#include "study/study.h"

#include <float.h>
#include <math.h>

/* The norm |w| and 1/|w| may overflow a double where w does not; long double has the range. */
static long double norm_of(const double *w, int64_t d) {
    long double sum = 0;
    for (int64_t j = 0; j < d; j++) sum += (long double)w[j] * (long double)w[j];
    return sqrtl(sum);
}

static int add_moments(const hsp_labelled_scores *g, const double *z, hsp_study *s, hsp_error **err) {
    long double mean[2], variance[2];
    /* Mean and sample variance (divisor: weight - 1) of each class; NaN for an empty class. */
    for (int k = 0; k < 2; k++) {
        long double mass = 0, sum = 0, squares = 0;
        for (int64_t i = 0; i < g->n; i++) {
            if (g->truth[i] != k) continue;
            mass += (long double)hsp_labelled_scores_weight(g, i);
            sum += (long double)hsp_labelled_scores_weight(g, i) * (long double)z[i];
        }
        mean[k] = mass > 0 ? sum / mass : (long double)NAN;
        for (int64_t i = 0; i < g->n; i++) {
            long double apart = (long double)z[i] - mean[k];
            if (g->truth[i] == k) squares += (long double)hsp_labelled_scores_weight(g, i) * apart * apart;
        }
        variance[k] = mass > 1 ? squares / (mass - 1) : (long double)NAN;
    }
    double *means = hsp_study_add(s, "means", 2, 0, err);
    double *deviations = means ? hsp_study_add(s, "deviations", 2, 0, err) : NULL;
    if (!deviations) return HSP_EMEMORY;
    for (int k = 0; k < 2; k++) {
        means[k] = (double)mean[k];
        deviations[k] = (double)sqrtl(variance[k]);
    }
    long double apart = mean[1] - mean[0], within = variance[0] + variance[1];
    return hsp_study_set(s, "J", within > 0 ? (double)(apart * apart / within) : (double)NAN, err);
}

/* A score that overflows is clamped, so it does not give the position of its row. */
static bool all_have_places(const hsp_labelled_scores *g, const double *z) {
    for (int64_t i = 0; i < g->n; i++)
        if (!isfinite(z[i]) || !(fabs(g->score[i]) < DBL_MAX)) return false;
    return true;
}

/* The bars are arrays of the study already. */
static int add_gaussians(const hsp_study_input *in, long double norm, hsp_study *s, hsp_error **err) {
    int64_t edges;
    const double *edge = hsp_study_vector(s, "edges", &edges);
    return edge && edges > 1 ? hsp_class_gaussians_add(in, norm, edge, edges - 1, s, err) : HSP_OK;
}

static int add_line(const hsp_study_input *in, const hsp_labelled_scores *g, long double norm, hsp_study *s,
                    hsp_error **err) {
    double *z = hsp_alloc(g->n, sizeof *z);
    if (!z) return hsp_fail_memory(err);
    long double b = (long double)g->m->b[0];
    double correct = 0, threshold = (double)(-b / norm);
    for (int64_t i = 0; i < g->n; i++) {
        z[i] = (double)(((long double)g->score[i] - b) / norm);
        if (g->answer[i] == g->truth[i]) correct += hsp_labelled_scores_weight(g, i);
    }
    hsp_binning h = {.n = g->n,
                     .groups = 2,
                     .value = z,
                     .group = g->truth,
                     .weight = g->weight,
                     .threshold = threshold,
                     .bins = hsp_options_int(in->o, "bins", 0)};
    int status = HSP_OK;
    if (!all_have_places(g, z) || !isfinite(threshold))
        status = hsp_fail_at(err, HSP_EINPUT, hsp_data_place(in->data), "values too large to project: use other units");
    if (!status) status = hsp_binning_add(&h, s, err);
    if (!status) status = add_moments(g, z, s, err);
    if (!status) status = hsp_study_set(s, "threshold", threshold, err);
    if (!status) status = hsp_study_set(s, "norm", (double)norm, err);
    if (!status) status = hsp_study_set(s, "mass", g->mass, err);
    if (!status) status = hsp_study_set(s, "correct", correct, err);
    if (!status) status = add_gaussians(in, norm, s, err);
    hsp_free(z);
    return status;
}

static int study_projection(const hsp_study_input *in, hsp_study *s, hsp_error **err) {
    const hsp_model *m = in->model;
    if (!m->prepare.regression && m->outputs > 1) {
        return hsp_fail(err, HSP_EUSAGE,
                        "a projection needs a model of two classes, and this one has %lld: use `plot boundary --project "
                        "lda`, or train with --positive LABEL",
                        (long long)m->prepare.classes.count);
    }
    if (m->network) return hsp_model_no_weights(m, err);
    hsp_labelled_scores g;
    long double norm = norm_of(m->w, m->prepare.schema.d);
    int status = hsp_labelled_scores_make(in, false, s, &g, err);
    if (!status && !(norm > 0)) {
        status = hsp_fail(err, HSP_EINPUT,
                          "all weights of the model are 0, so there is no direction to project on: train another model");
    }
    if (!status) status = add_line(in, &g, norm, s, err);
    hsp_labelled_scores_clear(&g);
    return status;
}

const hsp_study_entry hsp_study_projection = {
    .name = "projection",
    .help = "projection of both classes on the weights, with Fisher's criterion",
    .needs_model = true,
    .needs_data = true,
    .run = study_projection,
};
