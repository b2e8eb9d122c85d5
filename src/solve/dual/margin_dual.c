/* Dual coordinate descent (ascent.h) as a method of margin.h. */
#include "loss/loss.h"
#include "problem/margin_values.h"
#include "solve/dual/ascent.h"
#include "solve/loop/solver.h"
#include "solve/margin/margin.h"

#include <math.h>

/* A tolerance below the first means exact multipliers, unless the finish costs this many times the work so far. */
static const double EXACT = 1e-9, TOO_EXPENSIVE = 10;
/* Below this gap nothing is left to gain. */
static const double NOTHING_LEFT = 1e-12;

typedef struct margin_dual_state {
    hsp_ascent ascent;
    hsp_step result; /* of the last step */
} margin_dual_state;

static int init_dual(void *vs, const hsp_margin *m, const hsp_margin_point *start, uint64_t seed, hsp_error **err) {
    bool entropy = m->problem && m->problem->loss->dual_shape == HSP_DUAL_ENTROPY;
    hsp_ascent_task task = {.count = 1, .m = m, .start = &start, .entropy = entropy, .seed = seed};
    return hsp_ascent_init(&((margin_dual_state *)vs)->ascent, &task, err);
}

static hsp_step step_dual(void *vs, hsp_budget *budget) {
    margin_dual_state *s = vs;
    hsp_ascent_epoch(&s->ascent, budget, &s->result);
    return s->result == HSP_STEP_QUIET ? HSP_STEP_MORE : s->result;
}

static bool is_quiet(const void *vs) {
    return ((const margin_dual_state *)vs)->result == HSP_STEP_QUIET;
}

static void export_dual(void *vs, hsp_margin_point *out) {
    hsp_ascent_export(&((margin_dual_state *)vs)->ascent, 0, out);
}

static double gap_of(const void *vs) {
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
    bool exact = tol <= EXACT && hsp_ascent_finish(s, 0, 2) <= TOO_EXPENSIVE * s->moving.work;
    return exact || work > hsp_ascent_finish(s, 0, STEPS);
}

static void peek_dual(const void *vs, double *w, double *b) {
    hsp_ascent_peek(&((const margin_dual_state *)vs)->ascent, w, b);
}

static void free_dual(void *vs) {
    hsp_ascent_free(&((margin_dual_state *)vs)->ascent);
}

const hsp_margin_method hsp_margin_dual = {.name = "dual",
                                           .state_size = sizeof(margin_dual_state),
                                           .entropy = true,
                                           .init = init_dual,
                                           .step = step_dual,
                                           .export = export_dual,
                                           .gap = gap_of,
                                           .measured = give_measured,
                                           .quiet = is_quiet,
                                           .finish_pays = finish_pays,
                                           .peek = peek_dual,
                                           .free = free_dual};
