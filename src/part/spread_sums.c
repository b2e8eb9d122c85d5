#include "part/spread_sums.h"

int64_t hsp_spread_length(int64_t columns) {
    int64_t length;
    if (columns < 0 || __builtin_mul_overflow(columns, 4, &length)) return -1;
    return __builtin_add_overflow(length, HSP_SPREAD_COLUMNS, &length) ? -1 : length;
}

void hsp_spread_join(int64_t columns, double *left, const double *right) {
    double a = left[HSP_SPREAD_ROWS], b = right[HSP_SPREAD_ROWS], n = a + b;
    double *mean = left + hsp_spread_mean(columns), *squares = left + hsp_spread_squares(columns);
    double *least = left + hsp_spread_least(columns), *greatest = left + hsp_spread_greatest(columns);
    const double *other = right + hsp_spread_mean(columns), *more = right + hsp_spread_squares(columns);
    const double *low = right + hsp_spread_least(columns), *high = right + hsp_spread_greatest(columns);
    left[HSP_SPREAD_ROWS] = n;
    if (b == 0) return;
    for (int64_t j = 0; j < columns; j++) {
        double step = a > 0 ? other[j] - mean[j] : 0;
        squares[j] += more[j] + step * step * (a * (b / n));
        mean[j] = a > 0 ? mean[j] + step * (b / n) : other[j];
        least[j] = a > 0 && least[j] < low[j] ? least[j] : low[j];
        greatest[j] = a > 0 && greatest[j] > high[j] ? greatest[j] : high[j];
    }
}
