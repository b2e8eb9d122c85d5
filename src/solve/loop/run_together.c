/* Several problems at once: first the batch of a solver, then each problem that has left it by itself. */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "problem/point.h"
#include "problem/problem.h"
#include "solve/loop/run_state.h"

/* A run leaves its batch: it has ended, or continues by itself with the solver `alone`. */
static void leave_batch(hsp_run_state *r, hsp_stop stop, const hsp_solver *alone, const hsp_solver **next) {
    r->batch->leave(r->state, r->member);
    *next = alone;
    if (alone) return;
    hsp_run_finish(r, stop);
    r->batch = NULL;
    r->state = NULL;
}

/* One step of all problems in the batch; returns how many stay in it. */
static int64_t step_together(hsp_run_state *r, int64_t count, void *state, hsp_budget *budget, const hsp_solver **next) {
    hsp_step result[HSP_MOST_BATCH] = {HSP_STEP_MORE};
    int64_t updates[HSP_MOST_BATCH] = {0}, before = budget->steps, left = 0;
    r->solver->batch->step(state, budget, result, updates);
    bool cancelled = hsp_cancel_take();
    for (int64_t k = 0; k < count; k++) {
        hsp_run_state *one = r + k;
        if (!one->batch || next[k]) continue;
        left++;
        one->updates_before = one->budget.updates;
        one->budget.updates += updates[k];
        one->budget.steps += budget->steps - before;
        one->budget.out = budget->out;
        one->cancelled = cancelled;
        if (!budget->out && budget->steps > before) one->out->epochs++;
        if (result[k] == HSP_STEP_QUIET && !hsp_run_is_over(one)) continue;
        hsp_run_measure(one, HSP_POINT_CURRENT);
        hsp_stop stop = hsp_run_stop_reason(one, result[k]);
        if (hsp_run_report(one) && !stop) stop = HSP_STOP_CANCELLED;
        if (!stop && result[k] != HSP_STEP_ALONE) continue;
        const hsp_solver *alone = !stop                                         ? one->solver
                                  : hsp_run_is_taken_over(one, result[k], stop) ? hsp_run_successor(one)
                                                                                : NULL;
        leave_batch(one, stop, alone, next + k);
        left--;
    }
    return left;
}

static int loop_together(hsp_run_state *r, int64_t count, hsp_error **err) {
    const hsp_solver *next[HSP_MOST_BATCH] = {NULL};
    hsp_budget budget = {.max_updates = INT64_MAX, .max_steps = INT64_MAX, .deadline = r->budget.deadline};
    int64_t left = count;
    void *state = r->state;
    const hsp_batch *batch = r->solver->batch;
    bool cancelled = hsp_cancel_take();
    for (int64_t k = 0; k < count; k++) {
        r[k].cancelled = cancelled;
        hsp_stop stop = hsp_run_report(r + k) ? HSP_STOP_CANCELLED : hsp_run_limit(r + k);
        if (!stop) continue;
        leave_batch(r + k, stop, NULL, next + k);
        left--;
    }
    while (left > 0) left = step_together(r, count, state, &budget, next);
    for (int64_t k = 0; k < count; k++) r[k].state = NULL;
    batch->free(state);
    hsp_free(state);
    int status = HSP_OK;
    for (int64_t k = 0; !status && k < count; k++) {
        hsp_stop stop = HSP_STOP_NONE;
        if (!next[k]) continue;
        status = hsp_run_hand_over(r + k, next[k], err);
        if (!status) status = hsp_run_loop(r + k, HSP_STOP_NONE, &stop, err);
        if (!status) hsp_run_finish(r + k, stop);
    }
    return status;
}

int hsp_run_together(const hsp_solver *solver, const hsp_run_task *tasks, int64_t count, const hsp_rules *rules,
                     hsp_error **err) {
    hsp_problem *p[HSP_MOST_BATCH];
    hsp_point *start[HSP_MOST_BATCH];
    hsp_run_state *r = hsp_alloc_zero(count, sizeof *r);
    void *state = hsp_alloc_zero(1, solver->batch->state_size);
    int status = r && state ? HSP_OK : hsp_fail_memory(err);
    for (int64_t k = 0; !status && k < count; k++) {
        const hsp_run_task *t = tasks + k;
        r[k] = (hsp_run_state){
            .solver = solver, .p = t->p, .rules = rules, .place = t->place, .hooks = t->hooks, .best = t->point};
        r[k].out = t->out;
        r[k].batch = solver->batch;
        r[k].member = k;
        r[k].state = state;
        p[k] = t->p;
        start[k] = t->point;
        status = hsp_run_allocate(r + k, err);
    }
    if (!status) status = solver->batch->init(state, p, count, rules, start, err);
    if (status && state) {
        solver->batch->free(state);
        hsp_free(state);
    }
    for (int64_t k = 0; !status && k < count; k++) hsp_run_measure_start(r + k);
    if (!status) status = loop_together(r, count, err);
    for (int64_t k = 0; r && k < count; k++) hsp_run_free(r + k);
    hsp_free(r);
    return status;
}
