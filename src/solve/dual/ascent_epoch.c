/* The epochs of ascent.h: visits, rows left out and taken back, when to measure, and when to give up. */
#include "base/rng.h"
#include "design/design.h"
#include "problem/problem.h"
#include "solve/dual/ascent.h"
#include "solve/loop/solver.h"
#include "solve/margin/margin_solver.h"

#include <math.h>

enum { BUCKET = 8, REACTIVATE = 20, FAR = 100, FAR_OF_NEWTON = 20 };
/* Epochs before which the pace is not judged, and from which on it counts in full. Where the
 * multipliers were given the first gain little, which says nothing of those that follow. */
enum { EARLY = 5, EARLY_WARM = 30, LATE = 20 };
/* Measurements that nothing promises may take this share of the work. */
static const double MEASURING = 0.12;
/* The second epoch leaves at least this share of the gap, as a rule. */
static const double LEAST_RATE = 0.35, LEAST_RATE_SMOOTH = 0.07;
/* A visit of all lanes takes about as long as so many of one. */
static const double WIDE_COST = 3;

/* ---- an epoch ---- */

static hsp_ascent_visit *visit_of(const hsp_ascent *s) {
    if (s->width > 1) return hsp_ascent_visit_lanes;
    return s->entropy ? hsp_ascent_visit_entropy : hsp_ascent_visit_box;
}

static void begin_epoch(hsp_ascent *s, int64_t buckets) {
    hsp_ascent_set *set = &s->set;
    for (int64_t k = 0; k < buckets; k++) set->bucket[k] = k;
    if (set->loaded == set->rows) hsp_rng_shuffle(&s->rng, set->bucket, buckets); /* the first order is random by itself */
    for (int k = 0; k < s->width; k++)
        s->moving.top[k] = s->moving.bottom[k] = s->moving.share[k] = s->moving.updates[k] = 0;
}

/* The same as visit_all for one problem, row by row, back after every one that changes something. Limits are heeded between
 * buckets, so that a run ends where it would unwatched. */
static bool visit_watched(hsp_ascent *s, hsp_budget *budget) {
    hsp_ascent_set *set = &s->set;
    int64_t buckets = (set->active + BUCKET - 1) / BUCKET;
    hsp_ascent_visit *visit = visit_of(s);
    s->measured = false;
    if (s->at == 0 && s->within == 0) begin_epoch(s, buckets);
    for (; s->at < buckets && (s->within > 0 || !hsp_budget_out(budget)); s->at++, s->within = 0) {
        int64_t begin = set->bucket[s->at] * BUCKET, count = set->active - begin < BUCKET ? set->active - begin : BUCKET;
        if (set->loaded < begin + count) hsp_ascent_load(s, begin + count);
        while (s->within < count) {
            int64_t place = set->order[begin + s->within++];
            double before = s->moving.updates[0];
            visit(s, &place, 1, &place, 0);
            budget->steps++;
            if (s->moving.updates[0] == before) continue;
            budget->updates++;
            budget->row = set->all.x->origin[set->now == &set->part ? set->part.home[place] : place];
            budget->paused = true;
            return false;
        }
    }
    return s->at == buckets;
}

/* All buckets of an epoch, or as many as the budget lets; whether it is over. */
static bool visit_all(hsp_ascent *s, hsp_budget *budget) {
    if (budget->watched) return visit_watched(s, budget);
    hsp_ascent_set *set = &s->set;
    int64_t buckets = (set->active + BUCKET - 1) / BUCKET;
    hsp_ascent_visit *visit = visit_of(s);
    s->measured = false;
    if (s->at == 0) begin_epoch(s, buckets);
    double before = s->moving.updates[0];
    for (; s->at < buckets && !hsp_budget_out(budget); s->at++) {
        int64_t begin = set->bucket[s->at] * BUCKET, count = set->active - begin < BUCKET ? set->active - begin : BUCKET;
        int64_t next = s->at + 1 < buckets ? set->bucket[s->at + 1] * BUCKET : begin;
        if (set->loaded < begin + count) hsp_ascent_load(s, begin + count);
        visit(s, set->order + begin, count, set->order + next, set->active - next < BUCKET ? set->active - next : BUCKET);
        budget->steps += count;
    }
    budget->updates += (int64_t)(s->moving.updates[0] - before);
    return s->at == buckets;
}

/* ---- the pace ---- */

/* What an epoch's estimate says is the gap of an epoch ago, or two thirds of it. Before the first epoch rows had no
 * multipliers: from it to the second estimates fall by more than gaps do. */
static double expected(const hsp_ascent *s, int64_t k) {
    const hsp_ascent_pace *pace = &s->lane[k].pace;
    double least = s->epoch > 2 ? 0 : s->entropy || s->lane[k].m->ridge ? LEAST_RATE_SMOOTH : LEAST_RATE;
    double rate = pace->marks > 1 && pace->before > 0 ? fmin(fmax(pace->estimate / pace->before, least), 1) : 1;
    return pace->ratio * pace->estimate * rate;
}

static double estimate(const hsp_ascent *s, int64_t k) {
    const hsp_ascent_moving *m = &s->moving;
    double D = m->value[k] + m->r[k] * (m->b[k] + m->rho[k] * m->r[k] / 2);
    if (s->intercept == HSP_INTERCEPT_PENALISED) D = m->value[k];
    double P = s->entropy ? s->lane[k].figures.primal : D + m->share[k];
    return m->share[k] / fabs(P);
}

/* The objective of a logistic loss is not figures before it is measured: estimates were shares of another. */
static void correct_estimates(hsp_ascent_pace *pace, double by) {
    for (int64_t k = 0; k < pace->marks; k++) pace->past[k].gap *= by;
    pace->estimate *= by;
    pace->before *= by;
}

/* Remembers a gap, or an estimate of it, if enough epochs have gone by since the last; whether it did. */
static bool mark(const hsp_ascent *s, hsp_ascent_pace *pace, double gap) {
    int64_t last = pace->marks > 0 ? pace->past[pace->marks - 1].epoch : 0;
    if (!isfinite(gap) || pace->marks == HSP_ASCENT_MARKS || (s->epoch > 10 && s->epoch < last + last / 10)) return false;
    pace->past[pace->marks++] = (hsp_ascent_mark){s->epoch, gap, s->moving.work};
    return true;
}

double hsp_ascent_need(const hsp_ascent *s, int64_t k, double gap, double *work) {
    const hsp_ascent_pace *pace = &s->lane[k].pace;
    const hsp_ascent_mark *last = pace->past + pace->marks - 1, *half = last;
    while (half > pace->past && 2 * half->epoch > last->epoch) half--;
    *work = INFINITY;
    if (pace->marks == 0) return INFINITY;
    double now = s->measured ? s->lane[k].figures.gap : last->gap, span = (double)(last->epoch - half->epoch);
    if (now <= gap) return *work = 0;
    double fall = span > 0 ? log(half->gap / last->gap) / span : 0;
    if (!(fall > 0)) return INFINITY;
    *work = log(now / gap) / fall * (last->work - half->work) / span;
    return log(now / gap) / fall;
}

double hsp_ascent_finish(const hsp_ascent *s, int64_t k, int steps) {
    const hsp_design *D = s->design;
    double d = (double)D->d, inside = 0;
    for (int64_t place = 0; place < s->set.loaded; place++) {
        hsp_ascent_item e = hsp_ascent_at(&s->set.all, place, s->width);
        inside += e.alpha[k] > 0 && e.alpha[k] < e.upper[k];
    }
    double by_rows = inside * inside * inside / 60, by_columns = d * d * (inside + d / 3) / 20;
    return steps * (4 * (double)D->x->stored + fmin(by_rows, by_columns));
}

/* What another method would take from here, in numbers visited, as far as the size of the program shows: interior point or
 * Newton's method over few columns, one weighted Gram matrix, a factorisation and some passes a step; Newton's method by
 * conjugate gradients; or the finish, from afar. */
static double cost_elsewhere(const hsp_ascent *s, int64_t k) {
    enum { STEPS = 15, FAR_STEPS = 100, CG_PASSES = 70, CG_PASSES_WIDE = 120 };
    const hsp_design *D = s->design;
    double n = (double)D->n, d = (double)D->d, stored = (double)D->x->stored;
    double gram = stored * stored / n / (D->x->dense ? 16 : 2) + d * d * d / 15;
    double few = D->d <= HSP_MARGIN_FEW_COLUMNS ? STEPS * (gram + 10 * stored) : INFINITY;
    double by_products = (d > n ? CG_PASSES_WIDE : CG_PASSES) * stored;
    double newton = s->followed ? fmin(few / 2, by_products) : INFINITY;
    if (s->entropy) return newton;
    return fmin(isfinite(few) ? few : hsp_ascent_finish(s, k, FAR_STEPS), s->lane[k].m->ridge ? newton : INFINITY);
}

/* At the pace of the later half of the run the aim, or the gap from which the finish is sure, costs more from here than all
 * the way by another method: few columns with a large C, or of unlike scales. Two marks must agree; the first epochs, which
 * say less, must say so loudly. Lanes share the cost of a visit. */
static bool hopeless(hsp_ascent *s, int64_t k) {
    hsp_ascent_pace *pace = &s->lane[k].pace;
    double target = fmax(s->aim, HSP_ASCENT_NEAR), work;
    if (s->epoch < (pace->warm ? EARLY_WARM : EARLY)) return false;
    double epochs = hsp_ascent_need(s, k, target, &work);
    hsp_ascent_copy_home(s);
    if (s->width > 1) work *= WIDE_COST / (double)hsp_ascent_at_work(s);
    bool second = s->followed && (s->entropy || s->lane[k].m->ridge);
    double loud = s->epoch >= LATE ? 1 : second ? 2 : 4, far = second ? FAR_OF_NEWTON : FAR;
    pace->slow = epochs > loud * far && work > loud * cost_elsewhere(s, k) ? pace->slow + 1 : 0;
    return pace->slow > 1;
}

/* ---- measurements ---- */

static double cost_of_measuring(const hsp_ascent *s) {
    double lanes = s->width > 1 ? (double)hsp_ascent_at_work(s) / WIDE_COST : 1;
    return (double)s->design->x->stored + 30 * lanes * (double)s->set.rows + (double)s->design->d;
}

/* What a lane's estimates were worth, and the value of its augmented dual. Whether it has no hope. */
static bool learn_from(hsp_ascent *s, int64_t k, double primal_before) {
    hsp_ascent_lane *lane = s->lane + k;
    hsp_ascent_moving *m = &s->moving;
    if (s->entropy && lane->figures.primal > 0) correct_estimates(&lane->pace, primal_before / lane->figures.primal);
    double promised = expected(s, k) / lane->pace.ratio;
    if (promised > 0 && isfinite(promised)) lane->pace.ratio = fmin(fmax(lane->figures.gap / promised, 0.7), 3);
    double stiff = s->intercept == HSP_INTERCEPT_FREE ? m->rho[k] * m->r[k] * m->r[k] / 2 : 0;
    m->value[k] = lane->figures.dual - m->r[k] * m->b[k] - stiff;
    return !isfinite(lane->pace.estimate); /* a hard margin has no estimates */
}

/* Measures all lanes; `lost` gets those without hope. */
static void measure_epoch(hsp_ascent *s, bool *lost) {
    double primal[HSP_LANES];
    bool short_of_aim = false, blind[HSP_LANES] = {false};
    for (int k = 0; k < s->count; k++) primal[k] = s->lane[k].figures.primal;
    hsp_ascent_measure(s);
    s->measuring += cost_of_measuring(s);
    for (int k = 0; k < s->count; k++) {
        if (!hsp_ascent_live(s, k)) continue;
        blind[k] = learn_from(s, k, primal[k]);
        short_of_aim |= !(s->lane[k].figures.gap <= s->aim);
    }
    s->last_measure = s->epoch;
    s->next_measure = s->epoch < 3 ? s->epoch + 1 : s->epoch == 3 ? 5 : s->epoch == 5 ? 8 : s->epoch * 13 / 10;
    if (!s->entropy && short_of_aim) hsp_ascent_take_back(s);
    for (int k = 0; k < s->count; k++)
        if (blind[k] && mark(s, &s->lane[k].pace, s->lane[k].figures.gap) && hopeless(s, k)) lost[k] = true;
}

/* Whether to measure: the aim may have been reached, by half of the lanes or some time ago; or it has not been done for
 * long. */
static bool worth_measuring(const hsp_ascent *s) {
    int64_t hopes = 0, since = s->epoch - s->last_measure;
    for (int k = 0; s->aim > 0 && k < s->count; k++) hopes += hsp_ascent_live(s, k) && expected(s, k) <= s->aim;
    if (hopes > 0 && (2 * hopes >= hsp_ascent_at_work(s) || 5 * since >= s->last_measure)) return true;
    return s->epoch >= s->next_measure && s->measuring + cost_of_measuring(s) <= MEASURING * s->moving.work;
}

/* ---- the method ---- */

/* A free intercept and one class. */
static hsp_step end_one_sided(hsp_ascent *s, int64_t k) {
    for (int64_t place = 0; place < s->set.loaded; place++) hsp_ascent_at(&s->set.all, place, s->width).alpha[k] = 0;
    s->measured = false;
    s->lane[k].figures.gap = 0;
    return s->entropy ? HSP_STEP_ENDLESS : HSP_STEP_DONE;
}

/* What the end of an epoch is to a lane. */
typedef struct ending {
    bool failed, quiet, done, lost;
} ending;

/* Moves the intercept by what is missing and takes the estimate. */
static ending end_epoch(hsp_ascent *s, int64_t k) {
    hsp_ascent_moving *m = &s->moving;
    hsp_ascent_pace *pace = &s->lane[k].pace;
    ending end = {.quiet = s->entropy ? m->updates[k] == 0 : m->top[k] - m->bottom[k] <= 10 * HSP_ASCENT_ROUNDING};
    double missing = s->intercept == HSP_INTERCEPT_FREE ? m->rho[k] * m->r[k] : 0;
    pace->before = pace->estimate;
    pace->estimate = estimate(s, k);
    m->b[k] += missing;
    m->value[k] -= missing * m->r[k];
    end.failed = !isfinite(m->top[k]) || !isfinite(m->bottom[k]) || !isfinite(m->r[k]);
    if (end.failed) return end;
    end.lost = mark(s, pace, pace->estimate) && hopeless(s, k);
    end.done = end.quiet && s->set.active == s->set.rows && fabs(missing) <= 10 * HSP_ASCENT_ROUNDING;
    return end;
}

static void next_thresholds(hsp_ascent *s) {
    hsp_ascent_moving *m = &s->moving;
    for (int k = 0; !s->entropy && k < s->width; k++) {
        m->high[k] = m->top[k] > 0 ? m->top[k] : INFINITY;
        m->low[k] = m->bottom[k] < 0 ? m->bottom[k] : -INFINITY;
    }
}

void hsp_ascent_epoch(hsp_ascent *s, hsp_budget *budget, hsp_step *result) {
    ending end[HSP_LANES];
    bool lost[HSP_LANES] = {false}, quiet = false, look = false, going = false;
    for (int k = 0; k < s->count; k++) result[k] = HSP_STEP_MORE;
    if (s->width == 1 && s->lane[0].one_sided) {
        result[0] = end_one_sided(s, 0);
        return;
    }
    if (!visit_all(s, budget)) return;
    s->at = 0;
    s->epoch++;
    for (int k = 0; k < s->count; k++) {
        if (!hsp_ascent_live(s, k)) continue;
        end[k] = end_epoch(s, k);
        if (end[k].failed) {
            result[k] = HSP_STEP_FAILED;
            if (s->width > 1) s->moving.live[k] = 0;
            continue;
        }
        going = true;
        lost[k] = end[k].lost;
        quiet |= end[k].quiet;
        look |= end[k].done || end[k].lost;
    }
    if (!going) return;
    hsp_ascent_compact(s);
    next_thresholds(s);
    if (!s->entropy && quiet) hsp_ascent_reactivate(s);
    bool back = !s->entropy && s->epoch % REACTIVATE == 0 && s->set.active < s->set.rows;
    look = look || back || worth_measuring(s);
    if (look) measure_epoch(s, lost);
    for (int k = 0; k < s->count; k++)
        if (hsp_ascent_live(s, k))
            result[k] = !look ? HSP_STEP_QUIET : lost[k] ? HSP_STEP_STALLED : end[k].done ? HSP_STEP_DONE : HSP_STEP_MORE;
}
