/* Lanes against the problem itself: values and bounds that it finds at their points, and the optimum of another solver;
 * lanes with labels, C and weights of their own; degenerate rows and lanes. */
#include "base/clock.h"
#include "base/memory.h"
#include "base/rng.h"
#include "data/data.h"
#include "kernel/level.h"
#include "solve/dual/ascent.h"
#include "solve/loop/run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NEAR(a, b, most) assert_true(fabs((a) - (b)) <= (most))

enum { ROWS = 240, COLUMNS = 60, ENTRIES = 7, CLASSES = 5 };

/* Counts of words that depend on the row's class; some rows are empty, some are repeated, some columns are empty. */
static hsp_data *text(double unit) {
    int64_t row[ROWS + 1] = {0}, *column = calloc(ROWS * ENTRIES, sizeof *column), at = 0;
    double *value = calloc(ROWS * ENTRIES, sizeof *value);
    const char *labels[ROWS], *const names[CLASSES] = {"a", "b", "c", "d", "e"};
    hsp_rng r = hsp_rng_new(5, 1);
    for (int64_t i = 0; i < ROWS; i++) {
        int64_t k = i % CLASSES;
        labels[i] = names[k];
        for (int64_t e = 0; i % 40 != 7 && e < ENTRIES; e++) {
            bool own = hsp_rng_uniform(&r) < 0.4;
            column[at] = own ? k * 8 + hsp_rng_below(&r, 8) : hsp_rng_below(&r, COLUMNS - 5);
            value[at++] = unit * (double)(1 + hsp_rng_below(&r, 3));
        }
        row[i + 1] = at;
        if (i % 50 == 30) { /* as the row before */
            int64_t same = row[i] - row[i - 1];
            memcpy(column + row[i], column + row[i - 1], (size_t)same * sizeof *column);
            memcpy(value + row[i], value + row[i - 1], (size_t)same * sizeof *value);
            row[i + 1] = at = row[i] + same;
        }
    }
    hsp_data *data = NULL;
    assert_int_equal(hsp_data_from_csr(row, column, value, ROWS, COLUMNS, labels, &data, NULL), 0);
    free(column);
    free(value);
    return data;
}

typedef struct bench {
    hsp_data *data;
    hsp_design *design;
    hsp_problem *p[CLASSES];
    hsp_point *point[CLASSES];
    hsp_outcome out[CLASSES];
    double C[CLASSES];
    const double *c[CLASSES];
    int64_t lines;
    bool stop; /* the hook asks for it */
} bench;

static void begin_bench(bench *t, hsp_data *data, const double *shift, const double *factor, double C, const double *c) {
    *t = (bench){.data = data};
    assert_int_equal(hsp_design_new(&data->x, shift, factor, 1, &t->design, NULL), 0);
    for (int64_t k = 0; k < CLASSES; k++) {
        assert_int_equal(hsp_point_new(1, t->design->d, &t->point[k], NULL), 0);
        assert_int_equal(hsp_point_add_alpha(t->point[k], ROWS, NULL), 0);
        t->C[k] = C;
        t->c[k] = c;
    }
}

static void end(bench *t) {
    for (int64_t k = 0; k < CLASSES; k++) hsp_problem_free(t->p[k]);
    for (int64_t k = 0; k < CLASSES; k++) hsp_point_free(t->point[k]);
    hsp_design_free(t->design);
}

static void pose(bench *t, const hsp_loss *loss, hsp_intercept intercept) {
    for (int64_t k = 0; k < CLASSES; k++) {
        hsp_problem_spec spec = {.loss = loss,
                                 .penalty = hsp_penalty_find("l2"),
                                 .intercept = intercept,
                                 .C = t->C[k],
                                 .lambda = NAN,
                                 .c = t->c[k]};
        hsp_problem_free(t->p[k]);
        t->p[k] = NULL;
        assert_int_equal(hsp_problem_new(t->design, &spec, &t->p[k], NULL), 0);
        for (int64_t i = 0; i < ROWS; i++) t->p[k]->y[i] = t->data->y[i] == k ? 1 : -1;
    }
}

static int count_line(void *user, const hsp_progress *line) {
    bench *t = user;
    t->lines++;
    assert_true(line->problem >= 0 && line->problem < CLASSES && line->problems == CLASSES);
    return t->stop;
}

static hsp_rules rules_of(double tol, int64_t most) {
    return (hsp_rules){.keep = HSP_KEEP_BEST,
                       .seed = 9,
                       .max_epochs = most,
                       .max_updates = -1,
                       .max_steps = -1,
                       .max_seconds = -1,
                       .tol = tol,
                       .tol_given = true,
                       .epochs_given = true};
}

static int run_by(bench *t, const hsp_rules *rules, hsp_error **err) {
    hsp_run_task task[CLASSES];
    hsp_hooks hooks = {.size = sizeof hooks, .user = t, .progress = count_line};
    for (int64_t k = 0; k < CLASSES; k++)
        task[k] = (hsp_run_task){t->p[k], {k, CLASSES, NULL}, &hooks, t->point[k], &t->out[k]};
    return hsp_run_together(&hsp_solver_dual, task, CLASSES, rules, err);
}

static void run_lanes(bench *t, const hsp_loss *loss, hsp_intercept intercept, double tol, int64_t most) {
    hsp_rules rules = rules_of(tol, most);
    pose(t, loss, intercept);
    assert_true(hsp_solver_dual.batch->takes(t->p[0]));
    assert_int_equal(run_by(t, &rules, NULL), 0);
}

/* The values are those of the problem at the point, the bound is that of the multipliers. */
static void check_honest(const bench *t, int64_t k) {
    hsp_problem *p = t->p[k];
    const hsp_outcome *o = &t->out[k];
    hsp_evaluation e = hsp_problem_evaluate(p, t->point[k]->w, t->point[k]->b);
    double P = e.objective, D = hsp_problem_dual_of(p, t->point[k]->alpha);
    NEAR(o->end.objective, P, 1e-10 * fabs(P));
    NEAR(o->end.mean_loss, e.mean_loss, 1e-10);
    NEAR(o->end.error, e.error, 1e-12);
    NEAR(o->end.norm, e.norm, 1e-10 * (1 + e.norm));
    /* below 0 a bound says nothing */
    if (!isnan(o->dual_bound)) NEAR(fmax(o->dual_bound, 0), fmax(D, 0), 1e-9 * fabs(P));
    assert_false(o->dual_bound > o->end.objective || o->dual_bound > P * (1 + 1e-12));
}

/* No other solver finds a lower objective than the gap allows, and lanes find none below its bound. */
static void check_optimal(const bench *t, int64_t k, double tol) {
    hsp_point *point = NULL;
    hsp_outcome out;
    hsp_rules rules = rules_of(1e-9, 2000);
    const hsp_solver *other = t->p[k]->loss->curvature ? &hsp_solver_newton : &hsp_solver_interior_point;
    assert_int_equal(hsp_point_new(1, t->design->d, &point, NULL), 0);
    assert_int_equal(hsp_point_add_alpha(point, ROWS, NULL), 0);
    assert_int_equal(hsp_run(other, t->p[k], &rules, (hsp_run_place){0, 1, NULL}, NULL, point, &out, NULL), 0);
    double P = t->out[k].end.objective;
    assert_true(P <= out.end.objective * (1 + 2 * tol) + 1e-12);
    assert_true(P >= out.dual_bound * (1 - 1e-12));
    hsp_point_free(point);
}

enum { LOSSES = 5 };
static const hsp_loss *const losses[LOSSES] = {&hsp_loss_hinge, &hsp_loss_squared_hinge, &hsp_loss_logistic,
                                               &hsp_loss_smoothed_hinge, &hsp_loss_modified_huber};

static void lanes_reach_the_optimum(void **unused) {
    (void)unused;
    hsp_data *data = text(1);
    double shift[COLUMNS], factor[COLUMNS];
    for (int j = 0; j < COLUMNS; j++) {
        shift[j] = 0.1 * (j % 5);
        factor[j] = j % 2 ? 0.5 : 1.5;
    }
    for (int l = 0; l < LOSSES; l++)
        for (int intercept = HSP_INTERCEPT_FREE; intercept <= HSP_INTERCEPT_PENALISED; intercept++)
            for (int scaled = 0; scaled < 2; scaled++) {
                bench t;
                begin_bench(&t, data, scaled ? shift : NULL, scaled ? factor : NULL, 0.3, NULL);
                run_lanes(&t, losses[l], (hsp_intercept)intercept, 1e-6, 3000);
                for (int64_t k = 0; k < CLASSES; k++) {
                    assert_string_equal(t.out[k].stages[0].method, "lanes");
                    assert_true(t.out[k].converged && t.out[k].gap <= 1e-6 && t.out[k].epochs > 0);
                    check_honest(&t, k);
                    check_optimal(&t, k, 1e-6);
                }
                assert_true(t.lines >= 2 * CLASSES);
                end(&t);
            }
    hsp_data_free(data);
}

/* Problems that leave the batch early are solved alone, to the tolerance that was asked for. */
static void small_tolerances_are_kept(void **unused) {
    (void)unused;
    hsp_data *data = text(1);
    for (int l = 0; l < LOSSES; l++) {
        bench t;
        begin_bench(&t, data, NULL, NULL, 0.3, NULL);
        run_lanes(&t, losses[l], HSP_INTERCEPT_FREE, 1e-9, 3000);
        for (int64_t k = 0; k < CLASSES; k++) {
            assert_true(t.out[k].converged && t.out[k].gap <= 1e-9);
            assert_true(t.out[k].stage_count > 1);
            check_honest(&t, k);
        }
        end(&t);
    }
    hsp_data_free(data);
}

/* Each lane with a C and with weights of its own, some of them 0. */
static void lanes_may_differ_in_all_but_rows(void **unused) {
    (void)unused;
    hsp_data *data = text(1);
    double weight[CLASSES][ROWS];
    hsp_rng r = hsp_rng_new(8, 2);
    for (int l = 0; l < LOSSES; l++) {
        bench t;
        begin_bench(&t, data, NULL, NULL, 1, NULL);
        for (int64_t k = 0; k < CLASSES; k++) {
            for (int64_t i = 0; i < ROWS; i++) weight[k][i] = hsp_rng_uniform(&r) < 0.2 ? 0 : 0.5 + 2 * hsp_rng_uniform(&r);
            t.C[k] = 0.02 * pow(3, (double)k);
            t.c[k] = k == 2 ? NULL : weight[k];
        }
        run_lanes(&t, losses[l], HSP_INTERCEPT_FREE, 1e-5, 3000);
        for (int64_t k = 0; k < CLASSES; k++) {
            assert_true(t.out[k].converged);
            check_honest(&t, k);
            check_optimal(&t, k, 1e-5);
        }
        end(&t);
        begin_bench(&t, data, NULL, NULL, 0.2, weight[0]); /* one set of weights for all */
        run_lanes(&t, losses[l], HSP_INTERCEPT_FREE, 1e-5, 3000);
        for (int64_t k = 0; k < CLASSES; k++) check_honest(&t, k);
        end(&t);
    }
    hsp_data_free(data);
}

/* A lane's result depends on its neighbours' C only within its tolerance, and not on the instruction set. */
static void levels_give_the_same_bits(void **unused) {
    (void)unused;
    hsp_data *data = text(0.3);
    for (int l = 0; l < LOSSES; l++) {
        bench a, b;
        begin_bench(&a, data, NULL, NULL, 2, NULL);
        begin_bench(&b, data, NULL, NULL, 2, NULL);
        run_lanes(&a, losses[l], HSP_INTERCEPT_FREE, 1e-4, 60);
        assert_true(hsp_level_choose("plain"));
        run_lanes(&b, losses[l], HSP_INTERCEPT_FREE, 1e-4, 60);
        hsp_level_choose(NULL);
        for (int64_t k = 0; k < CLASSES; k++) {
            assert_memory_equal(a.point[k]->w, b.point[k]->w, (size_t)a.design->d * sizeof(double));
            assert_memory_equal(a.point[k]->alpha, b.point[k]->alpha, ROWS * sizeof(double));
            assert_true(a.out[k].epochs == b.out[k].epochs && a.out[k].updates == b.out[k].updates);
        }
        end(&a);
        end(&b);
    }
    hsp_data_free(data);
}

/* From almost optimal multipliers few epochs are left. */
static void a_start_is_taken(void **unused) {
    (void)unused;
    hsp_data *data = text(1);
    for (int l = 0; l < LOSSES; l++) {
        bench t;
        begin_bench(&t, data, NULL, NULL, 0.1, NULL);
        run_lanes(&t, losses[l], HSP_INTERCEPT_FREE, 1e-6, 3000);
        int64_t most = 0, more = 0;
        for (int64_t k = 0; k < CLASSES; k++) most = t.out[k].epochs > most ? t.out[k].epochs : most;
        run_lanes(&t, losses[l], HSP_INTERCEPT_FREE, 1e-5, 3000);
        for (int64_t k = 0; k < CLASSES; k++) {
            assert_true(t.out[k].converged && t.out[k].gap <= 1e-5);
            more = t.out[k].epochs > more ? t.out[k].epochs : more;
            check_honest(&t, k);
        }
        assert_true(most <= 3 || more < most);
        end(&t);
    }
    hsp_data_free(data);
}

static void limits_stop_all_lanes_with_honest_points(void **unused) {
    (void)unused;
    hsp_data *data = text(1);
    bench t;
    for (int64_t most = 0; most < 3; most++) {
        begin_bench(&t, data, NULL, NULL, 10, NULL);
        run_lanes(&t, &hsp_loss_hinge, HSP_INTERCEPT_FREE, 1e-9, most);
        for (int64_t k = 0; k < CLASSES; k++) {
            assert_string_equal(hsp_stop_name(t.out[k].stop), "max-epochs");
            assert_int_equal((int)t.out[k].epochs, (int)most);
            check_honest(&t, k);
        }
        end(&t);
    }
    for (int how = 0; how < 3; how++) {
        begin_bench(&t, data, NULL, NULL, 10, NULL);
        pose(&t, &hsp_loss_logistic, HSP_INTERCEPT_FREE);
        hsp_rules rules = rules_of(1e-9, -1);
        if (how == 0) rules.max_seconds = 0;
        t.stop = how == 1;
        if (how == 2) hsp_cancel();
        assert_int_equal(run_by(&t, &rules, NULL), 0);
        assert_false(hsp_cancel_take()); /* it was for all of them */
        for (int64_t k = 0; k < CLASSES; k++) {
            assert_string_equal(hsp_stop_name(t.out[k].stop), how == 0 ? "max-seconds" : "cancelled");
            check_honest(&t, k);
        }
        end(&t);
    }
    hsp_data_free(data);
}

/* Extreme scales, weights and labels: every claim is true, and every run ends. */
static void extremes_are_survived(void **unused) {
    (void)unused;
    static const double units[] = {1e-6, 1, 1e6}, Cs[] = {1e-9, 1, 1e9};
    for (int u = 0; u < 3; u++) {
        hsp_data *data = text(units[u]);
        for (int l = 0; l < LOSSES; l++)
            for (int s = 0; s < 3; s++) {
                bench t;
                hsp_rules rules = rules_of(1e-3, 200);
                begin_bench(&t, data, NULL, NULL, Cs[s], NULL);
                pose(&t, losses[l], s == 2 ? HSP_INTERCEPT_NONE : HSP_INTERCEPT_FREE);
                for (int64_t i = 0; i < ROWS; i++) t.p[1]->y[i] = -1; /* one class alone */
                assert_int_equal(run_by(&t, &rules, NULL), 0);
                for (int64_t k = 0; k < CLASSES; k++) {
                    const hsp_outcome *o = &t.out[k];
                    for (int64_t j = 0; j < t.design->d; j++) assert_true(isfinite(t.point[k]->w[j]));
                    assert_true(isfinite(t.point[k]->b[0]) && isfinite(o->end.objective));
                    hsp_evaluation e = hsp_problem_evaluate(t.p[k], t.point[k]->w, t.point[k]->b);
                    NEAR(o->end.objective, e.objective, 1e-6 * fabs(e.objective) + 1e-300);
                }
                end(&t);
            }
        hsp_data_free(data);
    }
}

/* Every allocation fails once: reported, without a leak. */
static void memory_may_run_out(void **unused) {
    (void)unused;
    hsp_data *data = text(1);
    bench t;
    begin_bench(&t, data, NULL, NULL, 1, NULL);
    double weight[ROWS];
    for (int64_t i = 0; i < ROWS; i++) weight[i] = 1;
    t.c[0] = weight;
    pose(&t, &hsp_loss_logistic, HSP_INTERCEPT_FREE);
    hsp_rules rules = rules_of(1e-2, 2);
    int status = HSP_EMEMORY;
    for (int64_t calls = 0; status && calls < 200; calls++) {
        hsp_error *err = NULL;
        hsp_memory_fail_after(calls);
        status = run_by(&t, &rules, &err);
        hsp_memory_fail_after(-1);
        if (status) assert_int_equal(status, HSP_EMEMORY);
        hsp_error_free(err);
    }
    assert_int_equal(status, 0);
    end(&t);
    hsp_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_reach_the_optimum),
        cmocka_unit_test(small_tolerances_are_kept),
        cmocka_unit_test(lanes_may_differ_in_all_but_rows),
        cmocka_unit_test(levels_give_the_same_bits),
        cmocka_unit_test(a_start_is_taken),
        cmocka_unit_test(limits_stop_all_lanes_with_honest_points),
        cmocka_unit_test(extremes_are_survived),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
