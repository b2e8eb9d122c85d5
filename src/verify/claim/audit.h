/* Recomputes the figures of a claim. For each problem: the objective, a lower bound of its optimum from the multipliers,
 * and the distance of the weights from those that the multipliers imply. Rows are divided into fixed parts whose sums are
 * added in order, so that the result has the same bits for any number of threads. */
#ifndef HSP_VERIFY_CLAIM_AUDIT_H
#define HSP_VERIFY_CLAIM_AUDIT_H

#include "base/advance.h"
#include "data/data.h"
#include "halfspace.h"
#include "model/model.h"
#include "model/objective.h"
#include "verify/claim/claim.h"
#include "verify/claim/verify.h"
#include "verify/loss/double_double.h"
#include "verify/loss/loss_claim.h"

enum { HSP_AUDIT_PART = 1024 }; /* maximum number of rows in a part */

/* The predicted class so far for each of n rows, and its score; owned. */
typedef struct hsp_audit_guess {
    int32_t *class;
    double *score;
} hsp_audit_guess;

/* One piece of `size` bytes for each thread; owned. */
typedef struct hsp_audit_scratch {
    char *bytes;
    int64_t size;
} hsp_audit_scratch;

/* Replaces derived multipliers that leave a gap above `enough`. Only for a single problem with one score per row. */
typedef struct hsp_audit_spare {
    const hsp_dual *dual; /* borrowed; NULL: none */
    double enough;
} hsp_audit_spare;

/* Of all problems so far. */
typedef struct hsp_audit_hashes {
    uint64_t scores, multipliers;
} hsp_audit_hashes;

typedef struct hsp_audit {
    hsp_claim c;
    const hsp_passes *pass;
    hsp_advance *advance;      /* borrowed; NULL: cannot be cancelled. After a cancellation the figures are meaningless. */
    hsp_rows_visitor *visitor; /* borrowed; or NULL */
    int threads;
    const hsp_dual *dual; /* NULL: multipliers are derived where the loss is smooth */
    hsp_audit_spare spare;
    int64_t width;       /* scores per row in one problem: 1, or K */
    int64_t part, parts; /* rows of a part (the last may have fewer), number of parts */
    int64_t cuts;        /* pieces of the rows whose column sums are computed separately */
    /* of the current problem */
    double *y;           /* n */
    double *g, *a;       /* n x width, output by output: scores and multipliers */
    double *low;         /* joint: n, the low part of the multiplier of a row's own class, once confined */
    hsp_dd *sum, *least; /* parts: sums, and least margins of the rows with weight */
    uint64_t *hash;
    hsp_dual_sums *sums;
    hsp_audit_guess guess;
    double *room;        /* column sums of the pieces */
    hsp_audit_columns v; /* the sum of all pieces */
    hsp_audit_scratch scratch;
    hsp_audit_hashes hashes;
    struct hsp_conditioning *conditioning; /* the same for all problems; computed when first needed */
} hsp_audit;

/* The figures of one problem. NaN: unknown. */
typedef struct hsp_figures {
    bool absent;
    bool bounded; /* the bound is valid */
    double loss_sum, penalty, norm;
    double objective, bound, gap, residual;
    double least;  /* margins: min y g over the rows with weight */
    bool feasible; /* hard margin: least is at least 1, up to the rounding of double-double */
} hsp_figures;

/* The dual vector is borrowed and must match the rows and outputs. Call hsp_audit_close after a failure too. */
int hsp_audit_open(const hsp_model *m, const hsp_objective *objective, const hsp_data *data, const hsp_dual *dual,
                   int threads, hsp_audit *out, hsp_error **err);
void hsp_audit_close(hsp_audit *u);
static inline bool hsp_audit_multipliers(const hsp_audit *u) {
    return !u->c.m->network && hsp_claim_has_dual(&u->c) && (u->dual || hsp_claim_smooth(&u->c));
}
/* Computes labels, scores and multipliers (stored or derived) of problem k into y, g and a, and loss_sum. */
int hsp_audit_scores(hsp_audit *u, int64_t k, hsp_figures *out, hsp_error **err);
/* Computes the other figures, after hsp_audit_scores. Confines the multipliers to the domain of the dual, in place. */
int hsp_audit_finish(hsp_audit *u, int64_t k, hsp_figures *out, hsp_error **err);
/* After all problems: accuracy, by the rows' own weights. Regression: RMSE, given the sum of losses. */
double hsp_audit_quality(const hsp_audit *u, double loss_sum);
/* (P - D) / max(|P|, 1e-300) */
double hsp_audit_gap(double objective, double bound);

/* Audits every problem and writes the claims. `see`, unless NULL, is called for each problem once it is done. */
typedef void hsp_audit_witness(void *ctx, const hsp_audit *u, int64_t k, const hsp_figures *f);
int hsp_audit_claims(hsp_audit *u, hsp_verified_problem *problems, hsp_audit_witness *see, void *ctx, hsp_report **claims,
                     hsp_error **err);

/* ---- inside the audit ---- */

/* How close to linearly dependent the columns are: see conditioning.c. */
typedef struct hsp_conditioning {
    double least; /* lower bound of the least eigenvalue of G scaled to a unit diagonal; NaN: unknown */
    double *size; /* d: norms of the columns; or NULL; owned */
} hsp_conditioning;
/* at[j]: the centre of column j. The caller frees out->size. */
int hsp_audit_conditioning(const hsp_audit *u, const double *at, hsp_conditioning *out, hsp_error **err);
/* By how much v, known up to `error`, may have raised the bound of the current problem; INFINITY: no limit. */
double hsp_audit_allowance(const hsp_audit *u, const hsp_conditioning *q, const double *v, const double *error);

/* Runs task(u, ctx, part, scratch) for every part. Each thread has its own scratch. */
typedef void hsp_audit_task(hsp_audit *u, void *ctx, int64_t part, void *scratch);
void hsp_audit_run(hsp_audit *u, int64_t tasks, hsp_audit_task *task, void *ctx);
/* Fails with HSP_ECANCELLED. */
int hsp_audit_fail_stopped(hsp_error **err);
hsp_dd hsp_audit_total(const hsp_audit *u); /* of u->sum */
/* The rows of a part of the current problem (output 0 of a joint one). */
hsp_rows_part hsp_audit_rows(const hsp_audit *u, int64_t part, int64_t *first);

/* Fills in the multipliers of rows first .. first + count - 1 of output k as double-doubles. */
typedef void hsp_audit_fill(const hsp_audit *u, const void *ctx, int64_t k, int64_t first, int64_t count, double *hi,
                            double *lo);
/* u->v = sum_i a_i x_i of the columns as stored. */
void hsp_audit_combine(hsp_audit *u, hsp_audit_fill *fill, const void *ctx, int64_t k);

/* Figures derived from the column sums; those of the outputs of a joint problem are added up. */
typedef struct hsp_pull {
    hsp_dd conjugate; /* R*(v), including the term of the intercept */
    hsp_dd residual;  /* |(1 - rho) w - v|^2 */
    double error;     /* of the conjugate */
    double top;       /* upper bound of the largest |v_j| */
    bool vanishes;    /* without a penalty: v is 0 up to rounding */
} hsp_pull;
/* Adds output k. Its column sums are in u->v; tilt is the sum of its multipliers. */
int hsp_audit_pull(hsp_audit *u, hsp_audit_fill *fill, const void *ctx, int64_t k, hsp_dd tilt, hsp_pull *to,
                   hsp_error **err);
/* The relative rounding error of sums over the rows. */
double hsp_audit_unit(const hsp_audit *u);
/* A factor <= 1 that makes the multipliers feasible for L1: |v_j| <= 1. */
hsp_dd hsp_audit_share(const hsp_audit *u, const hsp_pull *p);
/* Sets bound and residual of `out`. With `value` the sum of the dual losses at the multipliers times s = share,
 *
 *     bound = max(value - s^2 conjugate - rounding error, 0). */
void hsp_audit_set_bound(const hsp_audit *u, hsp_dd value, double size, const hsp_pull *p, hsp_dd share, hsp_figures *out);

/* Compute the bound from the multipliers of the current problem. */
int hsp_audit_bound(hsp_audit *u, int64_t k, hsp_figures *out, hsp_error **err);
int hsp_audit_bound_joint(hsp_audit *u, hsp_figures *out, hsp_error **err);

/* Weight j of output k in the units of the transformed columns. */
static inline hsp_dd hsp_audit_weight(const hsp_claim *c, int64_t k, int64_t j) {
    const double *factor = c->m->prepare.factor;
    hsp_dd w = hsp_dd_of(c->m->w[k * c->d + j]);
    return factor ? hsp_dd_divide(w, hsp_dd_of(factor[j])) : w;
}
/* The intercept of output k in the same units. */
hsp_dd hsp_audit_intercept(const hsp_claim *c, int64_t k);

#endif
