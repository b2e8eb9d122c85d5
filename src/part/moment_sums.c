#include "part/moment_sums.h"

int64_t hsp_moment_sums_length(int64_t groups, int64_t columns, bool scatter) {
    int64_t length, triangle;
    if (groups < 0 || columns < 0 || columns == INT64_MAX || __builtin_mul_overflow(groups, columns + 2, &length)) return -1;
    if (!scatter) return length;
    if (__builtin_mul_overflow(columns, columns + 1, &triangle)) return -1;
    return __builtin_add_overflow(length, triangle / 2, &length) ? -1 : length;
}

void hsp_moment_sums_join(int64_t groups, int64_t columns, bool scatter, double *left, const double *right) {
    double *mean = left + 2 * groups, *S = mean + groups * columns;
    const double *other = right + 2 * groups, *T = other + groups * columns;
    for (int64_t k = 0; scatter && k < columns * (columns + 1) / 2; k++) S[k] += T[k];
    for (int64_t g = 0; g < groups; g++, mean += columns, other += columns) {
        double a = left[2 * g], b = right[2 * g], sum = a + b, share = sum > 0 ? b / sum : 0, both = a * share;
        left[2 * g] = sum;
        left[2 * g + 1] += right[2 * g + 1];
        if (b == 0) continue;
        for (int64_t j = 0, at = 0; scatter && both > 0 && j < columns; j++) {
            double step = both * (other[j] - mean[j]);
            for (int64_t k = 0; k <= j; k++) S[at++] += step * (other[k] - mean[k]);
        }
        for (int64_t j = 0; j < columns; j++) mean[j] = a > 0 ? mean[j] + share * (other[j] - mean[j]) : other[j];
    }
}
