/* Cycles of coordinate descent find which weights are 0; between them the others are solved for together, as far as no sign
 * changes, because coordinates of columns that depend on one another would creep. */
#include "drive/sparse_model.h"

#include "factor/factor.h"
#include "kernel/kernel.h"
#include "penalty/penalty.h"

#include <math.h>
#include <string.h>

enum { MOST_CYCLES = 100, MOST_SOLVES = 30, AFTER = 2 };

static void unpack(hsp_sparse_model *q) {
    int64_t size = q->m + 1;
    const double *H = q->H;
    for (int64_t j = 0; j < size; j++)
        for (int64_t k = 0; k <= j; k++) q->full[j * size + k] = q->full[k * size + j] = q->C * *H++;
}

static double ridge_of(const hsp_sparse_model *q, int64_t j) {
    return j < q->m ? q->ridge : q->ridge_b;
}

static void shift_coordinate(hsp_sparse_model *q, int64_t j, double move) {
    q->step[j] += move;
    hsp_axpy_f64(move, q->full + j * (q->m + 1), q->pull, q->m + 1);
}

/* The best value of coordinate j; returns how far its slope was off. */
static double move_coordinate(hsp_sparse_model *q, int64_t j) {
    double ridge = ridge_of(q, j), rho = j < q->m ? q->rho : 0;
    double own = q->full[j * (q->m + 1) + j] + ridge, at = q->w[j] + q->step[j];
    if (!(own > 0) || ridge < 0) return 0;
    double slope = q->slope[j] + q->pull[j] + ridge * at, to = hsp_soft(at - slope / own, rho / own), move = to - at;
    if (move == 0) return 0;
    shift_coordinate(q, j, move);
    if (to == 0) q->step[j] = -q->w[j]; /* exactly */
    return own * fabs(move);
}

static double run_cycle(hsp_sparse_model *q) {
    double off = 0;
    for (int64_t j = 0; j <= q->m; j++) off = fmax(off, move_coordinate(q, j));
    return off;
}

/* The weights that are not 0, and the intercept; how many. */
static int64_t list_active(hsp_sparse_model *q) {
    int64_t count = 0;
    for (int64_t j = 0; j <= q->m; j++)
        if (ridge_of(q, j) >= 0 && (j == q->m || q->w[j] + q->step[j] != 0)) q->active[count++] = j;
    return count;
}

/* Newton's step of the active ones for their present signs; false: the matrix is singular. */
static bool find_move(hsp_sparse_model *q, int64_t count) {
    int64_t size = q->m + 1;
    for (int64_t i = 0; i < count; i++) {
        int64_t j = q->active[i];
        double at = q->w[j] + q->step[j], sign = j == q->m ? 0 : at > 0 ? 1 : -1;
        q->move[i] = -(q->slope[j] + q->pull[j] + ridge_of(q, j) * at + q->rho * sign);
        for (int64_t k = 0; k <= i; k++) q->factor[i * count + k] = q->full[j * size + q->active[k]];
        q->factor[i * count + i] += ridge_of(q, j) + 1e-12 * q->full[j * size + j];
        for (int64_t k = 0; k < i; k++) q->factor[k * count + i] = q->factor[i * count + k];
    }
    if (hsp_cholesky(q->factor, count)) return false;
    hsp_cholesky_solve(q->factor, count, q->move, 1);
    return true;
}

/* Goes as far as no sign changes; the weight that becomes 0 leaves. True: the whole step was taken. */
static bool follow_move(hsp_sparse_model *q, int64_t count) {
    double share = 1;
    int64_t first = -1;
    for (int64_t i = 0; i < count; i++) {
        int64_t j = q->active[i];
        double at = q->w[j] + q->step[j];
        if (j == q->m || at * (at + share * q->move[i]) >= 0) continue;
        share = -at / q->move[i];
        first = j;
    }
    for (int64_t i = 0; i < count; i++) shift_coordinate(q, q->active[i], share * q->move[i]);
    if (first >= 0) q->step[first] = -q->w[first];
    return first < 0;
}

static void solve_active(hsp_sparse_model *q) {
    for (int k = 0; k < MOST_SOLVES; k++) {
        int64_t count = list_active(q);
        if (count == 0 || !find_move(q, count) || follow_move(q, count)) return;
    }
}

/* What the model falls by, from its definition. */
static double fall_of(const hsp_sparse_model *q) {
    double fall = 0;
    for (int64_t j = 0; j <= q->m; j++) {
        double s = q->step[j], to = q->w[j] + s, ridge = fmax(0, ridge_of(q, j)), rho = j < q->m ? q->rho : 0;
        fall -= q->slope[j] * s + s * q->pull[j] / 2 + rho * (fabs(to) - fabs(q->w[j])) +
                ridge * (to * to - q->w[j] * q->w[j]) / 2;
    }
    return fall;
}

double hsp_sparse_model_minimise(hsp_sparse_model *q, double enough) {
    unpack(q);
    memset(q->step, 0, (size_t)(q->m + 1) * sizeof *q->step);
    memset(q->pull, 0, (size_t)(q->m + 1) * sizeof *q->pull);
    for (int k = 0; k < MOST_CYCLES && run_cycle(q) > enough; k++)
        if (k >= AFTER) solve_active(q);
    return fall_of(q);
}
