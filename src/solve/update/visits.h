/* The state shared by solvers that visit the rows one by one: the iterate and the order of the visits. */
#ifndef HSP_SOLVE_UPDATE_VISITS_H
#define HSP_SOLVE_UPDATE_VISITS_H

#include "halfspace.h"
#include "problem/point.h"
#include "problem/problem.h"
#include "solve/loop/solver.h"
#include "solve/update/iterate.h"
#include "solve/update/order.h"

typedef struct hsp_visits {
    hsp_problem *p;
    const hsp_rules *rules;
    hsp_iterate it;
    hsp_order order;
} hsp_visits;

/* l1: soft thresholds will be applied. stream: of the random numbers, one for each solver. Free it in any case. */
int hsp_visits_init(hsp_visits *v, hsp_problem *p, const hsp_rules *rules, const hsp_point *start, bool l1, uint64_t stream,
                    hsp_error **err);
void hsp_visits_free(hsp_visits *v);
/* The slots export (of the present point and of the average) and peek of a solver whose state begins with its visits. */
bool hsp_visits_export(void *state, hsp_which which, hsp_point *out);
bool hsp_visits_peek(const void *state, double *w, double *b);
/* The slot leave of such a solver, and the order's part of resume. */
void hsp_visits_leave(const void *state, hsp_counters *to);
void hsp_visits_resume(hsp_visits *v, const hsp_counters *from);

#endif
