#include "read/collect.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/pipeline.h"
#include "base/watched.h"
#include "data/block.h"

typedef struct collecting {
    hsp_collect *to;
    hsp_parcel parcel[HSP_PIPELINE_SLOTS];
    hsp_digest *digest[HSP_PIPELINE_SLOTS];
    hsp_block room[HSP_PIPELINE_SLOTS]; /* in the frame; no rows: none */
    hsp_kept side[HSP_PIPELINE_SLOTS][HSP_SIDES];
    int failed[HSP_PIPELINE_SLOTS];       /* status of the digest */
    int64_t frame_bytes;                  /* of the rows in the frame, about */
    hsp_error *fetch_error, *place_error; /* made by different threads at once */
} collecting;

static int fetch_piece(void *ctx, int slot) {
    collecting *c = ctx;
    if (hsp_cancel_take()) return hsp_fail(&c->fetch_error, HSP_ECANCELLED, "cancelled while reading %s", c->to->file);
    return hsp_reading_cut(c->to->reading, &c->parcel[slot], &c->fetch_error);
}

static void parse_piece(void *ctx, int slot) {
    collecting *c = ctx;
    hsp_reading_parse(c->to->reading, &c->parcel[slot]);
    hsp_block *block = &c->parcel[slot].block;
    c->failed[slot] = c->to->frame ? hsp_frame_measure(block) : hsp_builder_digest(c->to->builder, block, c->digest[slot]);
    for (int k = 0; c->to->sides && k < HSP_SIDES; k++)
        if (c->to->sides->wanted[k] && hsp_reading_side(c->to->reading, &c->parcel[slot], k, &c->side[slot][k]))
            c->failed[slot] = HSP_EMEMORY;
}

static int64_t allowed(const collecting *c) {
    return c->to->limit ? c->to->limit : hsp_memory_limit();
}

/* Few rows need not ask what the machine allows, which takes longer than reading them. */
static bool is_too_much(const collecting *c, int64_t bytes) {
    enum { FEW = 8 << 20 };
    return (c->to->limit || bytes > FEW) && bytes > allowed(c);
}

static int fail_limit(collecting *c) {
    return hsp_fail_at(&c->place_error, HSP_EMEMORY, (hsp_place){.file = c->to->file},
                       "the rows take more than %lld MiB of memory: raise --max-memory, or train with `halfspace train`, which "
                       "reads numbers block by block",
                       (long long)(allowed(c) >> 20));
}

static int place_rows(collecting *c, int slot) {
    hsp_parcel *p = &c->parcel[slot];
    const hsp_block *b = &p->block;
    if (!c->to->frame) {
        int status = hsp_builder_place(c->to->builder, &p->block, c->digest[slot], &c->place_error);
        return status == 0 && is_too_much(c, hsp_builder_bytes(c->to->builder)) ? fail_limit(c) : status;
    }
    c->room[slot].rows = 0;
    int64_t numbers = b->found.count > 0 ? b->found.count : b->rows * b->d;
    c->frame_bytes += numbers * (int64_t)sizeof *b->value + b->word_count * (int64_t)sizeof *b->word + b->words_length;
    if (is_too_much(c, c->frame_bytes)) return fail_limit(c);
    return hsp_frame_reserve(c->to->frame, &p->block, &c->room[slot]) ? hsp_fail_memory(&c->place_error) : 0;
}

static int place_piece(void *ctx, int slot) {
    collecting *c = ctx;
    if (c->failed[slot]) return hsp_fail_memory(&c->place_error);
    int status = hsp_reading_take(c->to->reading, &c->parcel[slot], &c->place_error);
    if (status == 0) status = place_rows(c, slot);
    if (status == 0 && c->to->sides)
        status = hsp_sides_add(c->to->sides, &c->parcel[slot].block, c->side[slot], &c->place_error);
    if (status < 0) return status;
    hsp_watch_count(c->parcel[slot].block.rows);
    c->to->word_column = c->parcel[slot].word_column;
    c->to->quote_met = c->parcel[slot].quote_met;
    return hsp_reading_fault(c->to->reading, &c->parcel[slot], &c->place_error);
}

static void write_piece(void *ctx, int slot) {
    collecting *c = ctx;
    if (!c->to->frame)
        hsp_builder_write(c->to->builder, &c->parcel[slot].block, c->digest[slot]);
    else if (c->room[slot].rows > 0)
        hsp_frame_copy(&c->parcel[slot].block, &c->room[slot]);
}

int hsp_collect_rows(hsp_collect *to, int threads, hsp_error **err) {
    collecting *c = hsp_alloc_zero(1, sizeof *c);
    if (!c) return hsp_fail_memory(err);
    c->to = to;
    int slots = hsp_pipeline_slots(threads), status = 0;
    for (int k = 0; k < slots && status == 0; k++)
        if (hsp_digest_new(&c->digest[k])) status = hsp_fail_memory(&c->place_error);
    const hsp_pipeline line = {slots, threads, c, fetch_piece, parse_piece, place_piece, write_piece};
    if (status == 0) status = hsp_pipeline_run(&line);
    if (status == 0) status = hsp_reading_finish(to->reading, &c->place_error);
    if (c->place_error) hsp_error_pass(err, c->place_error);
    if (c->fetch_error) hsp_error_pass(err, c->fetch_error);
    for (int k = 0; k < slots; k++) {
        hsp_parcel_free(&c->parcel[k]);
        hsp_digest_free(c->digest[k]);
        for (int side = 0; side < HSP_SIDES; side++) hsp_kept_free(&c->side[k][side]);
    }
    hsp_free(c);
    return status;
}
