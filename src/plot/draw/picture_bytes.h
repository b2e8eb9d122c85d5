/* The bytes of a picture's file as they are made, and the error when there is no memory to draw it. */
#ifndef HSP_PLOT_DRAW_PICTURE_BYTES_H
#define HSP_PLOT_DRAW_PICTURE_BYTES_H

#include "halfspace.h"
#include "halfspace_internal.h"

/* Out of memory while drawing; always returns HSP_EMEMORY. */
int hsp_plot_fail_memory(hsp_error **err);

typedef struct hsp_bytes {
    unsigned char *data; /* owned: hsp_free */
    int64_t size, capacity;
} hsp_bytes; /* {0} is empty */

/* Appends. 0 or HSP_EMEMORY. */
int hsp_bytes_add(hsp_bytes *b, const void *data, int64_t n);

#endif
