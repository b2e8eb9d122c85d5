/* Rows by side for the tests: a matrix in any layout from plain numbers, the search, and the check of its verdict. */
#ifndef HSP_TESTS_SIDE_FIXTURE_H
#define HSP_TESTS_SIDE_FIXTURE_H

#include "base/clock.h"
#include "separate/separate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef enum layout { DENSE64, DENSE32, SPARSE64, SPARSE32, LAYOUTS } layout;

static inline void put(hsp_matrix *m, int64_t at, double v) {
    if (m->dtype == HSP_FLOAT32)
        ((float *)m->value)[at] = (float)v;
    else
        ((double *)m->value)[at] = v;
}

static inline hsp_matrix laid(const double *x, int64_t n, int64_t d, layout how) {
    hsp_matrix m = {.n = n, .d = d, .dense = how <= DENSE32, .dtype = how % 2 ? HSP_FLOAT32 : HSP_FLOAT64};
    m.value = malloc((size_t)(n * d + 1) * sizeof(double));
    if (!m.dense) {
        m.row = malloc((size_t)(n + 1) * sizeof *m.row);
        m.id = malloc((size_t)(n * d + 1) * sizeof *m.id);
    }
    for (int64_t i = 0; i < n; i++) {
        if (!m.dense) m.row[i] = m.stored;
        for (int64_t j = 0; j < d; j++) {
            m.nonzeros += x[i * d + j] != 0;
            if (!m.dense && x[i * d + j] == 0) continue;
            if (!m.dense) m.id[m.stored] = (uint32_t)j;
            put(&m, m.stored++, x[i * d + j]);
        }
    }
    if (!m.dense) m.row[n] = m.stored;
    return m;
}

static inline void unlaid(hsp_matrix *m) {
    free(m->row);
    free(m->id);
    free(m->value);
}

/* Searches, and checks the whole proof again: every verdict but undecided must hold. */
static inline hsp_proof asked(const hsp_matrix *m, const int8_t *y, bool origin, bool quick) {
    hsp_rows_by_side q = {.x = m, .y = y, .origin = origin, .threads = 1};
    hsp_separate_limits limits = {.deadline = hsp_clock_seconds() + 60, .seed = 1, .quick = quick};
    hsp_proof p;
    assert_int_equal(hsp_separate(&q, &limits, &p, NULL), 0);
    hsp_proof_kind kind;
    const char *what = NULL;
    assert_int_equal(hsp_proof_check(&q, &p, &kind, &what, NULL), 0);
    if (p.verdict != HSP_UNDECIDED) {
        if (kind == HSP_PROOF_NONE) print_error("the proof does not hold: %s\n", what ? what : "");
        assert_int_not_equal(kind, HSP_PROOF_NONE);
        assert_int_not_equal(p.kind, HSP_PROOF_NONE);
        assert_true(!p.reason || p.verdict == HSP_NOT_SEPARABLE);
        assert_non_null(p.method);
    } else {
        assert_non_null(p.reason);
    }
    return p;
}

static inline hsp_verdict verdict_in(const double *x, const int8_t *y, int64_t n, int64_t d, bool origin, layout how) {
    hsp_matrix m = laid(x, n, d, how);
    hsp_proof p = asked(&m, y, origin, false);
    hsp_verdict v = p.verdict;
    hsp_proof_clear(&p);
    unlaid(&m);
    return v;
}

#endif
