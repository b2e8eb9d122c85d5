/* Triangles, rotations and symmetric matrices for factorisations (src/factor), compiled for each level. The order of every sum
 * is fixed by the sizes 8 and WIDE below, not by the width of vectors, so that all levels give the same bits. */
#include "kernel/of_level.h"
#include "kernel/register_tile.h"

enum { ROWS = 8, WIDE = HSP_ROTATED };

INLINE vec times(double a, vec b) {
#ifdef __AVX2__
    return a * b;
#else
    for (int l = 0; l < LANES; l++) b.lane[l] *= a;
    return b;
#endif
}

INLINE vec over(vec a, double b) {
#ifdef __AVX2__
    return a / b;
#else
    for (int l = 0; l < LANES; l++) a.lane[l] /= b;
    return a;
#endif
}

/* ---- triangles ---- */

/* Vectors side by side: number k of vector r at p[k * WIDTH + r], times sign. */
static void transpose_in(int64_t count, int64_t d, const double *x, int64_t x_step, double sign, double *p) {
    for (int64_t r = 0; r < count; r++)
        for (int64_t k = 0; k < d; k++) p[k * WIDTH + r] = sign * x[r * x_step + k];
    for (int64_t r = count; r < WIDTH; r++)
        for (int64_t k = 0; k < d; k++) p[k * WIDTH + r] = 0;
}

static void transpose_out(int64_t count, int64_t d, double *x, int64_t x_step, const double *p) {
    for (int64_t r = 0; r < count; r++)
        for (int64_t k = 0; k < d; k++) x[r * x_step + k] = p[k * WIDTH + r];
}

/* Rows i to i + m of p: += a times rows from .. from + depth, a(i, k) = a[i * a_row + k * a_col]. */
INLINE void add_rows(int64_t m, int64_t depth, const double *a, int64_t a_row, int64_t a_col, const double *from,
                     double *p) {
    int64_t i = 0;
    if (depth == 0) return;
    for (; i + HEIGHT <= m; i += HEIGHT)
        tile(HEIGHT, VECTORS, depth, a + i * a_row, a_row, a_col, from, p + i * WIDTH, WIDTH, HEIGHT, WIDTH);
    for (; i < m; i++) tile(1, VECTORS, depth, a + i * a_row, a_row, a_col, from, p + i * WIDTH, WIDTH, 1, WIDTH);
}

/* Row k of p, which holds -b + (what is known): x_k = -p_k / L_kk. */
INLINE void solve_row(double diagonal, double *row) {
    for (int v = 0; v < VECTORS; v++) store(row + v * LANES, over(load(row + v * LANES), -diagonal));
}

INLINE void add_row(double a, const double *from, double *row) {
    for (int v = 0; v < VECTORS; v++) store(row + v * LANES, fma_of(a, load(from + v * LANES), load(row + v * LANES)));
}

/* Blocks of ROWS unknowns: what the earlier ones contribute is one product, then the block's own triangle. */
void HSP_OF_LEVEL(hsp_triangle_forward_)(const hsp_triangle *t) {
    double p[HSP_BLOCK_DEPTH * WIDTH];
    for (int64_t r = 0; r < t->count; r += WIDTH) {
        int64_t count = t->count - r < WIDTH ? t->count - r : WIDTH;
        transpose_in(count, t->d, t->x + r * t->x_step, t->x_step, -1, p);
        for (int64_t i = 0; i < t->d; i += ROWS) {
            int64_t end = i + ROWS < t->d ? i + ROWS : t->d;
            const double *l = t->l + i * t->l_step;
            add_rows(end - i, i, l, t->l_step, 1, p, p + i * WIDTH);
            for (int64_t k = i; k < end; k++, l += t->l_step) {
                for (int64_t j = i; j < k; j++) add_row(l[j], p + j * WIDTH, p + k * WIDTH);
                solve_row(l[k], p + k * WIDTH);
            }
        }
        transpose_out(count, t->d, t->x + r * t->x_step, t->x_step, p);
    }
}

void HSP_OF_LEVEL(hsp_triangle_backward_)(const hsp_triangle *t) {
    double p[HSP_BLOCK_DEPTH * WIDTH];
    int64_t d = t->d;
    for (int64_t r = 0; r < t->count; r += WIDTH) {
        int64_t count = t->count - r < WIDTH ? t->count - r : WIDTH;
        transpose_in(count, d, t->x + r * t->x_step, t->x_step, -1, p);
        for (int64_t i = (d - 1) / ROWS * ROWS; i >= 0; i -= ROWS) {
            int64_t end = i + ROWS < d ? i + ROWS : d;
            add_rows(end - i, d - end, t->l + end * t->l_step + i, 1, t->l_step, p + end * WIDTH, p + i * WIDTH);
            for (int64_t k = end - 1; k >= i; k--) {
                for (int64_t j = end - 1; j > k; j--) add_row(t->l[j * t->l_step + k], p + j * WIDTH, p + k * WIDTH);
                solve_row(t->l[k * t->l_step + k], p + k * WIDTH);
            }
        }
        transpose_out(count, d, t->x + r * t->x_step, t->x_step, p);
    }
}

void HSP_OF_LEVEL(hsp_pack_across_)(int64_t rows, int64_t d, const double *x, int64_t x_step, double sign, int64_t step,
                                    double *out) {
    for (int64_t i = 0; i < rows; i += WIDTH, out += step)
        transpose_in(rows - i < WIDTH ? rows - i : WIDTH, d, x + i * x_step, x_step, sign, out);
}

void HSP_OF_LEVEL(hsp_pack_along_)(int64_t outputs, int64_t d, const double *x, int64_t x_step, double sign, int64_t step,
                                   double *out) {
    for (int64_t i = 0; i < outputs; i += WIDTH, x += WIDTH, out += step)
        for (int64_t k = 0; k < d; k++) {
            const double *from = x + k * x_step;
            double *to = out + k * WIDTH;
            if (i + WIDTH <= outputs)
                for (int v = 0; v < VECTORS; v++) store(to + v * LANES, times(sign, load(from + v * LANES)));
            else
                for (int64_t l = 0; l < WIDTH; l++) to[l] = i + l < outputs ? sign * from[l] : 0;
        }
}

/* ---- rotations ---- */

enum { PARTS = 4, GROUP = PARTS * LANES < WIDE ? PARTS * LANES : WIDE }; /* enough chains to hide latency */

/* One of two rows stays in registers from one rotation to the next. */
INLINE void rotate_group(const hsp_rotations *r, double *x) {
    vec held[PARTS];
    int64_t first = r->down ? r->count : 0;
    for (int v = 0; v < PARTS; v++) held[v] = load(x + first * WIDE + v * LANES);
    for (int64_t t = 0; t < r->count; t++) {
        int64_t k = r->down ? r->count - 1 - t : t, other = r->down ? k : k + 1, done = r->down ? k + 1 : k;
        double c = r->c[k], s = r->down ? -r->s[k] : r->s[k];
        for (int v = 0; v < PARTS; v++) { /* done <- c done + s other; held for the next: c other - s done */
            vec next = load(x + other * WIDE + v * LANES);
            store(x + done * WIDE + v * LANES, add(times(c, held[v]), times(s, next)));
            held[v] = add(times(c, next), times(-s, held[v]));
        }
    }
    int64_t last = r->down ? 0 : r->count;
    for (int v = 0; v < PARTS; v++) store(x + last * WIDE + v * LANES, held[v]);
}

void HSP_OF_LEVEL(hsp_rotate_)(const hsp_rotations *r) {
    if (r->count == 0) return;
    for (int64_t j = 0; j < WIDE; j += GROUP) rotate_group(r, r->x + j);
}

void HSP_OF_LEVEL(hsp_rotate_pair_)(int64_t n, double c, double s, double *restrict a, double *restrict b) {
    for (int64_t j = 0; j < n; j++) {
        double x = a[j], y = b[j];
        a[j] = c * x + s * y;
        b[j] = c * y - s * x;
    }
}

/* ---- symmetric matrices ---- */

INLINE double tree(const double *s) {
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

enum { EIGHTH = 8 / LANES };

/* Rows i to i + m of the lower triangle, columns before `end`, a multiple of 8: their products with v, eight partial sums each,
 * are added to y_i; v_i times them to y before `end`. */
INLINE void symmetric_rows(const int m, int64_t i, int64_t end, const double *A, int64_t step, const double *v, double *y) {
    vec s[4][EIGHTH];
    const double *row[4];
    for (int q = 0; q < m; q++) {
        row[q] = A + (i + q) * step;
        for (int h = 0; h < EIGHTH; h++) s[q][h] = (vec){0};
    }
    for (int64_t j = 0; j < end; j += 8)
        for (int h = 0; h < EIGHTH; h++) {
            vec vj = load(v + j + h * LANES), yj = load(y + j + h * LANES);
#pragma GCC unroll 4
            for (int q = 0; q < m; q++) {
                vec a = load(row[q] + j + h * LANES);
#ifdef __AVX2__
                s[q][h] += a * vj;
#else
                for (int l = 0; l < LANES; l++) s[q][h].lane[l] += a.lane[l] * vj.lane[l];
#endif
                yj = add(yj, times(v[i + q], a));
            }
            store(y + j + h * LANES, yj);
        }
    for (int q = 0; q < m; q++) {
        double sums[8];
        for (int h = 0; h < EIGHTH; h++) store(sums + h * LANES, s[q][h]);
        y[i + q] += tree(sums);
    }
}

void HSP_OF_LEVEL(hsp_symmetric_)(int64_t d, const double *A, int64_t step, const double *v, double *y) {
    for (int64_t i = 0; i < d; i++) y[i] = 0;
    for (int64_t i = 0; i < d; i += ROWS) {
        int64_t rows = i + ROWS < d ? ROWS : d - i;
        if (i > 0) {
            int64_t q = 0;
            for (; q + 4 <= rows; q += 4) symmetric_rows(4, i + q, i, A, step, v, y);
            for (; q < rows; q++) symmetric_rows(1, i + q, i, A, step, v, y);
        }
        for (int64_t k = i; k < i + rows; k++) {
            const double *row = A + k * step;
            for (int64_t j = i; j < k; j++) {
                y[k] += row[j] * v[j];
                y[j] += row[j] * v[k];
            }
            y[k] += row[k] * v[k];
        }
    }
}
