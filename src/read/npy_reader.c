/* .npy as a reader: a table without names, under the rules of CSV without a header. Floats and bytes in C order are used in
 * place when the features are adjacent; everything else is copied row by row. */
#include "base/clock.h"
#include "base/error.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/pool.h"
#include "base/text.h"
#include "data/block.h"
#include "data/data.h"
#include "data/matrix.h"
#include "data/schema.h"
#include "option/options.h"
#include "read/label_file.h"
#include "read/mapped.h"
#include "read/npy.h"
#include "read/table_match.h"

#include <math.h>
#include <stdatomic.h>

enum { PIECE = 4096 }; /* rows */

struct hsp_reader {
    hsp_npy array;
    hsp_label_file labels; /* when `apart` */
    bool apart;            /* labels are in a file of their own */
    hsp_schema schema;
    hsp_text assumed;
    int64_t *role;          /* owned: of each column, see table_match.h */
    int64_t target, weight; /* columns from 0; -1: none */
    const char *reason;     /* static: why the target is that column */
    int64_t at, stop, piece; /* the next row, the row at which the rows end, rows in a piece */
};

/* ---- which column is what ---- */

static int make_schema(hsp_reader *r, const hsp_schema *known, hsp_error **err) {
    hsp_schema *s = &r->schema;
    int64_t d = 0;
    int status = known ? hsp_schema_copy(known, s, err) : 0;
    if (status < 0) return status;
    for (int64_t c = 0; c < r->array.columns; c++) {
        if (r->role[c] >= d) d = r->role[c] + 1;
        if (r->role[c] == HSP_ROLE_TARGET) r->target = c;
        if (r->role[c] == HSP_ROLE_WEIGHT) r->weight = c;
    }
    HSP_FREE(s->format, s->target, s->weight, s->column);
    *s = (hsp_schema){.format = hsp_strdup("npy"), .d = known ? known->d : d, .name = s->name};
    s->file_columns = r->array.columns;
    s->target_column = r->target + 1;
    s->weight_column = r->weight + 1;
    s->column = hsp_alloc_zero(s->d, sizeof *s->column);
    if (!s->format || !s->column) return hsp_fail_memory(err);
    for (int64_t c = 0; c < r->array.columns; c++)
        if (r->role[c] >= 0) s->column[r->role[c]] = c + 1;
    for (int64_t j = 0; j < s->d; j++)
        if (s->column[j] == 0)
            return hsp_fail_file(err, r->array.name,
                                 "no column for feature %lld of the model: save the columns of the training data",
                                 (long long)(j + 1));
    return 0;
}

static int find_columns(hsp_reader *r, const hsp_options *o, const hsp_schema *known, hsp_error **err) {
    const char *path = hsp_options_text(o, "labels"), *target = hsp_options_text(o, "target");
    int status = 0;
    r->target = r->weight = -1;
    r->reason = target ? "--target" : known ? "as in the model" : "the last";
    if (path && target) return hsp_fail(err, HSP_EUSAGE, "--labels and --target exclude each other: give one of them");
    if (path) {
        r->apart = true;
        status = hsp_label_file_open(&r->labels, path, err);
        if (status == 0) status = hsp_label_file_fits(&r->labels, r->array.n, r->array.name, err);
    }
    r->role = hsp_alloc(r->array.columns, sizeof *r->role);
    if (status == 0 && !r->role) status = hsp_fail_memory(err);
    if (status == 0 && r->array.columns == 1 && !known && !path)
        status = hsp_fail_file(err, r->array.name,
                               "only one column, which would be the target: give the labels with --labels FILE");
    const hsp_table t = {.columns = r->array.columns, .target = -1, .weight = -1, .file = r->array.name};
    if (status == 0) status = hsp_table_choose(&t, o, known, r->apart, r->role, err);
    return status == 0 ? make_schema(r, known, err) : status;
}

static int64_t side_column(const hsp_reader *r, hsp_side side) {
    int64_t role = side == HSP_SIDE_GROUP ? HSP_ROLE_GROUP : HSP_ROLE_TIME;
    for (int64_t c = 0; c < r->array.columns; c++)
        if (r->role[c] == role) return c;
    return -1;
}

static bool has_side(const hsp_reader *r, hsp_side side) {
    return side_column(r, side) >= 0;
}

static int describe_assumed(hsp_reader *r, hsp_error **err) {
    hsp_text *t = &r->assumed;
    char type[16];
    hsp_text_format(t, "npy, %s", hsp_npy_type(&r->array, type));
    if (r->array.fortran) hsp_text_add(t, " in column order");
    if (r->apart)
        hsp_text_format(t, ", labels from %s", r->labels.name);
    else if (r->target < 0)
        hsp_text_add(t, ", no target");
    else
        hsp_text_format(t, ", target column %lld (%s)", (long long)r->target + 1, r->reason);
    if (r->weight >= 0) hsp_text_format(t, ", weights in column %lld", (long long)r->weight + 1);
    for (int side = 0; side < HSP_SIDES; side++)
        if (has_side(r, side))
            hsp_text_format(t, ", %ss in column %lld", hsp_side_option(side), (long long)side_column(r, side) + 1);
    hsp_text_format(t, ", %lld feature%s, %lld row%s", (long long)r->schema.d, r->schema.d == 1 ? "" : "s",
                    (long long)r->array.n, r->array.n == 1 ? "" : "s");
    return t->failed ? hsp_fail_memory(err) : 0;
}

/* ---- the reader ---- */

static void close_reader(hsp_reader *r) {
    hsp_npy_close(&r->array);
    hsp_label_file_close(&r->labels);
    hsp_schema_clear(&r->schema);
    hsp_text_free(&r->assumed);
    HSP_FREE(r->role, r);
}

static int open_mapped(hsp_map *map, const char *name, const hsp_options *o, const hsp_schema *known, hsp_reading *g,
                       hsp_error **err) {
    hsp_reader *r = g->reader = hsp_alloc_zero(1, sizeof *r);
    if (!r) return hsp_fail_memory(err);
    g->schema = &r->schema;
    g->assumed = &r->assumed;
    int status = hsp_npy_open(&r->array, map, name, err);
    if (status == 0) status = find_columns(r, o, known, err);
    r->piece = hsp_block_rows(r->array.columns);
    r->stop = r->array.n;
    return status == 0 ? describe_assumed(r, err) : status;
}

static int open_reader(hsp_stream *stream, const hsp_options *o, const hsp_schema *known, hsp_reading *g, hsp_error **err) {
    hsp_map *map = NULL;
    int status = hsp_stream_map(stream, &map, err);
    if (status == 0) status = open_mapped(map, hsp_stream_name(stream), o, known, g, err);
    hsp_map_close(map);
    return status;
}

static int seek(hsp_reader *r, int64_t from, int64_t to, hsp_error **err) {
    (void)err;
    r->at = from;
    r->stop = to < r->array.n ? to : r->array.n;
    return 0;
}

static int64_t place(const hsp_reader *r, const hsp_parcel *p, int64_t i) {
    (void)r;
    return p->chunk.row + i;
}

static int cut(hsp_reader *r, hsp_chunk *chunk, hsp_error **err) {
    (void)err;
    return hsp_chunk_cut_rows(chunk, &r->at, r->stop, r->piece);
}

/* The first row of the piece with a bad number, and its column; row is the number of rows when there is none. */
typedef struct trouble {
    int64_t row, column;
} trouble;

static void find_bad_number(trouble *t, const double *v, int64_t rows, int64_t step, int64_t column, bool weight) {
    for (int64_t k = 0; k < rows && k < t->row; k++)
        if (isnan(v[k * step]) || (weight && v[k * step] < 0)) *t = (trouble){k, column};
}

/* Copies features to the block's values, targets and weights to their arrays, column by column. */
static trouble copy_columns(const hsp_reader *r, const hsp_chunk *chunk, hsp_block *b, double *target) {
    int64_t d = r->schema.d, rows = chunk->rows;
    trouble t = {rows, 0};
    for (int64_t c = 0; c < r->array.columns; c++) {
        int64_t j = r->role[c];
        bool weight = c == r->weight;
        if (j < 0 && c != r->target && !weight) continue;
        double *to = j >= 0 ? b->value + j : weight ? b->weight : target;
        int64_t step = j >= 0 ? d : 1;
        if (hsp_npy_column(&r->array, c, chunk->row, rows, to, step) || weight)
            find_bad_number(&t, to, rows, step, c, weight);
    }
    return t;
}

static int fail_cell(const hsp_reader *r, int64_t i, int64_t c, hsp_error **err) {
    double v = 0;
    if (hsp_npy_column(&r->array, c, i, 1, &v, 1)) return hsp_npy_fail(&r->array, i, c, err);
    return hsp_fail_file(err, r->array.name,
                         "row %lld, column %lld (from 1) holds a negative weight: give weights of at least 0",
                         (long long)i + 1, (long long)c + 1);
}

/* The label of row k of the piece; NULL: none. */
static const char *label_of(const hsp_reader *r, int64_t row, double number, int64_t *length, char *buf) {
    *length = 0;
    if (r->apart) return hsp_label_file_at(&r->labels, row, length, buf);
    if (r->target < 0) return NULL;
    *length = hsp_number_format(number == 0 ? 0 : number, buf);
    return buf;
}

static void parse(const hsp_reader *r, hsp_parcel *p, int64_t line, hsp_error **err) {
    hsp_block *b = &p->block;
    int64_t rows = p->chunk.rows, d = r->schema.d;
    hsp_block_reset(b, true, d);
    b->weighted = r->weight >= 0;
    p->lines = rows;
    p->fault = 0;
    if (hsp_reserve(&p->scratch, &p->scratch_capacity, rows, sizeof(double)) || hsp_block_reserve(b, rows * d, 0) ||
        (b->weighted && hsp_reserve((void **)&b->weight, &b->capacity.weight, rows, sizeof *b->weight))) {
        p->fault = hsp_fail_memory(err);
        return;
    }
    double *target = p->scratch;
    trouble t = copy_columns(r, &p->chunk, b, target);
    for (int64_t k = 0; k < t.row; k++) {
        char buf[32];
        int64_t length;
        const char *label = label_of(r, p->chunk.row + k, target[k], &length, buf);
        if (hsp_block_reserve(b, d, length)) {
            p->fault = hsp_fail_memory(err);
            return;
        }
        hsp_block_close_row(b, d, label, length, line + k);
    }
    if (t.row < rows) p->fault = fail_cell(r, p->chunk.row + t.row, t.column, err);
}

/* ---- groups and times ---- */

/* Numbers as text; one that is not finite is an empty cell, which is refused. */
static int side_cells(const hsp_reader *r, const hsp_parcel *p, hsp_side side, hsp_kept *out) {
    int64_t c = side_column(r, side), rows = p->block.rows;
    hsp_text_clear(&out->text);
    if (HSP_RESERVE(out->start, out->capacity, rows + 1)) return HSP_EMEMORY;
    out->start[0] = 0;
    for (int64_t i = 0; i < rows; i++) {
        double v = NAN;
        if (hsp_npy_column(&r->array, c, p->chunk.row + i, 1, &v, 1) == 0 && isfinite(v)) hsp_text_number(&out->text, v);
        out->start[i + 1] = out->text.length;
    }
    out->cells = rows;
    return out->text.failed ? HSP_EMEMORY : 0;
}

/* ---- the array in place ---- */

/* The first column of the features when they are adjacent, in order, and of a type that matrices use; else -1. */
static int64_t first_in_place(const hsp_reader *r) {
    const hsp_npy *a = &r->array;
    bool plain = a->kind == 'f' ? a->bytes >= 4 : a->bytes == 1;
    if (has_side(r, HSP_SIDE_GROUP) || has_side(r, HSP_SIDE_TIME)) return -1;
    if (!plain || a->swapped || (a->fortran && a->columns > 1 && a->n > 1) || r->weight >= 0) return -1;
    int64_t first = r->schema.column[0] - 1;
    for (int64_t j = 0; j < r->schema.d; j++)
        if (r->schema.column[j] - 1 != first + j) return -1;
    return (uintptr_t)a->cells % (uintptr_t)a->bytes == 0 ? first : -1;
}

typedef struct counting {
    const hsp_matrix *x;
    bool zero[HSP_CODES]; /* codes that stand for 0 */
    atomic_int_fast64_t nonzeros;
    atomic_int_fast64_t bad; /* the first row with a number that is not finite; n: none */
} counting;

static void count_piece(void *ctx, int64_t k) {
    counting *g = ctx;
    const hsp_matrix *x = g->x;
    int64_t begin = k * PIECE, end = begin + PIECE < x->n ? begin + PIECE : x->n, zeros = 0;
    for (int64_t i = begin; i < end; i++) {
        if (hsp_matrix_finite(x, g->zero, i * x->stride, i * x->stride + x->d, &zeros)) continue;
        int_fast64_t now = atomic_load(&g->bad);
        while (i < now && !atomic_compare_exchange_weak(&g->bad, &now, i)) continue;
        return;
    }
    atomic_fetch_add(&g->nonzeros, (end - begin) * x->d - zeros);
}

static int check_numbers(const hsp_reader *r, hsp_matrix *x, int threads, hsp_error **err) {
    counting g = {.x = x, .bad = x->n};
    hsp_matrix_zero_codes(x, g.zero);
    hsp_pool_run((x->n + PIECE - 1) / PIECE, threads, count_piece, &g);
    x->nonzeros = g.nonzeros;
    if (g.bad == x->n) return 0;
    int64_t j = 0;
    hsp_row row = hsp_matrix_row(x, g.bad);
    while (isfinite(hsp_row_value(row, j))) j++;
    return hsp_npy_fail(&r->array, g.bad, r->schema.column[j] - 1, err);
}

static int view(const hsp_reader *r, int64_t first, hsp_matrix *x, hsp_error **err) {
    const hsp_npy *a = &r->array;
    *x = (hsp_matrix){.n = a->n,
                      .d = r->schema.d,
                      .dense = true,
                      .coding = a->bytes == 8   ? HSP_CODING_F64
                                : a->bytes == 4 ? HSP_CODING_F32
                                                : HSP_CODING_CODE8,
                      .dtype = a->bytes == 8 ? HSP_FLOAT64 : HSP_FLOAT32,
                      .stored = a->n * r->schema.d,
                      .stride = a->columns,
                      .value = (void *)(uintptr_t)(a->cells + first * a->bytes)}; /* never written to */
    x->lent = HSP_LENT_VALUE;
    if (!(x->owner = hsp_map_owner(a->map))) return hsp_fail_memory(err);
    if (x->coding != HSP_CODING_CODE8) return 0;
    x->table = hsp_alloc(HSP_CODES, sizeof *x->table);
    if (!x->table) return hsp_fail_memory(err);
    for (int k = 0; k < HSP_CODES; k++)
        x->table[k] = a->kind == 'b' ? k != 0 : a->kind == 'i' && k >= HSP_CODES / 2 ? k - HSP_CODES : k;
    return 0;
}

/* A column of labels; keeps the text of the last, because neighbours are often equal. */
typedef struct labelling {
    const hsp_reader *r;
    double last;
    char text[32];
    int64_t length; /* 0: nothing kept */
} labelling;

static const char *next_label(void *ctx, int64_t i, int64_t *length, char *buf) {
    labelling *l = ctx;
    double v = 0;
    if (l->r->apart) return hsp_label_file_at(&l->r->labels, i, length, buf);
    hsp_npy_column(&l->r->array, l->r->target, i, 1, &v, 1);
    if (l->length == 0 || v != l->last) l->length = hsp_number_format(v == 0 ? 0 : v, l->text);
    l->last = v;
    *length = l->length;
    return l->text;
}

static int label_rows(const hsp_reader *r, const hsp_options *o, const hsp_read_for *model, hsp_data *data,
                      hsp_error **err) {
    bool regression = model ? model->regression : hsp_options_is(o, "task", "regression");
    const hsp_builder_rules rules = hsp_read_rules(o, model, regression, r->apart ? r->labels.name : r->array.name);
    if (!r->apart && r->target < 0) return rules.classes ? hsp_classes_copy(rules.classes, &data->classes, err) : 0;
    for (int64_t i = 0; i < r->array.n && r->target >= 0; i++) {
        double v;
        if (hsp_npy_column(&r->array, r->target, i, 1, &v, 1)) return hsp_npy_fail(&r->array, i, r->target, err);
    }
    labelling l = {.r = r};
    return hsp_data_relabel(&(hsp_label_source){r->array.n, next_label, &l}, &rules, data, err);
}

static int load_view(const hsp_reader *r, const hsp_options *o, const hsp_read_for *model, hsp_data **out,
                     hsp_error **err) {
    int64_t first = first_in_place(r);
    if (first < 0) return 0;
    hsp_data *data = hsp_alloc_zero(1, sizeof *data);
    int status = data ? view(r, first, &data->x, err) : hsp_fail_memory(err);
    double start = hsp_clock_seconds();
    if (status == 0) status = check_numbers(r, &data->x, hsp_pool_threads(hsp_options_int(o, "threads", 0)), err);
    double seconds = hsp_clock_seconds() - start;
    if (status == 0) status = label_rows(r, o, model, data, err);
    if (status == 0) status = hsp_schema_copy(&r->schema, &data->schema, err);
    if (status == 0) {
        data->check_seconds = seconds;
        data->assumed = hsp_strdup(r->assumed.s);
        data->source = hsp_strdup(r->array.name);
        if (!data->assumed || !data->source) status = hsp_fail_memory(err);
    }
    if (status < 0) {
        hsp_data_free(data);
        return status;
    }
    *out = data;
    return 1;
}

const hsp_reader_kind hsp_reader_npy = {
    .name = "npy",
    .help = "a two-dimensional NumPy array; labels in a column, or in a file given by --labels",
    .suffixes = ".npy",
    .open = open_reader,
    .begins = hsp_npy_begins,
    .open_mapped = open_mapped,
    .load = load_view,
    .cut = cut,
    .seek = seek,
    .place = place,
    .parse = parse,
    .has_side = has_side,
    .side_cells = side_cells,
    .free = close_reader,
};
