/* The first invalid cell of a column, as messages quote it. */
#ifndef HSP_TABLE_ODD_CELL_H
#define HSP_TABLE_ODD_CELL_H

#include "base/error.h"
#include "base/text.h"
#include "data/table_frame.h"
#include "table/kind.h"

typedef struct hsp_odd_cell {
    hsp_place where;
    hsp_cell cell; /* its text is in the frame */
    char column[HSP_EXCERPT], held[HSP_EXCERPT];
} hsp_odd_cell;

/* Finds the first cell for which odd(cell, ctx). */
void hsp_odd_cell_find(const hsp_column_cells *s, bool (*odd)(hsp_cell cell, const void *ctx), const void *ctx,
                       hsp_odd_cell *out);
bool hsp_cell_is_word(hsp_cell cell, const void *unused);

#endif
