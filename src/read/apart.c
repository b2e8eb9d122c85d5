/* Bytes and labels that come from elsewhere than the rows. */
#include "base/error.h"
#include "base/map.h"
#include "base/memory.h"
#include "data/block.h"
#include "data/data.h"
#include "data/schema.h"
#include "read/hsd.h"
#include "read/reader.h"

#include <string.h>

bool hsp_map_begins(const char *path, bool (*begins)(const char *bytes, int64_t n), hsp_map **out) {
    *out = NULL;
    if (strcmp(path, "-") == 0 || hsp_map_open(path, out, NULL) < 0) return false;
    if (begins(hsp_map_bytes(*out), hsp_map_size(*out))) return true;
    hsp_map_close(*out);
    *out = NULL;
    return false;
}

int hsp_stream_map(hsp_stream *s, hsp_map **out, hsp_error **err) {
    *out = NULL;
    int fd = hsp_stream_descriptor(s);
    if (fd >= 0) return hsp_map_open_descriptor(fd, hsp_stream_name(s), out, err);
    char *bytes = NULL;
    int64_t capacity = 0, size = 0, got = 1, step = hsp_stream_chunk(s);
    while (got > 0) {
        if (hsp_reserve((void **)&bytes, &capacity, size + step, 1)) {
            hsp_free(bytes);
            return hsp_fail_memory(err);
        }
        got = hsp_stream_read(s, bytes + size, capacity - size, err);
        if (got > 0) size += got;
    }
    if (got == 0) return hsp_map_take(bytes, size, out, err);
    hsp_free(bytes);
    return (int)got;
}

/* The next rows from *at on, each with its label and with one zero: a block needs a column. */
static int fill_block(const hsp_apart *a, int64_t *at, hsp_block *block, hsp_error **err) {
    hsp_block_reset(block, false, 0);
    for (; *at < a->n && block->rows < HSP_BLOCK_ROWS; ++*at) {
        char buf[32];
        int64_t length = 0;
        const char *label = a->label(a->ctx, *at, &length, buf);
        if (hsp_block_reserve(block, 0, length)) return hsp_fail_memory(err);
        hsp_block_close_row(block, 0, label, length, *at + 1);
    }
    return 0;
}

/* A data set with the labels and an empty column. */
static int build(const hsp_apart *a, const hsp_builder_rules *rules, hsp_data **out, hsp_error **err) {
    hsp_builder *builder = NULL;
    hsp_block block = {0};
    hsp_schema schema = {.d = 1};
    int64_t at = 0;
    int status = hsp_builder_new(rules, &builder, err);
    while (status == 0 && at < a->n) {
        status = fill_block(a, &at, &block, err);
        if (status == 0) status = hsp_builder_add(builder, &block, err);
    }
    if (status == 0)
        status = hsp_builder_finish(builder, &schema, out, err);
    else
        hsp_builder_free(builder);
    hsp_block_free(&block);
    return status;
}

int hsp_apart_label(const hsp_apart *a, const hsp_builder_rules *rules, hsp_data *data, hsp_error **err) {
    hsp_data *made = NULL;
    int status = build(a, rules, &made, err);
    if (status) return status;
    hsp_map_drop(data->x.map, data->y);
    hsp_map_drop(data->x.map, data->target);
    hsp_classes_clear(&data->classes);
    data->y = made->y;
    data->target = made->target;
    data->classes = made->classes;
    made->y = NULL;
    made->target = NULL;
    made->classes = (hsp_classes){0};
    hsp_data_free(made);
    return 0;
}
