/* The solver `dual`: coordinate descent, then exact multipliers; and its batch, the same descent for several problems in
 * lanes. A lane leaves when it is near enough for the exact finish, when its progress is hopeless, or when it is one of the
 * last few: a visit costs it as much as it would all lanes. */
#include "base/error.h"
#include "base/memory.h"
#include "loss/loss.h"
#include "problem/margin_values.h"
#include "problem/point.h"
#include "problem/problem.h"
#include "solve/dual/ascent.h"
#include "solve/loop/solver.h"
#include "solve/margin/margin.h"
#include "solve/margin/margin_solver.h"

#include <math.h>

enum { LAST_FEW = 2 };

static const hsp_margin_plan dual_plan = {"dual", &hsp_margin_dual, HSP_ASCENT_NEAR, true};

static int init_dual(void *state, hsp_problem *p, const hsp_rules *rules, const hsp_point *start, hsp_error **err) {
    return hsp_margin_solver_init(state, &dual_plan, p, rules, start, err);
}

/* ---- the batch ---- */

typedef struct lanes {
    hsp_ascent ascent;
    hsp_problem *p[HSP_LANES];
    hsp_margin m[HSP_LANES];
    double *bounds[HSP_LANES]; /* owned, 2 n: u_i and q_i; NULL: those of the first */
    double *alpha;             /* owned, n: scratch of the export */
    double tol;
    bool begun;
} lanes;

static bool lanes_take(const hsp_problem *p) {
    return !p->design->x->dense && hsp_margin_takes(&dual_plan, p, NULL) == HSP_OK;
}

/* The program of problem k; bounds are shared where C and the weights are. */
static int pose_lane(lanes *s, int64_t k, const hsp_rules *rules, hsp_error **err) {
    hsp_problem *p = s->p[k];
    int64_t n = p->design->n;
    bool shared = k > 0 && p->C == s->p[0]->C && p->c == s->p[0]->c;
    if (!shared && !(s->bounds[k] = hsp_alloc(2 * n, sizeof **s->bounds))) return hsp_fail_memory(err);
    if (shared) {
        s->m[k] = s->m[0];
        s->m[k].y = p->y;
    } else {
        s->m[k] = hsp_margin_of(p, s->bounds[k], p->loss->dual_ridge > 0 ? s->bounds[k] + n : NULL);
        s->m[k].aim = fmax(rules->tol, HSP_ASCENT_NEAR);
        s->m[k].followed = rules->next != NULL;
    }
    s->m[k].problem = p;
    return HSP_OK;
}

static int init_lanes(void *state, hsp_problem *const *p, int64_t count, const hsp_rules *rules, hsp_point *const *start,
                      hsp_error **err) {
    lanes *s = state;
    int64_t n = p[0]->design->n, d = p[0]->design->d;
    hsp_margin_point from[HSP_LANES] = {{0}};
    const hsp_margin_point *begun[HSP_LANES] = {NULL};
    *s = (lanes){.tol = rules->tol};
    s->alpha = hsp_alloc(n, sizeof *s->alpha);
    int status = s->alpha ? HSP_OK : hsp_fail_memory(err);
    for (int64_t k = 0; !status && k < count; k++) {
        s->p[k] = p[k];
        status = pose_lane(s, k, rules, err);
        bool allocated = HSP_ALLOC_DOUBLES(n, &from[k].alpha) && HSP_ALLOC_DOUBLES(d, &from[k].w);
        if (!status && !allocated) status = hsp_fail_memory(err);
        if (!status && hsp_margin_start(p[k], s->m[k].upper, start[k], &from[k])) begun[k] = &from[k];
    }
    hsp_ascent_task task = {.count = count,
                            .m = s->m,
                            .start = begun,
                            .entropy = p[0]->loss->dual_shape == HSP_DUAL_ENTROPY,
                            .seed = rules->seed};
    if (!status) status = hsp_ascent_init(&s->ascent, &task, err);
    for (int64_t k = 0; k < count; k++) HSP_FREE(from[k].alpha, from[k].w);
    return status;
}

static void step_lanes(void *state, hsp_budget *budget, hsp_step *result, int64_t *updates) {
    lanes *s = state;
    hsp_ascent *a = &s->ascent;
    bool few = s->begun && hsp_ascent_at_work(a) <= LAST_FEW;
    if (!few) hsp_ascent_epoch(a, budget, result);
    for (int k = 0; k < a->count; k++) {
        double gap = a->lane[k].figures.gap;
        bool near = a->measured && gap <= a->aim && gap > s->tol;
        updates[k] = few ? 0 : (int64_t)a->moving.updates[k];
        if (result[k] == HSP_STEP_DONE && !(gap <= s->tol)) result[k] = HSP_STEP_ALONE;
        if (near || result[k] == HSP_STEP_STALLED) result[k] = a->followed ? HSP_STEP_STALLED : HSP_STEP_ALONE;
        if (few || a->lane[k].one_sided) result[k] = HSP_STEP_ALONE;
    }
    s->begun = true;
}

static void export_lane(void *state, int64_t k, hsp_point *out) {
    lanes *s = state;
    hsp_margin_point to = {.w = out->w, .alpha = s->alpha};
    hsp_ascent_export(&s->ascent, k, &to);
    hsp_margin_give(s->p[k], &to, out);
}

static bool measured_lane(void *state, int64_t k, hsp_measured *out) {
    const hsp_ascent_figures *measured = &((lanes *)state)->ascent.lane[k].figures;
    *out = (hsp_measured){.at = measured->at, .bound = measured->dual};
    return true;
}

static void leave_lane(void *state, int64_t k) {
    ((lanes *)state)->ascent.moving.live[k] = 0;
}

static void free_lanes(void *state) {
    lanes *s = state;
    hsp_ascent_free(&s->ascent);
    hsp_free(s->alpha);
    for (int k = 0; k < HSP_LANES; k++) hsp_free(s->bounds[k]);
}

static const hsp_batch dual_batch = {.name = "lanes",
                                     .most = HSP_LANES,
                                     .state_size = sizeof(lanes),
                                     .takes = lanes_take,
                                     .init = init_lanes,
                                     .step = step_lanes,
                                     .export = export_lane,
                                     .measured = measured_lane,
                                     .leave = leave_lane,
                                     .free = free_lanes};

const hsp_solver hsp_solver_dual = {
    .name = "dual",
    .help = "dual coordinate descent; for margin losses and logistic with many sparse columns; exact multipliers for hinge",
    HSP_MARGIN_SOLVER,
    .init = init_dual,
    .batch = &dual_batch,
    .together = &hsp_solver_dual};
