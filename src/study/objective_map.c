#include "study/objective_map.h"

#include "base/error.h"
#include "base/memory.h"
#include "model/objective.h"
#include "prepare/prepare.h"

#include <math.h>
#include <string.h>

static int copy_rows(const hsp_model *m, const hsp_data *data, hsp_objective_map *f, hsp_error **err) {
    int status = HSP_OK;
    for (int64_t i = 0; !status && i < f->n; i++) {
        status = hsp_data_row(data, i, f->x + i * f->d, err);
        if (status || data->target) {
            f->y[i] = data->target ? data->target[i] : 0;
            continue;
        }
        const char *label = data->classes.name[data->y[i]];
        f->y[i] = hsp_prepare_class(&m->prepare, label, (int64_t)strlen(label)) == m->prepare.positive ? 1 : -1;
    }
    return status;
}

static double lambda_of(const hsp_model *m, double mass) {
    const char *penalty = m->objective.penalty;
    return !penalty || strcmp(penalty, "none") == 0 ? 0 : 1 / (m->objective.C * mass);
}

int hsp_objective_map_new(const hsp_model *m, const hsp_data *data, hsp_objective_map *out, hsp_error **err) {
    const hsp_objective *o = &m->objective;
    const hsp_loss *loss = o->loss ? hsp_loss_find(o->loss) : NULL;
    *out = (hsp_objective_map){.n = data->x.n, .d = m->prepare.schema.d, .c = data->weight, .mass = (double)data->x.n};
    if (!loss || !loss->at || m->outputs != 1)
        return hsp_fail(err, HSP_EUSAGE, "the objective is not a sum of losses of one score: use another --loss");
    out->loss = loss->with && isfinite(o->parameter) ? loss->with(o->parameter) : *loss;
    if (out->c) out->mass = 0;
    for (int64_t i = 0; out->c && i < out->n; i++) out->mass += out->c[i];
    out->lambda = lambda_of(m, out->mass);
    out->rho = o->l1_share;
    out->intercept = !o->intercept || strcmp(o->intercept, "none") != 0;
    out->penalised = o->intercept && strcmp(o->intercept, "penalised") == 0;
    out->x = hsp_alloc(out->n * out->d, sizeof *out->x);
    out->y = hsp_alloc(out->n, sizeof *out->y);
    return out->x && out->y ? copy_rows(m, data, out, err) : hsp_fail_memory(err);
}

void hsp_objective_map_clear(hsp_objective_map *f) {
    HSP_FREE(f->x, f->y);
    f->x = f->y = NULL;
}

/* The mean loss, and its derivative in b. */
static hsp_loss_at mean_loss(const hsp_objective_map *f, const double *w, double b) {
    hsp_loss_at sum = {0, 0};
    for (int64_t i = 0; i < f->n; i++) {
        const double *x = f->x + i * f->d;
        double g = b + w[0] * x[0] + (f->d > 1 ? w[1] * x[1] : 0), c = f->c ? f->c[i] : 1;
        hsp_loss_at at = f->loss.at(&f->loss, f->y[i], g, HSP_KINK_OPEN);
        sum.value += c * at.value;
        sum.slope += c * at.slope;
    }
    return (hsp_loss_at){sum.value / f->mass, sum.slope / f->mass};
}

static double penalty_of(const hsp_objective_map *f, const double *w, double b) {
    double sum = f->penalised ? b * b / 2 : 0;
    for (int64_t j = 0; j < f->d; j++) sum += f->rho * fabs(w[j]) + (1 - f->rho) * w[j] * w[j] / 2;
    return f->lambda > 0 ? f->lambda * sum : 0;
}

double hsp_objective_map_at(const hsp_objective_map *f, const double *w, double b) {
    return mean_loss(f, w, b).value + penalty_of(f, w, b);
}

static double slope_in_b(const hsp_objective_map *f, const double *w, double b) {
    return mean_loss(f, w, b).slope + (f->penalised ? f->lambda * b : 0);
}

/* The objective is convex in b: its slope is bisected, after a bracket was found by doubling. */
static double best_intercept(const hsp_objective_map *f, const double *w) {
    double lo = -1, hi = 1;
    for (int k = 0; k < 60 && slope_in_b(f, w, lo) > 0; k++) lo *= 2;
    for (int k = 0; k < 60 && slope_in_b(f, w, hi) < 0; k++) hi *= 2;
    for (int k = 0; k < 60 && hi - lo > 1e-7 * fmax(1, fabs(hi)); k++) {
        double middle = lo + (hi - lo) / 2;
        *(slope_in_b(f, w, middle) > 0 ? &hi : &lo) = middle;
    }
    return lo + (hi - lo) / 2;
}

double hsp_objective_map_value(const hsp_objective_map *f, double u, double v, double *b) {
    const double w[2] = {u, f->d > 1 ? v : 0};
    double best = f->d == 1 ? v : f->intercept ? best_intercept(f, w) : 0;
    if (b) *b = best;
    return hsp_objective_map_at(f, w, best);
}
