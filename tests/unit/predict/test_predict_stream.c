/* Prediction by pieces: the same bytes and the same report for any number of threads and any cut, and those of a plain
 * loop over the rows; predictions are written while the input is still coming. */
#include "model/handmade.h"

#include "base/number.h"
#include "own_paths.h"
#include "predict/predict.h"
#include "report_json.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static uint64_t seed = 88172645463325252u;
static uint64_t draw(void) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    return seed ^= seed << 17;
}

static double number(void) {
    return ((double)(draw() >> 11) / 9007199254740992.0 - 0.5) * 8;
}

/* The whole of the output, which is removed; to be freed. */
static char *take_output(void) {
    hsp_text t = {0};
    char piece[4096];
    int fd = open(out_path, O_RDONLY);
    if (fd < 0) return NULL;
    for (ssize_t n; (n = read(fd, piece, sizeof piece)) > 0;) hsp_text_add_n(&t, piece, n);
    close(fd);
    unlink(out_path);
    char *all = NULL;
    assert_int_equal(hsp_text_take(&t, &all, NULL), 0);
    return all;
}

/* Options from name, value, ..., NULL. */
static hsp_options *options(const char *const *pairs, int threads) {
    hsp_options *o = NULL;
    char text[16];
    snprintf(text, sizeof text, "%d", threads);
    assert_int_equal(hsp_options_new(&o, NULL), 0);
    assert_int_equal(hsp_options_set(o, "threads", text, NULL), 0);
    for (; pairs && pairs[0]; pairs += 2) assert_int_equal(hsp_options_set(o, pairs[0], pairs[1], NULL), 0);
    return o;
}

/* The report without the times, which differ from run to run. */
static void cut_seconds(char *report) {
    char *begin = strstr(report, "\"seconds\""), *end = begin ? strchr(begin, '}') : NULL;
    assert_non_null(end);
    memmove(begin, end + 1, strlen(end));
}

typedef struct outcome {
    int status;
    char *output, *report, *message; /* NULL: none */
} outcome;

static outcome run_once(const hsp_model *m, const hsp_text *in, const char *const *pairs, int threads, int64_t chunk) {
    outcome r = {0};
    hsp_stream *stream = NULL;
    hsp_error *err = NULL;
    hsp_options *o = options(pairs, threads);
    assert_int_equal(hsp_stream_open_memory(in->s, in->length, "rows", &stream, NULL), 0);
    if (chunk > 0) hsp_stream_set_chunk(stream, chunk);
    hsp_report *report = NULL;
    r.status = hsp_predict_stream(m, stream, out_path, o, NULL, &report, &err);
    r.report = take_json(report);
    hsp_stream_close(stream);
    hsp_options_free(o);
    if (err) r.message = hsp_strdup(hsp_error_message(err));
    hsp_error_free(err);
    r.output = take_output();
    assert_true((r.status == 0) == (r.output != NULL) && (r.status == 0) == (r.report != NULL));
    assert_true((r.status == 0) == (r.message == NULL));
    if (r.report) cut_seconds(r.report);
    return r;
}

static void free_outcome(outcome *r) {
    hsp_free(r->output);
    hsp_free(r->report);
    hsp_free(r->message);
}

static void assert_same(const char *a, const char *b) {
    assert_true((a == NULL) == (b == NULL));
    if (a) assert_string_equal(a, b);
}

/* The one result of all ways; the caller drops it. */
static outcome run_all(const hsp_model *m, const hsp_text *in, const char *const *pairs) {
    static const int64_t chunks[] = {0, 1, 2, 7, 39, 200, 5000};
    outcome first = run_once(m, in, pairs, 1, 0);
    for (int threads = 1; threads <= 4; threads++) {
        for (size_t c = 0; c < sizeof chunks / sizeof *chunks; c++) {
            if (in->length > 100000 && chunks[c] > 0 && chunks[c] < 1000) continue;
            outcome r = run_once(m, in, pairs, threads, chunks[c]);
            assert_int_equal(r.status, first.status);
            assert_same(r.output, first.output);
            assert_same(r.report, first.report);
            assert_same(r.message, first.message);
            free_outcome(&r);
        }
    }
    return first;
}

/* ---- models and rows ---- */

static const char *const six[] = {"ant", "bee", "cat", "dog, big", "elk", "fox"}, *const two[] = {"-1", "1"};

static hsp_model *svmlight_model(int64_t d, const char *const *classes, int64_t count) {
    hsp_model *m = classes ? handmade_model(d, classes, count, NULL, "none") : handmade_regression(d, NULL, "none");
    for (int64_t i = 0; i < m->outputs * d; i++) m->w[i] = number();
    for (int64_t k = 0; k < m->outputs; k++) m->b[k] = number();
    hsp_free(m->prepare.schema.format);
    m->prepare.schema.format = hsp_strdup("svmlight");
    m->prepare.schema.base = 1;
    return m;
}

/* Rows of any length, with comments and blank lines between them and some ids beyond d; the weight, when there is one, is
 * feature 900. */
static void add_rows(hsp_text *t, int rows, int64_t d, const char *const *classes, uint64_t count, bool weighted) {
    for (int i = 0; i < rows; i++) {
        if (draw() % 11 == 0) hsp_text_add(t, draw() % 2 ? "# a comment\n" : "\n");
        if (classes)
            hsp_text_add(t, classes[draw() % count]);
        else
            hsp_text_number(t, number());
        for (int64_t j = 1; j <= d + 3; j++) {
            if (draw() % 4 != 0) continue;
            hsp_text_char(t, ' ');
            hsp_text_int(t, j);
            hsp_text_char(t, ':');
            hsp_text_number(t, draw() % 2 ? number() : (double)(draw() % 9));
        }
        if (weighted) {
            hsp_text_add(t, " 900:");
            hsp_text_number(t, (double)(draw() % 1000) / 1000);
        }
        hsp_text_add(t, draw() % 3 ? "\n" : "\r\n");
    }
}

/* The same by reading everything and one row after the other; accuracy or RMSE as the report has it. */
static char *plain_loop(const hsp_model *m, const hsp_text *in, const char *const *pairs, bool proba, double *measure) {
    hsp_text t = {0};
    hsp_data *data = NULL;
    hsp_error *err = NULL;
    hsp_options *o = options(pairs, 1);
    assert_int_equal(hsp_write_file(in_path, in->s, (size_t)in->length, NULL), 0);
    handmade_ok(hsp_data_read_for(m, in_path, o, NULL, &data, &err), err);
    double correct = 0, mass = 0, score[8], p[8];
    long double squares = 0;
    for (int64_t i = 0; i < data->x.n; i++) {
        double weight = data->weight ? data->weight[i] : 1;
        hsp_model_score_row(m, hsp_matrix_row(&data->x, i), score);
        int64_t class = hsp_model_decide(m, score);
        if (class < 0) {
            long double residual = (long double)data->target[i] - (long double)score[0];
            squares += (long double)weight * residual * residual;
            hsp_text_number(&t, score[0]);
        } else {
            correct += class == data->y[i] ? weight : 0;
            hsp_text_format(&t, strchr(m->prepare.classes.name[class], ',') ? "\"%s\"" : "%s",
                            m->prepare.classes.name[class]);
        }
        mass += weight;
        for (int64_t k = 0; k < m->outputs; k++) hsp_text_char(&t, ','), hsp_text_number(&t, score[k]);
        if (proba) hsp_model_probabilities(m, score, p);
        for (int64_t k = 0; proba && k < m->prepare.classes.count; k++) hsp_text_char(&t, ','), hsp_text_number(&t, p[k]);
        hsp_text_char(&t, '\n');
    }
    *measure = data->target ? (double)sqrtl(squares / (long double)mass) : correct / mass;
    hsp_data_free(data);
    hsp_options_free(o);
    char *all = NULL;
    assert_int_equal(hsp_text_take(&t, &all, NULL), 0);
    return all;
}

/* Whether the report has this number, to the last bit. */
static void assert_says(const char *report, const char *key, double v) {
    char text[96];
    int n = snprintf(text, sizeof text, "\"%s\":", key);
    text[n + hsp_number_format(v, text + n)] = '\0';
    if (!strstr(report, text)) fail_msg("%s is not in %s", text, report);
}

static void compare_with_loop(const hsp_model *m, const hsp_text *in, const char *const *pairs, const char *const *reading,
                              bool proba) {
    double measure;
    outcome r = run_all(m, in, pairs);
    assert_int_equal(r.status, 0);
    char *expected = plain_loop(m, in, reading, proba, &measure);
    const char *lines = strchr(r.output, '\n') + 1;
    assert_string_equal(lines, expected);
    assert_says(r.report, m->prepare.regression ? "rmse" : "accuracy", measure);
    hsp_free(expected);
    free_outcome(&r);
}

/* ---- tests ---- */

static void test_any_cut(void **state) {
    (void)state;
    for (int large = 0; large < 2; large++) {
        for (int kind = 0; kind < 3; kind++) {
            const char *const *classes = kind == 0 ? two : kind == 1 ? six : NULL;
            hsp_model *m = svmlight_model(30, classes, kind == 0 ? 2 : 6);
            bool proba = kind < 2;
            if (proba) m->link = kind == 0 ? HSP_LINK_LOGISTIC : HSP_LINK_SOFTMAX;
            hsp_text in = {0};
            static const char *const simple[] = {"ant", "bee", "cat", "elk", "fox", "fox"};
            add_rows(&in, large ? 8000 : 40, 30, kind == 1 ? simple : classes, kind == 0 ? 2 : 6, false);
            const char *const ask[] = {"format", "svmlight", "scores", "yes", proba ? "proba" : NULL, "yes", NULL};
            compare_with_loop(m, &in, ask, (const char *const[]){"format", "svmlight", NULL}, proba);
            hsp_text_free(&in);
            hsp_model_free(m);
        }
    }
}

/* Weights are added up in the order of the rows, for any cut of the file. */
static void test_weights(void **state) {
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        hsp_model *m = svmlight_model(12, kind ? two : NULL, 2);
        hsp_text in = {0};
        add_rows(&in, 300, 12, kind ? two : NULL, 2, true);
        const char *const ask[] = {"format", "svmlight", "weight", "900", "scores", "yes", NULL};
        compare_with_loop(m, &in, ask, (const char *const[]){"format", "svmlight", "weight", "900", NULL}, false);
        hsp_text_free(&in);
        hsp_model_free(m);
    }
}

static void test_columns_of_csv(void **state) {
    (void)state;
    static const char *const names[] = {"a", "b", "c"};
    hsp_model *m = handmade_model(3, six, 6, names, "none");
    hsp_schema *s = &m->prepare.schema;
    hsp_free(s->format);
    s->format = hsp_strdup("csv");
    s->header = true, s->delimiter = ',', s->file_columns = 4, s->target_column = 4, s->target = hsp_strdup("kind");
    s->column = hsp_alloc(3, sizeof *s->column);
    for (int j = 0; j < 3; j++) s->column[j] = j + 1;
    hsp_text in = {0};
    hsp_text_add(&in, "c,kind,a,b\n");
    for (int i = 0; i < 400; i++) {
        hsp_text_number(&in, (double)(draw() % 100) / 8);
        hsp_text_add(&in, i % 3 ? ",bee," : ",\"dog, big\",");
        hsp_text_number(&in, number());
        hsp_text_add(&in, i % 5 ? ",0\n" : ",\"0\"\r\n");
    }
    compare_with_loop(m, &in, (const char *const[]){"format", "csv", "scores", "yes", NULL},
                      (const char *const[]){"format", "csv", NULL}, false);
    hsp_text_free(&in);
    hsp_model_free(m);
}

/* A fault: the same message, and no file is left, however far the other threads are. */
static void test_faults(void **state) {
    (void)state;
    static const struct {
        const char *row, *words;
    } bad[] = {{"1 1:1 2:x\n", "not a number"},
               {"1 1:1 2\n", "has no ':'"},
               {"1 0:1\n", "feature id 0"},
               {"1:1 2:2\n", "has no label"},
               {"1 -3:1\n", "negative"}};
    hsp_model *m = svmlight_model(12, two, 2);
    for (int large = 0; large < 2; large++) {
        for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
            hsp_text in = {0};
            add_rows(&in, large ? 6000 : 25, 12, two, 2, false);
            hsp_text_add(&in, bad[k].row);
            add_rows(&in, large ? 6000 : 25, 12, two, 2, false);
            hsp_text_add(&in, "1 1:worse\n"); /* must not be reported instead */
            outcome r = run_all(m, &in, (const char *const[]){"format", "svmlight", NULL});
            assert_int_equal(r.status, HSP_EINPUT);
            if (!strstr(r.message, bad[k].words)) fail_msg("%s is not in %s", bad[k].words, r.message);
            int64_t line = 1;
            for (const char *p = in.s, *end = strstr(in.s, bad[k].row); p < end; p++) line += *p == '\n';
            char place[64];
            snprintf(place, sizeof place, "rows:%lld:", (long long)line);
            if (k != 3 && !strstr(r.message, place)) fail_msg("%s is not in %s", place, r.message);
            free_outcome(&r);
            hsp_text_free(&in);
        }
    }
    hsp_model_free(m);
}

/* An unknown label in a late row: predicted, not evaluated. */
static void test_unknown_label_late(void **state) {
    (void)state;
    hsp_model *m = svmlight_model(12, two, 2);
    hsp_text in = {0};
    add_rows(&in, 3000, 12, two, 2, false);
    hsp_text_add(&in, "3 1:1\n");
    add_rows(&in, 10, 12, two, 2, false);
    outcome r = run_all(m, &in, (const char *const[]){"format", "svmlight", NULL});
    assert_int_equal(r.status, 0);
    assert_non_null(strstr(r.report, "\"rows\":3011"));
    assert_non_null(strstr(r.report, "\"accuracy\":null"));
    free_outcome(&r);
    hsp_text_free(&in);
    hsp_model_free(m);
}

static void test_no_rows(void **state) {
    (void)state;
    hsp_model *m = svmlight_model(3, two, 2);
    static const char *const texts[] = {"\n", "# one\n\n# two\n", "\r\n\r\n"};
    for (int i = 0; i < 3; i++) {
        hsp_text in = {0};
        hsp_text_add(&in, texts[i]);
        outcome r = run_all(m, &in, (const char *const[]){"format", "svmlight", NULL});
        assert_int_equal(r.status, HSP_EINPUT);
        free_outcome(&r);
        hsp_text_free(&in);
    }
    hsp_model_free(m);
}

/* Short rows with long predictions: more text than a piece may hold. */
static void test_long_answers(void **state) {
    (void)state;
    enum { CLASSES = 3000, ROWS = 700 };
    char(*names)[16] = calloc(CLASSES, sizeof *names);
    const char **classes = calloc(CLASSES, sizeof *classes);
    for (int k = 0; k < CLASSES; k++) snprintf(names[k], sizeof *names, "c%04d", k % 10000), classes[k] = names[k];
    hsp_model *m = svmlight_model(2, classes, CLASSES);
    hsp_text in = {0};
    for (int i = 0; i < ROWS; i++) hsp_text_format(&in, "c%04d 1:%d 2:1\n", i, i % 50 + 1);
    const char *const ask[] = {"format", "svmlight", "scores", "yes", NULL};
    outcome one = run_once(m, &in, ask, 1, 0), many = run_once(m, &in, ask, 3, 100);
    assert_int_equal(one.status, 0);
    assert_true(strlen(one.output) > (size_t)20 << 20);
    assert_true(strcmp(one.output, many.output) == 0);
    assert_string_equal(one.report, many.report);
    const char *last = one.output;
    int64_t lines = 0;
    for (const char *p = one.output; *p; p++) {
        if (*p != '\n') continue;
        lines++;
        if (p[1]) last = p + 1;
    }
    assert_int_equal(lines, ROWS + 1);
    double score[CLASSES];
    hsp_model_score_row(m, hsp_row_dense(2, (const double[]){(ROWS - 1) % 50 + 1, 1}), score);
    for (int k = 0; k < CLASSES; k++) {
        double v;
        last = strchr(last, ',') + 1;
        assert_non_null(hsp_number_parse(last, last + strcspn(last, ",\n"), &v));
        assert_true(v == score[k]);
    }
    free_outcome(&one);
    free_outcome(&many);
    hsp_text_free(&in);
    hsp_model_free(m);
    free(names);
    free(classes);
}

/* ---- input that waits for predictions ---- */

typedef struct answering {
    const hsp_model *m;
    int threads, status;
} answering;

static void *answer(void *ctx) {
    answering *a = ctx;
    hsp_options *o = options((const char *const[]){"format", "svmlight", NULL}, a->threads);
    a->status = hsp_predict(a->m, in_path, out_path, o, NULL, NULL, NULL);
    hsp_options_free(o);
    return NULL;
}

/* Reads exactly this text, within some seconds. */
static void expect_text(int fd, const char *text) {
    char got[256] = "";
    size_t n = 0, all = strlen(text);
    while (n < all) {
        if (poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, 20000) != 1)
            fail_msg("only '%s' of '%s' came", got, text);
        ssize_t more = read(fd, got + n, all - n);
        assert_true(more > 0);
        n += (size_t)more;
        got[n] = '\0';
    }
    assert_string_equal(got, text);
}

static void send_text(int fd, const char *text) {
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
}

static void test_answers_at_once(void **state) {
    (void)state;
    hsp_model *m = svmlight_model(2, two, 2);
    m->w[0] = 1, m->w[1] = -1, m->b[0] = 0;
    unlink(in_path);
    for (int threads = 1; threads <= 3; threads++) {
        assert_int_equal(mkfifo(in_path, 0600), 0);
        assert_int_equal(mkfifo(out_path, 0600), 0);
        answering a = {m, threads, 1};
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, answer, &a), 0);
        int in = open(in_path, O_WRONLY);
        send_text(in, "1 1:1\n");
        int out = open(out_path, O_RDONLY);
        expect_text(out, "prediction\n1\n");
        send_text(in, "1 2:1\n");
        expect_text(out, "-1\n");
        send_text(in, "1 1:3 "); /* half a row */
        usleep(20000);
        send_text(in, "2:1\n1 1:1 2:2\n1");
        expect_text(out, "1\n-1\n");
        send_text(in, " 1:5"); /* the last one needs no line end */
        close(in);
        expect_text(out, "1\n");
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_int_equal(a.status, 0);
        close(out);
        unlink(in_path);
        unlink(out_path);
    }
    hsp_model_free(m);
}

static void test_memory(void **state) {
    (void)state;
    hsp_model *m = svmlight_model(12, six, 6);
    static const char *const simple[] = {"ant", "bee"};
    hsp_text in = {0};
    add_rows(&in, 30, 12, simple, 2, false);
    for (int64_t k = 0;; k++) {
        hsp_stream *stream = NULL;
        hsp_error *err = NULL;
        hsp_options *o = options((const char *const[]){"format", "svmlight", "map-label", "x=bee", NULL}, 1);
        assert_int_equal(hsp_stream_open_memory(in.s, in.length, "rows", &stream, NULL), 0);
        hsp_stream_set_chunk(stream, 200);
        hsp_report *report = NULL;
        hsp_memory_fail_after(k);
        int status = hsp_predict_stream(m, stream, out_path, o, NULL, &report, &err);
        hsp_memory_fail_after(-1);
        hsp_error_free(err);
        hsp_stream_close(stream);
        hsp_options_free(o);
        char *output = take_output();
        assert_true((output != NULL) == (status == 0) && (report != NULL) == (status == 0));
        hsp_free(output);
        hsp_report_free(report);
        if (!status) break;
        assert_int_equal(status, HSP_EMEMORY);
        assert_true(k < 5000);
    }
    hsp_text_free(&in);
    hsp_model_free(m);
}

int main(void) {
    const struct CMUnitTest t[] = {
        cmocka_unit_test(test_any_cut),
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_columns_of_csv),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_unknown_label_late),
        cmocka_unit_test(test_no_rows),
        cmocka_unit_test(test_long_answers),
        cmocka_unit_test(test_answers_at_once),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(t, make_folder, drop_folder);
}
