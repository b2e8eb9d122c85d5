/* The cache of a text file: FILE.hsd beside FILE, written by the option --cache. It is valid when reading the text again
 * would give the same data: size, modification time and reading options are the same, and the text cannot have changed
 * since (same inode and status change time, which precedes the cache by more than the resolution of file times), or the
 * hash of its bytes is the same. */
#ifndef HSP_READ_CACHE_H
#define HSP_READ_CACHE_H

#include "data/data.h"
#include "halfspace.h"

typedef struct hsp_cache hsp_cache;

/* Records the state of the file before it is read. A file that cannot have a cache (stdin, a pipe, labels in another file)
 * is not an error: nothing is found and nothing written, and hsp_cache_note gives the reason. */
int hsp_cache_open(const char *path, const hsp_options *o, hsp_cache **out, hsp_error **err);
/* 1 and the data, checked, as from reading the text (read_seconds not set); 0 when there is no valid cache. Only lack of
 * memory is an error: a damaged cache is written again. */
int hsp_cache_find(hsp_cache *c, hsp_data **out, hsp_error **err);
/* Whether hsp_cache_keep would write a cache, for which the stream has to be hashed. */
bool hsp_cache_wants(const hsp_cache *c);
/* Writes the data read since hsp_cache_open; hash: of the raw bytes, hsp_stream_hash at their end. Nothing is written when
 * the text has changed meanwhile. A cache that cannot be written is not an error, but a note. */
int hsp_cache_keep(hsp_cache *c, const hsp_data *data, uint64_t hash, hsp_error **err);
/* A line for the user, or NULL. Borrowed. */
const char *hsp_cache_note(const hsp_cache *c);
void hsp_cache_close(hsp_cache *c); /* NULL is allowed */

#endif
