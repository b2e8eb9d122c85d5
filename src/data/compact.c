#include "data/compact.h"

#include "base/error.h"
#include "data/block.h"
#include "data/data.h"
#include "kernel/form.h"

#include <string.h>

enum { BLOCK_VALUES = 1 << 16 };

bool hsp_matrix_is_compact(const hsp_matrix *m) {
    if (!m->dense) return m->ids != HSP_IDS_64;
    return hsp_matrix_coding(m) <= HSP_CODING_ONE && hsp_matrix_stride(m) > 0;
}

static int add_row(hsp_builder *b, hsp_block *block, const hsp_matrix *m, int64_t i, hsp_error **err) {
    hsp_row r = hsp_matrix_row(m, i);
    int64_t at = hsp_block_tail(block);
    if (block->rows > 0 && at + r.count > BLOCK_VALUES) {
        int status = hsp_builder_add(b, block, err);
        if (status) return status;
        hsp_block_reset(block, m->dense, m->d);
        at = 0;
    }
    if (hsp_block_reserve(block, r.count, 0)) return hsp_fail_memory(err);
    hsp_row_decode(r, 0, r.count, m->dense ? NULL : block->id + at, block->value + at);
    hsp_block_close_row(block, r.count, NULL, 0, i + 1);
    return 0;
}

int hsp_matrix_compact(const hsp_matrix *m, hsp_matrix *out, hsp_error **err) {
    hsp_builder *b = NULL;
    hsp_block block = {0};
    hsp_data *data = NULL;
    hsp_schema schema = {.d = m->d};
    *out = (hsp_matrix){0};
    int status = hsp_builder_new(NULL, &b, err);
    hsp_block_reset(&block, m->dense, m->d);
    for (int64_t i = 0; !status && i < m->n; i++) status = add_row(b, &block, m, i, err);
    if (!status) status = hsp_builder_add(b, &block, err);
    if (!status)
        status = hsp_builder_finish(b, &schema, &data, err);
    else
        hsp_builder_free(b);
    hsp_block_free(&block);
    if (status) return status;
    *out = data->x;
    data->x = (hsp_matrix){0};
    hsp_data_free(data);
    return 0;
}
