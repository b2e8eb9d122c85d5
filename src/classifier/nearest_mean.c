/* nearest-mean: a row belongs to the class whose centre is nearest. |x - mu_k|^2 is smallest where
 * mu_k.x - |mu_k|^2 / 2 is largest, so the rule is linear: for two classes w = mu_+ - mu_-, b = -(|mu_+|^2 - |mu_-|^2) / 2;
 * for K classes one output for each centre. The midpoint of the means is on the boundary; it is not the bias. */
#include "base/memory.h"
#include "classifier/classifier.h"
#include "kernel/kernel.h"

/* The mean of the rows of class k, into mu. */
static void class_mean(const hsp_fit *f, int64_t k, double *member, double *mu) {
    const hsp_data *data = f->data;
    int64_t count = 0;
    for (int64_t i = 0; i < data->x.n; i++) {
        member[i] = data->y[i] == k ? 1 : 0;
        count += data->y[i] == k;
    }
    for (int64_t i = 0; i < data->x.n; i++) member[i] /= (double)(count > 0 ? count : 1);
    hsp_design_adjoint(f->design, member, mu);
}

static int fit(hsp_fit *f, hsp_error **err) {
    int64_t d = f->design->d, classes = f->prepare->classes.count;
    double *member = hsp_alloc(f->design->n, sizeof *member);
    double *other = f->outputs == 1 ? hsp_alloc(d, sizeof *other) : NULL;
    int status = HSP_OK;
    if (!member || (f->outputs == 1 && !other)) status = hsp_fail_memory(err);
    if (!status && f->outputs == 1) {
        int64_t plus = f->prepare->positive, minus = 1 - plus;
        class_mean(f, plus, member, f->w);
        class_mean(f, minus, member, other);
        f->b[0] = (hsp_dot_f64(other, other, d) - hsp_dot_f64(f->w, f->w, d)) / 2;
        hsp_axpy_f64(-1, other, f->w, d);
    }
    for (int64_t k = 0; !status && f->outputs > 1 && k < classes; k++) {
        class_mean(f, k, member, f->w + k * d);
        f->b[k] = -hsp_dot_f64(f->w + k * d, f->w + k * d, d) / 2;
    }
    hsp_free(member);
    hsp_free(other);
    return status;
}

const hsp_classifier hsp_classifier_nearest_mean = {.name = "nearest-mean",
                                                    .help = "the nearest class centre wins; two classes or K",
                                                    .options = "positive scale",
                                                    .fit = fit};
