/* Lines: every way to end one, at every chunk size. */
#include "read_from.h"

#include "read/lines.h"

static hsp_stream *stream_of(const char *text, size_t n, int64_t chunk) {
    hsp_stream *s = NULL;
    assert_int_equal(hsp_stream_open_memory(text, (int64_t)n, "t", &s, NULL), 0);
    hsp_stream_set_chunk(s, chunk);
    return s;
}

/* The lines joined by '|', each with its number in front. */
static void check_lines(const char *text, const char *expected) {
    for (int i = 0; i < CHUNKS; i++) {
        hsp_stream *s = stream_of(text, strlen(text), chunks[i]);
        hsp_lines l;
        hsp_text t = {0};
        assert_int_equal(hsp_lines_open(&l, s, NULL), 0);
        hsp_text_add(&t, "");
        int status;
        while ((status = hsp_lines_next(&l, NULL)) > 0) {
            hsp_text_format(&t, "%d:", (int)l.line);
            hsp_text_add_n(&t, hsp_lines_begin(&l), l.stop - l.start);
            hsp_text_char(&t, '|');
        }
        assert_int_equal(status, 0);
        assert_int_equal(hsp_lines_next(&l, NULL), 0);
        assert_string_equal(t.s, expected);
        hsp_text_free(&t);
        hsp_lines_close(&l);
        hsp_stream_close(s);
    }
}

static void ends(void **state) {
    (void)state;
    check_lines("", "");
    check_lines("a", "1:a|");
    check_lines("a\n", "1:a|");
    check_lines("a\r", "1:a|");
    check_lines("a\r\n", "1:a|");
    check_lines("a\nb", "1:a|2:b|");
    check_lines("a\rb\r\rc\r", "1:a|2:b|3:|4:c|");
    check_lines("a\r\n\r\nb\r\n", "1:a|2:|3:b|");
    check_lines("\n\n", "1:|2:|");
    check_lines("\r\n", "1:|");
    check_lines("\n\r", "1:|2:|");
    check_lines("a\r\nb\rc\nd", "1:a|2:b|3:c|4:d|");
    check_lines("\xef\xbb\xbf", "");
    check_lines("\xef\xbb\xbf"
                "a\nb",
                "1:a|2:b|");
    check_lines("\xef\xbb"
                "a",
                "1:\xef\xbb"
                "a|");
}

static void extend_and_rewind(void **state) {
    (void)state;
    const char *text = "one\ntwo\r\nthree\rfour\n";
    for (int i = 0; i < CHUNKS; i++) {
        hsp_stream *s = stream_of(text, strlen(text), chunks[i]);
        hsp_lines l;
        assert_int_equal(hsp_lines_open(&l, s, NULL), 0);
        assert_int_equal(hsp_lines_next(&l, NULL), 1);
        hsp_lines_hold(&l);
        assert_int_equal(hsp_lines_next(&l, NULL), 1);
        assert_int_equal(hsp_lines_extend(&l, NULL), 1);
        assert_int_equal(l.stop - l.start, 10);
        assert_memory_equal(hsp_lines_begin(&l), "two\r\nthree", 10);
        hsp_place p = hsp_lines_place(&l, hsp_lines_begin(&l) + 6);
        assert_int_equal(p.line, 3);
        assert_int_equal(p.column, 2);
        assert_int_equal(hsp_lines_extend(&l, NULL), 1);
        assert_int_equal(hsp_lines_extend(&l, NULL), 0);
        hsp_lines_rewind(&l);
        assert_int_equal(hsp_lines_next(&l, NULL), 1);
        assert_int_equal(l.line, 2);
        assert_int_equal(l.stop - l.start, 3);
        assert_int_equal(hsp_lines_next(&l, NULL), 1);
        assert_int_equal(hsp_lines_next(&l, NULL), 1);
        assert_int_equal(l.line, 4);
        assert_memory_equal(hsp_lines_begin(&l), "four", 4);
        assert_int_equal(hsp_lines_next(&l, NULL), 0);
        hsp_lines_close(&l);
        hsp_stream_close(s);
    }
}

static void quotes_are_found(void **state) {
    (void)state;
    const char *text = "a\n\"b\nc\nd\"e\nf";
    const bool has[] = {false, true, false, true, false};
    for (int i = 0; i < CHUNKS; i++) {
        hsp_stream *s = stream_of(text, strlen(text), chunks[i]);
        hsp_lines l;
        assert_int_equal(hsp_lines_open(&l, s, NULL), 0);
        for (int k = 0; k < 5; k++) {
            assert_int_equal(hsp_lines_next(&l, NULL), 1);
            assert_int_equal(hsp_lines_has_quote(&l), has[k]);
        }
        hsp_lines_close(&l);
        hsp_stream_close(s);
    }
}

static void nul_bytes(void **state) {
    (void)state;
    for (int i = 0; i < CHUNKS; i++) {
        hsp_stream *s = stream_of("ok\nfine\nab\0c\nd\0", 15, chunks[i]);
        hsp_lines l;
        hsp_error *err = NULL;
        assert_int_equal(hsp_lines_open(&l, s, NULL), 0);
        assert_int_equal(hsp_lines_next(&l, NULL), 1);
        assert_int_equal(hsp_lines_next(&l, NULL), 1);
        assert_int_equal(hsp_lines_next(&l, &err), HSP_EINPUT);
        assert_int_equal(hsp_error_line(err), 3);
        assert_int_equal(hsp_error_column(err), 3);
        hsp_error_free(err);
        hsp_lines_close(&l);
        hsp_stream_close(s);
    }
}

/* A line much longer than the window. */
static void long_line(void **state) {
    (void)state;
    enum { N = 100000 };
    char *text = hsp_alloc(N + 4, 1);
    memset(text, 'x', N);
    memcpy(text + N, "\nab\n", 4);
    hsp_stream *s = stream_of(text, N + 4, 100);
    hsp_lines l;
    assert_int_equal(hsp_lines_open(&l, s, NULL), 0);
    assert_int_equal(hsp_lines_next(&l, NULL), 1);
    assert_int_equal(l.stop - l.start, N);
    assert_int_equal(hsp_lines_next(&l, NULL), 1);
    assert_memory_equal(hsp_lines_begin(&l), "ab", 2);
    hsp_lines_close(&l);
    hsp_stream_close(s);
    hsp_free(text);
}

static void excerpts(void **state) {
    (void)state;
    char buf[HSP_EXCERPT];
    assert_string_equal(hsp_excerpt(buf, "abc", 2), "ab");
    assert_string_equal(hsp_excerpt(buf, "", 0), "");
    const char *forty = "0123456789012345678901234567890123456789";
    assert_string_equal(hsp_excerpt(buf, forty, 40), forty);
    /* No character is cut in two. */
    const char *accents = "01234567890123456789012345678901234567\xc3\xa9\xc3\xa9\xc3\xa9";
    assert_string_equal(hsp_excerpt(buf, accents, (int64_t)strlen(accents)),
                        "01234567890123456789012345678901234567\xc3\xa9...");
    const char *shifted = "012345678901234567890123456789012345678\xc3\xa9\xc3\xa9\xc3\xa9";
    assert_string_equal(hsp_excerpt(buf, shifted, (int64_t)strlen(shifted)), "012345678901234567890123456789012345678...");
}

int main(void) {
    const struct CMUnitTest t[] = {
        cmocka_unit_test(ends),      cmocka_unit_test(extend_and_rewind), cmocka_unit_test(quotes_are_found),
        cmocka_unit_test(nul_bytes), cmocka_unit_test(long_line),         cmocka_unit_test(excerpts),
    };
    return cmocka_run_group_tests(t, NULL, NULL);
}
