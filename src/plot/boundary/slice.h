/* What the chart `boundary` draws of one model, as plain numbers: the points of the rows in the plane that the study "plane"
 * chose, the prediction for each row, and the scores over the plane. */
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

/* A row is beyond the margin (y g > 1), on it (y g = 1 up to the tolerance of the model), or within it. */
typedef enum hsp_support_mark { HSP_SUPPORT_NONE, HSP_SUPPORT_ON, HSP_SUPPORT_BOUND } hsp_support_mark;

typedef struct hsp_slice {
    const hsp_report *regions; /* the study "regions" of a model that is not linear in the columns, borrowed; else NULL */
    int64_t n, d, classes;     /* d: features, or numeric columns */
    int dimensions;      /* 1: y is all zero */
    bool exact;          /* the scores over the plane are those of the model; else those of the rows expected there */
    const double *x, *y; /* n each: borrowed from the study */
    /* How far, at most, points are moved along each axis, because many have equal coordinates; 0: not. */
    double spread[2];
    int32_t *truth;  /* n, owned: the true class, as the model counts them; NULL: the rows have no labels */
    int32_t *answer; /* n, owned: the class that the model predicts from all features; NULL for regression */
    double *g;       /* n, owned: its score, if there is one only; else NULL */
    int64_t correct;
    /* One score for each class. The largest wins, on ties the class that comes first in `order`. Of two classes the negative
     * one has the threshold as its score and comes first: g > threshold is positive. Regression: score[0], and classes is 0. */
    hsp_slice_score *score;      /* classes, by class; owned */
    int32_t *order;              /* classes; owned */
    int64_t positive;            /* of two classes; else -1 */
    const char *method;          /* of the study, borrowed */
    const char *name[2];         /* of the axes, borrowed; NULL: the feature is called x1, x2, ... or by a number */
    char letter[2][HSP_NUMERAL]; /* x and a subscript: the number of a feature without a name, else that of the axis */
    const char **class_name;     /* classes; owned, the names borrowed */
    bool margin_model;           /* rows with y g <= 1 determine the model, as with a hinge or a hard margin */
    double tolerance;            /* rows with |y g - 1| up to this are on the margin */
    bool scaled;                 /* the columns were scaled for training */
    bool origin;                 /* the origin should be in view: the boundary has no intercept */
    double norm;                 /* |w| of one score; else NaN */
} hsp_slice;

/* study: a "plane" or "regions" of these data, which must outlive the slice, as model and data must. HSP_EINPUT: the
 * data do not fit the model. HSP_EMEMORY. Clear the slice in any case. */
int hsp_slice_take(const hsp_model *m, const hsp_data *data, const hsp_report *study, hsp_slice *s, hsp_error **err);
void hsp_slice_clear(hsp_slice *s);

/* The true class of every row, as the model counts them, into truth[n]. HSP_EINPUT: the model does not know a class.
 * HSP_EMEMORY. */
int hsp_slice_labels(const hsp_model *m, const hsp_data *data, int32_t *truth, hsp_error **err);

/* The score of the boundary between two classes; 0 for more. */
static inline double hsp_slice_threshold(const hsp_slice *s) {
    return s->positive < 0 ? 0 : s->score[1 - s->positive].b;
}
/* y g of row i, for two classes and rows with labels; and where that is. */
double hsp_slice_margin(const hsp_slice *s, int64_t i);
hsp_support_mark hsp_slice_support(const hsp_slice *s, int64_t i);
/* The least signed distance of a row from the boundary, in all features; negative: a row is on the wrong side. NaN without
 * labels, unless there are two classes, or if all weights are 0. *g: the smallest y (g - threshold). */
double hsp_slice_distance(const hsp_slice *s, double *g);

/* The name of an axis: the label of its feature; for one called x3 or 3 an x with a subscript, written to `letter`, which
 * holds HSP_NUMERAL. */
const char *hsp_slice_axis(const char *label, char *letter);
/* How far, at most, to move the n points (u, v) along each axis: less than a third of the way to the next value if both axes
 * have few values and most points would be hidden by others, else 0. */
void hsp_slice_spread(const double *u, const double *v, int64_t n, double spread[2]);

#endif
