/* The study "regions": the prediction of any model over two columns of the data as they were read, the others at typical
 * values. The model's own decision is evaluated on a grid; where it changes between neighbours, the place is narrowed by
 * bisection. */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "model/model.h"
#include "study/plane.h"
#include "study/raw_columns.h"
#include "study/region_cells.h"
#include "study/study.h"
#include "table/kind.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 193, ROWS = 145, POINTS = 601, BISECTIONS = 12 };

typedef struct regions {
    const hsp_study_input *in;
    hsp_raw_columns raw;
    hsp_plane plane;
    hsp_study *s;
    double lo[2], hi[2]; /* the view */
    double *x;           /* scratch: rows of numbers */
    int64_t x_capacity;
    double level; /* the value at a point is whether the score is above this; NaN: the predicted class */
} regions;

/* ---- the view ---- */

/* The least distance of different values, if there are at most `few`; else 0. Sorts v. */
static double least_gap(double *v, int64_t n, int64_t few) {
    double least = INFINITY;
    int64_t different = 1;
    qsort(v, (size_t)n, sizeof *v, hsp_ascending);
    for (int64_t i = 1; i < n; i++) {
        if (v[i] == v[i - 1]) continue;
        different++;
        least = fmin(least, v[i] - v[i - 1]);
    }
    return different <= few && isfinite(least) ? least : 0;
}

/* The range of the rows with padding: wider for a few values, whose points are drawn side by side. */
static int set_range(regions *r, int a, const double *v, hsp_error **err) {
    int64_t n = r->plane.n;
    double *sorted = hsp_alloc(n, sizeof *sorted);
    if (!sorted) return hsp_fail_memory(err);
    memcpy(sorted, v, (size_t)n * sizeof *v);
    double gap = least_gap(sorted, n, 24), lo = sorted[0], hi = sorted[n - 1];
    double pad = fmax(0.06 * (hi - lo), 0.3 * gap);
    if (!(hi > lo)) pad = fmax(1, 0.1 * fabs(lo));
    r->lo[a] = lo - pad;
    r->hi[a] = hi + pad;
    hsp_free(sorted);
    if (!isfinite(r->hi[a] - r->lo[a]) || !(r->lo[a] < r->hi[a]))
        return hsp_fail(err, HSP_EINPUT, "the range of a column is too large to draw: scale the column");
    double *range = hsp_study_add(r->s, a == 0 ? "u_range" : "v_range", 2, 0, err);
    if (!range) return HSP_EMEMORY;
    range[0] = r->lo[a];
    range[1] = r->hi[a];
    return HSP_OK;
}

/* The row expected at a point of the unit square. */
static void lift_place(const regions *r, hsp_grid_place at, double *x) {
    int64_t d = r->plane.d;
    double u = r->lo[0] + (r->hi[0] - r->lo[0]) * at.u, v = r->lo[1] + (r->hi[1] - r->lo[1]) * at.v;
    const double *lift = r->plane.lift;
    for (int64_t j = 0; j < d; j++) {
        x[j] = lift[j] + lift[d + j] * u + lift[2 * d + j] * v;
        if (!isfinite(x[j])) x[j] = x[j] > 0 ? 1e300 : x[j] < 0 ? -1e300 : 0;
    }
}

/* The value at each place into value[n]. */
static int evaluate(regions *r, const hsp_grid_place *at, int64_t n, int32_t *value, hsp_error **err) {
    int64_t d = r->plane.d;
    bool scored = !isnan(r->level);
    double *scores = scored ? hsp_alloc(n, sizeof *scores) : NULL;
    if ((scored && !scores) || hsp_reserve((void **)&r->x, &r->x_capacity, n * d, sizeof *r->x)) {
        hsp_free(scores);
        return hsp_fail_memory(err);
    }
    for (int64_t i = 0; i < n; i++) lift_place(r, at[i], r->x + i * d);
    int status = hsp_cancel_take() ? hsp_fail(err, HSP_ECANCELLED, "cancelled")
                                   : hsp_raw_columns_score(&r->raw, r->x, n, scores, scored ? NULL : value, err);
    for (int64_t i = 0; !status && scored && i < n; i++) value[i] = scores[i] > r->level;
    hsp_free(scores);
    return status;
}

/* ---- the regions ---- */

static int evaluate_grid(regions *r, hsp_region_cells *g, hsp_error **err) {
    int64_t n = g->columns * g->rows;
    hsp_grid_place *at = hsp_alloc(n, sizeof *at);
    if (!at) return hsp_fail_memory(err);
    for (int64_t k = 0; k < n; k++) at[k] = hsp_region_cells_point(g, k % g->columns, k / g->columns);
    int status = evaluate(r, at, n, g->value, err);
    hsp_free(at);
    return status;
}

/* Narrows all changes at once. */
static int narrow_changes(regions *r, hsp_region_cells *g, hsp_error **err) {
    int64_t n = g->changes;
    hsp_grid_place *at = hsp_alloc(n, sizeof *at);
    int32_t *value = hsp_alloc(n, sizeof *value);
    int status = at && value ? HSP_OK : hsp_fail_memory(err);
    for (int turn = 0; !status && n > 0 && turn < BISECTIONS; turn++) {
        for (int64_t k = 0; k < n; k++) {
            const hsp_grid_change *c = &g->change[k];
            at[k] = (hsp_grid_place){(c->from.u + c->to.u) / 2, (c->from.v + c->to.v) / 2};
        }
        status = evaluate(r, at, n, value, err);
        for (int64_t k = 0; !status && k < n; k++) {
            hsp_grid_change *c = &g->change[k];
            *(value[k] == c->value ? &c->from : &c->to) = at[k];
        }
    }
    HSP_FREE(at, value);
    return status;
}

static int trace_regions(regions *r, double level, hsp_region_cells *g, hsp_error **err) {
    bool flat = r->plane.dimensions == 1;
    r->level = level;
    int status = hsp_region_cells_new(g, flat ? POINTS : COLUMNS, flat ? 2 : ROWS) ? hsp_fail_memory(err) : HSP_OK;
    if (!status) status = evaluate_grid(r, g, err);
    if (!status && hsp_region_cells_find(g)) status = hsp_fail_memory(err);
    if (!status) status = narrow_changes(r, g, err);
    if (!status && hsp_region_cells_cut(g, isnan(level))) status = hsp_fail_memory(err);
    return status;
}

/* Places of the unit square in the units of the plane, as an array of the study. */
static int add_places(regions *r, const char *name, const double *from, int64_t count, int64_t width, hsp_error **err) {
    double *to = hsp_study_add_quiet(r->s, name, count, width, err);
    if (!to) return HSP_EMEMORY;
    for (int64_t k = 0; k < count * width; k++) {
        int a = (int)(k % 2);
        to[k] = r->lo[a] + (r->hi[a] - r->lo[a]) * from[k];
    }
    return HSP_OK;
}

/* The borders as lines: their points, and where each begins. */
static int add_lines(regions *r, const hsp_region_cells *g, const char *name, const char *begin_name, hsp_error **err) {
    hsp_region_lines l;
    int status = hsp_region_lines_join(g, &l) ? hsp_fail_memory(err) : HSP_OK;
    double *begin = status ? NULL : hsp_study_add_quiet(r->s, begin_name, l.lines + 1, 0, err);
    if (!status && !begin) status = HSP_EMEMORY;
    for (int64_t k = 0; !status && k <= l.lines; k++) begin[k] = (double)l.begin[k];
    if (!status) status = add_places(r, name, l.point, l.points, 2, err);
    hsp_region_lines_clear(&l);
    return status;
}

/* The share of the view that belongs to each class. */
static int add_shares(regions *r, const hsp_region_cells *g, hsp_error **err) {
    double *share = hsp_study_add(r->s, "share", r->raw.m->prepare.classes.count, 0, err);
    if (!share) return HSP_EMEMORY;
    for (int64_t p = 0; p < g->polygons; p++) {
        int64_t n = g->begin[p + 1] - g->begin[p];
        const double *c = g->corner + 2 * g->begin[p];
        for (int64_t k = 0; k < n; k++) {
            const double *a = c + 2 * k, *b = c + 2 * ((k + 1) % n);
            share[g->owner[p]] += (a[0] * b[1] - b[0] * a[1]) / 2;
        }
    }
    return HSP_OK;
}

static int add_regions(regions *r, hsp_error **err) {
    hsp_region_cells g = {0};
    int status = trace_regions(r, NAN, &g, err);
    double *begin = status ? NULL : hsp_study_add_quiet(r->s, "begin", g.polygons + 1, 0, err);
    double *owner = begin ? hsp_study_add_quiet(r->s, "owner", g.polygons, 0, err) : NULL;
    if (!status && !owner) status = HSP_EMEMORY;
    for (int64_t p = 0; !status && p <= g.polygons; p++) begin[p] = (double)g.begin[p];
    for (int64_t p = 0; !status && p < g.polygons; p++) owner[p] = (double)g.owner[p];
    if (!status) status = add_places(r, "corner", g.corner, g.corners, 2, err);
    if (!status) status = add_lines(r, &g, "border", "border_begin", err);
    if (!status) status = add_shares(r, &g, err);
    hsp_region_cells_clear(&g);
    return status;
}

/* The lines of the scores 1 and -1. */
static int add_margins(regions *r, hsp_error **err) {
    int status = HSP_OK;
    for (int side = 0; !status && side < 2; side++) {
        hsp_region_cells g = {0};
        status = trace_regions(r, side == 0 ? 1 : -1, &g, err);
        if (!status)
            status = add_lines(r, &g, side == 0 ? "above" : "below", side == 0 ? "above_begin" : "below_begin", err);
        hsp_region_cells_clear(&g);
    }
    return status;
}

/* ---- regression ---- */

/* The curve of a regression on one column. */
static int add_curve(regions *r, hsp_error **err) {
    double *x = hsp_study_add_quiet(r->s, "curve_x", POINTS, 0, err);
    double *y = x ? hsp_study_add_quiet(r->s, "curve_y", POINTS, 0, err) : NULL;
    if (!y) return HSP_EMEMORY;
    for (int64_t k = 0; k < POINTS; k++) x[k] = r->lo[0] + (r->hi[0] - r->lo[0]) * (double)k / (POINTS - 1);
    return hsp_raw_columns_score(&r->raw, x, POINTS, y, NULL, err);
}

/* ---- the study ---- */

static int choose_plane(regions *r, hsp_error **err) {
    const hsp_study_input *in = r->in;
    const hsp_study_input raw = {.data = r->raw.data, .table = r->raw.data, .o = in->o, .threads = in->threads};
    double *influence = hsp_alloc(r->raw.count, sizeof *influence);
    int status = influence ? HSP_OK : hsp_fail_memory(err);
    if (!status && r->raw.count > 2) status = hsp_raw_columns_influence(&r->raw, influence, err);
    r->plane = (hsp_plane){.in = &raw,
                           .x = &r->raw.data->x,
                           .n = r->raw.data->x.n,
                           .d = r->raw.count,
                           .dimensions = r->raw.count > 1 ? 2 : 1,
                           .influence = influence};
    if (!status) status = hsp_plane_choose(&r->plane, r->s, err);
    r->plane.in = NULL;
    r->plane.influence = NULL;
    hsp_free(influence);
    return status;
}

/* "city = Paris": the other columns that have features. */
static int add_held(regions *r, hsp_error **err) {
    const hsp_raw_columns *raw = &r->raw;
    int status = HSP_OK;
    for (int64_t j = 0; !status && raw->e && j < raw->width; j++) {
        hsp_text t = {0};
        if (raw->e->column[j].kind == &hsp_kind_numeric || (!raw->word[j] && isnan(raw->number[j]))) continue;
        hsp_text_add(&t, raw->e->column[j].name);
        hsp_text_add(&t, " = ");
        if (raw->word[j])
            hsp_text_add(&t, raw->word[j]);
        else
            hsp_text_number(&t, raw->number[j]);
        status = t.failed ? hsp_fail_memory(err) : hsp_study_add_text(r->s, "held", t.s, err);
        hsp_text_free(&t);
    }
    return status;
}

static int check_model(const regions *r, hsp_error **err) {
    if (r->raw.m->prepare.regression && r->raw.count > 1)
        return hsp_fail(err, HSP_EUSAGE,
                        "a regression has no boundary: its curve is drawn only for a model of one numeric column");
    return HSP_OK;
}

static int fill_study(regions *r, hsp_error **err) {
    const hsp_model *m = r->raw.m;
    int status = check_model(r, err);
    if (!status) status = choose_plane(r, err);
    if (!status) status = set_range(r, 0, r->plane.u, err);
    if (!status && r->plane.dimensions > 1) status = set_range(r, 1, r->plane.v, err);
    if (!status) status = add_held(r, err);
    if (!status) status = hsp_study_set(r->s, "model_features", (double)m->prepare.schema.d, err);
    if (!status && m->prepare.regression) return add_curve(r, err);
    if (!status) status = add_regions(r, err);
    return !status && m->outputs == 1 ? add_margins(r, err) : status;
}

static int study_regions(const hsp_study_input *in, hsp_study *s, hsp_error **err) {
    regions r = {.in = in, .s = s, .hi = {1, 1}};
    int status = hsp_raw_columns_open(in->model, in->table, in->threads, &r.raw, err);
    if (!status) status = fill_study(&r, err);
    hsp_raw_columns_clear(&r.raw);
    HSP_FREE(r.x, r.plane.mean, r.plane.sd);
    return status;
}

const hsp_study_entry hsp_study_regions = {
    .name = "regions",
    .help = "the prediction of a model over two columns of the data",
    .needs_model = true,
    .needs_data = true,
    .run = study_regions,
};
