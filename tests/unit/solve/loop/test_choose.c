/* Which solver: shapes with an obvious choice, and extreme sizes. */
#include "solve/loop/choose.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static hsp_facts dense(double n, double d, const hsp_loss *loss) {
    return (hsp_facts){.loss = loss,
                       .penalised = true,
                       .outputs = 1,
                       .C = 1,
                       .tol = 1e-6,
                       .n = n,
                       .d = d,
                       .stored = n * d,
                       .dense = true,
                       .pairs = n * d * d / 2,
                       .size = d};
}

static hsp_facts words(double n, double d, double length, const hsp_loss *loss) {
    hsp_facts f = dense(n, d, loss);
    f.dense = false;
    f.stored = n * length;
    f.pairs = n * length * length / 2;
    f.size = 1;
    f.tol = 1e-3;
    return f;
}

static void test_tall_data_take_the_whole_hessian(void **state) {
    (void)state;
    hsp_facts f = dense(5e5, 50, &hsp_loss_logistic);
    assert_ptr_equal(hsp_choose(&f).first, &hsp_solver_newton);
    f.loss = &hsp_loss_squared_hinge;
    f.C = 100;
    assert_ptr_equal(hsp_choose(&f).first, &hsp_solver_newton);
    f = dense(5e5, 50, &hsp_loss_hinge);
    f.C = 100;
    assert_ptr_equal(hsp_choose(&f).first, &hsp_solver_proximal_point);
    f = dense(3e4, 1000, &hsp_loss_hinge);
    assert_ptr_equal(hsp_choose(&f).first, &hsp_solver_interior_point);
}

static void test_wide_data_take_the_dual(void **state) {
    (void)state;
    const hsp_loss *losses[] = {&hsp_loss_hinge, &hsp_loss_squared_hinge};
    for (int k = 0; k < 2; k++) {
        hsp_facts f = words(2e4, 1e6, 400, losses[k]);
        assert_ptr_equal(hsp_choose(&f).first, &hsp_solver_dual);
    }
    hsp_facts f = words(2e4, 1e6, 400, &hsp_loss_logistic);
    hsp_solver_choice choice = hsp_choose(&f);
    assert_true(choice.first == &hsp_solver_dual || choice.first == &hsp_solver_newton_cg);
    if (choice.first == &hsp_solver_dual) assert_ptr_equal(choice.next, &hsp_solver_newton_cg);
}

/* Counts of words: rows so long that coordinate descent is slow, and many more rows than columns. */
static void test_long_rows_take_the_proximal_point(void **state) {
    (void)state;
    hsp_facts f = words(2e5, 1e4, 50, &hsp_loss_hinge);
    f.size = 80;
    assert_ptr_equal(hsp_choose(&f).first, &hsp_solver_proximal_point);
    f.C = 0.01;
    assert_ptr_equal(hsp_choose(&f).first, &hsp_solver_dual);
}

static void test_l1_takes_its_own(void **state) {
    (void)state;
    hsp_facts f = words(2e4, 1e6, 400, &hsp_loss_logistic);
    f.l1 = true;
    assert_ptr_equal(hsp_choose(&f).first, &hsp_solver_prox_newton);
}

static void test_many_classes_with_many_columns_never_take_the_whole_hessian(void **state) {
    (void)state;
    hsp_facts f = dense(6e4, 784, &hsp_loss_softmax);
    f.outputs = 10;
    assert_ptr_equal(hsp_choose(&f).first, &hsp_solver_newton_cg);
}

/* Without a penalty the dual has no bound. */
static void test_without_a_penalty_no_dual(void **state) {
    (void)state;
    hsp_facts f = words(2e4, 1e6, 400, &hsp_loss_logistic);
    f.penalised = false;
    assert_ptr_not_equal(hsp_choose(&f).first, &hsp_solver_dual);
}

static void test_whatever_the_figures_one_is_chosen(void **state) {
    (void)state;
    const double odd[] = {0, 1e-300, 1, 1e9, 1e300, INFINITY, NAN};
    const hsp_loss *losses[] = {&hsp_loss_hinge, &hsp_loss_squared_hinge, &hsp_loss_logistic, &hsp_loss_squared};
    enum { ODD = sizeof odd / sizeof *odd };
    for (int l = 0; l < 4; l++)
        for (int a = 0; a < ODD; a++)
            for (int b = 0; b < ODD; b++) {
                hsp_facts f = dense(odd[a], odd[b], losses[l]);
                f.size = odd[b];
                f.C = odd[a];
                hsp_solver_choice choice = hsp_choose(&f);
                assert_non_null(choice.first);
                assert_int_equal(choice.first->needs & ~losses[l]->traits, 0);
                if (choice.next) assert_int_equal(choice.next->needs & ~losses[l]->traits, 0);
                assert_ptr_not_equal(choice.first, choice.next);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tall_data_take_the_whole_hessian),
        cmocka_unit_test(test_wide_data_take_the_dual),
        cmocka_unit_test(test_long_rows_take_the_proximal_point),
        cmocka_unit_test(test_l1_takes_its_own),
        cmocka_unit_test(test_many_classes_with_many_columns_never_take_the_whole_hessian),
        cmocka_unit_test(test_without_a_penalty_no_dual),
        cmocka_unit_test(test_whatever_the_figures_one_is_chosen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
