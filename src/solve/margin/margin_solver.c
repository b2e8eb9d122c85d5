/* See margin_solver.h. */
#include "solve/margin/margin_solver.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "problem/multipliers.h"

#include <math.h>
#include <string.h>

/* A finish that has not halved its gap for so many steps has failed; the next try is from a gap so many times smaller. */
enum { MOST_VAIN = 12, MOST_VAIN_AFAR = 40, MOST_TRIES = 4 };
static const double NEARER = 1e-2;
/* A gap from which nothing is left to gain. */
static const double ROUNDING = 1e-12;
/* A gap from which the finish is sure enough after interior point. */
#define HAND_OVER_INTERIOR 1e-5

/* ---- the program ---- */

static bool takes_loss(const hsp_margin_plan *plan, const hsp_loss *loss) {
    return loss->dual_shape == HSP_DUAL_BOX || (plan->first->entropy && loss->dual_shape == HSP_DUAL_ENTROPY);
}

/* "a, b and c". */
static void list_losses(const hsp_margin_plan *plan, hsp_text *out) {
    int64_t count = 0, at = 0;
    for (int64_t k = 0; hsp_loss_table[k]; k++) count += takes_loss(plan, hsp_loss_table[k]);
    for (int64_t k = 0; hsp_loss_table[k]; k++) {
        if (!takes_loss(plan, hsp_loss_table[k])) continue;
        at++;
        hsp_text_add(out, hsp_loss_table[k]->name);
        hsp_text_add(out, at == count ? "" : at == count - 1 ? " and " : ", ");
    }
}

int hsp_margin_takes(const hsp_margin_plan *plan, const hsp_problem *p, hsp_error **err) {
    if (p->outputs != 1 || !takes_loss(plan, p->loss)) {
        hsp_text names = {0};
        list_losses(plan, &names);
        int status = hsp_fail(err, HSP_EUSAGE, "the solver '%s' takes the losses %s, not '%s': choose another", plan->name,
                              names.s ? names.s : "", p->loss->name);
        hsp_text_free(&names);
        return status;
    }
    if (!p->penalty->penalises || p->rho != 0)
        return hsp_fail(err, HSP_EUSAGE, "the solver '%s' takes the penalty l2 alone, not '%s': choose another", plan->name,
                        p->penalty->name);
    return HSP_OK;
}

static int pose(hsp_margin_solver *s, hsp_error **err) {
    hsp_problem *p = s->p;
    int64_t n = p->design->n;
    bool ridge = p->loss->dual_ridge > 0;
    s->upper = hsp_alloc(n, sizeof *s->upper);
    if (ridge) s->ridge = hsp_alloc(n, sizeof *s->ridge);
    s->between.w = hsp_alloc_zero(p->design->d, sizeof *s->between.w);
    s->between.alpha = hsp_alloc_zero(n, sizeof *s->between.alpha);
    s->near = hsp_alloc_zero(1, s->first->state_size);
    if (!s->upper || (ridge && !s->ridge) || !s->between.w || !s->between.alpha || !s->near) return hsp_fail_memory(err);
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

/* Where the present method's point stands: done when nothing is left to gain or nothing more was asked for. */
static hsp_step conclude(hsp_margin_solver *s) {
    double gap = s->finish ? hsp_margin_polish.gap(s->finish) : s->first->gap(s->near);
    s->ended = true;
    return gap <= fmax(ROUNDING, s->rules->tol) ? HSP_STEP_DONE : HSP_STEP_STALLED;
}

/* The finish takes over: once for each try, so that its memory is no part of any loop. HSP_OK; HSP_EMEMORY; HSP_EUSAGE when
 * it cannot take the program. */
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

/* Interior point from its own start in place of a first method that has come to its end. */
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

/* The first method has come to its end and the finish has failed. */
static hsp_step give_up(hsp_margin_solver *s) {
    double gap = s->finish ? hsp_margin_polish.gap(s->finish) : s->first->gap(s->near);
    hsp_step result = gap > fmax(ROUNDING, s->rules->tol) || isnan(gap) ? rescue(s) : HSP_STEP_STALLED;
    return result == HSP_STEP_STALLED ? conclude(s) : result;
}

/* The finish has failed: back to the first method, if that can still go on. */
static hsp_step fall_back(hsp_margin_solver *s) {
    double reached = hsp_margin_polish.gap(s->finish);
    if (s->first_result != HSP_STEP_MORE && reached < s->first->gap(s->near))
        return give_up(s); /* it still is the better */
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
        double gap = hsp_margin_polish.gap(s->finish);
        if (gap <= fmax(ROUNDING, s->rules->tol)) return conclude(s);
        if (s->first_result != HSP_STEP_MORE) return give_up(s);
        return fall_back(s);
    }
    if (result != HSP_STEP_MORE) return fall_back(s);
    return in_vain(s, hsp_margin_polish.gap(s->finish), MOST_VAIN) ? fall_back(s) : HSP_STEP_MORE;
}

/* The proximal-point method from afar: sure in most cases, and where it is not, interior point. */
static hsp_step step_from_afar(hsp_margin_solver *s, hsp_budget *budget) {
    hsp_step result = s->first->step(s->near, budget);
    double gap = s->first->gap(s->near);
    if (result == HSP_STEP_MEMORY) return result;
    budget->updates++;
    if (result == HSP_STEP_MORE && !in_vain(s, gap, MOST_VAIN_AFAR)) return result;
    if (gap <= fmax(ROUNDING, s->rules->tol)) return conclude(s);
    return give_up(s);
}

/* The finish is worth its try: nothing else is left, or it takes less than the way that is left to what was asked for. */
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
    if (s->p->loss->dual_shape != HSP_DUAL_BOX) return step_first(s, budget); /* no other method takes it */
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
    if (!status) return HSP_STEP_QUIET; /* the finish has no point of its own before its first step */
    return result != HSP_STEP_MORE ? give_up(s) : HSP_STEP_MORE;
}

/* ---- what is seen of it ---- */

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
    out->at = hsp_problem_evaluate_scores(p, s->out_w, &s->between.b);
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

const hsp_solver hsp_solver_interior_point = {.name = "interior-point",
                                              .help = "interior point, then exact multipliers: margins, few columns",
                                              .without_matrix = "dual",
                                              HSP_MARGIN_SOLVER,
                                              .expensive_steps = true,
                                              .own_start = true,
                                              .init = init_interior};

const hsp_solver hsp_solver_proximal_point = {
    .name = "proximal-point",
    .help = "proximal point in the multipliers, semismooth Newton inside: margins, many rows",
    HSP_MARGIN_SOLVER,
    .expensive_steps = true,
    .init = init_proximal};
