/* The expensive passes against triple loops in long double: every layout, scaling, weighting and grouping, shapes on
 * both sides of every threshold; the same bits for any number of threads and any level of the kernels; and memory that
 * runs out. */
#include "design/gram.h"
#include "kernel/level.h"
#include "laid_out.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { GROUPS = 3 };

typedef struct shape {
    int64_t n, d;
    double density; /* of the sparse layouts */
} shape;

/* Slabs, slabs of more than a tile, tiles, n < d, single columns and rows, ranges in one batch and in several; sparse
 * rows dense enough to be expanded, by tiles and by slabs. */
static const shape SHAPES[] = {{2100, 7, 0.1},    {1100, 101, 0.1}, {600, 130, 0.3},  {20, 150, 0.1},
                               {50, 1, 0.5},      {1, 5, 0.5},      {140, 300, 0.05}, {70, 200, 0.6},
                               {1000, 260, 0.12}, {1100, 9, 0.5},   {3, 2, 0.9}};
enum { SHAPE_COUNT = sizeof SHAPES / sizeof *SHAPES };

/* The weights: none, random with zeros and a negative one, all but one zero. */
static double *weights(int64_t n, int kind) {
    if (kind == 0) return NULL;
    double *c = random_numbers(n, 5);
    for (int64_t i = 0; i < n; i++) c[i] = (kind == 2 ? i != n / 2 : i % 4 == 1) ? 0 : fabs(c[i]);
    if (kind == 1) c[0] = -0.5;
    return c;
}

static int32_t *grouping(int64_t n) {
    int32_t *group = hsp_alloc(n, sizeof *group);
    for (int64_t i = 0; i < n; i++) group[i] = (int32_t)(i * i % 7 % GROUPS);
    return group;
}

/* ---- Gram ---- */

typedef struct question {
    double *c, *centres;
    int32_t *group;
    int64_t groups;
} question;

static question make_question(int64_t n, int64_t d, int kind) {
    question q = {.c = weights(n, kind % 3), .groups = 1};
    if (kind / 3 >= 1) q.centres = random_numbers(GROUPS * d, 6);
    if (kind / 3 == 2) q.group = grouping(n), q.groups = GROUPS;
    return q;
}

static void free_question(question *q) {
    hsp_free(q->c);
    hsp_free(q->centres);
    hsp_free(q->group);
}

/* Of many columns one product in STEP, another one for each `cell`; all with HSP_CHECK_FULL=1. STEP divides no width of a tile,
 * so that every place of it is seen. */
static bool is_checked(int64_t d, int64_t j, int64_t k, int cell) {
    enum { FEW = 50, STEP = 13 };
    return d <= FEW || (j * (j + 1) / 2 + k + cell) % STEP == 0 || getenv("HSP_CHECK_FULL");
}

static void check_gram(const laid_out *m, const question *q, const double *G, int cell) {
    int64_t n = m->x.n, d = m->x.d;
    long double *y = malloc((size_t)(n * d) * sizeof *y);
    double *a = malloc((size_t)(n * d) * sizeof *a);
    for (int64_t t = 0; t < n * d; t++) {
        double centre = q->centres ? q->centres[(q->group ? q->group[t / d] : 0) * d + t % d] : 0;
        y[t] = m->t[t] - centre;
        a[t] = m->magnitude[t] + fabs(centre);
    }
    for (int64_t j = 0; j < d; j++)
        for (int64_t k = 0; k <= j; k++) {
            long double s = 0;
            double scale = 0;
            assert_true(G[j * d + k] == G[k * d + j]); /* and no NaN */
            if (!is_checked(d, j, k, cell)) continue;
            for (int64_t i = 0; i < n; i++) {
                double c = q->c ? q->c[i] : 1;
                if (c == 0) continue;
                s += c * y[i * d + j] * y[i * d + k];
                scale += fabs(c) * a[i * d + j] * a[i * d + k];
            }
            assert_true(fabsl(G[j * d + k] - s) <= 2e-14 * scale);
        }
    free(y), free(a);
}

static void gram_is_the_sum_of_products(void **unused) {
    (void)unused;
    for (int s = 0; s < SHAPE_COUNT; s++)
        for (int layout = 0; layout < LAYOUTS; layout++)
            for (int scale = 0; scale < SCALES; scale++) {
                int64_t n = SHAPES[s].n, d = SHAPES[s].d;
                laid_out m;
                lay_out(&m, n, d, layout < DENSE_LAYOUTS ? 0.8 : SHAPES[s].density, layout, scale, 2);
                double *G = hsp_alloc(d * d, sizeof *G);
                for (int kind = 0; kind < 9; kind++) {
                    if (d > 50 && kind != (s + layout + 2 * scale) % 9) continue; /* each somewhere */
                    question q = make_question(n, d, kind);
                    memset(G, 0xff, (size_t)(d * d) * sizeof *G);
                    assert_int_equal(hsp_design_gram(m.D, q.c, q.centres, q.group, q.groups, G, NULL), 0);
                    check_gram(&m, &q, G, s + 3 * layout + scale);
                    free_question(&q);
                }
                hsp_free(G);
                put_away(&m);
            }
}

/* More rows than one step takes, more columns than slabs are made for; only some of the products are checked. */
static void many_rows_pass_in_several_steps(void **unused) {
    (void)unused;
    enum { N = 2500, D = 515 };
    for (int layout = 1; layout < LAYOUTS; layout++) {
        laid_out m;
        lay_out(&m, N, D, layout < DENSE_LAYOUTS ? 1 : 0.04, layout, 2, 2);
        double *c = weights(N, 1), *G = hsp_alloc(D * D, sizeof *G);
        assert_int_equal(hsp_design_gram(m.D, c, NULL, NULL, 1, G, NULL), 0);
        for (int64_t t = 0; t < D * D; t += 997) {
            int64_t j = t / D, k = t % D;
            long double s = 0;
            double scale = 0;
            for (int64_t i = 0; i < N; i++) {
                s += c[i] * m.t[i * D + j] * m.t[i * D + k];
                scale += fabs(c[i]) * m.magnitude[i * D + j] * m.magnitude[i * D + k];
            }
            assert_true(fabsl(G[t] - s) <= 2e-14 * scale && G[t] == G[k * D + j]);
        }
        hsp_free(c), hsp_free(G);
        put_away(&m);
    }
}

static void without_weight_nothing_is_left(void **unused) {
    (void)unused;
    for (int layout = 0; layout < LAYOUTS; layout++) {
        laid_out m;
        lay_out(&m, 30, 6, 0.4, layout, 2, 1);
        double c[30] = {0}, G[36], mass, sums[6];
        assert_int_equal(hsp_design_gram(m.D, c, NULL, NULL, 1, G, NULL), 0);
        assert_int_equal(hsp_design_group_sums(m.D, c, NULL, 1, &mass, sums, NULL), 0);
        for (int t = 0; t < 36; t++) assert_true(G[t] == 0);
        for (int j = 0; j < 6; j++) assert_true(mass == 0 && sums[j] == 0);
        put_away(&m);
    }
}

/* A row that is left out may hold any values. */
static void rows_without_weight_are_not_read(void **unused) {
    (void)unused;
    laid_out m, k;
    lay_out(&m, 600, 130, 1, 0, 2, 2);
    lay_out(&k, 600, 130, 1, 0, 2, 2);
    double *c = weights(600, 1), *G = hsp_alloc(130 * 130, sizeof *G), *H = hsp_alloc(130 * 130, sizeof *H);
    for (int64_t i = 0; i < 600; i++)
        for (int64_t j = 0; c[i] == 0 && j < 130; j++) ((double *)k.x.value)[i * 130 + j] = NAN;
    assert_int_equal(hsp_design_gram(m.D, c, NULL, NULL, 1, G, NULL), 0);
    assert_int_equal(hsp_design_gram(k.D, c, NULL, NULL, 1, H, NULL), 0);
    assert_memory_equal(G, H, 130 * 130 * sizeof *G);
    hsp_free(c), hsp_free(G), hsp_free(H);
    put_away(&m), put_away(&k);
}

/* Dense rows are centred first: columns around 1e9 keep their products to the last digits. */
static void nothing_cancels_in_dense_rows(void **unused) {
    (void)unused;
    enum { N = 600, D = 5 };
    double *x = random_numbers(N * D, 9), m[D], G[D * D];
    for (int64_t t = 0; t < N * D; t++) x[t] = 1e9 + round(1024 * x[t]) / 1024; /* exact, so is the difference */
    for (int64_t j = 0; j < D; j++) m[j] = 1e9;
    hsp_matrix matrix = {.n = N, .d = D, .dense = true, .dtype = HSP_FLOAT64, .stored = N * D, .value = x};
    hsp_design *X;
    assert_int_equal(hsp_design_new(&matrix, NULL, NULL, 2, &X, NULL), 0);
    assert_int_equal(hsp_design_gram(X, NULL, m, NULL, 1, G, NULL), 0);
    for (int64_t j = 0; j < D; j++)
        for (int64_t k = 0; k < D; k++) {
            long double s = 0;
            for (int64_t i = 0; i < N; i++) s += ((long double)x[i * D + j] - 1e9L) * ((long double)x[i * D + k] - 1e9L);
            assert_true(fabsl(G[j * D + k] - s) <= 1e-12L * fabsl(G[j * D + j]));
        }
    hsp_design_free(X);
    hsp_free(x);
}

/* ---- the other passes ---- */

static void check_sums(const laid_out *m, const double *c, const int32_t *group, const double *mass, const double *sums) {
    int64_t n = m->x.n, d = m->x.d, groups = group ? GROUPS : 1;
    for (int64_t g = 0; g < groups; g++)
        for (int64_t j = 0; j < d; j++) {
            long double s = 0, w = 0;
            double scale = 0, all = 0;
            for (int64_t i = 0; i < n; i++) {
                double ci = c ? c[i] : 1;
                if (group && group[i] != g) continue;
                s += ci * m->t[i * d + j];
                w += ci;
                scale += fabs(ci) * m->magnitude[i * d + j];
                all += fabs(ci);
            }
            assert_true(fabsl(mass[g] - w) <= 1e-13 * all);
            assert_true(fabsl(sums[g * d + j] - s) <= 1e-13 * scale);
        }
}

static void group_sums_add_up(void **unused) {
    (void)unused;
    for (int s = 0; s < SHAPE_COUNT; s++)
        for (int layout = 0; layout < LAYOUTS; layout++)
            for (int kind = 0; kind < 6; kind++) {
                int64_t n = SHAPES[s].n, d = SHAPES[s].d;
                laid_out m;
                lay_out(&m, n, d, layout < DENSE_LAYOUTS ? 0.8 : SHAPES[s].density, layout, (kind + s) % 3, 3);
                double *c = weights(n, kind % 3), mass[GROUPS], *sums = hsp_alloc(GROUPS * d, sizeof *sums);
                int32_t *group = kind / 3 ? grouping(n) : NULL;
                assert_int_equal(hsp_design_group_sums(m.D, c, group, group ? GROUPS : 1, mass, sums, NULL), 0);
                check_sums(&m, c, group, mass, sums);
                hsp_free(c), hsp_free(sums), hsp_free(group);
                put_away(&m);
            }
}

/* Of large products one number in 7, in each output others. */
static bool is_left_out(const laid_out *m, int64_t t) {
    return m->x.n * m->x.d > 20000 && t % 7 != 3 && !getenv("HSP_CHECK_FULL");
}

static void check_many(const laid_out *m, int64_t K, bool with_b) {
    int64_t n = m->x.n, d = m->x.d;
    double *W = random_numbers(K * d, 1), *b = random_numbers(K, 2), *R = random_numbers(n * K, 3);
    double *scores = hsp_alloc(n * K, sizeof *scores), *sums = hsp_alloc(K * d, sizeof *sums);
    for (int64_t i = 0; i < n * K; i += 5) R[i] = 0;
    assert_int_equal(hsp_design_scores_many(m->D, W, with_b ? b : NULL, K, scores, NULL), 0);
    assert_int_equal(hsp_design_adjoint_many(m->D, R, K, sums, NULL), 0);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < K; k++) {
            if (is_left_out(m, i + 2 * k)) continue;
            long double s = with_b ? b[k] : 0;
            double scale = fabs(b[k]);
            for (int64_t j = 0; j < d; j++) {
                s += m->t[i * d + j] * W[k * d + j];
                scale += m->magnitude[i * d + j] * fabs(W[k * d + j]);
                if (m->shift) scale += fabs(m->shift[j] * m->factor[j] * W[k * d + j]);
            }
            assert_true(fabsl(scores[i * K + k] - s) <= 1e-14 * scale);
        }
    for (int64_t k = 0; k < K; k++)
        for (int64_t j = 0; j < d; j++) {
            if (is_left_out(m, j + 2 * k)) continue;
            long double s = 0;
            double scale = 0;
            for (int64_t i = 0; i < n; i++) {
                s += m->t[i * d + j] * R[i * K + k];
                scale += m->magnitude[i * d + j] * fabs(R[i * K + k]);
            }
            assert_true(fabsl(sums[k * d + j] - s) <= 2e-14 * scale);
        }
    double *all[] = {W, b, R, scores, sums};
    for (int k = 0; k < 5; k++) hsp_free(all[k]);
}

static void many_products_are_those_of_each(void **unused) {
    (void)unused;
    static const int64_t outputs[] = {1, 2, 3, 5, 8, 10, 13, 17, 26, 41};
    for (int s = 0; s < SHAPE_COUNT; s++)
        for (int layout = 0; layout < LAYOUTS; layout++)
            for (int k = 0; k < 10; k++) {
                if (SHAPES[s].n * SHAPES[s].d > 20000 && k % 5 != (s + layout) % 5) continue;
                double density = layout < DENSE_LAYOUTS ? 0.8 : SHAPES[s].density;
                laid_out m;
                lay_out(&m, SHAPES[s].n, SHAPES[s].d, density, layout, (k + s) % 3, 2);
                check_many(&m, outputs[k], k % 2);
                put_away(&m);
            }
}

static void check_outer(const laid_out *m, const double *centre, const double *A) {
    int64_t n = m->x.n, d = m->x.d;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) {
            long double s = 0;
            double scale = 0;
            for (int64_t k = 0; k < d; k++) {
                double c = centre ? centre[k] : 0, q = fabs(c) + (m->shift ? fabs(m->shift[k] * m->factor[k]) : 0);
                s += (m->t[i * d + k] - c) * (m->t[j * d + k] - c);
                scale += (m->magnitude[i * d + k] + q) * (m->magnitude[j * d + k] + q);
            }
            assert_true(fabsl(A[i * n + j] - s) <= 1e-14 * scale);
            assert_true(A[i * n + j] == A[j * n + i]);
        }
}

static void outer_is_rows_times_rows(void **unused) {
    (void)unused;
    static const shape shapes[] = {{1, 1, 0.5},     {2, 300, 0.1},  {40, 131, 0.3},
                                   {110, 150, 0.2}, {130, 20, 0.5}, {25, 1300, 0.1}};
    for (int s = 0; s < 6; s++)
        for (int layout = 0; layout < LAYOUTS; layout++)
            for (int kind = 0; kind < 6; kind++) {
                int64_t n = shapes[s].n, d = shapes[s].d;
                laid_out m;
                lay_out(&m, n, d, layout < DENSE_LAYOUTS ? 0.8 : shapes[s].density, layout, kind % 3, 2);
                double *centre = kind / 3 ? random_numbers(d, 8) : NULL, *A = hsp_alloc(n * n, sizeof *A);
                memset(A, 0xff, (size_t)(n * n) * sizeof *A);
                assert_int_equal(hsp_design_outer(m.D, centre, A, NULL), 0);
                check_outer(&m, centre, A);
                hsp_free(centre), hsp_free(A);
                put_away(&m);
            }
}

/* ---- bits ---- */

/* Everything that the passes compute, one after another: Gram, sums, scores, adjoint, outer. */
static double *everything(const shape *s, int layout, int threads, int64_t *count) {
    enum { K = 10 };
    int64_t n = s->n, d = s->d, small = n < 200 ? n : 0;
    *count = d * d + GROUPS + GROUPS * d + n * K + K * d + small * small;
    double *all = hsp_alloc_zero(*count, sizeof *all), *at = all;
    laid_out m;
    lay_out(&m, n, d, layout < DENSE_LAYOUTS ? 0.8 : s->density, layout, 2, threads);
    question q = make_question(n, d, 7);
    double *W = random_numbers(K * d, 1), *R = random_numbers(n * K, 3);
    assert_int_equal(hsp_design_gram(m.D, q.c, q.centres, q.group, q.groups, at, NULL), 0);
    at += d * d;
    assert_int_equal(hsp_design_group_sums(m.D, q.c, q.group, q.groups, at, at + GROUPS, NULL), 0);
    at += GROUPS + GROUPS * d;
    assert_int_equal(hsp_design_scores_many(m.D, W, NULL, K, at, NULL), 0);
    at += n * K;
    assert_int_equal(hsp_design_adjoint_many(m.D, R, K, at, NULL), 0);
    at += K * d;
    if (small) assert_int_equal(hsp_design_outer(m.D, q.centres, at, NULL), 0);
    hsp_free(W), hsp_free(R);
    free_question(&q);
    put_away(&m);
    return all;
}

static void any_number_of_threads_gives_the_same_bits(void **unused) {
    (void)unused;
    static const int threads[] = {2, 3, 8};
    for (int s = 0; s < SHAPE_COUNT; s++)
        for (int layout = 0; layout < LAYOUTS; layout++) {
            int64_t count;
            double *one = everything(&SHAPES[s], layout, 1, &count);
            for (int t = 0; t < 3; t++) {
                double *many = everything(&SHAPES[s], layout, threads[t], &count);
                assert_memory_equal(one, many, (size_t)count * sizeof *one);
                hsp_free(many);
            }
            hsp_free(one);
        }
}

static void every_level_gives_the_same_bits(void **unused) {
    (void)unused;
    static const char *const names[] = {"v3", "v4"};
    for (int s = 0; s < SHAPE_COUNT; s++)
        for (int layout = 0; layout < LAYOUTS; layout++) {
            int64_t count;
            assert_true(hsp_level_choose("plain"));
            double *plain = everything(&SHAPES[s], layout, 2, &count);
            for (int k = 0; k < 2; k++) {
                if (!hsp_level_choose(names[k])) continue;
                double *fast = everything(&SHAPES[s], layout, 2, &count);
                assert_memory_equal(plain, fast, (size_t)count * sizeof *plain);
                hsp_free(fast);
            }
            assert_true(hsp_level_choose(NULL));
            hsp_free(plain);
        }
}

/* ---- single precision ---- */

/* The diagonal of the matrix of absolute products gives the scale of the rounding errors. */
static void check_single(const laid_out *m, const double *c, const double *centre, const double *G) {
    int64_t n = m->D->n, d = m->D->d;
    for (int64_t j = 0; j < d; j++)
        for (int64_t k = 0; k < d; k++) {
            long double sum = 0, size = 0;
            for (int64_t i = 0; i < n; i++) {
                long double x = m->t[i * d + j] - (centre ? centre[j] : 0), y = m->t[i * d + k] - (centre ? centre[k] : 0);
                sum += (c ? c[i] : 1) * x * y;
                size += fabsl((c ? c[i] : 1) * x * y);
            }
            assert_true(fabsl((long double)G[j * d + k] - sum) <= 1e-6L * size + 1e-30L);
            assert_true(G[j * d + k] == G[k * d + j]);
        }
}

static void single_precision_has_six_digits(void **unused) {
    static const shape few[] = {{300, 7, 1}, {140, 101, 1}, {1, 5, 1}, {129, 60, 1}};
    (void)unused;
    for (int s = 0; s < 4; s++)
        for (int layout = 0; layout < DENSE_LAYOUTS; layout++)
            for (int kind = 0; kind < 6; kind++) {
                laid_out m;
                lay_out(&m, few[s].n, few[s].d, 0.8, layout, kind % SCALES, 1);
                question q = make_question(few[s].n, few[s].d, kind);
                if (q.c) q.c[0] = fabs(q.c[0]);
                double *G = hsp_alloc(few[s].d * few[s].d, sizeof *G), *again = hsp_alloc(few[s].d * few[s].d, sizeof *G);
                assert_int_equal(hsp_design_gram_single(m.D, q.c, q.centres, G, NULL), 0);
                check_single(&m, q.c, q.centres, G);
                ((hsp_design *)m.D)->threads = 3;
                assert_int_equal(hsp_design_gram_single(m.D, q.c, q.centres, again, NULL), 0);
                assert_memory_equal(G, again, (size_t)(few[s].d * few[s].d) * sizeof *G);
                hsp_free(G);
                hsp_free(again);
                free_question(&q);
                put_away(&m);
            }
}

/* Columns in units that float does not have, and one with values that are not near each other. */
static void single_precision_knows_units(void **unused) {
    enum { N = 200, D = 5 };
    static const double unit[D] = {1, 1e-30, 1e60, 1e150, 1};
    double x[N * D], G[D * D], exact[D * D];
    hsp_rng r = hsp_rng_new(3, 0);
    hsp_matrix m = {.n = N, .d = D, .dense = true, .dtype = HSP_FLOAT64, .stored = N * D, .value = x};
    hsp_design *design;
    (void)unused;
    for (int t = 0; t < N * D; t++) x[t] = hsp_rng_normal(&r) * unit[t % D];
    assert_int_equal(hsp_design_new(&m, NULL, NULL, 1, &design, NULL), 0);
    for (int round = 0; round < 2; round++) {
        assert_int_equal(hsp_design_gram_single(design, NULL, NULL, G, NULL), 0);
        assert_int_equal(hsp_design_gram(design, NULL, NULL, NULL, 1, exact, NULL), 0);
        for (int j = 0; j < D; j++)
            for (int k = 0; k < D; k++) {
                double size = sqrt(exact[j * D + j] * exact[k * D + k]);
                if (round == 0 || (j < 4 && k < 4)) assert_true(fabs(G[j * D + k] - exact[j * D + k]) <= 1e-5 * size);
            }
        assert_true(round == 0 || !isfinite(G[4 * D + 4]));
        x[171 * D + 4] = 1e300;
    }
    hsp_design_free(design);
}

/* ---- memory ---- */

static int one_pass(int which, const hsp_design *D, const question *q, double *out, hsp_error **err) {
    switch (which) {
    case 0:
        return hsp_design_gram(D, q->c, q->centres, q->group, q->groups, out, err);
    case 1:
        return hsp_design_group_sums(D, q->c, q->group, q->groups, out, out + GROUPS, err);
    case 2:
        return hsp_design_scores_many(D, out, NULL, 4, out + 4 * D->d, err);
    case 3:
        return hsp_design_adjoint_many(D, out, 4, out + 4 * D->n, err);
    case 4:
        return hsp_design_outer(D, q->centres, out, err);
    default:
        return hsp_design_gram_single(D, q->c, NULL, out, err);
    }
}

static void running_out_of_memory_is_reported(void **unused) {
    (void)unused;
    for (int s = 0; s < SHAPE_COUNT; s++)
        for (int layout = 0; layout < LAYOUTS; layout++) {
            int64_t n = SHAPES[s].n, d = SHAPES[s].d;
            laid_out m;
            lay_out(&m, n, d, layout < DENSE_LAYOUTS ? 0.8 : SHAPES[s].density, layout, 2, 2);
            question q = make_question(n, d, 7);
            double *out = hsp_alloc_zero(d * d + 8 * (n + d) + GROUPS * (d + 1) + (n < 200 ? n * n : 0), sizeof *out);
            for (int which = 0; which < 6; which++) {
                int status = HSP_EMEMORY;
                if ((which == 4 && n >= 200) || (which == 5 && layout >= DENSE_LAYOUTS)) continue;
                for (int64_t calls = 0; status; calls++) {
                    hsp_error *err = NULL;
                    hsp_memory_fail_after(calls);
                    status = one_pass(which, m.D, &q, out, &err);
                    hsp_memory_fail_after(-1);
                    assert_true(status == 0 || status == HSP_EMEMORY);
                    assert_true(calls < 30 && (calls > 0 || status == HSP_EMEMORY));
                    hsp_error_free(err);
                }
            }
            hsp_free(out);
            free_question(&q);
            put_away(&m);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gram_is_the_sum_of_products),
        cmocka_unit_test(many_rows_pass_in_several_steps),
        cmocka_unit_test(without_weight_nothing_is_left),
        cmocka_unit_test(rows_without_weight_are_not_read),
        cmocka_unit_test(nothing_cancels_in_dense_rows),
        cmocka_unit_test(group_sums_add_up),
        cmocka_unit_test(many_products_are_those_of_each),
        cmocka_unit_test(outer_is_rows_times_rows),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(every_level_gives_the_same_bits),
        cmocka_unit_test(single_precision_has_six_digits),
        cmocka_unit_test(single_precision_knows_units),
        cmocka_unit_test(running_out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
