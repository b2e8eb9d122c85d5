/* The forms in which rows are stored, and loops over them written once for all forms. The columns are 0, 1, 2, ... or a list
 * of ascending ids in 16 or 32 bits. The values are doubles, floats, 8-bit indices into a table of 256 doubles, or absent,
 * each being table[0]. A kernel is a macro with one body, of which HSP_EACH_FORM makes a function and an entry in a table
 * for each form: the same arithmetic in the same order, so every form gives the same bits. */
#ifndef HSP_KERNEL_FORM_H
#define HSP_KERNEL_FORM_H

#include <stdbool.h>
#include <stdint.h>

enum { HSP_CODINGS = 4, HSP_FORMS = 3 * HSP_CODINGS };

/* The form of a row: dense, 16-bit ids, 32-bit ids; each with the four codings (hsp_coding, data/matrix.h). */
static inline int hsp_form(bool listed, bool narrow, int coding) {
    return (listed ? narrow ? HSP_CODINGS : 2 * HSP_CODINGS : 0) + coding;
}

/* X(name, id_type, COLUMN, type, VALUE), in the order of hsp_form: entry t is in column COLUMN(id, t) and has the value
 * VALUE(x, table, t), a double. */
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

/* The variables that COLUMN and VALUE use, from the arguments of a kernel or from an hsp_row; a form may leave some unused. */
#define HSP_ENTRIES(id_type, ids, type, values) \
    const id_type *id = (ids);                  \
    const type *x = (values);                   \
    (void)id, (void)x, (void)table
#define HSP_ROW_ENTRIES(id_type, type, row) \
    const double *table = (row).table;      \
    HSP_ENTRIES(id_type, (row).id, type, (row).value)

#define HSP_COLUMN_ALL(id, t) (t)
#define HSP_COLUMN_LISTED(id, t) ((int64_t)(id)[t])
#define HSP_VALUE_AT(x, table, t) ((double)(x)[t])
#define HSP_CODE_AT(x, table, t) ((table)[(x)[t]])
#define HSP_ONE_AT(x, table, t) ((table)[0])

#endif
