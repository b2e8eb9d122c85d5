#include "drive/round_watch.h"

#include "base/clock.h"
#include "fit/class_weight.h"
#include "fit/fit.h"
#include "problem/problem.h"
#include "solve/loop/solver.h"
#include "solve/loop/stop.h"

#include <math.h>
#include <stddef.h>

void hsp_drive_open_results(hsp_drive_problem *p) {
    hsp_fit *f = &p->drive->fit;
    f->out.problems = p->figures;
    f->notes.solved = f->notes.iterative = f->form.certified = true;
    for (int64_t k = 0; k < p->figures; k++) {
        const char *label = p->figures > 1 ? f->job.prepare->classes.name[k] : NULL;
        f->out.results[k] = (hsp_fit_result){.label = label, .margin = NAN, .geometric = NAN, .radius = NAN, .bound = NAN};
        if (p->figures > 1 && hsp_fit_absent(f, k)) f->out.results[k].outcome.stop = HSP_STOP_CLOSED_FORM;
    }
}

static double seconds_of(const hsp_drive_problem *p) {
    return hsp_clock_seconds() - p->drive->fit.job.begun;
}

/* Whether the hook asks to stop. */
static bool tell_hooks(const hsp_drive_problem *p, int64_t figure, const hsp_outcome *o, const char *method) {
    const hsp_hooks *hooks = p->drive->fit.job.hooks;
    if (!hooks || hooks->size < offsetof(hsp_hooks, progress) + sizeof hooks->progress || !hooks->progress) return false;
    const hsp_fit_result *r = &p->drive->fit.out.results[figure];
    const hsp_progress line = {.size = sizeof line,
                               .label = r->label,
                               .problem = figure,
                               .problems = p->figures,
                               .epoch = o->epochs,
                               .max_epochs = p->drive->fit.form.rules.max_epochs,
                               .updates = o->updates,
                               .steps = o->steps,
                               .objective = o->end.objective,
                               .mean_loss = o->end.mean_loss,
                               .error = o->end.error,
                               .norm = o->end.norm,
                               .dual_bound = o->dual_bound,
                               .relative_gap = o->gap,
                               .seconds = seconds_of(p),
                               .method = method,
                               .step = NAN};
    return hooks->progress(hooks->user, &line) != 0;
}

/* No bound lies above the objective but by rounding, which is taken off; what is more than rounding stays visible. */
static double without_rounding(double dual, double objective) {
    static const double ROUNDING = 1e-12;
    return dual > objective && dual - objective <= ROUNDING * fabs(objective) ? objective : dual;
}

void hsp_drive_watch(hsp_drive_problem *p, int64_t figure, const hsp_measure *m, const char *method) {
    hsp_outcome *o = hsp_drive_outcome(p, figure);
    bool first = o->stage_count == 0;
    o->end = (hsp_evaluation){m->objective, m->mean_loss, m->error, m->norm};
    if (first) {
        o->start = o->end;
        o->stages[o->stage_count++] = (hsp_stage){.method = method, .gap = NAN};
        o->dual_bound = NAN;
    } else {
        o->epochs++;
        o->updates++;
        o->steps += p->drive->agreed.count;
    }
    double dual = without_rounding(m->dual, m->objective);
    if (!(o->dual_bound >= dual)) o->dual_bound = isnan(dual) ? o->dual_bound : dual;
    o->gap = hsp_relative_gap(o->end.objective, o->dual_bound);
    o->seconds = seconds_of(p);
    bool stop = tell_hooks(p, figure, o, method);
    if (o->gap <= p->drive->fit.form.rules.tol) {
        o->stop = HSP_STOP_GAP;
        o->converged = true;
    } else if (stop) {
        for (int64_t k = 0; k < p->figures; k++)
            if (!hsp_drive_outcome(p, k)->stop) hsp_drive_outcome(p, k)->stop = HSP_STOP_CANCELLED;
    } else if (!isfinite(o->end.objective)) {
        o->stop = HSP_STOP_DIVERGED;
    }
}

void hsp_drive_stall(hsp_drive_problem *p, int64_t figure) {
    hsp_outcome *o = hsp_drive_outcome(p, figure);
    if (!o->stop) o->stop = HSP_STOP_NO_PROGRESS;
}

int64_t hsp_drive_running(const hsp_drive_problem *p, int64_t *which) {
    int64_t count = 0;
    for (int64_t k = 0; k < p->figures; k++)
        if (!hsp_drive_outcome(p, k)->stop) which[count++] = k;
    return count;
}

void hsp_drive_check_limits(hsp_drive_problem *p) {
    const hsp_rules *rules = &p->drive->fit.form.rules;
    enum { MOST_ROUNDS = 1000 };
    int64_t most = rules->max_epochs >= 0 ? rules->max_epochs : MOST_ROUNDS;
    bool late = rules->max_seconds >= 0 && seconds_of(p) >= rules->max_seconds, cancelled = hsp_cancel_take();
    for (int64_t k = 0; k < p->figures; k++) {
        hsp_outcome *o = hsp_drive_outcome(p, k);
        bool begun = o->stage_count > 0;
        if (o->stop || !begun) continue;
        if (cancelled)
            o->stop = HSP_STOP_CANCELLED;
        else if (late)
            o->stop = HSP_STOP_MAX_SECONDS;
        else if (o->epochs >= most)
            o->stop = HSP_STOP_MAX_EPOCHS;
    }
}
