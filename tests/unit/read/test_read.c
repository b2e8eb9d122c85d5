/* Reading whole files: which reader, what is reported, cancelling, and allocations that fail. */
#include "../csv_schema.h"
#include "read_from.h"

#include <stdlib.h>
#include <unistd.h>

static const char *chosen(const char *name, const char *text, const char *spec) {
    hsp_stream *s = NULL;
    hsp_options *o = options_of(spec);
    const hsp_reader_kind *kind = NULL;
    assert_int_equal(hsp_stream_open_memory(text, (int64_t)strlen(text), name, &s, NULL), 0);
    assert_int_equal(hsp_reader_choose(s, o, &kind, NULL), 0);
    hsp_stream_close(s);
    hsp_options_free(o);
    return kind->name;
}

static void choosing(void **state) {
    (void)state;
    assert_string_equal(chosen("t", "1 1:2\n", NULL), "svmlight");
    assert_string_equal(chosen("t", "# c\n\n+1 1:2 3:4 \n", NULL), "svmlight");
    assert_string_equal(chosen("t", "1\n-1\n1 3:4\n", NULL), "svmlight");
    assert_string_equal(chosen("t", "1:2 3:4\n", NULL), "svmlight");
    assert_string_equal(chosen("t", "1 qid:3 1:2\n", NULL), "svmlight");
    assert_string_equal(chosen("t", "1 1:oops\n", NULL), "svmlight");
    assert_string_equal(chosen("t",
                               "\xef\xbb\xbf"
                               "1 1:2\r\n",
                               NULL),
                        "svmlight");
    assert_string_equal(chosen("t.txt", "1 1:2\n", NULL), "svmlight");
    assert_string_equal(chosen("t", "1,2\n", NULL), "csv");
    assert_string_equal(chosen("t", "1 2 3\n", NULL), "csv");
    assert_string_equal(chosen("t", "x\n1\n2\n", NULL), "csv");
    assert_string_equal(chosen("t", "2020-01-01 12:30,5\n", NULL), "csv");
    assert_string_equal(chosen("t.data", "1,2\n", NULL), "csv");
    assert_string_equal(chosen("t.csv", "1 1:2\n", NULL), "csv");
    assert_string_equal(chosen("t.TSV.gz", "1 1:2\n", NULL), "csv");
    assert_string_equal(chosen("t.svm.zst", "1\n2\n", NULL), "svmlight");
    assert_string_equal(chosen("t.libsvm", "1\n2\n", NULL), "svmlight");
    assert_string_equal(chosen("t.csv", "1 2:3\n", "format=svmlight"), "svmlight");
    assert_string_equal(chosen("t.svm", "1,2\n", "format=csv"), "csv");
}

static void endings(void **state) {
    (void)state;
    assert_true(hsp_path_ends("a/b.csv", ".csv .tsv"));
    assert_true(hsp_path_ends("a/b.tsv.zst", ".csv .tsv"));
    assert_true(hsp_path_ends("B.CSV.GZ", ".csv .tsv"));
    assert_false(hsp_path_ends("csv", ".csv"));
    assert_false(hsp_path_ends("b.csv2", ".csv"));
    assert_false(hsp_path_ends("b", ""));
    assert_false(hsp_path_ends("b", NULL));
    assert_false(hsp_path_ends("", ".csv"));
    assert_false(hsp_path_ends(".gz", ".csv"));
}

static void every_reader_is_named(void **state) {
    (void)state;
    for (int i = 0; hsp_reader_table[i]; i++) {
        assert_non_null(hsp_reader_table[i]->help);
        hsp_options *o = NULL;
        assert_int_equal(hsp_options_new(&o, NULL), 0);
        assert_int_equal(hsp_options_set(o, "format", hsp_reader_table[i]->name, NULL), 0);
        hsp_options_free(o);
    }
}

static void note(void *user, int level, const char *line) {
    if (level > 0)
        assert_memory_equal(line, "memory: dense, values ", 22);
    else
        snprintf(user, 200, "%s", line);
}

static void from_a_file(void **state) {
    (void)state;
    char name[] = "test_read_XXXXXX", told[200] = "";
    int fd = mkstemp(name);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "a,b,label\n1,2,x\n3,4,y\n", 22), 22);
    hsp_hooks hooks = {.size = sizeof hooks, .user = told, .log = note};
    hsp_data *data = NULL;
    assert_int_equal(hsp_data_read(name, NULL, &hooks, &data, NULL), 0);
    assert_rows(data, "x: 1 2 | y: 3 4");
    assert_string_equal(told, "csv, comma, header, target 'label' (by name), 2 features, 2 rows");
    assert_string_equal(data->assumed, told);
    assert_string_equal(data->source, name);
    assert_true(data->read_seconds >= 0);
    hsp_data_free(data);
    hooks.size = offsetof(hsp_hooks, log); /* a caller from before hooks had a log */
    assert_int_equal(hsp_data_read(name, NULL, &hooks, &data, NULL), 0);
    hsp_data_free(data);
    hsp_error *err = NULL;
    hsp_cancel();
    assert_int_equal(hsp_data_read(name, NULL, NULL, &data, &err), HSP_ECANCELLED);
    assert_null(data);
    assert_int_equal(hsp_error_code(err), HSP_ECANCELLED);
    hsp_error_free(err);
    assert_int_equal(hsp_data_read(name, NULL, NULL, &data, NULL), 0); /* the request was consumed */
    hsp_data_free(data);
    close(fd);
    unlink(name);
    err = NULL;
    assert_int_equal(hsp_data_read(name, NULL, NULL, &data, &err), HSP_EINPUT);
    assert_null(data);
    hsp_error_free(err);
    assert_int_equal(hsp_data_read(".", NULL, NULL, &data, NULL), HSP_EINPUT);
}

static void labels_of_the_model(void **state) {
    (void)state;
    char *names[] = {"x", "y"};
    const hsp_classes classes = {2, names};
    const char *text = "1,y\n", *other = "1,z\n";
    hsp_stream *s = NULL;
    hsp_data *data = NULL;
    assert_int_equal(hsp_stream_open_memory(text, 4, "t", &s, NULL), 0);
    assert_int_equal(hsp_read_stream(s, NULL, NULL, &(hsp_read_for){.classes = &classes}, &data, NULL), 0);
    assert_int_equal(data->classes.count, 2);
    assert_int_equal(data->y[0], 1);
    hsp_data_free(data);
    hsp_stream_close(s);
    assert_int_equal(hsp_stream_open_memory(other, 4, "t", &s, NULL), 0);
    assert_int_equal(hsp_read_stream(s, NULL, NULL, &(hsp_read_for){.classes = &classes}, &data, NULL), HSP_EINPUT);
    hsp_stream_close(s);
}

/* Whichever allocation fails: HSP_EMEMORY, no leak, no data. */
static void without_memory(void **state) {
    (void)state;
    const hsp_schema known = csv_schema();
    const struct {
        const char *name, *text;
        const hsp_schema *known;
    } inputs[] = {
        {"t.csv", "a,b,label\n1,2,x\n3,4,\"say \"\"y\"\"\"\n", NULL},
        {"t.csv", "b,a,label,z\n1,2,x,0\n3,4,y,0\n", &known},
        {"t.svm", "+1 1:1 3:2\n-1 2:5 1:1 2:1\n", NULL},
        {"t", "1,2\n3,4\n", NULL},
    };
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        int status = HSP_EMEMORY;
        for (int calls = 0; status != 0; calls++) {
            assert_true(calls < 500);
            hsp_data *data = NULL;
            hsp_error *err = NULL;
            hsp_memory_fail_after(calls);
            status =
                read_chunked(inputs[i].name, inputs[i].text, strlen(inputs[i].text), 5, NULL, inputs[i].known, &data, &err);
            hsp_memory_fail_after(-1);
            if (status != 0) {
                if (status != HSP_EMEMORY) fail_msg("after %d calls: %s", calls, hsp_error_message(err));
                assert_null(data);
                assert_int_equal(hsp_error_code(err), HSP_EMEMORY);
            }
            hsp_error_free(err);
            hsp_data_free(data);
        }
    }
}

/* And while an error message is made. */
static void errors_without_memory(void **state) {
    (void)state;
    const char *const texts[] = {"a,b,label\n1,1e400,x\n", "a,b,a\n1,2,3\n", "1,2,x\n1,2\n", "1,2,x\n1,2,\n", "1,\"\n"};
    for (int i = 0; i < 5; i++) {
        int status = HSP_EMEMORY;
        for (int calls = 0; status == HSP_EMEMORY; calls++) {
            assert_true(calls < 500);
            hsp_data *data = NULL;
            hsp_memory_fail_after(calls);
            status = read_chunked("t.csv", texts[i], strlen(texts[i]), 5, NULL, NULL, &data, NULL);
            hsp_memory_fail_after(-1);
            assert_null(data);
        }
        assert_int_equal(status, HSP_EINPUT);
    }
}

int main(void) {
    const struct CMUnitTest t[] = {
        cmocka_unit_test(choosing),
        cmocka_unit_test(endings),
        cmocka_unit_test(every_reader_is_named),
        cmocka_unit_test(from_a_file),
        cmocka_unit_test(labels_of_the_model),
        cmocka_unit_test(without_memory),
        cmocka_unit_test(errors_without_memory),
    };
    return cmocka_run_group_tests(t, NULL, NULL);
}
