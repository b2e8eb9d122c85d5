#include "fit/fit_warm.h"

#include "base/error.h"
#include "base/text.h"
#include "data/data.h"
#include "design/design.h"
#include "loss/loss.h"
#include "model/model.h"
#include "option/options.h"
#include "prepare/prepare.h"
#include "solve/loop/solver.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Above this gap the multipliers are not worth a start. */
static const double WORTHLESS = 0.5;
/* The intercept of a class that had no rows is below this; such an output is no start. */
static const double SILENT = -1e299;

/* ---- is it a start? ---- */

static int check_labels(const hsp_fit *f, hsp_error **err) {
    const hsp_prepare *has = &f->job.start->prepare, *wants = f->job.prepare;
    if (has->regression != wants->regression)
        return hsp_fail(err, HSP_EUSAGE, "the start predicts %s, and the data have %s: leave the start out",
                        has->regression ? "numbers" : "classes", has->regression ? "classes" : "numbers");
    if (has->regression) return HSP_OK;
    if (!hsp_classes_same(&has->classes, &wants->classes))
        return hsp_fail(err, HSP_EUSAGE,
                        "the start has other classes than the data (%" PRId64 " and %" PRId64
                        "): give data with the same labels, or leave the start out",
                        has->classes.count, wants->classes.count);
    if (has->positive == wants->positive) return HSP_OK;
    return hsp_fail(err, HSP_EUSAGE, "the positive class of the start is '%s', and that of the fit is '%s': set --positive %s",
                    has->classes.name[has->positive], wants->classes.name[wants->positive],
                    has->classes.name[has->positive]);
}

int hsp_fit_check_start(hsp_fit *f, hsp_error **err) {
    const hsp_classifier *c = f->job.classifier;
    const hsp_model *m = f->job.start;
    if (!m) return HSP_OK;
    if (!c->iterates)
        return hsp_fail(err, HSP_EUSAGE, "%s does not iterate from initial weights: leave the start out", c->name);
    if (hsp_classifier_takes(c, "init") && hsp_options_is_set(f->job.options, "init"))
        return hsp_fail(err, HSP_EUSAGE, "--init and the start both set the initial weights: give one of them");
    if (c->layers != (m->network != NULL))
        return hsp_fail(err, HSP_EUSAGE, "%s cannot start from a model of %s: leave the start out", c->name, m->algorithm);
    int status = hsp_model_check_features(m, f->job.data, err);
    if (!status) status = check_labels(f, err);
    if (status) return status;
    f->form.rules.start = HSP_START_MODEL;
    f->job.same_rows = m->dual && m->rows == f->job.data->x.n && m->data_hash == hsp_data_hash(f->job.data);
    return HSP_OK;
}

/* ---- the start of a problem ---- */

/* An svmlight file may have more or fewer columns than the one that the model was trained on. */
static void convert_weights(const hsp_model *m, const hsp_design *D, int64_t k, double *w, double *b) {
    int64_t known = m->prepare.schema.d < D->d ? m->prepare.schema.d : D->d;
    const double *from = m->w + k * m->prepare.schema.d;
    *b = m->b[k];
    for (int64_t j = 0; j < known; j++) {
        bool flat = D->factor && !(D->factor[j] > 0); /* a constant column */
        w[j] = flat ? 0 : D->factor ? from[j] / D->factor[j] : from[j];
        if (D->shift) *b += D->shift[j] * from[j];
    }
}

/* Extreme factors may overflow: then the start is 0. */
static bool is_finite(const double *w, int64_t d, double b) {
    bool finite = isfinite(b);
    for (int64_t j = 0; j < d; j++) finite &= isfinite(w[j]) != 0;
    return finite;
}

void hsp_fit_warm_weights(const hsp_fit *f, const hsp_problem *p, const int64_t *class, hsp_point *point) {
    const hsp_model *m = f->job.start;
    if (!m) return;
    for (int64_t t = 0; t < point->outputs; t++) {
        double *w = point->w + t * point->d, *b = &point->b[t];
        if (m->b[class[t]] > SILENT) convert_weights(m, f->job.design, class[t], w, b);
        if (!is_finite(w, point->d, *b)) {
            memset(w, 0, (size_t)point->d * sizeof *w);
            *b = 0;
        }
        if (p->intercept == HSP_INTERCEPT_NONE) *b = 0;
    }
}

/* The multipliers of the model for the same rows and loss: r is beta / (C c_i), which stays in its domain when C changes. */
static bool take_multipliers(const hsp_fit *f, const hsp_problem *p, const int64_t *class, hsp_point *point) {
    const hsp_model *m = f->job.start;
    const hsp_dual *a = m->dual;
    const char *loss = m->objective.loss;
    bool joint = p->outputs > 1;
    if (!a || !loss || strcmp(loss, p->loss->name) != 0 || m->objective.joint != joint || !f->job.same_rows)
        return false;
    for (int64_t t = 0; t < p->outputs; t++)
        for (int64_t e = a->begin[class[t]]; e < a->begin[class[t] + 1]; e++) {
            double weight = m->objective.C * (p->c ? p->c[a->row[e]] : 1);
            point->alpha[(int64_t)a->row[e] * p->outputs + t] = weight > 0 ? a->value[e] / weight : 0;
        }
    return true;
}

/* Where the loss is smooth, its slopes at the weights are multipliers. */
static void derive_multipliers(hsp_problem *p, hsp_point *point) {
    if (!(p->loss->traits & HSP_LOSS_SMOOTH) || !hsp_problem_has_dual(p)) return;
    double P = hsp_problem_evaluate(p, point->w, point->b).objective;
    double gap = hsp_relative_gap(P, hsp_problem_dual_bound(p, point->w, point->b));
    if (gap < WORTHLESS) memcpy(point->alpha, p->slopes, (size_t)(point->n * p->outputs) * sizeof *point->alpha);
}

void hsp_fit_warm_multipliers(const hsp_fit *f, hsp_problem *p, const int64_t *class, hsp_point *point) {
    if (!f->job.start || !point->alpha || !(p->loss->traits & HSP_LOSS_DUAL)) return;
    if (!take_multipliers(f, p, class, point)) derive_multipliers(p, point);
}
