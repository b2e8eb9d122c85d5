/* The values of a column with the class and the position of their rows, and a sort. */
#ifndef HSP_INSPECT_SPOTS_H
#define HSP_INSPECT_SPOTS_H

#include <stdint.h>

typedef struct hsp_spot {
    double v;          /* finite; no -0 */
    int32_t class, at; /* class of its row; index of its row in the sample */
} hsp_spot;

/* Stable sort by value. scratch: n spots. */
void hsp_spots_sort(hsp_spot *s, int64_t n, hsp_spot *scratch);

#endif
