/* Parallel fits, the predictions of their models, and the weights kept of each. */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "classifier/classifier.h"
#include "data/data.h"
#include "model/model.h"
#include "option/options.h"
#include "prepare/prepare.h"
#include "problem/problem.h"
#include "solve/loop/progress_line.h"
#include "solve/loop/run.h"
#include "study/sweep_lambdas.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* ---- fits ---- */

static int cancelled(hsp_error **err) {
    return hsp_fail(err, HSP_ECANCELLED, "cancelled before the first result");
}

/* Trains a model with this lambda unless it is NaN. With `several`, passes the model `before` to hsp_train_after. */
static int fit_one(const hsp_data *train, const hsp_options *o, double lambda, bool several, const hsp_model *before,
                   const hsp_hooks *hooks, hsp_model **out, hsp_error **err) {
    hsp_options *own = NULL;
    *out = NULL;
    int status = hsp_options_copy(o, &own, err);
    if (!status && !isnan(lambda)) status = hsp_options_set_double(own, "lambda", lambda, err);
    if (!status)
        status = several ? hsp_train_after(train, own, before, out, err) : hsp_train(train, own, hooks, out, NULL, err);
    hsp_options_free(own);
    if (!status && !*out)
        status = hsp_fail(err, HSP_EINPUT,
                          "the training rows are not separable, so hard-svm has no solution: use another algorithm");
    const char *stop = status ? NULL : hsp_model_field(*out, "stop_reason");
    if (stop && strcmp(stop, "cancelled") == 0) status = cancelled(err);
    if (status) {
        hsp_model_free(*out);
        *out = NULL;
    }
    return status;
}

int hsp_study_train(const hsp_data *train, const hsp_options *o, double lambda, hsp_model **out, hsp_error **err) {
    return fit_one(train, o, lambda, false, NULL, NULL, out, err);
}

int hsp_study_train_watched(const hsp_data *train, const hsp_options *o, double lambda, const hsp_hooks *hooks,
                            hsp_model **out, hsp_error **err) {
    return fit_one(train, o, lambda, false, NULL, hooks, out, err);
}

enum { BATCH = 32 };

typedef struct crowd {
    int (*task)(void *ctx, int64_t i, hsp_error **err);
    void *ctx;
    int64_t first;
    int status[BATCH];
    hsp_error *error[BATCH];
    atomic_bool stop;
    atomic_int running;
} crowd;

/* Tasks start in order: when one fails, all before it have started. */
static void call_task(void *ctx, int64_t i) {
    crowd *c = ctx;
    if (atomic_load(&c->stop)) return;
    atomic_fetch_add(&c->running, 1);
    c->status[i] = hsp_cancel_pending() ? cancelled(&c->error[i]) : c->task(c->ctx, c->first + i, &c->error[i]);
    if (c->status[i]) atomic_store(&c->stop, true);
    /* A request stops one fit: each that it stopped passes it on, until none is left. hsp_study_run clears the last one. */
    if (atomic_fetch_sub(&c->running, 1) > 1 && c->status[i] == HSP_ECANCELLED) hsp_cancel_pass_on();
}

static int first_error(crowd *c, int64_t count, hsp_error **err) {
    int status = HSP_OK;
    for (int64_t i = 0; i < count; i++) {
        if (!status) {
            status = c->status[i];
            hsp_error_pass(err, c->error[i]);
        } else {
            hsp_error_free(c->error[i]);
        }
    }
    return status;
}

static int report_progress(const hsp_hooks *hooks, const hsp_study_course *c, hsp_error **err) {
    if (!hooks || hooks->size < offsetof(hsp_hooks, progress) + sizeof hooks->progress || !hooks->progress) return HSP_OK;
    hsp_run_place place = {c->done, c->all, "fits"};
    hsp_outcome unknown = {.dual_bound = NAN, .gap = NAN};
    const hsp_progress p = hsp_progress_line(place, 0, &unknown, (hsp_evaluation){NAN, NAN, NAN, NAN}, c->begun, "study");
    return hooks->progress(hooks->user, &p) ? cancelled(err) : HSP_OK;
}

int hsp_study_side_by_side(const hsp_study_input *in, int64_t tasks, int (*task)(void *ctx, int64_t i, hsp_error **err),
                           void *ctx, hsp_study_course *course, hsp_error **err) {
    hsp_study_course own = {.all = tasks}, *at = course ? course : &own;
    int64_t batch = 4 * (int64_t)in->threads < BATCH ? 4 * in->threads : BATCH;
    int status = HSP_OK;
    if (at->done == 0) at->begun = hsp_clock_seconds();
    for (int64_t first = 0; !status && first < tasks; first += batch) {
        int64_t count = tasks - first < batch ? tasks - first : batch;
        crowd c = {.task = task, .ctx = ctx, .first = first};
        hsp_pool_run(count, in->threads, call_task, &c);
        status = first_error(&c, count, err);
        at->done += count;
        if (!status) status = report_progress(in->hooks, at, err);
    }
    return status;
}

/* ---- predictions ---- */

/* The true classes of the rows, in the numbering of the model. */
static int true_classes(const hsp_model *m, const hsp_data *data, double *truth, hsp_error **err) {
    const hsp_classes *classes = &data->classes;
    double *map = hsp_alloc(classes->count > 0 ? classes->count : 1, sizeof *map);
    if (!map) return hsp_fail_memory(err);
    for (int64_t k = 0; k < classes->count; k++)
        map[k] = (double)hsp_prepare_class(&m->prepare, classes->name[k], (int64_t)strlen(classes->name[k]));
    for (int64_t i = 0; i < data->x.n; i++) truth[i] = map[data->y[i]];
    hsp_free(map);
    return HSP_OK;
}

int hsp_study_answers(const hsp_model *m, const hsp_data *data, double *answer, double *truth, hsp_error **err) {
    int64_t n = data->x.n;
    if (m->prepare.regression) {
        if (truth && n > 0) memcpy(truth, data->target, (size_t)n * sizeof *truth);
        return hsp_model_score(m, data, answer, NULL, err);
    }
    int32_t *class = hsp_alloc(n > 0 ? n : 1, sizeof *class);
    int status = class ? hsp_model_score(m, data, NULL, class, err) : hsp_fail_memory(err);
    for (int64_t i = 0; !status && i < n; i++) answer[i] = class[i];
    if (!status && truth) status = true_classes(m, data, truth, err);
    hsp_free(class);
    return status;
}

/* The weighted mean of the squared differences, or of the indicator that the two differ. */
static double mean_error(const hsp_data *data, const double *answer, const double *truth, bool squared) {
    double sum = 0, mass = 0;
    for (int64_t i = 0; i < data->x.n; i++) {
        double weight = data->weight ? data->weight[i] : 1, distance = answer[i] - truth[i];
        mass += weight;
        sum += weight * (squared ? distance * distance : distance != 0);
    }
    return sum / mass;
}

int hsp_study_evaluate(const hsp_model *m, const hsp_data *data, double *error, hsp_error **err) {
    int64_t n = data->x.n > 0 ? data->x.n : 1;
    if (!(hsp_study_mass(data) > 0))
        return hsp_fail_at(err, HSP_EINPUT, hsp_data_place(data), "all %lld test rows have weight 0: remove such rows",
                           (long long)data->x.n);
    double *answer = hsp_alloc(n, sizeof *answer), *truth = hsp_alloc(n, sizeof *truth);
    int status = answer && truth ? hsp_study_answers(m, data, answer, truth, err) : hsp_fail_memory(err);
    if (!status) *error = mean_error(data, answer, truth, m->prepare.regression);
    HSP_FREE(answer, truth);
    return status;
}

/* ---- weights ---- */

double hsp_study_unit(const hsp_model *m, int64_t j) {
    return m->prepare.factor && m->prepare.factor[j] > 0 ? 1 / m->prepare.factor[j] : 1;
}

static void keep_values(const hsp_model *m, hsp_study_weights *out) {
    int64_t size = out->outputs * out->d, n = 0;
    double square = 0;
    for (int64_t e = 0; e < size; e++) {
        if (m->w[e] == 0 && out->place) continue;
        double v = m->w[e] * hsp_study_unit(m, e % out->d);
        if (out->place) out->place[n] = e;
        out->value[n++] = m->w[e];
        square += v * v;
    }
    memcpy(out->intercept, m->b, (size_t)m->outputs * sizeof *m->b);
    out->norm = sqrt(square);
}

void hsp_study_forget(hsp_study_weights *w) {
    HSP_FREE(w->place, w->value, w->intercept);
    *w = (hsp_study_weights){0};
}

int hsp_study_keep(const hsp_model *m, hsp_study_weights *out, hsp_error **err) {
    int64_t d = m->prepare.schema.d, size = m->outputs * d, nonzeros = 0;
    if (m->network) return hsp_model_no_weights(m, err);
    for (int64_t e = 0; e < size; e++) nonzeros += m->w[e] != 0;
    bool all = 2 * nonzeros > size;
    *out = (hsp_study_weights){.outputs = m->outputs,
                               .d = d,
                               .count = all ? size : nonzeros,
                               .nonzeros = nonzeros,
                               .gap = m->certificate.relative_gap};
    int64_t room = out->count > 0 ? out->count : 1;
    if (!all) out->place = hsp_alloc(room, sizeof *out->place);
    out->value = hsp_alloc(room, sizeof *out->value);
    out->intercept = hsp_alloc(m->outputs, sizeof *out->intercept);
    if ((!all && !out->place) || !out->value || !out->intercept) {
        hsp_study_forget(out);
        return hsp_fail_memory(err);
    }
    keep_values(m, out);
    return HSP_OK;
}

static void hand_on(hsp_study_sweep *s, hsp_model *m) {
    if (s->last != s->model) hsp_model_free(s->last);
    s->last = m;
}

static int fit_lambda(void *ctx, int64_t i, hsp_error **err) {
    hsp_study_sweep *s = ctx;
    hsp_model *m = NULL;
    int status = fit_one(s->train, s->o, s->lambda[i], true, s->last, NULL, &m, err);
    if (!status) status = hsp_study_evaluate(m, s->train, &s->train_error[i], err);
    if (!status && s->test) status = hsp_study_evaluate(m, s->test, &s->test_error[i], err);
    if (!status) status = hsp_study_keep(m, &s->kept[i], err);
    if (i == 0) s->model = m;
    if (s->chained)
        hand_on(s, m);
    else if (i > 0)
        hsp_model_free(m);
    return status;
}

/* Adds the lambdas in order and the arrays for the errors to the study. */
static int add_lambdas(const hsp_study_input *in, hsp_study_sweep *w, hsp_study_range range, hsp_study *s,
                       hsp_error **err) {
    static const char *const names[] = {"lambda", "train_error", "test_error"};
    double *grid = NULL, *v[3] = {NULL};
    int status = hsp_study_options_sharp(w->o, err);
    if (!status) status = hsp_study_grid(w->train, w->o, in->threads, range, &grid, &w->L, err);
    if (!status) status = hsp_study_add_vectors(s, w->L, names, w->test ? 3 : 2, v, err);
    for (int64_t i = 0; !status && i < w->L; i++) v[0][i] = grid[w->falling ? w->L - 1 - i : i];
    hsp_free(grid);
    w->lambda = v[0];
    w->train_error = v[1];
    w->test_error = v[2];
    return status;
}

/* Warm-started fits run in sequence, each on all threads. */
int hsp_study_sweep_run(const hsp_study_input *in, hsp_study_sweep *w, hsp_study_range range, hsp_study *s,
                        hsp_error **err) {
    hsp_study_input own = *in;
    if (w->chained) own.threads = 1;
    int status = add_lambdas(in, w, range, s, err);
    if (status) return status;
    w->kept = hsp_alloc_zero(w->L, sizeof *w->kept);
    if (!w->kept) return hsp_fail_memory(err);
    status = hsp_study_side_by_side(&own, w->L, fit_lambda, w, NULL, err);
    hand_on(w, NULL);
    return status;
}

void hsp_study_sweep_clear(hsp_study_sweep *w) {
    for (int64_t i = 0; w->kept && i < w->L; i++) hsp_study_forget(&w->kept[i]);
    hsp_free(w->kept);
    hsp_model_free(w->model);
    hsp_data_free(w->own_train);
    hsp_data_free(w->own_test);
    hsp_options_free(w->o);
    *w = (hsp_study_sweep){0};
}

int hsp_study_sweep_add_norms(const hsp_study_sweep *w, hsp_study *s, hsp_error **err) {
    static const char *const names[] = {"norm", "relative_gap"};
    double *v[2];
    int status = hsp_study_add_vectors(s, w->L, names, 2, v, err);
    for (int64_t i = 0; !status && i < w->L; i++) {
        v[0][i] = w->kept[i].norm;
        v[1][i] = w->kept[i].gap;
    }
    return status;
}

int hsp_study_sweep_add_features(const hsp_study_sweep *w, const int64_t *feature, int64_t count, int64_t rows,
                                 int64_t columns, hsp_study *s, double **weights, hsp_error **err) {
    char number[32];
    *weights = hsp_study_add(s, "weights", rows, columns, err);
    double *scale = *weights ? hsp_study_add(s, "scale", count, 0, err) : NULL;
    int status = scale ? HSP_OK : HSP_EMEMORY;
    for (int64_t f = 0; !status && f < count; f++) {
        scale[f] = hsp_study_unit(w->model, feature[f]);
        status = hsp_study_add_text(s, "features", hsp_model_feature_label(w->model, feature[f], number), err);
    }
    return status;
}

typedef struct rank {
    double size;
    int64_t feature;
} rank;

static int by_size(const void *a, const void *b) {
    const rank *u = a, *v = b;
    if (u->size != v->size) return u->size > v->size ? -1 : 1;
    return u->feature < v->feature ? -1 : 1;
}

int hsp_study_largest(const hsp_study_weights *w, int64_t models, const hsp_model *m, int64_t most, int64_t *feature,
                      int64_t *count, hsp_error **err) {
    int64_t d = m->prepare.schema.d;
    *count = 0;
    rank *r = hsp_alloc(d > 0 ? d : 1, sizeof *r);
    if (!r) return hsp_fail_memory(err);
    for (int64_t j = 0; j < d; j++) r[j] = (rank){0, j};
    for (int64_t i = 0; i < models; i++)
        for (int64_t t = 0; t < w[i].count; t++) {
            rank *at = &r[(w[i].place ? w[i].place[t] : t) % d];
            at->size = fmax(at->size, fabs(w[i].value[t]));
        }
    for (int64_t j = 0; j < d; j++) r[j].size *= hsp_study_unit(m, j);
    qsort(r, (size_t)d, sizeof *r, by_size);
    while (*count < most && *count < d && r[*count].size > 0) {
        feature[*count] = r[*count].feature;
        (*count)++;
    }
    hsp_free(r);
    return HSP_OK;
}

/* The weight at index `place`; 0 where none is stored. */
static double value_at(const hsp_study_weights *w, int64_t place) {
    int64_t lo = 0, hi = w->count;
    if (!w->place) return w->value[place];
    while (lo < hi) { /* binary search for the first index >= place */
        int64_t middle = lo + (hi - lo) / 2;
        if (w->place[middle] < place)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo < w->count && w->place[lo] == place ? w->value[lo] : 0;
}

void hsp_study_pick(const hsp_study_weights *w, int64_t k, const int64_t *feature, int64_t count, double *out) {
    for (int64_t f = 0; f < count; f++) out[f] = value_at(w, k * w->d + feature[f]);
}
