/* Read results by name: train on three classes and ask the report for figures, texts, arrays and the parts of it.
 *
 *     cc read_results.c $(pkg-config --cflags --libs halfspace) -o read_results
 */
#include <halfspace.h>

#include <inttypes.h>
#include <stdio.h>

/* A figure as text; "none" where the report has none. */
static const char *figure(const hsp_report *report, const char *name, char buf[32]) {
    double v = hsp_report_number(report, name);
    if (v != v) return "none"; /* NaN: the member is absent or null */
    hsp_format_number(v, buf);
    return buf;
}

static void show_fit(const hsp_report *report) {
    char objective[32], gap[32];
    printf("converged: %s\n", hsp_report_flag(report, "converged") == 1 ? "yes" : "no");
    printf("objective: %s, relative gap: %s\n", figure(report, "objective", objective),
           figure(report, "relative_gap", gap));
    printf("stopped by: %s\n", hsp_report_text(report, "stop_reason"));
}

/* One against the rest: a problem for each class, which is a report of its own. */
static void show_problems(const hsp_report *report) {
    const hsp_report *problems = hsp_report_member(report, "problems");
    for (const hsp_report *p = hsp_report_next(problems, NULL); p; p = hsp_report_next(problems, p)) {
        char objective[32], gap[32];
        printf("  %s: objective %s, relative gap %s, stopped by %s\n", hsp_report_text(p, "class"),
               figure(p, "objective", objective), figure(p, "relative_gap", gap), hsp_report_text(p, "stop_reason"));
    }
}

/* A matrix of counts, row by row: the true class, then how often each class was predicted. */
static int show_confusion(const hsp_report *metrics, hsp_error **error) {
    hsp_array a = {.size = sizeof a};
    int status = hsp_report_array(metrics, "confusion", &a, error);
    if (status) return status;
    const double *count = a.data;
    for (int64_t i = 0; i < a.shape[0]; i++) {
        printf("  %s:", hsp_report_text_at(metrics, "classes", i));
        for (int64_t k = 0; k < a.shape[1]; k++) printf(" %" PRId64, (int64_t)count[i * a.shape[1] + k]);
        printf("\n");
    }
    return 0;
}

int main(void) {
    hsp_options *options = NULL;
    hsp_data *data = NULL;
    hsp_model *model = NULL;
    hsp_report *report = NULL, *metrics = NULL;
    hsp_error *error = NULL;
    int status = hsp_options_new(&options, &error), right = 0;
    if (!status) status = hsp_options_set(options, "algorithm", "svm", &error);
    if (!status) status = hsp_options_set_int(options, "classes", 3, &error);
    if (!status) status = hsp_options_set_int(options, "rows", 150, &error);
    if (!status) status = hsp_data_generate("blobs", options, &data, &error);
    if (!status) status = hsp_train(data, options, NULL, &model, &report, &error);
    if (!status) status = hsp_evaluate(model, data, options, NULL, &metrics, &error);
    if (!status) {
        show_fit(report);
        show_problems(report);
        status = show_confusion(metrics, &error);
    }
    if (!status) { /* what a report says must add up */
        const hsp_report *problems = hsp_report_member(report, "problems");
        double sum = 0, objective = hsp_report_number(report, "objective");
        for (int64_t k = 0; k < hsp_report_count(problems, NULL); k++)
            sum += hsp_report_number(hsp_report_item(problems, NULL, k), "objective");
        right = hsp_report_count(problems, NULL) == 3 && sum > 0.999999 * objective && sum < 1.000001 * objective &&
                hsp_report_flag(report, "converged") == 1 && hsp_report_number(metrics, "accuracy") > 0.9;
    }
    if (error) fprintf(stderr, "read_results: %s\n", hsp_error_message(error));
    hsp_report_free(metrics);
    hsp_report_free(report);
    hsp_model_free(model);
    hsp_data_free(data);
    hsp_options_free(options);
    hsp_error_free(error);
    return status || !right;
}
