#include "solve/update/order.h"

#include "base/error.h"
#include "base/memory.h"

int hsp_order_init(hsp_order *o, hsp_ordering kind, int64_t n, uint64_t seed, uint64_t stream, hsp_error **err) {
    *o = (hsp_order){.kind = kind, .n = n, .rng = hsp_rng_new(seed, stream)};
    if (kind != HSP_ORDER_SHUFFLE) return HSP_OK;
    o->permutation = hsp_alloc(n, sizeof *o->permutation);
    if (!o->permutation) return hsp_fail_memory(err);
    for (int64_t i = 0; i < n; i++) o->permutation[i] = i;
    return HSP_OK;
}

int64_t hsp_order_next(hsp_order *o) {
    if (o->at == 0 && o->permutation) hsp_rng_shuffle(&o->rng, o->permutation, o->n);
    int64_t at = o->at++;
    if (o->kind == HSP_ORDER_RANDOM) return hsp_rng_below(&o->rng, o->n);
    return o->permutation ? o->permutation[at] : at;
}

int64_t hsp_order_ahead(const hsp_order *o, int64_t ahead) {
    bool known = o->permutation && o->at > 0 && o->at + ahead < o->n; /* the first of an epoch shuffles */
    return known ? o->permutation[o->at + ahead] : -1;
}

bool hsp_order_wrap(hsp_order *o) {
    if (o->at < o->n) return false;
    o->at = 0;
    return true;
}

void hsp_order_free(hsp_order *o) {
    hsp_free(o->permutation);
}
