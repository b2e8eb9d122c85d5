#include "base/error.h"
#include "base/hash.h"
#include "base/json_read.h"
#include "data/table_frame.h"
#include "data/unseen_levels.h"
#include "table/fill.h"
#include "table/odd_cell.h"
#include "table/spelling.h"

#include <string.h>

/* The value of a cell, 0 or 1; -1: neither true nor false. */
static int truth_of(hsp_cell cell) {
    int64_t n;
    const char *s = hsp_cell_word(cell, &n);
    return s ? hsp_spelt_truth(s, n, NULL) : cell.number == 0 ? 0 : cell.number == 1 ? 1 : -1;
}

static bool is_other(hsp_cell cell, const void *unused) {
    (void)unused;
    return truth_of(cell) < 0;
}

static int fail_other(const hsp_column_cells *s, hsp_error **err) {
    hsp_odd_cell odd;
    hsp_odd_cell_find(s, is_other, NULL, &odd);
    return hsp_fail_at(err, HSP_EINPUT, odd.where,
                       "column '%s' holds '%s', which is neither true nor false: correct it, or use --categorical '%s' to "
                       "encode the values as levels",
                       odd.column, odd.held, odd.column);
}

/* Counts false and true. HSP_EINPUT: there are other values. */
static int count_values(const hsp_profile *p, int64_t counts[2]) {
    if (p->numbers > 0 && p->distinct > 2) return HSP_EINPUT;
    for (int64_t k = 0; p->numbers > 0 && k < p->distinct; k++) {
        if (p->number[k] != 0 && p->number[k] != 1) return HSP_EINPUT;
        counts[p->number[k] == 1] += p->number_count[k];
    }
    for (int64_t k = 0; k < hsp_profile_levels(p); k++) {
        const char *word = hsp_intern_text(p->dictionary, k);
        int value = hsp_spelt_truth(word, (int64_t)strlen(word), NULL);
        if (value < 0) return HSP_EINPUT;
        counts[value] += p->count[k];
    }
    return 0;
}

static int learn(const hsp_column_cells *s, hsp_table_column *c, hsp_error **err) {
    int64_t counts[2] = {0, 0};
    if (count_values(s->p, counts)) return fail_other(s, err);
    int64_t n = counts[0] + counts[1];
    double fill = n > 0 ? (double)counts[1] / (double)n : 0;
    if (s->r->missing == HSP_MISSING_MEDIAN) fill = counts[1] > counts[0] ? 1 : counts[1] < counts[0] || n == 0 ? 0 : 0.5;
    hsp_fill_set(s, fill, c);
    return HSP_OK;
}

static int encode(const hsp_table_column *c, hsp_cell cell, hsp_encode_room *room, hsp_emit *out, hsp_unseen *unseen) {
    (void)room, (void)unseen;
    int value = truth_of(cell);
    if (value < 0) return HSP_EINPUT;
    hsp_emit_one(out, c->first, value);
    return HSP_OK;
}

static int load(const hsp_json_loader *l, int64_t room, hsp_table_column *c) {
    int status = hsp_fill_load(l, room, c);
    if (!status && !(c->fill >= 0 && c->fill <= 1)) status = hsp_json_wrong(l, "fill");
    return status;
}

const hsp_kind hsp_kind_boolean = {.name = "boolean",
                                   .help = "true or false, yes or no: 1 or 0",
                                   .cells = "true or false",
                                   .numbers = 1,
                                   .levels = true,
                                   .learn = learn,
                                   .encode = encode,
                                   .encode_missing = hsp_fill_missing,
                                   .feature = hsp_fill_name,
                                   .save = hsp_fill_save,
                                   .load = load};
