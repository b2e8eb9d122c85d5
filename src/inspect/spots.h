/* The numbers of a column, each with the class and the place of its row, and their order. */
#ifndef HSP_INSPECT_SPOTS_H
#define HSP_INSPECT_SPOTS_H

#include <stdint.h>

typedef struct hsp_spot {
    double v;          /* finite; no -0 */
    int32_t class, at; /* class of its row; place of its row in the sample */
} hsp_spot;

/* Sorts by value; equal ones stay in their order. scratch: n spots. */
void hsp_spots_sort(hsp_spot *s, int64_t n, hsp_spot *scratch);

#endif
