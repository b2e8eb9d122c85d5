/* Numbers into an array of the caller, of any strides. */
#ifndef HSP_PREDICT_ARRAY_OUT_H
#define HSP_PREDICT_ARRAY_OUT_H

#include "halfspace.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct hsp_array_out {
    char *data;
    int32_t dtype;
    int64_t row_step, column_step; /* bytes */
} hsp_array_out;

/* Checks that the array can take rows x columns numbers, integers (int32, int64) or not (float32, float64); what: their name,
 * for the message. One column may also be a vector. 0 or HSP_EUSAGE. */
int hsp_array_out_open(const hsp_array *a, const char *what, int64_t rows, int64_t columns, bool integers,
                       hsp_array_out *out, hsp_error **err);
/* Writes rows x columns numbers, row by row in v, from (row, column) on. A number beyond the range of float32 becomes the
 * largest one. */
void hsp_array_out_put(const hsp_array_out *a, int64_t row, int64_t column, int64_t rows, int64_t columns, const double *v);
/* Writes `columns` zeros of a row. */
void hsp_array_out_zero(const hsp_array_out *a, int64_t row, int64_t columns);

#endif
