/* Layouts. With z non-zeros, i bytes an id and s bytes a value they take
 *     dense  n d s bytes
 *     CSR    z (i + s) + 8 (n + 1) bytes
 * A value takes 0 bytes if all are equal (CSR only), 1 if at most 256 are distinct (dense counts 0 as one), 4 if all are
 * exact in float, else 8. The first two need a table, which must save more than it takes. The final layout is the smaller
 * one, so it depends on the content alone and not on the blocks. While rows are added, the layout changes if the other one
 * is smaller by a quarter, and not again before the rows have doubled: all changes together cost a few passes. */
#include "data/store.h"

#include "base/memory.h"
#include "kernel/form.h"

#include <math.h>
#include <string.h>

static const double CLEARLY = 0.75;

/* ---- writers ---- */

void hsp_store_begin(hsp_store *s) {
    hsp_codes_reset(&s->codes);
    atomic_init(&s->known, 0);
    atomic_init(&s->inexact, false);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->idle, NULL);
}

void hsp_store_free(hsp_store *s) {
    hsp_matrix_clear(&s->m);
    pthread_cond_destroy(&s->idle);
    pthread_mutex_destroy(&s->lock);
}

void hsp_store_hints(const hsp_store *s, hsp_digest_hints *h) {
    h->known = atomic_load_explicit(&s->known, memory_order_acquire);
    h->value = s->codes.value; /* the first `known` never change */
    h->inexact = atomic_load_explicit(&s->inexact, memory_order_relaxed);
}

void hsp_store_wait(hsp_store *s) {
    pthread_mutex_lock(&s->lock);
    while (s->writers > 0) pthread_cond_wait(&s->idle, &s->lock);
    pthread_mutex_unlock(&s->lock);
}

void hsp_store_written(hsp_store *s) {
    pthread_mutex_lock(&s->lock);
    if (--s->writers == 0) pthread_cond_signal(&s->idle);
    pthread_mutex_unlock(&s->lock);
}

/* ---- which layout ---- */

static double value_bytes(const hsp_store *s, bool dense, double values) {
    hsp_coding coding = hsp_store_coding(s, dense, values);
    double table = coding >= HSP_CODING_CODE8 ? HSP_TABLE * (double)sizeof(double) : 0;
    return values * (double)hsp_coding_size(coding) + table;
}

/* In double: n d may exceed 2^63 for a matrix that will never be dense. Without columns yet: CSR. */
static double dense_bytes(const hsp_store *s, int64_t n, int64_t d) {
    return d > 0 ? value_bytes(s, true, (double)n * (double)d) : INFINITY;
}

static double csr_bytes(const hsp_store *s, int64_t n, int64_t d, int64_t nonzeros) {
    size_t id = d <= HSP_NARROW ? sizeof(uint16_t) : sizeof(uint32_t);
    return (double)nonzeros * (double)id + value_bytes(s, false, (double)nonzeros) +
           ((double)n + 1) * (double)sizeof *s->m.row;
}

/* Changes to the other layout if it is clearly smaller. */
static int improve_layout(hsp_store *s) {
    hsp_matrix *m = &s->m;
    double dense = dense_bytes(s, m->n, m->d), csr = csr_bytes(s, m->n, m->d, m->nonzeros);
    bool change = m->dense ? csr < CLEARLY * dense : dense < CLEARLY * csr;
    if (!change || m->n < s->next_change) return 0;
    s->next_change = 2 * m->n;
    hsp_store_wait(s);
    return m->dense ? hsp_store_to_csr(s) : hsp_store_to_dense(s);
}

/* ---- blocks ---- */

/* Gives new numbers codes, and maps the codes of the block to those of the store. */
static void absorb_codes(hsp_store *s, hsp_digest *g) {
    if (atomic_load_explicit(&s->known, memory_order_relaxed) > HSP_CODES_MOST) return;
    bool held = g->coded;
    for (int k = 0; k < HSP_CODES_MOST; k++) g->to.map[k] = (uint8_t)k;
    g->to.same = true;
    for (int k = g->known; held && k < g->codes.count; k++) {
        int code = hsp_codes_add(&s->codes, g->codes.value[k]);
        held = code >= 0;
        g->to.map[k] = (uint8_t)code;
        g->to.same = g->to.same && code == k;
        s->minus_zero = s->minus_zero || g->codes.value[k] << 1 == 0;
    }
    atomic_store_explicit(&s->known, held ? s->codes.count : HSP_CODES_MOST + 1, memory_order_release);
}

/* Adds columns. A dense matrix gets wider rows if it is still the smaller one and the last change is long ago; else it
 * becomes CSR. */
static int add_columns(hsp_store *s, int64_t d) {
    hsp_matrix *m = &s->m;
    if (m->dense) {
        bool dense = m->n >= s->next_change && dense_bytes(s, m->n, d) < csr_bytes(s, m->n, d, m->nonzeros);
        s->next_change = 2 * m->n;
        hsp_store_wait(s);
        if (dense) return hsp_store_shift(s, 0, d);
        if (hsp_store_to_csr(s)) return HSP_EMEMORY;
    }
    if (m->ids == HSP_IDS_16 && d > HSP_NARROW) {
        hsp_store_wait(s);
        if (hsp_store_widen_ids(s)) return HSP_EMEMORY;
    }
    m->d = d;
    return 0;
}

/* Changes the matrix so that it can hold the block. */
static int adapt_to_block(hsp_store *s, const hsp_digest *g) {
    hsp_matrix *m = &s->m;
    if (improve_layout(s)) return HSP_EMEMORY;
    if (s->sparse && g->least == 0 && s->base == 1) {
        hsp_store_wait(s);
        s->base = 0;
        if (m->ids == HSP_IDS_16 && m->d >= HSP_NARROW && hsp_store_widen_ids(s)) return HSP_EMEMORY;
        if (hsp_store_shift(s, 1, m->d + 1)) return HSP_EMEMORY;
    }
    if (s->sparse && g->largest + 1 - s->base > m->d && add_columns(s, g->largest + 1 - s->base)) return HSP_EMEMORY;
    hsp_coding coding = hsp_store_coding(s, m->dense, 0);
    if (coding >= m->coding) return 0;
    hsp_store_wait(s);
    return hsp_store_recode(s, coding);
}

static int reserve_arrays(hsp_store *s, int64_t rows, int64_t stored) {
    hsp_matrix *m = &s->m;
    bool fits = (m->dense || (rows < s->row_capacity && stored * (int64_t)hsp_matrix_id_size(m) <= s->id_capacity)) &&
                stored * (int64_t)hsp_coding_size(m->coding) <= s->value_capacity;
    if (fits) return 0;
    hsp_store_wait(s);
    if (!m->dense && (hsp_store_reserve_rows(s, rows) || hsp_store_reserve_ids(s, stored))) return HSP_EMEMORY;
    return hsp_store_reserve_values(s, stored);
}

int hsp_store_place(hsp_store *s, const hsp_block *b, hsp_digest *g) {
    hsp_matrix *m = &s->m;
    absorb_codes(s, g);
    if (!g->exact) atomic_store_explicit(&s->inexact, true, memory_order_relaxed);
    s->entries += g->entries;
    if (m->n == 0) {
        s->sparse = !b->dense;
        s->base = s->sparse && g->least > 0;
        m->d = b->dense ? b->d : g->largest + 1 > s->base ? g->largest + 1 - s->base : 0;
        m->ids = m->d <= HSP_NARROW ? HSP_IDS_16 : HSP_IDS_32;
        m->dense = dense_bytes(s, b->rows, m->d) < csr_bytes(s, b->rows, m->d, g->nonzeros);
        m->coding = hsp_store_coding(s, m->dense, 0);
    } else if (adapt_to_block(s, g)) {
        return HSP_EMEMORY;
    }
    int64_t stored = m->stored + (m->dense ? b->rows * m->d : g->entries);
    if (reserve_arrays(s, m->n + b->rows, stored)) return HSP_EMEMORY;
    g->to.row = m->n;
    g->to.at = m->stored;
    m->n += b->rows;
    m->stored = stored;
    m->nonzeros += g->nonzeros;
    pthread_mutex_lock(&s->lock);
    s->writers++;
    pthread_mutex_unlock(&s->lock);
    return 0;
}

/* ---- the end ---- */

/* The numbers in the order of their codes. With HSP_CODING_ONE, -0, which CSR drops, is left out. */
static int make_table(const hsp_store *s, hsp_matrix *m) {
    if (m->coding < HSP_CODING_CODE8) return 0;
    if (!HSP_ALLOC_ZERO(m->table, HSP_TABLE)) return HSP_EMEMORY;
    int at = 0;
    for (int k = 0; k < s->codes.count; k++) {
        bool dropped = m->coding == HSP_CODING_ONE && s->codes.value[k] << 1 == 0;
        if (!dropped) memcpy(&m->table[at++], &s->codes.value[k], sizeof *m->table);
    }
    return 0;
}

/* Brings the matrix into the final layout and coding. */
static int finish_layout(hsp_store *s, int64_t d, int base) {
    hsp_matrix *m = &s->m;
    s->finished = true;
    bool dense = dense_bytes(s, m->n, d) < csr_bytes(s, m->n, d, m->nonzeros);
    if (!dense && m->dense && hsp_store_to_csr(s)) return HSP_EMEMORY;
    if (m->ids == HSP_IDS_16 && d > HSP_NARROW && hsp_store_widen_ids(s)) return HSP_EMEMORY;
    if (hsp_store_shift(s, s->sparse ? s->base - base : 0, d)) return HSP_EMEMORY;
    if (dense && !m->dense && hsp_store_to_dense(s)) return HSP_EMEMORY;
    if (!dense) hsp_store_drop_zeros(s);
    return hsp_store_recode(s, hsp_store_coding(s, dense, (double)m->stored));
}

int hsp_store_finish(hsp_store *s, int64_t d, int base, hsp_matrix *out) {
    hsp_matrix *m = &s->m;
    if (finish_layout(s, d, base) || make_table(s, m) || (!m->dense && hsp_store_reserve_ids(s, 1)) ||
        hsp_store_reserve_values(s, 1))
        return HSP_EMEMORY;
    m->value = hsp_shrink(m->value, m->stored, hsp_coding_size(m->coding));
    m->id = hsp_shrink(m->id, m->stored, hsp_matrix_id_size(m));
    m->row = hsp_shrink(m->row, m->n + 1, sizeof *m->row);
    m->dtype = atomic_load(&s->inexact) ? HSP_FLOAT64 : HSP_FLOAT32;
    m->stride = m->dense ? d : 0;
    if (m->dense) m->ids = HSP_IDS_32;
    *out = *m;
    *m = (hsp_matrix){0};
    return 0;
}

/* ---- blocks that are counted ---- */

void hsp_store_count(hsp_store *s, const hsp_block *b, hsp_digest *g) {
    absorb_codes(s, g);
    if (!g->exact) atomic_store_explicit(&s->inexact, true, memory_order_relaxed);
    s->entries += g->entries;
    s->m.n += b->rows;
    s->m.nonzeros += g->nonzeros;
}

int hsp_store_shape(hsp_store *s, int64_t d, hsp_shape *out) {
    int64_t all;
    s->finished = true;
    out->n = s->m.n;
    out->d = d;
    out->nonzeros = s->m.nonzeros;
    out->dense = dense_bytes(s, out->n, d) < csr_bytes(s, out->n, d, out->nonzeros);
    if (out->dense && __builtin_mul_overflow(out->n, d, &all)) return HSP_EMEMORY;
    out->stored = out->dense ? all : out->nonzeros;
    out->ids = out->dense || d > HSP_NARROW ? HSP_IDS_32 : HSP_IDS_16;
    out->coding = hsp_store_coding(s, out->dense, (double)out->stored);
    out->dtype = atomic_load(&s->inexact) ? HSP_FLOAT64 : HSP_FLOAT32;
    out->codes = s->codes;
    hsp_matrix m = {.coding = out->coding};
    int status = make_table(s, &m);
    out->table = m.table;
    return status;
}

int64_t hsp_shape_bytes(const hsp_shape *s, int64_t rows, int64_t stored) {
    int64_t value = (int64_t)hsp_coding_size(s->coding), id = (int64_t)hsp_ids_size(s->ids);
    int64_t bytes = stored * value + (s->dense ? 0 : stored * id + (rows + 1) * (int64_t)sizeof(int64_t));
    if (s->labelled) bytes += rows * (int64_t)(s->regression ? sizeof(double) : sizeof(int32_t));
    return bytes + (s->weighted ? rows * (int64_t)sizeof(double) : 0);
}
