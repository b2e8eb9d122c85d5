/* Columns with few entries, minimised over one by one. Along such a column a loss that is never 0 falls like exp(-margin)
 * until the penalty stops it, and Newton's method follows an exponential by 1 in the margin a step, however cheap the
 * column is: after a few steps all that is left to gain lies there. A search in one number takes it at once, and costs the
 * entries of the column alone. */
#ifndef HSP_PROBLEM_RARE_H
#define HSP_PROBLEM_RARE_H

#include "problem/survey.h"

typedef struct hsp_rare {
    hsp_problem *p;
    int64_t count;   /* columns */
    int64_t *column; /* ascending */
    int64_t *begin;  /* count + 1: where the entries of each begin */
    int64_t *row;
    double *value; /* after the factor of the column */
    bool *asked;   /* count: scratch */
} hsp_rare;

/* Whether there may be anything to gain: classes, sparse rows (a centred column needs a free intercept), and not so many
 * columns that most of them are rare. */
bool hsp_rare_possible(const hsp_problem *p);
/* Finds them. Nothing is allocated when there are none; fit to be freed in any case. HSP_OK or HSP_EMEMORY. */
int hsp_rare_init(hsp_rare *r, hsp_problem *p);
void hsp_rare_free(hsp_rare *r);
/* Of what a step promises, -g.step / 2, the share that lies in the columns; notes which ones matter. */
double hsp_rare_share(hsp_rare *r, const double *g, const double *step);
/* Lowers J by changes of the weights that matter (and of the intercept in w[d], where columns are centred), the scores
 * following. */
void hsp_rare_polish(hsp_rare *r, double *w, double *scores);

#endif
