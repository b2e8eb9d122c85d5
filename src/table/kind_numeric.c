#include "base/error.h"
#include "base/memory.h"
#include "data/block.h"
#include "data/table_frame.h"
#include "table/fill.h"
#include "table/odd_cell.h"
#include "table/spelling.h"

#include <math.h>

static int fail_word(const hsp_column_cells *s, hsp_error **err) {
    hsp_odd_cell odd;
    hsp_odd_cell_find(s, hsp_cell_is_word, NULL, &odd);
    return hsp_fail_at(err, HSP_EINPUT, odd.where,
                       "column '%s' holds '%s', which is not a number (like %lld of its %lld values): correct it, or use "
                       "--missing-values '%s' to count it as missing",
                       odd.column, odd.held, (long long)s->p->words, (long long)(s->p->words + s->p->numbers), odd.held);
}

/* The numbers of column j that are not missing; how many. */
static int64_t gather_numbers(const hsp_frame *f, int64_t j, double *v) {
    int64_t n = 0;
    for (int64_t k = 0; k < f->blocks; k++) {
        const hsp_block *b = &f->block[k];
        for (int64_t i = 0; i < b->rows; i++) {
            double x = hsp_block_number(b, i, j);
            v[n] = x;
            n += !isnan(x);
        }
    }
    return n;
}

static int learn(const hsp_column_cells *s, hsp_table_column *c, hsp_error **err) {
    const hsp_profile *p = s->p;
    if (p->words > 0) return fail_word(s, err);
    double fill = p->numbers > 0 ? p->mean : 0;
    if (s->r->missing == HSP_MISSING_MEDIAN && p->numbers > 0) {
        double *v = hsp_alloc(p->numbers + 1, sizeof *v); /* one more: gather_numbers also writes missing ones */
        if (!v) return hsp_fail_memory(err);
        fill = hsp_fill_median(v, gather_numbers(s->f, s->j, v));
        hsp_free(v);
    }
    hsp_fill_set(s, fill, c);
    return HSP_OK;
}

static int encode(const hsp_table_column *c, hsp_cell cell, hsp_encode_room *room, hsp_emit *out, hsp_unseen *unseen) {
    (void)room, (void)unseen;
    if (!hsp_cell_is_number(cell)) return HSP_EINPUT;
    hsp_emit_one(out, c->first, cell.number);
    return HSP_OK;
}

const hsp_kind hsp_kind_numeric = {.name = "numeric",
                                   .help = "a number, as it is",
                                   .cells = "numbers",
                                   .askable = true,
                                   .numbers = 1,
                                   .as_is = true,
                                   .learn = learn,
                                   .encode = encode,
                                   .encode_missing = hsp_fill_missing,
                                   .feature = hsp_fill_name,
                                   .save = hsp_fill_save,
                                   .load = hsp_fill_load};
