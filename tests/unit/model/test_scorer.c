/* Scores of many rows have the bits of scores of single rows, at every level. */
#include "model/handmade.h"

#include "data/block.h"
#include "design/coded_matrix.h"
#include "kernel/level.h"
#include "model/scorer.h"

static uint64_t state = 88172645463325252u;
static uint64_t draw(void) {
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

/* Mostly moderate; zeros of both signs, and a few huge ones. */
static double number(bool extreme) {
    uint64_t u = draw();
    if (u % 5 == 0) return u % 2 ? 0.0 : -0.0;
    double v = ((double)(u >> 11) / 9007199254740992.0 - 0.5) * 8;
    return extreme && u % 7 == 0 ? v * 1e300 : v;
}

static hsp_model *random_model(int64_t d, int64_t K, bool extreme) {
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l",
                                        "m", "n", "o", "p", "q", "r", "s", "t", "u", "v", "w", "x",
                                        "y", "z", "A", "B", "C", "D", "E", "F", "G", "H"};
    hsp_model *m = handmade_model(d, names, K == 1 ? 2 : K, NULL, "none");
    assert_int_equal(m->outputs, K);
    for (int64_t i = 0; i < K * d; i++) m->w[i] = number(extreme);
    for (int64_t k = 0; k < K; k++) m->b[k] = number(false);
    return m;
}

/* Rows of any length, some empty, some with ids that the model does not have. */
static void fill_sparse(hsp_block *b, int64_t rows, int64_t d, bool extreme) {
    hsp_block_reset(b, false, 0);
    for (int64_t i = 0; i < rows; i++) {
        assert_int_equal(hsp_block_reserve(b, d + 9, 0), 0);
        int64_t tail = hsp_block_tail(b), count = 0, dense = (int64_t)(draw() % 4);
        for (int64_t j = 0; j < d + 9; j++) {
            if ((int64_t)(draw() % 4) >= dense) continue;
            b->id[tail + count] = (uint32_t)j;
            b->value[tail + count++] = number(extreme);
        }
        hsp_block_close_row(b, count, NULL, 0, i + 1);
    }
}

static void fill_dense(hsp_block *b, int64_t rows, int64_t d, bool extreme) {
    hsp_block_reset(b, true, d);
    for (int64_t i = 0; i < rows; i++) {
        assert_int_equal(hsp_block_reserve(b, d, 0), 0);
        uint64_t empty = draw() % 3;
        for (int64_t j = 0; j < d; j++) b->value[i * d + j] = draw() % 3 < empty ? 0 : number(extreme);
        hsp_block_close_row(b, d, NULL, 0, i + 1);
    }
}

static hsp_matrix matrix_of(const hsp_block *b) {
    return (hsp_matrix){.n = b->rows,
                        .d = b->d,
                        .dense = b->dense,
                        .row = b->dense ? NULL : b->row,
                        .id = b->dense ? NULL : b->id,
                        .value = b->value};
}

static void compare_matrix(const hsp_model *m, const hsp_matrix *x, int64_t first, int64_t last, int64_t values) {
    hsp_scorer s;
    assert_int_equal(hsp_scorer_init(&s, m, false, values, NULL), 0);
    int64_t K = m->outputs, unseen = 0;
    double *out = malloc((size_t)((last - first) * K + 1) * sizeof *out), one[64];
    out[(last - first) * K] = 12345;
    int64_t said = hsp_scorer_rows(&s, x, first, last, out);
    for (int64_t i = first; i < last; i++) {
        unseen += hsp_model_score_row(m, hsp_matrix_row(x, i), one);
        assert_memory_equal(out + (i - first) * K, one, (size_t)K * sizeof *one);
    }
    assert_int_equal(said, unseen);
    assert_true(out[(last - first) * K] == 12345);
    free(out);
    hsp_scorer_clear(&s);
}

static void compare(const hsp_model *m, const hsp_block *b, int64_t first, int64_t last) {
    const hsp_matrix x = matrix_of(b);
    compare_matrix(m, &x, first, last, INT64_MAX);
    compare_matrix(m, &x, first, last, 0);
}

static void test_same_bits(void **unused) {
    (void)unused;
    static const int64_t outputs[] = {1, 3, 4, 5, 8, 10, 12, 13, 16, 17, 20, 33, 34}, widths[] = {1, 2, 5, 40, 131};
    static const char *const levels[] = {"plain", NULL};
    hsp_block b = {0};
    for (int level = 0; level < 2; level++) {
        assert_true(hsp_level_choose(levels[level]));
        for (size_t k = 0; k < sizeof outputs / sizeof *outputs; k++) {
            for (size_t j = 0; j < sizeof widths / sizeof *widths; j++) {
                hsp_model *m = random_model(widths[j], outputs[k], draw() % 2);
                bool extreme = draw() % 2;
                fill_sparse(&b, 13, widths[j], extreme);
                compare(m, &b, 0, 13);
                compare(m, &b, 2, 3);
                compare(m, &b, 5, 5);
                for (int64_t other = -1; other <= 2; other++) { /* fewer, as many, and more columns than the model */
                    if (widths[j] + other < 1) continue;
                    fill_dense(&b, 11, widths[j] + other, extreme);
                    compare(m, &b, 0, 11);
                    compare(m, &b, 1, 4);
                }
                hsp_model_free(m);
            }
        }
    }
    hsp_level_choose(NULL);
    hsp_block_free(&b);
}

/* Every coding and width of ids, more columns than are decoded at a time, rows of zeros and full ones. */
static void test_forms(void **unused) {
    (void)unused;
    enum { ROWS = 21 };
    static const int64_t outputs[] = {1, 3, 7, 11, 20}, widths[] = {3, 300};
    static const double densities[] = {0.1, 1};
    for (int form = 0; form < HSP_FORMS; form++)
        for (int64_t t = 0; t < 20; t++) {
            int64_t d = widths[t % 2], K = outputs[t / 4];
            if (form == ONE_FORM) continue; /* sparse only */
            hsp_model *m = random_model(d, K, false);
            double *x = table_for(coding_in(form), ROWS, d, densities[t / 2 % 2]);
            hsp_matrix a = form < HSP_DENSE_CODINGS ? dense_as(x, ROWS, d, form, d + 2)
                                                    : sparse_as(x, ROWS, d, coding_in(form), ids_in(form));
            compare_matrix(m, &a, 0, ROWS, INT64_MAX);
            compare_matrix(m, &a, 3, ROWS - 1, INT64_MAX);
            hsp_free(x);
            hsp_matrix_clear(&a);
            hsp_model_free(m);
        }
}

static void test_projections(void **unused) {
    (void)unused;
    enum { D = 37, R = 3, ROWS = 9 };
    hsp_model *m = random_model(D, 4, false);
    double *directions = handmade_numbers(R, D), *offsets = handmade_numbers(R, 1);
    for (int i = 0; i < R * D; i++) directions[i] = number(true);
    for (int i = 0; i < R; i++) offsets[i] = number(false);
    assert_int_equal(hsp_model_add_extra(m, "directions", R, D, directions, NULL), 0);
    assert_int_equal(hsp_model_add_extra(m, "direction-offsets", R, 1, offsets, NULL), 0);
    hsp_scorer s;
    hsp_block b = {0};
    assert_int_equal(hsp_scorer_init(&s, m, true, INT64_MAX, NULL), 0);
    for (int dense = 0; dense < 2; dense++) {
        double out[ROWS * R], z[R];
        if (dense)
            fill_dense(&b, ROWS, D, true);
        else
            fill_sparse(&b, ROWS, D, true);
        const hsp_matrix x = matrix_of(&b);
        hsp_scorer_rows(&s, &x, 0, ROWS, out);
        for (int64_t i = 0; i < ROWS; i++) {
            hsp_model_project(m, hsp_matrix_row(&x, i), z);
            assert_memory_equal(out + i * R, z, sizeof z);
        }
    }
    hsp_block_free(&b);
    hsp_scorer_clear(&s);
    hsp_model_free(m);
}

/* Sums that overflow are clamped to the range, by every function that scores. */
static void test_overflow(void **unused) {
    (void)unused;
    for (int64_t K = 1; K <= 5; K += 2) {
        hsp_model *m = random_model(4, K, false);
        for (int64_t i = 0; i < K * 4; i++) m->w[i] = i % 2 ? 1e308 : 1;
        hsp_block b = {0};
        hsp_block_reset(&b, true, 4);
        static const double rows[][4] = {{1, 1e308, 0, 0}, {0, 1e308, 0, -1e308}, {1, 1, 1, 1}, {0, -10, 0, -10}};
        for (int i = 0; i < 4; i++) {
            assert_int_equal(hsp_block_reserve(&b, 4, 0), 0);
            memcpy(b.value + 4 * i, rows[i], sizeof rows[i]);
            hsp_block_close_row(&b, 4, NULL, 0, i + 1);
        }
        compare(m, &b, 0, 4);
        hsp_block_free(&b);
        hsp_model_free(m);
    }
}

int main(void) {
    const struct CMUnitTest t[] = {cmocka_unit_test(test_same_bits), cmocka_unit_test(test_forms),
                                   cmocka_unit_test(test_projections), cmocka_unit_test(test_overflow)};
    return cmocka_run_group_tests(t, NULL, NULL);
}
