/* What the boundary chart draws, as plain numbers: two features of the rows, and the model's scores over these two. With
 * more than two features they are the two that matter most, and the scores are those expected from them alone (least
 * squares over the rows): a plane through the data. One that holds the others at their means may be nowhere near a row, and
 * even have its classes the wrong way round. */
#ifndef HSP_PLOT_SLICE_H
#define HSP_PLOT_SLICE_H

#include "plot/ground.h"
#include "plot/numeral.h"

/* score = w[0] x + w[1] y + b */
typedef struct hsp_slice_score {
    double w[2];
    double b;
} hsp_slice_score;

typedef struct hsp_slice {
    int64_t n, d, classes;
    int64_t axis[2]; /* the features drawn, ascending; axis[1] is unused when d = 1 */
    double *x, *y;   /* n each: these features; y is all zero when d = 1 */
    int32_t *truth;  /* n: class of the model, or NULL when the rows have no labels */
    int32_t *answer; /* n: what the model says, all features seen */
    int64_t correct;
    /* One score a class; the largest wins, on ties the class that comes first in `order`. With two classes the negative
     * one's score is 0 and it comes first: positive means g > 0. */
    hsp_slice_score *score; /* classes, by class */
    int32_t *order;         /* classes */
    int64_t positive;       /* of two classes; else -1 */
    const char *name[2];    /* of the features drawn, borrowed; NULL for those without, and for one called x1, x2, ... */
    char letter[2][HSP_NUMERAL]; /* x and a subscript: the number of a feature without a name, else of the axis */
    const char **class_name;     /* classes, the names borrowed */
} hsp_slice;

/* HSP_EINPUT when the data do not fit the model. Clear the slice in any case. */
int hsp_slice_take(const hsp_model *m, const hsp_data *data, hsp_slice *s, hsp_error **err);
void hsp_slice_clear(hsp_slice *s);

#endif
