#include "design/columns.h"

#include "base/error.h"
#include "base/memory.h"
#include "kernel/form.h"

#include <math.h>

hsp_row hsp_column(const hsp_columns *C, int64_t j) {
    if (!C->start) return hsp_row_dense(C->n, (const double *)C->value + j * C->n);
    int64_t from = C->start[j];
    return (hsp_row){.count = C->start[j + 1] - from,
                     .id = (const char *)C->id + (size_t)from * hsp_ids_size(C->ids),
                     .value = (const char *)C->value + (size_t)from * hsp_coding_size(C->coding),
                     .ids = C->ids,
                     .coding = C->coding,
                     .table = C->table};
}

double hsp_column_dot(const hsp_columns *C, int64_t j, const double *r) {
    return hsp_column_factor(C, j) * hsp_row_dot(hsp_column(C, j), r);
}

void hsp_column_axpy(const hsp_columns *C, double a, int64_t j, double *r) {
    hsp_row_axpy(a * hsp_column_factor(C, j), hsp_column(C, j), r);
}

#define MOMENTS(form, id_type, COLUMN, type, VALUE)                                                           \
    static void moments_##form(hsp_row c, const double *h, double *restrict first, double *restrict second) { \
        HSP_ROW_ENTRIES(id_type, type, c);                                                                    \
        double one = 0, two = 0;                                                                              \
        for (int64_t t = 0; t < c.count; t++) {                                                               \
            double v = VALUE(x, table, t), hv = h[COLUMN(id, t)] * v;                                         \
            one += hv;                                                                                        \
            two += hv * v;                                                                                    \
        }                                                                                                     \
        *first = one;                                                                                         \
        *second = two;                                                                                        \
    }
HSP_EACH_FORM(MOMENTS)

#define MOMENTS_ENTRY(form, ...) moments_##form,
static void (*const moments[HSP_FORMS])(hsp_row, const double *, double *restrict,
                                        double *restrict) = {HSP_EACH_FORM(MOMENTS_ENTRY)};

void hsp_column_moments(const hsp_columns *C, int64_t j, const double *h, double *first, double *second) {
    hsp_row c = hsp_column(C, j);
    double f = hsp_column_factor(C, j);
    moments[hsp_row_form(c)](c, h, first, second);
    *first *= f;
    *second *= f * f;
}

#define PACK(form, id_type, COLUMN, type, VALUE)                                                             \
    static int64_t pack_##form(hsp_row c, const double *restrict pairs, double share, uint32_t *restrict to, \
                               float *restrict value, hsp_column_sums *sums) {                               \
        HSP_ROW_ENTRIES(id_type, type, c);                                                                   \
        double dot = 0, first = 0, second = 0;                                                               \
        int64_t count = 0;                                                                                   \
        for (int64_t t = 0; t < c.count; t++) {                                                              \
            int64_t i = COLUMN(id, t);                                                                       \
            double v = VALUE(x, table, t), s = pairs[2 * i + 1], sv = s * v;                                 \
            dot += pairs[2 * i] * v;                                                                         \
            first += s * sv;                                                                                 \
            second += sv * sv;                                                                               \
            to[count] = (uint32_t)i;                                                                         \
            value[count] = (float)(sv * share);                                                              \
            count += s != 0;                                                                                 \
        }                                                                                                    \
        *sums = (hsp_column_sums){dot, first, second};                                                       \
        return count;                                                                                        \
    }
HSP_EACH_FORM(PACK)

#define PACK_ENTRY(form, ...) pack_##form,
static int64_t (*const packs[HSP_FORMS])(hsp_row, const double *restrict, double, uint32_t *restrict, float *restrict,
                                         hsp_column_sums *) = {HSP_EACH_FORM(PACK_ENTRY)};

int64_t hsp_column_pack(const hsp_columns *C, int64_t j, const double *pairs, double share, uint32_t *id, float *value,
                        hsp_column_sums *sums) {
    hsp_row c = hsp_column(C, j);
    double f = hsp_column_factor(C, j);
    int64_t count = packs[hsp_row_form(c)](c, pairs, share * f, id, value, sums);
    sums->dot *= f;
    sums->first *= f;
    sums->second *= f * f;
    return count;
}

/* ---- choice of columns ---- */

/* Statistics of a column before it is copied; interleaved, because every stored value updates both. */
typedef struct weighed {
    uint32_t count;
    float size; /* sum_i c_i |value_ij| */
} weighed;

#define WEIGH(form, id_type, COLUMN, type, VALUE)                         \
    static void weigh_##form(hsp_row r, float c, weighed *restrict out) { \
        HSP_ROW_ENTRIES(id_type, type, r);                                \
        for (int64_t t = 0; t < r.count; t++) {                           \
            weighed *w = out + COLUMN(id, t);                             \
            w->count++;                                                   \
            w->size += c * fabsf((float)VALUE(x, table, t));              \
        }                                                                 \
    }
HSP_EACH_FORM(WEIGH)
#define WEIGH_ENTRY(form, ...) weigh_##form,
static void (*const weighs[HSP_FORMS])(hsp_row, float, weighed *restrict) = {HSP_EACH_FORM(WEIGH_ENTRY)};

static bool heavy(const hsp_design *D, weighed w, int64_t j, double least) {
    double rounding = 1 + 2e-7 * ((double)w.count + 4); /* of sums in float */
    return !(rounding * (double)w.size * fabs(D->factor ? D->factor[j] : 1) < least);
}

/* Sets start, origin and the own arrays; w[j].count becomes the number of column j in the copy. */
static int number_columns(hsp_columns *C, const hsp_design *D, weighed *w, hsp_error **err) {
    bool some = C->d < D->d;
    C->start = hsp_alloc(C->d + 2, sizeof *C->start);
    if (some) C->origin = hsp_alloc(C->d, sizeof *C->origin);
    if (some && D->factor) C->factor = C->own_factor = hsp_alloc(C->d, sizeof *C->own_factor);
    if (some && D->p) C->p = C->own = hsp_alloc(C->d, sizeof *C->own);
    if (!C->start || (some && (!C->origin || (D->factor && !C->own_factor) || (D->p && !C->own))))
        return hsp_fail_memory(err);
    int64_t j = 0, sum = 0;
    C->start[0] = 0;
    for (int64_t from = 0; from < D->d; from++) {
        if (w[from].count == UINT32_MAX) continue;
        int64_t count = w[from].count;
        if (C->origin) C->origin[j] = (uint32_t)from;
        if (C->own_factor) C->own_factor[j] = D->factor[from];
        if (C->own) C->own[j] = D->p[from];
        w[from].count = (uint32_t)j;
        C->start[++j] = sum; /* where its next entry goes; when filled, its end */
        sum += count;
    }
    return HSP_OK;
}

/* ---- copying ---- */

#define MOVE(form, id_type, COLUMN, type, VALUE)                                                           \
    static void move_##form(const hsp_columns *C, int64_t i, hsp_row r, const weighed *w, int64_t *next) { \
        const id_type *id = r.id;                                                                          \
        const type *x = r.value;                                                                           \
        type *value = C->value;                                                                            \
        for (int64_t t = 0; t < r.count; t++) {                                                            \
            uint32_t j = w[COLUMN(id, t)].count;                                                           \
            if (j == UINT32_MAX) continue;                                                                 \
            int64_t to = next[j]++;                                                                        \
            if (C->ids == HSP_IDS_16)                                                                      \
                ((uint16_t *)C->id)[to] = (uint16_t)i;                                                     \
            else                                                                                           \
                ((uint32_t *)C->id)[to] = (uint32_t)i;                                                     \
            if (r.coding != HSP_CODING_ONE) value[to] = x[t];                                              \
        }                                                                                                  \
    }
HSP_EACH_SPARSE_FORM(MOVE)
#define MOVE_ENTRY(form, ...) move_##form,
static void (*const moves[HSP_SPARSE_FORMS])(const hsp_columns *, int64_t, hsp_row, const weighed *,
                                             int64_t *) = {HSP_EACH_SPARSE_FORM(MOVE_ENTRY)};

static int fill_chosen(hsp_columns *C, const hsp_design *D, const double *c, double least, weighed *w, hsp_error **err) {
    const hsp_matrix *x = D->x;
    for (int64_t i = 0; i < x->n; i++) {
        hsp_row r = hsp_matrix_row(x, i);
        weighs[hsp_row_form(r)](r, c ? (float)c[i] : 1, w);
    }
    /* Counts the chosen columns and their values; UINT32_MAX marks columns left out. */
    C->d = C->stored = 0;
    for (int64_t j = 0; j < D->d; j++) {
        bool taken = heavy(D, w[j], j, least);
        if (taken) C->stored += w[j].count;
        w[j].count = taken ? w[j].count : UINT32_MAX;
        C->d += taken;
    }
    int status = number_columns(C, D, w, err);
    if (status) return status;
    C->id = hsp_alloc(C->stored, hsp_ids_size(C->ids));
    C->value = hsp_alloc(C->stored, hsp_coding_size(C->coding));
    if (!C->id || !C->value) return hsp_fail_memory(err);
    for (int64_t i = 0; i < x->n; i++) {
        hsp_row r = hsp_matrix_row(x, i);
        if (r.count > 0)
            moves[hsp_sparse_form(r.ids, (int)r.coding)](C, i, r, w,
                                                         C->start + 1); /* without entries there may be no ids */
    }
    return HSP_OK;
}

static int fill_sparse(hsp_columns *C, const hsp_design *D, const double *c, double least, hsp_error **err) {
    const hsp_matrix *x = D->x;
    C->coding = hsp_matrix_coding(x);
    C->table = x->table;
    C->ids = C->n <= UINT16_MAX + 1 ? HSP_IDS_16 : HSP_IDS_32;
    C->factor = D->factor;
    C->p = D->p;
    if (C->n > UINT32_MAX || C->d >= UINT32_MAX)
        return hsp_fail(err, HSP_EINPUT, "too many rows for a solver that works by columns: use another solver");
    weighed *w = hsp_alloc_zero(C->d, sizeof *w);
    if (!w) return hsp_fail_memory(err);
    int status = fill_chosen(C, D, c, least, w, err);
    hsp_free(w);
    return status;
}

static void subtract_mean(double *z, int64_t n, double *mean) {
    double sum = 0, rest = 0;
    for (int64_t i = 0; i < n; i++) sum += z[i];
    sum /= (double)n;
    for (int64_t i = 0; i < n; i++) rest += z[i] - sum; /* rounding error of the mean */
    sum += rest / (double)n;
    for (int64_t i = 0; i < n; i++) z[i] -= sum;
    *mean = sum;
}

/* Transposes sixteen rows at a time, so that columns are written in whole cache lines. */
static int transpose_rows(hsp_columns *C, const hsp_design *D, hsp_error **err) {
    enum { ROWS = 16 };
    int64_t n = D->n, d = D->d;
    double *z = C->value, *some = hsp_alloc(ROWS * d, sizeof *some);
    if (!some) return hsp_fail_memory(err);
    for (int64_t i = 0; i < n; i += ROWS) {
        int64_t count = n - i < ROWS ? n - i : ROWS;
        for (int64_t l = 0; l < count; l++) {
            hsp_row row = hsp_design_row(D, i + l, NULL);
            hsp_row_decode(row, 0, d, NULL, some + l * d);
        }
        for (int64_t j = 0; j < d; j++)
            for (int64_t l = 0; l < count; l++) z[j * n + i + l] = some[l * d + j];
    }
    hsp_free(some);
    return HSP_OK;
}

static int fill_dense(hsp_columns *C, const hsp_design *D, bool centred, hsp_error **err) {
    int64_t n = D->n, d = D->d;
    C->stored = n * d;
    double *z = C->value = hsp_alloc(n * d, sizeof *z);
    if (centred) C->p = C->own = hsp_alloc(d, sizeof *C->own);
    if (!z || (centred && !C->own)) return hsp_fail_memory(err);
    int status = transpose_rows(C, D, err);
    for (int64_t j = 0; !status && centred && j < d; j++) {
        subtract_mean(z + j * n, n, C->own + j);
        C->own[j] = -C->own[j];
    }
    return status;
}

int hsp_columns_heavy(const hsp_design *D, bool centred, const double *c, double least, hsp_columns **out,
                      hsp_error **err) {
    *out = NULL;
    hsp_columns *C = hsp_alloc_zero(1, sizeof *C);
    if (!C) return hsp_fail_memory(err);
    C->n = D->n;
    C->d = D->d;
    int status = D->x->dense ? fill_dense(C, D, centred, err) : fill_sparse(C, D, c, least, err);
    if (status) {
        hsp_columns_free(C);
        return status;
    }
    *out = C;
    return HSP_OK;
}

int hsp_columns_new(const hsp_design *D, bool centred, hsp_columns **out, hsp_error **err) {
    return hsp_columns_heavy(D, centred, NULL, 0, out, err);
}

void hsp_columns_free(hsp_columns *C) {
    if (!C) return;
    HSP_FREE(C->start, C->id, C->value, C->own, C->own_factor, C->origin, C);
}
