/* The hinge by an interior point method whose state is the point alone: Newton's method for the hinge with a barrier
 * (part/barrier_loss.h) of decreasing weight t. At the optimum for t the gap is about 2 t C sum c, so t goes down to what the
 * tolerance asks for, by a large factor whenever the points are near the optimum for the present t. */
#include "drive/barrier.h"

#include "drive/descent.h"
#include "drive/drive_problem.h"
#include "drive/round_watch.h"
#include "loss/loss.h"
#include "part/barrier_loss.h"
#include "solve/loop/run.h"

#include <math.h>

/* t falls by this factor in each step whose decrement is below this share of the barrier's gap. Slowly, so that whole steps
 * follow the path: one that must be shortened costs a round, and points far from the path cost many. */
static const double SHRINK = 0.8, CENTRED = 0.3;
/* The barrier's share of the gap that is aimed at. */
static const double SHARE = 0.3;

typedef struct barrier_state {
    hsp_loss loss;
} barrier_state;

/* The gap that all problems must reach, as a value of t. */
static double least_weight(const hsp_descent *s) {
    const hsp_drive_problem *p = s->p;
    double least = INFINITY;
    for (int64_t k = 0; k < p->figures; k++) {
        const hsp_outcome *o = hsp_drive_outcome(p, k);
        if (o->stop) continue;
        double enough = SHARE * p->drive->fit.form.rules.tol * o->end.objective / (2 * p->C * p->sum_c);
        if (enough < least) least = enough;
    }
    return least;
}

static bool lower_barrier(hsp_descent *s, void *ctx) {
    barrier_state *b = ctx;
    hsp_drive_problem *p = s->p;
    double t = b->loss.parameter, gap = 2 * t * p->C * p->sum_c;
    for (int64_t k = 0; k < p->figures; k++)
        if (!hsp_drive_outcome(p, k)->stop && !(s->climb[k].fall <= CENTRED * gap)) return false;
    double next = fmax(SHRINK * t, least_weight(s));
    if (!(next < t) || !isfinite(next)) return false;
    b->loss = hsp_loss_barrier.with(next);
    return true;
}

int hsp_drive_by_barrier(hsp_drive_problem *p, bool gram, hsp_error **err) {
    barrier_state b = {hsp_loss_barrier.with(1)};
    hsp_descent s = {0};
    p->loss = &b.loss;
    int status = hsp_descent_new(p, gram, &s, err);
    s.method = "interior-point";
    s.predicts = true;
    s.before = b.loss.parameter;
    if (!status) status = hsp_descent_run(&s, lower_barrier, &b, err);
    hsp_descent_clear(&s);
    p->loss = p->stated;
    return status;
}
