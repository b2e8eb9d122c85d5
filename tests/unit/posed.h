/* A small posed problem for the tests: data in a layout, scaled, with a loss and a penalty. */
#ifndef HSP_TESTS_POSED_H
#define HSP_TESTS_POSED_H

#include "base/rng.h"
#include "option/options.h"
#include "prepare/prepare.h"
#include "problem/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct posed {
    hsp_data *data;
    hsp_prepare prepare;
    hsp_design *design;
    hsp_problem *problem;
} posed;

/* n rows of d columns; two overlapping classes; density below 0.5 gives a sparse layout. */
__attribute__((unused)) static hsp_data *posed_data(int64_t n, int64_t d, double density, uint64_t seed) {
    hsp_rng r = hsp_rng_new(seed, 5);
    double *x = calloc((size_t)(n * d), sizeof *x);
    const char **labels = calloc((size_t)n, sizeof *labels);
    for (int64_t i = 0; i < n; i++) {
        int64_t plus = hsp_rng_below(&r, 3) > 0; /* unbalanced */
        labels[i] = plus ? "1" : "-1";
        for (int64_t j = 0; j < d; j++)
            if (hsp_rng_uniform(&r) < density) x[i * d + j] = hsp_rng_normal(&r) + (plus ? 0.5 : -0.5) + (double)(j % 3);
    }
    hsp_data *data = NULL;
    if (hsp_data_from_dense(x, n, d, d, labels, NULL, &data, NULL)) data = NULL;
    free(x);
    free(labels);
    return data;
}

__attribute__((unused)) static int posed_make(posed *p, hsp_data *data, const char *scale, const hsp_problem_spec *spec) {
    hsp_options *o = NULL;
    *p = (posed){.data = data};
    int status = hsp_options_new(&o, NULL);
    if (!status) status = hsp_options_set(o, "scale", scale, NULL);
    if (!status) status = hsp_prepare_fit(data, o, &p->prepare, NULL);
    if (!status) status = hsp_design_new(&data->x, p->prepare.shift, p->prepare.factor, 1, &p->design, NULL);
    if (!status) status = hsp_problem_new(p->design, spec, &p->problem, NULL);
    for (int64_t i = 0; !status && i < data->x.n; i++) p->problem->y[i] = data->y[i] == p->prepare.positive ? 1 : -1;
    hsp_options_free(o);
    return status;
}

__attribute__((unused)) static void posed_free(posed *p) {
    hsp_problem_free(p->problem);
    hsp_design_free(p->design);
    hsp_prepare_clear(&p->prepare);
}

/* Row i after scaling, as plain numbers. */
__attribute__((unused)) static void posed_row(const posed *p, int64_t i, double *x) {
    hsp_data_row(p->data, i, x, NULL);
    for (int64_t j = 0; j < p->design->d; j++) {
        if (p->prepare.shift) x[j] -= p->prepare.shift[j];
        if (p->prepare.factor) x[j] *= p->prepare.factor[j];
    }
}

#endif
