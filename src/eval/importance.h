/* evaluate --importance: permutation importance (Breiman, Machine Learning 45, 2001). The cells of one column are shuffled
 * among the rows, and a metric is measured again: its increase says how much the model relies on the column. A column of a
 * table is shuffled as a whole, so that all features that are made of it move together. */
#ifndef HSP_EVAL_IMPORTANCE_H
#define HSP_EVAL_IMPORTANCE_H

#include "base/advance.h"
#include "base/json.h"
#include "data/data.h"
#include "halfspace.h"
#include "model/model.h"

/* Writes the member importance: null unless the option asks for it. data: encoded, with valid labels or targets. */
int hsp_importance_report(const hsp_model *m, const hsp_data *data, const hsp_options *o, hsp_advance *advance, hsp_json *j,
                          hsp_error **err);

#endif
