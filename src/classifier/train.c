/* hsp_train: checks the options against the classifier, prepares the data, fits the classifier, makes the model. */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "base/text.h"
#include "classifier/calibrate_model.h"
#include "classifier/classifier.h"
#include "classifier/train_options.h"
#include "data/data.h"
#include "data/features.h"
#include "design/design.h"
#include "fit/class_weight.h"
#include "fit/fit.h"
#include "fit/fit_certify.h"
#include "fit/fit_finish.h"
#include "fit/fit_report.h"
#include "fit/fit_solve.h"
#include "fit/fit_update.h"
#include "fit/fit_warm.h"
#include "model/model.h"
#include "network/network.h"
#include "option/options.h"
#include "prepare/prepare.h"
#include "prepare/target_check.h"
#include "problem/problem.h"
#include "solve/loop/run.h"
#include "solve/loop/stop.h"
#include "verify/proof/proof.h"

#include <math.h>
#include <string.h>

/* Fails early instead of running out of memory. */
static int check_memory(const hsp_fit *f, hsp_error **err) {
    int64_t classes = f->job.data->classes.count;
    double n = (double)f->job.data->x.n, K = (double)(classes <= 2 ? 1 : classes);
    const char *method = hsp_options_text(f->job.options, "multiclass");
    if (!method && hsp_classifier_takes(f->job.classifier, "multiclass") && f->job.classifier->probabilities)
        method = "softmax";
    int status = hsp_data_check_columns(f->job.data, f->job.options, (int64_t)K, err);
    if (status) return status;
    bool joint = method && strcmp(method, "ovr") != 0;
    double weights = 8 * (double)f->job.data->x.d * (K + 8), rows = 8 * n * (joint ? 12 * K : 6);
    if (weights + rows <= 8 << 20 || weights + rows <= 0.9 * (double)hsp_memory_limit()) return HSP_OK;
    return hsp_fail(err, HSP_EMEMORY,
                    "%s with %lld classes and %lld rows needs %lld MiB, more than this machine has: use "
                    "--multiclass ovr, or --task regression if the target is numeric",
                    method ? method : "", (long long)classes, (long long)f->job.data->x.n, (long long)(rows / 1048576));
}

/* Sets the class of each row in the model's numbering: that of the data, unless some classes were merged. */
static int set_classes(hsp_fit *f, hsp_error **err) {
    f->rows.y = f->job.data->y;
    f->rows.target = f->job.data->target;
    if (f->job.update && f->job.start) return hsp_fit_update_classes(f, err);
    if (!f->job.prepare->merged) return HSP_OK;
    int64_t n = f->job.data->x.n;
    f->rows.classes = hsp_alloc(n, sizeof *f->rows.classes);
    if (!f->rows.classes) return hsp_fail_memory(err);
    for (int64_t i = 0; i < n; i++) f->rows.classes[i] = f->job.prepare->merged[f->job.data->y[i]];
    f->rows.y = f->rows.classes;
    return HSP_OK;
}

static int open_fit(hsp_fit *f, const hsp_prepare *prepare, hsp_error **err) {
    f->job.prepare = prepare;
    f->out.outputs = prepare->classes.count <= 2 ? 1 : prepare->classes.count;
    f->out.problems = f->out.outputs;
    int status = hsp_design_new(&f->job.data->x, prepare->shift, prepare->factor, hsp_fit_threads(f), &f->job.design, err);
    if (!status) status = set_classes(f, err);
    if (!status) status = hsp_fit_weigh(f, err);
    if (status) return status;
    hsp_fit_rules(f);
    f->out.w = hsp_alloc_zero(f->out.outputs * f->job.design->d, sizeof *f->out.w);
    f->out.b = hsp_alloc_zero(f->out.outputs, sizeof *f->out.b);
    f->out.results = hsp_alloc_zero(f->out.outputs, sizeof *f->out.results);
    if (!f->out.w || !f->out.b || !f->out.results) return hsp_fail_memory(err);
    return HSP_OK;
}

static void close_fit(hsp_fit *f) {
    hsp_options_free(f->job.options);
    hsp_design_free(f->job.design);
    HSP_FREE(f->form.start, f->out.w, f->out.b, f->out.results, f->rows.class_weight, f->rows.row_weight, f->rows.classes,
             f->rows.absent, f->out.dual, f->out.counters);
    for (int64_t k = 0; f->out.proofs && k < f->out.outputs; k++) hsp_proof_clear(&f->out.proofs[k]);
    hsp_free(f->out.proofs);
    for (int64_t i = 0; i < f->out.extra_count; i++) hsp_free(f->out.extras[i].data);
    hsp_network_free(f->out.network);
    hsp_text_free(&f->notes.warnings);
    hsp_report_free(f->notes.details);
    hsp_report_free(f->notes.calibration);
    hsp_report_free(f->notes.decision_rule);
}

/* Makes the model, with weights in original units and all metadata. */
static int make_model(hsp_fit *f, hsp_prepare *prepare, hsp_model **out, hsp_error **err) {
    int64_t d = f->job.design->d;
    for (int64_t k = 0; !f->out.network && k < f->out.outputs; k++)
        hsp_prepare_unscale(prepare, f->out.w + k * d, f->out.b + k);
    hsp_report *options = NULL;
    int status = hsp_fit_options(f, &options, err);
    hsp_model *m = NULL;
    if (!status) status = hsp_model_new(prepare, f->job.classifier->name, f->out.outputs, &m, err);
    if (status) {
        hsp_report_free(options);
        return status;
    }
    if (f->out.network) {
        status = hsp_model_take_network(m, f->out.network, err);
        f->out.network = NULL;
    } else {
        for (int64_t k = 0; k < f->out.outputs; k++) m->b[k] = f->out.b[k];
        hsp_free(m->w); /* moved, not copied: with many columns the weights need most of the memory */
        m->w = f->out.w;
        f->out.w = NULL;
    }
    f->job.prepare = &m->prepare;
    m->options = options;
    m->rows = f->job.data->x.n;
    m->nonzeros = f->job.data->x.nonzeros;
    hsp_clock_utc(m->origin.when);
    *out = m;
    /* Move the probabilities' parameters and the arrays that only some algorithms have. */
    m->link = f->out.link;
    m->class_weight = f->rows.class_weight;
    f->rows.class_weight = NULL;
    while (!status && f->out.extra_count > 0) {
        hsp_extra *x = &f->out.extras[--f->out.extra_count];
        status = hsp_model_add_extra(m, x->name, x->rows, x->columns, x->data, err);
    }
    if (status) return status;
    /* Squares and products of extreme values leave the range of double: then there is no solution in these units. */
    if (hsp_model_check(m, NULL))
        return hsp_fail(err, HSP_EINPUT, "the values, targets or weights are too large or too small to compute with: %s",
                        f->job.prepare->factor ? "use other units" : "use other units, or try --scale standard");
    return HSP_OK;
}

/* One-vs-rest solves nothing for a class without rows. An intercept below all scores ensures that it is never predicted. */
static void silence_absent(hsp_fit *f) {
    if (!f->notes.solved || f->out.outputs == 1 || f->out.problems != f->out.outputs) return;
    for (int64_t k = 0; k < f->out.outputs; k++) {
        if (!hsp_fit_absent(f, k)) continue;
        for (int64_t j = 0; j < f->job.design->d; j++) f->out.w[k * f->job.design->d + j] = 0;
        f->out.b[k] = -1e300;
        hsp_evaluation nothing = {0};
        hsp_outcome *o = &f->out.results[k].outcome;
        *o = (hsp_outcome){.stop = HSP_STOP_CLOSED_FORM, .converged = true, .start = nothing, .end = nothing};
    }
}

/* o: the options that were given. */
static int make_model_and_report(hsp_fit *f, const hsp_options *o, hsp_prepare *prepare, hsp_model **model,
                                 hsp_report **report, hsp_error **err) {
    hsp_training_figures figures;
    silence_absent(f);
    int status = hsp_fit_warn(f, err);
    if (!status && f->out.infeasible)
        return hsp_fit_report(f, NULL, &(hsp_training_figures){.accuracy = NAN}, hsp_clock_seconds() - f->job.begun, report,
                              err);
    if (!status) status = make_model(f, prepare, model, err);
    if (!status) status = hsp_calibrate_model(f, *model, o, err);
    double seconds = hsp_clock_seconds() - f->job.begun;
    f->notes.unfitted = hsp_fit_unfitted(f); /* by the gaps of the solvers, as a hurried fit certifies none */
    if (!status) status = hsp_fit_finish(f, *model, &figures, err);
    if (!status) status = hsp_fit_report(f, *model, &figures, seconds, report, err);
    /* The model stores the report without times, so that the same fit gives the same file. */
    if (!status) status = hsp_fit_report(f, *model, &figures, NAN, &(*model)->report, err);
    if (!status && *model) status = hsp_model_lay_out_fields(*model, err);
    return status;
}

/* A model to score with. What others cost, the audit, the hash of the data and the report, can take longer than the fit. */
static int make_plain(hsp_fit *f, const hsp_options *o, hsp_prepare *prepare, hsp_model **model, hsp_error **err) {
    silence_absent(f); /* before anything is asked of the outcomes: those of absent classes are empty */
    hsp_certificate c = hsp_fit_certificate(f);
    bool aimed = f->notes.solved && (f->form.rules.tol_given || f->form.certified);
    bool reached = f->notes.settled || isnan(c.relative_gap) ? hsp_fit_converged(f) : c.relative_gap <= f->form.rules.tol;
    *f->job.plain = (hsp_plain_fit){c.relative_gap, aimed && !reached, hsp_stop_name(hsp_fit_stop(f))};
    int status = f->out.infeasible ? HSP_OK : make_model(f, prepare, model, err);
    if (!status && *model) status = hsp_calibrate_model(f, *model, o, err);
    if (f->notes.interrupted) f->job.plain->stop_reason = hsp_stop_name(HSP_STOP_CANCELLED);
    return status;
}

/* The model of an update, without figures: each would cost as much as the pass. */
static int make_update(hsp_fit *f, hsp_prepare *prepare, hsp_model **model, hsp_report **report, hsp_error **err) {
    const hsp_training_figures unknown = {.accuracy = NAN, .mass = NAN, .mse = NAN, .rmse = NAN, .r2 = NAN};
    int status = hsp_fit_update_end(f, err);
    if (!status) status = make_model(f, prepare, model, err);
    double seconds = hsp_clock_seconds() - f->job.begun;
    f->notes.unfitted = hsp_fit_unfitted(f);
    if (!status) status = hsp_fit_certify(f, *model, NULL, err);
    if (!status && report) status = hsp_fit_report(f, *model, &unknown, seconds, report, err);
    if (!status) status = hsp_fit_report(f, *model, &unknown, NAN, &(*model)->report, err);
    return status ? status : hsp_model_lay_out_fields(*model, err);
}

/* The data with the features of the fit: a part of a table learns its encoding again on these rows alone, to avoid leakage;
 * an update has that of its start. *own is NULL if they are so already. */
static int encode_rows(const hsp_fit *f, const hsp_options *o, hsp_data **own, hsp_error **err) {
    int threads = hsp_pool_threads(hsp_options_int(o, "threads", 0));
    if (!f->job.update || !f->job.start) return hsp_data_learn_again(f->job.data, threads, own, err);
    int status = hsp_model_encode(f->job.start, f->job.data, threads, own, err);
    return status ? status : hsp_model_check_features(f->job.start, *own ? *own : f->job.data, err);
}

/* f: set by one of the two functions below; on return it owns nothing. */
static int train_fit(hsp_fit *f, const hsp_options *o, hsp_model **model, hsp_report **report, hsp_error **err) {
    const hsp_data *given = f->job.data;
    hsp_report *unwanted = NULL;
    hsp_report **wanted = report;
    if (!report) report = &unwanted;
    *model = NULL;
    *report = NULL;
    f->job.begun = hsp_clock_seconds();
    f->form.C = f->form.lambda = f->notes.certify_seconds = NAN;
    f->notes.unfitted = -1;
    hsp_prepare prepare = {0};
    hsp_data *own = NULL;
    int status = f->job.classifier ? HSP_OK : hsp_train_find(o, given->target != NULL, &f->job.classifier, err);
    if (!status && !f->job.update) status = hsp_target_check(given, o, f->job.context || hsp_train_regresses(o), err);
    if (!status && given->refusal) status = hsp_fail(err, HSP_EINPUT, "%s", given->refusal);
    if (!status) status = encode_rows(f, o, &own, err);
    if (!status && own) f->job.data = own;
    if (!status) status = hsp_train_check_options(f->job.classifier, f->job.data, o, err);
    if (!status) status = hsp_options_copy(o, &f->job.options, err);
    if (!status) status = hsp_train_defaults(f->job.classifier, f->job.options, err);
    if (!status) status = hsp_fit_update_options(f, err);
    if (!status) status = check_memory(f, err);
    if (!status)
        status = f->job.update ? hsp_fit_update_prepare(f, &prepare, err)
                               : hsp_prepare_fit(f->job.data, f->job.options, &prepare, err);
    if (!status) status = open_fit(f, &prepare, err);
    if (!status) status = hsp_fit_update_begin(f, err);
    if (!status) status = hsp_fit_check_start(f, err);
    if (!status && !f->job.fold) status = hsp_calibrate_check(f, err);
    if (!status) hsp_data_warn(given, prepare.merged != NULL, &f->notes.warnings);
    if (!status) hsp_warnings_log(&f->notes.warnings, f->job.hooks); /* before the fit, which may take long */
    if (!status) status = f->job.classifier->fit(f, err);
    if (!status)
        status = f->job.context  ? make_model(f, &prepare, model, err)
                 : f->job.update ? make_update(f, &prepare, model, wanted, err)
                 : f->job.plain  ? make_plain(f, o, &prepare, model, err)
                                 : make_model_and_report(f, o, &prepare, model, report, err);
    if (status) {
        hsp_model_free(*model);
        hsp_report_free(*report);
        *model = NULL;
        *report = NULL;
    }
    hsp_report_free(unwanted);
    close_fit(f);
    hsp_prepare_clear(&prepare);
    hsp_data_free(own);
    return status;
}

int hsp_train(const hsp_data *data, const hsp_options *o, const hsp_hooks *hooks, hsp_model **model, hsp_report **report,
              hsp_error **err) {
    return hsp_train_from(data, o, hooks, HSP_JOB_TRAIN, NULL, model, report, err);
}

int hsp_train_from(const hsp_data *data, const hsp_options *o, const hsp_hooks *hooks, int mode, const hsp_model *start,
                   hsp_model **model, hsp_report **report, hsp_error **err) {
    *model = NULL;
    if (report) *report = NULL;
    if (mode != HSP_JOB_TRAIN && mode != HSP_JOB_UPDATE)
        return hsp_fail(err, HSP_EUSAGE, "no mode %d of training: give HSP_JOB_TRAIN or HSP_JOB_UPDATE", mode);
    const hsp_fit_job job = {.data = data, .hooks = hooks, .start = start, .update = mode == HSP_JOB_UPDATE};
    return train_fit(&(hsp_fit){.job = job}, o, model, report, err);
}

int hsp_train_pass(const hsp_data *data, const hsp_options *o, const hsp_hooks *hooks, const hsp_model *start,
                   hsp_running_average *average, hsp_model **model, hsp_report **report, hsp_error **err) {
    const hsp_fit_job job = {.data = data, .hooks = hooks, .start = start, .update = true, .average = average};
    return train_fit(&(hsp_fit){.job = job}, o, model, report, err);
}

int hsp_train_after(const hsp_data *data, const hsp_options *o, const hsp_model *before, hsp_model **model,
                    hsp_error **err) {
    return train_fit(&(hsp_fit){.job = {.data = data, .path = true, .before = before}}, o, model, NULL, err);
}

int hsp_train_plain(const hsp_data *data, const hsp_options *o, const hsp_hooks *hooks, hsp_model **model,
                    hsp_plain_fit *out, hsp_error **err) {
    *out = (hsp_plain_fit){.relative_gap = NAN, .stop_reason = NULL};
    return train_fit(&(hsp_fit){.job = {.data = data, .hooks = hooks, .plain = out}}, o, model, NULL, err);
}

int hsp_train_fold(const hsp_data *data, const hsp_options *o, const hsp_hooks *hooks, hsp_model **model,
                   hsp_plain_fit *out, hsp_error **err) {
    *out = (hsp_plain_fit){.relative_gap = NAN, .stop_reason = NULL};
    return train_fit(&(hsp_fit){.job = {.data = data, .hooks = hooks, .plain = out, .fold = true}}, o, model, NULL, err);
}

int hsp_train_special(const hsp_data *data, const hsp_options *o, const hsp_hooks *hooks, const hsp_classifier *c,
                      void *context, hsp_model **model, hsp_error **err) {
    const hsp_fit_job job = {.classifier = c, .data = data, .hooks = hooks, .context = context};
    return train_fit(&(hsp_fit){.job = job}, o, model, NULL, err);
}
