#include "separable_report.h"
#include "fail.h"
#include "json_output.h"
#include "short_number.h"
#include "text_table.h"
#include "weights.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ALL_SHOWN = 10, LARGEST_SHOWN = 5, WITNESS_SHOWN = 20, COLUMNS_SHOWN = 10, CLASSES_SHOWN = 50 };

static bool says(const hsp_report *separable, const char *verdict) {
    const char *v = hsp_report_text(separable, "verdict");
    return v && strcmp(v, verdict) == 0;
}

/* How the verdict is proven, for the end of a sentence. */
static const char *proof_words(const hsp_report *separable) {
    const char *proof = hsp_report_text(separable, "proof");
    if (!proof) return "not proven";
    return strcmp(proof, "exact") == 0 ? "proven in exact arithmetic"
                                       : "proven in floating point with bounds on the rounding errors";
}

/* The verdicts on each class against the rest, or NULL. The library lists them inside one verdict, a fit as a bare list. */
static const hsp_report *problems_of(const hsp_report *separable) {
    return hsp_cli_is_list(separable, NULL) ? separable : hsp_report_member(separable, "problems");
}

/* Classes that the time limit left untested, and which are not listed. */
static int64_t untested_classes(const hsp_report *separable) {
    double untested = hsp_report_number(separable, "untested_classes");
    return untested > 0 && untested < 9e15 ? (int64_t)untested : 0;
}

static bool through_origin(const hsp_report *separable) {
    const hsp_report *problem = hsp_report_item(problems_of(separable), NULL, 0);
    const char *intercept = hsp_report_text(problem ? problem : separable, "intercept");
    return intercept && strcmp(intercept, "none") == 0;
}

/* ---- the summary line ---- */

/* Returns allocated text; NULL when memory runs out. `margin_too`: add the margin of the hyperplane, which may
 * not be the largest. */
static char *one_words(const hsp_report *s, bool margin_too) {
    char margin[HSP_CLI_NUMBER], *text = NULL;
    bool origin = through_origin(s);
    const char *plane = origin ? "a hyperplane through the origin" : "a hyperplane", *proven = proof_words(s);
    const char *reason = hsp_report_text(s, "reason");
    double m = margin_too ? hsp_report_number(s, "margin") : (double)NAN;
    int n;
    if (says(s, "separable") && hsp_report_text(s, "note"))
        n = asprintf(&text, "yes, trivially: there is only one class");
    else if (says(s, "separable") && isfinite(m))
        n = asprintf(&text, "yes, by %s with margin %s (%s)", plane, hsp_cli_short(m, 4, HSP_CLI_NEAREST, margin), proven);
    else if (says(s, "separable"))
        n = asprintf(&text, "yes, by %s (%s)", plane, proven);
    else if (says(s, "not-separable"))
        n = asprintf(&text, "no, %s (%s%s%s)",
                     origin ? "not by a hyperplane through the origin" : "the convex hulls of the classes intersect",
                     proven, reason ? "; " : "", reason ? reason : "");
    else if (says(s, "touching"))
        n = asprintf(
            &text, "not strictly: quasi-complete separation, %s has no row on the wrong side, but some rows lie on it (%s)",
            plane, proven);
    else
        n = asprintf(&text, "undecided%s%s", reason ? ": " : "", reason ? reason : "");
    return n < 0 ? NULL : text;
}

/* The same for several classes. */
static char *many_words(const hsp_report *s) {
    const hsp_report *problems = problems_of(s);
    const char *plane = through_origin(s) ? ", by hyperplanes through the origin" : "";
    int64_t untested = untested_classes(s), n = hsp_report_count(problems, NULL) + untested, yes = 0, open = untested;
    HSP_REPORT_EACH(problem, problems) {
        yes += says(problem, "separable");
        open += says(problem, "undecided");
    }
    char undecided[48] = "", *text = NULL;
    if (open) snprintf(undecided, sizeof undecided, ", undecided for %" PRId64, open);
    int wrote = yes == n ? asprintf(&text, "yes, each of the %" PRId64 " classes from the rest%s", n, plane)
                : yes > 0
                    ? asprintf(&text, "%" PRId64 " of the %" PRId64 " classes from the rest%s%s", yes, n, plane, undecided)
                    : asprintf(&text, "none of the %" PRId64 " classes from the rest%s%s", n, plane, undecided);
    return wrote < 0 ? NULL : text;
}

static char *put_words(const hsp_report *separable, bool margin) {
    return hsp_cli_is_list(problems_of(separable), NULL) ? many_words(separable) : one_words(separable, margin);
}

char *hsp_cli_separable_words(const hsp_report *separable) {
    return put_words(separable, true);
}

/* fill: how missing values were filled, as in --missing; NULL: there are none. */
static void separable_line(hsp_cli_table *t, const hsp_report *separable, bool margin, const char *fill) {
    if (!hsp_cli_is(separable, NULL, HSP_REPORT_OBJECT) && !hsp_cli_is_list(separable, NULL)) return;
    char *words = put_words(separable, margin);
    hsp_cli_cell(t, "separable");
    if (words && fill)
        hsp_cli_cellf(t, "%s; with missing values filled by --missing %s", words, fill);
    else
        hsp_cli_cell(t, words ? words : "out of memory");
    free(words);
}

void hsp_cli_separable_line(hsp_cli_table *t, const hsp_report *separable, const char *fill) {
    separable_line(t, separable, true, fill);
}

void hsp_cli_fit_separable_line(hsp_cli_table *t, const hsp_report *report) {
    const hsp_report *separable = hsp_report_member(report, "separable");
    separable_line(t, separable, !hsp_report_member(report, "svm"), NULL);
}

/* ---- the hyperplane ---- */

static const char *data_feature(const void *data, int64_t j, char *buf) {
    return hsp_data_feature_label(data, j, buf);
}

static int print_plane(FILE *f, const hsp_report *separable, const hsp_data *data) {
    const hsp_report *plane = hsp_report_member(separable, "hyperplane"), *weights = hsp_report_member(plane, "weights");
    int64_t d = hsp_data_features(data);
    if (!hsp_cli_is_list(weights, NULL) || hsp_report_count(weights, NULL) != d) return 0;
    double *w = calloc((size_t)d + 1, sizeof *w), b = hsp_report_number(plane, "intercept");
    if (!w) return hsp_cli_fail_memory();
    for (int64_t j = 0; j < d; j++) w[j] = hsp_report_number_at(weights, NULL, j);
    const hsp_cli_linear l = {.w = {sizeof(hsp_array), w, HSP_FLOAT64, 2, {1, d}, {d * (int64_t)sizeof *w, sizeof *w}},
                              .b = {sizeof(hsp_array), &b, HSP_FLOAT64, 1, {1, 1}, {sizeof b, sizeof b}},
                              .outputs = 1,
                              .features = d,
                              .feature = data_feature,
                              .of = data};
    const char *positive = hsp_report_text(separable, "positive");
    char name[HSP_CLI_NAME];
    fputs(says(separable, "touching") ? "\nhyperplane with no row on the wrong side" : "\nseparating hyperplane", f);
    if (positive) {
        fputs(" (positive scores mean ", f);
        hsp_cli_put_clean(f, hsp_cli_cut(positive, name));
        putc(')', f);
    }
    int64_t nonzeros = 0;
    for (int64_t j = 0; j < d; j++) nonzeros += w[j] != 0;
    bool few = d <= ALL_SHOWN, rest = !few && nonzeros > ALL_SHOWN;
    if (rest) fprintf(f, ", the %d largest of %" PRId64, LARGEST_SHOWN, d);
    if (!few && !rest) fprintf(f, ", the non-zero weights of %" PRId64, d);
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

static int print_shares(FILE *f, const row_share *list, int64_t n, const hsp_data *data) {
    hsp_array labels = {.size = sizeof labels};
    hsp_error *err = NULL;
    if (hsp_data_array(data, "labels", &labels, &err)) return hsp_cli_report_error(&err);
    hsp_cli_table t;
    hsp_cli_table_begin(&t, 3);
    hsp_cli_cell(&t, "row");
    hsp_cli_cell(&t, "class");
    hsp_cli_cell(&t, "multiplier");
    for (int64_t i = 0; i < n; i++) {
        hsp_cli_cellf(&t, "%" PRId64, list[i].row);
        hsp_cli_cell_name(&t, label_of(data, &labels, list[i].row));
        hsp_cli_cell_number(&t, list[i].multiplier);
    }
    return hsp_cli_table_print(&t, f, 2, "rld");
}

static int print_witness(FILE *f, const hsp_report *separable, const hsp_data *data) {
    const hsp_report *witness = hsp_report_member(separable, "witness");
    const hsp_report *rows = hsp_report_member(witness, "rows"), *multipliers = hsp_report_member(witness, "multipliers");
    int64_t n = hsp_report_count(rows, NULL);
    if (n == 0 || hsp_report_count(multipliers, NULL) != n) return 0;
    row_share *list = calloc((size_t)n, sizeof *list);
    if (!list) return hsp_cli_fail_memory();
    for (int64_t i = 0; i < n; i++) {
        double row = hsp_report_number_at(rows, NULL, i);
        list[i] = (row_share){row > 0 && row < 9e15 ? (int64_t)row : 0, hsp_report_number_at(multipliers, NULL, i)};
    }
    fprintf(f, "\nwitness: %" PRId64 " row%s with multipliers; %s", n, n == 1 ? "" : "s",
            through_origin(separable) ? "the weighted sums of the two classes are equal"
                                      : "the weighted means of the two classes are equal");
    if (n > WITNESS_SHOWN) {
        qsort(list, (size_t)n, sizeof *list, largest_first);
        fprintf(f, "; the %d largest (--json prints all)", WITNESS_SHOWN);
    }
    putc('\n', f);
    int code = print_shares(f, list, n < WITNESS_SHOWN ? n : WITNESS_SHOWN, data);
    free(list);
    return code;
}

/* ---- undecided problems and several classes ---- */

static void put_columns(FILE *f, const hsp_report *separable) {
    const hsp_report *columns = hsp_report_member(separable, "columns");
    fputs("columns whose weights diverge without a penalty: ", f);
    for (int64_t i = 0; i < hsp_report_count(columns, NULL) && i < COLUMNS_SHOWN; i++) {
        const char *name = hsp_report_text_at(columns, NULL, i);
        char buf[HSP_CLI_NAME];
        if (i) fputs(", ", f);
        hsp_cli_put_clean(f, name ? hsp_cli_cut(name, buf) : "-");
    }
}

static void print_columns(FILE *f, const hsp_report *separable) {
    if (hsp_report_count(separable, "columns") == 0) return;
    putc('\n', f);
    put_columns(f, separable);
    putc('\n', f);
}

static void print_bounds(FILE *f, const hsp_report *separable) {
    const hsp_report *bounds = hsp_report_member(separable, "margin_bounds");
    char low[HSP_CLI_NUMBER], high[HSP_CLI_NUMBER];
    double lower = hsp_report_number_at(bounds, NULL, 0), upper = hsp_report_number_at(bounds, NULL, 1);
    if (lower > 0)
        fprintf(f, "\nif the classes are separable, the margin is at least %s",
                hsp_cli_short(lower, 4, HSP_CLI_NEAREST, low));
    if (isfinite(upper))
        fprintf(f, "\nif the classes are separable, the margin is at most %s", hsp_cli_short(upper, 4, HSP_CLI_UP, high));
    if (lower > 0 || isfinite(upper)) putc('\n', f);
}

/* Prints why a class is undecided, or which columns have weights that diverge. */
static void print_remark(FILE *f, const hsp_report *p) {
    const char *reason = hsp_report_text(p, "reason"), *name = hsp_report_text(p, "class");
    bool columns = hsp_report_count(p, "columns") > 0;
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

/* The argument or search that gave the verdict, in words. */
static const char *method_words(const char *method) {
    static const char *const words[][2] = {{"one-class", "there is one class"},
                                           {"zero-row", "a row without values"},
                                           {"duplicate-rows", "equal rows of both classes"},
                                           {"one-column", "threshold on one column"},
                                           {"columns", "columns of one class only"},
                                           {"linear-program", "linear program"},
                                           {"dual-descent", "dual coordinate descent"},
                                           {"rational", "exact linear program"}};
    for (size_t i = 0; method && i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i][0], method) == 0) return words[i][1];
    return method;
}

/* Prints one line per class, for the first classes. */
static int print_problems(FILE *f, const hsp_report *separable) {
    const hsp_report *problems = problems_of(separable);
    int64_t shown = 0, all = hsp_report_count(problems, NULL), untested = untested_classes(separable);
    hsp_cli_table t;
    hsp_cli_table_begin(&t, 5);
    static const char *const titles[] = {"class", "verdict", "margin", "proof", "found by"};
    for (int k = 0; k < 5; k++) hsp_cli_cell(&t, titles[k]);
    HSP_REPORT_EACH(p, problems) {
        if (++shown > CLASSES_SHOWN) break;
        double margin = hsp_report_number(p, "margin");
        char buf[HSP_CLI_NUMBER];
        hsp_cli_cell_name(&t, hsp_report_text(p, "class"));
        hsp_cli_cell(&t, hsp_report_text(p, "verdict"));
        hsp_cli_cell(&t, says(p, "separable") && isfinite(margin) ? hsp_cli_short(margin, 4, HSP_CLI_NEAREST, buf) : "");
        hsp_cli_cell(&t, hsp_report_text(p, "proof"));
        hsp_cli_cell(&t, method_words(hsp_report_text(p, "method")));
    }
    fputs("\neach class against the rest\n", f);
    int code = hsp_cli_table_print(&t, f, 2, "lldll");
    if (all > CLASSES_SHOWN && !code) fprintf(f, "  ... (%" PRId64 " more; --json prints all)\n", all - CLASSES_SHOWN);
    if (untested > 0 && !code) fprintf(f, "  %" PRId64 " more classes were not tested: time limit reached\n", untested);
    shown = 0;
    HSP_REPORT_EACH(p, code ? NULL : problems) {
        if (++shown > CLASSES_SHOWN) break;
        print_remark(f, p);
    }
    return code;
}

int hsp_cli_print_separable(FILE *f, const hsp_report *separable, const hsp_data *data) {
    const hsp_report *problems = problems_of(separable);
    if (hsp_cli_is_list(problems, NULL)) return print_problems(f, separable);
    if (hsp_report_text(separable, "note")) return 0;
    int code = print_plane(f, separable, data);
    if (!code) code = print_witness(f, separable, data);
    if (!code) print_columns(f, separable);
    if (!code) print_bounds(f, separable);
    return code;
}
