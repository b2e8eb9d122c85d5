/* The fitted model: what a row must go through (prepare), the weights in original units, and where they came from. It
 * never sees a solver. */
#ifndef HSP_MODEL_MODEL_H
#define HSP_MODEL_MODEL_H

#include "prepare/prepare.h"

typedef struct hsp_certificate {
    double objective, dual_bound, relative_gap, tolerance; /* NaN where unknown */
} hsp_certificate;

struct hsp_model {
    hsp_prepare prepare;
    char *algorithm;
    char *task;      /* "classification" */
    int64_t outputs; /* 1 for two classes, else K */
    double *w;       /* outputs x d, original units, finite */
    double *b;       /* outputs */
    hsp_certificate certificate;
    char *options;          /* JSON object: what the fit was asked for, defaults included */
    char *report;           /* JSON object: what the fit reported */
    int64_t rows, nonzeros; /* of the training data */
    uint64_t data_hash;
    char when[21];   /* UTC */
    char *halfspace; /* version that made it */
};

/* A model with room for the weights, all zero, made now by this version, its certificate unknown; options and report are
 * NULL. prepare is taken over (and zeroed in the caller's hands), unless this fails. */
int hsp_model_new(hsp_prepare *prepare, const char *algorithm, int64_t outputs, hsp_model **out, hsp_error **err);
/* HSP_EINTERNAL when any weight is not finite: nothing non-finite is ever written. */
int hsp_model_check(const hsp_model *m, hsp_error **err);
/* The scores of one row: out[outputs]. Ids at or beyond d are skipped; returns how many were. */
int64_t hsp_model_score(const hsp_model *m, hsp_row x, double *out);
/* The k-th of them alone, the same bits. */
double hsp_model_score_output(const hsp_model *m, int64_t k, hsp_row x);
/* The class of a row from its scores: positive when the one score is > 0; the first of the largest for K. */
int64_t hsp_model_decide(const hsp_model *m, const double *scores);
/* XXH3-64 of weights and intercepts: the same fit gives the same checksum whenever it was made. */
uint64_t hsp_model_checksum(const hsp_model *m);

#endif
