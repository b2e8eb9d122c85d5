/* Encodes a table as data, with the encoding of a model or one learnt from its rows. */
#ifndef HSP_READ_READ_TABLE_H
#define HSP_READ_READ_TABLE_H

#include "data/data.h"
#include "data/table_frame.h"
#include "halfspace.h"
#include "read/reader.h"

/* The rows of the frame as data, which takes the frame over and sets *frame to NULL when it needs it. assumed: the reader's
 * line, to which the encoding of the columns is added. */
int hsp_read_table(hsp_frame **frame, const hsp_options *o, const hsp_read_for *model, const hsp_builder_rules *rules,
                   const char *assumed, hsp_data **out, hsp_error **err);

#endif
