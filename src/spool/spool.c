#include "spool/spool.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/pipeline.h"
#include "base/pool.h"
#include "base/watched.h"
#include "data/block.h"
#include "data/digest.h"
#include "data/labels.h"
#include "data/matrix.h"
#include "kernel/form.h"
#include "option/options.h"
#include "read/reader.h"
#include "read/stream.h"
#include "spool/table_plan.h"

#include <stdatomic.h>

enum { PAGE = 4096 };

/* Where the arrays begin. */
typedef struct spool_places {
    int64_t row, id, value, y, target, weight, size;
} spool_places;

/* What is known of a piece between the steps of the pipeline. */
typedef struct spool_piece {
    hsp_parcel parcel;
    hsp_table_piece coded; /* of tables: the rows, encoded */
    hsp_digest *digest; /* owned: of the labels */
    hsp_spool_rows_of rows;
    int32_t *class; /* owned: of each spelling */
    int64_t *offset; /* owned: of each row */
    int32_t *y;     /* owned: of each row */
    int64_t class_capacity, offset_capacity, y_capacity;
    int64_t row, at; /* its first row and value among all */
    int failed;
} spool_piece;

typedef struct spooling {
    const hsp_spool_plan *plan;
    const hsp_spool_range *range; /* that is read */
    const hsp_options *o;
    hsp_reading reading;
    hsp_labels *labels; /* owned */
    hsp_spool_target target;
    spool_places places;
    int64_t rows, stored;         /* in all ranges */
    int64_t row, at, range_end;   /* the next row and value; the row at which the range ends */
    spool_piece piece[HSP_PIPELINE_SLOTS];
    hsp_error *fetch_error, *place_error;
} spooling;

static int fail_changed(const spooling *c, hsp_error **err) {
    return hsp_fail_file(err, c->range->path, "changed while it was read: leave the file alone and start again");
}

/* ---- pieces ---- */

static const hsp_block *rows_of(const spooling *c, const spool_piece *p) {
    return c->plan->table ? &p->coded.rows : &p->parcel.block;
}

static int fetch_piece(void *ctx, int slot) {
    spooling *c = ctx;
    if (hsp_cancel_take()) return hsp_fail(&c->fetch_error, HSP_ECANCELLED, "cancelled while reading %s", c->range->path);
    return hsp_reading_cut(&c->reading, &c->piece[slot].parcel, &c->fetch_error);
}

static void parse_piece(void *ctx, int slot) {
    spooling *c = ctx;
    spool_piece *p = &c->piece[slot];
    const hsp_shape *s = c->plan->shape;
    hsp_reading_parse(&c->reading, &p->parcel);
    if (c->plan->table) hsp_table_piece_encode(c->plan->table, &p->parcel.block, &p->coded);
    const hsp_block *b = rows_of(c, p);
    const hsp_digest_hints h = {.regression = s->regression};
    p->failed = hsp_digest_labels(p->digest, b, &h);
    if (!p->failed) p->failed = hsp_spool_encode(&p->rows, s, b);
    int64_t n = b->rows + 1;
    if (!p->failed && (HSP_RESERVE(p->offset, p->offset_capacity, n) || HSP_RESERVE(p->y, p->y_capacity, n)))
        p->failed = HSP_EMEMORY;
}

/* Finds the classes of the spellings. */
static int place_labels(spooling *c, spool_piece *p, hsp_error **err) {
    const hsp_block *b = rows_of(c, p);
    const hsp_digest_labels_met *met = &p->digest->met;
    if (!b->labelled || c->plan->shape->regression) return 0;
    if (HSP_RESERVE(p->class, p->class_capacity, met->count + 1)) return hsp_fail_memory(err);
    for (int64_t k = 0; k < met->count; k++) {
        int64_t first = met->label[k].first, at = b->label[first];
        int status = hsp_labels_class(c->labels, b->text + at, b->label[first + 1] - at, 0, (hsp_place){0}, &p->class[k], err);
        if (status < 0) return status;
        if (p->class[k] < 0) return fail_changed(c, err);
    }
    return 0;
}

static int place_piece(void *ctx, int slot) {
    spooling *c = ctx;
    spool_piece *p = &c->piece[slot];
    const hsp_block *b = rows_of(c, p);
    const hsp_shape *s = c->plan->shape;
    if (p->failed) return hsp_fail_memory(&c->place_error);
    int status = hsp_reading_take(&c->reading, &p->parcel, &c->place_error);
    if (status == 0 && c->plan->table)
        status = hsp_table_piece_place(c->plan->table, &p->parcel.block, c->range->path, &p->coded, &c->place_error);
    if (status == 0) status = place_labels(c, p, &c->place_error);
    if (status < 0) return status;
    bool fits = c->row + b->rows <= c->range_end && c->at + p->rows.stored <= c->stored && !p->rows.wrong &&
                (b->rows == 0 || (b->labelled == s->labelled && b->weighted == s->weighted)) &&
                (!s->regression || p->digest->bad_target < 0);
    if (!fits && p->parcel.fault == 0) return fail_changed(c, &c->place_error);
    p->row = c->row;
    p->at = c->at;
    c->row += b->rows;
    c->at += p->rows.stored;
    hsp_watch_count(b->rows);
    return hsp_reading_fault(&c->reading, &p->parcel, &c->place_error);
}

static void write_piece(void *ctx, int slot) {
    spooling *c = ctx;
    spool_piece *p = &c->piece[slot];
    const hsp_block *b = rows_of(c, p);
    const hsp_shape *s = c->plan->shape;
    const spool_places *to = &c->places;
    int64_t id = (int64_t)hsp_ids_size(s->ids), value = (int64_t)hsp_coding_size(s->coding), at = p->at, n = b->rows;
    for (int64_t i = 0; !s->dense && i < n; i++) p->offset[i] = at += p->rows.count[i];
    for (int64_t i = 0; s->labelled && !s->regression && i < n; i++) p->y[i] = p->class[p->digest->met.spelling[i]];
    if (!s->dense) {
        hsp_spool_target_put(&c->target, to->row + (p->row + 1) * (int64_t)sizeof *p->offset, p->offset,
                             n * (int64_t)sizeof *p->offset);
        hsp_spool_target_put(&c->target, to->id + p->at * id, p->rows.id, p->rows.stored * id);
    }
    hsp_spool_target_put(&c->target, to->value + p->at * value, p->rows.out, p->rows.stored * value);
    if (s->labelled && s->regression)
        hsp_spool_target_put(&c->target, to->target + p->row * (int64_t)sizeof(double), p->digest->target,
                             n * (int64_t)sizeof(double));
    else if (s->labelled)
        hsp_spool_target_put(&c->target, to->y + p->row * (int64_t)sizeof *p->y, p->y, n * (int64_t)sizeof *p->y);
    if (s->weighted)
        hsp_spool_target_put(&c->target, to->weight + p->row * (int64_t)sizeof(double), b->weight,
                             n * (int64_t)sizeof(double));
}

/* ---- ranges ---- */

static int run_pieces(spooling *c, hsp_error **err) {
    int threads = hsp_pool_threads(hsp_options_int(c->o, "threads", 0));
    const hsp_pipeline line = {hsp_pipeline_slots(threads), threads, c, fetch_piece, parse_piece, place_piece, write_piece};
    int status = hsp_pipeline_run(&line);
    if (c->place_error) hsp_error_pass(err, c->place_error);
    if (c->fetch_error) hsp_error_pass(err, c->fetch_error);
    c->place_error = c->fetch_error = NULL;
    return status;
}

/* The columns must be those that the encoding was learnt from. */
static int open_table(spooling *c, hsp_error **err) {
    const hsp_schema *s = c->reading.schema;
    if (s->d != c->plan->table->encoding->raw.d) return fail_changed(c, err);
    return c->reading.kind->as_table(c->reading.reader, NULL, err);
}

static int read_range(spooling *c, const hsp_spool_range *range, hsp_error **err) {
    hsp_stream *stream = NULL;
    c->range = range;
    c->range_end = c->row + range->rows;
    int status = hsp_stream_open(range->path, &stream, err);
    if (status == 0) status = hsp_reading_open(&c->reading, stream, c->o, NULL, err);
    const hsp_reader_kind *kind = c->reading.kind;
    if (status == 0 && (!kind->seek || (c->plan->table && !kind->as_table))) status = fail_changed(c, err);
    if (status == 0 && c->plan->table) status = open_table(c, err);
    if (status == 0 && !range->whole) status = hsp_reading_seek(&c->reading, range->from, range->to, range->line, err);
    if (status == 0) status = run_pieces(c, err);
    if (status == 0 && c->row != c->range_end) status = fail_changed(c, err);
    hsp_reading_close(&c->reading);
    hsp_stream_close(stream);
    for (int k = 0; k < HSP_PIPELINE_SLOTS; k++) c->piece[k].parcel.fault = 0;
    return status;
}

/* ---- all ---- */

/* Gives an array its place, on a page of its own so that pages are of one array. */
static int64_t reserve(spool_places *to, int64_t bytes) {
    int64_t at = to->size;
    to->size += (bytes + PAGE - 1) / PAGE * PAGE;
    return at;
}

static void lay_out(spooling *c) {
    const hsp_shape *s = c->plan->shape;
    int64_t n = c->rows;
    spool_places *p = &c->places;
    if (!s->dense) p->row = reserve(p, (n + 1) * (int64_t)sizeof(int64_t));
    if (!s->dense) p->id = reserve(p, c->stored * (int64_t)hsp_ids_size(s->ids));
    p->value = reserve(p, c->stored * (int64_t)hsp_coding_size(s->coding));
    if (s->labelled && !s->regression) p->y = reserve(p, n * (int64_t)sizeof(int32_t));
    if (s->labelled && s->regression) p->target = reserve(p, n * (int64_t)sizeof(double));
    if (s->weighted) p->weight = reserve(p, n * (int64_t)sizeof(double));
}

static int read_ranges(spooling *c, hsp_error **err) {
    const hsp_spool_plan *plan = c->plan;
    int slots = hsp_pipeline_slots(hsp_pool_threads(hsp_options_int(c->o, "threads", 0)));
    const hsp_shape *s = plan->shape;
    int64_t zero = 0;
    for (int64_t k = 0; k < plan->ranges; k++) {
        c->rows += plan->range[k].rows;
        c->stored += s->dense ? plan->range[k].rows * s->d : plan->range[k].nonzeros;
    }
    lay_out(c);
    int status = hsp_labels_new(&s->classes, hsp_options_text(c->o, "map-label"), &c->labels, err);
    for (int k = 0; k < slots && status == 0; k++) {
        c->piece[k].rows.codes = s->codes;
        if (hsp_digest_new(&c->piece[k].digest)) status = hsp_fail_memory(err);
    }
    if (status == 0) status = hsp_spool_target_open(&c->target, plan->on_disk, c->places.size, err);
    if (status == 0 && !s->dense) hsp_spool_target_put(&c->target, c->places.row, &zero, sizeof zero);
    for (int64_t k = 0; k < plan->ranges && status == 0; k++) status = read_range(c, &plan->range[k], err);
    if (status == 0 && c->at != c->stored) status = fail_changed(c, err);
    return status;
}

/* Arrays of a map are never written to. */
static void *array_at(const char *bytes, int64_t at) {
    return (void *)(uintptr_t)(bytes + at);
}

static int make_data(spooling *c, hsp_map *map, hsp_data **out, hsp_error **err) {
    const hsp_spool_plan *plan = c->plan;
    const hsp_shape *s = plan->shape;
    const char *bytes = hsp_map_bytes(map);
    hsp_data *data = hsp_alloc_zero(1, sizeof *data);
    *out = data;
    int status = data ? hsp_schema_copy(plan->schema, &data->schema, err) : hsp_fail_memory(err);
    if (status == 0) status = hsp_classes_copy(&s->classes, &data->classes, err);
    if (status < 0) return status;
    data->x = (hsp_matrix){.n = c->rows,
                           .d = s->d,
                           .dense = s->dense,
                           .ids = s->ids,
                           .coding = s->coding,
                           .dtype = s->dtype,
                           .stored = c->stored,
                           .nonzeros = 0,
                           .stride = s->dense ? s->d : 0};
    for (int64_t k = 0; k < plan->ranges; k++) data->x.nonzeros += plan->range[k].nonzeros;
    if (s->table && HSP_COPY(data->x.table, s->table, HSP_TABLE)) return hsp_fail_memory(err);
    if (!s->dense) data->x.row = array_at(bytes, c->places.row);
    if (!s->dense) data->x.id = array_at(bytes, c->places.id);
    if (s->coding != HSP_CODING_ONE) data->x.value = array_at(bytes, c->places.value);
    if (s->labelled && !s->regression) data->y = array_at(bytes, c->places.y);
    if (s->labelled && s->regression) data->target = array_at(bytes, c->places.target);
    if (s->weighted) data->weight = array_at(bytes, c->places.weight);
    data->x.lent = HSP_LENT_ROW | HSP_LENT_ID | HSP_LENT_VALUE | HSP_LENT_Y | HSP_LENT_TARGET | HSP_LENT_WEIGHT;
    data->x.owner = hsp_map_owner(map);
    if (!data->x.owner || hsp_copy_string(&data->assumed, plan->assumed) ||
        hsp_copy_string(&data->source, plan->range[0].path))
        return hsp_fail_memory(err);
    return 0;
}

static void free_spooling(spooling *c) {
    for (int k = 0; k < HSP_PIPELINE_SLOTS; k++) {
        spool_piece *p = &c->piece[k];
        hsp_parcel_free(&p->parcel);
        hsp_table_piece_free(&p->coded);
        hsp_digest_free(p->digest);
        hsp_spool_rows_free(&p->rows);
        HSP_FREE(p->class, p->offset, p->y);
    }
    hsp_labels_free(c->labels);
    hsp_spool_target_close(&c->target);
    hsp_free(c);
}

int hsp_spool_rows(const hsp_spool_plan *plan, const hsp_options *o, const hsp_hooks *hooks, hsp_map **map, hsp_data **out,
                   hsp_error **err) {
    *out = NULL;
    *map = NULL;
    hsp_watch watch;
    spooling *c = hsp_alloc_zero(1, sizeof *c);
    if (!c) return hsp_fail_memory(err);
    c->plan = plan;
    c->o = o;
    c->target.fd = -1;
    int status = hsp_watch_begin(&watch, hooks, "read")
                     ? hsp_fail(err, HSP_ECANCELLED, "cancelled while reading %s", plan->range[0].path)
                     : read_ranges(c, err);
    hsp_watch_end(&watch);
    if (status == 0) status = hsp_spool_target_map(&c->target, map, err);
    if (status == 0) status = make_data(c, *map, out, err);
    hsp_map_close(*map); /* the data has a reference of its own */
    if (status < 0) {
        hsp_data_free(*out);
        *out = NULL;
        *map = NULL;
    }
    free_spooling(c);
    return status;
}
