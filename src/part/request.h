/* A request as the driver poses it and as a part reads it. */
#ifndef HSP_PART_REQUEST_H
#define HSP_PART_REQUEST_H

#include "halfspace.h"
#include "loss/loss.h"
#include "part/wire.h"

typedef enum hsp_ask {
    HSP_ASK_SCHEMA = 1, /* columns, labels, rows, the hash of the content */
    HSP_ASK_CLASSES,    /* weight and rows of each class */
    HSP_ASK_SPREAD,     /* mean, squared deviations, least and greatest of each column (spread_sums.h) */
    HSP_ASK_MOMENTS,    /* moments of the groups, with or without their scatter */
    HSP_ASK_EVALUATE,   /* loss, dual, mistakes and gradient at w; with `gram` the Hessian too */
    HSP_ASK_LINE,       /* losses and their derivatives at w + t v for some t */
    HSP_ASK_PRODUCT,    /* the Hessian at w times v */
    HSP_ASK_CHECK,      /* loss, dual and gradient again, by the code of verify */
    HSP_ASK_METRICS,    /* right and wrong labels, or squared errors */
    HSP_ASK_CURVATURE, /* what preconditions products: the diagonal of the Hessian at w; with `gram` its blocks by a sample */
    HSP_ASKS
} hsp_ask;

/* What the parts agreed on, and how labels and rows count. */
typedef struct hsp_request_rows {
    int64_t features, base;
    bool dense;   /* the layout of all rows (relayout.h) */
    bool targets; /* regression */
    int64_t label_count;
    const char **label;         /* label_count texts, borrowed; the array is owned after reading */
    const int64_t *class_of;    /* the class of each label; NULL: its number */
    int64_t classes;            /* 0 for regression */
    const double *class_weight; /* classes, or NULL */
    const double *shift, *factor; /* features each, or NULL: columns become (x - shift) factor */
} hsp_request_rows;

/* The problems: one joint problem of all outputs, or one for each output. */
typedef struct hsp_request_problem {
    const hsp_loss *loss; /* NULL: the request has none; of the table, `own` or hsp_loss_barrier */
    hsp_loss own;
    int64_t outputs;         /* scores of a row */
    bool joint;              /* y is the class; else ... */
    const int64_t *positive; /* ... +1 for rows of this class and -1 for others; NULL: the target */
} hsp_request_problem;

/* Where: outputs x features weights and outputs intercepts, in the units of the transformed columns. */
typedef struct hsp_request_point {
    const double *w, *b;    /* NULL: 0 */
    /* A direction of the same sizes; NULL: none. With evaluate it is the step that led here: the multipliers whose dual is
     * wanted are those that the step predicts from where it began, for a barrier of weight steps[0]. */
    const double *v, *v0;
    const double *steps; /* of a line; of blocks by a sample the share of the rows */
    double C;            /* of a check */
    int64_t step_count;
    bool gram;
    bool majorant; /* curvatures of parabolas that lie above the loss, for rows where it is straight (row_losses.h) */
    const int64_t *columns; /* of the Gram matrix, ascending; NULL: all */
    int64_t column_count;
} hsp_request_point;

typedef struct hsp_request {
    hsp_ask ask;
    hsp_request_rows rows;
    hsp_request_problem problem;
    hsp_request_point at;
    bool scatter; /* of moments */
    uint64_t checksum;   /* after reading */
    hsp_message message; /* after reading: the bytes that the arrays are in */
} hsp_request;

enum { HSP_LINE_STEPS = 8 };

int hsp_request_write(const hsp_request *q, void **bytes, size_t *size, hsp_error **err);
/* Everything is checked: sizes, ranges, and that numbers are finite. The bytes must stay until the request is cleared. */
int hsp_request_read(const void *bytes, size_t size, hsp_request *out, hsp_error **err);
void hsp_request_clear(hsp_request *q);

#endif
