/* What the tests of data share: plain tables of doubles as the model of every stored matrix, and the sweep that makes
 * each allocation fail in turn. */
#ifndef HSP_TEST_DATA_FIXTURE_H
#define HSP_TEST_DATA_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "data/data.h"

typedef struct table {
    int64_t n, d;
    double *x; /* n x d */
} table;

static inline table table_random(hsp_rng *r, int64_t n, int64_t d, double fill, bool exact) {
    table t = {n, d, calloc((size_t)(n * d), sizeof(double))};
    for (int64_t k = 0; k < n * d; k++) {
        if (hsp_rng_uniform(r) >= fill) continue;
        t.x[k] = exact ? (double)(hsp_rng_below(r, 2000) - 1000) / 8 : hsp_rng_normal(r);
    }
    return t;
}

static inline int64_t table_nonzeros(const table *t) {
    int64_t z = 0;
    for (int64_t k = 0; k < t->n * t->d; k++) z += t->x[k] != 0;
    return z;
}

/* Rows first .. end-1 as a block; ids of sparse blocks begin at `base`. Labels: the row number modulo `classes`, or none.
 */
static inline int table_block(const table *t, int64_t first, int64_t end, bool dense, int base, int64_t classes,
                              hsp_block *b) {
    hsp_block_reset(b, dense, t->d);
    for (int64_t i = first; i < end; i++) {
        char label[32];
        int length = snprintf(label, sizeof label, "%lld", (long long)(classes > 0 ? i % classes : 0));
        if (hsp_block_reserve(b, t->d, length)) return HSP_EMEMORY;
        int64_t at = hsp_block_tail(b), count = 0;
        for (int64_t j = 0; j < t->d; j++) {
            double v = t->x[i * t->d + j];
            if (!dense && v == 0 && !signbit(v)) continue;
            if (!dense) b->id[at + count] = (uint32_t)(j + base);
            b->value[at + count++] = v;
        }
        hsp_block_close_row(b, count, classes > 0 ? label : NULL, length, i + 1);
    }
    return 0;
}

static inline hsp_schema plain_schema(int64_t d, int base) {
    return (hsp_schema){.d = d, .base = base, .format = hsp_strdup(base ? "svmlight" : "memory")};
}

/* Finishes a builder whose blocks were added with that status: gives the data, or frees the builder. */
static inline int finish_plain(hsp_builder *b, int status, int64_t d, int base, hsp_data **out, hsp_error **err) {
    hsp_schema schema = plain_schema(d, base);
    if (status == 0 && !schema.format) status = hsp_fail_memory(err);
    if (status == 0)
        status = hsp_builder_finish(b, &schema, out, err);
    else
        hsp_builder_free(b);
    hsp_schema_clear(&schema);
    return status;
}

/* The whole table through a builder, in blocks of at most `step` rows. */
static inline int table_build(const table *t, int64_t step, bool dense, int base, int64_t classes, hsp_data **out,
                              hsp_error **err) {
    *out = NULL;
    hsp_block block = {0};
    hsp_builder *b = NULL;
    int status = hsp_builder_new(NULL, &b, err);
    for (int64_t i = 0; status == 0 && i < t->n; i += step) {
        int64_t end = i + step < t->n ? i + step : t->n;
        if (table_block(t, i, end, dense, base, classes, &block))
            status = hsp_fail_memory(err);
        else
            status = hsp_builder_add(b, &block, err);
    }
    status = finish_plain(b, status, t->d, base, out, err);
    hsp_block_free(&block);
    return status;
}

/* ---- how a table must be stored, by its numbers alone ---- */

typedef struct form {
    bool dense;
    hsp_coding coding;
    int64_t bytes;
} form;

static inline int compare_doubles(const void *a, const void *b) {
    double u = *(const double *)a, v = *(const double *)b;
    return (u > v) - (u < v);
}

/* Distinct non-zeros, a -0 being one. */
static inline int64_t table_numbers(const table *t, bool *minus) {
    int64_t count = 0, size = 0;
    double *sorted = malloc((size_t)(table_nonzeros(t) + 1) * sizeof *sorted);
    *minus = false;
    for (int64_t k = 0; k < t->n * t->d; k++) {
        if (t->x[k] != 0)
            sorted[size++] = t->x[k];
        else if (signbit(t->x[k]))
            *minus = true;
    }
    qsort(sorted, (size_t)size, sizeof *sorted, compare_doubles);
    for (int64_t k = 0; k < size; k++) count += k == 0 || sorted[k] != sorted[k - 1];
    free(sorted);
    return count + *minus;
}

/* The cheapest coding of this many values; bytes: with its table. */
static inline hsp_coding cheapest(int64_t values, bool exact, hsp_coding coded, int64_t *bytes) {
    hsp_coding plain = exact ? HSP_CODING_F32 : HSP_CODING_F64;
    int64_t with = values * (int64_t)hsp_coding_size(coded) + 2048, without = values * (int64_t)hsp_coding_size(plain);
    bool pays = coded >= HSP_CODING_CODE8 && with < without;
    *bytes = pays ? with : without;
    return pays ? coded : plain;
}

static inline form table_form(const table *t) {
    bool exact = true, minus;
    int64_t z = table_nonzeros(t), numbers = table_numbers(t, &minus), dense, csr;
    for (int64_t k = 0; k < t->n * t->d; k++) exact = exact && (double)(float)t->x[k] == t->x[k];
    hsp_coding in_dense = numbers <= 255 ? HSP_CODING_CODE8 : HSP_CODING_F64;
    hsp_coding in_csr = numbers - minus <= 1 ? HSP_CODING_ONE : numbers <= 256 ? HSP_CODING_CODE8 : HSP_CODING_F64;
    in_dense = cheapest(t->n * t->d, exact, in_dense, &dense);
    in_csr = cheapest(z, exact, in_csr, &csr);
    csr += z * (t->d <= 65536 ? 2 : 4) + 8 * (t->n + 1);
    return dense < csr ? (form){true, in_dense, dense} : (form){false, in_csr, csr};
}

/* The stored matrix is the table, in the smallest form, with ascending ids, no zeros in CSR, and true counts. */
static inline void assert_is_table(const hsp_matrix *m, const table *t) {
    assert_int_equal(m->n, t->n);
    assert_int_equal(m->d, t->d);
    form f = table_form(t);
    int64_t z = table_nonzeros(t);
    assert_int_equal(m->nonzeros, z);
    assert_int_equal(m->dense, f.dense);
    assert_int_equal(hsp_matrix_coding(m), f.coding);
    assert_int_equal(hsp_matrix_bytes(m), f.bytes);
    assert_int_equal(m->ids == HSP_IDS_16, !m->dense && t->d <= 65536);
    assert_int_equal(m->stored, m->dense ? t->n * t->d : z);
    bool exact = true;
    for (int64_t k = 0; k < t->n * t->d; k++) exact = exact && (double)(float)t->x[k] == t->x[k];
    assert_int_equal(m->dtype, exact ? HSP_FLOAT32 : HSP_FLOAT64);
    for (int64_t i = 0; i < t->n; i++) {
        hsp_row r = hsp_matrix_row(m, i);
        int64_t next = 0;
        for (int64_t k = 0; k < r.count; k++) {
            int64_t j = hsp_row_id(r, k);
            if (j < next || j >= t->d) fail_msg("column %lld", (long long)j);
            for (; next < j; next++) assert_true(t->x[i * t->d + next] == 0);
            double v = hsp_row_value(r, k);
            if (memcmp(&v, &t->x[i * t->d + j], sizeof v) != 0)
                fail_msg("row %lld, column %lld", (long long)i, (long long)j);
            if (r.id) assert_true(v != 0);
            next = j + 1;
        }
        for (; next < t->d; next++) assert_true(t->x[i * t->d + next] == 0);
    }
}

/* Runs `work` with one more allocation allowed each time until it succeeds; before that it must fail with HSP_EMEMORY. */
static inline void sweep_memory(int (*work)(void *user, hsp_error **err), void *user) {
    for (int64_t allowed = 0;; allowed++) {
        assert_true(allowed < 100000);
        hsp_error *err = NULL;
        hsp_memory_fail_after(allowed);
        int status = work(user, &err);
        hsp_memory_fail_after(-1);
        if (status == 0) {
            assert_null(err);
            return;
        }
        assert_int_equal(status, HSP_EMEMORY);
        assert_non_null(err);
        assert_int_equal(hsp_error_code(err), HSP_EMEMORY);
        hsp_error_free(err);
    }
}

/* The call failed with this code and this message; frees the error. */
static inline void assert_fails(int status, hsp_error **err, int code, const char *says) {
    assert_int_equal(status, code);
    assert_non_null(*err);
    assert_int_equal(hsp_error_code(*err), code);
    if (!strstr(hsp_error_message(*err), says)) fail_msg("'%s' does not say '%s'", hsp_error_message(*err), says);
    hsp_error_free(*err);
    *err = NULL;
}

#endif
