/* hsp_explain: trains, lays out the fit as arrays, and lets the algorithm's explanation write its sections between "The data"
 * and the end. */
#include "explain/derivation.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "base/watched.h"
#include "classifier/classifier.h"
#include "data/features.h"
#include "explain/opening.h"
#include "fit/fit.h"
#include "network/network.h"
#include "option/options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- scratch ---- */

double *hsp_derivation_zeros(hsp_derivation *v, int64_t length) {
    double *block = NULL;
    if (!HSP_RESERVE(v->blocks, v->capacity, v->used + 1)) block = hsp_alloc_zero(length, sizeof *block);
    if (!block) {
        v->text.failed = true;
        return NULL;
    }
    v->blocks[v->used++] = block;
    return block;
}

static void free_derivation(hsp_derivation *v) {
    for (int64_t i = 0; i < v->used; i++) hsp_free(v->blocks[i]);
    HSP_FREE(v->blocks, v->merged, v->shown);
    hsp_exposition_free(&v->text);
    hsp_options_free(v->options);
    hsp_design_free(v->design);
    hsp_prepare_clear(&v->prepare);
    hsp_model_free(v->model);
    hsp_report_free(v->report);
    hsp_data_free(v->own);
}

/* ---- the fit as arrays ---- */

static int fill_defaults(hsp_derivation *v, const hsp_classifier *c, hsp_error **err) {
    int status = HSP_OK;
    for (const char *const *d = c->defaults; d && d[0] && !status; d += 2)
        status = hsp_options_default(v->options, d[0], d[1], err);
    return status;
}

/* Classes and weights of the rows, as training had them. */
static int lay_out_rows(hsp_derivation *v, hsp_error **err) {
    hsp_derivation_rows *r = &v->rows;
    const double *factor = v->model ? v->model->class_weight : NULL;
    r->n = v->data->x.n;
    r->d = v->data->x.d;
    r->K = v->prepare.classes.count;
    r->y = hsp_derivation_zeros(v, r->n);
    r->c = hsp_derivation_zeros(v, r->n);
    if (!r->y || !r->c) return hsp_fail_memory(err);
    r->side = v->data->y;
    if (v->prepare.merged) {
        if (!HSP_ALLOC(v->merged, r->n)) return hsp_fail_memory(err);
        for (int64_t i = 0; i < r->n; i++) v->merged[i] = v->prepare.merged[v->data->y[i]];
        r->side = v->merged;
    }
    for (int64_t i = 0; i < r->n; i++) {
        r->c[i] = (v->data->weight ? v->data->weight[i] : 1) * (factor && r->side ? factor[r->side[i]] : 1);
        r->mass += r->c[i];
    }
    return HSP_OK;
}

/* The weights of the model in the design's units. */
static int lay_out_weights(hsp_derivation *v, hsp_error **err) {
    int64_t d = v->rows.d;
    const double *shift = v->prepare.shift, *factor = v->prepare.factor;
    v->outputs = v->rows.K <= 2 ? 1 : v->rows.K;
    if (!v->model || v->model->network) return HSP_OK;
    v->w = hsp_derivation_zeros(v, v->outputs * d);
    v->b = hsp_derivation_zeros(v, v->outputs);
    if (!v->w || !v->b) return hsp_fail_memory(err);
    for (int64_t k = 0; k < v->outputs; k++) {
        v->b[k] = v->model->b[k];
        for (int64_t j = 0; j < d; j++) {
            double w = v->model->w[k * d + j];
            v->w[k * d + j] = factor ? w / factor[j] : w;
            if (shift) v->b[k] += w * shift[j];
        }
    }
    return HSP_OK;
}

typedef struct feature_size {
    double size;
    int64_t j;
} feature_size;

static int by_size(const void *a, const void *b) {
    const feature_size *x = a, *y = b;
    if (x->size != y->size) return x->size < y->size ? 1 : -1;
    return (x->j > y->j) - (x->j < y->j);
}

static int by_number(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The features with the largest |weight x sd|, in the order of the columns. */
static int choose_features(hsp_derivation *v, hsp_error **err) {
    int64_t d = v->rows.d, most = d < HSP_SHOWN_FEATURES ? d : HSP_SHOWN_FEATURES;
    const hsp_extra *sd = v->model ? hsp_model_extra(v->model, "feature-sds") : NULL;
    feature_size *size = hsp_alloc_zero(d, sizeof *size);
    v->shown = hsp_alloc_zero(d, sizeof *v->shown);
    if (!size || !v->shown) {
        hsp_free(size);
        return hsp_fail_memory(err);
    }
    for (int64_t j = 0; j < d; j++) {
        size[j].j = j;
        if (v->model && v->model->network) size[j].size = hsp_network_influence(v->model->network,
                j) * (sd ? sd->data[j] : 1);
        for (int64_t k = 0; v->model && !v->model->network && k < v->outputs; k++)
            size[j].size = fmax(size[j].size, fabs(v->model->w[k * d + j]) * (sd ? sd->data[j] : 1));
    }
    qsort(size, (size_t)d, sizeof *size, by_size);
    for (int64_t j = 0; j < most; j++) v->shown[j] = size[j].j;
    qsort(v->shown, (size_t)most, sizeof *v->shown, by_number);
    v->count = most;
    hsp_free(size);
    return HSP_OK;
}

static int lay_out(hsp_derivation *v, hsp_error **err) {
    int threads = hsp_pool_threads(hsp_options_int(v->options, "threads", 0));
    int status = hsp_prepare_fit(v->data, v->options, &v->prepare, err);
    if (!status)
        status = hsp_design_new(&v->data->x, v->prepare.shift, v->prepare.factor, threads, &v->design, err);
    if (!status) status = lay_out_rows(v, err);
    if (!status) status = lay_out_weights(v, err);
    if (!status) status = choose_features(v, err);
    if (!status) hsp_derivation_choose(v, 0);
    return status;
}

/* ---- the call ---- */

static int train_model(hsp_derivation *v, const hsp_data *data, hsp_error **err) {
    int threads = hsp_pool_threads(hsp_options_int(v->options, "threads", 0));
    int status = hsp_data_learn_again(data, threads, &v->own, err);
    v->data = v->own ? v->own : data;
    if (!status) status = hsp_train(v->data, v->options, v->hooks, &v->model, &v->report, err);
    const char *stop = hsp_report_text(v->report, "stop_reason");
    if (!status && stop && strcmp(stop, "cancelled") == 0)
        status = hsp_fail(err, HSP_ECANCELLED, "interrupted before the fit that is explained had ended");
    return status;
}

static int find_explanation(const hsp_derivation *v, const hsp_data *data, const hsp_explanation **out, hsp_error **err) {
    const char *name = hsp_classifier_chosen(v->options, data->target != NULL);
    *out = hsp_explanation_find(name);
    if (*out || !hsp_classifier_find(name)) return HSP_OK; /* training names the algorithms that exist */
    return hsp_fail(err, HSP_EUSAGE, "there is no derivation of %s: see `halfspace help %s`", name, name);
}

static int write_sections(hsp_derivation *v, const hsp_explanation *what, hsp_report **report, hsp_error **err) {
    hsp_exposition *e = &v->text;
    hsp_exposition_open(e, hsp_options_is(v->options, "explain-format", "md"), what->algorithm);
    hsp_derivation_open(v, what);
    int status = what->write(v, err);
    if (status) return status;
    hsp_exposition_close(e);
    hsp_json_int(&e->out, "rows", v->rows.n);
    hsp_json_int(&e->out, "features", v->rows.d);
    hsp_json_bool(&e->out, "exists", v->model != NULL);
    hsp_json_report(&e->out, "stop_reason", hsp_report_member(v->report, "stop_reason"));
    hsp_json_report(&e->out, "warnings", hsp_report_member(v->report, "warnings"));
    hsp_json_object_end(&e->out);
    return e->failed ? hsp_fail_memory(err) : hsp_json_take(&e->out, report, err);
}

int hsp_explain(const hsp_data *data, const hsp_options *o, const hsp_hooks *hooks, hsp_report **report, hsp_error **err) {
    hsp_derivation v = {.hooks = hooks};
    const hsp_explanation *what = NULL;
    *report = NULL;
    int status = hsp_options_copy(o, &v.options, err);
    if (!status) status = find_explanation(&v, data, &what, err);
    if (!status) status = train_model(&v, data, err);
    hsp_watch watch; /* of what follows training, which calls the hooks itself */
    bool stopped = hsp_watch_begin(&watch, status ? NULL : hooks, "explain");
    if (!status && stopped) status = hsp_fail(err, HSP_ECANCELLED, "interrupted before the fit was explained");
    if (!status) status = fill_defaults(&v, hsp_classifier_find(what->algorithm), err);
    if (!status) status = lay_out(&v, err);
    v.intercept = (hsp_intercept)hsp_options_choice(v.options, "intercept");
    if (!status) status = write_sections(&v, what, report, err);
    hsp_watch_end(&watch);
    free_derivation(&v);
    return status;
}
