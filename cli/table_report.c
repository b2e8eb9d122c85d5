#include "table_report.h"
#include "fail.h"

#include <math.h>
#include <string.h>

enum { COLUMNS_SHOWN = 40 };

/* ---- what a column has learnt ---- */

static bool is(const json_t *column, const char *kind) {
    const char *own = hsp_cli_json_string(column, "kind");
    return own && strcmp(own, kind) == 0;
}

static void levels_cell(hsp_cli_table *t, const json_t *column) {
    size_t levels = json_array_size(json_object_get(column, "levels")),
           rare = json_array_size(json_object_get(column, "pooled"));
    char pooled[64] = "";
    if (rare > 0) snprintf(pooled, sizeof pooled, ", %zu rare one%s in one", rare, rare == 1 ? "" : "s");
    hsp_cli_cellf(t, "%zu level%s%s%s", levels, levels == 1 ? "" : "s", pooled,
                  json_is_true(json_object_get(column, "missing")) ? ", missing is one" : "");
}

/* "1-2-grams of words, tf-idf, from 5574 texts". */
static void text_cell(hsp_cli_table *t, const json_t *column) {
    const json_t *orders = json_object_get(column, "ngrams"), *bits = json_object_get(column, "bits");
    const char *unit = hsp_cli_json_string(column, "unit"), *value = hsp_cli_json_string(column, "value");
    long long least = (long long)json_number_value(json_array_get(orders, 0));
    long long most = (long long)json_number_value(json_array_get(orders, 1));
    char range[64], hashed[96] = "";
    snprintf(range, sizeof range, least == most ? "%lld" : "%lld-%lld", least, most);
    if (bits)
        snprintf(hashed, sizeof hashed, ", %zu of 2^%lld buckets in use",
                 json_array_size(json_object_get(column, "buckets")), (long long)json_number_value(bits));
    hsp_cli_cellf(t, "%s-grams of %ss, %s, from %lld texts%s", range, unit ? unit : "word", value ? value : "",
                  (long long)json_number_value(json_object_get(column, "texts")), hashed);
}

static void number_cell(hsp_cli_table *t, const json_t *column) {
    char fill[HSP_CLI_NUMBER];
    const char *order = hsp_cli_json_string(column, "order");
    bool fills = json_is_true(json_object_get(column, "fills"));
    hsp_cli_short(hsp_cli_json_number(column, "fill"), 6, HSP_CLI_NEAREST, fill);
    bool settled = order && strcmp(order, "either") != 0;
    hsp_cli_cellf(t, "%s%s%s%s%s%s", settled ? order : "", settled && fills ? ", " : "", fills ? "missing is " : "",
                  fills ? fill : "", fills && order ? " days" : "",
                  json_is_true(json_object_get(column, "indicator")) ? ", and told" : "");
}

static void column_cells(hsp_cli_table *t, const json_t *column) {
    char features[HSP_CLI_NUMBER];
    hsp_cli_cell_name(t, hsp_cli_json_string(column, "name"));
    hsp_cli_cellf(t, "%s%s", hsp_cli_json_string(column, "kind"),
                  json_is_true(json_object_get(column, "asked")) ? "*" : "");
    hsp_cli_cell(t, hsp_cli_short(hsp_cli_json_number(column, "features"), 15, HSP_CLI_NEAREST, features));
    if (is(column, "categorical"))
        levels_cell(t, column);
    else if (is(column, "text"))
        text_cell(t, column);
    else if (is(column, "ignored"))
        hsp_cli_cell(t, "left out");
    else
        number_cell(t, column);
}

static int print_columns(FILE *f, const json_t *columns, bool all) {
    static const char *const titles[] = {"column", "kind", "features", "learnt"};
    size_t n = json_array_size(columns), shown = all || n < COLUMNS_SHOWN ? n : COLUMNS_SHOWN;
    bool asked = false;
    hsp_cli_table t;
    hsp_cli_table_begin(&t, 4);
    for (int k = 0; k < 4; k++) hsp_cli_cell(&t, titles[k]);
    for (size_t i = 0; i < shown; i++) {
        column_cells(&t, json_array_get(columns, i));
        asked |= json_is_true(json_object_get(json_array_get(columns, i), "asked"));
    }
    int code = hsp_cli_table_print(&t, f, 2, "llrl");
    if (!code && n > shown) fprintf(f, "  ... (%zu more; --all shows them)\n", n - shown);
    if (!code && asked) fputs("  * by option\n", f);
    return code;
}

/* ---- the rules ---- */

static void waves_cell(hsp_cli_table *t, const json_t *waves) {
    char gamma[HSP_CLI_NUMBER];
    if (!waves) return;
    hsp_cli_cell(t, "random waves");
    hsp_cli_cellf(t, "%lld, gamma %s", (long long)json_number_value(json_object_get(waves, "waves")),
                  hsp_cli_short(hsp_cli_json_number(waves, "gamma"), 6, HSP_CLI_NEAREST, gamma));
}

static int print_rules(FILE *f, const json_t *table) {
    const json_t *rules = json_object_get(table, "rules"), *crosses = json_object_get(table, "crosses");
    const char *also = hsp_cli_json_string(table, "missing_values");
    hsp_cli_table t;
    hsp_cli_table_begin(&t, 2);
    hsp_cli_cell(&t, "missing values");
    hsp_cli_cellf(&t, "%s%s%s", hsp_cli_json_string(rules, "missing"), also ? "; also " : "", also ? also : "");
    if (hsp_cli_json_number(rules, "min_count") > 1) {
        hsp_cli_cell(&t, "min-count");
        hsp_cli_cell_value(&t, json_object_get(rules, "min_count"), 1);
    }
    for (size_t i = 0; i < json_array_size(crosses); i++) {
        const json_t *pair = json_array_get(crosses, i);
        char a[HSP_CLI_NAME], b[HSP_CLI_NAME];
        hsp_cli_cell(&t, i ? "" : "crosses");
        hsp_cli_cellf(&t, "%s:%s", hsp_cli_cut(json_string_value(json_array_get(pair, 0)), a),
                      hsp_cli_cut(json_string_value(json_array_get(pair, 1)), b));
    }
    if (json_object_get(rules, "degree")) {
        hsp_cli_cell(&t, "degree");
        hsp_cli_cell_value(&t, json_object_get(rules, "degree"), 1);
    }
    waves_cell(&t, json_object_get(json_object_get(table, "expansion"), "rff"));
    return hsp_cli_table_print(&t, f, 2, "l");
}

int hsp_cli_print_table(FILE *f, const json_t *table, bool all) {
    if (!json_is_object(table)) return 0;
    fputs("\ntable\n", f);
    int code = print_columns(f, json_object_get(table, "columns"), all);
    putc('\n', f);
    return code ? code : print_rules(f, table);
}
