/* The rows of a table in memory. Numbers are copied column by column, a tile of rows at a time, so that both the buffers and
 * the rows stay in the cache; then each row gets its words, weight and label. */
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/block.h"
#include "read/arrow_table.h"
#include "table/spelling.h"

#include <math.h>
#include <string.h>

enum { TILE = 128 }; /* rows */

/* Copies numbers of `count` rows of a batch to x; features that the table lacks are missing. */
static void copy_numbers(const hsp_arrow_table *t, int64_t batch, int64_t from, int64_t count, double *x) {
    const hsp_csv_table *csv = &t->csv;
    int64_t d = csv->schema.d;
    for (int64_t k = 0; k < t->numbers; k++) {
        int64_t c = t->number[k], j = csv->layout.role[c];
        hsp_arrow_part p = hsp_arrow_part_of(&t->batches, batch, c);
        hsp_arrow_numbers(&p, from, count, x + j, d);
        if (!hsp_csv_missing_names(&csv->missing, j)) continue;
        for (int64_t i = 0; i < count; i++)
            if (hsp_csv_missing_has_number(&csv->missing, j, x[i * d + j])) x[i * d + j] = NAN;
    }
    for (int64_t j = 0; csv->layout.absent > 0 && j < d; j++)
        for (int64_t i = 0; csv->schema.column[j] == 0 && i < count; i++) x[i * d + j] = NAN;
    for (int64_t i = 0; csv->unused >= 0 && i < count; i++) x[i * d + csv->unused] = 0;
}

/* A row that is being read. */
typedef struct arrow_row {
    const hsp_arrow_table *t;
    int64_t batch, row; /* row: of the table */
    hsp_csv_cursor at;  /* for messages */
    hsp_text *spare;
    hsp_error **err;
} arrow_row;

/* The cell of the row in column c. */
static hsp_csv_view view_cell(const arrow_row *w, int64_t c, char *buf) {
    hsp_arrow_part p = hsp_arrow_part_of(&w->t->batches, w->batch, c);
    return hsp_arrow_view(&p, w->row - w->t->batches.first[w->batch], buf);
}

static int read_spelt(const arrow_row *w, int64_t c, double *x, hsp_block *b) {
    char buf[HSP_ARROW_SPELT];
    const hsp_csv_table *csv = &w->t->csv;
    int64_t j = csv->layout.role[c];
    hsp_csv_view v = view_cell(w, c, buf);
    if (csv->schema.table) return hsp_csv_take_cell(csv, &v, j, x, b, w->spare) ? hsp_fail_memory(w->err) : 0;
    if (w->t->batches.column[c].type.kind == HSP_ARROW_BOOL && v.n > 0) {
        x[j] = hsp_spelt_truth(v.s, v.n, NULL);
        return 0;
    }
    if (hsp_csv_is_number(v.s, v.n, &x[j]) && isfinite(x[j])) return 0;
    return hsp_csv_fail_cell(csv, &w->at, &v, c, w->err);
}

static int read_weight(const arrow_row *w, double *weight) {
    char buf[HSP_ARROW_SPELT];
    int64_t c = w->t->weight;
    hsp_csv_view v = view_cell(w, c, buf);
    if (hsp_csv_is_number(v.s, v.n, weight) && isfinite(*weight) && *weight >= 0) return 0;
    return hsp_csv_fail_weight(&w->t->csv, &w->at, &v, c, w->err);
}

/* The label, in buf or in the array; 1: the row is dropped for the lack of one. */
static int read_label(const arrow_row *w, char *buf, hsp_csv_view *label) {
    const hsp_csv_table *csv = &w->t->csv;
    *label = view_cell(w, w->t->target, buf);
    if (hsp_csv_lacks_label(csv, label) && !csv->for_model)
        return csv->drops ? 1 : hsp_csv_fail_label(csv, &w->at, label, w->t->target, w->err);
    return csv->schema.rules.target_sign ? hsp_csv_spell_target(csv, label, w->spare, w->err) : 0;
}

/* Completes the row, whose numbers are at x. 1: it is dropped. */
static int read_row(const arrow_row *w, hsp_block *b, double *x) {
    char buf[HSP_ARROW_SPELT];
    hsp_csv_view label = {0};
    double weight = 0;
    int status = 0;
    for (int64_t k = 0; k < w->t->spelts && status == 0; k++) status = read_spelt(w, w->t->spelt[k], x, b);
    if (status == 0 && b->weighted) status = read_weight(w, &weight);
    if (status == 0 && w->t->target >= 0) status = read_label(w, buf, &label);
    if (status) return status;
    if (hsp_block_reserve(b, b->d, label.n)) return hsp_fail_memory(w->err);
    if (b->weighted) b->weight[b->rows] = weight;
    hsp_block_close_row(b, b->d, label.s, label.n, w->at.line);
    b->column[b->rows - 1] = 0;
    return 0;
}

/* Reads rows of one batch, at most a tile, to the end of the block. x: for their numbers. */
static int read_tile(arrow_row *w, int64_t count, hsp_block *b, double *x) {
    int64_t d = b->d;
    copy_numbers(w->t, w->batch, w->row - w->t->batches.first[w->batch], count, x);
    for (int64_t i = 0; i < count; i++, w->row++, w->at.line++) {
        int64_t words = b->word_count, length = b->words_length;
        double *to = b->value + hsp_block_tail(b);
        if (to != x + i * d && d > 0) memmove(to, x + i * d, (size_t)d * sizeof *to); /* rows before it were dropped */
        int status = read_row(w, b, to);
        if (status < 0) return status;
        if (status == 0) continue;
        b->word_count = words;
        b->words_length = length;
        b->dropped++;
    }
    return 0;
}

/* So that the values do not move while the rows are read. */
static int reserve_rows(const hsp_arrow_table *t, hsp_block *b, int64_t rows) {
    hsp_block_reset(b, true, t->csv.schema.d);
    b->weighted = t->csv.layout.weighted;
    b->table = t->csv.schema.table;
    if (hsp_block_reserve(b, rows * b->d, 0)) return HSP_EMEMORY;
    if (b->table && HSP_RESERVE(b->word_row, b->capacity.word_row, rows + 1)) return HSP_EMEMORY;
    return b->weighted && HSP_RESERVE(b->weight, b->capacity.weight, rows) ? HSP_EMEMORY : 0;
}

int hsp_arrow_read_rows(const hsp_arrow_table *t, hsp_parcel *p, int64_t line, hsp_error **err) {
    int64_t end = p->chunk.row + p->chunk.rows;
    hsp_block *b = &p->block;
    if (reserve_rows(t, b, p->chunk.rows)) return hsp_fail_memory(err);
    arrow_row w = {.t = t,
                   .row = p->chunk.row,
                   .at = {.file = t->csv.file, .line = line, .translated = true},
                   .spare = &p->text,
                   .err = err};
    while (w.row < end) {
        w.batch = hsp_arrow_batch_of(&t->batches, w.row);
        int64_t left = t->batches.first[w.batch + 1] - w.row, count = end - w.row < left ? end - w.row : left;
        if (count > TILE) count = TILE;
        int status = read_tile(&w, count, b, b->value + (w.row - p->chunk.row) * b->d);
        if (status < 0) return status;
    }
    return 0;
}

int hsp_arrow_side_cells(const hsp_arrow_table *t, const hsp_parcel *p, hsp_side side, hsp_kept *out) {
    int64_t c = t->csv.layout.side[side] - 1, rows = p->block.rows;
    char buf[HSP_ARROW_SPELT];
    hsp_text_clear(&out->text);
    if (HSP_RESERVE(out->start, out->capacity, rows + 1)) return HSP_EMEMORY;
    out->start[0] = 0;
    for (int64_t i = 0; i < rows; i++) { /* a row's line is its number in the piece: rows may have been dropped */
        arrow_row w = {.t = t, .row = p->chunk.row + p->block.line[i] - 1};
        w.batch = hsp_arrow_batch_of(&t->batches, w.row);
        hsp_csv_view v = view_cell(&w, c, buf);
        if (v.n > 0) hsp_text_add_n(&out->text, v.s, v.n);
        out->start[i + 1] = out->text.length;
    }
    out->cells = rows;
    return out->text.failed ? HSP_EMEMORY : 0;
}
