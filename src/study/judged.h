/* A model's scores and decisions on rows whose classes are known: what the studies of a classifier begin with. */
#ifndef HSP_STUDY_JUDGED_H
#define HSP_STUDY_JUDGED_H

#include "halfspace.h"
#include "model/model.h"
#include "study/study.h"

typedef struct hsp_judged {
    const hsp_model *m;
    int64_t n, classes, outputs;
    int64_t curves;       /* classes that are told from the rest: 1 (the positive) of two, else all */
    const double *weight; /* n, of the data; NULL: all 1 */
    double mass;          /* their sum, positive */
    int32_t *truth;       /* n */
    int32_t *answer;      /* n */
    double *score;        /* n x outputs */
    double *best;         /* n x 2: the largest score of each row and the next; NULL with one output */
} hsp_judged;

/* Checks and scores; also sets "rows", "weighted" and, of the classes or (of_curves) of the curves, the list "classes".
 * HSP_EUSAGE for a model of regression, HSP_EINPUT for data that cannot be judged. Clear it in any case. */
int hsp_judged_make(const hsp_study_input *in, bool of_curves, hsp_study *s, hsp_judged *out, hsp_error **err);
void hsp_judged_clear(hsp_judged *g);

/* The class of curve c. */
int64_t hsp_judged_class(const hsp_judged *g, int64_t c);
static inline double hsp_judged_weight(const hsp_judged *g, int64_t i) {
    return g->weight ? g->weight[i] : 1;
}
/* The score of row i for class k as it is ranked by: g towards the positive of two, else its lead over the best of the
 * others, held to the range of doubles. */
double hsp_judged_lead(const hsp_judged *g, int64_t i, int64_t k);

#endif
