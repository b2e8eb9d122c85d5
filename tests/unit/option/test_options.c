/* Options: the table is consistent, values are checked, and messages say what would be right. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "halfspace_internal.h"
#include "option/choices.h"
#include "option/options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static hsp_options *fresh(void) {
    hsp_options *o;
    assert_int_equal(hsp_options_new(&o, NULL), HSP_OK);
    return o;
}

static void set(hsp_options *o, const char *name, const char *value) {
    hsp_error *e = NULL;
    if (hsp_options_set(o, name, value, &e) != HSP_OK) fail_msg("%s", hsp_error_message(e));
    assert_null(e);
}

static void refuse(hsp_options *o, const char *name, const char *value, const char *message) {
    hsp_error *e = NULL;
    const char *before = hsp_options_get(o, name);
    assert_int_equal(hsp_options_set(o, name, value, &e), HSP_EUSAGE);
    assert_string_equal(hsp_error_message(e), message);
    assert_ptr_equal(hsp_options_get(o, name), before);
    hsp_error_free(e);
}

/* Every default must pass its own check, every name be found, every field that help needs be there. */
static void table(void **state) {
    (void)state;
    hsp_options *o = fresh();
    for (int64_t i = 0; i < hsp_option_count(); i++) {
        const hsp_option *p = &hsp_option_table[i];
        assert_ptr_equal(hsp_option_find(p->name), p);
        assert_string_equal(hsp_option_field(i, "name"), p->name);
        assert_non_null(hsp_option_field(i, "help"));
        assert_non_null(hsp_option_field(i, "group"));
        assert_non_null(hsp_option_field(i, "type"));
        assert_ptr_equal(hsp_option_field(i, "default"), p->initial);
        assert_ptr_equal(hsp_option_field(i, "short"), p->short_name);
        assert_ptr_equal(hsp_option_field(i, "choices"), p->choices);
        assert_ptr_equal(hsp_option_field(i, "argument"), p->argument);
        assert_false(hsp_options_is_set(o, p->name));
        if (p->initial == NULL) {
            assert_null(hsp_options_get(o, p->name));
            continue;
        }
        assert_string_equal(hsp_options_get(o, p->name), p->initial);
        set(o, p->name, p->initial);
        assert_string_equal(hsp_options_get(o, p->name), p->initial);
        assert_true(hsp_options_is_set(o, p->name));
    }
    hsp_options_free(o);
    hsp_options_free(NULL);
    assert_string_equal(hsp_option_field(hsp_option_find("C") - hsp_option_table, "type"), "real");
    assert_string_equal(hsp_option_field(hsp_option_find("learning-rate") - hsp_option_table, "type"), "number-or-choice");
    assert_string_equal(hsp_option_field(hsp_option_find("stratify") - hsp_option_table, "type"), "flag");
    assert_string_equal(hsp_option_field(hsp_option_find("seed") - hsp_option_table, "type"), "int");
    assert_string_equal(hsp_option_field(hsp_option_find("format") - hsp_option_table, "type"), "choice");
    assert_string_equal(hsp_option_field(hsp_option_find("target") - hsp_option_table, "type"), "text");
    assert_string_equal(hsp_option_field(hsp_option_find("max-memory") - hsp_option_table, "type"), "size");
    assert_null(hsp_option_field(-1, "name"));
    assert_null(hsp_option_field(hsp_option_count(), "name"));
    assert_null(hsp_option_field(0, "colour"));
    assert_null(hsp_option_field(0, NULL));
    assert_null(hsp_option_find("nonsense"));
    assert_null(hsp_option_find(NULL));
}

static void values(void **state) {
    (void)state;
    hsp_options *o = fresh();
    static const char *const sizes[][2] = {{"48M", "50331648"}, {"1.5k", "1536"}, {"2G", "2147483648"}, {"77", "77"}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        set(o, "max-memory", sizes[i][0]);
        assert_string_equal(hsp_options_get(o, "max-memory"), sizes[i][1]);
    }
    static const char *const wrong[] = {"", "M", "-1", "0", "1e300G", "12Q", "nan", "0.5", "1 G"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(hsp_options_set(o, "max-memory", wrong[i], NULL), HSP_EUSAGE);
    set(o, "C", "+1.50e1");
    assert_string_equal(hsp_options_get(o, "C"), "15"); /* canonical: can be stored as JSON */
    assert_true(hsp_options_real(o, "C", -1) == 15);
    set(o, "max-epochs", "1e3");
    assert_string_equal(hsp_options_get(o, "max-epochs"), "1000");
    assert_int_equal(hsp_options_int(o, "max-epochs", -1), 1000);
    set(o, "seed", "9000000000000000");
    assert_int_equal(hsp_options_int(o, "seed", -1), 9000000000000000);
    set(o, "seed", "-0");
    assert_string_equal(hsp_options_get(o, "seed"), "0");
    set(o, "stratify", "yes");
    assert_true(hsp_options_flag(o, "stratify"));
    set(o, "delimiter", ";");
    assert_true(hsp_options_is(o, "delimiter", ";"));
    set(o, "learning-rate", "auto");
    assert_true(hsp_options_real(o, "learning-rate", -1) == -1);
    assert_true(hsp_options_is(o, "learning-rate", "auto"));
    set(o, "learning-rate", "0.1");
    assert_true(hsp_options_real(o, "learning-rate", -1) == 0.1);
    set(o, "target", "1e3 | x");
    assert_string_equal(hsp_options_text(o, "target"), "1e3 | x");
    set(o, "l1-ratio", "0");
    set(o, "l1-ratio", "1");
    assert_int_equal(hsp_options_set_double(o, "lambda", 0.1, NULL), HSP_OK);
    assert_string_equal(hsp_options_get(o, "lambda"), "0.1");
    assert_int_equal(hsp_options_set_int(o, "seed", 77, NULL), HSP_OK);
    assert_int_equal(hsp_options_int(o, "seed", -1), 77);
    assert_int_equal(hsp_options_set_int(o, "C", 3, NULL), HSP_OK);
    assert_true(hsp_options_real(o, "C", -1) == 3);
    hsp_options_free(o);
}

static void nothing_set(void **state) {
    (void)state;
    assert_string_equal(hsp_options_text(NULL, "format"), "auto");
    assert_int_equal(hsp_options_int(NULL, "max-epochs", -1), 1000);
    assert_int_equal(hsp_options_int(NULL, "batch", -1), -1);
    assert_true(hsp_options_real(NULL, "C", 2.5) == 2.5);
    assert_false(hsp_options_flag(NULL, "stratify"));
    assert_false(hsp_options_is(NULL, "schedule", "constant"));
    assert_false(hsp_options_is_set(NULL, "C"));
    assert_null(hsp_options_get(NULL, "nonsense"));
    assert_null(hsp_options_get(NULL, NULL));
}

/* -C is typed with one dash; --x has no letter. */
static void dashes(void **state) {
    (void)state;
    assert_string_equal(hsp_option_dashes("C"), "-");
    assert_string_equal(hsp_option_dashes("x"), "--");
    assert_string_equal(hsp_option_dashes("algorithm"), "--");
    assert_string_equal(hsp_option_dashes("nosuch"), "--");
    for (int64_t i = 0; i < hsp_option_table_size; i++)
        assert_string_equal(hsp_option_dashes(hsp_option_table[i].name),
                            strcmp(hsp_option_table[i].name, "C") == 0 ? "-" : "--");
}

static void unknown_names(void **state) {
    (void)state;
    hsp_options *o = fresh();
    refuse(o, "lamda", "1", "unknown option 'lamda': did you mean --lambda?");
    refuse(o, "l1_ratio", "1", "unknown option 'l1_ratio': did you mean --l1-ratio?");
    refuse(o, "max-epoch", "1", "unknown option 'max-epoch': did you mean --max-epochs?");
    refuse(o, "sede", "1", "unknown option 'sede': did you mean --seed?");
    refuse(o, "", "1", "unknown option '': see `halfspace list options`");
    refuse(o, "c", "1", "unknown option 'c': did you mean -C?");
    refuse(o, "z", "1", "unknown option 'z': see `halfspace list options`");
    refuse(o, "colourfulness", "1", "unknown option 'colourfulness': see `halfspace list options`");
    refuse(o, "a\nb", "1", "unknown option 'a?b': see `halfspace list options`");
    char name[200];
    memset(name, 'x', 199);
    name[199] = '\0';
    assert_int_equal(hsp_options_set(o, name, "1", NULL), HSP_EUSAGE);
    refuse(o, NULL, "1", "an option needs a name and a value: neither may be NULL");
    refuse(o, "C", NULL, "an option needs a name and a value: neither may be NULL");
    refuse(NULL, "C", "1", "an option needs a name and a value: neither may be NULL");
    hsp_options_free(o);
}

static void bad_values(void **state) {
    (void)state;
    hsp_options *o = fresh();
    refuse(o, "format", "xml", "--format cannot be 'xml': choose auto, csv, svmlight, jsonl, npy or hsd");
    refuse(o, "format", "", "--format cannot be '': choose auto, csv, svmlight, jsonl, npy or hsd");
    refuse(o, "format", "auto|csv", "--format cannot be 'auto|csv': choose auto, csv, svmlight, jsonl, npy or hsd");
    refuse(o, "format", "cs", "--format cannot be 'cs': choose auto, csv, svmlight, jsonl, npy or hsd");
    refuse(o, "format", "AUTO", "--format cannot be 'AUTO': choose auto, csv, svmlight, jsonl, npy or hsd");
    refuse(o, "stratify", "maybe", "--stratify cannot be 'maybe': choose yes or no");
    refuse(o, "C", "0", "-C cannot be '0': give a number above 0");
    refuse(o, "C", "-1", "-C cannot be '-1': give a number above 0");
    const char *not_numbers[] = {"nan", "inf", "1e999", "1,5", "0x1", " 1", "1 ", "", "1e301", "one", "1e", "-nan"};
    for (size_t i = 0; i < sizeof not_numbers / sizeof not_numbers[0]; i++)
        assert_int_equal(hsp_options_set(o, "C", not_numbers[i], NULL), HSP_EUSAGE);
    refuse(o, "l1-ratio", "1.01", "--l1-ratio cannot be '1.01': give a number from 0 to 1");
    refuse(o, "rows", "0", "--rows cannot be '0': give a whole number, at least 1");
    refuse(o, "rows", "1.5", "--rows cannot be '1.5': give a whole number, at least 1");
    refuse(o, "rows", "9007199254740993", "--rows cannot be '9007199254740993': give a whole number from 1 to 9e15");
    refuse(o, "learning-rate", "fast", "--learning-rate cannot be 'fast': give auto, or a number above 0");
    refuse(o, "learning-rate", "0", "--learning-rate cannot be '0': give auto, or a number above 0");
    assert_int_equal(hsp_options_set_double(o, "C", NAN, NULL), HSP_EUSAGE);
    assert_int_equal(hsp_options_set_double(o, "C", INFINITY, NULL), HSP_EUSAGE);
    assert_int_equal(hsp_options_set_double(o, "seed", 0.5, NULL), HSP_EUSAGE);
    assert_int_equal(hsp_options_set_int(o, "seed", INT64_MAX, NULL), HSP_EUSAGE);
    assert_int_equal(hsp_options_set_int(o, "seed", INT64_MIN, NULL), HSP_EUSAGE);
    assert_false(hsp_options_is_set(o, "C"));
    hsp_options_free(o);
}

static void defaults_and_copies(void **state) {
    (void)state;
    hsp_options *o = fresh(), *copy = NULL;
    set(o, "C", "2");
    assert_int_equal(hsp_options_copy(o, &copy, NULL), HSP_OK);
    assert_int_equal(hsp_options_default(copy, "C", "5", NULL), HSP_OK);
    assert_int_equal(hsp_options_default(copy, "loss", "hinge", NULL), HSP_OK);
    assert_int_equal(hsp_options_default(copy, "loss", "logistic", NULL), HSP_OK);
    assert_true(hsp_options_real(copy, "C", 0) == 2);
    assert_string_equal(hsp_options_get(copy, "loss"), "logistic");
    assert_false(hsp_options_is_set(copy, "loss"));
    assert_true(hsp_options_is_set(copy, "C"));
    assert_null(hsp_options_get(o, "loss"));
    assert_int_equal(hsp_options_default(copy, "tol", "7", NULL), HSP_EUSAGE);
    assert_int_equal(hsp_options_default(copy, "lossy", "7", NULL), HSP_EUSAGE);
    set(copy, "loss", "squared");
    assert_true(hsp_options_is_set(copy, "loss"));
    hsp_options_free(copy);
    hsp_options_free(o);
    assert_int_equal(hsp_options_copy(NULL, &copy, NULL), HSP_OK);
    assert_null(hsp_options_get(copy, "C"));
    hsp_options_free(copy);
}

static int set_and_copy(hsp_error **err) {
    hsp_options *o = NULL, *copy = NULL;
    int status = hsp_options_new(&o, err);
    if (status == HSP_OK) status = hsp_options_set(o, "C", "2", err);
    if (status == HSP_OK) status = hsp_options_set(o, "C", "3", err);
    if (status == HSP_OK) status = hsp_options_set(o, "target", "x", err);
    if (status == HSP_OK) status = hsp_options_copy(o, &copy, err);
    if (status == HSP_OK) status = hsp_options_default(copy, "loss", "hinge", err);
    if (status == HSP_OK) status = hsp_options_set(copy, "format", "xml", err); /* fails in any case */
    hsp_options_free(o);
    hsp_options_free(copy);
    return status;
}

static void failing_allocator(void **state) {
    (void)state;
    int status = HSP_EMEMORY;
    for (int64_t allowed = 0; status == HSP_EMEMORY; allowed++) {
        hsp_error *e = NULL;
        hsp_memory_fail_after(allowed);
        status = set_and_copy(&e);
        hsp_memory_fail_after(-1);
        assert_true(status == HSP_EMEMORY || status == HSP_EUSAGE);
        assert_int_equal(hsp_error_code(e), status);
        hsp_error_free(e);
        assert_true(allowed < 100);
    }
}

/* Every word of a list gives its enumerator, in the order of the list. */
static void choices_are_the_enumerators(void **unused) {
    (void)unused;
    enum { HSP_SCHEDULE_CHOICES(HSP_CHOICE_VALUE) HSP_INTERCEPT_CHOICES(HSP_CHOICE_VALUE) LAST };
    assert_string_equal(hsp_option_find("schedule")->choices, HSP_CHOICE_WORDS(HSP_SCHEDULE_CHOICES));
    hsp_options *o = NULL;
    assert_int_equal(hsp_options_new(&o, NULL), HSP_OK);
    assert_int_equal(hsp_options_choice(o, "schedule"), 0); /* unset */
#define CHECK_SCHEDULE(value, word)                                       \
    assert_int_equal(hsp_options_set(o, "schedule", word, NULL), HSP_OK); \
    assert_int_equal(hsp_options_choice(o, "schedule"), value);
    HSP_SCHEDULE_CHOICES(CHECK_SCHEDULE)
#define CHECK_INTERCEPT(value, word)                                       \
    assert_int_equal(hsp_options_set(o, "intercept", word, NULL), HSP_OK); \
    assert_int_equal(hsp_options_choice(o, "intercept"), value - HSP_INTERCEPT_FREE);
    HSP_INTERCEPT_CHOICES(CHECK_INTERCEPT)
    assert_int_equal(hsp_options_set(o, "schedule", "constan", NULL), HSP_EUSAGE);
    hsp_options_free(o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(choices_are_the_enumerators),
        cmocka_unit_test(table),
        cmocka_unit_test(values),
        cmocka_unit_test(nothing_set),
        cmocka_unit_test(dashes),
        cmocka_unit_test(unknown_names),
        cmocka_unit_test(bad_values),
        cmocka_unit_test(defaults_and_copies),
        cmocka_unit_test(failing_allocator),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
