#include "select/shared_alone.h"

#include "design/design.h"
#include "kernel/kernel.h"
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

/* The solver with a batch is coordinate ascent. */
static bool is_ascent(const hsp_solver *s) {
    return s->batch != NULL;
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

static int take_start(hsp_shared_bench *b, hsp_shared_place at, hsp_error **err) {
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
        b->point_square = NAN;
    } else if (b->point_C == 0) {
        for (int64_t j = 0; j < p->outputs * p->design->d; j++) b->point->w[j] = 0;
        for (int64_t k = 0; k < p->outputs; k++) b->point->b[k] = 0;
        for (int64_t i = 0; b->point->alpha && i < p->design->n * p->outputs; i++) b->point->alpha[i] = 0;
    }
    return HSP_OK;
}

/* The gap of the start at the present C, from its figures at its own C. With w and r unchanged, k = C / (the C of the start)
 * and w about the combination of the multipliers, as at the optimum,
 *
 *     P = |w|^2 / 2 + k losses,   D = k duals - k^2 |w|^2 / 2. */
static double expected_gap(const hsp_shared_bench *b) {
    double half = b->point_square / 2, k = b->p[0]->C / b->point_C;
    double P = half + k * (b->point_P - half), D = k * (b->point_D + half) - k * k * half;
    return isfinite(half) ? (P - D) / P : INFINITY;
}

/* With a large C the sum of losses decides: the weights for the last value, and its multipliers r, are often within the
 * tolerance. *P and *D: objective and bound. */
static bool is_near_enough(const hsp_shared_bench *b, double *P, double *D) {
    hsp_problem *p = b->p[0];
    const hsp_point *at = b->point;
    if (b->point_C == 0 || !at->alpha || !(expected_gap(b) <= b->r->u->s->tol)) return false;
    *P = hsp_problem_evaluate(p, at->w, at->b).objective;
    *D = hsp_problem_dual_of(p, at->alpha);
    return hsp_relative_gap(*P, *D) <= b->r->u->s->tol;
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
    status = take_start(b, at, err);
    if (status) return status;
    double P, D;
    if (is_near_enough(b, &P, &D)) {
        keep_scores(b, at);
        hsp_shared_solved(b->r, at.value, at.fold, at.k, P, D);
        return HSP_OK;
    }
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
    b->point_P = out.end.objective;
    b->point_D = out.dual_bound;
    b->point_square = out.end.norm * out.end.norm;
    if (b->p[0]->intercept == HSP_INTERCEPT_PENALISED) b->point_square += b->point->b[0] * b->point->b[0];
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
