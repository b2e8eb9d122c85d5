/* Learns the encoding of the tables in several files, with the functions of a table in memory: they visit a frame whose rows
 * are read again in each visit. */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/pipeline.h"
#include "base/pool.h"
#include "base/text.h"
#include "data/block.h"
#include "data/schema.h"
#include "data/table_frame.h"
#include "option/options.h"
#include "read/reader.h"
#include "read/stream.h"
#include "spool/scan.h"
#include "spool/spool.h"
#include "spool/table_plan.h"
#include "table/blank_words.h"
#include "table/encoding.h"
#include "table/rules.h"

#include <string.h>

/* The rows of all files. */
typedef struct table_files {
    const char *const *path;
    int64_t count;
    const hsp_options *o;
    int threads, slots;
    hsp_parcel parcel[HSP_PIPELINE_SLOTS];
    hsp_table_plan *plan; /* owned: cleans the rows, once it is known how */
    bool clean;
    hsp_frame frame; /* all rows, for learning; owns the schema, that of the first file */
    hsp_frame_rows rows;
    hsp_text cell;
    /* Of the file that is read. */
    hsp_reading reading;
    int64_t file;
    hsp_block *block; /* owned: slots of them, whose arrays are those of the parcels */
    int64_t *first;   /* owned: slots + 1 */
} table_files;

/* ---- one file ---- */

/* Signs such as $ are recognised by the first rows of each file. */
static int agree_signs(const hsp_schema *first, const hsp_schema *s, const char *first_path, const char *path,
                       hsp_error **err) {
    bool same = first->rules.target_sign == s->rules.target_sign && (first->sign != NULL) == (s->sign != NULL);
    for (int64_t j = 0; same && s->sign && j < s->d; j++) same = first->sign[j] == s->sign[j];
    if (same) return 0;
    return hsp_fail_file(err, path,
                         "not the same columns are amounts with a sign ($, %%) as in %s: write all of them as plain "
                         "numbers",
                         first_path);
}

static int open_file(table_files *t, hsp_stream **stream, hsp_error **err) {
    const char *path = t->path[t->file];
    hsp_reading *g = &t->reading;
    int status = hsp_stream_open(path, stream, err);
    if (status == 0 && !hsp_stream_regular(*stream))
        status = hsp_fail_file(err, hsp_stream_name(*stream), "a stream can be read only once: save it to a file first");
    if (status == 0) status = hsp_reading_open(g, *stream, t->o, NULL, err);
    if (status == 0) status = hsp_scan_check_kind(g, path, err);
    if (status == 0 && !g->kind->as_table)
        status = hsp_fail_file(err, path, "is %s, but %s is a table: give files of one format", g->kind->name, t->path[0]);
    if (status == 0) status = g->kind->as_table(g->reader, NULL, err);
    if (status < 0) return status;
    if (!t->frame.schema.format) return hsp_schema_copy(g->schema, &t->frame.schema, err);
    status = hsp_scan_agree(&t->frame.schema, t->path[0], g->schema, path, err);
    return status ? status : agree_signs(&t->frame.schema, g->schema, t->path[0], path, err);
}

static void parse_piece(void *ctx, int64_t k) {
    table_files *t = ctx;
    hsp_reading_parse(&t->reading, &t->parcel[k]);
    if (t->clean) hsp_table_plan_clean(t->plan, &t->parcel[k].block);
}

/* Parses the next pieces: how many; 0 at the end, or a negative status. */
static int64_t take_pieces(table_files *t, hsp_error **err) {
    int64_t n = 0;
    int status = 1;
    if (hsp_cancel_take()) return hsp_fail(err, HSP_ECANCELLED, "cancelled while reading %s", t->path[t->file]);
    while (n < t->slots && (status = hsp_reading_cut(&t->reading, &t->parcel[n], err)) > 0) n++;
    if (status < 0) return status;
    hsp_pool_run(n, t->threads, parse_piece, t);
    for (int64_t k = 0; k < n; k++) {
        status = hsp_reading_take(&t->reading, &t->parcel[k], err);
        if (status == 0) status = hsp_reading_fault(&t->reading, &t->parcel[k], err);
        if (status < 0) return status;
    }
    return n;
}

static int visit_pieces(table_files *t, int64_t pieces, hsp_frame_visit *visit, void *ctx, hsp_error **err) {
    hsp_frame f = {
        .schema = t->frame.schema, .block = t->block, .first = t->first, .file = t->path[t->file], .file_number = t->file};
    for (int64_t k = 0; k < pieces; k++) {
        const hsp_block *b = &t->parcel[k].block;
        f.dropped += b->dropped;
        if (b->rows == 0) continue;
        f.block[f.blocks] = *b;
        f.first[f.blocks++] = f.n;
        f.n += b->rows;
        f.first[f.blocks] = f.n;
    }
    return f.blocks > 0 ? visit(ctx, &f, err) : 0;
}

static int visit_file(table_files *t, hsp_frame_visit *visit, void *ctx, hsp_error **err) {
    hsp_stream *stream = NULL;
    int64_t pieces = 0;
    int status = open_file(t, &stream, err);
    while (status == 0 && (pieces = take_pieces(t, err)) > 0) status = visit_pieces(t, pieces, visit, ctx, err);
    hsp_reading_close(&t->reading);
    hsp_stream_close(stream);
    return pieces < 0 ? (int)pieces : status;
}

static int visit_rows(void *self, hsp_frame_visit *visit, void *ctx, hsp_error **err) {
    table_files *t = self;
    int status = 0;
    for (t->file = 0; t->file < t->count && status == 0; t->file++) status = visit_file(t, visit, ctx, err);
    return status < 0 ? status : 0;
}

/* ---- before learning ---- */

typedef struct first_pass {
    table_files *t;
    hsp_table_rules *r;
    bool made;
    int64_t dropped;
} first_pass;

/* The rules name columns, so they are made when the columns are known. */
static int make_rules(first_pass *p, hsp_error **err) {
    table_files *t = p->t;
    const hsp_schema *s = &t->frame.schema;
    p->made = true;
    int status = hsp_table_rules_make(t->o, s, t->path[0], p->r, err);
    if (status) return status;
    if (!HSP_ALLOC_ZERO(t->plan->blank, s->d + 1)) return hsp_fail_memory(err);
    hsp_blank_columns_begin(p->r, s->d, t->plan->blank);
    return 0;
}

static int note_rows(void *ctx, const hsp_frame *rows, hsp_error **err) {
    first_pass *p = ctx;
    int status = p->made ? 0 : make_rules(p, err);
    for (int64_t k = 0; status == 0 && k < rows->blocks; k++) hsp_blank_columns_note(&rows->block[k], p->t->plan->blank);
    p->t->frame.n += rows->n;
    return status;
}

static int count_rows(void *ctx, const hsp_frame *rows, hsp_error **err) {
    table_files *t = ctx;
    (void)err;
    t->frame.n += rows->n;
    return 0;
}

/* How rows are cleaned, and how many are left. */
static int plan_cleaning(table_files *t, hsp_table_rules *r, hsp_error **err) {
    first_pass p = {.t = t, .r = r};
    int status = visit_rows(t, note_rows, &p, err);
    t->clean = true;
    if (status || r->missing != HSP_MISSING_DROP) return status;
    int64_t all = t->frame.n, d = t->frame.schema.d;
    if (!HSP_ALLOC(t->plan->counts, d + 1)) return hsp_fail_memory(err);
    for (int64_t j = 0; j < d; j++) t->plan->counts[j] = !r->kind[j] || !r->kind[j]->left_out;
    t->frame.n = 0;
    status = visit_rows(t, count_rows, t, err);
    if (status || t->frame.n > 0 || all == 0) return status;
    return hsp_fail_file(err, t->path[0],
                         "every row has a missing value, so no row is left: use --missing mean, or --ignore a column");
}

/* ---- the plan ---- */

static int learn(table_files *t, hsp_error **err) {
    hsp_table_rules rules = {0};
    t->rows = (hsp_frame_rows){.self = t, .each = visit_rows, .budget = hsp_spool_budget(t->o), .cell = &t->cell};
    t->frame.rows = &t->rows;
    int status = plan_cleaning(t, &rules, err);
    rules.lenient = true; /* so that of several errors the same one is reported as in memory */
    if (status == 0) status = hsp_encoding_learn(&t->frame, &rules, t->threads, &t->plan->encoding, err);
    const hsp_encoding *e = t->plan->encoding;
    if (status == 0 && e->refusal) status = hsp_fail(err, HSP_EINPUT, "%s", e->refusal);
    const hsp_schema *s = &t->frame.schema;
    if (status == 0) t->plan->plain = hsp_encoding_plain(t->plan->encoding) && !s->missing && !s->sign;
    hsp_table_rules_clear(&rules);
    return status;
}

int hsp_table_plan_make(const char *const *paths, int64_t count, const hsp_options *o, hsp_table_plan **out,
                        hsp_error **err) {
    *out = NULL;
    table_files *t = hsp_alloc_zero(1, sizeof *t);
    if (!t) return hsp_fail_memory(err);
    t->path = paths;
    t->count = count;
    t->o = o;
    t->threads = hsp_pool_threads(hsp_options_int(o, "threads", 0));
    t->slots = hsp_pipeline_slots(t->threads);
    t->plan = hsp_alloc_zero(1, sizeof *t->plan);
    bool made = t->plan && HSP_ALLOC_ZERO(t->block, t->slots) && HSP_ALLOC_ZERO(t->first, t->slots + 1);
    int status = made ? learn(t, err) : hsp_fail_memory(err);
    for (int k = 0; k < HSP_PIPELINE_SLOTS; k++) hsp_parcel_free(&t->parcel[k]);
    hsp_schema_clear(&t->frame.schema);
    hsp_text_free(&t->cell);
    if (status)
        hsp_table_plan_free(t->plan);
    else
        *out = t->plan;
    HSP_FREE(t->block, t->first, t);
    return status;
}
