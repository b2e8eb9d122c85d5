/* A random sample of the rows whose Hessian is near that of all rows, for a preconditioner: a row is drawn with a probability
 * in proportion to its curvature and its length, and reweighted. Few rows, of any storage, are copied as dense doubles. */
#ifndef HSP_SOLVE_NEWTON_WHOLE_SAMPLE_H
#define HSP_SOLVE_NEWTON_WHOLE_SAMPLE_H

#include "data/matrix.h"
#include "design/design.h"
#include "problem/problem.h"
#include "solve/newton/hessian.h"

typedef struct hsp_whole_sample {
    const hsp_hessian *all; /* borrowed: of all rows, several outputs */
    hsp_hessian H;          /* of the sample: `p`, `a`, `weight` and `B` alone; owned */
    hsp_problem p;          /* of the sample: its design, outputs, penalty and intercept alone */
    hsp_matrix x;
    hsp_design *D; /* owned, as are all arrays */
    int64_t wanted;
    double *rows;   /* wanted + 1 rows of d */
    double *length; /* n: of the rows (row_lengths.h); d of scratch behind */
} hsp_whole_sample;

/* The rows of a sample, or 0: the rows are too few for samples. */
int64_t hsp_whole_sample_size(const hsp_problem *p);
/* HSP_OK or HSP_EMEMORY; call hsp_whole_sample_free in any case. */
int hsp_whole_sample_init(hsp_whole_sample *s, const hsp_hessian *all, int64_t wanted);
void hsp_whole_sample_free(hsp_whole_sample *s);
/* Draws rows by the present curvature of `all`, the k-th time by random numbers of their own. */
void hsp_whole_sample_draw(hsp_whole_sample *s, uint64_t seed, int64_t k);

#endif
