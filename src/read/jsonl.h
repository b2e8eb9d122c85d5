/* JSON lines: an object of strings, numbers, true, false and null on each line. */
#ifndef HSP_READ_JSONL_H
#define HSP_READ_JSONL_H

#include "halfspace.h"
#include "read/stream.h"

#include <stdbool.h>

/* Whether the first line of the n bytes that is not blank is an object with a key, `{"key": ...}`. A line that goes on after
 * the bytes counts as one. */
bool hsp_jsonl_begins(const char *bytes, int64_t n);

/* Reads all of a stream and writes it as CSV: a header of all keys in the order in which they appear, then a record for each
 * line, blank for a blank line. `out` is a stream over that text, of the same name (hsp_stream_translated); the caller closes
 * it, and the first stream. */
int hsp_jsonl_translate(hsp_stream *stream, hsp_stream **out, hsp_error **err);

#endif
