/* hsp_train_arriving: one pass of an update rule over rows as they arrive, in constant memory. Each block of rows is a partial
 * fit that continues the one before; the average of the weights is kept beside. */
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/pool.h"
#include "base/report.h"
#include "base/text.h"
#include "classifier/classifier.h"
#include "data/data.h"
#include "fit/fit_update.h"
#include "halfspace_internal.h"
#include "model/model.h"
#include "onepass/arriving_rows.h"
#include "option/options.h"

#include <math.h>
#include <string.h>

typedef struct one_pass {
    hsp_arriving rows;
    hsp_options *o; /* owned: of each block */
    const hsp_hooks *hooks;
    hsp_model *model;   /* owned */
    hsp_report *report; /* owned: of the last block */
    hsp_running_average average; /* owned arrays */
    bool averages;
    /* Sums over the rows. */
    uint64_t hash;
    int64_t nonzeros, weight_zero;
    int64_t *class_rows; /* owned */
    double least, greatest, sum, weight_sum, updates, steps, seconds;
    bool weighted;
} one_pass;

/* ---- options ---- */

/* All that were given, but those of the pass as a whole. */
static int copy_options(const hsp_options *from, hsp_options **out, hsp_error **err) {
    int status = hsp_options_new(out, err);
    for (int64_t i = 0; !status && i < hsp_option_table_size; i++) {
        const char *name = hsp_option_table[i].name;
        if (!hsp_options_is_set(from, name) || strcmp(name, "max-epochs") == 0 || strcmp(name, "keep") == 0) continue;
        status = hsp_options_set(*out, name, hsp_options_text(from, name), err);
    }
    return status;
}

static int check_options(const hsp_options *o, hsp_error **err) {
    if (!hsp_options_is(o, "max-epochs", "1") || !(hsp_options_is(o, "keep", "last") || hsp_options_is(o, "keep", "average")))
        return hsp_fail(err, HSP_EUSAGE, "rows that arrive are seen once: give --max-epochs 1, and --keep last or average");
    if (hsp_options_is_set(o, "scale") && !hsp_options_is(o, "scale", "none"))
        return hsp_fail(err, HSP_EUSAGE, "--scale is learnt from all rows, and those that arrive are seen once: scale them "
                                         "before, or leave --keep out");
    return HSP_OK;
}

/* ---- features that appear later ---- */

/* rows x `from` numbers, each row with `tail` more after them, become rows x `to`. */
static int widen_rows(double **v, int64_t rows, int64_t from, int64_t to, int64_t tail) {
    double *wide = hsp_alloc_zero(rows * (to + tail) + 1, sizeof *wide);
    if (!wide) return HSP_EMEMORY;
    for (int64_t k = 0; k < rows; k++) {
        memcpy(wide + k * (to + tail), *v + k * (from + tail), (size_t)from * sizeof *wide);
        for (int64_t t = 0; t < tail; t++) wide[k * (to + tail) + to + t] = (*v)[k * (from + tail) + from + t];
    }
    hsp_free(*v);
    *v = wide;
    return HSP_OK;
}

/* Features that no row had so far have weight 0. */
static int widen_model(one_pass *p, int64_t d, hsp_error **err) {
    hsp_model *m = p->model;
    int64_t before = m->prepare.schema.d;
    if (d <= before) return HSP_OK;
    if (widen_rows(&m->w, m->outputs, before, d, 0)) return hsp_fail_memory(err);
    if (p->average.mean && widen_rows(&p->average.mean, m->outputs, before, d, 1)) return hsp_fail_memory(err);
    p->average.columns = m->prepare.schema.d = d;
    return HSP_OK;
}

/* ---- blocks of rows ---- */

static int count_rows(one_pass *p, const hsp_data *data, hsp_error **err) {
    uint64_t hash;
    int64_t n = data->x.n;
    if (hsp_data_hash_rows(data, hsp_pool_threads(hsp_options_int(p->o, "threads", 0)), &hash)) return hsp_fail_memory(err);
    if (data->y && !p->class_rows && !HSP_ALLOC_ZERO(p->class_rows, data->classes.count)) return hsp_fail_memory(err);
    p->hash += hash;
    p->nonzeros += data->x.nonzeros;
    for (int64_t i = 0; i < n && data->y; i++) p->class_rows[data->y[i]]++;
    for (int64_t i = 0; i < n && data->target; i++) {
        p->least = fmin(p->least, data->target[i]);
        p->greatest = fmax(p->greatest, data->target[i]);
        p->sum += data->target[i];
    }
    p->weighted = data->weight != NULL;
    for (int64_t i = 0; i < n && data->weight; i++) {
        p->weight_sum += data->weight[i];
        p->weight_zero += data->weight[i] == 0;
    }
    return HSP_OK;
}

static int train_block(void *ctx, hsp_data *data, hsp_error **err) {
    one_pass *p = ctx;
    hsp_model *next = NULL;
    hsp_report *report = NULL;
    int status = p->model ? widen_model(p, data->x.d, err) : HSP_OK;
    if (!status)
        status = hsp_train_pass(data, p->o, p->hooks, p->model, p->averages ? &p->average : NULL, &next, &report, err);
    if (!status) status = count_rows(p, data, err);
    if (status) {
        hsp_model_free(next);
        hsp_report_free(report);
        return status;
    }
    hsp_model_free(p->model);
    hsp_report_free(p->report);
    p->model = next;
    p->report = report;
    p->updates += hsp_report_number(report, "updates");
    p->steps += hsp_report_number(report, "steps");
    p->seconds += hsp_report_number(report, "train_seconds");
    const char *stop = hsp_report_text(report, "stop_reason");
    return stop && strcmp(stop, "cancelled") == 0;
}

/* ---- the result ---- */

/* The report of the last block with the figures of all. times: also the seconds. */
static int write_report(const one_pass *p, bool times, hsp_report **out, hsp_error **err) {
    hsp_json j = {0};
    hsp_json_object(&j, NULL);
    HSP_REPORT_EACH(member, p->report) {
        const char *name = hsp_report_name(member);
        if (strcmp(name, "rows") == 0)
            hsp_json_int(&j, name, p->rows.rows);
        else if (strcmp(name, "nonzeros") == 0)
            hsp_json_int(&j, name, p->nonzeros);
        else if (strcmp(name, "updates") == 0)
            hsp_json_number(&j, name, p->updates);
        else if (strcmp(name, "steps") == 0)
            hsp_json_number(&j, name, p->steps);
        else if (strcmp(name, "train_seconds") == 0)
            hsp_json_number(&j, name, times ? p->seconds : (double)NAN);
        else if (strcmp(name, "problems") == 0)
            hsp_json_null(&j, name);
        else
            hsp_json_report(&j, name, member);
    }
    hsp_json_object_end(&j);
    return hsp_json_take(&j, out, err);
}

static int finish_model(one_pass *p, hsp_report **report, hsp_error **err) {
    hsp_model *m = p->model;
    int64_t d = m->prepare.schema.d;
    for (int64_t k = 0; p->averages && k < m->outputs; k++) {
        memcpy(m->w + k * d, p->average.mean + k * (d + 1), (size_t)d * sizeof *m->w);
        m->b[k] = p->average.mean[k * (d + 1) + d];
    }
    m->rows = p->rows.rows;
    m->nonzeros = p->nonzeros;
    m->data_hash = p->hash;
    hsp_report_free(m->report);
    m->report = NULL;
    int status = write_report(p, false, &m->report, err);
    if (!status) status = write_report(p, true, report, err);
    hsp_free(atomic_exchange(&m->fields, NULL));
    return status ? status : hsp_model_lay_out_fields(m, err);
}

/* What is known of the data, as in hsp_data_report. */
static int describe_data(const one_pass *p, hsp_report **out, hsp_error **err) {
    const hsp_arriving *a = &p->rows;
    hsp_json j = {0};
    hsp_json_object(&j, NULL);
    hsp_json_int(&j, "rows", a->rows);
    hsp_json_int(&j, "features", p->model->prepare.schema.d);
    hsp_json_int(&j, "nonzeros", p->nonzeros);
    if (a->regression) {
        hsp_json_null(&j, "classes");
        hsp_json_object(&j, "targets");
        hsp_json_number(&j, "min", p->least);
        hsp_json_number(&j, "max", p->greatest);
        hsp_json_number(&j, "mean", p->sum / (double)a->rows);
        hsp_json_object_end(&j);
    } else {
        hsp_json_object(&j, "classes");
        for (int64_t k = 0; k < a->classes.count; k++) hsp_json_int(&j, a->classes.name[k], p->class_rows[k]);
        hsp_json_object_end(&j);
        hsp_json_null(&j, "targets");
    }
    if (p->weighted) {
        hsp_json_object(&j, "weights");
        hsp_json_string(&j, "column", a->schema.weight);
        hsp_json_number(&j, "sum", p->weight_sum);
        hsp_json_int(&j, "zero", p->weight_zero);
        hsp_json_object_end(&j);
    } else {
        hsp_json_null(&j, "weights");
    }
    hsp_json_string(&j, "format", a->schema.format);
    hsp_json_string(&j, "assumed", a->assumed);
    hsp_json_string(&j, "target", a->schema.target);
    hsp_json_object_end(&j);
    return hsp_json_take(&j, out, err);
}

int hsp_train_arriving(const char *path, const char *classes, const hsp_options *o, const hsp_hooks *hooks, hsp_model **model,
                       hsp_report **report, hsp_report **data, hsp_error **err) {
    one_pass p = {.hooks = hooks, .least = INFINITY, .greatest = -INFINITY, .averages = hsp_options_is(o, "keep", "average")};
    p.rows = (hsp_arriving){.o = o, .take = train_block, .ctx = &p};
    *model = NULL;
    *report = *data = NULL;
    int status = check_options(o, err);
    if (!status) status = copy_options(o, &p.o, err);
    if (!status) status = hsp_arriving_read(&p.rows, path, classes, err);
    if (!status) status = finish_model(&p, report, err);
    if (!status) status = describe_data(&p, data, err);
    if (!status) {
        *model = p.model;
        p.model = NULL;
    } else {
        hsp_report_free(*report);
        *report = NULL;
    }
    hsp_arriving_clear(&p.rows);
    hsp_options_free(p.o);
    hsp_model_free(p.model);
    hsp_report_free(p.report);
    HSP_FREE(p.average.mean, p.average.count, p.class_rows);
    return status;
}
