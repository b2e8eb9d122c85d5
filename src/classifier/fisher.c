/* fisher: the direction along which the means of two classes are farthest apart relative to the spread within the classes.
 * It maximises
 *     J(w) = (w.(mu_+ - mu_-))^2 / (w' S_W w),   so   w = S_W^-1 (mu_+ - mu_-)
 * S_W is the sum of the two class covariances, or the pooled one. A row is of the positive class if w.x > beta: the
 * intercept is -beta.
 *
 * If S_W is singular, a ridge of 3e-8 of its own variance is added to every column, above the square root of the rounding
 * unit: less would leave w to rounding errors (with 1e-8 a row of weight 2 and the same row twice gave scores that differ in
 * the seventh digit), more would cost digits. If the means differ in a direction without any
 * spread, w turns into that direction, which maximises J. If they do not, the ridge distributes the weight among collinear
 * columns. */
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "design/design.h"
#include "fit/fit.h"
#include "fit/fit_moments.h"
#include "kernel/kernel.h"
#include "moments/class_moments.h"
#include "moments/threshold.h"
#include "option/options.h"
#include "prepare/prepare.h"

#include <math.h>
#include <string.h>

#define RIDGE 3e-8

typedef struct fisher {
    hsp_fit *f;
    hsp_class_rows set;
    hsp_class_moments m;
    hsp_within within;
    int64_t plus, minus;
    bool pooled;
    double delta;       /* shrinkage */
    int64_t idle;       /* constant columns */
    bool apart;         /* some column varies between the classes but not within */
    bool spread;        /* some column varies within the classes */
    double *scatter;    /* 2 d x d, the scatter of each class in order; NULL if there are too many columns */
    double middle;      /* w.(mu_+ + mu_-)/2, relative to g like all moments */
    double *z;          /* n: w.x - middle */
    double mean[2];     /* of z in each class */
    double variance[2]; /* of z in each class */
    double within_variance, J;
    double threshold; /* of z */
} fisher;

static int check_classes(fisher *p, hsp_error **err) {
    hsp_fit *f = p->f;
    for (int64_t k = 0; k < 2; k++) {
        const char *name = f->job.prepare->classes.name[k];
        if (!(p->m.mass[k] > 0))
            return hsp_fail(err, HSP_EINPUT,
                            "no row of class '%s' has a positive weight: fisher needs rows of both classes", name);
        if (p->m.rows[k] == 1)
            hsp_text_format(&f->notes.warnings, "class '%s' has a single row: its covariance is set to 0\n", name);
        else if (p->m.mass[k] <= 1)
            return hsp_fail(err, HSP_EINPUT,
                            "the row weights of class '%s' sum to at most 1, and fisher counts a weight of m as m equal "
                            "rows: multiply all weights by a constant",
                            name);
    }
    if (p->pooled && p->m.total <= 2 && (p->m.rows[0] > 1 || p->m.rows[1] > 1))
        return hsp_fail(err, HSP_EINPUT,
                        "the row weights sum to at most 2, and fisher counts a weight of m as m equal rows: multiply all "
                        "weights by a constant");
    return HSP_OK;
}

/* The factor of the scatter of class k in S_W. */
static double scatter_weight(const fisher *p, int64_t k) {
    double divisor = p->pooled ? p->m.total - 2 : p->m.mass[k] - 1;
    return p->m.rows[k] > 1 && divisor > 0 ? 1 / divisor : 0;
}

/* Gives a column that varies only between the classes the ridge as its variance, in units of the difference of the
 * means. */
static int fill_missing_spread(fisher *p, const double *between, double *S, hsp_error **err) {
    for (int64_t j = 0, d = p->m.d; j < d; j++) {
        double apart = fabs(between[j]);
        p->spread |= S[j * d + j] > 0;
        if (S[j * d + j] > 0) continue;
        if (!(apart < HSP_MOMENTS_LARGE)) return hsp_class_extreme(p->f->job.prepare, j, "large", err);
        if (apart > 0 && apart < 1 / HSP_MOMENTS_LARGE) return hsp_class_extreme(p->f->job.prepare, j, "small", err);
        S[j * d + j] = RIDGE * apart * apart;
        p->apart |= apart > 0;
        p->idle += apart == 0;
    }
    return HSP_OK;
}

/* Computes S_W, cleaned and shrunk, ready to be inverted, and fills between with mu_+ - mu_-. */
static int within_scatter(fisher *p, double *between, hsp_error **err) {
    int64_t d = p->m.d;
    double *S = hsp_alloc(d * d, sizeof *S);
    p->scatter = hsp_alloc(2 * d * d, sizeof *p->scatter);
    int status = S && p->scatter ? hsp_class_scatters(&p->set, &p->m, p->scatter, S, err) : hsp_fail_memory(err);
    if (!status) status = hsp_shrinkage_choose(p->f->job.options, &p->set, &p->m, S, &p->delta, err);
    if (!status) {
        memset(S, 0, (size_t)(d * d) * sizeof *S);
        for (int64_t k = 0; k < 2; k++) hsp_axpy_f64(scatter_weight(p, k), p->scatter + k * d * d, S, d * d);
        status = hsp_class_scatter_clean(&p->set, &p->m, 1, S, err);
    }
    if (status) {
        hsp_free(S);
        return status;
    }
    if (!hsp_class_moments_small(&p->m)) {
        hsp_free(p->scatter);
        p->scatter = NULL;
    }
    for (int64_t j = 0; j < d; j++) between[j] = p->m.mean[p->plus * d + j] - p->m.mean[p->minus * d + j];
    hsp_shrinkage_apply(p->delta, S, d);
    status = fill_missing_spread(p, between, S, err);
    if (status) {
        hsp_free(S);
        return status;
    }
    return hsp_within_new(S, d, &p->within, err);
}

/* Solves
 *     w = S_W^-1 between */
static int solve_direction(fisher *p, hsp_error **err) {
    hsp_fit *f = p->f;
    hsp_within *W = &p->within;
    bool regular = false;
    int status = p->apart ? HSP_OK : hsp_within_cholesky(W, 0, &regular, err);
    f->notes.method = "cholesky";
    for (double ridge = RIDGE; !status && !regular; ridge *= 10) {
        status = hsp_within_cholesky(W, ridge, &regular, err);
        regular = W->rcond > 0; /* the factor is accurate with this ridge, whatever the estimate for large d */
    }
    if (status) return status;
    hsp_within_solve(W, f->out.w, 1);
    hsp_text *t = &f->notes.warnings;
    if (W->ridge > 0) {
        hsp_text_add(t, "the within-class scatter is singular");
        if (W->varying < W->d || p->apart) hsp_text_add(t, " (some columns are constant within the classes)");
        hsp_text_add(t, ": added a ridge of ");
        hsp_text_number(t, W->ridge);
        hsp_text_add(t, " times the variance of each column");
        if (p->spread && !hsp_shrinkage_asked(f->job.options))
            hsp_text_add(t, "; --shrinkage auto or --shrinkage X adds more");
        hsp_text_add(t, "\n");
    } else if (p->idle > 0) {
        hsp_text_format(t, "%lld column%s: the within-class scatter is singular there, and the weight is 0\n",
                        (long long)p->idle, p->idle == 1 ? " is constant" : "s are constant");
    }
    return HSP_OK;
}

/* Means, variances and J on w from the moments alone. */
static void project_moments(fisher *p) {
    const hsp_fit *f = p->f;
    int64_t d = p->m.d;
    const double *w = f->out.w;
    for (int64_t k = 0; k < 2; k++) {
        const double *S = f->job.moments->scatter + k * d * d;
        double squares = 0;
        for (int64_t j = 0; j < d; j++) squares += w[j] * hsp_dot_f64(S + j * d, w, d);
        p->mean[k] = hsp_dot_f64(w, p->m.mean + k * d, d) - p->middle;
        p->variance[k] = p->m.rows[k] > 1 ? squares / (p->m.mass[k] - 1) : 0;
        p->within_variance += squares * scatter_weight(p, k);
    }
}

/* Projects every row on w, with the midpoint of the means at 0, and computes means, variances and J there. */
static int project_rows(fisher *p, hsp_error **err) {
    hsp_fit *f = p->f;
    int64_t n = f->job.design->n, d = p->m.d;
    p->z = hsp_alloc(f->job.moments ? 0 : n, sizeof *p->z);
    if (!p->z) return hsp_fail_memory(err);
    p->middle = 0;
    for (int64_t k = 0; k < 2; k++) p->middle += hsp_dot_f64(f->out.w, p->m.mean + k * d, d) / 2;
    if (f->job.moments)
        project_moments(p);
    else
        hsp_design_scores(p->m.design, f->out.w, -p->middle, p->z);
    for (int64_t k = 0; !f->job.moments && k < 2; k++) {
        double sum = 0, squares = 0;
        for (int64_t i = 0; i < n; i++) sum += f->rows.y[i] == k ? (f->rows.c ? f->rows.c[i] : 1) * p->z[i] : 0;
        p->mean[k] = sum / p->m.mass[k];
        for (int64_t i = 0; i < n; i++) {
            double off = f->rows.y[i] == k ? p->z[i] - p->mean[k] : 0;
            squares += (f->rows.c ? f->rows.c[i] : 1) * off * off;
        }
        p->variance[k] = p->m.rows[k] > 1 ? squares / (p->m.mass[k] - 1) : 0;
        p->within_variance += squares * scatter_weight(p, k);
    }
    double apart = p->mean[p->plus] - p->mean[p->minus];
    p->J = p->within_variance > 0 ? apart * apart / p->within_variance : NAN;
    return HSP_OK;
}

/* ---- the threshold ---- */

/* Two Gaussian classes with means m_+, m_- and a common variance v on the line have the log-odds
 *     (m_+ - m_-)/v (z - (m_+ + m_-)/2) + log(mass_+ / mass_-),
 * which are 0 at
 *     z = (m_+ + m_-)/2 - v log(mass_+ / mass_-) / (m_+ - m_-).
 * v is pooled, whatever S_W is. */
static double prior_threshold(const fisher *p) {
    double apart = p->mean[p->plus] - p->mean[p->minus], v = 0;
    for (int64_t k = 0; k < 2; k++)
        if (p->m.rows[k] > 1) v += (p->m.mass[k] - 1) * p->variance[k];
    v = p->m.total > 2 ? v / (p->m.total - 2) : 0;
    double shift = apart > 0 ? v * log(p->m.mass[p->plus] / p->m.mass[p->minus]) / apart : 0;
    return (p->mean[0] + p->mean[1]) / 2 - shift;
}

static int choose_threshold(fisher *p, hsp_error **err) {
    hsp_fit *f = p->f;
    int status = HSP_OK;
    p->threshold = (p->mean[0] + p->mean[1]) / 2;
    if (hsp_options_is(f->job.options, "threshold", "prior")) p->threshold = prior_threshold(p);
    if (hsp_options_is(f->job.options, "threshold", "best"))
        status = hsp_threshold_fewest_mistakes(&p->set, p->z, p->plus, p->m.total, &p->threshold, err);
    f->out.b[0] = hsp_class_offset(&p->m, f->out.w, -p->middle - p->threshold);
    return status;
}

/* ---- report and extras, in original units ---- */

/* Stores w in original units as the only direction. *zero: the projection w.x at which z is 0, so w.x = z + zero. */
static int store_direction(fisher *p, double *zero, hsp_error **err) {
    hsp_fit *f = p->f;
    int64_t d = p->m.d;
    double *w = hsp_alloc(d, sizeof *w), *offset = hsp_alloc_zero(1, sizeof *offset);
    double b = hsp_class_offset(&p->m, f->out.w, -p->middle);
    if (w && offset) {
        memcpy(w, f->out.w, (size_t)d * sizeof *w);
        hsp_prepare_unscale(f->job.prepare, w, &b);
    }
    *zero = -b;
    int status = hsp_fit_add_extra(f, "directions", 1, d, w, err);
    if (status)
        hsp_free(offset);
    else
        status = hsp_fit_add_extra(f, "direction-offsets", 1, 1, offset, err);
    return status;
}

static int report_fisher(fisher *p, double zero, hsp_error **err) {
    hsp_fit *f = p->f;
    hsp_json j = {0};
    double means[2] = {p->mean[0] + zero, p->mean[1] + zero};
    f->notes.details_name = "fisher";
    hsp_json_object(&j, NULL);
    hsp_json_number(&j, "J", p->J);
    hsp_json_number(&j, "threshold", p->threshold + zero);
    hsp_json_string(&j, "rule", hsp_options_text(f->job.options, "threshold"));
    hsp_json_numbers(&j, "projected_means", means, 2);
    hsp_json_numbers(&j, "projected_variances", p->variance, 2);
    hsp_json_string(&j, "within", p->pooled ? "pooled" : "sum");
    hsp_json_number(&j, "shrinkage", p->delta);
    hsp_json_number(&j, "ridge", p->within.ridge);
    hsp_json_object_end(&j);
    return hsp_json_take(&j, &f->notes.details, err);
}

static int fit_fisher(hsp_fit *f, hsp_error **err) {
    int64_t K = f->job.prepare->classes.count;
    if (K != 2)
        return hsp_fail(err, HSP_EUSAGE,
                        "fisher needs two classes, and the data have %lld: use -a lda, or --positive A,B for some classes "
                        "against the rest",
                        (long long)K);
    fisher p = {.f = f,
                .set = hsp_fit_class_rows(f),
                .plus = f->job.prepare->positive,
                .minus = 1 - f->job.prepare->positive,
                .pooled = hsp_options_is(f->job.options, "within", "pooled")};
    int status = hsp_class_moments_check_memory(f->job.design->d, err);
    if (!status) status = hsp_class_moments_fit(&p.set, &p.m, err);
    if (!status) status = check_classes(&p, err);
    if (!status) status = within_scatter(&p, f->out.w, err);
    if (!status) status = solve_direction(&p, err);
    if (!status) status = project_rows(&p, err);
    if (!status) status = choose_threshold(&p, err);
    double zero;
    if (!status) status = store_direction(&p, &zero, err);
    if (!status) {
        status = hsp_fit_store_moments(f, &p.m, p.scatter, err);
        p.scatter = NULL;
        if (!status) status = report_fisher(&p, zero, err);
    }
    hsp_class_moments_clear(&p.m);
    hsp_within_clear(&p.within);
    HSP_FREE(p.scatter, p.z);
    return status;
}

const hsp_classifier hsp_classifier_fisher = {
    .name = "fisher",
    .help = "Fisher's discriminant: maximum between-class over within-class scatter; two classes",
    .options = HSP_OPTIONS_ANY " within threshold shrinkage",
    .two_classes = true,
    .fit = fit_fisher};
