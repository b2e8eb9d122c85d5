/* Transforms of numeric columns: what they learn, their values, their names, and their form in a model. */
#include "frames.h"

#include "base/rng.h"
#include "json_tree.h"
#include "table/transform.h"

static hsp_transform *learnt(const char *text, double *v, int64_t n) {
    hsp_transform_rule rule;
    hsp_transform *t = NULL;
    assert_true(hsp_transform_parse(text, (int64_t)strlen(text), &rule));
    assert_int_equal(hsp_transform_learn(&rule, v, n, &t), 0);
    return t;
}

static void plain_values(void **state) {
    (void)state;
    hsp_transform *t = learnt("log1p", NULL, 0);
    const double xs[] = {-0.999999, -0.5, -1e-9, 0, 1e-300, 0.3, 1, 1e6, 1e308};
    for (size_t i = 0; i < sizeof xs / sizeof *xs; i++) {
        double v = hsp_transform_apply(t, xs[i]), w = log1p(xs[i]);
        assert_true(fabs(v - w) <= 4e-16 * fabs(w));
    }
    assert_true(isnan(hsp_transform_apply(t, -1)) && isnan(hsp_transform_apply(t, -1e300)));
    hsp_transform_free(t);
    t = learnt("sqrt", NULL, 0);
    assert_true(hsp_transform_apply(t, 9) == 3 && hsp_transform_apply(t, 0) == 0 && isnan(hsp_transform_apply(t, -1e-300)));
    hsp_transform_free(t);
    t = learnt("clip:-1:2.5", NULL, 0);
    assert_true(hsp_transform_apply(t, -3) == -1 && hsp_transform_apply(t, 2) == 2 && hsp_transform_apply(t, 1e308) == 2.5);
    hsp_transform_free(t);
}

/* The rank by its definition. */
static double rank_of(const double *v, int64_t n, double x) {
    int64_t below = 0, equal = 0;
    for (int64_t i = 0; i < n; i++) below += v[i] < x, equal += v[i] == x;
    return ((double)below + (double)equal / 2) / (double)n;
}

/* Ranks never fall, are exact at knots, and within one step of the definition elsewhere. */
static void check_ranks(double *v, int64_t n) {
    double *copy = hsp_alloc(n, sizeof *copy);
    for (int64_t i = 0; i < n; i++) copy[i] = v[i];
    hsp_transform *t = learnt("rank", copy, n);
    assert_true(t->knots >= 1 && t->knots <= HSP_RANK_KNOTS && t->knots <= n);
    double before = -1, worst = 0;
    for (int64_t i = 0; i < n; i++) { /* copy is sorted now */
        double r = hsp_transform_apply(t, copy[i]);
        assert_true(r >= before && r > 0 && r < 1);
        before = r;
        worst = fmax(worst, fabs(r - rank_of(v, n, copy[i])));
        if (i + 1 < n && copy[i] < copy[i + 1]) {
            double between = hsp_transform_apply(t, copy[i] / 2 + copy[i + 1] / 2);
            assert_true(between >= r && between <= hsp_transform_apply(t, copy[i + 1]));
        }
    }
    assert_true(worst <= 1.0 / HSP_RANK_STEPS + 1e-12);
    if (n <= HSP_RANK_STEPS) assert_true(worst < 1e-15);
    assert_true(hsp_transform_apply(t, -1e308) == t->rank[0]);
    assert_true(hsp_transform_apply(t, 1e308) == t->rank[t->knots - 1]);
    hsp_transform_free(t);
    hsp_free(copy);
}

static void ranks(void **state) {
    (void)state;
    static double v[3000];
    hsp_rng r = hsp_rng_new(5, 0);
    for (int round = 0; round < 40; round++) {
        const int64_t sizes[] = {1, 2, 3, 254, 255, 256, 257, 600, 3000};
        int64_t n = sizes[round % 9];
        for (int64_t i = 0; i < n; i++) {
            double u = hsp_rng_uniform(&r);
            v[i] = round % 4 == 0   ? hsp_rng_normal(&r)
                   : round % 4 == 1 ? (u < 0.9 ? 0 : 1e5 * hsp_rng_uniform(&r)) /* most are equal */
                   : round % 4 == 2 ? floor(20 * u)
                                    : (u < 0.5 ? -1e308 : 1e308) * hsp_rng_uniform(&r);
        }
        check_ranks(v, n);
    }
    hsp_transform *t = learnt("rank", NULL, 0); /* a column without numbers */
    assert_true(hsp_transform_apply(t, 3) == 0.5);
    hsp_transform_free(t);
}

static void bins(void **state) {
    (void)state;
    double v[] = {5, 1, 2, 2, 2, 2, 9, 7};
    hsp_transform *t = learnt("bins:4", v, 8);
    assert_int_equal(t->knots, 2); /* 2 begins two quarters: they are one */
    assert_true(t->knot[0] == 2 && t->knot[1] == 7);
    const double xs[] = {-1e9, 1.99, 2, 6.99, 7, 1e9}, expected[] = {0, 0, 1, 1, 2, 2};
    for (int i = 0; i < 6; i++) assert_true(hsp_transform_apply(t, xs[i]) == expected[i]);
    hsp_text name = {0};
    for (int64_t k = 0; k < hsp_transform_features(t); k++) {
        hsp_transform_name(t, "x", k, &name);
        hsp_text_char(&name, '|');
    }
    assert_string_equal(name.s, "x < 2|x in [2, 7)|x >= 7|");
    hsp_text_free(&name);
    hsp_transform_free(t);
    double same[] = {3, 3, 3};
    t = learnt("bins:10", same, 3);
    assert_int_equal(hsp_transform_features(t), 1);
    assert_true(hsp_transform_apply(t, 99) == 0);
    hsp_transform_free(t);
}

static void words_that_are_not_transforms(void **state) {
    (void)state;
    static const char *const wrong[] = {
        "",         "log",        "log1p:",     "log1p:1", "sqrt ",    "Rank",     "bins",
        "bins:",    "bins:1",     "bins:0",     "bins:-2", "bins:2.5", "bins:1e9", "bins:x",
        "bins:3:4", "clip",       "clip:1",     "clip:1:", "clip:2:1", "clip:1:1", "clip:1:2:3",
        "clip::",   "clip:0:inf", "clip:nan:1", "none:1",  "numeric",  ":",        "clip:-inf:0"};
    hsp_transform_rule r;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (hsp_transform_parse(wrong[i], (int64_t)strlen(wrong[i]), &r)) fail_msg("'%s' was accepted", wrong[i]);
    static const char *const right[] = {"log1p", "sqrt", "rank", "bins:2", "bins:1000", "clip:-1e300:1e300", "none"};
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        hsp_text t = {0};
        assert_true(hsp_transform_parse(right[i], (int64_t)strlen(right[i]), &r));
        hsp_transform_type(&r, &t);
        assert_string_equal(t.s, right[i]);
        hsp_text_free(&t);
    }
}

static int load(const char *text, hsp_transform **out) {
    hsp_json_value *tree = json_tree(text);
    const hsp_json_loader l = {tree, "m.hsm", NULL};
    int status = hsp_transform_load(&l, out);
    hsp_free(tree);
    return status;
}

static void broken_models(void **state) {
    (void)state;
    static const char *const wrong[] = {"null",
                                        "1",
                                        "[]",
                                        "{}",
                                        "{\"kind\":1}",
                                        "{\"kind\":\"log\"}",
                                        "{\"kind\":\"none\"}",
                                        "{\"kind\":\"clip\"}",
                                        "{\"kind\":\"clip\",\"arguments\":[1]}",
                                        "{\"kind\":\"clip\",\"arguments\":[2,1]}",
                                        "{\"kind\":\"clip\",\"arguments\":[1,2,3]}",
                                        "{\"kind\":\"clip\",\"arguments\":[1,\"2\"]}",
                                        "{\"kind\":\"bins\",\"arguments\":[3]}",
                                        "{\"kind\":\"bins\",\"arguments\":[1],\"knots\":[]}",
                                        "{\"kind\":\"bins\",\"arguments\":[3],\"knots\":[2,2]}",
                                        "{\"kind\":\"bins\",\"arguments\":[3],\"knots\":[2,1]}",
                                        "{\"kind\":\"bins\",\"arguments\":[3],\"knots\":[null]}",
                                        "{\"kind\":\"rank\",\"knots\":[1]}",
                                        "{\"kind\":\"rank\",\"knots\":[1],\"ranks\":[]}",
                                        "{\"kind\":\"rank\",\"knots\":[1,2],\"ranks\":[0.5,0.4]}",
                                        "{\"kind\":\"rank\",\"knots\":[1,2],\"ranks\":[0.5,1.1]}",
                                        "{\"kind\":\"rank\",\"knots\":[1,2],\"ranks\":[-0.5,1]}",
                                        "{\"kind\":\"rank\",\"knots\":[2,1],\"ranks\":[0.5,0.6]}"};
    hsp_transform *t;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        hsp_text text = {0};
        hsp_text_format(&text, "{\"transform\":%s}", wrong[i]);
        if (load(text.s, &t) != HSP_EINPUT) fail_msg("%s was accepted", text.s);
        assert_null(t);
        hsp_text_free(&text);
    }
    assert_int_equal(load("{}", &t), 0);
    assert_null(t);
}

/* What is saved is read back, and gives the same text. */
static void round_trip(void **state) {
    (void)state;
    static const char *const forms[] = {"log1p", "sqrt", "rank", "bins:3", "clip:0:10"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        double v[] = {0.1, 7, 3, 3, 1e300, 12};
        hsp_transform *t = learnt(forms[i], v, 6), *again = NULL;
        hsp_text text[2] = {{0}, {0}};
        for (int k = 0; k < 2; k++) {
            hsp_json j = {.out = &text[k]};
            hsp_json_object(&j, NULL);
            hsp_transform_save(k ? again : t, &j);
            hsp_json_object_end(&j);
            if (k == 0) assert_int_equal(load(text[0].s, &again), 0);
        }
        assert_string_equal(text[0].s, text[1].s);
        for (double x = -0.5; x < 1e3; x = 2 * x + 1) {
            double a = hsp_transform_apply(t, x), b = hsp_transform_apply(again, x);
            assert_true(a == b || (isnan(a) && isnan(b)));
        }
        for (int k = 0; k < 2; k++) hsp_text_free(&text[k]);
        hsp_transform_free(t);
        hsp_transform_free(again);
    }
}

/* A table: features, missing cells, a part of the rows, and cells outside of the domain. */
static void of_tables(void **state) {
    (void)state;
    hsp_frame *f = frames_of("x,y,label\n4,1,a\n,2,b\n16,3,a\n0,4,b\n", 3);
    hsp_encoding *e = frames_learnt(f, "missing=indicator;transform=x=sqrt,y=bins:2");
    frames_assert_names(e, "sqrt(x)|x?missing|y < 3|y >= 3|");
    frames_assert_rows(e, f, "0:2 2:1|0:2 1:1 2:1|0:4 3:1|3:1|");
    hsp_frame *new = frames_of("x,y,label\n9,9,a\n-1,2,b\n", 3);
    char *rows = NULL;
    hsp_unseen unseen = {0};
    hsp_error *err = NULL;
    frames_fails(frames_rows(e, new, &unseen, &rows, &err), HSP_EINPUT, &err,
                 "new.csv:3: column 'x' holds -1, and the model's transform, sqrt, is defined for numbers of 0 or more: "
                 "correct it");
    hsp_encoding *none = NULL;
    frames_fails(frames_learn(new, "transform=x=sqrt", 1, &none, &err), HSP_EINPUT, &err,
                 "t.csv:3: column 'x' holds -1, and sqrt is defined for numbers of 0 or more: correct it, or use "
                 "--transform 'x'=rank, or none");
    hsp_frame_free(new);
    hsp_encoding_release(e);
    hsp_frame_free(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_values),  cmocka_unit_test(ranks),
        cmocka_unit_test(bins),          cmocka_unit_test(words_that_are_not_transforms),
        cmocka_unit_test(broken_models), cmocka_unit_test(round_trip),
        cmocka_unit_test(of_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
