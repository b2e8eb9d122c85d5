#include "data_fixture.h"

#include "data/labels.h"

static void assert_canonical(const char *label, const char *expected) {
    char *out = malloc(strlen(label) + 40);
    assert_int_equal(hsp_label_canonical(label, (int64_t)strlen(label), out), strlen(expected));
    assert_string_equal(out, expected);
    free(out);
}

static void canonical_spelling(void **state) {
    (void)state;
    const char *const cases[][2] = {
        {"+1", "1"},
        {"1", "1"},
        {"1.0", "1"},
        {"1.00", "1"},
        {"10e-1", "1"},
        {"-1", "-1"},
        {"-1.0", "-1"},
        {"0", "0"},
        {"-0", "0"},
        {"+0.0", "0"},
        {" 2 ", "2"},
        {"\t3\r\n", "3"},
        {"0.10", "0.1"},
        {"1e3", "1000"},
        {"007", "7"},
        {"nan", "nan"},
        {"NaN", "NaN"},
        {"inf", "inf"},
        {"-inf", "-inf"},
        {"1e999", "1e999"},
        {"-1e999", "-1e999"},
        {"0x10", "0x10"},
        {"1,5", "1,5"},
        {"1 2", "1 2"},
        {" a b ", "a b"},
        {">50K.", ">50K."},
        {"+", "+"},
        {"-", "-"},
        {"1a", "1a"},
        {"", ""},
        {"   ", ""},
        {"1e", "1e"},
        {"--1", "--1"},
        {"+ 1", "+ 1"},
        {"1e-999", "0"},
        {"\"1\"", "\"1\""},
        {"Iris-setosa", "Iris-setosa"},
        {"0.1000000000000000055511151231257827021181583404541015625", "0.1"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) assert_canonical(cases[k][0], cases[k][1]);
    char buf[40] = " +1.50 "; /* in place */
    assert_int_equal(hsp_label_canonical(buf, 7, buf), 3);
    assert_string_equal(buf, "1.5");
}

static void canonical_is_idempotent(void **state) {
    (void)state;
    hsp_rng r = hsp_rng_new(3, 0);
    const char alphabet[] = "0123456789+-.eE aK ";
    for (int k = 0; k < 20000; k++) {
        char s[16], once[64], twice[64];
        int64_t n = hsp_rng_below(&r, 10);
        for (int64_t t = 0; t < n; t++) s[t] = alphabet[hsp_rng_below(&r, (int64_t)sizeof alphabet - 1)];
        int64_t m = hsp_label_canonical(s, n, once);
        assert_int_equal(hsp_label_canonical(once, m, twice), m);
        assert_string_equal(once, twice);
    }
}

static void order(void **state) {
    (void)state;
    assert_true(hsp_label_compare("9", "10", true) < 0);
    assert_true(hsp_label_compare("9", "10", false) > 0);
    assert_true(hsp_label_compare("-1", "1", true) < 0);
    assert_true(hsp_label_compare("-2", "-1", true) < 0);
    assert_true(hsp_label_compare("1e-5", "0", true) > 0);
    assert_int_equal(hsp_label_compare("a", "a", false), 0);
    assert_true(hsp_label_compare("Z", "a", false) < 0);
    assert_true(hsp_label_compare("z", "\xc3\xa9", false) < 0);
    assert_true(hsp_label_is_number("1.5"));
    assert_false(hsp_label_is_number("1e999"));
    assert_false(hsp_label_is_number("nan"));
    assert_false(hsp_label_is_number(""));
}

/* Adds labels[0 .. n-1] as lines 1, 2, ... and finishes. */
static int collect(const hsp_classes *known, const char *map, const char *const *labels, int64_t n, hsp_classes *classes,
                   int32_t **y, hsp_error **err) {
    hsp_labels *t = NULL;
    *classes = (hsp_classes){0};
    *y = hsp_alloc(n > 0 ? n : 1, sizeof **y);
    int status = *y ? hsp_labels_new(known, map, &t, err) : hsp_fail_memory(err);
    for (int64_t i = 0; status == 0 && i < n; i++)
        status =
            hsp_labels_class(t, labels[i], (int64_t)strlen(labels[i]), 1, (hsp_place){"f.csv", i + 1, 0}, &(*y)[i], err);
    if (status == 0) status = hsp_labels_finish(t, classes, *y, err);
    hsp_labels_free(t);
    if (status) {
        hsp_free(*y);
        *y = NULL;
    }
    return status;
}

static void assert_classes(const char *const *labels, int64_t n, const char *const *names, int64_t count,
                           const int32_t *y) {
    hsp_classes c;
    int32_t *found;
    hsp_error *err = NULL;
    assert_int_equal(collect(NULL, NULL, labels, n, &c, &found, &err), 0);
    assert_int_equal(c.count, count);
    for (int64_t k = 0; k < count; k++) assert_string_equal(c.name[k], names[k]);
    for (int64_t i = 0; i < n; i++) assert_int_equal(found[i], y[i]);
    hsp_classes_clear(&c);
    hsp_free(found);
}

static void equal_numbers_are_one_class_in_order(void **state) {
    (void)state;
    const char *a[] = {"10", "+1", "9", "1.0", "-3", " 1", "1e1"};
    assert_classes(a, 7, (const char *[]){"-3", "1", "9", "10"}, 4, (int32_t[]){3, 1, 2, 1, 0, 1, 3});
    const char *b[] = {"10", "b", "9", "+9"}; /* one word: all are sorted as bytes */
    assert_classes(b, 4, (const char *[]){"10", "9", "b"}, 3, (int32_t[]){0, 2, 1, 1});
    const char *c[] = {"nan", "1", "inf"};
    assert_classes(c, 3, (const char *[]){"1", "inf", "nan"}, 3, (int32_t[]){2, 0, 1});
    const char *d[] = {"1.2", "1.9", "1.2"};
    assert_classes(d, 3, (const char *[]){"1.2", "1.9"}, 2, (int32_t[]){0, 1, 0});
}

static void codes_count_as_spelt(void **state) {
    (void)state;
    const char *a[] = {"7", "007", "12", " 007 ", "7"};
    assert_classes(a, 5, (const char *[]){"007", "12", "7"}, 3, (int32_t[]){2, 0, 1, 0, 2});
    const char *b[] = {"12345678901234567891", "12345678901234567890", "12345678901234567891"};
    assert_classes(b, 3, (const char *[]){"12345678901234567890", "12345678901234567891"}, 2, (int32_t[]){1, 0, 1});
    const char *c[] = {"+4917012", "4917012"};
    assert_classes(c, 2, (const char *[]){"+4917012", "4917012"}, 2, (int32_t[]){0, 1});
    const char *d[] = {"007", "7", "0.5"}; /* a measurement, after all */
    assert_classes(d, 3, (const char *[]){"0.5", "7"}, 2, (int32_t[]){1, 1, 0});
    const char *e[] = {"+1", "1", "-1", "0", "0.0"};
    assert_classes(e, 5, (const char *[]){"-1", "0", "1"}, 3, (int32_t[]){2, 2, 0, 1, 1});
    const char *f[] = {"007", "x", "7"};
    assert_classes(f, 3, (const char *[]){"007", "7", "x"}, 3, (int32_t[]){0, 2, 1});
}

static void known_codes_count_as_spelt(void **state) {
    (void)state;
    char *codes[] = {(char[]){"007"}, (char[]){"12"}, (char[]){"7"}}, *numbers[] = {(char[]){"7"}, (char[]){"12"}};
    const hsp_classes c = {3, codes}, n = {2, numbers};
    const char *good[] = {"7", "007", " 12"}, *bad[] = {"012"}, *other[] = {"07"};
    hsp_classes none;
    int32_t *y;
    hsp_error *err = NULL;
    assert_true(hsp_classes_are_codes(&c));
    assert_false(hsp_classes_are_codes(&n));
    assert_int_equal(hsp_classes_find(&c, "007", 3), 0);
    assert_int_equal(hsp_classes_find(&c, "7", 1), 2);
    assert_int_equal(hsp_classes_find(&c, "07", 2), -1);
    assert_int_equal(hsp_classes_find(&c, "012", 3), -1);
    assert_int_equal(hsp_classes_find(&n, "012", 3), 1); /* as in models of older formats */
    assert_int_equal(collect(&c, NULL, good, 3, &none, &y, &err), 0);
    assert_true(y[0] == 2 && y[1] == 0 && y[2] == 1);
    hsp_free(y);
    assert_int_equal(collect(&n, NULL, other, 1, &none, &y, &err), 0);
    assert_int_equal(y[0], 0);
    hsp_free(y);
    assert_fails(collect(&c, NULL, bad, 1, &none, &y, &err), &err, HSP_EINPUT, "1 of 1 labels are not classes");
    const char *mapped[] = {"007", "7", "07"};
    assert_int_equal(collect(NULL, "007=bond", mapped, 3, &none, &y, &err), 0);
    assert_int_equal(none.count, 3);
    assert_string_equal(none.name[2], "bond");
    assert_true(y[0] == 2 && y[1] == 1 && y[2] == 0);
    hsp_free(y);
    hsp_classes_clear(&none);
}

static void classes_are_found_in_any_spelling(void **state) {
    (void)state;
    char *names[] = {(char[]){"-1"}, (char[]){"1"}, (char[]){"b c"}};
    hsp_classes c = {3, names}, copy;
    assert_int_equal(hsp_classes_find(&c, "+1", 2), 1);
    assert_int_equal(hsp_classes_find(&c, "-1.0", 4), 0);
    assert_int_equal(hsp_classes_find(&c, " b c ", 5), 2);
    assert_int_equal(hsp_classes_find(&c, "b", 1), -1);
    assert_int_equal(hsp_classes_find(&c, "", 0), -1);
    assert_int_equal(hsp_classes_find(&c, "b c d", 5), -1);
    char zeros[400];
    memset(zeros, '0', sizeof zeros);
    zeros[0] = '1';
    zeros[1] = '.';
    assert_int_equal(hsp_classes_find(&c, zeros, sizeof zeros), 1);
    hsp_error *err = NULL;
    assert_int_equal(hsp_classes_copy(&c, &copy, &err), 0);
    assert_int_equal(copy.count, 3);
    assert_string_equal(copy.name[2], "b c");
    hsp_classes_clear(&copy);
    assert_int_equal(copy.count, 0);
    assert_int_equal(hsp_classes_copy(&copy, &copy, &err), 0);
}

/* Labels may hold commas: the longest that is a class is taken. */
static void lists_mark_classes(void **state) {
    (void)state;
    char *names[] = {"a", "a,b", "b", "c,"};
    const hsp_classes c = {4, names};
    static const struct {
        const char *list, *marked, *unknown;
    } cases[] = {{"a", "1000", NULL},     {"a,b", "0100", NULL},  {"b,a", "1010", NULL}, {"a,b,b", "0110", NULL},
                 {" a ,b", "1010", NULL}, {"c,,a", "1001", NULL}, {"a,a", "1000", NULL}, {"a,x,b", "1000", "x,b"},
                 {"", "0000", ""},        {"x", "0000", "x"},     {"a,", "1000", ""},    {",a", "0000", ",a"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool chosen[4] = {true, true, true, true}; /* what was there is cleared */
        const char *unknown = hsp_classes_mark(&c, cases[i].list, chosen);
        for (int k = 0; k < 4; k++) assert_int_equal(chosen[k], cases[i].marked[k] == '1');
        assert_int_equal(!unknown, !cases[i].unknown);
        if (unknown) assert_string_equal(unknown, cases[i].unknown);
    }
}

/* Sorted as numbers, and as bytes when one is a word; labels that sort between or beside them are not found. */
static void many_classes_are_found(void **state) {
    (void)state;
    enum { COUNT = 300 };
    char text[COUNT + 1][16];
    const char *labels[COUNT + 1];
    for (int i = 0; i <= COUNT; i++) {
        snprintf(text[i], sizeof text[i], i < COUNT ? "%d" : "word%d", 3 * (i - COUNT / 2));
        labels[i] = text[i];
    }
    for (int words = 0; words < 2; words++) {
        hsp_classes c;
        int32_t *y;
        hsp_error *err = NULL;
        assert_int_equal(collect(NULL, NULL, labels, COUNT + words, &c, &y, &err), 0);
        assert_int_equal(c.count, COUNT + words);
        for (int i = 0; i < COUNT + words; i++)
            assert_int_equal(hsp_classes_find(&c, labels[i], (int64_t)strlen(labels[i])), y[i]);
        const char *const absent[] = {"1", "-1000", "1000", "0.5", "3 0", "a", "word", "~", "", "1e300"};
        for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
            assert_int_equal(hsp_classes_find(&c, absent[i], (int64_t)strlen(absent[i])), -1);
        hsp_classes_clear(&c);
        hsp_free(y);
    }
    assert_int_equal(hsp_classes_find(&(hsp_classes){0}, "1", 1), -1);
}

static void labels_are_replaced(void **state) {
    (void)state;
    const char *labels[] = {"<=50K.", ">50K.", "<=50K", ">50K", "2.0", "3"};
    hsp_classes c;
    int32_t *y;
    hsp_error *err = NULL;
    assert_int_equal(collect(NULL, "<=50K.=<=50K, >50K.=>50K,2=+7", labels, 6, &c, &y, &err), 0);
    assert_int_equal(c.count, 4);
    assert_string_equal(c.name[0], "3");
    assert_string_equal(c.name[1], "7");
    assert_string_equal(c.name[2], "<=50K");
    assert_string_equal(c.name[3], ">50K");
    const int32_t expected[] = {2, 3, 2, 3, 1, 0};
    assert_memory_equal(y, expected, sizeof expected);
    hsp_classes_clear(&c);
    hsp_free(y);
    /* once, not again: a becomes b, b becomes a */
    const char *swap[] = {"a", "b", "b"};
    assert_int_equal(collect(NULL, "a=b,b=a", swap, 3, &c, &y, &err), 0);
    assert_string_equal(c.name[y[0]], "b");
    assert_string_equal(c.name[y[1]], "a");
    hsp_classes_clear(&c);
    hsp_free(y);
    /* the first entry for a label is taken */
    assert_int_equal(collect(NULL, "a=x,a=z", swap, 1, &c, &y, &err), 0);
    assert_string_equal(c.name[0], "x");
    hsp_classes_clear(&c);
    hsp_free(y);
}

static void malformed_replacements(void **state) {
    (void)state;
    const char *const bad[] = {"", "a", "=", "a=", "=b", "a=b,", ",a=b", "a=b,,c=d", "a=b,c", " = ", "a= ,b=c"};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        hsp_labels *t;
        hsp_error *err = NULL;
        assert_fails(hsp_labels_new(NULL, bad[k], &t, &err), &err, HSP_EUSAGE, "--map-label FROM=TO");
        assert_null(t);
        assert_int_equal(hsp_labels_new(NULL, bad[k], &t, NULL), HSP_EUSAGE);
    }
}

static void broken_labels(void **state) {
    (void)state;
    hsp_classes c;
    int32_t *y;
    hsp_error *err = NULL;
    const char *empty[] = {"a", " \t"};
    assert_fails(collect(NULL, NULL, empty, 2, &c, &y, &err), &err, HSP_EINPUT, "f.csv:2: the label is empty");
    hsp_labels *t;
    assert_int_equal(hsp_labels_new(NULL, NULL, &t, &err), 0);
    int32_t class;
    assert_fails(hsp_labels_class(t, "a\0b", 3, 1, (hsp_place){"f", 3, 0}, &class, &err), &err, HSP_EINPUT,
                 "f:3: the label holds a NUL");
    hsp_labels_free(t);
}

static void only_known_classes(void **state) {
    (void)state;
    char *names[] = {(char[]){"-1"}, (char[]){"1"}, (char[]){"5"}};
    hsp_classes known = {3, names}, c;
    int32_t *y;
    hsp_error *err = NULL;
    const char *good[] = {"+1", "-1.0", "1"};
    assert_int_equal(collect(&known, NULL, good, 3, &c, &y, &err), 0);
    assert_int_equal(c.count, 0);
    const int32_t expected[] = {1, 0, 1};
    assert_memory_equal(y, expected, sizeof expected);
    hsp_free(y);
    const char *bad[] = {"+1", "-1.0", "2", ">50K.", "2", "1"};
    assert_fails(collect(&known, NULL, bad, 6, &c, &y, &err), &err, HSP_EINPUT,
                 "f.csv:3: 3 of 6 labels are not classes of the model, the first is '2'");
    assert_null(y);
    assert_fails(collect(&known, "2=1", bad, 6, &c, &y, &err), &err, HSP_EINPUT, "1 of 6 labels");
    assert_fails(collect(&known, "2=3,>50K.=-1", bad, 6, &c, &y, &err), &err, HSP_EINPUT,
                 "f.csv:3: 2 of 6 labels are not classes of the model, the first is '3'; the classes are -1, 1 and 5: use "
                 "--map-label '3=CLASS'");
    assert_int_equal(collect(&known, "2=1,>50K.=-1", bad, 6, &c, &y, &err), 0);
    hsp_free(y);
}

static int collect_some(void *user, hsp_error **err) {
    const char *labels[] = {"b", "a", "+1", "1.0", "c=d", "a label that is longer than others", "x"};
    hsp_classes c, copy;
    int32_t *y;
    int status = collect(user, "x=y,c=d=e", labels, user ? 0 : 7, &c, &y, err);
    if (status == 0 && (status = hsp_classes_copy(&c, &copy, err)) == 0) hsp_classes_clear(&copy);
    hsp_classes_clear(&c);
    hsp_free(y);
    return status;
}

static void memory_runs_out(void **state) {
    (void)state;
    char *names[] = {(char[]){"-1"}, (char[]){"1"}};
    hsp_classes known = {2, names};
    sweep_memory(collect_some, NULL);
    sweep_memory(collect_some, &known);
}

static void many_classes(void **state) {
    (void)state;
    hsp_labels *t;
    hsp_error *err = NULL;
    static int32_t y[20000];
    assert_int_equal(hsp_labels_new(NULL, NULL, &t, &err), 0);
    for (int64_t i = 0; i < 20000; i++) {
        char s[32];
        int n = snprintf(s, sizeof s, "%lld", (long long)((i * 7919) % 10007));
        assert_int_equal(hsp_labels_class(t, s, n, 1, (hsp_place){0}, &y[i], &err), 0);
    }
    hsp_classes c;
    assert_int_equal(hsp_labels_finish(t, &c, y, &err), 0);
    assert_int_equal(c.count, 10007);
    for (int64_t i = 0; i < 20000; i++) assert_int_equal(y[i], (i * 7919) % 10007);
    hsp_classes_clear(&c);
    hsp_labels_free(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(canonical_spelling),
        cmocka_unit_test(canonical_is_idempotent),
        cmocka_unit_test(order),
        cmocka_unit_test(equal_numbers_are_one_class_in_order),
        cmocka_unit_test(codes_count_as_spelt),
        cmocka_unit_test(known_codes_count_as_spelt),
        cmocka_unit_test(classes_are_found_in_any_spelling),
        cmocka_unit_test(many_classes_are_found),
        cmocka_unit_test(lists_mark_classes),
        cmocka_unit_test(labels_are_replaced),
        cmocka_unit_test(malformed_replacements),
        cmocka_unit_test(broken_labels),
        cmocka_unit_test(only_known_classes),
        cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(many_classes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
