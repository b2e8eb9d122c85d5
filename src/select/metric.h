/* The metrics by which models are compared, and one of which decides. */
#ifndef HSP_SELECT_METRIC_H
#define HSP_SELECT_METRIC_H

#include "eval/metrics.h"
#include "halfspace.h"

/* A metric that can decide. Table in metric_table.c: accuracy balanced-accuracy log-loss brier auc average-precision f1 mcc;
 * rmse mae r2. */
typedef struct hsp_metric {
    const char *name;                                 /* as typed: "log-loss" */
    const char *member;                               /* in reports: "log_loss" */
    const char *title;                                /* in tables: "log loss" */
    bool regression, larger_is_better, probabilities; /* needs probabilities */
    double (*value)(const hsp_metrics *x);            /* NaN: undefined */
} hsp_metric;

extern const hsp_metric hsp_metric_table[];          /* ends with name NULL */
const hsp_metric *hsp_metric_find(const char *name); /* NULL: no metric has that name */

/* The metrics of a task: those of the table from *first on, in its order; returns their number. */
enum { HSP_METRICS_MOST = 8 };
int hsp_metrics_of_task(bool regression, const hsp_metric **first);
/* The metric of the option `metric`, by default accuracy or rmse. HSP_EUSAGE: it is for the other task. */
int hsp_metric_choose(const hsp_options *o, bool regression, const hsp_metric **out, hsp_error **err);
/* Whether value a is better than b; NaN is worse than any number. */
bool hsp_metric_better(const hsp_metric *m, double a, double b);

#endif
