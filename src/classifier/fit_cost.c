/* What a step of second order costs: the whole Hessian, or passes over the data. */
#include "classifier/classifier.h"

/* The cost model, in nanoseconds on one thread. */
static const double NS_GRAM = 0.05;  /* one multiplication of a dense Gram matrix */
static const double NS_SPARSE = 1.5; /* one of a sparse one */
static const double NS_SOLVE = 0.1;  /* one of a Cholesky factorisation */
static const double NS_PASS = 1;     /* one stored number in a pass over the data */
/* Passes that a step of Newton-CG takes more than one with the Hessian at hand; unscaled columns need many. */
static const double PASSES = 60;
enum { MOST_SIZE = 4000, MOST_JOINT = 600 }; /* unknowns: for one output, and for softmax */

/* sum of the squares of the rows' lengths: the multiplications of a sparse Gram matrix. */
static double pairs(const hsp_matrix *x) {
    double sum = 0;
    for (int64_t i = 0; i < x->n; i++) {
        double count = (double)hsp_matrix_row(x, i).count;
        sum += count * count / 2;
    }
    return sum;
}

/* Whether the whole Hessian is worth its price. */
bool hsp_fit_hessian_pays(const hsp_fit *f, int64_t outputs) {
    const hsp_matrix *x = &f->data->x;
    double d = (double)x->d, K = (double)outputs, size = K * d, blocks = K * (K + 1) / 2;
    if (size > (outputs == 1 ? MOST_SIZE : MOST_JOINT)) return false;
    double gram = blocks * (x->dense ? NS_GRAM * (double)x->n * d * d : NS_SPARSE * pairs(x) + d * d);
    double solve = NS_SOLVE * size * size * size / 3;
    return gram + solve <= PASSES * NS_PASS * K * (double)x->stored + 1e6;
}
