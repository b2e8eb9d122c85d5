/* The perceptron against the textbook's, update by update, in every variant; Novikoff's bound; the pocket algorithm. */
#include "posed.h"
#include "solve/loop/run.h"
#include "solve/update/order.h"

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

/* The rows of integers(), posed, and a point for the runs; all owned. */
typedef struct perceptron_case {
    hsp_data *data;
    posed posed;
    hsp_point *point;
} perceptron_case;

static perceptron_case pose_integers(uint64_t seed, bool separable, hsp_intercept intercept) {
    perceptron_case s = {.data = integers(seed, separable)};
    hsp_problem_spec spec = {
        .loss = &hsp_loss_perceptron, .penalty = hsp_penalty_find("none"), .intercept = intercept, .C = NAN, .lambda = NAN};
    assert_int_equal(posed_make(&s.posed, s.data, "none", &spec), 0);
    assert_int_equal(hsp_point_new(1, D, &s.point, NULL), 0);
    return s;
}

static void free_case(perceptron_case *s) {
    hsp_point_free(s->point);
    posed_free(&s->posed);
    hsp_data_free(s->data);
}

static hsp_outcome run_perceptron(perceptron_case *s, const hsp_rules *rules) {
    hsp_outcome out;
    hsp_run_start(s->posed.problem, rules, 0, s->point);
    hsp_run_place place = {0, 1, "1"};
    assert_int_equal(hsp_run(&hsp_solver_perceptron, s->posed.problem, rules, place, NULL, s->point, &out, NULL), 0);
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

static void compare_variant(perceptron_case *s, hsp_rules rules) {
    const hsp_point *point = s->point;
    plain whole = textbook(&s->posed, &rules, INT64_MAX);
    for (int64_t k = 1; k <= whole.updates && k <= 60; k++) { /* update by update */
        hsp_rules cut = rules;
        cut.max_updates = k;
        plain expected = textbook(&s->posed, &cut, k);
        hsp_outcome out = run_perceptron(s, &cut);
        for (int j = 0; j < D; j++) assert_true(point->w[j] == expected.w[j]);
        assert_true(point->b[0] == expected.b);
        assert_int_equal(out.updates, k);
    }
    hsp_outcome out = run_perceptron(s, &rules);
    for (int j = 0; j < D; j++) assert_true(point->w[j] == whole.w[j]);
    assert_true(point->b[0] == whole.b);
    assert_int_equal(out.updates, whole.updates);
    assert_int_equal(out.steps, whole.steps);
    if (rules.order != HSP_ORDER_RANDOM) {
        assert_int_equal(out.epochs, whole.epochs);
        assert_int_equal(out.converged, whole.converged);
    }
    rules.keep = HSP_KEEP_AVERAGE;
    out = run_perceptron(s, &rules);
    for (int j = 0; j < D; j++) assert_true(fabs(point->w[j] - whole.sum_w[j] / (double)whole.steps) < 1e-9);
}

static void every_variant_agrees_with_the_textbook(void **unused) {
    (void)unused;
    for (int variant = 0; variant < 48; variant++) {
        bool separable = variant % 2, with_intercept = variant / 2 % 2 == 0;
        int order = variant / 4 % 2, on = variant / 8 % 3, start = variant / 24;
        perceptron_case s = pose_integers(3, separable, with_intercept ? HSP_INTERCEPT_FREE : HSP_INTERCEPT_NONE);
        compare_variant(&s, rules_of((hsp_ordering)order, (hsp_update_on)on, (hsp_start)start, 0.5));
        free_case(&s);
    }
}

/* Separable data: a full pass without a mistake, and no more updates than Novikoff's bound, at any learning rate. */
static void novikoff_holds_on_separable_data(void **unused) {
    (void)unused;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        perceptron_case s = pose_integers(seed, true, HSP_INTERCEPT_FREE);
        int64_t updates = -1;
        for (int e = -3; e <= 3; e++) { /* powers of two: the same decisions at every rate */
            hsp_rules rules = rules_of(HSP_ORDER_CYCLIC, HSP_ON_NONPOSITIVE, HSP_START_ZERO, ldexp(1, e));
            rules.keep = HSP_KEEP_BEST;
            rules.max_epochs = 100000;
            hsp_outcome out = run_perceptron(&s, &rules);
            assert_true(out.converged && out.end.error == 0);
            assert_string_equal(hsp_stop_name(out.stop), "no-mistakes");
            assert_true(updates < 0 || updates == out.updates);
            updates = out.updates;
            const hsp_point *point = s.point;
            double R2 = 0, gamma = INFINITY, norm = point->b[0] * point->b[0];
            for (int j = 0; j < D; j++) norm += point->w[j] * point->w[j];
            for (int64_t i = 0; i < N; i++) {
                double x[D], q = 1, g = point->b[0];
                posed_row(&s.posed, i, x);
                for (int j = 0; j < D; j++) {
                    q += x[j] * x[j];
                    g += x[j] * point->w[j];
                }
                R2 = fmax(R2, q);
                gamma = fmin(gamma, s.posed.problem->y[i] * g / sqrt(norm));
            }
            assert_true(gamma > 0 && (double)updates <= R2 / (gamma * gamma));
        }
        free_case(&s);
    }
}

/* Not separable: not converged, and the best weights are no worse than the last of the same run. */
static void the_pocket_keeps_the_best(void **unused) {
    (void)unused;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        perceptron_case s = pose_integers(seed, false, HSP_INTERCEPT_FREE);
        double error[3];
        for (int keep = 0; keep < 3; keep++) {
            hsp_rules rules = rules_of(HSP_ORDER_SHUFFLE, HSP_ON_NONPOSITIVE, HSP_START_ZERO, 1);
            rules.keep = (hsp_keep)keep;
            hsp_outcome out = run_perceptron(&s, &rules);
            assert_false(out.converged);
            assert_string_equal(hsp_stop_name(out.stop), "max-epochs");
            error[keep] = out.end.error;
        }
        assert_true(error[HSP_KEEP_BEST] <= error[HSP_KEEP_LAST]);
        free_case(&s);
    }
}

static void limits_are_kept_exactly(void **unused) {
    (void)unused;
    perceptron_case s = pose_integers(2, false, HSP_INTERCEPT_FREE);
    hsp_rules rules = rules_of(HSP_ORDER_CYCLIC, HSP_ON_NONPOSITIVE, HSP_START_ZERO, 1);
    rules.max_steps = 2 * N + 7;
    hsp_outcome out = run_perceptron(&s, &rules);
    assert_string_equal(hsp_stop_name(out.stop), "max-steps");
    assert_int_equal(out.steps, 2 * N + 7);
    assert_int_equal(out.epochs, 2);
    rules.max_steps = -1;
    rules.max_epochs = 0;
    out = run_perceptron(&s, &rules);
    assert_string_equal(hsp_stop_name(out.stop), "max-epochs");
    assert_int_equal(out.updates, 0);
    rules.max_epochs = -1;
    rules.max_seconds = 0.02;
    out = run_perceptron(&s, &rules);
    assert_string_equal(hsp_stop_name(out.stop), "max-seconds");
    free_case(&s);
}

/* Rows drawn at random: converged only when all rows are classified correctly, not when an epoch drew only such rows. */
static void a_lucky_epoch_of_draws_is_not_convergence(void **unused) {
    (void)unused;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        perceptron_case s = pose_integers(seed, true, HSP_INTERCEPT_FREE);
        hsp_rules rules = rules_of(HSP_ORDER_RANDOM, HSP_ON_NONPOSITIVE, HSP_START_ZERO, 1);
        rules.max_epochs = 100000;
        hsp_outcome out = run_perceptron(&s, &rules);
        assert_true(out.converged && out.end.error == 0);
        free_case(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_variant_agrees_with_the_textbook),
        cmocka_unit_test(novikoff_holds_on_separable_data),
        cmocka_unit_test(the_pocket_keeps_the_best),
        cmocka_unit_test(limits_are_kept_exactly),
        cmocka_unit_test(a_lucky_epoch_of_draws_is_not_convergence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
