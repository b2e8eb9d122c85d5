/* Whole files, scanned and stored. */
#include "base/error.h"
#include "base/map.h"
#include "base/memory.h"
#include "data/shape.h"
#include "option/options.h"
#include "spool/spool.h"

int hsp_spool_files(const hsp_scan *scan, const hsp_options *o, const hsp_hooks *hooks, hsp_map **map, hsp_data **out,
                    hsp_error **err) {
    *out = NULL;
    *map = NULL;
    hsp_spool_range *range = hsp_alloc_zero(scan->files, sizeof *range);
    if (!range) return hsp_fail_memory(err);
    for (int64_t k = 0; k < scan->files; k++) {
        const hsp_scan_file *f = &scan->file[k];
        range[k] = (hsp_spool_range){.path = f->path, .whole = true, .rows = f->rows};
        for (int64_t b = 0; b < f->blocks; b++) range[k].nonzeros += scan->block[f->first + b].nonzeros;
    }
    bool on_disk = hsp_shape_bytes(&scan->shape, scan->shape.n, scan->shape.stored) > hsp_spool_budget(o);
    const hsp_spool_plan plan = {range, scan->files, &scan->schema, &scan->shape, scan->assumed, on_disk, scan->table};
    int status = hsp_spool_rows(&plan, o, hooks, map, out, err);
    hsp_free(range);
    return status;
}

int64_t hsp_spool_limit(const hsp_options *o) {
    return hsp_options_int(o, "max-memory", hsp_memory_limit());
}

/* The other half is for the work on the rows. */
int64_t hsp_spool_budget(const hsp_options *o) {
    return hsp_spool_limit(o) / 2;
}
