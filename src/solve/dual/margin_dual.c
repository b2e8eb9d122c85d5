/* Dual coordinate descent (ascent.h) as a method of margin.h. */
#include "solve/dual/ascent.h"
#include "solve/loop/solver.h"
#include "solve/margin/margin.h"

#include <string.h>

static int init(void *vs, const hsp_margin *m, const hsp_margin_point *start, uint64_t seed, hsp_error **err) {
    return hsp_ascent_init(vs, m, NULL, false, 0, start, seed, err);
}

static hsp_step step(void *vs, hsp_budget *budget) {
    hsp_step said = hsp_ascent_epoch(vs, budget);
    return said == HSP_STEP_QUIET ? HSP_STEP_MORE : said;
}

static void export(void *vs, hsp_margin_point *out) {
    hsp_ascent *s = vs;
    hsp_ascent_measure(s);
    out->b = s->best_b;
    memcpy(out->w, s->w, (size_t)s->m->design->d * sizeof *out->w);
    hsp_ascent_alpha(s, out->alpha);
}

static double gap(const void *vs) {
    return ((const hsp_ascent *)vs)->gap;
}

static void release(void *vs) {
    hsp_ascent_free(vs);
}

const hsp_margin_method hsp_margin_dual = {.name = "dual",
                                           .state_size = sizeof(hsp_ascent),
                                           .init = init,
                                           .step = step,
                                           .export = export,
                                           .gap = gap,
                                           .free = release};
