#include "solve/prox/single_screen.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "data/matrix.h"
#include "kernel/kernel.h"

#include <float.h>
#include <math.h>

enum { BLOCKS = 16, TINY = 1000000 };
static const double HALF_ULP = 0x1p-24 * (1 + 1e-6); /* of a float, relative */

struct hsp_single_screen {
    int64_t n, d;
    double *mean, *size; /* d: of the columns, and sqrt(sum_i (x'_ij - mean_j)^2), from above; owned, as all */
    float *value;
    hsp_matrix x; /* borrows the values */
    hsp_design *design;
};

/* Numbers that are stored one after the other in few bytes are as fast. */
bool hsp_single_screen_suits(const hsp_design *D) {
    if (!D->x->dense || D->n * D->d < TINY) return false;
    hsp_coding coding = hsp_matrix_coding(D->x);
    return D->factor || !(coding == HSP_CODING_F32 || coding == HSP_CODING_CODE8 || coding == HSP_CODING_I16);
}

typedef struct screen_copy {
    const hsp_design *D;
    hsp_single_screen *s;
    double *tile, *square; /* BLOCKS x d each */
    bool beyond[BLOCKS];
} screen_copy;

/* Row i as doubles, in place or in the tile. */
static const double *row_of(const hsp_design *D, int64_t i, double *tile) {
    hsp_row r = hsp_design_row(D, i, tile);
    if (r.coding == HSP_CODING_F64) return r.value;
    hsp_row_decode(r, 0, r.count, NULL, tile);
    return tile;
}

static void sum_block(void *ctx, int64_t block) {
    const screen_copy *t = ctx;
    int64_t n = t->s->n, d = t->s->d;
    double *sum = t->square + block * d;
    for (int64_t j = 0; j < d; j++) sum[j] = 0;
    for (int64_t i = n * block / BLOCKS, end = n * (block + 1) / BLOCKS; i < end; i++)
        hsp_axpy_f64(1, row_of(t->D, i, t->tile + block * d), sum, d);
}

static void copy_block(void *ctx, int64_t block) {
    screen_copy *t = ctx;
    int64_t n = t->s->n, d = t->s->d;
    const double *restrict mean = t->s->mean;
    double *restrict square = t->square + block * d;
    bool beyond = false;
    for (int64_t j = 0; j < d; j++) square[j] = 0;
    for (int64_t i = n * block / BLOCKS, end = n * (block + 1) / BLOCKS; i < end; i++) {
        const double *x = row_of(t->D, i, t->tile + block * d);
        float *restrict to = t->s->value + i * d;
        for (int64_t j = 0; j < d; j++) {
            double v = x[j] - mean[j];
            square[j] += v * v;
            to[j] = (float)v;
        }
        for (int64_t j = 0; j < d; j++) beyond |= !(fabs(x[j]) + fabs(mean[j]) < FLT_MAX / 2);
    }
    t->beyond[block] = beyond;
}

/* d sums of the blocks, in their order. */
static void join_blocks(const screen_copy *t, double *out) {
    int64_t d = t->s->d;
    for (int64_t j = 0; j < d; j++) out[j] = 0;
    for (int64_t k = 0; k < BLOCKS; k++) hsp_axpy_f64(1, t->square + k * d, out, d);
}

/* *beyond: not all numbers are within the range of floats. */
static void copy_rows(screen_copy *t, bool *beyond) {
    hsp_single_screen *s = t->s;
    hsp_pool_run(BLOCKS, t->D->threads, sum_block, t);
    join_blocks(t, s->mean);
    for (int64_t j = 0; j < s->d; j++) s->mean[j] /= (double)s->n;
    hsp_pool_run(BLOCKS, t->D->threads, copy_block, t);
    join_blocks(t, s->size);
    for (int64_t j = 0; j < s->d; j++) s->size[j] = sqrt(s->size[j]) * (1 + 1e-9);
    *beyond = false;
    for (int64_t k = 0; k < BLOCKS; k++) *beyond |= t->beyond[k];
}

int hsp_single_screen_new(const hsp_design *D, hsp_single_screen **out, hsp_error **err) {
    *out = NULL;
    if (D->n * D->d * (int64_t)sizeof(float) > hsp_memory_limit() / 4) return HSP_OK;
    hsp_single_screen *s = hsp_alloc_zero(1, sizeof *s);
    screen_copy t = {.D = D, .s = s};
    bool beyond = true, room = s && HSP_ALLOC(s->value, D->n * D->d) && HSP_ALLOC(t.tile, BLOCKS * D->d) &&
                               HSP_ALLOC(t.square, BLOCKS * D->d) && HSP_ALLOC_DOUBLES(D->d, &s->mean, &s->size);
    int status = room ? HSP_OK : hsp_fail_memory(err);
    if (room) {
        s->n = D->n;
        s->d = D->d;
        copy_rows(&t, &beyond);
        s->x = (hsp_matrix){.n = D->n, .d = D->d, .dense = true, .coding = HSP_CODING_F32, .dtype = HSP_FLOAT32};
        s->x.stored = s->x.nonzeros = D->n * D->d;
        s->x.value = s->value;
        if (!beyond) status = hsp_design_new(&s->x, NULL, NULL, D->threads, &s->design, err);
    }
    HSP_FREE(t.tile, t.square);
    if (!status && !beyond) {
        *out = s;
        return HSP_OK;
    }
    hsp_single_screen_free(s);
    return status;
}

void hsp_single_screen_free(hsp_single_screen *s) {
    if (!s) return;
    hsp_design_free(s->design);
    HSP_FREE(s->value, s->mean, s->size, s);
}

/* sum_i r_i x_ij = sum_i r_i (x_ij - mean_j) + mean_j sum_i r_i. A float below the normal ones is wrong by 2^-150 at most. */
void hsp_single_screen_adjoint(const hsp_single_screen *s, const double *r, double *out) {
    double all = hsp_sum_f64(r, s->n), size = sqrt(hsp_dot_f64(r, r, s->n)) * (1 + 1e-9);
    double least = size * sqrt((double)s->n) * 0x1p-149;
    hsp_design_adjoint(s->design, r, out);
    for (int64_t j = 0; j < s->d; j++) {
        double v = out[j] + s->mean[j] * all, by = HALF_ULP * size * s->size[j] + least;
        out[j] = v < 0 ? v - by : v + by;
    }
}
