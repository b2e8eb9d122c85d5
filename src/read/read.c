/* Reading whole files: stream -> reader -> blocks -> builder -> data. */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "base/text.h"
#include "base/watched.h"
#include "data/block.h"
#include "data/data.h"
#include "data/schema.h"
#include "data/table_frame.h"
#include "option/options.h"
#include "read/arrow_reader.h"
#include "read/cache.h"
#include "read/collect.h"
#include "read/mapped.h"
#include "read/read_table.h"
#include "read/sides.h"
#include "table/counting.h"

static void log_line(const hsp_hooks *hooks, int level, const char *line) {
    if (!hooks || hooks->size < offsetof(hsp_hooks, log) + sizeof hooks->log || !hooks->log || !line) return;
    hooks->log(hooks->user, level, line);
}

/* Logs how the data is stored; skipped when memory runs out. */
static void log_layout(const hsp_hooks *hooks, const hsp_data *data) {
    hsp_text t = {0};
    if (hsp_data_plan(data, &t) == 0) log_line(hooks, 1, t.s);
    hsp_text_free(&t);
}

int hsp_read_check(const hsp_options *o, bool regression, hsp_error **err) {
    const char *task = regression ? "regression" : "classification";
    if (hsp_options_is_set(o, "task") && !hsp_options_is(o, "task", task))
        return hsp_fail(err, HSP_EUSAGE, "--task %s, but the model was trained for %s: leave it out",
                        hsp_options_text(o, "task"), task);
    if (regression && hsp_options_text(o, "map-label"))
        return hsp_fail(err, HSP_EUSAGE, "--map-label is for classification, not for --task regression: leave it out");
    return 0;
}

hsp_builder_rules hsp_read_rules(const hsp_options *o, const hsp_read_for *model, bool regression, const char *file) {
    return (hsp_builder_rules){.classes = model && !regression ? model->classes : NULL,
                               .map_label = hsp_options_text(o, "map-label"),
                               .target = model && model->known ? model->known->target : NULL,
                               .regression = regression,
                               .file = file};
}

/* A file to be read. */
typedef struct read_request {
    const hsp_options *o;
    const hsp_hooks *hooks;
    const hsp_read_for *model;
    bool as_table;   /* cells may be words, whatever the first rows look like */
    bool once;       /* it cannot be read again: the spellings of all columns are kept */
    bool *kept;      /* owned: of each feature, it has words, so that its spellings are kept; NULL: none is known */
    int64_t d;       /* its length */
    bool again;      /* set after an attempt: read it again as a table, with the spellings of these columns */
    bool plain;      /* set after a failure: read it again with quotes as plain characters */
    int64_t **lines; /* receives the lines on which the rows begin, of a table; NULL: not wanted */
} read_request;

static int open_reading(hsp_reading *g, hsp_stream *stream, const read_request *p, hsp_error **err) {
    int status = hsp_reading_open(g, stream, p->o, p->model ? p->model->known : NULL, err);
    if (status < 0) return status;
    if (!p->as_table || !g->kind->as_table) return 0;
    const bool *kept = p->kept && p->d == g->schema->d ? p->kept : NULL; /* the file may have changed */
    return g->kind->as_table(g->reader, kept, err);
}

/* Marks the features with words, for the next attempt: the one at which the rows ended, or all in the frame. 0 or
 * HSP_EMEMORY. */
static int mark_kept(read_request *p, const hsp_collect *c) {
    hsp_free(p->kept);
    p->d = c->reading->schema->d;
    if (!HSP_ALLOC_ZERO(p->kept, p->d + 1)) return HSP_EMEMORY;
    if (c->word_column > 0) p->kept[c->word_column - 1] = true;
    for (int64_t k = 0; c->frame && k < c->frame->blocks; k++) {
        const hsp_block *b = &c->frame->block[k];
        for (int64_t t = 0; t < b->word_count; t++) p->kept[b->word[t].column] = true;
    }
    return 0;
}

/* Whether another attempt would read more: words or codes were met where numbers were expected. */
static bool is_worth_again(const read_request *p, const hsp_collect *c, int status) {
    if (p->model || !c->reading->kind || !c->reading->kind->as_table) return false;
    return status < 0 ? c->word_column > 0 && !c->frame : c->frame && c->frame->late && !p->once;
}

/* Makes the data of the collected rows. */
static int finish_data(hsp_collect *c, const read_request *p, const hsp_builder_rules *rules, hsp_data **out,
                       hsp_error **err) {
    const char *assumed = c->reading->assumed->s;
    hsp_schema schema = {0};
    int status = hsp_schema_copy(c->reading->schema, &schema, err);
    if (status < 0) return status;
    if (c->frame) {
        hsp_schema_clear(&c->frame->schema);
        c->frame->schema = schema;
        return hsp_read_table(&c->frame, p->o, p->model, rules, assumed, out, err);
    }
    status = hsp_builder_finish(c->builder, &schema, out, err);
    c->builder = NULL;
    hsp_schema_clear(&schema);
    if (status == 0 && assumed && !((*out)->assumed = hsp_strdup(assumed))) status = hsp_fail_memory(err);
    if (status == 0 && !p->model && hsp_note_counting(*out)) status = hsp_fail_memory(err);
    return status;
}

/* Records which columns of the model the file does not have. */
static int note_absent(const hsp_schema *s, hsp_data *data, hsp_error **err) {
    hsp_text t = {0};
    data->absent.count = hsp_schema_absent(s);
    if (data->absent.count == 0) return 0;
    hsp_schema_name_absent(s, &t);
    return hsp_text_take(&t, &data->absent.names, err);
}

/* Copies the lines on which the rows of a table begin. The data has its frame, unless all columns are numeric. */
static int copy_lines(const hsp_frame *f, int64_t **lines, hsp_error **err) {
    if (!HSP_ALLOC(*lines, f->n)) return hsp_fail_memory(err);
    for (int64_t k = 0; k < f->blocks; k++)
        for (int64_t i = 0; i < f->block[k].rows; i++)
            (*lines)[f->first[k] + i] = f->block[k].line_base + f->block[k].line[i];
    return 0;
}

/* Adds the reader's warning to the data and their notes. */
static int add_note(const hsp_text *note, hsp_data *data, hsp_error **err) {
    hsp_text t = {0};
    if (!note || note->length == 0) return 0;
    if (hsp_copy_string(&data->title, note->s)) return hsp_fail_memory(err);
    hsp_text_add_n(&t, note->s, note->length);
    if (data->notes) hsp_text_format(&t, "\n%s", data->notes);
    hsp_free(data->notes);
    data->notes = NULL;
    return hsp_text_take(&t, &data->notes, err);
}

/* What another attempt should change, after one that ended with `status`. 0 or HSP_EMEMORY. */
static int plan_again(read_request *p, const hsp_collect *c, int status) {
    p->again = is_worth_again(p, c, status);
    p->plain = status < 0 && c->quote_met && hsp_options_is(p->o, "quotes", "auto");
    if (!p->again || !mark_kept(p, c)) return 0;
    p->again = p->plain = false;
    return HSP_EMEMORY;
}

/* Reads the rows of an open reader and makes the data; none if it is worth to read it again. start: when reading began. */
static int read_rows(hsp_reading *reading, read_request *p, const hsp_builder_rules *rules, double start, hsp_data **out,
                     hsp_error **err) {
    hsp_sides sides = {.file = rules->file};
    for (int k = 0; k < HSP_SIDES; k++) sides.wanted[k] = !p->model && hsp_reading_has_side(reading, k);
    hsp_collect c = {.reading = reading,
                     .sides = hsp_sides_any(&sides) ? &sides : NULL,
                     .file = rules->file,
                     .limit = hsp_options_int(p->o, "max-memory", 0)};
    int status = reading->schema->table ? hsp_frame_new(&c.frame, err) : hsp_builder_new(rules, &c.builder, err);
    if (status == 0) status = hsp_collect_rows(&c, hsp_pool_threads(hsp_options_int(p->o, "threads", 0)), err);
    if (plan_again(p, &c, status)) {
        if (status < 0 && err) {
            hsp_error_free(*err);
            *err = NULL;
        }
        status = hsp_fail_memory(err);
    }
    if (status == 0 && !p->again) status = finish_data(&c, p, rules, out, err);
    if (status == 0 && *out) status = hsp_sides_finish(&sides, (*out)->frame ? (*out)->frame : c.frame, *out, err);
    if (status == 0 && *out) status = note_absent(reading->schema, *out, err);
    if (status == 0 && *out && !p->model) status = add_note(reading->note, *out, err);
    if (status == 0 && p->lines) status = copy_lines((*out)->frame ? (*out)->frame : c.frame, p->lines, err);
    if (status == 0 && *out) {
        (*out)->read_seconds = hsp_clock_seconds() - start;
        log_line(p->hooks, 0, (*out)->assumed);
        log_layout(p->hooks, *out);
    } else {
        hsp_data_free(*out);
        *out = NULL;
    }
    hsp_frame_free(c.frame);
    hsp_builder_free(c.builder);
    hsp_sides_free(&sides);
    return status;
}

static bool is_regression(const hsp_options *o, const hsp_read_for *model) {
    return model ? model->regression : hsp_options_is(o, "task", "regression");
}

static int read_stream(hsp_stream *stream, read_request *p, hsp_data **out, hsp_error **err) {
    double start = hsp_clock_seconds();
    bool regression = is_regression(p->o, p->model);
    const hsp_builder_rules rules = hsp_read_rules(p->o, p->model, regression, hsp_stream_name(stream));
    hsp_reading reading = {0};
    *out = NULL;
    int status = hsp_read_check(p->o, regression, err);
    if (status == 0) status = open_reading(&reading, stream, p, err);
    if (status == 0) status = read_rows(&reading, p, &rules, start, out, err);
    hsp_reading_close(&reading);
    return status;
}

static int fail_unread(const char *name, hsp_error **err) {
    return hsp_fail(err, HSP_ECANCELLED, "cancelled while reading %s", name);
}

int hsp_read_arrow(struct ArrowArrayStream *stream, const hsp_options *o, const hsp_hooks *hooks, const hsp_read_for *model,
                   hsp_data **out, hsp_error **err) {
    hsp_watch watch;
    double start = hsp_clock_seconds();
    bool regression = is_regression(o, model);
    hsp_options *own = NULL;
    hsp_reading reading = {0};
    *out = NULL;
    bool stopped = hsp_watch_begin(&watch, hooks, "read");
    int status = hsp_arrow_open(stream, o, model ? model->known : NULL, &own, &reading, err); /* takes over the stream */
    if (status == 0 && stopped) status = fail_unread(HSP_ARROW_NAME, err);
    if (status == 0) status = hsp_read_check(o, regression, err);
    read_request p = {.o = own ? own : o, .hooks = hooks, .model = model, .once = true};
    const hsp_builder_rules rules = hsp_read_rules(p.o, model, regression, HSP_ARROW_NAME);
    if (status == 0) status = read_rows(&reading, &p, &rules, start, out, err);
    hsp_watch_end(&watch);
    hsp_reading_close(&reading);
    hsp_options_free(own);
    return status;
}

int hsp_data_read_arrow(struct ArrowArrayStream *stream, const hsp_options *o, const hsp_hooks *hooks, hsp_data **out,
                        hsp_error **err) {
    return hsp_read_arrow(stream, o, hooks, NULL, out, err);
}

int hsp_read_stream(hsp_stream *stream, const hsp_options *o, const hsp_hooks *hooks, const hsp_read_for *model,
                    hsp_data **out, hsp_error **err) {
    read_request p = {.o = o, .hooks = hooks, .model = model, .once = true};
    int status = read_stream(stream, &p, out, err);
    hsp_free(p.kept);
    return status;
}

int hsp_read_lines(hsp_stream *stream, const hsp_options *o, int64_t **lines, int64_t *count, hsp_error **err) {
    *lines = NULL;
    read_request p = {.o = o, .as_table = true, .once = true, .lines = lines};
    hsp_data *data = NULL;
    int status = read_stream(stream, &p, &data, err);
    *count = status < 0 ? 0 : data->x.n;
    hsp_data_free(data);
    hsp_free(p.kept);
    if (status < 0) {
        hsp_free(*lines);
        *lines = NULL;
    }
    return status;
}

/* For data that needed no parsing. */
static void log_loaded(hsp_data *data, double start, const hsp_hooks *hooks) {
    data->read_seconds = hsp_clock_seconds() - start - data->check_seconds;
    log_line(hooks, 0, data->assumed);
    log_layout(hooks, data);
}

/* A file whose rows are used in place: 1, or 0 when it has to be read by pieces. */
static int load(hsp_stream *stream, const char *path, const hsp_options *o, const hsp_hooks *hooks,
                const hsp_read_for *model, hsp_data **out, hsp_error **err) {
    const hsp_reader_kind *kind = NULL;
    double start = hsp_clock_seconds();
    int status = hsp_reader_choose(stream, o, &kind, err);
    if (status == 0) status = hsp_read_check(o, is_regression(o, model), err);
    if (status == 0) status = hsp_reader_check(kind, hsp_stream_name(stream), o, model ? model->known : NULL, err);
    if (status == 0 && kind->load) status = hsp_reader_load(kind, path, o, model, out, err);
    if (status > 0) log_loaded(*out, start, hooks);
    return status;
}

/* Changes the request by what the last attempt has found: cells are words, or quotes are plain characters. */
static int adapt_request(read_request *p, hsp_options **own, hsp_error **err) {
    p->as_table = p->again;
    if (!p->plain) return 0;
    p->as_table = false; /* with other quotes the columns may be others, too */
    int status = hsp_options_copy(p->o, own, err);
    if (status == 0) status = hsp_options_set(*own, "quotes", "no", err);
    if (status == 0) p->o = *own;
    return status;
}

/* Reads the stream by pieces. A file in which words turn up late, or broken quotes between tabs, is read again. A stream that
 * cannot be read twice is read as a table from the start. */
static int read_pieces(hsp_stream **stream, const char *path, read_request *p, hsp_data **out, hsp_error **err) {
    hsp_error *inner = NULL;
    hsp_options *own = NULL;
    bool regular = hsp_stream_regular(*stream);
    p->once = !regular;
    p->as_table = !p->model && !regular;
    int status = read_stream(*stream, p, out, &inner);
    while (regular && (p->again || p->plain)) {
        hsp_error_free(inner);
        inner = NULL;
        hsp_stream_close(*stream);
        *stream = NULL;
        status = adapt_request(p, &own, &inner);
        p->again = p->plain = false;
        if (status == 0) status = hsp_stream_open(path, stream, &inner);
        if (status == 0) status = read_stream(*stream, p, out, &inner);
    }
    hsp_options_free(own);
    HSP_FREE(p->kept);
    if (inner) hsp_error_pass(err, inner);
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
    read_request p = {.o = o, .hooks = hooks, .model = model};
    if (parsed) status = read_pieces(&stream, path, &p, out, err);
    bool table = parsed && status == 0 && ((*out)->features || p.as_table);
    if (table && keep) log_line(hooks, -1, "a table with text, categories or missing values is not cached");
    if (parsed && status == 0 && keep && !table) status = hsp_cache_keep(cache, *out, hsp_stream_hash(stream), err);
    hsp_stream_close(stream);
    return status < 0 ? status : 0;
}

/* From the cache if it is valid, else from the text, and writes the cache. */
static int read_cached(const char *path, const hsp_options *o, const hsp_hooks *hooks, hsp_data **out, hsp_error **err) {
    hsp_cache *cache = NULL;
    double start = hsp_clock_seconds();
    int status = hsp_read_check(o, hsp_options_is(o, "task", "regression"), err);
    if (status == 0) status = hsp_cache_open(path, o, &cache, err);
    if (status == 0) status = hsp_cache_find(cache, out, err);
    if (status > 0) log_loaded(*out, start, hooks);
    if (status == 0) status = read_path(path, o, hooks, NULL, cache, out, err);
    if (status >= 0) log_line(hooks, -1, hsp_cache_note(cache));
    hsp_cache_close(cache);
    if (status < 0) {
        hsp_data_free(*out);
        *out = NULL;
    }
    return status < 0 ? status : 0;
}

int hsp_read_data(const char *path, const hsp_options *o, const hsp_hooks *hooks, const hsp_read_for *model, hsp_data **out,
                  hsp_error **err) {
    hsp_watch watch;
    *out = NULL;
    int status = hsp_watch_begin(&watch, hooks, "read")   ? fail_unread(path, err)
                 : !model && hsp_options_flag(o, "cache") ? read_cached(path, o, hooks, out, err)
                                                          : read_path(path, o, hooks, model, NULL, out, err);
    hsp_watch_end(&watch);
    return status;
}

int hsp_read_opened(hsp_stream *stream, const char *path, const hsp_options *o, const hsp_hooks *hooks, hsp_data **out,
                    hsp_error **err) {
    *out = NULL;
    if (hsp_stream_regular(stream)) {
        hsp_stream_close(stream);
        return hsp_read_data(path, o, hooks, NULL, out, err);
    }
    if (hsp_options_flag(o, "cache")) log_line(hooks, -1, "cannot cache <stdin>: a stream can be read only once");
    read_request p = {.o = o, .hooks = hooks};
    hsp_watch watch;
    int status =
        hsp_watch_begin(&watch, hooks, "read") ? fail_unread(path, err) : load(stream, path, o, hooks, NULL, out, err);
    if (status == 0) status = read_pieces(&stream, path, &p, out, err);
    hsp_watch_end(&watch);
    hsp_stream_close(stream);
    return status < 0 ? status : 0;
}

int hsp_data_read(const char *path, const hsp_options *o, const hsp_hooks *hooks, hsp_data **out, hsp_error **err) {
    return hsp_read_data(path, o, hooks, NULL, out, err);
}
