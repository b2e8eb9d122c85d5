/* Writers: exact bytes, and that what is written reads back to the same content. */
#include "../csv_schema.h"
#include "array_views.h"
#include "read/own_folder.h"
#include "read/read_from.h"

#include <stdlib.h>
#include <unistd.h>

/* The bytes of a file; freed with hsp_free. */
static char *contents(const char *file) {
    FILE *f = fopen(file, "rb");
    assert_non_null(f);
    char *s = hsp_alloc(100001, 1);
    size_t n = fread(s, 1, 100000, f);
    fclose(f);
    s[n] = '\0';
    return s;
}

static void check_bytes(const char *from, const char *text, const char *spec, const char *to, const char *expected) {
    hsp_data *data = read_good(from, text, spec);
    hsp_options *o = options_of(NULL);
    hsp_error *err = NULL;
    const char *path = in_folder(to);
    if (hsp_data_write(data, path, o, &err) != 0) fail_msg("%s", hsp_error_message(err));
    char *s = contents(path);
    assert_string_equal(s, expected);
    unlink(path);
    hsp_free(s);
    hsp_options_free(o);
    hsp_data_free(data);
}

static void exact_bytes(void **state) {
    (void)state;
    const char *named = "a,label,b\n1,x,2.50\n0,y,1e-7\n", *bare = "1,x,2.5\n0,y,1e-7\n";
    check_bytes("t.csv", named, NULL, "u.csv", "a,label,b\n1,x,2.5\n0,y,1e-7\n");
    check_bytes("t.csv", named, NULL, "u.tsv", "a\tlabel\tb\n1\tx\t2.5\n0\ty\t1e-7\n");
    check_bytes("t.csv", named, NULL, "u.svm", "x 1:1 2:2.5\ny 2:1e-7\n");
    check_bytes("t.csv", named, NULL, "u", "a,label,b\n1,x,2.5\n0,y,1e-7\n");
    check_bytes("t.csv", bare, "target=2", "u.csv", "1,x,2.5\n0,y,1e-7\n");
    check_bytes("t.csv", bare, "target=2", "u.libsvm", "x 1:1 2:2.5\ny 2:1e-7\n");
    check_bytes("t.csv", "id,a,truth\n7,1,x\n", "ignore=id", "u.csv", "a,truth\n1,x\n");
    check_bytes("t.csv", "truth,a,id\nx,1,7\n", "ignore=id target=truth", "u.csv", "truth,a\nx,1\n");
    check_bytes("t.csv", "\"a,b\",label\n1,\"say \"\"x\"\"\"\n2, y z \n3,\"p;q\"\n", NULL, "u.csv",
                "\"a,b\",label\n1,\"say \"\"x\"\"\"\n2,y z\n3,\"p;q\"\n");
    check_bytes("t.svm", "+1 1:1 3:2\n-1 2:5\n", NULL, "u.csv", "x1,x2,x3,label\n1,0,2,1\n0,5,0,-1\n");
    check_bytes("t.svm", "+1 1:1 3:2\n-1 2:5\n", NULL, "u", "1 1:1 3:2\n-1 2:5\n");
    check_bytes("t.svm", "1 0:1 3:2\n", NULL, "u.svm", "1 0:1 3:2\n");
    /* Base and d must be recovered when reading. */
    check_bytes("t.svm", "1 2:1 4:0\n2\n", NULL, "u.svm", "1 2:1 4:0\n2\n");
    check_bytes("t.svm", "1 2:1 4:0\n2\n", "base=0", "u.svm", "1 0:0 2:1 4:0\n2\n");
    check_bytes("t.svm", "1\n2 2:1 4:0\n", "base=0", "u.svm", "1 0:0 4:0\n2 2:1\n");
    check_bytes("t.svm", "1:0\n3:1\n", NULL, "u.svm", "1:0 3:0\n3:1\n");
    check_bytes("t.svm", "1:0\n3:1\n4:0\n", NULL, "u.csv", "x1,x2,x3,x4\n0,0,0,0\n0,0,1,0\n0,0,0,0\n");
}

/* Writes to each ending, reads back with `spec` (for `known`, or NULL), compares. */
static void check_back(const hsp_data *data, const char *const *endings, const char *spec, const hsp_schema *known) {
    hsp_options *o = options_of(spec);
    for (; *endings; endings++) {
        hsp_error *err = NULL;
        hsp_data *back = NULL;
        const char *path = in_folder(*endings);
        if (hsp_data_write(data, path, o, &err) != 0) fail_msg("%s", hsp_error_message(err));
        const hsp_read_for model = {.known = known};
        if (hsp_read_data(path, o, NULL, known ? &model : NULL, &back, &err) != 0) fail_msg("%s", hsp_error_message(err));
        if (hsp_data_hash(data) != hsp_data_hash(back)) fail_msg("%s has other content", *endings);
        assert_int_equal(data->x.d, back->x.d);
        assert_int_equal(data->x.n, back->x.n);
        assert_int_equal(data->classes.count, back->classes.count);
        unlink(path);
        hsp_data_free(back);
    }
    hsp_options_free(o);
}

static const char *const all[] = {"u.csv", "u.tsv", "u.svm", "u.csv.gz", "u.svm.zst", "u.tsv.zst", "u.svm.gz", "u", NULL};
static const char *const tables[] = {"u.csv", "u.tsv.gz", NULL};
static const char *const sparse[] = {"u.svm", "u.libsvm.zst", NULL};

static void round_trips(void **state) {
    (void)state;
    const struct {
        const char *file, *text, *spec;
    } good[] = {
        {"t.csv", "a,b,label\n1,2.5,x\n0,-1e300,y\n5e-324,0.1,x\n", NULL},
        {"t.csv", "label,a,b\nx,1,2\ny,0,0\n", NULL},
        {"t.csv", "1,2,0\n3,4,1\n", NULL},
        {"t.svm", "+1 1:1 3:2\n-1 2:5\n+1\n", NULL},
        {"t.svm", "1 0:1 3:2\n2 2:5\n", NULL},
        {"t.svm", "1 2:1 4:0\n2\n", NULL},
        {"t.svm", "1\n2 2:1 4:0\n", NULL},
        {"t.csv", "a;b;label\n1;2.5;3\n0;1;4\n", NULL},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        hsp_data *data = read_good(good[i].file, good[i].text, good[i].spec);
        check_back(data, all, NULL, NULL);
        hsp_data_free(data);
    }
    /* What svmlight cannot hold, tables can; a target that is not found automatically is named. */
    hsp_data *data = read_good("t.csv", "a,label\n1,\"x, \"\"y\"\"\"\n2,\"p\nq\"\n3,#1\n4,5:6\n", NULL);
    check_back(data, tables, NULL, NULL);
    hsp_data_free(data);
    data = read_good("t.csv", "x,1,2\ny,3,4\n", "target=1");
    check_back(data, tables, "target=1", NULL);
    check_back(data, sparse, NULL, NULL);
    hsp_data_free(data);
}

static void unlabelled(void **state) {
    (void)state;
    int64_t columns[] = {1, 2};
    const hsp_schema named = csv_schema();
    const char *text = "a,b\n1,2\n0,0\n0,3\n";
    hsp_data *data = read_good_known("t.csv", text, strlen(text), NULL, &named);
    assert_null(data->y);
    check_back(data, all, NULL, &named);
    hsp_data_free(data);
    const hsp_schema bare = {.format = "csv", .d = 2, .delimiter = ',', .file_columns = 2, .column = columns};
    text = "1,2\n0,0\n0,3\n";
    data = read_good_known("t.csv", text, strlen(text), NULL, &bare);
    assert_null(data->y);
    check_back(data, all, NULL, &bare);
    hsp_data_free(data);
    data = read_good("t.svm", "1:0\n2:3 4:1\n3:1\n", NULL);
    check_back(data, all, NULL, &data->schema);
    check_back(data, sparse, NULL, NULL);
    hsp_data_free(data);
}

/* Random content, all pairs. */
static void random_sets(void **state) {
    (void)state;
    uint64_t x = 7;
    for (int set = 0; set < 30; set++) {
        enum { N = 40, D = 7 };
        double value[N * D];
        char label[N][8];
        const char *labels[N];
        for (int i = 0; i < N * D; i++) {
            x = x * 6364136223846793005u + 1442695040888963407u;
            double v = (double)(int64_t)(x >> 12) / 1e6;
            value[i] = (x >> 5) % 3 == 0 ? 0 : set % 2 ? v : (double)((int)(x >> 40) % 5);
        }
        for (int i = 0; i < N; i++) {
            snprintf(label[i], sizeof label[i], set % 3 ? "%d" : "c%d", i % 4);
            labels[i] = label[i];
        }
        const char *names[D] = {"a", "b c", "d,e", "f\"g", "h;i", "j", "k\tl"};
        hsp_data *data = NULL;
        hsp_error *err = NULL;
        int status = hsp_data_from_dense(value, N, D, D, labels, set % 5 ? names : NULL, &data, &err);
        if (status != 0) fail_msg("%s", hsp_error_message(err));
        check_back(data, all, NULL, NULL);
        hsp_data_free(data);
    }
}

static void refuse(const char *from, const char *text, const char *to, int code, const char *message) {
    hsp_data *data = read_good(from, text, NULL);
    hsp_error *err = NULL;
    const char *path = in_folder(to);
    assert_int_equal(hsp_data_write(data, path, NULL, &err), code);
    assert_string_equal(hsp_error_message(err), message);
    assert_int_not_equal(access(path, F_OK), 0); /* no file is left */
    hsp_error_free(err);
    hsp_data_free(data);
}

static void refused(void **state) {
    (void)state;
#define END ", which svmlight cannot hold: rename it with --map-label, or write CSV"
    refuse("t.csv", "1,two words\n", "u.svm", HSP_EINPUT, "label 'two words' has a blank" END);
    refuse("t.csv", "1,#x\n", "u.svm", HSP_EINPUT, "label '#x' begins like a comment" END);
    refuse("t.csv", "1,3:4\n", "u.svm", HSP_EINPUT, "label '3:4' looks like a feature" END);
    refuse("t.csv", "1,qid:4\n", "u.svm", HSP_EINPUT, "label 'qid:4' looks like a feature" END);
    refuse("t.svm", "1 2000000000:1\n2 1:1\n", "u.csv", HSP_EUSAGE,
           "a CSV file would have 2 x 2000000001 cells, most of them zero: write svmlight");
    const double x = 1;
    const char *empty = "";
    hsp_data *data = NULL;
    hsp_error *err = NULL;
    if (hsp_data_from_dense(&x, 1, 1, 1, &empty, NULL, &data, &err) == 0) {
        assert_int_equal(hsp_data_write(data, in_folder("u.csv"), NULL, NULL), HSP_EINPUT);
        assert_int_equal(hsp_data_write(data, in_folder("u.svm"), NULL, NULL), HSP_EINPUT);
        hsp_data_free(data);
    }
    hsp_error_free(err);
}

static void to_format(void **state) {
    (void)state;
    hsp_data *data = read_good("t.csv", "a,label\n1,x\n", NULL);
    hsp_options *o = options_of("to-format=svmlight");
    const char *path = in_folder("u.csv");
    assert_int_equal(hsp_data_write(data, path, o, NULL), 0);
    char *s = contents(path);
    assert_string_equal(s, "x 1:1\n");
    unlink(path);
    hsp_free(s);
    hsp_options_free(o);
    hsp_data_free(data);
}

static void without_memory(void **state) {
    (void)state;
    hsp_data *data = read_good("t.csv", "a,label\n1,x\n2,y\n", NULL);
    const char *const names[] = {"u.csv", "u.svm.gz"};
    for (int k = 0; k < 2; k++) {
        int status = HSP_EMEMORY;
        const char *path = in_folder(names[k]);
        for (int calls = 0; status != 0; calls++) {
            assert_true(calls < 200);
            hsp_memory_fail_after(calls);
            status = hsp_data_write(data, path, NULL, NULL);
            hsp_memory_fail_after(-1);
            assert_true(status == 0 || status == HSP_EMEMORY);
            if (status != 0) assert_int_not_equal(access(path, F_OK), 0);
        }
        unlink(path);
    }
    hsp_data_free(data);
}

/* Data over memory of the caller: every dtype, order and stride, and ids of 64 bits. */
static void arrays_of_the_caller(void **state) {
    (void)state;
    const double x[] = {0, 1, 0, 1, 1, 0, 1, 0, 0, 1, 1, 1};
    const uint8_t code[] = {0, 1, 1, 0};
    for (int k = 0; k < ALL_VIEWS; k++) {
        char name[80];
        int status;
        hsp_data *data = view_of(x, 4, 3, k, name, sizeof name, NULL, &status);
        hsp_array codes = vector_of(code, HSP_UINT8, 4);
        assert_int_equal(hsp_data_set_labels(data, &codes, (const char *const[]){"3", "5"}, 2, NULL), 0);
        check_back(data, (const char *const[]){"u.hsd", "u.csv", "u.svm", "u.npy", NULL}, NULL, NULL);
        hsp_data_free(data);
    }
}

int main(void) {
    const struct CMUnitTest t[] = {
        cmocka_unit_test(exact_bytes),    cmocka_unit_test(round_trips),
        cmocka_unit_test(unlabelled),     cmocka_unit_test(random_sets),
        cmocka_unit_test(refused),        cmocka_unit_test(to_format),
        cmocka_unit_test(without_memory), cmocka_unit_test(arrays_of_the_caller),
    };
    return cmocka_run_group_tests(t, make_folder, remove_folder);
}
