/* The exact finish: against all faces of small boxes, on degenerate inputs, from good, bad and zero starts. */
#include "margin_sample.h"

static const hsp_intercept INTERCEPTS[] = {HSP_INTERCEPT_FREE, HSP_INTERCEPT_NONE, HSP_INTERCEPT_PENALISED};

static void finds_the_best_face(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++)
        for (int k = 0; k < 3; k++) {
            sample_loss loss = seed % 3 == 2 ? SAMPLE_HARD : (sample_loss)(seed % 3);
            int64_t d = 1 + (int64_t)seed % 4;
            sample s = sample_random(7, d, loss == SAMPLE_HARD ? 6 : 0.4, loss, pow(10, (double)(seed % 5) - 2), seed % 2,
                                     INTERCEPTS[k], seed);
            sample_design(&s, seed % 4 > 1, false, 1);
            hsp_step step = sample_run(&s, &hsp_margin_polish, false, 500, NULL);
            double missing, best = sample_brute(&s), D = sample_dual(&s, s.point.alpha, &missing);
            if (loss == SAMPLE_HARD && step != HSP_STEP_DONE) { /* may not be separable without an intercept */
                sample_free(&s);
                continue;
            }
            assert_int_equal(step, HSP_STEP_DONE);
            assert_true(fabs(D - best) <= 1e-9 * fabs(best));
            sample_check(&s, 1e-9);
            sample_check_exact(&s);
            sample_free(&s);
        }
}

/* All kinds, layouts and shapes, also those of more columns than rows and of many columns. */
static void solves_from_scratch(void **state) {
    (void)state;
    static const int64_t shapes[][2] = {{200, 5}, {30, 60}, {60, 450}, {500, 12}};
    int count = 0;
    for (int shape = 0; shape < 4; shape++)
        for (int loss = SAMPLE_HINGE; loss <= SAMPLE_SQUARED; loss++)
            for (int k = 0; k < 3; k++)
                for (int layout = 0; layout < 4; layout++, count++) {
                    sample s =
                        sample_random(shapes[shape][0], shapes[shape][1], 0.3, (sample_loss)loss,
                                      pow(10, (double)(count % 5) - 2), count % 2, INTERCEPTS[k], 100 + (uint64_t)count);
                    sample_design(&s, layout % 2, layout / 2, 1);
                    assert_int_equal(sample_run(&s, &hsp_margin_polish, false, 500, NULL), HSP_STEP_DONE);
                    sample_check(&s, 1e-10);
                    sample_check_exact(&s);
                    sample_free(&s);
                }
}

/* A few numbers in each row, of columns of different frequency. */
static sample sample_words(int64_t n, int64_t d, sample_loss loss, double C, hsp_intercept intercept, uint64_t seed) {
    hsp_rng r = hsp_rng_new(17, seed);
    double *x = calloc((size_t)(n * d), sizeof *x), *y = calloc((size_t)n, sizeof *y);
    for (int64_t i = 0; i < n; i++) {
        y[i] = i % 2 ? 1 : -1;
        for (int t = 0; t < 4; t++) {
            double u = hsp_rng_uniform(&r);
            x[i * d + (int64_t)(u * u * (double)d)] = hsp_rng_normal(&r) + y[i] / 2;
        }
    }
    return sample_of(x, y, n, d, loss, C, NULL, intercept);
}

/* Sizes for which the Newton systems are solved by columns with factors that are reused, and by conjugate gradients
 * alone, with rows copied side by side. */
static void solves_large_systems(void **state) {
    (void)state;
    static const int64_t shapes[][2] = {{1200, 450}, {3000, 2600}};
    for (int shape = 0; shape < 2; shape++)
        for (int k = 0; k < (shape ? 1 : 3); k++) {
            sample s = sample_words(shapes[shape][0], shapes[shape][1], k == 1 ? SAMPLE_HINGE : SAMPLE_SQUARED, 0.5,
                                    INTERCEPTS[k], (uint64_t)k);
            sample_design(&s, true, k == 2, 1);
            assert_int_equal(sample_run(&s, &hsp_margin_polish, false, 500, NULL), HSP_STEP_DONE);
            sample_check(&s, 1e-10);
            sample_free(&s);
        }
}

static void finishes_a_disturbed_optimum(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        sample s = sample_random(300, 8, 0.5, SAMPLE_HINGE, 1, seed % 2, INTERCEPTS[seed % 3], seed);
        sample_design(&s, false, false, 1);
        assert_int_equal(sample_run(&s, &hsp_margin_polish, false, 500, NULL), HSP_STEP_DONE);
        double *alpha = malloc(300 * sizeof *alpha), missing, before = sample_dual(&s, s.point.alpha, &missing), gap;
        memcpy(alpha, s.point.alpha, 300 * sizeof *alpha);
        hsp_rng r = hsp_rng_new(seed, 3);
        for (int64_t i = 0; i < 300; i++)
            s.point.alpha[i] = fmin(fmax(alpha[i] + 1e-5 * hsp_rng_normal(&r), 0), s.upper[i]);
        for (int64_t j = 0; j < 8; j++) s.point.w[j] += 1e-5 * hsp_rng_normal(&r);
        assert_int_equal(sample_run(&s, &hsp_margin_polish, true, 10, &gap), HSP_STEP_DONE);
        assert_true(fabs(gap) <= 1e-12);
        double after = sample_dual(&s, s.point.alpha, &missing);
        assert_true(fabs(after - before) <= 1e-12 * fabs(before));
        for (int64_t i = 0; i < 300; i++) { /* the same rows at the same bounds, exactly */
            assert_int_equal(alpha[i] == 0, s.point.alpha[i] == 0);
            assert_int_equal(alpha[i] == s.upper[i], s.point.alpha[i] == s.upper[i]);
        }
        free(alpha);
        sample_free(&s);
    }
}

/* A bad start is harmless, also one that holds NaN. */
static void survives_bad_starts(void **state) {
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        sample s = sample_random(100, 6, 0.3, SAMPLE_HINGE, 10, false, HSP_INTERCEPT_FREE, 5);
        sample_design(&s, false, false, 1);
        for (int64_t i = 0; i < 100; i++) s.point.alpha[i] = kind == 0 ? 10 : kind == 1 ? 1e300 : (i % 2 ? NAN : -3);
        for (int64_t j = 0; j < 6; j++) s.point.w[j] = kind == 0 ? 1e6 : kind == 1 ? NAN : -1;
        assert_int_equal(sample_run(&s, &hsp_margin_polish, true, 500, NULL), HSP_STEP_DONE);
        sample_check(&s, 1e-10);
        sample_free(&s);
    }
}

/* ---- degenerate inputs ---- */

typedef enum shape {
    DUPLICATES,
    ONE_CLASS,
    EQUAL_POINTS,
    CONSTANT_COLUMNS,
    ALL_ZERO,
    UNLIKE_SCALES,
    FAR_AWAY,
    SHAPES
} shape;

static sample degenerate(shape kind, sample_loss loss, double C, hsp_intercept intercept) {
    int64_t n = 60, d = 5;
    hsp_rng r = hsp_rng_new((uint64_t)kind, 2);
    double *x = calloc((size_t)(n * d), sizeof *x), *y = calloc((size_t)n, sizeof *y);
    for (int64_t i = 0; i < n; i++) {
        y[i] = kind == ONE_CLASS ? 1 : hsp_rng_below(&r, 2) ? 1 : -1;
        for (int64_t j = 0; j < d; j++) {
            double v = hsp_rng_normal(&r) + (j == 0 ? y[i] : 0);
            if (kind == DUPLICATES && i >= n / 4) v = x[(i % (n / 4)) * d + j];
            if (kind == EQUAL_POINTS) v = (double)j;
            if (kind == CONSTANT_COLUMNS && j > 1) v = 7;
            if (kind == ALL_ZERO) v = 0;
            if (kind == UNLIKE_SCALES) v *= pow(10, 6 * ((double)(j % 3) - 1));
            if (kind == FAR_AWAY) v += 1e5;
            x[i * d + j] = v;
        }
    }
    return sample_of(x, y, n, d, loss, C, NULL, intercept);
}

static void degenerate_inputs_are_no_trouble(void **state) {
    (void)state;
    static const double Cs[] = {1e-8, 1e-3, 1, 1e3, 1e8};
    for (int kind = 0; kind < SHAPES; kind++)
        for (int loss = SAMPLE_HINGE; loss <= SAMPLE_SQUARED; loss++)
            for (int k = 0; k < 3; k++)
                for (int c = 0; c < 5; c++) {
                    sample s = degenerate((shape)kind, (sample_loss)loss, Cs[c], INTERCEPTS[k]);
                    double gap;
                    sample_design(&s, false, false, 1);
                    hsp_step step = sample_run(&s, &hsp_margin_polish, false, 500, &gap);
                    assert_true(step == HSP_STEP_DONE || step == HSP_STEP_STALLED);
                    /* different scales or large offsets, with a large C, cost digits in the test's own sums too */
                    bool hard = (kind == UNLIKE_SCALES || kind == FAR_AWAY) && Cs[c] > 1;
                    if (!hard) assert_int_equal(step, HSP_STEP_DONE);
                    sample_check(&s, !hard ? 1e-10 : step == HSP_STEP_DONE ? 1e-6 : fmax(1.001 * gap, 1e-6));
                    sample_free(&s);
                }
}

static void two_points_have_a_closed_form(void **state) {
    (void)state;
    for (int loss = SAMPLE_HINGE; loss <= SAMPLE_HARD; loss += 2) {
        double *x = calloc(4, sizeof *x), *y = calloc(2, sizeof *y);
        x[0] = 1, x[1] = 2, x[2] = 4, x[3] = 6;
        y[0] = -1, y[1] = 1;
        sample s = sample_of(x, y, 2, 2, (sample_loss)loss, 1000, NULL, HSP_INTERCEPT_FREE);
        sample_design(&s, false, false, 1);
        assert_int_equal(sample_run(&s, &hsp_margin_polish, false, 500, NULL), HSP_STEP_DONE);
        for (int i = 0; i < 2; i++) assert_true(fabs(s.point.alpha[i] - 2.0 / 25) < 1e-14);
        assert_true(fabs(s.point.w[0] - 6.0 / 25) < 1e-14 && fabs(s.point.w[1] - 8.0 / 25) < 1e-14);
        assert_true(fabs(s.point.b + 1.88) < 1e-13);
        sample_free(&s);
    }
}

/* Classes that share a point have no hard margin: the result must not be DONE. */
static void no_margin_is_not_done(void **state) {
    (void)state;
    double *x = calloc(4, sizeof *x), *y = calloc(4, sizeof *y);
    x[0] = 0, x[1] = 2, x[2] = 1, x[3] = 3;
    y[0] = y[1] = -1, y[2] = y[3] = 1;
    sample s = sample_of(x, y, 4, 1, SAMPLE_HARD, 1, NULL, HSP_INTERCEPT_FREE);
    sample_design(&s, false, false, 1);
    assert_true(sample_run(&s, &hsp_margin_polish, false, 500, NULL) != HSP_STEP_DONE);
    for (int64_t i = 0; i < 4; i++) assert_true(isfinite(s.point.alpha[i]));
    assert_true(isfinite(s.point.w[0]) && isfinite(s.point.b));
    sample_free(&s);
}

/* Stops in the middle when the budget is used up, and continues with the same result. */
static void a_budget_changes_nothing(void **state) {
    (void)state;
    double value[2];
    for (int part = 0; part < 2; part++) {
        sample s = sample_random(150, 7, 0.3, SAMPLE_HINGE, 3, false, HSP_INTERCEPT_FREE, 8);
        sample_design(&s, true, false, 1);
        void *method = calloc(1, hsp_margin_polish.state_size);
        assert_int_equal(hsp_margin_polish.init(method, &s.m, NULL, 1, NULL), 0);
        assert_true(hsp_margin_polish.gap(method) == INFINITY);
        hsp_step step = HSP_STEP_MORE;
        hsp_budget budget = sample_budget();
        for (int k = 0; k < 100000 && step == HSP_STEP_MORE; k++) {
            budget.max_steps = part ? budget.steps + 1 : INT64_MAX;
            step = hsp_margin_polish.step(method, &budget);
        }
        assert_int_equal(step, HSP_STEP_DONE);
        hsp_margin_polish.export(method, &s.point);
        hsp_margin_polish.free(method);
        free(method);
        sample_check(&s, 1e-10);
        value[part] = sample_primal(&s);
        sample_free(&s);
    }
    assert_true(fabs(value[0] - value[1]) <= 1e-12 * value[0]);
}

static void threads_do_not_change_a_bit(void **state) {
    (void)state;
    for (int sparse = 0; sparse < 2; sparse++) {
        double w[2][6], b[2];
        for (int threads = 1; threads <= 2; threads++) {
            sample s = sample_random(4000, 6, 0.3, SAMPLE_HINGE, 1, false, HSP_INTERCEPT_FREE, 4);
            sample_design(&s, sparse, sparse, threads);
            assert_int_equal(sample_run(&s, &hsp_margin_polish, false, 500, NULL), HSP_STEP_DONE);
            memcpy(w[threads - 1], s.point.w, sizeof w[0]);
            b[threads - 1] = s.point.b;
            sample_free(&s);
        }
        assert_memory_equal(w[0], w[1], sizeof w[0]);
        assert_true(b[0] == b[1]);
    }
}

/* Each allocation fails once: by columns and by rows. */
static void memory_may_run_out(void **state) {
    (void)state;
    for (int wide = 0; wide < 2; wide++) {
        sample s = sample_random(40, wide ? 450 : 4, 0.3, SAMPLE_HINGE, 1, false, HSP_INTERCEPT_FREE, 3);
        sample_design(&s, true, false, 1);
        bool through = false;
        for (int64_t calls = 0; calls < 5000 && !through; calls++) {
            void *method = calloc(1, hsp_margin_polish.state_size);
            hsp_budget budget = sample_budget();
            hsp_memory_fail_after(calls);
            int status = hsp_margin_polish.init(method, &s.m, NULL, 1, NULL);
            hsp_step step = HSP_STEP_MORE;
            while (!status && step == HSP_STEP_MORE) step = hsp_margin_polish.step(method, &budget);
            hsp_memory_fail_after(-1);
            assert_true(status == 0 || status == HSP_EMEMORY);
            if (!status) assert_true(step == HSP_STEP_DONE || step == HSP_STEP_MEMORY);
            through = !status && step == HSP_STEP_DONE;
            hsp_margin_polish.free(method);
            free(method);
        }
        assert_true(through);
        sample_free(&s);
    }
}

int main(void) {
    const struct CMUnitTest t[] = {
        cmocka_unit_test(finds_the_best_face),
        cmocka_unit_test(solves_from_scratch),
        cmocka_unit_test(solves_large_systems),
        cmocka_unit_test(finishes_a_disturbed_optimum),
        cmocka_unit_test(survives_bad_starts),
        cmocka_unit_test(degenerate_inputs_are_no_trouble),
        cmocka_unit_test(two_points_have_a_closed_form),
        cmocka_unit_test(no_margin_is_not_done),
        cmocka_unit_test(a_budget_changes_nothing),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(t, NULL, NULL);
}
