/* The revised simplex method with the inverse of the basis as integers over its determinant: all divisions are exact
 * (Edmonds 1967). The first basis is one row and the |z_j| that it needs. The steepest column enters; after many degenerate
 * steps the first one does (Bland 1977), which cannot cycle. */
#include "separate/rational.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/matrix.h"
#include "verify/proof/exact.h"

#include <math.h>

/* Variables: the multipliers of rows 0 .. n-1; then for each coordinate the parts z > 0 and z < 0; then minus the
 * multipliers of rows of free sign. */
static int64_t z_of(const hsp_rational *l, int64_t j, int sign) {
    return l->n + 2 * j + (sign < 0);
}

static bool is_z(const hsp_rational *l, int64_t v) {
    return v >= l->n && v < l->n + 2 * l->p;
}

void hsp_rational_free(hsp_rational *l) {
    hsp_integers_free(l->A, l->n * l->p);
    hsp_integers_free(l->adjugate, l->r * l->r);
    hsp_integers_free(l->price, l->r);
    hsp_integers_free(l->direction, l->r);
    hsp_integers_free(l->m, l->n);
    if (l->ready) HSP_INTEGERS_FREE(l->determinant, l->part, l->other);
    hsp_integer_memory_free(&l->memory);
    HSP_FREE(l->column, l->low, l->scale, l->top, l->weight, l->role, l->basis);
    *l = (hsp_rational){0};
}

/* ---- the numbers ---- */

enum { NEVER = INT32_MAX };

/* The least exponent of each column over the rows that count, NEVER if it is all 0, and one more than the greatest. False:
 * some number is not finite. */
static bool find_exponents(const hsp_rows_by_side *q, int *low, int *high) {
    for (int64_t j = 0; j < q->x->d; j++) low[j] = NEVER, high[j] = -NEVER;
    for (int64_t i = 0; i < q->x->n; i++) {
        hsp_row r = q->y[i] ? hsp_matrix_row(q->x, i) : (hsp_row){0};
        for (int64_t t = 0; t < r.count; t++) {
            double v = hsp_row_value(r, t);
            int64_t j = hsp_row_id(r, t);
            int e;
            if (!isfinite(v)) return false;
            if (hsp_exact_split(v, &e) == 0) continue;
            if (e < low[j]) low[j] = e;
            e = ilogb(v) + 1;
            if (e > high[j]) high[j] = e;
        }
    }
    return true;
}

/* Estimated seconds for a step; bits: of the determinant. */
static double step_seconds(double rows, double p, double entry_bits, double bits) {
    double limbs = bits / 64 + 1, short_limbs = entry_bits / 64 + 1;
    double pricing = rows * p * (2.5e-8 + 0.7e-9 * limbs * short_limbs);
    return pricing + (p + 1) * (p + 1) * (1.2e-7 + 3e-9 * limbs * limbs);
}

int hsp_rational_estimate(const hsp_rows_by_side *q, double *seconds, hsp_error **err) {
    int64_t d = q->x->d, rows = 0, p = q->origin ? 0 : 1;
    for (int64_t i = 0; i < q->x->n; i++) rows += q->y[i] != 0;
    *seconds = INFINITY;
    if (d > 400 || rows > 20000) return HSP_OK;
    int *low = hsp_alloc(2 * d + 1, sizeof *low);
    if (!low) return hsp_fail_memory(err);
    double total = 0, most = 1;
    if (find_exponents(q, low, low + d)) {
        for (int64_t j = 0; j < d; j++) {
            if (low[j] == NEVER) continue;
            p++;
            total += low[d + j] - low[j];
            most = fmax(most, low[d + j] - low[j]);
        }
        *seconds = 3 * (double)(p + 1) * step_seconds((double)rows, (double)p, most, total);
    }
    hsp_free(low);
    return HSP_OK;
}

/* Makes the columns that are not 0 coordinates; place[j] is the coordinate of column j, or -1. */
static void choose_coordinates(hsp_rational *l, const hsp_rows_by_side *q, const int *low, int64_t *place) {
    l->p = 0;
    for (int64_t j = 0; j < q->x->d; j++) {
        place[j] = low[j] == NEVER ? -1 : l->p;
        if (low[j] == NEVER) continue;
        l->column[l->p] = j;
        l->low[l->p++] = low[j];
    }
    if (q->origin) return;
    l->column[l->p] = -1;
    l->low[l->p++] = 0;
}

static void fill_row(hsp_rational *l, const hsp_rows_by_side *q, int64_t i, const int64_t *place) {
    hsp_row r = hsp_matrix_row(q->x, i);
    hsp_integer *a = l->A + i * l->p;
    int64_t least = q->origin ? INT64_MAX : 0;
    int e;
    for (int64_t t = 0; q->origin && t < r.count; t++) {
        int64_t j = hsp_row_id(r, t);
        if (hsp_exact_split(hsp_row_value(r, t), &e) != 0 && e - l->low[place[j]] < least) least = e - l->low[place[j]];
    }
    l->scale[i] = least == INT64_MAX ? 0 : least;
    for (int64_t t = 0; t < r.count; t++) {
        int64_t j = hsp_row_id(r, t), m = hsp_exact_split(hsp_row_value(r, t), &e);
        if (m == 0) continue;
        hsp_integer_set_int(a[place[j]], q->y[i] * m);
        hsp_integer_shift_up(a[place[j]], a[place[j]], (e - l->low[place[j]] - l->scale[i]));
    }
    if (!q->origin) hsp_integer_set_int(a[l->p - 1], q->y[i]);
}

/* Chooses c and r. */
static void choose_weights(hsp_rational *l) {
    int64_t least = 0;
    for (int64_t j = 0; j < l->p; j++) l->top[j] = 1;
    for (int64_t k = 0; k < l->n * l->p; k++) {
        int64_t bits = hsp_integer_bits(l->A[k]);
        if (bits > l->top[k % l->p]) l->top[k % l->p] = bits;
        l->bits = fmax(l->bits, (double)bits);
    }
    for (int64_t i = 0; i < l->n; i++) {
        int64_t size = INT64_MIN;
        for (int64_t j = 0; j < l->p; j++) {
            const hsp_integer *a = (const hsp_integer *)&l->A[i * l->p + j];
            int64_t mine = hsp_integer_bits(*a) - l->top[j];
            if (hsp_integer_sign(*a) != 0 && mine > size) size = mine;
        }
        l->weight[i] = size == INT64_MIN ? 0 : size;
        if (l->weight[i] < least) least = l->weight[i];
    }
    for (int64_t i = 0; i < l->n; i++) l->weight[i] -= least;
}

int hsp_rational_new(hsp_rational *l, const hsp_rows_by_side *q, double most, hsp_error **err) {
    int64_t n = q->x->n, d = q->x->d;
    *l = (hsp_rational){.n = n, .most = most};
    int *low = hsp_alloc(2 * d + 1, sizeof *low);
    int64_t *place = hsp_alloc(d + 1, sizeof *place);
    bool whole = low && place && HSP_ALLOC(l->column, d + 1) && HSP_ALLOC(l->low, d + 1) && HSP_ALLOC(l->top, d + 1) &&
                 HSP_ALLOC_ZERO(l->scale, n + 1) && HSP_ALLOC_ZERO(l->weight, n + 1) && HSP_ALLOC_ZERO(l->role, n + 1);
    if (whole) {
        find_exponents(q, low, low + d);
        choose_coordinates(l, q, low, place);
        l->r = l->p + 1;
        l->A = hsp_integers_new(&l->memory, n * l->p);
        l->adjugate = hsp_integers_new(&l->memory, l->r * l->r);
        l->price = hsp_integers_new(&l->memory, l->r);
        l->direction = hsp_integers_new(&l->memory, l->r);
        l->m = hsp_integers_new(&l->memory, n);
        whole = l->A && l->adjugate && l->price && l->direction && l->m && HSP_ALLOC(l->basis, l->r);
    }
    if (whole) {
        HSP_INTEGERS_INIT(&l->memory, l->determinant, l->part, l->other);
        l->ready = true;
        for (int64_t i = 0; i < n; i++) {
            l->role[i] = q->y[i] ? HSP_ROLE_COUNTS : HSP_ROLE_OUT;
            if (q->y[i]) fill_row(l, q, i, place);
        }
        choose_weights(l);
    }
    HSP_FREE(low, place);
    return whole && !l->memory.failed ? HSP_OK : hsp_fail_memory(err);
}

static void subtract_least(int64_t *v, int64_t n) {
    int64_t least = INT64_MAX;
    for (int64_t i = 0; i < n; i++) least = v[i] < least ? v[i] : least;
    for (int64_t i = 0; i < n; i++) v[i] -= least;
}

void hsp_rational_reweigh(hsp_rational *l) {
    int64_t unit = hsp_integer_bits(l->determinant), p = l->p;
    for (int64_t i = 0; i < l->n; i++) {
        int64_t size = INT64_MIN;
        for (int64_t j = 0; j < p; j++) {
            const hsp_integer *a = (const hsp_integer *)&l->A[i * p + j], *v = (const hsp_integer *)&l->price[j];
            if (hsp_integer_sign(*a) == 0 || hsp_integer_sign(*v) == 0) continue;
            int64_t mine = (int64_t)(hsp_integer_bits(*a) + hsp_integer_bits(*v)) - unit;
            size = mine > size ? mine : size;
        }
        if (size > INT64_MIN) l->weight[i] = size;
    }
    for (int64_t j = 0; j < p; j++) {
        int64_t most = INT64_MIN;
        for (int64_t i = 0; i < l->n; i++) {
            const hsp_integer *a = (const hsp_integer *)&l->A[i * p + j];
            int64_t mine = hsp_integer_bits(*a) - l->weight[i];
            if (hsp_integer_sign(*a) != 0 && mine > most) most = mine;
        }
        if (hsp_integer_sign(l->price[j]) != 0) most = unit - hsp_integer_bits(l->price[j]);
        l->top[j] = most > INT64_MIN ? most : 0;
    }
    subtract_least(l->weight, l->n);
    subtract_least(l->top, p);
}

/* ---- the method ---- */

/* The first basis: row i and the z that it needs. */
static void take_first_basis(hsp_rational *l, int64_t i) {
    int64_t r = l->r, total = 0;
    for (int64_t j = 0; j < l->p; j++) total += l->top[j];
    for (int64_t k = 0; k < r * r; k++) hsp_integer_set_unsigned(l->adjugate[k], 0);
    for (int64_t j = 0; j < l->p; j++) {
        hsp_integer *row = l->adjugate + j * r;
        const hsp_integer *a = (const hsp_integer *)&l->A[i * l->p + j];
        int sign = hsp_integer_sign(*a) < 0 ? -1 : 1;
        hsp_integer_set_int(row[j], -sign);
        hsp_integer_shift_up(row[j], row[j], (total - l->top[j] + l->weight[i]));
        hsp_integer_abs(row[r - 1], *a);
        hsp_integer_shift_up(row[r - 1], row[r - 1], (total - l->top[j]));
        l->basis[j] = z_of(l, j, sign);
    }
    hsp_integer_set_unsigned(l->adjugate[r * r - 1], 1);
    hsp_integer_shift_up(l->adjugate[r * r - 1], l->adjugate[r * r - 1], total);
    hsp_integer_set_unsigned(l->determinant, 1);
    hsp_integer_shift_up(l->determinant, l->determinant, (total + l->weight[i]));
    l->basis[r - 1] = i;
}

/* Finds the prices (dual variables); false: all z are 0, so the distance is 0. */
static bool find_prices(hsp_rational *l) {
    int64_t r = l->r;
    bool positive = false;
    for (int64_t k = 0; k < r; k++) hsp_integer_set_unsigned(l->price[k], 0);
    for (int64_t k = 0; k < r; k++) {
        if (!is_z(l, l->basis[k])) continue;
        positive |= hsp_integer_sign(l->adjugate[k * r + r - 1]) != 0;
        for (int64_t t = 0; t < r; t++) hsp_integer_add(l->price[t], l->price[t], l->adjugate[k * r + t]);
    }
    return positive;
}

/* l->part = the reduced cost of row i without its place in the sum, times the determinant. */
static void reduce_row(hsp_rational *l, int64_t i) {
    hsp_integer_set_unsigned(l->part, 0);
    for (int64_t j = 0; j < l->p; j++) hsp_integer_sub_product(l->part, l->A[i * l->p + j], l->price[j]);
}

/* The steepest variable so far, with part 2^-weight = -size 2^exponent. */
typedef struct steepest {
    int64_t v;
    double size;
    int64_t exponent;
} steepest;

/* Replaces *best by variable v, whose reduced cost is in l->part, if that is steeper. first: keep the first instead. */
static void keep_steepest(hsp_rational *l, int64_t v, int64_t weight, bool first, steepest *best) {
    if (hsp_integer_sign(l->part) >= 0 || (first && best->v >= 0)) return;
    int64_t e;
    double size = -hsp_integer_split(l->part, &e);
    int64_t exponent = e - weight;
    if (best->v >= 0 && (exponent < best->exponent || (exponent == best->exponent && size <= best->size))) return;
    *best = (steepest){v, size, exponent};
}

/* The entering variable, the steepest or (first) the first with a negative reduced cost; -1: optimal. */
static int64_t find_entering(hsp_rational *l, bool first) {
    steepest best = {.v = -1};
    for (int64_t i = 0; i < l->n && !(first && best.v >= 0); i++) {
        if (l->role[i] == HSP_ROLE_OUT) continue;
        reduce_row(l, i);
        if (l->role[i] == HSP_ROLE_COUNTS) {
            hsp_integer_shift_up(l->other, l->price[l->r - 1], l->weight[i]);
            hsp_integer_sub(l->part, l->part, l->other);
        }
        keep_steepest(l, i, l->weight[i], first, &best);
    }
    for (int64_t j = 0; j < l->p && !(first && best.v >= 0); j++)
        for (int sign = 1; sign >= -1; sign -= 2) {
            hsp_integer_shift_up(l->part, l->price[j], l->top[j]);
            if (sign < 0) hsp_integer_negate(l->part);
            hsp_integer_add(l->part, l->part, l->determinant);
            keep_steepest(l, z_of(l, j, sign), 0, first, &best);
        }
    for (int64_t i = 0; i < l->n && !(first && best.v >= 0); i++) {
        if (l->role[i] != HSP_ROLE_FREE_SIGN) continue;
        reduce_row(l, i);
        hsp_integer_negate(l->part);
        keep_steepest(l, l->n + 2 * l->p + i, l->weight[i], first, &best);
    }
    return best.v;
}

/* direction = adjugate times the column of v. */
static void find_direction(hsp_rational *l, int64_t v) {
    int64_t r = l->r;
    for (int64_t k = 0; k < r; k++) {
        hsp_integer *out = &l->direction[k], *row = l->adjugate + k * r;
        if (is_z(l, v)) {
            int64_t j = (v - l->n) / 2;
            hsp_integer_shift_up(*out, row[j], l->top[j]);
            if ((v - l->n) % 2 == 0) hsp_integer_negate(*out);
            continue;
        }
        int64_t i = v < l->n ? v : v - l->n - 2 * l->p;
        hsp_integer_set_unsigned(*out, 0);
        for (int64_t j = 0; j < l->p; j++) hsp_integer_add_product(*out, row[j], l->A[i * l->p + j]);
        if (l->role[i] == HSP_ROLE_COUNTS) {
            hsp_integer_shift_up(l->part, row[r - 1], l->weight[i]);
            hsp_integer_add(*out, *out, l->part);
        }
        if (v >= l->n) hsp_integer_negate(*out);
    }
}

/* The place in the basis that leaves: the least ratio x / direction; of equal ones the first variable. */
static int64_t find_leaving(hsp_rational *l) {
    int64_t r = l->r, best = -1;
    for (int64_t k = 0; k < r; k++) {
        if (hsp_integer_sign(l->direction[k]) <= 0) continue;
        int order = -1;
        if (best >= 0) {
            hsp_integer_mul(l->part, l->adjugate[k * r + r - 1], l->direction[best]);
            hsp_integer_mul(l->other, l->adjugate[best * r + r - 1], l->direction[k]);
            order = hsp_integer_compare(l->part, l->other);
        }
        if (order < 0 || (order == 0 && l->basis[k] < l->basis[best])) best = k;
    }
    return best;
}

static void exchange(hsp_rational *l, int64_t at, int64_t v) {
    int64_t r = l->r;
    const hsp_integer *pivot = (const hsp_integer *)&l->direction[at];
    for (int64_t k = 0; k < r; k++) {
        if (k == at) continue;
        for (int64_t t = 0; t < r; t++) {
            hsp_integer *cell = &l->adjugate[k * r + t];
            hsp_integer_mul(l->part, *cell, *pivot);
            hsp_integer_sub_product(l->part, l->direction[k], l->adjugate[at * r + t]);
            hsp_integer_divide_exactly(*cell, l->part, l->determinant);
        }
    }
    hsp_integer_set(l->determinant, *pivot);
    l->basis[at] = v;
}

static void read_multipliers(hsp_rational *l) {
    int64_t r = l->r;
    for (int64_t i = 0; i < l->n; i++) hsp_integer_set_unsigned(l->m[i], 0);
    for (int64_t k = 0; k < r; k++) {
        int64_t v = l->basis[k];
        if (is_z(l, v)) continue;
        int64_t i = v < l->n ? v : v - l->n - 2 * l->p;
        if (v < l->n)
            hsp_integer_add(l->m[i], l->m[i], l->adjugate[k * r + r - 1]);
        else
            hsp_integer_sub(l->m[i], l->m[i], l->adjugate[k * r + r - 1]);
    }
}

hsp_rational_end hsp_rational_solve(hsp_rational *l, bool (*stop)(const void *ctx), const void *ctx) {
    int64_t rows = 0, first = -1, idle = 0;
    for (int64_t i = 0; i < l->n; i++) {
        rows += l->role[i] != HSP_ROLE_OUT;
        if (first < 0 && l->role[i] == HSP_ROLE_COUNTS) first = i;
    }
    take_first_basis(l, first);
    while (find_prices(l)) {
        int64_t v = find_entering(l, idle > 2 * l->r);
        if (l->memory.failed) return HSP_RATIONAL_STOPPED;
        if (v < 0) return HSP_RATIONAL_PLANE;
        find_direction(l, v);
        int64_t at = find_leaving(l);
        if (at < 0 || l->memory.failed) return HSP_RATIONAL_STOPPED; /* cannot be: distances are bounded below */
        idle = hsp_integer_sign(l->adjugate[at * l->r + l->r - 1]) == 0 ? idle + 1 : 0;
        exchange(l, at, v);
        l->seconds += step_seconds((double)rows, (double)l->p, l->bits, (double)hsp_integer_bits(l->determinant));
        if (l->seconds > l->most || stop(ctx)) return HSP_RATIONAL_STOPPED;
    }
    read_multipliers(l);
    return l->memory.failed ? HSP_RATIONAL_STOPPED : HSP_RATIONAL_WITNESS;
}
