/* softmax: log sum_k exp(g_k) - g_y for K scores and the class y: minus the log-likelihood of P(k|x) = exp(g_k) / sum. With
 * p = P(.|x) the slope is p - e_y and the Hessian diag(p) - p p', whose eigenvalues are at most 1/2 (Boehning 1992).
 * Conjugate: with q = e_y - r on the simplex, f*(-r) = sum_k q_k log q_k. */
#include "kernel/level.h"
#include "loss/loss.h"

#include <math.h>

enum { AT_ONCE = 1024 }; /* numbers processed at a time: whole rows, or a piece of one */

/* A block of rows: the highest score of each, its class, and the sum of exp(g_k - g_high) over the other k. The term of the
 * highest is 1 and left out, so that a small sum keeps its digits. */
typedef struct softmax_block {
    int64_t rows, K;
    double top[AT_ONCE], others[AT_ONCE];
    int64_t high[AT_ONCE];
} softmax_block;

static void find_highest(softmax_block *s, const double *g) {
    for (int64_t i = 0; i < s->rows; i++, g += s->K) {
        double top = g[0];
        int64_t high = 0;
        for (int64_t k = 1; k < s->K; k++) {
            high = g[k] > top ? k : high;
            top = g[k] > top ? g[k] : top;
        }
        s->top[i] = top;
        s->high[i] = high;
        s->others[i] = 0;
    }
}

/* Adds the exponentials of scores `from` to from + count of every row (all scores when there is more than one row). Leaves
 * them in `slope` unless that is NULL. */
static void add_exponentials(softmax_block *s, const double *g, int64_t from, int64_t count, double *slope) {
    double buffer[AT_ONCE], *e = slope ? slope + from : buffer;
    for (int64_t i = 0; i < s->rows; i++)
        for (int64_t k = 0; k < count; k++) e[i * count + k] = g[i * s->K + from + k] - s->top[i];
    hsp_level_now()->exps(s->rows * count, e, e);
    for (int64_t i = 0; i < s->rows; i++, e += count) {
        int64_t high = s->high[i] - from;
        double sum = s->others[i];
        if (high >= 0 && high < count) e[high] = 0;
        for (int64_t k = 0; k < count; k++) sum += e[k];
        if (high >= 0 && high < count) e[high] = 1;
        s->others[i] = sum;
    }
}

/* exp(g_k - g_high) becomes p_k, and p_k - 1 for the row's own class, as minus the sum of the others: no cancellation. */
static void finish_slopes(const softmax_block *s, const double *y, double *slope) {
    for (int64_t i = 0; i < s->rows; i++, slope += s->K) {
        double share = 1 / (1 + s->others[i]), total = 0;
        for (int64_t k = 0; k < s->K; k++) slope[k] *= share;
        slope[(int64_t)y[i]] = 0;
        for (int64_t k = 0; k < s->K; k++) total += slope[k];
        slope[(int64_t)y[i]] = -total;
    }
}

static void batch(const hsp_loss *loss, const double *y, const double *g, int64_t rows, int64_t outputs, hsp_kink kink,
                  double *value, double *slope) {
    (void)loss, (void)kink;
    int64_t step = outputs < AT_ONCE ? AT_ONCE / outputs : 1, piece = outputs < AT_ONCE ? outputs : AT_ONCE;
    softmax_block s;
    s.K = outputs;
    for (int64_t i = 0; i < rows; i += step, g += step * outputs) {
        double *own = slope ? slope + i * outputs : NULL, logs[AT_ONCE];
        s.rows = rows - i < step ? rows - i : step;
        find_highest(&s, g);
        for (int64_t from = 0; from < outputs; from += piece)
            add_exponentials(&s, g, from, outputs - from < piece ? outputs - from : piece, own);
        if (value) hsp_level_now()->log1ps(s.rows, s.others, logs);
        for (int64_t l = 0; value && l < s.rows; l++)
            value[i + l] = logs[l] + (s.top[l] - g[l * outputs + (int64_t)y[i + l]]);
        if (slope) finish_slopes(&s, y + i, own);
    }
}

static double dual_many(double y, const double *r, int64_t outputs) {
    int64_t own = (int64_t)y;
    double sum = 0;
    for (int64_t k = 0; k < outputs; k++) {
        double q = k == own ? 1 - r[k] : -r[k];
        if (q > 0) sum -= k == own ? q * log1p(-r[k]) : q * log(q);
    }
    return sum;
}

const hsp_loss hsp_loss_softmax = {
    .name = "softmax",
    .formula = "log sum_k exp(g_k) - g_y",
    .help = "negative log-likelihood of P(k|x) = exp(g_k)/sum_j exp(g_j); set by --multiclass softmax",
    .traits = HSP_LOSS_SLOPE | HSP_LOSS_SMOOTH | HSP_LOSS_DUAL | HSP_LOSS_CURVED | HSP_LOSS_POSITIVE | HSP_LOSS_MANY |
              HSP_LOSS_ODDS | HSP_LOSS_CLASSES,
    .lipschitz = 0.5,
    .batch = batch,
    .dual_many = dual_many,
    .dual_low = 0,
    .dual_high = 1};
