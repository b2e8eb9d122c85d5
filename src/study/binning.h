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
    double threshold;     /* becomes an edge if it is in or near the range */
    int64_t bins;         /* 0: chosen from the data, 20 to 80 */
} hsp_binning;

/* Adds "edges" (B + 1) and "counts" (groups x B; sums of weights) to the study, and "below" and "above": the weight outside
 * the edges, which the first and the last bin include. A value is outside if it is more than four interquartile ranges
 * beyond the quartiles of every group, since it would squeeze all other bars. */
int hsp_binning_add(const hsp_binning *h, hsp_study *s, hsp_error **err);

#endif
