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
    const hsp_reader_kind *kind = NULL;
    hsp_reader *reader = NULL;
    hsp_builder *builder = NULL;
    hsp_schema schema = {0};
    hsp_data *data = NULL;
    char *assumed = NULL;
    int status = hsp_read_check(o, regression, err);
    if (status == 0) status = hsp_reader_choose(stream, o, &kind, err);
    if (status == 0) status = kind->open(stream, o, model ? model->known : NULL, &reader, err);
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

int hsp_read_data(const char *path, const hsp_options *o, const hsp_hooks *hooks, const hsp_read_for *model, hsp_data **out,
                  hsp_error **err) {
    *out = NULL;
    hsp_stream *stream = NULL;
    int status = hsp_stream_open(path, &stream, err);
    if (status == 0) status = hsp_read_stream(stream, o, hooks, model, out, err);
    hsp_stream_close(stream);
    return status;
}

int hsp_data_read(const char *path, const hsp_options *o, const hsp_hooks *hooks, hsp_data **out, hsp_error **err) {
    return hsp_read_data(path, o, hooks, NULL, out, err);
}
