/* Newton's method over parts, for a smooth loss and rho = 0. Every round evaluates a whole step, with what the next direction
 * needs; where the step does not pay, a round along the line shortens it. Problems run side by side. */
#ifndef HSP_DRIVE_DESCENT_H
#define HSP_DRIVE_DESCENT_H

#include "drive/drive_problem.h"
#include "drive/precondition.h"
#include "drive/round_watch.h"
#include "halfspace.h"

/* One problem: its point is p->theta + figure p->size. */
typedef struct hsp_climb {
    double *theta, *trial, *step; /* size each; trial = theta + t step is measured next */
    double *moved;                /* trial - theta */
    double *gradient;             /* size: of the smooth objective at theta */
    double smooth;                /* that objective */
    double fall;                  /* - gradient . step, of a Newton step twice what it promises */
    int64_t shortened;            /* line searches for this step */
    bool fresh;                   /* no value to compare with: the start, or the loss has changed */
} hsp_climb;

typedef struct hsp_descent {
    hsp_drive_problem *p;
    hsp_climb *climb;      /* owned, figures */
    double *memory;        /* owned: the arrays of all */
    int64_t *which;        /* owned, figures: those that run */
    double **at, **way;    /* owned, figures: arguments of rounds */
    hsp_measure *measure;  /* owned, figures */
    double *matrix;        /* owned: the system of one problem; NULL: conjugate gradients */
    double *cg;            /* owned: their vectors */
    hsp_precondition precondition; /* owned: theirs; ... */
    int64_t products;              /* ... and how many the last step took */
    const char *method;
    bool predicts;         /* bounds are by the multipliers that steps predict: of a barrier; ... */
    double before;         /* ... its weight when the steps were made */
} hsp_descent;

/* gram: by Hessians; else by products of them. */
int hsp_descent_new(hsp_drive_problem *p, bool gram, hsp_descent *out, hsp_error **err);
void hsp_descent_clear(hsp_descent *s);
/* Runs until all problems have stopped. centred (or NULL) is called after each round in which points were accepted, before the
 * next is measured: it may change p->loss, and then returns true. */
int hsp_descent_run(hsp_descent *s, bool (*centred)(hsp_descent *s, void *ctx), void *ctx, hsp_error **err);
/* Steps of the problems s->which[0 .. count - 1] by conjugate gradients: nearly minus the inverse Hessian times the
 * gradient. */
int hsp_descent_by_products(hsp_descent *s, int64_t count, hsp_error **err);

#endif
