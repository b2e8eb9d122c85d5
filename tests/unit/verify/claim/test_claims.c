/* The figures of an audit against long double, worked out from the definitions in the plainest way. */
#include "base/report.h"
#include "base/rng.h"
#include "trained.h"
#include "verify/claim/row_passes.h"
#include "verify/claim/verify.h"
#include "verify/loss/exp_log.h"

#include <math.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

typedef long double wide;

static wide clip(wide v, wide low, wide high) {
    return v < low ? low : v > high ? high : v;
}

/* ---- one problem in long double ---- */

typedef struct plain {
    const hsp_model *m;
    const hsp_data *data;
    hsp_objective s;
    int64_t n, d;
    double y[400];
    double a[400]; /* multipliers */
} plain;

static wide value_at(const plain *p, int64_t i, int64_t j) {
    hsp_row r = hsp_matrix_row(&p->data->x, i);
    for (int64_t t = 0; t < r.count; t++)
        if (hsp_row_id(r, t) == j) return hsp_row_value(r, t);
    return 0;
}

static wide transformed_at(const plain *p, int64_t i, int64_t j) {
    const hsp_prepare *q = &p->m->prepare;
    wide x = value_at(p, i, j);
    return q->factor ? (x - (q->shift ? q->shift[j] : 0)) * (wide)q->factor[j] : x;
}

static wide weight(const plain *p, int64_t i) {
    double own = p->data->weight ? p->data->weight[i] : 1;
    if (p->m->class_weight) own *= p->m->class_weight[p->data->y[i]];
    return own;
}

static bool penalised(const plain *p) {
    return strcmp(p->s.penalty, "none") != 0;
}

static wide loss(const char *name, wide y, wide g) {
    wide m = y * g, slack = m < 1 ? 1 - m : 0;
    if (strcmp(name, "hinge") == 0) return slack;
    if (strcmp(name, "squared-hinge") == 0) return slack * slack;
    if (strcmp(name, "logistic") == 0) return m > 0 ? log1pl(expl(-m)) : log1pl(expl(m)) - m;
    if (strcmp(name, "perceptron") == 0) return m < 0 ? -m : 0;
    return (y - g) * (y - g) / 2;
}

static wide score(const plain *p, int64_t i) {
    wide g = p->m->b[0];
    for (int64_t j = 0; j < p->d; j++) g += p->m->w[j] * value_at(p, i, j);
    return g;
}

static wide weight_of(const plain *p, int64_t j) {
    const hsp_prepare *q = &p->m->prepare;
    return q->factor ? (wide)p->m->w[j] / q->factor[j] : p->m->w[j];
}

static wide offset(const plain *p) {
    wide b = p->m->b[0];
    for (int64_t j = 0; p->m->prepare.shift && j < p->d; j++) b += (wide)p->m->w[j] * p->m->prepare.shift[j];
    return b;
}

static wide objective(const plain *p) {
    wide R = 0, sum = 0, rho = p->s.l1_share;
    for (int64_t j = 0; j < p->d; j++)
        R += rho * fabsl(weight_of(p, j)) + (1 - rho) * weight_of(p, j) * weight_of(p, j) / 2;
    if (strcmp(p->s.intercept, "penalised") == 0) R += offset(p) * offset(p) / 2;
    for (int64_t i = 0; i < p->n; i++) sum += weight(p, i) * loss(p->s.loss, p->y[i], score(p, i));
    return penalised(p) ? R + p->s.C * sum : sum;
}

static wide entropy(wide q) {
    return q > 0 ? -q * logl(q) : 0;
}

static wide dual_of(const char *name, wide y, wide a, wide k) {
    wide alpha = y * a, r = a / k;
    if (strcmp(name, "hinge") == 0) return alpha;
    if (strcmp(name, "squared-hinge") == 0) return alpha - alpha * alpha / (4 * k);
    if (strcmp(name, "logistic") == 0) return k * (entropy(alpha / k) + entropy(1 - alpha / k));
    return k * (r * y - r * r / 2);
}

/* The repaired multipliers, the bound that they give, and the residual; *size: what rounding acts on. */
static wide bound(const plain *p, wide *residual, wide *size) {
    static wide a[400], v[64];
    bool squared = strcmp(p->s.loss, "squared") == 0, open = strcmp(p->s.loss, "squared-hinge") == 0;
    wide C = penalised(p) ? p->s.C : 1, sum[2] = {0, 0}, mass = 0, rho = p->s.l1_share, tilt = 0;
    for (int64_t i = 0; i < p->n; i++) {
        wide k = C * weight(p, i), alpha = clip(p->y[i] * p->a[i], 0, open ? INFINITY : k);
        a[i] = k == 0 ? 0 : squared ? p->a[i] : p->y[i] * alpha;
        mass += k;
        sum[p->y[i] < 0] += squared ? a[i] : fabsl(a[i]);
    }
    bool free = strcmp(p->s.intercept, "free") == 0;
    for (int64_t i = 0; i < p->n && free; i++) {
        wide k = C * weight(p, i), least = sum[0] < sum[1] ? sum[0] : sum[1], own = sum[p->y[i] < 0];
        a[i] = squared ? a[i] - k * (sum[0] + sum[1]) / mass : own > 0 ? a[i] * least / own : a[i];
    }
    *size = *residual = 0;
    wide top = 0, cost = 0, duals = 0;
    for (int64_t i = 0; i < p->n; i++) tilt += a[i];
    for (int64_t j = 0; j < p->d; j++) {
        v[j] = 0;
        for (int64_t i = 0; i < p->n; i++) v[j] += a[i] * transformed_at(p, i, j);
        if (fabsl(v[j]) > top) top = fabsl(v[j]);
        wide off = (1 - rho) * weight_of(p, j) - v[j], over = fabsl(v[j]) - rho;
        *residual += off * off;
        if (rho < 1 && over > 0) cost += over * over / (2 * (1 - rho));
    }
    if (strcmp(p->s.intercept, "penalised") == 0) {
        cost += tilt * tilt / 2;
        *residual += (offset(p) - tilt) * (offset(p) - tilt);
    }
    *residual = sqrtl(*residual);
    wide s = rho == 1 && top > 1 ? 1 / top : 1;
    for (int64_t i = 0; i < p->n; i++) {
        wide k = C * weight(p, i);
        if (k == 0) continue;
        wide one = dual_of(p->s.loss, p->y[i], s * a[i], k);
        duals += one;
        *size += fabsl(one);
    }
    *size += cost;
    return duals - s * s * cost;
}

/* ---- random cases ---- */

static hsp_data *random_data(hsp_rng *r, bool sparse, bool weighted, bool regression) {
    int64_t n = 40 + (int64_t)hsp_rng_below(r, 300), d = 1 + (int64_t)hsp_rng_below(r, 20);
    double *x = calloc((size_t)(n * d), sizeof *x), *t = calloc((size_t)n, sizeof *t);
    const char **labels = calloc((size_t)n, sizeof *labels);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < d; j++)
            if (!sparse || hsp_rng_uniform(r) < 0.2)
                x[i * d + j] = hsp_rng_normal(r) * (j == 0 ? 100 : 1) + (sparse ? 0 : 3);
        labels[i] = i < 2 ? (i ? "no" : "yes") : hsp_rng_uniform(r) < 0.4 ? "yes" : "no";
        t[i] = regression ? hsp_rng_normal(r) * 5 + 20 : hsp_rng_uniform(r) < 0.2 ? 0 : 3 * hsp_rng_uniform(r);
    }
    t[0] = t[1] = 1;
    hsp_data *data = NULL;
    assert_int_equal(hsp_data_from_dense(x, n, d, d, regression ? NULL : labels, NULL, &data, NULL), 0);
    if (regression) assert_int_equal(hsp_data_set_targets(data, t, NULL), 0);
    if (weighted && !regression) assert_int_equal(hsp_data_set_weights(data, t, NULL), 0);
    free(x);
    free(t);
    free(labels);
    return data;
}

static const char *const losses[] = {"hinge", "squared-hinge", "logistic", "squared"};
static const char *const penalties[] = {"l2", "l1", "elastic"};
static const char *const intercepts[] = {"free", "none", "penalised"};
static const char *const scales[] = {"none", "standard", "maxabs", "minmax"};

static void fill_plain(plain *p, hsp_rng *r, bool wild) {
    bool squared = strcmp(p->s.loss, "squared") == 0;
    int64_t d = p->d;
    for (int64_t j = 0; j < d; j++) p->m->w[j] = hsp_rng_normal(r) * (p->m->prepare.factor ? p->m->prepare.factor[j] : 0.1);
    p->m->b[0] = hsp_rng_normal(r);
    for (int64_t i = 0; i < p->n; i++) {
        double k = p->s.C * (double)weight(p, i), u = hsp_rng_uniform(r);
        p->y[i] = p->data->target ? p->data->target[i] : p->data->y[i] == p->m->prepare.positive ? 1 : -1;
        p->a[i] = squared ? k * hsp_rng_normal(r) : p->y[i] * k * (wild ? 3 * u - 1 : u < 0.3 ? 0 : u > 0.8 ? 1 : u);
        if (!wild) p->a[i] *= 0.01;
    }
}

static double member(const hsp_report *object, const char *key) {
    return hsp_report_number(object, key);
}

/* By either multipliers in one go: to the last letter what the ones or the others alone give. */
static void check_either(const plain *p, const hsp_dual *dual, const hsp_report *by_dual, int threads) {
    bool smooth = strcmp(p->s.loss, "hinge") != 0 && strcmp(p->s.loss, "perceptron") != 0, by;
    hsp_verified_problem found;
    hsp_report *derived = NULL, *claims = NULL;
    assert_int_equal(hsp_verify_certify(p->m, &p->s, p->data, NULL, threads, NULL, &found, &derived, NULL), 0);
    assert_int_equal(
        hsp_verify_certify_either(p->m, &p->s, p->data, dual, 1e300, threads, NULL, &found, &by, &claims, NULL), 0);
    if (!isnan(found.gap)) assert_true(!by || hsp_report_equal(claims, by_dual));
    if (!by) assert_true(hsp_report_equal(claims, derived));
    hsp_report_free(claims);
    assert_int_equal(hsp_verify_certify_either(p->m, &p->s, p->data, dual, -1, threads, NULL, &found, &by, &claims, NULL),
                     0);
    assert_true(by == smooth);
    assert_true(hsp_report_equal(claims, smooth ? by_dual : derived));
    hsp_report_free(claims);
    hsp_report_free(derived);
}

typedef struct visited {
    int64_t rows, calls;
} visited;

/* In their order, none left out and none twice. */
static void visit_rows(void *ctx, int64_t from, int64_t to) {
    visited *v = ctx;
    assert_true(from == v->rows && to > from);
    v->rows = to;
    v->calls++;
}

/* A visitor sees all rows once, on one thread alone, and changes no claim. */
static void check_visitor(const plain *p, const hsp_dual *dual, const hsp_report *expected) {
    for (int threads = 1; threads <= 2; threads++) {
        visited v = {0};
        hsp_rows_visitor visitor = {.visit = visit_rows, .ctx = &v};
        hsp_verified_problem found;
        for (int again = 0; again < 2; again++) {
            hsp_report *claims = NULL;
            assert_int_equal(hsp_verify_certify(p->m, &p->s, p->data, dual, threads, &visitor, &found, &claims, NULL), 0);
            assert_true(hsp_report_equal(claims, expected));
            assert_true(visitor.done == (threads == 1) && v.rows == (threads == 1 ? p->n : 0));
            hsp_report_free(claims);
        }
    }
}

static void check_case(plain *p, int threads) {
    hsp_dual *dual = NULL;
    hsp_verified_problem found;
    hsp_report *claims = NULL;
    assert_int_equal(hsp_dual_new(p->a, p->n, 1, &dual, NULL), 0);
    assert_int_equal(hsp_verify_certify(p->m, &p->s, p->data, dual, threads, NULL, &found, &claims, NULL), 0);
    wide residual, size, P = objective(p), D = bound(p, &residual, &size);
    assert_true(fabsl(found.objective - P) <= 4e-16L * P);
    assert_true(fabsl(found.residual - residual) <= 1e-14L * (residual + size));
    if (D <= 0) assert_true(found.bound <= 1e-15 * (double)size);
    /* A share of L1 that is a hair smaller may even be better, as may an alpha that is a hair below its limit. */
    bool hair = p->s.l1_share == 1 || strcmp(p->s.loss, "logistic") == 0;
    wide above = hair ? 1e-13L : 1e-16L;
    if (D > 0) assert_true(found.bound <= D + above * size && found.bound >= D - 1e-13L * size);
    assert_true(found.bound <= found.objective);
    assert_true(member(claims, "objective") == found.objective && member(claims, "relative_gap") == found.gap);
    check_either(p, dual, claims, threads);
    check_visitor(p, dual, claims);
    hsp_report_free(claims);
    hsp_dual_free(dual);
}

static void figures_agree_with_long_double(void **unused) {
    (void)unused;
    hsp_rng r = hsp_rng_new(7, 0);
    plain *p = calloc(1, sizeof *p);
    for (int round = 0; round < 144; round++) {
        bool sparse = round & 1, weighted = round / 2 & 1, regression = round % 12 == 11;
        hsp_data *data = random_data(&r, sparse, weighted, regression);
        trained t = train(data, PAIRS("algorithm", "sgd", "max-epochs", "1", "scale", scales[round % 4], "loss",
                                      regression ? "squared" : "hinge"));
        assert_int_equal(t.status, 0);
        *p = (plain){.m = t.model, .data = data, .n = data->x.n, .d = data->x.d};
        p->s = (hsp_objective){.loss = regression ? "squared" : losses[round / 4 % 4],
                               .penalty = penalties[round / 3 % 3],
                               .intercept = intercepts[round % 3],
                               .C = round % 5 ? 0.7 : 1e3};
        p->s.l1_share = (double)(round / 3 % 3) == 0 ? 0 : round / 3 % 3 == 1 ? 1 : 0.3;
        for (int again = 0; again < 4; again++) {
            fill_plain(p, &r, again & 1);
            check_case(p, 1 + again);
        }
        trained_free(&t);
        hsp_data_free(data);
    }
    free(p);
}

/* ---- arithmetic ---- */

static wide wide_of(hsp_dd a) {
    return (wide)a.hi + a.lo;
}

static void double_doubles_are_twice_as_good(void **unused) {
    (void)unused;
    hsp_rng r = hsp_rng_new(3, 0);
    for (int i = 0; i < 20000; i++) {
        hsp_dd a = hsp_two_sum(hsp_rng_normal(&r), 1e-17 * hsp_rng_normal(&r));
        hsp_dd b = hsp_two_sum(exp(20 * hsp_rng_normal(&r)), 0);
        hsp_dd back = hsp_dd_subtract(hsp_dd_multiply(hsp_dd_divide(a, b), b), a);
        assert_true(fabs(back.hi) <= 4 * HSP_DD_UNIT * fabs(a.hi));
        back = hsp_dd_subtract(hsp_dd_subtract(hsp_dd_add(a, b), b), a);
        assert_true(fabs(back.hi) <= 4 * HSP_DD_UNIT * (fabs(a.hi) + b.hi));
        assert_true(hsp_dd_floor(a) <= wide_of(a) && nextafter(hsp_dd_floor(a), INFINITY) >= wide_of(a));
        assert_true(hsp_dd_compare(a, hsp_dd_add_double(a, 1e-30)) <= 0 && hsp_dd_compare(a, a) == 0);
    }
    assert_true(hsp_dd_value(hsp_dd_of(-0.0)) == 0 && !signbit(hsp_dd_value(hsp_dd_of(-0.0))));
}

static void series_are_as_good_as_they_say(void **unused) {
    (void)unused;
    hsp_rng r = hsp_rng_new(4, 0);
    for (int i = 0; i < 100000; i++) {
        hsp_dd x = hsp_dd_of(-hsp_rng_uniform(&r) * (i & 1 ? 40 : 680));
        x.lo = x.hi * 1e-17 * hsp_rng_uniform(&r);
        wide e = expl(wide_of(x));
        assert_true(fabsl(wide_of(hsp_dd_exp(x)) - e) <= 0x1p-53L * e);
        hsp_dd p = hsp_dd_of(exp(-hsp_rng_uniform(&r) * (i & 1 ? 1 : 600)));
        assert_true(fabsl(wide_of(hsp_dd_log(p)) - logl(p.hi)) <= HSP_SERIES_UNIT * fabsl(logl(p.hi)));
        wide q = log1pl(p.hi), less = log1pl(-p.hi);
        assert_true(fabsl(wide_of(hsp_dd_log1p(p)) - q) <= HSP_SERIES_UNIT * q);
        if (p.hi < 1) assert_true(fabsl(wide_of(hsp_dd_log1p(hsp_dd_of(-p.hi))) - less) <= HSP_SERIES_UNIT * -less);
    }
    assert_true(hsp_dd_exp(hsp_dd_of(0)).hi == 1 && hsp_dd_log(hsp_dd_of(1)).hi == 0);
    assert_true(hsp_dd_exp(hsp_dd_of(-1e300)).hi == 0 && isinf(hsp_dd_log(hsp_dd_of(0)).hi));
    assert_true(isnan(hsp_dd_exp(hsp_dd_of(NAN)).hi) && isnan(hsp_dd_log(hsp_dd_of(-1)).hi));
}

/* ---- the same bits ---- */

static void the_same_bits_for_any_number_of_threads(void **unused) {
    (void)unused;
    const char *const *const fits[] = {PAIRS("algorithm", "svm", "scale", "standard"), PAIRS("algorithm", "logistic"),
                                       PAIRS("algorithm", "logistic", "multiclass", "ovr", "penalty", "elastic"),
                                       PAIRS("algorithm", "ridge"), PAIRS("algorithm", "least-squares")};
    hsp_data *sets[] = {generated("blobs", PAIRS("rows", "5000", "noise", "3", "classes", "3")),
                        generated("sparse", PAIRS("rows", "3000", "features", "400"))};
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < sizeof fits / sizeof *fits; i++) {
            trained t = train(sets[k], fits[i]);
            assert_int_equal(t.status, 0);
            assert_non_null(t.model->claims);
            for (int threads = 1; threads < 5; threads++) {
                char number[2] = {(char)('0' + threads), '\0'};
                hsp_report *report = NULL;
                hsp_options *o = options_of(PAIRS("threads", number));
                assert_int_equal(hsp_verify(t.model, sets[k], NULL, o, NULL, &report, NULL), 0);
                assert_int_equal(hsp_report_flag(report, "verified"), 1);
                hsp_report_free(report);
                hsp_options_free(o);
            }
            trained_free(&t);
        }
    for (size_t k = 0; k < 2; k++) hsp_data_free(sets[k]);
}

extern const hsp_passes hsp_passes_plain;

/* Fused multiply-adds by one instruction or by the C library: the same bits. */
static void the_same_bits_on_any_processor(void **unused) {
    (void)unused;
    const hsp_passes *all[2] = {&hsp_passes_plain, hsp_passes_now()};
    hsp_data *sets[] = {generated("blobs", PAIRS("rows", "300", "noise", "3", "features", "13")),
                        generated("sparse", PAIRS("rows", "300", "features", "200"))};
    static hsp_dd g[2][300];
    static double a[2][300], low[300], columns[2][600];
    for (int k = 0; k < 2; k++) {
        const hsp_matrix *x = &sets[k]->x;
        hsp_audit_columns to = {.d = x->d, .step = x->dense ? 1 : 3, .offset = x->dense ? x->d : 1};
        for (int v = 0; v < 2; v++) {
            double w[200];
            for (int j = 0; j < 200; j++) w[j] = sin(j + 0.1) * 0.1;
            for (int i = 0; i < 300; i++) low[i] = cos(i) * 1e-18;
            memset(columns[v], 0, sizeof columns[v]);
            to.base = columns[v];
            all[v]->scores(x, 0, 300, w, 0.1, g[v]);
            for (int i = 0; i < 300; i++) a[v][i] = i % 7 ? hsp_dd_value(g[v][i]) : 0;
            all[v]->combine(x, 0, 300, a[v], low, &to);
        }
        assert_memory_equal(g[0], g[1], sizeof g[0]);
        assert_memory_equal(columns[0], columns[1], sizeof columns[0]);
        hsp_data_free(sets[k]);
    }
}

/* ---- weak duality ---- */

/* No multipliers whatever give a bound above an optimum that is known. */
static void no_bound_is_above_the_optimum(void **unused) {
    (void)unused;
    const char *const *const fits[] = {PAIRS("algorithm", "svm", "C", "0.1"),
                                       PAIRS("algorithm", "svm", "loss", "squared-hinge", "scale", "minmax"),
                                       PAIRS("algorithm", "logistic", "tol", "1e-9", "intercept", "penalised"),
                                       PAIRS("algorithm", "logistic", "tol", "1e-9", "penalty", "l1"),
                                       PAIRS("algorithm", "ridge", "class-weight", "balanced"),
                                       PAIRS("algorithm", "logistic", "tol", "1e-9", "multiclass", "softmax")};
    for (size_t i = 0; i < sizeof fits / sizeof *fits; i++) {
        bool many = i == 5;
        hsp_data *data = generated("blobs", PAIRS("rows", "200", "noise", "3", "classes", many ? "4" : "2"));
        trained t = train(data, fits[i]);
        assert_int_equal(t.status, 0);
        double P = figure(&t, "objective");
        int64_t n = data->x.n, K = t.model->outputs;
        double *a = calloc((size_t)(n * K), sizeof *a);
        hsp_rng r = hsp_rng_new(i, 0);
        for (int round = 0; round < 60; round++) {
            double C = many || i == 4 ? 1 : figure(&t, "C"), spread = round % 3 ? 1 : 0.01;
            for (int64_t e = 0; e < n * K; e++) {
                double sign = many ? -1 : data->y[e / K] == t.model->prepare.positive ? 1 : -1;
                a[e] = sign * C * spread * (1.2 * hsp_rng_uniform(&r) - 0.1);
                if (i == 4) a[e] = spread * hsp_rng_normal(&r);
            }
            hsp_dual *old = t.model->dual, *dual = NULL;
            hsp_verified v;
            assert_int_equal(hsp_dual_new(a, n, K, &dual, NULL), 0);
            t.model->dual = dual;
            assert_int_equal(hsp_verify_model(t.model, data, &v, NULL), 0);
            assert_true(v.bound >= 0 && v.bound <= P);
            t.model->dual = old;
            hsp_dual_free(dual);
        }
        free(a);
        trained_free(&t);
        hsp_data_free(data);
    }
}

/* ---- by hand ---- */

static hsp_report *claims_of(const hsp_model *m, const hsp_objective *s, const hsp_data *data, const double *a) {
    hsp_dual *dual = NULL;
    hsp_verified_problem found[8];
    hsp_report *claims = NULL;
    if (a) assert_int_equal(hsp_dual_new(a, data->x.n, m->outputs, &dual, NULL), 0);
    assert_int_equal(hsp_verify_certify(m, s, data, dual, 1, NULL, found, &claims, NULL), 0);
    hsp_dual_free(dual);
    return claims;
}

/* Two points at 0 and 2: w = 1, b = -1, alphas 1/2; a third at 5 is no support vector. */
static void a_hard_margin_by_hand(void **unused) {
    (void)unused;
    const double x[] = {0, 2, 5}, a[] = {-0.5, 0.5, 0};
    const char *labels[] = {"-1", "1", "1"};
    hsp_data *data = NULL;
    assert_int_equal(hsp_data_from_dense(x, 3, 1, 1, labels, NULL, &data, NULL), 0);
    trained t = train(data, PAIRS("algorithm", "sgd", "max-epochs", "1"));
    hsp_objective s = {.hard = true, .penalty = "l2", .intercept = "free", .C = NAN};
    t.model->w[0] = 1;
    t.model->b[0] = -1;
    hsp_report *c = claims_of(t.model, &s, data, a);
    const hsp_report *one = hsp_report_item(c, "problems", 0);
    assert_true(member(c, "objective") == 0.5 && member(c, "dual_bound") == nextafter(0.5, 0) &&
                member(c, "residual") == 0);
    assert_true(member(one, "margin") == 1 && member(one, "margin_width") == 2 && member(one, "least_margin") == 1);
    assert_true(hsp_report_flag(one, "feasible") == 1 && member(one, "alpha_sum") == 1);
    const hsp_report *support = hsp_report_member(one, "support");
    assert_true(member(support, "non_support") == 1 && member(support, "on_margin") == 2 && member(support, "bound") == 0);
    assert_true(member(support, "vectors") == 2 && member(hsp_report_member(one, "slackness"), "margin") == 0);
    assert_true(hsp_report_kind(hsp_report_member(one, "slackness"), "bound") == HSP_REPORT_NULL);
    hsp_report_free(c);
    /* Too small by a part in 1e9: stands for weights that keep the margins. */
    t.model->w[0] = 1 - 1e-9;
    t.model->b[0] = -(1 - 1e-9);
    c = claims_of(t.model, &s, data, a);
    one = hsp_report_item(c, "problems", 0);
    assert_true(hsp_report_flag(one, "feasible") == 0 && member(c, "objective") >= 0.5);
    assert_true(member(c, "objective") < 0.5 + 1e-15);
    hsp_report_free(c);
    /* The wrong side: no objective. */
    t.model->b[0] = 1;
    c = claims_of(t.model, &s, data, a);
    assert_true(hsp_report_kind(c, "objective") == HSP_REPORT_NULL &&
                hsp_report_kind(c, "relative_gap") == HSP_REPORT_NULL);
    hsp_report_free(c);
    trained_free(&t);
    hsp_data_free(data);
}

/* w = 1, b = 0, C = 1: margins 2, 1, -0.5 and (weight 0) -7; alphas 0, 0.5, 1, 0. */
static void a_soft_margin_by_hand(void **unused) {
    (void)unused;
    const double x[] = {2, -1, -0.5, 7}, weights[] = {1, 1, 1, 0}, a[] = {0, -0.5, 1, 0};
    const char *labels[] = {"1", "-1", "1", "-1"};
    hsp_data *data = NULL;
    assert_int_equal(hsp_data_from_dense(x, 4, 1, 1, labels, NULL, &data, NULL), 0);
    assert_int_equal(hsp_data_set_weights(data, weights, NULL), 0);
    trained t = train(data, PAIRS("algorithm", "sgd", "max-epochs", "1", "penalty", "l2"));
    hsp_objective s = {.loss = "hinge", .penalty = "l2", .intercept = "none", .C = 1};
    t.model->w[0] = 1;
    t.model->b[0] = 0;
    hsp_report *c = claims_of(t.model, &s, data, a);
    const hsp_report *one = hsp_report_item(c, "problems", 0);
    /* v = 0.5 - 0.5 = 0: the bound is the sum of the alphas. */
    assert_true(member(c, "objective") == 2 && member(c, "dual_bound") == nextafter(1.5, 0) && member(c, "residual") == 1);
    const hsp_report *support = hsp_report_member(one, "support");
    assert_true(member(support, "tolerance") == 1e-2 && member(support, "vectors") == 2);
    assert_true(member(support, "non_support") == 1 && member(support, "on_margin") == 1 && member(support, "bound") == 1);
    assert_true(member(one, "slack_sum") == 1.5 && member(one, "slack_max") == 1.5 && member(one, "least_margin") == -0.5);
    assert_true(member(hsp_report_member(one, "slackness"), "bound") == 0);
    hsp_report_free(c);
    c = claims_of(t.model, &s, data, NULL); /* a hinge has no multipliers of its own */
    one = hsp_report_item(c, "problems", 0);
    assert_true(hsp_report_kind(c, "multipliers") == HSP_REPORT_NULL &&
                hsp_report_kind(c, "dual_bound") == HSP_REPORT_NULL);
    assert_true(hsp_report_kind(one, "alpha_sum") == HSP_REPORT_NULL &&
                hsp_report_kind(c, "multipliers_hash") == HSP_REPORT_NULL);
    hsp_report_free(c);
    s.loss = NULL;
    assert_null(claims_of(t.model, &s, data, NULL));
    trained_free(&t);
    hsp_data_free(data);
}

/* Without a penalty v must vanish: at the optimum it does, elsewhere there is no bound. */
static void no_penalty_no_bound_but_at_the_optimum(void **unused) {
    (void)unused;
    const char *const *const fits[] = {
        PAIRS("algorithm", "least-squares"), PAIRS("algorithm", "least-squares", "intercept", "none"),
        PAIRS("algorithm", "logistic", "penalty", "none", "tol", "1e-10", "scale", "standard"),
        PAIRS("algorithm", "logistic", "penalty", "none", "tol", "1e-10", "intercept", "none")};
    for (size_t i = 0; i < sizeof fits / sizeof *fits; i++) {
        hsp_data *data = generated("blobs", PAIRS("rows", "400", "noise", "4", "features", "3"));
        trained t = train(data, fits[i]);
        hsp_verified v;
        assert_int_equal(t.status, 0);
        assert_int_equal(hsp_verify_model(t.model, data, &v, NULL), 0);
        assert_true(v.bound <= v.objective && v.bound >= v.objective * (1 - 1e-8));
        t.model->w[0] *= 1 + 1e-5;
        hsp_model_drop_dual(t.model);
        assert_int_equal(hsp_verify_model(t.model, data, &v, NULL), 0);
        assert_true(isnan(v.bound));
        trained_free(&t);
        hsp_data_free(data);
    }
}

/* Columns far from 0: a sum of multipliers that is off by less than any double can show would still be felt. */
static void offsets_cost_no_digit_of_the_bound(void **unused) {
    (void)unused;
    enum { N = 80, D = 2 };
    static const char *const many[] = {"a", "b", "c"};
    double x[N * D];
    const char *labels[N];
    for (int64_t classes = 2; classes < 4; classes++)
        for (size_t p = 0; p < 3; p++) {
            double first = NAN;
            for (double offset = 0; offset < 2e9; offset = offset * 1024 + 1048576) {
                hsp_rng r = hsp_rng_new(7, 2);
                for (int64_t i = 0; i < N; i++) {
                    int64_t k = hsp_rng_below(&r, classes);
                    labels[i] = many[k];
                    for (int64_t j = 0; j < D; j++)
                        x[i * D + j] = floor(64 * (hsp_rng_normal(&r) + (j == k ? 0.7 : 0))) / 64 + offset;
                }
                hsp_data *near_data = NULL;
                assert_int_equal(hsp_data_from_dense(x, N, D, D, labels, NULL, &near_data, NULL), 0);
                hsp_objective s = {.loss = classes == 2 ? "logistic" : "softmax",
                                   .penalty = penalties[p],
                                   .intercept = "free",
                                   .C = 1,
                                   .l1_share = p == 0   ? 0
                                               : p == 1 ? 1
                                                        : 0.5};
                trained t = train(near_data, PAIRS("algorithm", "logistic", "max-epochs", "1"));
                assert_int_equal(t.status, 0);
                double a[N * 3], rows[3] = {0, 0, 0};
                int64_t K = t.model->outputs;
                for (int64_t i = 0; i < N; i++) rows[labels[i][0] - 'a']++;
                for (int64_t i = 0; i < N; i++) /* balanced but for the last bit */
                    for (int64_t k = 0; k < K; k++) {
                        int own = labels[i][0] - 'a';
                        a[i * K + k] = K == 1 ? (own == 1 ? rows[0] : -rows[1]) / 512 : (own == k ? 2 : -1) / rows[own] / 3;
                    }
                a[0] *= 1 + 0x1p-52;
                hsp_report *c = claims_of(t.model, &s, near_data, a);
                if (offset == 0) first = member(c, "dual_bound");
                assert_true(first > 0 && fabs(member(c, "dual_bound") - first) <= 1e-13 * first);
                hsp_report_free(c);
                trained_free(&t);
                hsp_data_free(near_data);
            }
        }
}

static void unfit_things_are_refused(void **unused) {
    (void)unused;
    hsp_data *data = generated("blobs", PAIRS("rows", "30")),
             *wide_data = generated("blobs", PAIRS("rows", "30", "features", "9"));
    trained t = train(data, PAIRS("algorithm", "svm"));
    hsp_objective s = {.loss = "hinge", .penalty = "l2", .intercept = "free", .C = 1};
    hsp_verified_problem found;
    hsp_report *claims = NULL;
    assert_int_equal(t.status, 0);
    assert_int_equal(hsp_verify_certify(t.model, &s, wide_data, NULL, 1, NULL, &found, &claims, NULL), HSP_EINPUT);
    hsp_data *less = generated("blobs", PAIRS("rows", "10"));
    assert_int_equal(hsp_verify_certify(t.model, &s, less, t.model->dual, 1, NULL, &found, &claims, NULL), HSP_EINPUT);
    s.loss = "Hinge";
    assert_int_equal(hsp_verify_certify(t.model, &s, data, NULL, 1, NULL, &found, &claims, NULL), 0);
    assert_null(claims);
    s.loss = "hinge";
    int status = HSP_EMEMORY;
    for (int64_t calls = 0; status == HSP_EMEMORY && calls < 1000; calls++) {
        hsp_memory_fail_after(calls);
        status = hsp_verify_certify(t.model, &s, data, t.model->dual, 2, NULL, &found, &claims, NULL);
        hsp_memory_fail_after(-1);
        assert_true((status == 0) == (claims != NULL));
    }
    assert_int_equal(status, 0);
    hsp_report_free(claims);
    trained_free(&t);
    hsp_data_free(data);
    hsp_data_free(less);
    hsp_data_free(wide_data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_agree_with_long_double),
        cmocka_unit_test(double_doubles_are_twice_as_good),
        cmocka_unit_test(series_are_as_good_as_they_say),
        cmocka_unit_test(the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(the_same_bits_on_any_processor),
        cmocka_unit_test(no_bound_is_above_the_optimum),
        cmocka_unit_test(a_hard_margin_by_hand),
        cmocka_unit_test(a_soft_margin_by_hand),
        cmocka_unit_test(no_penalty_no_bound_but_at_the_optimum),
        cmocka_unit_test(offsets_cost_no_digit_of_the_bound),
        cmocka_unit_test(unfit_things_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
