#include "eval/metrics.h"
#include "select/metric.h"

#include "base/error.h"
#include "option/options.h"

#include <math.h>
#include <string.h>

static double accuracy(const hsp_metrics *x) {
    return x->accuracy;
}

static double balanced_accuracy(const hsp_metrics *x) {
    return x->balanced_accuracy;
}

static double log_loss(const hsp_metrics *x) {
    return x->log_loss;
}

static double brier(const hsp_metrics *x) {
    return x->brier;
}

static double auc(const hsp_metrics *x) {
    return x->auc;
}

static double average_precision(const hsp_metrics *x) {
    return x->average_precision;
}

static double rmse(const hsp_metrics *x) {
    return x->rmse;
}

static double mae(const hsp_metrics *x) {
    return x->mae;
}

static double r2(const hsp_metrics *x) {
    return x->r2;
}

const hsp_metric hsp_metric_table[] = {
    {"accuracy", "accuracy", "accuracy", false, true, false, accuracy},
    {"balanced-accuracy", "balanced_accuracy", "balanced", false, true, false, balanced_accuracy},
    {"log-loss", "log_loss", "log loss", false, false, true, log_loss},
    {"brier", "brier", "Brier", false, false, true, brier},
    {"auc", "auc", "AUC", false, true, false, auc},
    {"average-precision", "average_precision", "average precision", false, true, false, average_precision},
    {"f1", "f1", "F1", false, true, false, hsp_metrics_mean_f1},
    {"mcc", "mcc", "MCC", false, true, false, hsp_metrics_mcc},
    {"rmse", "rmse", "RMSE", true, false, false, rmse},
    {"mae", "mae", "MAE", true, false, false, mae},
    {"r2", "r2", "R^2", true, true, false, r2},
    {0},
};

const hsp_metric *hsp_metric_find(const char *name) {
    for (const hsp_metric *m = hsp_metric_table; name && m->name; m++)
        if (strcmp(m->name, name) == 0) return m;
    return NULL;
}

int hsp_metrics_of_task(bool regression, const hsp_metric **first) {
    const hsp_metric *m = hsp_metric_table;
    int count = 0;
    while (m->name && m->regression != regression) m++;
    *first = m;
    while (m[count].name && m[count].regression == regression) count++;
    return count;
}

int hsp_metric_choose(const hsp_options *o, bool regression, const hsp_metric **out, hsp_error **err) {
    const char *name = hsp_options_text(o, "metric");
    hsp_metrics_of_task(regression, out);
    if (!name) return HSP_OK;
    const hsp_metric *m = hsp_metric_find(name);
    if (m && m->regression == regression) {
        *out = m;
        return HSP_OK;
    }
    return hsp_fail(err, HSP_EUSAGE, "--metric %s is for %s: use one of %s", name,
                    regression ? "classes, and the target is numeric" : "numeric targets, and the data have classes",
                    regression ? "rmse, mae and r2"
                               : "accuracy, balanced-accuracy, log-loss, brier, auc, average-precision, f1 and mcc");
}

bool hsp_metric_better(const hsp_metric *m, double a, double b) {
    if (isnan(a) || isnan(b)) return !isnan(a);
    return m->larger_is_better ? a > b : a < b;
}
