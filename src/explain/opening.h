/* The first section of every explanation. */
#ifndef HSP_EXPLAIN_OPENING_H
#define HSP_EXPLAIN_OPENING_H

#include "explain/derivation.h"

void hsp_derivation_open(hsp_derivation *v, const hsp_explanation *what);

#endif
