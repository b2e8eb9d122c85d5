/* gradient: steps theta -= rate dF/dtheta over all rows, or over batches of them; in the units of the design's columns, as the
 * textbook has it. */
#include "base/error.h"
#include "base/memory.h"
#include "network/network.h"
#include "problem/problem.h"
#include "solve/loop/solver.h"
#include "solve/network/batches.h"
#include "solve/network/trainer.h"

typedef struct net_gradient {
    hsp_net_objective *o;
    double rate;
    double *gradient; /* owned */
    hsp_batches batches;
} net_gradient;

static int init(void *state, hsp_net_objective *o, const hsp_rules *rules, hsp_error **err) {
    net_gradient *s = state;
    *s = (net_gradient){.o = o, .rate = rules->rate};
    if (!HSP_ALLOC(s->gradient, hsp_network_parameters(o->net))) return hsp_fail_memory(err);
    return hsp_batches_open(&s->batches, o->e->n, rules, err);
}

static void update(void *state, const double *gradient) {
    net_gradient *s = state;
    double *theta = s->o->net->theta;
    for (int64_t t = 0; t < hsp_network_parameters(s->o->net); t++) theta[t] -= s->rate * gradient[t];
}

static hsp_step step(void *state, hsp_budget *budget, hsp_evaluation *at) {
    net_gradient *s = state;
    return hsp_batches_epoch(&s->batches, s->o, s->gradient, update, s, budget, at);
}

static void clear(void *state) {
    net_gradient *s = state;
    hsp_free(s->gradient);
    hsp_batches_clear(&s->batches);
}

const hsp_trainer hsp_trainer_gradient = {.name = "gradient",
                                          .help = "(sub)gradient steps on all rows",
                                          .plain = true,
                                          .batches = true,
                                          .paced = true,
                                          .max_epochs = 1000,
                                          .tol = 1e-4,
                                          .state_size = sizeof(net_gradient),
                                          .init = init,
                                          .step = step,
                                          .free = clear};
