/* The study `path`: the weights as lambda falls from where all of them are 0. With an L1 part and columns that say the same
 * there are many optima, and fits made one by one would jump between them: there each goes on from the one before. */
#include "study/sweep_lambdas.h"

#include "base/memory.h"
#include "base/options.h"
#include "penalty/penalty.h"

#include <math.h>
#include <string.h>

enum { STEPS = 60 };
static const hsp_study_range RANGE = {0, 3, 3, STEPS};

typedef struct work {
    const hsp_study_input *in;
    hsp_options *o;
    double *grid; /* L, ascending */
    int64_t L;
    double *train_error;     /* of the study, descending lambda as all that is shown */
    hsp_study_weights *kept; /* L, likewise */
    hsp_model *model;        /* the first, for its names and units */
    bool chained;            /* each fit begins where the one before ended */
    hsp_model *last;         /* that one */
} work;

static double lambda_of(const work *w, int64_t i) {
    return w->grid[w->L - 1 - i];
}

static void hand_on(work *w, hsp_model *m) {
    if (w->last != w->model) hsp_model_free(w->last);
    w->last = m;
}

static int fit_one(void *ctx, int64_t i, hsp_error **err) {
    work *w = ctx;
    hsp_model *m = NULL;
    int status = hsp_study_train_after(w->in->data, w->o, lambda_of(w, i), w->last, &m, err);
    if (!status) status = hsp_study_judge(m, w->in->data, &w->train_error[i], err);
    if (!status) status = hsp_study_keep(m, &w->kept[i], err);
    if (i == 0) w->model = m;
    if (w->chained)
        hand_on(w, m);
    else if (i > 0)
        hsp_model_free(m);
    return status;
}

static bool has_l1(const hsp_options *o) {
    const char *name = hsp_options_text(o, "penalty");
    const hsp_penalty *p = name ? hsp_penalty_find(name) : NULL;
    return p && (p->l1 > 0 || p->mixed);
}

/* One after the other, where each waits for the one before: its own work is then what all threads share. */
static int fit_all(work *w, hsp_error **err) {
    hsp_study_input in = *w->in;
    w->chained = has_l1(w->o);
    if (w->chained) in.threads = 1;
    int status = hsp_study_side_by_side(&in, w->L, fit_one, w, err);
    hand_on(w, NULL);
    return status;
}

static int add_weights(const work *w, hsp_study *s, hsp_error **err) {
    int64_t d = w->model->prepare.schema.d, top = hsp_options_int(w->o, "top", 20), F = 0;
    char number[32];
    if (top > d) top = d;
    int64_t *feature = hsp_alloc(top > 0 ? top : 1, sizeof *feature);
    double *weights = NULL, *scale = NULL;
    int status = feature ? hsp_study_largest(w->kept, w->L, w->model, top, feature, &F, err) : hsp_fail_memory(err);
    if (!status) weights = hsp_study_add(s, "weights", F, w->L, err);
    if (weights) scale = hsp_study_add(s, "scale", F, 0, err);
    if (!status && !scale) status = HSP_EMEMORY;
    for (int64_t f = 0; !status && f < F; f++) {
        for (int64_t i = 0; i < w->L; i++) hsp_study_pick(&w->kept[i], 0, &feature[f], 1, &weights[f * w->L + i]);
        scale[f] = hsp_study_unit(w->model, feature[f]);
        status = hsp_study_say(s, "features", hsp_model_feature_label(w->model, feature[f], number), err);
    }
    hsp_free(feature);
    return status;
}

static int add_figures(const work *w, hsp_study *s, hsp_error **err) {
    const hsp_model *m = w->model;
    double *nonzeros = hsp_study_add(s, "nonzeros", w->L, 0, err);
    double *norm = nonzeros ? hsp_study_add(s, "norm", w->L, 0, err) : NULL;
    double *gap = norm ? hsp_study_add(s, "relative_gap", w->L, 0, err) : NULL;
    if (!gap) return HSP_EMEMORY;
    for (int64_t i = 0; i < w->L; i++) {
        nonzeros[i] = (double)w->kept[i].nonzeros;
        norm[i] = w->kept[i].norm;
        gap[i] = w->kept[i].gap;
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
    w->train_error = lambda ? hsp_study_add(s, "train_error", w->L, 0, err) : NULL;
    if (!w->train_error) return HSP_EMEMORY;
    for (int64_t i = 0; i < w->L; i++) lambda[i] = lambda_of(w, i);
    w->kept = hsp_alloc_zero(w->L, sizeof *w->kept);
    return w->kept ? HSP_OK : hsp_fail_memory(err);
}

static int run(const hsp_study_input *in, hsp_study *s, hsp_error **err) {
    work w = {.in = in};
    int status = begin(&w, s, err);
    if (!status) status = fit_all(&w, err);
    if (!status) status = add_figures(&w, s, err);
    if (!status) status = add_weights(&w, s, err);
    for (int64_t i = 0; w.kept && i < w.L; i++) hsp_study_forget(&w.kept[i]);
    hsp_free(w.kept);
    hsp_free(w.grid);
    hsp_model_free(w.model);
    hsp_options_free(w.o);
    return status;
}

const hsp_study_entry hsp_study_path = {
    .name = "path",
    .help = "the weights as lambda falls from where all of them are 0",
    .needs_data = true,
    .run = run,
};
