/* adam: steps on batches of rows, scaled by estimates of the first two moments of the gradient. D. Kingma, J. Ba, Adam: a
 * method for stochastic optimization, ICLR 2015. */
#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "kernel/level.h"
#include "network/network.h"
#include "problem/problem.h"
#include "solve/loop/solver.h"
#include "solve/network/batches.h"
#include "solve/network/trainer.h"

#include <math.h>

enum { PIECE = 1 << 16 }; /* parameters updated at a time */

typedef struct net_adam {
    hsp_net_objective *o;
    double rate, power1, power2; /* powers of the decays */
    double *gradient, *mean, *square; /* owned */
    hsp_adam_rates now;
    hsp_batches batches;
} net_adam;

static const double BETA1 = 0.9, BETA2 = 0.999, EPSILON = 1e-8;

static int init(void *state, hsp_net_objective *o, const hsp_rules *rules, hsp_error **err) {
    net_adam *s = state;
    *s = (net_adam){.o = o, .rate = rules->rate, .power1 = 1, .power2 = 1};
    if (!HSP_ALLOC_DOUBLES(hsp_network_parameters(o->net), &s->gradient, &s->mean, &s->square)) return hsp_fail_memory(err);
    return hsp_batches_open(&s->batches, o->e->n, rules, err);
}

static void update_piece(void *state, int64_t piece) {
    net_adam *s = state;
    int64_t all = hsp_network_parameters(s->o->net), at = piece * PIECE, n = all - at < PIECE ? all - at : PIECE;
    hsp_level_now()->adam(&s->now, n, s->gradient + at, s->mean + at, s->square + at, s->o->net->theta + at);
}

static void update(void *state, const double *gradient) {
    net_adam *s = state;
    (void)gradient;
    s->power1 *= BETA1;
    s->power2 *= BETA2;
    s->now = (hsp_adam_rates){BETA1, BETA2, s->rate / (1 - s->power1), sqrt(1 / (1 - s->power2)), EPSILON};
    int64_t pieces = (hsp_network_parameters(s->o->net) + PIECE - 1) / PIECE;
    hsp_pool_run(pieces, s->o->e->design->threads, update_piece, s);
}

static hsp_step step(void *state, hsp_budget *budget, hsp_evaluation *at) {
    net_adam *s = state;
    return hsp_batches_epoch(&s->batches, s->o, s->gradient, update, s, budget, at);
}

static void clear(void *state) {
    net_adam *s = state;
    HSP_FREE(s->gradient, s->mean, s->square);
    hsp_batches_clear(&s->batches);
}

const hsp_trainer hsp_trainer_adam = {.name = "adam",
                                      .help = "mlp: steps on batches of rows, scaled by moments of the gradient",
                                      .batches = true,
                                      .paced = true,
                                      .max_epochs = 200,
                                      .tol = 3e-4,
                                      .state_size = sizeof(net_adam),
                                      .init = init,
                                      .step = step,
                                      .free = clear};
