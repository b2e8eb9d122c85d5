/* The weight of each row:
 *     c_i = (row weight of i) (weight of its class) */
#include "fit/class_weight.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/data.h"
#include "option/options.h"
#include "prepare/class_numbers.h"

#include <math.h>
#include <string.h>

/* Gives every class that has rows the same total weight and keeps the sum over all rows. weight: the total weight of each class
 * from the row weights alone, then the weights. */
static void balance_classes(int64_t classes, double *weight) {
    int64_t present = 0;
    double total = 0;
    for (int64_t k = 0; k < classes; k++) {
        total += weight[k];
        present += weight[k] > 0;
    }
    for (int64_t k = 0; k < classes; k++) weight[k] = weight[k] > 0 ? total / ((double)present * weight[k]) : 1;
}

bool hsp_fit_absent(const hsp_fit *f, int64_t k) {
    return f->rows.absent && f->rows.absent[k];
}

/* Counts the rows of positive weight and marks the classes without any. */
static int count(hsp_fit *f, hsp_error **err) {
    int64_t classes = f->job.prepare->classes.count;
    if (f->rows.y && !(f->rows.absent = hsp_alloc(classes, sizeof *f->rows.absent))) return hsp_fail_memory(err);
    for (int64_t k = 0; f->rows.y && k < classes; k++) f->rows.absent[k] = true;
    for (int64_t i = 0; i < f->job.data->x.n; i++) {
        if (f->job.data->weight && f->job.data->weight[i] == 0) continue;
        f->rows.count++;
        if (f->rows.y) f->rows.absent[f->rows.y[i]] = false;
    }
    return HSP_OK;
}

static int fail_weight(const char *label, double weight, hsp_error **err) {
    char digits[32];
    hsp_format_number(weight, digits);
    return hsp_fail(err, HSP_EUSAGE,
                    "--class-weight: the weight of class '%s' cannot be %s: give a number above 0%s, or remove its rows",
                    label, digits, weight > 0 ? ", at most 1e100" : "");
}

int hsp_fit_class_weights(hsp_fit *f, const double *mass, hsp_error **err) {
    const char *text = hsp_options_text(f->job.options, "class-weight");
    const hsp_classes *classes = &f->job.prepare->classes;
    int status = HSP_OK;
    if (!text) return HSP_OK;
    if (f->job.prepare->regression)
        return hsp_fail(err, HSP_EUSAGE, "--class-weight is for classification, not for regression: use --weight");
    f->rows.class_weight = hsp_alloc(classes->count, sizeof *f->rows.class_weight);
    if (!f->rows.class_weight) return hsp_fail_memory(err);
    if (strcmp(text, "balanced") == 0) {
        memcpy(f->rows.class_weight, mass, (size_t)classes->count * sizeof *mass);
        balance_classes(classes->count, f->rows.class_weight);
        return HSP_OK;
    }
    status = hsp_class_numbers(classes, "class-weight", text, "a=2,b=0.5, or balanced", f->rows.class_weight, err);
    for (int64_t k = 0; !status && k < classes->count; k++) {
        double *weight = &f->rows.class_weight[k];
        if (isnan(*weight)) *weight = 1;
        if (!(*weight > 0 && *weight <= 1e100)) status = fail_weight(classes->name[k], *weight, err);
    }
    return status;
}

/* The total weight of each class, from the row weights alone. */
static int weigh_classes(hsp_fit *f, hsp_error **err) {
    int64_t classes = f->rows.y ? f->job.prepare->classes.count : 0;
    double *mass = hsp_alloc_zero(classes + 1, sizeof *mass);
    if (!mass) return hsp_fail_memory(err);
    for (int64_t i = 0; f->rows.y && i < f->job.data->x.n; i++)
        mass[f->rows.y[i]] += f->job.data->weight ? f->job.data->weight[i] : 1;
    int status = hsp_fit_class_weights(f, mass, err);
    hsp_free(mass);
    return status;
}

int hsp_fit_weigh(hsp_fit *f, hsp_error **err) {
    int status = count(f, err);
    f->rows.c = f->job.data->weight;
    if (status || !hsp_options_text(f->job.options, "class-weight")) return status;
    status = weigh_classes(f, err);
    if (status) return status;
    int64_t n = f->job.data->x.n;
    f->rows.row_weight = hsp_alloc(n, sizeof *f->rows.row_weight);
    if (!f->rows.row_weight) return hsp_fail_memory(err);
    for (int64_t i = 0; i < n; i++)
        f->rows.row_weight[i] = f->rows.class_weight[f->rows.y[i]] * (f->job.data->weight ? f->job.data->weight[i] : 1);
    f->rows.c = f->rows.row_weight;
    return HSP_OK;
}
