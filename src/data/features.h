/* The encoding of a table's cells as features, as an interface: table/encoding.h implements it. Data sets and models share
 * it by reference counting. */
#ifndef HSP_DATA_FEATURES_H
#define HSP_DATA_FEATURES_H

#include "data/schema.h"
#include "data/table_frame.h"
#include "halfspace.h"

#include <stdatomic.h>

typedef struct hsp_features hsp_features;

typedef struct hsp_features_type {
    const hsp_schema *(*columns)(hsp_features *self); /* of the table */
    /* Encodes the rows of a frame with these columns: data without labels and weights, with a reference to `self`. The file
     * is for messages, and may be NULL. */
    int (*encode)(hsp_features *self, const hsp_frame *f, const char *file, int threads, hsp_data **out, hsp_error **err);
    /* Learns a new encoding from the rows of a frame, by the same rules and with the same kinds of columns. */
    int (*learn)(hsp_features *self, const hsp_frame *f, int threads, hsp_features **out, hsp_error **err);
    void (*free)(hsp_features *self);
} hsp_features_type;

struct hsp_features { /* the first member of an implementation */
    const hsp_features_type *type;
    atomic_int_fast64_t holders; /* reference count */
};

static inline hsp_features hsp_features_new(const hsp_features_type *type) {
    return (hsp_features){.type = type, .holders = 1};
}
/* Adds a reference; NULL is allowed. */
static inline hsp_features *hsp_features_hold(hsp_features *f) {
    if (f) atomic_fetch_add(&f->holders, 1);
    return f;
}
/* Drops a reference and frees f with the last one; NULL is allowed. */
static inline void hsp_features_release(hsp_features *f) {
    if (f && atomic_fetch_sub(&f->holders, 1) == 1) f->type->free(f);
}

/* The same rows, labels and weights with their cells encoded by f. The data must have a frame, which stays with them.
 * HSP_EINPUT: their columns are not those of f. */
int hsp_data_encode_by(const hsp_data *data, hsp_features *f, int threads, hsp_data **out, hsp_error **err);
/* The same with an encoding learnt from these rows. *out is NULL if they are encoded so already, or have no frame. */
int hsp_data_learn_again(const hsp_data *data, int threads, hsp_data **out, hsp_error **err);

#endif
