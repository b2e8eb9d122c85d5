/* Histograms of several groups over the same bins. */
#ifndef HSP_STUDY_BINNING_H
#define HSP_STUDY_BINNING_H

#include "halfspace.h"
#include "study/study.h"

typedef struct hsp_binning {
    int64_t n, groups;
    const double *value;  /* n, finite */
    const int32_t *group; /* n, 0 .. groups-1 */
    const double *weight; /* n, or NULL: all 1 */
    double threshold;     /* an edge, when it is in view or not far from it */
    int64_t bins;         /* 0: by the data, 20 to 80 */
} hsp_binning;

/* Adds "edges" (B + 1) and "counts" (groups x B; sums of weights) to the study, and "below" and "above": what lies beyond
 * the edges, and is counted in the first and the last bin. So far out is a value that would squeeze all others: beyond four
 * times the middle half of every group. */
int hsp_binning_add(const hsp_binning *h, hsp_study *s, hsp_error **err);

#endif
