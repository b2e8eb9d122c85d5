/* Newton steps by conjugate gradients: a round for each product, shared by all problems. */
#include "drive/descent.h"

#include "kernel/kernel.h"

#include <math.h>

enum { MOST = 200 };

/* The vectors of one problem. */
typedef struct vectors {
    double *x, *r, *v, *Av;
    double rr, stop; /* |r|^2, and the one to reach */
} vectors;

static vectors vectors_of(const hsp_descent *s, int64_t f) {
    int64_t size = s->p->size;
    double *m = s->cg + 4 * f * size;
    return (vectors){.x = s->climb[f].step, .r = m, .v = m + size, .Av = m + 2 * size};
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
        v->r[j] = v->v[j] = -s->climb[f].gradient[j];
    }
    v->rr = hsp_dot_f64(v->r, v->r, s->p->size);
    double share = forcing(s->p, f);
    v->stop = share * share * v->rr;
}

/* One iteration with the product of v; false: the residual is small enough, or rounding ends it. */
static bool advance(const hsp_drive_problem *p, vectors *v) {
    for (int64_t j = 0; j < p->size; j++) {
        double ridge = hsp_drive_ridge(p, j);
        v->Av[j] = ridge < 0 ? 0 : p->C * v->Av[j] + ridge * v->v[j];
    }
    double curve = hsp_dot_f64(v->v, v->Av, p->size), before = v->rr;
    if (!(curve > 0) || !isfinite(curve)) return false;
    hsp_axpy_f64(before / curve, v->v, v->x, p->size);
    hsp_axpy_f64(-before / curve, v->Av, v->r, p->size);
    v->rr = hsp_dot_f64(v->r, v->r, p->size);
    for (int64_t j = 0; j < p->size; j++) v->v[j] = v->r[j] + v->rr / before * v->v[j];
    return v->rr > v->stop;
}

int hsp_descent_by_products(hsp_descent *s, int64_t count, hsp_error **err) {
    hsp_drive_problem *p = s->p;
    int status = HSP_OK;
    enum { AT_ONCE = 64 };
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
            hsp_drive_check_limits(p);
            for (int64_t k = 0; !status && k < left; k++)
                if (advance(p, &all[running[k]]) && !hsp_drive_outcome(p, which[k])->stop) running[still++] = running[k];
            left = still;
        }
    }
    return status;
}
