/* The builder against plain tables: any density, any cut into blocks, dense or sparse, ids from 0 or from 1. */
#include "data_fixture.h"

static void any_way_gives_the_same_data(void **state) {
    (void)state;
    hsp_rng r = hsp_rng_new(1, 0);
    const double fills[] = {0, 0.02, 0.2, 0.35, 0.45, 0.5, 0.55, 0.65, 0.8, 1};
    for (size_t f = 0; f < sizeof fills / sizeof fills[0]; f++) {
        for (int exact = 0; exact < 2; exact++) {
            table t = table_random(&r, 1 + hsp_rng_below(&r, 200), 1 + hsp_rng_below(&r, 30), fills[f], exact);
            const int64_t steps[] = {1, 7, 64, 1000};
            uint64_t hash = 0;
            for (int way = 0; way < 12; way++) {
                hsp_data *data;
                hsp_error *err = NULL;
                int64_t step = steps[way / 3];
                assert_int_equal(table_build(&t, step, way % 3 == 0, way % 3 == 1, 3, &data, &err), 0);
                assert_is_table(&data->x, &t);
                for (int64_t i = 0; i < t.n; i++) assert_int_equal(data->y[i], i % 3);
                if (way == 0) hash = hsp_data_hash(data);
                assert_true(hsp_data_hash(data) == hash);
                hsp_data_free(data);
            }
            free(t.x);
        }
    }
}

/* A density that changes along the way makes the store change its layout, in both directions. */
static void fill_may_change(void **state) {
    (void)state;
    hsp_rng r = hsp_rng_new(2, 0);
    for (int trial = 0; trial < 60; trial++) {
        table t = table_random(&r, 300, 12, 1, trial % 2);
        for (int64_t i = 0; i < t.n; i++) {
            double fill = trial % 3 == 0   ? (i < 100 ? 0.1 : 1)
                          : trial % 3 == 1 ? (i < 100 ? 1 : 0.05)
                                           : hsp_rng_uniform(&r);
            for (int64_t j = 0; j < t.d; j++)
                if (hsp_rng_uniform(&r) >= fill) t.x[i * t.d + j] = 0;
        }
        hsp_data *data;
        assert_int_equal(table_build(&t, 1 + hsp_rng_below(&r, 40), trial % 5 < 2, trial % 5 == 4, 2, &data, NULL), 0);
        assert_is_table(&data->x, &t);
        hsp_data_free(data);
        free(t.x);
    }
}

/* Full rows that become wider: the ids of sparse blocks grow. */
static void columns_may_come_late(void **state) {
    (void)state;
    hsp_rng r = hsp_rng_new(3, 0);
    for (int trial = 0; trial < 40; trial++) {
        table t = table_random(&r, 400, 40, 1, trial % 2);
        for (int64_t i = 0; i < t.n; i++)
            for (int64_t j = 0; j < t.d; j++)
                if (j > (trial % 4 < 2 ? i / 10 : i < 200 ? 8 : 39)) t.x[i * t.d + j] = 0;
        hsp_data *data;
        assert_int_equal(table_build(&t, 1 + hsp_rng_below(&r, 30), false, trial % 3 == 0, 2, &data, NULL), 0);
        assert_is_table(&data->x, &t);
        hsp_data_free(data);
        free(t.x);
    }
}

/* One value that float cannot hold makes all of them doubles, wherever it is; nothing else does. */
static void storage_widens_once(void **state) {
    (void)state;
    const double wide[] = {0.1, 16777217, 1e300, -1e39, 1e-46, 3.5e38};
    for (size_t k = 0; k < sizeof wide / sizeof wide[0]; k++) {
        for (int64_t at = 0; at < 30; at += 7) {
            for (int dense = 0; dense < 2; dense++) {
                hsp_rng r = hsp_rng_new(k, 9);
                table t = table_random(&r, 30, 4, dense ? 1 : 0.3, true);
                hsp_data *data;
                assert_int_equal(table_build(&t, 4, dense, 0, 2, &data, NULL), 0);
                assert_int_equal(data->x.dtype, HSP_FLOAT32);
                hsp_data_free(data);
                t.x[at * 4 + 1] = wide[k];
                assert_int_equal(table_build(&t, 4, dense, 0, 2, &data, NULL), 0);
                assert_int_equal(data->x.dtype, HSP_FLOAT64);
                hsp_data_free(data);
                free(t.x);
            }
        }
    }
    double exact[] = {3.4028234663852886e38, 1.401298464324817e-45, -0.5, 16777216};
    table t = {2, 2, exact};
    hsp_data *data;
    assert_int_equal(table_build(&t, 1, true, 0, 0, &data, NULL), 0);
    assert_int_equal(data->x.dtype, HSP_FLOAT32);
    assert_is_table(&data->x, &t);
    hsp_data_free(data);
}

static void minus_zero_is_zero(void **state) {
    (void)state;
    double x[64] = {0};
    table t = {8, 8, x};
    for (int k = 0; k < 64; k++) x[k] = k % 7 == 0 ? 3 : -0.0;
    hsp_data *data, *positive;
    assert_int_equal(table_build(&t, 3, true, 0, 2, &data, NULL), 0);
    assert_false(data->x.dense);
    assert_int_equal(data->x.nonzeros, 10);
    assert_int_equal(data->x.stored, 10);
    for (int k = 0; k < 64; k++)
        if (x[k] == 0) x[k] = 0;
    assert_int_equal(table_build(&t, 3, true, 0, 2, &positive, NULL), 0);
    assert_true(hsp_data_hash(data) == hsp_data_hash(positive));
    hsp_data_free(data);
    hsp_data_free(positive);
}

/* More features than the rows have, as when rows are read for a model. */
static void the_schema_has_the_last_word_on_d(void **state) {
    (void)state;
    for (int64_t d = 3; d < 200; d += 13) {
        for (int base = 0; base < 2; base++) {
            double x[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
            table t = {3, 3, x};
            hsp_block block = {0};
            hsp_builder *b;
            hsp_data *data;
            hsp_schema schema = plain_schema(d, base);
            assert_int_equal(hsp_builder_new(NULL, &b, NULL), 0);
            assert_int_equal(table_block(&t, 0, 3, false, base, 0, &block), 0);
            assert_int_equal(hsp_builder_add(b, &block, NULL), 0);
            assert_int_equal(hsp_builder_finish(b, &schema, &data, NULL), 0);
            assert_null(schema.format);
            assert_int_equal(data->x.d, d);
            assert_null(data->y);
            double row[256];
            for (int64_t i = 0; i < 3; i++) {
                assert_int_equal(hsp_data_row(data, i, row, NULL), 0);
                for (int64_t j = 0; j < d; j++) assert_true(row[j] == (j < 3 ? x[3 * i + j] : 0));
            }
            hsp_data_free(data);
            hsp_block_free(&block);
        }
    }
}

static void a_full_sparse_file_becomes_dense(void **state) {
    (void)state;
    hsp_rng r = hsp_rng_new(5, 0);
    table t = table_random(&r, 270, 13, 0.97, false);
    hsp_data *data;
    assert_int_equal(table_build(&t, 100, false, 1, 2, &data, NULL), 0);
    assert_true(data->x.dense);
    assert_is_table(&data->x, &t);
    hsp_data_free(data);
    free(t.x);
}

/* One row with one value and label; `line` is where it stands. */
static void one_row(hsp_block *b, uint32_t id, const char *label, int64_t line) {
    hsp_block_reset(b, false, 0);
    assert_int_equal(hsp_block_reserve(b, 1, 10), 0);
    b->id[0] = id;
    b->value[0] = 1;
    hsp_block_close_row(b, 1, label, label ? (int64_t)strlen(label) : 0, line);
}

static int finish(hsp_builder *b, int64_t d, int base, hsp_error **err) {
    hsp_schema schema = plain_schema(d, base);
    hsp_data *data = (hsp_data *)b;
    int status = hsp_builder_finish(b, &schema, &data, err);
    assert_null(schema.format);
    if (status) assert_null(data);
    hsp_data_free(data);
    return status;
}

static void broken_input(void **state) {
    (void)state;
    const hsp_builder_rules rules = {.file = "f.svm"};
    hsp_block block = {0};
    hsp_builder *b;
    hsp_error *err = NULL;

    assert_int_equal(hsp_builder_new(&rules, &b, &err), 0);
    assert_int_equal(hsp_builder_add(b, &block, &err), 0);
    assert_fails(finish(b, 3, 0, &err), &err, HSP_EINPUT, "f.svm: no rows");

    assert_int_equal(hsp_builder_new(&rules, &b, &err), 0);
    one_row(&block, 1, "a", 1);
    assert_int_equal(hsp_builder_add(b, &block, &err), 0);
    one_row(&block, 0, "a", 17);
    assert_int_equal(hsp_builder_add(b, &block, &err), 0);
    assert_fails(finish(b, 3, 1, &err), &err, HSP_EINPUT, "f.svm:17:1: feature 0");

    assert_int_equal(hsp_builder_new(&rules, &b, &err), 0);
    one_row(&block, 5, "a", 4);
    assert_int_equal(hsp_builder_add(b, &block, &err), 0);
    assert_fails(finish(b, 4, 1, &err), &err, HSP_EINPUT, "f.svm:4:1: feature 5, but the last feature is 4");

    assert_int_equal(hsp_builder_new(&rules, &b, &err), 0);
    one_row(&block, 5, "a", 4);
    assert_int_equal(hsp_builder_add(b, &block, &err), 0);
    assert_fails(finish(b, 0, 1, &err), &err, HSP_EINPUT, "no features");

    assert_int_equal(hsp_builder_new(&rules, &b, &err), 0);
    one_row(&block, 5, "a", 4);
    assert_int_equal(hsp_builder_add(b, &block, &err), 0);
    assert_fails(finish(b, INT64_C(1) << 31, 1, &err), &err, HSP_EINPUT, "more than 2147483647 features");

    assert_int_equal(hsp_builder_new(&rules, &b, &err), 0);
    one_row(&block, 0x80000000u, "a", 9);
    assert_fails(hsp_builder_add(b, &block, &err), &err, HSP_EINPUT, "f.svm:9:1: feature 2147483648");
    hsp_builder_free(b);

    assert_int_equal(hsp_builder_new(&rules, &b, &err), 0);
    one_row(&block, 1, "", 6);
    assert_fails(hsp_builder_add(b, &block, &err), &err, HSP_EINPUT, "f.svm:6:1: the label is empty");
    hsp_builder_free(b);
    hsp_block_free(&block);
}

static void mixtures(void **state) {
    (void)state;
    hsp_block block = {0}, dense = {0};
    hsp_builder *b;
    hsp_error *err = NULL;
    for (int first = 0; first < 2; first++) {
        assert_int_equal(hsp_builder_new(NULL, &b, &err), 0);
        one_row(&block, 1, first ? "a" : NULL, 1);
        assert_int_equal(hsp_builder_add(b, &block, &err), 0);
        one_row(&block, 1, first ? NULL : "a", 2);
        assert_fails(hsp_builder_add(b, &block, &err), &err, HSP_EINPUT, "some rows have labels");
        hsp_builder_free(b);
    }
    /* within one block, rows without a label have an empty one */
    assert_int_equal(hsp_builder_new(NULL, &b, &err), 0);
    hsp_block_reset(&block, false, 0);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(hsp_block_reserve(&block, 0, 1), 0);
        hsp_block_close_row(&block, 0, k ? "a" : NULL, k, k + 1);
    }
    assert_fails(hsp_builder_add(b, &block, &err), &err, HSP_EINPUT, "the label is empty");
    hsp_builder_free(b);
    /* two shapes are an error of the reader */
    double x[] = {1, 2};
    table t = {1, 2, x}, narrow = {2, 1, x};
    assert_int_equal(hsp_builder_new(NULL, &b, &err), 0);
    assert_int_equal(table_block(&t, 0, 1, true, 0, 1, &dense), 0);
    assert_int_equal(hsp_builder_add(b, &dense, &err), 0);
    one_row(&block, 1, "0", 1);
    assert_fails(hsp_builder_add(b, &block, &err), &err, HSP_EINTERNAL, "two shapes");
    assert_int_equal(table_block(&narrow, 0, 2, true, 0, 1, &dense), 0);
    assert_fails(hsp_builder_add(b, &dense, &err), &err, HSP_EINTERNAL, "two shapes");
    assert_fails(finish(b, 3, 0, &err), &err, HSP_EINTERNAL, "a schema of 3 features for rows of 2");
    hsp_block_free(&block);
    hsp_block_free(&dense);
}

static void classes_of_a_model(void **state) {
    (void)state;
    char *names[] = {(char[]){"a"}, (char[]){"b"}, (char[]){"c"}};
    const hsp_classes known = {3, names};
    const hsp_builder_rules rules = {.classes = &known, .map_label = "B=b", .file = "t"};
    hsp_block block = {0};
    hsp_builder *b;
    hsp_error *err = NULL;
    hsp_data *data;
    for (int labelled = 0; labelled < 2; labelled++) {
        hsp_schema schema = plain_schema(2, 1);
        assert_int_equal(hsp_builder_new(&rules, &b, &err), 0);
        one_row(&block, 2, labelled ? "B" : NULL, 1);
        assert_int_equal(hsp_builder_add(b, &block, &err), 0);
        assert_int_equal(hsp_builder_finish(b, &schema, &data, &err), 0);
        assert_int_equal(hsp_data_classes(data), 3);
        assert_string_equal(data->source, "t");
        if (labelled)
            assert_int_equal(data->y[0], 1);
        else
            assert_null(data->y);
        hsp_data_free(data);
    }
    assert_int_equal(hsp_builder_new(&rules, &b, &err), 0);
    for (int k = 0; k < 10; k++) {
        one_row(&block, 2, k % 3 ? "b" : "d", k + 1);
        assert_int_equal(hsp_builder_add(b, &block, &err), 0);
    }
    assert_fails(finish(b, 2, 1, &err), &err, HSP_EINPUT,
                 "t:1:1: 4 of 10 labels are not classes of the model, the first is 'd'");
    const hsp_builder_rules bad = {.map_label = "B"};
    assert_fails(hsp_builder_new(&bad, &b, &err), &err, HSP_EUSAGE, "--map-label");
    assert_null(b);
    hsp_block_free(&block);
}

typedef struct job {
    table t;
    bool dense;
} job;

static int build(void *user, hsp_error **err) {
    const job *j = user;
    hsp_data *data;
    int status = table_build(&j->t, 16, j->dense, !j->dense, 3, &data, err);
    if (status) assert_null(data);
    hsp_data_free(data);
    return status;
}

static void memory_runs_out(void **state) {
    (void)state;
    hsp_rng r = hsp_rng_new(8, 0);
    for (int k = 0; k < 8; k++) {
        job j = {table_random(&r, 100, 9, k % 4 < 2 ? 0.9 : 0.2, false), k % 2};
        for (int64_t t = 0; t < 9 * 50; t++) /* changes of layout and of width along the way */
            j.t.x[t] = k < 4 ? round(j.t.x[t]) : t % 9 < 3 ? 1 : 0;
        sweep_memory(build, &j);
        free(j.t.x);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_way_gives_the_same_data),
        cmocka_unit_test(fill_may_change),
        cmocka_unit_test(columns_may_come_late),
        cmocka_unit_test(storage_widens_once),
        cmocka_unit_test(minus_zero_is_zero),
        cmocka_unit_test(the_schema_has_the_last_word_on_d),
        cmocka_unit_test(a_full_sparse_file_becomes_dense),
        cmocka_unit_test(broken_input),
        cmocka_unit_test(mixtures),
        cmocka_unit_test(classes_of_a_model),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
