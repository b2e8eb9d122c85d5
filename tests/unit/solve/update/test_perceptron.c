/* The perceptron against a straightforward one, update for update, in every variant; Novikoff's bound; the pocket. */
#include "posed.h"
#include "solve/update/order.h"
#include "solve/loop/run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { N = 40, D = 4 }; /* 1/D is exact */

/* Small integers, so that every sum is exact and no rounding can turn a decision. */
static hsp_data *integers(uint64_t seed, bool separable) {
    static double x[N * D];
    static const char *labels[N];
    hsp_rng r = hsp_rng_new(seed, 0);
    for (int64_t i = 0; i < N; i++) {
        double g = 0;
        do {
            g = 1;
            for (int64_t j = 0; j < D; j++) {
                x[i * D + j] = (double)hsp_rng_below(&r, 21) - 10;
                g += x[i * D + j] * (double)(j + 1);
            }
        } while (g == 0);
        bool plus = separable ? g > 0 : hsp_rng_below(&r, 2) == 1;
        labels[i] = plus ? "1" : "-1";
    }
    hsp_data *data = NULL;
    assert_int_equal(hsp_data_from_dense(x, N, D, D, labels, NULL, &data, NULL), 0);
    return data;
}

typedef struct plain {
    double w[D], b, sum_w[D], sum_b;
    int64_t updates, steps, epochs;
    bool converged;
} plain;

static bool wrong(hsp_update_on rule, double y, double g) {
    if (rule == HSP_ON_NEGATIVE) return y * g < 0;
    if (rule == HSP_ON_MISMATCH) return y != (g > 0 ? 1 : -1);
    return y * g <= 0;
}

/* The algorithm as the textbook has it, stopping after most_updates. */
static plain textbook(const posed *p, const hsp_rules *rules, int64_t most_updates) {
    plain s = {.b = 0};
    hsp_order order;
    if (rules->start == HSP_START_ONE_OVER_D)
        for (int j = 0; j < D; j++) s.w[j] = 1.0 / D;
    assert_int_equal(hsp_order_init(&order, rules->order, N, rules->seed, 1, NULL), 0);
    while (!s.converged && s.epochs < rules->max_epochs) {
        int64_t mistakes = 0;
        for (int64_t visit = 0; visit < N; visit++) {
            if (s.updates >= most_updates) goto done;
            int64_t i = hsp_order_next(&order);
            double x[D], g = s.b, y = p->problem->y[i];
            posed_row(p, i, x);
            for (int j = 0; j < D; j++) g += s.w[j] * x[j];
            if (wrong(rules->update_on, y, g)) {
                for (int j = 0; j < D; j++) s.w[j] += rules->rate * y * x[j];
                if (p->problem->intercept != HSP_INTERCEPT_NONE) s.b += rules->rate * y;
                s.updates++;
                mistakes++;
            }
            for (int j = 0; j < D; j++) s.sum_w[j] += s.w[j];
            s.sum_b += s.b;
            s.steps++;
        }
        hsp_order_wrap(&order);
        s.epochs++;
        s.converged = mistakes == 0;
    }
done:
    hsp_order_free(&order);
    return s;
}

static hsp_outcome run(posed *p, const hsp_rules *rules, hsp_point *point) {
    hsp_outcome out;
    hsp_run_start(p->problem, rules, 0, point);
    hsp_run_place place = {0, 1, "1"};
    assert_int_equal(hsp_run(&hsp_solver_perceptron, p->problem, rules, place, NULL, point, &out, NULL), 0);
    return out;
}

static hsp_rules rules_of(hsp_ordering order, hsp_update_on on, hsp_start start, double rate) {
    return (hsp_rules){.order = order,
                       .update_on = on,
                       .start = start,
                       .rate = rate,
                       .keep = HSP_KEEP_LAST,
                       .seed = 9,
                       .max_epochs = 200,
                       .max_updates = -1,
                       .max_steps = -1,
                       .max_seconds = -1,
                       .tol = -1};
}

static void compare_variant(posed *p, hsp_rules rules) {
    hsp_point *point = NULL;
    assert_int_equal(hsp_point_new(1, D, &point, NULL), 0);
    plain whole = textbook(p, &rules, INT64_MAX);
    for (int64_t k = 1; k <= whole.updates && k <= 60; k++) { /* update for update */
        hsp_rules cut = rules;
        cut.max_updates = k;
        plain expected = textbook(p, &cut, k);
        hsp_outcome out = run(p, &cut, point);
        for (int j = 0; j < D; j++) assert_true(point->w[j] == expected.w[j]);
        assert_true(point->b[0] == expected.b);
        assert_int_equal(out.updates, k);
    }
    hsp_outcome out = run(p, &rules, point);
    for (int j = 0; j < D; j++) assert_true(point->w[j] == whole.w[j]);
    assert_true(point->b[0] == whole.b);
    assert_int_equal(out.updates, whole.updates);
    assert_int_equal(out.steps, whole.steps);
    if (rules.order != HSP_ORDER_RANDOM) {
        assert_int_equal(out.epochs, whole.epochs);
        assert_int_equal(out.converged, whole.converged);
    }
    rules.keep = HSP_KEEP_AVERAGE;
    out = run(p, &rules, point);
    for (int j = 0; j < D; j++) assert_true(fabs(point->w[j] - whole.sum_w[j] / (double)whole.steps) < 1e-9);
    hsp_point_free(point);
}

static void every_variant_is_the_textbook_s(void **unused) {
    (void)unused;
    for (int separable = 0; separable < 2; separable++) {
        hsp_data *data = integers(3, separable);
        for (int intercept = 0; intercept < 2; intercept++)
            for (int order = 0; order < 2; order++)
                for (int on = 0; on < 3; on++)
                    for (int start = 0; start < 2; start++) {
                        posed p;
                        hsp_problem_spec spec = {.loss = &hsp_loss_perceptron,
                                                 .penalty = hsp_penalty_find("none"),
                                                 .intercept = (hsp_intercept)intercept,
                                                 .C = NAN,
                                                 .lambda = NAN};
                        assert_int_equal(posed_make(&p, data, "none", &spec), 0);
                        compare_variant(&p, rules_of((hsp_ordering)order, (hsp_update_on)on, (hsp_start)start, 0.5));
                        posed_free(&p);
                    }
        hsp_data_free(data);
    }
}

static void posed_perceptron(posed *p, hsp_data *data, hsp_intercept intercept) {
    hsp_problem_spec spec = {
        .loss = &hsp_loss_perceptron, .penalty = hsp_penalty_find("none"), .intercept = intercept, .C = NAN, .lambda = NAN};
    assert_int_equal(posed_make(p, data, "none", &spec), 0);
}

/* Separable data: a full pass without a mistake, and no more updates than Novikoff allows, at any rate. */
static void novikoff_holds_on_separable_data(void **unused) {
    (void)unused;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        hsp_data *data = integers(seed, true);
        posed p;
        posed_perceptron(&p, data, HSP_INTERCEPT_FREE);
        hsp_point *point = NULL;
        assert_int_equal(hsp_point_new(1, D, &point, NULL), 0);
        int64_t updates = -1;
        for (int e = -3; e <= 3; e++) { /* powers of two: the same decisions at every rate */
            hsp_rules rules = rules_of(HSP_ORDER_CYCLIC, HSP_ON_NONPOSITIVE, HSP_START_ZERO, ldexp(1, e));
            rules.keep = HSP_KEEP_BEST;
            rules.max_epochs = 100000;
            hsp_outcome out = run(&p, &rules, point);
            assert_true(out.converged && out.end.error == 0);
            assert_string_equal(out.stop, "no-mistakes");
            assert_true(updates < 0 || updates == out.updates);
            updates = out.updates;
            double R2 = 0, gamma = INFINITY, norm = point->b[0] * point->b[0];
            for (int j = 0; j < D; j++) norm += point->w[j] * point->w[j];
            for (int64_t i = 0; i < N; i++) {
                double x[D], q = 1, g = point->b[0];
                posed_row(&p, i, x);
                for (int j = 0; j < D; j++) {
                    q += x[j] * x[j];
                    g += x[j] * point->w[j];
                }
                R2 = fmax(R2, q);
                gamma = fmin(gamma, p.problem->y[i] * g / sqrt(norm));
            }
            assert_true(gamma > 0 && (double)updates <= R2 / (gamma * gamma));
        }
        hsp_point_free(point);
        posed_free(&p);
        hsp_data_free(data);
    }
}

/* Not separable: not converged, and the best weights are no worse than the last or the average of the same run. */
static void the_pocket_keeps_the_best(void **unused) {
    (void)unused;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        hsp_data *data = integers(seed, false);
        posed p;
        posed_perceptron(&p, data, HSP_INTERCEPT_FREE);
        hsp_point *point = NULL;
        assert_int_equal(hsp_point_new(1, D, &point, NULL), 0);
        double error[3];
        for (int keep = 0; keep < 3; keep++) {
            hsp_rules rules = rules_of(HSP_ORDER_SHUFFLE, HSP_ON_NONPOSITIVE, HSP_START_ZERO, 1);
            rules.keep = (hsp_keep)keep;
            hsp_outcome out = run(&p, &rules, point);
            assert_false(out.converged);
            assert_string_equal(out.stop, "max-epochs");
            error[keep] = out.end.error;
        }
        assert_true(error[HSP_KEEP_BEST] <= error[HSP_KEEP_LAST]);
        hsp_point_free(point);
        posed_free(&p);
        hsp_data_free(data);
    }
}

static void limits_are_kept_exactly(void **unused) {
    (void)unused;
    hsp_data *data = integers(2, false);
    posed p;
    posed_perceptron(&p, data, HSP_INTERCEPT_FREE);
    hsp_point *point = NULL;
    assert_int_equal(hsp_point_new(1, D, &point, NULL), 0);
    hsp_rules rules = rules_of(HSP_ORDER_CYCLIC, HSP_ON_NONPOSITIVE, HSP_START_ZERO, 1);
    rules.max_steps = 2 * N + 7;
    hsp_outcome out = run(&p, &rules, point);
    assert_string_equal(out.stop, "max-steps");
    assert_int_equal(out.steps, 2 * N + 7);
    assert_int_equal(out.epochs, 2);
    rules.max_steps = -1;
    rules.max_epochs = 0;
    out = run(&p, &rules, point);
    assert_string_equal(out.stop, "max-epochs");
    assert_int_equal(out.updates, 0);
    rules.max_epochs = -1;
    rules.max_seconds = 0.02;
    out = run(&p, &rules, point);
    assert_string_equal(out.stop, "max-seconds");
    hsp_point_free(point);
    posed_free(&p);
    hsp_data_free(data);
}

/* Drawn rows: converged only when all rows are right, not when a lucky draw met none of the wrong ones. */
static void a_lucky_epoch_of_draws_is_not_convergence(void **unused) {
    (void)unused;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        hsp_data *data = integers(seed, true);
        posed p;
        posed_perceptron(&p, data, HSP_INTERCEPT_FREE);
        hsp_point *point = NULL;
        assert_int_equal(hsp_point_new(1, D, &point, NULL), 0);
        hsp_rules rules = rules_of(HSP_ORDER_RANDOM, HSP_ON_NONPOSITIVE, HSP_START_ZERO, 1);
        rules.max_epochs = 100000;
        hsp_outcome out = run(&p, &rules, point);
        assert_true(out.converged && out.end.error == 0);
        hsp_point_free(point);
        posed_free(&p);
        hsp_data_free(data);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_variant_is_the_textbook_s),
        cmocka_unit_test(novikoff_holds_on_separable_data),
        cmocka_unit_test(the_pocket_keeps_the_best),
        cmocka_unit_test(limits_are_kept_exactly),
        cmocka_unit_test(a_lucky_epoch_of_draws_is_not_convergence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
