#include "separable_report.h"
#include "fail.h"
#include "weights.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ALL_SHOWN = 10, LARGEST_SHOWN = 5, WITNESS_SHOWN = 20, COLUMNS_SHOWN = 10 };

static bool says(const json_t *separable, const char *verdict) {
    const char *v = hsp_cli_json_string(separable, "verdict");
    return v && strcmp(v, verdict) == 0;
}

/* How sure a verdict is, for the end of a sentence. */
static const char *proof_words(const json_t *separable) {
    const char *proof = hsp_cli_json_string(separable, "proof");
    if (!proof) return "not proven";
    return strcmp(proof, "exact") == 0 ? "proven in exact arithmetic"
                                       : "proven in floating point with bounds on its rounding";
}

/* The verdicts on each class against the rest, when there are several: the library lists them under one verdict, a fit
 * bare. */
static const json_t *problems_of(const json_t *separable) {
    return json_is_array(separable) ? separable : json_object_get(separable, "problems");
}

static bool through_origin(const json_t *separable) {
    const json_t *problem = json_array_get(problems_of(separable), 0);
    const char *intercept = hsp_cli_json_string(problem ? problem : separable, "intercept");
    return intercept && strcmp(intercept, "none") == 0;
}

/* ---- the line ---- */

/* Allocated; NULL when memory runs out. */
static char *one_words(const json_t *s) {
    char margin[HSP_CLI_NUMBER], *text = NULL;
    bool origin = through_origin(s);
    const char *plane = origin ? "a plane through the origin" : "a plane", *proven = proof_words(s);
    const char *reason = hsp_cli_json_string(s, "reason");
    double m = hsp_cli_json_number(s, "margin");
    int n;
    if (says(s, "separable") && hsp_cli_json_string(s, "note"))
        n = asprintf(&text, "yes, but there is one class only");
    else if (says(s, "separable") && isfinite(m))
        n = asprintf(&text, "yes, by %s with a margin of %s: %s", plane, hsp_cli_short(m, 4, HSP_CLI_NEAREST, margin),
                     proven);
    else if (says(s, "separable"))
        n = asprintf(&text, "yes, by %s: %s", plane, proven);
    else if (says(s, "not-separable"))
        n = asprintf(&text, "no, %s: %s%s%s",
                     origin ? "not by a plane through the origin" : "the hulls of the classes share a point", proven,
                     reason ? "; " : "", reason ? reason : "");
    else if (says(s, "touching"))
        n = asprintf(&text, "not strictly, but %s has no row on the wrong side: %s", plane, proven);
    else
        n = asprintf(&text, "undecided%s%s", reason ? ": " : "", reason ? reason : "");
    return n < 0 ? NULL : text;
}

/* Likewise, of several classes. */
static char *many_words(const json_t *s) {
    const json_t *problems = problems_of(s);
    const char *plane = through_origin(s) ? ", by planes through the origin" : "";
    size_t n = json_array_size(problems), yes = 0, open = 0;
    for (size_t i = 0; i < n; i++) {
        yes += says(json_array_get(problems, i), "separable");
        open += says(json_array_get(problems, i), "undecided");
    }
    char undecided[48] = "", *text = NULL;
    if (open) snprintf(undecided, sizeof undecided, ", undecided for %zu", open);
    int wrote = yes == n  ? asprintf(&text, "yes, each of the %zu classes from the rest%s", n, plane)
                : yes > 0 ? asprintf(&text, "%zu of the %zu classes from the rest%s%s", yes, n, plane, undecided)
                          : asprintf(&text, "none of the %zu classes from the rest%s%s", n, plane, undecided);
    return wrote < 0 ? NULL : text;
}

char *hsp_cli_separable_words(const json_t *separable) {
    return json_is_array(problems_of(separable)) ? many_words(separable) : one_words(separable);
}

void hsp_cli_separable_line(hsp_cli_table *t, const json_t *separable) {
    if (!json_is_object(separable) && !json_is_array(separable)) return;
    char *words = hsp_cli_separable_words(separable);
    hsp_cli_cell(t, "separable");
    hsp_cli_cell(t, words ? words : "out of memory");
    free(words);
}

void hsp_cli_fit_separable_line(hsp_cli_table *t, const json_t *report) {
    const json_t *separable = json_object_get(report, "separable");
    json_t *own =
        json_is_object(separable) && json_object_get(report, "svm") ? json_copy((json_t *)(uintptr_t)separable) : NULL;
    if (own) json_object_del(own, "margin");
    hsp_cli_separable_line(t, own ? own : separable);
    json_decref(own);
}

/* ---- the plane ---- */

static const char *data_feature(const void *data, int64_t j, char *buf) {
    return hsp_data_feature_label(data, j, buf);
}

static int print_plane(FILE *f, const json_t *separable, const hsp_data *data) {
    const json_t *plane = json_object_get(separable, "hyperplane"), *weights = json_object_get(plane, "weights");
    int64_t d = hsp_data_features(data);
    if (!json_is_array(weights) || (int64_t)json_array_size(weights) != d) return 0;
    double *w = calloc((size_t)d + 1, sizeof *w), b = hsp_cli_json_number(plane, "intercept");
    if (!w) return hsp_cli_fail_memory();
    for (int64_t j = 0; j < d; j++) w[j] = json_number_value(json_array_get(weights, (size_t)j));
    const hsp_cli_linear l = {.w = {sizeof(hsp_array), w, HSP_FLOAT64, 2, {1, d}, {d * (int64_t)sizeof *w, sizeof *w}},
                              .b = {sizeof(hsp_array), &b, HSP_FLOAT64, 1, {1, 1}, {sizeof b, sizeof b}},
                              .outputs = 1,
                              .features = d,
                              .feature = data_feature,
                              .of = data};
    const char *positive = hsp_cli_json_string(separable, "positive");
    char name[HSP_CLI_NAME];
    fputs(says(separable, "touching") ? "\na plane with no row on the wrong side" : "\na plane between the classes", f);
    if (positive) {
        fputs(" (positive scores mean ", f);
        hsp_cli_put_clean(f, hsp_cli_cut(positive, name));
        putc(')', f);
    }
    int64_t nonzeros = 0;
    for (int64_t j = 0; j < d; j++) nonzeros += w[j] != 0;
    bool few = d <= ALL_SHOWN, rest = !few && nonzeros > ALL_SHOWN;
    if (rest) fprintf(f, ", the %d largest weights of %" PRId64, LARGEST_SHOWN, d);
    if (!few && !rest) fprintf(f, ", the weights that are not 0 of %" PRId64, d);
    putc('\n', f);
    int code = hsp_cli_print_linear(f, &l,
                                    few    ? d
                                    : rest ? LARGEST_SHOWN
                                           : nonzeros,
                                    few ? HSP_CLI_AS_READ : HSP_CLI_BY_SIZE);
    free(w);
    return code;
}

/* ---- the witness ---- */

typedef struct row_share {
    int64_t row; /* from 1 */
    double multiplier;
} row_share;

static int largest_first(const void *a, const void *b) {
    const row_share *x = a, *y = b;
    if (x->multiplier != y->multiplier) return x->multiplier < y->multiplier ? 1 : -1;
    return x->row < y->row ? -1 : x->row > y->row;
}

static const char *label_of(const hsp_data *data, const hsp_array *labels, int64_t row) {
    if (row < 1 || row > labels->shape[0]) return "";
    return hsp_data_class_name(data, ((const int32_t *)labels->data)[row - 1]);
}

static int print_shares(FILE *f, const row_share *list, size_t n, const hsp_data *data) {
    hsp_array labels = {.size = sizeof labels};
    hsp_error *err = NULL;
    if (hsp_data_array(data, "labels", &labels, &err)) return hsp_cli_report_error(&err);
    hsp_cli_table t;
    hsp_cli_table_begin(&t, 3);
    hsp_cli_cell(&t, "row");
    hsp_cli_cell(&t, "class");
    hsp_cli_cell(&t, "multiplier");
    for (size_t i = 0; i < n; i++) {
        hsp_cli_cellf(&t, "%" PRId64, list[i].row);
        hsp_cli_cell_name(&t, label_of(data, &labels, list[i].row));
        hsp_cli_cell_number(&t, list[i].multiplier);
    }
    return hsp_cli_table_print(&t, f, 2, "rld");
}

static int print_witness(FILE *f, const json_t *separable, const hsp_data *data) {
    const json_t *witness = json_object_get(separable, "witness");
    const json_t *rows = json_object_get(witness, "rows"), *multipliers = json_object_get(witness, "multipliers");
    size_t n = json_array_size(rows);
    if (n == 0 || json_array_size(multipliers) != n) return 0;
    row_share *list = calloc(n, sizeof *list);
    if (!list) return hsp_cli_fail_memory();
    for (size_t i = 0; i < n; i++) {
        double row = json_number_value(json_array_get(rows, i));
        list[i] = (row_share){row > 0 && row < 9e15 ? (int64_t)row : 0, json_number_value(json_array_get(multipliers, i))};
    }
    fprintf(f, "\nwitness: %zu row%s, weighed so that %s", n, n == 1 ? "" : "s",
            through_origin(separable) ? "the positive ones less the negative ones give 0"
                                      : "the mean of the one class is that of the other");
    if (n > WITNESS_SHOWN) {
        qsort(list, n, sizeof *list, largest_first);
        fprintf(f, "; the %d largest, --json shows all", WITNESS_SHOWN);
    }
    putc('\n', f);
    int code = print_shares(f, list, n < WITNESS_SHOWN ? n : WITNESS_SHOWN, data);
    free(list);
    return code;
}

/* ---- the rest ---- */

static void put_columns(FILE *f, const json_t *separable) {
    const json_t *columns = json_object_get(separable, "columns");
    fputs("columns whose weights would run off to infinity without a penalty: ", f);
    for (size_t i = 0; i < json_array_size(columns) && i < COLUMNS_SHOWN; i++) {
        const char *name = json_string_value(json_array_get(columns, i));
        char buf[HSP_CLI_NAME];
        if (i) fputs(", ", f);
        hsp_cli_put_clean(f, name ? hsp_cli_cut(name, buf) : "-");
    }
}

static void print_columns(FILE *f, const json_t *separable) {
    if (json_array_size(json_object_get(separable, "columns")) == 0) return;
    putc('\n', f);
    put_columns(f, separable);
    putc('\n', f);
}

static void print_bounds(FILE *f, const json_t *separable) {
    const json_t *bounds = json_object_get(separable, "margin_bounds");
    char low[HSP_CLI_NUMBER], high[HSP_CLI_NUMBER];
    const json_t *lower = json_array_get(bounds, 0), *upper = json_array_get(bounds, 1);
    if (json_is_number(lower) && json_number_value(lower) > 0)
        fprintf(f, "\nthe margin, if there is one, is at least %s",
                hsp_cli_short(json_number_value(lower), 4, HSP_CLI_NEAREST, low));
    if (json_is_number(upper))
        fprintf(f, "\nthe margin, if there is one, is at most %s",
                hsp_cli_short(json_number_value(upper), 4, HSP_CLI_UP, high));
    if ((json_is_number(lower) && json_number_value(lower) > 0) || json_is_number(upper)) putc('\n', f);
}

/* Why a class is undecided, or which columns would run off. */
static void print_remark(FILE *f, const json_t *p) {
    const char *reason = hsp_cli_json_string(p, "reason"), *name = hsp_cli_json_string(p, "class");
    bool columns = json_array_size(json_object_get(p, "columns")) > 0;
    char buf[HSP_CLI_NAME];
    if (!reason && !columns) return;
    fputs("  ", f);
    hsp_cli_put_clean(f, name ? hsp_cli_cut(name, buf) : "-");
    fputs(": ", f);
    if (reason) hsp_cli_put_clean(f, reason);
    if (reason && columns) fputs("; ", f);
    if (columns) put_columns(f, p);
    putc('\n', f);
}

/* One line a class. */
static int print_problems(FILE *f, const json_t *problems) {
    hsp_cli_table t;
    hsp_cli_table_begin(&t, 5);
    static const char *const titles[] = {"class", "verdict", "margin", "proof", "found by"};
    for (int k = 0; k < 5; k++) hsp_cli_cell(&t, titles[k]);
    for (size_t i = 0; i < json_array_size(problems); i++) {
        const json_t *p = json_array_get(problems, i);
        double margin = hsp_cli_json_number(p, "margin");
        char buf[HSP_CLI_NUMBER];
        hsp_cli_cell_name(&t, hsp_cli_json_string(p, "class"));
        hsp_cli_cell(&t, hsp_cli_json_string(p, "verdict"));
        hsp_cli_cell(&t, says(p, "separable") && isfinite(margin) ? hsp_cli_short(margin, 4, HSP_CLI_NEAREST, buf) : "");
        hsp_cli_cell(&t, hsp_cli_json_string(p, "proof"));
        hsp_cli_cell(&t, hsp_cli_json_string(p, "method"));
    }
    fputs("\neach class against the rest\n", f);
    int code = hsp_cli_table_print(&t, f, 2, "lldll");
    for (size_t i = 0; i < json_array_size(problems) && !code; i++) print_remark(f, json_array_get(problems, i));
    return code;
}

int hsp_cli_print_separable(FILE *f, const json_t *separable, const hsp_data *data) {
    const json_t *problems = problems_of(separable);
    if (json_is_array(problems)) return print_problems(f, problems);
    if (hsp_cli_json_string(separable, "note")) return 0;
    int code = print_plane(f, separable, data);
    if (!code) code = print_witness(f, separable, data);
    if (!code) print_columns(f, separable);
    if (!code) print_bounds(f, separable);
    return code;
}
