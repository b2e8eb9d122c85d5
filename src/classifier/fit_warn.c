/* What a fit warns of, in plain words: one line for a run that did not converge, with what would help. */
#include "classifier/classifier.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void perceptron(hsp_text *t, const hsp_fit *f, const hsp_outcome *o) {
    static const char *const kept[] = {"last", "best", "averaged"};
    int64_t wrong = (int64_t)llround(o->end.error * (double)f->design->n);
    if (strcmp(o->stop, "no-mistakes") == 0)
        hsp_text_format(t,
                        "the perceptron stopped without a mistake by its rule, yet %" PRId64 " of %" PRId64
                        " rows are on the wrong side: a start at zero never moves with --update-on negative, use --init "
                        "one-over-d",
                        wrong, f->design->n);
    else
        hsp_text_format(t,
                        "the perceptron did not converge in %" PRId64 " epochs (stopped by %s; the %s weights make %" PRId64
                        " mistake%s in %" PRId64 " rows): the classes may not be linearly separable",
                        o->epochs, o->stop, kept[f->rules.keep], wrong, wrong == 1 ? "" : "s", f->design->n);
}

static void perceptron_classes(hsp_text *t, const hsp_fit *f) {
    int64_t failed = 0;
    for (int64_t k = 0; k < f->outputs; k++) failed += !f->results[k].outcome.converged;
    hsp_text_format(t,
                    "the perceptron did not converge for %" PRId64 " of %" PRId64
                    " classes: they may not be linearly separable from the rest",
                    failed, f->outputs);
}

static void descent(hsp_text *t, const hsp_fit *f) {
    const char *stop = hsp_fit_stop(f);
    double gap = hsp_fit_certificate(f).relative_gap;
    if (strcmp(stop, "diverged") == 0) {
        hsp_text_format(
            t, "%s diverged (the best weights met are kept): the steps are too long, try a smaller --learning-rate",
            f->classifier->name);
        return;
    }
    hsp_text_format(t, "%s did not converge (stopped by %s", f->classifier->name, stop);
    if (gap < 0.5) { /* (P - D)/D is what it may lie above the optimum; past this the bound says nothing useful */
        hsp_text_add(t, "; the objective is at most ");
        hsp_text_number(t, ceil(gap / (1 - gap) * 1e6) / 1e4);
        hsp_text_add(t, " % above the best possible");
    }
    hsp_text_add(t, ")");
}

/* What would help when columns of very unlike scale were used as they are. Not for sparse data: there unlike spreads are
 * those of rare and common words, and no fault. */
static int advise_scaling(hsp_text *t, const hsp_fit *f, hsp_error **err) {
    hsp_column_stats stats = {0};
    if (f->prepare->factor || !f->data->x.dense) return HSP_OK;
    if (hsp_column_stats_fit(&f->data->x, &stats)) return hsp_fail_memory(err);
    double ratio = hsp_scale_ratio(&stats, f->data->x.d);
    hsp_column_stats_clear(&stats);
    if (ratio > 100) {
        hsp_text_add(t, "; --scale standard would help, the spreads of the columns differ by a factor of ");
        hsp_text_number(t, round(ratio));
    }
    return HSP_OK;
}

int hsp_fit_warn(hsp_fit *f, hsp_error **err) {
    hsp_text *t = &f->warnings;
    bool given = hsp_options_is_set(f->o, "C") || hsp_options_is_set(f->o, "lambda");
    if (given && f->penalty && !f->penalty->penalises)
        hsp_text_add(t, "C and lambda have no effect without a penalty: add --penalty l2\n");
    if (!f->iterative || hsp_fit_converged(f)) return HSP_OK;
    if (!f->solver->counts_mistakes)
        descent(t, f);
    else if (f->outputs > 1)
        perceptron_classes(t, f);
    else
        perceptron(t, f, &f->results[0].outcome);
    int status = advise_scaling(t, f, err);
    hsp_text_add(t, "\n");
    return status;
}
