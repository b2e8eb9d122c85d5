/* The penalties, and their value and conjugate for any share of L1. */
#include "penalty/penalty.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const hsp_penalty none = {"none", "0", "no penalty: P is the sum of the losses", false, 0, false};
static const hsp_penalty l2 = {"l2", "|w|^2 / 2", "ridge: shrinks all weights towards zero", true, 0, false};
static const hsp_penalty l1 = {"l1", "|w|_1", "lasso: sets weights of little use exactly to zero", true, 1, false};
static const hsp_penalty elastic = {
    "elastic", "rho |w|_1 + (1 - rho) |w|^2 / 2", "elastic net: a mixture of both; rho is --l1-ratio", true, 0, true};

const hsp_penalty *const hsp_penalty_table[] = {&none, &l2, &l1, &elastic, NULL};

const hsp_penalty *hsp_penalty_find(const char *name) {
    for (int64_t i = 0; hsp_penalty_table[i]; i++)
        if (strcmp(hsp_penalty_table[i]->name, name) == 0) return hsp_penalty_table[i];
    return NULL;
}

double hsp_penalty_value(const double *w, int64_t d, double rho) {
    double one = 0, two = 0;
    for (int64_t j = 0; j < d; j++) {
        one += fabs(w[j]);
        two += w[j] * w[j];
    }
    return rho * one + (1 - rho) * two / 2;
}

double hsp_penalty_conjugate(const double *v, int64_t d, double rho) {
    double s = 0;
    for (int64_t j = 0; j < d; j++) {
        double e = fabs(v[j]) - rho;
        if (e > 0) {
            if (rho == 1) return INFINITY;
            s += e * e;
        }
    }
    return rho == 1 ? 0 : s / (2 * (1 - rho));
}
