#include "design/narrow.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "data/matrix.h"
#include "design/columns.h"
#include "design/design.h"
#include "kernel/form.h"

#include <string.h>

enum { BLOCKS = 16, FEW = 4 };

/* ---- memory ---- */

#define COUNT(form, id_type, COLUMN, type, VALUE)                       \
    static void count_##form(hsp_row r, int64_t *entries) {             \
        HSP_ROW_ENTRIES(id_type, type, r);                              \
        for (int64_t t = 0; t < r.count; t++) entries[COLUMN(id, t)]++; \
    }
HSP_EACH_SPARSE_FORM(COUNT)
#define COUNT_ENTRY(form, ...) count_##form,
static void (*const counts[HSP_SPARSE_FORMS])(hsp_row, int64_t *) = {HSP_EACH_SPARSE_FORM(COUNT_ENTRY)};

#define SIDE(form, id_type, COLUMN, type, VALUE)                                                   \
    static void side_##form(hsp_row r, double by, const double *factor, double *up, double *down) { \
        HSP_ROW_ENTRIES(id_type, type, r);                                                         \
        for (int64_t t = 0; t < r.count; t++) {                                                    \
            int64_t j = COLUMN(id, t);                                                             \
            double v = by * VALUE(x, table, t) * (factor ? factor[j] : 1);                         \
            *(v > 0 ? up + j : down + j) += v;                                                     \
        }                                                                                          \
    }
HSP_EACH_SPARSE_FORM(SIDE)
#define SIDE_ENTRY(form, ...) side_##form,
static void (*const sides[HSP_SPARSE_FORMS])(hsp_row, double, const double *, double *,
                                             double *) = {HSP_EACH_SPARSE_FORM(SIDE_ENTRY)};

void hsp_design_sides(const hsp_design *D, const double *c, double *up, double *down) {
    for (int64_t j = 0; j < D->d; j++) up[j] = down[j] = 0;
    for (int64_t i = 0; i < D->n; i++) {
        hsp_row r = hsp_matrix_row(D->x, i);
        if (r.count > 0 && c[i] != 0) sides[hsp_sparse_form(r.ids, (int)r.coding)](r, c[i], D->factor, up, down);
    }
}

int hsp_narrow_new(const hsp_design *of, hsp_narrow *out, hsp_error **err) {
    const hsp_matrix *x = of->x;
    *out = (hsp_narrow){.of = of};
    if (of->d > INT32_MAX) return hsp_fail(err, HSP_EINPUT, "too many columns for a path: use fewer features");
    if (!HSP_ALLOC(out->column, of->d) || !HSP_ALLOC(out->place, of->d)) return hsp_fail_memory(err);
    for (int64_t j = 0; j < of->d; j++) out->place[j] = -1;
    if (of->p && !HSP_ALLOC(out->p, of->d)) return hsp_fail_memory(err);
    if (x->dense) return HSP_OK;
    if (!HSP_ALLOC_ZERO(out->entries, of->d) || !HSP_ALLOC(out->x.row, of->n + 1)) return hsp_fail_memory(err);
    for (int64_t i = 0; i < of->n; i++) {
        hsp_row r = hsp_matrix_row(x, i);
        if (r.count > 0) counts[hsp_sparse_form(r.ids, (int)r.coding)](r, out->entries);
    }
    return HSP_OK;
}

void hsp_narrow_clear(hsp_narrow *N) {
    hsp_design_free(N->design);
    HSP_FREE(N->column, N->place, N->p, N->entries, N->x.row, N->x.id, N->x.value);
    *N = (hsp_narrow){0};
}

/* Memory for `stored` numbers, with some to spare: the columns become more. The old numbers are not kept. */
static int reserve(hsp_narrow *N, int64_t stored, hsp_error **err) {
    if (stored <= N->room && N->room > 0) return HSP_OK;
    N->room = 0;
    HSP_FREE(N->x.value, N->x.id);
    N->x.id = NULL;
    int64_t room = stored + stored / 2 + 1;
    N->x.value = hsp_alloc(room, sizeof(double));
    if (!N->x.value) return hsp_fail_memory(err);
    if (!N->of->x->dense && !HSP_ALLOC(N->x.id, room)) return hsp_fail_memory(err);
    N->room = room;
    return HSP_OK;
}

/* ---- copying ---- */

typedef struct dense_copy {
    const hsp_narrow *N;
    int64_t from; /* the columns from this one on are copied */
} dense_copy;

static void copy_dense_block(void *ctx, int64_t block) {
    const dense_copy *q = ctx;
    const hsp_narrow *N = q->N;
    const hsp_design *D = N->of;
    double *to = N->x.value;
    const double *shift = D->shift, *factor = D->factor;
    for (int64_t i = D->n * block / BLOCKS, end = D->n * (block + 1) / BLOCKS; i < end; i++) {
        hsp_row r = hsp_matrix_row(D->x, i);
        double *z = to + i * hsp_matrix_stride(&N->x);
        if (r.coding == HSP_CODING_F64)
            for (int64_t a = q->from; a < N->count; a++) z[a] = ((const double *)r.value)[N->column[a]];
        else
            for (int64_t a = q->from; a < N->count; a++) z[a] = hsp_row_value(r, N->column[a]);
        for (int64_t a = q->from; factor && a < N->count; a++)
            z[a] = (shift ? z[a] - shift[N->column[a]] : z[a]) * factor[N->column[a]]; /* as design.c transforms */
    }
}

/* Entries of the columns that are in: as they are stored, or times the factor. */
#define PICK(form, id_type, COLUMN, type, VALUE)                                                                \
    static int64_t pick_##form(const hsp_narrow *N, hsp_row r, int64_t at) {                                    \
        HSP_ROW_ENTRIES(id_type, type, r);                                                                      \
        const double *factor = N->of->factor;                                                                   \
        const int32_t *place = N->place;                                                                        \
        uint16_t *id16 = (uint16_t *)N->x.id + at;                                                              \
        uint32_t *id32 = N->x.id + at;                                                                          \
        double *z = (double *)N->x.value + at;                                                                  \
        type *same = (type *)N->x.value + at;                                                                   \
        bool stored = N->x.coding != HSP_CODING_ONE, narrow = N->x.ids == HSP_IDS_16;                           \
        int64_t count = 0;                                                                                      \
        for (int64_t t = 0; t < r.count; t++) {                                                                 \
            int64_t j = COLUMN(id, t);                                                                          \
            int32_t a = place[j];                                                                               \
            if (a < 0) continue;                                                                                \
            if (narrow)                                                                                         \
                id16[count] = (uint16_t)a;                                                                      \
            else                                                                                                \
                id32[count] = (uint32_t)a;                                                                      \
            if (factor)                                                                                         \
                z[count] = VALUE(x, table, t) * factor[j];                                                      \
            else if (stored)                                                                                    \
                same[count] = x[t];                                                                             \
            count++;                                                                                            \
        }                                                                                                       \
        return count;                                                                                           \
    }
HSP_EACH_SPARSE_FORM(PICK)
#define PICK_ENTRY(form, ...) pick_##form,
static int64_t (*const picks[HSP_SPARSE_FORMS])(const hsp_narrow *, hsp_row, int64_t) = {HSP_EACH_SPARSE_FORM(PICK_ENTRY)};

static void copy_sparse(hsp_narrow *N) {
    const hsp_design *D = N->of;
    int64_t at = 0;
    for (int64_t i = 0; i < D->n; i++) {
        hsp_row r = hsp_matrix_row(D->x, i);
        N->x.row[i] = at;
        if (r.count > 0) at += picks[hsp_sparse_form(r.ids, (int)r.coding)](N, r, at);
    }
    N->x.row[D->n] = at;
}

/* Entries of column a of the narrow design, from those by columns: each at the end of what its row has. */
#define FILL(form, id_type, COLUMN, type, VALUE)                                             \
    static void fill_##form(const hsp_narrow *N, hsp_row r, int64_t a, const double *factor) { \
        HSP_ROW_ENTRIES(id_type, type, r);                                                   \
        double *z = N->x.value;                                                              \
        type *same = N->x.value;                                                             \
        bool stored = N->x.coding != HSP_CODING_ONE, narrow = N->x.ids == HSP_IDS_16;        \
        for (int64_t t = 0; t < r.count; t++) {                                              \
            int64_t at = N->x.row[COLUMN(id, t)]++;                                          \
            if (narrow)                                                                      \
                ((uint16_t *)N->x.id)[at] = (uint16_t)a;                                     \
            else                                                                             \
                N->x.id[at] = (uint32_t)a;                                                   \
            if (factor)                                                                      \
                z[at] = VALUE(x, table, t) * *factor;                                        \
            else if (stored)                                                                 \
                same[at] = x[t];                                                             \
        }                                                                                    \
    }
HSP_EACH_SPARSE_FORM(FILL)
#define FILL_ENTRY(form, ...) fill_##form,
static void (*const fills[HSP_SPARSE_FORMS])(const hsp_narrow *, hsp_row, int64_t,
                                             const double *) = {HSP_EACH_SPARSE_FORM(FILL_ENTRY)};

/* The same rows as copy_sparse makes: the columns are ascending, so are the entries of a row. */
static void copy_by_columns(hsp_narrow *N) {
    const hsp_columns *C = N->columns;
    int64_t n = N->of->n, sum = 0, *row = N->x.row;
    memset(row, 0, (size_t)(n + 1) * sizeof *row);
    for (int64_t a = 0; a < N->count; a++) {
        hsp_row r = hsp_column(C, N->column[a]);
        if (r.count > 0) counts[hsp_sparse_form(r.ids, (int)r.coding)](r, row);
    }
    for (int64_t i = 0; i < n; i++) { /* from the numbers of the rows to their starts */
        int64_t count = row[i];
        row[i] = sum;
        sum += count;
    }
    for (int64_t a = 0; a < N->count; a++) {
        hsp_row r = hsp_column(C, N->column[a]);
        const double *factor = N->of->factor ? N->of->factor + N->column[a] : NULL;
        if (r.count > 0) fills[hsp_sparse_form(r.ids, (int)r.coding)](N, r, a, factor);
    }
    memmove(row + 1, row, (size_t)n * sizeof *row); /* each was at its end, the start of the next */
    row[0] = 0;
}

/* Whether the copy by columns has all that is needed, and few of its numbers are. */
static bool copies_by_columns(const hsp_narrow *N) {
    const hsp_columns *C = N->columns;
    return C && C->start && !C->origin && (N->of->factor || C->coding == N->x.coding) && FEW * N->x.stored < C->stored;
}

/* Dense rows: from one to the next. */
static int64_t stride_of(const hsp_narrow *N, int64_t count) {
    enum { LINE = 8, SHARE = 8 };
    return N->grows ? (count + count / SHARE + 2 * LINE - 1) / LINE * LINE : count;
}

static void name_columns(hsp_narrow *N, const int64_t *column, int64_t count) {
    for (int64_t a = 0; a < count; a++) {
        int64_t at = N->count + a;
        N->column[at] = column[a];
        N->place[column[a]] = (int32_t)at;
        if (N->p) N->p[at] = N->of->p[column[a]];
    }
    N->count += count;
    N->x.d = N->count;
}

int64_t hsp_narrow_room(const hsp_narrow *N) {
    return N->design && N->x.dense ? hsp_matrix_stride(&N->x) - N->count : 0;
}

int hsp_narrow_add(hsp_narrow *N, const int64_t *column, int64_t count, hsp_error **err) {
    dense_copy q = {N, N->count};
    hsp_design_free(N->design);
    N->design = NULL;
    name_columns(N, column, count);
    N->x.stored = N->x.nonzeros = N->of->n * N->count;
    hsp_pool_run(BLOCKS, N->of->threads, copy_dense_block, &q);
    return hsp_design_new(&N->x, N->p, NULL, N->of->threads, &N->design, err);
}

int hsp_narrow_choose(hsp_narrow *N, const int64_t *column, int64_t count, hsp_error **err) {
    const hsp_design *D = N->of;
    int64_t stride = stride_of(N, count), stored = D->x->dense ? D->n * stride : 0;
    for (int64_t a = 0; N->entries && a < count; a++) stored += N->entries[column[a]];
    hsp_design_free(N->design);
    N->design = NULL;
    int status = reserve(N, stored, err);
    if (status) return status;
    for (int64_t a = 0; a < N->count; a++) N->place[N->column[a]] = -1;
    N->count = 0;
    name_columns(N, column, count);
    N->x.n = D->n;
    N->x.stride = D->x->dense ? stride : 0;
    N->x.dense = D->x->dense;
    N->x.dtype = D->factor || N->x.dense ? HSP_FLOAT64 : D->x->dtype;
    N->x.coding = D->factor || N->x.dense ? HSP_CODING_F64 : D->x->coding;
    N->x.table = N->x.coding == HSP_CODING_F64 || N->x.coding == HSP_CODING_F32 ? NULL : D->x->table;
    N->x.ids = count <= UINT16_MAX + 1 ? HSP_IDS_16 : HSP_IDS_32;
    N->x.stored = N->x.nonzeros = D->x->dense ? D->n * count : stored;
    if (D->x->dense)
        hsp_pool_run(BLOCKS, D->threads, copy_dense_block, &(dense_copy){N, 0});
    else if (copies_by_columns(N))
        copy_by_columns(N);
    else
        copy_sparse(N);
    return hsp_design_new(&N->x, N->p, NULL, D->threads, &N->design, err);
}
