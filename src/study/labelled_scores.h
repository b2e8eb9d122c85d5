/* Scores and predictions of a model on labelled rows, which the studies of classifiers share. */
#ifndef HSP_STUDY_LABELLED_SCORES_H
#define HSP_STUDY_LABELLED_SCORES_H

#include "halfspace.h"
#include "model/model.h"
#include "study/study.h"

typedef struct hsp_labelled_scores {
    const hsp_model *m;
    int64_t n, classes, outputs;
    int64_t curves;       /* classes compared with the rest: 1 (the positive one) of two, else all */
    const double *weight; /* n, of the data; NULL: all 1 */
    double mass;          /* sum of the weights, positive */
    int32_t *truth;       /* n */
    int32_t *answer;      /* n */
    double *score;        /* n x outputs */
    double *best;         /* n x 2: the two largest scores of each row; NULL with one output */
} hsp_labelled_scores;

/* Checks the input and computes the scores. Also sets "rows", "weighted" and the list "classes": those of the model, or
 * with of_curves those of the curves. HSP_EUSAGE for a regression model, HSP_EINPUT for data that cannot be evaluated. The
 * caller clears *out in any case. */
int hsp_labelled_scores_make(const hsp_study_input *in, bool of_curves, hsp_study *s, hsp_labelled_scores *out,
                             hsp_error **err);
void hsp_labelled_scores_clear(hsp_labelled_scores *g);

/* The class of curve c. */
int64_t hsp_labelled_scores_class(const hsp_labelled_scores *g, int64_t c);
static inline double hsp_labelled_scores_weight(const hsp_labelled_scores *g, int64_t i) {
    return g->weight ? g->weight[i] : 1;
}
/* The score by which row i is ranked for class k: g, signed towards the positive class, for two classes; otherwise the
 * score of k less the largest other score, clamped to the range of double. */
double hsp_labelled_scores_lead(const hsp_labelled_scores *g, int64_t i, int64_t k);

#endif
