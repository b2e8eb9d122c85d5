#include "verify/claim/expected_report.h"

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/report.h"
#include "base/text.h"
#include "data/matrix.h"
#include "prepare/prepare.h"
#include "verify/claim/calibration_checks.h"

#include <math.h>
#include <string.h>

typedef struct expectation {
    hsp_checks *c;
    const hsp_model *m;
    const hsp_data *data;
    const hsp_report *found;
    const hsp_report *certificate; /* as the model claims it */
    int threads;
} expectation;

static bool is(const char *text, const char *word) {
    return text && strcmp(text, word) == 0;
}

static bool is_null(const hsp_report *r) {
    return hsp_report_kind(r, NULL) <= HSP_REPORT_NULL;
}

/* ---- figures ---- */

static const char *const FIGURES[] = {"objective", "dual_bound", "relative_gap"};
enum { FIGURE_COUNT = sizeof FIGURES / sizeof *FIGURES };

/* A cancelled fit may omit its figures. `of`: what states the stop reason. */
static bool claims_nothing(const hsp_report *of, const hsp_report *claimed) {
    return is(hsp_report_text(of, "stop_reason"), "cancelled") && is_null(claimed);
}

/* Those of the report or of the certificate, `claimed`. */
static void expect_figures(const expectation *e, hsp_json *j, const hsp_report *claimed) {
    for (int i = 0; i < FIGURE_COUNT; i++) {
        bool omitted = claims_nothing(e->m->report, hsp_report_member(claimed, FIGURES[i]));
        hsp_json_report(j, FIGURES[i], omitted ? NULL : hsp_report_member(e->found, FIGURES[i]));
    }
}

/* Class, objective, bound and gap of each problem. */
static void expect_problems(const expectation *e, hsp_json *j) {
    static const char *const known[] = {"class", "objective", "dual_bound", "relative_gap"};
    const hsp_report *list = hsp_report_member(e->m->report, "problems"), *found = hsp_report_member(e->found, "problems");
    if (is_null(list) && hsp_report_count(found, NULL) <= 1) {
        hsp_json_null(j, "problems");
        return;
    }
    const hsp_report *claimed = hsp_report_next(list, NULL);
    hsp_json_array(j, "problems");
    HSP_REPORT_EACH(problem, found) {
        hsp_json_object(j, NULL);
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            if (!claims_nothing(claimed, hsp_report_member(claimed, known[i])))
                hsp_json_report(j, known[i], hsp_report_member(problem, known[i]));
        hsp_json_object_end(j);
        claimed = claimed ? hsp_report_next(list, claimed) : NULL;
    }
    hsp_json_array_end(j);
}

/* The margins of the report must be those of the claims, member by member. */
static void expect_margin(hsp_json *j, const char *key, const hsp_report *claimed, const hsp_report *found) {
    hsp_json_object(j, key);
    HSP_REPORT_EACH(member, claimed)
    hsp_json_report(j, hsp_report_name(member), hsp_report_member(found, hsp_report_name(member)));
    hsp_json_object_end(j);
}

static void expect_margins(const expectation *e, hsp_json *j) {
    const hsp_report *svm = hsp_report_member(e->m->report, "svm"), *found = hsp_report_member(e->found, "problems");
    if (hsp_report_kind(svm, NULL) == HSP_REPORT_OBJECT) expect_margin(j, "svm", svm, hsp_report_next(found, NULL));
    if (hsp_report_kind(svm, NULL) != HSP_REPORT_LIST) return;
    const hsp_report *claimed = hsp_report_next(svm, NULL);
    hsp_json_array(j, "svm");
    HSP_REPORT_EACH(problem, found) {
        expect_margin(j, NULL, claimed, problem);
        claimed = claimed ? hsp_report_next(svm, claimed) : NULL;
    }
    hsp_json_array_end(j);
}

/* ---- whether it converged ---- */

static bool is_among(const char *word, const char *const *list) {
    while (*list && !is(word, *list)) list++;
    return *list != NULL;
}

static void check_converged(const expectation *e) {
    static const char *const good[] = {"gap", "zero-loss", "gradient", NULL};
    static const char *const certified[] = {"logistic", "ridge", "svm", "hard-svm", NULL}; /* always need the tolerance */
    const hsp_report *report = e->m->report, *claimed = hsp_report_member(report, "converged");
    double tolerance = hsp_report_number(e->m->report, "tolerance");
    const char *stop = hsp_report_text(report, "stop_reason");
    bool reached = hsp_report_number(e->found, "relative_gap") <= tolerance,
         converged = hsp_report_flag(claimed, NULL) == 1;
    int missed = hsp_report_flag(report, "tolerance_missed");
    hsp_report found = hsp_report_of_flag(reached), short_of = hsp_report_of_flag(!reached);
    if (is(stop, "gap"))
        hsp_checks_add(e->c, "report.converged", claimed, &found, reached && converged, NULL);
    else if (converged ? is(stop, "cancelled") && !reached : is_among(stop, good))
        hsp_checks_add(e->c, "report.converged", claimed, NULL, false, "converged and stop_reason contradict each other");
    if (e->m->network) reached = converged; /* no dual is known: the tolerance is of the fall of the objective */
    short_of = hsp_report_of_flag(!reached);
    if (missed == 1 || (missed == 0 && is_among(e->m->algorithm, certified) && !isnan(tolerance)))
        hsp_checks_add(e->c, "report.tolerance_missed", hsp_report_member(report, "tolerance_missed"), &short_of,
                       (missed == 1) == !reached, NULL);
}

/* ---- the options ---- */

/* sum c, and the relative error that a sum in another order may have. */
static double sum_row_weights(const expectation *e, double *tolerance) {
    const double *class_weight = e->m->class_weight;
    bool plain = !e->data->weight && !class_weight;
    double sum = plain ? (double)e->data->x.n : 0;
    for (int64_t i = 0; i < e->data->x.n && !plain; i++) {
        const char *name = e->data->y ? e->data->classes.name[e->data->y[i]] : "";
        double own = e->data->weight ? e->data->weight[i] : 1;
        int64_t k = class_weight ? hsp_prepare_class(&e->m->prepare, name, (int64_t)strlen(name)) : -1;
        sum += k >= 0 ? own * class_weight[k] : own;
    }
    *tolerance = plain ? 1e-15 : fmin(1e-9, 4e-16 * ((double)e->data->x.n + 8));
    return sum;
}

/* lambda = 1 / (C sum c) */
static void check_lambda(const expectation *e) {
    const hsp_report *claimed = hsp_report_member(e->m->report, "lambda");
    double C = hsp_report_number(e->m->report, "C"), tolerance;
    if (isnan(C) && is_null(claimed)) return;
    double sum = sum_row_weights(e, &tolerance);
    hsp_checks_number(e->c, "report.lambda", claimed, 1 / (C * sum), tolerance);
}

/* The objective times lambda, or divided by sum c without a penalty: of the claimed figures, which are checked themselves.
 * Older models do not state it, and neither do hard margins. */
static void check_mean_objective(const expectation *e) {
    const hsp_report *claimed = hsp_report_member(e->m->report, "mean_objective");
    double lambda = hsp_report_number(e->m->report, "lambda"), P = hsp_report_number(e->m->report, "objective"),
           unused;
    if (!claimed || (is_null(claimed) && e->m->objective.hard) || claims_nothing(e->m->report, claimed)) return;
    double mean = isnan(lambda) ? P / sum_row_weights(e, &unused) : P * lambda;
    hsp_checks_number(e->c, "report.mean_objective", claimed, mean, 0);
}

/* Options that the report repeats, where they are given. */
static void expect_options(const expectation *e, hsp_json *j) {
    static const char *const same[][2] = {{"C", "C"},         {"lambda", "lambda"},   {"tol", "tolerance"},
                                          {"delta", "delta"}, {"penalty", "penalty"}, {"loss", "loss"}};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        const hsp_report *option = hsp_report_member(e->m->options, same[i][0]);
        const hsp_report *stated = hsp_report_member(e->m->report, same[i][1]);
        bool left = is(same[i][0], "tol") && is_null(stated);         /* no tolerance was used */
        bool joint = is(same[i][0], "loss") && e->m->objective.joint; /* softmax, requested as logistic */
        if (!is_null(option) && !left && !joint) hsp_json_report(j, same[i][0], stated);
    }
    const hsp_prepare *p = &e->m->prepare;
    if (hsp_report_text(e->m->options, "positive"))
        hsp_json_string(j, "positive", p->positive >= 0 ? p->classes.name[p->positive] : NULL);
    if (hsp_report_text(e->m->options, "scale")) hsp_json_string(j, "scale", p->scale);
    if (hsp_report_text(e->m->options, "scale-all") && p->encoding && p->factor)
        hsp_json_string(j, "scale-all", p->scale_all ? "yes" : "no");
}

static void check_l1_ratio(const expectation *e) {
    const hsp_report *claimed = hsp_report_member(e->m->options, "l1-ratio");
    double ratio = hsp_report_number(claimed, NULL);
    if (is(e->m->objective.penalty, "elastic"))
        hsp_checks_add(e->c, "options.l1-ratio", claimed, NULL, ratio >= 0 && ratio <= 1,
                       "the share of L1 is not a number from 0 to 1");
}

/* The intercept of output k in the units of the problem that was solved, and the scale of its rounding error. */
static double intercept_of(const hsp_model *m, int64_t k, double *size) {
    const hsp_prepare *p = &m->prepare;
    double b = m->b[k];
    *size = 0;
    for (int64_t j = 0; p->shift && j < p->schema.d; j++) {
        double part = m->w[k * p->schema.d + j] * p->shift[j];
        b += part;
        *size += fabs(part);
    }
    return b;
}

/* The objective depends on the intercept: free, penalised, or none (then it is 0). */
static void check_intercept(const expectation *e) {
    const hsp_report *claimed = hsp_report_member(e->m->options, "intercept");
    const char *word = hsp_report_text(claimed, NULL);
    if (!claimed || e->m->network) return;
    bool holds = is(word, "free") || is(word, "penalised") || is(word, "none");
    for (int64_t k = 0; is(word, "none") && k < e->m->outputs; k++) {
        double size, b = intercept_of(e->m, k, &size);
        bool absent = e->m->b[k] == -1e300; /* a class without rows */
        if (!absent && !(fabs(b) <= 1e-12 * size)) holds = false;
    }
    hsp_checks_add(e->c, "options.intercept", claimed, NULL, holds,
                   "options.intercept is not what the intercept of the model says");
}

/* ---- data and weights ---- */

static void expect_data(const expectation *e, hsp_json *j) {
    const hsp_prepare *p = &e->m->prepare;
    hsp_json_int(j, "rows", e->data->x.n);
    hsp_json_int(j, "features", e->data->x.d);
    hsp_json_int(j, "nonzeros", e->data->x.nonzeros);
    if (p->regression) {
        hsp_json_null(j, "classes");
    } else {
        hsp_json_array(j, "classes");
        for (int64_t k = 0; k < p->classes.count; k++) hsp_json_string(j, NULL, p->classes.name[k]);
        hsp_json_array_end(j);
    }
    if (e->m->class_weight && !p->regression)
        hsp_json_numbers(j, "class_weight", e->m->class_weight, p->classes.count);
    else
        hsp_json_null(j, "class_weight");
    hsp_json_string(j, "positive", p->positive >= 0 ? p->classes.name[p->positive] : NULL);
    hsp_json_bool(j, "weighted", e->data->weight != NULL);
    hsp_json_string(j, "scale", p->scale);
    hsp_json_string(j, "algorithm", e->m->algorithm);
    hsp_json_string(j, "task", e->m->task);
}

/* The model's predictions on its training rows, in the arithmetic of predict, summed in the order of training. */
static void expect_answers(const expectation *e, hsp_json *j, double *scores) {
    const hsp_data *data = e->data;
    double right = 0, mass = 0, sum = 0, squares = 0, residuals = 0;
    for (int64_t i = 0; i < data->x.n; i++) {
        double c = data->weight ? data->weight[i] : 1;
        hsp_model_score_row(e->m, hsp_matrix_row(&data->x, i), scores);
        mass += c;
        if (data->target) {
            double r = data->target[i] - scores[0];
            residuals += c * r * r;
            sum += c * data->target[i];
        } else {
            const char *name = data->classes.name[data->y[i]];
            int64_t own = hsp_prepare_class(&e->m->prepare, name, (int64_t)strlen(name));
            right += hsp_model_decide(e->m, scores) == own ? c : 0;
        }
    }
    hsp_json_number(j, "train_accuracy", data->target ? (double)NAN : right / mass);
    if (!data->target) return;
    for (int64_t i = 0; i < data->x.n; i++) {
        double t = data->target[i] - sum / mass;
        squares += (data->weight ? data->weight[i] : 1) * t * t;
    }
    if (hsp_report_member(e->m->report, "train_mse")) hsp_json_number(j, "train_mse", residuals / mass); /* not in old models */
    hsp_json_number(j, "train_rmse", sqrt(residuals / mass));
    hsp_json_number(j, "train_r2", squares > 0 ? 1 - residuals / squares : (double)NAN);
}

static void expect_weights(const expectation *e, hsp_json *j) {
    int64_t count = 0, size = e->m->outputs * e->m->prepare.schema.d;
    char hex[17];
    for (int64_t i = 0; e->m->w && i < size; i++) count += e->m->w[i] != 0;
    hsp_hex(hsp_model_checksum(e->m), hex);
    if (e->m->w)
        hsp_json_int(j, "nonzero_weights", count);
    else
        hsp_json_null(j, "nonzero_weights");
    hsp_json_string(j, "checksum", hex);
}

/* Fits the transform of the columns again and compares. */
static int check_scale(const expectation *e, hsp_error **err) {
    const hsp_prepare *p = &e->m->prepare;
    if (!p->factor) return HSP_OK;
    hsp_options *o = NULL;
    hsp_prepare again = {0};
    int status = hsp_options_new(&o, NULL);
    if (!status) status = hsp_options_set(o, "scale", p->scale, NULL);
    if (!status) status = hsp_options_set(o, "scale-all", p->scale_all ? "yes" : "no", NULL);
    if (!status) status = hsp_prepare_fit(e->data, o, &again, NULL);
    size_t size = (size_t)p->schema.d * sizeof(double);
    bool same = !status && again.factor && !again.shift == !p->shift && memcmp(again.factor, p->factor, size) == 0 &&
                (!p->shift || memcmp(again.shift, p->shift, size) == 0);
    if (status != HSP_EMEMORY)
        hsp_checks_add(e->c, "scale", NULL, NULL, same, "the scaling of the columns does not match the data");
    hsp_prepare_clear(&again);
    hsp_options_free(o);
    return status == HSP_EMEMORY ? hsp_fail_memory(err) : HSP_OK;
}

/* Measures the features again and compares. */
static int check_spread(const expectation *e, hsp_error **err) {
    const hsp_extra *means = hsp_model_extra(e->m, "feature-means"), *sds = hsp_model_extra(e->m, "feature-sds");
    if (!means && !sds) return HSP_OK;
    int64_t d = e->data->x.d;
    double *mean = hsp_alloc(d, sizeof *mean), *sd = hsp_alloc(d, sizeof *sd);
    int status = mean && sd ? hsp_feature_spread(&e->data->x, e->threads, mean, sd) : HSP_EMEMORY;
    if (status) {
        status = hsp_fail_memory(err);
    } else {
        bool same = (!means || memcmp(means->data, mean, (size_t)d * sizeof *mean) == 0) &&
                    (!sds || memcmp(sds->data, sd, (size_t)d * sizeof *sd) == 0);
        hsp_checks_add(e->c, "feature spread", NULL, NULL, same,
                       "the means and standard deviations of the features do not match the data");
    }
    HSP_FREE(mean, sd);
    return status;
}

/* ---- all members ---- */

/* Members that are inputs of the objective's figures, and members with a check of their own. */
static const char *const REPORT_ELSEWHERE[] = {
    "loss",      "penalty",   "C",                "delta",          "tolerance",   "lambda",        "converged",
    "separable", "tolerance_missed", "mean_objective", "calibration", "decision_rule", NULL};
static const char *const OPTIONS_ELSEWHERE[] = {"intercept", "l1-ratio", "calibrate", "calibrate-folds", "decide", NULL};

static void expect_report(const expectation *e, hsp_json *j, double *scores) {
    hsp_json_object(j, "report");
    expect_figures(e, j, e->m->report);
    expect_answers(e, j, scores);
    expect_problems(e, j);
    expect_margins(e, j);
    expect_data(e, j);
    expect_weights(e, j);
    hsp_json_object_end(j);
    hsp_json_object(j, "certificate");
    expect_figures(e, j, e->certificate);
    hsp_json_report(j, "tolerance", hsp_report_member(e->m->report, "tolerance"));
    hsp_json_object_end(j);
    hsp_json_object(j, "options");
    expect_options(e, j);
    hsp_json_object_end(j);
}

static int claimed_certificate(const hsp_certificate *c, hsp_report **out, hsp_error **err) {
    hsp_json j = {0};
    hsp_json_object(&j, NULL);
    hsp_json_number(&j, "objective", c->objective);
    hsp_json_number(&j, "dual_bound", c->dual_bound);
    hsp_json_number(&j, "relative_gap", c->relative_gap);
    hsp_json_number(&j, "tolerance", c->tolerance);
    hsp_json_object_end(&j);
    return hsp_json_take(&j, out, err);
}

int hsp_expected_report_check(hsp_checks *c, const hsp_model *m, const hsp_data *data, const hsp_report *found,
                              int threads, hsp_error **err) {
    hsp_json j = {0};
    hsp_report *expected = NULL, *certificate = NULL;
    double *scores = hsp_alloc(m->outputs, sizeof *scores);
    int status = scores ? claimed_certificate(&m->certificate, &certificate, err) : hsp_fail_memory(err);
    const expectation e = {.c = c, .m = m, .data = data, .found = found, .certificate = certificate, .threads = threads};
    if (!status) {
        hsp_json_object(&j, NULL);
        expect_report(&e, &j, scores);
        hsp_json_object_end(&j);
        status = hsp_json_take(&j, &expected, err);
    }
    hsp_free(scores);
    if (!status) {
        hsp_checks_known(c, "report", m->report, hsp_report_member(expected, "report"), REPORT_ELSEWHERE);
        hsp_checks_known(c, "certificate", certificate, hsp_report_member(expected, "certificate"), NULL);
        check_lambda(&e);
        check_mean_objective(&e);
        hsp_checks_known(c, "options", m->options, hsp_report_member(expected, "options"), OPTIONS_ELSEWHERE);
        check_l1_ratio(&e);
        check_intercept(&e);
        check_converged(&e);
        hsp_calibration_check(c, m);
        status = check_scale(&e, err);
        if (!status) status = check_spread(&e, err);
    }
    hsp_report_free(expected);
    hsp_report_free(certificate);
    return status;
}
