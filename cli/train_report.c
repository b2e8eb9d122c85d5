#include "train_report.h"
#include "calibration_report.h"
#include "details.h"
#include "fail.h"
#include "json_output.h"
#include "layers_report.h"
#include "metrics_report.h"
#include "output.h"
#include "reading.h"
#include "separable_report.h"
#include "short_number.h"
#include "spark.h"
#include "svm_report.h"
#include "text_table.h"
#include "weights.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* P, and J = P / (C sum c) with the mean loss in place of the sum. */
static void objective_line(hsp_cli_table *t, const hsp_report *report) {
    double P = hsp_report_number(report, "objective"), J = hsp_report_number(report, "mean_objective");
    char a[HSP_CLI_NUMBER], b[HSP_CLI_NUMBER];
    if (!isfinite(P)) return;
    hsp_cli_cell(t, "objective");
    hsp_cli_short(P, 6, HSP_CLI_NEAREST, a);
    if (isfinite(J))
        hsp_cli_cellf(t, "%s (mean form J = %s)", a, hsp_cli_short(J, 6, HSP_CLI_NEAREST, b));
    else
        hsp_cli_cell(t, a);
}

static bool is_hard_margin(const hsp_report *report) {
    const char *algorithm = hsp_report_text(report, "algorithm");
    return algorithm && strcmp(algorithm, "hard-svm") == 0;
}

/* "hinge loss, l2 penalty, C = 1 (lambda = 0.01)", "huber loss (delta = 1.35), ..." */
static void problem_line(hsp_cli_table *t, const hsp_report *report) {
    const char *loss = hsp_report_text(report, "loss"), *penalty = hsp_report_text(report, "penalty");
    double C = hsp_report_number(report, "C"), lambda = hsp_report_number(report, "lambda");
    double delta = hsp_report_number(report, "delta");
    char a[HSP_CLI_NUMBER], b[HSP_CLI_NUMBER], weight[3 * HSP_CLI_NUMBER] = "", shape[2 * HSP_CLI_NUMBER] = "";
    if (isfinite(delta)) snprintf(shape, sizeof shape, " (delta = %s)", hsp_cli_short(delta, 6, HSP_CLI_NEAREST, a));
    if (isfinite(C) && isfinite(lambda))
        snprintf(weight, sizeof weight, ", C = %s (lambda = %s)", hsp_cli_short(C, 6, HSP_CLI_NEAREST, a),
                 hsp_cli_short(lambda, 6, HSP_CLI_NEAREST, b));
    if (!loss && !penalty) return;
    if (is_hard_margin(report)) {
        hsp_cli_cell(t, "problem");
        hsp_cli_cell(t, "maximum margin, no row inside it");
        return;
    }
    bool none = !penalty || strcmp(penalty, "none") == 0;
    hsp_cli_cell(t, "problem");
    if (loss)
        hsp_cli_cellf(t, "%s loss%s, %s penalty%s", loss, shape, none ? "no" : penalty, weight);
    else
        hsp_cli_cellf(t, "%s penalty%s", none ? "no" : penalty, weight);
}

enum { LATER_METHODS = 512 };

/* ", then newton-cg from epoch 12 on": the methods after the first. */
static void later_methods(const hsp_report *report, char *out, size_t size) {
    const hsp_report *stages = hsp_report_member(report, "stages");
    size_t used = 0;
    *out = '\0';
    for (int64_t i = 1; i < hsp_report_count(stages, NULL) && used < size; i++) {
        const hsp_report *stage = hsp_report_item(stages, NULL, i);
        char epoch[HSP_CLI_NUMBER];
        int length = snprintf(out + used, size - used, ", then %s from epoch %s", hsp_report_text(stage, "method"),
                              hsp_cli_short(hsp_report_number(stage, "epoch"), 15, HSP_CLI_NEAREST, epoch));
        used += length > 0 ? (size_t)length : 0;
    }
}

enum { STEP_SIZE = 3 * HSP_CLI_NUMBER + 40 };

/* ", step size 0.2/(1 + 0.01 k)": of update k, from 0. */
static void step_size(const hsp_report *report, char *out, size_t size) {
    const char *schedule = hsp_report_text(report, "schedule");
    char rate[HSP_CLI_NUMBER], decay[HSP_CLI_NUMBER];
    hsp_cli_short(hsp_report_number(report, "learning_rate"), 6, HSP_CLI_NEAREST, rate);
    hsp_cli_short(hsp_report_number(report, "decay"), 6, HSP_CLI_NEAREST, decay);
    *out = '\0';
    if (!schedule) return;
    if (strcmp(schedule, "constant") == 0)
        snprintf(out, size, ", step size %s", rate);
    else if (strcmp(schedule, "harmonic") == 0)
        snprintf(out, size, ", step size %s/(k + 1)", rate);
    else if (strcmp(schedule, "decay") == 0)
        snprintf(out, size, ", step size %s/(1 + %s k)", rate, decay);
    else if (strcmp(schedule, "power") == 0)
        snprintf(out, size, ", step size %s/(k + 1)^%s", rate, decay);
    else if (strcmp(schedule, "pegasos") == 0)
        snprintf(out, size, ", step size 1/(lambda (k + 1))");
    else
        snprintf(out, size, ", step size by line search from %s", rate);
}

static void solver_line(hsp_cli_table *t, const hsp_report *report) {
    const char *solver = hsp_report_text(report, "solver");
    if (!solver) return;
    char others[LATER_METHODS], step[STEP_SIZE];
    later_methods(report, others, sizeof others);
    step_size(report, step, sizeof step);
    hsp_cli_cell(t, "solver");
    hsp_cli_cellf(t, "%s%s%s", solver, step, others);
}

/* The relative gap as a sentence. */
static void gap_line(hsp_cli_table *t, const hsp_report *report) {
    double gap = hsp_report_number(report, "relative_gap"), tolerance = hsp_report_number(report, "tolerance");
    char percent[HSP_CLI_NUMBER], asked[HSP_CLI_NUMBER], missed[2 * HSP_CLI_NUMBER] = "";
    if (!isfinite(gap)) return;
    if ((hsp_report_flag(report, "tolerance_missed") == 1))
        snprintf(missed, sizeof missed, "; missed the tolerance %s", hsp_cli_short(tolerance, 6, HSP_CLI_NEAREST, asked));
    hsp_cli_cell(t, "certificate");
    if (gap >= 1)
        hsp_cli_cellf(t, "none: the dual bound is not above 0%s", missed);
    else
        hsp_cli_cellf(t, "objective at most %s %% above the optimum%s", hsp_cli_above(gap, percent), missed);
}

/* The number of weights that a penalty with an L1 part keeps. */
static void sparsity_line(hsp_cli_table *t, const hsp_report *report) {
    const char *penalty = hsp_report_text(report, "penalty");
    if (!penalty || (strcmp(penalty, "l1") != 0 && strcmp(penalty, "elastic") != 0)) return;
    int64_t classes = hsp_report_count(report, "classes");
    double all = hsp_report_number(report, "features") * (double)(classes > 2 ? classes : 1);
    char left[HSP_CLI_NUMBER], of[HSP_CLI_NUMBER];
    hsp_cli_cell(t, "nonzeros");
    hsp_cli_cellf(t, "%s of %s weights",
                  hsp_cli_short(hsp_report_number(report, "nonzero_weights"), 15, HSP_CLI_NEAREST, left),
                  hsp_cli_short(all, 15, HSP_CLI_NEAREST, of));
}

/* Whether the classes are not separable without an intercept, which was left out. */
static bool fails_at_origin(const hsp_report *report) {
    const char *reason = hsp_report_text(report, "stop_reason"),
               *intercept = hsp_report_text(hsp_report_member(report, "separable"), "intercept");
    return reason && strcmp(reason, "not-separable") == 0 && intercept && strcmp(intercept, "none") == 0;
}

static void stop_line(hsp_cli_table *t, const hsp_report *report) {
    const char *reason = hsp_report_text(report, "stop_reason");
    double epochs = hsp_report_number(report, "epochs"), updates = hsp_report_number(report, "updates");
    char a[HSP_CLI_NUMBER], b[HSP_CLI_NUMBER], work[4 * HSP_CLI_NUMBER] = "";
    if (!reason) return;
    bool begun = !is_hard_margin(report) || epochs > 0; /* no hyperplane, no steps to count */
    if (isfinite(epochs) && begun)
        snprintf(work, sizeof work, "after %s epoch%s%s", hsp_cli_short(epochs, 15, HSP_CLI_NEAREST, a),
                 epochs == 1 ? "" : "s", hsp_cli_is_list(report, "problems") ? " over all classes" : "");
    size_t used = strlen(work);
    if (isfinite(updates) && begun)
        snprintf(work + used, sizeof work - used, "%s%s update%s", used ? ", " : "after ",
                 hsp_cli_short(updates, 15, HSP_CLI_NEAREST, b), updates == 1 ? "" : "s");
    hsp_cli_cell(t, "stopped");
    hsp_cli_cellf(t, "%s%s%s", work, *work ? ": " : "",
                  fails_at_origin(report) ? "no hyperplane through the origin separates the classes"
                                          : hsp_stop_sentence(reason));
}

/* Differs from gamma, the margin of (w, b), only with an intercept. */
static void geometric_line(hsp_cli_table *t, const hsp_report *perceptron) {
    double geometric = hsp_report_number(perceptron, "geometric_margin");
    char buf[HSP_CLI_NUMBER];
    if (!isfinite(geometric) || geometric == hsp_report_number(perceptron, "margin")) return;
    hsp_cli_cell(t, "");
    hsp_cli_cellf(t, "%s (geometric margin, min y g / |w|)", hsp_cli_short(geometric, 6, HSP_CLI_NEAREST, buf));
}

static void perceptron_lines(hsp_cli_table *t, const hsp_report *perceptron) {
    if (!hsp_cli_is(perceptron, NULL, HSP_REPORT_OBJECT)) return;
    char k[HSP_CLI_NUMBER], R[HSP_CLI_NUMBER], margin[HSP_CLI_NUMBER], bound[HSP_CLI_NUMBER];
    double most = hsp_report_number(perceptron, "bound"), g = hsp_report_number(perceptron, "margin");
    bool converged = (hsp_report_flag(perceptron, "converged") == 1);
    hsp_cli_cell(t, "perceptron");
    double updates = hsp_report_number(perceptron, "updates");
    hsp_cli_cellf(t, "%s in %s update%s", converged ? "converged" : "did not converge",
                  hsp_cli_short(updates, 15, HSP_CLI_NEAREST, k), updates == 1 ? "" : "s");
    if (isfinite(g)) {
        hsp_cli_cell(t, "margin");
        hsp_cli_cellf(t, "%s (perceptron margin gamma), data radius R = %s", hsp_cli_short(g, 6, HSP_CLI_NEAREST, margin),
                      hsp_cli_short(hsp_report_number(perceptron, "R"), 6, HSP_CLI_NEAREST, R));
        geometric_line(t, perceptron);
    }
    if (isfinite(most)) {
        hsp_cli_cell(t, "Novikoff");
        hsp_cli_cellf(t, "at most (R/gamma)^2 = %s updates", hsp_cli_short(most, 6, HSP_CLI_NEAREST, bound));
    }
}

static void accuracy_line(hsp_cli_table *t, const char *title, double accuracy, double rows, bool weighted,
                          const char *of) {
    char buf[4 * HSP_CLI_NUMBER];
    if (!isfinite(accuracy)) return;
    hsp_cli_cell(t, title);
    hsp_cli_cell(t, hsp_cli_accuracy(accuracy, rows, weighted, of, buf));
}

static void residual_line(hsp_cli_table *t, const char *title, double r2, double mse, double rows, const char *of) {
    char buf[5 * HSP_CLI_NUMBER];
    if (!isfinite(mse)) return;
    hsp_cli_cell(t, title);
    hsp_cli_cell(t, hsp_cli_fit_quality(r2, mse, rows, of, buf));
}

/* The metrics on the training rows and on the held-out rows. */
static void quality_lines(hsp_cli_table *t, const hsp_report *report) {
    static const char of[] = "training rows", of_held[] = "held-out rows";
    const hsp_report *holdout = hsp_report_member(report, "holdout");
    double rows = hsp_report_number(report, "rows");
    accuracy_line(t, "accuracy", hsp_report_number(report, "train_accuracy"), rows,
                  (hsp_report_flag(report, "weighted") == 1), of);
    residual_line(t, "R^2", hsp_report_number(report, "train_r2"), hsp_report_number(report, "train_mse"), rows, of);
    if (!hsp_cli_is(holdout, NULL, HSP_REPORT_OBJECT)) return;
    rows = hsp_report_number(holdout, "rows");
    accuracy_line(t, "held out", hsp_report_number(holdout, "accuracy"), rows,
                  hsp_cli_is(holdout, "weight", HSP_REPORT_NUMBER), of_held);
    residual_line(t, "R^2 held out", hsp_report_number(holdout, "r2"), hsp_report_number(holdout, "mse"), rows, of_held);
}

static int print_figures(FILE *f, const hsp_report *report, const hsp_cli_course *course) {
    hsp_cli_table t;
    hsp_cli_table_begin(&t, 2);
    hsp_cli_cell(&t, "algorithm");
    const char *algorithm = hsp_report_text(report, "algorithm");
    hsp_cli_cellf(&t, "%s%s", algorithm, hsp_cli_predicts_numbers(algorithm, NULL) > 0 ? " (reads the target as numbers)" : "");
    problem_line(&t, report);
    solver_line(&t, report);
    objective_line(&t, report);
    gap_line(&t, report);
    stop_line(&t, report);
    if (course && hsp_cli_draws(f)) hsp_cli_course_lines(course, hsp_cli_is(report, "perceptron", HSP_REPORT_OBJECT), &t);
    sparsity_line(&t, report);
    perceptron_lines(&t, hsp_report_member(report, "perceptron"));
    hsp_cli_fit_separable_line(&t, report);
    hsp_cli_svm_lines(&t, hsp_report_member(report, "svm"), false);
    hsp_cli_detail_lines(&t, report);
    quality_lines(&t, report);
    hsp_cli_calibration_lines(&t, report);
    return hsp_cli_table_print(&t, f, 0, "l");
}

/* Prints one line for each one-vs-rest problem; a figure that no problem has gets no column. */
static int print_problems(FILE *f, const hsp_report *problems) {
    static const struct {
        const char *key, *title;
    } figures[] = {
        {"objective", "objective"}, {"relative_gap", "relative gap"}, {"epochs", "epochs"}, {"updates", "updates"}};
    if (hsp_report_count(problems, NULL) < 2) return 0;
    bool shown[4] = {false};
    int columns = 2;
    for (int k = 0; k < 4; k++) {
        HSP_REPORT_EACH(p, problems) shown[k] = shown[k] || isfinite(hsp_report_number(p, figures[k].key));
        columns += shown[k];
    }
    hsp_cli_table t;
    hsp_cli_table_begin(&t, columns);
    hsp_cli_cell(&t, "class");
    hsp_cli_cell(&t, "stopped");
    for (int k = 0; k < 4; k++)
        if (shown[k]) hsp_cli_cell(&t, figures[k].title);
    HSP_REPORT_EACH(p, problems) {
        const char *reason = hsp_report_text(p, "stop_reason");
        hsp_cli_cell_name(&t, hsp_report_text(p, "class"));
        hsp_cli_cell(&t, reason ? hsp_stop_sentence(reason) : "");
        for (int k = 0; k < 4; k++)
            if (shown[k]) hsp_cli_cell_number(&t, hsp_report_number(p, figures[k].key));
    }
    fprintf(f, "\none-vs-rest problems\n");
    return hsp_cli_table_print(&t, f, 2, "lld");
}

enum { ALL_SHOWN = 10, LARGEST_SHOWN = 5 };

static int print_weights(FILE *f, const hsp_model *m) {
    int64_t limit = hsp_model_features(m) <= ALL_SHOWN ? ALL_SHOWN : LARGEST_SHOWN;
    if (hsp_cli_is_network(m)) return hsp_cli_print_layers(f, m, false);
    hsp_cli_print_weights_title(f, m, limit, NULL);
    return hsp_cli_print_weights(f, m, limit, HSP_CLI_BY_SIZE);
}

static void print_model(FILE *f, const hsp_report *report) {
    const char *model = hsp_report_text(report, "model"), *checksum = hsp_report_text(report, "checksum");
    fputs("\nmodel ", f);
    hsp_cli_put_clean(f, model ? hsp_cli_output_name(model) : "not written (add -o FILE)");
    if (checksum) fprintf(f, ", checksum %s", checksum);
    putc('\n', f);
    const char *certificate = hsp_report_text(report, "certificate");
    if (!certificate) return;
    fputs("certificate ", f);
    hsp_cli_put_clean(f, hsp_cli_output_name(certificate));
    putc('\n', f);
}

int hsp_cli_print_training(FILE *f, const char *path, const hsp_report *data, const hsp_report *report,
                           const hsp_cli_course *course, bool verbose, const hsp_model *m) {
    if (path) hsp_cli_print_data(f, hsp_cli_input_name(path), data);
    if (path) hsp_cli_print_assumed(f, data);
    putc('\n', f);
    int code = print_figures(f, report, course);
    if (!code && verbose) code = hsp_cli_print_losses(f, report, "training rows");
    if (!code && m) code = print_problems(f, hsp_report_member(report, "problems"));
    if (!code) code = hsp_cli_print_svm_classes(f, hsp_report_member(report, "svm"), hsp_report_member(report, "classes"));
    if (!code && m) code = print_weights(f, m);
    if (!code && m) print_model(f, report);
    const char *advice = hsp_report_text(report, "advice");
    if (!code && advice) {
        fputs("advice: ", f);
        hsp_cli_put_clean(f, advice);
        putc('\n', f);
    }
    return code;
}
