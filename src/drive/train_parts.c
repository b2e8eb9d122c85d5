/* hsp_train_parts: agreement, fit, model, report. */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "classifier/train_options.h"
#include "data/schema.h"
#include "drive/drive.h"
#include "drive/method.h"
#include "drive/parts_report.h"
#include "fit/class_weight.h"
#include "fit/fit.h"
#include "fit/fit_certify.h"
#include "fit/fit_report.h"
#include "fit/fit_solve.h"
#include "loss/loss.h"
#include "model/model.h"
#include "model/objective.h"
#include "option/options.h"
#include "part/metric_sums.h"
#include "part/request.h"
#include "penalty/penalty.h"
#include "prepare/prepare.h"
#include "solve/loop/run.h"
#include "solve/loop/stop.h"

#include <math.h>
#include <string.h>

/* ---- before the fit ---- */

static const hsp_drive_method *method_of(const char *algorithm) {
    for (const hsp_drive_method *m = hsp_drive_methods; m->algorithm; m++)
        if (strcmp(m->algorithm, algorithm) == 0) return m;
    return NULL;
}

static int refuse_algorithm(const char *name, hsp_error **err) {
    hsp_text t = {0};
    for (const hsp_drive_method *m = hsp_drive_methods; m->algorithm; m++)
        hsp_text_format(&t, "%s%s", t.length ? ", " : "", m->algorithm);
    int status = hsp_fail(err, HSP_EUSAGE,
                          "%s visits the rows one after the other or needs all of them at once, and cannot be trained over "
                          "parts: use one of %s, or train in memory",
                          name, t.s ? t.s : "");
    hsp_text_free(&t);
    return status;
}

/* Options that need rows where there are none. */
static int check_options(const hsp_options *o, hsp_error **err) {
    static const struct {
        const char *name, *idle, *remedy;
    } list[] = {
        {"calibrate", "none", "calibrate a model in memory, or leave it out"},
        {"decide", "auto", "decide with evaluate --decide, or leave it out"},
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        if (hsp_options_is_set(o, list[k].name) && !hsp_options_is(o, list[k].name, list[k].idle))
            return hsp_fail(err, HSP_EUSAGE, "--%s is not known over parts of the data: %s", list[k].name, list[k].remedy);
    return HSP_OK;
}

static int set_rows(hsp_drive *d, hsp_error **err) {
    hsp_fit *f = &d->fit;
    const hsp_agreement *a = &d->agreed;
    f->job.prepare = &d->prepare;
    f->job.design = &d->design;
    f->rows.target = d->prepare.regression ? &d->none : NULL;
    f->out.outputs = d->prepare.classes.count <= 2 ? 1 : d->prepare.classes.count;
    f->out.problems = f->out.outputs;
    f->rows.absent = hsp_alloc_zero(a->groups, sizeof *f->rows.absent);
    f->out.w = hsp_alloc_zero(f->out.outputs * d->rows.features, sizeof *f->out.w);
    f->out.b = hsp_alloc_zero(f->out.outputs, sizeof *f->out.b);
    f->out.results = hsp_alloc_zero(f->out.outputs, sizeof *f->out.results);
    if (!f->rows.absent || !f->out.w || !f->out.b || !f->out.results) return hsp_fail_memory(err);
    for (int64_t k = 0; k < a->groups; k++) {
        f->rows.count += (int64_t)a->rows[k];
        f->rows.absent[k] = !d->prepare.regression && a->rows[k] == 0;
    }
    int status = hsp_fit_class_weights(f, a->mass, err);
    d->rows.class_weight = f->rows.class_weight;
    hsp_fit_rules(f);
    return status;
}

static int prepare_fit(hsp_drive *d, const hsp_options *o, const hsp_drive_method **method, hsp_error **err) {
    hsp_fit *f = &d->fit;
    int status = hsp_drive_agree(d, o, err);
    if (!status) status = hsp_train_find(o, d->prepare.regression, &f->job.classifier, err);
    if (!status) status = hsp_train_check_options(f->job.classifier, &d->data, o, err);
    if (!status && !(*method = method_of(f->job.classifier->name))) status = refuse_algorithm(f->job.classifier->name, err);
    if (!status) status = check_options(o, err);
    if (!status) status = hsp_options_copy(o, &f->job.options, err);
    if (!status) status = hsp_train_defaults(f->job.classifier, f->job.options, err);
    return status ? status : set_rows(d, err);
}

/* ---- after the fit ---- */

/* A class without rows is never predicted. */
static void silence_absent(hsp_fit *f, int64_t features) {
    if (f->out.outputs == 1 || (f->notes.solved && f->out.problems != f->out.outputs)) return;
    for (int64_t k = 0; k < f->out.outputs; k++) {
        if (!hsp_fit_absent(f, k)) continue;
        memset(f->out.w + k * features, 0, (size_t)features * sizeof *f->out.w);
        f->out.b[k] = -1e300;
        f->out.results[k].outcome = (hsp_outcome){.stop = HSP_STOP_CLOSED_FORM, .converged = true};
    }
}

/* How the weights fit the rows: one round. */
static int take_metrics(hsp_drive *d, hsp_training_figures *out, hsp_error **err) {
    const hsp_fit *f = &d->fit;
    bool many = f->out.outputs > 1;
    const hsp_loss *loss = many ? &hsp_loss_softmax : &hsp_loss_squared; /* states what the scores are */
    hsp_request q = {.ask = HSP_ASK_METRICS,
                     .problem = {.loss = loss,
                                 .outputs = f->out.outputs,
                                 .joint = many,
                                 .positive = d->prepare.regression || many ? NULL : &d->prepare.positive},
                     .at = {.w = f->out.w, .b = f->out.b}};
    int status = hsp_drive_ask(d, &q, err);
    const double *s = d->sums;
    *out = (hsp_training_figures){.accuracy = NAN, .mse = NAN, .rmse = NAN, .r2 = NAN};
    if (status) return status;
    out->mass = s[HSP_METRIC_MASS];
    memcpy(out->losses.sum, s + HSP_METRIC_LOSSES, sizeof out->losses.sum);
    if (!d->prepare.regression) {
        out->accuracy = s[HSP_METRIC_RIGHT] / out->mass;
        return HSP_OK;
    }
    out->mse = s[HSP_METRIC_SQUARES] / out->mass;
    out->rmse = sqrt(out->mse);
    return HSP_OK;
}

/* `intercept` is borrowed from the options of the model. */
static hsp_objective objective_of(const hsp_fit *f, const hsp_model *m) {
    const hsp_penalty *penalty = f->form.penalty;
    return (hsp_objective){.loss = f->form.loss->name,
                           .penalty = penalty->name,
                           .intercept = hsp_report_text(m->options, "intercept"),
                           .joint = f->out.problems == 1 && f->out.outputs > 1,
                           .parameter = f->form.loss->option ? f->form.loss->parameter : (double)NAN,
                           .C = isnan(f->form.C) ? 1 : f->form.C,
                           .l1_share = penalty->mixed ? hsp_options_real(f->job.options, "l1-ratio", 0.5) : penalty->l1};
}

static int make_model(hsp_drive *d, hsp_model **out, hsp_error **err) {
    hsp_fit *f = &d->fit;
    hsp_report *options = NULL;
    hsp_model *m = NULL;
    int status = hsp_fit_options(f, &options, err);
    if (!status) status = hsp_model_new(&d->prepare, f->job.classifier->name, f->out.outputs, &m, err);
    if (status) {
        hsp_report_free(options);
        return status;
    }
    *out = m;
    memcpy(m->b, f->out.b, (size_t)f->out.outputs * sizeof *m->b);
    hsp_free(m->w); /* moved, not copied */
    m->w = f->out.w;
    f->out.w = NULL;
    f->job.prepare = &m->prepare;
    m->options = options;
    m->rows = d->agreed.count;
    m->nonzeros = d->agreed.nonzeros;
    m->data_hash = d->agreed.hash;
    hsp_clock_utc(m->origin.when);
    m->link = f->out.link;
    if (f->notes.solved) m->objective = objective_of(f, m);
    m->class_weight = f->rows.class_weight;
    f->rows.class_weight = NULL;
    while (!status && f->out.extra_count > 0) {
        hsp_extra *x = &f->out.extras[--f->out.extra_count];
        status = hsp_model_add_extra(m, x->name, x->rows, x->columns, x->data, err);
    }
    m->certificate = hsp_fit_certificate(f);
    if (!status && hsp_model_check(m, NULL))
        status = hsp_fail(err, HSP_EINPUT, "the values or weights are too large or too small to compute with: use other units");
    return status;
}

static int finish(hsp_drive *d, hsp_model **model, hsp_report **report, hsp_error **err) {
    hsp_fit *f = &d->fit;
    hsp_training_figures figures;
    silence_absent(f, d->rows.features);
    for (int64_t k = 0; d->prepare.factor && k < f->out.outputs; k++)
        hsp_prepare_unscale(&d->prepare, f->out.w + k * d->rows.features, f->out.b + k);
    d->rows.shift = d->rows.factor = NULL; /* the weights are those of the columns as they are */
    int status = take_metrics(d, &figures, err);
    d->data.schema = (hsp_schema){.d = d->data.x.d}; /* the model takes the columns over */
    if (!status) status = make_model(d, model, err);
    f->notes.certify_seconds = NAN;
    f->notes.unfitted = hsp_fit_unfitted(f);
    double seconds = hsp_clock_seconds() - f->job.begun;
    /* The model stores the report without times and without the engine, so that the same rows give the same file. */
    if (!status) status = hsp_fit_report(f, *model, &figures, NAN, &(*model)->report, err);
    if (!status && report) status = hsp_parts_report(d, *model, &figures, seconds, report, err);
    return status ? status : hsp_model_lay_out_fields(*model, err);
}

static void close_drive(hsp_drive *d) {
    hsp_fit *f = &d->fit;
    hsp_options_free(f->job.options);
    HSP_FREE(f->out.w, f->out.b, f->out.results, f->rows.class_weight, f->rows.absent);
    for (int64_t i = 0; i < f->out.extra_count; i++) hsp_free(f->out.extras[i].data);
    hsp_text_free(&f->notes.warnings);
    hsp_report_free(f->notes.details);
    hsp_drive_clear(d);
}

int hsp_train_parts(const hsp_engine *engine, const hsp_options *o, const hsp_hooks *hooks, hsp_model **model,
                    hsp_report **report, hsp_error **err) {
    hsp_drive d = {.engine = engine, .fit = {.job = {.hooks = hooks, .begun = hsp_clock_seconds()}}};
    const hsp_drive_method *method = NULL;
    *model = NULL;
    if (report) *report = NULL;
    if (!engine || engine->size < sizeof *engine || !engine->ask)
        return hsp_fail(err, HSP_EUSAGE, "the engine has no function `ask`: set it, and size to sizeof(hsp_engine)");
    d.fit.job.data = &d.data;
    d.fit.form.C = d.fit.form.lambda = NAN;
    d.fit.notes.unfitted = -1;
    int status = prepare_fit(&d, o, &method, err);
    if (!status) status = method->fit(&d, err);
    if (!status) status = finish(&d, model, report, err);
    if (status) {
        hsp_model_free(*model);
        *model = NULL;
        if (report) {
            hsp_report_free(*report);
            *report = NULL;
        }
    }
    close_drive(&d);
    return status;
}
