/* Independent re-computation of what a model claims: its own losses, conjugates and penalties, its own loop over the rows,
 * compensated sums; nothing shared with the solvers. What the tests trust. */
#ifndef HSP_VERIFY_VERIFY_H
#define HSP_VERIFY_VERIFY_H

#include "model/model.h"

typedef struct hsp_verified {
    double objective; /* P, summed over the problems */
    double loss_sum;  /* weighted sum of the losses */
    double penalty;   /* R of the weights of the transformed columns, summed over the outputs */
    double accuracy;  /* share of rows whose class is predicted right, by the rows' own weights; NaN for regression */
    double bound; /* a lower bound of the optimum from multipliers made at the model's point; NaN: none (no penalty, or a
                     loss whose slope jumps) */
} hsp_verified;

/* Value of the named loss of one score; NaN for an unknown name. */
double hsp_verify_loss(const char *loss, double y, double g);
/* Recomputes everything from the rows and from the model's weights in original units; what was minimised (loss, penalty, C,
 * l1-ratio, intercept, class weights) is taken from the model's own report and options. HSP_EINPUT when the model has no
 * objective, or when data and model do not fit. */
int hsp_verify_model(const hsp_model *m, const hsp_data *data, hsp_verified *out, hsp_error **err);

#endif
