/* The start that --init gives as numbers: the weights of all columns as they were read, then the intercept. */
#include "base/error.h"
#include "base/memory.h"
#include "fit/fit.h"
#include "fit/fit_solve.h"
#include "option/options.h"

#include <inttypes.h>

static int refuse_count(const hsp_fit *f, int64_t given, bool intercept, hsp_error **err) {
    int64_t d = f->job.design->d, wanted = d + intercept;
    return hsp_fail(err, HSP_EUSAGE,
                    "--init has %" PRId64 " number%s, and there %s %" PRId64 " weight%s%s: give %" PRId64 " number%s", given,
                    given == 1 ? "" : "s", d == 1 ? "is" : "are", d, d == 1 ? "" : "s",
                    intercept ? " and an intercept" : " and no intercept", wanted, wanted == 1 ? "" : "s");
}

int hsp_fit_take_start(hsp_fit *f, hsp_error **err) {
    bool intercept = !hsp_options_is(f->job.options, "intercept", "none");
    hsp_free(f->form.start);
    f->form.start = NULL;
    int64_t count = hsp_options_numbers(f->job.options, "init", &f->form.start);
    if (count < 0) return hsp_fail_memory(err);
    if (count == 0) return HSP_OK;
    if (f->job.prepare->factor)
        return hsp_fail(err, HSP_EUSAGE,
                        "--init gives weights for the columns as they were read, and --scale changes them: leave one of the "
                        "two out");
    if (count != f->job.design->d + intercept) return refuse_count(f, count, intercept, err);
    f->form.rules.start = HSP_START_GIVEN;
    f->form.rules.given = f->form.start;
    return HSP_OK;
}
