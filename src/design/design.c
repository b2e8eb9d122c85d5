#include "design/design.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "design/feed.h"
#include "kernel/form.h"
#include "kernel/level.h"

enum { ROWS_IN_BLOCK = 512, MOST_SLABS = 8 };

/* Sparse rows are not shifted: see design.h. */
#define TRANSFORM(form, id_type, COLUMN, type, VALUE)                                               \
    static void transform_##form(const double *factor, hsp_row r, double *restrict tile) {          \
        HSP_ROW_ENTRIES(id_type, type, r);                                                          \
        for (int64_t t = 0; t < r.count; t++) tile[t] = VALUE(x, table, t) * factor[COLUMN(id, t)]; \
    }
HSP_EACH_SPARSE_FORM(TRANSFORM)

#define TRANSFORM_ENTRY(form, ...) transform_##form,
static void (*const transforms[HSP_SPARSE_FORMS])(const double *, hsp_row,
                                                  double *restrict) = {HSP_EACH_SPARSE_FORM(TRANSFORM_ENTRY)};

hsp_row hsp_design_transform(const hsp_design *D, hsp_row r, double *tile) {
    if (!tile) tile = D->tiles;
    if (r.id)
        transforms[hsp_sparse_form(r.ids, (int)r.coding)](D->factor, r, tile);
    else
        hsp_transforms[r.coding](r.value, r.table, r.count, D->shift, D->factor, tile);
    return hsp_row_with(r, tile);
}

void hsp_design_prefetch(const hsp_design *D, int64_t i) {
    hsp_row r = hsp_matrix_row(D->x, i);
    for (int line = 0; line < 4; line++) {
        if (r.id) __builtin_prefetch((const char *)r.id + 64 * line);
        if (r.value) __builtin_prefetch((const char *)r.value + 64 * line);
    }
}

/* ---- passes over all rows ---- */

typedef struct design_pass {
    const hsp_design *D;
    bool moved; /* dense rows of floats or doubles: by the kernels of many rows, which give the same bits */
    hsp_moved_rows stored;
    const double *w; /* scores */
    double constant; /* scores: b - p.w */
    const double *r; /* adjoint */
    double *out;
} design_pass;

static int64_t slab_begin(const hsp_design *D, int64_t slab) {
    return (D->n * slab) / D->slabs;
}

/* Scores of the rows `begin` to `end` - 1 that are transformed on the way. */
static void scores_of_moved(const design_pass *p, int64_t begin, int64_t end) {
    if (begin == end) return;
    hsp_level_now()->moved.scores(&p->stored, hsp_matrix_row(p->D->x, begin).value, end - begin, p->w, p->out + begin);
    for (int64_t i = begin; i < end; i++) p->out[i] += p->constant;
}

static void scores_of_slab(void *ctx, int64_t slab) {
    const design_pass *p = ctx;
    const hsp_design *D = p->D;
    if (p->moved) {
        scores_of_moved(p, slab_begin(D, slab), slab_begin(D, slab + 1));
        return;
    }
    double *tile = D->tiles ? D->tiles + slab * D->d : NULL;
    for (int64_t i = slab_begin(D, slab), end = slab_begin(D, slab + 1); i < end; i++)
        p->out[i] = hsp_row_dot(hsp_design_row(D, i, tile), p->w) + p->constant;
}

static void scores_of_block(void *ctx, int64_t block) {
    const design_pass *p = ctx;
    int64_t begin = block * ROWS_IN_BLOCK, end = begin + ROWS_IN_BLOCK < p->D->n ? begin + ROWS_IN_BLOCK : p->D->n;
    if (p->moved) {
        scores_of_moved(p, begin, end);
        return;
    }
    for (int64_t i = begin; i < end; i++) p->out[i] = hsp_row_dot(hsp_matrix_row(p->D->x, i), p->w) + p->constant;
}

/* A score depends only on its own row, so rows that need no tile may be cut in any way. */
void hsp_design_scores(const hsp_design *D, const double *w, double b, double *out) {
    design_pass p = {.D = D, .w = w, .constant = b, .out = out};
    p.moved = hsp_feed_moved(D, &p.stored);
    if (D->p) p.constant -= hsp_dot_f64(D->p, w, D->d);
    if (D->factor)
        hsp_pool_run(D->slabs, D->threads, scores_of_slab, &p);
    else
        hsp_pool_run((D->n + ROWS_IN_BLOCK - 1) / ROWS_IN_BLOCK, D->threads, scores_of_block, &p);
}

/* Adds the rows `begin` to `end` - 1; groups of rows without weight are not read. */
static void pull_moved(const design_pass *p, int64_t begin, int64_t end, double *sum) {
    enum { GROUP = 64 };
    for (int64_t i = begin, count; i < end; i += count) {
        count = end - i < GROUP ? end - i : GROUP;
        bool any = false;
        for (int64_t k = i; k < i + count; k++) any |= p->r[k] != 0;
        if (any) hsp_level_now()->moved.pulls(&p->stored, hsp_matrix_row(p->D->x, i).value, count, p->r + i, sum);
    }
}

static void adjoint_of_slab(void *ctx, int64_t slab) {
    const design_pass *p = ctx;
    const hsp_design *D = p->D;
    double *tile = D->tiles ? D->tiles + slab * D->d : NULL;
    double *sum = slab == 0 ? p->out : D->sums + (slab - 1) * D->d;
    for (int64_t j = 0; j < D->d; j++) sum[j] = 0;
    if (p->moved) {
        pull_moved(p, slab_begin(D, slab), slab_begin(D, slab + 1), sum);
        return;
    }
    for (int64_t i = slab_begin(D, slab), end = slab_begin(D, slab + 1); i < end; i++)
        if (p->r[i] != 0) hsp_row_axpy(p->r[i], hsp_design_row(D, i, tile), sum);
}

void hsp_design_adjoint(const hsp_design *D, const double *r, double *out) {
    design_pass p = {.D = D, .r = r, .out = out};
    p.moved = hsp_feed_moved(D, &p.stored);
    hsp_pool_run(D->slabs, D->threads, adjoint_of_slab, &p);
    for (int64_t s = 1; s < D->slabs; s++) hsp_axpy_f64(1, D->sums + (s - 1) * D->d, out, D->d);
    if (D->p) hsp_axpy_f64(-hsp_sum_f64(r, D->n), D->p, out, D->d);
}

void hsp_design_norms(const hsp_design *D, const double *c, double *mean, double *largest) {
    double sum = 0, top = 0, mass = 0;
    for (int64_t i = 0; i < D->n; i++) {
        double weight = c ? c[i] : 1;
        if (weight == 0) continue;
        double q = hsp_row_norm2(hsp_design_row(D, i, NULL));
        if (D->p) q += D->pp - 2 * D->pz[i]; /* |z - p|^2 */
        if (q < 0) q = 0;
        sum += weight * q;
        mass += weight;
        if (q > top) top = q;
    }
    *mean = sum / mass;
    *largest = top;
}

/* ---- making ---- */

static void products_of_slab(void *ctx, int64_t slab) {
    const hsp_design *D = ctx;
    double *tile = D->tiles ? D->tiles + slab * D->d : NULL;
    for (int64_t i = slab_begin(D, slab), end = slab_begin(D, slab + 1); i < end; i++)
        D->pz[i] = hsp_row_dot(hsp_design_row(D, i, tile), D->p);
}

static int set_centring(hsp_design *D) {
    D->p = hsp_alloc(D->d, sizeof *D->p);
    D->pz = hsp_alloc(D->n, sizeof *D->pz);
    if (!D->p || !D->pz) return HSP_EMEMORY;
    for (int64_t j = 0; j < D->d; j++) D->p[j] = D->shift[j] * (D->factor ? D->factor[j] : 1);
    D->pp = hsp_dot_f64(D->p, D->p, D->d);
    hsp_pool_run(D->slabs, D->threads, products_of_slab, D);
    return HSP_OK;
}

int hsp_design_new(const hsp_matrix *x, const double *shift, const double *factor, int threads, hsp_design **out,
                   hsp_error **err) {
    *out = NULL;
    hsp_design *D = hsp_alloc_zero(1, sizeof *D);
    if (!D) return hsp_fail_memory(err);
    *D = (hsp_design){.n = x->n, .d = x->d, .x = x, .shift = shift, .factor = factor, .threads = threads};
    /* The partial sums of the slabs must be small against the data: one slab for wide sparse data. */
    int64_t slabs = x->stored / (16 * (x->d > 0 ? x->d : 1));
    if (slabs > MOST_SLABS) slabs = MOST_SLABS;
    if (slabs > x->n / ROWS_IN_BLOCK) slabs = x->n / ROWS_IN_BLOCK;
    D->slabs = slabs < 1 ? 1 : slabs;
    int status = HSP_OK;
    if (factor && !(D->tiles = hsp_alloc(D->slabs * D->d, sizeof *D->tiles))) status = HSP_EMEMORY;
    if (!status && D->slabs > 1 && !(D->sums = hsp_alloc((D->slabs - 1) * D->d, sizeof *D->sums))) status = HSP_EMEMORY;
    if (!status && shift && !x->dense) status = set_centring(D);
    if (status) {
        hsp_design_free(D);
        return hsp_fail_memory(err);
    }
    *out = D;
    return HSP_OK;
}

hsp_design hsp_design_slice(const hsp_design *D, int64_t from, int64_t rows, hsp_matrix *x) {
    hsp_design slice = *D;
    *x = hsp_matrix_slice(D->x, from, rows);
    slice.n = rows;
    slice.x = x;
    if (slice.pz) slice.pz += from;
    return slice;
}

void hsp_design_free(hsp_design *D) {
    if (!D) return;
    HSP_FREE(D->p, D->pz, D->tiles, D->sums, D);
}
