/* Working sets after Johnson and Guestrin 2015, "Blitz", and Massias, Gramfort and Salmon 2018, "Celer": small at first, at
 * most doubled in a step; each contains the weights that are not zero, so that a start near the optimum costs little. */
#include "base/pool.h"
#include "data/matrix.h"
#include "design/columns.h"
#include "design/design.h"
#include "kernel/kernel.h"
#include "solve/prox/column_model.h"
#include "solve/prox/prox_newton.h"

#include <math.h>
#include <string.h>

enum { LEAST_NEW = 512, BINS = 1024, NUMBERS_AT_ONCE = 1 << 16, MOST_BLOCKS = 64 };
static const double PACE = 8; /* t decreases by this factor */

/* ---- the choice ---- */

/* Far from the optimum the model is poor and activates many weights that will be zero again. So t starts where few weights
 * violate their condition and decreases in steps, each solved roughly: a path, as for a sequence of penalties (Friedman,
 * Hastie and Tibshirani 2010). A start that is an optimum for a penalty not much larger skips the path. */
void hsp_working_set_lower_threshold(hsp_prox *s) {
    double goal = s->p->lambda * s->p->rho, top = 0;
    for (int64_t x = 0; x < s->K * s->d; x++)
        if (fabs(s->at.gw[x]) > top) top = fabs(s->at.gw[x]);
    s->t = s->t == goal || s->t > top ? top / PACE : s->t / PACE;
    if (!(s->t > 1.5 * goal) || goal == 0) s->t = goal;
}

/* The bin of a violation, in sixteenths of an octave below the largest. */
static int64_t bin(double over, double top) {
    uint64_t a, b;
    memcpy(&a, &top, sizeof a);
    memcpy(&b, &over, sizeof b);
    uint64_t apart = (a >> 48) - (b >> 48);
    return apart < BINS ? (int64_t)apart : BINS - 1;
}

/* By how much weight x, if it is zero, violates its condition. */
static double excess(const hsp_prox *s, int64_t x) {
    return s->at.w[x] == 0 ? fabs(s->at.gw[x]) - s->t : 0;
}

/* The first bin of violations left out, so that `most` weights are taken, or a few more. */
static int64_t first_left_out(const hsp_prox *s, int64_t most, double top) {
    int64_t count[BINS] = {0}, sum = 0;
    for (int64_t x = 0; x < s->K * s->d; x++) {
        double over = excess(s, x);
        if (over > 0) count[bin(over, top)]++;
    }
    for (int64_t k = 0; k < BINS; k++)
        if ((sum += count[k]) >= most) return k + 1;
    return BINS;
}

/* All weights that are not zero, and those with the largest violations: at most as many again, or a few hundred. */
void hsp_working_set_choose(hsp_prox *s) {
    hsp_working_set *set = &s->columns->set;
    int64_t held = 0, wanting = 0;
    double top = 0;
    for (int64_t x = 0; x < s->K * s->d; x++) {
        double over = excess(s, x);
        held += s->at.w[x] != 0;
        wanting += over > 0;
        if (over > top) top = over;
    }
    int64_t most = s->t == 0 ? wanting : held > LEAST_NEW ? held : LEAST_NEW;
    int64_t end = wanting > most ? first_left_out(s, most, top) : BINS;
    set->count = 0;
    set->outside = 0;
    for (int64_t j = 0; j < s->d; j++)
        for (int64_t k = 0, x = j; k < s->K; k++, x += s->d) {
            double over = excess(s, x);
            if (s->at.w[x] != 0 || (over > 0 && bin(over, top) < end)) {
                set->weight[set->count] = x;
                set->column[set->count++] = j;
            } else if (over > set->outside) {
                set->outside = over;
            }
        }
}

/* ---- scores ---- */

/* out_ik += by z_ij */
static void add_column(const hsp_prox *s, double by, int64_t j, int64_t k, double *out) {
    const hsp_columns *columns = s->columns->columns;
    if (s->K == 1) {
        hsp_column_axpy(columns, by, j, out);
        return;
    }
    hsp_row c = hsp_column(columns, j);
    by *= hsp_column_factor(columns, j);
    for (int64_t t = 0; t < c.count; t++) out[hsp_row_id(c, t) * s->K + k] += by * hsp_row_value(c, t);
}

/* By rows, where a number costs less than half as much, if most numbers are needed. */
static bool score_by_rows(hsp_prox *s, const double *v, double *out) {
    const hsp_design *D = s->p->design;
    hsp_column_model *C = s->columns;
    double stored = 0, shift = 0, *wide = C->wide;
    for (int64_t j = 0; wide && j < s->d; j++) stored += v[j] != 0 ? (double)hsp_column_count(C->columns, j) : 0;
    if (!(stored > 0.4 * (double)C->columns->stored)) return false;
    memset(wide, 0, (size_t)D->d * sizeof *wide);
    for (int64_t j = 0; j < s->d; j++) {
        wide[hsp_column_origin(C->columns, j)] = v[j];
        shift += hsp_column_p(C->columns, j) * v[j];
    }
    hsp_design_scores(D, wide, shift, out);
    C->work += 0.4 * (double)C->columns->stored;
    return true;
}

void hsp_columns_score(hsp_prox *s, const double *v, double *out) {
    hsp_column_model *C = s->columns;
    if (score_by_rows(s, v, out)) return;
    memset(out, 0, (size_t)(s->n * s->K) * sizeof *out);
    for (int64_t j = 0; j < s->d; j++)
        for (int64_t k = 0, x = j; k < s->K; k++, x += s->d)
            if (v[x] != 0) {
                add_column(s, v[x], j, k, out);
                C->work += (double)hsp_column_count(C->columns, j);
            }
}

void hsp_columns_score_point(hsp_prox *s) {
    double *scores = s->p->scores;
    hsp_columns_score(s, s->at.w, scores);
    for (int64_t k = 0; k < s->K; k++) {
        double shift = 0;
        for (int64_t j = 0; s->columns->columns->p && j < s->d; j++)
            shift += hsp_column_p(s->columns->columns, j) * s->at.w[k * s->d + j];
        for (int64_t i = 0; i < s->n; i++) scores[i * s->K + k] += s->at.b[k] - shift;
    }
}

/* ---- the gradient ---- */

/* Whether the gradient in weight x is surely inside the bounds: it cannot have changed much since it was recorded. */
static bool inside(const hsp_prox *s, int64_t x, int64_t j, int64_t k) {
    const hsp_column_screen *screen = &s->columns->screen;
    return screen->moved[k] >= 0 && s->at.w[x] == 0 &&
           fabs(screen->recorded[x]) + screen->moved[k] * screen->size[j] < s->t * (1 - 1e-9);
}

static int64_t column_blocks(const hsp_column_model *C) {
    int64_t blocks = C->columns->stored / NUMBERS_AT_ONCE;
    return blocks < 1 ? 1 : blocks > MOST_BLOCKS ? MOST_BLOCKS : blocks;
}

/* sum_i z_ij slope_ik */
static double column_dot(const hsp_prox *s, int64_t j, int64_t k) {
    const hsp_columns *columns = s->columns->columns;
    if (s->K == 1) return hsp_column_dot(columns, j, s->p->slopes);
    hsp_row c = hsp_column(columns, j);
    double sum = 0;
    for (int64_t t = 0; t < c.count; t++) sum += hsp_row_value(c, t) * s->p->slopes[hsp_row_id(c, t) * s->K + k];
    return hsp_column_factor(columns, j) * sum;
}

static void gradient_of_block(void *ctx, int64_t block) {
    const hsp_prox *s = ctx;
    const hsp_column_model *C = s->columns;
    int64_t blocks = column_blocks(C);
    for (int64_t j = s->d * block / blocks, end = s->d * (block + 1) / blocks; j < end; j++)
        for (int64_t k = 0, x = j; k < s->K; k++, x += s->d) {
            double g = C->screen.recorded[x];
            if (!inside(s, x, j, k)) g = column_dot(s, j, k) - hsp_column_p(C->columns, j) * C->pull[k];
            if (C->screen.moved[k] < 0) C->screen.recorded[x] = g;
            s->at.gw[x] = g + s->ridge * s->at.w[x];
        }
}

static void gradient_by_rows(const hsp_prox *s) {
    const hsp_column_model *C = s->columns;
    hsp_design_adjoint(s->p->design, s->p->slopes, C->wide);
    for (int64_t j = 0; j < s->d; j++) {
        double g = C->screen.recorded[j] = C->wide[hsp_column_origin(C->columns, j)];
        s->at.gw[j] = g + s->ridge * s->at.w[j];
    }
}

/* The distance of the slopes from the recorded ones; unknown where so many columns may be outside the bounds that computing
 * all is cheaper. */
static void measure_slopes(hsp_prox *s) {
    hsp_column_model *C = s->columns;
    double seen = 0;
    for (int64_t k = 0; k < s->K; k++) {
        double sum = 0;
        for (int64_t i = 0; i < s->n; i++) {
            double by = s->p->slopes[i * s->K + k] - C->screen.reference[i * s->K + k];
            if (s->rows.c[i] > 0) sum += by * by / s->rows.c[i];
        }
        C->screen.moved[k] = C->screen.ready ? sqrt(sum) * (1 + 1e-9) : -1;
    }
    for (int64_t j = 0; C->screen.ready && j < s->d; j++)
        for (int64_t k = 0, x = j; k < s->K; k++, x += s->d)
            if (!inside(s, x, j, k)) seen += (double)hsp_column_count(C->columns, j) + 4;
    C->work += seen;
    if (!(seen < (C->wide ? 0.4 : 0.6) * (double)(C->columns->stored * s->K)))
        for (int64_t k = 0; k < s->K; k++) C->screen.moved[k] = -1;
}

void hsp_columns_sum_slopes(const hsp_prox *s) {
    double *pull = s->columns->pull;
    if (s->K == 1) pull[0] = hsp_sum_f64(s->p->slopes, s->n);
    for (int64_t k = 0; s->K > 1 && k < s->K; k++) {
        pull[k] = 0;
        for (int64_t i = 0; i < s->n; i++) pull[k] += s->p->slopes[i * s->K + k];
    }
}

void hsp_columns_gradient(hsp_prox *s) {
    hsp_column_model *C = s->columns;
    hsp_columns_sum_slopes(s);
    measure_slopes(s);
    bool all = C->screen.moved[0] < 0;
    if (all) memcpy(C->screen.reference, s->p->slopes, (size_t)(s->n * s->K) * sizeof *C->screen.reference);
    if (all && C->wide)
        gradient_by_rows(s);
    else
        hsp_pool_run(column_blocks(C), s->p->design->threads, gradient_of_block, s);
    C->screen.ready = true;
}
