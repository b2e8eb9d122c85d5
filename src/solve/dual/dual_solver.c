/* The solver `dual`: coordinate descent, then exact multipliers. */
#include "solve/dual/ascent.h"
#include "solve/loop/solver.h"
#include "solve/margin/margin.h"
#include "solve/margin/margin_solver.h"

static const hsp_margin_plan dual_plan = {"dual", &hsp_margin_dual, HSP_ASCENT_NEAR, true};

static int init(void *state, hsp_problem *p, const hsp_rules *rules, const hsp_point *start, hsp_error **err) {
    return hsp_margin_solver_init(state, &dual_plan, p, rules, start, err);
}

const hsp_solver hsp_solver_dual = {.name = "dual",
                                    .help = "dual coordinate descent, then exact multipliers: margins, many sparse columns",
                                    HSP_MARGIN_SOLVER,
                                    .init = init};
