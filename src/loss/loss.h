/* Losses: one file each, one line in loss_list.h. A loss is a function of the target y and the score g. The target is -1 or
 * +1 (most losses then depend on the margin m = y g alone), any number (regression), or the class 0 .. K-1 of a loss of K
 * scores (softmax, crammer-singer). An empty slot means that the loss does not have the function. */
#ifndef HSP_LOSS_LOSS_H
#define HSP_LOSS_LOSS_H

#include "base/text.h"
#include "loss/loss_list.h"
#include "option/choices.h"

/* Traits: solvers, classifiers and reports ask for these, never for the name of a loss. */
enum {
    HSP_LOSS_SLOPE = 1,        /* has a (sub)gradient to follow */
    HSP_LOSS_SMOOTH = 2,       /* the gradient is Lipschitz */
    HSP_LOSS_DUAL = 4,         /* has a conjugate that gives useful lower bounds */
    HSP_LOSS_TRIVIAL = 8,      /* weights of zero minimise it: points are compared by their mistakes */
    HSP_LOSS_CURVED = 16,      /* has a second derivative (almost) everywhere */
    HSP_LOSS_MANY = 32,        /* of K scores at once: it has `batch` and `dual_many`, not `at`, `curvature` and `dual` */
    HSP_LOSS_POSITIVE = 64,    /* never 0: when the classes are separable it has no minimum, only an infimum */
    HSP_LOSS_KINKED = 128,     /* the option `kink` chooses which subgradient it has at its kink */
    HSP_LOSS_NUMBERS = 256,    /* y may be any number: regression */
    HSP_LOSS_ODDS = 512,       /* a negative log-likelihood: scores are log-odds, so there are probabilities */
    HSP_LOSS_CLASSES = 1024,   /* y may be -1 or +1, or a class: classification */
    HSP_LOSS_PIECEWISE = 2048, /* the curvature is piecewise constant, with jumps */
};

/* Which side of the kink: see hinge_loss.c. */
typedef enum hsp_kink { HSP_KINK_CHOICES(HSP_CHOICE_VALUE) } hsp_kink;

typedef struct hsp_loss_at {
    double value;
    double slope; /* d value / d g; at a kink one of the subgradients */
} hsp_loss_at;

/* The form of the dual of one example, as a function of a = y r, for solvers of the dual:
 *
 *     HSP_DUAL_BOX       a - dual_ridge a^2 / 2             on [0, dual_high]: the quadratic programs of solve/margin
 *     HSP_DUAL_ENTROPY   -a log a - (1 - a) log(1 - a)      on [0, 1]
 *     HSP_DUAL_OTHER     nothing but the function `dual` and its domain
 */
typedef enum hsp_dual_shape { HSP_DUAL_OTHER, HSP_DUAL_BOX, HSP_DUAL_ENTROPY } hsp_dual_shape;

/* Every function takes the loss itself as its first argument, for the parameter. */
typedef struct hsp_loss {
    const char *name;
    const char *formula;
    const char *help;
    unsigned traits;
    double lipschitz; /* bound on the second derivative in g (on its eigenvalues); 0 when not smooth */
    hsp_loss_at (*at)(const struct hsp_loss *loss, double y, double g, hsp_kink kink);
    /* A block of scores, rows x outputs (outputs is 1 unless the loss is of K scores): values (rows, or NULL) and slopes
     * (rows x outputs, or NULL). */
    void (*batch)(const struct hsp_loss *loss, const double *y, const double *g, int64_t rows, int64_t outputs,
                  hsp_kink kink, double *value, double *slope);
    /* The second derivative in g; where it jumps, one of its limits. NULL: none. */
    double (*curvature)(const struct hsp_loss *loss, double y, double g);
    /* Losses of one score with a curvature: values, slopes and curvatures of a block of rows, each NULL when not wanted. */
    void (*second)(const struct hsp_loss *loss, const double *y, const double *g, int64_t rows, double *value,
                   double *slope, double *curve);
    /* The dual of one example: -f*(-r) where f is the loss as a function of the score and r = -dloss/dg its multiplier;
     * concave in r. Its domain is y r in [dual_low, dual_high]. NULL: none. */
    double (*dual)(const struct hsp_loss *loss, double y, double r);
    double dual_low, dual_high;
    hsp_dual_shape dual_shape;
    double dual_ridge; /* of a box */
    /* Likewise for a block of rows; NULL where `dual` is. */
    void (*duals)(const struct hsp_loss *loss, const double *y, const double *r, int64_t rows, double *out);
    /* Likewise for K scores, with K multipliers that sum to 0. */
    double (*dual_many)(double y, const double *r, int64_t outputs);
    /* A loss of K scores with a kink: minus the slope of the same loss smoothed over a width, K multipliers r. */
    void (*smoothed)(double y, const double *g, int64_t outputs, double width, double *r);
    /* A loss with a parameter: the option that sets it (NULL: no parameter), its value (in the table: the default), and the
     * function that returns the loss for another value. */
    const char *option;
    double parameter;
    struct hsp_loss (*with)(double parameter);
} hsp_loss;

extern const hsp_loss *const hsp_loss_table[];   /* NULL-terminated */
const hsp_loss *hsp_loss_find(const char *name); /* NULL when there is none */
/* Appends the names of the losses that `has` accepts: "a, b<last>c", as in "a, b or c" with last " or ". */
void hsp_loss_names(hsp_text *t, bool (*has)(const hsp_loss *loss), const char *last);

#define HSP_LOSS_DECLARED(name) extern const hsp_loss hsp_loss_##name;
HSP_EACH_LOSS(HSP_LOSS_DECLARED)
#undef HSP_LOSS_DECLARED

/* The body of `batch` from `at`, inlined into each loss: no call through a pointer per row. */
#define HSP_LOSS_BATCH(name, at)                                                                                           \
    static void name(const hsp_loss *loss, const double *y, const double *g, int64_t rows, int64_t outputs, hsp_kink kink, \
                     double *value, double *slope) {                                                                       \
        (void)outputs;                                                                                                     \
        for (int64_t i = 0; i < rows; i++) {                                                                               \
            hsp_loss_at v = at(loss, y[i], g[i], kink);                                                                    \
            if (value) value[i] = v.value;                                                                                 \
            if (slope) slope[i] = v.slope;                                                                                 \
        }                                                                                                                  \
    }

/* The bodies of `second` and `duals` from `at`, `curvature` and `dual`. */
#define HSP_LOSS_SECOND(name, at, curvature)                                                                             \
    static void name(const hsp_loss *loss, const double *y, const double *g, int64_t rows, double *value, double *slope, \
                     double *curve) {                                                                                    \
        for (int64_t i = 0; i < rows; i++) {                                                                             \
            hsp_loss_at v = at(loss, y[i], g[i], HSP_KINK_OPEN);                                                         \
            if (value) value[i] = v.value;                                                                               \
            if (slope) slope[i] = v.slope;                                                                               \
            if (curve) curve[i] = curvature(loss, y[i], g[i]);                                                           \
        }                                                                                                                \
    }
#define HSP_LOSS_DUALS(name, dual)                                                                        \
    static void name(const hsp_loss *loss, const double *y, const double *r, int64_t rows, double *out) { \
        for (int64_t i = 0; i < rows; i++) out[i] = dual(loss, y[i], r[i]);                               \
    }

/* The slots of a loss with a curvature and a dual whose functions have the names of the slots. */
#define HSP_LOSS_CURVED_SLOTS \
    .at = at, .batch = batch, .curvature = curvature, .second = second, .dual = dual, .duals = duals

#endif
