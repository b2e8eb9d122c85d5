/* Forms of numbers, codes, and words that stand for missing values. */
#include "frames.h"

#include "base/number.h"
#include "data/number_form.h"
#include "table/spelling.h"

static hsp_number_form form_of(const char *s) {
    double v = 0;
    const char *end = s + strlen(s);
    assert_true(hsp_number_parse(s, end, &v) == end);
    hsp_number_form form = hsp_number_form_of(s, (int64_t)strlen(s), v);
    bool code = form != HSP_FORM_SHORTEST && form != HSP_FORM_OTHER;
    assert_int_equal(hsp_number_is_code(s, (int64_t)strlen(s)), code);
    return form;
}

static void shortest_forms(void **state) {
    (void)state;
    static const char *const text[] = {"0",  "1", "-1", "10", "100", "0.5", "-0.5", "12.25", "1e300", "123456789012345",
                                       "-20"};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) assert_int_equal(form_of(text[i]), HSP_FORM_SHORTEST);
}

static void other_forms(void **state) {
    (void)state;
    static const char *const text[] = {"-0",   "1.0",       "1.10",   ".5",     "5.",
                                       "1e5",  "12e4",      "120e3",  "+1",     "+12345",
                                       "-007", "00.5",      "007.5",  "0e1",    "1E3",
                                       "-00",  "+0.5",      "+1.5e9", "007e1",  "0.0",
                                       "0.50", "12.500000", "-0.0",   "1e+300", "-12345678901234567890"};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) assert_int_equal(form_of(text[i]), HSP_FORM_OTHER);
}

static void codes(void **state) {
    (void)state;
    static const char *const zeros[] = {"00", "01", "0170", "000000000000000000001", "+007"};
    static const char *const plus[] = {"+123456", "+491701234567", "+1234567890123456789"};
    static const char *const digits[] = {"1234567890123456", "12345678901234567890", "1000000000000000"};
    for (size_t i = 0; i < 5; i++) assert_int_equal(form_of(zeros[i]), HSP_FORM_ZEROS);
    for (size_t i = 0; i < 3; i++) assert_int_equal(form_of(plus[i]), HSP_FORM_PLUS);
    for (size_t i = 0; i < 3; i++) assert_int_equal(form_of(digits[i]), HSP_FORM_LONG);
}

static void not_codes(void **state) {
    (void)state;
    static const char *const text[] = {"", " ", "+", "-", "0", "a", "0x", "0 1", "00a", "+12345a", "1234567890123456a"};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        assert_false(hsp_number_is_code(text[i], (int64_t)strlen(text[i])));
    assert_true(hsp_number_is_code(" 007 ", 5));
    assert_int_equal(hsp_number_form_of(" 7 ", 3, 7), HSP_FORM_SHORTEST);
}

/* Every word of up to five letters out of those that matter. */
static void codes_are_known_by_their_start(void **state) {
    (void)state;
    static const char letters[] = "019 +-.a";
    enum { LETTERS = sizeof letters - 1, LONGEST = 5 };
    for (int64_t n = 0, words = 1; n <= LONGEST; n++, words *= LETTERS)
        for (int64_t k = 0; k < words; k++) {
            char word[LONGEST + 1] = {0};
            for (int64_t i = 0, rest = k; i < n; i++, rest /= LETTERS) word[i] = letters[rest % LETTERS];
            assert_int_equal(hsp_number_is_code(word, n), hsp_code_form(word, n) != HSP_FORM_OTHER);
        }
}

static bool is_blank(const char *s) {
    return hsp_blank_word(s, (int64_t)strlen(s));
}

static void blank_words(void **state) {
    (void)state;
    static const char *const yes[] = {"None", "none", "NONE",    "#N/A",    "#n/a", "<NA>", "-",       "--", ".",
                                      "nil",  "NIL",  "missing", "Missing", "-nan", "-NaN", "1.#QNAN", " - "};
    static const char *const no[] = {"",  "nothing", "nons", "non", "nonee",  "---", "..",
                                     "n", "#N",      "<NA",  "NA",  "1.#IND", "0",   "-n"};
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) assert_true(is_blank(yes[i]));
    for (size_t i = 0; i < sizeof no / sizeof *no; i++) assert_false(is_blank(no[i]));
}

/* Levels as they are spelt; in models up to format 4 by value, except for codes. */
static void levels(void **state) {
    (void)state;
    static const char *const expected[] = {"1 1.0 12 12e0 word", "1 12 word"};
    for (int old = 0; old < 2; old++) {
        hsp_table_rules r;
        hsp_error *err = NULL;
        hsp_encoding *e = NULL;
        hsp_text names = {0};
        hsp_frame *f = frames_of("c,y\n1.0,0\n1,1\n12e0,0\nword,1\n12,0\n1,0\n", 2);
        frames_ok(frames_rules(f, "", &r, &err), &err);
        assert_true(r.as_spelt);
        r.as_spelt = !old;
        frames_ok(hsp_encoding_learn(f, &r, 2, &e, &err), &err);
        for (int64_t k = 0; k < e->d; k++) {
            hsp_text one = {0};
            e->column[0].kind->feature(&e->column[0], k, &one);
            hsp_text_format(&names, "%s%s", k ? " " : "", one.s + 2);
            hsp_text_free(&one);
        }
        assert_string_equal(names.s, expected[old]);
        assert_int_equal(e->column[0].as_spelt, !old);
        assert_true(old ? !e->raw.spelt : e->raw.spelt[0]);
        hsp_text_free(&names);
        hsp_encoding_release(e);
        hsp_table_rules_clear(&r);
        hsp_frame_free(f);
    }
}

int main(void) {
    const struct CMUnitTest t[] = {
        cmocka_unit_test(shortest_forms), cmocka_unit_test(other_forms),
        cmocka_unit_test(codes),          cmocka_unit_test(codes_are_known_by_their_start),
        cmocka_unit_test(not_codes),      cmocka_unit_test(blank_words),
        cmocka_unit_test(levels),
    };
    return cmocka_run_group_tests(t, NULL, NULL);
}
