/* Layouts. Dense takes n d s bytes, CSR z (4 + s) + 8 (n + 1), with s bytes a value and z non-zeros. The final layout is
 * the smaller of the two, so it depends on the content alone and not on how it was cut into blocks. While the rows
 * come in, the layout is changed when the other one would be smaller by a quarter, and not again before the rows have
 * doubled; so all changes together cost no more than a few passes. */
#include "data/store.h"

#include "base/memory.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double CLEARLY = 0.75;

/* In double: n d may exceed 2^63 for a matrix that will never be dense. No columns yet: CSR, there is nothing to spread. */
static double dense_bytes(const hsp_matrix *m, int64_t d) {
    return d > 0 ? (double)m->n * (double)d * (double)hsp_matrix_value_size(m) : INFINITY;
}

static double csr_bytes(const hsp_matrix *m) {
    return (double)m->nonzeros * (double)(sizeof *m->id + hsp_matrix_value_size(m)) +
           ((double)m->n + 1) * (double)sizeof *m->row;
}

/* Columns that are in use, for estimates: svmlight files from 1 leave column 0 empty. */
static int64_t columns(const hsp_store *s) {
    return s->m.d - (s->sparse && s->least > 0 && s->m.d > 1 ? 1 : 0);
}

static int grow_rows(hsp_store *s, int64_t rows) {
    return hsp_reserve((void **)&s->m.row, &s->row_capacity, rows + 1, sizeof *s->m.row);
}

static int grow_ids(hsp_store *s, int64_t needed) {
    return hsp_reserve((void **)&s->m.id, &s->id_capacity, needed > 0 ? needed : 1, sizeof *s->m.id);
}

static int grow_values(hsp_store *s, int64_t needed) {
    return hsp_reserve(&s->m.value, &s->value_capacity, needed > 0 ? needed : 1, hsp_matrix_value_size(&s->m));
}

/* ---- single values ---- */

static bool exact_in_float(const double *v, int64_t n) {
    for (int64_t t = 0; t < n; t++)
        if (!(fabs(v[t]) <= FLT_MAX) || (double)(float)v[t] != v[t]) return false;
    return true;
}

static void put(hsp_matrix *m, int64_t at, double v) {
    if (m->dtype == HSP_FLOAT32)
        ((float *)m->value)[at] = (float)v;
    else
        ((double *)m->value)[at] = v;
}

static double get(const hsp_matrix *m, int64_t at) {
    return m->dtype == HSP_FLOAT32 ? (double)((const float *)m->value)[at] : ((const double *)m->value)[at];
}

/* Moves one value to an index that may hold other values; bits are kept. */
static void move(hsp_matrix *m, int64_t to, int64_t from) {
    if (m->dtype == HSP_FLOAT32)
        ((float *)m->value)[to] = ((const float *)m->value)[from];
    else
        ((double *)m->value)[to] = ((const double *)m->value)[from];
}

static void put_zeros(hsp_matrix *m, int64_t at, int64_t n) {
    if (n > 0) memset((char *)m->value + (size_t)at * hsp_matrix_value_size(m), 0, (size_t)n * hsp_matrix_value_size(m));
}

/* float -> double, in place from the end. */
static int widen_values(hsp_store *s) {
    hsp_matrix *m = &s->m;
    if (m->dtype == HSP_FLOAT64) return 0;
    int64_t room = m->stored > 0 ? m->stored : 1;
    if (m->value) {
        void *p = hsp_resize(m->value, room, sizeof(double));
        if (!p) return HSP_EMEMORY;
        m->value = p;
        s->value_capacity = room;
        /* Through bytes: the same memory is read as float and written as double. */
        char *base = p;
        for (int64_t t = m->stored - 1; t >= 0; t--) {
            float f;
            memcpy(&f, base + (size_t)t * sizeof f, sizeof f);
            double v = (double)f;
            memcpy(base + (size_t)t * sizeof v, &v, sizeof v);
        }
    }
    m->dtype = HSP_FLOAT64;
    return 0;
}

/* ---- changes of layout, in place ---- */

/* Values move towards the front as the zeros between them go. */
static int to_csr(hsp_store *s) {
    hsp_matrix *m = &s->m;
    if (grow_rows(s, m->n) || grow_ids(s, m->nonzeros)) return HSP_EMEMORY;
    int64_t at = 0;
    m->row[0] = 0;
    for (int64_t i = 0; i < m->n; i++) {
        for (int64_t j = 0; j < m->d; j++) {
            int64_t from = i * m->d + j;
            if (get(m, from) == 0) continue;
            move(m, at, from);
            m->id[at++] = (uint32_t)j;
        }
        m->row[i + 1] = at;
    }
    m->stored = at;
    m->dense = false;
    return 0;
}

/* From the last value to the first: the t-th value of row i goes to i d + id[t], which is never before where it stands,
 * since ids ascend. */
static int to_dense(hsp_store *s) {
    hsp_matrix *m = &s->m;
    if (grow_values(s, m->n * m->d)) return HSP_EMEMORY;
    for (int64_t i = m->n - 1; i >= 0; i--) {
        int64_t end = (i + 1) * m->d; /* first index that is done */
        for (int64_t t = m->row[i + 1] - 1; t >= m->row[i]; t--) {
            int64_t to = i * m->d + m->id[t];
            move(m, to, t);
            put_zeros(m, to + 1, end - to - 1);
            end = to;
        }
        put_zeros(m, i * m->d, end - i * m->d);
    }
    m->stored = m->n * m->d;
    m->dense = true;
    hsp_free(m->row);
    hsp_free(m->id);
    m->row = NULL;
    m->id = NULL;
    s->row_capacity = s->id_capacity = 0;
    return 0;
}

/* Dense rows of another width, without their first `skip` columns. */
static int restride(hsp_store *s, int64_t skip, int64_t d) {
    hsp_matrix *m = &s->m;
    if (skip == 0 && d == m->d) return 0;
    int64_t keep = m->d - skip < d ? m->d - skip : d;
    size_t size = hsp_matrix_value_size(m);
    bool wider = d > m->d;
    if (wider && grow_values(s, m->n * d)) return HSP_EMEMORY;
    char *value = m->value;
    for (int64_t k = 0; k < m->n; k++) {
        int64_t i = wider ? m->n - 1 - k : k;
        memmove(value + (size_t)(i * d) * size, value + (size_t)(i * m->d + skip) * size, (size_t)keep * size);
        put_zeros(m, i * d + keep, d - keep);
    }
    m->d = d;
    m->stored = m->n * d;
    return 0;
}

/* After each block: the other layout when it is clearly smaller by now. */
static int reconsider(hsp_store *s) {
    hsp_matrix *m = &s->m;
    double dense = dense_bytes(m, columns(s)), csr = csr_bytes(m);
    bool change = m->dense ? csr < CLEARLY * dense : dense < CLEARLY * csr;
    if (!change || m->n < s->quiet) return 0;
    s->quiet = 2 * m->n;
    return m->dense ? to_csr(s) : to_dense(s);
}

/* ---- blocks ---- */

typedef struct summary {
    int64_t nonzeros;
    int64_t width; /* one more than the largest id of a non-zero */
    uint32_t least;
    bool exact; /* in float */
} summary;

static summary look(const hsp_block *b) {
    int64_t values = hsp_block_tail(b);
    summary k = {.width = b->dense ? b->d : 0, .least = UINT32_MAX, .exact = exact_in_float(b->value, values)};
    for (int64_t t = 0; t < values; t++) k.nonzeros += b->value[t] != 0;
    if (b->dense) return k;
    for (int64_t i = 0; i < b->rows; i++) {
        int64_t begin = b->row[i], end = b->row[i + 1];
        if (begin == end) continue;
        if (b->id[begin] < k.least) k.least = b->id[begin];
        if ((int64_t)b->id[end - 1] + 1 > k.width) k.width = (int64_t)b->id[end - 1] + 1;
    }
    return k;
}

static int append_csr(hsp_store *s, const hsp_block *b, int64_t nonzeros) {
    hsp_matrix *m = &s->m;
    if (grow_rows(s, m->n + b->rows) || grow_ids(s, m->stored + nonzeros) || grow_values(s, m->stored + nonzeros))
        return HSP_EMEMORY;
    m->row[m->n] = m->stored;
    for (int64_t i = 0; i < b->rows; i++) {
        int64_t begin = b->dense ? i * b->d : b->row[i], end = b->dense ? begin + b->d : b->row[i + 1];
        for (int64_t t = begin; t < end; t++) {
            if (b->value[t] == 0) continue;
            m->id[m->stored] = b->dense ? (uint32_t)(t - begin) : b->id[t];
            put(m, m->stored++, b->value[t]);
        }
        m->row[m->n + i + 1] = m->stored;
    }
    return 0;
}

static int append_dense(hsp_store *s, const hsp_block *b) {
    hsp_matrix *m = &s->m;
    int64_t values = b->rows * m->d;
    if (grow_values(s, m->stored + values)) return HSP_EMEMORY;
    if (b->dense) {
        for (int64_t t = 0; t < values; t++) put(m, m->stored + t, b->value[t]);
    } else {
        put_zeros(m, m->stored, values);
        for (int64_t i = 0; i < b->rows; i++)
            for (int64_t t = b->row[i]; t < b->row[i + 1]; t++) put(m, m->stored + i * m->d + b->id[t], b->value[t]);
    }
    m->stored += values;
    return 0;
}

/* A dense store of sparse blocks meets an id beyond its columns: wider rows if they are still worth it and the last change
 * is long ago, else CSR. */
static int make_wider(hsp_store *s, int64_t width) {
    hsp_matrix *m = &s->m;
    bool dense = m->n >= s->quiet && dense_bytes(m, width) < csr_bytes(m);
    s->quiet = 2 * m->n;
    int rc = dense ? restride(s, 0, width) : to_csr(s);
    if (rc == 0) m->d = width;
    return rc;
}

int hsp_store_add(hsp_store *s, const hsp_block *b) {
    hsp_matrix *m = &s->m;
    if (b->rows == 0) return 0;
    summary k = look(b);
    if (m->n == 0) {
        hsp_matrix first = {.n = b->rows, .nonzeros = k.nonzeros, .dtype = k.exact ? HSP_FLOAT32 : HSP_FLOAT64};
        s->sparse = !b->dense;
        s->least = k.least;
        m->dtype = first.dtype;
        m->d = k.width;
        m->dense = dense_bytes(&first, columns(s)) < csr_bytes(&first);
    }
    if (!k.exact && widen_values(s)) return HSP_EMEMORY;
    if (k.width > m->d) {
        if (m->dense && make_wider(s, k.width)) return HSP_EMEMORY;
        m->d = k.width;
    }
    if (k.least < s->least) s->least = k.least;
    if (m->dense ? append_dense(s, b) : append_csr(s, b, k.nonzeros)) return HSP_EMEMORY;
    m->nonzeros += k.nonzeros;
    m->n += b->rows;
    return reconsider(s);
}

/* ---- the end ---- */

/* Gives back what was reserved; a smaller block that cannot be had is no failure. */
static void *trim(void *p, int64_t count, size_t size) {
    void *q = p ? hsp_resize(p, count > 0 ? count : 1, size) : NULL;
    return q ? q : p;
}

int hsp_store_finish(hsp_store *s, int64_t d, int base, hsp_matrix *out) {
    hsp_matrix *m = &s->m;
    bool dense = dense_bytes(m, d) < csr_bytes(m);
    if (m->dense && !dense && to_csr(s)) return HSP_EMEMORY;
    if (m->dense) {
        if (restride(s, base, d)) return HSP_EMEMORY;
    } else {
        for (int64_t t = 0; base > 0 && t < m->stored; t++) m->id[t] -= (uint32_t)base;
        m->d = d;
        if (dense && to_dense(s)) return HSP_EMEMORY;
    }
    if (!m->dense && grow_ids(s, 1)) return HSP_EMEMORY;
    if (grow_values(s, 1)) return HSP_EMEMORY;
    m->value = trim(m->value, m->stored, hsp_matrix_value_size(m));
    m->id = trim(m->id, m->stored, sizeof *m->id);
    m->row = trim(m->row, m->n + 1, sizeof *m->row);
    *out = *m;
    *s = (hsp_store){0};
    return 0;
}

void hsp_store_free(hsp_store *s) {
    hsp_matrix_clear(&s->m);
    *s = (hsp_store){0};
}
