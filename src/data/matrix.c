#include "data/matrix.h"

#include "base/memory.h"

#include <string.h>

int64_t hsp_matrix_bytes(const hsp_matrix *m) {
    int64_t bytes = m->stored * (int64_t)hsp_matrix_value_size(m);
    if (!m->dense) bytes += m->stored * (int64_t)hsp_matrix_id_size(m) + (m->n + 1) * (int64_t)sizeof *m->row;
    if (m->coding >= HSP_CODING_CODE8) bytes += HSP_TABLE * (int64_t)sizeof *m->table;
    return bytes;
}

/* Allocates the arrays for `stored` values. */
static int allocate(hsp_matrix *m) {
    size_t size = hsp_matrix_value_size(m);
    if (size > 0 && !(m->value = hsp_alloc(m->stored, size))) return HSP_EMEMORY;
    if (m->coding >= HSP_CODING_CODE8 && !HSP_ALLOC(m->table, HSP_TABLE)) return HSP_EMEMORY;
    if (m->dense) return 0;
    m->id = hsp_alloc(m->stored, hsp_matrix_id_size(m));
    return m->id && HSP_ALLOC(m->row, m->n + 1) ? 0 : HSP_EMEMORY;
}

int hsp_matrix_take(const hsp_matrix *m, const int64_t *rows, int64_t count, hsp_matrix *out) {
    *out = (hsp_matrix){.n = count, .d = m->d, .dense = m->dense, .narrow = m->narrow, .dtype = m->dtype};
    out->coding = hsp_matrix_coding(m);
    out->stride = m->dense ? m->d : 0;
    for (int64_t i = 0; i < count; i++) out->stored += hsp_matrix_row(m, rows[i]).count;
    if (allocate(out)) {
        hsp_matrix_clear(out);
        return HSP_EMEMORY;
    }
    if (out->table) memcpy(out->table, m->table, HSP_TABLE * sizeof *out->table);
    char *value = out->value, *id = (char *)out->id;
    size_t value_size = hsp_matrix_value_size(out), id_size = hsp_matrix_id_size(out);
    int64_t at = 0;
    for (int64_t i = 0; i < count; i++) {
        hsp_row r = hsp_matrix_row(m, rows[i]);
        if (!m->dense) out->row[i] = at;
        if (!m->dense && r.count > 0) memcpy(id + (size_t)at * id_size, r.id, (size_t)r.count * id_size);
        if (value_size > 0 && r.count > 0) memcpy(value + (size_t)at * value_size, r.value, (size_t)r.count * value_size);
        if (!m->dense) out->nonzeros += r.count;
        for (int64_t t = 0; m->dense && t < r.count; t++) out->nonzeros += hsp_row_value(r, t) != 0;
        at += r.count;
    }
    if (!m->dense) out->row[count] = at;
    return 0;
}

void hsp_matrix_clear(hsp_matrix *m) {
    hsp_map_drop(m->map, m->row);
    hsp_map_drop(m->map, m->id);
    hsp_map_drop(m->map, m->value);
    hsp_map_drop(m->map, m->table);
    hsp_map_close(m->map);
    *m = (hsp_matrix){0};
}
