#include "solve/newton/newton_factor.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/rng.h"
#include "data/matrix.h"
#include "design/design.h"
#include "design/gram.h"
#include "design/pieces.h"
#include "factor/factor.h"
#include "kernel/kernel.h"
#include "loss/loss.h"
#include "problem/survey.h"

#include <math.h>

enum {
    CHEAP = 10,          /* products that a Gram matrix may cost and still be made for each step */
    ROWS_A_COLUMN = 10,  /* in a sample */
    MOST_PRODUCTS = 400, /* a step */
    LOOKED_AT = 1024     /* rows that tell what things cost */
};
/* While steps promise more than this share of J the curvature changes so much that a sample will do. */
static const double EARLY = 0.02;

/* ---- factors ---- */

/* |A|_1 of a symmetric matrix with a diagonal of ones, from its upper triangle. */
static double upper_norm(const double *A, int64_t N) {
    double most = 0;
    for (int64_t j = 0; j < N; j++) {
        double sum = 1;
        for (int64_t i = 0; i < j; i++) sum += fabs(A[i * N + j]);
        for (int64_t k = j + 1; k < N; k++) sum += fabs(A[j * N + k]);
        if (sum > most) most = sum;
    }
    return most;
}

/* The upper triangle keeps the matrix, for another try. */
int hsp_newton_factorise(double *A, int64_t N, double ridge, double *scale, bool *exact) {
    for (int64_t j = 0; j < N; j++) {
        double diagonal = A[j * N + j] + ridge;
        scale[j] = diagonal > 0 && isfinite(diagonal) ? 1 / sqrt(diagonal) : 0;
    }
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = i + 1; j < N; j++) A[i * N + j] *= scale[i] * scale[j];
    /* Without a penalty nothing holds the step where the Hessian is flat but rounding, which a small shift would blow up.
     */
    double least = ridge > 0 ? 1e-15 : 1e-11, norm = ridge > 0 ? 0 : upper_norm(A, N);
    for (double shift = 0; shift <= 1; shift = shift > 0 ? 100 * shift : least) {
        for (int64_t i = 0; i < N; i++) {
            A[i * N + i] = 1 + shift;
            for (int64_t j = 0; j < i; j++) A[i * N + j] = A[j * N + i];
        }
        if (hsp_cholesky(A, N) != 0) continue;
        double rcond = ridge > 0 ? 1 : hsp_cholesky_rcond(A, N, norm);
        *exact = shift == 0;
        if (isnan(rcond)) return HSP_EMEMORY;
        if (rcond > least / 10) return HSP_OK;
    }
    for (int64_t i = 0; i < N; i++) { /* numbers that are no numbers: steps along the scaled gradient */
        for (int64_t j = 0; j < i; j++) A[i * N + j] = 0;
        A[i * N + i] = 1;
    }
    *exact = false;
    return HSP_OK;
}

void hsp_newton_factor_solve(const double *A, int64_t N, const double *scale, const double *r, double *z) {
    for (int64_t j = 0; j < N; j++) z[j] = r[j] * scale[j];
    hsp_cholesky_solve(A, N, z, 1);
    for (int64_t j = 0; j < N; j++) z[j] *= scale[j];
}

/* ---- making ---- */

/* How many products with the Hessian a Gram matrix costs, roughly: of rows spread out d / 2 multiplications an entry, eight
 * times as fast as those of a product; else as many as the row has entries, a few times as fast. */
static double gram_cost(const hsp_design *D) {
    double entries = 0, squares = 0;
    if (D->x->dense) return (double)D->d / 24;
    for (int64_t i = 0; i < D->n; i += 1 + D->n / LOOKED_AT) {
        double count = (double)hsp_matrix_row(D->x, i).count;
        entries += count;
        squares += count * count;
    }
    return entries > 0 ? fmin(squares / entries / 8, (double)D->d * (double)D->d / 24 / (entries / LOOKED_AT + 1)) : 0;
}

int hsp_newton_factor_init(hsp_newton_factor *s, hsp_problem *p, const hsp_rules *rules, const hsp_point *start,
                           hsp_error **err) {
    int64_t d = p->design->d;
    double cost = gram_cost(p->design);
    int status = hsp_newton_one_init(&s->one, p, rules, start, true, err);
    if (status) return status;
    s->many = cost > CHEAP ? (int64_t)(cost / 2) : 0;
    s->scale = hsp_alloc(d, sizeof *s->scale);
    if (s->many > 0) {
        s->diagonal = hsp_alloc(d, sizeof *s->diagonal);
        s->sums = hsp_alloc(d, sizeof *s->sums);
    }
    return s->scale && (s->many == 0 || (s->diagonal && s->sums)) ? HSP_OK : hsp_fail_memory(err);
}

void hsp_newton_factor_free(hsp_newton_factor *s) {
    hsp_newton_one_free(&s->one);
    hsp_free(s->scale);
    hsp_free(s->diagonal);
    hsp_free(s->sums);
}

/* ---- the direction ---- */

static void precondition(void *vs, const double *r, double *z) {
    const hsp_newton_factor *s = vs;
    hsp_newton_factor_solve(s->one.look->G, s->one.p->design->d, s->scale, r, z);
}

/* The factor of look->G, in its place, and whether it is exact. 0 or HSP_EMEMORY. */
static int factorise_gram(hsp_newton_factor *s, bool *exact) {
    hsp_survey *L = s->one.look;
    int64_t d = s->one.p->design->d;
    if (s->one.p->intercept == HSP_INTERCEPT_PENALISED) { /* which gives back a part of what centring takes away */
        double back = L->mass * L->mu / (L->mass + L->mu);
        for (int64_t j = 0; j < d; j++) hsp_axpy_f64(back * L->mean[j], L->mean, L->G + j * d, d);
    }
    L->has_gram = false; /* used up */
    return hsp_newton_factorise(L->G, d, L->mu, s->scale, exact);
}

static int direct(void *vs, double *step, hsp_budget *budget) {
    hsp_newton_factor *s = vs;
    bool exact;
    if (factorise_gram(s, &exact)) return HSP_EMEMORY;
    if (exact && !s->one.repair) {
        precondition(s, s->one.gc, step);
        hsp_scale_f64(-1, step, s->one.p->design->d);
    } else {
        hsp_inner inner = {.precondition = precondition, .ctx = s, .relative = 1e-3, .most = 30};
        hsp_newton_one_solve(&s->one, inner, step, budget);
    }
    return HSP_OK;
}

static int again(void *vs, double *step, hsp_budget *budget) {
    hsp_newton_factor *s = vs;
    (void)budget;
    precondition(s, s->one.gc, step);
    hsp_scale_f64(-1, step, s->one.p->design->d);
    return HSP_OK;
}

/* G from some rows only, drawn at random, each weighing more for it; what they miss of a column is made up for on the
 * diagonal. The more a row curves the likelier it is drawn, so that all weigh about the same: most rows of a good fit
 * hardly count. */
static int sample_gram(hsp_newton_factor *s, double rows) {
    hsp_survey *L = s->one.look;
    const hsp_design *D = s->one.p->design;
    double *h = s->one.t;
    bool centred = s->one.p->intercept != HSP_INTERCEPT_NONE && L->mass > 0;
    hsp_rng rng = hsp_rng_new(s->one.rules->seed, 7 + (uint64_t)s->one.k);
    double each = L->mass > 0 ? L->mass / rows : 1;
    for (int64_t i = 0; i < D->n; i++) {
        double drawn = hsp_rng_uniform(&rng) * each;
        h[i] = L->h[i] >= each ? L->h[i] : drawn < L->h[i] ? each : 0;
    }
    int status = hsp_design_gram(D, h, centred ? L->mean : NULL, NULL, 1, L->G, NULL);
    hsp_newton_one_diagonal(&s->one, s->sums, s->diagonal);
    for (int64_t j = 0; j < D->d; j++) L->G[j * D->d + j] = fmax(L->G[j * D->d + j], s->diagonal[j] - L->mu);
    return status;
}

/* Whether the step to come, made without an error, is likely to be the last; less so the fewer rows a column has. By the
 * factor at hand, which is near enough for that, and costs no look at the data. */
static bool last_one(hsp_newton_factor *s) {
    const hsp_newton_one *one = &s->one;
    int64_t n = one->p->design->n, d = one->p->design->d;
    double J = one->look->J, few = fmax(1, (double)d / (double)n * J);
    precondition(s, one->gc, one->step);
    double promised = J > 0 ? hsp_dot_f64(one->gc, one->step, d) / 2 / J : 0;
    return hsp_newton_one_foreseen(one, promised) * few <= one->rules->tol;
}

/* The whole matrix, which is worth its cost when it brings the end or when samples do not lead there, else a sample. */
static int refresh(hsp_newton_factor *s) {
    int64_t n = s->one.p->design->n, wanted = ROWS_A_COLUMN * s->one.p->design->d;
    bool jumps = !(s->one.p->loss->traits & HSP_LOSS_POSITIVE), early = s->one.decrease < 0 || s->one.decrease > EARLY;
    bool slow = !s->sampled || jumps || s->one.products > s->many;
    bool whole = s->one.repair || (!early && s->made && (slow || last_one(s)));
    double rows = (double)wanted;
    s->sampled = !whole && n > 3 * wanted;
    if (jumps) { /* rows that curve do so all alike: as large a share of them as of all that were looked at */
        int64_t seen = s->one.look->pass.every > 1 ? n / s->one.look->pass.every : n;
        rows *= fmin(1, (double)hsp_design_active(n, s->one.look->h) / (double)seen);
    }
    int status = s->sampled ? sample_gram(s, rows) : hsp_survey_complete(s->one.look, true, NULL);
    bool exact;
    if (!status) status = factorise_gram(s, &exact);
    s->made = true;
    return status;
}

static int direct_dear(void *vs, double *step, hsp_budget *budget) {
    hsp_newton_factor *s = vs;
    bool old = !s->made || s->one.products > s->many || s->one.repair || (s->sampled && s->one.products > s->many / 2);
    if (old && refresh(s)) return HSP_EMEMORY;
    hsp_inner inner = {.precondition = precondition, .ctx = s, .relative = 0.1};
    inner.most = old ? MOST_PRODUCTS : 2 * s->many; /* then a new factor is cheaper */
    hsp_newton_one_solve(&s->one, inner, step, budget);
    return HSP_OK;
}

hsp_step hsp_newton_factor_step(hsp_newton_factor *s, hsp_budget *budget) {
    bool cheap = s->many == 0;
    hsp_newton_way way = {.gram = cheap, .direct = cheap ? direct : direct_dear, .again = cheap ? again : NULL};
    return hsp_newton_one_step(&s->one, &way, s, budget);
}
