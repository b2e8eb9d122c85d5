/* Files that are scanned and stored block by block: the same data as when they are read at once, whatever their line ends;
 * ranges of blocks that are read alone; files that cannot be read by parts. */
#include "../read/read_from.h"

#include "../read/own_folder.h"
#include "spool/file_list.h"
#include "spool/scan.h"
#include "spool/spool.h"

#include <stdlib.h>

static const char *put(const char *name, const hsp_text *t) {
    const char *path = in_folder(name);
    assert_int_equal(hsp_write_file(path, t->s ? t->s : "", (size_t)t->length, NULL), 0);
    return path;
}

/* Rows of svmlight with some ids, comments and blank lines between them. */
static void add_rows(hsp_text *t, int64_t from, int64_t to, const char *end, bool odd) {
    for (int64_t i = from; i < to; i++) {
        if (odd && i % 1000 == 7) hsp_text_format(t, "# a comment%s%s", end, end);
        hsp_text_format(t, "%s %d:%d", i % 3 ? "+1" : "-1", (int)(1 + i % 11), (int)(1 + i % 300));
        if (i % 5) hsp_text_format(t, " %d:0.%d", (int)(20 + i % 7), (int)(1 + i % 9));
        hsp_text_add(t, i + 1 == to && odd ? "" : end); /* no end after the last */
    }
}

static hsp_data *read_whole(const char *path, const hsp_options *o) {
    hsp_data *data = NULL;
    hsp_error *err = NULL;
    if (hsp_data_read(path, o, NULL, &data, &err)) fail_msg("%s", hsp_error_message(err));
    return data;
}

static void same_data(const hsp_data *a, const hsp_data *b) {
    assert_true(hsp_data_hash(a) == hsp_data_hash(b));
    assert_int_equal(a->x.n, b->x.n);
    assert_int_equal(a->x.d, b->x.d);
    assert_int_equal(a->x.dense, b->x.dense);
    assert_int_equal(a->x.coding, b->x.coding);
    assert_int_equal(a->x.ids, b->x.ids);
    assert_int_equal(a->x.dtype, b->x.dtype);
    assert_int_equal(a->x.stored, b->x.stored);
    assert_int_equal(a->x.nonzeros, b->x.nonzeros);
    if (a->x.table) assert_memory_equal(a->x.table, b->x.table, 256 * sizeof(double));
    assert_true(hsp_classes_same(&a->classes, &b->classes));
    assert_string_equal(a->assumed, b->assumed);
    assert_true(hsp_schema_same(&a->schema, &b->schema));
}

/* Scans one file and stores it, in memory and on disk: equal to the data that are read at once. */
static void check_file(const char *path, const char *spec) {
    hsp_options *o = options_of(spec);
    hsp_scan scan = {0};
    hsp_error *err = NULL;
    hsp_data *whole = read_whole(path, o);
    if (hsp_scan_files(&path, 1, o, NULL, &scan, &err)) fail_msg("%s", hsp_error_message(err));
    assert_int_equal(scan.blocks, (whole->x.n + HSP_SCAN_ROWS - 1) / HSP_SCAN_ROWS);
    int64_t rows = 0, nonzeros = 0;
    for (int64_t k = 0; k < scan.blocks; k++) {
        rows += scan.block[k].rows;
        nonzeros += scan.block[k].nonzeros;
        if (k + 1 < scan.blocks) assert_int_equal(scan.block[k].rows, HSP_SCAN_ROWS);
    }
    assert_int_equal(rows, whole->x.n);
    assert_int_equal(nonzeros, whole->x.nonzeros);
    for (int disk = 0; disk < 2; disk++) {
        hsp_data *data = NULL;
        hsp_map *map = NULL;
        hsp_options *limited = options_of(spec);
        assert_int_equal(hsp_options_set(limited, "max-memory", disk ? "1K" : "1G", NULL), 0);
        if (hsp_spool_files(&scan, limited, NULL, &map, &data, &err)) fail_msg("%s", hsp_error_message(err));
        same_data(whole, data);
        hsp_data_free(data);
        hsp_options_free(limited);
    }
    /* Each block alone. */
    for (int64_t k = 0; k < scan.blocks; k++) {
        bool last = k + 1 == scan.blocks;
        const hsp_scan_block *b = &scan.block[k];
        const hsp_spool_range range = {.path = path, .from = b->from, .to = last ? INT64_MAX : b[1].from, .line = b->line,
                                       .rows = b->rows, .nonzeros = b->nonzeros};
        const hsp_spool_plan plan = {&range, 1, &scan.schema, &scan.shape, scan.assumed, false, NULL};
        hsp_data *data = NULL, *same = NULL;
        hsp_map *map = NULL;
        if (hsp_spool_rows(&plan, o, NULL, &map, &data, &err)) fail_msg("block %d: %s", (int)k, hsp_error_message(err));
        int64_t *pick = hsp_alloc(b->rows, sizeof *pick);
        for (int64_t i = 0; i < b->rows; i++) pick[i] = k * HSP_SCAN_ROWS + i;
        assert_int_equal(hsp_data_take(whole, pick, b->rows, &same, NULL), 0);
        assert_true(hsp_data_hash(data) == hsp_data_hash(same));
        hsp_free(pick);
        hsp_data_free(data);
        hsp_data_free(same);
    }
    hsp_scan_clear(&scan);
    hsp_data_free(whole);
    hsp_options_free(o);
    assert_int_equal(remove(path), 0);
}

static void svmlight_files(void **state) {
    (void)state;
    static const int64_t sizes[] = {1, 2, 16383, 16384, 16385, 32768, 40000};
    static const char *const ends[] = {"\n", "\r\n", "\r"};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (int e = 0; e < 3; e++) {
            hsp_text t = {0};
            add_rows(&t, 0, sizes[i], ends[e], e != 1);
            check_file(put("a.svm", &t), e == 2 ? "threads=1" : "threads=3");
            hsp_text_free(&t);
        }
    }
}

/* One line of a table: quoted cells may hold line ends. */
static void csv_files(void **state) {
    (void)state;
    for (int header = 0; header < 2; header++) {
        for (int quoted = 0; quoted < 2; quoted++) {
            hsp_text t = {0};
            if (header) hsp_text_add(&t, quoted ? "\xef\xbb\xbf\"a\nb\",x,w,label\r\n" : "a,x,w,label\n");
            for (int i = 0; i < 33000; i++) {
                if (i % 5000 == 4) hsp_text_add(&t, "\n");
                hsp_text_format(&t, "%d.5,%s,%d,%s\n", i % 900, i % 4 ? "0" : "-7", 1 + i % 3,
                                quoted && i % 2 ? "\"big\none\"" : "small");
            }
            check_file(put("a.csv", &t), header ? "weight=w" : "threads=2");
            hsp_text_free(&t);
        }
    }
}

static void regression_files(void **state) {
    (void)state;
    hsp_text t = {0};
    for (int i = 0; i < 17000; i++) hsp_text_format(&t, "%d,%d.25\n", i % 77, i);
    check_file(put("a.csv", &t), "task=regression");
    hsp_text_free(&t);
}

/* The blocks of several files are those of each; the data are those of all rows in one file. */
static void several_files(void **state) {
    (void)state;
    hsp_text parts[3] = {{0}}, all = {0};
    const int64_t cuts[] = {0, 16384, 16400, 50000};
    hsp_options *o = options_of("threads=2");
    for (int k = 0; k < 3; k++) {
        char name[] = "part-0.svm";
        name[5] = (char)('0' + k);
        add_rows(&parts[k], cuts[k], cuts[k + 1], "\n", false);
        hsp_text_add_n(&all, parts[k].s, parts[k].length);
        put(name, &parts[k]);
        hsp_text_free(&parts[k]);
    }
    hsp_file_list list = {0};
    hsp_scan scan = {0};
    hsp_data *data = NULL;
    hsp_map *map = NULL;
    const char *pattern = in_folder("part-*.svm");
    assert_int_equal(hsp_file_list_make(&pattern, 1, &list, NULL), 0);
    assert_int_equal(list.count, 3);
    assert_int_equal(hsp_scan_files((const char *const *)list.path, 3, o, NULL, &scan, NULL), 0);
    assert_int_equal(scan.blocks, 1 + 1 + 3);
    assert_int_equal(scan.file[1].first, 1);
    assert_int_equal(scan.block[1].rows, 16);
    assert_int_equal(scan.block[4].rows, 50000 - 16400 - 2 * 16384);
    assert_int_equal(hsp_spool_files(&scan, o, NULL, &map, &data, NULL), 0);
    const char *path = put("all.svm", &all);
    hsp_data *whole = read_whole(path, o);
    assert_true(hsp_data_hash(whole) == hsp_data_hash(data));
    assert_int_equal(scan.shape.class_rows[0], 16667);
    assert_int_equal(scan.shape.class_rows[1], 50000 - 16667);
    for (int k = 0; k < 3; k++) remove(list.path[k]);
    remove(path);
    hsp_data_free(whole);
    hsp_data_free(data);
    hsp_scan_clear(&scan);
    hsp_file_list_clear(&list);
    hsp_text_free(&all);
    hsp_options_free(o);
}

/* ---- what is refused ---- */

static void expect_failure(const char *first, const char *second, const char *spec, int code, const char *message) {
    const hsp_text texts[] = {{.s = (char *)(uintptr_t)first, .length = (int64_t)strlen(first)},
                              {.s = (char *)(uintptr_t)second, .length = (int64_t)strlen(second)}};
    const char *paths[] = {put("1.csv", &texts[0]), put("2.csv", &texts[1])};
    hsp_options *o = options_of(spec);
    hsp_scan scan = {0};
    hsp_error *err = NULL;
    int status = hsp_scan_files(paths, 2, o, NULL, &scan, &err);
    if (status == 0) fail_msg("no error, expected: %s", message);
    const char *got = hsp_error_message(err), *after = strstr(got, folder);
    assert_non_null(after);
    assert_string_equal(after == got ? got + strlen(folder) + 1 : got, message);
    assert_int_equal(status, code);
    hsp_error_free(err);
    hsp_options_free(o);
    remove(paths[0]);
    remove(paths[1]);
}

static void different_files(void **state) {
    (void)state;
    static const char good[] = "a,b,label\n1,2,x\n3,4,y\n";
    char shown[200];
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"a,c,label\n1,2,x\n", "2.csv: column 2 is 'c', but in %s/1.csv it is 'b': give files with the same columns"},
        {"a,b,c,label\n1,2,3,x\n", "2.csv: 4 columns, but %s/1.csv has 3: give files with the same columns"},
        {"1,2,5\n2,3,6\n", "2.csv: no header, but %s/1.csv has one: give files that are alike, or use --header"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *at = strstr(cases[i].message, "%s");
        snprintf(shown, sizeof shown, "%.*s%s%s", (int)(at - cases[i].message), cases[i].message, folder, at + 2);
        expect_failure(good, cases[i].text, "", HSP_EINPUT, shown);
    }
    expect_failure(good, "a,b,label\n1,5,x\n1,,x\n", "", HSP_EINPUT,
                   "2.csv:3: column 'b' has a missing value (1 in all, in 1 column): fill them with --missing mean, median or "
                   "indicator, or drop the rows with --missing drop");
    expect_failure(good, "", "", HSP_EINPUT, "2.csv: empty file: give a file with rows");
    expect_failure(good, "a,b,label\n", "", HSP_EINPUT, "2.csv: no rows: give files with data");
    expect_failure(good, "a,b,label\n1,2,x\n3,4\n", "", HSP_EINPUT,
                   "2.csv:3:4: row has 2 cells, expected 3 as in line 1: check the delimiters and quotes");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(svmlight_files), cmocka_unit_test(csv_files), cmocka_unit_test(regression_files),
        cmocka_unit_test(several_files),  cmocka_unit_test(different_files),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
