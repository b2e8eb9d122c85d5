/* The figures of a claim, made again: for each problem the objective, a lower
 * bound of its optimum from multipliers, and how far the weights are from those
 * that the multipliers make. Rows are cut in fixed parts whose sums are joined
 * in order: the same bits for any number of threads. */
#ifndef HSP_VERIFY_CLAIM_AUDIT_H
#define HSP_VERIFY_CLAIM_AUDIT_H

#include "base/advance.h"
#include "data/data.h"
#include "halfspace.h"
#include "model/model.h"
#include "model/objective.h"
#include "verify/claim/claim.h"
#include "verify/loss/double_double.h"
#include "verify/loss/loss_claim.h"

enum { HSP_AUDIT_PART = 1024 }; /* rows of a part, at most */

/* The class predicted so far for each of n rows, and its score; owned. */
typedef struct hsp_audit_guess {
    int32_t *class;
    double *score;
} hsp_audit_guess;

/* As many pieces of `size` bytes as there are threads; owned. */
typedef struct hsp_audit_scratch {
    char *bytes;
    int64_t size;
} hsp_audit_scratch;

/* What takes the place of derived multipliers that leave a gap above `enough`; of one problem of one score a row alone. */
typedef struct hsp_audit_spare {
    const hsp_dual *dual; /* borrowed; or NULL: none */
    double enough;
} hsp_audit_spare;

typedef struct hsp_audit {
    hsp_claim c;
    const hsp_passes *pass;
    hsp_advance *advance; /* borrowed; or NULL: it cannot be stopped. One that is leaves figures without meaning. */
    int threads;
    const hsp_dual *dual; /* or NULL: multipliers are derived where the loss is smooth */
    hsp_audit_spare spare;
    int64_t width;       /* scores of a row in one problem: 1, or K */
    int64_t part, parts; /* rows of a part, but for the last, and how many */
    int64_t cuts;        /* pieces of the rows that sum columns apart */
    /* of the present problem */
    double *y;           /* n */
    double *g, *a;       /* n x width, output after output: scores and multipliers */
    double *low;         /* joint: n, the low part of a row's own multiplier once it is
                            confined */
    hsp_dd *sum, *least; /* parts: sums, and least margins of the rows with weight */
    uint64_t *hash;
    hsp_dual_sums *sums;
    hsp_audit_guess guess;
    double *room;        /* of the pieces' columns */
    hsp_audit_columns v; /* the sum of all pieces */
    hsp_audit_scratch scratch;
    uint64_t scores_hash, multipliers_hash; /* of all problems so far */
    struct hsp_conditioning *conditioning;  /* the same for all problems; made when the first needs it */
} hsp_audit;

/* The figures of one problem. NaN: unknown. */
typedef struct hsp_figures {
    bool absent;
    bool bounded; /* the bound is one */
    double loss_sum, penalty, norm;
    double objective, bound, gap, residual;
    double least;  /* margins: min y g over rows with weight */
    bool feasible; /* hard margin: least is 1 or more, up to the rounding of double-double */
} hsp_figures;

/* Close it also after a failure. The dual vector, which must be of these rows
 * and outputs, is borrowed. */
int hsp_audit_open(const hsp_model *m, const hsp_objective *objective, const hsp_data *data, const hsp_dual *dual,
                   int threads, hsp_audit *out, hsp_error **err);
void hsp_audit_close(hsp_audit *u);
static inline bool hsp_audit_multipliers(const hsp_audit *u) {
    return hsp_claim_has_dual(&u->c) && (u->dual || hsp_claim_smooth(&u->c));
}
/* Labels, scores and multipliers of problem k into y, g and a, as they are
 * stored or derived; loss_sum. */
int hsp_audit_scores(hsp_audit *u, int64_t k, hsp_figures *out, hsp_error **err);
/* The other figures, after hsp_audit_scores; the multipliers are confined to
 * the domain of the dual, in place. */
int hsp_audit_finish(hsp_audit *u, int64_t k, hsp_figures *out, hsp_error **err);
/* After all problems: the share of rows, by their own weight, whose class is
 * predicted; regression: the root of the mean square of the errors, given the
 * sum of the losses. */
double hsp_audit_quality(const hsp_audit *u, double loss_sum);
/* (P - D) / max(|P|, 1e-300) */
double hsp_audit_gap(double objective, double bound);

/* Audits every problem and writes the claims; `see`, unless NULL, is shown each problem when it is done. */
typedef void hsp_audit_witness(void *ctx, const hsp_audit *u, int64_t k, const hsp_figures *f);
int hsp_audit_claims(hsp_audit *u, hsp_verified_problem *problems, hsp_audit_witness *see, void *ctx, hsp_report **claims,
                     hsp_error **err);

/* ---- inside the audit ---- */

/* How well the columns are told apart: see conditioning.c. */
typedef struct hsp_conditioning {
    double least; /* eigenvalue of G scaled to a unit diagonal, from below; NaN: not known */
    double *size; /* d: lengths of the columns; or NULL */
} hsp_conditioning;
/* at[j]: where column j is counted from. out->size is to be freed. */
int hsp_audit_conditioning(const hsp_audit *u, const double *at, hsp_conditioning *out, hsp_error **err);
/* By how much v, right to `error`, may have raised the bound of the present problem; INFINITY: by anything. */
double hsp_audit_allowance(const hsp_audit *u, const hsp_conditioning *q, const double *v, const double *error);

/* Runs task(u, ctx, part, scratch) for every part; scratch is the thread's own.
 */
typedef void hsp_audit_task(hsp_audit *u, void *ctx, int64_t part, void *scratch);
void hsp_audit_run(hsp_audit *u, int64_t tasks, hsp_audit_task *task, void *ctx);
/* HSP_ECANCELLED, where advance says so. */
int hsp_audit_fail_stopped(hsp_error **err);
hsp_dd hsp_audit_total(const hsp_audit *u); /* of u->sum */
/* The rows of a part of the present problem (output 0 of a joint one). */
hsp_rows_part hsp_audit_rows(const hsp_audit *u, int64_t part, int64_t *first);

/* The multipliers of rows first .. first + count - 1 of output k as
 * double-doubles. */
typedef void hsp_audit_fill(const hsp_audit *u, const void *ctx, int64_t k, int64_t first, int64_t count, double *hi,
                            double *lo);
/* u->v = sum_i a_i x_i of the columns as they are stored. */
void hsp_audit_combine(hsp_audit *u, hsp_audit_fill *fill, const void *ctx, int64_t k);

/* What the sums over columns come to; the outputs of a joint problem are added
 * up. */
typedef struct hsp_pull {
    hsp_dd conjugate; /* R*(v), with the intercept's part */
    hsp_dd residual;  /* |(1 - rho) w - v|^2 */
    double error;     /* of the conjugate */
    double top;       /* largest |v_j|, from above */
    bool vanishes;    /* without a penalty: v is 0 but for rounding */
} hsp_pull;
/* Adds output k, whose columns are in u->v and whose multipliers add up to
 * tilt. */
int hsp_audit_pull(hsp_audit *u, hsp_audit_fill *fill, const void *ctx, int64_t k, hsp_dd tilt, hsp_pull *to,
                   hsp_error **err);
/* The relative error of sums over the rows. */
double hsp_audit_unit(const hsp_audit *u);
/* The share of the multipliers that L1 allows. */
hsp_dd hsp_audit_share(const hsp_audit *u, const hsp_pull *p);
/* linear s - quadratic s^2 - conjugate, less its error, as bound and residual
 * of `out`. */
void hsp_audit_settle(const hsp_audit *u, hsp_dd value, double size, const hsp_pull *p, hsp_dd share, hsp_figures *out);

/* The bound from the multipliers of the present problem. */
int hsp_audit_bound(hsp_audit *u, int64_t k, hsp_figures *out, hsp_error **err);
int hsp_audit_bound_joint(hsp_audit *u, hsp_figures *out, hsp_error **err);

/* Weight j of output k in the units of the transformed columns. */
static inline hsp_dd hsp_audit_weight(const hsp_claim *c, int64_t k, int64_t j) {
    const double *factor = c->m->prepare.factor;
    hsp_dd w = hsp_dd_of(c->m->w[k * c->d + j]);
    return factor ? hsp_dd_divide(w, hsp_dd_of(factor[j])) : w;
}
/* Its intercept in the same units. */
hsp_dd hsp_audit_intercept(const hsp_claim *c, int64_t k);

#endif
