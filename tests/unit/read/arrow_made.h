/* Tables by the Arrow C data interface, made by hand, in blocks of their own so that a sanitizer sees a read beyond. What is
 * given to the library is counted until it is released. */
#ifndef TEST_ARROW_MADE_H
#define TEST_ARROW_MADE_H

#include "read_from.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* ---- memory ---- */

enum { MADE_BLOCKS = 4096 };
static void *made_block[MADE_BLOCKS];
static int made_blocks;
static int made_live; /* schemas, arrays and streams that were given and not released */

static inline void *made_room(int64_t n) {
    assert_true(made_blocks < MADE_BLOCKS);
    void *p = calloc(1, n > 0 ? (size_t)n : 1);
    assert_non_null(p);
    return made_block[made_blocks++] = p;
}

static inline void made_clear(void) {
    assert_int_equal(made_live, 0);
    while (made_blocks > 0) free(made_block[--made_blocks]);
}

/* ---- columns ---- */

/* Its fields may be changed after it was made, to break it. */
typedef struct made_column {
    const char *format, *name;
    int64_t length, offset, nulls, buffers;
    const void *buffer[8];
    const struct made_column *words;
} made_column;

/* Values before the first row: the offset of all columns that are made. */
static int64_t made_before = 0;

static inline made_column made_empty(const char *format, const char *name, int64_t n) {
    return (made_column){.format = format, .name = name, .length = n, .offset = made_before, .buffers = 2};
}

/* Marks row i as null, with a bitmap from the first one on. */
static inline void made_null(made_column *c, int64_t i) {
    int64_t bytes = (c->offset + c->length + 7) / 8;
    if (!c->buffer[0]) {
        uint8_t *all = made_room(bytes);
        memset(all, 0xff, (size_t)bytes);
        c->buffer[0] = all;
    }
    uint8_t *bits = made_room(bytes);
    memcpy(bits, c->buffer[0], (size_t)bytes);
    bits[(c->offset + i) / 8] &= (uint8_t) ~(1U << ((c->offset + i) % 8));
    c->buffer[0] = bits;
    c->nulls++;
}

#define MADE_PUT(T)                                               \
    do {                                                          \
        T *to = made_room((n + before) * (int64_t)sizeof *to);    \
        for (int64_t i = 0; i < n; i++)                           \
            if (!isnan(v[i])) to[before + i] = (T)v[i];           \
        c.buffer[1] = to;                                         \
    } while (0)

/* Numbers of a type other than half; NaN: null. */
static inline made_column made_numbers(const char *format, const char *name, const double *v, int64_t n) {
    made_column c = made_empty(format, name, n);
    int64_t before = c.offset;
    switch (*format) {
    case 'c': MADE_PUT(int8_t); break;
    case 'C': MADE_PUT(uint8_t); break;
    case 's': MADE_PUT(int16_t); break;
    case 'S': MADE_PUT(uint16_t); break;
    case 'i': MADE_PUT(int32_t); break;
    case 'I': MADE_PUT(uint32_t); break;
    case 'l': MADE_PUT(int64_t); break;
    case 'L': MADE_PUT(uint64_t); break;
    case 'f': MADE_PUT(float); break;
    default: MADE_PUT(double); break;
    }
    for (int64_t i = 0; i < n; i++)
        if (isnan(v[i])) made_null(&c, i);
    return c;
}

/* Values of `bytes` bytes as they are. */
static inline made_column made_raw(const char *format, const char *name, const void *v, int64_t bytes, int64_t n) {
    made_column c = made_empty(format, name, n);
    char *to = made_room((n + c.offset) * bytes);
    memcpy(to + c.offset * bytes, v, (size_t)(n * bytes));
    c.buffer[1] = to;
    return c;
}

/* One character for each row: 0, 1, or ? for null. */
static inline made_column made_bools(const char *name, const char *cells) {
    made_column c = made_empty("b", name, (int64_t)strlen(cells));
    uint8_t *bits = made_room((c.offset + c.length + 7) / 8);
    for (int64_t i = 0; i < c.length; i++) {
        int64_t at = c.offset + i;
        if (cells[i] == '1') bits[at / 8] |= (uint8_t)(1U << (at % 8));
        if (cells[i] == '?') made_null(&c, i);
    }
    c.buffer[1] = bits;
    return c;
}

/* Views: texts of up to 12 bytes in place, others by turns in two buffers. */
static inline void made_views(made_column *c, const char *const *cells) {
    int64_t total = 0, used[2] = {0, 0};
    for (int64_t i = 0; i < c->length; i++) total += cells[i] ? (int64_t)strlen(cells[i]) : 0;
    char *text[2] = {made_room(total), made_room(total)}, *views = made_room(16 * (c->offset + c->length));
    for (int64_t i = 0; i < c->length; i++) {
        int32_t n = cells[i] ? (int32_t)strlen(cells[i]) : 0, buffer = (int32_t)(i % 2);
        char *view = views + 16 * (c->offset + i);
        memcpy(view, &n, 4);
        if (n > 0) memcpy(view + 4, cells[i], n > 12 ? 4 : (size_t)n);
        if (n <= 12) continue;
        int32_t at = (int32_t)used[buffer];
        memcpy(view + 8, &buffer, 4);
        memcpy(view + 12, &at, 4);
        memcpy(text[buffer] + at, cells[i], (size_t)n);
        used[buffer] += n;
    }
    int64_t *sizes = made_room(sizeof used);
    memcpy(sizes, used, sizeof used);
    c->buffers = 5;
    c->buffer[1] = views;
    c->buffer[2] = text[0];
    c->buffer[3] = text[1];
    c->buffer[4] = sizes;
}

static inline void made_offsets(made_column *c, const char *const *cells, bool large) {
    int64_t total = 0, at = 0;
    for (int64_t i = 0; i < c->length; i++) total += cells[i] ? (int64_t)strlen(cells[i]) : 0;
    char *text = made_room(total), *offsets = made_room((large ? 8 : 4) * (c->offset + c->length + 1));
    for (int64_t i = 0; i <= c->length; i++) {
        int32_t small = (int32_t)at;
        memcpy(offsets + (large ? 8 : 4) * (c->offset + i), large ? (const void *)&at : (const void *)&small, large ? 8 : 4);
        int64_t n = i < c->length && cells[i] ? (int64_t)strlen(cells[i]) : 0;
        if (n > 0) memcpy(text + at, cells[i], (size_t)n);
        at += n;
    }
    c->buffers = 3;
    c->buffer[1] = offsets;
    c->buffer[2] = text;
}

/* Texts of type u, U or vu; NULL: null. */
static inline made_column made_texts(const char *format, const char *name, const char *const *cells, int64_t n) {
    made_column c = made_empty(format, name, n);
    if (*format == 'v')
        made_views(&c, cells);
    else
        made_offsets(&c, cells, *format == 'U');
    for (int64_t i = 0; i < n; i++)
        if (!cells[i]) made_null(&c, i);
    return c;
}

/* Places in a dictionary; NaN: null. */
static inline made_column made_codes(const char *format, const char *name, const double *v, int64_t n,
                                     const made_column *words) {
    made_column c = made_numbers(format, name, v, n);
    c.words = words;
    return c;
}

/* ---- streams ---- */

typedef struct made_stream {
    struct ArrowArrayStream stream;
    const made_column *column;
    int64_t columns, rows, batch, at;
    const char *format; /* of the schema; NULL: that of record batches */
    int fails;          /* the call that fails: 1 the schema, 2 the first batch, ...; 0: none */
    const char *error;  /* its message */
    int calls;
    void (*change)(struct ArrowArray *batch); /* breaks a batch; NULL: does not */
} made_stream;

static inline void made_free_array(struct ArrowArray *a) {
    while (a) {
        struct ArrowArray *words = a->dictionary;
        free(a);
        a = words;
    }
}

static inline void made_free_schema(struct ArrowSchema *s) {
    while (s) {
        struct ArrowSchema *words = s->dictionary;
        free(s);
        s = words;
    }
}

static inline void made_release_array(struct ArrowArray *a) {
    assert_non_null(a->release);
    for (int64_t k = 0; k < a->n_children && a->children; k++) made_free_array(a->children[k]);
    free(a->children);
    *a = (struct ArrowArray){0};
    made_live--;
}

static inline void made_release_schema(struct ArrowSchema *s) {
    assert_non_null(s->release);
    for (int64_t k = 0; k < s->n_children && s->children; k++) made_free_schema(s->children[k]);
    free(s->children);
    *s = (struct ArrowSchema){0};
    made_live--;
}

static inline void made_release_stream(struct ArrowArrayStream *s) {
    assert_non_null(s->release);
    s->release = NULL;
    made_live--;
}

static inline struct ArrowSchema *made_schema_of(const made_column *c) {
    struct ArrowSchema *s = calloc(1, sizeof *s);
    assert_non_null(s);
    *s = (struct ArrowSchema){.format = c->format, .name = c->name, .flags = 2, .release = made_release_schema};
    if (c->words) s->dictionary = made_schema_of(c->words);
    return s;
}

static inline struct ArrowArray *made_array_of(const made_column *c) {
    struct ArrowArray *a = calloc(1, sizeof *a);
    assert_non_null(a);
    *a = (struct ArrowArray){.length = c->length,
                             .null_count = c->nulls,
                             .offset = c->offset,
                             .n_buffers = c->buffers,
                             .buffers = (const void **)c->buffer,
                             .release = made_release_array};
    if (c->words) a->dictionary = made_array_of(c->words);
    return a;
}

static inline int made_get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    made_stream *m = stream->private_data;
    if (++m->calls == m->fails) return EIO;
    *out = (struct ArrowSchema){.format = m->format ? m->format : "+s",
                                .n_children = m->columns,
                                .children = calloc((size_t)m->columns + 1, sizeof(void *)),
                                .release = made_release_schema};
    for (int64_t k = 0; k < m->columns; k++) out->children[k] = made_schema_of(&m->column[k]);
    made_live++;
    return 0;
}

/* Every other batch has its offset itself, the others in their columns. */
static inline int made_get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    static const void *nothing[1] = {NULL};
    made_stream *m = stream->private_data;
    if (++m->calls == m->fails) return EIO;
    *out = (struct ArrowArray){0};
    if (m->at >= m->rows) return 0;
    int64_t count = m->rows - m->at < m->batch ? m->rows - m->at : m->batch;
    bool outside = m->calls % 2;
    *out = (struct ArrowArray){.length = count,
                               .offset = outside ? m->at : 0,
                               .n_buffers = 1,
                               .buffers = nothing,
                               .n_children = m->columns,
                               .children = calloc((size_t)m->columns + 1, sizeof(void *)),
                               .release = made_release_array};
    for (int64_t k = 0; k < m->columns; k++) {
        struct ArrowArray *a = out->children[k] = made_array_of(&m->column[k]);
        if (outside) continue;
        a->offset += m->at;
        a->length = a->length - m->at < count ? a->length - m->at : count;
        if (a->null_count > 0) a->null_count = -1;
    }
    if (m->change) m->change(out);
    m->at += count;
    made_live++;
    return 0;
}

static inline const char *made_last_error(struct ArrowArrayStream *stream) {
    return ((made_stream *)stream->private_data)->error;
}

/* The stream of m, whose columns, rows and batch are set. */
static inline struct ArrowArrayStream *made_start(made_stream *m) {
    m->at = m->calls = 0;
    m->stream = (struct ArrowArrayStream){made_get_schema, made_get_next, made_last_error, made_release_stream, m};
    made_live++;
    return &m->stream;
}

#endif
