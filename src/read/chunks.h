/* A stream cut into pieces at the ends of records, so that threads can parse them at once. Bytes lie in buffers that are
 * used again; a piece is larger than its usual size only when one record needs it. */
#ifndef HSP_READ_CHUNKS_H
#define HSP_READ_CHUNKS_H

#include "halfspace.h"
#include "read/stream.h"

/* The longest line, or record of several lines, that is accepted. */
#define HSP_RECORD_LIMIT ((int64_t)1 << 30)

/* A piece: whole records from begin to end; the last record of the file may lack its line end. At `end` stands a '\n' that
 * belongs to nobody, and after it zeros, HSP_CHUNK_PAD bytes in all: loops may look ahead without asking. */
enum { HSP_CHUNK_PAD = 64 };
typedef struct hsp_chunk {
    char *memory;
    int64_t capacity;
    char *begin, *end;
    int64_t row, rows; /* readers of binary files: the piece is these rows instead */
} hsp_chunk;           /* {0} is an empty one */

void hsp_chunk_free(hsp_chunk *c);

/* Where the record that begins at p ends: after its line end, or NULL when it does not end before `end` (over: there is no
 * more, then it ends there). */
typedef const char *hsp_record_end(const char *p, const char *end, bool over, void *ctx);

typedef struct hsp_chunks {
    hsp_stream *stream;   /* borrowed */
    hsp_record_end *ends; /* NULL: records are lines */
    void *ctx;
    char *rest; /* what was read beyond the last cut ... */
    int64_t rest_capacity, rest_size;
    bool over;
} hsp_chunks; /* {0} can be closed */

/* Looks at the first bytes: a UTF-8 byte order mark is skipped, UTF-16 refused. Further bytes that a reader has looked at
 * and has no more use for (a header) it skips with hsp_chunks_skip before the first piece. */
int hsp_chunks_open(hsp_chunks *c, hsp_stream *stream, hsp_record_end *ends, void *ctx, hsp_error **err);
int hsp_chunks_skip(hsp_chunks *c, int64_t bytes, hsp_error **err);
/* The next piece: 1, or 0 at the end, or a negative status. From a source that is slow a piece is what has come so far. */
int hsp_chunks_next(hsp_chunks *c, hsp_chunk *chunk, hsp_error **err);
void hsp_chunks_close(hsp_chunks *c);

#endif
