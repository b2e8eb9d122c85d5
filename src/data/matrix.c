#include "data/matrix.h"

#include "base/memory.h"

#include <string.h>

int64_t hsp_matrix_bytes(const hsp_matrix *m) {
    int64_t bytes = m->stored * (int64_t)hsp_matrix_value_size(m);
    if (!m->dense) bytes += m->stored * (int64_t)sizeof *m->id + (m->n + 1) * (int64_t)sizeof *m->row;
    return bytes;
}

static int64_t row_nonzeros(hsp_row r) {
    int64_t count = 0;
    for (int64_t t = 0; t < r.count; t++) count += hsp_row_value(r, t) != 0;
    return count;
}

/* Room for `stored` values; at least one, so that no array is NULL. */
static int allocate(hsp_matrix *m) {
    int64_t room = m->stored > 0 ? m->stored : 1;
    m->value = hsp_alloc(room, hsp_matrix_value_size(m));
    if (!m->value) return HSP_EMEMORY;
    if (m->dense) return 0;
    m->id = hsp_alloc(room, sizeof *m->id);
    m->row = hsp_alloc(m->n + 1, sizeof *m->row);
    return m->id && m->row ? 0 : HSP_EMEMORY;
}

int hsp_matrix_take(const hsp_matrix *m, const int64_t *rows, int64_t count, hsp_matrix *out) {
    *out = (hsp_matrix){.n = count, .d = m->d, .dense = m->dense, .dtype = m->dtype};
    for (int64_t i = 0; i < count; i++) out->stored += hsp_matrix_row(m, rows[i]).count;
    if (allocate(out)) {
        hsp_matrix_clear(out);
        return HSP_EMEMORY;
    }
    char *value = out->value;
    int64_t at = 0;
    for (int64_t i = 0; i < count; i++) {
        hsp_row r = hsp_matrix_row(m, rows[i]);
        if (!m->dense) {
            out->row[i] = at;
            if (r.count > 0) memcpy(out->id + at, r.id, (size_t)r.count * sizeof *r.id);
        }
        if (r.count > 0)
            memcpy(value + (size_t)at * hsp_matrix_value_size(m), r.value, (size_t)r.count * hsp_matrix_value_size(m));
        out->nonzeros += m->dense ? row_nonzeros(r) : r.count;
        at += r.count;
    }
    if (!m->dense) out->row[count] = at;
    return 0;
}

void hsp_matrix_clear(hsp_matrix *m) {
    hsp_free(m->row);
    hsp_free(m->id);
    hsp_free(m->value);
    *m = (hsp_matrix){0};
}
