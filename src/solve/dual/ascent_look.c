/* Looks of ascent.h: the gap at the present multipliers. */
#include "design/design.h"
#include "design/packed.h"
#include "kernel/kernel.h"
#include "kernel/total.h"
#include "loss/loss.h"
#include "problem/problem.h"
#include "solve/dual/ascent.h"
#include "solve/margin/margin.h"

#include <math.h>
#include <string.h>

/* v is made anew for gaps below this, in which its drift would show, and after so many epochs. */
static const double FINE = 1e-8;
enum { DRIFTED = 50 };

/* ---- multipliers that sum to 0 ---- */

static double missing(const hsp_ascent *s) {
    hsp_total t = {0};
    for (int64_t place = 0; place < s->loaded; place++) hsp_total_add(&t, s->all.item[place].alpha * s->all.item[place].y);
    return hsp_total_of(t);
}

static void move(hsp_ascent *s, int64_t place, double to) {
    hsp_ascent_item *e = s->all.item + place;
    double by = (to - e->alpha) * e->y;
    hsp_packed_axpy(s->all.x, by, hsp_packed_at(s->all.x, place), s->v);
    s->vc += by * e->cz;
    e->alpha = to;
    if (s->logistic) e->last = to > 0 ? log(to / (e->upper - to)) : 0;
}

/* How far a multiplier may move against the excess `r`: down, or up by as much as it is where nothing bounds it. Rows whose
 * duals slope by more than `steep` do not move. */
static double room(const hsp_ascent *s, const hsp_ascent_item *e, double r, double steep) {
    if (!s->logistic && !(fabs(e->last) <= steep)) return 0;
    double up = e->upper - e->alpha;
    return e->y * r > 0 ? e->alpha : s->logistic || up == INFINITY ? fmin(up, e->alpha) : up;
}

/* Rows on the margin lose nothing by a small change of their multipliers, and those near it little: the flattest of them,
 * so many as move by a sixteenth of the room that they have, take the excess. false: there are not enough. */
static bool spread(hsp_ascent *s, double r) {
    double all = 0, steep = 1e-4;
    int64_t until = 0;
    for (; all < 2 * fabs(r) && steep < 4; steep *= 4)
        for (all = 0, until = 0; until < s->loaded && all < 16 * fabs(r); until++)
            all += room(s, s->all.item + until, r, steep);
    if (all < 2 * fabs(r)) return false;
    double share = fabs(r) / all;
    for (int64_t place = 0; place < until; place++) {
        hsp_ascent_item *e = s->all.item + place;
        double by = share * room(s, e, r, steep / 4);
        if (by > 0) move(s, place, e->alpha + (e->y * r > 0 ? -by : by));
    }
    return true;
}

/* Else the multipliers of the heavier class are scaled down. */
static void scale_down(hsp_ascent *s, double r) {
    hsp_total sum = {0};
    double heavier = r > 0 ? 1 : -1;
    for (int64_t place = 0; place < s->loaded; place++)
        if (s->all.item[place].y == heavier) hsp_total_add(&sum, s->all.item[place].alpha);
    double factor = 1 - fabs(r) / hsp_total_of(sum);
    for (int64_t place = 0; place < s->loaded; place++) {
        hsp_ascent_item *e = s->all.item + place;
        if (e->y != heavier || e->alpha == 0) continue;
        e->alpha *= factor > 0 ? factor : 0;
        if (s->logistic && e->alpha > 0) e->last = log(e->alpha / (e->upper - e->alpha));
    }
    hsp_ascent_recompute(s);
}

static void balance(hsp_ascent *s) {
    for (int round = 0; round < 3; round++) {
        double r = missing(s);
        s->r = r;
        if (r == 0 || (round > 0 && fabs(r) <= 0x1p-50 * s->all.item[0].upper)) break;
        if (!spread(s, r)) scale_down(s, r);
    }
    s->r = missing(s);
}

/* ---- values ---- */

static double dual_value(const hsp_ascent *s) {
    hsp_total D = {0};
    int64_t n = 0;
    for (int64_t place = 0; place < s->loaded; place++) {
        const hsp_ascent_item *e = s->all.item + place;
        if (e->alpha == 0) continue;
        if (s->logistic) {
            double a = e->alpha / e->upper;
            hsp_total_add(&D, -e->upper * (a * log(a) + (1 - a) * log1p(-a)));
        } else {
            hsp_total_add(&D, e->alpha);
            if (e->ridge > 0) hsp_total_add(&D, -e->ridge * e->alpha * e->alpha / 2);
        }
        n++;
    }
    hsp_total_add(&D, -hsp_dot_f64(s->w, s->w, s->m->design->d) / 2);
    if (s->m->intercept == HSP_INTERCEPT_PENALISED) hsp_total_add(&D, -s->r * s->r / 2);
    return hsp_total_of(D);
}

/* The objective with this intercept. */
static double primal_at(hsp_ascent *s, double b) {
    hsp_problem *p = s->p;
    s->best_b = b;
    if (!p) return hsp_margin_primal(s->m, s->w, s->scores, b);
    for (int64_t i = 0; i < p->design->n; i++) p->scores[i] = s->scores[i] + b;
    s->figure = hsp_problem_evaluate_scores(p, s->w, &b);
    return s->figure.objective;
}

/* Slope and curvature of the objective in b: the logistic loss, or rows that all have a ridge. */
static double slope_in_b(const hsp_ascent *s, double b, double *curve) {
    enum { BLOCK = 256 };
    const hsp_margin *m = s->m;
    double g[BLOCK], slope[BLOCK], bent[BLOCK], sum = m->intercept == HSP_INTERCEPT_PENALISED ? b : 0;
    *curve = m->intercept == HSP_INTERCEPT_PENALISED ? 1 : 0;
    for (int64_t begin = 0; begin < m->design->n; begin += BLOCK) {
        int64_t count = m->design->n - begin < BLOCK ? m->design->n - begin : BLOCK;
        const hsp_loss *loss = s->logistic ? &hsp_loss_logistic : &hsp_loss_squared_hinge;
        for (int64_t k = 0; k < count; k++) g[k] = s->scores[begin + k] + b;
        loss->second(m->y + begin, g, count, NULL, slope, bent);
        for (int64_t k = 0; k < count; k++) {
            double q = m->ridge ? m->ridge[begin + k] : 0, weight = q > 0 ? 1 / (2 * q) : m->upper[begin + k];
            sum += m->upper[begin + k] == 0 ? 0 : weight * slope[k];
            *curve += m->upper[begin + k] == 0 ? 0 : weight * bent[k];
        }
    }
    return sum;
}

/* Newton's method from the intercept of the augmented Lagrangian until little of the gap is left to gain by it. */
static double primal_smooth(hsp_ascent *s, double b) {
    double P = primal_at(s, b), curve;
    if (s->m->intercept == HSP_INTERCEPT_NONE) return P;
    for (int k = 0; k < 8; k++) {
        double slope = slope_in_b(s, b, &curve), step = curve > 0 ? slope / curve : 0;
        if (!(fabs(slope * step) / 2 > 0.01 * (P - s->dual)) || !(fabs(slope * step) > 1e-15 * fabs(P))) break;
        double Q = primal_at(s, b - step);
        if (!(Q < P)) return primal_at(s, b);
        b -= step;
        P = Q;
    }
    return P;
}

/* With a problem of its own the program has but one loss. */
static bool smooth(const hsp_ascent *s) {
    return s->logistic || (s->p && s->m->ridge && fmin(s->gap, s->estimate) > FINE);
}

/* ---- the look ---- */

static double relative_gap(double P, double D) {
    if (P == D) return 0;
    double gap = isfinite(P) && isfinite(D) && P != 0 ? (P - D) / fabs(P) : INFINITY;
    return gap >= -1e-9 ? fmax(gap, 0) : INFINITY; /* below 0 by a hair is rounding */
}

void hsp_ascent_measure(hsp_ascent *s) {
    const hsp_design *D = s->m->design;
    if (s->measured) return;
    hsp_ascent_load(s, s->rows);
    hsp_ascent_settle(s);
    if (s->epoch - s->recomputed >= DRIFTED || fmin(s->gap, s->estimate) <= FINE) hsp_ascent_recompute(s);
    if (s->m->intercept == HSP_INTERCEPT_FREE) balance(s);
    if (s->w != s->v) {
        memcpy(s->w, s->v, (size_t)D->d * sizeof *s->w);
        hsp_axpy_f64(-s->r, D->p, s->w, D->d);
    }
    double shift = D->p ? hsp_dot_f64(D->p, s->w, D->d) : 0;
    s->dual = dual_value(s);
    hsp_design_scores(D, s->w, 0, s->scores);
    s->own_b = s->m->intercept == HSP_INTERCEPT_FREE ? s->b - s->vc + shift : s->rho * s->r;
    if (smooth(s))
        s->primal = primal_smooth(s, s->own_b);
    else
        s->primal = primal_at(s, hsp_margin_best_intercept(s->m, s->scores, s->scratch));
    s->gap = relative_gap(s->primal, s->dual);
    if (s->now == &s->part)
        for (int64_t k = 0; k < s->part.x->rows; k++) {
            s->part.item[k].alpha = s->all.item[s->part.home[k]].alpha;
            s->part.item[k].last = s->all.item[s->part.home[k]].last;
        }
    s->measured = true;
}

void hsp_ascent_alpha(const hsp_ascent *s, double *alpha) {
    memset(alpha, 0, (size_t)s->m->design->n * sizeof *alpha);
    for (int64_t place = 0; place < s->loaded; place++) alpha[s->all.x->origin[place]] = s->all.item[place].alpha;
}

void hsp_ascent_peek(const hsp_ascent *s, double *w, double *b) {
    const double *p = s->m->design->p;
    *b = s->b + s->r * (s->rho + s->cc) - s->vc;
    for (int64_t j = 0; j < s->m->design->d; j++) {
        w[j] = s->v[j] - (s->c ? s->r * s->c[j] : 0);
        if (p) *b += w[j] * p[j];
    }
}
