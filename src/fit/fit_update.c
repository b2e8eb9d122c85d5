#include "fit/fit_update.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/data.h"
#include "model/model.h"
#include "option/options.h"
#include "solve/loop/solver.h"

#include <inttypes.h>
#include <string.h>

static const char STATE[] = "update-state"; /* in a model: updates, steps, draws and step, a row for each output */
enum { STATE_COLUMNS = 4 };

/* ---- options ---- */

static int check_options(const hsp_fit *f, hsp_error **err) {
    static const char *const idle[] = {"max-epochs", "tol", "no-certificate"};
    const hsp_options *o = f->job.options;
    for (size_t i = 0; i < sizeof idle / sizeof *idle; i++)
        if (hsp_options_is_set(o, idle[i]))
            return hsp_fail(err, HSP_EUSAGE, "--%s has no effect on an update, which is one pass: leave it out", idle[i]);
    if (hsp_options_is_set(o, "keep") && !hsp_options_is(o, "keep", "last"))
        return hsp_fail(err, HSP_EUSAGE, "an update keeps the last weights, not --keep %s: leave it out",
                        hsp_options_text(o, "keep"));
    if (hsp_options_is(o, "class-weight", "balanced"))
        return hsp_fail(err, HSP_EUSAGE,
                        "--class-weight balanced needs all rows, and an update sees some of them: give numbers");
    return HSP_OK;
}

/* What `auto` stood for at the first rows: it must not depend on the rows of each update. */
static int inherit_steps(hsp_fit *f, hsp_error **err) {
    static const char *const inherited[] = {"schedule", "learning-rate", "decay", "lambda"};
    const hsp_model *m = f->job.start;
    if (!m || !hsp_model_extra(m, STATE) || strcmp(m->algorithm, f->job.classifier->name) != 0) return HSP_OK;
    int status = HSP_OK;
    for (size_t i = 0; !status && i < sizeof inherited / sizeof *inherited; i++) {
        const hsp_report *value = hsp_report_member(m->options, inherited[i]);
        char digits[HSP_NUMBER_SIZE];
        bool given = hsp_options_is_set(f->job.options, strcmp(inherited[i], "lambda") == 0 ? "C" : inherited[i]);
        if (given || !hsp_classifier_takes(f->job.classifier, inherited[i])) continue;
        if (hsp_report_kind(value, NULL) == HSP_REPORT_NUMBER) {
            hsp_format_number(hsp_report_number(value, NULL), digits);
            status = hsp_options_default(f->job.options, inherited[i], digits, err);
        } else if (hsp_report_kind(value, NULL) == HSP_REPORT_TEXT) {
            status = hsp_options_default(f->job.options, inherited[i], hsp_report_text(value, NULL), err);
        }
    }
    return status;
}

int hsp_fit_update_options(hsp_fit *f, hsp_error **err) {
    const hsp_classifier *c = f->job.classifier;
    if (!f->job.update) return HSP_OK;
    if (!c->solver || !c->solver->on.resume)
        return hsp_fail(err, HSP_EUSAGE,
                        "%s has no update rule: use perceptron, sgd, minibatch or gradient-descent, or train on all rows",
                        c->name);
    int status = check_options(f, err);
    return status ? status : inherit_steps(f, err);
}

/* ---- preparation ---- */

/* Options of the preparation that contradict the start. */
static int check_prepared(const hsp_fit *f, hsp_error **err) {
    const hsp_prepare *p = &f->job.start->prepare;
    const hsp_options *o = f->job.options;
    const char *positive = hsp_options_text(o, "positive");
    if (hsp_options_is_set(o, "scale") && !hsp_options_is(o, "scale", p->scale))
        return hsp_fail(err, HSP_EUSAGE, "the columns of the start are scaled by --scale %s: leave --scale %s out", p->scale,
                        hsp_options_text(o, "scale"));
    if (positive && (p->positive < 0 || (strcmp(p->classes.name[p->positive], positive) != 0 &&
                                         hsp_prepare_class(p, positive, (int64_t)strlen(positive)) != p->positive)))
        return hsp_fail(err, HSP_EUSAGE, "'%s' is not the positive class of the start: leave --positive out", positive);
    return HSP_OK;
}

static int check_rows(const hsp_fit *f, hsp_error **err) {
    const hsp_data *data = f->job.data;
    const hsp_model *m = f->job.start;
    if (m->network)
        return hsp_fail(err, HSP_EUSAGE, "%s cannot update a model of %s: leave the start out", f->job.classifier->name,
                        m->algorithm);
    if (data->x.d != m->prepare.schema.d)
        return hsp_fail_at(err, HSP_EINPUT, hsp_data_place(data),
                           "%" PRId64 " features, but the start has %" PRId64 ": read the data for the model", data->x.d,
                           m->prepare.schema.d);
    if (!data->y && !data->target)
        return hsp_fail_at(err, HSP_EINPUT, hsp_data_place(data), "no labels: give their column with --target");
    if (m->prepare.regression != (data->target != NULL))
        return hsp_fail(err, HSP_EUSAGE, "the start predicts %s, and the data have %s: leave the start out",
                        m->prepare.regression ? "numbers" : "classes", data->target ? "numbers" : "classes");
    return check_prepared(f, err);
}

int hsp_fit_update_prepare(hsp_fit *f, hsp_prepare *out, hsp_error **err) {
    if (!f->job.start) return hsp_prepare_declared(f->job.data, f->job.options, out, err);
    int status = check_rows(f, err);
    return status ? status : hsp_prepare_copy(&f->job.start->prepare, out, err);
}

/* The class of the start for each class of the data, -1: none. True: the numbers are the same. */
static bool match_classes(const hsp_fit *f, int32_t *of) {
    const hsp_classes *classes = &f->job.data->classes;
    bool same = true;
    for (int64_t k = 0; k < classes->count; k++) {
        of[k] = (int32_t)hsp_prepare_class(f->job.prepare, classes->name[k], (int64_t)strlen(classes->name[k]));
        same &= of[k] == k;
    }
    return same;
}

int hsp_fit_update_classes(hsp_fit *f, hsp_error **err) {
    const hsp_data *data = f->job.data;
    int64_t n = data->x.n;
    if (!data->y) return HSP_OK;
    int32_t *of = hsp_alloc(data->classes.count + 1, sizeof *of);
    if (!of) return hsp_fail_memory(err);
    int status = HSP_OK;
    if (!match_classes(f, of)) {
        f->rows.classes = hsp_alloc(n, sizeof *f->rows.classes);
        if (!f->rows.classes) status = hsp_fail_memory(err);
        for (int64_t i = 0; !status && i < n; i++) {
            f->rows.classes[i] = of[data->y[i]];
            if (f->rows.classes[i] < 0)
                status = hsp_fail_at(err, HSP_EINPUT, hsp_data_place(data),
                                     "the start has no class '%s': declare all classes with the first rows",
                                     data->classes.name[data->y[i]]);
        }
        f->rows.y = f->rows.classes;
    }
    hsp_free(of);
    return status;
}

/* ---- counters ---- */

static void read_counters(const hsp_fit *f) {
    const hsp_model *m = f->job.start;
    const hsp_extra *state = m ? hsp_model_extra(m, STATE) : NULL;
    if (!state || state->columns != STATE_COLUMNS || strcmp(m->algorithm, f->job.classifier->name) != 0) return;
    for (int64_t k = 0; k < f->out.outputs; k++) {
        const double *from = state->data + k * STATE_COLUMNS;
        f->out.counters[k] = (hsp_counters){(int64_t)from[0], (int64_t)from[1], (uint64_t)from[2], from[3]};
    }
}

int hsp_running_average_add(hsp_running_average *a, int64_t k, const hsp_point *of, double count, hsp_error **err) {
    int64_t size = a->columns + 1;
    if (!a->mean && (!HSP_ALLOC_ZERO(a->mean, a->outputs * size) || !HSP_ALLOC_ZERO(a->count, a->outputs)))
        return hsp_fail_memory(err);
    double *mean = a->mean + k * size;
    a->count[k] += count;
    for (int64_t j = 0; count > 0 && j < size; j++)
        mean[j] += ((j < a->columns ? of->w[j] : of->b[0]) - mean[j]) * (count / a->count[k]);
    return HSP_OK;
}

int hsp_fit_update_begin(hsp_fit *f, hsp_error **err) {
    if (!f->job.update) return HSP_OK;
    if (f->rows.count == 0)
        return hsp_fail_at(err, HSP_EINPUT, hsp_data_place(f->job.data),
                           f->job.data->x.n > 0 ? "no row has a positive weight: give at least one row a positive weight"
                                                : "no rows: training needs data");
    for (int64_t k = 0; f->rows.absent && k < f->job.prepare->classes.count; k++) f->rows.absent[k] = false;
    f->form.rules.keep = f->job.average ? HSP_KEEP_AVERAGE : HSP_KEEP_LAST;
    f->form.rules.max_epochs = 1;
    f->form.rules.epochs_given = f->form.rules.continued = true;
    f->out.counters = hsp_alloc_zero(f->out.outputs, sizeof *f->out.counters);
    if (!f->out.counters) return hsp_fail_memory(err);
    read_counters(f);
    return HSP_OK;
}

int hsp_fit_update_end(hsp_fit *f, hsp_error **err) {
    if (!f->job.update) return HSP_OK;
    double *state = hsp_alloc(f->out.outputs * STATE_COLUMNS, sizeof *state);
    if (!state) return hsp_fail_memory(err);
    for (int64_t k = 0; k < f->out.outputs; k++) {
        const hsp_counters *c = &f->out.counters[k];
        const double row[STATE_COLUMNS] = {(double)c->updates, (double)c->steps, (double)c->draws, c->step};
        memcpy(state + k * STATE_COLUMNS, row, sizeof row);
    }
    f->out.extras[f->out.extra_count++] = (hsp_extra){STATE, f->out.outputs, STATE_COLUMNS, state};
    return HSP_OK;
}
