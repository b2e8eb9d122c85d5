/* The features are in three groups: the grids of the crosses, the products of numbers j <= k, the Fourier features. */
#include "table/expand.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/matrix.h"
#include "kernel/kernel.h"
#include "table/fourier.h"

#include <float.h>
#include <math.h>

void hsp_expansion_free(hsp_expansion *x) {
    if (!x) return;
    HSP_FREE(x->cross, x->number, x->mean, x->scale, x->direction, x->phase, x);
}

/* ---- sizes ---- */

static int64_t grid_size(const hsp_encoding *e, const int64_t *cross) {
    int64_t a = e->column[cross[0]].features, b = e->column[cross[1]].features, cells;
    return __builtin_mul_overflow(a, b, &cells) ? INT64_MAX : cells;
}

/* Pairs j <= k of n. */
static int64_t count_pairs(int64_t n) {
    return n > INT32_MAX ? INT64_MAX : n * (n + 1) / 2;
}

static int64_t count_products(const hsp_expansion *x) {
    return x->degree > 1 ? count_pairs(x->numbers) : 0;
}

/* Adds b to *a; false: that is more than HSP_EXPAND_MOST. */
static bool add_features(int64_t *a, int64_t b) {
    if (b > HSP_EXPAND_MOST - *a) return false;
    *a += b;
    return true;
}

int64_t hsp_expansion_features(const hsp_encoding *e, const hsp_expansion *x, int64_t *cross) {
    int64_t sum = 0;
    *cross = 0;
    while (*cross < x->crosses && add_features(&sum, grid_size(e, x->cross[*cross]))) ++*cross;
    if (*cross < x->crosses || !add_features(&sum, count_products(x)) || !add_features(&sum, x->fourier)) return -1;
    int64_t directions;
    if (__builtin_mul_overflow(x->fourier, x->numbers, &directions) || directions > HSP_FOURIER_MOST) return -1;
    return sum;
}

int hsp_expansion_numbers(const hsp_encoding *e, hsp_expansion *x) {
    for (int64_t j = 0; j < e->raw.d; j++) x->numbers += hsp_column_numbers(&e->column[j]);
    if (!HSP_ALLOC(x->number, x->numbers)) return HSP_EMEMORY;
    for (int64_t j = 0, t = 0; j < e->raw.d; j++) {
        const hsp_table_column *c = &e->column[j];
        for (int64_t k = 0; k < hsp_column_numbers(c); k++) x->number[t++] = (uint32_t)(c->first + k);
    }
    return 0;
}

/* ---- learning ---- */

static int fail_large(const hsp_encoding *e, const hsp_expansion *x, int64_t cross, hsp_error **err) {
    if (cross < x->crosses) {
        const hsp_table_column *a = &e->column[x->cross[cross][0]], *b = &e->column[x->cross[cross][1]];
        return hsp_fail(err, HSP_EUSAGE,
                        "--cross %s:%s gives %lld x %lld features, and at most %d are allowed in all: leave it out, or use "
                        "a larger --min-count",
                        a->name, b->name, (long long)a->features, (long long)b->features, HSP_EXPAND_MOST);
    }
    if (count_products(x) > HSP_EXPAND_MOST)
        return hsp_fail(
            err, HSP_EUSAGE,
            "--degree 2 of %lld numeric columns gives more than %d features: leave it out, or --ignore some columns",
            (long long)x->numbers, HSP_EXPAND_MOST);
    return hsp_fail(err, HSP_EUSAGE, "--rff %lld of %lld numeric columns gives too many features: use a smaller number",
                    (long long)x->fourier, (long long)x->numbers);
}

static int apply_rules(const hsp_encoding *e, hsp_expansion *x, hsp_error **err) {
    const hsp_table_rules *r = &e->rules;
    x->first = e->base;
    x->crosses = r->crosses;
    x->degree = r->degree;
    x->fourier = r->fourier;
    x->seed = r->seed;
    if (HSP_COPY(x->cross, r->cross, r->crosses) || hsp_expansion_numbers(e, x)) return hsp_fail_memory(err);
    for (int64_t t = 0; t < 2 * x->crosses; t++) {
        const hsp_table_column *c = &e->column[x->cross[t / 2][t % 2]];
        if (c->kind->left_out)
            return hsp_fail(err, HSP_EUSAGE,
                            "--cross cannot use column '%s', which is ignored: encode it with --categorical '%s'", c->name,
                            c->name);
    }
    if (x->numbers == 0 && (x->fourier > 0 || x->degree > 1))
        return hsp_fail(err, HSP_EUSAGE, "%s needs numeric columns, and there are none: leave it out",
                        x->fourier > 0 ? "--rff" : "--degree 2");
    if (x->fourier > 0) x->gamma = isnan(r->fourier_gamma) ? 1 / (double)x->numbers : r->fourier_gamma;
    return HSP_OK;
}

/* Fourier features are dense: fails early if they and their directions would not fit into memory. */
static int check_memory(const hsp_expansion *x, int64_t n, hsp_error **err) {
    double numbers = (double)x->fourier * ((double)n + (double)x->numbers), mega = 1048576;
    double need = numbers * sizeof(double), have = (double)hsp_memory_limit();
    if (need <= 0.9 * have) return HSP_OK;
    return hsp_fail(err, HSP_EUSAGE,
                    "--rff %lld in %lld rows needs %lld MiB, and this machine has %lld: use a smaller number",
                    (long long)x->fourier, (long long)n, (long long)(need / mega), (long long)(have / mega));
}

int hsp_expansion_learn(const hsp_encoding *e, const hsp_frame *f, int threads, hsp_expansion **out, hsp_error **err) {
    const hsp_table_rules *r = &e->rules;
    *out = NULL;
    if (r->crosses == 0 && r->degree <= 1 && r->fourier == 0) return HSP_OK;
    hsp_expansion *x = hsp_alloc_zero(1, sizeof *x);
    if (!x) return hsp_fail_memory(err);
    int64_t cross;
    int status = apply_rules(e, x, err);
    if (!status) {
        x->features = hsp_expansion_features(e, x, &cross);
        if (x->features < 0) status = fail_large(e, x, cross, err);
    }
    if (!status) status = check_memory(x, f->n, err);
    if (!status && x->fourier > 0) {
        status = hsp_fourier_learn(e, f, threads, x, err);
        if (!status && hsp_fourier_make(x)) status = hsp_fail_memory(err);
    }
    if (status)
        hsp_expansion_free(x);
    else
        *out = x;
    return status;
}

/* ---- rows ---- */

int64_t hsp_expansion_most(const hsp_encoding *e, int64_t count) {
    const hsp_expansion *x = e->expansion;
    if (!x) return 0;
    int64_t sum = x->fourier;
    for (int64_t t = 0; t < x->crosses; t++) {
        int64_t a = e->column[x->cross[t][0]].features, b = e->column[x->cross[t][1]].features;
        sum += (a < count ? a : count) * (b < count ? b : count);
    }
    if (x->degree > 1) sum += count_pairs(x->numbers < count ? x->numbers : count);
    return sum;
}

/* Products of new rows are clamped to finite numbers; of training rows they never overflow (check_products). */
static double finite_product(double a, double b) {
    double p = a * b;
    return isfinite(p) ? p : copysign(DBL_MAX, p);
}

static void expand_cross(const hsp_table_column *a, const hsp_table_column *b, int64_t first, int64_t n, hsp_emit *row) {
    hsp_row entries = hsp_row_sparse(n, row->id, row->value);
    int64_t a_begin = hsp_row_find(entries, a->first), a_end = hsp_row_find(entries, a->first + a->features);
    int64_t b_begin = hsp_row_find(entries, b->first), b_end = hsp_row_find(entries, b->first + b->features);
    for (int64_t s = a_begin; s < a_end; s++) {
        int64_t line = first + (row->id[s] - a->first) * b->features - b->first;
        for (int64_t t = b_begin; t < b_end; t++)
            hsp_emit_one(row, line + row->id[t], finite_product(row->value[s], row->value[t]));
    }
}

/* The index of the product of number j with itself, the first with j as its smaller index. */
static int64_t first_product(int64_t numbers, int64_t j) {
    return j * numbers - j * (j - 1) / 2;
}

/* Finds the numbers that are not 0, their indices and values; how many. */
static int64_t find_numbers(const hsp_expansion *x, const hsp_emit *row, int64_t n, int64_t *at, double *value) {
    int64_t count = 0;
    for (int64_t t = 0, j = 0; t < n && j < x->numbers; t++) {
        while (j < x->numbers && x->number[j] < row->id[t]) j++;
        if (j == x->numbers || x->number[j] != row->id[t]) continue;
        at[count] = j;
        value[count++] = row->value[t];
    }
    return count;
}

/* z: scratch for the standardised numbers. */
static void expand_fourier(const hsp_expansion *x, int64_t first, int64_t count, const int64_t *at, const double *value,
                           double *z, hsp_emit *row) {
    for (int64_t j = 0; j < x->numbers; j++) z[j] = -x->mean[j] * x->scale[j];
    for (int64_t t = 0; t < count; t++) z[at[t]] = (value[t] - x->mean[at[t]]) * x->scale[at[t]];
    double height = sqrt(2 / (double)x->fourier);
    for (int64_t i = 0; i < x->fourier; i++) {
        double angle = hsp_dot_f64(x->direction + i * x->numbers, z, x->numbers) + x->phase[i];
        hsp_emit_one(row, first + i, height * hsp_cosine(angle));
    }
}

int hsp_expand_row(const hsp_encoding *e, hsp_encode_room *room, hsp_emit *row) {
    const hsp_expansion *x = e->expansion;
    if (!x) return 0;
    int64_t n = row->count, first = x->first;
    for (int64_t t = 0; t < x->crosses; t++) {
        const int64_t *cross = x->cross[t];
        expand_cross(&e->column[cross[0]], &e->column[cross[1]], first, n, row);
        first += grid_size(e, cross);
    }
    if (x->degree <= 1 && x->fourier == 0) return 0;
    if (hsp_reserve(&room->scratch, &room->scratch_capacity, x->numbers * (int64_t)sizeof(int64_t), 1) ||
        HSP_RESERVE(room->sums, room->sums_capacity, 2 * x->numbers))
        return HSP_EMEMORY;
    int64_t *at = room->scratch, count = find_numbers(x, row, n, at, room->sums);
    if (x->degree > 1) {
        for (int64_t s = 0; s < count; s++) {
            int64_t line = first + first_product(x->numbers, at[s]) - at[s];
            for (int64_t t = s; t < count; t++)
                hsp_emit_one(row, line + at[t], finite_product(room->sums[s], room->sums[t]));
        }
    }
    first += count_products(x);
    if (x->fourier > 0) expand_fourier(x, first, count, at, room->sums, room->sums + x->numbers, row);
    return 0;
}

/* ---- names ---- */

/* The column of feature `id`. */
static const hsp_table_column *find_column(const hsp_encoding *e, int64_t id) {
    int64_t low = 0, high = e->raw.d - 1;
    while (low < high) { /* the last that begins at or before it; those without features begin where the next does */
        int64_t middle = (low + high + 1) / 2;
        if (e->column[middle].first <= id)
            low = middle;
        else
            high = middle - 1;
    }
    return &e->column[low];
}

static void name_number(const hsp_encoding *e, int64_t j, hsp_text *t) {
    int64_t id = e->expansion->number[j];
    const hsp_table_column *c = find_column(e, id);
    c->kind->feature(c, id - c->first, t);
}

static void name_product(const hsp_encoding *e, int64_t k, hsp_text *t) {
    int64_t numbers = e->expansion->numbers, low = 0, high = numbers - 1;
    while (low < high) {
        int64_t middle = (low + high + 1) / 2;
        if (first_product(numbers, middle) <= k)
            low = middle;
        else
            high = middle - 1;
    }
    int64_t other = low + k - first_product(numbers, low);
    name_number(e, low, t);
    if (other == low) {
        hsp_text_add(t, "^2");
    } else {
        hsp_text_char(t, '*');
        name_number(e, other, t);
    }
}

void hsp_expansion_feature(const hsp_encoding *e, int64_t k, hsp_text *t) {
    const hsp_expansion *x = e->expansion;
    for (int64_t s = 0; s < x->crosses; s++) {
        const hsp_table_column *a = &e->column[x->cross[s][0]], *b = &e->column[x->cross[s][1]];
        int64_t cells = grid_size(e, x->cross[s]);
        if (k < cells) {
            a->kind->feature(a, k / b->features, t);
            hsp_text_char(t, '*');
            b->kind->feature(b, k % b->features, t);
            return;
        }
        k -= cells;
    }
    if (k < count_products(x)) {
        name_product(e, k, t);
        return;
    }
    hsp_text_add(t, "rff:");
    hsp_text_int(t, k - count_products(x) + 1);
}
