/* Dual coordinate descent (ascent.h) as a method of margin.h. */
#include "loss/loss.h"
#include "problem/margin_values.h"
#include "solve/dual/ascent.h"
#include "solve/loop/solver.h"
#include "solve/margin/margin.h"

#include <math.h>

/* Who asks for this wants exact multipliers, unless the finish takes so many times what was done before. */
static const double EXACT = 1e-9, DEAR = 10;
/* A gap from which nothing is left to gain. */
static const double NOTHING_LEFT = 1e-12;

typedef struct margin_dual_state {
    hsp_ascent ascent;
    hsp_step result; /* last */
} margin_dual_state;

static int init(void *vs, const hsp_margin *m, const hsp_margin_point *start, uint64_t seed, hsp_error **err) {
    bool entropy = m->problem && m->problem->loss->dual_shape == HSP_DUAL_ENTROPY;
    hsp_ascent_task task = {.count = 1, .m = m, .start = &start, .entropy = entropy, .seed = seed};
    return hsp_ascent_init(&((margin_dual_state *)vs)->ascent, &task, err);
}

static hsp_step step(void *vs, hsp_budget *budget) {
    margin_dual_state *s = vs;
    hsp_ascent_epoch(&s->ascent, budget, &s->result);
    return s->result == HSP_STEP_QUIET ? HSP_STEP_MORE : s->result;
}

static bool quiet(const void *vs) {
    return ((const margin_dual_state *)vs)->result == HSP_STEP_QUIET;
}

static void export(void *vs, hsp_margin_point *out) {
    hsp_ascent_export(&((margin_dual_state *)vs)->ascent, 0, out);
}

static double gap(const void *vs) {
    return ((const margin_dual_state *)vs)->ascent.lane[0].figures.gap;
}

static bool give_measured(const void *vs, hsp_margin_measured *out) {
    const hsp_ascent *s = &((const margin_dual_state *)vs)->ascent;
    const hsp_ascent_figures *figures = &s->lane[0].figures;
    *out = (hsp_margin_measured){.primal = figures->primal, .dual = figures->dual, .scores = figures->scores};
    if (s->lane[0].m->problem) out->at = &figures->at;
    return s->measured;
}

static bool finish_pays(const void *vs, double tol) {
    enum { STEPS = 10 };
    const hsp_ascent *s = &((const margin_dual_state *)vs)->ascent;
    double work;
    hsp_ascent_need(s, 0, fmax(tol, NOTHING_LEFT), &work);
    bool exact = tol <= EXACT && hsp_ascent_finish(s, 0, 2) <= DEAR * s->moving.work;
    return exact || work > hsp_ascent_finish(s, 0, STEPS);
}

static void peek(const void *vs, double *w, double *b) {
    hsp_ascent_peek(&((const margin_dual_state *)vs)->ascent, w, b);
}

static void release(void *vs) {
    hsp_ascent_free(&((margin_dual_state *)vs)->ascent);
}

const hsp_margin_method hsp_margin_dual = {.name = "dual",
                                           .state_size = sizeof(margin_dual_state),
                                           .entropy = true,
                                           .init = init,
                                           .step = step,
                                           .export = export,
                                           .gap = gap,
                                           .measured = give_measured,
                                           .quiet = quiet,
                                           .finish_pays = finish_pays,
                                           .peek = peek,
                                           .free = release};
