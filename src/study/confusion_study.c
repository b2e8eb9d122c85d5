/* The study "confusion": the confusion matrix of a model. */
#include "study/labelled_scores.h"

static int add_confusion(const hsp_labelled_scores *g, hsp_study *s, hsp_error **err) {
    double *count = hsp_study_add(s, "counts", g->classes, g->classes, err), correct = 0;
    if (!count) return HSP_EMEMORY;
    for (int64_t i = 0; i < g->n; i++) count[g->truth[i] * g->classes + g->answer[i]] += hsp_labelled_scores_weight(g, i);
    for (int64_t k = 0; k < g->classes; k++) correct += count[k * g->classes + k];
    int status = hsp_study_set(s, "mass", g->mass, err);
    if (!status) status = hsp_study_set(s, "correct", correct, err);
    if (!status) status = hsp_study_set(s, "accuracy", correct / g->mass, err);
    return status;
}

static int study_confusion(const hsp_study_input *in, hsp_study *s, hsp_error **err) {
    hsp_labelled_scores g;
    int status = hsp_labelled_scores_make(in, false, s, &g, err);
    if (!status) status = add_confusion(&g, s, err);
    hsp_labelled_scores_clear(&g);
    return status;
}

const hsp_study_entry hsp_study_confusion = {
    .name = "confusion",
    .help = "confusion matrix: predicted against true classes",
    .needs_model = true,
    .needs_data = true,
    .run = study_confusion,
};
