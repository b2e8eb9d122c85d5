/* A perceptron on rows of unit length, for up to 2 seconds: it separates most data that have a fair margin. */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/rng.h"
#include "data/matrix.h"
#include "design/design.h"
#include "separate/search.h"

#include <math.h>

enum { EPOCHS = 100 };
static const double SECONDS = 2;
/* On many rows an epoch is worth a test of the progress: after 8, 16, 32, ... epochs the errors of an epoch must be fewer than
 * this share of those at half the time. On classes that overlap they stay the same. */
enum { FIRST_TEST = 8, MANY_ROWS = 5000 };
static const double FALLING = 0.8;

typedef struct trial {
    const hsp_cone *c;
    int64_t *order, count;
    double *v;    /* p */
    double *tile; /* d */
    double *m;    /* n: updates on each row */
} trial;          /* owns its arrays */

static int64_t run_epoch(trial *t) {
    const hsp_cone *c = t->c;
    int64_t wrong = 0;
    for (int64_t k = 0; k < t->count; k++) {
        int64_t i = t->order[k];
        hsp_row r = hsp_design_row(c->design, i, t->tile);
        double g = c->rho[i] * (hsp_row_dot(r, t->v) + (c->free ? t->v[c->d] : 0));
        if (g > 0) continue;
        hsp_row_axpy(c->rho[i], r, t->v);
        if (c->free) t->v[c->d] += c->rho[i];
        t->m[i]++;
        wrong++;
    }
    return wrong;
}

static int run_epochs(hsp_search *s, trial *t, hsp_error **err) {
    hsp_rng rng = hsp_rng_new(s->limits->seed, 77);
    double until = hsp_clock_seconds() + SECONDS;
    int64_t wrong = 1, epoch = 0, tested = FIRST_TEST, before = INT64_MAX;
    bool accepted = false, falling = true;
    int status = HSP_OK;
    while (!status && !accepted && falling && epoch < EPOCHS && hsp_clock_seconds() < until && !hsp_search_stop(s)) {
        hsp_rng_shuffle(&rng, t->order, t->count);
        wrong = run_epoch(t);
        if (++epoch == tested) {
            falling = t->count < MANY_ROWS || (double)wrong < FALLING * (double)before;
            before = wrong;
            tested *= 2;
        }
        if (wrong > 0) continue;
        hsp_cone_lift(t->c, t->v, NULL, t->tile);
        status = hsp_search_plane(s, t->tile, "perceptron", &accepted, err);
        if (!accepted) break; /* without errors the weights no longer change */
    }
    if (accepted)
        hsp_search_log(s, "a perceptron finds a hyperplane in %lld epochs", (long long)epoch);
    else
        hsp_search_log(s, "a perceptron misclassifies %lld rows after %lld epochs", (long long)wrong, (long long)epoch);
    return status;
}

int hsp_search_perceptron(hsp_search *s, hsp_error **err) {
    hsp_cone_frame f;
    int64_t n = s->q->x->n, d = s->q->x->d;
    int status = hsp_frame_make(s->q, &f, err);
    hsp_cone c = {0};
    trial t = {.c = &c};
    if (!status && f.finite) {
        c = hsp_frame_cone(&f, s->q->origin);
        if (!HSP_ALLOC(t.order, n + 1) || !HSP_ALLOC_ZERO(t.v, c.p + 1) || !HSP_ALLOC(t.tile, d + 1) ||
            !HSP_ALLOC_ZERO(t.m, n + 1))
            status = hsp_fail_memory(err);
        for (int64_t i = 0; !status && i < n; i++)
            if (c.rho[i] != 0) t.order[t.count++] = i;
        if (!status) status = run_epochs(s, &t, err);
        for (int64_t i = 0; !status && !s->decided && i < n; i++) t.m[i] *= fabs(c.rho[i]);
        if (!status && !s->decided) status = hsp_search_bound(s, t.m, err);
    }
    HSP_FREE(t.order, t.v, t.tile, t.m);
    hsp_frame_clear(&f);
    return status;
}
