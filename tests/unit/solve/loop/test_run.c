/* The loop of every solver, run with solvers made for the purpose: quiet epochs, limits, what a solver knows of its point,
 * and the solver that takes over. */
#include "base/memory.h"
#include "data/data.h"
#include "solve/loop/run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* One row at 1, one column, no intercept:
 *     min w^2 / 2 + log(1 + exp(-w)) */
typedef struct one_row {
    hsp_data *data;
    hsp_design *design;
    hsp_problem *problem;
    hsp_point *point;
    hsp_outcome out;
    hsp_rules rules;
} one_row;

static one_row pose_one_row(void) {
    const double x[] = {1};
    const char *labels[] = {"a"};
    one_row s = {.rules = {.max_epochs = 50,
                           .max_updates = -1,
                           .max_steps = -1,
                           .max_seconds = -1,
                           .keep = HSP_KEEP_BEST,
                           .tol = 1e-6,
                           .tol_given = true}};
    hsp_problem_spec spec = {.loss = &hsp_loss_logistic,
                             .penalty = hsp_penalty_find("l2"),
                             .intercept = HSP_INTERCEPT_NONE,
                             .C = 1,
                             .lambda = NAN,
                             .outputs = 1};
    assert_int_equal(hsp_data_from_dense(x, 1, 1, 1, labels, NULL, &s.data, NULL), 0);
    assert_int_equal(hsp_design_new(&s.data->x, NULL, NULL, 1, &s.design, NULL), 0);
    assert_int_equal(hsp_problem_new(s.design, &spec, &s.problem, NULL), 0);
    s.problem->y[0] = 1;
    assert_int_equal(hsp_point_new(1, 1, &s.point, NULL), 0);
    assert_int_equal(hsp_point_add_alpha(s.point, 1, NULL), 0);
    return s;
}

static void clear(one_row *s) {
    hsp_point_free(s->point);
    hsp_problem_free(s->problem);
    hsp_design_free(s->design);
    hsp_data_free(s->data);
}

/* Runs from the solver on; the run must end for the reason `stop`. */
static void run_until(one_row *s, const hsp_solver *solver, const char *stop) {
    hsp_run_place place = {0, 1, NULL};
    assert_int_equal(hsp_run(solver, s->problem, &s->rules, place, NULL, s->point, &s->out, NULL), 0);
    assert_string_equal(hsp_stop_name(s->out.stop), stop);
}

/* ---- a solver that adds a constant to w, measures every third epoch, and stalls at the end ---- */

typedef struct walk {
    double w;
    int64_t epoch, exports;
} walk;

static double walk_end, walk_step; /* where a walk stalls, and what an epoch adds */
static int64_t last_exports;       /* of the last walk that was freed */
static double last_start;          /* where the last walk started */

static int init_walk(void *state, hsp_problem *p, const hsp_rules *rules, const hsp_point *start, hsp_error **err) {
    (void)p, (void)rules, (void)err;
    *(walk *)state = (walk){.w = last_start = start->w[0]};
    return HSP_OK;
}

static hsp_step step_walk(void *state, hsp_budget *budget) {
    walk *s = state;
    if (s->w >= walk_end) return HSP_STEP_STALLED;
    s->w = fmin(s->w + walk_step, walk_end);
    budget->updates++;
    budget->steps++;
    return ++s->epoch % 3 ? HSP_STEP_QUIET : HSP_STEP_MORE;
}

static bool export_walk(void *state, hsp_which which, hsp_point *out) {
    walk *s = state;
    if (which != HSP_POINT_CURRENT) return false;
    s->exports++;
    out->w[0] = s->w;
    out->b[0] = 0;
    return true;
}

static void free_walk(void *state) {
    last_exports = ((walk *)state)->exports;
}

static const hsp_solver walker = {.name = "walker",
                                  .done = HSP_STOP_GRADIENT,
                                  .state_size = sizeof(walk),
                                  .init = init_walk,
                                  .step = step_walk,
                                  .export = export_walk,
                                  .free = free_walk};

/* The same under another name. */
static hsp_solver walker_called(const char *name) {
    hsp_solver copy = walker;
    copy.name = name;
    return copy;
}

/* The problem, with walks that stall at `end`. */
static one_row pose_walk(double end, double step) {
    walk_end = end;
    walk_step = step;
    return pose_one_row();
}

static void test_quiet_epochs_are_counted_and_not_measured(void **state) {
    (void)state;
    one_row s = pose_walk(0.3, 0.01);
    s.rules.max_epochs = 9;
    run_until(&s, &walker, "max-epochs");
    assert_int_equal(s.out.epochs, 9);
    assert_int_equal(last_exports, 3);
    assert_true(fabs(s.point->w[0] - 0.09) < 1e-12);
    clear(&s);
}

/* A limit inside a quiet stretch: the point where it ended is measured, and kept. */
static void test_a_limit_ends_a_quiet_stretch(void **state) {
    (void)state;
    one_row s = pose_walk(0.3, 0.01);
    s.rules.max_epochs = 4;
    run_until(&s, &walker, "max-epochs");
    assert_int_equal(s.out.epochs, 4);
    assert_true(fabs(s.point->w[0] - 0.04) < 1e-12);
    clear(&s);
}

static void test_a_stalled_solver_stops_without_a_next(void **state) {
    (void)state;
    one_row s = pose_walk(0.3, 0.1);
    run_until(&s, &walker, "no-progress");
    assert_false(s.out.converged);
    assert_int_equal(s.out.stage_count, 1);
    assert_string_equal(s.out.stages[0].method, "walker");
    clear(&s);
}

static void test_the_next_solver_reaches_the_optimum(void **state) {
    (void)state;
    one_row s = pose_walk(0.3, 0.1), alone = pose_one_row();
    s.rules.next = &hsp_solver_newton;
    run_until(&s, &walker, "gap");
    assert_true(s.out.converged && s.out.gap <= 1e-6);
    assert_int_equal(s.out.stage_count, 2);
    assert_string_equal(s.out.stages[1].method, "newton");
    assert_true(s.out.stages[1].epochs >= 3 && s.out.epochs > s.out.stages[1].epochs);
    assert_true(s.out.stages[1].gap > 1e-6);
    run_until(&alone, &hsp_solver_newton, "gap");
    assert_true(fabs(s.out.end.objective - alone.out.end.objective) <= 1e-6 * alone.out.end.objective);
    clear(&alone);
    clear(&s);
}

static void test_the_next_solver_begins_at_the_best_point(void **state) {
    (void)state;
    one_row s = pose_walk(0.3, 0.1);
    hsp_solver second = walker_called("second");
    s.rules.next = &second;
    run_until(&s, &walker, "no-progress"); /* no solver follows the second */
    assert_true(fabs(last_start - 0.3) < 1e-12);
    assert_int_equal(s.out.stage_count, 2);
    clear(&s);
}

static void test_limits_hold_for_both_together(void **state) {
    (void)state;
    one_row s = pose_walk(0.3, 0.1);
    s.rules.next = &hsp_solver_newton;
    s.rules.max_epochs = 3;
    s.rules.epochs_given = true;
    run_until(&s, &walker, "max-epochs");
    assert_int_equal(s.out.epochs, 3);
    clear(&s);
}

/* A default limit ends a solver, not the run. */
static void test_a_default_limit_calls_the_next(void **state) {
    (void)state;
    one_row s = pose_walk(0.3, 0.01);
    s.rules.next = &hsp_solver_newton;
    s.rules.max_epochs = 20;
    run_until(&s, &walker, "gap");
    assert_int_equal(s.out.stages[1].epochs, 20);
    clear(&s);
}

static void test_spare_solvers_follow_in_turn(void **state) {
    (void)state;
    one_row s = pose_walk(0.3, 0.1);
    hsp_solver second = walker_called("second");
    s.rules.next = &second;
    s.rules.fallback[0] = &walker;
    s.rules.fallback[1] = &hsp_solver_newton;
    run_until(&s, &walker, "gap");
    assert_int_equal(s.out.stage_count, 4);
    assert_string_equal(s.out.stages[1].method, "second");
    assert_string_equal(s.out.stages[2].method, "walker");
    assert_string_equal(s.out.stages[3].method, "newton");
    clear(&s);
    s = pose_one_row();
    s.rules.fallback[0] = &second;
    run_until(&s, &walker, "no-progress");
    assert_int_equal(s.out.stage_count, 2);
    clear(&s);
}

/* ---- a solver that knows the value of its point and a bound ---- */

static double known_bound;

static bool know_walk(void *state, hsp_measured *out) {
    double w = ((walk *)state)->w;
    out->at = (hsp_evaluation){w * w / 2 + log1p(exp(-w)), log1p(exp(-w)), 0, w};
    out->bound = known_bound;
    return true;
}

static bool export_with_alpha(void *state, hsp_which which, hsp_point *out) {
    if (!export_walk(state, which, out)) return false;
    if (out->alpha) out->alpha[0] = 0.4;
    return true;
}

static hsp_solver walker_with_bound(double bound) {
    hsp_solver s = walker_called("knower");
    known_bound = bound;
    s.proposes = true;
    s.export = export_with_alpha;
    s.measured = know_walk;
    return s;
}

static void test_what_a_solver_knows_is_taken(void **state) {
    (void)state;
    one_row s = pose_walk(1, 0.1);
    hsp_solver knower = walker_with_bound(0.55);
    s.rules.tol = 0.12;
    run_until(&s, &knower, "gap");
    assert_true(s.out.dual_bound == 0.55);
    assert_true(s.point->alpha[0] == 0.4);
    clear(&s);
}

/* A lower bound above an objective that was reached is false. */
static void test_a_bound_above_the_objective_is_refused(void **state) {
    (void)state;
    one_row s = pose_walk(0.3, 0.1);
    hsp_solver knower = walker_with_bound(10);
    run_until(&s, &knower, "no-progress");
    assert_false(s.out.converged);
    assert_false(s.out.dual_bound > s.out.end.objective);
    clear(&s);
}

/* Step sizes of the first and the fourth update, by their formulas; only two schedules have the parameter decay. */
static void test_schedules_follow_their_formulas(void **state) {
    (void)state;
    struct {
        hsp_schedule schedule;
        double first, fourth;
        bool decays;
    } cases[] = {{HSP_SCHEDULE_CONSTANT, 2, 2, false},
                 {HSP_SCHEDULE_HARMONIC, 2, 0.5, false},
                 {HSP_SCHEDULE_DECAY, 2, 0.8, true},
                 {HSP_SCHEDULE_POWER, 2, 1, true},
                 {HSP_SCHEDULE_PEGASOS, 10, 2.5, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hsp_rules rules = {.schedule = cases[i].schedule, .rate = 2, .decay = 0.5};
        assert_true(hsp_schedule_rate(&rules, 0.1, 0) == cases[i].first);
        assert_true(fabs(hsp_schedule_rate(&rules, 0.1, 3) - cases[i].fourth) < 1e-15);
        assert_int_equal(hsp_schedule_decays(cases[i].schedule), cases[i].decays);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quiet_epochs_are_counted_and_not_measured),
        cmocka_unit_test(test_a_limit_ends_a_quiet_stretch),
        cmocka_unit_test(test_a_stalled_solver_stops_without_a_next),
        cmocka_unit_test(test_the_next_solver_reaches_the_optimum),
        cmocka_unit_test(test_the_next_solver_begins_at_the_best_point),
        cmocka_unit_test(test_a_default_limit_calls_the_next),
        cmocka_unit_test(test_spare_solvers_follow_in_turn),
        cmocka_unit_test(test_limits_hold_for_both_together),
        cmocka_unit_test(test_schedules_follow_their_formulas),
        cmocka_unit_test(test_what_a_solver_knows_is_taken),
        cmocka_unit_test(test_a_bound_above_the_objective_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
