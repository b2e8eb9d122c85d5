/* perceptron: mistake-driven updates; options select the variants. perceptron_solver.c has the update rule. */
#include "classifier/classifier.h"
#include "fit/fit.h"
#include "fit/fit_solve.h"
#include "loss/loss.h"
#include "penalty/penalty.h"
#include "solve/loop/solver.h"

#include <math.h>

/* From a start at zero every rate gives the same sequence of mistakes; 1 keeps the weights readable. */
static int fit_perceptron(hsp_fit *f, hsp_error **err) {
    f->form.loss = &hsp_loss_perceptron;
    f->form.penalty = hsp_penalty_find("none");
    f->form.solver = f->job.classifier->solver;
    if (isnan(f->form.rules.rate)) f->form.rules.rate = 1;
    return hsp_fit_solve(f, err);
}

static const char *const defaults[] = {"order", "cyclic", "learning-rate", "1", NULL};

const hsp_classifier hsp_classifier_perceptron = {
    .name = "perceptron",
    .help = "Rosenblatt's perceptron: w += eta y x on every mistake, until an epoch makes none",
    .options = HSP_OPTIONS_RUN " order update-on",
    .defaults = defaults,
    .solver = &hsp_solver_perceptron,
    .one_vs_rest = true,
    .iterates = true,
    .fit = fit_perceptron};
