#include "verify/proof/equations.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "data/matrix.h"
#include "verify/proof/exact.h"
#include "verify/proof/padic.h"

#include <math.h>
#include <string.h>

void hsp_equations_clear(hsp_equations *e) {
    HSP_FREE(e->begin, e->column, e->unknown, e->mantissa, e->shift, e->value);
    *e = (hsp_equations){0};
}

/* Counts the non-zeros of each column j over the rows into at[j]; returns their sum. */
static int64_t count_columns(const hsp_matrix *x, const int64_t *row, int64_t k, int64_t *at) {
    int64_t nonzeros = 0;
    for (int64_t s = 0; s < k; s++) {
        hsp_row r = hsp_matrix_row(x, row[s]);
        for (int64_t t = 0; t < r.count; t++) {
            if (hsp_row_value(r, t) == 0) continue;
            at[hsp_row_id(r, t)]++;
            nonzeros++;
        }
    }
    return nonzeros;
}

static void set_coefficient(hsp_equations *e, int64_t t, int64_t s, double v) {
    int exponent;
    e->unknown[t] = (int32_t)s;
    e->value[t] = v;
    e->mantissa[t] = hsp_exact_split(v, &exponent);
    e->shift[t] = (int16_t)exponent;
}

/* Subtracts the least exponent of each equation: what is left are the shifts. */
static void exponents_to_shifts(hsp_equations *e) {
    for (int64_t i = 0; i < e->count; i++) {
        int16_t least = INT16_MAX;
        for (int64_t t = e->begin[i]; t < e->begin[i + 1]; t++) least = e->shift[t] < least ? e->shift[t] : least;
        for (int64_t t = e->begin[i]; t < e->begin[i + 1]; t++) e->shift[t] = (int16_t)(e->shift[t] - least);
    }
}

/* Sets where each equation begins. at[j] held the count of column j and becomes where its equation begins. */
static void lay_out(const hsp_rows_by_side *q, int64_t k, int64_t *at, hsp_equations *e) {
    int64_t next = 0;
    e->begin[0] = 0;
    e->count = 0;
    if (!q->origin) {
        for (int64_t s = 0; s < k; s++) set_coefficient(e, s, s, 1);
        e->column[e->count] = -1;
        next = e->begin[++e->count] = k;
    }
    for (int64_t j = 0; j < q->x->d; j++) {
        if (at[j] == 0) continue;
        int64_t begin = next;
        next += at[j];
        at[j] = begin;
        e->column[e->count] = j;
        e->begin[++e->count] = next;
    }
}

int hsp_equations_new(const hsp_rows_by_side *q, const int64_t *row, int64_t k, hsp_equations *out, hsp_error **err) {
    *out = (hsp_equations){.unknowns = k};
    if (k > INT32_MAX) return hsp_fail_memory(err);
    int64_t *at = hsp_alloc_zero(q->x->d + 1, sizeof *at);
    if (!at) return hsp_fail_memory(err);
    int64_t nonzeros = count_columns(q->x, row, k, at) + (q->origin ? 0 : k), columns = 0;
    for (int64_t j = 0; j < q->x->d; j++) columns += at[j] > 0;
    bool whole = HSP_ALLOC(out->begin, columns + 2) && HSP_ALLOC(out->column, columns + 1) &&
                 HSP_ALLOC(out->unknown, nonzeros + 1) && HSP_ALLOC(out->mantissa, nonzeros + 1) &&
                 HSP_ALLOC(out->shift, nonzeros + 1) && HSP_ALLOC(out->value, nonzeros + 1);
    if (whole) {
        lay_out(q, k, at, out);
        /* Column by column: at[j] is where the next coefficient of column j goes. */
        for (int64_t s = 0; s < k; s++) {
            hsp_row r = hsp_matrix_row(q->x, row[s]);
            for (int64_t t = 0; t < r.count; t++) {
                double v = hsp_row_value(r, t);
                if (v != 0) set_coefficient(out, at[hsp_row_id(r, t)]++, s, v);
            }
        }
        exponents_to_shifts(out);
    }
    hsp_free(at);
    return whole ? HSP_OK : hsp_fail_memory(err);
}

void hsp_equations_coefficient(const hsp_equations *e, int64_t t, hsp_integer out) {
    hsp_integer_set_int(out, e->mantissa[t]);
    hsp_integer_shift_up(out, out, e->shift[t]);
}

double hsp_equations_bits(const hsp_equations *e, int64_t i) {
    double most = 0;
    for (int64_t t = e->begin[i]; t < e->begin[i + 1]; t++)
        most = fmax(most, log2(fabs((double)e->mantissa[t])) + e->shift[t]);
    return most + 0.5 * log2((double)(e->begin[i + 1] - e->begin[i]));
}

bool hsp_equations_holds(const hsp_equations *e, int64_t i, hsp_integer *z, hsp_integer sum, hsp_integer part) {
    hsp_integer_set_unsigned(sum, 0);
    for (int64_t t = e->begin[i]; t < e->begin[i + 1]; t++) {
        hsp_integer_mul_int(part, z[e->unknown[t]], e->mantissa[t]);
        if (e->shift[t] > 0) hsp_integer_shift_up(part, part, e->shift[t]);
        hsp_integer_add(sum, sum, part);
    }
    return hsp_integer_sign(sum) == 0;
}

static uint64_t coefficient_mod(const hsp_equations *e, int64_t t, uint64_t p) {
    int64_t m = e->mantissa[t];
    uint64_t v = m < 0 ? p - (uint64_t)-m : (uint64_t)m; /* below 2^53 in size */
    for (int left = e->shift[t]; left > 0; left -= 60) {
        int some = left < 60 ? left : 60;
        v = (uint64_t)(((unsigned __int128)v << some) % p);
    }
    return v;
}

/* Reduces equation i by the `rank` equations of the basis and appends what is left, scaled so that its pivot is 1. False:
 * it depends on them. */
static bool extend_basis(const hsp_equations *e, int64_t i, const int64_t *order, uint64_t p, uint64_t *basis,
                         int64_t *unknown, int64_t rank) {
    int64_t k = e->unknowns, at = 0;
    uint64_t *row = basis + rank * k;
    memset(row, 0, (size_t)k * sizeof *row);
    for (int64_t t = e->begin[i]; t < e->begin[i + 1]; t++) row[e->unknown[t]] = coefficient_mod(e, t, p);
    for (int64_t b = 0; b < rank; b++) hsp_subtract_mod(row, basis + b * k, k, row[unknown[b]], p);
    while (at < k && row[order[at]] == 0) at++;
    if (at == k) return false;
    unknown[rank] = order[at];
    hsp_factor_mod f = hsp_factor_mod_of(hsp_inverse_mod(row[order[at]], p), p);
    for (int64_t s = 0; s < k; s++) row[s] = hsp_factor_mod_times(f, row[s]);
    return true;
}

int hsp_equations_pivots(const hsp_equations *e, const int64_t *order, int prime, double seconds, int64_t *equation,
                         int64_t *unknown, int64_t *rank, hsp_error **err) {
    const double each = 2e-9; /* seconds to subtract one number */
    int64_t k = e->unknowns, most = k - 1 < e->count ? k - 1 : e->count;
    *rank = -1;
    if (k > HSP_EQUATIONS_MOST) return HSP_OK;
    uint64_t *basis = hsp_alloc((most + 1) * k, sizeof *basis);
    if (!basis) return hsp_fail_memory(err);
    *rank = 0;
    for (int64_t i = 0; i < e->count && *rank < most && !hsp_cancel_pending(); i++) {
        seconds -= each * (double)(k * *rank);
        if (seconds < 0) {
            *rank = -1;
            break;
        }
        if (extend_basis(e, i, order, hsp_padic_prime[prime], basis, unknown, *rank)) equation[(*rank)++] = i;
    }
    hsp_free(basis);
    return HSP_OK;
}
