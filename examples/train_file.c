/* Train a perceptron on a data file, watch it learn, print figures of the report, save the model and evaluate it.
 *
 *     cc train_file.c $(pkg-config --cflags --libs halfspace) -o train_file
 *     ./train_file fruit.csv fruit.hsm
 */
#include <halfspace.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Called after every epoch, on this thread; anything but 0 would stop the training and keep the best so far. */
static int show_progress(void *user, const hsp_progress *p) {
    (void)user;
    char error[32];
    hsp_format_number(p->error, error);
    fprintf(stderr, "epoch %" PRId64 ": %" PRId64 " updates, error %s\n", p->epoch, p->updates, error);
    return 0;
}

/* What was assumed and chosen: the format that was recognised, the column taken as the label. */
static void show_line(void *user, int level, const char *line) {
    (void)user;
    if (level == 0) fprintf(stderr, "note: %s\n", line);
}

/* The saved model must answer as the one in memory does, to the last bit: *same. 0, or a status. */
static int compare(const hsp_model *model, const char *path, const hsp_data *data, int *same, hsp_error **error) {
    hsp_model *loaded = NULL;
    int64_t d = hsp_data_features(data), outputs = hsp_model_outputs(model);
    double *x = calloc((size_t)d + 1, sizeof *x), *a = calloc((size_t)outputs, sizeof *a);
    double *b = calloc((size_t)outputs, sizeof *b);
    int status = x && a && b ? hsp_model_load(path, &loaded, error) : HSP_EMEMORY;
    *same = !status;
    for (int64_t i = 0; !status && i < hsp_data_rows(data); i++) {
        status = hsp_data_row(data, i, x, error);
        if (status) break;
        int64_t k = hsp_model_classify(model, x, a);
        if (k != hsp_model_classify(loaded, x, b) || memcmp(a, b, (size_t)outputs * sizeof *a) != 0) *same = 0;
    }
    hsp_model_free(loaded);
    free(x);
    free(a);
    free(b);
    return status;
}

static void show_results(const hsp_report *report, const hsp_report *metrics) {
    char updates[32], accuracy[32];
    hsp_format_number(hsp_report_number(report, "updates"), updates);
    hsp_format_number(hsp_report_number(metrics, "accuracy"), accuracy);
    printf("%s after %s updates (%s)\naccuracy %s on the training rows\n",
           hsp_report_flag(report, "converged") == 1 ? "converged" : "did not converge", updates,
           hsp_report_text(report, "stop_reason"), accuracy);
}

int main(int argc, char **argv) {
    hsp_options *options = NULL;
    hsp_data *data = NULL;
    hsp_model *model = NULL;
    hsp_error *error = NULL;
    hsp_report *report = NULL, *metrics = NULL;
    int same = 0;
    const hsp_hooks hooks = {.size = sizeof hooks, .progress = show_progress, .log = show_line};
    if (argc != 3) {
        fprintf(stderr, "usage: %s DATA MODEL\n", argv[0]);
        return 2;
    }

    /* Options have the names and values of the command line: halfspace train --help. Every call that fails fills `error`,
     * and everything may be freed at the end whether it was made or not. */
    int status = hsp_options_new(&options, &error);
    if (!status) status = hsp_options_set(options, "algorithm", "perceptron", &error);
    if (!status) status = hsp_options_set_int(options, "max-epochs", 100, &error);
    if (!status) status = hsp_data_read(argv[1], options, &hooks, &data, &error);
    if (!status) status = hsp_train(data, options, &hooks, &model, &report, &error);
    if (!status) status = hsp_model_save(model, argv[2], &error);
    if (!status) status = compare(model, argv[2], data, &same, &error);
    if (!status) status = hsp_evaluate(model, data, options, NULL, &metrics, &error);

    if (status)
        fprintf(stderr, "%s: %s\n", argv[0], error ? hsp_error_message(error) : "out of memory");
    else if (!same)
        fprintf(stderr, "%s: the saved model differs\n", argv[0]);
    else
        show_results(report, metrics);

    hsp_report_free(metrics);
    hsp_report_free(report);
    hsp_model_free(model);
    hsp_data_free(data);
    hsp_options_free(options);
    hsp_error_free(error);
    return status || !same;
}
