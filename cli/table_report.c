#include "table_report.h"
#include "fail.h"
#include "json_output.h"
#include "short_number.h"
#include "text_table.h"

#include <inttypes.h>
#include <string.h>

enum { COLUMNS_SHOWN = 40 };

/* ---- encodings of the columns ---- */

static bool is(const hsp_report *column, const char *kind) {
    const char *own = hsp_report_text(column, "kind");
    return own && strcmp(own, kind) == 0;
}

static void levels_cell(hsp_cli_table *t, const hsp_report *column) {
    int64_t levels = hsp_report_count(column, "levels"), rare = hsp_report_count(column, "pooled");
    char pooled[64] = "";
    if (rare > 0) snprintf(pooled, sizeof pooled, ", %" PRId64 " rare level%s pooled", rare, rare == 1 ? "" : "s");
    hsp_cli_cellf(t, "%" PRId64 " level%s%s%s", levels, levels == 1 ? "" : "s", pooled,
                  hsp_report_flag(column, "missing") == 1 ? ", one for missing values" : "");
}

/* "1-2-grams of words, tf-idf, from 5574 texts". */
static void text_cell(hsp_cli_table *t, const hsp_report *column) {
    const hsp_report *orders = hsp_report_member(column, "ngrams"), *bits = hsp_report_member(column, "bits");
    const char *unit = hsp_report_text(column, "unit"), *value = hsp_report_text(column, "value");
    long long least = (long long)hsp_report_number_at(orders, NULL, 0);
    long long most = (long long)hsp_report_number_at(orders, NULL, 1);
    char range[64], hashed[96] = "";
    snprintf(range, sizeof range, least == most ? "%lld" : "%lld-%lld", least, most);
    if (bits)
        snprintf(hashed, sizeof hashed, ", %" PRId64 " of 2^%lld buckets in use", hsp_report_count(column, "buckets"),
                 (long long)hsp_report_number(bits, NULL));
    hsp_cli_cellf(t, "%s-grams of %ss, %s, from %lld texts%s", range, unit ? unit : "word", value ? value : "",
                  (long long)hsp_report_number(column, "texts"), hashed);
}

/* A transform as it is typed: "clip:0:100". "": there is none. */
static void write_transform(const hsp_report *transform, char *out, size_t size) {
    size_t used = 0;
    *out = '\0';
    if (!transform) return;
    used += (size_t)snprintf(out, size, "%s", hsp_report_text(transform, "kind"));
    for (int64_t k = 0; k < hsp_report_count(transform, "arguments") && used < size; k++) {
        char number[HSP_CLI_NUMBER];
        hsp_cli_short(hsp_report_number_at(transform, "arguments", k), 15, HSP_CLI_NEAREST, number);
        used += (size_t)snprintf(out + used, size - used, ":%s", number);
    }
}

static void number_cell(hsp_cli_table *t, const hsp_report *column) {
    char fill[HSP_CLI_NUMBER], how[96];
    const hsp_report *transform = hsp_report_member(column, "transform");
    const char *order = hsp_report_text(column, "order");
    bool fills = hsp_report_flag(column, "fills") == 1, indicator = hsp_report_flag(column, "indicator") == 1;
    write_transform(transform, how, sizeof how);
    if (order && strcmp(order, "either") != 0) snprintf(how, sizeof how, "%s", order);
    if (indicator && hsp_report_text(transform, "kind") && strcmp(hsp_report_text(transform, "kind"), "bins") == 0) {
        hsp_cli_cellf(t, "%s, an indicator of missing", how);
        return;
    }
    hsp_cli_short(hsp_report_number(column, "fill"), 6, HSP_CLI_NEAREST, fill);
    hsp_cli_cellf(t, "%s%s%s%s%s%s", how, *how && fills ? ", " : "", fills ? "missing filled with " : "", fills ? fill : "",
                  fills && order ? " days" : "", indicator ? ", with indicator" : "");
}

static void column_cells(hsp_cli_table *t, const hsp_report *column) {
    char features[HSP_CLI_NUMBER];
    hsp_cli_cell_name(t, hsp_report_text(column, "name"));
    hsp_cli_cellf(t, "%s%s", hsp_report_text(column, "kind"), hsp_report_flag(column, "asked") == 1 ? "*" : "");
    hsp_cli_cell(t, hsp_cli_short(hsp_report_number(column, "features"), 15, HSP_CLI_NEAREST, features));
    if (is(column, "categorical"))
        levels_cell(t, column);
    else if (is(column, "text"))
        text_cell(t, column);
    else if (is(column, "ignored"))
        hsp_cli_cell(t, "not used");
    else
        number_cell(t, column);
}

static int print_columns(FILE *f, const hsp_report *columns, bool all) {
    static const char *const titles[] = {"column", "kind", "features", "learnt"};
    int64_t n = hsp_report_count(columns, NULL), shown = all || n < COLUMNS_SHOWN ? n : COLUMNS_SHOWN;
    bool asked = false;
    hsp_cli_table t;
    hsp_cli_table_begin(&t, 4);
    for (int k = 0; k < 4; k++) hsp_cli_cell(&t, titles[k]);
    for (int64_t i = 0; i < shown; i++) {
        column_cells(&t, hsp_report_item(columns, NULL, i));
        asked |= hsp_report_flag(hsp_report_item(columns, NULL, i), "asked") == 1;
    }
    int code = hsp_cli_table_print(&t, f, 2, "llrl");
    if (!code && n > shown) fprintf(f, "  ... (%" PRId64 " more; --all prints all)\n", n - shown);
    if (!code && asked) fputs("  * set by an option\n", f);
    return code;
}

/* ---- the rules ---- */

static void waves_cell(hsp_cli_table *t, const hsp_report *waves) {
    char gamma[HSP_CLI_NUMBER];
    if (!waves) return;
    hsp_cli_cell(t, "random Fourier features");
    hsp_cli_cellf(t, "%lld, gamma %s", (long long)hsp_report_number(waves, "waves"),
                  hsp_cli_short(hsp_report_number(waves, "gamma"), 6, HSP_CLI_NEAREST, gamma));
}

static int print_rules(FILE *f, const hsp_report *table) {
    const hsp_report *rules = hsp_report_member(table, "rules"), *crosses = hsp_report_member(table, "crosses");
    const char *also = hsp_report_text(table, "missing_values");
    hsp_cli_table t;
    hsp_cli_table_begin(&t, 2);
    hsp_cli_cell(&t, "missing values");
    hsp_cli_cellf(&t, "%s%s%s", hsp_report_text(rules, "missing"), also ? "; also " : "", also ? also : "");
    if (hsp_report_number(rules, "min_count") > 1) {
        hsp_cli_cell(&t, "min-count");
        hsp_cli_cell_value(&t, hsp_report_member(rules, "min_count"), 1);
    }
    for (int64_t i = 0; i < hsp_report_count(crosses, NULL); i++) {
        const hsp_report *pair = hsp_report_item(crosses, NULL, i);
        char a[HSP_CLI_NAME], b[HSP_CLI_NAME];
        hsp_cli_cell(&t, i ? "" : "crosses");
        hsp_cli_cellf(&t, "%s:%s", hsp_cli_cut(hsp_report_text_at(pair, NULL, 0), a),
                      hsp_cli_cut(hsp_report_text_at(pair, NULL, 1), b));
    }
    if (hsp_report_member(rules, "degree")) {
        hsp_cli_cell(&t, "degree");
        hsp_cli_cell_value(&t, hsp_report_member(rules, "degree"), 1);
    }
    waves_cell(&t, hsp_report_member(hsp_report_member(table, "expansion"), "rff"));
    return hsp_cli_table_print(&t, f, 2, "l");
}

int hsp_cli_print_table(FILE *f, const hsp_report *table, bool all) {
    if (!hsp_cli_is(table, NULL, HSP_REPORT_OBJECT)) return 0;
    fputs("\ntable\n", f);
    int code = print_columns(f, hsp_report_member(table, "columns"), all);
    putc('\n', f);
    return code ? code : print_rules(f, table);
}
