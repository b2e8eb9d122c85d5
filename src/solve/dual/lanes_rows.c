/* What lanes share: one shuffled copy of the rows, their centre and their norms. */
#include "base/error.h"
#include "base/memory.h"
#include "base/rng.h"
#include "design/design.h"
#include "design/packed.h"
#include "kernel/kernel.h"
#include "loss/loss.h"
#include "problem/problem.h"
#include "solve/dual/lanes.h"

#include <math.h>
#include <string.h>

bool hsp_lanes_take(const hsp_problem *p) {
    bool loss = p->loss == &hsp_loss_hinge || p->loss == &hsp_loss_squared_hinge || p->loss == &hsp_loss_logistic;
    return loss && !p->design->x->dense && p->outputs == 1 && p->penalty->penalises && p->rho == 0;
}

/* c <- the mean of the z_i, for a free intercept; the design's own p otherwise. */
static void take_centre(hsp_lanes_rows *R) {
    const hsp_design *D = R->design;
    int64_t rows = R->packed->rows;
    if (R->intercept == HSP_INTERCEPT_FREE) {
        for (int64_t place = 0; place < rows; place++)
            hsp_packed_axpy(R->packed, 1 / (double)rows, hsp_packed_at(R->packed, place), R->c);
    } else if (D->d > 0) {
        memcpy(R->c, D->p, (size_t)D->d * sizeof *R->c);
    }
    R->cc = hsp_dot_f64(R->c, R->c, D->d);
}

static void take_norms(hsp_lanes_rows *R) {
    double sum = 0;
    int64_t rows = R->packed->rows;
    for (int64_t place = 0; place < rows; place++) {
        double cz = R->c ? hsp_packed_dot(R->packed, hsp_packed_at(R->packed, place), R->c) : 0;
        double norm = hsp_row_norm2(hsp_lanes_row(R, place)) + (R->c ? R->cc - 2 * cz : 0);
        R->cz[place] = cz;
        R->norm[place] = fmax(norm, 0);
        sum += R->norm[place];
    }
    R->size = rows > 0 ? sum / (double)rows : 0;
}

static int fill(hsp_lanes_rows *R, hsp_error **err) {
    int64_t d = R->design->d, rows = R->packed->rows;
    bool centred = R->intercept == HSP_INTERCEPT_FREE || R->design->p;
    R->cz = hsp_alloc(rows, sizeof *R->cz);
    R->norm = hsp_alloc(rows, sizeof *R->norm);
    if (centred) R->c = hsp_alloc_zero(d, sizeof *R->c);
    bool whole = R->cz && R->norm && (R->c || !centred);
    if (whole && centred) take_centre(R);
    if (whole) take_norms(R);
    return whole ? HSP_OK : hsp_fail_memory(err);
}

/* The rows that count, shuffled and copied; R->packed stays NULL when there is no room for a copy. */
static int pack(hsp_lanes_rows *R, uint64_t seed, hsp_error **err) {
    const hsp_design *D = R->design;
    hsp_rng rng = hsp_rng_new(seed, 71);
    hsp_packed *there = NULL;
    int64_t rows = 0, *order = hsp_alloc(D->n, sizeof *order);
    if (!order) return hsp_fail_memory(err);
    for (int64_t i = 0; i < D->n; i++)
        if (!R->weight || R->weight[i] > 0) order[rows++] = i;
    hsp_rng_shuffle(&rng, order, rows);
    int status = hsp_packed_new(D, order, rows, &there, err);
    if (!status) status = hsp_packed_copy_of(there, hsp_packed_room(D), &R->packed, err);
    for (int64_t place = 0; place < rows; place++) order[place] = place;
    if (!status && R->packed) hsp_packed_take(there, order, rows, R->packed);
    hsp_packed_free(there);
    hsp_free(order);
    return status;
}

int hsp_lanes_rows_new(const hsp_design *design, const double *weight, hsp_intercept intercept, uint64_t seed,
                       hsp_lanes_rows **out, hsp_error **err) {
    *out = NULL;
    hsp_lanes_rows *R = hsp_alloc_zero(1, sizeof *R);
    if (!R) return hsp_fail_memory(err);
    *R = (hsp_lanes_rows){.design = design, .weight = weight, .intercept = intercept};
    int status = pack(R, seed, err);
    bool copied = !status && R->packed;
    if (copied) status = fill(R, err);
    if (status || !copied) {
        hsp_lanes_rows_free(R);
        return status;
    }
    *out = R;
    return HSP_OK;
}

void hsp_lanes_rows_free(hsp_lanes_rows *R) {
    if (!R) return;
    hsp_packed_free(R->packed);
    hsp_free(R->c);
    hsp_free(R->cz);
    hsp_free(R->norm);
    hsp_free(R);
}
