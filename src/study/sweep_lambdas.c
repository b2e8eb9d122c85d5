/* The options that the fits of a study share, and the values of lambda. */
#include "study/sweep_lambdas.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "classifier/classifier.h"
#include "fit/fit.h"
#include "option/options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VALUES = 1000 };

/* ---- options ---- */

int hsp_study_options(const hsp_study_input *in, hsp_options **out, hsp_error **err) {
    const hsp_data *data = in->data;
    *out = NULL;
    if (!data->y && !data->target)
        return hsp_fail_at(err, HSP_EINPUT, hsp_data_place(data), "no labels: give their column with --target");
    int status = hsp_options_copy(in->o, out, err);
    if (!status) status = hsp_options_set(*out, "algorithm", hsp_classifier_chosen(in->o, data->target != NULL), err);
    /* Studies do not use the leave-one-out error of a fit. */
    const hsp_classifier *c = status ? NULL : hsp_classifier_find(hsp_options_text(*out, "algorithm"));
    if (c && hsp_classifier_takes(c, "loo") && !hsp_options_is_set(in->o, "loo"))
        status = hsp_options_set(*out, "loo", "no", err);
    if (status) {
        hsp_options_free(*out);
        *out = NULL;
    }
    return status;
}

int hsp_study_needs_weights(const hsp_options *o, hsp_error **err) {
    const hsp_classifier *c = hsp_classifier_find(hsp_options_text(o, "algorithm"));
    if (!c || !c->layers) return HSP_OK;
    return hsp_fail(err, HSP_EUSAGE, "%s is a network and has no weight for each feature to show: use a linear algorithm",
                    c->name);
}

static int refuse_algorithm(const char *name, const hsp_classifier *c, hsp_error **err) {
    hsp_text others = {0};
    for (int64_t i = 0; hsp_classifier_table[i]; i++)
        if (hsp_classifier_takes(hsp_classifier_table[i], "lambda"))
            hsp_text_format(&others, "%s%s", others.length ? ", " : "", hsp_classifier_table[i]->name);
    const char *what = c ? "has no lambda to vary" : "is not an algorithm";
    int status = hsp_fail(err, HSP_EUSAGE, "%s %s: use one of %s", name, what, others.s ? others.s : "");
    hsp_text_free(&others);
    return status;
}

static int choose_penalty(const hsp_classifier *c, hsp_options *o, const char *penalty, hsp_error **err) {
    if (hsp_options_is_set(o, "C") || hsp_options_is_set(o, "lambda"))
        return hsp_fail(err, HSP_EUSAGE,
                        "--lambda and -C cannot be used here, as lambda is varied: leave them out, or give the values to "
                        "try with --lambdas");
    if (hsp_options_is(o, "penalty", "none"))
        return hsp_fail(err, HSP_EUSAGE, "without a penalty there is no lambda to vary: use --penalty l2, l1 or elastic");
    /* Maximum-margin classifiers always have an L2 penalty. */
    bool free = hsp_classifier_takes(c, "penalty") && !c->only_l2;
    return free && !hsp_options_is_set(o, "penalty") ? hsp_options_set(o, "penalty", penalty, err) : HSP_OK;
}

int hsp_study_options_lambda(const hsp_study_input *in, const char *penalty, hsp_options **out, hsp_error **err) {
    int status = hsp_study_options(in, out, err);
    if (status) return status;
    const char *name = hsp_options_text(*out, "algorithm");
    const hsp_classifier *c = hsp_classifier_find(name);
    status =
        c && hsp_classifier_takes(c, "lambda") ? choose_penalty(c, *out, penalty, err) : refuse_algorithm(name, c, err);
    if (status) {
        hsp_options_free(*out);
        *out = NULL;
    }
    return status;
}

int hsp_study_options_sharp(hsp_options *o, hsp_error **err) {
    if (!hsp_options_is(o, "algorithm", "logistic") || hsp_options_is_set(o, "tol")) return HSP_OK;
    return hsp_options_set(o, "tol", "1e-6", err);
}

/* The number of classes with positive weight, counted up to 2. */
static int64_t classes_with_rows(const hsp_data *data) {
    int64_t first = -1;
    for (int64_t i = 0; i < data->x.n; i++) {
        if (data->weight && data->weight[i] == 0) continue;
        if (first < 0) first = data->y[i];
        if (data->y[i] != first) return 2;
    }
    return first < 0 ? 0 : 1;
}

double hsp_study_mass(const hsp_data *data) {
    double mass = data->weight ? 0 : (double)data->x.n;
    for (int64_t i = 0; data->weight && i < data->x.n; i++) mass += data->weight[i];
    return mass;
}

/* Both parts need positive weight, and the training part two classes if the data have them. */
static int check_parts(const hsp_data *data, const hsp_data *train, const hsp_data *test, hsp_error **err) {
    const hsp_data *part[] = {train, test};
    static const char *const used[] = {"left for training", "in the test set"};
    if (data->y && classes_with_rows(train) < 2 && classes_with_rows(data) > 1)
        return hsp_fail_at(err, HSP_EINPUT, hsp_data_place(data),
                           "with %lld of %lld rows in the test set, only one class is left for training: give more rows, "
                           "or a smaller --test",
                           (long long)test->x.n, (long long)data->x.n);
    for (int i = 0; i < 2; i++)
        if (!(hsp_study_mass(part[i]) > 0))
            return hsp_fail_at(err, HSP_EINPUT, hsp_data_place(data),
                               "all %lld rows that are %s have weight 0: remove such rows, or use another --seed",
                               (long long)part[i]->x.n, used[i]);
    return HSP_OK;
}

int hsp_study_split(const hsp_data *data, const hsp_options *o, int64_t seed, hsp_data **train, hsp_data **test,
                    hsp_error **err) {
    hsp_options *own = NULL;
    *train = *test = NULL;
    if (data->x.n < 2)
        return hsp_fail_at(err, HSP_EINPUT, hsp_data_place(data),
                           "one row cannot be split into training and test set: give more rows");
    int status = hsp_options_copy(o, &own, err);
    if (!status && data->y) status = hsp_options_set(own, "stratify", "yes", err);
    if (!status && seed >= 0) status = hsp_options_set_int(own, "seed", seed, err);
    if (!status) status = hsp_data_split(data, own, train, test, err);
    if (!status) status = check_parts(data, *train, *test, err);
    hsp_options_free(own);
    if (status) {
        hsp_data_free(*train);
        hsp_data_free(*test);
        *train = *test = NULL;
    }
    return status;
}

/* ---- values of lambda ---- */

static bool good(double v) {
    return v > 0 && v <= 1e300;
}

/* Sets v to `count` numbers from lo to hi, both exact, in equal ratios. */
static void spread_lambdas(double lo, double hi, double *v, int64_t count) {
    double a = log(lo), b = log(hi);
    for (int64_t i = 0; i < count; i++) v[i] = exp(a + (b - a) * (double)i / (double)(count - 1));
    v[0] = lo;
    v[count - 1] = hi;
}

/* Parses LO:HI[:N] into v, of capacity MOST_VALUES. Returns the number of values; 0 for a syntax error. */
static int64_t read_range(const char *text, int64_t steps, double *v) {
    const char *end = text + strlen(text);
    double lo, hi, n = (double)steps;
    const char *at = hsp_number_parse(text, end, &lo);
    if (!at || *at != ':') return 0;
    at = hsp_number_parse(at + 1, end, &hi);
    if (at && *at == ':') at = hsp_number_parse(at + 1, end, &n);
    if (at != end || !good(lo) || !good(hi) || !(lo < hi) || !(n >= 2 && n <= MOST_VALUES) || n != floor(n)) return 0;
    spread_lambdas(lo, hi, v, (int64_t)n);
    return (int64_t)n;
}

/* Parses X,X,... in the same way; sorts the values and removes duplicates. */
static int64_t read_list(const char *text, double *v) {
    const char *end = text + strlen(text);
    int64_t n = 0, kept = 0;
    for (const char *at = text;; at++) {
        if (n == MOST_VALUES) return 0;
        at = hsp_number_parse(at, end, &v[n]);
        if (!at || !good(v[n]) || (at != end && *at != ',')) return 0;
        n++;
        if (at == end) break;
    }
    qsort(v, (size_t)n, sizeof *v, hsp_ascending);
    for (int64_t i = 0; i < n; i++)
        if (kept == 0 || v[i] > v[kept - 1]) v[kept++] = v[i];
    return kept;
}

int hsp_study_grid(const hsp_data *train, const hsp_options *o, int threads, hsp_study_range range, double **lambda,
                   int64_t *count, hsp_error **err) {
    const char *text = hsp_options_text(o, "lambdas");
    double top = 1, uneven = 1;
    *lambda = NULL;
    *count = 0;
    int status = text ? HSP_OK : hsp_study_top(train, o, threads, &top, &uneven, err);
    if (status) return status;
    double *v = hsp_alloc(MOST_VALUES, sizeof *v);
    if (!v) return hsp_fail_memory(err);
    if (!text) {
        double below = fmin(range.decades + log10(uneven), range.most);
        spread_lambdas(top * pow(10, -below), top * pow(10, -range.skip), v, range.steps);
        *count = range.steps;
    } else {
        *count = strchr(text, ':') ? read_range(text, range.steps, v) : read_list(text, v);
        if (*count == 0)
            status = hsp_fail(err, HSP_EUSAGE,
                              "--lambdas cannot be '%s': give LO:HI[:N] with 0 < LO < HI and N from 2 to 1000, or up to "
                              "1000 positive numbers separated by commas",
                              text);
    }
    if (!status && !good(v[0]))
        status =
            hsp_fail(err, HSP_EINPUT, "the values are too small to compute with: use other units, or --scale standard");
    if (status)
        hsp_free(v);
    else
        *lambda = v;
    return status;
}
