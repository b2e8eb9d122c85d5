/* The report of hsp_cross_validate, which is that of `halfspace cv --json`. */
#include "base/clock.h"
#include "base/json.h"
#include "base/text.h"
#include "option/options.h"
#include "select/cv.h"

#include <math.h>
#include <string.h>

static void write_interval(hsp_json *j, const hsp_fold_summary *s) {
    if (isnan(s->lower))
        hsp_json_null(j, "interval");
    else
        hsp_json_numbers(j, "interval", (const double[]){s->lower, s->upper}, 2);
}

static void write_summary(hsp_json *j, const hsp_fold_summary *s) {
    hsp_json_number(j, "mean", s->mean);
    hsp_json_number(j, "sd", s->sd);
    hsp_json_number(j, "standard_error", s->standard_error);
    write_interval(j, s);
}

static void write_values(hsp_json *j, const hsp_cv *cv, const double *value) {
    for (int f = 0; f < cv->metrics; f++) hsp_json_number(j, cv->metric[f].member, value[f]);
}

/* The folds of the chosen point. */
static void write_folds(hsp_json *j, const hsp_cv *cv, int64_t point) {
    hsp_json_array(j, "folds");
    for (int64_t i = 0; point >= 0 && i < cv->parts; i++) {
        if (!cv->complete[i]) continue;
        hsp_json_object(j, NULL);
        if (cv->folds.repeats > 1) hsp_json_int(j, "repeat", i / cv->folds.count + 1);
        hsp_json_int(j, "rows", cv->pooled ? cv->data->x.n : cv->tested[i]);
        hsp_json_int(j, "train_rows", cv->trained[i]);
        write_values(j, cv, cv->value + (i * cv->grid->points + point) * cv->metrics);
        hsp_json_object_end(j);
    }
    hsp_json_array_end(j);
}

static void write_metrics(hsp_json *j, const hsp_cv *cv, int64_t point) {
    hsp_json_object(j, "metrics");
    for (int f = 0; point >= 0 && f < cv->metrics; f++) {
        hsp_fold_summary s = hsp_cv_summary(cv, point, f);
        hsp_json_object(j, cv->metric[f].member);
        write_summary(j, &s);
        hsp_json_object_end(j);
    }
    hsp_json_object_end(j);
}

/* The largest gap of the fits of a point; NaN: some are unknown. */
static double largest_gap(const hsp_cv *cv, int64_t point) {
    double most = 0;
    for (int64_t i = 0; i < cv->jobs; i++) {
        double gap = cv->gap[i * cv->grid->points + point];
        if (isnan(gap)) return gap;
        if (cv->complete[i]) most = fmax(most, gap);
    }
    return most;
}

static void write_point(hsp_json *j, const char *key, const hsp_cv *cv, int64_t point) {
    if (point < 0) {
        hsp_json_null(j, key);
        return;
    }
    hsp_fold_summary s = hsp_cv_summary(cv, point, hsp_cv_by(cv));
    hsp_json_object(j, key);
    hsp_grid_write(cv->grid, point, j);
    hsp_json_number(j, "mean", s.mean);
    hsp_json_number(j, "sd", s.sd);
    hsp_json_object_end(j);
}

/* A point that was tried: its values by fold and its means. */
static void write_tried(hsp_json *j, const hsp_cv *cv, int64_t point) {
    hsp_fold_summary s = hsp_cv_summary(cv, point, hsp_cv_by(cv));
    hsp_json_object(j, NULL);
    hsp_grid_write(cv->grid, point, j);
    write_summary(j, &s);
    hsp_json_array(j, "folds");
    for (int64_t i = 0; i < cv->parts; i++)
        if (cv->complete[i])
            hsp_json_number(j, NULL, cv->value[(i * cv->grid->points + point) * cv->metrics + hsp_cv_by(cv)]);
    hsp_json_array_end(j);
    hsp_json_object(j, "metrics");
    for (int f = 0; f < cv->metrics; f++) hsp_json_number(j, cv->metric[f].member, hsp_cv_summary(cv, point, f).mean);
    hsp_json_object_end(j);
    hsp_json_number(j, "relative_gap", largest_gap(cv, point));
    hsp_json_object_end(j);
}

/* ---- the nested estimate ---- */

static hsp_fold_summary outer_summary(const hsp_cv *cv, const hsp_cv_nested *n, int metric) {
    double tested = 0, trained = 0;
    for (int64_t k = 0; k < n->complete; k++) {
        tested += (double)n->fold[k].tested;
        trained += (double)n->fold[k].trained;
    }
    /* outer folds run one after the other: those that are complete come first */
    return hsp_summarise_folds(n->value + metric, NULL, n->complete, cv->metrics, n->folds, tested, trained);
}

static void write_nested(hsp_json *j, const hsp_cv *cv, const hsp_cv_nested *n) {
    if (!n) {
        hsp_json_null(j, "nested");
        return;
    }
    hsp_fold_summary s = outer_summary(cv, n, hsp_cv_by(cv));
    hsp_json_object(j, "nested");
    hsp_json_array(j, "folds");
    for (int64_t k = 0; k < n->complete; k++) {
        hsp_json_object(j, NULL);
        hsp_json_int(j, "rows", n->fold[k].tested);
        hsp_json_int(j, "train_rows", n->fold[k].trained);
        hsp_json_object(j, "chosen");
        hsp_grid_write(cv->grid, n->fold[k].point, j);
        hsp_json_object_end(j);
        write_values(j, cv, n->value + k * cv->metrics);
        hsp_json_object_end(j);
    }
    hsp_json_array_end(j);
    write_summary(j, &s);
    hsp_json_object(j, "metrics");
    for (int f = 0; f < cv->metrics; f++) {
        hsp_fold_summary one = outer_summary(cv, n, f);
        hsp_json_object(j, cv->metric[f].member);
        write_summary(j, &one);
        hsp_json_object_end(j);
    }
    hsp_json_object_end(j);
    hsp_json_object_end(j);
}

/* ---- the whole ---- */

static void write_warnings(hsp_json *j, const hsp_text *warnings) {
    hsp_json_array(j, "warnings");
    for (const char *s = warnings->s; s && *s;) {
        size_t n = strcspn(s, "\n");
        hsp_text line = {0};
        hsp_text_add_n(&line, s, (int64_t)n);
        if (line.failed) hsp_json_fail(j);
        hsp_json_string(j, NULL, line.s);
        hsp_text_free(&line);
        s += n + (s[n] == '\n');
    }
    hsp_json_array_end(j);
}

/* What training on all rows has reached. */
static void write_refit(hsp_json *j, const hsp_report *refit) {
    static const char *const members[] = {"algorithm",    "C",         "lambda",           "objective", "dual_bound",
                                          "relative_gap", "tolerance", "tolerance_missed", "converged", "stop_reason",
                                          "checksum"};
    if (!refit) {
        hsp_json_null(j, "refit");
        return;
    }
    hsp_json_object(j, "refit");
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        hsp_json_report(j, members[i], hsp_report_member(refit, members[i]));
    hsp_json_object_end(j);
}

/* How the rows were divided. */
static void write_division(hsp_json *j, const hsp_cv *cv) {
    hsp_json_int(j, "fold_count", cv->folds.count);
    hsp_json_int(j, "repeats", cv->folds.repeats);
    hsp_json_string(j, "division",
                    cv->folds.by_time ? "time"
                    : cv->data->group ? "groups"
                    : cv->pooled      ? "leave-one-out"
                    : cv->data->y     ? "stratified"
                                      : "random");
    hsp_json_string(j, "leave_one_out", !cv->pooled ? NULL : cv->exact ? "exact" : "fits");
}

static const char *algorithm_of(const hsp_cv *cv, int64_t point) {
    int64_t axis = hsp_grid_axis_of(cv->grid, "algorithm");
    return axis >= 0 ? (point >= 0 ? hsp_grid_text(cv->grid, point, axis) : NULL) : hsp_options_text(cv->o, "algorithm");
}

int hsp_cv_write_report(const hsp_cv_result *r, hsp_report **out, hsp_error **err) {
    const hsp_cv *cv = r->cv;
    const hsp_cv_course *course = cv->course;
    int64_t chosen = r->choice.chosen;
    hsp_fold_summary s =
        chosen >= 0 ? hsp_cv_summary(cv, chosen, hsp_cv_by(cv)) : hsp_summarise_folds(NULL, NULL, 0, 1, 1, 1, 1);
    hsp_json j = {0};
    hsp_json_object(&j, NULL);
    hsp_json_string(&j, "algorithm", algorithm_of(cv, chosen));
    hsp_json_string(&j, "metric", cv->by->member);
    write_division(&j, cv);
    write_folds(&j, cv, chosen);
    write_summary(&j, &s);
    write_metrics(&j, cv, chosen);
    hsp_json_string(&j, "choose", hsp_options_text(r->o, "choose"));
    write_point(&j, "best", cv, r->choice.best);
    write_point(&j, "one_se", cv, r->choice.one_se);
    write_point(&j, "chosen", cv, chosen);
    hsp_json_array(&j, "tried");
    for (int64_t p = 0; p < cv->grid->points; p++) write_tried(&j, cv, p);
    hsp_json_array_end(&j);
    write_nested(&j, cv, r->nested);
    write_refit(&j, r->refit);
    hsp_json_string(&j, "predictions", r->predictions);
    hsp_json_int(&j, "fits", atomic_load(&course->fits));
    hsp_json_int(&j, "planned_fits", course->all);
    hsp_json_int(&j, "missed", atomic_load(&course->missed));
    hsp_json_int(&j, "unfinished", atomic_load(&course->late));
    hsp_json_bool(&j, "interrupted", atomic_load(&course->stopped));
    hsp_json_bool(&j, "out_of_time", atomic_load(&course->out_of_time));
    hsp_json_int(&j, "rows", cv->data->x.n);
    hsp_json_int(&j, "features", cv->data->x.d);
    hsp_json_string(&j, "assumed", cv->data->assumed);
    if (r->warnings->failed) hsp_json_fail(&j);
    write_warnings(&j, r->warnings);
    hsp_json_object(&j, "seconds");
    hsp_json_number(&j, "read", cv->data->read_seconds);
    hsp_json_number(&j, "cv", hsp_clock_seconds() - course->begun);
    hsp_json_object_end(&j);
    hsp_json_object_end(&j);
    return hsp_json_take(&j, out, err);
}
