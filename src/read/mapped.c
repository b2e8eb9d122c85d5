#include "read/mapped.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/block.h"
#include "data/schema.h"

#include <float.h>
#include <math.h>
#include <string.h>

int hsp_stream_map(hsp_stream *s, hsp_map **out, hsp_error **err) {
    *out = NULL;
    int fd = hsp_stream_descriptor(s);
    if (fd >= 0) return hsp_map_open_descriptor(fd, hsp_stream_name(s), out, err);
    char *bytes = NULL;
    int64_t capacity = 0, size = 0, got = 1, step = hsp_stream_chunk(s);
    while (got > 0) {
        bool beyond = hsp_stream_exceeds(s, size, 2);
        if (beyond || hsp_reserve((void **)&bytes, &capacity, size + step, 1)) {
            hsp_free(bytes);
            return beyond ? hsp_stream_fail_limit(s, err) : hsp_fail_memory(err);
        }
        got = hsp_stream_read(s, bytes + size, capacity - size, err);
        if (got > 0) size += got;
    }
    if (got == 0) return hsp_map_take(bytes, size, out, err);
    hsp_free(bytes);
    return (int)got;
}

/* Maps a plain file that begins as its format must; false: it does not, or it is compressed. */
static bool map_if_begins(const char *path, bool (*begins)(const char *bytes, int64_t n), hsp_map **out) {
    if (strcmp(path, "-") == 0 || hsp_map_open(path, out, NULL) < 0) return false;
    if (begins(hsp_map_bytes(*out), hsp_map_size(*out))) return true;
    hsp_map_close(*out);
    return false;
}

int hsp_reader_load(const hsp_reader_kind *kind, const char *path, const hsp_options *o, const hsp_read_for *model,
                    hsp_data **out, hsp_error **err) {
    *out = NULL;
    hsp_map *map = NULL;
    hsp_reading g = {.kind = kind};
    if (!map_if_begins(path, kind->begins, &map)) return 0;
    int status = kind->open_mapped(map, path, o, model ? model->known : NULL, &g, err);
    if (status == 0) status = kind->load(g.reader, o, model, out, err);
    hsp_reading_close(&g);
    hsp_map_close(map);
    return status;
}

int hsp_chunk_cut_rows(hsp_chunk *chunk, int64_t *at, int64_t n, int64_t most) {
    chunk->row = *at;
    chunk->rows = n - *at < most ? n - *at : most;
    *at += chunk->rows;
    return chunk->rows > 0;
}

/* ---- values ---- */

void hsp_matrix_zero_codes(const hsp_matrix *m, bool zero[HSP_CODES]) {
    for (int k = 0; k < HSP_CODES; k++) zero[k] = m->table && m->table[k] == 0;
}

bool hsp_matrix_finite(const hsp_matrix *m, const bool zero[HSP_CODES], int64_t from, int64_t to, int64_t *zeros) {
    bool finite = true;
    int64_t count = 0;
    if (m->coding == HSP_CODING_F64) {
        const double *v = m->value;
        for (int64_t t = from; t < to; t++) {
            finite &= fabs(v[t]) <= DBL_MAX;
            count += v[t] == 0;
        }
    } else if (m->coding == HSP_CODING_F32) {
        const float *v = m->value;
        for (int64_t t = from; t < to; t++) {
            finite &= fabsf(v[t]) <= FLT_MAX;
            count += v[t] == 0;
        }
    } else if (m->coding == HSP_CODING_CODE8) {
        const uint8_t *v = m->value;
        for (int64_t t = from; t < to; t++) count += zero[v[t]];
    }
    *zeros += count;
    return finite;
}

/* ---- labels ---- */

/* Adds rows without features, from *at on, with their labels. */
static int fill_block(const hsp_label_source *a, int64_t *at, hsp_block *block, hsp_error **err) {
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

/* A data set of the labels and one empty column. */
static int build_labels(const hsp_label_source *a, const hsp_builder_rules *rules, hsp_data **out, hsp_error **err) {
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

int hsp_data_relabel(const hsp_label_source *a, const hsp_builder_rules *rules, hsp_data *data, hsp_error **err) {
    hsp_data *made = NULL;
    int status = build_labels(a, rules, &made, err);
    if (status) return status;
    hsp_data_drop_labels(data);
    data->y = made->y;
    data->target = made->target;
    data->classes = made->classes;
    made->y = NULL;
    made->target = NULL;
    made->classes = (hsp_classes){0};
    hsp_data_free(made);
    return 0;
}
