/* Every level that runs on this machine against the plain one, bit for bit, with arrays of exactly the documented size. */
#include "base/memory.h"
#include "base/rng.h"
#include "halfspace.h"
#include "kernel/in_form.h"
#include "kernel/level.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char *const NAMES[] = {"plain", "v3", "v4"};
static const int64_t SIZES[] = {1, 2, 3, 4, 5, 7, 8, 9, 11, 12, 13, 16, 23, 24, 25, 31, 47, 48, 49, 60, 97};
enum { SIZE_COUNT = sizeof SIZES / sizeof *SIZES };

static double *numbers(int64_t count, uint64_t seed) {
    hsp_rng r = hsp_rng_new(seed, 0);
    double *x = hsp_alloc(count > 0 ? count : 1, sizeof *x);
    assert_non_null(x);
    for (int64_t t = 0; t < count; t++) x[t] = hsp_rng_normal(&r);
    return x;
}

static int64_t up(int64_t a, int64_t b) {
    return (a + b - 1) / b * b;
}

/* `rows` rows of d numbers as panels of the level. */
static double *panels(const hsp_level *level, const double *x, int64_t rows, int64_t d) {
    int64_t step = rows * level->width;
    double *out = hsp_alloc(up(d, level->width) * rows, sizeof *out);
    assert_non_null(out);
    hsp_decode q = {.d = d};
    for (int64_t k = 0; k < rows; k++) {
        double *row = hsp_alloc(d, sizeof *row); /* of exact size: a sanitizer sees reads beyond */
        memcpy(row, x + k * d, (size_t)d * sizeof *row);
        level->pack[F64_FORM](&q, row, NULL, step, out + k * level->width, 1, NULL);
        hsp_free(row);
    }
    return out;
}

static void each_level(void (*check)(const hsp_level *)) {
    int found = 0;
    for (int k = 0; k < 3; k++)
        if (hsp_level_choose(NAMES[k])) {
            assert_string_equal(hsp_level_now()->name, NAMES[k]);
            check(hsp_level_now());
            found++;
        }
    assert_true(found >= 1);
    assert_true(hsp_level_choose(NULL));
}

/* ---- products ---- */

static void check_multiply(const hsp_level *level) {
    for (int s = 0; s < SIZE_COUNT; s++)
        for (int t = 0; t < SIZE_COUNT; t += 3) {
            int64_t m = SIZES[s], n = SIZES[t], depth = SIZES[(s + 2 * t) % SIZE_COUNT];
            double *A = numbers(depth * m, 1), *B = numbers(depth * n, 2), *C = numbers(m * n, 3),
                   *want = numbers(m * n, 3);
            double *a = panels(level, A, depth, m), *b = panels(level, B, depth, n);
            hsp_product p = {.depth = depth,
                             .a = a,
                             .a_step = depth * level->width,
                             .b = b,
                             .b_step = depth * level->width,
                             .c = C,
                             .c_step = n,
                             .i1 = m,
                             .j1 = n};
            level->multiply(&p);
            for (int64_t i = 0; i < m; i++)
                for (int64_t j = 0; j < n; j++) {
                    double sum = 0;
                    for (int64_t k = 0; k < depth; k++) sum = fma(A[k * m + i], B[k * n + j], sum);
                    assert_true(C[i * n + j] == want[i * n + j] + sum);
                }
            double *all[] = {A, B, C, want, a, b};
            for (int k = 0; k < 6; k++) hsp_free(all[k]);
        }
}

static void a_product_is_one_chain_for_each_number(void **unused) {
    (void)unused;
    each_level(check_multiply);
}

/* A tile in the middle: no other place is changed; with `lower`, correct on and below the diagonal. */
static void check_rectangle(const hsp_level *level) {
    enum { D = 97, DEPTH = 5 };
    double *X = numbers(DEPTH * D, 4), *G = hsp_alloc_zero(D * D, sizeof *G), *x = panels(level, X, DEPTH, D);
    int64_t step = DEPTH * level->width;
    hsp_product p = {.depth = DEPTH, .a = x, .a_step = step, .b = x, .b_step = step, .c = G, .c_step = D, .lower = true};
    p.i0 = p.j0 = HSP_WIDTH_MOST;
    p.i1 = p.j1 = 3 * HSP_WIDTH_MOST - 7;
    level->multiply(&p);
    for (int64_t i = 0; i < D; i++)
        for (int64_t j = 0; j < D; j++) {
            bool inside = i >= p.i0 && i < p.i1 && j >= p.j0 && j < p.j1;
            double sum = 0;
            for (int64_t k = 0; k < DEPTH; k++) sum = fma(X[k * D + i], X[k * D + j], sum);
            if (!inside)
                assert_true(G[i * D + j] == 0);
            else if (j <= i)
                assert_true(G[i * D + j] == sum);
        }
    hsp_free(X), hsp_free(G), hsp_free(x);
}

static void a_rectangle_is_all_that_is_touched(void **unused) {
    (void)unused;
    each_level(check_rectangle);
}

static void check_scores(const hsp_level *level) {
    for (int s = 0; s < SIZE_COUNT; s++)
        for (int t = 0; t < SIZE_COUNT; t += 2) {
            int64_t rows = SIZES[(s + t) % SIZE_COUNT], d = s == 5 ? 2 * HSP_BLOCK_DEPTH + 3 : SIZES[s], K = SIZES[t];
            double *x = numbers(rows * d, 5), *W = numbers(d * K, 6), *out = numbers(rows * K, 7),
                   *was = numbers(rows * K, 7);
            double *w = panels(level, W, d, K);
            level->scores(rows, d, x, d, w, K, out);
            for (int64_t i = 0; i < rows; i++)
                for (int64_t k = 0; k < K; k++) {
                    double sum = was[i * K + k];
                    for (int64_t j = 0; j < d; j += HSP_BLOCK_DEPTH) {
                        double part = 0;
                        for (int64_t l = j; l < d && l < j + HSP_BLOCK_DEPTH; l++)
                            part = fma(x[i * d + l], W[l * K + k], part);
                        sum += part;
                    }
                    assert_true(out[i * K + k] == sum);
                }
            double *all[] = {x, W, out, was, w};
            for (int k = 0; k < 5; k++) hsp_free(all[k]);
        }
}

static void scores_are_cut_every_block_of_columns(void **unused) {
    (void)unused;
    each_level(check_scores);
}

/* ---- packing ---- */

static void check_pack(const hsp_level *level) {
    for (int s = 0; s < SIZE_COUNT; s++)
        for (int kind = 0; kind < 8 * HSP_DENSE_CODINGS; kind++) {
            int64_t d = SIZES[s], width = level->width, step = width + 8, count = up(d, width) / width;
            int coding = kind / 8;
            double *x = values_for(coding, d, 8), *shift = numbers(d, 9), *factor = numbers(d, 10),
                   *centre = numbers(d, 11);
            double *out = numbers((count - 1) * step + width, 12), *weighted = numbers((count - 1) * step + width, 12);
            double *table;
            void *stored = coded(coding, d, x, &table);
            hsp_decode q = {d, kind & 1 ? shift : NULL, kind & 2 ? factor : NULL, kind & 4 ? centre : NULL};
            level->pack[coding](&q, stored, table, step, out, 3.7, weighted);
            for (int64_t j = 0; j < count * width; j++) {
                double v = j >= d ? 0 : x[j];
                if (j < d && q.shift) v -= shift[j];
                if (j < d && q.factor) v *= factor[j];
                if (j < d && q.centre) v -= centre[j];
                int64_t at = j / width * step + j % width;
                assert_true(out[at] == v && weighted[at] == 3.7 * v);
            }
            double *all[] = {x, shift, factor, centre, out, weighted, table};
            for (int k = 0; k < 7; k++) hsp_free(all[k]);
            hsp_free(stored);
        }
}

static void rows_become_panels(void **unused) {
    (void)unused;
    each_level(check_pack);
}

/* ---- sparse ---- */

enum { COLUMNS = 40 };

static void check_gather_of(const hsp_level *level, int form, int64_t count, int64_t lanes) {
    double *x = values_for(coding_in(form), count, 13), *w = numbers(COLUMNS * lanes, 14), *acc = numbers(lanes, 15),
           *was = numbers(lanes, 15), *after = numbers(COLUMNS * lanes, 14), *table;
    uint32_t id[20];
    for (int64_t t = 0; t < count; t++) id[t] = (uint32_t)(COLUMNS - 1 - 2 * (count - 1 - t));
    void *ids = listed(ids_in(form), count, id), *stored = coded(coding_in(form), count, x, &table);
    level->gather[form](count, ids, stored, table, w, lanes, acc);
    for (int64_t k = 0; k < lanes; k++) {
        double s = was[k];
        for (int64_t t = 0; t < count; t++) s = fma(x[t], w[id[t] * lanes + k], s);
        assert_true(acc[k] == s);
    }
    level->scatter[form](count, ids, stored, table, was, lanes, after);
    for (int64_t t = 0; t < count; t++)
        for (int64_t k = 0; k < lanes; k++) {
            int64_t at = id[t] * lanes + k;
            assert_true(after[at] == fma(x[t], was[k], w[at]));
            after[at] = w[at];
        }
    assert_memory_equal(after, w, (size_t)(COLUMNS * lanes) * sizeof *w);
    double *all[] = {x, w, acc, was, after, table};
    for (int k = 0; k < 6; k++) hsp_free(all[k]);
    hsp_free(ids);
    hsp_free(stored);
}

static void check_gather(const hsp_level *level) {
    for (int form = HSP_DENSE_CODINGS; form < HSP_FORMS; form++)
        for (int64_t count = 0; count < 20; count++)
            for (int64_t lanes = HSP_LANES_SPARSE; lanes <= 5 * HSP_LANES_SPARSE; lanes += HSP_LANES_SPARSE)
                check_gather_of(level, form, count, lanes);
}

static void sparse_rows_meet_all_outputs(void **unused) {
    (void)unused;
    each_level(check_gather);
}

static void check_pairs(const hsp_level *level) {
    for (int64_t d = 1; d < 23; d++) {
        int64_t quads = up(d, HSP_QUAD) / HSP_QUAD;
        double *x = numbers(quads * HSP_QUAD, 16), *G = numbers(d * d, 17), *was = numbers(d * d, 17);
        uint32_t *quad = hsp_alloc(quads, sizeof *quad);
        int64_t count = 0;
        for (int64_t q = 0; q < quads; q++)
            if (q % 3 != 1 || q + 1 == quads) quad[count++] = (uint32_t)q;
        double dense[32] = {0};
        for (int64_t p = 0; p < count; p++)
            for (int l = 0; l < HSP_QUAD; l++) {
                int64_t j = (int64_t)quad[p] * HSP_QUAD + l;
                if (j >= d || (j % 5 == 2 && d > 4)) x[p * HSP_QUAD + l] = 0;
                dense[j] = x[p * HSP_QUAD + l];
            }
        for (int64_t p = 0; p < count; p++) level->pairs(quad, x, p, p + 1, -1.3, G, d);
        for (int64_t j = 0; j < d; j++)
            for (int64_t k = 0; k < d; k++) {
                double w = was[j * d + k];
                assert_true(G[j * d + k] == (k <= j ? fma(-1.3 * dense[j], dense[k], w) : w));
            }
        hsp_free(x), hsp_free(G), hsp_free(was), hsp_free(quad);
    }
}

static void pairs_fill_the_lower_triangle_and_nothing_else(void **unused) {
    (void)unused;
    each_level(check_pairs);
}

static void an_unknown_level_changes_nothing(void **unused) {
    (void)unused;
    assert_true(hsp_level_choose("plain"));
    assert_false(hsp_level_choose("v99"));
    assert_false(hsp_level_choose(""));
    assert_string_equal(hsp_level_now()->name, "plain");
    assert_true(hsp_level_choose(NULL));
    for (int k = 0; k < 3; k++)
        if (hsp_level_choose(NAMES[k])) assert_int_equal(HSP_WIDTH_MOST % hsp_level_now()->width, 0);
    assert_true(hsp_level_choose(NULL));
}

/* ---- blocks of rows ---- */

/* Sums against one axpy after the other, and panels against rows packed one by one; some weights are 0. */
static void check_rows(const hsp_level *level) {
    for (int s = 0; s < SIZE_COUNT; s++)
        for (int t = 0; t < SIZE_COUNT; t += 3) {
            int64_t rows = 3 * SIZES[t], d = SIZES[s], step = rows * level->width, size = up(d, level->width) * rows;
            int64_t apart = d + (s + t) % 2 * 3; /* rows without and with a gap between them */
            double *x = numbers(rows * apart, 20), *h = numbers(3 * rows, 21), *centre = numbers(d, 22);
            double *sums = numbers(3 * d, 23), *want = numbers(3 * d, 23), *packed[2][2];
            const double *weight[3] = {h, h + rows, h + 2 * rows};
            double *out[3] = {sums, sums + d, sums + 2 * d};
            int count = 1 + (s + t) % 3;
            for (int64_t i = 0; i < 3 * rows; i += 5) h[i] = 0;
            level->pulls(rows, d, x, apart, count, weight, out);
            for (int64_t i = 0; i < rows; i++)
                for (int q = 0; q < count; q++)
                    for (int64_t j = 0; j < d; j++) want[q * d + j] += h[q * rows + i] * x[i * apart + j];
            assert_memory_equal(sums, want, (size_t)(3 * d) * sizeof *sums);
            for (int k = 0; k < 4; k++) packed[k / 2][k % 2] = hsp_alloc_zero(size, sizeof(double));
            hsp_decode q = {.d = d, .centre = s % 2 ? centre : NULL};
            level->pack_rows(rows, d, x, apart, q.centre, step, packed[0][0], h, t % 2 ? packed[0][1] : NULL);
            for (int64_t i = 0; i < rows; i++)
                level->pack[F64_FORM](&q, x + i * apart, NULL, step, packed[1][0] + i * level->width, h[i],
                                      t % 2 ? packed[1][1] + i * level->width : NULL);
            for (int k = 0; k < 2; k++)
                for (int64_t e = 0; e < size; e++) assert_true(packed[0][k][e] == packed[1][k][e]);
            double *all[] = {x, h, centre, sums, want, packed[0][0], packed[0][1], packed[1][0], packed[1][1]};
            for (int k = 0; k < 9; k++) hsp_free(all[k]);
        }
}

static void blocks_of_rows_are_their_rows(void **unused) {
    (void)unused;
    each_level(check_rows);
}

/* ---- tallies ---- */

enum { TALLIED_ROWS = 50, TALLIED_COLUMNS = 3 * HSP_TALLIED };

/* One cell after the other. */
static void tally_cell(hsp_tally t, int64_t j, double v) {
    if (isnan(v)) return;
    if (v <= t.last[j]) t.back[j] = -1;
    if (floor(v) != v) t.part[j] = -1;
    t.least[j] = fmin(t.least[j], v);
    t.greatest[j] = fmax(t.greatest[j], v);
    t.sum[j] += v;
    t.last[j] = v;
    t.numbers[j]++;
}

static hsp_tally new_tally(double *v, int64_t *c) {
    hsp_tally t = {v, v + TALLIED_COLUMNS, v + 2 * TALLIED_COLUMNS, v + 3 * TALLIED_COLUMNS,
                   c, c + TALLIED_COLUMNS, c + 2 * TALLIED_COLUMNS};
    for (int64_t j = 0; j < TALLIED_COLUMNS; j++) t.least[j] = INFINITY, t.greatest[j] = t.last[j] = -INFINITY;
    return t;
}

/* Columns of every sort: ascending, integers, with missing values, all missing, large, with fractions, 0 and -0. */
static double tallied(int64_t i, int64_t j, double normal) {
    switch (j % 8) {
    case 0:
        return (double)i;
    case 1:
        return floor(100 * normal);
    case 2:
        return i % 3 ? (double)NAN : normal;
    case 3:
        return NAN;
    case 4:
        return 0x1p60 * (double)(i + 1);
    case 5:
        return (double)i + (i == 49 ? 0.5 : 1);
    case 6:
        return i % 2 ? 0.0 : -0.0;
    default:
        return normal;
    }
}

static void check_tally(const hsp_level *level) {
    double v[4 * TALLIED_COLUMNS] = {0}, w[4 * TALLIED_COLUMNS] = {0}, *x = numbers(TALLIED_ROWS * TALLIED_COLUMNS, 5);
    int64_t c[3 * TALLIED_COLUMNS] = {0}, e[3 * TALLIED_COLUMNS] = {0}, count = 0, found = 0;
    hsp_tally t = new_tally(v, c), want = new_tally(w, e);
    for (int64_t i = 0; i < TALLIED_ROWS; i++)
        for (int64_t j = 0; j < TALLIED_COLUMNS; j++) {
            double *cell = &x[i * TALLIED_COLUMNS + j];
            *cell = tallied(i, j, *cell);
            count += !isnan(*cell);
            tally_cell(want, j, *cell);
        }
    for (int64_t i = 0; i < TALLIED_ROWS; i += 20) /* in parts, each of which continues the last */
        found += level->tally(i + 20 < TALLIED_ROWS ? 20 : TALLIED_ROWS - i, TALLIED_COLUMNS, x + i * TALLIED_COLUMNS, &t);
    assert_int_equal(found, count);
    assert_memory_equal(c, e, sizeof c);
    for (int64_t k = 0; k < 4 * TALLIED_COLUMNS; k++) assert_true(v[k] == w[k]);
    hsp_free(x);
}

/* Cells of doubles, and of the same numbers as floats: column and bits of each that is not zero. */
static void check_cells(const hsp_level *level) {
    enum { MOST_CELLS = 27 };
    double v[MOST_CELLS];
    float f[MOST_CELLS];
    for (int64_t count = 0; count <= MOST_CELLS; count++)
        for (int kind = 0; kind < 3; kind++) { /* no zeros, some, all */
            unsigned char want[12 * MOST_CELLS], got[12 * (MOST_CELLS + 8)], single[sizeof got];
            size_t bytes = 0;
            for (int64_t t = 0; t < count; t++) {
                v[t] = kind == 0 || (kind == 1 && t % 3) ? (double)(t + 1) / 8 : t % 2 ? 0.0 : -0.0;
                f[t] = (float)v[t];
                if (v[t] == 0) continue;
                uint32_t column = (uint32_t)(t + 70000);
                memcpy(want + bytes, &column, 4); /* little-endian machines */
                memcpy(want + bytes + 4, &v[t], 8);
                bytes += 12;
            }
            assert_true(level->hash.cells(70000, NULL, v, count, got) == bytes);
            assert_memory_equal(got, want, bytes);
            assert_true(level->hash.single_cells(70000, f, count, single) == bytes);
            assert_memory_equal(single, want, bytes);
        }
}

static void hashed_cells_are_the_same_from_floats(void **unused) {
    (void)unused;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    each_level(check_cells);
#endif
}

static void a_tally_is_that_of_its_cells(void **unused) {
    (void)unused;
    each_level(check_tally);
}

/* ---- sums of deviations ---- */

/* Of d columns of rows `step` apart, in two parts, one value after the other. */
static void check_spread_of(const hsp_level *level, int64_t d, int64_t step) {
    enum { SPREAD_ROWS = 37, FIRST = 5 };
    double *x = numbers(SPREAD_ROWS * step, (uint64_t)d), *pivot = numbers(d, 9), *s = numbers(d, 3), *q = numbers(d, 4);
    double *want_s = numbers(d, 3), *want_q = numbers(d, 4);
    for (int64_t j = 0; j < d; j++)
        for (int64_t i = 0; i < SPREAD_ROWS; i++) {
            double t = x[i * step + j] - pivot[j];
            want_s[j] += t;
            want_q[j] += t * t;
        }
    level->spread(FIRST, d, x, step, pivot, s, q);
    level->spread(SPREAD_ROWS - FIRST, d, x + FIRST * step, step, pivot, s, q);
    assert_memory_equal(s, want_s, (size_t)d * sizeof *s);
    assert_memory_equal(q, want_q, (size_t)d * sizeof *q);
    HSP_FREE(x, pivot, s, q, want_s, want_q);
}

static void check_spread(const hsp_level *level) {
    for (int64_t d = 1; d < 80; d++) check_spread_of(level, d, d + d % 3);
}

static void deviations_are_summed_in_the_order_of_the_rows(void **unused) {
    (void)unused;
    each_level(check_spread);
}

static void check_present(const hsp_level *level) {
    for (int64_t n = 0; n <= 64; n++) {
        double *x = numbers(n, (uint64_t)n); /* of exact size */
        uint64_t want = 0;
        for (int64_t j = 0; j < n; j++) {
            if (j % 3 == 0) x[j] = 0;
            if (j % 7 == 3) x[j] = -0.0;
            if (j % 11 == 5) x[j] = NAN;
            want |= (uint64_t)(x[j] != 0 || signbit(x[j])) << j;
        }
        assert_true(level->present(x, n) == want);
        hsp_free(x);
    }
}

static void zeros_are_not_present(void **unused) {
    (void)unused;
    each_level(check_present);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tally_is_that_of_its_cells),
        cmocka_unit_test(hashed_cells_are_the_same_from_floats),
        cmocka_unit_test(zeros_are_not_present),
        cmocka_unit_test(deviations_are_summed_in_the_order_of_the_rows),
        cmocka_unit_test(blocks_of_rows_are_their_rows),
        cmocka_unit_test(a_product_is_one_chain_for_each_number),
        cmocka_unit_test(a_rectangle_is_all_that_is_touched),
        cmocka_unit_test(scores_are_cut_every_block_of_columns),
        cmocka_unit_test(rows_become_panels),
        cmocka_unit_test(sparse_rows_meet_all_outputs),
        cmocka_unit_test(pairs_fill_the_lower_triangle_and_nothing_else),
        cmocka_unit_test(an_unknown_level_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
