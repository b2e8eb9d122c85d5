/* Files that were cut off or damaged: a small example of every format, cut at every byte, and with every byte replaced.
 * Each either reads, and then can be trained on, or gives one line that names the file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "data/data.h"
#include "halfspace.h"
#include "own_folder.h"
#include "read/reader.h"

static const char QUOTED[] = "\xef\xbb\xbfheight,\"the \"\"odd\"\", one\",label\n"
                             "1.5,-2e3,\"a b\"\r\n"
                             "\n"
                             "\"2\",.25,\"two\nlines\"\n"
                             " 3 ,1e-320,a b\n"
                             "0,12345678901234567890,a b";
static const char TABS[] = "x\tlabel\n1\tyes\n-0.5\tno\n17\tyes\n";
static const char SPARSE[] = "# made by hand\n+1 1:0.5 3:2 # first\n-1 qid:4 2:1e3\n\n1 7:-1 7:2\n-1\n";

/* ---- one file ---- */

typedef struct file {
    char name[16];
    char *bytes;
    size_t size;
} file;

/* A new file each time: some file systems wait for the disk when an old one is emptied and written again. */
static void put(const file *f, const char *bytes, size_t size) {
    unlink(in_folder(f->name));
    FILE *out = fopen(in_folder(f->name), "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, size, out), size);
    assert_int_equal(fclose(out), 0);
}

static void take(file *f) {
    FILE *in = fopen(in_folder(f->name), "rb");
    assert_non_null(in);
    assert_int_equal(fseek(in, 0, SEEK_END), 0);
    f->size = (size_t)ftell(in);
    rewind(in);
    f->bytes = malloc(f->size);
    assert_int_equal(fread(f->bytes, 1, f->size, in), f->size);
    fclose(in);
}

static void one_line(int status, hsp_error *err, const char *name) {
    if (status == HSP_EINTERNAL || !err || hsp_error_code(err) != status) fail_msg("status %d", status);
    const char *message = hsp_error_message(err);
    if (strpbrk(message, "\n\r") || !strstr(message, ": ")) fail_msg("'%s'", message);
    if (name && !strstr(message, name)) fail_msg("does not name %s: %s", name, message);
    hsp_error_free(err);
}

/* Whether it reads. What reads must have rows to report, to hash and to train on, or give an error. */
static bool try_data(const file *f, const hsp_options *o) {
    hsp_data *data = NULL;
    hsp_error *err = NULL;
    hsp_report *report = NULL;
    int status = hsp_data_read(in_folder(f->name), o, NULL, &data, &err);
    if ((status == 0) != (data != NULL)) fail_msg("status %d", status);
    if (status != 0) {
        one_line(status, err, f->name);
        return false;
    }
    assert_null(err);
    assert_int_equal(hsp_data_report(data, &report, NULL), 0);
    hsp_report_free(report);
    report = NULL;
    hsp_data_hash(data);
    hsp_model *m = NULL;
    status = hsp_train(data, o, NULL, &m, &report, &err);
    if (status != 0) one_line(status, err, NULL);
    hsp_report_free(report);
    hsp_model_free(m);
    hsp_data_free(data);
    return true;
}

static bool try_model(const file *f, const hsp_options *o) {
    (void)o;
    hsp_model *m = NULL;
    hsp_error *err = NULL;
    hsp_report *report = NULL;
    int status = hsp_model_load(in_folder(f->name), &m, &err);
    if ((status == 0) != (m != NULL)) fail_msg("status %d", status);
    if (status != 0) {
        one_line(status, err, f->name);
        return false;
    }
    assert_int_equal(hsp_model_report(m, &report, NULL), 0);
    hsp_report_free(report);
    hsp_model_free(m);
    return true;
}

/* ---- every cut, every byte ---- */

typedef bool attempt(const file *f, const hsp_options *o);

static int64_t cut_everywhere(const file *f, attempt *try, hsp_options *o) {
    int64_t good = 0;
    for (size_t n = 0; n < f->size; n++) {
        assert_int_equal(hsp_options_set(o, "threads", n % 2 ? "2" : "1", NULL), 0);
        put(f, f->bytes, n);
        good += try(f, o);
    }
    return good;
}

static int64_t damage_everywhere(const file *f, attempt *try, hsp_options *o) {
    static const char others[] = {'\0', '\n', '\r', '"', ',', ' ', ':', '9', '-', 'e', '#', (char)0xff};
    int64_t good = 0;
    char *bytes = malloc(f->size);
    memcpy(bytes, f->bytes, f->size);
    for (size_t n = 0; n < f->size; n++) {
        assert_int_equal(hsp_options_set(o, "threads", n % 2 ? "1" : "2", NULL), 0);
        size_t step = f->size > 600 ? 5 : 1; /* files that are larger see each value at some of their bytes */
        for (size_t k = n % step; k < sizeof others + 2; k += step) {
            bytes[n] = (char)(k < sizeof others ? others[k] : f->bytes[n] ^ (k == sizeof others ? 1 : 0x80));
            if (bytes[n] == f->bytes[n]) continue;
            put(f, bytes, f->size);
            good += try(f, o);
        }
        bytes[n] = f->bytes[n];
    }
    free(bytes);
    return good;
}

static hsp_options *nearest_mean(void) {
    hsp_options *o = NULL;
    assert_int_equal(hsp_options_new(&o, NULL), 0);
    assert_int_equal(hsp_options_set(o, "algorithm", "nearest-mean", NULL), 0);
    return o;
}

/* Whether undetected cuts and damage are allowed: text has no checksum. */
typedef enum guard { NONE, OF_LENGTH, OF_EVERYTHING } guard;

static void try_all(file *f, attempt *try, guard guarded) {
    hsp_options *o = nearest_mean();
    put(f, f->bytes, f->size);
    assert_true(try(f, o));
    int64_t cut = cut_everywhere(f, try, o), damaged = damage_everywhere(f, try, o);
    if (guarded != NONE) assert_int_equal(cut, 0);
    if (guarded == OF_EVERYTHING) assert_int_equal(damaged, 0);
    assert_int_equal(unlink(in_folder(f->name)), 0);
    hsp_options_free(o);
}

static void try_text(const char *name, const char *text, size_t size) {
    file f = {.bytes = malloc(size), .size = size};
    snprintf(f.name, sizeof f.name, "%s", name);
    memcpy(f.bytes, text, size);
    try_all(&f, try_data, NONE);
    free(f.bytes);
}

/* A generated set in the format of the ending. Skipped when there is no writer for it. */
static void try_written(const char *name, const char *rows, guard guarded) {
    hsp_options *o = nearest_mean();
    hsp_data *data = NULL;
    hsp_error *err = NULL;
    file f = {0};
    snprintf(f.name, sizeof f.name, "%s", name);
    assert_int_equal(hsp_options_set(o, "rows", rows, NULL), 0);
    assert_int_equal(hsp_data_generate("squares", o, &data, NULL), 0);
    int status = hsp_data_write(data, in_folder(name), o, &err);
    hsp_data_free(data);
    hsp_options_free(o);
    hsp_error_free(err);
    if (status == HSP_EUSAGE) skip();
    assert_int_equal(status, 0);
    take(&f);
    try_all(&f, try_data, guarded);
    free(f.bytes);
}

/* ---- the formats ---- */

static bool can_read(const char *format) {
    const hsp_reader_kind *const *kind = hsp_reader_table;
    while (*kind && strcmp((*kind)->name, format) != 0) kind++;
    return *kind != NULL;
}

static void csv(void **state) {
    (void)state;
    try_text("cut.csv", QUOTED, sizeof QUOTED - 1);
}

static void tsv(void **state) {
    (void)state;
    try_text("cut.tsv", TABS, sizeof TABS - 1);
}

static void svmlight(void **state) {
    (void)state;
    try_text("cut.svm", SPARSE, sizeof SPARSE - 1);
}

/* Without an ending the format is found out from the content, which may change with every cut. */
static void nameless(void **state) {
    (void)state;
    try_text("cut", QUOTED, sizeof QUOTED - 1);
    try_text("cut", SPARSE, sizeof SPARSE - 1);
}

static void packed(void **state) {
    (void)state;
    try_written("cut.csv.gz", "6", OF_LENGTH);
    try_written("cut.csv.zst", "6", OF_LENGTH);
    try_written("cut.svm.gz", "6", OF_LENGTH);
}

static void cache(void **state) {
    (void)state;
    if (!can_read("hsd")) skip();
    try_written("cut.hsd", "6", OF_EVERYTHING);
}

/* Five rows of three doubles, the last column being the label. */
static void npy(void **state) {
    (void)state;
    if (!can_read("npy")) skip();
    enum { HEADER = 128 };
    const double x[5][3] = {{1, 2, 0}, {-3, 0.5, 1}, {4, 4, 0}, {1e300, 0, 1}, {0, -7, 1}};
    char bytes[HEADER + sizeof x];
    memset(bytes, ' ', HEADER);
    memcpy(bytes, "\x93NUMPY\x01\x00\x76\x00", 10);
    const char fields[] = "{'descr': '<f8', 'fortran_order': False, 'shape': (5, 3), }";
    memcpy(bytes + 10, fields, sizeof fields - 1);
    bytes[HEADER - 1] = '\n';
    memcpy(bytes + HEADER, x, sizeof x);
    file f = {.name = "cut.npy", .bytes = bytes, .size = sizeof bytes};
    try_all(&f, try_data, OF_LENGTH);
}

static void model(void **state) {
    (void)state;
    hsp_options *o = nearest_mean();
    hsp_data *data = NULL;
    hsp_model *m = NULL;
    hsp_report *report = NULL;
    file f = {.name = "cut.hsm"};
    assert_int_equal(hsp_options_set(o, "rows", "20", NULL), 0);
    assert_int_equal(hsp_data_generate("squares", o, &data, NULL), 0);
    assert_int_equal(hsp_train(data, o, NULL, &m, &report, NULL), 0);
    assert_int_equal(hsp_model_save(m, in_folder(f.name), NULL), 0);
    hsp_report_free(report);
    hsp_model_free(m);
    hsp_data_free(data);
    hsp_options_free(o);
    take(&f);
    try_all(&f, try_model, OF_EVERYTHING);
    free(f.bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv),    cmocka_unit_test(tsv),   cmocka_unit_test(svmlight), cmocka_unit_test(nameless),
        cmocka_unit_test(packed), cmocka_unit_test(cache), cmocka_unit_test(npy),      cmocka_unit_test(model),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
