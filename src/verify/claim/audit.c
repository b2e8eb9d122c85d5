/* Scores, losses and penalties of the audited problems. */
#include "verify/claim/audit.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "data/matrix.h"
#include "model/objective.h"
#include "network/network.h"
#include "verify/claim/network_scores.h"

#include <stdatomic.h>
#include <xxhash.h>

/* ---- parts and threads ---- */

typedef struct running {
    hsp_audit *u;
    hsp_audit_task *task;
    void *ctx;
    int64_t tasks;
    atomic_int_least64_t next;
} running;

static void run_slot(void *ctx, int64_t slot) {
    running *r = ctx;
    int64_t t;
    while ((t = atomic_fetch_add(&r->next, 1)) < r->tasks) {
        r->task(r->u, r->ctx, t, r->u->scratch.bytes + slot * r->u->scratch.size);
        if (hsp_advance_rows(r->u->advance, r->u->c.n / r->tasks)) break;
    }
}

void hsp_audit_run(hsp_audit *u, int64_t tasks, hsp_audit_task *task, void *ctx) {
    running r = {.u = u, .task = task, .ctx = ctx, .tasks = tasks};
    hsp_pool_run(tasks < u->threads ? tasks : u->threads, u->threads, run_slot, &r);
}

int hsp_audit_fail_stopped(hsp_error **err) {
    return hsp_fail(err, HSP_ECANCELLED, "interrupted before all claims were checked");
}

hsp_dd hsp_audit_total(const hsp_audit *u) {
    hsp_dd s = {0, 0};
    for (int64_t p = 0; p < u->parts; p++) s = hsp_dd_add(s, u->sum[p]);
    return s;
}

hsp_rows_part hsp_audit_rows(const hsp_audit *u, int64_t part, int64_t *first) {
    int64_t from = part * u->part, left = u->c.n - from;
    *first = from;
    return (hsp_rows_part){.count = left < u->part ? left : u->part,
                           .y = u->y + from,
                           .c = u->c.c + from,
                           .C = u->c.C,
                           .parameter = u->c.parameter,
                           .a = u->a ? u->a + from : NULL};
}

/* ---- opening ---- */

/* Zeroed, so that cancelled work never reads uninitialised memory. */
static int allocate(hsp_audit *u, hsp_error **err) {
    int64_t n = u->c.n > 0 ? u->c.n : 1, parts = u->parts > 0 ? u->parts : 1, d = u->c.d > 0 ? u->c.d : 1;
    bool dual = hsp_audit_multipliers(u);
    u->y = hsp_alloc_zero(n, sizeof *u->y);
    u->g = hsp_alloc_zero(n * u->width, sizeof *u->g);
    u->sum = hsp_alloc_zero(parts, sizeof *u->sum);
    u->least = hsp_alloc_zero(parts, sizeof *u->least);
    u->hash = hsp_alloc_zero(parts, sizeof *u->hash);
    u->scratch.bytes = hsp_alloc(u->threads * u->scratch.size, 1);
    if (dual) {
        u->a = hsp_alloc_zero(n * u->width, sizeof *u->a);
        u->low = u->c.joint ? hsp_alloc_zero(n, sizeof *u->low) : NULL;
        u->sums = hsp_alloc_zero(parts, sizeof *u->sums);
        u->room = hsp_alloc(u->cuts * 3 * d, sizeof *u->room); /* hsp_audit_combine writes before it reads */
        bool dense = u->c.data->x.dense;
        u->v = (hsp_audit_columns){.base = u->room, .d = u->c.d, .step = dense ? 1 : 3, .offset = dense ? d : 1};
    }
    if (u->c.K > 1) {
        u->guess.class = hsp_alloc_zero(n, sizeof *u->guess.class);
        u->guess.score = u->c.joint ? NULL : hsp_alloc(n, sizeof *u->guess.score);
    }
    bool whole = u->y && u->g && u->sum && u->least && u->hash && u->scratch.bytes;
    if (dual) whole = whole && u->a && u->sums && u->room && (u->low || !u->c.joint);
    if (u->c.K > 1) whole = whole && u->guess.class && (u->guess.score || u->c.joint);
    return whole ? HSP_OK : hsp_fail_memory(err);
}

int hsp_audit_open(const hsp_model *m, const hsp_objective *objective, const hsp_data *data, const hsp_dual *dual,
                   int threads, hsp_audit *out, hsp_error **err) {
    *out = (hsp_audit){.pass = hsp_passes_now(), .threads = threads > 1 ? threads : 1, .dual = dual};
    int status = hsp_claim_open(m, objective, data, &out->c, err);
    if (status) return status;
    if (dual && !hsp_dual_fits(dual, m->outputs, data->x.n))
        return hsp_fail(err, HSP_EINPUT, "the dual vector does not match these rows: verify with the training data");
    out->width = out->c.joint ? out->c.K : 1;
    int64_t n = out->c.n, K = out->width, stored = out->c.data->x.stored, d = out->c.d > 0 ? out->c.d : 1;
    out->part = K == 1 ? HSP_AUDIT_PART : 16384 / K;
    if (out->part > HSP_AUDIT_PART) out->part = HSP_AUDIT_PART;
    if (out->part < 1) out->part = 1;
    const hsp_network *net = m->network;
    for (int64_t l = 1; net && l < net->layers; l++) /* the signals of a part stay in the cache */
        while (out->part > 1 && out->part * net->size[l] > 65536) out->part /= 2;
    out->parts = n > 0 ? (n + out->part - 1) / out->part : 0;
    /* Summing the columns of a piece must cost less than its rows. */
    out->cuts = stored / (8 * d);
    if (out->cuts > 16) out->cuts = 16;
    if (out->cuts < 1) out->cuts = 1;
    out->scratch.size = (int64_t)sizeof(hsp_dd) * (out->part * K + 2 * K) + (int64_t)sizeof(double) * K;
    if (net) out->scratch.size += (int64_t)sizeof(hsp_dd) * (hsp_audit_network_scratch(net, out->part) + 1);
    return allocate(out, err);
}

void hsp_audit_close(hsp_audit *u) {
    if (u->conditioning) hsp_free(u->conditioning->size);
    hsp_free(u->conditioning);
    hsp_claim_clear(&u->c);
    HSP_FREE(u->y, u->g, u->a, u->low, u->sum, u->least, u->hash, u->sums, u->guess.class, u->guess.score, u->room,
             u->scratch.bytes);
    *u = (hsp_audit){0};
}

/* ---- scores ---- */

/* The rows from `from` of a part on that fit the cache together, all of them without a visitor and with one score. */
static int64_t rows_near(const hsp_audit *u, int64_t from, int64_t count) {
    enum { BYTES = 1 << 18, EIGHT = 8 };
    const hsp_matrix *x = &u->c.data->x;
    int64_t bytes = x->dense ? x->d * (int64_t)hsp_matrix_value_size(x) : 0, rows = BYTES / (bytes > 0 ? bytes : 1);
    if (!x->dense || (u->width == 1 && !u->visitor) || rows >= count - from) return count - from;
    rows = rows < EIGHT ? EIGHT : rows / EIGHT * EIGHT;
    return rows < count - from ? rows : count - from;
}

/* Scores of the K outputs from k on, `step` apart. The rows are visited once: with the first problem, on one thread, in their
 * order. */
static void score_rows(const hsp_audit *u, int64_t k, int64_t first, int64_t count, hsp_dd *g, int64_t step) {
    const hsp_model *m = u->c.m;
    for (int64_t from = 0, rows; from < count; from += rows) {
        rows = rows_near(u, from, count);
        for (int64_t l = 0; l < u->width; l++)
            u->pass->scores(&u->c.data->x, first + from, rows, m->w + (k + l) * u->c.d, m->b[k + l], g + l * step + from);
        if (u->visitor) u->visitor->visit(u->visitor->ctx, first + from, first + from + rows);
    }
}

/* Behind what all other audits use. */
static hsp_dd *network_scratch(const hsp_audit *u, void *scratch) {
    int64_t used = u->scratch.size / (int64_t)sizeof(hsp_dd) - hsp_audit_network_scratch(u->c.m->network, u->part);
    return (hsp_dd *)scratch + used;
}

static void score_part(hsp_audit *u, void *ctx, int64_t part, void *scratch) {
    int64_t first, k = *(const int64_t *)ctx;
    const hsp_model *m = u->c.m;
    hsp_rows_part rows = hsp_audit_rows(u, part, &first);
    hsp_dd *g = scratch;
    if (m->network)
        hsp_audit_network(u, first, rows.count, u->part, g, network_scratch(u, scratch));
    else
        score_rows(u, k, first, rows.count, g, 0);
    u->hash[part] = XXH3_64bits(g, (size_t)rows.count * sizeof *g);
    u->sum[part] = u->c.loss->losses(&rows, g);
    hsp_dd least = {INFINITY, 0};
    for (int64_t i = 0; i < rows.count; i++) {
        hsp_dd at = {rows.y[i] * g[i].hi, rows.y[i] * g[i].lo};
        u->g[first + i] = hsp_dd_value(g[i]);
        if (rows.c[i] > 0 && (at.hi < least.hi || (at.hi == least.hi && at.lo < least.lo))) least = at;
    }
    u->least[part] = least;
    if (u->a && !u->dual) u->c.loss->derive(&rows, g);
}

/* Computes the K scores of each row together. With q the softmax probability, the multiplier of a class other than the
 * row's own is -k q. */
static void score_part_joint(hsp_audit *u, void *ctx, int64_t part, void *scratch) {
    (void)ctx;
    int64_t first, K = u->c.K, n = u->c.n;
    const hsp_model *m = u->c.m;
    hsp_rows_part rows = hsp_audit_rows(u, part, &first);
    hsp_dd *g = scratch, *row = g + u->part * K, sum = {0, 0};
    double *q = (double *)(row + 2 * K);
    bool derived = u->a && !u->dual;
    uint64_t hash = 0;
    if (m->network)
        hsp_audit_network(u, first, rows.count, u->part, g, network_scratch(u, scratch));
    else
        score_rows(u, 0, first, rows.count, g, u->part);
    for (int64_t k = 0; k < K; k++) hash = XXH3_64bits_withSeed(g + k * u->part, (size_t)rows.count * sizeof *g, hash);
    for (int64_t i = 0; i < rows.count; i++) {
        int64_t own = u->c.class[first + i], guess = 0;
        for (int64_t k = 0; k < K; k++) {
            row[k] = g[k * u->part + i];
            u->g[k * n + first + i] = hsp_dd_value(row[k]);
            if (u->g[k * n + first + i] > u->g[guess * n + first + i]) guess = k;
        }
        u->guess.class[first + i] = (int32_t)guess;
        hsp_dd loss = u->c.loss->many(K, own, row, hsp_claim_weight(&u->c, first + i), derived ? q : NULL);
        if (rows.c[i] != 0) sum = hsp_dd_add(sum, hsp_dd_scale(loss, rows.c[i]));
        for (int64_t k = 0; derived && k < K; k++) u->a[k * n + first + i] = k == own ? q[k] : -q[k] + 0.0;
    }
    u->hash[part] = hash;
    u->sum[part] = sum;
}

static void hash_problem(hsp_audit *u, int64_t k) {
    const hsp_model *m = u->c.m;
    size_t d = (size_t)u->c.d * (size_t)u->width;
    uint64_t h = u->hashes.scores;
    if (m->network) {
        h = XXH3_64bits_withSeed(m->network->theta, (size_t)hsp_network_parameters(m->network) * sizeof(double), h);
    } else {
        h = XXH3_64bits_withSeed(m->w + k * u->c.d, d * sizeof(double), h);
        h = XXH3_64bits_withSeed(m->b + k, (size_t)u->width * sizeof(double), h);
    }
    u->hashes.scores = XXH3_64bits_withSeed(u->hash, (size_t)u->parts * sizeof *u->hash, h);
    if (!u->a) return;
    size_t bytes = (size_t)(u->c.n * u->width) * sizeof *u->a;
    u->hashes.multipliers = XXH3_64bits_withSeed(u->a, bytes, u->hashes.multipliers);
}

int hsp_audit_scores(hsp_audit *u, int64_t k, hsp_figures *out, hsp_error **err) {
    *out = (hsp_figures){.absent = hsp_claim_absent(&u->c, k),
                         .norm = NAN,
                         .objective = NAN,
                         .bound = NAN,
                         .gap = NAN,
                         .residual = NAN,
                         .least = NAN};
    if (!u->c.joint) hsp_claim_labels(&u->c, k, u->y);
    for (int64_t l = 0; u->a && u->dual && l < u->width; l++) hsp_dual_spread(u->dual, k + l, u->c.n, u->a + l * u->c.n);
    if (u->visitor && (u->visitor->done || u->threads > 1 || u->c.m->network)) u->visitor = NULL;
    hsp_audit_run(u, u->parts, u->c.joint ? score_part_joint : score_part, &k);
    if (hsp_advance_stopped(u->advance)) return hsp_audit_fail_stopped(err);
    if (u->visitor) u->visitor->done = true;
    u->visitor = NULL;
    /* The predicted class is the first of those with the largest score. */
    for (int64_t i = 0; u->c.K > 1 && !u->c.joint && i < u->c.n; i++) {
        if (k > 0 && !(u->g[i] > u->guess.score[i])) continue;
        u->guess.score[i] = u->g[i];
        u->guess.class[i] = (int32_t)k;
    }
    hash_problem(u, k);
    out->loss_sum = out->absent ? 0 : hsp_dd_value(hsp_audit_total(u));
    return HSP_OK;
}

/* ---- weights ---- */

hsp_dd hsp_audit_intercept(const hsp_claim *c, int64_t k) {
    const double *shift = c->m->prepare.shift, *w = c->m->w + k * c->d;
    hsp_dd b = hsp_dd_of(c->m->b[k]);
    for (int64_t j = 0; shift && j < c->d; j++) b = hsp_dd_add(b, hsp_two_product(w[j], shift[j]));
    return b;
}

/* Adds the penalty R and |w|^2 of output k. Both are taken of the weights of the transformed columns. */
static void penalise(const hsp_audit *u, int64_t k, hsp_dd *R, hsp_dd *norm) {
    const hsp_claim *c = &u->c;
    bool simple = c->penalised && c->rho == 0 && !c->m->prepare.factor;
    if (simple) u->pass->squares(c->d, c->m->w + k * c->d, norm, R);
    for (int64_t j = 0; j < c->d && !simple; j++) {
        if (c->m->w[k * c->d + j] == 0) continue;
        hsp_dd w = hsp_audit_weight(c, k, j), square = hsp_dd_square(w);
        *norm = hsp_dd_add(*norm, square);
        if (!c->penalised) continue;
        if (c->rho > 0) *R = hsp_dd_add(*R, hsp_dd_scale(hsp_dd_absolute(w), c->rho));
        /* 1 - rho without rounding */
        hsp_dd rest = hsp_two_sum(1, -c->rho);
        *R = hsp_dd_add(*R, hsp_dd_times_power(hsp_dd_multiply(rest, square), 0.5));
    }
    if (c->intercept != HSP_CLAIM_PENALISED) return;
    hsp_dd b = hsp_audit_intercept(c, k);
    *R = hsp_dd_add(*R, hsp_dd_times_power(hsp_dd_square(b), 0.5));
}

/* ---- the hard margin ---- */

/* The scale of the rounding errors in the scores of output k: the maximum over the rows of
 *
 *     |b| + sum_j |w_j x_ij| */
static double score_size(const hsp_audit *u, int64_t k) {
    const hsp_claim *c = &u->c;
    const double *w = c->m->w + k * c->data->x.d;
    double top = 0;
    for (int64_t i = 0; i < c->n; i++) {
        hsp_row r = hsp_matrix_row(&c->data->x, i);
        double s = fabs(c->m->b[k]);
        for (int64_t t = 0; t < r.count; t++) s += fabs(hsp_row_value(r, t) * w[hsp_row_id(r, t)]);
        if (s > top) top = s;
    }
    return top;
}

/* If the least margin m is slightly below 1, the weights w / m satisfy all constraints. Their objective is
 *
 *     R / m^2
 *
 * m is rounded down, so that the objective is never too small. */
static hsp_dd hard_objective(const hsp_audit *u, int64_t k, hsp_dd R, hsp_dd least, hsp_figures *out) {
    double lanes = (double)u->c.data->x.d / 8 + 16, error = HSP_DD_UNIT * lanes * lanes * score_size(u, k);
    hsp_dd sure = hsp_dd_add_double(least, -error), short_of = hsp_dd_add_double(sure, -1);
    out->feasible = hsp_dd_add_double(short_of, 2 * error).hi >= 0;
    if (short_of.hi >= 0) return R;
    return sure.hi > 0 ? hsp_dd_divide(R, hsp_dd_square(sure)) : hsp_dd_of(NAN);
}

static hsp_dd least_margin(const hsp_audit *u) {
    hsp_dd least = {INFINITY, 0};
    for (int64_t p = 0; p < u->parts; p++)
        if (u->least[p].hi < least.hi || (u->least[p].hi == least.hi && u->least[p].lo < least.lo)) least = u->least[p];
    return isfinite(least.hi) ? least : hsp_dd_of(NAN);
}

/* ---- all figures ---- */

double hsp_audit_gap(double objective, double bound) {
    return (objective - bound) / fmax(fabs(objective), 1e-300);
}

static int bound_problem(hsp_audit *u, int64_t k, hsp_figures *out, hsp_error **err) {
    int status = HSP_OK;
    if (u->a) status = u->c.joint ? hsp_audit_bound_joint(u, out, err) : hsp_audit_bound(u, k, out, err);
    for (int64_t l = 0; u->c.endless && l < u->width; l++)
        if (u->c.endless[k + l]) out->bounded = false;
    if (out->objective == 0 && hsp_claim_has_dual(&u->c)) { /* losses and penalties are never negative */
        out->bound = 0;
        out->bounded = true;
    }
    if (out->bounded && out->bound > out->objective) out->bound = out->objective; /* rounding */
    if (out->bounded) out->gap = hsp_audit_gap(out->objective, out->bound);
    return status;
}

/* Replaces the derived multipliers by the spare ones. Scores and objective stay the same; the other figures are as if these
 * multipliers had been given from the start. */
static int take_spare(hsp_audit *u, int64_t k, hsp_figures *out, hsp_error **err) {
    u->dual = u->spare.dual;
    u->spare.dual = NULL;
    hsp_dual_spread(u->dual, k, u->c.n, u->a);
    u->hashes.multipliers = XXH3_64bits_withSeed(u->a, (size_t)u->c.n * sizeof *u->a, 0);
    out->bounded = false;
    out->bound = out->gap = out->residual = NAN;
    return bound_problem(u, k, out, err);
}

int hsp_audit_finish(hsp_audit *u, int64_t k, hsp_figures *out, hsp_error **err) {
    hsp_dd R = {0, 0}, norm = {0, 0};
    if (out->absent) {
        out->objective = out->bound = out->gap = out->residual = out->penalty = out->norm = 0;
        out->bounded = true;
        return HSP_OK;
    }
    if (u->c.m->network)
        hsp_audit_network_penalty(&u->c, &R, &norm);
    else
        for (int64_t l = 0; l < u->width; l++) penalise(u, k + l, &R, &norm);
    out->penalty = hsp_dd_value(R);
    out->norm = hsp_dd_root(norm);
    hsp_dd least = hsp_claim_margins(&u->c) ? least_margin(u) : hsp_dd_of(NAN);
    out->least = hsp_dd_value(least);
    hsp_dd objective = hsp_dd_add(R, hsp_dd_scale(hsp_audit_total(u), u->c.C));
    if (u->c.hard) objective = hard_objective(u, k, R, least, out);
    out->objective = hsp_dd_value(objective);
    int status = bound_problem(u, k, out, err);
    if (!status && u->spare.dual && !(out->gap <= u->spare.enough)) status = take_spare(u, k, out, err);
    return !status && hsp_advance_stopped(u->advance) ? hsp_audit_fail_stopped(err) : status;
}

/* Whether the class of row i is the predicted one. */
static bool is_right(const hsp_audit *u, int64_t i) {
    const hsp_claim *c = &u->c;
    int64_t positive = c->m->prepare.positive;
    int64_t guess = u->guess.class ? u->guess.class[i] : u->g[i] > 0 ? positive : 1 - positive;
    return guess == c->class[i];
}

/* With weights of 1 the sums are counts, which are exact. */
double hsp_audit_quality(const hsp_audit *u, double loss_sum) {
    const hsp_claim *c = &u->c;
    const double *own = c->data->weight;
    hsp_dd mass = hsp_dd_of(own ? 0 : (double)c->n), right = {0, 0}, squares = {0, 0};
    int64_t count = 0;
    bool halved = c->loss->shape == HSP_CLAIM_LINE; /* the losses are half the squared errors, exactly */
    for (int64_t i = 0; own && i < c->n; i++) mass = hsp_dd_add_double(mass, own[i]);
    if (c->class) {
        for (int64_t i = 0; !own && i < c->n; i++) count += is_right(u, i);
        for (int64_t i = 0; own && i < c->n; i++)
            if (is_right(u, i)) right = hsp_dd_add_double(right, own[i]);
        if (!own) right = hsp_dd_of((double)count);
        return hsp_dd_value(right) / hsp_dd_value(mass);
    }
    for (int64_t i = 0; !halved && i < c->n; i++) {
        double r = c->data->target[i] - u->g[i];
        squares = hsp_dd_add(squares, hsp_dd_scale(hsp_two_product(r, r), own ? own[i] : 1));
    }
    return sqrt((halved ? 2 * loss_sum : hsp_dd_value(squares)) / hsp_dd_value(mass));
}
