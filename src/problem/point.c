/* Points: allocation and copying. */
#include "problem/point.h"

#include "base/error.h"
#include "base/memory.h"

int hsp_point_new(int64_t outputs, int64_t d, hsp_point **out, hsp_error **err) {
    *out = NULL;
    hsp_point *p = hsp_alloc_zero(1, sizeof *p);
    if (!p) return hsp_fail_memory(err);
    *p = (hsp_point){.outputs = outputs, .d = d};
    p->w = hsp_alloc_zero(outputs * d, sizeof *p->w);
    p->b = hsp_alloc_zero(outputs, sizeof *p->b);
    if (!p->w || !p->b) {
        hsp_point_free(p);
        return hsp_fail_memory(err);
    }
    *out = p;
    return HSP_OK;
}

int hsp_point_add_alpha(hsp_point *p, int64_t n, hsp_error **err) {
    p->n = n;
    p->alpha = hsp_alloc_zero(n * p->outputs, sizeof *p->alpha);
    return p->alpha ? HSP_OK : hsp_fail_memory(err);
}

void hsp_point_copy(hsp_point *to, const hsp_point *from) {
    for (int64_t j = 0; j < from->outputs * from->d; j++) to->w[j] = from->w[j];
    for (int64_t k = 0; k < from->outputs; k++) to->b[k] = from->b[k];
}

void hsp_point_free(hsp_point *p) {
    if (!p) return;
    HSP_FREE(p->w, p->b, p->alpha, p);
}
