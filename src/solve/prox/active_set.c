/* The steps: working sets after Johnson and Guestrin 2015, "Blitz", and Massias, Gramfort and Salmon 2018, "Celer": small
 * at first, at most doubled in a step, solved only as exactly as what is left outside makes sense; each starts from the
 * weights that are not zero, so that a start near the optimum costs little. Newton steps with a line search on F as in
 * prox_newton.c. */
#include "solve/prox/active_set.h"

#include "base/error.h"
#include "base/memory.h"
#include "loss/loss.h"
#include "solve/prox/prox_newton.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { LEAST_ROOM = 512, MOST_ROUNDS = 8, FEW_ROUNDS = 2, MOST_HALVINGS = 50, BINS = 1024 };
static const double FIRST_PATIENCE = 4, ROUGH_PATIENCE = 6, LEAST_PATIENCE = 3, MOST_PATIENCE = 5000;
static const double GROWTH = 1.3;  /* of the least patience, from step to step: exactness comes in the end */
static const double PACE = 8;      /* t falls by this share at most */
static const double DEAR = 4;      /* passes over all numbers after which a look at all columns is cheap */
static const double ENOUGH = 1e-4; /* share of the promised fall that a step must keep */
static const double SMALL = 1e-10; /* violations count as gone at this share of the first */
static const double LEAST_DAMPING = 1e-4, MOST_SHARE = 0.3, LEAST_SHARE = 1e-3;

/* ---- memory ---- */

/* The least sum_i c_i |z_ij| of a column that may have a weight at the optimum: |sum_i k_i r_i x_ij| <= rho must fail for
 * some multipliers in the domain of the dual. Where they sum to 0, centring does not matter. */
static double least_size(const hsp_problem *p) {
    const hsp_loss *loss = p->loss;
    bool bounded = (loss->traits & HSP_LOSS_DUAL) && loss->dual_low >= 0 && isfinite(loss->dual_high);
    if (!bounded || (p->design->p && p->intercept != HSP_INTERCEPT_FREE)) return 0;
    return p->rho / (p->C * loss->dual_high) * (1 - 1e-6);
}

static int allocate(hsp_active *s, hsp_error **err) {
    double **const columns[] = {&s->w,     &s->u,    &s->gw,   &s->size, &s->unit,    &s->recorded, &s->V,   &s->curvature,
                                &s->limit, &s->step, &s->rest, &s->aim,  &s->product, &s->sloped,   &s->tilt};
    double **const rows[] = {&s->c, &s->scores, &s->values, &s->slopes, &s->root,      &s->extra,
                             &s->q, &s->way,    &s->trial,  &s->next,   &s->reference, &s->alpha};
    int64_t **const places[] = {&s->set, &s->from, &s->length, &s->order};
    for (size_t a = 0; a < sizeof columns / sizeof *columns; a++)
        if (!(*columns[a] = hsp_alloc_zero(s->m, sizeof(double)))) return hsp_fail_memory(err);
    for (size_t a = 0; a < sizeof rows / sizeof *rows; a++)
        if (!(*rows[a] = hsp_alloc_zero(s->n, sizeof(double)))) return hsp_fail_memory(err);
    for (size_t a = 0; a < sizeof places / sizeof *places; a++)
        if (!(*places[a] = hsp_alloc(s->m, sizeof(int64_t)))) return hsp_fail_memory(err);
    if (!(s->pairs = hsp_alloc(2 * s->n, sizeof *s->pairs))) return hsp_fail_memory(err);
    bool tall = !s->p->design->x->dense && 2 * s->p->design->d <= s->n && 2 * s->m >= s->p->design->d;
    if (tall && !(s->wide = hsp_alloc(s->p->design->d, sizeof *s->wide))) return hsp_fail_memory(err);
    s->id = hsp_alloc(s->columns->stored + 1, sizeof *s->id);
    s->value = hsp_alloc(s->columns->stored + 1, sizeof *s->value);
    return s->id && s->value ? HSP_OK : hsp_fail_memory(err);
}

static void size_columns(hsp_active *s) {
    for (int64_t j = 0; j < s->m; j++) {
        double first, second, p = hsp_column_p(s->columns, j);
        hsp_column_moments(s->columns, j, s->c, &first, &second);
        double rest = second - 2 * p * first + p * p;
        s->size[j] = sqrt(fmax(rest, 0) + 1e-12 * (second + p * p));
        s->unit[j] = second > 0 && isfinite(second) ? 1 / sqrt(second) : 0;
        if (!isfinite(s->unit[j])) s->unit[j] = 0;
    }
}

/* The scores anew, by the weights that are not zero. */
static void score(hsp_active *s) {
    double shift = 0;
    hsp_active_score(s, s->w, s->scores);
    for (int64_t j = 0; j < s->m; j++) shift += hsp_column_p(s->columns, j) * s->w[j];
    for (int64_t i = 0; i < s->n; i++) s->scores[i] += s->b - shift;
}

int hsp_active_init(hsp_active *s, hsp_problem *p, const hsp_rules *rules, const hsp_point *start, hsp_error **err) {
    *s = (hsp_active){.p = p, .rules = rules, .n = p->design->n};
    s->t = p->lambda * p->rho;
    s->ridge = p->lambda * (1 - p->rho);
    s->damping = LEAST_DAMPING;
    s->share = MOST_SHARE;
    s->patience = FIRST_PATIENCE;
    s->least_patience = LEAST_PATIENCE;
    s->first_violation = -1;
    s->best_violation = INFINITY;
    int status = hsp_columns_heavy(p->design, p->intercept == HSP_INTERCEPT_FREE, p->c, least_size(p), &s->columns, err);
    if (status) return status;
    s->m = s->columns->d;
    status = allocate(s, err);
    if (status) return status;
    for (int64_t i = 0; i < s->n; i++) s->c[i] = (p->c ? p->c[i] : 1) / p->sum_c;
    size_columns(s);
    for (int64_t j = 0; j < s->m; j++) s->w[j] = start->w[hsp_column_origin(s->columns, j)];
    s->b = start->b[0];
    return HSP_OK;
}

void hsp_active_free(hsp_active *s) {
    void *const all[] = {s->w,    s->u,     s->gw,    s->size, s->unit,    s->recorded,  s->V,      s->curvature, s->limit,
                         s->step, s->rest,  s->aim,   s->c,    s->scores,  s->values,    s->slopes, s->root,      s->extra,
                         s->q,    s->way,   s->trial, s->next, s->product, s->reference, s->wide,   s->pairs,     s->sloped,
                         s->tilt, s->alpha, s->set,   s->from, s->length,  s->order,     s->id,     s->value};
    for (size_t a = 0; a < sizeof all / sizeof *all; a++) hsp_free(all[a]);
    hsp_active_factor_free(&s->factor);
    hsp_columns_free(s->columns);
}

/* ---- the working set ---- */

/* In sixteenths of an octave below the top. */
static int64_t bin(double over, double top) {
    uint64_t a, b;
    memcpy(&a, &top, sizeof a);
    memcpy(&b, &over, sizeof b);
    uint64_t apart = (a >> 48) - (b >> 48);
    return apart < BINS ? (int64_t)apart : BINS - 1;
}

/* The first bin of violations that is not wanted, so that `room` are, or a few more. */
static int64_t first_unwanted(const hsp_active *s, int64_t room, double top) {
    int64_t count[BINS] = {0}, sum = 0;
    for (int64_t j = 0; j < s->m; j++) {
        double over = fabs(s->gw[j]) - s->t;
        if (s->w[j] == 0 && over > 0) count[bin(over, top)]++;
    }
    for (int64_t k = 0; k < BINS; k++)
        if ((sum += count[k]) >= room) return k + 1;
    return BINS;
}

/* All weights that are not zero, and those that most want to move: no more than double, and a few hundred. */
static void choose(hsp_active *s) {
    int64_t held = 0, wanting = 0;
    double top = 0;
    for (int64_t j = 0; j < s->m; j++) {
        double over = s->w[j] == 0 ? fabs(s->gw[j]) - s->t : 0;
        held += s->w[j] != 0;
        wanting += over > 0;
        if (over > top) top = over;
    }
    int64_t room = held > LEAST_ROOM ? held : LEAST_ROOM, end = wanting > room ? first_unwanted(s, room, top) : BINS;
    s->set_count = 0;
    s->outside = 0;
    for (int64_t j = 0; j < s->m; j++) {
        double over = fabs(s->gw[j]) - s->t;
        if (s->w[j] != 0 || (over > 0 && bin(over, top) < end))
            s->set[s->set_count++] = j;
        else if (over > s->outside)
            s->outside = over;
    }
}

/* ---- steps on F ---- */

/* What the gradient and the L1 term promise for the whole way: negative unless (w, b) is optimal. */
static double promise(const hsp_active *s) {
    double sum = s->gb * (s->to_b - s->b);
    for (int64_t a = 0; a < s->set_count; a++) {
        int64_t j = s->set[a];
        sum += s->gw[j] * (s->u[j] - s->w[j]) + s->t * (fabs(s->u[j]) - fabs(s->w[j]));
    }
    return sum;
}

/* F at a share of the way, less F here: term by term, so that little cancels. */
static double change(hsp_active *s, double share) {
    double penalty = 0;
    for (int64_t a = 0; a < s->set_count; a++) {
        int64_t j = s->set[a];
        double D = share * (s->u[j] - s->w[j]);
        penalty += s->t * (fabs(s->w[j] + D) - fabs(s->w[j])) + s->ridge * D * (s->w[j] + D / 2);
    }
    if (s->p->intercept == HSP_INTERCEPT_PENALISED) {
        double D = share * (s->to_b - s->b);
        penalty += s->p->lambda * D * (s->b + D / 2);
    }
    return hsp_active_try(s, share) + penalty;
}

static void move(hsp_active *s, double share) {
    for (int64_t a = 0; a < s->set_count; a++) {
        int64_t j = s->set[a];
        s->w[j] = share == 1 ? s->u[j] : s->w[j] + share * (s->u[j] - s->w[j]);
    }
    s->b += share * (s->to_b - s->b);
    memcpy(s->scores, s->trial, (size_t)s->n * sizeof *s->scores);
}

/* How well differences of F can be known: rounding of the losses, and of the scores. */
static double rounding(const hsp_active *s) {
    double sum = 0;
    for (int64_t i = 0; i < s->n; i++) sum += fabs(s->slopes[i]) * (fabs(s->scores[i]) + fabs(s->b));
    return 4 * DBL_EPSILON * (fabs(s->known.at.objective / s->p->scale) + sum);
}

/* After the whole way failed: rows whose loss rose above what the model said (right by far here, wrong by far there) get
 * the curvature that would have told. */
static void remember(hsp_active *s) {
    for (int64_t i = 0; i < s->n; i++) {
        double q = s->way[i], c = s->c[i];
        if (!(c > 0) || q == 0) continue;
        double said = s->slopes[i] * q + s->root[i] * s->root[i] * q * q / 2;
        double beyond = 2 * (s->next[i] - s->values[i] - said / c) / (q * q);
        if (beyond > s->extra[i] && isfinite(beyond)) s->extra[i] = beyond;
    }
}

/* What the model said of the whole way: half of the square of the scores' move is what the promise leaves out. */
static double foretold(const hsp_active *s, double promised) {
    double sum = 0, square = 0;
    for (int64_t i = 0; i < s->n; i++) {
        double q = s->root[i] * s->way[i];
        sum += q * q;
    }
    for (int64_t a = 0; s->ridge > 0 && a < s->set_count; a++) {
        double D = s->u[s->set[a]] - s->w[s->set[a]];
        square += D * D;
    }
    return promised + (sum + s->ridge * square) / 2;
}

/* A model whose way had to be cut, or that was wrong about it, is not worth much work; one that was right is worth solving
 * more exactly. */
static void learn(hsp_active *s, double share, double right) {
    if (share == 1) {
        s->damping = fmax(s->damping / 3, LEAST_DAMPING);
        for (int64_t i = 0; i < s->n; i++) s->extra[i] /= 10;
    } else if (share < 0.5) {
        s->damping = fmin(s->damping * 10, 1);
    }
    s->apt = share == 1 && fabs(right - 1) < 0.2;
    s->share = share < 1 ? MOST_SHARE : fmin(fmax(3 * fabs(right - 1), LEAST_SHARE), MOST_SHARE);
    if (share < 1 || fabs(right - 1) > 0.5)
        s->patience = fmax(s->patience / 2, s->least_patience);
    else if (s->tired && fabs(right - 1) < 0.2)
        s->patience = fmin(s->patience * 2, MOST_PATIENCE);
}

/* Halves the way until F falls by enough; when the promise is lost in rounding the whole way is taken, for the sake of the
 * conditions of optimality, which are known more exactly than F. False: there is no such way. */
static bool search(hsp_active *s, double noise, double promised) {
    double share = 1, least = promised < 0 ? promised : 0;
    if (!(promised < 16 * noise)) return false;
    for (int t = 0; t < MOST_HALVINGS; t++, share /= 2) {
        double by = change(s, share);
        if (by <= ENOUGH * share * least + noise) {
            double said = foretold(s, promised);
            move(s, share);
            learn(s, share, said < 0 ? by / said : 1);
            return true;
        }
        if (-promised * share < 16 * noise) return false;
        if (t == 0) remember(s);
    }
    return false;
}

/* A violation of v costs about v / t times the share of the penalty in F of the relative gap. */
static double negligible(const hsp_active *s) {
    double F = s->known.at.objective / s->p->scale, R = F - s->known.at.mean_loss;
    double part = F > 0 && R > 0 ? R / F : 1;
    return s->rules->tol > 0 ? s->rules->tol * s->t / 4 / fmax(part, 0.05) : 0;
}

/* Newton steps in the working set: until most of what was violated in it is not. False: not even one. */
static bool rounds(hsp_active *s, bool *lost, hsp_budget *budget) {
    double target = fmax(fmax(s->violated / 10, s->outside / 3), negligible(s));
    if (!hsp_active_arrived(s)) target = fmax(target, s->t / 4);
    bool moved = false;
    int most = hsp_active_arrived(s) ? MOST_ROUNDS : FEW_ROUNDS;
    for (int round = 0; round < most; round++) {
        if (round > 0) hsp_active_derive(s);
        double violated = hsp_active_pack(s);
        if (round > 0 && violated <= target) return true;
        if (!hsp_active_arrived(s)) {
            s->share = MOST_SHARE;
            s->patience = fmin(s->patience, ROUGH_PATIENCE);
        }
        hsp_active_solve(s, fmax(s->share * violated, negligible(s) / 2), budget);
        double noise = rounding(s), promised = promise(s);
        if (round == 0) *lost = fabs(promised) <= 64 * noise;
        if (!search(s, noise, promised)) {
            if (*lost || s->damping == 1 || budget->out) return moved;
            s->damping = fmin(s->damping * 100, 1); /* the model is too bold: once more */
            continue;
        }
        budget->updates++;
        moved = true;
        if (budget->out || hsp_budget_look(budget)) return true;
        if (hsp_active_arrived(s) ? s->visited > DEAR * (double)s->columns->stored : s->apt) return true;
    }
    return moved;
}

/* What is shown is not to carry the rounding of all the moves that led there. */
static void look(hsp_active *s) {
    if (hsp_active_arrived(s)) score(s);
    hsp_active_tune(s);
    hsp_active_measure(s);
}

/* Far from the optimum the model is poor and wants many weights that will be zero again. So t begins where few weights want
 * to move, and comes down by steps, each solved roughly: a path, as for a sequence of penalties (Friedman, Hastie and
 * Tibshirani 2010). A start that is an optimum for a penalty not much larger goes no such way. */
static void descend_to(hsp_active *s, double goal) {
    double top = 0;
    for (int64_t j = 0; j < s->m; j++)
        if (fabs(s->gw[j]) > top) top = fabs(s->gw[j]);
    s->t = s->t == goal || s->t > top ? top / PACE : s->t / PACE;
    if (!(s->t > 1.5 * goal)) s->t = goal;
}

hsp_step hsp_active_step(hsp_active *s, hsp_budget *budget) {
    bool lost = false, first = !s->ready;
    double goal = s->p->lambda * s->p->rho;
    if (hsp_budget_look(budget)) return HSP_STEP_MORE;
    s->visited = 0;
    if (first) look(s);
    double violated = s->violated;
    if (!isfinite(violated) || !isfinite(s->known.at.objective)) return HSP_STEP_FAILED;
    if (s->first_violation < 0) s->first_violation = violated;
    if (violated == 0) return HSP_STEP_DONE;
    if (hsp_relative_gap(s->known.at.objective, s->known.bound) <= s->rules->tol && first)
        return HSP_STEP_MORE; /* the start is good enough: said, not improved */
    if (first || s->t > goal) descend_to(s, goal);
    if (s->t == goal) s->least_patience = fmin(s->least_patience * GROWTH, MOST_PATIENCE);
    s->patience = fmax(s->patience, s->least_patience);
    choose(s);
    bool moved = rounds(s, &lost, budget);
    if (s->t > goal && budget->out) s->t = goal;
    look(s);
    budget->steps += (int64_t)(s->visited / ((double)s->columns->stored + 1) * (double)s->n);
    if (s->t > goal) return HSP_STEP_QUIET;
    if (!moved || hsp_prox_still(violated, lost, &s->best_violation, &s->idle))
        return budget->out ? HSP_STEP_MORE : HSP_STEP_STALLED;
    return violated <= SMALL * s->first_violation ? HSP_STEP_DONE : HSP_STEP_MORE;
}

void hsp_active_export(const hsp_active *s, hsp_point *out) {
    if (s->columns->origin) memset(out->w, 0, (size_t)out->d * sizeof *out->w);
    for (int64_t j = 0; j < s->m; j++) out->w[hsp_column_origin(s->columns, j)] = s->w[j];
    out->b[0] = s->b;
    if (out->alpha) memcpy(out->alpha, s->alpha, (size_t)s->n * sizeof *s->alpha);
}
