/* Scores of rows, rounded with a bound on the error, or exact; and the blocks that threads share. For the checkers of
 * proofs. */
#ifndef HSP_VERIFY_PROOF_PROOF_ROWS_H
#define HSP_VERIFY_PROOF_PROOF_ROWS_H

#include "data/matrix.h"
#include "verify/proof/exact.h"
#include "verify/proof/proof.h"

/* w.x + b, and a bound of its error: infinite when something overflowed, or nearly. Holds when hsp_exact_ieee(). */
double hsp_rows_score(hsp_row x, const double *w, double b, double *error);
/* s += sign w.x, with sign 1 or -1; numbers must be finite. */
void hsp_rows_exact(hsp_exact *s, hsp_row x, const double *w, double sign);
/* Rows are cut into blocks; block k is the rows from begin(k) to begin(k + 1) - 1. At most 256. */
int64_t hsp_rows_blocks(const hsp_matrix *x);
int64_t hsp_rows_begin(const hsp_matrix *x, int64_t block);
bool hsp_rows_finite(const double *v, int64_t n);

#endif
