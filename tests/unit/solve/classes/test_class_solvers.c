/* The solvers of crammer-singer at the level of posed problems: they agree on every layout, scaling and intercept, their
 * multipliers are feasible, warm starts are taken, and two classes are a support vector machine with twice the C. */
#include "posed.h"

#include "base/memory.h"
#include "loss/loss.h"
#include "penalty/penalty.h"
#include "problem/multipliers.h"
#include "problem/point.h"
#include "solve/loop/run.h"
#include "solve/loop/solver.h"
#include "solve/loop/stop.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { N = 60, D = 5, K = 4 };

static const hsp_solver *const solvers[] = {&hsp_solver_class_dual, &hsp_solver_class_interior};

/* K classes around the corners of a simplex, with rows of weight 0 to 2. */
typedef struct classes_case {
    posed posed;
    double c[N];
    hsp_point *point;
} classes_case;

static void pose(classes_case *s, double density, const char *scale, hsp_intercept intercept, double C, int64_t outputs) {
    hsp_data *data = posed_data(N, D, density, 7);
    assert_non_null(data);
    for (int i = 0; i < N; i++) s->c[i] = (double)(i % 3);
    hsp_problem_spec spec = {.loss = &hsp_loss_crammer_singer,
                             .penalty = hsp_penalty_find("l2"),
                             .intercept = intercept,
                             .C = C,
                             .lambda = NAN,
                             .c = s->c,
                             .outputs = outputs};
    assert_int_equal(posed_make(&s->posed, data, scale, &spec), 0);
    for (int i = 0; i < N; i++) {
        double x[D];
        posed_row(&s->posed, i, x);
        int64_t sign = s->posed.problem->y[i] > 0;
        s->posed.problem->y[i] = (double)(outputs == 2 ? sign : sign + 2 * (x[i % 2] > 0.7));
    }
    assert_int_equal(hsp_point_new(outputs, D, &s->point, NULL), 0);
    assert_int_equal(hsp_point_add_alpha(s->point, N, NULL), 0);
}

static void drop(classes_case *s) {
    hsp_point_free(s->point);
    hsp_data *data = s->posed.data;
    posed_free(&s->posed);
    hsp_data_free(data);
}

static hsp_outcome solve(classes_case *s, const hsp_solver *solver, double tol) {
    hsp_rules rules = {.keep = HSP_KEEP_BEST,
                       .seed = 1,
                       .max_epochs = 100000,
                       .max_updates = -1,
                       .max_steps = -1,
                       .max_seconds = -1,
                       .tol = tol,
                       .tol_given = true,
                       .epochs_given = true};
    hsp_outcome out;
    hsp_run_place place = {.problems = 1};
    assert_int_equal(hsp_run(solver, s->posed.problem, &rules, place, NULL, s->point, &out, NULL), 0);
    return out;
}

/* Multipliers on the simplex, balanced for a free intercept, that prove the reported bound. */
static void check_multipliers(classes_case *s, const hsp_outcome *o) {
    const hsp_problem *p = s->posed.problem;
    double sums[K] = {0};
    for (int i = 0; i < N; i++) {
        const double *r = s->point->alpha + i * p->outputs;
        double total = 0;
        for (int64_t k = 0; k < p->outputs; k++) {
            bool own = k == (int64_t)p->y[i];
            assert_true(own ? r[k] >= 0 && r[k] <= 1 + 1e-12 : r[k] <= 0);
            total += r[k];
            sums[k] += hsp_row_weight(p, i) * r[k];
        }
        assert_true(fabs(total) <= 1e-12);
    }
    for (int64_t k = 0; p->intercept == HSP_INTERCEPT_FREE && k < p->outputs; k++)
        assert_true(fabs(sums[k]) <= 1e-9 * p->C * N);
    double D_again = hsp_problem_dual_of(s->posed.problem, s->point->alpha);
    assert_true(fabs(D_again - o->dual_bound) <= 1e-9 * o->end.objective);
    assert_true(o->dual_bound <= o->end.objective);
}

static void unlike_solvers_agree(void **unused) {
    (void)unused;
    static const double densities[] = {1, 0.3};
    static const char *const scales[] = {"none", "standard"};
    for (int c = 0; c < 24; c++) {
        double P[2], C = c % 2 ? 0.03 : 1;
        for (int v = 0; v < 2; v++) {
            classes_case s;
            pose(&s, densities[c / 2 % 2], scales[c / 4 % 2], (hsp_intercept)(c / 8), C, K);
            hsp_outcome o = solve(&s, solvers[v], v ? 1e-8 : 1e-5);
            if (!(o.converged && o.gap <= (v ? 1e-8 : 1e-5)))
                fail_msg("case %d: %s reached %g in %d epochs, %s\n", c, solvers[v]->name, o.gap, (int)o.epochs,
                         hsp_stop_name(o.stop));
            check_multipliers(&s, &o);
            P[v] = o.end.objective;
            drop(&s);
        }
        assert_true(fabs(P[0] - P[1]) <= 2e-5 * P[1]);
    }
}

/* No point nearby has a smaller objective. */
static void optima_are_minima(void **unused) {
    (void)unused;
    hsp_rng r = hsp_rng_new(3, 0);
    for (int intercept = 0; intercept < 3; intercept++) {
        classes_case s;
        pose(&s, 1, "none", (hsp_intercept)intercept, 0.5, K);
        hsp_outcome o = solve(&s, &hsp_solver_class_interior, 1e-9);
        double w[K * D], b[K];
        for (int turn = 0; turn < 300; turn++) {
            double size = pow(10, -(double)(turn % 6));
            for (int j = 0; j < K * D; j++) w[j] = s.point->w[j] + size * hsp_rng_normal(&r);
            for (int k = 0; k < K; k++)
                b[k] = s.point->b[k] + (intercept == HSP_INTERCEPT_NONE ? 0 : size * hsp_rng_normal(&r));
            double P = hsp_problem_evaluate(s.posed.problem, w, b).objective;
            assert_true(P >= o.dual_bound && P >= o.end.objective * (1 - 1e-8));
        }
        drop(&s);
    }
}

/* |W|^2/2 + C sum max(0, 1 - (g_y - g_other)) with w_1 = -w_0 = u/2 is (|u|^2/2 + 2C sum hinge)/2. */
static void two_classes_are_a_support_vector_machine(void **unused) {
    (void)unused;
    classes_case s;
    pose(&s, 1, "none", HSP_INTERCEPT_FREE, 0.2, 2);
    hsp_outcome two = solve(&s, &hsp_solver_class_interior, 1e-9);
    hsp_problem_spec spec = {.loss = &hsp_loss_hinge,
                             .penalty = hsp_penalty_find("l2"),
                             .intercept = HSP_INTERCEPT_FREE,
                             .C = 0.4,
                             .lambda = NAN,
                             .c = s.c,
                             .outputs = 1};
    hsp_problem *p = NULL;
    hsp_point *point = NULL;
    hsp_outcome one;
    assert_int_equal(hsp_problem_new(s.posed.design, &spec, &p, NULL), 0);
    for (int i = 0; i < N; i++) p->y[i] = s.posed.problem->y[i] > 0 ? 1 : -1;
    assert_int_equal(hsp_point_new(1, D, &point, NULL), 0);
    hsp_rules rules = {.keep = HSP_KEEP_BEST,
                       .max_epochs = -1,
                       .max_updates = -1,
                       .max_steps = -1,
                       .max_seconds = -1,
                       .tol = 1e-9,
                       .tol_given = true};
    hsp_run_place place = {.problems = 1};
    assert_int_equal(hsp_run(&hsp_solver_interior_point, p, &rules, place, NULL, point, &one, NULL), 0);
    assert_true(fabs(two.end.objective - one.end.objective / 2) <= 1e-7 * two.end.objective);
    for (int j = 0; j < D; j++) {
        assert_true(fabs(s.point->w[j] + s.point->w[D + j]) <= 1e-6);
        assert_true(fabs(s.point->w[D + j] - s.point->w[j] - point->w[j]) <= 1e-3 * (1 + fabs(point->w[j])));
    }
    hsp_point_free(point);
    hsp_problem_free(p);
    drop(&s);
}

/* From the solution's own multipliers class-dual has nothing left to do; from none it has much. */
static void warm_starts_are_taken(void **unused) {
    (void)unused;
    classes_case s;
    pose(&s, 0.3, "none", HSP_INTERCEPT_FREE, 1, K);
    hsp_outcome cold = solve(&s, &hsp_solver_class_dual, 1e-5);
    hsp_outcome warm = solve(&s, &hsp_solver_class_dual, 1e-5);
    assert_true(cold.epochs > 5 && warm.epochs < cold.epochs / 2 && warm.gap <= 1e-5);
    drop(&s);
}

/* Identical rows of different classes, constant columns, all scores tied. */
static void ties_are_solved(void **unused) {
    (void)unused;
    for (int v = 0; v < 2; v++) {
        classes_case s;
        pose(&s, 1, "none", HSP_INTERCEPT_FREE, 1, K);
        for (int i = 0; i < N; i++) s.posed.problem->y[i] = i % K; /* labels that say nothing about the rows */
        hsp_outcome o = solve(&s, solvers[v], 1e-4);
        assert_true(o.converged);
        check_multipliers(&s, &o);
        drop(&s);
    }
    double x[N] = {0};
    const char *labels[N];
    for (int i = 0; i < N; i++) labels[i] = i % 2 ? "a" : "b";
    hsp_data *data = NULL;
    assert_int_equal(hsp_data_from_dense(x, N, 1, 1, labels, NULL, &data, NULL), 0);
    hsp_problem_spec spec = {
        .loss = &hsp_loss_crammer_singer, .penalty = hsp_penalty_find("l2"), .C = 1, .lambda = NAN, .outputs = 3};
    for (int v = 0; v < 2; v++) {
        posed p;
        hsp_point *point = NULL;
        assert_int_equal(posed_make(&p, data, "none", &spec), 0);
        for (int i = 0; i < N; i++) p.problem->y[i] = i % 3;
        assert_int_equal(hsp_point_new(3, 1, &point, NULL), 0);
        hsp_outcome o;
        hsp_rules rules = {.keep = HSP_KEEP_BEST,
                           .max_epochs = 1000,
                           .max_updates = -1,
                           .max_steps = -1,
                           .max_seconds = -1,
                           .tol = 1e-6,
                           .tol_given = true};
        hsp_run_place place = {.problems = 1};
        assert_int_equal(hsp_run(solvers[v], p.problem, &rules, place, NULL, point, &o, NULL), 0);
        assert_true(o.converged && fabs(o.end.objective - N) <= 1e-4); /* every row loses 1 */
        hsp_point_free(point);
        posed_free(&p);
    }
    hsp_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unlike_solvers_agree),
        cmocka_unit_test(optima_are_minima),
        cmocka_unit_test(two_classes_are_a_support_vector_machine),
        cmocka_unit_test(warm_starts_are_taken),
        cmocka_unit_test(ties_are_solved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
