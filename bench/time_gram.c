/* Times one heavy pass of the design alone, from loaded data:
 *     time_gram gram|scores|adjoint THREADS RUNS FILE [TARGET]
 *     time_gram gram|scores|adjoint THREADS RUNS ROWS COLUMNS      (dense, random)
 * Ten outputs for scores and adjoint. One JSON line a run: seconds, and GFlop/s as if every number were stored. */
#include "base/clock.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/rng.h"
#include "data/data.h"
#include "design/gram.h"

#include <stdio.h>
#include <string.h>

enum { OUTPUTS = 10 };

typedef struct task {
    const char *pass;
    int64_t threads, runs;
    hsp_matrix x;   /* made here, or */
    hsp_data *data; /* read */
} task;

static int say(const char *what) {
    fprintf(stderr, "time_gram: %s\n", what);
    return 2;
}

static bool whole(const char *text, int64_t *v) {
    const char *end = text + strlen(text);
    return hsp_number_parse_int(text, end, v) == end && *v > 0;
}

/* Floats, as tables mostly are. */
static int make(task *t, int64_t rows, int64_t columns) {
    t->x = (hsp_matrix){.n = rows, .d = columns, .dense = true, .dtype = HSP_FLOAT32, .stored = rows * columns};
    float *value = t->x.value = hsp_alloc(rows * columns, sizeof *value);
    if (!value) return say("not enough memory: ask for fewer rows or columns");
    hsp_rng r = hsp_rng_new(1, 0);
    for (int64_t k = 0; k < rows * columns; k++) value[k] = (float)hsp_rng_uniform(&r);
    return 0;
}

static int read(task *t, const char *path, const char *target) {
    hsp_options *o = NULL;
    hsp_error *err = NULL;
    int status = hsp_options_new(&o, &err);
    if (!status && target) status = hsp_options_set(o, "target", target, &err);
    if (!status) status = hsp_data_read(path, o, NULL, &t->data, &err);
    hsp_options_free(o);
    if (status) say(err ? hsp_error_message(err) : "the data cannot be read");
    hsp_error_free(err);
    return status ? 2 : 0;
}

static void print(const char *name, double v, const char *after) {
    char text[32];
    text[hsp_number_format(v, text)] = '\0';
    printf("\"%s\": %s%s", name, text, after);
}

static int run(const task *t, const hsp_design *D, double *in, double *out) {
    double n = (double)D->n, d = (double)D->d;
    for (int64_t k = 0; k < t->runs; k++) {
        double began = hsp_clock_seconds(), flops = 2 * n * d * OUTPUTS;
        int status;
        if (strcmp(t->pass, "gram") == 0) {
            flops = n * d * (d + 1);
            status = hsp_design_gram(D, NULL, NULL, NULL, 1, out, NULL);
        } else if (strcmp(t->pass, "scores") == 0) {
            status = hsp_design_scores_many(D, in, NULL, OUTPUTS, out, NULL);
        } else {
            status = hsp_design_adjoint_many(D, in, OUTPUTS, out, NULL);
        }
        double seconds = hsp_clock_seconds() - began;
        if (status) return say("not enough memory");
        printf("{");
        print("seconds", seconds, ", ");
        print("gflops", flops / seconds / 1e9, ", ");
        printf("\"layout\": \"%s\"}\n", D->x->dense ? "dense" : "sparse");
    }
    return 0;
}

static int measure(const task *t) {
    const hsp_matrix *x = t->data ? &t->data->x : &t->x;
    int64_t n = x->n, d = x->d, most = d > n ? d : n, square = strcmp(t->pass, "gram") == 0 ? d * d : 1;
    hsp_design *D = NULL;
    double *in = hsp_alloc_zero(most * OUTPUTS, sizeof *in);
    double *out = hsp_alloc(square > most * OUTPUTS ? square : most * OUTPUTS, sizeof *out);
    bool ready = in && out && hsp_design_new(x, NULL, NULL, (int)t->threads, &D, NULL) == 0;
    for (int64_t k = 0; ready && k < most * OUTPUTS; k++) in[k] = (double)(k % 7) - 3;
    int status = ready ? run(t, D, in, out) : say("not enough memory");
    hsp_design_free(D);
    hsp_free(in);
    hsp_free(out);
    return status;
}

int main(int count, char **word) {
    task t = {0};
    int64_t rows, columns;
    if (count < 5 || count > 6 || !whole(word[2], &t.threads) || !whole(word[3], &t.runs) || t.threads > 1024)
        return say("usage: time_gram gram|scores|adjoint THREADS RUNS FILE [TARGET], or ROWS COLUMNS");
    t.pass = word[1];
    bool random = count == 6 && whole(word[4], &rows) && whole(word[5], &columns);
    int status = random ? make(&t, rows, columns) : read(&t, word[4], count == 6 ? word[5] : NULL);
    if (!status) status = measure(&t);
    hsp_free(t.x.value);
    hsp_data_free(t.data);
    return status;
}
