/* The interior point for margins: closed forms, certified optima of every kind, weights as copies, extreme and degenerate
 * programs, failing memory. */
#include "base/memory.h"
#include "margin_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const hsp_intercept INTERCEPTS[] = {HSP_INTERCEPT_FREE, HSP_INTERCEPT_NONE, HSP_INTERCEPT_PENALISED};

static bool finite_point(const margin_case *s) {
    for (int64_t j = 0; j < s->d; j++)
        if (!isfinite(s->point.w[j])) return false;
    for (int64_t i = 0; i < s->n; i++)
        if (!isfinite(s->point.alpha[i])) return false;
    return isfinite(s->point.b);
}

/* Steps to the end, into s->point. At every step the point is finite and the dual is at most the primal. */
static hsp_step solve(margin_case *s, double *gap) {
    const hsp_margin_method *M = &hsp_margin_interior;
    void *state = calloc(1, M->state_size);
    assert_int_equal(M->init(state, &s->m, NULL, 1, NULL), HSP_OK);
    hsp_budget budget = {.max_updates = INT64_MAX, .max_steps = INT64_MAX, .deadline = INFINITY};
    hsp_step said = HSP_STEP_MORE;
    for (int k = 0; said == HSP_STEP_MORE && k < 300; k++) {
        said = M->step(state, &budget);
        M->export(state, &s->point);
        assert_true(finite_point(s));
        double P = margin_case_primal(s, &s->point, 0), D = margin_case_dual(s, &s->point);
        assert_true(D > -INFINITY);
        assert_true(D <= P + 1e-9 * fabs(P));
    }
    assert_true(said != HSP_STEP_MORE);
    if (gap) *gap = M->gap(state);
    M->free(state);
    free(state);
    return said;
}

static void near(double a, double b, double tolerance) {
    if (!(fabs(a - b) <= tolerance)) fail_msg("%.17g is not %.17g", a, b);
}

/* ---- closed forms ---- */

static void two_points(void **state) {
    (void)state;
    double x[] = {3, 1, -1, 4}, y[] = {1, -1}, square = 4 * 4 + 3 * 3;
    for (int k = 0; k < 3; k += 2) {
        margin_case s = margin_case_of(2, 2, x, y, NULL, 1e3, (kind)k, HSP_INTERCEPT_FREE, 1);
        assert_int_equal(solve(&s, NULL), HSP_STEP_DONE);
        near(s.point.w[0], 2 * 4 / square, 1e-8);
        near(s.point.w[1], 2 * -3 / square, 1e-8);
        near(s.point.b, -(s.point.w[0] * (3 - 1) + s.point.w[1] * (1 + 4)) / 2, 1e-8);
        near(s.point.alpha[0], 2 / square, 1e-8);
        near(s.point.alpha[1], 2 / square, 1e-8);
        margin_case_free(&s);
    }
    /* A C too small for the margin: both multipliers at the bound. */
    margin_case s = margin_case_of(2, 2, x, y, NULL, 0.01, KIND_HINGE, HSP_INTERCEPT_FREE, 1);
    assert_int_equal(solve(&s, NULL), HSP_STEP_DONE);
    near(s.point.alpha[0], 0.01, 1e-12);
    near(s.point.w[0], 0.04, 1e-12);
    margin_case_free(&s);
}

static void a_square_and_a_line(void **state) {
    (void)state;
    double square[] = {1, 1, 1, -1, -1, 1, -1, -1}, sides[] = {1, 1, -1, -1};
    margin_case s = margin_case_of(4, 2, square, sides, NULL, 10, KIND_HINGE, HSP_INTERCEPT_FREE, 1);
    assert_int_equal(solve(&s, NULL), HSP_STEP_DONE);
    near(s.point.w[0], 1, 1e-8);
    near(s.point.w[1], 0, 1e-8);
    near(s.point.b, 0, 1e-8);
    near(s.point.alpha[0] + s.point.alpha[1], 0.5, 1e-8);
    margin_case_free(&s);
    /* Support vectors in a row on either side, and others behind them. */
    double line[] = {0, 2, 1, 2, 2, 2, 5, 9, 0, 0, 1, 0, 7, 0, 3, -4}, y[] = {1, 1, 1, 1, -1, -1, -1, -1};
    for (int k = 0; k < 3; k += 2) {
        margin_case t = margin_case_of(8, 2, line, y, NULL, 100, (kind)k, HSP_INTERCEPT_FREE, 1);
        assert_int_equal(solve(&t, NULL), HSP_STEP_DONE);
        near(t.point.w[0], 0, 1e-7);
        near(t.point.w[1], 1, 1e-7);
        near(t.point.b, -1, 1e-7);
        margin_case_free(&t);
    }
}

/* ---- certified ---- */

static void every_kind_is_certified(void **state) {
    (void)state;
    const double Cs[] = {1e-3, 1, 300};
    for (uint64_t seed = 0; seed < 1500; seed++) {
        kind k = (kind)(seed % 4);
        bool wide = seed % 5 == 0;
        int64_t n = 6 + (int64_t)(seed % 61), d = wide ? 2 * n : 1 + (int64_t)(seed % 9);
        double density = seed % 2 ? 1 : 0.3, apart = k == KIND_HARD ? 4 : 0.4;
        margin_case s = margin_case_random(n, k == KIND_HARD ? 6 : d, k == KIND_HARD ? 1 : density, seed % 3 > 0, apart,
                                           Cs[seed / 4 % 3], k, INTERCEPTS[seed / 12 % 3], 1, seed);
        double own;
        hsp_step said = solve(&s, &own);
        double gap = margin_case_gap(&s, &s.point, 1e-7);
        if (said != HSP_STEP_DONE || !(gap <= 1e-8)) fail_msg("seed %d: said %d, gap %g", (int)seed, (int)said, gap);
        assert_true(k == KIND_HARD || fabs(own - fabs(gap)) <= 1e-9);
        margin_case_free(&s);
    }
}

static void a_weight_is_copies(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 12; seed++) {
        margin_case s = margin_case_random(25, 4, 1, true, 0.3, 0.5, (kind)(seed % 2), INTERCEPTS[seed % 3], 1, seed);
        double x[25 * 7 * 4], y[25 * 7];
        int64_t n = 0;
        for (int64_t i = 0; i < s.n; i++)
            for (int c = 0; c < (int)s.c[i]; c++, n++) {
                memcpy(x + n * 4, s.x + i * 4, 4 * sizeof *x);
                y[n] = s.y[i];
            }
        margin_case t = margin_case_of(n, 4, x, y, NULL, 0.5, (kind)(seed % 2), INTERCEPTS[seed % 3], 1);
        assert_int_equal(solve(&s, NULL), HSP_STEP_DONE);
        assert_int_equal(solve(&t, NULL), HSP_STEP_DONE);
        for (int64_t j = 0; j < 4; j++) near(s.point.w[j], t.point.w[j], 1e-6);
        near(margin_case_primal(&s, &s.point, 0), margin_case_primal(&t, &t.point, 0), 1e-8);
        margin_case_free(&s);
        margin_case_free(&t);
    }
}

/* ---- extremes ---- */

/* C over sixteen orders, weights over eight, columns over twelve. */
static void any_scale(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 96; seed++) {
        margin_case a = margin_case_random(60, 5, 1, false, 0.3, 1, KIND_HINGE, HSP_INTERCEPT_FREE, 1, seed);
        double C = pow(10, (double)(seed % 9) * 2 - 8);
        hsp_rng r = hsp_rng_new(seed, 1);
        for (int64_t i = 0; i < a.n; i++) {
            if (seed % 3 == 1) a.c[i] = pow(10, 8 * hsp_rng_uniform(&r) - 4);
            for (int64_t j = 0; j < a.d && seed % 2; j++)
                a.x[i * a.d + j] *= j == 0 ? 1e6 : j == 1 ? 1e-6 : j == 2 ? 1e3 : 1;
        }
        kind k = seed % 4 < 2 ? KIND_HINGE : KIND_SQUARED;
        margin_case s = margin_case_of(a.n, a.d, a.x, a.y, a.c, C, k, INTERCEPTS[seed / 4 % 3], 1);
        hsp_step said = solve(&s, NULL);
        double gap = margin_case_gap(&s, &s.point, 0);
        if (said == HSP_STEP_FAILED || !(gap <= 1e-6)) fail_msg("seed %d: said %d, gap %g", (int)seed, (int)said, gap);
        margin_case_free(&s);
        margin_case_free(&a);
    }
}

static void degenerate_programs(void **state) {
    (void)state;
    double twice[] = {1, 2, 1, 2, 3, 1, 3, 1}, same[] = {2, 5, 2, 5, 2, 5, 2, 5}, zero[8] = {0};
    double constant[] = {7, 1, 7, 2, 7, 3, 7, 5}, xor[] = {
                                                      0, 0, 1, 1, 0, 1, 1, 0};
    const double *points[] = {twice, same, zero, constant, xor};
    const double mixed[] = {1, -1, 1, -1}, halves[] = {1, 1, -1, -1}, plus[] = {1, 1, 1, 1}, minus[] = {-1, -1, -1, -1};
    const double none[] = {0, 0, 0, 0}, first[] = {1, 0, 0, 0}, *sides[] = {mixed, halves, plus, minus};
    const double *weights[] = {NULL, none, first};
    for (int p = 0; p < 5; p++)
        for (int v = 0; v < 4; v++)
            for (int c = 0; c < 3; c++)
                for (int t = 0; t < 3; t++)
                    for (int k = 0; k < 2; k++) {
                        margin_case s = margin_case_of(4, 2, points[p], sides[v], weights[c], 3, (kind)k, INTERCEPTS[t], 1);
                        hsp_step said = solve(&s, NULL);
                        double gap = margin_case_gap(&s, &s.point, 0);
                        if (said != HSP_STEP_DONE || !(gap <= 1e-8))
                            fail_msg("points %d sides %d weights %d intercept %d kind %d: said %d, gap %g", p, v, c, t, k,
                                     (int)said, gap);
                        margin_case_free(&s);
                    }
}

/* No hard margin is found where none exists. */
static void no_hard_margin(void **state) {
    (void)state;
    double xor [] = {0, 0, 1, 1, 0, 1, 1, 0}, sides[] = {1, 1, -1, -1}, same[] = {1, 1, 1, 1, 1, 1, 1, 1}, gap;
    margin_case s = margin_case_of(4, 2, xor, sides, NULL, 1, KIND_HARD, HSP_INTERCEPT_FREE, 1);
    assert_int_not_equal(solve(&s, &gap), HSP_STEP_DONE);
    assert_true(gap == INFINITY);
    margin_case_free(&s);
    s = margin_case_of(4, 2, same, sides, NULL, 1, KIND_HARD, HSP_INTERCEPT_FREE, 1);
    assert_int_not_equal(solve(&s, &gap), HSP_STEP_DONE);
    assert_true(gap == INFINITY);
    margin_case_free(&s);
    /* Only one class has rows of positive weight. */
    double plus[] = {1, 1, 1, 1};
    s = margin_case_of(4, 2, xor, plus, NULL, 1, KIND_HARD, HSP_INTERCEPT_FREE, 1);
    assert_int_equal(solve(&s, &gap), HSP_STEP_DONE);
    assert_true(s.point.w[0] == 0 && s.point.b == 1);
    margin_case_free(&s);
}

/* ---- budgets and reports ---- */

static void starts_and_resumes(void **state) {
    (void)state;
    const hsp_margin_method *M = &hsp_margin_interior;
    margin_case s = margin_case_random(40, 3, 1, true, 0.5, 1, KIND_HINGE, HSP_INTERCEPT_FREE, 1, 4);
    void *st = calloc(1, M->state_size);
    assert_int_equal(M->init(st, &s.m, NULL, 1, NULL), HSP_OK);
    assert_true(M->gap(st) == INFINITY);
    M->export(st, &s.point);
    assert_true(finite_point(&s));
    hsp_budget out = {.max_updates = 0, .max_steps = INT64_MAX, .deadline = INFINITY};
    assert_int_equal(M->step(st, &out), HSP_STEP_MORE); /* no budget, no step */
    assert_true(out.out && out.updates == 0 && M->gap(st) == INFINITY);
    M->free(st);
    double gap;
    solve(&s, &gap);
    double best = margin_case_primal(&s, &s.point, 0);
    assert_int_equal(M->init(st, &s.m, &s.point, 1, NULL), HSP_OK); /* no worse than its start */
    assert_true(M->gap(st) <= 1e-9);
    M->export(st, &s.point);
    near(margin_case_primal(&s, &s.point, 0), best, 1e-9 * best);
    M->free(st);
    free(st);
    margin_case_free(&s);
}

/* What a method reports of its point is what naive sums give, for rows of equal and different weight, at every step. */
static void it_knows_its_point(void **state) {
    (void)state;
    const hsp_margin_method *methods[] = {&hsp_margin_interior, &hsp_margin_polish};
    for (int seed = 0; seed < 48; seed++) {
        const hsp_margin_method *M = methods[seed % 2];
        margin_case s =
            margin_case_random(300, 4, 1, seed / 2 % 2, 0.4, seed % 5 ? 1 : 30, seed % 3 ? KIND_HINGE : KIND_SQUARED,
                               INTERCEPTS[seed / 4 % 3], 1, (uint64_t)seed);
        void *st = calloc(1, M->state_size);
        assert_int_equal(M->init(st, &s.m, NULL, 1, NULL), HSP_OK);
        hsp_budget budget = {.max_updates = INT64_MAX, .max_steps = INT64_MAX, .deadline = INFINITY};
        hsp_margin_measured known;
        bool any = false;
        assert_false(M->measured(st, &known));
        hsp_step said = HSP_STEP_MORE;
        for (int k = 0; k < 60 && said == HSP_STEP_MORE; k++) {
            said = M->step(st, &budget);
            M->export(st, &s.point);
            if (!M->measured(st, &known)) continue;
            any = true;
            double P = margin_case_primal(&s, &s.point, 0), D = margin_case_dual(&s, &s.point);
            near(known.primal, P, 1e-10 * P);
            near(known.dual, D, 1e-9 * fmax(P, fabs(D)));
            for (int64_t i = 0; i < s.n; i++) {
                double g = 0, size = 1e-300;
                for (int64_t j = 0; j < s.d; j++)
                    g += s.point.w[j] * s.x[i * s.d + j], size += fabs(s.point.w[j] * s.x[i * s.d + j]);
                near(known.scores[i], g, 1e-11 * size);
            }
        }
        assert_true(any);
        M->free(st);
        free(st);
        margin_case_free(&s);
    }
}

/* Several blocks of rows. */
static void many_rows(void **state) {
    (void)state;
    margin_case a = margin_case_random(30000, 3, 1, true, 0.3, 1, KIND_HINGE, HSP_INTERCEPT_FREE, 1, 21);
    margin_case b = margin_case_random(30000, 3, 1, true, 0.3, 1, KIND_HINGE, HSP_INTERCEPT_FREE, 3, 21);
    double gap;
    solve(&a, &gap);
    assert_true(gap <= 1e-8);
    solve(&b, NULL);
    assert_memory_equal(a.point.w, b.point.w, 3 * sizeof *a.point.w);
    assert_memory_equal(a.point.alpha, b.point.alpha, 30000 * sizeof *a.point.alpha);
    margin_case_free(&a);
    margin_case_free(&b);
}

static void the_same_bits_for_any_threads(void **state) {
    (void)state;
    for (int sparse = 0; sparse < 2; sparse++) {
        margin_case a = margin_case_random(3000, 8, sparse ? 0.2 : 1, true, 0.3, 1, KIND_HINGE, HSP_INTERCEPT_FREE, 1, 11);
        margin_case b = margin_case_random(3000, 8, sparse ? 0.2 : 1, true, 0.3, 1, KIND_HINGE, HSP_INTERCEPT_FREE, 2, 11);
        assert_int_equal(solve(&a, NULL), HSP_STEP_DONE);
        assert_int_equal(solve(&b, NULL), HSP_STEP_DONE);
        assert_memory_equal(a.point.w, b.point.w, (size_t)a.d * sizeof *a.point.w);
        assert_memory_equal(a.point.alpha, b.point.alpha, (size_t)a.n * sizeof *a.point.alpha);
        margin_case_free(&a);
        margin_case_free(&b);
    }
}

static void memory_may_fail(void **state) {
    (void)state;
    const hsp_margin_method *M = &hsp_margin_interior;
    margin_case s = margin_case_random(40, 3, 1, false, 0.5, 1, KIND_SQUARED, HSP_INTERCEPT_FREE, 1, 4);
    void *st = calloc(1, M->state_size);
    hsp_budget budget = {.max_updates = INT64_MAX, .max_steps = INT64_MAX, .deadline = INFINITY};
    bool whole = false;
    for (int64_t calls = 0; !whole && calls < 200; calls++) {
        hsp_error *err = NULL;
        hsp_step said = HSP_STEP_MORE;
        hsp_memory_fail_after(calls);
        int status = M->init(st, &s.m, NULL, 1, &err);
        while (!status && said == HSP_STEP_MORE) said = M->step(st, &budget);
        hsp_memory_fail_after(-1);
        assert_true(status == HSP_OK || status == HSP_EMEMORY);
        assert_true(said == HSP_STEP_MORE || said == HSP_STEP_MEMORY || said == HSP_STEP_DONE);
        whole = said == HSP_STEP_DONE;
        M->free(st);
        hsp_error_free(err);
    }
    assert_true(whole);
    free(st);
    margin_case_free(&s);
}

/* A matrix that does not fit into memory is refused. */
static void too_many_columns(void **state) {
    (void)state;
    const hsp_margin_method *M = &hsp_margin_interior;
    margin_case s = margin_case_random(4, 2, 1, false, 0.5, 1, KIND_HINGE, HSP_INTERCEPT_FREE, 1, 4);
    hsp_design wide = *s.design;
    wide.d = INT64_C(3000000000);
    s.m.design = &wide;
    void *st = calloc(1, M->state_size);
    hsp_error *err = NULL;
    assert_int_equal(M->init(st, &s.m, NULL, 1, &err), HSP_EUSAGE);
    assert_non_null(strstr(hsp_error_message(err), "use another solver"));
    hsp_error_free(err);
    M->free(st);
    free(st);
    margin_case_free(&s);
}

int main(void) {
    const struct CMUnitTest t[] = {
        cmocka_unit_test(two_points),
        cmocka_unit_test(a_square_and_a_line),
        cmocka_unit_test(every_kind_is_certified),
        cmocka_unit_test(a_weight_is_copies),
        cmocka_unit_test(any_scale),
        cmocka_unit_test(degenerate_programs),
        cmocka_unit_test(no_hard_margin),
        cmocka_unit_test(starts_and_resumes),
        cmocka_unit_test(the_same_bits_for_any_threads),
        cmocka_unit_test(it_knows_its_point),
        cmocka_unit_test(many_rows),
        cmocka_unit_test(memory_may_fail),
        cmocka_unit_test(too_many_columns),
    };
    return cmocka_run_group_tests(t, NULL, NULL);
}
