/* See packed.h. Measured per sweep (a dot product for each row, an addition for each third, buckets of 8 rows in random
 * order, prefetched) against the same over the rows of the design: words of a Zipf law with 10 thousand columns 3.7x, with
 * a million 2.1x; news20bi (1.7 million columns) 1.7x; reuters (28 thousand) 1.5x. Large pages are 1.1x to 1.2x of that.
 * Relabelling is 1.13x on the two with a million columns or more and nothing on reuters: it is done from RELABEL_FROM
 * columns on, when a vector outgrows the second cache. The copy takes as long as 1 or 2 sweeps, the labels as 1 or 2 more,
 * which they win back in about 15. */
#include "design/packed.h"

#include "base/memory.h"
#include "base/pool.h"
#include "kernel/kernel.h"

#include <string.h>
#include <sys/mman.h>

enum { LANES = 4, BLOCK_ROWS = 512, PREFETCHED_LINES = 4 };
enum { NARROW_MOST = 1 << 16, RELABEL_FROM = 1 << 16 };
enum { CLASSES = 33 }; /* of columns: one for each bit of a count, and one for none */

/* ---- rows ---- */

/* Into LANES partial sums, entry t into sum t mod LANES. The kernels' 16 cost up to 1.3x on rows of 50 entries. */
#define DOT(form, id_type, COLUMN, type, VALUE)                                                                      \
    static double dot_##form(const void *ids, const void *values, const double *table, int64_t n, const double *v) { \
        const id_type *id = ids;                                                                                     \
        const type *x = values;                                                                                      \
        double s[LANES] = {0};                                                                                       \
        int64_t t = 0;                                                                                               \
        (void)x, (void)table;                                                                                        \
        for (; t + LANES <= n; t += LANES)                                                                           \
            for (int l = 0; l < LANES; l++) s[l] += VALUE(x, table, t + l) * v[COLUMN(id, t + l)];                   \
        for (int l = 0; t + l < n; l++) s[l] += VALUE(x, table, t + l) * v[COLUMN(id, t + l)];                       \
        return (s[0] + s[1]) + (s[2] + s[3]);                                                                        \
    }
HSP_EACH_SPARSE_FORM(DOT)

#define DOT_ENTRY(form, ...) dot_##form,
static hsp_dot_of_form *const sparse_dots[] = {HSP_EACH_SPARSE_FORM(DOT_ENTRY)}; /* from form HSP_CODINGS on */

static inline hsp_row row_at(const hsp_packed *P, int64_t place) {
    return P->copied ? hsp_matrix_row(&P->x, place) : hsp_design_row(P->design, P->origin[place], P->tile);
}

double hsp_packed_dot(const hsp_packed *P, int64_t place, const double *v) {
    hsp_row r = row_at(P, place);
    int form = hsp_row_form(r);
    if (form < HSP_CODINGS) return hsp_row_dot(r, v);
    return sparse_dots[form - HSP_CODINGS](r.id, r.value, r.table, r.count, v);
}

void hsp_packed_axpy(const hsp_packed *P, double a, int64_t place, double *v) {
    hsp_row_axpy(a, row_at(P, place), v);
}

void hsp_packed_prefetch(const hsp_packed *P, int64_t place) {
    if (!P->copied) {
        hsp_design_prefetch(P->design, P->origin[place]);
        return;
    }
    hsp_row r = hsp_matrix_row(&P->x, place);
    for (int line = 0; line < PREFETCHED_LINES; line++) {
        if (r.id) __builtin_prefetch((const char *)r.id + 64 * line);
        if (r.value) __builtin_prefetch((const char *)r.value + 64 * line);
    }
}

/* ---- vectors and passes ---- */

void hsp_packed_in(const hsp_packed *P, const double *w, double *v) {
    if (P->label)
        for (int64_t j = 0; j < P->d; j++) v[P->label[j]] = w[j];
    else if (P->d > 0)
        memcpy(v, w, (size_t)P->d * sizeof *v);
}

void hsp_packed_out(const hsp_packed *P, const double *v, double *w) {
    if (P->label)
        for (int64_t j = 0; j < P->d; j++) w[j] = v[P->label[j]];
    else if (P->d > 0)
        memcpy(w, v, (size_t)P->d * sizeof *w);
}

static int64_t blocks(const hsp_packed *P) {
    return (P->rows + BLOCK_ROWS - 1) / BLOCK_ROWS;
}

static int64_t block_end(const hsp_packed *P, int64_t block) {
    return block + 1 < blocks(P) ? (block + 1) * BLOCK_ROWS : P->rows;
}

typedef struct pass {
    const hsp_packed *P;
    const double *v;
    double b, *out;
} pass;

static void scores_of_block(void *ctx, int64_t block) {
    const pass *p = ctx;
    for (int64_t place = block * BLOCK_ROWS; place < block_end(p->P, block); place++)
        p->out[p->P->origin[place]] = hsp_packed_dot(p->P, place, p->v) + p->b;
}

void hsp_packed_scores(const hsp_packed *P, const double *v, double b, double *out) {
    pass p = {P, v, b, out};
    int threads = P->tile ? 1 : P->design->threads; /* there is one tile */
    hsp_pool_run(blocks(P), threads, scores_of_block, &p);
}

void hsp_packed_adjoint(const hsp_packed *P, const double *r, double *v) {
    for (int64_t j = 0; j < P->d; j++) v[j] = 0;
    for (int64_t place = 0; place < P->rows; place++) {
        double a = r[P->origin[place]];
        if (a != 0) hsp_packed_axpy(P, a, place, v);
    }
}

/* ---- columns ---- */

/* 0 for the greatest counts, the last for a column that no row has. */
static int class_of(uint32_t count) {
    return count ? __builtin_clz(count) : CLASSES - 1;
}

/* Columns by the power of two below their count, the greatest first; within such a class as the rows come to them, so that
 * columns which one row alone has lie side by side. `count` has d zeros and `first` room for d columns. */
static void find_labels(hsp_packed *P, uint32_t *count, uint32_t *first) {
    int64_t next[CLASSES + 1] = {0}, seen = 0;
    for (int64_t i = 0; i < P->design->n; i++) {
        hsp_row r = hsp_matrix_row(P->design->x, i);
        for (int64_t t = 0; t < r.count; t++) {
            int64_t j = hsp_row_id(r, t);
            if (count[j] == 0) first[seen++] = (uint32_t)j;
            count[j] += count[j] < UINT32_MAX;
        }
    }
    for (int64_t j = 0; j < P->d; j++) {
        if (count[j] == 0) first[seen++] = (uint32_t)j;
        next[class_of(count[j]) + 1]++;
    }
    for (int k = 0; k < CLASSES; k++) next[k + 1] += next[k];
    for (int64_t k = 0; k < P->d; k++) P->label[first[k]] = (uint32_t)next[class_of(count[first[k]])]++;
}

static int relabel(hsp_packed *P) {
    uint32_t *count = hsp_alloc_zero(P->d, sizeof *count), *first = hsp_alloc(P->d, sizeof *first);
    P->label = hsp_alloc(P->d, sizeof *P->label);
    int status = count && first && P->label ? HSP_OK : HSP_EMEMORY;
    if (!status) find_labels(P, count, first);
    hsp_free(count);
    hsp_free(first);
    return status;
}

/* ---- the copy ---- */

static void copy_ids(const hsp_packed *P, hsp_row r, int64_t at) {
    size_t size = hsp_row_id_size(r);
    uint16_t *narrow = (uint16_t *)P->x.id + at;
    if (!r.id || r.count == 0) return;
    if (!P->label && r.narrow == P->x.narrow) {
        memcpy((char *)P->x.id + (size_t)at * size, r.id, (size_t)r.count * size);
        return;
    }
    for (int64_t t = 0; t < r.count; t++) {
        int64_t from = hsp_row_id(r, t);
        uint32_t j = P->label ? P->label[from] : (uint32_t)from;
        if (P->x.narrow)
            narrow[t] = (uint16_t)j;
        else
            P->x.id[at + t] = j;
    }
}

static void copy_block(void *ctx, int64_t block) {
    const hsp_packed *P = ctx;
    size_t size = hsp_matrix_value_size(&P->x);
    for (int64_t place = block * BLOCK_ROWS; place < block_end(P, block); place++) {
        int64_t at = P->x.dense ? place * P->d : P->x.row[place];
        char *to = P->x.value ? (char *)P->x.value + (size_t)at * size : NULL;
        hsp_row r = hsp_design_row(P->design, P->origin[place], (double *)(void *)to); /* scaled: it is formed there */
        if (r.count > 0 && size > 0 && r.value != to) memcpy(to, r.value, (size_t)r.count * size);
        copy_ids(P, r, at);
    }
}

/* x without its arrays, and how many bytes those will take. */
static int64_t plan(hsp_packed *P) {
    const hsp_matrix *m = P->design->x;
    hsp_coding coding = P->design->factor ? HSP_CODING_F64 : hsp_matrix_coding(m);
    P->x = (hsp_matrix){.n = P->rows, .d = P->d, .dense = m->dense, .coding = coding};
    P->x.narrow = P->d <= NARROW_MOST;
    P->x.dtype = coding == HSP_CODING_F64 ? HSP_FLOAT64 : m->dtype;
    P->x.table = m->table;
    for (int64_t place = 0; place < P->rows; place++) P->x.stored += hsp_matrix_row(m, P->origin[place]).count;
    int64_t bytes = P->x.stored * (int64_t)hsp_matrix_value_size(&P->x);
    if (m->dense) return bytes;
    bytes += P->x.stored * (int64_t)hsp_matrix_id_size(&P->x) + (P->rows + 1) * (int64_t)sizeof *P->x.row;
    return P->d > RELABEL_FROM ? bytes + P->d * (int64_t)sizeof *P->label : bytes;
}

static int make_room(hsp_matrix *x) {
    int64_t value = (int64_t)hsp_matrix_value_size(x), id = x->dense ? 0 : (int64_t)hsp_matrix_id_size(x);
    if (value && !(x->value = hsp_alloc(x->stored, (size_t)value))) return HSP_EMEMORY;
    if (id && !(x->id = hsp_alloc(x->stored, (size_t)id))) return HSP_EMEMORY;
    if (id && !(x->row = hsp_alloc(x->n + 1, sizeof *x->row))) return HSP_EMEMORY;
    hsp_packed_large_pages(x->value, value * x->stored);
    hsp_packed_large_pages(x->id, id * x->stored);
    return HSP_OK;
}

static int copy(hsp_packed *P) {
    int status = make_room(&P->x);
    if (!status && !P->x.dense && P->d > RELABEL_FROM) status = relabel(P);
    if (status) return status;
    if (!P->x.dense) {
        P->x.row[0] = 0;
        for (int64_t place = 0; place < P->rows; place++)
            P->x.row[place + 1] = P->x.row[place] + hsp_matrix_row(P->design->x, P->origin[place]).count;
    }
    hsp_pool_run(blocks(P), P->design->threads, copy_block, P);
    P->copied = true;
    return HSP_OK;
}

int hsp_packed_new(const hsp_design *D, const int64_t *order, int64_t rows, int64_t most, hsp_packed **out,
                   hsp_error **err) {
    *out = NULL;
    hsp_packed *P = hsp_alloc_zero(1, sizeof *P);
    if (!P) return hsp_fail_memory(err);
    *P = (hsp_packed){.rows = rows, .d = D->d, .design = D};
    P->origin = hsp_alloc(rows, sizeof *P->origin);
    int status = P->origin ? HSP_OK : HSP_EMEMORY;
    if (!status) {
        if (rows > 0) memcpy(P->origin, order, (size_t)rows * sizeof *order);
        P->bytes = plan(P);
        if (P->bytes <= most) {
            status = copy(P);
        } else {
            P->bytes = 0;
            if (D->factor && !(P->tile = hsp_alloc(D->d, sizeof *P->tile))) status = HSP_EMEMORY;
        }
    }
    if (status) {
        hsp_packed_free(P);
        return hsp_fail_memory(err);
    }
    *out = P;
    return HSP_OK;
}

void hsp_packed_free(hsp_packed *P) {
    if (!P) return;
    void *all[] = {P->origin, P->label, P->tile, P->x.row, P->x.id, P->x.value, P};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) hsp_free(all[k]);
}

int64_t hsp_packed_room(const hsp_design *D) {
    return hsp_memory_limit() / 2 - hsp_matrix_bytes(D->x);
}

void hsp_packed_large_pages(void *array, int64_t bytes) {
    enum { PAGE = 1 << 21 };
    uintptr_t begin = ((uintptr_t)array + PAGE - 1) / PAGE * PAGE,
              end = ((uintptr_t)array + (uintptr_t)bytes) / PAGE * PAGE;
#ifdef MADV_HUGEPAGE
    if (array && end > begin) (void)madvise((void *)begin, end - begin, MADV_HUGEPAGE);
#else
    (void)begin, (void)end;
#endif
}
