/* Warns about columns that count the rows, in files of numbers only; tables find them by their profile. */
#ifndef HSP_TABLE_COUNTING_H
#define HSP_TABLE_COUNTING_H

#include "data/data.h"

/* Sets data->notes if a column ascends from row to row by whole numbers with few gaps. It is cheap: it needs the ranges of
 * the columns, and reads only columns whose range is about n, as far as they ascend. 0 or HSP_EMEMORY. */
int hsp_note_counting(hsp_data *data);

#endif
