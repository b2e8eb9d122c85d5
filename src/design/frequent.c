#include "design/frequent.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "kernel/form.h"

#include <string.h>

enum { ROWS = 512, NONE = -1 }; /* rows copied at a time */

typedef struct copying {
    const hsp_matrix *x;
    hsp_frequent *out;
    int32_t *place; /* d, owned: the new number of each column; NONE: a single entry */
    int64_t *count; /* d, owned: entries of each column */
} copying;

/* Numbers the columns by their counts, descending; equal ones keep their order. Returns how many have two entries or more. */
static int64_t number_columns(const copying *c, int64_t *at) {
    enum { MOST = 1 << 16 }; /* columns with more entries are all equally frequent */
    int64_t d = c->x->d, next = 0;
    for (int64_t j = 0; j < d; j++) at[c->count[j] < MOST ? c->count[j] : MOST]++;
    for (int64_t k = MOST; k >= 2; k--) {
        int64_t here = at[k];
        at[k] = next;
        next += here;
    }
    for (int64_t j = 0; j < d; j++) {
        int64_t k = c->count[j] < MOST ? c->count[j] : MOST;
        c->place[j] = k < 2 ? NONE : (int32_t)at[k]++;
    }
    return next;
}

static int find_places(copying *c, hsp_error **err) {
    enum { PLACES = (1 << 16) + 1 };
    const hsp_matrix *x = c->x;
    int64_t *at = hsp_alloc_zero(PLACES, sizeof *at);
    bool room = at && HSP_ALLOC_ZERO(c->count, x->d) && HSP_ALLOC(c->place, x->d);
    for (int64_t i = 0; room && i < x->n; i++) {
        hsp_row r = hsp_matrix_row(x, i);
        for (int64_t t = 0; t < r.count; t++) c->count[hsp_row_id(r, t)]++;
    }
    if (room) c->out->x.d = number_columns(c, at);
    hsp_free(at);
    return room ? HSP_OK : hsp_fail_memory(err);
}

static int allocate(copying *c, hsp_error **err) {
    const hsp_matrix *x = c->x;
    hsp_matrix *to = &c->out->x;
    to->n = x->n;
    to->ids = to->d <= UINT16_MAX ? HSP_IDS_16 : HSP_IDS_32;
    to->coding = hsp_matrix_coding(x);
    to->dtype = x->dtype;
    if (!HSP_ALLOC(to->row, x->n + 1) || !HSP_ALLOC_ZERO(c->out->own, x->n)) return hsp_fail_memory(err);
    to->row[0] = 0;
    for (int64_t i = 0; i < x->n; i++) {
        hsp_row r = hsp_matrix_row(x, i);
        int64_t kept = 0;
        for (int64_t t = 0; t < r.count; t++) kept += c->place[hsp_row_id(r, t)] != NONE;
        to->row[i + 1] = to->row[i] + kept;
    }
    to->stored = to->nonzeros = to->row[x->n];
    size_t size = hsp_matrix_value_size(to);
    to->id = hsp_alloc(to->stored, hsp_matrix_id_size(to));
    if (size > 0) to->value = hsp_alloc(to->stored, size);
    if (hsp_coding_has_table(to->coding)) to->table = hsp_alloc(HSP_TABLE, sizeof *to->table);
    bool room = to->id && (size == 0 || to->value) && (!hsp_coding_has_table(to->coding) || to->table);
    if (room && to->table) memcpy(to->table, x->table, HSP_TABLE * sizeof *to->table);
    return room ? HSP_OK : hsp_fail_memory(err);
}

static void copy_rows(void *ctx, int64_t block) {
    const copying *c = ctx;
    hsp_matrix *to = &c->out->x;
    size_t size = hsp_matrix_value_size(to);
    for (int64_t i = block * ROWS; i < (block + 1) * ROWS && i < c->x->n; i++) {
        hsp_row r = hsp_matrix_row(c->x, i);
        int64_t at = to->row[i];
        for (int64_t t = 0; t < r.count; t++) {
            int32_t place = c->place[hsp_row_id(r, t)];
            double v = place == NONE ? hsp_row_value(r, t) : 0;
            c->out->own[i] += v * v;
            if (place == NONE) continue;
            if (to->ids == HSP_IDS_16)
                ((uint16_t *)to->id)[at] = (uint16_t)place;
            else
                to->id[at] = (uint32_t)place;
            if (size == 8)
                ((double *)to->value)[at] = ((const double *)r.value)[t];
            else if (size == 4)
                ((float *)to->value)[at] = ((const float *)r.value)[t];
            else if (size == 1)
                ((uint8_t *)to->value)[at] = ((const uint8_t *)r.value)[t];
            at++;
        }
    }
}

int hsp_frequent_new(const hsp_matrix *x, int threads, hsp_frequent *out, hsp_error **err) {
    copying c = {.x = x, .out = out};
    *out = (hsp_frequent){0};
    int status = find_places(&c, err);
    if (!status) status = allocate(&c, err);
    if (!status) hsp_pool_run((x->n + ROWS - 1) / ROWS, threads, copy_rows, &c);
    HSP_FREE(c.place, c.count);
    return status;
}

void hsp_frequent_free(hsp_frequent *f) {
    hsp_matrix_clear(&f->x);
    hsp_free(f->own);
    f->own = NULL;
}
