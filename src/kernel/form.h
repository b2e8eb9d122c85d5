/* The forms in which rows are stored, and loops over them written once for all forms. The columns are 0, 1, 2, ... or a list
 * of ascending ids in 16, 32 or 64 bits. The values are doubles, floats, 8-bit indices into a table of 256 doubles, or absent,
 * each being table[0]. Dense rows, which may be memory of a caller, can also be integers of 16, 32 or 64 bits, and their
 * values need not be adjacent: table[HSP_STEP] is then the distance from one to the next. A kernel is a macro with one body,
 * of which HSP_EACH_FORM makes a function and an entry in a table for each form: the same arithmetic in the same order, so
 * every form gives the same bits. */
#ifndef HSP_KERNEL_FORM_H
#define HSP_KERNEL_FORM_H

#include <stdbool.h>
#include <stdint.h>

/* The codings of values (hsp_coding, data/matrix.h): the first four of all rows, the others of dense rows alone. Then the
 * forms: dense rows by coding, and sparse rows by the width of their ids and by coding. */
enum {
    HSP_CODINGS = 4,
    HSP_DENSE_CODINGS = 13,
    HSP_SPARSE_FORMS = 3 * HSP_CODINGS,
    HSP_FORMS = HSP_DENSE_CODINGS + HSP_SPARSE_FORMS
};

/* The width of ids. */
typedef enum hsp_ids { HSP_IDS_32, HSP_IDS_16, HSP_IDS_64 } hsp_ids;

enum { HSP_TABLE = 256, HSP_STEP = HSP_TABLE }; /* places of a table; that of the step, behind them */

/* The form of a sparse row among the sparse ones, and of any row. */
static inline int hsp_sparse_form(hsp_ids ids, int coding) {
    return (int)ids * HSP_CODINGS + coding;
}
static inline int hsp_form(bool listed, hsp_ids ids, int coding) {
    return listed ? HSP_DENSE_CODINGS + hsp_sparse_form(ids, coding) : coding;
}

/* X(name, id_type, COLUMN, type, VALUE), in the order of hsp_form: entry t is in column COLUMN(id, t) and has the value
 * VALUE(x, table, t), a double. */
#define HSP_EACH_DENSE_FORM(X)                                        \
    X(dense_f64, uint32_t, HSP_COLUMN_ALL, double, HSP_VALUE_AT)      \
    X(dense_f32, uint32_t, HSP_COLUMN_ALL, float, HSP_VALUE_AT)       \
    X(dense_code, uint32_t, HSP_COLUMN_ALL, uint8_t, HSP_CODE_AT)     \
    X(dense_one, uint32_t, HSP_COLUMN_ALL, uint8_t, HSP_ONE_AT)       \
    X(dense_i16, uint32_t, HSP_COLUMN_ALL, int16_t, HSP_VALUE_AT)     \
    X(dense_i32, uint32_t, HSP_COLUMN_ALL, int32_t, HSP_VALUE_AT)     \
    X(dense_i64, uint32_t, HSP_COLUMN_ALL, int64_t, HSP_VALUE_AT)     \
    X(step_f64, uint32_t, HSP_COLUMN_ALL, double, HSP_STEP_VALUE_AT)  \
    X(step_f32, uint32_t, HSP_COLUMN_ALL, float, HSP_STEP_VALUE_AT)   \
    X(step_code, uint32_t, HSP_COLUMN_ALL, uint8_t, HSP_STEP_CODE_AT) \
    X(step_i16, uint32_t, HSP_COLUMN_ALL, int16_t, HSP_STEP_VALUE_AT) \
    X(step_i32, uint32_t, HSP_COLUMN_ALL, int32_t, HSP_STEP_VALUE_AT) \
    X(step_i64, uint32_t, HSP_COLUMN_ALL, int64_t, HSP_STEP_VALUE_AT)
#define HSP_EACH_SPARSE_FORM(X)                                       \
    X(wide_f64, uint32_t, HSP_COLUMN_LISTED, double, HSP_VALUE_AT)    \
    X(wide_f32, uint32_t, HSP_COLUMN_LISTED, float, HSP_VALUE_AT)     \
    X(wide_code, uint32_t, HSP_COLUMN_LISTED, uint8_t, HSP_CODE_AT)   \
    X(wide_one, uint32_t, HSP_COLUMN_LISTED, uint8_t, HSP_ONE_AT)     \
    X(narrow_f64, uint16_t, HSP_COLUMN_LISTED, double, HSP_VALUE_AT)  \
    X(narrow_f32, uint16_t, HSP_COLUMN_LISTED, float, HSP_VALUE_AT)   \
    X(narrow_code, uint16_t, HSP_COLUMN_LISTED, uint8_t, HSP_CODE_AT) \
    X(narrow_one, uint16_t, HSP_COLUMN_LISTED, uint8_t, HSP_ONE_AT)   \
    X(long_f64, uint64_t, HSP_COLUMN_LISTED, double, HSP_VALUE_AT)    \
    X(long_f32, uint64_t, HSP_COLUMN_LISTED, float, HSP_VALUE_AT)     \
    X(long_code, uint64_t, HSP_COLUMN_LISTED, uint8_t, HSP_CODE_AT)   \
    X(long_one, uint64_t, HSP_COLUMN_LISTED, uint8_t, HSP_ONE_AT)
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
#define HSP_STEP_VALUE_AT(x, table, t) ((double)(x)[(t) * (int64_t)(table)[HSP_STEP]])
#define HSP_STEP_CODE_AT(x, table, t) ((table)[(x)[(t) * (int64_t)(table)[HSP_STEP]]])

#endif
