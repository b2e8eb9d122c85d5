/* Checks that the rounded weights of a hard margin still satisfy y g >= 1 for every row. */
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/matrix.h"
#include "fit/fit.h"
#include "fit/hard_margin.h"
#include "kernel/kernel.h"
#include "prepare/prepare.h"
#include "problem/problem.h"
#include "solve/loop/run.h"
#include "solve/loop/stop.h"
#include "verify/proof/proof.h"

#include <math.h>
#include <string.h>

/* The least margin y g over the rows of positive weight, for weights in original units, in long double. */
static double least_margin(const hsp_fit *f, int64_t k, const double *w, double b) {
    long double least = INFINITY;
    int64_t plus = f->out.outputs == 1 ? f->job.prepare->positive : k;
    for (int64_t i = 0; i < f->job.data->x.n; i++) {
        if (f->rows.c && f->rows.c[i] == 0) continue;
        hsp_row x = hsp_matrix_row(&f->job.data->x, i);
        long double g = b;
        for (int64_t e = 0; e < x.count; e++) g += (long double)w[hsp_row_id(x, e)] * (long double)hsp_row_value(x, e);
        long double m = f->rows.y[i] == plus ? g : -g;
        least = m < least ? m : least;
    }
    return (double)(least < 1 ? least - 1e-18L : 1); /* rounding must not hide a shortfall */
}

/* The least margin of output k with its weights in original units, as they will be written. */
static double written_margin(const hsp_fit *f, int64_t k, double *written) {
    double b = f->out.b[k];
    memcpy(written, f->out.w + k * f->job.design->d, (size_t)f->job.design->d * sizeof *written);
    hsp_prepare_unscale(f->job.prepare, written, &b);
    return least_margin(f, k, written, b);
}

/* Whether the weights in `written` classify every row correctly in double precision, as predictions are made. */
static bool predicts_all(const hsp_fit *f, int64_t k, const double *written) {
    double b = f->out.b[k];
    int64_t plus = f->out.outputs == 1 ? f->job.prepare->positive : k;
    const hsp_prepare *q = f->job.prepare;
    int64_t d = f->job.design->d;
    for (int64_t j = 0; q->shift && j < d; j++) b -= q->shift[j] * q->factor[j] * f->out.w[k * d + j];
    for (int64_t i = 0; i < f->job.data->x.n; i++) {
        hsp_row x = hsp_matrix_row(&f->job.data->x, i);
        double g = 0;
        for (int64_t e = 0; e < x.count; e++) g += written[hsp_row_id(x, e)] * hsp_row_value(x, e);
        g += b;
        if ((!f->rows.c || f->rows.c[i] > 0) && (g > 0) != (f->rows.y[i] == plus)) return false;
    }
    return true;
}

static void scale_output(hsp_fit *f, int64_t k, double factor) {
    hsp_scale_f64(factor, f->out.w + k * f->job.design->d, f->job.design->d);
    f->out.b[k] *= factor;
}

/* Replaces a plane that misclassifies rows after rounding by the plane of the proof, which separates them in exact
 * arithmetic. Scaling by powers of two is exact. */
static void take_plane_of_proof(hsp_fit *f, int64_t k, double *written) {
    const hsp_proof *p = &f->out.proofs[k];
    const hsp_prepare *q = f->job.prepare;
    double *w = f->out.w + k * f->job.design->d;
    f->out.b[k] = p->b;
    for (int64_t j = 0; j < f->job.design->d; j++) {
        w[j] = q->factor ? p->w[j] / q->factor[j] : p->w[j];
        if (q->shift) f->out.b[k] += p->w[j] * q->shift[j];
    }
    for (int tries = 0; tries < 40; tries++) {
        double least = written_margin(f, k, written);
        if (least >= 1 || !(least > 0)) break;
        scale_output(f, k, ldexp(1, 1 - ilogb(least)));
    }
    hsp_outcome *o = &f->out.results[k].outcome;
    double square = hsp_dot_f64(w, w, f->job.design->d);
    o->end.objective = square / 2;
    o->end.norm = sqrt(square);
    o->gap = hsp_relative_gap(o->end.objective, o->dual_bound);
    o->converged = o->gap <= f->form.rules.tol;
    if (!o->converged) o->stop = HSP_STOP_NO_PROGRESS;
}

int hsp_fit_clear_margin(hsp_fit *f, int64_t k, hsp_error **err) {
    double *written = hsp_alloc(f->job.design->d, sizeof *written), least = 0;
    if (!written) return hsp_fail_memory(err);
    for (int tries = 0; tries < 20; tries++) {
        least = written_margin(f, k, written);
        if (least >= 1 || !(least > 0)) break;
        scale_output(f, k, (1 + 2e-16 * (tries + 1)) / least);
    }
    if (!(least >= 1) && f->out.proofs[k].w) {
        take_plane_of_proof(f, k, written);
        least = written_margin(f, k, written);
    }
    if (!(least >= 1) || !predicts_all(f, k, written)) {
        hsp_outcome *o = &f->out.results[k].outcome;
        f->out.infeasible = true;
        *o = (hsp_outcome){.stop = HSP_STOP_NO_PROGRESS, .start = o->start, .end = o->start, .epochs = o->epochs};
        o->dual_bound = o->gap = NAN;
        hsp_text_add(
            &f->notes.warnings,
            "the classes are separable, but the margin is too small for weights in double precision: centre the columns\n");
    }
    hsp_free(written);
    return HSP_OK;
}
