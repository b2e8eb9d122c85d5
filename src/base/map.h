/* The bytes of a whole file, not to be changed: a regular file mapped into memory, so that only what is looked at is read,
 * or memory that stands in for one. Counted references; may be shared between threads. A file that somebody cuts short
 * while it is mapped ends the process when the missing bytes are touched: files that halfspace writes are never changed
 * in place, only replaced. */
#ifndef HSP_BASE_MAP_H
#define HSP_BASE_MAP_H

#include "base/error.h"
#include "halfspace.h"

typedef struct hsp_map hsp_map;

/* A regular file; anything else (a pipe, a device, a folder) is HSP_EINPUT. One that changes its size while it is being
 * mapped is HSP_EIO. */
int hsp_map_open(const char *path, hsp_map **out, hsp_error **err);
/* The same by a descriptor, which stays the caller's; `name` is for errors. */
int hsp_map_open_descriptor(int fd, const char *name, hsp_map **out, hsp_error **err);
/* Takes `bytes`, made by hsp_alloc, over; also on failure. */
int hsp_map_take(char *bytes, int64_t size, hsp_map **out, hsp_error **err);

const char *hsp_map_bytes(const hsp_map *m); /* not NULL, also of an empty file; the first on a boundary of 16 bytes */
int64_t hsp_map_size(const hsp_map *m);
/* Whether p points into the bytes; m NULL: no. */
bool hsp_map_holds(const hsp_map *m, const void *p);
/* Frees p, unless it points into the bytes. m and p may be NULL. */
void hsp_map_drop(const hsp_map *m, void *p);
/* Tells the system that all of it will be read soon, from the beginning to the end. */
void hsp_map_expect(const hsp_map *m);
/* One more holder, who closes it as well. Returns m. */
hsp_map *hsp_map_share(hsp_map *m);
void hsp_map_close(hsp_map *m); /* NULL is allowed */

#endif
