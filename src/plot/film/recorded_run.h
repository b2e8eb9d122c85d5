/* The run of a film, made twice: once to know how many updates there are and in which plane they are seen, once to keep
 * those that are shown. */
#ifndef HSP_PLOT_FILM_RECORDED_RUN_H
#define HSP_PLOT_FILM_RECORDED_RUN_H

#include "halfspace.h"
#include "plot/film/frame_sheet.h"

#include <stdbool.h>

typedef struct hsp_film_run {
    /* to be set */
    const hsp_data *data;
    const hsp_hooks *hooks; /* of the caller, or NULL: progress and log of the first run go there */
    hsp_options *o;         /* of training and of the plane; owned from here on */
    bool whole;             /* an update is an epoch */
    bool objective;         /* is of interest */
    /* the first run */
    hsp_model *model;
    char *training;      /* its report */
    int64_t told, total; /* calls, updates */
    int64_t epochs;
    double *last, last_b; /* d: the weights told last */
    int64_t d;
    bool failed;           /* no memory */
    const double *weights; /* d: of the model */
    double intercept;
    bool extra;    /* which is another point than the last */
    hsp_data *own; /* the rows as it encodes them, where it has learnt its own features of them; else NULL */
    /* the plane */
    hsp_study *plane;
    const double *u, *v, *lift;
    int64_t n;
    int32_t *truth; /* n: 0 or 1 */
    /* the second run */
    int64_t *wanted, count; /* updates that are shown */
    hsp_film_moment *moment;
    int64_t moments;
    double *kept;   /* moments x (d + 1): weights and intercept; NULL: too many */
    uint8_t *wrong; /* moments x n: misclassified; NULL: too many, or the plane tells */
    double objective_now;
    int64_t objective_epoch;
} hsp_film_run;

/* At most `frames` moments, 2 or more. Clear it in any case. HSP_ECANCELLED: a run was stopped. */
int hsp_film_run_record(hsp_film_run *f, int64_t frames, hsp_error **err);
void hsp_film_run_clear(hsp_film_run *f);

#endif
