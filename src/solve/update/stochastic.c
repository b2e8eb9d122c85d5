/* Stochastic (sub)gradient descent with batches of any size (Robbins and Monro 1951). One update, with the mean slope s_i
 * of the batch's rows and step eta:
 *
 *     w <- soft((1 - eta lambda (1 - rho)) w - eta mean(s_i x_i), eta lambda rho),    b <- b - eta mean(s_i)
 *
 * that is, a gradient step on the loss and the L2 part and a proximal step on the L1 part. */
#include "base/error.h"
#include "base/memory.h"
#include "design/design.h"
#include "loss/loss.h"
#include "problem/point.h"
#include "problem/problem.h"
#include "solve/loop/solver.h"
#include "solve/loop/stop.h"
#include "solve/update/iterate.h"
#include "solve/update/order.h"
#include "solve/update/visits.h"

#include <math.h>

typedef struct stochastic {
    hsp_visits v;    /* first: see visits.h */
    int64_t *rows;   /* owned: the batch */
    double *slopes;  /* owned: its slopes, weighted */
    double score;    /* of its last row */
    double loss;     /* its weighted mean loss */
    double relative; /* 1 / the mean of the positive row weights: weights count relative to it */
    int64_t k;       /* updates */
} stochastic;

static int init_stochastic(void *vs, hsp_problem *p, const hsp_rules *rules, const hsp_point *start, hsp_error **err) {
    stochastic *s = vs;
    bool l1 = p->lambda > 0 && p->rho > 0;
    double rows = 0;
    for (int64_t i = 0; p->c && i < p->design->n; i++) rows += p->c[i] > 0;
    s->relative = p->c && !rules->continued ? rows / p->sum_c : 1;
    int status = hsp_visits_init(&s->v, p, rules, start, l1, 2, err);
    if (status) return status;
    return HSP_ALLOC(s->rows, rules->batch) && HSP_ALLOC(s->slopes, rules->batch) ? HSP_OK : hsp_fail_memory(err);
}

static void free_stochastic(void *vs) {
    stochastic *s = vs;
    hsp_visits_free(&s->v);
    HSP_FREE(s->rows, s->slopes);
}

static void resume_stochastic(void *vs, const hsp_counters *from) {
    stochastic *s = vs;
    s->k = from->updates;
    hsp_visits_resume(&s->v, from);
}

/* Draws the next rows of the epoch and computes their slopes at the present point. */
static int64_t draw_batch(stochastic *s) {
    hsp_problem *p = s->v.p;
    int64_t count = 0;
    double loss = 0, weight = 0;
    while (count < s->v.rules->batch && s->v.order.at < s->v.order.n) {
        int64_t i = hsp_order_next(&s->v.order), soon = hsp_order_ahead(&s->v.order, 2);
        if (soon >= 0) hsp_design_prefetch(s->v.it.D, soon);
        if (p->c && p->c[i] == 0) continue; /* as if it were not there */
        double g = hsp_iterate_score(&s->v.it, i, hsp_design_row(s->v.it.D, i, NULL));
        hsp_loss_at at = p->loss->at(p->loss, p->y[i], g, p->kink);
        double c = p->c ? p->c[i] : 1;
        s->rows[count] = i;
        s->slopes[count] = at.slope * (p->c ? c * s->relative : 1);
        s->score = g;
        loss += c * at.value;
        weight += c;
        count++;
    }
    s->loss = loss / weight;
    return count;
}

/* One update from the batch; nothing changes with zero slopes and no penalty. */
static void update_from_batch(stochastic *s, int64_t count, hsp_budget *budget) {
    hsp_problem *p = s->v.p;
    double sum = 0;
    bool moves = p->lambda > 0;
    for (int64_t t = 0; t < count; t++) {
        sum += s->slopes[t];
        moves |= s->slopes[t] != 0;
    }
    if (!moves) return;
    double eta = hsp_schedule_rate(s->v.rules, p->lambda, s->k++), share = eta / (double)count;
    hsp_iterate_shrink(&s->v.it, 1 - eta * p->lambda * (1 - p->rho));
    for (int64_t t = 0; t < count; t++)
        if (s->slopes[t] != 0)
            hsp_iterate_add(&s->v.it, s->rows[t], hsp_design_row(s->v.it.D, s->rows[t], NULL), -share * s->slopes[t]);
    if (s->v.it.l1) hsp_iterate_threshold(&s->v.it, eta * p->lambda * p->rho);
    if (p->intercept == HSP_INTERCEPT_PENALISED) s->v.it.b *= 1 - eta * p->lambda;
    if (p->intercept != HSP_INTERCEPT_NONE) s->v.it.b -= share * sum;
    budget->updates++;
    budget->change = (hsp_change){.row = count == 1 ? s->rows[0] : -1,
                                  .rows = count == 1 ? NULL : s->rows,
                                  .count = count,
                                  .score = s->score,
                                  .loss = s->loss,
                                  .step = eta};
}

static hsp_step step_stochastic(void *vs, hsp_budget *budget) {
    stochastic *s = vs;
    if (s->v.order.at == 0) hsp_iterate_normalise(&s->v.it);
    while (!hsp_order_wrap(&s->v.order)) {
        if (hsp_budget_out(budget)) return HSP_STEP_MORE;
        int64_t count = draw_batch(s);
        if (count == 0) continue;
        update_from_batch(s, count, budget);
        budget->steps += count;
        hsp_iterate_count(&s->v.it);
    }
    return isfinite(s->v.it.b) ? HSP_STEP_MORE : HSP_STEP_FAILED;
}

const hsp_solver hsp_solver_stochastic = {.name = "stochastic",
                                          .help = "stochastic (sub)gradient descent on one row or a batch of rows",
                                          .done = HSP_STOP_GRADIENT,
                                          .needs = HSP_LOSS_SLOPE,
                                          .samples = true,
                                          .state_size = sizeof(stochastic),
                                          .init = init_stochastic,
                                          .step = step_stochastic,
                                          .export = hsp_visits_export,
                                          .peek = hsp_visits_peek,
                                          .on = {resume_stochastic, hsp_visits_leave},
                                          .free = free_stochastic};
