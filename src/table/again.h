/* Data of a table once more: encoded as a model asks, or as is learnt from these rows alone. */
#ifndef HSP_TABLE_AGAIN_H
#define HSP_TABLE_AGAIN_H

#include "data/data.h"
#include "halfspace.h"
#include "table/encoding.h"

/* The same rows, labels and weights, their cells encoded by e. The data must have a frame, which stays with it.
 * HSP_EINPUT: its columns are not those of e. */
int hsp_data_encode_by(const hsp_data *data, hsp_encoding *e, int threads, hsp_data **out, hsp_error **err);
/* The same by what these rows teach; *out is NULL when that is how they are encoded already, or there is no frame. */
int hsp_data_learn_again(const hsp_data *data, int threads, hsp_data **out, hsp_error **err);

#endif
