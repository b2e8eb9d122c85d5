/* Rows in memory as a source of blocks. */
#include "base/error.h"
#include "base/memory.h"
#include "data/data.h"
#include "data/matrix.h"
#include "data/schema.h"
#include "part/part.h"
#include "table/encoding.h"

typedef struct data_source {
    const hsp_data *data;
} data_source;

static int columns(void *self, hsp_source_columns *out, hsp_error **err) {
    const hsp_data *data = ((data_source *)self)->data;
    if (data->refusal) return hsp_fail(err, HSP_EINPUT, "%s", data->refusal);
    *out = (hsp_source_columns){.schema = &data->schema, .encoding = hsp_encoding_of(data->features),
                                .file = hsp_data_place(data).file};
    return HSP_OK;
}

static int agree(void *self, const hsp_agreed *agreed, hsp_error **err) {
    const hsp_data *data = ((data_source *)self)->data;
    if (!hsp_schema_is_svmlight(&data->schema) || data->schema.base == agreed->base) return HSP_OK;
    return hsp_fail(err, HSP_EINPUT,
                    "a part of the data counts its columns from 1 and another from 0: read all of them with --base 0");
}

static int open_block(void *self, int64_t k, hsp_part_rows *out, hsp_error **err) {
    const hsp_data *data = ((data_source *)self)->data;
    int64_t from = k * HSP_PART_ROWS, rows = data->x.n - from < HSP_PART_ROWS ? data->x.n - from : HSP_PART_ROWS;
    (void)err;
    *out = (hsp_part_rows){.x = hsp_matrix_slice(&data->x, from, rows),
                            .y = data->y ? data->y + from : NULL,
                            .target = data->target ? data->target + from : NULL,
                            .weight = data->weight ? data->weight + from : NULL,
                            .classes = &data->classes};
    return HSP_OK;
}

static void release(void *self, hsp_part_rows *rows) {
    (void)self, (void)rows;
}

int hsp_part_of_data(const hsp_data *data, int64_t first_block, const hsp_options *o, hsp_part **out, hsp_error **err) {
    *out = NULL;
    data_source *s = hsp_alloc(1, sizeof *s);
    if (!s) return hsp_fail_memory(err);
    *s = (data_source){data};
    const hsp_block_source source = {.self = s,
                                     .first_block = first_block,
                                     .blocks = (data->x.n + HSP_PART_ROWS - 1) / HSP_PART_ROWS,
                                     .columns = columns,
                                     .agree = agree,
                                     .open = open_block,
                                     .release = release,
                                     .close = hsp_free};
    return hsp_part_of_source(&source, o, out, err);
}
