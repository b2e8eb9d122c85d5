/* Tests that cost one or two passes over the data: one class only, and equal rows of both classes. */
#include "base/error.h"
#include "base/memory.h"
#include "data/matrix.h"
#include "separate/search.h"
#include "verify/proof/proof.h"

#include <string.h>

int hsp_search_one_class(hsp_search *s, hsp_error **err) {
    int64_t counts[2] = {0, 0};
    for (int64_t i = 0; i < s->q->x->n; i++)
        if (s->q->y[i]) counts[s->q->y[i] > 0]++;
    if (s->q->origin ? s->left > 0 : counts[0] > 0 && counts[1] > 0) return HSP_OK;
    double *w = hsp_alloc_zero(s->q->x->d + 1, sizeof *w);
    bool accepted;
    if (!w) return hsp_fail_memory(err);
    int status = hsp_search_enter(s, w, s->q->origin ? 0 : counts[1] > 0 ? 1 : -1, "one-class", &accepted, err);
    hsp_free(w);
    s->decided = true;
    hsp_search_log(s, "one class only");
    return status;
}

bool hsp_row_is_zero(hsp_row r) {
    for (int64_t t = 0; t < r.count; t++)
        if (hsp_row_value(r, t) != 0) return false;
    return true;
}

/* ---- equal rows of both sides ---- */

static uint64_t mix(uint64_t h) {
    h ^= h >> 33;
    h *= 0xff51afd7ed558ccdu;
    h ^= h >> 33;
    h *= 0xc4ceb9fe1a85ec53u;
    return h ^ h >> 33;
}

static uint64_t hash_row(hsp_row r) {
    uint64_t h = 0x9e3779b97f4a7c15u;
    for (int64_t t = 0; t < r.count; t++) {
        double v = hsp_row_value(r, t);
        uint64_t bits;
        if (v == 0) continue;
        memcpy(&bits, &v, sizeof bits);
        h = (h ^ mix(bits + (uint64_t)hsp_row_id(r, t) * 0x9e3779b97f4a7c15u)) * 0x2545f4914f6cdd1du;
    }
    return mix(h);
}

/* Whether two rows of one matrix are equal; sparse rows have no stored zeros. */
static bool same_row(hsp_row a, hsp_row b) {
    if (a.count != b.count || (a.id && a.count > 0 && memcmp(a.id, b.id, (size_t)a.count * hsp_row_id_size(a)) != 0))
        return false;
    for (int64_t t = 0; t < a.count; t++)
        if (hsp_row_value(a, t) != hsp_row_value(b, t)) return false;
    return true;
}

/* The first row that is equal to an earlier row of the other side, *twin, or, for planes through the origin, that is 0
 * (*twin is then -1). -1: no such row. table: a hash table of `size` (a power of two) entries, all -1. */
static int64_t find_twin(const hsp_rows_by_side *q, int64_t *table, int64_t size, int64_t *twin) {
    for (int64_t i = 0; i < q->x->n; i++) {
        if (!q->y[i]) continue;
        hsp_row r = hsp_matrix_row(q->x, i);
        *twin = -1;
        if (q->origin && hsp_row_is_zero(r)) return i;
        uint64_t at = hash_row(r) & (uint64_t)(size - 1);
        for (; table[at] >= 0; at = (at + 1) & (uint64_t)(size - 1)) {
            if (!same_row(r, hsp_matrix_row(q->x, table[at]))) continue;
            *twin = table[at];
            if (q->y[*twin] != q->y[i]) return i;
            break;
        }
        if (table[at] < 0) table[at] = i;
    }
    return -1;
}

int hsp_search_duplicates(hsp_search *s, hsp_error **err) {
    int64_t size = 2, twin = -1;
    while (size < 2 * s->left) size *= 2;
    int64_t *table = hsp_alloc(size, sizeof *table);
    if (!table) return hsp_fail_memory(err);
    memset(table, 0xff, (size_t)size * sizeof *table);
    int64_t i = find_twin(s->q, table, size, &twin);
    hsp_free(table);
    if (i < 0) {
        hsp_search_log(s, "no two rows are equal but have different labels");
        return HSP_OK;
    }
    bool accepted;
    double each = s->q->origin ? 0.5 : 1;
    hsp_search_log(s, twin < 0 ? "row %lld is zero" : "row %lld is equal to row %lld of the other side", (long long)i + 1,
                   (long long)twin + 1);
    if (twin < 0) return hsp_search_witness(s, &i, (const double[]){1}, 1, "zero-row", &accepted, err);
    return hsp_search_witness(s, (const int64_t[]){twin, i}, (const double[]){each, each}, 2, "duplicate-rows", &accepted,
                              err);
}
