/* Which features of a table have a unit, so that scaling applies to them; and how a model says so. */
#include "frames.h"

#include "json_tree.h"
#include "prepare/prepare_json.h"

static const char people[] = "age,bit,color,member,since,note,label\n"
                             "20,1,red,yes,2020-01-01,good day,a\n"
                             ",0,blue,no,2021-06-05,bad night,b\n"
                             "25,1,red,no,2022-03-05,bad day,a\n";

/* The marks of all features as text: '1' for a quantity. */
static void expect_marks(const char *csv, const char *options, const char *names, const char *marks) {
    hsp_frame *f = frames_of(csv, 2);
    hsp_encoding *e = frames_learnt(f, options);
    bool *quantity = NULL;
    frames_assert_names(e, names);
    assert_int_equal(hsp_prepare_quantities(e, &quantity), 0);
    assert_int_equal(e->d, (int64_t)strlen(marks));
    for (int64_t j = 0; j < e->d; j++)
        if (quantity[j] != (marks[j] == '1')) fail_msg("%s: feature %d is marked %d", options, (int)j, quantity[j]);
    hsp_free(quantity);
    hsp_encoding_release(e);
    hsp_frame_free(f);
}

static void kinds_of_columns(void **state) {
    (void)state;
    expect_marks(people, "missing=indicator;text=note;ngrams=1",
                 "age|age?missing|bit|color=blue|color=red|member|since:year|since:month|since:weekday|since:days|"
                 "note:bad|note:day|note:good|note:night|",
                 "10100011110000");
    expect_marks(people, "missing=mean;categorical=bit,note;date=since;numeric=age",
                 "age|bit=0|bit=1|color=blue|color=red|member|since:year|since:month|since:weekday|since:days|"
                 "note=bad day|note=bad night|note=good day|",
                 "1000001111000");
}

static void products(void **state) {
    (void)state;
    /* A product with a quantity has a unit; products of indicators are indicators. */
    expect_marks("age,color,member,label\n1,red,yes,a\n2,blue,no,b\n4,red,no,a\n",
                 "cross=age:color,color:member;degree=2;rff=2",
                 "age|color=blue|color=red|member|age*color=blue|age*color=red|color=blue*member|color=red*member|"
                 "age^2|age*member|member^2|rff:1|rff:2|",
                 "1000110011000");
}

/* Without a table all columns count. */
static void without_a_table(void **state) {
    (void)state;
    bool unset = true, *quantity = &unset;
    assert_int_equal(hsp_prepare_quantities(NULL, &quantity), 0);
    assert_null(quantity);
}

/* Adds the preparation to t as JSON. */
static void save(const hsp_prepare *p, hsp_text *t) {
    hsp_json j = {.out = t};
    hsp_text_clear(t);
    hsp_json_object(&j, NULL);
    hsp_json_string(&j, "task", "regression");
    hsp_prepare_save(p, &j);
    hsp_json_object_end(&j);
    assert_false(t->failed);
}

/* Loads the text, in which `from` is replaced by `to`. */
static int load(const char *text, const char *from, const char *to, hsp_prepare *out) {
    const char *at = from ? strstr(text, from) : text;
    assert_non_null(at);
    hsp_text t = {0};
    hsp_text_add_n(&t, text, at - text);
    if (from) hsp_text_add(&t, to);
    hsp_text_add(&t, at + (from ? strlen(from) : 0));
    hsp_json_value *tree = json_tree(t.s);
    int status = hsp_prepare_load(tree, 1000, "m.hsm", out, NULL);
    hsp_free(tree);
    hsp_text_free(&t);
    return status;
}

static void members_of_models(void **state) {
    (void)state;
    double factor[100] = {0};
    hsp_frame *f = frames_of(people, 2);
    hsp_encoding *e = frames_learnt(f, "missing=mean");
    hsp_prepare p = {.encoding = e, .scale = "standard", .regression = true, .positive = -1, .factor = factor}, q;
    hsp_text t = {0};
    save(&p, &t);
    assert_int_equal(load(t.s, NULL, NULL, &q), 0);
    assert_false(q.scale_all);
    hsp_prepare_clear(&q);
    /* Models that do not have the member scaled all features. */
    const char *absent[] = {"\"scaled\": \"numeric\",", "\"scaled\":\"numeric\","};
    assert_int_equal(load(t.s, absent[!strstr(t.s, absent[0])], "", &q), 0);
    assert_true(q.scale_all);
    hsp_prepare_clear(&q);
    const char *broken[] = {"\"words\"", "\"\"", "1", "null", "true", "[\"all\"]", "{}"};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++)
        assert_int_equal(load(t.s, "\"numeric\"", broken[i], &q), HSP_EINPUT);
    p.scale_all = true;
    save(&p, &t);
    assert_int_equal(load(t.s, NULL, NULL, &q), 0);
    assert_true(q.scale_all);
    hsp_prepare_clear(&q);
    p.factor = NULL; /* nothing was scaled */
    save(&p, &t);
    assert_null(strstr(t.s, "scaled"));
    hsp_text_free(&t);
    hsp_encoding_release(e);
    hsp_frame_free(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_of_columns),
        cmocka_unit_test(products),
        cmocka_unit_test(without_a_table),
        cmocka_unit_test(members_of_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
