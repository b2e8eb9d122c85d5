/* The mean objective of a fit with one or two features as a function of two parameters: (w, b) with one feature, (w1, w2) with
 * two, where the intercept takes its best value at every point. */
#ifndef HSP_STUDY_OBJECTIVE_MAP_H
#define HSP_STUDY_OBJECTIVE_MAP_H

#include "data/data.h"
#include "halfspace.h"
#include "loss/loss.h"
#include "model/model.h"

typedef struct hsp_objective_map {
    int64_t n, d;    /* rows; features, 1 or 2 */
    double *x, *y;   /* n x d; n: -1, +1 or the target; owned */
    const double *c; /* n row weights, borrowed; NULL: all 1 */
    double mass;     /* sum of the weights */
    hsp_loss loss;
    double lambda, rho;      /* of the penalty; lambda 0: none */
    bool intercept, penalised; /* there is one; it is penalised */
} hsp_objective_map;

/* Of the objective that the model minimised on these data. Clear it in any case. HSP_EUSAGE: it has none of one score. */
int hsp_objective_map_new(const hsp_model *m, const hsp_data *data, hsp_objective_map *out, hsp_error **err);
void hsp_objective_map_clear(hsp_objective_map *f);
/* lambda R(w) + mean loss. */
double hsp_objective_map_at(const hsp_objective_map *f, const double *w, double b);
/* The same at a point of the map: with two features for the best intercept, which goes to *b (NULL: not wanted). */
double hsp_objective_map_value(const hsp_objective_map *f, double u, double v, double *b);

#endif
