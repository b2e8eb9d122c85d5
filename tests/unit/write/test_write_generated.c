/* Generated files: they hold what hsp_data_generate makes, and their size costs no memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "data/data.h"
#include "data/generate.h"
#include "halfspace.h"
#include "read/own_folder.h"

static hsp_options *options(const char *rows, const char *threads) {
    hsp_options *o = NULL;
    assert_int_equal(hsp_options_new(&o, NULL), 0);
    assert_int_equal(hsp_options_set(o, "rows", rows, NULL), 0);
    assert_int_equal(hsp_options_set(o, "threads", threads, NULL), 0);
    return o;
}

static void generate(const char *kind, const char *name, const hsp_options *o) {
    hsp_report *report = NULL;
    hsp_error *err = NULL;
    if (hsp_data_generate_file(kind, o, in_folder(name), &report, &err)) fail_msg("%s: %s", kind, hsp_error_message(err));
    assert_non_null(report);
    hsp_report_free(report);
}

/* Every kind, in every format: reading it gives exactly the same data. */
static void same_as_in_memory(void **state) {
    (void)state;
    static const char *const names[] = {"g.csv", "g.tsv", "g.svm", "g.csv.gz", "g.svm.zst"};
    for (const hsp_generator *g = hsp_generator_table; g->name; g++)
        for (int k = 0; k < 5; k++) {
            hsp_options *o = options(k == 0 ? "2500" : "70", k % 2 ? "1" : "2");
            if (g->any_features) assert_int_equal(hsp_options_set(o, "features", "9", NULL), 0);
            if (g->regression) assert_int_equal(hsp_options_set(o, "task", "regression", NULL), 0);
            hsp_data *made = NULL, *read = NULL;
            generate(g->name, names[k], o);
            assert_int_equal(hsp_data_generate(g->name, o, &made, NULL), 0);
            assert_int_equal(hsp_data_read(in_folder(names[k]), o, NULL, &read, NULL), 0);
            assert_int_equal(hsp_data_features(read), hsp_data_features(made));
            assert_int_equal(hsp_data_rows(read), hsp_data_rows(made));
            assert_true(hsp_data_hash(read) == hsp_data_hash(made));
            assert_int_equal(unlink(in_folder(names[k])), 0);
            hsp_data_free(made);
            hsp_data_free(read);
            hsp_options_free(o);
        }
}

static int64_t allocations(const char *kind, const char *name, const char *rows) {
    hsp_options *o = options(rows, "1");
    hsp_memory_fail_after(-1);
    generate(kind, name, o);
    int64_t calls = hsp_memory_calls();
    assert_int_equal(unlink(in_folder(name)), 0);
    hsp_options_free(o);
    return calls;
}

/* Buffers grow while the first blocks are made, and not later. */
static void memory_does_not_grow(void **state) {
    (void)state;
    assert_int_equal(allocations("sparse", "g.svm", "60000"), allocations("sparse", "g.svm", "6000"));
    assert_int_equal(allocations("blobs", "g.csv", "200000"), allocations("blobs", "g.csv", "50000"));
}

static void failures(void **state) {
    (void)state;
    hsp_options *o = options("50", "2");
    hsp_report *report = (hsp_report *)o;
    hsp_error *err = NULL;
    assert_int_equal(hsp_data_generate_file("helix", o, in_folder("g.csv"), &report, &err), HSP_EUSAGE);
    assert_null(report);
    assert_non_null(strstr(hsp_error_message(err), "choose one of"));
    hsp_error_free(err);
    err = NULL;
    assert_int_equal(hsp_data_generate_file("squares", o, in_folder("g.strange"), &report, &err), HSP_EUSAGE);
    assert_non_null(strstr(hsp_error_message(err), "unknown file extension"));
    hsp_error_free(err);
    assert_int_equal(hsp_data_generate_file("squares", o, in_folder("no/g.csv"), &report, NULL), HSP_EINPUT);
    err = NULL;
    assert_int_equal(hsp_data_generate_file("squares", o, "/dev/full", &report, &err), HSP_EIO);
    assert_non_null(strstr(hsp_error_message(err), "/dev/full"));
    hsp_error_free(err);
    hsp_options_free(o);
}

/* Each allocation fails in turn; nothing leaks, and no file is left. */
static void memory_runs_out(void **state) {
    (void)state;
    static const char *const kinds[][2] = {{"sparse", "g.svm"}, {"blobs", "g.csv"}, {"linear", "g.tsv"}};
    for (int k = 0; k < 3; k++) {
        hsp_options *o = options("700", "1");
        int status = HSP_EMEMORY;
        for (int64_t calls = 0; status == HSP_EMEMORY; calls++) {
            hsp_report *report = NULL;
            hsp_error *err = NULL;
            hsp_memory_fail_after(calls);
            status = hsp_data_generate_file(kinds[k][0], o, in_folder(kinds[k][1]), &report, &err);
            hsp_memory_fail_after(-1);
            assert_true((status == 0) == (report != NULL));
            assert_true(status == 0 || status == HSP_EMEMORY);
            hsp_report_free(report);
            hsp_error_free(err);
        }
        assert_int_equal(unlink(in_folder(kinds[k][1])), 0);
        hsp_options_free(o);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_as_in_memory),
        cmocka_unit_test(memory_does_not_grow),
        cmocka_unit_test(failures),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
