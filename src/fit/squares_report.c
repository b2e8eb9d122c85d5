/* The output of least squares and ridge: details for the report, log lines and warnings, and moments for the model. */
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/schema.h"
#include "design/gram.h"
#include "fit/fit.h"
#include "fit/fit_report.h"
#include "fit/squares_fit.h"
#include "kernel/kernel.h"
#include "model/model.h"
#include "prepare/prepare.h"
#include "problem/squares.h"
#include "squares/squares_solve.h"

#include <inttypes.h>

/* The most names in a warning; the most names in the report. */
enum { FEW = 5, MANY = 1000 };

static void write_names(hsp_json *j, const hsp_fit *f, const char *key, const int64_t *columns, int64_t count) {
    char buf[64];
    hsp_json_array(j, key);
    for (int64_t t = 0; t < count && t < MANY; t++)
        hsp_json_string(j, NULL, hsp_schema_feature(&f->job.prepare->schema, columns[t], buf));
    hsp_json_array_end(j);
}

static void write_loo(hsp_json *j, const hsp_fit *f, const hsp_loo *loo, const double *scores) {
    if (!loo) {
        hsp_json_null(j, "loo_rmse");
        return;
    }
    hsp_json_number(j, "loo_press", loo->press);
    hsp_json_number(j, "loo_rmse", loo->rmse);
    if (!f->rows.target) hsp_json_number(j, "loo_error", loo->error);
    hsp_json_int(j, "loo_undefined", loo->undefined);
    if (!scores) return;
    hsp_json_array(j, "loo_scores");
    for (int64_t i = 0; i < f->job.design->n; i++) hsp_json_numbers(j, NULL, scores + i * f->out.outputs, f->out.outputs);
    hsp_json_array_end(j);
}

int hsp_squares_details(hsp_fit *f, const hsp_squares *p, const hsp_squares_answer *a, const hsp_loo *loo,
                        const double *scores, const hsp_squares_search *search, hsp_error **err) {
    hsp_json j = {0};
    f->notes.details_name = hsp_squares_penalised(p) ? "ridge" : "least_squares";
    hsp_json_object(&j, NULL);
    hsp_json_string(&j, "method", hsp_squares_path_name(a->path));
    hsp_json_number(&j, "condition", a->condition);
    if (!hsp_squares_penalised(p) && a->rank >= 0)
        hsp_json_int(&j, "rank", a->rank);
    else
        hsp_json_null(&j, "rank");
    write_names(&j, f, "constant_columns", a->constant, a->constants);
    write_names(&j, f, "dependent_columns", a->dependent, hsp_squares_penalised(p) ? 0 : a->dependents);
    if (a->path == HSP_SQUARES_LSMR) {
        hsp_json_int(&j, "iterations", a->iterations);
        if (!hsp_squares_penalised(p)) hsp_json_number(&j, "normal_residual", a->reached);
    }
    write_loo(&j, f, loo, scores);
    if (search) {
        hsp_json_numbers(&j, "lambda_grid", search->lambda, search->count);
        hsp_json_numbers(&j, "loo_mse", search->error, search->count);
    }
    hsp_json_object_end(&j);
    return hsp_json_take(&j, &f->notes.details, err);
}

/* ---- log lines and warnings ---- */

/* "a, b, c and 4 more" */
static void list_names(hsp_text *t, const hsp_fit *f, const int64_t *columns, int64_t count) {
    char buf[64];
    int64_t shown = count > FEW + 1 ? FEW : count;
    for (int64_t e = 0; e < shown; e++) {
        if (e) hsp_text_add(t, e + 1 == count ? " and " : ", ");
        hsp_text_add(t, hsp_schema_feature(&f->job.prepare->schema, columns[e], buf));
    }
    if (shown < count) hsp_text_format(t, " and %" PRId64 " more", count - shown);
}

static void warn_columns(hsp_fit *f, const hsp_squares *p, const hsp_squares_answer *a) {
    hsp_text *t = &f->notes.warnings;
    int64_t rows = hsp_squares_rows(p);
    if (a->dependents > 0) {
        hsp_text_format(t, "%" PRId64 " column%s of the others (", a->dependents,
                        a->dependents == 1 ? " is a linear combination" : "s are linear combinations");
        list_names(t, f, a->dependent, a->dependents);
        hsp_text_add(t, "): took the least-squares solution of minimum norm\n");
    } else if (a->path == HSP_SQUARES_DUAL || a->path == HSP_SQUARES_SVD) {
        hsp_text_format(t,
                        "%" PRId64 " column%s for %" PRId64
                        " row%s%s: took the least-squares solution of minimum norm; -a ridge is safer\n",
                        f->job.design->d, f->job.design->d == 1 ? "" : "s", rows, rows == 1 ? "" : "s",
                        rows < f->job.design->n ? " with weight" : "");
    }
}

/* Formats a number with three significant digits. */
static void short_number(double v, char *buf) {
    double scale = v > 0 && isfinite(v) ? pow(10, floor(log10(v)) - 2) : 1;
    hsp_format_number(scale > 0 && isfinite(v) ? round(v / scale) * scale : v, buf);
}

/* The best lambda at an end of the grid is not a minimum. */
static void warn_search(hsp_fit *f, const hsp_squares_search *search) {
    if (search->count == 0) return;
    if (search->best > search->lambda[search->count - 1] / 2)
        hsp_text_add(
            &f->notes.warnings,
            "--lambda auto chose the largest value of its grid: by leave-one-out the columns do not predict the target\n");
    if (search->best < search->lambda[0] * 2)
        hsp_text_add(&f->notes.warnings,
                     "--lambda auto chose the smallest value of its grid: -a least-squares is as good\n");
}

void hsp_squares_log(hsp_fit *f, const hsp_squares *p, const hsp_squares_answer *a, const hsp_squares_search *search) {
    static const char *const how[] = {
        [HSP_SQUARES_AUTO] = "",
        [HSP_SQUARES_GRAM] = "centred Gram matrix and Cholesky",
        [HSP_SQUARES_QR] = "QR of the rows and SVD, as the Gram matrix is too ill-conditioned",
        [HSP_SQUARES_DUAL] = "dual form and Cholesky, as there are about as many columns as rows or more",
        [HSP_SQUARES_SVD] = "SVD of the rows, as their Gram matrix is too ill-conditioned",
        [HSP_SQUARES_LSMR] = "LSMR",
    };
    char condition[32], reached[32];
    short_number(a->condition, condition);
    short_number(a->reached, reached);
    if (a->path == HSP_SQUARES_LSMR)
        hsp_fit_log(f, "%s: LSMR, %" PRId64 " iterations, %s %s", f->job.classifier->name, a->iterations,
                    hsp_squares_penalised(p) ? "relative gap" : "residual of the normal equations", reached);
    else
        hsp_fit_log(f, "%s: %s; condition number of the scaled columns about %s, rank %" PRId64 " of %" PRId64,
                    f->job.classifier->name, how[a->path], condition, a->rank, f->job.design->d);
    warn_search(f, search);
    if (hsp_squares_penalised(p)) return;
    warn_columns(f, p, a);
    if (a->constants > 0 && f->job.data->x.dense) { /* constant columns are common in sparse data */
        hsp_text *t = &f->notes.warnings;
        hsp_text_format(t, "%" PRId64 " column%s constant (", a->constants, a->constants == 1 ? " is" : "s are");
        list_names(t, f, a->constant, a->constants);
        hsp_text_format(t, ") and got weight 0\n");
    }
    if (!hsp_fit_converged(f))
        hsp_text_format(
            &f->notes.warnings,
            "least-squares did not converge in %" PRId64
            " iterations (relative residual of the normal equations %s): use -a ridge, which is better conditioned\n",
            a->iterations, reached);
}

/* ---- moments ---- */

static void add_extra(hsp_fit *f, const char *name, int64_t rows, double *data) {
    hsp_extra extra = {.name = name, .rows = rows, .columns = f->job.design->d, .data = data};
    f->out.extras[f->out.extra_count++] = extra;
}

/* Centred sums: second (d x d) of c z z', cross (K x d) of c t z, with z = x - mean and t = y less its mean. Those of the
 * solution where it has them, else by passes of their own. */
static int centred_sums(const hsp_squares *p, const hsp_squares_answer *a, double *second, double *cross, double *mean,
                        hsp_error **err) {
    int64_t n = p->design->n, d = p->design->d, K = p->K;
    if (a->gram) {
        memcpy(second, a->gram, (size_t)(d * d) * sizeof *second);
        memcpy(cross, a->cross, (size_t)(K * d) * sizeof *cross);
        memcpy(mean, a->mean, (size_t)d * sizeof *mean);
        return HSP_OK;
    }
    double mass, *R = hsp_alloc(n * K, sizeof *R), *y = hsp_alloc_zero(K, sizeof *y);
    int status = R && y ? hsp_design_group_sums(p->design, p->c, NULL, 1, &mass, mean, err) : hsp_fail_memory(err);
    if (!status) {
        hsp_scale_f64(1 / mass, mean, d);
        status = hsp_design_gram(p->design, p->c, mean, NULL, 1, second, err);
    }
    for (int64_t t = 0; !status && t < n * K; t++) y[t % K] += (p->c ? p->c[t / K] : 1) * p->Y[t] / mass;
    for (int64_t t = 0; !status && t < n * K; t++) R[t] = (p->c ? p->c[t / K] : 1) * (p->Y[t] - y[t % K]);
    if (!status) status = hsp_design_adjoint_many(p->design, R, K, cross, err);
    HSP_FREE(R, y);
    return status;
}

/* The mean of each target. */
static void mean_targets(const hsp_squares *p, double mass, double *y) {
    for (int64_t i = 0; i < p->design->n; i++)
        for (int64_t k = 0; k < p->K; k++) y[k] += hsp_squares_weight(p, i) * p->Y[i * p->K + k];
    hsp_scale_f64(1 / mass, y, p->K);
}

/* E[x x'] and E[x y] from centred sums, so that large means do not cancel the digits of small spreads. */
int hsp_squares_moments(hsp_fit *f, const hsp_squares *p, const hsp_squares_answer *a, hsp_error **err) {
    int64_t d = f->job.design->d, K = p->K;
    if (d > HSP_SQUARES_KEPT) return HSP_OK;
    double mass = hsp_squares_mass(p), *second = hsp_alloc(d * d, sizeof *second), *cross = hsp_alloc(K * d, sizeof *cross);
    double *mean = hsp_alloc(d, sizeof *mean), *y = hsp_alloc_zero(K, sizeof *y);
    int status = second && cross && mean && y ? centred_sums(p, a, second, cross, mean, err) : hsp_fail_memory(err);
    if (!status) {
        mean_targets(p, mass, y);
        hsp_scale_f64(1 / mass, second, d * d);
        hsp_scale_f64(1 / mass, cross, K * d);
        hsp_prepare_unscale_scatter(f->job.prepare, second);
        hsp_prepare_unscale_point(f->job.prepare, mean);
        for (int64_t j = 0; j < d; j++) {
            hsp_axpy_f64(mean[j], mean, second + j * d, d);
            double factor = f->job.prepare->factor ? f->job.prepare->factor[j] : 1;
            for (int64_t k = 0; k < K; k++) cross[k * d + j] = cross[k * d + j] / factor + mean[j] * y[k];
        }
        if (hsp_finite_f64(second, d * d) &&
            hsp_finite_f64(cross, K * d)) { /* if they overflow, the model is complete without them */
            add_extra(f, "second-moment", d, second);
            add_extra(f, "cross-moment", K, cross);
            second = cross = NULL;
        }
    }
    HSP_FREE(second, cross, mean, y);
    return status;
}
