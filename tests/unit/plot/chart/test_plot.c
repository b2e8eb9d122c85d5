/* Whole pictures: what is written, and that no file is left when something fails. */
#include "halfspace_plot.h"

#include <sys/stat.h>

#include "plot/drawn.h"

/* ---- data and models ---- */

enum { ROWS = 60 };

/* K clusters of d features, the k-th about (3k, 2k mod 3, ...), each value times `unit`. */
static hsp_data *clusters(int64_t d, int64_t K, double unit, const char *const *names) {
    static const char *const labels[] = {"alpha", "beta", "gamma"};
    double *x = malloc((size_t)(ROWS * d) * sizeof *x);
    const char *y[ROWS];
    hsp_data *data = NULL;
    uint32_t seed = 5;
    assert_non_null(x);
    for (int64_t i = 0; i < ROWS; i++) {
        int64_t k = i % K;
        y[i] = labels[k];
        for (int64_t j = 0; j < d; j++) {
            double noise = (double)((seed = seed * 1664525u + 1013904223u) >> 8) / 0x1p24 - 0.5;
            x[i * d + j] = unit * ((double)(j == 0 ? 3 * k : 2 * k % 3) + 2 * noise);
        }
    }
    assert_int_equal(hsp_data_from_dense(x, ROWS, d, d, y, names, &data, NULL), 0);
    free(x);
    return data;
}

static void expect_picture(const hsp_model *m, const hsp_data *data, const char *name, const char *magic, const char *end) {
    size_t size, length = strlen(end);
    hsp_error *err = NULL;
    int code = hsp_plot("boundary", m, data, NULL, in_folder(name), &err);
    if (err) print_error("%s\n", hsp_error_message(err));
    assert_int_equal(code, 0);
    assert_null(err);
    char *bytes = contents(in_folder(name), &size);
    assert_true(size > 2000);
    assert_memory_equal(bytes, magic, strlen(magic));
    while (size > 0 && bytes[size - 1] == '\n') size--;
    assert_true(size > length);
    if (length > 0) assert_memory_equal(bytes + size - length, end, length);
    free(bytes);
    assert_int_equal(sweep(folder), 1); /* no other file was left there */
}

static void expect_three_kinds(const hsp_model *m, const hsp_data *data) {
    expect_picture(m, data, "a.png", "\x89PNG\r\n\x1a\n", "");
    expect_picture(m, data, "a.svg", "<?xml", "</svg>");
    expect_picture(m, data, "a.PDF", "%PDF-", "%%EOF");
}

/* ---- what is drawn ---- */

static void test_kinds(void **state) {
    (void)state;
    static const char *const hard[] = {"a < b & \"c\" \xC2\x85\t\xEF\xBF\xBE",
                                       "\xD7\xA9\xD7\x9C\xD7\x95\xD7\x9D \xE6\x97\xA5\xE6\x9C\xAC", "z"};
    for (int64_t d = 1; d <= 3; d++)
        for (int64_t K = 2; K <= 3; K++) {
            hsp_data *data = clusters(d, K, 1, d == 2 ? hard : NULL);
            hsp_model *m = fitted(data, PAIRS("algorithm", "nearest-mean"));
            expect_three_kinds(m, data);
            hsp_model_free(m);
            hsp_data_free(data);
        }
}

static void test_units(void **state) {
    (void)state;
    static const double unit[] = {0, 1e-300, 1e-12, 1e12, 1e100};
    for (size_t i = 0; i < sizeof unit / sizeof unit[0]; i++) {
        hsp_data *train = clusters(2, 2, unit[i] > 1e50 || unit[i] < 1e-50 ? 1 : unit[i], NULL);
        hsp_data *data = clusters(2, 2, unit[i], NULL);
        hsp_model *m = fitted(train, PAIRS("algorithm", "nearest-mean"));
        expect_three_kinds(m, data);
        hsp_model_free(m);
        hsp_data_free(data);
        hsp_data_free(train);
    }
}

static void test_same_bytes(void **state) {
    (void)state;
    static const char *const kind[] = {"b.png", "b.svg", "b.pdf"};
    hsp_data *data = clusters(2, 3, 1, NULL);
    hsp_model *m = fitted(data, PAIRS("algorithm", "nearest-mean"));
    for (int i = 0; i < 3; i++) {
        size_t n[2];
        char *bytes[2];
        for (int k = 0; k < 2; k++) {
            assert_int_equal(hsp_plot("boundary", m, data, NULL, in_folder(kind[i]), NULL), 0);
            bytes[k] = contents(in_folder(kind[i]), &n[k]);
        }
        assert_int_equal(n[0], n[1]);
        assert_memory_equal(bytes[0], bytes[1], n[0]);
        free(bytes[0]);
        free(bytes[1]);
    }
    sweep(folder);
    hsp_model_free(m);
    hsp_data_free(data);
}

static void test_list(void **state) {
    (void)state;
    hsp_report *list = NULL;
    assert_int_equal(hsp_plot_list(&list, NULL), 0);
    const hsp_report *chart = hsp_report_next(list, NULL);
    while (chart && strcmp(hsp_report_text(chart, "name"), "boundary") != 0) chart = hsp_report_next(list, chart);
    assert_non_null(chart);
    assert_string_equal(hsp_report_text(chart, "takes"), "MODEL... DATA");
    assert_non_null(hsp_report_text(chart, "help"));
    hsp_report_free(list);
}

/* ---- what is refused ---- */

static void expect_refusal(const char *kind, const hsp_model *m, const hsp_data *data, const char *path, int code,
                           const char *word) {
    hsp_error *err = NULL;
    assert_int_equal(hsp_plot(kind, m, data, NULL, path, &err), code);
    assert_non_null(err);
    assert_int_equal(hsp_error_code(err), code);
    assert_non_null(strstr(hsp_error_message(err), word));
    assert_null(strchr(hsp_error_message(err), '\n'));
    hsp_error_free(err);
    assert_int_equal(hsp_plot(kind, m, data, NULL, path, NULL), code);
    assert_int_equal(sweep(folder), 0);
}

static void test_usage(void **state) {
    (void)state;
    hsp_data *data = clusters(2, 2, 1, NULL);
    hsp_model *m = fitted(data, PAIRS("algorithm", "nearest-mean"));
    expect_refusal("pie", m, data, in_folder("a.png"), HSP_EUSAGE, "boundary");
    expect_refusal("", m, data, in_folder("a.png"), HSP_EUSAGE, "boundary");
    expect_refusal(NULL, m, data, in_folder("a.png"), HSP_EUSAGE, "boundary");
    expect_refusal("boundary", m, data, in_folder("a.jpg"), HSP_EUSAGE, ".png, .svg or .pdf");
    expect_refusal("boundary", m, data, in_folder("png"), HSP_EUSAGE, ".png, .svg or .pdf");
    expect_refusal("boundary", m, data, "-", HSP_EUSAGE, ".png, .svg or .pdf");
    expect_refusal("boundary", m, data, "", HSP_EUSAGE, ".png, .svg or .pdf");
    expect_refusal("boundary", m, data, NULL, HSP_EUSAGE, ".png, .svg or .pdf");
    expect_refusal("boundary", NULL, data, in_folder("a.png"), HSP_EUSAGE, "model");
    expect_refusal("boundary", m, NULL, in_folder("a.png"), HSP_EUSAGE, "data");
    hsp_model_free(m);
    hsp_data_free(data);
}

static void test_mismatch(void **state) {
    (void)state;
    hsp_data *two = clusters(2, 2, 1, NULL), *three = clusters(3, 2, 1, NULL), *more = clusters(2, 3, 1, NULL);
    hsp_model *m = fitted(two, PAIRS("algorithm", "nearest-mean")),
              *wide = fitted(three, PAIRS("algorithm", "nearest-mean"));
    expect_refusal("boundary", wide, two, in_folder("a.png"), HSP_EINPUT, "2 features");
    expect_refusal("boundary", m, more, in_folder("a.svg"), HSP_EINPUT, "gamma");
    expect_refusal("boundary", m, three, in_folder("a.png"), HSP_EINPUT, "3 features");
    hsp_model_free(m);
    hsp_model_free(wide);
    hsp_data_free(two);
    hsp_data_free(three);
    hsp_data_free(more);
}

static void test_nowhere_to_write(void **state) {
    (void)state;
    hsp_data *data = clusters(2, 2, 1, NULL);
    hsp_model *m = fitted(data, PAIRS("algorithm", "nearest-mean"));
    hsp_error *err = NULL;
    assert_true(hsp_plot("boundary", m, data, NULL, in_folder("no-such-folder/a.png"), &err) < 0);
    assert_non_null(err);
    hsp_error_free(err);
    assert_int_equal(sweep(folder), 0);
    /* a folder where the file should be */
    err = NULL;
    assert_int_equal(mkdir(in_folder("d.svg"), 0700), 0);
    assert_true(hsp_plot("boundary", m, data, NULL, in_folder("d.svg"), &err) < 0);
    assert_non_null(err);
    hsp_error_free(err);
    assert_int_equal(rmdir(in_folder("d.svg")), 0);
    assert_int_equal(sweep(folder), 0);
    hsp_model_free(m);
    hsp_data_free(data);
}

/* Whichever allocation fails: an error, no file, no leak (under the sanitizer). */
static void test_out_of_memory(void **state) {
    (void)state;
    hsp_data *data = clusters(3, 3, 1, NULL);
    hsp_model *m = fitted(data, PAIRS("algorithm", "nearest-mean"));
    hsp_report *list = NULL;
    int64_t calls = 0;
    for (int code = HSP_EMEMORY; code != HSP_OK; calls++) {
        hsp_error *err = NULL;
        allowed = calls;
        code = hsp_plot("boundary", m, data, NULL, in_folder("m.svg"), &err);
        allowed = -1;
        assert_true(code == HSP_OK || code == HSP_EMEMORY);
        assert_true((code == HSP_OK) == (err == NULL));
        hsp_error_free(err);
        assert_int_equal(sweep(folder), code == HSP_OK ? 1 : 0);
        assert_true(calls < 500);
    }
    assert_true(calls > 15);
    allowed = 0;
    int code = hsp_plot_list(&list, NULL);
    allowed = -1;
    assert_int_equal(code, HSP_EMEMORY);
    assert_null(list);
    hsp_model_free(m);
    hsp_data_free(data);
}

int main(void) {
    const struct CMUnitTest t[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_same_bytes),
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_usage),
        cmocka_unit_test(test_mismatch),
        cmocka_unit_test(test_nowhere_to_write),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(t, make_folder, sweep_folder);
}
