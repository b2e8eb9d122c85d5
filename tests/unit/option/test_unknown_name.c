/* Unknown names: the remedy for words of other programs, the nearest name, or the list of all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "option/unknown_name.h"

static const char *name_at(int64_t i) {
    static const char *const names[] = {"logistic", "ridge", "svm", NULL};
    return names[i];
}

static const char *none_at(int64_t i) {
    (void)i;
    return NULL;
}

static void assert_message(const char *what, const char *name, const char *(*at)(int64_t), const char *message) {
    hsp_error *err = NULL;
    assert_int_equal(hsp_fail_unknown_name(what, name, at, &err), HSP_EUSAGE);
    assert_string_equal(hsp_error_message(err), message);
    hsp_error_free(err);
}

static void advice(void **unused) {
    (void)unused;
    assert_message("algorithm", "LogisticRegression", name_at, "unknown algorithm 'LogisticRegression': use -a logistic");
    assert_message("algorithm", "logistic-regression", name_at, "unknown algorithm 'logistic-regression': use -a logistic");
    assert_message("algorithm", "SVM", name_at, "unknown algorithm 'SVM': did you mean svm?");
    assert_message("algorithm", "nosuch", name_at, "unknown algorithm 'nosuch': choose one of logistic, ridge, svm");
    assert_message("algorithm", "nosuch", none_at, "unknown algorithm 'nosuch': choose one of none");
}

/* The same word means one thing as a penalty and another as an algorithm. */
static void words_belong_to_a_kind(void **unused) {
    (void)unused;
    assert_message("penalty", "lasso", none_at, "unknown penalty 'lasso': use --penalty l1");
    assert_message("solver", "sgd", none_at, "unknown solver 'sgd': use -a sgd");
    assert_message("generator", "lasso", none_at, "unknown generator 'lasso': choose one of none");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(advice),
        cmocka_unit_test(words_belong_to_a_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
