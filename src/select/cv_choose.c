/* Compares the points of a grid. */
#include "base/text.h"
#include "option/options.h"
#include "select/cv.h"

#include <math.h>
#include <string.h>

int hsp_cv_by(const hsp_cv *cv) {
    return (int)(cv->by - cv->metric);
}

/* The mean number of rows that the complete folds test, and on which their models are trained. */
static void mean_rows(const hsp_cv *cv, double *tested, double *trained) {
    *tested = *trained = 0;
    for (int64_t i = 0; i < cv->jobs; i++) {
        if (!cv->complete[i]) continue;
        *tested += (double)cv->tested[i];
        *trained += (double)cv->trained[i];
    }
}

hsp_fold_summary hsp_cv_summary(const hsp_cv *cv, int64_t point, int metric) {
    double tested, trained, v[1];
    int64_t stride = cv->grid->points * cv->metrics;
    const double *value = cv->value + point * cv->metrics + metric;
    bool all = true;
    for (int64_t i = 0; i < cv->jobs; i++) all = all && cv->complete[i];
    if (cv->pooled) {
        v[0] = all ? value[0] : (double)NAN;
        return hsp_summarise_folds(v, NULL, 1, 1, 1, 1, 1);
    }
    mean_rows(cv, &tested, &trained);
    return hsp_summarise_folds(value, cv->complete, cv->jobs, stride, cv->folds.count, tested, trained);
}

static int64_t penalty_axis(const hsp_grid *g) {
    int64_t lambda = hsp_grid_axis_of(g, "lambda");
    return lambda >= 0 ? lambda : hsp_grid_axis_of(g, "C");
}

/* Of equally good points the one with the stronger penalty, where the two differ in it alone; else the earlier. */
static bool is_better(const hsp_cv *cv, int64_t p, double mean, int64_t best, double best_mean) {
    if (hsp_metric_better(cv->by, mean, best_mean)) return true;
    if (hsp_metric_better(cv->by, best_mean, mean) || isnan(mean)) return false;
    if (!hsp_grid_alike(cv->grid, p, best, penalty_axis(cv->grid))) return false;
    return hsp_grid_strength(cv->grid, p) > hsp_grid_strength(cv->grid, best);
}

/* The strongest penalty whose mean is within one standard error of the best, all other options being those of the best
 * (Breiman, Friedman, Olshen and Stone 1984, 3.4.3). */
static int64_t find_one_se(const hsp_cv *cv, int64_t best) {
    int64_t axis = penalty_axis(cv->grid), found = best;
    hsp_fold_summary s = hsp_cv_summary(cv, best, hsp_cv_by(cv));
    if (axis < 0 || isnan(s.standard_error) || isnan(hsp_grid_strength(cv->grid, best))) return -1;
    double limit = cv->by->larger_is_better ? s.mean - s.standard_error : s.mean + s.standard_error;
    for (int64_t p = 0; p < cv->grid->points; p++) {
        if (!hsp_grid_alike(cv->grid, p, best, axis)) continue;
        double mean = hsp_cv_summary(cv, p, hsp_cv_by(cv)).mean;
        bool near = !isnan(mean) && !hsp_metric_better(cv->by, limit, mean);
        if (near && hsp_grid_strength(cv->grid, p) > hsp_grid_strength(cv->grid, found)) found = p;
    }
    return found;
}

hsp_cv_choice hsp_cv_choose(const hsp_cv *cv, const hsp_options *o) {
    hsp_cv_choice c = {-1, -1, -1};
    double least = (double)NAN;
    for (int64_t p = 0; p < cv->grid->points; p++) {
        double mean = hsp_cv_summary(cv, p, hsp_cv_by(cv)).mean;
        if (isnan(mean) || (c.best >= 0 && !is_better(cv, p, mean, c.best, least))) continue;
        c.best = p;
        least = mean;
    }
    if (c.best < 0) return c;
    c.one_se = find_one_se(cv, c.best);
    c.chosen = hsp_options_is(o, "choose", "one-se") && c.one_se >= 0 ? c.one_se : c.best;
    return c;
}

/* The point that differs from p on this axis alone, by one step; -1: there is none. */
static int64_t neighbour(const hsp_grid *g, int64_t p, int64_t axis, int64_t step) {
    for (int64_t q = 0; q < g->points; q++)
        if (hsp_grid_alike(g, p, q, axis) && g->value[q * g->axes + axis] == g->value[p * g->axes + axis] + step) return q;
    return -1;
}

/* At an end that the option itself has (an l1-ratio of 1), or at which the last step gained nothing, no more can be tried. */
void hsp_cv_warn_ends(const hsp_cv *cv, int64_t best, hsp_text *t) {
    enum { LEAST = 3 }; /* values: two are compared, not searched */
    const hsp_grid *g = cv->grid;
    for (int64_t a = 0; best >= 0 && a < g->axes; a++) {
        const hsp_grid_axis *axis = &g->axis[a];
        int64_t at = g->value[best * g->axes + a];
        double v = hsp_grid_number(g, best, a);
        if (axis->count < LEAST || isnan(v) || (at != 0 && at != axis->count - 1)) continue;
        if (at == 0 ? v <= axis->option->min : v >= axis->option->max) continue;
        int64_t inner = neighbour(g, best, a, at == 0 ? 1 : -1);
        double mean = inner < 0 ? (double)NAN : hsp_cv_summary(cv, inner, hsp_cv_by(cv)).mean;
        if (!hsp_metric_better(cv->by, hsp_cv_summary(cv, best, hsp_cv_by(cv)).mean, mean)) continue;
        hsp_text_format(t, "the best %s, %s, is the %s value of the grid: try %s ones too\n", axis->option->name,
                        axis->text[at], at == 0 ? "smallest" : "largest", at == 0 ? "smaller" : "larger");
    }
}
