/* Rare columns, those with few entries, minimised one by one. Along such a column a loss that is never 0 falls like
 * exp(-margin) until the penalty stops it. Newton's method follows an exponential by 1 in the margin a step: after a few
 * steps most of what is left to gain lies in the rare columns. A search in one variable gains it at once, at the cost of the
 * column's entries. */
#ifndef HSP_PROBLEM_RARE_H
#define HSP_PROBLEM_RARE_H

#include "problem/survey.h"

typedef struct hsp_rare {
    hsp_problem *p;
    int64_t count;   /* rare columns; all arrays are owned */
    int64_t *column; /* ascending */
    int64_t *begin;  /* count + 1: where the entries of each begin */
    int64_t *row;
    double *value;  /* after the factor of the column */
    bool *selected; /* count: scratch */
} hsp_rare;

/* Whether a search may pay: classification, sparse rows (a centred column needs a free intercept), and not so many columns
 * that most of them are rare. */
bool hsp_rare_possible(const hsp_problem *p);
/* Finds the rare columns. Free it in any case. HSP_OK or HSP_EMEMORY. */
int hsp_rare_init(hsp_rare *r, hsp_problem *p);
void hsp_rare_free(hsp_rare *r);
/* The share of the decrease that a step predicts, -g.step / 2, that lies in the rare columns; selects those that matter. */
double hsp_rare_share(hsp_rare *r, const double *g, const double *step);
/* Lowers J by changes of the selected weights (and of the intercept in w[d], where columns are centred); updates the scores. */
void hsp_rare_polish(hsp_rare *r, double *w, double *scores);

#endif
