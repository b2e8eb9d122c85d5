/* What a model has learnt from a file is learnt again by verify: every change of it is found, or named as unchecked. */
#include "read/own_folder.h"
#include "trained.h"

#include "halfspace_internal.h"
#include "table/encoding.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* No number is missing, so that no row depends on the fill of `size`. */
static const char text[] = "size,city,day,note,label\n"
                           "1,rome,2020-01-01,good day out,yes\n"
                           "2,oslo,2020-02-01,bad day,no\n"
                           "3,rome,2020-03-01,good night,yes\n"
                           "4,bern,2020-04-01,bad night bad,no\n"
                           "5,rome,2020-05-01,good,yes\n"
                           "6,oslo,2020-06-01,bad,no\n";

typedef struct loaded {
    hsp_options *o;
    hsp_model *model;
    hsp_report *report; /* of verify */
} loaded;

/* A model of the table, saved and loaded. */
static loaded load_model(const char *const *pairs) {
    loaded l = {.o = options_of(pairs)};
    const char *data_path = in_folder("t.csv"), *model_path = in_folder("t.hsm");
    hsp_data *data = NULL;
    hsp_model *made = NULL;
    assert_int_equal(hsp_write_file(data_path, text, strlen(text), NULL), 0);
    assert_int_equal(hsp_data_read(data_path, l.o, NULL, &data, NULL), 0);
    assert_int_equal(hsp_train(data, l.o, NULL, &made, NULL, NULL), 0);
    assert_int_equal(hsp_model_save(made, model_path, NULL), 0);
    assert_int_equal(hsp_model_load(model_path, &l.model, NULL), 0);
    assert_int_equal(remove(model_path), 0);
    hsp_model_free(made);
    hsp_data_free(data);
    return l;
}

/* What is false first; NULL: verified. The data are read for the model, as the program does. */
static const char *first_false(loaded *l) {
    hsp_data *data = NULL;
    hsp_error *err = NULL;
    hsp_report_free(l->report);
    l->report = NULL;
    int status = hsp_data_read_for(l->model, in_folder("t.csv"), l->o, NULL, &data, &err);
    if (!status) status = hsp_verify(l->model, data, NULL, l->o, NULL, &l->report, &err);
    if (status) fail_msg("%s", hsp_error_message(err));
    hsp_data_free(data);
    return hsp_report_text(l->report, "first_false");
}

static void unload(loaded *l) {
    assert_int_equal(remove(in_folder("t.csv")), 0);
    hsp_report_free(l->report);
    hsp_model_free(l->model);
    hsp_options_free(l->o);
}

static bool is_unchecked(const loaded *l, const char *what) {
    const hsp_report *list = hsp_report_member(l->report, "unchecked");
    HSP_REPORT_EACH(item, list)
    if (strstr(hsp_report_text(item, NULL), what)) return true;
    return false;
}

#define EXPECT_FALSE(l, what)                                                      \
    do {                                                                           \
        const char *found = first_false(l);                                        \
        if (!found || !strstr(found, what)) fail_msg("'%s', not %s", found, what); \
    } while (0)

static const char *const table_options[] = {"categorical", "city",      "text", "note", "missing",
                                            "mean",        "min-count", "2",    NULL};

static void an_unchanged_table_holds(void **state) {
    (void)state;
    loaded l = load_model(table_options);
    assert_null(first_false(&l));
    assert_true(is_unchecked(&l, "table.rules"));
    unload(&l);
}

static void changed_fills_are_found(void **state) {
    (void)state;
    loaded l = load_model(table_options);
    hsp_table_column *size = &l.model->prepare.encoding->column[0], *day = &l.model->prepare.encoding->column[2];
    assert_true(size->fill == 3.5);
    size->fill = 99;
    EXPECT_FALSE(&l, "table.columns[0].fill is claimed to be 99, but is 3.5");
    size->fill = 3.5;
    day->fill += 1;
    EXPECT_FALSE(&l, "table.columns[2].fill");
    day->fill -= 1;
    size->indicator = !size->indicator;
    EXPECT_FALSE(&l, "table.columns[0]");
    size->indicator = !size->indicator;
    assert_null(first_false(&l));
    unload(&l);
}

static void changed_rules_are_found(void **state) {
    (void)state;
    loaded l = load_model(table_options);
    hsp_table_rules *rules = &l.model->prepare.encoding->rules;
    rules->min_count = 1; /* bern has one row */
    EXPECT_FALSE(&l, "table.columns[1]");
    rules->min_count = 3;
    EXPECT_FALSE(&l, "table.columns[1]");
    rules->min_count = 2;
    rules->hash_bits = 5;
    EXPECT_FALSE(&l, "table.columns[3]");
    rules->hash_bits = 0;
    rules->missing = HSP_MISSING_MEDIAN; /* that of size is the mean, that of day is not */
    EXPECT_FALSE(&l, "table.columns[2].fill");
    rules->missing = HSP_MISSING_MEAN;
    rules->seed++; /* no feature depends on it */
    assert_null(first_false(&l));
    assert_true(is_unchecked(&l, "table.rules"));
    unload(&l);
}

static void changed_hashing_is_found(void **state) {
    (void)state;
    loaded l = load_model((const char *const[]){"text", "note", "hash-bits", "4", NULL});
    assert_null(first_false(&l));
    l.model->prepare.encoding->rules.hash_bits = 5;
    EXPECT_FALSE(&l, "table.columns[3]");
    unload(&l);
}

static void changed_columns_of_the_file_are_found(void **state) {
    (void)state;
    loaded l = load_model(table_options);
    hsp_schema *raw = &l.model->prepare.encoding->raw;
    raw->file_columns++;
    EXPECT_FALSE(&l, "schema.file_columns is claimed to be 6, but is 5");
    raw->file_columns--;
    raw->base = 1;
    EXPECT_FALSE(&l, "schema.base is claimed to be 1, but is 0");
    raw->base = 0;
    raw->delimiter = ';'; /* the same rows may come from a file with other delimiters */
    assert_null(first_false(&l));
    assert_true(is_unchecked(&l, "schema.delimiter"));
    unload(&l);
}

static void numbers_alone_have_a_schema_too(void **state) {
    (void)state;
    loaded l = load_model((const char *const[]){"ignore", "city,day,note", NULL});
    assert_null(first_false(&l));
    l.model->prepare.schema.file_columns = 9;
    EXPECT_FALSE(&l, "schema.file_columns");
    l.model->prepare.schema.file_columns = 5;
    l.model->prepare.schema.base = 1;
    EXPECT_FALSE(&l, "schema.base");
    unload(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_unchanged_table_holds),
        cmocka_unit_test(changed_fills_are_found),
        cmocka_unit_test(changed_rules_are_found),
        cmocka_unit_test(changed_hashing_is_found),
        cmocka_unit_test(changed_columns_of_the_file_are_found),
        cmocka_unit_test(numbers_alone_have_a_schema_too),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
