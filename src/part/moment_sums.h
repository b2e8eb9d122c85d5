/* Moments of groups of rows as sums that two blocks join without cancellation: for each group its weight and the number of
 * its rows, its means, and the scatter about them, which is that of all groups together or left out.
 *
 *     groups x 2             weight and rows
 *     groups x columns       means, 0 without rows
 *     columns (columns+1)/2  lower triangle of sum_g sum_{i in g} c_i (x_i - m_g)(x_i - m_g)'; only if wanted
 *
 * Joined by Chan, Golub and LeVeque's formula. */
#ifndef HSP_PART_MOMENT_SUMS_H
#define HSP_PART_MOMENT_SUMS_H

#include <stdbool.h>
#include <stdint.h>

/* The numbers of such a vector; -1: too many. */
int64_t hsp_moment_sums_length(int64_t groups, int64_t columns, bool scatter);
void hsp_moment_sums_join(int64_t groups, int64_t columns, bool scatter, double *left, const double *right);

#endif
