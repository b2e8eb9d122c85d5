/* See margin_values.h. The best intercept for given weights is the zero of a derivative that increases with b. For the hinge
 * the derivative is a step function, and its zero a weighted order statistic, found by selection. For the squared hinge it is
 * piecewise linear: Newton's method between brackets ends at the exact zero of one piece. Row i has its kink at
 * t_i = y_i - score_i: positive rows pull b up to there, negative ones pull it down to there. */
#include "problem/margin_values.h"

#include "kernel/kernel.h"
#include "problem/multipliers.h"

#include <float.h>

static inline double ridge_of(const hsp_margin *m, int64_t i) {
    return m->ridge ? m->ridge[i] : 0;
}

static inline bool hard(const hsp_margin *m, int64_t i) {
    return m->upper[i] == INFINITY && ridge_of(m, i) == 0;
}

/* ---- values ---- */

hsp_margin hsp_margin_of(const hsp_problem *p, double *upper, double *ridge) {
    for (int64_t i = 0; i < p->design->n; i++) {
        double k = hsp_row_weight(p, i), q = p->loss->dual_ridge / k;
        bool counts = k > 0 && (!ridge || isfinite(q)); /* a weight so small that 1 / k overflows counts as 0 */
        upper[i] = counts ? p->loss->dual_high * k : 0;
        if (ridge) ridge[i] = counts ? q : 0;
    }
    return (hsp_margin){.design = p->design, .y = p->y, .upper = upper, .ridge = ridge, .intercept = p->intercept};
}

/* Rows summed at a time: plain sums of branch-free terms within a chunk, compensated sums across chunks. */
enum { CHUNK = 512 };

static int64_t chunk_from(int64_t at, int64_t n) {
    return n - at < CHUNK ? n - at : CHUNK;
}

double hsp_margin_combine(const hsp_margin *m, const double *alpha, double *scratch, double *w) {
    int64_t n = m->design->n;
    hsp_total t = {0};
    for (int64_t i = 0; i < n; i++) {
        scratch[i] = alpha[i] * m->y[i];
        hsp_total_add(&t, scratch[i]);
    }
    hsp_design_adjoint(m->design, scratch, w);
    return hsp_total_of(t);
}

/* The losses of a chunk of rows with a ridge; *least becomes the least margin of the hard rows. */
static void losses_with_ridge(const hsp_margin *m, int64_t at, int64_t count, const double *s, double *loss,
                              double *least) {
    for (int64_t k = 0; k < count; k++) {
        double u = m->upper[at + k], q = m->ridge[at + k];
        loss[k] = 0;
        if (u == 0 || s[k] <= 0) continue;
        if (u == INFINITY && q == 0) {
            *least = fmin(*least, 1 - s[k]);
        } else {
            double a = q > 0 ? fmin(s[k] / q, u) : u;
            loss[k] = a * (s[k] - q * a / 2);
        }
    }
}

static void losses(const hsp_margin *m, int64_t at, int64_t count, const double *s, double *loss, double *least) {
    const double *u = m->upper + at;
    bool hard_ones = false;
    for (int64_t k = 0; k < count; k++) {
        double bound = u[k] < INFINITY ? u[k] : 0;
        loss[k] = bound * (s[k] > 0 ? s[k] : 0);
        hard_ones |= !(u[k] < INFINITY);
    }
    for (int64_t k = 0; hard_ones && k < count; k++)
        if (u[k] == INFINITY && s[k] > 0) *least = fmin(*least, 1 - s[k]);
}

double hsp_margin_primal(const hsp_margin *m, const double *w, const double *scores, double b) {
    int64_t n = m->design->n, d = m->design->d;
    double least = 1; /* margin of the hard rows */
    hsp_total loss = {0};
    for (int64_t at = 0; at < n; at += CHUNK) {
        double s[CHUNK], each[CHUNK];
        int64_t count = chunk_from(at, n);
        for (int64_t k = 0; k < count; k++) s[k] = 1 - m->y[at + k] * (scores[at + k] + b);
        (m->ridge ? losses_with_ridge : losses)(m, at, count, s, each, &least);
        hsp_total_add(&loss, hsp_sum_f64(each, count));
    }
    double norm = hsp_dot_f64(w, w, d) + (m->intercept == HSP_INTERCEPT_PENALISED ? b * b : 0);
    if (!(least > 0)) return INFINITY;
    return norm / 2 / least / least + hsp_total_of(loss);
}

double hsp_margin_dual_value(const hsp_margin *m, const double *alpha, const double *w, double t) {
    int64_t n = m->design->n;
    hsp_total D = {0};
    for (int64_t at = 0; at < n; at += CHUNK) {
        int64_t count = chunk_from(at, n);
        double squares[CHUNK];
        hsp_total_add(&D, hsp_sum_f64(alpha + at, count));
        if (!m->ridge) continue;
        for (int64_t k = 0; k < count; k++) { /* a row that does not count may have an infinite ridge */
            double a = alpha[at + k], q = a == 0 ? 0 : m->ridge[at + k];
            squares[k] = q * a * a;
        }
        hsp_total_add(&D, -hsp_sum_f64(squares, count) / 2);
    }
    hsp_total_add(&D, -hsp_dot_f64(w, w, m->design->d) / 2);
    if (m->intercept == HSP_INTERCEPT_PENALISED) hsp_total_add(&D, -t * t / 2);
    return hsp_total_of(D);
}

void hsp_margin_balance(const hsp_margin *m, double *alpha) {
    if (m->intercept != HSP_INTERCEPT_FREE) return;
    int64_t n = m->design->n;
    hsp_total plus = {0}, minus = {0};
    for (int64_t i = 0; i < n; i++) hsp_total_add(m->y[i] > 0 ? &plus : &minus, alpha[i]);
    double up, down;
    hsp_margin_factors(hsp_total_of(plus), hsp_total_of(minus), &up, &down);
    for (int64_t i = 0; i < n; i++) alpha[i] *= m->y[i] > 0 ? up : down;
}

double hsp_margin_gap(double P, double D) {
    if (P == D) return 0;
    double gap = isfinite(P) && isfinite(D) && P != 0 ? (P - D) / fabs(P) : INFINITY;
    return gap >= -1e-9 ? fmax(gap, 0) : INFINITY;
}

double hsp_margin_distance(double P, double D) {
    return isfinite(P) && isfinite(D) ? fabs(P - D) / fmax(fabs(P), DBL_MIN) : INFINITY;
}

/* ---- the best intercept ---- */

/* The kinks of all rows; those of the hard rows bound the intercept. */
typedef struct kinks {
    int64_t soft, hinges; /* rows that count and are not hard; those of them without a ridge */
    double plus, minus;   /* largest kink of the positive rows, smallest of the negative */
    double low, high;     /* the same of the hard rows */
    double first, last;   /* smallest and largest of all */
    double heaviest;      /* largest finite upper bound */
} kinks;

static kinks find_kinks(const hsp_margin *m, const double *scores) {
    kinks e = {.plus = -INFINITY, .minus = INFINITY, .low = -INFINITY, .high = INFINITY};
    e.first = INFINITY, e.last = -INFINITY;
    for (int64_t i = 0; i < m->design->n; i++) {
        double u = m->upper[i], t = m->y[i] - scores[i];
        if (u == 0) continue;
        if (isnan(t)) e.first = e.last = NAN;
        e.first = t < e.first ? t : e.first;
        e.last = t > e.last ? t : e.last;
        bool up = m->y[i] > 0, must = hard(m, i);
        e.plus = up && t > e.plus ? t : e.plus;
        e.minus = !up && t < e.minus ? t : e.minus;
        e.low = must && up && t > e.low ? t : e.low;
        e.high = must && !up && t < e.high ? t : e.high;
        e.soft += !must;
        e.hinges += !must && ridge_of(m, i) == 0;
        e.heaviest = u < INFINITY && u > e.heaviest ? u : e.heaviest;
    }
    return e;
}

/* The middle, or the end that is finite. */
static double middle(double low, double high) {
    if (!isfinite(low)) return isfinite(high) ? high : 0;
    return isfinite(high) ? low / 2 + high / 2 : low;
}

/* The middle value of three. */
static double median(double a, double b, double c) {
    return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

/* A derivative that is a step function: the kinks that are left, their weights, and the derivative to the left of them all;
 * every other kink is at or beyond low or high. */
typedef struct step_function {
    double *t, *u;
    int64_t begin, end;
    hsp_total below;
    double low, high;
} step_function;

typedef struct cut {
    int64_t less, more;  /* where those below the pivot end, and those above it begin */
    hsp_total under, at; /* the derivative below the pivot, and what the kinks at the pivot add */
} cut;

static void swap(step_function *s, int64_t i, int64_t j) {
    double t = s->t[i], u = s->u[i];
    s->t[i] = s->t[j], s->u[i] = s->u[j];
    s->t[j] = t, s->u[j] = u;
}

static cut partition(step_function *s, double pivot) {
    cut c = {.less = s->begin, .more = s->end, .under = s->below};
    for (int64_t i = s->begin; i < c.more;) {
        if (s->t[i] < pivot) {
            hsp_total_add(&c.under, s->u[i]);
            swap(s, i++, c.less++);
        } else if (s->t[i] > pivot) {
            swap(s, i, --c.more);
        } else {
            hsp_total_add(&c.at, s->u[i++]);
        }
    }
    return c;
}

/* If the derivative is 0 on an interval beside the pivot: its middle. */
static double middle_of_flat(const step_function *s, cut c, double pivot, bool flat_left, bool flat_right) {
    double low = pivot, high = pivot;
    if (flat_left) {
        low = s->low;
        for (int64_t i = s->begin; i < c.less; i++) low = fmax(low, s->t[i]);
        if (!isfinite(low)) low = pivot;
    }
    if (flat_right) {
        high = s->high;
        for (int64_t i = c.more; i < s->end; i++) high = fmin(high, s->t[i]);
        if (!isfinite(high)) high = pivot;
    }
    return middle(low, high);
}

/* A pivot near the zero: the zero of the derivative estimated from a sample of the kinks, moved to one side by `aside`
 * standard errors, so that two partitions on either side leave few kinks between them. */
static double guess_zero(const step_function *s, double curve, double aside) {
    enum { SAMPLE = 255 };
    double t[SAMPLE], u[SAMPLE], all = 0;
    int64_t count = s->end - s->begin;
    for (int64_t k = 0; k < SAMPLE; k++) { /* kept in order */
        int64_t from = s->begin + (count - 1) * k / (SAMPLE - 1), at = k;
        double kink = s->t[from], weight = s->u[from];
        for (; at > 0 && t[at - 1] > kink; at--) t[at] = t[at - 1], u[at] = u[at - 1];
        t[at] = kink;
        u[at] = weight;
        all += weight;
    }
    double slope = hsp_total_of(s->below), part = (double)count / SAMPLE, noise = aside * part * all / sqrt(SAMPLE);
    for (int64_t k = 0; k < SAMPLE; k++) {
        slope += part * u[k];
        if (slope + curve * t[k] >= noise) return t[k];
    }
    return t[SAMPLE - 1];
}

/* The zero of curve * b + s(b); derivatives up to `blur` are 0 up to rounding. */
static double select_zero(step_function *s, double curve, double blur) {
    enum { MANY = 4096 };
    for (int round = 0; s->begin < s->end; round++) {
        bool sampled = s->end - s->begin >= MANY && round < 8;
        double pivot = sampled ? guess_zero(s, curve, round % 2 ? -1 : 1)
                               : median(s->t[s->begin], s->t[s->begin + (s->end - s->begin) / 2], s->t[s->end - 1]);
        cut c = partition(s, pivot);
        double left = hsp_total_of(c.under) + curve * pivot, right = left + hsp_total_of(c.at);
        if (left > blur) {
            s->end = c.less;
            s->high = pivot;
        } else if (right < -blur) {
            s->below = c.under;
            hsp_total_add(&s->below, c.at.sum);
            hsp_total_add(&s->below, c.at.lost);
            s->begin = c.more;
            s->low = pivot;
        } else {
            return middle_of_flat(s, c, pivot, curve == 0 && left >= -blur, curve == 0 && right <= blur);
        }
    }
    if (curve == 0) return middle(s->low, s->high);
    return fmin(fmax(-hsp_total_of(s->below) / curve, s->low), s->high);
}

static double zero_of_hinges(const hsp_margin *m, const double *scores, const kinks *e, double *scratch) {
    step_function s = {.t = scratch, .u = scratch + m->design->n, .low = -INFINITY, .high = INFINITY};
    double all = 0;
    for (int64_t i = 0; i < m->design->n; i++) {
        double u = m->upper[i] / e->heaviest;
        if (u == 0) continue;
        s.t[s.end] = m->y[i] - scores[i];
        s.u[s.end++] = u;
        all += u;
        if (m->y[i] > 0) hsp_total_add(&s.below, -u);
    }
    bool free = m->intercept == HSP_INTERCEPT_FREE;
    return select_zero(&s, free ? 0 : 1 / e->heaviest, free ? 8 * DBL_EPSILON * all : 0);
}

/* The derivative of the primal in b, the second derivative, and the sum of the absolute values of the terms. */
static double derivative(const hsp_margin *m, const double *scores, double b, double *curve, double *size) {
    hsp_total sum = {0};
    bool penalised = m->intercept == HSP_INTERCEPT_PENALISED;
    double second = penalised ? 1 : 0, all = penalised ? fabs(b) : 0;
    hsp_total_add(&sum, penalised ? b : 0);
    for (int64_t i = 0; i < m->design->n; i++) {
        double u = m->upper[i], q = ridge_of(m, i), s = 1 - m->y[i] * (scores[i] + b);
        if (!(s > 0) || u == 0 || hard(m, i)) continue;
        double a = q > 0 ? fmin(s / q, u) : u;
        if (a < u) second += 1 / q;
        all += a;
        hsp_total_add(&sum, -m->y[i] * a);
    }
    *curve = second;
    *size = all;
    return hsp_total_of(sum);
}

/* For any mixture of hinges, ridges and hard rows. Every third trial halves the bracket. */
static double zero_by_newton(const hsp_margin *m, const double *scores, const kinks *e) {
    bool penalised = m->intercept == HSP_INTERCEPT_PENALISED;
    double low = fmax(penalised ? fmin(e->first, 0) : e->first, e->low);
    double high = fmin(penalised ? fmax(e->last, 0) : e->last, e->high);
    double b = isfinite(e->plus) && isfinite(e->minus) ? middle(e->plus, e->minus) : middle(low, high);
    b = fmin(fmax(b, low), high);
    for (int trial = 1; trial <= 200; trial++) {
        double curve, size, slope = derivative(m, scores, b, &curve, &size);
        if (size == 0 && e->plus <= e->minus) return middle(fmax(e->plus, e->low), fmin(e->minus, e->high));
        if (fabs(slope) <= DBL_EPSILON * size) return b;
        if (slope < 0)
            low = b;
        else
            high = b;
        double next = curve > 0 && trial % 3 ? b - slope / curve : NAN;
        if (!(next > low && next < high)) next = low / 2 + high / 2;
        if (next == b || next <= low || next >= high) return b;
        b = next;
    }
    return b;
}

double hsp_margin_best_intercept(const hsp_margin *m, const double *scores, double *scratch) {
    if (m->intercept == HSP_INTERCEPT_NONE) return 0;
    bool penalised = m->intercept == HSP_INTERCEPT_PENALISED;
    kinks e = find_kinks(m, scores);
    if (!(e.first <= e.last) || !isfinite(e.first) || !isfinite(e.last))
        return 0; /* no rows, or scores that are not finite */
    if (e.low >= e.high) return middle(e.low, e.high);
    if (e.soft == 0) return penalised ? fmin(fmax(0, e.low), e.high) : middle(e.low, e.high);
    bool hinges_only = e.hinges == e.soft && !isfinite(e.low) && !isfinite(e.high);
    return hinges_only ? zero_of_hinges(m, scores, &e, scratch) : zero_by_newton(m, scores, &e);
}
