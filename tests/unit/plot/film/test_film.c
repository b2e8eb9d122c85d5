/* Whole films: which frames there are, what is reported, what is refused, and that no file is left after a failure. */
#include "halfspace_internal.h"
#include "halfspace_plot.h"
#include "plot/film/recorded_run.h"
#include "plot/part/sentence.h"

#include "plot/drawn.h"

#include <math.h>

/* Of a small sheet, which is fast. */
static hsp_options *quick_options(const char *const *pairs) {
    hsp_options *o = options_of(PAIRS("size", "320x260"));
    for (; pairs[0]; pairs += 2) assert_int_equal(hsp_options_set(o, pairs[0], pairs[1], NULL), 0);
    return o;
}

static hsp_data *generated(const char *kind, const char *const *pairs) {
    hsp_options *o = options_of(pairs);
    hsp_data *data = NULL;
    assert_int_equal(hsp_data_generate(kind, o, &data, NULL), 0);
    hsp_options_free(o);
    return data;
}

static int64_t member(const hsp_report *report, const char *name) {
    double v = hsp_report_number(report, name);
    return isnan(v) ? -1 : (int64_t)v;
}

static void test_every_algorithm_in_every_kind_of_file(void **state) {
    (void)state;
    static const char *const names[] = {"perceptron", "sgd", "minibatch", "gradient-descent", "svm", "mlp"};
    static const char *const files[] = {"f.apng", "f.PNG", "f.gif", "frames/", "frames"};
    hsp_data *data = generated("squares", PAIRS("rows", "100"));
    for (int a = 0; a < 6; a++)
        for (int f = 0; f < 5; f++) {
            hsp_options *o = quick_options(PAIRS("algorithm", names[a], "frames", "7", "theme", a % 2 ? "dark" : "light"));
            hsp_report *report = NULL;
            hsp_error *err = NULL;
            int code = hsp_film(data, o, NULL, in_folder(files[f]), &report, &err);
            if (code && strstr(hsp_error_message(err), "libgif-dev")) { /* built without */
                assert_int_equal(f, 2);
            } else {
                assert_int_equal(code, 0);
                assert_true(member(report, "frames") == 7 && member(report, "updates") > 10 &&
                            member(report, "rows") == 100);
                assert_int_equal(member(report, "width"), f >= 3 ? 640 : 320);
                assert_string_equal(hsp_report_text(hsp_report_member(report, "training"), "algorithm"), names[a]);
                assert_int_equal(sweep(folder), f >= 3 ? 7 : 1);
            }
            hsp_report_free(report);
            hsp_error_free(err);
            hsp_options_free(o);
        }
    hsp_data_free(data);
}

/* All updates when they fit, with the start; never more frames than asked for; at least two. */
static void test_frames(void **state) {
    (void)state;
    static const struct {
        int64_t limit;
        const char *text;
    } most[] = {{2, "2"}, {3, "3"}, {5, "5"}, {40, "40"}, {1000, "1000"}};
    hsp_data *sets[] = {generated("blobs", PAIRS("rows", "30", "noise", "0.4")), generated("squares", PAIRS("rows", "40")),
                        generated("blobs", PAIRS("rows", "40", "noise", "2", "features", "5")),
                        generated("blobs", PAIRS("rows", "40", "noise", "2", "features", "1"))};
    for (int k = 0; k < 4; k++)
        for (int m = 0; m < 5; m++) {
            hsp_options *o = quick_options(PAIRS("algorithm", "perceptron", "frames", most[m].text, "max-epochs", "20"));
            hsp_report *report = NULL;
            assert_int_equal(hsp_film(sets[k], o, NULL, in_folder("f.apng"), &report, NULL), 0);
            int64_t frames = member(report, "frames"), updates = member(report, "updates"), limit = most[m].limit;
            assert_true(frames >= 2 && frames <= limit && frames <= updates + 2);
            if (updates + 2 <= limit) assert_true(frames >= updates + 1);
            hsp_report_free(report);
            hsp_options_free(o);
        }
    sweep(folder);
    for (int k = 0; k < 4; k++) hsp_data_free(sets[k]);
}

static void test_the_same_film_twice(void **state) {
    (void)state;
    hsp_data *data = generated("squares", PAIRS("rows", "40"));
    hsp_options *o = quick_options(PAIRS("algorithm", "sgd", "frames", "5"));
    static char bytes[2][1 << 19];
    size_t n[2];
    for (int k = 0; k < 2; k++) {
        assert_int_equal(hsp_film(data, o, NULL, in_folder("f.apng"), NULL, NULL), 0);
        FILE *f = fopen(in_folder("f.apng"), "rb");
        assert_non_null(f);
        n[k] = fread(bytes[k], 1, sizeof bytes[k], f);
        fclose(f);
    }
    assert_true(n[0] == n[1] && n[0] < sizeof bytes[0] && memcmp(bytes[0], bytes[1], n[0]) == 0);
    sweep(folder);
    hsp_options_free(o);
    hsp_data_free(data);
}

/* One line each, and no file. */
static void test_what_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *path, *says, *pairs[5];
    } cases[] = {
        {"f.apng", "lda has no updates to show", {"algorithm", "lda"}},
        {"f.apng", "logistic has no updates to show", {"algorithm", "logistic"}},
        {"f.mp4", "use .gif or .apng", {"algorithm", "sgd"}},
        {"f.apng", "is not a picture size", {"algorithm", "sgd", "size", "10x10"}},
        {"f.apng", "leave --solver out", {"algorithm", "svm", "solver", "interior-point"}},
        {"f.apng", "unknown feature 'z'", {"algorithm", "sgd", "x", "z"}},
        {"f.apng", "perceptron does not use --shrinkage", {"algorithm", "perceptron", "shrinkage", "auto"}},
        {"f.apng", "one start of a network", {"algorithm", "mlp", "restarts", "1"}},
        {"no/f.apng", "", {"algorithm", "mlp"}},
        {"no/f.apng", "", {"algorithm", "sgd"}},
        {"no/such/", "cannot create the folder", {"algorithm", "sgd"}},
    };
    hsp_data *data = generated("squares", PAIRS("rows", "20"));
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        hsp_options *o = quick_options(cases[k].pairs);
        hsp_report *report = NULL;
        hsp_error *err = NULL;
        assert_true(hsp_film(data, o, NULL, in_folder(cases[k].path), &report, &err) < 0);
        assert_true(report == NULL && err && strstr(hsp_error_message(err), cases[k].says));
        assert_true(strchr(hsp_error_message(err), '\n') == NULL && sweep(folder) == 0);
        hsp_error_free(err);
        hsp_options_free(o);
    }
    hsp_data_free(data);
}

static void test_data_that_cannot_be_filmed(void **state) {
    (void)state;
    const double x[] = {1, 2, 3, 4}, y[] = {0.5, 1.5, 2.5, 3.5};
    const char *const one[] = {"a", "a", "a", "a"};
    hsp_data *sets[3] = {generated("blobs", PAIRS("rows", "30", "classes", "3"))};
    assert_int_equal(hsp_data_from_dense(x, 4, 1, 1, one, NULL, &sets[1], NULL), 0);
    assert_int_equal(hsp_data_from_dense(x, 4, 1, 1, NULL, NULL, &sets[2], NULL), 0);
    assert_int_equal(hsp_data_set_targets(sets[2], y, NULL), 0);
    hsp_options *o = quick_options(PAIRS("algorithm", "sgd", "frames", "5"));
    for (int k = 0; k < 3; k++) {
        hsp_error *err = NULL;
        assert_true(hsp_film(sets[k], o, NULL, in_folder("f.apng"), NULL, &err) < 0);
        assert_true(err && strstr(hsp_error_message(err), ": ") && sweep(folder) == 0);
        hsp_error_free(err);
    }
    assert_int_equal(hsp_options_set(o, "positive", "2", NULL), 0); /* one against the rest */
    assert_int_equal(hsp_film(sets[0], o, NULL, in_folder("f.apng"), NULL, NULL), 0);
    assert_int_equal(sweep(folder), 1);
    hsp_options_free(o);
    for (int k = 0; k < 3; k++) hsp_data_free(sets[k]);
}

static int stop(void *user, const hsp_progress *p) {
    (void)user;
    return p->epoch >= 2;
}

static void test_a_stop_leaves_nothing(void **state) {
    (void)state;
    hsp_data *data = generated("squares", PAIRS("rows", "40"));
    hsp_options *o = quick_options(PAIRS("algorithm", "perceptron"));
    hsp_hooks hooks = {.size = sizeof hooks, .progress = stop};
    hsp_error *err = NULL;
    assert_int_equal(hsp_film(data, o, &hooks, in_folder("f.apng"), NULL, &err), HSP_ECANCELLED);
    assert_int_equal(sweep(folder), 0);
    hsp_error_free(err);
    hsp_options_free(o);
    hsp_data_free(data);
}

/* Values whose squares overflow, equal rows, a single pair, names in all scripts, and no names. */
static int64_t until_cancel;

static void cancel_in_time(void) {
    if (until_cancel-- == 0) hsp_cancel();
}

/* Whenever the request to stop comes, the film that it stops consumes it. */
static void test_a_cancelled_film(void **state) {
    (void)state;
    hsp_data *data = generated("squares", PAIRS("rows", "20"));
    hsp_options *o = quick_options(PAIRS("algorithm", "perceptron", "frames", "3"));
    int code = HSP_ECANCELLED, late = 0;
    for (int64_t n = 0; code != HSP_OK; n++) {
        hsp_error *err = NULL;
        until_cancel = n;
        at_allocation = cancel_in_time;
        code = hsp_film(data, o, NULL, in_folder("f.apng"), NULL, &err);
        at_allocation = NULL;
        assert_true(code == HSP_OK || code == HSP_ECANCELLED);
        if (code == HSP_OK) break;
        assert_false(hsp_cancel_waiting());
        late += strstr(hsp_error_message(err), "before all frames were drawn") != NULL;
        hsp_error_free(err);
        assert_int_equal(sweep(folder), 0);
    }
    assert_true(late > 0);
    hsp_cancel_consume();
    assert_int_equal(sweep(folder), 1);
    hsp_options_free(o);
    hsp_data_free(data);
}

/* 60 rows, each a number and a word out of 20: a part of them has other features. */
static hsp_data *table_with_words(void) {
    const char *path = in_folder("t.csv");
    FILE *f = fopen(path, "w");
    hsp_data *data = NULL;
    assert_non_null(f);
    fprintf(f, "x,word,label\n");
    for (int i = 0; i < 60; i++) fprintf(f, "%d,w%c,%s\n", i * 7 % 11, 'a' + i % 20, i % 3 ? "yes" : "no");
    fclose(f);
    assert_int_equal(hsp_data_read(path, NULL, NULL, &data, NULL), 0);
    unlink(path);
    return data;
}

/* Mistakes are counted as the model scores the rows: at the end they are its own. */
static void test_a_part_of_a_table(void **state) {
    (void)state;
    hsp_data *all = table_with_words(), *part = NULL, *rest = NULL;
    hsp_film_run f = {.o = quick_options(PAIRS("algorithm", "perceptron", "max-epochs", "3"))};
    hsp_options *o = quick_options(PAIRS("test", "0.8"));
    int32_t answer[60];
    hsp_array labels = {.size = sizeof labels};
    hsp_error *err = NULL;
    int64_t mistakes = 0;
    assert_int_equal(hsp_data_split(all, o, &part, &rest, NULL), 0);
    f.data = part;
    if (hsp_film_run_record(&f, 200, &err)) fail_msg("%s", hsp_error_message(err));
    assert_true(f.d < hsp_data_features(part) && f.keeping.weights);
    assert_int_equal(hsp_model_score(f.model, part, NULL, answer, NULL), 0);
    assert_int_equal(hsp_data_array(part, "labels", &labels, NULL), 0);
    for (int64_t i = 0; i < hsp_data_rows(part); i++) {
        const char *label = hsp_data_class_name(part, ((const int32_t *)labels.data)[i]);
        mistakes += answer[i] != hsp_model_class_of(f.model, label);
    }
    assert_int_equal(f.frame[f.frames - 1].mistakes, mistakes);
    hsp_film_run_clear(&f);
    hsp_options_free(o);
    hsp_data_free(all);
    hsp_data_free(part);
    hsp_data_free(rest);
}

/* The perceptron adds y (x, 1) at rate 1: the vectors of a frame are those of the update, also where frames skip some. */
static void test_frames_know_the_weights_before(void **state) {
    (void)state;
    hsp_data *data = generated("squares", PAIRS("rows", "200"));
    hsp_film_run f = {.data = data, .o = quick_options(PAIRS("algorithm", "perceptron", "max-epochs", "20"))};
    int64_t seen = 0;
    assert_int_equal(hsp_film_run_record(&f, 12, NULL), 0);
    assert_false(f.frame[0].changed);
    for (int64_t k = 0; k < f.frames; k++) {
        const hsp_film_frame *m = &f.frame[k];
        double x[2], y;
        if (!m->changed) continue;
        assert_int_equal(hsp_data_row(data, m->row, x, NULL), 0);
        y = f.plane.truth[m->row] == hsp_model_positive(f.model) ? 1 : -1;
        assert_true(fabs(m->g[0] - m->before[0] - y) < 1e-12);
        for (int j = 0; j < 2; j++) assert_true(fabs(m->g[j + 1] - m->before[j + 1] - y * x[j]) < 1e-11);
        assert_true(y * (m->before[0] + m->before[1] * x[0] + m->before[2] * x[1]) <= 0); /* it was a mistake */
        seen++;
    }
    assert_true(seen >= 10);
    hsp_film_run_clear(&f);
    hsp_data_free(data);
}

/* With the hinge loss and no penalty a batch adds eta/B times the sum of y (x, 1) over its rows with y g < 1. */
static void test_frames_know_their_batch(void **state) {
    (void)state;
    hsp_data *data = generated("blobs", PAIRS("rows", "40", "noise", "2"));
    hsp_film_run f = {.data = data,
                      .o = quick_options(PAIRS("algorithm", "minibatch", "batch", "4", "loss", "hinge", "penalty", "none",
                                               "learning-rate", "0.1", "max-epochs", "3"))};
    int64_t seen = 0;
    assert_int_equal(hsp_film_run_record(&f, 12, NULL), 0);
    assert_int_equal(f.frame[0].batch_count, 0);
    for (int64_t k = 0; k < f.frames; k++) {
        const hsp_film_frame *m = &f.frame[k];
        double added[3] = {0, 0, 0};
        if (!m->changed) continue;
        assert_int_equal(m->batch_count, 4);
        for (int64_t t = 0; t < 4; t++) {
            int64_t row = f.keeping.batch[m->batch + t];
            assert_true(row >= 0 && row < 40);
            double x[2], y = f.plane.truth[row] == hsp_model_positive(f.model) ? 1 : -1;
            assert_int_equal(hsp_data_row(data, row, x, NULL), 0);
            if (y * (m->before[0] + m->before[1] * x[0] + m->before[2] * x[1]) >= 1) continue;
            for (int j = 0; j < 3; j++) added[j] += 0.1 / 4 * y * (j ? x[j - 1] : 1);
        }
        for (int j = 0; j < 3; j++) assert_true(fabs(m->g[j] - m->before[j] - added[j]) < 1e-12);
        seen++;
    }
    assert_true(seen >= 8);
    hsp_film_run_clear(&f);
    hsp_data_free(data);
}

/* A batch too large to be seen has no rings, nor have all rows at once. */
static void test_batches_without_rings(void **state) {
    (void)state;
    static const char *const names[] = {"minibatch", "gradient-descent"};
    hsp_data *data = generated("blobs", PAIRS("rows", "2400", "noise", "2"));
    for (int a = 0; a < 2; a++) {
        hsp_film_run f = {.data = data, .o = quick_options(PAIRS("algorithm", names[a], "max-epochs", "2"))};
        if (a == 0) assert_int_equal(hsp_options_set(f.o, "batch", "1001", NULL), 0);
        int64_t full = 0;
        assert_int_equal(hsp_film_run_record(&f, 12, NULL), 0);
        for (int64_t k = 0; k < f.frames; k++) full += f.frame[k].batch_count > 1000 || (a && f.frame[k].batch_count);
        assert_true(full == 0 && f.frames > 2);
        hsp_film_run_clear(&f);
    }
    hsp_data_free(data);
}

/* The scores at the parameters of a frame, computed from the layers as the textbook has them. */
static double forward_pass(const double *theta, int64_t units, const double *x) {
    double g = theta[4 * units]; /* after W_1, b_1 and W_2 */
    for (int64_t k = 0; k < units; k++)
        g += theta[3 * units + k] * tanh(theta[2 * k] * x[0] + theta[2 * k + 1] * x[1] + theta[2 * units + k]);
    return g;
}

/* Mistakes and the mean loss of every frame, and those of the model in the last one. */
static void test_frames_of_a_network(void **state) {
    (void)state;
    hsp_data *data = generated("moons", PAIRS("rows", "60", "noise", "0.2"));
    hsp_film_run f = {.data = data, .o = quick_options(PAIRS("algorithm", "mlp", "hidden", "3", "restarts", "0"))};
    int32_t answer[60];
    int64_t mistakes = 0;
    assert_int_equal(hsp_film_run_record(&f, 12, NULL), 0);
    assert_true(f.network && f.features == 2 && f.d == 13 && f.frames == 12);
    for (int64_t k = 0; k < f.frames; k++) {
        double loss = 0;
        int64_t wrong = 0;
        for (int64_t i = 0; i < 60; i++) {
            double x[2], y = f.plane.truth[i] == hsp_model_positive(f.model) ? 1 : -1;
            assert_int_equal(hsp_data_row(data, i, x, NULL), 0);
            double g = forward_pass(f.keeping.weights + k * (f.d + 1), 3, x);
            wrong += (g > 0) != (y > 0);
            loss += log1p(exp(-y * g)) / 60;
        }
        assert_int_equal(f.frame[k].mistakes, wrong);
        assert_true(fabs(f.frame[k].loss - loss) < 1e-12 * fmax(1, loss));
    }
    assert_int_equal(hsp_model_score(f.model, data, NULL, answer, NULL), 0);
    for (int64_t i = 0; i < 60; i++) mistakes += answer[i] != f.plane.truth[i];
    assert_int_equal(f.frame[f.frames - 1].mistakes, mistakes);
    assert_true(f.frame[f.frames - 1].loss < f.frame[0].loss);
    hsp_film_run_clear(&f);
    hsp_data_free(data);
}

/* A table as the reader makes it, in the folder of the test. */
static hsp_data *table_of(const char *text, const char *const *pairs) {
    hsp_data *data = NULL;
    hsp_options *o = options_of(pairs);
    assert_int_equal(hsp_write_file(in_folder("t.csv"), text, strlen(text), NULL), 0);
    assert_int_equal(hsp_data_read(in_folder("t.csv"), o, NULL, &data, NULL), 0);
    assert_int_equal(sweep(folder), 1);
    hsp_options_free(o);
    return data;
}

/* With the squares and products of two columns the picture is over the columns, and each frame has the weights of the features:
 * a, b, a^2, ab and b^2 in the order of the model. */
static void test_frames_over_columns(void **state) {
    (void)state;
    hsp_data *data = table_of("a,b,y\n0,0,n\n0,1,p\n1,0,p\n1,1,n\n", PAIRS("degree", "2"));
    hsp_film_run f = {.data = data, .o = quick_options(PAIRS("algorithm", "perceptron", "degree", "2"))};
    assert_int_equal(hsp_film_run_record(&f, 200, NULL), 0);
    assert_true(f.curved && !f.network && f.columns == 2 && f.d == 5 && f.n == 4 && f.wrong);
    const double u[] = {0, 0, 1, 1}, v[] = {0, 1, 0, 1};
    double at[4 * 5];
    assert_memory_equal(f.plane.u, u, sizeof u);
    assert_memory_equal(f.plane.v, v, sizeof v);
    const double rows[] = {0, 0, 0, 1, 1, 0, 1, 1};
    assert_int_equal(hsp_model_raw_features(f.model, data, rows, 4, at, NULL), 0);
    for (int64_t k = 0; k < f.frames; k++) {
        const double *w = f.keeping.weights + k * (f.d + 1);
        int64_t wrong = 0;
        for (int64_t i = 0; i < 4; i++) {
            double g = w[5];
            for (int64_t j = 0; j < 5; j++) g += w[j] * at[5 * i + j];
            bool misses = (g > 0) != (f.plane.truth[i] == hsp_model_positive(f.model));
            assert_int_equal(f.wrong[k * 4 + i], misses);
            wrong += misses;
        }
        assert_int_equal(f.frame[k].mistakes, wrong);
        assert_true(k == 0 ? hsp_film_blank(&f.frame[k]) : isnan(f.frame[k].g[1]));
    }
    for (int j = 0; j < 5; j++) assert_true(at[15 + j] == 1 && at[j] == 0); /* all features of (1, 1), of (0, 0) */
    assert_int_equal(f.frame[f.frames - 1].mistakes, 0);
    hsp_film_run_clear(&f);
    hsp_data_free(data);
}

static void test_columns_that_are_not_filmed(void **state) {
    (void)state;
    static const char *const tables[] = {"a,b,c,y\n0,0,1,n\n0,1,2,p\n1,0,1,p\n1,1,0,n\n",
                                         "a,c,y\n0,red,n\n1,blue,p\n2,red,p\n3,blue,n\n"};
    for (int k = 0; k < 4; k++) {
        const char *option = k < 2 ? "degree" : "rff", *value = k < 2 ? "2" : "20";
        hsp_data *data = table_of(tables[k % 2], PAIRS(option, value));
        hsp_options *o = quick_options(PAIRS("algorithm", "perceptron", option, value));
        hsp_error *err = NULL;
        assert_int_equal(hsp_film(data, o, NULL, in_folder("f.apng"), NULL, &err), HSP_EUSAGE);
        assert_true(strstr(hsp_error_message(err), "one or two numeric columns") && sweep(folder) == 0);
        hsp_error_free(err);
        hsp_options_free(o);
        hsp_data_free(data);
    }
    hsp_data *data = table_of("a,b,y\n0,0,n\n0,1,p\n1,0,p\n1,1,n\n", PAIRS("rff", "1100"));
    hsp_options *o = quick_options(PAIRS("algorithm", "perceptron", "rff", "1100"));
    hsp_error *err = NULL;
    assert_int_equal(hsp_film(data, o, NULL, in_folder("f.apng"), NULL, &err), HSP_EUSAGE);
    assert_true(strstr(hsp_error_message(err), "smaller --rff"));
    hsp_error_free(err);
    hsp_options_free(o);
    hsp_data_free(data);
}

static void test_networks_that_are_not_filmed(void **state) {
    (void)state;
    static const char *const wide[] = {"3", "7"};
    for (int k = 0; k < 2; k++) {
        hsp_data *data = generated("blobs", PAIRS("rows", "20", "features", wide[k]));
        hsp_options *o = quick_options(PAIRS("algorithm", "mlp", "hidden", k ? "1" : "4"));
        hsp_error *err = NULL;
        assert_int_equal(hsp_film(data, o, NULL, in_folder("f.apng"), NULL, &err), HSP_EUSAGE);
        assert_true(strstr(hsp_error_message(err), "at most two features") && strstr(hsp_error_message(err), wide[k]));
        assert_int_equal(sweep(folder), 0);
        hsp_error_free(err);
        hsp_options_free(o);
        hsp_data_free(data);
    }
}

/* Only a network has parameters, and is scored with others. */
static void test_scores_with_other_parameters(void **state) {
    (void)state;
    hsp_data *data = generated("squares", PAIRS("rows", "20"));
    static const char *const names[] = {"perceptron", "mlp"};
    for (int k = 0; k < 2; k++) {
        hsp_options *o = options_of(PAIRS("algorithm", names[k]));
        hsp_model *m = NULL;
        double own[20], x[40], again[20];
        int64_t count = -1;
        assert_int_equal(hsp_train(data, o, NULL, &m, NULL, NULL), 0);
        const double *theta = hsp_model_parameters(m, &count);
        assert_true((theta != NULL) == (k == 1) && (count > 0) == (k == 1));
        for (int64_t i = 0; i < 20; i++) assert_int_equal(hsp_data_row(data, i, x + 2 * i, NULL), 0);
        assert_int_equal(hsp_model_score_with(m, k ? theta : x, x, 20, again, NULL), k ? 0 : HSP_EINTERNAL);
        assert_int_equal(hsp_model_score(m, data, own, NULL, NULL), 0);
        if (k) assert_memory_equal(own, again, sizeof own);
        hsp_model_free(m);
        hsp_options_free(o);
    }
    hsp_data_free(data);
}

static void test_words_of_a_frame(void **state) {
    (void)state;
    const int32_t truth[] = {0, 1};
    hsp_film_scene c = {.n = 2, .truth = truth, .positive = 1, .dimensions = 2, .exact = true, .updates = 9};
    hsp_film_frame m = {.updates = 3, .epoch = 1, .row = 0, .g = {1e-17, 0.5, -2}, .changed = true, .mistakes = 1};
    char first[HSP_SENTENCE], second[HSP_SENTENCE];
    m.objective = m.margin = m.step = NAN;
    hsp_film_words(&c, &m, first, second);
    assert_string_equal(first, "update 3 of 9, epoch 1: 1 of 2 rows misclassified");
    assert_string_equal(second, "row 1, y = −1  ·  w = (0.5, −2), b = 0");
    c.rate = "eta";
    m.margin = -0.25;
    m.step = 0.5;
    hsp_film_words(&c, &m, first, second);
    assert_string_equal(second, "row 1, y = −1, y g = −0.25  ·  eta = 0.5  ·  w = (0.5, −2), b = 0");
    m.step = NAN;
    c.exact = false; /* the plane takes the second line */
    hsp_film_words(&c, &m, first, second);
    assert_true(strstr(first, "row 1, y = −1") && second[0] == 0);
    c.exact = true;
    m.row = -1;
    m.batch_count = 4;
    hsp_film_words(&c, &m, first, second);
    assert_string_equal(second, "a batch of 4 rows  ·  w = (0.5, −2), b = 0");
    m.batch_count = 0;
    c.dimensions = 1;
    hsp_film_words(&c, &m, first, second);
    assert_string_equal(second, "w = 0.5, b = 0");
    m.g[1] = INFINITY; /* nothing that is not a number */
    hsp_film_words(&c, &m, first, second);
    assert_string_equal(second, "");
    const hsp_film_curve net = {.columns = 2};
    c.curve = &net;
    m.g[0] = m.g[1] = m.g[2] = NAN;
    m.loss = 0.25;
    hsp_film_words(&c, &m, first, second);
    assert_string_equal(first, "update 3 of 9, epoch 1: 1 of 2 rows misclassified, mean loss 0.25");
    m.loss = NAN;
    hsp_film_words(&c, &m, first, second);
    assert_string_equal(first, "update 3 of 9, epoch 1: 1 of 2 rows misclassified");
}

static void test_extremes(void **state) {
    (void)state;
    static const double sets[][8] = {{1e12, 1, 1e12 + 1, 2, 1e12 + 5, -3, 1e12 + 7, -4},
                                     {1, 1, 1, 1, 1, 1, 1, 1},
                                     {1e150, 1e-150, -1e150, 1e-150, 2e150, 0, -2e150, 0},
                                     {0, 0, 0, 0, 0, 0, 0, 1}};
    const char *const labels[] = {"a very long name of a class that no key has room for, in any size", "長い", "長い",
                                  "a very long name of a class that no key has room for, in any size"};
    const char *const names[] = {"Температура воды в глубине океана при низком давлении и высокой солёности", "\t"};
    for (int k = 0; k < 4; k++) {
        hsp_data *data = NULL;
        assert_int_equal(hsp_data_from_dense(sets[k], 4, 2, 2, labels, names, &data, NULL), 0);
        hsp_options *o =
            quick_options(PAIRS("algorithm", "perceptron", "frames", "4", "max-epochs", "9", "size", "960x640"));
        hsp_error *err = NULL;
        int code = hsp_film(data, o, NULL, in_folder("f.apng"), NULL, &err);
        assert_true((code == 0) == (err == NULL) && sweep(folder) == (code == 0));
        if (k < 2) assert_int_equal(code, 0);
        hsp_error_free(err);
        hsp_options_free(o);
        hsp_data_free(data);
    }
}

/* One allocation fails and those after it do not: the whole film or none. */
static void try_with_a_failure(const hsp_data *data, const hsp_options *o) {
    static const char *const files[] = {"f.apng", "f.gif"}, *const whole[] = {"whole.apng", "whole.gif"};
    for (int f = 0; f < 2; f++) {
        if (hsp_film(data, o, NULL, in_folder(whole[f]), NULL, NULL) != HSP_OK) continue; /* built without */
        bool reached = false;
        for (int64_t calls = 0; !reached && calls < 10000; calls++) {
            allowed = calls;
            refused_once = true;
            int code = hsp_film(data, o, NULL, in_folder(files[f]), NULL, NULL);
            reached = allowed > 0;
            allowed = -1;
            refused_once = false;
            assert_true(code == HSP_OK || code == HSP_EMEMORY);
            assert_int_equal(access(in_folder(files[f]), F_OK) == 0, code == HSP_OK);
            size_t n = 0, m = 0;
            char *one = code ? NULL : contents(in_folder(files[f]), &n), *two = contents(in_folder(whole[f]), &m);
            if (one) {
                assert_int_equal(n, m);
                assert_memory_equal(one, two, n);
                unlink(in_folder(files[f]));
            }
            free(one);
            free(two);
        }
        assert_true(reached);
    }
    sweep(folder);
}

static void try_with_little_memory(const hsp_data *data, const hsp_options *o) {
    static const char *const files[] = {"f.apng", "f.gif", "frames"};
    for (int f = 0; f < 3; f++) {
        int code = HSP_EMEMORY;
        for (int64_t calls = 0; code == HSP_EMEMORY && calls < 10000; calls++) {
            hsp_report *report = NULL;
            hsp_error *err = NULL;
            allowed = calls;
            code = hsp_film(data, o, NULL, in_folder(files[f]), &report, &err);
            allowed = -1;
            assert_true((code == 0) == (report != NULL));
            if (f < 2 && code) assert_int_equal(sweep(folder), report ? 1 : 0);
            hsp_report_free(report);
            hsp_error_free(err);
        }
        assert_true(code == HSP_OK || (f == 1 && code == HSP_EUSAGE));
        sweep(folder);
    }
}

static void test_short_of_memory(void **state) {
    (void)state;
    hsp_data *sets[] = {generated("blobs", PAIRS("rows", "20", "noise", "2", "features", "3")),
                        generated("blobs", PAIRS("rows", "20", "noise", "2")),
                        generated("blobs", PAIRS("rows", "20", "noise", "2"))};
    hsp_options *o[] = {quick_options(PAIRS("algorithm", "perceptron", "frames", "3", "max-epochs", "3")),
                        quick_options(PAIRS("algorithm", "mlp", "hidden", "2", "frames", "3", "max-epochs", "3")),
                        quick_options(PAIRS("algorithm", "minibatch", "batch", "5", "frames", "3", "max-epochs", "3"))};
    for (int k = 0; k < 3; k++) {
        try_with_little_memory(sets[k], o[k]);
        try_with_a_failure(sets[k], o[k]);
        hsp_options_free(o[k]);
        hsp_data_free(sets[k]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_algorithm_in_every_kind_of_file),
                                       cmocka_unit_test(test_frames),
                                       cmocka_unit_test(test_the_same_film_twice),
                                       cmocka_unit_test(test_what_is_refused),
                                       cmocka_unit_test(test_data_that_cannot_be_filmed),
                                       cmocka_unit_test(test_a_stop_leaves_nothing),
                                       cmocka_unit_test(test_a_cancelled_film),
                                       cmocka_unit_test(test_a_part_of_a_table),
                                       cmocka_unit_test(test_frames_know_the_weights_before),
                                       cmocka_unit_test(test_frames_know_their_batch),
                                       cmocka_unit_test(test_batches_without_rings),
                                       cmocka_unit_test(test_frames_of_a_network),
                                       cmocka_unit_test(test_frames_over_columns),
                                       cmocka_unit_test(test_columns_that_are_not_filmed),
                                       cmocka_unit_test(test_networks_that_are_not_filmed),
                                       cmocka_unit_test(test_scores_with_other_parameters),
                                       cmocka_unit_test(test_words_of_a_frame),
                                       cmocka_unit_test(test_extremes),
                                       cmocka_unit_test(test_short_of_memory)};
    return cmocka_run_group_tests(tests, make_folder, sweep_folder);
}
