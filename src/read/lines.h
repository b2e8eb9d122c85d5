/* Lines out of a stream: a window over the bytes that slides along and grows only when one line needs it. Line ends are LF,
 * CRLF or a lone CR; the last line may lack one. A UTF-8 byte order mark is skipped. */
#ifndef HSP_READ_LINES_H
#define HSP_READ_LINES_H

#include "read/stream.h"

#include <stdbool.h>

/* The longest line, or record of several lines, that is accepted. */
#define HSP_LINE_LIMIT ((int64_t)1 << 30)

/* Where the next byte of one kind is: none before `at` (counting from where the last search began). */
typedef struct hsp_seeker {
    int64_t at;
    bool found; /* it is at `at`; otherwise only the bytes before `at` were searched */
} hsp_seeker;

typedef struct hsp_lines {
    hsp_stream *stream; /* borrowed */
    char *buffer;
    int64_t capacity, end;
    int64_t start, stop; /* the current record: buffer[start .. stop) without its line end */
    int64_t next;        /* where the next record begins */
    int64_t line;        /* of the current record, from 1 */
    int64_t next_line;
    int64_t hold, hold_line; /* bytes from `hold` on are kept for a rewind; -1: none */
    int64_t nul;             /* the first NUL byte in the buffer, -1: none */
    bool over;
    hsp_seeker lf, cr, quote;
} hsp_lines; /* {0} can be closed */

/* Reads the first bytes. Close it also after a failure. */
int hsp_lines_open(hsp_lines *l, hsp_stream *stream, hsp_error **err);
void hsp_lines_close(hsp_lines *l);
/* The next line becomes the current record: 1, or 0 at the end, or a negative status. A NUL byte in it is HSP_EINPUT. */
int hsp_lines_next(hsp_lines *l, hsp_error **err);
/* Adds the following line, with the line end between them, to the current record: 1, or 0 when there is none. The buffer
 * may move. */
int hsp_lines_extend(hsp_lines *l, hsp_error **err);
/* Whether the current record has a '"'. */
bool hsp_lines_has_quote(hsp_lines *l);
/* Remembers where the next record begins; rewind goes back there, once. */
void hsp_lines_hold(hsp_lines *l);
void hsp_lines_rewind(hsp_lines *l);
/* The place of a byte of the current record. */
hsp_place hsp_lines_place(const hsp_lines *l, const char *p);
/* The same for any text that begins at `from`, on line `line` of the file. */
hsp_place hsp_lines_place_in(const char *file, int64_t line, const char *from, const char *p);
/* A NUL byte at that place. */
int hsp_fail_binary(hsp_error **err, hsp_place where);

static inline const char *hsp_lines_begin(const hsp_lines *l) {
    return l->buffer + l->start;
}
static inline const char *hsp_lines_end(const hsp_lines *l) {
    return l->buffer + l->stop;
}

/* A piece of the file for a message: at most 40 bytes of it, whole characters, "..." after them when it is longer. */
#define HSP_EXCERPT 48
const char *hsp_excerpt(char buf[HSP_EXCERPT], const char *s, int64_t n);

#endif
