/* hsp_path. */
#include "select/path.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "data/data.h"
#include "data/folds.h"
#include "fit/fit_report.h"
#include "option/options.h"
#include "problem/problem.h"
#include "solve/loop/progress_line.h"
#include "solve/loop/run.h"

#include <math.h>

/* ---- progress ---- */

bool hsp_path_meter_count(hsp_path_meter *m) {
    const hsp_hooks *hooks = m->hooks;
    int64_t done = atomic_fetch_add(&m->done, 1) + 1;
    bool known = hooks && hooks->size >= offsetof(hsp_hooks, progress) + sizeof hooks->progress && hooks->progress;
    if (!known || !pthread_equal(m->caller, pthread_self())) return false;
    hsp_run_place place = {done < m->all ? done : m->all - 1, m->all, "lambdas"};
    hsp_outcome unknown = {.dual_bound = NAN, .gap = NAN};
    const hsp_progress line = hsp_progress_line(place, 0, &unknown, (hsp_evaluation){NAN, NAN, NAN, NAN}, m->begun, "path");
    return hooks->progress(hooks->user, &line) != 0;
}

static bool after_point(void *ctx, const hsp_path_points *points) {
    hsp_path_meter *m = ctx;
    if (points->count == 1) m->all = points->capacity * (1 + m->folds);
    return hsp_path_meter_count(m);
}

/* ---- the path ---- */

/* The grid is read before anything else is done with the data, so that a wrong one fails early. */
static int check_options(const hsp_data *data, const hsp_options *o, hsp_error **err) {
    bool folds = hsp_options_is_set(o, "folds");
    if (!folds && hsp_options_is_set(o, "metric"))
        return hsp_fail(err, HSP_EUSAGE, "--metric has no effect without cross-validation: add --folds N, or leave it out");
    if (data->incomplete) return hsp_fail(err, HSP_EINPUT, "%s", data->refusal);
    return HSP_OK;
}

static int warn(const hsp_data *data, const hsp_options *o, const hsp_hooks *hooks, hsp_error **err) {
    hsp_text t = {0};
    hsp_data_warn(data, hsp_options_text(o, "positive"), &t);
    hsp_warnings_log(&t, hooks);
    int status = t.failed ? hsp_fail_memory(err) : HSP_OK;
    hsp_text_free(&t);
    return status;
}

int hsp_path_run(const hsp_data *data, const hsp_options *o, const hsp_hooks *hooks, hsp_path_result *out,
                 hsp_error **err) {
    hsp_options *own = NULL;
    hsp_folds folds = {0};
    double most = hsp_options_real(o, "max-seconds", -1), begun = hsp_clock_seconds();
    hsp_path_meter meter = {.hooks = hooks, .caller = pthread_self(), .begun = begun};
    *out = (hsp_path_result){0};
    int status = check_options(data, o, err);
    if (!status) status = hsp_data_check_columns(data, o, 1, err);
    if (!status) status = hsp_path_options(data, o, &own, err);
    if (!status && hsp_options_is_set(o, "folds")) status = hsp_folds_new(data, own, &folds, err);
    meter.folds = folds.count;
    out->sweep.deadline = most >= 0 ? begun + most : INFINITY;
    out->sweep.after = after_point;
    out->sweep.ctx = &meter;
    if (!status) status = hsp_path_sweep_run(data, own, hooks, &out->sweep, &out->model, err);
    if (!status && folds.count > 0 && !out->sweep.interrupted && !out->sweep.late)
        status = hsp_path_validate(data, own, &out->sweep, &folds, &meter, &out->scores, err);
    out->unfinished =
        out->sweep.interrupted || (folds.count > 0 && !out->sweep.late && !out->scores.metric && !out->scores.late);
    out->seconds = hsp_clock_seconds() - begun;
    if (hsp_cancel_take() && !status) out->unfinished = true;
    hsp_folds_clear(&folds);
    hsp_options_free(own);
    if (status) hsp_path_result_clear(out);
    return status;
}

void hsp_path_result_clear(hsp_path_result *r) {
    hsp_path_sweep_clear(&r->sweep);
    hsp_path_scores_clear(&r->scores);
    hsp_model_free(r->model);
    *r = (hsp_path_result){0};
}

int hsp_path(const hsp_data *data, const hsp_options *o, const hsp_hooks *hooks, hsp_report **report, hsp_error **err) {
    hsp_path_result r;
    *report = NULL;
    int status = warn(data, o, hooks, err);
    if (status) return status;
    status = hsp_path_run(data, o, hooks, &r, err);
    if (!status) status = hsp_path_report(data, &r, report, err);
    hsp_path_result_clear(&r);
    return status;
}
