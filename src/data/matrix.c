#include "data/matrix.h"

#include "base/memory.h"

#include <string.h>

static int64_t table_places(hsp_coding c) {
    return !hsp_coding_has_table(c) ? 0 : hsp_coding_steps(c) ? HSP_STEP + 1 : HSP_TABLE;
}

hsp_coding hsp_coding_adjacent(hsp_coding c) {
    static const hsp_coding of[] = {
        [HSP_CODING_STEP_F64] = HSP_CODING_F64,     [HSP_CODING_STEP_F32] = HSP_CODING_F32,
        [HSP_CODING_STEP_CODE8] = HSP_CODING_CODE8, [HSP_CODING_STEP_I16] = HSP_CODING_I16,
        [HSP_CODING_STEP_I32] = HSP_CODING_I32,     [HSP_CODING_STEP_I64] = HSP_CODING_I64,
    };
    return hsp_coding_steps(c) ? of[c] : c;
}

void hsp_row_copy_values(hsp_row r, void *to) {
    size_t size = hsp_coding_size(r.coding);
    if (r.count == 0 || size == 0) return;
    if (!hsp_coding_steps(r.coding)) {
        memmove(to, r.value, (size_t)r.count * size);
        return;
    }
    for (int64_t t = 0; t < r.count; t++) memcpy((char *)to + (size_t)t * size, hsp_row_at(r, t), size);
}

int64_t hsp_matrix_bytes(const hsp_matrix *m) {
    int64_t bytes = m->stored * (int64_t)hsp_matrix_value_size(m);
    if (!m->dense) bytes += m->stored * (int64_t)hsp_matrix_id_size(m) + (m->n + 1) * (int64_t)sizeof *m->row;
    bytes += table_places(m->coding) * (int64_t)sizeof *m->table;
    return bytes;
}

/* Allocates the arrays for `stored` values. */
static int allocate(hsp_matrix *m) {
    size_t size = hsp_matrix_value_size(m);
    if (size > 0 && !(m->value = hsp_alloc(m->stored, size))) return HSP_EMEMORY;
    if (hsp_coding_has_table(m->coding) && !HSP_ALLOC(m->table, table_places(m->coding))) return HSP_EMEMORY;
    if (m->dense) return 0;
    m->id = hsp_alloc(m->stored, hsp_matrix_id_size(m));
    return m->id && HSP_ALLOC(m->row, m->n + 1) ? 0 : HSP_EMEMORY;
}

int hsp_matrix_take(const hsp_matrix *m, const int64_t *rows, int64_t count, hsp_matrix *out) {
    *out = (hsp_matrix){.n = count, .d = m->d, .dense = m->dense, .ids = m->ids, .dtype = m->dtype};
    out->coding = hsp_coding_adjacent(hsp_matrix_coding(m));
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
        if (value_size > 0) hsp_row_copy_values(r, value + (size_t)at * value_size);
        if (!m->dense) out->nonzeros += r.count;
        for (int64_t t = 0; m->dense && t < r.count; t++) out->nonzeros += hsp_row_value(r, t) != 0;
        at += r.count;
    }
    if (!m->dense) out->row[count] = at;
    return 0;
}

hsp_matrix hsp_matrix_slice(const hsp_matrix *m, int64_t from, int64_t rows) {
    hsp_matrix x = *m;
    x.n = rows;
    if (x.dense)
        x.value = (char *)x.value + from * hsp_matrix_stride(m) * (int64_t)hsp_matrix_value_size(m);
    else
        x.row += from;
    x.stored = x.dense ? rows * x.d : x.row[rows] - x.row[0];
    return x;
}

void hsp_matrix_drop(const hsp_matrix *m, unsigned array, void *p) {
    if (!(m->lent & array)) hsp_free(p);
}

void hsp_matrix_clear(hsp_matrix *m) {
    hsp_matrix_drop(m, HSP_LENT_ROW, m->row);
    hsp_matrix_drop(m, HSP_LENT_ID, m->id);
    hsp_matrix_drop(m, HSP_LENT_VALUE, m->value);
    hsp_matrix_drop(m, HSP_LENT_TABLE, m->table);
    hsp_owner_drop(m->owner);
    *m = (hsp_matrix){0};
}
