/* Rows as bytes: the same however the stream is cut, twice, with heads and labels; faults are named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "read_from.h"

#include "read/raw_file.h"

#include <string.h>

static int open_raw(const char *text, int64_t n, int64_t chunk, const hsp_reader_kind *kind, const char *spec,
                    hsp_raw_file **out, hsp_error **err) {
    hsp_options *o = options_of(spec);
    hsp_stream *s = NULL;
    assert_int_equal(hsp_stream_open_memory(text, n, "x.csv", &s, NULL), 0);
    hsp_stream_set_chunk(s, chunk);
    int status = hsp_raw_open(s, "x.csv", kind, o, out, err);
    hsp_options_free(o);
    return status;
}

/* Compares the rows, which end with '|' in `rows`, and their labels, separated by '/'; "-" for none. */
static void compare_rows(hsp_raw_file *f, const char *rows, const char *labels) {
    hsp_raw_row row;
    int status;
    while ((status = hsp_raw_next(f, &row, NULL)) > 0) {
        const char *end = strchr(rows, '|');
        assert_non_null(end);
        assert_int_equal(row.next - row.begin, end - rows);
        assert_memory_equal(row.begin, rows, (size_t)(end - rows));
        rows = end + 1;
        size_t length = strcspn(labels, "/");
        if (*labels == '-')
            assert_true(row.unlabelled);
        else
            assert_true(!row.unlabelled && (size_t)row.label.n == length && memcmp(row.label.s, labels, length) == 0);
        labels += length + (labels[length] == '/');
    }
    assert_int_equal(status, 0);
    assert_string_equal(rows, "");
}

static void check_file(const char *text, const hsp_reader_kind *kind, const char *spec, const char *head, const char *rows,
                       const char *labels) {
    for (int64_t chunk = 1; chunk < 70; chunk++) {
        hsp_raw_file *f = NULL;
        assert_int_equal(open_raw(text, (int64_t)strlen(text), chunk, kind, spec, &f, NULL), 0);
        for (int pass = 0; pass < 2; pass++) {
            assert_string_equal(f->head.s ? f->head.s : "", head);
            compare_rows(f, rows, labels);
            assert_int_equal(hsp_raw_rewind(f, NULL), 0);
        }
        hsp_raw_close(f);
    }
}

static void csv_rows(void **state) {
    (void)state;
    check_file("\xef\xbb\xbf\n \na,label\r\n1,x\n\n2,\"y\r\n\"\"z\"\r\n  \n3, NA \r4,x", &hsp_reader_csv, "",
               "\xef\xbb\xbf"
               "a,label\r\n",
               "1,x\n|2,\"y\r\n\"\"z\"\r\n|3, NA \r|4,x|", "x/y\r\n\"\"z/-/x");
    check_file("0170;a\n+49;\"\"\n\"1;5\" ; b\n", &hsp_reader_csv, "header=no", "", "0170;a\n|+49;\"\"\n|\"1;5\" ; b\n|",
               "a/-/b");
    check_file("x\n", &hsp_reader_csv, "header=no", "", "x\n|", "x");
    check_file("label,label\nx,1\n", &hsp_reader_csv, "header=yes", "label,label\n", "x,1\n|", "-");
}

static void svmlight_rows(void **state) {
    (void)state;
    check_file("\xef\xbb\xbf# c\n+1 1:2 # d\n\n  a\t3:x\r\n 1:2\n# \"", &hsp_reader_svmlight, "", "\xef\xbb\xbf",
               "+1 1:2 # d\n|  a\t3:x\r\n| 1:2\n|", "+1/a/-");
}

/* Quotes that are plain characters between tabs are found at the fault, and the file is read again. */
static void plain_quotes(void **state) {
    (void)state;
    const char *text = "a\tlabel\nx\t1\n5\" \t2\n\"y\t3\n\"z\"w\t4\n";
    hsp_raw_file *f = NULL;
    hsp_raw_row row;
    int status;
    assert_int_equal(open_raw(text, (int64_t)strlen(text), 4096, &hsp_reader_csv, "", &f, NULL), 0);
    while ((status = hsp_raw_next(f, &row, NULL)) > 0) continue;
    assert_int_equal(status, HSP_EINPUT);
    assert_int_equal(hsp_raw_try_plain(f, NULL), 1);
    compare_rows(f, "x\t1\n|5\" \t2\n|\"y\t3\n|\"z\"w\t4\n|", "1/2/3/4");
    assert_int_equal(hsp_raw_try_plain(f, NULL), 0);
    hsp_raw_close(f);
}

/* The status and message of reading all rows. */
static void check_fault(const char *text, int64_t n, const hsp_reader_kind *kind, const char *spec, const char *message) {
    for (int64_t chunk = 1; chunk < 4096; chunk *= 3) {
        hsp_raw_file *f = NULL;
        hsp_error *err = NULL;
        hsp_raw_row row;
        int status = open_raw(text, n, chunk, kind, spec, &f, &err);
        while (status == 0 && (status = hsp_raw_next(f, &row, &err)) > 0) status = 0;
        assert_true(status < 0);
        assert_string_equal(hsp_error_message(err), message);
        hsp_error_free(err);
        hsp_raw_close(f);
    }
}

static void faults(void **state) {
    (void)state;
    const hsp_reader_kind *csv = &hsp_reader_csv;
    check_fault("a,b\n1,2\n1,2,3\n", 14, csv, "",
                "x.csv:3:5: row has 3 cells, expected 2 as in line 1: check the delimiters and quotes");
    check_fault("a,b\n1,2\n\n1\n", 11, csv, "delimiter=,",
                "x.csv:4:2: row has 1 cell, expected 2 as in line 1: check the delimiters and quotes");
    check_fault("a,b\n1,2\n1,\"x\n2,3\n", 17, csv, "",
                "x.csv:3:3: unclosed quote: close it, or write \"\" for a quote in a cell");
    check_fault("a,b\n1,2\n\"x\ny\",2\n1,\"2\"x\n", 24, csv, "",
                "x.csv:5:6: text after the closing quote: write \"\" for a quote inside a quoted cell");
    check_fault("a,b\n1,2\n1,\0\n", 12, csv, "",
                "x.csv:3:3: the file is binary (it has a NUL byte): give a text file, CSV or svmlight");
    check_fault("1 1:2\n1 \0:2\n", 12, &hsp_reader_svmlight, "",
                "x.csv:2:3: the file is binary (it has a NUL byte): give a text file, CSV or svmlight");
    check_fault("a,b\n1,2\n", 8, csv, "target=c header=yes", "--target: x.csv has no column 'c': choose from a, b");
    check_fault("a,a\n1,2\n", 8, csv, "header=yes stratify=yes",
                "x.csv:1:3: columns 1 and 2 are both named 'a': rename one of them");
    check_fault("\xff\xfe"
                "a\0",
                4, csv, "", "x.csv:1:1: is UTF-16 text: save it as UTF-8");
    check_fault(" \n\n", 3, csv, "", "x.csv: no rows, every line is blank: give a file with data");
}

static void missing_labels(void **state) {
    (void)state;
    static const char *const texts[] = {"a,label\n1,NA\n", "a,label\n1,\" \"\n", "a,label\n1,\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        hsp_raw_file *f = NULL;
        hsp_raw_row row;
        hsp_error *err = NULL;
        assert_int_equal(open_raw(texts[i], (int64_t)strlen(texts[i]), 4096, &hsp_reader_csv, "", &f, NULL), 0);
        assert_int_equal(hsp_raw_next(f, &row, NULL), 1);
        assert_true(row.unlabelled);
        assert_int_equal(hsp_raw_fail_label(f, &row, "--stratify", &err), HSP_EINPUT);
        assert_non_null(strstr(hsp_error_message(err), "x.csv:2:3: the label is missing"));
        hsp_error_free(err);
        hsp_raw_close(f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv_rows), cmocka_unit_test(svmlight_rows),  cmocka_unit_test(plain_quotes),
        cmocka_unit_test(faults),   cmocka_unit_test(missing_labels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
