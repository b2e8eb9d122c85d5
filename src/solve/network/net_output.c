#include "solve/network/net_output.h"

#include "kernel/level.h"

#include <math.h>
#include <stddef.h>

enum { BLOCK = 128 };

static void logistic(const hsp_scored *s, hsp_output_sums *sums) {
    double value[BLOCK], slope[BLOCK];
    for (int64_t i = 0; i < s->rows; i += BLOCK) {
        int64_t n = s->rows - i < BLOCK ? s->rows - i : BLOCK;
        hsp_level_now()->logistic(s->y + i, s->scores + i, n, value, slope, NULL);
        for (int64_t t = 0; t < n; t++) {
            sums->loss += s->c[i + t] * value[t];
            if ((s->scores[i + t] > 0) != (s->y[i + t] > 0)) sums->wrong += s->c[i + t];
            s->scores[i + t] = s->c[i + t] * slope[t];
        }
    }
}

/* log sum_k exp g_k - g_y, with slopes exp g_k / sum - [k = y]; the largest score is subtracted first. */
static void softmax_row(int64_t K, int64_t own, double c, double *g, hsp_output_sums *sums) {
    int64_t best = 0;
    for (int64_t k = 1; k < K; k++)
        if (g[k] > g[best]) best = k;
    double most = g[best], sum = 0, at = g[own];
    for (int64_t k = 0; k < K; k++) g[k] -= most;
    hsp_level_now()->exps(K, g, g);
    for (int64_t k = 0; k < K; k++) sum += g[k];
    sums->loss += c * (log(sum) + (most - at));
    if (best != own) sums->wrong += c;
    for (int64_t k = 0; k < K; k++) g[k] = c * (g[k] / sum - (k == own ? 1 : 0));
}

static void softmax(const hsp_scored *s, hsp_output_sums *sums) {
    for (int64_t i = 0; i < s->rows; i++)
        softmax_row(s->outputs, (int64_t)s->y[i], s->c[i], s->scores + i * s->outputs, sums);
}

static void squared(const hsp_scored *s, hsp_output_sums *sums) {
    for (int64_t i = 0; i < s->rows; i++) {
        double r = s->scores[i] - s->y[i];
        sums->loss += s->c[i] * (r * r / 2);
        s->scores[i] = s->c[i] * r;
    }
}

const hsp_output hsp_output_logistic = {.loss = "logistic", .differentiate = logistic};
const hsp_output hsp_output_softmax = {.loss = "softmax", .differentiate = softmax};
const hsp_output hsp_output_squared = {.loss = "squared", .differentiate = squared};
