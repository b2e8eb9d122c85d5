/* The read-only bytes of a whole file: a regular file mapped into memory, so that only pages in use are read, or an
 * allocated block. Reference-counted; threads may share it. Files that halfspace writes are only ever replaced. If another
 * program truncates a mapped file, reading the missing bytes raises SIGBUS, and bytes on its last page become zeros. The
 * library catches no signals: the program does, asks hsp_map_file_at for the name, and before its files appear asks
 * hsp_maps_check. */
#ifndef HSP_BASE_MAP_H
#define HSP_BASE_MAP_H

#include "base/error.h"
#include "base/owner.h"
#include "halfspace.h"

typedef struct hsp_map hsp_map;

/* HSP_EINPUT when it is not a regular file, HSP_EIO when its size changes while it is being mapped. From then on
 * hsp_maps_check finds out whether the file at that path was changed in place. */
int hsp_map_open(const char *path, hsp_map **out, hsp_error **err);
/* The same from a descriptor, which the caller closes; `name` is for errors. */
int hsp_map_open_descriptor(int fd, const char *name, hsp_map **out, hsp_error **err);
/* Takes ownership of `bytes`, from hsp_alloc, also on failure. */
int hsp_map_take(char *bytes, int64_t size, hsp_map **out, hsp_error **err);

const char *hsp_map_bytes(const hsp_map *m); /* never NULL; aligned to 16 bytes */
int64_t hsp_map_size(const hsp_map *m);
/* Advises the system that all of it will be read soon. */
void hsp_map_expect(const hsp_map *m);
/* Advises the system that these bytes, if they are among those of m, will be read soon, or will not be read soon, so that
 * their pages need not stay in memory: they are read from the file again when they are needed. */
void hsp_map_want(const hsp_map *m, const void *from, int64_t bytes);
void hsp_map_spare(const hsp_map *m, const void *from, int64_t bytes);
/* The caller itself will change the file: hsp_maps_check passes over it. */
void hsp_map_unwatch(hsp_map *m);
/* HSP_EIO: the pages at `bytes` have gone, because another program made the file shorter. */
int hsp_map_fail(const void *bytes, hsp_error **err);
/* Adds a reference, to be closed as well. Returns m. */
hsp_map *hsp_map_share(hsp_map *m);
void hsp_map_close(hsp_map *m); /* NULL is allowed */
/* A new owner with a reference to m; NULL: out of memory. */
hsp_owner *hsp_map_owner(hsp_map *m);

#endif
