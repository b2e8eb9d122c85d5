/* A step of Adam, compiled for each level (of_level.h). Only additions, multiplications, divisions and square roots, none
 * fused, which every width rounds alike: the same bits. */
#include "kernel/of_level.h"

#include <math.h>

void HSP_OF_LEVEL(hsp_adam_)(const hsp_adam_rates *a, int64_t count, const double *gradient, double *restrict mean,
                             double *restrict square, double *restrict w) {
    const double beta1 = a->beta1, beta2 = a->beta2, rate = a->rate, root = a->root, epsilon = a->epsilon;
    for (int64_t i = 0; i < count; i++) {
        double g = gradient[i];
        mean[i] = beta1 * mean[i] + (1 - beta1) * g;
        square[i] = beta2 * square[i] + (1 - beta2) * (g * g);
        w[i] -= rate * mean[i] / (root * sqrt(square[i]) + epsilon);
    }
}
