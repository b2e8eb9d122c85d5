#include "data/apart.h"

#include "base/error.h"
#include "base/memory.h"

#include <stdlib.h>

/* ---- groups ---- */

static int64_t distance(int64_t a, int64_t b) {
    return a < b ? b - a : a - b;
}

/* Takes groups in random order as long as each brings the number of test rows nearer to what is wanted. The first is always
 * taken and one is always left. */
static int64_t take_groups(const int64_t *order, int64_t groups, const int64_t *size, int64_t wanted, bool *taken) {
    int64_t rows = 0, count = 0;
    for (int64_t k = 0; k < groups && count < groups - 1; k++) {
        int64_t more = rows + size[order[k]];
        if (count > 0 && distance(more, wanted) >= distance(rows, wanted)) continue;
        taken[order[k]] = true;
        rows = more;
        count++;
    }
    return rows;
}

static int split_groups(const hsp_data *data, int64_t wanted, hsp_rng *rng, bool *test, hsp_error **err) {
    int64_t n = data->x.n, groups = 0, *size = NULL, *order = NULL, most = 0;
    bool *taken = NULL;
    for (int64_t i = 0; i < n; i++) most = data->group[i] >= most ? data->group[i] + 1 : most;
    int status = (size = hsp_alloc_zero(most, sizeof *size)) && HSP_ALLOC(order, most) &&
                         (taken = hsp_alloc_zero(most, sizeof *taken))
                     ? HSP_OK
                     : hsp_fail_memory(err);
    if (status) goto done;
    for (int64_t i = 0; i < n; i++) size[data->group[i]]++;
    for (int64_t g = 0; g < most; g++)
        if (size[g] > 0) order[groups++] = g;
    if (groups < 2) {
        status =
            hsp_fail(err, HSP_EINPUT,
                     "all rows are of one group, so none can be tested without it: choose another column with --group, or "
                     "leave it out");
        goto done;
    }
    hsp_rng_shuffle(rng, order, groups);
    take_groups(order, groups, size, wanted, taken);
    for (int64_t i = 0; i < n; i++) test[i] = taken[data->group[i]];
done:
    HSP_FREE(size, order, taken);
    return status;
}

/* ---- times ---- */

/* Cuts where the time changes, at the place nearest to the wanted number of rows from the end. Rows of one time stay
 * together. */
static int split_times(const hsp_data *data, int64_t wanted, bool *test, hsp_error **err) {
    int64_t n = data->x.n, best = 0;
    double *sorted = hsp_alloc(n, sizeof *sorted);
    if (!sorted) return hsp_fail_memory(err);
    for (int64_t i = 0; i < n; i++) sorted[i] = data->time[i];
    qsort(sorted, (size_t)n, sizeof *sorted, hsp_ascending);
    for (int64_t i = 1; i < n; i++)
        if (sorted[i] > sorted[i - 1] && (best == 0 || distance(n - i, wanted) < distance(n - best, wanted))) best = i;
    for (int64_t i = 0; i < n && best > 0; i++) test[i] = data->time[i] >= sorted[best];
    hsp_free(sorted);
    if (best > 0) return HSP_OK;
    return hsp_fail(
        err, HSP_EINPUT,
        "all rows have the same time, so none is later than the others: choose another column with --time, or leave "
        "it out");
}

int hsp_split_apart(const hsp_data *data, int64_t wanted, hsp_rng *rng, bool *test, hsp_error **err) {
    if (data->group && data->time)
        return hsp_fail(
            err, HSP_EUSAGE,
            "--group and --time exclude each other, as a group may have rows in both parts of time: give one of "
            "them");
    return data->group ? split_groups(data, wanted, rng, test, err) : split_times(data, wanted, test, err);
}
