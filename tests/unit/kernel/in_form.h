/* The same entries in every form that can hold them (kernel/form.h), in memory of exact size. */
#ifndef TESTS_IN_FORM_H
#define TESTS_IN_FORM_H

#include "base/memory.h"
#include "base/rng.h"
#include "halfspace.h"
#include "kernel/form.h"

#include <stdlib.h>
#include <string.h>

enum {
    F64_FORM,
    F32_FORM,
    CODE_FORM,
    ONE_FORM,
    I16_FORM,
    I32_FORM,
    I64_FORM,
    STEP_FORMS,
    STEP_CODE_FORM = STEP_FORMS + 2,
    TABLE = 256
};
enum { VALUE_STEP = 3 }; /* of values that are not adjacent */

/* The coding of a form, and the width of its ids. */
static inline int coding_in(int form) {
    return form < HSP_DENSE_CODINGS ? form : (form - HSP_DENSE_CODINGS) % HSP_CODINGS;
}
static inline hsp_ids ids_in(int form) {
    return form < HSP_DENSE_CODINGS ? HSP_IDS_32 : (hsp_ids)((form - HSP_DENSE_CODINGS) / HSP_CODINGS);
}
/* The coding of the same values side by side. */
static inline int adjacent_in(int coding) {
    static const int of[] = {F64_FORM, F32_FORM, CODE_FORM, I16_FORM, I32_FORM, I64_FORM};
    return coding < STEP_FORMS ? coding : of[coding - STEP_FORMS];
}
static inline int step_in(int coding) {
    return coding < STEP_FORMS ? 1 : VALUE_STEP;
}

/* n numbers that the coding can hold: any; floats; two hundred, not exact in float; one; integers. */
static double *values_for(int coding, int64_t n, uint64_t seed) {
    hsp_rng r = hsp_rng_new(seed, 0);
    double kind[200], *x = hsp_alloc(n, sizeof *x);
    int form = adjacent_in(coding);
    for (int k = 0; k < 200; k++) kind[k] = hsp_rng_normal(&r);
    for (int64_t t = 0; t < n; t++) {
        double v = hsp_rng_normal(&r);
        x[t] = form == F64_FORM   ? v
               : form == F32_FORM ? (double)(float)v
               : form >= I16_FORM ? (double)(int64_t)(v * 100)
                                  : kind[form == CODE_FORM ? hsp_rng_below(&r, 200) : 0];
    }
    return x;
}

/* The table of a code lists the numbers in order of appearance; the rest of it is never read. */
static uint8_t code_of(double v, double *table, int *used) {
    for (int k = 0; k < *used; k++)
        if (memcmp(&table[k], &v, sizeof v) == 0) return (uint8_t)k;
    if (*used == TABLE) abort();
    table[*used] = v;
    return (uint8_t)(*used)++;
}

static void store_value(int form, void *out, int64_t at, double v, double *table, int *used) {
    if (form == F64_FORM) ((double *)out)[at] = v;
    if (form == F32_FORM) ((float *)out)[at] = (float)v;
    if (form == CODE_FORM) ((uint8_t *)out)[at] = code_of(v, table, used);
    if (form == I16_FORM) ((int16_t *)out)[at] = (int16_t)v;
    if (form == I32_FORM) ((int32_t *)out)[at] = (int32_t)v;
    if (form == I64_FORM) ((int64_t *)out)[at] = (int64_t)v;
    if (form == ONE_FORM) table[0] = v;
}

/* Numbers in a coding, as it stores them; *table is NULL when there is none. Nothing is allocated behind the last. */
static void *coded(int coding, int64_t n, const double *x, double **table) {
    const size_t size[] = {sizeof(double), sizeof(float), 1, 0, 2, 4, 8};
    int form = adjacent_in(coding), step = step_in(coding), used = 0;
    void *out = form == ONE_FORM ? NULL : hsp_alloc_zero(n > 0 ? (n - 1) * step + 1 : 0, size[form]);
    bool has_table = form == CODE_FORM || form == ONE_FORM || step > 1;
    *table = has_table ? hsp_alloc_zero(TABLE + (step > 1), sizeof **table) : NULL;
    if (step > 1) (*table)[HSP_STEP] = step;
    for (int64_t t = 0; t < n; t++) store_value(form, out, t * step, x[t], *table, &used);
    return out;
}

static void *listed(hsp_ids width, int64_t n, const uint32_t *id) {
    const size_t size[] = {
        [HSP_IDS_16] = sizeof(uint16_t), [HSP_IDS_32] = sizeof(uint32_t), [HSP_IDS_64] = sizeof(uint64_t)};
    void *out = hsp_alloc(n, size[width]);
    for (int64_t t = 0; t < n; t++) {
        if (width == HSP_IDS_16) ((uint16_t *)out)[t] = (uint16_t)id[t];
        if (width == HSP_IDS_32) ((uint32_t *)out)[t] = id[t];
        if (width == HSP_IDS_64) ((uint64_t *)out)[t] = id[t];
    }
    return out;
}

#endif
