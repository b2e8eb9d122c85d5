/* What the reader targets share: the same bytes, delivered in chunks of different sizes and to one thread or two, must
 * give the same result. */
#ifndef FUZZ_READ_H
#define FUZZ_READ_H

#include "option/options.h"
#include "read/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct outcome {
    int status;
    uint64_t hash;
    int64_t rows, features;
    char message[600];
} outcome;

static inline outcome read_once(const uint8_t *bytes, size_t size, int64_t chunk, const hsp_options *o,
                                const hsp_schema *known) {
    outcome got = {0};
    hsp_stream *stream = NULL;
    hsp_data *data = NULL;
    hsp_error *err = NULL;
    got.status = hsp_stream_open_memory(bytes, (int64_t)size, "input", &stream, &err);
    if (got.status == 0) {
        hsp_stream_set_chunk(stream, chunk);
        const hsp_read_for model = {.known = known, .regression = hsp_options_is(o, "task", "regression")};
        got.status = hsp_read_stream(stream, o, NULL, known ? &model : NULL, &data, &err);
    }
    hsp_stream_close(stream);
    if ((got.status == 0) != (data != NULL) || (got.status == 0) != (err == NULL)) abort();
    if (data) {
        got.hash = hsp_data_hash(data);
        got.rows = hsp_data_rows(data);
        got.features = hsp_data_features(data);
        snprintf(got.message, sizeof got.message, "%s", data->assumed ? data->assumed : "");
    } else {
        snprintf(got.message, sizeof got.message, "%s", hsp_error_message(err));
    }
    hsp_data_free(data);
    hsp_error_free(err);
    return got;
}

/* Cut or damaged compressed data is detected earlier when more of it is read ahead, and from the middle both can look
 * the same. */
static inline bool in_stream(const outcome *o) {
    return o->status != 0 && (strstr(o->message, "damaged") || strstr(o->message, "cut off") ||
                              strstr(o->message, "gzip data") || strstr(o->message, "zstd window"));
}

static inline void must_agree(const outcome *whole, const outcome *parts) {
    if (whole->status == parts->status && (in_stream(whole) || in_stream(parts))) return;
    if (whole->status == parts->status && whole->hash == parts->hash && whole->rows == parts->rows &&
        whole->features == parts->features && strcmp(whole->message, parts->message) == 0)
        return;
    fprintf(stderr, "whole: %d %s\nparts: %d %s\n", whole->status, whole->message, parts->status, parts->message);
    abort();
}

/* Aborts when the result depends on chunks or threads. Sets the option `threads`. */
static inline void check_read(const uint8_t *bytes, size_t size, hsp_options *o, const hsp_schema *known) {
    const struct {
        const char *threads;
        int64_t chunk;
    } ways[] = {{"1", 1 << 18}, {"1", 1 + (int64_t)(size % 13)}, {"2", 14 + (int64_t)(size % 97)}};
    outcome whole = {0};
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        if (hsp_options_set(o, "threads", ways[k].threads, NULL) != 0) abort();
        outcome got = read_once(bytes, size, ways[k].chunk, o, known);
        if (k == 0)
            whole = got;
        else
            must_agree(&whole, &got);
    }
    if (whole.status == HSP_EINTERNAL || (whole.status != 0 && strchr(whole.message, '\n'))) abort();
}

#endif
