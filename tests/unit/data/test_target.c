/* Labels that are numbers to predict, and the builder that collects them, with weights. */
#include "data_fixture.h"

#include "data/labels.h"

static void good_numbers(void **state) {
    (void)state;
    const struct {
        const char *text;
        double v;
    } good[] = {{"1", 1},           {" -2.5\t", -2.5}, {"+3", 3},      {"1e300", 1e300}, {".5", 0.5},
                {"5e-324", 5e-324}, {"-0", 0},         {"0.1\r", 0.1}, {"1e-400", 0}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        double v = 77;
        assert_int_equal(hsp_target_parse(good[i].text, (int64_t)strlen(good[i].text), true, (hsp_place){0}, &v, NULL), 0);
        assert_true(v == good[i].v);
    }
}

static void bad_numbers(void **state) {
    (void)state;
    const char *const missing = "f:3:7: the target is missing: fill it in or remove the row";
    const char *const text =
        "is not a number, which regression needs: name another column with --target, or use --task classification";
    const struct {
        const char *text, *says;
    } bad[] = {
        {"", missing},
        {"  ", missing},
        {"NA", missing},
        {"nan", missing},
        {"?", missing},
        {"1e999", "f:3:7: the target 1e999 is too large for a double: scale the targets down"},
        {"-1e999", "too large"},
        {"inf", "f:3:7: the target 'inf' is not finite: give a number or remove the row"},
        {"-Infinity", "not finite"},
        {"1,5", "f:3:7: the target '1,5' is not a plain number: use --decimal ,"},
        {"yes", text},
        {"1x", text},
        {"1 2", text},
        {"0x10", text},
        {"-", text},
        {",", text},
        {"1,", text},
        {"information", text},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        hsp_error *err = NULL;
        double v;
        hsp_place at = {"f", 3, 7};
        int status = hsp_target_parse(bad[i].text, (int64_t)strlen(bad[i].text), true, at, &v, &err);
        assert_fails(status, &err, HSP_EINPUT, bad[i].says);
        assert_int_equal(hsp_target_parse(bad[i].text, (int64_t)strlen(bad[i].text), true, at, &v, NULL), HSP_EINPUT);
    }
    /* Long ones are cut between characters. */
    hsp_error *err = NULL;
    double v;
    const char *long_one = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\xc3\xa9zzzzzzzz";
    int status = hsp_target_parse(long_one, (int64_t)strlen(long_one), false, (hsp_place){0}, &v, &err);
    assert_fails(
        status, &err, HSP_EINPUT,
        "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' is not a number, which regression needs: use --task classification");
}

/* n rows of one feature, labelled `label` and weighted w[i] (w NULL: not). */
static int build(int64_t n, const char *const *label, const double *w, bool regression, hsp_data **out, hsp_error **err) {
    *out = NULL;
    hsp_block block = {0};
    hsp_builder *b = NULL;
    const hsp_builder_rules rules = {.regression = regression, .file = "f.csv"};
    int status = hsp_builder_new(&rules, &b, err);
    for (int64_t i = 0; status == 0 && i < n; i++) { /* a block each */
        hsp_block_reset(&block, true, 1);
        block.weighted = w != NULL;
        if (hsp_block_reserve(&block, 1, (int64_t)strlen(label[i]))) {
            status = hsp_fail_memory(err);
            break;
        }
        block.value[0] = (double)i;
        if (w) block.weight[0] = w[i];
        hsp_block_close_row(&block, 1, label[i], (int64_t)strlen(label[i]), i + 1);
        block.column[0] = 5;
        status = hsp_builder_add(b, &block, err);
    }
    status = finish_plain(b, status, 1, 0, out, err);
    hsp_block_free(&block);
    return status;
}

static const char *const numbers[] = {"1", "2.5", "-3", "+1"};
static const double some[] = {0, 1, 0, 0.5};

static int build_all(void *user, hsp_error **err) {
    hsp_data *data;
    (void)user;
    int status = build(4, numbers, some, true, &data, err);
    if (status == 0) {
        assert_true(data->target[1] == 2.5 && data->target[3] == 1 && data->weight[3] == 0.5);
        assert_true(!data->y && data->classes.count == 0);
    }
    hsp_data_free(data);
    return status;
}

static void the_builder(void **state) {
    (void)state;
    hsp_data *data;
    hsp_error *err = NULL;
    sweep_memory(build_all, NULL);
    assert_int_equal(build(4, numbers, some, false, &data, NULL), 0);
    assert_true(data->y && !data->target && data->weight && data->classes.count == 3);
    hsp_data_free(data);
    assert_int_equal(build(4, numbers, NULL, true, &data, NULL), 0);
    assert_null(data->weight);
    hsp_data_free(data);
    const char *const words[] = {"1", "b", "2"};
    assert_fails(build(3, words, NULL, true, &data, &err), &err, HSP_EINPUT, "f.csv:2:5: the target 'b' is not a number");
    assert_fails(build(3, numbers, (const double[]){0, 0, 0}, true, &data, &err), &err, HSP_EINPUT,
                 "f.csv: all rows have weight 0: give at least one row a positive weight");
    assert_fails(build(3, numbers, (const double[]){0, 0, 0}, false, &data, &err), &err, HSP_EINPUT, "all rows have");
    assert_fails(build(0, NULL, NULL, true, &data, &err), &err, HSP_EINPUT, "no rows");
}

/* Blocks with and without weights do not mix. */
static void mixed_blocks(void **state) {
    (void)state;
    hsp_block block = {0};
    hsp_builder *b;
    hsp_error *err = NULL;
    assert_int_equal(hsp_builder_new(NULL, &b, NULL), 0);
    for (int i = 0; i < 2; i++) {
        hsp_block_reset(&block, true, 1);
        assert_false(block.weighted);
        block.weighted = i == 0;
        assert_int_equal(hsp_block_reserve(&block, 1, 0), 0);
        block.value[0] = 1;
        if (i == 0) block.weight[0] = 1;
        hsp_block_close_row(&block, 1, NULL, 0, i + 1);
        int status = hsp_builder_add(b, &block, &err);
        if (i == 0)
            assert_int_equal(status, 0);
        else
            assert_fails(status, &err, HSP_EINTERNAL, "two shapes");
    }
    hsp_builder_free(b);
    hsp_block_free(&block);
}

int main(void) {
    const struct CMUnitTest t[] = {
        cmocka_unit_test(good_numbers),
        cmocka_unit_test(bad_numbers),
        cmocka_unit_test(the_builder),
        cmocka_unit_test(mixed_blocks),
    };
    return cmocka_run_group_tests(t, NULL, NULL);
}
