/* What the reader targets share: the same bytes, delivered whole and in chunks, must give the same result. */
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

/* How an input is read. The fuzzer takes one of the ways, chosen by the input's size, because what it needs most are
 * executions, and one thread, because threads cost more than reading; the replay of the corpora takes all. */
#ifdef FUZZ_REPLAY
enum { EVERY_WAY = 1 };
#else
enum { EVERY_WAY = 0 };
#endif

/* Aborts when the result depends on chunks or threads. Sets the option `threads`. */
static inline void check_read(const uint8_t *bytes, size_t size, hsp_options *o, const hsp_schema *known) {
    const struct {
        const char *threads;
        int64_t chunk;
    } ways[] = {{"1", 1 + (int64_t)(size % 13)}, {"1", 14 + (int64_t)(size % 97)}, {"2", 14 + (int64_t)(size % 97)}};
    size_t first = EVERY_WAY ? 0 : size / 8 % 2, end = EVERY_WAY ? 3 : first + 1;
    if (hsp_options_set(o, "threads", "1", NULL) != 0) abort();
    outcome whole = read_once(bytes, size, 1 << 18, o, known);
    for (size_t k = first; k < end; k++) {
        if (hsp_options_set(o, "threads", ways[k].threads, NULL) != 0) abort();
        outcome got = read_once(bytes, size, ways[k].chunk, o, known);
        must_agree(&whole, &got);
    }
    if (whole.status == HSP_EINTERNAL || (whole.status != 0 && strchr(whole.message, '\n'))) abort();
}

/* Reads the bytes as `format` on their own, and for each of the schemas that models may have; then all of it with weights in
 * the second column and numbers to predict. The fuzzer does one of these. */
static inline void check_reads(const uint8_t *bytes, size_t size, const char *format, const hsp_schema *const *known,
                               size_t count) {
    hsp_options *o = NULL;
    if (hsp_options_new(&o, NULL) != 0 || hsp_options_set(o, "format", format, NULL) != 0) abort();
    size_t ways = count + 1, chosen = size % (2 * ways);
    for (size_t k = 0; k < 2 * ways; k++) {
        if (k == ways &&
            (hsp_options_set(o, "weight", "2", NULL) != 0 || hsp_options_set(o, "task", "regression", NULL) != 0))
            abort();
        if (EVERY_WAY || k == chosen) check_read(bytes, size, o, k % ways ? known[k % ways - 1] : NULL);
    }
    hsp_options_free(o);
}

#endif
