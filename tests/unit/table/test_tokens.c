/* Texts are cut into lower-cased words or characters, whatever bytes they hold. */
#include "text_fixture.h"

#include "table/tokens.h"

/* The units of s, joined by "/". */
static void cut_is(const char *s, int64_t n, bool characters, const char *expected, bool sound) {
    hsp_encode_room room = {0};
    hsp_tokens t;
    hsp_text joined = {0};
    /* A copy of exact size, so that a sanitizer sees a read beyond it. */
    char *copy = malloc((size_t)n + (n == 0));
    memcpy(copy, s, (size_t)n);
    assert_int_equal(hsp_tokens_cut(copy, n, characters, &room, &t), 0);
    for (int64_t i = 0; i < t.count; i++) {
        if (i > 0) hsp_text_char(&joined, '/');
        hsp_text_add_n(&joined, t.text + t.begin[i], hsp_tokens_length(&t, i, 1));
    }
    assert_string_equal(joined.s ? joined.s : "", expected);
    assert_int_equal(t.sound, sound);
    assert_true(t.count <= hsp_tokens_most(n, characters));
    free(copy);
    hsp_text_free(&joined);
    hsp_encode_room_free(&room);
}

static void words_are(const char *s, const char *expected) {
    cut_is(s, (int64_t)strlen(s), false, expected, true);
}

static void characters_are(const char *s, const char *expected) {
    cut_is(s, (int64_t)strlen(s), true, expected, true);
}

static void words(void **state) {
    (void)state;
    words_are("", "");
    words_are("a", "");
    words_are("ab", "ab");
    words_are("Free entry, FREE call!", "free/entry/free/call");
    words_are("a bc d", "bc");
    words_are("don't do_it 4U 42", "don/do_it/4u/42");
    words_are("--x--", "");
    words_are("one-two\tthree\nfour", "one/two/three/four");
    words_are("ab ", "ab");
}

static void words_of_other_letters(void **state) {
    (void)state;
    words_are("ÄRGER Straße naïve l'ÉTÉ", "ärger/straße/naïve/été");
    words_are("ŁÓDŹ Žižek Ÿz İz ĶĹĿ", "łódź/žižek/ÿz/iz/ķĺŀ");
    words_are("ΕΛΛΆΔΑ Ώρα οδός", "ελλάδα/ώρα/οδόσ");
    words_are("МОСКВА Ёлка ЇЖАК Ґанок", "москва/ёлка/їжак/ґанок");
    words_are("ẠB Ặc ＡＢ ԱԲ", "ạb/ặc/ａｂ/աբ");
    words_are("日本語 中", "日本語"); /* a run of one letter is not a word */
    words_are("£100—200€ „quoted“ … ×÷", "100/200/quoted");
    words_are("one\u00a0two\u3000three\u2028four", "one/two/three/four");
    words_are("go😂😂on →→ ☎☎", "go/on");
    words_are("cafe\u0301s", "cafe\u0301s"); /* a mark belongs to its letter */
    words_are("m² ½x ª1", "m²/½x/ª1");
}

static void characters(void **state) {
    (void)state;
    characters_are("", "");
    characters_are("Ab  c", "a/b/ /c");
    characters_are(" \t\n", " ");
    characters_are("a\u00a0\u3000b", "a/ /b");
    characters_are("É😂!", "é/😂/!");
    characters_are("x\001y\177", "x/ /y/ ");
}

static void bytes_that_are_no_text(void **state) {
    (void)state;
    cut_is("ab\xff"
           "cd",
           5, false, "ab/cd", false);
    cut_is("ab\xc3", 3, false, "ab", false); /* cut short */
    cut_is("\xc0\x80xy\xed\xa0\x80zz", 10 - 1, false, "xy/zz", false);
    cut_is("a\xf8\xf8"
           "b",
           4, true, "a/ /b", false);
    cut_is("ab\0cd", 5, false, "ab/cd", true);
    cut_is("a\0b", 3, true, "a/ /b", true);
}

/* For any bytes the result is lower-case UTF-8 within the documented space, and has the same units. */
static void random_bytes(void **state) {
    (void)state;
    hsp_rng r = hsp_rng_new(4, 4);
    for (int trial = 0; trial < 4000; trial++) {
        hsp_encode_room room = {0}, second = {0};
        hsp_tokens t, again;
        bool characters = trial % 2;
        int64_t n = hsp_rng_below(&r, 40);
        char *s = malloc((size_t)n + (n == 0));
        for (int64_t i = 0; i < n; i++) {
            static const char likely[] = "aZ \t\xc3\x84\x96\xce\xb1\xe2\x82\xac\xf0\x9f\x98";
            s[i] = trial % 4 < 2 ? (char)hsp_rng_below(&r, 256) : likely[hsp_rng_below(&r, sizeof likely - 1)];
        }
        assert_int_equal(hsp_tokens_cut(s, n, characters, &room, &t), 0);
        assert_true(t.count <= hsp_tokens_most(n, characters) && t.begin[t.count] <= n + 1);
        int64_t length = t.begin[t.count];
        for (int64_t i = 0; i < length;) {
            int step = hsp_text_utf8(t.text + i, length - i);
            assert_true(step > 0 && t.text[i] != '\0');
            i += step;
        }
        for (int64_t i = 0; i < t.count; i++) assert_true(hsp_tokens_length(&t, i, 1) >= (characters ? 1 : 2));
        assert_int_equal(hsp_tokens_cut(t.text, length, characters, &second, &again), 0);
        assert_true(again.sound && again.count == t.count && again.begin[again.count] == length);
        if (length > 0) assert_memory_equal(again.text, t.text, (size_t)length);
        free(s);
        hsp_encode_room_free(&room);
        hsp_encode_room_free(&second);
    }
}

static void counts_of_grams(void **state) {
    (void)state;
    assert_int_equal(hsp_tokens_grams(0, 1, 2), 0);
    assert_int_equal(hsp_tokens_grams(1, 1, 2), 1);
    assert_int_equal(hsp_tokens_grams(5, 1, 2), 9);
    assert_int_equal(hsp_tokens_grams(5, 2, 4), 9);
    assert_int_equal(hsp_tokens_grams(3, 4, 9), 0);
    assert_int_equal(hsp_tokens_grams(3, 1, INT64_MAX), 6);
    assert_int_equal(hsp_tokens_grams(INT64_C(1) << 40, 1, INT64_C(1) << 40), INT64_MAX);
}

/* The lower case of a lower-case letter is itself, is a letter, and is no longer. */
static void small_letters(void **state) {
    (void)state;
    for (uint32_t c = 1; c < 0x11000; c++) {
        uint32_t small = hsp_letter_lower(c);
        assert_int_equal(hsp_letter_lower(small), small);
        if (small != c) {
            assert_true(hsp_letter_is(c) && hsp_letter_is(small));
            assert_true((small < 0x80 ? 1 : small < 0x800 ? 2 : 3) <= (c < 0x80 ? 1 : c < 0x800 ? 2 : 3));
        }
    }
    assert_false(hsp_letter_is(0x10ffff));
    assert_true(hsp_letter_is(0x20000));
}

static void out_of_memory(void **state) {
    (void)state;
    for (int64_t calls = 0;; calls++) {
        hsp_encode_room room = {0};
        hsp_tokens t;
        hsp_memory_fail_after(calls);
        int status = hsp_tokens_cut("some words", 10, calls % 2, &room, &t);
        hsp_memory_fail_after(-1);
        hsp_encode_room_free(&room);
        if (!status) break;
        assert_int_equal(status, HSP_EMEMORY);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words),         cmocka_unit_test(words_of_other_letters),
        cmocka_unit_test(characters),    cmocka_unit_test(bytes_that_are_no_text),
        cmocka_unit_test(random_bytes),  cmocka_unit_test(counts_of_grams),
        cmocka_unit_test(small_letters), cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
