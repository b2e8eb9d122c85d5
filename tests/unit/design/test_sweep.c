/* The combined pass against the passes that do one thing each. */
#include "laid_out.h"

#include "design/gram.h"
#include "design/sweep.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* What the callback makes of scores: any weights, some of them 0. */
typedef struct weights {
    const double *scores;
    double *s, *r, *h;
    int64_t *seen; /* how often each row was visited */
} weights;

static void weigh(void *ctx, int64_t block, int64_t from, int64_t to) {
    weights *t = ctx;
    (void)block;
    for (int64_t i = from; i < to; i++) {
        double g = t->scores[i];
        t->s[i] = tanh(g);
        t->r[i] = i % 4 ? cos(g) : 0;
        t->h[i] = i % 3 ? 1 / (1 + g * g) : 0;
        t->seen[i]++;
    }
}

typedef struct answer {
    double *scores, *s, *r, *h, *pull_s, *pull_r, *sums, *G, *product, *first, *squares;
    int64_t *seen;
    double mass, sum;
} answer;

static answer new_answer(int64_t n, int64_t d) {
    answer a;
    double *all = hsp_alloc_zero(4 * n + 6 * d + d * d, sizeof *all);
    a.scores = all, a.s = all + n, a.r = a.s + n, a.h = a.r + n, a.pull_s = a.h + n, a.pull_r = a.pull_s + d;
    a.sums = a.pull_r + d, a.product = a.sums + d, a.first = a.product + d, a.squares = a.first + d, a.G = a.squares + d;
    a.seen = hsp_alloc_zero(n, sizeof *a.seen);
    return a;
}

static void free_answer(answer *a) {
    hsp_free(a->scores);
    hsp_free(a->seen);
}

static void sweep_rows(const laid_out *m, const double *w, bool centred, answer *a) {
    hsp_sweep *s;
    assert_int_equal(hsp_sweep_new(m->D, true, &s, NULL), HSP_OK);
    double *near = random_numbers(m->x.d, 5), *t = hsp_alloc(m->x.n, sizeof *t);
    weights weigh_by = {a->scores, a->s, a->r, a->h, a->seen};
    hsp_pass q = {.w = w, .b = 0.3, .scores = a->scores, .ctx = &weigh_by, .weigh = weigh, .s = a->s, .pull_s = a->pull_s};
    q.r = a->r, q.pull_r = a->pull_r, q.h = a->h, q.sums = a->sums, q.G = a->G, q.near = near, q.centred = centred;
    assert_int_equal(hsp_sweep_run(s, &q, NULL), HSP_OK);
    a->mass = q.mass;
    if (w) a->sum = hsp_sweep_product(s, a->h, w, -0.2, t, a->product);
    hsp_sweep_squares(s, a->h, m->x.dense ? near : NULL, a->first, a->squares);
    hsp_sweep_free(s);
    hsp_free(near);
    hsp_free(t);
}

static void close_to(const double *a, const double *b, int64_t count, double size) {
    for (int64_t t = 0; t < count; t++) assert_true(fabs(a[t] - b[t]) <= 1e-10 * size);
}

/* Against scores, adjoints and the Gram matrix of gram.h. */
static void check(const laid_out *m, const double *w, bool centred, const answer *a) {
    int64_t n = m->x.n, d = m->x.d;
    double *t = hsp_alloc(n, sizeof *t), *v = hsp_alloc(d, sizeof *v), *G = hsp_alloc(d * d, sizeof *G),
           size = 1e3 * (double)n;
    for (int64_t i = 0; i < n; i++) assert_int_equal(a->seen[i], 1);
    if (w)
        hsp_design_scores(m->D, w, 0.3, t);
    else
        for (int64_t i = 0; i < n; i++) t[i] = 0.3;
    close_to(a->scores, t, n, 1e3);
    hsp_design_adjoint(m->D, a->s, v);
    close_to(a->pull_s, v, d, size);
    hsp_design_adjoint(m->D, a->r, v);
    close_to(a->pull_r, v, d, size);
    hsp_design_adjoint(m->D, a->h, v);
    close_to(a->sums, v, d, size);
    assert_true(fabs(a->mass - hsp_sum_f64(a->h, n)) <= 1e-9 * (1 + fabs(a->mass)));
    for (int64_t j = 0; j < d; j++) v[j] = a->mass > 0 ? a->sums[j] / a->mass : 0;
    assert_int_equal(hsp_design_gram(m->D, a->h, centred && a->mass > 0 ? v : NULL, NULL, 1, G, NULL), HSP_OK);
    close_to(a->G, G, d * d, size);
    if (w) {
        for (int64_t i = 0; i < n; i++) t[i] = a->h[i] * (a->scores[i] - 0.5);
        hsp_design_adjoint(m->D, t, v);
        close_to(a->product, v, d, 1e3 * size);
        assert_true(fabs(a->sum - hsp_sum_f64(t, n)) <= 1e-9 * size);
    }
    hsp_free(t);
    hsp_free(v);
    hsp_free(G);
}

static const int64_t shapes[][2] = {{1, 1}, {5, 3}, {700, 10}, {2000, 37}, {300, 270}, {40, 600}};

static void one_pass_is_all_passes(void **unused) {
    (void)unused;
    for (int k = 0; k < 6; k++)
        for (int layout = 0; layout < LAYOUTS; layout++)
            for (int scale = 0; scale < SCALES; scale++)
                for (int way = 0; way < 4; way++) {
                    laid_out m;
                    lay_out(&m, shapes[k][0], shapes[k][1], k % 2 ? 0.5 : 0.1, layout, scale, 1);
                    double *w = random_numbers(m.x.d, 9);
                    answer a = new_answer(m.x.n, m.x.d);
                    sweep_rows(&m, way & 1 ? w : NULL, way & 2, &a);
                    check(&m, way & 1 ? w : NULL, way & 2, &a);
                    free_answer(&a);
                    hsp_free(w);
                    put_away(&m);
                }
}

static void threads_change_no_bit(void **unused) {
    (void)unused;
    for (int k = 0; k < 6; k++)
        for (int layout = 0; layout < LAYOUTS; layout++)
            for (int scale = 0; scale < SCALES; scale++) {
                answer a[2];
                int64_t n = shapes[k][0], d = shapes[k][1], numbers = 4 * n + 6 * d + d * d;
                for (int threads = 1; threads <= 3; threads += 2) {
                    laid_out m;
                    lay_out(&m, n, d, 0.3, layout, scale, threads);
                    double *w = random_numbers(d, 9);
                    a[threads / 2] = new_answer(n, d);
                    sweep_rows(&m, w, true, &a[threads / 2]);
                    hsp_free(w);
                    put_away(&m);
                }
                assert_memory_equal(a[0].scores, a[1].scores, (size_t)numbers * sizeof(double));
                free_answer(&a[0]);
                free_answer(&a[1]);
            }
}

/* One block in several, and rows that are not in the sample count as absent. */
static void a_sample_is_some_blocks(void **unused) {
    (void)unused;
    for (int64_t every = 2; every <= 16; every *= 2)
        for (int64_t group = 0; group < 50; group++) {
            int drawn = 0;
            for (int64_t b = group * every; b < (group + 1) * every; b++) drawn += hsp_sweep_drawn(b, every);
            assert_int_equal(drawn, 1);
        }
    for (int layout = 0; layout < LAYOUTS; layout++)
        for (int k = 0; k < 2 * SCALES; k++) {
            enum { n = 3000, d = 9 };
            laid_out m;
            lay_out(&m, n, d, 0.3, layout, k / 2, 1 + k % 2);
            double *w = random_numbers(d, 9), *v = hsp_alloc(d, sizeof *v), *G = hsp_alloc(d * d, sizeof *G);
            answer a = new_answer(n, d);
            hsp_sweep *s;
            assert_int_equal(hsp_sweep_new(m.D, true, &s, NULL), HSP_OK);
            weights weigh_by = {a.scores, a.s, a.r, a.h, a.seen};
            hsp_pass q = {.every = 4, .w = w, .scores = a.scores, .ctx = &weigh_by, .weigh = weigh, .s = a.s, .h = a.h};
            q.pull_s = a.pull_s, q.sums = a.sums, q.G = a.G;
            assert_int_equal(hsp_sweep_run(s, &q, NULL), HSP_OK);
            for (int64_t b = 0; b < hsp_sweep_blocks(s); b++)
                for (int64_t i = hsp_sweep_begin(s, b); i < hsp_sweep_begin(s, b + 1); i++)
                    assert_int_equal(a.seen[i], hsp_sweep_drawn(b, 4));
            hsp_design_adjoint(m.D, a.s, v);
            close_to(a.pull_s, v, d, 1e6);
            hsp_design_adjoint(m.D, a.h, v);
            close_to(a.sums, v, d, 1e6);
            assert_int_equal(hsp_design_gram(m.D, a.h, NULL, NULL, 1, G, NULL), HSP_OK);
            close_to(a.G, G, d * d, 1e6);
            hsp_sweep_free(s);
            free_answer(&a);
            hsp_free(w), hsp_free(v), hsp_free(G);
            put_away(&m);
        }
}

/* Sums of squares, from which the diagonal of the Hessian follows. */
static void squares_are_the_diagonal(void **unused) {
    (void)unused;
    for (int layout = 0; layout < LAYOUTS; layout++)
        for (int scale = 0; scale < SCALES; scale++) {
            laid_out m;
            lay_out(&m, 900, 12, 0.4, layout, scale, 2);
            double *w = random_numbers(12, 9), *near = random_numbers(12, 5);
            answer a = new_answer(900, 12);
            sweep_rows(&m, w, false, &a);
            for (int64_t j = 0; j < 12; j++) {
                /* the squared value is x' less `back` */
                double back = m.x.dense ? near[j] : m.D->p ? -m.D->p[j] : 0;
                double whole = a.squares[j] + 2 * back * a.first[j] + back * back * a.mass;
                assert_true(fabs(whole - a.G[j * 12 + j]) <= 1e-10 * (1 + fabs(whole) + back * back * a.mass));
            }
            free_answer(&a);
            hsp_free(w);
            hsp_free(near);
            put_away(&m);
        }
}

/* Weights of 0 only, and scores and weights that are given. */
static void nothing_to_add(void **unused) {
    (void)unused;
    laid_out m;
    lay_out(&m, 100, 7, 0.5, 2, 2, 1);
    hsp_sweep *s;
    assert_int_equal(hsp_sweep_new(m.D, true, &s, NULL), HSP_OK);
    double h[100] = {0}, sums[7], G[49], scores[100], t[100], v[7] = {1, 2, 3, 4, 5, 6, 7};
    for (int i = 0; i < 100; i++) scores[i] = i;
    hsp_pass q = {.scored = true, .scores = scores, .h = h, .sums = sums, .G = G, .near = v, .centred = true};
    assert_int_equal(hsp_sweep_run(s, &q, NULL), HSP_OK);
    for (int j = 0; j < 49; j++) assert_true(G[j] == 0);
    for (int i = 0; i < 100; i++) assert_true(scores[i] == i);
    assert_true(q.mass == 0 && hsp_sweep_product(s, h, v, 1, t, sums) == 0 && sums[3] == 0);
    hsp_sweep_free(s);
    put_away(&m);
}

static void running_out_of_memory(void **unused) {
    (void)unused;
    laid_out m;
    lay_out(&m, 3000, 5, 1, 0, 1, 2);
    int status = HSP_EMEMORY;
    for (int64_t calls = 0; status && calls < 50; calls++) {
        hsp_sweep *s;
        hsp_memory_fail_after(calls);
        status = hsp_sweep_new(m.D, true, &s, NULL);
        hsp_memory_fail_after(-1);
        assert_true(status ? !s : s != NULL);
        hsp_sweep_free(s);
    }
    assert_int_equal(status, HSP_OK);
    put_away(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_pass_is_all_passes),  cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(a_sample_is_some_blocks), cmocka_unit_test(squares_are_the_diagonal),
        cmocka_unit_test(nothing_to_add),          cmocka_unit_test(running_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
