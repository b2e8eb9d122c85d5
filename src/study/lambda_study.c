/* The study `lambda`: the same fit for many values of lambda, judged on the rows that it saw and on those that it did not.
 */
#include "base/error.h"
#include "base/memory.h"
#include "data/data.h"
#include "model/model.h"
#include "study/sweep_lambdas.h"

#include <string.h>

enum { STEPS = 25, MOST_WEIGHTS = 10000 };
static const hsp_study_range RANGE = {0, 8, 12, STEPS};

typedef struct work {
    const hsp_study_input *in;
    hsp_options *o;
    hsp_data *train, *test;
    double *grid; /* L, ascending */
    int64_t L;
    hsp_study_sweep sweep;
} work;

/* All features where they are not too many, in their order; else those of the largest weights. */
static int choose_features(const work *w, int64_t *feature, int64_t *count, hsp_error **err) {
    int64_t d = w->sweep.model->prepare.schema.d, most = MOST_WEIGHTS / w->sweep.model->outputs;
    if (most < 1) most = 1;
    if (d > most) return hsp_study_largest(w->sweep.kept, w->L, w->sweep.model, most, feature, count, err);
    for (int64_t j = 0; j < d; j++) feature[j] = j;
    *count = d;
    return HSP_OK;
}

static int add_weights(const work *w, hsp_study *s, hsp_error **err) {
    int64_t d = w->sweep.model->prepare.schema.d, outputs = w->sweep.model->outputs, F = 0;
    char number[32];
    int64_t *feature = hsp_alloc(d > MOST_WEIGHTS ? d : MOST_WEIGHTS, sizeof *feature);
    int status = feature ? choose_features(w, feature, &F, err) : hsp_fail_memory(err);
    double *weights = status ? NULL : hsp_study_add(s, "weights", w->L, outputs * F, err);
    double *scale = weights ? hsp_study_add(s, "scale", F, 0, err) : NULL;
    if (!status && !scale) status = HSP_EMEMORY;
    for (int64_t i = 0; !status && i < w->L; i++)
        for (int64_t k = 0; k < outputs; k++)
            hsp_study_pick(&w->sweep.kept[i], k, feature, F, weights + (i * outputs + k) * F);
    for (int64_t f = 0; !status && f < F; f++) {
        scale[f] = hsp_study_unit(w->sweep.model, feature[f]);
        status = hsp_study_say(s, "features", hsp_model_feature_label(w->sweep.model, feature[f], number), err);
    }
    hsp_free(feature);
    return status;
}

static int add_figures(const work *w, hsp_study *s, hsp_error **err) {
    const hsp_model *m = w->sweep.model;
    double *intercepts = hsp_study_add(s, "intercepts", w->L, m->outputs, err);
    double *norm = intercepts ? hsp_study_add(s, "norm", w->L, 0, err) : NULL;
    double *gap = norm ? hsp_study_add(s, "relative_gap", w->L, 0, err) : NULL;
    if (!gap) return HSP_EMEMORY;
    for (int64_t i = 0; i < w->L; i++) {
        memcpy(intercepts + i * m->outputs, w->sweep.kept[i].intercept, (size_t)m->outputs * sizeof *intercepts);
        norm[i] = w->sweep.kept[i].norm;
        gap[i] = w->sweep.kept[i].gap;
    }
    int status = HSP_OK;
    for (int64_t k = 0; !status && k < m->prepare.classes.count; k++)
        status = hsp_study_say(s, "classes", m->prepare.classes.name[k], err);
    return status;
}

/* The least test error; of equals the greatest lambda, which is the simplest model. */
static int64_t find_best(const work *w) {
    int64_t best = 0;
    for (int64_t i = 1; i < w->L; i++)
        if (w->sweep.test_error[i] <= w->sweep.test_error[best]) best = i;
    return best;
}

static int add_numbers(const work *w, hsp_study *s, hsp_error **err) {
    const hsp_model *m = w->sweep.model;
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"best", (double)find_best(w)},           {"squared", m->prepare.regression},
                   {"train_rows", (double)w->train->x.n},    {"test_rows", (double)w->test->x.n},
                   {"outputs", (double)m->outputs},          {"all_features", (double)m->prepare.schema.d},
                   {"positive", (double)m->prepare.positive}};
    int status = HSP_OK;
    for (size_t i = 0; !status && i < sizeof numbers / sizeof *numbers; i++)
        status = hsp_study_set(s, numbers[i].name, numbers[i].value, err);
    if (!status) status = hsp_study_say(s, "algorithm", m->algorithm, err);
    if (!status) status = hsp_study_say(s, "scaling", m->prepare.scale, err);
    return status;
}

static int begin(work *w, hsp_study *s, hsp_error **err) {
    int status = hsp_study_options_lambda(w->in, "l2", &w->o, err);
    if (!status) status = hsp_study_options_sharp(w->o, err);
    if (!status) status = hsp_study_split(w->in->data, w->o, -1, &w->train, &w->test, err);
    if (!status) status = hsp_study_grid(w->train, w->o, w->in->threads, RANGE, &w->grid, &w->L, err);
    if (status) return status;
    double *lambda = hsp_study_add(s, "lambda", w->L, 0, err);
    double *train_error = lambda ? hsp_study_add(s, "train_error", w->L, 0, err) : NULL;
    double *test_error = train_error ? hsp_study_add(s, "test_error", w->L, 0, err) : NULL;
    if (!test_error) return HSP_EMEMORY;
    memcpy(lambda, w->grid, (size_t)w->L * sizeof *lambda);
    w->sweep = (hsp_study_sweep){.train = w->train,
                                 .test = w->test,
                                 .o = w->o,
                                 .lambda = w->grid,
                                 .L = w->L,
                                 .train_error = train_error,
                                 .test_error = test_error};
    return HSP_OK;
}

static int run(const hsp_study_input *in, hsp_study *s, hsp_error **err) {
    work w = {.in = in};
    int status = begin(&w, s, err);
    if (!status) status = hsp_study_sweep_run(in, &w.sweep, err);
    if (!status) status = add_figures(&w, s, err);
    if (!status) status = add_weights(&w, s, err);
    if (!status) status = add_numbers(&w, s, err);
    hsp_study_sweep_clear(&w.sweep);
    hsp_free(w.grid);
    hsp_data_free(w.train);
    hsp_data_free(w.test);
    hsp_options_free(w.o);
    return status;
}

const hsp_study_entry hsp_study_lambda = {
    .name = "lambda",
    .help = "weights, training and test error for many values of lambda",
    .needs_data = true,
    .run = run,
};
