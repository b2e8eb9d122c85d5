/* Training over parts: the same bytes for any division, and the answer of training in memory. */
#include "../part/cut_data.h"

#include "model/model.h"

/* Sanitised, a row takes some ten times as long. */
#ifdef __SANITIZE_ADDRESS__
enum { BLOCKS = 3 };
#else
enum { BLOCKS = 7 };
#endif

static const random_rows rows = {
    .n = (BLOCKS - 1) * HSP_PART_ROWS + 1234, .d = 5, .classes = 2, .filled = 1, .weights = true, .seed = 5};

typedef struct trained {
    hsp_model *model;
    hsp_report *report;
    void *bytes;
    size_t size;
} trained;

static void free_trained(trained *t) {
    hsp_model_free(t->model);
    hsp_report_free(t->report);
    hsp_free(t->bytes);
}

static hsp_options *options_of(const char *const *list) {
    hsp_options *o;
    assert_int_equal(hsp_options_new(&o, NULL), HSP_OK);
    for (; list[0]; list += 2) assert_int_equal(hsp_options_set(o, list[0], list[1], NULL), HSP_OK);
    return o;
}

static trained train_cut(const cut_data *c, int64_t turn, const hsp_options *o) {
    trained t = {0};
    hsp_error *err = NULL;
    hsp_engine *engine = engine_of(c, turn);
    int status = hsp_train_parts(engine, o, NULL, &t.model, &t.report, &err);
    if (status) fail_msg("%s", hsp_error_message(err));
    assert_int_equal(hsp_model_save_memory(t.model, &t.bytes, &t.size, NULL), HSP_OK);
    hsp_engine_free(engine);
    return t;
}

/* tol: of the relative difference to the objective in memory; negative: there is none. */
static void check_fit(const random_rows *r, const char *const *list, double tol) {
    static const int64_t counts[] = {1, 2, 3, BLOCKS};
    bool full = getenv("HSP_CHECK_FULL") != NULL; /* else fewer divisions, the last in another order */
    hsp_options *o = options_of(list);
    trained first = {0};
    for (int k = 0; k < 4; k += full ? 1 : 3) {
        cut_data c = cut_rows(r, counts[k]);
        int64_t turns = k < 3 ? 1 : full ? 3 : 2;
        for (int64_t turn = full ? 0 : turns - 1; turn < turns; turn++) {
            trained t = train_cut(&c, turn, o);
            if (!first.model) {
                first = t;
                continue;
            }
            assert_int_equal(t.size, first.size);
            assert_memory_equal(t.bytes, first.bytes, t.size);
            free_trained(&t);
        }
        free_cut(&c);
    }
    hsp_data *all = make_rows(r, 0, r->n);
    trained whole = {0};
    assert_int_equal(hsp_train(all, o, NULL, &whole.model, &whole.report, NULL), HSP_OK);
    assert_int_equal(hsp_report_number(first.report, "rows"), r->n);
    if (tol >= 0) {
        double P = hsp_report_number(first.report, "objective"), other = hsp_report_number(whole.report, "objective");
        double gap = hsp_report_number(first.report, "relative_gap");
        const char *stop = hsp_report_text(first.report, "stop_reason");
        if (strcmp(stop, "gap") != 0) fail_msg("%s %s: %s at gap %g", list[1], list[2] ? list[3] : "", stop, gap);
        assert_true(gap >= -1e-12 && gap <= tol);
        assert_true(fabs(P - other) <= (tol + 1e-4) * other);
        assert_true(hsp_report_number(first.report, "dual_bound") <= other * (1 + 1e-12));
    }
    const char *figure = r->classes ? "train_accuracy" : "train_mse";
    double value = hsp_report_number(first.report, figure), in_memory = hsp_report_number(whole.report, figure);
    if (tol < 0 || r->classes == 2) assert_true(fabs(value - in_memory) < (tol < 0 ? 1e-9 : 1e-2));
    for (int64_t j = 0; tol < 0 && j < r->d * hsp_model_outputs(first.model); j++) {
        hsp_array a = {.size = sizeof a}, b = {.size = sizeof b};
        hsp_model_array(first.model, "weights", &a, NULL);
        hsp_model_array(whole.model, "weights", &b, NULL);
        double u = ((const double *)a.data)[j], v = ((const double *)b.data)[j];
        if (!(fabs(u - v) <= 1e-8 * (fabs(v) + 1e-3))) fail_msg("%s: weight %g, not %g", list[1], u, v);
    }
    free_trained(&whole);
    free_trained(&first);
    hsp_data_free(all);
    hsp_options_free(o);
}

static void smooth_losses(void **state) {
    (void)state;
    random_rows many = rows, sparse = rows;
    many.classes = 3;
    sparse.filled = 0.2;
    check_fit(&rows, (const char *const[]){"algorithm", "logistic", NULL}, 1e-4);
    check_fit(&rows, (const char *const[]){"algorithm", "logistic", "solver", "newton-cg", "tol", "1e-6", NULL}, 1e-6);
    check_fit(&sparse, (const char *const[]){"algorithm", "logistic", "intercept", "none", "lambda", "0.01", NULL}, 1e-4);
    check_fit(&rows, (const char *const[]){"algorithm", "logistic", "intercept", "penalised", "class-weight", "balanced", NULL},
              1e-4);
    check_fit(&many, (const char *const[]){"algorithm", "logistic", NULL}, 1e-4);
    check_fit(&many, (const char *const[]){"algorithm", "logistic", "multiclass", "ovr", "tol", "1e-6", NULL}, 1e-6);
    check_fit(&rows, (const char *const[]){"algorithm", "svm", "loss", "squared-hinge", NULL}, 1e-4);
    check_fit(&many, (const char *const[]){"algorithm", "svm", "loss", "smoothed-hinge", NULL}, 1e-4);
}

/* Columns of unlike units: products are preconditioned by blocks of the Hessian, and for many columns by its diagonal. */
static void unlike_columns_take_few_rounds(void **state) {
    (void)state;
    random_rows few = rows, many = rows, wide = rows;
    few.units = many.units = 30, wide.units = 4;
    few.n = many.n = HSP_PART_ROWS + 1000, wide.n = 1500;
    many.classes = wide.classes = 3;
    wide.d = 2100, wide.filled = 0.01;
    const struct {
        const random_rows *r;
        const char *const list[7];
        double rounds;
    } cases[] = {
        {&few, {"algorithm", "logistic", "solver", "newton-cg", NULL}, 60},
        {&few, {"algorithm", "svm", "solver", "newton-cg", "loss", "squared-hinge", NULL}, 60},
        {&many, {"algorithm", "logistic", NULL}, 80},
        {&many, {"algorithm", "logistic", "intercept", "none", NULL}, 80},
        {&many, {"algorithm", "logistic", "intercept", "penalised", NULL}, 80},
        {&wide, {"algorithm", "logistic", "C", "0.1", NULL}, 250},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        hsp_options *o = options_of(cases[k].list);
        cut_data c = cut_rows(cases[k].r, 1);
        trained t = train_cut(&c, 0, o);
        double count = hsp_report_number(hsp_report_member(t.report, "parts"), "rounds");
        const char *stop = hsp_report_text(t.report, "stop_reason");
        if (strcmp(stop, "gap") != 0 || !(count <= cases[k].rounds))
            fail_msg("case %d: %s after %g rounds", (int)k, stop, count);
        free_trained(&t);
        free_cut(&c);
        hsp_options_free(o);
    }
}

static void the_hinge(void **state) {
    (void)state;
    random_rows many = rows;
    many.classes = 3;
    check_fit(&rows, (const char *const[]){"algorithm", "svm", NULL}, 1e-4);
    check_fit(&many, (const char *const[]){"algorithm", "svm", "C", "0.01", NULL}, 1e-4);
}

static void sparse_weights(void **state) {
    (void)state;
    random_rows many = rows, wide = rows;
    many.classes = 3;
    wide.d = 30;
    wide.filled = 0.1;
    check_fit(&wide, (const char *const[]){"algorithm", "logistic", "penalty", "l1", "C", "0.003", "tol", "1e-6", NULL}, 1e-6);
    check_fit(&many, (const char *const[]){"algorithm", "logistic", "penalty", "elastic", "multiclass", "ovr", NULL}, 1e-4);
}

static void closed_forms(void **state) {
    (void)state;
    random_rows many = rows, numbers = rows;
    many.classes = 3;
    numbers.classes = 0;
    check_fit(&rows, (const char *const[]){"algorithm", "ridge", NULL}, -1);
    check_fit(&many, (const char *const[]){"algorithm", "ridge", "intercept", "penalised", NULL}, -1);
    check_fit(&numbers, (const char *const[]){"algorithm", "ridge", "task", "regression", NULL}, -1);
    check_fit(&numbers, (const char *const[]){"algorithm", "least-squares", "intercept", "none", NULL}, -1);
    check_fit(&many, (const char *const[]){"algorithm", "nearest-mean", NULL}, -1);
    check_fit(&many, (const char *const[]){"algorithm", "lda", NULL}, -1);
    check_fit(&rows, (const char *const[]){"algorithm", "fisher", "threshold", "prior", NULL}, -1);
}

/* The scaling is learnt in one round. It changes what the penalty counts, and all that is not penalised stays. */
static void scaled_columns(void **state) {
    (void)state;
    random_rows many = rows, wide = rows;
    many.classes = 3;
    wide.d = 30;
    wide.filled = 0.1;
    check_fit(&rows, (const char *const[]){"algorithm", "logistic", "scale", "standard", "C", "0.001", NULL}, 1e-4);
    check_fit(&many, (const char *const[]){"algorithm", "logistic", "scale", "minmax", "C", "0.01", NULL}, 1e-4);
    check_fit(&wide, (const char *const[]){"algorithm", "svm", "scale", "maxabs", "C", "0.01", NULL}, 1e-4);
    check_fit(&wide, (const char *const[]){"algorithm", "logistic", "penalty", "l1", "scale", "standard", "C", "0.003", NULL},
              1e-4);
    check_fit(&many, (const char *const[]){"algorithm", "ridge", "scale", "standard", "C", "0.001", NULL}, -1);
    check_fit(&many, (const char *const[]){"algorithm", "nearest-mean", "scale", "standard", NULL}, -1);
    check_fit(&rows, (const char *const[]){"algorithm", "lda", "scale", "minmax", NULL}, -1);
}

/* ---- verifying ---- */

static void check_verified(const hsp_engine *engine, const hsp_model *m, bool expected, const char *what) {
    hsp_report *r;
    hsp_error *err = NULL;
    char *json = NULL;
    if (hsp_verify_parts(m, engine, NULL, NULL, &r, &err)) fail_msg("%s", hsp_error_message(err));
    assert_int_equal(hsp_report_json(r, &json, NULL), HSP_OK);
    if (hsp_report_flag(r, "verified") != expected) fail_msg("%s: %s", what, json);
    hsp_free(json);
    hsp_report_free(r);
}

static void check_claims(const random_rows *r, const char *const *list) {
    hsp_options *o = options_of(list);
    cut_data c = cut_rows(r, 2);
    hsp_engine *engine = engine_of(&c, 1);
    trained t = train_cut(&c, 0, o);
    hsp_model *loaded;
    assert_int_equal(hsp_model_load_memory(t.bytes, t.size, &loaded, NULL), HSP_OK);
    check_verified(engine, t.model, true, list[1]);
    check_verified(engine, loaded, true, list[1]);
    bool has_objective = !isnan(hsp_report_number(t.report, "relative_gap"));
    loaded->w[0] += 0.02 * fabs(loaded->w[0]) + 0.01;
    if (has_objective) check_verified(engine, loaded, false, "other weights");
    loaded->w[0] = t.model->w[0];
    loaded->data_hash++;
    check_verified(engine, loaded, false, "another hash");
    hsp_model_free(loaded);
    free_trained(&t);
    hsp_engine_free(engine);
    free_cut(&c);
    hsp_options_free(o);
}

static void claims_are_verified(void **state) {
    (void)state;
    random_rows few = rows, many = rows, numbers = rows;
    few.n = many.n = numbers.n = HSP_PART_ROWS + 1000;
    many.classes = 3;
    numbers.classes = 0;
    check_claims(&few, (const char *const[]){"algorithm", "logistic", "class-weight", "balanced", NULL});
    check_claims(&few, (const char *const[]){"algorithm", "logistic", "intercept", "penalised", NULL});
    check_claims(&few, (const char *const[]){"algorithm", "logistic", "penalty", "l1", NULL});
    check_claims(&many, (const char *const[]){"algorithm", "logistic", NULL});
    check_claims(&many, (const char *const[]){"algorithm", "logistic", "multiclass", "ovr", NULL});
    check_claims(&few, (const char *const[]){"algorithm", "svm", NULL});
    check_claims(&many, (const char *const[]){"algorithm", "svm", "C", "0.1", NULL});
    check_claims(&few, (const char *const[]){"algorithm", "svm", "loss", "squared-hinge", NULL});
    check_claims(&many, (const char *const[]){"algorithm", "ridge", NULL});
    check_claims(&numbers, (const char *const[]){"algorithm", "ridge", NULL});
    check_claims(&few, (const char *const[]){"algorithm", "lda", NULL});
    check_claims(&few, (const char *const[]){"algorithm", "logistic", "scale", "standard", NULL});
    check_claims(&few, (const char *const[]){"algorithm", "logistic", "intercept", "penalised", "scale", "minmax", NULL});
    check_claims(&few, (const char *const[]){"algorithm", "logistic", "intercept", "none", "scale", "maxabs", NULL});
    check_claims(&many, (const char *const[]){"algorithm", "logistic", "scale", "standard", NULL});
    check_claims(&many, (const char *const[]){"algorithm", "svm", "C", "0.1", "scale", "standard", NULL});
    check_claims(&numbers, (const char *const[]){"algorithm", "ridge", "scale", "minmax", NULL});
}

static void refusals_name_the_remedy(void **state) {
    static const char *const cases[][5] = {
        {"algorithm", "perceptron", NULL},
        {"algorithm", "sgd", NULL},
        {"algorithm", "mlp", NULL},
        {"algorithm", "logistic", "solver", "dual", NULL},
        {"algorithm", "logistic", "scale-all", "yes", NULL},
    };
    (void)state;
    random_rows r = rows;
    r.n = 100;
    cut_data c = cut_rows(&r, 1);
    hsp_engine *engine = engine_of(&c, 0);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        hsp_options *o = options_of(cases[k]);
        hsp_error *err = NULL;
        hsp_model *model;
        assert_int_equal(hsp_train_parts(engine, o, NULL, &model, NULL, &err), HSP_EUSAGE);
        assert_null(model);
        assert_non_null(strstr(hsp_error_message(err), ": "));
        hsp_error_free(err);
        hsp_options_free(o);
    }
    hsp_engine_free(engine);
    free_cut(&c);
}

int main(void) {
    setenv("SOURCE_DATE_EPOCH", "1", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smooth_losses),
        cmocka_unit_test(unlike_columns_take_few_rounds),
        cmocka_unit_test(the_hinge),
        cmocka_unit_test(sparse_weights),
        cmocka_unit_test(closed_forms),
        cmocka_unit_test(scaled_columns),
        cmocka_unit_test(claims_are_verified),
        cmocka_unit_test(refusals_name_the_remedy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
