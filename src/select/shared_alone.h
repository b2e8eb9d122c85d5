/* One problem of one fold for one value of C, solved by itself by run.c. */
#ifndef HSP_SELECT_SHARED_ALONE_H
#define HSP_SELECT_SHARED_ALONE_H

#include "halfspace.h"
#include "select/shared_ascent.h"
#include "select/shared_run.h"

/* Whether coordinate ascent is the cheapest method for a problem with this C. */
bool hsp_shared_ascent_is_best(const hsp_shared_setup *u, double C);
/* Solves the problem by the cheapest solver; not by coordinate ascent, if that has left it unsolved. The start is the last
 * solution, if there is one. Keeps scores, gap and solution. HSP_OK, also when stopped, or an error. */
int hsp_shared_finish(hsp_shared_bench *b, hsp_shared_place at, hsp_error **err);
/* One-vs-rest solves nothing for a class without training rows: its scores. */
bool hsp_shared_is_silent(const hsp_shared_setup *u, const hsp_shared_rows *rows, int64_t k);
void hsp_shared_silence(hsp_shared_run *r, const hsp_shared_rows *rows, int64_t value, int64_t fold, int64_t k);

#endif
