#include "read/arrow_reader.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "option/options.h"
#include "read/arrow_table.h"
#include "read/mapped.h"

#include <string.h>

struct hsp_reader {
    hsp_arrow_table table;
    int64_t at, rows;
    hsp_text assumed;
};

/* ---- opening ---- */

/* Options that are for files have no effect here. */
static int check_options(const hsp_options *o, const hsp_schema *known, hsp_error **err) {
    static const char *const files[] = {"format", "labels", "cache", "keep-columns"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        bool idle = hsp_options_is(o, files[i], "auto") || hsp_options_is(o, files[i], "no");
        if (hsp_options_is_set(o, files[i]) && !idle)
            return hsp_fail(err, HSP_EUSAGE, "--%s is for files, and this is a table in memory: leave it out",
                            strcmp(files[i], "keep-columns") == 0 ? "keep" : files[i]);
    }
    int status = hsp_reader_check(&hsp_reader_arrow, HSP_ARROW_NAME, o, known, err);
    return status < 0 ? status : hsp_csv_check_known(o, known, err);
}

int hsp_arrow_open(struct ArrowArrayStream *stream, const hsp_options *o, const hsp_schema *known, hsp_options **own,
                   hsp_reading *g, hsp_error **err) {
    hsp_reader *r = hsp_alloc_zero(1, sizeof *r);
    *own = NULL;
    *g = (hsp_reading){.kind = &hsp_reader_arrow, .reader = r, .line = 1};
    if (!r) {
        hsp_arrow_stream_release(stream);
        return hsp_fail_memory(err);
    }
    r->table.csv.file = HSP_ARROW_NAME;
    r->table.csv.form = hsp_reader_arrow.name;
    g->schema = &r->table.csv.schema;
    g->assumed = &r->assumed;
    int status = hsp_arrow_batches_open(&r->table.batches, stream, HSP_ARROW_NAME, err);
    if (status == 0) status = check_options(o, known, err);
    return status == 0 ? hsp_arrow_table_make(&r->table, o, known, own, err) : status;
}

static void close_reader(hsp_reader *r) {
    hsp_arrow_table_clear(&r->table);
    hsp_text_free(&r->assumed);
    hsp_free(r);
}

/* ---- rows ---- */

static int cut(hsp_reader *r, hsp_chunk *chunk, hsp_error **err) {
    (void)err;
    return hsp_chunk_cut_rows(chunk, &r->at, hsp_arrow_rows(&r->table.batches), hsp_block_rows(r->table.csv.schema.d));
}

static void parse(const hsp_reader *r, hsp_parcel *p, int64_t line, hsp_error **err) {
    if (p->fault == HSP_EMEMORY) { /* the rows were lost: it must not succeed now */
        hsp_fail_memory(err);
        return;
    }
    p->lines = p->chunk.rows;
    p->fault = hsp_arrow_read_rows(&r->table, p, line, err);
}

static int take_rows(hsp_reader *r, const hsp_parcel *p, int64_t line, hsp_error **err) {
    (void)line;
    (void)err;
    r->rows += p->block.rows + p->block.dropped;
    return 0;
}

static int finish(hsp_reader *r, hsp_error **err) {
    hsp_text_clear(&r->assumed);
    hsp_csv_describe(&r->table.csv, r->rows, &r->assumed);
    return r->assumed.failed ? hsp_fail_memory(err) : 0;
}

/* It is known from the start whether the rows are a table. */
static int as_table(hsp_reader *r, const bool *kept, hsp_error **err) {
    (void)r;
    (void)kept;
    (void)err;
    return 0;
}

static bool has_side(const hsp_reader *r, hsp_side side) {
    return r->table.csv.layout.side[side] > 0;
}

static int side_cells(const hsp_reader *r, const hsp_parcel *p, hsp_side side, hsp_kept *out) {
    return hsp_arrow_side_cells(&r->table, p, side, out);
}

const hsp_reader_kind hsp_reader_arrow = {
    .name = "arrow",
    .help = "a table in memory, as the Arrow C data interface passes it",
    .suffixes = "",
    .cut = cut,
    .parse = parse,
    .take = take_rows,
    .finish = finish,
    .as_table = as_table,
    .has_side = has_side,
    .side_cells = side_cells,
    .free = close_reader,
};
