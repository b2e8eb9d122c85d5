/* Any bytes as a table by the Arrow C data interface: types, lengths, offsets, counts and the bits of all buffers come from
 * the input. A producer promises that buffers are as long as the types say, so they are; all else may be false. The table is
 * read, or refused in one line; what was given is released once. */
#include "data/data.h"
#include "require.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_COLUMNS = 4, MOST_ROWS = 12, MOST_BUFFERS = 6, BLOCKS = 1024, TEXT = 512 };

typedef struct source {
    const uint8_t *at, *end;
    void *block[BLOCKS]; /* freed at the end: what was lent stays until the data is gone */
    int blocks;
    int given; /* and not released */
    int64_t rows, columns, left;
    int64_t batch;
} source;

static source *now; /* releases have no other way to it */

static uint64_t take(source *s, size_t bytes) {
    uint64_t v = 0;
    for (size_t i = 0; i < bytes && s->at < s->end; i++) v |= (uint64_t)*s->at++ << (8 * i);
    return v;
}

static void *room(source *s, size_t n) {
    REQUIRE(s->blocks < BLOCKS);
    void *p = calloc(n > 0 ? n : 1, 1);
    REQUIRE(p);
    return s->block[s->blocks++] = p;
}

/* A block of n bytes from the input. */
static void *bytes_of(source *s, size_t n) {
    uint8_t *p = room(s, n);
    for (size_t i = 0; i < n && s->at < s->end; i++) p[i] = *s->at++;
    return p;
}

static const struct {
    const char *format;
    int bytes; /* of a value, 0: bits, -1: none */
} types[] = {{"n", -1},
             {"b", 0},
             {"c", 1},
             {"C", 1},
             {"s", 2},
             {"S", 2},
             {"i", 4},
             {"I", 4},
             {"l", 8},
             {"L", 8},
             {"e", 2},
             {"f", 4},
             {"g", 8},
             {"tdD", 4},
             {"tdm", 8},
             {"tss:", 8},
             {"tsm:UTC", 8},
             {"tsu:+02:00", 8},
             {"tsn:Europe/Rome", 8},
             {"d:5,2", 16},
             {"d:38,10,128", 16},
             {"d:9,2,32", 4},
             {"d:18,-2,64", 8},
             {"u", 4},
             {"U", 8},
             {"vu", 16},
             {"z", 4},
             {"+s", 0},
             {"d:", 16},
             {"x", 8},
             {"", 8}};
enum { TYPES = sizeof types / sizeof *types };

static void release_schema(struct ArrowSchema *s) {
    s->release = NULL;
    now->given--;
}

static void release_array(struct ArrowArray *a) {
    a->release = NULL;
    now->given--;
}

static void no_release_schema(struct ArrowSchema *s) {
    s->release = NULL;
}

static void no_release_array(struct ArrowArray *a) {
    a->release = NULL;
}

/* ---- columns ---- */

static void put_texts(source *s, struct ArrowArray *a, const void **buffer, int bytes, int64_t slots) {
    uint8_t *offsets = room(s, (size_t)(slots + 1) * 8);
    int64_t at = 0;
    bool wild = take(s, 1) % 8 == 7; /* offsets that go back: refused before the text is read */
    for (int64_t i = 0; i <= slots; i++) {
        int32_t small = (int32_t)at;
        memcpy(offsets + i * bytes, bytes == 4 ? (const void *)&small : (const void *)&at, (size_t)bytes);
        at += (int64_t)(take(s, 1) % 20) - (wild ? 5 : 0);
        if (at > TEXT) at = TEXT;
    }
    buffer[1] = offsets;
    buffer[2] = bytes_of(s, TEXT);
    a->n_buffers = 3;
}

static void put_views(source *s, struct ArrowArray *a, const void **buffer, int64_t slots) {
    uint8_t *views = bytes_of(s, (size_t)slots * 16);
    int64_t *sizes = room(s, 2 * sizeof *sizes);
    for (int64_t i = 0; i < slots; i++) { /* short ones, long ones, and whatever is there */
        int32_t n, kind = (int32_t)take(s, 1) % 4, zero = (int32_t)take(s, 1) % 3, at = (int32_t)take(s, 1);
        memcpy(&n, views + 16 * i, 4);
        n = kind == 0 ? n & 15 : kind == 1 ? 13 + (n & 31) : n;
        if (kind < 2) memcpy(views + 16 * i, &n, 4);
        if (kind == 1) memcpy(views + 16 * i + 8, &zero, 4), memcpy(views + 16 * i + 12, &at, 4);
    }
    sizes[0] = TEXT;
    sizes[1] = TEXT / 2;
    buffer[1] = views;
    buffer[2] = bytes_of(s, TEXT);
    buffer[3] = room(s, TEXT / 2);
    buffer[4] = sizes;
    a->n_buffers = 5;
}

/* An array of `rows` values of a type, behind some that are not shown; lengths, counts and buffers may be false. */
static void make_array(source *s, int type, int64_t rows, struct ArrowArray *a) {
    const void **buffer = room(s, MOST_BUFFERS * sizeof *buffer);
    int64_t offset = (int64_t)(take(s, 1) % 4), slots = rows + offset + 1;
    *a = (struct ArrowArray){.length = rows,
                             .offset = offset,
                             .null_count = (int64_t)(take(s, 1) % 4) - 1,
                             .n_buffers = types[type].bytes < 0 ? 0 : 2,
                             .buffers = buffer,
                             .release = no_release_array};
    if (take(s, 1) % 3 == 0) buffer[0] = bytes_of(s, (size_t)(slots + 7) / 8);
    const char *format = types[type].format;
    if (strcmp(format, "u") == 0 || strcmp(format, "U") == 0 || strcmp(format, "z") == 0)
        put_texts(s, a, buffer, types[type].bytes, slots);
    else if (strcmp(format, "vu") == 0)
        put_views(s, a, buffer, slots);
    else
        buffer[1] = bytes_of(s, types[type].bytes > 0 ? (size_t)(slots * types[type].bytes) : (size_t)(slots + 7) / 8);
    switch (take(s, 1)) { /* seldom a false one */
    case 1:
        a->length = (int64_t)take(s, 8);
        a->length = a->length > rows ? rows : a->length;
        break;
    case 2:
        a->offset = -(int64_t)take(s, 2);
        break;
    case 3:
        a->null_count = (int64_t)take(s, 8);
        break;
    case 4:
        a->n_buffers = (int64_t)(take(s, 1) % MOST_BUFFERS);
        break;
    case 5:
        buffer[1] = NULL;
        break;
    case 6:
        a->buffers = NULL;
        break;
    default:
        break;
    }
}

typedef struct column {
    int type, words; /* words: the type of its dictionary, -1: none */
    char name[8];
} column;

static column columns[MOST_COLUMNS];

/* ---- the stream ---- */

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    source *s = stream->private_data;
    struct ArrowSchema **children = room(s, (size_t)(s->columns + 1) * sizeof *children);
    for (int64_t k = 0; k < s->columns; k++) {
        children[k] = room(s, sizeof **children);
        *children[k] = (struct ArrowSchema){
            .format = types[columns[k].type].format, .name = columns[k].name, .flags = 2, .release = no_release_schema};
        if (columns[k].words < 0) continue;
        children[k]->dictionary = room(s, sizeof **children);
        *children[k]->dictionary =
            (struct ArrowSchema){.format = types[columns[k].words].format, .name = "", .release = no_release_schema};
    }
    *out = (struct ArrowSchema){
        .format = "+s", .name = "", .n_children = s->columns, .children = children, .release = release_schema};
    s->given++;
    return 0;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    source *s = stream->private_data;
    static const void *nothing[1] = {NULL};
    *out = (struct ArrowArray){0};
    if (take(s, 1) == 255) return EIO;
    if (s->left == 0) return 0;
    int64_t rows = s->left < s->batch ? s->left : s->batch;
    s->left -= rows;
    struct ArrowArray **children = room(s, (size_t)(s->columns + 1) * sizeof *children);
    for (int64_t k = 0; k < s->columns; k++) {
        children[k] = room(s, sizeof **children);
        make_array(s, columns[k].type, rows, children[k]);
        if (columns[k].words < 0) continue;
        children[k]->dictionary = room(s, sizeof **children);
        make_array(s, columns[k].words, (int64_t)(take(s, 1) % 6), children[k]->dictionary);
    }
    *out = (struct ArrowArray){.length = rows,
                               .n_buffers = 1,
                               .buffers = nothing,
                               .n_children = s->columns,
                               .children = children,
                               .release = release_array};
    s->given++;
    return 0;
}

static const char *last_error(struct ArrowArrayStream *stream) {
    (void)stream;
    return "the input says so";
}

static void release_stream(struct ArrowArrayStream *stream) {
    stream->release = NULL;
    now->given--;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const missing[] = {"error", "mean", "median", "indicator"};
    source s = {.at = data, .end = data + size, .given = 1};
    hsp_options *o = NULL;
    hsp_data *table = NULL;
    hsp_error *err = NULL;
    now = &s;
    s.columns = (int64_t)(take(&s, 1) % MOST_COLUMNS) + 1;
    s.rows = s.left = (int64_t)(take(&s, 1) % MOST_ROWS);
    s.batch = (int64_t)(take(&s, 1) % MOST_ROWS) + 1;
    for (int64_t k = 0; k < s.columns; k++) {
        columns[k] = (column){.type = (int)(take(&s, 1) % TYPES), .words = (int)(take(&s, 1) % (3 * TYPES))};
        if (columns[k].words >= TYPES) columns[k].words = -1;
        for (int i = 0; i < 3; i++) columns[k].name[i] = (char)take(&s, 1);
    }
    REQUIRE(hsp_options_new(&o, NULL) == 0 && hsp_options_set(o, "threads", "1", NULL) == 0);
    (void)hsp_options_set(o, "missing", missing[take(&s, 1) % 4], NULL);
    struct ArrowArrayStream stream = {get_schema, get_next, last_error, release_stream, &s};
    int status = hsp_data_read_arrow(&stream, o, NULL, &table, &err);
    REQUIRE((status == 0) == (table != NULL) && (status == 0) == (err == NULL) && status != HSP_EINTERNAL);
    if (err) REQUIRE(!strchr(hsp_error_message(err), '\n'));
    if (table) REQUIRE(hsp_data_rows(table) == s.rows && hsp_data_hash(table) == hsp_data_hash(table));
    hsp_data_free(table);
    REQUIRE(s.given == 0);
    hsp_error_free(err);
    hsp_options_free(o);
    while (s.blocks > 0) free(s.block[--s.blocks]);
    return 0;
}
