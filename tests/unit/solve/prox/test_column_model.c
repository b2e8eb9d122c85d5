/* Proximal Newton by columns: wide and tall sparse rows against the conditions of optimality from the plain numbers,
 * columns that are left out, warm starts, what the solver says it knows, and poor data. */
#include "base/memory.h"
#include "base/rng.h"
#include "design/columns.h"
#include "solve/loop/run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct rows {
    int64_t n, d;
    double *x, *y, *c; /* c NULL: all 1 */
    double *shift, *factor;
    hsp_matrix *matrix;
    hsp_design *design;
} rows;

static const hsp_rules RULES = {.keep = HSP_KEEP_BEST,
                                .seed = 1,
                                .max_epochs = 300,
                                .max_updates = -1,
                                .max_steps = -1,
                                .max_seconds = -1,
                                .tol = 1e-9,
                                .tol_given = true};

static void store(rows *s) {
    int64_t stored = 0;
    s->matrix = malloc(sizeof *s->matrix);
    *s->matrix = (hsp_matrix){.n = s->n, .d = s->d, .dtype = HSP_FLOAT64};
    double *value = s->matrix->value = hsp_alloc(s->n * s->d + 1, sizeof *value);
    s->matrix->row = hsp_alloc(s->n + 1, sizeof *s->matrix->row);
    s->matrix->id = hsp_alloc(s->n * s->d + 1, sizeof *s->matrix->id);
    for (int64_t i = 0; i < s->n; i++) {
        s->matrix->row[i] = stored;
        for (int64_t j = 0; j < s->d; j++) {
            if (s->x[i * s->d + j] == 0) continue;
            s->matrix->id[stored] = (uint32_t)j;
            value[stored++] = s->x[i * s->d + j];
        }
    }
    s->matrix->row[s->n] = s->matrix->stored = s->matrix->nonzeros = stored;
    assert_int_equal(hsp_design_new(s->matrix, s->shift, s->factor, 1, &s->design, NULL), 0);
    for (int64_t x = 0; s->factor && x < s->n * s->d; x++)
        s->x[x] = (s->x[x] - (s->shift ? s->shift[x % s->d] : 0)) * s->factor[x % s->d];
}

/* Columns are rarer and rarer, some of them equal; signs follow a few of them. */
static rows make(int64_t n, int64_t d, bool scaled, uint64_t seed) {
    rows s = {.n = n, .d = d};
    hsp_rng g = hsp_rng_new(seed, 0);
    s.x = calloc((size_t)(n * d), sizeof *s.x);
    s.y = calloc((size_t)n, sizeof *s.y);
    for (int64_t i = 0; i < n; i++) {
        double sum = 0.3 * hsp_rng_normal(&g);
        for (int64_t j = 0; j < d; j++) {
            double v = hsp_rng_uniform(&g) < 3 / (3 + 0.05 * (double)j) ? 0.5 + hsp_rng_uniform(&g) : 0;
            if (j % 11 == 5) v = s.x[i * d + j - 1]; /* twins */
            s.x[i * d + j] = v;
            sum += v * (j < 40 ? j % 2 ? 1 : -1 : 0);
        }
        s.y[i] = sum > 0 ? 1 : -1;
    }
    if (scaled) {
        s.shift = calloc((size_t)d, sizeof *s.shift);
        s.factor = calloc((size_t)d, sizeof *s.factor);
        for (int64_t j = 0; j < d; j++) {
            s.shift[j] = 0.1 * (double)(j % 7);
            s.factor[j] = 1 + 0.2 * (double)(j % 4);
        }
    }
    store(&s);
    return s;
}

static void forget(rows *s) {
    hsp_design_free(s->design);
    hsp_matrix_clear(s->matrix);
    free(s->matrix);
}

static void drop(rows *s) {
    forget(s);
    free(s->x);
    free(s->y);
    free(s->c);
    free(s->shift);
    free(s->factor);
}

static hsp_problem *pose(const rows *s, const hsp_loss *loss, double C, double ratio, hsp_intercept intercept) {
    hsp_problem_spec spec = {
        .loss = loss, .penalty = hsp_penalty_find("elastic"), .C = C, .lambda = NAN, .l1_ratio = ratio};
    hsp_problem *p = NULL;
    spec.intercept = intercept;
    spec.c = s->c;
    assert_int_equal(hsp_problem_new(s->design, &spec, &p, NULL), 0);
    memcpy(p->y, s->y, (size_t)s->n * sizeof *p->y);
    return p;
}

static hsp_point *new_point(const rows *s) {
    hsp_point *point = NULL;
    assert_int_equal(hsp_point_new(1, s->d, &point, NULL), 0);
    assert_int_equal(hsp_point_add_alpha(point, s->n, NULL), 0);
    return point;
}

static hsp_outcome run(hsp_problem *p, const hsp_rules *rules, hsp_point *point) {
    hsp_outcome outcome;
    assert_int_equal(
        hsp_run(&hsp_solver_prox_newton, p, rules, (hsp_run_place){.problems = 1}, NULL, point, &outcome, NULL), 0);
    return outcome;
}

/* The largest violation of the conditions of optimality, in units of lambda, from the plain numbers. */
static double violation(const rows *s, const hsp_problem *p, const hsp_point *point) {
    double top = 0, gb = 0, *g = calloc((size_t)s->d, sizeof *g);
    for (int64_t i = 0; i < s->n; i++) {
        double score = point->b[0], slope, value;
        for (int64_t j = 0; j < s->d; j++) score += point->w[j] * s->x[i * s->d + j];
        p->loss->batch(p->loss, s->y + i, &score, 1, 1, HSP_KINK_OPEN, &value, &slope);
        slope *= (s->c ? s->c[i] : 1) / p->sum_c;
        for (int64_t j = 0; j < s->d; j++) g[j] += slope * s->x[i * s->d + j];
        gb += slope;
    }
    for (int64_t j = 0; j < s->d; j++) {
        double w = point->w[j], t = p->lambda * p->rho, slant = g[j] + p->lambda * (1 - p->rho) * w;
        top = fmax(top, w > 0 ? fabs(slant + t) : w < 0 ? fabs(slant - t) : fabs(slant) - t);
    }
    if (p->intercept == HSP_INTERCEPT_PENALISED) gb += p->lambda * point->b[0];
    if (p->intercept != HSP_INTERCEPT_NONE) top = fmax(top, fabs(gb));
    free(g);
    return top / p->lambda;
}

static const hsp_loss *const LOSSES[] = {&hsp_loss_logistic, &hsp_loss_squared_hinge, &hsp_loss_squared};

/* Wide rows, and so many of them that products go by rows; every loss, intercept, share of L1 and size of C. */
static void meets_the_conditions(void **state) {
    (void)state;
    const double Cs[] = {0.01, 0.3, 30};
    for (int shape = 0; shape < 4; shape++) {
        rows s = make(shape < 2 ? 90 : 2400, shape < 2 ? 1300 : 1030, shape % 2, 3 + (uint64_t)shape);
        for (int c = 0; c < 27; c += shape < 2 ? 1 : 5) {
            hsp_problem *p = pose(&s, LOSSES[c % 3], Cs[c / 3 % 3], c % 2 ? 1 : 0.8, (hsp_intercept)(c / 9));
            hsp_point *point = new_point(&s);
            hsp_outcome outcome = run(p, &RULES, point);
            assert_true(outcome.gap <= 1e-9);
            assert_true(violation(&s, p, point) <= 1e-3);
            hsp_evaluation at = hsp_problem_evaluate(p, point->w, point->b); /* what it said it knew */
            assert_true(fabs(at.objective - outcome.end.objective) <= 1e-12 * at.objective);
            assert_true(fabs(at.error - outcome.end.error) <= 1e-12 || p->regression);
            double bound = hsp_problem_dual_of(p, point->alpha);
            assert_true(fabs(bound - outcome.dual_bound) <= 1e-9 * at.objective);
            hsp_point_free(point);
            hsp_problem_free(p);
        }
        drop(&s);
    }
}

/* All weights may move at once, and none stops at zero. */
static void without_an_l1_part(void **state) {
    (void)state;
    for (int c = 0; c < 9; c++) {
        rows s = make(90, 1300, c % 2, 51);
        hsp_problem *p = pose(&s, LOSSES[c % 3], 0.3, 0, (hsp_intercept)(c / 3));
        hsp_point *point = new_point(&s);
        hsp_outcome outcome = run(p, &RULES, point);
        assert_true(outcome.gap <= 1e-9);
        assert_true(violation(&s, p, point) <= 1e-3);
        hsp_point_free(point);
        hsp_problem_free(p);
        drop(&s);
    }
}

/* From the optimum of a penalty a little larger few columns have to be looked at, and few steps taken; from the optimum
 * itself none. */
static void warm_starts(void **state) {
    (void)state;
    rows s = make(120, 1500, false, 21);
    hsp_problem *p = pose(&s, &hsp_loss_logistic, 3, 1, HSP_INTERCEPT_FREE);
    hsp_problem *q = pose(&s, &hsp_loss_logistic, 2.7, 1, HSP_INTERCEPT_FREE);
    hsp_point *cold = new_point(&s), *warm = new_point(&s);
    hsp_outcome from_zero = run(p, &RULES, cold), before = run(q, &RULES, warm), from_near = run(p, &RULES, warm);
    assert_true(from_zero.gap <= 1e-9 && before.gap <= 1e-9 && from_near.gap <= 1e-9);
    assert_true(from_near.steps < from_zero.steps && from_near.updates < from_zero.updates);
    assert_true(fabs(from_near.end.objective - from_zero.end.objective) <= 2e-9 * from_zero.end.objective);
    hsp_rules loose = RULES;
    loose.tol = 1e-6;
    hsp_outcome again = run(p, &loose, warm);
    assert_true(again.gap <= 1e-6 && again.updates == 0 && again.epochs == 1);
    hsp_point_free(cold);
    hsp_point_free(warm);
    hsp_problem_free(p);
    hsp_problem_free(q);
    drop(&s);
}

/* A start with weights where the optimum can have none; and one far away, where the curvature is gone. */
static void poor_starts(void **state) {
    (void)state;
    rows s = make(100, 1200, false, 31);
    hsp_problem *p = pose(&s, &hsp_loss_logistic, 0.1, 1, HSP_INTERCEPT_FREE);
    for (int c = 0; c < 2; c++) {
        hsp_point *point = new_point(&s);
        hsp_rng g = hsp_rng_new(5, 5);
        for (int64_t j = 0; j < s.d; j++) point->w[j] = (c ? 100 : 0.1) * hsp_rng_normal(&g);
        point->b[0] = c ? 1e4 : 0;
        hsp_outcome outcome = run(p, &RULES, point);
        assert_true(outcome.gap <= 1e-9);
        assert_true(violation(&s, p, point) <= 1e-3);
        hsp_point_free(point);
    }
    hsp_problem_free(p);
    drop(&s);
}

/* Those that the sum of their sizes rules out, and no others. */
static void light_columns_are_left_out(void **state) {
    (void)state;
    for (int scaled = 0; scaled < 2; scaled++) {
        rows s = make(80, 1100, scaled, 41);
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
        drop(&s);
    }
}

/* C so small that no column can enter: there is none in the copy at all. */
static void nothing_enters(void **state) {
    (void)state;
    rows s = make(60, 1050, false, 51);
    s.c = calloc((size_t)s.n, sizeof *s.c);
    for (int64_t i = 0; i < s.n; i++) s.c[i] = i % 5 ? 1 : 0;
    hsp_problem *p = pose(&s, &hsp_loss_logistic, 1e-5, 1, HSP_INTERCEPT_FREE);
    hsp_point *point = new_point(&s);
    hsp_outcome outcome = run(p, &RULES, point);
    double plus = 0, minus = 0;
    for (int64_t i = 0; i < s.n; i++) *(s.y[i] > 0 ? &plus : &minus) += s.c[i];
    for (int64_t j = 0; j < s.d; j++) assert_true(point->w[j] == 0);
    assert_true(fabs(point->b[0] - log(plus / minus)) <= 1e-9);
    assert_true(outcome.gap <= 1e-9);
    hsp_point_free(point);
    hsp_problem_free(p);
    drop(&s);
}

/* One class, one row, rows and columns of zeros, numbers of 1e+-150, all weights of a class 0: an end, and a finite one. */
static void poor_data(void **state) {
    (void)state;
    for (int c = 0; c < 6; c++) {
        rows s = make(c == 1 ? 1 : 40, 1010, false, 61);
        forget(&s);
        for (int64_t x = 0; x < s.n * s.d; x++) {
            if (c == 2) s.x[x] = 0;
            if (c == 3) s.x[x] *= x % 2 ? 1e150 : 1e-150;
            if (c == 5) s.x[x] *= 1e-310; /* denormal */
        }
        for (int64_t i = 0; c == 0 && i < s.n; i++) s.y[i] = 1;
        if (c == 4) s.c = calloc((size_t)s.n, sizeof *s.c);
        for (int64_t i = 0; c == 4 && i < s.n; i++) s.c[i] = s.y[i] > 0;
        store(&s);
        for (int l = 0; l < 3; l++) {
            hsp_problem *p = pose(&s, LOSSES[l], 1, 1, HSP_INTERCEPT_FREE);
            hsp_point *point = new_point(&s);
            hsp_rules rules = RULES;
            rules.max_epochs = 60;
            hsp_outcome outcome = run(p, &rules, point);
            assert_true(isfinite(outcome.end.objective) && isfinite(point->b[0]));
            for (int64_t j = 0; j < s.d; j++) assert_true(isfinite(point->w[j]));
            assert_true(!(outcome.dual_bound > outcome.end.objective * (1 + 1e-12)));
            hsp_point_free(point);
            hsp_problem_free(p);
        }
        drop(&s);
    }
}

/* Columns times 1e+-6. */
static void unlike_columns(void **state) {
    (void)state;
    rows s = make(150, 1020, false, 71);
    forget(&s);
    for (int64_t x = 0; x < s.n * s.d; x++) s.x[x] *= x % s.d % 3 == 0 ? 1e6 : x % s.d % 3 == 1 ? 1e-6 : 1;
    store(&s);
    for (int c = 0; c < 3; c++) {
        hsp_problem *p = pose(&s, &hsp_loss_logistic, c == 0 ? 0.01 : c == 1 ? 1 : 100, 1, HSP_INTERCEPT_FREE);
        hsp_point *point = new_point(&s);
        hsp_rules rules = RULES;
        rules.tol = 1e-6;
        assert_true(run(p, &rules, point).gap <= 1e-6);
        hsp_point_free(point);
        hsp_problem_free(p);
    }
    drop(&s);
}

static void threads_do_not_matter(void **state) {
    (void)state;
    rows s = make(3000, 1100, false, 81);
    hsp_problem *p = pose(&s, &hsp_loss_logistic, 1, 1, HSP_INTERCEPT_FREE);
    hsp_point *one = new_point(&s), *three = new_point(&s);
    hsp_rules rules = RULES;
    rules.tol = 1e-6;
    run(p, &rules, one);
    s.design->threads = 3;
    run(p, &rules, three);
    assert_memory_equal(one->w, three->w, (size_t)s.d * sizeof(double));
    assert_memory_equal(one->b, three->b, sizeof(double));
    assert_memory_equal(one->alpha, three->alpha, (size_t)s.n * sizeof(double));
    hsp_point_free(one);
    hsp_point_free(three);
    hsp_problem_free(p);
    drop(&s);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    rows s = make(60, 1010, true, 91);
    hsp_problem *p = pose(&s, &hsp_loss_logistic, 30, 1, HSP_INTERCEPT_FREE);
    hsp_rules rules = RULES;
    rules.max_epochs = 12;
    bool reached = false;
    for (int64_t k = 0; !reached; k++) {
        hsp_point *point = new_point(&s);
        hsp_outcome outcome;
        hsp_memory_fail_after(k);
        int status =
            hsp_run(&hsp_solver_prox_newton, p, &rules, (hsp_run_place){.problems = 1}, NULL, point, &outcome, NULL);
        reached = hsp_memory_calls() <= k;
        hsp_memory_fail_after(-1);
        assert_true(status == HSP_OK || status == HSP_EMEMORY);
        assert_true(k < 1000);
        hsp_point_free(point);
    }
    hsp_problem_free(p);
    drop(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(meets_the_conditions),
                                       cmocka_unit_test(without_an_l1_part),
                                       cmocka_unit_test(warm_starts),
                                       cmocka_unit_test(poor_starts),
                                       cmocka_unit_test(light_columns_are_left_out),
                                       cmocka_unit_test(nothing_enters),
                                       cmocka_unit_test(poor_data),
                                       cmocka_unit_test(unlike_columns),
                                       cmocka_unit_test(threads_do_not_matter),
                                       cmocka_unit_test(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
