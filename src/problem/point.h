/* A point (W, b, alpha) in the space of the design's columns, in the original order of rows and columns: what solvers, run.c
 * and models exchange. */
#ifndef HSP_PROBLEM_POINT_H
#define HSP_PROBLEM_POINT_H

#include "halfspace.h"

typedef struct hsp_point {
    int64_t outputs, d, n;
    double *w;     /* outputs x d */
    double *b;     /* outputs */
    double *alpha; /* n x outputs multipliers r (multipliers.h), or NULL: none are kept. All three arrays are owned */
} hsp_point;

int hsp_point_new(int64_t outputs, int64_t d, hsp_point **out, hsp_error **err); /* all zero, alpha NULL */
/* Allocates the multipliers of n rows. */
int hsp_point_add_alpha(hsp_point *p, int64_t n, hsp_error **err);
void hsp_point_copy(hsp_point *to, const hsp_point *from); /* same shapes; w and b, not alpha */
void hsp_point_free(hsp_point *p);

#endif
