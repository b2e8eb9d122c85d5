/* One problem of one fold for a range of values of C, one after the other by the solver that fits it best, each warm-started
 * from the one before: C grows, so the path leads from the easiest problem to the most difficult. */
#include "base/error.h"
#include "select/shared_alone.h"
#include "select/shared_ascent.h"
#include "select/shared_run.h"

/* Ranges of values: so that a few folds keep many threads busy. */
enum { RANGE = 8 };

static int64_t ranges(const hsp_shared_setup *u) {
    return (u->s->count + RANGE - 1) / RANGE;
}

static int64_t chain_tasks(const hsp_shared_setup *u) {
    return u->s->folds->count * u->problems * ranges(u);
}

static int fit_place(hsp_shared_bench *b, hsp_shared_place at, hsp_error **err) {
    const hsp_shared_rows *rows = hsp_shared_bench_rows(b, at.fold);
    bool stalled = true;
    int status = rows ? HSP_OK : hsp_fail_memory(err);
    if (status) return status;
    if (hsp_shared_is_silent(b->r->u, rows, at.k)) {
        hsp_shared_silence(b->r, rows, at.value, at.fold, at.k);
        return HSP_OK;
    }
    double C = hsp_shared_C(b->r->u, at.value, rows->sum_c);
    if (hsp_shared_ascent_is_best(b->r->u, C)) status = hsp_shared_ascend(b, &at, 1, &stalled, err);
    if (!status && stalled) status = hsp_shared_finish(b, at, err);
    return status;
}

static int run_chain(hsp_shared_run *r, int64_t index, hsp_error **err) {
    const hsp_shared_setup *u = r->u;
    int64_t all = ranges(u), range = all - 1 - index % all, problem = index / all; /* the most difficult first */
    int64_t from = u->s->count * range / all, to = u->s->count * (range + 1) / all;
    hsp_shared_bench b;
    int status = hsp_shared_bench_open(&b, r, 1, err);
    for (int64_t i = from; !status && i < to && !hsp_shared_stop(r); i++)
        status = fit_place(&b, (hsp_shared_place){i, problem / u->problems, problem % u->problems}, err);
    hsp_shared_bench_close(&b);
    return status;
}

const hsp_shared_way hsp_shared_chain = {"chain", chain_tasks, run_chain};
