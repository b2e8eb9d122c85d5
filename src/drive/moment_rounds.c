#include "drive/moment_rounds.h"

#include "base/error.h"
#include "base/memory.h"
#include "part/request.h"

#include <string.h>

/* A packed lower triangle as a whole matrix. */
static void unpack(const double *triangle, int64_t size, double *S) {
    for (int64_t j = 0; j < size; j++)
        for (int64_t k = 0; k <= j; k++) S[j * size + k] = S[k * size + j] = *triangle++;
}

int hsp_drive_ask_moments(hsp_drive *d, bool scatter, double *mass, double *rows, double *mean, double *S, hsp_error **err) {
    int64_t K = d->agreed.groups, columns = d->rows.features + d->rows.targets;
    hsp_request q = {.ask = HSP_ASK_MOMENTS, .scatter = scatter};
    int status = hsp_drive_ask(d, &q, err);
    if (status) return status;
    for (int64_t k = 0; k < K; k++) {
        mass[k] = d->sums[2 * k];
        rows[k] = d->sums[2 * k + 1];
    }
    memcpy(mean, d->sums + 2 * K, (size_t)(K * columns) * sizeof *mean);
    if (scatter) unpack(d->sums + 2 * K + K * columns, columns, S);
    return HSP_OK;
}

int hsp_drive_ask_scatter(hsp_drive *d, int64_t k, double *S, hsp_error **err) {
    int64_t K = d->agreed.groups, columns = d->rows.features;
    const double *before = d->rows.class_weight;
    double *alone = hsp_alloc_zero(K, sizeof *alone);
    if (!alone) return hsp_fail_memory(err);
    alone[k] = before ? before[k] : 1;
    d->rows.class_weight = alone;
    hsp_request q = {.ask = HSP_ASK_MOMENTS, .scatter = true};
    int status = hsp_drive_ask(d, &q, err);
    d->rows.class_weight = before;
    hsp_free(alone);
    if (!status) unpack(d->sums + 2 * K + K * columns, columns, S);
    return status;
}
