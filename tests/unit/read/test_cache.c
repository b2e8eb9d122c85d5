/* The cache beside a text: used when it is certainly valid, made again when anything differs, and never in the way. */
#include "read_from.h"

#include "own_folder.h"
#include "read/cache.h"
#include "read/hsd.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <xxhash.h>

static const char *const TEXT = "a,b,label\n1,2,yes\n3,4.25,no\n";

static void put(const char *name, const char *text) {
    assert_int_equal(hsp_write_file(in_folder(name), text, strlen(text), NULL), 0);
}

/* Sets the time of change; the time of status change follows the clock. */
static void set_time(const char *name, int64_t seconds) {
    const struct timespec times[2] = {{.tv_sec = seconds}, {.tv_sec = seconds}};
    assert_int_equal(utimensat(AT_FDCWD, in_folder(name), times, 0), 0);
}

static int read_text(const char *name, const hsp_options *o, hsp_data **out, uint64_t *hash, hsp_error **err) {
    hsp_stream *s = NULL;
    int status = hsp_stream_open(in_folder(name), &s, err);
    if (status == 0) status = hsp_stream_hash_begin(s);
    if (status == 0) status = hsp_read_stream(s, o, NULL, NULL, out, err);
    if (status == 0) *hash = hsp_stream_hash(s);
    hsp_stream_close(s);
    return status;
}

typedef struct result {
    bool found;
    char note[600];
    uint64_t content;
} result;

/* What reading with --cache does. */
static result use(const char *name, const char *spec) {
    hsp_options *o = options_of(spec);
    hsp_cache *c = NULL;
    hsp_data *data = NULL;
    hsp_error *err = NULL;
    result r = {0};
    uint64_t hash = 0;
    assert_int_equal(hsp_cache_open(in_folder(name), o, &c, &err), 0);
    int found = hsp_cache_find(c, &data, &err);
    if (found < 0) fail_msg("%s", hsp_error_message(err));
    r.found = found;
    if (!found) {
        if (read_text(name, o, &data, &hash, &err)) fail_msg("%s", hsp_error_message(err));
        if (hsp_cache_keep(c, data, hash, &err)) fail_msg("%s", hsp_error_message(err));
    }
    assert_string_equal(data->source, in_folder(name));
    assert_non_null(data->assumed);
    r.content = hsp_data_hash(data);
    if (hsp_cache_note(c)) snprintf(r.note, sizeof r.note, "%s", hsp_cache_note(c));
    hsp_data_free(data);
    hsp_cache_close(c);
    hsp_options_free(o);
    return r;
}

static void gone(const char *name) {
    remove(in_folder(name));
}

static void test_kept_and_found(void **state) {
    (void)state;
    put("x.csv", TEXT);
    result first = use("x.csv", ""), second = use("x.csv", "");
    assert_false(first.found);
    assert_true(second.found); /* too recent for its times to be trusted: by the hash */
    assert_true(first.content == second.content);
    assert_string_equal(first.note, "");
    assert_string_equal(second.note, "");
    gone("x.csv.hsd");
    gone("x.csv");
}

static void test_other_options(void **state) {
    (void)state;
    put("x.csv", TEXT);
    assert_false(use("x.csv", "").found);
    assert_false(use("x.csv", "map-label=no=never").found);
    assert_true(use("x.csv", "map-label=no=never").found);
    assert_true(use("x.csv", "map-label=no=never threads=2").found);
    assert_true(use("x.csv", "map-label=no=never cache=yes").found);
    assert_false(use("x.csv", "map-label=no=never header=yes").found);
    assert_false(use("x.csv", "header=yes").found);
    assert_true(use("x.csv", "header=yes delimiter=auto").found);
    gone("x.csv.hsd");
    gone("x.csv");
}

/* Two columns as CSV, one feature as svmlight: the name's ending says which. */
static void test_other_ending(void **state) {
    (void)state;
    put("x.csv", "1 2:3\n2 3:4\n");
    result csv = use("x.csv", "");
    assert_true(use("x.csv", "").found);
    char from[300];
    snprintf(from, sizeof from, "%s", in_folder("x.csv"));
    assert_int_equal(rename(from, in_folder("x.svm")), 0);
    snprintf(from, sizeof from, "%s", in_folder("x.csv.hsd"));
    assert_int_equal(rename(from, in_folder("x.svm.hsd")), 0);
    result svm = use("x.svm", "");
    assert_false(svm.found);
    assert_true(svm.content != csv.content);
    assert_true(use("x.svm", "").found);
    /* Another name with the same ending is as good. */
    snprintf(from, sizeof from, "%s", in_folder("x.svm"));
    assert_int_equal(rename(from, in_folder("y.svm")), 0);
    snprintf(from, sizeof from, "%s", in_folder("x.svm.hsd"));
    assert_int_equal(rename(from, in_folder("y.svm.hsd")), 0);
    assert_true(use("y.svm", "").found);
    gone("y.svm.hsd");
    gone("y.svm");
}

/* Same size and same time of change, other content: the cache is not used. */
static void test_faked_times(void **state) {
    (void)state;
    put("x.csv", TEXT);
    set_time("x.csv", 1000000000);
    result first = use("x.csv", "");
    assert_true(use("x.csv", "").found);
    put("x.csv", "a,b,label\n1,2,yes\n3,4.75,no\n");
    set_time("x.csv", 1000000000);
    result second = use("x.csv", "");
    assert_false(second.found);
    assert_true(first.content != second.content);
    /* Written over in place: the inode is the same too. */
    FILE *f = fopen(in_folder("x.csv"), "r+");
    assert_non_null(f);
    fputs("a,b,label\n1,2,yes\n3,4.50,no\n", f);
    fclose(f);
    set_time("x.csv", 1000000000);
    result third = use("x.csv", "");
    assert_false(third.found);
    assert_true(second.content != third.content);
    /* A copy with the same content and times is as good as the text itself. */
    put("x.csv", "a,b,label\n1,2,yes\n3,4.50,no\n");
    set_time("x.csv", 1000000000);
    assert_true(use("x.csv", "").found);
    /* Only the time differs. */
    set_time("x.csv", 1000000001);
    assert_false(use("x.csv", "").found);
    /* Longer, at the same time. */
    put("x.csv", "a,b,label\n1,2,yes\n3,4.50,no\n5,6,no\n");
    set_time("x.csv", 1000000001);
    assert_false(use("x.csv", "").found);
    gone("x.csv.hsd");
    gone("x.csv");
}

/* A cache that was made long after the last change is trusted without reading the text: shown by a hash that is wrong. */
static void test_no_hashing(void **state) {
    (void)state;
    put("x.csv", TEXT);
    hsp_options *o = options_of("");
    for (int wait = 0; wait < 2; wait++) {
        if (wait) nanosleep(&(struct timespec){2, 100000000}, NULL);
        hsp_cache *c = NULL;
        hsp_data *data = NULL;
        uint64_t hash = 0;
        assert_int_equal(hsp_cache_open(in_folder("x.csv"), o, &c, NULL), 0);
        assert_int_equal(read_text("x.csv", o, &data, &hash, NULL), 0);
        assert_int_equal(hsp_cache_keep(c, data, hash ^ 1, NULL), 0);
        hsp_data_free(data);
        hsp_cache_close(c);
        assert_int_equal(hsp_cache_open(in_folder("x.csv"), o, &c, NULL), 0);
        assert_int_equal(hsp_cache_find(c, &data, NULL), wait);
        hsp_data_free(data);
        hsp_cache_close(c);
    }
    hsp_options_free(o);
    gone("x.csv.hsd");
    gone("x.csv");
}

static void test_changes_while_read(void **state) {
    (void)state;
    put("x.csv", TEXT);
    hsp_options *o = options_of("");
    hsp_cache *c = NULL;
    hsp_data *data = NULL;
    uint64_t hash = 0;
    assert_int_equal(hsp_cache_open(in_folder("x.csv"), o, &c, NULL), 0);
    assert_int_equal(read_text("x.csv", o, &data, &hash, NULL), 0);
    put("x.csv", "a,b,label\n1,2,yes\n3,4.75,no\n");
    assert_int_equal(hsp_cache_keep(c, data, hash, NULL), 0);
    assert_non_null(strstr(hsp_cache_note(c), "x.csv: it changed while it was read"));
    assert_int_equal(access(in_folder("x.csv.hsd"), F_OK), -1);
    hsp_data_free(data);
    hsp_cache_close(c);
    hsp_options_free(o);
    gone("x.csv");
}

static int64_t size_of(const char *name) {
    struct stat s;
    return stat(in_folder(name), &s) == 0 ? s.st_size : -1;
}

/* Files of the user with the name of the cache are not changed. */
static void test_not_ours(void **state) {
    (void)state;
    put("x.csv", TEXT);
    put("x.csv.hsd", "my notes\n");
    result r = use("x.csv", "");
    assert_false(r.found);
    assert_non_null(strstr(r.note, "x.csv.hsd is damaged or not a data file: remove it, or leave --cache out"));
    assert_int_equal(size_of("x.csv.hsd"), 9);
    gone("x.csv.hsd");
    /* A data file that the user converted is not a cache. */
    hsp_options *o = options_of("");
    hsp_data *data = NULL;
    uint64_t hash;
    assert_int_equal(read_text("x.csv", o, &data, &hash, NULL), 0);
    assert_int_equal(hsp_data_write(data, in_folder("x.csv.hsd"), NULL, NULL), 0);
    hsp_data_free(data);
    hsp_options_free(o);
    int64_t size = size_of("x.csv.hsd");
    r = use("x.csv", "");
    assert_false(r.found);
    assert_non_null(strstr(r.note, "x.csv.hsd is a cache of another version"));
    assert_int_equal(size_of("x.csv.hsd"), size);
    gone("x.csv.hsd");
    assert_int_equal(mkdir(in_folder("x.csv.hsd"), 0777), 0);
    r = use("x.csv", "");
    assert_false(r.found);
    assert_non_null(strstr(r.note, "is a directory"));
    assert_int_equal(rmdir(in_folder("x.csv.hsd")), 0);
    gone("x.csv");
}

/* An incomplete cache, left by a crash, is made again. */
static void test_damaged(void **state) {
    (void)state;
    put("x.csv", TEXT);
    assert_false(use("x.csv", "").found);
    int64_t size = size_of("x.csv.hsd");
    const int64_t cuts[] = {0, size / 2, size - 1};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(truncate(in_folder("x.csv.hsd"), cuts[i]), 0);
        result r = use("x.csv", "");
        assert_false(r.found);
        assert_string_equal(r.note, "");
        assert_true(use("x.csv", "").found);
    }
    FILE *f = fopen(in_folder("x.csv.hsd"), "r+b");
    assert_non_null(f);
    assert_int_equal(fseek(f, -100, SEEK_END), 0);
    int byte = getc(f);
    assert_int_equal(fseek(f, -100, SEEK_END), 0);
    putc(byte ^ 1, f);
    fclose(f);
    assert_false(use("x.csv", "").found);
    assert_true(use("x.csv", "").found);
    gone("x.csv.hsd");
    gone("x.csv");
}

static void test_no_cache(void **state) {
    (void)state;
    hsp_cache *c = NULL;
    hsp_data *data = NULL;
    hsp_options *o = options_of(""), *labels = options_of("labels=y.txt");
    assert_int_equal(hsp_cache_open("-", o, &c, NULL), 0);
    assert_int_equal(hsp_cache_find(c, &data, NULL), 0);
    assert_false(hsp_cache_wants(c));
    assert_string_equal(hsp_cache_note(c), "cannot cache <stdin>: a stream can be read only once");
    hsp_cache_close(c);
    assert_int_equal(mkfifo(in_folder("pipe"), 0666), 0);
    assert_int_equal(hsp_cache_open(in_folder("pipe"), o, &c, NULL), 0);
    assert_int_equal(hsp_cache_find(c, &data, NULL), 0);
    assert_non_null(strstr(hsp_cache_note(c), "only regular files can be cached"));
    hsp_cache_close(c);
    gone("pipe");
    put("x.csv", TEXT);
    assert_int_equal(hsp_cache_open(in_folder("x.csv"), labels, &c, NULL), 0);
    assert_non_null(strstr(hsp_cache_note(c), "its labels are in another file"));
    hsp_cache_close(c);
    hsp_options_free(o);
    hsp_options_free(labels);
    gone("x.csv");
}

/* A folder that cannot be written to; root may write anywhere, so the name is made too long instead. */
static void test_cannot_write(void **state) {
    (void)state;
    char name[260];
    memset(name, 'n', 253);
    memcpy(name + 249, ".csv", 5);
    char whole[500];
    snprintf(whole, sizeof whole, "%s/%s", folder, name);
    assert_int_equal(hsp_write_file(whole, TEXT, strlen(TEXT), NULL), 0);
    hsp_options *o = options_of("");
    hsp_cache *c = NULL;
    hsp_data *data = NULL;
    hsp_stream *s = NULL;
    assert_int_equal(hsp_cache_open(whole, o, &c, NULL), 0);
    assert_int_equal(hsp_cache_find(c, &data, NULL), 0);
    assert_int_equal(hsp_stream_open(whole, &s, NULL), 0);
    assert_int_equal(hsp_read_stream(s, o, NULL, NULL, &data, NULL), 0);
    assert_int_equal(hsp_cache_keep(c, data, 0, NULL), 0);
    assert_non_null(hsp_cache_note(c));
    assert_null(strchr(hsp_cache_note(c), '\n'));
    hsp_stream_close(s);
    hsp_data_free(data);
    hsp_cache_close(c);
    hsp_options_free(o);
    assert_int_equal(remove(whole), 0);
}

/* Several processes at once: each gets the right data, and a valid cache is left, and no other file. */
static void test_together(void **state) {
    (void)state;
    hsp_text t = {0};
    for (int i = 0; i < 20000; i++) hsp_text_format(&t, "%d,%d,%s\n", i, i % 7, i % 3 ? "a" : "b");
    put("x.csv", t.s);
    hsp_text_free(&t);
    uint64_t content = use("x.csv", "").content;
    gone("x.csv.hsd");
    enum { PROCESSES = 6 };
    pid_t child[PROCESSES];
    for (int i = 0; i < PROCESSES; i++) {
        child[i] = fork();
        assert_true(child[i] >= 0);
        if (child[i] > 0) continue;
        bool good = true;
        for (int k = 0; k < 3; k++)
            good = good && use("x.csv", i % 2 ? "threads=1" : "threads=1 header=no").content == content;
        _exit(good ? 0 : 1);
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status = -1;
        assert_int_equal(waitpid(child[i], &status, 0), child[i]);
        assert_int_equal(status, 0);
    }
    result last = use("x.csv", "");
    assert_true(last.content == content);
    assert_true(use("x.csv", "").found);
    gone("x.csv.hsd");
    gone("x.csv"); /* the folder can be removed only when it is empty */
}

static void test_memory(void **state) {
    (void)state;
    put("x.csv", TEXT);
    assert_false(use("x.csv", "").found);
    hsp_options *o = options_of("");
    int found = -1;
    for (int64_t calls = 0; found != 1; calls++) {
        hsp_cache *c = NULL;
        hsp_data *data = NULL;
        hsp_error *err = NULL;
        hsp_memory_fail_after(calls);
        found = hsp_cache_open(in_folder("x.csv"), o, &c, &err);
        if (found == 0) found = hsp_cache_find(c, &data, &err);
        hsp_memory_fail_after(-1);
        assert_true((found == 1) == (data != NULL));
        hsp_data_free(data);
        hsp_error_free(err);
        hsp_cache_close(c);
        assert_true(calls < 10000);
    }
    hsp_options_free(o);
    gone("x.csv.hsd");
    gone("x.csv");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kept_and_found), cmocka_unit_test(test_other_options),
        cmocka_unit_test(test_other_ending),   cmocka_unit_test(test_faked_times),
        cmocka_unit_test(test_no_hashing),     cmocka_unit_test(test_changes_while_read),
        cmocka_unit_test(test_not_ours),       cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_no_cache),       cmocka_unit_test(test_cannot_write),
        cmocka_unit_test(test_together),       cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
