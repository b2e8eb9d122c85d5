/* The report of a comparison: docs/compare.md and docs/reports.txt describe its members. */
#include "base/memory.h"
#include "base/text.h"
#include "select/compare.h"

#include <math.h>

/* The value of the contender's option in each trial; null without an option. */
static void add_chosen(const hsp_comparison *c, const hsp_standing *s, int64_t J, double *room, hsp_json *j) {
    if (!s->contender->option || s->error) {
        hsp_json_null(j, "chosen");
        return;
    }
    const hsp_trial *t = c->trial + s->index * hsp_comparison_trials(c);
    for (int64_t k = 0; k < J; k++) room[k] = t[k].chosen;
    hsp_json_object(j, "chosen");
    hsp_json_string(j, "option", s->contender->option);
    hsp_json_numbers(j, "values", room, J);
    for (int64_t k = 0; k < J; k++) room[k] = t[k].ratio;
    if (!isnan(room[0])) hsp_json_numbers(j, "l1_ratio", room, J);
    hsp_json_object_end(j);
}

/* The means of all metrics of the task; null where one is undefined in a fold. */
static void add_metrics(const hsp_comparison *c, const hsp_standing *s, int64_t J, double *room, hsp_json *j) {
    if (s->error) {
        hsp_json_null(j, "metrics");
        return;
    }
    hsp_json_object(j, "metrics");
    for (int64_t m = 0; m < c->metrics; m++) {
        if (hsp_metric_table[m].regression != c->rules.metric->regression) continue;
        double sum = 0;
        hsp_comparison_values(c, s->index, m, room);
        for (int64_t k = 0; k < J; k++) sum += room[k];
        hsp_json_number(j, hsp_metric_table[m].member, sum / (double)J);
    }
    hsp_json_object_end(j);
}

static void add_interval(const hsp_standing *s, hsp_json *j) {
    if (s->error || isnan(s->difference.lo)) {
        hsp_json_null(j, "interval");
        return;
    }
    hsp_json_array(j, "interval");
    hsp_json_number(j, NULL, s->difference.lo);
    hsp_json_number(j, NULL, s->difference.hi);
    hsp_json_array_end(j);
}

static void add_standing(const hsp_comparison *c, const hsp_standing *s, double *room, hsp_json *j) {
    int64_t J = hsp_comparison_values(c, s->index, c->rules.metric - hsp_metric_table, room);
    hsp_json_object(j, NULL);
    hsp_json_string(j, "algorithm", s->contender->name);
    hsp_json_number(j, "mean", s->mean);
    hsp_json_number(j, "sd", s->sd);
    hsp_json_number(j, "difference", s->difference.mean);
    add_interval(s, j);
    hsp_json_bool(j, "tied", s->tied);
    hsp_json_number(j, "seconds", s->seconds);
    hsp_json_number(j, "relative_gap", s->gap);
    hsp_json_string(j, "error", s->error);
    hsp_contender_settings_json(s->contender, hsp_contender_scale(s->contender, c->o, c->rules.scaled), j);
    if (s->error)
        hsp_json_null(j, "folds");
    else
        hsp_json_numbers(j, "folds", room, J);
    add_chosen(c, s, J, room, j);
    add_metrics(c, s, J, room, j);
    hsp_json_int(j, "missed", s->missed);
    hsp_json_object_end(j);
}

static void add_folds(const hsp_comparison *c, hsp_json *j) {
    int64_t repeats = c->complete > 0 ? c->complete : 1, J = repeats * c->folds.count;
    hsp_json_object(j, "folds");
    hsp_json_int(j, "count", c->folds.count);
    hsp_json_int(j, "repeats", repeats);
    hsp_json_bool(j, "by_time", c->folds.by_time);
    hsp_json_numbers(j, "test_rows", c->test_rows, J);
    hsp_json_numbers(j, "train_rows", c->train_rows, J);
    hsp_json_object_end(j);
}

void hsp_comparison_json(const hsp_comparison *c, hsp_json *j) {
    hsp_text summary = {0};
    double *room = hsp_alloc(hsp_comparison_trials(c), sizeof *room);
    if (!room) {
        hsp_json_fail(j);
        return;
    }
    hsp_json_string(j, "metric", c->rules.metric->member);
    hsp_json_bool(j, "larger_is_better", c->rules.metric->larger_is_better);
    hsp_json_number(j, "level", HSP_COMPARE_LEVEL);
    hsp_json_array(j, "results");
    for (int64_t i = 0; i < c->contenders; i++) add_standing(c, &c->standing[i], room, j);
    hsp_json_array_end(j);
    hsp_comparison_summary(c, &summary);
    if (summary.failed) hsp_json_fail(j);
    hsp_json_string(j, "summary", summary.s);
    add_folds(c, j);
    hsp_json_int(j, "rows", c->data->x.n);
    hsp_json_int(j, "features", c->data->x.d);
    hsp_json_bool(j, "interrupted", c->interrupted);
    hsp_text_free(&summary);
    hsp_free(room);
}
