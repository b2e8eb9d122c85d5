/* Nested cross-validation (Stone 1974). The best mean of a grid is optimistic, as it was chosen for being the best. Here each
 * outer fold is tested by a model that was chosen and fitted without it: inner folds of its training part choose. */
#include "base/error.h"
#include "base/memory.h"
#include "data/data.h"
#include "data/folds.h"
#include "option/options.h"
#include "select/cv.h"

#include <math.h>
#include <string.h>

void hsp_cv_nested_clear(hsp_cv_nested *n) {
    HSP_FREE(n->fold, n->value);
    *n = (hsp_cv_nested){0};
}

/* Options of the inner runs: one repeat of --folds. Of the outer one: one repeat of --nested folds. */
static int make_options(const hsp_options *o, bool outer, hsp_options **out, hsp_error **err) {
    int status = hsp_options_copy(o, out, err);
    if (!status) status = hsp_options_set(*out, "repeats", "1", err);
    if (!status && outer) status = hsp_options_set(*out, "folds", hsp_options_text(o, "nested"), err);
    return status;
}

/* Fits the chosen point on the training part and evaluates it on the test part. */
static int test_choice(hsp_cv *outer, hsp_cv_part *p, int64_t point, double *value, bool *done, hsp_error **err) {
    size_t size = (size_t)outer->metrics * sizeof *value;
    int status = hsp_cv_fit(outer, p, point, err);
    *done = !status && outer->fitted[p->job * outer->grid->points + point];
    if (*done) memcpy(value, outer->value + (p->job * outer->grid->points + point) * outer->metrics, size);
    return status;
}

/* Chooses a point by inner folds of the rows. The table is encoded again by each inner part. */
static int choose_point(const hsp_cv *outer, int64_t job, const hsp_options *o, int64_t *point, hsp_error **err) {
    hsp_cv inner = {0};
    hsp_options *own = NULL;
    hsp_data *train = NULL;
    int64_t *rows = hsp_alloc(outer->data->x.n, sizeof *rows);
    *point = -1;
    int status = rows ? make_options(o, false, &own, err) : hsp_fail_memory(err);
    if (!status) status = hsp_data_take(outer->data, rows, hsp_folds_trained(&outer->folds, 0, job, rows), &train, err);
    if (!status) status = hsp_cv_begin(&inner, train, own, outer->grid, outer->course, err);
    if (!status) status = hsp_cv_run(&inner, err);
    bool whole = !status;
    for (int64_t i = 0; i < inner.jobs; i++) whole = whole && inner.complete[i];
    if (whole) *point = hsp_cv_choose(&inner, o).chosen;
    hsp_cv_end(&inner);
    hsp_data_free(train);
    hsp_options_free(own);
    hsp_free(rows);
    return status;
}

static int run_outer(hsp_cv *outer, int64_t job, const hsp_options *o, hsp_cv_nested *out, hsp_error **err) {
    hsp_cv_outer *f = &out->fold[job];
    hsp_cv_part part = {0};
    int status = choose_point(outer, job, o, &f->point, err);
    if (!status && f->point >= 0) status = hsp_cv_part_make(outer, job, &part, err);
    f->tested = outer->tested[job];
    f->trained = outer->trained[job];
    if (!status && f->point >= 0)
        status = test_choice(outer, &part, f->point, out->value + job * outer->metrics, &f->complete, err);
    out->complete += f->complete;
    hsp_cv_part_clear(&part);
    return status;
}

int hsp_cv_nested_run(const hsp_cv *whole, const hsp_options *o, hsp_cv_nested *out, hsp_error **err) {
    hsp_cv outer = {0};
    hsp_options *own = NULL;
    *out = (hsp_cv_nested){0};
    int status = make_options(o, true, &own, err);
    if (!status) status = hsp_cv_begin(&outer, whole->data, own, whole->grid, whole->course, err);
    if (!status) {
        out->folds = outer.jobs;
        out->fold = hsp_alloc_zero(outer.jobs, sizeof *out->fold);
        out->value = hsp_alloc_zero(outer.jobs * outer.metrics, sizeof *out->value);
        if (!out->fold || !out->value) status = hsp_fail_memory(err);
    }
    for (int64_t k = 0; !status && k < outer.jobs && !hsp_cv_over(whole->course); k++)
        status = run_outer(&outer, k, o, out, err);
    hsp_cv_end(&outer);
    hsp_options_free(own);
    if (status) hsp_cv_nested_clear(out);
    return status;
}
