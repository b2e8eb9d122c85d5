/* Proximal Newton by columns: the conditions of optimality on wide and tall sparse rows, columns that are left out, warm
 * starts, what the solver reports of its point, and degenerate data. */
#include "base/rng.h"
#include "design/columns.h"
#include "solve/prox/prox_sample.h"

static const hsp_rules RULES = {.keep = HSP_KEEP_BEST,
                                .seed = 1,
                                .max_epochs = 300,
                                .max_updates = -1,
                                .max_steps = -1,
                                .max_seconds = -1,
                                .tol = 1e-9,
                                .tol_given = true};

/* Later columns have fewer nonzeros, some columns are equal, and a few of the first decide the labels. */
static prox_sample make(int64_t n, int64_t d, bool scaled, uint64_t seed) {
    prox_sample s = {.n = n, .d = d, .K = 1};
    hsp_rng g = hsp_rng_new(seed, 0);
    s.x = calloc((size_t)(n * d), sizeof *s.x);
    s.y = calloc((size_t)n, sizeof *s.y);
    for (int64_t i = 0; i < n; i++) {
        double sum = 0.3 * hsp_rng_normal(&g);
        for (int64_t j = 0; j < d; j++) {
            double v = hsp_rng_uniform(&g) < 3 / (3 + 0.05 * (double)j) ? 0.5 + hsp_rng_uniform(&g) : 0;
            if (j % 11 == 5) v = s.x[i * d + j - 1]; /* equal columns */
            s.x[i * d + j] = v;
            sum += v * (j < 40 ? j % 2 ? 1 : -1 : 0);
        }
        s.y[i] = sum > 0 ? 1 : -1;
    }
    store_scaled(&s, false, scaled);
    return s;
}

static hsp_problem *pose(const prox_sample *s, const hsp_loss *loss, double C, double ratio, hsp_intercept intercept) {
    hsp_problem_spec spec = spec_of(s, loss, "elastic", C, ratio);
    spec.intercept = intercept;
    return pose_rows(s, &spec);
}

static hsp_point *new_point(const prox_sample *s) {
    hsp_point *point = NULL;
    assert_int_equal(hsp_point_new(1, s->d, &point, NULL), 0);
    assert_int_equal(hsp_point_add_alpha(point, s->n, NULL), 0);
    return point;
}

static answer solve(hsp_problem *p, const prox_sample *s, const hsp_rules *rules) {
    answer a = {.problem = p, .point = new_point(s)};
    a.outcome = run_prox(p, rules, a.point);
    return a;
}

static const hsp_loss *const LOSSES[] = {&hsp_loss_logistic, &hsp_loss_squared_hinge, &hsp_loss_squared};

/* Wide rows, and enough rows that products go by rows; every loss, intercept, L1 ratio and size of C. */
static void meets_the_conditions(void **state) {
    (void)state;
    const double Cs[] = {0.01, 0.3, 30};
    const bool full = getenv("HSP_CHECK_FULL");
    /* The wide shapes meet every loss, C and intercept each, the tall ones (n >= 2 d) together. */
    const int steps[] = {full ? 1 : 5, full ? 5 : 26}, first[] = {0, 0, 0, full ? 0 : 13};
    for (int shape = 0; shape < 4; shape++) {
        prox_sample s = make(shape < 2 ? 90 : 2080, shape < 2 ? 1300 : 1030, shape % 2, 3 + (uint64_t)shape);
        for (int c = first[shape]; c < 27; c += steps[shape / 2]) {
            hsp_problem *p = pose(&s, LOSSES[c % 3], Cs[c / 3 % 3], c % 2 ? 1 : 0.8, (hsp_intercept)(c / 9));
            answer a = solve(p, &s, &RULES);
            assert_true(a.outcome.gap <= 1e-9);
            assert_true(violation(&s, p, a.point) <= 1e-3);
            hsp_evaluation at = hsp_problem_evaluate(p, a.point->w, a.point->b); /* the solver reported its own values */
            assert_true(fabs(at.objective - a.outcome.end.objective) <= 1e-12 * at.objective);
            assert_true(fabs(at.error - a.outcome.end.error) <= 1e-12 || p->regression);
            double bound = hsp_problem_dual_of(p, a.point->alpha);
            assert_true(fabs(bound - a.outcome.dual_bound) <= 1e-9 * at.objective);
            free_answer(&a);
        }
        free_rows(&s);
    }
}

/* All weights may move at once, and none stops at zero. */
static void without_an_l1_part(void **state) {
    (void)state;
    for (int c = 0; c < 9; c++) {
        prox_sample s = make(90, 1300, c % 2, 51);
        answer a = solve(pose(&s, LOSSES[c % 3], 0.3, 0, (hsp_intercept)(c / 3)), &s, &RULES);
        assert_true(a.outcome.gap <= 1e-9);
        assert_true(violation(&s, a.problem, a.point) <= 1e-3);
        free_answer(&a);
        free_rows(&s);
    }
}

/* From the optimum of a slightly larger penalty fewer columns and steps are needed; from the optimum itself none. */
static void warm_starts(void **state) {
    (void)state;
    prox_sample s = make(120, 1500, false, 21);
    hsp_problem *p = pose(&s, &hsp_loss_logistic, 3, 1, HSP_INTERCEPT_FREE);
    hsp_problem *q = pose(&s, &hsp_loss_logistic, 2.7, 1, HSP_INTERCEPT_FREE);
    hsp_point *cold = new_point(&s), *warm = new_point(&s);
    hsp_outcome from_zero = run_prox(p, &RULES, cold), before = run_prox(q, &RULES, warm),
                from_near = run_prox(p, &RULES, warm);
    assert_true(from_zero.gap <= 1e-9 && before.gap <= 1e-9 && from_near.gap <= 1e-9);
    assert_true(from_near.steps < from_zero.steps && from_near.updates < from_zero.updates);
    assert_true(fabs(from_near.end.objective - from_zero.end.objective) <= 2e-9 * from_zero.end.objective);
    hsp_rules loose = RULES;
    loose.tol = 1e-6;
    hsp_outcome again = run_prox(p, &loose, warm);
    assert_true(again.gap <= 1e-6 && again.updates == 0 && again.epochs == 1);
    hsp_point_free(cold);
    hsp_point_free(warm);
    hsp_problem_free(p);
    hsp_problem_free(q);
    free_rows(&s);
}

/* A start with weights on columns that the optimum leaves out; and one far away, where the curvature vanishes. */
static void poor_starts(void **state) {
    (void)state;
    prox_sample s = make(100, 1200, false, 31);
    hsp_problem *p = pose(&s, &hsp_loss_logistic, 0.1, 1, HSP_INTERCEPT_FREE);
    for (int c = 0; c < 2; c++) {
        hsp_point *point = new_point(&s);
        hsp_rng g = hsp_rng_new(5, 5);
        for (int64_t j = 0; j < s.d; j++) point->w[j] = (c ? 100 : 0.1) * hsp_rng_normal(&g);
        point->b[0] = c ? 1e4 : 0;
        hsp_outcome outcome = run_prox(p, &RULES, point);
        assert_true(outcome.gap <= 1e-9);
        assert_true(violation(&s, p, point) <= 1e-3);
        hsp_point_free(point);
    }
    hsp_problem_free(p);
    free_rows(&s);
}

/* Exactly the columns that the sum of their sizes rules out. */
static void light_columns_are_left_out(void **state) {
    (void)state;
    for (int scaled = 0; scaled < 2; scaled++) {
        prox_sample s = make(80, 1100, scaled, 41);
        double *c = calloc((size_t)s.n, sizeof *c), *r = calloc((size_t)s.n, sizeof *r);
        for (int64_t i = 0; i < s.n; i++) {
            c[i] = (double)(i % 3);
            r[i] = (double)(i % 7) - 3;
        }
        hsp_columns *all = NULL, *some = NULL;
        assert_int_equal(hsp_columns_new(s.design, false, &all, NULL), 0);
        assert_int_equal(hsp_columns_heavy(s.design, false, c, 7, &some, NULL), 0);
        assert_true(some->d > 0 && some->d < all->d && all->d == s.d && !all->origin);
        int64_t next = 0;
        for (int64_t j = 0; j < s.d; j++) {
            hsp_row column = hsp_column(all, j);
            double sum = 0, f = hsp_column_factor(all, j);
            for (int64_t t = 0; t < column.count; t++) sum += c[hsp_row_id(column, t)] * fabs(f * hsp_row_value(column, t));
            bool taken = next < some->d && hsp_column_origin(some, next) == j;
            assert_true(taken || sum < 7);
            assert_true(!taken || sum > 7 * (1 - 1e-3));
            if (!taken) continue;
            assert_true(hsp_column_dot(some, next, r) == hsp_column_dot(all, j, r));
            assert_true(hsp_column_p(some, next) == hsp_column_p(all, j));
            next++;
        }
        assert_int_equal(next, some->d);
        hsp_columns_free(all);
        hsp_columns_free(some);
        free(c);
        free(r);
        free_rows(&s);
    }
}

/* C so small that no column can enter: the copy of the columns is empty. */
static void nothing_enters(void **state) {
    (void)state;
    prox_sample s = make(60, 1050, false, 51);
    s.c = calloc((size_t)s.n, sizeof *s.c);
    for (int64_t i = 0; i < s.n; i++) s.c[i] = i % 5 ? 1 : 0;
    answer a = solve(pose(&s, &hsp_loss_logistic, 1e-5, 1, HSP_INTERCEPT_FREE), &s, &RULES);
    double plus = 0, minus = 0;
    for (int64_t i = 0; i < s.n; i++) *(s.y[i] > 0 ? &plus : &minus) += s.c[i];
    for (int64_t j = 0; j < s.d; j++) assert_true(a.point->w[j] == 0);
    assert_true(fabs(a.point->b[0] - log(plus / minus)) <= 1e-9);
    assert_true(a.outcome.gap <= 1e-9);
    free_answer(&a);
    free_rows(&s);
}

/* One class, one row, rows and columns of zeros, numbers of 1e+-150, all weights of a class 0: the result is finite. */
static void degenerate_data(void **state) {
    (void)state;
    for (int c = 0; c < 6; c++) {
        prox_sample s = make(c == 1 ? 1 : 40, 1010, false, 61);
        free_stored(&s);
        for (int64_t x = 0; x < s.n * s.d; x++) {
            if (c == 2) s.x[x] = 0;
            if (c == 3) s.x[x] *= x % 2 ? 1e150 : 1e-150;
            if (c == 5) s.x[x] *= 1e-310; /* denormal */
        }
        for (int64_t i = 0; c == 0 && i < s.n; i++) s.y[i] = 1;
        if (c == 4) s.c = calloc((size_t)s.n, sizeof *s.c);
        for (int64_t i = 0; c == 4 && i < s.n; i++) s.c[i] = s.y[i] > 0;
        store_rows(&s, s.x, false);
        for (int l = 0; l < 3; l++) {
            hsp_rules rules = RULES;
            rules.max_epochs = 60;
            answer a = solve(pose(&s, LOSSES[l], 1, 1, HSP_INTERCEPT_FREE), &s, &rules);
            assert_true(isfinite(a.outcome.end.objective) && isfinite(a.point->b[0]));
            for (int64_t j = 0; j < s.d; j++) assert_true(isfinite(a.point->w[j]));
            assert_true(!(a.outcome.dual_bound > a.outcome.end.objective * (1 + 1e-12)));
            free_answer(&a);
        }
        free_rows(&s);
    }
}

/* Columns times 1e+-6. */
static void unlike_columns(void **state) {
    (void)state;
    prox_sample s = make(150, 1020, false, 71);
    free_stored(&s);
    for (int64_t x = 0; x < s.n * s.d; x++) s.x[x] *= x % s.d % 3 == 0 ? 1e6 : x % s.d % 3 == 1 ? 1e-6 : 1;
    store_rows(&s, s.x, false);
    for (int c = 0; c < 3; c++) {
        hsp_rules rules = RULES;
        rules.tol = 1e-6;
        double C = c == 0 ? 0.01 : c == 1 ? 1 : 100;
        answer a = solve(pose(&s, &hsp_loss_logistic, C, 1, HSP_INTERCEPT_FREE), &s, &rules);
        assert_true(a.outcome.gap <= 1e-6);
        free_answer(&a);
    }
    free_rows(&s);
}

static void threads_do_not_matter(void **state) {
    (void)state;
    prox_sample s = make(3000, 1100, false, 81);
    hsp_problem *p = pose(&s, &hsp_loss_logistic, 1, 1, HSP_INTERCEPT_FREE);
    hsp_point *one = new_point(&s), *three = new_point(&s);
    hsp_rules rules = RULES;
    rules.tol = 1e-6;
    run_prox(p, &rules, one);
    s.design->threads = 3;
    run_prox(p, &rules, three);
    assert_memory_equal(one->w, three->w, (size_t)s.d * sizeof(double));
    assert_memory_equal(one->b, three->b, sizeof(double));
    assert_memory_equal(one->alpha, three->alpha, (size_t)s.n * sizeof(double));
    hsp_point_free(one);
    hsp_point_free(three);
    hsp_problem_free(p);
    free_rows(&s);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    prox_sample s = make(60, 1010, true, 91);
    hsp_problem *p = pose(&s, &hsp_loss_logistic, 30, 1, HSP_INTERCEPT_FREE);
    hsp_rules rules = RULES;
    rules.max_epochs = 12;
    run_short_of_memory(p, &rules, s.n);
    hsp_problem_free(p);
    free_rows(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(meets_the_conditions),
                                       cmocka_unit_test(without_an_l1_part),
                                       cmocka_unit_test(warm_starts),
                                       cmocka_unit_test(poor_starts),
                                       cmocka_unit_test(light_columns_are_left_out),
                                       cmocka_unit_test(nothing_enters),
                                       cmocka_unit_test(degenerate_data),
                                       cmocka_unit_test(unlike_columns),
                                       cmocka_unit_test(threads_do_not_matter),
                                       cmocka_unit_test(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
