/* lda: scores, posteriors and directions against plain arithmetic; priors; what it must be indifferent to; what is
 * singular. */
#include "base/memory.h"
#include "moments/gauss.h"

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const hsp_report *detail(const trained *t, const char *key) {
    return hsp_report_member(hsp_report_member(t->report, "lda"), key);
}

/* The posterior of each class by Gaussian densities: exp(-(x - mu)' Sigma^-1 (x - mu) / 2) prior, normalised. */
static void posterior(const gauss *g, const double *x, const double *prior, double *p) {
    enum { D = 4 };
    double S[D * D], mu[D], off[D], A[D * D], solved[D], unused[D * D], sum = 0;
    gauss_covariance(g, -1, mu, S);
    for (int64_t k = 0; k < g->K; k++) {
        gauss_covariance(g, k, mu, unused);
        for (int j = 0; j < D; j++) off[j] = solved[j] = x[j] - mu[j];
        memcpy(A, S, sizeof S);
        assert_true(eliminate(A, solved, D, 0));
        double q = 0;
        for (int j = 0; j < D; j++) q += off[j] * solved[j];
        sum += p[k] = exp(-q / 2) * prior[k];
    }
    for (int64_t k = 0; k < g->K; k++) p[k] /= sum;
}

static void shares(const gauss *g, double *prior) {
    for (int64_t k = 0; k < g->K; k++) prior[k] = 0;
    for (int64_t i = 0; i < g->n; i++) prior[g->k[i]] += 1 / (double)g->n;
}

static void posteriors_are_the_densities(void **unused) {
    (void)unused;
    static const char *const scales[] = {"none", "standard", "maxabs", "minmax"};
    static const char *const priors[] = {"empirical", "equal", "given"};
    for (int64_t K = 2; K <= 4; K++) {
        gauss g = gauss_new(60, 4, K, 0.6, (uint64_t)K);
        hsp_data *data = gauss_data(&g);
        for (int s = 0; s < 12; s++) {
            double prior[4], p[4], expected[4];
            static const char *const texts[] = {"b=0.25,a=0.75", "c=0.125,a=0.625,b=0.25", "a=0.1,b=0.2,c=0.3,d=0.4"};
            static const double given[3][4] = {{0.75, 0.25}, {0.625, 0.25, 0.125}, {0.1, 0.2, 0.3, 0.4}};
            shares(&g, prior);
            for (int64_t k = 0; k < K && s / 4 > 0; k++) prior[k] = s / 4 == 1 ? 1 / (double)K : given[K - 2][k];
            trained t = train(data, PAIRS("algorithm", "lda", "scale", scales[s % 4], "priors",
                                          s / 4 == 2 ? texts[K - 2] : priors[s / 4]));
            assert_int_equal(t.status, 0);
            for (int64_t i = 0; i < g.n; i += 7) {
                posterior(&g, g.x + i * 4, prior, expected);
                assert_int_equal(hsp_model_probability(t.model, g.x + i * 4, p, NULL), 0);
                for (int64_t k = 0; k < K; k++) assert_true(fabs(p[k] - expected[k]) < 1e-10);
            }
            for (int64_t k = 0; k < K; k++)
                assert_near(hsp_report_number_at(detail(&t, "priors"), NULL, k), prior[k], 1e-15);
            trained_free(&t);
        }
        gauss_free(&g);
    }
}

/* A prior moves the boundary by the difference of the logs, and nothing else. */
static void priors_shift_the_offset(void **unused) {
    (void)unused;
    gauss g = gauss_new(50, 3, 2, 1, 5);
    hsp_data *data = gauss_data(&g);
    trained a = train(data, PAIRS("algorithm", "lda", "priors", "equal"));
    trained b = train(data, PAIRS("algorithm", "lda", "priors", "a=0.2,b=0.8"));
    assert_true(apart(a.model->w, b.model->w, 3) < 1e-13);
    assert_near(b.model->b[0] - a.model->b[0], log(4), 1e-10);
    trained_free(&a);
    trained_free(&b);
    gauss_free(&g);
}

/* Any regular affine map of the columns leaves scores as they are. */
static void affine_maps_do_not_matter(void **unused) {
    (void)unused;
    static const double map[3][3] = {{2, 1, 0}, {0, 1e4, 3}, {1e-3, 0, 1e-3}};
    gauss g = gauss_new(60, 3, 3, 0.5, 6), h = gauss_new(60, 3, 3, 0.5, 6);
    for (int64_t i = 0; i < g.n; i++)
        for (int j = 0; j < 3; j++) {
            h.x[i * 3 + j] = 50 * j;
            for (int l = 0; l < 3; l++) h.x[i * 3 + j] += map[j][l] * g.x[i * 3 + l];
        }
    hsp_data *one = gauss_data(&g), *two = gauss_data(&h);
    trained a = train(one, PAIRS("algorithm", "lda")), b = train(two, PAIRS("algorithm", "lda"));
    for (int64_t i = 0; i < g.n; i++) {
        double p[3], q[3];
        hsp_model_probability(a.model, g.x + i * 3, p, NULL);
        hsp_model_probability(b.model, h.x + i * 3, q, NULL);
        for (int k = 0; k < 3; k++) assert_true(fabs(p[k] - q[k]) < 1e-8);
    }
    trained_free(&a);
    trained_free(&b);
    gauss_free(&g);
    gauss_free(&h);
}

static void weights_are_repeats(void **unused) {
    (void)unused;
    static const char *const shrinkages[] = {"none", "auto", "0.3"};
    for (int64_t K = 2; K <= 3; K++) {
        gauss g = gauss_new(45, 3, K, 0.5, 4);
        int times[45], twice[45];
        g.c = calloc(45, sizeof *g.c);
        for (int i = 0; i < 45; i++) {
            g.c[i] = times[i] = i % 4;
            twice[i] = times[i] * (g.k[i] == 1 ? 2 : 1);
        }
        gauss r = gauss_repeat(&g, times), r2 = gauss_repeat(&g, twice);
        hsp_data *weighted = gauss_data(&g), *repeated = gauss_data(&r), *doubled = gauss_data(&r2);
        for (int s = 0; s < 3; s++) {
            trained t = train(weighted, PAIRS("algorithm", "lda", "shrinkage", shrinkages[s]));
            trained u = train(repeated, PAIRS("algorithm", "lda", "shrinkage", shrinkages[s]));
            assert_true(apart(t.model->w, u.model->w, t.model->outputs * 3) < 1e-11);
            assert_true(apart(t.model->b, u.model->b, t.model->outputs) < 1e-11);
            const hsp_extra *v = hsp_model_extra(t.model, "directions"), *w = hsp_model_extra(u.model, "directions");
            assert_true(apart(v->data, w->data, v->rows * 3) < 1e-10);
            trained_free(&t);
            trained_free(&u);
            t = train(weighted, PAIRS("algorithm", "lda", "shrinkage", shrinkages[s], "class-weight", "b=2"));
            u = train(doubled, PAIRS("algorithm", "lda", "shrinkage", shrinkages[s]));
            assert_true(apart(t.model->w, u.model->w, t.model->outputs * 3) < 1e-11);
            assert_true(apart(t.model->b, u.model->b, t.model->outputs) < 1e-11);
            trained_free(&t);
            trained_free(&u);
        }
        gauss_free(&g);
        gauss_free(&r);
        gauss_free(&r2);
    }
}

/* Class weights move decisions; the probabilities stay those of the priors, whichever these are. */
static void class_weights_are_no_priors(void **unused) {
    (void)unused;
    static const char *const priors[] = {"empirical", "equal", "a=0.5,b=0.25,c=0.25"};
    gauss g = gauss_new(90, 4, 3, 0.3, 8);
    hsp_data *data = gauss_data(&g);
    for (int i = 0; i < 3; i++) {
        trained t = train(data, PAIRS("algorithm", "lda", "priors", priors[i]));
        trained u = train(data, PAIRS("algorithm", "lda", "priors", priors[i], "class-weight", "a=5"));
        for (int k = 0; k < 3; k++)
            assert_near(hsp_report_number_at(detail(&t, "priors"), NULL, k),
                        hsp_report_number_at(detail(&u, "priors"), NULL, k), 1e-14);
        int64_t before = 0, after = 0;
        for (int64_t r = 0; r < g.n; r++) {
            before += hsp_model_classify(t.model, g.x + r * 4, NULL) == 0;
            after += hsp_model_classify(u.model, g.x + r * 4, NULL) == 0;
        }
        assert_true(after > before);
        double p[3], q[3], mean = 0; /* not equal one by one: the covariance is weighted, too */
        for (int64_t r = 0; r < g.n; r++) {
            hsp_model_probability(t.model, g.x + r * 4, p, NULL);
            hsp_model_probability(u.model, g.x + r * 4, q, NULL);
            mean += (p[0] - q[0]) / (double)g.n;
        }
        assert_near(mean, 0, 0.05);
        trained_free(&t);
        trained_free(&u);
    }
    gauss_free(&g);
}

/* ---- directions ---- */

/* Unit variance within the classes, uncorrelated within and between them, the grand mean at 0, most explained first. */
static void directions_are_canonical(void **unused) {
    (void)unused;
    static const char *const scales[] = {"none", "standard"};
    gauss g = gauss_new(120, 5, 4, 1, 3);
    hsp_data *data = gauss_data(&g);
    for (int s = 0; s < 2; s++) {
        trained t = train(data, PAIRS("algorithm", "lda", "scale", scales[s]));
        const hsp_extra *v = hsp_model_extra(t.model, "directions"), *o = hsp_model_extra(t.model, "direction-offsets");
        assert_int_equal(v->rows, 3);
        assert_int_equal(o->rows, 3);
        gauss z = {g.n, 3, 4, calloc((size_t)(3 * g.n), sizeof(double)), g.k, NULL, NULL, 0};
        double mean[3] = {0}, S[9], mu[3], between[9] = {0}, ignored[9], sum = 0;
        for (int64_t i = 0; i < g.n; i++)
            for (int j = 0; j < 3; j++) {
                z.x[i * 3 + j] = o->data[j];
                for (int l = 0; l < 5; l++) z.x[i * 3 + j] += v->data[j * 5 + l] * g.x[i * 5 + l];
                mean[j] += z.x[i * 3 + j] / (double)g.n;
            }
        gauss_covariance(&z, -1, mu, S);
        double share[4];
        shares(&g, share);
        for (int64_t k = 0; k < 4; k++) {
            gauss_covariance(&z, k, mu, ignored);
            for (int a = 0; a < 9; a++) between[a] += share[k] * mu[a / 3] * mu[a % 3];
        }
        for (int a = 0; a < 3; a++) {
            assert_near(mean[a], 0, 1e-11);
            sum += hsp_report_number_at(detail(&t, "explained"), NULL, a);
            for (int b = 0; b < 3; b++) {
                assert_near(S[a * 3 + b], a == b, 1e-10);
                if (a != b) assert_near(between[a * 3 + b], 0, 1e-9);
            }
            if (a) assert_true(between[a * 4] <= between[(a - 1) * 4]);
        }
        assert_near(sum, 1, 1e-12);
        free(z.x);
        trained_free(&t);
    }
    gauss_free(&g);
}

static void one_direction_for_two_classes(void **unused) {
    (void)unused;
    static const char *const positives[] = {"a", "b"};
    gauss g = gauss_new(40, 3, 2, 1, 3);
    hsp_data *data = gauss_data(&g);
    for (int p = 0; p < 2; p++) {
        trained t = train(data, PAIRS("algorithm", "lda", "positive", positives[p]));
        const hsp_extra *v = hsp_model_extra(t.model, "directions");
        assert_int_equal(v->rows, 1);
        double ratio = v->data[0] / t.model->w[0];
        assert_true(ratio > 0); /* towards the positive class */
        for (int j = 1; j < 3; j++) assert_true(fabs(v->data[j] / t.model->w[j] / ratio - 1) < 1e-10);
        trained_free(&t);
    }
    gauss_free(&g);
}

/* Means on a line: one direction, though there are four classes. */
static void fewer_directions_where_means_are_in_line(void **unused) {
    (void)unused;
    static const double corner[4][2] = {{1, 1}, {1, -1}, {-1, 1}, {-1, -1}};
    gauss g = {16, 2, 4, calloc(32, sizeof(double)), calloc(16, sizeof(int)), NULL, NULL, 0};
    for (int i = 0; i < 16; i++) {
        g.k[i] = i / 4;
        for (int j = 0; j < 2; j++) g.x[i * 2 + j] = corner[i % 4][j] + (double)(i / 4) * (j ? 1 : 2);
    }
    hsp_data *data = gauss_data(&g);
    trained t = train(data, PAIRS("algorithm", "lda"));
    assert_int_equal(t.status, 0);
    assert_int_equal(hsp_model_extra(t.model, "directions")->rows, 1);
    assert_int_equal(hsp_report_count(detail(&t, "explained"), NULL), 1);
    trained_free(&t);
    gauss_free(&g);
}

/* ---- singular ---- */

/* More columns that say nothing new: the same posteriors. */
static void redundant_columns_do_not_matter(void **unused) {
    (void)unused;
    gauss g = gauss_new(60, 3, 3, 0.8, 2);
    gauss w = {60, 7, 3, calloc(60 * 7, sizeof(double)), calloc(60, sizeof(int)), NULL, NULL, 0};
    for (int64_t i = 0; i < 60; i++) {
        const double *x = g.x + i * 3;
        double row[7] = {x[0], x[1], x[2], 0.1, 1e3 * x[0], 0, x[1] - 2 * x[2]};
        memcpy(w.x + i * 7, row, sizeof row);
        w.k[i] = g.k[i];
    }
    hsp_data *one = gauss_data(&g), *two = gauss_data(&w);
    trained a = train(one, PAIRS("algorithm", "lda")), b = train(two, PAIRS("algorithm", "lda"));
    assert_int_equal((int64_t)hsp_report_number(detail(&b, "rank"), NULL), 3);
    assert_non_null(strstr(first_warning(&b), "rank 3 of 7 (2 columns are constant"));
    assert_string_equal(word(&b, "solver"), "pseudo-inverse");
    for (int64_t i = 0; i < 60; i++) {
        double p[3], q[3];
        hsp_model_probability(a.model, g.x + i * 3, p, NULL);
        hsp_model_probability(b.model, w.x + i * 7, q, NULL);
        for (int k = 0; k < 3; k++) assert_true(fabs(p[k] - q[k]) < 1e-9);
    }
    trained_free(&a);
    trained_free(&b);
    gauss_free(&g);
    gauss_free(&w);
}

/* Likewise with so many columns that the few directions without spread are looked for one by one; and with too many of
 * those. */
static void redundant_columns_among_many(void **unused) {
    (void)unused;
    enum { N = 400, D = 70 };
    static const int added[] = {5, 40};
    for (int a = 0; a < 2; a++) {
        int wide = D + added[a];
        gauss g = gauss_new(N, D, 3, 0.3, 2);
        gauss w = {N, wide, 3, calloc((size_t)(N * wide), sizeof(double)), calloc(N, sizeof(int)), NULL, NULL, 0};
        for (int64_t i = 0; i < N; i++) {
            for (int j = 0; j < wide; j++)
                w.x[i * wide + j] = j < D ? g.x[i * D + j] : g.x[i * D + j - D] - 100 * g.x[i * D + (3 * j) % D] + 5;
            w.x[i * wide + wide - 1] = 0.1;
            w.k[i] = g.k[i];
        }
        hsp_data *one = gauss_data(&g), *two = gauss_data(&w);
        trained t = train(one, PAIRS("algorithm", "lda")), u = train(two, PAIRS("algorithm", "lda"));
        assert_int_equal((int64_t)hsp_report_number(detail(&u, "rank"), NULL), D);
        assert_string_equal(word(&u, "solver"), "pseudo-inverse");
        for (int64_t i = 0; i < N; i++) {
            double p[3], q[3];
            hsp_model_probability(t.model, g.x + i * D, p, NULL);
            hsp_model_probability(u.model, w.x + i * wide, q, NULL);
            for (int k = 0; k < 3; k++) assert_near(p[k], q[k], 1e-7);
        }
        for (int r = 0; r < 2; r++)
            assert_near(hsp_report_number_at(detail(&t, "explained"), NULL, r),
                        hsp_report_number_at(detail(&u, "explained"), NULL, r), 1e-8);
        trained_free(&t);
        trained_free(&u);
        gauss_free(&g);
        gauss_free(&w);
    }
}

static void more_columns_than_rows(void **unused) {
    (void)unused;
    gauss g = gauss_new(20, 40, 3, 1, 6);
    hsp_data *data = gauss_data(&g);
    trained t = train(data, PAIRS("algorithm", "lda"));
    assert_int_equal(t.status, 0);
    assert_int_equal((int64_t)hsp_report_number(detail(&t, "rank"), NULL), 17);
    trained_free(&t);
    t = train(data, PAIRS("algorithm", "lda", "shrinkage", "auto"));
    double delta = hsp_report_number(detail(&t, "shrinkage"), NULL);
    assert_true(delta > 0 && delta <= 1);
    assert_int_equal((int64_t)hsp_report_number(detail(&t, "rank"), NULL), 40);
    trained_free(&t);
    gauss_free(&g);
}

/* Shrunk all the way and with equal priors, lda is nearest-mean. */
static void full_shrinkage_is_nearest_mean(void **unused) {
    (void)unused;
    gauss g = gauss_new(80, 4, 3, 0.5, 8);
    hsp_data *data = gauss_data(&g);
    trained t = train(data, PAIRS("algorithm", "lda", "shrinkage", "1", "priors", "equal"));
    trained m = train(data, PAIRS("algorithm", "nearest-mean"));
    for (int64_t i = 0; i < g.n; i++)
        assert_int_equal(hsp_model_classify(t.model, g.x + i * 4, NULL), hsp_model_classify(m.model, g.x + i * 4, NULL));
    trained_free(&t);
    trained_free(&m);
    gauss_free(&g);
}

static void a_class_with_one_row(void **unused) {
    (void)unused;
    gauss g = gauss_new(30, 2, 3, 2, 5);
    for (int64_t i = 0; i < g.n; i++) g.k[i] = i == 0 ? 2 : (int)(i % 2);
    hsp_data *data = gauss_data(&g);
    trained t = train(data, PAIRS("algorithm", "lda"));
    assert_int_equal(t.status, 0);
    assert_int_equal(t.model->outputs, 3);
    trained_free(&t);
    g.n = 3; /* one of each: no spread at all */
    for (int i = 0; i < 3; i++) g.k[i] = i;
    data = gauss_data(&g);
    t = train(data, PAIRS("algorithm", "lda"));
    assert_int_equal(t.status, HSP_EINPUT);
    assert_non_null(strstr(hsp_error_message(t.error), "nearest-mean"));
    trained_free(&t);
    gauss_free(&g);
}

/* A class whose rows all weigh nothing is never predicted, and has no probability. */
static void a_class_without_weight(void **unused) {
    (void)unused;
    static const char *const algorithms[] = {"lda", "nearest-mean"};
    gauss g = gauss_new(60, 3, 3, 0.2, 5);
    g.c = calloc(60, sizeof *g.c);
    for (int i = 0; i < 60; i++) g.c[i] = g.k[i] != 1;
    hsp_data *data = gauss_data(&g);
    for (int a = 0; a < 2; a++) {
        trained t = train(data, PAIRS("algorithm", algorithms[a]));
        assert_int_equal(t.status, 0);
        assert_non_null(strstr(first_warning(&t), "'b' have weight 0"));
        assert_int_equal(hsp_report_count(t.report, "warnings"), 1);
        for (int64_t i = 0; i < 60; i++) {
            double p[3];
            assert_true(hsp_model_classify(t.model, g.x + i * 3, NULL) != 1);
            if (a == 0) assert_int_equal(hsp_model_probability(t.model, g.x + i * 3, p, NULL), 0);
            if (a == 0) assert_true(p[1] == 0 && fabs(p[0] + p[2] - 1) < 1e-12);
        }
        trained_free(&t);
    }
    gauss_free(&g);
}

/* ---- far from 0 ---- */

/* Exact data with an offset: the same weights, decisions and places along the directions; of nearest-mean, too. */
static void offsets_do_not_matter(void **unused) {
    (void)unused;
    static const double offsets[] = {1e4, -1e8, 1e10, 1e12};
    static const char *const algorithms[] = {"lda", "nearest-mean"}, *const shrinkages[] = {"none", "auto"};
    for (int run = 0; run < 12; run++) {
        int64_t K = 2 + run / 4;
        bool lda = run % 4 < 2, weighted = run % 2;
        gauss g = gauss_new(300, 4, K, 1, (uint64_t)K);
        if (weighted) g.c = calloc(300, sizeof *g.c);
        for (int i = 0; weighted && i < 300; i++) g.c[i] = i % 3;
        gauss_eighths(&g);
        hsp_data *data = gauss_data(&g);
        trained a = lda ? train(data, PAIRS("algorithm", "lda", "shrinkage", shrinkages[run % 2]))
                        : train(data, PAIRS("algorithm", algorithms[1]));
        assert_int_equal(a.status, 0);
        for (size_t o = 0; o < sizeof offsets / sizeof *offsets; o++) {
            for (int64_t i = 0; i < g.n * 4; i++) g.x[i] += offsets[o];
            hsp_data *far = gauss_data(&g);
            trained b = lda ? train(far, PAIRS("algorithm", "lda", "shrinkage", shrinkages[run % 2]))
                            : train(far, PAIRS("algorithm", algorithms[1]));
            for (int64_t i = 0; i < g.n * 4; i++) g.x[i] -= offsets[o];
            assert_int_equal(b.status, 0);
            for (int64_t k = 0; k < a.model->outputs; k++)
                for (int j = 0; j < 4; j++) /* of K classes only the differences count */
                    assert_near(b.model->w[k * 4 + j] - (K > 2 ? b.model->w[j] : 0),
                                a.model->w[k * 4 + j] - (K > 2 ? a.model->w[j] : 0), 1e-11);
            if (fabs(offsets[o]) < 1e9) assert_near(figure(&a, "train_accuracy"), figure(&b, "train_accuracy"), 0.01);
            const hsp_extra *V = hsp_model_extra(a.model, "directions");
            if (lda) assert_true(apart(hsp_model_extra(b.model, "directions")->data, V->data, V->rows * 4) < 1e-10);
            trained_free(&b);
        }
        trained_free(&a);
        gauss_free(&g);
    }
}

/* Few rows have weight, and the column lies far away only in others. */
static void rows_without_weight_do_not_place_the_columns(void **unused) {
    (void)unused;
    gauss g = gauss_new(1000, 3, 2, 1, 4), h = gauss_new(1000, 3, 2, 1, 4);
    g.c = calloc(1000, sizeof *g.c);
    h.c = calloc(1000, sizeof *h.c);
    gauss_eighths(&g);
    gauss_eighths(&h);
    for (int64_t i = 0; i < 1000; i++) {
        g.c[i] = h.c[i] = i % 5 == 3;
        for (int j = 0; j < 3; j++) h.x[i * 3 + j] = i % 5 == 3 ? h.x[i * 3 + j] + 1e12 : 1e300;
    }
    hsp_data *one = gauss_data(&g), *two = gauss_data(&h);
    trained a = train(one, PAIRS("algorithm", "lda")), b = train(two, PAIRS("algorithm", "lda"));
    assert_int_equal(b.status, 0);
    assert_true(apart(b.model->w, a.model->w, 3) < 1e-11);
    trained_free(&a);
    trained_free(&b);
    gauss_free(&g);
    gauss_free(&h);
}

/* Constant columns alone make the covariance singular: solver and warning say the same. */
static void constant_columns_are_told_as_such(void **unused) {
    (void)unused;
    static const char *const shrinkages[] = {"none", "auto", "0.5"};
    for (int all = 0; all < 2; all++)
        for (int s = 0; s < 3; s++) {
            gauss g = gauss_new(30, 3, 2, 1, 6);
            for (int64_t i = 0; i < 30; i++) {
                g.x[i * 3 + 1] = 0.1;
                if (all) g.x[i * 3] = g.x[i * 3 + 2] = g.k[i] ? 0.3 : 7;
            }
            hsp_data *data = gauss_data(&g);
            trained t = train(data, PAIRS("algorithm", "lda", "shrinkage", shrinkages[s]));
            assert_int_equal(t.status, 0);
            bool singular = all || s == 0;
            assert_int_equal((int64_t)hsp_report_number(detail(&t, "rank"), NULL), all ? 0 : s == 0 ? 2 : 3);
            assert_string_equal(word(&t, "solver"), singular ? "pseudo-inverse" : "cholesky");
            assert_true((strstr(first_warning(&t), "pseudo-inverse") != NULL) == singular);
            assert_true((strstr(first_warning(&t), "--shrinkage") != NULL) == (!all && s == 0));
            trained_free(&t);
            gauss_free(&g);
        }
}

/* ---- storage, threads, memory, refusals ---- */

static void sparse_is_dense(void **unused) {
    (void)unused;
    gauss g = gauss_sparse(300, 12, 3, 7);
    hsp_data *sparse = gauss_data(&g);
    gauss h = gauss_sparse(300, 12, 3, 7);
    for (int64_t i = 0; i < g.n * g.d; i++) h.x[i] += 100; /* nothing is 0 any more */
    hsp_data *dense = gauss_data(&h);
    assert_true(!sparse->x.dense && dense->x.dense);
    static const char *const scales[] = {"none", "standard"}, *const shrinkages[] = {"none", "auto"};
    for (int s = 0; s < 4; s++) {
        trained a = train(sparse, PAIRS("algorithm", "lda", "scale", scales[s % 2], "shrinkage", shrinkages[s / 2]));
        trained b = train(dense, PAIRS("algorithm", "lda", "scale", scales[s % 2], "shrinkage", shrinkages[s / 2]));
        for (int64_t i = 0; i < g.n; i += 11) {
            double p[3], q[3];
            hsp_model_probability(a.model, g.x + i * 12, p, NULL);
            hsp_model_probability(b.model, h.x + i * 12, q, NULL);
            for (int k = 0; k < 3; k++) assert_true(fabs(p[k] - q[k]) < 1e-9);
        }
        trained_free(&a);
        trained_free(&b);
    }
    gauss_free(&g);
    gauss_free(&h);
}

/* Both ways through the rows: a scatter for each class (few columns) and one for all. */
static void threads_do_not_matter(void **unused) {
    (void)unused;
    static const char *const columns[] = {"20", "70"};
    for (int c = 0; c < 2; c++) {
        hsp_data *data = generated("blobs", PAIRS("rows", "3000", "features", columns[c], "noise", "3", "classes", "4"));
        trained a = train(data, PAIRS("algorithm", "lda", "threads", "1", "shrinkage", "auto"));
        trained b = train(data, PAIRS("algorithm", "lda", "threads", "3", "shrinkage", "auto"));
        assert_memory_equal(a.model->w, b.model->w, (size_t)(4 * data->x.d) * sizeof(double));
        assert_memory_equal(a.model->b, b.model->b, 4 * sizeof(double));
        assert_true((hsp_model_extra(a.model, "class-covariances") != NULL) == (c == 0));
        trained_free(&a);
        trained_free(&b);
        hsp_data_free(data);
    }
}

static void broken_priors(void **unused) {
    (void)unused;
    static const char *const broken[][2] = {
        {"a=0.5,b=0.5", "'c'"},
        {"a=0.5,b=0.3,c=0.1", "sum to 0.9"},
        {"a=0.5,b=0.3,z=0.2", "'z'"},
        {"a=0.5,a=0.3,b=0.2", "twice"},
        {"a=0.5,b=0.5,c=0", "not between"},
        {"a=-1,b=1,c=1", "not between"},
        {"a=1,b=1,c=1", "not between"},
        {"uniform", "LABEL=X"},
        {"", "LABEL=X"},
        {"a=0.5,b=0.3,c=x", "LABEL=X"},
        {"a=0.5,b=0.3,c=", "LABEL=X"},
        {"a=0.5,,b=0.3,c=0.2", "',b'"},
        {"a=0.5,b=0.3,c=0.2,", "LABEL"},
        {"=0.5", "''"},
        {"a=nan,b=0.5,c=0.5", "not a class"},
    };
    gauss g = gauss_new(30, 2, 3, 1, 3);
    hsp_data *data = gauss_data(&g);
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        trained t = train(data, PAIRS("algorithm", "lda", "priors", broken[i][0]));
        if (t.status == 0 || !strstr(hsp_error_message(t.error), broken[i][1]))
            print_message("'%s': %s\n", broken[i][0], t.error ? hsp_error_message(t.error) : "taken");
        assert_int_equal(t.status, HSP_EUSAGE);
        assert_non_null(strstr(hsp_error_message(t.error), broken[i][1]));
        assert_null(t.model);
        trained_free(&t);
    }
    gauss_free(&g);
}

/* The last '=' before a number divides; labels may hold '=' and ','. */
static void priors_of_odd_labels(void **unused) {
    (void)unused;
    static const double x[] = {0, 1, 2, 5, 6, 7.5};
    static const char *const labels[] = {"p=1,x", "p=1,x", "p=1,x", "q,r", "q,r", "q,r"};
    hsp_data *data = NULL;
    assert_int_equal(hsp_data_from_dense(x, 6, 1, 1, labels, NULL, &data, NULL), 0);
    trained t = train(data, PAIRS("algorithm", "lda", "priors", "q,r=0.2500001,p=1,x=0.75"));
    /* "p=1" reads as an entry of its own, so such a label cannot stand in the list: a plain error, not a wrong prior */
    assert_int_equal(t.status, HSP_EUSAGE);
    trained_free(&t);
    hsp_data_free(data);
    static const char *const others[] = {"p=x", "p=x", "p=x", "q,r", "q,r", "q,r"};
    assert_int_equal(hsp_data_from_dense(x, 6, 1, 1, others, NULL, &data, NULL), 0);
    t = train(data, PAIRS("algorithm", "lda", "priors", "q,r=0.2500001,p=x=0.75"));
    assert_int_equal(t.status, 0);
    assert_near(hsp_report_number_at(detail(&t, "priors"), NULL, 0), 0.75 / 1.0000001, 1e-15);
    trained_free(&t);
    hsp_data_free(data);
}

static void refusals(void **unused) {
    (void)unused;
    static const char *const wrong[][2] = {{"within", "pooled"}, {"threshold", "best"}, {"penalty", "l2"}, {"C", "1"}};
    gauss g = gauss_new(20, 2, 2, 1, 3);
    hsp_data *data = gauss_data(&g);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        trained t = train(data, PAIRS("algorithm", "lda", wrong[i][0], wrong[i][1]));
        assert_int_equal(t.status, HSP_EUSAGE);
        trained_free(&t);
    }
    g.c = calloc(20, sizeof *g.c);
    for (int i = 0; i < 20; i++) g.c[i] = 0.05;
    data = gauss_data(&g);
    trained t = train(data, PAIRS("algorithm", "lda"));
    assert_int_equal(t.status, HSP_EINPUT);
    assert_non_null(strstr(hsp_error_message(t.error), "multiply"));
    trained_free(&t);
    free(g.c);
    g.c = NULL;
    for (int64_t i = 0; i < 40; i++) g.x[i] *= 1e200;
    data = gauss_data(&g);
    t = train(data, PAIRS("algorithm", "lda"));
    assert_int_equal(t.status, HSP_EINPUT);
    assert_non_null(strstr(hsp_error_message(t.error), "column 'x1' has values too large"));
    assert_non_null(strstr(hsp_error_message(t.error), "--scale"));
    trained_free(&t);
    gauss_free(&g);
}

static void survives_every_failed_allocation(void **unused) {
    (void)unused;
    gauss g = gauss_new(20, 3, 3, 1, 3);
    for (int64_t i = 0; i < 20; i++) g.x[i * 3 + 2] = i % 2 ? 0.1 : g.x[i * 3]; /* not regular, and a look at the values */
    for (int64_t i = 0; i < 20; i++) g.x[i * 3 + 1] = 0.1;
    for (int64_t i = 0; i < 20; i++) g.x[i * 3] += 1e6; /* relative to another point */
    hsp_data *data = gauss_data(&g);
    assert_int_equal(
        train_short_of_memory(data, PAIRS("algorithm", "lda", "priors", "a=0.5,b=0.25,c=0.25", "shrinkage", "none")), 0);
    gauss_free(&g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(posteriors_are_the_densities),
        cmocka_unit_test(priors_shift_the_offset),
        cmocka_unit_test(affine_maps_do_not_matter),
        cmocka_unit_test(weights_are_repeats),
        cmocka_unit_test(class_weights_are_no_priors),
        cmocka_unit_test(directions_are_canonical),
        cmocka_unit_test(one_direction_for_two_classes),
        cmocka_unit_test(fewer_directions_where_means_are_in_line),
        cmocka_unit_test(redundant_columns_do_not_matter),
        cmocka_unit_test(redundant_columns_among_many),
        cmocka_unit_test(more_columns_than_rows),
        cmocka_unit_test(full_shrinkage_is_nearest_mean),
        cmocka_unit_test(a_class_with_one_row),
        cmocka_unit_test(a_class_without_weight),
        cmocka_unit_test(offsets_do_not_matter),
        cmocka_unit_test(rows_without_weight_do_not_place_the_columns),
        cmocka_unit_test(constant_columns_are_told_as_such),
        cmocka_unit_test(sparse_is_dense),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(broken_priors),
        cmocka_unit_test(priors_of_odd_labels),
        cmocka_unit_test(refusals),
        cmocka_unit_test(survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
