/* The charts of losses and of traces, by their elements. */
#include "plot/draw/style.h"
#include "plot/drawn.h"

#define HEAD "problem,epoch,updates,steps,objective,mean_loss,error,norm,dual_bound,relative_gap,seconds,method"

static void losses_have_fans_and_bars(void **state) {
    (void)state;
    static const char *const themes[] = {"light", "dark"};
    for (int i = 0; i < 2; i++) {
        hsp_options *o = options_of((const char *const[]){"theme", themes[i], NULL});
        hsp_figure *f = NULL;
        assert_int_equal(hsp_figure_new("losses", o, &f, NULL), 0);
        char *svg = svg_of(f);
        assert_int_equal(strokes(svg, "7"), 2); /* the bars of perceptron and hinge */
        assert_int_equal(count_of(svg, "stroke-opacity:0.75;") + count_of(svg, "stroke-opacity=\"0.75\""), 2 * 4);
        free(svg);
        hsp_options_free(o);
    }
}

static void losses_take_nothing(void **state) {
    (void)state;
    const double x[] = {1, 2};
    hsp_data *data = NULL;
    hsp_figure *f = NULL;
    assert_int_equal(hsp_data_from_dense(x, 2, 1, 1, NULL, NULL, &data, NULL), 0);
    assert_int_equal(hsp_figure_new("losses", NULL, &f, NULL), 0);
    assert_int_equal(hsp_figure_set_data(f, data, "rows", NULL), 0);
    expect_refused(f, HSP_EUSAGE, "losses");
    hsp_data_free(data);
}

static const char *written(const char *name, const char *text) {
    const char *path = in_folder(name);
    assert_int_equal(hsp_write_file(path, text, strlen(text), NULL), 0);
    return path;
}

/* A run of n epochs whose objective falls like 1/(epoch+1). */
static const char *run_of(const char *name, int n, bool certified, bool mistakes) {
    static char text[200000];
    size_t at = (size_t)snprintf(text, sizeof text, "%s%s\n", HEAD, mistakes ? ",mistake_bound" : "");
    for (int i = 0; i <= n; i++) {
        int whole = 1000000 / (i + 1);
        at += (size_t)snprintf(text + at, sizeof text - at, "0,%d,%d,%d,%d.5,0.%06d,0.25,2,", i, 2 * i, 10 * i, whole,
                               whole % 1000000);
        if (certified) at += (size_t)snprintf(text + at, sizeof text - at, "%d,0.%06d,", whole, whole % 1000000);
        at += (size_t)snprintf(text + at, sizeof text - at, "%s0.001,%s%s\n", certified ? "" : ",,",
                               mistakes ? "perceptron" : "newton", mistakes ? ",900" : "");
    }
    assert_true(at < sizeof text - 1000);
    return written(name, text);
}

static char *trace_of(const char *const *path) {
    hsp_figure *f = NULL;
    assert_int_equal(hsp_figure_new("trace", NULL, &f, NULL), 0);
    for (; *path; path++) assert_int_equal(hsp_figure_add_trace(f, *path, NULL), 0);
    return svg_of(f);
}

/* Curves have a width of 2, bounds are dashed and thinner. */
static void panels_are_those_with_figures(void **state) {
    (void)state;
    const char *plain = run_of("plain.csv", 20, false, false), *certified = run_of("certified.csv", 20, true, false);
    const char *mistakes = run_of("mistakes.csv", 20, false, true);
    char *svg = trace_of((const char *const[]){plain, NULL});
    int64_t one = strokes(svg, "2");
    assert_int_equal(strokes(svg, "1.6"), 0);
    expect_on_sheet(svg, 960, 640);
    free(svg);
    svg = trace_of((const char *const[]){certified, NULL});
    assert_int_equal(strokes(svg, "2"), one + 1); /* the gap */
    assert_int_equal(strokes(svg, "1.6"), 1);     /* the dual bound */
    free(svg);
    svg = trace_of((const char *const[]){plain, certified, NULL});
    assert_int_equal(strokes(svg, "2"), 2 * one + 1);
    assert_int_equal(strokes(svg, "3"), 2); /* their names */
    free(svg);
    svg = trace_of((const char *const[]){mistakes, NULL});
    assert_int_equal(strokes(svg, "2"), one + 1);
    assert_int_equal(strokes(svg, "1.6"), 1); /* Novikoff */
    expect_on_sheet(svg, 960, 640);
    free(svg);
    unlink(plain);
    unlink(certified);
    unlink(mistakes);
}

/* The height, from above, of the k-th point of the dashed curve. */
static double dashed_height(const char *svg, int k) {
    const char *at = strstr(svg, "stroke-width:1.6;");
    if (!at) at = strstr(svg, "stroke-width=\"1.6\"");
    assert_non_null(at);
    while (*at && *at != '<') at--; /* the order of the attributes varies */
    at = strstr(at, " d=\"M ") + 6;
    for (int i = 0; i < 3 * k + 1; i++) at = strchr(at, ' ') + 1;
    return strtod(at, NULL);
}

/* Below the end there is as much space for the bound as the objective takes above, and no more. */
static void bounds_are_seen_to_close_in(void **state) {
    (void)state;
    static const char text[] = HEAD "\n0,0,0,0,100,1,0.25,2,-1000,1,0.001,dual\n0,1,1,9,40,0.4,0.25,2,-50,1,0.002,dual\n"
                                    "0,2,2,18,10,0.1,0.25,2,9,0.1,0.003,dual\n";
    const char *path = written("bound.csv", text);
    const double middle = 340; /* the objective is in the upper row */
    char *svg = trace_of((const char *const[]){path, NULL});
    assert_true(dashed_height(svg, 0) > middle);
    assert_true(dashed_height(svg, 1) < middle && dashed_height(svg, 2) < dashed_height(svg, 1));
    free(svg);
    unlink(path);
}

static void long_and_short_runs(void **state) {
    (void)state;
    const char *longest = run_of("long.csv", 2500, true, false), *none = run_of("none.csv", 0, false, false);
    const char *runs[] = {longest, none, longest, none, longest, none, longest, none, longest, NULL};
    char *svg = trace_of(runs);
    assert_true(strlen(svg) < 3000000);
    expect_on_sheet(svg, 960, 640);
    free(svg);
    svg = trace_of((const char *const[]){none, NULL});
    expect_on_sheet(svg, 960, 640);
    free(svg);
    hsp_figure *f = NULL;
    assert_int_equal(hsp_figure_new("trace", NULL, &f, NULL), 0);
    for (int i = 0; i < 10; i++) assert_int_equal(hsp_figure_add_trace(f, none, NULL), 0);
    expect_refused(f, HSP_EUSAGE, "at most 9");
    unlink(longest);
    unlink(none);
}

static void broken_traces_are_refused(void **state) {
    (void)state;
    const char *broken = written("broken.csv", HEAD "\n0,zero,0\n"),
               *blank = written("blank.csv", HEAD "\n0,0,,,,,,,,,,\n");
    hsp_figure *f = NULL;
    hsp_error *err = NULL;
    assert_int_equal(hsp_figure_new("trace", NULL, &f, NULL), 0);
    assert_int_equal(hsp_figure_add_trace(f, broken, &err), HSP_EINPUT);
    assert_int_equal(hsp_error_line(err), 2);
    hsp_error_free(err);
    assert_true(hsp_figure_add_trace(f, in_folder("absent.csv"), NULL) < 0);
    expect_refused(f, HSP_EUSAGE, "train --trace");
    assert_int_equal(hsp_figure_new("trace", NULL, &f, NULL), 0);
    assert_int_equal(hsp_figure_add_trace(f, blank, NULL), 0);
    expect_refused(f, HSP_EINPUT, "no values");
    unlink(broken);
    unlink(blank);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    hsp_figure *f = NULL;
    assert_int_equal(hsp_figure_new("losses", NULL, &f, NULL), 0);
    expect_memory_to_matter(f);
    const char *run = run_of("run.csv", 20, true, true);
    assert_int_equal(hsp_figure_new("trace", NULL, &f, NULL), 0);
    for (int i = 0; i < 2; i++) assert_int_equal(hsp_figure_add_trace(f, run, NULL), 0);
    unlink(run);
    expect_memory_to_matter(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(losses_have_fans_and_bars),     cmocka_unit_test(losses_take_nothing),
        cmocka_unit_test(panels_are_those_with_figures), cmocka_unit_test(bounds_are_seen_to_close_in),
        cmocka_unit_test(long_and_short_runs),           cmocka_unit_test(broken_traces_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
