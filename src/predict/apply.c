/* hsp_model_apply: what a model gives for all rows of a data set, into an array of the caller. */
#include "base/advance.h"
#include "base/error.h"
#include "base/pool.h"
#include "data/data.h"
#include "data/matrix.h"
#include "model/model.h"
#include "option/options.h"
#include "predict/array_out.h"

#include <string.h>

typedef struct application {
    const hsp_model *m;
    const hsp_matrix *x;
    hsp_advance *advance;
    hsp_array_out out;
    int64_t rows; /* of a piece */
    int threads;
} application;

/* ---- of scores ---- */

static int each_scores(application *a, hsp_take_scores *take, bool project, hsp_error **err) {
    return hsp_model_each_scores(a->m, a->x, project, a->threads, a->advance, take, a, err);
}

static void put_scores(void *ctx, int64_t first, int64_t rows, const double *scores) {
    const application *a = ctx;
    hsp_array_out_put(&a->out, first, 0, rows, a->m->outputs, scores);
}

static void put_projections(void *ctx, int64_t first, int64_t rows, const double *z) {
    const application *a = ctx;
    hsp_array_out_put(&a->out, first, 0, rows, hsp_model_extra(a->m, "directions")->rows, z);
}

static void put_classes(void *ctx, int64_t first, int64_t rows, const double *scores) {
    const application *a = ctx;
    for (int64_t i = 0; i < rows; i++) {
        double class = (double)hsp_model_decide(a->m, scores + i * a->m->outputs);
        hsp_array_out_put(&a->out, first + i, 0, 1, 1, &class);
    }
}

/* Few classes through the stack; many one at a time, with the same bits. */
static void put_probabilities(void *ctx, int64_t first, int64_t rows, const double *scores) {
    enum { FEW = 256 };
    const application *a = ctx;
    int64_t K = a->m->prepare.classes.count;
    for (int64_t i = 0; i < rows; i++, scores += a->m->outputs) {
        double p[FEW];
        if (K <= FEW) {
            hsp_model_probabilities(a->m, scores, p);
            hsp_array_out_put(&a->out, first + i, 0, 1, K, p);
            continue;
        }
        hsp_normaliser by = hsp_model_normaliser(a->m, scores);
        for (int64_t k = 0; k < K; k++) {
            p[0] = hsp_model_probability_of(a->m, k, scores[k], by);
            hsp_array_out_put(&a->out, first + i, k, 1, 1, p);
        }
    }
}

static int apply_scores(application *a, hsp_error **err) {
    return each_scores(a, put_scores, false, err);
}

static int apply_classes(application *a, hsp_error **err) {
    return each_scores(a, put_classes, false, err);
}

static int apply_probabilities(application *a, hsp_error **err) {
    return each_scores(a, put_probabilities, false, err);
}

static int apply_projections(application *a, hsp_error **err) {
    return each_scores(a, put_projections, true, err);
}

/* ---- features ---- */

static void put_features(const application *a, int64_t i) {
    enum { CHUNK = 256 };
    hsp_row r = hsp_matrix_row(a->x, i);
    int64_t known = hsp_model_known(a->m, r), d = a->m->prepare.schema.d;
    uint32_t id[CHUNK];
    double value[CHUNK];
    r.count = known;
    if (r.id || known < d) hsp_array_out_zero(&a->out, i, d);
    for (int64_t from = 0; from < known; from += CHUNK) {
        int64_t n = hsp_row_decode(r, from, CHUNK, r.id ? id : NULL, value);
        if (!r.id) hsp_array_out_put(&a->out, i, from, 1, n, value);
        for (int64_t t = 0; r.id && t < n; t++) hsp_array_out_put(&a->out, i, id[t], 1, 1, value + t);
    }
}

static void features_piece(void *ctx, int64_t piece) {
    const application *a = ctx;
    int64_t begin = piece * a->rows, end = begin + a->rows < a->x->n ? begin + a->rows : a->x->n;
    if (hsp_advance_stopped(a->advance)) return;
    for (int64_t i = begin; i < end; i++) put_features(a, i);
    hsp_advance_rows(a->advance, end - begin);
}

static int apply_features(application *a, hsp_error **err) {
    (void)err;
    a->rows = hsp_model_piece_rows(a->x);
    hsp_pool_run((a->x->n + a->rows - 1) / a->rows, a->threads, features_piece, a);
    return HSP_OK;
}

/* ---- the kinds ---- */

static int64_t count_outputs(const hsp_model *m, hsp_error **err) {
    (void)err;
    return m->outputs;
}

static int64_t count_classes(const hsp_model *m, hsp_error **err) {
    return m->prepare.regression ? hsp_fail(err, HSP_EUSAGE, "a regression has no classes: use its scores") : 1;
}

static int64_t count_probabilities(const hsp_model *m, hsp_error **err) {
    return hsp_model_has_probabilities(m) ? m->prepare.classes.count : hsp_model_no_probabilities(m, err);
}

static int64_t count_features(const hsp_model *m, hsp_error **err) {
    (void)err;
    return m->prepare.schema.d;
}

static int64_t count_directions(const hsp_model *m, hsp_error **err) {
    const hsp_extra *directions = hsp_model_extra(m, "directions");
    return directions ? directions->rows : hsp_model_no_directions(m, err);
}

typedef struct output_kind {
    const char *name;
    bool integers;
    int64_t (*columns)(const hsp_model *m, hsp_error **err); /* negative: a status, the model has none */
    int (*apply)(application *a, hsp_error **err);
} output_kind;

static const output_kind kinds[] = {
    {"scores", false, count_outputs, apply_scores},
    {"classes", true, count_classes, apply_classes},
    {"probabilities", false, count_probabilities, apply_probabilities},
    {"features", false, count_features, apply_features},
    {"projections", false, count_directions, apply_projections},
};

static const output_kind *find_kind(const char *what) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, what) == 0) return &kinds[i];
    return NULL;
}

/* The data as the model's features, and the array. */
static int apply_to(const output_kind *kind, application *a, const hsp_data *seen, const hsp_array *out, hsp_error **err) {
    int64_t columns = kind->columns(a->m, err);
    int status = columns < 0 ? (int)columns : hsp_model_check_features(a->m, seen, err);
    a->x = &seen->x;
    if (!status) status = hsp_array_out_open(out, kind->name, a->x->n, columns, kind->integers, &a->out, err);
    if (!status && a->x->n > 0) status = kind->apply(a, err);
    if (!status && hsp_advance_rows(a->advance, 0)) /* the last report: all rows */
        status = hsp_fail(err, HSP_ECANCELLED, "interrupted before all rows were done: the array is not complete");
    return status;
}

int hsp_model_apply(const hsp_model *m, const hsp_data *data, const char *what, const hsp_options *o,
                    const hsp_hooks *hooks, hsp_array *out, hsp_error **err) {
    const output_kind *kind = find_kind(what);
    if (!kind)
        return hsp_fail(err, HSP_EUSAGE,
                        "no such output '%s': use scores, classes, probabilities, features or projections", what);
    hsp_model deciding;
    const char *rule = hsp_options_is_set(o, "decide") ? hsp_options_text(o, "decide") : NULL;
    int status = hsp_model_decide_by(m, rule, &deciding, err);
    if (status) return status;
    hsp_advance advance;
    application a = {.m = &deciding, .advance = &advance, .threads = hsp_pool_threads(hsp_options_int(o, "threads", 0))};
    hsp_advance_begin(&advance, hooks, "apply", 1);
    hsp_data *own = NULL;
    status = hsp_model_encode(m, data, a.threads, &own, err);
    if (!status) status = apply_to(kind, &a, own ? own : data, out, err);
    hsp_data_free(own);
    return status;
}
