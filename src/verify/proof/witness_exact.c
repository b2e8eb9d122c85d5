/* The multipliers of a witness as integers. Modular arithmetic proposes them; the proof is that they solve every equation
 * and have the right signs, which is checked in integers. */
#include "base/clock.h"
#include "base/error.h"
#include "base/integer.h"
#include "base/memory.h"
#include "verify/proof/equations.h"
#include "verify/proof/exact.h"
#include "verify/proof/padic.h"
#include "verify/proof/witness.h"

#include <math.h>

typedef struct attempt {
    hsp_integer_memory memory; /* of all integers */
    const hsp_witness *w;
    hsp_equations e;
    int64_t *order;    /* the unknowns, largest multipliers first */
    int64_t *equation; /* pivot equations */
    int64_t *unknown;  /* pivot unknowns */
    bool *pivot;       /* of each unknown: it is a pivot, determined by the others; else it is free */
    int64_t rank;
    hsp_integer *A, *b, *N; /* the system of the pivots and its numerators, while it is solved */
    hsp_integer *z;         /* all unknowns */
    hsp_integer D, sum, part;
    bool ready; /* D, sum and part are initialised */
} attempt;      /* owns its arrays */

/* Merge sort, the largest first; stable. */
static void sort_by_size(const double *m, int64_t *order, int64_t k, int64_t *scratch) {
    if (k < 2) return;
    int64_t half = k / 2, i = 0, j = half;
    sort_by_size(m, order, half, scratch);
    sort_by_size(m, order + half, k - half, scratch);
    for (int64_t t = 0; t < k; t++)
        scratch[t] = j == k || (i < half && m[order[i]] >= m[order[j]]) ? order[i++] : order[j++];
    for (int64_t t = 0; t < k; t++) order[t] = scratch[t];
}

static int attempt_new(attempt *a, const hsp_witness *w, hsp_error **err) {
    *a = (attempt){.w = w};
    int64_t k = w->k;
    int status = hsp_equations_new(w->q, w->row, k, &a->e, err);
    if (status) return status;
    a->z = hsp_integers_new(&a->memory, k);
    if (!a->z || !HSP_ALLOC(a->order, k) || !HSP_ALLOC(a->equation, k) || !HSP_ALLOC(a->unknown, k) ||
        !HSP_ALLOC(a->pivot, k))
        return hsp_fail_memory(err);
    HSP_INTEGERS_INIT(&a->memory, a->D, a->sum, a->part);
    a->ready = true;
    for (int64_t s = 0; s < k; s++) a->order[s] = s;
    sort_by_size(w->multiplier, a->order, k, a->unknown);
    return HSP_OK;
}

/* Sets the free unknowns: a single one to 1; several to the given multipliers times a power of two. */
static void set_free_unknowns(attempt *a) {
    const hsp_witness *w = a->w;
    int least = INT32_MAX, e;
    for (int64_t s = 0; s < w->k; s++) a->pivot[s] = false;
    for (int64_t i = 0; i < a->rank; i++) a->pivot[a->unknown[i]] = true;
    for (int64_t s = 0; s < w->k; s++)
        if (!a->pivot[s] && hsp_exact_split(w->multiplier[s], &e) != 0 && e < least) least = e;
    for (int64_t s = 0; s < w->k; s++) {
        if (a->pivot[s]) continue;
        int64_t m = hsp_exact_split(w->multiplier[s], &e);
        hsp_integer_set_int(a->z[s], w->k - a->rank == 1 ? 1 : m);
        if (m != 0 && w->k - a->rank > 1) hsp_integer_shift_up(a->z[s], a->z[s], (e - least));
        if (w->q->y[w->row[s]] < 0) hsp_integer_negate(a->z[s]);
    }
}

/* Fills A and b with the pivot equations. place: scratch of k numbers. */
static void fill_system(attempt *a, int64_t *place) {
    int64_t r = a->rank;
    for (int64_t i = 0; i < r; i++) place[a->unknown[i]] = i;
    for (int64_t i = 0; i < r; i++) {
        int64_t eq = a->equation[i];
        for (int64_t t = a->e.begin[eq]; t < a->e.begin[eq + 1]; t++) {
            int32_t s = a->e.unknown[t];
            hsp_equations_coefficient(&a->e, t, a->part);
            if (a->pivot[s])
                hsp_integer_set(a->A[i * r + place[s]], a->part);
            else
                hsp_integer_sub_product(a->b[i], a->part, a->z[s]);
        }
    }
}

/* Solves the pivot equations for a proposal of z. */
static int propose_solution(attempt *a, int prime, bool early, bool *found, hsp_error **err) {
    int64_t r = a->rank, k = a->w->k, *place = hsp_alloc(k, sizeof *place);
    a->A = hsp_integers_new(&a->memory, r * r);
    a->b = hsp_integers_new(&a->memory, r);
    a->N = hsp_integers_new(&a->memory, r);
    int status = place && a->A && a->b && a->N ? HSP_OK : hsp_fail_memory(err);
    if (!status) {
        set_free_unknowns(a);
        fill_system(a, place);
        status = hsp_padic_solve(r, a->A, a->b, prime, early, a->N, a->D, found, err);
    }
    for (int64_t s = 0; !status && *found && s < k; s++) {
        if (a->pivot[s])
            hsp_integer_set(a->z[s], a->N[place[s]]);
        else
            hsp_integer_mul(a->z[s], a->z[s], a->D);
    }
    hsp_integers_free(a->A, r * r);
    hsp_integers_free(a->b, r);
    hsp_integers_free(a->N, r);
    hsp_free(place);
    return status;
}

/* y_s z_s >= 0 for all, not all 0. */
static bool signs_are_right(const attempt *a) {
    bool any = false;
    for (int64_t s = 0; s < a->w->k; s++) {
        int sign = hsp_integer_sign(a->z[s]), y = a->w->q->y[a->w->row[s]];
        if (y == 0 || sign == -y) return false;
        any |= sign != 0;
    }
    return any;
}

static bool equations_hold(attempt *a) {
    for (int64_t i = 0; i < a->e.count; i++)
        if (!hsp_equations_holds(&a->e, i, a->z, a->sum, a->part)) return false;
    return true;
}

/* |z| as doubles; those of the positive rows (through the origin: all) sum to 1. */
static void round_multipliers(attempt *a, double *near) {
    hsp_integer_set_unsigned(a->sum, 0);
    for (int64_t s = 0; s < a->w->k; s++)
        if (a->w->q->origin || hsp_integer_sign(a->z[s]) > 0) {
            hsp_integer_abs(a->part, a->z[s]);
            hsp_integer_add(a->sum, a->sum, a->part);
        }
    int64_t e, total_e;
    double total = hsp_integer_split(a->sum, &total_e);
    for (int64_t s = 0; s < a->w->k; s++) {
        double m = fabs(hsp_integer_split(a->z[s], &e)) / total;
        near[s] = m == 0 || e - total_e < -1100 ? 0 : ldexp(m, (int)(e - total_e));
    }
}

static double estimate_seconds(const attempt *a) {
    double bits = 0, nonzeros = (double)a->e.begin[a->e.count];
    for (int64_t i = 0; i < a->rank; i++) bits += hsp_equations_bits(&a->e, a->equation[i]);
    if (a->w->k - a->rank > 1) bits += 60.0 * (double)a->rank; /* the digits of the given multipliers */
    return hsp_padic_seconds(a->rank, bits, nonzeros);
}

/* Moves unknowns with the wrong sign to the end of the order: there they are likely to be free, and keep the multiplier that
 * was given, which is >= 0. False: there is only one solution. */
static bool move_wrong_signs_last(attempt *a) {
    const hsp_witness *w = a->w;
    int64_t k = w->k, kept = 0, moved = 0;
    if (k - a->rank < 2) return false;
    for (int64_t t = 0; t < k; t++) {
        int64_t s = a->order[t];
        if (hsp_integer_sign(a->z[s]) == -w->q->y[w->row[s]])
            a->unknown[moved++] = s;
        else
            a->order[kept++] = s;
    }
    for (int64_t t = 0; t < moved; t++) a->order[kept + t] = a->unknown[t];
    return moved > 0;
}

/* Tries all rows of w. Each try may take `seconds` by the estimate, all together *left. */
static int try_rows(const hsp_witness *w, double seconds, double *left, double *near, bool *unique, bool *proven,
                    bool *expensive, hsp_error **err) {
    enum { TRIES = 6 };
    attempt a;
    int status = attempt_new(&a, w, err), prime = 0;
    for (int tries = 0; !status && !*proven && !*expensive && tries < TRIES && prime < HSP_PADIC_PRIMES; tries++) {
        bool found = false;
        status = hsp_equations_pivots(&a.e, a.order, prime, seconds, a.equation, a.unknown, &a.rank, err);
        if (status) break;
        double cost = a.rank < 0 ? INFINITY : estimate_seconds(&a);
        *expensive = cost > seconds;
        *left -= cost;
        if (*expensive || *left < 0) break;
        status = propose_solution(&a, prime, prime == 0, &found, err);
        if (status || hsp_cancel_pending()) break;
        bool right = found && signs_are_right(&a);
        *proven = right && equations_hold(&a) && !a.memory.failed;
        if (found && !right && !move_wrong_signs_last(&a)) break;
        if (!found || (right && !*proven)) prime++; /* singular modulo this prime, or a coincidence */
    }
    if (!status && *proven && near) round_multipliers(&a, near);
    if (!status && a.memory.failed) status = hsp_fail_memory(err);
    if (status) *proven = false;
    *unique = *proven && a.rank == w->k - 1;
    hsp_equations_clear(&a.e);
    HSP_FREE(a.order, a.equation, a.unknown, a.pivot);
    hsp_integers_free(a.z, a.w->k);
    if (a.ready) HSP_INTEGERS_FREE(a.D, a.sum, a.part);
    hsp_integer_memory_free(&a.memory);
    return status;
}

/* Tries only the rows whose multipliers exceed `share` of the largest: with several solutions, a multiplier that should be 0
 * may come out as a tiny negative number. */
static int try_larger(const hsp_witness *w, double share, double seconds, double *left, double *near, bool *proven,
                      hsp_error **err) {
    bool expensive = false, unique;
    double top = 0;
    for (int64_t s = 0; s < w->k; s++) top = fmax(top, w->multiplier[s]);
    int64_t *row = hsp_alloc(w->k, sizeof *row), *from = hsp_alloc(w->k, sizeof *from), k = 0;
    double *m = hsp_alloc(w->k, sizeof *m), *found = hsp_alloc(w->k, sizeof *found);
    int status = row && from && m && found ? HSP_OK : hsp_fail_memory(err);
    for (int64_t s = 0; !status && s < w->k; s++)
        if (w->multiplier[s] > share * top) from[k] = s, row[k] = w->row[s], m[k++] = w->multiplier[s];
    if (!status && k > 0 && k < w->k) {
        hsp_witness part = {w->q, row, m, k};
        status = try_rows(&part, seconds, left, found, &unique, proven, &expensive, err);
        if (!status && *proven && near) {
            for (int64_t s = 0; s < w->k; s++) near[s] = 0;
            for (int64_t s = 0; s < k; s++) near[from[s]] = found[s];
        }
    }
    HSP_FREE(row, from, m, found);
    return status;
}

int hsp_witness_exact(const hsp_witness *w, double seconds, double *near, bool *unique, bool *proven, bool *expensive,
                      hsp_error **err) {
    static const double shares[] = {0, 1e-12, 1e-9, 1e-6};
    double left = 2 * seconds;
    *proven = *unique = false;
    *expensive = w->k > HSP_EQUATIONS_MOST;
    int status = *expensive ? HSP_OK : try_rows(w, seconds, &left, near, unique, proven, expensive, err);
    for (size_t i = 0; !status && !*proven && !*expensive && left > 0 && i < sizeof shares / sizeof *shares; i++)
        status = try_larger(w, shares[i], seconds, &left, near, proven, err);
    return status;
}
