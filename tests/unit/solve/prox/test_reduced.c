/* The problem on some columns: it ends where the ways without working sets and without screening end, on a single lambda and
 * on a path; its bounds are those of feasible multipliers. */
#include "base/rng.h"
#include "design/columns.h"
#include "design/gram.h"
#include "design/narrow.h"
#include "solve/prox/gram_model.h"
#include "solve/prox/prox_newton.h"
#include "solve/prox/prox_path.h"
#include "solve/prox/prox_sample.h"
#include "solve/prox/reduced.h"

static const hsp_rules RULES = {
    .seed = 1, .max_epochs = 500, .max_updates = -1, .max_steps = -1, .max_seconds = -1, .tol = 1e-9};

static prox_sample make(int64_t n, int64_t d, bool dense, bool scaled, uint64_t seed) {
    prox_sample s = {.n = n, .d = d, .K = 1};
    hsp_rng g = hsp_rng_new(seed, 0);
    s.x = calloc((size_t)(n * d), sizeof *s.x);
    s.y = calloc((size_t)n, sizeof *s.y);
    s.c = calloc((size_t)n, sizeof *s.c);
    for (int64_t i = 0; i < n; i++) {
        double sum = 0.5 * hsp_rng_normal(&g);
        for (int64_t j = 0; j < d; j++) {
            double v = dense || hsp_rng_uniform(&g) < 0.2 ? hsp_rng_normal(&g) : 0;
            if (j % 13 == 7) v = 0.7 * s.x[i * d + j - 1] + 0.3 * v; /* correlated */
            s.x[i * d + j] = v;
            sum += j < 12 ? (j % 2 ? v : -v) : 0;
        }
        s.y[i] = sum > 0 ? 1 : -1;
        s.c[i] = i % 7 == 0 ? 0 : i % 3 == 0 ? 2.5 : 1;
    }
    store_scaled(&s, dense, scaled);
    return s;
}

/* Squared hinge is not solved this way, as its curvature jumps. */
static const hsp_loss *const LOSSES[] = {&hsp_loss_logistic, &hsp_loss_squared_hinge, &hsp_loss_squared};

static hsp_problem *pose(const prox_sample *s, int k, double rho, double lambda, hsp_intercept intercept) {
    hsp_problem_spec spec = spec_of(s, LOSSES[k], "elastic", NAN, rho);
    spec.lambda = lambda;
    spec.intercept = intercept;
    return pose_rows(s, &spec);
}

/* Steps until the gap is within the tolerance; the gap. */
static double solve(hsp_prox *s, hsp_problem *p, hsp_prox_way way, const double *start) {
    hsp_budget budget = {.max_updates = INT64_MAX, .max_steps = INT64_MAX, .deadline = INFINITY};
    assert_int_equal(hsp_prox_open(s, p, &RULES, way, start, start + p->design->d, NULL), 0);
    double gap = INFINITY;
    for (int k = 0; k < 200 && !(gap <= RULES.tol); k++) {
        hsp_step step = hsp_prox_step(s, &budget);
        assert_true(step != HSP_STEP_FAILED && step != HSP_STEP_MEMORY);
        if (s->at.ready) gap = hsp_relative_gap(s->at.measured.at.objective, s->at.measured.bound);
    }
    return gap;
}

/* Every loss, intercept, L1 ratio, layout and scaling against the other ways. Of 40 columns all come in at once. */
static void ends_where_others_end(void **state) {
    (void)state;
    for (int c = 0; c < 36; c++) {
        bool dense = c % 2;
        prox_sample s = make(60, c < 12 ? 150 : c < 24 ? 400 : 40, dense, c / 2 % 2, 5 + (uint64_t)c);
        double rho = c % 5 ? 1 : 0.7, lambda = c % 3 ? 0.02 : 0.005, *zero = calloc((size_t)s.d + 1, sizeof *zero);
        hsp_intercept intercept = c % 4 == 3 ? HSP_INTERCEPT_NONE : HSP_INTERCEPT_FREE;
        hsp_problem *p = pose(&s, c % 3, rho, lambda, intercept), *q = pose(&s, c % 3, rho, lambda, intercept);
        hsp_prox reduced, other;
        assert_true(solve(&reduced, p, c % 3 == 1 ? HSP_PROX_AUTO : HSP_PROX_REDUCED, zero) <= 1e-9);
        assert_true(solve(&other, q, dense ? HSP_PROX_MATRIX : HSP_PROX_COLUMNS, zero) <= 1e-9);
        double P = reduced.at.measured.at.objective;
        assert_true(fabs(P - other.at.measured.at.objective) <= 2e-9 * P);
        if (c % 3 != 1)
            assert_true(reduced.reduced && (reduced.reduced->narrow.count < s.d) == (c < 24)); /* some were never in */
        hsp_point point = {.outputs = 1, .d = s.d, .w = reduced.at.w, .b = reduced.at.b};
        assert_true(violation(&s, p, &point) <= 1e-3);
        double *r = calloc((size_t)s.n, sizeof *r); /* the bound again, from the multipliers that prove it */
        memcpy(r, reduced.at.alpha, (size_t)s.n * sizeof *r);
        assert_true(fabs(hsp_problem_dual_of(p, r) - reduced.at.measured.bound) <= 1e-9 * P);
        free(r);
        hsp_prox_close(&reduced);
        hsp_prox_close(&other);
        hsp_problem_free(p);
        hsp_problem_free(q);
        free_rows(&s);
        free(zero);
    }
}

/* A path with working sets and predictions against runs without either, at each lambda. */
static void paths_lose_no_column(void **state) {
    (void)state;
    enum { L = 25 };
    for (int c = 0; c < 6; c++) {
        prox_sample s = make(80, 260, c % 2, false, 31 + (uint64_t)c);
        double rho = c == 4 ? 0.5 : 1, least = 0.002, *w = calloc((size_t)s.d + 1, sizeof *w);
        double *zero = calloc((size_t)s.d + 1, sizeof *zero), b;
        hsp_problem *p = pose(&s, c % 3, rho, least, HSP_INTERCEPT_FREE);
        hsp_prox_path *path = NULL;
        assert_true(hsp_reduced_suits(p, true) == (c % 3 != 1) && hsp_prox_path_suits(p));
        assert_int_equal(hsp_prox_path_new(p, &RULES, &path, NULL), 0);
        for (int i = 0; i < L; i++) {
            double lambda = least * pow(100, 1 - (double)i / (L - 1));
            hsp_path_end end;
            assert_int_equal(hsp_prox_path_solve(path, lambda, INFINITY, &end, NULL), 0);
            assert_true(end.stop == HSP_STOP_GAP && end.gap <= 1e-9 && end.gap >= -1e-12);
            hsp_prox_path_point(path, w, &b);
            if (i % 6) continue;
            hsp_problem *q = pose(&s, c % 3, rho, lambda, HSP_INTERCEPT_FREE);
            hsp_prox whole; /* all columns in one matrix: no working set, nothing is left out */
            assert_true(solve(&whole, q, HSP_PROX_MATRIX, zero) <= 1e-9);
            assert_true(fabs(end.at.objective - whole.at.measured.at.objective) <= 2e-9 * end.at.objective);
            for (int64_t j = 0; j < s.d; j++)
                if (fabs(whole.at.w[j]) > 1e-3) assert_true(w[j] * whole.at.w[j] > 0);
            hsp_evaluation at = hsp_problem_evaluate(q, w, &b);
            assert_true(fabs(at.objective - end.at.objective) <= 1e-12 * at.objective);
            hsp_prox_close(&whole);
            hsp_problem_free(q);
        }
        hsp_prox_path_free(path);
        hsp_problem_free(p);
        free_rows(&s);
        free(w);
        free(zero);
    }
}

/* A lasso of tall rows: few columns at a time, or all in a matrix once many want a weight. */
static void lasso_alone(void **state) {
    (void)state;
    for (int c = 0; c < 4; c++) {
        prox_sample s = make(300, 140, true, c % 2, 53 + (uint64_t)c);
        double lambda = c < 2 ? 0.1 : 0.002, *zero = calloc((size_t)s.d + 1, sizeof *zero);
        hsp_problem *p = pose(&s, 2, 1, lambda, HSP_INTERCEPT_FREE), *q = pose(&s, 2, 1, lambda, HSP_INTERCEPT_FREE);
        hsp_prox some, all;
        assert_true(hsp_reduced_suits(p, false));
        assert_true(solve(&some, p, HSP_PROX_AUTO, zero) <= 1e-9 && solve(&all, q, HSP_PROX_MATRIX, zero) <= 1e-9);
        assert_true((some.reduced != NULL) == (c < 2) && (some.gram != NULL) == (c >= 2));
        double P = some.at.measured.at.objective;
        assert_true(fabs(P - all.at.measured.at.objective) <= 2e-9 * P);
        assert_true(isfinite(some.at.measured.at.norm) && some.at.measured.at.norm > 0);
        hsp_prox_close(&some);
        hsp_prox_close(&all);
        hsp_problem_free(p);
        hsp_problem_free(q);
        free_rows(&s);
        free(zero);
    }
}

/* Columns that come in later keep the matrix of the others: it is that of all rows and columns, up to rounding. */
static void columns_added(void **state) {
    (void)state;
    for (int c = 0; c < 8; c++) {
        enum { N = 400, D = 200, BEFORE = 60, MORE = 5 };
        prox_sample s = make(N, D, true, c % 2, 101 + (uint64_t)c);
        if (c % 2 == 0 && c / 2 % 2) { /* far from 0 */
            for (int64_t i = 0; i < N * D; i++) s.x[i] += 5 + (double)(i % D) / 8;
            free_stored(&s);
            store_rows(&s, s.x, true);
        }
        double zero[D + 1] = {0}, *G = calloc((size_t)((BEFORE + MORE) * (BEFORE + MORE)), sizeof *G);
        hsp_narrow N1;
        assert_int_equal(hsp_narrow_new(s.design, &N1, NULL), 0);
        N1.grows = true;
        int64_t column[BEFORE + MORE];
        for (int64_t a = 0; a < BEFORE + MORE; a++) column[a] = a < BEFORE ? 3 * a + 1 : 6 * (a - BEFORE);
        assert_int_equal(hsp_narrow_room(&N1), 0);
        assert_int_equal(hsp_narrow_choose(&N1, column, BEFORE, NULL), 0);
        assert_true(hsp_narrow_room(&N1) >= MORE);
        hsp_intercept intercept = c >= 4 ? HSP_INTERCEPT_NONE : HSP_INTERCEPT_FREE;
        hsp_problem_spec spec = spec_of(&s, &hsp_loss_squared, "l1", NAN, 1);
        spec.lambda = 0.05;
        spec.intercept = intercept;
        hsp_problem *p = NULL, *q = NULL;
        hsp_prox few, all;
        hsp_budget budget = {.max_updates = INT64_MAX, .max_steps = INT64_MAX, .deadline = INFINITY};
        assert_int_equal(hsp_problem_new(N1.design, &spec, &p, NULL), 0);
        memcpy(p->y, s.y, N * sizeof *p->y);
        assert_int_equal(hsp_prox_open(&few, p, &RULES, HSP_PROX_MATRIX, zero, zero, NULL), 0);
        assert_int_equal(hsp_prox_step(&few, &budget), HSP_STEP_MORE);
        hsp_gram_model *known = few.gram;
        assert_true(known->based);
        few.gram = NULL;
        hsp_prox_close(&few);
        hsp_problem_free(p);
        assert_int_equal(hsp_narrow_add(&N1, column + BEFORE, MORE, NULL), 0);
        assert_int_equal(hsp_problem_new(N1.design, &spec, &q, NULL), 0);
        memcpy(q->y, s.y, N * sizeof *q->y);
        assert_int_equal(hsp_prox_open(&all, q, &RULES, HSP_PROX_MATRIX, zero, zero, NULL), 0);
        assert_int_equal(hsp_gram_model_extend(&all, known, BEFORE, NULL), 0);
        const double *centre = intercept == HSP_INTERCEPT_FREE ? all.gram->centre : NULL;
        assert_int_equal(hsp_design_gram(N1.design, known->used, centre, NULL, 1, G, NULL), 0);
        for (int64_t a = 0; a < BEFORE + MORE; a++)
            for (int64_t b = 0; b < BEFORE + MORE; b++) {
                double size = sqrt(G[a * (BEFORE + MORE + 1)] * G[b * (BEFORE + MORE + 1)]);
                assert_true(fabs(G[a * (BEFORE + MORE) + b] - all.gram->base[a * (BEFORE + MORE) + b]) <= 1e-11 * size);
            }
        hsp_gram_model_free(known);
        hsp_prox_close(&all);
        hsp_problem_free(q);
        hsp_narrow_clear(&N1);
        free_rows(&s);
        free(G);
    }
}

/* The narrow design multiplies as the columns of the whole one do, whether its numbers come from the rows or, when it has been
 * given, from a copy by columns. */
static void narrow_designs(void **state) {
    (void)state;
    for (int c = 0; c < 8; c++) {
        prox_sample s = make(50, 90, c % 2, c / 2 % 2, 77);
        hsp_narrow N;
        hsp_columns *columns = NULL;
        assert_int_equal(hsp_narrow_new(s.design, &N, NULL), 0);
        if (c >= 4) assert_int_equal(hsp_columns_new(s.design, false, &columns, NULL), 0);
        N.columns = columns;
        const int64_t sets[2][4] = {{3, 7, 20, 89}, {0, 7, 8, 9}};
        for (int k = 0; k < 2; k++) {
            assert_int_equal(hsp_narrow_choose(&N, sets[k], 4, NULL), 0);
            double w[4] = {1, -2, 0.5, 3}, r[50], got[50], sum[4];
            hsp_design_scores(N.design, w, 0.25, got);
            for (int i = 0; i < 50; i++) {
                double g = 0.25;
                for (int a = 0; a < 4; a++) g += w[a] * s.x[i * 90 + sets[k][a]];
                assert_true(fabs(g - got[i]) <= 1e-12 * (1 + fabs(g)));
                r[i] = sin(i);
            }
            hsp_design_adjoint(N.design, r, sum);
            for (int a = 0; a < 4; a++) {
                double g = 0;
                for (int i = 0; i < 50; i++) g += r[i] * s.x[i * 90 + sets[k][a]];
                assert_true(fabs(g - sum[a]) <= 1e-11);
                assert_int_equal(N.place[sets[k][a]], a);
            }
            N.grows = true;
        }
        assert_int_equal(N.place[3], -1);
        hsp_narrow_clear(&N);
        hsp_columns_free(columns);
        free_rows(&s);
    }
}

/* All weights 0 at the start of a path; columns of zeros; one column that is constant. */
static void degenerate(void **state) {
    (void)state;
    for (int c = 0; c < 3; c++) {
        prox_sample s = make(40, 210, true, false, 91);
        for (int64_t i = 0; i < s.n; i++)
            for (int64_t j = 0; j < s.d; j++)
                if (c == 1 || (c == 2 && j > 0)) s.x[i * s.d + j] = c == 1 ? 0 : 3;
        free_stored(&s);
        store_rows(&s, s.x, true);
        hsp_problem *p = pose(&s, 0, 1, 0.001, HSP_INTERCEPT_FREE);
        hsp_prox_path *path = NULL;
        hsp_path_end end;
        double *w = calloc((size_t)s.d, sizeof *w), b;
        assert_int_equal(hsp_prox_path_new(p, &RULES, &path, NULL), 0);
        for (double lambda = 10; lambda > 0.001; lambda /= 3) {
            assert_int_equal(hsp_prox_path_solve(path, lambda, INFINITY, &end, NULL), 0);
            hsp_prox_path_point(path, w, &b);
            assert_true(end.gap <= 1e-9 && isfinite(b));
            for (int64_t j = 0; j < s.d; j++) assert_true(isfinite(w[j]) && (lambda < 5 || w[j] == 0));
        }
        hsp_prox_path_free(path);
        hsp_problem_free(p);
        free_rows(&s);
        free(w);
    }
}

static void short_of_memory(void **state) {
    (void)state;
    prox_sample s = make(40, 70, false, false, 17);
    bool whole = false;
    for (int64_t k = 0; !whole; k++) {
        hsp_problem *p = pose(&s, 0, 1, 0.005, HSP_INTERCEPT_FREE);
        hsp_prox_path *path = NULL;
        hsp_path_end end;
        assert_true(k < 2000);
        hsp_memory_fail_after(k);
        int status = hsp_prox_path_new(p, &RULES, &path, NULL);
        for (double lambda = 0.05; !status && lambda > 0.004; lambda /= 1.5)
            status = hsp_prox_path_solve(path, lambda, INFINITY, &end, NULL);
        whole = hsp_memory_calls() <= k;
        hsp_memory_fail_after(-1);
        assert_true(status == HSP_OK || status == HSP_EMEMORY);
        hsp_prox_path_free(path);
        hsp_problem_free(p);
    }
    free_rows(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_where_others_end), cmocka_unit_test(paths_lose_no_column), cmocka_unit_test(narrow_designs),
        cmocka_unit_test(lasso_alone),           cmocka_unit_test(degenerate),           cmocka_unit_test(short_of_memory),
        cmocka_unit_test(columns_added),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
