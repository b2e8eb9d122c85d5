/* Groups and times of the rows, which are no features: collected piece by piece, in the order of the rows. */
#ifndef HSP_READ_SIDES_H
#define HSP_READ_SIDES_H

#include "base/hash.h"
#include "data/block.h"
#include "data/data.h"
#include "data/table_frame.h"
#include "halfspace.h"
#include "read/kept.h"

/* Their columns: those of the options group and time. */
typedef enum hsp_side { HSP_SIDE_GROUP, HSP_SIDE_TIME, HSP_SIDES } hsp_side;

/* The option of a side: "group" or "time". */
const char *hsp_side_option(hsp_side side);

typedef struct hsp_sides {
    bool wanted[HSP_SIDES];
    const char *file;  /* borrowed, for messages */
    hsp_intern *names; /* owned: of the groups */
    int32_t *group;    /* owned */
    double *time;      /* owned */
    int64_t *line;     /* owned: on which each row begins */
    int64_t rows, group_capacity, time_capacity, line_capacity;
} hsp_sides; /* {0} can be freed */

bool hsp_sides_any(const hsp_sides *s);
/* Adds the rows of a block; cells: of each side that is wanted, one for each row. HSP_EINPUT: a cell is empty, or no time. */
int hsp_sides_add(hsp_sides *s, const hsp_block *block, const hsp_kept cells[HSP_SIDES], hsp_error **err);
/* Moves them to the data. frame: that of the data, which may have fewer rows than were read; NULL: it is no table. */
int hsp_sides_finish(hsp_sides *s, const hsp_frame *frame, hsp_data *data, hsp_error **err);
void hsp_sides_free(hsp_sides *s);

#endif
