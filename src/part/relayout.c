#include "part/relayout.h"

#include "base/memory.h"
#include "data/matrix.h"
#include "kernel/form.h"

enum { AT_ONCE = 256 };

int64_t hsp_part_nonzeros(const hsp_matrix *x) {
    double v[AT_ONCE];
    int64_t count = x->dense ? 0 : x->stored;
    for (int64_t i = 0; x->dense && i < x->n; i++) {
        hsp_row r = hsp_matrix_row(x, i);
        for (int64_t from = 0; from < r.count; from += AT_ONCE)
            for (int64_t t = hsp_row_decode(r, from, AT_ONCE, NULL, v); t-- > 0;) count += v[t] != 0;
    }
    return count;
}

bool hsp_part_prefers_dense(int64_t nonzeros, int64_t n, int64_t d) {
    return 3 * (double)nonzeros > (double)n * (double)d;
}

static int to_dense(const hsp_matrix *x, hsp_matrix *out) {
    double *value = hsp_alloc_zero(x->n * out->d, sizeof *value), v[AT_ONCE];
    uint32_t id[AT_ONCE];
    if (!value) return HSP_EMEMORY;
    for (int64_t i = 0; i < x->n; i++) {
        hsp_row r = hsp_matrix_row(x, i);
        for (int64_t from = 0; from < r.count; from += AT_ONCE)
            for (int64_t t = hsp_row_decode(r, from, AT_ONCE, id, v); t-- > 0;) value[i * out->d + id[t]] = v[t];
    }
    out->value = value;
    return HSP_OK;
}

static int to_sparse(const hsp_matrix *x, hsp_matrix *out) {
    int64_t at = 0;
    double *value = hsp_alloc(out->nonzeros + 1, sizeof *value), v[AT_ONCE];
    out->value = value;
    out->id = hsp_alloc(out->nonzeros + 1, sizeof *out->id);
    out->row = hsp_alloc_zero(x->n + 1, sizeof *out->row);
    if (!out->value || !out->id || !out->row) return HSP_EMEMORY;
    for (int64_t i = 0; i < x->n; i++) {
        hsp_row r = hsp_matrix_row(x, i);
        for (int64_t from = 0; from < r.count; from += AT_ONCE) {
            int64_t count = hsp_row_decode(r, from, AT_ONCE, NULL, v);
            for (int64_t t = 0; t < count; t++) {
                if (v[t] == 0) continue;
                out->id[at] = (uint32_t)(from + t);
                value[at++] = v[t];
            }
        }
        out->row[i + 1] = at;
    }
    return HSP_OK;
}

int hsp_part_relayout(const hsp_matrix *x, int64_t d, bool dense, hsp_matrix *out) {
    int64_t nonzeros = hsp_part_nonzeros(x);
    *out = (hsp_matrix){.n = x->n,
                        .d = d,
                        .dense = dense,
                        .ids = HSP_IDS_32,
                        .coding = HSP_CODING_F64,
                        .dtype = HSP_FLOAT64,
                        .stored = dense ? x->n * d : nonzeros,
                        .nonzeros = nonzeros};
    int status = dense ? to_dense(x, out) : to_sparse(x, out);
    if (status) hsp_matrix_clear(out);
    return status;
}
