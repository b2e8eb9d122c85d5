/* The study `lambda`: the same fit for many values of lambda, with training and test error. */
#include "base/error.h"
#include "base/memory.h"
#include "model/model.h"
#include "study/sweep_lambdas.h"

#include <string.h>

enum { STEPS = 25, MOST_WEIGHTS = 10000 };
static const hsp_study_range RANGE = {0, 8, 12, STEPS};

/* Chooses all features, in order, unless there are too many; then those with the largest weights. */
static int choose_features(const hsp_study_sweep *w, int64_t *feature, int64_t *count, hsp_error **err) {
    int64_t d = w->model->prepare.schema.d, most = MOST_WEIGHTS / w->model->outputs;
    if (most < 1) most = 1;
    if (d > most) return hsp_study_largest(w->kept, w->L, w->model, most, feature, count, err);
    for (int64_t j = 0; j < d; j++) feature[j] = j;
    *count = d;
    return HSP_OK;
}

static int add_weights_by_lambda(const hsp_study_sweep *w, hsp_study *s, hsp_error **err) {
    int64_t d = w->model->prepare.schema.d, outputs = w->model->outputs, F = 0;
    double *weights = NULL;
    int64_t *feature = hsp_alloc(d > MOST_WEIGHTS ? d : MOST_WEIGHTS, sizeof *feature);
    int status = feature ? choose_features(w, feature, &F, err) : hsp_fail_memory(err);
    if (!status) status = hsp_study_sweep_add_features(w, feature, F, w->L, outputs * F, s, &weights, err);
    for (int64_t i = 0; !status && i < w->L; i++)
        for (int64_t k = 0; k < outputs; k++) hsp_study_pick(&w->kept[i], k, feature, F, weights + (i * outputs + k) * F);
    hsp_free(feature);
    return status;
}

static int add_intercepts(const hsp_study_sweep *w, hsp_study *s, hsp_error **err) {
    const hsp_model *m = w->model;
    double *intercepts = hsp_study_add(s, "intercepts", w->L, m->outputs, err);
    if (!intercepts) return HSP_EMEMORY;
    for (int64_t i = 0; i < w->L; i++)
        memcpy(intercepts + i * m->outputs, w->kept[i].intercept, (size_t)m->outputs * sizeof *intercepts);
    int status = hsp_study_sweep_add_norms(w, s, err);
    for (int64_t k = 0; !status && k < m->prepare.classes.count; k++)
        status = hsp_study_add_text(s, "classes", m->prepare.classes.name[k], err);
    return status;
}

/* Of equal test errors the largest lambda is taken: it gives the simplest model. */
static int64_t find_least_test_error(const hsp_study_sweep *w) {
    int64_t best = 0;
    for (int64_t i = 1; i < w->L; i++)
        if (w->test_error[i] <= w->test_error[best]) best = i;
    return best;
}

static int add_sweep_figures(const hsp_study_sweep *w, hsp_study *s, hsp_error **err) {
    const hsp_model *m = w->model;
    const hsp_study_figure figures[] = {{"best", (double)find_least_test_error(w)},
                                        {"squared", m->prepare.regression},
                                        {"train_rows", (double)w->train->x.n},
                                        {"test_rows", (double)w->test->x.n},
                                        {"outputs", (double)m->outputs},
                                        {"all_features", (double)m->prepare.schema.d},
                                        {"positive", (double)m->prepare.positive}};
    int status = hsp_study_set_figures(s, figures, sizeof figures / sizeof *figures, err);
    if (!status) status = hsp_study_add_text(s, "algorithm", m->algorithm, err);
    if (!status) status = hsp_study_add_text(s, "scaling", m->prepare.scale, err);
    return status;
}

static int study_lambda(const hsp_study_input *in, hsp_study *s, hsp_error **err) {
    hsp_study_sweep w = {0};
    int status = hsp_study_options_lambda(in, "l2", &w.o, err);
    if (!status) status = hsp_study_needs_weights(w.o, err);
    if (!status) status = hsp_study_split(in->data, w.o, -1, &w.own_train, &w.own_test, err);
    w.train = w.own_train;
    w.test = w.own_test;
    if (!status) status = hsp_study_sweep_run(in, &w, RANGE, s, err);
    if (!status) status = add_intercepts(&w, s, err);
    if (!status) status = add_weights_by_lambda(&w, s, err);
    if (!status) status = add_sweep_figures(&w, s, err);
    hsp_study_sweep_clear(&w);
    return status;
}

const hsp_study_entry hsp_study_lambda = {
    .name = "lambda",
    .help = "weights, training and test error for many values of lambda",
    .needs_data = true,
    .reports = true,
    .run = study_lambda,
};
