#include "spool/table_plan.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/features.h"
#include "data/table_frame.h"
#include "data/unseen_levels.h"
#include "table/rules.h"
#include "table/unseen.h"

void hsp_table_plan_free(hsp_table_plan *p) {
    if (!p) return;
    hsp_encoding_release(p->encoding);
    HSP_FREE(p->blank, p->counts, p);
}

int hsp_table_plan_of(hsp_encoding *e, const int64_t *blank, int64_t blanks, bool plain, hsp_table_plan **out,
                      hsp_error **err) {
    int64_t d = e->raw.d;
    const hsp_table_rules *r = &e->rules;
    hsp_table_plan *p = *out = hsp_alloc_zero(1, sizeof *p);
    if (!p || !HSP_ALLOC_ZERO(p->blank, d + 1)) return hsp_fail_memory(err);
    hsp_features_hold(&e->features);
    p->encoding = e;
    p->plain = plain;
    for (int64_t k = 0; k < blanks; k++) p->blank[blank[k]] = (hsp_blank_column){.any = true, .number = true};
    if (r->missing != HSP_MISSING_DROP) return 0;
    if (!HSP_ALLOC(p->counts, d + 1)) return hsp_fail_memory(err);
    for (int64_t j = 0; j < d; j++) p->counts[j] = !r->kind[j] || !r->kind[j]->left_out;
    return 0;
}

void hsp_table_plan_clean(const hsp_table_plan *p, hsp_block *raw) {
    if (raw->rows == 0) return;
    hsp_blank_words_remove(raw, p->blank);
    if (p->counts) hsp_block_drop_missing(raw, p->counts);
}

void hsp_table_piece_encode(const hsp_table_plan *p, hsp_block *raw, hsp_table_piece *piece) {
    hsp_unseen unseen = {0};
    hsp_table_plan_clean(p, raw);
    piece->status = hsp_encode_block(p->encoding, raw, NULL, &piece->room, &piece->rows, &unseen, NULL);
    piece->filled = unseen.filled;
    hsp_unseen_clear(&unseen);
}

int hsp_table_piece_place(const hsp_table_plan *p, const hsp_block *raw, const char *file, hsp_table_piece *piece,
                          hsp_error **err) {
    hsp_unseen unseen = {0};
    piece->rows.line_base = raw->line_base;
    if (piece->status == 0) return 0;
    if (piece->status != HSP_EINPUT) return hsp_fail_memory(err);
    int status = hsp_encode_block(p->encoding, raw, file, &piece->room, &piece->rows, &unseen, err);
    hsp_unseen_clear(&unseen);
    return status;
}

void hsp_table_piece_free(hsp_table_piece *piece) {
    hsp_block_free(&piece->rows);
    hsp_encode_room_free(&piece->room);
}
