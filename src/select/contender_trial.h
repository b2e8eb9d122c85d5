/* One trial of a contender: fitted to the training rows of a fold, evaluated on its test rows. */
#ifndef HSP_SELECT_CONTENDER_TRIAL_H
#define HSP_SELECT_CONTENDER_TRIAL_H

#include "data/data.h"
#include "halfspace.h"
#include "select/contenders.h"
#include "select/metric.h"

#include <stdatomic.h>

typedef struct hsp_trial {
    atomic_bool done; /* it ran to its end: with an error or with figures */
    char *error;      /* owned: why there are no figures; NULL: there are */
    double *figure; /* of each metric in hsp_metric_table, NaN where undefined; borrowed */
    double gap;     /* relative, of the final fit; NaN: unknown */
    double chosen;  /* value of the contender's option; NaN: it has none */
    double ratio;   /* the l1-ratio that elastic-net got for the unit of the targets; NaN: none */
    double seconds; /* processor time of all its fits */
    bool missed;    /* the final fit missed its tolerance */
} hsp_trial;

/* What all trials of a comparison share. */
typedef struct hsp_trial_rules {
    const hsp_options *o; /* the user's */
    const hsp_metric *metric;
    bool scaled; /* hsp_contenders_scale of the whole data */
    bool named;  /* --only names the contenders: none is left out for its many columns */
} hsp_trial_rules;

/* The options of a fit by the contender: those of the user that are for every algorithm, and its settings. */
int hsp_contender_options(const hsp_contender *c, const hsp_trial_rules *rules, hsp_options **out, hsp_error **err);
/* Chooses the contender's option by cross-validation within these rows, sets it in o, and *value; NaN: it has none. */
int hsp_contender_choose(const hsp_contender *c, const hsp_trial_rules *rules, const hsp_data *train, hsp_options *o,
                         double *value, hsp_error **err);
/* Fits the contender to one set of rows, and fills the trial from the other. Only a failed allocation and a request to
 * cancel (HSP_ECANCELLED) are failures; any other error is the trial's. */
int hsp_trial_run(const hsp_contender *c, const hsp_trial_rules *rules, const hsp_data *train, const hsp_data *test,
                  hsp_trial *t, hsp_error **err);
/* Rows of a table and an encoding learnt from them alone, for training; or encoded as `like` is, for evaluation. */
int hsp_trial_rows(const hsp_data *data, const int64_t *rows, int64_t count, const hsp_data *like, hsp_data **out,
                   hsp_error **err);

#endif
