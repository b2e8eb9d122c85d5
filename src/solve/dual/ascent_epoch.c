/* The epochs of ascent.h: visits, shrinking, when to measure, and when to give up. */
#include "base/rng.h"
#include "design/design.h"
#include "problem/problem.h"
#include "solve/dual/ascent.h"
#include "solve/loop/solver.h"
#include "solve/margin/margin_solver.h"

#include <math.h>
#include <string.h>

enum { BUCKET = 8, REACTIVATE = 20, FAR = 100, FAR_OF_NEWTON = 20 };
/* Epochs before which the pace is not evaluated (after a warm start the first ones gain little), and after which it counts in
 * full. */
enum { EARLY = 5, EARLY_WARM = 30, LATE = 20 };
/* Regular measurements may take this share of the work. */
static const double MEASURING = 0.12;
/* Lean: likewise; and at least this share of a measurement's cost is work between two of them. */
static const double MEASURING_LEAN = 0.2, PAUSE_LEAN = 0.7, PAUSE_REPAIRED = 1.3;
/* The second epoch usually leaves at least this share of the gap. */
static const double LEAST_RATE = 0.35, LEAST_RATE_SMOOTH = 0.07;
/* The best stretch of the weights (lean) may leave a small part of the gap. */
static const double LEAST_RATIO = 0.01;
/* A visit of all lanes takes about as long as this many visits of one. */
static const double WIDE_COST = 3;

/* ---- an epoch ---- */

static hsp_ascent_visit *visit_of(const hsp_ascent *s) {
    if (s->width > 1) return hsp_ascent_visit_lanes;
    return s->entropy ? hsp_ascent_visit_entropy : hsp_ascent_visit_box;
}

static void begin_epoch(hsp_ascent *s, int64_t buckets) {
    hsp_ascent_set *set = &s->set;
    bool first = set->loaded < set->rows; /* the first order is random already */
    for (int64_t k = 0; k < buckets; k++) set->bucket[k] = k;
    if (set->turn) {
        memcpy(set->turn, set->order, (size_t)set->active * sizeof *set->turn);
        if (!first) hsp_rng_shuffle(&s->rng, set->turn, set->active);
    } else if (!first) {
        hsp_rng_shuffle(&s->rng, set->bucket, buckets);
    }
    for (int k = 0; k < s->width; k++)
        s->moving.top[k] = s->moving.bottom[k] = s->moving.share[k] = s->moving.updates[k] = 0;
}

/* The places of bucket k in this epoch, and how many. */
static const int64_t *bucket_of(const hsp_ascent_set *set, int64_t k, int64_t *count) {
    int64_t begin = set->bucket[k] * BUCKET, left = set->active - begin;
    *count = left < BUCKET ? left : BUCKET;
    return (set->turn ? set->turn : set->order) + begin;
}

/* In the first epoch, whose order is that of the places. */
static void load_bucket(hsp_ascent *s, int64_t k, int64_t count) {
    int64_t end = s->set.bucket[k] * BUCKET + count;
    if (s->set.loaded < end) hsp_ascent_load(s, end);
}

/* visit_all for one problem of a watched run: returns after every row that changes something. Limits are checked between
 * buckets, so that the run ends where it would unwatched. */
static bool visit_watched(hsp_ascent *s, hsp_budget *budget) {
    hsp_ascent_set *set = &s->set;
    int64_t buckets = (set->active + BUCKET - 1) / BUCKET;
    hsp_ascent_visit *visit = visit_of(s);
    s->measured = false;
    if (s->at == 0 && s->within == 0) begin_epoch(s, buckets);
    for (; s->at < buckets && (s->within > 0 || !hsp_budget_out(budget)); s->at++, s->within = 0) {
        int64_t count;
        const int64_t *places = bucket_of(set, s->at, &count);
        load_bucket(s, s->at, count);
        while (s->within < count) {
            int64_t place = places[s->within++];
            double *alpha = hsp_ascent_at(set->now, place, 1).alpha;
            double before = s->moving.updates[0], old = *alpha, score = hsp_ascent_score(s, place);
            visit(s, &place, 1, &place, 0);
            budget->steps++;
            if (s->moving.updates[0] == before) continue;
            budget->updates++;
            int64_t home = set->now == &set->part ? set->part.home[place] : place;
            budget->change = (hsp_change){.row = set->all.x->origin[home], .score = score, .step = *alpha - old};
            budget->paused = true;
            return false;
        }
    }
    return s->at == buckets;
}

/* All buckets of an epoch, or as many as the budget allows. Returns whether the epoch is over. */
static bool visit_all(hsp_ascent *s, hsp_budget *budget) {
    if (budget->watched) return visit_watched(s, budget);
    hsp_ascent_set *set = &s->set;
    int64_t buckets = (set->active + BUCKET - 1) / BUCKET;
    hsp_ascent_visit *visit = visit_of(s);
    s->measured = false;
    if (s->at == 0) begin_epoch(s, buckets);
    double before = s->moving.updates[0];
    for (; s->at < buckets && !hsp_budget_out(budget); s->at++) {
        int64_t count, upcoming;
        const int64_t *places = bucket_of(set, s->at, &count);
        const int64_t *next = bucket_of(set, s->at + 1 < buckets ? s->at + 1 : s->at, &upcoming);
        load_bucket(s, s->at, count);
        visit(s, places, count, next, upcoming);
        budget->steps += count;
    }
    budget->updates += (int64_t)(s->moving.updates[0] - before);
    return s->at == buckets;
}

/* ---- the pace ---- */

/* The expected gap. An epoch's estimate is about the gap of an epoch ago, or two thirds of it. From the first epoch, before
 * which all multipliers are 0, to the second, estimates fall by more than gaps do. */
static double expected(const hsp_ascent *s, int64_t k) {
    const hsp_ascent_pace *pace = &s->lane[k].pace;
    double least = s->epoch > 2 ? 0 : hsp_ascent_smooth(s) ? LEAST_RATE_SMOOTH : LEAST_RATE;
    double rate = pace->marks > 1 && pace->before > 0 ? fmin(fmax(pace->estimate / pace->before, least), 1) : 1;
    return pace->ratio * pace->estimate * rate;
}

static double estimate(const hsp_ascent *s, int64_t k) {
    const hsp_ascent_moving *m = &s->moving;
    double D = m->value[k] + hsp_ascent_held_terms(s, k);
    double P = s->entropy ? s->lane[k].figures.primal : D + m->share[k];
    return m->share[k] / fabs(P);
}

/* Records a gap, or an estimate of it, if enough epochs have passed since the last. Returns whether it did. */
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

/* The cost of another method from here, in numbers visited, estimated from the size of the program: interior point or
 * Newton's method over few columns (one weighted Gram matrix, a factorisation and some passes a step), Newton's method by
 * conjugate gradients, or the finish from a distant start. */
static double cost_elsewhere(const hsp_ascent *s, int64_t k) {
    enum { STEPS = 15, FAR_STEPS = 100, CG_PASSES = 70, CG_PASSES_WIDE = 120 };
    const hsp_design *D = s->design;
    double n = (double)D->n, d = (double)D->d, stored = (double)D->x->stored;
    double gram = stored * stored / n / (D->x->dense ? 16 : 2) + d * d * d / 15;
    double few = D->d <= HSP_MARGIN_FEW_COLUMNS ? STEPS * (gram + 10 * stored) : INFINITY;
    double by_products = (d > n ? CG_PASSES_WIDE : CG_PASSES) * stored;
    double newton = s->followed ? fmin(few / 2, by_products) : INFINITY;
    if (s->entropy) return newton;
    return fmin(isfinite(few) ? few : hsp_ascent_finish(s, k, FAR_STEPS), hsp_ascent_smooth(s) ? newton : INFINITY);
}

/* At the pace of the later half of the run, reaching the aim (or the gap at which the finish is reliable) would cost more than
 * another method from its start: few columns with a large C, or with very different scales. Two consecutive marks must agree,
 * and in the first epochs by a larger factor. Lanes share the cost of a visit. */
static bool is_hopeless(hsp_ascent *s, int64_t k) {
    hsp_ascent_pace *pace = &s->lane[k].pace;
    double target = fmax(s->aim, HSP_ASCENT_NEAR), work;
    if (s->epoch < (pace->warm ? EARLY_WARM : EARLY)) return false;
    double epochs = hsp_ascent_need(s, k, target, &work);
    bool second = s->followed && hsp_ascent_smooth(s), slow = false;
    double factor = s->epoch >= LATE ? 1 : second ? 2 : 4, far = second ? FAR_OF_NEWTON : FAR;
    if (s->width > 1) work *= WIDE_COST / (double)hsp_ascent_at_work(s);
    if (epochs > factor * far) {
        hsp_ascent_copy_home(s);
        slow = work > factor * cost_elsewhere(s, k);
    }
    pace->slow = slow ? pace->slow + 1 : 0;
    return pace->slow > 1;
}

/* ---- measurements ---- */

static double cost_of_measuring(const hsp_ascent *s) {
    double lanes = s->width > 1 ? (double)hsp_ascent_at_work(s) / WIDE_COST : 1;
    return (double)s->design->x->stored + 30 * lanes * (double)s->set.rows + (double)s->design->d;
}

/* Corrects a lane's estimates and the value of its augmented dual after a measurement. Returns whether it has no estimates:
 * a hard margin. */
static bool correct_estimates(hsp_ascent *s, int64_t k, double primal_before) {
    hsp_ascent_lane *lane = s->lane + k;
    hsp_ascent_moving *m = &s->moving;
    if (s->entropy && lane->figures.primal > 0) { /* the estimates were relative to an older objective */
        double by = primal_before / lane->figures.primal;
        for (int64_t t = 0; t < lane->pace.marks; t++) lane->pace.past[t].gap *= by;
        lane->pace.estimate *= by;
        lane->pace.before *= by;
    }
    double gap = expected(s, k) / lane->pace.ratio;
    if (gap > 0 && isfinite(gap)) lane->pace.ratio = fmin(fmax(lane->figures.gap / gap, s->repair ? LEAST_RATIO : 0.7), 3);
    m->value[k] = lane->figures.dual - hsp_ascent_held_terms(s, k);
    return !isfinite(lane->pace.estimate);
}

/* Measures all lanes; marks in `lost` those whose progress is hopeless. */
static void measure_epoch(hsp_ascent *s, bool *lost) {
    double primal[HSP_LANES];
    bool short_of_aim = false, blind[HSP_LANES] = {false};
    for (int k = 0; k < s->count; k++) primal[k] = s->lane[k].figures.primal;
    hsp_ascent_measure(s);
    s->measuring += cost_of_measuring(s);
    s->moving.until_measured = s->moving.work;
    for (int k = 0; k < s->count; k++) {
        if (!hsp_ascent_live(s, k)) continue;
        blind[k] = correct_estimates(s, k, primal[k]);
        short_of_aim |= !(s->lane[k].figures.gap <= s->aim);
    }
    s->last_measure = s->epoch;
    s->next_measure = s->epoch < 3 ? s->epoch + 1 : s->epoch == 3 ? 5 : s->epoch == 5 ? 8 : s->epoch * 13 / 10;
    if (!s->entropy && short_of_aim) hsp_ascent_take_back(s);
    for (int k = 0; k < s->count; k++)
        if (blind[k] && mark(s, &s->lane[k].pace, s->lane[k].figures.gap) && is_hopeless(s, k)) lost[k] = true;
}

/* Whether to measure: half of the lanes that have not reached the aim may have done so, or some of them some time ago, or the
 * last measurement was long ago. Lanes that have reached it are there for a smaller gap. */
static bool worth_measuring(const hsp_ascent *s) {
    int64_t hopes = 0, open = 0, since = s->epoch - s->last_measure;
    for (int k = 0; s->aim > 0 && k < s->count; k++) {
        if (!hsp_ascent_live(s, k) || (s->repair && s->lane[k].figures.gap <= s->aim)) continue;
        open++;
        hopes += expected(s, k) <= s->aim;
    }
    double pause = s->moving.work - s->moving.until_measured, cost = cost_of_measuring(s);
    if (s->repair && s->last_measure > 0 && pause < (s->entropy ? PAUSE_LEAN : PAUSE_REPAIRED) * cost) return false;
    if (hopes > 0 && (2 * hopes >= open || 5 * since >= s->last_measure)) return true;
    if (s->repair && open == 0 && 4 * since >= s->last_measure) return true;
    return s->epoch >= s->next_measure && s->measuring + cost <= (s->repair ? MEASURING_LEAN : MEASURING) * s->moving.work;
}

/* ---- the method ---- */

/* A free intercept and one class. */
static hsp_step end_one_sided(hsp_ascent *s, int64_t k) {
    for (int64_t place = 0; place < s->set.loaded; place++) hsp_ascent_at(&s->set.all, place, s->width).alpha[k] = 0;
    s->measured = false;
    s->lane[k].figures.gap = 0;
    return s->entropy ? HSP_STEP_ENDLESS : HSP_STEP_DONE;
}

/* Whether many epochs are likely, so that it pays to prepare for them: with few rows or a large gap allowed they are not. */
static bool is_long(const hsp_ascent *s) {
    static const double LARGE = 1e-3;
    return s->design->n >= HSP_ASCENT_SMALL && (s->repair || s->aim < LARGE);
}

/* Successive over-relaxation (Mangasarian and Musicant 1999): where epochs leave much of the gap, longer steps, which still
 * increase the dual, save a third of the epochs or more. Not while the gap rises, as a free intercept can follow them away, nor
 * just before the end, as they raise the estimate of the gap. */
static double step_length(const hsp_ascent *s, int64_t k) {
    enum { STEADY = 10 };
    static const double SLOWER = 0.4, SLOW = 0.85, LONGER = 1.4, LONG = 1.6, NEARLY = 10;
    hsp_ascent_pace *pace = &s->lane[k].pace;
    double left = pace->estimate / pace->before;
    bool rises = left > 1 && pace->rose, nearly = !s->repair && expected(s, k) <= NEARLY * s->aim;
    pace->rose = left > 1;
    if (!is_long(s) || nearly || s->epoch < STEADY || rises || !(left > SLOWER)) return 1;
    return left > SLOW ? LONG : LONGER;
}

/* Moves the value at which r is held towards the intercept; returns how far it was off. The next estimate of one that overshot
 * shows how far to go. */
static double follow_intercept(hsp_ascent *s, int64_t k) {
    static const double OVERSHOT = -0.5;
    hsp_ascent_moving *m = &s->moving;
    double off = hsp_ascent_intercept(s, k) - m->held[k], ratio = m->off[k] != 0 ? off / m->off[k] : 0;
    m->pull[k] = ratio < OVERSHOT ? m->pull[k] / (1 - ratio) : ratio > 0 ? fmin(2 * m->pull[k], 1) : m->pull[k];
    m->held[k] += m->pull[k] * off;
    m->off[k] = off;
    return fabs(off);
}

/* Whether the values still move when they should have settled, in units of the margin. */
static bool is_unsettled(const hsp_ascent *s) {
    enum { SETTLED = 10 };
    static const double MUCH = 0.05;
    bool any = false;
    for (int k = 0; k < s->count; k++) any |= hsp_ascent_live(s, k) && !(fabs(s->moving.off[k]) <= MUCH);
    return s->moving.steered && s->intercept == HSP_INTERCEPT_PENALISED && any && s->epoch >= SETTLED;
}

/* Of smooth losses rows at 0 whose slopes are beyond a quarter of the largest are left out: measurements take back the few that
 * matter. Where the loss has a kink epochs are many, and wait for them. */
static void set_limits(hsp_ascent *s) {
    static const double SHARE = 0.25;
    hsp_ascent_moving *m = &s->moving;
    double share = hsp_ascent_smooth(s) && is_long(s) ? SHARE : 1;
    for (int k = 0; k < s->width; k++) {
        m->high[k] = m->top[k] > 0 ? share * m->top[k] : INFINITY;
        m->low[k] = m->bottom[k] < 0 ? m->bottom[k] : -INFINITY;
    }
}

/* The state of a lane at the end of an epoch. */
typedef struct ending {
    bool failed; /* numbers are not finite */
    bool quiet;  /* slopes are within rounding */
    bool done;   /* those of all rows */
    bool lost;   /* progress is hopeless */
} ending;

/* Moves the intercept and computes the estimate of the gap. */
static ending end_epoch(hsp_ascent *s, int64_t k) {
    hsp_ascent_moving *m = &s->moving;
    hsp_ascent_pace *pace = &s->lane[k].pace;
    ending end = {.quiet = s->entropy ? m->updates[k] == 0 : m->top[k] - m->bottom[k] <= 10 * HSP_ASCENT_ROUNDING};
    double missing = s->moving.steered ? m->rho[k] * (m->r[k] - m->held[k]) : 0;
    pace->before = pace->estimate;
    pace->estimate = estimate(s, k);
    m->over[k] = step_length(s, k);
    m->value[k] += hsp_ascent_held_terms(s, k);
    m->b[k] += missing;
    if (m->steered && s->intercept == HSP_INTERCEPT_PENALISED) missing = fmax(fabs(missing), follow_intercept(s, k));
    m->value[k] -= hsp_ascent_held_terms(s, k);
    end.failed = !isfinite(m->top[k]) || !isfinite(m->bottom[k]) || !isfinite(m->r[k]);
    if (end.failed) return end;
    end.lost = mark(s, pace, pace->estimate) && is_hopeless(s, k);
    end.done = end.quiet && s->set.active == s->set.rows && fabs(missing) <= 10 * HSP_ASCENT_ROUNDING;
    return end;
}

void hsp_ascent_epoch(hsp_ascent *s, hsp_budget *budget, hsp_step *result) {
    ending end[HSP_LANES];
    bool lost[HSP_LANES] = {false}, quiet = false, measure = false, going = false;
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
        measure |= end[k].done || end[k].lost;
    }
    if (!going) return;
    if (is_unsettled(s)) hsp_ascent_let_go(s);
    hsp_ascent_compact(s);
    if (!s->entropy) set_limits(s);
    if (!s->entropy && quiet) hsp_ascent_reactivate(s);
    bool back = !s->entropy && s->epoch % REACTIVATE == 0 && s->set.active < s->set.rows;
    measure = measure || back || worth_measuring(s);
    if (measure) measure_epoch(s, lost);
    for (int k = 0; k < s->count; k++)
        if (hsp_ascent_live(s, k))
            result[k] = !measure      ? HSP_STEP_QUIET
                        : lost[k]     ? HSP_STEP_STALLED
                        : end[k].done ? HSP_STEP_DONE
                                      : HSP_STEP_MORE;
}
