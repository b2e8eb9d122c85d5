#include "solve/network/batches.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "problem/problem.h"
#include "solve/loop/solver.h"

#include <math.h>

int hsp_batches_open(hsp_batches *b, int64_t n, const hsp_rules *rules, hsp_error **err) {
    *b = (hsp_batches){.n = n, .size = rules->batch, .rate = rules->rate, .rng = hsp_rng_new(rules->seed, 2)};
    if (b->size >= n) return HSP_OK;
    if (!HSP_ALLOC(b->order, n)) return hsp_fail_memory(err);
    for (int64_t i = 0; i < n; i++) b->order[i] = i;
    return HSP_OK;
}

void hsp_batches_clear(hsp_batches *b) {
    hsp_free(b->order);
}

static void begin_epoch(hsp_batches *b) {
    if (b->order) hsp_rng_shuffle(&b->rng, b->order, b->n);
    b->objective = b->loss = b->error = 0;
}

static void add_figures(hsp_batches *b, hsp_evaluation at, int64_t rows) {
    double share = (double)rows / (double)b->n;
    b->objective += share * at.objective;
    b->loss += share * at.mean_loss;
    b->error += share * at.error;
    b->norm = at.norm;
}

static bool is_over(hsp_budget *budget) {
    bool over = budget->updates >= budget->max_updates || budget->steps >= budget->max_steps || hsp_cancel_pending() ||
                hsp_clock_seconds() >= budget->deadline;
    if (over) budget->out = true;
    return over;
}

hsp_step hsp_batches_epoch(hsp_batches *b, hsp_net_objective *o, double *gradient,
                           void (*update)(void *state, const double *gradient), void *state, hsp_budget *budget,
                           hsp_evaluation *at) {
    if (b->next == 0) begin_epoch(b);
    while (b->next < b->n && !is_over(budget) && !o->observer->stopped) {
        int64_t rows = b->n - b->next < b->size ? b->n - b->next : b->size;
        hsp_evaluation now = hsp_net_evaluate(o, b->order ? b->order + b->next : NULL, rows, gradient);
        add_figures(b, now, rows);
        b->next += rows;
        budget->steps += rows;
        if (!isfinite(now.objective)) return HSP_STEP_FAILED;
        update(state, gradient);
        budget->updates++;
        hsp_net_change change = {b->order ? b->order + (b->next - rows) : NULL, rows,      b->rate,
                                 now.mean_loss,                                 b->epochs, b->epochs + (b->next >= b->n)};
        hsp_net_observe(o->observer, o->net, budget, &change);
    }
    double done = (double)b->next / (double)b->n;
    *at = (hsp_evaluation){b->objective / done, b->loss / done, b->error / done, b->norm};
    if (b->next >= b->n) {
        b->next = 0;
        b->epochs++;
    }
    return HSP_STEP_MORE;
}
