/* Algorithms that need nothing but the moments of the classes: they are asked for, and the classifier of training in memory
 * does the rest. */
#include "base/error.h"
#include "base/memory.h"
#include "drive/drive.h"
#include "drive/method.h"
#include "drive/moment_rounds.h"
#include "fit/fit.h"
#include "moments/class_moments.h"
#include "option/options.h"

#include <string.h>

static int check_rules(const hsp_fit *f, hsp_error **err) {
    const hsp_options *o = f->job.options;
    if (hsp_options_is(o, "shrinkage", "auto"))
        return hsp_fail(err, HSP_EUSAGE,
                        "--shrinkage auto needs all rows at once and is not known over parts: give a number from 0 to 1");
    if (hsp_options_is(o, "threshold", "best"))
        return hsp_fail(err, HSP_EUSAGE,
                        "--threshold best needs all rows at once and is not known over parts: use midpoint or prior");
    return HSP_OK;
}

/* The moments of all classes in one round, or with `each` the scatter of each class in a round of its own. */
static int take_moments(hsp_drive *d, bool scatter, bool each, double *memory, hsp_given_moments *out, hsp_error **err) {
    int64_t K = d->agreed.groups, columns = d->rows.features, square = columns * columns;
    double *mass = memory, *rows = memory + K, *mean = memory + 2 * K, *S = mean + K * columns;
    *out = (hsp_given_moments){.mass = mass, .rows = rows, .mean = mean};
    int status = hsp_drive_ask_moments(d, scatter && !each, mass, rows, mean, S, err);
    if (!status && scatter && !each) out->within = S;
    for (int64_t k = 0; !status && each && k < K; k++) status = hsp_drive_ask_scatter(d, k, S + k * square, err);
    if (each) out->scatter = S;
    return status;
}

static int fit_moments(hsp_drive *d, bool scatter, bool each, hsp_error **err) {
    hsp_fit *f = &d->fit;
    int64_t K = d->agreed.groups, columns = d->rows.features, square = scatter ? columns * columns : 0;
    hsp_given_moments given;
    int status = check_rules(f, err);
    if (!status && scatter) status = hsp_class_moments_check_memory(columns, err);
    if (status) return status;
    double *memory = hsp_alloc(2 * K + K * columns + (each ? K : 1) * square, sizeof *memory);
    if (!memory) return hsp_fail_memory(err);
    status = take_moments(d, scatter, each, memory, &given, err);
    f->job.moments = &given;
    if (!status) status = f->job.classifier->fit(f, err);
    f->job.moments = NULL;
    hsp_free(memory);
    return status;
}

int hsp_drive_fit_means(hsp_drive *d, hsp_error **err) {
    return fit_moments(d, false, false, err);
}

int hsp_drive_fit_lda(hsp_drive *d, hsp_error **err) {
    return fit_moments(d, true, false, err);
}

/* The classes may have different divisors. */
int hsp_drive_fit_fisher(hsp_drive *d, hsp_error **err) {
    return fit_moments(d, true, d->prepare.classes.count == 2, err);
}
