#include "plot/draw/picture_bytes.h"

#include <string.h>
#include <strings.h>

int hsp_plot_fail_memory(hsp_error **err) {
    return hsp_fail(err, HSP_EMEMORY, "out of memory while drawing: draw fewer rows, or use a machine with more memory");
}

bool hsp_path_ends_in(const char *path, const char *ending) {
    size_t n = strlen(path), m = strlen(ending);
    return n > m && strcasecmp(path + n - m, ending) == 0;
}

int hsp_bytes_add(hsp_bytes *b, const void *data, int64_t n) {
    if (b->failed || hsp_reserve((void **)&b->data, &b->capacity, b->size + n, 1)) {
        b->failed = true;
        return HSP_EMEMORY;
    }
    if (n > 0) memcpy(b->data + b->size, data, (size_t)n);
    b->size += n;
    return HSP_OK;
}
