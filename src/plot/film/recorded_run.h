/* The run of a film, made twice: once to know how many updates there are and in which plane they are seen, once to keep
 * those that are shown. */
#ifndef HSP_PLOT_FILM_RECORDED_RUN_H
#define HSP_PLOT_FILM_RECORDED_RUN_H

#include "halfspace.h"
#include "plot/film/frame_sheet.h"

/* What the first run counts. */
typedef struct hsp_film_counted {
    int64_t calls, epochs;
    double *last, last_b; /* d: the weights seen last; owned */
    bool failed;          /* no memory */
} hsp_film_counted;

/* The plane of the picture. */
typedef struct hsp_film_plane {
    hsp_study *study;           /* owned */
    const double *u, *v, *lift; /* arrays of the study */
    int32_t *truth;             /* n: 0 or 1; owned */
} hsp_film_plane;

/* What the second run keeps. */
typedef struct hsp_film_keeping {
    int64_t *wanted, count; /* updates that are shown; owned */
    double *weights;        /* moments x (d + 1): weights and intercept; NULL: too many; owned */
    double objective;       /* that of the epoch below */
    int64_t objective_epoch;
} hsp_film_keeping;

typedef struct hsp_film_run {
    /* to be set */
    const hsp_data *data;   /* borrowed */
    const hsp_hooks *hooks; /* of the caller, or NULL: progress and log of the first run go there */
    hsp_options *o;         /* of training and of the plane; owned from here on */
    bool whole;             /* an update is an epoch */
    bool objective;         /* is of interest */
    /* the first run */
    hsp_film_counted counted;
    hsp_model *model;      /* owned */
    char *training;        /* its report; owned */
    int64_t total, n, d;   /* updates, rows, features */
    const double *weights; /* d: of the model */
    double intercept;
    bool extra;    /* which is another point than the last */
    hsp_data *own; /* the rows as it encodes them, where it has learnt its own features of them; else NULL; owned */
    hsp_film_plane plane;
    /* the second run */
    hsp_film_keeping keeping;
    hsp_film_moment *moment; /* moments; owned */
    int64_t moments;
    uint8_t *wrong; /* moments x n: misclassified; NULL: too many, or the plane tells; owned */
} hsp_film_run;

/* At most `frames` moments, 2 or more. Clear it in any case. HSP_ECANCELLED: a run was stopped. */
int hsp_film_run_record(hsp_film_run *f, int64_t frames, hsp_error **err);
void hsp_film_run_clear(hsp_film_run *f);

#endif
