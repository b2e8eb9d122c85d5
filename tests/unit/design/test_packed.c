/* Packed rows: the same rows, whatever their coding, order, scaling and number of columns, with or without a copy. */
#include "laid_out.h"

#include "design/packed.h"
#include "kernel/in_form.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* Every third row is left out, the others shuffled; how many. */
static int64_t some_rows(int64_t n, int64_t *order) {
    int64_t count = 0;
    hsp_rng r = hsp_rng_new(3, 0);
    for (int64_t i = 0; i < n; i++)
        if (i % 3 != 1) order[count++] = i;
    hsp_rng_shuffle(&r, order, count);
    return count;
}

/* Dot products, sums and all passes against the table. */
static void check_rows(const hsp_packed *P, const laid_out *m) {
    int64_t n = m->x.n, d = m->x.d;
    double *w = random_numbers(d, 5), *r = random_numbers(n, 6);
    double *v = hsp_alloc(d, sizeof *v), *u = hsp_alloc_zero(d, sizeof *u), *back = hsp_alloc(d, sizeof *back);
    double *scores = hsp_alloc(n, sizeof *scores);
    long double *sum = calloc((size_t)d, sizeof *sum), *size = calloc((size_t)d, sizeof *size);
    for (int64_t i = 0; i < n; i++) scores[i] = 77;
    hsp_packed_in(P, w, v);
    hsp_packed_out(P, v, back);
    assert_memory_equal(w, back, (size_t)d * sizeof *w);
    hsp_packed_scores(P, v, 0.5, scores);
    for (int64_t place = 0; place < P->rows; place++) {
        int64_t i = P->origin[place];
        long double g = 0, all = 0;
        for (int64_t j = 0; j < d; j++) {
            long double z = m->t[i * d + j] + (m->D->p ? (long double)m->D->p[j] : 0);
            g += z * w[j];
            all += m->magnitude[i * d + j] * fabs(w[j]);
            sum[j] += r[i] * z;
            size[j] += fabs(r[i]) * m->magnitude[i * d + j];
        }
        hsp_packed_prefetch(P, place);
        double dot = hsp_packed_dot(P, place, v);
        assert_true(fabsl(dot - g) <= 1e-14L * all);
        assert_true(scores[i] == dot + 0.5);
        scores[i] = 77;
        hsp_packed_axpy(P, r[i], place, u);
    }
    for (int64_t i = 0; i < n; i++) assert_true(scores[i] == 77); /* rows that are not there were left alone */
    hsp_packed_out(P, u, back);
    for (int64_t j = 0; j < d; j++) assert_true(fabsl(back[j] - sum[j]) <= 1e-14L * size[j]);
    hsp_packed_adjoint(P, r, v);
    assert_memory_equal(u, v, (size_t)d * sizeof *v);
    void *all[] = {w, r, v, u, back, scores};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) hsp_free(all[k]);
    free(sum);
    free(size);
}

static void rows_are_the_designs(void **state) {
    (void)state;
    for (int layout = 0; layout < LAYOUTS; layout++)
        for (int scale = 0; scale < SCALES; scale++)
            for (int room = 0; room < 2; room++) {
                laid_out m;
                int64_t order[40];
                hsp_packed *P;
                lay_out(&m, 40, 37, 0.3, layout, scale, 2);
                int64_t count = some_rows(40, order);
                assert_int_equal(hsp_packed_new(m.D, order, count, room ? INT64_MAX : 100, &P, NULL), 0);
                assert_int_equal(P->copied, room);
                assert_true(room ? P->bytes > 100 : P->bytes == 0);
                check_rows(P, &m);
                hsp_packed_free(P);
                put_away(&m);
            }
}

/* Enough columns that they are relabelled: the bits are those of the rows that are not copied, and the columns that most
 * rows have come first. */
static void many_columns_are_relabelled(void **state) {
    (void)state;
    enum { N = 30, D = 70000 };
    laid_out m;
    for (int scale = 0; scale < 2; scale++) {
        int64_t order[N];
        hsp_packed *P, *Q;
        lay_out(&m, N, D, 0.002, 2 + scale, scale, 2);
        int64_t count = some_rows(N, order);
        assert_int_equal(hsp_packed_new(m.D, order, count, INT64_MAX, &P, NULL), 0);
        assert_int_equal(hsp_packed_new(m.D, order, count, 0, &Q, NULL), 0);
        assert_non_null(P->label);
        assert_null(Q->label);
        check_rows(P, &m);
        double *w = random_numbers(D, 9), *v = hsp_alloc(D, sizeof *v), *back = hsp_alloc(D, sizeof *back);
        int64_t *frequency = calloc(D, sizeof *frequency);
        bool *taken = calloc(D, sizeof *taken);
        hsp_packed_in(P, w, v);
        for (int64_t k = 0; k < count; k++) {
            assert_true(hsp_packed_dot(P, k, v) == hsp_packed_dot(Q, k, w));
            hsp_packed_axpy(P, 0.25 + (double)k, k, v);
            hsp_packed_axpy(Q, 0.25 + (double)k, k, w);
        }
        hsp_packed_out(P, v, back);
        assert_memory_equal(w, back, D * sizeof *w);
        for (int64_t j = 0; j < D; j++) {
            int64_t rows = 0;
            for (int64_t i = 0; i < N; i++) rows += m.t[i * D + j] != 0;
            assert_false(taken[P->label[j]]);
            taken[P->label[j]] = true;
            frequency[P->label[j]] = rows;
        }
        for (int64_t j = 1; j < D; j++) /* by powers of two */
            assert_true(frequency[j] == 0 || 63 - __builtin_clzll((unsigned long long)frequency[j]) <=
                                                 63 - __builtin_clzll((unsigned long long)frequency[j - 1] | 1));
        void *all[] = {w, v, back};
        for (size_t k = 0; k < sizeof all / sizeof *all; k++) hsp_free(all[k]);
        free(frequency);
        free(taken);
        hsp_packed_free(P);
        hsp_packed_free(Q);
        put_away(&m);
    }
}

/* A full table of values in a coding, dense (padded) or with all ids. */
static hsp_matrix full_table(int64_t n, int64_t d, int coding, bool dense, bool narrow, const double *x) {
    int64_t stride = dense ? d + 2 : d;
    hsp_matrix m = {.n = n, .d = d, .dense = dense, .coding = (hsp_coding)coding, .narrow = narrow, .stored = n * d};
    double *padded = hsp_alloc(n * stride, sizeof *padded);
    uint32_t *id = hsp_alloc(n * d, sizeof *id);
    for (int64_t t = 0; t < n * stride; t++) padded[t] = x[t % stride < d ? t / stride * d + t % stride : 0];
    m.value = coded(coding, n * stride, padded, &m.table);
    if (dense) {
        m.stride = stride;
    } else {
        m.row = hsp_alloc(n + 1, sizeof *m.row);
        for (int64_t i = 0; i <= n; i++) m.row[i] = i * d;
        for (int64_t t = 0; t < n * d; t++) id[t] = (uint32_t)(t % d);
        m.id = listed(narrow, n * d, id);
    }
    hsp_free(padded);
    hsp_free(id);
    return m;
}

/* Whatever the coding and the ids, the bits are those of doubles; dense rows need not follow one another. */
static void codings_do_not_change_a_bit(void **state) {
    (void)state;
    enum { N = 12, D = 23 };
    for (int coding = 0; coding < HSP_CODINGS; coding++)
        for (int form = 0; form < 3; form++) {
            bool dense = form == 0;
            if (dense && coding == HSP_CODING_ONE) continue;
            double *x = values_for(coding, N * D, 8), *v = random_numbers(D, 1);
            hsp_matrix plain = full_table(N, D, HSP_CODING_F64, dense, false, x);
            hsp_matrix m = full_table(N, D, coding, dense, form == 1, x);
            hsp_design *A, *B;
            hsp_packed *P, *Q;
            int64_t order[N];
            int64_t count = some_rows(N, order);
            assert_int_equal(hsp_design_new(&plain, NULL, NULL, 1, &A, NULL), 0);
            assert_int_equal(hsp_design_new(&m, NULL, NULL, 1, &B, NULL), 0);
            assert_int_equal(hsp_packed_new(A, order, count, INT64_MAX, &P, NULL), 0);
            assert_int_equal(hsp_packed_new(B, order, count, INT64_MAX, &Q, NULL), 0);
            assert_true(Q->bytes <= P->bytes && (int)Q->x.coding == coding);
            for (int64_t k = 0; k < count; k++) {
                double u[2][D] = {{0}};
                assert_true(hsp_packed_dot(P, k, v) == hsp_packed_dot(Q, k, v));
                hsp_packed_axpy(P, 0.3, k, u[0]);
                hsp_packed_axpy(Q, 0.3, k, u[1]);
                assert_memory_equal(u[0], u[1], sizeof u[0]);
            }
            hsp_packed_free(P);
            hsp_packed_free(Q);
            hsp_design_free(A);
            hsp_design_free(B);
            hsp_matrix_clear(&plain);
            hsp_matrix_clear(&m);
            hsp_free(x);
            hsp_free(v);
        }
}

static void no_rows_are_no_trouble(void **state) {
    (void)state;
    laid_out m;
    hsp_packed *P;
    double v[3] = {1, 2, 3}, scores[1] = {4};
    for (int layout = 0; layout < LAYOUTS; layout++) {
        lay_out(&m, 1, 3, layout % 2 ? 0 : 0.5, layout, 0, 1); /* also a row without numbers */
        int64_t order[1] = {0};
        assert_int_equal(hsp_packed_new(m.D, NULL, 0, INT64_MAX, &P, NULL), 0);
        hsp_packed_scores(P, v, 0, scores);
        assert_true(scores[0] == 4);
        hsp_packed_adjoint(P, scores, v);
        assert_true(v[0] == 0 && v[1] == 0 && v[2] == 0);
        hsp_packed_free(P);
        assert_int_equal(hsp_packed_new(m.D, order, 1, INT64_MAX, &P, NULL), 0);
        check_rows(P, &m);
        hsp_packed_free(P);
        put_away(&m);
    }
    hsp_packed_free(NULL);
}

/* A copy that is one byte too large is not made. */
static void the_bound_is_kept(void **state) {
    (void)state;
    laid_out m;
    hsp_packed *P;
    int64_t order[20];
    for (int layout = 0; layout < LAYOUTS; layout++) {
        lay_out(&m, 20, 9, 0.5, layout, 0, 1);
        int64_t count = some_rows(20, order), bytes;
        assert_int_equal(hsp_packed_new(m.D, order, count, INT64_MAX, &P, NULL), 0);
        bytes = P->bytes;
        hsp_packed_free(P);
        for (int64_t less = 0; less < 2; less++) {
            assert_int_equal(hsp_packed_new(m.D, order, count, bytes - less, &P, NULL), 0);
            assert_int_equal(P->copied, less == 0);
            hsp_packed_free(P);
        }
        assert_int_equal(hsp_packed_new(m.D, order, count, -5, &P, NULL), 0); /* the data alone are too large */
        assert_false(P->copied);
        hsp_packed_free(P);
        assert_true(hsp_packed_room(m.D) < hsp_memory_limit());
        put_away(&m);
    }
}

static void memory_may_run_out(void **state) {
    (void)state;
    laid_out m;
    int64_t order[10];
    for (int wide = 0; wide < 3; wide++) { /* the last: scaled, and no room */
        lay_out(&m, 10, wide == 1 ? 70000 : 5, 0.1, 2, wide == 2, 1);
        int64_t count = some_rows(10, order), calls = 0;
        for (int status = HSP_EMEMORY; status; calls++) {
            hsp_packed *P = (hsp_packed *)&m;
            hsp_memory_fail_after(calls);
            status = hsp_packed_new(m.D, order, count, wide == 2 ? 0 : INT64_MAX, &P, NULL);
            hsp_memory_fail_after(-1);
            assert_true(status == 0 || (status == HSP_EMEMORY && P == NULL));
            hsp_packed_free(status ? NULL : P);
        }
        assert_true(calls > 2);
        put_away(&m);
    }
}

int main(void) {
    const struct CMUnitTest t[] = {
        cmocka_unit_test(rows_are_the_designs),        cmocka_unit_test(many_columns_are_relabelled),
        cmocka_unit_test(codings_do_not_change_a_bit), cmocka_unit_test(no_rows_are_no_trouble),
        cmocka_unit_test(the_bound_is_kept),           cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(t, NULL, NULL);
}
