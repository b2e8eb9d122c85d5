/* What the problems of hsp_shared_fits have in common, and what differs: rows, C, and the class of one-vs-rest. */
#ifndef HSP_SELECT_SHARED_SETUP_H
#define HSP_SELECT_SHARED_SETUP_H

#include "design/design.h"
#include "halfspace.h"
#include "loss/loss.h"
#include "prepare/prepare.h"
#include "problem/problem.h"
#include "select/shared_fits.h"
#include "solve/loop/choose.h"

typedef struct hsp_shared_setup {
    const hsp_shared_fits *s;
    hsp_prepare prepare;
    const int32_t *y; /* n: class of each row, in the numbering of prepare */
    int32_t *merged;  /* owned: the array behind y if classes were merged; else NULL */
    int64_t classes;
    int64_t outputs;        /* scores of a row */
    int64_t problems;       /* for each fold and value: one for each output, or a single one of them all (joint) */
    bool joint, balanced;   /* balanced: class weights are learnt from the training rows of each fold */
    double *class_weight;   /* owned, one for each class; NULL: all 1, or balanced */
    hsp_loss own;           /* a loss with its parameter set */
    hsp_problem_spec spec;  /* of every problem, but for C, lambda and c */
    int64_t *order;         /* owned, count: indices of the values, ascending in C */
    hsp_facts facts;        /* for the choice of solvers, but for C and tol */
    double *shift, *factor; /* owned: centres dense columns that lie far from 0; NULL: not needed */
} hsp_shared_setup;

/* *applies: see hsp_shared_fits_apply; if false, the setup is empty. Free it in any case. HSP_OK or HSP_EMEMORY. */
int hsp_shared_setup_init(hsp_shared_setup *u, const hsp_shared_fits *s, bool *applies, hsp_error **err);
void hsp_shared_setup_free(hsp_shared_setup *u);
/* A design of all rows for one thread, since it holds scratch memory. */
int hsp_shared_design(const hsp_shared_setup *u, hsp_design **out, hsp_error **err);

/* The rows of one fold. */
typedef struct hsp_shared_rows {
    double *c; /* n, owned: the weight of each row in training; 0: not a training row */
    double sum_c;
    int64_t *tested; /* owned */
    int64_t tests;
    bool *absent; /* owned: classes without training rows of positive weight */
} hsp_shared_rows;

/* HSP_OK or HSP_EMEMORY; free it in any case. */
int hsp_shared_rows_init(hsp_shared_rows *r, const hsp_shared_setup *u, int64_t fold, hsp_error **err);
void hsp_shared_rows_free(hsp_shared_rows *r);
/* The targets of a problem: -1 or +1 for the class of output k, or the class itself (joint). y: n. */
void hsp_shared_targets(const hsp_shared_setup *u, int64_t k, double *y);
/* C of the i-th value in ascending order, for training rows with this sum of weights. */
double hsp_shared_C(const hsp_shared_setup *u, int64_t i, double sum_c);
/* A class without training rows has no problem of its own in one-vs-rest; its score is this. */
#define HSP_SHARED_SILENT -1e300

#endif
