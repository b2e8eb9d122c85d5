/* See margin_solver.h. */
#include "solve/margin/margin_solver.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "problem/multipliers.h"

#include <math.h>
#include <string.h>

/* A finish that has not halved its gap for this many steps has failed; the next try starts at a gap smaller by this factor. */
enum { MOST_VAIN = 12, MOST_VAIN_AFAR = 40, MOST_TRIES = 4 };
static const double NEARER = 1e-2;
/* From this tolerance on a good start does not mean that the finish is near. */
static const double LOOSE = 1e-4;
/* Below this gap nothing is left to gain. */
static const double ROUNDING = 1e-12;
/* Below this gap the finish is reliable after interior point. */
#define HAND_OVER_INTERIOR 1e-5

/* ---- the program ---- */

static bool has_box(const hsp_loss *loss) {
    return loss->dual_shape == HSP_DUAL_BOX;
}

static bool has_box_or_entropy(const hsp_loss *loss) {
    return has_box(loss) || loss->dual_shape == HSP_DUAL_ENTROPY;
}

int hsp_margin_takes(const hsp_margin_plan *plan, const hsp_problem *p, hsp_error **err) {
    bool (*takes_loss)(const hsp_loss *loss) = plan->first->entropy ? has_box_or_entropy : has_box;
    if (p->outputs != 1 || !takes_loss(p->loss)) {
        hsp_text names = {0};
        hsp_loss_names(&names, takes_loss, " or ");
        int status = hsp_fail(err, HSP_EUSAGE, "solver '%s' needs loss %s, not '%s': use another solver", plan->name,
                              names.s ? names.s : "", p->loss->name);
        hsp_text_free(&names);
        return status;
    }
    if (!p->penalty->penalises || p->rho != 0)
        return hsp_fail(err, HSP_EUSAGE, "solver '%s' needs penalty l2, not '%s': use another solver", plan->name,
                        p->penalty->name);
    return HSP_OK;
}

static int pose(hsp_margin_solver *s, hsp_error **err) {
    hsp_problem *p = s->p;
    int64_t n = p->design->n;
    s->near = hsp_alloc_zero(1, s->first->state_size);
    if (!s->near || !HSP_ALLOC_DOUBLES(n, &s->upper, &s->between.alpha) ||
        !HSP_ALLOC_DOUBLES(p->loss->dual_ridge > 0 ? n : -1, &s->ridge) || !HSP_ALLOC_DOUBLES(p->design->d, &s->between.w))
        return hsp_fail_memory(err);
    s->m = hsp_margin_of(p, s->upper, s->ridge);
    s->m.problem = p;
    s->m.aim = s->rules->tol;
    s->m.followed = s->plan->gives_way && s->rules->next && strcmp(s->rules->next->name, s->plan->name) != 0;
    return HSP_OK;
}

bool hsp_margin_start(const hsp_problem *p, const double *upper, const hsp_point *start, hsp_margin_point *out) {
    bool any = false;
    if (!start->alpha) return false;
    for (int64_t i = 0; i < p->design->n; i++) {
        double a = hsp_alpha_of_r(p->y[i], hsp_row_weight(p, i), start->alpha[i]);
        out->alpha[i] = a > 0 ? fmin(a, upper[i]) : 0;
        any |= out->alpha[i] > 0;
    }
    if (!any) return false;
    if (start->d > 0) memcpy(out->w, start->w, (size_t)start->d * sizeof *start->w);
    out->b = start->b[0];
    return true;
}

void hsp_margin_give(const hsp_problem *p, const hsp_margin_point *from, hsp_point *out) {
    out->b[0] = from->b;
    for (int64_t i = 0; out->alpha && i < p->design->n; i++)
        out->alpha[i] = hsp_r_of_alpha(p->y[i], hsp_row_weight(p, i), from->alpha[i]);
}

int hsp_margin_solver_init(hsp_margin_solver *s, const hsp_margin_plan *plan, hsp_problem *p, const hsp_rules *rules,
                           const hsp_point *start, hsp_error **err) {
    *s = (hsp_margin_solver){.plan = plan, .p = p, .rules = rules, .first = plan->first, .hand_over = plan->hand_over};
    if (plan->hand_over == 0) s->finish_gap = INFINITY;
    int status = hsp_margin_takes(plan, p, err);
    if (!status) status = pose(s, err);
    if (status) return status;
    bool begun = hsp_margin_start(p, s->upper, start, &s->between);
    s->m.loose = plan->hand_over == 0 && rules->tol >= LOOSE;
    return s->first->init(s->near, &s->m, begun ? &s->between : NULL, rules->seed, err);
}

static void drop_finish(hsp_margin_solver *s) {
    if (s->finish) hsp_margin_polish.free(s->finish);
    hsp_free(s->finish);
    s->finish = NULL;
}

void hsp_margin_solver_free(void *state) {
    hsp_margin_solver *s = state;
    drop_finish(s);
    if (s->near) s->first->free(s->near);
    HSP_FREE(s->near, s->upper, s->ridge, s->between.w, s->between.alpha);
}

/* ---- steps ---- */

static double present_gap(const hsp_margin_solver *s) {
    return s->finish ? hsp_margin_polish.gap(s->finish) : s->first->gap(s->near);
}

/* Nothing is left to gain, or the tolerance is reached. */
static bool is_small(const hsp_margin_solver *s, double gap) {
    return gap <= fmax(ROUNDING, s->rules->tol);
}

static hsp_step conclude(hsp_margin_solver *s) {
    s->ended = true;
    return is_small(s, present_gap(s)) ? HSP_STEP_DONE : HSP_STEP_STALLED;
}

/* Starts the finish. HSP_OK; HSP_EMEMORY; HSP_EUSAGE when it cannot solve the program. */
static int begin_finish(hsp_margin_solver *s) {
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

/* Interior point from its own start replaces a first method that can make no more progress. */
static hsp_step rescue(hsp_margin_solver *s) {
    const hsp_margin_method *interior = &hsp_margin_interior;
    if (s->rescued || s->plan->first == interior || s->m.design->d > HSP_MARGIN_FEW_COLUMNS) return HSP_STEP_STALLED;
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
    s->rescued = true;
    s->near = near;
    s->hand_over = HAND_OVER_INTERIOR;
    s->first_result = HSP_STEP_MORE;
    s->tries = 0;
    return HSP_STEP_MORE;
}

/* The first method can make no more progress and the finish has failed. */
static hsp_step give_up(hsp_margin_solver *s) {
    hsp_step result = is_small(s, present_gap(s)) ? HSP_STEP_STALLED : rescue(s);
    return result == HSP_STEP_STALLED ? conclude(s) : result;
}

/* The finish has failed: back to the first method, if that can continue. */
static hsp_step fall_back(hsp_margin_solver *s) {
    double reached = hsp_margin_polish.gap(s->finish);
    if (s->first_result != HSP_STEP_MORE && reached < s->first->gap(s->near))
        return give_up(s); /* still the better point */
    drop_finish(s);
    return s->first_result != HSP_STEP_MORE ? give_up(s) : HSP_STEP_MORE;
}

/* Whether the steps since the gap was last halved are too many. */
static bool in_vain(hsp_margin_solver *s, double gap, int most) {
    s->vain++;
    if (gap <= s->finish_gap / 2) {
        s->finish_gap = gap;
        s->vain = 0;
    }
    return s->vain > most;
}

static hsp_step step_finish(hsp_margin_solver *s, hsp_budget *budget) {
    hsp_step result = hsp_margin_polish.step(s->finish, budget);
    if (result == HSP_STEP_MEMORY) return result;
    if (result == HSP_STEP_DONE) {
        if (is_small(s, present_gap(s))) return conclude(s);
        return s->first_result != HSP_STEP_MORE ? give_up(s) : fall_back(s);
    }
    if (result != HSP_STEP_MORE) return fall_back(s);
    return in_vain(s, present_gap(s), MOST_VAIN) ? fall_back(s) : HSP_STEP_MORE;
}

/* The proximal-point method from any start: reliable in most cases; interior point where it is not. */
static hsp_step step_from_afar(hsp_margin_solver *s, hsp_budget *budget) {
    hsp_step result = s->first->step(s->near, budget);
    double gap = s->first->gap(s->near);
    if (result == HSP_STEP_MEMORY) return result;
    budget->updates++;
    if (result == HSP_STEP_MORE && !in_vain(s, gap, MOST_VAIN_AFAR)) return result;
    return is_small(s, gap) ? conclude(s) : give_up(s);
}

/* Whether to try the finish: nothing else is left, or it reaches the tolerance sooner than the first method. */
static bool finish_now(const hsp_margin_solver *s, double gap) {
    if (s->first_result != HSP_STEP_MORE) return true;
    if (gap <= s->rules->tol || gap > s->hand_over || s->tries >= MOST_TRIES) return false;
    return !s->first->finish_pays || s->first->finish_pays(s->near, s->rules->tol);
}

static hsp_step step_first(hsp_margin_solver *s, hsp_budget *budget) {
    hsp_step result = s->first->step(s->near, budget);
    return result == HSP_STEP_MORE && s->first->quiet && s->first->quiet(s->near) ? HSP_STEP_QUIET : result;
}

hsp_step hsp_margin_solver_step(void *state, hsp_budget *budget) {
    hsp_margin_solver *s = state;
    if (s->p->loss->dual_shape != HSP_DUAL_BOX) return step_first(s, budget); /* the only method for it */
    if (s->ended) return conclude(s);
    if (s->finish) return step_finish(s, budget);
    if (s->plan->hand_over == 0 && !s->rescued) return step_from_afar(s, budget);
    hsp_step result = step_first(s, budget);
    if (budget->paused) return result;
    s->first_result = result == HSP_STEP_QUIET ? HSP_STEP_MORE : result;
    if (result == HSP_STEP_QUIET || result == HSP_STEP_MEMORY) return result;
    double gap = s->first->gap(s->near);
    if (result == HSP_STEP_DONE && gap <= ROUNDING) return conclude(s);
    if (!finish_now(s, gap)) return HSP_STEP_MORE;
    if (result == HSP_STEP_STALLED && gap > HAND_OVER_INTERIOR && s->m.followed) return result;
    hsp_step rescued = result == HSP_STEP_STALLED && gap > HAND_OVER_INTERIOR ? rescue(s) : HSP_STEP_STALLED;
    if (rescued != HSP_STEP_STALLED) return rescued;
    int status = begin_finish(s);
    if (status == HSP_EMEMORY) return HSP_STEP_MEMORY;
    if (!status) return HSP_STEP_QUIET; /* the finish has no point before its first step */
    return result != HSP_STEP_MORE ? give_up(s) : HSP_STEP_MORE;
}

/* ---- the other slots ---- */

bool hsp_margin_solver_measured(void *state, hsp_measured *out) {
    hsp_margin_solver *s = state;
    hsp_problem *p = s->p;
    const hsp_margin_method *at_work = s->finish ? &hsp_margin_polish : s->first;
    hsp_margin_measured figures = {0};
    if (!at_work->measured || !at_work->measured(s->finish ? s->finish : s->near, &figures)) return false;
    *out = (hsp_measured){.bound = figures.dual};
    if (figures.at) {
        out->at = *figures.at;
        return true;
    }
    for (int64_t i = 0; i < p->design->n; i++) p->scores[i] = figures.scores[i] + s->between.b;
    out->at = hsp_problem_evaluate_scores(p, s->out_w, p->design->d, &s->between.b);
    return true;
}

const char *hsp_margin_solver_method(const void *state) {
    const hsp_margin_solver *s = state;
    return s->finish ? hsp_margin_polish.name : s->rescued ? s->first->name : s->plan->name;
}

bool hsp_margin_solver_export(void *state, hsp_which which, hsp_point *out) {
    hsp_margin_solver *s = state;
    if (which == HSP_POINT_CANDIDATE) return false;
    double *own = s->between.w;
    s->between.w = s->out_w = out->w;
    if (s->finish)
        hsp_margin_polish.export(s->finish, &s->between);
    else
        s->first->export(s->near, &s->between);
    s->between.w = own;
    hsp_margin_give(s->p, &s->between, out);
    return true;
}

bool hsp_margin_solver_peek(const void *state, double *w, double *b) {
    const hsp_margin_solver *s = state;
    if (s->finish || !s->first->peek) return false;
    s->first->peek(s->near, w, b);
    return true;
}

/* ---- the solvers ---- */

static const hsp_margin_plan interior_plan = {"interior-point", &hsp_margin_interior, HAND_OVER_INTERIOR, false};
static const hsp_margin_plan proximal_plan = {"proximal-point", &hsp_margin_polish, 0, false};

static int init_interior(void *state, hsp_problem *p, const hsp_rules *rules, const hsp_point *start, hsp_error **err) {
    return hsp_margin_solver_init(state, &interior_plan, p, rules, start, err);
}

static int init_proximal(void *state, hsp_problem *p, const hsp_rules *rules, const hsp_point *start, hsp_error **err) {
    return hsp_margin_solver_init(state, &proximal_plan, p, rules, start, err);
}

const hsp_solver hsp_solver_interior_point = {
    .name = "interior-point",
    .help = "interior point, then exact multipliers; for margin losses with few columns",
    .without_matrix = "dual",
    HSP_MARGIN_SOLVER,
    .expensive_steps = true,
    .own_start = true,
    .init = init_interior};

const hsp_solver hsp_solver_proximal_point = {
    .name = "proximal-point",
    .help = "proximal point on the dual with semismooth Newton steps; for margin losses with many rows",
    HSP_MARGIN_SOLVER,
    .expensive_steps = true,
    .init = init_proximal};
