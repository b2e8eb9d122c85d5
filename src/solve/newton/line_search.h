/* Line search for convex functions, shared by both forms of Newton's method. */
#ifndef HSP_SOLVE_NEWTON_LINE_SEARCH_H
#define HSP_SOLVE_NEWTON_LINE_SEARCH_H

#include <stdint.h>

/* A search ends where the derivative has fallen to this share of its initial value. */
#define HSP_LINE_FLAT 0.1

/* A loss at t, and its derivative there. */
typedef double hsp_line_loss(void *state, double t, double *derivative);

/* F(t) = loss(t) + mu / 2 |w + t v|^2 */
typedef struct hsp_line {
    hsp_line_loss *loss;
    void *state;
    double mu, ww, wv, vv; /* w.w, w.v and v.v */
} hsp_line;

/* The line from w along v, `size` numbers each. */
hsp_line hsp_line_along(const double *w, const double *v, int64_t size, double mu, hsp_line_loss *loss, void *state);

/* A step length at which the function, with value `value` and derivative `slope` < 0 at 0, is lower and nearly flat: 1 if
 * that is good enough. Otherwise the zero of the derivative is bracketed by doubling and found by false position (the
 * Illinois variant), with bisection where numbers are not finite. */
double hsp_line_search(const hsp_line *line, double value, double slope);

#endif
