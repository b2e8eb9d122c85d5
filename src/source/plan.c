#include "source/plan.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/data.h"
#include "data/shape.h"
#include "option/options.h"
#include "read/hsd.h"
#include "read/stream.h"
#include "source/description.h"
#include "spool/spool.h"
#include "spool/table_plan.h"
#include "table/encoding.h"

#include <string.h>

/* ---- what there is ---- */

/* Whether a file begins like a data file. */
static int is_stored(const char *path, bool *out, hsp_error **err) {
    hsp_stream *stream = NULL;
    const char *bytes;
    enum { BEGIN = 32 };
    int status = hsp_stream_open(path, &stream, err);
    int64_t n = status == 0 ? hsp_stream_peek(stream, BEGIN, &bytes, err) : 0;
    *out = n > 0 && hsp_stream_descriptor(stream) >= 0 && hsp_hsd_begins(bytes, n);
    hsp_stream_close(stream);
    return n < 0 ? (int)n : status;
}

static int find_kind(hsp_plan *p, hsp_error **err) {
    for (int64_t k = 0; k < p->list.count; k++) {
        bool stored;
        int status = is_stored(p->list.path[k], &stored, err);
        if (status < 0) return status;
        if (k == 0) p->stored = stored;
        if (stored != p->stored)
            return hsp_fail_file(err, p->list.path[k], "%s, but %s is %s: convert all files, or none",
                                 stored ? "a data file" : "text", p->list.path[0], stored ? "text" : "a data file");
    }
    return 0;
}

/* Takes over what the scan has found. */
static void take_scan(hsp_plan *p) {
    const hsp_shape *s = &p->scan.shape;
    p->labelled = s->labelled;
    p->regression = s->regression;
    p->weighted = s->weighted;
    p->features = s->d;
    p->nonzeros = s->nonzeros;
    p->least = s->least;
    p->greatest = s->greatest;
    p->mean = s->mean;
    p->weight_sum = s->weight_sum;
    p->weight_zero = s->weight_zero;
    for (int64_t k = 0; k < p->scan.files; k++) {
        const hsp_scan_file *f = &p->scan.file[k];
        int64_t stored = s->dense ? f->rows * s->d : 0;
        for (int64_t b = 0; b < f->blocks && !s->dense; b++) stored += p->scan.block[f->first + b].nonzeros;
        p->file[k] = (hsp_plan_file){f->path, f->size, f->rows, f->blocks, hsp_shape_bytes(s, f->rows, stored)};
    }
}

int hsp_plan_make(const char *const *paths, int64_t count, const hsp_options *o, const hsp_hooks *hooks, hsp_plan *out,
                  hsp_error **err) {
    *out = (hsp_plan){0};
    int status = hsp_file_list_make(paths, count, &out->list, err);
    if (status == 0 && !HSP_ALLOC_ZERO(out->file, out->list.count)) status = hsp_fail_memory(err);
    if (status == 0) status = find_kind(out, err);
    if (status == 0 && out->stored)
        status = hsp_plan_stored(out, o, err);
    else if (status == 0)
        status = hsp_scan_files((const char *const *)out->list.path, out->list.count, o, hooks, &out->scan, err);
    if (status == 0 && !out->stored) take_scan(out);
    for (int64_t k = 0; k < out->list.count && status == 0; k++) {
        out->rows += out->file[k].rows;
        out->blocks += out->file[k].blocks;
        out->row_bytes += out->file[k].row_bytes;
    }
    if (status < 0) hsp_plan_clear(out);
    return status;
}

void hsp_plan_clear(hsp_plan *p) {
    hsp_file_list_clear(&p->list);
    hsp_scan_clear(&p->scan);
    hsp_schema_clear(&p->schema);
    hsp_classes_clear(&p->classes);
    HSP_FREE(p->file, p->class_rows, p->assumed);
    *p = (hsp_plan){0};
}

/* ---- the report ---- */

void hsp_plan_report(const hsp_plan *p, hsp_json *j) {
    const hsp_schema *schema = p->stored ? &p->schema : &p->scan.schema;
    const hsp_classes *classes = p->stored ? &p->classes : &p->scan.shape.classes;
    const int64_t *count = p->stored ? p->class_rows : p->scan.shape.class_rows;
    hsp_json_int(j, "rows", p->rows);
    hsp_json_int(j, "features", p->features);
    hsp_json_int(j, "nonzeros", p->nonzeros);
    if (p->labelled && !p->regression) {
        hsp_json_object(j, "classes");
        for (int64_t k = 0; k < classes->count; k++) hsp_json_int(j, classes->name[k], count[k]);
        hsp_json_object_end(j);
    } else {
        hsp_json_null(j, "classes");
    }
    if (p->labelled && p->regression) {
        hsp_json_object(j, "targets");
        hsp_json_number(j, "min", p->least);
        hsp_json_number(j, "max", p->greatest);
        hsp_json_number(j, "mean", p->mean);
        hsp_json_object_end(j);
    } else {
        hsp_json_null(j, "targets");
    }
    if (p->weighted) {
        hsp_json_object(j, "weights");
        hsp_json_string(j, "column", schema->weight);
        hsp_json_number(j, "sum", p->weight_sum);
        hsp_json_int(j, "zero", p->weight_zero);
        hsp_json_object_end(j);
    } else {
        hsp_json_null(j, "weights");
    }
    hsp_json_string(j, "format", schema->format);
    hsp_json_string(j, "assumed", p->stored ? p->assumed : p->scan.assumed);
    hsp_json_string(j, "target", schema->target);
    const hsp_table_plan *table = p->scan.table;
    const hsp_encoding *encoding = table ? table->encoding : NULL;
    hsp_json_string(j, "notes", encoding ? encoding->note : NULL);
}

/* ---- parts ---- */

/* Where a part ends: the block before which the next one begins. */
typedef struct division {
    const hsp_plan *plan;
    int64_t parts;
    int64_t file, in_file; /* the next block: its file, and its number there */
    int64_t block;         /* its global number */
    double before;         /* bytes of the rows before it */
} division;

static double block_bytes(const hsp_plan *p, int64_t file, int64_t in_file) {
    const hsp_plan_file *f = &p->file[file];
    int64_t rows = f->rows - in_file * HSP_PART_ROWS;
    if (rows > HSP_PART_ROWS) rows = HSP_PART_ROWS;
    if (p->stored || p->scan.shape.dense) return (double)f->row_bytes * (double)rows / (double)f->rows;
    const hsp_scan_block *b = &p->scan.block[p->scan.file[file].first + in_file];
    return (double)hsp_shape_bytes(&p->scan.shape, b->rows, b->nonzeros);
}

/* The range of a file from the next block on, up to `last` blocks, for the description. */
static int add_range(const division *d, int64_t blocks, hsp_description *out, hsp_error **err) {
    const hsp_plan *p = d->plan;
    const hsp_plan_file *f = &p->file[d->file];
    hsp_part_range *r = &out->range[out->ranges++];
    int64_t from = d->in_file * HSP_PART_ROWS, to = (d->in_file + blocks) * HSP_PART_ROWS;
    if (to > f->rows) to = f->rows;
    *r = (hsp_part_range){.bytes = f->bytes, .from = from, .to = to, .rows = to - from, .whole = blocks == f->blocks};
    if (hsp_copy_string(&r->path, f->path)) return hsp_fail_memory(err);
    if (p->stored) return 0;
    const hsp_scan_block *b = &p->scan.block[p->scan.file[d->file].first + d->in_file];
    r->from = b->from;
    r->to = to == f->rows ? INT64_MAX : b[blocks].from;
    r->line = b->line;
    for (int64_t k = 0; k < blocks; k++) r->nonzeros += b[k].nonzeros;
    return 0;
}

/* Fills the description with the blocks of part k. */
static int divide(division *d, int64_t k, hsp_description *out, double *bytes, hsp_error **err) {
    const hsp_plan *p = d->plan;
    double goal = (double)p->row_bytes * ((double)k + 1) / (double)d->parts, begun = d->before;
    out->first_block = d->block;
    while (d->file < p->list.count) {
        int64_t blocks = 0, left = d->parts - k - 1; /* each part after this one gets a block */
        for (; d->in_file + blocks < p->file[d->file].blocks; blocks++) {
            double size = block_bytes(p, d->file, d->in_file + blocks);
            bool none = out->blocks + blocks == 0;
            if (p->blocks - d->block - blocks <= left || (!none && left > 0 && d->before + size / 2 > goal)) break;
            d->before += size;
        }
        if (blocks == 0) break;
        int status = add_range(d, blocks, out, err);
        if (status < 0) return status;
        out->rows += out->range[out->ranges - 1].rows;
        out->blocks += blocks;
        d->block += blocks;
        d->in_file += blocks;
        if (d->in_file < p->file[d->file].blocks) break;
        d->file++;
        d->in_file = 0;
    }
    *bytes = d->before - begun;
    return 0;
}

static int report_part(division *d, int64_t k, const hsp_options *o, hsp_json *j, hsp_error **err) {
    const hsp_plan *p = d->plan;
    hsp_description about = {.stored = p->stored, .features = p->features};
    char *text = NULL;
    double bytes = 0;
    int status = hsp_options_copy(o, &about.options, err);
    if (status == 0 && !HSP_ALLOC_ZERO(about.range, p->list.count)) status = hsp_fail_memory(err);
    if (status == 0) status = divide(d, k, &about, &bytes, err);
    /* Borrowed while it is written. */
    about.schema = p->scan.schema;
    about.shape = p->scan.shape;
    about.assumed = p->scan.assumed;
    about.table = p->scan.table;
    if (status == 0) status = hsp_description_write(&about, &text, err);
    about.schema = (hsp_schema){0};
    about.shape = (hsp_shape){0};
    about.assumed = NULL;
    about.table = NULL;
    if (status == 0) {
        hsp_json_object(j, NULL);
        hsp_json_string(j, "description", text);
        hsp_json_int(j, "first_block", about.first_block);
        hsp_json_int(j, "blocks", about.blocks);
        hsp_json_int(j, "rows", about.rows);
        hsp_json_int(j, "bytes", (int64_t)bytes);
        hsp_json_object_end(j);
    }
    hsp_free(text);
    hsp_description_clear(&about);
    return status;
}

int hsp_part_plan(const char *const *paths, int64_t count, int64_t parts, const hsp_options *o, const hsp_hooks *hooks,
                  hsp_report **out, hsp_error **err) {
    *out = NULL;
    hsp_plan plan = {0};
    if (parts < 1) return hsp_fail(err, HSP_EUSAGE, "a plan for %lld parts: ask for at least one", (long long)parts);
    int status = hsp_plan_make(paths, count, o, hooks, &plan, err);
    if (status < 0) return status;
    division d = {.plan = &plan, .parts = parts < plan.blocks ? parts : plan.blocks};
    double most = 0;
    for (int64_t k = 0; k < plan.list.count; k++)
        for (int64_t b = 0; b < plan.file[k].blocks; b++)
            if (block_bytes(&plan, k, b) > most) most = block_bytes(&plan, k, b);
    hsp_json j = {0};
    hsp_json_object(&j, NULL);
    hsp_plan_report(&plan, &j);
    hsp_json_int(&j, "files", plan.list.count);
    hsp_json_bool(&j, "stored", plan.stored);
    hsp_json_int(&j, "blocks", plan.blocks);
    hsp_json_int(&j, "bytes", plan.row_bytes);
    hsp_json_int(&j, "block_bytes", (int64_t)most);
    hsp_json_int(&j, "budget", hsp_spool_budget(o));
    hsp_json_array(&j, "parts");
    for (int64_t k = 0; k < d.parts && status == 0; k++) status = report_part(&d, k, o, &j, err);
    hsp_json_array_end(&j);
    hsp_json_object_end(&j);
    if (status == 0)
        status = hsp_json_take(&j, out, err);
    else
        hsp_json_drop(&j);
    hsp_plan_clear(&plan);
    return status;
}
