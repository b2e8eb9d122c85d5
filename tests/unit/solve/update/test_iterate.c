/* The stochastic solver against a naive one that keeps w as a plain vector: every penalty, with and without centring of
 * sparse rows, kept last and averaged. What is tested is the algebra of iterate.c. */
#include "posed.h"
#include "solve/loop/run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { N = 60, D = 6 };

/* Cyclic order, `batch` rows a step, as the formula says. */
static void naive(const posed *p, const hsp_rules *rules, int64_t epochs, double *w, double *b) {
    const hsp_problem *q = p->problem;
    double sum_w[D] = {0}, sum_b = 0, count = 0, x[D];
    int64_t k = 0;
    for (int j = 0; j < D; j++) w[j] = 0;
    *b = 0;
    for (int64_t e = 0; e < epochs; e++)
        for (int64_t from = 0; from < N; from += rules->batch) {
            int64_t to = from + rules->batch < N ? from + rules->batch : N;
            double g[D] = {0}, gb = 0;
            bool moves = q->lambda > 0;
            for (int64_t i = from; i < to; i++) {
                posed_row(p, i, x);
                double score = *b;
                for (int j = 0; j < D; j++) score += w[j] * x[j];
                double slope = q->loss->at(q->loss, q->y[i], score, q->kink).slope;
                moves |= slope != 0;
                for (int j = 0; j < D; j++) g[j] += slope * x[j] / (double)(to - from);
                gb += slope / (double)(to - from);
            }
            if (moves) {
                double eta = hsp_schedule_rate(rules, q->lambda, k++);
                for (int j = 0; j < D; j++)
                    w[j] = hsp_soft((1 - eta * q->lambda * (1 - q->rho)) * w[j] - eta * g[j], eta * q->lambda * q->rho);
                if (q->intercept == HSP_INTERCEPT_PENALISED) *b *= 1 - eta * q->lambda;
                if (q->intercept != HSP_INTERCEPT_NONE) *b -= eta * gb;
            }
            for (int j = 0; j < D; j++) sum_w[j] += w[j];
            sum_b += *b;
            count++;
        }
    if (rules->keep != HSP_KEEP_AVERAGE) return;
    for (int j = 0; j < D; j++) w[j] = sum_w[j] / count;
    *b = sum_b / count;
}

static void compare(posed *p, const hsp_rules *rules) {
    double w[D], b;
    hsp_point *point = NULL;
    hsp_outcome outcome;
    naive(p, rules, rules->max_epochs, w, &b);
    assert_int_equal(hsp_point_new(1, D, &point, NULL), 0);
    hsp_run_place place = {0, 1, "1"};
    assert_int_equal(hsp_run(&hsp_solver_stochastic, p->problem, rules, place, NULL, point, &outcome, NULL), 0);
    for (int j = 0; j < D; j++) assert_true(fabs(point->w[j] - w[j]) <= 1e-9 * (1 + fabs(w[j])));
    assert_true(fabs(point->b[0] - b) <= 1e-9 * (1 + fabs(b)));
    hsp_point_free(point);
}

static void each_case(hsp_schedule schedule, double rate, int64_t epochs) {
    static const char *const scales[] = {"none", "standard", "maxabs"};
    const hsp_loss *losses[] = {&hsp_loss_hinge, &hsp_loss_logistic, &hsp_loss_squared};
    for (int sparse = 0; sparse < 2; sparse++) {
        hsp_data *data = posed_data(N, D, sparse ? 0.3 : 1, 31);
        for (int s = 0; s < 3; s++)
            for (int l = 0; l < 3; l++)
                for (int64_t q = 0; hsp_penalty_table[q]; q++)
                    for (int variant = 0; variant < 6; variant++) {
                        if (schedule == HSP_SCHEDULE_PEGASOS && !hsp_penalty_table[q]->penalises) continue;
                        posed p;
                        hsp_problem_spec spec = {.loss = losses[l],
                                                 .penalty = hsp_penalty_table[q],
                                                 .C = 0.05,
                                                 .lambda = NAN,
                                                 .l1_ratio = 0.3,
                                                 .intercept = (hsp_intercept)(variant % 3)};
                        assert_int_equal(posed_make(&p, data, scales[s], &spec), 0);
                        hsp_rules rules = {.schedule = schedule,
                                           .rate = rate,
                                           .decay = 0.01,
                                           .batch = variant < 3 ? 1 : 7,
                                           .keep = variant % 2 ? HSP_KEEP_AVERAGE : HSP_KEEP_LAST,
                                           .max_epochs = epochs,
                                           .max_updates = -1,
                                           .max_steps = -1,
                                           .max_seconds = -1,
                                           .tol = -1};
                        compare(&p, &rules);
                        posed_free(&p);
                    }
        hsp_data_free(data);
    }
}

static void with_a_constant_step(void **unused) {
    (void)unused;
    each_case(HSP_SCHEDULE_CONSTANT, 0.01, 3);
}

static void with_a_decaying_step(void **unused) {
    (void)unused;
    each_case(HSP_SCHEDULE_DECAY, 0.05, 3);
}

/* Long enough for the scale factor of the shrinking to fall below 1e-20: the average must not lose its digits. */
static void with_a_constant_step_for_long(void **unused) {
    (void)unused;
    each_case(HSP_SCHEDULE_CONSTANT, 0.03, 80);
}

/* The first step of pegasos multiplies w by exactly 0. */
static void with_pegasos(void **unused) {
    (void)unused;
    each_case(HSP_SCHEDULE_PEGASOS, 1, 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_a_constant_step),
        cmocka_unit_test(with_a_constant_step_for_long),
        cmocka_unit_test(with_a_decaying_step),
        cmocka_unit_test(with_pegasos),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
