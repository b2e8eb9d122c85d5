/* Translates JSON lines to CSV, which the CSV reader reads: numbers keep their spelling, and strings become quoted cells. Two
 * passes over the lines: the first collects the keys, the second writes the cells in their order. */
#include "read/jsonl.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/json_escape.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/block.h"
#include "data/schema.h"
#include "read/chunks.h"
#include "read/raw_file.h"
#include "read/reader.h"

#include <string.h>

#define READ_AT_ONCE ((int64_t)64 * 1024)
/* A table of more cells than this is refused if almost all of them are empty. */
#define MANY_CELLS ((int64_t)1 << 30)
#define BYTES_LEAST 64 /* cells for each byte of the file */

#define ONE_OBJECT "give one object on each line, such as {\"x1\": 1.5, \"label\": \"a\"}"

/* A line as it is scanned. */
typedef struct line_scan {
    const char *file;
    int64_t line;
    const char *begin, *end; /* without its line end */
    const char *p;
    hsp_error **err;
} line_scan;

typedef struct key_entry {
    int64_t length;     /* of its name */
    int64_t line;       /* the last in which it occurred, in this pass */
    int64_t cell, size; /* its cell in that line, in `cells` */
} key_entry;

typedef struct translation {
    hsp_text bytes; /* the file */
    hsp_text cells, spare;
    hsp_intern *names; /* owned: the keys, in order of appearance */
    key_entry *key;    /* owned, of each key */
    int64_t count, capacity;
    int64_t rows;
    hsp_text csv;
} translation;

static int fail_here(const line_scan *s, const char *at, const char *what) {
    return hsp_fail_at(s->err, HSP_EINPUT, (hsp_place){s->file, s->line, at - s->begin + 1}, "%s", what);
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

static void skip_blanks(line_scan *s) {
    while (s->p < s->end && is_blank(*s->p)) s->p++;
}

static char next_char(const line_scan *s) {
    return s->p < s->end ? *s->p : '\0';
}

/* ---- strings ---- */

/* The escape at s->p. */
static int scan_escape(line_scan *s, hsp_text *out) {
    char bytes[4];
    int length;
    int32_t c = hsp_json_escape(s->p, s->end, &length);
    if (c == HSP_ESCAPE_UNKNOWN) return fail_here(s, s->p, "unknown escape: write \\\\ for a backslash");
    if (c == HSP_ESCAPE_DIGITS) return fail_here(s, s->p, "\\u needs four hexadecimal digits: correct the string");
    if (c == HSP_ESCAPE_NUL) return fail_here(s, s->p, "the string has a NUL character (\\u0000): remove it");
    if (c == HSP_ESCAPE_HALF)
        return fail_here(s, s->p, "half of a surrogate pair: write both halves, or the character itself");
    hsp_text_add_n(out, bytes, hsp_utf8_write(c, bytes));
    s->p += length;
    return 0;
}

/* Appends the text of the string at s->p, which is at its quote. */
static int scan_string(line_scan *s, hsp_text *out) {
    const char *open = s->p++;
    while (s->p < s->end && *s->p != '"') {
        const char *from = s->p;
        while (s->p < s->end && *s->p != '"' && *s->p != '\\' && (unsigned char)*s->p >= 0x20) s->p++;
        hsp_text_add_n(out, from, s->p - from);
        if (s->p == s->end || *s->p == '"') break;
        if (*s->p != '\\') return fail_here(s, s->p, "control character in a string: write it as an escape, such as \\t");
        int status = scan_escape(s, out);
        if (status < 0) return status;
    }
    if (s->p == s->end) return fail_here(s, open, "unclosed string: close it with \" on the same line");
    s->p++;
    return out->failed ? hsp_fail_memory(s->err) : 0;
}

/* Appends a text as a quoted cell of CSV. */
static void add_quoted(hsp_text *t, const char *text, int64_t n) {
    const char *p = text, *end = text + n, *q;
    hsp_text_char(t, '"');
    while (p < end && (q = memchr(p, '"', (size_t)(end - p)))) {
        hsp_text_add_n(t, p, q + 1 - p);
        hsp_text_char(t, '"');
        p = q + 1;
    }
    if (p < end) hsp_text_add_n(t, p, end - p);
    hsp_text_char(t, '"');
}

/* ---- values ---- */

static bool skip_digits(line_scan *s) {
    const char *from = s->p;
    while (s->p < s->end && *s->p >= '0' && *s->p <= '9') s->p++;
    return s->p > from;
}

/* The number at s->p by the grammar of JSON (RFC 8259). */
static int scan_number(line_scan *s, hsp_text *out) {
    const char *from = s->p;
    s->p += *s->p == '-';
    const char *digits = s->p;
    bool good = skip_digits(s) && (*digits != '0' || s->p == digits + 1);
    if (good && next_char(s) == '.') {
        s->p++;
        good = skip_digits(s);
    }
    if (good && (next_char(s) | 0x20) == 'e') {
        s->p++;
        s->p += next_char(s) == '+' || next_char(s) == '-';
        good = skip_digits(s);
    }
    if (!good) return fail_here(s, from, "not a number of JSON: write it as -1.5e3, or as a string in quotes");
    hsp_text_add_n(out, from, s->p - from);
    return 0;
}

/* Whether the word is at s->p, which then moves behind it. */
static bool scan_word(line_scan *s, const char *word) {
    int64_t n = (int64_t)strlen(word);
    if (s->end - s->p < n || memcmp(s->p, word, (size_t)n) != 0) return false;
    s->p += n;
    return true;
}

static int fail_nested(const line_scan *s, const char *key, int64_t n) {
    char piece[HSP_EXCERPT];
    return hsp_fail_at(
        s->err, HSP_EINPUT, (hsp_place){s->file, s->line, s->p - s->begin + 1},
        "the value of '%s' is an %s: write its parts under keys of their own (one object of strings, numbers, "
        "true, false and null on each line), or leave it out",
        hsp_excerpt(piece, key, n), *s->p == '[' ? "array" : "object");
}

/* Appends the value at s->p to `cells` as a cell of CSV; that of null is empty. */
static int scan_value(line_scan *s, translation *t, const key_entry *k) {
    char c = next_char(s);
    if (c == '[' || c == '{') return fail_nested(s, hsp_intern_text(t->names, k - t->key), k->length);
    if (c == '-' || (c >= '0' && c <= '9')) return scan_number(s, &t->cells);
    if (c == '"') {
        hsp_text_clear(&t->spare);
        int status = scan_string(s, &t->spare);
        if (status == 0) add_quoted(&t->cells, t->spare.s ? t->spare.s : "", t->spare.length);
        return status;
    }
    if (scan_word(s, "null")) return 0;
    const char *word = c == 't' ? "true" : "false";
    if (!scan_word(s, word))
        return fail_here(s, s->p, "no value of JSON: give a number, a string in double quotes, true, false or null");
    hsp_text_add(&t->cells, word);
    return 0;
}

/* ---- keys ---- */

/* The number of the key, which is added if it is new; or a negative status. */
static int64_t find_key(translation *t, hsp_error **err) {
    int64_t i = hsp_intern_add(t->names, t->spare.s ? t->spare.s : "", t->spare.length, err);
    if (i < t->count) return i;
    if (HSP_RESERVE(t->key, t->capacity, i + 1)) return hsp_fail_memory(err);
    t->key[i] = (key_entry){.length = t->spare.length};
    t->count = i + 1;
    return i;
}

/* ---- objects ---- */

/* The pair `"key": value` at s->p. */
static int scan_pair(line_scan *s, translation *t) {
    const char *at = s->p;
    if (next_char(s) != '"')
        return fail_here(s, at, "no key here: write keys in double quotes, and no comma after the last");
    hsp_text_clear(&t->spare);
    int status = scan_string(s, &t->spare);
    if (status < 0) return status;
    int64_t i = find_key(t, s->err);
    if (i < 0) return (int)i;
    key_entry *k = &t->key[i];
    if (k->line == s->line) {
        char piece[HSP_EXCERPT];
        return hsp_fail_at(s->err, HSP_EINPUT, (hsp_place){s->file, s->line, at - s->begin + 1},
                           "the key '%s' occurs twice in this object: remove or rename one of them",
                           hsp_excerpt(piece, hsp_intern_text(t->names, i), k->length));
    }
    k->line = s->line;
    skip_blanks(s);
    if (next_char(s) != ':') return fail_here(s, s->p, "no colon after the key: write {\"key\": value}");
    s->p++;
    skip_blanks(s);
    k->cell = t->cells.length;
    status = scan_value(s, t, k);
    k->size = t->cells.length - k->cell;
    skip_blanks(s);
    return status < 0 ? status : t->cells.failed ? hsp_fail_memory(s->err) : 0;
}

/* The object of the line: 1, or 0 for a blank line, or a negative status. Its cells are in `cells`. */
static int scan_object(line_scan *s, translation *t) {
    hsp_text_clear(&t->cells);
    skip_blanks(s);
    if (s->p == s->end) return 0;
    if (*s->p == '[') return fail_here(s, s->p, "this line is an array, not an object: " ONE_OBJECT);
    if (*s->p != '{') return fail_here(s, s->p, "this line is not a JSON object: " ONE_OBJECT);
    s->p++;
    skip_blanks(s);
    for (bool first = true; first ? next_char(s) != '}' : next_char(s) == ','; first = false) {
        if (!first) {
            s->p++;
            skip_blanks(s);
        }
        if (s->p == s->end) break;
        int status = scan_pair(s, t);
        if (status < 0) return status;
    }
    if (s->p == s->end) return fail_here(s, s->p, "the object does not end on its line: " ONE_OBJECT);
    if (*s->p != '}') return fail_here(s, s->p, "no comma after the value: separate the keys by commas");
    s->p++;
    skip_blanks(s);
    return s->p == s->end ? 1 : fail_here(s, s->p, "text after the object: " ONE_OBJECT);
}

/* ---- the two passes ---- */

/* Moves to the next line; false: there is none. */
static bool next_line(line_scan *s, const translation *t) {
    const char *stop = t->bytes.s + t->bytes.length, *from = s->line == 0 ? t->bytes.s : s->end + 1;
    if (!t->bytes.s || from >= stop) return false;
    const char *lf = memchr(from, '\n', (size_t)(stop - from));
    s->begin = s->p = from;
    s->end = lf ? lf : stop;
    s->line++;
    return true;
}

static int collect_keys(translation *t, const char *file, hsp_error **err) {
    line_scan s = {.file = file, .err = err};
    while (next_line(&s, t)) {
        int status = scan_object(&s, t);
        if (status < 0) return status;
        t->rows += status;
        if (hsp_cancel_take()) return hsp_fail(err, HSP_ECANCELLED, "cancelled while reading %s", file);
    }
    if (t->rows == 0) return hsp_fail_file(err, file, "no rows, every line is blank: give a file with data");
    if (t->count == 0) return hsp_fail_file(err, file, "every object is empty: give objects with keys and values");
    if (t->count > MANY_CELLS / t->rows && t->count / BYTES_LEAST > t->bytes.length / t->rows)
        return hsp_fail_file(err, file,
                             "%lld objects with %lld different keys are too large for a table, and almost all values are "
                             "missing: write svmlight instead",
                             (long long)t->rows, (long long)t->count);
    return 0;
}

static void write_header(translation *t) {
    for (int64_t i = 0; i < t->count; i++) {
        key_entry *k = &t->key[i];
        k->line = 0;
        if (i > 0) hsp_text_char(&t->csv, ',');
        add_quoted(&t->csv, hsp_intern_text(t->names, i), k->length);
    }
    hsp_text_char(&t->csv, '\n');
}

static int write_rows(translation *t, const char *file, hsp_error **err) {
    line_scan s = {.file = file, .err = err};
    while (next_line(&s, t)) {
        int status = scan_object(&s, t);
        if (status < 0) return status;
        for (int64_t i = 0; status > 0 && i < t->count; i++) {
            const key_entry *k = &t->key[i];
            if (i > 0) hsp_text_char(&t->csv, ',');
            if (k->line == s.line && k->size > 0)
                hsp_text_add_n(&t->csv, t->cells.s + k->cell, k->size);
            else if (t->count == 1)
                hsp_text_add(&t->csv, "\"\""); /* the record is not a blank line */
        }
        hsp_text_char(&t->csv, '\n');
        if (t->csv.failed) return hsp_fail_memory(err);
        if (hsp_cancel_take()) return hsp_fail(err, HSP_ECANCELLED, "cancelled while reading %s", file);
    }
    return 0;
}

static int read_bytes(hsp_stream *stream, hsp_text *out, hsp_error **err) {
    hsp_chunks start = {0}; /* skips a byte order mark */
    int status = hsp_chunks_open(&start, stream, NULL, NULL, err);
    hsp_chunks_close(&start);
    int64_t got = status < 0 ? status : 1;
    while (got > 0) {
        if (hsp_cancel_take()) return hsp_fail(err, HSP_ECANCELLED, "cancelled while reading %s", hsp_stream_name(stream));
        if (hsp_stream_exceeds(stream, out->length, 4)) return hsp_stream_fail_limit(stream, err);
        char *to = hsp_text_room(out, READ_AT_ONCE);
        if (!to) return hsp_fail_memory(err);
        got = hsp_stream_read(stream, to, READ_AT_ONCE, err);
        if (got > 0) out->length += got;
    }
    return (int)got;
}

int hsp_jsonl_translate(hsp_stream *stream, hsp_stream **out, hsp_error **err) {
    translation t = {0};
    const char *file = hsp_stream_name(stream);
    *out = NULL;
    int status = hsp_intern_new(&t.names, err);
    if (status == 0) status = read_bytes(stream, &t.bytes, err);
    if (status == 0) status = collect_keys(&t, file, err);
    if (status == 0) write_header(&t);
    if (status == 0) status = t.csv.failed ? hsp_fail_memory(err) : write_rows(&t, file, err);
    if (status == 0) status = hsp_stream_open_translation(&t.csv, file, out, err);
    if (status == 0) hsp_stream_set_chunk(*out, hsp_stream_chunk(stream));
    hsp_text_free(&t.bytes);
    hsp_text_free(&t.cells);
    hsp_text_free(&t.spare);
    hsp_text_free(&t.csv);
    hsp_intern_free(t.names);
    hsp_free(t.key);
    return status;
}

/* ---- recognition ---- */

bool hsp_jsonl_begins(const char *bytes, int64_t n) {
    const char *p = bytes, *end = bytes + n;
    if (n >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0) p += 3;
    while (p < end && (is_blank(*p) || *p == '\n')) p++;
    if (p == end || *p != '{') return false;
    const char *lf = memchr(p, '\n', (size_t)(end - p)), *stop = lf ? lf : end;
    for (p++; p < stop && is_blank(*p); p++) continue;
    if (p == stop || *p != '"') return false;
    while (stop > p && is_blank(stop[-1])) stop--;
    return !lf || stop[-1] == '}';
}

/* ---- the reader: that of CSV, over the translation ---- */

struct hsp_reader {
    hsp_reading csv; /* owned: its reader */
    hsp_stream *stream;
};

static int open_reader(hsp_stream *stream, const hsp_options *o, const hsp_schema *known, hsp_reading *g, hsp_error **err) {
    hsp_reader *r = g->reader = hsp_alloc_zero(1, sizeof *r);
    if (!r) return hsp_fail_memory(err);
    r->csv.kind = &hsp_reader_csv;
    int status = hsp_jsonl_translate(stream, &r->stream, err);
    if (status == 0) status = hsp_reader_csv.open(r->stream, o, known, &r->csv, err);
    g->schema = r->csv.schema;
    g->assumed = r->csv.assumed;
    g->note = r->csv.note;
    return status;
}

static int cut(hsp_reader *r, hsp_chunk *chunk, hsp_error **err) {
    return hsp_reader_csv.cut(r->csv.reader, chunk, err);
}

static void parse(const hsp_reader *r, hsp_parcel *p, int64_t line, hsp_error **err) {
    hsp_reader_csv.parse(r->csv.reader, p, line, err);
}

static int take(hsp_reader *r, const hsp_parcel *p, int64_t line, hsp_error **err) {
    return hsp_reader_csv.take(r->csv.reader, p, line, err);
}

static int finish(hsp_reader *r, hsp_error **err) {
    return hsp_reader_csv.finish(r->csv.reader, err);
}

static int as_table(hsp_reader *r, const bool *kept, hsp_error **err) {
    return hsp_reader_csv.as_table(r->csv.reader, kept, err);
}

static int64_t keep_columns(const hsp_reader *r) {
    return hsp_reader_csv.keep_columns(r->csv.reader);
}

static void keep_name(const hsp_reader *r, int64_t k, hsp_text *out) {
    hsp_reader_csv.keep_name(r->csv.reader, k, out);
}

static int keep_cells(const hsp_reader *r, const hsp_parcel *p, const hsp_block *rows, hsp_kept *out) {
    return hsp_reader_csv.keep_cells(r->csv.reader, p, rows, out);
}

static bool has_side(const hsp_reader *r, hsp_side side) {
    return hsp_reader_csv.has_side(r->csv.reader, side);
}

static int side_cells(const hsp_reader *r, const hsp_parcel *p, hsp_side side, hsp_kept *out) {
    return hsp_reader_csv.side_cells(r->csv.reader, p, side, out);
}

static void close_reader(hsp_reader *r) {
    hsp_reading_close(&r->csv);
    hsp_stream_close(r->stream);
    hsp_free(r);
}

const hsp_reader_kind hsp_reader_jsonl = {
    .name = "jsonl",
    .help = "JSON lines: on each line an object of strings, numbers, true, false and null; its keys are the columns",
    .suffixes = ".jsonl .ndjson",
    .open = open_reader,
    .cut = cut,
    .parse = parse,
    .take = take,
    .finish = finish,
    .as_table = as_table,
    .raw = &hsp_raw_csv,
    .keep_columns = keep_columns,
    .keep_name = keep_name,
    .keep_cells = keep_cells,
    .has_side = has_side,
    .side_cells = side_cells,
    .free = close_reader,
};
