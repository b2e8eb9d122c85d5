/* The study "descent": the paths of gradient descent, stochastic gradient descent and mini-batches over the objective that they
 * minimise, from the same start, with its contours. */
#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "classifier/classifier.h"
#include "data/data.h"
#include "fit/fit.h"
#include "model/model.h"
#include "option/options.h"
#include "study/objective_map.h"
#include "study/region_cells.h"
#include "study/study.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 3, GRID = 61, LEVELS = 11, MOST_POINTS = 1200, MOST_ROWS = 5000, EPOCHS = 30 };

static const char *const algorithms[RUNS] = {"gradient-descent", "minibatch", "sgd"};

/* The parameters after every update of a run: 2 weights, or a weight and 0, and the intercept. */
typedef struct descent_path {
    double *point; /* 3 each, owned */
    int64_t points, capacity;
    bool failed;
    hsp_model *model;   /* owned */
    hsp_report *report; /* owned */
} descent_path;

typedef struct descent_runs {
    const hsp_study_input *in;
    hsp_study *s;
    int64_t d;
    descent_path run[RUNS];
    hsp_objective_map map;
    double lo[2], hi[2]; /* the view */
    double *grid;        /* GRID x GRID, an array of the study: the objective */
} descent_runs;

/* ---- the runs ---- */

static int keep_point(void *user, const hsp_update *u) {
    descent_path *p = user;
    if (u->problems != 1 || hsp_reserve((void **)&p->point, &p->capacity, 3 * (p->points + 1), sizeof *p->point)) {
        p->failed = true;
        return 1;
    }
    double *to = p->point + 3 * p->points++;
    to[0] = u->weights[0];
    to[1] = u->features > 1 ? u->weights[1] : 0;
    to[2] = u->intercept;
    return 0;
}

/* What was set, as far as the algorithm takes it. */
static int options_for(const hsp_options *from, const char *name, hsp_options **out, hsp_error **err) {
    const hsp_classifier *c = hsp_classifier_find(name);
    int status = hsp_options_new(out, err);
    if (!status) status = hsp_options_set(*out, "algorithm", name, err);
    for (int64_t i = 0; !status && i < hsp_option_table_size; i++) {
        const char *option = hsp_option_table[i].name;
        bool general = strcmp(option, "seed") == 0 || strcmp(option, "threads") == 0 || strcmp(option, "task") == 0;
        if (hsp_options_is_set(from, option) && (general || hsp_classifier_takes(c, option)))
            status = hsp_options_set(*out, option, hsp_options_text(from, option), err);
    }
    if (!status && !hsp_options_is_set(from, "max-epochs")) status = hsp_options_set_int(*out, "max-epochs", EPOCHS, err);
    return status;
}

static int run_one(descent_runs *t, int k, hsp_error **err) {
    descent_path *p = &t->run[k];
    hsp_options *o = NULL;
    hsp_hooks hooks = {.size = sizeof hooks, .user = p, .update = keep_point};
    int status = options_for(t->in->o, algorithms[k], &o, err);
    if (!status && t->in->data->target) status = hsp_options_default(o, "loss", "squared", err);
    if (!status) status = hsp_train(t->in->data, o, &hooks, &p->model, &p->report, err);
    hsp_options_free(o);
    if (status) return status;
    if (p->failed) return hsp_fail_memory(err);
    const char *stop = hsp_model_field(p->model, "stop_reason");
    if (stop && strcmp(stop, "cancelled") == 0) return hsp_fail(err, HSP_ECANCELLED, "cancelled before the first result");
    return HSP_OK;
}

/* ---- the map ---- */

/* The place of a point on the map. */
static void place_of(const descent_runs *t, const double *point, double at[2]) {
    at[0] = point[0];
    at[1] = t->d > 1 ? point[1] : point[2];
}

/* The range of all paths, with padding. */
static int set_view(descent_runs *t, hsp_error **err) {
    for (int a = 0; a < 2; a++) t->lo[a] = INFINITY, t->hi[a] = -INFINITY;
    for (int k = 0; k < RUNS; k++)
        for (int64_t i = 0; i < t->run[k].points; i++) {
            double at[2];
            place_of(t, t->run[k].point + 3 * i, at);
            for (int a = 0; a < 2; a++) t->lo[a] = fmin(t->lo[a], at[a]), t->hi[a] = fmax(t->hi[a], at[a]);
        }
    for (int a = 0; a < 2; a++) {
        double pad = 0.15 * (t->hi[a] - t->lo[a]);
        if (!(pad > 0)) pad = fmax(1, fabs(t->lo[a]));
        t->lo[a] -= pad;
        t->hi[a] += pad;
        if (!isfinite(t->lo[a]) || !isfinite(t->hi[a]))
            return hsp_fail(err, HSP_EINPUT, "a run left the range of numbers: use a smaller --learning-rate");
    }
    return HSP_OK;
}

static void fill_row(void *ctx, int64_t j) {
    descent_runs *t = ctx;
    double v = t->lo[1] + (t->hi[1] - t->lo[1]) * (double)j / (GRID - 1);
    for (int64_t i = 0; i < GRID; i++) {
        double u = t->lo[0] + (t->hi[0] - t->lo[0]) * (double)i / (GRID - 1);
        t->grid[j * GRID + i] = hsp_objective_map_value(&t->map, u, v, NULL);
    }
}

static int add_grid(descent_runs *t, hsp_error **err) {
    double *range[2] = {hsp_study_add(t->s, "u_range", 2, 0, err), NULL};
    range[1] = range[0] ? hsp_study_add(t->s, "v_range", 2, 0, err) : NULL;
    t->grid = range[1] ? hsp_study_add_quiet(t->s, "grid", GRID, GRID, err) : NULL;
    if (!t->grid) return HSP_EMEMORY;
    for (int a = 0; a < 2; a++) range[a][0] = t->lo[a], range[a][1] = t->hi[a];
    hsp_pool_run(GRID, t->in->threads, fill_row, t);
    return HSP_OK;
}

/* The lowest point in view: the best of the grid and of the paths, then a pattern search. */
static int add_lowest(descent_runs *t, hsp_error **err) {
    double best = INFINITY, at[2] = {0, 0}, step[2], b = 0;
    for (int64_t k = 0; k < GRID * GRID; k++) {
        if (!(t->grid[k] < best)) continue;
        best = t->grid[k];
        at[0] = t->lo[0] + (t->hi[0] - t->lo[0]) * (double)(k % GRID) / (GRID - 1);
        at[1] = t->lo[1] + (t->hi[1] - t->lo[1]) * (double)(k / GRID) / (GRID - 1);
    }
    for (int a = 0; a < 2; a++) step[a] = (t->hi[a] - t->lo[a]) / (GRID - 1);
    for (int k = 0; k < 400 && step[0] > 1e-7 * (t->hi[0] - t->lo[0]); k++) {
        bool better = false;
        for (int way = 0; way < 8; way++) {
            static const int du[] = {1, -1, 0, 0, 1, 1, -1, -1}, dv[] = {0, 0, 1, -1, 1, -1, 1, -1};
            double u = fmin(fmax(at[0] + du[way] * step[0], t->lo[0]), t->hi[0]);
            double v = fmin(fmax(at[1] + dv[way] * step[1], t->lo[1]), t->hi[1]);
            double value = hsp_objective_map_value(&t->map, u, v, NULL);
            if (!(value < best)) continue;
            best = value, at[0] = u, at[1] = v, better = true;
        }
        if (!better) step[0] /= 2, step[1] /= 2;
    }
    double *lowest = hsp_study_add(t->s, "lowest", 2, 0, err);
    if (!lowest) return HSP_EMEMORY;
    hsp_objective_map_value(&t->map, at[0], at[1], &b);
    lowest[0] = at[0], lowest[1] = at[1];
    const hsp_study_figure figures[] = {{"lowest_objective", best}, {"lowest_intercept", b}};
    return hsp_study_set_figures(t->s, figures, 2, err);
}

/* ---- contours ---- */

/* Evenly spaced in the square root of the height above the lowest point, as a paraboloid's contours are. */
static int add_levels(descent_runs *t, double lowest, double **level, hsp_error **err) {
    double most = -INFINITY;
    *level = hsp_study_add(t->s, "levels", LEVELS, 0, err);
    if (!*level) return HSP_EMEMORY;
    for (int64_t k = 0; k < GRID * GRID; k++)
        if (isfinite(t->grid[k])) most = fmax(most, t->grid[k]);
    for (int k = 0; k < LEVELS; k++) {
        double share = (k + 1.0) / (LEVELS + 1.0);
        (*level)[k] = lowest + (most - lowest) * share * share;
    }
    return HSP_OK;
}

/* Moves a change to where the level is, by linear interpolation between the two points of the grid. */
static void interpolate(const descent_runs *t, double level, hsp_grid_change *c) {
    int64_t from = (int64_t)lround(c->from.v * (GRID - 1)) * GRID + (int64_t)lround(c->from.u * (GRID - 1));
    int64_t to = (int64_t)lround(c->to.v * (GRID - 1)) * GRID + (int64_t)lround(c->to.u * (GRID - 1));
    double a = t->grid[from], b = t->grid[to], share = a == b ? 0.5 : (level - a) / (b - a);
    if (!(share >= 0 && share <= 1)) share = 0.5;
    c->from.u += share * (c->to.u - c->from.u);
    c->from.v += share * (c->to.v - c->from.v);
    c->to = c->from;
}

/* The lines of all levels, one after the other. */
typedef struct contours {
    double *point, *begin, *level; /* 2 each; one each; owned */
    int64_t points, lines, point_capacity, begin_capacity, level_capacity;
} contours;

static int keep_lines(const descent_runs *t, const hsp_region_lines *l, int k, contours *out) {
    if (hsp_reserve((void **)&out->point, &out->point_capacity, 2 * (out->points + l->points), sizeof *out->point) ||
        hsp_reserve((void **)&out->begin, &out->begin_capacity, out->lines + l->lines + 1, sizeof *out->begin) ||
        hsp_reserve((void **)&out->level, &out->level_capacity, out->lines + l->lines + 1, sizeof *out->level))
        return HSP_EMEMORY;
    for (int64_t i = 0; i < 2 * l->points; i++) {
        int a = (int)(i % 2);
        out->point[2 * out->points + i] = t->lo[a] + (t->hi[a] - t->lo[a]) * l->point[i];
    }
    for (int64_t i = 0; i < l->lines; i++) {
        out->begin[out->lines + i] = (double)(out->points + l->begin[i]);
        out->level[out->lines + i] = k;
    }
    out->points += l->points;
    out->lines += l->lines;
    out->begin[out->lines] = (double)out->points;
    return 0;
}

static int trace_level(const descent_runs *t, double level, int k, contours *out) {
    hsp_region_cells g;
    hsp_region_lines l = {0};
    int status = hsp_region_cells_new(&g, GRID, GRID);
    for (int64_t i = 0; !status && i < GRID * GRID; i++) g.value[i] = t->grid[i] > level;
    if (!status) status = hsp_region_cells_find(&g);
    for (int64_t i = 0; !status && i < g.changes; i++) interpolate(t, level, &g.change[i]);
    if (!status) status = hsp_region_cells_cut(&g, false);
    if (!status) status = hsp_region_lines_join(&g, &l);
    if (!status) status = keep_lines(t, &l, k, out);
    hsp_region_lines_clear(&l);
    hsp_region_cells_clear(&g);
    return status;
}

static int copy_array(descent_runs *t, const char *name, const double *from, int64_t rows, int64_t columns, hsp_error **err) {
    double *to = hsp_study_add_quiet(t->s, name, rows, columns, err);
    if (!to) return HSP_EMEMORY;
    if (rows > 0) memcpy(to, from, (size_t)(rows * (columns > 0 ? columns : 1)) * sizeof *to);
    return HSP_OK;
}

static int add_contours(descent_runs *t, double lowest, hsp_error **err) {
    contours c = {0};
    double *level = NULL;
    int status = add_levels(t, lowest, &level, err);
    for (int k = 0; !status && k < LEVELS; k++)
        if (trace_level(t, level[k], k, &c)) status = hsp_fail_memory(err);
    if (!status) status = copy_array(t, "line", c.point, c.points, 2, err);
    if (!status) status = copy_array(t, "line_begin", c.begin, c.lines + (c.lines > 0), 0, err);
    if (!status) status = copy_array(t, "line_level", c.level, c.lines, 0, err);
    HSP_FREE(c.point, c.begin, c.level);
    return status;
}

/* ---- the paths ---- */

/* Point i of the points that are kept, evenly spaced, with the first and the last. */
static int64_t kept_of(const descent_path *p, int64_t i, int64_t kept) {
    return kept < 2 ? 0 : (int64_t)((double)i * (double)(p->points - 1) / (double)(kept - 1) + 0.5);
}

static int64_t kept_count(const descent_path *p) {
    return p->points < MOST_POINTS ? p->points : MOST_POINTS;
}

static int add_paths(descent_runs *t, hsp_error **err) {
    int64_t all = 0, at = 0;
    for (int k = 0; k < RUNS; k++) all += kept_count(&t->run[k]);
    double *path = hsp_study_add_quiet(t->s, "path", all, 2, err);
    double *begin = path ? hsp_study_add(t->s, "path_begin", RUNS + 1, 0, err) : NULL;
    if (!begin) return HSP_EMEMORY;
    for (int k = 0; k < RUNS; k++) {
        const descent_path *p = &t->run[k];
        begin[k] = (double)at;
        for (int64_t i = 0, kept = kept_count(p); i < kept; i++, at++)
            place_of(t, p->point + 3 * kept_of(p, i, kept), path + 2 * at);
    }
    begin[RUNS] = (double)at;
    return HSP_OK;
}

static int add_runs(descent_runs *t, hsp_error **err) {
    static const char *const names[] = {"rate", "updates", "epochs", "objective", "intercept"};
    double *v[5];
    int status = hsp_study_add_vectors(t->s, RUNS, names, 5, v, err);
    for (int k = 0; !status && k < RUNS; k++) {
        const descent_path *p = &t->run[k];
        const double *last = p->point + 3 * (p->points - 1);
        const char *schedule = hsp_report_text(p->report, "schedule");
        v[0][k] = hsp_report_number(p->report, "learning_rate");
        v[1][k] = hsp_report_number(p->report, "updates");
        v[2][k] = hsp_report_number(p->report, "epochs");
        v[3][k] = hsp_objective_map_at(&t->map, last, last[2]);
        v[4][k] = last[2];
        status = hsp_study_add_text(t->s, "algorithms", algorithms[k], err);
        if (!status) status = hsp_study_add_text(t->s, "schedules", schedule ? schedule : "", err);
    }
    const double *start = t->run[0].point;
    return status ? status : hsp_study_set(t->s, "start_objective", hsp_objective_map_at(&t->map, start, start[2]), err);
}

static int add_names(descent_runs *t, hsp_error **err) {
    const hsp_objective_map *f = &t->map;
    char buf[32];
    int status = HSP_OK;
    for (int64_t j = 0; !status && j < t->d; j++)
        status = hsp_study_add_text(t->s, "features", hsp_data_feature_label(t->in->data, j, buf), err);
    if (!status) status = hsp_study_add_text(t->s, "loss", f->loss.name, err);
    const char *penalty = t->run[0].model->objective.penalty;
    if (!status) status = hsp_study_add_text(t->s, "penalty", penalty ? penalty : "none", err);
    const hsp_study_figure figures[] = {{"dimensions", (double)t->d},
                                        {"rows", (double)f->n},
                                        {"lambda", f->lambda},
                                        {"has_intercept", f->intercept},
                                        {"batch", (double)hsp_options_int(t->in->o, "batch", 32)}};
    return status ? status : hsp_study_set_figures(t->s, figures, sizeof figures / sizeof *figures, err);
}

/* ---- the study ---- */

static int check_data(const descent_runs *t, hsp_error **err) {
    const hsp_data *data = t->in->data;
    if (t->d < 1 || t->d > 2)
        return hsp_fail(err, HSP_EUSAGE,
                        "a map of the objective needs one or two features, and the data have %" PRId64
                        ": leave some out with --ignore",
                        t->d);
    if (t->d == 1 && hsp_options_is(t->in->o, "intercept", "none"))
        return hsp_fail(err, HSP_EUSAGE, "one feature without an intercept is one parameter, and a map needs two: leave "
                                         "--intercept none out");
    if (data->x.n > MOST_ROWS)
        return hsp_fail(err, HSP_EUSAGE,
                        "%" PRId64 " rows are too many for a map of the objective, at most %d: take a part with split",
                        data->x.n, MOST_ROWS);
    if (!data->target && data->classes.count > 2 && !hsp_options_is_set(t->in->o, "positive"))
        return hsp_fail(err, HSP_EUSAGE, "a map of the objective needs two classes, and the data have %" PRId64
                                         ": choose one against the rest with --positive",
                        data->classes.count);
    return HSP_OK;
}

static int fill_study(descent_runs *t, hsp_error **err) {
    int status = check_data(t, err);
    for (int k = 0; !status && k < RUNS; k++) status = run_one(t, k, err);
    if (!status) status = hsp_objective_map_new(t->run[0].model, t->in->data, &t->map, err);
    if (!status) status = add_names(t, err);
    if (!status) status = add_runs(t, err);
    if (!status) status = set_view(t, err);
    if (!status) status = add_grid(t, err);
    if (!status) status = add_paths(t, err);
    return status;
}

static int study_descent(const hsp_study_input *in, hsp_study *s, hsp_error **err) {
    descent_runs t = {.in = in, .s = s, .d = in->data->x.d};
    int status = fill_study(&t, err);
    if (!status) status = add_lowest(&t, err);
    double lowest = INFINITY;
    for (int64_t k = 0; !status && k < GRID * GRID; k++) lowest = fmin(lowest, t.grid[k]);
    if (!status) status = add_contours(&t, lowest, err);
    for (int k = 0; k < RUNS; k++) {
        hsp_free(t.run[k].point);
        hsp_model_free(t.run[k].model);
        hsp_report_free(t.run[k].report);
    }
    hsp_objective_map_clear(&t.map);
    return status;
}

const hsp_study_entry hsp_study_descent = {
    .name = "descent",
    .help = "paths of gradient descent, sgd and minibatch over the contours of their objective",
    .needs_data = true,
    .run = study_descent,
};
