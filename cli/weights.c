#include "weights.h"
#include "fail.h"
#include "spark.h"
#include "text_table.h"

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

static ranked *rank_features(const hsp_cli_linear *l, hsp_cli_weight_order order) {
    ranked *list = calloc((size_t)l->features + 1, sizeof *list);
    if (!list) return NULL;
    for (int64_t j = 0; j < l->features; j++) {
        list[j].j = j;
        for (int64_t k = 0; k < l->outputs; k++) {
            double size = fabs(at(&l->w, k, j));
            if (size > list[j].size) list[j].size = size;
        }
    }
    if (order == HSP_CLI_BY_SIZE) qsort(list, (size_t)l->features, sizeof *list, largest_first);
    return list;
}

enum { HALF = 8 }; /* width of a bar on each side, in characters */

int hsp_cli_print_linear(FILE *f, const hsp_cli_linear *l, int64_t limit, hsp_cli_weight_order order) {
    ranked *list = rank_features(l, order);
    if (!list) return hsp_cli_fail_memory();
    bool bars = l->outputs == 1 && hsp_cli_draws(f);
    double most = 0; /* largest of the listed weights */
    for (int64_t i = 0; i < l->features && i < limit; i++) most = fmax(most, list[i].size);
    hsp_cli_table t;
    hsp_cli_table_begin(&t, (int)l->outputs + 1 + bars);
    if (l->outputs > 1) {
        hsp_cli_cell(&t, "");
        for (int64_t k = 0; k < l->outputs; k++) hsp_cli_cell_name(&t, l->output(l->of, k));
    }
    for (int64_t i = 0; i < l->features && i < limit; i++) {
        char number[32];
        hsp_cli_cell_name(&t, l->feature(l->of, list[i].j, number));
        for (int64_t k = 0; k < l->outputs; k++) hsp_cli_cell_number(&t, at(&l->w, k, list[i].j));
        char bar[HSP_CLI_SPARK_BYTES];
        if (bars) hsp_cli_cell(&t, hsp_cli_signed_bar(most > 0 ? at(&l->w, 0, list[i].j) / most : 0, HALF, bar));
    }
    hsp_cli_cell(&t, "(intercept)");
    for (int64_t k = 0; k < l->outputs; k++) hsp_cli_cell_number(&t, at(&l->b, k, 0));
    if (bars) hsp_cli_cell(&t, "");
    free(list);
    return hsp_cli_table_print(&t, f, 2, bars ? "ldl" : "ld");
}

static const char *model_feature(const void *m, int64_t j, char *buf) {
    return hsp_model_feature_label(m, j, buf);
}

static const char *model_output(const void *m, int64_t k) {
    return hsp_model_class_name(m, k);
}

int hsp_cli_print_weights(FILE *f, const hsp_model *m, int64_t limit, hsp_cli_weight_order order) {
    hsp_cli_linear l = {.w = {.size = sizeof(hsp_array)},
                        .b = {.size = sizeof(hsp_array)},
                        .outputs = hsp_model_outputs(m),
                        .features = hsp_model_features(m),
                        .feature = model_feature,
                        .output = model_output,
                        .of = m};
    hsp_error *err = NULL;
    if (hsp_model_array(m, "weights", &l.w, &err) || hsp_model_array(m, "intercepts", &l.b, &err))
        return hsp_cli_report_error(&err);
    return hsp_cli_print_linear(f, &l, limit, order);
}

void hsp_cli_print_weights_title(FILE *f, const hsp_model *m) {
    fputs("\nweights", f);
    if (hsp_model_outputs(m) > 1) return;
    if (hsp_model_classes(m) == 0) {
        fputs(" (prediction = intercept + sum of weight x feature)", f);
        return;
    }
    const char *positive = hsp_model_class_name(m, hsp_model_positive(m));
    char name[HSP_CLI_NAME];
    fputs(" (positive scores mean ", f);
    hsp_cli_put_clean(f, positive ? hsp_cli_cut(positive, name) : "the second class");
    putc(')', f);
}
