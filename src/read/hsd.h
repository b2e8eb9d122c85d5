/* Data files, .hsd: a data set in its memory layout, in a sealed container (base/container.h). Opening one reads only the
 * header; the rows are used in place, in the mapped file.
 *
 * Header: rows, features, nonzeros, layout, task, assumed, source, halfspace, classes, schema; cache, when the file is the
 * cache of a text file. Arrays, of one column except dense values:
 *     offsets  int64, rows + 1            sparse only
 *     ids      uint16 or uint32           sparse only
 *     values   float64, float32, or uint8 (an index into table); absent: every value is table[0]
 *     table    float64, 256               for uint8 or absent values
 *     y        int32, a class; or targets float64
 *     weights  float64 */
#ifndef HSP_READ_HSD_H
#define HSP_READ_HSD_H

#include "base/container.h"
#include "base/file.h"
#include "base/json_value.h"
#include "base/map.h"
#include "data/data.h"
#include "data/matrix.h"
#include "data/schema.h"
#include "halfspace.h"
#include "read/reader.h"

struct hsp_json_value;

extern const hsp_container_kind hsp_hsd_container;

/* Writes the data. cache: the key of a cache (cache.c), a JSON object, or NULL. */
int hsp_hsd_write(const hsp_data *data, const hsp_report *cache, hsp_out *out, hsp_error **err);
/* The same of data in a map, whose pages are not needed once they are written. */
int hsp_hsd_write_mapped(const hsp_data *data, const hsp_map *map, const hsp_report *cache, hsp_out *out,
                         hsp_error **err);

/* An open data file. Its header has been checked against its size; the rows have not, before hsp_hsd_check. */
typedef struct hsp_hsd {
    hsp_map *map;       /* a reference of its own */
    char *name;         /* owned; for errors */
    hsp_container file; /* owned: header and digests */
    /* As in hsp_data; the arrays are borrowed from the map. */
    hsp_matrix x;
    hsp_schema schema;
    hsp_classes classes;
    const int32_t *y;
    const double *target, *weight;
    char *assumed, *source; /* owned: of the file that it was made from; or NULL */
} hsp_hsd;

/* Whether the bytes begin like a data file. */
bool hsp_hsd_begins(const char *bytes, int64_t n);
/* Adds a reference to the map. */
int hsp_hsd_open(hsp_map *map, const char *name, hsp_hsd **out, hsp_error **err);
/* One pass over the whole file: digests match, offsets and ids ascend within their bounds, values are finite, sparse rows
 * hold no zeros, classes exist. */
int hsp_hsd_check(const hsp_hsd *f, int threads, hsp_error **err);
/* The same of the rows `from` to `to` alone, and without the digests. *weighs is set if a weight is above 0; *nonzeros, if not
 * NULL: those of dense rows. */
int hsp_hsd_check_rows(const hsp_hsd *f, int64_t from, int64_t to, int threads, bool *weighs, int64_t *nonzeros,
                       hsp_error **err);
/* Checks the file and makes the data set, which borrows from the map and holds a reference to it. Sets check_seconds. */
int hsp_hsd_load(const hsp_hsd *f, int threads, hsp_data **out, hsp_error **err);
/* The same without the check. */
int hsp_hsd_data(const hsp_hsd *f, hsp_data **out, hsp_error **err);
void hsp_hsd_close(hsp_hsd *f); /* NULL is allowed */

#endif
