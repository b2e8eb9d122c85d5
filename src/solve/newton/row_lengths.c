/* Two passes over the rows: the variances, then the lengths. */
#include "solve/newton/row_lengths.h"

#include "base/memory.h"
#include "base/pool.h"
#include "data/matrix.h"
#include "design/gram.h"
#include "kernel/kernel.h"

#include <string.h>

enum { CHUNK = 256 };

typedef struct length_pass {
    const hsp_design *D;
    const double *mean;    /* d: of dense columns; NULL: 0 */
    const double *inverse; /* d: 1 / (d variance) */
    double *squares;       /* pieces x d: sums of squares; NULL: lengths are wanted */
    double *length;
    int64_t pieces;
} length_pass;

/* Squares of some entries of a row. */
static void square(const length_pass *q, int64_t from, int64_t count, double *value) {
    const double *mean = q->mean ? q->mean + from : NULL;
    for (int64_t e = 0; mean && e < count; e++) value[e] -= mean[e];
    for (int64_t e = 0; e < count; e++) value[e] *= value[e];
}

static void measure_piece(void *ctx, int64_t piece) {
    const length_pass *q = ctx;
    const hsp_design *D = q->D;
    int64_t d = D->d, end = D->n * (piece + 1) / q->pieces;
    double *squares = q->squares ? q->squares + piece * d : NULL, *tile = D->tiles ? D->tiles + piece * d : NULL;
    uint32_t id[CHUNK];
    double value[CHUNK];
    if (squares) memset(squares, 0, (size_t)d * sizeof *squares);
    for (int64_t i = D->n * piece / q->pieces; i < end; i++) {
        hsp_row r = hsp_design_row(D, i, tile);
        double sum = 0;
        for (int64_t at = 0, count; (count = hsp_row_decode(r, at, CHUNK, r.id ? id : NULL, value)) > 0; at += count) {
            square(q, at, count, value);
            if (squares && r.id)
                for (int64_t e = 0; e < count; e++) squares[id[e]] += value[e];
            else if (squares)
                for (int64_t e = 0; e < count; e++) squares[at + e] += value[e];
            else if (r.id)
                for (int64_t e = 0; e < count; e++) sum += value[e] * q->inverse[id[e]];
            else
                sum += hsp_dot_f64(value, q->inverse + at, count);
        }
        if (!squares) q->length[i] = (1 + sum) / 2;
    }
}

int hsp_row_lengths(const hsp_design *D, double *length) {
    int64_t d = D->d, pieces = D->slabs;
    double mass = (double)D->n, *mean = hsp_alloc(2 * d, sizeof *mean), *squares = hsp_alloc(pieces * d, sizeof *squares);
    int status = mean && squares ? 0 : HSP_EMEMORY;
    if (!status && D->x->dense) status = hsp_design_group_sums(D, NULL, NULL, 1, &mass, mean, NULL);
    if (!status) {
        double *inverse = mean + d;
        if (D->x->dense) hsp_scale_f64(1 / mass, mean, d);
        length_pass q = {D, D->x->dense ? mean : NULL, inverse, squares, length, pieces};
        hsp_pool_run(pieces, D->threads, measure_piece, &q);
        for (int64_t k = 1; k < pieces; k++) hsp_axpy_f64(1, squares + k * d, squares, d);
        for (int64_t j = 0; j < d; j++) inverse[j] = squares[j] > 0 ? mass / squares[j] / (double)d : 0;
        q.squares = NULL;
        hsp_pool_run(pieces, D->threads, measure_piece, &q);
    }
    HSP_FREE(mean, squares);
    return status;
}
