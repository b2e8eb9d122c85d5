/* What the tests of this room share: plain tables of doubles as the model of every stored matrix, and the sweep that makes
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
            if (!dense && v == 0) continue;
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

/* The whole table through a builder, in blocks of at most `step` rows. */
static inline int table_build(const table *t, int64_t step, bool dense, int base, int64_t classes, hsp_data **out,
                              hsp_error **err) {
    *out = NULL;
    hsp_block block = {0};
    hsp_builder *b = NULL;
    int rc = hsp_builder_new(NULL, &b, err);
    for (int64_t i = 0; rc == 0 && i < t->n; i += step) {
        int64_t end = i + step < t->n ? i + step : t->n;
        if (table_block(t, i, end, dense, base, classes, &block))
            rc = hsp_fail_memory(err);
        else
            rc = hsp_builder_add(b, &block, err);
    }
    hsp_schema schema = plain_schema(t->d, base);
    if (rc == 0 && !schema.format) rc = hsp_fail_memory(err);
    if (rc == 0)
        rc = hsp_builder_finish(b, &schema, out, err);
    else
        hsp_builder_free(b);
    hsp_schema_clear(&schema);
    hsp_block_free(&block);
    return rc;
}

/* The stored matrix is the table, and keeps its promises: smaller layout, ascending ids, no zeros in CSR, counts right. */
static inline void assert_is_table(const hsp_matrix *m, const table *t) {
    assert_int_equal(m->n, t->n);
    assert_int_equal(m->d, t->d);
    int64_t z = table_nonzeros(t), size = m->dtype == HSP_FLOAT32 ? 4 : 8;
    assert_int_equal(m->nonzeros, z);
    int64_t dense = t->n * t->d * size, csr = z * (4 + size) + 8 * (t->n + 1);
    assert_true(m->dense == (dense < csr));
    assert_int_equal(hsp_matrix_bytes(m), dense < csr ? dense : csr);
    assert_int_equal(m->stored, m->dense ? t->n * t->d : z);
    bool exact = true;
    for (int64_t k = 0; k < t->n * t->d; k++) exact = exact && (double)(float)t->x[k] == t->x[k];
    assert_int_equal(m->dtype, exact ? HSP_FLOAT32 : HSP_FLOAT64);
    for (int64_t i = 0; i < t->n; i++) {
        hsp_row r = hsp_matrix_row(m, i);
        int64_t next = 0;
        for (int64_t k = 0; k < r.count; k++) {
            int64_t j = r.id ? (int64_t)r.id[k] : k;
            assert_in_range(j, next, t->d - 1);
            for (; next < j; next++) assert_true(t->x[i * t->d + next] == 0);
            assert_true(hsp_row_value(r, k) == t->x[i * t->d + j]);
            if (r.id) assert_true(hsp_row_value(r, k) != 0);
            next = j + 1;
        }
        for (; next < t->d; next++) assert_true(t->x[i * t->d + next] == 0);
    }
}

/* Runs `work` with ever more allocations allowed until it succeeds; before that it must fail for memory alone. */
static inline void sweep_memory(int (*work)(void *user, hsp_error **err), void *user) {
    for (int64_t allowed = 0;; allowed++) {
        assert_true(allowed < 100000);
        hsp_error *err = NULL;
        hsp_memory_fail_after(allowed);
        int rc = work(user, &err);
        hsp_memory_fail_after(-1);
        if (rc == 0) {
            assert_null(err);
            return;
        }
        assert_int_equal(rc, HSP_EMEMORY);
        assert_non_null(err);
        assert_int_equal(hsp_error_code(err), HSP_EMEMORY);
        hsp_error_free(err);
    }
}

/* The call failed with this code and says this; the error is freed. */
static inline void assert_fails(int rc, hsp_error **err, int code, const char *says) {
    assert_int_equal(rc, code);
    assert_non_null(*err);
    assert_int_equal(hsp_error_code(*err), code);
    if (!strstr(hsp_error_message(*err), says)) fail_msg("'%s' does not say '%s'", hsp_error_message(*err), says);
    hsp_error_free(*err);
    *err = NULL;
}

#endif
