/* One survey of a point against the values, the gradient and the bound that problem.h finds in many passes; and the
 * columns with few entries. */
#include "posed.h"

#include "base/memory.h"
#include "problem/rare.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { N = 300, D = 6 };

static const hsp_loss *const LOSSES[] = {&hsp_loss_logistic, &hsp_loss_squared_hinge, &hsp_loss_squared};

typedef void (*check)(posed *p);

/* Curved losses x intercept x layout x scaling x weights, some of them 0. */
static void over_all(check look) {
    static const char *const scales[] = {"none", "standard"};
    static double c[N];
    for (int i = 0; i < N; i++) c[i] = i % 7 == 0 ? 0 : 0.5 + i % 3;
    for (int sparse = 0; sparse < 2; sparse++) {
        hsp_data *data = posed_data(N, D, sparse ? 0.3 : 1, 33);
        assert_non_null(data);
        for (int k = 0; k < 3 * 3 * 2 * 2; k++) {
            posed p;
            hsp_problem_spec spec = {.loss = LOSSES[k % 3],
                                     .penalty = hsp_penalty_find("l2"),
                                     .C = 0.7,
                                     .intercept = (hsp_intercept)(k / 3 % 3),
                                     .lambda = NAN,
                                     .c = k / 9 % 2 ? c : NULL};
            assert_int_equal(posed_make(&p, data, scales[k / 18], &spec), 0);
            look(&p);
            posed_free(&p);
        }
        hsp_data_free(data);
    }
}

static void random_point(hsp_rng *r, const hsp_problem *p, double *w) {
    for (int j = 0; j < D; j++) w[j] = 0.5 * hsp_rng_normal(r);
    w[D] = p->intercept != HSP_INTERCEPT_NONE ? hsp_rng_normal(r) : 0;
}

static bool near(double a, double b, double size) {
    return fabs(a - b) <= 1e-9 * (size + fabs(b));
}

static void a_survey_is_the_values(posed *t) {
    hsp_problem *p = t->problem;
    hsp_rng r = hsp_rng_new(8, 0);
    hsp_survey *s;
    assert_int_equal(hsp_survey_new(p, true, &s, NULL), HSP_OK);
    for (int turn = 0; turn < 3; turn++) {
        double w[D + 1] = {0}, gw[D], gb;
        if (turn > 0) random_point(&r, p, w);
        assert_int_equal(hsp_survey_evaluate(s, w, w[D], turn == 2 ? HSP_SURVEY_FIGURES : HSP_SURVEY_GRAM, NULL), HSP_OK);
        hsp_evaluation e = hsp_problem_gradient(p, w, w + D, gw, &gb);
        assert_true(near(s->at.objective, e.objective, 0) && near(s->at.mean_loss, e.mean_loss, 0));
        assert_true(near(s->at.error, e.error, 0) && near(s->at.norm, e.norm, 0) && near(s->J * p->C, e.objective, 0));
        assert_true(s->has_gradient == (turn < 2) && s->has_gram == (turn < 2));
        assert_int_equal(hsp_survey_complete(s, true, NULL), HSP_OK);
        for (int j = 0; j < D; j++) assert_true(near(s->g[j] / p->sum_c, gw[j], 1));
        assert_true(near(s->g[D] / p->sum_c, gb, 1));
        double h[N];
        hsp_problem_curvature(p, h);
        for (int i = 0; i < N; i++) assert_true(near(s->h[i] / p->sum_c, h[i], 1e-3));
    }
    hsp_survey_free(s);
}

/* A sample is the problem with weights for its rows and none for the others; a survey of all rows after it is complete. */
static void a_sample_is_a_problem_of_weights(posed *t) {
    hsp_problem *p = t->problem;
    const double *own = p->c;
    hsp_rng r = hsp_rng_new(9, 0);
    hsp_survey *s, *other;
    double w[D + 1], c[N] = {0}, rows = 0;
    random_point(&r, p, w);
    assert_int_equal(hsp_survey_new(p, true, &s, NULL), HSP_OK);
    for (int pass = 0; pass < 2; pass++)
        for (int64_t b = 0; b < hsp_sweep_blocks(s->sweep); b++)
            for (int64_t i = hsp_sweep_begin(s->sweep, b); hsp_sweep_drawn(b, 2) && i < hsp_sweep_begin(s->sweep, b + 1);
                 i++)
                if (pass == 0)
                    rows++;
                else
                    c[i] = N / rows * (own ? own[i] : 1);
    assert_int_equal(hsp_survey_sample(s, w, w[D], HSP_SURVEY_GRAM, 2, NULL), HSP_OK);
    assert_true(s->has_gradient && s->has_gram);
    p->c = c;
    assert_int_equal(hsp_survey_new(p, true, &other, NULL), HSP_OK);
    assert_int_equal(hsp_survey_evaluate(other, w, w[D], HSP_SURVEY_GRAM, NULL), HSP_OK);
    assert_true(near(s->J, other->J, 0) && near(s->mass, other->mass, 1e-9));
    for (int j = 0; j <= D; j++) assert_true(near(s->g[j], other->g[j], 100));
    for (int j = 0; j < D * D; j++) assert_true(near(s->G[j], other->G[j], 100));
    hsp_survey_free(other);
    p->c = own;
    double J = s->J;
    assert_int_equal(hsp_survey_evaluate(s, w, w[D], HSP_SURVEY_GRAM, NULL), HSP_OK);
    hsp_evaluation e = hsp_problem_evaluate(p, w, w + D);
    assert_true(near(s->J * p->C, e.objective, 0) && s->J != J);
    hsp_survey_free(s);
}

/* A Newton step by hand from the Gram matrix: with two columns, the bound is that of its multipliers, is below every
 * objective, and almost meets it near the end. */
static void step_of(const hsp_survey *s, double *w) {
    const hsp_problem *p = s->p;
    double A[D][D + 1], delta[D];
    bool offset = p->intercept != HSP_INTERCEPT_NONE;
    double B = s->mass + (p->intercept == HSP_INTERCEPT_PENALISED ? s->mu : 0);
    double back = p->intercept == HSP_INTERCEPT_PENALISED ? s->mass * s->mu / B : 0;
    for (int i = 0; i < D; i++) {
        for (int j = 0; j < D; j++) A[i][j] = s->G[i * D + j] + (i == j ? s->mu : 0) + back * s->mean[i] * s->mean[j];
        A[i][D] = -(s->g[i] - (offset ? s->g[D] * s->mass / B * s->mean[i] : 0));
    }
    for (int k = 0; k < D; k++)
        for (int i = k + 1; i < D; i++)
            for (int j = D; j >= k; j--) A[i][j] -= A[i][k] / A[k][k] * A[k][j];
    double along = 0;
    for (int k = D - 1; k >= 0; k--) {
        delta[k] = A[k][D];
        for (int j = k + 1; j < D; j++) delta[k] -= A[k][j] * delta[j];
        delta[k] /= A[k][k];
        along += s->mean[k] * delta[k];
        w[k] += delta[k];
    }
    if (offset) w[D] -= (s->g[D] + s->mass * along) / B;
}

static void a_step_bounds_the_optimum(posed *t) {
    hsp_problem *p = t->problem;
    hsp_survey *s;
    double w[D + 1] = {0}, least = INFINITY, most = 0;
    assert_int_equal(hsp_survey_new(p, true, &s, NULL), HSP_OK);
    assert_int_equal(hsp_survey_evaluate(s, w, 0, HSP_SURVEY_GRAM, NULL), HSP_OK);
    for (int k = 0; k < 8; k++) {
        step_of(s, w);
        assert_int_equal(hsp_survey_evaluate(s, w, w[D], HSP_SURVEY_STEP | HSP_SURVEY_GRAM | HSP_SURVEY_BOUND, NULL),
                         HSP_OK);
        least = fmin(least, s->at.objective);
        most = fmax(most, s->bound);
        assert_true(s->bound >= 0 && near(hsp_problem_dual_of(p, s->alpha), s->bound, 1e-6));
        for (int i = 0; i < N; i++) assert_true(near(p->slopes[i], s->alpha[i], 1e-6)); /* feasible as they are */
    }
    assert_true(most <= least * (1 + 1e-12) && least - most <= 1e-9 * least);
    hsp_survey_bound_of_slopes(s);
    assert_true(s->bound <= least * (1 + 1e-12));
    hsp_survey_free(s);
}

/* A search along a step, and the survey where it ended. */
static void a_line_is_the_objective(posed *t) {
    hsp_problem *p = t->problem;
    hsp_rng r = hsp_rng_new(9, 0);
    hsp_survey *s;
    double from[D + 1], to[D + 1], at[D + 1], slope, before, after, unused;
    random_point(&r, p, from);
    random_point(&r, p, to);
    assert_int_equal(hsp_survey_new(p, false, &s, NULL), HSP_OK);
    assert_int_equal(hsp_survey_evaluate(s, from, from[D], 0, NULL), HSP_OK);
    hsp_survey_score_step(s, to, to[D]);
    before = hsp_survey_line(s, 0.3 - 1e-6, &unused);
    after = hsp_survey_line(s, 0.3 + 1e-6, &unused);
    double here = hsp_survey_line(s, 0.3, &slope);
    assert_true(fabs((after - before) / 2e-6 - slope) <= 1e-4 * (1 + fabs(slope)));
    for (int j = 0; j <= D; j++) at[j] = from[j] + 0.3 * (to[j] - from[j]);
    assert_int_equal(hsp_survey_evaluate(s, at, at[D], HSP_SURVEY_ALONG, NULL), HSP_OK);
    hsp_evaluation e = hsp_problem_evaluate(p, at, at + D);
    assert_true(near(s->at.objective, e.objective, 0) && near(here, e.mean_loss * p->sum_c, 0));
    for (int i = 0; i < N; i++) assert_true(near(s->scores[i], p->scores[i], 1));
    hsp_survey_free(s);
}

static void samples(void **unused) {
    (void)unused;
    over_all(a_sample_is_a_problem_of_weights);
}

static void looks(void **unused) {
    (void)unused;
    over_all(a_survey_is_the_values);
}

static void bounds(void **unused) {
    (void)unused;
    over_all(a_step_bounds_the_optimum);
}

static void lines(void **unused) {
    (void)unused;
    over_all(a_line_is_the_objective);
}

/* ---- columns with few entries ---- */

enum { ROWS = 2000, COLUMNS = 40, FULL = 12 };

/* Some columns are full, the others have from 1 to 20 entries. */
static hsp_data *rare_data(void) {
    static double x[ROWS * COLUMNS];
    const char **labels = calloc(ROWS, sizeof *labels);
    hsp_rng r = hsp_rng_new(3, 1);
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < COLUMNS; j++) x[i * COLUMNS + j] = 0;
        for (int j = 0; j < FULL; j++) x[i * COLUMNS + j] = hsp_rng_normal(&r);
        labels[i] = x[i * COLUMNS] + hsp_rng_normal(&r) > 0 ? "a" : "b";
    }
    for (int j = FULL; j < COLUMNS; j++)
        for (int e = 0; e < 1 + j / 2; e++)
            x[(int)(hsp_rng_uniform(&r) * ROWS) * COLUMNS + j] = 1 + 5 * hsp_rng_uniform(&r);
    hsp_data *data = NULL;
    assert_int_equal(hsp_data_from_dense(x, ROWS, COLUMNS, COLUMNS, labels, NULL, &data, NULL), 0);
    free(labels);
    return data;
}

static void rare_columns(void **unused) {
    (void)unused;
    hsp_data *data = rare_data();
    for (int k = 0; k < 4; k++) {
        posed p;
        hsp_problem_spec spec = {.loss = k % 2 ? &hsp_loss_squared_hinge : &hsp_loss_logistic,
                                 .penalty = hsp_penalty_find("l2"),
                                 .C = 100,
                                 .lambda = NAN};
        assert_int_equal(posed_make(&p, data, k / 2 ? "standard" : "none", &spec), 0);
        assert_true(!p.design->x->dense && hsp_rare_possible(p.problem));
        hsp_rare rare;
        double w[COLUMNS + 1] = {0}, g[COLUMNS], b, step[COLUMNS];
        assert_int_equal(hsp_rare_init(&rare, p.problem), HSP_OK);
        hsp_evaluation before = hsp_problem_gradient(p.problem, w, w + COLUMNS, g, &b);
        for (int j = 0; j < COLUMNS; j++) step[j] = -g[j];
        double share = hsp_rare_share(&rare, g, step), scores[ROWS] = {0};
        assert_true(share > 0 && share < 1 && rare.count == COLUMNS - FULL);
        hsp_rare_polish(&rare, w, scores);
        hsp_evaluation after = hsp_problem_gradient(p.problem, w, w + COLUMNS, g, &b);
        assert_true(after.objective < before.objective && w[0] == 0);
        for (int i = 0; i < ROWS; i++) assert_true(near(scores[i], p.problem->scores[i], 1));
        hsp_rare_free(&rare);
        posed_free(&p);
    }
    hsp_data_free(data);
}

static void running_out_of_memory(void **unused) {
    (void)unused;
    hsp_data *data = rare_data();
    posed p;
    hsp_problem_spec spec = {.loss = &hsp_loss_logistic, .penalty = hsp_penalty_find("l2"), .C = 1, .lambda = NAN};
    assert_int_equal(posed_make(&p, data, "none", &spec), 0);
    int status = HSP_EMEMORY;
    for (int64_t calls = 0; status && calls < 100; calls++) {
        hsp_survey *s;
        hsp_rare rare;
        hsp_memory_fail_after(calls);
        status = hsp_survey_new(p.problem, true, &s, NULL);
        int other = hsp_rare_init(&rare, p.problem);
        hsp_memory_fail_after(-1);
        assert_true(status ? !s : s != NULL);
        hsp_survey_free(s);
        hsp_rare_free(&rare);
        status = status ? status : other;
    }
    assert_int_equal(status, HSP_OK);
    posed_free(&p);
    hsp_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(looks), cmocka_unit_test(samples),      cmocka_unit_test(bounds),
        cmocka_unit_test(lines), cmocka_unit_test(rare_columns), cmocka_unit_test(running_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
