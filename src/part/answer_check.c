/* Losses, duals and their vectors again for verify, by the losses of verify/loss in double-double. With a direction the
 * multipliers are those that it predicts (row_losses.h): whatever they are, they are confined to their domain and all that is
 * claimed of them is summed here. */
#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "data/matrix.h"
#include "loss/loss.h"
#include "part/answer.h"
#include "part/barrier_loss.h"
#include "part/checked.h"
#include "part/row_losses.h"
#include "verify/loss/double_double.h"
#include "verify/loss/loss_claim.h"

#include <math.h>
#include <string.h>

enum { PIECE = 256, AT_ONCE = 256 };

static hsp_sum_shape shape_of(const hsp_request *q) {
    int64_t K = q->problem.outputs, d = q->rows.features;
    int64_t length = q->problem.joint ? hsp_check_joint_vector(K, d, K, 0) : hsp_check_vector(K, d, K, 0);
    return (hsp_sum_shape){.rule = HSP_SUM_PLAIN, .length = length, .pairs = length / 2};
}

typedef struct check {
    hsp_answer *a;
    const hsp_part_block *b;
    const hsp_claim_loss *loss;
    hsp_dd *g;             /* n x outputs: scores */
    double *y, *c, *m;     /* n: targets, weights; n x outputs: multipliers */
    double *scratch;       /* 3 n */
    const double *weights; /* of the vectors: rows x step */
    int64_t step;
    double *sums;
    double C;
} check;

/* ---- scores ---- */

static hsp_dd score_row(hsp_row r, const double *w, double b) {
    uint32_t id[AT_ONCE];
    double v[AT_ONCE];
    hsp_dd g = hsp_dd_of(b);
    for (int64_t from = 0; from < r.count; from += AT_ONCE) {
        int64_t count = hsp_row_decode(r, from, AT_ONCE, r.id ? id : NULL, v);
        for (int64_t t = 0; t < count; t++) g = hsp_dd_add(g, hsp_two_product(v[t], w[r.id ? (int64_t)id[t] : from + t]));
    }
    return g;
}

static void score_piece(void *ctx, int64_t piece) {
    const check *s = ctx;
    const hsp_request *q = s->a->q;
    int64_t K = q->problem.outputs, d = q->rows.features, end = (piece + 1) * PIECE < s->b->n ? (piece + 1) * PIECE : s->b->n;
    for (int64_t i = piece * PIECE; i < end; i++)
        for (int64_t k = 0; k < K; k++)
            s->g[i * K + k] = score_row(hsp_matrix_row(&s->b->x, i), q->at.w + k * d, q->at.b[k]);
}

/* ---- vectors ---- */

/* Adds weight[i] x_i of the rows whose weight has the sign to a vector of pairs; sign 0: of all rows. */
static void add_rows(const check *s, const double *weight, int sign, double *out) {
    uint32_t id[AT_ONCE];
    double v[AT_ONCE];
    for (int64_t i = 0; i < s->b->n; i++) {
        double a = weight[i * s->step];
        if (a == 0 || sign * a < 0) continue;
        hsp_row r = hsp_matrix_row(&s->b->x, i);
        for (int64_t from = 0; from < r.count; from += AT_ONCE) {
            int64_t count = hsp_row_decode(r, from, AT_ONCE, r.id ? id : NULL, v);
            for (int64_t t = 0; t < count; t++) {
                double *at = out + 2 * (r.id ? (int64_t)id[t] : from + t);
                hsp_dd sum = hsp_dd_add((hsp_dd){at[0], at[1]}, hsp_two_product(a, v[t]));
                at[0] = sum.hi;
                at[1] = sum.lo;
            }
        }
    }
}

static void put(double *pair, hsp_dd v) {
    pair[0] = v.hi;
    pair[1] = v.lo;
}

/* ---- one problem for each output ---- */

static void set_multipliers(const check *s, int64_t k, const hsp_dd *g, const hsp_rows_part *p) {
    const hsp_request *q = s->a->q;
    int64_t n = s->b->n;
    const double *way = q->at.v ? q->at.v + k * q->rows.features : NULL;
    double *plain = s->scratch, *step = s->scratch + n, *slope = s->scratch + 2 * n;
    if (!q->at.v && s->loss->derive) {
        s->loss->derive(p, g);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        plain[i] = hsp_dd_value(g[i]);
        step[i] = way ? hsp_dd_value(score_row(hsp_matrix_row(&s->b->x, i), way, q->at.v0[k])) : 0;
    }
    const hsp_loss barrier = hsp_loss_barrier.with(q->at.step_count > 0 && q->at.steps[0] > 0 ? q->at.steps[0] : 1);
    hsp_row_predicted(&barrier, s->y, plain, step, n, step, slope);
    for (int64_t i = 0; i < n; i++) p->a[i] = -s->C * s->c[i] * slope[i];
}

static void sum_bounded(const check *s, const hsp_rows_part *p, const hsp_dual_sums *d, double *sums) {
    for (int side = 0; side < 2; side++) {
        const hsp_dd t[2] = {hsp_dd_of(side == 0), hsp_dd_of(side == 1)};
        hsp_dd dual = s->loss->shape == HSP_CLAIM_ENTROPY ? s->loss->entropies(p, t)
                      : s->loss->shape == HSP_CLAIM_RANGE ? hsp_dd_subtract(d->linear[side], d->quadratic[side])
                                                          : hsp_dd_subtract(d->total[side], d->quadratic[side]);
        put(sums + 2 * (HSP_CHECK_TOTAL + side), d->total[side]);
        put(sums + 2 * (HSP_CHECK_DUAL + side), dual);
    }
}

static void check_output(check *s, int64_t k, const hsp_dd *g) {
    const hsp_request *q = s->a->q;
    int64_t n = s->b->n, K = q->problem.outputs, d = q->rows.features;
    double *sums = s->sums + hsp_check_pair(k, 0), *v = s->sums + hsp_check_vector(K, d, k, 0);
    hsp_dual_sums of = {0};
    hsp_part_targets(s->b, &q->problem, k, s->y);
    const hsp_rows_part p = {n, s->y, s->c, s->C, s->m, q->problem.loss->parameter};
    put(sums + 2 * HSP_CHECK_LOSS, s->loss->losses(&p, g));
    set_multipliers(s, k, g, &p);
    s->loss->confine(&p);
    s->loss->sums(&p, &of);
    s->step = 1;
    if (s->loss->shape != HSP_CLAIM_LINE) {
        sum_bounded(s, &p, &of, sums);
        add_rows(s, s->m, 1, v);
        add_rows(s, s->m, -1, v + 2 * d);
        return;
    }
    put(sums + 2 * HSP_CHECK_TOTAL, of.total[0]);
    put(sums + 2 * HSP_CHECK_DUAL, hsp_dd_subtract(of.linear[0], of.quadratic[0]));
    put(sums + 2 * HSP_CHECK_MASS, of.mass);
    put(sums + 2 * HSP_CHECK_LABELS, of.labels);
    add_rows(s, s->m, 0, v);
    for (int64_t i = 0; i < n; i++) s->m[i] = s->C * s->c[i];
    add_rows(s, s->m, 0, v + 2 * d);
}

/* ---- a joint problem ---- */

static hsp_dd check_joint_row(const check *s, int64_t i, hsp_dd *mixture, hsp_dd *loss) {
    int64_t K = s->a->q->problem.outputs, own = (int64_t)s->y[i];
    double *u = s->m + i * K;
    hsp_dd k = hsp_two_product(s->C, s->c[i]);
    *loss = hsp_dd_of(0);
    if (s->c[i] == 0) {
        memset(u, 0, (size_t)K * sizeof *u);
        return *loss;
    }
    *loss = s->loss->many(K, own, s->g + i * K, k, u);
    for (int64_t l = 0; l < K; l++) mixture[l] = l == own ? hsp_dd_add_double(k, -u[own]) : hsp_dd_of(u[l]);
    for (int64_t l = 0; l < K; l++)
        if (l != own) u[l] = -u[l];
    return s->loss->mixture(K, own, mixture, k);
}

static int check_joint(check *s, hsp_error **err) {
    const hsp_request *q = s->a->q;
    int64_t n = s->b->n, K = q->problem.outputs, d = q->rows.features;
    hsp_dd *mixture = hsp_alloc(K, sizeof *mixture), loss = {0, 0}, dual = {0, 0};
    if (!mixture) return hsp_fail_memory(err);
    hsp_part_targets(s->b, &q->problem, 0, s->y);
    for (int64_t i = 0; i < n; i++) {
        hsp_dd one, of = check_joint_row(s, i, mixture, &one);
        loss = hsp_dd_add(loss, hsp_dd_scale(one, s->c[i]));
        dual = hsp_dd_add(dual, of);
    }
    put(s->sums, loss);
    put(s->sums + 2, dual);
    for (int64_t k = 0; k < K; k++) {
        hsp_dd total = {0, 0}, mass = {0, 0};
        for (int64_t i = 0; i < n; i++) {
            total = hsp_dd_add_double(total, s->m[i * K + k]);
            s->scratch[i] = (int64_t)s->y[i] == k ? s->C * s->c[i] : 0;
            mass = hsp_dd_add_double(mass, s->scratch[i]);
        }
        put(s->sums + hsp_check_joint_class(k, 0), total);
        put(s->sums + hsp_check_joint_class(k, 1), mass);
        s->step = K;
        add_rows(s, s->m + k, 0, s->sums + hsp_check_joint_vector(K, d, k, 0));
        s->step = 1;
        add_rows(s, s->scratch, 0, s->sums + hsp_check_joint_vector(K, d, k, 1));
    }
    hsp_free(mixture);
    return HSP_OK;
}

/* ---- the block ---- */

static int answer_check(hsp_answer *a, const hsp_part_block *b, double *sums, hsp_error **err) {
    const hsp_request *q = a->q;
    int64_t n = b->n, K = q->problem.outputs;
    check s = {.a = a, .b = b, .loss = hsp_claim_loss_find(q->problem.loss->name), .sums = sums, .C = q->at.C};
    const hsp_claim_loss *l = s.loss;
    bool has_dual = l && (q->problem.joint ? l->many && l->mixture : l->losses && l->confine && l->sums);
    if (!has_dual || q->rows.factor)
        return hsp_fail(err, HSP_EUSAGE, "the loss '%s' cannot be verified over parts: verify in memory",
                        q->problem.loss->name);
    double *m = hsp_answer_scratch(a, n * (K + 5) + 1);
    s.g = hsp_alloc(2 * n * K, sizeof *s.g);
    hsp_dd *one = s.g ? s.g + n * K : NULL;
    if (!m || !s.g) {
        hsp_free(s.g);
        return hsp_fail_memory(err);
    }
    s.m = m, s.y = m + n * K, s.c = s.y + n, s.scratch = s.c + n;
    for (int64_t i = 0; i < n; i++) s.c[i] = b->c ? b->c[i] : 1;
    hsp_pool_run((n + PIECE - 1) / PIECE, b->design->threads, score_piece, &s);
    int status = q->problem.joint ? check_joint(&s, err) : HSP_OK;
    for (int64_t k = 0; !q->problem.joint && k < K; k++) {
        for (int64_t i = 0; i < n; i++) one[i] = s.g[i * K + k];
        check_output(&s, k, one);
    }
    hsp_free(s.g);
    return status;
}

const hsp_answer_kind hsp_answer_check = {shape_of, answer_check};
