/* The warnings of a fit: one line for a run that did not converge, with advice. */
#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "data/data.h"
#include "design/design.h"
#include "fit/class_weight.h"
#include "fit/fit.h"
#include "fit/fit_certify.h"
#include "fit/fit_report.h"
#include "kernel/kernel.h"
#include "option/options.h"
#include "prepare/label_case.h"
#include "prepare/prepare.h"
#include "solve/loop/run.h"
#include "solve/loop/solver.h"
#include "solve/loop/stop.h"
#include "verify/proof/proof.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Misclassified rows at the weights that were kept: computed from the error rate, unless rows have weights. */
static int64_t mistakes(const hsp_fit *f, double share) {
    if (!f->rows.c) return (int64_t)llround(share * (double)f->job.design->n);
    int64_t wrong = 0;
    for (int64_t i = 0; i < f->job.design->n; i++) {
        double g = hsp_row_dot(hsp_design_row(f->job.design, i, NULL), f->out.w) + f->out.b[0];
        if (f->job.design->p) g -= hsp_dot_f64(f->job.design->p, f->out.w, f->job.design->d);
        wrong += (g > 0) != (f->rows.y[i] == f->job.prepare->positive);
    }
    return wrong;
}

/* Without an intercept the reason may be the origin. Both verdicts are cheap for data of this size; larger data, and a
 * search that takes longer than this, get the general advice. */
static int explain_origin(hsp_text *t, const hsp_fit *f, bool *known, hsp_error **err) {
    enum { MOST_VALUES = 1000000 };
    static const double SECONDS = 5;
    hsp_verdict here = HSP_UNDECIDED, free = HSP_UNDECIDED;
    int status = HSP_OK;
    if (f->job.data->x.stored <= MOST_VALUES && !f->job.prepare->factor) {
        double deadline = hsp_clock_seconds() + SECONDS;
        status = hsp_fit_verdict(f, 0, true, deadline, &here, err);
        if (!status && here != HSP_SEPARABLE) status = hsp_fit_verdict(f, 0, false, deadline, &free, err);
    }
    bool absent = here == HSP_NOT_SEPARABLE || here == HSP_TOUCHING;
    *known = here == HSP_SEPARABLE || absent;
    if (absent && free == HSP_SEPARABLE)
        hsp_text_add(t, "; the classes are linearly separable only with an intercept, and --intercept none leaves it out: use "
                        "--intercept free");
    else if (absent)
        hsp_text_add(t, "; no hyperplane through the origin separates the classes: see `halfspace inspect`");
    else if (here == HSP_SEPARABLE)
        hsp_text_add(t, "; a hyperplane through the origin separates the classes: raise the limit");
    else
        hsp_text_add(t, "; the classes may not be linearly separable through the origin: see `halfspace inspect`, or use "
                        "--intercept free");
    return status;
}

/* *known: no other advice is needed. */
static int perceptron(hsp_text *t, const hsp_fit *f, const hsp_outcome *o, bool *known, hsp_error **err) {
    static const char *const kept[] = {"last", "best", "averaged"};
    int64_t wrong = mistakes(f, o->end.error);
    if (o->stop == HSP_STOP_NO_MISTAKES) {
        hsp_text_format(t,
                        "the perceptron stopped, but %" PRId64 " of %" PRId64
                        " rows are misclassified: --update-on %s does not count scores of 0 as mistakes%s",
                        wrong, f->job.design->n, hsp_options_text(f->job.options, "update-on"),
                        f->form.rules.start == HSP_START_ZERO ? ", so weights of 0 never change; use --init one-over-d"
                                                              : "");
        return HSP_OK;
    }
    hsp_text_format(t,
                    "the perceptron did not converge in %" PRId64 " epoch%s: %s; the %s weights make %" PRId64
                    " mistake%s in %" PRId64 " rows",
                    o->epochs, o->epochs == 1 ? "" : "s", hsp_stop_sentence(hsp_stop_name(o->stop)),
                    kept[f->form.rules.keep], wrong, wrong == 1 ? "" : "s", f->job.design->n);
    *known = o->epochs == 0 || o->stop == HSP_STOP_CANCELLED; /* before a full pass nothing speaks against separability */
    if (*known) return HSP_OK;
    if (hsp_options_is(f->job.options, "intercept", "none")) return explain_origin(t, f, known, err);
    hsp_text_add(t, "; the classes may not be linearly separable: see `halfspace inspect`");
    return HSP_OK;
}

static void perceptron_classes(hsp_text *t, const hsp_fit *f) {
    int64_t failed = 0;
    for (int64_t k = 0; k < f->out.outputs; k++) failed += !f->out.results[k].outcome.converged;
    hsp_text_format(t,
                    "the perceptron did not converge for %" PRId64 " of %" PRId64
                    " classes: they may not be linearly separable from the rest%s: see `halfspace inspect`",
                    failed, f->out.outputs,
                    hsp_options_is(f->job.options, "intercept", "none") ? " without an intercept" : "");
}

/* A percentage with two digits, rounded up, as the program prints certificates. */
static double two_digits_up(double percent) {
    if (!(percent > 0)) return 0;
    double unit = pow(10, 1 - floor(log10(percent)));
    return ceil(percent * unit * (1 - 1e-12)) / unit; /* the product may exceed a whole number by its rounding error */
}

static void descent(hsp_text *t, const hsp_fit *f) {
    hsp_stop stop = hsp_fit_stop(f);
    double gap = hsp_fit_certificate(f).relative_gap;
    if (stop == HSP_STOP_DIVERGED) {
        hsp_text_format(t, "%s diverged (kept the best weights): use a smaller --learning-rate", f->job.classifier->name);
        return;
    }
    bool early = stop == HSP_STOP_EARLY;
    hsp_text_format(t, "%s %s: %s", f->job.classifier->name, early ? "stopped early" : "did not converge",
                    hsp_stop_sentence(hsp_stop_name(stop)));
    if (gap < 0.5) { /* the objective exceeds the optimum by at most (P - D)/D; for larger gaps that bound is useless */
        hsp_text_add(t, "; the objective is at most ");
        hsp_text_number(t, two_digits_up(100 * gap / (1 - gap)));
        hsp_text_add(t, " % above the optimum");
    }
    if (early) hsp_text_add(t, "; to continue, set --max-epochs or --tol");
    bool idle = false;
    for (int64_t k = 0; k < f->out.problems; k++) {
        const hsp_outcome *o = &f->out.results[k].outcome;
        idle |= o->at_start && o->updates > 0;
    }
    if (idle && hsp_classifier_takes(f->job.classifier, "learning-rate"))
        hsp_text_add(t, "; no update improved the initial weights: use a smaller --learning-rate");
}

/* Advises --scale if columns of very different scale were not scaled. Not for sparse data: there the spreads of rare and
 * common words differ, and that is normal. */
static int advise_scaling(hsp_text *t, const hsp_fit *f, hsp_error **err) {
    hsp_column_stats stats = {0};
    bool steps = hsp_classifier_takes(f->job.classifier, "learning-rate"); /* other methods do not depend on the scale */
    if (!steps || f->job.prepare->factor || !f->job.data->x.dense) return HSP_OK;
    if (hsp_column_stats_fit(&f->job.data->x, &stats)) return hsp_fail_memory(err);
    bool *counted = NULL;
    int status = hsp_prepare_quantities(f->job.prepare->encoding, &counted);
    double ratio = status ? 1 : hsp_scale_ratio(&stats, f->job.data->x.d, counted);
    hsp_column_stats_clear(&stats);
    hsp_free(counted);
    if (status) return hsp_fail_memory(err);
    if (ratio > 100) {
        hsp_text_add(t, "; --scale standard may help, as the standard deviations of the columns differ by a factor of ");
        hsp_text_number(t, round(ratio));
    }
    return HSP_OK;
}

/* Warns of a tolerance that nothing can be compared with. This depends on the result, so it is not an error. */
static void warn_of_tolerance(hsp_text *t, const hsp_fit *f) {
    if (!f->notes.solved || !f->form.penalty || hsp_fit_counts_mistakes(f)) return;
    bool known = !isnan(hsp_fit_certificate(f).relative_gap) || f->form.penalty->penalises || f->form.certified;
    if (!known && hsp_options_is_set(f->job.options, "tol"))
        hsp_text_add(t,
                     "--tol cannot be reached, as no dual bound is known here, so training ran to its other limits and the "
                     "exit code is 1: add --penalty l2\n");
}

void hsp_data_warn(const hsp_data *data, bool merged, hsp_text *t) {
    if (data->notes) {
        hsp_text_add(t, data->notes);
        hsp_text_char(t, '\n');
    }
    if (merged) return;
    hsp_text wrong = {0}, remedy = {0};
    int found = hsp_label_case_describe(data, &wrong, &remedy);
    if (found > 0) hsp_text_format(t, "%s: %s\n", wrong.s, remedy.s);
    if (found < 0) t->failed = true;
    hsp_text_free(&wrong);
    hsp_text_free(&remedy);
}

void hsp_warnings_log(const hsp_text *t, const hsp_hooks *hooks) {
    if (!hooks || hooks->size < offsetof(hsp_hooks, log) + sizeof hooks->log || !hooks->log || t->failed) return;
    for (int64_t i = 0; i < t->length;) {
        const char *s = t->s + i, *end = strchr(s, '\n');
        int64_t n = end ? end - s : t->length - i;
        hsp_text line = {0};
        hsp_text_add_n(&line, s, n);
        if (line.s && !line.failed) hooks->log(hooks->user, -1, line.s);
        hsp_text_free(&line);
        i += n + 1;
    }
}

int hsp_fit_warn(hsp_fit *f, hsp_error **err) {
    hsp_text *t = &f->notes.warnings;
    warn_of_tolerance(t, f);
    for (int64_t k = 0; f->rows.y && f->job.data->weight && k < f->job.prepare->classes.count; k++)
        if (hsp_fit_absent(f, k))
            hsp_text_format(t, "all rows of class '%s' have weight 0: it is never predicted\n",
                            f->job.prepare->classes.name[k]);
    if (!f->notes.iterative || f->out.infeasible || hsp_fit_converged(f)) return HSP_OK;
    if (hsp_fit_stop(f) == HSP_STOP_INFINITY) return HSP_OK; /* already warned of by hsp_fit_heed_infinity */
    bool known = false;
    int status = HSP_OK;
    if (!hsp_fit_counts_mistakes(f))
        descent(t, f);
    else if (f->out.outputs > 1)
        perceptron_classes(t, f);
    else
        status = perceptron(t, f, &f->out.results[0].outcome, &known, err);
    if (status) return status;
    /* Rows sorted by class and visited in that order train one class after the other. */
    if (f->rows.y && !known && hsp_classifier_takes(f->job.classifier, "order")) {
        int64_t changes = 0;
        for (int64_t i = 1; i < f->job.data->x.n; i++) changes += f->rows.y[i] != f->rows.y[i - 1];
        double error = 0;
        for (int64_t k = 0; k < f->out.problems; k++) error = fmax(error, f->out.results[k].outcome.end.error);
        bool sorted = changes < f->job.prepare->classes.count && f->job.data->x.n > 2 * f->job.prepare->classes.count;
        if (sorted && error > 0.1 && f->form.rules.order == HSP_ORDER_CYCLIC)
            hsp_text_add(t, "; --order shuffle may help, as the rows are sorted by class");
    }
    if (!known) status = advise_scaling(t, f, err);
    hsp_text_add(t, "\n");
    return status;
}
