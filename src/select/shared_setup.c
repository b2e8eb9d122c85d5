#include "select/shared_setup.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/folds.h"
#include "fit/fit.h"
#include "fit/fit_solve.h"
#include "option/options.h"
#include "penalty/penalty.h"
#include "prepare/class_numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- do they apply? ---- */

/* An algorithm whose fits can share a design. */
typedef struct sharer {
    const char *name, *loss;
    const char *joint; /* the method for all classes together, the name of its loss, ... */
    const char *joint_loss;
    bool joint_first; /* ... and whether that is the default */
    bool box;         /* losses with a box as dual, by --loss; penalty l2 alone */
} sharer;

static const sharer sharers[] = {
    {"logistic", "logistic", "softmax", "softmax", true, false},
    {"svm", "hinge", "crammer-singer", "crammer_singer", false, true},
};

static const sharer *find_sharer(const hsp_options *o) {
    for (size_t k = 0; k < sizeof sharers / sizeof *sharers; k++)
        if (hsp_options_is(o, "algorithm", sharers[k].name)) return &sharers[k];
    return NULL;
}

/* Options that every fit may share. C, lambda and tol are replaced; the last three have no effect on scores. */
static const char *const shared[] = {"algorithm",    "loss",     "penalty",        "l1-ratio", "intercept",
                                     "class-weight", "positive", "multiclass",     "delta",    "C",
                                     "lambda",       "tol",      "no-certificate", NULL};

static bool is_shared(const char *name) {
    for (const char *const *s = shared; *s; s++)
        if (strcmp(*s, name) == 0) return true;
    return false;
}

/* No training option is set that needs single fits. */
static bool options_apply(const hsp_options *o) {
    for (int64_t i = 0; i < hsp_option_table_size; i++) {
        const hsp_option *p = &hsp_option_table[i];
        bool training = strcmp(p->group, "train") == 0 || strcmp(p->group, "run") == 0;
        if (!training || !hsp_options_is_set(o, p->name) || is_shared(p->name)) continue;
        bool plain = strcmp(p->name, "scale") == 0 && hsp_options_is(o, "scale", "none");
        bool automatic = strcmp(p->name, "solver") == 0 && hsp_options_is(o, "solver", "auto");
        if (!plain && !automatic) return false;
    }
    return true;
}

static bool data_apply(const hsp_data *data) {
    return data->y && !data->target && !data->features && !data->frame && !data->refusal;
}

/* ---- loss and penalty ---- */

/* Sets loss, penalty, intercept and outputs; false: hsp_train is to explain what is wrong with them. */
static bool take_form(hsp_shared_setup *u, const sharer *a) {
    const hsp_options *o = u->s->o;
    const char *multiclass = hsp_options_text(o, "multiclass"), *penalty = hsp_options_text(o, "penalty");
    const char *loss = hsp_options_text(o, "loss");
    bool ovr = multiclass && strcmp(multiclass, "ovr") == 0;
    if (multiclass && !ovr && strcmp(multiclass, a->joint) != 0) return false;
    u->joint = u->outputs > 1 && !ovr && (multiclass || a->joint_first);
    u->problems = u->joint ? 1 : u->outputs;
    if (loss && (!a->box || u->joint)) return false;
    const hsp_loss *l = u->joint ? hsp_loss_find(strcmp(a->joint_loss, "softmax") == 0 ? "softmax" : "crammer-singer")
                                 : hsp_loss_find(loss ? loss : a->loss);
    if (!l || (a->box && !u->joint && l->dual_shape != HSP_DUAL_BOX)) return false;
    if (!l->option && hsp_options_is_set(o, "delta")) return false;
    if (l->option) {
        u->own = l->with(hsp_options_real(o, l->option, l->parameter));
        l = &u->own;
    }
    const hsp_penalty *p = hsp_penalty_find(penalty ? penalty : "l2");
    if (!p || !p->penalises || (a->box && strcmp(p->name, "l2") != 0)) return false;
    if (!p->mixed && hsp_options_is_set(o, "l1-ratio")) return false;
    u->spec = (hsp_problem_spec){.loss = l,
                                 .penalty = p,
                                 .intercept = (hsp_intercept)hsp_options_choice(o, "intercept"),
                                 .l1_ratio = hsp_options_real(o, "l1-ratio", 0.5),
                                 .C = NAN,
                                 .lambda = NAN,
                                 .outputs = u->joint ? u->outputs : 1};
    return true;
}

/* ---- classes and weights ---- */

static int take_classes(hsp_shared_setup *u, bool *applies, hsp_error **err) {
    const hsp_data *data = u->s->data;
    hsp_error *reason = NULL;
    int status = hsp_prepare_fit(data, u->s->o, &u->prepare, &reason);
    hsp_error_free(reason);
    if (status == HSP_EMEMORY) return hsp_fail_memory(err);
    *applies = status == HSP_OK;
    if (status) return HSP_OK;
    u->classes = u->prepare.classes.count;
    u->outputs = u->classes <= 2 ? 1 : u->classes;
    u->y = data->y;
    if (!u->prepare.merged) return HSP_OK;
    u->merged = hsp_alloc(data->x.n, sizeof *u->merged);
    if (!u->merged) return hsp_fail_memory(err);
    for (int64_t i = 0; i < data->x.n; i++) u->merged[i] = u->prepare.merged[data->y[i]];
    u->y = u->merged;
    return HSP_OK;
}

static int take_class_weights(hsp_shared_setup *u, bool *applies, hsp_error **err) {
    const char *text = hsp_options_text(u->s->o, "class-weight");
    u->balanced = text && strcmp(text, "balanced") == 0;
    if (!text || u->balanced) return HSP_OK;
    u->class_weight = hsp_alloc(u->classes, sizeof *u->class_weight);
    if (!u->class_weight) return hsp_fail_memory(err);
    hsp_error *reason = NULL;
    int status = hsp_class_numbers(&u->prepare.classes, "class-weight", text, "a=2", u->class_weight, &reason);
    hsp_error_free(reason);
    if (status == HSP_EMEMORY) return hsp_fail_memory(err);
    *applies = status == HSP_OK;
    for (int64_t k = 0; !status && k < u->classes; k++) {
        if (isnan(u->class_weight[k])) u->class_weight[k] = 1;
        if (!(u->class_weight[k] > 0 && u->class_weight[k] <= 1e100)) *applies = false;
    }
    return HSP_OK;
}

/* Balanced: every class with training rows gets the same total weight, and the sum over all rows stays. */
static int balance_classes(const hsp_shared_setup *u, const hsp_shared_rows *r, double *weight) {
    double total = 0, present = 0;
    for (int64_t k = 0; k < u->classes; k++) weight[k] = 0;
    for (int64_t i = 0; i < u->s->data->x.n; i++) weight[u->y[i]] += r->c[i];
    for (int64_t k = 0; k < u->classes; k++) {
        total += weight[k];
        present += weight[k] > 0;
    }
    for (int64_t k = 0; k < u->classes; k++) weight[k] = weight[k] > 0 ? total / (present * weight[k]) : 1;
    return HSP_OK;
}

static void weigh_classes(const hsp_shared_setup *u, hsp_shared_rows *r, double *own) {
    const double *weight = u->class_weight;
    if (u->balanced) {
        balance_classes(u, r, own);
        weight = own;
    }
    for (int64_t k = 0; k < u->classes; k++) r->absent[k] = true;
    r->sum_c = 0;
    for (int64_t i = 0; i < u->s->data->x.n; i++) {
        if (r->c[i] == 0) continue;
        r->absent[u->y[i]] = false;
        if (weight) r->c[i] *= weight[u->y[i]];
        r->sum_c += r->c[i];
    }
}

int hsp_shared_rows_init(hsp_shared_rows *r, const hsp_shared_setup *u, int64_t fold, hsp_error **err) {
    const hsp_shared_fits *s = u->s;
    int64_t n = s->data->x.n;
    double *own = hsp_alloc(u->classes, sizeof *own);
    *r = (hsp_shared_rows){0};
    bool room = HSP_ALLOC_ZERO(r->c, n) && HSP_ALLOC(r->tested, n) && HSP_ALLOC(r->absent, u->classes) && own;
    if (room) {
        int64_t trained = hsp_folds_trained(s->folds, s->repeat, fold, r->tested);
        for (int64_t t = 0; t < trained; t++) r->c[r->tested[t]] = s->data->weight ? s->data->weight[r->tested[t]] : 1;
        r->tests = hsp_folds_tested(s->folds, s->repeat, fold, r->tested);
        weigh_classes(u, r, own);
    }
    hsp_free(own);
    return room ? HSP_OK : hsp_fail_memory(err);
}

void hsp_shared_rows_free(hsp_shared_rows *r) {
    HSP_FREE(r->c, r->tested, r->absent);
}

/* Two classes have training rows in each fold; all, for a loss of all together. */
static int check_folds(const hsp_shared_setup *u, bool *applies, hsp_error **err) {
    int status = HSP_OK;
    for (int64_t k = 0; !status && *applies && k < u->s->folds->count; k++) {
        hsp_shared_rows r;
        int64_t present = 0;
        status = hsp_shared_rows_init(&r, u, k, err);
        for (int64_t j = 0; !status && j < u->classes; j++) present += !r.absent[j];
        *applies = !status && present >= (u->joint ? u->classes : 2);
        hsp_shared_rows_free(&r);
    }
    return status;
}

void hsp_shared_targets(const hsp_shared_setup *u, int64_t k, double *y) {
    int64_t plus = u->outputs == 1 ? u->prepare.positive : k;
    for (int64_t i = 0; i < u->s->data->x.n; i++) y[i] = u->joint ? (double)u->y[i] : u->y[i] == plus ? 1 : -1;
}

/* ---- the values ---- */

static double strength(const hsp_shared_fits *s, int64_t i) {
    return s->C ? s->C[i] : 1 / s->lambda[i];
}

/* By C, equal ones by index. */
static int take_order(hsp_shared_setup *u, hsp_error **err) {
    const hsp_shared_fits *s = u->s;
    u->order = hsp_alloc(s->count > 0 ? s->count : 1, sizeof *u->order);
    if (!u->order) return hsp_fail_memory(err);
    for (int64_t i = 0; i < s->count; i++) {
        int64_t at = i;
        for (; at > 0 && strength(s, u->order[at - 1]) > strength(s, i); at--) u->order[at] = u->order[at - 1];
        u->order[at] = i;
    }
    return HSP_OK;
}

double hsp_shared_C(const hsp_shared_setup *u, int64_t i, double sum_c) {
    double value = strength(u->s, u->order[i]);
    return u->s->C ? value : value / sum_c;
}

/* C of every fold is a number that can be computed with. */
static bool values_apply(const hsp_shared_fits *s) {
    double n = (double)s->data->x.n;
    for (int64_t i = 0; i < s->count; i++) {
        double C = strength(s, i);
        if (!(C > 0 && C < 1e200 && C / n > 1e-200)) return false;
    }
    return true;
}

/* ---- the design ---- */

/* As in hsp_train, but centred by the means of all rows: with a free intercept that does not change the fits. */
static int take_centre(hsp_shared_setup *u, hsp_error **err) {
    hsp_fit f = {.job = {.data = u->s->data, .prepare = &u->prepare}};
    hsp_recentred about = {0};
    int status = hsp_options_copy(u->s->o, &f.job.options, err);
    if (!status) status = hsp_design_new(&u->s->data->x, NULL, NULL, u->s->threads, &f.job.design, err);
    if (!status) status = hsp_fit_recentre(&f, &about, err);
    if (!status) u->facts = hsp_facts_of(f.job.design, u->spec.loss, 1, u->s->tol);
    if (!status && about.design) {
        u->shift = about.shift;
        u->factor = about.factor;
        about.shift = about.factor = NULL;
    }
    hsp_fit_restore(&f, &about);
    hsp_design_free(f.job.design);
    hsp_options_free(f.job.options);
    return status;
}

int hsp_shared_design(const hsp_shared_setup *u, hsp_design **out, hsp_error **err) {
    return hsp_design_new(&u->s->data->x, u->shift, u->factor, 1, out, err);
}

/* ---- all ---- */

int hsp_shared_setup_init(hsp_shared_setup *u, const hsp_shared_fits *s, bool *applies, hsp_error **err) {
    const sharer *a = find_sharer(s->o);
    *u = (hsp_shared_setup){.s = s};
    *applies = a && options_apply(s->o) && data_apply(s->data) && values_apply(s) && s->tol > 0;
    if (!*applies) return HSP_OK;
    int status = take_classes(u, applies, err);
    if (!status && *applies) *applies = take_form(u, a);
    if (!status && *applies) status = take_class_weights(u, applies, err);
    if (!status && *applies) status = check_folds(u, applies, err);
    if (!status && *applies) status = take_order(u, err);
    if (!status && *applies) status = take_centre(u, err);
    u->facts.outputs = u->spec.outputs;
    u->facts.l1 = u->spec.penalty && (u->spec.penalty->mixed || u->spec.penalty->l1 > 0);
    return status;
}

void hsp_shared_setup_free(hsp_shared_setup *u) {
    hsp_prepare_clear(&u->prepare);
    HSP_FREE(u->merged, u->class_weight, u->order, u->shift, u->factor);
    *u = (hsp_shared_setup){0};
}
