/* Reading whole files: stream -> reader -> blocks -> builder -> data. */
#include "base/clock.h"
#include "base/memory.h"
#include "read/reader.h"

#include <stddef.h>

static void say(const hsp_hooks *hooks, const char *line) {
    if (!hooks || hooks->size < offsetof(hsp_hooks, log) + sizeof hooks->log || !hooks->log || !line) return;
    hooks->log(hooks->user, 0, line);
}

/* All blocks of the reader into the builder. */
static int collect(const hsp_reader_kind *kind, hsp_reader *reader, const char *file, hsp_builder *builder,
                   hsp_error **err) {
    hsp_block block = {0};
    int status;
    while ((status = kind->next(reader, &block, err)) > 0) {
        status = hsp_builder_add(builder, &block, err);
        if (status == 0 && hsp_cancel_take()) status = hsp_fail(err, HSP_ECANCELLED, "cancelled while reading %s", file);
        if (status < 0) break;
    }
    hsp_block_free(&block);
    return status;
}

int hsp_read_stream(hsp_stream *stream, const hsp_options *o, const hsp_hooks *hooks, const hsp_schema *known,
                    const hsp_classes *classes, hsp_data **out, hsp_error **err) {
    *out = NULL;
    double start = hsp_clock_seconds();
    const hsp_builder_rules rules = {classes, hsp_options_text(o, "map-label"), hsp_stream_name(stream)};
    const hsp_reader_kind *kind = NULL;
    hsp_reader *reader = NULL;
    hsp_builder *builder = NULL;
    hsp_schema schema = {0};
    hsp_data *data = NULL;
    char *assumed = NULL;
    int status = hsp_reader_choose(stream, o, &kind, err);
    if (status == 0) status = kind->open(stream, o, known, &reader, err);
    if (status == 0) status = hsp_builder_new(&rules, &builder, err);
    if (status == 0) status = collect(kind, reader, rules.file, builder, err);
    if (status == 0) status = hsp_schema_copy(kind->schema(reader), &schema, err);
    if (status < 0) goto done;
    assumed = hsp_strdup(kind->assumed(reader));
    if (!assumed && kind->assumed(reader)) {
        status = hsp_fail_memory(err);
        goto done;
    }
    status = hsp_builder_finish(builder, &schema, &data, err);
    builder = NULL;
    if (status < 0) goto done;
    data->assumed = assumed;
    assumed = NULL;
    data->read_seconds = hsp_clock_seconds() - start;
    say(hooks, data->assumed);
    *out = data;
done:
    hsp_free(assumed);
    hsp_schema_clear(&schema);
    hsp_builder_free(builder);
    if (kind) kind->free(reader);
    return status;
}

int hsp_read_data(const char *path, const hsp_options *o, const hsp_hooks *hooks, const hsp_schema *known,
                  const hsp_classes *classes, hsp_data **out, hsp_error **err) {
    *out = NULL;
    hsp_stream *stream = NULL;
    int status = hsp_stream_open(path, &stream, err);
    if (status == 0) status = hsp_read_stream(stream, o, hooks, known, classes, out, err);
    hsp_stream_close(stream);
    return status;
}

int hsp_data_read(const char *path, const hsp_options *o, const hsp_hooks *hooks, hsp_data **out, hsp_error **err) {
    return hsp_read_data(path, o, hooks, NULL, NULL, out, err);
}
