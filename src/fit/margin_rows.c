/* Builds the quadratic program of a margin from rows, labels and weights. */
#include "fit/margin_rows.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>

static int allocate_rows(hsp_margin_rows *rows, int64_t n, bool ridge, hsp_error **err) {
    rows->upper = hsp_alloc(n, sizeof *rows->upper);
    rows->ridge = ridge ? hsp_alloc_zero(n, sizeof *rows->ridge) : NULL;
    rows->alpha = hsp_alloc_zero(n, sizeof *rows->alpha);
    rows->scores = hsp_alloc(n, sizeof *rows->scores);
    rows->scratch = hsp_alloc(2 * n, sizeof *rows->scratch);
    bool whole = rows->upper && (rows->ridge || !ridge) && rows->alpha && rows->scores && rows->scratch;
    return whole ? HSP_OK : hsp_fail_memory(err);
}

int hsp_margin_rows_new(const hsp_problem *p, hsp_margin_rows *out, hsp_error **err) {
    int status = allocate_rows(out, p->design->n, p->loss->dual_ridge > 0, err);
    if (!status) out->program = hsp_margin_of(p, out->upper, out->ridge);
    return status;
}

int hsp_margin_rows_hard(const hsp_design *design, const double *y, const double *c, hsp_intercept intercept,
                         hsp_margin_rows *out, hsp_error **err) {
    int status = allocate_rows(out, design->n, false, err);
    for (int64_t i = 0; !status && i < design->n; i++) out->upper[i] = c && c[i] == 0 ? 0 : INFINITY;
    out->program = (hsp_margin){.design = design, .y = y, .upper = out->upper, .intercept = intercept};
    return status;
}

void hsp_margin_rows_clear(hsp_margin_rows *rows) {
    HSP_FREE(rows->upper, rows->ridge, rows->alpha, rows->scores, rows->scratch);
    *rows = (hsp_margin_rows){0};
}

bool hsp_margin_few_columns(const hsp_design *design) {
    enum { FEW = 500, MOST = 3000 };
    return design->d <= FEW || (design->d <= MOST && design->n >= design->d / 2);
}
