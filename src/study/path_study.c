/* The study `path`: the optima that hsp_path finds for a decreasing sequence of lambda, as weights of the largest features. */
#include "base/error.h"
#include "base/memory.h"
#include "model/model.h"
#include "option/options.h"
#include "prepare/prepare.h"
#include "select/path.h"
#include "study/sweep_lambdas.h"

#include <string.h>

/* The weights of each point, kept as a study keeps those of its fits, and the training errors. */
static int keep_points(const hsp_study_input *in, const hsp_path_result *r, hsp_study_weights *kept, double *train_error,
                       hsp_error **err) {
    const hsp_path_points *p = &r->sweep.points;
    hsp_data *own = NULL;
    int status = hsp_model_encode(r->model, in->data, in->threads, &own, err);
    for (int64_t i = 0; !status && i < p->count; i++) {
        hsp_path_points_weights(p, i, r->model->w);
        r->model->b[0] = p->intercept[i];
        r->model->certificate.relative_gap = p->gap[i];
        status = hsp_study_evaluate(r->model, own ? own : in->data, &train_error[i], err);
        if (!status) status = hsp_study_keep(r->model, &kept[i], err);
    }
    hsp_data_free(own);
    return status;
}

/* Adds one row for each feature with a large weight. */
static int add_weights(const hsp_study_sweep *w, hsp_study *s, hsp_error **err) {
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

static int add_texts(const hsp_path_result *r, hsp_study *s, hsp_error **err) {
    const hsp_prepare *p = &r->model->prepare;
    int status = hsp_study_add_text(s, "loss", r->sweep.loss, err);
    if (!status) status = hsp_study_add_text(s, "penalty", r->sweep.penalty, err);
    if (!status) status = hsp_study_add_text(s, "scaling", p->scale, err);
    if (!status && p->positive >= 0 && !p->regression)
        status = hsp_study_add_text(s, "positive", p->classes.name[p->positive], err);
    return status;
}

/* With --folds: mean and sd of the metric at each point. */
static int add_scores(const hsp_path_result *r, hsp_study *s, hsp_error **err) {
    static const char *const names[] = {"mean", "sd"};
    const hsp_path_scores *c = &r->scores;
    int64_t L = r->sweep.points.count;
    double *v[2];
    if (!c->metric) return HSP_OK;
    int status = hsp_study_add_text(s, "metric", c->title, err);
    if (!status) status = hsp_study_add_vectors(s, L, names, 2, v, err);
    if (status) return status;
    memcpy(v[0], c->mean, (size_t)L * sizeof *c->mean);
    memcpy(v[1], c->sd, (size_t)L * sizeof *c->sd);
    const hsp_study_figure figures[] = {
        {"best", (double)c->best}, {"one_se", (double)c->one_se}, {"folds", (double)c->folds}};
    return hsp_study_set_figures(s, figures, sizeof figures / sizeof *figures, err);
}

static int add_points(const hsp_study_input *in, const hsp_path_result *r, hsp_study *s, hsp_error **err) {
    static const char *const names[] = {"lambda", "train_error", "nonzeros"};
    const hsp_path_points *p = &r->sweep.points;
    hsp_study_sweep w = {.o = (hsp_options *)in->o, .train = in->data, .L = p->count, .model = r->model};
    double *v[3];
    int status = hsp_study_add_vectors(s, w.L, names, 3, v, err);
    if (status) return status;
    w.kept = hsp_alloc_zero(w.L, sizeof *w.kept);
    status = w.kept ? keep_points(in, r, w.kept, v[1], err) : hsp_fail_memory(err);
    for (int64_t i = 0; !status && i < w.L; i++) {
        v[0][i] = p->lambda[i];
        v[2][i] = (double)w.kept[i].nonzeros;
    }
    if (!status) status = hsp_study_sweep_add_norms(&w, s, err);
    if (!status) status = add_weights(&w, s, err);
    for (int64_t i = 0; w.kept && i < w.L; i++) hsp_study_forget(&w.kept[i]);
    hsp_free(w.kept);
    return status;
}

static int study_path(const hsp_study_input *in, hsp_study *s, hsp_error **err) {
    hsp_path_result r;
    int status = hsp_path_run(in->data, in->o, in->hooks, &r, err);
    if (!status && r.unfinished) status = hsp_fail(err, HSP_ECANCELLED, "cancelled before the end of the path");
    if (!status && r.sweep.points.count == 0)
        status = hsp_fail(err, HSP_EUSAGE, "--max-seconds ended the path before its first value: use a larger limit");
    if (!status) {
        const hsp_study_figure figures[] = {{"squared", r.sweep.regression},
                                            {"rows", (double)in->data->x.n},
                                            {"all_features", (double)r.model->prepare.schema.d}};
        status = hsp_study_set_figures(s, figures, sizeof figures / sizeof *figures, err);
    }
    if (!status) status = add_texts(&r, s, err);
    if (!status) status = add_points(in, &r, s, err);
    if (!status) status = add_scores(&r, s, err);
    hsp_path_result_clear(&r);
    return status;
}

const hsp_study_entry hsp_study_path = {
    .name = "path",
    .help = "regularisation path: the weights against lambda",
    .needs_data = true,
    .reports = true,
    .run = study_path,
};
