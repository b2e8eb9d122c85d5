/* The training rows as a network sees them: the rows of positive weight, their columns in units in which the signals are of
 * the order of 1, and their targets. Training works in these units, so that unscaled columns train as well as scaled ones;
 * hsp_examples_to_original turns the result into weights of the stored columns. Nothing is copied or made dense. */
#ifndef HSP_SOLVE_NETWORK_EXAMPLES_H
#define HSP_SOLVE_NETWORK_EXAMPLES_H

#include "design/design.h"
#include "halfspace.h"
#include "network/network.h"

typedef struct hsp_examples {
    const hsp_design *design;
    int64_t n;      /* rows of positive weight */
    int64_t *row;   /* owned: their numbers */
    double *centre; /* owned; d: an input is (x_j - centre_j) / unit_j of the stored column j; ... */
    double *unit;   /* ... unit_j > 0; owned */
    bool centred;   /* a centre is not 0 */
    int64_t outputs;
    const int32_t *class; /* of each row; NULL for regression */
    int64_t positive;     /* the class with the target +1 of a single output */
    const double *target; /* regression; else NULL */
    double target_centre; /* regression: the network is trained on (t - target_centre) / target_unit; ... */
    double target_unit;   /* ... else 0 and 1 */
    const double *c;      /* row weights, borrowed; NULL: all 1 */
    double sum_c;
} hsp_examples;

/* The fields design, outputs, class, positive, target and c of `e` are set. plain: the units are those of the design's
 * columns and of the targets. 0 or HSP_EMEMORY; clear it in either case. */
int hsp_examples_open(hsp_examples *e, bool plain, hsp_error **err);
void hsp_examples_clear(hsp_examples *e);
/* Turns the parameters of a network trained on the inputs into those over the stored columns and targets, in place. */
void hsp_examples_to_original(const hsp_examples *e, hsp_network *net);

/* The inverse, up to rounding. */
void hsp_examples_from_original(const hsp_examples *e, hsp_network *net);

static inline double hsp_examples_weight(const hsp_examples *e, int64_t i) {
    return e->c ? e->c[e->row[i]] : 1;
}

#endif
