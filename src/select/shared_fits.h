/* The models of all folds of a cross-validation and of all values of C (or of lambda) over one copy of the data: rows on which
 * a model is not trained are left out by an index list or by a weight of 0, and each fit is warm-started from that of its
 * neighbour, or solved side by side with others in vector lanes. No encoding, no audit, no hash, no model: only the scores of
 * the held-out rows are kept. */
#ifndef HSP_SELECT_SHARED_FITS_H
#define HSP_SELECT_SHARED_FITS_H

#include "data/data.h"
#include "data/folds.h"
#include "halfspace.h"

/* All borrowed. */
typedef struct hsp_shared_fits {
    const hsp_data *data;
    const hsp_options *o; /* all training options but C and lambda */
    const hsp_folds *folds;
    int64_t repeat;
    const double *C, *lambda; /* one of the two arrays, each number above 0; the other NULL */
    int64_t count;            /* of its numbers, in any order */
    double tol;               /* relative duality gap of each fit */
    int threads;
    const hsp_hooks *hooks; /* progress: after each fit on the calling thread; or NULL */
} hsp_shared_fits;

/* The relative gap at which estimates differ from those of exact models by less than 0.1 points. */
#define HSP_SHARED_TOL 1e-3

/* Whether these options and data can share one design: no encoding or scaling that is learnt from rows; logistic or svm with a
 * penalty; no option that needs single fits (--solver, limits); and the training rows of each fold have rows of two classes
 * (of all classes, for a loss of all classes together). False also where memory is short: hsp_train then reports it. */
bool hsp_shared_fits_apply(const hsp_shared_fits *s);
/* The number of scores of a row: 1 for two classes, the score of the positive one, else one for each class. */
int64_t hsp_shared_fits_outputs(const hsp_shared_fits *s);
/* score: count x n x outputs, as those of the models that hsp_train would make of the training rows of each fold; NaN where no
 * fold tests the row. gap: count x folds, the relative gap of each model (the sum over its problems); NaN: not fitted.
 * *done: complete fits, of count x folds; HSP_ECANCELLED keeps those. The same bits for any number of threads. Requires
 * hsp_shared_fits_apply. */
int hsp_shared_fits_run(const hsp_shared_fits *s, double *score, double *gap, int64_t *done, hsp_error **err);

#endif
