#include "moments_report.h"
#include "fail.h"

#include <string.h>

enum { WIDEST = 12 }; /* columns of a table that still fits a screen */

/* What the rows of a table stand for, which gives them their names. */
typedef enum row_kind { OF_CLASSES, OF_FEATURES, OF_OUTPUTS } row_kind;

static const char *row_name(const hsp_model *m, row_kind kind, size_t i, char *buf) {
    if (kind == OF_FEATURES) return hsp_model_feature_label(m, (int64_t)i, buf);
    return kind == OF_CLASSES || hsp_model_outputs(m) > 1 ? hsp_model_class_name(m, (int64_t)i) : "";
}

/* One name and number a line. */
static int print_vector(FILE *f, const hsp_model *m, const char *title, const json_t *list, row_kind kind) {
    hsp_cli_table t;
    hsp_cli_table_begin(&t, 2);
    fprintf(f, "\n%s\n", title);
    for (size_t i = 0; i < json_array_size(list); i++) {
        char buf[32];
        hsp_cli_cell_name(&t, row_name(m, kind, i, buf));
        hsp_cli_cell_value(&t, json_array_get(list, i), 1);
    }
    return hsp_cli_table_print(&t, f, 2, "ld");
}

/* Columns are features; a row that is not known is empty. `of` names the class that the whole is of, or is NULL. */
static int print_matrix(FILE *f, const hsp_model *m, const char *title, const char *of, const json_t *rows, row_kind kind) {
    size_t n = json_array_size(rows), d = (size_t)hsp_model_features(m);
    char buf[32];
    fprintf(f, "\n%s", title);
    if (of) {
        fputs(" of ", f);
        hsp_cli_put_clean(f, of);
    }
    putc('\n', f);
    if (d > WIDEST) {
        fprintf(f, "  %zu x %zu numbers: see --json\n", n, d);
        return 0;
    }
    hsp_cli_table t;
    hsp_cli_table_begin(&t, (int)d + 1);
    hsp_cli_cell(&t, "");
    for (size_t j = 0; j < d; j++) hsp_cli_cell_name(&t, row_name(m, OF_FEATURES, j, buf));
    for (size_t i = 0; i < n; i++) {
        const json_t *row = json_array_get(rows, i);
        hsp_cli_cell_name(&t, row_name(m, kind, i, buf));
        for (size_t j = 0; j < d; j++) hsp_cli_cell_value(&t, json_array_get(row, j), 1);
    }
    return hsp_cli_table_print(&t, f, 2, "ld");
}

int hsp_cli_print_moments(FILE *f, const hsp_model *m, const json_t *moments) {
    static const struct {
        const char *key, *title;
        row_kind kind;
    } tables[] = {{"means", "means", OF_CLASSES},
                  {"within_scatter", "scatter within the classes", OF_FEATURES},
                  {"between_scatter", "scatter between the classes", OF_FEATURES},
                  {"second_moment", "second moment E[x x']", OF_FEATURES},
                  {"cross_moment", "cross moment E[x y]", OF_OUTPUTS}};
    const json_t *mass = json_object_get(moments, "mass"), *covariances = json_object_get(moments, "covariances");
    int code = json_is_array(mass) ? print_vector(f, m, "rows of each class, or their weight", mass, OF_CLASSES) : 0;
    for (size_t i = 0; i < sizeof tables / sizeof tables[0] && !code; i++) {
        const json_t *rows = json_object_get(moments, tables[i].key);
        if (json_is_array(rows)) code = print_matrix(f, m, tables[i].title, NULL, rows, tables[i].kind);
        for (size_t k = 0; i == 0 && k < json_array_size(covariances) && !code; k++) {
            const char *of = hsp_model_class_name(m, (int64_t)k);
            code = print_matrix(f, m, "covariance", of, json_array_get(covariances, k), OF_FEATURES);
        }
    }
    return code;
}
