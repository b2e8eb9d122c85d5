/* A thing that several hold: it goes when the last one lets go. Its struct begins with an hsp_shared. */
#ifndef HSP_BASE_SHARED_H
#define HSP_BASE_SHARED_H

#include <stdatomic.h>
#include <stdint.h>

typedef struct hsp_shared {
    atomic_int_fast64_t holders;
    void (*free)(struct hsp_shared *self);
} hsp_shared;

static inline void hsp_shared_begin(hsp_shared *s, void (*release)(hsp_shared *)) {
    atomic_init(&s->holders, 1);
    s->free = release;
}

/* One holder more; NULL is allowed. */
static inline hsp_shared *hsp_shared_hold(hsp_shared *s) {
    if (s) atomic_fetch_add(&s->holders, 1);
    return s;
}

/* One holder less; NULL is allowed. */
static inline void hsp_shared_release(hsp_shared *s) {
    if (s && atomic_fetch_sub(&s->holders, 1) == 1) s->free(s);
}

#endif
