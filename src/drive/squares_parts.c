/* Least squares and ridge over parts: one round of moments, a factorisation, and rounds that measure the answer and correct its
 * rounding by the residuals of the rows. */
#include "base/error.h"
#include "base/memory.h"
#include "drive/drive.h"
#include "drive/drive_problem.h"
#include "drive/method.h"
#include "drive/moment_rounds.h"
#include "drive/round_watch.h"
#include "factor/factor.h"
#include "fit/fit.h"
#include "kernel/kernel.h"
#include "loss/loss.h"
#include "option/choices.h"
#include "option/options.h"
#include "penalty/penalty.h"
#include "solve/loop/run.h"
#include "solve/loop/stop.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The normal equations in the columns and, unless the intercept is free and eliminated by centring, a column of ones. */
typedef struct normal_system {
    hsp_drive_problem p;
    int64_t d, m;    /* columns; unknowns of the system */
    double *A;       /* m x m: scaled to a unit diagonal, then its factor or eigenvectors; owned, as all */
    double *scale;   /* m */
    double *e;       /* eigenvalues; NULL: the Cholesky factor is in A */
    double *mean;    /* d: centre, zeros unless the intercept is free */
    double *x, *step; /* figures x m, and m */
    double *target;   /* figures: the mean targets */
    double *class_mean, *mass, *rows;
} normal_system;

static void clear_system(normal_system *s) {
    hsp_drive_problem_clear(&s->p);
    HSP_FREE(s->A, s->scale, s->e, s->mean, s->x, s->step, s->target, s->class_mean, s->mass, s->rows);
}

static bool is_free(const normal_system *s) {
    return s->p.intercept == HSP_INTERCEPT_FREE;
}

/* ---- from moments to equations ---- */

/* The target of class k for output f. */
static double target_of(const normal_system *s, int64_t f, int64_t k) {
    return k == s->p.positive[f] ? 1 : -1;
}

/* A += mass (x - mean)(x - mean)' for a point x, without its own scatter. */
static void add_point(double *A, int64_t m, double mass, const double *x) {
    for (int64_t j = 0; j < m; j++) hsp_axpy_f64(mass * x[j], x, A + j * m, m);
}

/* The centre of all rows, and of the targets: figures numbers. */
static double centre_of(normal_system *s, double *target) {
    int64_t K = s->p.drive->agreed.groups, columns = s->d + s->p.drive->rows.targets;
    double total = 0;
    for (int64_t k = 0; k < K; k++) total += s->mass[k];
    for (int64_t k = 0; k < K; k++) hsp_axpy_f64(s->mass[k] / total, s->class_mean + k * columns, s->mean, s->d);
    for (int64_t f = 0; f < s->p.figures; f++) {
        target[f] = 0;
        for (int64_t k = 0; k < K; k++)
            target[f] += s->mass[k] / total * (s->p.positive ? target_of(s, f, k) : s->class_mean[s->d]);
    }
    return total;
}

/* From the scatter S within the groups: the system without ridge, and the right-hand sides. */
static void fill_system(normal_system *s, const double *S, const double *target) {
    int64_t K = s->p.drive->agreed.groups, d = s->d, m = s->m, columns = d + s->p.drive->rows.targets;
    bool numbers = !s->p.positive, centred = is_free(s);
    for (int64_t j = 0; j < d; j++) memcpy(s->A + j * m, S + j * columns, (size_t)d * sizeof *S);
    for (int64_t k = 0; k < K; k++) {
        const double *mean = s->class_mean + k * columns;
        for (int64_t j = 0; j < d; j++) s->step[j] = mean[j] - (centred ? s->mean[j] : 0);
        if (m > d) s->step[d] = 1;
        add_point(s->A, m, s->mass[k], s->step);
        for (int64_t f = 0; f < s->p.figures; f++) {
            double t = (numbers ? mean[d] : target_of(s, f, k)) - (centred ? target[f] : 0);
            hsp_axpy_f64(s->mass[k] * t, s->step, s->x + f * m, m);
        }
    }
    for (int64_t j = 0; numbers && j < d; j++) s->x[j] += S[d * columns + j];
}

static int ask_system(normal_system *s, hsp_error **err) {
    hsp_drive *d = s->p.drive;
    int64_t K = d->agreed.groups, columns = s->d + d->rows.targets, F = s->p.figures;
    double *S = hsp_alloc(columns * columns, sizeof *S);
    if (!S || !HSP_ALLOC(s->target, F) || !HSP_ALLOC(s->class_mean, K * columns) || !HSP_ALLOC(s->mass, K) ||
        !HSP_ALLOC(s->rows, K) || !HSP_ALLOC_ZERO(s->A, s->m * s->m) || !HSP_ALLOC(s->scale, s->m) ||
        !HSP_ALLOC_ZERO(s->mean, s->d) ||
        !HSP_ALLOC_ZERO(s->x, F * s->m) || !HSP_ALLOC(s->step, s->m + 1)) {
        hsp_free(S);
        return hsp_fail_memory(err);
    }
    int status = hsp_drive_ask_moments(d, true, s->mass, s->rows, s->class_mean, S, err);
    if (!status) {
        s->p.target_sum = centre_of(s, s->target) * s->target[0];
        fill_system(s, S, s->target);
    }
    hsp_free(S);
    return status;
}

/* ---- factor and solve ---- */

static int scale_system(normal_system *s, hsp_error **err) {
    int64_t m = s->m;
    for (int64_t j = 0; j < m; j++) {
        double ridge = s->p.plain ? 0 : 1, v = s->p.C * s->A[j * m + j] + ridge;
        if (!isfinite(v))
            return hsp_fail(err, HSP_EINPUT, "the values are too large to compute with: use other units");
        s->scale[j] = v > 0 ? 1 / sqrt(v) : 0;
        s->A[j * m + j] += ridge / s->p.C;
    }
    for (int64_t j = 0; j < m; j++)
        for (int64_t k = 0; k < m; k++) s->A[j * m + k] *= s->p.C * s->scale[j] * s->scale[k];
    for (int64_t j = 0; j < m; j++) s->A[j * m + j] = 1;
    return HSP_OK;
}

/* Cholesky where the system is regular, else its eigenvectors: the answer of least norm in the scaled columns. */
static int factor_system(normal_system *s, hsp_error **err) {
    static const double SINGULAR = 1e-12;
    int64_t m = s->m;
    double *copy = NULL, norm = hsp_matrix_norm1(s->A, m), rcond = 0;
    if (HSP_COPY(copy, s->A, m * m)) return hsp_fail_memory(err);
    if (hsp_cholesky(s->A, m) == 0) rcond = hsp_cholesky_rcond(s->A, m, norm);
    s->p.drive->fit.notes.method = rcond > SINGULAR ? "cholesky" : "pseudo-inverse";
    if (rcond > SINGULAR) {
        hsp_free(copy);
        return HSP_OK;
    }
    hsp_free(s->A);
    s->A = copy;
    s->e = hsp_alloc(m, sizeof *s->e);
    int status = s->e ? hsp_eigen(s->A, m, s->e) : HSP_EMEMORY;
    for (int64_t j = 0; !status && j < m; j++)
        if (!(s->e[j] > SINGULAR * s->e[m - 1])) s->e[j] = 0;
    if (!status) return HSP_OK;
    return hsp_factor_fail(status, "cannot compute the eigenvalues of the products: use -a ridge", err);
}

/* x becomes the solution for the right-hand side x, of the unscaled system C A. */
static void solve_system(const normal_system *s, double *x, double *scratch) {
    int64_t m = s->m;
    for (int64_t j = 0; j < m; j++) x[j] *= s->scale[j];
    if (!s->e) {
        hsp_cholesky_solve(s->A, m, x, 1);
    } else {
        memset(scratch, 0, (size_t)m * sizeof *scratch);
        for (int64_t j = 0; j < m; j++)
            if (s->e[j] > 0) hsp_axpy_f64(hsp_dot_f64(s->A + j * m, x, m) / s->e[j], s->A + j * m, scratch, m);
        memcpy(x, scratch, (size_t)m * sizeof *x);
    }
    for (int64_t j = 0; j < m; j++) x[j] *= s->scale[j];
}

/* ---- the answer ---- */

/* Moves the point of problem f by a step of the system. A free intercept follows: db = (of the residuals) - mean . dw. */
static void move_point(normal_system *s, int64_t f, const double *step, double rest) {
    double *theta = s->p.theta + f * s->p.size;
    hsp_axpy_f64(1, step, theta, s->d);
    if (is_free(s))
        theta[s->d] += rest - hsp_dot_f64(s->mean, step, s->d);
    else if (s->m > s->d)
        theta[s->d] += step[s->d];
}

/* Minus the gradient of P as a right-hand side of the system, and the mean residual. */
static double residual_of(const normal_system *s, const double *theta, const double *gradient, double *out) {
    double C = s->p.C, rest = -gradient[s->d] / s->p.sum_c;
    for (int64_t j = 0; j < s->m; j++) {
        double own = s->p.plain ? 0 : theta[j];
        out[j] = -C * gradient[j] - own + (is_free(s) ? C * gradient[s->d] * s->mean[j] : 0);
    }
    return rest;
}

/* One correction of all problems; *most: the largest step relative to its point. */
static void correct(normal_system *s, const hsp_measure *measure, double *most) {
    double *scratch = s->p.packed; /* no round is open */
    *most = 0;
    for (int64_t f = 0; f < s->p.figures; f++) {
        double *theta = s->p.theta + f * s->p.size, size = hsp_dot_f64(theta, theta, s->d);
        double rest = residual_of(s, theta, measure[f].gradient, s->step);
        solve_system(s, s->step, scratch);
        double ratio = size > 0 ? sqrt(hsp_dot_f64(s->step, s->step, s->d) / size) : 0;
        *most = fmax(*most, ratio);
        move_point(s, f, s->step, rest);
    }
}

static int measure_answer(normal_system *s, hsp_error **err) {
    enum { ROUNDS = 4 };
    int64_t F = s->p.figures, *which = hsp_alloc(F, sizeof *which);
    double **theta = hsp_alloc(F, sizeof *theta), step = 1, last = 1;
    hsp_measure *measure = hsp_alloc(F, sizeof *measure);
    int status = which && theta && measure ? HSP_OK : hsp_fail_memory(err);
    for (int64_t f = 0; !status && f < F; f++) {
        which[f] = f;
        theta[f] = s->p.theta + f * s->p.size;
    }
    for (int round = 0; !status && round < ROUNDS; round++) {
        status = hsp_drive_measure(&s->p, which, F, theta, false, measure, err);
        for (int64_t f = 0; !status && f < F; f++) hsp_drive_watch(&s->p, f, &measure[f], "closed-form");
        if (status || round == ROUNDS - 1) break;
        last = step;
        correct(s, measure, &step);
        if (step < 1e-12 || !(step < last / 2)) break; /* a correction this small needs no measure */
    }
    HSP_FREE(which, theta, measure);
    return status;
}

static int solve_squares(normal_system *s, hsp_error **err) {
    int status = ask_system(s, err);
    if (!status) status = scale_system(s, err);
    if (!status) status = factor_system(s, err);
    if (status) return status;
    for (int64_t f = 0; f < s->p.figures; f++) {
        double *x = s->x + f * s->m;
        hsp_scale_f64(s->p.C, x, s->m);
        solve_system(s, x, s->p.packed);
        move_point(s, f, x, s->target[f]);
    }
    return measure_answer(s, err);
}

/* ---- the fit ---- */

static int check_squares(const hsp_fit *f, bool ridge, hsp_error **err) {
    const hsp_options *o = f->job.options;
    const char *loss = hsp_options_text(o, "loss");
    if (ridge && loss && strcmp(loss, "squared") != 0)
        return hsp_fail(err, HSP_EUSAGE, "ridge over parts has only --loss squared, not %s: leave --loss out", loss);
    if (hsp_options_is(o, "lambda", "auto") || hsp_options_is(o, "loo", "yes"))
        return hsp_fail(err, HSP_EUSAGE,
                        "leave-one-out needs all rows at once and is not known over parts: %s",
                        hsp_options_is(o, "loo", "yes") ? "leave --loo out" : "give --lambda a number");
    if (!ridge && hsp_options_is(o, "intercept", "penalised"))
        return hsp_fail(err, HSP_EUSAGE,
                        "least-squares has no penalty: use --intercept free or --intercept none, or -a ridge");
    return HSP_OK;
}

static void keep_answer(hsp_drive *d, const hsp_drive_problem *p, bool ridge) {
    hsp_fit *f = &d->fit;
    for (int64_t k = 0; k < p->figures; k++) {
        hsp_outcome *o = &f->out.results[k].outcome;
        memcpy(f->out.w + k * p->d, p->theta + k * p->size, (size_t)p->d * sizeof(double));
        f->out.b[k] = p->theta[k * p->size + p->d];
        o->converged = !ridge || o->gap <= f->form.rules.tol;
        o->stop = o->converged ? HSP_STOP_CLOSED_FORM : HSP_STOP_NO_PROGRESS;
    }
    f->form.certified = ridge;
    f->notes.iterative = false;
}

static int fit_squares(hsp_drive *d, bool ridge, hsp_error **err) {
    hsp_fit *f = &d->fit;
    enum { MOST_COLUMNS = 12000 };
    normal_system s = {0};
    ridge = ridge && !hsp_options_is(f->job.options, "lambda", "0");
    f->form.loss = &hsp_loss_squared;
    f->form.penalty = hsp_penalty_find(ridge ? "l2" : "none");
    int status = check_squares(f, ridge, err);
    if (!status && d->rows.features > MOST_COLUMNS)
        status = hsp_fail(err, HSP_EUSAGE,
                          "%s over parts would need a matrix of %lld columns: use -a logistic, or fewer columns",
                          f->job.classifier->name, (long long)d->rows.features);
    if (!status) status = hsp_drive_pose(d, false, &s.p, err);
    if (!status) {
        s.d = s.p.d;
        s.m = s.p.intercept == HSP_INTERCEPT_PENALISED ? s.d + 1 : s.d;
        if (f->out.outputs > 1) f->form.multiclass = "ovr";
        hsp_drive_open_results(&s.p);
        status = solve_squares(&s, err);
    }
    if (!status) keep_answer(d, &s.p, ridge);
    clear_system(&s);
    return status;
}

int hsp_drive_fit_ridge(hsp_drive *d, hsp_error **err) {
    return fit_squares(d, true, err);
}

int hsp_drive_fit_least_squares(hsp_drive *d, hsp_error **err) {
    return fit_squares(d, false, err);
}
