/* The projection is u_k = max(0, v_k - theta). theta is found by dropping coordinates at or below the present estimate until
 * none is left to drop (Michelot 1986): at most K rounds, most often two or three, and no sorting. */
#include "solve/classes/simplex.h"

static double mean_excess(const double *v, int64_t K, double floor, double total, int64_t *kept) {
    double sum = 0;
    int64_t count = 0;
    for (int64_t k = 0; k < K; k++)
        if (v[k] > floor) {
            sum += v[k];
            count++;
        }
    *kept = count;
    return count > 0 ? (sum - total) / (double)count : floor;
}

void hsp_simplex_project(double *v, int64_t K, double total) {
    double most = v[0];
    for (int64_t k = 1; k < K; k++) most = v[k] > most ? v[k] : most;
    /* Coordinates more than `total` below the largest are 0; relative to it nothing cancels. */
    for (int64_t k = 0; k < K; k++) v[k] -= most;
    double theta = -total;
    int64_t kept, before = K + 1;
    for (;;) {
        double next = mean_excess(v, K, theta, total, &kept);
        if (next > theta) theta = next;
        if (kept == before || kept <= 1) break;
        before = kept;
    }
    for (int64_t k = 0; k < K; k++) v[k] = v[k] > theta ? v[k] - theta : 0;
}
