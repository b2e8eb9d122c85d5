/* Arrays of callers as input: which ones are valid, and their elements as doubles or integers. Elements need not be
 * aligned. */
#ifndef HSP_DATA_ARRAY_INPUT_H
#define HSP_DATA_ARRAY_INPUT_H

#include "halfspace.h"

#include <stdbool.h>

/* Sets of dtypes, as bits. */
#define HSP_DTYPES_FLOAT (1u << HSP_FLOAT32 | 1u << HSP_FLOAT64)
#define HSP_DTYPES_INDEX (1u << HSP_INT32 | 1u << HSP_INT64)
#define HSP_DTYPES_INTEGER \
    (HSP_DTYPES_INDEX | 1u << HSP_INT8 | 1u << HSP_UINT8 | 1u << HSP_BOOL | 1u << HSP_INT16 | 1u << HSP_UINT32)
#define HSP_DTYPES_DENSE (HSP_DTYPES_FLOAT | (HSP_DTYPES_INTEGER & ~(1u << HSP_UINT32)))

/* What is expected of an array. */
typedef struct hsp_array_form {
    const char *name; /* in messages */
    int32_t ndim;
    unsigned dtypes;    /* a set of them */
    const char *listed; /* the same as text: "int32 or int64" */
} hsp_array_form;

/* HSP_EUSAGE if the array is not of that form, its size is not set, a shape is negative, it has elements but no data, or they
 * would not fit an address space. */
int hsp_array_check(const hsp_array *a, const hsp_array_form *form, hsp_error **err);
/* The same of a vector with an element for each of n rows; else HSP_EINPUT. */
int hsp_array_check_rows(const hsp_array *a, const hsp_array_form *form, int64_t n, hsp_error **err);
/* Bytes of an element of a known dtype. */
int64_t hsp_dtype_size(int32_t dtype);
/* Whether every element is aligned and their distances are multiples of its size, so that C can read them in place. */
bool hsp_array_in_place(const hsp_array *a);
/* Elements `from` to `from` + count - 1 of a vector: any dtype; integers and bool alone. */
void hsp_array_numbers(const hsp_array *a, int64_t from, int64_t count, double *out);
void hsp_array_integers(const hsp_array *a, int64_t from, int64_t count, int64_t *out);

#endif
