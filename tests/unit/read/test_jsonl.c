/* JSON lines: the same data as from the equal CSV, for every way of cutting the stream; and lines that are not JSON. */
#include "read_from.h"

#include "read/jsonl.h"

static void test_rows(void **state) {
    (void)state;
    check_rows("x.jsonl", "{\"a\": 1.50, \"b\": -2, \"label\": \"p\"}\n{\"b\": 1e1, \"a\": 0, \"label\": \"q\"}\n", "",
               "p: 1.5 -2 | q: 0 10", "jsonl, target 'label' (by name), 2 features, 2 rows");
    check_rows("x", "\xef\xbb\xbf\n { \"a\" : 1 , \"y\" : true }\r\n\r\n{\"a\":2,\"y\":false}", "", "true: 1 | false: 2",
               "jsonl, target 'y' (by name), 1 feature, 2 rows");
    check_rows("x.ndjson", "{\"y\": \"a\\\"b,\\nc\", \"a\": \"3\"}\n{\"y\": \"\\ud83d\\ude00\\u00e9\", \"a\": 4}\n", "",
               "a\"b,\nc: 3 | \xf0\x9f\x98\x80\xc3\xa9: 4", NULL);
}

/* The bytes of the translation. */
static void check_csv(const char *text, const char *expected) {
    hsp_stream *s = NULL, *csv = NULL;
    const char *bytes;
    assert_int_equal(hsp_stream_open_memory(text, (int64_t)strlen(text), "x", &s, NULL), 0);
    assert_int_equal(hsp_jsonl_translate(s, &csv, NULL), 0);
    assert_true(hsp_stream_translated(csv) && !hsp_stream_translated(s));
    int64_t n = hsp_stream_peek(csv, 1 << 16, &bytes, NULL);
    assert_int_equal(n, strlen(expected));
    assert_memory_equal(bytes, expected, (size_t)n);
    hsp_stream_close(csv);
    hsp_stream_close(s);
}

static void test_translation(void **state) {
    (void)state;
    check_csv("{\"a\": 1.0}\n\n{\"b\": \"x\", \"a\": null}\n{}", "\"a\",\"b\"\n1.0,\n\n,\"x\"\n,\n");
    check_csv("{\"\": \"\"}\n{}\n", "\"\"\n\"\"\n\"\"\n");
    check_csv("{\"k\\\"\": \"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u20aC\"}", "\"k\"\"\"\n\"\"\"\\/\b\f\n\r\t\xe2\x82\xac\"\n");
    check_csv("{\"a\": -0.5E-07, \"b\": 12345678901234567890}", "\"a\",\"b\"\n-0.5E-07,12345678901234567890\n");
}

static void test_many_keys(void **state) {
    (void)state;
    hsp_text t = {0};
    hsp_text_char(&t, '{');
    for (int i = 0; i < 1000; i++) hsp_text_format(&t, "\"k%d\": %d, ", i, i);
    hsp_text_add(&t, "\"y\": 1}\n{\"k999\": 5}");
    hsp_stream *s = NULL, *csv = NULL;
    assert_int_equal(hsp_stream_open_memory(t.s, t.length, "x", &s, NULL), 0);
    assert_int_equal(hsp_jsonl_translate(s, &csv, NULL), 0);
    hsp_stream_close(csv);
    hsp_stream_close(s);
    hsp_text_free(&t);
}

static void test_begins(void **state) {
    (void)state;
    static const char *const good[] = {"{\"a\": 1}\n", "\n {\"a\": 1}\r\n{", "{ \"a\": 1"};
    static const char *const bad[] = {"", "{", "{\n\"a\": 1}", "[{\"a\": 1}]", "{a},b\n", "{\"a\": 1,\n\"b\": 2}", "{}\n"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(hsp_jsonl_begins(good[i], (int64_t)strlen(good[i])));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_false(hsp_jsonl_begins(bad[i], (int64_t)strlen(bad[i])));
}

#define OBJECT "give one object on each line, such as {\"x1\": 1.5, \"label\": \"a\"}"
#define NUMBER "not a number of JSON: write it as -1.5e3, or as a string in quotes"

static void test_broken(void **state) {
    (void)state;
    static const broken b[] = {
        {.text = "{\"a\": 1", .spec = "", .message = "x.jsonl:1:8: the object does not end on its line: " OBJECT},
        {.text = "{", .spec = "", .message = "x.jsonl:1:2: the object does not end on its line: " OBJECT},
        {.text = "\n\nnull", .spec = "", .message = "x.jsonl:3:1: this line is not a JSON object: " OBJECT},
        {.text = "{\"a\": 1}}", .spec = "", .message = "x.jsonl:1:9: text after the object: " OBJECT},
        {.text = "{\"a\": 1e}", .spec = "", .message = "x.jsonl:1:7: " NUMBER},
        {.text = "{\"a\": -01}", .spec = "", .message = "x.jsonl:1:7: " NUMBER},
        {.text = "{\"a\": 1, \"a\": 2}",
         .spec = "",
         .message = "x.jsonl:1:10: the key 'a' occurs twice in this object: remove or rename one of them"},
        {.text = "{\"a\": \"\\udc00\"}",
         .spec = "",
         .message = "x.jsonl:1:8: half of a surrogate pair: write both halves, or the character itself"},
        {.text = "{\"a\": \"\\u00\"}",
         .spec = "",
         .message = "x.jsonl:1:8: \\u needs four hexadecimal digits: correct the string"},
        {.text = "{\"a\": \"\\", .spec = "", .message = "x.jsonl:1:8: unknown escape: write \\\\ for a backslash"},
        {.text = "{\"y\": 1}", .spec = "", .message = "x.jsonl: only one key, so no features: give every object more keys"},
        {.text = "{\"a\": \"p\\nq\", \"b\": 1, \"y\": 1}\n\n{\"a\": \"r\", \"b\": 2}\n",
         .spec = "ignore=a",
         .message = "x.jsonl:3: the label is missing in column 'y': fill it in, remove the row, or use --missing drop"},
        {.text = "{\"a\": 1, \"y\": 1}",
         .spec = "header=no",
         .message = "--header is for CSV files, and x.jsonl is jsonl: leave it out",
         .code = HSP_EUSAGE},
    };
    read_all_bad("x.jsonl", b, sizeof b / sizeof *b);
}

/* With the first allocation failing, then the second, and so on until none fails. */
static void test_memory(void **state) {
    (void)state;
    static const char text[] =
        "{\"a\": 1, \"b\": \"u\\nv\", \"y\": \"p\"}\n{\"a\": 2, \"b\": \"w\", \"y\": \"q\", \"late\": 1}\n";
    hsp_options *o = options_of("missing=mean");
    int status = HSP_EMEMORY;
    for (int64_t calls = 0; status == HSP_EMEMORY; calls++) {
        hsp_data *data = NULL;
        hsp_error *err = NULL;
        hsp_memory_fail_once(calls);
        status = read_chunked("x.jsonl", text, sizeof text - 1, 64, o, NULL, &data, &err);
        bool reached = hsp_memory_calls() > calls;
        hsp_memory_fail_after(-1);
        assert_true((status == 0) == (data != NULL));
        hsp_data_free(data);
        hsp_error_free(err);
        if (reached && status == 0) status = HSP_EMEMORY; /* it can do without this one */
        assert_true(calls < 10000);
    }
    assert_int_equal(status, 0);
    hsp_options_free(o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),   cmocka_unit_test(test_translation), cmocka_unit_test(test_many_keys),
        cmocka_unit_test(test_begins), cmocka_unit_test(test_broken),      cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
