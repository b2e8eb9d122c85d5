/* Losses: one file each, one line in loss_table.c. A loss is a function of the label y (-1 or +1) and the score g; most
 * depend on the margin m = y g alone. An empty slot means "cannot". */
#ifndef HSP_LOSS_LOSS_H
#define HSP_LOSS_LOSS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    HSP_LOSS_SLOPE = 1,  /* has a (sub)gradient to follow */
    HSP_LOSS_SMOOTH = 2, /* the gradient is Lipschitz */
    HSP_LOSS_DUAL = 4,   /* has a conjugate that gives useful lower bounds */
    HSP_LOSS_TRIVIAL = 8 /* weights of zero minimise it: points are judged by their mistakes */
};

/* Which side of the kink: see hinge.c. */
typedef enum hsp_kink { HSP_KINK_OPEN, HSP_KINK_CLOSED } hsp_kink;

typedef struct hsp_loss_at {
    double value;
    double slope; /* d value / d g; at a kink one of the subgradients */
} hsp_loss_at;

typedef struct hsp_loss {
    const char *name;
    const char *formula;
    const char *help;
    unsigned traits;
    double lipschitz; /* bound on the second derivative in g; 0 when not smooth */
    hsp_loss_at (*at)(double y, double g, hsp_kink kink);
    /* A block of scores, rows x outputs (outputs is 1 for losses of a margin): values (or NULL) and slopes (or NULL). */
    void (*batch)(const double *y, const double *g, int64_t rows, hsp_kink kink, double *value, double *slope);
    /* The dual of one example: -f*(-a) where f is the loss as a function of the margin; concave in a, whose domain is
     * [dual_low, dual_high]. NULL: none. */
    double (*dual)(double a);
    double dual_low, dual_high;
} hsp_loss;

extern const hsp_loss *const hsp_loss_table[];   /* NULL-terminated */
const hsp_loss *hsp_loss_find(const char *name); /* NULL when there is none */

extern const hsp_loss hsp_loss_zero_one, hsp_loss_perceptron, hsp_loss_hinge, hsp_loss_squared_hinge, hsp_loss_logistic,
    hsp_loss_squared;

/* The body of `batch` from `at`: inlined into each loss, so that no pointer is called per row. */
#define HSP_LOSS_BATCH(name, at)                                                                                    \
    static void name(const double *y, const double *g, int64_t rows, hsp_kink kink, double *value, double *slope) { \
        for (int64_t i = 0; i < rows; i++) {                                                                        \
            hsp_loss_at v = at(y[i], g[i], kink);                                                                   \
            if (value) value[i] = v.value;                                                                          \
            if (slope) slope[i] = v.slope;                                                                          \
        }                                                                                                           \
    }

#endif
