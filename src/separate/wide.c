/* Separability with many columns. Dual coordinate descent (Hsieh et al. 2008) for the maximum margin finds some plane early
 * if there is one; else its multipliers diverge on held rows. In the span of a few such rows the linear program is small: it
 * proves that they are held, or separates them; then rows that its plane has on the wrong side are added. */
#include "base/error.h"
#include "base/memory.h"
#include "base/rng.h"
#include "data/matrix.h"
#include "design/design.h"
#include "design/gram.h"
#include "factor/factor.h"
#include "separate/search.h"
#include "verify/proof/proof.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 1200, FIRST_ROWS = 500, MORE_ROWS = 250, FIRST_EPOCHS = 40, MOST_EPOCHS = 5000 };

typedef struct wide {
    hsp_search *s;
    const hsp_cone_frame *f;
    hsp_cone c;
    int64_t *order, active;   /* the active rows */
    int64_t *all, count;      /* the rows of the core */
    double *v, *tile, *alpha; /* p, d, n */
    double *w;                /* d: a plane, in the units of the data */
    double *key;              /* n: what rows are chosen by */
    hsp_rng rng;
} wide; /* owns its arrays */

static int begin_wide(wide *W, hsp_search *s, const hsp_cone_frame *f, hsp_error **err) {
    int64_t n = s->q->x->n, d = s->q->x->d;
    *W = (wide){.s = s, .f = f, .c = hsp_frame_cone(f, s->q->origin), .rng = hsp_rng_new(s->limits->seed, 78)};
    if (!HSP_ALLOC(W->order, n + 1) || !HSP_ALLOC(W->all, n + 1) || !HSP_ALLOC_ZERO(W->v, d + 2) ||
        !HSP_ALLOC(W->tile, d + 1) || !HSP_ALLOC_ZERO(W->alpha, n + 1) || !HSP_ALLOC(W->w, d + 1) ||
        !HSP_ALLOC(W->key, n + 1))
        return hsp_fail_memory(err);
    for (int64_t i = 0; i < n; i++)
        if (W->c.rho[i] != 0) W->all[W->count++] = i;
    return HSP_OK;
}

/* ---- dual coordinate descent ---- */

/* Rows have length 1: the best step in alpha_i is 1 - a_i.v. Rows with alpha_i = 0 well on the right side become inactive.
 * Returns the number of rows on the wrong side. */
static int64_t run_epoch(wide *W) {
    const hsp_cone *c = &W->c;
    int64_t wrong = 0, kept = 0;
    hsp_rng_shuffle(&W->rng, W->order, W->active);
    for (int64_t k = 0; k < W->active; k++) {
        int64_t i = W->order[k];
        hsp_row r = hsp_design_row(c->design, i, W->tile);
        double g = c->rho[i] * (hsp_row_dot(r, W->v) + (c->free ? W->v[c->d] : 0));
        double step = fmax(1 - g, -W->alpha[i]);
        wrong += g <= 0;
        if (W->alpha[i] == 0 && g > 2) continue;
        W->order[kept++] = i;
        if (step == 0) continue;
        W->alpha[i] += step;
        hsp_row_axpy(step * c->rho[i], r, W->v);
        if (c->free) W->v[c->d] += step * c->rho[i];
    }
    W->active = kept;
    return wrong;
}

/* Dual coordinate descent; every tenth epoch visits all rows. */
static int descend(wide *W, int64_t epochs, hsp_error **err) {
    bool accepted = false;
    int64_t done = 0;
    int status = HSP_OK;
    while (!status && !accepted && done < epochs && !hsp_search_stop(W->s)) {
        if (done % 10 == 0) {
            memcpy(W->order, W->all, (size_t)W->count * sizeof *W->order);
            W->active = W->count;
        }
        int64_t wrong = run_epoch(W);
        done++;
        if (wrong == 0 && (done % 10 == 1 || done % 10 == 5)) {
            hsp_cone_lift(&W->c, W->v, NULL, W->w);
            status = hsp_search_plane(W->s, W->w, "dual-descent", &accepted, err);
        }
    }
    hsp_search_log(W->s, "dual coordinate descent, %lld epochs: %s", (long long)done,
                   accepted ? "a hyperplane" : "no hyperplane yet");
    return status;
}

/* ---- a subset of the rows, in its span ---- */

typedef struct subset {
    hsp_matrix rows, coordinates;
    hsp_design *base, *inside; /* of the rows; of their coordinates */
    double *K, *e, *rho;
} subset; /* owns all of it */

/* Finds coordinates along the eigenvectors of the rows' inner products; K becomes the map of hsp_cone. */
static int find_coordinates(subset *p, hsp_error **err) {
    int64_t k = p->rows.n, from = 0;
    int status = hsp_design_outer(p->base, NULL, p->K, err);
    if (!status) status = hsp_eigen(p->K, k, p->e);
    if (status) return status;
    while (from < k && !(p->e[from] > 1e-13 * p->e[k - 1])) from++;
    int64_t r = k - from;
    if (r == 0) return HSP_EINTERNAL;
    double *x = hsp_alloc(k * r, sizeof *x), *map = hsp_alloc(k * r, sizeof *map);
    if (!x || !map) {
        HSP_FREE(x, map);
        return hsp_fail_memory(err);
    }
    for (int64_t a = 0; a < r; a++) {
        double root = sqrt(p->e[from + a]);
        for (int64_t i = 0; i < k; i++) {
            x[i * r + a] = root * p->K[(from + a) * k + i];
            map[i * r + a] = p->K[(from + a) * k + i] / root;
        }
    }
    p->coordinates = (hsp_matrix){.n = k, .d = r, .dense = true, .dtype = HSP_FLOAT64, .stored = k * r, .nonzeros = k * r};
    p->coordinates.value = x;
    hsp_free(p->K);
    p->K = map;
    return hsp_design_new(&p->coordinates, NULL, NULL, p->base->threads, &p->inside, err);
}

/* Solves the linear program for k rows of the core; whole: these are all. */
static int solve_subset(wide *W, const int64_t *row, int64_t k, bool whole, bool *found, hsp_error **err) {
    subset p = {0};
    const hsp_cone_frame *f = W->f;
    *found = false;
    int status = HSP_OK;
    if (!HSP_ALLOC(p.K, k * k) || !HSP_ALLOC(p.e, k) || !HSP_ALLOC(p.rho, k) ||
        hsp_matrix_take(W->s->q->x, row, k, &p.rows))
        status = hsp_fail_memory(err);
    if (!status) status = hsp_design_new(&p.rows, f->shift, f->factor, f->design->threads, &p.base, err);
    if (!status) status = find_coordinates(&p, err);
    if (!status) {
        for (int64_t i = 0; i < k; i++) p.rho[i] = f->rho[row[i]];
        int64_t r = p.coordinates.d;
        hsp_cone c = {.design = p.inside,
                      .rho = p.rho,
                      .free = W->c.free,
                      .n = k,
                      .d = r,
                      .p = r + W->c.free,
                      .row = row,
                      .map = p.K,
                      .base = p.base};
        status = hsp_search_face(W->s, &c, whole ? NULL : W->w, found, err);
    }
    hsp_matrix_clear(&p.rows);
    hsp_matrix_clear(&p.coordinates);
    hsp_design_free(p.base);
    hsp_design_free(p.inside);
    HSP_FREE(p.K, p.e, p.rho);
    return status == HSP_EINTERNAL ? HSP_OK : status;
}

/* Adds rows with the largest positive keys, at most `most`, at row[k]; `have` marks those that are there already. Returns
 * the new k. */
static int64_t add_rows(wide *W, hsp_ranked_row *list, bool *have, int64_t *row, int64_t k, int64_t most) {
    int64_t some = 0;
    for (int64_t t = 0; t < W->count; t++) {
        int64_t i = W->all[t];
        if (!have[i] && W->key[i] > 0) list[some++] = (hsp_ranked_row){W->key[i], i};
    }
    qsort(list, (size_t)some, sizeof *list, hsp_by_rank);
    for (int64_t t = 0; t < some && t < most && k < MOST_ROWS; t++) {
        row[k++] = list[t].row;
        have[list[t].row] = true;
    }
    return k;
}

/* key: how far each row is on the wrong side of the plane W->w. */
static void measure_violations(wide *W) {
    const hsp_rows_by_side *q = W->s->q;
    double below = -INFINITY, above = INFINITY;
    for (int64_t t = 0; t < W->count; t++) W->key[W->all[t]] = hsp_row_dot(hsp_matrix_row(q->x, W->all[t]), W->w);
    for (int64_t t = 0; t < W->count; t++) { /* b: in the middle between the rows with multipliers */
        int64_t i = W->all[t];
        if (W->alpha[i] <= 0) continue;
        if (q->y[i] > 0) above = fmin(above, W->key[i]);
        if (q->y[i] < 0) below = fmax(below, W->key[i]);
    }
    double b = q->origin || !isfinite(below) || !isfinite(above) ? 0 : -(below / 2 + above / 2);
    for (int64_t t = 0; t < W->count; t++) {
        int64_t i = W->all[t];
        W->key[i] = -(W->key[i] + b) * W->c.rho[i];
    }
}

static int grow_subset(wide *W, hsp_error **err) {
    int64_t n = W->s->q->x->n, k = 0, before = -1;
    hsp_ranked_row *list = hsp_alloc(n + 1, sizeof *list);
    bool *have = hsp_alloc_zero(n + 1, sizeof *have), found = true;
    int64_t *row = hsp_alloc(MOST_ROWS, sizeof *row);
    int status = list && have && row ? HSP_OK : hsp_fail_memory(err);
    if (!status) {
        memcpy(W->key, W->alpha, (size_t)n * sizeof *W->key);
        k = add_rows(W, list, have, row, 0, FIRST_ROWS);
    }
    while (!status && found && k > before && !W->s->decided && W->s->out->count == 0 && !hsp_search_stop(W->s)) {
        before = k;
        status = solve_subset(W, row, k, false, &found, err);
        if (status || !found) break;
        measure_violations(W);
        k = add_rows(W, list, have, row, k, MORE_ROWS);
    }
    HSP_FREE(list, have, row);
    return status;
}

int hsp_search_wide(hsp_search *s, const hsp_cone_frame *f, hsp_error **err) {
    wide W;
    bool found;
    int status = begin_wide(&W, s, f, err);
    if (!status && W.count <= MOST_ROWS) {
        status = solve_subset(&W, W.all, W.count, true, &found, err);
    } else if (!status && s->out->count == 0) {
        for (int64_t epochs = FIRST_EPOCHS; !status && epochs <= MOST_EPOCHS; epochs *= 3) {
            status = descend(&W, epochs, err);
            if (status || s->decided || hsp_search_stop(s)) break;
            status = grow_subset(&W, err);
            if (s->decided || s->out->count > 0) break;
        }
        for (int64_t i = 0; !status && i < W.c.n; i++) W.key[i] = W.alpha[i] * fabs(W.c.rho[i]);
        if (!status && !s->decided && s->out->count == 0) status = hsp_search_bound(s, W.key, err);
    }
    if (!status && !s->decided && s->out->count > 0) {
        if (W.count > MOST_ROWS) s->open_reason = "too many rows and columns";
        status = hsp_search_layers_weak(s, false, s->out->method, err);
    }
    HSP_FREE(W.order, W.all, W.v, W.tile, W.alpha, W.w, W.key);
    return status;
}
