/* Changes of layout and coding in place. Arrays that grow are converted from the last value to the first, those that shrink
 * from the first to the last, so that no value is overwritten before it has moved. Memory that changes its type is read and
 * written as bytes. */
#include "base/memory.h"
#include "data/store.h"
#include "kernel/form.h"

#include <string.h>

/* ---- capacity ---- */

int hsp_store_reserve_rows(hsp_store *s, int64_t rows) {
    bool first = !s->m.row;
    if (HSP_RESERVE(s->m.row, s->row_capacity, rows + 1)) return HSP_EMEMORY;
    if (first) s->m.row[0] = 0;
    return 0;
}

/* The product of count and size is checked for overflow. */
static int reserve_bytes(void **p, int64_t *capacity, int64_t count, size_t size) {
    int64_t bytes;
    if (size == 0) return 0;
    if (__builtin_mul_overflow(count > 0 ? count : 1, (int64_t)size, &bytes)) return HSP_EMEMORY;
    return hsp_reserve(p, capacity, bytes, 1);
}

int hsp_store_reserve_ids(hsp_store *s, int64_t count) {
    return reserve_bytes((void **)&s->m.id, &s->id_capacity, count, hsp_matrix_id_size(&s->m));
}

int hsp_store_reserve_values(hsp_store *s, int64_t count) {
    return reserve_bytes(&s->m.value, &s->value_capacity, count, hsp_coding_size(s->m.coding));
}

/* ---- coding ---- */

/* Until the last block a table counts as free: many rows may follow. */
hsp_coding hsp_store_coding(const hsp_store *s, bool dense, double values) {
    int numbers = atomic_load_explicit(&s->known, memory_order_relaxed);
    bool inexact = atomic_load_explicit(&s->inexact, memory_order_relaxed);
    hsp_coding plain = inexact ? HSP_CODING_F64 : HSP_CODING_F32, coded = plain;
    if (!dense && numbers - (s->finished && s->minus_zero) <= 1)
        coded = HSP_CODING_ONE;
    else if (numbers <= HSP_CODES_MOST - dense)
        coded = HSP_CODING_CODE8;
    double saved = values * (double)(hsp_coding_size(plain) - hsp_coding_size(coded));
    return s->finished && saved <= HSP_TABLE * (double)sizeof(double) ? plain : coded;
}

/* The byte 255 of a dense matrix is zero, even after a 256th number was found, which makes the coding change. */
static double load_value(const hsp_store *s, const unsigned char *base, hsp_coding coding, int64_t t) {
    float f;
    double v = 0;
    if (coding == HSP_CODING_F64) {
        memcpy(&v, base + (size_t)t * sizeof v, sizeof v);
    } else if (coding == HSP_CODING_F32) {
        memcpy(&f, base + (size_t)t * sizeof f, sizeof f);
        v = (double)f;
    } else if (base[t] < HSP_CODES_MOST - s->m.dense) {
        memcpy(&v, &s->codes.value[base[t]], sizeof v);
    }
    return v;
}

static void store_value(hsp_store *s, unsigned char *base, hsp_coding coding, int64_t t, double v) {
    if (coding == HSP_CODING_F64) {
        memcpy(base + (size_t)t * sizeof v, &v, sizeof v);
    } else if (coding == HSP_CODING_F32) {
        float f = (float)v;
        memcpy(base + (size_t)t * sizeof f, &f, sizeof f);
    } else {
        uint64_t bits;
        memcpy(&bits, &v, sizeof bits);
        base[t] = (unsigned char)hsp_codes_add(&s->codes, bits);
    }
}

int hsp_store_recode(hsp_store *s, hsp_coding to) {
    hsp_matrix *m = &s->m;
    hsp_coding from = m->coding;
    if (from == to) return 0;
    m->coding = to;
    if (to == HSP_CODING_ONE) {
        hsp_free(m->value);
        m->value = NULL;
        s->value_capacity = 0;
        return 0;
    }
    if (hsp_store_reserve_values(s, m->stored)) return HSP_EMEMORY;
    unsigned char *base = m->value;
    if (from == HSP_CODING_ONE) {
        memset(base, 0, m->stored > 0 ? (size_t)m->stored : 1); /* the first number's code */
        m->coding = HSP_CODING_CODE8;
        return hsp_store_recode(s, to);
    }
    if (to < from)
        for (int64_t t = m->stored - 1; t >= 0; t--) store_value(s, base, to, t, load_value(s, base, from, t));
    else
        for (int64_t t = 0; t < m->stored; t++) store_value(s, base, to, t, load_value(s, base, from, t));
    return 0;
}

/* ---- columns ---- */

int hsp_store_widen_ids(hsp_store *s) {
    hsp_matrix *m = &s->m;
    m->ids = HSP_IDS_32;
    if (!m->id) return 0;
    if (hsp_store_reserve_ids(s, m->stored)) return HSP_EMEMORY;
    unsigned char *base = (unsigned char *)m->id;
    for (int64_t t = m->stored - 1; t >= 0; t--) {
        uint16_t narrow;
        memcpy(&narrow, base + (size_t)t * sizeof narrow, sizeof narrow);
        uint32_t wide = narrow;
        memcpy(base + (size_t)t * sizeof wide, &wide, sizeof wide);
    }
    return 0;
}

static void put_zeros(hsp_matrix *m, int64_t at, int64_t n) {
    size_t size = hsp_coding_size(m->coding);
    int zero = m->coding == HSP_CODING_CODE8 ? HSP_CODES_ZERO : 0;
    if (n > 0) memset((char *)m->value + (size_t)at * size, zero, (size_t)n * size);
}

/* Moves dense rows to a new width. */
static int restride(hsp_store *s, int shift, int64_t d) {
    hsp_matrix *m = &s->m;
    int64_t old = m->d;
    if (d == old) return 0;
    int64_t stored;
    if (__builtin_mul_overflow(m->n, d, &stored)) return HSP_EMEMORY;
    if (hsp_store_reserve_values(s, stored)) return HSP_EMEMORY;
    size_t size = hsp_coding_size(m->coding);
    char *value = m->value;
    for (int64_t i = m->n - 1; i >= 0; i--) {
        memmove(value + (size_t)(i * d + shift) * size, value + (size_t)(i * old) * size, (size_t)old * size);
        put_zeros(m, i * d, shift);
        put_zeros(m, i * d + shift + old, d - old - shift);
    }
    m->stored = stored;
    return 0;
}

int hsp_store_shift(hsp_store *s, int shift, int64_t d) {
    hsp_matrix *m = &s->m;
    if (m->dense && restride(s, shift, d)) return HSP_EMEMORY;
    m->d = d;
    if (m->dense || shift == 0) return 0;
    uint16_t *narrow = (uint16_t *)(void *)m->id;
    uint32_t *wide = (uint32_t *)(void *)m->id;
    if (m->ids == HSP_IDS_16)
        for (int64_t t = 0; t < m->stored; t++) narrow[t]++;
    else
        for (int64_t t = 0; t < m->stored; t++) wide[t]++;
    return 0;
}

/* ---- layout ---- */

/* Whether a value of a dense matrix is zero; -0 is not. */
static bool is_zero(const hsp_matrix *m, int64_t t) {
    const unsigned char *base = m->value;
    uint32_t half;
    uint64_t bits;
    if (m->coding == HSP_CODING_CODE8) return base[t] == HSP_CODES_ZERO;
    if (m->coding == HSP_CODING_F32) {
        memcpy(&half, base + (size_t)t * sizeof half, sizeof half);
        return half == 0;
    }
    memcpy(&bits, base + (size_t)t * sizeof bits, sizeof bits);
    return bits == 0;
}

static void move_value(hsp_matrix *m, int64_t to, int64_t from) {
    unsigned char *base = m->value;
    if (m->coding == HSP_CODING_CODE8)
        base[to] = base[from];
    else if (m->coding == HSP_CODING_F32)
        memmove(base + (size_t)to * sizeof(float), base + (size_t)from * sizeof(float), sizeof(float));
    else if (m->coding == HSP_CODING_F64)
        memmove(base + (size_t)to * sizeof(double), base + (size_t)from * sizeof(double), sizeof(double));
}

static int64_t get_id(const hsp_matrix *m, int64_t t) {
    return m->ids == HSP_IDS_16 ? ((const uint16_t *)(const void *)m->id)[t] : ((const uint32_t *)(const void *)m->id)[t];
}

static void put_id(hsp_matrix *m, int64_t t, int64_t j) {
    if (m->ids == HSP_IDS_16)
        ((uint16_t *)(void *)m->id)[t] = (uint16_t)j;
    else
        ((uint32_t *)(void *)m->id)[t] = (uint32_t)j;
}

int hsp_store_to_csr(hsp_store *s) {
    hsp_matrix *m = &s->m;
    m->ids = m->d <= HSP_NARROW ? HSP_IDS_16 : HSP_IDS_32;
    if (hsp_store_reserve_rows(s, m->n) || hsp_store_reserve_ids(s, s->entries)) return HSP_EMEMORY;
    int64_t at = 0;
    for (int64_t i = 0; i < m->n; i++) {
        for (int64_t j = 0; j < m->d; j++) {
            int64_t from = i * m->d + j;
            if (is_zero(m, from)) continue;
            move_value(m, at, from);
            put_id(m, at++, j);
        }
        m->row[i + 1] = at;
    }
    m->stored = at;
    m->dense = false;
    return 0;
}

/* From the last value to the first: value t of row i moves to i d + id[t], never to the left, since ids ascend. */
int hsp_store_to_dense(hsp_store *s) {
    hsp_matrix *m = &s->m;
    int64_t stored;
    if (__builtin_mul_overflow(m->n, m->d, &stored)) return HSP_EMEMORY;
    hsp_coding coding = hsp_store_coding(s, true, (double)stored);
    if (coding < m->coding && hsp_store_recode(s, coding)) return HSP_EMEMORY;
    if (hsp_store_reserve_values(s, stored)) return HSP_EMEMORY;
    for (int64_t i = m->n - 1; i >= 0; i--) {
        int64_t end = (i + 1) * m->d; /* first index that is done */
        for (int64_t t = m->row[i + 1] - 1; t >= m->row[i]; t--) {
            int64_t to = i * m->d + get_id(m, t);
            move_value(m, to, t);
            put_zeros(m, to + 1, end - to - 1);
            end = to;
        }
        put_zeros(m, i * m->d, end - i * m->d);
    }
    m->stored = stored;
    m->dense = true;
    HSP_FREE(m->row, m->id);
    m->row = NULL;
    m->id = NULL;
    s->row_capacity = s->id_capacity = 0;
    return 0;
}

void hsp_store_drop_zeros(hsp_store *s) {
    hsp_matrix *m = &s->m;
    if (m->stored == m->nonzeros) return;
    int64_t at = 0, begin = 0;
    for (int64_t i = 0; i < m->n; i++) {
        int64_t end = m->row[i + 1];
        for (int64_t t = begin; t < end; t++) {
            if (m->coding != HSP_CODING_ONE && load_value(s, m->value, m->coding, t) == 0) continue;
            if (m->coding == HSP_CODING_ONE && s->minus_zero) continue;
            move_value(m, at, t);
            put_id(m, at++, get_id(m, t));
        }
        begin = end;
        m->row[i + 1] = at;
    }
    m->stored = at;
}
