/* Every algorithm by every solver from the same rows in every format and layout, and over arrays of the caller: the same
 * weights.
 *
 * Dense rows give the same bits however they are coded and wherever they lie, since all kernels add in one order. Sparse
 * rows skip zeros, so their sums are joined in another order than those of the same rows stored dense: weights agree to
 * ROUNDED of the greatest. The dual solver visits rows in another order after the first rounding error, and ends anywhere
 * within its gap: |w - w*|^2 / 2 <= tol P, which is AT_GAP for the 1e-9 asked for here.
 *
 * A sample of the cells, with one file each; all of them with HSP_CHECK_FULL=1. */
#include "array_views.h"
#include "trained.h"

#include "base/rng.h"
#include "data/data.h"
#include "read/own_folder.h"
#include "solve/loop/solver.h"

#include <math.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { ROWS = 240, COLUMNS = 11, SAMPLED = 4, NAME = 64 };
static const double ROUNDED = 1e-5, AT_GAP = 2e-3;

/* ---- the rows ---- */

typedef enum numbers { DOUBLES, FLOATS, BYTES, ONES } numbers;

/* What the numbers are decides how they are stored; less than half of them not 0: sparse. */
static const struct shape {
    const char *name;
    numbers numbers;
    double density;
} shapes[] = {{"doubles", DOUBLES, 1},          {"floats", FLOATS, 1},          {"bytes", BYTES, 1},
              {"sparse doubles", DOUBLES, .25}, {"sparse floats", FLOATS, .25}, {"sparse bytes", BYTES, .25},
              {"sparse ones", ONES, .25}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

typedef enum target { TWO, THREE, NUMBER, TARGETS } target;

typedef struct rows {
    double x[ROWS][COLUMNS], y[TARGETS][ROWS];
} rows;

static double number_of(numbers kind, hsp_rng *r, double shift) {
    double v = hsp_rng_normal(r) + shift;
    if (kind == DOUBLES) return v;
    if (kind == FLOATS) return (double)(float)v;
    return kind == BYTES ? (double)(40 + (int)fmax(-39, fmin(39, 10 * v))) : 1;
}

static void fill(const struct shape *s, rows *t) {
    hsp_rng r = hsp_rng_new(17, (uint64_t)(s - shapes));
    for (int i = 0; i < ROWS; i++) {
        double score = 0;
        for (int j = 0; j < COLUMNS; j++) {
            bool zero = hsp_rng_uniform(&r) >= s->density;
            double v = number_of(s->numbers, &r, .3 * (j % 4));
            t->x[i][j] = zero ? 0 : v;
            score += t->x[i][j] * (j % 3 - 1) / (s->numbers == BYTES ? 10 : 1);
        }
        score += .7 * hsp_rng_normal(&r);
        t->y[TWO][i] = score > 0 ? 1 : -1;
        t->y[THREE][i] = score < -.8 ? 1 : score < .8 ? 2 : 3;
        t->y[NUMBER][i] = score;
    }
}

/* ---- the files ---- */

typedef struct cells {
    const char *descr;
    bool fortran, first; /* by columns; labels in the first column, not in the last */
    bool apart;          /* labels in a file of their own */
} cells;

static void put_cell(FILE *f, const char *descr, double v) {
    unsigned char bytes[8];
    float single = (float)v;
    size_t size = descr[2] == '8' ? 8 : descr[2] == '4' ? 4 : 1;
    if (size == 8) memcpy(bytes, &v, size);
    if (size == 4) memcpy(bytes, &single, size);
    if (size == 1) bytes[0] = (unsigned char)(signed char)v;
    for (size_t k = 0; k < size; k++) fputc(bytes[descr[0] == '>' ? size - 1 - k : k], f);
}

static void write_npy(const char *name, const rows *t, const double *y, const cells *c) {
    char header[118];
    int columns = COLUMNS + !c->apart;
    FILE *f = fopen(in_folder(name), "wb");
    snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': %s, 'shape': (%d, %d), }", c->descr,
             c->fortran ? "True" : "False", ROWS, columns);
    fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, f);
    fprintf(f, "%-117s\n", header);
    for (int k = 0; k < ROWS * columns; k++) {
        int i = c->fortran ? k % ROWS : k / columns, j = (c->fortran ? k / ROWS : k % columns) - c->first;
        bool label = j < 0 || j == COLUMNS;
        put_cell(f, c->descr, label ? y[i] : t->x[i][j]);
    }
    fclose(f);
}

static void write_text(const char *name, const rows *t, const double *y, bool svmlight) {
    FILE *f = fopen(in_folder(name), "w");
    for (int i = 0; i < ROWS; i++) {
        fprintf(f, "%.17g", y[i]);
        for (int j = 0; j < COLUMNS; j++)
            if (!svmlight)
                fprintf(f, ",%.17g", t->x[i][j]);
            else if (t->x[i][j] != 0)
                fprintf(f, " %d:%.17g", j + 1, t->x[i][j]);
        fputc('\n', f);
    }
    fclose(f);
}

static void write_labels(const char *name, const double *y) {
    FILE *f = fopen(in_folder(name), "w");
    for (int i = 0; i < ROWS; i++) fprintf(f, "%.17g\n", y[i]);
    fclose(f);
}

static hsp_data *read_file(const char *name, target y, const char *const *more) {
    char labels[200] = "", file[200];
    hsp_data *data = NULL;
    hsp_error *err = NULL;
    hsp_options *o = options_of(more);
    snprintf(file, sizeof file, "%s", in_folder(name));
    if (hsp_options_given(o, "labels")) {
        snprintf(labels, sizeof labels, "%s", in_folder(hsp_options_get(o, "labels")));
        assert_int_equal(hsp_options_set(o, "labels", labels, NULL), 0);
    }
    if (y == NUMBER) assert_int_equal(hsp_options_set(o, "task", "regression", NULL), 0);
    if (hsp_data_read(file, o, NULL, &data, &err)) fail_msg("%s: %s", name, hsp_error_message(err));
    hsp_options_free(o);
    assert_int_equal(remove(file), 0);
    return data;
}

/* In double-precision files any number fits; in the others only where all do, the labels as well. */
static bool fits(const char *descr, numbers kind, target y, bool apart) {
    if (descr[2] == '8') return true;
    if (descr[2] == '4') return kind != DOUBLES && (apart || y != NUMBER);
    return kind >= BYTES && (apart || y != NUMBER);
}

/* Labels of a view: codes of the classes, in order, or targets. */
static void label_view(hsp_data *data, const double *y, target kind) {
    static const char *const names[][3] = {[TWO] = {"-1", "1"}, [THREE] = {"1", "2", "3"}};
    int8_t code[ROWS];
    for (int i = 0; i < ROWS; i++) code[i] = (int8_t)(kind == TWO ? y[i] > 0 : kind == THREE ? y[i] - 1 : 0);
    hsp_array codes = vector_of(code, HSP_INT8, ROWS), targets = vector_of(y, HSP_FLOAT64, ROWS);
    int status = kind == NUMBER ? hsp_data_set_targets_array(data, &targets, NULL)
                                : hsp_data_set_labels(data, &codes, names[kind], kind == TWO ? 2 : 3, NULL);
    assert_int_equal(status, 0);
}

/* The file after the text of k = 0, and after svmlight, .hsd of each, .npy and arrays of the caller in turn; NULL: there are
 * no more, or this one cannot hold the numbers (*more says which). */
static hsp_data *read_as(const rows *t, const struct shape *s, target y, int k, char *name, bool *more) {
    static const cells arrays[] = {{"<f8", false, false, false}, {"<f8", false, true, false},  {"<f8", true, false, false},
                                   {">f8", false, false, false}, {"<f8", false, false, true},  {"<f4", false, false, false},
                                   {"<f4", false, true, false},  {"|i1", false, false, false}, {"<f4", false, false, true},
                                   {"|i1", false, false, true}};
    enum { TEXTS = 2, COPIES = 3, ARRAYS = sizeof arrays / sizeof *arrays };
    *more = true;
    if (k < TEXTS) {
        snprintf(name, NAME, k == 0 ? "csv" : "svmlight");
        write_text(name, t, t->y[y], k == 1);
        return k == 0 ? read_file(name, y, PAIRS("format", "csv", "target", "1", "header", "no"))
                      : read_file(name, y, PAIRS("format", "svmlight", "base", "1"));
    }
    if (k < TEXTS + COPIES) { /* of text, of svmlight, of rows with a gap between them */
        char from[NAME], file[200];
        int of[COPIES] = {0, 1, TEXTS + COPIES};
        hsp_data *data = read_as(t, s, y, of[k - TEXTS], from, more);
        snprintf(name, NAME, "%.40s.hsd", from);
        snprintf(file, sizeof file, "%s", in_folder(name));
        hsp_options *o = options_of(NULL);
        assert_int_equal(hsp_data_write(data, file, o, NULL), 0);
        hsp_options_free(o);
        hsp_data_free(data);
        return read_file(name, y, NULL);
    }
    k -= TEXTS + COPIES;
    if (k >= ARRAYS) {
        int status = 0;
        hsp_data *view =
            k < ARRAYS + ALL_VIEWS ? view_of(&t->x[0][0], ROWS, COLUMNS, k - ARRAYS, name, NAME, NULL, &status) : NULL;
        assert_int_equal(status, 0);
        *more = k < ARRAYS + ALL_VIEWS;
        if (view) label_view(view, t->y[y], y);
        return view;
    }
    if (!fits(arrays[k].descr, s->numbers, y, arrays[k].apart)) return NULL;
    snprintf(name, NAME, "%s%s%s.npy", arrays[k].descr, arrays[k].fortran ? " in column order" : "",
             arrays[k].apart   ? " without labels"
             : arrays[k].first ? " labels first"
                               : " labels last");
    write_npy(name, t, t->y[y], &arrays[k]);
    if (!arrays[k].apart) return read_file(name, y, arrays[k].first ? PAIRS("target", "1") : NULL);
    write_labels("labels.txt", t->y[y]);
    hsp_data *data = read_file(name, y, PAIRS("labels", "labels.txt"));
    assert_int_equal(remove(in_folder("labels.txt")), 0);
    return data;
}

/* ---- the tasks ---- */

typedef struct task {
    target y;
    const char *algorithm, *option, *value, *more, *as;
} task;

/* Each with every solver that takes it, and with the one that is chosen. */
static const task tasks[] = {
    {TWO, "nearest-mean", NULL, NULL, NULL, NULL},
    {TWO, "fisher", NULL, NULL, NULL, NULL},
    {TWO, "lda", NULL, NULL, NULL, NULL},
    {TWO, "least-squares", NULL, NULL, NULL, NULL},
    {TWO, "ridge", NULL, NULL, NULL, NULL},
    {TWO, "logistic", "penalty", "l2", NULL, NULL},
    {TWO, "logistic", "penalty", "l1", NULL, NULL},
    {TWO, "logistic", "penalty", "elastic", NULL, NULL},
    {TWO, "svm", "loss", "hinge", NULL, NULL},
    {TWO, "svm", "loss", "squared-hinge", NULL, NULL},
    {TWO, "hard-svm", NULL, NULL, NULL, NULL},
    {TWO, "perceptron", "max-epochs", "5", NULL, NULL},
    {TWO, "gradient-descent", "loss", "hinge", "max-epochs", "8"},
    {TWO, "gradient-descent", "loss", "logistic", "max-epochs", "8"},
    {TWO, "sgd", "loss", "logistic", "max-epochs", "3"},
    {TWO, "minibatch", "loss", "squared-hinge", "max-epochs", "3"},
    {THREE, "nearest-mean", NULL, NULL, NULL, NULL},
    {THREE, "lda", NULL, NULL, NULL, NULL},
    {THREE, "ridge", NULL, NULL, NULL, NULL},
    {THREE, "logistic", "multiclass", "softmax", NULL, NULL},
    {THREE, "logistic", "multiclass", "softmax", "penalty", "l1"},
    {THREE, "logistic", "multiclass", "ovr", NULL, NULL},
    {THREE, "svm", "loss", "hinge", NULL, NULL},
    {THREE, "svm", "loss", "squared-hinge", NULL, NULL},
    {THREE, "perceptron", "max-epochs", "5", NULL, NULL},
    {NUMBER, "least-squares", NULL, NULL, NULL, NULL},
    {NUMBER, "ridge", NULL, NULL, NULL, NULL},
    {NUMBER, "gradient-descent", "loss", "squared", "max-epochs", "8"},
};
enum { TASKS = sizeof tasks / sizeof *tasks };

static int train_by(const hsp_data *data, const task *t, const char *solver, const char *scale, hsp_model **out) {
    hsp_options *o = options_of(PAIRS("algorithm", t->algorithm, "scale", scale, "threads", "2"));
    int status = 0;
    if (t->option) status = hsp_options_set(o, t->option, t->value, NULL);
    if (!status && t->more) status = hsp_options_set(o, t->more, t->as, NULL);
    if (!status && solver) status = hsp_options_set(o, "solver", solver, NULL);
    bool gap = strcmp(t->algorithm, "logistic") == 0 || strcmp(t->algorithm, "svm") == 0;
    if (!status && gap) status = hsp_options_set(o, "tol", "1e-9", NULL);
    assert_int_equal(status, 0);
    status = hsp_train(data, o, NULL, out, NULL, NULL);
    hsp_options_free(o);
    return status;
}

/* Weights and intercepts after one another. */
static double *numbers_of(const hsp_model *m, int64_t *count) {
    hsp_array w = {.size = sizeof w}, b = {.size = sizeof b};
    assert_int_equal(hsp_model_array(m, "weights", &w, NULL), 0);
    assert_int_equal(hsp_model_array(m, "intercepts", &b, NULL), 0);
    int64_t many = w.shape[0] * w.shape[1], few = b.shape[0];
    double *all = hsp_alloc(many + few, sizeof *all);
    memcpy(all, w.data, (size_t)many * sizeof *all);
    memcpy(all + many, b.data, (size_t)few * sizeof *all);
    *count = many + few;
    return all;
}

/* The greatest difference, as a share of the greatest number; 0: the same bits. */
static double difference(const hsp_model *a, const hsp_model *b) {
    int64_t count, other;
    double *x = numbers_of(a, &count), *y = numbers_of(b, &other), most = 0, greatest = 0;
    assert_int_equal(count, other);
    for (int64_t t = 0; t < count; t++) {
        most = fmax(most, fabs(x[t] - y[t]));
        greatest = fmax(greatest, fabs(x[t]));
        if (isnan(x[t]) || isnan(y[t])) most = INFINITY;
    }
    if (memcmp(x, y, (size_t)count * sizeof *x) == 0) most = 0;
    hsp_free(x);
    hsp_free(y);
    return most == 0 ? 0 : most / greatest;
}

/* ---- the matrix ---- */

typedef struct file {
    hsp_data *data;
    char name[NAME];
} file;

enum { MOST_FILES = 96 };

static int read_all(const rows *t, const struct shape *s, target y, file *files) {
    int count = 0;
    bool more = true;
    for (int k = 0; more; k++) {
        file *f = &files[count];
        f->data = read_as(t, s, y, k, f->name, &more);
        if (f->data) assert_true(count++ < MOST_FILES - 1);
        if (f->data && hsp_data_hash(f->data) != hsp_data_hash(files[0].data)) fail_msg("%s has other content", f->name);
    }
    return count;
}

static int compare(const struct shape *s, const task *t, const char *solver, const char *scale, const file *first,
                   const file *f, const hsp_model *want, int status) {
    hsp_model *m = NULL;
    bool dual = solver && strcmp(solver, "dual") == 0;
    double apart = 0, most = first->data->x.dense == f->data->x.dense ? 0 : dual ? AT_GAP : ROUNDED;
    int got = train_by(f->data, t, solver, scale, &m);
    bool same = got == status && (m != NULL) == (want != NULL);
    if (same && m) apart = difference(want, m);
    if (!same || apart > most)
        print_error("%s, -a %s --%s %s --solver %s --scale %s: %s and %s differ by %g (status %d, %d)\n", s->name,
                    t->algorithm, t->option ? t->option : "threads", t->value ? t->value : "2", solver ? solver : "auto",
                    scale, first->name, f->name, apart, status, got);
    hsp_model_free(m);
    return !same || apart > most;
}

/* One task by one solver from all files, or in a sample from one of them. */
static int check_cell(const struct shape *s, const task *t, const char *solver, bool scaled, const file *files, int count,
                      uint64_t cell) {
    int wrong = 0, from = 1, to = count;
    if (!getenv("HSP_CHECK_FULL")) {
        uint64_t draw = cell * 0x9e3779b97f4a7c15u >> 32;
        if (draw % SAMPLED != 0) return 0;
        from = 1 + (int)(draw / SAMPLED % (uint64_t)(count - 1));
        to = from + 1;
    }
    const char *scale = scaled ? "standard" : "none";
    hsp_model *want = NULL;
    int status = train_by(files[0].data, t, solver, scale, &want);
    for (int f = from; f < to; f++) wrong += compare(s, t, solver, scale, &files[0], &files[f], want, status);
    hsp_model_free(want);
    return wrong;
}

static int check_task(const struct shape *s, const task *t, const file *files, int count, uint64_t *cell) {
    int wrong = 0;
    for (int scaled = 0; scaled < 2; scaled++) {
        wrong += check_cell(s, t, NULL, scaled, files, count, ++*cell);
        for (int k = 0; hsp_solver_table[k]; k++)
            wrong += check_cell(s, t, hsp_solver_table[k]->name, scaled, files, count, ++*cell);
    }
    return wrong;
}

static void every_layout_gives_the_same_weights(void **unused) {
    (void)unused;
    int wrong = 0;
    uint64_t cell = 0;
    rows *t = hsp_alloc(1, sizeof *t);
    for (int s = 0; s < SHAPES; s++) {
        fill(&shapes[s], t);
        for (target y = 0; y < TARGETS; y++) {
            file files[MOST_FILES];
            int count = read_all(t, &shapes[s], y, files);
            for (int k = 0; k < TASKS; k++)
                if (tasks[k].y == y) wrong += check_task(&shapes[s], &tasks[k], files, count, &cell);
            for (int f = 0; f < count; f++) hsp_data_free(files[f].data);
        }
    }
    hsp_free(t);
    assert_int_equal(wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_layout_gives_the_same_weights)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
