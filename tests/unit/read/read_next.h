/* The pieces of a reading one after the other. */
#ifndef READ_NEXT_H
#define READ_NEXT_H

#include "read/reader.h"

/* 1, or 0 at the end (which finishes the reading), or a negative status. A piece may have no rows. */
static inline int read_next(hsp_reading *g, hsp_parcel *p, hsp_error **err) {
    int status = hsp_reading_cut(g, p, err);
    if (status == 0) status = hsp_reading_finish(g, err);
    if (status <= 0) return status;
    hsp_reading_parse(g, p);
    status = hsp_reading_take(g, p, err);
    if (status == 0) status = hsp_reading_fault(g, p, err);
    return status < 0 ? status : 1;
}

#endif
