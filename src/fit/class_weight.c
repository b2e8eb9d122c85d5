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

/* Gives every class that has rows the same total weight and keeps the sum over all rows. */
static void balance_classes(hsp_fit *f) {
    int64_t classes = f->job.prepare->classes.count, present = 0;
    double total = 0, *weight = f->rows.class_weight;
    /* The total weight of each class, from the row weights alone. */
    for (int64_t k = 0; k < f->job.prepare->classes.count; k++) weight[k] = 0;
    for (int64_t i = 0; i < f->job.data->x.n; i++) weight[f->rows.y[i]] += f->job.data->weight ? f->job.data->weight[i] : 1;
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

int hsp_fit_weigh(hsp_fit *f, hsp_error **err) {
    const char *text = hsp_options_text(f->job.options, "class-weight");
    int status = count(f, err);
    if (status) return status;
    f->rows.c = f->job.data->weight;
    if (!text) return HSP_OK;
    if (!f->rows.y)
        return hsp_fail(err, HSP_EUSAGE, "--class-weight is for classification, not for regression: use --weight");
    int64_t n = f->job.data->x.n;
    f->rows.class_weight = hsp_alloc(f->job.prepare->classes.count, sizeof *f->rows.class_weight);
    f->rows.row_weight = hsp_alloc(n, sizeof *f->rows.row_weight);
    if (!f->rows.class_weight || !f->rows.row_weight) return hsp_fail_memory(err);
    if (strcmp(text, "balanced") == 0) {
        balance_classes(f);
    } else {
        const hsp_classes *classes = &f->job.prepare->classes;
        status = hsp_class_numbers(classes, "class-weight", text, "a=2,b=0.5, or balanced", f->rows.class_weight, err);
        for (int64_t k = 0; !status && k < classes->count; k++) {
            double *weight = &f->rows.class_weight[k];
            if (isnan(*weight)) *weight = 1;
            if (!(*weight > 0 && *weight <= 1e100)) status = fail_weight(classes->name[k], *weight, err);
        }
        if (status) return status;
    }
    for (int64_t i = 0; i < n; i++)
        f->rows.row_weight[i] = f->rows.class_weight[f->rows.y[i]] * (f->job.data->weight ? f->job.data->weight[i] : 1);
    f->rows.c = f->rows.row_weight;
    return HSP_OK;
}
