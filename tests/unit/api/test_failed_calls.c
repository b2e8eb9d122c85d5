/* Every family of public functions with one allocation failing: HSP_EMEMORY, a message and no output, or the same result as
 * without the failure. A sample of the allocations; all with HSP_CHECK_FULL=1. */
#include "array_views.h"
#include "model/handmade.h"
#include "predict/own_paths.h"
#include "report_json.h"
#include "trained.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { SAMPLE = 30 }; /* failures of a job */

/* What the jobs work on, made without failures. */
typedef struct scene {
    hsp_data *data[6];
    hsp_model *model[6];
    hsp_report *proof;
} scene;
enum { TWO, APART, THREE, NUMBER, SPARSE, TABLE };

static scene at;

/* A call that is tried: its options from `pairs`, its data and model by number. The result is appended as text, less times;
 * what is to be freed is freed. */
typedef struct job {
    const char *name;
    int (*run)(const struct job *j, const hsp_options *o, char **text, hsp_error **err);
    int data;
    const char *pairs[11];
} job;

static int64_t made = -1; /* calls of the job; -1: it goes on */

/* No more failures: what is asked of a result is no part of the job. */
static void end_failures(void) {
    if (made < 0) made = hsp_memory_calls();
    hsp_memory_fail_once(-1);
}

/* ---- jobs ---- */

static char *copy_of(const char *s) {
    end_failures();
    return hsp_strdup(s);
}

static char *model_text(hsp_model *m) {
    hsp_report *report = NULL;
    end_failures();
    if (!m) return hsp_strdup("no model");
    assert_int_equal(hsp_model_report(m, &report, NULL), 0);
    hsp_model_free(m);
    return take_json(report);
}

static char *data_text(hsp_data *data) {
    hsp_report *report = NULL;
    end_failures();
    assert_int_equal(hsp_data_report(data, &report, NULL), 0);
    hsp_data_free(data);
    return take_json(report);
}

/* What a call with this status gave, as text; to write it is a part of the job. */
static int report_text(int status, hsp_report *report, char **text, hsp_error **err) {
    assert_true((status == 0) == (report != NULL));
    if (!status) status = hsp_report_json(report, text, err);
    hsp_report_free(report);
    return status;
}

static int train_data(const job *j, const hsp_options *o, char **text, hsp_error **err) {
    hsp_model *m = NULL;
    hsp_report *report = NULL;
    int status = hsp_train(at.data[j->data], o, NULL, &m, &report, err);
    assert_true(status == 0 ? report != NULL : !m && !report);
    if (!status) *text = model_text(m);
    hsp_report_free(report);
    return status;
}

static int predict_file(const job *j, const hsp_options *o, char **text, hsp_error **err) {
    hsp_report *report = NULL;
    int status = hsp_predict(at.model[j->data], in_path, out_path, o, NULL, &report, err);
    assert_int_equal(access(out_path, F_OK) == 0, status == 0);
    unlink(out_path);
    return report_text(status, report, text, err);
}

static int evaluate(const job *j, const hsp_options *o, char **text, hsp_error **err) {
    hsp_report *report = NULL;
    int status = hsp_evaluate(at.model[j->data], at.data[j->data], o, NULL, &report, err);
    return report_text(status, report, text, err);
}

static int verify(const job *j, const hsp_options *o, char **text, hsp_error **err) {
    hsp_report *report = NULL;
    int status = hsp_verify(at.model[j->data], at.data[j->data], NULL, o, NULL, &report, err);
    return report_text(status, report, text, err);
}

static int verify_proof(const job *j, const hsp_options *o, char **text, hsp_error **err) {
    hsp_report *report = NULL;
    int status = hsp_verify_separability(at.proof, at.data[j->data], o, &report, err);
    return report_text(status, report, text, err);
}

static int certificate(const job *j, const hsp_options *o, char **text, hsp_error **err) {
    int status = hsp_certificate_write(at.model[j->data], at.data[j->data], out_path, err);
    hsp_report *report = NULL;
    if (!status) status = hsp_verify(at.model[j->data], at.data[j->data], out_path, o, NULL, &report, err);
    unlink(out_path);
    return report_text(status, report, text, err);
}

static int separability(const job *j, const hsp_options *o, char **text, hsp_error **err) {
    hsp_report *report = NULL;
    int status = hsp_separability(at.data[j->data], o, NULL, &report, err);
    return report_text(status, report, text, err);
}

static int inspect(const job *j, const hsp_options *o, char **text, hsp_error **err) {
    hsp_report *report = NULL;
    int status = hsp_inspect(at.data[j->data], o, NULL, &report, err);
    return report_text(status, report, text, err);
}

static int study(const job *j, const hsp_options *o, char **text, hsp_error **err) {
    hsp_report *report = NULL;
    int status = hsp_study_run(j->name, at.model[j->data], at.data[j->data], o, NULL, &report, err);
    return report_text(status, report, text, err);
}

static int cross_validate(const job *j, const hsp_options *o, char **text, hsp_error **err) {
    hsp_report *report = NULL;
    hsp_model *model = NULL;
    int status = hsp_cross_validate(at.data[j->data], o, NULL, &model, &report, err);
    assert_true((status == 0) == (model != NULL));
    hsp_model_free(model);
    return report_text(status, report, text, err);
}

static int compare(const job *j, const hsp_options *o, char **text, hsp_error **err) {
    hsp_report *report = NULL;
    hsp_model *model = NULL;
    int status = hsp_compare(at.data[j->data], o, NULL, &model, &report, err);
    assert_true((status == 0) == (model != NULL));
    hsp_model_free(model);
    return report_text(status, report, text, err);
}

static int read_file(const job *j, const hsp_options *o, char **text, hsp_error **err) {
    hsp_data *data = NULL;
    int status = j->data < 0 ? hsp_data_read(in_path, o, NULL, &data, err)
                             : hsp_data_read_for(at.model[j->data], in_path, o, NULL, &data, err);
    assert_true((status == 0) == (data != NULL));
    if (!status) *text = data_text(data);
    return status;
}

static int read_and_train(const job *j, const hsp_options *o, char **text, hsp_error **err) {
    (void)j;
    hsp_data *data = NULL;
    hsp_model *m = NULL;
    int status = hsp_data_read(in_path, o, NULL, &data, err);
    if (!status) status = hsp_train(data, o, NULL, &m, NULL, err);
    assert_true((status == 0) == (m != NULL));
    hsp_data_free(data);
    if (!status) *text = model_text(m);
    return status;
}

static int write_data(const job *j, const hsp_options *o, char **text, hsp_error **err) {
    int status = hsp_data_write(at.data[j->data], out_path, o, err);
    assert_int_equal(access(out_path, F_OK) == 0, status == 0);
    unlink(out_path);
    if (!status) *text = copy_of("written");
    return status;
}

static int split(const job *j, const hsp_options *o, char **text, hsp_error **err) {
    hsp_data *a = NULL, *b = NULL;
    int status = hsp_data_split(at.data[j->data], o, &a, &b, err);
    assert_true((status == 0) == (a != NULL) && (status == 0) == (b != NULL));
    if (!status) *text = data_text(a);
    hsp_data_free(b);
    return status;
}

static int generate(const job *j, const hsp_options *o, char **text, hsp_error **err) {
    hsp_data *data = NULL;
    int status = hsp_data_generate(j->name, o, &data, err);
    assert_true((status == 0) == (data != NULL));
    if (!status) *text = data_text(data);
    return status;
}

static int from_arrays(const job *j, const hsp_options *o, char **text, hsp_error **err) {
    static const double x[] = {1, 2, 3.5, 4, 5, 6}, weights[] = {1, 2, .5};
    static const char *const labels[] = {"a", "b", "a"};
    static const int64_t row[] = {0, 2, 3, 6}, column[] = {0, 4, 2, 1, 3, 1};
    (void)o;
    hsp_data *data = NULL;
    int status = j->data ? hsp_data_from_csr(row, column, x, 3, 5, labels, &data, err)
                         : hsp_data_from_dense(x, 3, 2, 2, labels, NULL, &data, err);
    assert_true((status == 0) == (data != NULL));
    if (!status) status = hsp_data_set_weights(data, weights, err);
    if (!status) status = hsp_data_set_targets(data, weights, err);
    if (!status)
        *text = data_text(data);
    else
        hsp_data_free(data);
    return status;
}

static void count_release(void *user) {
    ++*(int *)user;
}

/* Views: dense in place, dense copied, CSR in place, CSR merged, CSC. The memory is released exactly once in any case. */
static int over_arrays(const job *j, const hsp_options *o, char **text, hsp_error **err) {
    static const double x[] = {1, 2, 3.5, 4, 5, 6};
    static const char *const names[] = {"u", "v"}, *const classes[] = {"b", "a"};
    static const int64_t row[] = {0, 2, 3, 6}, ascending[] = {0, 4, 2, 0, 1, 3}, mixed[] = {0, 1, 1, 1, 0, 1};
    static const int8_t code[] = {0, 1, 0};
    (void)o;
    hsp_data *data = NULL;
    int released = 0, status;
    const hsp_array dense = {.size = sizeof dense,
                             .data = x,
                             .dtype = HSP_FLOAT64,
                             .ndim = 2,
                             .shape = {3, 2},
                             .strides = {j->data ? 0 : 8, 24 - 16 * (j->data != 0)}};
    const hsp_array codes = vector_of(code, HSP_INT8, 3), begin = vector_of(row, HSP_INT64, 4),
                    index = vector_of(j->data == 2 ? ascending : mixed, HSP_INT64, 6), value = vector_of(x, HSP_FLOAT64, 6);
    if (j->data < 2)
        status = hsp_data_view_dense(&dense, names, count_release, &released, &data, err);
    else if (j->data < 4)
        status = hsp_data_view_csr(&begin, &index, &value, 5, NULL, count_release, &released, &data, err);
    else
        status = hsp_data_view_csc(&begin, &index, &value, 3, NULL, count_release, &released, &data, err);
    assert_true((status == 0) == (data != NULL));
    assert_int_equal(released, status != 0 || (j->data != 0 && j->data != 2));
    if (!status) status = hsp_data_set_labels(data, &codes, classes, 2, err);
    if (!status)
        status = hsp_data_set_weights_array(data, &(hsp_array){sizeof codes, x, HSP_FLOAT64, 1, {3, 1}, {16, 0}}, err);
    if (!status)
        *text = data_text(data);
    else
        hsp_data_free(data);
    assert_int_equal(released, 1);
    return status;
}

static int data_report(const job *j, const hsp_options *o, char **text, hsp_error **err) {
    (void)o;
    hsp_report *report = NULL;
    int status = hsp_data_report(at.data[j->data], &report, err);
    return report_text(status, report, text, err);
}

static int list_table(const job *j, const hsp_options *o, char **text, hsp_error **err) {
    (void)o;
    hsp_report *report = NULL;
    int status = hsp_list(j->name, &report, err);
    return report_text(status, report, text, err);
}

static int set_options(const job *j, const hsp_options *unused, char **text, hsp_error **err) {
    (void)j, (void)unused;
    hsp_options *o = NULL;
    int status = hsp_options_new(&o, err);
    assert_true((status == 0) == (o != NULL));
    if (!status) status = hsp_options_set(o, "algorithm", "svm", err);
    if (!status) status = hsp_options_set_double(o, "C", 2.5, err);
    if (!status) status = hsp_options_set_int(o, "max-epochs", 7, err);
    if (!status) *text = copy_of(hsp_options_get(o, "C"));
    hsp_options_free(o);
    return status;
}

static int save_and_load(const job *j, const hsp_options *o, char **text, hsp_error **err) {
    (void)o;
    hsp_model *m = NULL;
    int status = hsp_model_save(at.model[j->data], out_path, err);
    assert_int_equal(access(out_path, F_OK) == 0, status == 0);
    if (!status) status = hsp_model_load(out_path, &m, err);
    assert_true((status == 0) == (m != NULL));
    if (!status) *text = model_text(m);
    unlink(out_path);
    return status;
}

static int through_memory(const job *j, const hsp_options *o, char **text, hsp_error **err) {
    (void)o;
    void *bytes = NULL;
    size_t size = 0;
    hsp_model *m = NULL;
    int status = hsp_model_save_memory(at.model[j->data], &bytes, &size, err);
    assert_true((status == 0) == (bytes != NULL));
    if (!status) status = hsp_model_load_memory(bytes, size, &m, err);
    assert_true((status == 0) == (m != NULL));
    if (!status) *text = model_text(m);
    hsp_free(bytes);
    return status;
}

static int model_report(const job *j, const hsp_options *o, char **text, hsp_error **err) {
    (void)o;
    hsp_report *report = NULL;
    int status = hsp_model_report(at.model[j->data], &report, err);
    return report_text(status, report, text, err);
}

static int moments(const job *j, const hsp_options *o, char **text, hsp_error **err) {
    (void)o;
    hsp_report *report = NULL;
    int status = hsp_model_moments(at.model[j->data], &report, err);
    return report_text(status, report, text, err);
}

static int score(const job *j, const hsp_options *o, char **text, hsp_error **err) {
    (void)o;
    int64_t n = hsp_data_rows(at.data[j->data]);
    double scores[400];
    int32_t classes[400];
    assert_true(n * hsp_model_outputs(at.model[j->data]) <= 400);
    int status = hsp_model_score(at.model[j->data], at.data[j->data], scores, classes, err);
    if (!status) *text = copy_of("scored");
    return status;
}

static int apply(const job *j, const hsp_options *o, char **text, hsp_error **err) {
    static double memory[4000];
    const hsp_model *m = at.model[j->data];
    int64_t n = hsp_data_rows(at.data[j->data]);
    int64_t columns = strcmp(j->name, "scores") == 0     ? hsp_model_outputs(m)
                      : strcmp(j->name, "features") == 0 ? hsp_model_features(m)
                                                         : hsp_model_classes(m);
    hsp_array a = {sizeof a, memory, HSP_FLOAT64, 2, {n, columns}, {columns * 8, 8}};
    assert_true(n * columns <= 4000);
    int status = hsp_model_apply(m, at.data[j->data], j->name, o, NULL, &a, err);
    if (!status) *text = copy_of("applied");
    return status;
}

#define TRAIN(data, ...)             \
    {                                \
        "train", train_data, data, { \
            __VA_ARGS__              \
        }                            \
    }
static const job jobs[] = {
    TRAIN(TWO, "algorithm", "nearest-mean"),
    TRAIN(TWO, "algorithm", "fisher"),
    TRAIN(THREE, "algorithm", "lda"),
    TRAIN(TWO, "algorithm", "least-squares"),
    TRAIN(THREE, "algorithm", "ridge", "lambda", "auto"),
    TRAIN(NUMBER, "algorithm", "ridge"),
    TRAIN(APART, "algorithm", "perceptron"),
    TRAIN(TWO, "algorithm", "sgd", "loss", "logistic", "max-epochs", "5"),
    TRAIN(TWO, "algorithm", "gradient-descent", "max-epochs", "5"),
    TRAIN(TWO, "algorithm", "logistic", "solver", "newton"),
    TRAIN(TWO, "algorithm", "logistic", "solver", "dual"),
    TRAIN(THREE, "algorithm", "logistic", "multiclass", "softmax"),
    TRAIN(THREE, "algorithm", "logistic", "multiclass", "ovr"),
    TRAIN(SPARSE, "algorithm", "logistic", "penalty", "l1"),
    TRAIN(APART, "algorithm", "logistic", "penalty", "none"),
    TRAIN(TWO, "algorithm", "svm", "loss", "squared-hinge"),
    TRAIN(THREE, "algorithm", "svm"),
    TRAIN(SPARSE, "algorithm", "svm", "solver", "dual"),
    TRAIN(APART, "algorithm", "hard-svm"),
    TRAIN(TWO, "algorithm", "hard-svm"),
    TRAIN(TABLE, NULL),
    {"read and train",
     read_and_train,
     -1,
     {"format", "csv", "missing", "mean", "cross", "city:open", "hash-bits", "6", "text", "note"}},
    {"read and train", read_and_train, -1, {"format", "csv", "missing", "median", "rff", "8"}},
    {"read", read_file, -1, {"format", "csv"}},
    {"read for", read_file, TABLE, {"format", "csv"}},
    {"predict", predict_file, TABLE, {"format", "csv", "scores", "yes", "proba", "yes"}},
    {"evaluate", evaluate, TWO, {NULL}},
    {"evaluate", evaluate, THREE, {NULL}},
    {"evaluate", evaluate, NUMBER, {NULL}},
    {"evaluate", evaluate, TABLE, {NULL}},
    {"verify", verify, TWO, {NULL}},
    {"verify", verify, APART, {NULL}},
    {"verify", verify, THREE, {NULL}},
    {"verify", verify, NUMBER, {NULL}},
    {"verify", verify, TABLE, {NULL}},
    {"certificate", certificate, TWO, {NULL}},
    {"separability", separability, TWO, {NULL}},
    {"separability", separability, THREE, {NULL}},
    {"verify proof", verify_proof, APART, {NULL}},
    {"inspect", inspect, TABLE, {NULL}},
    {"inspect", inspect, TWO, {NULL}},
    {"inspect", inspect, SPARSE, {NULL}},
    {"cross-validate", cross_validate, TWO, {"folds", "3", "grid", "C=.1,1;scale=none,standard"}},
    {"cross-validate", cross_validate, NUMBER, {"folds", "loo", "algorithm", "ridge"}},
    {"cross-validate", cross_validate, TABLE, {"folds", "2", "nested", "2", "grid", "C=.1,1"}},
    {"compare", compare, TWO, {"folds", "2", "only", "majority,lda,logistic"}},
    {"compare", compare, NUMBER, {"folds", "2", "only", "majority,elastic-net,ridge"}},
    {"compare", compare, TABLE, {"folds", "2", "only", "nearest-mean,fisher", "metric", "mcc"}},
    {"roc", study, TWO, {NULL}},
    {"confusion", study, THREE, {NULL}},
    {"calibration", study, THREE, {NULL}},
    {"plane", study, TWO, {NULL}},
    {"losses", study, TWO, {NULL}},
    {"path", study, TWO, {"lambdas", ".1,1"}},
    {"lambda", study, TWO, {"lambdas", ".1,1"}},
    {"bias-variance", study, TWO, {"lambdas", ".1,1", "bootstraps", "2"}},
    {"learning-curve", study, TWO, {"repeats", "2"}},
    {"write", write_data, TWO, {"to-format", "csv"}},
    {"write", write_data, SPARSE, {"to-format", "svmlight"}},
    {"write", write_data, TABLE, {"to-format", "csv"}},
    {"split", split, TWO, {"stratify", "yes"}},
    {"split", split, TABLE, {NULL}},
    {"blobs", generate, 0, {"rows", "30"}},
    {"sparse", generate, 0, {"rows", "30"}},
    {"dense arrays", from_arrays, 0, {NULL}},
    {"sparse arrays", from_arrays, 1, {NULL}},
    {"dense view", over_arrays, 0, {NULL}},
    {"dense view", over_arrays, 1, {NULL}},
    {"CSR view", over_arrays, 2, {NULL}},
    {"CSR view", over_arrays, 3, {NULL}},
    {"CSC view", over_arrays, 4, {NULL}},
    {"data report", data_report, TABLE, {NULL}},
    {"algorithms", list_table, 0, {NULL}},
    {"options", list_table, 0, {NULL}},
    {"set options", set_options, 0, {NULL}},
    {"save and load", save_and_load, TABLE, {NULL}},
    {"save and load", save_and_load, THREE, {NULL}},
    {"through memory", through_memory, APART, {NULL}},
    {"model report", model_report, TABLE, {NULL}},
    {"moments", moments, NUMBER, {NULL}},
    {"score", score, THREE, {NULL}},
    {"scores", apply, THREE, {NULL}},
    {"probabilities", apply, THREE, {NULL}},
    {"features", apply, TABLE, {NULL}},
};

/* ---- the sweep ---- */

/* Times, and checksums over them, are of no matter. */
static void cut_times(char *text) {
    static const char *const keys[] = {"seconds\":", "checksum\":", "\"memory\":"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        for (char *s = text; s && (s = strstr(s, keys[k])) != NULL;) {
            s += strlen(keys[k]);
            size_t n = *s == '{' ? strcspn(s, "}") : strcspn(s, ",}");
            memmove(s, s + n, strlen(s + n) + 1);
        }
}

/* Fails call `call`; negative: none. */
static int attempt(const job *j, const hsp_options *o, int64_t call, char **text) {
    hsp_error *err = NULL;
    *text = NULL;
    made = -1;
    hsp_memory_fail_once(call < 0 ? INT64_MAX : call);
    int status = j->run(j, o, text, &err);
    end_failures();
    const char *message = err ? hsp_error_message(err) : "no message";
    bool whole =
        (status == 0) == (err == NULL) && (status == 0) == (*text != NULL) && (!err || hsp_error_code(err) == status);
    if (!whole || (status && (call < 0 || status != HSP_EMEMORY)))
        print_error("%s, data %d, call %lld: status %d, %s\n", j->name, j->data, (long long)call, status, message);
    if (!whole) status = HSP_EUSAGE;
    hsp_error_free(err);
    cut_times(*text);
    return status;
}

/* The number of calls after whose failure something else came out. */
static int64_t sweep(const job *j) {
    char *right, *text;
    hsp_options *o = options_of(j->pairs);
    assert_non_null(o);
    assert_int_equal(hsp_options_set(o, "threads", "1", NULL), 0);
    assert_int_equal(attempt(j, o, -1, &right), 0);
    hsp_free(right);
    assert_int_equal(attempt(j, o, -1, &right), 0); /* what is made once in a process was made by the first */
    int64_t calls = made, bad = 0, step = getenv("HSP_CHECK_FULL") ? 1 : calls / SAMPLE + 1;
    for (int64_t call = (j - jobs) % step; call < calls; call += step) {
        int status = attempt(j, o, call, &text);
        if (status != HSP_EMEMORY && (status || strcmp(text, right) != 0)) {
            print_error("%s, data %d, %s %s: call %lld of %lld gives status %d%s\n", j->name, j->data,
                        j->pairs[0] ? j->pairs[1] : "", j->pairs[0] && j->pairs[2] ? j->pairs[3] : "", (long long)call,
                        (long long)calls, status, text ? " and another result" : "");
            bad++;
        }
        hsp_free(text);
    }
    hsp_free(right);
    hsp_options_free(o);
    return bad;
}

static void test_all(void **state) {
    (void)state;
    int64_t bad = 0;
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) bad += sweep(&jobs[i]);
    assert_int_equal(bad, 0);
}

/* ---- the scene ---- */

static hsp_data *make_data(const char *kind, const char *const *pairs) {
    hsp_options *o = options_of(pairs);
    hsp_data *data = NULL;
    assert_int_equal(hsp_data_generate(kind, o, &data, NULL), 0);
    hsp_options_free(o);
    return data;
}

static hsp_model *model_of(int data, const char *const *pairs) {
    trained t = train(at.data[data], pairs);
    if (t.status) fail_msg("data %d: %s", data, hsp_error_message(t.error));
    hsp_report_free(t.report);
    return t.model;
}

static int open_scene(void **state) {
    static const char table[] = "city,when,size,note,open,label\n"
                                "Rome,2021-03-04,1.5,a fine day,yes,a\nOslo,2021-03-05,,cold and dark,no,b\n"
                                "Rome,2021-04-04,2.5,a warm day,yes,a\nBonn,2021-05-14,0.5,grey,no,b\n"
                                ",2021-06-01,3.25,fine and warm,yes,a\nOslo,2021-07-30,-1,dark,no,b\n"
                                "Bonn,2021-08-02,2,warm,yes,a\nOslo,2021-09-09,-2.5,cold grey day,no,b\n";
    if (make_folder(state)) return -1;
    setenv("SOURCE_DATE_EPOCH", "0", 1);
    assert_int_equal(hsp_write_file(in_path, table, sizeof table - 1, NULL), 0);
    at.data[TWO] = make_data("blobs", (const char *const[]){"rows", "40", "features", "3", "noise", "3", NULL});
    at.data[APART] = make_data("blobs", (const char *const[]){"rows", "40", "features", "3", "noise", ".1", NULL});
    at.data[THREE] = make_data("blobs", (const char *const[]){"rows", "45", "classes", "3", "noise", "3", NULL});
    at.data[NUMBER] = make_data("linear", (const char *const[]){"rows", "30", "features", "3", NULL});
    at.data[SPARSE] = make_data("sparse", (const char *const[]){"rows", "50", "features", "60", NULL});
    hsp_options *csv = options_of((const char *const[]){"format", "csv", "missing", "indicator", "text", "note", NULL});
    assert_int_equal(hsp_data_read(in_path, csv, NULL, &at.data[TABLE], NULL), 0);
    hsp_options_free(csv);
    at.model[TWO] = model_of(TWO, (const char *const[]){"algorithm", "svm", NULL});
    at.model[APART] = model_of(APART, (const char *const[]){"algorithm", "hard-svm", NULL});
    at.model[THREE] = model_of(THREE, (const char *const[]){"algorithm", "logistic", NULL});
    at.model[NUMBER] = model_of(NUMBER, (const char *const[]){"algorithm", "ridge", NULL});
    at.model[SPARSE] = model_of(SPARSE, (const char *const[]){"algorithm", "logistic", NULL});
    at.model[TABLE] = model_of(TABLE, NULL);
    return hsp_separability(at.data[APART], NULL, NULL, &at.proof, NULL);
}

static int close_scene(void **state) {
    for (int i = 0; i < 6; i++) {
        hsp_data_free(at.data[i]);
        hsp_model_free(at.model[i]);
    }
    hsp_report_free(at.proof);
    return drop_folder(state);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all)};
    return cmocka_run_group_tests(tests, open_scene, close_scene);
}
