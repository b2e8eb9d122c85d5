/* A bound and an objective from the sums of the answer to check, in double-double. Nothing here is shared with the solvers. */
#ifndef HSP_DRIVE_CHECKED_BOUND_H
#define HSP_DRIVE_CHECKED_BOUND_H


#include <stdbool.h>
#include <stdint.h>

/* What the bound depends on besides the sums. */
typedef struct hsp_checked {
    int64_t outputs, d;
    bool joint, unbounded;    /* one problem; multipliers of any sign and size */
    bool free, penalised;     /* the intercept */
    double C, rho;
    const double *shift, *factor; /* the columns of the problem are (x - shift) factor; NULL: x */
    const double *sums;       /* of the answer, for the columns x */
} hsp_checked;

/* P of output k (of all, if joint) at w (outputs x d) and b (outputs), the weights of the columns x. */
double hsp_checked_objective(const hsp_checked *c, int64_t k, const double *w, const double *b);
/* A lower bound of its optimum; scratch: outputs x 2 d numbers. */
double hsp_checked_bound(const hsp_checked *c, int64_t k, double *scratch);

#endif
