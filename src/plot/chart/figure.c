/* A figure collects what a chart is drawn from, checks it against what the chart takes, runs the studies and draws them. */
#include "halfspace_plot.h"
#include "plot/chart/chart_table.h"
#include "plot/draw/canvas.h"
#include "plot/draw/picture_bytes.h"
#include "plot/draw/style.h"
#include "plot/part/chart.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct hsp_figure {
    const hsp_chart *chart;
    const hsp_options *o; /* borrowed, or `own` */
    hsp_options *own;     /* owned: defaults, if the caller gave no options; else NULL */
    hsp_style style;
    const hsp_model **model;     /* owned, the models borrowed */
    const hsp_data **model_data; /* owned, the data borrowed: of each model, or NULL: `data` */
    int64_t models, model_capacity, model_data_capacity;
    char **name; /* owned, with the names */
    int64_t names, name_capacity;
    const hsp_data *data; /* borrowed */
    char *data_name;      /* owned */
    hsp_report **study;   /* owned, with the studies; traces first */
    int64_t studies, study_capacity;
    int64_t traces; /* studies that were read from files */
};

/* ---- making ---- */

static int refuse_chart(const char *kind, hsp_error **err) {
    enum { MOST = 31 };
    const char *charts[MOST + 1] = {NULL};
    char names[400] = "";
    size_t at = 0;
    for (int i = 0; i < MOST && hsp_chart_table[i] && at < sizeof names; i++) {
        charts[i] = hsp_chart_table[i]->name;
        at += (size_t)snprintf(names + at, sizeof names - at, "%s%s", at ? ", " : "", charts[i]);
    }
    const char *nearest = hsp_name_nearest(kind ? kind : "", charts);
    if (nearest) return hsp_fail(err, HSP_EUSAGE, "unknown chart '%.60s': did you mean %s?", kind, nearest);
    return hsp_fail(err, HSP_EUSAGE, "unknown chart '%.60s': choose one of %s", kind ? kind : "", names);
}

int hsp_figure_new(const char *kind, const hsp_options *o, hsp_figure **out, hsp_error **err) {
    *out = NULL;
    const hsp_chart *const *c = hsp_chart_table;
    while (*c && (!kind || strcmp((*c)->name, kind) != 0)) c++;
    if (!*c) return refuse_chart(kind, err);
    hsp_figure *f = hsp_alloc_zero(1, sizeof *f);
    if (!f) return hsp_plot_fail_memory(err);
    f->chart = *c;
    int status = o ? HSP_OK : hsp_options_new(&f->own, err);
    f->o = o ? o : f->own;
    if (status == HSP_OK) status = hsp_style_choose(f->o, &f->style, err);
    if (status == HSP_OK)
        *out = f;
    else
        hsp_figure_free(f);
    return status;
}

void hsp_figure_free(hsp_figure *f) {
    if (!f) return;
    for (int64_t i = 0; i < f->studies; i++) hsp_report_free(f->study[i]);
    for (int64_t i = 0; i < f->names; i++) hsp_free(f->name[i]);
    HSP_FREE(f->study, f->name, f->model, f->model_data, f->data_name);
    hsp_options_free(f->own);
    hsp_free(f);
}

/* Of a path the last part, without the ending. */
static int add_name(hsp_figure *f, const char *path, hsp_error **err) {
    const char *slash = strrchr(path, '/'), *name = slash && slash[1] ? slash + 1 : path, *dot = strrchr(name, '.');
    if (hsp_reserve((void **)&f->name, &f->name_capacity, f->names + 1, sizeof *f->name)) return hsp_plot_fail_memory(err);
    f->name[f->names] = hsp_strndup(name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
    if (!f->name[f->names]) return hsp_plot_fail_memory(err);
    f->names++;
    return HSP_OK;
}

/* Frees the studies of earlier models or data; keeps the traces, which were read from files. */
static void drop_studies(hsp_figure *f) {
    while (f->studies > f->traces) hsp_report_free(f->study[--f->studies]);
}

int hsp_figure_add_model_data(hsp_figure *f, const hsp_model *m, const hsp_data *data, const char *name, hsp_error **err) {
    if (hsp_reserve((void **)&f->model, &f->model_capacity, f->models + 1, sizeof *f->model) ||
        hsp_reserve((void **)&f->model_data, &f->model_data_capacity, f->models + 1, sizeof *f->model_data))
        return hsp_plot_fail_memory(err);
    int status = add_name(f, name ? name : "", err);
    if (status != HSP_OK) return status;
    drop_studies(f);
    f->model_data[f->models] = data;
    f->model[f->models++] = m;
    if (!f->data) f->data = data;
    return HSP_OK;
}

int hsp_figure_add_model(hsp_figure *f, const hsp_model *m, const char *name, hsp_error **err) {
    return hsp_figure_add_model_data(f, m, NULL, name, err);
}

int hsp_figure_set_data(hsp_figure *f, const hsp_data *data, const char *name, hsp_error **err) {
    char *copy = hsp_strdup(name ? name : "");
    if (!copy) return hsp_plot_fail_memory(err);
    drop_studies(f);
    hsp_free(f->data_name);
    f->data_name = copy;
    f->data = data;
    return HSP_OK;
}

static int reserve_study(hsp_figure *f, hsp_error **err) {
    bool failed = hsp_reserve((void **)&f->study, &f->study_capacity, f->studies + 1, sizeof *f->study);
    return failed ? hsp_plot_fail_memory(err) : HSP_OK;
}

int hsp_figure_add_trace(hsp_figure *f, const char *path, hsp_error **err) {
    hsp_report *s = NULL;
    int status = reserve_study(f, err);
    if (status == HSP_OK) status = hsp_study_read_trace(path, &s, err);
    if (status == HSP_OK) status = add_name(f, path, err);
    if (status != HSP_OK) {
        hsp_report_free(s);
        return status;
    }
    drop_studies(f);
    f->study[f->studies++] = s;
    f->traces++;
    return HSP_OK;
}

/* ---- checking ---- */

static const hsp_data *data_of(const hsp_figure *f, int64_t i) {
    return f->models > 0 && f->model_data[i] ? f->model_data[i] : f->data;
}

static bool takes(const hsp_chart *c, const char *what) {
    return strstr(c->takes, what) != NULL;
}

static int refuse_lack(const hsp_chart *c, const char *what, const char *give, hsp_error **err) {
    return hsp_fail(err, HSP_EUSAGE, "the chart '%s' needs %s: give %s", c->name, what, give);
}

/* Whether `word` is one of the words of the list, which may be NULL. */
static bool among(const char *list, const char *word) {
    size_t n = strlen(word);
    for (const char *at = list; at && (at = strstr(at, word)); at += n)
        if ((at == list || at[-1] == ' ') && (at[n] == 0 || at[n] == ' ')) return true;
    return false;
}

static int check_input(const hsp_figure *f, hsp_error **err) {
    const hsp_chart *c = f->chart;
    /* The chart must use every option that was set. */
    for (int64_t i = 0; i < hsp_option_count(); i++) {
        const char *name = hsp_option_field(i, "name"), *group = hsp_option_field(i, "group");
        char typed[80];
        snprintf(typed, sizeof typed, "%s%s", hsp_option_dashes(name), name);
        if (!hsp_options_given(f->o, name) || among("general picture", group)) continue;
        if (takes(f->chart, "DATA") && among("read", group)) continue;
        if (takes(f->chart, "MODEL") && among("table", group)) continue; /* checked when the data are read */
        if (among(f->chart->uses, group) || among(f->chart->uses, typed)) continue;
        return hsp_fail(err, HSP_EUSAGE, "the chart '%s' does not use %s: leave it out", f->chart->name, typed);
    }
    if (takes(c, "MODEL") && f->models == 0) return refuse_lack(c, "a model", "one", err);
    if (takes(c, "DATA") && !f->data) return refuse_lack(c, "data", "some", err);
    if (takes(c, "TRACE") && f->traces == 0)
        return refuse_lack(c, "the trace of a training run", "a file of `train --trace`", err);
    if (f->models > 1 && !takes(c, "MODEL..."))
        return hsp_fail(err, HSP_EUSAGE, "the chart '%s' takes one model, not %" PRId64 ": draw a chart for each", c->name,
                        f->models);
    if ((!takes(c, "MODEL") && f->models > 0) || (!takes(c, "DATA") && f->data) || (!takes(c, "TRACE") && f->traces > 0))
        return hsp_fail(err, HSP_EUSAGE, "the chart '%s' takes only %s: leave the rest out", c->name,
                        *c->takes ? c->takes : "nothing");
    /* Models that drop rows with missing values may drop different ones. */
    for (int64_t i = 1; f->data && i < f->models; i++) {
        int64_t first = hsp_data_rows(data_of(f, 0)), rows = hsp_data_rows(data_of(f, i));
        if (rows != first)
            return hsp_fail(err, HSP_EINPUT,
                            "'%.60s' has %" PRId64 " rows to evaluate, '%.60s' has %" PRId64 ": draw each separately",
                            f->name[0], first, f->name[i], rows);
    }
    return HSP_OK;
}

/* ---- drawing ---- */

static bool is_curved(const hsp_figure *f) {
    for (int64_t i = 0; f->chart->curved && i < f->models; i++)
        if (!hsp_model_is_linear(f->model[i])) return true;
    return false;
}

/* Runs all or, on failure, keeps none. */
static int run_studies(hsp_figure *f, const hsp_hooks *hooks, hsp_error **err) {
    bool curved = is_curved(f);
    int64_t runs = f->models > 0 && (curved || !f->chart->first_only) ? f->models : 1;
    int status = HSP_OK;
    for (int64_t i = 0; f->chart->study && status == HSP_OK && i < runs; i++) {
        const hsp_model *m = f->models > 0 ? f->model[i] : NULL;
        status = reserve_study(f, err);
        if (status == HSP_OK)
            status = hsp_study_run(curved ? f->chart->curved : f->chart->study, m, data_of(f, i), f->o, hooks,
                                   &f->study[f->studies], err);
        f->studies += status == HSP_OK;
    }
    if (status != HSP_OK) drop_studies(f);
    return status;
}

int hsp_figure_draw(hsp_figure *f, const char *path, const hsp_hooks *hooks, hsp_error **err) {
    if (!path) return hsp_fail(err, HSP_EUSAGE, "no output file: give a name that ends in .png, .svg or .pdf");
    hsp_canvas *canvas = NULL;
    int status = check_input(f, err);
    if (status == HSP_OK) status = hsp_canvas_new(path, &f->style, &canvas, err);
    if (status == HSP_OK && f->studies == 0) status = run_studies(f, hooks, err);
    const hsp_chart_input in = {.models = f->models,
                                .model = f->model,
                                .name = (const char *const *)f->name,
                                .data = f->data,
                                .model_data = f->model_data,
                                .data_name = f->data_name ? f->data_name : "",
                                .studies = f->studies,
                                .study = (const hsp_report *const *)f->study,
                                .o = f->o,
                                .hooks = hooks};
    if (status == HSP_OK) status = f->chart->draw(&in, canvas, err);
    if (status == HSP_OK) status = hsp_canvas_write(canvas, path, err);
    hsp_canvas_free(canvas);
    return status == HSP_EMEMORY ? hsp_plot_fail_memory(err) : status;
}

int hsp_figure_report(const hsp_figure *f, hsp_report **out, hsp_error **err) {
    hsp_json j = {0};
    hsp_json_array(&j, NULL);
    for (int64_t i = 0; i < f->studies; i++) hsp_json_report(&j, NULL, f->study[i]);
    hsp_json_array_end(&j);
    return hsp_json_take(&j, out, err);
}

int hsp_plot(const char *kind, const hsp_model *m, const hsp_data *data, const hsp_options *o, const char *path,
             hsp_error **err) {
    hsp_figure *f = NULL;
    int status = hsp_figure_new(kind, o, &f, err);
    if (status == HSP_OK && m) status = hsp_figure_add_model(f, m, "model", err);
    if (status == HSP_OK && data) status = hsp_figure_set_data(f, data, "", err);
    if (status == HSP_OK) status = hsp_figure_draw(f, path, NULL, err);
    hsp_figure_free(f);
    return status;
}

int hsp_plot_list(hsp_report **out, hsp_error **err) {
    hsp_json j = {0};
    hsp_json_array(&j, NULL);
    for (const hsp_chart *const *c = hsp_chart_table; *c; c++) {
        hsp_json_object(&j, NULL);
        hsp_json_string(&j, "name", (*c)->name);
        hsp_json_string(&j, "takes", (*c)->takes);
        hsp_json_string(&j, "options", (*c)->uses);
        hsp_json_string(&j, "help", (*c)->help);
        hsp_json_object_end(&j);
    }
    hsp_json_array_end(&j);
    return hsp_json_take(&j, out, err);
}
