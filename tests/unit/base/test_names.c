/* Names: what counts as the same name, and which name was probably meant. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "halfspace_internal.h"

#include <string.h>

static void words_ignore_case_and_dashes(void **unused) {
    (void)unused;
    const char *words = "lr maxiter  l1";
    assert_true(hsp_name_listed(words, "lr"));
    assert_true(hsp_name_listed(words, "max-iter"));
    assert_true(hsp_name_listed(words, "Max_Iter"));
    assert_true(hsp_name_listed(words, "L1"));
    assert_false(hsp_name_listed(words, "l"));
    assert_false(hsp_name_listed(words, "l12"));
    assert_false(hsp_name_listed(words, "lr maxiter"));
    assert_false(hsp_name_listed(words, ""));
    assert_false(hsp_name_listed(words, "--"));
    assert_false(hsp_name_listed("", "lr"));
}

static void nearest_is_what_was_meant(void **unused) {
    (void)unused;
    static const char *const names[] = {"film", "strict", "svm", "hard-svm", "l2", "l1", "C", "max-epochs", NULL};
    static const struct {
        const char *typed, *meant;
    } cases[] = {
        {"SVM", "svm"},
        {"hard_svm", "hard-svm"},
        {"svn", "svm"},
        {"max", "max-epochs"},
        {"maxepochs", "max-epochs"},
        {"fliM", "film"},
        {"c", "C"},
        {"L1", "l1"},
        {"l3", "l2"},
        {"C", "C"},
        {"stric", "strict"},
        {"fit", NULL},
        {"metric", NULL},
        {"z", NULL},
        {"", NULL},
        {"MAX-EPOCHES", "max-epochs"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *nearest = hsp_name_nearest(cases[i].typed, names);
        if (cases[i].meant == NULL)
            assert_null(nearest);
        else
            assert_string_equal(nearest, cases[i].meant);
    }
    assert_null(hsp_name_nearest("svm", names + 8));
}

static void long_names_are_never_near(void **unused) {
    (void)unused;
    char name[100];
    memset(name, 'x', 99);
    name[99] = '\0';
    const char *const names[] = {name, "svm", NULL};
    assert_null(hsp_name_nearest(name, names));
    assert_false(hsp_name_listed(name, name));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_ignore_case_and_dashes),
        cmocka_unit_test(nearest_is_what_was_meant),
        cmocka_unit_test(long_names_are_never_near),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
