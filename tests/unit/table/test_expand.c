/* Crosses, products and random Fourier features. */
#include "text_fixture.h"

#include "json_tree.h"
#include "table/expand.h"
#include "table/fourier.h"

/* Rules for d columns whose kinds are found. */
static hsp_table_rules rules(int64_t d) {
    static const hsp_kind *none[8];
    return (hsp_table_rules){.d = d,
                             .kind = none,
                             .min_count = 1,
                             .gram_least = 1,
                             .gram_most = 1,
                             .degree = 1,
                             .fourier_gamma = NAN,
                             .missing = HSP_MISSING_INDICATOR,
                             .seed = 1};
}

/* A frame with names. */
static hsp_frame *named(const char *const *cell, int64_t n, int64_t d, const char *const *name) {
    hsp_frame *f = frame_of(cell, n, d, 3);
    f->schema.format = hsp_strdup("csv");
    f->schema.name = hsp_alloc_zero(d, sizeof *f->schema.name);
    for (int64_t j = 0; j < d; j++) f->schema.name[j] = hsp_strdup(name[j]);
    return f;
}

static const char *const people[] = {"male", "#3", "#22", "female", "#1", "#38", "female", "#3",   NULL,
                                     "male", "#1", "#0",  "male",   "#2", "#54", NULL,     "#2.5", "#2"};
static const char *const columns[] = {"Sex", "Pclass", "Age"};

static hsp_encoding *learnt(const hsp_frame *f, const hsp_table_rules *r, int threads) {
    hsp_encoding *e = NULL;
    hsp_error *err = NULL;
    fine(hsp_encoding_learn(f, r, threads, &e, &err), err);
    return e;
}

static void name_is(const hsp_encoding *e, int64_t id, const char *expected) {
    hsp_text t = {0};
    hsp_expansion_feature(e, id - e->base, &t);
    assert_string_equal(t.s, expected);
    hsp_text_free(&t);
}

/* Block 0 of the frame, encoded. */
static hsp_block encoded(const hsp_encoding *e, const hsp_frame *f, int64_t block) {
    hsp_block out = {0};
    hsp_encode_room room = {0};
    hsp_unseen unseen = {0};
    hsp_error *err = NULL;
    fine(hsp_encode_block(e, &f->block[block], NULL, &room, &out, &unseen, &err), err);
    hsp_encode_room_free(&room);
    hsp_unseen_clear(&unseen);
    return out;
}

/* The value of a feature in a row, 0 when it is not there; ids must ascend. */
static double at(const hsp_block *b, int64_t i, int64_t id) {
    double value = 0;
    for (int64_t t = b->row[i]; t < b->row[i + 1]; t++) {
        if (t > b->row[i]) assert_true(b->id[t - 1] < b->id[t]);
        if (b->id[t] == id) value = b->value[t];
    }
    return value;
}

/* Every product that a grid or a triangle should have, from the base features of the row; and its name. */
static void crosses(void **state) {
    (void)state;
    hsp_frame *f = named(people, 6, 3, columns);
    hsp_table_rules r = rules(3);
    r.kind = (const hsp_kind *[]){NULL, &hsp_kind_categorical, NULL};
    r.crosses = 3;
    r.cross = (int64_t[][2]){{0, 1}, {2, 0}, {2, 2}};
    hsp_encoding *e = learnt(f, &r, 2);
    const hsp_table_column *c = e->column;
    /* female, male, (missing); 1, 2, 2.5, 3; Age, Age?missing */
    assert_true(c[0].features == 3 && c[1].features == 4 && c[2].features == 2);
    assert_int_equal(e->d, e->base + 12 + 6 + 4);
    name_is(e, e->base, "Sex=female*Pclass=1");
    name_is(e, e->base + 7, "Sex=male*Pclass=3");
    name_is(e, e->base + 12, "Age*Sex=female");
    name_is(e, e->base + 17, "Age?missing*Sex=(missing)");
    name_is(e, e->base + 18, "Age*Age");
    for (int64_t k = 0; k < f->blocks; k++) {
        hsp_block b = encoded(e, f, k);
        for (int64_t i = 0; i < b.rows; i++) {
            int64_t id = e->base;
            for (int64_t t = 0; t < r.crosses; t++)
                for (int64_t s = 0; s < c[r.cross[t][0]].features; s++)
                    for (int64_t u = 0; u < c[r.cross[t][1]].features; u++)
                        assert_true(at(&b, i, id++) ==
                                    at(&b, i, c[r.cross[t][0]].first + s) * at(&b, i, c[r.cross[t][1]].first + u));
            assert_int_equal(id, e->d);
            assert_true(b.row[i + 1] - b.row[i] <= e->d);
        }
        hsp_block_free(&b);
    }
    hsp_encoding_release(e);
    hsp_frame_free(f);
}

static void products(void **state) {
    (void)state;
    hsp_frame *f = named(people, 6, 3, columns);
    hsp_table_rules r = rules(3);
    r.degree = 2;
    hsp_encoding *e = learnt(f, &r, 1);
    assert_int_equal(e->expansion->numbers, 2);
    assert_int_equal(e->d, e->base + 3);
    name_is(e, e->base, "Pclass^2");
    name_is(e, e->base + 1, "Pclass*Age");
    name_is(e, e->base + 2, "Age^2");
    hsp_block b = encoded(e, f, 0);
    int64_t p = e->column[1].first;
    assert_true(at(&b, 0, e->base) == 9 && at(&b, 0, e->base + 1) == 66 && at(&b, 0, e->base + 2) == 484);
    double fill = at(&b, 2, p + 1);
    assert_true(fill > 0 && at(&b, 2, e->base + 1) == 3 * fill && at(&b, 2, e->base + 2) == fill * fill);
    hsp_block_free(&b);
    hsp_encoding_release(e);
    hsp_frame_free(f);
}

/* More numbers, and sparse rows: places in the triangle. */
static void triangle(void **state) {
    (void)state;
    enum { D = 7, N = 5 };
    const char *const cell[N * D] = {"#1", "#0", "#3", "#0", "#5", "#0", "#7",   "#0",     "#0",     "#0",  "#0",      "#0",
                                     "#0", "#0", "#2", "#3", "#4", "#5", "#6",   "#7",     "#8",     "#-1", "#0",      "#0",
                                     "#2", "#0", "#0", "#0", "#0", "#0", "#1.5", "#1e200", "#1e200", "#0",  "#-1e-200"};
    const char *const name[D] = {"a", "b", "c", "d", "e", "f", "g"};
    hsp_frame *f = named(cell, N, D, name), *first = named(cell, 3, D, name); /* new rows may be larger than any before */
    hsp_table_rules r = rules(D);
    r.degree = 2;
    hsp_encoding *e = learnt(first, &r, 1), *none = NULL;
    hsp_error *err = NULL;
    hsp_frame_free(first);
    assert_int_equal(hsp_encoding_learn(f, &r, 1, &none, &err), HSP_EINPUT);
    assert_string_equal(hsp_error_message(err),
                        "column 'd' holds numbers as large as 1e200, whose squares are out of range: "
                        "use other units, or leave --degree 2 out");
    hsp_error_free(err);
    assert_int_equal(e->d, D + D * (D + 1) / 2);
    for (int64_t k = 0; k < f->blocks; k++) {
        hsp_block b = encoded(e, f, k);
        for (int64_t i = 0; i < b.rows; i++) {
            int64_t id = D;
            for (int j = 0; j < D; j++) {
                for (int l = j; l < D; l++, id++) {
                    double p = at(&b, i, j) * at(&b, i, l);
                    if (isinf(p)) p = 1.7976931348623157e308; /* 1e400 is not a number */
                    assert_true(at(&b, i, id) == p);
                    char expected[8];
                    snprintf(expected, sizeof expected, "%c*%c", 'a' + j, 'a' + l);
                    if (j == l) memcpy(expected + 1, "^2", 2);
                    name_is(e, id, expected);
                }
            }
        }
        hsp_block_free(&b);
    }
    hsp_encoding_release(e);
    hsp_frame_free(f);
}

/* These four points are not linearly separable, but the sign of one product separates them. */
static void exclusive_or(void **state) {
    (void)state;
    const char *const cell[] = {"#-1", "#-1", "#-1", "#1", "#1", "#-1", "#1", "#1"};
    hsp_frame *f = named(cell, 4, 2, (const char *const[]){"a", "b"});
    hsp_table_rules r = rules(2);
    r.degree = 2;
    hsp_encoding *e = learnt(f, &r, 1);
    const double y[] = {1, -1, -1, 1};
    for (int64_t k = 0, i = 0; k < f->blocks; k++) {
        hsp_block b = encoded(e, f, k);
        for (int64_t t = 0; t < b.rows; t++, i++) assert_true(at(&b, t, 3) == y[i]);
        hsp_block_free(&b);
    }
    hsp_encoding_release(e);
    hsp_frame_free(f);
}

/* ---- random Fourier features ---- */

static void cosine(void **state) {
    (void)state;
    hsp_rng r = hsp_rng_new(2, 9);
    for (int i = 0; i < 200000; i++) {
        double size = pow(10, 9 * hsp_rng_uniform(&r) - 3), x = (2 * hsp_rng_uniform(&r) - 1) * size;
        if (fabs(x) > 1e6) continue;
        if (fabs(hsp_cosine(x) - cos(x)) > 4.5e-16) fail_msg("cos(%.17g): %.17g, not %.17g", x, hsp_cosine(x), cos(x));
    }
    assert_true(hsp_cosine(0) == 1 && hsp_cosine(-0.0) == 1);
    assert_true(fabs(hsp_cosine(1e9) - cos(1e9)) < 1e-6);
    const double far[] = {1e18, -1e100, 1.7976931348623157e308, 5e-324};
    for (int i = 0; i < 4; i++) assert_true(fabs(hsp_cosine(far[i])) <= 1);
    assert_true(hsp_cosine(INFINITY) == 0 && hsp_cosine(-INFINITY) == 0 && hsp_cosine(NAN) == 0);
}

enum { POINTS = 40, WAVES = 20000 };

static hsp_frame *cloud(void) {
    static char text[POINTS * 3][32];
    static const char *cell[POINTS * 3];
    hsp_rng r = hsp_rng_new(11, 4);
    for (int i = 0; i < POINTS * 3; i++) {
        text[i][0] = '#';
        hsp_format_number(i % 3 == 2 ? 7 : (i % 3 ? 1000 : 3) * hsp_rng_normal(&r) + 50, text[i] + 1);
        cell[i] = text[i];
    }
    return named(cell, POINTS, 3, (const char *const[]){"x", "y", "constant"});
}

/* z(x) . z(y) approximates exp(-gamma |x - y|^2) of the standardised points. */
static void kernel(void **state) {
    (void)state;
    hsp_frame *f = cloud();
    hsp_table_rules r = rules(3);
    r.fourier = WAVES;
    hsp_encoding *e = learnt(f, &r, 2);
    const hsp_expansion *x = e->expansion;
    assert_true(x->gamma == 1.0 / 3 && x->scale[2] == 0 && x->mean[2] == 7);
    double point[POINTS][2], sum[2] = {0}, squares[2] = {0};
    for (int64_t i = 0; i < POINTS; i++)
        for (int j = 0; j < 2; j++) {
            point[i][j] = f->block[i / 3].value[i % 3 * 3 + j];
            sum[j] += point[i][j] / POINTS;
        }
    for (int64_t i = 0; i < POINTS; i++)
        for (int j = 0; j < 2; j++) squares[j] += (point[i][j] - sum[j]) * (point[i][j] - sum[j]) / POINTS;
    for (int j = 0; j < 2; j++) {
        assert_true(fabs(x->mean[j] - sum[j]) < 1e-12 * (fabs(sum[j]) + 1000));
        assert_true(fabs(x->scale[j] * sqrt(squares[j]) - 1) < 1e-12);
    }
    hsp_block first = encoded(e, f, 0), other = encoded(e, f, 5);
    for (int64_t i = 0; i < 3; i++) {
        for (int64_t k = 0; k < 3; k++) {
            double dot = 0, distance = 0;
            const double *a = first.value + first.row[i + 1] - WAVES, *b = other.value + other.row[k + 1] - WAVES;
            for (int64_t t = 0; t < WAVES; t++) dot += a[t] * b[t];
            for (int j = 0; j < 2; j++) distance += pow((point[i][j] - point[15 + k][j]) * x->scale[j], 2);
            assert_true(fabs(dot - exp(-distance / 3)) < 0.03);
        }
    }
    name_is(e, e->base, "rff:1");
    name_is(e, e->d - 1, "rff:20000");
    hsp_block_free(&first);
    hsp_block_free(&other);
    hsp_encoding_release(e);
    hsp_frame_free(f);
}

/* Fewer features are the first of many; another seed makes others; threads change nothing. */
static void seeds(void **state) {
    (void)state;
    hsp_frame *f = cloud();
    hsp_table_rules r = rules(3);
    r.fourier = 50;
    hsp_encoding *e = learnt(f, &r, 1), *same = learnt(f, &r, 3);
    r.fourier = 20;
    hsp_encoding *few = learnt(f, &r, 1);
    r.seed = 2;
    hsp_encoding *others = learnt(f, &r, 1);
    size_t bytes = 20 * 3 * sizeof(double);
    assert_memory_equal(e->expansion->direction, few->expansion->direction, bytes);
    assert_memory_equal(e->expansion->phase, few->expansion->phase, 20 * sizeof(double));
    assert_memory_equal(e->expansion->mean, same->expansion->mean, 3 * sizeof(double));
    assert_memory_equal(e->expansion->scale, same->expansion->scale, 3 * sizeof(double));
    for (int k = 0; k < 60; k++) assert_true(others->expansion->direction[k] != few->expansion->direction[k]);
    hsp_encoding_release(e);
    hsp_encoding_release(same);
    hsp_encoding_release(few);
    hsp_encoding_release(others);
    hsp_frame_free(f);
}

/* ---- what is refused ---- */

static void fails(const hsp_frame *f, const hsp_table_rules *r, const char *message) {
    hsp_encoding *e = NULL;
    hsp_error *err = NULL;
    assert_int_equal(hsp_encoding_learn(f, r, 1, &e, &err), HSP_EUSAGE);
    assert_string_equal(hsp_error_message(err), message);
    assert_null(e);
    hsp_error_free(err);
}

static void refused(void **state) {
    (void)state;
    hsp_frame *f = named(people, 6, 3, columns);
    hsp_table_rules r = rules(3);
    r.kind = (const hsp_kind *[]){&hsp_kind_text, &hsp_kind_categorical, &hsp_kind_ignored};
    r.degree = 2;
    fails(f, &r, "--degree 2 needs numeric columns, and there are none: leave it out");
    r.fourier = 3;
    fails(f, &r, "--rff needs numeric columns, and there are none: leave it out");
    r.degree = 1;
    r.fourier = 0;
    r.crosses = 1;
    r.cross = (int64_t[][2]){{1, 2}};
    fails(f, &r, "--cross cannot use column 'Age', which is ignored: encode it with --categorical 'Age'");
    r.cross = (int64_t[][2]){{0, 1}};
    r.hash_bits = 28;
    fails(f, &r,
          "--cross Sex:Pclass gives 268435456 x 4 features, and at most 10000000 are allowed in all: leave it out, or use "
          "a larger --min-count");
    hsp_frame_free(f);
    f = cloud();
    r = rules(3);
    r.fourier = 10000001;
    fails(f, &r, "--rff 10000001 of 3 numeric columns gives too many features: use a smaller number");
    hsp_frame_free(f);
}

/* ---- models ---- */

static void save(const void *x, hsp_json *j) {
    hsp_expansion_save(x, j);
}

static void round_trip(void **state) {
    (void)state;
    hsp_frame *f = named(people, 6, 3, columns);
    for (int form = 1; form < 8; form++) {
        hsp_table_rules r = rules(3);
        r.cross = (int64_t[][2]){{0, 1}, {2, 0}};
        r.crosses = form & 1 ? 2 : 0;
        r.degree = form & 2 ? 2 : 1;
        r.fourier = form & 4 ? 5 : 0;
        r.seed = UINT64_MAX;
        hsp_encoding *e = learnt(f, &r, 1);
        hsp_expansion *before = e->expansion;
        char *text = object_of(save, before);
        hsp_json_value *tree = json_tree(text);
        hsp_error *err = NULL;
        const hsp_json_loader l = {tree, "m.hsm", &err};
        assert_int_equal(hsp_expansion_load(&l, e->d - 1, e), HSP_EINPUT);
        hsp_error_free(err);
        err = NULL;
        assert_null(e->expansion);
        fine(hsp_expansion_load(&l, e->d, e), err);
        assert_int_equal(e->expansion->features, before->features);
        char *again = object_of(save, e->expansion);
        assert_string_equal(again, text);
        if (r.fourier) assert_memory_equal(e->expansion->direction, before->direction, 10 * sizeof(double));
        hsp_expansion_free(before);
        hsp_encoding_release(e);
        hsp_free(tree);
        hsp_free(text);
        hsp_free(again);
    }
    hsp_frame_free(f);
}

static void broken_models(void **state) {
    (void)state;
    hsp_frame *f = named(people, 6, 3, columns);
    hsp_table_rules r = rules(3);
    r.missing = HSP_MISSING_MEAN;
    hsp_encoding *e = learnt(f, &r, 1); /* two numbers */
    const char *bad[] = {
        "7",
        "[]",
        "null",
        "{}",
        "{\"cross\":[]}",
        "{\"cross\":{}}",
        "{\"cross\":[0,1]}",
        "{\"cross\":[[0]]}",
        "{\"cross\":[[0,1,2]]}",
        "{\"cross\":[[0,3]]}",
        "{\"cross\":[[0,-1]]}",
        "{\"cross\":[[0,0.5]]}",
        "{\"cross\":[[0,\"1\"]]}",
        "{\"cross\":[[0,1],null]}",
        "{\"degree\":1}",
        "{\"degree\":3}",
        "{\"degree\":\"2\"}",
        "{\"degree\":null}",
        "{\"rff\":5}",
        "{\"rff\":{}}",
        "{\"rff\":{\"waves\":0,\"gamma\":1,\"seed\":\"0000000000000001\",\"mean\":[0,0],\"scale\":[1,1]}}",
        "{\"rff\":{\"waves\":1e9,\"gamma\":1,\"seed\":\"0000000000000001\",\"mean\":[0,0],\"scale\":[1,1]}}",
        "{\"rff\":{\"waves\":9000000,\"gamma\":1,\"seed\":\"0000000000000001\",\"mean\":[0,0],\"scale\":[1,1]}}",
        "{\"rff\":{\"waves\":2,\"gamma\":0,\"seed\":\"0000000000000001\",\"mean\":[0,0],\"scale\":[1,1]}}",
        "{\"rff\":{\"waves\":2,\"gamma\":-1,\"seed\":\"0000000000000001\",\"mean\":[0,0],\"scale\":[1,1]}}",
        "{\"rff\":{\"waves\":2,\"gamma\":\"1\",\"seed\":\"0000000000000001\",\"mean\":[0,0],\"scale\":[1,1]}}",
        "{\"rff\":{\"waves\":2,\"gamma\":1,\"seed\":1,\"mean\":[0,0],\"scale\":[1,1]}}",
        "{\"rff\":{\"waves\":2,\"gamma\":1,\"seed\":\"01\",\"mean\":[0,0],\"scale\":[1,1]}}",
        "{\"rff\":{\"waves\":2,\"gamma\":1,\"seed\":\"0000000000000001\",\"mean\":[0],\"scale\":[1,1]}}",
        "{\"rff\":{\"waves\":2,\"gamma\":1,\"seed\":\"0000000000000001\",\"mean\":[0,null],\"scale\":[1,1]}}",
        "{\"rff\":{\"waves\":2,\"gamma\":1,\"seed\":\"0000000000000001\",\"mean\":[0,0],\"scale\":[1,-1]}}",
        "{\"rff\":{\"waves\":2,\"gamma\":1,\"seed\":\"0000000000000001\",\"mean\":[0,0],\"scale\":[1,1,1]}}",
        "{\"rff\":{\"waves\":2,\"gamma\":1,\"seed\":\"0000000000000001\",\"mean\":[0,0]}}",
    };
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        hsp_error *err = NULL;
        hsp_json_value *empty = json_tree("{}"), *tree = json_with(empty, empty, "expansion", bad[k]);
        hsp_free(empty);
        const hsp_json_loader l = {tree, "m.hsm", &err};
        if (hsp_expansion_load(&l, 1000, e) != HSP_EINPUT) fail_msg("taken: %s", bad[k]);
        assert_non_null(strstr(hsp_error_message(err), "m.hsm: damaged"));
        assert_null(e->expansion);
        hsp_error_free(err);
        hsp_free(tree);
    }
    hsp_json_value *none = json_tree("{}");
    const hsp_json_loader l = {none, "m.hsm", NULL};
    assert_int_equal(hsp_expansion_load(&l, 1000, e), 0);
    assert_null(e->expansion);
    hsp_free(none);
    hsp_encoding_release(e);
    hsp_frame_free(f);
}

/* ---- no memory ---- */

static void out_of_memory(void **state) {
    (void)state;
    hsp_frame *f = named(people, 6, 3, columns);
    hsp_table_rules r = rules(3);
    r.crosses = 1;
    r.cross = (int64_t[][2]){{0, 1}};
    r.degree = 2;
    r.fourier = 4;
    hsp_encoding *e = learnt(f, &r, 1);
    hsp_expansion *whole = e->expansion;
    e->expansion = NULL;
    char *text = object_of(save, whole);
    hsp_json_value *tree = json_tree(text);
    int64_t calls = 0;
    for (int status = HSP_EMEMORY; status; calls++) {
        hsp_expansion *x = NULL;
        hsp_error *err = NULL;
        const hsp_json_loader l = {tree, "m.hsm", &err};
        hsp_memory_fail_after(calls);
        status = hsp_expansion_learn(e, f, 1, &x, &err);
        if (!status) status = hsp_expansion_load(&l, e->d, e);
        hsp_memory_fail_after(-1);
        assert_true(status == 0 || status == HSP_EMEMORY);
        assert_true(!status == (err == NULL));
        hsp_expansion_free(x);
        hsp_expansion_free(e->expansion);
        e->expansion = NULL;
        hsp_error_free(err);
    }
    assert_true(calls > 10);
    e->expansion = whole;
    for (int status = HSP_EMEMORY; status;) { /* a row */
        hsp_encode_room room = {0};
        row x;
        row_begin(&x);
        hsp_emit_one(&x.emit, e->column[2].first, 5);
        hsp_memory_fail_after(calls = calls > 10 ? 0 : calls + 1);
        status = hsp_expand_row(e, &room, &x.emit);
        hsp_memory_fail_after(-1);
        hsp_encode_room_free(&room);
        assert_true(status == 0 || status == HSP_EMEMORY);
    }
    hsp_free(tree);
    hsp_free(text);
    hsp_encoding_release(e);
    hsp_frame_free(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crosses),       cmocka_unit_test(products),      cmocka_unit_test(triangle),
        cmocka_unit_test(exclusive_or),  cmocka_unit_test(cosine),        cmocka_unit_test(kernel),
        cmocka_unit_test(seeds),         cmocka_unit_test(refused),       cmocka_unit_test(round_trip),
        cmocka_unit_test(broken_models), cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
