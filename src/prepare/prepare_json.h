/* What was learnt, as JSON: how it stands in the header of a model. The numbers of the scaling travel as arrays beside it.
 */
#ifndef HSP_PREPARE_PREPARE_JSON_H
#define HSP_PREPARE_PREPARE_JSON_H

#include "base/json.h"
#include "halfspace.h"
#include "prepare/prepare.h"

/* Writes the members classes, positive, labels and merged (when classes were merged), scale and schema into the object that
 * is open in j; the member `task` is the caller's to write. */
void hsp_prepare_save(const hsp_prepare *p, hsp_json *j);
/* Reads them back; `room` bounds the number of features (what the file has place for). shift and factor stay NULL: the
 * caller fills them in when `scale` asks for them. `file` is for errors. */
int hsp_prepare_load(const json_t *header, int64_t room, const char *file, hsp_prepare *out, hsp_error **err);

#endif
