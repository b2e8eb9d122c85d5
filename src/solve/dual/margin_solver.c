/* Solvers for run.c made of the methods of margin.h: one that comes near the optimum from anywhere, then the finish, which
 * is exact from nearby. Where the finish fails the first method goes on to a nearer point and the finish has another try. A
 * multiplier alpha_i of margin.h is y_i C c_i r_i with r_i that of hsp_problem_dual_of. */
#include "base/error.h"
#include "base/memory.h"
#include "loss/loss.h"
#include "problem/point.h"
#include "problem/problem.h"
#include "solve/dual/ascent.h"
#include "solve/loop/solver.h"
#include "solve/margin/margin.h"

#include <math.h>
#include <string.h>

/* A finish that has not halved its gap for so many steps has failed; the next try is from a gap so many times smaller. */
enum { MOST_VAIN = 12, MOST_VAIN_AFAR = 40, MOST_TRIES = 4 };
static const double NEARER = 1e-2;
/* A gap from which nothing is left to gain. */
static const double ROUNDING = 1e-12;
/* Who asks for this wants exact multipliers, unless the finish takes so many times what was done before. */
static const double EXACT = 1e-9, DEAR = 10;
/* Gaps from which the finish is sure enough. */
static const double HAND_OVER_INTERIOR = 1e-5, HAND_OVER_DUAL = HSP_ASCENT_NEAR;

typedef struct state {
    hsp_problem *p;
    const hsp_rules *rules;
    hsp_margin m;
    double *upper, *ridge;    /* n; ridge NULL for the hinge */
    hsp_margin_point between; /* what goes from one method to the other, and out */
    const hsp_margin_method *first;
    void *near, *finish; /* states; finish NULL while there is none */
    double hand_over;    /* gap at which the finish has its try */
    hsp_step first_said; /* MORE while the first method can go on */
    int tries, vain;     /* of the finish; its steps since its gap was halved */
    double finish_gap;   /* then */
    bool ended;          /* no way is left to go */
    bool followed;       /* by another solver, when coordinate descent gets nowhere */
} state;

/* ---- the program ---- */

static int check(const hsp_problem *p, const hsp_solver *solver, hsp_error **err) {
    const char *name = solver->name;
    bool margin = p->loss == &hsp_loss_hinge || p->loss == &hsp_loss_squared_hinge, dual = solver == &hsp_solver_dual;
    if (p->outputs != 1 || !(margin || (dual && p->loss == &hsp_loss_logistic)))
        return hsp_fail(err, HSP_EUSAGE, "the solver '%s' takes the losses %s, not '%s': choose another", name,
                        dual ? "hinge, squared-hinge and logistic" : "hinge and squared-hinge", p->loss->name);
    if (!p->penalty->penalises || p->rho != 0)
        return hsp_fail(err, HSP_EUSAGE, "the solver '%s' takes the penalty l2 alone, not '%s': choose another", name,
                        p->penalty->name);
    return HSP_OK;
}

static double weight(const hsp_problem *p, int64_t i) {
    return p->C * (p->c ? p->c[i] : 1);
}

static int pose(state *s, hsp_error **err) {
    const hsp_problem *p = s->p;
    int64_t n = p->design->n;
    bool hinge = p->loss != &hsp_loss_squared_hinge; /* logistic multipliers have the same bounds */
    s->upper = hsp_alloc(n, sizeof *s->upper);
    if (!hinge) s->ridge = hsp_alloc(n, sizeof *s->ridge);
    s->between.w = hsp_alloc_zero(p->design->d, sizeof *s->between.w);
    s->between.alpha = hsp_alloc_zero(n, sizeof *s->between.alpha);
    if (!s->upper || (!hinge && !s->ridge) || !s->between.w || !s->between.alpha) return hsp_fail_memory(err);
    s->m = hsp_margin_of(p, s->upper, s->ridge);
    return HSP_OK;
}

/* The start's multipliers, where it has any, as those of the program; whether there are. */
static bool take_start(state *s, const hsp_point *start) {
    bool any = false;
    if (!start->alpha) return false;
    for (int64_t i = 0; i < s->p->design->n; i++) {
        double a = s->p->y[i] * start->alpha[i] * weight(s->p, i);
        s->between.alpha[i] = a > 0 ? fmin(a, s->upper[i]) : 0;
        any |= s->between.alpha[i] > 0;
    }
    if (!any) return false;
    if (start->d > 0) memcpy(s->between.w, start->w, (size_t)start->d * sizeof *start->w);
    s->between.b = start->b[0];
    return true;
}

static int init(state *s, const hsp_solver *solver, const hsp_margin_method *first, double hand_over, hsp_problem *p,
                const hsp_rules *rules, hsp_error **err) {
    *s = (state){.p = p, .rules = rules, .first = first, .hand_over = hand_over};
    int status = check(p, solver, err);
    if (!status) status = pose(s, err);
    if (status) return status;
    s->near = hsp_alloc_zero(1, first->state_size);
    return s->near ? HSP_OK : hsp_fail_memory(err);
}

static int init_interior(void *vs, hsp_problem *p, const hsp_rules *rules, const hsp_point *start, hsp_error **err) {
    state *s = vs;
    int status = init(s, &hsp_solver_interior_point, &hsp_margin_interior, HAND_OVER_INTERIOR, p, rules, err);
    if (status) return status;
    return s->first->init(s->near, &s->m, take_start(s, start) ? &s->between : NULL, rules->seed, err);
}

static int init_dual(void *vs, hsp_problem *p, const hsp_rules *rules, const hsp_point *start, hsp_error **err) {
    state *s = vs;
    int status = init(s, &hsp_solver_dual, &hsp_margin_dual, HAND_OVER_DUAL, p, rules, err);
    if (status) return status;
    bool logistic = p->loss == &hsp_loss_logistic;
    hsp_ascent *dual = s->near;
    status =
        hsp_ascent_init(dual, &s->m, p, logistic, rules->tol, take_start(s, start) ? &s->between : NULL, rules->seed, err);
    dual->newton = s->followed = rules->next && rules->next != &hsp_solver_dual;
    return status;
}

static int init_proximal(void *vs, hsp_problem *p, const hsp_rules *rules, const hsp_point *start, hsp_error **err) {
    state *s = vs;
    int status = init(s, &hsp_solver_proximal_point, &hsp_margin_polish, 0, p, rules, err);
    s->finish_gap = INFINITY;
    if (status) return status;
    return s->first->init(s->near, &s->m, take_start(s, start) ? &s->between : NULL, rules->seed, err);
}

static void drop_finish(state *s) {
    if (s->finish) hsp_margin_polish.free(s->finish);
    hsp_free(s->finish);
    s->finish = NULL;
}

static void release(void *vs) {
    state *s = vs;
    drop_finish(s);
    if (s->near) s->first->free(s->near);
    hsp_free(s->near);
    hsp_free(s->upper);
    hsp_free(s->ridge);
    hsp_free(s->between.w);
    hsp_free(s->between.alpha);
}

/* ---- steps ---- */

/* Where the present method's point stands: done when nothing is left to gain or nothing more was asked for. */
static hsp_step conclude(state *s) {
    double gap = s->finish ? hsp_margin_polish.gap(s->finish) : s->first->gap(s->near);
    s->ended = true;
    return gap <= fmax(ROUNDING, s->rules->tol) ? HSP_STEP_DONE : HSP_STEP_STALLED;
}

/* The finish takes over: once for each try, so that its memory is no part of any loop. HSP_OK; HSP_EMEMORY; HSP_EUSAGE when
 * it cannot take the program. */
static int begin_finish(state *s) {
    s->tries++;
    s->hand_over = fmin(s->hand_over, s->first->gap(s->near)) * NEARER;
    s->finish = hsp_alloc_zero(1, hsp_margin_polish.state_size);
    if (!s->finish) return HSP_EMEMORY;
    s->first->export(s->near, &s->between);
    int status = hsp_margin_polish.init(s->finish, &s->m, &s->between, s->rules->seed, NULL);
    if (status) drop_finish(s);
    s->finish_gap = s->first->gap(s->near);
    s->vain = 0;
    return status;
}

/* Interior point from its own start in place of a first method that has come to its end. */
static hsp_step rescue(state *s) {
    const hsp_margin_method *interior = &hsp_margin_interior;
    if (s->first == interior || s->m.design->d > HSP_ASCENT_FEW_COLUMNS) return HSP_STEP_STALLED;
    void *near = hsp_alloc_zero(1, interior->state_size);
    if (!near) return HSP_STEP_MEMORY;
    int status = interior->init(near, &s->m, NULL, s->rules->seed, NULL);
    if (status) {
        interior->free(near);
        hsp_free(near);
        return status == HSP_EMEMORY ? HSP_STEP_MEMORY : HSP_STEP_STALLED;
    }
    drop_finish(s);
    s->first->free(s->near);
    hsp_free(s->near);
    s->first = interior;
    s->near = near;
    s->hand_over = HAND_OVER_INTERIOR;
    s->first_said = HSP_STEP_MORE;
    s->tries = 0;
    return HSP_STEP_MORE;
}

/* The first method has come to its end and the finish has failed. */
static hsp_step give_up(state *s) {
    double gap = s->finish ? hsp_margin_polish.gap(s->finish) : s->first->gap(s->near);
    hsp_step said = gap > fmax(ROUNDING, s->rules->tol) || isnan(gap) ? rescue(s) : HSP_STEP_STALLED;
    return said == HSP_STEP_STALLED ? conclude(s) : said;
}

/* The finish has failed: back to the first method, if that can still go on. */
static hsp_step fall_back(state *s) {
    double reached = hsp_margin_polish.gap(s->finish);
    if (s->first_said != HSP_STEP_MORE && reached < s->first->gap(s->near)) return give_up(s); /* it still is the better */
    drop_finish(s);
    return s->first_said != HSP_STEP_MORE ? give_up(s) : HSP_STEP_MORE;
}

/* Whether the steps since the gap was last halved are too many. */
static bool in_vain(state *s, double gap, int most) {
    s->vain++;
    if (gap <= s->finish_gap / 2) {
        s->finish_gap = gap;
        s->vain = 0;
    }
    return s->vain > most;
}

static hsp_step step_finish(state *s, hsp_budget *budget) {
    hsp_step said = hsp_margin_polish.step(s->finish, budget);
    if (said == HSP_STEP_MEMORY) return said;
    if (said == HSP_STEP_DONE) {
        double gap = hsp_margin_polish.gap(s->finish);
        if (gap <= fmax(ROUNDING, s->rules->tol)) return conclude(s);
        if (s->first_said != HSP_STEP_MORE) return give_up(s);
        return fall_back(s);
    }
    if (said != HSP_STEP_MORE) return fall_back(s);
    return in_vain(s, hsp_margin_polish.gap(s->finish), MOST_VAIN) ? fall_back(s) : HSP_STEP_MORE;
}

/* The proximal-point method from afar: sure in most cases, and where it is not, interior point. */
static hsp_step step_proximal(state *s, hsp_budget *budget) {
    hsp_step said = s->first->step(s->near, budget);
    double gap = s->first->gap(s->near);
    if (said == HSP_STEP_MEMORY) return said;
    budget->updates++;
    if (said == HSP_STEP_MORE && !in_vain(s, gap, MOST_VAIN_AFAR)) return said;
    if (gap <= fmax(ROUNDING, s->rules->tol)) return conclude(s);
    return give_up(s);
}

/* The finish is worth its try: nothing else is left, or it takes less than the way that is left to what was asked for. */
static bool finish_now(const state *s, double gap) {
    enum { STEPS = 10 };
    double work;
    if (s->first_said != HSP_STEP_MORE) return true;
    if (gap <= s->rules->tol || gap > s->hand_over || s->tries >= MOST_TRIES) return false;
    if (s->first != &hsp_margin_dual) return true;
    hsp_ascent_need(s->near, fmax(s->rules->tol, ROUNDING), &work);
    bool exact = s->rules->tol <= EXACT && hsp_ascent_finish(s->near, 2) <= DEAR * ((const hsp_ascent *)s->near)->work;
    return exact || work > hsp_ascent_finish(s->near, STEPS);
}

static hsp_step step(void *vs, hsp_budget *budget) {
    state *s = vs;
    if (s->p->loss == &hsp_loss_logistic) return hsp_ascent_epoch(s->near, budget);
    if (s->ended) return conclude(s);
    if (s->finish) return step_finish(s, budget);
    if (s->first == &hsp_margin_polish) return step_proximal(s, budget);
    hsp_step said = s->first == &hsp_margin_dual ? hsp_ascent_epoch(s->near, budget) : s->first->step(s->near, budget);
    if (budget->paused) return said;
    s->first_said = said == HSP_STEP_QUIET ? HSP_STEP_MORE : said;
    if (said == HSP_STEP_QUIET || said == HSP_STEP_MEMORY) return said;
    double gap = s->first->gap(s->near);
    if (said == HSP_STEP_DONE && gap <= ROUNDING) return conclude(s);
    if (!finish_now(s, gap)) return HSP_STEP_MORE;
    if (said == HSP_STEP_STALLED && gap > HAND_OVER_INTERIOR && s->followed) return said;
    hsp_step rescued = said == HSP_STEP_STALLED && gap > HAND_OVER_INTERIOR ? rescue(s) : HSP_STEP_STALLED;
    if (rescued != HSP_STEP_STALLED) return rescued;
    int status = begin_finish(s);
    if (status == HSP_EMEMORY) return HSP_STEP_MEMORY;
    if (!status) return HSP_STEP_QUIET; /* the finish has no point of its own before its first step */
    return said != HSP_STEP_MORE ? give_up(s) : HSP_STEP_MORE;
}

/* What the method at work knows of the point in `between`, which was exported last. */
static bool known(void *vs, hsp_known *out) {
    state *s = vs;
    hsp_problem *p = s->p;
    const hsp_margin_method *at_work = s->finish ? &hsp_margin_polish : s->first;
    const void *of = s->finish ? s->finish : s->near;
    if (at_work == &hsp_margin_dual) { /* has measured it, for its gap */
        const hsp_ascent *dual = of;
        *out = (hsp_known){.at = dual->figure, .bound = dual->dual};
        return dual->measured;
    }
    hsp_margin_known figures;
    if (!at_work->known || !at_work->known(of, &figures)) return false;
    for (int64_t i = 0; i < p->design->n; i++) p->scores[i] = figures.scores[i] + s->between.b;
    *out = (hsp_known){.at = hsp_problem_evaluate_scores(p, s->between.w, &s->between.b), .bound = figures.dual};
    return true;
}

static const char *method(const void *vs) {
    const state *s = vs;
    if (s->finish) return "polish";
    return s->first == &hsp_margin_interior ? "interior-point" : s->first == &hsp_margin_polish ? "proximal-point" : "dual";
}

static bool export(void *vs, hsp_which which, hsp_point *out) {
    state *s = vs;
    const hsp_problem *p = s->p;
    if (which == HSP_POINT_CANDIDATE) return false;
    double *own = s->between.w;
    bool straight = !s->finish && s->first == &hsp_margin_dual; /* which knows its figures without the weights' copy */
    if (straight) s->between.w = out->w;
    if (s->finish)
        hsp_margin_polish.export(s->finish, &s->between);
    else
        s->first->export(s->near, &s->between);
    s->between.w = own;
    if (!straight && p->design->d > 0) memcpy(out->w, own, (size_t)p->design->d * sizeof *own);
    out->b[0] = s->between.b;
    for (int64_t i = 0; out->alpha && i < p->design->n; i++) {
        double k = weight(p, i);
        out->alpha[i] = k > 0 ? p->y[i] * (s->between.alpha[i] / k) : 0;
    }
    return true;
}

static bool peek(const void *vs, double *w, double *b) {
    const state *s = vs;
    if (s->finish || s->first != &hsp_margin_dual) return false;
    hsp_ascent_peek(s->near, w, b);
    return true;
}

const hsp_solver hsp_solver_interior_point = {.name = "interior-point",
                                              .help = "interior point, then exact multipliers: margins, few columns",
                                              .done = "gradient",
                                              .needs = HSP_LOSS_SLOPE | HSP_LOSS_DUAL,
                                              .smooth_penalty = true,
                                              .proposes = true,
                                              .dear_steps = true,
                                              .state_size = sizeof(state),
                                              .init = init_interior,
                                              .step = step,
                                              .export = export,
                                              .known = known,
                                              .method = method,
                                              .free = release};

const hsp_solver hsp_solver_proximal_point = {.name = "proximal-point",
                                              .help =
                                                  "proximal point in the multipliers, semismooth Newton inside: margins, "
                                                  "many rows",
                                              .done = "gradient",
                                              .needs = HSP_LOSS_SLOPE | HSP_LOSS_DUAL,
                                              .smooth_penalty = true,
                                              .proposes = true,
                                              .dear_steps = true,
                                              .state_size = sizeof(state),
                                              .init = init_proximal,
                                              .step = step,
                                              .export = export,
                                              .known = known,
                                              .method = method,
                                              .free = release};

const hsp_solver hsp_solver_dual = {.name = "dual",
                                    .help = "dual coordinate descent, then exact multipliers: margins, many sparse columns",
                                    .done = "gradient",
                                    .needs = HSP_LOSS_SLOPE | HSP_LOSS_DUAL,
                                    .smooth_penalty = true,
                                    .proposes = true,
                                    .state_size = sizeof(state),
                                    .init = init_dual,
                                    .step = step,
                                    .export = export,
                                    .peek = peek,
                                    .known = known,
                                    .method = method,
                                    .free = release};
