#include "base/owner.h"

#include "base/memory.h"

#include <stdatomic.h>

struct hsp_owner {
    atomic_int_fast64_t holders;
    void (*release)(void *user);
    void *user;
};

hsp_owner *hsp_owner_new(void (*release)(void *user), void *user) {
    hsp_owner *o = hsp_alloc_zero(1, sizeof *o);
    if (o) *o = (hsp_owner){.holders = 1, .release = release, .user = user};
    return o;
}

hsp_owner *hsp_owner_share(hsp_owner *o) {
    if (o) atomic_fetch_add(&o->holders, 1);
    return o;
}

void hsp_owner_drop(hsp_owner *o) {
    if (!o || atomic_fetch_sub(&o->holders, 1) > 1) return;
    if (o->release) o->release(o->user);
    hsp_free(o);
}
