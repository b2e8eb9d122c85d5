/* logistic: maximum (penalised) likelihood of P(y|x) = 1/(1 + exp(-y g)), or of the softmax of K scores, to a certified
 * gap. Which solver: Newton's method with the whole Hessian where that is cheap, since nothing is surer; else Newton-CG;
 * with an L1 part proximal Newton. */
#include "base/memory.h"
#include "classifier/classifier.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* The cost model, in nanoseconds on one thread. */
static const double NS_GRAM = 0.05;  /* one multiplication of a dense Gram matrix */
static const double NS_SPARSE = 1.5; /* one of a sparse one */
static const double NS_SOLVE = 0.1;  /* one of a Cholesky factorisation */
static const double NS_PASS = 1;     /* one stored number in a pass over the data */
/* Passes that a step of Newton-CG takes more than one with the Hessian at hand; unscaled columns need many. */
static const double PASSES = 60;
enum { MOST_SIZE = 4000, MOST_JOINT = 600 }; /* unknowns: for one output, and for softmax */

/* sum of the squares of the rows' lengths: the multiplications of a sparse Gram matrix. */
static double pairs(const hsp_matrix *x) {
    double sum = 0;
    for (int64_t i = 0; i < x->n; i++) {
        double count = (double)hsp_matrix_row(x, i).count;
        sum += count * count / 2;
    }
    return sum;
}

/* Whether the whole Hessian is worth its price. */
static bool hessian_pays(const hsp_fit *f, int64_t outputs) {
    const hsp_matrix *x = &f->data->x;
    double d = (double)x->d, K = (double)outputs, size = K * d, blocks = K * (K + 1) / 2;
    if (size > (outputs == 1 ? MOST_SIZE : MOST_JOINT)) return false;
    double gram = blocks * (x->dense ? NS_GRAM * (double)x->n * d * d : NS_SPARSE * pairs(x) + d * d);
    double solve = NS_SOLVE * size * size * size / 3;
    return gram + solve <= PASSES * NS_PASS * K * (double)x->stored + 1e6;
}

static const hsp_solver *choose(const hsp_fit *f, int64_t outputs) {
    if (f->penalty->penalises && (f->penalty->mixed || f->penalty->l1 > 0)) return &hsp_solver_prox_newton;
    return hessian_pays(f, outputs) ? &hsp_solver_newton : &hsp_solver_newton_cg;
}

/* The first step of the line search of --solver gradient. */
static double first_step(const hsp_fit *f) {
    double mean, largest;
    hsp_design_norms(f->design, f->c, &mean, &largest);
    return 1 / (mean + 1);
}

static int pick_solver(hsp_fit *f, bool joint, hsp_error **err) {
    int status = hsp_fit_choose(f, err);
    if (status) return status;
    bool automatic = hsp_options_is(f->o, "solver", "auto");
    if (f->solver == &hsp_solver_stochastic)
        return hsp_fail(err, HSP_EUSAGE, "solver 'stochastic' proves nothing: use -a sgd or -a minibatch --loss logistic");
    if (joint) f->loss = &hsp_loss_softmax;
    if (automatic) f->solver = choose(f, joint ? f->outputs : 1);
    if (joint && !f->solver->many)
        return hsp_fail(err, HSP_EUSAGE,
                        "solver '%s' takes one score a row: use newton or newton-cg, or --multiclass ovr for more than two "
                        "classes",
                        f->solver->name);
    hsp_fit_say(f, "solver %s%s: %" PRId64 " rows, %" PRId64 " columns (%s), %" PRId64 " output%s", f->solver->name,
                automatic ? " (chosen)" : "", f->design->n, f->design->d, f->data->x.dense ? "dense" : "sparse", f->outputs,
                f->outputs == 1 ? ""
                : joint         ? "s in one problem"
                                : "s, one problem each");
    return HSP_OK;
}

/* ---- the optimum at infinity ---- */

static void name_columns(hsp_text *t, const hsp_fit *f, const hsp_outcome *o) {
    char buffer[32];
    for (int i = 0; i < o->diverging_count; i++) {
        hsp_text_add(t, i == 0 ? " (" : ", ");
        hsp_text_add(t, hsp_schema_feature(&f->prepare->schema, o->diverging[i], buffer));
    }
    if (o->diverging_count) hsp_text_add(t, o->diverging_count == HSP_MOST_DIVERGING ? ", ...)" : ")");
}

static void warn_of_infinity(hsp_fit *f) {
    hsp_text *t = &f->warnings;
    for (int64_t k = 0; k < f->problems; k++) {
        const hsp_outcome *o = &f->results[k].outcome;
        if (!o->stop || strcmp(o->stop, "infinity") != 0) continue;
        const char *label = f->problems > 1 ? f->results[k].label : NULL;
        hsp_text_add(t, label ? "class " : "the classes are ");
        if (label) hsp_text_format(t, "%s is ", label);
        hsp_text_format(t, "%slinearly separable%s, so without a penalty the weights grow for ever",
                        o->end.error == 0 ? "" : "partly ", label ? " from the rest" : "");
        name_columns(t, f, o);
        hsp_text_add(t, ": use --penalty l2 (ridge), the default\n");
    }
}

/* ---- columns far from 0 ---- */

/* Whether sums over the rows would lose digits to the columns' offsets: means of many spreads, or no spread at all. */
static bool far_away(const hsp_column_stats *s, int64_t d) {
    for (int64_t j = 0; j < d; j++)
        if (fabs(s->mean[j]) > 100 * s->sd[j]) return true;
    return false;
}

/* The design about its means; a free intercept does not notice. Constant columns become 0, and so do their weights. */
typedef struct recentred {
    hsp_design *before, *design;
    double *shift, *factor;
    hsp_column_stats stats;
} recentred;

static int recentre(hsp_fit *f, recentred *c, hsp_error **err) {
    const hsp_prepare *p = f->prepare;
    int64_t d = f->design->d;
    if (!f->data->x.dense || p->shift || !hsp_options_is(f->o, "intercept", "free")) return HSP_OK;
    if (hsp_column_stats_fit(&f->data->x, &c->stats)) return hsp_fail_memory(err);
    if (!far_away(&c->stats, d)) return HSP_OK;
    c->shift = hsp_alloc(d, sizeof *c->shift);
    c->factor = hsp_alloc(d, sizeof *c->factor);
    if (!c->shift || !c->factor) return hsp_fail_memory(err);
    for (int64_t j = 0; j < d; j++) {
        c->shift[j] = c->stats.min[j] == c->stats.max[j] ? c->stats.min[j] : c->stats.mean[j];
        c->factor[j] = p->factor ? p->factor[j] : 1;
    }
    int status = hsp_design_new(&f->data->x, c->shift, c->factor, f->design->threads, &c->design, err);
    if (status) return status;
    c->before = f->design;
    f->design = c->design;
    return HSP_OK;
}

/* Back: the offsets as they are in the columns' own places. */
static void restore(hsp_fit *f, recentred *c) {
    if (c->before) {
        f->design = c->before;
        for (int64_t k = 0; k < f->outputs; k++)
            for (int64_t j = 0; j < f->design->d; j++) f->b[k] -= c->shift[j] * c->factor[j] * f->w[k * f->design->d + j];
    }
    hsp_design_free(c->design);
    hsp_free(c->shift);
    hsp_free(c->factor);
    hsp_column_stats_clear(&c->stats);
}

static int fit(hsp_fit *f, hsp_error **err) {
    bool joint = f->outputs > 1 && !hsp_options_is(f->o, "multiclass", "ovr");
    int status = pick_solver(f, joint, err);
    if (status) return status;
    hsp_fit_rules(f);
    f->rules.schedule = HSP_SCHEDULE_LINE_SEARCH;
    f->rules.rate = f->solver == &hsp_solver_gradient ? first_step(f) : NAN;
    f->certified = true;
    f->link = joint ? HSP_LINK_SOFTMAX : f->outputs > 1 ? HSP_LINK_OVR : HSP_LINK_LOGISTIC;
    if (f->outputs > 1) f->multiclass = joint ? "softmax" : "ovr";
    recentred about = {0};
    status = recentre(f, &about, err);
    if (!status) status = joint ? hsp_fit_solve_joint(f, err) : hsp_fit_solve(f, err);
    restore(f, &about);
    if (!status) warn_of_infinity(f);
    return status;
}

static const char *const defaults[] = {"loss", "logistic", "penalty", "l2", "keep", "best", NULL};

const hsp_classifier hsp_classifier_logistic = {
    .name = "logistic",
    .help = "maximum likelihood of P(y|x) = 1/(1 + exp(-y g)), K classes by softmax, penalised: to a certified gap",
    .options = HSP_OPTIONS_ANY " intercept penalty C lambda l1-ratio solver multiclass tol max-epochs max-seconds",
    .defaults = defaults,
    .automatic = "solver newton for few columns, newton-cg for many, prox-newton with an L1 part; multiclass softmax",
    .solver = &hsp_solver_prox_newton, /* the one that takes every penalty; fit chooses better */
    .probabilities = true,
    .fit = fit};
