#include "problem/rare.h"

#include "base/memory.h"
#include "data/matrix.h"
#include "design/design.h"
#include "kernel/kernel.h"

#include <math.h>

enum { SWEEPS = 4, MOST_STEPS = 40, CHUNK = 256 };
/* A column is rare when it has entries in at most this share of the rows; all rare ones may have this share of all entries. */
static const double FEW_ROWS = 0.02, FEW_ENTRIES = 0.05;
/* A column is selected when it has this share of the predicted decrease. */
static const double MATTERS = 1e-4;
/* How far a margin may move in one step; a search ends at this share of the first step's predicted decrease. */
static const double FAR = 8, FLAT = 1e-3;

bool hsp_rare_possible(const hsp_problem *p) {
    const hsp_design *D = p->design;
    return p->outputs == 1 && p->penalty->penalises && !p->regression && !D->x->dense && D->d <= D->n &&
           (!D->p || p->intercept == HSP_INTERCEPT_FREE);
}

/* ---- finding ---- */

/* entries[j] <- the number of rows with an entry in column j. */
static void count_entries(const hsp_design *D, int64_t *entries) {
    uint32_t id[CHUNK];
    double value[CHUNK];
    for (int64_t j = 0; j < D->d; j++) entries[j] = 0;
    for (int64_t i = 0; i < D->n; i++) {
        hsp_row x = hsp_matrix_row(D->x, i);
        for (int64_t at = 0, count; (count = hsp_row_decode(x, at, CHUNK, id, value)) > 0; at += count)
            for (int64_t e = 0; e < count; e++) entries[id[e]]++;
    }
}

/* The largest number of entries of a rare column, so that all of them together keep to their share. */
static int64_t rare_at_most(const hsp_design *D, const int64_t *entries) {
    int64_t most = (int64_t)(FEW_ROWS * (double)D->n);
    for (double allowed = FEW_ENTRIES * (double)D->x->stored; most > 0; most /= 2) {
        double sum = 0;
        for (int64_t j = 0; j < D->d; j++) sum += entries[j] <= most ? (double)entries[j] : 0;
        if (sum <= allowed) break;
    }
    return most;
}

static void take_entries(hsp_rare *r, const int64_t *place) {
    const hsp_design *D = r->p->design;
    uint32_t id[CHUNK];
    double value[CHUNK];
    for (int64_t i = 0; i < D->n; i++) {
        hsp_row x = hsp_matrix_row(D->x, i);
        for (int64_t at = 0, count; (count = hsp_row_decode(x, at, CHUNK, id, value)) > 0; at += count)
            for (int64_t e = 0; e < count; e++) {
                int64_t k = place[id[e]];
                if (k < 0) continue;
                int64_t to = r->begin[k + 1]++; /* it moves from the column's beginning to its end */
                r->row[to] = i;
                r->value[to] = D->factor ? value[e] * D->factor[id[e]] : value[e];
            }
    }
}

int hsp_rare_init(hsp_rare *r, hsp_problem *p) {
    const hsp_design *D = p->design;
    *r = (hsp_rare){.p = p};
    int64_t *entries = hsp_alloc(D->d, sizeof *entries), total = 0, k = 0;
    if (!entries) return HSP_EMEMORY;
    count_entries(D, entries);
    int64_t most = rare_at_most(D, entries);
    for (int64_t j = 0; j < D->d; j++) {
        if (entries[j] == 0 || entries[j] > most) continue;
        r->count++;
        total += entries[j];
    }
    bool allocated = HSP_ALLOC(r->column, r->count) && HSP_ALLOC(r->begin, r->count + 1) && HSP_ALLOC(r->row, total) &&
                     HSP_ALLOC(r->value, total) && HSP_ALLOC_ZERO(r->selected, r->count);
    int status = allocated ? HSP_OK : HSP_EMEMORY;
    for (int64_t j = 0, at = 0; !status && j < D->d; j++) {
        int64_t here = entries[j];
        entries[j] = -1;
        if (here == 0 || here > most) continue;
        r->column[k] = j;
        r->begin[++k] = at;
        entries[j] = k - 1;
        at += here;
    }
    if (!status) {
        r->begin[0] = 0;
        take_entries(r, entries);
    }
    hsp_free(entries);
    return status;
}

void hsp_rare_free(hsp_rare *r) {
    HSP_FREE(r->column, r->begin, r->row, r->value, r->selected);
    *r = (hsp_rare){0};
}

double hsp_rare_share(hsp_rare *r, const double *g, const double *step) {
    double all = -hsp_dot_f64(g, step, r->p->design->d), rare = 0;
    for (int64_t k = 0; k < r->count; k++) {
        double gain = -g[r->column[k]] * step[r->column[k]];
        rare += gain;
        r->selected[k] = gain > MATTERS * all;
    }
    return all > 0 ? rare / all : 0;
}

/* ---- searching ---- */

/* First and second derivative of the losses along column k, at a change t of its weight. */
static void derive(const hsp_rare *r, int64_t k, const double *scores, double t, double *one, double *two) {
    const hsp_problem *p = r->p;
    double y[CHUNK], g[CHUNK], slope[CHUNK], curve[CHUNK];
    *one = *two = 0;
    for (int64_t at = r->begin[k], end = r->begin[k + 1]; at < end; at += CHUNK) {
        int64_t count = end - at < CHUNK ? end - at : CHUNK;
        const int64_t *row = r->row + at;
        const double *x = r->value + at;
        for (int64_t e = 0; e < count; e++) {
            y[e] = p->y[row[e]];
            g[e] = scores[row[e]] + t * x[e];
        }
        p->loss->second(p->loss, y, g, count, NULL, slope, curve);
        for (int64_t e = 0; e < count; e++) {
            double cx = p->c ? p->c[row[e]] * x[e] : x[e];
            *one += cx * slope[e];
            *two += cx * curve[e] * x[e];
        }
    }
}

/* The change of w_j that minimises J along column k: Newton's method between brackets, with a limit on the step. */
static double minimise(const hsp_rare *r, int64_t k, double w, const double *scores) {
    double mu = 1 / r->p->C, low = -INFINITY, high = INFINITY, t = 0, first = 0, top = 0;
    for (int64_t e = r->begin[k]; e < r->begin[k + 1]; e++) top = fmax(top, fabs(r->value[e]));
    for (int turn = 0; turn < MOST_STEPS; turn++) {
        double one, two;
        derive(r, k, scores, t, &one, &two);
        one += mu * (w + t);
        two += mu;
        double gain = one * one / two, step = -one / two;
        if (turn == 0) first = gain;
        if (!isfinite(gain) || gain <= FLAT * FLAT * first) break;
        if (one > 0)
            high = t;
        else
            low = t;
        if (fabs(step) * top > FAR) step = copysign(FAR / top, step);
        double next = t + step;
        if (!(next > low && next < high)) next = (low + high) / 2;
        if (!isfinite(next) || next == t) break;
        t = next;
    }
    return t;
}

void hsp_rare_polish(hsp_rare *r, double *w, double *scores) {
    const hsp_design *D = r->p->design;
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (int64_t k = 0; k < r->count; k++) {
            if (!r->selected[k]) continue;
            int64_t j = r->column[k];
            double t = minimise(r, k, w[j], scores);
            w[j] += t;
            if (D->p) w[D->d] += t * D->p[j]; /* keeps the scores of rows without an entry */
            for (int64_t e = r->begin[k]; e < r->begin[k + 1]; e++) scores[r->row[e]] += t * r->value[e];
        }
}
