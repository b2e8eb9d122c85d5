/* Records from bytes: every line ending, quotes that span lines, and where a buffer may be cut. */
#include "read_from.h"

#include "read/csv.h"

/* The records joined by '|', each with its line in front; then the next line. */
static char *records_of(const char *text, size_t n, char delimiter, hsp_text *t) {
    hsp_csv_cursor k = hsp_csv_cursor_over("t", text, text + n, 1);
    hsp_error *err = NULL;
    int status;
    hsp_text_clear(t);
    while ((status = hsp_csv_record(&k, (hsp_csv_marks){.delimiter = delimiter, .quote = '"'}, &err)) > 0) {
        hsp_text_format(t, "%d:", (int)k.line);
        hsp_text_add_n(t, k.begin, k.stop - k.begin);
        hsp_text_char(t, '|');
    }
    if (status < 0)
        hsp_text_add(t, hsp_error_message(err));
    else
        hsp_text_format(t, "%d", (int)k.next_line);
    hsp_error_free(err);
    return t->s;
}

/* Cuts the text where a buffer of `size` bytes would be cut, and checks that the pieces hold the same records. */
static void check_cuts(const char *text, size_t n, char delimiter, const char *expected) {
    for (size_t size = 1; size <= n; size++) {
        hsp_text joined = {0};
        const char *p = text, *end = text + n;
        int64_t line = 1;
        hsp_text_add(&joined, "");
        while (p < end) {
            /* A piece is a buffer full, or more when it has no whole record. */
            const char *cut = NULL, *next;
            for (size_t room = size; !cut; room++) {
                const char *stop = (size_t)(end - p) > room ? p + room : end;
                if (stop == end) cut = end;
                for (const char *q = p;
                     stop < end && q < stop &&
                     (next = hsp_csv_ends(q, stop, false, &(hsp_csv_marks){.delimiter = delimiter, .quote = '"'}));
                     q = next)
                    cut = next;
            }
            hsp_csv_cursor k = hsp_csv_cursor_over("t", p, cut, line);
            int status;
            while ((status = hsp_csv_record(&k, (hsp_csv_marks){.delimiter = delimiter, .quote = '"'}, NULL)) > 0) {
                hsp_text_format(&joined, "%d:", (int)k.line);
                hsp_text_add_n(&joined, k.begin, k.stop - k.begin);
                hsp_text_char(&joined, '|');
            }
            assert_int_equal(status, 0);
            line = k.next_line;
            p = cut;
        }
        hsp_text_format(&joined, "%d", (int)line);
        assert_string_equal(joined.s, expected);
        hsp_text_free(&joined);
    }
}

static void check_with(const char *text, char delimiter, const char *expected) {
    hsp_text t = {0};
    assert_string_equal(records_of(text, strlen(text), delimiter, &t), expected);
    check_cuts(text, strlen(text), delimiter, expected);
    hsp_text_free(&t);
}

static void check(const char *text, const char *expected) {
    check_with(text, ',', expected);
}

static void ends(void **state) {
    (void)state;
    check("a", "1:a|2");
    check("a\n", "1:a|2");
    check("a\r", "1:a|2");
    check("a\r\n", "1:a|2");
    check("a\nb", "1:a|2:b|3");
    check("a\rb\r\rc\r", "1:a|2:b|4:c|5");
    check("a\r\n\r\nb\r\n", "1:a|3:b|4");
    check("\n\n", "3");
    check("\r\n", "2");
    check("\n\r", "3");
    check("a\r\nb\rc\nd", "1:a|2:b|3:c|4:d|5");
    check(" \n\t\na\n", "3:a|4");
    check_with(" \n\t\na\n", '\t', "2:\t|3:a|4");
}

static void quotes(void **state) {
    (void)state;
    check("a,\"b\nc\"\nd\n", "1:a,\"b\nc\"|3:d|4");
    check("\"b\r\nc\"\r\nd\r\n", "1:\"b\r\nc\"|3:d|4");
    check("\"b\rc\"\rd\r", "1:\"b\rc\"|3:d|4");
    check("\"b\n\"\"\nc\"\nd", "1:\"b\n\"\"\nc\"|4:d|5");
    check("\"\"\"\"\n\"\"\n\"\"\"\n\"\nx", "1:\"\"\"\"|2:\"\"|3:\"\"\"\n\"|5:x|6");
    check("a, \t\"b\nc\" , \"\n\"\nd", "1:a, \t\"b\nc\" , \"\n\"|4:d|5");
    /* A quote that does not begin a cell is an ordinary character. */
    check("5\" pipe\nb\"\n", "1:5\" pipe|2:b\"|3");
    check("\"a\" \"b\nc\n", "1:\"a\" \"b|2:c|3");
    check("\"a\"b\"\nc\n", "1:\"a\"b\"|2:c|3");
    check("a\"b,\"c\nd\",e\"\nf", "1:a\"b,\"c\nd\",e\"|3:f|4");
    check_with("a;\"b\nc\"\nd,\"e\nf", ';', "1:a;\"b\nc\"|3:d,\"e|4:f|5");
    check_with("a \"b\nc\"  \"\n\"\nd", ' ', "1:a \"b\nc\"  \"\n\"|4:d|5");
    check_with("a\t\"b\nc\"\nd \"e\nf", '\t', "1:a\t\"b\nc\"|3:d \"e|4:f|5");
}

static void broken_records(void **state) {
    (void)state;
    hsp_text t = {0};
#define BYTES(text) text, sizeof text - 1, ','
#define NUL "the file is binary (it has a NUL byte): give a text file, CSV or svmlight"
#define OPEN "unclosed quote: close it, or write \"\" for a quote in a cell"
    assert_string_equal(records_of(BYTES("ok\nfine\nab\0c\nd\0"), &t), "1:ok|2:fine|t:3:3: " NUL);
    assert_string_equal(records_of(BYTES("ok\n\"a\nb\0\"\n"), &t), "1:ok|t:3:2: " NUL);
    assert_string_equal(records_of(BYTES("ok\n\"a\n\"b\0\n"), &t), "1:ok|t:3:3: " NUL);
    assert_string_equal(records_of(BYTES("a\nb, \"c\nd\n"), &t), "1:a|t:2:4: " OPEN);
    assert_string_equal(records_of(BYTES("a\n\"b\"\"\n"), &t), "1:a|t:2:1: " OPEN);
    assert_string_equal(records_of(BYTES("\"b\nc\",\"\nx"), &t), "t:2:4: " OPEN);
    assert_string_equal(records_of(BYTES("a\n\"b\nc\0"), &t), "1:a|t:3:2: " NUL);
    hsp_text_free(&t);
}

/* No cut before bytes that could change what came before. */
static void undecided(void **state) {
    (void)state;
    hsp_csv_marks comma = {.delimiter = ',', .quote = '"'};
    const char *none[] = {"", "a", "a\r", "\"a\n", "\"a\n\"", "a,\"b\r\n"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_null(hsp_csv_ends(none[i], none[i] + strlen(none[i]), false, &comma));
    const struct {
        const char *text;
        int cut;
    } some[] = {{"a\r\"", 2}, {"a\nb", 2}, {"a\r\nb\r", 3}, {"a\nb\n\"c\n", 4}, {"\"a\n\"\n\"", 5}, {"a\n\"\"\n\"\"", 5}};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        const char *s = some[i].text;
        assert_ptr_equal(hsp_csv_ends(s, s + strlen(s), false, &comma), s + some[i].cut);
        assert_ptr_equal(hsp_csv_ends(s, s + strlen(s), true, &comma), s + strlen(s));
    }
}

static void places(void **state) {
    (void)state;
    const char *text = "one\ntwo\r\nthree\rfour";
    const struct {
        int at, line, column;
    } p[] = {{0, 7, 1}, {3, 7, 4}, {4, 8, 1}, {9, 9, 1}, {13, 9, 5}, {15, 10, 1}, {19, 10, 5}};
    for (size_t i = 0; i < sizeof p / sizeof *p; i++) {
        hsp_place at = hsp_lines_place_in("t", 7, text, text + p[i].at);
        assert_int_equal(at.line, p[i].line);
        assert_int_equal(at.column, p[i].column);
    }
}

static void excerpts(void **state) {
    (void)state;
    char buf[HSP_EXCERPT];
    assert_string_equal(hsp_excerpt(buf, "abc", 2), "ab");
    assert_string_equal(hsp_excerpt(buf, "", 0), "");
    const char *forty = "0123456789012345678901234567890123456789";
    assert_string_equal(hsp_excerpt(buf, forty, 40), forty);
    /* No character is cut in the middle. */
    const char *accents = "01234567890123456789012345678901234567\xc3\xa9\xc3\xa9\xc3\xa9";
    assert_string_equal(hsp_excerpt(buf, accents, (int64_t)strlen(accents)),
                        "01234567890123456789012345678901234567\xc3\xa9...");
    const char *shifted = "012345678901234567890123456789012345678\xc3\xa9\xc3\xa9\xc3\xa9";
    assert_string_equal(hsp_excerpt(buf, shifted, (int64_t)strlen(shifted)), "012345678901234567890123456789012345678...");
}

int main(void) {
    const struct CMUnitTest t[] = {
        cmocka_unit_test(ends),      cmocka_unit_test(quotes), cmocka_unit_test(broken_records),
        cmocka_unit_test(undecided), cmocka_unit_test(places), cmocka_unit_test(excerpts),
    };
    return cmocka_run_group_tests(t, NULL, NULL);
}
