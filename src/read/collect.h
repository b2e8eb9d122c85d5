/* All rows of a file: pieces are parsed by all threads and put together in order, in a builder or in a frame. */
#ifndef HSP_READ_COLLECT_H
#define HSP_READ_COLLECT_H

#include "data/data.h"
#include "data/table_frame.h"
#include "halfspace.h"
#include "read/reader.h"

typedef struct hsp_collect {
    hsp_reading *reading;
    hsp_builder *builder; /* takes the rows, unless there is ... */
    hsp_frame *frame;     /* ... the frame of a table; NULL: none */
    const char *file;
    bool quote_met; /* set: it may be that quotes are plain characters in this file, which ended it */
    bool word_met;  /* set: a cell holds no number, which ended it; as a table the file may do */
} hsp_collect;

int hsp_collect_rows(hsp_collect *to, int threads, hsp_error **err);

#endif
