/* The solver `class-dual`: dual block coordinate ascent for losses of K scores with a kink, in epochs over shrinking sets of
 * rows, until the estimate of the gap is within the tolerance. */
#include "loss/loss.h"
#include "problem/point.h"
#include "problem/problem.h"
#include "solve/classes/class_ascent.h"
#include "solve/loop/solver.h"
#include "solve/loop/stop.h"

#include <math.h>

enum { PATIENCE = 40 }; /* epochs in which the estimate must fall to a third, where another solver could take over */

typedef struct class_dual {
    hsp_class_ascent ascent;
    double tol;
    bool followed; /* another solver can take over */
    int64_t next;  /* epoch of the next measurement */
    int64_t since; /* epoch at which the gap was estimated as `mark` */
    double mark;
    double
        ease; /* an estimate within this multiple of the tolerance is measured: estimates are too large, by how much differs */
} class_dual;

static int init_class_dual(void *state, hsp_problem *p, const hsp_rules *rules, const hsp_point *start, hsp_error **err) {
    class_dual *s = state;
    *s = (class_dual){.tol = rules->tol, .next = 1, .mark = INFINITY, .ease = 64};
    s->followed = rules->next || rules->fallback[0];
    return hsp_class_ascent_init(&s->ascent, p, rules->seed, start, err);
}

/* No third was gained in PATIENCE epochs. */
static bool is_slow(class_dual *s) {
    const hsp_class_ascent *a = &s->ascent;
    if (a->epoch - s->since < PATIENCE) return false;
    bool slow = a->estimate > s->mark / 3;
    s->since = a->epoch;
    s->mark = a->estimate;
    return slow;
}

static hsp_step step_class_dual(void *state, hsp_budget *budget) {
    class_dual *s = state;
    hsp_class_ascent *a = &s->ascent;
    if (!hsp_class_ascent_epoch(a, budget)) return HSP_STEP_MORE;
    if (!isfinite(a->estimate) || !isfinite(a->value)) return HSP_STEP_FAILED;
    bool near = a->estimate <= s->ease * s->tol * fmax(a->value, 0), shrunk = !a->whole;
    if (near && shrunk) { /* the rows that were left out may have a share in the gap */
        hsp_class_ascent_refresh(a);
        return HSP_STEP_QUIET;
    }
    if (s->followed && is_slow(s)) return HSP_STEP_STALLED;
    if (!near && a->epoch < s->next) return HSP_STEP_QUIET;
    s->next = a->epoch + 1 + a->epoch / 4;
    if (near) s->ease = fmax(1, s->ease / 2);
    hsp_class_ascent_refresh(a);
    return HSP_STEP_MORE;
}

static bool export_class_dual(void *state, hsp_which which, hsp_point *out) {
    if (which == HSP_POINT_CANDIDATE) return false;
    hsp_class_ascent_export(&((class_dual *)state)->ascent, out);
    return true;
}

static void free_class_dual(void *state) {
    hsp_class_ascent_free(&((class_dual *)state)->ascent);
}

const hsp_solver hsp_solver_class_dual = {
    .name = "class-dual",
    .help = "dual block coordinate ascent, a row's K multipliers at a time; for crammer-singer with many columns",
    .done = HSP_STOP_GRADIENT,
    .needs = HSP_LOSS_MANY | HSP_LOSS_KINKED | HSP_LOSS_DUAL,
    .many = true,
    .smooth_penalty = true,
    .proposes = true,
    .expensive_steps = true, /* those that it has measured: it says QUIET after the others */
    .state_size = sizeof(class_dual),
    .init = init_class_dual,
    .step = step_class_dual,
    .export = export_class_dual,
    .free = free_class_dual};
