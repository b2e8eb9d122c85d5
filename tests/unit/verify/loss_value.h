/* One value of a loss by verify's own formulas. */
#ifndef LOSS_VALUE_H
#define LOSS_VALUE_H

#include "verify/loss/double_double.h"
#include "verify/loss/loss_claim.h"

#include <math.h>

static inline double verified_loss(const char *loss, double parameter, double y, double g) {
    const hsp_claim_loss *l = hsp_claim_loss_find(loss);
    double one = 1;
    hsp_dd score = hsp_dd_of(g);
    hsp_rows_part row = {.count = 1, .y = &y, .c = &one, .C = 1, .parameter = parameter};
    return l && l->losses ? hsp_dd_value(l->losses(&row, &score)) : (double)NAN;
}

#endif
