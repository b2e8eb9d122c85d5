/* Epochs of a group of lanes. The algorithm is that of margin_dual.c, eight problems at a time: see lanes.h. */
#include "solve/dual/lanes.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/rng.h"
#include "design/pieces.h"
#include "solve/dual/lanes_group.h"

#include <math.h>
#include <string.h>

enum { N = HSP_LANES, BUCKET = 8, AHEAD = 4, REACTIVATE = 20, RECOMPUTE = 50, POLL = 64, SIGNS = 256 };
static const double ROUNDING = 1e-14;

/* ---- making ---- */

static int allocate(hsp_lanes_group *G, bool own) {
    int64_t d = G->R->design->d, rows = G->rows;
    G->memory = hsp_alloc_zero(2 * d * N + HSP_LINE, sizeof *G->memory);
    G->sign_memory = hsp_alloc(SIGNS * N + HSP_LINE, sizeof *G->sign_memory);
    G->label = hsp_alloc_zero(rows, sizeof *G->label);
    G->out = hsp_alloc_zero(rows, sizeof *G->out);
    G->order = hsp_alloc(2 * rows, sizeof *G->order);
    G->bucket = hsp_alloc((rows + BUCKET - 1) / BUCKET, sizeof *G->bucket);
    G->alpha = hsp_alloc_zero(rows * N, sizeof *G->alpha);
    G->scores = hsp_alloc(rows * N, sizeof *G->scores);
    bool logistic = G->rules->loss == &hsp_loss_logistic;
    if (logistic && !(G->logit = hsp_alloc_zero(rows * N, sizeof *G->logit))) return HSP_EMEMORY;
    G->y = hsp_alloc(6 * rows, sizeof *G->y);
    if (own) G->own = hsp_alloc_zero(rows * N, sizeof *G->own);
    if (!own && G->R->weight) G->weight = hsp_alloc(rows, sizeof *G->weight);
    bool whole =
        G->memory && G->sign_memory && G->label && G->out && G->order && G->bucket && G->alpha && G->scores && G->y;
    if (!whole || (own && !G->own) || (!own && G->R->weight && !G->weight)) return HSP_EMEMORY;
    G->v = hsp_design_aligned(G->memory);
    G->w = G->v + d * N;
    G->signs = hsp_design_aligned(G->sign_memory);
    G->u = G->y + rows;
    G->q = G->u + rows;
    G->g = G->q + rows;
    G->values = G->g + rows;
    G->aside = G->order + rows;
    return HSP_OK;
}

static void release(hsp_lanes_group *G) {
    void *all[] = {G->memory, G->sign_memory, G->label, G->out, G->order,  G->bucket,
                   G->alpha,  G->scores,      G->y,     G->own, G->weight, G->logit};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) hsp_free(all[k]);
}

/* Labels, weights and multipliers, from the order of the design to that of the copy. */
static void take_rows(hsp_lanes_group *G) {
    const int64_t *origin = G->R->packed->origin;
    for (int64_t k = 0; k < G->count; k++) {
        const hsp_lane *lane = G->lane + k;
        for (int64_t place = 0; place < G->rows; place++) {
            int64_t i = origin[place];
            if (lane->y[i] > 0) G->label[place] |= (uint8_t)(1u << k);
            if (G->own) G->own[place * N + k] = lane->c ? lane->c[i] : 1;
        }
    }
    for (int64_t place = 0; G->weight && place < G->rows; place++) G->weight[place] = G->R->weight[origin[place]];
    for (int64_t k = 0; k < G->count; k++) {
        const hsp_lane *lane = G->lane + k;
        double upper = G->s.upper[k] / G->s.weight[k]; /* 1, or none */
        for (int64_t place = 0; place < G->rows; place++) {
            double a = lane->y[origin[place]] * lane->point->alpha[origin[place]];
            if (!(a > 0 && a < INFINITY)) continue;
            G->alpha[place * N + k] = hsp_lanes_weight(G, place, k) * fmin(a, upper);
            if (G->logit) G->logit[place * N + k] = a < 1 ? log(a / (1 - a)) : 40;
        }
    }
    for (int bits = 0; bits < SIGNS; bits++)
        for (int k = 0; k < N; k++) G->signs[bits * N + k] = bits >> k & 1 ? 1 : -1;
}

/* How much the rows of a class can pull in lane k, the weaker of the two. */
static double weaker(const hsp_lanes_group *G, int64_t k) {
    double sum[2] = {0, 0};
    for (int64_t place = 0; place < G->rows; place++) sum[G->label[place] >> k & 1] += hsp_lanes_weight(G, place, k);
    return fmin(sum[0], sum[1]);
}

static void take_lanes(hsp_lanes_group *G) {
    bool squared = G->rules->loss == &hsp_loss_squared_hinge;
    for (int64_t k = 0; k < N; k++) {
        double C = k < G->count ? G->lane[k].C : 1;
        G->s.weight[k] = C;
        G->s.upper[k] = squared ? INFINITY : C;
        G->s.ridge[k] = squared ? 1 / (2 * C) : 0;
        G->s.live[k] = k < G->count;
        G->s.high[k] = INFINITY;
        G->s.low[k] = -INFINITY;
        G->s.rho[k] = 1;
    }
}

static void take_stiffness(hsp_lanes_group *G) {
    for (int64_t k = 0; k < G->count; k++) {
        G->s.rho[k] = G->R->intercept == HSP_INTERCEPT_PENALISED ? 1 : 0;
        if (G->R->intercept != HSP_INTERCEPT_FREE) continue;
        double pull = weaker(G, k);
        G->s.rho[k] = fmax(0.01 * G->R->size, pull > 0 ? 3 / pull : 0);
        if (!(G->s.rho[k] > 0)) G->s.rho[k] = 1;
    }
}

/* v, r and v.c from the multipliers. */
static void recompute(hsp_lanes_group *G) {
    const hsp_lanes_rows *R = G->R;
    int64_t d = R->design->d;
    memset(G->v, 0, (size_t)(d * N) * sizeof *G->v);
    memset(G->s.r, 0, sizeof G->s.r);
    for (int64_t place = 0; place < G->rows; place++) {
        const double *a = G->alpha + place * N, *y = G->signs + G->label[place] * N;
        double delta[N], any = 0;
        for (int k = 0; k < N; k++) {
            delta[k] = a[k] * y[k];
            G->s.r[k] += delta[k];
            any += a[k];
        }
        hsp_row x = hsp_lanes_row(R, place);
        if (any != 0 && x.count > 0) G->level->scatter[hsp_row_form(x)](x.count, x.id, x.value, x.table, delta, N, G->v);
    }
    memset(G->s.vc, 0, sizeof G->s.vc);
    for (int64_t j = 0; R->c && j < d; j++)
        for (int k = 0; k < N; k++) G->s.vc[k] += G->v[j * N + k] * R->c[j];
}

/* The start's intercept as one of the rows less c. */
static void take_intercepts(hsp_lanes_group *G) {
    const hsp_lanes_rows *R = G->R;
    for (int64_t k = 0; k < G->count; k++) {
        double of_p = 0, any = 0;
        for (int64_t place = 0; place < G->rows; place++) any += G->alpha[place * N + k];
        if (R->intercept != HSP_INTERCEPT_FREE || any == 0) continue;
        for (int64_t j = 0; R->design->p && j < R->design->d; j++) of_p += G->v[j * N + k] * R->design->p[j];
        G->s.b[k] = G->lane[k].point->b[0] + G->s.vc[k] - G->s.r[k] * R->cc - of_p;
    }
}

static void reactivate(hsp_lanes_group *G) {
    G->active = G->rows;
    for (int k = 0; k < N; k++) {
        G->s.high[k] = INFINITY;
        G->s.low[k] = -INFINITY;
    }
}

static int begin(hsp_lanes_group *G, hsp_error **err) {
    bool own = false;
    for (int64_t k = 0; k < G->count; k++) own |= G->lane[k].c != G->R->weight;
    if (allocate(G, own)) return hsp_fail_memory(err);
    G->begun = hsp_clock_seconds();
    G->level = hsp_level_now();
    G->step = hsp_lanes_step_of(G->rules->loss);
    G->rng = hsp_rng_new(G->rules->seed, 72);
    take_lanes(G);
    take_rows(G);
    take_stiffness(G);
    recompute(G);
    take_intercepts(G);
    for (int64_t place = 0; place < G->rows; place++) G->order[place] = place;
    reactivate(G);
    for (int64_t k = 0; k < G->count; k++) G->tally[k].epochs_before = G->lane[k].out->epochs;
    return HSP_OK;
}

/* ---- an epoch ---- */

/* The lanes' weights, bounds and ridges at a row that has a weight of its own. */
static void weigh(const hsp_lanes_group *G, int64_t place, double *weight, double *upper, double *ridge) {
    for (int k = 0; k < N; k++) {
        double c = G->own ? G->own[place * N + k] : G->weight[place];
        weight[k] = G->s.weight[k] * c;
        bool counts = weight[k] > 0 && isfinite(G->s.ridge[k] / c);
        upper[k] = counts ? G->s.upper[k] * c : 0;
        ridge[k] = counts ? G->s.ridge[k] / c : 0;
    }
}

static inline unsigned visit(hsp_lanes_group *G, int64_t place) {
    hsp_lanes_state *s = &G->s;
    const hsp_lanes_rows *R = G->R;
    double score[N], delta[N], weight[N], upper[N], ridge[N], cz = R->cz[place];
    hsp_lanes_visit v = {.weight = s->weight,
                         .upper = s->upper,
                         .ridge = s->ridge,
                         .y = G->signs + G->label[place] * N,
                         .norm = R->norm[place],
                         .score = score,
                         .alpha = G->alpha + place * N,
                         .delta = delta,
                         .logit = G->logit ? G->logit + place * N : NULL};
    hsp_row x = hsp_lanes_row(R, place);
    int form = hsp_row_form(x);
    for (int k = 0; k < N; k++) score[k] = s->b[k] + s->rho[k] * s->r[k] - s->vc[k] + s->r[k] * (R->cc - cz);
    if (x.count > 0) G->level->gather[form](x.count, x.id, x.value, x.table, G->v, N, score);
    if (G->own || G->weight) {
        weigh(G, place, weight, upper, ridge);
        v.weight = weight;
        v.upper = upper;
        v.ridge = ridge;
    }
    unsigned said = G->step(s, &v);
    if (said & HSP_LANES_MOVED) {
        if (x.count > 0) G->level->scatter[form](x.count, x.id, x.value, x.table, delta, N, G->v);
        for (int k = 0; k < N; k++) {
            s->r[k] += delta[k];
            s->vc[k] += delta[k] * cz;
        }
    }
    return said;
}

static bool limit_met(const hsp_lanes_group *G) {
    return hsp_cancel_pending() || hsp_clock_seconds() >= G->rules->deadline;
}

/* All buckets in random order; false when a limit cut it short. */
static bool visit_all(hsp_lanes_group *G, int64_t *steps) {
    int64_t buckets = (G->active + BUCKET - 1) / BUCKET;
    for (int64_t k = 0; k < buckets; k++) G->bucket[k] = k;
    hsp_rng_shuffle(&G->rng, G->bucket, buckets);
    for (int64_t at = 0; at < buckets; at++) {
        int64_t first = G->bucket[at] * BUCKET, end = first + BUCKET < G->active ? first + BUCKET : G->active;
        int64_t next = at + 1 < buckets ? G->bucket[at + 1] * BUCKET : first;
        for (int64_t k = first; k < end; k++) {
            int64_t ahead = k + AHEAD < end ? k + AHEAD : next + (k + AHEAD - end);
            if (ahead < G->active) {
                hsp_packed_prefetch(G->R->packed, G->order[ahead]);
                __builtin_prefetch(G->alpha + G->order[ahead] * N);
            }
            unsigned said = visit(G, G->order[k]);
            G->out[G->order[k]] = !(said & HSP_LANES_WANTED);
        }
        *steps += end - first;
        if (at % POLL == POLL - 1 && limit_met(G)) return false;
    }
    return !limit_met(G);
}

/* Rows that no lane wants go behind those that take part; both keep their order. */
static void compact(hsp_lanes_group *G) {
    int64_t kept = 0, gone = 0;
    for (int64_t k = 0; k < G->active; k++) {
        int64_t place = G->order[k];
        if (G->out[place])
            G->aside[gone++] = place;
        else
            G->order[kept++] = place;
        G->out[place] = 0;
    }
    memcpy(G->order + kept, G->aside, (size_t)gone * sizeof *G->aside);
    G->active = kept;
}

/* Intercepts and thresholds for the next epoch; whether some lane has nothing left to do on the rows that take part. */
static bool turn(hsp_lanes_group *G) {
    hsp_lanes_state *s = &G->s;
    bool quiet = false;
    for (int64_t k = 0; k < G->count; k++) {
        if (!(s->live[k] > 0)) continue;
        s->high[k] = s->top[k] > 0 ? s->top[k] : INFINITY;
        s->low[k] = s->bottom[k] < 0 ? s->bottom[k] : -INFINITY;
        if (G->R->intercept == HSP_INTERCEPT_FREE) s->b[k] += s->rho[k] * s->r[k];
        quiet |= s->top[k] - s->bottom[k] <= 10 * ROUNDING;
    }
    return quiet;
}

static void count_epoch(hsp_lanes_group *G, int64_t steps, bool whole) {
    for (int64_t k = 0; k < G->count; k++) {
        if (!(G->s.live[k] > 0)) continue;
        hsp_outcome *out = G->lane[k].out;
        out->epochs += whole;
        out->updates += (int64_t)G->s.moved[k];
        out->steps += steps;
    }
}

static bool epoch(hsp_lanes_group *G) {
    int64_t steps = 0;
    hsp_lanes_state *s = &G->s;
    memset(s->moved, 0, sizeof s->moved);
    memset(s->wanted, 0, sizeof s->wanted);
    memset(s->top, 0, sizeof s->top);
    memset(s->bottom, 0, sizeof s->bottom);
    memset(s->gap, 0, sizeof s->gap);
    bool whole = visit_all(G, &steps);
    count_epoch(G, steps, whole);
    if (!whole) return false;
    compact(G);
    G->epoch++;
    bool quiet = turn(G);
    if (G->epoch % RECOMPUTE == 0) recompute(G);
    if (quiet || G->epoch % REACTIVATE == 0) reactivate(G);
    return true;
}

static int64_t at_work(const hsp_lanes_group *G) {
    int64_t count = 0;
    for (int64_t k = 0; k < G->count; k++) count += G->s.live[k] > 0;
    return count;
}

/* Ends the lanes that a limit stops, with their last points. */
static void stop_all(hsp_lanes_group *G, const char *why) {
    for (int64_t k = 0; k < G->count; k++)
        if (G->s.live[k] > 0) G->lane[k].out->stop = why;
}

static const char *limit_of(const hsp_lanes_group *G) {
    return hsp_clock_seconds() >= G->rules->deadline ? "max-seconds" : "cancelled";
}

static void loop(hsp_lanes_group *G) {
    for (;;) {
        int64_t most = G->rules->max_epochs, done = most;
        for (int64_t k = 0; k < G->count; k++)
            if (G->s.live[k] > 0) done = G->lane[k].out->epochs;
        const char *why = most >= 0 && done >= most ? "max-epochs" : NULL;
        if (!why && !epoch(G)) why = limit_of(G);
        if (why || hsp_lanes_worth_a_look(G)) hsp_lanes_look(G);
        if (G->stopped) why = "cancelled";
        if (why) {
            stop_all(G, why);
            return;
        }
        int64_t left = at_work(G);
        if (left > G->rules->least) continue;
        for (int64_t k = 0; k < G->count; k++) G->lane[k].lonely = G->s.live[k] > 0;
        return;
    }
}

int hsp_lanes_run(const hsp_lanes_rows *R, const hsp_lanes_rules *rules, hsp_lane *lanes, int64_t count, hsp_error **err) {
    hsp_lanes_group *G = hsp_alloc_zero(1, sizeof *G);
    if (!G) return hsp_fail_memory(err);
    *G = (hsp_lanes_group){.R = R, .rules = rules, .lane = lanes, .count = count, .rows = R->packed->rows};
    int status = begin(G, err);
    if (!status) loop(G);
    for (int64_t k = 0; !status && k < count; k++) lanes[k].out->seconds += hsp_clock_seconds() - G->begun;
    release(G);
    hsp_free(G);
    return status;
}
