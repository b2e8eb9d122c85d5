/* Matrices by a power of two, exactly, so that squares of their numbers neither overflow nor vanish. */
#ifndef HSP_FACTOR_SCALE_H
#define HSP_FACTOR_SCALE_H

#include <stdbool.h>
#include <stdint.h>

bool hsp_all_finite(const double *x, int64_t count);
/* Divides the numbers by 2^e so that the largest is in [0.5, 1); returns e. Those below 1e-308 times the largest may become
 * 0. */
int hsp_scale_to_one(double *x, int64_t count);
void hsp_scale_back(double *x, int64_t count, int e); /* times 2^e */

#endif
