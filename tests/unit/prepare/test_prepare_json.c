/* What is saved of a preparation is read back; broken text is refused, and older text accepted. */
#include "../csv_schema.h"
#include "model/handmade.h"

#include "json_tree.h"
#include "prepare/prepare_json.h"

static char *saved(const hsp_prepare *p, const char *task) {
    hsp_text t = {0};
    hsp_json j = {.out = &t};
    char *text = NULL;
    hsp_json_object(&j, NULL);
    if (task) hsp_json_string(&j, "task", task);
    hsp_prepare_save(p, &j);
    hsp_json_object_end(&j);
    assert_int_equal(hsp_text_take(&t, &text, NULL), 0);
    return text;
}

static int load(const char *text, hsp_prepare *p, hsp_error **err) {
    hsp_json_value *tree = json_tree(text);
    int status = hsp_prepare_load(tree, 5, "m.hsm", p, err);
    hsp_free(tree);
    return status;
}

static int64_t columns[] = {1, 3};
static int32_t merged[] = {1, 0, 1};
static char *source[] = {"1", "2", "10"}, *classes[] = {"2", "rest"};

static hsp_prepare example(void) {
    return (hsp_prepare){.schema = CSV_SCHEMA(4, "y", .column = columns, .weight_column = 2, .weight = "w"),
                         .classes = {2, classes},
                         .positive = 0,
                         .source = {3, source},
                         .merged = merged,
                         .scale = "none"};
}

static void round_trip(void **state) {
    (void)state;
    hsp_prepare p = example(), q;
    hsp_error *err = NULL;
    char *text = saved(&p, "classification");
    int status = load(text, &q, &err);
    handmade_ok(status, err);
    assert_int_equal(q.schema.weight_column, 2);
    assert_string_equal(q.schema.weight, "w");
    assert_int_equal(q.source.count, 3);
    assert_string_equal(q.source.name[2], "10");
    assert_memory_equal(q.merged, merged, sizeof merged);
    assert_int_equal(hsp_prepare_class(&q, "2.0", 3), 0);
    assert_int_equal(hsp_prepare_class(&q, "10", 2), 1);
    char *again = saved(&q, "classification");
    assert_string_equal(text, again);
    hsp_free(again);
    hsp_free(text);
    hsp_prepare_clear(&q);
    /* Without merged classes there is no such member, and a column of svmlight has no name. */
    p.merged = NULL;
    p.source = (hsp_classes){0};
    p.schema = (hsp_schema){.format = "svmlight", .d = 2, .base = 1, .weight_column = 1};
    text = saved(&p, NULL);
    assert_null(strstr(text, "merged"));
    assert_null(strstr(text, "labels"));
    status = load(text, &q, &err);
    handmade_ok(status, err);
    assert_int_equal(q.schema.weight_column, 1);
    assert_null(q.schema.weight);
    assert_ptr_equal(hsp_prepare_labels(&q), &q.classes);
    hsp_prepare_clear(&q);
    hsp_free(text);
}

static void of_regression(void **state) {
    (void)state;
    hsp_prepare p = example(), q;
    p.classes = p.source = (hsp_classes){0};
    p.merged = NULL;
    p.positive = -1;
    p.regression = true;
    char *text = saved(&p, "regression");
    assert_int_equal(load(text, &q, NULL), 0);
    assert_true(q.regression && q.classes.count == 0 && q.positive == -1);
    hsp_prepare_clear(&q);
    hsp_free(text);
    text = saved(&p, "classification"); /* then classes are missing */
    assert_int_equal(load(text, &q, NULL), HSP_EINPUT);
    hsp_free(text);
}

/* A model as it was written before weights, merged classes and regression existed. */
static void the_old_form(void **state) {
    (void)state;
    hsp_prepare q;
    hsp_error *err = NULL;
    int status =
        load("{\"task\":\"classification\",\"classes\":[\"n\",\"y\"],\"positive\":\"y\",\"scale\":\"none\",\"schema\":"
             "{\"format\":\"csv\",\"features\":1,\"base\":0,\"header\":false,\"delimiter\":\",\",\"file_columns\":2,"
             "\"target_column\":2,\"target\":null,\"columns\":[1],\"names\":null}}",
             &q, &err);
    handmade_ok(status, err);
    assert_true(q.schema.weight_column == 0 && !q.schema.weight && !q.merged && q.source.count == 0 && !q.regression);
    hsp_prepare_clear(&q);
}

/* Each line replaces one member of the whole, or of its schema. */
static void broken_members(void **state) {
    (void)state;
    const struct {
        const char *in, *key, *value;
    } bad[] = {
        {NULL, "merged", "null"},
        {NULL, "merged", "[]"},
        {NULL, "merged", "[0,1]"},
        {NULL, "merged", "[0,1,0,1]"},
        {NULL, "merged", "[0,0,0]"},
        {NULL, "merged", "[1,1,1]"},
        {NULL, "merged", "[0,1,2]"},
        {NULL, "merged", "[0,1,-1]"},
        {NULL, "merged", "[0,1,0.5]"},
        {NULL, "merged", "[0,1,1e300]"},
        {NULL, "merged", "[0,1,\"1\"]"},
        {NULL, "merged", "{\"0\":1}"},
        {NULL, "labels", "null"},
        {NULL, "labels", "[\"1\",\"2\"]"},
        {NULL, "labels", "[\"2\",\"1\",\"10\"]"},
        {NULL, "labels", "[\"1\",\"2\",\"2\"]"},
        {NULL, "labels", "[\"1\",\"2\",\"+10\"]"},
        {NULL, "labels", "[\"1\",\"2\",10]"},
        {NULL, "labels", "[\"1\",\"2\",\"10\",\"11\"]"},
        {NULL, "classes", "[\"2\",\"rest\",\"third\"]"},
        {NULL, "classes", "[]"},
        {NULL, "positive", "null"},
        {NULL, "positive", "\"10\""},
        {NULL, "task", "\"regression\""},
        {"schema", "weight_column", "0"},
        {"schema", "weight_column", "-1"},
        {"schema", "weight_column", "5"},
        {"schema", "weight_column", "4"},
        {"schema", "weight_column", "1"},
        {"schema", "weight_column", "1.5"},
        {"schema", "weight_column", "null"},
        {"schema", "weight_column", "\"2\""},
        {"schema", "weight", "3"},
        {"schema", "weight", "[]"},
        {"schema", "target_column", "2"},
    };
    hsp_prepare p = example(), q;
    char *text = saved(&p, "classification");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        hsp_json_value *good = json_tree(text);
        const hsp_json_value *in = bad[i].in ? hsp_json_get(good, bad[i].in) : good;
        hsp_json_value *tree = json_with(good, in, bad[i].key, bad[i].value);
        hsp_error *err = NULL;
        int status = hsp_prepare_load(tree, 5, "m.hsm", &q, &err);
        if (status == 0) fail_msg("%s = %s was taken", bad[i].key, bad[i].value);
        handmade_fails(status, HSP_EINPUT, &err, "m.hsm: damaged file, invalid '");
        assert_true(!q.scale && !q.merged && !q.schema.weight);
        hsp_free(good);
        hsp_free(tree);
    }
    hsp_free(text);
}

static void one_without_the_other(void **state) {
    (void)state;
    static const char *const keys[] = {"merged", "labels"};
    hsp_prepare p = example(), q;
    char *text = saved(&p, "classification");
    for (int i = 0; i < 2; i++) {
        hsp_json_value *good = json_tree(text), *tree = json_with(good, good, keys[i], NULL);
        hsp_free(good);
        assert_int_equal(hsp_prepare_load(tree, 5, "m.hsm", &q, NULL), HSP_EINPUT);
        hsp_free(tree);
    }
    hsp_free(text);
}

static void memory_runs_out(void **state) {
    (void)state;
    hsp_prepare p = example(), q;
    char *text = saved(&p, "classification");
    hsp_json_value *tree = json_tree(text);
    for (int64_t k = 0;; k++) {
        hsp_memory_fail_after(k);
        int status = hsp_prepare_load(tree, 5, "m.hsm", &q, NULL);
        hsp_memory_fail_after(-1);
        hsp_prepare_clear(&q);
        if (status == 0) break;
        assert_int_equal(status, HSP_EMEMORY);
        assert_true(k < 100);
    }
    hsp_free(tree);
    hsp_free(text);
}

int main(void) {
    const struct CMUnitTest t[] = {
        cmocka_unit_test(round_trip),     cmocka_unit_test(of_regression),         cmocka_unit_test(the_old_form),
        cmocka_unit_test(broken_members), cmocka_unit_test(one_without_the_other), cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(t, NULL, NULL);
}
