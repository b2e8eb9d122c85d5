/* The study "scores": histograms of the scores of each class. For two classes the score itself; for more the score of the
 * true class less the largest other score. The sign of either gives the decision. */
#include "base/error.h"
#include "base/memory.h"
#include "option/options.h"
#include "study/binning.h"
#include "study/labelled_scores.h"

static int add_bins(const hsp_study_input *in, const hsp_labelled_scores *g, hsp_study *s, hsp_error **err) {
    double *value = hsp_alloc(g->n, sizeof *value);
    if (!value) return hsp_fail_memory(err);
    double correct = 0;
    for (int64_t i = 0; i < g->n; i++) {
        value[i] = hsp_labelled_scores_lead(g, i, g->curves == 1 ? hsp_labelled_scores_class(g, 0) : g->truth[i]);
        if (g->answer[i] == g->truth[i]) correct += hsp_labelled_scores_weight(g, i);
    }
    hsp_binning h = {.n = g->n,
                     .groups = g->classes,
                     .value = value,
                     .group = g->truth,
                     .weight = g->weight,
                     .threshold = 0,
                     .bins = hsp_options_int(in->o, "bins", 0)};
    int status = hsp_binning_add(&h, s, err);
    hsp_free(value);
    if (!status) status = hsp_study_set(s, "mass", g->mass, err);
    if (!status) status = hsp_study_set(s, "correct", correct, err);
    if (!status) status = hsp_study_set(s, "threshold", 0, err);
    return status;
}

static int study_scores(const hsp_study_input *in, hsp_study *s, hsp_error **err) {
    hsp_labelled_scores g;
    int status = hsp_labelled_scores_make(in, false, s, &g, err);
    if (!status) status = add_bins(in, &g, s, err);
    hsp_labelled_scores_clear(&g);
    return status;
}

const hsp_study_entry hsp_study_scores = {
    .name = "scores",
    .help = "distribution of the scores of each class",
    .needs_model = true,
    .needs_data = true,
    .run = study_scores,
};
