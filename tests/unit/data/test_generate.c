#include "data_fixture.h"

#include "data/generate.h"
#include "option/options.h"

/* pairs: name, value, ..., NULL */
static int generate(const char *kind, const char *const *pairs, hsp_data **out, hsp_error **err) {
    hsp_options *o;
    assert_int_equal(hsp_options_new(&o, NULL), 0);
    for (; pairs && pairs[0]; pairs += 2) assert_int_equal(hsp_options_set(o, pairs[0], pairs[1], NULL), 0);
    int status = hsp_data_generate(kind, o, out, err);
    hsp_options_free(o);
    return status;
}

static hsp_data *made(const char *kind, const char *const *pairs) {
    hsp_data *data;
    hsp_error *err = NULL;
    if (generate(kind, pairs, &data, &err)) fail_msg("%s: %s", kind, hsp_error_message(err));
    return data;
}

#define WITH(...) ((const char *const[]){__VA_ARGS__, NULL})

static void every_kind(void **state) {
    (void)state;
    for (const hsp_generator *g = hsp_generator_table; g->name; g++) {
        assert_ptr_equal(hsp_generator_find(g->name), g);
        assert_non_null(g->help);
        hsp_data *a = made(g->name, NULL), *b = made(g->name, WITH("seed", "1")), *c = made(g->name, WITH("seed", "2"));
        assert_int_equal(hsp_data_rows(a), 100);
        assert_int_equal(hsp_data_features(a), g->features);
        assert_int_equal(hsp_data_classes(a), g->regression ? 0 : 2);
        assert_true((a->target != NULL) == g->regression && (a->y != NULL) == !g->regression);
        if (!g->regression) {
            assert_string_equal(hsp_data_class_name(a, 0), "-1");
            assert_string_equal(hsp_data_class_name(a, 1), "1");
        }
        assert_string_equal(a->schema.format, g->format);
        assert_string_equal(a->source, "generated");
        assert_true(hsp_data_hash(a) == hsp_data_hash(b));
        assert_true(hsp_data_hash(a) != hsp_data_hash(c));
        bool csv = strcmp(g->format, "csv") == 0;
        assert_true(a->x.dense == csv);
        assert_int_equal(a->schema.base, csv ? 0 : 1);
        if (csv) {
            assert_string_equal(hsp_data_feature_name(a, 1), "x2");
            assert_string_equal(a->schema.target, g->regression ? "y" : "label");
            assert_int_equal(a->schema.target_column, g->features + 1);
            assert_int_equal(a->schema.file_columns, g->features + 1);
            assert_int_equal(a->schema.column[1], 2);
            assert_true(a->schema.header);
            assert_int_equal(a->schema.delimiter, ',');
        }
        hsp_data_free(a);
        hsp_data_free(b);
        hsp_data_free(c);
        for (int n = 1; n < 4; n++) { /* few rows, and no noise or a lot */
            char rows[16];
            snprintf(rows, sizeof rows, "%d", n);
            a = made(g->name, WITH("rows", rows, "noise", n == 1 ? "0" : "1e6"));
            assert_int_equal(hsp_data_rows(a), n);
            hsp_data_free(a);
        }
    }
    assert_null(hsp_generator_find("nothing"));
}

static void squares_as_in_the_notes(void **state) {
    (void)state;
    hsp_data *data = made("squares", WITH("rows", "10001"));
    double mean[2][2] = {{0}}, least[2] = {99, 99}, greatest[2] = {-99, -99};
    for (int64_t i = 0; i < 10001; i++) {
        double x[2];
        int k = i >= 5001; /* the odd row is of class 1, and class 1 comes first */
        assert_string_equal(hsp_data_class_name(data, data->y[i]), k ? "-1" : "1");
        assert_int_equal(hsp_data_row(data, i, x, NULL), 0);
        for (int j = 0; j < 2; j++) {
            mean[k][j] += x[j] / 5000;
            least[k] = fmin(least[k], x[j]);
            greatest[k] = fmax(greatest[k], x[j]);
        }
    }
    assert_true(least[0] >= -1 && least[0] < -0.99 && greatest[0] <= 10 && greatest[0] > 9.99);
    assert_true(least[1] >= -10 && least[1] < -9.99 && greatest[1] <= 1 && greatest[1] > 0.99);
    for (int j = 0; j < 2; j++) { /* sd of the mean is 11 / sqrt(12 * 5000) = 0.045 */
        assert_true(fabs(mean[0][j] - 4.5) < 0.2);
        assert_true(fabs(mean[1][j] + 4.5) < 0.2);
    }
    hsp_data_free(data);
    data = made("squares", WITH("rows", "1000", "noise", "5"));
    double x[2], most = 0;
    for (int64_t i = 0; i < 500; i++) {
        assert_int_equal(hsp_data_row(data, i, x, NULL), 0);
        most = fmax(most, x[0]);
    }
    assert_true(most > 12);
    hsp_data_free(data);
}

/* Each cluster has mean its centre and sd `noise`, and is separate from the others. */
static void blobs_are_apart(void **state) {
    (void)state;
    const char *const sizes[][2] = {{"1", "2"}, {"1", "5"}, {"2", "2"}, {"2", "12"}, {"7", "3"}};
    for (int s = 0; s < 5; s++) {
        hsp_data *data =
            made("blobs", WITH("rows", "6000", "features", sizes[s][0], "classes", sizes[s][1], "noise", "0.5"));
        int64_t d = hsp_data_features(data), classes = hsp_data_classes(data), count[12];
        double mean[12][7] = {{0}}, square[12] = {0};
        hsp_data_class_counts(data, count);
        for (int pass = 0; pass < 2; pass++)
            for (int64_t i = 0; i < 6000; i++) {
                double x[7];
                int32_t k = data->y[i];
                assert_int_equal(hsp_data_row(data, i, x, NULL), 0);
                for (int64_t j = 0; j < d; j++) {
                    if (pass == 0)
                        mean[k][j] += x[j] / (double)count[k];
                    else
                        square[k] += (x[j] - mean[k][j]) * (x[j] - mean[k][j]) / (double)(count[k] * d);
                }
            }
        for (int64_t k = 0; k < classes; k++) {
            assert_in_range(count[k], 6000 / classes, 6000 / classes + 1);
            assert_true(fabs(sqrt(square[k]) - 0.5) < 0.05);
            for (int64_t m = 0; m < k; m++) {
                double apart = 0;
                for (int64_t j = 0; j < d; j++) apart += (mean[k][j] - mean[m][j]) * (mean[k][j] - mean[m][j]);
                assert_true(sqrt(apart) > 4.8);
            }
        }
        if (classes > 2) assert_string_equal(hsp_data_class_name(data, 2), "3");
        hsp_data_free(data);
    }
}

static void shapes(void **state) {
    (void)state;
    hsp_data *data = made("circles", WITH("rows", "200", "noise", "0"));
    double x[2];
    for (int64_t i = 0; i < 200; i++) {
        assert_int_equal(hsp_data_row(data, i, x, NULL), 0);
        assert_true(fabs(hypot(x[0], x[1]) - (data->y[i] == 1 ? 0.5 : 1)) < 1e-5);
    }
    hsp_data_free(data);
    data = made("xor", WITH("rows", "200", "noise", "0.1"));
    for (int64_t i = 0; i < 200; i++) {
        assert_int_equal(hsp_data_row(data, i, x, NULL), 0);
        assert_true((x[0] * x[1] < 0) == (data->y[i] == 1));
    }
    hsp_data_free(data);
    data = made("moons", WITH("rows", "200", "noise", "0"));
    for (int64_t i = 0; i < 200; i++) {
        assert_int_equal(hsp_data_row(data, i, x, NULL), 0);
        double r = data->y[i] == 1 ? hypot(x[0], x[1]) : hypot(x[0] - 1, x[1] - 0.5);
        assert_true(fabs(r - 1) < 1e-5);
    }
    hsp_data_free(data);
    data = made("spirals", WITH("rows", "200", "noise", "0"));
    for (int64_t i = 0; i < 200; i++) { /* the angle follows from the radius */
        assert_int_equal(hsp_data_row(data, i, x, NULL), 0);
        double r = hypot(x[0], x[1]), angle = 3 * acos(-1) * r + (data->y[i] == 1 ? 0 : acos(-1));
        assert_true(r > 0.0999 && r < 1.00001);
        assert_true(fabs(x[0] - r * cos(angle)) < 1e-5 && fabs(x[1] - r * sin(angle)) < 1e-5);
    }
    hsp_data_free(data);
}

static void sparse_words(void **state) {
    (void)state;
    hsp_data *data = made("sparse", WITH("rows", "20000"));
    int64_t count[2], *rows_with = calloc(10000, sizeof *rows_with);
    double per_row = (double)data->x.nonzeros / 20000;
    assert_true(per_row > 35 && per_row < 65);
    assert_false(data->x.dense);
    assert_int_equal(data->x.dtype, HSP_FLOAT32);
    hsp_data_class_counts(data, count);
    assert_in_range(count[0], 8000, 12000);
    for (int64_t i = 0; i < 20000; i++) {
        hsp_row r = hsp_matrix_row(&data->x, i);
        assert_in_range(r.count, 1, 100);
        for (int64_t t = 0; t < r.count; t++) {
            assert_true(hsp_row_value(r, t) >= 1 && hsp_row_value(r, t) == floor(hsp_row_value(r, t)));
            rows_with[hsp_row_id(r, t)]++;
        }
    }
    assert_true(rows_with[0] > 19000);
    assert_true(rows_with[99] > 5 * rows_with[999] && rows_with[999] > 5 * rows_with[9998] && rows_with[9998] > 0);
    free(rows_with);
    hsp_data_free(data);
    data = made("sparse", WITH("rows", "10", "features", "1")); /* one word: always the same */
    assert_int_equal(data->x.nonzeros, 10);
    hsp_data_free(data);
}

/* Each number needs all of its seventeen digits, and the classes are of about the same size. */
static void long_decimals(void **state) {
    (void)state;
    hsp_data *data = made("decimals", WITH("rows", "2000", "features", "5"));
    int64_t count[2];
    hsp_data_class_counts(data, count);
    assert_true(count[0] > 200 && count[1] > 200);
    for (int64_t i = 0; i < 2000; i++) {
        double x[5];
        assert_int_equal(hsp_data_row(data, i, x, NULL), 0);
        for (int j = 0; j < 5; j++) {
            char text[32];
            assert_int_equal(hsp_format_number(x[j], text), x[j] < 0 ? 19 : 18);
            assert_true(fabs(x[j]) > 1 && fabs(x[j]) < 2);
        }
    }
    hsp_data_free(data);
}

/* The second moments of the columns are far from diagonal, unless each column's own part dominates the factors; three
 * decimals are written; both classes occur, and rows of equal score may differ in class. */
static void correlated_columns(void **state) {
    (void)state;
    enum { N = 4000, D = 12 };
    for (int drowned = 0; drowned < 2; drowned++) {
        hsp_data *data = made("correlated", WITH("rows", "4000", "features", "12", "noise", drowned ? "100" : "0.7"));
        double moment[D][D] = {{0}}, across = 0;
        int64_t count[2];
        hsp_data_class_counts(data, count);
        assert_true(count[0] > N / 5 && count[1] > N / 5);
        for (int64_t i = 0; i < N; i++) {
            double x[D];
            assert_int_equal(hsp_data_row(data, i, x, NULL), 0);
            for (int j = 0; j < D; j++) {
                assert_true(x[j] == round(x[j] * 1e3) / 1e3 && !(x[j] == 0 && signbit(x[j])));
                for (int m = 0; m <= j; m++) moment[j][m] += x[j] * x[m];
            }
        }
        for (int j = 0; j < D; j++)
            for (int m = 0; m < j; m++)
                across += fabs(moment[j][m]) / sqrt(moment[j][j] * moment[m][m]) / (D * (D - 1) / 2);
        assert_true(drowned ? across < 0.05 : across > 0.2);
        hsp_data_free(data);
    }
}

/* The labels are drawn from a logistic model of a plane. The share of labels that agrees with the plane of least
 * squares is far from a half, and far from all. */
static void correlated_classes(void **state) {
    (void)state;
    hsp_data *data = made("correlated", WITH("rows", "4000", "features", "1", "noise", "0"));
    int64_t agree = 0;
    double slope = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t i = 0; i < 4000; i++) {
            double x[1], y = data->y[i] == 1 ? 1 : -1;
            assert_int_equal(hsp_data_row(data, i, x, NULL), 0);
            if (pass == 0)
                slope += x[0] * y;
            else
                agree += slope * x[0] * y > 0;
        }
    assert_in_range(agree, 2800, 3700); /* a score of standard deviation 3 is right in 81 of 100 */
    hsp_data_free(data);
}

/* The size of blocks changes nothing; nor do the rows that come after. */
static void blocks_of_rows(void **state) {
    (void)state;
    for (const hsp_generator *g = hsp_generator_table; g->name; g++) {
        hsp_generation short_one = {0}, long_one = {0};
        hsp_options *few, *many;
        hsp_block a = {0}, b = {0};
        assert_int_equal(hsp_options_new(&few, NULL), 0);
        assert_int_equal(hsp_options_new(&many, NULL), 0);
        assert_int_equal(hsp_options_set(few, "rows", "300", NULL), 0);
        assert_int_equal(hsp_options_set(many, "rows", "50000", NULL), 0);
        assert_int_equal(hsp_generation_begin(&short_one, g->name, few, NULL), 0);
        assert_int_equal(hsp_generation_begin(&long_one, g->name, many, NULL), 0);
        assert_int_equal(hsp_generation_next(&short_one, &a), 1);
        assert_int_equal(hsp_generation_next(&long_one, &b), 1);
        assert_int_equal(a.rows, 300);
        assert_in_range(b.rows, 300, 4096);
        int64_t values = hsp_block_tail(&a);
        bool halves = strcmp(g->name, "squares") == 0; /* whose classes are the halves of the file */
        if (!halves) assert_memory_equal(a.value, b.value, (size_t)values * sizeof *a.value);
        assert_int_equal(hsp_generation_next(&short_one, &a), 0);
        assert_int_equal(short_one.made, 300);
        hsp_block_free(&a);
        hsp_block_free(&b);
        hsp_generation_end(&short_one);
        hsp_generation_end(&long_one);
        hsp_options_free(few);
        hsp_options_free(many);
    }
}

/* Without noise the targets are those of the formula; with it they deviate by the noise that was asked for. */
static void linear_targets(void **state) {
    (void)state;
    for (int noisy = 0; noisy < 2; noisy++) {
        hsp_data *data = made("linear", WITH("rows", "4000", "features", "3", "noise", noisy ? "2" : "0"));
        double sum = 0, squares = 0;
        for (int64_t i = 0; i < 4000; i++) {
            double x[3];
            assert_int_equal(hsp_data_row(data, i, x, NULL), 0);
            double stray = data->target[i] - (1 + 2 * x[0] - x[1] + 2 * x[2]);
            assert_true(noisy || fabs(stray) < 1e-9);
            assert_true(x[0] >= -10 && x[0] <= 10);
            sum += stray;
            squares += stray * stray;
        }
        if (noisy) assert_true(fabs(sum / 4000) < 0.15 && fabs(sqrt(squares / 4000) - 2) < 0.1);
        hsp_data_free(data);
    }
}

static void refused(void **state) {
    (void)state;
    hsp_error *err = NULL;
    hsp_data *data = (hsp_data *)&err;
    assert_fails(generate("triangles", NULL, &data, &err), &err, HSP_EUSAGE, "choose one of squares, blobs, xor");
    assert_null(data);
    assert_fails(generate("", NULL, &data, &err), &err, HSP_EUSAGE, "unknown generator ''");
    assert_fails(generate("squares", WITH("features", "3"), &data, &err), &err, HSP_EUSAGE, "leave --features out");
    assert_fails(generate("moons", WITH("classes", "3"), &data, &err), &err, HSP_EUSAGE, "leave --classes out");
    assert_fails(generate("linear", WITH("classes", "2"), &data, &err), &err, HSP_EUSAGE, "numeric target, not classes");
    assert_fails(generate("correlated", WITH("classes", "3"), &data, &err), &err, HSP_EUSAGE, "leave --classes out");
    assert_fails(generate("sparse", WITH("classes", "3"), &data, &err), &err, HSP_EUSAGE, "leave --classes out");
    assert_fails(generate("squares", WITH("rows", "8000000000000000"), &data, &err), &err, HSP_EUSAGE, "fewer rows");
    assert_fails(generate("blobs", WITH("features", "3000000000"), &data, &err), &err, HSP_EUSAGE, "use fewer");
    assert_fails(generate("blobs", WITH("features", "100000000", "classes", "100000"), &data, &err), &err, HSP_EUSAGE,
                 "memory");
    hsp_data_free(data = made("squares", WITH("features", "2", "classes", "2")));
}

static int make(void *user, hsp_error **err) {
    hsp_data *data;
    int status = hsp_data_generate(user, NULL, &data, err);
    if (status) assert_null(data);
    hsp_data_free(data);
    return status;
}

static void memory_runs_out(void **state) {
    (void)state;
    for (const hsp_generator *g = hsp_generator_table; g->name; g++) sweep_memory(make, (void *)(uintptr_t)g->name);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind),
        cmocka_unit_test(squares_as_in_the_notes),
        cmocka_unit_test(blobs_are_apart),
        cmocka_unit_test(shapes),
        cmocka_unit_test(sparse_words),
        cmocka_unit_test(linear_targets),
        cmocka_unit_test(long_decimals),
        cmocka_unit_test(blocks_of_rows),
        cmocka_unit_test(correlated_columns),
        cmocka_unit_test(correlated_classes),
        cmocka_unit_test(refused),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
