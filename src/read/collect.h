/* Collects all rows of a file: pieces are parsed by all threads and added in order, to a builder or a frame. */
#ifndef HSP_READ_COLLECT_H
#define HSP_READ_COLLECT_H

#include "data/data.h"
#include "data/table_frame.h"
#include "halfspace.h"
#include "read/reader.h"

typedef struct hsp_collect {
    hsp_reading *reading;
    hsp_builder *builder; /* borrowed; used when there is no frame */
    hsp_frame *frame;     /* borrowed: of a table; NULL: none */
    hsp_sides *sides;     /* borrowed: groups and times; NULL: not wanted */
    const char *file;
    int64_t limit; /* bytes that the rows may take; 0: as many as the machine allows */
    bool quote_met; /* set when it failed and quotes may be plain characters in this file */
    /* Set when it failed at a cell of this feature, from 1, that is not a number: the file may be a table. */
    int64_t word_column;
} hsp_collect;

int hsp_collect_rows(hsp_collect *to, int threads, hsp_error **err);

#endif
