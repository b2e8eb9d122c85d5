/* Newton's method in both its forms: certified optima, agreement, extreme scales, problems without an optimum. */
#include "base/clock.h"
#include "base/memory.h"
#include "base/rng.h"
#include "data/data.h"
#include "design/sweep.h"
#include "solve/loop/run.h"
#include "solve/newton/hessian.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static const hsp_solver *const SOLVERS[] = {&hsp_solver_newton, &hsp_solver_newton_cg};

/* A problem over plain arrays, and the point that a run left. */
typedef struct solved {
    hsp_data *data;
    hsp_design *design;
    hsp_problem *problem;
    hsp_point *point;
    hsp_outcome out;
} solved;

typedef struct setting {
    int64_t n, d, K; /* K outputs; 1: two classes */
    const double *x, *y;
    const double *c;
    const hsp_loss *loss;
    const char *penalty;
    hsp_intercept intercept;
    double C;
    int threads;
    int64_t max_epochs; /* 0: 300 */
} setting;

static int pose(const setting *t, solved *s) {
    const char **labels = calloc((size_t)t->n, sizeof *labels);
    for (int64_t i = 0; i < t->n; i++) labels[i] = i % 2 ? "a" : "b"; /* not used: y is given */
    int status = hsp_data_from_dense(t->x, t->n, t->d, t->d, labels, NULL, &s->data, NULL);
    free(labels);
    if (!status) status = hsp_design_new(&s->data->x, NULL, NULL, t->threads ? t->threads : 1, &s->design, NULL);
    hsp_problem_spec spec = {.loss = t->loss,
                             .penalty = hsp_penalty_find(t->penalty),
                             .intercept = t->intercept,
                             .C = t->C > 0 ? t->C : 1,
                             .lambda = NAN,
                             .c = t->c,
                             .outputs = t->K,
                             .regression = t->loss == &hsp_loss_squared};
    if (!status) status = hsp_problem_new(s->design, &spec, &s->problem, NULL);
    for (int64_t i = 0; !status && i < t->n; i++) s->problem->y[i] = t->y[i];
    if (!status) status = hsp_point_new(t->K, t->d, &s->point, NULL);
    return status;
}

static int solve(const setting *t, const hsp_solver *solver, double tol, solved *s) {
    *s = (solved){0};
    int status = pose(t, s);
    hsp_rules rules = {.max_epochs = t->max_epochs ? t->max_epochs : 300,
                       .max_updates = -1,
                       .max_steps = -1,
                       .max_seconds = -1,
                       .keep = HSP_KEEP_BEST,
                       .seed = 1,
                       .schedule = HSP_SCHEDULE_LINE_SEARCH,
                       .rate = 0.01,
                       .tol = tol,
                       .tol_given = true};
    if (!status) status = hsp_run(solver, s->problem, &rules, (hsp_run_place){0, 1, NULL}, NULL, s->point, &s->out, NULL);
    return status;
}

static void clear(solved *s) {
    hsp_point_free(s->point);
    hsp_problem_free(s->problem);
    hsp_design_free(s->design);
    hsp_data_free(s->data);
}

/* n x d normal numbers, a share of them 0, and labels that depend on them (K = 1: -1/+1; regression: numbers). */
static void sample(int64_t n, int64_t d, int64_t K, double density, bool numbers, double *x, double *y) {
    hsp_rng r = hsp_rng_new(17, (uint64_t)(n + d + K));
    for (int64_t i = 0; i < n; i++) {
        double lean = 0;
        for (int64_t j = 0; j < d; j++) {
            x[i * d + j] = hsp_rng_uniform(&r) < density ? hsp_rng_normal(&r) + 0.3 * (double)(j % 3) : 0;
            lean += x[i * d + j] * (j % 2 ? 0.7 : -0.4);
        }
        lean += 1.5 * hsp_rng_normal(&r);
        if (numbers)
            y[i] = 10 + lean;
        else if (K == 1)
            y[i] = lean > 0.2 ? 1 : -1;
        else
            y[i] = fmin((double)(K - 1), floor(fabs(lean)));
    }
}

static void every_loss_reaches_its_optimum(void **unused) {
    (void)unused;
    enum { N = 150, D = 6 };
    static double x[N * D], y[N], c[N];
    for (int i = 0; i < N; i++) c[i] = i % 9 == 0 ? 0 : 1 + i % 3;
    const hsp_loss *losses[] = {&hsp_loss_logistic, &hsp_loss_squared, &hsp_loss_squared_hinge, &hsp_loss_softmax};
    for (int l = 0; l < 4; l++)
        for (int sparse = 0; sparse < 2; sparse++)
            for (int b = 0; b < 3; b++)
                for (int weighted = 0; weighted < 2; weighted++) {
                    int64_t K = l == 3 ? 4 : 1;
                    sample(N, D, K, sparse ? 0.3 : 1, l == 1, x, y);
                    setting t = {N, D, K, x, y, weighted ? c : NULL, losses[l], "l2", (hsp_intercept)b, 2, 1, 0};
                    double reached[2];
                    for (int v = 0; v < 2; v++) {
                        solved s;
                        assert_int_equal(solve(&t, SOLVERS[v], 1e-10, &s), 0);
                        assert_true(s.out.converged && s.out.gap <= 1e-10 && s.out.gap >= -1e-12);
                        assert_true(l != 1 || v == 1 || s.out.epochs <= 2); /* a parabola: one step */
                        reached[v] = s.out.end.objective;
                        clear(&s);
                    }
                    assert_true(fabs(reached[0] - reached[1]) <= 1e-9 * reached[0]);
                    if (K > 1) continue;
                    solved s; /* another solver, as far as it gets */
                    t.max_epochs = 3000;
                    assert_int_equal(solve(&t, &hsp_solver_gradient, 1e-8, &s), 0);
                    assert_true(fabs(s.out.end.objective - reached[0]) <= 1e-6 * reached[0]);
                    assert_true(s.out.end.objective >= reached[0] * (1 - 1e-9));
                    clear(&s);
                }
}

/* Columns in any units: P changes with them, but the optimum is always found and proven. */
static void extreme_scales(void **unused) {
    (void)unused;
    enum { N = 200, D = 5 };
    static double x[N * D], y[N];
    const double units[][D] = {
        {1e6, 1, 1e-6, 1e3, 1e-3}, {1e9, 1e9, 1e9, 1e9, 1e9}, {1e-9, 1e-9, 1e-9, 1e-9, 1e-9}, {1e6, 1e-6, 1e6, 1e-6, 1e6}};
    for (int u = 0; u < 4; u++)
        for (int offset = 0; offset < 2; offset++) /* columns far from 0 */
            for (int K = 1; K <= 3; K += 2) {
                sample(N, D, K, 1, false, x, y);
                for (int e = 0; e < N * D; e++) x[e] = units[u][e % D] * (x[e] + 100 * offset);
                setting t = {N, D, K, x, y, NULL, K > 1 ? &hsp_loss_softmax : &hsp_loss_logistic, "l2", HSP_INTERCEPT_FREE,
                             1, 1, 0};
                for (int v = 0; v < 2; v++) {
                    solved s;
                    assert_int_equal(solve(&t, SOLVERS[v], 1e-8, &s), 0);
                    assert_true(s.out.converged && s.out.gap <= 1e-8);
                    clear(&s);
                }
            }
}

/* Duplicate, constant and empty columns; more columns than rows; one row of a class. */
static void singular_data(void **unused) {
    (void)unused;
    enum { N = 60, D = 7 };
    static double x[N * D], y[N];
    sample(N, D, 1, 1, false, x, y);
    for (int i = 0; i < N; i++) {
        x[i * D + 1] = x[i * D];
        x[i * D + 2] = 3;
        x[i * D + 3] = 0;
    }
    const char *penalties[] = {"l2", "none"};
    for (int q = 0; q < 2; q++)
        for (int v = 0; v < 2; v++) {
            solved s;
            setting t = {N, D, 1, x, y, NULL, &hsp_loss_logistic, penalties[q], HSP_INTERCEPT_FREE, 1, 1, 0};
            assert_int_equal(solve(&t, SOLVERS[v], 1e-8, &s), 0);
            assert_true(s.out.converged && s.out.gap <= 1e-8);
            assert_true(fabs(s.point->w[0]) < 1e3 && s.point->w[3] == 0);
            clear(&s);
            setting wide = {N / 15, D * 15, 1, x, y, NULL, &hsp_loss_logistic, "l2", HSP_INTERCEPT_FREE, 1, 1, 0};
            y[0] = 1; /* one row of its class */
            y[1] = y[2] = y[3] = -1;
            assert_int_equal(solve(&wide, SOLVERS[v], 1e-8, &s), 0);
            assert_true(s.out.converged && s.out.gap <= 1e-8);
            clear(&s);
            sample(N, D, 1, 1, false, (double[N * D]){0}, y);
        }
}

/* Few rows of each of many classes, in one problem. */
static void many_classes(void **unused) {
    (void)unused;
    enum { N = 80, D = 3, K = 10 };
    static double x[N * D], y[N];
    sample(N, D, K, 1, false, x, y);
    for (int k = 0; k < K; k++) y[k] = k;
    setting t = {N, D, K, x, y, NULL, &hsp_loss_softmax, "l2", HSP_INTERCEPT_FREE, 1, 1, 0};
    double reached[2];
    for (int v = 0; v < 2; v++) {
        solved s;
        assert_int_equal(solve(&t, SOLVERS[v], 1e-9, &s), 0);
        assert_true(s.out.converged);
        double sum = 0;
        for (int k = 0; k < K; k++) sum += s.point->b[k];
        assert_true(fabs(sum) < 1e-6); /* intercepts are known up to a constant: the shortest */
        reached[v] = s.out.end.objective;
        clear(&s);
    }
    assert_true(fabs(reached[0] - reached[1]) <= 1e-8 * reached[0]);
}

/* ---- no optimum ---- */

static void assert_infinite(const setting *t, int column) {
    for (int v = 0; v < 2; v++) {
        solved s;
        assert_int_equal(solve(t, SOLVERS[v], 1e-6, &s), 0);
        assert_string_equal(hsp_stop_name(s.out.stop), "infinity");
        assert_false(s.out.converged);
        assert_true(s.out.epochs < 60 && isfinite(s.out.end.objective) && isfinite(s.out.end.norm));
        assert_true(column < 0 || (s.out.diverging_count >= 1 && s.out.diverging[0] == column));
        assert_true(s.out.dual_bound >= 0 && s.out.dual_bound <= s.out.end.objective);
        clear(&s);
    }
}

static void separable_classes(void **unused) {
    (void)unused;
    enum { N = 100, D = 3 };
    static double x[N * D], y[N];
    sample(N, D, 1, 1, false, x, y);
    for (int i = 0; i < N; i++) x[i * D + 1] = y[i] * (0.1 + fabs(x[i * D + 1])); /* column 1 determines the class */
    setting t = {N, D, 1, x, y, NULL, &hsp_loss_logistic, "none", HSP_INTERCEPT_FREE, 1, 1, 0};
    assert_infinite(&t, 1);
    for (int i = 0; i < N; i++) y[i] = i % 3; /* three classes by an angle */
    for (int i = 0; i < N; i++) {
        x[i * D] = cos(2.0944 * (i % 3)) + 0.001 * i;
        x[i * D + 1] = sin(2.0944 * (i % 3)) - 0.001 * i;
    }
    setting many = {N, D, 3, x, y, NULL, &hsp_loss_softmax, "none", HSP_INTERCEPT_FREE, 1, 1, 0};
    assert_infinite(&many, -1);
    setting penalised = many;
    penalised.penalty = "l2";
    solved s;
    assert_int_equal(solve(&penalised, SOLVERS[0], 1e-8, &s), 0);
    assert_true(s.out.converged);
    clear(&s);
}

/* A column that is nonzero only in rows of one class: the other columns do not separate, but its weight diverges. */
static void quasi_separable_classes(void **unused) {
    (void)unused;
    enum { N = 200, D = 4 };
    static double x[N * D], y[N];
    sample(N, D, 1, 1, false, x, y);
    for (int i = 0; i < N; i++) x[i * D + 2] = y[i] > 0 && i % 5 == 0 ? 1 : 0;
    setting t = {N, D, 1, x, y, NULL, &hsp_loss_logistic, "none", HSP_INTERCEPT_FREE, 1, 1, 0};
    assert_infinite(&t, 2);
    x[1 * D + 2] = 1; /* one row of each class prevents it */
    y[1] = -1;
    for (int v = 0; v < 2; v++) {
        solved s;
        assert_int_equal(solve(&t, SOLVERS[v], 1e-8, &s), 0);
        assert_true(s.out.converged && s.out.gap <= 1e-8);
        clear(&s);
    }
    /* A hidden direction: the same, rotated. */
    x[1 * D + 2] = 0;
    for (int i = 0; i < N; i++) {
        double a = x[i * D + 2], b = x[i * D + 3];
        x[i * D + 2] = a + b;
        x[i * D + 3] = a - 2 * b;
    }
    assert_infinite(&t, -1);
}

/* One outlier, barely on the side of the other class: not separable, and reported correctly. */
static void an_outlier_is_no_separation(void **unused) {
    (void)unused;
    enum { N = 100, D = 1 };
    double x[N], y[N];
    for (int i = 0; i < N; i++) {
        y[i] = i % 2 ? 1 : -1;
        x[i] = i % 4 < 2 ? 1 : -1;
    }
    x[0] = 1e7;
    y[0] = 1;
    setting t = {N, D, 1, x, y, NULL, &hsp_loss_logistic, "none", HSP_INTERCEPT_FREE, 1, 1, 0};
    for (int v = 0; v < 2; v++) {
        solved s;
        assert_int_equal(solve(&t, SOLVERS[v], 1e-6, &s), 0);
        assert_true(s.out.converged);
        clear(&s);
    }
}

static void one_class_alone(void **unused) {
    (void)unused;
    enum { N = 20, D = 2 };
    double x[N * D], y[N], c[N];
    sample(N, D, 1, 1, false, x, y);
    for (int i = 0; i < N; i++) c[i] = y[i] > 0 ? 1 : 0; /* the others weigh nothing */
    setting t = {N, D, 1, x, y, c, &hsp_loss_logistic, "l2", HSP_INTERCEPT_FREE, 1, 1, 0};
    assert_infinite(&t, -1);
    t.intercept = HSP_INTERCEPT_PENALISED; /* now there is an optimum */
    solved s;
    assert_int_equal(solve(&t, SOLVERS[0], 1e-8, &s), 0);
    assert_true(s.out.converged);
    clear(&s);
}

/* ---- threads, budgets, memory ---- */

static void threads_change_no_bit(void **unused) {
    (void)unused;
    enum { N = 3000, D = 12 };
    static double x[N * D], y[N];
    for (int K = 1; K <= 3; K += 2)
        for (int v = 0; v < 2; v++) {
            sample(N, D, K, 1, false, x, y);
            setting t = {N, D, K, x, y, NULL, K > 1 ? &hsp_loss_softmax : &hsp_loss_logistic, "l2", HSP_INTERCEPT_FREE,
                         1, 1, 0};
            solved one, four;
            assert_int_equal(solve(&t, SOLVERS[v], 1e-8, &one), 0);
            t.threads = 4;
            assert_int_equal(solve(&t, SOLVERS[v], 1e-8, &four), 0);
            assert_memory_equal(one.point->w, four.point->w, (size_t)(K * D) * sizeof(double));
            assert_memory_equal(one.point->b, four.point->b, (size_t)K * sizeof(double));
            clear(&one);
            clear(&four);
        }
}

/* Many rows are started with samples: in any order of the rows, and when the sample contradicts the rest. */
static void samples_lead_to_the_same_optimum(void **unused) {
    (void)unused;
    enum { N = 20000, D = 5, ROWS = 256 };
    double *x = malloc(sizeof *x * N * D), *y = malloc(sizeof *y * N), *c = malloc(sizeof *c * N);
    const hsp_loss *losses[] = {&hsp_loss_logistic, &hsp_loss_squared_hinge};
    for (int k = 0; k < 12; k++) {
        int order = k / 2 % 3;
        sample(N, D, 1, k / 6 ? 0.3 : 1, false, x, y);
        for (int i = 0; i < N; i++) {
            c[i] = i % 9 == 0 ? 0 : 1 + i % 3;
            if (order == 1) y[i] = x[i * D] > 0 && i < N / 2 ? 1 : i < N / 2 ? -1 : i % 3 ? 1 : -1; /* two kinds of rows */
            if (order == 2 && hsp_sweep_drawn(i / ROWS, 4)) y[i] = -y[i];
        }
        setting t = {N, D, 1, x, y, order == 1 ? c : NULL, losses[k % 2], "l2", HSP_INTERCEPT_FREE, 1, 1, 0};
        double reached[3];
        for (int v = 0; v < 3; v++) {
            solved s;
            t.threads = v == 2 ? 2 : 1;
            assert_int_equal(solve(&t, SOLVERS[v % 2], 1e-9, &s), 0);
            assert_true(s.out.converged && s.out.gap <= 1e-9 && s.out.gap >= -1e-12);
            reached[v] = s.out.end.objective;
            clear(&s);
        }
        assert_true(fabs(reached[0] - reached[1]) <= 1e-8 * reached[0] && reached[0] == reached[2]);
    }
    free(x), free(y), free(c);
}

static void limits_are_kept(void **unused) {
    (void)unused;
    enum { N = 100, D = 4 };
    double x[N * D], y[N];
    sample(N, D, 1, 1, false, x, y);
    setting t = {N, D, 1, x, y, NULL, &hsp_loss_logistic, "l2", HSP_INTERCEPT_FREE, 1, 1, 1};
    for (int v = 0; v < 2; v++) {
        solved s;
        assert_int_equal(solve(&t, SOLVERS[v], 1e-14, &s), 0);
        assert_string_equal(hsp_stop_name(s.out.stop), "max-epochs");
        assert_true(s.out.epochs == 1 && s.out.updates == 1 && !s.out.converged);
        clear(&s);
    }
}

/* The curvature of very many classes is interrupted while it is computed. */
static void a_cancel_within_a_step(void **unused) {
    (void)unused;
    enum { N = 20, K = 1200 };
    static double x[N], y[N];
    for (int64_t i = 0; i < N; i++) {
        x[i] = (double)i;
        y[i] = (double)(i * 7);
    }
    const setting t = {.n = N,
                       .d = 1,
                       .K = K,
                       .x = x,
                       .y = y,
                       .loss = &hsp_loss_softmax,
                       .penalty = "l2",
                       .intercept = HSP_INTERCEPT_FREE};
    solved s = {0};
    hsp_hessian H = {0};
    hsp_budget budget = {.deadline = INFINITY};
    assert_int_equal(pose(&t, &s), 0);
    assert_int_equal(hsp_hessian_init(&H, s.problem, NULL), 0);
    hsp_problem_evaluate(s.problem, s.point->w, s.point->b);
    hsp_cancel();
    assert_false(hsp_hessian_set(&H, false, &budget));
    assert_true(budget.out);
    assert_true(hsp_cancel_take()); /* run.c takes it */
    budget = (hsp_budget){.deadline = hsp_clock_seconds()};
    assert_false(hsp_hessian_set(&H, false, &budget));
    budget = (hsp_budget){.deadline = INFINITY};
    assert_true(hsp_hessian_set(&H, false, &budget));
    assert_false(budget.out);
    hsp_hessian_free(&H);
    clear(&s);
}

/* Every allocation fails in turn: an error and no leak (under the sanitizers), then success. */
static void failing_memory(void **unused) {
    (void)unused;
    enum { N = 30, D = 3 };
    double x[N * D], y[N];
    for (int K = 1; K <= 3; K += 2)
        for (int q = 0; q < 2; q++)
            for (int v = 0; v < 2; v++) {
                sample(N, D, K, 1, false, x, y);
                setting t = {N,
                             D,
                             K,
                             x,
                             y,
                             NULL,
                             K > 1 ? &hsp_loss_softmax : &hsp_loss_logistic,
                             q ? "none" : "l2",
                             HSP_INTERCEPT_FREE,
                             1,
                             1,
                             8};
                int status = HSP_EMEMORY;
                for (int64_t calls = 0; status && calls < 5000; calls++) {
                    solved s;
                    hsp_memory_fail_after(calls);
                    status = solve(&t, SOLVERS[v], 1e-4, &s);
                    hsp_memory_fail_after(-1);
                    assert_true(status == HSP_OK || status == HSP_EMEMORY);
                    clear(&s);
                }
                assert_int_equal(status, HSP_OK);
            }
}

/* Sparse rows of a few full columns, many rare ones and labels that depend on both: the columns with few entries, the
 * factor that is reused for several steps (wide rows), and the short rows, each against the other solver. */
static void sparse_columns(void **unused) {
    (void)unused;
    enum { N = 1500, D = 400 };
    static double x[N * D], y[N];
    const hsp_loss *losses[] = {&hsp_loss_logistic, &hsp_loss_squared_hinge};
    for (int wide = 0; wide < 2; wide++)
        for (int l = 0; l < 2; l++)
            for (int k = 0; k < 3; k++) {
                hsp_rng r = hsp_rng_new(5, (uint64_t)(2 * wide + l));
                for (int i = 0; i < N; i++) {
                    double lean = hsp_rng_normal(&r);
                    for (int j = 0; j < D; j++) {
                        double share = j < (wide ? 150 : 5) ? 0.8 : 4.0 / (double)(N + j);
                        x[i * D + j] = hsp_rng_uniform(&r) < share ? 1 + 3 * hsp_rng_uniform(&r) : 0;
                        lean += x[i * D + j] * (j % 3 ? 0.1 : -0.2) * (j < 150 ? 1 : 10);
                    }
                    y[i] = lean > 0 ? 1 : -1;
                }
                setting t = {N, D, 1, x, y, NULL, losses[l], "l2", HSP_INTERCEPT_FREE, k == 0 ? 0.01 : k == 1 ? 1 : 100,
                             1, 0};
                double reached[2];
                for (int v = 0; v < 2; v++) {
                    solved s;
                    assert_int_equal(solve(&t, SOLVERS[v], 1e-9, &s), 0);
                    assert_true(!s.design->x->dense && s.out.converged && s.out.gap <= 1e-9 && s.out.epochs <= 60);
                    reached[v] = s.out.end.objective;
                    clear(&s);
                }
                assert_true(fabs(reached[0] - reached[1]) <= 1e-8 * reached[0]);
            }
}

/* What a solver reports of its point is what a measurement finds, and the multipliers that it leaves prove its bound. */
static void what_is_known_is_true(void **unused) {
    (void)unused;
    enum { N = 3000, D = 7 };
    static double x[N * D], y[N], c[N];
    for (int i = 0; i < N; i++) c[i] = i % 5 ? 1 : 0.25 * (i % 3);
    const hsp_loss *losses[] = {&hsp_loss_logistic, &hsp_loss_squared_hinge, &hsp_loss_squared};
    sample(N, D, 1, 1, false, x, y);
    for (int l = 0; l < 3; l++)
        for (int v = 0; v < 2; v++)
            for (int epochs = 1; epochs < 7; epochs++) {
                solved s = {0};
                setting t = {N, D, 1, x, y, l ? c : NULL, losses[l], "l2", (hsp_intercept)(epochs % 3), 10, 1, epochs};
                assert_int_equal(pose(&t, &s), 0);
                assert_int_equal(hsp_point_add_alpha(s.point, N, NULL), 0);
                hsp_rules rules = {.max_epochs = epochs, .max_updates = -1, .max_steps = -1, .max_seconds = -1, .seed = 1};
                rules.keep = HSP_KEEP_BEST, rules.tol = 1e-13, rules.tol_given = true;
                assert_int_equal(
                    hsp_run(SOLVERS[v], s.problem, &rules, (hsp_run_place){0, 1, NULL}, NULL, s.point, &s.out, NULL), 0);
                hsp_evaluation e = hsp_problem_evaluate(s.problem, s.point->w, s.point->b);
                assert_true(fabs(e.objective - s.out.end.objective) <= 1e-12 * e.objective);
                assert_true(fabs(e.error - s.out.end.error) <= 1e-12 || l == 2);
                assert_true(fabs(e.norm - s.out.end.norm) <= 1e-12 * (1 + e.norm));
                double bound = hsp_problem_dual_of(s.problem, s.point->alpha);
                assert_true(bound >= s.out.dual_bound - 1e-9 * e.objective && bound <= e.objective * (1 + 1e-12));
                clear(&s);
            }
}

/* Once the rows inside the margin are known, the squared hinge is a parabola: one more step, and the gap is rounding. */
static void the_squared_hinge_ends(void **unused) {
    (void)unused;
    enum { N = 2000, D = 8 };
    static double x[N * D], y[N];
    sample(N, D, 1, 1, false, x, y);
    for (int k = 0; k < 3; k++) {
        solved s;
        setting t = {N, D, 1, x, y, NULL, &hsp_loss_squared_hinge, "l2", (hsp_intercept)k, 1, 1, 0};
        assert_int_equal(solve(&t, &hsp_solver_newton, 1e-12, &s), 0);
        assert_true(s.out.converged && s.out.gap <= 1e-12 && s.out.epochs <= 9);
        clear(&s);
    }
}

/* Extreme penalties, duplicate rows, empty rows and columns. */
static void extreme_inputs(void **unused) {
    (void)unused;
    enum { N = 60, D = 4 };
    double x[N * D], y[N];
    const double Cs[] = {1e-12, 1e-4, 1e4, 1e8};
    const hsp_loss *losses[] = {&hsp_loss_logistic, &hsp_loss_squared_hinge, &hsp_loss_squared};
    for (int form = 0; form < 5; form++)
        for (int l = 0; l < 3; l++)
            for (int k = 0; k < 4; k++)
                for (int v = 0; v < 2; v++) {
                    sample(N, D, 1, 1, false, x, y);
                    for (int e = 0; e < N * D; e++) {
                        if (form == 1) x[e] = x[e % (3 * D)];         /* three rows, many times */
                        if (form == 2 && e % D == 1) x[e] = 0;        /* an empty column */
                        if (form == 3 && e % D == 1) x[e] = x[e - 1]; /* the same column twice */
                        if (form == 4) x[e] = e % D == 0 ? 1 : 0;     /* a constant, and nothing else */
                    }
                    solved s;
                    setting t = {N, D, 1, x, y, NULL, losses[l], "l2", HSP_INTERCEPT_FREE, Cs[k], 1, 0};
                    assert_int_equal(solve(&t, SOLVERS[v], 1e-8, &s), 0);
                    assert_true(isfinite(s.out.end.objective) && s.out.gap >= 0 && s.out.gap <= 1e-8);
                    clear(&s);
                }
}

/* So many rows that preconditioners are of samples: a column that is 0 in all rows but three, one in units of a million, rows
 * of much weight and of none. A poor preconditioner would take many passes. */
static void samples_of_rows_precondition(void **unused) {
    (void)unused;
    enum { N = 9000, D = 6, K = 3 };
    static double x[N * D], y[N], c[N];
    sample(N, D, K, 1, false, x, y);
    for (int i = 0; i < N; i++) {
        x[i * D + 4] = i % 3000 == 7 ? 1 : 0;
        x[i * D + 5] *= 1e6;
        c[i] = i % 100 == 0 ? 50 : i % 7 == 0 ? 0 : 1;
    }
    for (int weighted = 0; weighted < 2; weighted++)
        for (int b = 0; b < 3; b++) {
            setting t = {N, D, K, x, y, weighted ? c : NULL, &hsp_loss_softmax, "l2", (hsp_intercept)b, 10, 1, 0};
            double reached[2];
            for (int v = 0; v < 2; v++) {
                solved s;
                assert_int_equal(solve(&t, SOLVERS[v], 1e-9, &s), 0);
                assert_true(s.out.gap >= 0 && s.out.gap <= 1e-9);
                assert_true(s.out.epochs <= 20 && s.out.steps <= 200 * N);
                reached[v] = s.out.end.objective;
                clear(&s);
            }
            assert_true(fabs(reached[0] - reached[1]) <= 2e-9 * reached[0]);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_loss_reaches_its_optimum),
        cmocka_unit_test(extreme_scales),
        cmocka_unit_test(singular_data),
        cmocka_unit_test(many_classes),
        cmocka_unit_test(separable_classes),
        cmocka_unit_test(quasi_separable_classes),
        cmocka_unit_test(an_outlier_is_no_separation),
        cmocka_unit_test(one_class_alone),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(samples_lead_to_the_same_optimum),
        cmocka_unit_test(samples_of_rows_precondition),
        cmocka_unit_test(limits_are_kept),
        cmocka_unit_test(a_cancel_within_a_step),
        cmocka_unit_test(sparse_columns),
        cmocka_unit_test(what_is_known_is_true),
        cmocka_unit_test(the_squared_hinge_ends),
        cmocka_unit_test(extreme_inputs),
        cmocka_unit_test(failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
