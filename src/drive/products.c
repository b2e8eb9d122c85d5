/* Newton steps by preconditioned conjugate gradients: a round for each product, shared by all problems. */
#include "drive/descent.h"

#include "drive/precondition.h"

#include "kernel/kernel.h"

#include <math.h>
#include <string.h>

enum {
    MOST = 200, /* products of a step */
    FEW = 8     /* as long as steps take no more, their preconditioner is kept */
};

/* The vectors of one problem. */
typedef struct vectors {
    double *x, *r, *v, *Av, *z; /* z: the preconditioned residual */
    double rz, stop;            /* r.z, and the one to reach */
} vectors;

static vectors vectors_of(const hsp_descent *s, int64_t f) {
    int64_t size = s->p->size;
    double *m = s->cg + 4 * f * size;
    return (vectors){.x = s->climb[f].step, .r = m, .v = m + size, .Av = m + 2 * size, .z = m + 3 * size};
}

/* The residual must fall the more the nearer the optimum is. */
static double forcing(const hsp_drive_problem *p, int64_t f) {
    double gap = hsp_drive_outcome(p, f)->gap;
    return isnan(gap) ? 0.1 : fmin(0.25, fmax(1e-3, sqrt(fabs(gap))));
}

static void open_vectors(const hsp_descent *s, int64_t f, vectors *v) {
    *v = vectors_of(s, f);
    for (int64_t j = 0; j < s->p->size; j++) {
        v->x[j] = 0;
        v->r[j] = -s->climb[f].gradient[j];
    }
    hsp_precondition_apply(&s->precondition, f, v->r, v->z);
    memcpy(v->v, v->z, (size_t)s->p->size * sizeof *v->v);
    v->rz = hsp_dot_f64(v->r, v->z, s->p->size);
    double share = forcing(s->p, f);
    v->stop = share * share * v->rz;
}

/* One iteration with the product of v; false: the residual is small enough, or rounding ends it. */
static bool advance(const hsp_descent *s, int64_t f, vectors *v) {
    const hsp_drive_problem *p = s->p;
    for (int64_t j = 0; j < p->size; j++) {
        double ridge = hsp_drive_ridge(p, j);
        v->Av[j] = ridge < 0 ? 0 : p->C * v->Av[j] + ridge * v->v[j];
    }
    double curve = hsp_dot_f64(v->v, v->Av, p->size), before = v->rz;
    if (!(curve > 0) || !isfinite(curve)) return false;
    hsp_axpy_f64(before / curve, v->v, v->x, p->size);
    hsp_axpy_f64(-before / curve, v->Av, v->r, p->size);
    hsp_precondition_apply(&s->precondition, f, v->r, v->z);
    v->rz = hsp_dot_f64(v->r, v->z, p->size);
    for (int64_t j = 0; j < p->size; j++) v->v[j] = v->z[j] + v->rz / before * v->v[j];
    return v->rz > v->stop;
}

/* A new preconditioner where the last one was a poor one. */
static int renew(hsp_descent *s, int64_t count, hsp_error **err) {
    if (s->precondition.made && s->products <= FEW) return HSP_OK;
    for (int64_t k = 0; k < count; k++) s->at[k] = s->climb[s->which[k]].theta;
    return hsp_precondition_make(&s->precondition, s->which, count, s->at, err);
}

int hsp_descent_by_products(hsp_descent *s, int64_t count, hsp_error **err) {
    hsp_drive_problem *p = s->p;
    int status = renew(s, count, err);
    enum { AT_ONCE = 64 };
    s->products = 0;
    int64_t left, which[AT_ONCE];
    for (int64_t from = 0; !status && from < count; from += AT_ONCE) { /* problems at a time */
        vectors all[AT_ONCE];
        double *at[AT_ONCE], *way[AT_ONCE], *out[AT_ONCE];
        int64_t running[AT_ONCE];
        left = count - from < AT_ONCE ? count - from : AT_ONCE;
        for (int64_t k = 0; k < left; k++) {
            running[k] = k;
            open_vectors(s, s->which[from + k], &all[k]);
        }
        for (int round = 0; !status && left > 0 && round < MOST; round++) {
            for (int64_t k = 0; k < left; k++) {
                which[k] = s->which[from + running[k]];
                at[k] = s->climb[which[k]].theta;
                way[k] = all[running[k]].v;
                out[k] = all[running[k]].Av;
            }
            status = hsp_drive_product(p, which, left, at, way, out, err);
            int64_t still = 0;
            if (round >= s->products) s->products = round + 1;
            hsp_drive_check_limits(p);
            for (int64_t k = 0; !status && k < left; k++)
                if (advance(s, which[k], &all[running[k]]) && !hsp_drive_outcome(p, which[k])->stop)
                    running[still++] = running[k];
            left = still;
        }
    }
    return status;
}
