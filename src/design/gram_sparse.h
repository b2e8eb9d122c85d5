/* The Gram matrix of sparse rows as sums over pairs of entries; the arguments are those of gram.h. */
#ifndef HSP_DESIGN_GRAM_SPARSE_H
#define HSP_DESIGN_GRAM_SPARSE_H

#include "design/gram.h"

/* HSP_OK or HSP_EMEMORY. */
int hsp_design_gram_sparse(const hsp_design *D, const double *c, const double *centres, const int32_t *group,
                           int64_t groups, double *G);
/* As hsp_design_group_sums, but of z_i = factor * x_i, the rows without centring. */
int hsp_design_group_sums_stored(const hsp_design *D, const double *c, const int32_t *group, int64_t groups, double *mass,
                                 double *sums);

#endif
