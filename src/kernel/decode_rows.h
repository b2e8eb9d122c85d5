/* Rows as doubles: loops that the compiler vectorises, for plain.c and dense_rows.c. */
#ifndef HSP_KERNEL_DECODE_ROWS_H
#define HSP_KERNEL_DECODE_ROWS_H

#include "kernel/form.h"

#define HSP_ROW_DECODE(form, id_type, COLUMN, type, VALUE)                                                           \
    static void decode_##form(const void *ids, const void *values, const double *table, int64_t from, int64_t n, \
                              uint32_t *restrict column, double *restrict value) {                               \
        HSP_ENTRIES(id_type, ids, type, values);                                                                 \
        for (int64_t t = 0; column && t < n; t++) column[t] = (uint32_t)COLUMN(id, from + t);                    \
        for (int64_t t = 0; t < n; t++) value[t] = VALUE(x, table, from + t);                                    \
    }

#define HSP_ROW_TRANSFORM(form, id_type, COLUMN, type, VALUE)                                                          \
    static void transform_##form(const void *values, const double *table, int64_t n, const double *restrict shift,     \
                                 const double *restrict factor, double *restrict out) {                                \
        const type *restrict x = values;                                                                               \
        (void)x, (void)table;                                                                                          \
        if (shift)                                                                                                     \
            for (int64_t t = 0; t < n; t++) out[t] = (VALUE(x, table, t) - shift[t]) * factor[t];                      \
        else                                                                                                           \
            for (int64_t t = 0; t < n; t++) out[t] = VALUE(x, table, t) * factor[t];                                   \
    }

#endif
