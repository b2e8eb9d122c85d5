/* Training over arrays of the caller, in every dtype, order and stride, gives the same weights, to the last bit, as over a
 * copy of the same numbers; predictions and claims are the same, too. Sparse rows skip zeros, so their sums are joined in
 * another order: they are compared with a CSR view. */
#include "array_views.h"
#include "trained.h"

#include "base/rng.h"

#include <math.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

enum { ROWS = 150, COLUMNS = 9, NAME = 80 };

typedef struct numbers {
    const char *name;
    double least, most, unit; /* multiples of unit; 0: any */
    double density;
} numbers;

/* Each is the range of another dtype. */
static const numbers ranges[] = {
    {"normal", -3, 3, 0, 1},       {"of float32", -3, 3, 0x1p-10, 1}, {"bits", 0, 1, 1, 1},
    {"bytes", -100, 100, 1, 1},    {"counts", 0, 255, 1, 1},          {"of int16", -30000, 30000, 1, 1},
    {"of int32", -2e9, 2e9, 1, 1}, {"of int64", -9e15, 9e15, 1, 1},   {"sparse", -3, 3, 0x1p-10, .2},
    {"sparse bits", 0, 1, 1, .2},
};

typedef struct table {
    double x[ROWS * COLUMNS], target[ROWS];
    uint8_t code[ROWS];
} table;

static void fill(const numbers *r, table *t) {
    hsp_rng rng = hsp_rng_new(31, (uint64_t)(r - ranges));
    for (int i = 0; i < ROWS; i++) {
        double score = 0;
        for (int j = 0; j < COLUMNS; j++) {
            double v = r->least + (r->most - r->least) * hsp_rng_uniform(&rng);
            if (r->unit > 0) v = r->unit * floor(v / r->unit + .5);
            t->x[i * COLUMNS + j] = hsp_rng_uniform(&rng) < r->density ? v : 0;
            score += t->x[i * COLUMNS + j] / (r->most - r->least) * (j % 3 - 1);
        }
        t->target[i] = score + .3 * hsp_rng_normal(&rng);
        t->code[i] = t->target[i] < -.2 ? 2 : t->target[i] < .3 ? 0 : 1;
    }
}

/* ---- what is compared ---- */

typedef struct task {
    int classes; /* 0: regression */
    const char *pairs[7];
} task;

static const task tasks[] = {
    {3, {"algorithm", "nearest-mean", NULL}},
    {2, {"algorithm", "lda", NULL}},
    {3, {"algorithm", "ridge", "scale", "none", NULL}},
    {0, {"algorithm", "ridge", NULL}},
    {2, {"algorithm", "logistic", "solver", "newton", NULL}},
    {2, {"algorithm", "logistic", "penalty", "l1", NULL}},
    {3, {"algorithm", "logistic", "multiclass", "softmax", NULL}},
    {2, {"algorithm", "svm", "solver", "dual", "scale", "none", NULL}},
    {2, {"algorithm", "perceptron", "max-epochs", "3", NULL}},
    {2, {"algorithm", "sgd", "loss", "logistic", "max-epochs", "2", NULL}},
    {2, {"algorithm", "mlp", "hidden", "3", "max-epochs", "2", NULL}},
};
enum { TASKS = sizeof tasks / sizeof *tasks };

static void label(hsp_data *data, const table *t, int classes) {
    static const char *const names[] = {"b", "c", "a"};
    uint8_t code[ROWS];
    for (int i = 0; i < ROWS; i++) code[i] = (uint8_t)(classes > 0 ? t->code[i] % classes : 0);
    hsp_array codes = vector_of(code, HSP_UINT8, ROWS), targets = vector_of(t->target, HSP_FLOAT64, ROWS);
    int status = classes == 0 ? hsp_data_set_targets_array(data, &targets, NULL)
                              : hsp_data_set_labels(data, &codes, names, classes, NULL);
    assert_int_equal(status, 0);
}

static hsp_data *copy_of(const table *t) {
    hsp_data *data = NULL;
    assert_int_equal(hsp_data_from_dense(t->x, ROWS, COLUMNS, COLUMNS, NULL, NULL, &data, NULL), 0);
    return data;
}

static bool same_weights(const hsp_model *a, const hsp_model *b) {
    hsp_array u = {.size = sizeof u}, v = {.size = sizeof v};
    if (hsp_model_array(a, "weights", &u, NULL))
        return hsp_model_is_linear(a) == 0; /* a network: its scores are compared */
    if (hsp_model_array(b, "weights", &v, NULL)) return false;
    if (u.shape[0] != v.shape[0] || u.shape[1] != v.shape[1]) return false;
    if (memcmp(u.data, v.data, (size_t)(u.shape[0] * u.shape[1]) * sizeof(double)) != 0) return false;
    if (hsp_model_array(a, "intercepts", &u, NULL) || hsp_model_array(b, "intercepts", &v, NULL)) return false;
    return memcmp(u.data, v.data, (size_t)u.shape[0] * sizeof(double)) == 0;
}

static bool same_scores(const hsp_model *m, const hsp_data *a, const hsp_model *other, const hsp_data *b) {
    double u[3 * ROWS], v[3 * ROWS];
    int32_t p[ROWS], q[ROWS];
    size_t count = (size_t)(ROWS * hsp_model_outputs(m));
    bool classes = hsp_model_classes(m) > 0;
    if (hsp_model_score(m, a, u, classes ? p : NULL, NULL) || hsp_model_score(other, b, v, classes ? q : NULL, NULL))
        return false;
    return memcmp(u, v, count * sizeof *u) == 0 && (!classes || memcmp(p, q, sizeof p) == 0);
}

/* 1: all claims hold; 0: not all; a status: the model has none. */
static int verdict(const hsp_model *m, const hsp_data *data) {
    hsp_report *report = NULL;
    int status = hsp_verify(m, data, NULL, NULL, NULL, &report, NULL);
    if (!status) status = hsp_report_flag(report, "verified");
    hsp_report_free(report);
    return status;
}

/* A model of the view against one of the data that it must equal. */
static int compare(const hsp_data *base, const hsp_model *want, const hsp_data *view, const task *k, const char *range,
                   const char *name) {
    trained t = train(view, k->pairs);
    const char *wrong = t.status                                                                 ? "fails"
                        : !same_weights(want, t.model)                                           ? "has other weights"
                        : !same_scores(want, base, t.model, view)                                ? "has other scores"
                        : verdict(want, view) == 0 || verdict(want, view) != verdict(want, base) ? "does not verify"
                                                                                                 : NULL;
    if (wrong) print_error("%s as %s, %s of %d classes %s\n", range, name, k->pairs[1], k->classes, wrong);
    trained_free(&t);
    return wrong != NULL;
}

static int check_range(const numbers *r, const table *t) {
    int wrong = 0, released = 0, made = 0, status;
    for (int k = 0; k < TASKS; k++) {
        char name[NAME];
        hsp_data *base[2] = {copy_of(t), view_of(t->x, ROWS, COLUMNS, DENSE_DTYPES * LAYOUTS, name, NAME, NULL, &status)};
        hsp_model *want[2] = {NULL, NULL};
        for (int b = 0; b < 2; b++) {
            label(base[b], t, tasks[k].classes);
            trained made_of = train(base[b], tasks[k].pairs);
            want[b] = made_of.model;
            made_of.model = NULL;
            assert_int_equal(made_of.status, 0);
            trained_free(&made_of);
        }
        for (int v = 0; v < ALL_VIEWS; v++) {
            hsp_data *view = view_of(t->x, ROWS, COLUMNS, v, name, NAME, &released, &status);
            assert_int_equal(status, 0);
            if (!view) continue;
            made++;
            label(view, t, tasks[k].classes);
            int b = base[0]->x.dense != view->x.dense;
            if (hsp_data_hash(view) != hsp_data_hash(base[0])) {
                print_error("%s as %s has another hash\n", r->name, name);
                wrong++;
            }
            if (base[b]->x.dense == view->x.dense) wrong += compare(base[b], want[b], view, &tasks[k], r->name, name);
            hsp_data_free(view);
        }
        for (int b = 0; b < 2; b++) {
            hsp_data_free(base[b]);
            hsp_model_free(want[b]);
        }
    }
    assert_int_equal(released, made);
    return wrong;
}

static void every_view_gives_the_same_model(void **state) {
    (void)state;
    table *t = malloc(sizeof *t);
    int wrong = 0;
    for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++) {
        fill(&ranges[r], t);
        wrong += check_range(&ranges[r], t);
    }
    free(t);
    assert_int_equal(wrong, 0);
}

/* ---- more numbers than 32 bits count ---- */

enum { ENTRIES = 1 << 20, ENTRIES_OF_ROW = 256, WIDE = 300 }; /* of a block that is mapped many times */

/* The block `times` times in a row, in little memory; NULL: the system cannot. */
static char *repeat(const void *block, size_t bytes, int64_t times) {
    int fd = memfd_create("block", 0);
    bool good = fd >= 0 && write(fd, block, bytes) == (ssize_t)bytes;
    char *all = mmap(NULL, bytes * (size_t)times, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    for (int64_t k = 0; good && all != MAP_FAILED && k < times; k++)
        good = mmap(all + (size_t)k * bytes, bytes, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED;
    if (fd >= 0) close(fd);
    return good && all != MAP_FAILED ? all : NULL;
}

typedef struct block {
    int32_t id[ENTRIES];
    float value[ENTRIES];
    int8_t dense[ENTRIES];
    uint8_t code[ENTRIES / ENTRIES_OF_ROW];
} block;

static void fill_block(block *b) {
    hsp_rng r = hsp_rng_new(8, 0);
    for (int t = 0; t < ENTRIES; t++) {
        int row = t / ENTRIES_OF_ROW;
        b->id[t] = t % ENTRIES_OF_ROW + row % (WIDE - ENTRIES_OF_ROW);
        b->code[row] = (uint8_t)(row % 2);
        b->value[t] = (float)(hsp_rng_normal(&r) + row % 2 * .1 + 10);
        b->dense[t] = (int8_t)(hsp_rng_below(&r, 100) + row % 2 * 20 + 1);
    }
}

/* The means of the classes do not depend on how often the rows are repeated. */
static hsp_model *model_of_times(const block *b, bool sparse, int64_t times) {
    static const char *const names[] = {"a", "b"};
    int64_t n = ENTRIES / ENTRIES_OF_ROW * times, stored = ENTRIES * times;
    int64_t *row = malloc((size_t)(n + 1) * sizeof *row);
    uint8_t *code = malloc((size_t)n);
    char *id = repeat(b->id, sizeof b->id, sparse ? times : 1),
         *value = repeat(b->value, sizeof b->value, sparse ? times : 1),
         *dense = repeat(b->dense, sizeof b->dense, sparse ? 1 : times);
    if (!id || !value || !dense) skip();
    for (int64_t i = 0; i <= n; i++) row[i] = i * ENTRIES_OF_ROW;
    for (int64_t i = 0; i < n; i++) code[i] = (uint8_t)(i % 2);
    hsp_data *data = NULL;
    hsp_array begin = vector_of(row, HSP_INT64, n + 1), index = vector_of(id, HSP_INT32, stored),
              values = vector_of(value, HSP_FLOAT32, stored), codes = vector_of(code, HSP_UINT8, n);
    hsp_array x = {sizeof x, dense, HSP_INT8, 2, {n, ENTRIES_OF_ROW}, {ENTRIES_OF_ROW, 1}};
    int status = sparse ? hsp_data_view_csr(&begin, &index, &values, WIDE, NULL, NULL, NULL, &data, NULL)
                        : hsp_data_view_dense(&x, NULL, NULL, NULL, &data, NULL);
    assert_int_equal(status, 0);
    assert_int_equal(data->x.nonzeros, stored);
    assert_true(data->x.owner != NULL);
    assert_int_equal(hsp_data_set_labels(data, &codes, names, 2, NULL), 0);
    trained t = train(data, PAIRS("algorithm", "nearest-mean"));
    assert_int_equal(t.status, 0);
    hsp_model *m = t.model;
    t.model = NULL;
    trained_free(&t);
    hsp_data_free(data);
    munmap(id, sizeof b->id * (size_t)(sparse ? times : 1));
    munmap(value, sizeof b->value * (size_t)(sparse ? times : 1));
    munmap(dense, sizeof b->dense * (size_t)(sparse ? 1 : times));
    free(row);
    free(code);
    return m;
}

/* Offsets and products of sizes beyond 2^31, and for dense rows beyond 2^32. Some 30 seconds: with HSP_CHECK_FULL alone. */
static void more_than_32_bits(void **state) {
    (void)state;
    if (!getenv("HSP_CHECK_FULL")) skip();
    block *b = malloc(sizeof *b);
    fill_block(b);
    for (int sparse = 0; sparse < 2; sparse++) {
        hsp_model *few = model_of_times(b, sparse, 1), *many = model_of_times(b, sparse, sparse ? 2049 : 4097);
        hsp_array u = {.size = sizeof u}, v = {.size = sizeof v};
        assert_int_equal(hsp_model_array(few, "weights", &u, NULL) | hsp_model_array(many, "weights", &v, NULL), 0);
        for (int64_t j = 0; j < u.shape[1]; j++) {
            double p = ((const double *)u.data)[j], q = ((const double *)v.data)[j];
            if (fabs(p - q) > 1e-9 * (1 + fabs(p))) fail_msg("column %lld: %g and %g", (long long)j, p, q);
        }
        hsp_model_free(few);
        hsp_model_free(many);
    }
    free(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_view_gives_the_same_model),
                                       cmocka_unit_test(more_than_32_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
