#include "explain/class_centres.h"

#include "base/error.h"
#include "moments/class_moments.h"

#include <math.h>

hsp_class_rows hsp_derivation_class_rows(const hsp_derivation *v) {
    return (hsp_class_rows){.design = v->design, .prepare = &v->prepare, .y = v->rows.side, .c = v->rows.c};
}

int hsp_derivation_means(hsp_derivation *v, double **mass, double **mean, hsp_error **err) {
    int64_t K = v->rows.K, d = v->rows.d;
    hsp_class_moments m = {0};
    hsp_class_rows set = hsp_derivation_class_rows(v);
    int status = hsp_class_moments_fit(&set, &m, err);
    *mass = hsp_derivation_zeros(v, K);
    *mean = hsp_derivation_zeros(v, K * d);
    if (!status && (!*mass || !*mean)) status = hsp_fail_memory(err);
    for (int64_t k = 0; !status && k < K; k++) (*mass)[k] = m.mass[k];
    for (int64_t i = 0; !status && i < K * d; i++)
        (*mean)[i] = m.mass[i / d] > 0 ? m.mean[i] + (m.g ? m.g[i % d] : 0) : 0;
    hsp_class_moments_clear(&m);
    return status;
}

void hsp_derivation_pair(const hsp_derivation *v, const double *mass, const double *mean, int64_t pair[2]) {
    int64_t K = v->rows.K, d = v->rows.d;
    double least = INFINITY;
    pair[0] = v->prepare.positive;
    pair[1] = 1 - pair[0];
    for (int64_t k = 0; K > 2 && k < K; k++)
        for (int64_t l = 0; l < k; l++) {
            double square = 0;
            for (int64_t j = 0; j < d; j++) square += pow(mean[k * d + j] - mean[l * d + j], 2);
            if (mass[k] > 0 && mass[l] > 0 && square < least) least = square, pair[0] = k, pair[1] = l;
        }
}

void hsp_derivation_show_means(hsp_derivation *v, const double *mass, const double *mean) {
    hsp_exposition *e = &v->text;
    hsp_exposition_section(e, "The class means");
    HSP_SAY(e, "The mean of a class is the mean of its rows, each with its weight:");
    HSP_FORMULA(e, "mu_k = sum c_i x_i / sum c_i, over the rows of class k~"
                   "\\mu_k = \\frac{\\sum_{i: y_i = k} c_i x_i}{\\sum_{i: y_i = k} c_i}");
    hsp_derivation_classes(v, mean);
    hsp_exposition_vector(e, "mass", mass, v->rows.K);
    hsp_derivation_put_rows(v, "means", mean, v->rows.K);
}
