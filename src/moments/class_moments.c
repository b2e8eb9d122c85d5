/* Masses, means and scatters of the classes. */
#include "moments/class_moments.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/matrix.h"
#include "data/schema.h"
#include "design/gram.h"
#include "kernel/kernel.h"

#include <math.h>
#include <string.h>

/* ---- the point g ---- */

/* Position and width of a column are estimated from this many rows. Columns nearer to 0 than NEAR times their width are not
 * moved: they lose two bits, and stay exact where the data are. */
enum { SAMPLE = 256, NEAR = 4 };

typedef struct sample {
    double *middle, *low, *high; /* d */
} sample;

static void sample_columns(const hsp_class_rows *set, sample *s) {
    const hsp_design *D = set->design;
    int64_t rows = 0, seen = 0;
    for (int64_t i = 0; i < D->n; i++) rows += !set->c || set->c[i] > 0;
    int64_t stride = rows / SAMPLE + 1, taken = (rows + stride - 1) / stride;
    for (int64_t j = 0; j < D->d; j++) {
        s->middle[j] = 0;
        s->low[j] = INFINITY;
        s->high[j] = -INFINITY;
    }
    for (int64_t i = 0; i < D->n; i++) {
        if ((set->c && set->c[i] == 0) || seen++ % stride != 0) continue;
        hsp_row r = hsp_matrix_row(D->x, i);
        for (int64_t j = 0; j < D->d; j++) {
            double v = hsp_row_value(r, j) - (D->shift ? D->shift[j] : 0);
            s->middle[j] += v / (double)taken;
            s->low[j] = fmin(s->low[j], v);
            s->high[j] = fmax(s->high[j], v);
        }
    }
}

/* A multiple of a power of two about as large as the width: subtracting it leaves exact data exact. */
static double round_point(double middle, double low, double high) {
    double width = high - low;
    if (!isfinite(middle) || !isfinite(width) || fabs(middle) <= NEAR * width) return 0;
    if (width == 0) return low;
    double unit = scalbn(1, ilogb(width));
    return rint(middle / unit) * unit;
}

/* Sets design and, where g is not 0, g and the frame. */
static int choose_reference(const hsp_class_rows *set, hsp_class_moments *m, hsp_error **err) {
    const hsp_design *D = m->design = set->design;
    int64_t d = D->d;
    bool moved = false;
    if (!D->x->dense) return HSP_OK;
    if (!HSP_ALLOC_DOUBLES(d, &m->g, &m->shift, &m->factor)) return hsp_fail_memory(err);
    sample s = {m->g, m->shift, m->factor};
    sample_columns(set, &s);
    for (int64_t j = 0; j < d; j++) {
        double shift = D->shift ? D->shift[j] : 0, factor = D->factor ? D->factor[j] : 1;
        double to = shift + round_point(s.middle[j], s.low[j], s.high[j]);
        m->g[j] = (to - shift) * factor; /* what is really subtracted, after rounding */
        m->shift[j] = to;
        m->factor[j] = factor;
        moved |= to != shift;
    }
    if (!moved) {
        hsp_free(m->g);
        m->g = NULL;
        return HSP_OK;
    }
    int status = hsp_design_new(D->x, m->shift, m->factor, D->threads, &m->frame, err);
    if (!status) m->design = m->frame;
    return status;
}

double hsp_class_offset(const hsp_class_moments *m, const double *w, double b) {
    return m->g ? b - hsp_dot_f64(w, m->g, m->d) : b;
}

/* ---- masses and means ---- */

static void take_given(const hsp_given_moments *given, hsp_class_moments *m) {
    memcpy(m->mass, given->mass, (size_t)m->K * sizeof *m->mass);
    memcpy(m->mean, given->mean, (size_t)(m->K * m->d) * sizeof *m->mean);
    for (int64_t k = 0; k < m->K; k++) {
        m->rows[k] = (int64_t)given->rows[k];
        m->total += m->mass[k];
    }
    m->apart = !given->scatter;
}

int hsp_class_moments_fit(const hsp_class_rows *set, hsp_class_moments *out, hsp_error **err) {
    int64_t K = set->prepare->classes.count, d = set->design->d;
    *out = (hsp_class_moments){.K = K, .d = d};
    out->rows = hsp_alloc_zero(K, sizeof *out->rows);
    if (!out->rows || !HSP_ALLOC_DOUBLES(K, &out->mass) || !HSP_ALLOC_DOUBLES(K * d, &out->mean))
        return hsp_fail_memory(err);
    out->design = set->design;
    if (set->given) {
        take_given(set->given, out);
        return HSP_OK;
    }
    int status = choose_reference(set, out, err);
    if (!status) status = hsp_design_group_sums(out->design, set->c, set->y, K, out->mass, out->mean, err);
    if (status) return status;
    for (int64_t i = 0; i < set->design->n; i++) out->rows[set->y[i]] += !set->c || set->c[i] > 0;
    for (int64_t k = 0; k < K; k++) {
        out->total += out->mass[k];
        for (int64_t j = 0; j < d; j++) out->mean[k * d + j] = out->mass[k] > 0 ? out->mean[k * d + j] / out->mass[k] : 0;
    }
    return HSP_OK;
}

void hsp_class_moments_clear(hsp_class_moments *m) {
    HSP_FREE(m->mass, m->mean, m->rows);
    hsp_design_free(m->frame);
    HSP_FREE(m->g, m->shift, m->factor);
    *m = (hsp_class_moments){0};
}

const char *hsp_class_remedy(const hsp_prepare *prepare) {
    return prepare->factor ? "use other units" : "use other units, or --scale standard";
}

int hsp_class_extreme(const hsp_prepare *prepare, int64_t j, const char *what, hsp_error **err) {
    char buf[32];
    return hsp_fail(err, HSP_EINPUT, "column '%s' has values too %s to compute with: %s",
                    hsp_schema_feature(&prepare->schema, j, buf), what, hsp_class_remedy(prepare));
}

int hsp_class_moments_check_memory(int64_t columns, hsp_error **err) {
    double d = (double)columns, need = 8 * d * d * 4; /* the matrix, its scratch, and those of its factorisation */
    if (need <= 0.9 * (double)hsp_memory_limit()) return HSP_OK;
    return hsp_fail(
        err, HSP_EMEMORY,
        "the covariances of %lld columns need %lld MiB, more than this machine has: use -a nearest-mean, sgd or logistic",
        (long long)columns, (long long)(need / 1048576));
}

static void take_scatter(const hsp_given_moments *given, const hsp_class_moments *m, int64_t k, double *S) {
    int64_t square = m->d * m->d;
    if (given->scatter) memset(S, 0, (size_t)square * sizeof *S);
    for (int64_t l = 0; given->scatter && l < m->K; l++)
        if (k < 0 || k == l) hsp_axpy_f64(1, given->scatter + l * square, S, square);
    if (!given->scatter) memcpy(S, given->within, (size_t)square * sizeof *S);
}

int hsp_class_scatter(const hsp_class_rows *set, const hsp_class_moments *m, int64_t k, double *member, double *S,
                      hsp_error **err) {
    if (set->given) {
        take_scatter(set->given, m, k, S);
        return HSP_OK;
    }
    if (k < 0) return hsp_design_gram(m->design, set->c, m->mean, set->y, m->K, S, err);
    if (m->rows[k] <= 1) { /* exactly 0, whatever the rounding of the mean */
        memset(S, 0, (size_t)(m->d * m->d) * sizeof *S);
        return HSP_OK;
    }
    for (int64_t i = 0; i < set->design->n; i++) member[i] = set->y[i] != k ? 0 : set->c ? set->c[i] : 1;
    return hsp_design_gram(m->design, member, m->mean + k * m->d, NULL, 1, S, err);
}

int hsp_class_scatters(const hsp_class_rows *set, const hsp_class_moments *m, double *scatter, double *S, hsp_error **err) {
    int64_t square = m->d * m->d;
    double *member = hsp_alloc(set->given ? 0 : set->design->n, sizeof *member);
    int status = member ? HSP_OK : hsp_fail_memory(err);
    memset(S, 0, (size_t)square * sizeof *S);
    for (int64_t k = 0; !status && k < m->K; k++) {
        status = hsp_class_scatter(set, m, k, member, scatter + k * square, err);
        if (!status) hsp_axpy_f64(1, scatter + k * square, S, square);
    }
    hsp_free(member);
    return status;
}

/* ---- constant columns ---- */

static double largest_mean(const hsp_class_moments *m, int64_t j) {
    double size = 0;
    for (int64_t k = 0; k < m->K; k++) size = fmax(size, fabs(m->mean[k * m->d + j]));
    return size;
}

/* The standard deviation within the classes, from S. */
static double spread_within(const hsp_class_moments *m, double divisor, const double *S, int64_t j) {
    return sqrt(fmax(0, S[j * m->d + j] / divisor));
}

/* Marks empty columns in `constant`. Lists those whose spread is so small that it could be all rounding or underflow; returns
 * their number. */
static int64_t list_suspects(const hsp_class_rows *set, const hsp_class_moments *m, double divisor, const double *S,
                             bool *constant, int64_t *list) {
    int64_t count = 0;
    for (int64_t j = 0; j < m->d; j++) {
        double size = largest_mean(m, j), sd = spread_within(m, divisor, S, j);
        constant[j] = sd == 0 && size == 0 && !set->design->x->dense;
        if (!constant[j] && (sd <= 1e-5 * size || sd < 1 / HSP_MOMENTS_LARGE)) list[count++] = j;
    }
    return count;
}

/* Marks the columns of the list that have one value in each class, which becomes first[k count + t]. row: d zeros, left so.
 */
static void find_constant(const hsp_class_rows *set, const int64_t *list, int64_t count, bool *constant, double *first,
                          bool *seen, double *row) {
    const hsp_matrix *x = set->design->x;
    for (int64_t t = 0; t < count; t++) constant[list[t]] = true;
    for (int64_t i = 0; i < x->n; i++) {
        if (set->c && set->c[i] == 0) continue;
        hsp_row r = hsp_matrix_row(x, i);
        for (int64_t t = 0; r.id && t < r.count; t++) row[hsp_row_id(r, t)] = hsp_row_value(r, t);
        double *known = first + set->y[i] * count;
        for (int64_t t = 0; t < count; t++) {
            double v = r.id ? row[list[t]] : hsp_row_value(r, list[t]);
            if (!seen[set->y[i]]) known[t] = v;
            if (v != known[t]) constant[list[t]] = false;
        }
        seen[set->y[i]] = true;
        for (int64_t t = 0; r.id && t < r.count; t++) row[hsp_row_id(r, t)] = 0;
    }
}

/* Sets the means of constant columns to their value, to the last bit, so that differences of means are 0 where they should
 * be. */
static void set_means(hsp_class_moments *m, const int64_t *list, int64_t count, const bool *constant, const double *first) {
    const hsp_design *D = m->design;
    for (int64_t t = 0; t < count; t++)
        for (int64_t k = 0, j = list[t]; constant[j] && k < m->K; k++) {
            double v = first[k * count + t], factor = D->factor ? D->factor[j] : 1;
            if (m->rows[k] > 0) m->mean[k * m->d + j] = (v - (D->shift ? D->shift[j] : 0)) * factor;
        }
}

/* Without rows: columns whose spread is rounding count as constant. */
static void mark_given(const hsp_class_moments *m, double divisor, const double *S, const int64_t *list, int64_t count,
                       bool *constant) {
    static const double ROUNDING = 1e-13; /* of sums over many rows, relative to the values */
    for (int64_t t = 0; t < count; t++)
        constant[list[t]] = spread_within(m, divisor, S, list[t]) <= ROUNDING * largest_mean(m, list[t]);
}

/* Fails if squares have overflowed or underflowed. */
static int check_range(const hsp_class_rows *set, const hsp_class_moments *m, double divisor, const double *S,
                       const bool *constant, hsp_error **err) {
    for (int64_t j = 0; j < m->d; j++) {
        double sd = spread_within(m, divisor, S, j);
        if (isnan(S[j * m->d + j]) || sd > HSP_MOMENTS_LARGE) return hsp_class_extreme(set->prepare, j, "large", err);
        if (constant[j]) continue;
        if (largest_mean(m, j) > HSP_MOMENTS_LARGE) return hsp_class_extreme(set->prepare, j, "large", err);
        if (sd < 1 / HSP_MOMENTS_LARGE) return hsp_class_extreme(set->prepare, j, "small", err);
    }
    return HSP_OK;
}

int hsp_class_scatter_clean(const hsp_class_rows *set, hsp_class_moments *m, double divisor, double *S, hsp_error **err) {
    int64_t d = m->d, count = 0, *list = hsp_alloc(d, sizeof *list);
    bool *constant = hsp_alloc(d, sizeof *constant), *seen = NULL;
    double *first = NULL, *row = NULL;
    int status = constant && list ? HSP_OK : hsp_fail_memory(err);
    if (!status) count = list_suspects(set, m, divisor, S, constant, list);
    if (!status && set->given) {
        mark_given(m, divisor, S, list, count, constant);
        count = 0;
    }
    if (count > 0) {
        first = hsp_alloc(m->K * count, sizeof *first);
        row = hsp_alloc_zero(d, sizeof *row);
        seen = hsp_alloc_zero(m->K, sizeof *seen);
        if (first && row && seen) {
            find_constant(set, list, count, constant, first, seen, row);
            set_means(m, list, count, constant, first);
        } else {
            status = hsp_fail_memory(err);
        }
    }
    if (!status) status = check_range(set, m, divisor, S, constant, err);
    for (int64_t i = 0; !status && i < d; i++)
        for (int64_t j = 0; j < d; j++)
            if (constant[i] || constant[j]) S[i * d + j] = 0;
    HSP_FREE(list, constant, seen, first, row);
    return status;
}

bool hsp_class_moments_small(const hsp_class_moments *m) {
    return !m->apart && m->d <= HSP_MOMENTS_COLUMNS && m->K <= HSP_MOMENTS_CLASSES;
}
