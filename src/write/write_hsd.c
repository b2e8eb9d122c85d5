/* Writes .hsd: the arrays in their memory layout. */
#include "base/container.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/map.h"
#include "base/text.h"
#include "data/compact.h"
#include "data/data.h"
#include "data/matrix.h"
#include "data/schema_json.h"
#include "read/hsd.h"
#include "write/writer.h"

enum { MOST_ARRAYS = 8, TABLE = 256 };

typedef struct listing {
    hsp_container_array array[MOST_ARRAYS];
    int64_t pitch[MOST_ARRAYS];
    int64_t count;
} listing;

static void add_array(listing *l, const char *name, int32_t dtype, int64_t rows, int64_t columns, const void *data) {
    l->array[l->count++] = (hsp_container_array){name, dtype, {rows, columns}, data};
}

/* m: the matrix of the data, in a form that files have. */
static void list_arrays(const hsp_data *data, const hsp_matrix *m, listing *l) {
    static const int32_t dtypes[] = {
        [HSP_CODING_F64] = HSP_FLOAT64, [HSP_CODING_F32] = HSP_FLOAT32, [HSP_CODING_CODE8] = HSP_CONTAINER_UINT8};
    hsp_coding coding = hsp_matrix_coding(m);
    int64_t n = m->n;
    if (!m->dense) {
        add_array(l, "offsets", HSP_INT64, n + 1, 1, m->row);
        add_array(l, "ids", hsp_matrix_id_size(m) == sizeof(uint16_t) ? HSP_CONTAINER_UINT16 : HSP_UINT32, m->stored, 1,
                  m->id);
    }
    if (coding != HSP_CODING_ONE) {
        if (m->dense && m->stride > 0) l->pitch[l->count] = m->stride * (int64_t)hsp_coding_size(coding);
        add_array(l, "values", dtypes[coding], m->dense ? n : m->stored, m->dense ? m->d : 1, m->value);
    }
    if (coding == HSP_CODING_ONE || coding == HSP_CODING_CODE8) add_array(l, "table", HSP_FLOAT64, TABLE, 1, m->table);
    if (data->y) add_array(l, "y", HSP_INT32, n, 1, data->y);
    if (data->target) add_array(l, "targets", HSP_FLOAT64, n, 1, data->target);
    if (data->weight) add_array(l, "weights", HSP_FLOAT64, n, 1, data->weight);
}

static void write_header(const hsp_data *data, const hsp_matrix *m, const hsp_report *cache, hsp_text *t) {
    hsp_json j = {.out = t};
    hsp_json_object(&j, NULL);
    hsp_json_int(&j, "rows", data->x.n);
    hsp_json_int(&j, "features", data->x.d);
    hsp_json_int(&j, "nonzeros", data->x.nonzeros);
    hsp_json_string(&j, "layout", m->dense ? "dense" : "sparse");
    hsp_json_string(&j, "task", data->target ? "regression" : data->y ? "classification" : NULL);
    hsp_json_string(&j, "assumed", data->assumed);
    hsp_json_string(&j, "source", data->source);
    hsp_json_string(&j, "halfspace", hsp_version());
    if (cache) hsp_json_report(&j, "cache", cache);
    hsp_names_save(&j, "classes", data->classes.name, data->classes.count);
    hsp_schema_save(&data->schema, &j);
    hsp_json_object_end(&j);
}

int hsp_hsd_write_mapped(const hsp_data *data, const hsp_map *map, const hsp_report *cache, hsp_out *out,
                         hsp_error **err) {
    hsp_text header = {0};
    listing l = {0};
    hsp_matrix compact = {0}; /* of memory of a caller */
    bool as_it_is = hsp_matrix_is_compact(&data->x);
    int status = as_it_is ? 0 : hsp_matrix_compact(&data->x, &compact, err);
    if (!status) {
        const hsp_matrix *m = as_it_is ? &data->x : &compact;
        write_header(data, m, cache, &header);
        list_arrays(data, m, &l);
        status = header.failed ? hsp_fail_memory(err)
                               : hsp_container_write(hsp_hsd_container.name, hsp_hsd_container.version, header.s, l.array,
                                                     l.pitch, l.count, map, out, err);
    }
    hsp_text_free(&header);
    hsp_matrix_clear(&compact);
    return status;
}

int hsp_hsd_write(const hsp_data *data, const hsp_report *cache, hsp_out *out, hsp_error **err) {
    return hsp_hsd_write_mapped(data, NULL, cache, out, err);
}

int hsp_write_hsd(const hsp_data *data, hsp_out *out, char delimiter, hsp_error **err) {
    (void)delimiter;
    return hsp_hsd_write(data, NULL, out, err);
}
