/* Plans of data files: their headers tell the columns; labels and weights are counted. */
#include "base/error.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/data.h"
#include "data/schema.h"
#include "option/options.h"
#include "read/hsd.h"
#include "read/reader.h"
#include "source/plan.h"
#include "spool/scan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- classes ---- */

typedef struct named_count {
    const char *name;
    int64_t rows;
} named_count;

/* Adds the rows of each class of a file to those of the files before; the names stay sorted as those of readers are. */
static int join_classes(hsp_plan *p, const hsp_classes *own, const int64_t *rows, hsp_error **err) {
    bool numeric = true;
    int64_t n = 0, most = p->classes.count + own->count;
    hsp_classes joined = {0};
    int64_t *count = NULL;
    if (!HSP_ALLOC_ZERO(joined.name, most + 1) || !HSP_ALLOC_ZERO(count, most + 1)) goto fail;
    for (int64_t k = 0; k < p->classes.count; k++) numeric = numeric && hsp_label_is_number(p->classes.name[k]);
    for (int64_t k = 0; k < own->count; k++) numeric = numeric && hsp_label_is_number(own->name[k]);
    if (hsp_classes_are_codes(&p->classes) || hsp_classes_are_codes(own)) numeric = false;
    for (int64_t a = 0, b = 0; a < p->classes.count || b < own->count; n++) {
        int order = a == p->classes.count ? 1
                    : b == own->count     ? -1
                                          : hsp_label_compare(p->classes.name[a], own->name[b], numeric);
        if (hsp_copy_string(&joined.name[n], order <= 0 ? p->classes.name[a] : own->name[b])) goto fail;
        joined.count = n + 1;
        if (order <= 0) count[n] += p->class_rows[a++];
        if (order >= 0) count[n] += rows[b++];
    }
    hsp_classes_clear(&p->classes);
    hsp_free(p->class_rows);
    p->classes = joined;
    p->class_rows = count;
    return 0;
fail:
    hsp_classes_clear(&joined);
    hsp_free(count);
    return hsp_fail_memory(err);
}

static int count_classes(hsp_plan *p, const hsp_hsd *f, hsp_error **err) {
    int64_t *rows = hsp_alloc_zero(f->classes.count + 1, sizeof *rows);
    if (!rows) return hsp_fail_memory(err);
    int status = 0;
    for (int64_t i = 0; f->y && i < f->x.n && status == 0; i++) {
        if (f->y[i] >= 0 && f->y[i] < f->classes.count)
            rows[f->y[i]]++;
        else
            status = hsp_fail_file(err, f->name, "damaged data file, row %lld has an unknown class: copy the file again, or "
                                                 "convert again", (long long)i + 1);
    }
    if (f->y) hsp_map_spare(f->map, f->y, f->x.n * (int64_t)sizeof *f->y);
    if (status == 0) status = join_classes(p, &f->classes, rows, err);
    hsp_free(rows);
    return status;
}

/* ---- numbers ---- */

static void count_numbers(hsp_plan *p, const hsp_hsd *f) {
    for (int64_t i = 0; f->target && i < f->x.n; i++) {
        double v = f->target[i], n = (double)(p->rows + i + 1);
        p->least = fmin(p->least, v);
        p->greatest = fmax(p->greatest, v);
        p->mean += v / n - p->mean / n;
    }
    for (int64_t i = 0; f->weight && i < f->x.n; i++) {
        p->weight_sum += f->weight[i];
        p->weight_zero += f->weight[i] == 0;
    }
    if (f->target) hsp_map_spare(f->map, f->target, f->x.n * (int64_t)sizeof *f->target);
    if (f->weight) hsp_map_spare(f->map, f->weight, f->x.n * (int64_t)sizeof *f->weight);
}

/* ---- files ---- */

static int agree_kind(const hsp_plan *p, const hsp_hsd *f, hsp_error **err) {
    bool labelled = f->y || f->target;
    if (labelled != p->labelled || (f->target != NULL) != p->regression)
        return hsp_fail_file(err, f->name, "%s, but %s has %s: give files that are alike",
                             f->target ? "numeric targets"
                             : f->y    ? "classes"
                                       : "no labels",
                             p->list.path[0],
                             p->regression ? "numeric targets"
                             : p->labelled ? "classes"
                                           : "none");
    if ((f->weight != NULL) != p->weighted)
        return hsp_fail_file(err, f->name, "%s weights, but %s has %s: give files that are alike", f->weight ? "has" : "no",
                             p->list.path[0], p->weighted ? "some" : "none");
    if (hsp_schema_is_svmlight(&f->schema) && f->schema.base != p->schema.base)
        return hsp_fail_file(err, f->name,
                             "features are numbered from %d, but in %s from %d: convert all files with the same --base",
                             f->schema.base, p->list.path[0], p->schema.base);
    if (hsp_schema_is_svmlight(&f->schema) != hsp_schema_is_svmlight(&p->schema))
        return hsp_fail_file(err, f->name, "made from another format than %s: give files that are alike", p->list.path[0]);
    return hsp_scan_agree(&p->schema, p->list.path[0], &f->schema, f->name, err);
}

static int add_file(hsp_plan *p, int64_t k, const hsp_hsd *f, hsp_error **err) {
    int status = 0;
    if (k == 0) {
        p->labelled = f->y || f->target;
        p->regression = f->target != NULL;
        p->weighted = f->weight != NULL;
        p->least = INFINITY;
        p->greatest = -INFINITY;
        status = hsp_schema_copy(&f->schema, &p->schema, err);
    } else {
        status = agree_kind(p, f, err);
    }
    if (status == 0) status = count_classes(p, f, err);
    if (status < 0) return status;
    count_numbers(p, f);
    p->file[k] = (hsp_plan_file){p->list.path[k], hsp_map_size(f->map), f->x.n,
                                 (f->x.n + HSP_PART_ROWS - 1) / HSP_PART_ROWS, f->file.body_size};
    if (f->x.d > p->features) p->features = f->x.d;
    p->nonzeros += f->x.nonzeros;
    p->rows += f->x.n;
    return 0;
}

static int describe(hsp_plan *p, hsp_error **err) {
    hsp_text t = {0};
    hsp_text_format(&t, "hsd, converted from %s", p->schema.format ? p->schema.format : "memory");
    if (hsp_schema_is_svmlight(&p->schema)) hsp_text_format(&t, ", base %d", p->schema.base);
    if (!p->labelled) hsp_text_add(&t, ", no labels");
    if (p->schema.target) hsp_text_format(&t, ", target '%s'", p->schema.target);
    if (p->weighted) hsp_text_add(&t, ", weights");
    hsp_text_format(&t, ", %lld feature%s, %lld row%s", (long long)p->features, p->features == 1 ? "" : "s",
                    (long long)p->rows, p->rows == 1 ? "" : "s");
    if (p->list.count > 1) hsp_text_format(&t, " in %lld files", (long long)p->list.count);
    return hsp_text_take(&t, &p->assumed, err);
}

/* Reads the header as the reader does, which checks the options, and the labels. */
static int read_file(hsp_plan *p, int64_t k, const hsp_options *o, hsp_error **err) {
    const char *path = p->list.path[k];
    hsp_map *map = NULL;
    hsp_hsd *file = NULL;
    hsp_reading g = {.kind = &hsp_reader_hsd};
    int status = hsp_map_open(path, &map, err);
    if (status == 0) status = hsp_reader_check(&hsp_reader_hsd, path, o, NULL, err);
    if (status == 0) status = hsp_reader_hsd.open_mapped(map, path, o, NULL, &g, err);
    if (status == 0) status = hsp_hsd_open(map, path, &file, err);
    if (status == 0) status = add_file(p, k, file, err);
    if (g.reader) g.kind->free(g.reader);
    hsp_hsd_close(file);
    hsp_map_close(map);
    return status;
}

int hsp_plan_stored(hsp_plan *p, const hsp_options *o, hsp_error **err) {
    int status = hsp_options_text(o, "map-label")
                     ? hsp_fail(err, HSP_EUSAGE, "--map-label has no effect on data files in parts: convert them with it")
                     : 0;
    for (int64_t k = 0; k < p->list.count && status == 0; k++) status = read_file(p, k, o, err);
    if (status == 0 && hsp_options_is_set(o, "task") && p->labelled && hsp_options_is(o, "task", "regression") != p->regression)
        status = hsp_fail(err, HSP_EUSAGE, "%s has %s: leave --task out, or convert the data with it", p->list.path[0],
                          p->regression ? "numeric targets" : "classes");
    if (status == 0) status = describe(p, err);
    p->rows = 0; /* summed by the caller */
    return status;
}
