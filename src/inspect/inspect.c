/* `halfspace inspect --json`: what is to know of data before training. */
#include "base/clock.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/pool.h"
#include "data/data.h"
#include "inspect/twins.h"
#include "prepare/prepare.h"

typedef struct findings {
    hsp_column_stats stats;
    bool *constant;        /* d */
    int64_t *twin;         /* d: see twins.h; constant columns are nobody's twin */
    int64_t *order;        /* the columns that have a twin, group by group */
    int64_t paired;        /* how many */
    int64_t *class_counts; /* of each class */
    hsp_equal_rows rows;
} findings;

static void clear(findings *f) {
    hsp_column_stats_clear(&f->stats);
    hsp_free(f->constant);
    hsp_free(f->twin);
    hsp_free(f->order);
    hsp_free(f->class_counts);
    *f = (findings){0};
}

/* Lists the columns with a twin, each group behind its first, in the order of the first ones: by counting, in O(d). */
static void group(findings *f, int64_t d, int64_t *place) {
    for (int64_t j = 0; j < d; j++)
        if (f->twin[j] != j) place[f->twin[j]]++;
    int64_t next = 0;
    for (int64_t j = 0; j < d; j++) {
        int64_t members = place[j];
        place[j] = next;
        if (members > 0) {
            f->order[place[j]++] = j;
            next += members + 1;
        }
    }
    for (int64_t j = 0; j < d; j++)
        if (f->twin[j] != j) f->order[place[f->twin[j]]++] = j;
    f->paired = next;
}

static int find_columns(const hsp_data *data, findings *f, hsp_error **err) {
    int64_t d = data->x.d, room = d > 0 ? d : 1;
    if (hsp_column_stats_fit(&data->x, &f->stats)) return hsp_fail_memory(err);
    int64_t *place = hsp_alloc_zero(room, sizeof *place);
    f->constant = hsp_alloc(room, sizeof *f->constant);
    f->twin = hsp_alloc(room, sizeof *f->twin);
    f->order = hsp_alloc(room, sizeof *f->order);
    int status = place && f->constant && f->twin && f->order ? HSP_OK : hsp_fail_memory(err);
    for (int64_t j = 0; !status && j < d; j++) f->constant[j] = f->stats.min[j] >= f->stats.max[j];
    if (!status) status = hsp_inspect_columns(&data->x, f->constant, f->twin, err);
    if (!status) group(f, d, place);
    hsp_free(place);
    return status;
}

static int find(const hsp_data *data, const hsp_options *o, findings *f, hsp_error **err) {
    int threads = hsp_pool_threads(hsp_options_int(o, "threads", 0));
    int status = find_columns(data, f, err);
    if (!status) status = hsp_inspect_rows(&data->x, data->y, threads, &f->rows, err);
    if (status) return status;
    f->class_counts = hsp_alloc(data->classes.count > 0 ? data->classes.count : 1, sizeof *f->class_counts);
    if (!f->class_counts) return hsp_fail_memory(err);
    hsp_data_class_counts(data, f->class_counts);
    return HSP_OK;
}

/* ---- report ---- */

static void write_classes(const hsp_data *data, const findings *f, hsp_json *j) {
    if (!data->y) {
        hsp_json_null(j, "classes");
        return;
    }
    hsp_json_object(j, "classes");
    for (int64_t k = 0; k < data->classes.count; k++) hsp_json_int(j, data->classes.name[k], f->class_counts[k]);
    hsp_json_object_end(j);
}

static void write_columns(const hsp_data *data, const findings *f, hsp_json *j) {
    char buf[32];
    hsp_json_array(j, "constant_columns");
    for (int64_t c = 0; c < data->x.d; c++)
        if (f->constant[c]) hsp_json_string(j, NULL, hsp_schema_feature(&data->schema, c, buf));
    hsp_json_array_end(j);
    hsp_json_array(j, "duplicate_columns");
    for (int64_t i = 0; i < f->paired; i++) {
        int64_t c = f->order[i];
        if (f->twin[c] == c) {
            if (i > 0) hsp_json_array_end(j);
            hsp_json_array(j, NULL);
        }
        hsp_json_string(j, NULL, hsp_schema_feature(&data->schema, c, buf));
    }
    if (f->paired > 0) hsp_json_array_end(j);
    hsp_json_array_end(j);
}

static void write_findings(const hsp_data *data, const findings *f, hsp_json *j) {
    hsp_json_int(j, "rows", data->x.n);
    hsp_json_int(j, "features", data->x.d);
    hsp_json_int(j, "nonzeros", data->x.nonzeros);
    hsp_json_string(j, "layout", data->x.dense ? "dense" : "sparse");
    write_classes(data, f, j);
    hsp_json_int(j, "missing", 0); /* reading refuses them */
    write_columns(data, f, j);
    hsp_json_number(j, "scale_ratio", hsp_scale_ratio(&f->stats, data->x.d));
    hsp_json_int(j, "duplicate_rows", f->rows.repeated);
    if (data->y)
        hsp_json_int(j, "conflicting_rows", f->rows.conflicting);
    else
        hsp_json_null(j, "conflicting_rows");
}

static void write_seconds(const hsp_data *data, double inspect, double separate, hsp_json *j) {
    hsp_json_object(j, "seconds");
    hsp_json_number(j, "read", data->read_seconds);
    hsp_json_number(j, "inspect", inspect);
    hsp_json_number(j, "separate", separate);
    hsp_json_object_end(j);
}

int hsp_inspect(const hsp_data *data, const hsp_options *o, const hsp_hooks *hooks, char **report, hsp_error **err) {
    double begun = hsp_clock_seconds();
    findings f = {0};
    char *separable = NULL;
    *report = NULL;
    if (data->target && hsp_options_text(o, "positive"))
        return hsp_fail(err, HSP_EUSAGE, "--positive is for classes, and regression has numbers to predict: leave it out");
    int status = find(data, o, &f, err);
    double found = hsp_clock_seconds();
    if (!status && data->y) status = hsp_separability(data, o, hooks, &separable, err);
    if (!status) {
        hsp_text text = {0};
        hsp_json j = {.out = &text};
        hsp_json_object(&j, NULL);
        write_findings(data, &f, &j);
        if (separable)
            hsp_json_raw(&j, "separable", separable);
        else
            hsp_json_null(&j, "separable");
        hsp_json_string(&j, "assumed", data->assumed);
        write_seconds(data, found - begun, hsp_clock_seconds() - found, &j);
        hsp_json_object_end(&j);
        status = hsp_text_take(&text, report, err);
    }
    hsp_free(separable);
    clear(&f);
    return status;
}
