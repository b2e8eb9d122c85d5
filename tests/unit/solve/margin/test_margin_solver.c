/* The solvers made of the methods for margins, through run.c: certified and agreeing optima, refusals, failing memory. */
#include "base/memory.h"
#include "base/rng.h"
#include "data/data.h"
#include "solve/loop/run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const hsp_solver *const SOLVERS[] = {&hsp_solver_interior_point, &hsp_solver_dual};
static const hsp_intercept INTERCEPTS[] = {HSP_INTERCEPT_FREE, HSP_INTERCEPT_NONE, HSP_INTERCEPT_PENALISED};

typedef struct run_case {
    hsp_data *data;
    hsp_design *design;
    hsp_problem *problem;
    hsp_point *point;
    double *c;
    hsp_outcome out;
} run_case;

static run_case make(int64_t n, int64_t d, const hsp_loss *loss, const char *penalty, hsp_intercept intercept, double C,
                     uint64_t seed) {
    run_case s = {0};
    hsp_rng r = hsp_rng_new(seed, 6);
    double *x = calloc((size_t)(n * d), sizeof *x), *y = calloc((size_t)n, sizeof *y);
    s.c = calloc((size_t)n, sizeof *s.c);
    for (int64_t i = 0; i < n; i++) {
        y[i] = i % 3 ? 1 : -1;
        s.c[i] = i < 2 ? 1 : (double)hsp_rng_below(&r, 4);
        for (int64_t j = 0; j < d; j++) x[i * d + j] = hsp_rng_normal(&r) + 0.5 * y[i];
    }
    assert_int_equal(hsp_data_from_dense(x, n, d, d, NULL, NULL, &s.data, NULL), HSP_OK);
    assert_int_equal(hsp_design_new(&s.data->x, NULL, NULL, 1, &s.design, NULL), HSP_OK);
    hsp_problem_spec spec = {.loss = loss,
                             .penalty = hsp_penalty_find(penalty),
                             .intercept = intercept,
                             .C = C,
                             .lambda = NAN,
                             .l1_ratio = 0.5,
                             .c = s.c};
    assert_int_equal(hsp_problem_new(s.design, &spec, &s.problem, NULL), HSP_OK);
    for (int64_t i = 0; i < n; i++) s.problem->y[i] = y[i];
    assert_int_equal(hsp_point_new(1, d, &s.point, NULL), HSP_OK);
    assert_int_equal(hsp_point_add_alpha(s.point, n, NULL), HSP_OK);
    free(x);
    free(y);
    return s;
}

static void clear(run_case *s) {
    hsp_point_free(s->point);
    hsp_problem_free(s->problem);
    hsp_design_free(s->design);
    hsp_data_free(s->data);
    free(s->c);
}

static int run_followed(run_case *s, const hsp_solver *solver, const hsp_solver *next, double tol, hsp_error **err) {
    hsp_rules rules = {.max_epochs = 3000,
                       .max_updates = -1,
                       .max_steps = -1,
                       .max_seconds = -1,
                       .keep = HSP_KEEP_BEST,
                       .seed = 1,
                       .tol = tol,
                       .tol_given = true,
                       .next = next};
    return hsp_run(solver, s->problem, &rules, (hsp_run_place){0, 1, NULL}, NULL, s->point, &s->out, err);
}

static int run_case_by(run_case *s, const hsp_solver *solver, double tol, hsp_error **err) {
    return run_followed(s, solver, NULL, tol, err);
}

/* What the solver reports of the point is what a pass over the rows finds, and the multipliers prove the bound. */
static void check_reported(run_case *s) {
    hsp_evaluation e = hsp_problem_evaluate(s->problem, s->point->w, s->point->b);
    double D = hsp_problem_dual_of(s->problem, s->point->alpha), P = s->out.end.objective;
    assert_true(fabs(e.objective - P) <= 1e-12 * P && fabs(e.mean_loss - s->out.end.mean_loss) <= 1e-12 * e.mean_loss);
    assert_true(e.error == s->out.end.error && fabs(e.norm - s->out.end.norm) <= 1e-12 * e.norm);
    assert_true(fabs(D - s->out.dual_bound) <= 1e-11 * P);
    assert_true(s->out.dual_bound <= P && s->out.gap >= 0);
}

static void both_agree_and_are_certified(void **state) {
    (void)state;
    const double Cs[] = {0.01, 1, 50};
    for (uint64_t seed = 0; seed < 36; seed++) {
        const hsp_loss *loss = seed % 2 ? &hsp_loss_hinge : &hsp_loss_squared_hinge;
        double found[2];
        for (int k = 0; k < 2; k++) {
            run_case s = make(30 + (int64_t)seed, 1 + (int64_t)(seed % 7), loss, "l2", INTERCEPTS[seed / 2 % 3],
                              Cs[seed / 6 % 3], seed);
            assert_int_equal(run_case_by(&s, SOLVERS[k], 1e-9, NULL), HSP_OK);
            if (!s.out.converged || !(s.out.gap <= 1e-9))
                fail_msg("%s seed %d: %s, gap %g", SOLVERS[k]->name, (int)seed, hsp_stop_name(s.out.stop), s.out.gap);
            found[k] = s.out.end.objective;
            /* The multipliers that were kept prove the bound. */
            double D = hsp_problem_dual_of(s.problem, s.point->alpha);
            assert_true(D >= s.out.dual_bound * (1 - 1e-12));
            clear(&s);
        }
        assert_true(fabs(found[0] - found[1]) <= 2e-9 * found[0]);
    }
}

/* Losses with a bound and a ridge at once, by every solver of margins: all intercepts, weights, small and large C. */
static void any_box_is_taken(void **state) {
    (void)state;
    const double Cs[] = {0.01, 1, 50};
    const hsp_solver *solvers[] = {&hsp_solver_interior_point, &hsp_solver_proximal_point, &hsp_solver_dual};
    for (uint64_t seed = 0; seed < 36; seed++) {
        double found[3];
        for (int k = 0; k < 3; k++) {
            run_case s = make(30 + (int64_t)seed, 1 + (int64_t)(seed % 7),
                              seed % 2 ? &hsp_loss_smoothed_hinge : &hsp_loss_modified_huber, "l2",
                              INTERCEPTS[seed / 2 % 3], Cs[seed / 6 % 3], seed);
            assert_int_equal(run_case_by(&s, solvers[k], 1e-9, NULL), HSP_OK);
            if (!s.out.converged || !(s.out.gap <= 1e-9))
                fail_msg("%s seed %d: %s, gap %g", solvers[k]->name, (int)seed, hsp_stop_name(s.out.stop), s.out.gap);
            found[k] = s.out.end.objective;
            check_reported(&s);
            clear(&s);
        }
        assert_true(fabs(found[0] - found[1]) <= 2e-9 * found[0] && fabs(found[0] - found[2]) <= 2e-9 * found[0]);
    }
}

/* Coordinate descent for the logistic loss against Newton's method: all intercepts, weights, small and large C. */
static void logistic_agrees_with_newton(void **state) {
    (void)state;
    const double Cs[] = {1e-4, 0.01, 1, 30};
    for (uint64_t seed = 0; seed < 48; seed++) {
        const hsp_solver *solvers[] = {&hsp_solver_dual, &hsp_solver_newton};
        double found[2], tol = seed % 2 ? 1e-9 : 1e-4;
        for (int k = 0; k < 2; k++) {
            run_case s = make(30 + (int64_t)seed, 1 + (int64_t)(seed % 40), &hsp_loss_logistic, "l2",
                              INTERCEPTS[seed / 4 % 3], Cs[seed % 4], seed);
            if (seed % 5 == 0) /* both classes equal */
                for (int64_t i = 0; i < s.design->n; i++) s.problem->y[i] = i % 2 ? 1 : -1;
            assert_int_equal(run_case_by(&s, solvers[k], k ? 1e-11 : tol, NULL), HSP_OK);
            if (k == 0) {
                if (!(s.out.gap <= tol)) fail_msg("seed %d: %s, gap %g", (int)seed, hsp_stop_name(s.out.stop), s.out.gap);
                check_reported(&s);
                assert_string_equal(s.out.stages[0].method, "dual");
            }
            found[k] = s.out.end.objective;
            clear(&s);
        }
        assert_true(found[0] - found[1] <= 1.01 * tol * found[0] && found[0] - found[1] >= -1e-10 * found[0]);
    }
}

/* What is reported is true also of a point that is far from the optimum. */
static void what_is_reported_is_true(void **state) {
    (void)state;
    const hsp_loss *losses[] = {&hsp_loss_hinge, &hsp_loss_squared_hinge, &hsp_loss_logistic};
    for (uint64_t seed = 0; seed < 60; seed++) {
        run_case s = make(20 + 7 * (int64_t)seed, 1 + (int64_t)(seed % 9), losses[seed % 3], "l2", INTERCEPTS[seed / 3 % 3],
                          seed % 2 ? 0.05 : 2, seed);
        assert_int_equal(run_case_by(&s, &hsp_solver_dual, seed % 4 ? 0.3 : 1e-3, NULL), HSP_OK);
        assert_true(s.out.gap <= (seed % 4 ? 0.3 : 1e-3));
        check_reported(&s);
        clear(&s);
    }
}

/* Few columns of different scales and a large C: the next solver takes over early, from that point. */
static void hands_over_when_stalled(void **state) {
    (void)state;
    const hsp_loss *losses[] = {&hsp_loss_hinge, &hsp_loss_squared_hinge, &hsp_loss_logistic};
    for (int l = 0; l < 3; l++) {
        run_case s = make(600, 6, losses[l], "l2", HSP_INTERCEPT_FREE, 1e4, 3);
        for (int64_t i = 0; i < 600; i++)
            for (int64_t j = 0; j < 6; j++) ((double *)s.data->x.value)[i * 6 + j] *= pow(10, (double)j - 2);
        const hsp_solver *next = l ? &hsp_solver_newton : &hsp_solver_interior_point;
        assert_int_equal(run_followed(&s, &hsp_solver_dual, next, 1e-6, NULL), HSP_OK);
        assert_true(s.out.gap <= 1e-6 && s.out.epochs < 200);
        assert_true(s.out.stage_count >= 2 && s.out.stages[1].epochs < 60);
        assert_string_equal(s.out.stages[1].method, next->name);
        clear(&s);
    }
}

/* Columns of zeros and ones, equal rows, very different scales, almost vanishing numbers: bounds stay bounds. */
static void strange_logistic_problems(void **state) {
    (void)state;
    static const double Cs[] = {1e-8, 1, 1e6};
    for (int kind = 0; kind < 6; kind++)
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++) {
                run_case s = make(40, 4, &hsp_loss_logistic, "l2", INTERCEPTS[k], Cs[c], 7);
                double *x = s.data->x.value;
                for (int64_t t = 0; t < 160; t++) {
                    if (kind == 0) x[t] = 0;
                    if (kind == 1) x[t] = 3;
                    if (kind == 2) x[t] = x[t % 20];
                    if (kind == 3) x[t] *= pow(10, 6 * (double)(t % 3 - 1));
                    if (kind == 4) x[t] *= 1e-310;
                    if (kind == 5 && t % 4 == 0) x[t] = s.problem->y[t / 4] * 1e3; /* far apart */
                }
                assert_int_equal(run_followed(&s, &hsp_solver_dual, &hsp_solver_newton, 1e-6, NULL), HSP_OK);
                assert_true(s.out.gap >= 0 && s.out.dual_bound <= s.out.end.objective);
                assert_true(isfinite(s.out.end.objective));
                if (kind != 3) assert_true(s.out.gap <= 1e-6);
                clear(&s);
            }
}

/* One class: the loss has no minimum with a free intercept. */
static void one_class_is_endless(void **state) {
    (void)state;
    run_case s = make(20, 2, &hsp_loss_logistic, "l2", HSP_INTERCEPT_FREE, 1, 5);
    for (int64_t i = 0; i < 20; i++) s.problem->y[i] = 1;
    assert_int_equal(run_case_by(&s, &hsp_solver_dual, 1e-6, NULL), HSP_OK);
    assert_string_equal(hsp_stop_name(s.out.stop), "infinity");
    clear(&s);
}

/* A tolerance that cannot be met ends too, at the last digits. */
static void no_tolerance(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        run_case s = make(40, 3, &hsp_loss_hinge, "l2", HSP_INTERCEPT_FREE, 1, 3);
        assert_int_equal(run_case_by(&s, SOLVERS[k], 0, NULL), HSP_OK);
        assert_true(s.out.gap <= 1e-12 && s.out.epochs < 3000);
        clear(&s);
    }
}

/* Started from the optimum a solver converges at once. */
static void multipliers_may_be_given(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        run_case s = make(60, 3, &hsp_loss_hinge, "l2", HSP_INTERCEPT_FREE, 1, 5);
        assert_int_equal(run_case_by(&s, &hsp_solver_interior_point, 1e-12, NULL), HSP_OK);
        double P = s.out.end.objective;
        int64_t epochs = s.out.epochs;
        assert_int_equal(run_case_by(&s, SOLVERS[k], 1e-9, NULL), HSP_OK);
        assert_true(s.out.converged && s.out.end.objective <= P * (1 + 1e-9));
        assert_true(k == 1 || s.out.epochs < epochs);
        clear(&s);
    }
}

static void degenerate_problems(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++)
        for (int v = 0; v < 4; v++)
            for (int l = 0; l < 2; l++) {
                run_case s = make(12, 2, l ? &hsp_loss_hinge : &hsp_loss_squared_hinge, "l2", HSP_INTERCEPT_FREE, 1, 5);
                for (int64_t i = 0; i < 12; i++) {
                    if (v < 2) s.problem->y[i] = v ? 1 : -1; /* one class */
                    if (v == 2) s.c[i] = i < 2;              /* one row a class */
                    if (v == 3) s.c[i] = i == 0;             /* one row */
                }
                assert_int_equal(run_case_by(&s, SOLVERS[k], 1e-9, NULL), HSP_OK);
                assert_true(s.out.gap <= 1e-9 && s.out.converged);
                if (v != 2) assert_true(s.out.end.objective <= 1e-9);
                clear(&s);
            }
}

static void refuse(const hsp_solver *solver, const hsp_loss *loss, const char *penalty, const char *because) {
    run_case s = make(10, 2, loss, penalty, HSP_INTERCEPT_FREE, 1, 1);
    hsp_error *err = NULL;
    assert_int_equal(run_case_by(&s, solver, 1e-6, &err), HSP_EUSAGE);
    assert_non_null(strstr(hsp_error_message(err), because));
    assert_non_null(strstr(hsp_error_message(err), solver->name));
    hsp_error_free(err);
    clear(&s);
}

static void other_problems_are_refused(void **state) {
    (void)state;
    refuse(&hsp_solver_interior_point, &hsp_loss_logistic, "l2", "smoothed-hinge or modified-huber, not 'logistic'");
    for (int k = 0; k < 2; k++) {
        refuse(SOLVERS[k], &hsp_loss_squared, "l2", "not 'squared'");
        refuse(SOLVERS[k], &hsp_loss_perceptron, "l2", "not 'perceptron'");
        refuse(SOLVERS[k], &hsp_loss_hinge, "l1", "penalty l2, not 'l1'");
        refuse(SOLVERS[k], &hsp_loss_hinge, "elastic", "penalty l2, not 'elastic'");
        refuse(SOLVERS[k], &hsp_loss_squared_hinge, "none", "penalty l2, not 'none'");
    }
}

static void memory_may_fail(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        run_case s = make(30, 3, k == 2 ? &hsp_loss_logistic : &hsp_loss_hinge, "l2", HSP_INTERCEPT_FREE, 1, 5);
        int status = HSP_EMEMORY;
        for (int64_t calls = 0; status && calls < 2000; calls++) {
            hsp_error *err = NULL;
            for (int64_t j = 0; j < 3; j++) s.point->w[j] = 0;
            for (int64_t i = 0; i < 30; i++) s.point->alpha[i] = 0;
            s.point->b[0] = 0;
            hsp_memory_fail_after(calls);
            status = run_case_by(&s, SOLVERS[k > 0], 1e-9, &err);
            hsp_memory_fail_after(-1);
            assert_true(status == HSP_OK || status == HSP_EMEMORY);
            hsp_error_free(err);
        }
        assert_int_equal(status, HSP_OK);
        assert_true(s.out.gap <= 1e-9);
        clear(&s);
    }
}

int main(void) {
    const struct CMUnitTest t[] = {
        cmocka_unit_test(both_agree_and_are_certified), cmocka_unit_test(any_box_is_taken),
        cmocka_unit_test(logistic_agrees_with_newton),  cmocka_unit_test(what_is_reported_is_true),
        cmocka_unit_test(hands_over_when_stalled),      cmocka_unit_test(strange_logistic_problems),
        cmocka_unit_test(one_class_is_endless),         cmocka_unit_test(no_tolerance),
        cmocka_unit_test(multipliers_may_be_given),     cmocka_unit_test(degenerate_problems),
        cmocka_unit_test(other_problems_are_refused),   cmocka_unit_test(memory_may_fail),
    };
    return cmocka_run_group_tests(t, NULL, NULL);
}
