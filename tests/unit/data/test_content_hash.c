/* The hash of a data set against its definition, computed from one long array of bytes. */
#include "base/memory.h"
#include "data/data.h"
#include "data/matrix.h"
#include "design/coded_matrix.h"
#include "kernel/level.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <xxhash.h>

#include <cmocka.h>

typedef struct bytes {
    unsigned char *at;
    int64_t count, capacity;
} bytes;

static void add(bytes *b, const void *from, size_t count) {
    assert_false(HSP_RESERVE(b->at, b->capacity, b->count + (int64_t)count));
    memcpy(b->at + b->count, from, count);
    b->count += (int64_t)count;
}

static void add_row(bytes *b, const hsp_data *data, int64_t i) {
    const char *label = data->y ? data->classes.name[data->y[i]] : "";
    hsp_row r = hsp_matrix_row(&data->x, i);
    add(b, label, strlen(label) + 1);
    for (int64_t t = 0; t < r.count; t++) {
        uint32_t id = (uint32_t)hsp_row_id(r, t);
        double v = hsp_row_value(r, t);
        if (v == 0) continue;
        add(b, &id, sizeof id);
        add(b, &v, sizeof v);
    }
    add(b, "\xff\xff\xff\xff", 4);
}

static void add_numbers(bytes *b, const double *v, int64_t n, const char *what) {
    for (int64_t i = 0; v && i < n; i++) {
        double number = v[i] == 0 ? 0 : v[i];
        add(b, &number, sizeof number);
    }
    if (v) add(b, what, 1);
}

static uint64_t hash_by_definition(const hsp_data *data) {
    bytes all = {0};
    int64_t n = data->x.n, rows = 4096;
    while (rows * 256 < n) rows *= 2;
    for (int64_t first = 0; n > 4096 && first < n; first += rows) {
        bytes piece = {0};
        for (int64_t i = first; i < n && i < first + rows; i++) add_row(&piece, data, i);
        uint64_t digest = XXH3_64bits(piece.at, (size_t)piece.count);
        add(&all, &digest, sizeof digest);
        hsp_free(piece.at);
    }
    for (int64_t i = 0; n <= 4096 && i < n; i++) add_row(&all, data, i);
    add_numbers(&all, data->target, n, "T");
    add_numbers(&all, data->weight, n, "W");
    uint64_t hash = XXH3_64bits(all.at, (size_t)all.count);
    hsp_free(all.at);
    return hash;
}

static char *NAMES[] = {"no", "a class with a rather long name"};

/* Some rows at a time, more each time. */
static uint64_t hash_by_parts(const hsp_data *data) {
    hsp_data_hashing *h = NULL;
    assert_int_equal(hsp_data_hashing_new(data, &h), 0);
    for (int64_t from = 0, step = 1, to; from < data->x.n; from = to, step += 1 + step / 2) {
        to = from + step < data->x.n ? from + step : data->x.n;
        hsp_data_hashing_rows(h, from, to);
    }
    uint64_t hash = hsp_data_hashing_end(h);
    hsp_data_hashing_free(h);
    return hash;
}

/* With classes, targets or neither, with weights or without, at every level of instructions. */
static void check_matrix(const hsp_matrix *x) {
    static const char *const levels[] = {"plain", "v3", "v4"};
    int32_t *y = hsp_alloc(x->n + 1, sizeof *y);
    double *number = hsp_alloc(x->n + 1, sizeof *number);
    assert_true(y && number);
    for (int64_t i = 0; i < x->n; i++) {
        y[i] = i % 3 == 0;
        number[i] = i % 7 == 0 ? -0.0 : (double)i / 3 - 5;
    }
    for (int labels = 0; labels < 3; labels++)
        for (int weights = 0; weights < 2; weights++) {
            hsp_data data = {.x = *x};
            if (labels == 1) data.y = y, data.classes.name = NAMES, data.classes.count = 2;
            if (labels == 2) data.target = number;
            if (weights) data.weight = number;
            uint64_t wanted = hash_by_definition(&data);
            for (int k = 0; k < 3; k++)
                if (hsp_level_choose(levels[k]))
                    assert_true(hsp_data_hash(&data) == wanted && hash_by_parts(&data) == wanted);
            assert_true(hsp_level_choose(NULL));
        }
    hsp_free(y);
    hsp_free(number);
}

static void check(int64_t rows, int64_t columns, double share) {
    for (int form = 0; form < HSP_FORMS; form++) {
        bool dense = form < HSP_DENSE_CODINGS;
        if (dense && coding_in(form) == ONE_FORM) continue;
        double *x = table_for(coding_in(form), (int)rows, (int)columns, share);
        hsp_matrix m = dense ? dense_as(x, (int)rows, (int)columns, coding_in(form), columns + form % 2 * 3)
                             : sparse_as(x, (int)rows, (int)columns, coding_in(form), ids_in(form));
        check_matrix(&m);
        hsp_matrix_clear(&m);
        hsp_free(x);
    }
}

static void few_rows(void **unused) {
    (void)unused;
    check(1, 1, 1);
    check(37, 5, 0.3);
    check(60, 45, 1);
}

/* Rows longer than the pieces that are decoded at a time. */
static void wide_rows(void **unused) {
    (void)unused;
    check(7, 3000, 0.7);
}

static void rows_in_pieces(void **unused) {
    (void)unused;
    check(4097, 3, 0.6);
    check(8192, 1, 0.6);
}

static void values_at_the_ends(void **unused) {
    (void)unused;
    double x[] = {0.0, -0.0, 5e-324, -5e-324, 1e300, -1e300, 1.7976931348623157e308, 2.2250738585072014e-308, 1, 0};
    hsp_matrix m = {.n = 2, .d = 5, .dense = true, .dtype = HSP_FLOAT64, .stored = 10, .value = x};
    check_matrix(&m);
    m.n = 0;
    check_matrix(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_rows),
        cmocka_unit_test(wide_rows),
        cmocka_unit_test(rows_in_pieces),
        cmocka_unit_test(values_at_the_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
