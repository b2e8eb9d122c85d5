/* Reading whole files: stream -> reader -> blocks -> builder -> data. */
#include "base/clock.h"
#include "base/memory.h"
#include "base/pipeline.h"
#include "base/pool.h"
#include "read/cache.h"
#include "read/reader.h"

#include <stddef.h>

static void say(const hsp_hooks *hooks, int level, const char *line) {
    if (!hooks || hooks->size < offsetof(hsp_hooks, log) + sizeof hooks->log || !hooks->log || !line) return;
    hooks->log(hooks->user, level, line);
}

/* Where the bytes went; nothing is lost when there is no memory to tell. */
static void say_plan(const hsp_hooks *hooks, const hsp_data *data) {
    hsp_text t = {0};
    if (hsp_data_plan(data, &t) == 0) say(hooks, 1, t.s);
    hsp_text_free(&t);
}

/* A file on its way into a builder: pieces are parsed by all threads and put together in order. */
typedef struct collecting {
    hsp_reading *reading;
    hsp_builder *builder;
    const char *file;
    hsp_parcel parcel[HSP_PIPELINE_SLOTS];
    hsp_digest *digest[HSP_PIPELINE_SLOTS];
    int failed[HSP_PIPELINE_SLOTS];       /* status of the digest */
    hsp_error *fetch_error, *place_error; /* made by different threads at once */
} collecting;

static int fetch_piece(void *ctx, int slot) {
    collecting *c = ctx;
    if (hsp_cancel_take()) return hsp_fail(&c->fetch_error, HSP_ECANCELLED, "cancelled while reading %s", c->file);
    return hsp_reading_cut(c->reading, &c->parcel[slot], &c->fetch_error);
}

static void parse_piece(void *ctx, int slot) {
    collecting *c = ctx;
    hsp_reading_parse(c->reading, &c->parcel[slot]);
    c->failed[slot] = hsp_builder_digest(c->builder, &c->parcel[slot].block, c->digest[slot]);
}

static int place_piece(void *ctx, int slot) {
    collecting *c = ctx;
    if (c->failed[slot]) return hsp_fail_memory(&c->place_error);
    int status = hsp_reading_take(c->reading, &c->parcel[slot], &c->place_error);
    if (status == 0) status = hsp_builder_place(c->builder, &c->parcel[slot].block, c->digest[slot], &c->place_error);
    return status < 0 ? status : hsp_reading_fault(c->reading, &c->parcel[slot], &c->place_error);
}

static void write_piece(void *ctx, int slot) {
    collecting *c = ctx;
    hsp_builder_write(c->builder, &c->parcel[slot].block, c->digest[slot]);
}

/* All rows of the reader into the builder. */
static int collect(hsp_reading *reading, hsp_builder *builder, const char *file, int threads, hsp_error **err) {
    collecting *c = hsp_alloc_zero(1, sizeof *c);
    if (!c) return hsp_fail_memory(err);
    c->reading = reading;
    c->builder = builder;
    c->file = file;
    int slots = hsp_pipeline_slots(threads), status = 0;
    for (int k = 0; k < slots && status == 0; k++)
        if (hsp_digest_new(&c->digest[k])) status = hsp_fail_memory(&c->place_error);
    const hsp_pipeline line = {slots, threads, c, fetch_piece, parse_piece, place_piece, write_piece};
    if (status == 0) status = hsp_pipeline_run(&line);
    if (status == 0) status = hsp_reading_finish(reading, &c->place_error);
    if (c->place_error) hsp_error_pass(err, c->place_error);
    if (c->fetch_error) hsp_error_pass(err, c->fetch_error);
    for (int k = 0; k < slots; k++) {
        hsp_parcel_free(&c->parcel[k]);
        hsp_digest_free(c->digest[k]);
    }
    hsp_free(c);
    return status;
}

int hsp_read_check(const hsp_options *o, bool regression, hsp_error **err) {
    const char *task = regression ? "regression" : "classification";
    if (hsp_options_is_set(o, "task") && !hsp_options_is(o, "task", task))
        return hsp_fail(err, HSP_EUSAGE, "--task %s, but the model is one of %s: leave it out", hsp_options_text(o, "task"),
                        task);
    if (regression && hsp_options_text(o, "map-label"))
        return hsp_fail(err, HSP_EUSAGE, "--map-label is for classes, and regression has numbers to predict: leave it out");
    return 0;
}

int hsp_read_stream(hsp_stream *stream, const hsp_options *o, const hsp_hooks *hooks, const hsp_read_for *model,
                    hsp_data **out, hsp_error **err) {
    *out = NULL;
    double start = hsp_clock_seconds();
    bool regression = model ? model->regression : hsp_options_is(o, "task", "regression");
    const hsp_builder_rules rules = {.classes = model && !regression ? model->classes : NULL,
                                     .map_label = hsp_options_text(o, "map-label"),
                                     .regression = regression,
                                     .file = hsp_stream_name(stream)};
    hsp_reading reading = {0};
    hsp_builder *builder = NULL;
    hsp_schema schema = {0};
    hsp_data *data = NULL;
    char *assumed = NULL;
    int status = hsp_read_check(o, regression, err);
    if (status == 0) status = hsp_reading_open(&reading, stream, o, model ? model->known : NULL, err);
    if (status == 0) status = hsp_builder_new(&rules, &builder, err);
    if (status == 0)
        status = collect(&reading, builder, rules.file, hsp_pool_threads(hsp_options_int(o, "threads", 0)), err);
    if (status == 0) status = hsp_schema_copy(reading.kind->schema(reading.reader), &schema, err);
    if (status < 0) goto done;
    const char *said = reading.kind->assumed(reading.reader);
    assumed = hsp_strdup(said);
    if (!assumed && said) {
        status = hsp_fail_memory(err);
        goto done;
    }
    status = hsp_builder_finish(builder, &schema, &data, err);
    builder = NULL;
    if (status < 0) goto done;
    data->assumed = assumed;
    assumed = NULL;
    data->read_seconds = hsp_clock_seconds() - start;
    say(hooks, 0, data->assumed);
    say_plan(hooks, data);
    *out = data;
done:
    hsp_free(assumed);
    hsp_schema_clear(&schema);
    hsp_builder_free(builder);
    hsp_reading_close(&reading);
    return status;
}

/* Data that needed no parsing. */
static void tell_loaded(hsp_data *data, double start, const hsp_hooks *hooks) {
    data->read_seconds = hsp_clock_seconds() - start - data->check_seconds;
    say(hooks, 0, data->assumed);
    say_plan(hooks, data);
}

/* A file that can be mapped as it is: 1, or 0 when it has to be read by pieces. */
static int load(hsp_stream *stream, const char *path, const hsp_options *o, const hsp_hooks *hooks,
                const hsp_read_for *model, hsp_data **out, hsp_error **err) {
    const hsp_reader_kind *kind = NULL;
    double start = hsp_clock_seconds();
    int status = hsp_reader_choose(stream, o, &kind, err);
    if (status == 0) status = hsp_read_check(o, model ? model->regression : hsp_options_is(o, "task", "regression"), err);
    if (status == 0 && kind->load) status = kind->load(path, o, model, out, err);
    if (status > 0) tell_loaded(*out, start, hooks);
    return status;
}

static int read_path(const char *path, const hsp_options *o, const hsp_hooks *hooks, const hsp_read_for *model,
                     hsp_cache *cache, hsp_data **out, hsp_error **err) {
    hsp_stream *stream = NULL;
    bool keep = cache && hsp_cache_wants(cache);
    int status = hsp_stream_open(path, &stream, err);
    if (status == 0 && keep && hsp_stream_hash_begin(stream)) status = hsp_fail_memory(err);
    if (status == 0) status = load(stream, path, o, hooks, model, out, err);
    bool parsed = status == 0;
    if (parsed) status = hsp_read_stream(stream, o, hooks, model, out, err);
    if (parsed && status == 0 && keep) status = hsp_cache_keep(cache, *out, hsp_stream_hash(stream), err);
    hsp_stream_close(stream);
    return status < 0 ? status : 0;
}

/* From the cache of the text if it holds; else from the text, and the cache is made. */
static int read_cached(const char *path, const hsp_options *o, const hsp_hooks *hooks, hsp_data **out, hsp_error **err) {
    hsp_cache *cache = NULL;
    double start = hsp_clock_seconds();
    int status = hsp_read_check(o, hsp_options_is(o, "task", "regression"), err);
    if (status == 0) status = hsp_cache_open(path, o, &cache, err);
    if (status == 0) status = hsp_cache_find(cache, out, err);
    if (status > 0) tell_loaded(*out, start, hooks);
    if (status == 0) status = read_path(path, o, hooks, NULL, cache, out, err);
    if (status >= 0) say(hooks, -1, hsp_cache_note(cache));
    hsp_cache_close(cache);
    if (status < 0) {
        hsp_data_free(*out);
        *out = NULL;
    }
    return status < 0 ? status : 0;
}

int hsp_read_data(const char *path, const hsp_options *o, const hsp_hooks *hooks, const hsp_read_for *model, hsp_data **out,
                  hsp_error **err) {
    *out = NULL;
    if (!model && hsp_options_flag(o, "cache")) return read_cached(path, o, hooks, out, err);
    return read_path(path, o, hooks, model, NULL, out, err);
}

int hsp_data_read(const char *path, const hsp_options *o, const hsp_hooks *hooks, hsp_data **out, hsp_error **err) {
    return hsp_read_data(path, o, hooks, NULL, out, err);
}
