#include "spool/scan.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/pipeline.h"
#include "base/pool.h"
#include "base/text.h"
#include "base/watched.h"
#include "data/block.h"
#include "data/data.h"
#include "option/options.h"
#include "read/sides.h"
#include "read/stream.h"
#include "spool/table_plan.h"
#include "table/encoding.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

typedef struct scanning {
    hsp_scan *scan;
    hsp_scan_file *file; /* that is read */
    int64_t dropped;     /* rows of it */
    int64_t files;       /* all */
    hsp_reading reading;
    hsp_builder *builder; /* owned */
    const hsp_table_plan *table; /* of tables; NULL: the files are numbers */
    bool words; /* set after a failure: the files are tables */
    hsp_parcel parcel[HSP_PIPELINE_SLOTS];
    hsp_table_piece piece[HSP_PIPELINE_SLOTS]; /* of tables: their rows, encoded */
    hsp_digest *digest[HSP_PIPELINE_SLOTS];
    int failed[HSP_PIPELINE_SLOTS];
    int64_t largest; /* id that a feature may have, over all files */
    int base;        /* of all files; -1: none yet */
    const hsp_options *o;
    hsp_error *fetch_error, *place_error; /* made by different threads at once */
} scanning;

/* ---- blocks ---- */

static int64_t count_nonzeros(const hsp_block *b, int64_t from, int64_t to) {
    int64_t begin = b->dense ? from * b->d : b->row[from], end = b->dense ? to * b->d : b->row[to], count = 0;
    for (int64_t t = begin; t < end; t++) count += b->value[t] != 0;
    return count;
}

static hsp_block *rows_of(scanning *c, int slot) {
    return c->table ? &c->piece[slot].rows : &c->parcel[slot].block;
}

/* Divides the rows of a piece, whose first byte is on `line`, among the blocks. */
static int add_rows(scanning *c, int slot, int64_t line, hsp_error **err) {
    hsp_scan *s = c->scan;
    const hsp_parcel *p = &c->parcel[slot];
    const hsp_block *b = rows_of(c, slot);
    for (int64_t i = 0, rows; i < b->rows; i += rows) {
        hsp_scan_block *last = c->file->blocks > 0 ? &s->block[s->blocks - 1] : NULL;
        if (!last || last->rows == HSP_SCAN_ROWS) {
            if (HSP_RESERVE(s->block, s->capacity, s->blocks + 1)) return hsp_fail_memory(err);
            last = &s->block[s->blocks++];
            *last = (hsp_scan_block){.from = c->reading.kind->place(c->reading.reader, p, i), .line = line - 1 + b->line[i]};
            c->file->blocks++;
        }
        rows = HSP_SCAN_ROWS - last->rows < b->rows - i ? HSP_SCAN_ROWS - last->rows : b->rows - i;
        last->rows += rows;
        last->nonzeros += count_nonzeros(b, i, i + rows);
    }
    c->file->rows += b->rows;
    return 0;
}

/* ---- pieces ---- */

static int fetch_piece(void *ctx, int slot) {
    scanning *c = ctx;
    if (hsp_cancel_take()) return hsp_fail(&c->fetch_error, HSP_ECANCELLED, "cancelled while reading %s", c->file->path);
    return hsp_reading_cut(&c->reading, &c->parcel[slot], &c->fetch_error);
}

static void parse_piece(void *ctx, int slot) {
    scanning *c = ctx;
    hsp_reading_parse(&c->reading, &c->parcel[slot]);
    if (c->table) hsp_table_piece_encode(c->table, &c->parcel[slot].block, &c->piece[slot]);
    c->failed[slot] = hsp_builder_digest(c->builder, rows_of(c, slot), c->digest[slot]);
}

static int place_piece(void *ctx, int slot) {
    scanning *c = ctx;
    hsp_parcel *p = &c->parcel[slot];
    if (c->failed[slot]) return hsp_fail_memory(&c->place_error);
    int64_t line = c->reading.line;
    int status = hsp_reading_take(&c->reading, p, &c->place_error);
    if (status == 0 && c->table)
        status = hsp_table_piece_place(c->table, &p->block, c->file->path, &c->piece[slot], &c->place_error);
    if (status == 0) status = hsp_builder_count(c->builder, rows_of(c, slot), c->digest[slot], &c->place_error);
    if (status == 0) status = add_rows(c, slot, line, &c->place_error);
    if (status < 0) return status;
    hsp_watch_count(p->block.rows);
    c->dropped += p->block.dropped;
    c->scan->dropped += p->block.dropped;
    c->scan->filled += c->table ? c->piece[slot].filled : 0;
    c->words = c->words || (p->word_column > 0 && c->reading.kind->as_table);
    return hsp_reading_fault(&c->reading, p, &c->place_error);
}

/* ---- files ---- */

static int fail_whole(const char *path, const char *what, hsp_error **err) {
    return hsp_fail_at(err, HSP_EUSAGE, (hsp_place){.file = path},
                       "%s read as a whole, not by parts: give one file that fits in memory, or convert it to numbers first",
                       what);
}

/* What only data that are read at once can have. */
int hsp_scan_check_kind(const hsp_reading *g, const char *path, hsp_error **err) {
    if (!g->kind->seek) return fail_whole(path, g->kind->begins ? "a data file among texts is" : "JSON Lines are", err);
    for (int k = 0; k < HSP_SIDES; k++)
        if (hsp_reading_has_side(g, k)) return fail_whole(path, "groups and times are", err);
    return 0;
}

static int check_kind(scanning *c, hsp_error **err) {
    const hsp_reading *g = &c->reading;
    const char *path = c->file->path;
    int status = hsp_scan_check_kind(g, path, err);
    if (status < 0) return status;
    if (hsp_options_text(c->o, "labels") && c->files > 1)
        return hsp_fail(err, HSP_EUSAGE, "--labels is for one array: save the labels as the last column, or give one file");
    if (c->scan->kind && g->kind != c->scan->kind)
        return hsp_fail_file(err, path, "is %s, but %s is %s: give files of one format", g->kind->name,
                             c->scan->file[0].path, c->scan->kind->name);
    c->scan->kind = g->kind;
    if (c->table) return g->kind->as_table(g->reader, NULL, err);
    c->words = g->schema->table;
    return c->words ? fail_whole(path, "columns with text, categories, dates or missing values are", err) : 0;
}

static int run_pieces(scanning *c, hsp_error **err) {
    int threads = hsp_pool_threads(hsp_options_int(c->o, "threads", 0));
    const hsp_pipeline line = {hsp_pipeline_slots(threads), threads, c, fetch_piece, parse_piece, place_piece, NULL};
    int status = hsp_pipeline_run(&line);
    if (status == 0) status = hsp_reading_finish(&c->reading, &c->place_error);
    if (c->place_error) hsp_error_pass(err, c->place_error);
    if (c->fetch_error) hsp_error_pass(err, c->fetch_error);
    c->place_error = c->fetch_error = NULL;
    return status;
}

/* Joins what the reader knows at the end of a file with what is known of the files before. */
static int join_file(scanning *c, hsp_error **err) {
    hsp_scan *s = c->scan;
    const hsp_schema *schema = c->reading.schema;
    int64_t last = schema->base + schema->d - 1;
    if (c->file->rows == 0)
        return hsp_fail_file(err, c->file->path, c->dropped > 0 ? "every row has a missing value, so no row is left: leave the "
                                                                  "file out, or use --missing mean"
                                                                : "no rows: give files with data");
    if (last > c->largest) c->largest = last;
    if (c->base < 0 || schema->base < c->base) c->base = schema->base;
    if (c->file > s->file) return 0;
    if (c->files == 1 && hsp_copy_string(&s->assumed, c->reading.assumed->s)) return hsp_fail_memory(err);
    return hsp_schema_copy(schema, &s->schema, err);
}

/* The schema of the rows as they are encoded; of a table that needs no encoding, its own columns. */
static int encode_schema(scanning *c, hsp_schema *encoded, hsp_error **err) {
    hsp_scan *s = c->scan;
    int status = hsp_encoding_schema(c->table->encoding, encoded, err);
    if (status < 0 || !c->table->plain) {
        hsp_schema_clear(&s->schema);
        s->schema = *encoded;
        *encoded = (hsp_schema){0};
        return status;
    }
    s->schema.table = false;
    return 0;
}

static int make_shape(scanning *c, hsp_error **err) {
    hsp_scan *s = c->scan;
    hsp_schema encoded = {0};
    if (hsp_schema_is_svmlight(&s->schema)) s->schema.d = c->largest + 1 - c->base;
    s->schema.base = c->base;
    int status = c->table ? encode_schema(c, &encoded, err) : 0;
    bool plain = c->table && c->table->plain;
    if (status == 0) {
        status = hsp_builder_shape(c->builder, plain ? &encoded : &s->schema, &s->shape, err);
        c->builder = NULL;
    }
    hsp_schema_clear(&encoded);
    return status;
}

static int scan_file(scanning *c, const char *path, hsp_error **err) {
    hsp_stream *stream = NULL;
    struct stat about;
    hsp_scan *s = c->scan;
    c->file = &s->file[s->files - 1];
    c->file->first = s->blocks;
    c->dropped = 0;
    if (hsp_copy_string(&c->file->path, path) || hsp_builder_set_file(c->builder, path)) return hsp_fail_memory(err);
    int status = hsp_stream_open(path, &stream, err);
    if (status == 0 && !hsp_stream_regular(stream))
        status = hsp_fail_file(err, hsp_stream_name(stream), "a stream can be read only once: save it to a file first");
    if (status == 0) status = hsp_reading_open(&c->reading, stream, c->o, NULL, err);
    if (status == 0) status = check_kind(c, err);
    if (status == 0 && s->files > 1) status = hsp_scan_agree(&s->schema, s->file[0].path, c->reading.schema, path, err);
    c->file->compressed = status == 0 && hsp_stream_descriptor(stream) < 0;
    if (status == 0) status = run_pieces(c, err);
    if (status == 0) status = join_file(c, err);
    if (status == 0 && stat(path, &about) != 0) status = hsp_fail_errno(err, path, "cannot read", errno);
    if (status == 0) c->file->size = (int64_t)about.st_size;
    hsp_reading_close(&c->reading);
    hsp_stream_close(stream);
    return status;
}

/* What was left out and filled, and how the columns are encoded, as of a table in memory. */
static void describe_table(const hsp_scan *s, hsp_text *t) {
    if (s->dropped > 0)
        hsp_text_format(t, ", %lld row%s with missing values dropped", (long long)s->dropped, s->dropped == 1 ? "" : "s");
    if (s->filled > 0)
        hsp_text_format(t, ", %lld missing value%s filled", (long long)s->filled, s->filled == 1 ? "" : "s");
    if (s->table->plain) return;
    hsp_text_add(t, ": ");
    hsp_encoding_describe(s->table->encoding, t);
}

static int describe(hsp_scan *s, hsp_error **err) {
    hsp_text t = {0};
    if (s->assumed && !s->table) return 0;
    if (s->assumed) {
        hsp_text_add(&t, s->assumed);
        hsp_free(s->assumed);
        s->assumed = NULL;
        describe_table(s, &t);
        return hsp_text_take(&t, &s->assumed, err);
    }
    hsp_text_add(&t, s->kind->name);
    if (hsp_schema_is_svmlight(&s->schema)) hsp_text_format(&t, ", base %d", s->schema.base);
    if (s->schema.header) hsp_text_add(&t, ", header");
    if (!s->shape.labelled) hsp_text_add(&t, ", no labels");
    if (s->schema.target) hsp_text_format(&t, ", target '%s'", s->schema.target);
    if (s->shape.weighted) hsp_text_add(&t, ", weights");
    hsp_text_format(&t, ", %lld feature%s, %lld rows in %lld files", (long long)s->shape.d, s->shape.d == 1 ? "" : "s",
                    (long long)s->shape.n, (long long)s->files);
    if (s->table) describe_table(s, &t);
    return hsp_text_take(&t, &s->assumed, err);
}

static int scan_all(scanning *c, const char *const *paths, int64_t count, hsp_error **err) {
    hsp_scan *s = c->scan;
    hsp_builder_rules rules = hsp_read_rules(c->o, NULL, hsp_options_is(c->o, "task", "regression"), paths[0]);
    int slots = hsp_pipeline_slots(hsp_pool_threads(hsp_options_int(c->o, "threads", 0)));
    int status = hsp_read_check(c->o, rules.regression, err);
    rules.in_column = c->table != NULL;
    if (status == 0) status = hsp_builder_new(&rules, &c->builder, err);
    for (int k = 0; k < slots && status == 0; k++)
        if (hsp_digest_new(&c->digest[k])) status = hsp_fail_memory(err);
    if (status == 0 && !HSP_ALLOC_ZERO(s->file, count)) status = hsp_fail_memory(err);
    for (int64_t k = 0; k < count && status == 0; k++) {
        s->files = k + 1;
        status = scan_file(c, paths[k], err);
    }
    if (status == 0) status = make_shape(c, err);
    return status == 0 ? describe(s, err) : status;
}

/* One pass over the files, as tables or as numbers. *words: it failed because they are tables. */
static int scan_once(const char *const *paths, int64_t count, const hsp_options *o, const hsp_table_plan *table,
                     hsp_scan *out, bool *words, hsp_error **err) {
    scanning *c = hsp_alloc_zero(1, sizeof *c);
    if (!c) return hsp_fail_memory(err);
    c->scan = out;
    c->files = count;
    c->table = table;
    c->o = o;
    c->largest = c->base = -1;
    int status = scan_all(c, paths, count, err);
    *words = status < 0 && c->words;
    for (int k = 0; k < HSP_PIPELINE_SLOTS; k++) {
        hsp_parcel_free(&c->parcel[k]);
        hsp_table_piece_free(&c->piece[k]);
        hsp_digest_free(c->digest[k]);
    }
    hsp_builder_free(c->builder);
    hsp_free(c);
    return status;
}

static int scan_tables(const char *const *paths, int64_t count, const hsp_options *o, hsp_scan *out, hsp_error **err) {
    hsp_table_plan *table = NULL;
    bool words;
    hsp_scan_clear(out);
    int status = hsp_table_plan_make(paths, count, o, &table, err);
    out->table = table;
    return status ? status : scan_once(paths, count, o, table, out, &words, err);
}

static int scan_watched(const char *const *paths, int64_t count, const hsp_options *o, const hsp_hooks *hooks,
                        bool tables, hsp_scan *out, hsp_error **err) {
    hsp_error *made = NULL;
    hsp_watch watch;
    bool words = false;
    *out = (hsp_scan){0};
    if (count < 1) return hsp_fail(err, HSP_EUSAGE, "no files: give at least one");
    bool stopped = hsp_watch_begin(&watch, hooks, "read");
    int status = stopped ? hsp_fail(&made, HSP_ECANCELLED, "cancelled while reading %s", paths[0])
                         : scan_once(paths, count, o, NULL, out, &words, &made);
    if (words && tables) {
        hsp_error_free(made);
        made = NULL;
        status = scan_tables(paths, count, o, out, &made);
    }
    hsp_watch_end(&watch);
    if (made) hsp_error_pass(err, made);
    if (status < 0) hsp_scan_clear(out);
    return status;
}

int hsp_scan_files(const char *const *paths, int64_t count, const hsp_options *o, const hsp_hooks *hooks, hsp_scan *out,
                   hsp_error **err) {
    return scan_watched(paths, count, o, hooks, true, out, err);
}

int hsp_scan_files_of_numbers(const char *const *paths, int64_t count, const hsp_options *o, const hsp_hooks *hooks,
                              hsp_scan *out, hsp_error **err) {
    return scan_watched(paths, count, o, hooks, false, out, err);
}

void hsp_scan_clear(hsp_scan *s) {
    for (int64_t k = 0; k < s->files && s->file; k++) hsp_free(s->file[k].path);
    hsp_schema_clear(&s->schema);
    hsp_shape_clear(&s->shape);
    hsp_table_plan_free(s->table);
    HSP_FREE(s->file, s->block, s->assumed);
    *s = (hsp_scan){0};
}
