/* Targets that are not classes: a quantity, or an identifier of each row. */
#ifndef HSP_PREPARE_TARGET_CHECK_H
#define HSP_PREPARE_TARGET_CHECK_H

#include "base/text.h"
#include "data/data.h"
#include "halfspace.h"

/* Whether the labels of the data are unlikely to be classes: numbers with fractions and more than 20 values, or more than 20
 * classes that exceed a tenth of the rows. A part of the rows is judged like the whole. Not if the options ask for
 * classification or group the classes (--positive). */
bool hsp_target_unlike_classes(const hsp_data *data, const hsp_options *o);
/* Describes such a target: what is wrong, and what to do. regresses: the chosen algorithm can predict numbers. 0 or
 * HSP_EMEMORY. */
int hsp_target_describe(const hsp_data *data, bool regresses, hsp_text *wrong, hsp_text *remedy);
/* HSP_EINPUT for such a target. */
int hsp_target_check(const hsp_data *data, const hsp_options *o, bool regresses, hsp_error **err);

#endif
