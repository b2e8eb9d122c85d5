/* The objective of a fit as a function of theta, for explanations: value, gradient, Hessian, Newton's method. For each output
 * theta has the intercept first, unless there is none, then the weights. */
#ifndef HSP_EXPLAIN_CONVEX_H
#define HSP_EXPLAIN_CONVEX_H

#include "explain/derivation.h"
#include "halfspace.h"
#include "problem/problem.h"

#include <stdbool.h>

typedef struct hsp_convex {
    hsp_problem *p; /* owned */
    int64_t K, q;   /* outputs; parameters of each */
    bool ones;
    double *w, *b;   /* scratch: K x d, K */
    double *gw, *gb; /* gradient of the smooth part of F at the last point, in the same parts */
    double *h;       /* n: scratch */
} hsp_convex;

/* Poses the problem; always free it. */
int hsp_convex_new(hsp_derivation *v, hsp_convex *c, hsp_error **err);
void hsp_convex_free(hsp_convex *c);
/* F at theta (K q), and the gradient of its smooth part (NULL: not wanted). */
double hsp_convex_at(const hsp_derivation *v, hsp_convex *c, const double *theta, double *gradient);
/* Sets theta to the weights and intercepts of the model for this problem. */
void hsp_convex_trained(const hsp_derivation *v, const hsp_convex *c, double *theta);
/* H (K q x K q) of the smooth part of F at theta. Losses with a curvature, and softmax. */
int hsp_convex_hessian(hsp_derivation *v, hsp_convex *c, const double *theta, double *H, hsp_error **err);
/* The shown components of a vector of q parameters, the intercept first: their number is hsp_convex_count. */
int64_t hsp_convex_count(const hsp_derivation *v, const hsp_convex *c);
double *hsp_convex_part(hsp_derivation *v, const hsp_convex *c, const double *full);
hsp_figure hsp_convex_vector(hsp_derivation *v, const hsp_convex *c, const double *full);
/* The label of the t-th of them. */
const char *hsp_convex_label(const hsp_derivation *v, const hsp_convex *c, int64_t t, char *buf);
double hsp_convex_norm(const double *x, int64_t n);
/* A penalty with an L1 part: the optimality condition of each shown weight at the trained point. Adds the section. */
void hsp_convex_write_kkt(hsp_derivation *v, hsp_convex *c);

#endif
