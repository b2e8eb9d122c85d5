#include "moments_report.h"
#include "fail.h"
#include "json_output.h"
#include "text_table.h"

#include <inttypes.h>
#include <string.h>

enum { WIDEST = 12 }; /* columns of a table that fit on a screen */

/* What the rows of a table are; determines their names. */
typedef enum row_kind { OF_CLASSES, OF_FEATURES, OF_OUTPUTS } row_kind;

static const char *row_name(const hsp_model *m, row_kind kind, int64_t i, char *buf) {
    if (kind == OF_FEATURES) return hsp_model_feature_label(m, i, buf);
    return kind == OF_CLASSES || hsp_model_outputs(m) > 1 ? hsp_model_class_name(m, i) : "";
}

/* Prints one name and number per line. */
static int print_vector(FILE *f, const hsp_model *m, const char *title, const hsp_report *list, row_kind kind) {
    hsp_cli_table t;
    hsp_cli_table_begin(&t, 2);
    fprintf(f, "\n%s\n", title);
    for (int64_t i = 0; i < hsp_report_count(list, NULL); i++) {
        char buf[32];
        hsp_cli_cell_name(&t, row_name(m, kind, i, buf));
        hsp_cli_cell_number(&t, hsp_report_number_at(list, NULL, i));
    }
    return hsp_cli_table_print(&t, f, 2, "ld");
}

/* Row i of a matrix, or NULL if it is unknown. A matrix with unknown rows is a list, else an array. */
static const double *row_at(const hsp_report *rows, int64_t i) {
    hsp_array a = {.size = sizeof a};
    if (hsp_report_array(rows, NULL, &a, NULL) == 0) return (const double *)a.data + i * a.shape[1];
    return hsp_report_array(hsp_report_item(rows, NULL, i), NULL, &a, NULL) == 0 ? a.data : NULL;
}

/* Columns are features; an unknown row is empty. `of` names the class of the matrix, or is NULL. */
static int print_matrix(FILE *f, const hsp_model *m, const char *title, const char *of, const hsp_report *rows,
                        row_kind kind) {
    int64_t n = hsp_report_count(rows, NULL), d = hsp_model_features(m);
    char buf[32];
    fprintf(f, "\n%s", title);
    if (of) {
        fputs(" of ", f);
        hsp_cli_put_clean(f, of);
    }
    putc('\n', f);
    if (d > WIDEST) {
        fprintf(f, "  %" PRId64 " x %" PRId64 " numbers: see --json\n", n, d);
        return 0;
    }
    hsp_cli_table t;
    hsp_cli_table_begin(&t, (int)d + 1);
    hsp_cli_cell(&t, "");
    for (int64_t j = 0; j < d; j++) hsp_cli_cell_name(&t, row_name(m, OF_FEATURES, j, buf));
    for (int64_t i = 0; i < n; i++) {
        const double *row = row_at(rows, i);
        hsp_cli_cell_name(&t, row_name(m, kind, i, buf));
        for (int64_t j = 0; j < d; j++) {
            if (row)
                hsp_cli_cell_number(&t, row[j]);
            else
                hsp_cli_cell(&t, "");
        }
    }
    return hsp_cli_table_print(&t, f, 2, "ld");
}

int hsp_cli_print_moments(FILE *f, const hsp_model *m, const hsp_report *moments) {
    static const struct {
        const char *key, *title;
        row_kind kind;
    } tables[] = {{"means", "means", OF_CLASSES},
                  {"within_scatter", "within-class scatter", OF_FEATURES},
                  {"between_scatter", "between-class scatter", OF_FEATURES},
                  {"second_moment", "second moment E[x x']", OF_FEATURES},
                  {"cross_moment", "cross moment E[x y]", OF_OUTPUTS}};
    const hsp_report *mass = hsp_report_member(moments, "mass"), *covariances = hsp_report_member(moments, "covariances");
    int code = hsp_cli_is_list(mass, NULL)
                   ? print_vector(f, m, "rows of each class (or their total weight)", mass, OF_CLASSES)
                   : 0;
    for (size_t i = 0; i < sizeof tables / sizeof tables[0] && !code; i++) {
        const hsp_report *rows = hsp_report_member(moments, tables[i].key);
        if (hsp_cli_is_list(rows, NULL)) code = print_matrix(f, m, tables[i].title, NULL, rows, tables[i].kind);
        for (int64_t k = 0; i == 0 && k < hsp_report_count(covariances, NULL) && !code; k++) {
            const char *of = hsp_model_class_name(m, k);
            code = print_matrix(f, m, "covariance", of, hsp_report_item(covariances, NULL, k), OF_FEATURES);
        }
    }
    return code;
}
