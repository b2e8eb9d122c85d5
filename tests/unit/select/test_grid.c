/* Grids: what is parsed, in which order, which combinations there are, and every kind of mistake. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "select/grid.h"
#include "trained.h"

#include "base/text.h"

#include <math.h>

static hsp_grid grid_of(const char *const *pairs) {
    hsp_options *o = options_of(pairs);
    hsp_grid g;
    hsp_error *err = NULL;
    assert_non_null(o);
    if (hsp_grid_new(o, false, &g, &err)) fail_msg("%s", hsp_error_message(err));
    hsp_options_free(o);
    return g;
}

/* All points as "C=1,scale=none C=2,scale=none". */
static void check(const char *grid, const char *points) {
    hsp_grid g = grid_of(PAIRS("grid", grid));
    hsp_text t = {0};
    for (int64_t p = 0; p < g.points; p++) {
        if (p > 0) hsp_text_char(&t, ' ');
        for (int64_t a = 0; a < g.axes; a++) {
            const char *text = hsp_grid_text(&g, p, a);
            hsp_text_format(&t, "%s%s=%s", a > 0 ? "," : "", g.axis[a].option->name, text ? text : "-");
        }
    }
    assert_string_equal(t.s, points);
    hsp_text_free(&t);
    hsp_grid_clear(&g);
}

static void test_parsed(void **state) {
    (void)state;
    check("C=1,0.5,2,1.0", "C=0.5 C=1 C=2");
    check("C=0.01:100:log3", "C=0.01 C=1 C=100");
    check("C=0.01:100:3", "C=0.01 C=1 C=100");
    check("l1-ratio=0:1:lin3;algorithm=elastic-net", "l1-ratio=0,algorithm=elastic-net l1-ratio=0.5,algorithm=elastic-net "
                                                     "l1-ratio=1,algorithm=elastic-net");
    check("C=1,2;scale=none,standard", "C=1,scale=none C=1,scale=standard C=2,scale=none C=2,scale=standard");
    check(" --scale = none ;", "scale=none");
    check("a=logistic,svm", "algorithm=logistic algorithm=svm");
    check("algorithm=mlp;hidden=8|16,4", "algorithm=mlp,hidden=8 algorithm=mlp,hidden=16,4");
    check("algorithm=sgd;max-epochs=1:10:log5",
          "algorithm=sgd,max-epochs=1 algorithm=sgd,max-epochs=2 algorithm=sgd,max-epochs=3 "
          "algorithm=sgd,max-epochs=6 algorithm=sgd,max-epochs=10");
    check("lambda=auto,1;algorithm=ridge", "lambda=1,algorithm=ridge lambda=auto,algorithm=ridge");
    /* an algorithm without C has one point */
    check("algorithm=lda,svm;C=1,2", "algorithm=lda,C=- algorithm=svm,C=1 algorithm=svm,C=2");
    hsp_grid none = grid_of(PAIRS("seed", "1")), usual = grid_of(PAIRS("grid", "C=1:2")),
             lambdas = grid_of(PAIRS("lambdas", "1e-2:1:3", "grid", "scale=none,standard"));
    assert_true(none.points == 1 && none.axes == 0 && usual.points == 25 && lambdas.points == 6);
    hsp_grid_clear(&none);
    hsp_grid_clear(&usual);
    hsp_grid_clear(&lambdas);
}

/* Equal ratios and equal steps, both ends exact. */
static void test_spaced(void **state) {
    (void)state;
    hsp_grid g = grid_of(PAIRS("grid", "C=0.1:7:log13"));
    for (int64_t i = 1; i < 13; i++)
        assert_true(fabs(hsp_grid_number(&g, i, 0) / hsp_grid_number(&g, i - 1, 0) - pow(70, 1.0 / 12)) < 1e-12);
    assert_true(hsp_grid_number(&g, 0, 0) == 0.1 && hsp_grid_number(&g, 12, 0) == 7);
    hsp_grid_clear(&g);
    g = grid_of(PAIRS("grid", "C=0.1:0.7:lin7"));
    for (int64_t i = 0; i < 7; i++) assert_true(fabs(hsp_grid_number(&g, i, 0) - 0.1 * (double)(i + 1)) < 1e-15);
    hsp_grid_clear(&g);
}

static void test_points(void **state) {
    (void)state;
    hsp_grid g = grid_of(PAIRS("grid", "C=1,4;scale=none,standard")), l = grid_of(PAIRS("lambdas", "1,3"));
    hsp_options *o = options_of(PAIRS("seed", "1"));
    assert_int_equal(hsp_grid_set(&g, 3, o, NULL), 0);
    assert_true(hsp_options_is(o, "C", "4") && hsp_options_is(o, "scale", "standard"));
    assert_true(hsp_grid_strength(&g, 0) == 1 && hsp_grid_strength(&g, 2) == 0.25 && hsp_grid_strength(&l, 1) == 3);
    assert_true(hsp_grid_alike(&g, 0, 2, 0) && !hsp_grid_alike(&g, 0, 3, 0) && hsp_grid_alike(&g, 0, 1, 1));
    hsp_options_free(o);
    hsp_grid_clear(&g);
    hsp_grid_clear(&l);
}

static void refused(const char *words, const char *const *pairs) {
    hsp_options *o = options_of(pairs);
    hsp_grid g;
    hsp_error *err = NULL;
    assert_non_null(o);
    if (hsp_grid_new(o, false, &g, &err) != HSP_EUSAGE) fail_msg("no failure: %s", words);
    if (!strstr(hsp_error_message(err), words)) fail_msg("'%s' lacks '%s'", hsp_error_message(err), words);
    assert_true(g.points == 0 && !g.value && g.axes == 0);
    hsp_error_free(err);
    hsp_options_free(o);
}

static void test_refused(void **state) {
    (void)state;
    refused("unknown option 'Cs': did you mean C?", PAIRS("grid", "Cs=1,2"));
    refused("unknown option 'zzzzzz'", PAIRS("grid", "zzzzzz=1,2"));
    refused("cannot vary --target", PAIRS("grid", "target=1,2"));
    refused("cannot vary --missing", PAIRS("grid", "missing=mean,drop"));
    refused("cannot vary --seed", PAIRS("grid", "seed=1,2"));
    refused("cannot vary --positive", PAIRS("grid", "positive=a,b"));
    refused("cannot vary --max-seconds", PAIRS("grid", "max-seconds=1,2"));
    refused("cannot be 'C': give NAME=VALUES", PAIRS("grid", "C"));
    refused("cannot be 'C=': give NAME=VALUES", PAIRS("grid", "C="));
    refused("cannot be '=1': give NAME=VALUES", PAIRS("grid", "=1"));
    refused("--grid is empty", PAIRS("grid", ""));
    refused("-C cannot be '0'", PAIRS("grid", "C=0,1"));
    refused("-C cannot be 'x'", PAIRS("grid", "C=1,x"));
    refused("--grid C cannot be '1,,2'", PAIRS("grid", "C=1,,2"));
    refused("--grid C cannot be '1,2,'", PAIRS("grid", "C=1,2,"));
    refused("--scale cannot be 'big'", PAIRS("grid", "scale=none,big"));
    refused("--max-epochs cannot be '1.5'", PAIRS("grid", "max-epochs=1.5,2;algorithm=sgd"));
    refused("--grid C cannot be '2:1:log5'", PAIRS("grid", "C=2:1:log5"));
    refused("--grid C cannot be '1:1:log5'", PAIRS("grid", "C=1:1:log5"));
    refused("--grid C cannot be '0:1:log5'", PAIRS("grid", "C=0:1:log5"));
    refused("--grid C cannot be '1:2:log1'", PAIRS("grid", "C=1:2:log1"));
    refused("--grid C cannot be '1:2:cub5'", PAIRS("grid", "C=1:2:cub5"));
    refused("--grid C cannot be '1:2:log2000'", PAIRS("grid", "C=1:2:log2000"));
    refused("--grid C cannot be '1:2:3:4'", PAIRS("grid", "C=1:2:3:4"));
    refused("--grid C cannot be ':2:3'", PAIRS("grid", "C=:2:3"));
    refused("--l1-ratio cannot be '1.5'", PAIRS("grid", "l1-ratio=0:2:lin5;algorithm=elastic-net"));
    refused("has C twice", PAIRS("grid", "C=1,2;C=3"));
    refused("has lambda twice", PAIRS("grid", "lambda=1,2", "lambdas", "3"));
    refused("-C 3 is set", PAIRS("grid", "C=1,2", "C", "3"));
    refused("--scale none is set", PAIRS("grid", "scale=none,standard", "scale", "none"));
    refused("unknown algorithm 'logistc': did you mean logistic?", PAIRS("grid", "algorithm=logistc,svm"));
    refused("lda has no C to vary", PAIRS("grid", "C=1,2", "algorithm", "lda"));
    refused("no algorithm of --grid has a C to vary", PAIRS("grid", "C=1,2;algorithm=lda,fisher"));
    refused("more than 10000 combinations", PAIRS("grid", "C=1:2:log500;l1-ratio=0:1:lin500", "algorithm", "logistic"));
    refused("--lambdas cannot be '2:1'", PAIRS("lambdas", "2:1"));
    refused("--lambdas cannot be '0,1'", PAIRS("lambdas", "0,1"));
    refused("--lambdas cannot be '1,auto'", PAIRS("lambdas", "1,auto"));
    refused("leave them out", PAIRS("lambdas", "1,2", "C", "1"));
    refused("without a penalty", PAIRS("lambdas", "1,2", "penalty", "none"));
}

static void test_memory(void **state) {
    (void)state;
    hsp_options *o = options_of(PAIRS("grid", "C=1,2;scale=none,standard"));
    int status = HSP_EMEMORY;
    for (int64_t calls = 0; status == HSP_EMEMORY && calls < 1000; calls++) {
        hsp_grid g;
        hsp_error *err = NULL;
        hsp_memory_fail_after(calls);
        status = hsp_grid_new(o, false, &g, &err);
        hsp_memory_fail_after(-1);
        assert_true((status == 0) == (err == NULL) && (status == 0) == (g.points == 4));
        hsp_error_free(err);
        hsp_grid_clear(&g);
    }
    assert_int_equal(status, 0);
    hsp_options_free(o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parsed),  cmocka_unit_test(test_spaced), cmocka_unit_test(test_points),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
