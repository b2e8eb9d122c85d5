/* Training whose optimum is proven and verified. */
#ifndef TESTS_PROVEN_OBJECTIVE_H
#define TESTS_PROVEN_OBJECTIVE_H

#include "trained.h"
#include "verify/claim/verify.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Trains; the objective, which must be proven to 1e-8 and be that of verify. */
static inline double proven_objective(const hsp_data *data, const char *const *pairs) {
    trained t = train(data, pairs);
    assert_int_equal(t.status, HSP_OK);
    assert_true(figure(&t, "relative_gap") <= 1e-8);
    double objective = figure(&t, "objective");
    hsp_verified v;
    assert_int_equal(hsp_verify_model(t.model, data, &v, NULL), HSP_OK);
    assert_true(fabs(v.objective - objective) <= 1e-12 * objective && v.bound <= v.objective);
    trained_free(&t);
    return objective;
}

#endif
