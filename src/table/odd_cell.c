#include "table/odd_cell.h"

#include "table/rules.h"
#include "table/spelling.h"

#include <string.h>

void hsp_odd_cell_find(const hsp_column_cells *s, bool (*odd)(hsp_cell cell, const void *ctx), const void *ctx,
                       hsp_odd_cell *out) {
    const char *file = NULL;
    out->cell = (hsp_cell){0};
    int64_t line = hsp_frame_first(s->f, s->j, odd, ctx, &out->cell, &file);
    out->where = (hsp_place){file ? file : s->r->file, line, 0};
    hsp_excerpt(out->column, s->name, (int64_t)strlen(s->name));
    hsp_show_cell(out->held, out->cell);
}

bool hsp_cell_is_word(hsp_cell cell, const void *unused) {
    (void)unused;
    return cell.text && !hsp_cell_is_number(cell);
}
