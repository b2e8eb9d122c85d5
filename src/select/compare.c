/* hsp_compare: checks the request, runs and ranks the trials, and on request fits the winner to all rows. */
#include "select/compare.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "base/text.h"
#include "classifier/classifier.h"
#include "fit/fit.h"
#include "fit/fit_report.h"
#include "model/model.h"
#include "option/options.h"
#include "option/unknown_name.h"
#include "prepare/prepare.h"
#include "prepare/target_check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the request ---- */

static bool is_listed(const char *const *list, const char *name) {
    while (*list && strcmp(*list, name) != 0) list++;
    return *list;
}

/* Rejects training options: each contender has its own. `fitted`: a winner is fitted to all rows. */
static int check_options(const hsp_options *o, bool fitted, hsp_error **err) {
    static const char *const taken[] = {"algorithm", "positive", "class-weight", "scale", "max-seconds", NULL};
    static const char *const groups[] = {"train", "run", "cv", NULL};
    const char *algorithm = hsp_options_is_set(o, "algorithm") ? hsp_options_text(o, "algorithm") : "auto";
    if (strcmp(algorithm, "auto") != 0)
        return hsp_fail(err, HSP_EUSAGE, "-a %s names one algorithm, and several are compared: use --only %s,...", algorithm,
                        algorithm);
    for (int64_t i = 0; i < hsp_option_table_size; i++) {
        const hsp_option *option = &hsp_option_table[i];
        if (!hsp_options_is_set(o, option->name) || is_listed(taken, option->name)) continue;
        if (!is_listed(groups, option->group) && strcmp(option->name, "lambdas") != 0) continue;
        if (fitted && strcmp(option->name, "no-certificate") == 0) continue;
        return hsp_fail(err, HSP_EUSAGE,
                        "%s%s cannot be used here, as every algorithm is compared with settings of its own: leave it out, or "
                        "name one algorithm (`halfspace cv -a NAME`)",
                        hsp_option_dashes(option->name), option->name);
    }
    return HSP_OK;
}

static int check_data(const hsp_data *data, const hsp_options *o, hsp_error **err) {
    static const char *const of_classes[] = {"positive", "class-weight"};
    hsp_prepare prepare = {0};
    if (data->refusal) return hsp_fail(err, HSP_EINPUT, "%s", data->refusal);
    for (size_t i = 0; data->target && i < sizeof of_classes / sizeof *of_classes; i++)
        if (hsp_options_is_set(o, of_classes[i]))
            return hsp_fail(err, HSP_EUSAGE, "--%s is for classification, not for --task regression: leave it out",
                            of_classes[i]);
    if (!data->y && !data->target)
        return hsp_fail(err, HSP_EINPUT, "the rows have no labels to predict: give --target");
    int status = hsp_data_check_columns(data, o, data->classes.count > 2 ? data->classes.count : 1, err);
    if (!status) status = hsp_target_check(data, o, true, err);
    if (!status) status = hsp_prepare_fit(data, o, &prepare, err);
    hsp_prepare_clear(&prepare);
    return status;
}

/* ---- the contenders ---- */

static const char *name_of_class_contender(int64_t i) {
    const hsp_contender *c = &hsp_contender_table[i];
    return c->name && !c->regression ? c->name : NULL;
}

static const char *name_of_number_contender(int64_t i) {
    const hsp_contender *c = hsp_contender_table;
    while (c->name && !c->regression) c++;
    return c[i].name;
}

static int find_contender(const char *name, bool regression, const hsp_contender **out, hsp_error **err) {
    *out = hsp_contender_find(name, regression);
    if (*out) return HSP_OK;
    if (hsp_contender_find(name, !regression))
        return hsp_fail(err, HSP_EUSAGE, "%s cannot be compared here, it is for %s: leave it out of --only", name,
                        regression ? "classes, and the target is numeric" : "--task regression");
    return hsp_fail_unknown_name("algorithm", name, regression ? name_of_number_contender : name_of_class_contender, err);
}

static int add_contender(hsp_comparison *c, const char *name, hsp_error **err) {
    const hsp_contender *found = NULL;
    int status = find_contender(name, c->data->target != NULL, &found, err);
    for (int64_t i = 0; !status && i < c->contenders; i++)
        if (c->contender[i] == found)
            status = hsp_fail(err, HSP_EUSAGE, "--only names %s twice: name each algorithm once", name);
    if (!status) c->contender[c->contenders++] = found;
    return status;
}

/* In the order of the table, whatever that of --only. */
static void sort_contenders(hsp_comparison *c) {
    for (int64_t i = 1; i < c->contenders; i++) {
        const hsp_contender *moved = c->contender[i];
        int64_t at = i;
        for (; at > 0 && moved < c->contender[at - 1]; at--) c->contender[at] = c->contender[at - 1];
        c->contender[at] = moved;
    }
}

/* Leaves out fisher for more than two classes, where it does not exist, unless it was asked for. */
static bool applies(const hsp_comparison *c, const hsp_contender *of_table, int64_t classes) {
    const hsp_classifier *k = of_table->algorithm ? hsp_classifier_find(of_table->algorithm) : NULL;
    return of_table->regression == (c->data->target != NULL) && !(k && k->two_classes && classes > 2);
}

static int choose_contenders(hsp_comparison *c, hsp_error **err) {
    const char *only = hsp_options_text(c->o, "only");
    int64_t classes = hsp_options_is_set(c->o, "positive") ? 2 : c->data->classes.count;
    for (const hsp_contender *k = hsp_contender_table; !only && k->name; k++)
        if (applies(c, k, classes)) c->contender[c->contenders++] = k;
    int status = HSP_OK;
    if (only && !*only) status = hsp_fail(err, HSP_EUSAGE, "--only is empty: give names of algorithms separated by commas");
    while (!status && only && *only) {
        char name[64];
        size_t n = strcspn(only, ",");
        if (n == 0 || n >= sizeof name)
            return hsp_fail(err, HSP_EUSAGE, "--only cannot be '%s': give names of algorithms separated by commas",
                            hsp_options_text(c->o, "only"));
        snprintf(name, sizeof name, "%.*s", (int)n, only);
        only += n + (only[n] == ',');
        status = add_contender(c, name, err);
    }
    sort_contenders(c);
    return status;
}

static int begin_comparison(hsp_comparison *c, hsp_error **err) {
    double total = hsp_options_real(c->o, "max-seconds", -1), each = hsp_options_real(c->o, "max-seconds-each", -1);
    c->begun = hsp_clock_seconds();
    c->end = total >= 0 ? c->begun + total : INFINITY;
    c->each = each >= 0 ? each : INFINITY;
    c->threads = hsp_pool_threads(hsp_options_int(c->o, "threads", 0));
    c->rules = (hsp_trial_rules){
        .o = c->o, .scaled = hsp_contenders_scale(c->data), .named = hsp_options_text(c->o, "only") != NULL};
    if (hsp_options_is(c->o, "folds", "loo"))
        return hsp_fail(err, HSP_EUSAGE, "--folds loo leaves single rows, and the differences need folds: give a number");
    int status = hsp_metric_choose(c->o, c->data->target != NULL, &c->rules.metric, err);
    if (!status) status = choose_contenders(c, err);
    if (!status) status = hsp_folds_new(c->data, c->o, &c->folds, err);
    return status;
}

/* The trials log nothing; warnings about the data are logged once. */
static int warn_of_data(const hsp_comparison *c, hsp_error **err) {
    hsp_text t = {0};
    hsp_data_warn(c->data, hsp_options_text(c->o, "positive") != NULL, &t);
    hsp_warnings_log(&t, c->hooks);
    int status = t.failed ? hsp_fail_memory(err) : HSP_OK;
    hsp_text_free(&t);
    return status;
}

/* ---- the winner ---- */

/* Adds the member `comparison` to a report: how the algorithm was chosen. Replaces *r. */
static int note_choice(const hsp_comparison *c, const hsp_standing *winner, const char *reason, hsp_report **r,
                       hsp_error **err) {
    hsp_json j = {0};
    hsp_report *more = NULL;
    hsp_json_object(&j, NULL);
    hsp_json_members(&j, *r);
    hsp_json_object(&j, "comparison");
    hsp_json_string(&j, "metric", c->rules.metric->member);
    hsp_json_number(&j, "mean", winner->mean);
    hsp_json_number(&j, "sd", winner->sd);
    hsp_json_int(&j, "folds", c->folds.count);
    hsp_json_int(&j, "repeats", c->complete > 0 ? c->complete : 1);
    hsp_json_array(&j, "algorithms");
    for (int64_t i = 0; i < c->contenders; i++) hsp_json_string(&j, NULL, c->standing[i].contender->name);
    hsp_json_array_end(&j);
    hsp_json_string(&j, "reason", reason);
    hsp_json_object_end(&j);
    hsp_json_object_end(&j);
    int status = hsp_json_take(&j, &more, err);
    if (status) return status;
    hsp_report_free(*r);
    *r = more;
    return HSP_OK;
}

/* Fits the winner to all rows as its trials were fitted, the inner choice included. */
static int fit_winner(const hsp_comparison *c, const hsp_standing *winner, hsp_model **model, hsp_report **training,
                      hsp_text *reason, hsp_error **err) {
    hsp_options *o = NULL;
    double value = NAN;
    int status = hsp_contender_options(winner->contender, &c->rules, &o, err);
    if (!status) status = hsp_contender_choose(winner->contender, &c->rules, c->data, o, &value, err);
    if (!status && hsp_options_is_set(c->o, "no-certificate"))
        status = hsp_options_set(o, "no-certificate", hsp_options_text(c->o, "no-certificate"), err);
    if (!status) status = hsp_train(c->data, o, c->hooks, model, training, err);
    hsp_options_free(o);
    if (status) return status;
    hsp_comparison_reason(c, winner, value, reason);
    if (reason->failed) return hsp_fail_memory(err);
    status = note_choice(c, winner, reason->s, training, err);
    if (!status && *model) status = note_choice(c, winner, reason->s, &(*model)->report, err);
    return status;
}

static int write_report(const hsp_comparison *c, const hsp_standing *winner, const char *reason, const hsp_report *training,
                        hsp_report **out, hsp_error **err) {
    hsp_json j = {0};
    hsp_json_object(&j, NULL);
    hsp_comparison_json(c, &j);
    if (training) {
        hsp_json_object(&j, "choice");
        hsp_json_string(&j, "algorithm", winner->contender->name);
        hsp_json_string(&j, "reason", reason);
        hsp_json_object_end(&j);
        hsp_json_report(&j, "train", training);
    }
    hsp_json_object_end(&j);
    return hsp_json_take(&j, out, err);
}

/* ---- the call ---- */

static int conclude(hsp_comparison *c, hsp_model **model, hsp_report **report, hsp_error **err) {
    const hsp_standing *winner = model && !c->interrupted ? hsp_comparison_winner(c) : NULL;
    hsp_report *training = NULL;
    hsp_text reason = {0};
    int status = HSP_OK;
    if (model && c->interrupted) status = hsp_fail(err, HSP_ECANCELLED, "interrupted before an algorithm was chosen");
    if (!status && model && !winner)
        status = hsp_fail(err, HSP_EINPUT, "no algorithm that uses the features has a result: see `halfspace compare`");
    if (winner) status = fit_winner(c, winner, model, &training, &reason, err);
    if (!status) status = write_report(c, winner, reason.s, training, report, err);
    hsp_report_free(training);
    hsp_text_free(&reason);
    return status;
}

int hsp_compare(const hsp_data *data, const hsp_options *o, const hsp_hooks *hooks, hsp_model **model, hsp_report **report,
                hsp_error **err) {
    hsp_options *none = NULL;
    *report = NULL;
    if (model) *model = NULL;
    int status = o ? HSP_OK : hsp_options_new(&none, err);
    hsp_comparison c = {.data = data, .o = o ? o : none, .hooks = hooks};
    if (!status) status = check_options(c.o, model != NULL, err);
    if (!status) status = check_data(data, c.o, err);
    if (!status) status = begin_comparison(&c, err);
    if (!status) status = warn_of_data(&c, err);
    if (!status) status = hsp_comparison_run(&c, err);
    if (!status) status = hsp_comparison_rank(&c, err);
    if (!status) status = conclude(&c, model, report, err);
    if (status && model) {
        hsp_model_free(*model);
        *model = NULL;
    }
    hsp_comparison_clear(&c);
    hsp_options_free(none);
    return status;
}
