/* fisher: the direction of the largest between-class over within-class scatter. */
#include "base/error.h"
#include "explain/class_centres.h"
#include "explain/derivation.h"
#include "explain/symmetric.h"
#include "kernel/kernel.h"
#include "moments/class_moments.h"

#include <math.h>
#include <string.h>

typedef struct scatters {
    double *mass, *mean;
    int64_t plus, minus;
    double *each;     /* 2 x d x d: covariance of each class */
    double *raw;      /* d x d: S_W */
    double *S;        /* S_W as it is inverted: shrunk, with the ridge */
    double *delta;    /* d: mu_+ - mu_- */
    double *between;  /* d x d: S_B */
    double *W;        /* d */
    double ridge, shrinkage;
    bool pooled;
    double W0;
} scatters;

static int sum_scatters(hsp_derivation *v, scatters *q, hsp_error **err) {
    int64_t d = v->rows.d;
    hsp_class_rows set = hsp_derivation_class_rows(v);
    hsp_class_moments m = {0};
    int status = hsp_class_moments_fit(&set, &m, err);
    if (!status) status = hsp_class_scatters(&set, &m, q->each, q->S, err);
    memset(q->S, 0, (size_t)(d * d) * sizeof *q->S);
    for (int64_t k = 0; !status && k < 2; k++) {
        double own = m.rows[k] > 1 ? m.mass[k] - 1 : 0, shared = m.total - 2, divisor = q->pooled ? shared : own;
        for (int64_t i = 0; m.rows[k] > 1 && divisor > 0 && i < d * d; i++) q->raw[i] += q->each[k * d * d + i] / divisor;
        for (int64_t i = 0; i < d * d; i++) q->each[k * d * d + i] = own > 0 ? q->each[k * d * d + i] / own : 0;
    }
    if (!status) status = hsp_class_scatter_clean(&set, &m, 1, q->raw, err);
    hsp_class_moments_clear(&m);
    return status;
}

/* S_W as the fit inverts it: shrunk; a column without spread gets a little; the ridge of the fit. */
static void complete_within(const hsp_derivation *v, scatters *q) {
    int64_t d = v->rows.d;
    memcpy(q->S, q->raw, (size_t)(d * d) * sizeof *q->S);
    hsp_shrinkage_apply(q->shrinkage, q->S, d);
    for (int64_t j = 0; j < d; j++) {
        double *own = q->S + j * d + j;
        if (!(*own > 0)) *own = 3e-8 * q->delta[j] * q->delta[j];
        *own *= 1 + q->ridge;
    }
}

/* J along a direction: (u.delta)^2 / (u' S_W u). */
static double criterion(const hsp_derivation *v, const scatters *q, const double *u) {
    int64_t d = v->rows.d;
    double top = hsp_dot_f64(u, q->delta, d), bottom = 0;
    for (int64_t j = 0; j < d; j++) bottom += u[j] * hsp_dot_f64(q->raw + j * d, u, d);
    return top * top / bottom;
}

static void write_scatters(hsp_derivation *v, const scatters *q) {
    hsp_exposition *e = &v->text;
    int64_t d = v->rows.d;
    hsp_exposition_section(e, "Scatter within and between the classes");
    HSP_SAY(e, "The covariance of a class measures how its rows spread about its mean:");
    HSP_FORMULA(e, "Sigma_k = sum c_i (x_i - mu_k)(x_i - mu_k)' / (sum c_i - 1), over the rows of class k~"
                   "\\Sigma_k = \\frac{1}{\\sum c_i - 1}\\sum_{i: y_i=k} c_i (x_i-\\mu_k)(x_i-\\mu_k)^T");
    for (int s = 0; s < 2; s++) {
        int64_t k = s ? q->minus : q->plus;
        HSP_SAY(e, s ? "`Sigma_-~\\Sigma_-`, of class '%1':" : "`Sigma_+~\\Sigma_+`, of class '%1':",
                word(hsp_derivation_class(v, k)));
        hsp_derivation_square(v, q->each + k * d * d);
        hsp_derivation_put_square(v, s ? "sigma_minus" : "sigma_plus", q->each + k * d * d);
    }
    HSP_SAY(e, q->pooled ? "The scatter within the classes is the pooled covariance, both sums over `sum c - 2~\\sum c - "
                           "2`:"
                         : "The scatter within the classes is `S_W = Sigma_+ + Sigma_-~S_W = \\Sigma_+ + \\Sigma_-`:");
    hsp_derivation_square(v, q->raw);
    HSP_SAY(e, "The scatter between them has one direction, that of `mu_+ - mu_- = %1~\\mu_+-\\mu_- = %1`: `S_B = (mu_+ - "
               "mu_-)(mu_+ - mu_-)'~S_B = (\\mu_+-\\mu_-)(\\mu_+-\\mu_-)^T`.",
            hsp_derivation_vector(v, q->delta));
    hsp_derivation_square(v, q->between);
    hsp_derivation_put_square(v, "S_W", q->raw);
    hsp_derivation_put(v, "difference_of_means", q->delta);
    hsp_derivation_put_square(v, "S_B", q->between);
}

static void write_singular(hsp_derivation *v, const scatters *q, const hsp_symmetric *raw) {
    hsp_exposition *e = &v->text;
    hsp_symmetric_describe(v, raw, "S_W", "eigenvalues");
    if (raw->rank < v->rows.d) {
        HSP_SAY(e, "Within the classes the following holds for the columns less their class means:");
        hsp_symmetric_describe_null(v, raw, false);
    }
    if (q->ridge > 0)
        HSP_SAY(e, "`S_W` cannot be inverted. The fit adds %1 of its own variance to every column; one that varies only "
                   "between the classes gets 3e-8 of its squared difference of means.",
                number(q->ridge));
    if (q->shrinkage > 0)
        HSP_SAY(e, "--shrinkage replaces `S_W` by `(1 - s) S_W + s tr(S_W)/d I~(1-s)S_W + s\\,\\tfrac{\\operatorname{tr} "
                   "S_W}{d} I` with s = %1.",
                number(q->shrinkage));
    hsp_exposition_number(e, "ridge", q->ridge);
    hsp_exposition_number(e, "shrinkage", q->shrinkage);
}

static int write_direction(hsp_derivation *v, scatters *q, hsp_error **err) {
    hsp_exposition *e = &v->text;
    int64_t d = v->rows.d, best = 0;
    hsp_symmetric raw, S;
    double J[3], *axis = hsp_derivation_zeros(v, d), most = -1;
    if (!axis) return hsp_fail_memory(err);
    int status = hsp_symmetric_new(v, q->raw, d, &raw, err);
    if (!status) status = hsp_symmetric_new(v, q->S, d, &S, err);
    if (status) return status;
    hsp_symmetric_solve(&S, q->delta, q->W);
    for (int64_t j = 0; j < d; j++) {
        double own = q->delta[j] * q->delta[j] / q->raw[j * d + j];
        if (isfinite(own) && own > most) most = own, best = j;
    }
    axis[best] = 1;
    J[0] = criterion(v, q, q->W), J[1] = criterion(v, q, q->delta), J[2] = criterion(v, q, axis);
    hsp_exposition_section(e, "The direction W");
    HSP_SAY(e, "Projected on W, the classes are far apart and each is narrow where the Fisher criterion is large:");
    HSP_FORMULA(e, "J(W) = (W' S_B W) / (W' S_W W)~J(W) = \\frac{W^T S_B W}{W^T S_W W}");
    HSP_SAY(e, "Its derivative is 0 where `S_B W~S_B W` and `S_W W~S_W W` are parallel. `S_B W~S_B W` always has the "
               "direction "
               "`mu_+ - mu_-~\\mu_+-\\mu_-`, so that");
    HSP_FORMULA(e, "W = S_W^-1 (mu_+ - mu_-) = %1~W = S_W^{-1}(\\mu_+-\\mu_-) = %1", hsp_derivation_vector(v, q->W));
    write_singular(v, q, &raw);
    HSP_SAY(e, "No other direction has a larger J. Along W it is `%1`; along the line through the means `%2`; along the "
               "best "
               "single feature `%3`.",
            number(J[0]), number(J[1]), number(J[2]));
    hsp_derivation_put(v, "W", q->W);
    hsp_exposition_number(e, "J", J[0]);
    hsp_exposition_vector(e, "J_of_others", J + 1, 2);
    return HSP_OK;
}

static void write_threshold(hsp_derivation *v, scatters *q) {
    hsp_exposition *e = &v->text;
    int64_t d = v->rows.d;
    const hsp_report *fisher = hsp_report_member(v->report, "fisher");
    const char *rule = hsp_report_text(fisher, "rule");
    double at[2], spread[2];
    for (int s = 0; s < 2; s++) {
        int64_t k = s ? q->minus : q->plus;
        at[s] = hsp_dot_f64(q->W, q->mean + k * d, d);
        spread[s] = 0;
        for (int64_t j = 0; j < d; j++) spread[s] += q->W[j] * hsp_dot_f64(q->each + k * d * d + j * d, q->W, d);
    }
    q->W0 = strcmp(rule, "midpoint") == 0 ? -(at[0] + at[1]) / 2 : v->b[0];
    hsp_exposition_section(e, "The threshold");
    HSP_SAY(e, "On the line `z = W.x~z = W\\cdot x` class '%1' has the mean `%2` and the variance `%3`, class '%4' the "
               "mean "
               "`%5` and the variance `%6`.",
            word(hsp_derivation_class(v, q->plus)), number(at[0]), number(spread[0]),
            word(hsp_derivation_class(v, q->minus)), number(at[1]), number(spread[1]));
    HSP_SAY(e, "The classifier is `g(x) = W.x + W_0~g(x) = W\\cdot x + W_0`: positive for class '%1'.",
            word(hsp_derivation_class(v, q->plus)));
    if (strcmp(rule, "midpoint") == 0)
        HSP_FORMULA(e, "W_0 = -W.(mu_+ + mu_-)/2 = -(%1 + %2)/2 = %3~W_0 = -\\tfrac12 W\\cdot(\\mu_++\\mu_-) = "
                       "-\\tfrac12(%1 + %2) = %3",
                    number(at[0]), number(at[1]), number(q->W0));
    else
        HSP_SAY(e, "--threshold %1 gives `W_0 = %2`.", word(rule), number(q->W0));
    hsp_exposition_vector(e, "projected_means", at, 2);
    hsp_exposition_vector(e, "projected_variances", spread, 2);
    hsp_exposition_number(e, "W0", q->W0);
}

static void write_rows(hsp_derivation *v, const scatters *q, double *x) {
    hsp_exposition *e = &v->text;
    int64_t row[HSP_SHOWN_ROWS], used = hsp_derivation_examples(v, row);
    double rows[HSP_SHOWN_ROWS], cells[HSP_SHOWN_ROWS][2];
    char label[HSP_ROW_LABEL];
    hsp_exposition_section(e, "Some rows");
    HSP_SAY(e, "The first row of each class, the row nearest to the boundary and the one farthest on the wrong side:");
    hsp_exposition_table(e, "row", (const char *const[]){"`W.x~W\\cdot x`", "`W.x + W_0~W\\cdot x + W_0`"}, 2);
    for (int64_t r = 0; r < used; r++) {
        hsp_derivation_row(v, row[r], x);
        rows[r] = (double)(row[r] + 1);
        cells[r][0] = hsp_dot_f64(q->W, x, v->rows.d);
        cells[r][1] = cells[r][0] + q->W0;
        hsp_exposition_row(e, hsp_derivation_row_label(v, row[r], label), cells[r], NULL);
    }
    hsp_exposition_table_end(e, NULL);
    hsp_exposition_vector(e, "rows", rows, used);
    hsp_exposition_matrix(e, "row_figures", &cells[0][0], used, 2);
}

static int allocate(hsp_derivation *v, scatters *q, hsp_error **err) {
    int64_t d = v->rows.d;
    q->each = hsp_derivation_zeros(v, 2 * d * d);
    q->raw = hsp_derivation_zeros(v, d * d);
    q->S = hsp_derivation_zeros(v, d * d);
    q->between = hsp_derivation_zeros(v, d * d);
    q->delta = hsp_derivation_zeros(v, d);
    q->W = hsp_derivation_zeros(v, d);
    return q->each && q->raw && q->S && q->between && q->delta && q->W ? HSP_OK : hsp_fail_memory(err);
}

static int explain_fisher(hsp_derivation *v, hsp_error **err) {
    const hsp_report *fisher = hsp_report_member(v->report, "fisher");
    scatters q = {.plus = v->prepare.positive, .minus = 1 - v->prepare.positive};
    q.ridge = hsp_report_number(fisher, "ridge");
    q.shrinkage = hsp_report_number(fisher, "shrinkage");
    q.pooled = strcmp(hsp_report_text(fisher, "within"), "pooled") == 0;
    int64_t d = v->rows.d;
    if (d > HSP_EXPLAIN_COLUMNS) return hsp_derivation_too_wide(v, err);
    int status = hsp_derivation_means(v, &q.mass, &q.mean, err);
    if (!status) status = allocate(v, &q, err);
    if (!status) status = sum_scatters(v, &q, err);
    if (status) return status;
    for (int64_t j = 0; j < d; j++) q.delta[j] = q.mean[q.plus * d + j] - q.mean[q.minus * d + j];
    for (int64_t i = 0; i < d * d; i++) q.between[i] = q.delta[i / d] * q.delta[i % d];
    complete_within(v, &q);
    hsp_derivation_show_means(v, q.mass, q.mean);
    write_scatters(v, &q);
    status = write_direction(v, &q, err);
    if (status) return status;
    write_threshold(v, &q);
    double *x = hsp_derivation_zeros(v, d);
    if (!x) return hsp_fail_memory(err);
    write_rows(v, &q, x);
    hsp_derivation_check(v, q.W, &q.W0, "The derived W and W_0");
    return HSP_OK;
}

const hsp_explanation hsp_explanation_fisher = {
    .algorithm = "fisher",
    .idea = "fisher projects the rows on the line on which the classes are farthest apart relative to their spread.",
    .write = explain_fisher};
