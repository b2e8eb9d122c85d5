/* The objective over parts, for the solvers of the driver: one joint problem, or one problem for each output, solved side by
 * side so that they share rounds.
 *
 *     P(w, b) = R(w) + C sum_i c_i loss_i
 *
 * and a lower bound of its optimum from every point. A point is `width` outputs of d weights and an intercept each. */
#ifndef HSP_DRIVE_DRIVE_PROBLEM_H
#define HSP_DRIVE_DRIVE_PROBLEM_H

#include "drive/drive.h"
#include "halfspace.h"
#include "loss/loss.h"
#include "problem/problem.h"

typedef struct hsp_drive_problem {
    hsp_drive *drive;
    const hsp_loss *loss;   /* of the next rounds; a barrier has several */
    const hsp_loss *stated; /* of the objective */
    bool joint;
    int64_t figures; /* problems */
    int64_t width;   /* outputs of each: 1, or all of a joint problem */
    int64_t d, size; /* columns; numbers of a point: width (d + 1) */
    bool plain; /* no penalty: R is 0, C is 1, and no bound is known */
    double C, lambda, rho, sum_c;
    double target_sum;      /* of a regression: sum c y, once it is known */
    hsp_intercept intercept;
    int64_t *positive;  /* owned, figures: the class of +1; NULL for a regression */
    double *mass;       /* owned, groups: weight of each class */
    double *class_sums; /* owned, groups x d: weighted sums of the rows of each class; NULL until needed */
    double *theta;      /* owned, figures x size: the points that are kept */
    const int64_t *columns; /* of the Hessians of the rounds, borrowed; NULL: all */
    int64_t column_count;
    bool majorant;      /* curvatures of the rounds are majorants */
    double *packed;     /* owned: points as a request has them */
    double *conjugate;  /* owned, size: scratch of the bound */
} hsp_drive_problem;

/* What a round tells about one problem. */
typedef struct hsp_measure {
    double objective; /* P */
    double smooth;    /* the same with the loss of the round */
    double mean_loss, error, norm;
    double dual;            /* the bound; NaN: none */
    const double *gradient; /* width x (d + 1), of the losses, without C; until the next round */
    const double *hessian;  /* d + 1, packed lower triangle, of the losses, without C; NULL: not asked for */
} hsp_measure;

/* Poses the problems of a fit whose loss, penalty and multiclass are known. Always free them. */
int hsp_drive_pose(hsp_drive *d, bool joint, hsp_drive_problem *p, hsp_error **err);
/* Problems of another fit: one for each output, with an L2 penalty. */
int hsp_drive_pose_as(hsp_drive *d, const hsp_loss *loss, double C, hsp_intercept intercept, int64_t outputs,
                      hsp_drive_problem *p, hsp_error **err);
void hsp_drive_problem_clear(hsp_drive_problem *p);
/* Whether Newton steps are solved with Hessians; else by products with them. */
bool hsp_drive_by_hessians(const hsp_drive_problem *p);
/* One round at a point of each of the problems `which`; out: as many. */
int hsp_drive_measure(hsp_drive_problem *p, const int64_t *which, int64_t count, double *const *theta, bool gram,
                      hsp_measure *out, hsp_error **err);
/* The same with the bound by the multipliers that the steps way led to, with a barrier of weight `before` where they began. */
int hsp_drive_measure_step(hsp_drive_problem *p, const int64_t *which, int64_t count, double *const *theta,
                           double *const *way, double before, bool gram, hsp_measure *out, hsp_error **err);
/* The sums of a round along directions: losses and slopes (count x steps each) of the losses, without C. */
int hsp_drive_line(hsp_drive_problem *p, const int64_t *which, int64_t count, double *const *theta, double *const *step,
                   const double *t, int64_t steps, double *loss, double *slope, hsp_error **err);
/* The Hessians of the losses at the points times directions, into out (size each). */
int hsp_drive_product(hsp_drive_problem *p, const int64_t *which, int64_t count, double *const *theta, double *const *v,
                      double *const *out, hsp_error **err);
/* What preconditions these products (evaluated.h): diagonals, and with a share above 0 blocks by a sample of that share of the
 * rows. theta NULL: all 0. *sums: until the next round. */
int hsp_drive_curvature(hsp_drive_problem *p, const int64_t *which, int64_t count, double *const *theta, double share,
                        const double **sums, hsp_error **err);
/* The penalty of a point, and what it adds to the gradient of P (rho = 0): g += dR. */
double hsp_drive_penalty(const hsp_drive_problem *p, const double *theta);
void hsp_drive_add_penalty(const hsp_drive_problem *p, const double *theta, double *g);
/* The weight of coordinate j of a point in the penalty: 1, or 0 for a free intercept; -1: it is fixed at 0. */
static inline double hsp_drive_ridge(const hsp_drive_problem *p, int64_t j) {
    if (j % (p->d + 1) < p->d) return p->plain ? 0 : 1;
    return p->intercept == HSP_INTERCEPT_PENALISED ? 1 : p->intercept == HSP_INTERCEPT_FREE ? 0 : -1;
}

#endif
