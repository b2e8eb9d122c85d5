/* The CSV reader on its own: forms, guesses, and errors with their exact places. */
#include "read_from.h"

#define G(column) " (the target is column " column "; choose another with --target)"
#define F "t.csv"

static void header_and_target(void **state) {
    (void)state;
    check_rows(F, "a,b,label\n1,2,x\n3,4,y\n", NULL, "x: 1 2 | y: 3 4",
               "csv, comma, header, target 'label' (by name), 2 features, 2 rows");
    check_rows(F, "LABEL,a,b\nx,1,2\ny,3,4\n", NULL, "x: 1 2 | y: 3 4", NULL);
    check_rows(F, "y,Class,b\n1,2,3\n", NULL, "2: 1 3", "csv, comma, header, target 'Class' (by name), 2 features, 1 row");
    check_rows(F, "a,b,c\n1,2,3\n", NULL, "3: 1 2", "csv, comma, header, target 'c' (the last), 2 features, 1 row");
    check_rows(F, "1,2,x\n3,4,y\n", NULL, "x: 1 2 | y: 3 4",
               "csv, comma, no header, target column 3 (the last), 2 features, 2 rows");
    check_rows(F, "a,b,c\n1,2,3\n", "target=a", "1: 2 3", "csv, comma, header, target 'a' (--target), 2 features, 1 row");
    check_rows(F, "a,b,c\n1,2,3\n", "target=2", "2: 1 3", NULL);
    check_rows(F, "a,2,1\n5,6,7\n", "target=1", "7: 5 6", NULL); /* a name wins over a number */
    check_rows(F, "7,8,9\n4,5,6\n", "target=1", "7: 8 9 | 4: 5 6", NULL);
    check_rows(F, "id,a,b,label\n9,1,2,x\n", "ignore=id", "x: 1 2",
               "csv, comma, header, target 'label' (by name), 2 features, 1 column ignored, 1 row");
    check_rows(F, "9,x,1,2\n8,y,3,4\n", "ignore=1 target=2", "x: 1 2 | y: 3 4", NULL);
    check_rows(F, "9,x,1,2\n8,y,3,4\n", "ignore=4,1 target=2", "x: 1 | y: 3", NULL);
    check_rows(F, "a,b,label\n1,2,x\n", "ignore=label", "2: 1", NULL);
    check_rows(F, ",a,label\n1,2,x\n", NULL, "x: 1 2", NULL); /* an index column without a name */
}

static void header_guess(void **state) {
    (void)state;
    check_rows(F, "1,2\n3,4\n", "header=yes", "4: 3", NULL);
    check_rows(F, "1,a\n3,b\n", "header=no", "a: 1 | b: 3", NULL);
    check_rows(F, "a,b\n1,2\n", "header=yes target=1", "1: 2", NULL);
    /* Words over words, but one of them is a common name of a target. */
    check_rows(F, "1,a\n2,b\n", NULL, "a: 1 | b: 2", NULL);
    hsp_data *data = read_good(F, "x,label\n1,a\n", NULL);
    assert_string_equal(hsp_data_feature_name(data, 0), "x");
    assert_string_equal(data->schema.target, "label");
    assert_int_equal(data->schema.target_column, 2);
    assert_int_equal(data->schema.file_columns, 2);
    hsp_data_free(data);
    data = read_good(F, "1,x,3\n", "target=2");
    assert_null(hsp_data_feature_name(data, 0));
    assert_int_equal(data->schema.column[0], 1);
    assert_int_equal(data->schema.column[1], 3);
    assert_false(data->schema.header);
    hsp_data_free(data);
}

static void delimiters(void **state) {
    (void)state;
    check_rows(F, "a;b;label\n1;2;x\n", NULL, "x: 1 2",
               "csv, semicolon, header, target 'label' (by name), 2 features, 1 row");
    check_rows(F, "a\tb\tlabel\n1\t2\tx y\n", NULL, "x y: 1 2",
               "csv, tab, header, target 'label' (by name), 2 features, 1 row");
    check_rows(F, "1 2 x\n3 4 y\n", NULL, "x: 1 2 | y: 3 4",
               "csv, space, no header, target column 3 (the last), 2 features, 2 rows");
    check_rows(F, "  1   2  x \n 3 4 y\n", NULL, "x: 1 2 | y: 3 4", NULL);
    check_rows(F, "1, 2, x\n3 ,4, y z \n", NULL, "x: 1 2 | y z: 3 4", NULL);
    check_rows(F, "1\t,2,x\n3,4,y\n", NULL, "x: 1 2 | y: 3 4", NULL);
    check_rows(F, "1;2;a,b\n3;4;c,d\n", "delimiter=;", "a,b: 1 2 | c,d: 3 4", NULL);
    check_rows("t.tsv", "1\t2\ta,b\n3\t4\tc\n", NULL, "a,b: 1 2 | c: 3 4", NULL);
    check_rows(F, "1 2 x\n", "delimiter=space", "x: 1 2", NULL);
    /* Between blanks a tab alone is an empty cell; beside other characters it is ignored. */
    check_rows(F, "1 \t 2 x\n3 4 \t5 y\t\n", "ignore=2 delimiter=space header=no", "x: 1 2 | y: 3 5", NULL);
    check_rows(F, "1\t2\tx\n", "delimiter=tab", "x: 1 2", NULL);
    check_rows(F, "1,2,x;y\n1,2,x\n", NULL, "x;y: 1 2 | x: 1 2", NULL);
    /* With semicolons the cells would continue after their quotes. */
    check_rows(F, "\"a;\",\"b;\",\"c;\",label\n1,2,3,5\n", NULL, "5: 1 2 3",
               "csv, comma, header, target 'label' (by name), 3 features, 1 row");
    check_rows(F, "\"1\" ; \"2\" ;x\n3;4;y\n", NULL, "x: 1 2 | y: 3 4", NULL);
}

static void quotes(void **state) {
    (void)state;
    check_rows(F, "\"a\",\"b\",\"label\"\n\"1\",2,\"x, y\"\n", NULL, "x, y: 1 2", NULL);
    check_rows(F, "1,\"say \"\"hi\"\"\"\n2,\"\"\"\"\n", NULL, "say \"hi\": 1 | \": 2", NULL);
    check_rows(F, "1,\"two\nlines\"\n2,x\n", NULL, "two\nlines: 1 | x: 2", NULL);
    check_rows(F, "1,\"two\r\nlines\"\r\n2,x\r\n", NULL, "two\r\nlines: 1 | x: 2", NULL);
    check_rows(F, "\"long\nname\",label\n1,x\n", NULL, "x: 1", NULL);
    check_rows(F, "1, \"x\" \n2,5\" pipe\n", NULL, "x: 1 | 5\" pipe: 2", NULL);
    check_rows(F, "\" 1.5 \",x\n", NULL, "x: 1.5", NULL);
    check_rows(F, "\"1\" 2 \"x y\"\n\"3\" 4 z\n", NULL, "x y: 1 2 | z: 3 4", NULL);
}

static void line_ends(void **state) {
    (void)state;
    const char *rows = "x: 1 2 | y: 3 4";
    check_rows(F, "a,b,label\r\n1,2,x\r\n3,4,y\r\n", NULL, rows, NULL);
    check_rows(F, "a,b,label\r1,2,x\r3,4,y", NULL, rows, NULL);
    check_rows(F, "\n\na,b,label\n\n1,2,x\n  \n3,4,y\n\n", NULL, rows, NULL);
    check_rows(F,
               "\xef\xbb\xbf"
               "a,b,label\n1,2,x\n3,4,y",
               NULL, rows, NULL);
    check_rows(F,
               "\xef\xbb\xbf"
               "1,2,x\n3,4,y",
               NULL, rows, NULL);
}

static void numbers(void **state) {
    (void)state;
    check_rows(F, "+1,-2.5,1e3,.5,5.,-0,x\n", NULL, "x: 1 -2.5 1000 0.5 5 -0", NULL);
}

static void broken_cells(void **state) {
    (void)state;
    const broken b[] = {
        {"1,2,x\n1,1e400,x\n", 0, F ":2:3: column 2 holds 1e400, too large for a double: scale the column down", 0, 0},
        {"1,2,x\n1,\"-1e400\",x\n", 0, F ":2:3: column 2 holds -1e400, too large for a double: scale the column down", 0,
         0},
        {"1,2,x\n3,4,\n", 0, F ":2:5: the label is missing in column 3: fill it in, remove the row, or use --missing drop",
         0, 0},
        {"1,a,x\n3,b,\n", 0, F ":2:5: the label is missing in column 3: fill it in, remove the row, or use --missing drop",
         0, 0},
        {"a,b,label\n3,4,\"\"\n", 0,
         F ":2:5: the label is missing in column 'label': fill it in, remove the row, or use --missing drop", 0, 0},
        {"a,b,label\n3,4,\" \"\n", 0,
         F ":2:5: the label is missing in column 'label': fill it in, remove the row, or use --missing drop", 0, 0},
    };
    read_all_bad(F, b, sizeof b / sizeof *b);
}

/* Rows for a model whose columns are numbers: rows with words or missing values are refused. */
static void broken_for_a_model(void **state) {
    (void)state;
    static const struct {
        const char *model, *text, *message;
    } b[] = {
        {"a,b,label\n1,2,x\n", "a,b,label\n1,red,x\n",
         F
         ":2:3: column 'b' holds 'red', which is not a number: ignore the column with --ignore b, or encode it as numbers"},
        {"a,b b,label\n1,2,x\n", "a,b b,label\n1,red,x\n",
         F ":2:3: column 'b b' holds 'red', which is not a number: ignore the column with --ignore 2, or encode it as "
           "numbers"},
        {"a,\"b\nc\",label\n1,2,x\n", "a,\"b\nc\",label\n1,red,x\n",
         F ":3:3: column 'b?c' holds 'red', which is not a number: ignore the column with --ignore 2, or encode it as "
           "numbers"},
        {"1,2,x\n", "1,2,x\n3,4 5,y\n",
         F ":2:3: column 2 holds '4 5', which is not a number: ignore the column with --ignore 2, or encode it as numbers"},
        {"1,2,x\n", "1,2,x\n1,abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz,x\n",
         F ":2:3: column 2 holds 'abcdefghijklmnopqrstuvwxyzabcdefghijklmn...', which is not a number: ignore the column "
           "with --ignore 2, or encode it as numbers"},
        {"1,2,x\n", "1,,x\n", F ":1:3: column 2 has a missing value: fill it in or remove the row"},
        {"age,b,label\n1,2,x\n", "age,b,label\n1,2,x\n ? ,2,x\n",
         F ":3:2: column 'age' has a missing value: fill it in or remove the row"},
        {"age,b,label\n1,2,x\n", "age,b,label\n1,2,x\n1,NaN,x\n",
         F ":3:3: column 'b' has a missing value: fill it in or remove the row"},
        {"1,2,x\n", "1,2,x\n1,inf,x\n",
         F ":2:3: column 2 holds 'inf', which is not finite: give a number or remove the row"},
        {"1,2,x\n", "1,2,x\n1,-Infinity,x\n",
         F ":2:3: column 2 holds '-Infinity', which is not finite: give a number or remove the row"},
        {"1;2;x\n", "1;2;x\n1,5;2;x\n", F ":2:1: column 1 holds '1,5': use --decimal , to read it as a number"},
    };
    for (size_t i = 0; i < sizeof b / sizeof *b; i++) {
        hsp_data *data = read_good(F, b[i].model, NULL);
        read_bad_known(F, b[i].text, strlen(b[i].text), NULL, &data->schema, HSP_EINPUT, b[i].message);
        hsp_data_free(data);
    }
}

static void broken_form(void **state) {
    (void)state;
    const broken b[] = {
        {"1,2,3,4,x\n1,2,x\n", 0, F ":2:6: row has 3 cells, expected 5 as in line 1: check the delimiters and quotes", 0,
         0},
        {"1,2,x\n1,2,3,x\n", 0, F ":2:7: row has 4 cells, expected 3 as in line 1: check the delimiters and quotes", 0, 0},
        {"a,b,label\n1,2,x\n1\n", 0, F ":3:2: row has 1 cell, expected 3 as in line 1: check the delimiters and quotes", 0,
         0},
        {"1,2,x\n1,2,x,\n", 0, F ":2:7: row has 4 cells, expected 3 as in line 1: check the delimiters and quotes", 0, 0},
        {"1,2,x\n1,red\n", 0, F ":2:6: row has 2 cells, expected 3 as in line 1: check the delimiters and quotes", 0, 0},
        {"1 2 x\n3 4 y \t\n", "delimiter=space",
         F ":2:7: row has 4 cells, expected 3 as in line 1: check the delimiters and quotes", 0, 0},
        {"a,b,a\n1,2,x\n", 0, F ":1:5: columns 1 and 3 are both named 'a': rename one of them", 0, 0},
        {"1,2,x\n1,\"2,x\n5,6,z\n", 0, F ":2:3: unclosed quote: close it, or write \"\" for a quote in a cell", 0, 0},
        {"\"a,b\n1,2\n", 0, F ":1:1: unclosed quote: close it, or write \"\" for a quote in a cell", 0, 0},
        {"1,2,x\n1,\"2\"3,x\n", 0, F ":2:6: text after the closing quote: write \"\" for a quote inside a quoted cell", 0,
         0},
        {"1,2,x\n1,2,\"a\" b\n", 0, F ":2:9: text after the closing quote: write \"\" for a quote inside a quoted cell", 0,
         0},
        {"\"a\"b,label\n1,2\n", 0, F ":1:4: text after the closing quote: write \"\" for a quote inside a quoted cell", 0,
         0},
        {"1,2\n3,\0\n", 0, F ":2:3: the file is binary (it has a NUL byte): give a text file, CSV or svmlight", 8, 0},
        {"\xfe\xff\0a", 0, F ":1:1: is UTF-16 text: save it as UTF-8", 4, 0},
        {"1\n2\n", 0,
         F ":1:1: only one column, so no features: name the character between the cells with --delimiter, or use --format "
           "svmlight",
         0, 0},
        {"1,2\n", "ignore=1", F ":1:1: no column is left as a feature: ignore fewer columns", 0, 0},
        {"\n \n\n", 0, F ": no rows, every line is blank: give a file with data", 0, 0},
        {"", 0, F ": empty file: give a file with rows", 0, 0},
        {"\xef\xbb\xbf", 0, F ": no rows, every line is blank: give a file with data", 0, 0},
    };
    read_all_bad(F, b, sizeof b / sizeof *b);
}

static void broken_options(void **state) {
    (void)state;
    const broken b[] = {
        {"a,b,label\n1,2,x\n", "target=z", "--target: " F " has no column 'z': choose from a, b, label", 0, HSP_EUSAGE},
        {"a,b,c,d,e,f,g,label\n1,2,3,4,5,6,7,x\n", "target=z",
         "--target: " F " has no column 'z': choose from a, b, c, d, e, f, ... (8 in all)", 0, HSP_EUSAGE},
        {"a,b,label\n1,2,x\n", "ignore=a,z", "--ignore: " F " has no column 'z': choose from a, b, label", 0, HSP_EUSAGE},
        {"1,2,x\n", "target=z", "--target: " F " has no column 'z' and no header: give a number from 1 to 3", 0,
         HSP_EUSAGE},
        {"1,2,x\n", "target=4", "--target: " F " has no column '4' and no header: give a number from 1 to 3", 0,
         HSP_EUSAGE},
        {"1,2,x\n", "target=0", "--target: " F " has no column '0' and no header: give a number from 1 to 3", 0,
         HSP_EUSAGE},
        {"1,2,x\n", "ignore=-1", "--ignore: " F " has no column '-1' and no header: give a number from 1 to 3", 0,
         HSP_EUSAGE},
        {"1,2,x\n", "ignore=3 target=3", "column '3' is both --target and --ignore: name it in one of them", 0, HSP_EUSAGE},
    };
    read_all_bad(F, b, sizeof b / sizeof *b);
}

static void no_rows(void **state) {
    (void)state;
    hsp_data *data = NULL;
    hsp_error *err = NULL;
    const char *text = "a,b,label\n";
    assert_int_equal(read_chunked(F, text, strlen(text), 100, NULL, NULL, &data, &err), HSP_EINPUT);
    assert_non_null(strstr(hsp_error_message(err), "no rows"));
    hsp_error_free(err);
}

/* A header wider than the sample, and rows wider than a chunk. */
static void wide(void **state) {
    (void)state;
    hsp_text t = {0};
    enum { D = 20000 };
    for (int j = 0; j < D; j++) hsp_text_format(&t, "feature_%d,", j);
    hsp_text_add(&t, "label\n");
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < D; j++) hsp_text_format(&t, "%d,", i + j);
        hsp_text_format(&t, "c%d\n", i);
    }
    hsp_data *data = NULL;
    hsp_error *err = NULL;
    if (read_chunked(F, t.s, (size_t)t.length, 4096, NULL, NULL, &data, &err) != 0) fail_msg("%s", hsp_error_message(err));
    assert_int_equal(data->x.d, D);
    assert_int_equal(data->x.n, 3);
    assert_string_equal(hsp_data_feature_name(data, D - 1), "feature_19999");
    double *x = hsp_alloc(D, sizeof *x);
    hsp_data_row(data, 2, x, NULL);
    assert_true(x[0] == 2 && x[D - 1] == D + 1);
    hsp_free(x);
    hsp_data_free(data);
    hsp_text_free(&t);
}

/* What comes out of the text: a hash of the data, or the message. */
static uint64_t outcome(const char *text, size_t n, int64_t chunk, const hsp_options *o, hsp_text *message) {
    hsp_data *data = NULL;
    hsp_error *err = NULL;
    hsp_text_clear(message);
    uint64_t hash = 0;
    if (read_chunked(F, text, n, chunk, o, NULL, &data, &err) == 0) {
        hash = hsp_data_hash(data);
        hsp_text_add(message, data->assumed);
    } else {
        hsp_text_add(message, hsp_error_message(err));
    }
    hsp_data_free(data);
    hsp_error_free(err);
    return hash;
}

/* Chunks and threads make no difference: the same data, the same first error at the same place. */
static void every_cut(void **state) {
    (void)state;
    const struct {
        const char *text, *spec;
        size_t size;
    } t[] = {
        {"1,2,\"a\nb\"\n3,4,\"c \"\"d\"\"\r\ne\"\n5,6,\"f,g\"\n7,8,h\n", "", 0},
        {"\"1\",\"2\",5\" pipe\n3,4,a\"b\"c\n5,6,\"\"\"\"\n", "", 0},
        {"\xef\xbb\xbf\n \na,b,label\r\n\r\n1,2,x\r3,4,y\n\n\r5,6,z", "", 0},
        {"\"a name\nof two lines that is longer than any piece\",b,label\n1,2,x\n3,4,y\n", "", 0},
        {"1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,12,255,3,0,0,0,0,0,0,0,0,0,0,0,x\n"
         "0.12345678901234567,-1e-5,0,0,0,0,7,7,7,7,0,0,0,0,0,0,0,0, 1 ,1234567,8,0,0,0,1,0,0,0,0,0,9,y\n",
         "", 0},
        {"1;2;x\n\n3;4;y\n", "weight=2", 0},
        {"  1   2  x \n 3 4 y\n\t5 \"6\" \"z z\"\n", "", 0},
        {"1 \t 2 x\n3 4 \t5 y\t\n", "ignore=2 delimiter=space", 0}, /* a cell with a tab in it is empty */
        {"1 2 x\n3 4 y \t\n", "delimiter=space", 0},
        {"1,2,x\n3,4,y\n5,red,z\n7\n", "", 0},
        {"1,2,x\n3,4,\"y\ny\"\n5,6,\n7\n", "", 0},
        {"1,2,x\n3,4,\"y\ny\"\n5,6\n7,8,9,10\n", "", 0},
        {"1,2,x\n3,4,\"y\"\"\n5,6,z\n7,8,w\n", "", 0},
        {"1,2,x\n3,4,\"y\"\"\n5,6,z\"q\n7,8,w\n", "", 0},
        {"1,2,x\n3,4,\"\"\"\n5,6,z\"\nq\n7,8,w\n", "", 0},
        {"1,2,x\r\n3,-4,\"y\r\ny\"\r\n5,-6,z\r\n", "weight=2", 0},
        {"1,2,x\n3,4,y\n5,6,\0\n7\n", "", 21},
        {"1,2,\" \n\"\n3,oops,y\n", "", 0},
    };
    hsp_text whole = {0}, part = {0};
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        size_t n = t[i].size ? t[i].size : strlen(t[i].text);
        hsp_options *o = options_of(t[i].spec);
        assert_int_equal(hsp_options_set(o, "threads", "1", NULL), 0);
        uint64_t hash = outcome(t[i].text, n, 1 << 20, o, &whole);
        for (int threads = 1; threads <= 4; threads++) {
            const char digit[] = {(char)('0' + threads), '\0'};
            assert_int_equal(hsp_options_set(o, "threads", digit, NULL), 0);
            for (int64_t chunk = 1; chunk <= 40; chunk++) {
                assert_true(outcome(t[i].text, n, chunk, o, &part) == hash);
                assert_string_equal(part.s, whole.s);
            }
        }
        hsp_options_free(o);
    }
    hsp_text_free(&whole);
    hsp_text_free(&part);
}

static uint64_t draw(uint64_t *seed, uint64_t below) {
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*seed >> 33) % below;
}

/* A cell of one of the shapes that occur in files. */
static void add_number(hsp_text *t, uint64_t *seed) {
    static const char *const odd[] = {"+1",
                                      ".5",
                                      "5.",
                                      "-0",
                                      "1e3",
                                      "-2.5E-3",
                                      "000",
                                      "1.e2",
                                      "\"7.5\"",
                                      "\" 1 \"",
                                      "1e-320",
                                      " 4 ",
                                      "-12345678901234567890123"};
    uint64_t k = draw(seed, 8);
    if (k < 3)
        hsp_text_format(t, "%d", (int)draw(seed, 10));
    else if (k == 3)
        hsp_text_format(t, "%d", (int)draw(seed, (uint64_t)1 << draw(seed, 31)));
    else if (k == 4)
        hsp_text_format(t, "-%d.%d", (int)draw(seed, 100), (int)draw(seed, 100000));
    else if (k == 5)
        hsp_text_format(t, "0.%09d%08d", (int)draw(seed, 1000000000), (int)draw(seed, 100000000));
    else if (k == 6)
        hsp_text_format(t, "0");
    else
        hsp_text_add(t, odd[draw(seed, sizeof odd / sizeof *odd)]);
}

/* A cell with "" takes the slow path of a row, which gives the same as the fast one. */
static void both_ways(void **state) {
    (void)state;
    uint64_t seed = 7;
    hsp_text plain = {0}, odd = {0}, cells = {0};
    static const char *const labels[] = {"a", "\"b c\"", " d ", "17", "\"e\""}, *const ends[] = {"\n", "\r\n", "\r"};
    static const char delimiters[] = {',', ';', '\t', ' '};
    for (int round = 0; round < 200; round++) {
        char delimiter = delimiters[round % 4];
        int columns = 1 + (int)draw(&seed, 40);
        hsp_text_clear(&plain);
        hsp_text_clear(&odd);
        for (int i = 0; i < 12; i++) {
            const char *end = ends[draw(&seed, 3)];
            hsp_text_clear(&cells);
            for (int j = 0; j < columns; j++) {
                add_number(&cells, &seed);
                hsp_text_char(&cells, delimiter);
            }
            hsp_text_format(&cells, "%s%s", labels[draw(&seed, 5)], end);
            hsp_text_format(&plain, "word%c%s", delimiter, cells.s);
            hsp_text_format(&odd, "\"wo\"\"rd\"%c%s", delimiter, cells.s);
        }
        hsp_options *o = options_of("ignore=1 header=no");
        const char *name = delimiter == '\t' ? "tab" : delimiter == ' ' ? "space" : delimiter == ';' ? ";" : ",";
        assert_int_equal(hsp_options_set(o, "delimiter", name, NULL), 0);
        uint64_t hash = outcome(plain.s, (size_t)plain.length, 1000, o, &cells);
        assert_int_not_equal(hash, 0);
        assert_true(outcome(odd.s, (size_t)odd.length, 1000, o, &cells) == hash);
        hsp_options_free(o);
    }
    hsp_text_free(&plain);
    hsp_text_free(&odd);
    hsp_text_free(&cells);
}

int main(void) {
    const struct CMUnitTest t[] = {
        cmocka_unit_test(header_and_target), cmocka_unit_test(header_guess),
        cmocka_unit_test(delimiters),        cmocka_unit_test(quotes),
        cmocka_unit_test(line_ends),         cmocka_unit_test(numbers),
        cmocka_unit_test(broken_cells),      cmocka_unit_test(broken_for_a_model),
        cmocka_unit_test(broken_form),       cmocka_unit_test(broken_options),
        cmocka_unit_test(no_rows),           cmocka_unit_test(wide),
        cmocka_unit_test(every_cut),         cmocka_unit_test(both_ways),
    };
    return cmocka_run_group_tests(t, NULL, NULL);
}
