/* Writes the values of a block to their place. Threads write neighbouring blocks concurrently: nothing may be written
 * outside the block's own part of the arrays, not even temporarily. */
#include "data/store.h"
#include "kernel/form.h"

#include <string.h>

enum { PICKED = 256 };

static uint8_t code_of(const hsp_digest *g, int64_t t) {
    return g->to.map[g->uniform ? g->one : g->code[t]];
}

/* ---- all values in order ---- */

static void copy_codes(uint8_t *restrict to, const hsp_digest *g, int64_t n) {
    if (g->uniform)
        memset(to, g->to.map[g->one], (size_t)n);
    else if (g->to.same)
        memcpy(to, g->code, (size_t)n);
    else
        for (int64_t t = 0; t < n; t++) to[t] = g->to.map[g->code[t]];
}

static void copy_values(const hsp_matrix *m, const hsp_digest *g, const double *restrict v, int64_t n) {
    if (n == 0) return;
    float *restrict single = (float *)m->value + (m->coding == HSP_CODING_F32 ? g->to.at : 0);
    if (m->coding == HSP_CODING_F64)
        memcpy((double *)m->value + g->to.at, v, (size_t)n * sizeof *v);
    else if (m->coding == HSP_CODING_F32)
        for (int64_t t = 0; t < n; t++) single[t] = (float)v[t];
    else if (m->coding == HSP_CODING_CODE8)
        copy_codes((uint8_t *)m->value + g->to.at, g, n);
}

static void copy_ids(const hsp_store *s, const hsp_digest *g, const uint32_t *restrict id, int64_t n) {
    uint32_t base = (uint32_t)s->base;
    uint16_t *restrict narrow = (uint16_t *)(void *)s->m.id + (s->m.ids == HSP_IDS_16 ? g->to.at : 0);
    uint32_t *restrict wide = (uint32_t *)(void *)s->m.id + (s->m.ids == HSP_IDS_16 ? 0 : g->to.at);
    if (s->m.ids == HSP_IDS_16)
        for (int64_t t = 0; t < n; t++) narrow[t] = (uint16_t)(id[t] - base);
    else
        for (int64_t t = 0; t < n; t++) wide[t] = id[t] - base;
}

static void copy_sparse(const hsp_store *s, const hsp_block *b, const hsp_digest *g) {
    int64_t *restrict row = s->m.row + g->to.row + 1;
    const int64_t *restrict from = b->row + 1;
    for (int64_t i = 0; i < b->rows; i++) row[i] = g->to.at + from[i];
    copy_ids(s, g, b->id, g->entries);
    copy_values(&s->m, g, b->value, g->entries);
}

/* ---- entries among zeros ---- */

/* at: the indices of the entries of v[from .. to-1]; how many. */
static int find_entries(const double *v, int64_t from, int64_t to, int64_t *at) {
    int count = 0;
    for (int64_t t = from; t < to; t++) {
        uint64_t bits;
        memcpy(&bits, v + t, sizeof bits);
        at[count] = t;
        count += bits != 0;
    }
    return count;
}

static void write_entries(const hsp_store *s, const hsp_block *b, const hsp_digest *g, const int64_t *from, int count,
                          int64_t begin, int64_t at) {
    const hsp_matrix *m = &s->m;
    for (int k = 0; k < count; k++) {
        int64_t j = b->dense ? from[k] - begin : (int64_t)b->id[from[k]] - s->base;
        if (m->ids == HSP_IDS_16)
            ((uint16_t *)(void *)m->id)[at + k] = (uint16_t)j;
        else
            ((uint32_t *)(void *)m->id)[at + k] = (uint32_t)j;
    }
    if (m->coding == HSP_CODING_F64)
        for (int k = 0; k < count; k++) ((double *)m->value)[at + k] = b->value[from[k]];
    else if (m->coding == HSP_CODING_F32)
        for (int k = 0; k < count; k++) ((float *)m->value)[at + k] = (float)b->value[from[k]];
    else if (m->coding == HSP_CODING_CODE8)
        for (int k = 0; k < count; k++) ((uint8_t *)m->value)[at + k] = code_of(g, from[k]);
}

static void copy_entries(const hsp_store *s, const hsp_block *b, const hsp_digest *g) {
    int64_t picked[PICKED], at = g->to.at;
    for (int64_t i = 0; i < b->rows; i++) {
        int64_t begin = b->dense ? i * b->d : b->row[i], end = b->dense ? begin + b->d : b->row[i + 1];
        for (int64_t from = begin; from < end; from += PICKED) {
            int count = find_entries(b->value, from, from + PICKED < end ? from + PICKED : end, picked);
            write_entries(s, b, g, picked, count, begin, at);
            at += count;
        }
        s->m.row[g->to.row + i + 1] = at;
    }
}

/* ---- sparse rows to dense ones ---- */

static void write_dense(const hsp_store *s, const hsp_block *b, const hsp_digest *g) {
    const hsp_matrix *m = &s->m;
    size_t size = hsp_coding_size(m->coding);
    int zero = m->coding == HSP_CODING_CODE8 ? HSP_CODES_ZERO : 0;
    memset((char *)m->value + (size_t)g->to.at * size, zero, (size_t)(b->rows * m->d) * size);
    for (int64_t i = 0; i < b->rows; i++) {
        int64_t to = g->to.at + i * m->d - s->base;
        if (m->coding == HSP_CODING_F64)
            for (int64_t t = b->row[i]; t < b->row[i + 1]; t++) ((double *)m->value)[to + b->id[t]] = b->value[t];
        else if (m->coding == HSP_CODING_F32)
            for (int64_t t = b->row[i]; t < b->row[i + 1]; t++) ((float *)m->value)[to + b->id[t]] = (float)b->value[t];
        else
            for (int64_t t = b->row[i]; t < b->row[i + 1]; t++) ((uint8_t *)m->value)[to + b->id[t]] = code_of(g, t);
    }
}

void hsp_store_write(const hsp_store *s, const hsp_block *b, const hsp_digest *g) {
    if (s->m.dense && b->dense)
        copy_values(&s->m, g, b->value, hsp_block_tail(b));
    else if (s->m.dense)
        write_dense(s, b, g);
    else if (!b->dense && g->entries == hsp_block_tail(b))
        copy_sparse(s, b, g);
    else
        copy_entries(s, b, g);
}
