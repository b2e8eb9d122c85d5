/* Bytes of a file or of stdin, decompressed on the fly. The compression is detected by its magic bytes, not by the name. */
#ifndef HSP_READ_STREAM_H
#define HSP_READ_STREAM_H

#include "base/text.h"
#include "halfspace.h"

#include <stdbool.h>

typedef struct hsp_stream hsp_stream;

int hsp_stream_open(const char *path, hsp_stream **out, hsp_error **err);
/* The same over memory, which must outlive the stream; `name` is for errors. */
int hsp_stream_open_memory(const void *bytes, int64_t size, const char *name, hsp_stream **out, hsp_error **err);
/* The same over the text of a translation, which it takes over: CSV with commas and a header, then a record for each line of
 * the file of that name, so that lines in messages are those of the file. */
int hsp_stream_open_translation(hsp_text *text, const char *name, hsp_stream **out, hsp_error **err);
/* The same bytes again, for a stream over a translation, which must outlive it. */
int hsp_stream_translation_again(const hsp_stream *s, hsp_stream **out, hsp_error **err);
bool hsp_stream_translated(const hsp_stream *s);
/* Peeks at the next n bytes, at most 1 GiB, without consuming them; fewer only at the end of the data, or when a pipe or
 * terminal has sent a line and then nothing for a while. Borrowed until the next call. Returns the number of bytes or a
 * negative status. */
int64_t hsp_stream_peek(hsp_stream *s, int64_t n, const char **bytes, hsp_error **err);
/* Reads up to n bytes; 0 at the end; a negative status on failure (cut-off or damaged compressed data: HSP_EINPUT). */
int64_t hsp_stream_read(hsp_stream *s, char *into, int64_t n, hsp_error **err);
/* Goes to byte `from` of the decoded data, which no read may have passed, and ends it at byte `to` (INT64_MAX: at its end).
 * What was peeked at is dropped. HSP_EINPUT: the data is shorter. */
int hsp_stream_seek(hsp_stream *s, int64_t from, int64_t to, hsp_error **err);
/* Whether a read would not block: true for files, false for a pipe or terminal without bytes at the moment. */
bool hsp_stream_ready(hsp_stream *s);
/* Whether it is a file, compressed or not, that can be read again. */
bool hsp_stream_regular(const hsp_stream *s);
/* The descriptor of an uncompressed file, for mapping it, after the first peek or read; else -1. */
int hsp_stream_descriptor(const hsp_stream *s);
/* Hashes the raw bytes as they are read; to be called before the first read; 0 or HSP_EMEMORY. The XXH3-64 so far, 0 without
 * hsp_stream_hash_begin. */
int hsp_stream_hash_begin(hsp_stream *s);
uint64_t hsp_stream_hash(const hsp_stream *s);
/* Memory that a reader may take for a line, or for a file that it reads at once; that of the machine unless it is set. */
int64_t hsp_stream_limit(const hsp_stream *s);
/* Whether so many bytes are more than a `share`-th of it. Few bytes need not ask what the machine allows, which takes longer
 * than reading them. */
bool hsp_stream_exceeds(const hsp_stream *s, int64_t bytes, int64_t share);
void hsp_stream_set_limit(hsp_stream *s, int64_t bytes);
/* HSP_EMEMORY: more would be needed. */
int hsp_stream_fail_limit(const hsp_stream *s, hsp_error **err);
const char *hsp_stream_name(const hsp_stream *s); /* path, "<stdin>" for "-" */
void hsp_stream_close(hsp_stream *s);             /* NULL is allowed */

/* Bytes fetched at a time, and the initial size of buffers over this stream. Tests make it small, before the first read, to
 * cover every way of cutting the data; what is read does not depend on it. */
int64_t hsp_stream_chunk(const hsp_stream *s);
void hsp_stream_set_chunk(hsp_stream *s, int64_t chunk);

#endif
