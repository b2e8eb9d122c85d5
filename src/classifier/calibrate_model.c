/* Maps and thresholds are fitted to the scores of all rows by the models of their folds. Their figures are those of new rows:
 * the rows of a fold are measured by the map and the threshold that the other folds give. */
#include "classifier/calibrate_model.h"

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "calibrate/calibration.h"
#include "calibrate/decision_rule.h"
#include "classifier/cross_fit.h"
#include "data/data.h"
#include "fit/fit_report.h"
#include "option/options.h"
#include "solve/loop/stop.h"

#include <math.h>
#include <string.h>

/* Rows that some fold has tested, in the order of the data; the arrays are owned. */
typedef struct tested_rows {
    int64_t n, outputs;
    int32_t *fold, *class; /* class: as hsp_calibration_rows has it */
    double *score, *own, *weight; /* own, weight: or NULL */
} tested_rows;

typedef struct calibrating {
    hsp_fit *f;
    hsp_model *m;
    const hsp_calibration_method *method; /* NULL: none */
    hsp_decision_rule rule;
    const char *rule_text;
    int64_t folds;
    tested_rows rows;
    double *p; /* rows.n x outputs, owned: probabilities by the maps of the other folds; NULL: no calibration */
    hsp_calibration_figures before, after;
    hsp_decision_counts counts; /* by the thresholds of the other folds */
} calibrating;

static const char *option_of(const hsp_fit *f, const char *name, const char *none) {
    const char *text = hsp_classifier_takes(f->job.classifier, name) ? hsp_options_text(f->job.options, name) : NULL;
    return text && strcmp(text, none) != 0 ? text : NULL;
}

static const hsp_calibration_method *chosen_method(const hsp_fit *f) {
    return hsp_calibration_find(option_of(f, "calibrate", "none"));
}

/* ---- before the fit ---- */

static int check_two_classes(const hsp_fit *f, hsp_error **err) {
    int64_t K = f->job.prepare->classes.count;
    if (K <= 2) return HSP_OK;
    return hsp_fail(err, HSP_EUSAGE,
                    "--decide is for two classes, and there are %lld: leave it out, or choose one of them against the rest "
                    "with --positive LABEL",
                    (long long)K);
}

int hsp_calibrate_check(const hsp_fit *f, hsp_error **err) {
    const hsp_calibration_method *method = chosen_method(f);
    const char *decide = option_of(f, "decide", "auto");
    hsp_decision_rule rule;
    if (f->rows.target) return HSP_OK; /* refused before */
    int status = hsp_decision_parse(decide, &rule, err);
    if (!status && decide) status = check_two_classes(f, err);
    if (status) return status;
    if (f->job.update && (method || decide))
        return hsp_fail(err, HSP_EUSAGE,
                        "--%s needs models of parts of the rows, and an update sees only some of them: train on all rows",
                        method ? "calibrate" : "decide");
    bool needs = method || rule.kind == HSP_DECIDE_BEST || rule.kind == HSP_DECIDE_RECALL;
    if (!needs && rule.kind != HSP_DECIDE_COST && hsp_options_is_set(f->job.options, "calibrate-folds"))
        return hsp_fail(err, HSP_EUSAGE,
                        "--calibrate-folds has no effect without --calibrate, or a --decide that is chosen on rows that were "
                        "not trained on: leave it out");
    return needs ? hsp_cross_fit_check(f, err) : HSP_OK;
}

/* ---- the rows ---- */

static void clear_rows(tested_rows *r) {
    HSP_FREE(r->fold, r->class, r->score, r->own, r->weight);
    *r = (tested_rows){0};
}

/* The rows of the cross-fit that have scores. */
static int take_rows(const calibrating *w, const hsp_cross_fit *fit, tested_rows *out, hsp_error **err) {
    const hsp_data *data = w->f->job.data;
    int64_t K = fit->outputs, n = 0;
    for (int64_t i = 0; i < fit->n; i++) n += fit->fold[i] >= 0;
    *out = (tested_rows){.n = n,
                         .outputs = K,
                         .fold = hsp_alloc(n + 1, sizeof *out->fold),
                         .class = hsp_alloc(n + 1, sizeof *out->class),
                         .score = hsp_alloc((n + 1) * K, sizeof *out->score),
                         .own = fit->own ? hsp_alloc((n + 1) * K, sizeof *out->own) : NULL,
                         .weight = data->weight ? hsp_alloc(n + 1, sizeof *out->weight) : NULL};
    if (!out->fold || !out->class || !out->score || (fit->own && !out->own) || (data->weight && !out->weight))
        return hsp_fail_memory(err);
    for (int64_t i = 0, to = 0; i < fit->n; i++) {
        if (fit->fold[i] < 0) continue;
        int32_t y = w->f->rows.y[i];
        out->fold[to] = fit->fold[i];
        out->class[to] = K == 1 ? y == w->m->prepare.positive : y;
        if (out->weight) out->weight[to] = data->weight[i];
        memcpy(out->score + to * K, fit->score + i * K, (size_t)K * sizeof *out->score);
        if (out->own) memcpy(out->own + to * K, fit->own + i * K, (size_t)K * sizeof *out->own);
        to++;
    }
    return HSP_OK;
}

/* Copies the rows of one fold, or those of the others, to `out`, which has room. Returns their number. */
static int64_t copy_part(const tested_rows *r, int64_t fold, bool others, tested_rows *out) {
    int64_t n = 0, K = r->outputs;
    for (int64_t i = 0; i < r->n; i++) {
        if ((r->fold[i] == fold) == others) continue;
        out->class[n] = r->class[i];
        if (r->weight) out->weight[n] = r->weight[i];
        memcpy(out->score + n * K, r->score + i * K, (size_t)K * sizeof *out->score);
        if (r->own) memcpy(out->own + n * K, r->own + i * K, (size_t)K * sizeof *out->own);
        n++;
    }
    return out->n = n;
}

static hsp_calibration_rows as_calibration_rows(const tested_rows *r) {
    return (hsp_calibration_rows){
        .n = r->n, .outputs = r->outputs, .score = r->score, .class = r->class, .weight = r->weight};
}

static int make_part(const tested_rows *r, tested_rows *out, hsp_error **err) {
    int64_t n = r->n + 1;
    *out = (tested_rows){.outputs = r->outputs,
                         .class = hsp_alloc(n, sizeof *out->class),
                         .score = hsp_alloc(n * r->outputs, sizeof *out->score),
                         .own = r->own ? hsp_alloc(n * r->outputs, sizeof *out->own) : NULL,
                         .weight = r->weight ? hsp_alloc(n, sizeof *out->weight) : NULL};
    bool good = out->class && out->score && (!r->own || out->own) && (!r->weight || out->weight);
    return good ? HSP_OK : hsp_fail_memory(err);
}

/* ---- levels and probabilities ---- */

/* Probabilities of a row by a calibration whose scores are those of the row: as hsp_model_probabilities, with one output of the
 * positive class. */
static void apply_map(const hsp_model *m, const hsp_calibration *c, const double *score, double *p) {
    double rest;
    if (m->outputs == 1) {
        hsp_calibration_at(c, 0, score[0], p, &rest);
        return;
    }
    hsp_calibration_shares(c, m->outputs, score, p);
}

/* What the rule compares, of `r`: by the map c (NULL: none) the probability, else that of the models themselves, else the
 * score. */
static void find_levels(const calibrating *w, const tested_rows *r, const hsp_calibration *c, double *level,
                        bool *positive) {
    for (int64_t i = 0; i < r->n; i++) {
        positive[i] = r->class[i] == 1;
        if (c)
            apply_map(w->m, c, r->score + i, &level[i]);
        else
            level[i] = r->own ? r->own[i] : r->score[i];
    }
}

static int choose_threshold(const calibrating *w, const tested_rows *r, const hsp_calibration *c, double *threshold,
                            hsp_error **err) {
    bool of_probability = hsp_model_has_probabilities(w->m);
    if (hsp_decision_is_fixed(&w->rule, of_probability)) {
        *threshold = hsp_decision_fixed(&w->rule);
        return HSP_OK;
    }
    double *level = hsp_alloc(r->n + 1, sizeof *level);
    bool *positive = hsp_alloc(r->n + 1, sizeof *positive);
    int status = level && positive ? HSP_OK : hsp_fail_memory(err);
    if (!status) {
        find_levels(w, r, c, level, positive);
        const hsp_decision_rows rows = {
            .n = r->n, .level = level, .positive = positive, .weight = r->weight, .of_probability = of_probability};
        status = hsp_decision_choose(&w->rule, &rows, threshold, err);
    }
    HSP_FREE(level, positive);
    return status;
}

static void add_counts(hsp_decision_counts *sum, const hsp_decision_counts *c) {
    sum->tp += c->tp;
    sum->fp += c->fp;
    sum->fn += c->fn;
    sum->tn += c->tn;
}

/* ---- figures of new rows ---- */

/* The rows of a fold, measured by what the others give. */
static int measure_fold(calibrating *w, int64_t fold, tested_rows *part, hsp_error **err) {
    hsp_calibration c = {0};
    const char *unused;
    double threshold = NAN;
    int64_t K = w->rows.outputs;
    copy_part(&w->rows, fold, true, part);
    const hsp_calibration_rows others = as_calibration_rows(part);
    int status = w->method ? hsp_calibration_fit(w->method, &others, &c, &unused, err) : HSP_OK;
    bool rules = w->rule.kind != HSP_DECIDE_AUTO;
    if (!status && rules) status = choose_threshold(w, part, w->method ? &c : NULL, &threshold, err);
    for (int64_t i = 0; !status && i < w->rows.n; i++) {
        if (w->rows.fold[i] != fold) continue;
        const double *score = w->rows.score + i * K;
        double level = w->rows.own ? w->rows.own[i * K] : score[0], *p = w->method ? w->p + i * K : &level;
        if (w->method) apply_map(w->m, &c, score, p);
        if (!rules) continue;
        bool positive = w->rows.class[i] == 1;
        const hsp_decision_rows row = {
            .n = 1, .level = p, .positive = &positive, .weight = w->rows.weight ? w->rows.weight + i : NULL};
        const hsp_decision_counts counts = hsp_decision_count(&row, threshold);
        add_counts(&w->counts, &counts);
    }
    hsp_calibration_clear(&c);
    return status;
}

static int measure(calibrating *w, hsp_error **err) {
    tested_rows part = {0};
    const hsp_calibration_rows all = as_calibration_rows(&w->rows);
    int status = make_part(&w->rows, &part, err);
    if (!status && w->method && !(w->p = hsp_alloc((w->rows.n + 1) * w->rows.outputs, sizeof *w->p)))
        status = hsp_fail_memory(err);
    for (int64_t k = 0; !status && k < w->folds; k++) status = measure_fold(w, k, &part, err);
    w->before = (hsp_calibration_figures){NAN, NAN, NAN};
    if (!status && w->method && w->rows.own) status = hsp_calibration_measure(&all, w->rows.own, &w->before, err);
    if (!status && w->method) status = hsp_calibration_measure(&all, w->p, &w->after, err);
    clear_rows(&part);
    return status;
}

/* ---- the report ---- */

static void write_figures(hsp_json *j, const char *key, const hsp_calibration_figures *x) {
    if (isnan(x->log_loss)) {
        hsp_json_null(j, key);
        return;
    }
    hsp_json_object(j, key);
    hsp_json_number(j, "log_loss", x->log_loss);
    hsp_json_number(j, "brier", x->brier);
    hsp_json_number(j, "calibration_error", x->calibration_error);
    hsp_json_object_end(j);
}

static int report_calibration(const calibrating *w, hsp_error **err) {
    hsp_json j = {0};
    hsp_json_object(&j, NULL);
    hsp_json_string(&j, "method", w->method->name);
    hsp_json_int(&j, "folds", w->folds);
    hsp_json_int(&j, "rows", w->rows.n);
    write_figures(&j, "before", &w->before);
    write_figures(&j, "after", &w->after);
    hsp_json_object_end(&j);
    return hsp_json_take(&j, &w->f->notes.calibration, err);
}

static void write_counts(const calibrating *w, hsp_json *j) {
    const hsp_decision_counts *c = &w->counts;
    double mass = c->tp + c->fp + c->fn + c->tn;
    hsp_json_object(j, "out_of_fold");
    for (const hsp_decision_metric *metric = hsp_decision_metrics; metric->name; metric++)
        hsp_json_number(j, metric->member, metric->value(c));
    hsp_json_number(j, "precision", hsp_decision_precision(c));
    hsp_json_number(j, "recall", hsp_decision_recall(c));
    hsp_json_number(j, "positive_share", (c->tp + c->fp) / mass);
    if (w->rule.kind == HSP_DECIDE_COST)
        hsp_json_number(j, "mean_cost", (w->rule.fp * c->fp + w->rule.fn * c->fn) / mass);
    else
        hsp_json_null(j, "mean_cost");
    hsp_json_object_end(j);
}

static int report_rule(const calibrating *w, hsp_error **err) {
    const hsp_decision *d = &w->m->decision;
    hsp_json j = {0};
    hsp_json_object(&j, NULL);
    hsp_json_string(&j, "rule", d->rule);
    hsp_json_string(&j, "level", d->of_probability ? "probability" : "score");
    hsp_json_number(&j, "threshold", d->threshold);
    if (w->folds > 0) {
        hsp_json_int(&j, "folds", w->folds);
        write_counts(w, &j);
    } else {
        hsp_json_null(&j, "folds");
        hsp_json_null(&j, "out_of_fold");
    }
    hsp_json_object_end(&j);
    return hsp_json_take(&j, &w->f->notes.decision_rule, err);
}

/* ---- the model ---- */

/* One number cannot remove the shift that class weights give to scores that are not log-odds. */
static int check_temperature(const calibrating *w, hsp_error **err) {
    const double *t = w->m->class_weight;
    if (!w->method || !w->method->joint || w->m->link != HSP_LINK_NONE) return HSP_OK;
    for (int64_t k = 1; t && k < w->m->prepare.classes.count; k++)
        if (t[k] != t[0])
            return hsp_fail(err, HSP_EUSAGE,
                            "--calibrate temperature cannot remove the effect of --class-weight from the scores of %s, which "
                            "are not log-odds: use --calibrate platt or isotonic",
                            w->m->algorithm);
    return HSP_OK;
}

static void warn_of_fits(const calibrating *w, const hsp_cross_fit *fit) {
    const int64_t count[] = {fit->late, fit->missed};
    static const char *const why[] = {"were stopped by --max-seconds, which limits each fit: give more time",
                                      "missed the tolerance: scale the columns, or allow more epochs"};
    for (int i = 0; i < 2; i++)
        if (count[i] > 0)
            hsp_text_format(&w->f->notes.warnings, "%lld of the %lld fits of folds %s\n", (long long)count[i],
                            (long long)fit->folds, why[i]);
}

static int fit_map(calibrating *w, hsp_error **err) {
    const hsp_calibration_rows all = as_calibration_rows(&w->rows);
    const char *odd = NULL;
    if (!w->method) return HSP_OK;
    int status = hsp_calibration_fit(w->method, &all, &w->m->calibration, &odd, err);
    if (!status && odd) hsp_text_format(&w->f->notes.warnings, "calibration: %s\n", odd);
    return status;
}

static int set_rule(calibrating *w, hsp_error **err) {
    if (w->rule.kind == HSP_DECIDE_AUTO) return HSP_OK;
    int status = hsp_model_can_decide(w->m, &w->rule, err);
    double threshold = NAN;
    if (!status)
        status = choose_threshold(w, &w->rows, w->method ? &w->m->calibration : NULL, &threshold, err);
    if (status) return status;
    w->m->decision = (hsp_decision){
        .rule = hsp_strdup(w->rule_text), .of_probability = hsp_model_has_probabilities(w->m), .threshold = threshold};
    return w->m->decision.rule ? HSP_OK : hsp_fail_memory(err);
}

/* Whether rows that were not trained on are needed. */
static bool needs_folds(const calibrating *w) {
    bool rules = w->rule.kind != HSP_DECIDE_AUTO;
    return w->method || (rules && !hsp_decision_is_fixed(&w->rule, hsp_model_has_probabilities(w->m)));
}

static int calibrate(calibrating *w, const hsp_options *o, hsp_cross_fit *fit, hsp_error **err) {
    int status = check_temperature(w, err);
    if (!status && needs_folds(w)) {
        status = hsp_cross_fit_run(w->f, w->m, o, w->method, fit, err);
        if (status) return status;
        w->folds = fit->folds;
        warn_of_fits(w, fit);
        status = take_rows(w, fit, &w->rows, err);
    }
    if (!status) status = fit_map(w, err);
    if (!status) status = set_rule(w, err);
    if (!status && w->folds > 0) status = measure(w, err);
    if (!status && w->method) status = report_calibration(w, err);
    if (!status && w->m->decision.rule) status = report_rule(w, err);
    return status;
}

int hsp_calibrate_model(hsp_fit *f, hsp_model *m, const hsp_options *o, hsp_error **err) {
    calibrating w = {.f = f, .m = m, .method = chosen_method(f), .rule_text = option_of(f, "decide", "auto")};
    hsp_cross_fit fit = {0};
    if (f->job.fold || f->job.update || m->prepare.regression || (!w.method && !w.rule_text)) return HSP_OK;
    int status = hsp_decision_parse(w.rule_text, &w.rule, err);
    bool hurried = hsp_fit_stop(f) == HSP_STOP_CANCELLED;
    hsp_error *inner = NULL;
    if (!status && !hurried) status = calibrate(&w, o, &fit, &inner);
    if (hurried || fit.cancelled) {
        hsp_error_free(inner);
        inner = NULL;
        status = HSP_OK;
        f->notes.interrupted = true;
        hsp_text_add(&f->notes.warnings, "interrupted before the folds were trained: the model has no calibration and no "
                                         "decision rule\n");
    }
    if (inner) hsp_error_pass(err, inner);
    hsp_cross_fit_clear(&fit);
    clear_rows(&w.rows);
    hsp_free(w.p);
    return status;
}
