/* CSV rows. The common cell, an unquoted number, is parsed where it lies and needs no copy; everything else, mistakes
 * included, goes the long way round. */
#include "read/csv.h"
#include "base/memory.h"
#include "base/number.h"
#include "read/reader.h"

#include <math.h>
#include <string.h>

#define SAMPLE 65536

struct hsp_reader {
    hsp_lines lines;
    hsp_schema schema;
    hsp_csv_layout layout;
    hsp_csv_cells first; /* the first record */
    hsp_text label;      /* the current label, when it has "" */
    int64_t label_column;
    hsp_text assumed;
    double weight; /* of the current row */
    int64_t rows;
    int64_t unused;   /* the model's feature that held weights in training, so it is 0 here; -1: none */
    bool by_position; /* the model knows its columns as ids */
    bool for_model;   /* rows to predict need no labels: an empty cell is no error here */
    bool done;
};

/* ---- what is wrong with a row ---- */

/* "column 'age'", or "column 3" without a header, into t. */
static void say_column(const hsp_reader *r, int64_t c, hsp_text *t) {
    char piece[HSP_EXCERPT];
    const char *name = r->schema.header ? hsp_csv_cells_at(&r->first, c) : "";
    if (*name)
        hsp_text_format(t, "column '%s'", hsp_excerpt(piece, name, (int64_t)strlen(name)));
    else
        hsp_text_format(t, "column %lld", (long long)(c + 1));
}

/* The option that leaves a column out, as the user would type it. */
static void say_ignore(const hsp_reader *r, int64_t c, hsp_text *t) {
    const char *name = r->schema.header ? hsp_csv_cells_at(&r->first, c) : "";
    bool plain = *name && strlen(name) <= 40 && !strpbrk(name, " ,'\"$\\`");
    if (plain)
        hsp_text_format(t, "--ignore %s", name);
    else
        hsp_text_format(t, "--ignore %lld", (long long)(c + 1));
}

/* Where the target was a guess, the column of words may well be it. */
static void say_guess(const hsp_reader *r, hsp_text *t) {
    const char *reason = r->layout.reason ? r->layout.reason : "";
    bool by_letter = strcmp(reason, "by name") == 0 && r->schema.target && strlen(r->schema.target) == 1;
    if (r->schema.target_column == 0 || !(by_letter || strcmp(reason, "the last") == 0)) return;
    hsp_text_add(t, " (the target was taken to be ");
    say_column(r, r->schema.target_column - 1, t);
    hsp_text_add(t, "; --target names another)");
}

static bool has_decimal_comma(const hsp_csv_view *v) {
    const char *comma = memchr(v->s, ',', (size_t)v->n);
    double x;
    return comma && hsp_csv_is_number(v->s, comma - v->s, &x) &&
           hsp_csv_is_number(comma + 1, v->n - (comma + 1 - v->s), &x);
}

/* Fails at the cell with this text, which is freed. */
static int fail_with(const hsp_reader *r, const hsp_csv_view *v, hsp_text *t, hsp_error **err) {
    int status = t->failed ? hsp_fail_memory(err)
                           : hsp_fail_at(err, HSP_EINPUT, hsp_lines_place(&r->lines, v->s - v->quoted), "%s", t->s);
    hsp_text_free(t);
    return status;
}

/* The cell of a feature is not a finite number: says why. */
static int fail_cell(const hsp_reader *r, const hsp_csv_view *v, int64_t c, hsp_error **err) {
    hsp_text t = {0};
    char piece[HSP_EXCERPT];
    double x;
    hsp_excerpt(piece, v->s, v->n);
    say_column(r, c, &t);
    const char *word = v->s + (v->n > 0 && (*v->s == '-' || *v->s == '+'));
    if (hsp_csv_is_missing(v->s, v->n)) {
        hsp_text_add(&t, " is missing a value: fill it in or remove the row");
    } else if (hsp_csv_is_number(v->s, v->n, &x)) {
        hsp_text_format(&t, " holds %s, too large for a double: scale the column down", piece);
    } else if (v->s + v->n - word >= 3 && v->s + v->n - word <= 8 && hsp_text_same_letters(word, "inf", 3)) {
        hsp_text_format(&t, " holds '%s', which is not finite: give a number or remove the row", piece);
    } else if (has_decimal_comma(v)) {
        hsp_text_format(&t, " holds '%s': decimals take a point, not a comma", piece);
    } else {
        hsp_text_format(&t, " holds '%s', which is not a number: ", piece);
        if (!r->schema.header && r->lines.line == r->first.line)
            hsp_text_add(&t, "give --header yes if this line holds names; else ");
        hsp_text_add(&t, "leave it out with ");
        say_ignore(r, c, &t);
        hsp_text_add(&t, ", or encode it as numbers");
        say_guess(r, &t);
    }
    return fail_with(r, v, &t, err);
}

static int fail_label(const hsp_reader *r, const hsp_csv_view *v, int64_t c, hsp_error **err) {
    hsp_text t = {0};
    hsp_text_add(&t, "the label is missing in ");
    say_column(r, c, &t);
    hsp_text_add(&t, ": fill it in or remove the row");
    return fail_with(r, v, &t, err);
}

/* The cell of a weight is none: says why. */
static int fail_weight(const hsp_reader *r, const hsp_csv_view *v, int64_t c, hsp_error **err) {
    hsp_text t = {0};
    char piece[HSP_EXCERPT];
    double x;
    hsp_excerpt(piece, v->s, v->n);
    bool missing = hsp_csv_is_missing(v->s, v->n);
    if (missing) hsp_text_add(&t, "the weight is missing in ");
    say_column(r, c, &t);
    if (missing)
        hsp_text_add(&t, ": fill it in or remove the row");
    else if (hsp_csv_is_number(v->s, v->n, &x) && isfinite(x))
        hsp_text_format(&t, " holds the weight %s, which is negative: weights are 0 or above", piece);
    else
        hsp_text_format(&t, " holds '%s', which is not a weight: weights are finite numbers, 0 or above", piece);
    return fail_with(r, v, &t, err);
}

/* The record has something wrong with its form: text after a quote, or another number of cells. 0 when neither. */
static int check_form(const hsp_reader *r, hsp_error **err) {
    int status = hsp_csv_check_quotes(&r->lines, r->schema.delimiter, err);
    if (status < 0) return status;
    const char *begin = hsp_lines_begin(&r->lines), *end = hsp_lines_end(&r->lines);
    int64_t count = hsp_csv_count(begin, end, r->schema.delimiter);
    if (count == r->layout.columns) return 0;
    const char *at = hsp_csv_nth(begin, end, r->schema.delimiter, r->layout.columns); /* the first too many, or the end */
    return hsp_fail_at(err, HSP_EINPUT, hsp_lines_place(&r->lines, at),
                       "row has %lld cell%s, expected %lld as in line %lld: check the delimiters and quotes",
                       (long long)count, count == 1 ? "" : "s", (long long)r->layout.columns, (long long)r->first.line);
}

/* ---- rows ---- */

/* The cell at p, read with care, as a number; *next is what follows it. */
static int read_number(hsp_reader *r, const char *p, int64_t c, double *x, const char **next, hsp_error **err) {
    hsp_csv_view v;
    int status = hsp_csv_split(p, hsp_lines_end(&r->lines), r->schema.delimiter, &v);
    if (status == 0 && hsp_csv_is_number(v.s, v.n, x) && isfinite(*x)) {
        *next = v.next;
        return 0;
    }
    status = check_form(r, err);
    return status < 0 ? status : fail_cell(r, &v, c, err);
}

static bool is_empty(const hsp_csv_view *v) {
    for (int64_t i = 0; i < v->n; i++)
        if (v->s[i] != ' ' && v->s[i] != '\t') return false;
    return true;
}

static int read_weight(hsp_reader *r, const hsp_csv_view *v, int64_t c, hsp_error **err) {
    if (hsp_csv_is_number(v->s, v->n, &r->weight) && isfinite(r->weight) && r->weight >= 0) return 0;
    int status = check_form(r, err);
    return status < 0 ? status : fail_weight(r, v, c, err);
}

/* A cell that is not a feature. The target's text goes to *label. */
static int read_other(hsp_reader *r, const char *p, int64_t c, hsp_csv_view *label, const char **next, hsp_error **err) {
    hsp_csv_view v;
    if (hsp_csv_split(p, hsp_lines_end(&r->lines), r->schema.delimiter, &v) < 0) return check_form(r, err);
    *next = v.next;
    if (r->layout.role[c] == HSP_CSV_WEIGHT) return read_weight(r, &v, c, err);
    if (r->layout.role[c] != HSP_CSV_TARGET) return 0;
    if (is_empty(&v) && !r->for_model) {
        int status = check_form(r, err);
        return status < 0 ? status : fail_label(r, &v, c, err);
    }
    *label = v;
    bool one_line = r->lines.next_line == r->lines.line + 1;
    r->label_column = one_line ? v.s - v.quoted - hsp_lines_begin(&r->lines) + 1 : 1;
    if (!v.doubled) return 0;
    hsp_text_clear(&r->label);
    hsp_csv_copy(&r->label, &v);
    if (r->label.failed) return hsp_fail_memory(err);
    label->s = r->label.s;
    label->n = r->label.length;
    return 0;
}

/* The current record as a row of the block. */
static int parse_row(hsp_reader *r, hsp_block *block, hsp_error **err) {
    const char *begin = hsp_lines_begin(&r->lines), *end = hsp_lines_end(&r->lines);
    const char delimiter = r->schema.delimiter;
    if (hsp_block_reserve(block, r->schema.d, end - begin) < 0) return hsp_fail_memory(err);
    double *x = block->value + hsp_block_tail(block);
    const int64_t *role = r->layout.role, columns = r->layout.columns;
    hsp_csv_view label = {0};
    const char *p = hsp_csv_first(begin, end, delimiter), *next = end;
    int64_t c = 0;
    for (; p && c < columns; c++) {
        int status = 0;
        if (role[c] >= 0) {
            while (p < end && hsp_csv_blank(*p, delimiter)) p++;
            next = hsp_number_parse_cell(p, end, &x[role[c]]);
            bool plain = next && (next == end || *next == delimiter) && isfinite(x[role[c]]);
            if (!plain) status = read_number(r, p, c, &x[role[c]], &next, err);
        } else {
            status = read_other(r, p, c, &label, &next, err);
        }
        if (status < 0) return status;
        p = hsp_csv_after(next, end, delimiter);
    }
    if (p || c < columns) return check_form(r, err);
    if (r->unused >= 0) x[r->unused] = 0;
    if (block->weighted) block->weight[block->rows] = r->weight;
    hsp_block_close_row(block, r->schema.d, label.s, label.n, r->lines.line);
    if (label.s) block->column[block->rows - 1] = r->label_column;
    r->rows++;
    return 0;
}

/* ---- what was assumed ---- */

static int finish(hsp_reader *r, hsp_error **err) {
    if (r->done) return 0;
    r->done = true;
    hsp_text *t = &r->assumed;
    const hsp_schema *s = &r->schema;
    char piece[HSP_EXCERPT];
    hsp_text_add(t, "csv, ");
    hsp_text_add(t, s->delimiter == ','   ? "comma"
                    : s->delimiter == ';' ? "semicolon"
                    : s->delimiter == ' ' ? "space"
                                          : "tab");
    hsp_text_add(t, s->header ? ", header" : ", no header");
    if (r->layout.matched) hsp_text_add(t, ", columns matched by name");
    if (r->by_position) hsp_text_add(t, ", columns taken as the model's ids in order");
    if (s->target_column == 0)
        hsp_text_add(t, ", no target");
    else if (s->target)
        hsp_text_format(t, ", target '%s' (%s)", hsp_excerpt(piece, s->target, (int64_t)strlen(s->target)),
                        r->layout.reason);
    else
        hsp_text_format(t, ", target column %lld (%s)", (long long)s->target_column, r->layout.reason);
    if (s->weight)
        hsp_text_format(t, ", weights '%s'", hsp_excerpt(piece, s->weight, (int64_t)strlen(s->weight)));
    else if (s->weight_column > 0)
        hsp_text_format(t, ", weights in column %lld", (long long)s->weight_column);
    hsp_text_format(t, ", %lld feature%s", (long long)s->d, s->d == 1 ? "" : "s");
    int64_t ignored = r->layout.ignored, extra = r->layout.extra;
    if (ignored > 0) hsp_text_format(t, ", %lld column%s ignored", (long long)ignored, ignored == 1 ? "" : "s");
    if (extra > 0) hsp_text_format(t, ", %lld other column%s not used", (long long)extra, extra == 1 ? "" : "s");
    hsp_text_format(t, ", %lld row%s", (long long)r->rows, r->rows == 1 ? "" : "s");
    return t->failed ? hsp_fail_memory(err) : 0;
}

/* ---- the reader ---- */

static int next_block(hsp_reader *r, hsp_block *block, hsp_error **err) {
    hsp_block_reset(block, true, r->schema.d);
    block->weighted = r->layout.weighted;
    int64_t rows = HSP_BLOCK_VALUES / r->schema.d;
    if (rows > HSP_BLOCK_ROWS) rows = HSP_BLOCK_ROWS;
    do {
        int status = hsp_csv_record(&r->lines, r->schema.delimiter, err);
        if (status > 0)
            status = parse_row(r, block, err);
        else if (status == 0) {
            status = finish(r, err);
            if (status == 0) return block->rows > 0;
        }
        if (status < 0) return status;
    } while (block->rows < rows);
    return 1;
}

static void close_reader(hsp_reader *r) {
    if (!r) return;
    hsp_lines_close(&r->lines);
    hsp_schema_clear(&r->schema);
    hsp_csv_layout_clear(&r->layout);
    hsp_csv_cells_clear(&r->first);
    hsp_text_free(&r->label);
    hsp_text_free(&r->assumed);
    hsp_free(r);
}

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

/* Whether the first record is a header: 0, 1 or a negative status. */
static int find_header(hsp_reader *r, const hsp_options *o, const hsp_schema *known, char delimiter, hsp_error **err) {
    if (!hsp_options_is(o, "header", "auto")) return hsp_options_is(o, "header", "yes");
    int status = known ? hsp_csv_knows(&r->first, known, err) : 0;
    if (status != 0) return status;
    hsp_csv_cells second = {0};
    status = hsp_csv_record(&r->lines, delimiter, err);
    if (status > 0) status = hsp_csv_cells_read(&second, &r->lines, delimiter, err);
    if (status == 0) status = hsp_csv_sniff_header(&r->first, &second);
    hsp_csv_cells_clear(&second);
    return status;
}

/* Reads the first records, settles what the columns are, and goes back to the first row. */
static int begin(hsp_reader *r, hsp_stream *stream, const hsp_options *o, const hsp_schema *known, hsp_error **err) {
    char delimiter = ',';
    int status = find_delimiter(stream, o, &delimiter, err);
    if (status < 0) return status;
    status = hsp_lines_open(&r->lines, stream, err);
    if (status < 0) return status;
    hsp_lines_hold(&r->lines);
    status = hsp_csv_record(&r->lines, delimiter, err);
    if (status == 0)
        return hsp_fail_at(err, HSP_EINPUT, (hsp_place){hsp_stream_name(stream), 0, 0}, "has no rows: every line is blank");
    if (status > 0) status = hsp_csv_cells_read(&r->first, &r->lines, delimiter, err);
    int header = status < 0 ? status : find_header(r, o, known, delimiter, err);
    if (header < 0) return header;
    hsp_lines_rewind(&r->lines);
    if (header) status = hsp_csv_record(&r->lines, delimiter, err);
    if (status < 0) return status;
    const hsp_csv_request q = {&r->first, header, delimiter, o, known, hsp_stream_name(stream)};
    return hsp_csv_layout_make(&q, &r->layout, &r->schema, err);
}

static int open_reader(hsp_stream *stream, const hsp_options *o, const hsp_schema *known, hsp_reader **out,
                       hsp_error **err) {
    *out = NULL;
    hsp_reader *r = hsp_alloc_zero(1, sizeof *r);
    if (!r) return hsp_fail_memory(err);
    r->for_model = known != NULL;
    r->by_position = known && known->format && strcmp(known->format, "svmlight") == 0;
    int64_t unused = r->by_position ? known->weight_column - 1 - known->base : -1;
    r->unused = unused < 0 || unused >= known->d ? -1 : unused;
    int status = begin(r, stream, o, known, err);
    if (status < 0)
        close_reader(r);
    else
        *out = r;
    return status;
}

static const hsp_schema *get_schema(const hsp_reader *r) {
    return &r->schema;
}

static const char *get_assumed(const hsp_reader *r) {
    return r->assumed.s;
}

const hsp_reader_kind hsp_reader_csv = {
    .name = "csv",
    .help = "cells between commas, semicolons, tabs or spaces, quoted as in RFC 4180, with or without a header",
    .suffixes = ".csv .tsv",
    .open = open_reader,
    .next = next_block,
    .schema = get_schema,
    .assumed = get_assumed,
    .free = close_reader,
};
