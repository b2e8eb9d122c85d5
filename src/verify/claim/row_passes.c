/* Compiled once a level: HSP_LEVEL is its name. */
#include "verify/claim/row_passes.h"

#include "kernel/form.h"
#include "verify/claim/exp_log.h"

#define JOINED(a, b) a##b
#define LEVEL_NAME(level) JOINED(hsp_passes_, level)

enum { LANES = 8 };

/* ---- scores: Dot2 (Ogita, Rump and Oishi 2005), eight sums side by side ---- */

#define STEP(l, value, weight)                                         \
    do {                                                               \
        double x_ = (double)(value), w_ = (weight), p_ = x_ * w_;      \
        double s_ = hi[l] + p_, t_ = s_ - hi[l];                       \
        lo[l] += fma(x_, w_, -p_) + ((hi[l] - (s_ - t_)) + (p_ - t_)); \
        hi[l] = s_;                                                    \
    } while (0)

/* Pairs of sums, pairs of those, and so on; the low parts are small enough to be added plainly. */
static inline hsp_dd join(double *hi, double *lo, double b) {
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int l = 0; l < half; l++) {
            hsp_dd s = hsp_two_sum(hi[l], hi[l + half]);
            lo[l] = (lo[l] + lo[l + half]) + s.lo;
            hi[l] = s.hi;
        }
    return hsp_dd_add_double(hsp_two_sum(hi[0], lo[0]), b);
}

#define SCORE(form, id_type, COLUMN, type, VALUE)                                                  \
    static hsp_dd score_##form(hsp_row r, const double *w, double b) {                             \
        const id_type *id = r.id;                                                                  \
        const type *x = r.value;                                                                   \
        const double *table = r.table;                                                             \
        int64_t n = r.count, t = 0;                                                                \
        double hi[LANES] = {0}, lo[LANES] = {0};                                                   \
        (void)id, (void)x, (void)table;                                                            \
        for (; t + LANES <= n; t += LANES)                                                         \
            for (int l = 0; l < LANES; l++) STEP(l, VALUE(x, table, t + l), w[COLUMN(id, t + l)]); \
        for (int l = 0; t < n; t++, l++) STEP(l, VALUE(x, table, t), w[COLUMN(id, t)]);            \
        return join(hi, lo, b);                                                                    \
    }
HSP_EACH_FORM(SCORE)

#define SCORE_ENTRY(form, ...) score_##form,
static hsp_dd (*const score_of_form[HSP_FORMS])(hsp_row, const double *, double) = {HSP_EACH_FORM(SCORE_ENTRY)};

static void scores(const hsp_matrix *x, int64_t first, int64_t count, const double *w, double b, hsp_dd *g) {
    for (int64_t i = 0; i < count; i++) {
        hsp_row r = hsp_matrix_row(x, first + i);
        g[i] = score_of_form[hsp_row_form(r)](r, w, b);
    }
}

/* ---- columns ---- */

#define GATHER(sum_hi, sum_lo, size, value)                                               \
    do {                                                                                  \
        double x_ = (double)(value), p_ = a * x_, e_ = fma(a, x_, -p_);                   \
        double s_ = (sum_hi) + p_, t_ = s_ - (sum_hi);                                    \
        double l_ = (sum_lo) + ((((sum_hi) - (s_ - t_)) + (p_ - t_)) + fma(low, x_, e_)); \
        (sum_hi) = s_ + l_;                                                               \
        (sum_lo) = l_ - ((sum_hi)-s_);                                                    \
        (size) += fabs(p_);                                                               \
    } while (0)

/* Dense rows: hi, lo and size are apart. Sparse rows: three numbers side by side at each column, from hi on. */
#define SPREAD(form, id_type, COLUMN, type, VALUE)                                                        \
    static void combine_##form(hsp_row r, double a, double low, double *restrict hi, double *restrict lo, \
                               double *restrict size) {                                                   \
        const type *x = r.value;                                                                          \
        const double *table = r.table;                                                                    \
        (void)x, (void)table;                                                                             \
        for (int64_t j = 0; j < r.count; j++) {                                                           \
            double h = hi[j], l = lo[j], s = size[j];                                                     \
            GATHER(h, l, s, VALUE(x, table, j));                                                          \
            hi[j] = h;                                                                                    \
            lo[j] = l;                                                                                    \
            size[j] = s;                                                                                  \
        }                                                                                                 \
    }
#define SCATTER(form, id_type, COLUMN, type, VALUE)                                                       \
    static void combine_##form(hsp_row r, double a, double low, double *restrict hi, double *restrict lo, \
                               double *restrict size) {                                                   \
        const id_type *id = r.id;                                                                         \
        const type *x = r.value;                                                                          \
        const double *table = r.table;                                                                    \
        (void)x, (void)table, (void)lo, (void)size;                                                       \
        for (int64_t t = 0; t < r.count; t++) {                                                           \
            double *to = hi + 3 * COLUMN(id, t);                                                          \
            GATHER(to[0], to[1], to[2], VALUE(x, table, t));                                              \
        }                                                                                                 \
    }
HSP_EACH_DENSE_FORM(SPREAD)
HSP_EACH_SPARSE_FORM(SCATTER)

#define COMBINE_ENTRY(form, ...) combine_##form,
static void (*const combine_of_form[HSP_FORMS])(hsp_row, double, double, double *restrict, double *restrict,
                                                double *restrict) = {HSP_EACH_FORM(COMBINE_ENTRY)};

static void combine(const hsp_matrix *x, int64_t first, int64_t count, const double *hi, const double *lo,
                    const hsp_audit_columns *to) {
    double *base = to->base, *low = base + to->offset, *size = low + to->offset;
    for (int64_t i = 0; i < count; i++) {
        if (hi[i] == 0) continue;
        hsp_row r = hsp_matrix_row(x, first + i);
        combine_of_form[hsp_row_form(r)](r, hi[i], lo[i], base, low, size);
    }
}

/* ---- losses and slopes ---- */

static inline hsp_dd positive_part(hsp_dd a) {
    return a.hi > 0 ? a : hsp_dd_of(a.hi <= 0 ? 0 : NAN);
}

static inline hsp_dd loss_of(hsp_claim_loss loss, double y, hsp_dd g) {
    hsp_dd m = {y * g.hi, y * g.lo}, slack;
    switch (loss) {
    case HSP_CLAIM_HINGE:
        return positive_part(hsp_dd_add_double(hsp_dd_negative(m), 1));
    case HSP_CLAIM_SQUARED_HINGE:
        slack = positive_part(hsp_dd_add_double(hsp_dd_negative(m), 1));
        return hsp_dd_square(slack);
    case HSP_CLAIM_LOGISTIC:
        slack = hsp_dd_log1p(hsp_dd_exp(m.hi > 0 ? hsp_dd_negative(m) : m));
        return m.hi > 0 ? slack : hsp_dd_subtract(slack, m);
    case HSP_CLAIM_SQUARED:
        return hsp_dd_times_power(hsp_dd_square(hsp_dd_add_double(g, -y)), 0.5);
    case HSP_CLAIM_PERCEPTRON:
        return positive_part(hsp_dd_negative(m));
    case HSP_CLAIM_ZERO_ONE:
        return hsp_dd_of((g.hi > 0) == (y > 0) ? 0 : 1);
    default:
        return hsp_dd_of(0);
    }
}

static hsp_dd losses(hsp_claim_loss loss, const hsp_rows_part *p, const hsp_dd *g) {
    hsp_dd sum = {0, 0};
    for (int64_t i = 0; i < p->count; i++) {
        if (p->c[i] == 0) continue;
        hsp_dd one = loss_of(loss, p->y[i], g[i]);
        if (one.hi != 0) sum = hsp_dd_add(sum, hsp_dd_scale(one, p->c[i]));
    }
    return sum;
}

static void derive(hsp_claim_loss loss, const hsp_rows_part *p, const hsp_dd *g) {
    for (int64_t i = 0; i < p->count; i++) {
        double y = p->y[i];
        hsp_dd k = hsp_two_product(p->C, p->c[i]), m = {y * g[i].hi, y * g[i].lo}, r = {0, 0};
        if (p->c[i] == 0) {
            p->a[i] = 0;
            continue;
        }
        if (loss == HSP_CLAIM_SQUARED) {
            r = hsp_dd_add_double(hsp_dd_negative(g[i]), y);
        } else if (loss == HSP_CLAIM_SQUARED_HINGE) {
            r = hsp_dd_times_power(positive_part(hsp_dd_add_double(hsp_dd_negative(m), 1)), 2 * y);
        } else {
            double z = hsp_dd_exp(m.hi > 0 ? hsp_dd_negative(m) : m).hi;
            r = hsp_dd_of(y * ((m.hi > 0 ? z : 1) / (1 + z)));
        }
        p->a[i] = hsp_dd_value(hsp_dd_multiply(k, r));
    }
}

/* ---- the dual ---- */

static void confine(hsp_claim_loss loss, const hsp_rows_part *p) {
    bool bounded = loss == HSP_CLAIM_HINGE || loss == HSP_CLAIM_LOGISTIC;
    for (int64_t i = 0; i < p->count; i++) {
        double alpha = p->y[i] * p->a[i];
        if (p->c[i] == 0) {
            p->a[i] = 0;
        } else if (loss != HSP_CLAIM_SQUARED) {
            double most = bounded ? hsp_dd_floor(hsp_two_product(p->C, p->c[i])) : INFINITY;
            p->a[i] = !(alpha > 0) ? 0 : p->y[i] * (alpha < most ? alpha : most);
        }
    }
}

static void sums(hsp_claim_loss loss, const hsp_rows_part *p, hsp_dual_sums *out) {
    hsp_dual_sums s = {0};
    for (int64_t i = 0; i < p->count; i++) {
        double y = p->y[i], a = p->a[i], alpha = fabs(a);
        if (p->c[i] == 0) continue;
        hsp_dd k = hsp_two_product(p->C, p->c[i]);
        if (loss == HSP_CLAIM_SQUARED) {
            s.mass = hsp_dd_add(s.mass, k);
            s.labels = hsp_dd_add(s.labels, hsp_dd_scale(k, y));
            s.linear[0] = hsp_dd_add(s.linear[0], hsp_two_product(a, y));
            s.linear[1] = hsp_dd_add_double(s.linear[1], a);
            hsp_dd square = hsp_dd_divide(hsp_two_product(a, a), hsp_dd_times_power(k, 2));
            s.quadratic[0] = hsp_dd_add(s.quadratic[0], square);
            s.size += fabs(a * y) + alpha;
            s.labels_size += k.hi * fabs(y);
        } else if (a != 0) {
            int side = y < 0;
            s.linear[side] = hsp_dd_add_double(s.linear[side], alpha);
            s.size += alpha;
            if (loss != HSP_CLAIM_SQUARED_HINGE) continue;
            hsp_dd square = hsp_dd_divide(hsp_two_product(a, a), hsp_dd_times_power(k, 4));
            s.quadratic[side] = hsp_dd_add(s.quadratic[side], square);
        }
    }
    *out = s;
}

/* k h(q) with u = k q and rest = k (1 - q): the logarithm of the smaller share, and that of the other by log1p. */
static inline hsp_dd entropy(hsp_dd u, hsp_dd rest, double k) {
    hsp_dd small = u.hi < rest.hi ? u : rest, large = u.hi < rest.hi ? rest : u;
    if (!(small.hi > 0)) return hsp_dd_of(small.hi <= 0 ? 0 : NAN);
    double share = small.hi / k;
    hsp_dd s = hsp_dd_multiply(small, hsp_dd_log(hsp_dd_of(share)));
    return hsp_dd_negative(hsp_dd_add(s, hsp_dd_multiply(large, hsp_dd_log1p(hsp_dd_of(-share)))));
}

static hsp_dd entropies(const hsp_rows_part *p, const hsp_dd t[2]) {
    hsp_dd sum = {0, 0};
    for (int64_t i = 0; i < p->count; i++) {
        if (p->a[i] == 0) continue;
        hsp_dd k = hsp_two_product(p->C, p->c[i]), u = hsp_dd_scale(t[p->y[i] < 0], fabs(p->a[i]));
        if (u.hi > 1e-280) sum = hsp_dd_add(sum, entropy(u, hsp_dd_subtract(k, u), k.hi));
    }
    return sum;
}

static hsp_dd softmax(int64_t K, int64_t own, hsp_dd *g, hsp_dd k, double *u) {
    hsp_dd base = g[own], top = {0, 0}, sum = {0, 0}, others = {0, 0};
    for (int64_t l = 0; l < K; l++) {
        g[l] = hsp_dd_subtract(g[l], base);
        if (g[l].hi > top.hi) top = g[l];
    }
    for (int64_t l = 0; l < K; l++) {
        g[l] = hsp_dd_exp(hsp_dd_subtract(g[l], top));
        sum = hsp_dd_add(sum, g[l]);
    }
    hsp_dd share = u ? hsp_dd_divide(k, sum) : sum;
    for (int64_t l = 0; u && l < K; l++) {
        if (l == own) continue;
        u[l] = hsp_dd_value(hsp_dd_multiply(share, g[l]));
        others = hsp_dd_add_double(others, u[l]);
    }
    if (u) u[own] = hsp_dd_value(others);
    return hsp_dd_add(top, hsp_dd_log(sum));
}

/* log(u / k), by log1p where u is most of k. */
static inline hsp_dd share_log(hsp_dd u, hsp_dd k) {
    if (2 * u.hi < k.hi) return hsp_dd_log(hsp_dd_of(u.hi / k.hi));
    return hsp_dd_log1p(hsp_dd_of(-hsp_dd_subtract(k, u).hi / k.hi));
}

static hsp_dd mixture(int64_t K, const hsp_dd *u, hsp_dd k) {
    hsp_dd sum = {0, 0};
    for (int64_t l = 0; l < K; l++)
        if (u[l].hi > 1e-280) sum = hsp_dd_subtract(sum, hsp_dd_multiply(u[l], share_log(u[l], k)));
    return sum;
}

extern const hsp_passes LEVEL_NAME(HSP_LEVEL);
const hsp_passes LEVEL_NAME(HSP_LEVEL) = {.scores = scores,
                                          .combine = combine,
                                          .losses = losses,
                                          .derive = derive,
                                          .confine = confine,
                                          .sums = sums,
                                          .entropies = entropies,
                                          .softmax = softmax,
                                          .mixture = mixture};
