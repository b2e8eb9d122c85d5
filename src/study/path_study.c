/* The study `path`: the weights as lambda falls from where all of them are 0. With an L1 part and columns that say the same
 * there are many optima, and fits made one by one would jump between them: there each goes on from the one before. */
#include "base/error.h"
#include "base/memory.h"
#include "model/model.h"
#include "option/options.h"
#include "penalty/penalty.h"
#include "study/sweep_lambdas.h"

#include <math.h>
#include <string.h>

enum { STEPS = 60 };
static const hsp_study_range RANGE = {0, 3, 3, STEPS};

typedef struct work {
    const hsp_study_input *in;
    hsp_options *o;
    double *grid; /* L, ascending */
    int64_t L;
    hsp_study_sweep sweep; /* by descending lambda, as all that is shown */
} work;

static bool has_l1(const hsp_options *o) {
    const char *name = hsp_options_text(o, "penalty");
    const hsp_penalty *p = name ? hsp_penalty_find(name) : NULL;
    return p && (p->l1 > 0 || p->mixed);
}

static int add_weights(const work *w, hsp_study *s, hsp_error **err) {
    int64_t d = w->sweep.model->prepare.schema.d, top = hsp_options_int(w->o, "top", 20), F = 0;
    char number[32];
    if (top > d) top = d;
    int64_t *feature = hsp_alloc(top > 0 ? top : 1, sizeof *feature);
    double *weights = NULL, *scale = NULL;
    int status =
        feature ? hsp_study_largest(w->sweep.kept, w->L, w->sweep.model, top, feature, &F, err) : hsp_fail_memory(err);
    if (!status) weights = hsp_study_add(s, "weights", F, w->L, err);
    if (weights) scale = hsp_study_add(s, "scale", F, 0, err);
    if (!status && !scale) status = HSP_EMEMORY;
    for (int64_t f = 0; !status && f < F; f++) {
        for (int64_t i = 0; i < w->L; i++) hsp_study_pick(&w->sweep.kept[i], 0, &feature[f], 1, &weights[f * w->L + i]);
        scale[f] = hsp_study_unit(w->sweep.model, feature[f]);
        status = hsp_study_say(s, "features", hsp_model_feature_label(w->sweep.model, feature[f], number), err);
    }
    hsp_free(feature);
    return status;
}

static int add_figures(const work *w, hsp_study *s, hsp_error **err) {
    const hsp_model *m = w->sweep.model;
    double *nonzeros = hsp_study_add(s, "nonzeros", w->L, 0, err);
    double *norm = nonzeros ? hsp_study_add(s, "norm", w->L, 0, err) : NULL;
    double *gap = norm ? hsp_study_add(s, "relative_gap", w->L, 0, err) : NULL;
    if (!gap) return HSP_EMEMORY;
    for (int64_t i = 0; i < w->L; i++) {
        nonzeros[i] = (double)w->sweep.kept[i].nonzeros;
        norm[i] = w->sweep.kept[i].norm;
        gap[i] = w->sweep.kept[i].gap;
    }
    int status = hsp_study_set(s, "squared", m->prepare.regression, err);
    if (!status) status = hsp_study_set(s, "rows", (double)w->in->data->x.n, err);
    if (!status) status = hsp_study_set(s, "all_features", (double)m->prepare.schema.d, err);
    if (!status) status = hsp_study_say(s, "algorithm", m->algorithm, err);
    const char *penalty = hsp_model_field(m, "penalty");
    if (!status) status = hsp_study_say(s, "penalty", penalty ? penalty : "", err);
    if (!status) status = hsp_study_say(s, "scaling", m->prepare.scale, err);
    if (!status && m->prepare.positive >= 0)
        status = hsp_study_say(s, "positive", m->prepare.classes.name[m->prepare.positive], err);
    return status;
}

static int begin(work *w, hsp_study *s, hsp_error **err) {
    int64_t classes = w->in->data->classes.count;
    int status = hsp_study_options_lambda(w->in, "l1", &w->o, err);
    if (!status && classes > 2 && !hsp_options_is_set(w->o, "positive"))
        status = hsp_fail(err, HSP_EUSAGE,
                          "a path is of one set of weights, and %lld classes have one each: choose the class to tell from "
                          "the rest with --positive LABEL",
                          (long long)classes);
    if (!status) status = hsp_study_options_sharp(w->o, err);
    if (!status) status = hsp_study_grid(w->in->data, w->o, w->in->threads, RANGE, &w->grid, &w->L, err);
    if (status) return status;
    double *lambda = hsp_study_add(s, "lambda", w->L, 0, err);
    double *train_error = lambda ? hsp_study_add(s, "train_error", w->L, 0, err) : NULL;
    if (!train_error) return HSP_EMEMORY;
    for (int64_t i = 0; i < w->L; i++) lambda[i] = w->grid[w->L - 1 - i];
    w->sweep = (hsp_study_sweep){
        .train = w->in->data, .o = w->o, .lambda = lambda, .L = w->L, .train_error = train_error, .chained = has_l1(w->o)};
    return HSP_OK;
}

static int run(const hsp_study_input *in, hsp_study *s, hsp_error **err) {
    work w = {.in = in};
    int status = begin(&w, s, err);
    if (!status) status = hsp_study_sweep_run(in, &w.sweep, err);
    if (!status) status = add_figures(&w, s, err);
    if (!status) status = add_weights(&w, s, err);
    hsp_study_sweep_clear(&w.sweep);
    hsp_free(w.grid);
    hsp_options_free(w.o);
    return status;
}

const hsp_study_entry hsp_study_path = {
    .name = "path",
    .help = "the weights as lambda falls from where all of them are 0",
    .needs_data = true,
    .run = run,
};
