#include "source/files_source.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "data/matrix.h"
#include "data/schema.h"
#include "data/shape.h"
#include "kernel/form.h"
#include "option/options.h"
#include "spool/file_list.h"
#include "spool/spool.h"
#include "spool/table_plan.h"

#include <string.h>

/* ---- opening ---- */

static int fail_changed(const hsp_part_range *r, hsp_error **err) {
    return hsp_fail_file(err, r->path,
                         "not the file that the plan was made for: make the plan again, and leave the files alone");
}

/* One data file, whose rows are checked. */
static int open_stored(hsp_files_source *s, int64_t k, hsp_error **err) {
    const hsp_part_range *r = &s->about.range[k];
    int threads = hsp_pool_threads(hsp_options_int(s->about.options, "threads", 0));
    hsp_stored_rows *to = &s->stored[k];
    hsp_map *map = NULL;
    hsp_hsd *file = NULL;
    int status = hsp_map_open(r->path, &map, err);
    if (status == 0) status = hsp_hsd_open(map, r->path, &file, err);
    hsp_map_close(map); /* the file has a reference */
    if (status == 0 && (file->x.n < r->to || hsp_map_size(file->map) != r->bytes)) status = fail_changed(r, err);
    if (status == 0) status = hsp_stored_check(file, r->from, r->to, threads, s->sparing, err);
    if (status == 0) status = hsp_hsd_data(file, &to->data, err);
    if (status == 0) to->map = file->map; /* the data has a reference, too */
    hsp_hsd_close(file);
    s->stretch[k] = (hsp_stretch){.place = k, .row = r->from, .rows = r->rows};
    return status;
}

static int open_all_stored(hsp_files_source *s, hsp_error **err) {
    int64_t bytes = 0;
    int status = 0;
    if (!HSP_ALLOC_ZERO(s->stored, s->about.ranges)) return hsp_fail_memory(err);
    s->stored_count = s->about.ranges;
    for (int64_t k = 0; k < s->about.ranges; k++) bytes += s->about.range[k].bytes;
    s->sparing = bytes > hsp_spool_budget(s->about.options);
    for (int64_t k = 0; k < s->about.ranges && status == 0; k++) status = open_stored(s, k, err);
    return status;
}

/* The rows of all ranges of text, one after the other in memory or in a temporary file. */
static int open_text(hsp_files_source *s, hsp_error **err) {
    const hsp_description *d = &s->about;
    hsp_spool_range *range = hsp_alloc(d->ranges, sizeof *range);
    int64_t rows = 0, nonzeros = 0;
    int status = range && HSP_ALLOC_ZERO(s->stored, 1) ? 0 : hsp_fail_memory(err);
    for (int64_t k = 0; k < d->ranges && status == 0; k++) {
        const hsp_part_range *r = &d->range[k];
        range[k] = (hsp_spool_range){r->path, r->from, r->to, r->line, r->whole, r->rows, r->nonzeros};
        s->stretch[k] = (hsp_stretch){.row = rows, .rows = r->rows};
        rows += r->rows;
        nonzeros += r->nonzeros;
        int64_t bytes = hsp_file_size(r->path);
        if (bytes >= 0 && bytes != r->bytes) status = fail_changed(r, err);
    }
    if (status == 0) {
        int64_t bytes = hsp_shape_bytes(&d->shape, rows, d->shape.dense ? rows * d->shape.d : nonzeros);
        s->sparing = bytes > hsp_spool_budget(d->options);
        s->stored_count = 1;
        const hsp_spool_plan plan = {range, d->ranges, &d->schema, &d->shape, d->assumed, s->sparing, d->table};
        status = hsp_spool_rows(&plan, d->options, NULL, &s->stored[0].map, &s->stored[0].data, err);
    }
    hsp_free(range);
    return status;
}

int hsp_files_source_open(hsp_description *about, hsp_files_source **out, hsp_error **err) {
    *out = NULL;
    hsp_files_source *s = hsp_alloc_zero(1, sizeof *s);
    if (!s) {
        hsp_description_clear(about);
        return hsp_fail_memory(err);
    }
    s->about = *about;
    *about = (hsp_description){0};
    int64_t first = 0;
    int status = HSP_ALLOC_ZERO(s->stretch, s->about.ranges) ? 0 : hsp_fail_memory(err);
    if (status == 0) status = s->about.stored ? open_all_stored(s, err) : open_text(s, err);
    for (int64_t k = 0; k < s->about.ranges && status == 0; k++) {
        s->stretch[k].first = first;
        first += (s->stretch[k].rows + HSP_PART_ROWS - 1) / HSP_PART_ROWS;
    }
    if (status < 0)
        hsp_files_source_close(s);
    else
        *out = s;
    return status;
}

void hsp_files_source_close(void *self) {
    hsp_files_source *s = self;
    if (!s) return;
    for (int64_t k = 0; k < s->stored_count; k++) hsp_data_free(s->stored[k].data);
    hsp_description_clear(&s->about);
    HSP_FREE(s->stored, s->stretch, s);
}

/* ---- blocks ---- */

static int columns(void *self, hsp_source_columns *out, hsp_error **err) {
    const hsp_files_source *s = self;
    (void)err;
    const hsp_table_plan *table = s->about.table;
    *out = (hsp_source_columns){.schema = &s->stored[0].data->schema,
                                .encoding = table && !table->plain ? table->encoding : NULL,
                                .file = s->about.range[0].path};
    return 0;
}

static int agree(void *self, const hsp_agreed *agreed, hsp_error **err) {
    const hsp_files_source *s = self;
    const hsp_schema *own = &s->stored[0].data->schema;
    if (!hsp_schema_is_svmlight(own) || own->base == agreed->base) return 0;
    return hsp_fail_file(err, s->about.range[0].path,
                         "features are numbered from %d here and from %d in other parts: read all of them with --base 0",
                         own->base, agreed->base);
}

/* The stretch of a block, and its rows in it. */
static const hsp_stretch *find_block(hsp_files_source *s, int64_t k, int64_t *row, int64_t *rows) {
    if (k < s->stretch[s->at].first) s->at = 0;
    while (s->at + 1 < s->about.ranges && s->stretch[s->at + 1].first <= k) s->at++;
    const hsp_stretch *t = &s->stretch[s->at];
    int64_t skip = (k - t->first) * HSP_PART_ROWS;
    *row = t->row + skip;
    *rows = t->rows - skip < HSP_PART_ROWS ? t->rows - skip : HSP_PART_ROWS;
    return t;
}

/* Dense rows of fewer columns than others of the data have: those of svmlight, where columns may be absent. */
static int widen(hsp_part_rows *r, int64_t d, hsp_error **err) {
    size_t size = hsp_matrix_value_size(&r->x), old = (size_t)r->x.d * size, new = (size_t)d * size;
    int zero = 0;
    if (r->x.coding == HSP_CODING_CODE8)
        while (zero < HSP_TABLE - 1 && r->x.table[zero] != 0) zero++;
    char *wide = hsp_alloc(r->x.n * d, size);
    if (!wide) return hsp_fail_memory(err);
    memset(wide, zero, (size_t)r->x.n * new);
    for (int64_t i = 0; i < r->x.n; i++) memcpy(wide + (size_t)i * new, hsp_matrix_row(&r->x, i).value, old);
    r->owned = r->x.value = wide;
    r->x.d = r->x.stride = d;
    r->x.stored = r->x.n * d;
    return 0;
}

static int open_block(void *self, int64_t k, hsp_part_rows *out, hsp_error **err) {
    hsp_files_source *s = self;
    int64_t row, rows, next, count;
    if (s->sparing && k + 1 < s->about.blocks) {
        const hsp_stretch *t = find_block(s, k + 1, &next, &count);
        hsp_stored_want(&s->stored[t->place], next, count);
    }
    const hsp_stretch *t = find_block(s, k, &row, &rows);
    const hsp_data *data = s->stored[t->place].data;
    s->opened = (hsp_stretch){.place = t->place, .row = row, .rows = rows};
    *out = (hsp_part_rows){.x = hsp_matrix_slice(&data->x, row, rows),
                           .y = data->y ? data->y + row : NULL,
                           .target = data->target ? data->target + row : NULL,
                           .weight = data->weight ? data->weight + row : NULL,
                           .classes = &data->classes};
    int64_t d = s->about.features;
    if (!s->about.stored || out->x.d >= d) return 0;
    if (out->x.dense) return widen(out, d, err);
    out->x.d = d;
    return 0;
}

static void release(void *self, hsp_part_rows *r) {
    hsp_files_source *s = self;
    hsp_free(r->owned);
    if (s->sparing) hsp_stored_spare(&s->stored[s->opened.place], s->opened.row, s->opened.rows);
}

hsp_block_source hsp_files_source_blocks(hsp_files_source *s) {
    return (hsp_block_source){.self = s,
                              .first_block = s->about.first_block,
                              .blocks = s->about.blocks,
                              .columns = columns,
                              .agree = agree,
                              .open = open_block,
                              .release = release,
                              .close = hsp_files_source_close};
}

int hsp_part_open(const char *description, hsp_part **out, hsp_error **err) {
    hsp_description d = {0};
    hsp_files_source *s = NULL;
    *out = NULL;
    int status = hsp_description_read(description, &d, err);
    if (status == 0) status = hsp_files_source_open(&d, &s, err);
    hsp_description_clear(&d);
    if (status < 0) return status;
    const hsp_block_source blocks = hsp_files_source_blocks(s);
    return hsp_part_of_source(&blocks, s->about.options, out, err);
}
