/* fisher: the direction, the threshold and J against plain arithmetic; what it must be indifferent to; what is singular. */
#include "base/memory.h"
#include "moments/gauss.h"

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static double detail(const trained *t, const char *key) {
    return hsp_report_number(hsp_report_member(t->report, "fisher"), key);
}

/* Two classes in the plane, by hand: covariances [[1,0],[0,1]]*4/3 and [[4,0],[0,1]]*4/3; means (0,0) and (4,2). */
static void by_hand(void **unused) {
    (void)unused;
    static const double x[] = {1, 1, 1, -1, -1, 1, -1, -1, 6, 3, 6, 1, 2, 3, 2, 1};
    static const char *const labels[] = {"-1", "-1", "-1", "-1", "1", "1", "1", "1"};
    hsp_data *data = NULL;
    assert_int_equal(hsp_data_from_dense(x, 8, 2, 2, labels, NULL, &data, NULL), 0);
    trained t = train(data, PAIRS("algorithm", "fisher"));
    assert_int_equal(t.status, 0);
    /* S_W = diag(20/3, 8/3): w = (4 * 3/20, 2 * 3/8) = (0.6, 0.75); J = w.(mu1 - mu2) = 2.4 + 1.5 */
    assert_near(t.model->w[0], 0.6, 1e-14);
    assert_near(t.model->w[1], 0.75, 1e-14);
    assert_near(t.model->b[0], -1.95, 1e-14);
    assert_near(detail(&t, "J"), 3.9, 1e-13);
    assert_near(detail(&t, "threshold"), 1.95, 1e-13);
    assert_near(detail(&t, "ridge"), 0, 0);
    trained_free(&t);
    t = train(data, PAIRS("algorithm", "fisher", "within", "pooled", "positive", "-1"));
    assert_near(t.model->w[0], -1.2, 1e-14); /* half the sum, since the classes are of the same size */
    assert_near(t.model->w[1], -1.5, 1e-14);
    assert_near(t.model->b[0], 3.9, 1e-14);
    assert_near(detail(&t, "J"), 7.8, 1e-13);
    trained_free(&t);
    hsp_data_free(data);
}

static void solves_the_equations(void **unused) {
    (void)unused;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        gauss g = gauss_new(80, 5, 2, 1, seed);
        hsp_data *data = gauss_data(&g);
        double S[25], other[25], mu[5], w[5];
        gauss_covariance(&g, 0, mu, S);
        gauss_covariance(&g, 1, w, other);
        for (int i = 0; i < 25; i++) S[i] += other[i];
        double middle[5], difference[5];
        for (int j = 0; j < 5; j++) {
            middle[j] = (mu[j] + w[j]) / 2;
            difference[j] = w[j] -= mu[j];
        }
        assert_true(eliminate(S, w, 5, 0));
        double beta = 0, J = 0;
        for (int j = 0; j < 5; j++) {
            beta += w[j] * middle[j];
            J += w[j] * difference[j];
        }
        static const char *const scales[] = {"none", "standard", "maxabs", "minmax"};
        for (int s = 0; s < 4; s++) {
            trained t = train(data, PAIRS("algorithm", "fisher", "scale", scales[s]));
            assert_true(apart(t.model->w, w, 5) < 1e-11);
            assert_true(fabs(t.model->b[0] + beta) < 1e-10 * (1 + fabs(beta)));
            assert_true(fabs(detail(&t, "threshold") - beta) < 1e-10 * (1 + fabs(beta)));
            assert_true(fabs(detail(&t, "J") - J) < 1e-10 * J);
            const hsp_extra *direction = hsp_model_extra(t.model, "directions");
            assert_memory_equal(direction->data, t.model->w, 5 * sizeof(double));
            assert_int_equal(t.model->link, HSP_LINK_NONE);
            trained_free(&t);
        }
        gauss_free(&g);
    }
}

/* x -> s x for each column: w -> w / s, the same predictions, also over twelve orders of magnitude. */
static void follows_the_units(void **unused) {
    (void)unused;
    static const double unit[] = {1e6, 1e-6, 1, 1e3};
    gauss g = gauss_new(60, 4, 2, 1, 9);
    hsp_data *data = gauss_data(&g);
    trained plain = train(data, PAIRS("algorithm", "fisher"));
    for (int64_t i = 0; i < g.n * 4; i++) g.x[i] *= unit[i % 4];
    hsp_data *scaled = gauss_data(&g);
    trained t = train(scaled, PAIRS("algorithm", "fisher"));
    for (int j = 0; j < 4; j++) assert_true(fabs(t.model->w[j] * unit[j] / plain.model->w[j] - 1) < 1e-9);
    assert_true(fabs(t.model->b[0] - plain.model->b[0]) < 1e-9 * (1 + fabs(plain.model->b[0])));
    assert_true(fabs(detail(&t, "J") / detail(&plain, "J") - 1) < 1e-10);
    trained_free(&t);
    trained_free(&plain);
    gauss_free(&g);
}

/* Exact data far from 0: the same weights, J, and cut. */
static void offsets_do_not_matter(void **unused) {
    (void)unused;
    static const double offsets[] = {1e4, -1e8, 1e10, 1e12};
    static const char *const scales[] = {"none", "maxabs", "standard"}, *const shrinkages[] = {"none", "auto"};
    for (int s = 0; s < 6; s++) {
        gauss g = gauss_new(300, 4, 2, 1, 9);
        gauss_eighths(&g);
        hsp_data *data = gauss_data(&g);
        trained plain = train(
            data, PAIRS("algorithm", "fisher", "scale", scales[s % 3], "shrinkage", shrinkages[s % 3 == 1 ? 0 : s / 3]));
        for (size_t o = 0; o < sizeof offsets / sizeof *offsets; o++) {
            gauss h = gauss_new(300, 4, 2, 1, 9);
            gauss_eighths(&h);
            for (int64_t i = 0; i < h.n * 4; i++) h.x[i] += i % 4 == 2 ? 0 : offsets[o]; /* one column stays */
            hsp_data *far = gauss_data(&h);
            trained t = train(
                far, PAIRS("algorithm", "fisher", "scale", scales[s % 3], "shrinkage", shrinkages[s % 3 == 1 ? 0 : s / 3]));
            assert_int_equal(t.status, 0);
            assert_true(apart(t.model->w, plain.model->w, 4) < 1e-11);
            assert_near(detail(&t, "J") / detail(&plain, "J"), 1, 1e-11);
            double moved = 0, size = fabs(offsets[o]);
            for (int j = 0; j < 4; j++) moved += j == 2 ? 0 : t.model->w[j] * offsets[o];
            assert_near(t.model->b[0], plain.model->b[0] - moved, 1e-14 * size + 1e-11);
            const hsp_extra *a = hsp_model_extra(t.model, "class-means"), *b = hsp_model_extra(plain.model, "class-means");
            for (int j = 0; j < 8; j++)
                assert_near(a->data[j], b->data[j] + (j % 4 == 2 ? 0 : offsets[o]), 2.3e-16 * size + 1e-13);
            a = hsp_model_extra(t.model, "class-covariances");
            assert_true(apart(a->data, hsp_model_extra(plain.model, "class-covariances")->data, 32) < 1e-11);
            trained_free(&t);
            gauss_free(&h);
        }
        trained_free(&plain);
        gauss_free(&g);
    }
}

/* A weight of 3 is three equal rows, a weight of 0 none; for every threshold and shrinkage. Class weights likewise. */
static void weights_are_repeats(void **unused) {
    (void)unused;
    static const char *const thresholds[] = {"midpoint", "prior", "best"}, *const shrinkages[] = {"none", "auto", "0.3"};
    gauss g = gauss_new(40, 3, 2, 0.5, 4);
    int times[40], twice[40];
    g.c = calloc(40, sizeof *g.c);
    for (int i = 0; i < 40; i++) {
        g.c[i] = times[i] = i % 4;
        twice[i] = times[i] * (g.k[i] == 1 ? 2 : 1);
    }
    gauss r = gauss_repeat(&g, times), r2 = gauss_repeat(&g, twice);
    hsp_data *weighted = gauss_data(&g), *repeated = gauss_data(&r), *doubled = gauss_data(&r2);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
            trained t =
                train(weighted, PAIRS("algorithm", "fisher", "threshold", thresholds[a], "shrinkage", shrinkages[b]));
            trained u =
                train(repeated, PAIRS("algorithm", "fisher", "threshold", thresholds[a], "shrinkage", shrinkages[b]));
            assert_true(apart(t.model->w, u.model->w, 3) < 1e-12);
            assert_true(fabs(t.model->b[0] - u.model->b[0]) < 1e-12);
            assert_true(fabs(detail(&t, "J") - detail(&u, "J")) < 1e-12);
            trained_free(&t);
            trained_free(&u);
            t = train(weighted, PAIRS("algorithm", "fisher", "threshold", thresholds[a], "shrinkage", shrinkages[b],
                                      "class-weight", "b=2"));
            u = train(doubled, PAIRS("algorithm", "fisher", "threshold", thresholds[a], "shrinkage", shrinkages[b]));
            assert_true(apart(t.model->w, u.model->w, 3) < 1e-12);
            assert_true(fabs(t.model->b[0] - u.model->b[0]) < 1e-12);
            trained_free(&t);
            trained_free(&u);
        }
    gauss_free(&g);
    gauss_free(&r);
    gauss_free(&r2);
}

/* ---- thresholds ---- */

static int64_t mistakes(const trained *t, const gauss *g, double beta) {
    int64_t wrong = 0;
    for (int64_t i = 0; i < g->n; i++) {
        double z = 0;
        for (int64_t j = 0; j < g->d; j++) z += t->model->w[j] * g->x[i * g->d + j];
        wrong += (z > beta) != (g->k[i] == 1);
    }
    return wrong;
}

static void best_threshold_has_no_better(void **unused) {
    (void)unused;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        gauss g = gauss_new(30, 2, 2, 0.2, seed);
        hsp_data *data = gauss_data(&g);
        trained t = train(data, PAIRS("algorithm", "fisher", "threshold", "best"));
        int64_t ours = mistakes(&t, &g, detail(&t, "threshold"));
        for (int64_t i = 0; i < g.n; i++) { /* a cut at any row, or below all */
            double z = t.model->w[0] * g.x[2 * i] + t.model->w[1] * g.x[2 * i + 1];
            assert_true(ours <= mistakes(&t, &g, z) && ours <= mistakes(&t, &g, -1e9));
        }
        assert_true(fabs(figure(&t, "train_accuracy") - (1 - (double)ours / 30)) < 1e-12);
        trained_free(&t);
        gauss_free(&g);
    }
}

/* On one column: ties by the widest gap; rows with equal values are not cut apart; one class may take all. */
static void best_threshold_by_hand(void **unused) {
    (void)unused;
    static const struct {
        double x[6];
        const char *labels[6];
        double beta; /* of x; NaN: all rows positive */
    } cases[] = {
        {{0, 1, 2, 5, 6, 7}, {"-1", "-1", "-1", "1", "1", "1"}, 3.5},
        {{0, 1, 2, 5, 9, 10}, {"-1", "-1", "1", "-1", "1", "1"}, 7},  /* one mistake at 1.5 or at 7: the gap of 4 */
        {{0, 2, 2, 2, 3, 4}, {"-1", "-1", "-1", "1", "1", "1"}, 2.5}, /* between the equal ones there is no cut */
        {{1, 1, 1, 1, 1, 1.5}, {"1", "1", "1", "1", "-1", "1"}, NAN},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        hsp_data *data = NULL;
        assert_int_equal(hsp_data_from_dense(cases[c].x, 6, 1, 1, cases[c].labels, NULL, &data, NULL), 0);
        trained t = train(data, PAIRS("algorithm", "fisher", "threshold", "best"));
        assert_int_equal(t.status, 0);
        assert_true(t.model->w[0] > 0);
        double beta = -t.model->b[0] / t.model->w[0];
        if (isnan(cases[c].beta))
            assert_true(beta < 1);
        else if (c == 2)
            assert_true(beta > 2 && beta < 3); /* two mistakes below 2 or one above: only one cut is best */
        else
            assert_near(beta, cases[c].beta, 1e-12);
        trained_free(&t);
        hsp_data_free(data);
    }
}

/* With the pooled scatter, `prior` is the rule of lda with empirical priors. */
static void prior_threshold_is_that_of_lda(void **unused) {
    (void)unused;
    gauss g = gauss_new(70, 3, 2, 0.7, 12);
    for (int64_t i = 10; i < 40; i++) g.k[i] = 1; /* unequal classes */
    hsp_data *data = gauss_data(&g);
    trained f = train(data, PAIRS("algorithm", "fisher", "threshold", "prior", "within", "pooled"));
    trained l = train(data, PAIRS("algorithm", "lda"));
    assert_true(apart(f.model->w, l.model->w, 3) < 1e-12);
    assert_true(fabs(f.model->b[0] - l.model->b[0]) < 1e-11);
    trained m = train(data, PAIRS("algorithm", "fisher", "within", "pooled"));
    assert_true(f.model->b[0] > m.model->b[0]); /* b is the greater class: the threshold comes down */
    trained_free(&f);
    trained_free(&l);
    trained_free(&m);
    gauss_free(&g);
}

/* ---- singular ---- */

/* A further column, value(row): what fisher makes of it. */
static gauss with_column(const gauss *g, double (*value)(const gauss *g, int64_t i)) {
    gauss r = {g->n, g->d + 1, g->K, calloc((size_t)(g->n * (g->d + 1)), sizeof(double)), calloc((size_t)g->n, sizeof(int)),
               NULL, NULL,     0};
    for (int64_t i = 0; i < g->n; i++) {
        memcpy(r.x + i * r.d, g->x + i * g->d, (size_t)g->d * sizeof(double));
        r.x[i * r.d + g->d] = value(g, i);
        r.k[i] = g->k[i];
    }
    return r;
}

static double tenth(const gauss *g, int64_t i) {
    (void)g;
    (void)i;
    return 0.1;
}

static double first_again(const gauss *g, int64_t i) {
    return g->x[i * g->d];
}

static double class_itself(const gauss *g, int64_t i) {
    return g->k[i] == 1 ? 0.3 : 0.1;
}

static void constant_column_has_no_weight(void **unused) {
    (void)unused;
    gauss g = gauss_new(50, 3, 2, 1, 2), more = with_column(&g, tenth);
    hsp_data *data = gauss_data(&g), *wider = gauss_data(&more);
    trained a = train(data, PAIRS("algorithm", "fisher")), b = train(wider, PAIRS("algorithm", "fisher"));
    assert_true(apart(b.model->w, a.model->w, 3) < 1e-13);
    assert_true(b.model->w[3] == 0);
    assert_near(detail(&b, "ridge"), 0, 0);
    assert_non_null(strstr(first_warning(&b), "is constant"));
    trained_free(&a);
    trained_free(&b);
    gauss_free(&g);
    gauss_free(&more);
}

static void duplicate_columns_share_the_weight(void **unused) {
    (void)unused;
    gauss g = gauss_new(50, 3, 2, 1, 2), more = with_column(&g, first_again);
    hsp_data *data = gauss_data(&g), *wider = gauss_data(&more);
    trained a = train(data, PAIRS("algorithm", "fisher")), b = train(wider, PAIRS("algorithm", "fisher"));
    assert_true(detail(&b, "ridge") > 0 && detail(&b, "ridge") <= 1e-7);
    assert_non_null(strstr(first_warning(&b), "singular"));
    assert_true(fabs(b.model->w[0] - b.model->w[3]) < 1e-5 * fabs(a.model->w[0]));
    double joined[3] = {b.model->w[0] + b.model->w[3], b.model->w[1], b.model->w[2]};
    assert_true(apart(joined, a.model->w, 3) < 1e-5);
    trained_free(&a);
    trained_free(&b);
    trained s = train(wider, PAIRS("algorithm", "fisher", "shrinkage", "0.1"));
    assert_near(detail(&s, "ridge"), 0, 0); /* regular by itself */
    assert_int_equal(hsp_report_count(s.report, "warnings"), 0);
    trained_free(&s);
    gauss_free(&g);
    gauss_free(&more);
}

/* No spread within the classes, but between them: all the weight, in any units. */
static void perfect_column_decides(void **unused) {
    (void)unused;
    gauss g = gauss_new(50, 3, 2, 0, 2), more = with_column(&g, class_itself);
    for (int units = 0; units < 2; units++) {
        for (int64_t i = 0; units && i < more.n; i++) more.x[i * 4 + 3] *= 1e-5;
        hsp_data *data = gauss_data(&more);
        trained t = train(data, PAIRS("algorithm", "fisher"));
        assert_int_equal(t.status, 0);
        assert_near(figure(&t, "train_accuracy"), 1, 0);
        assert_true(detail(&t, "J") > 1e6);
        trained_free(&t);
    }
    gauss_free(&g);
    gauss_free(&more);
}

static void more_columns_than_rows(void **unused) {
    (void)unused;
    gauss g = gauss_new(12, 30, 2, 1, 6);
    hsp_data *data = gauss_data(&g);
    static const char *const shrinkages[] = {"none", "auto", "0.5", "1"};
    for (int s = 0; s < 4; s++) {
        trained t = train(data, PAIRS("algorithm", "fisher", "shrinkage", shrinkages[s]));
        assert_int_equal(t.status, 0);
        assert_near(figure(&t, "train_accuracy"), 1, 0);
        assert_true((s == 0) == (detail(&t, "ridge") > 0));
        trained_free(&t);
    }
    gauss_free(&g);
}

/* Shrunk all the way, the direction is that of nearest-mean. */
static void full_shrinkage_is_nearest_mean(void **unused) {
    (void)unused;
    gauss g = gauss_new(40, 4, 2, 1, 8);
    hsp_data *data = gauss_data(&g);
    trained t = train(data, PAIRS("algorithm", "fisher", "shrinkage", "1"));
    trained m = train(data, PAIRS("algorithm", "nearest-mean"));
    double ratio = t.model->w[0] / m.model->w[0];
    for (int j = 0; j < 4; j++) assert_true(fabs(t.model->w[j] / m.model->w[j] / ratio - 1) < 1e-12);
    assert_true(fabs(t.model->b[0] / ratio - m.model->b[0]) < 1e-11);
    trained_free(&t);
    trained_free(&m);
    gauss_free(&g);
}

static void single_row_in_a_class(void **unused) {
    (void)unused;
    gauss g = gauss_new(20, 2, 2, 3, 5);
    for (int64_t i = 0; i < g.n; i++) g.k[i] = i == 0;
    hsp_data *data = gauss_data(&g);
    double S[4], mu[2], w[2];
    gauss_covariance(&g, 0, mu, S);
    for (int j = 0; j < 2; j++) w[j] = g.x[j] - mu[j];
    assert_true(eliminate(S, w, 2, 0));
    trained t = train(data, PAIRS("algorithm", "fisher"));
    assert_int_equal(t.status, 0);
    assert_true(apart(t.model->w, w, 2) < 1e-12);
    assert_non_null(strstr(first_warning(&t), "'b' has a single row"));
    trained_free(&t);
    /* one row of each class: nothing varies, any separating direction */
    g.n = 2;
    data = gauss_data(&g);
    t = train(data, PAIRS("algorithm", "fisher"));
    assert_int_equal(t.status, 0);
    assert_near(figure(&t, "train_accuracy"), 1, 0);
    trained_free(&t);
    gauss_free(&g);
}

static void equal_means_give_no_direction(void **unused) {
    (void)unused;
    static const double x[] = {1, 2, 1, 2};
    static const char *const labels[] = {"a", "a", "b", "b"};
    hsp_data *data = NULL;
    assert_int_equal(hsp_data_from_dense(x, 4, 1, 1, labels, NULL, &data, NULL), 0);
    static const char *const thresholds[] = {"midpoint", "prior", "best"};
    for (int i = 0; i < 3; i++) {
        trained t = train(data, PAIRS("algorithm", "fisher", "threshold", thresholds[i]));
        assert_int_equal(t.status, 0);
        assert_near(t.model->w[0], 0, 0);
        assert_true(hsp_report_kind(hsp_report_member(t.report, "fisher"), "J") == HSP_REPORT_NULL);
        trained_free(&t);
    }
    hsp_data_free(data);
}

/* ---- storage, threads, memory, refusals ---- */

static void sparse_is_dense(void **unused) {
    (void)unused;
    gauss g = gauss_sparse(300, 12, 2, 7);
    hsp_data *sparse = gauss_data(&g);
    for (int64_t i = 0; i < g.n * g.d; i++) g.x[i] += 100; /* nothing is 0 any more */
    hsp_data *dense = gauss_data(&g);
    assert_true(!sparse->x.dense && dense->x.dense);
    static const char *const scales[] = {"none", "standard"}, *const shrinkages[] = {"none", "auto"};
    for (int s = 0; s < 4; s++) {
        trained a = train(sparse, PAIRS("algorithm", "fisher", "scale", scales[s % 2], "shrinkage", shrinkages[s / 2]));
        trained b = train(dense, PAIRS("algorithm", "fisher", "scale", scales[s % 2], "shrinkage", shrinkages[s / 2]));
        assert_int_equal(a.status, 0);
        assert_true(apart(a.model->w, b.model->w, g.d) < 1e-9); /* a shift of the columns changes the threshold alone */
        assert_true(fabs(detail(&a, "shrinkage") - detail(&b, "shrinkage")) < 1e-9);
        trained_free(&a);
        trained_free(&b);
    }
    gauss_free(&g);
}

static void threads_do_not_matter(void **unused) {
    (void)unused;
    hsp_data *data = generated("blobs", PAIRS("rows", "5000", "features", "20", "noise", "3"));
    trained a = train(data, PAIRS("algorithm", "fisher", "threads", "1", "shrinkage", "auto", "threshold", "best"));
    trained b = train(data, PAIRS("algorithm", "fisher", "threads", "3", "shrinkage", "auto", "threshold", "best"));
    assert_memory_equal(a.model->w, b.model->w, 20 * sizeof(double));
    assert_memory_equal(a.model->b, b.model->b, sizeof(double));
    trained_free(&a);
    trained_free(&b);
    hsp_data_free(data);
}

static void broken(void **unused) {
    (void)unused;
    gauss g = gauss_new(30, 3, 3, 1, 3);
    hsp_data *three = gauss_data(&g);
    trained t = train(three, PAIRS("algorithm", "fisher"));
    assert_int_equal(t.status, HSP_EUSAGE);
    assert_non_null(strstr(hsp_error_message(t.error), "lda"));
    trained_free(&t);
    t = train(three, PAIRS("algorithm", "fisher", "positive", "a,c"));
    assert_int_equal(t.status, 0);
    assert_int_equal(t.model->outputs, 1);
    trained_free(&t);
    static const char *const wrong[][2] = {{"priors", "equal"}, {"penalty", "l2"}, {"C", "2"}, {"loss", "hinge"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        t = train(three, PAIRS("algorithm", "fisher", wrong[i][0], wrong[i][1]));
        assert_int_equal(t.status, HSP_EUSAGE);
        trained_free(&t);
    }
    hsp_options *o = NULL;
    assert_int_equal(hsp_options_new(&o, NULL), 0);
    static const char *const values[][2] = {{"shrinkage", "1.5"},    {"shrinkage", "-0.1"}, {"shrinkage", "some"},
                                            {"threshold", "middle"}, {"within", "between"}, {"threshold", ""}};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        assert_int_equal(hsp_options_set(o, values[i][0], values[i][1], NULL), HSP_EUSAGE);
    hsp_options_free(o);
    gauss_free(&g);
}

/* Weights that sum to 1 are no frequencies; a class of weight 0 is not there. */
static void weights_that_do_not_do(void **unused) {
    (void)unused;
    gauss g = gauss_new(20, 2, 2, 1, 3);
    g.c = calloc(20, sizeof *g.c);
    for (int i = 0; i < 20; i++) g.c[i] = 0.05;
    hsp_data *data = gauss_data(&g);
    trained t = train(data, PAIRS("algorithm", "fisher"));
    assert_int_equal(t.status, HSP_EINPUT);
    assert_non_null(strstr(hsp_error_message(t.error), "multiply"));
    trained_free(&t);
    for (int i = 0; i < 20; i++) { /* one row of little weight, and others: no divisor for the pooled scatter */
        g.k[i] = i > 0;
        g.c[i] = i > 0 ? 0.06 : 0.5;
    }
    data = gauss_data(&g);
    t = train(data, PAIRS("algorithm", "fisher", "within", "pooled"));
    assert_int_equal(t.status, HSP_EINPUT);
    assert_non_null(strstr(hsp_error_message(t.error), "multiply"));
    trained_free(&t);
    for (int i = 0; i < 20; i++) g.c[i] = g.k[i];
    data = gauss_data(&g);
    t = train(data, PAIRS("algorithm", "fisher"));
    assert_int_equal(t.status, HSP_EINPUT);
    trained_free(&t);
    gauss_free(&g);
}

static void extreme_values(void **unused) {
    (void)unused;
    static const char *const algorithms[] = {"fisher", "lda", "nearest-mean"};
    static const struct {
        double unit;
        const char *what; /* of the error without scaling; NULL: none */
    } cases[] = {{1e-320, "small"}, {1e-200, "small"}, {1e-160, "small"}, {1e-145, "small"}, {1e-130, NULL},
                 {1e130, NULL},     {1e145, "large"},  {1e160, "large"},  {1e200, "large"},  {1e307, "large"}};
    for (size_t c = 0; c < 3 * sizeof cases / sizeof *cases; c++) {
        const char *algorithm = algorithms[c % 3], *what = cases[c / 3].what;
        gauss g = gauss_new(20, 2, 2, 1, 3);
        hsp_data *plain = gauss_data(&g);
        for (int64_t i = c % 3 == 2 ? 0 : 1; i < 40; i += c % 3 == 2 ? 1 : 2) g.x[i] *= cases[c / 3].unit;
        hsp_data *data = gauss_data(&g);
        trained t = train(data, PAIRS("algorithm", algorithm));
        if (c % 3 == 2 && what && cases[c / 3].unit < 1e150) { /* it needs no covariance */
            assert_true((strstr(first_warning(&t), "are so close") != NULL) == (cases[c / 3].unit < 1));
            what = NULL;
        }
        assert_int_equal(t.status, what ? HSP_EINPUT : 0);
        if (what) {
            assert_non_null(strstr(hsp_error_message(t.error), c % 3 == 2 ? "column 'x" : "column 'x2' has values too "));
            assert_non_null(strstr(hsp_error_message(t.error), what));
            assert_non_null(strstr(hsp_error_message(t.error), "--scale standard"));
        }
        trained_free(&t);
        /* what the error advises, helps, and the covariances that are out of range are not kept */
        t = train(data, PAIRS("algorithm", algorithm, "scale", "standard"));
        if (cases[c / 3].unit > 1e-300) {
            trained u = train(plain, PAIRS("algorithm", algorithm, "scale", "standard"));
            assert_int_equal(t.status, 0);
            assert_near(t.model->w[1] * cases[c / 3].unit / u.model->w[1], 1, 1e-11);
            assert_near(figure(&t, "train_accuracy"), figure(&u, "train_accuracy"), 0);
            if (c % 3 < 2) assert_true((hsp_model_extra(t.model, "class-covariances") == NULL) == (what != NULL));
            if (c % 3 < 2) assert_true((strstr(first_warning(&t), "covariances") != NULL) == (what != NULL));
            trained_free(&u);
        } else if (t.status) {
            assert_null(strstr(hsp_error_message(t.error), "--scale"));
        }
        trained_free(&t);
        gauss_free(&g);
    }
}

/* Constant within the classes and hardly different between them, or too different. */
static void extreme_differences(void **unused) {
    (void)unused;
    static const double units[] = {1e-200, 1e200};
    static const char *const words[] = {"'x4' has values too small", "'x4' has values too large"};
    gauss g = gauss_new(50, 3, 2, 0, 2);
    for (int u = 0; u < 2; u++) {
        gauss more = with_column(&g, class_itself);
        for (int64_t i = 0; i < more.n; i++) more.x[i * 4 + 3] *= units[u];
        hsp_data *data = gauss_data(&more);
        trained t = train(data, PAIRS("algorithm", "fisher"));
        assert_int_equal(t.status, HSP_EINPUT);
        assert_non_null(strstr(hsp_error_message(t.error), words[u]));
        trained_free(&t);
        gauss_free(&more);
    }
    gauss_free(&g);
}

/* Where no column varies within the classes, shrinkage has nothing to add. */
static void shrinkage_is_advised_where_it_helps(void **unused) {
    (void)unused;
    static const double x[] = {0, 1, 0, 1, 2, 5, 2, 5};
    static const char *const labels[] = {"a", "a", "b", "b"}, *const shrinkages[] = {"none", "auto", "0.5"};
    hsp_data *data = NULL;
    assert_int_equal(hsp_data_from_dense(x, 4, 2, 2, labels, NULL, &data, NULL), 0);
    for (int i = 0; i < 3; i++) {
        trained t = train(data, PAIRS("algorithm", "fisher", "shrinkage", shrinkages[i]));
        assert_int_equal(t.status, 0);
        assert_non_null(strstr(first_warning(&t), "singular"));
        assert_null(strstr(first_warning(&t), "--shrinkage"));
        trained_free(&t);
    }
    hsp_data_free(data);
    gauss g = gauss_new(12, 30, 2, 1, 6);
    data = gauss_data(&g);
    trained t = train(data, PAIRS("algorithm", "fisher"));
    assert_non_null(strstr(first_warning(&t), "--shrinkage"));
    trained_free(&t);
    gauss_free(&g);
}

static void survives_every_failed_allocation(void **unused) {
    (void)unused;
    gauss g = gauss_new(20, 3, 2, 1, 3), more = with_column(&g, tenth), most = with_column(&more, first_again);
    for (int64_t i = 0; i < most.n; i++) most.x[i * most.d + 1] += 1e6; /* not where it was */
    hsp_data *data = gauss_data(&most);
    assert_int_equal(train_short_of_memory(data, PAIRS("algorithm", "fisher", "threshold", "best", "shrinkage", "none")),
                     0);
    gauss_free(&g);
    gauss_free(&more);
    gauss_free(&most);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(solves_the_equations),
        cmocka_unit_test(follows_the_units),
        cmocka_unit_test(offsets_do_not_matter),
        cmocka_unit_test(weights_are_repeats),
        cmocka_unit_test(best_threshold_has_no_better),
        cmocka_unit_test(best_threshold_by_hand),
        cmocka_unit_test(prior_threshold_is_that_of_lda),
        cmocka_unit_test(constant_column_has_no_weight),
        cmocka_unit_test(duplicate_columns_share_the_weight),
        cmocka_unit_test(perfect_column_decides),
        cmocka_unit_test(more_columns_than_rows),
        cmocka_unit_test(full_shrinkage_is_nearest_mean),
        cmocka_unit_test(single_row_in_a_class),
        cmocka_unit_test(equal_means_give_no_direction),
        cmocka_unit_test(sparse_is_dense),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(broken),
        cmocka_unit_test(weights_that_do_not_do),
        cmocka_unit_test(extreme_values),
        cmocka_unit_test(extreme_differences),
        cmocka_unit_test(shrinkage_is_advised_where_it_helps),
        cmocka_unit_test(survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
