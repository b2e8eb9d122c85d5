/* Measurements of ascent.h: the gap at the present multipliers. */
#include "design/design.h"
#include "design/packed.h"
#include "kernel/kernel.h"
#include "kernel/level.h"
#include "kernel/total.h"
#include "loss/loss.h"
#include "problem/margin_values.h"
#include "problem/problem.h"
#include "solve/dual/ascent.h"
#include "solve/margin/margin.h"

#include <math.h>
#include <string.h>

/* v is recomputed for gaps below this, where its rounding errors would matter, and after this many epochs. */
static const double FINE = 1e-8;
enum { DRIFTED = 50 };

static double lesser_gap(const hsp_ascent_lane *lane) {
    return fmin(lane->figures.gap, lane->pace.estimate);
}

/* ---- multipliers that sum to 0 ---- */

HSP_ASCENT_INLINE void sum_of_width(const hsp_ascent *s, double *sum, int width) {
    hsp_total t[HSP_LANES] = {{0}};
    int count = width == 1 ? 1 : s->count;
    for (int64_t place = 0; place < s->set.loaded; place++) {
        hsp_ascent_item e = hsp_ascent_at(&s->set.all, place, width);
        for (int k = 0; k < count; k++) hsp_total_add(&t[k], e.alpha[k] * e.y[k]);
    }
    for (int k = 0; k < count; k++) sum[k] = hsp_total_of(t[k]);
}

/* sum alpha_i y_i of all lanes. */
static void sum_signed(const hsp_ascent *s, double *sum) {
    HSP_ASCENT_BY_WIDTH(s, sum_of_width, sum);
}

static void set_logit(const hsp_ascent *s, hsp_ascent_item e, int64_t k) {
    if (s->entropy) e.last[k] = e.alpha[k] > 0 ? log(e.alpha[k] / (e.upper[k] - e.alpha[k])) : 0;
}

/* How far a multiplier may move to reduce the excess `r`: down to 0, or up to its bound (without a bound, by its own size).
 * Rows whose duals have a slope above `steep` do not move. */
HSP_ASCENT_INLINE double freedom(const hsp_ascent *s, hsp_ascent_item e, int64_t k, double r, double steep) {
    if (!s->entropy && !(fabs(e.last[k]) <= steep)) return 0;
    double up = e.upper[k] - e.alpha[k];
    return e.y[k] * r > 0 ? e.alpha[k] : s->entropy || up == INFINITY ? fmin(up, e.alpha[k]) : up;
}

/* The rows that absorb the excess of a lane: those before `until`, each by this share of its freedom. */
typedef struct spreading {
    int64_t until;
    double r, share, steep;
} spreading;

/* Small changes of the multipliers of rows on or near the margin cost almost nothing. The excess goes to the rows with the
 * smallest slopes, so many that each moves by a sixteenth of its freedom. False: there are not enough. */
HSP_ASCENT_INLINE bool plan_of_width(const hsp_ascent *s, int64_t k, double r, spreading *out, int width) {
    double all = 0, steep = 1e-4;
    int64_t until = 0;
    for (; all < 2 * fabs(r) && steep < 4; steep *= 4)
        for (all = 0, until = 0; until < s->set.loaded && all < 16 * fabs(r); until++)
            all += freedom(s, hsp_ascent_at(&s->set.all, until, width), k, r, steep);
    *out = (spreading){until, r, fabs(r) / all, steep / 4};
    return !(all < 2 * fabs(r));
}

static bool plan_spreading(const hsp_ascent *s, int64_t k, double r, spreading *out) {
    return HSP_ASCENT_BY_WIDTH(s, plan_of_width, k, r, out);
}

/* For all lanes, in one loop. */
HSP_ASCENT_INLINE void spread_of_width(hsp_ascent *s, const spreading *of, int width) {
    int64_t until = 0;
    int count = width == 1 ? 1 : s->count;
    for (int k = 0; k < count; k++) until = of[k].until > until ? of[k].until : until;
    for (int64_t place = 0; place < until; place++) {
        hsp_ascent_item e = hsp_ascent_at(&s->set.all, place, width);
        double delta[HSP_LANES];
        bool any = false;
        for (int k = 0; k < width; k++) delta[k] = 0;
        for (int k = 0; k < count; k++) {
            double by = place < of[k].until ? of[k].share * freedom(s, e, k, of[k].r, of[k].steep) : 0;
            if (!(by > 0)) continue;
            double to = e.alpha[k] + (e.y[k] * of[k].r > 0 ? -by : by);
            delta[k] = (to - e.alpha[k]) * e.y[k];
            s->moving.vc[k] += delta[k] * *e.cz;
            e.alpha[k] = to;
            set_logit(s, e, k);
            any = true;
        }
        if (any) hsp_ascent_add_row(s, &s->set.all, place, delta);
    }
}

static void spread_excess(hsp_ascent *s, const spreading *of) {
    HSP_ASCENT_BY_WIDTH(s, spread_of_width, of);
}

/* Otherwise the multipliers of the class with the larger sum are scaled down. */
static void scale_down(hsp_ascent *s, int64_t k, double r) {
    hsp_total sum = {0};
    double heavier = r > 0 ? 1 : -1;
    for (int64_t place = 0; place < s->set.loaded; place++) {
        hsp_ascent_item e = hsp_ascent_at(&s->set.all, place, s->width);
        if (e.y[k] == heavier) hsp_total_add(&sum, e.alpha[k]);
    }
    double factor = 1 - fabs(r) / hsp_total_of(sum);
    for (int64_t place = 0; place < s->set.loaded; place++) {
        hsp_ascent_item e = hsp_ascent_at(&s->set.all, place, s->width);
        if (e.y[k] != heavier || e.alpha[k] == 0) continue;
        e.alpha[k] *= factor > 0 ? factor : 0;
        set_logit(s, e, k);
    }
}

static void balance_lanes(hsp_ascent *s) {
    const double *first = hsp_ascent_at(&s->set.all, 0, s->width).upper; /* of rows that lanes may have in common */
    for (int round = 0; round < 3; round++) {
        spreading plan[HSP_LANES] = {{0}};
        bool open = false, scaled = false;
        double sum[HSP_LANES];
        sum_signed(s, sum);
        for (int k = 0; k < s->count; k++) {
            if (!hsp_ascent_live(s, k)) continue;
            double r = s->moving.r[k] = sum[k];
            if (r == 0 || (round > 0 && fabs(r) <= 0x1p-50 * first[k])) continue;
            open = true;
            if (plan_spreading(s, k, r, plan + k)) continue;
            plan[k].until = 0;
            scale_down(s, k, r);
            scaled = true;
        }
        if (!open) return;
        spread_excess(s, plan);
        if (scaled) hsp_ascent_recompute(s);
    }
    sum_signed(s, s->moving.r);
}

/* ---- values ---- */

double hsp_ascent_intercept(const hsp_ascent *s, int64_t k) {
    const hsp_ascent_moving *m = &s->moving;
    if (!s->moving.steered) return m->rho[k] * m->r[k];
    return m->b[k] - m->vc[k] + (s->intercept == HSP_INTERCEPT_PENALISED ? (m->r[k] - m->held[k]) * s->cc : 0);
}

double hsp_ascent_held_terms(const hsp_ascent *s, int64_t k) {
    const hsp_ascent_moving *m = &s->moving;
    double r = m->r[k] - m->held[k], terms = r * (m->b[k] + m->rho[k] * r / 2);
    if (!s->moving.steered) return 0;
    return s->intercept == HSP_INTERCEPT_FREE ? terms : terms - r * (m->vc[k] - r * s->cc / 2) - m->r[k] * m->r[k] / 2;
}

HSP_ASCENT_INLINE double dual_of_width(const hsp_ascent *s, int64_t k, int width) {
    hsp_total D = {0};
    const double *w = s->lane[k].figures.w;
    for (int64_t place = 0; place < s->set.loaded; place++) {
        hsp_ascent_item e = hsp_ascent_at(&s->set.all, place, width);
        if (e.alpha[k] == 0) continue;
        if (s->entropy)
            hsp_dual_add_entropy(&D, e.alpha[k], e.upper[k]);
        else
            hsp_dual_add_box(&D, e.alpha[k], e.ridge[k]);
    }
    hsp_total_add(&D, -hsp_dot_f64(w, w, s->design->d) / 2);
    if (s->intercept == HSP_INTERCEPT_PENALISED) hsp_total_add(&D, -s->moving.r[k] * s->moving.r[k] / 2);
    return hsp_total_of(D);
}

static double dual_value(const hsp_ascent *s, int64_t k) {
    return HSP_ASCENT_BY_WIDTH(s, dual_of_width, k);
}

/* The objective with this intercept. */
static double primal_at(hsp_ascent_lane *lane, double b) {
    hsp_problem *p = lane->m->problem;
    hsp_ascent_figures *figures = &lane->figures;
    figures->best_b = b;
    if (!p) return hsp_margin_primal(lane->m, figures->w, figures->scores, b);
    for (int64_t i = 0; i < p->design->n; i++) p->scores[i] = figures->scores[i] + b;
    figures->at = hsp_problem_evaluate_scores(p, figures->w, p->design->d, &b);
    return figures->at.objective;
}

/* Slope and curvature of the objective in b, of a loss that has both. */
static double slope_in_b(const hsp_ascent_lane *lane, double b, double *curve) {
    enum { BLOCK = 256 };
    const hsp_margin *m = lane->m;
    const hsp_loss *loss = lane->m->problem->loss;
    double g[BLOCK], slope[BLOCK], bent[BLOCK], sum = m->intercept == HSP_INTERCEPT_PENALISED ? b : 0;
    *curve = m->intercept == HSP_INTERCEPT_PENALISED ? 1 : 0;
    for (int64_t begin = 0; begin < m->design->n; begin += BLOCK) {
        int64_t count = m->design->n - begin < BLOCK ? m->design->n - begin : BLOCK;
        for (int64_t k = 0; k < count; k++) g[k] = lane->figures.scores[begin + k] + b;
        loss->second(loss, m->y + begin, g, count, NULL, slope, bent);
        for (int64_t k = 0; k < count; k++) {
            double u = m->upper[begin + k], q = m->ridge ? m->ridge[begin + k] : 0;
            double weight = u == 0 ? 0 : q > 0 ? loss->dual_ridge / q : u / loss->dual_high;
            sum += u == 0 ? 0 : weight * slope[k];
            *curve += u == 0 ? 0 : weight * bent[k];
        }
    }
    return sum;
}

/* Newton's method from the intercept of the augmented Lagrangian until a better one would hardly reduce the gap. */
static double primal_smooth(hsp_ascent_lane *lane, double b) {
    double P = primal_at(lane, b), curve;
    if (lane->m->intercept == HSP_INTERCEPT_NONE) return P;
    for (int k = 0; k < 8; k++) {
        double slope = slope_in_b(lane, b, &curve), step = curve > 0 ? slope / curve : 0;
        if (!(fabs(slope * step) / 2 > 0.01 * (P - lane->figures.dual)) || !(fabs(slope * step) > 1e-15 * fabs(P))) break;
        double Q = primal_at(lane, b - step);
        if (!(Q < P)) return primal_at(lane, b);
        b -= step;
        P = Q;
    }
    return P;
}

/* ---- points ---- */

/* w of each lane. */
static void take_weights(hsp_ascent *s) {
    const hsp_design *D = s->design;
    for (int k = 0; k < s->count; k++) {
        double *w = s->lane[k].figures.w;
        if (w == s->v) continue;
        for (int64_t j = 0; j < D->d; j++) w[j] = s->v[j * s->width + k];
        if (D->p) hsp_axpy_f64(-s->moving.r[k], D->p, w, D->d);
    }
}

/* X w of each lane, in one pass over the rows: w.(z_i - p) = v.z_i - r p.z_i - p.w. */
static void take_scores(hsp_ascent *s) {
    const hsp_design *D = s->design;
    const hsp_packed *x = s->set.all.x;
    if (s->width == 1) {
        hsp_design_scores(D, s->lane[0].figures.w, 0, s->lane[0].figures.scores);
        return;
    }
    double shift[HSP_LANES] = {0};
    for (int k = 0; D->p && k < s->count; k++) shift[k] = hsp_dot_f64(D->p, s->lane[k].figures.w, D->d);
    hsp_gather *gather = hsp_level_now()->gather[hsp_ascent_form(x)];
    for (int64_t place = 0; place < s->set.rows; place++) {
        hsp_packed_row row = hsp_packed_at(x, place);
        int64_t i = x->origin[place];
        double g[HSP_LANES];
        for (int k = 0; k < HSP_LANES; k++) g[k] = D->p ? -s->moving.r[k] * D->pz[i] - shift[k] : 0;
        if (row.count > 0) gather(row.count, row.id, row.value, D->x->table, s->v, HSP_LANES, g);
        for (int k = 0; k < s->count; k++) s->lane[k].figures.scores[i] = g[k];
    }
}

static void measure_lane(hsp_ascent *s, int64_t k) {
    const hsp_design *D = s->design;
    hsp_ascent_lane *lane = s->lane + k;
    hsp_ascent_figures *figures = &lane->figures;
    double shift = D->p ? hsp_dot_f64(D->p, figures->w, D->d) : 0;
    figures->dual = dual_value(s, k);
    figures->own_b = hsp_ascent_intercept(s, k) + (s->moving.steered ? shift : 0);
    bool smooth = s->entropy || (lane->m->problem && lane->m->ridge && lesser_gap(lane) > FINE);
    if (smooth)
        figures->primal = primal_smooth(lane, figures->own_b);
    else
        figures->primal = primal_at(lane, hsp_margin_best_intercept(lane->m, figures->scores, s->scratch));
    figures->gap = hsp_margin_gap(figures->primal, figures->dual);
}

void hsp_ascent_measure(hsp_ascent *s) {
    bool recompute = s->epoch - s->recomputed >= DRIFTED;
    if (s->measured) return;
    hsp_ascent_load(s, s->set.rows);
    hsp_ascent_copy_home(s);
    for (int k = 0; k < s->count; k++) recompute |= hsp_ascent_live(s, k) && lesser_gap(s->lane + k) <= FINE;
    if (recompute) hsp_ascent_recompute(s);
    if (s->intercept == HSP_INTERCEPT_FREE) balance_lanes(s);
    if (s->repair) {
        hsp_ascent_measure_lean(s);
    } else {
        take_weights(s);
        take_scores(s);
        for (int k = 0; k < s->count; k++)
            if (hsp_ascent_live(s, k)) measure_lane(s, k);
    }
    hsp_ascent_copy_out(s);
    s->measured = true;
}

void hsp_ascent_alpha(const hsp_ascent *s, int64_t k, double *alpha) {
    memset(alpha, 0, (size_t)s->design->n * sizeof *alpha);
    for (int64_t place = 0; place < s->set.loaded; place++)
        alpha[s->set.all.x->origin[place]] = hsp_ascent_at(&s->set.all, place, s->width).alpha[k];
}

void hsp_ascent_export(hsp_ascent *s, int64_t k, hsp_margin_point *out) {
    hsp_ascent_measure(s);
    out->b = s->lane[k].figures.best_b;
    memcpy(out->w, s->lane[k].figures.w, (size_t)s->design->d * sizeof *out->w);
    hsp_ascent_alpha(s, k, out->alpha);
}

void hsp_ascent_peek(const hsp_ascent *s, double *w, double *b) {
    const hsp_ascent_moving *m = &s->moving;
    const double *p = s->design->p;
    double r = m->r[0] - m->held[0];
    *b = m->b[0] + r * (m->rho[0] + s->cc) - m->vc[0];
    for (int64_t j = 0; j < s->design->d; j++) {
        w[j] = s->v[j] - (s->c ? r * s->c[j] : 0);
        if (p) *b += w[j] * p[j];
    }
}
