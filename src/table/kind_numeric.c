#include "base/error.h"
#include "base/json_read.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/block.h"
#include "data/table_frame.h"
#include "table/fill.h"
#include "table/spelling.h"

#include <math.h>
#include <string.h>

static bool is_word(hsp_cell cell, const void *unused) {
    (void)unused;
    return cell.text != NULL;
}

static int fail_word(const hsp_frame *f, int64_t j, const hsp_profile *p, const hsp_table_rules *r,
                     const hsp_table_column *c, hsp_error **err) {
    hsp_cell cell = {0};
    char name[HSP_EXCERPT], held[HSP_EXCERPT];
    int64_t line = hsp_frame_first(f, j, is_word, NULL, &cell);
    hsp_excerpt(name, c->name, (int64_t)strlen(c->name));
    hsp_show_cell(held, cell);
    return hsp_fail_at(err, HSP_EINPUT, (hsp_place){r->file, line, 0},
                       "column '%s' holds '%s', which is no number (%lld of its %lld values are none): correct it, or "
                       "--missing-values '%s' counts it as missing",
                       name, held, (long long)p->words, (long long)(p->words + p->numbers), held);
}

/* The numbers of column j, one after the other. */
static int64_t gather(const hsp_frame *f, int64_t j, double *v) {
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

static int learn(const hsp_frame *f, int64_t j, const hsp_profile *p, const hsp_table_rules *r, int threads,
                 hsp_table_column *c, hsp_error **err) {
    (void)threads;
    if (p->words > 0) return fail_word(f, j, p, r, c, err);
    double fill = p->numbers > 0 ? p->mean : 0;
    if (r->missing == HSP_MISSING_MEDIAN && p->numbers > 0) {
        double *v = hsp_alloc(p->numbers + 1, sizeof *v); /* gather writes one past the last, if that is missing */
        if (!v) return hsp_fail_memory(err);
        fill = hsp_fill_median(v, gather(f, j, v));
        hsp_free(v);
    }
    hsp_fill_set(c, r, p, 1, fill);
    return HSP_OK;
}

static int encode(const hsp_table_column *c, hsp_cell cell, hsp_encode_room *room, hsp_emit *out, hsp_strange *strange) {
    (void)room, (void)strange;
    if (cell.text) return HSP_EINPUT;
    hsp_emit_one(out, c->first, cell.number);
    return HSP_OK;
}

static int load(const hsp_json_loader *l, int64_t room, hsp_table_column *c) {
    (void)room;
    return hsp_fill_load(l, 1, c);
}

const hsp_kind hsp_kind_numeric = {.name = "numeric",
                                   .help = "a number, as it is",
                                   .learn = learn,
                                   .most = hsp_fill_most,
                                   .encode = encode,
                                   .encode_missing = hsp_fill_missing,
                                   .feature = hsp_fill_name,
                                   .save = hsp_fill_save,
                                   .load = load,
                                   .free = hsp_fill_free};
