/* The expensive passes over all rows: products with several vectors, and the Gram matrices of closed forms and Newton steps.
 * Work is cut by the data, not by the number of threads: the same bits for any --threads. All return HSP_OK or HSP_EMEMORY.
 * x'_i are the transformed rows (design.h). */
#ifndef HSP_DESIGN_GRAM_H
#define HSP_DESIGN_GRAM_H

#include "design/design.h"
#include "halfspace.h"

/* G (d x d, both triangles) = sum_i c_i (x'_i - m_i)(x'_i - m_i)', where m_i is row group[i] of centres (groups x d); group
 * NULL: row 0; centres NULL: no centring; c NULL: all 1. Rows with c_i = 0 are skipped. Dense rows are centred before they are
 * multiplied, to avoid cancellation; sparse ones stay sparse, with rank-one corrections. */
int hsp_design_gram(const hsp_design *D, const double *c, const double *centres, const int32_t *group, int64_t groups,
                    double *G, hsp_error **err);
/* The same of dense rows with one centre (d, or NULL: 0), by products in single precision: about six digits of each product,
 * for a preconditioner. c_i >= 0. Not finite where the values are beyond the range of float. */
int hsp_design_gram_single(const hsp_design *D, const double *c, const double *centre, double *G, hsp_error **err);
/* mass_k = sum of c_i over the rows of group k; sums (groups x d): of c_i x'_i. group NULL: one group; c NULL: all 1. */
int hsp_design_group_sums(const hsp_design *D, const double *c, const int32_t *group, int64_t groups, double *mass,
                          double *sums, hsp_error **err);
/* out[i K + k] = x'_i . W_k + b_k; W is K x d; b NULL: 0. */
int hsp_design_scores_many(const hsp_design *D, const double *W, const double *b, int64_t K, double *out, hsp_error **err);
/* out (K x d): out_k = sum_i R[i K + k] x'_i. */
int hsp_design_adjoint_many(const hsp_design *D, const double *R, int64_t K, double *out, hsp_error **err);
/* The same two passes with memory allocated in advance, so that they cannot fail; K > 1. A plan is for one caller at a time. */
typedef struct hsp_scores_plan hsp_scores_plan;
int hsp_scores_plan_new(const hsp_design *D, int64_t K, hsp_scores_plan **out, hsp_error **err);
void hsp_scores_plan_run(hsp_scores_plan *p, const double *W, const double *b, double *out);
void hsp_scores_plan_free(hsp_scores_plan *p);
typedef struct hsp_adjoint_plan hsp_adjoint_plan;
int hsp_adjoint_plan_new(const hsp_design *D, int64_t K, hsp_adjoint_plan **out, hsp_error **err);
void hsp_adjoint_plan_run(hsp_adjoint_plan *p, const double *R, double *out);
void hsp_adjoint_plan_free(hsp_adjoint_plan *p);
/* A (n x n, both triangles): A_ij = (x'_i - m).(x'_j - m); m NULL: 0. */
int hsp_design_outer(const hsp_design *D, const double *m, double *A, hsp_error **err);

#endif
