/* The search along a direction for convex functions, as both forms of Newton's method do it. */
#ifndef HSP_SOLVE_NEWTON_LINE_SEARCH_H
#define HSP_SOLVE_NEWTON_LINE_SEARCH_H

/* A search ends where the derivative has fallen to this share of that at its beginning. */
#define HSP_LINE_FLAT 0.1

/* The function and its derivative at t. */
typedef double hsp_line_at(const void *line, double t, double *derivative);

/* A step length where the function, which is `value` and slopes down by `slope` at 0, is lower and nearly flat: 1 where
 * that will do; else the zero of the derivative is bracketed by doubling and found by false position (the Illinois form),
 * with bisection where numbers are not finite. */
double hsp_line_search(hsp_line_at *at, const void *line, double value, double slope);

#endif
