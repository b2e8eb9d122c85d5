/* Opening a data file checks the header against the arrays, whose bounds the container has checked. hsp_hsd_check reads
 * every byte once. */
#include "read/hsd.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/json_read.h"
#include "base/json_value.h"
#include "base/memory.h"
#include "base/pool.h"
#include "data/schema_json.h"
#include "read/mapped.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

static const char MAGIC[] = "halfspace data ";

bool hsp_hsd_begins(const char *bytes, int64_t n) {
    return n >= (int64_t)sizeof MAGIC - 1 && memcmp(bytes, MAGIC, sizeof MAGIC - 1) == 0;
}

static int damaged(const hsp_hsd *f, const char *what, hsp_error **err) {
    return hsp_fail_file(err, f->name, "damaged data file, %s: copy the file again, or convert again", what);
}

/* ---- the header against the arrays ---- */

/* An array of that type and shape (rows -1: any); NULL when there is none. */
static const hsp_container_array *find(const hsp_hsd *f, const char *name, int32_t dtype, int64_t rows, int64_t columns) {
    const hsp_container_array *a = hsp_container_find(&f->file, name, dtype);
    return a && (rows < 0 || a->shape[0] == rows) && a->shape[1] == columns ? a : NULL;
}

/* Drops const; nothing writes to a map. */
static void *data_of(const hsp_container_array *a) {
    return a ? (void *)(uintptr_t)a->data : NULL;
}

/* Finds the values and their coding; false when none fit. */
static bool read_values(hsp_hsd *f, int64_t rows, int64_t columns) {
    static const struct {
        int32_t dtype;
        hsp_coding coding;
    } kinds[] = {{HSP_FLOAT64, HSP_CODING_F64}, {HSP_FLOAT32, HSP_CODING_F32}, {HSP_CONTAINER_UINT8, HSP_CODING_CODE8}};
    hsp_matrix *m = &f->x;
    m->coding = HSP_CODING_ONE;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds && !m->value; k++) {
        m->value = data_of(find(f, "values", kinds[k].dtype, rows, columns));
        if (m->value) m->coding = kinds[k].coding;
    }
    m->dtype = m->coding == HSP_CODING_F32 ? HSP_FLOAT32 : HSP_FLOAT64;
    if (m->coding == HSP_CODING_F64 || m->coding == HSP_CODING_F32) return true;
    m->table = data_of(find(f, "table", HSP_FLOAT64, HSP_CODES, 1));
    if (!m->table || (m->coding == HSP_CODING_ONE && m->dense)) return false;
    bool exact = true;
    for (int k = 0; k < HSP_CODES; k++) {
        if (!isfinite(m->table[k])) return false;
        exact = exact && fabs(m->table[k]) <= FLT_MAX && (double)(float)m->table[k] == m->table[k];
    }
    if (exact) m->dtype = HSP_FLOAT32;
    return m->coding == HSP_CODING_CODE8 || m->table[0] != 0;
}

static int read_matrix(hsp_hsd *f, hsp_error **err) {
    hsp_matrix *m = &f->x;
    const hsp_json_loader l = {f->file.json, f->name, err};
    const char *layout = hsp_json_text(hsp_json_get(l.from, "layout"));
    int status = hsp_json_load_whole(&l, "rows", INT64_MAX / 16, &m->n);
    if (!status) status = hsp_json_load_whole(&l, "features", INT32_MAX, &m->d);
    if (!status) status = hsp_json_load_whole(&l, "nonzeros", INT64_MAX / 16, &m->nonzeros);
    if (status) return status;
    if (m->n < 1 || m->d < 1) return hsp_json_wrong(&l, m->n < 1 ? "rows" : "features");
    m->dense = layout && strcmp(layout, "dense") == 0;
    if (!m->dense && (!layout || strcmp(layout, "sparse") != 0)) return hsp_json_wrong(&l, "layout");
    if (!m->dense) {
        m->row = data_of(find(f, "offsets", HSP_INT64, m->n + 1, 1));
        const hsp_container_array *id = find(f, "ids", HSP_CONTAINER_UINT16, -1, 1);
        m->ids = hsp_ids_of_size(id ? sizeof(uint16_t) : sizeof(uint32_t));
        if (!id) id = find(f, "ids", HSP_UINT32, -1, 1);
        m->id = data_of(id);
        m->stored = id ? id->shape[0] : 0;
    }
    bool fits = read_values(f, m->dense ? m->n : m->stored, m->dense ? m->d : 1);
    if (m->dense) m->stored = fits ? m->n * m->d : 0; /* no overflow: the file holds them */
    fits = fits && (m->dense || (m->row && m->id)) && (m->dense ? m->nonzeros <= m->stored : m->nonzeros == m->stored);
    return fits ? 0 : damaged(f, "its arrays do not match its header", err);
}

/* The task decides which array holds the labels. */
static int read_labels(hsp_hsd *f, hsp_error **err) {
    const hsp_json_loader l = {f->file.json, f->name, err};
    const hsp_json_value *task = hsp_json_get(l.from, "task");
    const char *name = hsp_json_text(task);
    bool classes = name && strcmp(name, "classification") == 0, numbers = name && strcmp(name, "regression") == 0;
    if (!classes && !numbers && !hsp_json_is(task, HSP_JSON_NULL)) return hsp_json_wrong(&l, "task");
    int status = hsp_classes_load(&l, "classes", classes ? 1 : 0, &f->classes);
    if (status) return status;
    if (numbers && f->classes.count > 0) return hsp_json_wrong(&l, "classes");
    if (classes) f->y = data_of(find(f, "y", HSP_INT32, f->x.n, 1));
    if (numbers) f->target = data_of(find(f, "targets", HSP_FLOAT64, f->x.n, 1));
    f->weight = data_of(find(f, "weights", HSP_FLOAT64, f->x.n, 1));
    /* No other array, and none twice. */
    int64_t known = (f->x.dense ? 0 : 2) + (f->x.value != NULL) + (f->x.table != NULL) + (f->y != NULL) +
                    (f->target != NULL) + (f->weight != NULL);
    bool whole = (!classes || f->y) && (!numbers || f->target) && known == f->file.count;
    return whole ? 0 : damaged(f, "its arrays do not match its header", err);
}

const hsp_container_kind hsp_hsd_container = {"data", 1, "data file", "convert"};

static int open_file(hsp_hsd *f, hsp_error **err) {
    int status =
        hsp_container_open(&hsp_hsd_container, hsp_map_bytes(f->map), hsp_map_size(f->map), f->name, &f->file, err);
    const hsp_json_loader l = {f->file.json, f->name, err};
    if (!status) status = read_matrix(f, err);
    if (!status) status = read_labels(f, err);
    if (!status) status = hsp_json_load_string(&l, "assumed", true, &f->assumed);
    if (!status) status = hsp_json_load_string(&l, "source", true, &f->source);
    if (!status) status = hsp_schema_load(&l, f->x.d, &f->schema);
    if (!status && f->schema.d != f->x.d) status = damaged(f, "its schema does not match its features", err);
    return status;
}

int hsp_hsd_open(hsp_map *map, const char *name, hsp_hsd **out, hsp_error **err) {
    *out = NULL;
    hsp_hsd *f = hsp_alloc_zero(1, sizeof *f);
    if (!f) return hsp_fail_memory(err);
    f->map = hsp_map_share(map);
    f->name = hsp_strdup(name);
    int status = f->name ? open_file(f, err) : hsp_fail_memory(err);
    if (status)
        hsp_hsd_close(f);
    else
        *out = f;
    return status;
}

void hsp_hsd_close(hsp_hsd *f) {
    if (!f) return;
    hsp_container_clear(&f->file);
    hsp_schema_clear(&f->schema);
    hsp_classes_clear(&f->classes);
    HSP_FREE(f->name, f->assumed, f->source);
    hsp_map_close(f->map);
    hsp_free(f);
}

/* ---- the rows ---- */

typedef enum fault { NO_FAULT, BAD_OFFSET, BAD_ID, BAD_VALUE, BAD_CLASS, BAD_TARGET, BAD_WEIGHT } fault;

enum { ROWS = 4096, FAULTS = 8 };

typedef struct checking {
    const hsp_hsd *f;
    int64_t from, to;             /* rows */
    bool zero[HSP_CODES];         /* codes that stand for 0 */
    atomic_int_fast64_t first;    /* FAULTS times the first bad row, plus its fault; INT64_MAX: none */
    atomic_int_fast64_t nonzeros; /* of dense rows */
    atomic_bool weighs;           /* a weight is above 0 */
} checking;

static void record_fault(checking *g, int64_t row, fault why) {
    int_fast64_t mine = row * FAULTS + (int64_t)why, now = atomic_load(&g->first);
    while (mine < now && !atomic_compare_exchange_weak(&g->first, &now, mine)) continue;
}

static void check_dense(checking *g, int64_t begin, int64_t end) {
    int64_t d = g->f->x.d, zeros = 0;
    for (int64_t i = begin; i < end; i++)
        if (!hsp_matrix_finite(&g->f->x, g->zero, i * d, (i + 1) * d, &zeros)) return record_fault(g, i, BAD_VALUE);
    atomic_fetch_add(&g->nonzeros, (end - begin) * d - zeros);
}

#define ASCENDS(name, type)                                        \
    static bool name(const type *id, int64_t n, int64_t d) {       \
        bool good = true;                                          \
        for (int64_t t = 1; t < n; t++) good &= id[t - 1] < id[t]; \
        return good && (n == 0 || id[n - 1] < d);                  \
    }
ASCENDS(ascends_16, uint16_t)
ASCENDS(ascends_32, uint32_t)

/* Pieces are checked in any order, so each row checks its own offsets before its entries. */
static void check_sparse(checking *g, int64_t begin, int64_t end) {
    const hsp_matrix *m = &g->f->x;
    for (int64_t i = begin; i < end; i++) {
        int64_t from = m->row[i], to = m->row[i + 1], zeros = 0;
        if (from < 0 || from > to || to > m->stored || (i == 0 && from > 0) || (i == m->n - 1 && to < m->stored))
            return record_fault(g, i, BAD_OFFSET);
        bool good = hsp_matrix_id_size(m) == sizeof(uint16_t)
                        ? ascends_16((const uint16_t *)(const void *)m->id + from, to - from, m->d)
                        : ascends_32(m->id + from, to - from, m->d);
        if (!good) return record_fault(g, i, BAD_ID);
        if (!hsp_matrix_finite(m, g->zero, from, to, &zeros) || zeros > 0) return record_fault(g, i, BAD_VALUE);
    }
}

static void check_rows(void *ctx, int64_t k) {
    checking *g = ctx;
    int64_t begin = g->from + k * ROWS, end = begin + ROWS < g->to ? begin + ROWS : g->to;
    if (g->f->x.dense)
        check_dense(g, begin, end);
    else
        check_sparse(g, begin, end);
    const hsp_hsd *f = g->f;
    bool weighs = false;
    for (int64_t i = begin; i < end; i++) {
        if (f->y && (f->y[i] < 0 || f->y[i] >= f->classes.count)) return record_fault(g, i, BAD_CLASS);
        if (f->target && !isfinite(f->target[i])) return record_fault(g, i, BAD_TARGET);
        if (f->weight && (!isfinite(f->weight[i]) || f->weight[i] < 0)) return record_fault(g, i, BAD_WEIGHT);
        weighs = weighs || (f->weight && f->weight[i] > 0);
    }
    if (weighs) g->weighs = true;
}

int hsp_hsd_check_rows(const hsp_hsd *f, int64_t from, int64_t to, int threads, bool *weighs, int64_t *nonzeros,
                       hsp_error **err) {
    checking g = {.f = f, .from = from, .to = to, .first = INT64_MAX};
    hsp_matrix_zero_codes(&f->x, g.zero);
    hsp_pool_run((to - from + ROWS - 1) / ROWS, threads, check_rows, &g);
    if (g.first < INT64_MAX) {
        static const char *const words[FAULTS] = {[BAD_OFFSET] = "has invalid bounds",
                                                  [BAD_ID] = "has columns out of order or beyond the last",
                                                  [BAD_VALUE] = "holds an invalid value",
                                                  [BAD_CLASS] = "has an unknown class",
                                                  [BAD_TARGET] = "has a target that is not finite",
                                                  [BAD_WEIGHT] = "has a weight that is negative or not finite"};
        return hsp_fail_file(err, f->name, "damaged data file, row %lld %s: copy the file again, or convert again",
                             (long long)(g.first / FAULTS + 1), words[g.first % FAULTS]);
    }
    *weighs = *weighs || g.weighs;
    if (nonzeros) *nonzeros = g.nonzeros;
    return 0;
}

int hsp_hsd_check(const hsp_hsd *f, int threads, hsp_error **err) {
    hsp_map_expect(f->map);
    bool weighs = false;
    int64_t nonzeros = 0;
    int status = hsp_container_check(&f->file, f->name, threads, err);
    if (status == 0) status = hsp_hsd_check_rows(f, 0, f->x.n, threads, &weighs, &nonzeros, err);
    if (status) return status;
    if (f->x.dense && nonzeros != f->x.nonzeros)
        return damaged(f, "its number of non-zeros does not match its header", err);
    if (!f->weight || weighs) return 0;
    return hsp_fail_file(err, f->name, "all rows have weight 0: give at least one row a positive weight");
}

/* ---- the data set ---- */

int hsp_hsd_data(const hsp_hsd *f, hsp_data **out, hsp_error **err) {
    *out = NULL;
    hsp_data *data = hsp_alloc_zero(1, sizeof *data);
    int status = data ? hsp_schema_copy(&f->schema, &data->schema, err) : hsp_fail_memory(err);
    if (!status) status = hsp_classes_copy(&f->classes, &data->classes, err);
    if (status) goto done;
    data->x = f->x;
    data->x.lent =
        HSP_LENT_ROW | HSP_LENT_ID | HSP_LENT_VALUE | HSP_LENT_TABLE | HSP_LENT_Y | HSP_LENT_TARGET | HSP_LENT_WEIGHT;
    data->x.owner = hsp_map_owner(f->map);
    data->y = (int32_t *)(uintptr_t)f->y; /* never written to */
    data->target = (double *)(uintptr_t)f->target;
    data->weight = (double *)(uintptr_t)f->weight;
    data->assumed = hsp_strdup(f->assumed);
    data->source = hsp_strdup(f->name);
    if (!data->x.owner || !data->source || (f->assumed && !data->assumed)) status = hsp_fail_memory(err);
done:
    if (status)
        hsp_data_free(data);
    else
        *out = data;
    return status;
}

int hsp_hsd_load(const hsp_hsd *f, int threads, hsp_data **out, hsp_error **err) {
    *out = NULL;
    double start = hsp_clock_seconds();
    int status = hsp_hsd_check(f, threads, err);
    double seconds = hsp_clock_seconds() - start;
    if (status == 0) status = hsp_hsd_data(f, out, err);
    if (status == 0) (*out)->check_seconds = seconds;
    return status;
}
