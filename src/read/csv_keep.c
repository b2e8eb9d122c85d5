/* --keep: cells of the file that are passed through to the predictions as they are spelt; and the cells of --group and --time.
 * They need not be features, so the records are split once more; rows are found again by their lines. */
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/block.h"
#include "option/column_list.h"
#include "read/csv.h"
#include "read/reader.h"

#include <string.h>

int hsp_csv_keep_find(const hsp_csv_request *q, hsp_csv_keep *out, hsp_error **err) {
    hsp_column_list list = hsp_column_list_of(q->o, "keep-columns", 0);
    list.option = "keep"; /* as the command line calls it */
    hsp_column_entry e;
    int status;
    while ((status = hsp_column_list_next(&list, &e, err)) > 0) {
        int64_t c = hsp_csv_find_column(q, "keep", e.name, e.name_length, err);
        if (c >= 0 && HSP_RESERVE(out->column, out->capacity, out->count + 1)) c = hsp_fail_memory(err);
        if (c < 0) {
            status = (int)c;
            break;
        }
        out->column[out->count++] = c;
    }
    hsp_column_list_free(&list);
    return status;
}

void hsp_csv_keep_name(const hsp_csv_table *t, int64_t k, hsp_text *out) {
    int64_t c = t->keep.column[k];
    const char *name = t->schema.header ? hsp_csv_cells_at(&t->first, c) : "";
    if (*name)
        hsp_text_add(out, name);
    else
        hsp_text_format(out, "x%lld", (long long)(c + 1));
}

/* Appends the cell at p as it is spelt: blanks round it too, unless they separate cells. */
static void keep_cell(const hsp_csv_table *t, const char *p, const char *stop, hsp_text *spare, hsp_kept *out) {
    hsp_csv_view v;
    hsp_text_clear(spare);
    hsp_csv_split(p, stop, t->marks, &v);
    if (v.quoted || t->marks.delimiter == ' ')
        hsp_csv_copy(spare, &v);
    else
        hsp_text_add_n(spare, p, v.next - p);
    if (spare->failed) out->text.failed = true;
    if (HSP_RESERVE(out->start, out->capacity, out->cells + 2)) out->text.failed = true;
    if (out->text.failed) return;
    if (spare->length > 0) hsp_text_add_n(&out->text, spare->s, spare->length);
    out->start[++out->cells] = out->text.length;
}

/* The cells of these columns in the rows of the block. */
static int keep_columns(const hsp_csv_table *t, const hsp_chunk *chunk, int64_t line, const hsp_block *rows,
                        const int64_t *column, int64_t count, hsp_kept *out) {
    hsp_csv_cursor k = hsp_csv_cursor_over(t->file, chunk->begin, chunk->end, line);
    hsp_text spare = {0};
    hsp_text_clear(&out->text);
    out->cells = 0;
    if (HSP_RESERVE(out->start, out->capacity, 1)) return HSP_EMEMORY;
    out->start[0] = 0;
    for (int64_t i = 0; i < rows->rows && !out->text.failed;) {
        int status = hsp_csv_record(&k, t->marks, NULL);
        if (status == 0) break;
        if (status < 0 || k.line != rows->line[i]) continue; /* a row that was left out */
        for (int64_t c = 0; c < count; c++)
            keep_cell(t, hsp_csv_nth(k.begin, k.stop, t->marks, column[c]), k.stop, &spare, out);
        i++;
    }
    hsp_text_free(&spare);
    return out->text.failed ? HSP_EMEMORY : 0;
}

int hsp_csv_keep_cells(const hsp_csv_table *t, const hsp_chunk *chunk, int64_t line, const hsp_block *rows, hsp_kept *out) {
    return keep_columns(t, chunk, line, rows, t->keep.column, t->keep.count, out);
}

int hsp_csv_side_cells(const hsp_csv_table *t, const hsp_chunk *chunk, int64_t line, const hsp_block *rows, hsp_side side,
                       hsp_kept *out) {
    const int64_t column = t->layout.side[side] - 1;
    return keep_columns(t, chunk, line, rows, &column, 1, out);
}
