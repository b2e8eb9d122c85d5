/* Epochs of steps on batches of rows, shuffled before each epoch. */
#ifndef HSP_SOLVE_NETWORK_BATCHES_H
#define HSP_SOLVE_NETWORK_BATCHES_H

#include "base/rng.h"
#include "halfspace.h"
#include "problem/problem.h"
#include "solve/loop/solver.h"
#include "solve/network/trainer.h"

typedef struct hsp_batches {
    int64_t n, size; /* rows, rows of a batch */
    int64_t *order;  /* owned; NULL: all rows in one batch */
    int64_t next;    /* the first row of the next batch */
    hsp_rng rng;
    double objective, loss, error; /* sums over the epoch, by rows */
    double norm;
    double rate;    /* of the steps */
    int64_t epochs; /* complete */
} hsp_batches;

int hsp_batches_open(hsp_batches *b, int64_t n, const hsp_rules *rules, hsp_error **err);
void hsp_batches_clear(hsp_batches *b);
/* Calls update(state, gradient of F) after each batch, to the end of the epoch or of the budget. `at`: the means of the figures
 * of the batches, each before its update. */
hsp_step hsp_batches_epoch(hsp_batches *b, hsp_net_objective *o, double *gradient,
                           void (*update)(void *state, const double *gradient), void *state, hsp_budget *budget,
                           hsp_evaluation *at);

#endif
