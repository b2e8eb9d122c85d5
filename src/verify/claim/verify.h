/* Independent re-computation of what a model claims: its own losses, conjugates and penalties, its own loops over the rows,
 * in double-double arithmetic; nothing shared with the solvers. Training ends by having its claims made here, and `verify`
 * makes them again from the file: equal to the last bit, or the claim is false. */
#ifndef HSP_VERIFY_CLAIM_VERIFY_H
#define HSP_VERIFY_CLAIM_VERIFY_H

#include "data/data.h"
#include "halfspace.h"
#include "model/model.h"
#include "model/objective.h"

typedef struct hsp_verified {
    double objective; /* P, summed over the problems */
    double loss_sum;  /* weighted sum of the losses */
    double penalty;   /* R of the weights of the transformed columns, summed over the outputs */
    double accuracy;  /* share of rows whose class is predicted right, by the rows' own weights; NaN for regression */
    double bound; /* a lower bound of the optimum: from the model's dual vector, else from multipliers made at its point;
                     NaN: none */
} hsp_verified;

/* Recomputes everything from the rows and from the model's weights in original units, for the objective that the model
 * states. HSP_EINPUT when the model has no
 * objective, or when data and model do not fit. */
int hsp_verify_model(const hsp_model *m, const hsp_data *data, hsp_verified *out, hsp_error **err);

/* One problem of a fit as verified: a class against the rest, or all outputs together. */
typedef struct hsp_verified_problem {
    double objective, bound, gap; /* bound and gap NaN: none */
    double residual;              /* |(1 - rho) w - v|: 0 at an optimum without L1 */
    bool absent;                  /* a class without rows */
} hsp_verified_problem;

/* Makes the claims for model->claims, and the figures of each problem (`problems` has room for m->outputs). Which
 * multipliers: `dual`, or NULL: those that the model's own point gives. Without an objective *claims is NULL. */
int hsp_verify_certify(const hsp_model *m, const hsp_objective *objective, const hsp_data *data, const hsp_dual *dual,
                       int threads, hsp_verified_problem *problems, hsp_report **claims, hsp_error **err);
/* Likewise for a model of one score, by the multipliers of its own point where those prove a gap of `enough` or less, else
 * by `dual`: *by_dual says which. The same as to do the one and then perhaps the other, but the rows are scored once. */
int hsp_verify_certify_either(const hsp_model *m, const hsp_objective *objective, const hsp_data *data,
                              const hsp_dual *dual, double enough, int threads, hsp_verified_problem *problem,
                              bool *by_dual, hsp_report **claims, hsp_error **err);

#endif
