/* Both runs are the same to the last bit. The first counts the frames, so that the second takes a known, small amount of
 * memory: a frame is a few numbers. */
#include "plot/film/recorded_run.h"

#include "halfspace_internal.h"
#include "plot/boundary/slice.h"
#include "plot/draw/picture_bytes.h"
#include "plot/part/chart.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Limits on counting the mistakes of all frames: products of weights and features, and weights that are kept for it. */
static const double most_products = 2e9, most_kept = 1.6e7;
/* Features at all points of the grid of a curve. */
static const double most_grid = 1e7;

/* ---- the first run ---- */

/* The features of a network: the weights of its first unit come first. */
static int64_t first_layer(const char *const *names) {
    int64_t n = 0;
    while (strncmp(names[n], "1.1.", 4) == 0 && strcmp(names[n], "1.1.0") != 0) n++;
    return n;
}

/* Only the plane of all features shows which side of a curve a row is on. */
static bool too_wide(const hsp_film_run *f) {
    return f->network && f->features > 2;
}

/* For this many frames; curves need their parameters in all of them. */
static bool too_large(const hsp_film_run *f, int64_t frames) {
    return (f->network || f->curved) && (double)(frames + 1) * (double)(f->d + 1) > most_kept;
}

static int count_update(void *user, const hsp_update *u) {
    hsp_film_run *f = user;
    if (!f->counted.last) {
        f->d = u->features;
        f->network = u->names != NULL;
        f->features = f->network ? first_layer(u->names) : f->d;
        f->counted.last = hsp_alloc_zero(f->d, sizeof *f->counted.last);
        if (!f->counted.last) f->counted.failed = true;
    }
    if (f->counted.failed || u->problems != 1 || u->features != f->d || too_wide(f) || too_large(f, 1)) return 1;
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

static bool same_weights(const double *a, const double *b, int64_t n) {
    double off = 0, size = 0;
    for (int64_t j = 0; j < n; j++) {
        off = fmax(off, fabs(a[j] - b[j]));
        size = fmax(size, fmax(fabs(a[j]), fabs(b[j])));
    }
    return off <= 1e-9 * size;
}

static int take_weights(hsp_film_run *f, hsp_error **err) {
    hsp_array w = {.size = sizeof w}, b = {.size = sizeof b};
    int status = hsp_model_array(f->model, "weights", &w, err);
    if (status == HSP_OK) status = hsp_model_array(f->model, "intercepts", &b, err);
    if (status != HSP_OK) return status;
    f->weights = w.data;
    f->intercept = *(const double *)b.data;
    return HSP_OK;
}

static int take_parameters(hsp_film_run *f, hsp_error **err) {
    int64_t count = 0;
    f->weights = hsp_model_parameters(f->model, &count);
    if (count == f->d) return HSP_OK;
    return hsp_fail(err, HSP_EINTERNAL, "the network has other parameters than its updates: report this");
}

/* The model may be another point than the last update: the best one, an average, or one that another solver refined. */
static int take_model(hsp_film_run *f, hsp_error **err) {
    int status = f->network ? take_parameters(f, err) : take_weights(f, err);
    if (status != HSP_OK) return status;
    f->extra = !same_weights(f->weights, f->counted.last, f->d) ||
               fabs(f->intercept - f->counted.last_b) > 1e-9 * fmax(1, fabs(f->intercept));
    return HSP_OK;
}

static int refuse_network(const hsp_film_run *f, hsp_error **err) {
    if (too_wide(f))
        return hsp_fail(err, HSP_EUSAGE,
                        "a film of a network shows at most two features, and the data have %" PRId64
                        ": leave columns out with --ignore, or draw the trained model with `halfspace plot boundary`",
                        f->features);
    return hsp_fail(err, HSP_EUSAGE,
                    "the model has too many parameters for this many frames: give fewer --frames, --hidden units or --rff "
                    "features");
}

static bool is_set(const hsp_film_run *f, const char *option) {
    const char *text = hsp_options_given(f->o, option) ? hsp_options_get(f->o, option) : NULL;
    return text && *text && !(strcmp(option, "degree") == 0 && strcmp(text, "1") == 0);
}

/* Whether features are functions of several columns. */
static bool is_expanded(const hsp_film_run *f) {
    return is_set(f, "degree") || is_set(f, "rff") || is_set(f, "cross");
}

static int run_first(hsp_film_run *f, hsp_error **err) {
    hsp_hooks hooks = {.size = sizeof hooks, .user = f, .progress = pass_progress, .log = pass_log, .update = count_update};
    int status = hsp_train(f->data, f->o, &hooks, &f->model, &f->training, err);
    if (status != HSP_OK) return status;
    if (f->counted.failed) return HSP_EMEMORY;
    if (too_wide(f) || too_large(f, 1)) return refuse_network(f, err);
    if (cancelled(f->model)) return hsp_fail(err, HSP_ECANCELLED, "interrupted: no file was written");
    if (f->counted.calls == 0 || !f->model)
        return hsp_fail(err, HSP_EUSAGE, "this solver does not update the weights step by step: leave --solver out");
    f->curved = !f->network && !hsp_model_is_linear(f->model);
    f->columns = f->features;
    status = take_model(f, err);
    return status == HSP_OK ? hsp_data_encode_for(f->model, f->data, &f->own, err) : status;
}

/* In the features of the model, which learns its own from a part of a table. */
static const hsp_data *rows_of(const hsp_film_run *f) {
    return f->own ? f->own : f->data;
}

/* ---- the plane ---- */

/* The plane of the columns, if it shows all of them. Transformed columns can be shown as features instead. */
static int take_columns(hsp_film_run *f, hsp_error **err) {
    if (is_expanded(f) && (double)f->d * HSP_FILM_COLUMNS * HSP_FILM_ROWS > most_grid)
        return hsp_fail(err, HSP_EUSAGE,
                        "a film computes all features over a grid of points, and the model has %" PRId64
                        ": give a smaller --rff, or fewer columns",
                        f->d);
    int status = hsp_study_run("regions", f->model, f->data, f->o, NULL, &f->plane.study, err);
    if (status != HSP_OK) return status;
    int64_t columns = (int64_t)hsp_report_number(f->plane.study, "features");
    bool shown = columns <= 2 && hsp_report_count(f->plane.study, "held") <= 0;
    if (!shown && is_expanded(f))
        return hsp_fail(err, HSP_EUSAGE,
                        "a film with --degree, --rff or --cross needs one or two numeric columns and no others: leave columns "
                        "out with --ignore, or draw the trained model with `halfspace plot boundary`");
    if (shown) {
        f->columns = columns;
        return HSP_OK;
    }
    f->curved = false;
    hsp_report_free(f->plane.study);
    f->plane.study = NULL;
    return HSP_OK;
}

static int take_plane(hsp_film_run *f, hsp_error **err) {
    int status = f->curved ? take_columns(f, err) : HSP_OK;
    if (status == HSP_OK && !f->curved)
        status = hsp_study_run("plane", f->model, rows_of(f), f->o, NULL, &f->plane.study, err);
    if (status != HSP_OK) return status;
    f->n = hsp_data_rows(f->data);
    status = HSP_CHART_ARRAYS(f->plane.study, err, {"u", &f->plane.u, NULL}, {"v", &f->plane.v, NULL},
                              {"lift", &f->plane.lift, NULL});
    if (status != HSP_OK) return status;
    f->plane.truth = hsp_alloc_zero(f->n, sizeof *f->plane.truth);
    return f->plane.truth ? hsp_slice_labels(f->model, f->data, f->plane.truth, err) : HSP_EMEMORY;
}

/* ---- which updates are shown ---- */

/* The frames that it takes to the last update, INT64_MAX for more than `most`, if each shows q times the updates of the one
 * before, or one more. Fills `out` unless it is NULL. */
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

/* All updates, or the first ones and then fewer and fewer; always the last. */
static int choose_frames(hsp_film_run *f, int64_t most, hsp_error **err) {
    double low = 1, high = 1;
    most -= f->extra;
    if (f->total + 1 < most) most = f->total + 1;
    f->keeping.wanted = hsp_alloc_zero(most, sizeof *f->keeping.wanted);
    f->frame = hsp_alloc_zero(most + 1, sizeof *f->frame);
    if (!f->keeping.wanted || !f->frame) return HSP_EMEMORY;
    while (most > 1 && schedule(f->total, high, most, NULL) > most) low = high, high *= 2;
    for (int k = 0; most > 1 && k < 60; k++) {
        double middle = (low + high) / 2;
        if (schedule(f->total, middle, most, NULL) > most)
            low = middle;
        else
            high = middle;
    }
    f->keeping.count =
        most > 1 ? schedule(f->total, high, most, f->keeping.wanted) : 1; /* one: the start, followed by the model */
    f->keeping.last = hsp_alloc_zero(f->d + 1, sizeof *f->keeping.last);
    if (!f->keeping.last) return HSP_EMEMORY;
    if (too_large(f, f->keeping.count)) return refuse_network(f, err);
    bool exact = f->network || f->curved || ((double)(f->keeping.count + 1) * (double)(f->d + 1) <= most_kept &&
                                (double)(f->keeping.count + 1) * (double)f->d * (double)f->n <= most_products);
    if (exact) f->keeping.weights = hsp_alloc_zero((f->keeping.count + 1) * (f->d + 1), sizeof *f->keeping.weights);
    return exact && !f->keeping.weights ? HSP_EMEMORY : HSP_OK;
}

/* ---- the second run ---- */

static bool is_zero(const double *w, int64_t d, double b) {
    for (int64_t j = 0; j < d; j++)
        if (w[j] != 0) return false;
    return b == 0;
}

/* The score of (w, b) over the plane; NaN: it is not linear there. */
static void lift_score(const hsp_film_run *f, const double *w, double b, double g[3]) {
    for (int k = 0; k < 3; k++) {
        if (f->network || f->curved) {
            g[k] = f->curved && is_zero(w, f->d, b) ? 0 : NAN;
            continue;
        }
        const double *lift = f->plane.lift + k * f->d;
        g[k] = k == 0 ? b : 0;
        for (int64_t j = 0; j < f->d; j++) g[k] += w[j] * lift[j];
    }
}

static hsp_film_frame *add_frame(hsp_film_run *f, const double *w, double b) {
    hsp_film_frame *m = &f->frame[f->frames];
    *m = (hsp_film_frame){.row = -1,
                          .mistakes = -1,
                          .loss = NAN,
                          .objective = f->keeping.objective,
                          .objective_epoch = f->keeping.objective_epoch};
    lift_score(f, w, b, m->g);
    if (f->keeping.weights) {
        double *to = f->keeping.weights + f->frames * (f->d + 1);
        memcpy(to, w, (size_t)f->d * sizeof *to);
        to[f->d] = b;
    }
    f->frames++;
    return m;
}

/* The rows of a batch that is not too large to be seen. */
static void keep_batch(hsp_film_run *f, const hsp_update *u, hsp_film_frame *m) {
    hsp_film_keeping *k = &f->keeping;
    if (!u->rows || u->row_count > HSP_FILM_RINGS) return;
    if (hsp_reserve((void **)&k->batch, &k->batch_capacity, k->batched + u->row_count, sizeof *k->batch) != HSP_OK) {
        k->failed = true;
        return;
    }
    memcpy(k->batch + k->batched, u->rows, (size_t)u->row_count * sizeof *k->batch);
    m->batch = k->batched;
    m->batch_count = u->row_count;
    k->batched += u->row_count;
}

static void keep_frame(hsp_film_run *f, const hsp_update *u) {
    hsp_film_frame *m = add_frame(f, u->weights, u->intercept);
    bool ended = f->whole || u->steps == u->epoch * f->n; /* the update completes its epoch */
    m->updates = u->updates;
    m->row = u->row;
    m->margin = u->row >= 0 ? u->margin : NAN;
    m->step = u->step;
    m->epoch = f->network ? u->passes + 1 : ended ? u->epoch : u->epoch + 1;
    m->changed = f->keeping.begun;
    keep_batch(f, u, m);
    lift_score(f, f->keeping.last, f->keeping.last[f->d], m->before);
}

static int keep_update(void *user, const hsp_update *u) {
    hsp_film_run *f = user;
    if (f->frames >= f->keeping.count || u->features != f->d)
        return 1; /* another run than the first: a time limit took effect */
    if (u->updates == f->keeping.wanted[f->frames]) keep_frame(f, u);
    memcpy(f->keeping.last, u->weights, (size_t)f->d * sizeof *f->keeping.last);
    f->keeping.last[f->d] = u->intercept;
    f->keeping.begun = true;
    return f->keeping.failed;
}

/* Without updates since the last frame it is the objective of that frame, however many epochs later. */
static int keep_objective(void *user, const hsp_progress *p) {
    hsp_film_run *f = user;
    f->keeping.objective = f->objective ? p->objective : NAN;
    f->keeping.objective_epoch = p->epoch;
    if (f->frames > 0 && f->frame[f->frames - 1].updates == p->updates) {
        f->frame[f->frames - 1].objective = f->keeping.objective;
        f->frame[f->frames - 1].objective_epoch = f->frame[f->frames - 1].epoch;
    }
    return 0;
}

static void add_model_frame(hsp_film_run *f) {
    if (!f->extra) return;
    hsp_film_frame *m = add_frame(f, f->weights, f->intercept);
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
    bool stopped = status == HSP_OK && cancelled(m) && f->frames < f->keeping.count;
    hsp_model_free(m);
    if (status != HSP_OK) return status;
    if (f->keeping.failed) return HSP_EMEMORY;
    if (stopped) return hsp_fail(err, HSP_ECANCELLED, "interrupted: no file was written");
    add_model_frame(f);
    return HSP_OK;
}

/* The misclassified rows of every frame, in one pass over the rows. */
static int count_mistakes(hsp_film_run *f, hsp_error **err) {
    int64_t positive = hsp_model_positive(f->model);
    if (!f->keeping.weights || (double)f->frames * (double)f->d * (double)f->n > most_products) return HSP_OK;
    bool each = (f->d > 2 || f->curved) && f->n <= HSP_FILM_FEW;
    double *x = hsp_alloc_zero(f->d, sizeof *x);
    if (each) f->wrong = hsp_alloc_zero(f->frames * f->n, sizeof *f->wrong);
    int status = x && (f->wrong || !each) ? HSP_OK : HSP_EMEMORY;
    for (int64_t k = 0; k < f->frames; k++) f->frame[k].mistakes = 0;
    for (int64_t i = 0; status == HSP_OK && i < f->n; i++) {
        status = hsp_data_row(rows_of(f), i, x, err);
        for (int64_t k = 0; status == HSP_OK && k < f->frames; k++) {
            const double *w = f->keeping.weights + k * (f->d + 1);
            double g = w[f->d];
            for (int64_t j = 0; j < f->d; j++) g += w[j] * x[j];
            bool wrong = (g > 0) != (f->plane.truth[i] == positive);
            f->frame[k].mistakes += wrong;
            if (f->wrong) f->wrong[k * f->n + i] = wrong;
        }
    }
    hsp_free(x);
    return status;
}

/* The mistakes and the mean logistic loss of the scores g of all rows in frame k. */
static void judge_scores(hsp_film_run *f, const double *g, int64_t k) {
    int64_t positive = hsp_model_positive(f->model);
    double loss = 0;
    f->frame[k].mistakes = 0;
    for (int64_t i = 0; i < f->n; i++) {
        double margin = f->plane.truth[i] == positive ? g[i] : -g[i];
        bool wrong = (g[i] > 0) != (f->plane.truth[i] == positive);
        loss += fmax(-margin, 0) + log1p(exp(-fabs(margin)));
        f->frame[k].mistakes += wrong;
        if (f->wrong) f->wrong[k * f->n + i] = wrong;
    }
    f->frame[k].loss = loss / (double)f->n;
}

/* Unless that takes too long: the scores of a network with the parameters of each frame. */
static int count_network_mistakes(hsp_film_run *f, hsp_error **err) {
    if ((double)f->frames * (double)f->d * (double)f->n > most_products) return HSP_OK;
    bool each = f->n <= HSP_FILM_FEW;
    double *x = hsp_alloc_zero(f->n * f->features, sizeof *x), *g = hsp_alloc_zero(f->n, sizeof *g);
    if (each) f->wrong = hsp_alloc_zero(f->frames * f->n, sizeof *f->wrong);
    int status = x && g && (f->wrong || !each) ? HSP_OK : HSP_EMEMORY;
    for (int64_t i = 0; status == HSP_OK && i < f->n; i++)
        status = hsp_data_row(rows_of(f), i, x + i * f->features, err);
    for (int64_t k = 0; status == HSP_OK && k < f->frames; k++) {
        status = hsp_model_score_with(f->model, f->keeping.weights + k * (f->d + 1), x, f->n, g, err);
        if (status == HSP_OK) judge_scores(f, g, k);
    }
    HSP_FREE(x, g);
    return status;
}

int hsp_film_run_record(hsp_film_run *f, int64_t frames, hsp_error **err) {
    int status = run_first(f, err);
    if (status == HSP_OK) status = take_plane(f, err);
    if (status == HSP_OK) status = choose_frames(f, frames, err);
    if (status == HSP_OK) status = run_again(f, err);
    if (status != HSP_OK) return status;
    return f->network ? count_network_mistakes(f, err) : count_mistakes(f, err);
}

void hsp_film_run_clear(hsp_film_run *f) {
    hsp_options_free(f->o);
    hsp_model_free(f->model);
    hsp_data_free(f->own);
    hsp_report_free(f->training);
    hsp_report_free(f->plane.study);
    HSP_FREE(f->counted.last, f->plane.truth, f->keeping.wanted, f->keeping.last, f->keeping.batch, f->keeping.weights,
             f->frame, f->wrong);
}
