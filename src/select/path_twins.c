#include "select/path_twins.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/rng.h"
#include "design/design.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double ALIKE = 1e-9; /* relative */

/* The projections of a column on two random vectors, which sum to 0 beside a free intercept. Those of equal and opposite
 * columns have equal sizes. */
typedef struct twin {
    double size[2];
    int64_t column;
    bool opposite; /* the signs differ */
} twin;

static int by_size(const void *a, const void *b) {
    const twin *u = a, *v = b;
    if (u->size[0] != v->size[0]) return u->size[0] < v->size[0] ? -1 : 1;
    return (u->column > v->column) - (u->column < v->column);
}

static void project(const hsp_problem *p, double *r, double *g[2]) {
    int64_t n = p->design->n;
    hsp_rng rng = hsp_rng_new(1, 4711);
    for (int v = 0; v < 2; v++) {
        double mean = 0;
        for (int64_t i = 0; i < n; i++) r[i] = hsp_rng_uniform(&rng) - 0.5;
        for (int64_t i = 0; p->intercept == HSP_INTERCEPT_FREE && i < n; i++) mean += r[i] / (double)n;
        for (int64_t i = 0; i < n; i++) r[i] -= mean;
        hsp_design_adjoint(p->design, r, g[v]);
    }
}

static bool alike(double a, double b) {
    return fabs(a - b) <= ALIKE * b;
}

/* Sorted by size, twins are neighbours; the leader of each is the first column among them. */
static void lead(const double *const g[2], twin *list, int64_t d, hsp_twins *t) {
    for (int64_t j = 0; j < d; j++) {
        list[j] = (twin){{fabs(g[0][j]), fabs(g[1][j])}, j, (g[0][j] < 0) != (g[1][j] < 0)};
        t->leader[j] = j;
    }
    qsort(list, (size_t)d, sizeof *list, by_size);
    for (int64_t a = 0; a < d; a++) {
        if (list[a].size[0] == 0) continue;
        for (int64_t b = a + 1; b < d && alike(list[a].size[0], list[b].size[0]); b++) {
            bool same = list[a].opposite == list[b].opposite && alike(list[a].size[1], list[b].size[1]);
            int64_t u = t->leader[list[a].column], v = t->leader[list[b].column];
            if (same && u < v) t->leader[list[b].column] = u;
            if (same && v < u) t->leader[list[a].column] = v;
            if (b - a > 1000) break; /* columns of one number, and the like: enough */
        }
    }
    for (int64_t j = 0; j < d; j++) {
        int64_t first = t->leader[j] = t->leader[t->leader[j]];
        t->opposite[j] = (g[0][j] < 0) != (g[0][first] < 0);
        t->count += first != j;
    }
}

int hsp_twins_find(const hsp_problem *p, hsp_twins *out, hsp_error **err) {
    int64_t n = p->design->n, d = p->design->d;
    *out = (hsp_twins){0};
    twin *list = hsp_alloc(d, sizeof *list);
    double *g[2] = {NULL};
    bool room = list && HSP_ALLOC(out->leader, d) && HSP_ALLOC_ZERO(out->opposite, d) &&
                HSP_ALLOC_DOUBLES(d, &g[0], &g[1], &out->w) && HSP_ALLOC_DOUBLES(n, &out->r);
    if (room) {
        project(p, out->r, g);
        lead((const double *const *)g, list, d, out);
    }
    HSP_FREE(list, g[0], g[1]);
    if (room && out->count > 0) return HSP_OK;
    hsp_twins_clear(out);
    return room ? HSP_OK : hsp_fail_memory(err);
}

void hsp_twins_clear(hsp_twins *t) {
    HSP_FREE(t->leader, t->opposite, t->w, t->r);
    *t = (hsp_twins){0};
}

/* The change of the intercept that compensates for the constants by which duplicate columns differ. */
static double mean_change(const hsp_twins *t, const hsp_problem *p, const double *before) {
    int64_t n = p->design->n;
    double sum = 0;
    hsp_design_scores(p->design, before, 0, t->r);
    for (int64_t i = 0; i < n; i++) sum += t->r[i] / (double)n;
    hsp_design_scores(p->design, t->w, 0, t->r);
    for (int64_t i = 0; i < n; i++) sum -= t->r[i] / (double)n;
    return sum;
}

bool hsp_twins_merge(hsp_twins *t, hsp_problem *p, double most, double *w, double *b, double *objective) {
    int64_t d = p->design->d, moved = 0;
    for (int64_t j = 0; t->count > 0 && j < d; j++) moved += w[j] != 0 && t->leader[j] != j;
    if (moved == 0) return false;
    memcpy(t->w, w, (size_t)d * sizeof *w);
    for (int64_t j = 0; j < d; j++) {
        if (w[j] == 0 || t->leader[j] == j) continue;
        t->w[t->leader[j]] += t->opposite[j] ? -w[j] : w[j];
        t->w[j] = 0;
    }
    double other = *b + (p->intercept == HSP_INTERCEPT_FREE ? mean_change(t, p, w) : 0);
    *objective = hsp_problem_evaluate(p, t->w, &other).objective;
    if (*objective <= most) {
        memcpy(w, t->w, (size_t)d * sizeof *w);
        *b = other;
    } /* else they were not duplicates after all */
    return true;
}
