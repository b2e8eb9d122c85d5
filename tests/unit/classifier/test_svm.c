/* svm and hard-svm from end to end: closed forms, unlike solvers that meet, claims that verify, and data that have every
 * reason to fail. */
#include "base/memory.h"
#include "base/rng.h"
#include "base/text.h"
#include "classifier/classifier.h"
#include "trained.h"

#include <math.h>
#include <stdio.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* Rows of d numbers, each followed by its side: +1 is class b, -1 class a. */
static hsp_data *rows_of(int64_t n, int64_t d, const double *numbers) {
    double *x = calloc((size_t)(n * d), sizeof *x);
    const char **labels = calloc((size_t)n, sizeof *labels);
    for (int64_t i = 0; i < n; i++) {
        memcpy(x + i * d, numbers + i * (d + 1), (size_t)d * sizeof *x);
        labels[i] = numbers[i * (d + 1) + d] > 0 ? "b" : "a";
    }
    hsp_data *data = NULL;
    assert_int_equal(hsp_data_from_dense(x, n, d, d, labels, NULL, &data, NULL), 0);
    free(x);
    free(labels);
    return data;
}

/* Two clouds of n rows, `apart` spreads away from each other; column j times unit[j % 3]. */
static hsp_data *clouds(int64_t n, int64_t d, double apart, const double unit[3], double shift) {
    double *numbers = calloc((size_t)(n * (d + 1)), sizeof *numbers);
    hsp_rng r = hsp_rng_new(21, (uint64_t)(n * 31 + d));
    for (int64_t i = 0; i < n; i++) {
        double side = i % 3 == 0 ? 1 : -1;
        for (int64_t j = 0; j < d; j++)
            numbers[i * (d + 1) + j] = (hsp_rng_normal(&r) + side * apart / 2 / sqrt((double)d) + shift) * unit[j % 3];
        numbers[i * (d + 1) + d] = side;
    }
    hsp_data *data = rows_of(n, d, numbers);
    free(numbers);
    return data;
}

static const double PLAIN[3] = {1, 1, 1}, UNLIKE[3] = {1e6, 1e-6, 1};

/* What hsp_verify says of a model and its data. */
static bool verifies(const hsp_model *m, const hsp_data *data) {
    hsp_report *tree = NULL;
    hsp_error *err = NULL;
    int status = hsp_verify(m, data, NULL, NULL, NULL, &tree, &err);
    if (status) fail_msg("verify: %s", hsp_error_message(err));
    bool good = hsp_report_flag(tree, "verified") == 1;
    if (!good) print_message("%s\n", hsp_report_text(tree, "first_false"));
    hsp_report_free(tree);
    return good;
}

static void assert_certified(const trained *t, const hsp_data *data, double tol) {
    if (t->status) fail_msg("%s", hsp_error_message(t->error));
    double gap = figure(t, "relative_gap");
    if (!(gap <= tol)) fail_msg("stopped by %s at a gap of %d parts in 1e12", word(t, "stop_reason"), (int)(gap * 1e12));
    assert_true(verifies(t->model, data));
}

static double svm_figure(const trained *t, const char *key) {
    return hsp_report_number(hsp_report_member(t->report, "svm"), key);
}

static double support(const trained *t, const char *key) {
    return hsp_report_number(hsp_report_member(hsp_report_member(t->report, "svm"), "support"), key);
}

static bool near(double a, double b) {
    return fabs(a - b) <= 1e-9 * (1 + fabs(b));
}

/* ---- closed forms ---- */

typedef struct closed_form {
    int64_t n;
    double numbers[8][3];
    double w[2], b;
    double alpha_sum; /* both sides */
} closed_form;

static const closed_form FORMS[] = {
    /* two points: alpha = 2 / |x1 - x2|^2 each */
    {2, {{0, 0, -1}, {2, 0, 1}}, {1, 0}, -1, 1},
    {2, {{1, 1, -1}, {4, 5, 1}}, {6.0 / 25, 8.0 / 25}, -39.0 / 25, 4.0 / 25},
    /* a square: the multipliers are not unique, their sum is */
    {4, {{0, 0, -1}, {0, 1, -1}, {1, 0, 1}, {1, 1, 1}}, {2, 0}, -1, 4},
    /* three in a line on one side */
    {4, {{0, 0, -1}, {0, 1, -1}, {0, 2, -1}, {2, 1, 1}}, {1, 0}, -1, 1},
    /* rows twice, and one far away */
    {6, {{0, 0, -1}, {0, 0, -1}, {2, 2, 1}, {2, 2, 1}, {9, 9, 1}, {-9, -9, -1}}, {0.5, 0.5}, -1, 0.5},
    /* all on one line, which the second column does not move along */
    {4, {{1, 7, -1}, {2, 7, -1}, {4, 7, 1}, {8, 7, 1}}, {1, 0}, -3, 1},
};

static void closed_forms(void **unused) {
    (void)unused;
    for (size_t f = 0; f < sizeof FORMS / sizeof *FORMS; f++) {
        const closed_form *c = &FORMS[f];
        hsp_data *data = rows_of(c->n, 2, c->numbers[0]);
        /* a soft margin with a C beyond every multiplier is the hard one */
        for (int soft = 0; soft < 3; soft++) {
            trained t = soft == 0   ? train(data, PAIRS("algorithm", "hard-svm"))
                        : soft == 1 ? train(data, PAIRS("algorithm", "svm", "C", "50", "solver", "interior-point"))
                                    : train(data, PAIRS("algorithm", "svm", "C", "50", "solver", "dual"));
            assert_certified(&t, data, 1e-9);
            assert_true(near(t.model->w[0], c->w[0]) && near(t.model->w[1], c->w[1]) && near(t.model->b[0], c->b));
            assert_true(near(svm_figure(&t, "margin"), 1 / hypot(c->w[0], c->w[1])));
            assert_true(near(svm_figure(&t, "alpha_sum"), c->alpha_sum));
            assert_true(near(svm_figure(&t, "least_margin"), 1));
            assert_true(support(&t, "bound") == 0 && support(&t, "on_margin") >= 2);
            trained_free(&t);
        }
        hsp_data_free(data);
    }
}

/* One row inside the other class: its multiplier is C, its slack what is missing. */
static void bound_rows(void **unused) {
    (void)unused;
    static const double numbers[][2] = {{0, -1}, {1, -1}, {3, 1}, {4, 1}, {0.5, 1}};
    hsp_data *data = rows_of(5, 1, numbers[0]);
    trained t = train(data, PAIRS("algorithm", "svm", "C", "0.1", "tol", "1e-12"));
    assert_certified(&t, data, 1e-12);
    /* w = sum alpha y x with every alpha at C but for balance: checked by the slackness conditions */
    const hsp_report *slackness = hsp_report_member(hsp_report_member(t.report, "svm"), "slackness");
    assert_true(hsp_report_number(slackness, "margin") < 1e-12);
    assert_true(hsp_report_number(slackness, "bound") < 1e-12);
    assert_true(support(&t, "non_support") + support(&t, "on_margin") + support(&t, "bound") == 5);
    assert_true(svm_figure(&t, "slack_max") > 1); /* the one on the wrong side */
    trained_free(&t);
    hsp_data_free(data);
}

/* ---- unlike solvers ---- */

static void solvers_meet(void **unused) {
    (void)unused;
    static const char *const losses[] = {"hinge", "squared-hinge"};
    static const char *const solvers[] = {"interior-point", "dual", "newton"};
    static const char *const intercepts[] = {"free", "none", "penalised"};
    static const char *const C[] = {"0.01", "1", "100"};
    for (int kind = 0; kind < 2; kind++) {
        hsp_data *data = clouds(60, kind ? 80 : 5, 1.5, PLAIN, 0.5);
        for (int c = 0; c < 18; c++) {
            const char *loss = losses[c % 2];
            double first = NAN;
            for (int s = 0; s < (c % 2 ? 3 : 2); s++) {
                trained t = train(data, PAIRS("algorithm", "svm", "loss", loss, "solver", solvers[s], "intercept",
                                              intercepts[c / 2 % 3], "C", C[c / 6], "tol", "1e-10"));
                assert_certified(&t, data, 1e-10);
                double P = figure(&t, "objective");
                if (s == 0) first = P;
                if (!(fabs(P - first) <= 3e-10 * first))
                    fail_msg("%s and %s do not meet (%s)", solvers[0], solvers[s], loss);
                trained_free(&t);
            }
        }
        hsp_data_free(data);
    }
}

static hsp_data *words(const char *rows, const char *features) {
    hsp_options *o = NULL;
    hsp_data *data = NULL;
    assert_int_equal(hsp_options_new(&o, NULL), 0);
    assert_int_equal(hsp_options_set(o, "rows", rows, NULL), 0);
    assert_int_equal(hsp_options_set(o, "features", features, NULL), 0);
    assert_int_equal(hsp_data_generate("sparse", o, &data, NULL), 0);
    hsp_options_free(o);
    return data;
}

/* Where the solver that is chosen gets nowhere, in its epochs or in circles, another one goes on. */
static void somebody_gets_there(void **unused) {
    (void)unused;
    hsp_data *sparse = words("3000", "1500"), *wide = clouds(100, 300, 1, PLAIN, 0);
    trained t = train(sparse, PAIRS("algorithm", "svm", "C", "10", "tol", "1e-4"));
    assert_certified(&t, sparse, 1e-4);
    trained_free(&t);
    static const char *const intercepts[] = {"free", "none"};
    for (int k = 0; k < 2; k++) {
        t = train(wide, PAIRS("algorithm", "svm", "loss", "squared-hinge", "C", "1000", "intercept", intercepts[k], "tol",
                              "1e-6"));
        assert_certified(&t, wide, 1e-6);
        trained_free(&t);
    }
    hsp_data_free(sparse);
    hsp_data_free(wide);
}

/* A run that is cut short keeps the best that it had, however little its multipliers are worth. */
static void cut_short(void **unused) {
    (void)unused;
    hsp_data *data = clouds(500, 100, 1, PLAIN, 0);
    static const char *const losses[] = {"hinge", "squared-hinge"}, *const epochs[] = {"0", "1", "2", "3", "6"};
    for (int k = 0; k < 10; k++) {
        trained t = train(
            data, PAIRS("algorithm", "svm", "loss", losses[k % 2], "C", "1e4", "max-epochs", epochs[k / 2], "tol", "1e-8"));
        assert_int_equal(t.status, 0);
        assert_true(figure(&t, "objective") <= figure(&t, "objective_start") * (1 + 1e-12));
        trained_free(&t);
    }
    hsp_data_free(data);
}

/* Columns in any units, C from 1e-8 to 1e8. */
static void any_scale(void **unused) {
    (void)unused;
    static const char *const C[] = {"1e-8", "1e-4", "1", "1e4", "1e8"};
    for (int kind = 0; kind < 3; kind++) {
        hsp_data *data = clouds(90, 6, 1.2, kind == 1 ? UNLIKE : PLAIN, kind == 2 ? 1e5 : 0);
        for (size_t c = 0; c < sizeof C / sizeof *C; c++) {
            for (int dual = 0; dual < 2; dual++) {
                trained t = train(
                    data, PAIRS("algorithm", "svm", "C", C[c], "tol", "1e-9", "solver", dual ? "dual" : "interior-point"));
                assert_certified(&t, data, 1e-9);
                trained_free(&t);
            }
        }
        hsp_data_free(data);
    }
}

/* A weight of 2 is the row twice; a weight of 0 no row; class weights multiply. */
static void weights_are_copies(void **unused) {
    (void)unused;
    static const double once[][3] = {{0, 0, -1}, {1, 2, -1}, {2, 1, -1}, {2, 2, 1}, {3, 1, 1}, {1, 1, 1}};
    static const double copies[][3] = {{0, 0, -1}, {1, 2, -1}, {1, 2, -1}, {2, 2, 1},
                                       {3, 1, 1},  {1, 1, 1},  {1, 1, 1},  {1, 1, 1}};
    static const double weight[] = {1, 2, 0, 1, 1, 3};
    hsp_data *a = rows_of(6, 2, once[0]), *b = rows_of(8, 2, copies[0]);
    assert_int_equal(hsp_data_set_weights(a, weight, NULL), 0);
    for (int loss = 0; loss < 2; loss++) {
        const char *name = loss ? "squared-hinge" : "hinge";
        trained s = train(a, PAIRS("algorithm", "svm", "loss", name, "class-weight", "b=2", "tol", "1e-11"));
        trained t = train(b, PAIRS("algorithm", "svm", "loss", name, "class-weight", "b=2", "tol", "1e-11"));
        assert_certified(&s, a, 1e-11);
        assert_certified(&t, b, 1e-11);
        assert_true(near(figure(&s, "objective"), figure(&t, "objective")));
        assert_true(fabs(s.model->w[0] - t.model->w[0]) < 1e-5 && fabs(s.model->w[1] - t.model->w[1]) < 1e-5);
        trained_free(&s);
        trained_free(&t);
    }
    hsp_data_free(a);
    hsp_data_free(b);
}

static void many_classes(void **unused) {
    (void)unused;
    hsp_data *data = generated("blobs", PAIRS("rows", "150", "classes", "4", "features", "3", "noise", "2", "seed", "8"));
    trained t = train(data, PAIRS("algorithm", "svm", "tol", "1e-9"));
    assert_certified(&t, data, 1e-9);
    assert_int_equal(hsp_report_count(t.report, "svm"), 4);
    assert_int_equal(t.model->dual->outputs, 4);
    trained_free(&t);
    hsp_data_free(data);
}

/* ---- the hard margin ---- */

static const char *verdict(const trained *t) {
    return hsp_report_text(hsp_report_member(t->report, "separable"), "verdict");
}

/* No margin: no model, and a witness in the report. */
static void infeasible(void **unused) {
    (void)unused;
    static const double xor [][3] = {{0, 0, -1}, {1, 1, -1}, {0, 1, 1}, {1, 0, 1}};
    static const double same[][3] = {{1, 2, -1}, {1, 2, 1}, {0, 5, 1}, {7, 1, -1}};
    static const double equal[][3] = {{3, 3, -1}, {3, 3, 1}, {3, 3, 1}};
    static const double ends[][3] = {{0, 1, -1}, {1, 1, -1}, {1, 1, 1}, {2, 1, 1}};
    const struct {
        int64_t n;
        const double *numbers;
        const char *verdict;
    } cases[] = {
        {4, xor[0], "not-separable"}, {4, same[0], NULL}, {3, equal[0], "not-separable"}, {4, ends[0], "touching"}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        hsp_data *data = rows_of(cases[c].n, 2, cases[c].numbers);
        trained t = train(data, PAIRS("algorithm", "hard-svm"));
        assert_int_equal(t.status, 0);
        assert_null(t.model);
        assert_int_equal(hsp_report_flag(t.report, "tolerance_missed"), 1);
        assert_true(hsp_report_kind(t.report, "objective") == HSP_REPORT_NULL);
        if (cases[c].verdict) assert_string_equal(verdict(&t), cases[c].verdict);
        const hsp_report *witness = hsp_report_member(hsp_report_member(t.report, "separable"), "witness");
        assert_true(hsp_report_count(witness, "rows") >= 2);
        assert_string_equal(word(&t, "stop_reason"), verdict(&t));
        trained_free(&t);
        hsp_data_free(data);
    }
}

/* Separable data of many shapes: the margin is found and proven, and the soft margin with a large C agrees. */
static void feasible(void **unused) {
    (void)unused;
    for (int kind = 0; kind < 4; kind++) {
        hsp_data *data = clouds(kind == 1 ? 12 : 60, kind == 1 ? 40 : 4, kind == 1 ? 1 : 12, kind == 2 ? UNLIKE : PLAIN,
                                kind == 3 ? 1e4 : 0);
        trained t = train(data, PAIRS("algorithm", "hard-svm", "tol", "1e-9"));
        assert_certified(&t, data, 1e-9);
        assert_true(svm_figure(&t, "least_margin") >= 1);
        trained_free(&t);
        hsp_data_free(data);
    }
}

/* Margins near the resolution of the numbers: right, or no answer; never a wrong one. */
static int collect_methods(void *user, const hsp_progress *line) {
    hsp_text *methods = user;
    if (!methods->s || !strstr(methods->s, line->method)) hsp_text_format(methods, "%s ", line->method);
    return 0;
}

/* Few columns begin with interior point, many with dual descent; both end with the finish. */
static void progress_names_the_method_that_runs(void **unused) {
    (void)unused;
    enum { ROWS = 30 };
    static const struct {
        int64_t columns;
        const char *methods;
    } cases[] = {{3, "interior-point proximal-point "}, {4000, "dual proximal-point "}};
    for (int c = 0; c < 2; c++) {
        int64_t d = cases[c].columns;
        double *numbers = calloc((size_t)(ROWS * (d + 1)), sizeof *numbers);
        hsp_rng rng = hsp_rng_new(3, (uint64_t)c);
        for (int64_t i = 0; i < ROWS; i++) {
            double *row = numbers + i * (d + 1);
            for (int64_t j = 0; j < d; j++) row[j] = hsp_rng_normal(&rng);
            row[d] = row[0] > 0 ? 1 : -1;
            row[0] += row[d];
        }
        hsp_data *data = rows_of(ROWS, d, numbers);
        hsp_text methods = {0};
        hsp_hooks hooks = {.size = sizeof hooks, .user = &methods, .progress = collect_methods};
        trained m = train_with_hooks(data, &hooks, PAIRS("algorithm", "hard-svm"));
        assert_int_equal(m.status, 0);
        assert_string_equal(methods.s, cases[c].methods);
        hsp_text_free(&methods);
        trained_free(&m);
        hsp_data_free(data);
        free(numbers);
    }
}

static void tiny_margins(void **unused) {
    (void)unused;
    static const double gaps[] = {1e-3, 1e-6, 1e-9, 1e-12, 0};
    for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++)
        for (int large = 0; large < 2; large++) {
            double at = large ? 1e6 : 0,
                   numbers[][3] = {{at, 1, -1}, {at, 2, -1}, {at + gaps[g], 1, 1}, {at + gaps[g], 3, 1}};
            hsp_data *data = rows_of(4, 2, numbers[0]);
            trained t = train(data, PAIRS("algorithm", "hard-svm"));
            assert_int_equal(t.status, 0);
            double apart = (at + gaps[g]) - at;
            if (t.model) {
                assert_true(apart > 0 && verifies(t.model, data));
                if (figure(&t, "relative_gap") < 1e-6) assert_true(fabs(svm_figure(&t, "margin_width") / apart - 1) < 1e-6);
            } else if (strcmp(verdict(&t), "undecided") != 0) {
                assert_true(apart == 0);
            }
            trained_free(&t);
            hsp_data_free(data);
        }
}

/* Figures beyond what 64-bit integers count must survive JSON; rows on the margin by the last bit must not cost C times it;
 * what is claimed and what is verified must agree at any tolerance. */
static void extreme_figures(void **unused) {
    (void)unused;
    static const double close[][2] = {{0, -1}, {1e-10, 1}}, wide[][2] = {{-329300, -1}, {438200, 1}},
                        two[][2] = {{1, -1}, {2, 1}};
    const struct {
        const double *numbers;
        const char *algorithm, *C, *tol;
    } cases[] = {{close[0], "hard-svm", NULL, "1e-4"}, {close[0], "svm", "1e21", "1e-4"}, {wide[0], "svm", "1e6", "1e-4"},
                 {wide[0], "svm", "1e19", "1e-4"},     {two[0], "svm", "1e4", "1e-12"},   {two[0], "svm", "5e18", "1e-4"}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        hsp_data *data = rows_of(2, 1, cases[c].numbers);
        trained t = cases[c].C ? train(data, PAIRS("algorithm", cases[c].algorithm, "C", cases[c].C, "tol", cases[c].tol))
                               : train(data, PAIRS("algorithm", cases[c].algorithm, "tol", cases[c].tol));
        assert_certified(&t, data, 1e-4);
        assert_true(svm_figure(&t, "margin") > 0);
        assert_true((hsp_report_flag(t.report, "converged") == 1) == (hsp_report_flag(t.report, "tolerance_missed") == 0));
        trained_free(&t);
        hsp_data_free(data);
    }
}

/* Planes through the centre of shifted columns are not asked about: no verdict, no model. */
static void no_verdict_through_the_centre(void **unused) {
    (void)unused;
    static const double numbers[][2] = {{-1, -1}, {3, 1}, {1, 1}};
    hsp_data *data = rows_of(3, 1, numbers[0]);
    trained t = train(data, PAIRS("algorithm", "hard-svm", "intercept", "none", "scale", "standard"));
    assert_true(t.status == 0 && !t.model);
    assert_string_equal(verdict(&t), "undecided");
    trained_free(&t);
    t = train(data, PAIRS("algorithm", "hard-svm", "intercept", "none", "scale", "maxabs"));
    assert_true(t.model && verifies(t.model, data));
    trained_free(&t);
    hsp_data_free(data);
}

/* ---- what is refused, and what runs short ---- */

static void refusals(void **unused) {
    (void)unused;
    hsp_data *data = clouds(20, 2, 1, PLAIN, 0);
    const char *const wrong[][3] = {{"loss", "logistic", "needs loss hinge, squared-hinge, "},
                                    {"penalty", "l1", "penalty l2"},
                                    {"penalty", "none", "penalty l2"},
                                    {"solver", "newton", "newton"},
                                    {"solver", "gradient", "gradient"},
                                    {"solver", "magic", "magic"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        trained t = train(data, PAIRS("algorithm", "svm", wrong[i][0], wrong[i][1]));
        assert_int_equal(t.status, HSP_EUSAGE);
        assert_non_null(strstr(hsp_error_message(t.error), wrong[i][2]));
        trained_free(&t);
    }
    trained t = train(data, PAIRS("algorithm", "hard-svm", "C", "1"));
    assert_int_equal(t.status, HSP_EUSAGE);
    trained_free(&t);
    hsp_data_free(data);
}

static void short_of_memory(void **unused) {
    (void)unused;
    hsp_data *soft = clouds(9, 2, 1, PLAIN, 0), *hard = clouds(9, 2, 20, PLAIN, 0);
    assert_int_equal(train_short_of_memory(soft, PAIRS("algorithm", "svm", "threads", "1")), 0);
    assert_int_equal(train_short_of_memory(soft, PAIRS("algorithm", "svm", "solver", "dual", "threads", "1")), 0);
    assert_int_equal(train_short_of_memory(hard, PAIRS("algorithm", "hard-svm", "threads", "1")), 0);
    hsp_data_free(soft);
    hsp_data_free(hard);
}

static void the_same_bits_for_any_threads(void **unused) {
    (void)unused;
    hsp_data *data = clouds(3000, 12, 1, PLAIN, 0);
    trained one = train(data, PAIRS("algorithm", "svm", "threads", "1")),
            two = train(data, PAIRS("algorithm", "svm", "threads", "2"));
    assert_memory_equal(one.model->w, two.model->w, 12 * sizeof(double));
    assert_string_equal(one.model->claims, two.model->claims);
    trained_free(&one);
    trained_free(&two);
    hsp_data_free(data);
}

/* The methods that progress names, each once. */
static int note_method(void *user, const hsp_progress *p) {
    char *seen = user;
    if (!strstr(seen, p->method)) snprintf(seen + strlen(seen), 200 - strlen(seen), "%s ", p->method);
    return 0;
}

static void progress_names_the_method_at_work(void **unused) {
    (void)unused;
    char seen[200] = "";
    hsp_data *data = clouds(60, 2, 20, PLAIN, 0);
    hsp_hooks hooks = {.size = sizeof hooks, .user = seen, .progress = note_method};
    trained t = train_with_hooks(data, &hooks, PAIRS("algorithm", "hard-svm"));
    assert_int_equal(t.status, 0);
    assert_string_equal(seen, "interior-point proximal-point ");
    trained_free(&t);
    hsp_data_free(data);
}

int main(void) {
    const struct CMUnitTest t[] = {cmocka_unit_test(closed_forms),
                                   cmocka_unit_test(bound_rows),
                                   cmocka_unit_test(solvers_meet),
                                   cmocka_unit_test(somebody_gets_there),
                                   cmocka_unit_test(cut_short),
                                   cmocka_unit_test(any_scale),
                                   cmocka_unit_test(weights_are_copies),
                                   cmocka_unit_test(many_classes),
                                   cmocka_unit_test(infeasible),
                                   cmocka_unit_test(feasible),
                                   cmocka_unit_test(progress_names_the_method_that_runs),
                                   cmocka_unit_test(tiny_margins),
                                   cmocka_unit_test(extreme_figures),
                                   cmocka_unit_test(no_verdict_through_the_centre),
                                   cmocka_unit_test(refusals),
                                   cmocka_unit_test(short_of_memory),
                                   cmocka_unit_test(progress_names_the_method_at_work),
                                   cmocka_unit_test(the_same_bits_for_any_threads)};
    return cmocka_run_group_tests(t, NULL, NULL);
}
