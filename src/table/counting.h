/* Columns of numbers that only count the rows, told where no profile is made: in a file of numbers alone. */
#ifndef HSP_TABLE_COUNTING_H
#define HSP_TABLE_COUNTING_H

#include "data/data.h"

/* Sets data->notes, in the words that tables have for it, when a column ascends from row to row by whole numbers with few
 * gaps. Only data whose builder looked at the ranges of columns; of those, only columns whose range is about n are read,
 * and no farther than they ascend. 0 or HSP_EMEMORY. */
int hsp_note_counting(hsp_data *data);

#endif
