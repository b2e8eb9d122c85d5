/* Partial fits: passes over consecutive blocks have the bits of one epoch over all rows, through files too; the counters go
 * on; classes without rows; what is refused. */
#include "model/handmade.h"
#include "trained.h"

#include <math.h>

enum { ROWS = 240, BLOCKS = 6, BLOCK = ROWS / BLOCKS };

static trained update(const hsp_data *data, const hsp_model *start, const hsp_hooks *hooks, const char *const *pairs) {
    trained t = {0};
    hsp_options *o = options_of(pairs);
    assert_non_null(o);
    t.status = hsp_train_from(data, o, hooks, HSP_JOB_UPDATE, start, &t.model, &t.report, &t.error);
    assert_true((t.status == 0) == (t.model != NULL) && (t.status == 0) == (t.error == NULL));
    hsp_options_free(o);
    return t;
}

static hsp_data *rows_from(const hsp_data *data, int64_t first, int64_t count) {
    int64_t rows[ROWS];
    hsp_data *part = NULL;
    for (int64_t i = 0; i < count; i++) rows[i] = first + i;
    assert_int_equal(hsp_data_take(data, rows, count, &part, NULL), 0);
    return part;
}

static hsp_data *blobs(const char *classes) {
    hsp_data *data = generated("blobs", PAIRS("rows", "240", "classes", classes, "noise", "2", "features", "5"));
    assert_non_null(data);
    return data;
}

static void assert_same_weights(const hsp_model *a, const hsp_model *b) {
    size_t count = (size_t)(a->outputs * a->prepare.schema.d);
    assert_int_equal(a->outputs, b->outputs);
    assert_memory_equal(a->w, b->w, count * sizeof *a->w);
    assert_memory_equal(a->b, b->b, (size_t)a->outputs * sizeof *a->b);
}

static hsp_model *reloaded(hsp_model *m) {
    void *bytes = NULL;
    size_t size = 0;
    hsp_model *copy = NULL;
    assert_int_equal(hsp_model_save_memory(m, &bytes, &size, NULL), 0);
    assert_int_equal(hsp_model_load_memory(bytes, size, &copy, NULL), 0);
    hsp_free(bytes);
    hsp_model_free(m);
    return copy;
}

/* All blocks one after the other; through a file in between, if asked. */
static trained in_blocks(const hsp_data *data, int64_t block, bool through_file, const char *const *pairs) {
    trained t = {0};
    for (int64_t first = 0; first < hsp_data_rows(data); first += block) {
        hsp_data *part = rows_from(data, first, block);
        trained next = update(part, t.model, NULL, pairs);
        if (next.status) fail_msg("%s", hsp_error_message(next.error));
        if (through_file) next.model = reloaded(next.model);
        trained_free(&t);
        t = next;
        hsp_data_free(part);
    }
    return t;
}

typedef struct rule {
    const char *update[13];
} rule;

/* Without a penalty, or the shrinking would be rounded at other places. */
static const rule rules[] = {
    {{"algorithm", "perceptron", "order", "cyclic"}},
    {{"algorithm", "perceptron", "order", "cyclic", "intercept", "none", "learning-rate", "0.3"}},
    {{"algorithm", "sgd", "order", "cyclic", "learning-rate", "0.01", "schedule", "constant"}},
    {{"algorithm", "sgd", "order", "cyclic", "learning-rate", "0.1", "schedule", "decay", "decay", "0.02"}},
    {{"algorithm", "sgd", "order", "cyclic", "learning-rate", "0.1", "schedule", "harmonic", "loss", "logistic"}},
    {{"algorithm", "minibatch", "order", "cyclic", "learning-rate", "0.05", "schedule", "harmonic", "batch", "8"}},
};

static void blocks_are_an_epoch(void **unused) {
    (void)unused;
    static const char *const classes[] = {"2", "3"};
    for (int c = 0; c < 2; c++) {
        hsp_data *data = blobs(classes[c]);
        for (size_t r = 0; r < sizeof rules / sizeof *rules; r++) {
            const char *whole[18] = {"max-epochs", "1", "keep", "last"};
            memcpy(whole + 4, rules[r].update, sizeof rules[r].update);
            trained epoch = train(data, whole), blocks = in_blocks(data, BLOCK, false, rules[r].update);
            trained files = in_blocks(data, BLOCK, true, rules[r].update);
            assert_int_equal(epoch.status, 0);
            assert_same_weights(epoch.model, blocks.model);
            assert_same_weights(epoch.model, files.model);
            if (strcmp(rules[r].update[1], "minibatch") != 0) {
                trained single = in_blocks(data, 1, false, rules[r].update);
                assert_same_weights(epoch.model, single.model);
                trained_free(&single);
            }
            trained_free(&epoch);
            trained_free(&blocks);
            trained_free(&files);
        }
        hsp_data_free(data);
    }
}

/* With a penalty they are equal up to rounding. */
static void penalties_shrink_as_in_an_epoch(void **unused) {
    (void)unused;
    hsp_data *data = blobs("3");
    const char *const pairs[] = {"algorithm", "sgd", "order", "cyclic", "lambda", "0.01", "penalty", "l2", "schedule",
                                 "pegasos",   NULL};
    const char *whole[15] = {"max-epochs", "1", "keep", "last"};
    memcpy(whole + 4, pairs, sizeof pairs);
    trained epoch = train(data, whole), blocks = in_blocks(data, BLOCK, true, pairs);
    assert_int_equal(epoch.status, 0);
    for (int64_t j = 0; j < 15; j++)
        assert_true(fabs(epoch.model->w[j] - blocks.model->w[j]) <= 1e-12 * (1 + fabs(epoch.model->w[j])));
    trained_free(&epoch);
    trained_free(&blocks);
    hsp_data_free(data);
}

/* One feature, so that nothing is summed in another order: w -= eta_k c_i loss'(y, g) x. */
static void a_textbook_loop_has_the_same_bits(void **unused) {
    (void)unused;
    double x[ROWS], c[ROWS], w = 0, b = 0;
    const char *labels[ROWS];
    int64_t k = 0;
    for (int i = 0; i < ROWS; i++) {
        x[i] = (double)(i * 37 % 101) / 16 - 3;
        c[i] = 0.5 + i % 3;
        labels[i] = i * 37 % 101 + i % 11 > 55 ? "b" : "a";
    }
    hsp_data *data = handmade_data(x, ROWS, 1, labels, NULL);
    assert_int_equal(hsp_data_set_weights(data, c, NULL), 0);
    for (int i = 0; i < ROWS; i++) {
        double y = labels[i][0] == 'b' ? 1 : -1;
        if (y * (w * x[i] + b) >= 1) continue;
        double eta = 0.25 / (1 + 0.125 * (double)k++), slope = -y * c[i];
        w += -eta * slope * x[i];
        b -= eta * slope;
    }
    trained t = in_blocks(data, BLOCK, false,
                          PAIRS("algorithm", "sgd", "loss", "hinge", "order", "cyclic", "learning-rate", "0.25", "schedule",
                                "decay", "decay", "0.125"));
    assert_true(t.model->w[0] == w && t.model->b[0] == b);
    const hsp_extra *state = hsp_model_extra(t.model, "update-state");
    assert_true(state->data[0] == (double)k && state->data[1] == ROWS);
    trained_free(&t);
    hsp_data_free(data);
}

/* All weights times m are the rate times m, and a weight of 0 is a row that is not there. */
static void weights_multiply_the_steps(void **unused) {
    (void)unused;
    static const char *const names[] = {"perceptron", "sgd"};
    hsp_data *data = blobs("2"), *odd = NULL;
    double twice[ROWS], every_other[ROWS];
    int64_t rows[ROWS / 2];
    for (int i = 0; i < ROWS; i++) twice[i] = 2, every_other[i] = i % 2;
    for (int i = 0; i < ROWS / 2; i++) rows[i] = 2 * i + 1;
    assert_int_equal(hsp_data_take(data, rows, ROWS / 2, &odd, NULL), 0);
    for (int i = 0; i < 2; i++) {
        const char *const *slow = PAIRS("algorithm", names[i], "order", "cyclic", "learning-rate", "0.125");
        const char *const *fast = PAIRS("algorithm", names[i], "order", "cyclic", "learning-rate", "0.25");
        assert_int_equal(hsp_data_set_weights(data, NULL, NULL), 0);
        trained doubled = update(data, NULL, NULL, fast), part = update(odd, NULL, NULL, slow);
        assert_int_equal(hsp_data_set_weights(data, twice, NULL), 0);
        trained weighted = update(data, NULL, NULL, slow);
        assert_int_equal(hsp_data_set_weights(data, every_other, NULL), 0);
        trained zeros = update(data, NULL, NULL, slow);
        assert_same_weights(doubled.model, weighted.model);
        assert_same_weights(part.model, zeros.model);
        trained_free(&doubled);
        trained_free(&part);
        trained_free(&weighted);
        trained_free(&zeros);
    }
    hsp_data_free(odd);
    hsp_data_free(data);
}

/* A step is an epoch of gradient descent; the line search goes on with its step size. */
static void steps_of_gradient_descent(void **unused) {
    (void)unused;
    static const char *const schedules[] = {"constant", "harmonic", "line-search"};
    hsp_data *data = blobs("3");
    for (int s = 0; s < 3; s++) {
        const char *const *pairs =
            PAIRS("algorithm", "gradient-descent", "loss", "logistic", "schedule", schedules[s], "learning-rate", "0.5");
        trained t = {0};
        for (int k = 0; k < 4; k++) {
            trained next = update(data, t.model, NULL, pairs);
            assert_int_equal(next.status, 0);
            trained_free(&t);
            t = next;
        }
        trained epochs = train(data, PAIRS("algorithm", "gradient-descent", "loss", "logistic", "schedule", schedules[s],
                                           "learning-rate", "0.5", "max-epochs", "4", "keep", "last"));
        assert_same_weights(t.model, epochs.model);
        trained_free(&t);
        trained_free(&epochs);
    }
    hsp_data_free(data);
}

/* What `auto` chose for the first rows stays. */
static void rates_are_those_of_the_first_rows(void **unused) {
    (void)unused;
    hsp_data *data = blobs("2"), *first = rows_from(data, 0, 20), *second = rows_from(data, 20, 100);
    const char *const *pairs = PAIRS("algorithm", "sgd", "penalty", "l2", "loss", "logistic");
    trained a = update(first, NULL, NULL, pairs), b = update(second, a.model, NULL, pairs);
    trained cold = update(second, NULL, NULL, pairs);
    assert_int_equal(a.status | b.status | cold.status, 0);
    static const char *const same[] = {"learning_rate", "decay", "lambda"};
    for (int i = 0; i < 3; i++) {
        assert_true(figure(&a, same[i]) == figure(&b, same[i]));
        assert_true(figure(&cold, same[i]) != figure(&b, same[i]));
    }
    assert_string_equal(word(&a, "schedule"), word(&b, "schedule"));
    const hsp_extra *before = hsp_model_extra(a.model, "update-state"), *after = hsp_model_extra(b.model, "update-state");
    assert_true(before->data[1] == 20 && after->data[1] == 120 && before->data[0] == figure(&a, "updates") &&
                after->data[0] == before->data[0] + figure(&b, "updates"));
    assert_true(before->data[2] > 0 && after->data[2] > before->data[2]); /* it was shuffled */
    trained_free(&a);
    trained_free(&b);
    trained_free(&cold);
    hsp_data_free(first);
    hsp_data_free(second);
    hsp_data_free(data);
}

/* The second shuffle is not the first again: only a start without counters repeats it. */
static void the_random_stream_goes_on(void **unused) {
    (void)unused;
    hsp_data *data = blobs("2");
    const char *const *pairs = PAIRS("algorithm", "sgd", "learning-rate", "0.01");
    trained first = update(data, NULL, NULL, pairs), on = update(data, first.model, NULL, pairs);
    hsp_extra *state = (hsp_extra *)hsp_model_extra(first.model, "update-state");
    double draws = state->data[2];
    state->data[2] = 0;
    trained again = update(data, first.model, NULL, pairs);
    state->data[2] = draws;
    trained same = update(data, first.model, NULL, pairs);
    assert_same_weights(on.model, same.model);
    assert_memory_not_equal(on.model->w, again.model->w, 5 * sizeof(double));
    trained_free(&first);
    trained_free(&on);
    trained_free(&again);
    trained_free(&same);
    hsp_data_free(data);
}

/* Rows of one class, whose labels may be spelt in another way, and rows with labels alone that the start has. */
static void classes_without_rows(void **unused) {
    (void)unused;
    static const double x[] = {1, 2, 3, -1, 2, 0.5};
    static const char *const three[] = {"1", "2", "3"}, *const two[] = {"+3", "2.0", "2"}, *const other[] = {"4", "2", "2"};
    const char *const *pairs = PAIRS("algorithm", "perceptron");
    hsp_data *data = handmade_data(x, 3, 2, three, NULL), *one = rows_from(data, 1, 1);
    hsp_data *some = handmade_data(x, 3, 2, two, NULL), *unknown = handmade_data(x, 3, 2, other, NULL);
    trained a = update(one, NULL, NULL, pairs);
    assert_int_equal(a.status, 0);
    assert_int_equal(hsp_model_classes(a.model), 3);
    for (int k = 0; k < 3; k++) assert_true(fabs(a.model->b[k]) <= 1); /* no class is left out */
    trained b = update(some, a.model, NULL, pairs), c = update(unknown, a.model, NULL, pairs);
    assert_int_equal(b.status, 0);
    assert_int_equal(hsp_model_classes(b.model), 3);
    handmade_fails(c.status, HSP_EINPUT, &c.error, "the start has no class '4': declare all classes with the first rows");
    trained_free(&a);
    trained_free(&b);
    hsp_data_free(data);
    hsp_data_free(one);
    hsp_data_free(some);
    hsp_data_free(unknown);
}

/* Classes that are declared by codes and names, of which one has rows. */
static void declared_classes(void **unused) {
    (void)unused;
    static const double x[] = {1, 2, 3, -1};
    static const int32_t ones[] = {1, 1}, twos[] = {2, 2}, wrong[] = {0, 0};
    static const char *const names[] = {"a", "b", "c"}, *const others[] = {"z", "b"};
    hsp_array codes = {sizeof codes, ones, HSP_INT32, 1, {2, 1}, {4, 4}};
    hsp_data *data = handmade_data(x, 2, 2, NULL, NULL);
    const char *const *pairs = PAIRS("algorithm", "sgd");
    hsp_error *err = NULL;
    handmade_ok(hsp_data_set_labels(data, &codes, names, 3, &err), err);
    trained a = update(data, NULL, NULL, pairs);
    assert_int_equal(a.status, 0);
    assert_int_equal(hsp_model_classes(a.model), 3);
    codes.data = twos;
    handmade_ok(hsp_data_set_labels(data, &codes, names, 3, &err), err);
    trained b = update(data, a.model, NULL, pairs);
    assert_int_equal(b.status, 0);
    codes.data = ones;
    handmade_ok(hsp_data_set_labels(data, &codes, others, 2, &err), err); /* 'z' has no rows */
    trained c = update(data, a.model, NULL, pairs);
    assert_int_equal(c.status, 0);
    codes.data = wrong;
    handmade_ok(hsp_data_set_labels(data, &codes, others, 2, &err), err);
    trained d = update(data, a.model, NULL, pairs);
    handmade_fails(d.status, HSP_EINPUT, &d.error, "the start has no class 'z'");
    trained_free(&a);
    trained_free(&b);
    trained_free(&c);
    hsp_data_free(data);
}

/* Scaling, numbers to predict, and other starts than updates. */
static void other_starts(void **unused) {
    (void)unused;
    hsp_data *data = blobs("2"), *first = rows_from(data, 0, 60), *second = rows_from(data, 60, 60);
    const char *const *scaled = PAIRS("algorithm", "sgd", "scale", "standard"), *const *plain = PAIRS("algorithm", "sgd");
    trained a = update(first, NULL, NULL, scaled), b = update(second, a.model, NULL, plain);
    assert_int_equal(a.status | b.status, 0);
    assert_memory_equal(a.model->prepare.factor, b.model->prepare.factor, 5 * sizeof(double));
    trained svm = train(first, PAIRS("algorithm", "svm")), c = update(second, svm.model, NULL, plain);
    assert_int_equal(c.status, 0);
    assert_true(hsp_model_extra(c.model, "update-state")->data[1] == 60);
    double target[60];
    for (int i = 0; i < 60; i++) target[i] = i % 7;
    assert_int_equal(hsp_data_set_targets(second, target, NULL), 0);
    trained numbers = update(second, NULL, NULL, PAIRS("algorithm", "sgd", "loss", "squared"));
    assert_int_equal(numbers.status, 0);
    trained more = update(second, numbers.model, NULL, PAIRS("algorithm", "sgd", "loss", "squared"));
    assert_int_equal(more.status, 0);
    trained wrong = update(second, a.model, NULL, PAIRS("algorithm", "sgd", "loss", "squared"));
    handmade_fails(wrong.status, HSP_EUSAGE, &wrong.error, "the start predicts classes, and the data have numbers");
    trained_free(&a);
    trained_free(&b);
    trained_free(&c);
    trained_free(&svm);
    trained_free(&numbers);
    trained_free(&more);
    hsp_data_free(first);
    hsp_data_free(second);
    hsp_data_free(data);
}

/* No figure that was not measured, and nothing to verify. */
static void updates_claim_nothing(void **unused) {
    (void)unused;
    hsp_data *data = blobs("2");
    trained t = update(data, NULL, NULL, PAIRS("algorithm", "sgd", "loss", "logistic"));
    static const char *const null[] = {"objective", "dual_bound", "relative_gap", "train_accuracy", "objective_start"};
    for (int i = 0; i < 5; i++) assert_int_equal(hsp_report_kind(t.report, null[i]), HSP_REPORT_NULL);
    assert_int_equal(hsp_report_flag(t.report, "converged"), 0);
    assert_string_equal(word(&t, "stop_reason"), "max-epochs");
    assert_int_equal((int)figure(&t, "steps"), ROWS);
    assert_null(t.model->claims);
    hsp_report *report = NULL;
    hsp_error *err = NULL;
    handmade_fails(hsp_verify(t.model, data, NULL, NULL, NULL, &report, &err), HSP_EINPUT, &err, "claims nothing");
    double p[2];
    assert_int_equal(hsp_model_probability(t.model, (double[]){1, 2, 3, 4, 5}, p, NULL), 0);
    trained_free(&t);
    hsp_data_free(data);
}

static void refused(void **unused) {
    (void)unused;
    hsp_data *data = blobs("2"), *one = NULL, *wide = generated("blobs", PAIRS("rows", "30", "features", "6"));
    static const double x[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    static const char *const label[] = {"0", "0"}, *const names[] = {"p", "q", "r", "s", "t"};
    assert_int_equal(hsp_data_from_dense(x, 2, 5, 5, label, names, &one, NULL), 0);
    trained a = update(data, NULL, NULL, PAIRS("algorithm", "sgd"));
    trained mlp = train(data, PAIRS("algorithm", "mlp", "max-epochs", "1"));
    const struct {
        const hsp_data *data;
        const hsp_model *start;
        const char *const *pairs;
        int status;
        const char *words;
    } cases[] = {
        {data, NULL, PAIRS("algorithm", "logistic"), HSP_EUSAGE, "logistic has no update rule: use perceptron, sgd"},
        {data, a.model, PAIRS("algorithm", "ridge"), HSP_EUSAGE, "ridge has no update rule"},
        {data, NULL, PAIRS("algorithm", "lda"), HSP_EUSAGE, "lda has no update rule"},
        {data, NULL, PAIRS("algorithm", "mlp"), HSP_EUSAGE, "mlp has no update rule"},
        {data, NULL, PAIRS("algorithm", "gradient-descent", "solver", "newton", "loss", "logistic"), HSP_EUSAGE,
         "the solver 'newton' has no update rule"},
        {data, a.model, PAIRS("algorithm", "sgd", "max-epochs", "3"), HSP_EUSAGE, "--max-epochs has no effect on an update"},
        {data, a.model, PAIRS("algorithm", "sgd", "tol", "0.1"), HSP_EUSAGE, "--tol has no effect"},
        {data, a.model, PAIRS("algorithm", "sgd", "keep", "average"), HSP_EUSAGE, "keeps the last weights, not --keep average"},
        {data, a.model, PAIRS("algorithm", "sgd", "class-weight", "balanced"), HSP_EUSAGE, "needs all rows"},
        {data, a.model, PAIRS("algorithm", "sgd", "init", "random"), HSP_EUSAGE, "--init and the start"},
        {data, a.model, PAIRS("algorithm", "sgd", "scale", "standard"), HSP_EUSAGE, "leave --scale standard out"},
        {data, a.model, PAIRS("algorithm", "sgd", "positive", "0"), HSP_EUSAGE, "is not the positive class of the start"},
        {data, mlp.model, PAIRS("algorithm", "sgd"), HSP_EUSAGE, "cannot update a model of mlp"},
        {wide, a.model, PAIRS("algorithm", "sgd"), HSP_EINPUT, "6 features, but the model has 5"},
        {one, NULL, PAIRS("algorithm", "sgd"), HSP_EINPUT, "only one class is declared"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        trained t = update(cases[i].data, cases[i].start, NULL, cases[i].pairs);
        handmade_fails(t.status, cases[i].status, &t.error, cases[i].words);
        assert_null(t.report);
    }
    hsp_model *m = NULL;
    hsp_job *job = NULL;
    hsp_error *err = NULL;
    handmade_fails(hsp_train_from(data, NULL, NULL, 2, NULL, &m, NULL, &err), HSP_EUSAGE, &err, "no mode 2 of training");
    handmade_fails(hsp_job_start(data, NULL, NULL, -1, NULL, &job, &err), HSP_EUSAGE, &err, "no mode -1 of a job");
    trained_free(&a);
    trained_free(&mlp);
    hsp_data_free(data);
    hsp_data_free(one);
    hsp_data_free(wide);
}

/* ---- hooks, jobs, memory ---- */

static int stop_at_once(void *user, const hsp_progress *p) {
    assert_true(isnan(p->objective) && p->max_epochs == 1);
    ++*(int *)user;
    return 1;
}

static int count_updates(void *user, const hsp_update *u) {
    if (u->updates > 0) ++*(int *)user;
    return 0;
}

static void hooks_and_jobs(void **unused) {
    (void)unused;
    hsp_data *data = blobs("2");
    const char *const *pairs = PAIRS("algorithm", "sgd");
    int calls = 0, updates = 0;
    hsp_hooks stop = {.size = sizeof stop, .user = &calls, .progress = stop_at_once};
    hsp_hooks see = {.size = sizeof see, .user = &updates, .update = count_updates};
    trained a = update(data, NULL, NULL, pairs), stopped = update(data, a.model, &stop, pairs);
    trained seen = update(data, a.model, &see, pairs), unseen = update(data, a.model, NULL, pairs);
    assert_true(calls == 1 && strcmp(word(&stopped, "stop_reason"), "cancelled") == 0);
    assert_same_weights(stopped.model, a.model);
    assert_int_equal(updates, (int)figure(&seen, "updates"));
    assert_same_weights(seen.model, unseen.model);
    hsp_job *job = NULL;
    hsp_model *m = NULL;
    hsp_options *o = options_of(pairs);
    assert_int_equal(hsp_job_start(data, o, NULL, HSP_JOB_UPDATE, a.model, &job, NULL), 0);
    assert_int_equal(hsp_job_result(job, &m, NULL, NULL), 0);
    assert_same_weights(m, unseen.model);
    hsp_job_free(job);
    hsp_model_free(m);
    hsp_options_free(o);
    trained_free(&a);
    trained_free(&stopped);
    trained_free(&seen);
    trained_free(&unseen);
    hsp_data_free(data);
}

static void short_of_memory(void **unused) {
    (void)unused;
    hsp_data *data = blobs("3");
    trained a = update(data, NULL, NULL, PAIRS("algorithm", "sgd", "scale", "standard"));
    hsp_options *o = options_of(PAIRS("algorithm", "sgd", "threads", "1"));
    int status = HSP_EMEMORY;
    for (int64_t calls = 0; status == HSP_EMEMORY && calls < 2000; calls++) {
        hsp_model *m = NULL;
        hsp_report *report = NULL;
        hsp_error *err = NULL;
        hsp_memory_fail_after(calls);
        status = hsp_train_from(data, o, NULL, HSP_JOB_UPDATE, a.model, &m, &report, &err);
        hsp_memory_fail_after(-1);
        assert_true((status == 0) == (m != NULL) && (status == 0) == (report != NULL));
        hsp_model_free(m);
        hsp_report_free(report);
        hsp_error_free(err);
    }
    assert_int_equal(status, 0);
    hsp_options_free(o);
    trained_free(&a);
    hsp_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_an_epoch),
        cmocka_unit_test(penalties_shrink_as_in_an_epoch),
        cmocka_unit_test(a_textbook_loop_has_the_same_bits),
        cmocka_unit_test(weights_multiply_the_steps),
        cmocka_unit_test(steps_of_gradient_descent),
        cmocka_unit_test(rates_are_those_of_the_first_rows),
        cmocka_unit_test(the_random_stream_goes_on),
        cmocka_unit_test(classes_without_rows),
        cmocka_unit_test(declared_classes),
        cmocka_unit_test(other_starts),
        cmocka_unit_test(updates_claim_nothing),
        cmocka_unit_test(refused),
        cmocka_unit_test(hooks_and_jobs),
        cmocka_unit_test(short_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
