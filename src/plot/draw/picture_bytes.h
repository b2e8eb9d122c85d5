/* The bytes of a picture's file as they are made, the kind of file by its name, and the error of a drawing without memory. */
#ifndef HSP_PLOT_DRAW_PICTURE_BYTES_H
#define HSP_PLOT_DRAW_PICTURE_BYTES_H

#include "halfspace.h"
#include "halfspace_internal.h"

#include <stdbool.h>

/* The message of HSP_EMEMORY, unless *err is set already; returns HSP_EMEMORY. The canvas, charts and
 * their parts return the bare status: hsp_figure_draw and hsp_film, which call them, add the message. */
int hsp_plot_fail_memory(hsp_error **err);
/* Whether a path is a name and an ending such as ".png", in lower or upper case. */
bool hsp_path_ends_in(const char *path, const char *ending);

typedef struct hsp_bytes {
    unsigned char *data; /* owned: hsp_free */
    int64_t size, capacity;
    bool failed; /* an append ran out of memory; the bytes are incomplete */
} hsp_bytes;     /* {0} is empty */

/* Appends n bytes. 0 or HSP_EMEMORY, also if an earlier call failed: libraries that are called back do not pass on every
 * failure. */
int hsp_bytes_add(hsp_bytes *b, const void *data, int64_t n);

#endif
