#include "part/row_losses.h"

#include "part/barrier_loss.h"

#include <math.h>
#include <string.h>

/* Rounding may take a multiplier past its bounds, where the dual is minus infinity. */
static void add_duals(const hsp_loss *loss, const double *y, const double *slope, int64_t rows, double *dual) {
    enum { PIECE = 256 };
    double r[PIECE];
    for (int64_t from = 0; from < rows; from += PIECE) {
        int64_t count = rows - from < PIECE ? rows - from : PIECE;
        for (int64_t i = 0; i < count; i++) {
            double sign = loss->traits & HSP_LOSS_NUMBERS ? 1 : y[from + i];
            double a = -slope[from + i] * sign;
            r[i] = sign * (a < loss->dual_low ? loss->dual_low : a > loss->dual_high ? loss->dual_high : a);
        }
        loss->duals(loss, y + from, r, count, dual + from);
    }
}

void hsp_row_losses(const hsp_loss *loss, const double *y, const double *g, int64_t rows, double *value, double *exact,
                    double *dual, double *slope, double *curve) {
    if (loss->second)
        loss->second(loss, y, g, rows, value, slope, curve);
    else
        loss->batch(loss, y, g, rows, 1, HSP_KINK_OPEN, value, slope);
    if (loss->with == hsp_loss_barrier.with)
        hsp_loss_hinge.batch(&hsp_loss_hinge, y, g, rows, 1, HSP_KINK_OPEN, exact, NULL);
    else
        memcpy(exact, value, (size_t)rows * sizeof *exact);
    if (loss->duals)
        add_duals(loss, y, slope, rows, dual);
    else
        for (int64_t i = 0; i < rows; i++) dual[i] = -INFINITY;
}

void hsp_row_majorants(const double *y, const double *g, const double *slope, int64_t rows, double *curve) {
    for (int64_t i = 0; i < rows; i++) {
        double slack = 1 - y[i] * g[i], own = slack > 0 ? fabs(slope[i]) / slack : 0;
        if (own > curve[i]) curve[i] = own;
    }
}

void hsp_row_predicted(const hsp_loss *loss, const double *y, const double *g, const double *step, int64_t rows, double *dual,
                       double *slope) {
    enum { PIECE = 256 };
    double from[PIECE], curve[PIECE];
    for (int64_t first = 0; first < rows; first += PIECE) {
        int64_t count = rows - first < PIECE ? rows - first : PIECE;
        for (int64_t i = 0; i < count; i++) from[i] = g[first + i] - step[first + i];
        loss->second(loss, y + first, from, count, NULL, slope + first, curve);
        for (int64_t i = 0; i < count; i++) {
            double a = -y[first + i] * (slope[first + i] + curve[i] * step[first + i]);
            a = a < loss->dual_low ? loss->dual_low : a > loss->dual_high ? loss->dual_high : a;
            slope[first + i] = -y[first + i] * a;
        }
    }
    add_duals(loss, y, slope, rows, dual);
}
