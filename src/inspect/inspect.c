/* `halfspace inspect --json`: facts about the data to know before training. */
#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "base/pool.h"
#include "base/text.h"
#include "base/watched.h"
#include "data/data.h"
#include "data/schema.h"
#include "inspect/checkup.h"
#include "option/options.h"
#include "prepare/prepare.h"
#include "prepare/target_check.h"

#include <math.h>
#include <string.h>

/* Writes the number of rows of each class, and its share of all rows. */
static void write_classes(const hsp_data *data, const hsp_checkup *u, hsp_json *j) {
    const char *const names[] = {"classes", "class_balance"};
    for (int i = 0; i < 2; i++) {
        if (!data->y || (i == 1 && data->x.n == 0)) {
            hsp_json_null(j, names[i]);
            continue;
        }
        hsp_json_object(j, names[i]);
        for (int64_t k = 0; k < data->classes.count; k++)
            if (i == 0)
                hsp_json_int(j, data->classes.name[k], u->class_counts[k]);
            else
                hsp_json_number(j, data->classes.name[k], (double)u->class_counts[k] / (double)data->x.n);
        hsp_json_object_end(j);
    }
}

static void write_columns(const hsp_data *data, const hsp_checkup *u, hsp_json *j) {
    char buf[32];
    hsp_json_array(j, "constant_columns");
    for (int64_t c = 0; c < data->x.d; c++)
        if (u->constant[c]) hsp_json_string(j, NULL, hsp_schema_feature(&data->schema, c, buf));
    hsp_json_array_end(j);
    hsp_json_array(j, "duplicate_columns");
    for (int64_t i = 0; i < u->paired; i++) {
        int64_t c = u->order[i];
        if (u->twin[c] == c) {
            if (i > 0) hsp_json_array_end(j);
            hsp_json_array(j, NULL);
        }
        hsp_json_string(j, NULL, hsp_schema_feature(&data->schema, c, buf));
    }
    if (u->paired > 0) hsp_json_array_end(j);
    hsp_json_array_end(j);
}

static int write_figures(const hsp_data *data, const hsp_checkup *u, hsp_json *j) {
    hsp_json_int(j, "rows", data->x.n);
    hsp_json_int(j, "features", data->x.d);
    hsp_json_int(j, "nonzeros", data->x.nonzeros);
    hsp_json_string(j, "layout", data->x.dense ? "dense" : "sparse");
    hsp_data_memory_json(data, j);
    write_classes(data, u, j);
    hsp_json_int(j, "missing", hsp_checkup_missing(u));
    write_columns(data, u, j);
    hsp_json_number(j, "scale_ratio", hsp_scale_ratio(&u->stats, data->x.d, u->quantity));
    hsp_json_int(j, "duplicate_rows", u->rows.repeated);
    hsp_json_number(j, "conflicting_rows", data->y ? (double)u->rows.conflicting : NAN);
    hsp_json_number(j, "least_errors", data->y ? (double)u->rows.errors : NAN);
    hsp_checkup_write_columns(u, j);
    int status = hsp_findings_write(&u->findings, j);
    /* The skipped checks. */
    hsp_json_array(j, "not_looked_for");
    for (int64_t i = 0; i < u->skipped.length; i += (int64_t)strlen(u->skipped.s + i) + 1)
        hsp_json_string(j, NULL, u->skipped.s + i);
    hsp_json_array_end(j);
    return status || u->skipped.failed ? HSP_EMEMORY : HSP_OK;
}

static int inspect_data(const hsp_data *data, const hsp_options *o, const hsp_hooks *hooks, hsp_report **report,
                        hsp_error **err) {
    double begun = hsp_clock_seconds();
    hsp_checkup u = {0};
    hsp_report *separable = NULL;
    if (data->target && hsp_options_text(o, "positive"))
        return hsp_fail(err, HSP_EUSAGE, "--positive is for classification, not for --task regression: leave it out");
    double most = hsp_options_real(o, "max-seconds", -1), start = begun - data->read_seconds; /* reading counts */
    int status = hsp_data_check_columns(data, o, 1, err);
    if (!status) status = hsp_checkup_begin(&u, data, hsp_pool_threads(hsp_options_int(o, "threads", 0)), err);
    u.scaled = !hsp_options_is(o, "scale", "none");
    bool classes = !status && data->y && !hsp_target_unlike_classes(data, o);
    u.end = most >= 0 ? start + most : INFINITY;
    if (!status && data->y && !classes) status = hsp_check_target(&u, err);
    if (!status) status = hsp_checkup_run(&u, err);
    double found = hsp_clock_seconds();
    if (!status && classes && data->x.d > 0) status = hsp_separability_from(data, o, hooks, start, &separable, err);
    if (!status) {
        double asked = hsp_clock_seconds();
        hsp_json j = {0};
        hsp_json_object(&j, NULL);
        if (write_figures(data, &u, &j)) hsp_json_fail(&j);
        hsp_json_report(&j, "separable", separable);
        hsp_json_string(&j, "assumed", data->assumed);
        hsp_json_object(&j, "seconds");
        hsp_json_number(&j, "read", data->read_seconds);
        hsp_json_number(&j, "inspect", found - begun);
        hsp_json_number(&j, "separate", asked - found);
        hsp_json_object_end(&j);
        hsp_json_object_end(&j);
        status = hsp_json_take(&j, report, err);
    }
    hsp_report_free(separable);
    hsp_checkup_clear(&u);
    return status;
}

int hsp_inspect(const hsp_data *data, const hsp_options *o, const hsp_hooks *hooks, hsp_report **report, hsp_error **err) {
    hsp_watch watch;
    *report = NULL;
    int status = hsp_watch_begin(&watch, hooks, "inspect")
                     ? hsp_fail(err, HSP_ECANCELLED, "interrupted before the data were inspected")
                     : inspect_data(data, o, hooks, report, err);
    hsp_watch_end(&watch);
    return status;
}
