/* Bytes from a file or stdin, decompressed as they come. The format is found by its magic bytes, not by the name. */
#ifndef HSP_READ_STREAM_H
#define HSP_READ_STREAM_H

#include "halfspace.h"

#include <stdbool.h>

typedef struct hsp_stream hsp_stream;

int hsp_stream_open(const char *path, hsp_stream **out, hsp_error **err);
/* The same over bytes that the caller keeps until the stream is closed; `name` is for errors. */
int hsp_stream_open_memory(const void *bytes, int64_t size, const char *name, hsp_stream **out, hsp_error **err);
/* Looks at up to n bytes ahead without consuming them (fewer only at the end of the data, or when a pipe or terminal has
 * sent a line and then nothing for a while). Borrowed until the next call. Returns the number of bytes or a negative
 * status. n is at most 1 GiB. */
int64_t hsp_stream_peek(hsp_stream *s, int64_t n, const char **bytes, hsp_error **err);
/* Reads up to n bytes; 0 at the end; a negative status on failure (cut-off or damaged compressed data: HSP_EINPUT). */
int64_t hsp_stream_read(hsp_stream *s, char *into, int64_t n, hsp_error **err);
/* Whether a read would not have to wait: always so for files, not for a pipe or terminal that has nothing to read now. */
bool hsp_stream_ready(hsp_stream *s);
/* Whether it is a file, compressed or not, that could be opened and read once more. */
bool hsp_stream_regular(const hsp_stream *s);
/* The descriptor of a plain, uncompressed file, once something was peeked at or read, for those who would rather map it; -1
 * for all else. */
int hsp_stream_descriptor(const hsp_stream *s);
/* From now on the raw bytes are hashed as they are read (call it before the first read; 0 or HSP_EMEMORY); XXH3-64 of those
 * so far, 0 when nobody began. */
int hsp_stream_hash_begin(hsp_stream *s);
uint64_t hsp_stream_hash(const hsp_stream *s);
const char *hsp_stream_name(const hsp_stream *s); /* path, "<stdin>" for "-" */
void hsp_stream_close(hsp_stream *s);             /* NULL is allowed */

/* Bytes fetched at a time, and the size with which buffers over this stream begin. Tests make it small, before the first
 * read, to meet every way of cutting the data; what is read does not depend on it. */
int64_t hsp_stream_chunk(const hsp_stream *s);
void hsp_stream_set_chunk(hsp_stream *s, int64_t chunk);

#endif
