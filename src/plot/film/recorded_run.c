/* See recorded_run.h. Both runs are the same to the last bit, and the second has no surprises for memory: a moment is a few
 * numbers. */
#include "plot/film/recorded_run.h"

#include "plot/boundary/slice.h"
#include "plot/draw/picture_bytes.h"

#include <math.h>
#include <string.h>

/* Products of weights and features that counting the mistakes of all frames may take, and weights that are kept for it. */
static const double most_products = 2e9, most_kept = 1.6e7;

/* ---- the first run ---- */

static int count_update(void *user, const hsp_update *u) {
    hsp_film_run *f = user;
    if (!f->counted.last) {
        f->d = u->features;
        f->counted.last = hsp_alloc_zero(f->d, sizeof *f->counted.last);
        if (!f->counted.last) f->counted.failed = true;
    }
    if (f->counted.failed || u->problems != 1 || u->features != f->d) return 1;
    memcpy(f->counted.last, u->weights, (size_t)f->d * sizeof *f->counted.last);
    f->counted.last_b = u->intercept;
    f->total = u->updates;
    f->counted.calls++;
    return 0;
}

static int pass_progress(void *user, const hsp_progress *p) {
    hsp_film_run *f = user;
    f->counted.epochs = p->epoch;
    return f->hooks && f->hooks->progress ? f->hooks->progress(f->hooks->user, p) : 0;
}

static void pass_log(void *user, int level, const char *line) {
    hsp_film_run *f = user;
    if (f->hooks && f->hooks->log) f->hooks->log(f->hooks->user, level, line);
}

static bool cancelled(const hsp_model *m) {
    const char *reason = m ? hsp_model_field(m, "stop_reason") : NULL;
    return reason && strcmp(reason, "cancelled") == 0;
}

static bool near(const double *a, const double *b, int64_t n) {
    double off = 0, size = 0;
    for (int64_t j = 0; j < n; j++) {
        off = fmax(off, fabs(a[j] - b[j]));
        size = fmax(size, fmax(fabs(a[j]), fabs(b[j])));
    }
    return off <= 1e-9 * size;
}

/* What is kept may be another point than the last: the best one, an average, or one that another method has finished. */
static int take_model(hsp_film_run *f, hsp_error **err) {
    hsp_array w = {.size = sizeof w}, b = {.size = sizeof b};
    int status = hsp_model_array(f->model, "weights", &w, err);
    if (status == HSP_OK) status = hsp_model_array(f->model, "intercepts", &b, err);
    if (status != HSP_OK) return status;
    f->weights = w.data;
    f->intercept = *(const double *)b.data;
    f->extra = !near(f->weights, f->counted.last, f->d) ||
               fabs(f->intercept - f->counted.last_b) > 1e-9 * fmax(1, fabs(f->intercept));
    return HSP_OK;
}

static int run_first(hsp_film_run *f, hsp_error **err) {
    hsp_hooks hooks = {.size = sizeof hooks, .user = f, .progress = pass_progress, .log = pass_log, .update = count_update};
    int status = hsp_train(f->data, f->o, &hooks, &f->model, &f->training, err);
    if (status != HSP_OK) return status;
    if (f->counted.failed) return hsp_plot_fail_memory(err);
    if (cancelled(f->model)) return hsp_fail(err, HSP_ECANCELLED, "stopped: no film was made");
    if (f->counted.calls == 0 || !f->model)
        return hsp_fail(err, HSP_EUSAGE,
                        "the solver that was asked for does not change the weights one row or step at a time, as a film "
                        "shows it: leave --solver out");
    status = take_model(f, err);
    return status == HSP_OK ? hsp_data_encode_for(f->model, f->data, &f->own, err) : status;
}

/* As the model has them: a part of a table learns features of its own. */
static const hsp_data *rows_of(const hsp_film_run *f) {
    return f->own ? f->own : f->data;
}

/* ---- the plane ---- */

static const double *array_of(const hsp_study *s, const char *name, hsp_error **err) {
    hsp_array a = {.size = sizeof a};
    return hsp_study_array(s, name, &a, err) == HSP_OK ? a.data : NULL;
}

static int take_plane(hsp_film_run *f, hsp_error **err) {
    int status = hsp_study_run("plane", f->model, rows_of(f), f->o, NULL, &f->plane.study, err);
    if (status != HSP_OK) return status;
    f->n = hsp_data_rows(f->data);
    f->plane.u = array_of(f->plane.study, "u", err);
    f->plane.v = array_of(f->plane.study, "v", err);
    f->plane.lift = array_of(f->plane.study, "lift", err);
    if (!f->plane.u || !f->plane.v || !f->plane.lift) return HSP_EINTERNAL;
    f->plane.truth = hsp_alloc_zero(f->n, sizeof *f->plane.truth);
    return f->plane.truth ? hsp_slice_labels(f->model, f->data, f->plane.truth, err) : hsp_plot_fail_memory(err);
}

/* ---- which updates are shown ---- */

/* With steps that grow by the factor q, one at least: how many moments it takes to the last update; fills `out`. */
static int64_t schedule(int64_t total, double q, int64_t most, int64_t *out) {
    int64_t count = 1, k = 0;
    if (out) out[0] = 0;
    while (k < total && count < most) {
        int64_t next = (int64_t)fmin(floor((double)k * q), (double)total);
        k = next > k ? next : k + 1;
        if (out) out[count] = k;
        count++;
    }
    return k < total ? INT64_MAX : count;
}

/* All updates, or the first ones all and then ever fewer, the last in any case. */
static int choose_moments(hsp_film_run *f, int64_t most, hsp_error **err) {
    double low = 1, high = 1;
    most -= f->extra;
    if (f->total + 1 < most) most = f->total + 1;
    f->keeping.wanted = hsp_alloc_zero(most, sizeof *f->keeping.wanted);
    f->moment = hsp_alloc_zero(most + 1, sizeof *f->moment);
    if (!f->keeping.wanted || !f->moment) return hsp_plot_fail_memory(err);
    while (most > 1 && schedule(f->total, high, most, NULL) > most) low = high, high *= 2;
    for (int k = 0; most > 1 && k < 60; k++) {
        double middle = (low + high) / 2;
        if (schedule(f->total, middle, most, NULL) > most)
            low = middle;
        else
            high = middle;
    }
    f->keeping.count =
        most > 1 ? schedule(f->total, high, most, f->keeping.wanted) : 1; /* one: the start, and then the model */
    bool exact = (double)(f->keeping.count + 1) * (double)(f->d + 1) <= most_kept &&
                 (double)(f->keeping.count + 1) * (double)f->d * (double)f->n <= most_products;
    if (exact) f->keeping.weights = hsp_alloc_zero((f->keeping.count + 1) * (f->d + 1), sizeof *f->keeping.weights);
    return exact && !f->keeping.weights ? hsp_plot_fail_memory(err) : HSP_OK;
}

/* ---- the second run ---- */

static hsp_film_moment *add_moment(hsp_film_run *f, const double *w, double b) {
    hsp_film_moment *m = &f->moment[f->moments];
    *m = (hsp_film_moment){
        .row = -1, .mistakes = -1, .objective = f->keeping.objective, .objective_epoch = f->keeping.objective_epoch};
    for (int k = 0; k < 3; k++) {
        const double *lift = f->plane.lift + k * f->d;
        m->g[k] = k == 0 ? b : 0;
        for (int64_t j = 0; j < f->d; j++) m->g[k] += w[j] * lift[j];
    }
    if (f->keeping.weights) {
        double *to = f->keeping.weights + f->moments * (f->d + 1);
        memcpy(to, w, (size_t)f->d * sizeof *to);
        to[f->d] = b;
    }
    f->moments++;
    return m;
}

static int keep_update(void *user, const hsp_update *u) {
    hsp_film_run *f = user;
    if (f->moments >= f->keeping.count || u->features != f->d)
        return 1; /* not the same run: a limit on time came into play */
    if (u->updates != f->keeping.wanted[f->moments]) return 0;
    hsp_film_moment *m = add_moment(f, u->weights, u->intercept);
    bool ended = f->whole || u->steps == u->epoch * f->n; /* the epoch in which it was is complete with it */
    m->updates = u->updates;
    m->row = u->row;
    m->epoch = ended ? u->epoch : u->epoch + 1;
    return 0;
}

/* Where nothing was updated since the last moment it is the objective there, however many epochs later. */
static int keep_objective(void *user, const hsp_progress *p) {
    hsp_film_run *f = user;
    f->keeping.objective = f->objective ? p->objective : NAN;
    f->keeping.objective_epoch = p->epoch;
    if (f->moments > 0 && f->moment[f->moments - 1].updates == p->updates) {
        f->moment[f->moments - 1].objective = f->keeping.objective;
        f->moment[f->moments - 1].objective_epoch = f->moment[f->moments - 1].epoch;
    }
    return 0;
}

static void end_moments(hsp_film_run *f) {
    if (!f->extra) return;
    hsp_film_moment *m = add_moment(f, f->weights, f->intercept);
    m->updates = f->total;
    const char *text = f->objective ? hsp_model_field(f->model, "objective") : NULL;
    double v = NAN;
    m->objective = text && hsp_parse_number(text, strlen(text), &v) == HSP_OK ? v : NAN;
    m->model = true;
    m->epoch = f->counted.epochs;
}

static int run_again(hsp_film_run *f, hsp_error **err) {
    hsp_hooks hooks = {.size = sizeof hooks, .user = f, .progress = keep_objective, .update = keep_update};
    hsp_model *m = NULL;
    f->keeping.objective = NAN;
    int status = hsp_train(f->data, f->o, &hooks, &m, NULL, err);
    bool stopped = status == HSP_OK && cancelled(m) && f->moments < f->keeping.count;
    hsp_model_free(m);
    if (status != HSP_OK) return status;
    if (stopped) return hsp_fail(err, HSP_ECANCELLED, "stopped: no film was made");
    end_moments(f);
    return HSP_OK;
}

/* Rows misclassified at every moment, in one pass over the rows. */
static int count_mistakes(hsp_film_run *f, hsp_error **err) {
    int64_t positive = hsp_model_positive(f->model);
    if (!f->keeping.weights) return HSP_OK;
    bool each = f->d > 2 && f->n <= HSP_FILM_FEW;
    double *x = hsp_alloc_zero(f->d, sizeof *x);
    if (each) f->wrong = hsp_alloc_zero(f->moments * f->n, sizeof *f->wrong);
    int status = x && (f->wrong || !each) ? HSP_OK : hsp_plot_fail_memory(err);
    for (int64_t k = 0; k < f->moments; k++) f->moment[k].mistakes = 0;
    for (int64_t i = 0; status == HSP_OK && i < f->n; i++) {
        status = hsp_data_row(rows_of(f), i, x, err);
        for (int64_t k = 0; status == HSP_OK && k < f->moments; k++) {
            const double *w = f->keeping.weights + k * (f->d + 1);
            double g = w[f->d];
            for (int64_t j = 0; j < f->d; j++) g += w[j] * x[j];
            bool wrong = (g > 0) != (f->plane.truth[i] == positive);
            f->moment[k].mistakes += wrong;
            if (f->wrong) f->wrong[k * f->n + i] = wrong;
        }
    }
    hsp_free(x);
    return status;
}

int hsp_film_run_record(hsp_film_run *f, int64_t frames, hsp_error **err) {
    int status = run_first(f, err);
    if (status == HSP_OK) status = take_plane(f, err);
    if (status == HSP_OK) status = choose_moments(f, frames, err);
    if (status == HSP_OK) status = run_again(f, err);
    return status == HSP_OK ? count_mistakes(f, err) : status;
}

void hsp_film_run_clear(hsp_film_run *f) {
    hsp_options_free(f->o);
    hsp_model_free(f->model);
    hsp_data_free(f->own);
    hsp_free(f->training);
    hsp_study_free(f->plane.study);
    HSP_FREE(f->counted.last, f->plane.truth, f->keeping.wanted, f->moment, f->keeping.weights, f->wrong);
}
