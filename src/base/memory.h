/* The allocator of all modules. Sizes are count x size, checked for overflow. Every function returns NULL on failure and
 * leaves the old block unchanged. New blocks of 4 MiB or more ask for huge pages. */
#ifndef HSP_BASE_MEMORY_H
#define HSP_BASE_MEMORY_H

#include "halfspace_internal.h" /* hsp_alloc_zero, HSP_FREE, hsp_strdup, hsp_strndup, hsp_reserve */

void *hsp_alloc(int64_t count, size_t size);             /* uninitialised */
void *hsp_resize(void *old, int64_t count, size_t size); /* as realloc; old may be NULL */
/* Set p to a new array of `count` items, zeroed or not. NULL on failure: if (!HSP_ALLOC(x, n) || !HSP_ALLOC(y, d)) ... */
#define HSP_ALLOC(p, count) ((p) = hsp_alloc((count), sizeof *(p)))
#define HSP_ALLOC_ZERO(p, count) ((p) = hsp_alloc_zero((count), sizeof *(p)))
/* Allocates several arrays of `count` zeros: HSP_ALLOC_DOUBLES(n, &a, &b). A negative count allocates none. False: out of
 * memory; the pointers not reached are left as they were, so let them be NULL before and free all of them. */
#define HSP_ALLOC_DOUBLES(count, ...) \
    hsp_alloc_doubles(count, (double **[]){__VA_ARGS__}, sizeof((double **[]){__VA_ARGS__}) / sizeof(double **))
bool hsp_alloc_doubles(int64_t count, double **const *arrays, size_t number);
/* hsp_reserve for an array and its capacity: 0 or HSP_EMEMORY. Without a call where there is room, as loops over rows ask each
 * time; `needed` is evaluated twice. */
#define HSP_RESERVE(p, capacity, needed) \
    ((needed) <= (capacity) ? 0 : hsp_reserve((void **)&(p), &(capacity), (needed), sizeof *(p)))
/* Sets `to` to a copy of `count` items; NULL if `from` is NULL. 0 or HSP_EMEMORY. */
#define HSP_COPY(to, from, count) hsp_copy((void **)&(to), (from), (count), sizeof *(to))
int hsp_copy(void **to, const void *from, int64_t count, size_t size);
/* The same of a string. */
int hsp_copy_string(char **to, const char *from);
/* The block cut to `count` items (at least 1), or as it was if that fails; NULL stays NULL. */
void *hsp_shrink(void *block, int64_t count, size_t size);
/* Advises the system that these bytes of a block are written next: populating their pages in one call costs less than a
 * page fault for each. */
void hsp_memory_expect(void *p, int64_t bytes);
/* hsp_alloc and hsp_free with the signatures of zlib. */
void *hsp_zlib_alloc(void *unused, unsigned count, unsigned size);
void hsp_zlib_free(void *unused, void *p);

/* Tests only: `calls` more allocations succeed, then all fail; negative: none fails (the default). */
void hsp_memory_fail_after(int64_t calls);
/* Likewise, but only one call fails, so that code which does not check it runs on. */
void hsp_memory_fail_once(int64_t calls);
/* Calls of the allocator since hsp_memory_fail_after or hsp_memory_fail_once. */
int64_t hsp_memory_calls(void);
/* Bytes of physical memory, or of the control group's limit when smaller. */
int64_t hsp_memory_limit(void);

#endif
