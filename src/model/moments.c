/* Means, covariances, scatter matrices and second moments of a model, as one JSON object in original units: those that the
 * fit stored, and those that follow from them. M_k, mu_k and Sigma_k (divisor M_k - 1) are the masses, means and
 * covariances of the classes, M = sum M_k, and m is the mean of all rows.
 *   within    fisher: sum Sigma_k, or pooled
 *             else pooled: sum (M_k - 1) Sigma_k / (M - K)
 *   between   two classes: (mu_+ - mu_-)(mu_+ - mu_-)'
 *             else sum M_k/M (mu_k - m)(mu_k - m)'
 *   E[x x']   sum M_k/M ((M_k - 1)/M_k Sigma_k + mu_k mu_k')
 *   E[x y]    of each output, y = +1 for its class and -1 for the others: sum M_k/M y_k mu_k */
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

/* Larger d x d matrices are not written. */
enum { MOST_COLUMNS = 64 };

typedef struct moments_view {
    const hsp_model *m;
    int64_t K, d;
    const double *mass, *mean, *covariance; /* NULL if the model has none */
    double total;                           /* sum of the masses */
    double *S;                              /* scratch: d x d, or d when d is large */
} moments_view;

static const double *extra(const hsp_model *m, const char *name) {
    const hsp_extra *x = hsp_model_extra(m, name);
    return x ? x->data : NULL;
}

static void clear_view(const moments_view *v) {
    for (int64_t i = 0; i < v->d * v->d; i++) v->S[i] = 0;
}

/* S += a x x' */
static void add_outer(const moments_view *v, double a, const double *x) {
    for (int64_t i = 0; i < v->d; i++)
        for (int64_t j = 0; j < v->d; j++) v->S[i * v->d + j] += a * (x[i] * x[j]);
}

/* S += a Sigma_k */
static void add_covariance(const moments_view *v, double a, int64_t k) {
    const double *C = v->covariance + k * v->d * v->d;
    for (int64_t i = 0; i < v->d * v->d; i++) v->S[i] += a * C[i];
}

static void write_matrix(hsp_json *j, const char *key, const double *A, int64_t rows, int64_t columns) {
    hsp_json_array(j, key);
    for (int64_t i = 0; i < rows; i++) hsp_json_numbers(j, NULL, A + i * columns, columns);
    hsp_json_array_end(j);
}

/* Writes the means; a class without rows has none. */
static void write_means(const moments_view *v, hsp_json *j) {
    if (!v->mean) {
        hsp_json_null(j, "means");
        return;
    }
    hsp_json_array(j, "means");
    for (int64_t k = 0; k < v->K; k++) {
        if (!v->mass || v->mass[k] > 0)
            hsp_json_numbers(j, NULL, v->mean + k * v->d, v->d);
        else
            hsp_json_null(j, NULL);
    }
    hsp_json_array_end(j);
}

static void write_covariances(const moments_view *v, hsp_json *j) {
    if (!v->covariance) {
        hsp_json_null(j, "covariances");
        return;
    }
    hsp_json_array(j, "covariances");
    for (int64_t k = 0; k < v->K; k++) write_matrix(j, NULL, v->covariance + k * v->d * v->d, v->d, v->d);
    hsp_json_array_end(j);
}

/* Whether the fit summed the class covariances instead of pooling them. */
static bool adds_up(const hsp_model *m) {
    if (strcmp(m->algorithm, "fisher") != 0) return false;
    const char *within = hsp_report_text(m->options, "within");
    return !within || strcmp(within, "sum") == 0;
}

static void write_within(const moments_view *v, hsp_json *j) {
    int64_t present = 0;
    for (int64_t k = 0; v->covariance && k < v->K; k++) present += v->mass[k] > 0;
    bool sum = v->covariance && adds_up(v->m);
    double divisor = v->total - (double)present;
    if (!v->covariance || (!sum && divisor <= 0)) {
        hsp_json_null(j, "within_scatter");
        return;
    }
    clear_view(v);
    for (int64_t k = 0; k < v->K; k++)
        if (v->mass[k] > 0) add_covariance(v, sum ? 1 : (v->mass[k] - 1) / divisor, k);
    write_matrix(j, "within_scatter", v->S, v->d, v->d);
}

/* row: scratch of 2 d numbers. */
static void write_between(const moments_view *v, hsp_json *j, double *row) {
    if (!v->mean || !v->mass || v->d > MOST_COLUMNS) {
        hsp_json_null(j, "between_scatter");
        return;
    }
    clear_view(v);
    if (v->K == 2) {
        for (int64_t i = 0; i < v->d; i++) row[i] = v->mean[i] - v->mean[v->d + i];
        add_outer(v, 1, row);
    }
    double *centre = row + v->d;
    for (int64_t i = 0; i < v->d; i++) {
        centre[i] = 0;
        for (int64_t k = 0; k < v->K; k++) centre[i] += v->mass[k] / v->total * v->mean[k * v->d + i];
    }
    for (int64_t k = 0; v->K > 2 && k < v->K; k++) {
        for (int64_t i = 0; i < v->d; i++) row[i] = v->mean[k * v->d + i] - centre[i];
        add_outer(v, v->mass[k] / v->total, row);
    }
    write_matrix(j, "between_scatter", v->S, v->d, v->d);
}

static void write_second(const moments_view *v, hsp_json *j) {
    const double *stored = extra(v->m, "second-moment");
    if (!stored && v->covariance) {
        clear_view(v);
        for (int64_t k = 0; k < v->K; k++) {
            if (!(v->mass[k] > 0)) continue;
            add_covariance(v, (v->mass[k] - 1) / v->total, k);
            add_outer(v, v->mass[k] / v->total, v->mean + k * v->d);
        }
        stored = v->S;
    }
    if (stored)
        write_matrix(j, "second_moment", stored, v->d, v->d);
    else
        hsp_json_null(j, "second_moment");
}

static void write_cross(const moments_view *v, hsp_json *j, double *row) {
    const double *stored = extra(v->m, "cross-moment");
    int64_t outputs = v->m->outputs, positive = v->m->prepare.positive;
    if (!stored && (!v->mean || !v->mass)) {
        hsp_json_null(j, "cross_moment");
        return;
    }
    hsp_json_array(j, "cross_moment");
    for (int64_t o = 0; o < outputs; o++) {
        int64_t plus = outputs == 1 ? positive : o;
        for (int64_t i = 0; i < v->d; i++) {
            row[i] = stored ? stored[o * v->d + i] : 0;
            for (int64_t k = 0; !stored && k < v->K; k++)
                row[i] += (k == plus ? 1 : -1) * (v->mass[k] / v->total) * v->mean[k * v->d + i];
        }
        hsp_json_numbers(j, NULL, row, v->d);
    }
    hsp_json_array_end(j);
}

static int write_moments(const moments_view *v, hsp_report **out, hsp_error **err) {
    hsp_json j = {0};
    double *row = hsp_alloc(2 * v->d, sizeof *row);
    if (!row) return hsp_fail_memory(err);
    hsp_json_object(&j, NULL);
    hsp_json_array(&j, "classes");
    for (int64_t k = 0; k < v->K; k++) hsp_json_string(&j, NULL, v->m->prepare.classes.name[k]);
    hsp_json_array_end(&j);
    if (v->mass)
        hsp_json_numbers(&j, "mass", v->mass, v->K);
    else
        hsp_json_null(&j, "mass");
    write_means(v, &j);
    write_covariances(v, &j);
    write_within(v, &j);
    write_between(v, &j, row);
    write_second(v, &j);
    write_cross(v, &j, row);
    hsp_json_number(&j, "threshold", v->m->outputs == 1 && !v->m->prepare.regression ? -v->m->b[0] : NAN);
    hsp_json_object_end(&j);
    hsp_free(row);
    return hsp_json_take(&j, out, err);
}

int hsp_model_moments(const hsp_model *m, hsp_report **out, hsp_error **err) {
    *out = NULL;
    moments_view v = {.m = m,
                      .K = m->prepare.classes.count,
                      .d = m->prepare.schema.d,
                      .mass = extra(m, "class-mass"),
                      .mean = extra(m, "class-means"),
                      .covariance = extra(m, "class-covariances")};
    if (!v.mean && !extra(m, "second-moment") && !extra(m, "cross-moment"))
        return hsp_fail(err, HSP_EUSAGE,
                        "the model (%s) stores no moments: train nearest-mean, fisher or lda, or least-squares or ridge "
                        "with at most %d columns",
                        m->algorithm, MOST_COLUMNS);
    if (!v.mass || !v.mean) v.covariance = NULL;
    for (int64_t k = 0; v.mass && k < v.K; k++) v.total += v.mass[k];
    if (!(v.total > 0)) v.mass = v.mean = v.covariance = NULL; /* a file may contain invalid masses */
    bool squares = v.covariance || v.d <= MOST_COLUMNS;
    v.S = hsp_alloc(squares ? v.d * v.d : 1, sizeof *v.S);
    int status = v.S ? write_moments(&v, out, err) : hsp_fail_memory(err);
    hsp_free(v.S);
    return status;
}
