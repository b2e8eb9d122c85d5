#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/report_build.h"
#include "data/data.h"
#include "data/schema.h"
#include "prepare/prepare.h"
#include "select/path.h"

#include <math.h>

enum { MOST_DENSE = 1000 }; /* features up to which a row of weights is written whole */

static void write_rows(const hsp_path_points *p, hsp_json *j) {
    double *w = hsp_alloc(p->count * p->d, sizeof *w);
    if (!w) {
        hsp_json_fail(j);
        return;
    }
    for (int64_t i = 0; i < p->count; i++) hsp_path_points_weights(p, i, w + i * p->d);
    hsp_report_add_values(j, "weights", w, p->count, p->d);
    hsp_free(w);
}

static void write_sparse_rows(const hsp_path_points *p, hsp_json *j) {
    double *columns = hsp_alloc(p->stored, sizeof *columns);
    if (!columns) hsp_json_fail(j);
    for (int64_t t = 0; columns && t < p->stored; t++) columns[t] = (double)p->column[t];
    hsp_json_array(j, "weights");
    for (int64_t i = 0; columns && i < p->count; i++) {
        int64_t from = p->start[i], count = p->start[i + 1] - from;
        hsp_json_object(j, NULL);
        hsp_report_add_values(j, "columns", columns + from, count, 0);
        hsp_report_add_values(j, "values", p->value + from, count, 0);
        hsp_json_object_end(j);
    }
    hsp_json_array_end(j);
    hsp_free(columns);
}

/* The features that have a weight at some lambda: their numbers, from 0, and their names. */
static void write_active(const hsp_path_result *r, hsp_json *j) {
    const hsp_path_points *p = &r->sweep.points;
    const hsp_schema *s = &r->model->prepare.schema;
    double *column = hsp_alloc(p->d, sizeof *column);
    bool *active = hsp_alloc_zero(p->d, sizeof *active);
    char buf[32];
    int64_t count = 0;
    if (!column || !active) hsp_json_fail(j);
    for (int64_t t = 0; column && active && t < p->stored; t++) active[p->column[t]] = true;
    for (int64_t c = 0; column && active && c < p->d; c++)
        if (active[c]) column[count++] = (double)c;
    if (column) hsp_report_add_values(j, "active_columns", column, count, 0);
    hsp_json_array(j, "active_features");
    for (int64_t a = 0; a < count; a++) hsp_json_string(j, NULL, hsp_schema_feature(s, (int64_t)column[a], buf));
    hsp_json_array_end(j);
    HSP_FREE(column, active);
}

static void write_points(const hsp_path_points *p, hsp_json *j) {
    double *nonzeros = hsp_alloc(p->count, sizeof *nonzeros);
    if (!nonzeros) hsp_json_fail(j);
    for (int64_t i = 0; nonzeros && i < p->count; i++) nonzeros[i] = (double)(p->start[i + 1] - p->start[i]);
    hsp_report_add_values(j, "lambdas", p->lambda, p->count, 0);
    hsp_report_add_values(j, "objectives", p->objective, p->count, 0);
    hsp_report_add_values(j, "relative_gaps", p->gap, p->count, 0);
    if (nonzeros) hsp_report_add_values(j, "nonzeros", nonzeros, p->count, 0);
    hsp_report_add_values(j, "intercepts", p->intercept, p->count, 0);
    if (p->d <= MOST_DENSE)
        write_rows(p, j);
    else
        write_sparse_rows(p, j);
    hsp_free(nonzeros);
}

/* Members without folds are null. */
static void write_scores(const hsp_path_result *r, hsp_json *j) {
    const hsp_path_scores *s = &r->scores;
    int64_t count = r->sweep.points.count;
    hsp_json_string(j, "metric", s->metric);
    if (!s->metric) {
        static const char *const members[] = {"folds", "mean", "sd", "fold_values", "best", "one_se"};
        for (size_t k = 0; k < sizeof members / sizeof *members; k++) hsp_json_null(j, members[k]);
        return;
    }
    hsp_json_int(j, "folds", s->folds);
    hsp_report_add_values(j, "mean", s->mean, count, 0);
    hsp_report_add_values(j, "sd", s->sd, count, 0);
    hsp_report_add_values(j, "fold_values", s->value, count, s->folds);
    hsp_json_int(j, "best", s->best);
    hsp_json_int(j, "one_se", s->one_se);
}

int hsp_path_report(const hsp_data *data, const hsp_path_result *r, hsp_report **report, hsp_error **err) {
    const hsp_path_sweep *w = &r->sweep;
    double worst = 0;
    for (int64_t i = 0; i < w->points.count; i++) worst = w->points.gap[i] <= worst ? worst : w->points.gap[i];
    const hsp_prepare *p = &r->model->prepare;
    hsp_json j = {0};
    hsp_json_object(&j, NULL);
    hsp_json_string(&j, "loss", w->loss);
    hsp_json_string(&j, "penalty", w->penalty);
    hsp_json_number(&j, "l1_ratio", w->rho);
    hsp_json_string(&j, "scale", p->scale);
    hsp_json_string(&j, "positive", p->positive >= 0 && !p->regression ? p->classes.name[p->positive] : NULL);
    hsp_json_int(&j, "rows", data->x.n);
    hsp_json_int(&j, "features", w->points.d);
    hsp_json_number(&j, "tolerance", w->tol);
    hsp_json_bool(&j, "converged", w->points.count == w->count && worst <= w->tol);
    hsp_json_int(&j, "unfinished", w->count - w->points.count);
    hsp_json_bool(&j, "interrupted", r->unfinished);
    write_points(&w->points, &j);
    write_active(r, &j);
    write_scores(r, &j);
    hsp_json_string(&j, "assumed", data->assumed);
    hsp_json_object(&j, "seconds");
    hsp_json_number(&j, "read", data->read_seconds);
    hsp_json_number(&j, "path", r->seconds);
    hsp_json_object_end(&j);
    hsp_json_object_end(&j);
    return hsp_json_take(&j, report, err);
}
