#include "read/csv_opening.h"

#include "base/clock.h"
#include "base/error.h"

#include <string.h>

enum { TITLE_RECORDS = 8 }; /* most records of a title */

hsp_csv_opening hsp_csv_opening_of(hsp_stream *stream, hsp_chunks *chunks) {
    return (hsp_csv_opening){.stream = stream, .chunks = chunks, .bytes = "", .wanted = HSP_CSV_SAMPLE};
}

void hsp_csv_opening_clear(hsp_csv_opening *f) {
    hsp_text_free(&f->head);
}

/* Peeks at more bytes. A slow pipe may give fewer than are to come. */
static int peek_further(hsp_csv_opening *f, hsp_error **err) {
    const char *file = hsp_stream_name(f->stream);
    if (f->size == HSP_RECORD_LIMIT)
        return hsp_fail_at(err, HSP_EINPUT, (hsp_place){file, f->cursor.next_line, 1},
                           "a line is longer than 1 GiB: check that this is a text file");
    if (hsp_stream_exceeds(f->stream, f->size, 8)) return hsp_stream_fail_limit(f->stream, err);
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

int hsp_csv_opening_seek(hsp_csv_opening *f, int n, hsp_csv_marks m, hsp_error **err) {
    for (;;) {
        const char *end = f->bytes + f->size, *whole = f->over ? end : f->bytes, *next;
        while (whole < end && (next = hsp_csv_ends(whole, end, false, &m))) whole = next;
        f->cursor = hsp_csv_cursor_over(hsp_stream_name(f->stream), f->bytes, whole, f->lines + 1);
        int status = 1;
        for (int i = 0; i < n && status > 0; i++) status = hsp_csv_record(&f->cursor, m, err);
        if (status != 0 || f->over) return status;
        status = peek_further(f, err);
        if (status < 0) return status;
    }
}

/* ---- lines that are skipped ---- */

/* Skips `bytes` of what was peeked at, which hold so many lines, and keeps those from `from` on. */
static int skip_bytes(hsp_csv_opening *f, const char *from, int64_t bytes, int64_t lines, hsp_error **err) {
    hsp_csv_opening next = hsp_csv_opening_of(f->stream, f->chunks);
    next.lines = f->lines + lines;
    next.head = f->head;
    hsp_text_add_n(&next.head, from, f->bytes + bytes - from);
    int status = next.head.failed ? hsp_fail_memory(err) : hsp_chunks_skip(f->chunks, bytes, err);
    *f = next;
    return status;
}

/* The end of the line at p, after its line end; NULL: it does not end before `end`, or may go on there. */
static const char *line_end(const char *p, const char *end, bool over) {
    while (p < end && *p != '\n' && *p != '\r') p++;
    if (p == end) return NULL;
    if (*p++ == '\n') return p;
    if (p == end) return over ? p : NULL;
    return p + (*p == '\n');
}

int hsp_csv_opening_skip_lines(hsp_csv_opening *f, int64_t lines, hsp_error **err) {
    for (int64_t left = lines; left > 0;) {
        const char *p = f->bytes, *end = p + f->size, *next = NULL;
        int64_t found = 0;
        while (found < left && (next = line_end(p, end, f->over))) {
            p = next;
            found++;
        }
        left -= found;
        if (found == 0 && f->over)
            return hsp_fail_file(err, hsp_stream_name(f->stream), "it has only %lld lines: use a smaller --skip-lines",
                                 (long long)(f->lines + (f->size > 0)));
        int status = found > 0 ? skip_bytes(f, f->bytes, p - f->bytes, found, err) : peek_further(f, err);
        if (status < 0) return status;
    }
    return 0;
}

int hsp_csv_opening_skip_records(hsp_csv_opening *f, hsp_error **err) {
    int64_t lines = f->cursor.next_line - 1 - f->lines;
    return skip_bytes(f, f->cursor.begin, f->cursor.next - f->bytes, lines, err);
}

/* ---- titles ---- */

/* The shape of a record. */
typedef struct record_shape {
    int64_t cells;
    bool marked; /* it begins with '#' */
    bool lone;   /* only its first cell holds anything */
    bool words;  /* every cell is a word */
} record_shape;

static bool is_word(const hsp_csv_view *v) {
    double x;
    return !hsp_csv_is_missing(v->s, v->n) && !hsp_csv_is_number(v->s, v->n, &x);
}

static record_shape shape_of(const hsp_csv_cursor *k, hsp_csv_marks m) {
    record_shape s = {.marked = *k->begin == '#', .lone = true, .words = true};
    hsp_csv_view v;
    for (const char *p = hsp_csv_first(k->begin, k->stop, m.delimiter); p;
         p = hsp_csv_after(v.next, k->stop, m.delimiter)) {
        if (hsp_csv_split(p, k->stop, m, &v) < 0) s.words = s.lone = false;
        while (v.next < k->stop && *v.next != m.delimiter) v.next++;
        s.lone = s.lone && (s.cells == 0 ? is_word(&v) : v.n == 0);
        s.words = s.words && is_word(&v);
        s.cells++;
    }
    return s;
}

/* Whether records with this shape may be a title above records of `cells` cells. Blanks between words are not delimiters of
 * cells that can be counted. */
static bool may_be_title(const record_shape *s, hsp_csv_marks m) {
    return s->marked || (m.delimiter != ' ' && (s->cells == 1 || (s->cells > 2 && s->lone)));
}

/* The shape of record n: 1, or 0 when there are fewer or it is faulty, which is reported when it is read; or another negative
 * status. */
static int see_shape(hsp_csv_opening *f, int n, hsp_csv_marks m, record_shape *out, hsp_error **err) {
    hsp_error *inner = NULL;
    int status = hsp_csv_opening_seek(f, n, m, &inner);
    if (status > 0) *out = shape_of(&f->cursor, m);
    if (status == HSP_EINPUT)
        hsp_error_free(inner);
    else if (inner)
        hsp_error_pass(err, inner);
    return status == HSP_EINPUT ? 0 : status;
}

/* The number of records of the title, with the cursor at the last of them; 0: there is none. A first line of several cells is
 * a title if column names of another number of cells follow it. */
static int count_title(hsp_csv_opening *f, hsp_csv_marks m, hsp_error **err) {
    for (int n = 1; n <= TITLE_RECORDS; n++) {
        record_shape above, first, second;
        int status = see_shape(f, n, m, &above, err);
        if (status <= 0) return status;
        if (!may_be_title(&above, m) && (n > 1 || m.delimiter == ' ')) return 0;
        status = see_shape(f, n + 1, m, &first, err);
        if (status > 0) status = see_shape(f, n + 2, m, &second, err);
        if (status <= 0) return status;
        bool names = first.words && !second.words, alike = first.cells == above.cells;
        bool title = may_be_title(&above, m) ? names || !alike : names && !alike;
        if (title && first.cells > 1 && first.cells == second.cells) {
            status = hsp_csv_opening_seek(f, n, m, err);
            return status < 0 ? status : n;
        }
    }
    return 0;
}

/* Adds the warning on `lines` skipped lines. */
static void add_note(const hsp_csv_opening *f, int64_t lines, hsp_text *note) {
    char piece[HSP_EXCERPT];
    const char *end = memchr(f->bytes, '\n', (size_t)f->size);
    int64_t n = end ? end - f->bytes : f->size;
    if (n > 0 && f->bytes[n - 1] == '\r') n--;
    hsp_excerpt(piece, f->bytes, n);
    if (lines == 1)
        hsp_text_format(note, "line %lld ('%s') is unlike the others and is skipped", (long long)f->lines + 1, piece);
    else
        hsp_text_format(note, "lines %lld to %lld ('%s', ...) are unlike the others and are skipped",
                        (long long)f->lines + 1, (long long)(f->lines + lines), piece);
    hsp_text_format(note, ": confirm with --skip-lines %lld", (long long)(f->lines + lines));
}

int64_t hsp_csv_opening_skip_title(hsp_csv_opening *f, hsp_csv_marks m, hsp_text *note, hsp_error **err) {
    int status = count_title(f, m, err);
    if (status <= 0) return status;
    int64_t lines = f->cursor.next_line - 1 - f->lines;
    add_note(f, lines, note);
    status = note->failed ? hsp_fail_memory(err) : hsp_csv_opening_skip_records(f, err);
    return status < 0 ? status : lines;
}
