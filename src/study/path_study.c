/* The study `path`: the weights as lambda decreases from the value at which all are 0. With an L1 part and duplicate
 * columns there are many optima, and independent fits would jump between them; there each fit is warm-started from the one
 * before. */
#include "base/error.h"
#include "base/memory.h"
#include "classifier/classifier.h"
#include "fit/fit.h"
#include "model/model.h"
#include "option/options.h"
#include "penalty/penalty.h"
#include "study/sweep_lambdas.h"

enum { STEPS = 60 };
static const hsp_study_range RANGE = {0, 3, 3, STEPS};

static bool has_l1(const hsp_options *o) {
    const hsp_classifier *c = hsp_classifier_find(hsp_options_text(o, "algorithm"));
    const char *own = c ? hsp_classifier_default(c, "penalty") : NULL;
    const char *name = own && !hsp_options_is_set(o, "penalty") ? own : hsp_options_text(o, "penalty");
    const hsp_penalty *p = name ? hsp_penalty_find(name) : NULL;
    return p && (p->l1 > 0 || p->mixed);
}

/* Adds one row for each feature with a large weight. */
static int add_paths(const hsp_study_sweep *w, hsp_study *s, hsp_error **err) {
    int64_t d = w->model->prepare.schema.d, top = hsp_options_int(w->o, "top", 20), F = 0;
    double *weights = NULL;
    if (top > d) top = d;
    int64_t *feature = hsp_alloc(top > 0 ? top : 1, sizeof *feature);
    int status = feature ? hsp_study_largest(w->kept, w->L, w->model, top, feature, &F, err) : hsp_fail_memory(err);
    if (!status) status = hsp_study_sweep_add_features(w, feature, F, F, w->L, s, &weights, err);
    for (int64_t f = 0; !status && f < F; f++)
        for (int64_t i = 0; i < w->L; i++) hsp_study_pick(&w->kept[i], 0, &feature[f], 1, &weights[f * w->L + i]);
    hsp_free(feature);
    return status;
}

static int add_path_figures(const hsp_study_sweep *w, hsp_study *s, hsp_error **err) {
    const hsp_model *m = w->model;
    const hsp_study_figure figures[] = {
        {"squared", m->prepare.regression}, {"rows", (double)w->train->x.n}, {"all_features", (double)m->prepare.schema.d}};
    double *nonzeros = hsp_study_add(s, "nonzeros", w->L, 0, err);
    if (!nonzeros) return HSP_EMEMORY;
    for (int64_t i = 0; i < w->L; i++) nonzeros[i] = (double)w->kept[i].nonzeros;
    int status = hsp_study_sweep_add_norms(w, s, err);
    if (!status) status = hsp_study_set_figures(s, figures, sizeof figures / sizeof *figures, err);
    if (!status) status = hsp_study_add_text(s, "algorithm", m->algorithm, err);
    const char *penalty = hsp_model_field(m, "penalty");
    if (!status) status = hsp_study_add_text(s, "penalty", penalty ? penalty : "", err);
    if (!status) status = hsp_study_add_text(s, "scaling", m->prepare.scale, err);
    if (!status && m->prepare.positive >= 0)
        status = hsp_study_add_text(s, "positive", m->prepare.classes.name[m->prepare.positive], err);
    return status;
}

static int study_path(const hsp_study_input *in, hsp_study *s, hsp_error **err) {
    hsp_study_sweep w = {.train = in->data, .falling = true};
    int64_t classes = in->data->classes.count;
    int status = hsp_study_options_lambda(in, "l1", &w.o, err);
    if (!status) status = hsp_study_needs_weights(w.o, err);
    if (!status && classes > 2 && !hsp_options_is_set(w.o, "positive"))
        status =
            hsp_fail(err, HSP_EUSAGE,
                     "a path needs two classes, and the data have %lld: choose the positive class with --positive LABEL",
                     (long long)classes);
    w.chained = !status && has_l1(w.o);
    if (!status) status = hsp_study_sweep_run(in, &w, RANGE, s, err);
    if (!status) status = add_path_figures(&w, s, err);
    if (!status) status = add_paths(&w, s, err);
    hsp_study_sweep_clear(&w);
    return status;
}

const hsp_study_entry hsp_study_path = {
    .name = "path",
    .help = "regularisation path: the weights against lambda",
    .needs_data = true,
    .reports = true,
    .run = study_path,
};
