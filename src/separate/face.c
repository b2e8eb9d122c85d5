/* The linear program and its faces. The interior-point method distinguishes free rows, which can be strictly on the right
 * side of a plane, from held rows, which have positive multipliers. Held rows give a witness. If there are free rows, the
 * span of the held ones is projected out and the program solved again for the rest: a plane of theirs has no row on the
 * wrong side and contains the witness. */
#include "base/error.h"
#include "base/memory.h"
#include "design/design.h"
#include "factor/factor.h"
#include "kernel/kernel.h"
#include "separate/search.h"
#include "separate/self_dual.h"
#include "separate/vertex.h"
#include "verify/proof/proof.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 150, ROUNDS = 40 };

typedef enum outcome { PLANE, SPLIT, STUCK } outcome;

typedef struct face {
    hsp_search *s;
    const hsp_cone *c;
    bool *gone;  /* n: rows in the span of the held ones */
    bool *bound; /* n: rows that the last solution holds */
    double *m;   /* n: their multipliers */
    int64_t held_rows, free_rows;
    hsp_held held; /* rows whose witness was proven */
    int64_t *row;  /* their rows in the data */
    double *multiplier;
    double *Z; /* q x p: orthogonal complement of the held rows; NULL: everything */
    int64_t q;
    double *lift; /* base->d: scratch */
    double *pass; /* base->n: scratch */
    double *part; /* borrowed: receives a plane of the cone's rows, which are not all rows; or NULL */
    bool *found;
    int steps;
} face; /* owns its arrays, except `part` */

static int begin_face(face *F, hsp_search *s, const hsp_cone *c, hsp_error **err) {
    *F = (face){.s = s, .c = c, .q = c->p};
    const hsp_design *base = c->base;
    if (!HSP_ALLOC_ZERO(F->gone, c->n + 1) || !HSP_ALLOC_ZERO(F->bound, c->n + 1) || !HSP_ALLOC(F->m, c->n + 1) ||
        !HSP_ALLOC(F->lift, base->d + 1) || !HSP_ALLOC(F->pass, base->n + 1))
        return hsp_fail_memory(err);
    return HSP_OK;
}

/* ---- the interior-point method ---- */

/* How clearly held and free rows are apart, the least |log10(m_i / s_i)|; counts both. */
static double clarity(const hsp_self_dual *t, int64_t *held, int64_t *loose) {
    double least = INFINITY;
    *held = *loose = 0;
    for (int64_t i = 0; i < t->cone->n; i++) {
        if (t->rho[i] == 0) continue;
        double ratio = log10(t->m[i]) - log10(t->s[i]);
        ++*(ratio > 0 ? held : loose);
        least = fmin(least, fabs(ratio));
    }
    return least;
}

static int try_plane(face *F, const hsp_self_dual *t, bool *accepted, hsp_error **err) {
    hsp_search *s = F->s;
    const hsp_held *h = &F->held;
    *accepted = false;
    hsp_cone_lift(F->c, t->v, F->pass, F->lift);
    if (h->count == 0 && s->out->count == 0) return hsp_search_plane(s, F->lift, "linear-program", accepted, err);
    int64_t expected = s->rows - s->left; /* rows of layers, and those that are not held */
    for (int64_t i = 0; i < F->c->n; i++) expected += F->c->rho[i] != 0 && !F->gone[i];
    hsp_weak k = {F->lift, true, expected, F->row, F->multiplier, h->count, "linear-program"};
    if (h->count == 0) /* a row of zeros, which is on every plane through the origin */
        k = (hsp_weak){F->lift, true, expected, s->out->row, s->out->multiplier, s->out->count, s->out->method};
    return hsp_search_weak(s, &k, accepted, err);
}

/* Steps until a plane is accepted or the rows are split with a clarity of `sharp`. */
static int solve_face(face *F, hsp_self_dual *t, double sharp, outcome *out, hsp_error **err) {
    double tried = INFINITY;
    int status = HSP_OK;
    *out = STUCK;
    for (int step = 0; step < STEPS && !hsp_search_stop(F->s); step++) {
        status = hsp_self_dual_step(t, err);
        if (status) break;
        F->steps++;
        int64_t held, loose;
        double clear = clarity(t, &held, &loose);
        if (F->part && F->held.count == 0 && t->least > t->mu) {
            hsp_cone_lift(F->c, t->v, F->pass, F->part);
            *F->found = true;
            *out = PLANE;
            return hsp_search_plane(F->s, F->part, "linear-program", &(bool){false}, err);
        }
        /* Any separating plane will do, but one through a witness should free rows by more than its errors. */
        double enough = F->s->out->count > 0 ? t->mu : 0;
        if (t->least > enough && !(F->part && F->held.count == 0) && t->mu < 0.2 * tried) {
            bool accepted;
            tried = t->mu;
            if ((status = try_plane(F, t, &accepted, err))) return status;
            if (accepted || F->s->decided) {
                *out = PLANE;
                return HSP_OK;
            }
        }
        if (held > 0 && (clear > sharp || (loose == 0 && t->mu < 1e-3 && clear > 1))) {
            *out = SPLIT;
            return HSP_OK;
        }
        if (t->mu < 1e-14) break;
    }
    return status == HSP_EMEMORY ? status : HSP_OK;
}

static void record_split(face *F, const hsp_self_dual *t) {
    F->held_rows = F->free_rows = 0;
    for (int64_t i = 0; i < F->c->n; i++) {
        F->bound[i] = t->rho[i] != 0 && t->m[i] > t->s[i];
        F->m[i] = F->bound[i] ? t->m[i] : 0;
        F->held_rows += F->bound[i];
        F->free_rows += t->rho[i] != 0 && !F->bound[i];
    }
}

/* ---- a witness ---- */

/* Checks a witness; the proof keeps the smallest one. */
static int check_witness(hsp_search *s, const int64_t *row, const double *m, int64_t count, bool *accepted,
                         hsp_error **err) {
    hsp_proof_kind kind = HSP_PROOF_NONE;
    if (s->out->count == 0 || count < s->out->count)
        return hsp_search_witness(s, row, m, count, "linear-program", accepted, err);
    int status = hsp_proof_check_witness(s->q, row, m, count, NULL, &kind, err);
    *accepted = kind != HSP_PROOF_NONE;
    return status;
}

/* Tries a witness of the held rows and these, without multipliers below `small` of the largest. */
static int try_witness(face *F, const int64_t *row, const double *m, int64_t k, double small, bool *accepted,
                       hsp_error **err) {
    hsp_search *s = F->s;
    double top = 0;
    int64_t count = 0, most = F->held.count + k + 1;
    for (int64_t i = 0; i < k; i++) top = fmax(top, m[i]);
    int64_t *rows = hsp_alloc(most, sizeof *rows);
    double *mu = hsp_alloc(most, sizeof *mu);
    hsp_held more = {0};
    int status = rows && mu ? HSP_OK : hsp_fail_memory(err);
    for (int64_t i = 0; !status && i < k; i++)
        if (m[i] > small * top) rows[count] = row[i], mu[count++] = m[i];
    if (!status && F->held.count > 0)
        status = hsp_held_join(&more, F->c, F->held.row, F->held.mu, F->held.count, F->held.rank, err);
    if (!status) status = hsp_held_join(&more, F->c, rows, mu, count, count - 1, err);
    bool good = false;
    *accepted = false;
    if (!status) status = hsp_held_finish(&more, s->q, F->c, rows, mu, &good, err);
    if (!status && good) status = check_witness(s, rows, mu, more.count, accepted, err);
    if (!status && *accepted) { /* swap: what F had is freed below */
        hsp_held had = F->held;
        int64_t *had_rows = F->row;
        double *had_mu = F->multiplier;
        F->held = more, F->row = rows, F->multiplier = mu;
        more = had, rows = had_rows, mu = had_mu;
    }
    hsp_held_clear(&more);
    HSP_FREE(rows, mu);
    return status == HSP_EINTERNAL ? HSP_OK : status;
}

/* Reduces the rows to those of a vertex and tries their witness. */
static int witness_of_vertex(face *F, const int64_t *row, double *m, int64_t k, bool *accepted, hsp_error **err) {
    int64_t p = F->c->p;
    double *X = hsp_alloc(k * F->q + 1, sizeof *X), *full = hsp_alloc(p + 1, sizeof *full);
    int status = X && full ? HSP_OK : hsp_fail_memory(err);
    *accepted = false;
    for (int64_t i = 0; !status && i < k; i++) {
        hsp_cone_row(F->c, row[i], F->Z ? full : X + i * p);
        for (int64_t j = 0; F->Z && j < F->q; j++) X[i * F->q + j] = hsp_dot_f64(F->Z + j * p, full, p);
    }
    if (!status) status = hsp_vertex_find(X, k, F->q, m, err);
    HSP_FREE(X, full);
    if (!status) status = try_witness(F, row, m, k, 1e-9, accepted, err);
    if (!status && !*accepted) status = try_witness(F, row, m, k, 1e-13, accepted, err);
    return status == HSP_EINTERNAL ? HSP_OK : status;
}

/* Steps on a subset of the rows until some are held (*found), they are separated, or no step is possible. */
static int solve_subset(face *F, hsp_self_dual *t, bool *found, hsp_error **err) {
    *found = false;
    for (int step = 0; step < STEPS && !hsp_search_stop(F->s); step++) {
        int64_t held, loose;
        int status = hsp_self_dual_step(t, err);
        if (status) return status == HSP_EINTERNAL ? HSP_OK : status;
        F->steps++;
        double clear = clarity(t, &held, &loose);
        *found = held > 0 && (clear > 4 || (loose == 0 && t->mu < 1e-3 && clear > 1));
        if (*found || t->least > 0 || t->mu < 1e-14) break;
    }
    return HSP_OK;
}

/* Moves rows beyond the first k that the plane has on the wrong side, at most `most`, next to these; how many. */
static int64_t add_wrong(const face *F, hsp_self_dual *t, hsp_ranked_row *list, int64_t k, int64_t all, int64_t most) {
    int64_t more = 0;
    hsp_cone_apply(F->c, t->v, t->av);
    for (int64_t i = k; i < all; i++) list[i].key = -t->av[list[i].row];
    qsort(list + k, (size_t)(all - k), sizeof *list, hsp_by_rank);
    while (k + more < all && more < most && list[k + more].key >= 0) more++;
    return more;
}

/* Reduces many held rows to a few that hold each other: starts with the largest multipliers and adds rows on the wrong side
 * of a plane that separates these, until there is no plane. *count is 0 if that fails. */
static int find_held_subset(face *F, hsp_ranked_row *list, int64_t *count, hsp_error **err) {
    const hsp_cone *c = F->c;
    int64_t all = *count, step = 2 * (F->q + 20), k = step, more = 1;
    bool *out = hsp_alloc(c->n + 1, sizeof *out), found = false;
    int status = out ? HSP_OK : hsp_fail_memory(err);
    qsort(list, (size_t)all, sizeof *list, hsp_by_rank);
    *count = 0;
    for (int round = 0; !status && !found && more > 0 && round < ROUNDS && !hsp_search_stop(F->s); round++) {
        hsp_self_dual t;
        for (int64_t i = 0; i < c->n; i++) out[i] = true;
        for (int64_t i = 0; i < k; i++) out[list[i].row] = false;
        status = hsp_self_dual_init(&t, c, F->Z, F->q, out, err);
        if (!status) status = solve_subset(F, &t, &found, err);
        for (int64_t i = 0; !status && found && i < k; i++)
            if (t.m[list[i].row] > t.s[list[i].row]) list[(*count)++] = (hsp_ranked_row){t.m[list[i].row], list[i].row};
        if (!status && !found) k += more = add_wrong(F, &t, list, k, all, step / 2);
        hsp_self_dual_free(&t);
    }
    hsp_free(out);
    return status;
}

/* Finds a witness of the held rows that are not in the span yet. */
static int witness_of_face(face *F, bool *accepted, hsp_error **err) {
    int64_t k = 0;
    hsp_ranked_row *list = hsp_alloc(F->c->n + 1, sizeof *list);
    int64_t *row = hsp_alloc(F->c->n + 1, sizeof *row);
    double *m = hsp_alloc(F->c->n + 1, sizeof *m);
    int status = list && row && m ? HSP_OK : hsp_fail_memory(err);
    *accepted = false;
    for (int64_t i = 0; !status && i < F->c->n; i++)
        if (F->bound[i] && !F->gone[i]) list[k++] = (hsp_ranked_row){F->m[i], i};
    if (!status && k > 4 * (F->q + 20)) status = find_held_subset(F, list, &k, err);
    for (int64_t i = 0; !status && i < k; i++) row[i] = list[i].row, m[i] = list[i].key;
    if (!status && k > 0) status = witness_of_vertex(F, row, m, k, accepted, err);
    HSP_FREE(list, row, m);
    return status;
}

/* ---- projecting out ---- */

/* Computes Z from the span of the held rows, and marks the rows in that span as gone. */
static int project_out(face *F, hsp_error **err) {
    int64_t p = F->c->p, r = F->held.rank;
    double *Q = hsp_alloc(F->held.count * p + 1, sizeof *Q), *P = hsp_alloc(p * p, sizeof *P);
    double *e = hsp_alloc(p + 1, sizeof *e);
    int status = Q && P && e ? HSP_OK : hsp_fail_memory(err);
    if (!status) status = hsp_held_span(&F->held, F->c, Q, err);
    if (!status) {
        memset(P, 0, (size_t)(p * p) * sizeof *P);
        for (int64_t k = 0; k < r; k++)
            for (int64_t j = 0; j < p; j++) hsp_axpy_f64(Q[k * p + j], Q + k * p, P + j * p, p);
        status = hsp_eigen(P, p, e);
    }
    if (!status) { /* eigenvalues ascend: the first p - r are 0 */
        hsp_free(F->Z);
        F->Z = P;
        F->q = p - r;
        P = NULL;
        for (int64_t i = 0; i < F->c->n; i++) {
            double rest = 0;
            if (F->c->rho[i] == 0 || F->gone[i]) continue;
            hsp_cone_row(F->c, i, Q);
            for (int64_t k = 0; k < F->q; k++) rest = fmax(rest, fabs(hsp_dot_f64(F->Z + k * p, Q, p)));
            F->gone[i] = rest < 1e-9;
        }
    }
    HSP_FREE(Q, P, e);
    return status == HSP_EMEMORY ? hsp_fail_memory(err) : status;
}

static bool any_left(const face *F, bool held) {
    for (int64_t i = 0; i < F->c->n; i++)
        if (F->c->rho[i] != 0 && !F->gone[i] && (!held || F->bound[i])) return true;
    return false;
}

/* Bounds the margin by the multipliers, in the rows of the data. */
static int bound_margin(const face *F, const hsp_self_dual *t, hsp_error **err) {
    double *m = hsp_alloc_zero(F->s->q->x->n + 1, sizeof *m);
    if (!m) return hsp_fail_memory(err);
    for (int64_t i = 0; i < F->c->n; i++)
        if (t->rho[i] != 0) m[hsp_cone_source(F->c, i)] = t->m[i] * fabs(t->rho[i]);
    int status = hsp_search_bound(F->s, m, err);
    hsp_free(m);
    return status;
}

/* Solves for the rows that are left; then finds witnesses until all held rows are in the span. */
static int solve_round(face *F, bool *more, hsp_error **err) {
    hsp_self_dual t;
    outcome got = STUCK;
    bool accepted = false;
    *more = false;
    int status = hsp_self_dual_init(&t, F->c, F->Z, F->q, F->gone, err);
    for (double sharp = 3; !status && !accepted && sharp < 12; sharp += 2) {
        status = solve_face(F, &t, sharp, &got, err);
        if (status || got != SPLIT) break;
        record_split(F, &t);
        status = witness_of_face(F, &accepted, err);
    }
    char mu[32];
    hsp_format_number(t.mu, mu);
    hsp_search_log(F->s, "linear program, %d steps, mu %s: %s, %lld rows in the witness, %lld free", F->steps, mu,
                   got == PLANE ? "a hyperplane"
                   : accepted   ? "a witness"
                                : "nothing proven",
                   (long long)F->held_rows, (long long)F->free_rows);
    if (!status && got != PLANE && !accepted && F->held.count == 0 && F->s->out->count == 0 && !F->part)
        status = bound_margin(F, &t, err);
    hsp_self_dual_free(&t);
    if (status || F->s->decided || !accepted || F->part) return status;
    if ((status = hsp_search_layers_weak(F->s, F->free_rows == 0, "linear-program", err))) return status;
    F->s->likely_overlap |= F->free_rows == 0;
    if (F->s->decided || F->free_rows == 0) return HSP_OK;
    status = project_out(F, err);
    while (!status && any_left(F, true) && F->q > 0 && !hsp_search_stop(F->s)) {
        status = witness_of_face(F, &accepted, err);
        if (!status && !accepted) return HSP_OK;
        if (!status) status = project_out(F, err);
    }
    *more = F->q > 0 && any_left(F, false);
    if (!status && !*more && !any_left(F, false)) { /* all rows are held, after all */
        F->s->likely_overlap = true;
        status = hsp_search_layers_weak(F->s, true, "linear-program", err);
    }
    return status;
}

int hsp_search_face(hsp_search *s, const hsp_cone *c, double *part, bool *found, hsp_error **err) {
    face F;
    bool more = true;
    int status = begin_face(&F, s, c, err);
    F.part = part;
    F.found = found;
    if (found) *found = false;
    while (!status && more && !s->decided && !hsp_search_stop(s)) status = solve_round(&F, &more, err);
    HSP_FREE(F.gone, F.bound, F.m);
    hsp_held_clear(&F.held);
    HSP_FREE(F.row, F.multiplier, F.Z, F.lift, F.pass);
    return status == HSP_EINTERNAL ? HSP_OK : status;
}
