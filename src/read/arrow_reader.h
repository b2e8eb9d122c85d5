/* Tables by the Arrow C data interface as a reader: the rules of a CSV file with a header, without text in between. */
#ifndef HSP_READ_ARROW_READER_H
#define HSP_READ_ARROW_READER_H

#include "data/schema.h"
#include "halfspace.h"
#include "read/reader.h"

#define HSP_ARROW_NAME "<arrow>" /* in place of a file's name */

/* Takes over the stream, also after a failure, and opens a reader; close it in any case. *own: the options with what the types
 * of the columns declare added (those with a dictionary of numbers or dates are categorical), for the caller to use and free;
 * NULL: as o. */
int hsp_arrow_open(struct ArrowArrayStream *stream, const hsp_options *o, const hsp_schema *known, hsp_options **own,
                   hsp_reading *g, hsp_error **err);

#endif
