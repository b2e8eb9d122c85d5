/* The checker reads rows of every form alike: the same bits as from doubles with 32-bit ids. */
#include "design/coded_matrix.h"
#include "verify/claim/row_passes.h"
#include "verify/proof/proof_rows.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { ROWS = 60, COLUMNS = 45 };

typedef struct results {
    hsp_dd score[ROWS];
    double sums[3 * COLUMNS], bounded[ROWS], error[ROWS], exact[ROWS];
} results;

static void run(const hsp_matrix *x, results *r) {
    double *w = values_for(F64_FORM, COLUMNS, 51), *a = values_for(F64_FORM, ROWS, 52), low[ROWS];
    memset(r, 0, sizeof *r);
    for (int i = 0; i < ROWS; i++) low[i] = ldexp(a[(i + 1) % ROWS], -60);
    hsp_audit_columns to = {.base = r->sums, .d = COLUMNS, .step = x->dense ? 1 : 3, .offset = x->dense ? COLUMNS : 1};
    hsp_passes_now()->scores(x, 0, ROWS, w, 0.7, r->score);
    hsp_passes_now()->combine(x, 0, ROWS, a, low, &to);
    for (int64_t i = 0; i < ROWS; i++) {
        r->bounded[i] = hsp_rows_score(hsp_matrix_row(x, i), w, 0.7, &r->error[i]);
        r->exact[i] = 0;
        for (int64_t t = 0, n = hsp_matrix_row(x, i).count; t < n; t++)
            r->exact[i] += w[hsp_row_id(hsp_matrix_row(x, i), t)] * hsp_row_value(hsp_matrix_row(x, i), t);
        assert_true(fabs(r->bounded[i] - r->exact[i] - 0.7) < 1e-9);
        assert_true(fabs(r->score[i].hi - r->bounded[i]) <= 2 * r->error[i]);
    }
    hsp_free(w);
    hsp_free(a);
}

static void compare(hsp_matrix *plain, hsp_matrix *m) {
    static results first, other;
    run(plain, &first);
    run(m, &other);
    assert_memory_equal(&first, &other, sizeof first);
    hsp_matrix_clear(plain);
    hsp_matrix_clear(m);
}

static void sparse_rows_of_every_form(void **unused) {
    (void)unused;
    for (int form = HSP_DENSE_CODINGS; form < HSP_FORMS; form++) {
        double *x = table_for(coding_in(form), ROWS, COLUMNS, 0.4);
        hsp_matrix plain = sparse_as(x, ROWS, COLUMNS, F64_FORM, false);
        hsp_matrix m = sparse_as(x, ROWS, COLUMNS, coding_in(form), ids_in(form));
        compare(&plain, &m);
        hsp_free(x);
    }
}

static void dense_rows_of_every_coding_and_stride(void **unused) {
    (void)unused;
    for (int coding = 0; coding < ONE_FORM; coding++)
        for (int padding = 0; padding < 6; padding += 5) {
            double *x = table_for(coding, ROWS, COLUMNS, 0.8);
            hsp_matrix plain = dense_as(x, ROWS, COLUMNS, F64_FORM, COLUMNS);
            hsp_matrix m = dense_as(x, ROWS, COLUMNS, coding, COLUMNS + padding);
            compare(&plain, &m);
            hsp_free(x);
        }
}

/* ---- levels ---- */

enum { MOST = 77 };

/* One step of Dot2 and of the sums of columns, written from the papers and without vectors. */
static hsp_dd score_simply(hsp_row r, const double *w, double b) {
    hsp_dd s[8] = {{0, 0}};
    for (int64_t t = 0; t < r.count; t++) {
        double x = hsp_row_value(r, t), p = x * w[hsp_row_id(r, t)];
        hsp_dd sum = hsp_two_sum(s[t % 8].hi, p);
        s[t % 8].lo += fma(x, w[hsp_row_id(r, t)], -p) + sum.lo;
        s[t % 8].hi = sum.hi;
    }
    for (int half = 4; half > 0; half /= 2)
        for (int l = 0; l < half; l++) {
            hsp_dd sum = hsp_two_sum(s[l].hi, s[l + half].hi);
            s[l] = (hsp_dd){sum.hi, (s[l].lo + s[l + half].lo) + sum.lo};
        }
    return hsp_dd_add_double(hsp_two_sum(s[0].hi, s[0].lo), b);
}

static void combine_simply(const hsp_matrix *x, const double *a, const double *low, double *sums) {
    for (int64_t i = 0; i < x->n; i++) {
        hsp_row r = hsp_matrix_row(x, i);
        for (int64_t t = 0; t < r.count && a[i] != 0; t++) {
            double v = hsp_row_value(r, t), p = a[i] * v, e = fma(a[i], v, -p), *to = sums + hsp_row_id(r, t);
            hsp_dd s = hsp_two_sum(to[0], p);
            double rest = to[x->d] + (s.lo + fma(low[i], v, e));
            to[0] = s.hi + rest;
            to[x->d] = rest - (to[0] - s.hi);
            to[2 * x->d] += fabs(p);
        }
    }
}

/* Rows of ordinary numbers, of subnormal ones, and of numbers whose products are out of range. */
static void fill_hard(double *x, int64_t n, double scale) {
    double *v = values_for(F64_FORM, n, 53);
    for (int64_t t = 0; t < n; t++) x[t] = t % 11 == 3 ? 0 : t % 13 == 5 ? -0.0 : v[t] * (t % 5 == 0 ? scale : 1);
    hsp_free(v);
}

static void check_level(const hsp_passes *pass, int64_t rows, int64_t columns, double scale, bool floats) {
    double x[MOST * MOST], w[MOST], a[MOST], low[MOST], found[3 * MOST] = {0}, wanted[3 * MOST] = {0};
    hsp_dd g[MOST];
    fill_hard(x, rows * columns, scale);
    fill_hard(w, columns, 1 / scale);
    fill_hard(a, rows, 1);
    for (int64_t i = 0; i < rows; i++) low[i] = ldexp(a[(i + 1) % rows], -55);
    for (int64_t t = 0; floats && t < rows * columns; t++) x[t] = (double)(float)x[t];
    hsp_matrix m = dense_as(x, rows, columns, floats ? F32_FORM : F64_FORM, columns);
    hsp_audit_columns to = {.base = found, .d = columns, .step = 1, .offset = columns};
    pass->scores(&m, 0, rows, w, 0.25, g);
    pass->combine(&m, 0, rows, a, low, &to);
    combine_simply(&m, a, low, wanted);
    for (int64_t i = 0; i < rows; i++) {
        hsp_dd one = score_simply(hsp_matrix_row(&m, i), w, 0.25);
        assert_memory_equal(&g[i], &one, sizeof one);
    }
    assert_memory_equal(found, wanted, (size_t)(3 * columns) * sizeof *found);
    hsp_matrix_clear(&m);
}

/* Sparse rows of all lengths, the empty one among them. */
static void check_sparse_rows(const hsp_passes *pass, int64_t rows, double scale) {
    double values[MOST * MOST], w[MOST];
    uint32_t id[MOST * MOST];
    int64_t row[MOST + 1] = {0};
    hsp_dd g[MOST];
    fill_hard(values, MOST * MOST, scale);
    fill_hard(w, MOST, 1 / scale);
    for (int64_t i = 0; i < rows; i++) {
        row[i + 1] = row[i] + i;
        for (int64_t t = 0; t < i; t++) id[row[i] + t] = (uint32_t)(t + (MOST - i) * (t > i / 2));
    }
    hsp_matrix m = {.n = rows, .d = MOST, .coding = HSP_CODING_F64, .dtype = HSP_FLOAT64, .stored = row[rows]};
    m.row = row, m.id = id, m.value = values;
    pass->scores(&m, 0, rows, w, -0.5, g);
    for (int64_t i = 0; i < rows; i++) {
        hsp_dd one = score_simply(hsp_matrix_row(&m, i), w, -0.5);
        assert_memory_equal(&g[i], &one, sizeof one);
    }
}

static void pull_simply(const hsp_audit_columns *v, const double *w, double unit, hsp_pull_sums *s) {
    for (int64_t j = 0; j < v->d; j++) {
        hsp_dd at = hsp_columns_sum(v, j), off = hsp_dd_add(hsp_dd_negative(at), hsp_dd_of(w[j]));
        double error = (hsp_columns_size(v, j) + fabs(at.hi)) * unit, top = fabs(at.hi) + error;
        s->residual = hsp_dd_add(s->residual, hsp_dd_square(off));
        s->error += error * (top + error);
        if (top > s->top) s->top = top;
        hsp_dd above = hsp_dd_add_double(hsp_dd_absolute(at), 0);
        if (above.hi > 0) s->conjugate = hsp_dd_add(s->conjugate, hsp_dd_times_power(hsp_dd_square(above), 0.5));
    }
}

static void check_columns(const hsp_passes *pass, int64_t d, bool sparse, double scale) {
    double base[3 * 3 * MOST], w[3 * MOST];
    hsp_audit_columns v = {.base = base, .d = d, .step = sparse ? 3 : 1, .offset = sparse ? 1 : d};
    fill_hard(base, 3 * d, scale);
    fill_hard(w, d, scale);
    for (int64_t j = 0; j < d; j++) {
        double *hi = base + j * v.step;
        hi[v.offset] = j % 7 == 2 ? 0 : ldexp(hi[0], -54 - (int)(j % 3));
        hi[2 * v.offset] = fabs(hi[2 * v.offset]);
        if (j % 17 == 4) hi[0] = hi[v.offset] = hi[2 * v.offset] = w[j] = 0;
    }
    hsp_pull_sums found = {.error = 0.5}, wanted = found;
    pass->pull(&v, w, 0x1p-90, &found);
    pull_simply(&v, w, 0x1p-90, &wanted);
    assert_memory_equal(&found, &wanted, sizeof found);
    hsp_dd norm = {3, 0}, half = {0, 0}, norm_wanted = norm, half_wanted = half;
    pass->squares(d, w, &norm, &half);
    for (int64_t j = 0; j < d; j++) {
        hsp_dd square = hsp_dd_square(hsp_dd_of(w[j])), one = {1, 0};
        if (w[j] == 0) continue;
        norm_wanted = hsp_dd_add(norm_wanted, square);
        half_wanted = hsp_dd_add(half_wanted, hsp_dd_times_power(hsp_dd_multiply(one, square), 0.5));
    }
    assert_memory_equal(&norm, &norm_wanted, sizeof norm);
    assert_memory_equal(&half, &half_wanted, sizeof half);
}

static void sums_over_columns_have_the_same_bits(void **unused) {
    static const double scales[] = {1, 1e-160, 1e140};
    (void)unused;
    for (int level = 0; level < 3; level++) {
        const hsp_passes *pass = hsp_passes_of_level(level);
        for (int k = 0; pass && k < 3; k++)
            for (int64_t d = 0; d <= 3 * MOST; d += d < 20 ? 1 : 21) {
                check_columns(pass, d, false, scales[k]);
                check_columns(pass, d, true, scales[k]);
            }
    }
}

static void levels_give_the_same_bits(void **unused) {
    static const double scales[] = {1, 1e-310, 1e160, 0x1p-60};
    int levels = 0;
    (void)unused;
    for (int level = 0; level < 3; level++) {
        const hsp_passes *pass = hsp_passes_of_level(level);
        if (!pass) continue;
        levels++;
        for (int64_t columns = 1; columns <= MOST; columns += columns < 20 ? 1 : 19)
            for (int64_t rows = 1; rows <= 9; rows++)
                for (int k = 0; k < 4; k++) {
                    if (columns == 1) check_sparse_rows(pass, rows * 8 + k, scales[k]);
                    check_level(pass, rows, columns, scales[k], false);
                    if (k == 0) check_level(pass, rows, columns, scales[k], true);
                }
    }
    assert_true(levels >= 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sparse_rows_of_every_form),
        cmocka_unit_test(dense_rows_of_every_coding_and_stride),
        cmocka_unit_test(levels_give_the_same_bits),
        cmocka_unit_test(sums_over_columns_have_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
