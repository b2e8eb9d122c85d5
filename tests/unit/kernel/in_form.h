/* The same entries in every form that can hold them (kernel/form.h), in memory of exact size. */
#ifndef TESTS_IN_FORM_H
#define TESTS_IN_FORM_H

#include "base/memory.h"
#include "base/rng.h"
#include "halfspace.h"
#include "kernel/form.h"

#include <stdlib.h>
#include <string.h>

enum { F64_FORM, F32_FORM, CODE_FORM, ONE_FORM, TABLE = 256 };

/* n numbers that the coding can hold: any; floats; two hundred, not exact in float; one. */
static double *values_for(int coding, int64_t n, uint64_t seed) {
    hsp_rng r = hsp_rng_new(seed, 0);
    double kind[200], *x = hsp_alloc(n, sizeof *x);
    for (int k = 0; k < 200; k++) kind[k] = hsp_rng_normal(&r);
    for (int64_t t = 0; t < n; t++) {
        double v = hsp_rng_normal(&r);
        x[t] = coding == F64_FORM   ? v
               : coding == F32_FORM ? (double)(float)v
                                    : kind[coding == CODE_FORM ? hsp_rng_below(&r, 200) : 0];
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

/* Numbers in a coding, as it stores them; *table is NULL when there is none. */
static void *coded(int coding, int64_t n, const double *x, double **table) {
    const size_t size[HSP_CODINGS] = {sizeof(double), sizeof(float), 1, 0};
    void *out = coding == ONE_FORM ? NULL : hsp_alloc(n, size[coding]);
    int used = 0;
    *table = coding >= CODE_FORM ? hsp_alloc_zero(TABLE, sizeof **table) : NULL;
    for (int64_t t = 0; t < n; t++) {
        if (coding == F64_FORM) ((double *)out)[t] = x[t];
        if (coding == F32_FORM) ((float *)out)[t] = (float)x[t];
        if (coding == CODE_FORM) ((uint8_t *)out)[t] = code_of(x[t], *table, &used);
        if (coding == ONE_FORM) (*table)[0] = x[t];
    }
    return out;
}

/* Ids in 16 or 32 bits. */
static void *listed(bool narrow, int64_t n, const uint32_t *id) {
    void *out = hsp_alloc(n, narrow ? sizeof(uint16_t) : sizeof(uint32_t));
    for (int64_t t = 0; t < n; t++) {
        if (narrow)
            ((uint16_t *)out)[t] = (uint16_t)id[t];
        else
            ((uint32_t *)out)[t] = id[t];
    }
    return out;
}

#endif
