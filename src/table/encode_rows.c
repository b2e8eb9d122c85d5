/* Encodes raw blocks as sparse ones, and frames as data. */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/pipeline.h"
#include "base/text.h"
#include "data/bad_rows.h"
#include "data/block.h"
#include "data/data.h"
#include "data/schema.h"
#include "data/table_frame.h"
#include "data/unseen_levels.h"
#include "table/expand.h"
#include "table/spelling.h"

#include <string.h>

void hsp_encode_room_free(hsp_encode_room *room) {
    hsp_text_free(&room->text);
    HSP_FREE(room->memo, room->scratch, room->sums);
    *room = (hsp_encode_room){0};
}

static int fail_cell(const hsp_encoding *e, int64_t j, hsp_cell cell, hsp_place where, hsp_error **err) {
    const hsp_table_column *c = &e->column[j];
    char name[HSP_EXCERPT], held[HSP_EXCERPT];
    hsp_excerpt(name, c->name, (int64_t)strlen(c->name));
    if (hsp_cell_missing(cell))
        return hsp_fail_at(err, HSP_EINPUT, where,
                           "column '%s' has a missing value or is not in the file, and the model was trained with "
                           "--missing %s: fill it in, or train with --missing mean, median or indicator",
                           name, e->rules.missing == HSP_MISSING_DROP ? "drop" : "error");
    hsp_show_cell(held, cell);
    if (c->transform && hsp_cell_is_number(cell))
        return hsp_fail_at(err, HSP_EINPUT, where,
                           "column '%s' holds %s, and the model's transform, %s, is defined for %s: correct it", name, held,
                           c->transform->rule.kind->name, c->transform->rule.kind->domain);
    if (!c->fills || (cell.text && !hsp_can_type(cell.text, cell.length)))
        return hsp_fail_at(err, HSP_EINPUT, where, "column '%s' holds '%s', where the model expects %s: correct it", name,
                           held, c->kind->cells);
    return hsp_fail_at(err, HSP_EINPUT, where,
                       "column '%s' holds '%s', where the model expects %s: correct it, or use --missing-values '%s' to "
                       "count it as missing",
                       name, held, c->kind->cells, held);
}

/* ---- rows ---- */

/* Encodes the cells of one block; all borrowed. */
typedef struct block_encoder {
    const hsp_encoding *e;
    const hsp_block *raw;
    hsp_encode_room *room;
    hsp_emit out;
    hsp_unseen *unseen;
    hsp_bad_rows *bad; /* collects rows that cannot be encoded, which are left out; NULL: the first is an error */
    int64_t column;    /* the last cell, for errors: its column ... */
    hsp_cell cell;     /* ... and itself */
} block_encoder;

static int encode_cell(block_encoder *p, int64_t j, hsp_cell cell) {
    const hsp_table_column *c = &p->e->column[j];
    int status = HSP_OK;
    p->room->column = j;
    if (!hsp_cell_missing(cell)) {
        status = c->kind->encode(c, cell, p->room, &p->out, p->unseen);
    } else if (!c->kind->reads_text) {
        if (!c->fills) status = HSP_EINPUT;
        if (c->fills && c->kind->encode_missing) c->kind->encode_missing(c, &p->out);
        p->unseen->filled += c->fills;
    }
    p->column = j;
    p->cell = cell;
    return status;
}

/* Copies the numbers of a run, a feature each. False: some are missing, and nothing is done. */
static bool copy_numbers(const double *x, int64_t n, uint32_t first, hsp_emit *out) {
    uint32_t *id = out->id;
    double *value = out->value;
    int64_t count = out->count;
    bool missing = false;
    for (int64_t t = 0; t < n; t++) {
        double v = x[t];
        id[count] = first + (uint32_t)t;
        value[count] = v;
        count += v != 0;
        missing |= v != v;
    }
    if (!missing) out->count = count;
    return !missing;
}

/* The same of a packed row, which has no zeros. It may have -0, which is not allowed as a feature: then it returns false,
 * too. */
static bool copy_packed(const hsp_block *b, int64_t i, const hsp_column_run *run, uint32_t first, hsp_emit *out) {
    const uint64_t *bits = b->present + i * hsp_present_words(b->d);
    const double *v = b->value + b->row[i];
    int64_t count = out->count, word = run->from / 64, begin = 64 * word;
    bool plain = true;
    for (int64_t k = 0; k < word; k++) v += hsp_count_bits(bits[k]);
    uint64_t left = bits[word] & (~UINT64_C(0) << (run->from - begin));
    v += hsp_count_bits(bits[word] ^ left);
    for (;;) {
        if (run->to - begin < 64) left &= (UINT64_C(1) << (run->to - begin)) - 1;
        for (; left; left &= left - 1, count++) {
            double x = *v++;
            out->id[count] = first + (uint32_t)(begin + __builtin_ctzll(left) - run->from);
            out->value[count] = x;
            plain &= x < 0 || x > 0; /* not NaN either */
        }
        begin += 64;
        if (begin >= run->to) break;
        left = bits[++word];
    }
    if (plain) out->count = count;
    return plain;
}

static int encode_row(block_encoder *p, int64_t i) {
    const hsp_encoding *e = p->e;
    hsp_cells cells = hsp_block_cells(p->raw, i);
    for (int64_t k = 0; k < e->runs; k++) {
        const hsp_column_run *run = &e->run[k];
        const hsp_block *b = p->raw;
        uint32_t first = (uint32_t)e->column[run->from].first;
        if (run->numbers &&
            (b->present ? copy_packed(b, i, run, first, &p->out)
                        : copy_numbers(b->value + i * b->d + run->from, run->to - run->from, first, &p->out)))
            continue;
        for (int64_t j = run->from; j < run->to; j++) {
            int status = encode_cell(p, j, hsp_cells_at(&cells, j));
            if (status) return status;
        }
    }
    return e->expansion ? hsp_expand_row(e, p->room, &p->out) : HSP_OK;
}

/* The most features that row i can have, expansions included. */
static int64_t most_features(const hsp_encoding *e, const hsp_block *raw, int64_t i, bool texts) {
    enum { NUMBER = 32 }; /* bytes of a number in a text */
    int64_t most = e->most;
    hsp_cells cells = hsp_block_cells(raw, i);
    for (int64_t k = 0; texts && k < e->runs; k++) {
        int64_t j = e->run[k].from;
        const hsp_table_column *c = &e->column[j];
        if (!c->kind->reads_text) continue;
        hsp_cell cell = hsp_cells_at(&cells, j);
        if (!hsp_cell_missing(cell)) most += c->kind->most(c, cell.text ? cell.length : NUMBER);
    }
    return e->expansion ? most + hsp_expansion_most(e, most) : most;
}

/* Leaves row i out, and collects why. */
static int skip_row(const block_encoder *p, int64_t i) {
    hsp_error *e = NULL;
    int status = fail_cell(p->e, p->column, p->cell, (hsp_place){NULL, p->raw->line[i], 0}, &e);
    if (status == HSP_EINPUT) return hsp_bad_rows_add(p->bad, e);
    hsp_error_free(e);
    return status;
}

/* Encodes all rows; bare: without labels and weights. */
static int encode_rows(block_encoder *p, const char *file, bool bare, hsp_block *out, hsp_error **err) {
    const hsp_block *raw = p->raw;
    bool labelled = raw->labelled && !bare, texts = hsp_encoding_text(p->e) != NULL;
    int64_t columns = p->e->raw.d;
    if (HSP_RESERVE(p->room->memo, p->room->memo_capacity, columns + 1)) return hsp_fail_memory(err);
    memset(p->room->memo, 0, (size_t)columns * sizeof *p->room->memo); /* it points to words of another block */
    hsp_block_reset(out, false, 0);
    out->weighted = raw->weighted && !bare;
    out->line_base = raw->line_base;
    for (int64_t i = 0; i < raw->rows; i++) {
        int64_t at = raw->label[i], length = labelled ? raw->label[i + 1] - at : 0;
        int64_t most = most_features(p->e, raw, i, texts) + 1; /* not 0, even without columns */
        if (hsp_block_reserve(out, most, length)) return hsp_fail_memory(err);
        int64_t tail = hsp_block_tail(out);
        p->out = (hsp_emit){out->id + tail, out->value + tail, 0};
        int status = encode_row(p, i);
        if (status == HSP_EINPUT && p->bad) {
            if (skip_row(p, i)) return hsp_fail_memory(err);
            continue;
        }
        if (status == HSP_EINPUT && err)
            return fail_cell(p->e, p->column, p->cell, (hsp_place){file, raw->line_base + raw->line[i], 0}, err);
        if (status) return status == HSP_EINPUT ? status : hsp_fail_memory(err);
        if (out->weighted) out->weight[out->rows] = raw->weight[i];
        hsp_block_close_row(out, p->out.count, labelled ? raw->text + at : NULL, length, raw->line[i]);
        out->column[out->rows - 1] = raw->column[i];
    }
    return HSP_OK;
}

int hsp_encode_block(const hsp_encoding *e, const hsp_block *raw, const char *file, hsp_encode_room *room, hsp_block *out,
                     hsp_unseen *unseen, hsp_error **err) {
    block_encoder p = {.e = e, .raw = raw, .room = room, .unseen = unseen};
    return encode_rows(&p, file, false, out, err);
}

int hsp_encode_good_rows(const hsp_encoding *e, const hsp_block *raw, hsp_encode_room *room, hsp_block *out,
                         hsp_unseen *unseen, hsp_bad_rows *bad) {
    block_encoder p = {.e = e, .raw = raw, .room = room, .unseen = unseen, .bad = bad};
    return encode_rows(&p, NULL, false, out, NULL);
}

/* ---- frames ---- */

/* A block in the pipeline. */
typedef struct encode_slot {
    int64_t block;
    hsp_block rows;
    hsp_digest *digest; /* owned */
    hsp_encode_room room;
    hsp_unseen unseen;
    int status;
    hsp_error *error; /* owned */
} encode_slot;

typedef struct frame_encoder {
    const hsp_encoding *e;
    const hsp_frame *f;
    const char *file;
    bool bare;
    hsp_builder *builder;
    int64_t next;
    hsp_unseen *unseen;
    hsp_error *fetch_error, *place_error; /* owned; threads may set them at the same time */
    encode_slot encode_slot[HSP_PIPELINE_SLOTS];
} frame_encoder;

static int fetch_block(void *ctx, int slot) {
    frame_encoder *t = ctx;
    if (hsp_cancel_take())
        return hsp_fail(&t->fetch_error, HSP_ECANCELLED, "cancelled while encoding %s", t->file ? t->file : "the table");
    if (t->next == t->f->blocks) return 0;
    t->encode_slot[slot].block = t->next++;
    return 1;
}

static void encode_block(void *ctx, int slot) {
    frame_encoder *t = ctx;
    encode_slot *k = &t->encode_slot[slot];
    k->unseen.by_value = t->unseen->by_value;
    hsp_unseen_clear(&k->unseen);
    block_encoder p = {.e = t->e, .raw = &t->f->block[k->block], .room = &k->room, .unseen = &k->unseen};
    k->status = encode_rows(&p, t->file, t->bare, &k->rows, &k->error);
    if (k->status != HSP_EMEMORY && hsp_builder_digest(t->builder, &k->rows, k->digest)) k->status = HSP_EMEMORY;
}

static int place_block(void *ctx, int slot) {
    frame_encoder *t = ctx;
    encode_slot *k = &t->encode_slot[slot];
    if (k->status == HSP_EMEMORY) return hsp_fail_memory(&t->place_error);
    int status = hsp_builder_place(t->builder, &k->rows, k->digest, &t->place_error);
    if (status < 0) return status;
    if (hsp_unseen_join(t->unseen, &k->unseen)) return hsp_fail_memory(&t->place_error);
    if (k->status && k->error) hsp_error_pass(&t->place_error, k->error);
    if (k->status) k->error = NULL;
    return k->status;
}

static void write_block(void *ctx, int slot) {
    frame_encoder *t = ctx;
    hsp_builder_write(t->builder, &t->encode_slot[slot].rows, t->encode_slot[slot].digest);
}

static int run_pipeline(frame_encoder *t, int threads) {
    int slots = hsp_pipeline_slots(threads), status = HSP_OK;
    for (int k = 0; k < slots && !status; k++)
        if (hsp_digest_new(&t->encode_slot[k].digest)) status = hsp_fail_memory(&t->place_error);
    const hsp_pipeline line = {slots, threads, t, fetch_block, encode_block, place_block, write_block};
    if (!status) status = hsp_pipeline_run(&line);
    for (int k = 0; k < slots; k++) {
        hsp_block_free(&t->encode_slot[k].rows);
        hsp_digest_free(t->encode_slot[k].digest);
        hsp_encode_room_free(&t->encode_slot[k].room);
        hsp_unseen_clear(&t->encode_slot[k].unseen);
        hsp_error_free(t->encode_slot[k].error);
    }
    return status;
}

static int encode_frame(const frame_encoder *like, const hsp_builder_rules *rules, int threads, hsp_data **out,
                        hsp_error **err) {
    *out = NULL;
    frame_encoder *t = hsp_alloc(1, sizeof *t);
    if (!t) return hsp_fail_memory(err);
    *t = *like;
    hsp_schema schema = {0};
    int status = hsp_builder_new(rules, &t->builder, err);
    if (!status) status = run_pipeline(t, threads);
    if (t->place_error) hsp_error_pass(err, t->place_error);
    if (t->fetch_error) hsp_error_pass(err, t->fetch_error);
    if (!status) status = hsp_encoding_schema(t->e, &schema, err);
    if (!status) {
        status = hsp_builder_finish(t->builder, &schema, out, err);
        t->builder = NULL;
    }
    hsp_schema_clear(&schema);
    hsp_builder_free(t->builder);
    hsp_free(t);
    return status;
}

int hsp_encode_frame(const hsp_encoding *e, const hsp_frame *f, const hsp_builder_rules *rules, int threads, hsp_data **out,
                     hsp_unseen *unseen, hsp_error **err) {
    const frame_encoder t = {.e = e, .f = f, .file = rules ? rules->file : NULL, .unseen = unseen};
    return encode_frame(&t, rules, threads, out, err);
}

int hsp_encode_cells(const hsp_encoding *e, const hsp_frame *f, const char *file, int threads, hsp_data **out,
                     hsp_unseen *unseen, hsp_error **err) {
    const hsp_builder_rules rules = {.file = file};
    const frame_encoder t = {.e = e, .f = f, .file = file, .bare = true, .unseen = unseen};
    return encode_frame(&t, &rules, threads, out, err);
}
