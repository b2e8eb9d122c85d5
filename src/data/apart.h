/* Which rows are test rows where rows belong together: groups go whole to one part, and of rows with times the latest are
 * tested by models of the earlier ones. */
#ifndef HSP_DATA_APART_H
#define HSP_DATA_APART_H

#include "base/rng.h"
#include "data/data.h"
#include "halfspace.h"

/* Sets test[i] for all rows: about `wanted` rows, so that each part has some. HSP_EINPUT: there is one group, or one time;
 * HSP_EUSAGE: both groups and times are given. */
int hsp_split_apart(const hsp_data *data, int64_t wanted, hsp_rng *rng, bool *test, hsp_error **err);

#endif
