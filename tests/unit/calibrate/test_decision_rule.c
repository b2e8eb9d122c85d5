/* Decision rules: their text, and thresholds against brute force. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/rng.h"
#include "calibrate/decision_rule.h"

#include <math.h>
#include <string.h>

static hsp_decision_rule rule_of(const char *text) {
    hsp_decision_rule rule;
    hsp_error *err = NULL;
    if (hsp_decision_parse(text, &rule, &err)) fail_msg("%s", hsp_error_message(err));
    return rule;
}

static void test_text(void **state) {
    (void)state;
    assert_int_equal(rule_of(NULL).kind, HSP_DECIDE_AUTO);
    assert_int_equal(rule_of("auto").kind, HSP_DECIDE_AUTO);
    assert_true(rule_of("0.3").kind == HSP_DECIDE_ABOVE && rule_of("-1e2").x == -100);
    assert_string_equal(rule_of("best:balanced-accuracy").metric->member, "balanced_accuracy");
    hsp_decision_rule cost = rule_of("cost:1,4.5");
    assert_true(cost.kind == HSP_DECIDE_COST && cost.fp == 1 && cost.fn == 4.5);
    assert_true(rule_of("recall:1").x == 1);
    assert_true(hsp_decision_is_fixed(&cost, true) && !hsp_decision_is_fixed(&cost, false));
    assert_true(hsp_decision_fixed(&cost) == 1 / 5.5);
    static const char *const bad[] = {
        "",         "Auto",        "automatic",  "0.3x",      "nan",        "inf",      "best",     "best:",     "best:auc",
        "best:F1",  "best:f1 ",    "cost:1",     "cost:-1,1", "cost:1,-1",  "cost:0,0", "cost:1,2,3", "cost:,1", "cost:1,",
        "cost:a,b", "cost:1e308,1e308", "recall:", "recall:0", "recall:2", "recall:-1", "recall:x", "precision:0.9", "1,2"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        hsp_decision_rule rule;
        hsp_error *err = NULL;
        if (hsp_decision_parse(bad[i], &rule, &err) != HSP_EUSAGE) fail_msg("'%s' was accepted", bad[i]);
        assert_non_null(strstr(hsp_error_message(err), "--decide cannot be"));
        hsp_error_free(err);
    }
}

/* A probability is from 0 to 1; a score is any number. */
static void test_range(void **state) {
    (void)state;
    static const char *const out[] = {"-0.1", "1.5", "50"};
    for (int i = 0; i < 3; i++) {
        hsp_decision_rule rule = rule_of(out[i]);
        assert_int_equal(hsp_decision_check(&rule, true, NULL), HSP_EUSAGE);
        assert_int_equal(hsp_decision_check(&rule, false, NULL), HSP_OK);
    }
    for (double x = 0; x <= 1; x += 0.5) {
        const hsp_decision_rule rule = {.kind = HSP_DECIDE_ABOVE, .x = x};
        assert_int_equal(hsp_decision_check(&rule, true, NULL), HSP_OK);
    }
}

static double metric(const char *name, hsp_decision_counts c) {
    for (const hsp_decision_metric *m = hsp_decision_metrics; m->name; m++)
        if (strcmp(m->name, name) == 0) return m->value(&c);
    fail();
    return 0;
}

static void test_metrics(void **state) {
    (void)state;
    const hsp_decision_counts c = {.tp = 6, .fp = 2, .fn = 3, .tn = 9};
    assert_true(metric("accuracy", c) == 0.75);
    assert_true(fabs(metric("balanced-accuracy", c) - (6.0 / 9 + 9.0 / 11) / 2) < 1e-15);
    assert_true(fabs(metric("f1", c) - 12.0 / 17) < 1e-15);
    assert_true(fabs(metric("mcc", c) - (6 * 9 - 2 * 3) / sqrt(8.0 * 9 * 11 * 12)) < 1e-15);
    const hsp_decision_counts none = {.tn = 5};
    assert_true(isnan(metric("f1", none)) && isnan(metric("mcc", none)) && isnan(metric("balanced-accuracy", none)));
    const hsp_decision_counts all = {.tp = 5, .fp = 5};
    assert_true(metric("mcc", all) == 0);
}

enum { ROWS = 24 };

static double worth(const hsp_decision_rule *rule, const hsp_decision_rows *rows, double threshold) {
    hsp_decision_counts c = hsp_decision_count(rows, threshold);
    if (rule->kind == HSP_DECIDE_COST) return -(rule->fp * c.fp + rule->fn * c.fn);
    double v = rule->metric->value(&c);
    return isnan(v) ? -INFINITY : v;
}

/* No threshold at all is better, and of the equally good ones none is nearer to the default. */
static void check_best(const hsp_decision_rule *rule, const hsp_decision_rows *rows, double chosen) {
    double best = worth(rule, rows, chosen), standard = rows->of_probability ? 0.5 : 0;
    for (double t = rows->of_probability ? 0 : -5; t <= (rows->of_probability ? 1 : 5); t += 0.0101) {
        double v = worth(rule, rows, t);
        if (v > best + 1e-12) fail_msg("%g has %g, and %g has %g", chosen, best, t, v);
    }
    if (worth(rule, rows, standard) == best) assert_true(chosen == standard);
}

static void test_choice(void **state) {
    (void)state;
    static const char *const rules[] = {"best:accuracy", "best:balanced-accuracy", "best:f1",
                                        "best:mcc",      "cost:1,3",               "cost:5,1"};
    hsp_rng r = hsp_rng_new(3, 5);
    for (int trial = 0; trial < 300; trial++) {
        double level[ROWS], weight[ROWS];
        bool positive[ROWS], of_probability = trial % 2;
        for (int i = 0; i < ROWS; i++) {
            positive[i] = i == 0 || (i > 1 && hsp_rng_uniform(&r) < 0.4);
            double u = hsp_rng_uniform(&r) + (positive[i] ? 0.3 : 0);
            level[i] = round(20 * (of_probability ? fmin(u, 1) : 4 * u - 3)) / 20; /* some are equal */
            weight[i] = 1 + floor(3 * hsp_rng_uniform(&r));
        }
        const hsp_decision_rows rows = {.n = ROWS,
                                        .level = level,
                                        .positive = positive,
                                        .weight = trial % 3 ? weight : NULL,
                                        .of_probability = of_probability};
        for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
            hsp_decision_rule rule = rule_of(rules[i]);
            double threshold;
            assert_int_equal(hsp_decision_choose(&rule, &rows, &threshold, NULL), 0);
            check_best(&rule, &rows, threshold);
        }
        for (double x = 0.1; x <= 1; x += 0.15) { /* the highest: with one more row above it the recall is too low */
            hsp_decision_rule rule = {.kind = HSP_DECIDE_RECALL, .x = fmin(x, 1)};
            double threshold, next = INFINITY;
            assert_int_equal(hsp_decision_choose(&rule, &rows, &threshold, NULL), 0);
            hsp_decision_counts c = hsp_decision_count(&rows, threshold);
            assert_true(hsp_decision_recall(&c) >= rule.x);
            for (int k = 0; k < ROWS; k++)
                if (level[k] > threshold) next = fmin(next, level[k]);
            c = hsp_decision_count(&rows, next);
            assert_true(hsp_decision_recall(&c) < rule.x);
        }
    }
}

/* By hand: the middle between neighbours, the default where it lies between them, and beyond the ends. */
static void test_between(void **state) {
    (void)state;
    const double p[] = {0.1, 0.2, 0.6, 0.8};
    const bool y[] = {false, false, false, true};
    hsp_decision_rows rows = {.n = 4, .level = p, .positive = y, .of_probability = true};
    hsp_decision_rule best = rule_of("best:accuracy"), dear = rule_of("cost:0,1"), cheap = rule_of("cost:1,0");
    double t;
    assert_int_equal(hsp_decision_choose(&best, &rows, &t, NULL), 0);
    assert_true(fabs(t - 0.7) < 1e-15);
    const bool early[] = {false, false, true, true};
    rows.positive = early;
    assert_int_equal(hsp_decision_choose(&best, &rows, &t, NULL), 0);
    assert_true(t == 0.5);
    const bool wrong[] = {true, false, false, false};
    rows.positive = wrong;
    assert_int_equal(hsp_decision_choose(&dear, &rows, &t, NULL), 0); /* all rows positive */
    assert_true(t == 0.05);
    assert_int_equal(hsp_decision_choose(&cheap, &rows, &t, NULL), 0); /* none */
    assert_true(fabs(t - 0.9) < 1e-15);
    const double g[] = {-3, -1, 2, 2};
    rows.level = g, rows.of_probability = false;
    assert_int_equal(hsp_decision_choose(&cheap, &rows, &t, NULL), 0);
    assert_true(t == 3);
    assert_int_equal(hsp_decision_choose(&dear, &rows, &t, NULL), 0);
    assert_true(t == -4.5);
    const double zero[] = {0, 0, 1, 1};
    rows.level = zero, rows.of_probability = true;
    assert_int_equal(hsp_decision_choose(&dear, &rows, &t, NULL), 0); /* also rows of probability 0 */
    assert_true(t < 0);
    assert_int_equal(hsp_decision_choose(&cheap, &rows, &t, NULL), 0);
    assert_true(t == 1);
}

static void test_memory(void **state) {
    (void)state;
    const double p[] = {0.1, 0.9};
    const bool y[] = {false, true};
    const hsp_decision_rows rows = {.n = 2, .level = p, .positive = y, .of_probability = true};
    hsp_decision_rule best = rule_of("best:f1");
    double t;
    for (int64_t calls = 0; calls < 2; calls++) {
        hsp_memory_fail_after(calls);
        int status = hsp_decision_choose(&best, &rows, &t, NULL);
        hsp_memory_fail_after(-1);
        assert_int_equal(status, HSP_EMEMORY);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),   cmocka_unit_test(test_range),   cmocka_unit_test(test_metrics),
        cmocka_unit_test(test_choice), cmocka_unit_test(test_between), cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
