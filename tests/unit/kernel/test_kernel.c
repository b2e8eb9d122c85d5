/* The kernels of every form, at every level, against the documented order of summation, for every length around the 16
 * lanes. */
#include "kernel/in_form.h"
#include "kernel/kernel.h"
#include "kernel/level.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { MOST = 100, COLUMNS = 3 * MOST };

/* Entry t into sum t mod 16, then the tree. */
static double in_order(const double *product, int64_t n) {
    double s[16] = {0};
    for (int64_t t = 0; t < n; t++) s[t % 16] += product[t];
    for (int half = 8; half >= 1; half /= 2)
        for (int l = 0; l < half; l++) s[l] += s[l + half];
    return s[0];
}

/* One row in one form: its entries as doubles beside it. */
typedef struct sample {
    int64_t n;
    int form;
    uint32_t id[MOST];
    double *x;
    void *stored_id, *stored;
    double *table;
} sample;

static sample new_sample(int form, int64_t n) {
    int coding = coding_in(form);
    hsp_rng r = hsp_rng_new(7, 0);
    sample s = {.n = n, .form = form, .x = values_for(coding, n, 8)};
    for (int64_t t = 0; t < n; t++)
        s.id[t] = (uint32_t)(form < HSP_DENSE_CODINGS ? t : 3 * t + (int64_t)hsp_rng_below(&r, 3));
    if (form >= HSP_DENSE_CODINGS) s.stored_id = listed(ids_in(form), n, s.id);
    s.stored = coded(coding, n, s.x, &s.table);
    return s;
}

static void free_sample(sample *s) {
    hsp_free(s->x);
    hsp_free(s->stored_id);
    hsp_free(s->stored);
    hsp_free(s->table);
}

static void each_sample(void (*check)(const sample *, const double *w)) {
    static const char *const names[] = {"plain", "v3", "v4"};
    double *w = values_for(F64_FORM, COLUMNS, 9);
    int found = 0;
    for (int k = 0; k < 3; k++) {
        if (!hsp_level_choose(names[k])) continue;
        found++;
        for (int form = 0; form < HSP_FORMS; form++)
            for (int64_t n = 0; n <= MOST; n++) {
                sample s = new_sample(form, n);
                check(&s, w);
                free_sample(&s);
            }
    }
    assert_true(found >= 1);
    assert_true(hsp_level_choose(NULL));
    hsp_free(w);
}

static void check_dot(const sample *s, const double *w) {
    double product[MOST], square[MOST];
    for (int64_t t = 0; t < s->n; t++) {
        product[t] = s->x[t] * w[s->id[t]];
        square[t] = s->x[t] * s->x[t];
    }
    assert_true(hsp_dots[s->form](s->stored_id, s->stored, s->table, s->n, w) == in_order(product, s->n));
    assert_true(hsp_norms2[coding_in(s->form)](s->stored, s->table, s->n) == in_order(square, s->n));
}

static void check_axpy(const sample *s, const double *w) {
    double out[COLUMNS], expected[COLUMNS];
    memcpy(out, w, sizeof out);
    memcpy(expected, w, sizeof expected);
    for (int64_t t = 0; t < s->n; t++) expected[s->id[t]] += 0.3 * s->x[t];
    hsp_axpys[s->form](0.3, s->stored_id, s->stored, s->table, s->n, out);
    assert_memory_equal(out, expected, sizeof out);
}

static void check_decode(const sample *s, const double *w) {
    (void)w;
    for (int64_t from = 0; from <= s->n; from += 7)
        for (int64_t count = 0; from + count <= s->n; count += 11) {
            uint32_t id[MOST + 1];
            double x[MOST + 1];
            id[count] = 77;
            x[count] = 77;
            hsp_decodes[s->form](s->stored_id, s->stored, s->table, from, count, id, x);
            for (int64_t t = 0; t < count; t++) assert_true(id[t] == s->id[from + t] && x[t] == s->x[from + t]);
            assert_true(id[count] == 77 && x[count] == 77);
            x[0] = 78;
            hsp_decodes[s->form](s->stored_id, s->stored, s->table, from, count, NULL, x);
            if (count > 0) assert_true(x[0] == s->x[from]);
        }
}

static void products_and_norms_have_the_bits_of_the_fixed_order(void **unused) {
    (void)unused;
    each_sample(check_dot);
}

static void axpy_adds_every_entry_to_its_column(void **unused) {
    (void)unused;
    each_sample(check_axpy);
}

static void decoding_gives_any_piece_of_a_row(void **unused) {
    (void)unused;
    each_sample(check_decode);
}

/* All 256 places of the table, and the largest id of 16 bits. */
static void the_ends_of_the_ranges_are_reached(void **unused) {
    (void)unused;
    double table[TABLE], *w = hsp_alloc_zero(65536, sizeof *w), sum = 0;
    uint8_t code[TABLE];
    uint16_t id[TABLE];
    for (int k = 0; k < TABLE; k++) {
        table[k] = k - 100;
        code[k] = (uint8_t)k;
        id[k] = (uint16_t)(65535 - 255 + k);
        w[id[k]] = 2 * k;
        sum += 2.0 * k * (k - 100);
    }
    assert_true(hsp_dots[hsp_form(true, HSP_IDS_16, CODE_FORM)](id, code, table, TABLE, w) == sum);
    assert_true(hsp_dots[hsp_form(false, HSP_IDS_32, CODE_FORM)](NULL, code, table, TABLE, w + 65535 - 255) == sum);
    hsp_free(w);
}

/* Rows begin anywhere: no kernel may assume an alignment. */
static void rows_may_begin_anywhere(void **unused) {
    (void)unused;
    enum { N = 61, PLACES = 9 };
    static float x32[N + PLACES];
    static double x[N + PLACES], w[N + PLACES];
    for (int t = 0; t < N + PLACES; t++) x32[t] = (float)(x[t] = t % 7 - 2.5), w[t] = 1.0 / (t + 1);
    for (int at = 0; at < PLACES; at++)
        for (int form = F64_FORM; form <= F32_FORM; form++) {
            const void *row = form == F64_FORM ? (const void *)(x + at) : x32 + at;
            double product[N], sums[N];
            for (int t = 0; t < N; t++) product[t] = x[at + t] * w[PLACES - at + t], sums[t] = w[t] + 0.3 * x[at + t];
            assert_true(hsp_dots[form](NULL, row, NULL, N, w + PLACES - at) == in_order(product, N));
            double *out = hsp_alloc(N, sizeof *out);
            memcpy(out, w, N * sizeof *out);
            hsp_axpys[form](0.3, NULL, row, NULL, N, out);
            assert_memory_equal(out, sums, sizeof sums);
            hsp_free(out);
        }
}

/* NaN and infinities reach the right results, and no others. */
static void odd_values_stay_in_their_places(void **unused) {
    (void)unused;
    static const char *const names[] = {"plain", "v3", "v4"};
    for (int k = 0; k < 3; k++) {
        if (!hsp_level_choose(names[k])) continue;
        for (int64_t n = 1; n < 40; n++) {
            double *x = hsp_alloc_zero(n, sizeof *x), *w = hsp_alloc_zero(n, sizeof *w);
            w[n - 1] = INFINITY;
            x[n - 1] = 2;
            assert_true(hsp_dot_f64(x, w, n) == INFINITY);
            x[n - 1] = 0;
            assert_true(isnan(hsp_dot_f64(x, w, n)));
            x[n - 1] = NAN;
            w[n - 1] = 0;
            hsp_axpy_f64(1, x, w, n);
            for (int64_t t = 0; t < n; t++) assert_true(t == n - 1 ? isnan(w[t]) : w[t] == 0);
            hsp_free(x);
            hsp_free(w);
        }
    }
    assert_true(hsp_level_choose(NULL));
}

static void plain_vectors(void **unused) {
    (void)unused;
    double w[6] = {1, 1, 1, 1, 1, 1}, x[2] = {2, 3};
    hsp_axpy_f64(10, x, w, 2);
    hsp_scale_f64(2, w, 6);
    const double expected[6] = {42, 62, 2, 2, 2, 2};
    for (int j = 0; j < 6; j++) assert_true(w[j] == expected[j]);
    assert_true(hsp_sum_f64(w, 6) == 112);
    assert_true(hsp_dot_f64(x, w, 2) == 270);
}

/* Every number of outputs and columns, added to what was there. */
static void check_chains(const char *level) {
    enum { N = 9, STEP = HSP_CHAINS + 1 };
    double *w = values_for(F64_FORM, HSP_CHAINS * MOST, 3), *x = values_for(F32_FORM, HSP_CHAIN_ROWS * N, 4);
    float narrow[HSP_CHAIN_ROWS * N];
    const void *wide_rows[HSP_CHAIN_ROWS], *narrow_rows[HSP_CHAIN_ROWS];
    assert_true(hsp_level_choose(level));
    for (int t = 0; t < HSP_CHAIN_ROWS * N; t++) narrow[t] = (float)x[t];
    for (int r = 0; r < HSP_CHAIN_ROWS; r++) wide_rows[r] = x + r * N, narrow_rows[r] = narrow + r * N;
    for (int64_t K = 1; K <= HSP_CHAINS; K++)
        for (int64_t n = 0; n <= N; n++) {
            double out[HSP_CHAIN_ROWS * STEP], same[HSP_CHAIN_ROWS * STEP], wanted[HSP_CHAIN_ROWS * STEP];
            for (int t = 0; t < HSP_CHAIN_ROWS * STEP; t++) out[t] = same[t] = wanted[t] = t;
            for (int r = 0; r < HSP_CHAIN_ROWS; r++)
                for (int64_t k = 0; k < K; k++)
                    for (int64_t t = 0; t < n; t++) {
                        double product = w[k * MOST + t] * x[r * N + t];
                        wanted[r * STEP + k] += product;
                    }
            hsp_chains[0](wide_rows, n, w, MOST, K, out, STEP);
            hsp_chains[1](narrow_rows, n, w, MOST, K, same, STEP);
            assert_memory_equal(out, wanted, sizeof out);
            assert_memory_equal(same, wanted, sizeof out);
        }
    hsp_free(w);
    hsp_free(x);
}

static void chains_add_in_the_order_of_the_columns(void **state) {
    (void)state;
    check_chains("plain");
    check_chains(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_and_norms_have_the_bits_of_the_fixed_order),
        cmocka_unit_test(axpy_adds_every_entry_to_its_column),
        cmocka_unit_test(decoding_gives_any_piece_of_a_row),
        cmocka_unit_test(the_ends_of_the_ranges_are_reached),
        cmocka_unit_test(rows_may_begin_anywhere),
        cmocka_unit_test(odd_values_stay_in_their_places),
        cmocka_unit_test(plain_vectors),
        cmocka_unit_test(chains_add_in_the_order_of_the_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
