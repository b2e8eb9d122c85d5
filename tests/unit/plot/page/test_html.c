/* The escaping of names, the numbers of a page, and the quoting of commands. */
#include "plot/draw/numeral.h"
#include "plot/page/html.h"
#include "plot/page/shell_words.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char written[4096];

/* What was written, as text of this file; empties h. */
static const char *taken(hsp_html *h) {
    assert_false(h->failed);
    assert_true(h->bytes.size < (int64_t)sizeof written);
    if (h->bytes.size > 0) memcpy(written, h->bytes.data, (size_t)h->bytes.size);
    written[h->bytes.size] = 0;
    hsp_html_clear(h);
    return written;
}

static void test_what_is_escaped(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"", ""},
        {"plain", "plain"},
        {"<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"},
        {"a\"b'c&d", "a&quot;b&#39;c&amp;d"},
        {"two\nlines\tand\r", "two[U+000A]lines[U+0009]and[U+000D]"},
        {"a\xE2\x80\xAE"
         "b",
         "a[U+202E]b"},                                     /* right-to-left override */
        {"\xE2\x81\xA6x\xE2\x81\xA9", "[U+2066]x[U+2069]"}, /* isolates */
        {"a\xE2\x80\x8B"
         "b\xEF\xBB\xBF",
         "a[U+200B]b[U+FEFF]"}, /* no width */
        {"\xC2\xAD\x7F\xC2\x85", "[U+00AD][U+007F][U+0085]"},
        {"\xF3\xA0\x81\x81", "[U+E0041]"}, /* a tag */
        {"\xFF\xFE", "[0xFF][0xFE]"},
        {"\xC0\xAF", "[0xC0][0xAF]"},           /* overlong */
        {"\xED\xA0\x80", "[0xED][0xA0][0x80]"}, /* half of a surrogate pair */
        {"\xF4\x90\x80\x80", "[0xF4][0x90][0x80][0x80]"},
        {"cut \xE2\x82", "cut [0xE2][0x82]"},
        {"\xEF\xBF\xBF", "[U+FFFF]"},
        {"\xD7\xA9\xD7\x9C \xE6\x97\xA5 \xF0\x9F\x98\x80 \xE2\x80\x8D",
         "\xD7\xA9\xD7\x9C \xE6\x97\xA5 \xF0\x9F\x98\x80 \xE2\x80\x8D"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hsp_html h = {0};
        hsp_html_text(&h, cases[i][0]);
        assert_string_equal(taken(&h), cases[i][1]);
    }
}

/* No byte of any single character, or of any pair of bytes, gives markup. */
static void test_every_pair_of_bytes(void **state) {
    (void)state;
    for (int a = 1; a < 256; a++)
        for (int b = 1; b < 256; b++) {
            const char text[] = {(char)a, (char)b, 0};
            hsp_html h = {0};
            hsp_html_text(&h, text);
            const char *out = taken(&h);
            assert_null(strpbrk(out, "<>\"'\n\r\t"));
            for (const char *s = strchr(out, '&'); s; s = strchr(s + 1, '&')) assert_non_null(strchr(s, ';'));
            for (const char *s = out; *s;) {
                uint32_t u;
                int n = hsp_html_character(s, &u);
                assert_true(n > 0 && !hsp_html_is_hidden(u));
                s += n;
            }
        }
}

static void test_formats(void **state) {
    (void)state;
    hsp_html h = {0};
    hsp_html_write(&h, "<p class=\"%s\">%s, 95 %%</p>", "a\"b", "<i>");
    assert_string_equal(taken(&h), "<p class=\"a&quot;b\">&lt;i&gt;, 95 %</p>");
    hsp_html_text(&h, NULL);
    hsp_html_name(&h, NULL);
    hsp_html_quoted(&h, "x");
    assert_string_equal(taken(&h), "<bdi></bdi>\xE2\x80\x9C<bdi>x</bdi>\xE2\x80\x9D");
}

static void test_long_texts(void **state) {
    (void)state;
    char name[400] = "", sentence[4000] = "";
    hsp_html h = {0};
    for (int i = 0; i < 100; i++) memcpy(name + 2 * i, "\xC3\xA9", 2);
    hsp_html_name(&h, name);
    const char *out = taken(&h);
    assert_non_null(strstr(out, "\xE2\x80\xA6"));
    assert_int_equal(strlen(out), strlen("<bdi></bdi>") + 2 * 47 + 3); /* 32 characters, an ellipsis and 15 */
    name[2 * 48] = 0;
    hsp_html_name(&h, name);
    assert_null(strstr(taken(&h), "\xE2\x80\xA6"));
    memset(name, 0x80, 200); /* nothing but continuation bytes */
    hsp_html_name(&h, name);
    assert_non_null(strstr(taken(&h), "[0x80]"));
    memset(sentence, 'x', sizeof sentence - 1);
    hsp_html_sentence(&h, sentence);
    out = taken(&h);
    assert_true(strlen(out) < 900 && out[0] == 'X' && strstr(out, " \xE2\x80\xA6 "));
    hsp_html_sentence(&h, "column 'a' < 1");
    assert_string_equal(taken(&h), "Column &#39;a&#39; &lt; 1");
    hsp_html_sentence(&h, "");
    assert_string_equal(taken(&h), "");
}

static void test_numbers(void **state) {
    (void)state;
    char out[HSP_NUMERAL];
    assert_string_equal(hsp_html_number((double)NAN, 3, out), "\xE2\x80\x93");
    assert_string_equal(hsp_html_number(-0.12345, 3, out), "\xE2\x88\x92"
                                                           "0.123");
    assert_string_equal(hsp_html_fixed(0.5, 3, out), "0.500");
    assert_string_equal(hsp_html_fixed(-1.0 / 3, 2, out), "\xE2\x88\x92"
                                                          "0.33");
    assert_string_equal(hsp_html_fixed((double)INFINITY, 2, out), "\xE2\x80\x93");
    assert_string_equal(hsp_html_figure(0.88, out), "0.880");
    assert_string_equal(hsp_html_figure(0.99996, out), "0.99996");
    assert_string_equal(hsp_html_percent(1, out), "100\xE2\x80\xAF%");
    assert_string_equal(hsp_html_percent((double)NAN, out), "\xE2\x80\x93");
    assert_string_equal(hsp_html_above(0.00012001, 2, out), "0.00013");
    assert_string_equal(hsp_html_above(0.0001, 2, out), "0.0001");
    assert_string_equal(hsp_html_above(0, 2, out), "0");
    for (double v = 1e-9; v < 1; v *= 1.37) { /* "at most" holds */
        double read = 0;
        if (strstr(hsp_html_above(v, 2, out), "\xC3\x97") || strstr(out, "10\xE2")) continue;
        assert_int_equal(hsp_parse_number(out, strlen(out), &read), 0);
        assert_true(read >= v * (1 - 1e-12) && read <= 1.11 * v);
    }
}

static void test_shell_words(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"data.csv", " data.csv"},
        {"a b", " 'a b'"},
        {"it's", " 'it'\\''s'"},
        {"$(rm -rf x)", " '$(rm -rf x)'"},
        {"", " ''"},
        {"a\nb", " $'a\\012b'"},
        {"a'\\\xE2\x80\xAE", " $'a\\'\\\\\\342\\200\\256'"},
        {"\xFF"
         "7",
         " $'\\3777'"},
        {"~x", " '~x'"},
        {"\xC3\xA9", " '\xC3\xA9'"},
        {"a*?[b]", " 'a*?[b]'"},
        {"a;b&c|d", " 'a;b&c|d'"},
        {"=x", " '=x'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hsp_html line = {0};
        hsp_shell_word(&line, cases[i][0]);
        assert_string_equal(taken(&line), cases[i][1]);
    }
    hsp_html line = {0};
    hsp_shell_file(&line, "-rf.csv");
    hsp_shell_file(&line, "dir/-x");
    hsp_shell_option(&line, "target", "-1");
    hsp_shell_option(&line, "C", "0.1");
    hsp_shell_option(&line, "cache", NULL);
    assert_string_equal(taken(&line), " ./-rf.csv dir/-x --target=-1 -C 0.1 --cache");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_escaped), cmocka_unit_test(test_every_pair_of_bytes),
        cmocka_unit_test(test_formats),         cmocka_unit_test(test_long_texts),
        cmocka_unit_test(test_numbers),         cmocka_unit_test(test_shell_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
