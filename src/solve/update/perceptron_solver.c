/* The perceptron (Rosenblatt 1958): visit the rows, and on a mistake w += eta y x, b += eta y. An update rule without an
 * objective to follow; the figures that run.c reports are those of the perceptron loss.
 *
 * Besides the present point it offers a candidate: the weights with the longest run of correct rows in the epoch (Gallant
 * 1990, the pocket algorithm). run.c keeps them only if they make fewer mistakes on all rows, Gallant's ratchet. He uses the
 * longest run of all epochs; one candidate from every epoch costs one more pass and leaves fewer mistakes in the end. */
#include "base/error.h"
#include "base/memory.h"
#include "data/matrix.h"
#include "design/design.h"
#include "loss/loss.h"
#include "problem/point.h"
#include "problem/problem.h"
#include "solve/loop/solver.h"
#include "solve/loop/stop.h"
#include "solve/update/iterate.h"
#include "solve/update/order.h"
#include "solve/update/visits.h"

typedef struct perceptron {
    hsp_visits v;         /* first: see visits.h */
    int64_t mistakes;     /* in this epoch */
    int64_t run, longest; /* rows since the last update; longest such run in this epoch */
    double *pocket_w;     /* owned: the weights of that run; NULL unless the best are kept */
    double pocket_b;
    bool fresh; /* the pocket holds weights of this epoch */
} perceptron;

static int init_perceptron(void *vs, hsp_problem *p, const hsp_rules *rules, const hsp_point *start, hsp_error **err) {
    perceptron *s = vs;
    int status = hsp_visits_init(&s->v, p, rules, start, false, 1, err);
    if (!status && rules->keep == HSP_KEEP_BEST) {
        s->pocket_w = hsp_alloc(p->design->d, sizeof *s->pocket_w);
        if (!s->pocket_w) status = hsp_fail_memory(err);
    }
    return status;
}

static void free_perceptron(void *vs) {
    perceptron *s = vs;
    hsp_visits_free(&s->v);
    hsp_free(s->pocket_w);
}

static void resume_perceptron(void *vs, const hsp_counters *from) {
    perceptron *s = vs;
    hsp_visits_resume(&s->v, from);
}

/* A row of weight 0 is never a mistake. */
static bool is_mistake(const perceptron *s, int64_t i, double g) {
    double y = s->v.p->y[i];
    if (s->v.p->c && s->v.p->c[i] == 0) return false;
    switch (s->v.rules->update_on) {
    case HSP_ON_NEGATIVE:
        return y * g < 0;
    case HSP_ON_MISMATCH:
        return (g > 0) != (y > 0);
    default:
        return y * g <= 0;
    }
}

static void visit_row(perceptron *s, int64_t i, hsp_budget *budget) {
    double y = s->v.p->y[i];
    hsp_row row = hsp_design_row(s->v.it.D, i, NULL);
    double g = hsp_iterate_score(&s->v.it, i, row);
    if (is_mistake(s, i, g)) {
        /* The present weights are about to change: keep them if they had the longest run of this epoch. */
        if (s->pocket_w && s->run > s->longest) {
            hsp_point view = {.outputs = 1, .d = s->v.it.D->d, .w = s->pocket_w, .b = &s->pocket_b};
            hsp_iterate_export(&s->v.it, false, &view);
            s->longest = s->run;
            s->fresh = true;
        }
        s->run = 0;
        double rate = s->v.rules->rate * (s->v.p->c ? s->v.p->c[i] : 1);
        hsp_iterate_add(&s->v.it, i, hsp_design_row(s->v.it.D, i, NULL), rate * y);
        if (s->v.p->intercept != HSP_INTERCEPT_NONE) s->v.it.b += rate * y;
        s->mistakes++;
        budget->updates++;
        budget->change = (hsp_change){.row = i, .score = g, .step = s->v.rules->rate};
    } else {
        s->run++;
    }
    hsp_iterate_count(&s->v.it);
    budget->steps++;
}

/* With rows drawn at random an epoch without mistakes proves nothing: check all rows once. */
static bool classifies_all(perceptron *s) {
    for (int64_t i = 0; i < s->v.it.D->n; i++)
        if (is_mistake(s, i, hsp_iterate_score(&s->v.it, i, hsp_design_row(s->v.it.D, i, NULL)))) return false;
    return true;
}

static hsp_step step_perceptron(void *vs, hsp_budget *budget) {
    perceptron *s = vs;
    if (s->v.order.at == 0) {
        hsp_iterate_normalise(&s->v.it);
        s->mistakes = s->longest = 0;
        s->fresh = false;
    }
    while (!hsp_order_wrap(&s->v.order)) {
        if (hsp_budget_out(budget)) return HSP_STEP_MORE;
        visit_row(s, hsp_order_next(&s->v.order), budget);
    }
    if (s->mistakes > 0) return HSP_STEP_MORE;
    return s->v.order.kind != HSP_ORDER_RANDOM || classifies_all(s) ? HSP_STEP_DONE : HSP_STEP_MORE;
}

static bool export_perceptron(void *vs, hsp_which which, hsp_point *out) {
    perceptron *s = vs;
    if (which == HSP_POINT_CANDIDATE) {
        if (!s->fresh) return false;
        hsp_point view = {.outputs = 1, .d = s->v.it.D->d, .w = s->pocket_w, .b = &s->pocket_b};
        hsp_point_copy(out, &view);
        return true;
    }
    return hsp_visits_export(s, which, out);
}

const hsp_solver hsp_solver_perceptron = {.name = "perceptron",
                                          .help = "the perceptron's update on each misclassified row",
                                          .done = HSP_STOP_NO_MISTAKES,
                                          .needs = HSP_LOSS_SLOPE,
                                          .counts_mistakes = true,
                                          .samples = true,
                                          .state_size = sizeof(perceptron),
                                          .init = init_perceptron,
                                          .step = step_perceptron,
                                          .export = export_perceptron,
                                          .peek = hsp_visits_peek,
                                          .on = {resume_perceptron, hsp_visits_leave},
                                          .free = free_perceptron};
