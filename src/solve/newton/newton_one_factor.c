/* The linear systems of newton_one.h by a Cholesky factor of the Gram matrix, for few columns. A cheap matrix is computed and
 * factorised again for each step. An expensive one, which costs as much as many products with the Hessian, serves for several
 * steps as the preconditioner of conjugate gradients; the first ones come from a sample of the rows. */
#include "base/error.h"
#include "base/memory.h"
#include "base/rng.h"
#include "data/matrix.h"
#include "design/design.h"
#include "design/gram.h"
#include "design/pieces.h"
#include "kernel/kernel.h"
#include "loss/loss.h"
#include "problem/point.h"
#include "problem/problem.h"
#include "problem/survey.h"
#include "solve/loop/solver.h"
#include "solve/newton/newton_factor.h"
#include "solve/newton/newton_one.h"

#include <math.h>

enum {
    CHEAP = 10,          /* a Gram matrix that costs at most this many products is computed for each step */
    ROWS_A_COLUMN = 10,  /* in a sample */
    MOST_PRODUCTS = 400, /* a step */
    COST_SAMPLE = 1024   /* rows that the cost is estimated from */
};
/* While the predicted decrease is more than this share of J, the curvature changes so much that a sample is good enough. */
static const double EARLY = 0.02;

typedef struct factored {
    hsp_newton_one one; /* first: see newton_one.h */
    double *scale;      /* d, owned */
    double *diagonal;   /* d, owned; NULL unless the Gram matrix is expensive */
    double *sums;       /* likewise */
    int64_t many;       /* products that cost as much as half a Gram matrix; 0: the matrix is cheap */
    bool made;          /* there is a factor */
    bool sampled;       /* of a sample of rows */
} factored;

/* The cost of a Gram matrix in products with the Hessian, roughly: as dense rows d / 2 multiplications an entry, at eight
 * times the speed of those of a product; as sparse rows as many as the row has entries, at a few times the speed. */
static double gram_cost(const hsp_design *D) {
    double entries = 0, squares = 0;
    if (D->x->dense) return (double)D->d / 24;
    for (int64_t i = 0; i < D->n; i += 1 + D->n / COST_SAMPLE) {
        double count = (double)hsp_matrix_row(D->x, i).count;
        entries += count;
        squares += count * count;
    }
    return entries > 0 ? fmin(squares / entries / 8, (double)D->d * (double)D->d / 24 / (entries / COST_SAMPLE + 1)) : 0;
}

static int init_factored(void *vs, hsp_problem *p, const hsp_rules *rules, const hsp_point *start, hsp_error **err) {
    factored *s = vs;
    int64_t d = p->design->d;
    double cost = gram_cost(p->design);
    int status = hsp_newton_one_init(&s->one, p, rules, start, true, err);
    if (status) return status;
    s->many = cost > CHEAP ? (int64_t)(cost / 2) : 0;
    bool allocated = HSP_ALLOC_DOUBLES(d, &s->scale) && HSP_ALLOC_DOUBLES(s->many > 0 ? d : -1, &s->diagonal, &s->sums);
    return allocated ? HSP_OK : hsp_fail_memory(err);
}

static void free_factored(void *vs) {
    factored *s = vs;
    hsp_newton_one_free(&s->one);
    HSP_FREE(s->scale, s->diagonal, s->sums);
}

/* ---- the direction ---- */

static void solve_by_factor(void *vs, const double *r, double *z) {
    const factored *s = vs;
    hsp_newton_factor_solve(s->one.survey->G, s->one.p->design->d, s->scale, r, z);
}

/* Overwrites survey->G by its factor; *exact: nothing was added to make it regular. HSP_OK or HSP_EMEMORY. */
static int factorise_gram(factored *s, bool *exact) {
    hsp_survey *L = s->one.survey;
    int64_t d = s->one.p->design->d;
    if (s->one.p->intercept == HSP_INTERCEPT_PENALISED) { /* undoes a part of the centring */
        double back = L->mass * L->mu / (L->mass + L->mu);
        for (int64_t j = 0; j < d; j++) hsp_axpy_f64(back * L->mean[j], L->mean, L->G + j * d, d);
    }
    L->has_gram = false;
    return hsp_newton_factorise(L->G, d, L->mu, s->scale, exact);
}

static int solve_by_last_factor(void *vs, double *step, hsp_budget *budget) {
    factored *s = vs;
    (void)budget;
    solve_by_factor(s, s->one.gc, step);
    hsp_scale_f64(-1, step, s->one.p->design->d);
    return HSP_OK;
}

static int solve_by_new_factor(void *vs, double *step, hsp_budget *budget) {
    factored *s = vs;
    bool exact;
    if (factorise_gram(s, &exact)) return HSP_EMEMORY;
    if (exact && !s->one.repair) return solve_by_last_factor(s, step, budget);
    hsp_inner inner = {.precondition = solve_by_factor, .ctx = s, .relative = 1e-3, .most = 30};
    hsp_newton_one_solve(&s->one, inner, step, budget);
    return HSP_OK;
}

/* G as a preconditioner: dense rows are multiplied in single precision, unless they are beyond its range. */
static int gram_of_rows(factored *s, const double *h, const double *centre) {
    hsp_survey *L = s->one.survey;
    const hsp_design *D = s->one.p->design;
    if (!D->x->dense) return hsp_design_gram(D, h, centre, NULL, 1, L->G, NULL);
    int status = hsp_design_gram_single(D, h, centre, L->G, NULL);
    if (status || hsp_finite_f64(L->G, D->d * D->d)) return status;
    return hsp_design_gram(D, h, centre, NULL, 1, L->G, NULL);
}

/* G from a random sample of the rows, reweighted; the diagonal is raised to that of all rows. Rows are drawn in proportion to
 * their curvature, so that all have about the same weight: most rows of a good fit have almost none. */
static int sample_gram(factored *s, double rows) {
    hsp_survey *L = s->one.survey;
    const hsp_design *D = s->one.p->design;
    double *h = s->one.t;
    bool centred = s->one.p->intercept != HSP_INTERCEPT_NONE && L->mass > 0;
    hsp_rng rng = hsp_rng_new(s->one.rules->seed, 7 + (uint64_t)s->one.k);
    double each = L->mass > 0 ? L->mass / rows : 1;
    for (int64_t i = 0; i < D->n; i++) {
        double drawn = hsp_rng_uniform(&rng) * each;
        h[i] = L->h[i] >= each ? L->h[i] : drawn < L->h[i] ? each : 0;
    }
    int status = gram_of_rows(s, h, centred ? L->mean : NULL);
    hsp_newton_one_diagonal(&s->one, s->sums, s->diagonal);
    for (int64_t j = 0; j < D->d; j++) L->G[j * D->d + j] = fmax(L->G[j * D->d + j], s->diagonal[j] - L->mu);
    return status;
}

/* Whether the next step, computed without error, is likely to be the last; less likely with few rows per column. Estimated by
 * the present factor, without a pass over the data. */
static bool next_is_last(factored *s) {
    const hsp_newton_one *one = &s->one;
    int64_t n = one->p->design->n, d = one->p->design->d;
    double J = one->survey->J, few = fmax(1, (double)d / (double)n * J);
    solve_by_factor(s, one->gc, one->step);
    double decrease = J > 0 ? hsp_dot_f64(one->gc, one->step, d) / 2 / J : 0;
    return hsp_newton_one_predicted_gap(one, decrease) * few <= one->rules->tol;
}

/* A new factor: of the matrix of all rows if the next step can be the last or samples make too little progress, else of a
 * sample. */
static int renew_factor(factored *s) {
    int64_t n = s->one.p->design->n, wanted = ROWS_A_COLUMN * s->one.p->design->d;
    bool jumps = s->one.p->loss->traits & HSP_LOSS_PIECEWISE, early = s->one.decrease < 0 || s->one.decrease > EARLY;
    bool slow = !s->sampled || jumps || s->one.products > s->many;
    bool whole = s->one.repair || (!early && s->made && (slow || next_is_last(s)));
    double rows = (double)wanted;
    s->sampled = !whole && n > 3 * wanted;
    if (jumps) { /* all curved rows have the same curvature: sample the same share of them as of all evaluated rows */
        int64_t seen = s->one.survey->pass.every > 1 ? n / s->one.survey->pass.every : n;
        rows *= fmin(1, (double)hsp_design_active(n, s->one.survey->h) / (double)seen);
    }
    hsp_survey *L = s->one.survey;
    bool centred = s->one.p->intercept != HSP_INTERCEPT_NONE && L->mass > 0;
    int status = hsp_survey_complete(L, false, NULL);
    if (!status) status = s->sampled ? sample_gram(s, rows) : gram_of_rows(s, L->h, centred ? L->mean : NULL);
    bool exact;
    if (!status) status = factorise_gram(s, &exact);
    s->made = true;
    return status;
}

static int solve_by_kept_factor(void *vs, double *step, hsp_budget *budget) {
    factored *s = vs;
    bool old = !s->made || s->one.products > s->many || s->one.repair || (s->sampled && s->one.products > s->many / 2);
    if (old && renew_factor(s)) return HSP_EMEMORY;
    hsp_inner inner = {.precondition = solve_by_factor, .ctx = s, .relative = 0.1};
    inner.most = old ? MOST_PRODUCTS : 2 * s->many; /* beyond that a new factor is cheaper */
    hsp_newton_one_solve(&s->one, inner, step, budget);
    return HSP_OK;
}

static hsp_step step_factored(void *vs, hsp_budget *budget) {
    factored *s = vs;
    bool cheap = s->many == 0;
    hsp_newton_linear linear = {.gram = cheap,
                                .direct = cheap ? solve_by_new_factor : solve_by_kept_factor,
                                .again = cheap ? solve_by_last_factor : NULL};
    return hsp_newton_one_step(&s->one, &linear, s, budget);
}

const hsp_solver hsp_newton_one_factor = {.state_size = sizeof(factored),
                                          .init = init_factored,
                                          .step = step_factored,
                                          .export = hsp_newton_one_export,
                                          .measured = hsp_newton_one_measured,
                                          .free = free_factored};
