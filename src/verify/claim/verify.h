/* Independent recomputation of a model's claims: separate losses, conjugates, penalties and loops over the rows, in
 * double-double arithmetic. It shares nothing with the solvers. Training ends by computing its claims here, and `verify`
 * recomputes them from the file: they must agree to the last bit, or the claim is false. */
#ifndef HSP_VERIFY_CLAIM_VERIFY_H
#define HSP_VERIFY_CLAIM_VERIFY_H

#include "data/data.h"
#include "halfspace.h"
#include "model/model.h"
#include "model/objective.h"

typedef struct hsp_verified {
    double objective; /* P, summed over the problems */
    double loss_sum;  /* weighted sum of the losses */
    double penalty;   /* R of the weights of the transformed columns, summed over outputs */
    double accuracy;  /* share of rows predicted correctly, by the rows' own weights; NaN for regression */
    double bound;     /* lower bound of the optimum, by the model's dual vector, else by derived multipliers; NaN: none */
} hsp_verified;

/* Recomputes everything from the rows and the model's weights in original units, for the objective that the model states.
 * Returns HSP_EINPUT if the model has no objective, or if data and model do not match. */
int hsp_verify_model(const hsp_model *m, const hsp_data *data, hsp_verified *out, hsp_error **err);

/* One verified problem of a fit: a class against the rest, or all outputs together. */
typedef struct hsp_verified_problem {
    double objective, bound, gap; /* bound and gap NaN: none */
    double residual;              /* |(1 - rho) w - v|: 0 at an optimum without L1 */
    bool absent;                  /* a class without rows */
} hsp_verified_problem;

/* Work of the caller on the rows of the data, while an audit on one thread has them in the cache: called for all rows once, in
 * their order, some at a time. */
typedef struct hsp_rows_visitor {
    void (*visit)(void *ctx, int64_t from, int64_t to);
    void *ctx;
    bool done; /* set by the audit: all rows were visited */
} hsp_rows_visitor;

/* Computes model->claims and the figures of each problem (`problems` has room for m->outputs). Uses the multipliers `dual`;
 * NULL: those derived at the model's weights. Without an objective *claims is NULL. visitor: NULL, or visited if not done yet;
 * with several threads not at all. */
int hsp_verify_certify(const hsp_model *m, const hsp_objective *objective, const hsp_data *data, const hsp_dual *dual,
                       int threads, hsp_rows_visitor *visitor, hsp_verified_problem *problems, hsp_report **claims,
                       hsp_error **err);
/* The same for a model of one score. Uses the multipliers derived at its weights if they prove a gap of at most `enough`,
 * otherwise `dual`; *by_dual says which. Equivalent to trying one after the other, but scores the rows only once. */
int hsp_verify_certify_either(const hsp_model *m, const hsp_objective *objective, const hsp_data *data,
                              const hsp_dual *dual, double enough, int threads, hsp_rows_visitor *visitor,
                              hsp_verified_problem *problem, bool *by_dual, hsp_report **claims, hsp_error **err);

#endif
