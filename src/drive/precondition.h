/* What preconditions conjugate gradients over parts: the Hessian of each output alone, from one round. For few columns it is
 * factorised, from a sample of the rows; else its diagonal. Near enough to the Hessian, it is kept for several steps. */
#ifndef HSP_DRIVE_PRECONDITION_H
#define HSP_DRIVE_PRECONDITION_H

#include "drive/drive_problem.h"
#include "halfspace.h"

typedef struct hsp_precondition {
    hsp_drive_problem *p;
    double *diagonal; /* owned, as all: outputs x (d + 1), about the means, with the penalty */
    double *mean;     /* outputs x d: weighted means of the columns; 0 without an intercept */
    double *factor;   /* outputs x (d + 1)^2; NULL: the diagonal alone */
    int64_t *from;    /* outputs: whose factor is used; -1: none */
    bool made;
} hsp_precondition;

int hsp_precondition_new(hsp_drive_problem *p, hsp_precondition *out, hsp_error **err);
void hsp_precondition_clear(hsp_precondition *s);
/* One round at the points theta of the problems `which`. */
int hsp_precondition_make(hsp_precondition *s, const int64_t *which, int64_t count, double *const *theta, hsp_error **err);
/* z, nearly the inverse of the Hessian of P times r, for problem `figure`. */
void hsp_precondition_apply(const hsp_precondition *s, int64_t figure, const double *r, double *z);

#endif
