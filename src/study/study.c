/* The container of results, and hsp_study_run. */
#include "study/study.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/pool.h"
#include "base/report_build.h"
#include "base/text.h"
#include "base/watched.h"
#include "classifier/classifier.h"
#include "fit/fit.h"
#include "fit/fit_report.h"
#include "option/options.h"
#include "option/unknown_name.h"
#include "prepare/target_check.h"

#include <math.h>
#include <string.h>

typedef struct study_item {
    char *name;
    double *value;
    int64_t rows, columns; /* columns 0: a vector; rows 0 too: a number */
    bool number, quiet;
} study_item;

typedef struct study_list {
    char *name;
    char **text;
    int64_t count, capacity;
} study_list;

struct hsp_study {
    char *kind;
    study_item *item;
    int64_t items, item_capacity;
    study_list *list;
    int64_t lists, list_capacity;
};

int hsp_study_new(const char *kind, hsp_study **out, hsp_error **err) {
    *out = NULL;
    hsp_study *s = hsp_alloc_zero(1, sizeof *s);
    if (!s) return hsp_fail_memory(err);
    s->kind = hsp_strdup(kind);
    if (!s->kind) {
        hsp_study_free(s);
        return hsp_fail_memory(err);
    }
    *out = s;
    return HSP_OK;
}

void hsp_study_free(hsp_study *s) {
    if (!s) return;
    for (int64_t i = 0; i < s->items; i++) {
        HSP_FREE(s->item[i].name, s->item[i].value);
    }
    for (int64_t i = 0; i < s->lists; i++) {
        for (int64_t k = 0; k < s->list[i].count; k++) hsp_free(s->list[i].text[k]);
        HSP_FREE(s->list[i].name, s->list[i].text);
    }
    HSP_FREE(s->item, s->list, s->kind, s);
}

/* ---- filling ---- */

static double *add_item(hsp_study *s, study_item made, int64_t count, const char *name, hsp_error **err) {
    if (hsp_reserve((void **)&s->item, &s->item_capacity, s->items + 1, sizeof *s->item) == HSP_OK) {
        made.name = hsp_strdup(name);
        made.value = hsp_alloc_zero(count, sizeof *made.value);
        if (made.name && made.value) {
            s->item[s->items++] = made;
            return made.value;
        }
        HSP_FREE(made.name, made.value);
    }
    hsp_fail_memory(err);
    return NULL;
}

static int64_t size_of(int64_t rows, int64_t columns) {
    return columns == 0 ? rows : rows * columns;
}

double *hsp_study_add(hsp_study *s, const char *name, int64_t rows, int64_t columns, hsp_error **err) {
    return add_item(s, (study_item){.rows = rows, .columns = columns}, size_of(rows, columns), name, err);
}

double *hsp_study_add_quiet(hsp_study *s, const char *name, int64_t rows, int64_t columns, hsp_error **err) {
    return add_item(s, (study_item){.rows = rows, .columns = columns, .quiet = true}, size_of(rows, columns), name, err);
}

int hsp_study_add_vectors(hsp_study *s, int64_t rows, const char *const *names, int count, double **v, hsp_error **err) {
    for (int a = 0; a < count; a++) {
        v[a] = hsp_study_add(s, names[a], rows, 0, err);
        if (!v[a]) return HSP_EMEMORY;
    }
    return HSP_OK;
}

int hsp_study_set(hsp_study *s, const char *name, double value, hsp_error **err) {
    double *v = add_item(s, (study_item){.rows = 1, .number = true}, 1, name, err);
    if (!v) return HSP_EMEMORY;
    *v = value;
    return HSP_OK;
}

int hsp_study_set_figures(hsp_study *s, const hsp_study_figure *figure, size_t count, hsp_error **err) {
    int status = HSP_OK;
    for (size_t i = 0; !status && i < count; i++) status = hsp_study_set(s, figure[i].name, figure[i].value, err);
    return status;
}

static study_item *find_item(const hsp_study *s, const char *name) {
    for (int64_t i = 0; i < s->items; i++)
        if (strcmp(s->item[i].name, name) == 0) return &s->item[i];
    return NULL;
}

const double *hsp_study_vector(const hsp_study *s, const char *name, int64_t *rows) {
    const study_item *it = find_item(s, name);
    *rows = it ? it->rows : 0;
    return it ? it->value : NULL;
}

void hsp_study_shorten(hsp_study *s, const char *name, int64_t rows) {
    study_item *it = find_item(s, name);
    if (it && rows < it->rows) it->rows = rows;
}

static study_list *find_list(const hsp_study *s, const char *name) {
    for (int64_t i = 0; i < s->lists; i++)
        if (strcmp(s->list[i].name, name) == 0) return &s->list[i];
    return NULL;
}

static study_list *open_list(hsp_study *s, const char *name) {
    study_list *l = find_list(s, name);
    if (l) return l;
    if (hsp_reserve((void **)&s->list, &s->list_capacity, s->lists + 1, sizeof *s->list)) return NULL;
    study_list made = {.name = hsp_strdup(name)};
    if (!made.name) return NULL;
    s->list[s->lists] = made;
    return &s->list[s->lists++];
}

int hsp_study_add_text(hsp_study *s, const char *name, const char *text, hsp_error **err) {
    study_list *l = open_list(s, name);
    if (!l || hsp_reserve((void **)&l->text, &l->capacity, l->count + 1, sizeof *l->text)) return hsp_fail_memory(err);
    l->text[l->count] = hsp_strdup(text);
    if (!l->text[l->count]) return hsp_fail_memory(err);
    l->count++;
    return HSP_OK;
}

const char *hsp_study_kind(const hsp_study *s) {
    return s->kind;
}

const char *hsp_study_text(const hsp_study *s, const char *name, int64_t i) {
    const study_list *l = find_list(s, name);
    return l && i >= 0 && i < l->count ? l->text[i] : NULL;
}

/* ---- the report ---- */

static void write_item(hsp_json *j, const study_item *it) {
    if (it->number)
        hsp_json_number(j, it->name, it->value[0]);
    else
        hsp_report_add_values(j, it->name, it->value, it->rows, it->columns);
    if (it->quiet) hsp_report_hide(j);
}

int hsp_study_report(const hsp_study *s, hsp_report **out, hsp_error **err) {
    hsp_json j = {0};
    hsp_json_object(&j, NULL);
    hsp_json_string(&j, "kind", s->kind);
    for (int64_t i = 0; i < s->lists; i++) {
        hsp_json_array(&j, s->list[i].name);
        for (int64_t k = 0; k < s->list[i].count; k++) hsp_json_string(&j, NULL, s->list[i].text[k]);
        hsp_json_array_end(&j);
    }
    for (int64_t i = 0; i < s->items; i++) write_item(&j, &s->item[i]);
    hsp_json_object_end(&j);
    return hsp_json_take(&j, out, err);
}

/* ---- running ---- */

static const hsp_study_entry *find_entry(const char *kind) {
    for (const hsp_study_entry *const *e = hsp_study_table; *e; e++)
        if (kind && strcmp((*e)->name, kind) == 0) return *e;
    return NULL;
}

static const char *study_at(int64_t i) {
    return hsp_study_table[i] ? hsp_study_table[i]->name : NULL;
}

/* A study of a training method refuses what training refuses, before its fits begin. */
static int check_target(const hsp_data *data, const hsp_options *o, hsp_error **err) {
    const hsp_classifier *c = hsp_classifier_find(hsp_classifier_chosen(o, true));
    return hsp_target_check(data, o, c && c->regression, err);
}

int hsp_study_run(const char *kind, const hsp_model *m, const hsp_data *data, const hsp_options *o, const hsp_hooks *hooks,
                  hsp_report **out, hsp_error **err) {
    *out = NULL;
    const hsp_study_entry *e = find_entry(kind);
    if (!e) return hsp_fail_unknown_name("study", kind ? kind : "", study_at, err);
    if (e->needs_model && !m) return hsp_fail(err, HSP_EUSAGE, "the study '%s' needs a model: give one", kind);
    if (e->needs_data && !data) return hsp_fail(err, HSP_EUSAGE, "the study '%s' needs data: give some", kind);
    if (!m && data && data->incomplete) return hsp_fail(err, HSP_EINPUT, "%s", data->refusal);
    int threads = hsp_pool_threads(o ? hsp_options_int(o, "threads", 0) : 0);
    hsp_options *none = NULL;
    hsp_data *own = NULL;
    hsp_study *s = NULL;
    int status = o ? HSP_OK : hsp_options_new(&none, err);
    if (!status && !m && data) status = check_target(data, o ? o : none, err);
    if (!status && !m && data) {
        /* The fits of a study print no warnings; warnings about the data are printed once, here. */
        hsp_text t = {0};
        hsp_data_warn(data, o && hsp_options_text(o, "positive"), &t);
        hsp_warnings_log(&t, hooks);
        status = t.failed ? hsp_fail_memory(err) : HSP_OK;
        hsp_text_free(&t);
    }
    if (!status && m && data) status = hsp_model_encode(m, data, threads, &own, err);
    if (!status) status = hsp_study_new(kind, &s, err);
    const hsp_study_input in = {m, own ? own : data, data, o ? o : none, hooks, threads};
    hsp_watch watch;
    bool stopped = hsp_watch_begin(&watch, e->reports ? NULL : hooks, "study");
    if (!status && stopped) status = hsp_fail(err, HSP_ECANCELLED, "interrupted before the study '%s' began", kind);
    if (!status) status = e->run(&in, s, err);
    hsp_watch_end(&watch);
    if (status == HSP_ECANCELLED) hsp_cancel_take(); /* clear the request, whichever function noticed it */
    hsp_data_free(own);
    hsp_options_free(none);
    if (!status) status = hsp_study_report(s, out, err);
    hsp_study_free(s);
    return status;
}
