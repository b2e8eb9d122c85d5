/* Columns far from 0: measured from their means, nothing is lost to their offsets. */
#include "base/memory.h"
#include "classifier/classifier.h"

#include <math.h>

/* Whether sums over the rows would lose digits to the columns' offsets: means of many spreads, or no spread at all. */
static bool far_away(const hsp_column_stats *s, int64_t d) {
    for (int64_t j = 0; j < d; j++)
        if (fabs(s->mean[j]) > 100 * s->sd[j]) return true;
    return false;
}

int hsp_fit_recentre(hsp_fit *f, hsp_recentred *c, hsp_error **err) {
    const hsp_prepare *p = f->prepare;
    int64_t d = f->design->d;
    if (!f->data->x.dense || p->shift || !hsp_options_is(f->o, "intercept", "free")) return HSP_OK;
    if (hsp_column_stats_fit(&f->data->x, &c->stats)) return hsp_fail_memory(err);
    if (!far_away(&c->stats, d)) return HSP_OK;
    c->shift = hsp_alloc(d, sizeof *c->shift);
    c->factor = hsp_alloc(d, sizeof *c->factor);
    if (!c->shift || !c->factor) return hsp_fail_memory(err);
    for (int64_t j = 0; j < d; j++) {
        c->shift[j] = c->stats.min[j] == c->stats.max[j] ? c->stats.min[j] : c->stats.mean[j];
        c->factor[j] = p->factor ? p->factor[j] : 1;
    }
    int status = hsp_design_new(&f->data->x, c->shift, c->factor, f->design->threads, &c->design, err);
    if (status) return status;
    c->before = f->design;
    f->design = c->design;
    return HSP_OK;
}

/* Back: the offsets as they are in the columns' own places. */
void hsp_fit_restore(hsp_fit *f, hsp_recentred *c) {
    if (c->before) {
        f->design = c->before;
        for (int64_t k = 0; k < f->outputs; k++)
            for (int64_t j = 0; j < f->design->d; j++) f->b[k] -= c->shift[j] * c->factor[j] * f->w[k * f->design->d + j];
    }
    hsp_design_free(c->design);
    hsp_free(c->shift);
    hsp_free(c->factor);
    hsp_column_stats_clear(&c->stats);
}
