/* Squared loss: (y - g)^2 / 2; dual a y - a^2 / (2 k) for every a. */
#include "verify/loss/claim_rows.h"

#include <string.h>

static inline hsp_dd value(double y, hsp_dd g, double parameter) {
    (void)parameter;
    return hsp_dd_times_power(hsp_dd_square(hsp_dd_add_double(g, -y)), 0.5);
}

static inline hsp_dd multiplier(double y, hsp_dd g, double parameter) {
    (void)parameter;
    return hsp_dd_add_double(hsp_dd_negative(g), y);
}

HSP_CLAIM_LOSSES(value)
HSP_CLAIM_DERIVE(multiplier)

static void confine(const hsp_rows_part *p) {
    for (int64_t i = 0; i < p->count; i++)
        if (p->c[i] == 0) p->a[i] = 0;
}

/* Sums side by side: an addition takes longer than the next one has to wait for it. */
enum { MASS, LABELS, LINEAR, QUADRATIC, SUMS };
typedef double four __attribute__((vector_size(8 * SUMS)));

/* The terms of some rows. */
enum { ROWS = 64 };
typedef struct sum_terms {
    double hi[ROWS][SUMS], lo[ROWS][SUMS];
} sum_terms;

static inline void compute_terms(const hsp_rows_part *p, int64_t from, int64_t count, sum_terms *t) {
    const double *y = p->y + from, *c = p->c + from, *a = p->a + from, C = p->C;
    for (int64_t i = 0; i < count; i++) {
        hsp_dd k = hsp_two_product(C, c[i]), label = hsp_dd_scale(k, y[i]), one = hsp_two_product(a[i], y[i]);
        hsp_dd square = hsp_claim_dual_square(a[i], k, 1);
        t->hi[i][MASS] = k.hi, t->hi[i][LABELS] = label.hi, t->hi[i][LINEAR] = one.hi, t->hi[i][QUADRATIC] = square.hi;
        t->lo[i][MASS] = k.lo, t->lo[i][LABELS] = label.lo, t->lo[i][LINEAR] = one.lo, t->lo[i][QUADRATIC] = square.lo;
    }
}

/* hsp_dd_add of four. */
static inline void add_four(four *hi, four *lo, four b, four b_lo) {
    four s = *hi + b, u = s - *hi, rest = (*hi - (s - u)) + (b - u);
    four t = *lo + b_lo, v = t - *lo, t_lo = (*lo - (t - v)) + (b_lo - v);
    rest += t;
    four sum = s + rest;
    rest = (rest - (sum - s)) + t_lo;
    *hi = sum + rest;
    *lo = rest - (*hi - sum);
}

static void sums(const hsp_rows_part *p, hsp_dual_sums *out) {
    hsp_dual_sums s = {0};
    sum_terms t;
    four hi = {0}, lo = {0};
    for (int64_t from = 0; from < p->count; from += ROWS) {
        int64_t count = p->count - from < ROWS ? p->count - from : ROWS;
        compute_terms(p, from, count, &t);
        for (int64_t i = 0; i < count; i++) {
            double y = p->y[from + i], a = p->a[from + i];
            four term, term_lo;
            if (p->c[from + i] == 0) continue;
            memcpy(&term, t.hi[i], sizeof term);
            memcpy(&term_lo, t.lo[i], sizeof term_lo);
            add_four(&hi, &lo, term, term_lo);
            s.total[0] = hsp_dd_add_double(s.total[0], a);
            s.size += fabs(a * y) + fabs(a);
            s.labels_size += t.hi[i][MASS] * fabs(y);
        }
    }
    s.mass = (hsp_dd){hi[MASS], lo[MASS]};
    s.labels = (hsp_dd){hi[LABELS], lo[LABELS]};
    s.linear[0] = (hsp_dd){hi[LINEAR], lo[LINEAR]};
    s.quadratic[0] = (hsp_dd){hi[QUADRATIC], lo[QUADRATIC]};
    *out = s;
}

const hsp_claim_loss HSP_CLAIM_ENTRY(squared) = {.name = "squared",
                                                 .shape = HSP_CLAIM_LINE,
                                                 .high = INFINITY,
                                                 .ridge = 1,
                                                 .numbers = true,
                                                 .losses = losses,
                                                 .derive = derive,
                                                 .confine = confine,
                                                 .sums = sums};
