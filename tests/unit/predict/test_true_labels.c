/* Labels in any spelling to the classes of a model, and to numbers. */
#include "model/handmade.h"

#include "predict/true_labels.h"

#include <stdio.h>

static void add(hsp_block *b, const char *label, int64_t length) {
    assert_int_equal(hsp_block_reserve(b, 0, length), 0);
    hsp_block_close_row(b, 0, label, length, b->rows + 1);
}

static void check(hsp_true_labels *g, const char *const *labels, const double *expected, int64_t known) {
    hsp_block b = {0};
    double truth[64];
    hsp_block_reset(&b, true, 0);
    for (int64_t i = 0; labels[i]; i++) add(&b, labels[i], (int64_t)strlen(labels[i]));
    for (int twice = 0; twice < 2; twice++) {
        assert_int_equal(hsp_true_labels_read(g, &b, truth), known);
        for (int64_t i = 0; i < known; i++) assert_true(truth[i] == expected[i]);
    }
    hsp_block_free(&b);
}

static void test_spellings(void **unused) {
    (void)unused;
    static const char *const classes[] = {"-1", "0", "12", "a rather long name", "zebra"};
    hsp_model *m = handmade_model(2, classes, 5, NULL, "none");
    hsp_true_labels g;
    hsp_true_labels_init(&g, &m->prepare, NULL);
    check(&g,
          (const char *const[]){"+12", "12.0", "1.2e1", "12", "-0", "0", "-1.0000000000000000000", "a rather long name",
                                " zebra ", "zebra", "-1", "-1", NULL},
          (const double[]){2, 2, 2, 2, 1, 1, 0, 3, 4, 4, 0, 0}, 12);
    check(&g, (const char *const[]){"zebra", "zebr", NULL}, (const double[]){4}, 1);
    check(&g, (const char *const[]){"zebras", NULL}, NULL, 0);
    check(&g, (const char *const[]){"12", "", "12", NULL}, (const double[]){2}, 1);
    check(&g, (const char *const[]){"another name, and a long one", NULL}, NULL, 0);
    hsp_block b = {0};
    double truth[2];
    hsp_block_reset(&b, true, 0);
    add(&b, "0", 1);
    add(&b, "0\0", 2); /* not the same, though all bytes after the first are 0 */
    assert_int_equal(hsp_true_labels_read(&g, &b, truth), 1);
    hsp_block_free(&b);
    hsp_true_labels_free(&g);
    hsp_model_free(m);
}

static void test_map(void **unused) {
    (void)unused;
    static const char *const classes[] = {"no", "perhaps", "yes"};
    hsp_model *m = handmade_model(2, classes, 3, NULL, "none");
    hsp_true_labels g;
    hsp_true_labels_init(&g, &m->prepare, "1=yes,0=no,no=yes");
    check(&g, (const char *const[]){"1", "+1", "0.0", "no", "yes", "perhaps", "1", "2", NULL},
          (const double[]){2, 2, 0, 2, 2, 1, 2}, 7);
    hsp_true_labels_free(&g);
    hsp_model_free(m);
}

/* More spellings than are remembered, all of one class. */
static void test_many_spellings(void **unused) {
    (void)unused;
    static const char *const classes[] = {"1", "2"};
    enum { ROWS = 70000 };
    hsp_model *m = handmade_model(2, classes, 2, NULL, "none");
    hsp_true_labels g;
    hsp_true_labels_init(&g, &m->prepare, NULL);
    hsp_block b = {0};
    double *truth = malloc(ROWS * sizeof *truth);
    char label[64];
    hsp_block_reset(&b, true, 0);
    for (int i = 0; i < ROWS; i++)
        add(&b, label, snprintf(label, sizeof label, "%d.0000000000000000000000%05d", i % 2 + 1, i));
    assert_int_equal(hsp_true_labels_read(&g, &b, truth), ROWS);
    for (int i = 0; i < ROWS; i++) assert_true(truth[i] == i % 2);
    free(truth);
    hsp_block_free(&b);
    hsp_true_labels_free(&g);
    hsp_model_free(m);
}

static void test_numbers(void **unused) {
    (void)unused;
    hsp_model *m = handmade_regression(2, NULL, "none");
    hsp_true_labels g;
    hsp_true_labels_init(&g, &m->prepare, NULL);
    check(&g, (const char *const[]){"1", "-2.5e3", "+0.125", NULL}, (const double[]){1, -2500, 0.125}, 3);
    check(&g, (const char *const[]){"1", "nan", NULL}, (const double[]){1}, 1);
    check(&g, (const char *const[]){"1", "1x", NULL}, (const double[]){1}, 1);
    check(&g, (const char *const[]){"1", "1e999", NULL}, (const double[]){1}, 1);
    check(&g, (const char *const[]){"", NULL}, NULL, 0);
    hsp_true_labels_free(&g);
    hsp_model_free(m);
}

static void test_memory(void **unused) {
    (void)unused;
    static const char *const classes[] = {"no", "yes"}, *const maps[] = {NULL, "y=yes"};
    hsp_model *m = handmade_model(2, classes, 2, NULL, "none");
    for (int i = 0; i < 2; i++) {
        for (int64_t k = 0;; k++) {
            hsp_true_labels g;
            hsp_block b = {0};
            double truth[3];
            hsp_true_labels_init(&g, &m->prepare, maps[i]);
            hsp_block_reset(&b, true, 0);
            add(&b, "yes", 3);
            add(&b, "no", 2);
            add(&b, "yes", 3);
            hsp_memory_fail_after(k);
            int64_t known = hsp_true_labels_read(&g, &b, truth);
            hsp_memory_fail_after(-1);
            hsp_true_labels_free(&g);
            hsp_block_free(&b);
            if (known == 3) break;
            assert_int_equal(known, HSP_EMEMORY);
            assert_true(k < 1000);
        }
    }
    hsp_model_free(m);
}

int main(void) {
    const struct CMUnitTest t[] = {cmocka_unit_test(test_spellings), cmocka_unit_test(test_map),
                                   cmocka_unit_test(test_many_spellings), cmocka_unit_test(test_numbers),
                                   cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(t, NULL, NULL);
}
