/* Duplicate columns. The optimum is unique if the columns are in general position (Tibshirani 2013, The lasso problem and
 * uniqueness). Columns that are equal or opposite, or differ by a constant beside a free intercept, may share their weight in
 * any way, and a path would jump between solutions. So the first of them gets all the weight. */
#ifndef HSP_SELECT_PATH_TWINS_H
#define HSP_SELECT_PATH_TWINS_H

#include "halfspace.h"
#include "problem/problem.h"

typedef struct hsp_twins {
    int64_t count;   /* columns that are not the first of their kind; with 0, nothing else is set */
    int64_t *leader; /* d, owned: the first column like this one */
    bool *opposite;  /* d, owned: with the other sign */
    double *w, *r;   /* d and n, owned: scratch */
} hsp_twins;

int hsp_twins_find(const hsp_problem *p, hsp_twins *out, hsp_error **err);
void hsp_twins_clear(hsp_twins *t);
/* Moves the weights to the first columns, and b with them, unless the objective would exceed `most`. Returns whether any weight
 * has moved; then *objective is that of the new point, and the scratch of the problem was overwritten. */
bool hsp_twins_merge(hsp_twins *t, hsp_problem *p, double most, double *w, double *b, double *objective);

#endif
