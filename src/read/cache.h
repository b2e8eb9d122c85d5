/* The cache of a text file: FILE.hsd beside FILE, kept by the option --cache. It is used only when it is sure to hold what
 * reading the text again would give: size, time of change and reading options are the same, and nobody can have touched
 * the text since (same inode and time of status change, of which the cache is younger by more than any clock of a file
 * system is coarse), or the hash of its bytes is the same. */
#ifndef HSP_READ_CACHE_H
#define HSP_READ_CACHE_H

#include "data/data.h"
#include "halfspace.h"

typedef struct hsp_cache hsp_cache;

/* Looks at the file before it is read. A file that can have no cache (stdin, a pipe, labels apart) is no error: nothing is
 * found then and nothing kept, and hsp_cache_note says why. */
int hsp_cache_open(const char *path, const hsp_options *o, hsp_cache **out, hsp_error **err);
/* 1 and the data, checked and ready, as reading the text would have given them (read_seconds not filled); 0 when there is
 * no cache that holds. Only the lack of memory is an error: a cache that is damaged is made again. */
int hsp_cache_find(hsp_cache *c, hsp_data **out, hsp_error **err);
/* Whether hsp_cache_keep would write anything: then it is worth to have the stream hashed. */
bool hsp_cache_wants(const hsp_cache *c);
/* Keeps what was read since hsp_cache_open; hash: of the raw bytes, hsp_stream_hash at their end. Nothing is kept when the
 * text has changed meanwhile. A cache that cannot be written is no error, but a note. */
int hsp_cache_keep(hsp_cache *c, const hsp_data *data, uint64_t hash, hsp_error **err);
/* What the user should know, one line, or NULL. Borrowed. */
const char *hsp_cache_note(const hsp_cache *c);
void hsp_cache_close(hsp_cache *c); /* NULL is allowed */

#endif
