/* Tables as parts: the encoding is that of the same rows in memory, and any division answers with the same bytes. */
#include "../read/read_from.h"

#include "../read/own_folder.h"
#include "base/json.h"
#include "base/report.h"
#include "base/rng.h"
#include "source/description.h"
#include "spool/table_plan.h"
#include "table/encoding.h"

#include <math.h>
#include <stdlib.h>

enum { FILES = 4 };

static const char header[] = "city,size,born,price,note,zip,odd,vote,y\n";

/* Row i of a table with all kinds of columns; cells are missing in some. */
static void add_row(hsp_text *t, int64_t i, bool missing) {
    static const char *const cities[] = {"Rome", "Oslo", "", "Lima", "\"Paris, \"\"TX\"\"\""};
    static const char *const sizes[] = {"small", "1", "1.0", "large", "2"};
    static const char *const words[] = {"fine", "poor", "Sehr", "gut", "caf\xc3\xa9"};
    hsp_rng r = hsp_rng_new(7, (uint64_t)i);
    uint64_t k = hsp_rng_next(&r);
    hsp_text_format(t, "%s,%s,", cities[k % 5 == 2 && !missing ? 1 : k % 5], sizes[k / 5 % 5]);
    hsp_text_format(t, "%d-%02d-%02d,", (int)(1990 + k / 25 % 30), (int)(1 + k / 750 % 12), (int)(1 + k / 9000 % 28));
    if (!missing || k / 252000 % 9) hsp_text_number(t, (hsp_rng_uniform(&r) - 0.5) * 1e7);
    hsp_text_format(t, ",%s %s %s,", words[k / 7 % 5], words[k / 11 % 5], words[k / 13 % 5]);
    hsp_text_format(t, "%05d,", (int)(k / 17 % 300));
    if (missing && k / 19 % 10 == 0)
        hsp_text_add(t, "-,");
    else
        hsp_text_format(t, "%d,", (int)(k / 23 % 1000));
    hsp_text_format(t, "%s,%s\n", k / 29 % 2 ? "yes" : "no", k / 31 % 3 > (k / 5 % 5 > 2) ? "b" : "a");
}

static const char *write_rows(const char *name, int64_t from, int64_t to, bool missing) {
    hsp_text t = {0};
    hsp_text_add(&t, header);
    for (int64_t i = from; i < to; i++) add_row(&t, i, missing);
    const char *path = in_folder(name);
    assert_int_equal(hsp_write_file(path, t.s, (size_t)t.length, NULL), 0);
    hsp_text_free(&t);
    return path;
}

static void write_files(const int64_t *bounds, int64_t count, bool missing, const char **paths) {
    for (int64_t k = 0; k < count; k++) {
        char name[32];
        snprintf(name, sizeof name, "part-%d.csv", (int)k);
        paths[k] = write_rows(name, bounds[k], bounds[k + 1], missing);
    }
}

static void remove_files(const char **paths, int64_t count) {
    for (int64_t k = 0; k < count; k++) assert_int_equal(remove(paths[k]), 0);
}

static hsp_report *make_plan(const char *const *paths, int64_t count, int64_t parts, const char *spec) {
    hsp_options *o = options_of(spec);
    hsp_report *plan = NULL;
    hsp_error *err = NULL;
    if (hsp_part_plan(paths, count, parts, o, NULL, &plan, &err)) fail_msg("%s: %s", spec, hsp_error_message(err));
    hsp_options_free(o);
    return plan;
}

static const char *description_of(const hsp_report *plan, int64_t k) {
    return hsp_report_text(hsp_report_item(plan, "parts", k), "description");
}

static char *text_of(const hsp_encoding *e) {
    hsp_text t = {0};
    hsp_json j = {.out = &t};
    char *text;
    hsp_json_object(&j, NULL);
    hsp_encoding_save(e, &j);
    hsp_json_object_end(&j);
    assert_int_equal(hsp_text_take(&t, &text, NULL), 0);
    return text;
}

/* The encoding that one file in memory has, and that of its rows in several files. */
static void check_encoding(const char *spec, bool missing) {
    static const int64_t all[] = {0, 900}, several[] = {0, 5, 6, 600, 900};
    const char *path, *paths[FILES];
    hsp_options *o = options_of(spec);
    hsp_data *data = NULL;
    hsp_error *err = NULL;
    hsp_description d = {0};
    write_files(all, 1, missing, &path);
    if (hsp_data_read(path, o, NULL, &data, &err)) fail_msg("%s: %s", spec, hsp_error_message(err));
    assert_null(data->refusal);
    char *expected = text_of(hsp_encoding_of(data->features));
    write_files(several, FILES, missing, paths);
    hsp_report *plan = make_plan(paths, FILES, 3, spec);
    assert_int_equal(hsp_description_read(description_of(plan, 0), &d, NULL), 0);
    char *found = text_of(d.table->encoding);
    if (strcmp(found, expected) != 0) fail_msg("%s\n%s\n%s", spec, expected, found);
    const char *notes = hsp_report_text(plan, "notes");
    assert_string_equal(notes ? notes : "", data->notes ? data->notes : "");
    assert_int_equal((int64_t)hsp_report_number(plan, "rows"), data->x.n);
    assert_int_equal((int64_t)hsp_report_number(plan, "nonzeros"), data->x.nonzeros);
    HSP_FREE(expected, found);
    hsp_description_clear(&d);
    hsp_report_free(plan);
    hsp_data_free(data);
    hsp_options_free(o);
    remove_files(paths, FILES);
}

static void encodings_are_those_in_memory(void **state) {
    (void)state;
    static const char *const specs[] = {"",
                                        "min-count=40",
                                        "text=note",
                                        "text=note hash-bits=5 ngrams=1",
                                        "text=note text-unit=char ngrams=2-3 min-count=3",
                                        "numeric=zip",
                                        "categorical=price",
                                        "categorical=odd,born ignore=city",
                                        "transform=price=rank",
                                        "transform=price=bins:7,odd=log1p ignore=zip",
                                        "degree=2",
                                        "cross=city:vote",
                                        "rff=5"};
    for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) check_encoding(specs[k], false);
    static const char *const rules[] = {"mean", "median", "indicator", "drop"};
    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++) {
        char spec[64];
        snprintf(spec, sizeof spec, "missing=%s", rules[k]);
        check_encoding(spec, true);
        snprintf(spec, sizeof spec, "missing=%s text=note transform=price=rank rff=3", rules[k]);
        check_encoding(spec, true);
    }
}

/* A table whose columns turn out to be numbers needs no encoding. */
static void numbers_need_no_encoding(void **state) {
    (void)state;
    const char *path = in_folder("numbers.csv"), text[] = "a,b,y\n1,2,x\n3,4,z\n5,6,x\n";
    hsp_description d = {0};
    assert_int_equal(hsp_write_file(path, text, sizeof text - 1, NULL), 0);
    hsp_report *plan = make_plan(&path, 1, 1, "numeric=a");
    assert_int_equal(hsp_description_read(description_of(plan, 0), &d, NULL), 0);
    assert_true(d.table->plain);
    assert_false(d.schema.table);
    assert_string_equal(d.schema.name[1], "b");
    hsp_description_clear(&d);
    hsp_report_free(plan);
    remove(path);
}

static char *train_plan(const hsp_report *plan, hsp_options *o, double *objective, size_t *size) {
    hsp_part *part[8];
    hsp_engine *engine = NULL;
    hsp_model *model = NULL;
    hsp_report *report = NULL;
    hsp_error *err = NULL;
    void *bytes;
    int64_t count = hsp_report_count(plan, "parts");
    for (int64_t k = 0; k < count; k++)
        if (hsp_part_open(description_of(plan, k), &part[k], &err)) fail_msg("%s", hsp_error_message(err));
    assert_int_equal(hsp_engine_local(part, count, &engine, NULL), 0);
    if (hsp_train_parts(engine, o, NULL, &model, &report, &err)) fail_msg("%s", hsp_error_message(err));
    *objective = hsp_report_number(report, "objective");
    assert_int_equal(hsp_model_save_memory(model, &bytes, size, NULL), 0);
    hsp_report_free(report);
    hsp_model_free(model);
    hsp_engine_free(engine);
    for (int64_t k = 0; k < count; k++) hsp_part_free(part[k]);
    return bytes;
}

/* 1, 2, 3 and 7 parts, of one file and of several that begin with blocks, in memory and not. */
static void divisions_have_one_model(void **state) {
    (void)state;
    enum { B = HSP_PART_ROWS, ROWS = 6 * B + 99 };
    static const int64_t one[] = {0, ROWS}, three[] = {0, B, 4 * B, ROWS};
    static const struct {
        const int64_t *bounds;
        int64_t files, parts;
        const char *spec;
    } divisions[] = {{one, 1, 1, "missing=mean"},
                     {one, 1, 2, "missing=mean max-memory=2M"},
                     {three, 3, 3, "missing=mean threads=1"},
                     {three, 3, 7, "missing=mean"}};
    const char *path, *paths[3];
    size_t size = 0, other;
    double objective = 0, found;
    char *model = NULL;
    hsp_options *o = options_of("");
    assert_int_equal(hsp_options_set(o, "algorithm", "logistic", NULL), 0);
    setenv("SOURCE_DATE_EPOCH", "0", 1);
    for (size_t k = 0; k < sizeof divisions / sizeof *divisions; k++) {
        write_files(divisions[k].bounds, divisions[k].files, true, paths);
        hsp_report *plan = make_plan(paths, divisions[k].files, divisions[k].parts, divisions[k].spec);
        assert_int_equal(hsp_report_count(plan, "parts"), divisions[k].parts);
        char *bytes = train_plan(plan, o, &found, &other);
        if (model) {
            assert_int_equal(other, size);
            assert_memory_equal(bytes, model, size);
            hsp_free(bytes);
        } else {
            model = bytes;
            size = other;
            objective = found;
        }
        hsp_report_free(plan);
        remove_files(paths, divisions[k].files);
    }
    write_files(one, 1, true, &path);
    hsp_data *data = NULL;
    hsp_model *whole = NULL;
    hsp_report *report = NULL;
    hsp_options *reading = options_of("missing=mean");
    assert_int_equal(hsp_data_read(path, reading, NULL, &data, NULL), 0);
    assert_int_equal(hsp_train(data, o, NULL, &whole, &report, NULL), 0);
    assert_true(fabs(hsp_report_number(report, "objective") / objective - 1) < 2e-4);
    hsp_report_free(report);
    hsp_model_free(whole);
    hsp_data_free(data);
    hsp_options_free(reading);
    hsp_options_free(o);
    hsp_free(model);
    remove(path);
}

/* ---- what is refused ---- */

/* The error of a plan over files with these contents. */
static void refuse_files(const char *const *texts, int64_t count, const char *spec, int code, const char *message) {
    const char *paths[3];
    hsp_options *o = options_of(spec);
    hsp_report *plan = NULL;
    hsp_error *err = NULL;
    for (int64_t k = 0; k < count; k++) {
        char name[16];
        snprintf(name, sizeof name, "%d.csv", (int)k);
        paths[k] = in_folder(name);
        assert_int_equal(hsp_write_file(paths[k], texts[k], strlen(texts[k]), NULL), 0);
    }
    int status = hsp_part_plan(paths, count, 1, o, NULL, &plan, &err);
    assert_null(plan);
    if (!strstr(hsp_error_message(err), message)) fail_msg("%s instead of %s", hsp_error_message(err), message);
    assert_int_equal(status, code);
    hsp_error_free(err);
    hsp_options_free(o);
    remove_files(paths, count);
}

static void bad_tables_are_refused(void **state) {
    (void)state;
    const char *good = "a,b,y\nu,1,p\nv,2,q\nu,3,p\n";
#define TWO(second) (const char *const[]){good, second}, 2
    refuse_files(TWO("a,c,y\nu,1,p\n"), "", HSP_EINPUT, "1.csv: column 2 is 'c', but in ");
    refuse_files(TWO("a,b,c,y\nu,1,2,p\n"), "", HSP_EINPUT, "1.csv: 4 columns, but ");
    refuse_files(TWO("u,1,p\nv,2,q\n"), "", HSP_EINPUT, "1.csv: no header, but ");
    refuse_files(TWO("a,b,y\nv,4,q\n,5,p\nv,,q\n"), "", HSP_EINPUT,
                 "1.csv:3: column 'a' has a missing value (2 in all, in 2 columns)");
    refuse_files(TWO("a,b,y\nv,4,q\nv,5\n"), "", HSP_EINPUT, "1.csv:3");
    refuse_files(TWO("a,b,y\nv,4,q\nv,\"5,q\n"), "", HSP_EINPUT, "1.csv:3");
    refuse_files(TWO("a,b,y\n,1,p\nv,?,q\n"), "missing=drop", HSP_EINPUT, "1.csv: every row has a missing value");
    refuse_files(TWO("a,b,y\n"), "", HSP_EINPUT, "1.csv: no rows");
    refuse_files(TWO("a,b,y\nv,x,q\n"), "numeric=b", HSP_EINPUT, "1.csv:2: column 'b' holds 'x', which is not a number");
    refuse_files(TWO("a,b,y\nv,-1,q\n"), "transform=b=log1p", HSP_EINPUT, "1.csv:2: column 'b' holds -1");
    refuse_files(TWO("a,b,y\nv\xff,1,q\n"), "", HSP_EINPUT, "1.csv:2: column 'a' holds 'v");
    refuse_files(TWO("a,b,y\nv,1,q\nv\xff,1,q\n"), "text=a", HSP_EINPUT,
                 "1.csv:3: column 'a' holds a text that is not UTF-8");
    refuse_files(TWO("a,b,y\nv,1,q\nv,1,\n"), "", HSP_EINPUT, "1.csv:3");
    refuse_files(TWO("{\"a\":\"v\",\"b\":1,\"y\":\"q\"}\n"), "", HSP_EINPUT, "1.csv: this is JSON");
    refuse_files(TWO("a,b,y\nv,$1,q\nw,$2,q\n"), "", HSP_EINPUT, "1.csv: not the same columns are amounts");
    refuse_files(TWO(good), "categorical=z", HSP_EUSAGE, "'z'");
#undef TWO
}

/* Ten million different words do not fit in a megabyte. */
static void words_have_a_limit(void **state) {
    (void)state;
    hsp_text t = {0};
    hsp_options *o = options_of("max-memory=1M");
    hsp_report *plan = NULL;
    hsp_error *err = NULL;
    hsp_text_add(&t, "name,x,y\n");
    for (int i = 0; i < 40000; i++) hsp_text_format(&t, "name %d,%d,%c\n", i, i % 7, 'a' + i % 2);
    const char *path = in_folder("names.csv");
    assert_int_equal(hsp_write_file(path, t.s, (size_t)t.length, NULL), 0);
    hsp_text_free(&t);
    assert_int_equal(hsp_part_plan(&path, 1, 1, o, NULL, &plan, &err), HSP_EMEMORY);
    assert_non_null(strstr(hsp_error_message(err), "--ignore name"));
    hsp_error_free(err);
    hsp_options_free(o);
    o = options_of("max-memory=1M ignore=name");
    assert_int_equal(hsp_part_plan(&path, 1, 1, o, NULL, &plan, NULL), 0);
    hsp_report_free(plan);
    hsp_options_free(o);
    remove(path);
}

/* Each byte of a description, replaced or cut off, gives an error or a part; nothing else. */
static void changed_descriptions_are_refused(void **state) {
    (void)state;
    static const int64_t bounds[] = {0, 12};
    const char *path;
    write_files(bounds, 1, true, &path);
    hsp_report *plan = make_plan(&path, 1, 1, "threads=1 missing=mean ignore=note,born,zip");
    const char *good = description_of(plan, 0);
    size_t n = strlen(good);
    char *bad = hsp_alloc((int64_t)n + 1, 1);
    for (size_t i = 0; i < n; i++) {
        static const char bytes[] = "0\"}";
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
    remove(path);
}

/* A row that was added, or other cells, are noticed when the part is opened. */
static void changed_tables_are_refused(void **state) {
    (void)state;
    static const int64_t bounds[] = {0, 50};
    const char *path;
    hsp_part *part = NULL;
    hsp_error *err = NULL;
    write_files(bounds, 1, false, &path);
    hsp_report *plan = make_plan(&path, 1, 1, "");
    FILE *f = fopen(path, "r+b");
    assert_non_null(f);
    assert_int_equal(fseek(f, (long)strlen(header) + 1, SEEK_SET), 0);
    fputc('#', f);
    fclose(f);
    int status = hsp_part_open(description_of(plan, 0), &part, &err);
    assert_int_equal(status, HSP_EINPUT);
    assert_non_null(strstr(hsp_error_message(err), "changed"));
    hsp_error_free(err);
    hsp_report_free(plan);
    remove(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(encodings_are_those_in_memory),
        cmocka_unit_test(numbers_need_no_encoding),
        cmocka_unit_test(divisions_have_one_model),
        cmocka_unit_test(bad_tables_are_refused),
        cmocka_unit_test(words_have_a_limit),
        cmocka_unit_test(changed_descriptions_are_refused),
        cmocka_unit_test(changed_tables_are_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
