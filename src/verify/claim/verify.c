/* One value of a loss, for whoever wants it. */
#include "verify/claim/verify.h"

#include "verify/loss/double_double.h"
#include "verify/loss/loss_claim.h"

#include <math.h>

double hsp_verify_loss(const char *loss, double parameter, double y, double g) {
    const hsp_claim_loss *l = hsp_claim_loss_find(loss);
    double one = 1;
    hsp_dd score = hsp_dd_of(g);
    hsp_rows_part row = {.count = 1, .y = &y, .c = &one, .C = 1, .parameter = parameter};
    return l && l->losses ? hsp_dd_value(l->losses(&row, &score)) : (double)NAN;
}
