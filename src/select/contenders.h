/* The contenders of a comparison: every algorithm with sensible settings, and a baseline that uses no features. */
#ifndef HSP_SELECT_CONTENDERS_H
#define HSP_SELECT_CONTENDERS_H

#include "base/json.h"
#include "data/data.h"
#include "halfspace.h"

/* What `-a auto` prefers among contenders that cannot be told apart: the earlier. */
typedef enum hsp_preference {
    HSP_PREFER_CERTIFIED, /* the optimum of a convex problem, with a certificate or in closed form */
    HSP_PREFER_DESCENT,   /* linear, but the result depends on the path of an update rule */
    HSP_PREFER_NETWORK,   /* hidden layers */
    HSP_PREFER_NEVER      /* a baseline that predicts without the features */
} hsp_preference;

/* What the values of an option are multiples of, so that they suit targets in any unit. */
typedef enum hsp_unit {
    HSP_UNIT_ONE,
    HSP_UNIT_LAMBDA, /* the least lambda at which all weights are 0 (largest_lambda.h); elastic-net also gets an l1-ratio by
                        it */
    HSP_UNIT_TARGET  /* 1 / the standard deviation of the targets */
} hsp_unit;

typedef struct hsp_contender {
    const char *name;      /* in reports */
    const char *algorithm; /* of hsp_train; NULL: the baseline of weightless.h */
    bool regression;       /* for --task regression; else for classes */
    bool scaled;           /* with --scale standard where hsp_contenders_scale says so */
    hsp_preference preference;
    int cost;       /* rough time of a fit, for the progress bar: nearest-mean is 1 */
    int64_t widest; /* columns above which it is left out unless it is named, as a fit takes minutes; 0: no limit */
    const char *const *settings; /* option, value, ..., NULL; or NULL: the defaults */
    const char *option;          /* chosen by an inner cross-validation on the training rows; NULL: none */
    const double *values;        /* of the option, in the unit */
    int64_t count;
    hsp_unit unit;
} hsp_contender;

extern const hsp_contender hsp_contender_table[]; /* in the order of reports with equal means, roughly cheapest first; ends
                                                     with a NULL name */
/* Folds of the inner cross-validation. */
enum { HSP_CONTENDER_FOLDS = 3 };

/* Whether the columns of these data are standardised: not those of sparse rows without column types (svmlight, CSR), where it
 * would give every rare feature the weight of a frequent one. */
bool hsp_contenders_scale(const hsp_data *data);
/* NULL: no contender of this task has the name. */
const hsp_contender *hsp_contender_find(const char *name, bool regression);
/* The scaling of the contender's fits: that of the user, else the contender's own where the columns are standardised
 * (`scaled`); NULL: the default of the algorithm. */
const char *hsp_contender_scale(const hsp_contender *c, const hsp_options *o, bool scaled);
/* The settings as they are typed, without the inner choice: "--scale standard --max-epochs 10", or "" for the defaults. */
void hsp_contender_typed(const hsp_contender *c, const char *scale, hsp_text *t);
/* Writes an object with the settings by option, {} for the defaults. */
void hsp_contender_settings_json(const hsp_contender *c, const char *scale, hsp_json *j);
#endif
