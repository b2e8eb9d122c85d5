/* Dual coordinate ascent (solve/dual/ascent.h) for problems of hsp_shared_fits: one, or up to HSP_LANES side by side. */
#ifndef HSP_SELECT_SHARED_ASCENT_H
#define HSP_SELECT_SHARED_ASCENT_H

#include "design/design.h"
#include "halfspace.h"
#include "problem/margin_values.h"
#include "problem/point.h"
#include "problem/problem.h"
#include "select/shared_run.h"
#include "solve/dual/ascent.h"

/* One fold and class, and its last solution. */
typedef struct hsp_shared_member {
    double *alpha; /* n, owned: multipliers; NULL: none were kept */
    double b;      /* intercept of the augmented Lagrangian, for rows less its centre; and the best one */
    double intercept;
    double C, square; /* the value of this solution, and |w|^2 (+ b^2) */
    bool bounded;     /* some multipliers were at their bounds: with another value there is another solution */
} hsp_shared_member;

/* The memory of one task. */
typedef struct hsp_shared_bench {
    hsp_shared_run *r;
    int width;
    hsp_design *design;         /* owned, as all that follow */
    hsp_design *frequent;       /* over the working copy of the run, for ascents; NULL: there is none */
    hsp_shared_rows *rows;      /* one for each fold; those that were needed */
    hsp_shared_member *members; /* folds x problems */
    hsp_problem *p[HSP_LANES];
    double *bounds[HSP_LANES], *start[HSP_LANES]; /* 2 n: u_i and q_i; n: multipliers */
    hsp_margin m[HSP_LANES];
    hsp_point *point;                      /* owned: the last solution by other methods; NULL: none yet */
    double point_C;                        /* its C; 0: it is none */
    double point_P, point_D, point_square; /* its objective, its bound, and |w|^2; NaN: not known */
    const hsp_shared_member *point_of;
} hsp_shared_bench;

/* A problem: the value in ascending order of C, the fold, the output. */
typedef struct hsp_shared_place {
    int64_t value, fold, k;
} hsp_shared_place;

/* Whether coordinate ascent can solve the problems: losses with a box or an entropy as dual, penalty l2, one score a row. */
bool hsp_shared_ascends(const hsp_shared_setup *u);
/* HSP_OK or HSP_EMEMORY; close it in any case. */
int hsp_shared_bench_open(hsp_shared_bench *b, hsp_shared_run *r, int width, hsp_error **err);
void hsp_shared_bench_close(hsp_shared_bench *b);
/* The rows of a fold; NULL: out of memory. */
const hsp_shared_rows *hsp_shared_bench_rows(hsp_shared_bench *b, int64_t fold);
static inline hsp_shared_member *hsp_shared_member_of(const hsp_shared_bench *b, hsp_shared_place at) {
    return b->members + at.fold * b->r->u->problems + at.k;
}
/* Sets the problem of a lane. HSP_OK or HSP_EMEMORY. */
int hsp_shared_pose(hsp_shared_bench *b, hsp_shared_place at, int lane, hsp_error **err);
/* Solves up to `width` problems, each from the last solution of its member; keeps scores, gaps and solutions. HSP_OK, also when
 * stopped, or an error. A single problem for which another method would be faster (*stalled) is left unsolved, its multipliers
 * so far are those of its member. */
int hsp_shared_ascend(hsp_shared_bench *b, const hsp_shared_place *at, int count, bool *stalled, hsp_error **err);

#endif
