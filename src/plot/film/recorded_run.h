/* The training run of a film. It is run twice: once to count the updates and to find the plane in which they are shown, once
 * to record those that are shown. */
#ifndef HSP_PLOT_FILM_RECORDED_RUN_H
#define HSP_PLOT_FILM_RECORDED_RUN_H

#include "halfspace.h"
#include "plot/film/frame_sheet.h"

/* What the first run counts. */
typedef struct hsp_film_counted {
    int64_t calls, epochs;
    double *last, last_b; /* the last weights (d, owned) and intercept */
    bool failed;          /* no memory */
} hsp_film_counted;

/* The plane of the picture. */
typedef struct hsp_film_plane {
    hsp_report *study;          /* owned */
    const double *u, *v, *lift; /* arrays of the study */
    int32_t *truth;             /* n: 0 or 1; owned */
} hsp_film_plane;

/* What the second run keeps. */
typedef struct hsp_film_keeping {
    int64_t *wanted, count; /* numbers of the updates that are shown; owned */
    double *weights;        /* frames x (d + 1), owned: weights and intercept; NULL: too many */
    double *last;           /* d + 1, owned: those of the update before */
    bool begun;             /* there was one */
    int64_t *batch;         /* owned: the rows of the batches, frame by frame */
    int64_t batched, batch_capacity;
    bool failed;            /* no memory */
    double objective;       /* that of the epoch below */
    int64_t objective_epoch;
} hsp_film_keeping;

typedef struct hsp_film_run {
    /* set by the caller */
    const hsp_data *data;   /* borrowed */
    const hsp_hooks *hooks; /* borrowed, or NULL: get progress and log of the first run */
    hsp_options *o;         /* of training and of the plane; owned */
    bool whole;             /* an update is an epoch */
    bool objective;         /* the objective is shown */
    /* the first run */
    hsp_film_counted counted;
    hsp_model *model;      /* owned */
    hsp_report *training;  /* its report; owned */
    bool network;          /* the weights are the parameters of a network */
    bool curved;           /* they are those of features that are not linear in the columns, over which the picture is */
    int64_t total, n, d;   /* updates, rows, weights */
    int64_t features;      /* d, except of a network */
    int64_t columns;       /* those of the plane: the features, or the columns of the table if curved */
    const double *weights; /* d: of the model, borrowed from it */
    double intercept;
    bool extra;    /* the model is another point than the last update: it gets a frame of its own */
    hsp_data *own; /* owned: the rows in the features of the model, if it learnt its own from them; else NULL */
    hsp_film_plane plane;
    /* the second run */
    hsp_film_keeping keeping;
    hsp_film_frame *frame; /* frames; owned */
    int64_t frames;
    uint8_t *wrong; /* frames x n, owned: 1 for misclassified rows; NULL: too many, or the plane shows it */
} hsp_film_run;

/* Records at most `frames` frames, 2 or more. Clear the run in any case. HSP_ECANCELLED: a run was stopped; HSP_EUSAGE: the
 * solver has no single updates; HSP_EMEMORY; and what hsp_train and hsp_study_run return. */
int hsp_film_run_record(hsp_film_run *f, int64_t frames, hsp_error **err);
void hsp_film_run_clear(hsp_film_run *f);

#endif
