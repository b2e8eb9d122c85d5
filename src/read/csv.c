/* The CSV reader: determines the columns from the first records, then cuts the file into pieces that threads parse in
 * parallel. */
#include "read/csv.h"

#include "base/memory.h"
#include "base/number_marks.h"
#include "data/bad_rows.h"
#include "data/data.h"
#include "option/options.h"
#include "read/csv_opening.h"
#include "read/raw_file.h"
#include "read/reader.h"
#include "table/rules.h"

#include <string.h>

struct hsp_reader {
    hsp_csv_table table;
    hsp_chunks chunks;
    int64_t lines_before; /* lines before the first row, which were skipped */
    int64_t pieces, rows;
    hsp_text assumed;
};

/* ---- the first records ---- */

static int find_delimiter(const hsp_csv_opening *f, const hsp_options *o, const hsp_schema *known, hsp_csv_marks *m,
                          hsp_error **err) {
    const char *given = hsp_options_text(o, "delimiter"), *bytes;
    if (m->translated) return m->delimiter = ',', 0;
    if (given && strcmp(given, "auto") != 0) {
        m->delimiter = hsp_csv_delimiter(given);
        if (m->delimiter && m->delimiter != m->comment) return 0;
        return hsp_fail(err, HSP_EUSAGE,
                        "--delimiter cannot be '%s': give one character that is neither a letter, a digit, a quote nor "
                        "part of a number, or tab or space",
                        given);
    }
    int64_t n = hsp_stream_peek(f->stream, HSP_CSV_SAMPLE, &bytes, err);
    if (n < 0) return (int)n;
    m->delimiter = hsp_path_ends(hsp_stream_name(f->stream), ".tsv")
                       ? '\t'
                       : hsp_csv_sniff_delimiter(bytes, n, n < HSP_CSV_SAMPLE, *m, known ? known->delimiter : 0);
    return 0;
}

static int find_comment(const hsp_options *o, const hsp_schema *known, char *comment, hsp_error **err) {
    const char *given = hsp_options_text(o, "comment");
    *comment = known ? known->rules.comment : '\0';
    if (!given) return 0;
    unsigned char c = (unsigned char)given[0];
    if (c <= ' ' || given[1] || c >= 0x7f || strchr("\",;|", c))
        return hsp_fail(err, HSP_EUSAGE, "--comment cannot be '%s': give one character, such as '#'", given);
    *comment = given[0];
    return 0;
}

/* How numbers are written: by the options, else as in the training file. Those of a translation are plain. */
static int find_marks(const hsp_options *o, const hsp_schema *known, bool translated, hsp_csv_rules *r, hsp_error **err) {
    const char *decimal = hsp_options_text(o, "decimal"), *thousands = hsp_options_text(o, "thousands");
    if (known && !translated) r->marks = known->rules.marks;
    if (known) r->target_sign = known->rules.target_sign;
    if (hsp_options_is_set(o, "decimal")) r->marks.decimal = decimal[0] == ',' ? ',' : '\0';
    if (hsp_options_is_set(o, "thousands"))
        r->marks.thousands = strcmp(thousands, "none") == 0 ? '\0' : strcmp(thousands, "space") == 0 ? ' ' : thousands[0];
    r->numeric_target = (known ? known->rules.numeric_target : hsp_options_is(o, "task", "regression")) &&
                        !hsp_number_marks_plain(r->marks);
    if (r->marks.thousands != (r->marks.decimal ? r->marks.decimal : '.')) return 0;
    return hsp_fail(err, HSP_EUSAGE, "--decimal and --thousands are both '%c': give two characters", r->marks.thousands);
}

/* Whether the first record is not a row of the model's file, so that its skipped lines are skipped here too: 0, 1 or a
 * negative status. */
static int lacks_columns(hsp_csv_opening *f, const hsp_schema *known, hsp_csv_marks m, hsp_error **err) {
    hsp_csv_cells first = {0};
    m.delimiter = known->delimiter;
    int status = hsp_csv_opening_seek(f, 1, m, err);
    if (status > 0) status = hsp_csv_cells_read(&first, &f->cursor, m, err);
    if (status == 0) status = known->header ? hsp_csv_header_matches(&first, known, err) : first.count >= known->d;
    hsp_csv_cells_clear(&first);
    return status < 0 ? status : !status;
}

/* Skips the lines before the first record: --skip-lines, or as many as in the training file if they are there. */
static int skip_lines(hsp_csv_opening *f, const hsp_options *o, const hsp_schema *known, hsp_csv_marks m, int64_t *lines,
                      hsp_error **err) {
    *lines = hsp_options_int(o, "skip-lines", 0);
    if (!hsp_options_is_set(o, "skip-lines") && known && known->rules.skip_lines > 0) {
        int status = lacks_columns(f, known, m, err);
        if (status < 0) return status;
        *lines = status > 0 ? known->rules.skip_lines : 0;
    }
    return hsp_csv_opening_skip_lines(f, *lines, err);
}

/* Skips a title, unless the options say what the first line is. */
static int skip_title(hsp_csv_table *t, hsp_csv_opening *f, const hsp_options *o, const hsp_schema *known,
                      hsp_error **err) {
    bool told = t->marks.translated || hsp_options_is_set(o, "skip-lines") || !hsp_options_is(o, "header", "auto");
    if (told || (known && known->d == 1)) return 0;
    int64_t lines = hsp_csv_opening_skip_title(f, t->marks, &t->before.note, err);
    t->before.title = lines > 0 ? lines : 0;
    return lines < 0 ? (int)lines : 0;
}

/* Whether the first record is a header: 0, 1 or a negative status. */
static int find_header(const hsp_csv_table *t, hsp_csv_opening *f, const hsp_options *o, const hsp_schema *known,
                       hsp_error **err) {
    if (t->marks.translated) return 1;
    if (!hsp_options_is(o, "header", "auto")) return hsp_options_is(o, "header", "yes");
    const hsp_csv_cells *first = &t->first;
    int status = known ? hsp_csv_header_matches(first, known, err) : 0;
    if (status != 0) return status;
    if (!known && hsp_csv_named(first, o)) return 1;
    hsp_csv_cells second = {0};
    status = hsp_csv_opening_seek(f, 2, t->marks, err);
    if (status > 0) status = hsp_csv_cells_read(&second, &f->cursor, t->marks, err);
    if (status == 0) status = hsp_csv_sniff_header(first, &second);
    hsp_csv_cells_clear(&second);
    if (status != 0) return status;
    hsp_csv_cursor rows = hsp_csv_cursor_over(t->file, f->bytes, f->cursor.end, f->lines + 1);
    hsp_csv_record(&rows, t->marks, NULL);
    return hsp_csv_numbered_header(first, &rows, t->marks, err);
}

static int skip_header(hsp_reader *r, hsp_csv_opening *f, hsp_error **err) {
    int status = hsp_csv_opening_seek(f, 1, r->table.marks, err);
    return status < 0 ? status : hsp_csv_opening_skip_records(f, err);
}

int hsp_csv_check_known(const hsp_options *o, const hsp_schema *known, hsp_error **err) {
    if (known && !known->table && hsp_options_text(o, "missing-values"))
        return hsp_fail(err, HSP_EUSAGE,
                        "--missing-values has no effect, as the model was trained without --missing: train it with "
                        "--missing mean, or leave this option out");
    if (known && !known->table && hsp_options_text(o, "numeric-levels"))
        return hsp_fail(err, HSP_EUSAGE,
                        "--numeric-levels has no effect, as the model has no categorical columns: leave it out");
    return 0;
}

/* Determines whether the file is a table, whose cells may be words or missing: by the model, the options or the first rows. */
static int find_words(hsp_reader *r, const hsp_csv_opening *f, const hsp_options *o, const hsp_schema *known,
                      hsp_error **err) {
    hsp_csv_table *t = &r->table;
    int status = hsp_csv_check_known(o, known, err);
    if (status < 0 || (known && !known->table)) return status;
    hsp_csv_cursor k = hsp_csv_cursor_over(t->file, f->bytes, f->cursor.end, f->lines + 1);
    if (t->schema.header) hsp_csv_record(&k, t->marks, NULL);
    int found = hsp_csv_table_find_words(t, &k);
    if (found < 0) return hsp_fail_memory(err);
    k = hsp_csv_cursor_over(t->file, f->bytes, f->cursor.end, f->lines + 1);
    if (t->schema.header) hsp_csv_record(&k, t->marks, NULL);
    t->schema.table = found > 0 || t->schema.missing || (known ? known->table : hsp_table_rules_asked(o) != NULL);
    return hsp_csv_find_signs(t, &k, known, err);
}

/* Skips the lines before the table, determines delimiter and quotes, and reads the first record. Whether it is a header: 0, 1
 * or a negative status. */
static int open_records(hsp_csv_table *t, hsp_csv_opening *f, const hsp_options *o, const hsp_schema *known,
                        hsp_error **err) {
    t->file = hsp_stream_name(f->stream);
    t->marks.translated = hsp_stream_translated(f->stream);
    int status = t->marks.translated ? 0 : find_comment(o, known, &t->marks.comment, err);
    if (status == 0) status = hsp_chunks_open(f->chunks, f->stream, hsp_csv_ends, &t->marks, err);
    if (status == 0 && !t->marks.translated) status = skip_lines(f, o, known, t->marks, &t->before.skipped, err);
    if (status == 0) status = find_delimiter(f, o, known, &t->marks, err);
    /* Quotes as in the training file: prediction is a stream and cannot read the file again. */
    bool like_known = hsp_options_is(o, "quotes", "auto") && known && known->unquoted && t->marks.delimiter == '\t';
    bool unquoted = !t->marks.translated && (hsp_options_is(o, "quotes", "no") || like_known);
    t->marks.quote = unquoted ? '\0' : '"';
    if (status == 0) status = skip_title(t, f, o, known, err);
    if (status < 0) return status;
    status = hsp_csv_opening_seek(f, 1, t->marks, err);
    if (status == 0) return hsp_fail_file(err, t->file, "no rows, every line is blank: give a file with data");
    if (status > 0) status = hsp_csv_cells_read(&t->first, &f->cursor, t->marks, err);
    return status < 0 ? status : find_header(t, f, o, known, err);
}

int hsp_csv_table_columns(hsp_csv_table *t, bool header, const hsp_options *o, const hsp_schema *known, hsp_error **err) {
    t->for_model = known != NULL;
    t->by_position = hsp_schema_is_svmlight(known);
    int64_t unused = t->by_position ? known->weight_column - 1 - known->base : -1;
    t->unused = unused < 0 || unused >= known->d ? -1 : unused;
    t->regression = hsp_options_is(o, "task", "regression");
    t->drops = !known && hsp_options_is(o, "missing", "drop");
    bool failed = hsp_options_text(o, "map-label") && !(t->mapped = hsp_strdup(hsp_options_text(o, "map-label")));
    const hsp_csv_request q = {&t->first, header, t->marks.delimiter, o, known, t->file, false};
    int status = failed ? hsp_fail_memory(err) : hsp_csv_layout_make(&q, &t->layout, &t->schema, err);
    if (status == 0) status = hsp_csv_keep_find(&q, &t->keep, err);
    t->schema.unquoted = !t->marks.quote;
    if (status == 0) status = hsp_csv_missing_make(&q, &t->layout, &t->missing, &t->schema.missing, err);
    t->schema.rules.comment = t->marks.comment;
    t->schema.rules.skip_lines = t->before.skipped;
    if (status == 0) status = find_marks(o, known, t->marks.translated, &t->schema.rules, err);
    t->marked = !hsp_number_marks_plain(t->schema.rules.marks);
    return status;
}

/* Determines the columns and leaves the stream at the first row. */
static int open_table(hsp_reader *r, hsp_stream *stream, const hsp_options *o, const hsp_schema *known, hsp_error **err) {
    hsp_csv_table *t = &r->table;
    hsp_csv_opening f = hsp_csv_opening_of(stream, &r->chunks);
    int status = open_records(t, &f, o, known, err);
    if (status < 0) {
        hsp_csv_opening_clear(&f);
        return status;
    }
    bool header = status > 0;
    status = hsp_csv_table_columns(t, header, o, known, err);
    if (status == 0) status = find_words(r, &f, o, known, err);
    if (status == 0 && header) status = skip_header(r, &f, err);
    r->lines_before = t->marks.translated ? 0 : f.lines; /* its header is no line of the file */
    hsp_csv_opening_clear(&f);
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
    hsp_csv_opening f = hsp_csv_opening_of(raw->stream, &raw->chunks);
    int status = open_records(t, &f, raw->options, NULL, err);
    bool header = status > 0;
    if (status >= 0) status = find_roles(t, raw->options, header, err);
    if (status == 0 && header) status = hsp_csv_opening_seek(&f, 1, t->marks, err);
    if (status >= 0 && header) status = hsp_csv_opening_skip_records(&f, err);
    if (status >= 0 && raw->chunks.marked) hsp_text_add(&raw->head, "\xef\xbb\xbf");
    if (status >= 0) hsp_text_add_n(&raw->head, f.head.s, f.head.length);
    raw->head_lines = t->marks.translated ? 0 : f.lines;
    hsp_csv_opening_clear(&f);
    return status < 0 ? status : 0;
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
    hsp_csv_describe_form(&raw->table, t);
    if (raw->table.schema.target_column > 0) hsp_csv_describe_target(&raw->table, t);
    hsp_csv_describe_weights(&raw->table.schema, t);
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
    g->note = &r->table.before.note;
    return open_table(r, stream, o, known, err);
}

static int cut(hsp_reader *r, hsp_chunk *chunk, hsp_error **err) {
    int status = hsp_chunks_next(&r->chunks, chunk, err);
    chunk->row = r->pieces++; /* parse adds lines_before to the first */
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
    return chunk->row == 0 ? line + r->lines_before : line;
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

static int seek(hsp_reader *r, int64_t from, int64_t to, hsp_error **err) {
    r->pieces = 1; /* the lines before are counted */
    return hsp_chunks_seek(&r->chunks, from, to, err);
}

static int64_t place(const hsp_reader *r, const hsp_parcel *p, int64_t i) {
    return hsp_chunk_place(&p->chunk, p->block.line[i] - first_line(r, &p->chunk, 1));
}

static int finish(hsp_reader *r, hsp_error **err) {
    hsp_text_clear(&r->assumed);
    hsp_csv_describe(&r->table, r->rows, &r->assumed);
    return r->assumed.failed ? hsp_fail_memory(err) : 0;
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

static bool has_side(const hsp_reader *r, hsp_side side) {
    return r->table.layout.side[side] > 0;
}

static int side_cells(const hsp_reader *r, const hsp_parcel *p, hsp_side side, hsp_kept *out) {
    return hsp_csv_side_cells(&r->table, &p->chunk, first_line(r, &p->chunk, 1), &p->block, side, out);
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
    .seek = seek,
    .place = place,
    .raw = &hsp_raw_csv,
    .keep_columns = keep_columns,
    .keep_name = keep_name,
    .keep_cells = keep_cells,
    .has_side = has_side,
    .side_cells = side_cells,
    .free = close_reader,
};
