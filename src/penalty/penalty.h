/* Penalties: one line each in penalty_table.c. All have the form
 *
 *     R(w) = rho |w|_1 + (1 - rho) |w|^2 / 2
 *
 * for some rho, so that update rules need only a multiplicative shrink and a soft threshold. The mean form of the objective
 * multiplies R by lambda. */
#ifndef HSP_PENALTY_PENALTY_H
#define HSP_PENALTY_PENALTY_H

#include <stdbool.h>
#include <stdint.h>

typedef struct hsp_penalty {
    const char *name;
    const char *formula;
    const char *help;
    bool penalises; /* false: R = 0, and P is the plain sum of the losses */
    /* The share of L1: fixed, or the option's value when `mixed`. */
    double l1;
    bool mixed;
} hsp_penalty;

extern const hsp_penalty *const hsp_penalty_table[]; /* NULL-terminated */
const hsp_penalty *hsp_penalty_find(const char *name);

/* R(w) for an L1 share rho. */
double hsp_penalty_value(const double *w, int64_t d, double rho);
/* The conjugate R*(v):
 *
 *     rho < 1    sum_j max(0, |v_j| - rho)^2 / (2 (1 - rho))
 *     rho = 1    0 if |v|_inf <= 1, else infinite
 */
double hsp_penalty_conjugate(const double *v, int64_t d, double rho);

/* Soft threshold: v moved towards 0 by t, not past it, which is the proximal step of t |v|. */
static inline double hsp_soft(double v, double t) {
    return v > t ? v - t : v < -t ? v + t : 0;
}

#endif
