#include "layers_report.h"
#include "text_table.h"

#include <inttypes.h>
#include <string.h>

enum { MOST_UNITS = 8, MOST_INPUTS = 20 }; /* of a layer that is printed without --all */

typedef struct layer {
    int number;
    bool last;
    hsp_array w, b;
} layer;

static double at(const hsp_array *a, int64_t i, int64_t j) {
    double v;
    memcpy(&v, (const char *)a->data + i * a->strides[0] + j * a->strides[1], sizeof v);
    return v;
}

static bool find_layer(const hsp_model *m, int number, layer *out) {
    char name[2][32];
    snprintf(name[0], sizeof name[0], "layer-%d-weights", number);
    snprintf(name[1], sizeof name[1], "layer-%d-intercepts", number);
    *out = (layer){.number = number, .w = {.size = sizeof(hsp_array)}, .b = {.size = sizeof(hsp_array)}};
    return hsp_model_array(m, name[0], &out->w, NULL) == 0 && hsp_model_array(m, name[1], &out->b, NULL) == 0;
}

bool hsp_cli_is_network(const hsp_model *m) {
    layer first;
    return find_layer(m, 1, &first);
}

/* The unit of a layer: a score of the last one, else a hidden unit. */
static void add_unit_name(hsp_cli_table *t, const hsp_model *m, const layer *l, int64_t k) {
    if (!l->last)
        hsp_cli_cellf(t, "unit %" PRId64, k + 1);
    else if (l->w.shape[0] > 1)
        hsp_cli_cell_name(t, hsp_model_class_name(m, k));
    else
        hsp_cli_cell(t, "score");
}

static void add_input_name(hsp_cli_table *t, const hsp_model *m, const layer *l, int64_t j) {
    char buf[HSP_LABEL_SIZE];
    if (l->number == 1)
        hsp_cli_cell_name(t, hsp_model_feature_label(m, j, buf));
    else
        hsp_cli_cellf(t, "unit %" PRId64, j + 1);
}

static int print_table(FILE *f, const hsp_model *m, const layer *l) {
    int64_t units = l->w.shape[0];
    hsp_cli_table t;
    hsp_cli_table_begin(&t, 1 + (int)units);
    hsp_cli_cell(&t, "");
    for (int64_t k = 0; k < units; k++) add_unit_name(&t, m, l, k);
    for (int64_t j = 0; j < l->w.shape[1]; j++) {
        add_input_name(&t, m, l, j);
        for (int64_t k = 0; k < units; k++) hsp_cli_cell_number(&t, at(&l->w, k, j));
    }
    hsp_cli_cell(&t, "(intercept)");
    for (int64_t k = 0; k < units; k++) hsp_cli_cell_number(&t, at(&l->b, k, 0));
    return hsp_cli_table_print(&t, f, 2, "ld");
}

static int print_layer(FILE *f, const hsp_model *m, const layer *l, bool all) {
    const char *activation = hsp_model_field(m, "activation");
    int64_t units = l->w.shape[0], inputs = l->w.shape[1];
    bool shown = all || (units <= MOST_UNITS && inputs <= MOST_INPUTS);
    fprintf(f, "\nlayer %d: %" PRId64 " %s of %" PRId64 " %s%s%s%s\n", l->number, units,
            l->last ? (units == 1 ? "score" : "scores") : (units == 1 ? "unit" : "units"), inputs,
            l->number == 1 ? (inputs == 1 ? "feature" : "features") : (inputs == 1 ? "unit" : "units"),
            l->last || !activation ? "" : ", ", l->last || !activation ? "" : activation,
            shown ? "" : " (show --all prints the weights)");
    return shown ? print_table(f, m, l) : 0;
}

int hsp_cli_print_layers(FILE *f, const hsp_model *m, bool all) {
    layer now, next;
    int code = 0;
    for (int number = 1; !code && find_layer(m, number, &now); number++) {
        now.last = !find_layer(m, number + 1, &next);
        code = print_layer(f, m, &now, all);
    }
    return code;
}
