#include "study/labelled_scores.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/data.h"
#include "eval/metrics.h"

#include <float.h>
#include <math.h>

int64_t hsp_labelled_scores_class(const hsp_labelled_scores *g, int64_t c) {
    return g->curves == 1 ? g->m->prepare.positive : c;
}

static double held(double v) {
    return v > DBL_MAX ? DBL_MAX : v < -DBL_MAX ? -DBL_MAX : v;
}

double hsp_labelled_scores_lead(const hsp_labelled_scores *g, int64_t i, int64_t k) {
    const double *score = g->score + i * g->outputs;
    if (g->outputs == 1) return k == g->m->prepare.positive ? score[0] : -score[0];
    return held(score[k] - g->best[2 * i + (score[k] == g->best[2 * i] ? 1 : 0)]);
}

static int describe_all(const hsp_labelled_scores *g, const hsp_data *data, bool of_curves, hsp_study *s, hsp_error **err) {
    int status = hsp_study_set(s, "rows", (double)g->n, err);
    if (!status) status = hsp_study_set(s, "weighted", data->weight ? 1 : 0, err);
    int64_t count = of_curves ? g->curves : g->classes;
    for (int64_t c = 0; c < count && !status; c++) {
        int64_t k = of_curves ? hsp_labelled_scores_class(g, c) : c;
        status = hsp_study_add_text(s, "classes", g->m->prepare.classes.name[k], err);
    }
    return status;
}

static int weigh(const hsp_data *data, hsp_labelled_scores *g, hsp_error **err) {
    g->weight = data->weight;
    for (int64_t i = 0; i < g->n; i++) g->mass += hsp_labelled_scores_weight(g, i);
    if (g->mass > 0) return HSP_OK;
    return hsp_fail_at(err, HSP_EINPUT, hsp_data_place(data),
                       "all rows have weight 0: give at least one row a positive weight");
}

int hsp_labelled_scores_make(const hsp_study_input *in, bool of_curves, hsp_study *s, hsp_labelled_scores *out,
                             hsp_error **err) {
    const hsp_model *m = in->model;
    const hsp_data *data = in->data;
    hsp_labelled_scores g = {.m = m, .n = data->x.n, .classes = m->prepare.classes.count, .outputs = m->outputs};
    *out = g;
    if (m->prepare.regression) {
        return hsp_fail(err, HSP_EUSAGE, "'%s' needs a classifier, and the model is a regression: give a classifier",
                        hsp_study_kind(s));
    }
    g.curves = m->outputs == 1 ? 1 : g.classes;
    int status = hsp_metrics_check(m, data, err);
    if (!status) status = weigh(data, &g, err);
    if (status) return status;
    g.truth = hsp_alloc(g.n, sizeof *g.truth);
    g.answer = hsp_alloc(g.n, sizeof *g.answer);
    g.score = g.n <= INT64_MAX / g.outputs ? hsp_alloc(g.n * g.outputs, sizeof *g.score) : NULL;
    g.best = g.outputs > 1 ? hsp_alloc(2 * g.n, sizeof *g.best) : NULL;
    *out = g;
    if (!g.truth || !g.answer || !g.score || (g.outputs > 1 && !g.best)) return hsp_fail_memory(err);
    status = hsp_metrics_truth(m, data, g.truth, err);
    if (!status) status = hsp_model_score_matrix(m, &data->x, in->threads, g.score, g.answer, err);
    if (status) return status;
    if (g.best) {
        /* The two largest scores of every row. */
        for (int64_t i = 0; i < g.n; i++) {
            const double *score = g.score + i * g.outputs;
            double best = score[0], second = -INFINITY;
            for (int64_t k = 1; k < g.outputs; k++) {
                if (score[k] > best)
                    second = best, best = score[k];
                else if (score[k] > second)
                    second = score[k];
            }
            g.best[2 * i] = best;
            g.best[2 * i + 1] = second;
        }
    }
    return describe_all(&g, data, of_curves, s, err);
}

void hsp_labelled_scores_clear(hsp_labelled_scores *g) {
    HSP_FREE(g->truth, g->answer, g->score, g->best);
    *g = (hsp_labelled_scores){0};
}
