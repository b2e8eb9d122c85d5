/* What follows a fit: figures of all rows, and the certificate. */
#include "fit/fit_finish.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/data.h"
#include "data/matrix.h"
#include "fit/fit_certify.h"
#include "fit/fit_solve.h"
#include "prepare/prepare.h"
#include "verify/claim/verify.h"

/* The work on each row that does not depend on the certificate. With one thread and many dense numbers it is done while the
 * audit has the rows in the cache: the same sums in the same order as by a pass for each. */
typedef struct row_finish {
    const hsp_fit *f;
    hsp_model *m;
    bool spread;             /* the model states means and standard deviations of the features */
    double *mean, *sd;       /* owned: of the features */
    double *pivot;           /* owned: scratch */
    hsp_data_hashing *hash;  /* owned */
    hsp_fit_scoring *errors; /* owned */
} row_finish;

static hsp_spreading spreading_of(const row_finish *w) {
    return (hsp_spreading){.x = &w->f->job.data->x, .mean = w->mean, .sd = w->sd, .pivot = w->pivot};
}

static void visit_rows(void *ctx, int64_t from, int64_t to) {
    const row_finish *w = ctx;
    const hsp_spreading spreading = spreading_of(w);
    if (w->spread) hsp_spreading_rows(&spreading, from, to);
    hsp_data_hashing_rows(w->hash, from, to);
    hsp_fit_scoring_rows(w->errors, from, to);
}

static void free_work(row_finish *w) {
    hsp_data_hashing_free(w->hash);
    hsp_fit_scoring_free(w->errors);
    HSP_FREE(w->mean, w->sd, w->pivot);
}

static bool rides_along(const hsp_fit *f) {
    enum { LARGE = 1 << 18 }; /* bytes: smaller rows stay in the cache */
    const hsp_matrix *x = &f->job.data->x;
    return x->dense && hsp_fit_threads(f) == 1 && x->stored * (int64_t)hsp_matrix_value_size(x) > LARGE;
}

static int open_work(row_finish *w, bool along, hsp_error **err) {
    const hsp_data *data = w->f->job.data;
    int64_t d = data->x.d;
    w->mean = w->spread ? hsp_alloc(d, sizeof *w->mean) : NULL;
    w->sd = w->spread ? hsp_alloc(d, sizeof *w->sd) : NULL;
    w->pivot = w->spread && along ? hsp_alloc(d, sizeof *w->pivot) : NULL;
    bool allocated = !w->spread || (w->mean && w->sd && (w->pivot || !along));
    if (!allocated || (along && hsp_data_hashing_new(data, &w->hash))) return hsp_fail_memory(err);
    const hsp_spreading spreading = spreading_of(w);
    if (along && w->spread) hsp_spreading_begin(&spreading);
    return hsp_fit_scoring_new(w->f, w->m, &w->errors, err);
}

/* The model takes means and sds of the features, by which weights in different units are compared. Above MOST_MEANS features
 * only the sds: a mean beside each weight would add much to the file, and with that many features nearly all are near 0. */
static int add_spread(row_finish *w, hsp_error **err) {
    enum { MOST_MEANS = 100000 };
    int64_t d = w->f->job.data->x.d;
    if (!w->spread) return HSP_OK;
    double *mean = w->mean, *sd = w->sd;
    w->sd = NULL;
    int status = hsp_model_add_extra(w->m, "feature-sds", d, 1, sd, err);
    if (status || d > MOST_MEANS) return status;
    w->mean = NULL;
    return hsp_model_add_extra(w->m, "feature-means", d, 1, mean, err);
}

/* Ends the work, with passes over the rows unless they were visited. */
static int end_work(row_finish *w, bool visited, hsp_training_figures *figures, hsp_error **err) {
    const hsp_data *data = w->f->job.data;
    const hsp_spreading spreading = spreading_of(w);
    int status = HSP_OK;
    if (w->spread)
        status = visited ? hsp_spreading_end(&spreading)
                         : hsp_feature_spread(&data->x, w->f->job.design->threads, w->mean, w->sd);
    if (status) return hsp_fail_memory(err);
    w->m->data_hash = visited ? hsp_data_hashing_end(w->hash) : hsp_data_hash(data);
    if (!visited) hsp_fit_scoring_all(w->errors);
    hsp_fit_scoring_end(w->errors, figures);
    return add_spread(w, err);
}

int hsp_fit_finish(hsp_fit *f, hsp_model *m, hsp_training_figures *figures, hsp_error **err) {
    row_finish w = {.f = f, .m = m, .spread = !f->job.path};
    bool along = rides_along(f);
    hsp_rows_visitor visitor = {.visit = visit_rows, .ctx = &w};
    int status = open_work(&w, along, err);
    if (!status) status = hsp_fit_certify(f, m, along ? &visitor : NULL, err);
    if (!status) m->certificate = hsp_fit_certificate(f);
    if (!status) status = end_work(&w, visitor.done, figures, err);
    free_work(&w);
    return status;
}
