/* The largest lambda of a grid. Let G be the gradient of the mean loss at w = 0 and the optimal intercept b. With an L1
 * share rho all weights are 0 exactly when
 *     |G_j| <= rho lambda for all j,
 * and the top is the smallest such lambda. Without an L1 part
 *     w ~ -G / lambda for large lambda,
 * and the top is the lambda at which the standard deviation of the scores is a tenth: of 1, the unit of a margin, in
 * classification; of the standard deviation of the targets, so that their unit does not matter, in regression. */
#include "base/error.h"
#include "base/memory.h"
#include "data/data.h"
#include "design/design.h"
#include "loss/loss.h"
#include "model/model.h"
#include "option/options.h"
#include "penalty/penalty.h"
#include "prepare/prepare.h"
#include "study/sweep_lambdas.h"

#include <math.h>

static const double SPREAD = 0.1;
static const double ROUNDING = 1e-13;
static const double LEAST_SQUARE = 1e-300;
static const double FARTHEST = 64; /* bound of the intercept: the class odds would be e^64 */

typedef struct weightless {
    const hsp_model *m;
    const hsp_data *data;
    hsp_design *design;
    const hsp_loss *loss; /* of one score; NULL: softmax */
    bool offset;          /* a free intercept, so that the slopes sum to 0 */
    double *c;            /* n, of sum 1 */
    double *slope;        /* n */
    double *G;            /* d */
    double *score;        /* n */
    bool vanishing;       /* G is not 0, but the squared norms of the rows underflow */
} weightless;

static int64_t class_of(const weightless *l, int64_t i) {
    int32_t y = l->data->y[i];
    return l->m->prepare.merged ? l->m->prepare.merged[y] : y;
}

static void weigh(weightless *l) {
    int64_t n = l->data->x.n;
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        l->c[i] = l->data->weight ? l->data->weight[i] : 1;
        if (l->m->class_weight) l->c[i] *= l->m->class_weight[class_of(l, i)];
        sum += l->c[i];
    }
    for (int64_t i = 0; i < n; i++) l->c[i] /= sum;
}

/* The intercept at which the slopes of positive rows (mass p) and negative rows (mass 1 - p) balance, by bisection: their
 * sum increases with it. */
static double best_offset(const hsp_loss *loss, double p) {
    double lo = -FARTHEST, hi = FARTHEST;
    for (int t = 0; t < 200; t++) {
        double b = lo + (hi - lo) / 2;
        double slope = p * loss->at(loss, 1, b, HSP_KINK_OPEN).slope + (1 - p) * loss->at(loss, -1, b, HSP_KINK_OPEN).slope;
        *(slope < 0 ? &lo : &hi) = b;
    }
    return lo + (hi - lo) / 2;
}

static void slopes_of_numbers(weightless *l) {
    double mean = 0;
    for (int64_t i = 0; l->offset && i < l->data->x.n; i++) mean += l->c[i] * l->data->target[i];
    for (int64_t i = 0; i < l->data->x.n; i++) l->slope[i] = mean - l->data->target[i];
}

/* The slopes for class k against the rest. */
static void slopes_of_class(weightless *l, int64_t k) {
    double p = 0;
    for (int64_t i = 0; i < l->data->x.n; i++)
        if (class_of(l, i) == k) p += l->c[i];
    if (!l->loss) { /* softmax: the optimal intercepts are the logarithms of the class shares */
        double share = l->offset ? p : 1 / (double)l->m->outputs;
        for (int64_t i = 0; i < l->data->x.n; i++) l->slope[i] = share - (class_of(l, i) == k);
        return;
    }
    double b = l->offset ? best_offset(l->loss, p) : 0;
    for (int64_t i = 0; i < l->data->x.n; i++)
        l->slope[i] = l->loss->at(l->loss, class_of(l, i) == k ? 1 : -1, b, HSP_KINK_OPEN).slope;
}

/* Returns 0 if G is rounding error, and infinity if the norms of the rows overflow, as they would in every solver. */
static double largest_gradient(weightless *l) {
    double most = 0, slopes = 0, mean, longest;
    for (int64_t j = 0; j < l->design->d; j++) most = fmax(most, fabs(l->G[j]));
    for (int64_t i = 0; i < l->data->x.n; i++) slopes += fabs(l->slope[i]);
    hsp_design_norms(l->design, l->c, &mean, &longest);
    double rounding = ROUNDING * slopes * sqrt(longest);
    if (!isfinite(rounding)) return INFINITY;
    l->vanishing |= most > 0 && longest < LEAST_SQUARE;
    return most > rounding ? most : 0;
}

/* The standard deviation of n numbers, or their root mean square without an intercept. Dividing by the largest first keeps
 * the squares in range. */
static double deviation(const weightless *l, const double *v) {
    int64_t n = l->data->x.n;
    double mean = 0, most = 0, square = 0;
    for (int64_t i = 0; l->offset && i < n; i++) mean += l->c[i] * v[i];
    for (int64_t i = 0; i < n; i++) most = fmax(most, fabs(v[i] - mean));
    if (!(most > 0 && isfinite(most))) return most;
    for (int64_t i = 0; i < n; i++) square += l->c[i] * ((v[i] - mean) / most) * ((v[i] - mean) / most);
    return most * sqrt(square);
}

/* The standard deviation of the scores X G, relative to that of the targets in regression. */
static double spread_of_scores(weightless *l) {
    hsp_design_scores(l->design, l->G, 0, l->score);
    double unit = l->data->target ? deviation(l, l->data->target) : 1;
    return unit > 0 ? deviation(l, l->score) / unit : 0;
}

/* The L1 share of the penalty; every model with a lambda reports its penalty. */
static int l1_share(const hsp_model *m, const hsp_options *o, double *share, hsp_error **err) {
    const char *name = hsp_model_field(m, "penalty");
    const hsp_penalty *p = name ? hsp_penalty_find(name) : NULL;
    if (!p) return hsp_fail_memory(err);
    *share = p->mixed ? hsp_options_real(o, "l1-ratio", 0.5) : p->l1;
    return HSP_OK;
}

static int open_weightless(const hsp_model *m, const hsp_data *data, const hsp_options *o, int threads, weightless *l,
                           hsp_error **err) {
    int64_t n = data->x.n;
    const char *loss = hsp_model_field(m, "loss");
    *l = (weightless){.m = m, .data = data, .offset = !o || hsp_options_is(o, "intercept", "free")};
    if (m->link != HSP_LINK_SOFTMAX) l->loss = loss ? hsp_loss_find(loss) : NULL;
    if (m->link != HSP_LINK_SOFTMAX && (!l->loss || !l->loss->at)) l->loss = &hsp_loss_squared;
    l->c = hsp_alloc(n, sizeof *l->c);
    l->slope = hsp_alloc(n, sizeof *l->slope);
    l->score = hsp_alloc(n, sizeof *l->score);
    l->G = hsp_alloc(data->x.d > 0 ? data->x.d : 1, sizeof *l->G);
    if (!l->c || !l->slope || !l->score || !l->G) return hsp_fail_memory(err);
    int status = hsp_design_new(&data->x, m->prepare.shift, m->prepare.factor, threads, &l->design, err);
    if (!status) weigh(l);
    return status;
}

static void clear_weightless(weightless *l) {
    hsp_design_free(l->design);
    HSP_FREE(l->c, l->slope, l->score, l->G);
}

/* The ratio of the column scales. It means little for sparse columns, so these get 1. */
static int find_uneven(const weightless *l, double *uneven, hsp_error **err) {
    hsp_column_stats stats;
    *uneven = 1;
    if (l->m->prepare.factor || !l->data->x.dense) return HSP_OK;
    if (hsp_column_stats_fit(&l->data->x, &stats)) return hsp_fail_memory(err);
    *uneven = fmax(hsp_scale_ratio(&stats, l->data->x.d, NULL), 1);
    hsp_column_stats_clear(&stats);
    return HSP_OK;
}

int hsp_study_top(const hsp_data *train, const hsp_options *o, int threads, double *top, double *uneven, hsp_error **err) {
    hsp_model *m = NULL;
    hsp_data *own = NULL;
    weightless l = {0};
    *top = 0;
    /* Train once, so that errors are reported before the expensive fits. This model provides the classes, their weights and
     * the scaling. */
    int status = hsp_study_train(train, o, 1, &m, err);
    if (!status) status = hsp_model_encode(m, train, threads, &own, err);
    if (!status) status = open_weightless(m, own ? own : train, o, threads, &l, err);
    double share = 0;
    if (!status) status = l1_share(m, o, &share, err);
    if (!status) status = find_uneven(&l, uneven, err);
    for (int64_t k = 0; !status && k < m->outputs; k++) {
        /* G of output k. At a kink of the loss the slopes need not sum to 0: subtract their mean. */
        int64_t n = l.data->x.n;
        double sum = 0;
        if (l.data->target)
            slopes_of_numbers(&l);
        else
            slopes_of_class(&l, l.m->outputs == 1 ? l.m->prepare.positive : k);
        for (int64_t i = 0; i < n; i++) sum += l.c[i] * l.slope[i];
        for (int64_t i = 0; i < n; i++) l.slope[i] = l.c[i] * (l.slope[i] - (l.offset ? sum : 0));
        hsp_design_adjoint(l.design, l.slope, l.G);
        double size = largest_gradient(&l);
        *top = fmax(*top, share > 0 ? size / share : size > 0 && isfinite(size) ? spread_of_scores(&l) / SPREAD : size);
    }
    if (!status && l.vanishing)
        status =
            hsp_fail(err, HSP_EINPUT, "the values are too small to compute with: use other units, or --scale standard");
    if (!status && *top == 0) *top = 1; /* all gradients are 0: any lambda will do */
    if (!status && !(*top <= 1e290))
        status =
            hsp_fail(err, HSP_EINPUT, "the values are too large to compute with: use other units, or --scale standard");
    clear_weightless(&l);
    hsp_data_free(own);
    hsp_model_free(m);
    return status;
}
