/* The inside of a group of lanes, which lanes.c (epochs) and lanes_look.c (looks) share. */
#ifndef HSP_SOLVE_DUAL_LANES_GROUP_H
#define HSP_SOLVE_DUAL_LANES_GROUP_H

#include "base/rng.h"
#include "kernel/level.h"
#include "solve/dual/lanes_step.h"

#include <stdbool.h>
#include <stdint.h>

enum { HSP_LANES_LOOKS = 128 };

/* A look back: the gap of a lane at an epoch. */
typedef struct hsp_glance {
    int64_t epoch;
    double gap;
} hsp_glance;

/* A lane's own counts. */
typedef struct hsp_lane_tally {
    int64_t epochs_before; /* of the outcome, when this run began */
    hsp_glance past[HSP_LANES_LOOKS];
    int64_t looks;
    int slow; /* looks without hope, one after the other */
} hsp_lane_tally;

typedef struct hsp_lanes_group {
    const hsp_lanes_rows *R;
    const hsp_lanes_rules *rules;
    hsp_lane *lane;
    int64_t count, rows;
    hsp_lanes_state s;
    hsp_lanes_step *step;
    const hsp_level *level;
    hsp_rng rng;
    double *memory, *v, *w;      /* d x HSP_LANES, on lines: sum alpha_i y_i z_i; of the balanced multipliers */
    double *sign_memory, *signs; /* 256 x HSP_LANES: labels by their bits */
    uint8_t *label;              /* by place: bit k is set where lane k has y = +1 */
    double *alpha;               /* by place, of all lanes */
    double *logit;               /* likewise; NULL: not logistic */
    double *own;                 /* by place, of all lanes: weights, where lanes differ; else NULL */
    double *weight;              /* by place, where they do not; NULL: all 1 */
    int64_t *order, *aside;      /* places; the first `active` take part */
    int64_t active, *bucket;
    uint8_t *out;          /* by place: no lane wants it */
    int64_t epoch, looked; /* finished; at the last look */
    double begun;
    bool stopped;       /* a limit or a cancel was met */
    double *scores;     /* by place, of all lanes */
    double *y, *u, *q;  /* by place: one lane's labels, bounds and ridges */
    double *g, *values; /* by place: one lane's scores; 2 rows of scratch */
    double *scatter;    /* HSP_LANES */
    hsp_lane_tally tally[HSP_LANES];
} hsp_lanes_group;

/* The weight of a row's loss in lane k. */
static inline double hsp_lanes_weight(const hsp_lanes_group *G, int64_t place, int64_t k) {
    double own = G->own ? G->own[place * HSP_LANES + k] : G->weight ? G->weight[place] : 1;
    return G->lane[k].C * own;
}

/* Measures all lanes at work: their points, bounds and gaps go to `point` and `out`, those at the tolerance end. */
void hsp_lanes_look(hsp_lanes_group *G);
/* Whether to do so after this epoch: by the shares of the gap that it has seen, and now and then. */
bool hsp_lanes_worth_a_look(const hsp_lanes_group *G);

#endif
