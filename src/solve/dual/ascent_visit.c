/* Visits of ascent.h to the rows of one problem: one loop for each shape of the dual. */
#include "design/packed.h"
#include "solve/dual/ascent.h"

#include <math.h>

/* The overhead of a visit, in numbers visited. */
enum { OVERHEAD_BOX = 30, OVERHEAD_ENTROPY = 100 };

static inline void prefetch(const hsp_ascent_rows *R, int64_t place) {
    __builtin_prefetch(hsp_ascent_at(R, place, 1).alpha);
    hsp_packed_prefetch(R->x, place);
}

/* What changes with each visit, kept in registers while a bucket is visited. */
typedef struct cached {
    double r, vc, offset; /* r: less the value at which it is held; offset: the part of the scores that all rows share */
    double top, bottom, share, value, work, updates;
} cached;

static inline double offset(const hsp_ascent *s, double r, double vc) {
    return s->moving.b[0] + r * (s->moving.rho[0] + s->cc) - vc;
}

static inline cached load_cached(const hsp_ascent *s) {
    const hsp_ascent_moving *m = &s->moving;
    double r = m->r[0] - m->held[0];
    return (cached){.r = r,
                    .vc = m->vc[0],
                    .offset = offset(s, r, m->vc[0]),
                    .top = m->top[0],
                    .bottom = m->bottom[0],
                    .share = m->share[0],
                    .value = m->value[0],
                    .work = m->work,
                    .updates = m->updates[0]};
}

static inline void store_cached(hsp_ascent *s, const cached *m) {
    s->moving.r[0] = m->r + s->moving.held[0];
    s->moving.vc[0] = m->vc;
    s->moving.top[0] = m->top;
    s->moving.bottom[0] = m->bottom;
    s->moving.share[0] = m->share;
    s->moving.value[0] = m->value;
    s->moving.work = m->work;
    s->moving.updates[0] = m->updates;
}

/* Comparisons, since fmax and fmin are calls, which empty the registers. A NaN leaves `a`, as they do. */
static inline double greater_of(double a, double b) {
    return b > a ? b : a;
}

static inline double lesser_of(double a, double b) {
    return b < a ? b : a;
}

static inline void change_multiplier(const hsp_ascent *s, cached *m, hsp_packed_row row, const hsp_ascent_item *e,
                                     double by) {
    by *= *e->y;
    hsp_packed_axpy(s->set.now->x, by, row, s->v);
    m->r += by;
    m->vc += by * *e->cz;
    m->offset = offset(s, m->r, m->vc);
    m->updates++;
}

/* Returns the item at a place, with its row and its margin. */
static inline hsp_ascent_item score_row(const hsp_ascent *s, cached *m, int64_t place, int overhead, hsp_packed_row *row,
                                        double *margin) {
    const hsp_ascent_rows *R = s->set.now;
    hsp_ascent_item e = hsp_ascent_at(R, place, 1);
    *row = hsp_packed_at(R->x, place);
    *margin = *e.y * (hsp_packed_dot(R->x, *row, s->v) + (m->offset - m->r * *e.cz));
    m->work += (double)(row->count + overhead);
    return e;
}

double hsp_ascent_score(const hsp_ascent *s, int64_t place) {
    cached m = load_cached(s);
    hsp_packed_row row;
    double margin;
    hsp_ascent_item e = score_row(s, &m, place, 0, &row, &margin);
    return *e.y * margin;
}

/* A row's share of the gap, psi(1 - z) + a (z - 1) + q a^2 / 2, where its dual has the slope z - 1 + q a. */
static inline double share_of_box(double q, double u, double a, double slope) {
    double s = q * a - slope;
    if (q == 0) return s > 0 ? (u - a) * s : -a * s;
    if (s >= q * u) return (u - a) * (s - q * (u + a) / 2);
    return s > 0 ? slope * slope / (2 * q) : a * (q * a / 2 - s);
}

void hsp_ascent_visit_box(hsp_ascent *s, const int64_t *place, int64_t count, const int64_t *next, int64_t upcoming) {
    cached m = load_cached(s);
    double over = s->moving.over[0], rho = s->moving.rho[0], high = s->moving.high[0], low = s->moving.low[0];
    for (int64_t k = 0; k < count; k++) {
        hsp_packed_row row;
        double z;
        if (k < upcoming) prefetch(s->set.now, next[k]);
        hsp_ascent_item e = score_row(s, &m, place[k], OVERHEAD_BOX, &row, &z);
        double a = *e.alpha, u = *e.upper, q = *e.ridge, slope = z - 1 + q * a, curve = *e.norm + rho + q;
        *e.last = slope;
        if ((a == 0 && slope >= 0) || (a == u && slope <= 0)) {
            *e.out = a == 0 ? slope > high : slope < low;
            continue;
        }
        m.top = greater_of(m.top, slope);
        m.bottom = lesser_of(m.bottom, slope);
        if (fabs(slope) <= HSP_ASCENT_ROUNDING) continue;
        m.share += share_of_box(q, u, a, slope);
        /* Without curvature (a row of zeros): the better bound. */
        double to = curve > 0 ? a - over * slope / curve : slope < 0 ? u : 0;
        to = to < HSP_ASCENT_LEAST ? 0 : to > u ? u : to;
        if (to == a || to == INFINITY) continue;
        *e.alpha = to;
        m.value -= (to - a) * (slope + curve * (to - a) / 2);
        change_multiplier(s, &m, row, &e, to - a);
    }
    store_cached(s, &m);
}

/* ---- entropy ---- */

static inline double sigma_of(double t) {
    double e = exp(-fabs(t));
    return t < 0 ? e / (1 + e) : 1 / (1 + e);
}

/* The logit of the best multiplier for a row with margin z at the multiplier a, which is the zero t of
 *
 *     t + z + q (u sigma(t) - a)
 *
 * By symmetry the zero may be assumed below 0, where the function is convex: Newton's method decreases to it from above, and
 * is above it after one step from below. It starts at `t` with the given *sigma, which becomes that of the result, and ends
 * where the residual has fallen to the share ENOUGH, or after MOST steps: the next visit continues. */
static inline double best_logit(double t, double z, double q, double u, double a, double *sigma) {
    enum { MOST = 8 };
    static const double ENOUGH = 0.1;
    bool flip = z + q * (u / 2 - a) < 0;
    double side = flip ? -1 : 1, qu = q * u, p = *sigma;
    z *= side;
    t *= side;
    if (flip) {
        a = u - a;
        p = 1 - p;
    }
    if (t > 0) {
        t = 0;
        p = 0.5;
    }
    double shift = z - q * a, f = t + shift + qu * p, enough = ENOUGH * fabs(f), e = 0;
    bool moved = false;
    for (int k = 0; k < MOST && fabs(f) > 1e-15 * (fabs(t) + fabs(z)) && !(moved && fabs(f) <= enough); k++) {
        t = lesser_of(0, t - f / (1 + qu * p * (1 - p)));
        e = exp(t);
        p = e / (1 + e);
        f = t + shift + qu * p;
        moved = true;
    }
    *sigma = !flip ? p : moved ? 1 / (1 + e) : 1 - p;
    return side * t;
}

void hsp_ascent_visit_entropy(hsp_ascent *s, const int64_t *place, int64_t count, const int64_t *next, int64_t upcoming) {
    cached m = load_cached(s);
    double rho = s->moving.rho[0];
    for (int64_t k = 0; k < count; k++) {
        hsp_packed_row row;
        double z;
        if (k < upcoming) prefetch(s->set.now, next[k]);
        hsp_ascent_item e = score_row(s, &m, place[k], OVERHEAD_ENTROPY, &row, &z);
        double a = *e.alpha, u = *e.upper, own = *e.ridge;
        z += own * a;
        double t = a > 0 ? *e.last : -fabs(z), slope = t + z;
        if (a > 0 && fabs(slope) <= HSP_ASCENT_ROUNDING * (1 + fabs(z))) continue;
        double sigma = a > 0 ? a / u : sigma_of(t);
        t = best_logit(t, z, *e.norm + rho + own, u, a, &sigma);
        double to = u * sigma;
        if (to < HSP_ASCENT_LEAST) to = 0;
        if (to == a) continue;
        m.top = greater_of(m.top, fabs(to - a));
        /* The share is slope^2 / 2 times the curvature of h somewhere between; for a row without a multiplier, its bound. */
        m.share += a > 0 ? slope * slope / 2 * greater_of(a * (1 - a / u), to * (1 - sigma)) : u;
        *e.last = t;
        *e.alpha = to;
        change_multiplier(s, &m, row, &e, to - a);
    }
    store_cached(s, &m);
}
