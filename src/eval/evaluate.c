/* `halfspace evaluate --json`. */
#include "base/advance.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "base/pool.h"
#include "base/text.h"
#include "data/data.h"
#include "eval/importance.h"
#include "eval/metrics.h"
#include "loss/loss_sums.h"
#include "model/model.h"
#include "option/options.h"
#include "table/unseen.h"

/* Writes a sum of weights: an integer if there are no row weights. */
static void report_mass(const hsp_metrics *x, hsp_json *j, double mass) {
    if (x->weighted) {
        hsp_json_number(j, NULL, mass);
    } else {
        hsp_json_int(j, NULL, (int64_t)mass);
    }
}

/* Omitted for very many classes: the matrix would be millions of zeros. */
static void report_confusion(const hsp_metrics *x, hsp_json *j) {
    enum { MOST_CLASSES = 1000 };
    if (x->classes > MOST_CLASSES) {
        hsp_json_null(j, "confusion");
        return;
    }
    hsp_json_array(j, "confusion");
    for (int64_t k = 0; k < x->classes; k++) {
        hsp_json_array(j, NULL);
        for (int64_t l = 0; l < x->classes; l++) report_mass(x, j, x->confusion[k * x->classes + l]);
        hsp_json_array_end(j);
    }
    hsp_json_array_end(j);
}

static void report_figure(const hsp_metrics *x, hsp_json *j, const char *key,
                          double (*figure)(const hsp_metrics *, int64_t)) {
    hsp_json_array(j, key);
    for (int64_t k = 0; k < x->classes; k++) hsp_json_number(j, NULL, figure(x, k));
    hsp_json_array_end(j);
}

/* Losses of a single score exist for two classes only. */
static void report_losses(const hsp_model *m, const hsp_metrics *x, hsp_json *j) {
    if (m->outputs > 1) {
        hsp_json_null(j, "losses");
        return;
    }
    hsp_loss_sums_report(&x->losses, x->mass, j);
}

static void report_classification(const hsp_model *m, const hsp_metrics *x, hsp_json *j) {
    char rule[HSP_MODEL_DECISION];
    hsp_json_number(j, "accuracy", x->accuracy);
    hsp_json_number(j, "error", (x->mass - x->correct) / x->mass);
    hsp_json_number(j, "balanced_accuracy", x->balanced_accuracy);
    hsp_json_number(j, "log_loss", x->log_loss);
    hsp_json_number(j, "brier", x->brier);
    hsp_json_number(j, "calibration_error", x->calibration_error);
    report_losses(m, x, j);
    hsp_json_number(j, "auc", x->auc);
    hsp_json_number(j, "average_precision", x->average_precision);
    hsp_json_number(j, "lead_auc", x->lead_auc);
    hsp_json_number(j, "lead_average_precision", x->lead_average_precision);
    hsp_json_array(j, "classes");
    for (int64_t k = 0; k < x->classes; k++) hsp_json_string(j, NULL, m->prepare.classes.name[k]);
    hsp_json_array_end(j);
    hsp_json_string(j, "positive", m->prepare.positive >= 0 ? m->prepare.classes.name[m->prepare.positive] : NULL);
    hsp_json_string(j, "decision", hsp_model_decision(m, rule));
    report_confusion(x, j);
    hsp_json_object(j, "per_class");
    report_figure(x, j, "precision", hsp_metrics_precision);
    report_figure(x, j, "recall", hsp_metrics_recall);
    report_figure(x, j, "f1", hsp_metrics_f1);
    hsp_json_array(j, "support");
    for (int64_t k = 0; k < x->classes; k++) report_mass(x, j, hsp_metrics_support(x, k));
    hsp_json_array_end(j);
    hsp_json_object_end(j);
}

static void report_metrics(const hsp_model *m, const hsp_metrics *x, hsp_json *j) {
    hsp_json_int(j, "rows", x->rows);
    hsp_json_string(j, "task", m->task);
    if (x->weighted) {
        hsp_json_number(j, "weight", x->mass);
    } else {
        hsp_json_null(j, "weight");
    }
    if (m->prepare.regression) {
        hsp_json_number(j, "mse", x->mse);
        hsp_json_number(j, "rmse", x->rmse);
        hsp_json_number(j, "mae", x->mae);
        hsp_json_number(j, "r2", x->r2);
        hsp_json_number(j, "max_error", x->max_error);
    } else {
        report_classification(m, x, j);
    }
    hsp_json_int(j, "unseen_values", x->unseen_values);
}

/* m decides as it is asked to. */
static int evaluate(const hsp_model *m, const hsp_data *data, const hsp_options *o, const hsp_hooks *hooks,
                    hsp_report **report, hsp_error **err) {
    double start = hsp_clock_seconds();
    hsp_metrics x;
    hsp_advance advance;
    hsp_advance_begin(&advance, hooks, "evaluate", hsp_metrics_passes(m));
    hsp_data *own = NULL;
    int status = hsp_model_encode(m, data, hsp_pool_threads(hsp_options_int(o, "threads", 0)), &own, err);
    if (!status) status = hsp_metrics_compute(m, own ? own : data, &advance, &x, err);
    const hsp_data *seen = own ? own : data;
    hsp_json j = {0};
    hsp_json_object(&j, NULL);
    if (!status) {
        report_metrics(m, &x, &j);
        status = hsp_importance_report(m, seen, o, &advance, &j, err);
        if (status) hsp_metrics_clear(&x);
    }
    if (status) {
        hsp_data_free(own);
        hsp_json_drop(&j);
        return status;
    }
    if (m->prepare.encoding)
        hsp_unseen_report(&seen->unseen, &m->prepare.encoding->raw, data->absent.count, data->absent.names, &j);
    hsp_data_free(own);
    hsp_metrics_clear(&x);
    hsp_json_string(&j, "assumed", data->assumed);
    hsp_json_object(&j, "seconds");
    hsp_json_number(&j, "read", data->read_seconds);
    hsp_json_number(&j, "evaluate", hsp_clock_seconds() - start);
    hsp_json_object_end(&j);
    hsp_json_object_end(&j);
    if (report) return hsp_json_take(&j, report, err);
    hsp_json_drop(&j);
    return 0;
}

int hsp_evaluate(const hsp_model *m, const hsp_data *data, const hsp_options *o, const hsp_hooks *hooks,
                 hsp_report **report, hsp_error **err) {
    hsp_model deciding;
    if (report) *report = NULL;
    const char *rule = hsp_options_is_set(o, "decide") ? hsp_options_text(o, "decide") : NULL;
    int status = hsp_model_decide_by(m, rule, &deciding, err);
    return status ? status : evaluate(&deciding, data, o, hooks, report, err);
}
