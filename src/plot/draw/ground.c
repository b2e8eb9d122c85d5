#include "plot/draw/ground.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int hsp_plot_fail(hsp_error **err, int code, const char *format, ...) {
    char line[501];
    va_list a;
    va_start(a, format);
    vsnprintf(line, sizeof line, format, a);
    va_end(a);
    return hsp_error_new(err, code, line);
}

int hsp_plot_fail_memory(hsp_error **err) {
    return hsp_error_new(err, HSP_EMEMORY, "out of memory while drawing: free some, or draw fewer rows");
}

void *hsp_plot_alloc(int64_t count, size_t size) {
    if (count < 0 || (uint64_t)count > SIZE_MAX / size) return NULL;
    return calloc(count > 0 ? (size_t)count : 1, size);
}

int hsp_plot_reserve(void **block, int64_t *capacity, int64_t needed, size_t size) {
    if (needed <= *capacity) return HSP_OK;
    int64_t room = *capacity + *capacity / 2;
    if (room < needed) room = needed;
    if ((uint64_t)room > SIZE_MAX / size) return HSP_EMEMORY;
    void *grown = realloc(*block, (size_t)room * size);
    if (!grown) return HSP_EMEMORY;
    *block = grown;
    *capacity = room;
    return HSP_OK;
}

int hsp_bytes_add(hsp_bytes *b, const void *data, int64_t n) {
    if (hsp_plot_reserve((void **)&b->data, &b->capacity, b->size + n, 1)) return HSP_EMEMORY;
    if (n > 0) memcpy(b->data + b->size, data, (size_t)n);
    b->size += n;
    return HSP_OK;
}

int hsp_plot_ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}
