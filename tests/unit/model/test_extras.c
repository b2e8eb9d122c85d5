/* The further arrays of a model: which are accepted, which are ignored, and projections. */
#include "handmade.h"

static const char *const two[] = {"no", "yes"};
static const char *const three[] = {"a", "b", "c"};

static void test_taken(void **state) {
    (void)state;
    hsp_model *m = handmade_model(4, three, 3, NULL, "none");
    hsp_error *err = NULL;
    assert_null(hsp_model_extra(m, "class-means"));
    double *means = handmade_numbers(3, 4), *mass = handmade_numbers(3, 1);
    handmade_ok(hsp_model_add_extra(m, "class-means", 3, 4, means, &err), err);
    handmade_ok(hsp_model_add_extra(m, "class-mass", 3, 1, mass, &err), err);
    handmade_ok(hsp_model_add_extra(m, "class-covariances", 12, 4, handmade_numbers(12, 4), &err), err);
    assert_ptr_equal(hsp_model_extra(m, "class-means")->data, means);
    hsp_array a = {.size = sizeof a};
    handmade_ok(hsp_model_array(m, "class-means", &a, &err), err);
    assert_true(a.data == means && a.ndim == 2 && a.shape[0] == 3 && a.shape[1] == 4 && a.strides[0] == 32);
    handmade_ok(hsp_model_array(m, "class-mass", &a, &err), err);
    assert_true(a.data == mass && a.ndim == 1 && a.shape[0] == 3 && a.strides[0] == 8);
    handmade_fails(hsp_model_array(m, "directions", &a, &err), HSP_EUSAGE, &err, "class-covariances");
    assert_null(a.data);
    hsp_model_free(m);
}

static void test_refused(void **state) {
    (void)state;
    hsp_model *m = handmade_model(4, three, 3, NULL, "none"), *r = handmade_regression(4, NULL, "none");
    hsp_error *err = NULL;
    const struct {
        const char *name;
        int64_t rows, columns;
    } wrong[] = {{"class-means", 4, 3},
                 {"class-means", 2, 4},
                 {"class-mass", 3, 3},
                 {"class-covariances", 3, 4},
                 {"class-covariances", 4, 4},
                 {"second-moment", 4, 3},
                 {"cross-moment", 1, 4},
                 {"directions", 2, 3},
                 {"direction-offsets", 1, 2},
                 {"feature-sds", 3, 1},
                 {"feature-sds", 1, 4},
                 {"feature-means", 4, 2},
                 {"alphas", 3, 4},
                 {"weights", 3, 4},
                 {"", 1, 1}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        double *v = handmade_numbers(wrong[i].rows, wrong[i].columns);
        int status = hsp_model_add_extra(m, wrong[i].name, wrong[i].rows, wrong[i].columns, v, &err);
        handmade_fails(status, HSP_EINTERNAL, &err, wrong[i].name);
    }
    handmade_fails(hsp_model_add_extra(m, "class-means", 0, 4, NULL, &err), HSP_EINTERNAL, &err, "class-means");
    double *nan = handmade_numbers(3, 4);
    nan[11] = NAN;
    handmade_fails(hsp_model_add_extra(m, "class-means", 3, 4, nan, &err), HSP_EINTERNAL, &err, "not finite");
    handmade_ok(hsp_model_add_extra(m, "class-means", 3, 4, handmade_numbers(3, 4), &err), err);
    int status = hsp_model_add_extra(m, "class-means", 3, 4, handmade_numbers(3, 4), &err);
    handmade_fails(status, HSP_EINTERNAL, &err, "class-means");
    assert_int_equal(m->extra_count, 1);
    status = hsp_model_add_extra(r, "class-mass", 1, 1, handmade_numbers(1, 1), &err); /* it has no classes */
    handmade_fails(status, HSP_EINTERNAL, &err, "class-mass");
    handmade_ok(hsp_model_add_extra(r, "cross-moment", 1, 4, handmade_numbers(1, 4), &err), err);
    hsp_model_free(m);
    hsp_model_free(r);
}

static void test_projections(void **state) {
    (void)state;
    hsp_model *m = handmade_model(3, two, 2, NULL, "none");
    hsp_error *err = NULL;
    double *directions = handmade_numbers(2, 3), *offsets = handmade_numbers(2, 1), z[2];
    handmade_ok(hsp_model_add_extra(m, "direction-offsets", 2, 1, offsets, &err), err);
    void *bytes;
    size_t size;
    handmade_fails(hsp_model_save_memory(m, &bytes, &size, &err), HSP_EINTERNAL, &err, "offsets");
    int status = hsp_model_add_extra(m, "directions", 1, 3, handmade_numbers(1, 3), &err);
    handmade_fails(status, HSP_EINTERNAL, &err, "directions");
    handmade_ok(hsp_model_add_extra(m, "directions", 2, 3, directions, &err), err);
    handmade_ok(hsp_model_check(m, &err), err);
    const double x[] = {1, 0, -4}, value[] = {1, -4, 9};
    const uint32_t id[] = {0, 2, 3}; /* the last is not a feature of the model */
    hsp_model_project(m, hsp_row_dense(3, x), z);
    for (int j = 0; j < 2; j++) assert_true(z[j] == directions[3 * j] - 4 * directions[3 * j + 2] + offsets[j]);
    double sparse[2];
    hsp_model_project(m, hsp_row_sparse(3, id, value), sparse);
    assert_memory_equal(z, sparse, sizeof z);
    hsp_model_free(m);
}

int main(void) {
    const struct CMUnitTest t[] = {cmocka_unit_test(test_taken), cmocka_unit_test(test_refused),
                                   cmocka_unit_test(test_projections)};
    return cmocka_run_group_tests(t, NULL, NULL);
}
