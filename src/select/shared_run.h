/* The course of hsp_shared_fits_run: tasks on all threads, results, progress, cancellation. */
#ifndef HSP_SELECT_SHARED_RUN_H
#define HSP_SELECT_SHARED_RUN_H

#include "design/frequent.h"
#include "halfspace.h"
#include "select/shared_setup.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct hsp_shared_run {
    const hsp_shared_setup *u;
    double *score;             /* the caller's */
    double *primal, *dual;     /* owned: count x folds x problems, values ascending in C; NaN: not solved */
    atomic_int *left;          /* owned: count x folds, problems of the fit that are not solved */
    atomic_int_least64_t done; /* complete fits */
    atomic_bool stopped;       /* by a request, or a failed task */
    atomic_bool cancelled;     /* by a request */
    pthread_t caller;          /* calls the hook */
    double begun;
    hsp_frequent frequent; /* owned: a working copy of sparse rows with many columns, for ascents; empty: none */
    hsp_hooks watch;       /* for runs of solvers: stops them when the others stop */
} hsp_shared_run;

/* A way to solve all problems: tasks that do not depend on the number of threads, and run on any thread. */
typedef struct hsp_shared_way {
    const char *name;
    int64_t (*tasks)(const hsp_shared_setup *u);
    int (*task)(hsp_shared_run *r, int64_t index, hsp_error **err);
} hsp_shared_way;

extern const hsp_shared_way hsp_shared_chain, hsp_shared_lanes;

/* The solution of problem k of a fold for the i-th value, ascending in C: objective and lower bound. */
void hsp_shared_solved(hsp_shared_run *r, int64_t i, int64_t fold, int64_t k, double primal, double dual);
/* Whether to stop; polls requests to cancel. */
bool hsp_shared_stop(hsp_shared_run *r);
/* A request to cancel was found. */
void hsp_shared_cancel(hsp_shared_run *r);
/* Where the scores of row `row` for the i-th value are stored. */
static inline double *hsp_shared_score(const hsp_shared_run *r, int64_t i, int64_t row) {
    return r->score + (r->u->order[i] * r->u->s->data->x.n + row) * r->u->outputs;
}

#endif
