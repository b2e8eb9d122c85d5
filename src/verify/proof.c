#include "verify/proof.h"

#include "base/memory.h"
#include "verify/witness.h"

#include <math.h>

const char *const hsp_verdict_names[] = {"separable", "not-separable", "touching", "undecided"};
const char *const hsp_proof_kind_names[] = {NULL, "exact", "bounded"};

static const double nearness = 1e-4; /* of multipliers that sum to 1 */
static const double residual = 1e-9; /* of their equations, relative to what is summed */
static const double loose = 1e-6;    /* of an intercept that is only there to be read */

void hsp_proof_clear(hsp_proof *p) {
    hsp_free(p->reason);
    hsp_free(p->w);
    hsp_free(p->row);
    hsp_free(p->multiplier);
    *p = (hsp_proof){.verdict = HSP_UNDECIDED, .margin = NAN, .lower = NAN, .upper = NAN};
}

static int check_separable(const hsp_rows_by_side *q, const hsp_proof *p, hsp_proof_kind *kind, const char **what,
                           hsp_error **err) {
    double margin;
    if (!p->w) {
        *what = "there is no hyperplane";
        return HSP_OK;
    }
    if (q->origin && p->b != 0) {
        *what = "the hyperplane does not go through the origin";
        return HSP_OK;
    }
    int status = hsp_proof_check_plane(q, p->w, p->b, kind, &margin, err);
    if (status) return status;
    if (*kind == HSP_PROOF_NONE)
        *what = "the hyperplane has a row on the wrong side";
    else if (p->margin > margin)
        *what = "the margin is smaller than claimed";
    return HSP_OK;
}

/* Whether the multipliers as they are solve their equations, up to rounding and a little more: when rows hardly differ that
 * says more than how near they are to exact ones. sums and sizes have room for d. */
static bool nearly_solve(const hsp_rows_by_side *q, const hsp_proof *p, double *sums, double *sizes) {
    double balance = 0, total = 0, plus = 0;
    for (int64_t j = 0; j < q->x->d; j++) sums[j] = sizes[j] = 0;
    for (int64_t s = 0; s < p->count; s++) {
        hsp_row x = hsp_matrix_row(q->x, p->row[s]);
        double z = q->y[p->row[s]] * p->multiplier[s];
        for (int64_t t = 0; t < x.count; t++) {
            int64_t j = x.id ? (int64_t)x.id[t] : t;
            double v = z * hsp_row_value(x, t);
            sums[j] += v;
            sizes[j] += fabs(v);
        }
        balance += z;
        total += fabs(z);
        plus += q->origin ? fabs(z) : fmax(z, 0);
    }
    if (!(fabs(plus - 1) <= residual) || !(q->origin || fabs(balance) <= residual * total)) return false;
    for (int64_t j = 0; j < q->x->d; j++)
        if (!(fabs(sums[j]) <= residual * sizes[j])) return false;
    return true;
}

static bool are_near(const hsp_proof *p, const double *near) {
    for (int64_t s = 0; s < p->count; s++)
        if (!(fabs(near[s] - p->multiplier[s]) <= nearness)) return false;
    return true;
}

static int check_witness(const hsp_rows_by_side *q, const hsp_proof *p, hsp_proof_kind *kind, const char **what,
                         hsp_error **err) {
    if (p->count < 1 || !p->row || !p->multiplier) {
        *what = "there is no witness";
        return HSP_OK;
    }
    int64_t d = q->x->d;
    double *near = hsp_alloc(p->count, sizeof *near), *sums = hsp_alloc(2 * d + 1, sizeof *sums);
    hsp_witness w = {q, p->row, p->multiplier, p->count};
    int status = near && sums ? hsp_witness_check(&w, near, kind, err) : hsp_fail_memory(err);
    if (!status && *kind == HSP_PROOF_NONE)
        *what = "the witness is not proven";
    else if (!status && !are_near(p, near) && !nearly_solve(q, p, sums, sums + d))
        *what = "the multipliers are not those of the witness";
    hsp_free(near);
    hsp_free(sums);
    return status;
}

/* Whether w.x + b is about 0 on the first row of the witness. */
static bool intercept_fits(const hsp_rows_by_side *q, const hsp_proof *p) {
    if (q->origin) return p->b == 0;
    hsp_row x = hsp_matrix_row(q->x, p->row[0]);
    double g = p->b, size = fabs(p->b);
    for (int64_t t = 0; t < x.count; t++) {
        double v = p->w[x.id ? (int64_t)x.id[t] : t] * hsp_row_value(x, t);
        g += v;
        size += fabs(v);
    }
    return fabs(g) <= loose * size;
}

static int check_touching(const hsp_rows_by_side *q, const hsp_proof *p, hsp_proof_kind *kind, const char **what,
                          hsp_error **err) {
    hsp_proof_kind plane;
    int64_t strict;
    int status = check_witness(q, p, kind, what, err);
    if (status || *what) return status;
    if (!p->w) {
        *what = "there is no hyperplane";
        return HSP_OK;
    }
    status = hsp_proof_check_touching(q, p->w, p->row, p->count, &plane, &strict, err);
    if (status) return status;
    if (plane == HSP_PROOF_NONE)
        *what = "the hyperplane through the witness is not proven";
    else if (!intercept_fits(q, p))
        *what = "the intercept is not that of the hyperplane";
    else if (p->margin != 0 && !isnan(p->margin))
        *what = "classes that touch have no margin";
    if (plane == HSP_PROOF_BOUNDED) *kind = HSP_PROOF_BOUNDED;
    return HSP_OK;
}

int hsp_proof_check(const hsp_rows_by_side *q, const hsp_proof *p, hsp_proof_kind *kind, const char **what,
                    hsp_error **err) {
    int status = HSP_OK;
    *kind = HSP_PROOF_NONE;
    *what = NULL;
    if (p->verdict == HSP_SEPARABLE) status = check_separable(q, p, kind, what, err);
    if (p->verdict == HSP_NOT_SEPARABLE) status = check_witness(q, p, kind, what, err);
    if (p->verdict == HSP_TOUCHING) status = check_touching(q, p, kind, what, err);
    if (!status && !*what && p->verdict == HSP_NOT_SEPARABLE && !isnan(p->margin))
        *what = "classes that are not separable have no margin";
    if (status || *what) *kind = HSP_PROOF_NONE;
    return status;
}
