#include "svm_report.h"
#include "fail.h"
#include "json_output.h"
#include "short_number.h"
#include "text_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *whole(double v, char *buf) {
    return hsp_cli_short(v, 15, HSP_CLI_NEAREST, buf);
}

static const char *six(double v, char *buf) {
    return hsp_cli_short(v, 6, HSP_CLI_NEAREST, buf);
}

/* ---- lines ---- */

static void margin_line(hsp_cli_table *t, const hsp_report *svm) {
    char a[HSP_CLI_NUMBER], b[HSP_CLI_NUMBER];
    double margin = hsp_report_number(svm, "margin"), width = hsp_report_number(svm, "margin_width");
    if (!isfinite(margin)) return;
    hsp_cli_cell(t, "margin");
    hsp_cli_cellf(t, "%s (1/|w|; margin width 2/|w| = %s)", six(margin, a), six(width, b));
}

/* "132 vectors; rows: 3 on the margin, 129 inside it, 300 beyond" */
static void support_line(hsp_cli_table *t, const hsp_report *support) {
    char v[HSP_CLI_NUMBER], on[HSP_CLI_NUMBER], in[HSP_CLI_NUMBER], out[HSP_CLI_NUMBER], count[2 * HSP_CLI_NUMBER] = "";
    double vectors = hsp_report_number(support, "vectors");
    if (!hsp_cli_is(support, NULL, HSP_REPORT_OBJECT)) return;
    if (isfinite(vectors)) snprintf(count, sizeof count, "%s; ", whole(vectors, v));
    hsp_cli_cell(t, "support vectors");
    hsp_cli_cellf(t, "%srows on the margin %s, inside %s, outside %s", count,
                  whole(hsp_report_number(support, "on_margin"), on), whole(hsp_report_number(support, "bound"), in),
                  whole(hsp_report_number(support, "non_support"), out));
}

static void slack_line(hsp_cli_table *t, const hsp_report *svm) {
    char a[HSP_CLI_NUMBER], b[HSP_CLI_NUMBER];
    double sum = hsp_report_number(svm, "slack_sum"), most = hsp_report_number(svm, "slack_max");
    if (!(sum > 0)) return;
    hsp_cli_cell(t, "slacks");
    hsp_cli_cellf(t, "sum %s, largest %s", six(sum, a), six(most, b));
}

static void learner_lines(hsp_cli_table *t, const hsp_report *svm) {
    char a[HSP_CLI_NUMBER], b[HSP_CLI_NUMBER];
    const hsp_report *slackness = hsp_report_member(svm, "slackness");
    double least = hsp_report_number(svm, "least_margin"), alphas = hsp_report_number(svm, "alpha_sum");
    double on = hsp_report_number(slackness, "margin"), bound = hsp_report_number(slackness, "bound");
    double tolerance = hsp_report_number(hsp_report_member(svm, "support"), "tolerance");
    if (isfinite(tolerance)) {
        hsp_cli_cell(t, "on the margin");
        hsp_cli_cellf(t, "y g within %s of 1", hsp_cli_short(tolerance, 2, HSP_CLI_UP, a));
    }
    if (isfinite(least)) {
        hsp_cli_cell(t, "smallest y g");
        hsp_cli_cell(t, six(least, a));
    }
    if (isfinite(alphas)) {
        hsp_cli_cell(t, "sum of alpha");
        hsp_cli_cell(t, six(alphas, a));
    }
    if (isfinite(on)) { /* a hard margin has no slacks */
        hsp_cli_cell(t, "slackness");
        hsp_cli_cellf(t, "|alpha (1 - xi - y g)| at most %s%s%s", hsp_cli_short(on, 2, HSP_CLI_UP, a),
                      isfinite(bound) ? ", xi (C - alpha) at most " : "",
                      isfinite(bound) ? hsp_cli_short(bound, 2, HSP_CLI_UP, b) : "");
    }
}

void hsp_cli_svm_lines(hsp_cli_table *t, const hsp_report *svm, bool all) {
    if (!hsp_cli_is(svm, NULL, HSP_REPORT_OBJECT)) return;
    margin_line(t, svm);
    support_line(t, hsp_report_member(svm, "support"));
    slack_line(t, svm);
    if (all) learner_lines(t, svm);
}

/* ---- several classes ---- */

int hsp_cli_print_svm_classes(FILE *f, const hsp_report *svm, const hsp_report *classes) {
    static const char *const titles[] = {"class", "margin", "vectors", "on margin", "inside", "outside", "slack"};
    static const char *const counts[] = {"vectors", "on_margin", "bound", "non_support"};
    if (!hsp_cli_is_list(svm, NULL) || hsp_report_count(svm, NULL) == 0) return 0;
    hsp_cli_table t;
    hsp_cli_table_begin(&t, 7);
    for (int k = 0; k < 7; k++) hsp_cli_cell(&t, titles[k]);
    for (int64_t i = 0; i < hsp_report_count(svm, NULL); i++) {
        const hsp_report *one = hsp_report_item(svm, NULL, i), *support = hsp_report_member(one, "support");
        const char *name = hsp_report_text(one, "class");
        char buf[HSP_CLI_NUMBER];
        hsp_cli_cell_name(&t, name ? name : hsp_report_text_at(classes, NULL, i));
        hsp_cli_cell_number(&t, hsp_report_number(one, "margin"));
        for (int k = 0; k < 4; k++) hsp_cli_cell(&t, whole(hsp_report_number(support, counts[k]), buf));
        hsp_cli_cell_number(&t, hsp_report_number(one, "slack_sum"));
    }
    fputs("\nmargins and support vectors\n", f);
    return hsp_cli_table_print(&t, f, 2, "ld");
}

/* ---- the dual vector ---- */

typedef struct dual_entry {
    int64_t k, row; /* output; row from 1 */
    double value;
} dual_entry;

static int by_row(const void *a, const void *b) {
    const dual_entry *x = a, *y = b;
    if (x->row != y->row) return x->row < y->row ? -1 : 1;
    return x->k < y->k ? -1 : x->k > y->k;
}

static int largest_first(const void *a, const void *b) {
    const dual_entry *x = a, *y = b;
    double p = fabs(x->value), q = fabs(y->value);
    return p != q ? (p < q ? 1 : -1) : by_row(a, b);
}

/* One entry of a vector of any type. */
static double at(const hsp_array *a, int64_t i) {
    const char *p = (const char *)a->data + i * a->strides[0];
    switch (a->dtype) {
    case HSP_FLOAT64: {
        double v;
        memcpy(&v, p, sizeof v);
        return v;
    }
    case HSP_UINT32: {
        uint32_t v;
        memcpy(&v, p, sizeof v);
        return (double)v;
    }
    case HSP_INT64: {
        int64_t v;
        memcpy(&v, p, sizeof v);
        return (double)v;
    }
    default:
        return (double)NAN;
    }
}

int hsp_cli_check_support(const hsp_model *m) {
    hsp_array rows = {.size = sizeof rows};
    if (hsp_model_array(m, "dual-rows", &rows, NULL) == 0) return 0;
    return hsp_cli_fail(
        HSP_EXIT_USAGE,
        "the model holds no support vectors: train with svm or hard-svm, without --certificate and --no-certificate");
}

/* Reads the whole dual vector; the caller frees it. 0 or an exit code. */
static int read_dual(const hsp_model *m, dual_entry **out, int64_t *count) {
    hsp_array begin = {.size = sizeof begin}, rows = {.size = sizeof rows}, values = {.size = sizeof values};
    hsp_error *err = NULL;
    if (hsp_model_array(m, "dual-begin", &begin, &err) || hsp_model_array(m, "dual-rows", &rows, &err) ||
        hsp_model_array(m, "dual-values", &values, &err))
        return hsp_cli_report_error(&err);
    *count = values.shape[0];
    dual_entry *list = calloc((size_t)*count + 1, sizeof *list);
    if (!list) return hsp_cli_fail_memory();
    for (int64_t k = 0; k + 1 < begin.shape[0]; k++)
        for (int64_t i = (int64_t)at(&begin, k); i < (int64_t)at(&begin, k + 1); i++)
            list[i] = (dual_entry){k, (int64_t)at(&rows, i) + 1, at(&values, i)};
    *out = list;
    return 0;
}

/* The class of a multiplier: its sign is that of y. */
static const char *side(const hsp_model *m, const dual_entry *e) {
    int64_t positive = hsp_model_positive(m);
    if (hsp_model_outputs(m) > 1) return e->value > 0 ? "+1" : "-1";
    return hsp_model_class_name(m, e->value > 0 ? positive : 1 - positive);
}

static int print_entries(FILE *f, const hsp_model *m, const dual_entry *list, int64_t shown) {
    bool several = hsp_model_outputs(m) > 1, classes = hsp_model_classes(m) > 0;
    hsp_cli_table t;
    hsp_cli_table_begin(&t, several ? 4 : classes ? 3 : 2);
    if (several) hsp_cli_cell(&t, "problem");
    hsp_cli_cell(&t, "row");
    if (classes) hsp_cli_cell(&t, several ? "y" : "class");
    hsp_cli_cell(&t, classes ? "alpha" : "multiplier");
    for (int64_t i = 0; i < shown; i++) {
        if (several) hsp_cli_cell_name(&t, hsp_model_class_name(m, list[i].k));
        hsp_cli_cellf(&t, "%" PRId64, list[i].row);
        if (classes) hsp_cli_cell_name(&t, side(m, &list[i]));
        hsp_cli_cell_number(&t, classes ? fabs(list[i].value) : list[i].value);
    }
    return hsp_cli_table_print(&t, f, 2, several ? "lrrd" : classes ? "rld" : "rd");
}

int hsp_cli_print_support(FILE *f, const hsp_model *m, bool all) {
    dual_entry *list = NULL;
    int64_t count = 0;
    int code = read_dual(m, &list, &count);
    if (code) return code;
    bool few = all || count <= HSP_CLI_SUPPORT_SHOWN;
    fprintf(f, "\nrows with a non-zero multiplier: %" PRId64, count);
    if (!few) fprintf(f, ", the %d largest (--all prints all)", HSP_CLI_SUPPORT_SHOWN);
    putc('\n', f);
    qsort(list, (size_t)count, sizeof *list, few ? by_row : largest_first);
    code = print_entries(f, m, list, few ? count : HSP_CLI_SUPPORT_SHOWN);
    free(list);
    return code;
}
