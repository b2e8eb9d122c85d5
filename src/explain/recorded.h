/* The first changes of the weights in a training run, recorded by the hook `update`. */
#ifndef HSP_EXPLAIN_RECORDED_H
#define HSP_EXPLAIN_RECORDED_H

#include "explain/derivation.h"
#include "halfspace.h"

enum { HSP_RECORDED_ROWS = 64 }; /* rows of a batch that are recorded */

/* One change, in the design's units. The first is the start: no row, no step. */
typedef struct hsp_recorded_update {
    int64_t row;                     /* from 0; -1: a batch, all rows, or the start */
    int64_t batch[HSP_RECORDED_ROWS]; /* rows of a batch */
    int64_t rows;                    /* of the batch; 0: none, or more than are recorded */
    double y, score, step, loss;
    double *w, b; /* after it */
} hsp_recorded_update;

typedef struct hsp_recorded {
    hsp_derivation *v;
    hsp_recorded_update *update; /* scratch of the derivation: `most` of them */
    int64_t count, most;
} hsp_recorded;

/* Trains again with the same options and records the start and the first most - 1 changes of problem v->k. */
int hsp_record_updates(hsp_derivation *v, int64_t most, hsp_recorded *out, hsp_error **err);

#endif
