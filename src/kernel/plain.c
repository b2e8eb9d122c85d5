/* The plain kernels, the reference for tests of the faster ones. The 16 partial sums are eight variables of two lanes, not an
 * array, so that they stay in registers: an array in memory takes three times as long for rows of a dozen entries. */
#include "kernel/kernel.h"

#include "kernel/decode_rows.h"
#include "kernel/form.h"

#include <stddef.h>

typedef double pair __attribute__((vector_size(16)));

/* The body of every sum: TWO(t, ...) is the terms t and t + 1, ONE(t, ...) the term t, in variables of the function. */
#define SUM(TWO, ONE, ...)                                                                                \
    do {                                                                                                  \
        pair s0 = {0}, s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0;                     \
        int64_t i = 0;                                                                                    \
        for (; i + 16 <= n; i += 16) {                                                                    \
            s0 += TWO(i, __VA_ARGS__), s1 += TWO(i + 2, __VA_ARGS__), s2 += TWO(i + 4, __VA_ARGS__);      \
            s3 += TWO(i + 6, __VA_ARGS__), s4 += TWO(i + 8, __VA_ARGS__), s5 += TWO(i + 10, __VA_ARGS__); \
            s6 += TWO(i + 12, __VA_ARGS__), s7 += TWO(i + 14, __VA_ARGS__);                               \
        }                                                                                                 \
        do {                                                                                              \
            TAIL(s0, 0, TWO, ONE, __VA_ARGS__)                                                            \
            TAIL(s1, 2, TWO, ONE, __VA_ARGS__)                                                            \
            TAIL(s2, 4, TWO, ONE, __VA_ARGS__)                                                            \
            TAIL(s3, 6, TWO, ONE, __VA_ARGS__)                                                            \
            TAIL(s4, 8, TWO, ONE, __VA_ARGS__)                                                            \
            TAIL(s5, 10, TWO, ONE, __VA_ARGS__)                                                           \
            TAIL(s6, 12, TWO, ONE, __VA_ARGS__)                                                           \
            if (n - i > 14) s7 += (pair){ONE(i + 14, __VA_ARGS__), 0};                                    \
        } while (0);                                                                                      \
        s0 = ((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7));                                           \
        return s0[0] + s0[1];                                                                             \
    } while (0)

/* Terms k and k + 1 of the tail, or its end. */
#define TAIL(s, k, TWO, ONE, ...)                                   \
    if (n - i < (k) + 2) {                                          \
        if (n - i > (k)) s += (pair){ONE(i + (k), __VA_ARGS__), 0}; \
        break;                                                      \
    }                                                               \
    s += TWO(i + (k), __VA_ARGS__);

#define DOT_ONE(t, COLUMN, VALUE) (VALUE(x, table, t) * w[COLUMN(id, t)])
#define DOT_TWO(t, COLUMN, VALUE) \
    ((pair){VALUE(x, table, t), VALUE(x, table, (t) + 1)} * (pair){w[COLUMN(id, t)], w[COLUMN(id, (t) + 1)]})

#define SQUARE_ONE(t, VALUE) (VALUE(x, table, t) * VALUE(x, table, t))
#define SQUARE_TWO(t, VALUE) ((pair){SQUARE_ONE(t, VALUE), SQUARE_ONE((t) + 1, VALUE)})

#define PLAIN_ONE(t, x) ((x)[t])
#define PLAIN_TWO(t, x) ((pair){(x)[t], (x)[(t) + 1]})

double hsp_dot_f64(const double *x, const double *w, int64_t n) {
    return hsp_dots[0](NULL, x, NULL, n, w);
}

bool hsp_finite_f64(const double *x, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += x[i] * 0; /* without a branch, so vectorised; NaN and infinity give NaN */
    return sum == 0;
}

double hsp_sum_f64(const double *x, int64_t n) {
    SUM(PLAIN_TWO, PLAIN_ONE, x);
}

void hsp_axpy_f64(double a, const double *x, double *w, int64_t n) {
    hsp_axpys[0](a, NULL, x, NULL, n, w);
}

void hsp_scale_f64(double a, double *w, int64_t n) {
    for (int64_t t = 0; t < n; t++) w[t] *= a;
}

/* ---- rows of every form ---- */

#define ROW_DOT(form, id_type, COLUMN, type, VALUE)                                                                  \
    static double dot_##form(const void *ids, const void *values, const double *table, int64_t n, const double *w) { \
        HSP_ENTRIES(id_type, ids, type, values);                                                                     \
        SUM(DOT_TWO, DOT_ONE, COLUMN, VALUE);                                                                        \
    }

/* In long rows four entries a turn save a third of the instructions; in short ones the rest of up to three costs more, by
 * branches predicted wrong. They are added one after the other, as ids may repeat. */
enum { LONG_ROW = 32 };
#define ADD_TERM(t, COLUMN, VALUE) w[COLUMN(id, t)] += a * VALUE(x, table, t)
#define ROW_AXPY(form, id_type, COLUMN, type, VALUE)                                                       \
    static void axpy_##form(double a, const void *ids, const void *values, const double *table, int64_t n, \
                            double *restrict w) {                                                          \
        HSP_ENTRIES(id_type, ids, type, values);                                                           \
        int64_t t = 0;                                                                                     \
        if (n >= LONG_ROW)                                                                                 \
            for (; t + 4 <= n; t += 4) {                                                                   \
                ADD_TERM(t, COLUMN, VALUE);                                                                \
                ADD_TERM(t + 1, COLUMN, VALUE);                                                            \
                ADD_TERM(t + 2, COLUMN, VALUE);                                                            \
                ADD_TERM(t + 3, COLUMN, VALUE);                                                            \
            }                                                                                              \
        for (; t < n; t++) ADD_TERM(t, COLUMN, VALUE);                                                     \
    }

#define ROW_NORM2(form, id_type, COLUMN, type, VALUE)                                \
    static double norm2_##form(const void *values, const double *table, int64_t n) { \
        const type *x = values;                                                      \
        (void)x, (void)table;                                                        \
        SUM(SQUARE_TWO, SQUARE_ONE, VALUE);                                          \
    }

/* Four chains at a time. */
#define ROW_CHAINS(coding, type)                                                                                         \
    static void chains_##coding(const void *const *rows, int64_t n, const double *w, int64_t w_step, int64_t outputs,    \
                                double *out, int64_t step) {                                                             \
        for (int64_t k = 0; k < outputs; k++, w += w_step)                                                               \
            for (int64_t r = 0; r < HSP_CHAIN_ROWS; r += 4) {                                                            \
                const type *a = rows[r], *b = rows[r + 1], *c = rows[r + 2], *d = rows[r + 3];                           \
                double *to = out + r * step + k, s0 = to[0], s1 = to[step], s2 = to[2 * step], s3 = to[3 * step];        \
                for (int64_t t = 0; t < n; t++) {                                                                        \
                    s0 += w[t] * (double)a[t], s1 += w[t] * (double)b[t];                                                \
                    s2 += w[t] * (double)c[t], s3 += w[t] * (double)d[t];                                                \
                }                                                                                                        \
                to[0] = s0, to[step] = s1, to[2 * step] = s2, to[3 * step] = s3;                                         \
            }                                                                                                            \
    }

ROW_CHAINS(f64, double)
ROW_CHAINS(f32, float)

HSP_EACH_FORM(ROW_DOT)
HSP_EACH_FORM(ROW_AXPY)
HSP_EACH_DENSE_FORM(ROW_NORM2)
HSP_EACH_FORM(HSP_ROW_DECODE)
HSP_EACH_DENSE_FORM(HSP_ROW_TRANSFORM)

#define DOT_ENTRY(form, ...) dot_##form,
#define AXPY_ENTRY(form, ...) axpy_##form,
#define NORM2_ENTRY(form, ...) norm2_##form,
#define DECODE_ENTRY(form, ...) decode_##form,
#define TRANSFORM_ENTRY(form, ...) transform_##form,

hsp_dot_of_form *hsp_dots[HSP_FORMS] = {HSP_EACH_FORM(DOT_ENTRY)};
hsp_axpy_of_form *hsp_axpys[HSP_FORMS] = {HSP_EACH_FORM(AXPY_ENTRY)};
hsp_norm2_of_coding *hsp_norms2[HSP_DENSE_CODINGS] = {HSP_EACH_DENSE_FORM(NORM2_ENTRY)};
hsp_decode_of_form *hsp_decodes[HSP_FORMS] = {HSP_EACH_FORM(DECODE_ENTRY)};
hsp_transform_of_coding *hsp_transforms[HSP_DENSE_CODINGS] = {HSP_EACH_DENSE_FORM(TRANSFORM_ENTRY)};
hsp_chains_of_coding *hsp_chains[2] = {chains_f64, chains_f32};
const hsp_dense_rows hsp_dense_rows_plain = {.dot = {HSP_EACH_DENSE_FORM(DOT_ENTRY)},
                                             .axpy = {HSP_EACH_DENSE_FORM(AXPY_ENTRY)},
                                             .norm2 = {HSP_EACH_DENSE_FORM(NORM2_ENTRY)},
                                             .decode = {HSP_EACH_DENSE_FORM(DECODE_ENTRY)},
                                             .transform = {HSP_EACH_DENSE_FORM(TRANSFORM_ENTRY)},
                                             .chains = {chains_f64, chains_f32}};
