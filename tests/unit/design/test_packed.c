/* Packed rows: the same rows, for any coding, order, scaling and number of columns, with or without a copy. */
#include "laid_out.h"

#include "design/packed.h"
#include "kernel/in_form.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* Leaves every third row out and shuffles the others; their number. */
static int64_t some_rows(int64_t n, int64_t *order) {
    int64_t count = 0;
    hsp_rng r = hsp_rng_new(3, 0);
    for (int64_t i = 0; i < n; i++)
        if (i % 3 != 1) order[count++] = i;
    hsp_rng_shuffle(&r, order, count);
    return count;
}

/* Dot products and sums against the table. */
static void check_rows(const hsp_packed *P, const laid_out *m) {
    int64_t n = m->x.n, d = m->x.d;
    double *w = random_numbers(d, 5), *r = random_numbers(n, 6), *u = hsp_alloc_zero(d, sizeof *u);
    long double *sum = calloc((size_t)d, sizeof *sum), *size = calloc((size_t)d, sizeof *size);
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
        hsp_packed_row row = hsp_packed_at(P, place);
        assert_true(fabsl(hsp_packed_dot(P, row, w) - g) <= 1e-14L * all);
        hsp_packed_axpy(P, r[i], row, u);
    }
    for (int64_t j = 0; j < d; j++) assert_true(fabsl(u[j] - sum[j]) <= 1e-14L * size[j]);
    hsp_free(w);
    hsp_free(r);
    hsp_free(u);
    free(sum);
    free(size);
}

/* Both have the same rows in the same places, to the bit. */
static void check_same(const hsp_packed *P, const int64_t *places, const hsp_packed *Q) {
    double *w = random_numbers(P->d, 5), *u = hsp_alloc(P->d, sizeof *u), *v = hsp_alloc(P->d, sizeof *v);
    for (int64_t k = 0; k < Q->rows; k++) {
        assert_int_equal(Q->origin[k], P->origin[places[k]]);
        assert_true(hsp_packed_dot(P, hsp_packed_at(P, places[k]), w) == hsp_packed_dot(Q, hsp_packed_at(Q, k), w));
        memset(u, 0, (size_t)P->d * sizeof *u);
        memset(v, 0, (size_t)P->d * sizeof *v);
        hsp_packed_axpy(P, 0.3, hsp_packed_at(P, places[k]), u);
        hsp_packed_axpy(Q, 0.3, hsp_packed_at(Q, k), v);
        assert_memory_equal(u, v, (size_t)P->d * sizeof *v);
    }
    hsp_free(w);
    hsp_free(u);
    hsp_free(v);
}

/* Rows in place, copies of all, of some, and of some of those in place; also more columns than 16 bits can name. */
static void rows_are_the_designs(void **state) {
    (void)state;
    enum { N = 40 };
    for (int layout = 0; layout < LAYOUTS; layout++)
        for (int scale = 0; scale < SCALES; scale++)
            for (int wide = 0; wide < 2; wide++) {
                laid_out m;
                int64_t order[N], all[N], some[N], few[N], of_few[N];
                hsp_packed *P, *Q;
                if (wide && layout < DENSE_LAYOUTS) continue; /* dense */
                lay_out(&m, N, wide ? 70000 : 37, wide ? 0.002 : 0.3, layout, scale, 2);
                int64_t count = some_rows(N, order);
                assert_int_equal(hsp_packed_new(m.D, order, count, &P, NULL), 0);
                assert_int_equal(hsp_packed_copy_of(P, INT64_MAX, &Q, NULL), 0);
                assert_true(!P->copied && Q->copied && Q->rows == 0 && Q->places == count &&
                            Q->x.ids == (wide ? HSP_IDS_32 : HSP_IDS_16));
                for (int64_t k = 0; k < count; k++) all[k] = k;
                for (int64_t k = 0; k < count / 2; k++) some[k] = 2 * k + 1;
                for (int64_t k = 0; k < count / 4; k++) few[k] = 2 * k, of_few[k] = some[2 * k];
                check_rows(P, &m);
                hsp_packed_take(P, all, count, Q);
                check_rows(Q, &m);
                check_same(P, all, Q);
                hsp_packed_take(P, some, count / 2, Q);
                check_same(P, some, Q);
                hsp_packed_take(Q, few, count / 4, Q);
                check_same(P, of_few, Q);
                hsp_packed_take(Q, few, 0, Q);
                assert_int_equal(Q->rows, 0);
                hsp_packed_take(P, all, count, Q); /* and back again */
                check_same(P, all, Q);
                hsp_packed_free(P);
                hsp_packed_free(Q);
                put_away(&m);
            }
}

/* A full table of values in a coding, dense (padded) or with all ids. */
static hsp_matrix full_table(int64_t n, int64_t d, int coding, bool dense, hsp_ids ids, const double *x) {
    int64_t stride = dense ? d + 2 : d;
    hsp_matrix m = {.n = n, .d = d, .dense = dense, .coding = (hsp_coding)coding, .ids = ids, .stored = n * d};
    double *padded = hsp_alloc(n * stride, sizeof *padded);
    uint32_t *id = hsp_alloc(n * d, sizeof *id);
    for (int64_t t = 0; t < n * stride; t++) padded[t] = x[t % stride < d ? t / stride * d + t % stride : 0];
    m.value = coded(coding, n * stride, padded, &m.table);
    if (dense) {
        m.stride = stride * step_in(coding);
    } else {
        m.row = hsp_alloc(n + 1, sizeof *m.row);
        for (int64_t i = 0; i <= n; i++) m.row[i] = i * d;
        for (int64_t t = 0; t < n * d; t++) id[t] = (uint32_t)(t % d);
        m.id = listed(ids, n * d, id);
    }
    hsp_free(padded);
    hsp_free(id);
    return m;
}

/* For any coding of values and ids the bits are those of doubles; dense rows need not be contiguous. */
static void codings_do_not_change_a_bit(void **state) {
    (void)state;
    enum { N = 12, D = 23 };
    for (int form = 0; form < HSP_FORMS; form++) {
        int coding = coding_in(form);
        bool dense = form < HSP_DENSE_CODINGS;
        if (dense && coding == HSP_CODING_ONE) continue;
        double *x = values_for(coding, N * D, 8);
        hsp_matrix plain = full_table(N, D, HSP_CODING_F64, dense, HSP_IDS_32, x);
        hsp_matrix m = full_table(N, D, coding, dense, ids_in(form), x);
        hsp_design *A, *B;
        hsp_packed *P, *Q, *R;
        int64_t order[N], all[N];
        int64_t count = some_rows(N, order);
        for (int64_t k = 0; k < count; k++) all[k] = k;
        assert_int_equal(hsp_design_new(&plain, NULL, NULL, 1, &A, NULL), 0);
        assert_int_equal(hsp_design_new(&m, NULL, NULL, 1, &B, NULL), 0);
        assert_int_equal(hsp_packed_new(A, order, count, &P, NULL), 0);
        assert_int_equal(hsp_packed_new(B, order, count, &Q, NULL), 0);
        assert_int_equal(hsp_packed_copy_of(Q, INT64_MAX, &R, NULL), 0);
        assert_true((int)R->x.coding == adjacent_in(coding));
        hsp_packed_take(Q, all, count, R);
        Q->rows = count;
        check_same(P, all, Q);
        check_same(P, all, R);
        hsp_packed_free(P);
        hsp_packed_free(Q);
        hsp_packed_free(R);
        hsp_design_free(A);
        hsp_design_free(B);
        hsp_matrix_clear(&plain);
        hsp_matrix_clear(&m);
        hsp_free(x);
    }
}

/* The same for any number of columns, which decides how the weights are prefetched: rows shorter than, as long as and
 * longer than the prefetch distance. */
static void far_weights_do_not_change_a_bit(void **state) {
    (void)state;
    enum { N = 2 };
    static const int64_t counts[] = {1, 63, 64, 67, 68, 69, 131, 300}, columns[] = {70000, 200000};
    int64_t order[N] = {1, 0};
    for (int coding = 0; coding < HSP_CODINGS; coding++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            double *x = values_for(coding, N * counts[c], 8), *w = random_numbers(columns[1], 5), dot[2][N];
            for (int far = 0; far < 2; far++) {
                hsp_matrix m = full_table(N, counts[c], coding, false, HSP_IDS_32, x);
                hsp_design *D;
                hsp_packed *P;
                m.d = columns[far];
                assert_int_equal(hsp_design_new(&m, NULL, NULL, 1, &D, NULL), 0);
                assert_int_equal(hsp_packed_new(D, order, N, &P, NULL), 0);
                for (int64_t k = 0; k < N; k++) dot[far][k] = hsp_packed_dot(P, hsp_packed_at(P, k), w);
                hsp_packed_free(P);
                hsp_design_free(D);
                hsp_matrix_clear(&m);
            }
            assert_memory_equal(dot[0], dot[1], sizeof dot[0]);
            hsp_free(x);
            hsp_free(w);
        }
}

static void no_rows_are_no_trouble(void **state) {
    (void)state;
    laid_out m;
    hsp_packed *P, *Q;
    for (int layout = 0; layout < LAYOUTS; layout++) {
        lay_out(&m, 1, 3, layout % 2 ? 0 : 0.5, layout, 0, 1); /* also a row without numbers */
        int64_t order[1] = {0};
        for (int64_t rows = 0; rows < 2; rows++) {
            assert_int_equal(hsp_packed_new(m.D, order, rows, &P, NULL), 0);
            assert_int_equal(hsp_packed_copy_of(P, INT64_MAX, &Q, NULL), 0);
            hsp_packed_take(P, order, rows, Q);
            check_rows(P, &m);
            check_rows(Q, &m);
            hsp_packed_free(P);
            hsp_packed_free(Q);
        }
        put_away(&m);
    }
    hsp_packed_free(NULL);
}

/* A copy that is one byte too large is not made. */
static void the_bound_is_kept(void **state) {
    (void)state;
    laid_out m;
    hsp_packed *P, *Q;
    int64_t order[20];
    for (int layout = 0; layout < LAYOUTS; layout++) {
        lay_out(&m, 20, 9, 0.5, layout, 0, 1);
        int64_t count = some_rows(20, order), bytes;
        assert_int_equal(hsp_packed_new(m.D, order, count, &P, NULL), 0);
        assert_int_equal(hsp_packed_copy_of(P, INT64_MAX, &Q, NULL), 0);
        bytes = Q->bytes;
        assert_true(bytes > 0);
        hsp_packed_free(Q);
        for (int64_t less = 0; less < 2; less++) {
            assert_int_equal(hsp_packed_copy_of(P, bytes - less, &Q, NULL), 0);
            assert_true(less ? Q == NULL : Q->copied);
            hsp_packed_free(Q);
        }
        assert_int_equal(hsp_packed_copy_of(P, -5, &Q, NULL), 0); /* the data alone are too large */
        assert_null(Q);
        hsp_packed_free(P);
        assert_true(hsp_packed_room(m.D) < hsp_memory_limit());
        put_away(&m);
    }
}

static void memory_may_run_out(void **state) {
    (void)state;
    laid_out m;
    int64_t order[10];
    for (int scale = 0; scale < 2; scale++) {
        lay_out(&m, 10, 5, 0.1, 2, scale, 1);
        int64_t count = some_rows(10, order), calls = 0;
        for (int status = HSP_EMEMORY; status; calls++) {
            hsp_packed *P = (hsp_packed *)&m, *Q = (hsp_packed *)&m;
            hsp_memory_fail_after(calls);
            status = hsp_packed_new(m.D, order, count, &P, NULL);
            if (!status) status = hsp_packed_copy_of(P, INT64_MAX, &Q, NULL);
            hsp_memory_fail_after(-1);
            assert_true(status == 0 || (status == HSP_EMEMORY && (P == NULL || Q == NULL)));
            hsp_packed_free(P);
            hsp_packed_free(status ? NULL : Q);
        }
        assert_true(calls > 5);
        put_away(&m);
    }
}

int main(void) {
    const struct CMUnitTest t[] = {
        cmocka_unit_test(rows_are_the_designs),   cmocka_unit_test(codings_do_not_change_a_bit),
        cmocka_unit_test(no_rows_are_no_trouble), cmocka_unit_test(the_bound_is_kept),
        cmocka_unit_test(memory_may_run_out),     cmocka_unit_test(far_weights_do_not_change_a_bit),
    };
    return cmocka_run_group_tests(t, NULL, NULL);
}
