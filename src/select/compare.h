/* A comparison of contenders over the same folds: run, ranked, written as a report. */
#ifndef HSP_SELECT_COMPARE_H
#define HSP_SELECT_COMPARE_H

#include "base/json.h"
#include "data/data.h"
#include "data/folds.h"
#include "halfspace.h"
#include "select/contenders.h"
#include "select/difference.h"
#include "select/metric.h"
#include "select/contender_trial.h"

enum { HSP_CONTENDERS_MOST = 32 };
#define HSP_COMPARE_LEVEL 0.95 /* of the intervals */

/* The figures of a contender over its trials. */
typedef struct hsp_standing {
    const hsp_contender *contender;
    int64_t index;     /* in the comparison */
    const char *error; /* why there are no figures, borrowed; NULL: there are */
    double mean, sd;   /* of the deciding metric; the sd has the divisor J - 1; NaN: an error */
    double seconds, gap;       /* sum of the times; largest relative gap, NaN: some are unknown */
    hsp_difference difference; /* from the best; NaN: an error */
    bool tied;                 /* cannot be told apart from the best: it is the best, or its interval contains 0 */
    int64_t missed;            /* trials that missed the tolerance */
} hsp_standing;

typedef struct hsp_comparison {
    /* The request */
    const hsp_data *data;
    const hsp_options *o;
    const hsp_hooks *hooks; /* may be NULL */
    hsp_trial_rules rules;
    const hsp_contender *contender[HSP_CONTENDERS_MOST];
    int64_t contenders;
    double begun, end, each; /* start; when --max-seconds ends all trials; seconds of each contender; INFINITY: no limit */
    int threads;
    /* The trials */
    hsp_folds folds;
    int64_t metrics;    /* rows of hsp_metric_table */
    hsp_trial *trial;   /* contenders x J: repeat by repeat, fold by fold; owned */
    double *figure;     /* contenders x J x metrics, owned */
    double *test_rows, *train_rows; /* of each fold: J; owned */
    int64_t complete;   /* repeats whose trials have all run; 0: the first was interrupted */
    bool interrupted;
    /* The result */
    hsp_standing standing[HSP_CONTENDERS_MOST]; /* best first, errors last */
} hsp_comparison;

/* Trials of a contender: repeats x folds. */
static inline int64_t hsp_comparison_trials(const hsp_comparison *c) {
    return c->folds.repeats * c->folds.count;
}

/* Runs all trials, on all threads. HSP_OK also when interrupted after the trials of some contender were complete, or of some
 * repeat: the members `interrupted` and `complete` tell which count. HSP_ECANCELLED: none was. */
int hsp_comparison_run(hsp_comparison *c, hsp_error **err);
/* Fills `standing`. HSP_EINPUT: every contender failed; the error is that of the first. */
int hsp_comparison_rank(hsp_comparison *c, hsp_error **err);
/* The trials that count, of contender i: J values of the metric at `metric` in hsp_metric_table, into out. Returns J. */
int64_t hsp_comparison_values(const hsp_comparison *c, int64_t i, int64_t metric, double *out);
/* Which algorithms cannot be told apart from the best, in a sentence or two. */
void hsp_comparison_summary(const hsp_comparison *c, hsp_text *t);
/* Writes the members of the report into the open object. */
void hsp_comparison_json(const hsp_comparison *c, hsp_json *j);
/* The standing whose contender is fitted for `-a auto`; NULL: only baselines have figures. */
const hsp_standing *hsp_comparison_winner(const hsp_comparison *c);
/* Why: three sentences. value: that of the winner's option, NaN for none. */
void hsp_comparison_reason(const hsp_comparison *c, const hsp_standing *winner, double value, hsp_text *t);
void hsp_comparison_clear(hsp_comparison *c);

#endif
