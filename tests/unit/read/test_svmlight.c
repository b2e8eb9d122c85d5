/* The svmlight reader: every form that is accepted, and those that are not. */
#include "read_from.h"

#define F "t.svm"

static void plain_rows(void **state) {
    (void)state;
    check_rows(F, "+1 1:0.5 3:-2\n-1 2:1e2\n", NULL, "1: 0.5 0 -2 | -1: 0 100 0",
               "svmlight, base 1 (smallest id 1), 3 features, 2 rows");
    check_rows(F, "1.0 1:1\n1 1:2\n2 1:3", NULL, "1: 1 | 1: 2 | 2: 3", NULL);
    check_rows(F, "spam 1:1\nham\t2:.5\t3:5.\n", NULL, "spam: 1 0 0 | ham: 0 0.5 5", NULL);
    check_rows(F, "C# 1:1\nC++ 1:2\n", NULL, "C#: 1 | C++: 2", NULL);
    check_rows(F, "a:b 1:1\n", NULL, "a:b: 1", NULL);
    check_rows(F, "1 000000000000000000000001:5 02:6\n", NULL, "1: 5 6", NULL);
}

static void line_ends(void **state) {
    (void)state;
    const char *rows = "1: 1 | 2: 2 | 3: 3";
    check_rows(F, "1 1:1\n2 1:2\n3 1:3\n", NULL, rows, NULL);
    check_rows(F, "1 1:1\r\n2 1:2\r\n3 1:3\r\n", NULL, rows, NULL);
    check_rows(F, "1 1:1\r2 1:2\r3 1:3\r", NULL, rows, NULL);
    check_rows(F, "1 1:1\r2 1:2\r\n3 1:3", NULL, rows, NULL);
    check_rows(F, "1 1:1\r\n2 1:2\r\n3 1:3\r", NULL, rows, NULL);
    check_rows(F,
               "\xef\xbb\xbf"
               "1 1:1\n\n2 1:2\n\n\n3 1:3",
               NULL, rows, NULL);
    check_rows(F, "1 1:1  \n\t2 1:2\t\n   3   1:3\n   \n", NULL, rows, NULL);
}

static void comments_and_queries(void **state) {
    (void)state;
    check_rows(F, "# head\n1 1:1 # tail 2:x\n  # more\n2 1:2#tail\n", NULL, "1: 1 | 2: 2", NULL);
    check_rows(F, "1 qid:7 1:1\n2 qid:8 1:2\n", NULL, "1: 1 | 2: 2",
               "svmlight, base 1 (smallest id 1), 1 feature, 2 rows, qid ignored (2)");
}

static void zeros_order_duplicates(void **state) {
    (void)state;
    check_rows(F, "1 1:1 5:0\n2\n", NULL, "1: 1 0 0 0 0 | 2: 0 0 0 0 0", NULL);
    check_rows(F, "1 3:3 1:1 2:2\n2 2:0 1:1\n", NULL, "1: 1 2 3 | 2: 1 0 0", NULL);
    check_rows(F, "1 2:1 1:5 2:2 2:0.25\n", NULL, "1: 5 3.25",
               "svmlight, base 1 (smallest id 1), 2 features, 1 row, 2 duplicate ids summed");
    check_rows(F, "1 2:0 1:0\n2 2:0 1:3\n", NULL, "1: 0 0 | 2: 3 0", NULL);
    check_rows(F, "1 2:1 2:-1 1:4\n", NULL, "1: 4 0", NULL);
}

static void base(void **state) {
    (void)state;
    check_rows(F, "1 1:1\n2 0:7 2:2\n", NULL, "1: 0 1 0 | 2: 7 0 2",
               "svmlight, base 0 (smallest id 0), 3 features, 2 rows");
    check_rows(F, "1 3:1\n", NULL, "1: 0 0 1", "svmlight, base 1 (smallest id 3), 3 features, 1 row");
    check_rows(F, "1 3:1\n", "base=0", "1: 0 0 0 1", "svmlight, base 0 (--base), 4 features, 1 row");
    check_rows(F, "1 3:1\n", "base=1", "1: 0 0 1", "svmlight, base 1 (--base), 3 features, 1 row");
}

static void unlabelled(void **state) {
    (void)state;
    check_rows(F, "1:1 2:2\n2:3\n", NULL, "-: 1 2 | -: 0 3",
               "svmlight, base 1 (smallest id 1), no labels, 2 features, 2 rows");
    check_rows(F, "qid:1 1:1\nqid:2 2:3\n", NULL, "-: 1 0 | -: 0 3", NULL);
    check_rows(F, "1 qid:9223372036854775807 1:1\n2 2:3 qid:08#none\n", NULL, "1: 1 0 | 2: 0 3", NULL);
}

static void broken_rows(void **state) {
    (void)state;
    const broken b[] = {
        {"1 1:1\n2 x:3\n", 0,
         F ":2:3: 'x' is not a feature id (a whole number): write rows as `label id:value id:value ...`", 0, 0},
        {"1 1:1 -2:3\n", 0, F ":1:7: feature id -2 is negative: use whole numbers from 0 or 1", 0, 0},
        {"-2:3 1:1\n", 0, F ":1:1: feature id -2 is negative: use whole numbers from 0 or 1", 0, 0},
        {"1 +2:3\n", 0, F ":1:3: '+2' is not a feature id (a whole number): write rows as `label id:value id:value ...`", 0,
         0},
        {"1 1.5:3\n", 0, F ":1:3: '1.5' is not a feature id (a whole number): write rows as `label id:value id:value ...`",
         0, 0},
        {"1 :3\n", 0, F ":1:3: '' is not a feature id (a whole number): write rows as `label id:value id:value ...`", 0, 0},
        {"1 2147483648:3\n", 0, F ":1:3: feature id 2147483648 is too large: the largest is 2147483647", 0, 0},
        {"1 99999999999999999999:3\n", 0, F ":1:3: feature id 99999999999999999999 is too large: the largest is 2147483647",
         0, 0},
        {"1 1:1\n\n# c\n1 1:1 2\n", 0, F ":4:7: '2' has no ':': write rows as `label id:value id:value ...`", 0, 0},
        {"1 1:1 2:\n", 0,
         F ":1:9: the value after ':' is missing: write rows as `label id:value id:value ...`, without blanks around ':'",
         0, 0},
        {"1 1: 2\n", 0,
         F ":1:5: the value after ':' is missing: write rows as `label id:value id:value ...`, without blanks around ':'",
         0, 0},
        {"1 1:#2\n", 0,
         F ":1:5: the value after ':' is missing: write rows as `label id:value id:value ...`, without blanks around ':'",
         0, 0},
        {"1 1:nan\n", 0, F ":1:5: value 'nan' is not a finite number: give a number or leave the entry out", 0, 0},
        {"1 1:-Inf\n", 0, F ":1:5: value '-Inf' is not a finite number: give a number or leave the entry out", 0, 0},
        {"1 1:1e999\n", 0, F ":1:5: value 1e999 is too large for a double: scale the column down", 0, 0},
        {"1 1:-1e999 \n", 0, F ":1:5: value -1e999 is too large for a double: scale the column down", 0, 0},
        {"1 1:red\n", 0, F ":1:5: value 'red' is not a number: write rows as `label id:value id:value ...`", 0, 0},
        {"1 1:2:3\n", 0, F ":1:5: value '2:3' is not a number: write rows as `label id:value id:value ...`", 0, 0},
        {"1 1:2,5\n", 0, F ":1:5: value '2,5' is not a number: use a decimal point, not a comma", 0, 0},
        {"1 1:0x10\n", 0, F ":1:5: value '0x10' is not a number: write rows as `label id:value id:value ...`", 0, 0},
        {"1 1:1\r\n2 1:2\r\n3 1:x\r\n", 0, F ":3:5: value 'x' is not a number: write rows as `label id:value id:value ...`",
         0, 0},
        {"1 1:1\r2 1:2\r3 1:x\r", 0, F ":3:5: value 'x' is not a number: write rows as `label id:value id:value ...`", 0,
         0},
        {"1 1:1\n2 0:1\n", "base=1",
         F ":2:3: feature id 0, but ids are numbered from 1: use --base 0 if the first feature is 0", 0, 0},
        {"1 1:1\n1:1 2:2\n", 0, F ":2:1: the row has no label, but the first row (line 1) has one: label all rows or none",
         0, 0},
        {"\n1:1 2:2\n1 1:1\n", 0,
         F ":3:1: the row has a label, but the first row (line 2) has none: label all rows or none", 0, 0},
        {"1 1:1\n1 2:\0\n", 0, F ":2:5: the file is binary (it has a NUL byte): give a text file, CSV or svmlight", 13, 0},
        {"1 1:1\n\x01\x02 1:1\n", 0, F ":2:1: the file is binary (byte 1): give a text file", 0, 0},
        {"1 1:1 \x07:1\n", 0, F ":1:7: the file is binary (byte 7): give a text file", 0, 0},
        {"\xff\xfe"
         "1\0",
         0, F ":1:1: is UTF-16 text: save it as UTF-8", 4, 0},
        {"1 1:1e308 1:1e308\n", 0, F ":1:1: feature 1 is given more than once and its values sum to infinity: give it once",
         0, 0},
        {"yes\nno\n", 0, F ":1:1: no row has a feature: write rows as `label id:value id:value ...`, or use --format csv",
         0, 0},
        {"1 qid:x 1:1\n", 0, F ":1:7: 'x' is not a query number: write qid:N, or leave it out", 0, 0},
        {"1 1:1\n1 qid: 1:1\n", 0, F ":2:7: '' is not a query number: write qid:N, or leave it out", 0, 0},
        {"qid:1\nqid:2.5 1:1\n", 0, F ":2:5: '2.5' is not a query number: write qid:N, or leave it out", 0, 0},
        {"1 qid:-1\n", 0, F ":1:7: '-1' is not a query number: write qid:N, or leave it out", 0, 0},
        {"1 qid:9223372036854775808\n", 0,
         F ":1:7: '9223372036854775808' is not a query number: write qid:N, or leave it out", 0, 0},
        {"1 1:abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz\n", 0,
         F ":1:5: value 'abcdefghijklmnopqrstuvwxyzabcdefghijklmn...' is not a number: write rows as `label id:value "
           "id:value ...`",
         0, 0},
        {"", 0, F ": empty file: give a file with rows", 0, 0},
    };
    read_all_bad(F, b, sizeof b / sizeof *b);
}

/* A model's schema determines base and d. */
static void for_a_model(void **state) {
    (void)state;
    const hsp_schema one = {.format = "svmlight", .d = 3, .base = 1}, zero = {.format = "svmlight", .d = 3, .base = 0};
    const hsp_schema csv = {.format = "csv", .d = 2};
    const char *text = "1 2:1\n";
    hsp_data *data = read_good_known(F, text, strlen(text), NULL, &one);
    assert_rows(data, "1: 0 1 0");
    assert_string_equal(data->assumed, "svmlight, base 1 (as in the model), 3 features, 1 row");
    hsp_data_free(data);
    data = read_good_known(F, text, strlen(text), NULL, &zero);
    assert_rows(data, "1: 0 0 1");
    hsp_data_free(data);
    text = "1 5:1\n"; /* beyond the model's features: kept, for scoring to count */
    data = read_good_known(F, text, strlen(text), NULL, &one);
    assert_rows(data, "1: 0 0 0 0 1");
    hsp_data_free(data);
    text = "2:4\n1:3\n";
    data = read_good_known(F, text, strlen(text), NULL, &csv);
    assert_rows(data, "-: 0 4 | -: 3 0");
    hsp_data_free(data);
    text = "1:4\n0:3\n";
    data = read_good_known(F, text, strlen(text), NULL, &csv);
    assert_rows(data, "-: 0 4 | -: 3 0");
    hsp_data_free(data);
    text = "1 0:1\n";
    read_bad_known(
        F, text, strlen(text), NULL, &one, HSP_EINPUT,
        F ":1:3: feature id 0, but the model's features are numbered from 1: use --base 0 if the first feature is 0");
}

/* Many rows cross many blocks; the sum of the values is unchanged. */
static void many_rows(void **state) {
    (void)state;
    hsp_text t = {0};
    for (int i = 0; i < 10000; i++) hsp_text_format(&t, "%d 1:%d %d:1\n", i % 3, i, 2 + i % 50);
    hsp_options *o = options_of(NULL);
    hsp_data *data = NULL;
    assert_int_equal(read_chunked(F, t.s, (size_t)t.length, 1000, o, NULL, &data, NULL), 0);
    assert_int_equal(data->x.n, 10000);
    assert_int_equal(data->x.d, 51);
    double x[51];
    for (int i = 0; i < 10000; i++) {
        hsp_data_row(data, i, x, NULL);
        assert_true(x[0] == i && x[1 + i % 50] == 1);
    }
    hsp_data_free(data);
    hsp_options_free(o);
    /* An error in a late row has its line. */
    t.s[t.length - 2] = 'x';
    hsp_error *err = NULL;
    assert_int_equal(read_chunked(F, t.s, (size_t)t.length, 1000, NULL, NULL, &data, &err), HSP_EINPUT);
    assert_int_equal(hsp_error_line(err), 10000);
    assert_int_equal(hsp_error_column(err), 13);
    hsp_error_free(err);
    hsp_text_free(&t);
}

/* The base of rows for a model without one is that of the first 64 KiB, for any chunks; later ids do not change it. */
static void late_zero(void **state) {
    (void)state;
    hsp_text t = {0};
    const hsp_schema csv = {.format = "csv", .d = 2};
    for (int i = 0; i < 16384; i++) hsp_text_add(&t, "1:1\n");
    hsp_text_add(&t, "0:1\n");
    read_bad_known(F, t.s, (size_t)t.length, NULL, &csv, HSP_EINPUT,
                   F ":16385:1: feature id 0, but the rows before are numbered from 1: use --base 0");
    t.s[4 * 16383] = '0';
    hsp_data *data = read_good_known(F, t.s, (size_t)t.length, NULL, &csv);
    assert_string_equal(data->assumed, "svmlight, base 0 (smallest id 0), ids matched to the model's columns by position, "
                                       "no labels, 2 features, 16385 rows");
    hsp_data_free(data);
    hsp_text_free(&t);
    /* A first row that is longer counts with the part within; the id of a weight does not count. */
    hsp_text_add(&t, "0:1");
    for (int i = 0; i < 20000; i++) hsp_text_format(&t, " %d:1", i + 1);
    data = read_good_known(F, t.s, (size_t)t.length, NULL, &csv);
    assert_int_equal(data->x.d, 20001);
    hsp_data_free(data);
    data = read_good_known(F, t.s, (size_t)t.length, "weight=0", &csv);
    assert_int_equal(data->x.d, 20000);
    hsp_data_free(data);
    hsp_text_free(&t);
}

/* ---- pieces ---- */

static void append_rows(const hsp_block *b, hsp_text *t) {
    for (int64_t i = 0; i < b->rows; i++) {
        hsp_text_format(t, "%lld:%lld %.*s", (long long)(b->line_base + b->line[i]), (long long)b->column[i],
                        (int)(b->label[i + 1] - b->label[i]), b->text + b->label[i]);
        if (b->weighted) hsp_text_add(t, " weight ");
        if (b->weighted) hsp_text_number(t, b->weight[i]);
        for (int64_t e = b->row[i]; e < b->row[i + 1]; e++) {
            hsp_text_format(t, " %u:", b->id[e]);
            hsp_text_number(t, b->value[e]);
        }
        hsp_text_char(t, '\n');
    }
}

/* All results of a reading: rows with their places, then what was assumed, or the error. */
static char *story(const char *text, size_t n, int64_t chunk, const char *spec) {
    hsp_options *o = options_of(spec);
    hsp_stream *s = NULL;
    hsp_reading g = {0};
    hsp_parcel p = {0};
    hsp_text t = {0};
    hsp_error *err = NULL;
    assert_int_equal(hsp_stream_open_memory(text, (int64_t)n, F, &s, NULL), 0);
    hsp_stream_set_chunk(s, chunk);
    int status = hsp_reading_open(&g, s, o, NULL, &err);
    while (status == 0 && (status = hsp_reading_cut(&g, &p, &err)) > 0) {
        hsp_reading_parse(&g, &p);
        status = hsp_reading_take(&g, &p, &err);
        if (status == 0) append_rows(&p.block, &t);
        if (status == 0) status = hsp_reading_fault(&g, &p, &err);
    }
    if (status == 0) status = hsp_reading_finish(&g, &err);
    hsp_text_add(&t, status < 0 ? hsp_error_message(err) : g.assumed->s);
    hsp_error_free(err);
    hsp_parcel_free(&p);
    hsp_reading_close(&g);
    hsp_stream_close(s);
    hsp_options_free(o);
    return t.s;
}

static const struct {
    const char *text;
    size_t size; /* 0: a string */
} various[] = {
    {"+1 1:0.5 3:-2\n-1 2:1e2\n+1 1:0.693147 2:0.00012345678901234567 12345678:1e-05 2147483647:3\n", 0},
    {"a 1:1\r\nb 2:2\r\n\r\nc 3:3\r\n", 0},
    {"a 1:1\rb 2:2\r\rc 3:3", 0},
    {"a 1:1\rb 2:2\r\n\n\rc 3:3\r", 0},
    {"\xef\xbb\xbf#only\r\n# comments\n   \n#", 0},
    {"# one\n\na 1:1 # two\n  \tb  2:2\t3:3 \t#three\n", 0},
    {"a-label-longer-than-sixteen-bytes 1:1 2:2 3:3 4:4 5:5 6:6 7:7 8:8 9:9 10:10 11:11 12:12 13:13 14:14 15:15 16:16\n"
     "b 1:1\nc 3:1 2:5 3:.5 1:0 qid:7\n",
     0},
    {"1:1 2:2\nqid:3 2:2\n0:5 2:1", 0},
    {"a 1:1\nb 1:1 2:x\nc 1:1\n", 0},
    {"a 1:1\r\nb 1:1\r\n\r\n c 1:1 2:1e999\r\n", 0},
    {"a 1:1\n\n\nb 1:1\n2:2\n", 0},
    {"1:1\n\n2:2 3:3\r\rb 1:1\n", 0},
    /* The row without a label has another fault too, in the same piece as the one before or in one of its own. */
    {"a 1:1\nb 2:2\n2:2 x:2\n", 0},
    {"a 1:1\nb 2:2 # and a \0 in it\nc 1:1\n", 32},
    {"a 1:1\nb 2:x 3:\0 4:4\nc 1:1\n", 24},
    {"a 1:1\nb\0 2:2\nc 1:1\n", 19},
    {"a 1:1\nb 2:2 2:1e308 1:1e308 2:1e308\n", 0},
    {"a 1:1\nb 2:2 :3\n", 0},
    {"a 1:1\nb 2:2 3\n", 0},
    {"a 1:1\nb 2:2 3:", 0},
    {"a 1:1\nb 2:2 3:1e", 0},
    {"a 1:1\nb 2:2 3:-", 0},
    {"a 1:1\nb 2:2 12345678", 0},
    {"a 1:1\nb 2:2 12345678901234567:1", 0},
    {"a 1:1\nb 2:2 3:1\x0b\n", 0},
    {"a 2:-1 1:1\nb 1:1\n", 0},
    {"a 2:1 1:1\nb 2:0 1:1\nc 2:1 2:1\n", 0},
};

/* For any cut of the file: the same rows, places, counts and errors. */
static void every_cut(void **state) {
    (void)state;
    const char *const specs[] = {"format=svmlight", "format=svmlight base=1", "format=svmlight weight=2"};
    for (size_t i = 0; i < sizeof various / sizeof *various; i++) {
        size_t n = various[i].size ? various[i].size : strlen(various[i].text);
        for (int k = 0; k < 3; k++) {
            char *whole = story(various[i].text, n, 1 << 20, specs[k]);
            for (int64_t chunk = 1; chunk <= 40; chunk++) {
                char *cut = story(various[i].text, n, chunk, specs[k]);
                assert_string_equal(cut, whole);
                hsp_free(cut);
            }
            hsp_free(whole);
        }
    }
}

static void places(void **state) {
    (void)state;
    char *got = story(various[0].text, strlen(various[0].text), 1 << 20, NULL);
    assert_string_equal(got, "1:1 +1 1:0.5 3:-2\n2:1 -1 2:100\n3:1 +1 1:0.693147 2:1.2345678901234567e-4 12345678:1e-5 "
                             "2147483647:3\nsvmlight, base 1 (smallest id 1), 2147483647 features, 3 rows");
    hsp_free(got);
    got = story(various[3].text, strlen(various[3].text), 3, NULL);
    assert_string_equal(got, "1:1 a 1:1\n2:1 b 2:2\n5:1 c 3:3\nsvmlight, base 1 (smallest id 1), 3 features, 3 rows");
    hsp_free(got);
    got = story(various[5].text, strlen(various[5].text), 1, "format=svmlight");
    assert_string_equal(got, "3:1 a 1:1\n4:4 b 2:2 3:3\nsvmlight, base 1 (smallest id 1), 3 features, 2 rows");
    hsp_free(got);
    got = story(various[12].text, strlen(various[12].text), 1, NULL);
    assert_non_null(
        strstr(got, F ":3:1: the row has no label, but the first row (line 1) has one: label all rows or none"));
    hsp_free(got);
}

/* Any number of threads gives the same data, and the first of several errors. */
static void threads(void **state) {
    (void)state;
    hsp_text t = {0};
    for (int i = 0; i < 3000; i++) {
        hsp_text_format(&t, "%s%d", i % 7 ? "" : "# ha\n\n", i % 3);
        for (int e = 0; e < 1 + i % 9; e++) hsp_text_format(&t, " %d:%d.%d", 1 + e * 3 + i % 3, i % 100 - 50, i);
        hsp_text_add(&t, i % 11 ? "\n" : " # ho\r\n");
    }
    uint64_t hash = 0;
    for (int wrong = 0; wrong < 2; wrong++) {
        for (int count = 1; count <= 4; count++) {
            for (int64_t chunk = 50; chunk < 100000; chunk *= 9) {
                char spec[32];
                snprintf(spec, sizeof spec, "threads=%d", count);
                hsp_options *o = options_of(spec);
                hsp_data *data = NULL;
                hsp_error *err = NULL;
                int status = read_chunked(F, t.s, (size_t)t.length, chunk, o, NULL, &data, &err);
                hsp_options_free(o);
                assert_int_equal(status, wrong ? HSP_EINPUT : 0);
                if (wrong) assert_int_equal(hsp_error_line(err), 3004);
                if (!wrong && hash == 0) hash = hsp_data_hash(data);
                if (!wrong) assert_true(hash == hsp_data_hash(data));
                hsp_data_free(data);
                hsp_error_free(err);
            }
        }
        /* Two errors; the later one is found sooner. */
        char *row = strstr(t.s, ":-15.2335");
        assert_non_null(row);
        row[1] = 'x';
        memcpy(t.s + t.length - 4, ":::", 3);
    }
    hsp_text_free(&t);
}

/* Whichever allocation fails. */
static void without_memory(void **state) {
    (void)state;
    const hsp_schema csv = {.format = "csv", .d = 2};
    hsp_options *o = options_of("threads=1");
    const char *text = "a 3:3 1:1 2:2\nb 1:1\nc 2:2 2:3\n";
    int status = HSP_EMEMORY;
    for (int64_t calls = 0; status != 0; calls++) {
        for (int k = 0; k < 2; k++) {
            hsp_data *data = NULL;
            hsp_error *err = NULL;
            hsp_memory_fail_after(calls);
            status = read_chunked(F, text, strlen(text), 20, o, k ? &csv : NULL, &data, &err);
            hsp_memory_fail_after(-1);
            if (status != 0 && (status != HSP_EMEMORY || data || hsp_error_code(err) != HSP_EMEMORY))
                fail_msg("%lld: %d %s", (long long)calls, status, hsp_error_message(err));
            if (status == 0) assert_rows(data, "a: 1 2 3 | b: 1 0 0 | c: 0 5 0");
            hsp_data_free(data);
            hsp_error_free(err);
        }
        assert_true(calls < 2000);
    }
    hsp_options_free(o);
}

int main(void) {
    const struct CMUnitTest t[] = {
        cmocka_unit_test(plain_rows),
        cmocka_unit_test(line_ends),
        cmocka_unit_test(comments_and_queries),
        cmocka_unit_test(zeros_order_duplicates),
        cmocka_unit_test(base),
        cmocka_unit_test(unlabelled),
        cmocka_unit_test(broken_rows),
        cmocka_unit_test(for_a_model),
        cmocka_unit_test(many_rows),
        cmocka_unit_test(late_zero),
        cmocka_unit_test(every_cut),
        cmocka_unit_test(places),
        cmocka_unit_test(threads),
        cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(t, NULL, NULL);
}
