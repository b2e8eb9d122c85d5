/* Small tables made by hand: frames from cells, rows of features, JSON there and back. */
#ifndef HSP_TEST_TEXT_FIXTURE_H
#define HSP_TEST_TEXT_FIXTURE_H

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
#include "base/number.h"
#include "base/rng.h"
#include "table/encoding.h"

/* n rows of d cells, `size` rows a block; NULL: missing; "#12": the number 12; else a word. Row i stands on line i + 2. */
static inline hsp_frame *frame_of(const char *const *cell, int64_t n, int64_t d, int64_t size) {
    hsp_frame *f = NULL;
    hsp_block b = {0};
    assert_int_equal(hsp_frame_new(&f, NULL), 0);
    f->schema.d = d;
    for (int64_t i = 0; i < n; i++) {
        if (b.rows == 0) {
            hsp_block_reset(&b, true, d);
            b.table = true;
            b.line_base = i + 1;
        }
        assert_int_equal(hsp_block_reserve(&b, d, 0), 0);
        for (int64_t j = 0; j < d; j++) {
            const char *s = cell[i * d + j];
            double *v = &b.value[hsp_block_tail(&b) + j];
            *v = NAN;
            if (s && s[0] == '#')
                assert_non_null(hsp_number_parse(s + 1, s + strlen(s), v));
            else if (s)
                assert_int_equal(hsp_block_add_word(&b, j, s, (int64_t)strlen(s)), 0);
        }
        hsp_block_close_row(&b, d, NULL, 0, b.rows + 1);
        if (b.rows == size || i + 1 == n) assert_int_equal(hsp_frame_add(f, &b, NULL), 0);
    }
    hsp_block_free(&b);
    return f;
}

/* Space for the features of one row. */
enum { ROW = 4096 };
typedef struct row {
    uint32_t id[ROW];
    double value[ROW];
    hsp_emit emit;
} row;

static inline void row_begin(row *r) {
    r->emit = (hsp_emit){r->id, r->value, 0};
}

static inline void row_is(const row *r, int64_t count, const uint32_t *id, const double *value) {
    assert_int_equal(r->emit.count, count);
    for (int64_t t = 0; t < count; t++) {
        assert_int_equal(r->id[t], id[t]);
        if (fabs(r->value[t] - value[t]) > 4e-16 * fabs(value[t]))
            fail_msg("value %lld is %.17g, not %.17g", (long long)t, r->value[t], value[t]);
    }
}

/* What `save` writes, as an object; the caller frees it. */
static inline char *object_of(void (*save)(const void *what, hsp_json *j), const void *what) {
    hsp_text t = {0};
    hsp_json j = {.out = &t};
    char *text = NULL;
    hsp_json_object(&j, NULL);
    save(what, &j);
    hsp_json_object_end(&j);
    assert_int_equal(hsp_text_take(&t, &text, NULL), 0);
    return text;
}

static inline void fine(int status, hsp_error *err) {
    if (status) fail_msg("%s", hsp_error_message(err));
}

#endif
