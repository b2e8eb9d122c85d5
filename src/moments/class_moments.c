/* Masses, means and scatters of the classes. */
#include "moments/class_moments.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/matrix.h"
#include "data/schema.h"
#include "design/gram.h"
#include "kernel/kernel.h"
#include "model/model.h"
#include "prepare/prepare.h"

#include <math.h>
#include <string.h>

/* ---- the point g ---- */

/* So many rows tell where a column lies and how wide it is; columns nearer to 0 than NEAR times that stay where they are:
 * they lose two bits, and are exact where the data are. */
enum { SAMPLE = 256, NEAR = 4 };

typedef struct sample {
    double *middle, *low, *high; /* d */
} sample;

static void draw(const hsp_fit *f, sample *s) {
    const hsp_design *D = f->job.design;
    int64_t rows = 0, seen = 0;
    for (int64_t i = 0; i < D->n; i++) rows += !f->rows.c || f->rows.c[i] > 0;
    int64_t stride = rows / SAMPLE + 1, taken = (rows + stride - 1) / stride;
    for (int64_t j = 0; j < D->d; j++) {
        s->middle[j] = 0;
        s->low[j] = INFINITY;
        s->high[j] = -INFINITY;
    }
    for (int64_t i = 0; i < D->n; i++) {
        if ((f->rows.c && f->rows.c[i] == 0) || seen++ % stride != 0) continue;
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

/* Sets design, and frame with what belongs to it where g is not 0. */
static int choose_frame(const hsp_fit *f, hsp_class_moments *m, hsp_error **err) {
    const hsp_design *D = m->design = f->job.design;
    int64_t d = D->d;
    bool moved = false;
    if (!D->x->dense) return HSP_OK;
    m->g = hsp_alloc(d, sizeof *m->g);
    m->shift = hsp_alloc(d, sizeof *m->shift);
    m->factor = hsp_alloc(d, sizeof *m->factor);
    if (!m->g || !m->shift || !m->factor) return hsp_fail_memory(err);
    sample s = {m->g, m->shift, m->factor};
    draw(f, &s);
    for (int64_t j = 0; j < d; j++) {
        double shift = D->shift ? D->shift[j] : 0, factor = D->factor ? D->factor[j] : 1;
        double to = shift + round_point(s.middle[j], s.low[j], s.high[j]);
        m->g[j] = (to - shift) * factor; /* what is really taken out, after rounding */
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

int hsp_class_moments_fit(const hsp_fit *f, hsp_class_moments *out, hsp_error **err) {
    int64_t K = f->job.prepare->classes.count, d = f->job.design->d;
    *out = (hsp_class_moments){.K = K, .d = d};
    out->mass = hsp_alloc(K, sizeof *out->mass);
    out->mean = hsp_alloc(K * d, sizeof *out->mean);
    out->rows = hsp_alloc_zero(K, sizeof *out->rows);
    if (!out->mass || !out->mean || !out->rows) return hsp_fail_memory(err);
    int status = choose_frame(f, out, err);
    if (!status) status = hsp_design_group_sums(out->design, f->rows.c, f->rows.y, K, out->mass, out->mean, err);
    if (status) return status;
    for (int64_t i = 0; i < f->job.design->n; i++) out->rows[f->rows.y[i]] += !f->rows.c || f->rows.c[i] > 0;
    for (int64_t k = 0; k < K; k++) {
        out->total += out->mass[k];
        for (int64_t j = 0; j < d; j++) out->mean[k * d + j] = out->mass[k] > 0 ? out->mean[k * d + j] / out->mass[k] : 0;
    }
    return HSP_OK;
}

void hsp_class_moments_clear(hsp_class_moments *m) {
    hsp_free(m->mass);
    hsp_free(m->mean);
    hsp_free(m->rows);
    hsp_design_free(m->frame);
    hsp_free(m->g);
    hsp_free(m->shift);
    hsp_free(m->factor);
    *m = (hsp_class_moments){0};
}

static const char *remedy(const hsp_fit *f) {
    return f->job.prepare->factor ? "use other units" : "use other units, or --scale standard";
}

int hsp_class_extreme(const hsp_fit *f, int64_t j, const char *what, hsp_error **err) {
    char buf[32];
    return hsp_fail(err, HSP_EINPUT, "column '%s' has values too %s to compute with: %s",
                    hsp_schema_feature(&f->job.prepare->schema, j, buf), what, remedy(f));
}

int hsp_class_moments_room(const hsp_fit *f, hsp_error **err) {
    double d = (double)f->job.design->d, need = 8 * d * d * 4; /* the matrix, its scratch, and the work space of LAPACK */
    if (need <= 0.9 * (double)hsp_memory_limit()) return HSP_OK;
    return hsp_fail(err, HSP_EMEMORY,
                    "%lld columns need %lld MiB for their covariances, more than this machine has: nearest-mean, sgd or "
                    "logistic do without",
                    (long long)f->job.design->d, (long long)(need / 1048576));
}

int hsp_class_scatter(const hsp_fit *f, const hsp_class_moments *m, int64_t k, double *member, double *S, hsp_error **err) {
    if (k < 0) return hsp_design_gram(m->design, f->rows.c, m->mean, f->rows.y, m->K, S, err);
    if (m->rows[k] <= 1) { /* exactly, whatever the division in the mean did to the last bit */
        memset(S, 0, (size_t)(m->d * m->d) * sizeof *S);
        return HSP_OK;
    }
    for (int64_t i = 0; i < f->job.design->n; i++) member[i] = f->rows.y[i] != k ? 0 : f->rows.c ? f->rows.c[i] : 1;
    return hsp_design_gram(m->design, member, m->mean + k * m->d, NULL, 1, S, err);
}

/* ---- columns that do not vary ---- */

static double largest_mean(const hsp_class_moments *m, int64_t j) {
    double size = 0;
    for (int64_t k = 0; k < m->K; k++) size = fmax(size, fabs(m->mean[k * m->d + j]));
    return size;
}

/* Standard deviation within the classes as S has it. */
static double spread(const hsp_class_moments *m, double divisor, const double *S, int64_t j) {
    return sqrt(fmax(0, S[j * m->d + j] / divisor));
}

/* Empty columns are marked in `constant`; those whose spread is so small that rounding or underflow could be all of it go
 * into list, and are counted. */
static int64_t suspects(const hsp_fit *f, const hsp_class_moments *m, double divisor, const double *S, bool *constant,
                        int64_t *list) {
    int64_t count = 0;
    for (int64_t j = 0; j < m->d; j++) {
        double size = largest_mean(m, j), sd = spread(m, divisor, S, j);
        constant[j] = sd == 0 && size == 0 && !f->job.data->x.dense;
        if (!constant[j] && (sd <= 1e-5 * size || sd < 1 / HSP_MOMENTS_LARGE)) list[count++] = j;
    }
    return count;
}

/* Marks the columns of the list that have one value in each class, which becomes first[k count + t]. row: d zeros, left so.
 */
static void find_constant(const hsp_fit *f, const int64_t *list, int64_t count, bool *constant, double *first, bool *seen,
                          double *row) {
    const hsp_matrix *x = &f->job.data->x;
    for (int64_t t = 0; t < count; t++) constant[list[t]] = true;
    for (int64_t i = 0; i < x->n; i++) {
        if (f->rows.c && f->rows.c[i] == 0) continue;
        hsp_row r = hsp_matrix_row(x, i);
        for (int64_t t = 0; r.id && t < r.count; t++) row[hsp_row_id(r, t)] = hsp_row_value(r, t);
        double *known = first + f->rows.y[i] * count;
        for (int64_t t = 0; t < count; t++) {
            double v = r.id ? row[list[t]] : hsp_row_value(r, list[t]);
            if (!seen[f->rows.y[i]]) known[t] = v;
            if (v != known[t]) constant[list[t]] = false;
        }
        seen[f->rows.y[i]] = true;
        for (int64_t t = 0; r.id && t < r.count; t++) row[hsp_row_id(r, t)] = 0;
    }
}

/* Where all values are the same, so is their mean: to the last bit, so that differences of means are 0 where they should
 * be. */
static void set_means(hsp_class_moments *m, const int64_t *list, int64_t count, const bool *constant, const double *first) {
    const hsp_design *D = m->design;
    for (int64_t t = 0; t < count; t++)
        for (int64_t k = 0, j = list[t]; constant[j] && k < m->K; k++) {
            double v = first[k * count + t], factor = D->factor ? D->factor[j] : 1;
            if (m->rows[k] > 0) m->mean[k * m->d + j] = (v - (D->shift ? D->shift[j] : 0)) * factor;
        }
}

/* Squares that overflowed, or that are lost below the least number. */
static int check_range(const hsp_fit *f, const hsp_class_moments *m, double divisor, const double *S, const bool *constant,
                       hsp_error **err) {
    for (int64_t j = 0; j < m->d; j++) {
        double sd = spread(m, divisor, S, j);
        if (isnan(S[j * m->d + j]) || sd > HSP_MOMENTS_LARGE) return hsp_class_extreme(f, j, "large", err);
        if (constant[j]) continue;
        if (largest_mean(m, j) > HSP_MOMENTS_LARGE) return hsp_class_extreme(f, j, "large", err);
        if (sd < 1 / HSP_MOMENTS_LARGE) return hsp_class_extreme(f, j, "small", err);
    }
    return HSP_OK;
}

static void erase(double *S, int64_t d, const bool *gone) {
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < d; j++)
            if (gone[i] || gone[j]) S[i * d + j] = 0;
}

int hsp_class_scatter_clean(const hsp_fit *f, hsp_class_moments *m, double divisor, double *S, hsp_error **err) {
    int64_t d = m->d, count = 0, *list = hsp_alloc(d, sizeof *list);
    bool *constant = hsp_alloc(d, sizeof *constant), *seen = NULL;
    double *first = NULL, *row = NULL;
    int status = constant && list ? HSP_OK : hsp_fail_memory(err);
    if (!status) count = suspects(f, m, divisor, S, constant, list);
    if (count > 0) {
        first = hsp_alloc(m->K * count, sizeof *first);
        row = hsp_alloc_zero(d, sizeof *row);
        seen = hsp_alloc_zero(m->K, sizeof *seen);
        if (first && row && seen) {
            find_constant(f, list, count, constant, first, seen, row);
            set_means(m, list, count, constant, first);
        } else {
            status = hsp_fail_memory(err);
        }
    }
    if (!status) status = check_range(f, m, divisor, S, constant, err);
    if (!status) erase(S, d, constant);
    hsp_free(list);
    hsp_free(constant);
    hsp_free(seen);
    hsp_free(first);
    hsp_free(row);
    return status;
}

/* ---- into the model ---- */

bool hsp_class_moments_small(const hsp_class_moments *m) {
    return m->d <= HSP_MOMENTS_COLUMNS && m->K <= HSP_MOMENTS_CLASSES;
}

int hsp_class_extra(hsp_fit *f, const char *name, int64_t rows, int64_t columns, double *data, hsp_error **err) {
    if (!data) return hsp_fail_memory(err);
    for (int64_t i = 0; i < rows * columns; i++)
        if (!isfinite(data[i])) {
            hsp_free(data);
            if (columns == f->job.design->d) return hsp_class_extreme(f, i % columns, "large or too small", err);
            return hsp_fail(err, HSP_EINPUT, "the values are too large or too small to compute with: %s", remedy(f));
        }
    f->out.extras[f->out.extra_count++] = (hsp_extra){name, rows, columns, data};
    return HSP_OK;
}

static double *copy(const double *from, int64_t count) {
    double *to = hsp_alloc(count, sizeof *to);
    if (to) memcpy(to, from, (size_t)count * sizeof *to);
    return to;
}

static void original_point(const hsp_fit *f, const hsp_class_moments *m, double *x) {
    if (!m->g) {
        hsp_prepare_unscale_point(f->job.prepare, x);
        return;
    }
    for (int64_t j = 0; j < m->d; j++) x[j] = x[j] / m->factor[j] + m->shift[j];
}

/* False when squares in original units are out of range, though they were not in the design's. */
static bool original_scatter(const hsp_fit *f, double *S) {
    int64_t d = f->job.design->d;
    for (int64_t j = 0; j < d; j++) {
        double factor = f->job.prepare->factor ? f->job.prepare->factor[j] : 1, sd = sqrt(S[j * d + j]) / factor;
        if (sd > HSP_MOMENTS_LARGE || (sd > 0 && factor > 1 && sd < 1 / HSP_MOMENTS_LARGE)) return false;
    }
    hsp_prepare_unscale_scatter(f->job.prepare, S);
    return true;
}

int hsp_class_moments_store(hsp_fit *f, const hsp_class_moments *m, double *scatter, hsp_error **err) {
    int64_t K = m->K, d = m->d;
    double *mean = copy(m->mean, K * d);
    for (int64_t k = 0; mean && k < K; k++)
        if (m->mass[k] > 0) original_point(f, m, mean + k * d);
    bool kept = true;
    for (int64_t k = 0; scatter && k < K; k++) {
        double divisor = m->mass[k] - 1;
        hsp_scale_f64(m->rows[k] > 1 && divisor > 0 ? 1 / divisor : 0, scatter + k * d * d, d * d);
        kept &= original_scatter(f, scatter + k * d * d);
    }
    if (!kept) {
        hsp_free(scatter);
        scatter = NULL;
        hsp_text_add(&f->notes.warnings, "the covariances of the classes are out of range in the units of the data: the "
                                         "model does not hold them\n");
    }
    int status = hsp_class_extra(f, "class-mass", K, 1, copy(m->mass, K), err);
    if (status)
        hsp_free(mean);
    else
        status = hsp_class_extra(f, "class-means", K, d, mean, err);
    if (status)
        hsp_free(scatter);
    else if (scatter)
        status = hsp_class_extra(f, "class-covariances", K * d, d, scatter, err);
    return status;
}
