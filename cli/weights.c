#include "weights.h"
#include "fail.h"
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct ranked {
    int64_t j;
    double size; /* the largest |w_kj| over the outputs k */
} ranked;

static double at(const hsp_array *a, int64_t i, int64_t j) {
    double v;
    memcpy(&v, (const char *)a->data + i * a->strides[0] + j * a->strides[1], sizeof v);
    return v;
}

static int largest_first(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    if (x->size != y->size) return x->size < y->size ? 1 : -1;
    return x->j < y->j ? -1 : x->j > y->j;
}

static ranked *rank_features(const hsp_array *w, int64_t outputs, int64_t d, hsp_cli_weight_order order) {
    ranked *list = calloc((size_t)d + 1, sizeof *list);
    if (!list) return NULL;
    for (int64_t j = 0; j < d; j++) {
        list[j].j = j;
        for (int64_t k = 0; k < outputs; k++) {
            double size = fabs(at(w, k, j));
            if (size > list[j].size) list[j].size = size;
        }
    }
    if (order == HSP_CLI_BY_SIZE) qsort(list, (size_t)d, sizeof *list, largest_first);
    return list;
}

int hsp_cli_print_weights(FILE *f, const hsp_model *m, int64_t limit, hsp_cli_weight_order order) {
    hsp_array w = {.size = sizeof w}, b = {.size = sizeof b};
    hsp_error *err = NULL;
    if (hsp_model_array(m, "weights", &w, &err) || hsp_model_array(m, "intercepts", &b, &err))
        return hsp_cli_report_error(&err);
    int64_t outputs = hsp_model_outputs(m), d = hsp_model_features(m);
    ranked *list = rank_features(&w, outputs, d, order);
    if (!list) return hsp_cli_fail_memory();
    hsp_cli_table t;
    hsp_cli_table_begin(&t, (int)outputs + 1);
    if (outputs > 1) {
        hsp_cli_cell(&t, "");
        for (int64_t k = 0; k < outputs; k++) hsp_cli_cell(&t, hsp_model_class_name(m, k));
    }
    for (int64_t i = 0; i < d && i < limit; i++) {
        char number[32];
        hsp_cli_cell(&t, hsp_model_feature_label(m, list[i].j, number));
        for (int64_t k = 0; k < outputs; k++) hsp_cli_cell_number(&t, at(&w, k, list[i].j));
    }
    hsp_cli_cell(&t, "(bias)");
    for (int64_t k = 0; k < outputs; k++) hsp_cli_cell_number(&t, at(&b, k, 0));
    free(list);
    return hsp_cli_table_print(&t, f, 2, "ld");
}

void hsp_cli_print_weights_title(FILE *f, const hsp_model *m) {
    fputs("\nweights", f);
    if (hsp_model_outputs(m) > 1) return;
    if (hsp_model_classes(m) == 0) {
        fputs(" (the prediction is the bias plus the sum of weight times feature)", f);
        return;
    }
    const char *positive = hsp_model_class_name(m, hsp_model_positive(m));
    fputs(" (positive scores mean ", f);
    hsp_cli_put_clean(f, positive ? positive : "the second class");
    putc(')', f);
}
