/* The solver of a fit, where the user leaves it to us. */
#include "base/error.h"
#include "fit/fit.h"
#include "option/options.h"
#include "solve/loop/choose.h"
#include "solve/loop/solver.h"

#include <inttypes.h>
#include <math.h>

/* The weight of a row of weight 1, as hsp_problem_new has it. */
static double weight_of_losses(const hsp_fit *f) {
    double C = hsp_options_real(f->o, "C", NAN), lambda = hsp_options_real(f->o, "lambda", NAN);
    if (!f->penalty->penalises) return 1;
    return !isnan(lambda) ? 1 / (lambda * (double)f->rows) : isnan(C) ? 1 : C;
}

/* A matrix of the columns that would take hours, or more memory than there is. */
static int check_columns(const hsp_fit *f, int64_t outputs, hsp_error **err) {
    enum { MOST = 12000 };
    bool newton = f->solver == &hsp_solver_newton, interior = f->solver == &hsp_solver_interior_point;
    int64_t size = f->design->d * outputs;
    if (size <= MOST || !(newton || interior)) return HSP_OK;
    return hsp_fail(err, HSP_EUSAGE,
                    "solver '%s' works with a matrix of %" PRId64 " x %" PRId64
                    " numbers here: use %s, or leave --solver out",
                    f->solver->name, size, size, newton ? "newton-cg" : "dual");
}

int hsp_fit_choose_solver(hsp_fit *f, int64_t outputs, hsp_error **err) {
    bool automatic = hsp_options_is(f->o, "solver", "auto");
    if (automatic) {
        hsp_facts facts = hsp_facts_of(f->design, f->loss, weight_of_losses(f), f->rules.tol);
        facts.outputs = outputs;
        facts.penalised = f->penalty->penalises;
        facts.l1 = facts.penalised && (f->penalty->mixed || f->penalty->l1 > 0);
        hsp_solver_choice choice = hsp_choose(&facts);
        f->solver = choice.first;
        f->rules.next = choice.next;
        for (int k = 0; k < HSP_MOST_SPARE; k++) f->rules.spare[k] = choice.spare[k];
    }
    hsp_fit_say(f, "solver %s%s: %" PRId64 " rows, %" PRId64 " columns (%s), %" PRId64 " output%s", f->solver->name,
                automatic ? " (chosen)" : "", f->design->n, f->design->d, f->data->x.dense ? "dense" : "sparse", f->outputs,
                f->outputs == 1 ? ""
                : outputs > 1   ? "s in one problem"
                                : "s, one problem each");
    return check_columns(f, outputs, err);
}
