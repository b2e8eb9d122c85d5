/* See class_ascent.h. */
#include "solve/classes/class_ascent.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/matrix.h"
#include "design/design.h"
#include "kernel/kernel.h"
#include "problem/multipliers.h"
#include "problem/point.h"
#include "solve/classes/simplex.h"

#include <math.h>
#include <string.h>

/* ---- rows ---- */

static int64_t class_of(const hsp_class_ascent *s, int64_t i) {
    return (int64_t)s->p->y[i];
}

/* v_k += delta_k z_i for every class, with the sums that go with it. */
static void add_row(hsp_class_ascent *s, int64_t i, hsp_row z, const double *delta) {
    const hsp_design *D = s->p->design;
    if (D->x->dense) {
        for (int64_t k = 0; k < s->K; k++)
            if (delta[k] != 0) hsp_row_axpy(delta[k], z, s->v + k * D->d);
    } else if (z.count > 0) {
        s->level->scatter[hsp_row_form(z)](z.count, z.id, z.value, z.table, delta, s->lanes, s->v);
    }
    for (int64_t k = 0; k < s->K; k++) s->t[k] += delta[k];
    for (int64_t k = 0; D->p && k < s->K; k++) s->vp[k] += delta[k] * D->pz[i];
}

/* g_k = w_k.x_i, with the intercept of the augmented Lagrangian, plus 1 for the classes other than the row's own. A sparse
 * centred row is z - p, and w_k = v_k - t_k p. */
static void score_row(hsp_class_ascent *s, int64_t i, hsp_row z) {
    const hsp_design *D = s->p->design;
    double *g = s->g, centre = D->p ? D->pp - D->pz[i] : 0;
    if (D->x->dense) {
        for (int64_t k = 0; k < s->K; k++) g[k] = hsp_row_dot(z, s->v + k * D->d);
    } else {
        memset(g, 0, (size_t)s->lanes * sizeof *g);
        if (z.count > 0) s->level->gather[hsp_row_form(z)](z.count, z.id, z.value, z.table, s->v, s->lanes, g);
    }
    for (int64_t k = 0; k < s->K; k++) g[k] += s->b[k] + s->t[k] * (s->rho + centre) - s->vp[k] + 1;
    g[class_of(s, i)] -= 1;
}

/* The row's share of the gap, and how far its parts are from optimal, in scores: the largest score less the smallest of a
 * class with a part. *margin: the score of the only class with a part less the best other one; negative: none, or several
 * classes have parts. */
static double measure_row(const hsp_class_ascent *s, const double *u, double weight, double *off, double *margin) {
    double most = -INFINITY, next = -INFINITY, least = INFINITY, sum = 0;
    int64_t parts = 0;
    for (int64_t k = 0; k < s->K; k++) {
        double g = s->g[k];
        sum += u[k] * g;
        if (u[k] > 0) {
            parts++;
            least = g < least ? g : least;
        } else if (g > next) {
            next = g;
        }
        most = g > most ? g : most;
    }
    *off = most - least;
    *margin = parts == 1 ? least - next : -1;
    return weight * most - sum;
}

/* An empty row changes no weights: all belongs to the first of the largest scores. */
static void give_all(const hsp_class_ascent *s, double *u, double weight) {
    int64_t most = 0;
    for (int64_t k = 0; k < s->K; k++) {
        u[k] = 0;
        if (s->g[k] > s->g[most]) most = k;
    }
    u[most] = weight;
}

/* Solves for the parts of row i. False: it is to be left out. */
static bool visit_row(hsp_class_ascent *s, int64_t i, hsp_budget *budget) {
    double *u = s->u + i * s->K, weight = hsp_row_weight(s->p, i), q = s->norm[i] + s->rho, off, margin;
    hsp_row z = hsp_design_row(s->p->design, i, s->tile);
    score_row(s, i, z);
    double share = measure_row(s, u, weight, &off, &margin);
    s->share += share > 0 ? share : 0;
    if (off > s->rows.worst) s->rows.worst = off;
    if (margin > s->rows.limit) return false;
    if (!(off > 1e-14)) return true;
    int64_t own = class_of(s, i);
    bool changed = false;
    for (int64_t k = 0; k < s->K; k++) {
        s->before[k] = u[k];
        u[k] += q > 0 ? s->g[k] / q : 0;
    }
    if (q > 0)
        hsp_simplex_project(u, s->K, weight);
    else
        give_all(s, u, weight);
    s->dual += s->before[own] - u[own];
    for (int64_t k = 0; k < s->K; k++) {
        s->before[k] -= u[k];
        changed |= s->before[k] != 0;
    }
    if (!changed) return true;
    add_row(s, i, z, s->before);
    budget->updates++;
    return true;
}

/* ---- epochs ---- */

static double dual_value(const hsp_class_ascent *s) {
    const hsp_design *D = s->p->design;
    double square = hsp_dot_f64(s->v, s->v, D->d * s->lanes);
    for (int64_t k = 0; k < s->K; k++) /* |v - t p|^2 */
        if (D->p) square += s->t[k] * (s->t[k] * D->pp - 2 * s->vp[k]);
    if (s->p->intercept == HSP_INTERCEPT_PENALISED) square += hsp_dot_f64(s->t, s->t, s->K);
    return s->dual - square / 2;
}

static void end_epoch(hsp_class_ascent *s) {
    if (s->p->intercept == HSP_INTERCEPT_FREE)
        for (int64_t k = 0; k < s->K; k++) {
            s->share += fabs(s->b[k] * s->t[k]) + s->rho * s->t[k] * s->t[k];
            s->b[k] += s->rho * s->t[k];
        }
    s->whole = s->rows.limit == INFINITY;
    s->estimate = s->share;
    s->value = dual_value(s);
    s->rows.limit = s->rows.worst > 0 ? s->rows.worst : INFINITY;
    s->rows.at = 0;
    s->epoch++;
}

bool hsp_class_ascent_epoch(hsp_class_ascent *s, hsp_budget *budget) {
    hsp_class_visits *r = &s->rows;
    if (r->at == 0) {
        hsp_rng_shuffle(&s->rng, r->order, r->active);
        r->worst = s->share = 0;
    }
    while (r->at < r->active) {
        if (hsp_budget_out(budget)) return false;
        budget->steps++;
        int64_t ahead = r->at + 2;
        if (ahead < r->active) hsp_design_prefetch(s->p->design, r->order[ahead]);
        if (visit_row(s, r->order[r->at], budget)) {
            r->at++;
            continue;
        }
        int64_t last = r->order[--r->active]; /* those left out stay behind the active ones */
        r->order[r->active] = r->order[r->at];
        r->order[r->at] = last;
    }
    end_epoch(s);
    return true;
}

void hsp_class_ascent_refresh(hsp_class_ascent *s) {
    const hsp_design *D = s->p->design;
    memset(s->v, 0, (size_t)(D->d * s->lanes) * sizeof *s->v);
    memset(s->t, 0, (size_t)s->lanes * sizeof *s->t);
    memset(s->vp, 0, (size_t)s->lanes * sizeof *s->vp);
    s->dual = 0;
    for (int64_t i = 0; i < D->n; i++) {
        const double *u = s->u + i * s->K;
        int64_t own = class_of(s, i);
        double others = 0;
        for (int64_t k = 0; k < s->K; k++) {
            s->before[k] = -u[k];
            others += k == own ? 0 : u[k];
        }
        if (!(others > 0)) continue;
        s->before[own] = others;
        s->dual += others;
        add_row(s, i, hsp_design_row(D, i, s->tile), s->before);
    }
    s->rows.active = s->rows.count;
    s->rows.limit = INFINITY;
    s->rows.at = 0;
}

/* ---- start and end ---- */

/* The penalty of the constraints: about a hundredth of |x|^2, and such that a third of a class's weight moves its intercept by
 * a margin. */
static void set_stiffness(hsp_class_ascent *s) {
    double mean = 0, mass = 0;
    s->rho = s->p->intercept == HSP_INTERCEPT_PENALISED ? 1 : 0;
    if (s->p->intercept != HSP_INTERCEPT_FREE) return;
    for (int64_t e = 0; e < s->rows.count; e++) {
        mean += s->norm[s->rows.order[e]] / (double)s->rows.count;
        mass += hsp_row_weight(s->p, s->rows.order[e]) / (double)s->K;
    }
    double rho = fmax(0.01 * mean, mass > 0 ? 3 / mass : 0);
    s->rho = rho > 0 && isfinite(rho) ? rho : 1;
}

/* The parts of row i: those of the multipliers r, clipped to the simplex; or all to the own class. */
static void set_parts(hsp_class_ascent *s, int64_t i, const double *r) {
    double weight = hsp_row_weight(s->p, i), others = 0, *u = s->u + i * s->K;
    int64_t own = class_of(s, i);
    for (int64_t k = 0; k < s->K; k++) {
        u[k] = r && k != own && r[k] < 0 ? -r[k] * weight : 0;
        others += u[k];
    }
    for (int64_t k = 0; others > weight && k < s->K; k++) u[k] *= weight / others;
    u[own] = others < weight ? weight - others : 0;
}

static double norm_of_row(const hsp_class_ascent *s, int64_t i) {
    const hsp_design *D = s->p->design;
    double q = hsp_row_norm2(hsp_design_row(D, i, s->tile));
    return fmax(D->p ? q + D->pp - 2 * D->pz[i] : q, 0);
}

int hsp_class_ascent_init(hsp_class_ascent *s, hsp_problem *p, uint64_t seed, const hsp_point *start, hsp_error **err) {
    const hsp_design *D = p->design;
    int64_t n = D->n, K = p->outputs;
    *s = (hsp_class_ascent){.p = p, .K = K, .level = hsp_level_now(), .rng = hsp_rng_new(seed, 31)};
    s->lanes = D->x->dense ? K : (K + HSP_LANES_SPARSE - 1) / HSP_LANES_SPARSE * HSP_LANES_SPARSE;
    s->rows.order = hsp_alloc(n, sizeof *s->rows.order);
    bool allocated = HSP_ALLOC_DOUBLES(D->d * s->lanes, &s->v) && HSP_ALLOC_DOUBLES(n * K, &s->u) &&
                     HSP_ALLOC_DOUBLES(n, &s->norm) && HSP_ALLOC_DOUBLES(D->d, &s->tile) &&
                     HSP_ALLOC_DOUBLES(s->lanes, &s->g, &s->before, &s->b, &s->t, &s->vp);
    if (!allocated || !s->rows.order) return hsp_fail_memory(err);
    memset(s->before, 0, (size_t)s->lanes * sizeof *s->before); /* the padding stays 0 */
    for (int64_t k = 0; k < s->lanes; k++) s->b[k] = 0;
    for (int64_t i = 0; i < n; i++) {
        set_parts(s, i, start->alpha ? start->alpha + i * K : NULL);
        s->norm[i] = norm_of_row(s, i);
        if (hsp_row_weight(p, i) > 0) s->rows.order[s->rows.count++] = i;
    }
    set_stiffness(s);
    hsp_class_ascent_refresh(s);
    for (int64_t k = 0; p->intercept == HSP_INTERCEPT_FREE && k < K; k++) s->b[k] = start->b[k];
    return HSP_OK;
}

void hsp_class_ascent_free(hsp_class_ascent *s) {
    HSP_FREE(s->rows.order, s->v, s->u, s->norm, s->tile, s->g, s->before, s->b, s->t, s->vp);
}

void hsp_class_ascent_export(const hsp_class_ascent *s, hsp_point *out) {
    const hsp_design *D = s->p->design;
    for (int64_t k = 0; k < s->K; k++) {
        double t = s->t[k];
        for (int64_t j = 0; j < D->d; j++)
            out->w[k * D->d + j] = (D->x->dense ? s->v[k * D->d + j] : s->v[j * s->lanes + k]) - (D->p ? t * D->p[j] : 0);
        out->b[k] = s->p->intercept == HSP_INTERCEPT_PENALISED ? t : s->b[k];
    }
    for (int64_t i = 0; out->alpha && i < D->n; i++) {
        const double *u = s->u + i * s->K;
        double weight = hsp_row_weight(s->p, i), others = 0, *r = out->alpha + i * s->K;
        for (int64_t k = 0; k < s->K; k++) {
            r[k] = weight > 0 ? -u[k] / weight : 0;
            others -= k == class_of(s, i) ? 0 : r[k];
        }
        r[class_of(s, i)] = others;
    }
}
