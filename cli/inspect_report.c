#include "inspect_report.h"
#include "fail.h"
#include "json_output.h"
#include "separable_report.h"
#include "short_number.h"
#include "text_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_SHOWN = 40, LEVELS_SHOWN = 3, CLASSES_SHOWN = 20, BAR = 40, ROWS_FOR_BARS = 20 };

static const char *whole(double v, char *buf) {
    return hsp_cli_short(v, 15, HSP_CLI_NEAREST, buf);
}

/* ---- classes ---- */

static double largest_share(const hsp_report *balance) {
    double most = 0;
    HSP_REPORT_EACH(class, balance) {
        double share = hsp_report_number(class, NULL);
        if (share > most) most = share;
    }
    return most;
}

/* "yes  342  38.38 %  #########": the length of the bar is proportional to the size of the class, and at least 1. */
static void class_cells(hsp_cli_table *t, const char *name, double rows, double share, double most) {
    char a[HSP_CLI_NUMBER], b[HSP_CLI_NUMBER], bar[BAR + 1];
    int length = most > 0 ? (int)(share / most * BAR + 0.5) : 0;
    if (length < 1 && rows > 0) length = 1;
    memset(bar, '#', (size_t)length);
    bar[length] = '\0';
    hsp_cli_cell_name(t, name);
    hsp_cli_cell(t, whole(rows, a));
    hsp_cli_cellf(t, "%s %%", hsp_cli_short(100 * share, share < 0.1 ? 2 : 3, HSP_CLI_NEAREST, b));
    hsp_cli_cell(t, bar);
}

/* For a few rows, the line about the data is enough. */
static int print_classes(FILE *f, const hsp_report *report) {
    const hsp_report *classes = hsp_report_member(report, "classes"), *balance = hsp_report_member(report, "class_balance");
    int64_t n = hsp_report_count(classes, NULL), shown = 0;
    if (n < 2 || !hsp_cli_is(balance, NULL, HSP_REPORT_OBJECT) || !(hsp_report_number(report, "rows") >= ROWS_FOR_BARS))
        return 0;
    double most = largest_share(balance);
    hsp_cli_table t;
    hsp_cli_table_begin(&t, 4);
    static const char *const titles[] = {"class", "rows", "share", ""};
    for (int k = 0; k < 4; k++) hsp_cli_cell(&t, titles[k]);
    HSP_REPORT_EACH(class, classes) {
        if (shown++ == CLASSES_SHOWN) break;
        const char *name = hsp_report_name(class);
        class_cells(&t, name, hsp_report_number(class, NULL), hsp_report_number(balance, name), most);
    }
    if (shown > CLASSES_SHOWN) shown = CLASSES_SHOWN;
    int code = hsp_cli_table_print(&t, f, 0, "lrrl");
    if (!code && n > shown) fprintf(f, "... (%" PRId64 " more; --json prints all)\n", n - shown);
    putc('\n', f);
    return code;
}

/* ---- columns ---- */

static void numbers_cell(hsp_cli_table *t, const hsp_report *column) {
    char a[HSP_CLI_NUMBER], b[HSP_CLI_NUMBER], c[HSP_CLI_NUMBER];
    double least = hsp_report_number(column, "min"), greatest = hsp_report_number(column, "max");
    if (!isfinite(least))
        hsp_cli_cell(t, "");
    else if (least == greatest)
        hsp_cli_cellf(t, "always %s", hsp_cli_short(least, 6, HSP_CLI_NEAREST, a));
    else
        hsp_cli_cellf(t, "%s to %s, mean %s", hsp_cli_short(least, 6, HSP_CLI_NEAREST, a),
                      hsp_cli_short(greatest, 6, HSP_CLI_NEAREST, b),
                      hsp_cli_short(hsp_report_number(column, "mean"), 4, HSP_CLI_NEAREST, c));
}

/* "male (577), female (314), ...": as many levels as fit on a line. */
static void levels_cell(hsp_cli_table *t, const hsp_report *levels, double distinct) {
    enum { WIDEST = 24 };
    char *text = NULL, number[HSP_CLI_NUMBER];
    size_t size = 0;
    int64_t n = hsp_report_count(levels, NULL), shown = n < LEVELS_SHOWN ? n : LEVELS_SHOWN;
    FILE *f = open_memstream(&text, &size);
    for (int64_t i = 0; f && i < shown; i++) {
        const hsp_report *level = hsp_report_item(levels, NULL, i);
        const char *name = hsp_report_text(level, "level");
        bool cut = name && strlen(name) > WIDEST;
        size_t length = !name ? 0 : cut ? WIDEST : strlen(name);
        while (cut && length > 0 && ((unsigned char)name[length] & 0xc0) == 0x80) length--; /* keep characters whole */
        fprintf(f, "%s%.*s%s (%s)", i ? ", " : "", (int)length, name ? name : "", cut ? "..." : "",
                whole(hsp_report_number(level, "rows"), number));
    }
    if (f && (double)shown < distinct) fputs(", ...", f);
    hsp_cli_cell_stream(t, f, &text);
}

static void column_cells(hsp_cli_table *t, const hsp_report *column) {
    char a[HSP_CLI_NUMBER], b[HSP_CLI_NUMBER];
    double distinct = hsp_report_number(column, "distinct"), features = hsp_report_number(column, "features");
    const hsp_report *levels = hsp_report_member(column, "levels");
    hsp_cli_cell_name(t, hsp_report_text(column, "name"));
    hsp_cli_cell(t, hsp_report_text(column, "kind"));
    hsp_cli_cell(t, whole(hsp_report_number(column, "missing"), a));
    hsp_cli_cell(t, isfinite(distinct) ? whole(distinct, b) : "");
    if (hsp_report_member(column, "min"))
        numbers_cell(t, column);
    else if (hsp_report_count(levels, NULL) > 0)
        levels_cell(t, levels, distinct);
    else if (features > 0)
        hsp_cli_cellf(t, "%s feature%s", whole(features, a), features == 1 ? "" : "s");
    else
        hsp_cli_cell(t, "not used");
}

/* Whether some column is not numeric. */
static bool is_table(const hsp_report *columns) {
    HSP_REPORT_EACH(column, columns) {
        const char *kind = hsp_report_text(column, "kind");
        if ((kind && strcmp(kind, "numeric") != 0) || hsp_report_number(column, "missing") > 0) return true;
    }
    return false;
}

static int print_columns(FILE *f, const hsp_report *report) {
    const hsp_report *columns = hsp_report_member(report, "columns");
    int64_t n = hsp_report_count(columns, NULL), shown = n < COLUMNS_SHOWN ? n : COLUMNS_SHOWN;
    if (!is_table(columns)) return 0;
    hsp_cli_table t;
    hsp_cli_table_begin(&t, 5);
    static const char *const titles[] = {"column", "kind", "missing", "distinct", "values"};
    for (int k = 0; k < 5; k++) hsp_cli_cell(&t, titles[k]);
    for (int64_t i = 0; i < shown; i++) column_cells(&t, hsp_report_item(columns, NULL, i));
    int code = hsp_cli_table_print(&t, f, 0, "llrrl");
    if (!code && n > shown) fprintf(f, "... (%" PRId64 " more; --json prints all)\n", n - shown);
    putc('\n', f);
    return code;
}

/* ---- findings ---- */

static size_t count_of(const hsp_report *findings, const char *severity) {
    size_t count = 0;
    HSP_REPORT_EACH(finding, findings) {
        const char *s = hsp_report_text(finding, "severity");
        count += s && strcmp(s, severity) == 0;
    }
    return count;
}

/* "2 warnings, 1 note", or "none". */
static void findings_cell(hsp_cli_table *t, const hsp_report *findings) {
    static const char *const severities[] = {"error", "warning", "note"};
    char text[128] = "";
    size_t used = 0;
    for (int k = 0; k < 3; k++) {
        size_t n = count_of(findings, severities[k]);
        if (n == 0) continue;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%zu %s%s", used ? ", " : "", n, severities[k],
                                 n == 1 ? "" : "s");
    }
    hsp_cli_cell(t, used ? text : "none");
}

/* Prints a sentence without its middle if long names make it too long; --json has all of it. */
static void put_sentence(FILE *f, const char *s) {
    enum { MOST = 1000, HEAD = 600, TAIL = 300 };
    size_t n = strlen(s), head = HEAD, tail = n - TAIL;
    if (n <= MOST) {
        hsp_cli_put_clean(f, s);
        return;
    }
    while (((unsigned char)s[head] & 0xc0) == 0x80 && head > 0) head--; /* keep characters whole */
    while (((unsigned char)s[tail] & 0xc0) == 0x80) tail++;
    char begin[HEAD + 1];
    memcpy(begin, s, head);
    begin[head] = '\0';
    hsp_cli_put_clean(f, begin);
    fputs(" ... ", f);
    hsp_cli_put_clean(f, s + tail);
}

/* What the fix of a finding does, as an option alone says little to a new user. NULL: the fix says it, or is not known. */
static const char *effect_of(const char *fix) {
    static const char *const effects[][2] = {{"--ignore ", "leaves the column out"},
                                             {"--missing ", "fills them"},
                                             {"--missing-values ", "reads such cells as missing"},
                                             {"--text ", "encodes the words"},
                                             {"--transform ", "moves outliers to the bounds"},
                                             {"--map-label ", "merges these classes"},
                                             {"--scale ", "scales the columns alike"},
                                             {"--target ", "chooses another target"}};
    for (size_t i = 0; i < sizeof effects / sizeof *effects; i++)
        if (strncmp(fix, effects[i][0], strlen(effects[i][0])) == 0) return effects[i][1];
    return NULL;
}

/* "warning: column 'id' numbers the rows from 1 to 24, like an id: --ignore id (leaves the column out)" */
static void print_finding(FILE *f, const hsp_report *finding) {
    const char *severity = hsp_report_text(finding, "severity"), *text = hsp_report_text(finding, "text");
    const char *fix = hsp_report_text(finding, "fix");
    fprintf(f, "%s: ", severity ? severity : "note");
    put_sentence(f, text ? text : "");
    if (fix && *fix) {
        const char *effect = effect_of(fix);
        fputs(": ", f);
        put_sentence(f, fix);
        if (effect) fprintf(f, " (%s)", effect);
    }
    putc('\n', f);
}

static void print_findings(FILE *f, const hsp_report *report) {
    const hsp_report *findings = hsp_report_member(report, "findings"),
                     *skipped = hsp_report_member(report, "not_looked_for");
    int64_t n = hsp_report_count(findings, NULL), left = hsp_report_count(skipped, NULL);
    HSP_REPORT_EACH(finding, findings) print_finding(f, finding);
    for (int64_t i = 0; i < left; i++) {
        const char *what = hsp_report_text_at(skipped, NULL, i);
        fputs("not checked: ", f);
        hsp_cli_put_clean(f, what ? what : "");
        putc('\n', f);
    }
    if (n + left > 0) putc('\n', f);
}

/* ---- the report ---- */

static void figures(hsp_cli_table *t, const hsp_report *report) {
    char a[HSP_CLI_NUMBER], b[HSP_CLI_NUMBER], c[HSP_CLI_NUMBER];
    double all = hsp_report_number(report, "rows") * hsp_report_number(report, "features");
    double bytes = hsp_report_number(hsp_report_member(report, "memory"), "total");
    const char *layout = hsp_report_text(report, "layout");
    hsp_cli_cell(t, "nonzeros");
    hsp_cli_cellf(t, "%s of %s values, stored %s in %s bytes", whole(hsp_report_number(report, "nonzeros"), a),
                  whole(all, b), layout ? layout : "", whole(bytes, c));
    hsp_cli_cell(t, "missing values");
    hsp_cli_cell(t, whole(hsp_report_number(report, "missing"), a));
    hsp_cli_cell(t, "scale ratio");
    hsp_cli_cellf(t, "%s (largest over smallest standard deviation)",
                  hsp_cli_short(hsp_report_number(report, "scale_ratio"), 3, HSP_CLI_NEAREST, a));
    hsp_cli_cell(t, "findings");
    findings_cell(t, hsp_report_member(report, "findings"));
}

int hsp_cli_print_inspection(FILE *f, const hsp_report *report, const hsp_data *data, const char *fill) {
    const hsp_report *separable = hsp_report_member(report, "separable");
    int code = print_classes(f, report);
    if (!code) code = print_columns(f, report);
    if (code) return code;
    print_findings(f, report);
    hsp_cli_table t;
    hsp_cli_table_begin(&t, 2);
    figures(&t, report);
    hsp_cli_separable_line(&t, separable, hsp_report_number(report, "missing") > 0 ? fill : NULL);
    code = hsp_cli_table_print(&t, f, 0, "l");
    return code || !hsp_cli_is(separable, NULL, HSP_REPORT_OBJECT) ? code : hsp_cli_print_separable(f, separable, data);
}
