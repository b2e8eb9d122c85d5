/* The kernels where the flops are, compiled once for each instruction set from the same sources (tile.c, curves.c) and
 * chosen when the program begins. They cannot fail and never allocate. All levels give the same bits: every number of a
 * product is one chain of fused multiply-adds over the inner index, in ascending order, added to what was there; vector
 * lanes are different outputs. Only the shape of the tiles differs, and with it the width of a panel.
 *
 * There is no level between plain (SSE2) and v3 (AVX2): x86-64-v2 was within 4 % of plain for every kernel. */
#ifndef HSP_KERNEL_LEVEL_H
#define HSP_KERNEL_LEVEL_H

#include "kernel/form.h"

/* A panel is `width` columns of a block of rows, row after row: entry (row k, column j) of a block is at
 * panels[(j / width) * step + k * width + j % width]. The last panel is filled up with zeros. */
enum {
    HSP_WIDTH_MOST = 24,   /* every width divides it */
    HSP_BLOCK_DEPTH = 128, /* rows of a block: two panels fit the first cache */
    HSP_LANES_SPARSE = 8,  /* outputs are filled up to a multiple of it for sparse rows */
    HSP_QUAD = 4,          /* columns of a sparse row that are kept together in pairs */
    HSP_TALLIED = 8        /* columns are filled up to a multiple of it for tallies */
};

/* What happens to a stored row on its way into panels: x_j becomes (x_j - shift_j) factor_j - centre_j; any may be NULL. */
typedef struct hsp_decode {
    int64_t d;
    const double *shift, *factor, *centre;
} hsp_decode;

/* C[i][j] += sum over k < depth of A(i, k) B(k, j), for i from i0 to i1 and j from j0 to j1; i0 and j0 are multiples of
 * HSP_WIDTH_MOST. With `lower`, entries above the diagonal need not be right (but nothing outside the rectangle is
 * touched). */
typedef struct hsp_product {
    int64_t depth;
    const double *a; /* panels, of the same width as b's */
    int64_t a_step;  /* numbers from one panel to the next */
    const double *b; /* panels */
    int64_t b_step;
    double *c;
    int64_t c_step; /* numbers from one row of C to the next */
    int64_t i0, i1, j0, j1;
    bool lower;
} hsp_product;

/* A dense row of any coding, from its first column on (see hsp_level); and sparse rows of any form, with their entries as
 * in kernel.h. */
typedef void hsp_pack(const hsp_decode *q, const void *x, const double *table, int64_t step, double *out, double weight,
                      double *weighted);
typedef void hsp_gather(int64_t count, const void *id, const void *x, const double *table, const double *w, int64_t lanes,
                        double *acc);
typedef void hsp_scatter(int64_t count, const void *id, const void *x, const double *table, const double *r, int64_t lanes,
                         double *w);

/* What was found in columns, an entry each. Cells that are NaN are no numbers, and change nothing. */
typedef struct hsp_tally {
    double *least, *greatest, *sum; /* of the numbers */
    double *last;                   /* number */
    int64_t *numbers;               /* how many */
    int64_t *part, *back;           /* -1: some are not whole; some are not greater than the one before */
} hsp_tally;

typedef struct hsp_level {
    const char *name; /* "plain", "v3", "v4" */
    int64_t width;    /* of a panel; divides HSP_WIDTH_MOST */
    /* One row into panels: column j to out[(j / width) * step + j % width]; and `weight` times it to `weighted` unless that
     * is NULL. By coding. */
    hsp_pack *pack[HSP_CODINGS];
    /* Rows of d doubles, x_step apart: out[q][j] += weight[q][i] x_ij for `count` sums, 3 at most, the rows in
     * order. And into panels as `pack` does it, less centre (d, or NULL); weight[i] times them to `weighted` unless that is
     * NULL. */
    void (*pulls)(int64_t rows, int64_t d, const double *x, int64_t x_step, int count, const double *const *weight,
                  double *const *out);
    void (*pack_rows)(int64_t rows, int64_t d, const double *x, int64_t x_step, const double *centre, int64_t step,
                      double *out, const double *weight, double *weighted);
    void (*multiply)(const hsp_product *p);
    /* out[r][k] += sum_j x[r][j] w_kj for `rows` rows of d numbers, x_step apart; w is the panels of W' (d rows, K
     * columns), out is K numbers a row. The sums are cut every HSP_BLOCK_DEPTH columns. */
    void (*scores)(int64_t rows, int64_t d, const double *x, int64_t x_step, const double *w, int64_t K, double *out);
    /* Sparse, `lanes` a multiple of HSP_LANES_SPARSE: acc[k] += sum_t x_t w[id_t * lanes + k]; and the other way round
     * w[id_t * lanes + k] += x_t r[k]. By form; none for dense rows. */
    hsp_gather *gather[HSP_FORMS];
    hsp_scatter *scatter[HSP_FORMS];
    /* The products of one sparse row with itself, into the lower triangle of G (d x d): G_jk += (c x_j) x_k for k <= j. The
     * row comes in quads, columns 4 q .. 4 q + 3 each: ascending q, and four values each (0 beyond d). Only those rows j of
     * G whose quad is at a position from `first` to `last`. */
    void (*pairs)(const uint32_t *quad, const double *x, int64_t first, int64_t last, double c, double *G, int64_t d);
    const struct hsp_dense_rows *dense; /* what hsp_dots and the like (kernel.h) are filled with */
    /* Curves, of each number by itself; outputs may be the inputs. Errors of a few units of the last place, of subnormal
     * results too; NaN gives NaN. The logistic loss of rows with y -1 or +1: log(1 + exp(-y g)) and its first and second
     * derivatives in g, each NULL when not wanted. -(a log a + (1 - a) log(1 - a)) of a = y r, exactly 0 at 0 and 1, below
     * 0 outside of [0, 1]. exp of numbers <= 0. log(1 + x) of finite x >= 0. */
    void (*logistic)(const double *y, const double *g, int64_t rows, double *value, double *slope, double *curve);
    void (*entropy)(const double *y, const double *r, int64_t rows, double *out);
    void (*exps)(int64_t count, const double *x, double *out);
    void (*log1ps)(int64_t count, const double *x, double *out);
    /* Takes rows of so many columns in, a multiple of HSP_TALLIED; returns how many of their cells are numbers. */
    int64_t (*tally)(int64_t rows, int64_t columns, const double *x, const hsp_tally *t);
    /* Of up to 64 numbers a bit each: 1 where it is not 0, by its own bits, so that -0 is not 0. */
    uint64_t (*present)(const double *x, int64_t n);
} hsp_level;

/* The best that this processor can do, or what was chosen for a test. */
const hsp_level *hsp_level_now(void);
/* Tests only, while no other thread is in a kernel: the level of that name from now on, NULL the best again. false (and no
 * change) when there is none here. */
bool hsp_level_choose(const char *name);

#endif
