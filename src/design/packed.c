/* A copy pays off when rows are short and visited in an order far from the design's. Renumbering the columns by frequency
 * gained another 1.13x on a million columns, but took as long as one or two passes: too expensive for runs of 10 epochs. */
#include "design/packed.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "kernel/form.h"

#include <string.h>

enum { LANES = 4, BLOCK_ROWS = 512, PREFETCHED_LINES = 3, AHEAD = 8 };
enum { NARROW_MOST = 1 << 16 };
/* From FAR_COLUMNS columns on the weights are not in the cache: they are prefetched FAR entries ahead. */
enum { FAR_COLUMNS = 1 << 17, FAR = 64 };

/* ---- rows ---- */

/* The product of entry t with its weight. */
#define PRODUCT(COLUMN, VALUE, t) (VALUE(x, table, t) * v[COLUMN(id, t)])
/* Four partial sums in registers, entry t in sum t mod LANES. The kernels' 16 cost up to 1.3x on rows of 50 entries.
 * prefetch: of weights that are not in the cache. */
#define DOT(name, prefetch, form, id_type, COLUMN, type, VALUE)                                                      \
    static double name##form(const void *ids, const void *values, const double *table, int64_t n, const double *v) { \
        HSP_ENTRIES(id_type, ids, type, values);                                                                     \
        double s0 = 0, s1 = 0, s2 = 0, s3 = 0;                                                                       \
        int64_t t = 0;                                                                                               \
        for (; t + LANES <= n; t += LANES) {                                                                         \
            for (int l = 0; (prefetch) && t + FAR + LANES <= n && l < LANES; l++)                                    \
                __builtin_prefetch(v + COLUMN(id, t + l + FAR));                                                     \
            s0 += PRODUCT(COLUMN, VALUE, t);                                                                         \
            s1 += PRODUCT(COLUMN, VALUE, t + 1);                                                                     \
            s2 += PRODUCT(COLUMN, VALUE, t + 2);                                                                     \
            s3 += PRODUCT(COLUMN, VALUE, t + 3);                                                                     \
        }                                                                                                            \
        if (t < n) s0 += PRODUCT(COLUMN, VALUE, t);                                                                  \
        if (t + 1 < n) s1 += PRODUCT(COLUMN, VALUE, t + 1);                                                          \
        if (t + 2 < n) s2 += PRODUCT(COLUMN, VALUE, t + 2);                                                          \
        return (s0 + s1) + (s2 + s3);                                                                                \
    }
#define NEAR_DOT(...) DOT(dot_, false, __VA_ARGS__)
#define FAR_DOT(...) DOT(far_dot_, true, __VA_ARGS__)
HSP_EACH_SPARSE_FORM(NEAR_DOT)
HSP_EACH_SPARSE_FORM(FAR_DOT)

#define DOT_ENTRY(form, ...) dot_##form,
#define FAR_DOT_ENTRY(form, ...) far_dot_##form,
static hsp_dot_of_form *const sparse_dots[2][HSP_SPARSE_FORMS] = {{HSP_EACH_SPARSE_FORM(DOT_ENTRY)},
                                                                  {HSP_EACH_SPARSE_FORM(FAR_DOT_ENTRY)}};

static inline void prefetch(const void *from, int64_t bytes) {
    enum { MOST = 64 * PREFETCHED_LINES };
    const char *p = from;
    if (bytes > MOST) bytes = MOST;
    for (int64_t at = 0; at < bytes; at += 64) __builtin_prefetch(p + at);
}

void hsp_packed_prefetch(const hsp_packed *P, int64_t place) {
    const hsp_matrix *m = P->copied ? &P->x : P->design->x;
    hsp_row r = hsp_matrix_row(m, P->copied ? place : P->origin[place]);
    if (r.id) prefetch(r.id, r.count * (int64_t)hsp_row_id_size(r));
    if (r.value) prefetch(r.value, r.count * (int64_t)hsp_coding_size(r.coding));
}

/* ---- making ---- */

static void choose_kernels(hsp_packed *P) {
    const hsp_matrix *m = P->copied ? &P->x : P->design->x;
    bool scaled = !P->copied && P->design->factor;
    int form = hsp_form(!m->dense, m->ids, (int)(scaled ? HSP_CODING_F64 : hsp_matrix_coding(m)));
    P->dot = m->dense ? hsp_dots[form] : sparse_dots[P->d >= FAR_COLUMNS][form - HSP_DENSE_CODINGS];
    P->axpy = hsp_axpys[form];
}

int hsp_packed_new(const hsp_design *D, const int64_t *order, int64_t rows, hsp_packed **out, hsp_error **err) {
    *out = NULL;
    hsp_packed *P = hsp_alloc_zero(1, sizeof *P);
    if (!P) return hsp_fail_memory(err);
    *P = (hsp_packed){.rows = rows, .d = D->d, .design = D};
    P->origin = hsp_alloc(rows, sizeof *P->origin);
    if (D->factor) P->tile = hsp_alloc(D->d, sizeof *P->tile);
    if (!P->origin || (D->factor && !P->tile)) {
        hsp_packed_free(P);
        return hsp_fail_memory(err);
    }
    if (rows > 0) memcpy(P->origin, order, (size_t)rows * sizeof *order);
    choose_kernels(P);
    *out = P;
    return HSP_OK;
}

static int make_room(hsp_packed *Q) {
    hsp_matrix *x = &Q->x;
    int64_t value = (int64_t)hsp_coding_size(x->coding), id = x->dense ? 0 : (int64_t)hsp_matrix_id_size(x);
    if (!(Q->origin = hsp_alloc(Q->places, sizeof *Q->origin))) return HSP_EMEMORY;
    if (value && !(x->value = hsp_alloc(Q->room, (size_t)value))) return HSP_EMEMORY;
    if (id && !(x->id = hsp_alloc(Q->room, (size_t)id))) return HSP_EMEMORY;
    if (id && !(x->row = hsp_alloc(Q->places + 1, sizeof *x->row))) return HSP_EMEMORY;
    Q->copied = true;
    return HSP_OK;
}

int hsp_packed_copy_of(const hsp_packed *P, int64_t most, hsp_packed **out, hsp_error **err) {
    *out = NULL;
    hsp_packed *Q = hsp_alloc_zero(1, sizeof *Q);
    if (!Q) return hsp_fail_memory(err);
    *Q = (hsp_packed){.d = P->d, .design = P->design};
    /* x without its arrays, and the bytes that they take. */
    const hsp_matrix *m = P->design->x;
    hsp_coding coding = P->design->factor ? HSP_CODING_F64 : hsp_coding_adjacent(hsp_matrix_coding(m));
    Q->x = (hsp_matrix){.d = P->d,
                        .dense = m->dense,
                        .coding = coding,
                        .ids = P->d <= NARROW_MOST ? HSP_IDS_16 : HSP_IDS_32,
                        .table = m->table};
    Q->x.dtype = coding == HSP_CODING_F64 ? HSP_FLOAT64 : m->dtype;
    Q->places = P->rows;
    for (int64_t place = 0; place < P->rows; place++) Q->room += hsp_matrix_row(m, P->origin[place]).count;
    int64_t number = (int64_t)hsp_coding_size(coding) + (m->dense ? 0 : (int64_t)hsp_matrix_id_size(&Q->x));
    Q->bytes = Q->room * number + (P->rows + 1) * (int64_t)sizeof *Q->x.row;
    bool fits = Q->bytes <= most;
    int status = fits ? make_room(Q) : HSP_OK;
    if (status || !fits) {
        hsp_packed_free(Q);
        return status ? hsp_fail_memory(err) : HSP_OK;
    }
    choose_kernels(Q);
    *out = Q;
    return HSP_OK;
}

void hsp_packed_free(hsp_packed *P) {
    if (!P) return;
    HSP_FREE(P->origin, P->tile, P->x.row, P->x.id, P->x.value, P);
}

int64_t hsp_packed_room(const hsp_design *D) {
    return hsp_memory_limit() / 2 - hsp_matrix_bytes(D->x);
}

/* ---- copying ---- */

static void copy_ids(const hsp_packed *Q, hsp_row r, int64_t at) {
    size_t size = hsp_row_id_size(r);
    if (!r.id || r.count == 0) return;
    if (r.ids == Q->x.ids) {
        memmove((char *)Q->x.id + (size_t)at * size, r.id, (size_t)r.count * size);
        return;
    }
    for (int64_t t = 0; t < r.count; t++) {
        uint32_t j = (uint32_t)hsp_row_id(r, t);
        if (Q->x.ids == HSP_IDS_16)
            ((uint16_t *)Q->x.id)[at + t] = (uint16_t)j;
        else
            Q->x.id[at + t] = j;
    }
}

/* Copies a row of the design, or moves one of the copy down. */
static void copy_row(hsp_row r, const hsp_packed *Q, int64_t at) {
    size_t size = hsp_coding_size(Q->x.coding);
    char *to = size > 0 ? (char *)Q->x.value + (size_t)at * size : NULL;
    if (to && r.value != to) hsp_row_copy_values(r, to);
    copy_ids(Q, r, at);
}

typedef struct taking {
    const hsp_packed *P;
    const int64_t *places;
    int64_t count;
    hsp_packed *Q;
} taking;

static void take_block(void *ctx, int64_t block) {
    const taking *t = ctx;
    const hsp_design *D = t->P->design;
    int64_t end = (block + 1) * BLOCK_ROWS < t->count ? (block + 1) * BLOCK_ROWS : t->count;
    size_t size = hsp_coding_size(t->Q->x.coding);
    for (int64_t k = block * BLOCK_ROWS; k < end; k++) {
        int64_t at = t->Q->x.row ? t->Q->x.row[k] : k * t->Q->d;
        void *to = t->Q->x.value ? (char *)t->Q->x.value + (size_t)at * size : NULL;
        if (k + AHEAD < t->count) hsp_design_prefetch(D, t->P->origin[t->places[k + AHEAD]]);
        copy_row(hsp_design_row(D, t->P->origin[t->places[k]], to), t->Q, at); /* a scaled row is computed in place */
    }
}

/* Copies rows of the design. Offsets come first, so that threads can copy blocks. */
static void copy_rows(const hsp_packed *P, const int64_t *places, int64_t count, hsp_packed *Q) {
    int64_t at = 0;
    for (int64_t k = 0; k < count; k++) {
        Q->origin[k] = P->origin[places[k]];
        if (!Q->x.row) continue;
        Q->x.row[k] = at;
        at += hsp_matrix_row(P->design->x, Q->origin[k]).count;
    }
    if (Q->x.row) Q->x.row[count] = at;
    taking t = {P, places, count, Q};
    hsp_pool_run((count + BLOCK_ROWS - 1) / BLOCK_ROWS, P->design->threads, take_block, &t);
}

void hsp_packed_take(const hsp_packed *P, const int64_t *places, int64_t count, hsp_packed *Q) {
    if (P == Q) {
        /* Ascending places: no row is overwritten before it is moved. */
        int64_t at = 0;
        for (int64_t k = 0; k < count; k++) {
            hsp_row r = hsp_matrix_row(&Q->x, places[k]);
            Q->origin[k] = Q->origin[places[k]];
            copy_row(r, Q, at);
            if (Q->x.row) Q->x.row[k] = at;
            at += r.count;
        }
        if (Q->x.row) Q->x.row[count] = at;
    } else
        copy_rows(P, places, count, Q);
    Q->rows = Q->x.n = count;
    Q->x.stored = Q->x.row ? Q->x.row[count] : count * Q->d;
}
