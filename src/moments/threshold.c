#include "moments/threshold.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

typedef struct place {
    double z, gain; /* gain: what the mistakes lessen by when this row is called positive */
} place;

static int compare_places(const void *a, const void *b) {
    double x = ((const place *)a)->z, y = ((const place *)b)->z;
    return (x > y) - (x < y);
}

/* The fewest mistakes by weight; of equally good cuts the middle of the widest gap between rows, which are sorted. A cut
 * beyond the ends, where one class takes all, only when it is better. Mistakes are counted from the cut below all rows:
 * passing a row calls it negative. */
static double fewest_mistakes(const place *rows, int64_t n, double total) {
    double span = rows[n - 1].z - rows[0].z, beyond = span > 0 ? span / 2 : 1;
    double inner = INFINITY, mistakes = 0, all;
    for (int64_t i = 0; i < n; i++) {
        mistakes += rows[i].gain;
        if (i + 1 < n && rows[i + 1].z > rows[i].z) inner = fmin(inner, mistakes);
    }
    all = mistakes;
    if (fmin(all, 0) < inner - 1e-12 * total) return all < 0 ? rows[n - 1].z + beyond : rows[0].z - beyond;
    double width = 0, best = 0;
    mistakes = 0;
    for (int64_t i = 0; i + 1 < n; i++) {
        double gap = rows[i + 1].z - rows[i].z;
        mistakes += rows[i].gain;
        if (gap <= width || mistakes > inner + 1e-12 * total) continue;
        width = gap;
        best = rows[i].z + gap / 2;
    }
    return best;
}

int hsp_threshold_fewest_mistakes(const hsp_class_rows *set, const double *z, int64_t plus, double total, double *threshold,
                                  hsp_error **err) {
    place *rows = hsp_alloc(set->design->n, sizeof *rows);
    if (!rows) return hsp_fail_memory(err);
    int64_t n = 0;
    for (int64_t i = 0; i < set->design->n; i++) {
        double c = set->c ? set->c[i] : 1;
        if (c > 0) rows[n++] = (place){z[i], set->y[i] == plus ? c : -c};
    }
    qsort(rows, (size_t)n, sizeof *rows, compare_places);
    *threshold = fewest_mistakes(rows, n, total);
    hsp_free(rows);
    return HSP_OK;
}
