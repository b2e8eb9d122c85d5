/* lda: Gaussian classes with a common covariance, and Bayes' rule. */
#include "base/error.h"
#include "explain/class_centres.h"
#include "explain/derivation.h"
#include "explain/symmetric.h"
#include "kernel/kernel.h"
#include "moments/class_moments.h"

#include <math.h>
#include <string.h>

typedef struct gaussians {
    double *mass, *mean; /* K, K x d */
    double *prior;       /* K */
    double *share;       /* K: with class weights, as in the decision */
    double *Sigma;       /* d x d */
    double shrinkage, log_det;
    hsp_symmetric S;
    double *centre;      /* d: mean of the class means */
    double *W, *W0;      /* K x d, K: scores g_k = W_k.x + W0_k */
    int64_t of[HSP_SHOWN_CLASSES], classes; /* the classes that are shown */
} gaussians;

static int pool_covariance(hsp_derivation *v, gaussians *q, hsp_error **err) {
    int64_t d = v->rows.d;
    hsp_class_rows set = hsp_derivation_class_rows(v);
    hsp_class_moments m = {0};
    double present = 0;
    int status = hsp_class_moments_fit(&set, &m, err);
    if (!status) status = hsp_class_scatter(&set, &m, -1, NULL, q->Sigma, err);
    for (int64_t k = 0; !status && k < m.K; k++) present += m.mass[k] > 0;
    double divisor = m.total - present;
    if (!status) status = hsp_class_scatter_clean(&set, &m, divisor, q->Sigma, err);
    hsp_class_moments_clear(&m);
    if (status) return status;
    hsp_scale_f64(1 / divisor, q->Sigma, d * d);
    hsp_shrinkage_apply(q->shrinkage, q->Sigma, d);
    return HSP_OK;
}

/* log det of Sigma; NaN if it is singular. */
static double log_determinant(const gaussians *q, int64_t d) {
    double sum = q->S.rank < d ? (double)NAN : 0;
    for (int64_t j = 0; j < d; j++) sum += log(q->S.s[j]) - 2 * log(q->S.scale[j]);
    return sum;
}

static void set_priors(hsp_derivation *v, gaussians *q) {
    const hsp_report *lda = hsp_report_member(v->report, "lda");
    double sum = 0;
    for (int64_t k = 0; k < v->rows.K; k++) {
        q->prior[k] = hsp_report_number_at(lda, "priors", k);
        sum += q->share[k] = q->prior[k] * (v->model->class_weight ? v->model->class_weight[k] : 1);
    }
    for (int64_t k = 0; k < v->rows.K; k++) {
        q->share[k] /= sum;
        hsp_axpy_f64(q->share[k], q->mean + k * v->rows.d, q->centre, v->rows.d);
    }
}

/* Scores relative to the centre, as the fit has them. */
static void set_scores(hsp_derivation *v, gaussians *q, double *M) {
    int64_t d = v->rows.d;
    for (int64_t k = 0; k < v->rows.K; k++) {
        double *W = q->W + k * d;
        for (int64_t j = 0; j < d; j++) M[j] = q->mass[k] > 0 ? q->mean[k * d + j] - q->centre[j] : 0;
        hsp_symmetric_solve(&q->S, M, W);
        q->W0[k] = q->share[k] > 0 ? -hsp_dot_f64(W, q->centre, d) - hsp_dot_f64(W, M, d) / 2 + log(q->share[k]) : -1e300;
    }
}

static void choose_classes(hsp_derivation *v, gaussians *q) {
    int64_t pair[2];
    hsp_derivation_pair(v, q->mass, q->mean, pair);
    q->classes = v->rows.K <= HSP_SHOWN_CLASSES ? v->rows.K : 2;
    for (int64_t k = 0; k < q->classes; k++) q->of[k] = v->rows.K <= HSP_SHOWN_CLASSES ? k : pair[k];
}

static void write_model(hsp_derivation *v, const gaussians *q) {
    hsp_exposition *e = &v->text;
    hsp_exposition_section(e, "Priors and the common covariance");
    HSP_SAY(e, "Each class is a Gaussian about its mean, and all share one covariance matrix Sigma. The prior of a class "
               "is "
               "its share of the rows, or what --priors says.");
    hsp_exposition_table(e, "class", (const char *const[]){"`prior~\\pi_k`", "`log prior~\\log\\pi_k`"}, 2);
    for (int64_t k = 0; k < q->classes; k++)
        hsp_exposition_row(e, hsp_derivation_class(v, q->of[k]),
                           (double[]){q->prior[q->of[k]], log(q->prior[q->of[k]])}, NULL);
    hsp_exposition_table_end(e, NULL);
    if (v->rows.K > q->classes)
        HSP_SAY(e, "Of the %1 classes the text shows the two whose means are nearest.", whole(v->rows.K));
    if (v->model->class_weight)
        HSP_SAY(e, "In decisions a class counts with its prior times its class weight; in probabilities with its prior "
                   "alone.");
    HSP_FORMULA(e, "Sigma = sum_i c_i (x_i - mu_(y_i)) (x_i - mu_(y_i))' / (sum c - K)~"
                   "\\Sigma = \\frac{1}{\\sum c - K}\\sum_i c_i (x_i-\\mu_{y_i})(x_i-\\mu_{y_i})^T");
    hsp_derivation_square(v, q->Sigma);
    hsp_symmetric_describe(v, &q->S, "Sigma", "eigenvalues");
    if (q->S.rank < v->rows.d) {
        HSP_SAY(e, "Within the classes the following holds for the columns less their class means:");
        hsp_symmetric_describe_null(v, &q->S, false);
        HSP_SAY(e, "The fit uses the pseudo-inverse, which ignores these directions.");
    }
    if (q->shrinkage > 0)
        HSP_SAY(e, "--shrinkage has replaced Sigma by `(1 - s) Sigma + s tr(Sigma)/d I~(1-s)\\Sigma + "
                   "s\\,\\tfrac{\\operatorname{tr}\\Sigma}{d} I` with s = %1.",
                number(q->shrinkage));
    hsp_exposition_vector(e, "priors", q->prior, v->rows.K);
    hsp_derivation_put_square(v, "Sigma", q->Sigma);
    hsp_exposition_number(e, "shrinkage", q->shrinkage);
    hsp_exposition_number(e, "log_det", q->log_det);
}

static void write_pair(hsp_derivation *v, const gaussians *q, double *w, double *b) {
    hsp_exposition *e = &v->text;
    int64_t d = v->rows.d, pair[2];
    hsp_derivation_pair(v, q->mass, q->mean, pair);
    for (int64_t j = 0; j < d; j++) w[j] = q->W[pair[0] * d + j] - q->W[pair[1] * d + j];
    *b = q->W0[pair[0]] - q->W0[pair[1]];
    hsp_exposition_section(e, "The rule is linear");
    HSP_SAY(e, "By Bayes' rule the class with the largest prior x density wins. In the logarithm `x' Sigma^-1 "
               "x~x^T\\Sigma^{-1}x` "
               "is the same for all classes, and a linear score remains:");
    HSP_FORMULA(e, "g_k(x) = mu_k' Sigma^-1 x - 1/2 mu_k' Sigma^-1 mu_k + log prior_k~"
                   "g_k(x) = \\mu_k^T\\Sigma^{-1}x - \\tfrac12\\mu_k^T\\Sigma^{-1}\\mu_k + \\log\\pi_k");
    HSP_SAY(e, "Between '%1' (+) and '%2' (-) the difference of the scores "
               "decides:", word(hsp_derivation_class(v, pair[0])),
            word(hsp_derivation_class(v, pair[1])));
    HSP_FORMULA(e, "W = Sigma^-1 (mu_+ - mu_-) = %1~W = \\Sigma^{-1}(\\mu_+-\\mu_-) = %1", hsp_derivation_vector(v, w));
    HSP_FORMULA(e, "W_0 = -1/2 (mu_+ + mu_-)' Sigma^-1 (mu_+ - mu_-) + log(prior_+/prior_-) = %1~"
                   "W_0 = -\\tfrac12(\\mu_++\\mu_-)^T\\Sigma^{-1}(\\mu_+-\\mu_-) + \\log\\frac{\\pi_+}{\\pi_-} = %1",
                number(*b));
    hsp_exposition_vector(e, "pair", (double[]){(double)(pair[0] + 1), (double)(pair[1] + 1)}, 2);
    hsp_derivation_put(v, "W", w);
    hsp_exposition_number(e, "W0", *b);
}

/* (x - mu_k)' Sigma^-1 (x - mu_k). */
static double distance_to(const hsp_derivation *v, const gaussians *q, int64_t k, const double *x, double *t, double *u) {
    int64_t d = v->rows.d;
    for (int64_t j = 0; j < d; j++) t[j] = x[j] - q->mean[k * d + j];
    hsp_symmetric_solve(&q->S, t, u);
    return hsp_dot_f64(t, u, d);
}

/* Posterior of each class from the squared distances and priors. */
static void posteriors_of(const gaussians *q, int64_t K, const double *square, double *p) {
    double most = -INFINITY, sum = 0;
    for (int64_t k = 0; k < K; k++)
        if (q->prior[k] > 0) most = fmax(most, log(q->prior[k]) - square[k] / 2);
    for (int64_t k = 0; k < K; k++) sum += p[k] = q->prior[k] > 0 ? exp(log(q->prior[k]) - square[k] / 2 - most) : 0;
    for (int64_t k = 0; k < K; k++) p[k] /= sum;
}

typedef struct row_tables {
    double square[HSP_SHOWN_ROWS * HSP_SHOWN_CLASSES], density[HSP_SHOWN_ROWS * HSP_SHOWN_CLASSES];
    double posterior[HSP_SHOWN_ROWS * HSP_SHOWN_CLASSES];
} row_tables;

/* One of the tables: a row for each example, a column for each shown class. */
static void write_table(hsp_derivation *v, const gaussians *q, const int64_t *row, int64_t used, const double *cells) {
    char label[HSP_ROW_LABEL];
    hsp_exposition_table(&v->text, "row", NULL, 0);
    for (int64_t k = 0; k < q->classes; k++) hsp_exposition_heading(&v->text, hsp_derivation_class(v, q->of[k]));
    for (int64_t r = 0; r < used; r++)
        hsp_exposition_row(&v->text, hsp_derivation_row_label(v, row[r], label), cells + r * q->classes, NULL);
    hsp_exposition_table_end(&v->text, NULL);
}

static int write_rows(hsp_derivation *v, const gaussians *q, hsp_error **err) {
    hsp_exposition *e = &v->text;
    int64_t row[HSP_SHOWN_ROWS], used = hsp_derivation_examples(v, row), d = v->rows.d, K = v->rows.K;
    double *x = hsp_derivation_zeros(v, 3 * d), *square = hsp_derivation_zeros(v, 2 * K), rows[HSP_SHOWN_ROWS];
    row_tables t = {0};
    if (!x || !square) return hsp_fail_memory(err);
    for (int64_t r = 0; r < used; r++) {
        hsp_derivation_row(v, row[r], x);
        rows[r] = (double)(row[r] + 1);
        for (int64_t k = 0; k < K; k++) square[k] = distance_to(v, q, k, x, x + d, x + 2 * d);
        posteriors_of(q, K, square, square + K);
        for (int64_t k = 0; k < q->classes; k++) {
            t.square[r * q->classes + k] = square[q->of[k]];
            t.density[r * q->classes + k] = -(square[q->of[k]] + q->log_det + (double)d * log(2 * M_PI)) / 2;
            t.posterior[r * q->classes + k] = square[K + q->of[k]];
        }
    }
    hsp_exposition_section(e, "Some rows");
    HSP_SAY(e, "The squared Mahalanobis distance to each mean, `(x - mu_k)' Sigma^-1 (x - mu_k)~(x-\\mu_k)^T\\Sigma^{-1}"
               "(x-\\mu_k)`:");
    write_table(v, q, row, used, t.square);
    if (q->S.rank == d) {
        HSP_SAY(e, "The logarithm of the density, `-1/2 (distance^2 + log det Sigma + d log 2 "
                   "pi)~-\\tfrac12(\\text{distance}^2 "
                   "+ \\log\\det\\Sigma + d\\log 2\\pi)`, with `log det Sigma = %1~\\log\\det\\Sigma = %1`:",
                number(q->log_det));
        write_table(v, q, row, used, t.density);
        hsp_exposition_matrix(e, "log_densities", t.density, used, q->classes);
    }
    HSP_SAY(e, "The posterior probability, prior x density over their sum for all classes:");
    write_table(v, q, row, used, t.posterior);
    hsp_exposition_vector(e, "rows", rows, used);
    hsp_exposition_matrix(e, "squared_distances", t.square, used, q->classes);
    hsp_exposition_matrix(e, "posteriors", t.posterior, used, q->classes);
    return HSP_OK;
}

static int allocate(hsp_derivation *v, gaussians *q, hsp_error **err) {
    int64_t d = v->rows.d, K = v->rows.K;
    q->prior = hsp_derivation_zeros(v, K);
    q->share = hsp_derivation_zeros(v, K);
    q->Sigma = hsp_derivation_zeros(v, d * d);
    q->centre = hsp_derivation_zeros(v, d);
    q->W = hsp_derivation_zeros(v, K * d);
    q->W0 = hsp_derivation_zeros(v, K);
    return q->prior && q->share && q->Sigma && q->centre && q->W && q->W0 ? HSP_OK : hsp_fail_memory(err);
}

static int explain_lda(hsp_derivation *v, hsp_error **err) {
    gaussians q = {.shrinkage = hsp_report_number(hsp_report_member(v->report, "lda"), "shrinkage")};
    int64_t d = v->rows.d;
    if (d > HSP_EXPLAIN_COLUMNS) return hsp_derivation_too_wide(v, err);
    double *w = hsp_derivation_zeros(v, d), *M = hsp_derivation_zeros(v, d), b;
    int status = w && M ? allocate(v, &q, err) : hsp_fail_memory(err);
    if (!status) status = hsp_derivation_means(v, &q.mass, &q.mean, err);
    if (!status) status = pool_covariance(v, &q, err);
    if (!status) status = hsp_symmetric_new(v, q.Sigma, d, &q.S, err);
    if (status) return status;
    q.log_det = log_determinant(&q, d);
    set_priors(v, &q);
    set_scores(v, &q, M);
    choose_classes(v, &q);
    hsp_derivation_show_means(v, q.mass, q.mean);
    write_model(v, &q);
    write_pair(v, &q, w, &b);
    status = write_rows(v, &q, err);
    if (status) return status;
    if (v->rows.K == 2)
        hsp_derivation_check(v, w, &b, "The derived W and W_0");
    else
        hsp_derivation_check(v, q.W, q.W0, "The scores of the classes (less what all of them share, which changes "
                                           "nothing)");
    return HSP_OK;
}

const hsp_explanation hsp_explanation_lda = {
    .algorithm = "lda",
    .idea = "lda models each class as a Gaussian with a common covariance and predicts the most probable class.",
    .write = explain_lda};
