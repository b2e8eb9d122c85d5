/* Line ends are found by memchr over the whole window, and remembered: a file without CR is searched for one once per
 * window, not once per line. */
#include "read/lines.h"

#include "base/memory.h"

#include <string.h>

/* ---- the window ---- */

static void slide(hsp_lines *l, int64_t by) {
    memmove(l->buffer, l->buffer + by, (size_t)(l->end - by));
    l->end -= by;
    l->start -= by;
    l->stop -= by;
    l->next -= by;
    if (l->hold >= 0) l->hold -= by;
    if (l->nul >= 0) l->nul = l->nul >= by ? l->nul - by : -1;
    hsp_seeker *seekers[] = {&l->lf, &l->cr, &l->quote};
    for (int i = 0; i < 3; i++) {
        seekers[i]->at -= by;
        if (seekers[i]->at < 0) *seekers[i] = (hsp_seeker){0};
    }
}

/* More bytes at the end of the window; sets `over` when there are none. Offsets change. */
static int fill(hsp_lines *l, hsp_error **err) {
    int64_t keep = l->hold >= 0 && l->hold < l->start ? l->hold : l->start;
    if (keep > 0) slide(l, keep);
    if (l->end == l->capacity) {
        if (l->capacity >= HSP_LINE_LIMIT)
            return hsp_fail_at(err, HSP_EINPUT, (hsp_place){hsp_stream_name(l->stream), l->line, 1},
                               "line is longer than 1 GiB: this is not a text table");
        int64_t wider = l->capacity < HSP_LINE_LIMIT / 2 ? l->capacity * 2 : HSP_LINE_LIMIT;
        char *buffer = hsp_resize(l->buffer, wider, 1);
        if (!buffer) return hsp_fail_memory(err);
        l->buffer = buffer;
        l->capacity = wider;
    }
    int64_t got = hsp_stream_read(l->stream, l->buffer + l->end, l->capacity - l->end, err);
    if (got < 0) return (int)got;
    if (got == 0) {
        l->over = true;
        return 0;
    }
    if (l->nul < 0) {
        const char *nul = memchr(l->buffer + l->end, 0, (size_t)got);
        if (nul) l->nul = nul - l->buffer;
    }
    l->end += got;
    return 0;
}

/* The first c at or after `from` in the window, or INT64_MAX. */
static inline int64_t seek(hsp_lines *l, hsp_seeker *k, char c, int64_t from) {
    if (k->at < from) *k = (hsp_seeker){from, false};
    if (!k->found && k->at < l->end) {
        const char *p = memchr(l->buffer + k->at, c, (size_t)(l->end - k->at));
        *k = (hsp_seeker){p ? p - l->buffer : l->end, p != NULL};
    }
    return k->found ? k->at : INT64_MAX;
}

/* ---- records ---- */

/* Looks at the first bytes: skips a byte order mark, refuses UTF-16. */
static int begin(hsp_lines *l, hsp_error **err) {
    while (l->end < 3 && !l->over) {
        int status = fill(l, err);
        if (status < 0) return status;
    }
    const unsigned char *b = (const unsigned char *)l->buffer;
    if (l->end >= 2 && ((b[0] == 0xff && b[1] == 0xfe) || (b[0] == 0xfe && b[1] == 0xff)))
        return hsp_fail_at(err, HSP_EINPUT, (hsp_place){hsp_stream_name(l->stream), 1, 1},
                           "is UTF-16 text: save it as UTF-8");
    if (l->end >= 3 && b[0] == 0xef && b[1] == 0xbb && b[2] == 0xbf) l->start = l->next = 3;
    return 0;
}

int hsp_lines_open(hsp_lines *l, hsp_stream *stream, hsp_error **err) {
    *l = (hsp_lines){.stream = stream, .hold = -1, .nul = -1, .next_line = 1};
    int64_t chunk = hsp_stream_chunk(stream);
    l->capacity = chunk < 2 ? 2 : 2 * chunk; /* a line that crosses two chunks seldom needs a larger window */
    l->buffer = hsp_alloc(l->capacity, 1);
    return l->buffer ? begin(l, err) : hsp_fail_memory(err);
}

void hsp_lines_close(hsp_lines *l) {
    hsp_free(l->buffer);
    *l = (hsp_lines){0};
}

/* Sets stop and next for a record whose last line begins at `from` (an offset from start, as the window may slide). */
static int find_end(hsp_lines *l, int64_t from, hsp_error **err) {
    for (;;) {
        int64_t lf = seek(l, &l->lf, '\n', l->start + from);
        int64_t cr = seek(l, &l->cr, '\r', l->start + from);
        if (cr < lf && cr + 1 < l->end) {
            l->stop = cr;
            l->next = cr + (l->buffer[cr + 1] == '\n' ? 2 : 1);
            return 0;
        }
        if (lf < cr) {
            l->stop = lf;
            l->next = lf + 1;
            return 0;
        }
        if (l->over) { /* a CR as the very last byte, or no line end at all */
            l->stop = cr < l->end ? cr : l->end;
            l->next = l->end;
            return 0;
        }
        int status = fill(l, err);
        if (status < 0) return status;
    }
}

int hsp_fail_binary(hsp_error **err, hsp_place where) {
    return hsp_fail_at(err, HSP_EINPUT, where,
                       "the file looks binary (it has a NUL byte): give a text table, CSV or svmlight");
}

static int check_nul(hsp_lines *l, hsp_error **err) {
    if (l->nul < l->start || l->nul >= l->stop) return 1;
    return hsp_fail_binary(err, hsp_lines_place(l, l->buffer + l->nul));
}

int hsp_lines_next(hsp_lines *l, hsp_error **err) {
    l->start = l->stop = l->next;
    l->line = l->next_line;
    int status = find_end(l, 0, err);
    if (status < 0) return status;
    if (l->start == l->next) return 0;
    l->next_line++;
    return check_nul(l, err);
}

int hsp_lines_extend(hsp_lines *l, hsp_error **err) {
    if (l->next == l->end && !l->over) {
        int status = fill(l, err);
        if (status < 0) return status;
    }
    if (l->next == l->end) return 0;
    int status = find_end(l, l->next - l->start, err);
    if (status < 0) return status;
    l->next_line++;
    return check_nul(l, err);
}

bool hsp_lines_has_quote(hsp_lines *l) {
    return seek(l, &l->quote, '"', l->start) < l->stop;
}

void hsp_lines_hold(hsp_lines *l) {
    l->hold = l->next;
    l->hold_line = l->next_line;
}

void hsp_lines_rewind(hsp_lines *l) {
    l->start = l->stop = l->next = l->hold;
    l->next_line = l->hold_line;
    l->hold = -1;
    l->lf = l->cr = l->quote = (hsp_seeker){l->start, false};
}

hsp_place hsp_lines_place_in(const char *file, int64_t line, const char *from, const char *p) {
    for (const char *c = from; c < p; c++) {
        if (*c == '\n' || (*c == '\r' && c[1] != '\n')) {
            line++;
            from = c + 1;
        }
    }
    return (hsp_place){file, line, p - from + 1};
}

hsp_place hsp_lines_place(const hsp_lines *l, const char *p) {
    return hsp_lines_place_in(hsp_stream_name(l->stream), l->line, l->buffer + l->start, p);
}

const char *hsp_excerpt(char buf[HSP_EXCERPT], const char *s, int64_t n) {
    int64_t m = n < 40 ? n : 40;
    while (n > 40 && m > 30 && ((unsigned char)s[m] & 0xc0) == 0x80) m--;
    memcpy(buf, s, (size_t)m);
    memcpy(buf + m, n > m ? "..." : "", n > m ? 4 : 1);
    return buf;
}
