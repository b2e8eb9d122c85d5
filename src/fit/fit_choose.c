/* The solver of a fit, where the user leaves it to us. */
#include "base/error.h"
#include "fit/fit.h"
#include "fit/fit_report.h"
#include "fit/fit_solve.h"
#include "option/options.h"
#include "solve/loop/choose.h"
#include "solve/loop/solver.h"

#include <inttypes.h>
#include <math.h>

/* The weight of a row of weight 1, as hsp_problem_new has it. */
static double weight_of_losses(const hsp_fit *f) {
    double C = hsp_options_real(f->job.options, "C", NAN), lambda = hsp_options_real(f->job.options, "lambda", NAN);
    if (!f->form.penalty->penalises) return 1;
    return !isnan(lambda) ? 1 / (lambda * (double)f->rows.count) : isnan(C) ? 1 : C;
}

/* A matrix of the columns that would take hours, or more memory than there is. */
static int check_columns(const hsp_fit *f, int64_t outputs, hsp_error **err) {
    enum { MOST = 12000 };
    const hsp_solver *s = f->form.solver;
    int64_t size = f->job.design->d * outputs;
    if (size <= MOST || !s->without_matrix) return HSP_OK;
    return hsp_fail(err, HSP_EUSAGE,
                    "solver '%s' works with a matrix of %" PRId64 " x %" PRId64
                    " numbers here: use %s, or leave --solver out",
                    s->name, size, size, s->without_matrix);
}

int hsp_fit_choose_solver(hsp_fit *f, int64_t outputs, hsp_error **err) {
    bool automatic = hsp_options_is(f->job.options, "solver", "auto");
    if (automatic) {
        hsp_facts facts = hsp_facts_of(f->job.design, f->form.loss, weight_of_losses(f), f->form.rules.tol);
        facts.outputs = outputs;
        facts.penalised = f->form.penalty->penalises;
        facts.l1 = facts.penalised && (f->form.penalty->mixed || f->form.penalty->l1 > 0);
        hsp_solver_choice choice = hsp_choose(&facts);
        f->form.solver = choice.first;
        f->form.rules.next = choice.next;
        for (int k = 0; k < HSP_MOST_SPARE; k++) f->form.rules.spare[k] = choice.spare[k];
    }
    hsp_fit_say(f, "solver %s%s: %" PRId64 " rows, %" PRId64 " columns (%s), %" PRId64 " output%s", f->form.solver->name,
                automatic ? " (chosen)" : "", f->job.design->n, f->job.design->d,
                f->job.data->x.dense ? "dense" : "sparse", f->out.outputs,
                f->out.outputs == 1 ? ""
                : outputs > 1   ? "s in one problem"
                                : "s, one problem each");
    return check_columns(f, outputs, err);
}
