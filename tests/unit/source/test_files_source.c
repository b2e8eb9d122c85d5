/* Files as parts: plans cover every block once, any division answers with the same bytes, from text, from data files, in memory
 * or in a temporary file; and descriptions that were changed are refused. */
#include "../read/read_from.h"

#include "../read/own_folder.h"
#include "base/report.h"
#include "part/request.h"
#include "source/description.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS = 5 * HSP_PART_ROWS + 4321, COLUMNS = 6, MOST = 9 };

/* A row depends on its number alone. */
static void add_row(hsp_text *t, int64_t i, bool csv) {
    if (!csv) hsp_text_add(t, (i * 7919) % 13 > 5 ? "b" : "a");
    for (int j = 0; j < COLUMNS; j++) {
        int64_t v = (i * (j + 3) + j * j) % 17;
        if (csv)
            hsp_text_format(t, "%lld.5,", (long long)v);
        else if (v < 4)
            hsp_text_format(t, " %d:%lld.25", j + 1, (long long)v + 1);
    }
    if (csv) hsp_text_format(t, "%lld", (long long)((i * 7919) % 13 > 5));
    hsp_text_char(t, '\n');
}

/* Files whose rows are those from one bound to the next. */
static void write_files(const int64_t *bounds, int64_t count, bool csv, const char **paths) {
    for (int64_t k = 0; k < count; k++) {
        hsp_text t = {0};
        char name[32];
        snprintf(name, sizeof name, "part-%d.%s", (int)k, csv ? "csv" : "svm");
        for (int64_t i = bounds[k]; i < bounds[k + 1]; i++) add_row(&t, i, csv);
        paths[k] = in_folder(name);
        assert_int_equal(hsp_write_file(paths[k], t.s, (size_t)t.length, NULL), 0);
        hsp_text_free(&t);
    }
}

static void remove_files(const char **paths, int64_t count) {
    for (int64_t k = 0; k < count; k++) assert_int_equal(remove(paths[k]), 0);
}

static hsp_report *make_plan(const char *const *paths, int64_t count, int64_t parts, const char *spec) {
    hsp_options *o = options_of(spec);
    hsp_report *plan = NULL;
    hsp_error *err = NULL;
    if (hsp_part_plan(paths, count, parts, o, NULL, &plan, &err)) fail_msg("%s", hsp_error_message(err));
    hsp_options_free(o);
    return plan;
}

/* The reply of all parts of a plan. */
static void *ask_plan(const hsp_report *plan, const void *request, size_t request_size, size_t *size) {
    hsp_part *part[MOST];
    hsp_engine *engine = NULL;
    hsp_error *err = NULL;
    int64_t count = hsp_report_count(plan, "parts");
    for (int64_t k = 0; k < count; k++) {
        const hsp_report *about = hsp_report_item(plan, "parts", k);
        if (hsp_part_open(hsp_report_text(about, "description"), &part[k], &err)) fail_msg("%s", hsp_error_message(err));
    }
    char why[HSP_WHY_SIZE] = "";
    const void *reply;
    assert_int_equal(hsp_engine_local(part, count, &engine, NULL), 0);
    int status = engine->ask(engine->user, request, request_size, &reply, size, why);
    assert_string_equal(why, "");
    assert_int_equal(status, 0);
    void *copy = hsp_alloc((int64_t)*size, 1);
    memcpy(copy, reply, *size);
    hsp_engine_free(engine);
    for (int64_t k = 0; k < count; k++) hsp_part_free(part[k]);
    return copy;
}

static void pose(const char *a, const char *b, bool dense, void **bytes, size_t *size) {
    const char *labels[] = {a, b};
    double w[COLUMNS], intercept = 0.25;
    const int64_t positive = 1;
    for (int j = 0; j < COLUMNS; j++) w[j] = cos(j);
    hsp_request q = {.ask = HSP_ASK_EVALUATE,
                     .rows = {.features = COLUMNS, .base = 1, .dense = dense, .label_count = 2, .label = labels, .classes = 2},
                     .problem = {.loss = &hsp_loss_logistic, .outputs = 1, .positive = &positive},
                     .at = {.w = w, .b = &intercept, .gram = true}};
    assert_int_equal(hsp_request_write(&q, bytes, size, NULL), 0);
}

/* A plan covers all blocks in order. */
static void check_cover(const hsp_report *plan, int64_t parts) {
    int64_t block = 0, rows = 0, count = hsp_report_count(plan, "parts");
    assert_int_equal(count, parts);
    for (int64_t k = 0; k < count; k++) {
        const hsp_report *about = hsp_report_item(plan, "parts", k);
        assert_int_equal((int64_t)hsp_report_number(about, "first_block"), block);
        assert_true(hsp_report_number(about, "blocks") >= 1);
        block += (int64_t)hsp_report_number(about, "blocks");
        rows += (int64_t)hsp_report_number(about, "rows");
    }
    assert_int_equal(block, (int64_t)hsp_report_number(plan, "blocks"));
    assert_int_equal(rows, (int64_t)hsp_report_number(plan, "rows"));
}

/* All divisions of the same rows into files and parts, with and without room in memory, give one reply. */
static void check_divisions(bool csv, bool stored) {
    static const int64_t one[] = {0, ROWS}, two[] = {0, 3 * HSP_PART_ROWS, ROWS},
                         four[] = {0, HSP_PART_ROWS, 2 * HSP_PART_ROWS, 5 * HSP_PART_ROWS, ROWS};
    static const int64_t *const bounds[] = {one, two, four};
    static const int64_t files[] = {1, 2, 4}, parts[] = {1, 2, 3, 6};
    void *request, *expected = NULL;
    size_t request_size, expected_size = 0, size;
    pose(csv ? "0" : "a", csv ? "1" : "b", csv, &request, &request_size);
    for (int f = 0; f < 3; f++) {
        const char *paths[4];
        write_files(bounds[f], files[f], csv, paths);
        for (int64_t k = 0; stored && k < files[f]; k++) {
            char name[32];
            hsp_report *report = NULL;
            snprintf(name, sizeof name, "part-%d.hsd", (int)k);
            assert_int_equal(hsp_file_convert(paths[k], in_folder(name), NULL, NULL, &report, NULL), 0);
            hsp_report_free(report);
            remove(paths[k]);
            paths[k] = in_folder(name);
        }
        for (int p = 0; p < 4; p++) {
            hsp_report *plan = make_plan(paths, files[f], parts[p], p % 2 ? "max-memory=64K" : "threads=2");
            check_cover(plan, parts[p]);
            void *reply = ask_plan(plan, request, request_size, &size);
            if (!expected) expected = reply, expected_size = size;
            assert_int_equal(size, expected_size);
            assert_memory_equal(reply, expected, size);
            if (reply != expected) hsp_free(reply);
            hsp_report_free(plan);
        }
        remove_files(paths, files[f]);
    }
    HSP_FREE(request, expected);
}

static void text_has_one_reply(void **state) {
    (void)state;
    check_divisions(false, false);
    check_divisions(true, false);
}

static void data_files_have_one_reply(void **state) {
    (void)state;
    check_divisions(false, true);
    check_divisions(true, true);
}

/* The members of the plan are those of the data. */
static void plans_describe_the_data(void **state) {
    (void)state;
    static const int64_t bounds[] = {0, HSP_PART_ROWS, HSP_PART_ROWS + 5};
    const char *paths[2];
    write_files(bounds, 2, false, paths);
    hsp_report *plan = make_plan(paths, 2, 7, "");
    check_cover(plan, 2);
    assert_int_equal((int64_t)hsp_report_number(plan, "features"), COLUMNS);
    assert_int_equal((int64_t)hsp_report_number(plan, "rows"), HSP_PART_ROWS + 5);
    const hsp_report *classes = hsp_report_member(plan, "classes");
    assert_int_equal(hsp_report_count(classes, NULL), 2);
    assert_int_equal((int64_t)(hsp_report_number(classes, "a") + hsp_report_number(classes, "b")), HSP_PART_ROWS + 5);
    assert_string_equal(hsp_report_text(plan, "assumed"), "svmlight, base 1, 6 features, 16389 rows in 2 files");
    hsp_report_free(plan);
    remove_files(paths, 2);
}

/* The file of the model that is trained over the parts of a plan. */
static char *train_plan(const hsp_report *plan, const char *algorithm, size_t *size) {
    hsp_part *part[MOST];
    hsp_engine *engine = NULL;
    hsp_model *model = NULL;
    hsp_options *o = options_of("");
    hsp_error *err = NULL;
    int64_t count = hsp_report_count(plan, "parts");
    assert_int_equal(hsp_options_set(o, "algorithm", algorithm, NULL), 0);
    for (int64_t k = 0; k < count; k++)
        assert_int_equal(hsp_part_open(hsp_report_text(hsp_report_item(plan, "parts", k), "description"), &part[k], NULL), 0);
    assert_int_equal(hsp_engine_local(part, count, &engine, NULL), 0);
    if (hsp_train_parts(engine, o, NULL, &model, NULL, &err)) fail_msg("%s", hsp_error_message(err));
    const char *path = in_folder("model.hsm");
    assert_int_equal(hsp_model_save(model, path, NULL), 0);
    hsp_model_free(model);
    hsp_engine_free(engine);
    for (int64_t k = 0; k < count; k++) hsp_part_free(part[k]);
    hsp_options_free(o);
    FILE *f = fopen(path, "rb");
    char *bytes = hsp_alloc(1 << 20, 1);
    *size = fread(bytes, 1, 1 << 20, f);
    fclose(f);
    remove(path);
    return bytes;
}

/* Columns without names have their places in the model. */
static void models_have_one_file(void **state) {
    (void)state;
    static const int64_t one[] = {0, ROWS}, four[] = {0, HSP_PART_ROWS, 2 * HSP_PART_ROWS, 5 * HSP_PART_ROWS, ROWS};
    static const char *const algorithms[] = {"logistic", "nearest-mean"};
    setenv("SOURCE_DATE_EPOCH", "0", 1);
    for (int csv = 0; csv < 2; csv++) {
        for (int a = 0; a < 2; a++) {
            const char *paths[4];
            size_t size, other_size;
            write_files(one, 1, csv, paths);
            hsp_report *plan = make_plan(paths, 1, 1, "");
            char *model = train_plan(plan, algorithms[a], &size);
            hsp_report_free(plan);
            remove_files(paths, 1);
            write_files(four, 4, csv, paths);
            plan = make_plan(paths, 4, 3, "max-memory=64K");
            char *other = train_plan(plan, algorithms[a], &other_size);
            assert_int_equal(size, other_size);
            assert_memory_equal(model, other, size);
            hsp_report_free(plan);
            remove_files(paths, 4);
            HSP_FREE(model, other);
        }
    }
}

/* ---- what is refused ---- */

static void refuse(const char *description, const char *message) {
    hsp_part *part = NULL;
    hsp_error *err = NULL;
    assert_int_equal(hsp_part_open(description, &part, &err), HSP_EINPUT);
    assert_null(part);
    if (!strstr(hsp_error_message(err), message)) fail_msg("%s instead of %s", hsp_error_message(err), message);
    hsp_error_free(err);
}

static void changed_files_are_refused(void **state) {
    (void)state;
    static const int64_t bounds[] = {0, 20000}, fewer[] = {0, 19999};
    const char *path;
    for (int stored = 0; stored < 2; stored++) {
        write_files(bounds, 1, false, &path);
        const char *planned = path;
        if (stored) {
            hsp_report *report = NULL;
            planned = in_folder("a.hsd");
            assert_int_equal(hsp_file_convert(path, planned, NULL, NULL, &report, NULL), 0);
            hsp_report_free(report);
        }
        hsp_report *plan = make_plan(&planned, 1, 2, "");
        write_files(fewer, 1, false, &path);
        if (stored) {
            hsp_report *report = NULL;
            assert_int_equal(hsp_file_convert(path, planned, NULL, NULL, &report, NULL), 0);
            hsp_report_free(report);
        }
        refuse(hsp_report_text(hsp_report_item(plan, "parts", 1), "description"), "not the file that the plan was made for");
        hsp_report_free(plan);
        remove(path);
        if (stored) remove(planned);
    }
}

/* Each byte of a description, replaced or cut off, gives an error or a part; nothing else. */
static void changed_descriptions_are_refused(void **state) {
    (void)state;
    static const int64_t bounds[] = {0, 50};
    const char *path;
    write_files(bounds, 1, false, &path);
    hsp_report *plan = make_plan(&path, 1, 1, "threads=1");
    const char *good = hsp_report_text(hsp_report_item(plan, "parts", 0), "description");
    size_t n = strlen(good);
    char *bad = hsp_alloc((int64_t)n + 1, 1);
    for (size_t i = 0; i < n; i++) {
        static const char bytes[] = "0-\"9}x";
        for (size_t k = 0; k < sizeof bytes; k++) { /* the last is the end of the text */
            hsp_part *part = NULL;
            memcpy(bad, good, n + 1);
            bad[i] = bytes[k];
            if (hsp_part_open(bad, &part, NULL)) assert_null(part);
            hsp_part_free(part);
        }
    }
    hsp_free(bad);
    hsp_report_free(plan);
    refuse("", "not the description of a part");
    refuse("{}", "description of a part");
    remove(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_has_one_reply),        cmocka_unit_test(data_files_have_one_reply),
        cmocka_unit_test(models_have_one_file),
        cmocka_unit_test(plans_describe_the_data),   cmocka_unit_test(changed_files_are_refused),
        cmocka_unit_test(changed_descriptions_are_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
