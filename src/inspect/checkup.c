#include "inspect/checkup.h"

#include "base/clock.h"
#include "base/memory.h"
#include "data/matrix.h"
#include "table/transform.h"

#include <stdarg.h>

void hsp_checkup_skip(hsp_checkup *u, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    hsp_text_vformat(&u->skipped, format, arguments);
    va_end(arguments);
    hsp_text_char(&u->skipped, '\0');
}

void hsp_checkup_clear(hsp_checkup *u) {
    hsp_column_stats_clear(&u->stats);
    HSP_FREE(u->constant, u->twin, u->order, u->nonzeros, u->role, u->quantity, u->owner, u->class_counts, u->summary);
    hsp_profiles_free(u->profile, u->columns);
    hsp_findings_clear(&u->findings);
    hsp_text_free(&u->skipped);
    *u = (hsp_checkup){0};
}

/* ---- features ---- */

/* Lists the columns with twins: groups in the order of their first columns, each starting with it. Counting sort, O(d). */
static void group(hsp_checkup *u, int64_t d, int64_t *place) {
    for (int64_t j = 0; j < d; j++)
        if (u->twin[j] != j) place[u->twin[j]]++;
    int64_t next = 0;
    for (int64_t j = 0; j < d; j++) {
        int64_t members = place[j];
        place[j] = next;
        if (members > 0) {
            u->order[place[j]++] = j;
            next += members + 1;
        }
    }
    for (int64_t j = 0; j < d; j++)
        if (u->twin[j] != j) u->order[place[u->twin[j]]++] = j;
    u->paired = next;
}

static int find_twins(hsp_checkup *u, hsp_error **err) {
    const hsp_matrix *x = &u->data->x;
    int64_t d = x->d, room = d > 0 ? d : 1;
    if (hsp_column_stats_fit(x, &u->stats)) return hsp_fail_memory(err);
    int64_t *place = hsp_alloc_zero(room, sizeof *place);
    u->constant = hsp_alloc(room, sizeof *u->constant);
    u->twin = hsp_alloc(room, sizeof *u->twin);
    u->order = hsp_alloc(room, sizeof *u->order);
    int status = place && u->constant && u->twin && u->order ? HSP_OK : hsp_fail_memory(err);
    for (int64_t j = 0; !status && j < d; j++) u->constant[j] = u->stats.min[j] >= u->stats.max[j];
    if (!status) status = hsp_inspect_columns(x, u->constant, u->twin, err);
    if (!status) group(u, d, place);
    hsp_free(place);
    return status;
}

/* Finds the kind of value behind each feature, and its column. */
static int find_roles(hsp_checkup *u, hsp_error **err) {
    int64_t d = u->data->x.d, room = d > 0 ? d : 1;
    u->role = hsp_alloc(room, sizeof *u->role);
    u->owner = hsp_alloc(room, sizeof *u->owner);
    if (!u->role || !u->owner || hsp_prepare_quantities(u->encoding, &u->quantity)) return hsp_fail_memory(err);
    for (int64_t j = 0; j < d; j++) {
        u->role[j] = u->encoding ? HSP_ROLE_OTHER : HSP_ROLE_NUMBER;
        u->owner[j] = u->encoding ? -1 : j;
    }
    for (int64_t c = 0; u->encoding && c < u->columns; c++) {
        const hsp_table_column *column = &u->encoding->column[c];
        hsp_column_role role = hsp_column_numbers(column) == 1  ? HSP_ROLE_NUMBER
                               : hsp_kind_one_hot(column->kind) ? HSP_ROLE_LEVEL
                                                                : HSP_ROLE_OTHER;
        for (int64_t k = 0; k < column->features && column->first + k < d; k++) {
            bool indicator = column->indicator && k + 1 == column->features;
            u->owner[column->first + k] = c;
            u->role[column->first + k] = (uint8_t)(indicator ? HSP_ROLE_OTHER : role);
        }
    }
    return HSP_OK;
}

static int count_nonzeros(hsp_checkup *u, hsp_error **err) {
    const hsp_matrix *x = &u->data->x;
    u->nonzeros = hsp_alloc_zero(x->d > 0 ? x->d : 1, sizeof *u->nonzeros);
    if (!u->nonzeros) return hsp_fail_memory(err);
    for (int64_t i = 0; i < x->n; i++) {
        hsp_row r = hsp_matrix_row(x, i);
        for (int64_t t = 0; t < r.count; t++) u->nonzeros[hsp_row_id(r, t)] += hsp_row_value(r, t) != 0;
    }
    return HSP_OK;
}

/* ---- all checks ---- */

static int fail_if_cancelled(hsp_error **err) {
    return hsp_cancel_take() ? hsp_fail(err, HSP_ECANCELLED, "interrupted before the data were inspected") : HSP_OK;
}

int hsp_checkup_begin(hsp_checkup *u, const hsp_data *data, int threads, hsp_error **err) {
    bool table = data->frame && data->features && data->frame->n == data->x.n;
    *u = (hsp_checkup){.data = data, .threads = threads};
    if (table) u->encoding = hsp_encoding_of(data->features);
    u->schema = u->findings.schema = table ? &data->frame->schema : &data->schema;
    u->columns = table ? data->frame->schema.d : data->x.d;
    int64_t classes = data->classes.count;
    u->class_counts = hsp_alloc(classes > 0 ? classes : 1, sizeof *u->class_counts);
    if (!u->class_counts) return hsp_fail_memory(err);
    hsp_data_class_counts(data, u->class_counts);
    int status = find_roles(u, err);
    if (!status) status = fail_if_cancelled(err);
    if (!status) status = find_twins(u, err);
    if (!status) status = fail_if_cancelled(err);
    if (!status) status = count_nonzeros(u, err);
    if (!status) status = fail_if_cancelled(err);
    if (!status) status = hsp_inspect_rows(&data->x, data->y, threads, &u->rows, err);
    if (!status) status = fail_if_cancelled(err);
    if (status || !u->encoding) return status;
    bool *text = hsp_alloc_zero(u->columns > 0 ? u->columns : 1, sizeof *text);
    if (!text) return hsp_fail_memory(err);
    for (int64_t c = 0; c < u->columns; c++) text[c] = hsp_checkup_kind(u, c)->reads_text;
    const hsp_profile_request q = {.f = u->data->frame, .text = text};
    status = hsp_profile_table(&q, u->threads, &u->profile, err);
    hsp_free(text);
    return status;
}

/* Runs an expensive check while there is time. */
static int run_in_time(hsp_checkup *u, int (*check)(hsp_checkup *u, hsp_error **err), const char *what, hsp_error **err) {
    int status = fail_if_cancelled(err);
    if (status) return status;
    if (hsp_clock_seconds() < u->end) return check(u, err);
    hsp_checkup_skip(u, "%s: the time limit was reached", what);
    return HSP_OK;
}

/* Findings of one severity are listed in the order of these calls. */
int hsp_checkup_run(hsp_checkup *u, hsp_error **err) {
    int status = run_in_time(u, hsp_summarise_columns, "outliers, identifiers and leaks of columns", err);
    if (!status) status = run_in_time(u, hsp_check_levels_leak, "leaks of levels", err);
    if (!status) status = run_in_time(u, hsp_check_label_case, "labels that differ only in case", err);
    if (status) return status;
    hsp_check_title(u);
    hsp_check_classes(u);
    hsp_check_kinds(u);
    hsp_check_missing(u);
    hsp_check_leaks(u);
    hsp_check_ids(u);
    status = run_in_time(u, hsp_check_duplicates, "duplicate columns", err);
    if (!status) status = run_in_time(u, hsp_check_collinear, "collinear columns", err);
    if (status) return status;
    hsp_check_levels(u);
    hsp_check_constant(u);
    hsp_check_scale(u);
    hsp_check_rows(u);
    hsp_check_outliers(u);
    hsp_check_order(u);
    return u->findings.failed || u->skipped.failed ? hsp_fail_memory(err) : HSP_OK;
}

int64_t hsp_checkup_missing(const hsp_checkup *u) {
    int64_t cells = 0;
    for (int64_t c = 0; u->profile && c < u->columns; c++) cells += u->profile[c].missing;
    return cells;
}
