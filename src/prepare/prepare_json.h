/* The preparation as JSON, in the header of a model. The model stores the scaling factors as arrays. */
#ifndef HSP_PREPARE_PREPARE_JSON_H
#define HSP_PREPARE_PREPARE_JSON_H

#include "base/json.h"
#include "base/json_value.h"
#include "halfspace.h"
#include "prepare/prepare.h"

/* Writes the members classes, positive, labels and merged (if classes were merged), scale, scaled (if only some features of a
 * table were) and schema into the object that is open in j; the caller writes `task`. */
void hsp_prepare_save(const hsp_prepare *p, hsp_json *j);
/* Reads them back, with at most `most` features (bounded by the size of the file). shift and factor stay NULL: the caller
 * sets them if `scale` needs them. `file` is for errors. */
int hsp_prepare_load(const hsp_json_value *header, int64_t most, const char *file, hsp_prepare *out, hsp_error **err);

#endif
