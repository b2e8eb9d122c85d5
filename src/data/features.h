/* How the features of a data set come from the cells of a table, as far as data knows: something that data sets and models
 * share, and that goes when the last of them lets go. table/encoding.h implements it. */
#ifndef HSP_DATA_FEATURES_H
#define HSP_DATA_FEATURES_H

#include "data/schema.h"
#include "data/table_frame.h"
#include "halfspace.h"

#include <stdatomic.h>

typedef struct hsp_features hsp_features;

typedef struct hsp_features_type {
    const hsp_schema *(*columns)(hsp_features *self); /* of the table */
    /* The rows of a frame, whose columns are those: data without labels and weights, which holds `self`. The file is for
     * messages, and may be NULL. */
    int (*encode)(hsp_features *self, const hsp_frame *f, const char *file, int threads, hsp_data **out, hsp_error **err);
    /* What the rows of a frame teach, by the same rules and with the same kinds of columns. */
    int (*learn)(hsp_features *self, const hsp_frame *f, int threads, hsp_features **out, hsp_error **err);
    void (*free)(hsp_features *self);
} hsp_features_type;

struct hsp_features { /* the first member of what implements it */
    const hsp_features_type *type;
    atomic_int_fast64_t holders;
};

static inline hsp_features hsp_features_new(const hsp_features_type *type) {
    return (hsp_features){.type = type, .holders = 1};
}
/* One holder more; NULL is allowed. */
static inline hsp_features *hsp_features_hold(hsp_features *f) {
    if (f) atomic_fetch_add(&f->holders, 1);
    return f;
}
/* One holder less; NULL is allowed. */
static inline void hsp_features_release(hsp_features *f) {
    if (f && atomic_fetch_sub(&f->holders, 1) == 1) f->type->free(f);
}

/* The same rows, labels and weights, their cells encoded by f. The data must have a frame, which stays with it.
 * HSP_EINPUT: its columns are not those of f. */
int hsp_data_encode_by(const hsp_data *data, hsp_features *f, int threads, hsp_data **out, hsp_error **err);
/* The same by what these rows teach; *out is NULL when that is how they are encoded already, or there is no frame. */
int hsp_data_learn_again(const hsp_data *data, int threads, hsp_data **out, hsp_error **err);

#endif
