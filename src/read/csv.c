/* The CSV reader: determines the columns from the first records, then cuts the file into pieces that threads parse in
 * parallel. */
#include "read/csv.h"

#include "base/clock.h"
#include "base/memory.h"
#include "data/bad_rows.h"
#include "data/data.h"
#include "option/options.h"
#include "read/raw_file.h"
#include "read/reader.h"
#include "table/rules.h"

#include <string.h>

#define SAMPLE 65536

struct hsp_reader {
    hsp_csv_table table;
    hsp_chunks chunks;
    int64_t header_lines; /* lines before the first row, which were skipped */
    int64_t pieces, rows;
    hsp_text assumed;
    bool by_position; /* the model's columns are ids of svmlight */
};

/* ---- what was assumed ---- */

/* How the cells are written in the file. */
static void describe_form(const hsp_csv_table *table, hsp_text *t) {
    const hsp_schema *s = &table->schema;
    hsp_text_add(t, "csv, ");
    hsp_text_add(t, s->delimiter == ','   ? "comma"
                    : s->delimiter == ';' ? "semicolon"
                    : s->delimiter == ' ' ? "space"
                                          : "tab");
    hsp_text_add(t, s->header ? ", header" : ", no header");
    if (!table->marks.quote) hsp_text_add(t, ", quotes read literally");
}

static void describe_target(const hsp_csv_table *table, hsp_text *t) {
    const hsp_schema *s = &table->schema;
    char piece[HSP_EXCERPT];
    if (s->target_column == 0)
        hsp_text_add(t, ", no target");
    else if (s->target)
        hsp_text_format(t, ", target '%s' (%s)", hsp_excerpt(piece, s->target, (int64_t)strlen(s->target)),
                        table->layout.reason);
    else
        hsp_text_format(t, ", target column %lld (%s)", (long long)s->target_column, table->layout.reason);
}

static void describe_weights(const hsp_schema *s, hsp_text *t) {
    char piece[HSP_EXCERPT];
    if (s->weight)
        hsp_text_format(t, ", weights '%s'", hsp_excerpt(piece, s->weight, (int64_t)strlen(s->weight)));
    else if (s->weight_column > 0)
        hsp_text_format(t, ", weights in column %lld", (long long)s->weight_column);
}

static int finish(hsp_reader *r, hsp_error **err) {
    hsp_text *t = &r->assumed;
    const hsp_schema *s = &r->table.schema;
    const hsp_csv_layout *layout = &r->table.layout;
    hsp_text_clear(t);
    describe_form(&r->table, t);
    if (layout->matched) hsp_text_add(t, ", columns matched by name");
    if (r->by_position) hsp_text_add(t, ", columns matched to the model's ids by position");
    describe_target(&r->table, t);
    describe_weights(s, t);
    hsp_text_format(t, ", %lld %s%s", (long long)s->d, s->table ? "column" : "feature", s->d == 1 ? "" : "s");
    int64_t ignored = layout->ignored, extra = layout->extra;
    if (ignored > 0) hsp_text_format(t, ", %lld column%s ignored", (long long)ignored, ignored == 1 ? "" : "s");
    if (extra > 0) hsp_text_format(t, ", %lld other column%s ignored", (long long)extra, extra == 1 ? "" : "s");
    int64_t absent = hsp_schema_absent(s);
    if (absent > 0) hsp_text_format(t, ", %lld column%s of the model missing", (long long)absent, absent == 1 ? "" : "s");
    hsp_text_format(t, ", %lld row%s", (long long)r->rows, r->rows == 1 ? "" : "s");
    return t->failed ? hsp_fail_memory(err) : 0;
}

/* ---- the first records ---- */

/* The first bytes of a file, peeked at. */
typedef struct opening {
    hsp_stream *stream;
    hsp_csv_cursor cursor;
    const char *bytes;
    int64_t wanted, size;
    bool over; /* they are the whole file */
} opening;

static int find_delimiter(hsp_stream *stream, const hsp_options *o, char *delimiter, hsp_error **err) {
    const char *given = hsp_options_text(o, "delimiter");
    if (given && strcmp(given, "auto") != 0) {
        *delimiter = strcmp(given, "tab") == 0 ? '\t' : strcmp(given, "space") == 0 ? ' ' : given[0];
        return 0;
    }
    const char *bytes;
    int64_t n = hsp_stream_peek(stream, SAMPLE, &bytes, err);
    if (n < 0) return (int)n;
    *delimiter = hsp_path_ends(hsp_stream_name(stream), ".tsv") ? '\t' : hsp_csv_sniff_delimiter(bytes, n, n < SAMPLE);
    return 0;
}

/* Peeks at more bytes. A slow pipe may give fewer than are to come. */
static int peek_further(opening *f, hsp_error **err) {
    const char *file = hsp_stream_name(f->stream);
    if (f->size == HSP_RECORD_LIMIT)
        return hsp_fail_at(err, HSP_EINPUT, (hsp_place){file, f->cursor.next_line, 1},
                           "a line is longer than 1 GiB: check that this is a text file");
    if (f->size == f->wanted) f->wanted = f->wanted > HSP_RECORD_LIMIT / 4 ? HSP_RECORD_LIMIT : 4 * f->wanted;
    int64_t before = f->size;
    bool ready = hsp_stream_ready(f->stream);
    int64_t got = hsp_stream_peek(f->stream, f->wanted, &f->bytes, err);
    if (got < 0) return (int)got;
    if (!f->bytes) f->bytes = "";
    if (hsp_cancel_take()) return hsp_fail(err, HSP_ECANCELLED, "cancelled while reading %s", file);
    f->size = got;
    f->over = ready && got == before && got < f->wanted;
    return 0;
}

/* Moves the cursor to record n (from 1): 1, or 0 when there are fewer, or a negative status. */
static int seek_record(opening *f, int n, hsp_csv_marks m, hsp_error **err) {
    for (;;) {
        const char *end = f->bytes + f->size, *whole = f->over ? end : f->bytes, *next;
        while (whole < end && (next = hsp_csv_ends(whole, end, false, &m))) whole = next;
        f->cursor = hsp_csv_cursor_over(hsp_stream_name(f->stream), f->bytes, whole, 1);
        int status = 1;
        for (int i = 0; i < n && status > 0; i++) status = hsp_csv_record(&f->cursor, m, err);
        if (status != 0 || f->over) return status;
        status = peek_further(f, err);
        if (status < 0) return status;
    }
}

/* Whether the first record is a header: 0, 1 or a negative status. */
static int find_header(const hsp_csv_table *t, opening *f, const hsp_options *o, const hsp_schema *known, hsp_error **err) {
    if (!hsp_options_is(o, "header", "auto")) return hsp_options_is(o, "header", "yes");
    const hsp_csv_cells *first = &t->first;
    int status = known ? hsp_csv_header_matches(first, known, err) : 0;
    if (status != 0) return status;
    if (!known && hsp_csv_named(first, o)) return 1;
    hsp_csv_cells second = {0};
    status = seek_record(f, 2, t->marks, err);
    if (status > 0) status = hsp_csv_cells_read(&second, &f->cursor, t->marks, err);
    if (status == 0) status = hsp_csv_sniff_header(first, &second);
    hsp_csv_cells_clear(&second);
    return status;
}

static int skip_header(hsp_reader *r, opening *f, hsp_error **err) {
    int status = seek_record(f, 1, r->table.marks, err);
    if (status < 0) return status;
    r->header_lines = f->cursor.next_line - 1;
    return hsp_chunks_skip(&r->chunks, f->cursor.next - f->bytes, err);
}

/* Determines whether the file is a table, whose cells may be words or missing: by the model, the options or the first rows. */
static int find_words(hsp_reader *r, const opening *f, const hsp_options *o, const hsp_schema *known, hsp_error **err) {
    hsp_csv_table *t = &r->table;
    if (known && !known->table && hsp_options_text(o, "missing-values"))
        return hsp_fail(err, HSP_EUSAGE,
                        "--missing-values has no effect, as the model was trained without --missing: train it with "
                        "--missing mean, or leave this option out");
    if (known && !known->table && hsp_options_text(o, "numeric-levels"))
        return hsp_fail(err, HSP_EUSAGE,
                        "--numeric-levels has no effect, as the model has no categorical columns: leave it out");
    if (known && !known->table) return 0;
    hsp_csv_cursor k = hsp_csv_cursor_over(t->file, f->bytes, f->cursor.end, 1);
    if (t->schema.header) hsp_csv_record(&k, t->marks, NULL);
    int found = hsp_csv_table_find_words(t, &k);
    if (found < 0) return hsp_fail_memory(err);
    t->schema.table = found > 0 || t->schema.missing || (known ? known->table : hsp_table_rules_asked(o) != NULL);
    return 0;
}

/* Determines delimiter and quotes, and reads the first record. Whether it is a header: 0, 1 or a negative status. */
static int open_records(hsp_csv_table *t, hsp_chunks *chunks, opening *f, const hsp_options *o, const hsp_schema *known,
                        hsp_error **err) {
    t->file = hsp_stream_name(f->stream);
    int status = find_delimiter(f->stream, o, &t->marks.delimiter, err);
    /* Quotes as in the training file: prediction is a stream and cannot read the file again. */
    bool like_known = hsp_options_is(o, "quotes", "auto") && known && known->unquoted && t->marks.delimiter == '\t';
    t->marks.quote = hsp_options_is(o, "quotes", "no") || like_known ? '\0' : '"';
    if (status == 0) status = hsp_chunks_open(chunks, f->stream, hsp_csv_ends, &t->marks, err);
    if (status < 0) return status;
    status = seek_record(f, 1, t->marks, err);
    if (status == 0) return hsp_fail_file(err, t->file, "no rows, every line is blank: give a file with data");
    if (status > 0) status = hsp_csv_cells_read(&t->first, &f->cursor, t->marks, err);
    return status < 0 ? status : find_header(t, f, o, known, err);
}

/* Determines the columns and leaves the stream at the first row. */
static int open_table(hsp_reader *r, hsp_stream *stream, const hsp_options *o, const hsp_schema *known, hsp_error **err) {
    hsp_csv_table *t = &r->table;
    opening f = {.stream = stream, .bytes = "", .wanted = SAMPLE};
    int status = open_records(t, &r->chunks, &f, o, known, err);
    if (status < 0) return status;
    bool header = status > 0;
    t->regression = hsp_options_is(o, "task", "regression");
    t->drops = !known && hsp_options_is(o, "missing", "drop");
    if (hsp_options_text(o, "map-label") && !(t->mapped = hsp_strdup(hsp_options_text(o, "map-label"))))
        return hsp_fail_memory(err);
    const hsp_csv_request q = {&t->first, header, t->marks.delimiter, o, known, t->file, false};
    status = hsp_csv_layout_make(&q, &t->layout, &t->schema, err);
    if (status == 0) status = hsp_csv_keep_find(&q, &t->keep, err);
    t->schema.unquoted = !t->marks.quote;
    if (status == 0) status = hsp_csv_missing_make(&q, &t->layout, &t->missing, &t->schema.missing, err);
    if (status == 0) status = find_words(r, &f, o, known, err);
    if (status == 0 && header) status = skip_header(r, &f, err);
    if (status < 0) return status;
    return hsp_csv_table_plan(t) ? hsp_fail_memory(err) : 0;
}

/* ---- rows that are copied ---- */

/* Assigns the roles of the columns. Without an option that needs them, a header in which they cannot be found is accepted. */
static int find_roles(hsp_csv_table *t, const hsp_options *o, bool header, hsp_error **err) {
    const hsp_csv_request q = {&t->first, header, t->marks.delimiter, o, NULL, t->file, true};
    bool needed = hsp_options_flag(o, "stratify") || hsp_options_text(o, "target") || hsp_options_text(o, "weight") ||
                  hsp_options_text(o, "ignore") || hsp_options_text(o, "map-label");
    int status = hsp_csv_layout_make(&q, &t->layout, &t->schema, needed ? err : NULL);
    if (status == 0 || needed || status == HSP_EMEMORY) return status == HSP_EMEMORY ? hsp_fail_memory(err) : status;
    hsp_csv_layout_clear(&t->layout);
    hsp_schema_clear(&t->schema);
    t->layout.columns = t->first.count;
    t->schema.header = header;
    t->schema.delimiter = t->marks.delimiter;
    return 0;
}

static int open_raw(hsp_raw_file *raw, hsp_error **err) {
    hsp_csv_table *t = &raw->table;
    opening f = {.stream = raw->stream, .bytes = "", .wanted = SAMPLE};
    int status = open_records(t, &raw->chunks, &f, raw->options, NULL, err);
    if (status < 0) return status;
    bool header = status > 0;
    status = find_roles(t, raw->options, header, err);
    if (status < 0) return status;
    if (raw->chunks.marked) hsp_text_add(&raw->head, "\xef\xbb\xbf");
    if (!header) return 0;
    status = seek_record(&f, 1, t->marks, err);
    if (status < 0) return status;
    hsp_text_add_n(&raw->head, f.cursor.begin, f.cursor.next - f.cursor.begin);
    raw->head_lines = f.cursor.next_line - 1;
    return hsp_chunks_skip(&raw->chunks, f.cursor.next - f.bytes, err);
}

/* Whether the label is blank or spelt like a missing value. */
static bool lacks_label(const hsp_csv_view *v) {
    const char *s = v->s;
    int64_t n = v->n;
    hsp_label_trim(&s, &n);
    return hsp_csv_is_missing(s, n);
}

/* Counts the cells, and finds the label on the way. */
static int take_raw(hsp_raw_file *raw, hsp_raw_row *row, hsp_error **err) {
    const hsp_csv_table *t = &raw->table;
    const char delimiter = t->marks.delimiter, *p = hsp_csv_first(row->begin, row->stop, delimiter);
    int64_t c = 0, target = t->schema.target_column - 1, weight = t->schema.weight_column - 1;
    int64_t last = !raw->checked ? INT64_MAX : (target > weight ? target : weight) + 1;
    for (; p && c < last; c++) {
        hsp_csv_view v;
        if (hsp_csv_split(p, row->stop, t->marks, &v) < 0) return hsp_csv_check_form(t, &raw->cursor, err);
        if (c == target) row->label = v;
        if (c == weight) row->weight = v;
        p = hsp_csv_after(v.next, row->stop, delimiter);
    }
    row->unlabelled = !row->label.s || lacks_label(&row->label);
    return raw->checked || c == t->layout.columns ? 1 : hsp_csv_check_form(t, &raw->cursor, err);
}

static void describe_raw(const hsp_raw_file *raw, hsp_text *t) {
    int64_t columns = raw->table.layout.columns, ignored = raw->table.layout.ignored;
    describe_form(&raw->table, t);
    if (raw->table.schema.target_column > 0) describe_target(&raw->table, t);
    describe_weights(&raw->table.schema, t);
    hsp_text_format(t, ", %lld column%s", (long long)columns, columns == 1 ? "" : "s");
    if (ignored > 0) hsp_text_format(t, ", %lld column%s left out", (long long)ignored, ignored == 1 ? "" : "s");
}

const hsp_raw_kind hsp_raw_csv = {open_raw, take_raw, describe_raw};

/* ---- the reader ---- */

static void close_reader(hsp_reader *r) {
    hsp_chunks_close(&r->chunks);
    hsp_csv_table_clear(&r->table);
    hsp_text_free(&r->assumed);
    hsp_free(r);
}

static int open_reader(hsp_stream *stream, const hsp_options *o, const hsp_schema *known, hsp_reading *g, hsp_error **err) {
    hsp_reader *r = g->reader = hsp_alloc_zero(1, sizeof *r);
    if (!r) return hsp_fail_memory(err);
    g->schema = &r->table.schema;
    g->assumed = &r->assumed;
    r->table.for_model = known != NULL;
    r->by_position = hsp_schema_is_svmlight(known);
    int64_t unused = r->by_position ? known->weight_column - 1 - known->base : -1;
    r->table.unused = unused < 0 || unused >= known->d ? -1 : unused;
    return open_table(r, stream, o, known, err);
}

static int cut(hsp_reader *r, hsp_chunk *chunk, hsp_error **err) {
    int status = hsp_chunks_next(&r->chunks, chunk, err);
    chunk->row = r->pieces++; /* parse adds header_lines to the first */
    return status;
}

/* Parses rows up to the end or to a fault. If bad rows are collected, faulty ones are left out. */
static int read_rows(const hsp_reader *r, hsp_parcel *p, hsp_csv_cursor *k, hsp_error **err) {
    if (!p->bad) return hsp_csv_read_rows(&r->table, k, &p->block, &p->text, err);
    for (;;) {
        hsp_error *fault = NULL;
        int status = hsp_csv_read_rows(&r->table, k, &p->block, &p->text, &fault);
        if (status != HSP_EINPUT) {
            if (fault) hsp_error_pass(err, fault);
            return status;
        }
        if (p->block.table) p->block.word_count = p->block.word_row[p->block.rows]; /* its words were added already */
        if (hsp_bad_rows_add(p->bad, fault)) return hsp_fail_memory(err);
    }
}

/* The line of the first byte after the header, if the chunk has it, when the chunk begins on `line`. */
static int64_t first_line(const hsp_reader *r, const hsp_chunk *chunk, int64_t line) {
    return chunk->row == 0 ? line + r->header_lines : line;
}

static void parse(const hsp_reader *r, hsp_parcel *p, int64_t line, hsp_error **err) {
    if (p->fault == HSP_EMEMORY) { /* the rows were lost: it must not succeed now */
        hsp_fail_memory(err);
        return;
    }
    const hsp_chunk *chunk = &p->chunk;
    hsp_csv_cursor k = hsp_csv_cursor_over(r->table.file, chunk->begin, chunk->end, first_line(r, chunk, line));
    p->fault = hsp_csv_begin_rows(&r->table, &p->block, chunk->end - chunk->begin) ? hsp_fail_memory(err) : 0;
    if (p->fault == 0) p->fault = read_rows(r, p, &k, err);
    p->word_column = p->fault < 0 ? k.word_column : 0;
    /* In files with tabs quotes are often plain characters. */
    p->quote_met = p->fault < 0 && (r->table.marks.delimiter == '\t' && r->table.marks.quote &&
                                    memchr(k.begin, r->table.marks.quote, (size_t)(k.end - k.begin)));
    p->lines = k.next_line - line;
}

static int take_rows(hsp_reader *r, const hsp_parcel *p, int64_t line, hsp_error **err) {
    (void)line;
    (void)err;
    r->rows += p->block.rows + p->block.dropped;
    return 0;
}

static int64_t keep_columns(const hsp_reader *r) {
    return r->table.keep.count;
}

static void keep_name(const hsp_reader *r, int64_t k, hsp_text *out) {
    hsp_csv_keep_name(&r->table, k, out);
}

static int keep_cells(const hsp_reader *r, const hsp_parcel *p, const hsp_block *rows, hsp_kept *out) {
    return hsp_csv_keep_cells(&r->table, &p->chunk, first_line(r, &p->chunk, 1), rows, out);
}

static int as_table(hsp_reader *r, const bool *kept, hsp_error **err) {
    return hsp_csv_table_keep(&r->table, kept) ? hsp_fail_memory(err) : 0;
}

const hsp_reader_kind hsp_reader_csv = {
    .name = "csv",
    .help = "cells between commas, semicolons, tabs or spaces, quoted as in RFC 4180, with or without a header",
    .suffixes = ".csv .tsv",
    .open = open_reader,
    .cut = cut,
    .parse = parse,
    .take = take_rows,
    .finish = finish,
    .as_table = as_table,
    .raw = &hsp_raw_csv,
    .keep_columns = keep_columns,
    .keep_name = keep_name,
    .keep_cells = keep_cells,
    .free = close_reader,
};
