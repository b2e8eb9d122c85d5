#include "solve/loop/progress_line.h"

#include "base/clock.h"

#include <math.h>

hsp_progress hsp_progress_line(hsp_run_place place, int64_t max_epochs, const hsp_outcome *o, hsp_evaluation at,
                               double begun, const char *method) {
    return (hsp_progress){.size = sizeof(hsp_progress),
                          .label = place.label,
                          .problem = place.problem,
                          .problems = place.problems,
                          .epoch = o->epochs,
                          .max_epochs = max_epochs,
                          .updates = o->updates,
                          .steps = o->steps,
                          .objective = at.objective,
                          .mean_loss = at.mean_loss,
                          .error = at.error,
                          .norm = at.norm,
                          .dual_bound = o->dual_bound,
                          .relative_gap = o->gap,
                          .seconds = hsp_clock_seconds() - begun,
                          .method = method,
                          .step = NAN};
}
