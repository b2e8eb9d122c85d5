/* Calibration: a map from the scores of a model to probabilities, fitted on scores of rows that were not trained on.
 *
 *   platt        P = 1 / (1 + exp(-(a g + b)))   for each score g
 *   isotonic     a non-decreasing, piecewise linear function of each score
 *   temperature  the scores, or the log-probabilities that the model has itself, divided by one number T; then the softmax, or
 *                with two classes P = 1 / (1 + exp(-g / T))
 *
 * Platt and isotonic maps are fitted for each output alone: with more than two classes one-vs-rest, and the K results are
 * divided by their sum. All functions here work on arrays and know nothing of models. */
#ifndef HSP_CALIBRATE_CALIBRATION_H
#define HSP_CALIBRATE_CALIBRATION_H

#include "halfspace.h"

#include <stdbool.h>

/* Scores of rows that were not trained on. */
typedef struct hsp_calibration_rows {
    int64_t n;
    int64_t outputs;      /* 1: two classes, or one map; else the number of classes */
    const double *score;  /* n x outputs, finite */
    const int32_t *class; /* n: the output that is right; with one output 1 (the positive class) or 0 */
    const double *weight; /* n, positive; NULL: all 1 */
} hsp_calibration_rows;

/* A pair of numbers of a map: of platt slope a and intercept b; of isotonic a score and its probability; of temperature 1/T
 * and 0. */
typedef double hsp_calibration_pair[2];

/* A method. An empty slot means that the other kind of map is used: `joint` methods have one map for all outputs. */
typedef struct hsp_calibration_method {
    const char *name; /* as --calibrate has it */
    bool joint;
    bool knots; /* a map has any number of pairs; else one */
    /* Fits a map to rows with one output, or, if joint, with any number. *pairs is the caller's. *odd: a remark for the user,
     * static, or NULL. */
    int (*fit)(const hsp_calibration_rows *rows, hsp_calibration_pair **pairs, int64_t *count, const char **odd,
               hsp_error **err);
    /* The probabilities of a score: of the class (or the positive class), and of the rest. */
    void (*at)(const hsp_calibration_pair *pairs, int64_t count, double g, double *p, double *rest);
    bool (*fits)(const hsp_calibration_pair *pairs, int64_t count); /* whether these finite pairs are such a map */
} hsp_calibration_method;

extern const hsp_calibration_method *const hsp_calibration_table[]; /* NULL-terminated */
extern const hsp_calibration_method hsp_calibration_platt, hsp_calibration_isotonic, hsp_calibration_temperature;
const hsp_calibration_method *hsp_calibration_find(const char *name); /* NULL: none has this name */

/* The calibration of a model. */
typedef struct hsp_calibration {
    const hsp_calibration_method *method; /* NULL: none */
    int64_t maps;                         /* 1, or one for each output */
    int64_t *begin;                       /* maps + 1, owned: the pairs of map k are begin[k] .. begin[k+1] - 1 */
    hsp_calibration_pair *pairs;          /* owned */
} hsp_calibration;

/* Fits the maps of all outputs. *odd: as of the method, of the first map that has a remark. HSP_EINPUT: the scores are too
 * extreme. */
int hsp_calibration_fit(const hsp_calibration_method *method, const hsp_calibration_rows *rows, hsp_calibration *out,
                        const char **odd, hsp_error **err);
void hsp_calibration_clear(hsp_calibration *c);
/* Whether this is a calibration of so many outputs: one pair or at least one for each map, finite, in the ranges of the
 * method, knots ascending. Reads no pair before `begin` is known to be in order and to end at `count`. */
bool hsp_calibration_fits(const hsp_calibration *c, int64_t outputs, int64_t count);
/* Map k at a score. */
static inline void hsp_calibration_at(const hsp_calibration *c, int64_t k, double g, double *p, double *rest) {
    const int64_t *begin = c->begin + (c->maps > 1 ? k : 0);
    c->method->at(c->pairs + begin[0], begin[1] - begin[0], g, p, rest);
}

/* The logarithm of the probability that map k gives at a score, up to a term of all outputs, with more than one output. */
double hsp_calibration_log_share(const hsp_calibration *c, int64_t k, double g);
/* The probabilities of K > 1 outputs at their scores: the shares divided by their sum, all equal if all are 0. p: K; may be
 * `score`. */
void hsp_calibration_shares(const hsp_calibration *c, int64_t K, const double *score, double *p);

/* The rows in ascending order of v, ties in the order of the rows. 0 or HSP_EMEMORY. */
int hsp_calibration_order(const double *v, int64_t n, int64_t *rows);

/* Figures of probabilities p (n x outputs; of two classes those of the positive class) on the rows, whose scores are not
 * used. All are weighted means. */
typedef struct hsp_calibration_figures {
    double log_loss;          /* -log of the probability of the true class, at least HSP_CALIBRATION_LEAST */
    double brier;             /* two classes: (p - 1[positive])^2; else the sum of the squares over the classes */
    double calibration_error; /* below; more than two classes: the mean over the classes */
} hsp_calibration_figures;
#define HSP_CALIBRATION_LEAST 1e-15
int hsp_calibration_measure(const hsp_calibration_rows *rows, const double *p, hsp_calibration_figures *out,
                            hsp_error **err);

/* The expected calibration error: rows are divided in order of their probability into HSP_CALIBRATION_BINS bins of equal
 * weight, and the distance between mean probability and observed frequency is averaged over the bins. Rows of one
 * probability share a bin. p, hit (0 or 1) and weight (NULL: all 1) of rows in ascending order of p. */
#define HSP_CALIBRATION_BINS 15
double hsp_calibration_error(const double *p, const bool *hit, const double *weight, int64_t n);
/* The same, one row after the other: begin with {.all = sum of the weights}; the error is in `error` after the last row. */
typedef struct hsp_calibration_bins {
    double all, done, mass, hits, sum, closed, error;
} hsp_calibration_bins;
/* Adds a row of the weight `hit` + `miss`, one of which is 0. whole: the next row has another probability; last: there is
 * none. */
void hsp_calibration_bin(hsp_calibration_bins *b, double p, double hit, double miss, bool whole, bool last);

#endif
