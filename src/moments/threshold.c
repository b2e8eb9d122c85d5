#include "moments/threshold.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

typedef struct place {
    double z, gain; /* gain: the decrease of the mistakes when this row is predicted positive */
} place;

static int compare_places(const void *a, const void *b) {
    double x = ((const place *)a)->z, y = ((const place *)b)->z;
    return (x > y) - (x < y);
}

/* The threshold with the fewest mistakes by weight; among equally good ones the middle of the widest gap between the sorted
 * rows. One beyond the ends, which predicts a single class, only if it is better. Mistakes are counted from a threshold below
 * all rows: moving it past a row predicts that as negative. */
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
