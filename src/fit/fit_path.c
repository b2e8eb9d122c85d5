/* One fit of a regularisation path with an L1 penalty. The optimum is unique if the columns are in general position
 * (Tibshirani 2013, The lasso problem and uniqueness). Duplicate columns, such as the two of a categorical column with two
 * levels once they are scaled, may share their weight in any way, and a path would jump between solutions. So the first of
 * them gets all the weight. */
#include "base/error.h"
#include "base/memory.h"
#include "base/rng.h"
#include "design/design.h"
#include "fit/fit.h"
#include "fit/fit_solve.h"
#include "model/model.h"
#include "problem/point.h"
#include "problem/problem.h"
#include "solve/loop/run.h"

#include <math.h>
#include <stdlib.h>

static const double ALIKE = 1e-9, NO_WORSE = 1e-12; /* relative */

void hsp_fit_path_begin(const hsp_fit *f, const hsp_problem *p, int64_t k, hsp_point *point) {
    const hsp_model *m = f->job.before;
    const hsp_design *D = f->job.design;
    if (!m || !(p->rho > 0) || m->outputs != f->out.outputs || m->prepare.schema.d != D->d) return;
    const double *w = m->w + k * D->d;
    point->b[0] = m->b[k];
    for (int64_t j = 0; j < D->d; j++) {
        bool flat = D->factor && !(D->factor[j] > 0); /* a constant column */
        point->w[j] = flat ? 0 : D->factor ? w[j] / D->factor[j] : w[j];
        if (D->shift) point->b[0] += D->shift[j] * w[j];
    }
}

/* A column with a weight. Columns that are equal or opposite have projections on random vectors of equal size. So do
 * columns that also differ by a constant, if the intercept is free and the vectors sum to 0. */
typedef struct member {
    double size[2]; /* of the projections; sorted by the first */
    int64_t column, leader;
} member;

typedef struct likeness {
    double *r;    /* n */
    double *g[2]; /* d: projections of the columns */
    double *w;    /* d: the merged weights */
    member *list; /* columns with a weight */
    int64_t count;
} likeness;

static void project_columns(const hsp_fit *f, const hsp_problem *p, likeness *l) {
    int64_t n = f->job.design->n;
    hsp_rng rng = hsp_rng_new(1, 4711);
    for (int v = 0; v < 2; v++) {
        double mean = 0;
        for (int64_t i = 0; i < n; i++) l->r[i] = hsp_rng_uniform(&rng) - 0.5;
        for (int64_t i = 0; p->intercept == HSP_INTERCEPT_FREE && i < n; i++) mean += l->r[i] / (double)n;
        for (int64_t i = 0; i < n; i++) l->r[i] -= mean;
        hsp_design_adjoint(f->job.design, l->r, l->g[v]);
    }
}

static int by_size(const void *a, const void *b) {
    const member *u = a, *v = b;
    if (u->size[0] != v->size[0]) return u->size[0] < v->size[0] ? -1 : 1;
    return (u->column > v->column) - (u->column < v->column);
}

static bool nearly_equal(double a, double b) {
    return fabs(a - b) <= ALIKE * b;
}

/* Makes column j the leader of all its duplicates that have no leader yet. */
static void mark_followers(likeness *l, int64_t j) {
    double size = fabs(l->g[0][j]);
    int64_t lo = 0, hi = l->count;
    while (lo < hi) { /* the first that is not smaller */
        int64_t middle = lo + (hi - lo) / 2;
        if (l->list[middle].size[0] < size * (1 - ALIKE))
            lo = middle + 1;
        else
            hi = middle;
    }
    bool same_way = (l->g[0][j] < 0) == (l->g[1][j] < 0);
    for (; size > 0 && lo < l->count && nearly_equal(l->list[lo].size[0], size); lo++) {
        member *m = &l->list[lo];
        bool its_way = (l->g[0][m->column] < 0) == (l->g[1][m->column] < 0);
        if (m->leader < 0 && same_way == its_way && nearly_equal(m->size[1], fabs(l->g[1][j]))) m->leader = j;
    }
}

/* Moves the weights to the leaders; returns whether any weight has moved. */
static bool move_weights(likeness *l, const double *w, int64_t d) {
    bool moved = false;
    for (int64_t j = 0; j < d; j++) mark_followers(l, j);
    for (int64_t j = 0; j < d; j++) l->w[j] = w[j];
    for (int64_t t = 0; t < l->count; t++) {
        const member *m = &l->list[t];
        if (m->leader < 0 || m->leader == m->column) continue;
        bool opposite = (l->g[0][m->column] < 0) != (l->g[0][m->leader] < 0);
        l->w[m->leader] += opposite ? -w[m->column] : w[m->column];
        l->w[m->column] = 0;
        moved = true;
    }
    return moved;
}

/* The change of the intercept that compensates for the constants by which duplicate columns differ. */
static double mean_change(const hsp_fit *f, const double *before, const double *after, double *r) {
    int64_t n = f->job.design->n;
    double sum = 0;
    hsp_design_scores(f->job.design, before, 0, r);
    for (int64_t i = 0; i < n; i++) sum += r[i] / (double)n;
    hsp_design_scores(f->job.design, after, 0, r);
    for (int64_t i = 0; i < n; i++) sum -= r[i] / (double)n;
    return sum;
}

static void merge_like_columns(const hsp_fit *f, hsp_problem *p, likeness *l, hsp_point *point, hsp_outcome *o) {
    int64_t d = f->job.design->d;
    project_columns(f, p, l);
    for (int64_t j = 0; j < d; j++)
        if (point->w[j] != 0) l->list[l->count++] = (member){{fabs(l->g[0][j]), fabs(l->g[1][j])}, j, -1};
    qsort(l->list, (size_t)l->count, sizeof *l->list, by_size);
    if (!move_weights(l, point->w, d)) return;
    double b = point->b[0];
    if (p->intercept == HSP_INTERCEPT_FREE) b += mean_change(f, point->w, l->w, l->r);
    hsp_evaluation e = hsp_problem_evaluate(p, l->w, &b);
    if (!(e.objective <= o->end.objective * (1 + NO_WORSE))) return; /* they were not duplicates after all */
    for (int64_t j = 0; j < d; j++) point->w[j] = l->w[j];
    point->b[0] = b;
    o->end = e;
    o->gap = hsp_relative_gap(e.objective, o->dual_bound);
}

int hsp_fit_path_finish(const hsp_fit *f, hsp_problem *p, hsp_point *point, hsp_outcome *o, hsp_error **err) {
    int64_t n = f->job.design->n, d = f->job.design->d;
    if (!f->job.path || p->rho < 1 || d < 2) return HSP_OK;
    likeness l = {.r = hsp_alloc(n, sizeof *l.r), .w = hsp_alloc(3 * d, sizeof *l.w), .list = hsp_alloc(d, sizeof *l.list)};
    bool room = l.r && l.w && l.list;
    if (room) {
        l.g[0] = l.w + d;
        l.g[1] = l.w + 2 * d;
        merge_like_columns(f, p, &l, point, o);
    }
    HSP_FREE(l.r, l.w, l.list);
    return room ? HSP_OK : hsp_fail_memory(err);
}
