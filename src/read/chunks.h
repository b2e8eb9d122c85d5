/* Cuts a stream into pieces at the ends of records, so that threads can parse them in parallel. Buffers are reused; a piece
 * is larger than usual only when a single record needs it. */
#ifndef HSP_READ_CHUNKS_H
#define HSP_READ_CHUNKS_H

#include "halfspace.h"
#include "read/stream.h"

/* The longest record that is accepted. */
#define HSP_RECORD_LIMIT ((int64_t)1 << 30)

/* A piece: whole records from begin to end; the last record of the file may lack its line end. HSP_CHUNK_PAD bytes follow
 * that are not part of the data, a '\n' and zeros, so that parsers may read ahead without checks. */
enum { HSP_CHUNK_PAD = 64 };
typedef struct hsp_chunk {
    char *memory; /* owned */
    int64_t capacity;
    char *begin, *end;
    int64_t at;        /* byte of the decoded data at which it begins */
    int64_t row, rows; /* binary files: the piece is these rows instead */
} hsp_chunk;           /* {0} is an empty one */

void hsp_chunk_free(hsp_chunk *c);

/* The end of the record that begins at p, after its line end; NULL when it does not end before `end`. over: the data ends at
 * `end`, and so does the record. */
typedef const char *hsp_record_end(const char *p, const char *end, bool over, void *ctx);

typedef struct hsp_chunks {
    hsp_stream *stream;   /* borrowed */
    hsp_record_end *ends; /* NULL: records are lines */
    void *ctx;
    char *rest; /* owned: bytes read beyond the last cut */
    int64_t rest_capacity, rest_size;
    int64_t at; /* byte of the decoded data after the last piece */
    bool over;
    bool marked; /* the stream began with a byte order mark */
} hsp_chunks;    /* {0} can be closed */

/* Skips a UTF-8 byte order mark; rejects UTF-16. Before the first piece a reader may skip more bytes, such as a header, with
 * hsp_chunks_skip. */
int hsp_chunks_open(hsp_chunks *c, hsp_stream *stream, hsp_record_end *ends, void *ctx, hsp_error **err);
int hsp_chunks_skip(hsp_chunks *c, int64_t bytes, hsp_error **err);
/* The next piece: 1, or 0 at the end, or a negative status. From a slow source a piece is what has arrived so far. */
int hsp_chunks_next(hsp_chunks *c, hsp_chunk *chunk, hsp_error **err);
/* Before the first piece: the pieces are those of the bytes `from` to `to`, which begin and end with records. */
int hsp_chunks_seek(hsp_chunks *c, int64_t from, int64_t to, hsp_error **err);
/* The byte of the decoded data at which the line after `lines` more lines of the piece begins. */
int64_t hsp_chunk_place(const hsp_chunk *k, int64_t lines);
void hsp_chunks_close(hsp_chunks *c);

#endif
