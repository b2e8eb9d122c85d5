/* Allocations of the plot library, made to fail: for tests linked with --wrap of calloc and realloc. */
#ifndef HSP_TESTS_REFUSED_H
#define HSP_TESTS_REFUSED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Fontconfig keeps its tables to the end of the process. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
    return "leak:libfontconfig";
}

void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
/* Visible, because with --wrap the sanitised libraries may refer to them too. */
__attribute__((visibility("default"))) void *__wrap_calloc(size_t count, size_t size);
__attribute__((visibility("default"))) void *__wrap_realloc(void *old, size_t size);

static int64_t allowed = -1; /* allocations that still succeed; negative: all */
/* Called at every allocation, when it is not NULL: for what comes at any moment. */
static void (*at_allocation)(void);

static inline bool refused_memory(void) {
    if (allowed < 0) return false;
    if (allowed == 0) return true;
    allowed--;
    return false;
}

void *__wrap_calloc(size_t count, size_t size) {
    if (at_allocation) at_allocation();
    return refused_memory() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size) {
    return refused_memory() ? NULL : __real_realloc(old, size);
}

#endif
