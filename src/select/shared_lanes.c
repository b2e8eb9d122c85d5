/* Sparse rows: eight problems at a time side by side in vector lanes, so that one pass along a row serves all of them. They are
 * grouped in ascending order of C, then by fold and class: those of a group need about the same number of epochs, and each
 * begins at the multipliers of the same fold and class for the last value that is solved. */
#include "base/error.h"
#include "select/shared_alone.h"
#include "select/shared_ascent.h"
#include "select/shared_run.h"
#include "solve/dual/ascent.h"

/* Groups that follow one another: longer chains have more warm starts, shorter ones keep more threads busy. */
enum { CHAIN = 3 };

static hsp_shared_place place_of(const hsp_shared_setup *u, int64_t index) {
    int64_t members = u->s->folds->count * u->problems, rest = index % members;
    return (hsp_shared_place){index / members, rest / u->problems, rest % u->problems};
}

static int64_t all_problems(const hsp_shared_setup *u) {
    return u->s->count * u->s->folds->count * u->problems;
}

static int64_t groups(const hsp_shared_setup *u) {
    return (all_problems(u) + HSP_LANES - 1) / HSP_LANES;
}

static int64_t lane_tasks(const hsp_shared_setup *u) {
    return (groups(u) + CHAIN - 1) / CHAIN;
}

static int solve_places(hsp_shared_bench *b, int64_t from, int64_t to, hsp_error **err) {
    hsp_shared_place at[HSP_LANES];
    bool stalled[HSP_LANES];
    int count = 0, status = HSP_OK;
    for (int64_t index = from; !status && index < to; index++) {
        hsp_shared_place one = place_of(b->r->u, index);
        const hsp_shared_rows *rows = hsp_shared_bench_rows(b, one.fold);
        if (!rows) return hsp_fail_memory(err);
        if (hsp_shared_is_silent(b->r->u, rows, one.k))
            hsp_shared_silence(b->r, rows, one.value, one.fold, one.k);
        else
            at[count++] = one;
    }
    if (count > 0) status = hsp_shared_ascend(b, at, count, stalled, err);
    for (int k = 0; !status && k < count; k++)
        if (stalled[k]) status = hsp_shared_finish(b, at[k], err);
    return status;
}

static int run_lanes(hsp_shared_run *r, int64_t index, hsp_error **err) {
    const hsp_shared_setup *u = r->u;
    int64_t chains = lane_tasks(u), chain = chains - 1 - index, all = all_problems(u); /* the most difficult first */
    int64_t from = groups(u) * chain / chains * HSP_LANES, to = groups(u) * (chain + 1) / chains * HSP_LANES;
    hsp_shared_bench b;
    int status = hsp_shared_bench_open(&b, r, HSP_LANES, err);
    if (to > all) to = all;
    for (; !status && from < to && !hsp_shared_stop(r); from += HSP_LANES)
        status = solve_places(&b, from, from + HSP_LANES < to ? from + HSP_LANES : to, err);
    hsp_shared_bench_close(&b);
    return status;
}

const hsp_shared_way hsp_shared_lanes = {"lanes", lane_tasks, run_lanes};
