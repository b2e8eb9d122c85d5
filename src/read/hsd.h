/* Data files, .hsd: a data set as it lies in memory, in a sealed container (base/container.h). Opening one looks at the
 * header alone; the rows are used where they lie in the mapped file.
 *
 * Header: rows, features, nonzeros, layout, task, assumed, source, halfspace, classes, schema; cache, when the file is the
 * cache of a text. Arrays, each of one column but dense values: offsets (int64, rows+1) and ids (uint16 or uint32) when
 * sparse; values (float64, float32, or uint8: a place in the table; absent: every value is the first of the table);
 * table (float64, 256); y (int32: a class), or targets (float64); weights (float64). */
#ifndef HSP_READ_HSD_H
#define HSP_READ_HSD_H

#include "base/container.h"
#include "base/file.h"
#include "base/map.h"
#include "data/data.h"
#include "data/matrix.h"
#include "data/schema.h"
#include "halfspace.h"
#include "read/reader.h"

struct json_t;

extern const hsp_container_kind hsp_hsd_container;

/* Writes the data; cache: what the text was like that it is the cache of, a JSON object, or NULL. */
int hsp_hsd_write(const hsp_data *data, const char *cache, hsp_out *out, hsp_error **err);

/* An open data file. What it says of its rows is bounded by its size; the rows themselves are to be believed only after
 * hsp_hsd_check. */
typedef struct hsp_hsd {
    hsp_map *map;
    char *name;         /* for errors */
    hsp_container file; /* its header, its digests */
    /* As in hsp_data; the arrays lie in the map. */
    hsp_matrix x;
    hsp_schema schema;
    hsp_classes classes;
    const int32_t *y;
    const double *target, *weight;
    char *assumed, *source; /* of the file that it was made from; or NULL */
} hsp_hsd;

/* Whether bytes begin like a data file. */
bool hsp_hsd_begins(const char *bytes, int64_t n);
/* Shares the map. */
int hsp_hsd_open(hsp_map *map, const char *name, hsp_hsd **out, hsp_error **err);
/* One pass over the whole file, by threads: the digests; offsets and ids that ascend within their bounds; finite values, no
 * zeros in sparse rows; classes that there are. After it, nothing in the rows can surprise. */
int hsp_hsd_check(const hsp_hsd *f, int threads, hsp_error **err);
/* The data set as it was when it was written, after the check, whose time it keeps; shares the map. */
int hsp_hsd_load(const hsp_hsd *f, int threads, hsp_data **out, hsp_error **err);
/* The same without the check. */
int hsp_hsd_data(const hsp_hsd *f, hsp_data **out, hsp_error **err);
void hsp_hsd_close(hsp_hsd *f); /* NULL is allowed */

/* ---- what formats that are mapped share ---- */

/* All the data of a stream of which nothing was read (peeking does not count): a plain file is mapped, anything else is
 * read into memory. */
int hsp_stream_map(hsp_stream *s, hsp_map **out, hsp_error **err);

/* A plain file that begins as its format must; false: it is none, or compressed, and is read as a stream. */
bool hsp_map_begins(const char *path, bool (*begins)(const char *bytes, int64_t n), hsp_map **out);

/* Labels that do not come with the rows. label: the text of row i, not NULL, to be read before the next call; its length to
 * *length; buf has room for a number (32 bytes). */
typedef struct hsp_apart {
    int64_t n;
    const char *(*label)(void *ctx, int64_t i, int64_t *length, char *buf);
    void *ctx;
} hsp_apart;

/* Labels as a builder with these rules would take them, into classes, y or target of `data`, whose own are dropped; rows
 * count as lines in errors. */
int hsp_apart_label(const hsp_apart *a, const hsp_builder_rules *rules, hsp_data *data, hsp_error **err);

#endif
