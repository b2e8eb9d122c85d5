/* Looks at a group of lanes: one pass for the points of all, one for their scores, then each lane by itself. The
 * multipliers of the heavier class are scaled down so that they sum to 0 (free intercept). With v of all multipliers at
 * hand that takes only the sum over the rows of the one class, v+: w = down v + (up - down) v+. */
#include "data/matrix.h"
#include "design/design.h"
#include "design/packed.h"
#include "loss/loss.h"
#include "problem/point.h"
#include "problem/problem.h"
#include "solve/dual/lanes_group.h"
#include "solve/loop/run.h"
#include "solve/margin/margin.h"

#include <math.h>
#include <string.h>

/* A lane is left when so many epochs more would be needed: with a smooth loss Newton's method is there sooner then, with
 * the hinge the exact finish, which is dearer. */
enum { N = HSP_LANES, EARLY = 30, FAR_SMOOTH = 300, FAR_HINGE = 1000 };
/* Multipliers below this share of their bound are 0: squares and logarithms of denormals are not to be trusted. */
static const double TINY = 1e-290;

typedef struct balance {
    double up[N], down[N]; /* factors of the multipliers of the rows with y = +1 and with y = -1 */
    double t[N];           /* sum alpha_i y_i with them */
    double norm2[N];       /* |w|^2 */
    double constant[N];    /* of the scores: -p.w */
} balance;

/* ---- the points ---- */

static void find_factors(const hsp_lanes_group *G, balance *B) {
    double plus[N] = {0}, minus[N] = {0};
    for (int64_t place = 0; place < G->rows; place++) {
        const double *a = G->alpha + place * N, *y = G->signs + G->label[place] * N;
        for (int k = 0; k < N; k++) {
            plus[k] += y[k] > 0 ? a[k] : 0;
            minus[k] += y[k] > 0 ? 0 : a[k];
        }
    }
    for (int k = 0; k < N; k++) {
        B->up[k] = B->down[k] = 1;
        B->t[k] = plus[k] - minus[k];
        if (G->R->intercept != HSP_INTERCEPT_FREE) continue;
        if (plus[k] > minus[k])
            B->up[k] = minus[k] / plus[k];
        else if (minus[k] > plus[k])
            B->down[k] = plus[k] / minus[k];
        B->t[k] = 0;
    }
}

/* v+ into w. */
static void sum_positive(hsp_lanes_group *G) {
    memset(G->w, 0, (size_t)(G->R->design->d * N) * sizeof *G->w);
    for (int64_t place = 0; place < G->rows; place++) {
        if (!G->label[place]) continue;
        const double *a = G->alpha + place * N, *y = G->signs + G->label[place] * N;
        double delta[N], any = 0;
        for (int k = 0; k < N; k++) any += delta[k] = y[k] > 0 ? a[k] : 0;
        hsp_row x = hsp_lanes_row(G->R, place);
        if (any > 0 && x.count > 0) G->level->scatter[hsp_row_form(x)](x.count, x.id, x.value, x.table, delta, N, G->w);
    }
}

/* w of the balanced multipliers. */
static void combine(hsp_lanes_group *G, balance *B) {
    const hsp_lanes_rows *R = G->R;
    int64_t d = R->design->d;
    double norm2[N] = {0}, constant[N] = {0}, more[N], own[N];
    bool free = R->intercept == HSP_INTERCEPT_FREE;
    if (free) sum_positive(G);
    for (int k = 0; k < N; k++) {
        more[k] = free ? B->up[k] - B->down[k] : 0;
        own[k] = free ? 0 : B->t[k];
    }
    for (int64_t j = 0; j < d; j++) {
        double *w = G->w + j * N, p = R->design->p ? R->design->p[j] : 0;
        const double *v = G->v + j * N;
        for (int k = 0; k < N; k++) {
            w[k] = B->down[k] * v[k] + (free ? more[k] * w[k] : 0) - own[k] * p;
            norm2[k] += w[k] * w[k];
            constant[k] -= w[k] * p;
        }
    }
    memcpy(B->norm2, norm2, sizeof norm2);
    memcpy(B->constant, constant, sizeof constant);
}

static void score(hsp_lanes_group *G, const balance *B) {
    for (int64_t place = 0; place < G->rows; place++) {
        hsp_row x = hsp_lanes_row(G->R, place);
        double *g = G->scores + place * N;
        memcpy(g, B->constant, sizeof B->constant);
        if (x.count > 0) G->level->gather[hsp_row_form(x)](x.count, x.id, x.value, x.table, G->w, N, g);
    }
}

/* ---- one lane ---- */

/* Its labels, weights (in u) and scores, side by side. */
static void spread(hsp_lanes_group *G, int64_t k) {
    for (int64_t place = 0; place < G->rows; place++) {
        G->y[place] = G->label[place] >> k & 1 ? 1 : -1;
        G->u[place] = hsp_lanes_weight(G, place, k);
        G->g[place] = G->scores[place * N + k];
    }
}

/* The zero of the derivative in b of a smooth objective, between brackets that Newton's steps may not leave. */
static double smooth_intercept(hsp_lanes_group *G, double b) {
    const hsp_loss *loss = G->rules->loss;
    double low = -INFINITY, high = INFINITY, penalty = G->R->intercept == HSP_INTERCEPT_PENALISED ? 1 : 0;
    double *at = G->q, *slope = G->values, *curve = G->values + G->rows;
    for (int trial = 0; trial < 100; trial++) {
        double sum = penalty * b, bend = penalty, size = penalty * fabs(b);
        for (int64_t i = 0; i < G->rows; i++) at[i] = G->g[i] + b;
        loss->second(G->y, at, G->rows, NULL, slope, curve);
        for (int64_t i = 0; i < G->rows; i++) {
            sum += G->u[i] * slope[i];
            size += G->u[i] * fabs(slope[i]);
            bend += G->u[i] * curve[i];
        }
        if (!isfinite(sum) || fabs(sum) <= 1e-14 * size) return b;
        if (sum > 0)
            high = b;
        else
            low = b;
        double next = bend > 0 ? b - sum / bend : NAN;
        if (!(next > low && next < high))
            next = isfinite(low) && isfinite(high) ? low / 2 + high / 2 : sum > 0 ? b - 2 - fabs(b) : b + 2 + fabs(b);
        if (fabs(next - b) <= 1e-15 * fabs(b) || fabs(next) > 1e300) return b;
        b = next;
    }
    return b;
}

static double best_intercept(hsp_lanes_group *G, int64_t k) {
    const hsp_loss *loss = G->rules->loss;
    if (G->R->intercept == HSP_INTERCEPT_NONE) return 0;
    if (loss->traits & HSP_LOSS_SMOOTH) return smooth_intercept(G, G->lane[k].point->b[0]);
    hsp_design rows = {.n = G->rows}; /* all that is asked of it */
    hsp_margin m = {.design = &rows, .y = G->y, .upper = G->u, .intercept = G->R->intercept};
    return hsp_margin_best_intercept(&m, G->g, G->values);
}

static hsp_evaluation evaluate(hsp_lanes_group *G, double norm2, double b) {
    double loss = 0, mass = 0, wrong = 0;
    for (int64_t i = 0; i < G->rows; i++) G->g[i] += b;
    G->rules->loss->batch(G->y, G->g, G->rows, 1, HSP_KINK_OPEN, G->values, NULL);
    for (int64_t i = 0; i < G->rows; i++) {
        loss += G->u[i] * G->values[i];
        mass += G->u[i];
        wrong += (G->g[i] > 0) != (G->y[i] > 0) ? G->u[i] : 0;
    }
    double R = norm2 / 2 + (G->R->intercept == HSP_INTERCEPT_PENALISED ? b * b / 2 : 0);
    return (hsp_evaluation){.objective = R + loss, .mean_loss = loss / mass, .error = wrong / mass, .norm = sqrt(norm2)};
}

/* The multipliers in the units of a point, balanced, into g. */
static void multipliers(hsp_lanes_group *G, const balance *B, int64_t k) {
    double most = G->rules->loss->dual_high;
    for (int64_t i = 0; i < G->rows; i++) {
        double a = G->alpha[i * N + k] * (G->y[i] > 0 ? B->up[k] : B->down[k]), r = a / G->u[i];
        G->g[i] = G->u[i] > 0 && r > TINY ? G->y[i] * (r < most ? r : most) : 0;
    }
}

static double bound(hsp_lanes_group *G, const balance *B, int64_t k) {
    double sum = 0;
    G->rules->loss->duals(G->y, G->g, G->rows, G->values);
    for (int64_t i = 0; i < G->rows; i++) sum += G->u[i] > 0 ? G->u[i] * G->values[i] : 0;
    return sum - B->norm2[k] / 2 - (G->R->intercept == HSP_INTERCEPT_PENALISED ? B->t[k] * B->t[k] / 2 : 0);
}

/* w, and the multipliers that are in g. */
static void export(hsp_lanes_group *G, int64_t k) {
    const hsp_packed *P = G->R->packed;
    hsp_point *point = G->lane[k].point;
    for (int64_t j = 0; j < P->d; j++) point->w[j] = G->w[j * N + k];
    memset(point->alpha, 0, (size_t)G->R->design->n * sizeof *point->alpha);
    for (int64_t i = 0; i < G->rows; i++) point->alpha[P->origin[i]] = G->g[i];
}

/* ---- verdicts ---- */

/* At the pace of the later half of the run the tolerance is too far. Looked at twice. */
static bool hopeless(hsp_lanes_group *G, int64_t k, double gap) {
    hsp_lane_tally *t = G->tally + k;
    if (!isfinite(gap)) return G->epoch > 3;
    if (t->looks < HSP_LANES_LOOKS) t->past[t->looks++] = (hsp_glance){G->epoch, gap};
    int64_t half = t->looks - 1;
    while (half > 0 && 2 * t->past[half].epoch > G->epoch) half--;
    if (G->epoch < EARLY || half == t->looks - 1) return false;
    double pace = log(t->past[half].gap / gap) / (double)(G->epoch - t->past[half].epoch);
    double far = G->rules->loss->traits & HSP_LOSS_SMOOTH ? FAR_SMOOTH : FAR_HINGE;
    t->slow = pace * far > log(gap / G->rules->tol) ? 0 : t->slow + 1;
    return t->slow > 1;
}

static void look_at(hsp_lanes_group *G, const balance *B, int64_t k) {
    hsp_lane *lane = G->lane + k;
    hsp_outcome *out = lane->out;
    spread(G, k);
    lane->point->b[0] = best_intercept(G, k);
    hsp_evaluation e = evaluate(G, B->norm2[k], lane->point->b[0]);
    multipliers(G, B, k);
    double D = bound(G, B, k), P = e.objective;
    if (D > P && D - P <= 1e-12 * fabs(P)) D = P; /* rounding; by more it is no bound */
    bool sound = isfinite(P) && isfinite(D) && D <= P;
    out->end = e;
    out->dual_bound = sound ? fmax(D, 0) : NAN;
    out->gap = hsp_relative_gap(P, out->dual_bound);
    if (out->gap <= G->rules->tol) {
        out->stop = "gap";
        out->converged = true;
        G->s.live[k] = 0;
    } else if (hopeless(G, k, out->gap)) {
        G->s.live[k] = 0;
    }
    export(G, k);
    if (G->rules->look && G->rules->look(G->rules->ctx, lane, e)) G->stopped = true;
}

/* Lanes that may have come to the tolerance, by what the epoch has seen: afterwards the gap is a third to two thirds of it,
 * less where the loss is smooth. */
static int64_t promising(const hsp_lanes_group *G) {
    double share = G->rules->loss->traits & HSP_LOSS_SMOOTH ? 3 : 1.5;
    int64_t count = 0;
    for (int64_t k = 0; k < G->count; k++) {
        const hsp_outcome *o = G->lane[k].out;
        count += G->s.live[k] > 0 && G->s.gap[k] <= share * G->rules->tol * fabs(o->end.objective);
    }
    return count;
}

bool hsp_lanes_worth_a_look(const hsp_lanes_group *G) {
    int64_t since = G->epoch - G->looked, hopes = promising(G), live = 0;
    for (int64_t k = 0; k < G->count; k++) live += G->s.live[k] > 0;
    if (G->epoch < 24 ? G->epoch == 3 || G->epoch == 5 || G->epoch == 9 : 10 * since >= 6 * G->looked)
        return true; /* in any case */
    return hopes > 0 && (2 * hopes >= live || 10 * since >= 3 * G->looked) && 10 * since >= G->looked;
}

void hsp_lanes_look(hsp_lanes_group *G) {
    balance B;
    find_factors(G, &B);
    combine(G, &B);
    score(G, &B);
    for (int64_t k = 0; k < G->count; k++)
        if (G->s.live[k] > 0) look_at(G, &B, k);
    G->looked = G->epoch;
}
