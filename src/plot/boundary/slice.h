/* What the boundary chart draws of one model, as plain numbers: the places of the rows in the plane that the study "plane"
 * chose, what the model says of each row, and its scores over the plane. */
#ifndef HSP_PLOT_BOUNDARY_SLICE_H
#define HSP_PLOT_BOUNDARY_SLICE_H

#include "halfspace.h"
#include "plot/draw/numeral.h"

#include <stdbool.h>

/* score = w[0] x + w[1] y + b */
typedef struct hsp_slice_score {
    double w[2];
    double b;
} hsp_slice_score;

/* How a row stands to the margin: beyond it, on it (y g = 1 but for the model's tolerance), or within it. */
typedef enum hsp_support_mark { HSP_SUPPORT_NONE, HSP_SUPPORT_ON, HSP_SUPPORT_BOUND } hsp_support_mark;

typedef struct hsp_slice {
    int64_t n, d, classes;
    int dimensions;      /* 1: y is all zero */
    bool exact;          /* the scores over the plane are the model's own; else those expected there */
    const double *x, *y; /* n each: the study's */
    double
        spread[2];  /* how far, at most, points are moved apart on each axis, as many fall on the same few places; 0: not */
    int32_t *truth; /* n: class of the model, or NULL when the rows have no labels */
    int32_t *answer; /* n: what the model says, all features seen; NULL for regression */
    double *g;       /* n: its score, when there is one only; else NULL */
    int64_t correct;
    /* One score a class; the largest wins, on ties the class that comes first in `order`. With two classes the negative
     * one's score is 0 and it comes first: positive means g > 0. Regression: score[0], and classes is 0. */
    hsp_slice_score *score;      /* classes, by class */
    int32_t *order;              /* classes */
    int64_t positive;            /* of two classes; else -1 */
    const char *method;          /* of the study */
    const char *name[2];         /* of the axes, borrowed; NULL for a feature called x1, x2, ... or by a number */
    char letter[2][HSP_NUMERAL]; /* x and a subscript: the number of a feature without a name, else of the axis */
    const char **class_name;     /* classes, the names borrowed */
    bool margin_model;           /* svm, hard-svm, or a loss of the margin */
    double tolerance;            /* of a margin that counts as 1 */
    bool scaled;                 /* the model was trained on columns scaled before */
    bool origin;                 /* to be in view, as a boundary without offset passes through it */
    double norm;                 /* |w|, one score; else NaN */
} hsp_slice;

/* study: a "plane" of these data. HSP_EINPUT when the data do not fit the model. Clear the slice in any case; the study
 * must outlive it. */
int hsp_slice_take(const hsp_model *m, const hsp_data *data, const hsp_study *study, hsp_slice *s, hsp_error **err);
void hsp_slice_clear(hsp_slice *s);

/* The model's class of every row that has a label, truth[n]. HSP_EINPUT when it has none for one of them. */
int hsp_slice_labels(const hsp_model *m, const hsp_data *data, int32_t *truth, hsp_error **err);

/* y g of row i; two classes and labels. */
double hsp_slice_margin(const hsp_slice *s, int64_t i);
hsp_support_mark hsp_slice_support(const hsp_slice *s, int64_t i);
/* The distance of the nearest row from the boundary, in all features, negative when one is on the wrong side; NaN without
 * labels, for other than two classes, or without weights. *g: the smallest y g. */
double hsp_slice_distance(const hsp_slice *s, double *g);

/* What an axis is called: the label of its feature, or for one called x3 or 3 an x with a subscript, in `letter`, which
 * holds HSP_NUMERAL. */
const char *hsp_slice_axis(const char *label, char *letter);
/* How far, at most, the n points (u, v) are to be moved on each axis: by less than a third of the way to the next value
 * where both axes have few values and most points would hide under others, else 0. */
void hsp_slice_spread(const double *u, const double *v, int64_t n, double spread[2]);

#endif
