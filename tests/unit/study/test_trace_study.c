/* Traces of training: what is read, how problems are put together, and what is refused. */
#include "studied.h"

#include <stdio.h>
#include <unistd.h>

#define HEAD "problem,epoch,updates,steps,objective,mean_loss,error,norm,dual_bound,relative_gap,seconds,method"

static char path[] = "test-trace-XXXXXX";

static int set_up(void **state) {
    (void)state;
    int f = mkstemp(path);
    return f < 0 ? -1 : close(f);
}

static int tear_down(void **state) {
    (void)state;
    return unlink(path);
}

static int read_text(const char *text, hsp_report **s, hsp_error **err) {
    assert_int_equal(hsp_write_file(path, text, strlen(text), NULL), 0);
    return hsp_study_read_trace(path, s, err);
}

static hsp_report *read_well(const char *text) {
    hsp_report *s = NULL;
    hsp_error *err = NULL;
    int code = read_text(text, &s, &err);
    if (err) print_error("%s\n", hsp_error_message(err));
    assert_int_equal(code, 0);
    return s;
}

static void expect_refusal(const char *text, int64_t line, const char *words) {
    hsp_report *s = NULL;
    hsp_error *err = NULL;
    assert_int_equal(read_text(text, &s, &err), HSP_EINPUT);
    assert_null(s);
    assert_int_equal(hsp_error_line(err), line);
    assert_non_null(strstr(hsp_error_message(err), path));
    if (!strstr(hsp_error_message(err), words)) print_error("%s\n", hsp_error_message(err));
    assert_non_null(strstr(hsp_error_message(err), words));
    hsp_error_free(err);
}

static const double *array(const hsp_report *s, const char *name, int64_t count) {
    hsp_array a = {.size = sizeof a};
    assert_int_equal(hsp_report_array(s, name, &a, NULL), 0);
    assert_int_equal(a.shape[0], count);
    return a.data;
}

static void one_problem_is_read_as_it_is(void **state) {
    (void)state;
    hsp_report *s = read_well(HEAD "\n0,0,0,0,59,1,0.5,0,,,1e-6,newton\r\n0,1,1,59,0.5,0.25,0,1.5,-48,84.5,2e-4,polish\n\n"
                                   "0,2,2,118,0.25,0.125,0,1.25,0.25,0,3e-4,newton\n");
    assert_string_equal(hsp_report_text(s, "kind"), "trace");
    assert_true(hsp_report_number(s, "problems") == 1);
    assert_string_equal(hsp_report_text_at(s, "methods", 0), "newton");
    assert_string_equal(hsp_report_text_at(s, "methods", 1), "polish");
    assert_null(hsp_report_text_at(s, "methods", 2));
    static const char *const names[] = {"epoch", "objective", "error", "norm", "dual_bound", "relative_gap", "seconds"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char run[40];
        snprintf(run, sizeof run, "run_%s", names[i]);
        const double *a = array(s, names[i], 3), *b = array(s, run, 3);
        for (int k = 0; k < 3; k++) assert_true(a[k] == b[k] || (isnan(a[k]) && isnan(b[k])));
    }
    assert_true(isnan(array(s, "dual_bound", 3)[0]) && array(s, "dual_bound", 3)[1] == -48);
    assert_true(isnan(array(s, "mistake_bound", 3)[0]));
    assert_true(array(s, "relative_gap", 3)[2] == 0 && array(s, "updates", 3)[2] == 2);
    hsp_report_free(s);
}

/* Problems that end earlier stay where they ended; each epoch stands once, in order. */
static void problems_are_put_together(void **state) {
    (void)state;
    hsp_report *s = read_well(HEAD ",mistake_bound\n"
                                   "0,0,0,0,10,1,0.5,0,,,0.1,perceptron,7\n0,1,2,9,6,0.5,0.25,3,2,,0.2,perceptron,7\n"
                                   "1,0,0,0,20,1,0.5,0,,,0.3,perceptron,5\n1,1,3,9,8,0.5,0.5,2,1,,0.4,perceptron,5\n"
                                   "1,3,4,18,4,0.25,0.125,4,3,,0.5,perceptron,5\n");
    assert_true(hsp_report_number(s, "problems") == 2);
    const double *epoch = array(s, "run_epoch", 3), *objective = array(s, "run_objective", 3);
    const double *error = array(s, "run_error", 3), *norm = array(s, "run_norm", 3), *gap = array(s, "run_relative_gap", 3);
    assert_true(epoch[0] == 0 && epoch[1] == 1 && epoch[2] == 3);
    assert_true(objective[0] == 30 && objective[1] == 14 && objective[2] == 10);
    assert_true(error[1] == 0.375 && error[2] == 0.1875);
    assert_true(norm[2] == 5);
    assert_true(array(s, "run_dual_bound", 3)[2] == 5 && isnan(gap[0]) && fabs(gap[2] - 0.5) < 1e-12);
    assert_true(array(s, "run_mistake_bound", 3)[2] == 12);
    assert_true(array(s, "run_updates", 3)[2] == 6 && array(s, "run_seconds", 3)[2] == 0.5);
    array(s, "objective", 5);
    hsp_report_free(s);
}

static void columns_may_stand_anywhere(void **state) {
    (void)state;
    hsp_report *s =
        read_well("later,epoch,problem,updates,steps,objective,mean_loss,error,norm,dual_bound,relative_gap,seconds\n"
                  "text,4,0,1,2,3,4,5,6,7,8,9\n");
    assert_true(array(s, "run_epoch", 1)[0] == 4 && array(s, "run_seconds", 1)[0] == 9);
    assert_null(hsp_report_text_at(s, "methods", 0));
    hsp_report_free(s);
}

static void broken_files_are_refused(void **state) {
    (void)state;
    expect_refusal(HEAD "\n0,0,0,0,59,1,0.5,0,,,1e-6,newton\n0,1,1,59,0.5,0.25,0,1.5,-48,84.5,2e-4,po", 3,
                   "may be truncated");
    static const char line[] = "0,0,0,0,59,1,0.5,0,,,1e-6,newton\n";
    char text[4096];
    expect_refusal("", 0, "empty");
    expect_refusal("\n", 1, "'problem' is missing");
    expect_refusal("x1,x2,label\n1,2,a\n", 1, "train --trace");
    expect_refusal("problem," HEAD "\n", 1, "duplicate");
    expect_refusal(HEAD "\n", 0, "no epochs");
    snprintf(text, sizeof text, HEAD "\n%s0,1,1,59\n", line);
    expect_refusal(text, 3, "truncated");
    snprintf(text, sizeof text, HEAD "\n%s0,1,1,59,1,1,1,1,1,1,1,newton,9\n", line);
    expect_refusal(text, 3, "more cells");
    snprintf(text, sizeof text, HEAD "\n%s%s0,1,1,59,high,1,1,1,1,1,1,newton\n", line, line);
    expect_refusal(text, 4, "'high' in column objective is not a number");
    snprintf(text, sizeof text, HEAD "\n%s0,1,1,59,1e999,1,1,1,1,1,1,newton\n", line);
    expect_refusal(text, 3, "objective");
    snprintf(text, sizeof text, HEAD "\n0,,1,59,1,1,1,1,1,1,1,newton\n");
    expect_refusal(text, 2, "epoch");
    snprintf(text, sizeof text, HEAD "\n0,-1,1,59,1,1,1,1,1,1,1,newton\n");
    expect_refusal(text, 2, "whole number");
    snprintf(text, sizeof text, HEAD "\n0.5,1,1,59,1,1,1,1,1,1,1,newton\n");
    expect_refusal(text, 2, "whole number");
    snprintf(text, sizeof text, HEAD "\n1000000000,1,1,59,1,1,1,1,1,1,1,newton\n");
    expect_refusal(text, 0, "missing");
    for (int k = 0; k < 3; k++) { /* whichever of three is not there; the last is not missed */
        int at = snprintf(text, sizeof text, HEAD "\n");
        for (int i = 0; i < 6; i++)
            if (i % 3 != k)
                at += snprintf(text + at, sizeof text - (size_t)at, "%d,%d,1,59,1,1,1,1,1,1,1,newton\n", i % 3, i / 3);
        if (k < 2)
            expect_refusal(text, 0, "problems have no line");
        else
            hsp_report_free(read_well(text));
    }
    hsp_report *s = NULL;
    assert_int_equal(hsp_study_read_trace("no-such-trace.csv", &s, NULL), HSP_EINPUT);
    assert_null(s);
}

static int read_trace(const void *ctx, hsp_report **out, hsp_error **err) {
    return hsp_study_read_trace(ctx, out, err);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    static const char text[] = HEAD "\n0,0,0,0,59,1,0.5,0,,,1e-6,newton\n1,0,0,0,59,1,0.5,0,,,1e-6,newton\n";
    assert_int_equal(hsp_write_file(path, text, strlen(text), NULL), 0);
    made_short_of_memory(read_trace, path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_problem_is_read_as_it_is), cmocka_unit_test(problems_are_put_together),
        cmocka_unit_test(columns_may_stand_anywhere),   cmocka_unit_test(broken_files_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
