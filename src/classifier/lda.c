/* lda: Gaussian classes with a common covariance Sigma. The log posterior of class k is, up to a term that all classes
 * share,
 *     g_k(x) = W_k.(x - m) - W_k.M_k / 2 + log prior_k,   M_k = mu_k - m,   W_k = Sigma^-1 M_k,
 * for any m; the mean of all classes keeps the numbers small. Two classes use the difference of their scores. Sigma is
 * pooled, with the divisor (sum of weights) - K, from one pass over the rows; everything after it has d x d or
 * K x d elements.
 *
 * The discriminant directions are the principal axes of the class means, weighted by the priors, in coordinates in which
 * Sigma is the identity (whitened). An SVD of the K x d matrix of whitened means gives them without squaring. */
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/data.h"
#include "factor/factor.h"
#include "fit/fit.h"
#include "fit/fit_moments.h"
#include "kernel/kernel.h"
#include "model/model.h"
#include "moments/class_moments.h"
#include "prepare/prepare.h"

#include <math.h>
#include <string.h>

/* Directions along which the spread of the means is below this fraction of the largest are rounding errors. */
#define SAME_PLACE 1e-8
/* The score of a class without training rows: never the largest, and its probability is 0. */
#define NEVER (-1e300)

typedef struct lda {
    hsp_fit *f;
    hsp_class_rows set;
    hsp_class_moments m;
    hsp_within within;
    double *scatter;    /* K scatter matrices, stacked; NULL if there are too many columns */
    double delta;       /* shrinkage */
    double *prior;      /* K: without class weights */
    double *share;      /* K: with class weights, as in the decision; sums to 1 */
    double *centre;     /* d: m above, relative to g like all moments */
    double *M, *W;      /* K x d */
    double *explained;  /* K */
    int64_t directions; /* their number */
} lda;

static int check_classes(lda *l, hsp_error **err) {
    const hsp_fit *f = l->f;
    const hsp_classes *classes = &f->job.prepare->classes;
    int64_t present = 0;
    for (int64_t k = 0; k < l->m.K; k++) {
        present += l->m.mass[k] > 0;
        if (l->m.mass[k] > 0) continue;
        if (l->m.K == 2)
            return hsp_fail(err, HSP_EINPUT, "no row of class '%s' has a positive weight: lda needs rows of both classes",
                            classes->name[k]);
    }
    if (present < 2)
        return hsp_fail(err, HSP_EINPUT, "only one class has rows with a positive weight: lda needs at least two");
    if (l->m.total > (double)present) return HSP_OK;
    if (!f->rows.c)
        return hsp_fail(
            err, HSP_EINPUT,
            "no covariance can be estimated from one row for each class: give more rows, or use -a nearest-mean");
    return hsp_fail(err, HSP_EINPUT,
                    "the row weights sum to at most the number of classes, and lda counts a weight of m as m equal rows: "
                    "multiply all weights by a constant");
}

/* Computes the pooled covariance, cleaned and shrunk, ready to be inverted. */
static int pool_covariance(lda *l, hsp_error **err) {
    hsp_fit *f = l->f;
    int64_t d = l->m.d, K = l->m.K, present = 0;
    double *S = hsp_alloc(d * d, sizeof *S);
    bool small = hsp_class_moments_small(&l->m);
    if (small) l->scatter = hsp_alloc(K * d * d, sizeof *l->scatter);
    int status = S && (l->scatter || !small) ? HSP_OK : hsp_fail_memory(err);
    if (!status)
        status = small ? hsp_class_scatters(&l->set, &l->m, l->scatter, S, err)
                       : hsp_class_scatter(&l->set, &l->m, -1, NULL, S, err);
    for (int64_t k = 0; k < K; k++) present += l->m.mass[k] > 0;
    double divisor = l->m.total - (double)present;
    if (!status) status = hsp_class_scatter_clean(&l->set, &l->m, divisor, S, err);
    if (!status) status = hsp_shrinkage_choose(f->job.options, &l->set, &l->m, S, &l->delta, err);
    if (status) {
        hsp_free(S);
        return status;
    }
    hsp_scale_f64(1 / divisor, S, d * d);
    hsp_shrinkage_apply(l->delta, S, d);
    return hsp_within_new(S, d, &l->within, err);
}

static int invert_covariance(lda *l, hsp_error **err) {
    hsp_within *W = &l->within;
    bool regular;
    int status = hsp_within_cholesky(W, 0, &regular, err);
    l->f->notes.method = "cholesky";
    if (!status && !regular) {
        status = hsp_within_pseudo(W, err);
        l->f->notes.method = "pseudo-inverse";
    }
    if (status || W->rank == W->d) return status;
    l->f->notes.method = "pseudo-inverse"; /* even if Cholesky succeeded on the columns that vary */
    hsp_text *t = &l->f->notes.warnings;
    hsp_text_format(t, "the within-class covariance is singular, rank %lld of %lld", (long long)W->rank, (long long)W->d);
    if (W->varying < W->d)
        hsp_text_format(t, " (%lld column%s constant within every class)", (long long)(W->d - W->varying),
                        W->d - W->varying == 1 ? " is" : "s are");
    hsp_text_add(t, ": used its pseudo-inverse, which ignores the other directions");
    if (W->varying > 0 && !hsp_shrinkage_asked(l->f->job.options)) hsp_text_add(t, "; --shrinkage auto keeps them");
    hsp_text_add(t, "\n");
    return HSP_OK;
}

/* Computes the priors, and the means relative to their common centre. */
static int centre_means(lda *l, hsp_error **err) {
    const hsp_fit *f = l->f;
    int64_t K = l->m.K, d = l->m.d;
    l->prior = hsp_alloc(K, sizeof *l->prior);
    l->share = hsp_alloc(K, sizeof *l->share);
    l->centre = hsp_alloc_zero(d, sizeof *l->centre);
    l->M = hsp_alloc(K * d, sizeof *l->M);
    l->W = hsp_alloc(K * d, sizeof *l->W);
    l->explained = hsp_alloc_zero(K, sizeof *l->explained);
    if (!l->prior || !l->share || !l->centre || !l->M || !l->W || !l->explained) return hsp_fail_memory(err);
    int status = hsp_priors_choose(f->job.options, &f->job.prepare->classes, f->rows.class_weight, &l->m, l->prior, err);
    if (status) return status;
    double sum = 0;
    for (int64_t k = 0; k < K; k++) sum += l->share[k] = l->prior[k] * (f->rows.class_weight ? f->rows.class_weight[k] : 1);
    for (int64_t k = 0; k < K; k++) {
        l->share[k] /= sum;
        hsp_axpy_f64(l->share[k], l->m.mean + k * d, l->centre, d);
    }
    for (int64_t k = 0; k < K; k++)
        for (int64_t j = 0; j < d; j++) l->M[k * d + j] = l->m.mass[k] > 0 ? l->m.mean[k * d + j] - l->centre[j] : 0;
    return HSP_OK;
}

/* Class weights shift the log-odds of the decision; the model removes the shift from the probabilities. */
static void set_scores(lda *l) {
    hsp_fit *f = l->f;
    int64_t K = l->m.K, d = l->m.d, plus = f->job.prepare->positive, minus = 1 - plus;
    memcpy(l->W, l->M, (size_t)(K * d) * sizeof *l->W);
    hsp_within_solve(&l->within, l->W, K);
    double b[2];
    for (int64_t k = 0; k < K; k++) {
        const double *W = l->W + k * d;
        double offset = -hsp_dot_f64(W, l->centre, d) - hsp_dot_f64(W, l->M + k * d, d) / 2;
        double at = l->share[k] > 0 ? offset + log(l->share[k]) : NEVER;
        if (K == 2)
            b[k] = at;
        else
            f->out.b[k] = l->share[k] > 0 ? hsp_class_offset(&l->m, W, at) : NEVER;
    }
    f->out.link = K == 2 ? HSP_LINK_LOGISTIC : HSP_LINK_SOFTMAX;
    if (K > 2) {
        memcpy(f->out.w, l->W, (size_t)(K * d) * sizeof *f->out.w);
        return;
    }
    for (int64_t j = 0; j < d; j++) f->out.w[j] = l->W[plus * d + j] - l->W[minus * d + j];
    f->out.b[0] = hsp_class_offset(&l->m, f->out.w, b[plus] - b[minus]);
}

/* ---- discriminant directions ---- */

/* The sign that puts the class whose mean lies farthest along the direction on the positive side: the last of equals; of
 * two classes always the positive one. u: K numbers at a stride; u_k / sqrt(share_k) is proportional to the projected mean
 * of class k. */
static double direction_sign(const lda *l, const double *u, int64_t stride) {
    int64_t plus = l->f->job.prepare->positive;
    if (l->m.K == 2) return u[plus * stride] < 0 ? -1 : 1;
    double most = 0, at = 0;
    for (int64_t k = 0; k < l->m.K; k++) {
        double place = l->share[k] > 0 ? u[k * stride] / sqrt(l->share[k]) : 0;
        if (fabs(place) >= most * (1 - 1e-9)) {
            most = fmax(most, fabs(place));
            at = place;
        }
    }
    return at < 0 ? -1 : 1;
}

/* Stores the right singular vectors, mapped back to the columns:
 *     direction_j = sum_k (u_kj sqrt(share_k) / s_j) W_k */
static int store_directions(lda *l, const double *U, const double *s, int64_t few, hsp_error **err) {
    hsp_fit *f = l->f;
    int64_t K = l->m.K, d = l->m.d, r = l->directions;
    double *V = hsp_alloc_zero(r * d, sizeof *V), *offset = hsp_alloc(r, sizeof *offset);
    for (int64_t j = 0; V && offset && j < r; j++) {
        double sign = direction_sign(l, U + j, few);
        for (int64_t k = 0; k < K; k++)
            hsp_axpy_f64(sign * U[k * few + j] * sqrt(l->share[k]) / s[j], l->W + k * d, V + j * d, d);
        offset[j] = hsp_class_offset(&l->m, V + j * d, -hsp_dot_f64(V + j * d, l->centre, d));
        hsp_prepare_unscale(f->job.prepare, V + j * d, &offset[j]);
    }
    int status = hsp_fit_add_extra(f, "directions", r, d, V, err);
    if (status)
        hsp_free(offset);
    else
        status = hsp_fit_add_extra(f, "direction-offsets", r, 1, offset, err);
    return status;
}

static int find_directions(lda *l, hsp_error **err) {
    int64_t K = l->m.K, d = l->m.d, few = K < d ? K : d, most = K - 1 < d ? K - 1 : d;
    double *s = hsp_alloc(few, sizeof *s), *U = hsp_alloc(K * few, sizeof *U), *Vt = hsp_alloc(few * d, sizeof *Vt);
    double sum = 0;
    int status = s && U && Vt ? HSP_OK : hsp_fail_memory(err);
    if (status) goto done;
    hsp_within_whiten(&l->within, l->M, K);
    for (int64_t k = 0; k < K; k++) hsp_scale_f64(sqrt(l->share[k]), l->M + k * d, d);
    for (int64_t i = 0; i < K * d; i++)
        if (!isfinite(l->M[i])) goto done; /* then the weights are not finite either, and the model is rejected */
    status = hsp_svd(l->M, K, d, s, U, Vt);
    if (status) {
        status = status == HSP_EMEMORY
                     ? hsp_fail_memory(err)
                     : hsp_fail(err, status, "cannot compute the discriminant directions: try --shrinkage auto");
        goto done;
    }
    for (int64_t j = 0; j < few; j++) sum += s[j] * s[j];
    while (l->directions < most && s[l->directions] > SAME_PLACE * s[0]) l->directions++;
    for (int64_t j = 0; j < l->directions; j++) l->explained[j] = s[j] * s[j] / sum;
    if (l->directions > 0)
        status = store_directions(l, U, s, few, err);
    else
        hsp_text_add(&l->f->notes.warnings, "the class means are equal: the model cannot separate the classes\n");
done:
    HSP_FREE(s, U, Vt);
    return status;
}

static int report_lda(lda *l, hsp_error **err) {
    hsp_json j = {0};
    l->f->notes.details_name = "lda";
    hsp_json_object(&j, NULL);
    hsp_json_numbers(&j, "priors", l->prior, l->m.K);
    hsp_json_number(&j, "shrinkage", l->delta);
    hsp_json_int(&j, "rank", l->within.rank);
    hsp_json_numbers(&j, "explained", l->explained, l->directions);
    hsp_json_object_end(&j);
    return hsp_json_take(&j, &l->f->notes.details, err);
}

static int fit_lda(hsp_fit *f, hsp_error **err) {
    lda l = {.f = f, .set = hsp_fit_class_rows(f)};
    int status = hsp_class_moments_check_memory(f->job.design->d, err);
    if (!status) status = hsp_class_moments_fit(&l.set, &l.m, err);
    if (!status) status = check_classes(&l, err);
    if (!status) status = centre_means(&l, err);
    if (!status) status = pool_covariance(&l, err);
    if (!status) status = invert_covariance(&l, err);
    if (!status) {
        set_scores(&l);
        status = find_directions(&l, err);
    }
    if (!status) {
        status = hsp_fit_store_moments(f, &l.m, l.scatter, err);
        l.scatter = NULL;
        if (!status) status = report_lda(&l, err);
    }
    hsp_class_moments_clear(&l.m);
    hsp_within_clear(&l.within);
    HSP_FREE(l.scatter, l.prior, l.share, l.centre, l.M, l.W, l.explained);
    return status;
}

const hsp_classifier hsp_classifier_lda = {
    .name = "lda",
    .help =
        "Gaussian classes with a common covariance: posterior probabilities, discriminant directions; two or more classes",
    .options = HSP_OPTIONS_ANY " shrinkage priors",
    .probabilities = true,
    .fit = fit_lda};
