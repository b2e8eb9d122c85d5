/* Training of a network: the objective, the trainers that minimise it, and the loop that runs them. In the units of the
 * examples the objective is the mean form
 *     F(theta) = lambda/2 |W|^2 + sum_i c_i loss_i / sum_i c_i,   P = scale F,
 * where |W| is over the weights of all layers, not their intercepts, in the units of the design's columns. */
#ifndef HSP_SOLVE_NETWORK_TRAINER_H
#define HSP_SOLVE_NETWORK_TRAINER_H

#include "halfspace.h"
#include "network/network.h"
#include "problem/problem.h"
#include "solve/loop/run.h"
#include "solve/loop/solver.h"
#include "solve/network/backprop.h"
#include "solve/network/examples.h"
#include "solve/network/net_observe.h"

typedef struct hsp_net_objective {
    hsp_network *net; /* borrowed: theta is the present point */
    const hsp_examples *e;
    hsp_backprop *backprop; /* owned */
    double lambda;          /* of F over the targets' unit */
    double scale;           /* P = scale F */
    double *ridge;          /* owned; d: the weight V_kj of layer 1 counts with ridge_j V_kj^2 / 2 */
    double ridge_last;      /* likewise in the last layer; in others lambda */
    hsp_net_observer *observer; /* borrowed: trainers report every change of theta to it */
} hsp_net_objective;

/* C: of P. batch: the largest number of rows of a batch. 0 or HSP_EMEMORY; clear it in either case. */
int hsp_net_objective_open(hsp_net_objective *o, hsp_network *net, const hsp_examples *e, const hsp_output *output, double C,
                           int64_t most, hsp_error **err);
void hsp_net_objective_clear(hsp_net_objective *o);
/* The figures at theta over the rows of `list` (NULL: all examples), and the gradient of F unless NULL. Over a list the loss
 * is the sum of c loss / (count mean c), an unbiased estimate of the mean. */
hsp_evaluation hsp_net_evaluate(hsp_net_objective *o, const int64_t *list, int64_t count, double *gradient);
/* Uniform start, by fan and activation; intercepts likewise. stream: of the random numbers. */
void hsp_net_start(hsp_network *net, uint64_t seed, uint64_t stream);

typedef struct hsp_trainer {
    const char *name;
    const char *help;
    bool plain;   /* steps in the units of the design's columns, as the formula says */
    bool batches; /* of rows: uses rules.batch; ... */
    bool paced;   /* ... uses rules.rate */
    int64_t max_epochs;
    double tol;
    size_t state_size;
    int (*init)(void *state, hsp_net_objective *o, const hsp_rules *rules, hsp_error **err);
    /* One epoch, or to the end of the budget. `at`: the figures of theta, or means over the epoch. */
    hsp_step (*step)(void *state, hsp_budget *budget, hsp_evaluation *at);
    void (*free)(void *state);
} hsp_trainer;

extern const hsp_trainer *const hsp_trainer_table[]; /* NULL-terminated */
const hsp_trainer *hsp_trainer_find(const char *name);
extern const hsp_trainer hsp_trainer_lbfgs, hsp_trainer_adam, hsp_trainer_gradient;

/* Trains from theta, which is then the last point. It stops when the objective has fallen by less than rules->tol, relative
 * to its value at the start, over rules->patience epochs. */
int hsp_net_train(hsp_net_objective *o, const hsp_trainer *trainer, const hsp_rules *rules, hsp_run_place place,
                  const hsp_hooks *hooks, hsp_outcome *out, hsp_error **err);

#endif
