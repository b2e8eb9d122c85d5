/* The one allocator. Sizes are count x size, checked for overflow; every function returns NULL on failure and leaves the
 * old block alone. New blocks of some megabytes ask for large pages. Tests make allocations fail with
 * hsp_memory_fail_after and hsp_memory_fail_once. */
#ifndef HSP_BASE_MEMORY_H
#define HSP_BASE_MEMORY_H

#include "halfspace_internal.h" /* hsp_alloc_zero, HSP_FREE, hsp_strdup, hsp_strndup, hsp_reserve */

void *hsp_alloc(int64_t count, size_t size);             /* uninitialised */
void *hsp_resize(void *old, int64_t count, size_t size); /* as realloc; old may be NULL */
/* Set p to a new array of `count` items, zeroed or not. NULL on failure: if (!HSP_ALLOC(x, n) || !HSP_ALLOC(y, d)) ... */
#define HSP_ALLOC(p, count) ((p) = hsp_alloc((count), sizeof *(p)))
#define HSP_ALLOC_ZERO(p, count) ((p) = hsp_alloc_zero((count), sizeof *(p)))
/* Advice that these bytes, a part of a block, are written next: the system has their pages made at once, which is cheaper
 * than at the first touch of each. */
void hsp_memory_expect(void *p, int64_t bytes);
/* The same in the form that zlib asks for. */
void *hsp_zlib_alloc(void *unused, unsigned count, unsigned size);
void hsp_zlib_free(void *unused, void *p);

/* Tests only: let `calls` more allocations succeed, then fail all; negative: never fail (the default). */
void hsp_memory_fail_after(int64_t calls);
/* Likewise, but only the one call after those fails, as when memory is short for a moment: whoever does not check it goes
 * on. */
void hsp_memory_fail_once(int64_t calls);
/* Calls of the allocator since hsp_memory_fail_after or hsp_memory_fail_once. */
int64_t hsp_memory_calls(void);
/* Physical memory of the machine (or of the control group, when smaller) in bytes. */
int64_t hsp_memory_limit(void);

#endif
