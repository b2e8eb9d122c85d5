/* The model in the working set. With z = x + p the columns as they are stored (columns.h) and o = beta - sum_j p_j delta_j,
 * the scores change by q_i = sum_j z_ij delta_j + o. Each change of a weight updates, at the cost of its column,
 *
 *     U_i = H_i sum_j z_ij delta_j,    o,    T = sum_i H_i q_i,
 *
 * so that the slope of the model in weight (k, j) is
 *
 *     g + ridge delta + sum_i z_ij U_ik + V.o - p_j T_k,    V = sum_i z_ij H_i e_k,
 *
 * so that the intercepts cost nothing. The columns are packed as floats, in units of the column's size: the model is as good
 * with that rounding, and its loops need half the memory. With one output each entry is multiplied by the root of its row's
 * curvature, and U is divided by the root: one array less in the loops.
 *
 * Coordinate descent finds the weights that are zero. Where columns are nearly dependent it converges slowly: then it
 * alternates with conjugate gradients in the weights that are not zero. */
#include "solve/prox/column_model.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "data/matrix.h"
#include "design/design.h"
#include "kernel/kernel.h"
#include "loss/loss.h"
#include "solve/prox/coordinate.h"

#include <math.h>
#include <string.h>

enum { FEW_SWEEPS = 2, MOST_TURNS = 40, MEMBERS_AT_ONCE = 64 };
static const double FIRST_PATIENCE = 4, LEAST_PATIENCE = 3, MOST_PATIENCE = 5000;
static const double MOST_SHARE = 0.3, LEAST_SHARE = 1e-3;
static const double CONSTANT = 1e-13; /* a curvature below this share of the column's is rounding */

/* ---- memory ---- */

/* The least sum_i c_i |z_ij| of a column that may have a weight at the optimum: |sum_i k_i r_i x_ij| <= rho must fail for
 * some multipliers in the domain of the dual. Where they sum to 0, centring does not matter. */
static double least_size(const hsp_problem *p) {
    const hsp_loss *loss = p->loss;
    bool bounded = (loss->traits & HSP_LOSS_DUAL) && loss->dual_low >= 0 && isfinite(loss->dual_high) && p->outputs == 1;
    if (!bounded || (p->design->p && p->intercept != HSP_INTERCEPT_FREE)) return 0;
    return p->rho / (p->C * loss->dual_high) * (1 - 1e-6);
}

static void measure_columns(const hsp_prox *s) {
    hsp_column_model *C = s->columns;
    for (int64_t j = 0; j < s->d; j++) {
        double first, second, p = hsp_column_p(C->columns, j);
        hsp_column_moments(C->columns, j, s->rows.c, &first, &second);
        double rest = second - 2 * p * first + p * p;
        C->screen.size[j] = sqrt(fmax(rest, 0) + 1e-12 * (second + p * p));
        C->unit[j] = second > 0 && isfinite(second) ? 1 / sqrt(second) : 0;
        if (!isfinite(C->unit[j])) C->unit[j] = 0;
    }
}

static bool allocate(const hsp_prox *s) {
    hsp_column_model *C = s->columns;
    const hsp_design *D = s->p->design;
    int64_t n = s->n, K = s->K, d = s->d, weights = d * K;
    bool tall = K == 1 && !D->x->dense && 2 * D->d <= n && 2 * d >= D->d;
    hsp_working_set *set = &C->set;
    hsp_column_screen *screen = &C->screen;
    hsp_member_gradients *g = &C->gradients;
    int64_t **const places[] = {&set->weight, &set->column, &set->from, &set->length, &set->order};
    for (size_t a = 0; a < sizeof places / sizeof *places; a++)
        if (!(*places[a] = hsp_alloc(weights, sizeof(int64_t)))) return false;
    set->id = hsp_alloc(C->columns->stored + 1, sizeof *set->id);
    set->value = hsp_alloc(C->columns->stored + 1, sizeof *set->value);
    return set->id && set->value && HSP_ALLOC_DOUBLES(d, &C->unit, &screen->size) &&
           HSP_ALLOC_DOUBLES(tall ? D->d : -1, &C->wide) && HSP_ALLOC_DOUBLES(K == 1 ? 2 * n : -1, &C->pairs) &&
           HSP_ALLOC_DOUBLES(n * K, &C->q, &screen->reference) &&
           HSP_ALLOC_DOUBLES(4 * K, &C->offset, &C->follow, &C->pull, &screen->moved) &&
           HSP_ALLOC_DOUBLES(weights * K, &set->V) &&
           HSP_ALLOC_DOUBLES(weights, &screen->recorded, &set->curvature, &set->threshold, &g->step, &g->rest, &g->aim,
                             &g->product, &g->sloped, &g->tilt);
}

int hsp_column_model_copy(hsp_prox *s, hsp_error **err) {
    const hsp_problem *p = s->p;
    hsp_column_model *C = s->columns = hsp_alloc_zero(1, sizeof *C);
    if (!C) return hsp_fail_memory(err);
    C->share = MOST_SHARE;
    C->patience = FIRST_PATIENCE;
    C->least_patience = LEAST_PATIENCE;
    int status = hsp_columns_heavy(p->design, p->intercept == HSP_INTERCEPT_FREE, p->c, least_size(p), &C->columns, err);
    if (!status) s->d = C->columns->d;
    return status;
}

int hsp_column_model_init(hsp_prox *s, hsp_error **err) {
    hsp_column_model *C = s->columns;
    if (!allocate(s)) return hsp_fail_memory(err);
    C->total = C->offset + s->K;
    s->rows.roots = s->K == 1;
    s->move.weight = C->set.weight;
    measure_columns(s);
    return HSP_OK;
}

void hsp_column_model_free(hsp_column_model *C) {
    if (!C) return;
    const hsp_working_set *set = &C->set;
    const hsp_column_screen *screen = &C->screen;
    const hsp_member_gradients *g = &C->gradients;
    HSP_FREE(C->unit, C->wide, C->pairs, C->q, C->offset, C->pull, C->follow, set->weight, set->column, set->V,
             set->curvature, set->threshold, set->from, set->length, set->id, set->value, set->order, screen->size,
             screen->recorded, screen->reference, screen->moved, g->step, g->rest, g->aim, g->product, g->sloped, g->tilt);
    hsp_member_factor_free(&C->factor);
    hsp_columns_free(C->columns);
    hsp_free(C);
}

/* ---- packing ---- */

/* As hsp_column_pack, for output k of several: `first` is V, K numbers. */
static void pack_class(const hsp_prox *s, int64_t a, hsp_column_sums *sums) {
    const hsp_column_model *C = s->columns;
    const hsp_prox_rows *r = &s->rows;
    int64_t K = s->K, k = hsp_member_output(s, a), j = C->set.column[a];
    hsp_row c = hsp_column(C->columns, j);
    double f = hsp_column_factor(C->columns, j), dot = 0, second = 0, *V = C->set.V + a * K;
    bool packed = a > 0 && C->set.column[a - 1] == j; /* by the member before */
    memset(V, 0, (size_t)K * sizeof *V);
    for (int64_t t = 0; t < c.count; t++) {
        int64_t i = hsp_row_id(c, t);
        const double *P = r->h + i * K;
        double z = f * hsp_row_value(c, t), v = z * r->c[i] * P[k], e = z * r->c[i] * r->more[i] / (double)K;
        for (int64_t l = 0; l < K; l++) V[l] -= v * P[l] + e;
        V[k] += v + e * (double)K;
        dot += z * s->p->slopes[i * K + k];
        second += z * (v * (1 - P[k]) + e * (double)(K - 1));
        if (packed) continue;
        C->set.id[C->set.from[a] + t] = (uint32_t)i;
        C->set.value[C->set.from[a] + t] = (float)(C->unit[j] * z);
    }
    C->set.length[a] = c.count;
    *sums = (hsp_column_sums){dot, V[k], second};
}

static void pack_member(const hsp_prox *s, int64_t a) {
    const hsp_column_model *C = s->columns;
    const hsp_working_set *set = &C->set;
    int64_t K = s->K, k = hsp_member_output(s, a), x = set->weight[a], j = set->column[a];
    hsp_column_sums sums;
    double mean = hsp_column_p(C->columns, j), p = s->p->intercept == HSP_INTERCEPT_FREE ? 0 : mean;
    if (K == 1) {
        int64_t from = set->from[a];
        set->length[a] = hsp_column_pack(C->columns, j, C->pairs, C->unit[j], set->id + from, set->value + from, &sums);
        set->V[a] = sums.first;
    } else {
        pack_class(s, a, &sums);
    }
    s->at.gw[x] = sums.dot - mean * C->pull[k] + s->ridge * s->at.w[x];
    double S = s->rows.S[k * K + k], whole = sums.second - 2 * p * sums.first + p * p * S, rest = whole;
    for (int64_t l = 0; l < K; l++)
        for (int64_t o = 0; o < K; o++)
            rest -= hsp_member_centred(s, a, l) * s->rows.M[l * K + o] * hsp_member_centred(s, a, o);
    set->curvature[a] = (rest > CONSTANT * whole ? rest : 0) + s->ridge;
    set->threshold[a] = hsp_prox_threshold(s, S, whole + mean * mean * S); /* with the mean: sums over x contain it */
}

static void pack_block(void *ctx, int64_t block) {
    const hsp_prox *s = ctx;
    int64_t end = (block + 1) * MEMBERS_AT_ONCE, count = s->columns->set.count;
    for (int64_t a = block * MEMBERS_AT_ONCE; a < end && a < count; a++) pack_member(s, a);
}

double hsp_column_model_pack(hsp_prox *s) {
    hsp_column_model *C = s->columns;
    hsp_working_set *set = &C->set;
    double top = 0;
    int64_t sum = 0;
    for (int64_t a = 0; a < set->count; a++) {
        bool shared = a > 0 && set->column[a - 1] == set->column[a];
        set->from[a] = shared ? set->from[a - 1] : sum;
        if (!shared) sum += hsp_column_count(C->columns, set->column[a]);
        C->work += (double)hsp_column_count(C->columns, set->column[a]);
    }
    hsp_columns_sum_slopes(s);
    for (int64_t i = 0; C->pairs && i < s->n; i++) {
        C->pairs[2 * i] = s->p->slopes[i];
        C->pairs[2 * i + 1] = s->rows.h[i];
    }
    hsp_pool_run((set->count + MEMBERS_AT_ONCE - 1) / MEMBERS_AT_ONCE, s->p->design->threads, pack_block, s);
    for (int64_t k = 0; k < s->K; k++) top = fmax(top, fabs(s->at.gb[k]));
    for (int64_t a = 0; a < set->count; a++) {
        double v = hsp_l1_violation(s->at.w[set->weight[a]], s->at.gw[set->weight[a]], s->t);
        if (v > top) top = v;
    }
    return top;
}

/* ---- one weight ---- */

/* Whether all rows are in the column: the kernels of dense rows need no ids. */
static bool is_full(const hsp_prox *s, int64_t a) {
    return s->K == 1 && s->columns->set.length[a] == s->n;
}

double hsp_member_dot(const hsp_prox *s, int64_t a, const double *rows) {
    const hsp_working_set *set = &s->columns->set;
    const uint32_t *restrict id = set->id + set->from[a];
    const float *restrict x = set->value + set->from[a];
    const double *restrict q = rows;
    int64_t n = set->length[a], t = 0;
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    if (is_full(s, a)) return hsp_dots[HSP_CODING_F32](NULL, x, NULL, n, q);
    if (s->K > 1) {
        q += hsp_member_output(s, a);
        for (; t < n; t++) s0 += (double)x[t] * q[id[t] * s->K];
        return s0;
    }
    for (; t + 4 <= n; t += 4) {
        s0 += (double)x[t] * q[id[t]];
        s1 += (double)x[t + 1] * q[id[t + 1]];
        s2 += (double)x[t + 2] * q[id[t + 2]];
        s3 += (double)x[t + 3] * q[id[t + 3]];
    }
    for (; t < n; t++) s0 += (double)x[t] * q[id[t]];
    return (s0 + s1) + (s2 + s3);
}

/* H_i e_k times the entries, for several outputs. */
static void add_class(const hsp_prox *s, double by, int64_t a, double *rows) {
    const hsp_working_set *set = &s->columns->set;
    const hsp_prox_rows *r = &s->rows;
    int64_t K = s->K, k = hsp_member_output(s, a);
    for (int64_t t = set->from[a]; t < set->from[a] + set->length[a]; t++) {
        int64_t i = set->id[t];
        const double *P = r->h + i * K;
        double z = by * (double)set->value[t] * r->c[i], v = z * P[k], e = z * r->more[i] / (double)K, *U = rows + i * K;
        for (int64_t l = 0; l < K; l++) U[l] -= v * P[l] + e;
        U[k] += v + e * (double)K;
    }
}

void hsp_entries_add(double by, const uint32_t *restrict id, const float *restrict value, int64_t count,
                     double *restrict to) {
    int64_t t = 0;
    for (; t + 4 <= count; t += 4) { /* the ids differ, so four numbers can be read before one is written */
        double a = to[id[t]] + by * (double)value[t], b = to[id[t + 1]] + by * (double)value[t + 1];
        double c = to[id[t + 2]] + by * (double)value[t + 2], d = to[id[t + 3]] + by * (double)value[t + 3];
        to[id[t]] = a;
        to[id[t + 1]] = b;
        to[id[t + 2]] = c;
        to[id[t + 3]] = d;
    }
    for (; t < count; t++) to[id[t]] += by * (double)value[t];
}

void hsp_member_add(const hsp_prox *s, double by, int64_t a, double *rows) {
    const hsp_working_set *set = &s->columns->set;
    if (s->K > 1)
        add_class(s, by, a, rows);
    else if (is_full(s, a))
        hsp_axpys[HSP_CODING_F32](by, NULL, set->value + set->from[a], NULL, s->n, rows);
    else
        hsp_entries_add(by, set->id + set->from[a], set->value + set->from[a], set->length[a], rows);
}

double hsp_member_slope(const hsp_prox *s, int64_t a) {
    const hsp_column_model *C = s->columns;
    int64_t x = C->set.weight[a], K = s->K;
    double g = s->at.gw[x] + s->ridge * (s->move.u[x] - s->at.w[x]);
    g += hsp_member_stretch(C, a) * hsp_member_dot(s, a, C->q);
    for (int64_t l = 0; l < K; l++) g += C->set.V[a * K + l] * C->offset[l];
    return g - hsp_column_p(C->columns, C->set.column[a]) * C->total[hsp_member_output(s, a)];
}

void hsp_member_follow(const hsp_prox *s, int64_t a) {
    const hsp_column_model *C = s->columns;
    int64_t K = s->K;
    double *offset = C->follow, *total = C->follow + K;
    bool free_b = s->p->intercept == HSP_INTERCEPT_FREE;
    for (int64_t l = 0; l < K; l++) {
        double MV = 0;
        for (int64_t o = 0; o < K; o++) MV += s->rows.M[l * K + o] * hsp_member_centred(s, a, o);
        offset[l] = -MV;
    }
    for (int64_t l = 0; l < K; l++) {
        double SMV = 0;
        for (int64_t o = 0; o < K && !free_b; o++) SMV -= s->rows.S[l * K + o] * offset[o];
        total[l] = free_b ? 0 : hsp_member_centred(s, a, l) - SMV; /* free: T stays -gb */
    }
    if (!free_b) offset[hsp_member_output(s, a)] -= hsp_column_p(C->columns, C->set.column[a]);
}

static void move_weight(hsp_prox *s, int64_t a, double to) {
    hsp_column_model *C = s->columns;
    int64_t x = C->set.weight[a];
    double by = to - s->move.u[x];
    s->move.u[x] = to;
    hsp_member_add(s, by * hsp_member_stretch(C, a), a, C->q);
    if (s->p->intercept == HSP_INTERCEPT_NONE && !C->columns->p) return;
    hsp_member_follow(s, a);
    for (int64_t l = 0; l < 2 * s->K; l++) C->offset[l] += by * C->follow[l]; /* and total, behind it */
}

/* ---- coordinate descent ---- */

/* Over the members in order[0 .. count); the largest violation met. */
static double sweep(hsp_prox *s, int64_t count) {
    hsp_column_model *C = s->columns;
    double top = 0, work = 0;
    for (int64_t b = 0; b < count; b++) {
        int64_t a = C->set.order[b];
        double u = s->move.u[C->set.weight[a]], g = hsp_member_slope(s, a);
        double curvature = C->set.curvature[a], t = C->set.threshold[a], violated = hsp_l1_violation(u, g, t);
        work += (double)C->set.length[a];
        if (violated > top) top = violated;
        if (violated == 0) continue;
        double to = curvature > 0 ? hsp_l1_minimum(u, g, curvature, t) : fabs(g) <= t ? 0 : u;
        if (to == u || !isfinite(to)) continue;
        work += (double)C->set.length[a];
        move_weight(s, a, to);
    }
    C->work += work;
    return top;
}

/* Lists all members, or those that are not zero, in the order. */
static int64_t list_members(const hsp_prox *s, bool all) {
    const hsp_working_set *set = &s->columns->set;
    int64_t count = 0;
    for (int64_t a = 0; a < set->count; a++)
        if (all || s->move.u[set->weight[a]] != 0 || s->t == 0) set->order[count++] = a;
    return count;
}

/* ---- the model's minimum ---- */

static void start_at_point(hsp_prox *s) {
    hsp_column_model *C = s->columns;
    int64_t K = s->K;
    memset(C->q, 0, (size_t)(s->n * K) * sizeof *C->q);
    for (int64_t a = 0; a < C->set.count; a++) s->move.u[C->set.weight[a]] = s->at.w[C->set.weight[a]];
    for (int64_t k = 0; k < K; k++) {
        C->offset[k] = 0;
        for (int64_t l = 0; l < K; l++) C->offset[k] -= s->rows.M[k * K + l] * s->at.gb[l];
    }
    for (int64_t k = 0; k < K; k++) {
        double sum = 0;
        for (int64_t l = 0; l < K; l++) sum += s->rows.S[k * K + l] * C->offset[l];
        C->total[k] = s->p->intercept == HSP_INTERCEPT_FREE ? -s->at.gb[k] : sum;
    }
}

/* to_b and q of the move. */
static void move_to_minimum(hsp_prox *s) {
    hsp_column_model *C = s->columns;
    int64_t K = s->K;
    double *delta = C->gradients.step;
    memset(delta, 0, (size_t)(K * s->d) * sizeof *delta);
    for (int64_t k = 0; k < K; k++) s->move.to_b[k] = 0; /* first sum_j p_j delta_j */
    for (int64_t a = 0; a < C->set.count; a++) {
        int64_t x = C->set.weight[a];
        delta[x] = s->move.u[x] - s->at.w[x];
        s->move.to_b[hsp_member_output(s, a)] += hsp_column_p(C->columns, C->set.column[a]) * delta[x];
    }
    hsp_columns_score(s, delta, s->move.q);
    for (int64_t k = 0; k < K; k++) {
        if (s->p->intercept == HSP_INTERCEPT_NONE) C->offset[k] = -s->move.to_b[k];
        s->move.to_b[k] = s->at.b[k] + C->offset[k] + s->move.to_b[k];
        for (int64_t i = 0; i < s->n; i++) s->move.q[i * K + k] += C->offset[k];
    }
}

void hsp_column_model_solve(hsp_prox *s, double tol, hsp_budget *budget) {
    hsp_column_model *C = s->columns;
    double packed = 1, begun = C->work, cheap = C->wide ? 4 : 16;
    start_at_point(s);
    for (int64_t a = 0; a < C->set.count; a++) packed += (double)C->set.length[a];
    double most = C->patience * packed;
    C->tired = false;
    /* Conjugate gradients first, where they are cheap and few members are zero. */
    if (C->apt && hsp_prox_at_final_threshold(s) && C->wide && 10 * list_members(s, false) > 9 * C->set.count)
        hsp_member_gradients_descend(s, tol, most);
    for (int turn = 0; turn < MOST_TURNS; turn++) {
        if (sweep(s, list_members(s, true)) <= tol || hsp_budget_poll(budget)) break;
        double left = INFINITY;
        for (int k = 0; k < (C->wide ? 1 : FEW_SWEEPS) && left > tol / 3; k++) left = sweep(s, list_members(s, false));
        double worked = C->work - begun;
        C->tired = worked > most;
        if (C->tired || turn + 1 == MOST_TURNS) break;
        if (left > tol / 3 && (worked > cheap * packed || C->factor.count > 0))
            hsp_member_gradients_descend(s, tol, most - worked);
    }
    s->move.count = C->set.count;
    move_to_minimum(s);
}

/* A model that predicts badly is not worth much work; a good one is solved more accurately. */
void hsp_column_model_adapt(hsp_prox *s, double share, double by, double predicted) {
    hsp_column_model *C = s->columns;
    double wrong = predicted < 0 ? fabs(by / predicted - 1) : 0;
    C->apt = share == 1 && wrong < 0.2;
    C->share = share < 1 ? MOST_SHARE : fmin(fmax(3 * wrong, LEAST_SHARE), MOST_SHARE);
    if (share < 1 || wrong > 0.5)
        C->patience = fmax(C->patience / 2, C->least_patience);
    else if (C->tired && wrong < 0.2)
        C->patience = fmin(C->patience * 2, MOST_PATIENCE);
}
