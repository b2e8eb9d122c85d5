/* The counters of the test hook are atomic because threads allocate. */
#include "base/memory.h"

#include "base/cgroup.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static atomic_int_least64_t made;
static atomic_int_least64_t allowed = -1;
static atomic_bool once; /* only the first call after those allowed fails */

/* Sets *bytes, at least 1 because malloc(0) may be NULL. False: overflow, or the test hook fails the call. */
static bool may_allocate(int64_t count, size_t size, size_t *bytes) {
    int64_t limit = atomic_load_explicit(&allowed, memory_order_relaxed);
    int64_t before = atomic_fetch_add_explicit(&made, 1, memory_order_relaxed);
    if (limit >= 0 && before >= limit && (before == limit || !atomic_load_explicit(&once, memory_order_relaxed)))
        return false;
    if (count < 0 || __builtin_mul_overflow((size_t)count, size, bytes) || *bytes > PTRDIFF_MAX) return false;
    if (*bytes == 0) *bytes = 1;
    return true;
}

/* Huge pages make the first touch and random access of a large block much cheaper. */
static void *advise_huge_pages(void *block, size_t bytes) {
    enum { PAGE = 1 << 21, LARGE = 2 * PAGE };
#ifdef MADV_HUGEPAGE
    if (block == NULL || bytes < LARGE) return block;
    uintptr_t begin = ((uintptr_t)block + PAGE - 1) / PAGE * PAGE, end = ((uintptr_t)block + bytes) / PAGE * PAGE;
    (void)madvise((void *)begin, end - begin, MADV_HUGEPAGE);
#endif
    return block;
}

void hsp_memory_expect(void *p, int64_t bytes) {
#ifdef MADV_POPULATE_WRITE
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = (uintptr_t)p / page * page;
    (void)madvise((void *)begin, (uintptr_t)p + (uintptr_t)bytes - begin, MADV_POPULATE_WRITE);
#else
    (void)p, (void)bytes;
#endif
}

void *hsp_alloc(int64_t count, size_t size) {
    size_t bytes;
    return may_allocate(count, size, &bytes) ? advise_huge_pages(malloc(bytes), bytes) : NULL;
}

void *hsp_alloc_zero(int64_t count, size_t size) {
    size_t bytes;
    return may_allocate(count, size, &bytes) ? advise_huge_pages(calloc(bytes, 1), bytes) : NULL;
}

bool hsp_alloc_doubles(int64_t count, double **const *arrays, size_t number) {
    for (size_t k = 0; count >= 0 && k < number; k++)
        if (!(*arrays[k] = hsp_alloc_zero(count, sizeof(double)))) return false;
    return true;
}

void *hsp_resize(void *old, int64_t count, size_t size) {
    size_t bytes;
    return may_allocate(count, size, &bytes) ? realloc(old, bytes) : NULL;
}

char *hsp_strndup(const char *s, size_t n) {
    if (s == NULL) return NULL;
    size_t length = strnlen(s, n);
    if (length >= PTRDIFF_MAX) return NULL;
    char *copy = hsp_alloc((int64_t)length + 1, 1);
    if (copy == NULL) return NULL;
    memcpy(copy, s, length);
    copy[length] = '\0';
    return copy;
}

char *hsp_strdup(const char *s) {
    return s == NULL ? NULL : hsp_strndup(s, strlen(s));
}

int hsp_copy(void **to, const void *from, int64_t count, size_t size) {
    void *copy = from ? hsp_alloc(count > 0 ? count : 1, size) : NULL;
    if (copy && count > 0) memcpy(copy, from, (size_t)count * size);
    memcpy(to, &copy, sizeof copy); /* as bytes: the caller's pointer is of another type */
    return from && !copy ? HSP_EMEMORY : HSP_OK;
}

int hsp_copy_string(char **to, const char *from) {
    *to = hsp_strdup(from);
    return from && !*to ? HSP_EMEMORY : HSP_OK;
}

void *hsp_shrink(void *block, int64_t count, size_t size) {
    void *trimmed = block ? hsp_resize(block, count > 0 ? count : 1, size) : NULL;
    return trimmed ? trimmed : block;
}

int hsp_reserve(void **block, int64_t *capacity, int64_t needed, size_t size) {
    if (needed <= *capacity) return HSP_OK;
    int64_t grown = *capacity > INT64_MAX / 2 ? needed : *capacity + *capacity / 2;
    if (grown < 16) grown = 16;
    if (grown < needed) grown = needed;
    /* The caller's pointer has another type than void *: memcpy avoids aliasing it. */
    void *old, *new;
    memcpy(&old, block, sizeof old);
    new = hsp_resize(old, grown, size);
    if (new == NULL) return HSP_EMEMORY;
    memcpy(block, &new, sizeof new);
    *capacity = grown;
    return HSP_OK;
}

void hsp_free(void *p) {
    free(p);
}

void hsp_free_each(void *const *blocks, size_t count) {
    for (size_t i = 0; i < count; i++) hsp_free(blocks[i]);
}

void *hsp_zlib_alloc(void *unused, unsigned count, unsigned size) {
    (void)unused;
    return hsp_alloc((int64_t)count, size);
}

void hsp_zlib_free(void *unused, void *p) {
    (void)unused;
    hsp_free(p);
}

void hsp_memory_fail_after(int64_t calls) {
    atomic_store(&once, false);
    atomic_store(&made, 0);
    atomic_store(&allowed, calls);
}

void hsp_memory_fail_once(int64_t calls) {
    hsp_memory_fail_after(calls);
    atomic_store(&once, true);
}

int64_t hsp_memory_calls(void) {
    return atomic_load(&made);
}

int64_t hsp_memory_limit(void) {
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    int64_t machine = pages > 0 && page > 0 ? (int64_t)pages * page : INT64_MAX,
            group = hsp_cgroup_limit(HSP_CGROUP_MEMORY);
    return group < machine ? group : machine;
}
