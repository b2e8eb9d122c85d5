#include "inspect_report.h"
#include "separable_report.h"

#include <math.h>
#include <stdlib.h>

enum { LISTED = 8 };

static const char *whole(double v, char *buf) {
    return hsp_cli_short(v, 15, HSP_CLI_NEAREST, buf);
}

static void values_line(hsp_cli_table *t, const json_t *report) {
    char a[HSP_CLI_NUMBER], b[HSP_CLI_NUMBER];
    double all = hsp_cli_json_number(report, "rows") * hsp_cli_json_number(report, "features");
    const char *layout = hsp_cli_json_string(report, "layout");
    hsp_cli_cell(t, "not zero");
    hsp_cli_cellf(t, "%s of %s values, kept %s", whole(hsp_cli_json_number(report, "nonzeros"), a), whole(all, b),
                  layout ? layout : "");
    hsp_cli_cell(t, "missing values");
    hsp_cli_cell(t, whole(hsp_cli_json_number(report, "missing"), a));
}

/* "a = b; c = d = e" */
static void twins_cell(hsp_cli_table *t, const json_t *groups) {
    size_t n = json_array_size(groups), size = 0;
    char *text = NULL;
    FILE *f = n > 0 ? open_memstream(&text, &size) : NULL;
    for (size_t i = 0; f && i < n && i < LISTED; i++) {
        const json_t *group = json_array_get(groups, i);
        for (size_t k = 0; k < json_array_size(group) && k <= LISTED; k++) {
            const char *name = json_string_value(json_array_get(group, k));
            fprintf(f, "%s%s", k ? " = " : i ? "; " : "", k == LISTED ? "..." : name ? name : "-");
        }
    }
    if (f && n > LISTED) fprintf(f, "; ... (%zu groups)", n);
    if (f && fclose(f) == 0)
        hsp_cli_cell(t, text);
    else if (n == 0)
        hsp_cli_cell(t, "none");
    else
        t->failed = true;
    free(text);
}

static void column_lines(hsp_cli_table *t, const json_t *report) {
    const json_t *constant = json_object_get(report, "constant_columns");
    char ratio[HSP_CLI_NUMBER];
    double r = hsp_cli_json_number(report, "scale_ratio");
    hsp_cli_cell(t, "constant columns");
    if (json_array_size(constant) > 0)
        hsp_cli_cell_value(t, constant, LISTED);
    else
        hsp_cli_cell(t, "none");
    hsp_cli_cell(t, "duplicate columns");
    twins_cell(t, json_object_get(report, "duplicate_columns"));
    hsp_cli_cell(t, "scale ratio");
    hsp_cli_cellf(t, "%s, the largest spread of a column against the smallest",
                  hsp_cli_short(r, 3, HSP_CLI_NEAREST, ratio));
}

static void row_lines(hsp_cli_table *t, const json_t *report) {
    double repeated = hsp_cli_json_number(report, "duplicate_rows");
    double conflicting = hsp_cli_json_number(report, "conflicting_rows");
    char a[HSP_CLI_NUMBER], b[HSP_CLI_NUMBER];
    hsp_cli_cell(t, "duplicate rows");
    if (!(repeated > 0))
        hsp_cli_cell(t, "none");
    else if (conflicting > 0)
        hsp_cli_cellf(t, "%s repeat%s an earlier one; %s have a twin in another class", whole(repeated, a),
                      repeated == 1 ? "s" : "", whole(conflicting, b));
    else
        hsp_cli_cellf(t, "%s repeat%s an earlier one", whole(repeated, a), repeated == 1 ? "s" : "");
}

int hsp_cli_print_inspection(FILE *f, const json_t *report, const hsp_data *data) {
    const json_t *separable = json_object_get(report, "separable");
    hsp_cli_table t;
    hsp_cli_table_begin(&t, 2);
    values_line(&t, report);
    column_lines(&t, report);
    row_lines(&t, report);
    hsp_cli_separable_line(&t, separable);
    int code = hsp_cli_table_print(&t, f, 0, "l");
    return code || !json_is_object(separable) ? code : hsp_cli_print_separable(f, separable, data);
}
