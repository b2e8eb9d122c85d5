/* What each row counts: c_i = its own weight x the weight of its class. */
#include "base/error.h"
#include "base/memory.h"
#include "data/data.h"
#include "fit/fit.h"
#include "option/options.h"

#include <math.h>
#include <string.h>

/* The mass of each class: the sum of its rows' own weights. */
static void masses(const hsp_fit *f, double *mass) {
    for (int64_t k = 0; k < f->prepare->classes.count; k++) mass[k] = 0;
    for (int64_t i = 0; i < f->data->x.n; i++) mass[f->y[i]] += f->data->weight ? f->data->weight[i] : 1;
}

/* Every class that has rows ends with the same mass, and the total stays what it was. */
static void balance(hsp_fit *f) {
    int64_t classes = f->prepare->classes.count, present = 0;
    double total = 0, *weight = f->class_weight;
    masses(f, weight);
    for (int64_t k = 0; k < classes; k++) {
        total += weight[k];
        present += weight[k] > 0;
    }
    for (int64_t k = 0; k < classes; k++) weight[k] = weight[k] > 0 ? total / ((double)present * weight[k]) : 1;
}

static int parse(hsp_fit *f, const char *text, hsp_error **err) {
    const hsp_classes *classes = &f->prepare->classes;
    int status = hsp_class_numbers(classes, "class-weight", text, "a=2,b=0.5, or balanced", f->class_weight, err);
    for (int64_t k = 0; !status && k < classes->count; k++) {
        double *weight = &f->class_weight[k];
        if (isnan(*weight)) *weight = 1;
        if (!(*weight > 0 && *weight <= 1e100))
            status = hsp_fail(err, HSP_EUSAGE,
                              "--class-weight: the weight of class '%s' is not above 0 (or above 1e100): change it, or "
                              "leave its rows out",
                              classes->name[k]);
    }
    return status;
}

bool hsp_fit_absent(const hsp_fit *f, int64_t k) {
    return f->absent && f->absent[k];
}

/* Rows with weight, and the classes that have none. */
static int count(hsp_fit *f, hsp_error **err) {
    int64_t classes = f->prepare->classes.count;
    if (f->y && !(f->absent = hsp_alloc(classes, sizeof *f->absent))) return hsp_fail_memory(err);
    for (int64_t k = 0; f->y && k < classes; k++) f->absent[k] = true;
    for (int64_t i = 0; i < f->data->x.n; i++) {
        if (f->data->weight && f->data->weight[i] == 0) continue;
        f->rows++;
        if (f->y) f->absent[f->y[i]] = false;
    }
    return HSP_OK;
}

int hsp_fit_weigh(hsp_fit *f, hsp_error **err) {
    const char *text = hsp_options_text(f->o, "class-weight");
    int status = count(f, err);
    if (status) return status;
    f->c = f->data->weight;
    if (!text) return HSP_OK;
    if (!f->y) return hsp_fail(err, HSP_EUSAGE, "--class-weight is about classes, and regression has none: use --weight");
    int64_t n = f->data->x.n;
    f->class_weight = hsp_alloc(f->prepare->classes.count, sizeof *f->class_weight);
    f->row_weight = hsp_alloc(n, sizeof *f->row_weight);
    if (!f->class_weight || !f->row_weight) return hsp_fail_memory(err);
    if (strcmp(text, "balanced") == 0) {
        balance(f);
    } else {
        status = parse(f, text, err);
        if (status) return status;
    }
    for (int64_t i = 0; i < n; i++)
        f->row_weight[i] = f->class_weight[f->y[i]] * (f->data->weight ? f->data->weight[i] : 1);
    f->c = f->row_weight;
    return HSP_OK;
}
