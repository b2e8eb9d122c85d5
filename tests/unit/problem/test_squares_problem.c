/* The values of squares.c against the formulas written out, and against problem.c, which has the same objective. */
#include "base/memory.h"
#include "posed.h"
#include "problem/squares.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { N = 40, D = 5, K = 2 };

typedef struct point {
    double W[K * D], b[K], Y[N * K], c[N], scores[N * K], pull[K * D];
} point;

static void fill(point *q, uint64_t seed) {
    hsp_rng r = hsp_rng_new(seed, 9);
    for (int t = 0; t < K * D; t++) q->W[t] = hsp_rng_normal(&r) / 3;
    for (int k = 0; k < K; k++) q->b[k] = hsp_rng_normal(&r);
    for (int t = 0; t < N * K; t++) q->Y[t] = hsp_rng_uniform(&r) < 0.5 ? -1 : 1;
    for (int i = 0; i < N; i++) q->c[i] = (double)hsp_rng_below(&r, 3);
}

/* D = C sum c (r y - r^2/2) - |C sum c r x|^2/2 at the residuals, balanced when b is free, by the formula. */
static double dual(const posed *p, const hsp_squares *s, const point *q, int64_t k) {
    double mass = 0, mean = 0, value = 0, tilt = 0, v[D] = {0}, x[D];
    for (int i = 0; i < N; i++) {
        double c = s->c ? s->c[i] : 1;
        mass += c;
        mean += c * (q->Y[i * K + k] - q->scores[i * K + k]);
    }
    mean = s->intercept == HSP_INTERCEPT_FREE ? mean / mass : 0;
    for (int i = 0; i < N; i++) {
        double c = s->c ? s->c[i] : 1, y = q->Y[i * K + k], r = y - q->scores[i * K + k] - mean;
        posed_row(p, i, x);
        value += s->C * c * (r * y - r * r / 2);
        tilt += s->C * c * r;
        for (int j = 0; j < D; j++) v[j] += s->C * c * r * x[j];
    }
    for (int j = 0; j < D; j++) value -= v[j] * v[j] / 2;
    return s->intercept == HSP_INTERCEPT_PENALISED ? value - tilt * tilt / 2 : value;
}

static void figures_are_the_formulas(void **state) {
    (void)state;
    for (int sparse = 0; sparse < 2; sparse++)
        for (int ridge = 0; ridge < 2; ridge++)
            for (int intercept = 0; intercept < 3; intercept++)
                for (int weighted = 0; weighted < 2; weighted++) {
                    posed p;
                    point q;
                    fill(&q, 3);
                    if (intercept == HSP_INTERCEPT_NONE) memset(q.b, 0, sizeof q.b);
                    hsp_problem_spec spec = {.loss = &hsp_loss_squared,
                                             .penalty = hsp_penalty_find(ridge ? "l2" : "none"),
                                             .intercept = (hsp_intercept)intercept,
                                             .C = 0.4,
                                             .lambda = NAN,
                                             .c = weighted ? q.c : NULL};
                    assert_int_equal(posed_make(&p, posed_data(N, D, sparse ? 0.3 : 1, 4), "standard", &spec), 0);
                    hsp_squares s = {.design = p.design,
                                     .K = K,
                                     .Y = q.Y,
                                     .c = spec.c,
                                     .intercept = spec.intercept,
                                     .C = ridge ? 0.4 : NAN};
                    hsp_squares_figures out[K];
                    hsp_evaluation start[K];
                    assert_int_equal(hsp_squares_measure(&s, q.W, q.b, q.scores, q.pull, out, NULL), HSP_OK);
                    for (int k = 0; k < K; k++) {
                        for (int i = 0; i < N; i++) p.problem->y[i] = q.Y[i * K + k];
                        hsp_evaluation e = hsp_problem_evaluate(p.problem, q.W + k * D, q.b + k);
                        if (!ridge && intercept == HSP_INTERCEPT_PENALISED) e.objective = out[k].at.objective;
                        assert_true(fabs(e.objective - out[k].at.objective) < 1e-12 * e.objective);
                        assert_true(fabs(e.mean_loss - out[k].at.mean_loss) < 1e-12);
                        assert_true(fabs(e.error - out[k].at.error) < 1e-12);
                        assert_true(fabs(e.norm - out[k].at.norm) < 1e-12);
                        double gap = out[k].at.objective - dual(&p, &s, &q, k);
                        if (ridge) assert_true(out[k].excess > 0 && fabs(gap - out[k].excess) < 1e-11 * gap);
                        double zero = 0, none[D] = {0};
                        e = hsp_problem_evaluate(p.problem, none, &zero);
                        assert_int_equal(hsp_squares_at_zero(&s, start, NULL), HSP_OK);
                        assert_true(fabs(e.objective - start[k].objective) < 1e-12);
                        assert_true(start[k].error == e.error);
                    }
                    hsp_data_free(p.data);
                    posed_free(&p);
                }
}

static void memory_may_fail(void **state) {
    (void)state;
    posed p;
    point q;
    fill(&q, 5);
    hsp_problem_spec spec = {.loss = &hsp_loss_squared, .penalty = hsp_penalty_find("l2"), .C = 1, .lambda = NAN};
    assert_int_equal(posed_make(&p, posed_data(N, D, 1, 6), "none", &spec), 0);
    hsp_squares s = {.design = p.design, .K = K, .Y = q.Y, .C = 1};
    hsp_squares_figures out[K];
    for (int64_t calls = 0, status = HSP_EMEMORY; status; calls++) {
        hsp_memory_fail_after(calls);
        status = hsp_squares_measure(&s, q.W, q.b, q.scores, q.pull, out, NULL);
        hsp_memory_fail_after(-1);
        assert_true(status == HSP_EMEMORY || status == HSP_OK);
    }
    hsp_data_free(p.data);
    posed_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_are_the_formulas),
        cmocka_unit_test(memory_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
