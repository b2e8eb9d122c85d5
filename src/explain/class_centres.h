/* Class means of an explanation, by the module moments. */
#ifndef HSP_EXPLAIN_CLASS_CENTRES_H
#define HSP_EXPLAIN_CLASS_CENTRES_H

#include "explain/derivation.h"
#include "halfspace.h"
#include "moments/class_moments.h"

hsp_class_rows hsp_derivation_class_rows(const hsp_derivation *v);
/* mass (K) and mean (K x d), in the design's units; scratch of the derivation. */
int hsp_derivation_means(hsp_derivation *v, double **mass, double **mean, hsp_error **err);
/* The two classes with the nearest means, or for two classes the positive one and the other; classes without mass do not
 * count. */
void hsp_derivation_pair(const hsp_derivation *v, const double *mass, const double *mean, int64_t pair[2]);
/* The section "The class means". */
void hsp_derivation_show_means(hsp_derivation *v, const double *mass, const double *mean);

#endif
