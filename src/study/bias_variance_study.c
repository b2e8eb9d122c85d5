/* The study `bias-variance`: the error of the fits for each lambda, split into bias and variance. Models are trained on B
 * bootstrap samples of the training rows and applied to the same test rows. The main prediction of a row is the majority
 * vote; the first class wins a tie. Bias is the error of the main prediction, variance the mean share of models that
 * disagree with it, error the mean error of a model (Domingos, A unified bias-variance decomposition, 2000). In regression
 * the main prediction is the mean, and
 *     error = bias^2 + variance.
 * The noise counts as bias, because only noisy targets are known. */
#include "base/error.h"
#include "base/memory.h"
#include "base/rng.h"
#include "data/data.h"
#include "model/model.h"
#include "option/options.h"
#include "study/sweep_lambdas.h"

enum { STEPS = 15, MOST_DRAWS = 100 };
static const hsp_study_range RANGE = {1, 8, 12, STEPS};
static const uint64_t BOOTSTRAP_STREAM = UINT64_C(0x626f6f7473747261); /* "bootstra" */

typedef struct bootstrap_fits {
    const hsp_study_input *in;
    hsp_options *o;
    hsp_data *train, *test;
    double *grid;
    int64_t L, B, K; /* lambdas, bootstrap samples, classes (0: regression) */
    int64_t now;     /* index of the current lambda */
    double *answer;  /* B x test rows */
    double *truth;   /* test rows */
    double *seen;    /* B: error on the bootstrap sample itself */
    double *votes;   /* K */
} bootstrap_fits;

/* ---- fits ---- */

/* Whether the rows have positive weight and, in classification, at least two classes. */
static bool can_train(const hsp_data *data, const int64_t *rows, int64_t n) {
    int64_t first = -1;
    for (int64_t i = 0; i < n; i++) {
        if (data->weight && data->weight[rows[i]] == 0) continue;
        if (!data->y) return true;
        if (first < 0) first = data->y[rows[i]];
        if (data->y[rows[i]] != first) return true;
    }
    return false;
}

/* Draws sample b of the training rows, the same for every lambda. A sample with a single class is drawn again. */
static int draw_sample(const bootstrap_fits *w, int64_t b, hsp_data **out, hsp_error **err) {
    int64_t n = w->train->x.n, *rows = hsp_alloc(n, sizeof *rows);
    *out = NULL;
    if (!rows) return hsp_fail_memory(err);
    hsp_rng rng = hsp_rng_new((uint64_t)hsp_options_int(w->o, "seed", 1), BOOTSTRAP_STREAM + (uint64_t)b);
    bool found = false;
    for (int t = 0; !found && t < MOST_DRAWS; t++) {
        for (int64_t i = 0; i < n; i++) rows[i] = hsp_rng_below(&rng, n);
        found = can_train(w->train, rows, n);
    }
    int status = found ? hsp_data_take(w->train, rows, n, out, err)
                       : hsp_fail(err, HSP_EINPUT,
                                  "%lld training rows are too few for bootstrap samples, or one class is too rare: give "
                                  "more rows, or a smaller --test",
                                  (long long)n);
    hsp_free(rows);
    return status;
}

static int fit_sample(void *ctx, int64_t b, hsp_error **err) {
    bootstrap_fits *w = ctx;
    int64_t T = w->test->x.n;
    hsp_data *sample = NULL;
    hsp_model *m = NULL;
    int status = draw_sample(w, b, &sample, err);
    if (!status) status = hsp_study_train(sample, w->o, w->grid[w->now], &m, err);
    if (!status) status = hsp_study_evaluate(m, sample, &w->seen[b], err);
    if (!status) status = hsp_study_answers(m, w->test, w->answer + b * T, b == 0 ? w->truth : NULL, err);
    if (!status && b == 0) w->K = m->prepare.classes.count;
    hsp_model_free(m);
    hsp_data_free(sample);
    return status;
}

/* ---- predictions ---- */

typedef struct error_parts {
    double bias, variance, error;
} error_parts;

static error_parts parts_of_votes(const bootstrap_fits *w, int64_t i) {
    int64_t T = w->test->x.n, main = 0, truth = (int64_t)w->truth[i];
    for (int64_t k = 0; k < w->K; k++) w->votes[k] = 0;
    for (int64_t b = 0; b < w->B; b++) w->votes[(int64_t)w->answer[b * T + i]]++;
    for (int64_t k = 1; k < w->K; k++)
        if (w->votes[k] > w->votes[main]) main = k;
    double B = (double)w->B, right = truth >= 0 ? w->votes[truth] : 0;
    return (error_parts){main != truth, (B - w->votes[main]) / B, (B - right) / B};
}

static error_parts parts_of_numbers(const bootstrap_fits *w, int64_t i) {
    int64_t T = w->test->x.n;
    double B = (double)w->B, mean = 0, variance = 0, error = 0, truth = w->truth[i];
    for (int64_t b = 0; b < w->B; b++) mean += w->answer[b * T + i] / B;
    for (int64_t b = 0; b < w->B; b++) {
        double v = w->answer[b * T + i];
        variance += (v - mean) * (v - mean) / B;
        error += (v - truth) * (v - truth) / B;
    }
    return (error_parts){(mean - truth) * (mean - truth), variance, error};
}

/* ---- the study ---- */

static int prepare_samples(bootstrap_fits *w, hsp_error **err) {
    int status = hsp_study_options_lambda(w->in, "l2", &w->o, err);
    if (!status) status = hsp_study_split(w->in->data, w->o, -1, &w->train, &w->test, err);
    if (!status) status = hsp_study_grid(w->train, w->o, w->in->threads, RANGE, &w->grid, &w->L, err);
    if (status) return status;
    w->B = hsp_options_int(w->o, "bootstraps", 50);
    int64_t size = w->B * w->test->x.n, classes = w->test->classes.count + 2;
    w->answer = hsp_alloc(size, sizeof *w->answer);
    w->truth = hsp_alloc(w->test->x.n, sizeof *w->truth);
    w->seen = hsp_alloc(w->B, sizeof *w->seen);
    w->votes = hsp_alloc(classes, sizeof *w->votes);
    return w->answer && w->truth && w->seen && w->votes ? HSP_OK : hsp_fail_memory(err);
}

static int add_errors(bootstrap_fits *w, hsp_study *s, hsp_error **err) {
    static const char *const names[] = {"lambda", "bias", "variance", "error", "train_error"};
    double *v[5];
    hsp_study_course course = {.all = w->L * w->B};
    int status = hsp_study_add_vectors(s, w->L, names, 5, v, err);
    for (w->now = 0; !status && w->now < w->L; w->now++) {
        status = hsp_study_side_by_side(w->in, w->B, fit_sample, w, &course, err);
        if (status) break;
        /* Means over the test rows, weighted. */
        error_parts sum = {0};
        double mass = 0;
        for (int64_t i = 0; i < w->test->x.n; i++) {
            double c = w->test->weight ? w->test->weight[i] : 1;
            error_parts p = w->K ? parts_of_votes(w, i) : parts_of_numbers(w, i);
            mass += c;
            sum.bias += c * p.bias;
            sum.variance += c * p.variance;
            sum.error += c * p.error;
        }
        error_parts p = {sum.bias / mass, sum.variance / mass, sum.error / mass};
        double seen = 0;
        for (int64_t b = 0; b < w->B; b++) seen += w->seen[b] / (double)w->B;
        const double row[] = {w->grid[w->now], p.bias, p.variance, p.error, seen};
        for (int a = 0; a < 5; a++) v[a][w->now] = row[a];
    }
    return status;
}

static int study_bias_variance(const hsp_study_input *in, hsp_study *s, hsp_error **err) {
    bootstrap_fits w = {.in = in};
    int status = prepare_samples(&w, err);
    if (!status) status = add_errors(&w, s, err);
    if (!status) {
        const hsp_study_figure figures[] = {{"bootstraps", (double)w.B},
                                            {"train_rows", (double)w.train->x.n},
                                            {"test_rows", (double)w.test->x.n},
                                            {"squared", w.K == 0}};
        status = hsp_study_set_figures(s, figures, sizeof figures / sizeof *figures, err);
        if (!status) status = hsp_study_add_text(s, "algorithm", hsp_options_text(w.o, "algorithm"), err);
    }
    HSP_FREE(w.answer, w.truth, w.seen, w.votes, w.grid);
    hsp_data_free(w.train);
    hsp_data_free(w.test);
    hsp_options_free(w.o);
    return status;
}

const hsp_study_entry hsp_study_bias_variance = {
    .name = "bias-variance",
    .help = "bias and variance against lambda, by bootstrap",
    .needs_data = true,
    .reports = true,
    .run = study_bias_variance,
};
