/* How the numbers of a row may lie in memory, and the loops over them written once for every way. The columns are 0, 1, 2,
 * ... or listed, ascending, in 16 or 32 bits; the values are doubles, floats, bytes that say where in a table of 256
 * doubles they stand, or not there at all, each being table[0]. A kernel is a macro with one body, which HSP_EACH_FORM
 * turns into a function and a place in a table for each form: whatever the form, the same entries meet the same arithmetic
 * in the same order, so the same bits come out. */
#ifndef HSP_KERNEL_FORM_H
#define HSP_KERNEL_FORM_H

#include <stdbool.h>
#include <stdint.h>

enum { HSP_CODINGS = 4, HSP_FORMS = 3 * HSP_CODINGS };

/* The form of a row: dense, 16-bit ids, 32-bit ids; in each the four codings (hsp_coding, data/matrix.h). */
static inline int hsp_form(bool listed, bool narrow, int coding) {
    return (listed ? narrow ? HSP_CODINGS : 2 * HSP_CODINGS : 0) + coding;
}

/* X(name, type of the ids, COLUMN, type of the values, VALUE): entry t is in column COLUMN(id, t) and is VALUE(x, table,
 * t), a double. In the order of hsp_form. */
#define HSP_EACH_DENSE_FORM(X)                                    \
    X(dense_f64, uint32_t, HSP_COLUMN_ALL, double, HSP_VALUE_AT)  \
    X(dense_f32, uint32_t, HSP_COLUMN_ALL, float, HSP_VALUE_AT)   \
    X(dense_code, uint32_t, HSP_COLUMN_ALL, uint8_t, HSP_CODE_AT) \
    X(dense_one, uint32_t, HSP_COLUMN_ALL, uint8_t, HSP_ONE_AT)
#define HSP_EACH_SPARSE_FORM(X)                                       \
    X(narrow_f64, uint16_t, HSP_COLUMN_LISTED, double, HSP_VALUE_AT)  \
    X(narrow_f32, uint16_t, HSP_COLUMN_LISTED, float, HSP_VALUE_AT)   \
    X(narrow_code, uint16_t, HSP_COLUMN_LISTED, uint8_t, HSP_CODE_AT) \
    X(narrow_one, uint16_t, HSP_COLUMN_LISTED, uint8_t, HSP_ONE_AT)   \
    X(wide_f64, uint32_t, HSP_COLUMN_LISTED, double, HSP_VALUE_AT)    \
    X(wide_f32, uint32_t, HSP_COLUMN_LISTED, float, HSP_VALUE_AT)     \
    X(wide_code, uint32_t, HSP_COLUMN_LISTED, uint8_t, HSP_CODE_AT)   \
    X(wide_one, uint32_t, HSP_COLUMN_LISTED, uint8_t, HSP_ONE_AT)
#define HSP_EACH_FORM(X)   \
    HSP_EACH_DENSE_FORM(X) \
    HSP_EACH_SPARSE_FORM(X)

#define HSP_COLUMN_ALL(id, t) (t)
#define HSP_COLUMN_LISTED(id, t) ((int64_t)(id)[t])
#define HSP_VALUE_AT(x, table, t) ((double)(x)[t])
#define HSP_CODE_AT(x, table, t) ((table)[(x)[t]])
#define HSP_ONE_AT(x, table, t) ((table)[0])

#endif
