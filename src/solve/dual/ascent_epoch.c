/* The epochs of ascent.h: visits, rows left out and taken back, looks, and when to give up. */
#include "base/rng.h"
#include "design/design.h"
#include "problem/problem.h"
#include "solve/dual/ascent.h"
#include "solve/loop/solver.h"

#include <math.h>

enum { BUCKET = 8, REACTIVATE = 20, FAR = 100, FAR_OF_NEWTON = 20 };
/* Epochs before which the pace is not judged, and from which on it counts in full. Where the
 * multipliers were given the first gain little, which says nothing of those that follow. */
enum { EARLY = 5, EARLY_WARM = 30, LATE = 20 };
/* Slopes of the dual below this are rounding. */
static const double ROUNDING = 1e-14;
/* Looks that nothing promises may take this share of the work. */
static const double LOOKING = 0.12;
/* The second epoch leaves at least this share of the gap, as a rule. */
static const double LEAST_RATE = 0.35, LEAST_RATE_SMOOTH = 0.07;

/* ---- an epoch ---- */

static void begin_epoch(hsp_ascent *s, int64_t buckets) {
    for (int64_t k = 0; k < buckets; k++) s->bucket[k] = k;
    if (s->loaded == s->rows) hsp_rng_shuffle(&s->rng, s->bucket, buckets); /* the first order is random by itself */
    s->top = s->bottom = 0;
    s->share = 0;
    s->updates = 0;
}

/* The same as visit_all, row by row, back after every one that changes something. Limits are looked at between buckets, so
 * that a run ends where it would unwatched. */
static bool visit_watched(hsp_ascent *s, hsp_budget *budget) {
    int64_t buckets = (s->active + BUCKET - 1) / BUCKET;
    hsp_ascent_visit *visit = s->logistic ? hsp_ascent_visit_logistic : hsp_ascent_visit_box;
    s->measured = false;
    if (s->at == 0 && s->within == 0) begin_epoch(s, buckets);
    for (; s->at < buckets && (s->within > 0 || !hsp_budget_out(budget)); s->at++, s->within = 0) {
        int64_t begin = s->bucket[s->at] * BUCKET, count = s->active - begin < BUCKET ? s->active - begin : BUCKET;
        if (s->loaded < begin + count) hsp_ascent_load(s, begin + count);
        while (s->within < count) {
            int64_t place = s->order[begin + s->within++], before = s->updates;
            visit(s, &place, 1, &place, 0);
            budget->steps++;
            if (s->updates == before) continue;
            budget->updates++;
            budget->row = s->all.x->origin[s->now == &s->part ? s->part.home[place] : place];
            budget->paused = true;
            return false;
        }
    }
    return s->at == buckets;
}

/* All buckets of an epoch, or as many as the budget lets; whether it is over. */
static bool visit_all(hsp_ascent *s, hsp_budget *budget) {
    if (budget->watched) return visit_watched(s, budget);
    int64_t buckets = (s->active + BUCKET - 1) / BUCKET, before = s->updates;
    hsp_ascent_visit *visit = s->logistic ? hsp_ascent_visit_logistic : hsp_ascent_visit_box;
    s->measured = false;
    if (s->at == 0) {
        begin_epoch(s, buckets);
        before = 0;
    }
    for (; s->at < buckets && !hsp_budget_out(budget); s->at++) {
        int64_t begin = s->bucket[s->at] * BUCKET, count = s->active - begin < BUCKET ? s->active - begin : BUCKET;
        int64_t next = s->at + 1 < buckets ? s->bucket[s->at + 1] * BUCKET : begin;
        if (s->loaded < begin + count) hsp_ascent_load(s, begin + count);
        visit(s, s->order + begin, count, s->order + next, s->active - next < BUCKET ? s->active - next : BUCKET);
        budget->steps += count;
    }
    budget->updates += s->updates - before;
    return s->at == buckets;
}

/* What an epoch's estimate tells is the gap of an epoch ago, or two thirds of it. Before the first epoch rows had no
 * multipliers: from it to the second estimates fall by more than gaps do. */
static double expected(const hsp_ascent *s) {
    double least = s->epoch > 2 ? 0 : s->logistic || s->m->ridge ? LEAST_RATE_SMOOTH : LEAST_RATE;
    double rate = s->marks > 1 && s->before > 0 ? fmin(fmax(s->estimate / s->before, least), 1) : 1;
    return s->ratio * s->estimate * rate;
}

static double estimate(const hsp_ascent *s) {
    double D = s->value + s->r * (s->b + s->rho * s->r / 2);
    if (s->m->intercept == HSP_INTERCEPT_PENALISED) D = s->value;
    double P = s->logistic ? s->primal : D + s->share;
    return s->share / fabs(P);
}

/* The objective of a logistic loss is not known before it is looked at: estimates were shares of another. */
static void correct(hsp_ascent *s, double by) {
    for (int64_t k = 0; k < s->marks; k++) s->past[k].gap *= by;
    s->estimate *= by;
    s->before *= by;
}

/* Remembers a gap, or an estimate of it, if enough epochs have gone by since the last; whether it did. */
static bool mark(hsp_ascent *s, double gap) {
    int64_t last = s->marks > 0 ? s->past[s->marks - 1].epoch : 0;
    if (!isfinite(gap) || s->marks == HSP_ASCENT_MARKS || (s->epoch > 10 && s->epoch < last + last / 10)) return false;
    s->past[s->marks++] = (hsp_ascent_mark){s->epoch, gap, s->work};
    return true;
}

double hsp_ascent_need(const hsp_ascent *s, double gap, double *work) {
    const hsp_ascent_mark *last = s->past + s->marks - 1, *half = last;
    while (half > s->past && 2 * half->epoch > last->epoch) half--;
    *work = INFINITY;
    if (s->marks == 0) return INFINITY;
    double now = s->measured ? s->gap : last->gap, span = (double)(last->epoch - half->epoch);
    if (now <= gap) return *work = 0;
    double pace = span > 0 ? log(half->gap / last->gap) / span : 0;
    if (!(pace > 0)) return INFINITY;
    *work = log(now / gap) / pace * (last->work - half->work) / span;
    return log(now / gap) / pace;
}

/* ---- hopes ---- */

double hsp_ascent_finish(const hsp_ascent *s, int steps) {
    const hsp_design *D = s->m->design;
    double d = (double)D->d, inside = 0;
    for (const hsp_ascent_item *e = s->all.item; e < s->all.item + s->loaded; e++)
        inside += e->alpha > 0 && e->alpha < e->upper;
    double by_rows = inside * inside * inside / 60, by_columns = d * d * (inside + d / 3) / 20;
    return steps * (4 * (double)D->x->stored + fmin(by_rows, by_columns));
}

/* What another method would take from here, in numbers visited, as far as the size of the program tells: interior point or
 * Newton's method over few columns, one weighted Gram matrix, a factorisation and some passes a step; Newton's method by
 * conjugate gradients; or the finish, from afar. */
static double cost_elsewhere(const hsp_ascent *s) {
    enum { STEPS = 15, FAR_STEPS = 100, CG_PASSES = 70, CG_PASSES_WIDE = 120 };
    const hsp_design *D = s->m->design;
    double n = (double)D->n, d = (double)D->d, stored = (double)D->x->stored;
    double gram = stored * stored / n / (D->x->dense ? 16 : 2) + d * d * d / 15;
    double few = D->d <= HSP_ASCENT_FEW_COLUMNS ? STEPS * (gram + 10 * stored) : INFINITY;
    double by_products = (d > n ? CG_PASSES_WIDE : CG_PASSES) * stored;
    double newton = s->newton ? fmin(few / 2, by_products) : INFINITY;
    if (s->logistic) return newton;
    return fmin(isfinite(few) ? few : hsp_ascent_finish(s, FAR_STEPS), s->m->ridge ? newton : INFINITY);
}

/* At the pace of the later half of the run the aim, or the gap from which the finish is sure, costs more from here than all
 * the way by another method: few columns with a large C, or of unlike scales. Two marks must agree; the first epochs, which
 * tell less, must say so loudly. */
static bool hopeless(hsp_ascent *s) {
    double target = fmax(s->aim, HSP_ASCENT_NEAR), work;
    if (s->epoch < (s->warm ? EARLY_WARM : EARLY)) return false;
    double epochs = hsp_ascent_need(s, target, &work);
    hsp_ascent_settle(s);
    bool second = s->newton && (s->logistic || s->m->ridge);
    double loud = s->epoch >= LATE ? 1 : second ? 2 : 4, far = second ? FAR_OF_NEWTON : FAR;
    s->slow = epochs > loud * far && work > loud * cost_elsewhere(s) ? s->slow + 1 : 0;
    return s->slow > 1;
}

/* ---- looks ---- */

static double cost_of_look(const hsp_ascent *s) {
    return (double)s->m->design->x->stored + 30 * (double)s->rows + (double)s->m->design->d;
}

/* Whether there is no hope. */
static bool look(hsp_ascent *s) {
    double P = s->primal;
    hsp_ascent_measure(s);
    s->looking += cost_of_look(s);
    if (s->logistic && s->primal > 0) correct(s, P / s->primal);
    double told = expected(s) / s->ratio;
    if (told > 0 && isfinite(told)) s->ratio = fmin(fmax(s->gap / told, 0.7), 3);
    s->value = s->dual - s->r * s->b - (s->m->intercept == HSP_INTERCEPT_FREE ? s->rho * s->r * s->r / 2 : 0);
    s->next_look = s->epoch < 3 ? s->epoch + 1 : s->epoch == 3 ? 5 : s->epoch == 5 ? 8 : s->epoch * 13 / 10;
    if (!s->logistic && !(s->gap <= s->aim)) hsp_ascent_take_back(s);
    return !isfinite(s->estimate) && mark(s, s->gap) && hopeless(s); /* a hard margin has no estimates */
}

static bool look_now(const hsp_ascent *s) {
    if (s->aim > 0 && expected(s) <= s->aim) return true;
    return s->epoch >= s->next_look && s->looking + cost_of_look(s) <= LOOKING * s->work;
}

/* ---- the method ---- */

hsp_step hsp_ascent_epoch(hsp_ascent *s, hsp_budget *budget) {
    if (s->lonely) {
        for (int64_t place = 0; place < s->loaded; place++) s->all.item[place].alpha = 0;
        s->measured = false;
        s->gap = 0;
        return s->logistic ? HSP_STEP_ENDLESS : HSP_STEP_DONE;
    }
    if (!visit_all(s, budget)) return HSP_STEP_MORE;
    bool all = s->active == s->rows;
    bool quiet = s->logistic ? s->updates == 0 : s->top - s->bottom <= 10 * ROUNDING;
    s->at = 0;
    s->epoch++;
    double missing = s->m->intercept == HSP_INTERCEPT_FREE ? s->rho * s->r : 0;
    s->before = s->estimate;
    s->estimate = estimate(s);
    s->b += missing;
    s->value -= missing * s->r;
    if (!isfinite(s->top) || !isfinite(s->bottom) || !isfinite(s->r)) return HSP_STEP_FAILED;
    bool lost = mark(s, s->estimate) && hopeless(s);
    hsp_ascent_compact(s);
    if (!s->logistic) {
        s->high = s->top > 0 ? s->top : INFINITY;
        s->low = s->bottom < 0 ? s->bottom : -INFINITY;
    }
    bool done = quiet && all && fabs(missing) <= 10 * ROUNDING;
    if (!s->logistic && quiet) hsp_ascent_reactivate(s);
    bool back = !s->logistic && s->epoch % REACTIVATE == 0 && s->active < s->rows;
    if (!done && !lost && !back && !look_now(s)) return HSP_STEP_QUIET;
    if (look(s) || lost) return HSP_STEP_STALLED;
    return done ? HSP_STEP_DONE : HSP_STEP_MORE;
}
