#include "base/advance.h"

#include "base/clock.h"

#include <math.h>

static void call_hook(hsp_advance *a) {
    if (!a->hooks || !a->hooks->progress) return;
    const hsp_progress line = {.size = sizeof line,
                               .label = "",
                               .problems = 1,
                               .epoch = a->pass,
                               .max_epochs = a->passes,
                               .steps = atomic_load(&a->rows),
                               .objective = NAN,
                               .mean_loss = NAN,
                               .error = NAN,
                               .norm = NAN,
                               .dual_bound = NAN,
                               .relative_gap = NAN,
                               .seconds = hsp_clock_seconds() - a->start,
                               .method = a->method};
    if (a->hooks->progress(a->hooks->user, &line)) atomic_store(&a->stopped, true);
}

void hsp_advance_begin(hsp_advance *a, const hsp_hooks *hooks, const char *method, int64_t passes) {
    *a = (hsp_advance){.hooks = hooks, .method = method, .passes = passes, .start = hsp_clock_seconds()};
    a->caller = pthread_self();
    hsp_advance_rows(a, 0);
}

bool hsp_advance_rows(hsp_advance *a, int64_t rows) {
    if (!a) return false;
    atomic_fetch_add(&a->rows, rows);
    if (hsp_cancel_take()) atomic_store(&a->stopped, true);
    if (!hsp_advance_stopped(a) && pthread_equal(a->caller, pthread_self())) call_hook(a);
    return hsp_advance_stopped(a);
}

void hsp_advance_pass(hsp_advance *a) {
    if (a) a->pass++;
}

bool hsp_advance_stopped(const hsp_advance *a) {
    return a && atomic_load_explicit(&a->stopped, memory_order_relaxed);
}
