#include "select/shared_ascent.h"

#include "base/error.h"
#include "base/memory.h"
#include "design/design.h"
#include "design/frequent.h"
#include "kernel/level.h"
#include "loss/loss.h"
#include "penalty/penalty.h"
#include "solve/loop/solver.h"
#include "solve/margin/margin.h"

#include <math.h>

/* With so few lanes left they continue one by one: a visit costs them as much as it would all. Where the loss has a kink most
 * rows are left out by then, and a new beginning would cost more than the remaining epochs. */
enum { LAST_FEW = 1, LAST_FEW_KINKED = 0 };

bool hsp_shared_ascends(const hsp_shared_setup *u) {
    const hsp_penalty *penalty = u->spec.penalty;
    return !u->joint && u->spec.loss->dual_shape != HSP_DUAL_OTHER && !penalty->mixed && penalty->l1 == 0;
}

/* ---- memory ---- */

int hsp_shared_bench_open(hsp_shared_bench *b, hsp_shared_run *r, int width, hsp_error **err) {
    const hsp_shared_setup *u = r->u;
    int64_t folds = u->s->folds->count, n = u->s->data->x.n;
    hsp_problem_spec spec = u->spec;
    spec.C = 1;
    *b = (hsp_shared_bench){.r = r, .width = width};
    if (!HSP_ALLOC_ZERO(b->rows, folds) || !HSP_ALLOC_ZERO(b->members, folds * u->problems)) return hsp_fail_memory(err);
    int status = hsp_shared_design(u, &b->design, err);
    if (!status && r->frequent.own) status = hsp_design_new(&r->frequent.x, NULL, NULL, 1, &b->frequent, err);
    for (int k = 0; !status && k < width; k++) {
        status = hsp_problem_new(b->design, &spec, &b->p[k], err);
        if (!status && (!HSP_ALLOC(b->bounds[k], 2 * n) || !HSP_ALLOC(b->start[k], n))) status = hsp_fail_memory(err);
    }
    return status;
}

void hsp_shared_bench_close(hsp_shared_bench *b) {
    const hsp_shared_setup *u = b->r->u;
    int64_t folds = u->s->folds->count;
    for (int64_t k = 0; b->rows && k < folds; k++) hsp_shared_rows_free(b->rows + k);
    for (int64_t k = 0; b->members && k < folds * u->problems; k++) hsp_free(b->members[k].alpha);
    for (int k = 0; k < HSP_LANES; k++) {
        hsp_problem_free(b->p[k]);
        HSP_FREE(b->bounds[k], b->start[k]);
    }
    hsp_point_free(b->point);
    hsp_design_free(b->design);
    hsp_design_free(b->frequent);
    HSP_FREE(b->rows, b->members);
}

const hsp_shared_rows *hsp_shared_bench_rows(hsp_shared_bench *b, int64_t fold) {
    hsp_shared_rows *rows = b->rows + fold;
    if (rows->c || hsp_shared_rows_init(rows, b->r->u, fold, NULL) == HSP_OK) return rows;
    hsp_shared_rows_free(rows);
    *rows = (hsp_shared_rows){0};
    return NULL;
}

/* ---- the start ---- */

/* The dual at s alpha for the logistic loss; most: C over that of alpha. */
static double dual_of_entropy(const hsp_margin *m, const double *alpha, double by, double square) {
    enum { BLOCK = 256 };
    double sum = 0, one[BLOCK], share[BLOCK];
    for (int64_t from = 0; from < m->design->n; from += BLOCK) {
        int64_t count = m->design->n - from < BLOCK ? m->design->n - from : BLOCK;
        for (int64_t t = 0; t < count; t++) {
            double u = m->upper[from + t];
            one[t] = 1;
            share[t] = u > 0 ? fmin(by * alpha[from + t] / u, 1) : 0;
        }
        hsp_level_now()->entropy(one, share, count, share);
        for (int64_t t = 0; t < count; t++) sum += m->upper[from + t] * share[t];
    }
    return sum - by * by * square / 2;
}

static double best_for_entropy(const hsp_margin *m, const double *alpha, double most, double square) {
    enum { TRIALS = 6 };
    double best = 1, value = -INFINITY;
    for (int k = 0; k < TRIALS; k++) {
        double by = pow(most, (double)k / (TRIALS - 1)), D = dual_of_entropy(m, alpha, by, square);
        if (!(D > value)) continue;
        value = D;
        best = by;
    }
    return best;
}

static double best_for_box(const hsp_margin *m, const double *alpha, double most, double square) {
    double sum = 0;
    for (int64_t i = 0; i < m->design->n; i++) {
        double a = alpha[i], q = m->ridge && a > 0 ? m->ridge[i] : 0;
        sum += a;
        square += q * a * a;
    }
    return square > 0 ? fmin(fmax(sum / square, 1), most) : most;
}

/* The multipliers of the last value, enlarged by the factor from 1 to C / (the last C) that raises the dual most,
 *
 *     D(s) = sum_i h_i(s alpha_i) - s^2 |w|^2 / 2.
 *
 * While most rows are inside the margin all multipliers grow with C; once the classes are separated hardly any do. */
static bool take_start(const hsp_shared_bench *b, hsp_shared_place at, int lane, hsp_margin_point *out) {
    const hsp_shared_member *of = hsp_shared_member_of(b, at);
    const hsp_margin *m = b->m + lane;
    if (!of->alpha) return false;
    double most = b->p[lane]->C / of->C, by = 1;
    bool entropy = b->p[lane]->loss->dual_shape == HSP_DUAL_ENTROPY;
    if (most > 1) by = (entropy ? best_for_entropy : best_for_box)(m, of->alpha, most, of->square);
    for (int64_t i = 0; i < b->design->n; i++) b->start[lane][i] = by * of->alpha[i];
    *out = (hsp_margin_point){.alpha = b->start[lane], .b = of->b};
    return true;
}

/* ---- a group ---- */

typedef struct lane_group {
    hsp_shared_bench *b;
    const hsp_shared_place *at;
    int count;
    hsp_ascent ascent;
    int64_t arrived[HSP_LANES]; /* the epoch in which the tolerance was reached; -1: it was not */
} lane_group;

int hsp_shared_pose(hsp_shared_bench *b, hsp_shared_place at, int lane, hsp_error **err) {
    const hsp_shared_setup *u = b->r->u;
    const hsp_shared_rows *rows = hsp_shared_bench_rows(b, at.fold);
    if (!rows) return hsp_fail_memory(err);
    hsp_problem *p = b->p[lane];
    p->c = rows->c;
    p->sum_c = rows->sum_c;
    hsp_problem_strengthen(p, hsp_shared_C(u, at.value, rows->sum_c));
    hsp_shared_targets(u, at.k, p->y);
    return HSP_OK;
}

static void pose_lane(hsp_shared_bench *b, int lane) {
    const hsp_problem *p = b->p[lane];
    const hsp_frequent *f = &b->r->frequent;
    int64_t n = b->design->n;
    bool entropy = p->loss->dual_shape == HSP_DUAL_ENTROPY, ridge = p->loss->dual_ridge > 0 || f->own;
    b->m[lane] = hsp_margin_of(p, b->bounds[lane], ridge && !entropy ? b->bounds[lane] + n : NULL);
    if (entropy && f->own) b->m[lane].ridge = f->own;
    for (int64_t i = 0; f->own && !entropy && i < n; i++) b->bounds[lane][n + i] += f->own[i];
    if (b->frequent) b->m[lane].design = b->frequent;
    b->m[lane].problem = b->p[lane];
    b->m[lane].aim = b->r->u->s->tol;
    b->m[lane].followed = p->loss->traits & HSP_LOSS_SMOOTH;
}

static int open_group(lane_group *g, hsp_error **err) {
    hsp_shared_bench *b = g->b;
    hsp_margin_point start[HSP_LANES];
    const hsp_margin_point *begun[HSP_LANES] = {NULL};
    int status = HSP_OK;
    bool distant = true;
    for (int k = 0; !status && k < g->count; k++) {
        g->arrived[k] = -1;
        status = hsp_shared_pose(b, g->at[k], k, err);
        if (status) return status;
        pose_lane(b, k);
        if (take_start(b, g->at[k], k, start + k)) begun[k] = start + k;
        distant = distant && hsp_shared_member_of(b, g->at[k])->bounded;
    }
    hsp_ascent_task task = {.count = g->count,
                            .m = b->m,
                            .start = begun,
                            .entropy = b->p[0]->loss->dual_shape == HSP_DUAL_ENTROPY,
                            .lean = true,
                            .distant = distant,
                            .seed = 1};
    return hsp_ascent_init(&g->ascent, &task, err);
}

/* Keeps the multipliers of a measured lane as the solution of its member. */
static int keep_multipliers(lane_group *g, int lane, hsp_error **err) {
    hsp_shared_bench *b = g->b;
    const hsp_ascent_figures *f = &g->ascent.lane[lane].figures;
    hsp_shared_member *of = hsp_shared_member_of(b, g->at[lane]);
    if (!of->alpha && !HSP_ALLOC(of->alpha, b->design->n)) return hsp_fail_memory(err);
    hsp_ascent_alpha(&g->ascent, lane, of->alpha);
    if (!hsp_ascent_smooth(&g->ascent) && !f->bounded && f->best.primal < INFINITY)
        for (int64_t i = 0; i < b->design->n; i++) of->alpha[i] = f->best.alpha[i];
    of->bounded = f->bounded && !hsp_ascent_smooth(&g->ascent);
    of->b = g->ascent.moving.b[lane];
    of->C = b->p[lane]->C;
    of->intercept = f->best_b;
    of->square = f->square;
    if (b->m[lane].intercept == HSP_INTERCEPT_PENALISED) of->square += g->ascent.moving.r[lane] * g->ascent.moving.r[lane];
    return HSP_OK;
}

/* Keeps the scores of a measured lane and lets it go. */
static int keep_lane(lane_group *g, int lane, hsp_error **err) {
    hsp_shared_bench *b = g->b;
    hsp_shared_place at = g->at[lane];
    const hsp_ascent_figures *f = &g->ascent.lane[lane].figures;
    const hsp_shared_rows *rows = b->rows + at.fold;
    for (int64_t t = 0; t < rows->tests; t++) {
        int64_t i = rows->tested[t];
        hsp_shared_score(b->r, at.value, i)[at.k] = f->best.scores[i] + f->best.b;
    }
    int status = keep_multipliers(g, lane, err);
    hsp_shared_solved(b->r, at.value, at.fold, at.k, f->best.primal, f->best.dual);
    g->ascent.moving.live[lane] = 0;
    return status;
}

/* A lane leaves with its multipliers, to be solved by itself. */
static int release_lane(lane_group *g, int lane, hsp_error **err) {
    hsp_ascent_measure(&g->ascent);
    g->ascent.moving.live[lane] = 0;
    return keep_multipliers(g, lane, err);
}

/* Whether a lane has reached its aim. When no multiplier is at its bound the solution is the same for every larger C: a smaller
 * gap now, if it costs little, saves the work for those. */
static bool has_arrived(lane_group *g, int lane) {
    static const double SMALLER = 0.25, LITTLE = 0.5; /* as shares of the tolerance and of the epochs */
    const hsp_shared_setup *u = g->b->r->u;
    const hsp_ascent *s = &g->ascent;
    double gap = s->lane[lane].figures.gap;
    if (!s->measured || !(gap <= u->s->tol)) return false;
    bool last = g->at[lane].value + 1 == u->s->count;
    if (last || hsp_ascent_smooth(s) || s->lane[lane].figures.bounded) return true;
    if (g->arrived[lane] < 0) g->arrived[lane] = s->epoch;
    return gap <= SMALLER * u->s->tol || (double)s->epoch >= (1 + LITTLE) * (double)g->arrived[lane];
}

/* Whether a lane cannot go on. Where the loss has a kink other methods are much slower at the gaps that ascents reach. */
static bool is_stuck(const lane_group *g, int lane, hsp_step result) {
    enum { PATIENT = 200 };
    if (g->ascent.lane[lane].one_sided) return true;
    if (result == HSP_STEP_STALLED && !hsp_ascent_smooth(&g->ascent) && g->ascent.epoch < PATIENT) return false;
    return result != HSP_STEP_MORE && result != HSP_STEP_QUIET;
}

/* Steps until all lanes have left; left[k]: lane k did so unsolved. */
static int run_group(lane_group *g, bool *left, hsp_error **err) {
    hsp_ascent *s = &g->ascent;
    hsp_budget budget = {.max_updates = INT64_MAX, .max_steps = INT64_MAX, .deadline = INFINITY};
    hsp_step result[HSP_LANES] = {HSP_STEP_MORE};
    int status = HSP_OK;
    while (!hsp_shared_stop(g->b->r)) {
        int64_t few = s->width == 1 || s->epoch == 0 ? 0 : hsp_ascent_smooth(s) ? LAST_FEW : LAST_FEW_KINKED;
        for (int k = 0; !status && k < g->count; k++)
            if (hsp_ascent_live(s, k) && has_arrived(g, k)) status = keep_lane(g, k, err);
        bool last = hsp_ascent_at_work(s) <= few;
        for (int k = 0; !status && k < g->count; k++) {
            if (!hsp_ascent_live(s, k) || !(last || is_stuck(g, k, result[k]))) continue;
            left[k] = true;
            status = release_lane(g, k, err);
        }
        if (status || hsp_ascent_at_work(s) == 0) break;
        hsp_ascent_epoch(s, &budget, result);
    }
    return status;
}

static int solve_group(hsp_shared_bench *b, const hsp_shared_place *at, int count, bool *left, hsp_error **err) {
    lane_group g = {.b = b, .at = at, .count = count};
    int status = open_group(&g, err);
    if (!status) status = run_group(&g, left, err);
    hsp_ascent_free(&g.ascent);
    return status;
}

int hsp_shared_ascend(hsp_shared_bench *b, const hsp_shared_place *at, int count, bool *stalled, hsp_error **err) {
    bool left[HSP_LANES] = {false};
    int status = solve_group(b, at, count, left, err);
    for (int k = 0; k < count; k++) stalled[k] = left[k];
    for (int k = 0; !status && count > 1 && k < count; k++)
        if (left[k]) {
            stalled[k] = false;
            status = solve_group(b, at + k, 1, stalled + k, err);
        }
    return status;
}
