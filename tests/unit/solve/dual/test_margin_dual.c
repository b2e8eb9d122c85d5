/* Dual coordinate descent: all kinds of programs to small gaps, a stall where it cannot converge, and then the exact
 * finish. */
#include "solve/margin/margin_sample.h"

static const hsp_intercept INTERCEPTS[] = {HSP_INTERCEPT_FREE, HSP_INTERCEPT_NONE, HSP_INTERCEPT_PENALISED};

static void reaches_the_best_face(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++)
        for (int k = 0; k < 3; k++) {
            sample s = sample_random(7, 3, 0.6, (sample_loss)(seed % 2), pow(10, (double)(seed % 4) - 3), seed % 3 == 0,
                                     INTERCEPTS[k], seed);
            double missing, gap;
            sample_design(&s, seed % 4 > 1, seed % 8 > 3, 1);
            hsp_step step = sample_run(&s, &hsp_margin_dual, false, 3000, &gap);
            assert_true(step != HSP_STEP_FAILED && step != HSP_STEP_MEMORY);
            double best = sample_brute(&s), D = sample_dual(&s, s.point.alpha, &missing);
            assert_true(D <= best + 1e-9 * fabs(best));
            assert_true(gap >= -1e-9);
            if (step != HSP_STEP_STALLED) assert_true(fabs(D - best) <= 1e-6 * fabs(best));
            sample_check(&s, fmax(1.0001 * gap, 1e-9));
            assert_int_equal(sample_run(&s, &hsp_margin_polish, true, 500, NULL), HSP_STEP_DONE);
            D = sample_dual(&s, s.point.alpha, &missing);
            assert_true(fabs(D - best) <= 1e-10 * fabs(best));
            sample_free(&s);
        }
}

/* More columns than rows, which suits it: it converges alone. */
static void converges_in_high_dimension(void **state) {
    (void)state;
    int count = 0;
    for (int loss = SAMPLE_HINGE; loss <= SAMPLE_HARD; loss++)
        for (int k = 0; k < 3; k++)
            for (int layout = 0; layout < 4; layout++, count++) {
                sample s = sample_random(60, 300, 0.3, (sample_loss)loss, pow(10, (double)(count % 4) - 2), count % 2,
                                         INTERCEPTS[k], 50 + (uint64_t)count);
                double gap;
                sample_design(&s, layout % 2, layout / 2, 1);
                hsp_step step = sample_run(&s, &hsp_margin_dual, false, 4000, &gap);
                assert_true(step == HSP_STEP_DONE || step == HSP_STEP_MORE);
                assert_true(gap <= 1e-9);
                if (loss != SAMPLE_HARD) sample_check(&s, 1e-8);
                assert_int_equal(sample_run(&s, &hsp_margin_polish, true, 100, NULL), HSP_STEP_DONE);
                sample_check(&s, 1e-10);
                sample_check_exact(&s);
                sample_free(&s);
            }
}

/* A row of weight m counts as m copies. */
static void a_weight_is_copies(void **state) {
    (void)state;
    double value[2];
    for (int copies = 0; copies < 2; copies++) {
        sample plain = sample_random(40, 5, 0.4, SAMPLE_HINGE, 0.1, false, HSP_INTERCEPT_FREE, 6);
        int64_t n = copies ? 60 : 40;
        double *x = calloc((size_t)(n * 5), sizeof *x), *y = calloc((size_t)n, sizeof *y), c[60];
        for (int64_t i = 0; i < n; i++) {
            int64_t from = i < 40 ? i : i - 40;
            memcpy(x + i * 5, plain.x + from * 5, 5 * sizeof *x);
            y[i] = plain.y[from];
            c[i] = !copies && i < 20 ? 2 : 1;
        }
        sample s = sample_of(x, y, n, 5, SAMPLE_HINGE, 0.1, c, HSP_INTERCEPT_FREE);
        sample_design(&s, false, false, 1);
        sample_run(&s, &hsp_margin_dual, false, 2000, NULL);
        sample_check(&s, 1e-3);
        assert_int_equal(sample_run(&s, &hsp_margin_polish, true, 100, NULL), HSP_STEP_DONE);
        value[copies] = sample_primal(&s);
        sample_free(&s);
        sample_free(&plain);
    }
    assert_true(fabs(value[0] - value[1]) <= 1e-11 * value[0]);
}

/* Columns of different scales and a large C: it stalls, long before 10000 epochs, and its point is still valid. */
static void stalls_where_it_cannot_converge(void **state) {
    (void)state;
    sample s = sample_random(300, 6, 0.3, SAMPLE_HINGE, 1e4, false, HSP_INTERCEPT_FREE, 12);
    for (int64_t e = 0; e < 300 * 6; e++) s.x[e] *= pow(10, (double)(e % 6) - 2);
    double gap;
    sample_design(&s, false, false, 1);
    assert_int_equal(sample_run(&s, &hsp_margin_dual, false, 10000, &gap), HSP_STEP_STALLED);
    assert_true(gap > 1e-6);
    sample_check(&s, 1.0001 * gap);
    /* From given multipliers the first epochs are not measured for a stall. */
    assert_int_equal(sample_run(&s, &hsp_margin_dual, true, 29, NULL), HSP_STEP_MORE);
    assert_int_equal(sample_run(&s, &hsp_margin_dual, true, 10000, NULL), HSP_STEP_STALLED);
    sample_free(&s);
}

static void degenerate_inputs_are_no_trouble(void **state) {
    (void)state;
    static const double Cs[] = {1e-8, 1, 1e8};
    for (int kind = 0; kind < 5; kind++)
        for (int loss = SAMPLE_HINGE; loss <= SAMPLE_SQUARED; loss++)
            for (int k = 0; k < 3; k++)
                for (int c = 0; c < 3; c++) {
                    sample s = sample_random(50, 4, 0.3, (sample_loss)loss, Cs[c], false, INTERCEPTS[k], 7);
                    for (int64_t i = 0; i < 50; i++) {
                        if (kind == 0) s.y[i] = -1;
                        for (int64_t j = 0; j < 4; j++) {
                            double *v = s.x + i * 4 + j;
                            *v = kind == 1 ? 0 : kind == 2 ? 3 : kind == 3 ? s.x[(i % 10) * 4 + j] : *v;
                            if (kind == 4) *v *= pow(10, 6 * ((double)(j % 3) - 1));
                        }
                    }
                    double gap;
                    sample_design(&s, false, false, 1);
                    hsp_step step = sample_run(&s, &hsp_margin_dual, false, 1000, &gap);
                    assert_true(step != HSP_STEP_FAILED && step != HSP_STEP_MEMORY);
                    assert_true(!isnan(gap));
                    sample_check(&s, fmax(1.0001 * gap, 1e-8));
                    sample_free(&s);
                }
}

/* A row of zeros without an intercept has no curvature. */
static void a_row_of_zeros_goes_to_its_bound(void **state) {
    (void)state;
    double *x = calloc(6, sizeof *x), *y = calloc(3, sizeof *y);
    x[0] = 1, x[2] = -1;
    y[0] = 1, y[1] = -1, y[2] = 1;
    sample s = sample_of(x, y, 3, 2, SAMPLE_HINGE, 0.25, NULL, HSP_INTERCEPT_NONE);
    sample_design(&s, true, false, 1);
    assert_int_equal(sample_run(&s, &hsp_margin_dual, false, 100, NULL), HSP_STEP_DONE);
    assert_true(s.point.alpha[2] == 0.25);
    sample_check(&s, 1e-12);
    sample_free(&s);
}

/* A warm start is used, and without an intercept no step decreases the dual by more than rounding. */
static void climbs(void **state) {
    (void)state;
    sample s = sample_random(80, 9, 0.3, SAMPLE_HINGE, 1, false, HSP_INTERCEPT_NONE, 21);
    double before = 0, missing;
    sample_design(&s, true, false, 1);
    for (int round = 0; round < 20; round++) {
        sample_run(&s, &hsp_margin_dual, round > 0, 1, NULL);
        double D = sample_dual(&s, s.point.alpha, &missing);
        assert_true(D >= before - 1e-12 * fabs(before));
        before = D;
    }
    sample_free(&s);
}

static void a_budget_changes_nothing(void **state) {
    (void)state;
    double w[2][8];
    for (int part = 0; part < 2; part++) { /* cut into pieces, the epochs are the same */
        sample s = sample_random(100, 8, 0.3, SAMPLE_HINGE, 1, false, HSP_INTERCEPT_FREE, 2);
        sample_design(&s, true, false, 1);
        void *method = calloc(1, hsp_margin_dual.state_size);
        hsp_budget budget = sample_budget();
        assert_int_equal(hsp_margin_dual.init(method, &s.m, NULL, 5, NULL), 0);
        assert_true(hsp_margin_dual.gap(method) == INFINITY);
        for (int64_t k = 0; k < 1000 && budget.steps < 1000; k++) {
            budget.max_steps = part ? budget.steps + 8 : 1000;
            hsp_margin_dual.step(method, &budget);
        }
        hsp_margin_dual.export(method, &s.point);
        memcpy(w[part], s.point.w, sizeof w[0]);
        hsp_margin_dual.free(method);
        free(method);
        sample_free(&s);
    }
    assert_memory_equal(w[0], w[1], sizeof w[0]);
}

static void threads_do_not_change_a_bit(void **state) {
    (void)state;
    double w[2][6], b[2], gap[2];
    for (int threads = 1; threads <= 2; threads++) {
        sample s = sample_random(4000, 6, 0.3, SAMPLE_SQUARED, 0.01, false, HSP_INTERCEPT_FREE, 4);
        sample_design(&s, true, true, threads);
        sample_run(&s, &hsp_margin_dual, false, 15, &gap[threads - 1]);
        memcpy(w[threads - 1], s.point.w, sizeof w[0]);
        b[threads - 1] = s.point.b;
        sample_free(&s);
    }
    assert_memory_equal(w[0], w[1], sizeof w[0]);
    assert_true(b[0] == b[1] && gap[0] == gap[1]);
}

static void memory_may_run_out(void **state) {
    (void)state;
    sample s = sample_random(40, 4, 0.3, SAMPLE_HINGE, 1, false, HSP_INTERCEPT_FREE, 3);
    sample_design(&s, true, false, 1);
    int status = HSP_EMEMORY;
    for (int64_t calls = 0; calls < 100 && status; calls++) {
        void *method = calloc(1, hsp_margin_dual.state_size);
        hsp_memory_fail_after(calls);
        status = hsp_margin_dual.init(method, &s.m, NULL, 1, NULL);
        hsp_memory_fail_after(-1);
        assert_true(status == 0 || status == HSP_EMEMORY);
        hsp_margin_dual.free(method);
        free(method);
    }
    assert_int_equal(status, 0);
    sample_free(&s);
}

int main(void) {
    const struct CMUnitTest t[] = {
        cmocka_unit_test(reaches_the_best_face),
        cmocka_unit_test(converges_in_high_dimension),
        cmocka_unit_test(a_weight_is_copies),
        cmocka_unit_test(stalls_where_it_cannot_converge),
        cmocka_unit_test(degenerate_inputs_are_no_trouble),
        cmocka_unit_test(a_row_of_zeros_goes_to_its_bound),
        cmocka_unit_test(climbs),
        cmocka_unit_test(a_budget_changes_nothing),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(t, NULL, NULL);
}
