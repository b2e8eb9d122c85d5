#include "verify/proof/proof.h"

#include "base/error.h"
#include "base/memory.h"
#include "verify/proof/witness.h"

#include <float.h>
#include <math.h>
#include <string.h>

const char *const hsp_verdict_names[] = {"separable", "not-separable", "touching", "undecided"};
const char *const hsp_proof_kind_names[] = {NULL, "exact", "bounded"};
const char *const hsp_proof_methods[] = {
    "one-class",  "zero-row",       "duplicate-rows", "one-column", "columns",
    "perceptron", "linear-program", "dual-descent",   "rational",   NULL,
};

static const double nearness = 1e-9; /* of multipliers and weights, relative to the largest */
static const double residual = 1e-9; /* of equations, relative to the sum of sizes */

void hsp_proof_clear(hsp_proof *p) {
    HSP_FREE(p->reason, p->w, p->row, p->multiplier);
    *p = (hsp_proof){.verdict = HSP_UNDECIDED, .margin = NAN, .lower = NAN, .upper = NAN};
}

/* What is wrong with a proof of "separable"; NULL: nothing. */
static const char *check_separable(const hsp_rows_by_side *q, const hsp_proof *p, hsp_proof_kind *kind) {
    double margin;
    if (!p->w) return "the hyperplane is missing";
    if (q->origin && p->b != 0) return "the hyperplane does not go through the origin";
    *kind = hsp_proof_check_plane(q, p->w, p->b, &margin);
    if (*kind == HSP_PROOF_NONE) return "the hyperplane has a row on the wrong side";
    if (isinf(margin) && !isnan(p->margin)) return "all weights of the hyperplane are 0";
    if (p->margin > margin) return "the margin is smaller than claimed";
    if (p->margin <= 0) return "the margin of a separating hyperplane must be above 0";
    return NULL;
}

/* Whether the multipliers solve their equations within `residual`. If rows hardly differ, this says more than the distance
 * from an exact solution. sums and sizes are scratch of d numbers. */
static bool nearly_solve(const hsp_rows_by_side *q, const hsp_proof *p, double *sums, double *sizes) {
    double balance = 0, total = 0, plus = 0;
    for (int64_t j = 0; j < q->x->d; j++) sums[j] = sizes[j] = 0;
    for (int64_t s = 0; s < p->count; s++) {
        hsp_row x = hsp_matrix_row(q->x, p->row[s]);
        double z = q->y[p->row[s]] * p->multiplier[s];
        for (int64_t t = 0; t < x.count; t++) {
            int64_t j = hsp_row_id(x, t);
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

static bool near_multipliers(const hsp_proof *p, const double *near) {
    double top = 0;
    for (int64_t s = 0; s < p->count; s++) top = fmax(top, near[s]);
    for (int64_t s = 0; s < p->count; s++)
        if (!(fabs(near[s] - p->multiplier[s]) <= nearness * top)) return false;
    return true;
}

static int check_witness(const hsp_rows_by_side *q, const hsp_proof *p, hsp_proof_kind *kind, const char **what,
                         hsp_error **err) {
    if (p->count < 1 || !p->row || !p->multiplier) {
        *what = "the witness is missing";
        return HSP_OK;
    }
    int64_t d = q->x->d;
    double *near = hsp_alloc(p->count, sizeof *near), *sums = hsp_alloc(2 * d + 1, sizeof *sums);
    hsp_witness w = {q, p->row, p->multiplier, p->count};
    bool unique = false;
    int status = near && sums ? hsp_witness_check(&w, near, &unique, kind, err) : hsp_fail_memory(err);
    if (!status && *kind == HSP_PROOF_NONE)
        *what = "the witness is not proven";
    else if (!status && !near_multipliers(p, near) && (unique || !nearly_solve(q, p, sums, sums + d)))
        *what = "the multipliers do not match the witness";
    HSP_FREE(near, sums);
    return status;
}

/* Whether w.x + b is 0 on the rows of the witness, within `residual`. */
static bool contains_witness(const hsp_rows_by_side *q, const hsp_proof *p) {
    if (q->origin && p->b != 0) return false;
    for (int64_t s = 0; s < p->count; s++) {
        hsp_row x = hsp_matrix_row(q->x, p->row[s]);
        double g = p->b, size = fabs(p->b);
        for (int64_t t = 0; t < x.count; t++) {
            double v = p->w[hsp_row_id(x, t)] * hsp_row_value(x, t);
            g += v;
            size += fabs(v);
        }
        if (!(fabs(g) <= residual * size + DBL_MIN)) return false;
    }
    return true;
}

/* Whether w is a positive multiple of `plane`, within `nearness`. */
static bool has_weights(const hsp_proof *p, const double *plane, int64_t d) {
    int64_t top = 0;
    for (int64_t j = 0; j < d; j++)
        if (fabs(plane[j]) > fabs(plane[top])) top = j;
    double factor = p->w[top] / plane[top];
    if (!(factor > 0) || !isfinite(factor)) return false;
    for (int64_t j = 0; j < d; j++)
        if (!(fabs(p->w[j] - factor * plane[j]) <= nearness * fabs(p->w[top]))) return false;
    return true;
}

static int check_touching(const hsp_rows_by_side *q, const hsp_proof *p, hsp_proof_kind *kind, const char **what,
                          hsp_error **err) {
    hsp_proof_kind plane;
    int64_t strict;
    double b;
    int status = check_witness(q, p, kind, what, err);
    if (status || *what) return status;
    if (!p->w) {
        *what = "the hyperplane is missing";
        return HSP_OK;
    }
    double *exact = hsp_alloc(q->x->d + 1, sizeof *exact);
    status =
        exact ? hsp_proof_check_touching(q, p->w, p->row, p->count, &plane, &strict, exact, &b, err) : hsp_fail_memory(err);
    if (!status) {
        if (plane == HSP_PROOF_NONE)
            *what = "the hyperplane through the witness is not proven";
        else if (!has_weights(p, exact, q->x->d) || !contains_witness(q, p))
            *what = "the hyperplane does not go through the witness";
        else if (p->margin != 0 && !isnan(p->margin))
            *what = "classes that touch cannot have a margin";
        if (plane == HSP_PROOF_BOUNDED) *kind = HSP_PROOF_BOUNDED;
    }
    hsp_free(exact);
    return status;
}

/* What a proof claims that contradicts its verdict; NULL: nothing. */
static const char *find_contradiction(const hsp_proof *p) {
    bool open = p->verdict == HSP_UNDECIDED;
    if (!open && !(isnan(p->lower) && isnan(p->upper))) return "a verdict cannot have bounds on the margin";
    if (open && p->lower > p->upper) return "the bounds on the margin contradict each other";
    if (open && p->lower != 0 && !isnan(p->lower)) return "a margin above 0 would be a verdict";
    if (open && p->upper < 0) return "a bound on the margin is below 0";
    if (open && !isnan(p->margin)) return "an undecided verdict cannot have a margin";
    if (p->count > 0 && (open || p->verdict == HSP_SEPARABLE)) return "an undecided verdict cannot have a witness";
    if (p->w && (open || p->verdict == HSP_NOT_SEPARABLE)) return "an undecided verdict cannot have a hyperplane";
    if (p->verdict == HSP_NOT_SEPARABLE && !isnan(p->margin)) return "classes that are not separable cannot have a margin";
    if (p->reason && !open &&
        (p->verdict != HSP_NOT_SEPARABLE || strncmp(p->reason, HSP_PROOF_OPEN, strlen(HSP_PROOF_OPEN)) != 0))
        return "a proven verdict cannot have a reason";
    return NULL;
}

int hsp_proof_check(const hsp_rows_by_side *q, const hsp_proof *p, hsp_proof_kind *kind, const char **what,
                    hsp_error **err) {
    int status = HSP_OK;
    *kind = HSP_PROOF_NONE;
    *what = find_contradiction(p);
    if (*what) return HSP_OK;
    if (p->verdict == HSP_SEPARABLE) *what = check_separable(q, p, kind);
    if (p->verdict == HSP_NOT_SEPARABLE) status = check_witness(q, p, kind, what, err);
    if (p->verdict == HSP_TOUCHING) status = check_touching(q, p, kind, what, err);
    if (status || *what) *kind = HSP_PROOF_NONE;
    return status;
}
