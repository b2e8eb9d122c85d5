/* From a table to data: its columns become features, as a model asks or as its rows teach. */
#ifndef HSP_READ_READ_TABLE_H
#define HSP_READ_READ_TABLE_H

#include "data/data.h"
#include "data/table_frame.h"
#include "halfspace.h"
#include "read/reader.h"

/* The rows of the frame as data. The frame is taken over, and left NULL, when the data is to keep it. `assumed`, what the
 * reader said, is followed by what became of the columns. */
int hsp_read_table(hsp_frame **frame, const hsp_options *o, const hsp_read_for *model, const hsp_builder_rules *rules,
                   const char *assumed, hsp_data **out, hsp_error **err);

#endif
