/* The compute-intensive kernels, compiled for each instruction set ("level") from the same sources (tile.c, curves.c, ...) and
 * chosen at program start. They cannot fail and never allocate. All levels give the same bits: every element of a product is
 * one chain of fused multiply-adds over ascending inner indices, added to its old value; vector lanes are different outputs.
 * Levels differ only in the shape of tiles and the width of panels.
 *
 * There is no level between plain (SSE2) and v3 (AVX2): x86-64-v2 was within 4 % of plain in every kernel. */
#ifndef HSP_KERNEL_LEVEL_H
#define HSP_KERNEL_LEVEL_H

#include "kernel/form.h"

#include <stddef.h>

/* A panel holds `width` columns of a block of rows, row by row: entry (k, j) of the block is
 *     panels[(j / width) * step + k * width + j % width].
 * The last panel is padded with zeros. */
enum {
    HSP_WIDTH_MOST = 24,   /* a multiple of every width */
    HSP_BLOCK_DEPTH = 128, /* rows of a block: two panels fit the L1 cache */
    HSP_LANES_SPARSE = 8,  /* for sparse rows outputs are padded to a multiple of it */
    HSP_QUAD = 4,          /* adjacent columns of a sparse row that `pairs` handles together */
    HSP_TALLIED = 8        /* for tallies columns are padded to a multiple of it */
};

/* The transform of stored rows that are packed into panels; any pointer may be NULL:
 *     (x_j - shift_j) factor_j - centre_j */
typedef struct hsp_decode {
    int64_t d;
    const double *shift, *factor, *centre;
} hsp_decode;

/* C[i][j] += sum_{k < depth} A(i, k) B(k, j) for i0 <= i < i1, j0 <= j < j1; i0 and j0 are multiples of HSP_WIDTH_MOST.
 * With `lower`, entries above the diagonal may be wrong; nothing outside the rectangle is written. */
typedef struct hsp_product {
    int64_t depth;
    const double *a; /* panels of A' */
    int64_t a_step;  /* numbers from one panel to the next */
    const double *b; /* panels */
    int64_t b_step;
    double *c;
    int64_t c_step; /* numbers from one row of C to the next */
    int64_t i0, i1, j0, j1;
    bool lower;
} hsp_product;

/* The same of floats, whose panels are twice as wide: HSP_SINGLE times `width` columns. Each block of rows is summed in single
 * precision. i0 and j0 are multiples of HSP_SINGLE * HSP_WIDTH_MOST. */
enum { HSP_SINGLE = 2 };
typedef struct hsp_product_single {
    int64_t depth;
    const float *a;
    int64_t a_step;
    const float *b;
    int64_t b_step;
    double *c;
    int64_t c_step;
    int64_t i0, i1, j0, j1;
    bool lower;
} hsp_product_single;

/* Dense rows as they are stored, floats (`single`) or doubles, and their transform (x_t - shift_t) factor_t. */
typedef struct hsp_moved_rows {
    bool single;
    int64_t d, step;              /* numbers of a row; from one row to the next */
    const double *shift, *factor; /* d; both NULL: no transform */
} hsp_moved_rows;

/* Kernels of a dense row of one coding, and of sparse rows of one form with entries as in kernel.h; see hsp_level. */
typedef void hsp_pack(const hsp_decode *q, const void *x, const double *table, int64_t step, double *out, double weight,
                      double *weighted);
typedef void hsp_gather(int64_t count, const void *id, const void *x, const double *table, const double *w, int64_t lanes,
                        double *acc);
typedef void hsp_scatter(int64_t count, const void *id, const void *x, const double *table, const double *r, int64_t lanes,
                         double *w);

/* Statistics of columns, an element for each. NaN cells are ignored. */
typedef struct hsp_tally {
    double *least, *greatest, *sum;
    double *last;         /* the last number */
    int64_t *numbers;     /* their count */
    int64_t *part, *back; /* -1: a number is not an integer; a number does not exceed the one before */
} hsp_tally;

/* A step of Adam (D. Kingma, J. Ba, 2015): the decay of both moments, and the step size and square-root factor with the
 * corrections for their start at 0. */
typedef struct hsp_adam_rates {
    double beta1, beta2, rate, root, epsilon;
} hsp_adam_rates;

/* The state of a hash, on the stack: hashing cannot fail. A cell is what is hashed of a value: its column and its bits. */
enum { HSP_HASH_CELL = 12 };
typedef struct hsp_hash_stream {
    _Alignas(64) unsigned char room[640];
} hsp_hash_stream;

/* Passes over `count` rows from x on. scores: out_i = their dot product with w, in the order of kernel.h. pulls: out (d) +=
 * sum_i r_i x_i, row by row. */
typedef struct hsp_moved_passes {
    void (*scores)(const hsp_moved_rows *rows, const void *x, int64_t count, const double *w, double *out);
    void (*pulls)(const hsp_moved_rows *rows, const void *x, int64_t count, const double *r, double *out);
    /* With K vectors: out_ik += their dot product with row k of W (K x d), K numbers a row; and row k of out (K x d) +=
     * sum_i r_ik x_i, row by row. */
    void (*scores_many)(const hsp_moved_rows *rows, const void *x, int64_t count, const double *W, int64_t K, double *out);
    void (*pulls_many)(const hsp_moved_rows *rows, const void *x, int64_t count, const double *R, int64_t K, double *out);
    /* Packs the rows less centre (d, or NULL) as pack_rows does; width: of the level's panels. */
    void (*pack)(const hsp_moved_rows *rows, const void *x, int64_t count, const double *centre, int64_t width,
                 int64_t step, double *out, const double *weight, double *weighted);
} hsp_moved_passes;

/* Floats. pack and multiply: products in single precision; pack as pack_rows, weight_i (x_j - centre_j) scale_j; weight: of
 * each row; scale: d; centre NULL: 0. spread: as that of doubles. */
typedef struct hsp_single_passes {
    void (*pack)(int64_t rows, int64_t d, const double *x, int64_t x_step, const double *centre, const double *scale,
                 const double *weight, int64_t step, float *out);
    void (*multiply)(const hsp_product_single *p);
    void (*spread)(int64_t rows, int64_t d, const float *x, int64_t x_step, const double *pivot, double *s, double *q);
} hsp_single_passes;

/* XXH3 with 64 bits. cells: appends the cells of the values that are not zero, little-endian, in the columns id, or first,
 * first + 1, ... if id is NULL; `to` has room for a multiple of eight. Returns the bytes of those that are not zero. */
typedef struct hsp_hashing {
    void (*open)(hsp_hash_stream *s);
    void (*add)(hsp_hash_stream *s, const void *bytes, size_t count);
    uint64_t (*close)(hsp_hash_stream *s);
    size_t (*cells)(int64_t first, const uint32_t *id, const double *value, int64_t count, unsigned char *to);
    size_t (*single_cells)(int64_t first, const float *value, int64_t count, unsigned char *to); /* the same of floats */
} hsp_hashing;

/* A triangle L (d x d, row-major, l_step numbers from one row to the next; d <= HSP_BLOCK_DEPTH) and `count` vectors of d
 * numbers, x_step apart, in place. forward: L x = b; backward: L' x = b. */
typedef struct hsp_triangle {
    int64_t d, l_step;
    const double *l;
    int64_t count, x_step;
    double *x;
} hsp_triangle;

/* Rotations of neighbouring rows, for eigenvectors, of HSP_ROTATED columns of a matrix, its rows one after the other: for each
 * k from 0 to count - 1, or with `down` from count - 1 to 0,
 *     x_k <- c_k x_k + s_k x_k+1,  x_k+1 <- c_k x_k+1 - s_k x_k
 */
enum { HSP_ROTATED = 32 };
typedef struct hsp_rotations {
    int64_t count;
    bool down;
    const double *c, *s;
    double *x; /* count + 1 rows */
} hsp_rotations;

typedef struct hsp_triangle_kernels {
    void (*forward)(const hsp_triangle *t);
    void (*backward)(const hsp_triangle *t);
    /* d numbers of `rows` rows into panels, transposed, `width` rows to a panel: number k of row i to
     * out[(i / width) * step + k * width + i % width], times sign; the last panel is padded with zeros. */
    void (*pack_across)(int64_t rows, int64_t d, const double *x, int64_t x_step, double sign, int64_t step, double *out);
    /* The same of numbers that are rows: number i of row k, k < d, to out[(i / width) * step + k * width + i % width]. */
    void (*pack_along)(int64_t outputs, int64_t d, const double *x, int64_t x_step, double sign, int64_t step, double *out);
    void (*rotate)(const hsp_rotations *r);
    /* Of two rows of n numbers: a <- c a + s b, b <- c b - s a. */
    void (*rotate_pair)(int64_t n, double c, double s, double *a, double *b);
    /* y = A v for a symmetric matrix of which the lower triangle is read. */
    void (*symmetric)(int64_t d, const double *A, int64_t step, const double *v, double *y);
} hsp_triangle_kernels;

typedef struct hsp_level {
    const char *name; /* "plain", "v3", "v4" */
    int64_t width;    /* of a panel; divides HSP_WIDTH_MOST */
    /* Packs a row into panels: column j to out[(j / width) * step + j % width]; and `weight` times it to `weighted` unless
     * NULL. By coding. */
    hsp_pack *pack[HSP_DENSE_CODINGS];
    /* Rows of d doubles, x_step apart. pulls: out[q][j] += weight[q][i] x_ij for `count` <= 3 sums, in the order of the rows.
     * pack_rows: packs them less centre (d, or NULL) as `pack` does; weight[i] times them to `weighted` unless NULL. */
    void (*pulls)(int64_t rows, int64_t d, const double *x, int64_t x_step, int count, const double *const *weight,
                  double *const *out);
    void (*pack_rows)(int64_t rows, int64_t d, const double *x, int64_t x_step, const double *centre, int64_t step,
                      double *out, const double *weight, double *weighted);
    void (*multiply)(const hsp_product *p);
    /* out[r][k] += sum_j x[r][j] w_kj for `rows` rows of d numbers, x_step apart; w: the panels of W' (d x K); out: K numbers
     * per row. Each HSP_BLOCK_DEPTH columns are summed separately. */
    void (*scores)(int64_t rows, int64_t d, const double *x, int64_t x_step, const double *w, int64_t K, double *out);
    /* Sparse rows; `lanes` is a multiple of HSP_LANES_SPARSE. By form, NULL for dense rows.
     *     gather:  acc[k] += sum_t x_t w[id_t * lanes + k]
     *     scatter: w[id_t * lanes + k] += x_t r[k] */
    hsp_gather *gather[HSP_FORMS];
    hsp_scatter *scatter[HSP_FORMS];
    /* The outer product of a sparse row with itself, added to the lower triangle of G (d x d): G_jk += (c x_j) x_k for
     * k <= j. The row is given as quads, columns 4 q .. 4 q + 3: ascending q, four values each (0 beyond d). Only the rows j
     * of G whose quad has a position from `first` to `last` - 1. */
    void (*pairs)(const uint32_t *quad, const double *x, int64_t first, int64_t last, double c, double *G, int64_t d);
    hsp_moved_passes moved;
    hsp_single_passes single;
    hsp_hashing hash;
    hsp_triangle_kernels triangle;      /* for src/factor */
    const struct hsp_dense_rows *dense; /* for hsp_dots, hsp_axpys and hsp_norms2 (kernel.h) */
    /* Elementwise functions; outputs may be the inputs. Errors are a few ulp, also for subnormal results; NaN gives NaN.
     *     logistic: log(1 + exp(-y g)) for y = -1 or +1, its first and second derivative in g; each may be NULL
     *     entropy:  -(a log a + (1 - a) log(1 - a)), a = y r; exactly 0 at 0 and 1, negative outside [0, 1]
     *     exps:     exp(x), x <= 0
     *     log1ps:   log(1 + x), finite x >= 0
     *     tanhs:    tanh(x) */
    void (*logistic)(const double *y, const double *g, int64_t rows, double *value, double *slope, double *curve);
    void (*entropy)(const double *y, const double *r, int64_t rows, double *out);
    void (*exps)(int64_t count, const double *x, double *out);
    void (*log1ps)(int64_t count, const double *x, double *out);
    void (*tanhs)(int64_t count, const double *x, double *out);
    /* m = beta1 m + (1 - beta1) g,  s = beta2 s + (1 - beta2) g^2,  w -= rate m / (root sqrt(s) + epsilon) */
    void (*adam)(const hsp_adam_rates *a, int64_t count, const double *gradient, double *mean, double *square, double *w);
    /* Adds rows to a tally; columns: a multiple of HSP_TALLIED. Returns the number of cells that are not NaN. */
    int64_t (*tally)(int64_t rows, int64_t columns, const double *x, const hsp_tally *t);
    /* Rows of d doubles, x_step apart, in the order of the rows:
     *     s_j += x_ij - pivot_j,  q_j += (x_ij - pivot_j)^2 */
    void (*spread)(int64_t rows, int64_t d, const double *x, int64_t x_step, const double *pivot, double *s, double *q);
    /* A bit for each of up to 64 numbers: 1 unless all its bits are 0 (-0 gives 1). */
    uint64_t (*present)(const double *x, int64_t n);
} hsp_level;

/* The best level that this processor supports, or the one chosen by a test. */
const hsp_level *hsp_level_now(void);
/* Tests only, while no other thread is in a kernel: selects the level of that name, NULL: the best. False, without effect,
 * when this processor does not support it. */
bool hsp_level_choose(const char *name);

#endif
