#include "table/code_column.h"

#include "base/error.h"
#include "base/hash.h"
#include "data/block.h"
#include "data/data.h"
#include "data/number_form.h"
#include "data/table_frame.h"
#include "table/choose_kind.h"
#include "table/odd_cell.h"
#include "table/spelling.h"
#include "table/vocabulary.h"

bool hsp_is_code_column(const hsp_profile *p) {
    return p->whole && (p->zeros > 0 || p->plus > 0 || (p->digits > 0 && 2 * p->digits >= p->numbers));
}

static bool is_code(hsp_cell cell, const void *form) {
    return hsp_cell_is_number(cell) && cell.text && hsp_code_form(cell.text, cell.length) == *(const hsp_number_form *)form;
}

/* The form by which the column is one of codes. */
static hsp_number_form form_of(const hsp_profile *p) {
    return p->zeros > 0 ? HSP_FORM_ZEROS : p->plus > 0 ? HSP_FORM_PLUS : HSP_FORM_LONG;
}

typedef struct spelling_search {
    int64_t j;
    hsp_intern *known; /* owned */
    bool distinct;
} spelling_search;

static int collect_spellings(void *ctx, const hsp_frame *f, hsp_error **err) {
    spelling_search *s = ctx;
    for (int64_t k = 0; k < f->blocks; k++) {
        const hsp_block *b = &f->block[k];
        for (int64_t i = 0; i < b->rows; i++) {
            char shortest[32];
            hsp_cells cells = hsp_block_cells(b, i);
            hsp_cell cell = hsp_cells_at(&cells, s->j);
            if (hsp_cell_missing(cell)) continue;
            int64_t n, count = hsp_intern_count(s->known);
            const char *text = hsp_cell_spelling(cell, shortest, &n);
            hsp_label_trim(&text, &n);
            int64_t at = hsp_intern_add(s->known, text, n, err);
            if (at < 0) return (int)at;
            s->distinct = at == count;
            if (!s->distinct) return 1;
        }
    }
    return 0;
}

/* Whether no two cells of the column are spelt alike: 1, 0, or a negative status. */
static int are_distinct(const hsp_column_cells *c, hsp_error **err) {
    spelling_search s = {.j = c->j, .distinct = true};
    int status = hsp_intern_new(&s.known, err);
    if (!status) status = hsp_frame_each(c->f, collect_spellings, &s, err);
    hsp_intern_free(s.known);
    return status ? status : s.distinct;
}

/* Adds why the column is one of codes, with an example. */
static void add_reason(const hsp_column_cells *c, hsp_text *note) {
    hsp_number_form form = form_of(c->p);
    hsp_odd_cell first;
    hsp_odd_cell_find(c, is_code, &form, &first);
    hsp_text_format(note, "it holds codes such as %s, %s", first.held,
                    form == HSP_FORM_ZEROS  ? "with leading zeros"
                    : form == HSP_FORM_PLUS ? "with a plus sign before six or more digits"
                                            : "of more than 15 digits");
}

int hsp_choose_codes(const hsp_column_cells *c, hsp_text *note, const hsp_kind **out, hsp_error **err) {
    const hsp_profile *p = c->p;
    bool digits = form_of(p) == HSP_FORM_LONG;
    int id = p->numbers >= HSP_LIKE_ID && 2 * p->numbers > p->cells ? are_distinct(c, err) : 0;
    if (id < 0) return id;
    *out = id ? &hsp_kind_ignored : &hsp_kind_categorical;
    hsp_note_column(c, note);
    hsp_text_add(note, id ? "is ignored, as its values are all distinct, like an id: " : "is categorical: ");
    add_reason(c, note);
    if (digits || id) {
        hsp_note_remedy(c, note, ": use --ignore ", "");
        hsp_note_remedy(c, note, " or --categorical ", "");
        hsp_note_remedy(c, note, ", or --numeric ", " to read numbers");
    } else {
        hsp_note_remedy(c, note, ": confirm with --categorical ", "");
        hsp_note_remedy(c, note, ", or read numbers with --numeric ", "");
    }
    return HSP_OK;
}

void hsp_note_rounded(const hsp_column_cells *c, hsp_text *note) {
    if (c->p->digits == 0) return;
    hsp_note_column(c, note);
    hsp_text_format(note, "has %lld number%s of more than 15 digits, which %s rounded", (long long)c->p->digits,
                    c->p->digits == 1 ? "" : "s", c->p->digits == 1 ? "is" : "are");
    hsp_note_remedy(c, note, ": confirm with --numeric ", "");
    hsp_note_remedy(c, note, ", or use --categorical ", " for codes");
}
