/* The proximal Newton method: the conditions of optimality from the plain numbers, other solvers, other layouts of the same
 * data, closed-form solutions, and problems without a solution. */
#include "base/rng.h"
#include "solve/prox/prox_sample.h"

static const hsp_rules RULES = {.schedule = HSP_SCHEDULE_LINE_SEARCH,
                                .rate = 1,
                                .keep = HSP_KEEP_BEST,
                                .seed = 1,
                                .max_epochs = 200,
                                .max_updates = -1,
                                .max_steps = -1,
                                .max_seconds = -1,
                                .tol = 1e-10,
                                .tol_given = true};

/* K classes that overlap (K 1: labels -1 and +1); a share of the numbers is not zero. */
static prox_sample make(int64_t n, int64_t d, int64_t K, double density, bool dense, bool scaled, uint64_t seed) {
    prox_sample s = {.n = n, .d = d, .K = K};
    hsp_rng g = hsp_rng_new(seed, 0);
    s.x = calloc((size_t)(n * d), sizeof *s.x);
    s.y = calloc((size_t)n, sizeof *s.y);
    for (int64_t i = 0; i < n; i++) {
        int64_t k = hsp_rng_below(&g, K > 1 ? K : 3);
        s.y[i] = K > 1 ? (double)k : k > 0 ? 1 : -1;
        for (int64_t j = 0; j < d; j++)
            if (hsp_rng_uniform(&g) < density) s.x[i * d + j] = hsp_rng_normal(&g) + (j % 5 == k ? 1 : 0) + (double)(j % 3);
    }
    store_scaled(&s, dense, scaled);
    return s;
}

static answer solve_by(const hsp_solver *solver, const prox_sample *s, const hsp_problem_spec *spec,
                       const hsp_rules *rules) {
    answer a = {.problem = pose_rows(s, spec)};
    assert_int_equal(hsp_point_new(s->K, s->d, &a.point, NULL), 0);
    hsp_run_start(a.problem, rules, 0, a.point);
    assert_int_equal(hsp_run(solver, a.problem, rules, (hsp_run_place){0, 1, "1"}, NULL, a.point, &a.outcome, NULL), 0);
    return a;
}

static answer solve(const prox_sample *s, const hsp_problem_spec *spec, const hsp_rules *rules) {
    return solve_by(&hsp_solver_prox_newton, s, spec, rules);
}

static bool near(double a, double b, double tol) {
    return fabs(a - b) <= tol * (1e-300 + fmax(fabs(a), fabs(b)));
}

static const hsp_loss *const LOSSES[] = {&hsp_loss_logistic, &hsp_loss_squared, &hsp_loss_squared_hinge};

/* Every loss, penalty, intercept and layout; by the whole Hessian, and by columns (too many of them, or rows too long). */
static void meets_the_conditions(void **state) {
    (void)state;
    const struct shape {
        int64_t n, d;
        double density;
        bool dense, scaled;
    } shapes[] = {{60, 6, 1, true, false},    {60, 6, 0.4, false, true}, {80, 12, 0.3, false, false},
                  {40, 1010, 1, true, false}, {40, 1010, 1, true, true}, {70, 220, 0.6, false, false},
                  {70, 220, 0.6, false, true}};
    for (size_t t = 0; t < sizeof shapes / sizeof *shapes; t++) {
        prox_sample s = make(shapes[t].n, shapes[t].d, 1, shapes[t].density, shapes[t].dense, shapes[t].scaled, 3 + t);
        for (int c = 0; c < 27; c += t < 3 ? 1 : 4) {
            const char *const penalties[] = {"l1", "elastic", "elastic"};
            hsp_problem_spec spec =
                spec_of(&s, LOSSES[c % 3], penalties[c / 3 % 3], t > 2 ? 0.2 : 1, c / 3 % 3 == 1 ? 0.5 : 0.9);
            spec.intercept = (hsp_intercept)(c / 9);
            hsp_rules rules = RULES;
            rules.tol = 1e-12;
            answer a = solve(&s, &spec, &rules);
            assert_string_equal(hsp_stop_name(a.outcome.stop), "gap");
            assert_true(violation(&s, a.problem, a.point) <= 1e-5); /* the gap is of second order in it */
            if (spec.intercept == HSP_INTERCEPT_NONE) assert_true(a.point->b[0] == 0);
            free_answer(&a);
        }
        free_rows(&s);
    }
}

/* With a tolerance that no gap meets the run continues to the last digits. */
static void to_the_last_digit(void **state) {
    (void)state;
    prox_sample s = make(90, 8, 1, 1, true, false, 5);
    hsp_rules rules = RULES;
    rules.tol = 1e-17;
    hsp_problem_spec spec = spec_of(&s, &hsp_loss_logistic, "l1", 2, 1);
    answer a = solve(&s, &spec, &rules);
    assert_true(violation(&s, a.problem, a.point) <= 1e-9);
    assert_true(a.outcome.gap <= 1e-13);
    assert_true(a.outcome.epochs < 60); /* and stops when rounding prevents progress */
    free_answer(&a);
    free_rows(&s);
}

static void agrees_with_gradient_steps(void **state) {
    (void)state;
    for (int c = 0; c < 12; c++) {
        prox_sample s = make(50, 5, 1, 1, true, false, 11 + (uint64_t)c);
        const char *const penalties[] = {"l1", "elastic"};
        hsp_problem_spec spec = spec_of(&s, LOSSES[c % 3], penalties[c / 3 % 2], 0.3, 0.5);
        spec.intercept = c < 6 ? HSP_INTERCEPT_FREE : HSP_INTERCEPT_PENALISED;
        hsp_rules slow = RULES;
        slow.max_epochs = 20000;
        slow.tol = 1e-10;
        answer a = solve(&s, &spec, &RULES), b = solve_by(&hsp_solver_gradient, &s, &spec, &slow);
        assert_true(near(a.outcome.end.objective, b.outcome.end.objective, 1e-9));
        for (int64_t j = 0; j < s.d; j++) assert_true(fabs(a.point->w[j] - b.point->w[j]) <= 1e-5);
        free_answer(&a);
        free_answer(&b);
        free_rows(&s);
    }
}

/* The same numbers dense (the whole Hessian) and sparse (by columns: rows of more than 100), one and three outputs. */
static void layouts_agree(void **state) {
    (void)state;
    for (int c = 0; c < 12; c++) {
        int64_t K = c % 2 ? 3 : 1;
        bool scaled = c / 2 % 2;
        prox_sample s = make(60, 240, K, 0.6, true, scaled, 21), z = make(60, 240, K, 0.6, false, scaled, 21);
        hsp_problem_spec spec = spec_of(&s, K > 1 ? &hsp_loss_softmax : &hsp_loss_logistic, "l1", 0.3, 1);
        spec.intercept = (hsp_intercept)(c / 4);
        answer a = solve(&s, &spec, &RULES), b = solve(&z, &spec, &RULES);
        assert_true(a.outcome.gap <= 1e-10 && b.outcome.gap <= 1e-10);
        assert_true(near(a.outcome.end.objective, b.outcome.end.objective, 1e-9));
        assert_true(violation(&s, a.problem, a.point) <= 1e-3 && violation(&z, b.problem, b.point) <= 1e-3);
        free_answer(&a);
        free_answer(&b);
        free_rows(&s);
        free_rows(&z);
    }
}

static void softmax_meets_the_conditions(void **state) {
    (void)state;
    for (int c = 0; c < 18; c++) {
        int64_t d = c % 2 ? 350 : 7;
        prox_sample s = make(70, d, c % 2 ? 3 : 4, 1, true, c % 3 == 0, 31);
        hsp_problem_spec spec = spec_of(&s, &hsp_loss_softmax, c / 2 % 3 == 0 ? "l1" : "elastic", c % 2 ? 0.1 : 3, 0.7);
        spec.intercept = (hsp_intercept)(c / 6);
        hsp_rules rules = RULES;
        rules.tol = 1e-12;
        answer a = solve(&s, &spec, &rules);
        assert_string_equal(hsp_stop_name(a.outcome.stop), "gap");
        assert_true(violation(&s, a.problem, a.point) <= 1e-5);
        free_answer(&a);
        free_rows(&s);
    }
}

/* Softmax of two classes is the logistic problem: among all w_1 - w_2 = w the least |w_1| + |w_2| is |w|. */
static void softmax_of_two_is_logistic(void **state) {
    (void)state;
    prox_sample s = make(80, 9, 1, 1, true, false, 41), t = make(80, 9, 1, 1, true, false, 41);
    t.K = 2;
    for (int64_t i = 0; i < t.n; i++) t.y[i] = t.y[i] > 0;
    hsp_problem_spec one = spec_of(&s, &hsp_loss_logistic, "l1", 1, 1), two = spec_of(&t, &hsp_loss_softmax, "l1", 1, 1);
    answer a = solve(&s, &one, &RULES), b = solve(&t, &two, &RULES);
    assert_true(near(a.outcome.end.objective, b.outcome.end.objective, 1e-9));
    for (int64_t j = 0; j < s.d; j++)
        assert_true(fabs(b.point->w[s.d + j] - b.point->w[j] - a.point->w[j]) <= 1e-4 * (1 + fabs(a.point->w[j])));
    free_answer(&a);
    free_answer(&b);
    free_rows(&s);
    free_rows(&t);
}

/* Columns that do not enter have weights of exactly 0; elastic of ratio 1 is l1, and of ratio 0 l2. */
static void zeros_and_ratios(void **state) {
    (void)state;
    prox_sample s = make(100, 30, 1, 1, true, false, 51);
    hsp_problem_spec l1 = spec_of(&s, &hsp_loss_logistic, "l1", 0.2, 1),
                     elastic = spec_of(&s, &hsp_loss_logistic, "elastic", 0.2, 1);
    answer a = solve(&s, &l1, &RULES), b = solve(&s, &elastic, &RULES);
    int64_t zeros = 0;
    for (int64_t j = 0; j < s.d; j++) {
        zeros += a.point->w[j] == 0;
        assert_true(a.point->w[j] == b.point->w[j]);
    }
    assert_true(zeros >= 10 && zeros < 30);
    elastic.l1_ratio = 0;
    hsp_problem_spec l2 = spec_of(&s, &hsp_loss_logistic, "l2", 0.2, 0);
    hsp_rules slow = RULES;
    slow.max_epochs = 20000;
    answer c = solve(&s, &elastic, &RULES), e = solve_by(&hsp_solver_gradient, &s, &l2, &slow);
    assert_true(near(c.outcome.end.objective, e.outcome.end.objective, 1e-9));
    free_answer(&a);
    free_answer(&b);
    free_answer(&c);
    free_answer(&e);
    free_rows(&s);
}

/* C so small that no column enters: b is the log-odds of the weights of the classes. */
static void nothing_enters(void **state) {
    (void)state;
    for (int64_t K = 1; K <= 3; K += 2) {
        prox_sample s = make(60, 5, K, 1, true, false, 61);
        double mass[3] = {0};
        s.c = calloc((size_t)s.n, sizeof *s.c);
        for (int64_t i = 0; i < s.n; i++) {
            s.c[i] = 0.5 + (double)(i % 4);
            mass[K > 1 ? (int)s.y[i] : s.y[i] > 0] += s.c[i];
        }
        hsp_problem_spec spec = spec_of(&s, K > 1 ? &hsp_loss_softmax : &hsp_loss_logistic, "l1", 1e-4, 1);
        answer a = solve(&s, &spec, &RULES);
        for (int64_t x = 0; x < K * s.d; x++) assert_true(a.point->w[x] == 0);
        if (K == 1) assert_true(near(a.point->b[0], log(mass[1] / mass[0]), 1e-12));
        for (int k = 1; K > 1 && k < 3; k++)
            assert_true(fabs(a.point->b[k] - a.point->b[0] - log(mass[k] / mass[0])) <= 1e-12);
        assert_true(a.outcome.gap <= 1e-10);
        free_answer(&a);
        free_rows(&s);
    }
}

/* A row of weight m counts as m copies; one of weight 0 as none. */
static void weights_repeat_rows(void **state) {
    (void)state;
    for (int64_t K = 1; K <= 3; K += 2) {
        prox_sample s = make(40, 6, K, 1, true, false, 71), t = make(120, 6, K, 1, true, false, 71);
        double *raw = calloc((size_t)(120 * 6), sizeof *raw);
        int64_t rest = 0;
        s.c = calloc((size_t)s.n, sizeof *s.c);
        for (int64_t i = 0; i < s.n; i++) {
            s.c[i] = (double)(i % 4);
            for (int64_t k = 0; k < i % 4; k++, rest++) {
                memcpy(raw + rest * 6, s.x + i * 6, 6 * sizeof *raw);
                t.y[rest] = s.y[i];
            }
        }
        free_stored(&t);
        t.n = rest;
        store_rows(&t, raw, true);
        hsp_problem_spec a_spec = spec_of(&s, K > 1 ? &hsp_loss_softmax : &hsp_loss_logistic, "l1", 0.5, 1),
                         b_spec = a_spec;
        b_spec.c = NULL;
        answer a = solve(&s, &a_spec, &RULES), b = solve(&t, &b_spec, &RULES);
        assert_true(near(a.outcome.end.objective, b.outcome.end.objective, 1e-10));
        for (int64_t x = 0; x < K * 6; x++) assert_true(fabs(a.point->w[x] - b.point->w[x]) <= 1e-5);
        free_answer(&a);
        free_answer(&b);
        free(raw);
        free_rows(&s);
        free_rows(&t);
    }
}

/* Columns that are constant, empty, equal, or opposite. */
static void degenerate_columns(void **state) {
    (void)state;
    for (int c = 0; c < 8; c++) {
        int64_t K = c % 2 ? 3 : 1, d = c / 2 % 2 ? 1040 : 10; /* by columns, and with the whole Hessian */
        prox_sample s = make(50, d, K, 1, true, false, 81);
        free_stored(&s);
        for (int64_t i = 0; i < s.n; i++) {
            double *x = s.x + i * d;
            x[1] = 5e6;
            x[2] = 0;
            x[4] = x[3];
            x[6] = -x[5];
        }
        store_rows(&s, s.x, c < 4);
        hsp_problem_spec spec = spec_of(&s, K > 1 ? &hsp_loss_softmax : &hsp_loss_logistic, "l1", d > 10 ? 0.05 : 1, 1);
        answer a = solve(&s, &spec, &RULES);
        assert_true(a.outcome.gap <= 1e-10);
        for (int64_t k = 0; k < K; k++) assert_true(a.point->w[k * d + 1] == 0 && a.point->w[k * d + 2] == 0);
        free_answer(&a);
        free_rows(&s);
    }
}

/* Columns multiplied by 1e6 and 1e-6, with means of a thousand times their spread. */
static void unlike_columns(void **state) {
    (void)state;
    for (int c = 0; c < 6; c++) {
        int64_t K = c % 2 ? 3 : 1, d = c / 2 == 2 ? 1020 : 12;
        prox_sample s = make(60, d, K, 1, true, false, 91);
        free_stored(&s);
        for (int64_t x = 0; x < s.n * d; x++)
            s.x[x] = (s.x[x] + (x % d == 4 ? 1000 : 0)) * (x % 3 == 0 ? 1e6 : x % 3 == 1 ? 1e-6 : 1);
        store_rows(&s, s.x, true);
        hsp_problem_spec spec = spec_of(&s, K > 1 ? &hsp_loss_softmax : &hsp_loss_logistic, "l1",
                                        d > 12  ? 0.01
                                        : c / 2 ? 100
                                                : 0.1,
                                        1);
        hsp_rules rules = RULES;
        rules.tol = 1e-8;
        answer a = solve(&s, &spec, &rules);
        assert_true(a.outcome.gap <= 1e-8);
        free_answer(&a);
        free_rows(&s);
    }
}

static void threads_do_not_matter(void **state) {
    (void)state;
    for (int c = 0; c < 4; c++) {
        prox_sample s = make(3000, 20, c % 2 ? 3 : 1, c < 2 ? 1 : 0.2, c < 2, false, 101);
        hsp_problem_spec spec = spec_of(&s, c % 2 ? &hsp_loss_softmax : &hsp_loss_logistic, "l1", 0.1, 1);
        answer a = solve(&s, &spec, &RULES);
        s.design->threads = 3;
        answer b = solve(&s, &spec, &RULES);
        assert_memory_equal(a.point->w, b.point->w, (size_t)(s.K * s.d) * sizeof(double));
        assert_memory_equal(a.point->b, b.point->b, (size_t)s.K * sizeof(double));
        free_answer(&a);
        free_answer(&b);
        free_rows(&s);
    }
}

/* A start far away, where the curvature has vanished. */
static void far_starts(void **state) {
    (void)state;
    for (int c = 0; c < 6; c++) {
        int64_t K = c % 2 ? 3 : 1, d = c / 2 == 2 ? 1015 : 9;
        prox_sample s = make(60, d, K, 1, true, false, 111);
        hsp_problem_spec spec = spec_of(&s, K > 1 ? &hsp_loss_softmax : LOSSES[c / 2 == 1 ? 2 : 0], "l1", 0.05, 1);
        hsp_problem *p = pose_rows(&s, &spec);
        hsp_point *point = NULL;
        hsp_rng g = hsp_rng_new(5, 5);
        assert_int_equal(hsp_point_new(K, d, &point, NULL), 0);
        for (int64_t x = 0; x < K * d; x++) point->w[x] = 300 * hsp_rng_normal(&g);
        for (int64_t k = 0; k < K; k++) point->b[k] = 1e4 * (double)(k + 1);
        assert_true(run_prox(p, &RULES, point).gap <= 1e-10);
        hsp_point_free(point);
        hsp_problem_free(p);
        free_rows(&s);
    }
}

/* Runs without an optimum, without data or without time end too. */
static void ends_anyway(void **state) {
    (void)state;
    prox_sample s = make(30, 4, 1, 1, true, false, 121);
    hsp_problem_spec spec = spec_of(&s, &hsp_loss_logistic, "l1", 1, 1);
    hsp_rules rules = RULES;
    rules.max_seconds = 0;
    answer a = solve(&s, &spec, &rules);
    assert_string_equal(hsp_stop_name(a.outcome.stop), "max-seconds");
    free_answer(&a);
    rules = RULES;
    rules.max_updates = 2;
    a = solve(&s, &spec, &rules);
    assert_string_equal(hsp_stop_name(a.outcome.stop), "max-updates");
    assert_int_equal(a.outcome.updates, 2);
    free_answer(&a);
    for (int64_t i = 0; i < s.n; i++) s.y[i] = 1; /* one class: b runs to infinity */
    rules = RULES;
    rules.max_epochs = 500;
    a = solve(&s, &spec, &rules);
    assert_true(a.outcome.end.objective < 1e-6);
    for (int64_t j = 0; j < s.d; j++) assert_true(a.point->w[j] == 0);
    free_answer(&a);
    free_rows(&s);
    s = make(1, 1, 1, 1, true, false, 131);
    spec = spec_of(&s, &hsp_loss_squared, "l1", 1, 1);
    a = solve(&s, &spec, &RULES);
    assert_true(a.outcome.end.objective < 1e-9);
    free_answer(&a);
    free_rows(&s);
}

/* Numbers that overflow leave finite weights. */
static void overflowing_numbers(void **state) {
    (void)state;
    prox_sample s = make(30, 4, 1, 1, true, false, 141);
    ((double *)s.matrix->value)[5] = 1e308;
    ((double *)s.matrix->value)[9] = -1e308;
    hsp_problem_spec spec = spec_of(&s, &hsp_loss_squared, "l1", 1, 1);
    hsp_rules rules = RULES;
    rules.max_epochs = 50;
    answer a = solve(&s, &spec, &rules);
    for (int64_t j = 0; j < s.d; j++) assert_true(isfinite(a.point->w[j]));
    free_answer(&a);
    free_rows(&s);
}

/* What the solver reports of its point after each step, against an evaluation of that point. */
static void check_known(const prox_sample *s, const hsp_problem_spec *spec, double tol) {
    hsp_problem *p = pose_rows(s, spec), *other = pose_rows(s, spec);
    hsp_point *start = NULL, *now = NULL;
    hsp_rules rules = RULES;
    hsp_budget budget = {.max_updates = INT64_MAX, .max_steps = INT64_MAX, .deadline = INFINITY};
    const hsp_solver *solver = &hsp_solver_prox_newton;
    double gap = 1;
    rules.tol = tol;
    assert_int_equal(hsp_point_new(1, s->d, &start, NULL), 0);
    assert_int_equal(hsp_point_new(1, s->d, &now, NULL), 0);
    assert_int_equal(hsp_point_add_alpha(now, s->n, NULL), 0);
    void *solving = calloc(1, solver->state_size);
    assert_int_equal(solver->init(solving, p, &rules, start, NULL), 0);
    for (int k = 0; k < 60 && gap > tol; k++) {
        hsp_measured known;
        hsp_step step = solver->step(solving, &budget);
        if (step == HSP_STEP_QUIET) continue;
        assert_true(step == HSP_STEP_MORE || step == HSP_STEP_DONE || step == HSP_STEP_STALLED);
        assert_true(solver->export(solving, HSP_POINT_CURRENT, now));
        if (!solver->measured(solving, &known) || isnan(known.bound)) break; /* rounding: the loop evaluates */
        hsp_evaluation at = hsp_problem_evaluate(other, now->w, now->b);
        assert_true(near(at.objective, known.at.objective, 1e-10));
        assert_true(near(at.mean_loss, known.at.mean_loss, 1e-9));
        assert_true(known.bound <= known.at.objective * (1 + 1e-11));
        assert_true(hsp_problem_dual_of(other, now->alpha) >= known.bound * (1 - 1e-10));
        gap = hsp_relative_gap(known.at.objective, known.bound);
        if (step != HSP_STEP_MORE) break;
    }
    assert_true(gap <= tol);
    solver->free(solving);
    free(solving);
    hsp_point_free(start);
    hsp_point_free(now);
    hsp_problem_free(p);
    hsp_problem_free(other);
}

static void reports_true_values(void **state) {
    static const int64_t SHAPES[][2] = {{600, 12}, {90, 1100}, {2300, 1010}}; /* whole Hessian; columns; columns and rows */
    (void)state;
    for (int shape = 0; shape < 3; shape++)
        for (int c = 0; c < 8; c++) {
            bool dense = shape < 2 && c % 2;
            prox_sample s =
                make(SHAPES[shape][0], SHAPES[shape][1], 1, shape ? 0.02 : 0.6, dense, c & 4, (uint64_t)(170 + c));
            hsp_problem_spec spec = spec_of(&s, c & 2 ? &hsp_loss_squared_hinge : &hsp_loss_logistic, "l1", 1, 1);
            spec.intercept = c == 3 || c == 4 ? HSP_INTERCEPT_NONE : HSP_INTERCEPT_FREE;
            check_known(&s, &spec, 1e-6);
            free_rows(&s);
        }
}

/* Many rows whose curvatures fall far, at different rates: the Hessian is updated many times. */
static void an_outdated_hessian_is_harmless(void **state) {
    (void)state;
    for (int c = 0; c < 6; c++) {
        prox_sample s = make(3000, 15, 1, c % 2 ? 1 : 0.4, c % 2, false, 190);
        for (int64_t i = 0; i < s.n; i++) { /* almost separable by a few columns */
            s.y[i] = s.x[i * 15] + 2 * s.x[i * 15 + 1] - s.x[i * 15 + 2] > 2.5 ? 1 : -1;
            if (i % 50 == 0) s.y[i] = -s.y[i];
        }
        hsp_problem_spec spec = spec_of(&s, &hsp_loss_logistic, "l1", c < 2 ? 0.01 : c < 4 ? 1 : 1000, 1);
        answer a = solve(&s, &spec, &RULES);
        assert_true(a.outcome.gap <= 1e-10 && a.outcome.epochs <= 40);
        /* in units of lambda = 1 / (n C), which is small beside the losses when C is large */
        assert_true(violation(&s, a.problem, a.point) <= 1e-3 * fmax(1, spec.C));
        free_answer(&a);
        free_rows(&s);
    }
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    for (int c = 0; c < 4; c++) {
        prox_sample s = make(20, c / 2 ? 1010 : 4, c % 2 ? 3 : 1, 1, true, false, 151);
        hsp_problem_spec spec = spec_of(&s, c % 2 ? &hsp_loss_softmax : &hsp_loss_logistic, "l1", 0.1, 1);
        hsp_rules rules = RULES;
        rules.max_epochs = 3;
        hsp_problem *p = pose_rows(&s, &spec);
        run_short_of_memory(p, &rules, 0);
        hsp_problem_free(p);
        free_rows(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(meets_the_conditions),
                                       cmocka_unit_test(to_the_last_digit),
                                       cmocka_unit_test(agrees_with_gradient_steps),
                                       cmocka_unit_test(layouts_agree),
                                       cmocka_unit_test(softmax_meets_the_conditions),
                                       cmocka_unit_test(softmax_of_two_is_logistic),
                                       cmocka_unit_test(zeros_and_ratios),
                                       cmocka_unit_test(nothing_enters),
                                       cmocka_unit_test(weights_repeat_rows),
                                       cmocka_unit_test(degenerate_columns),
                                       cmocka_unit_test(unlike_columns),
                                       cmocka_unit_test(threads_do_not_matter),
                                       cmocka_unit_test(far_starts),
                                       cmocka_unit_test(ends_anyway),
                                       cmocka_unit_test(overflowing_numbers),
                                       cmocka_unit_test(reports_true_values),
                                       cmocka_unit_test(an_outdated_hessian_is_harmless),
                                       cmocka_unit_test(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
