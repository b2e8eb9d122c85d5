/* The columns are copied out of the block first: they are few, and then all else is the Gram matrix of a small design. */
#include "part/column_gram.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/matrix.h"
#include "design/design.h"
#include "design/sweep.h"
#include "kernel/form.h"

#include <string.h>

enum { AT_ONCE = 256 };

/* The place of each column among those of the request, or -1: made once for all blocks. */
static bool find_places(hsp_answer *a) {
    const hsp_request *q = a->q;
    if (a->place) return true;
    a->place = hsp_alloc(q->rows.features, sizeof *a->place);
    if (!a->place) return false;
    memset(a->place, 0xff, (size_t)q->rows.features * sizeof *a->place);
    for (int64_t k = 0; k < q->at.column_count; k++) a->place[q->at.columns[k]] = (int32_t)k;
    return true;
}

/* Sparse rows with the columns that have a place. */
static int copy_columns(const hsp_answer *a, const hsp_matrix *x, hsp_matrix *out) {
    int64_t room = x->dense ? x->n * a->q->at.column_count : x->stored, at = 0;
    uint32_t id[AT_ONCE];
    double v[AT_ONCE], *value = hsp_alloc(room + 1, sizeof *value);
    *out = (hsp_matrix){.n = x->n, .d = a->q->at.column_count, .ids = HSP_IDS_32, .dtype = HSP_FLOAT64, .value = value};
    out->id = hsp_alloc(room + 1, sizeof *out->id);
    out->row = hsp_alloc_zero(x->n + 1, sizeof *out->row);
    if (!value || !out->id || !out->row) return HSP_EMEMORY;
    for (int64_t i = 0; i < x->n; i++) {
        hsp_row r = hsp_matrix_row(x, i);
        for (int64_t from = 0; from < r.count; from += AT_ONCE) {
            int64_t count = hsp_row_decode(r, from, AT_ONCE, r.id ? id : NULL, v);
            for (int64_t t = 0; t < count; t++) {
                int32_t place = a->place[r.id ? (int64_t)id[t] : from + t];
                if (place < 0 || v[t] == 0) continue;
                out->id[at] = (uint32_t)place;
                value[at++] = v[t];
            }
        }
        out->row[i + 1] = at;
    }
    out->stored = out->nonzeros = at;
    return HSP_OK;
}

/* Lower triangle of G, and the row of the intercept. */
static void pack_rows(int64_t m, const double *G, const double *sums, double mass, double *out) {
    for (int64_t j = 0; j < m; j++, out += j) memcpy(out, G + j * m, (size_t)(j + 1) * sizeof *out);
    memcpy(out, sums, (size_t)m * sizeof *out);
    out[m] = mass;
}

int hsp_part_column_gram(hsp_answer *a, const hsp_part_block *b, double *h, double *out, hsp_error **err) {
    int64_t m = a->q->at.column_count;
    hsp_matrix x = {0};
    hsp_design *design = NULL;
    hsp_sweep *sweep = NULL;
    double *G = hsp_alloc(m * (m + 1), sizeof *G), *scale = hsp_alloc(2 * m, sizeof *scale);
    bool made = G && scale && find_places(a) && copy_columns(a, &b->x, &x) == HSP_OK;
    int status = made ? HSP_OK : hsp_fail_memory(err);
    const hsp_request_rows *r = &a->q->rows;
    for (int64_t k = 0; !status && k < m; k++) {
        scale[k] = r->shift ? r->shift[a->q->at.columns[k]] : 0;
        scale[m + k] = r->factor ? r->factor[a->q->at.columns[k]] : 1;
    }
    const double *shift = r->shift ? scale : NULL, *factor = r->factor ? scale + m : NULL;
    if (!status) status = hsp_design_new(&x, shift, factor, b->design->threads, &design, err);
    if (!status) status = hsp_sweep_new(design, true, &sweep, err);
    hsp_pass pass = {.scored = true, .h = h, .sums = G + m * m, .G = G};
    if (!status) status = hsp_sweep_run(sweep, &pass, err);
    if (!status) pack_rows(m, G, pass.sums, pass.mass, out);
    hsp_sweep_free(sweep);
    hsp_design_free(design);
    hsp_matrix_clear(&x);
    HSP_FREE(G, scale);
    return status;
}
