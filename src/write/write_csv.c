/* Writes CSV and TSV. */
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

void hsp_csv_cell(hsp_text *t, const char *s, int64_t n, char delimiter) {
    static const char special[] = {'"', '\n', '\r', ',', ';', '\t'}; /* each could be taken for a delimiter */
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

/* The place of label and weight: before the feature of that number, from 0; -1: there is none. */
typedef struct places {
    int64_t label, weight;
    bool weight_first; /* when both are before the same feature */
} places;

/* A CSV file that is being written. */
typedef struct csv_output {
    const hsp_data *data;
    const hsp_schema *schema; /* borrowed: of the table that the features came from, else of the features */
    int64_t d;                /* its columns */
    char delimiter;
    places at;
    hsp_text label, weight; /* the cells of a line that are not features */
    hsp_text text;          /* not yet written */
    hsp_out *out;           /* borrowed */
} csv_output;

/* The number of features before a column of the file that the data came from. */
static int64_t features_before(const csv_output *c, int64_t column) {
    int64_t count = 0;
    for (int64_t j = 0; j < c->d; j++) count += c->schema->column[j] < column;
    return count;
}

/* As in the file that the data came from; else the label last, and the weight just before it. */
static places find_places(const csv_output *c) {
    const hsp_schema *s = c->schema;
    int64_t label = c->d;
    bool csv = s->column != NULL;
    if (csv && s->target_column > 0) label = features_before(c, s->target_column);
    places at = {c->data->y || c->data->target ? label : -1, -1, true};
    if (!c->data->weight) return at;
    at.weight = csv && s->weight_column > 0 ? features_before(c, s->weight_column) : label;
    at.weight_first = !csv || s->weight_column == 0 || s->target_column == 0 || s->weight_column < s->target_column;
    return at;
}

/* The target's name, or a usual one that no feature has; NULL when all are taken. */
static const char *target_name(const hsp_schema *s, int64_t d) {
    bool taken[HSP_CSV_USUAL + 1] = {0}; /* the last: all other names */
    if (s->target) return s->target;
    for (int64_t j = 0; j < d && s->name; j++)
        if (s->name[j]) taken[hsp_csv_usual(s->name[j])] = true;
    for (int i = 0; i < HSP_CSV_USUAL; i++)
        if (!taken[i]) return hsp_csv_usual_names[i];
    return NULL;
}

/* Likewise for the weights. */
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

/* Adds label and weight if their place is before feature j, each followed by a delimiter unless it ends the line. */
static void add_others(csv_output *c, int64_t j) {
    const hsp_text *label = c->at.label == j ? &c->label : NULL, *weight = c->at.weight == j ? &c->weight : NULL;
    const hsp_text *cell[2] = {c->at.weight_first ? weight : label, c->at.weight_first ? label : weight};
    for (int k = 0; k < 2; k++) {
        if (!cell[k]) continue;
        hsp_text_add_n(&c->text, cell[k]->s, cell[k]->length);
        if (j < c->d || (k == 0 && cell[1])) hsp_text_char(&c->text, c->delimiter);
    }
}

/* Ends the cell of feature j. */
static void add_delimiter(csv_output *c, int64_t j) {
    if (j + 1 < c->d || c->at.label == c->d || c->at.weight == c->d) hsp_text_char(&c->text, c->delimiter);
}

static int write_header(csv_output *c, hsp_error **err) {
    const hsp_schema *s = c->schema;
    const char *target = c->at.label >= 0 ? target_name(s, c->d) : "";
    const char *weight = c->at.weight >= 0 ? weight_name(s, c->d) : "";
    if (!target)
        return hsp_fail(
            err, HSP_EINPUT,
            "features are named label, class, target and y, so no name is left for the target: rename one of them");
    if (!weight)
        return hsp_fail(err, HSP_EINPUT,
                        "columns are named weight, row_weight and sample_weight, so no name is left for the weights: "
                        "rename one of them");
    hsp_csv_cell(&c->label, target, (int64_t)strlen(target), c->delimiter);
    hsp_csv_cell(&c->weight, weight, (int64_t)strlen(weight), c->delimiter);
    int status = c->label.failed || c->weight.failed ? hsp_fail_memory(err) : 0;
    for (int64_t j = 0; j < c->d && status == 0; j++) {
        char buf[32] = "x";
        if (!s->name) buf[1 + hsp_number_format_int(j + 1, buf + 1)] = '\0';
        const char *name = s->name ? hsp_schema_feature(s, j, buf) : buf;
        add_others(c, j);
        hsp_csv_cell(&c->text, name, (int64_t)strlen(name), c->delimiter);
        add_delimiter(c, j);
        status = hsp_write_flush(&c->text, c->out, false, err);
    }
    add_others(c, c->d);
    hsp_text_char(&c->text, '\n');
    return status;
}

/* Sets the cells of label and weight for row i. */
static int set_others(csv_output *c, int64_t i, hsp_error **err) {
    const hsp_data *data = c->data;
    const char *label = data->y ? data->classes.name[data->y[i]] : NULL;
    if (label && !*label)
        return hsp_fail(err, HSP_EINPUT,
                        "row %lld has an empty label, which cannot be read back: rename it with --map-label",
                        (long long)(i + 1));
    hsp_text_clear(&c->label);
    hsp_text_clear(&c->weight);
    if (label) hsp_csv_cell(&c->label, label, (int64_t)strlen(label), c->delimiter);
    if (data->target) hsp_text_number(&c->label, data->target[i]);
    if (data->weight) hsp_text_number(&c->weight, data->weight[i]);
    return c->label.failed || c->weight.failed ? hsp_fail_memory(err) : 0;
}

/* Writes row i: its cells in a table, missing ones empty; NULL: its features. */
static int write_row(csv_output *c, int64_t i, hsp_cells *cells, hsp_error **err) {
    hsp_row r = cells ? (hsp_row){0} : hsp_matrix_row(&c->data->x, i);
    int64_t k = 0;
    int status = set_others(c, i, err);
    if (status < 0) return status;
    for (int64_t j = 0; j < c->d; j++) {
        if (j == c->at.label || j == c->at.weight) add_others(c, j);
        hsp_cell cell = cells ? hsp_cells_at(cells, j) : (hsp_cell){0};
        if (cell.text)
            hsp_csv_cell(&c->text, cell.text, cell.length, c->delimiter);
        else if (cells && !hsp_cell_missing(cell))
            hsp_text_number(&c->text, cell.number);
        else if (!cells && (!r.id || (k < r.count && hsp_row_id(r, k) == j)))
            hsp_text_number(&c->text, hsp_row_value(r, k++));
        else if (!cells)
            hsp_text_char(&c->text, '0');
        add_delimiter(c, j);
    }
    add_others(c, c->d);
    hsp_text_char(&c->text, '\n');
    return hsp_write_flush(&c->text, c->out, false, err);
}

/* Writes all rows; those of a table block by block. */
static int write_rows(csv_output *c, hsp_error **err) {
    const hsp_frame *f = c->data->frame;
    int status = 0;
    for (int64_t i = 0; !f && i < c->data->x.n && status == 0; i++) status = write_row(c, i, NULL, err);
    for (int64_t b = 0; f && b < f->blocks; b++)
        for (int64_t i = 0; i < f->block[b].rows && status == 0; i++) {
            hsp_cells cells = hsp_block_cells(&f->block[b], i);
            status = write_row(c, f->first[b] + i, &cells, err);
        }
    return status;
}

int hsp_write_csv(const hsp_data *data, hsp_out *out, char delimiter, hsp_error **err) {
    int64_t n = data->x.n, d = data->x.d;
    if (!data->frame && !data->x.dense && (double)n * (double)(d + 1) > HSP_CELL_LIMIT)
        return hsp_fail(err, HSP_EUSAGE, "a CSV file would have %lld x %lld cells, most of them zero: write svmlight",
                        (long long)n, (long long)(d + 1));
    const hsp_schema *s = data->frame ? &data->frame->schema : &data->schema;
    csv_output c = {.data = data, .schema = s, .d = data->frame ? s->d : d, .delimiter = delimiter, .out = out};
    c.at = find_places(&c);
    bool csv = s->format && strcmp(s->format, "csv") == 0;
    int status = s->name || !csv ? write_header(&c, err) : 0;
    if (status == 0) status = write_rows(&c, err);
    if (status == 0) status = hsp_write_flush(&c.text, out, true, err);
    hsp_text_free(&c.text);
    hsp_text_free(&c.label);
    hsp_text_free(&c.weight);
    return status;
}
