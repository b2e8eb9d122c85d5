#include "select/shared_alone.h"

#include "design/design.h"
#include "kernel/kernel.h"
#include "loss/loss.h"
#include "problem/multipliers.h"
#include "problem/point.h"
#include "problem/problem.h"
#include "solve/loop/choose.h"
#include "solve/loop/run.h"
#include "solve/loop/solver.h"
#include "solve/loop/stop.h"

#include <math.h>

enum { MOST_EPOCHS = 1000 };
/* Below this gap coordinate ascent by itself is slow; run.c combines it with other methods. */
static const double ASCENT_TOL = 1e-6;

/* ---- the solver ---- */

static hsp_solver_choice choose_at(const hsp_shared_setup *u, double C) {
    hsp_facts facts = u->facts;
    facts.C = C;
    facts.tol = u->s->tol;
    return hsp_choose(&facts);
}

/* Solvers tell what they are by their slots: the one with a batch is coordinate ascent, ... */
static bool is_ascent(const hsp_solver *s) {
    return s->batch != NULL;
}

/* ... and those of one output that propose multipliers, and have no start of their own, begin at multipliers. */
static bool begins_at_multipliers(const hsp_solver *s) {
    return s->proposes && s->smooth_penalty && !s->many && !s->own_start;
}

bool hsp_shared_ascent_is_best(const hsp_shared_setup *u, double C) {
    return u->s->tol >= ASCENT_TOL && hsp_shared_ascends(u) && is_ascent(choose_at(u, C).first);
}

/* The choice without coordinate ascent. */
static hsp_solver_choice without_ascent(hsp_solver_choice c) {
    const hsp_solver *in_turn[] = {c.first, c.next, c.fallback[0], c.fallback[1]}, *rest[4] = {NULL};
    int count = 0;
    for (size_t k = 0; k < sizeof in_turn / sizeof *in_turn; k++)
        if (in_turn[k] && !is_ascent(in_turn[k])) rest[count++] = in_turn[k];
    return count > 0 ? (hsp_solver_choice){rest[0], NULL, {rest[1], rest[2]}} : c;
}

static hsp_rules rules_of(const hsp_shared_setup *u, const hsp_solver_choice *choice) {
    hsp_rules rules = {.schedule = HSP_SCHEDULE_LINE_SEARCH,
                       .rate = NAN,
                       .decay = NAN,
                       .keep = HSP_KEEP_BEST,
                       .seed = 1,
                       .tol = u->s->tol,
                       .max_epochs = MOST_EPOCHS,
                       .max_updates = -1,
                       .max_steps = -1,
                       .max_seconds = -1,
                       .next = choice->next};
    for (int k = 0; k < HSP_MOST_FALLBACKS; k++) rules.fallback[k] = choice->fallback[k];
    return rules;
}

/* ---- the start ---- */

/* From the multipliers of a member. */
static void take_multipliers(const hsp_shared_bench *b, const hsp_shared_member *of, hsp_point *out) {
    hsp_problem *p = b->p[0];
    double C = p->C;
    p->C = of->C;
    for (int64_t i = 0; i < p->design->n; i++) {
        out->alpha[i] = hsp_r_of_alpha(p->y[i], hsp_row_weight(p, i), of->alpha[i]);
        p->values[i] = p->y[i] * of->alpha[i];
    }
    p->C = C;
    hsp_design_adjoint(p->design, p->values, out->w);
    out->b[0] = of->intercept;
}

/* Solvers that begin with multipliers expect weights that combine them: both are enlarged by the factor from 1 to C / (the C
 * of the start) that raises the dual of a box most. */
static void enlarge_start(const hsp_problem *p, double most, hsp_point *at) {
    double sum = 0, square = hsp_dot_f64(at->w, at->w, at->d), by = most;
    if (p->intercept == HSP_INTERCEPT_PENALISED) square += at->b[0] * at->b[0];
    for (int64_t i = 0; at->alpha && i < p->design->n; i++) {
        double k = hsp_row_weight(p, i) / most, a = hsp_alpha_of_r(p->y[i], k, at->alpha[i]);
        sum += a;
        if (k > 0) square += p->loss->dual_ridge / (k * most) * a * a;
    }
    if (p->loss->dual_shape == HSP_DUAL_BOX && square > 0) by = fmin(fmax(sum / square, fmin(1, most)), most);
    hsp_scale_f64(by, at->w, at->d);
    if (at->alpha) hsp_scale_f64(by / most, at->alpha, at->n);
}

static int take_start(hsp_shared_bench *b, hsp_shared_place at, const hsp_solver *solver, hsp_error **err) {
    hsp_problem *p = b->p[0];
    const hsp_shared_member *of = hsp_shared_member_of(b, at);
    int status = b->point ? HSP_OK : hsp_point_new(p->outputs, p->design->d, &b->point, err);
    if (!status && hsp_problem_has_dual(p) && !b->point->alpha) status = hsp_point_add_alpha(b->point, p->design->n, err);
    if (status) return status;
    if (b->point_of != of) b->point_C = 0;
    b->point_of = of;
    if (of->alpha && of->C >= b->point_C) {
        take_multipliers(b, of, b->point);
        b->point_C = of->C;
    } else if (b->point_C == 0) {
        for (int64_t j = 0; j < p->outputs * p->design->d; j++) b->point->w[j] = 0;
        for (int64_t k = 0; k < p->outputs; k++) b->point->b[k] = 0;
        for (int64_t i = 0; b->point->alpha && i < p->design->n * p->outputs; i++) b->point->alpha[i] = 0;
    }
    if (b->point_C > 0 && b->point_C != p->C && begins_at_multipliers(solver))
        enlarge_start(p, p->C / b->point_C, b->point);
    return HSP_OK;
}

/* ---- the fit ---- */

/* Scores of the rows that the fold tests. */
static void keep_scores(const hsp_shared_bench *b, hsp_shared_place at) {
    const hsp_design *D = b->design;
    const hsp_shared_rows *rows = b->rows + at.fold;
    for (int64_t k = 0; k < b->point->outputs; k++) {
        const double *w = b->point->w + k * D->d;
        double own = b->point->b[k] - (D->p ? hsp_dot_f64(D->p, w, D->d) : 0);
        for (int64_t t = 0; t < rows->tests; t++) {
            int64_t i = rows->tested[t];
            double score = hsp_row_dot(hsp_design_row(D, i, NULL), w) + own;
            hsp_shared_score(b->r, at.value, i)[b->r->u->joint ? k : at.k] = score;
        }
    }
}

int hsp_shared_finish(hsp_shared_bench *b, hsp_shared_place at, hsp_error **err) {
    const hsp_shared_setup *u = b->r->u;
    int status = hsp_shared_pose(b, at, 0, err);
    if (status) return status;
    hsp_solver_choice choice = choose_at(u, b->p[0]->C);
    if (hsp_shared_member_of(b, at)->C == b->p[0]->C) choice = without_ascent(choice);
    status = take_start(b, at, choice.first, err);
    if (status) return status;
    hsp_rules rules = rules_of(u, &choice);
    hsp_run_place place = {.problem = at.k, .problems = u->problems};
    hsp_outcome out;
    status = hsp_run(choice.first, b->p[0], &rules, place, &b->r->watch, b->point, &out, err);
    if (status) return status;
    if (out.stop == HSP_STOP_CANCELLED) {
        hsp_shared_cancel(b->r);
        return HSP_OK;
    }
    b->point_C = b->p[0]->C;
    keep_scores(b, at);
    hsp_shared_solved(b->r, at.value, at.fold, at.k, out.end.objective, out.dual_bound);
    return HSP_OK;
}

/* ---- classes without training rows ---- */

bool hsp_shared_is_silent(const hsp_shared_setup *u, const hsp_shared_rows *rows, int64_t k) {
    return u->outputs > 1 && !u->joint && rows->absent[k];
}

void hsp_shared_silence(hsp_shared_run *r, const hsp_shared_rows *rows, int64_t value, int64_t fold, int64_t k) {
    for (int64_t t = 0; t < rows->tests; t++) hsp_shared_score(r, value, rows->tested[t])[k] = HSP_SHARED_SILENT;
    hsp_shared_solved(r, value, fold, k, 0, 0);
}
