/* Labels that differ only in case: YES and yes are two classes, but hardly ever meant so. */
#ifndef HSP_PREPARE_LABEL_CASE_H
#define HSP_PREPARE_LABEL_CASE_H

#include "base/text.h"
#include "data/data.h"

/* Describes such labels of the data: what is wrong ("labels 'YES' (3 rows) and 'yes' (40) differ only in case") and what to do
 * ("use --map-label YES=yes"). 1: there are some; 0: none; HSP_EMEMORY. */
int hsp_label_case_describe(const hsp_data *data, hsp_text *wrong, hsp_text *remedy);

#endif
