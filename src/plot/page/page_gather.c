/* What a page reports. The rows are split once; everything that is chosen or fitted sees the training part alone, and all
 * metrics and charts are of the rows held out. Only the data checks and the model to keep use all rows. */
#include "plot/page/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- options ---- */

static int copy_option(const hsp_options *from, const char *name, hsp_options *to, hsp_error **err) {
    return hsp_options_given(from, name) ? hsp_options_set(to, name, hsp_options_get(from, name), err) : HSP_OK;
}

/* Copies the options of these groups (NULL-ended) that were given, except max-seconds, which is shared among the calls. */
static int copy_groups(const hsp_options *from, const char *const *groups, hsp_options *to, hsp_error **err) {
    int status = HSP_OK;
    for (int64_t i = 0; status == HSP_OK && i < hsp_option_count(); i++) {
        const char *group = hsp_option_field(i, "group");
        const char *const *g = groups;
        while (*g && strcmp(*g, group) != 0) g++;
        if (*g && strcmp(hsp_option_field(i, "name"), "max-seconds") != 0)
            status = copy_option(from, hsp_option_field(i, "name"), to, err);
    }
    return status;
}

/* Whether one algorithm was named, so that none are compared. */
static bool is_named(const hsp_page *p) {
    const char *name = hsp_options_given(p->o, "algorithm") ? hsp_options_get(p->o, "algorithm") : NULL;
    return name && strcmp(name, "auto") != 0;
}

/* An option of the comparison has no effect without one. */
static int check_comparison_options(const hsp_page *p, hsp_error **err) {
    for (int64_t i = 0; is_named(p) && i < hsp_option_count(); i++) {
        const char *name = hsp_option_field(i, "name"), *group = hsp_option_field(i, "group");
        bool compares = strcmp(group, "folds") == 0 || strcmp(group, "compare") == 0 || strcmp(name, "repeats") == 0;
        if (compares && strcmp(name, "group") != 0 && strcmp(name, "time") != 0 && hsp_options_given(p->o, name))
            return hsp_fail(err, HSP_EUSAGE,
                            "%s%s has no effect with -a %s, as no algorithms are compared: leave one of them out",
                            hsp_option_dashes(name), name, hsp_options_get(p->o, "algorithm"));
    }
    return HSP_OK;
}

static int make_options(hsp_page *p, hsp_error **err) {
    static const char *const groups[] = {"read", "table", "train", "run", "general", NULL};
    int status = check_comparison_options(p, err);
    if (status == HSP_OK) status = hsp_options_new(&p->training, err);
    if (status == HSP_OK) status = copy_groups(p->o, groups, p->training, err);
    if (status == HSP_OK) status = hsp_options_new(&p->plain, err);
    if (status == HSP_OK) status = copy_option(p->o, "threads", p->plain, err);
    if (status == HSP_OK) status = copy_option(p->o, "seed", p->plain, err);
    const char *limit = hsp_options_get(p->o, "max-seconds");
    double seconds;
    bool limited = limit && !hsp_parse_number(limit, strlen(limit), &seconds);
    p->deadline = limited ? seconds_now() + seconds : (double)INFINITY;
    return status;
}

/* Gives the next call a share of the time that is left. */
static int share_time(hsp_page *p, double share, hsp_options *o, hsp_error **err) {
    if (isinf(p->deadline)) return HSP_OK;
    return hsp_options_set_double(o, "max-seconds", fmax(0.001, share * (p->deadline - seconds_now())), err);
}

/* ---- requests to stop ---- */

static int refuse_cancelled(hsp_error **err) {
    return hsp_fail(err, HSP_ECANCELLED, "interrupted before the report was complete: no file was written");
}

/* A call that is asked to stop when it is nearly done may end as usual and consume the request: the page notices it here. */
static int pass_progress(void *user, const hsp_progress *progress) {
    hsp_page *p = user;
    const hsp_hooks *given = p->watch.given;
    bool asked = given && given->progress && given->progress(given->user, progress) != 0;
    if (asked || hsp_cancel_waiting()) p->watch.stopped = true;
    return asked;
}

static void pass_log(void *user, int level, const char *line) {
    const hsp_hooks *given = ((hsp_page *)user)->watch.given;
    if (given && given->log) given->log(given->user, level, line);
}

static int check_stopped(const hsp_page *p, hsp_error **err) {
    bool waiting = hsp_cancel_consume();
    return waiting || p->watch.stopped ? refuse_cancelled(err) : HSP_OK;
}

/* ---- calls ---- */

/* All rows, with the scaling that training uses. */
static int inspect_rows(hsp_page *p, hsp_error **err) {
    static const char *const used[] = {"positive", "scale", "missing", "max-seconds", "seed", "threads"};
    const char *intercept = hsp_options_get(p->training, "intercept");
    hsp_options *o = NULL;
    int status = hsp_options_new(&o, err);
    for (size_t i = 0; i < sizeof used / sizeof *used && status == HSP_OK; i++)
        status = copy_option(p->training, used[i], o, err);
    if (status == HSP_OK && intercept && strcmp(intercept, "none") == 0)
        status = copy_option(p->training, "intercept", o, err);
    if (status == HSP_OK) status = share_time(p, 0.2, o, err);
    if (status == HSP_OK) status = hsp_inspect(p->data, o, &p->watch.hooks, &p->inspection, err);
    hsp_options_free(o);
    const hsp_report *separable = hsp_report_member(p->inspection, "separable");
    if (status == HSP_OK && hsp_report_flag(separable, "interrupted") == 1) return refuse_cancelled(err);
    return status;
}

/* Both parts need rows. Said here, as the split would name another option than the program does. */
static int check_size(double held, int64_t rows, hsp_error **err) {
    double count = held < 1 ? round(held * (double)rows) : held;
    if (!(count >= 1))
        return hsp_fail(err, HSP_EUSAGE, "none of the %lld rows would be held out: use a larger --holdout",
                        (long long)rows);
    if (count >= (double)rows)
        return hsp_fail(err, HSP_EUSAGE, "none of the %lld rows would be left for training: use a smaller --holdout",
                        (long long)rows);
    return HSP_OK;
}

static int split_rows(hsp_page *p, hsp_error **err) {
    const char *test = hsp_options_get(p->o, "test");
    double held = 0.3;
    hsp_options *o = NULL;
    if (test) hsp_parse_number(test, strlen(test), &held);
    int status = check_size(held, hsp_data_rows(p->data), err);
    if (status == HSP_OK) status = hsp_options_new(&o, err);
    if (status == HSP_OK) status = copy_option(p->o, "test", o, err);
    if (status == HSP_OK) status = copy_option(p->o, "seed", o, err);
    if (status == HSP_OK && !p->regression && !p->apart) status = hsp_options_set(o, "stratify", "yes", err);
    if (status == HSP_OK) status = hsp_data_split(p->data, o, &p->part.fit, &p->part.held, err);
    hsp_options_free(o);
    return status;
}

/* Whether an algorithm has a time limit: closed forms have none. */
static int has_limit(const char *algorithm, bool *out, hsp_error **err) {
    hsp_report *list = NULL;
    int status = hsp_list("algorithms", &list, err);
    *out = false;
    HSP_REPORT_EACH(entry, list) {
        const char *name = hsp_report_text(entry, "name"), *options = hsp_report_text(entry, "options");
        if (name && options && strcmp(name, algorithm) == 0) *out = strstr(options, "max-seconds") != NULL;
    }
    hsp_report_free(list);
    return status;
}

/* Trains on rows; *report: all that the model says of itself. */
static int train_model(hsp_page *p, const hsp_data *rows, hsp_model **model, hsp_report **report, hsp_error **err) {
    hsp_report *run = NULL;
    bool limited = false;
    int status = has_limit(hsp_options_get(p->training, "algorithm"), &limited, err);
    if (status == HSP_OK && limited) status = share_time(p, 0.5, p->training, err);
    if (status == HSP_OK) status = hsp_train(rows, p->training, &p->watch.hooks, model, &run, err);
    const char *reason = hsp_report_text(run, "stop_reason");
    if (status == HSP_OK && reason && strcmp(reason, "cancelled") == 0) status = refuse_cancelled(err);
    if (status == HSP_OK && !*model)
        status =
            hsp_fail(err, HSP_EINPUT,
                     "there is no model to report on, as the classes are not separable: choose another algorithm, such "
                     "as -a svm");
    if (status == HSP_OK) status = hsp_model_report(*model, report, err);
    hsp_report_free(run);
    return status;
}

/* ---- choosing ---- */

/* Takes over a setting of the winner, unless the user gave that option. */
static int set_choice(hsp_page *p, const char *name, const char *value, hsp_error **err) {
    if (!name || !value || hsp_options_given(p->o, name)) return HSP_OK;
    return hsp_options_set(p->training, name, value, err);
}

/* The settings of the winner, which every further fit and the commands of the page use. */
static int take_choice(hsp_page *p, hsp_error **err) {
    const char *algorithm = hsp_report_text(hsp_report_member(p->comparison, "choice"), "algorithm");
    const hsp_report *winner = NULL;
    HSP_REPORT_EACH(result, hsp_report_member(p->comparison, "results")) {
        const char *name = hsp_report_text(result, "algorithm");
        if (!winner && name && algorithm && strcmp(name, algorithm) == 0) winner = result;
    }
    int status = algorithm ? hsp_options_set(p->training, "algorithm", algorithm, err) : HSP_OK;
    HSP_REPORT_EACH(setting, hsp_report_member(winner, "settings")) {
        if (status == HSP_OK) status = set_choice(p, hsp_report_name(setting), hsp_report_text(setting, NULL), err);
    }
    const char *option = hsp_report_text(hsp_report_member(winner, "chosen"), "option");
    double value = option ? hsp_report_number(hsp_report_member(p->model_report, "options"), option) : (double)NAN;
    if (status == HSP_OK && isfinite(value)) status = hsp_options_set_double(p->training, option, value, err);
    return status;
}

/* Compares the algorithms on the training part, and fits the best to it. */
static int choose_model(hsp_page *p, hsp_error **err) {
    static const char *const groups[] = {"folds", "compare", "general", NULL};
    static const char *const single[] = {"repeats", "positive", "class-weight", "scale"};
    hsp_options *o = NULL;
    int status = hsp_options_new(&o, err);
    if (status == HSP_OK) status = copy_groups(p->o, groups, o, err);
    for (size_t i = 0; i < sizeof single / sizeof *single && status == HSP_OK; i++)
        status = copy_option(p->o, single[i], o, err);
    if (status == HSP_OK) status = share_time(p, 0.6, o, err);
    if (status == HSP_OK) status = hsp_compare(p->part.fit, o, &p->watch.hooks, &p->model, &p->comparison, err);
    hsp_options_free(o);
    if (status == HSP_OK && hsp_report_flag(p->comparison, "interrupted") == 1) return refuse_cancelled(err);
    if (status == HSP_OK) status = hsp_model_report(p->model, &p->model_report, err);
    return status == HSP_OK ? take_choice(p, err) : status;
}

/* The options of training that a comparison cannot use, as every algorithm has settings of its own. */
static int check_settings(const hsp_page *p, hsp_error **err) {
    static const char *const used[] = {"algorithm", "positive", "class-weight", "scale", "max-seconds"};
    for (int64_t i = 0; i < hsp_option_count(); i++) {
        const char *name = hsp_option_field(i, "name"), *group = hsp_option_field(i, "group");
        bool free = strcmp(group, "train") != 0 && strcmp(group, "run") != 0;
        for (size_t k = 0; k < sizeof used / sizeof *used; k++) free = free || strcmp(name, used[k]) == 0;
        if (!free && hsp_options_given(p->o, name))
            return hsp_fail(
                err, HSP_EUSAGE,
                "%s%s has no effect on a comparison of algorithms, each of which has settings of its own: leave it "
                "out, or name one algorithm with -a",
                hsp_option_dashes(name), name);
    }
    return HSP_OK;
}

static int fit_and_evaluate(hsp_page *p, hsp_error **err) {
    int status = is_named(p) ? HSP_OK : check_settings(p, err);
    if (status == HSP_OK)
        status = is_named(p) ? train_model(p, p->part.fit, &p->model, &p->model_report, err) : choose_model(p, err);
    if (status != HSP_OK) return status;
    p->trained = hsp_report_member(hsp_report_member(p->model_report, "training"), "report");
    status = hsp_data_encode_for(p->model, p->part.held, &p->part.encoded, err);
    return status == HSP_OK ? hsp_evaluate(p->model, hsp_page_held(p), p->plain, &p->watch.hooks, &p->metrics, err)
                            : status;
}

/* The path is of two classes or of numbers, and of a model that is linear; else the page has one section less. */
static int follow_path(hsp_page *p, hsp_error **err) {
    hsp_options *o = NULL;
    if (hsp_model_outputs(p->model) > 1 || !hsp_model_is_linear(p->model)) return HSP_OK;
    static const char *const used[] = {"positive", "class-weight", "intercept", "scale", "scale-all", "seed", "threads"};
    int status = hsp_options_new(&o, err);
    for (size_t i = 0; i < sizeof used / sizeof *used && status == HSP_OK; i++)
        status = copy_option(p->training, used[i], o, err);
    if (status == HSP_OK && p->regression) status = hsp_options_set(o, "algorithm", "lasso", err);
    if (status == HSP_OK) status = hsp_options_set(o, "top", "10", err);
    if (status == HSP_OK) status = hsp_options_set(o, "folds", "5", err);
    if (status == HSP_OK) status = hsp_study_run("path", NULL, p->part.fit, o, &p->watch.hooks, &p->regularisation, err);
    hsp_options_free(o);
    return status;
}

static int fit_all_rows(hsp_page *p, hsp_error **err) {
    if (!hsp_options_get(p->o, "model")) return HSP_OK;
    return train_model(p, p->data, &p->final, &p->final_report, err);
}

int hsp_page_gather(hsp_page *p, hsp_error **err) {
    static int (*const calls[])(hsp_page *, hsp_error **) = {make_options, split_rows,  fit_and_evaluate,
                                                             inspect_rows, follow_path, fit_all_rows};
    hsp_array targets = {.size = sizeof targets}, rows = {.size = sizeof rows};
    const char *date = getenv("SOURCE_DATE_EPOCH");
    p->watch.hooks = (hsp_hooks){.size = sizeof p->watch.hooks, .user = p, .progress = pass_progress, .log = pass_log};
    p->dated = date && *date;
    p->regression = hsp_data_array(p->data, "targets", &targets, NULL) == HSP_OK && targets.data;
    p->apart = hsp_data_array(p->data, "groups", &rows, NULL) == HSP_OK  ? "groups"
               : hsp_data_array(p->data, "times", &rows, NULL) == HSP_OK ? "times"
                                                                         : NULL;
    int status = hsp_data_report(p->data, &p->source, err);
    for (size_t i = 0; i < sizeof calls / sizeof *calls && status == HSP_OK; i++) {
        status = calls[i](p, err);
        if (status == HSP_OK) status = check_stopped(p, err);
    }
    return status;
}

void hsp_page_clear(hsp_page *p) {
    hsp_report *const reports[] = {p->source,  p->inspection,     p->comparison,  p->model_report,
                                   p->metrics, p->regularisation, p->final_report};
    hsp_data *const parts[] = {p->part.fit, p->part.held, p->part.encoded};
    for (size_t i = 0; i < sizeof reports / sizeof *reports; i++) hsp_report_free(reports[i]);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) hsp_data_free(parts[i]);
    hsp_model_free(p->model);
    hsp_model_free(p->final);
    hsp_options_free(p->own);
    hsp_options_free(p->training);
    hsp_options_free(p->plain);
    hsp_html_clear(&p->body);
}

const hsp_data *hsp_page_held(const hsp_page *p) {
    return p->part.encoded ? p->part.encoded : p->part.held;
}
