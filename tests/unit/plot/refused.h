/* Makes allocations of the plot library fail: for tests linked with --wrap of the memory functions of
 * halfspace_internal.h. */
#ifndef HSP_TESTS_REFUSED_H
#define HSP_TESTS_REFUSED_H

#include "halfspace_internal.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Fontconfig keeps its tables to the end of the process. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
    return "leak:libfontconfig";
}

void *__real_hsp_alloc_zero(int64_t count, size_t size);
int __real_hsp_reserve(void **block, int64_t *capacity, int64_t needed, size_t size);
char *__real_hsp_strdup(const char *s);
char *__real_hsp_strndup(const char *s, size_t n);
int __real_hsp_text_take(hsp_text *t, char **out, hsp_error **err);
int __real_hsp_json_take(hsp_json *j, hsp_report **out, hsp_error **err);
void *__wrap_hsp_alloc_zero(int64_t count, size_t size);
int __wrap_hsp_reserve(void **block, int64_t *capacity, int64_t needed, size_t size);
char *__wrap_hsp_strdup(const char *s);
char *__wrap_hsp_strndup(const char *s, size_t n);
int __wrap_hsp_text_take(hsp_text *t, char **out, hsp_error **err);
int __wrap_hsp_json_take(hsp_json *j, hsp_report **out, hsp_error **err);

static int64_t allowed = -1; /* allocations that still succeed; negative: all */
static bool refused_once;    /* whether those after the one that fails succeed again */
/* Called at every allocation, unless it is NULL: for what may come at any time. */
static void (*at_allocation)(void);

static inline bool refused_memory(void) {
    if (allowed < 0) return false;
    bool refused = allowed == 0;
    if (!refused || refused_once) allowed--;
    return refused;
}

void *__wrap_hsp_alloc_zero(int64_t count, size_t size) {
    if (at_allocation) at_allocation();
    return refused_memory() ? NULL : __real_hsp_alloc_zero(count, size);
}

int __wrap_hsp_reserve(void **block, int64_t *capacity, int64_t needed, size_t size) {
    if (needed > *capacity && refused_memory()) return HSP_EMEMORY;
    return __real_hsp_reserve(block, capacity, needed, size);
}

char *__wrap_hsp_strdup(const char *s) {
    return refused_memory() ? NULL : __real_hsp_strdup(s);
}

char *__wrap_hsp_strndup(const char *s, size_t n) {
    return refused_memory() ? NULL : __real_hsp_strndup(s, n);
}

/* Replaces the appends, which are calls inside the core. */
int __wrap_hsp_text_take(hsp_text *t, char **out, hsp_error **err) {
    if (refused_memory()) t->failed = true;
    return __real_hsp_text_take(t, out, err);
}

/* Likewise for the members of a report. */
int __wrap_hsp_json_take(hsp_json *j, hsp_report **out, hsp_error **err) {
    if (refused_memory()) hsp_json_fail(j);
    return __real_hsp_json_take(j, out, err);
}

#endif
