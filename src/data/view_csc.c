/* A data set of CSC arrays of the caller, turned into CSR: one pass over the entries counts those of each row, another places
 * them. Twins, entries of the same row and column, are added up in one more copy. */
#include "base/error.h"
#include "base/memory.h"
#include "data/array_input.h"
#include "data/compressed.h"
#include "data/from_memory.h"
#include "kernel/form.h"

#include <math.h>
#include <string.h>

enum { PIECE = 256, NARROW = 65536 }; /* entries read at a time; columns that ids of 16 bits can tell apart */

/* The transposed entries, in memory of their own. */
typedef struct turned {
    int64_t n, d;
    int64_t *next;       /* n + 1: while counting, entries of the row before; then where the next entry of a row goes */
    int32_t *last;       /* while counting: the last column of each row, plus 1 */
    void *id, *value;    /* columns ascend in a row, since they come in order */
    bool narrow, single; /* ids of 16 bits, floats */
    bool twins;          /* some row has a column twice */
} turned;                /* owns its arrays */

/* A part of a column. */
typedef struct part {
    int64_t column, count, row[PIECE];
    double value[PIECE];
} part;

static int check_part(const part *p, int64_t n, hsp_error **err) {
    for (int64_t t = 0; t < p->count; t++) {
        if (p->row[t] < 0 || p->row[t] >= n)
            return hsp_fail(err, HSP_EINPUT, "column %lld has row %lld, but rows are numbered 0 to %lld: check the indices",
                            (long long)p->column, (long long)p->row[t], (long long)n - 1);
        if (!isfinite(p->value[t])) return hsp_memory_fail_value(p->row[t], p->column, err);
    }
    return 0;
}

static void count_part(turned *u, const part *p) {
    int32_t column = (int32_t)p->column + 1;
    for (int64_t t = 0; t < p->count; t++) {
        int64_t i = p->row[t];
        if (p->value[t] == 0) continue;
        u->next[i + 1]++;
        u->twins = u->twins || u->last[i] == column;
        u->last[i] = column;
    }
}

static void place_part(turned *u, const part *p) {
    for (int64_t t = 0; t < p->count; t++) {
        if (p->value[t] == 0) continue;
        int64_t at = u->next[p->row[t]]++;
        if (u->narrow)
            ((uint16_t *)u->id)[at] = (uint16_t)p->column;
        else
            ((uint32_t *)u->id)[at] = (uint32_t)p->column;
        if (u->single)
            ((float *)u->value)[at] = (float)p->value[t];
        else
            ((double *)u->value)[at] = p->value[t];
    }
}

/* Passes all entries, column by column, to `take`, after a check if it is the first pass. */
static int pass(const hsp_compressed *c, turned *u, void (*take)(turned *, const part *), bool check, hsp_error **err) {
    part p;
    for (int64_t j = 0; j < c->lines; j++)
        for (int64_t at = c->begin[j]; at < c->begin[j + 1]; at += p.count) {
            p.column = j;
            p.count = c->begin[j + 1] - at < PIECE ? c->begin[j + 1] - at : PIECE;
            hsp_array_integers(&c->index, at, p.count, p.row);
            hsp_array_numbers(&c->value, at, p.count, p.value);
            int status = check ? check_part(&p, u->n, err) : 0;
            if (status) return status;
            take(u, &p);
        }
    return 0;
}

/* Entries of each row, and whether some are twins: these are added as doubles, so they are not stored as floats. */
static int count_rows(const hsp_compressed *c, turned *u, hsp_error **err) {
    if (!HSP_ALLOC_ZERO(u->next, u->n + 1) || !HSP_ALLOC_ZERO(u->last, u->n)) return hsp_fail_memory(err);
    int status = pass(c, u, count_part, true, err);
    hsp_free(u->last);
    u->last = NULL;
    u->narrow = u->d <= NARROW && !u->twins;
    u->single = c->value.dtype == HSP_FLOAT32 && !u->twins;
    for (int64_t i = 0; i < u->n; i++) u->next[i + 1] += u->next[i];
    return status;
}

static int place_rows(const hsp_compressed *c, turned *u, hsp_error **err) {
    int64_t stored = u->next[u->n] > 0 ? u->next[u->n] : 1;
    u->id = hsp_alloc(stored, u->narrow ? sizeof(uint16_t) : sizeof(uint32_t));
    u->value = hsp_alloc(stored, u->single ? sizeof(float) : sizeof(double));
    if (!u->id || !u->value) return hsp_fail_memory(err);
    pass(c, u, place_part, false, NULL);
    /* Each offset is now where its row ends, which is where the next begins. */
    memmove(u->next + 1, u->next, (size_t)u->n * sizeof *u->next);
    u->next[0] = 0;
    return 0;
}

/* Adds the twins up, in a copy. */
static int merge_rows(const turned *u, const char *const *names, hsp_data **out, hsp_error **err) {
    hsp_array id = {.size = sizeof id, .data = u->id, .dtype = HSP_UINT32, .ndim = 1, .strides = {sizeof(uint32_t)}};
    hsp_array value = {
        .size = sizeof value, .data = u->value, .dtype = HSP_FLOAT64, .ndim = 1, .strides = {sizeof(double)}};
    return hsp_memory_from_csr(u->next, &id, &value, u->n, u->d, NULL, names, out, err);
}

/* The data set takes the arrays over. */
static int keep_rows(turned *u, const char *const *names, hsp_data **out, hsp_error **err) {
    hsp_matrix m = hsp_compressed_matrix(u->n, u->d, u->next[u->n], u->single ? HSP_FLOAT32 : HSP_FLOAT64);
    m.ids = u->narrow ? HSP_IDS_16 : HSP_IDS_32;
    m.row = u->next;
    m.id = u->id;
    m.value = u->value;
    u->next = NULL;
    u->id = u->value = NULL;
    return hsp_memory_data(&m, names, out, err);
}

static int turn(const hsp_array *begin, const hsp_array *row, const hsp_array *value, int64_t n, const char *const *names,
                hsp_data **out, hsp_error **err) {
    static const hsp_compressed_words say = {"column", "column_begin", "row"};
    hsp_compressed c = {0};
    int status = hsp_compressed_open(begin, row, value, &say, &c, err);
    if (!status) status = hsp_memory_check_shape(n, c.lines, err);
    turned u = {.n = n, .d = c.lines};
    if (!status) status = count_rows(&c, &u, err);
    if (!status) status = place_rows(&c, &u, err);
    if (!status) status = u.twins ? merge_rows(&u, names, out, err) : keep_rows(&u, names, out, err);
    HSP_FREE(u.next, u.last, u.id, u.value, c.own);
    return status;
}

int hsp_data_view_csc(const hsp_array *column_begin, const hsp_array *row, const hsp_array *value, int64_t n,
                      const char *const *names, void (*release)(void *user), void *user, hsp_data **out, hsp_error **err) {
    *out = NULL;
    int status = turn(column_begin, row, value, n, names, out, err);
    if (release) release(user);
    return status;
}
