#include "base/hash.h"
#include "data/data.h"
#include "verify/proof/test_proof.h"

#include <stdio.h>

static const char *plain_name(const void *unused, int64_t j, char *buf) {
    (void)unused;
    snprintf(buf, 32, "x%lld", (long long)j + 1);
    return buf;
}

static hsp_report *written(const hsp_proof *p, bool origin, int64_t d) {
    hsp_json j = {0};
    hsp_report *r = NULL;
    hsp_json_object(&j, NULL);
    hsp_proof_write(p, origin, plain_name, NULL, d, &j);
    hsp_json_object_end(&j);
    assert_int_equal(hsp_json_take(&j, &r, NULL), HSP_OK);
    return r;
}

static void what_is_written_reads_back(void **unused) {
    (void)unused;
    double w[] = {0.1, -1e300, DBL_TRUE_MIN}, m[] = {1.0 / 3, 2.0 / 3};
    int64_t rows[] = {0, 6};
    char why[] = "time \"ran\" out";
    hsp_proof p = {.verdict = HSP_TOUCHING, .kind = HSP_PROOF_BOUNDED, .method = "by-hand", .w = w, .b = -0.7, .margin = 0};
    p.count = 2, p.row = rows, p.multiplier = m, p.column_count = 2, p.columns[0] = 2, p.lower = p.upper = NAN;
    hsp_proof q;
    bool origin;
    hsp_report *json = written(&p, true, 3);
    assert_string_equal(hsp_report_text_at(json, "columns", 0), "x3");
    assert_int_equal(hsp_proof_read(json, 7, 3, &q, &origin, NULL), HSP_OK);
    assert_true(origin && q.verdict == HSP_TOUCHING && q.kind == HSP_PROOF_BOUNDED && q.b == -0.7 && q.margin == 0);
    assert_memory_equal(q.w, w, sizeof w);
    assert_true(q.count == 2 && q.row[1] == 6 && q.multiplier[0] == m[0] && q.multiplier[1] == m[1]);
    hsp_proof_clear(&q);
    hsp_report_free(json);
    p = (hsp_proof){.verdict = HSP_UNDECIDED, .margin = NAN, .lower = 0, .upper = 1e-9, .reason = why};
    json = written(&p, false, 3);
    assert_int_equal(hsp_proof_read(json, 7, 3, &q, &origin, NULL), HSP_OK);
    assert_true(!origin && q.verdict == HSP_UNDECIDED && isnan(q.margin) && q.lower == 0 && q.upper == 1e-9 && !q.w);
    assert_string_equal(q.reason, why);
    hsp_proof_clear(&q);
    hsp_report_free(json);
}

/* NULL: not JSON. */
static hsp_report *parsed(const char *text) {
    hsp_report *r = NULL;
    int status = hsp_report_parse(text, strlen(text), &r, NULL);
    assert_int_equal(status == HSP_OK, r != NULL);
    return r;
}

static void broken_proofs_are_refused(void **unused) {
    (void)unused;
    static const char *const bad[] = {
        "[]",
        "[3]",
        "{}",
        "{\"verdict\": \"maybe\", \"intercept\": \"free\"}",
        "{\"verdict\": \"undecided\"}",
        "{\"verdict\": \"undecided\", \"intercept\": \"some\"}",
        "{\"verdict\": \"undecided\", \"intercept\": \"free\", \"proof\": \"surely\"}",
        "{\"verdict\": \"undecided\", \"intercept\": \"free\", \"margin\": \"1\"}",
        "{\"verdict\": \"undecided\", \"intercept\": \"free\", \"margin_bounds\": [1]}",
        "{\"verdict\": \"undecided\", \"intercept\": \"free\", \"margin_bounds\": [1, true]}",
        "{\"verdict\": \"separable\", \"intercept\": \"free\"}",
        "{\"verdict\": \"separable\", \"intercept\": \"free\", \"hyperplane\": 4}",
        "{\"verdict\": \"separable\", \"intercept\": \"free\", \"hyperplane\": {\"weights\": [1], \"intercept\": 0}}",
        "{\"verdict\": \"separable\", \"intercept\": \"free\", \"hyperplane\": {\"weights\": [1, 2, 3], \"intercept\": 0}}",
        "{\"verdict\": \"separable\", \"intercept\": \"free\", \"hyperplane\": {\"weights\": [1, null], \"intercept\": 0}}",
        "{\"verdict\": \"separable\", \"intercept\": \"free\", \"hyperplane\": {\"weights\": [1, 2]}}",
        "{\"verdict\": \"not-separable\", \"intercept\": \"free\"}",
        "{\"verdict\": \"not-separable\", \"intercept\": \"free\", \"witness\": {\"rows\": [], \"multipliers\": []}}",
        "{\"verdict\": \"not-separable\", \"intercept\": \"free\", \"witness\": {\"rows\": [1, 2], \"multipliers\": [1]}}",
        "{\"verdict\": \"not-separable\", \"intercept\": \"free\", \"witness\": {\"rows\": [0, 2], \"multipliers\": [1, "
        "1]}}",
        "{\"verdict\": \"not-separable\", \"intercept\": \"free\", \"witness\": {\"rows\": [1, 6], \"multipliers\": [1, "
        "1]}}",
        "{\"verdict\": \"not-separable\", \"intercept\": \"free\", \"witness\": {\"rows\": [2, 2], \"multipliers\": [1, "
        "1]}}",
        "{\"verdict\": \"not-separable\", \"intercept\": \"free\", \"witness\": {\"rows\": [3, 2], \"multipliers\": [1, "
        "1]}}",
        "{\"verdict\": \"not-separable\", \"intercept\": \"free\", \"witness\": {\"rows\": [1.5, 2], \"multipliers\": [1, "
        "1]}}",
        "{\"verdict\": \"not-separable\", \"intercept\": \"free\", \"witness\": {\"rows\": [1, 2], \"multipliers\": [1, "
        "-1]}}",
        "{\"verdict\": \"not-separable\", \"intercept\": \"free\", \"witness\": {\"rows\": [1, 2], \"multipliers\": [1, "
        "\"1\"]}}",
        "{\"verdict\": \"touching\", \"intercept\": \"free\", \"witness\": {\"rows\": [1, 2], \"multipliers\": [1, 1]}}",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        hsp_report *json = parsed(bad[i]);
        hsp_proof p;
        hsp_error *err = NULL;
        bool origin;
        assert_non_null(json);
        assert_int_equal(hsp_proof_read(json, 5, 2, &p, &origin, &err), HSP_EINPUT);
        assert_non_null(strchr(hsp_error_message(err), ':'));
        assert_null(p.w);
        assert_null(p.row);
        hsp_error_free(err);
        hsp_report_free(json);
    }
}

/* ---- whole proofs ---- */

static bool holds(const sided *s, const hsp_proof *p, hsp_proof_kind *kind) {
    const char *what;
    assert_int_equal(hsp_proof_check(&s->q, p, kind, &what, NULL), HSP_OK);
    assert_true(what == NULL || *kind == HSP_PROOF_NONE);
    return what == NULL;
}

static void every_part_of_a_proof_counts(void **unused) {
    (void)unused;
    double x[] = {0, 0, 0, 1, 1, 0, 1, 1, 1, 0, 1, 1, 2, 0, 2, 1}, w[] = {1, 0}, m[] = {0.5, 0.5, 0.5, 0.5};
    const int8_t y[] = {-1, -1, -1, -1, 1, 1, 1, 1};
    int64_t rows[] = {2, 3, 4, 5};
    hsp_proof_kind kind;
    sided *s = dense_rows(x, y, 8, 2);
    hsp_proof p = {.verdict = HSP_TOUCHING, .w = w, .b = -1, .margin = 0, .count = 4, .row = rows, .multiplier = m};
    p.lower = p.upper = NAN;
    assert_true(holds(s, &p, &kind) && kind == HSP_PROOF_EXACT);
    p.margin = 1e-300;
    assert_false(holds(s, &p, &kind));
    p.margin = 0, p.b = -0.9;
    assert_false(holds(s, &p, &kind));
    p.b = -1, w[0] = -1;
    assert_false(holds(s, &p, &kind));
    w[0] = 1, m[0] = 0.4;
    assert_false(holds(s, &p, &kind));
    m[1] = 0.6, m[2] = 0.4, m[3] = 0.6;
    assert_true(holds(s, &p, &kind)); /* another point of the common edge */
    m[0] = 50;
    assert_false(holds(s, &p, &kind));
    m[0] = 0.4, p.w = NULL, p.verdict = HSP_NOT_SEPARABLE;
    assert_false(holds(s, &p, &kind)); /* a margin of 0 */
    p.margin = NAN;
    assert_true(holds(s, &p, &kind) && kind == HSP_PROOF_EXACT);
    p.count = 0;
    assert_false(holds(s, &p, &kind));
    p.verdict = HSP_UNDECIDED;
    assert_true(holds(s, &p, &kind) && kind == HSP_PROOF_NONE);
    for (int i = 0; i < 8; i++) x[2 * i] += y[i]; /* now apart by 2 */
    p.w = w, p.verdict = HSP_SEPARABLE, p.margin = 1;
    assert_true(holds(s, &p, &kind) && kind == HSP_PROOF_EXACT);
    const double wrong[] = {1.0000001, INFINITY, 0, -1};
    for (int k = 0; k < 4; k++) {
        p.margin = wrong[k];
        assert_false(holds(s, &p, &kind));
    }
    s->q.origin = true, p.margin = NAN;
    assert_false(holds(s, &p, &kind)); /* it has an offset */
    free(s);
}

/* The plane is the one through the witness, not one that only claims to be. */
static void a_plane_beside_the_witness_is_refused(void **unused) {
    (void)unused;
    double x[] = {0, 0, 0, 1, 0, 2, 0, 0, 1, 1}, m[] = {0.5, 1, 0.5};
    const int8_t y[] = {-1, 1, -1, 1, 1};
    int64_t rows[] = {0, 1, 2};
    hsp_proof_kind kind;
    sided *s = dense_rows(x, y, 5, 2);
    static const struct {
        double w[2], b;
        bool holds;
    } cases[] = {{{1, 0}, 0, true},     {{7, 0}, 0, true},     {{1, 1e-13}, 0, false},
                 {{1, 5000}, 0, false}, {{1, 1e-8}, 0, false}, {{1, -1e-8}, 0, false},
                 {{1, 0}, 1e-6, false}, {{0, 0}, 0, false},    {{-1, 0}, 0, false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double w[] = {cases[k].w[0], cases[k].w[1]};
        hsp_proof p = {.verdict = HSP_TOUCHING, .w = w, .b = cases[k].b, .count = 3, .row = rows, .multiplier = m};
        p.lower = p.upper = NAN;
        assert_int_equal(holds(s, &p, &kind), cases[k].holds);
    }
    free(s);
}

/* Unique multipliers may differ by rounding errors, and by no more. */
static void multipliers_are_exact(void **unused) {
    (void)unused;
    double x[] = {0, 0, 1, 1, 0, 1, 1, 0}, m[] = {0.5, 0.5, 0.5, 0.5};
    const int8_t y[] = {-1, -1, 1, 1};
    int64_t rows[] = {0, 1, 2, 3};
    hsp_proof_kind kind;
    sided *s = dense_rows(x, y, 4, 2);
    hsp_proof p = {.verdict = HSP_NOT_SEPARABLE, .margin = NAN, .count = 4, .row = rows, .multiplier = m};
    p.lower = p.upper = NAN;
    const double off[] = {1e-12, -1e-12, 1e-8, -1e-8, 1e-4};
    for (int k = 0; k < 5; k++) {
        m[0] = 0.5 + off[k];
        assert_int_equal(holds(s, &p, &kind), fabs(off[k]) < 1e-9);
    }
    free(s);
}

/* A verdict with anything beside its proof is refused. */
static void what_is_out_of_place_is_refused(void **unused) {
    (void)unused;
    double x[] = {0, 1, 2, 3}, w = 1, m[] = {1, 1};
    const int8_t apart[] = {-1, -1, 1, 1}, mixed[] = {-1, 1, 1, -1};
    int64_t rows[] = {0, 1};
    char why[] = "because", open[] = HSP_PROOF_OPEN "time limit reached";
    hsp_proof_kind kind;
    sided *s = dense_rows(x, apart, 4, 1);
    hsp_proof plain = {.verdict = HSP_SEPARABLE, .w = &w, .b = -1.5, .margin = 0.5, .lower = NAN, .upper = NAN}, p = plain;
    assert_true(holds(s, &p, &kind));
    p.lower = 0;
    assert_false(holds(s, &p, &kind));
    p = plain, p.count = 2, p.row = rows, p.multiplier = m;
    assert_false(holds(s, &p, &kind));
    p = plain, p.reason = why;
    assert_false(holds(s, &p, &kind));
    p = (hsp_proof){.verdict = HSP_UNDECIDED, .margin = NAN, .lower = 0, .upper = 1, .reason = why};
    assert_true(holds(s, &p, &kind));
    p.upper = -1;
    assert_false(holds(s, &p, &kind));
    p.lower = 7, p.upper = 8;
    assert_false(holds(s, &p, &kind));
    p.lower = 0, p.margin = 0.5;
    assert_false(holds(s, &p, &kind));
    p.margin = NAN, p.w = &w;
    assert_false(holds(s, &p, &kind));
    free(s);
    s = dense_rows(x, mixed, 4, 1);
    int64_t between[] = {0, 1, 3};
    double shares[] = {2.0 / 3, 1, 1.0 / 3};
    plain = (hsp_proof){.verdict = HSP_NOT_SEPARABLE, .margin = NAN, .count = 3, .row = between, .multiplier = shares};
    plain.lower = plain.upper = NAN, p = plain;
    assert_true(holds(s, &p, &kind));
    p.reason = open;
    assert_true(holds(s, &p, &kind));
    p.reason = why;
    assert_false(holds(s, &p, &kind));
    p = plain, p.w = &w;
    assert_false(holds(s, &p, &kind));
    p = plain, p.upper = 3;
    assert_false(holds(s, &p, &kind));
    free(s);
}

/* ---- reports ---- */

static hsp_data *flowers(void) {
    static const double x[] = {0, 0, 1, 0, 0, 1, 5, 5, 6, 5, 5, 6, 5, 5, 7, 9};
    static const char *labels[] = {"a", "a", "a", "b", "b", "b,c", "b,c", "b,c"};
    hsp_data *data = NULL;
    assert_int_equal(hsp_data_from_dense(x, 8, 2, 2, labels, NULL, &data, NULL), 0);
    return data;
}

static char *with_hash(const hsp_data *data, const char *members) {
    char *text = calloc(1, strlen(members) + 64);
    snprintf(text, strlen(members) + 64, "{\"data_hash\": \"%016llx\", %s}", (unsigned long long)hsp_data_hash(data),
             members);
    return text;
}

/* 1, 0, or a negative status. */
static int verified(const char *text, const hsp_data *data) {
    hsp_report *proof = NULL, *report = NULL;
    hsp_error *err = NULL;
    int status = hsp_report_parse(text, strlen(text), &proof, &err);
    if (!status) status = hsp_verify_separability(proof, data, NULL, &report, &err);
    assert_int_equal(status == 0, report != NULL);
    assert_int_equal(status == 0, err == NULL);
    hsp_error_free(err);
    int answer = status ? status : hsp_report_flag(report, "verified");
    if (!status) assert_int_equal(answer, hsp_report_kind(report, "first_false") == HSP_REPORT_NULL);
    hsp_report_free(report);
    hsp_report_free(proof);
    return answer;
}

#define PLANE_A                                                                                                    \
    "\"verdict\": \"separable\", \"margin\": 2.8, \"proof\": \"exact\", \"intercept\": \"free\", \"hyperplane\": " \
    "{\"weights\": [-1, -1], \"intercept\": 5}"
#define WITNESS_B                                                                                                    \
    "\"verdict\": \"not-separable\", \"margin\": null, \"proof\": \"exact\", \"intercept\": \"free\", \"witness\": " \
    "{\"rows\": [4, 7], \"multipliers\": [1, 1]}"

#define ALL                                                                                                         \
    "\"verdict\": \"separable\", \"margin\": null, \"proof\": \"exact\", \"intercept\": \"free\", \"hyperplane\": " \
    "{\"weights\": [0, 0], \"intercept\": 1}"

static void reports_of_two_sides(void **unused) {
    (void)unused;
    hsp_data *data = flowers();
    const char *good[] = {
        "\"positive\": \"a\", " PLANE_A,
        "\"positive\": \"b\", " WITNESS_B,
        "\"positive\": \"b,c\", " WITNESS_B,
        "\"positive\": \"a,b\", " WITNESS_B,
        "\"positive\": \"a\", \"verdict\": \"undecided\", \"margin\": null, \"proof\": null, \"intercept\": \"free\"",
        "\"positive\": \"a\", \"interrupted\": true, \"verdict\": \"undecided\", \"reason\": \"x\", \"intercept\": "
        "\"free\"",
        "\"positive\": \"b\", \"reason\": \"" HSP_PROOF_OPEN "time limit reached\", " WITNESS_B,
        "\"positive\": \"a\", \"verdict\": \"separable\", \"margin\": 2, \"proof\": \"exact\", \"intercept\": \"free\", "
        "\"hyperplane\": "
        "{\"weights\": [-147573952589676410000, -147573952589676410000], \"intercept\": 737869762948382100000}",
        "\"positive\": \"a\", \"note\": null, \"columns\": null, \"method\": \"one-column\", " PLANE_A,
    };
    const char *wrong[] = {
        "\"positive\": \"b\", " PLANE_A,
        "\"positive\": \"c\", " PLANE_A,
        "\"positive\": \"\", " PLANE_A,
        "\"positive\": \"a,\", " PLANE_A,
        "\"positive\": \"a\", " WITNESS_B,
        "\"positive\": \"b,b,c\", " WITNESS_B,
        "\"positive\": \"a\", \"verdict\": \"undecided\", \"proof\": \"exact\", \"intercept\": \"free\"",
        "\"positive\": \"a\", \"columns\": [\"nowhere\"], " PLANE_A,
        "\"positive\": \"a\", \"columns\": [\"1\"], " PLANE_A,
        "\"positive\": \"a,b,b,c\", " WITNESS_B,
        "\"positive\": \"a,b,b,c\", " ALL,
        "\"positive\": \"a\", \"note\": \"one class only\", " PLANE_A,
        "\"positive\": \"a\", \"note\": 1, " PLANE_A,
        "\"positive\": \"a\", \"interrupted\": true, " PLANE_A,
        "\"positive\": \"a\", \"reason\": \"x\", " PLANE_A,
        "\"positive\": \"a\", \"reason\": 7, " PLANE_A,
        "\"positive\": \"a\", \"method\": \"revelation\", " PLANE_A,
        "\"positive\": \"a\", \"extra\": {}, " PLANE_A,
        "\"positive\": \"a\", \"class\": \"a\", " PLANE_A,
        "\"positive\": \"a\", \"margin_bounds\": [0, 9], " PLANE_A,
        "\"positive\": \"a\", \"margin_bounds\": [2, 1], \"verdict\": \"undecided\", \"intercept\": \"free\"",
    };
    const char *broken[] = {PLANE_A, "\"positive\": 3, " PLANE_A, "\"positive\": \"a\"", "\"problems\": 3, " PLANE_A,
                            "\"positive\": \"a\", \"positive\": \"a\", " PLANE_A};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        char *text = with_hash(data, good[i]);
        assert_int_equal(verified(text, data), 1);
        text[16] ^= 1; /* a digit of the hash */
        assert_int_equal(verified(text, data), 0);
        free(text);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char *text = with_hash(data, wrong[i]);
        assert_int_equal(verified(text, data), 0);
        free(text);
    }
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        char *text = with_hash(data, broken[i]);
        assert_int_equal(verified(text, data), HSP_EINPUT);
        free(text);
    }
    const char *no_json[] = {"", "{", "[]", "7", "{}", "\x01", "{\"data_hash\": 3}"};
    for (size_t i = 0; i < sizeof no_json / sizeof *no_json; i++) assert_int_equal(verified(no_json[i], data), HSP_EINPUT);
    hsp_data_free(data);
}

#define A "{\"class\": \"a\", " PLANE_A "}"
#define B "{\"class\": \"b\", " WITNESS_B "}"
#define C "{\"class\": \"b,c\", " WITNESS_B "}"
#define C_ORIGIN                                                                                                    \
    "{\"class\": \"b,c\", \"verdict\": \"undecided\", \"margin\": null, \"proof\": null, \"intercept\": \"none\", " \
    "\"hyperplane\": null}"

static void reports_of_several_classes(void **unused) {
    (void)unused;
    hsp_data *data = flowers();
    const struct {
        const char *members;
        int answer;
    } cases[] = {
        {"\"verdict\": \"not-separable\", \"problems\": [" A ", " B ", " C "]", 1},
        {"\"verdict\": \"not-separable\", \"problems\": [" C ", " A ", " B "]", 1},
        {"\"verdict\": \"separable\", \"problems\": [" A ", " B ", " C "]", 0},
        {"\"verdict\": \"touching\", \"problems\": [" A ", " B ", " C "]", 0},
        {"\"verdict\": \"not-separable\", \"problems\": [" A ", " B "]", 0},
        {"\"verdict\": \"not-separable\", \"problems\": [" A ", " B ", " B "]", 0},
        {"\"verdict\": \"not-separable\", \"problems\": [" A ", " B ", " C ", " C "]", 0},
        {"\"verdict\": \"separable\", \"problems\": [" A "]", 0},
        {"\"verdict\": \"separable\", \"problems\": []", 0},
        {"\"verdict\": \"not-separable\", \"problems\": [" A ", " B ", 7]", 0},
        {"\"verdict\": \"not-separable\", \"problems\": [" A ", " B ", {\"class\": \"b,c\"}]", HSP_EINPUT},
        {"\"verdict\": 1, \"problems\": [" A ", " B ", " C "]", HSP_EINPUT},
        {"\"verdict\": \"not-separable\", \"positive\": \"a\", \"problems\": [" A ", " B ", " C "]", 0},
        {"\"verdict\": \"not-separable\", \"interrupted\": true, \"problems\": [" A ", " B ", " C "]", 0},
        {"\"verdict\": \"not-separable\", \"problems\": [" A ", " B ", " C_ORIGIN "]", 0}, /* another question */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = with_hash(data, cases[i].members);
        assert_int_equal(verified(text, data), cases[i].answer);
        free(text);
    }
    hsp_data_free(data);
}

/* One class alone: a plane with an intercept only, which has no margin. */
static void reports_of_one_class(void **unused) {
    (void)unused;
    static const double x[] = {0, 0, 1, 0};
    static const char *labels[] = {"a", "a"};
    hsp_data *data = NULL;
    assert_int_equal(hsp_data_from_dense(x, 2, 2, 2, labels, NULL, &data, NULL), 0);
    const char *margins[] = {"null", "0", "1", "1e300"};
    for (int k = 0; k < 4; k++) {
        char members[400];
        snprintf(
            members, sizeof members,
            "\"positive\": \"a\", \"note\": \"one class only\", \"verdict\": \"separable\", \"margin\": %s, \"proof\": "
            "\"exact\", \"intercept\": \"free\", \"hyperplane\": {\"weights\": [0, 0], \"intercept\": 1}",
            margins[k]);
        char *text = with_hash(data, members);
        assert_int_equal(verified(text, data), k == 0);
        free(text);
    }
    hsp_data_free(data);
}

/* Claims that are not verified are listed. */
static void what_is_not_checked_is_said(void **unused) {
    (void)unused;
    hsp_data *data = flowers();
    char *text =
        with_hash(data, "\"positive\": \"a\", \"verdict\": \"undecided\", \"reason\": \"the moon\", \"intercept\": "
                        "\"free\", \"margin_bounds\": [0, 4]");
    hsp_report *proof = parsed(text), *report = NULL;
    assert_int_equal(hsp_verify_separability(proof, data, NULL, &report, NULL), 0);
    const hsp_report *list = hsp_report_member(report, "unchecked");
    assert_int_equal(hsp_report_flag(report, "verified"), 1);
    assert_int_equal(hsp_report_count(list, NULL), 2);
    assert_string_equal(hsp_report_text_at(list, NULL, 0), "reason");
    assert_string_equal(hsp_report_text_at(list, NULL, 1), "margin_bounds");
    hsp_report_free(report);
    hsp_report_free(proof);
    free(text);
    hsp_data_free(data);
}

/* Rows of weight 0 are on no side. */
static void weights_of_zero(void **unused) {
    (void)unused;
    hsp_data *data = flowers();
    char *before = with_hash(data, "\"positive\": \"b\", " WITNESS_B);
    assert_int_equal(verified(before, data), 1);
    const double weight[] = {1, 1, 1, 0, 1, 1, 1, 1};
    data->weight = hsp_alloc(8, sizeof *data->weight);
    memcpy(data->weight, weight, sizeof weight);
    assert_int_equal(verified(before, data), 0);
    char *after = with_hash(data, "\"positive\": \"b\", " WITNESS_B);
    assert_int_equal(verified(after, data), 0);
    free(before);
    free(after);
    hsp_data_free(data);
}

/* A mutated text that is accepted must be true: the only planes of `a` that hold are on the right side. */
static bool claims_truth(const char *text, const hsp_data *data) {
    hsp_report *json = parsed(text);
    const char *verdict = hsp_report_text(json, "verdict");
    const char *positive = hsp_report_text(json, "positive");
    double margin = hsp_report_number(json, "margin");
    bool a = positive && strcmp(positive, "a") == 0, separable = verdict && strcmp(verdict, "separable") == 0;
    bool rest = positive && strcmp(positive, "b,b,c") == 0; /* all but a */
    /* a against the rest: separable, at most by (10 - 1) / (2 sqrt 2); any other split is not. */
    bool truth =
        verdict && (strcmp(verdict, "undecided") == 0 || (separable ? (a || rest) && margin <= 3.19 : !a && !rest));
    (void)data;
    hsp_report_free(json);
    return truth;
}

static void mutations_never_verify_a_false_claim(void **unused) {
    (void)unused;
    hsp_rng r = hsp_rng_new(77, 1);
    hsp_data *data = flowers();
    static const char letters[] = "0123456789.-e,[]{}\":abcnul ";
    const char *start[] = {"\"positive\": \"a\", " PLANE_A, "\"positive\": \"b\", " WITNESS_B};
    int accepted = 0, refused = 0;
    for (int go = 0; go < 4000; go++) {
        char *text = with_hash(data, start[go % 2]);
        int64_t length = (int64_t)strlen(text);
        for (int64_t t = 0, changes = 1 + hsp_rng_below(&r, 3); t < changes; t++) {
            int64_t at = 35 + hsp_rng_below(&r, length - 36);
            text[at] = letters[hsp_rng_below(&r, (int64_t)sizeof letters - 1)];
        }
        int answer = verified(text, data);
        assert_true(answer == 1 || answer == 0 || answer == HSP_EINPUT);
        if (answer == 1) assert_true(claims_truth(text, data));
        accepted += answer == 1, refused += answer != 1;
        free(text);
    }
    assert_true(accepted > 0 && refused > 2000);
    hsp_data_free(data);
}

static void without_memory_it_says_so(void **unused) {
    (void)unused;
    hsp_data *data = flowers();
    char *text = with_hash(data, "\"verdict\": \"not-separable\", \"problems\": [" A ", " B ", " C "]");
    hsp_report *proof = parsed(text);
    int status = HSP_EMEMORY;
    for (int64_t calls = 0; status == HSP_EMEMORY && calls < 2000; calls++) {
        hsp_report *report = NULL;
        hsp_error *err = NULL;
        hsp_memory_fail_after(calls);
        status = hsp_verify_separability(proof, data, NULL, &report, &err);
        hsp_memory_fail_after(-1);
        assert_int_equal(status == 0, report != NULL);
        hsp_error_free(err);
        hsp_report_free(report);
    }
    assert_int_equal(status, HSP_OK);
    hsp_report_free(proof);
    free(text);
    hsp_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(broken_proofs_are_refused),
        cmocka_unit_test(every_part_of_a_proof_counts),
        cmocka_unit_test(a_plane_beside_the_witness_is_refused),
        cmocka_unit_test(multipliers_are_exact),
        cmocka_unit_test(what_is_out_of_place_is_refused),
        cmocka_unit_test(reports_of_two_sides),
        cmocka_unit_test(reports_of_several_classes),
        cmocka_unit_test(reports_of_one_class),
        cmocka_unit_test(what_is_not_checked_is_said),
        cmocka_unit_test(weights_of_zero),
        cmocka_unit_test(mutations_never_verify_a_false_claim),
        cmocka_unit_test(without_memory_it_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
