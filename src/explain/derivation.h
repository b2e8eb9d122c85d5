/* A derivation: the fit that is explained, as arrays, and the text that explains it. The rows are those of the design: after
 * --scale their columns are the scaled ones, as the algorithm saw them; w and b are in the same units. One file for each
 * explanation, and one line in explain_table.c. */
#ifndef HSP_EXPLAIN_DERIVATION_H
#define HSP_EXPLAIN_DERIVATION_H

#include "data/data.h"
#include "design/design.h"
#include "explain/exposition.h"
#include "halfspace.h"
#include "model/model.h"
#include "prepare/prepare.h"
#include "problem/problem.h"

#include <stdbool.h>

/* What a text shows of wide data: features, classes, rows. */
enum { HSP_SHOWN_FEATURES = 8, HSP_SHOWN_CLASSES = 8, HSP_SHOWN_ROWS = 6 };
/* Columns up to which d x d matrices are computed. */
enum { HSP_EXPLAIN_COLUMNS = 1000 };

/* The rows as the algorithm saw them. */
typedef struct hsp_derivation_rows {
    int64_t n, d, K;     /* K: classes, 0 for regression */
    const int32_t *side; /* n: class of each row in the model's numbering; NULL for regression */
    double *y;           /* n: targets of output k: -1, +1 or numbers */
    double *c;           /* n: weights */
    double mass;         /* their sum */
} hsp_derivation_rows;

typedef struct hsp_derivation {
    hsp_exposition text;
    hsp_options *options; /* with the classifier's defaults */
    const hsp_hooks *hooks;
    const hsp_data *data; /* encoded */
    hsp_data *own;        /* owned: the data if they had to be encoded again */
    hsp_prepare prepare;
    hsp_design *design;
    hsp_model *model; /* NULL: the hard margin does not exist */
    hsp_report *report;
    hsp_derivation_rows rows;
    int32_t *merged;   /* owned: the array behind rows.side when classes were merged */
    int64_t outputs;   /* 1, or K */
    int64_t k;         /* the output that is explained where each class has a problem of its own */
    double *w, *b;     /* outputs x d and outputs, in the design's units; NULL without a model, and for a network */
    int64_t *shown;    /* `count` features, ascending */
    int64_t count;     /* at most HSP_SHOWN_FEATURES */
    hsp_intercept intercept;
    void **blocks; /* owned: scratch of the explanation */
    int64_t used, capacity;
} hsp_derivation;

/* `length` zeros that live as long as the derivation; NULL and text.failed when memory runs out. */
double *hsp_derivation_zeros(hsp_derivation *v, int64_t length);
/* Row i in the design's units: d numbers. */
void hsp_derivation_row(const hsp_derivation *v, int64_t i, double *x);
/* w.x_i + b of output k. */
double hsp_derivation_score(const hsp_derivation *v, int64_t k, int64_t i);
/* Sets k, and the targets y, to those of another output. */
void hsp_derivation_choose(hsp_derivation *v, int64_t k);
/* The output with the most rows on the wrong side; the first of equals. */
int64_t hsp_derivation_hardest(hsp_derivation *v);
/* Where each class has a problem of its own: chooses the hardest output, and says so; adds the value `class`. */
void hsp_derivation_one_class(hsp_derivation *v);
/* The problem of the model's objective for output k, over the design; the caller frees it. */
int hsp_derivation_pose(hsp_derivation *v, hsp_problem **out, hsp_error **err);

/* ---- words ---- */

const char *hsp_derivation_class(const hsp_derivation *v, int64_t k); /* name of class k of the model */
/* Says that this many classes are left out of a table; nothing if there are none. */
void hsp_derivation_leave_classes(hsp_derivation *v, int64_t count);
/* A label for feature j in buf (HSP_LABEL_SIZE); j = -1: the row of ones. */
const char *hsp_derivation_feature(const hsp_derivation *v, int64_t j, char *buf);
/* The number of row i, from 1, and its class, in buf. */
enum { HSP_ROW_LABEL = 96 };
const char *hsp_derivation_row_label(const hsp_derivation *v, int64_t i, char buf[HSP_ROW_LABEL]);
bool hsp_derivation_is_class(const hsp_derivation *v); /* classification */

/* ---- parts of long vectors and large matrices ---- */

/* The shown components of a vector of d numbers. */
const double *hsp_derivation_part(hsp_derivation *v, const double *full);
hsp_figure hsp_derivation_vector(hsp_derivation *v, const double *full);
/* A value with the shown components: of one vector, of `rows` vectors, of a d x d matrix. */
void hsp_derivation_put(hsp_derivation *v, const char *name, const double *full);
void hsp_derivation_put_rows(hsp_derivation *v, const char *name, const double *full, int64_t rows);
void hsp_derivation_put_square(hsp_derivation *v, const char *name, const double *full);
/* A table of the shown features, one for each row: columns[j] heads the vector full[j] of d numbers. */
void hsp_derivation_features(hsp_derivation *v, const char *const *columns, const double *const *full, int width);
/* A d x d matrix as a table of the shown features. */
void hsp_derivation_square(hsp_derivation *v, const double *full);
/* One row for each class with its shown components: K x d numbers; at most HSP_SHOWN_CLASSES. */
void hsp_derivation_classes(hsp_derivation *v, const double *full);

/* Rows worth a look: the first of each class, the one nearest to the boundary and the one farthest on the wrong side, in
 * ascending order without repetition; for regression those of the smallest, middle and largest residual. Their number. */
int64_t hsp_derivation_examples(hsp_derivation *v, int64_t row[HSP_SHOWN_ROWS]);

/* ---- the last section ---- */

/* For more than HSP_EXPLAIN_COLUMNS columns: says that the matrices are left out. HSP_OK. */
int hsp_derivation_too_wide(hsp_derivation *v, hsp_error **err);

/* Compares the weights that the derivation found (outputs x d and outputs, the design's units) with those of the model, in
 * original units; what: how they were found. Adds the section "Check". */
void hsp_derivation_check(hsp_derivation *v, const double *w, const double *b, const char *what);

/* ---- the explanations ---- */

typedef struct hsp_explanation {
    const char *algorithm;
    const char *idea; /* one sentence */
    int (*write)(hsp_derivation *v, hsp_error **err);
} hsp_explanation;

extern const hsp_explanation *const hsp_explanation_table[]; /* NULL-terminated */
const hsp_explanation *hsp_explanation_find(const char *algorithm);
extern const hsp_explanation hsp_explanation_nearest_mean, hsp_explanation_least_squares, hsp_explanation_ridge,
    hsp_explanation_fisher, hsp_explanation_lda, hsp_explanation_logistic, hsp_explanation_perceptron,
    hsp_explanation_lasso, hsp_explanation_elastic_net, hsp_explanation_gradient_descent, hsp_explanation_sgd,
    hsp_explanation_minibatch, hsp_explanation_svm, hsp_explanation_hard_svm,
    hsp_explanation_mlp;

#endif
