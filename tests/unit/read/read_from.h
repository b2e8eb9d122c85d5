/* Reading from strings, with many chunk sizes, on which the result must not depend. */
#ifndef TEST_READ_FROM_H
#define TEST_READ_FROM_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/text.h"
#include "option/option_text.h"
#include "read/reader.h"

static const int64_t chunks[] = {1 << 20, 1, 2, 3, 5, 17, 64};
enum { CHUNKS = sizeof chunks / sizeof *chunks };

/* Options from "name=value name=value". */
static inline hsp_options *options_of(const char *spec) {
    return options_from(spec, ' ');
}

static inline int read_chunked(const char *name, const char *text, size_t n, int64_t chunk, const hsp_options *o,
                               const hsp_schema *known, hsp_data **out, hsp_error **err) {
    hsp_stream *s = NULL;
    *out = NULL;
    int status = hsp_stream_open_memory(text, (int64_t)n, name, &s, err);
    if (status < 0) return status;
    hsp_stream_set_chunk(s, chunk);
    const hsp_read_for model = {.known = known, .regression = hsp_options_is(o, "task", "regression")};
    status = hsp_read_stream(s, o, NULL, known ? &model : NULL, out, err);
    hsp_stream_close(s);
    return status;
}

/* Reads n bytes for a model with this schema (or none); the caller frees the data. */
static inline hsp_data *read_good_known(const char *name, const char *text, size_t n, const char *spec,
                                        const hsp_schema *known) {
    hsp_options *o = options_of(spec);
    hsp_data *first = NULL;
    for (int i = 0; i < CHUNKS; i++) {
        hsp_data *data = NULL;
        hsp_error *err = NULL;
        if (read_chunked(name, text, n, chunks[i], o, known, &data, &err) != 0)
            fail_msg("chunk %d: %s", (int)chunks[i], hsp_error_message(err));
        assert_null(err);
        if (!first) {
            first = data;
            continue;
        }
        assert_true(hsp_data_hash(first) == hsp_data_hash(data));
        assert_string_equal(first->assumed, data->assumed);
        assert_int_equal(first->x.d, data->x.d);
        hsp_data_free(data);
    }
    hsp_options_free(o);
    return first;
}

static inline hsp_data *read_good(const char *name, const char *text, const char *spec) {
    return read_good_known(name, text, strlen(text), spec, NULL);
}

static inline void read_bad_known(const char *name, const char *text, size_t n, const char *spec, const hsp_schema *known,
                                  int code, const char *message) {
    hsp_options *o = options_of(spec);
    for (int i = 0; i < CHUNKS; i++) {
        hsp_data *data = NULL;
        hsp_error *err = NULL;
        int status = read_chunked(name, text, n, chunks[i], o, known, &data, &err);
        assert_null(data);
        if (status == 0 || !err) fail_msg("no error, expected: %s", message);
        assert_string_equal(hsp_error_message(err), message);
        assert_int_equal(status, code);
        assert_int_equal(hsp_error_code(err), code);
        hsp_error_free(err);
        /* The same when no error is asked for. */
        assert_int_equal(read_chunked(name, text, n, chunks[i], o, known, &data, NULL), code);
    }
    hsp_options_free(o);
}

/* A broken input, as one line of a table. size 0: the text is a string. */
typedef struct broken {
    const char *text;
    const char *spec;
    const char *message;
    size_t size;
    int code; /* 0: HSP_EINPUT */
} broken;

static inline void read_all_bad(const char *name, const broken *b, size_t count) {
    for (size_t i = 0; i < count; i++)
        read_bad_known(name, b[i].text, b[i].size ? b[i].size : strlen(b[i].text), b[i].spec, NULL,
                       b[i].code ? b[i].code : HSP_EINPUT, b[i].message);
}

/* The whole set as text: "label: x x x" a row, rows separated by " | ". */
static inline void assert_rows(const hsp_data *data, const char *expected) {
    hsp_text t = {0};
    double *x = hsp_alloc(data->x.d, sizeof *x);
    for (int64_t i = 0; i < data->x.n; i++) {
        hsp_text_add(&t, i ? " | " : "");
        hsp_text_add(&t, data->y ? data->classes.name[data->y[i]] : "-");
        hsp_text_char(&t, ':');
        assert_int_equal(hsp_data_row(data, i, x, NULL), 0);
        for (int64_t j = 0; j < data->x.d; j++) {
            hsp_text_char(&t, ' ');
            hsp_text_number(&t, x[j]);
        }
    }
    assert_string_equal(t.s, expected);
    hsp_text_free(&t);
    hsp_free(x);
}

/* Reads, compares, frees. */
static inline void check_rows(const char *name, const char *text, const char *spec, const char *expected,
                              const char *assumed) {
    hsp_data *data = read_good(name, text, spec);
    assert_rows(data, expected);
    if (assumed) assert_string_equal(data->assumed, assumed);
    hsp_data_free(data);
}

#endif
