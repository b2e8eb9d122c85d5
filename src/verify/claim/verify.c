/* The losses as the documentation defines them, for whoever wants one value. */
#include "verify/claim/verify.h"

#include <math.h>
#include <string.h>

double hsp_verify_loss(const char *loss, double y, double g) {
    double m = y * g;
    if (strcmp(loss, "hinge") == 0) return fmax(0, 1 - m);
    if (strcmp(loss, "squared-hinge") == 0) return fmax(0, 1 - m) * fmax(0, 1 - m);
    if (strcmp(loss, "logistic") == 0) return m > 0 ? log1p(exp(-m)) : log1p(exp(m)) - m;
    if (strcmp(loss, "squared") == 0) return 0.5 * (y - g) * (y - g);
    if (strcmp(loss, "perceptron") == 0) return fmax(0, -m);
    if (strcmp(loss, "zero-one") == 0) return y > 0 ? (g > 0 ? 0 : 1) : (g > 0 ? 1 : 0);
    return NAN;
}
