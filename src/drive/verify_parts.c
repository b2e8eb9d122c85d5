/* hsp_verify_parts: what a model claims about its rows, computed again. The parts sum losses and multipliers in double-double
 * (part/answer_check.c), and the bound follows from the definitions (checked_bound.c). Where a loss does not give the
 * multipliers, the hinge, one step of the solver proposes some; whatever they are, only what is summed of them counts. */
#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "drive/checked_bound.h"
#include "drive/descent.h"
#include "drive/drive.h"
#include "drive/drive_problem.h"
#include "drive/parts_report.h"
#include "loss/loss.h"
#include "model/model.h"
#include "model/objective.h"
#include "option/choices.h"
#include "part/barrier_loss.h"
#include "part/request.h"
#include "prepare/prepare.h"
#include "problem/problem.h"
#include "solve/loop/stop.h"

#include <math.h>
#include <string.h>

typedef struct verification {
    hsp_drive d;
    const hsp_model *m;
    hsp_loss loss;
    int64_t *positive; /* owned: the class of +1 of each output */
    double *scratch;   /* owned */
    double objective, bound;
    bool checked; /* there is an objective */
    hsp_json j;
    bool verified;
} verification;

/* ---- rounds ---- */

/* The model's loss with its parameter; false: there is none that parts know. */
static bool find_loss(const hsp_model *m, hsp_loss *out) {
    const hsp_loss *loss = m->objective.loss ? hsp_loss_find(m->objective.loss) : NULL;
    if (!loss || m->objective.hard) return false;
    if ((loss->traits & HSP_LOSS_MANY) && (loss->traits & HSP_LOSS_KINKED)) return false; /* no step proposes its multipliers */
    *out = loss->with && !isnan(m->objective.parameter) ? loss->with(m->objective.parameter) : *loss;
    return true;
}

/* One round at the model's point, or with multipliers that the step v predicts for a barrier of weight t. */
static int ask_check(verification *v, const double *w, const double *b, const double *step, const double *step0, double t,
                     hsp_error **err) {
    const hsp_model *m = v->m;
    hsp_request q = {.ask = HSP_ASK_CHECK,
                     .problem = {.loss = &v->loss,
                                 .outputs = m->outputs,
                                 .joint = m->objective.joint,
                                 .positive = m->objective.joint || m->prepare.regression ? NULL : v->positive},
                     .at = {.w = w, .b = b, .v = step, .v0 = step0, .steps = step ? &t : NULL, .step_count = step != NULL,
                            .C = m->objective.C}};
    return hsp_drive_ask(&v->d, &q, err);
}

static hsp_checked checked_of(const verification *v) {
    const hsp_objective *o = &v->m->objective;
    const char *intercept = o->intercept ? o->intercept : "free";
    return (hsp_checked){.outputs = v->m->outputs,
                         .d = v->d.rows.features,
                         .joint = o->joint,
                         .unbounded = isinf(v->loss.dual_low) && isinf(v->loss.dual_high),
                         .free = strcmp(intercept, "free") == 0,
                         .penalised = strcmp(intercept, "penalised") == 0,
                         .C = o->C,
                         .rho = o->l1_share,
                         .shift = v->m->prepare.shift,
                         .factor = v->m->prepare.factor,
                         .sums = v->d.sums};
}

static void add_bounds(verification *v) {
    hsp_checked c = checked_of(v);
    v->bound = 0;
    for (int64_t k = 0; k < (c.joint ? 1 : c.outputs); k++) v->bound += hsp_checked_bound(&c, k, v->scratch);
}

static bool is_absent(const verification *v, int64_t k) {
    return v->m->outputs > 1 && !v->m->objective.joint && v->d.agreed.rows[k] == 0;
}

static void add_objectives(verification *v) {
    hsp_checked c = checked_of(v);
    bool penalised = strcmp(v->m->objective.penalty, "none") != 0;
    double *none = penalised ? NULL : v->scratch;
    for (int64_t j = 0; none && j < c.outputs * c.d; j++) none[j] = 0;
    v->objective = 0;
    for (int64_t k = 0; k < (c.joint ? 1 : c.outputs); k++)
        if (!is_absent(v, k)) v->objective += hsp_checked_objective(&c, k, none ? none : v->m->w, v->m->b);
    if (penalised) add_bounds(v);
}

/* ---- multipliers of the hinge ---- */

static bool stop_after_step(hsp_descent *s, void *ctx) {
    (void)ctx;
    for (int64_t k = 0; k < s->p->figures; k++) hsp_drive_outcome(s->p, k)->stop = HSP_STOP_MAX_EPOCHS;
    return false;
}

/* The weight of the barrier that the claimed gap stands for. */
static double barrier_of(const verification *v, const hsp_drive_problem *p) {
    double gap = v->m->certificate.relative_gap;
    return fmax(1e-12, (gap > 0 ? gap : 1e-4) * 0.3 * v->objective / (2 * p->C * p->sum_c * (double)p->figures));
}

/* Weights of the columns as they are become those of the scaled columns. */
static void scale_point(const hsp_model *m, double *theta) {
    const hsp_prepare *p = &m->prepare;
    int64_t d = p->schema.d;
    for (int64_t j = 0; p->factor && j < d; j++) {
        if (p->shift) theta[d] += p->shift[j] * theta[j];
        theta[j] /= p->factor[j];
    }
}

static int propose_multipliers(verification *v, hsp_error **err) {
    const hsp_model *m = v->m;
    hsp_checked c = checked_of(v);
    hsp_drive_problem p = {0};
    hsp_descent s = {0};
    const hsp_intercept intercept = c.free ? HSP_INTERCEPT_FREE : c.penalised ? HSP_INTERCEPT_PENALISED : HSP_INTERCEPT_NONE;
    v->d.rows.shift = m->prepare.shift; /* the step is one of the problem that was solved */
    v->d.rows.factor = m->prepare.factor;
    int status = hsp_drive_pose_as(&v->d, &v->loss, c.C, intercept, m->outputs, &p, err);
    double t = status ? 1 : barrier_of(v, &p), *w = NULL;
    hsp_loss barrier = hsp_loss_barrier.with(t);
    p.loss = &barrier;
    v->d.fit.form.rules.tol = -1;
    v->d.fit.out.results = hsp_alloc_zero(m->outputs, sizeof *v->d.fit.out.results);
    if (!status && !v->d.fit.out.results) status = hsp_fail_memory(err);
    for (int64_t k = 0; !status && k < m->outputs; k++) {
        double *theta = p.theta + k * p.size;
        memcpy(theta, m->w + k * p.d, (size_t)p.d * sizeof *theta);
        theta[p.d] = m->b[k];
        scale_point(m, theta);
        if (is_absent(v, k)) hsp_drive_outcome(&p, k)->stop = HSP_STOP_CLOSED_FORM;
    }
    if (!status) status = hsp_descent_new(&p, hsp_drive_by_hessians(&p), &s, err);
    if (!status) status = hsp_descent_run(&s, stop_after_step, NULL, err);
    int64_t all = m->outputs * p.d;
    if (!status && !(w = hsp_alloc(2 * (all + m->outputs), sizeof *w))) status = hsp_fail_memory(err);
    for (int64_t k = 0; !status && k < m->outputs; k++) {
        const hsp_climb *climb = &s.climb[k];
        double *at = w + k * p.d, *step = w + all + m->outputs + k * p.d;
        memcpy(at, climb->trial, (size_t)p.d * sizeof *w);
        memcpy(step, climb->step, (size_t)p.d * sizeof *w);
        w[all + k] = climb->trial[p.d];
        w[2 * all + m->outputs + k] = climb->step[p.d];
        if (m->prepare.factor) hsp_prepare_unscale(&m->prepare, at, &w[all + k]);
        if (m->prepare.factor) hsp_prepare_unscale(&m->prepare, step, &w[2 * all + m->outputs + k]);
    }
    v->d.rows.shift = v->d.rows.factor = NULL;
    if (!status) status = ask_check(v, w, w + all, w + all + m->outputs, w + 2 * all + m->outputs, t, err);
    if (!status) add_bounds(v);
    hsp_free(w);
    hsp_descent_clear(&s);
    hsp_drive_problem_clear(&p);
    return status;
}

static int check_objective(verification *v, hsp_error **err) {
    v->checked = find_loss(v->m, &v->loss);
    v->bound = NAN;
    if (!v->checked) return HSP_OK;
    int64_t K = v->m->outputs;
    if (!HSP_ALLOC(v->scratch, (2 * K + 1) * v->d.rows.features) || !HSP_ALLOC(v->positive, K)) return hsp_fail_memory(err);
    for (int64_t k = 0; k < K; k++) v->positive[k] = K == 1 ? v->m->prepare.positive : k;
    int status = ask_check(v, v->m->w, v->m->b, NULL, NULL, 0, err);
    if (status) return status;
    add_objectives(v);
    bool proposed = !(v->loss.traits & (HSP_LOSS_SMOOTH | HSP_LOSS_MANY)); /* of kinked losses of several scores: by none */
    return !proposed || isnan(v->bound) ? HSP_OK : propose_multipliers(v, err);
}

/* ---- the report ---- */

static void add_check(verification *v, const char *what, double claimed, double found, bool ok) {
    hsp_json_object(&v->j, NULL);
    hsp_json_string(&v->j, "what", what);
    hsp_json_number(&v->j, "claimed", claimed);
    hsp_json_number(&v->j, "found", found);
    hsp_json_bool(&v->j, "ok", ok);
    hsp_json_object_end(&v->j);
    v->verified = v->verified && ok;
}

static void add_checks(verification *v) {
    static const double SAME = 1e-9, NEAR = 1.5; /* of objectives; of gaps by other multipliers */
    const hsp_certificate *c = &v->m->certificate;
    double gap = (v->objective - v->bound) / fmax(fabs(v->objective), 1e-300);
    bool enough = gap <= c->tolerance || gap <= NEAR * c->relative_gap + SAME;
    hsp_json_array(&v->j, "checks");
    add_check(v, "rows", (double)v->m->rows, (double)v->d.agreed.count, v->m->rows == v->d.agreed.count);
    add_check(v, "data_hash", NAN, NAN, v->m->data_hash == v->d.agreed.hash);
    if (v->checked && !isnan(c->objective))
        add_check(v, "objective", c->objective, v->objective, fabs(v->objective - c->objective) <= SAME * fabs(c->objective));
    if (v->checked && !isnan(c->relative_gap)) add_check(v, "relative_gap", c->relative_gap, gap, enough);
    hsp_json_array_end(&v->j);
    hsp_json_number(&v->j, "objective", v->checked ? v->objective : NAN);
    hsp_json_number(&v->j, "dual_bound", v->bound);
    hsp_json_number(&v->j, "relative_gap", gap);
    hsp_json_array(&v->j, "unchecked");
    if (!v->checked) hsp_json_string(&v->j, NULL, "the weights of a closed form");
    hsp_json_array_end(&v->j);
}

static int write_verification(verification *v, double seconds, hsp_report **report, hsp_error **err) {
    v->verified = true;
    hsp_json_object(&v->j, NULL);
    add_checks(v);
    hsp_json_bool(&v->j, "verified", v->verified);
    hsp_json_number(&v->j, "seconds", seconds);
    hsp_parts_write(&v->d, &v->j);
    hsp_json_object_end(&v->j);
    return hsp_json_take(&v->j, report, err);
}

int hsp_verify_parts(const hsp_model *m, const hsp_engine *engine, const hsp_options *o, const hsp_hooks *hooks,
                     hsp_report **report, hsp_error **err) {
    verification v = {.m = m, .d = {.engine = engine, .fit = {.job = {.hooks = hooks, .begun = hsp_clock_seconds()}}}};
    double begun = hsp_clock_seconds();
    (void)o;
    *report = NULL;
    if (!engine || engine->size < sizeof *engine || !engine->ask)
        return hsp_fail(err, HSP_EUSAGE, "the engine has no function `ask`: set it, and size to sizeof(hsp_engine)");
    if (m->network) return hsp_model_no_weights(m, err);
    int status = hsp_drive_agree_with(&v.d, m, err);
    if (!status) status = check_objective(&v, err);
    if (!status) status = write_verification(&v, hsp_clock_seconds() - begun, report, err);
    hsp_json_drop(&v.j);
    HSP_FREE(v.positive, v.scratch, v.d.fit.out.results);
    hsp_drive_clear(&v.d);
    return status;
}
