/* CSV and TSV out. */
#include "base/error.h"
#include "base/file.h"
#include "base/number.h"
#include "base/text.h"
#include "data/data.h"
#include "data/matrix.h"
#include "data/schema.h"
#include "data/table_frame.h"
#include "read/csv.h"
#include "write/writer.h"

#include <string.h>

#define CELL_LIMIT 2000000000

void hsp_csv_cell(hsp_text *t, const char *s, int64_t n, char delimiter) {
    static const char special[] = {'"', '\n', '\r', ',', ';', '\t'}; /* each could pass for a delimiter of the file */
    bool quote = n > 0 && (s[0] == ' ' || s[n - 1] == ' ' || memchr(s, delimiter, (size_t)n));
    for (size_t i = 0; i < sizeof special && n > 0 && !quote; i++) quote = memchr(s, special[i], (size_t)n) != NULL;
    if (!quote) {
        hsp_text_add_n(t, s, n);
        return;
    }
    hsp_text_char(t, '"');
    for (const char *end = s + n; s < end;) {
        const char *q = memchr(s, '"', (size_t)(end - s));
        const char *stop = q ? q + 1 : end;
        hsp_text_add_n(t, s, stop - s);
        if (q) hsp_text_char(t, '"');
        s = stop;
    }
    hsp_text_char(t, '"');
}

/* What is written: the columns of the table that the features came from, or the features. */
static const hsp_schema *columns_of(const hsp_data *data) {
    return data->frame ? &data->frame->schema : &data->schema;
}

static int64_t count_of(const hsp_data *data) {
    return data->frame ? data->frame->schema.d : data->x.d;
}

/* Where label and weight stand: before the feature of that number, from 0; -1: there is none. */
typedef struct places {
    int64_t label, weight;
    bool weight_first; /* when both stand before the same feature */
} places;

/* Features before a column of the file that the data came from. */
static int64_t features_before(const hsp_schema *s, int64_t d, int64_t column) {
    int64_t count = 0;
    for (int64_t j = 0; j < d; j++) count += s->column[j] < column;
    return count;
}

/* As in the file that the data came from; else the label last, and the weight just before it. */
static places find_places(const hsp_data *data) {
    const hsp_schema *s = columns_of(data);
    int64_t d = count_of(data), label = d;
    bool csv = s->column != NULL;
    if (csv && s->target_column > 0) label = features_before(s, d, s->target_column);
    places at = {data->y || data->target ? label : -1, -1, true};
    if (!data->weight) return at;
    at.weight = csv && s->weight_column > 0 ? features_before(s, d, s->weight_column) : label;
    at.weight_first = !csv || s->weight_column == 0 || s->target_column == 0 || s->weight_column < s->target_column;
    return at;
}

/* The target's name; one that no feature has, when the data came without. NULL when all are taken. */
static const char *target_name(const hsp_schema *s, int64_t d) {
    bool taken[HSP_CSV_USUAL + 1] = {0}; /* the last: all other names */
    if (s->target) return s->target;
    for (int64_t j = 0; j < d && s->name; j++)
        if (s->name[j]) taken[hsp_csv_usual(s->name[j])] = true;
    for (int i = 0; i < HSP_CSV_USUAL; i++)
        if (!taken[i]) return hsp_csv_usual_names[i];
    return NULL;
}

/* The same for the weights. */
static const char *weight_name(const hsp_schema *s, int64_t d) {
    static const char *const usual[] = {"weight", "row_weight", "sample_weight"};
    if (s->weight) return s->weight;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        bool taken = s->target && strcmp(s->target, usual[i]) == 0;
        for (int64_t j = 0; j < d && s->name && !taken; j++) taken = s->name[j] && strcmp(s->name[j], usual[i]) == 0;
        if (!taken) return usual[i];
    }
    return NULL;
}

/* The cells before feature j that are no features, each with a delimiter after it, but for the last of the line. */
static void write_guests(hsp_text *t, const places *at, int64_t j, int64_t d, const hsp_text *label, const hsp_text *weight,
                         char delimiter) {
    const hsp_text *cell[2] = {at->label == j ? label : NULL, at->weight == j ? weight : NULL};
    if (at->weight_first) {
        const hsp_text *first = cell[1];
        cell[1] = cell[0];
        cell[0] = first;
    }
    for (int k = 0; k < 2; k++) {
        if (!cell[k]) continue;
        hsp_text_add_n(t, cell[k]->s, cell[k]->length);
        if (j < d || (k == 0 && cell[1])) hsp_text_char(t, delimiter);
    }
}

/* Whether something follows the last feature. */
static bool goes_on(const places *at, int64_t d) {
    return at->label == d || at->weight == d;
}

/* The two cells that are no features: made once a line, memory kept. */
typedef struct guest_cells {
    hsp_text label, weight;
} guest_cells;

static int name_guests(const hsp_data *data, const places *at, char delimiter, guest_cells *g, hsp_error **err) {
    const hsp_schema *s = columns_of(data);
    const char *target = at->label >= 0 ? target_name(s, count_of(data)) : "";
    const char *weight = at->weight >= 0 ? weight_name(s, count_of(data)) : "";
    if (!target)
        return hsp_fail(err, HSP_EINPUT,
                        "features are named label, class, target and y, so none is left for the target: "
                        "rename one of them");
    if (!weight)
        return hsp_fail(err, HSP_EINPUT,
                        "columns are named weight, row_weight and sample_weight, so none is left for the weights: "
                        "rename one of them");
    hsp_csv_cell(&g->label, target, (int64_t)strlen(target), delimiter);
    hsp_csv_cell(&g->weight, weight, (int64_t)strlen(weight), delimiter);
    return g->label.failed || g->weight.failed ? hsp_fail_memory(err) : 0;
}

static int write_header(const hsp_data *data, const places *at, char delimiter, guest_cells *g, hsp_text *t, hsp_out *out,
                        hsp_error **err) {
    const hsp_schema *s = columns_of(data);
    int64_t d = count_of(data);
    int status = name_guests(data, at, delimiter, g, err);
    if (status < 0) return status;
    for (int64_t j = 0; j <= d; j++) {
        write_guests(t, at, j, d, &g->label, &g->weight, delimiter);
        if (j == d) break;
        char buf[32] = "x";
        if (!s->name) buf[1 + hsp_number_format_int(j + 1, buf + 1)] = '\0';
        const char *name = s->name ? hsp_schema_feature(s, j, buf) : buf;
        hsp_csv_cell(t, name, (int64_t)strlen(name), delimiter);
        if (j + 1 < d || goes_on(at, d)) hsp_text_char(t, delimiter);
        status = hsp_write_flush(t, out, false, err);
        if (status < 0) return status;
    }
    hsp_text_char(t, '\n');
    return 0;
}

static int fill_guests(const hsp_data *data, int64_t i, char delimiter, guest_cells *g, hsp_error **err) {
    const char *label = data->y ? data->classes.name[data->y[i]] : NULL;
    if (label && !*label)
        return hsp_fail(err, HSP_EINPUT,
                        "row %lld has an empty label, which would not read back: give it a name with "
                        "map-label",
                        (long long)(i + 1));
    hsp_text_clear(&g->label);
    hsp_text_clear(&g->weight);
    if (label) hsp_csv_cell(&g->label, label, (int64_t)strlen(label), delimiter);
    if (data->target) hsp_text_number(&g->label, data->target[i]);
    if (data->weight) hsp_text_number(&g->weight, data->weight[i]);
    return g->label.failed || g->weight.failed ? hsp_fail_memory(err) : 0;
}

static int write_row(const hsp_data *data, int64_t i, const places *at, char delimiter, guest_cells *g, hsp_text *t,
                     hsp_error **err) {
    hsp_row r = hsp_matrix_row(&data->x, i);
    int64_t d = data->x.d, k = 0;
    int status = fill_guests(data, i, delimiter, g, err);
    if (status < 0) return status;
    for (int64_t j = 0; j <= d; j++) {
        if (j == at->label || j == at->weight) write_guests(t, at, j, d, &g->label, &g->weight, delimiter);
        if (j == d) break;
        char buf[32] = "0";
        int64_t n = 1;
        if (!r.id || (k < r.count && hsp_row_id(r, k) == j)) n = hsp_number_format(hsp_row_value(r, k++), buf);
        if (j + 1 < d || goes_on(at, d)) buf[n++] = delimiter;
        hsp_text_add_n(t, buf, n);
    }
    hsp_text_char(t, '\n');
    return 0;
}

/* Row i of block b of the frame: cells as they were read, missing ones empty. */
static int write_cells(const hsp_data *data, int64_t b, int64_t i, const places *at, char delimiter, guest_cells *g,
                       hsp_text *t, hsp_error **err) {
    hsp_cells cells = hsp_block_cells(&data->frame->block[b], i);
    int64_t d = count_of(data);
    int status = fill_guests(data, data->frame->first[b] + i, delimiter, g, err);
    if (status < 0) return status;
    for (int64_t j = 0; j <= d; j++) {
        if (j == at->label || j == at->weight) write_guests(t, at, j, d, &g->label, &g->weight, delimiter);
        if (j == d) break;
        hsp_cell c = hsp_cells_at(&cells, j);
        if (c.text)
            hsp_csv_cell(t, c.text, c.length, delimiter);
        else if (!hsp_cell_missing(c))
            hsp_text_number(t, c.number);
        if (j + 1 < d || goes_on(at, d)) hsp_text_char(t, delimiter);
    }
    hsp_text_char(t, '\n');
    return 0;
}

/* All rows; those of a table block by block. */
static int write_rows(const hsp_data *data, const places *at, char delimiter, guest_cells *g, hsp_text *t, hsp_out *out,
                      hsp_error **err) {
    int status = 0;
    for (int64_t i = 0; !data->frame && i < data->x.n && status == 0; i++) {
        status = write_row(data, i, at, delimiter, g, t, err);
        if (status == 0) status = hsp_write_flush(t, out, false, err);
    }
    for (int64_t b = 0; data->frame && b < data->frame->blocks; b++)
        for (int64_t i = 0; i < data->frame->block[b].rows && status == 0; i++) {
            status = write_cells(data, b, i, at, delimiter, g, t, err);
            if (status == 0) status = hsp_write_flush(t, out, false, err);
        }
    return status;
}

int hsp_write_csv(const hsp_data *data, hsp_out *out, char delimiter, hsp_error **err) {
    const hsp_schema *s = columns_of(data);
    int64_t n = data->x.n, d = data->x.d;
    if (!data->frame && !data->x.dense && (double)n * (double)(d + 1) > CELL_LIMIT)
        return hsp_fail(err, HSP_EUSAGE, "a CSV file would have %lld x %lld cells, most of them zero: write svmlight",
                        (long long)n, (long long)(d + 1));
    bool csv = s->format && strcmp(s->format, "csv") == 0;
    const places at = find_places(data);
    guest_cells guests = {0};
    hsp_text t = {0};
    int status = s->name || !csv ? write_header(data, &at, delimiter, &guests, &t, out, err) : 0;
    if (status == 0) status = write_rows(data, &at, delimiter, &guests, &t, out, err);
    if (status == 0) status = hsp_write_flush(&t, out, true, err);
    hsp_text_free(&t);
    hsp_text_free(&guests.label);
    hsp_text_free(&guests.weight);
    return status;
}
