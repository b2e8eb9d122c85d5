/* A data set over CSR arrays of the caller. They are read in place if they are as matrices have them: columns ascend strictly
 * in each row, no zeros are stored, indices and values are adjacent; offsets of 64 bits too, if they begin at 0. Rows of any
 * other kind are copied and merged. */
#include "base/owner.h"
#include "base/pool.h"
#include "data/array_input.h"
#include "data/compressed.h"
#include "data/from_memory.h"
#include "data/number_scan.h"
#include "kernel/form.h"

#include <stdatomic.h>

enum { ENTRIES = 1 << 16, PIECE = 4096 }; /* of a task, about; numbers that are checked at a time */

typedef struct row_check {
    const hsp_compressed *c;
    int64_t d, rows; /* rows of a task */
    atomic_bool bad;
} row_check;

/* In one loop over all rows, which compilers vectorise: ids may fall only where a row begins. */
#define FALLS(name, type)                                                                            \
    static int64_t name(const void *ids, int64_t n) {                                                \
        const type *id = ids;                                                                        \
        int64_t falls = 0;                                                                           \
        for (int64_t at = 1, end; at < n; at = end) {                                                \
            type some = 0; /* of a piece: as narrow as the ids */                                    \
            end = n - at < PIECE ? n : at + PIECE;                                                   \
            for (int64_t t = at; t < end; t++) some += id[t - 1] >= id[t];                           \
            falls += (int64_t)some;                                                                  \
        }                                                                                            \
        return falls;                                                                                \
    }
FALLS(falls_32, int32_t)
FALLS(falls_64, int64_t)

static const void *element(const hsp_array *a, int64_t t) {
    return (const char *)a->data + t * a->strides[0];
}

static int64_t id_of(const hsp_compressed *c, int64_t t) {
    const void *id = element(&c->index, t);
    return c->index.dtype == HSP_INT64 ? *(const int64_t *)id : *(const int32_t *)id;
}

/* Whether the ids of some rows ascend, from 0 to d - 1. */
static bool ids_ascend(const hsp_compressed *c, int64_t first, int64_t last, int64_t d) {
    int64_t begin = c->begin[first], count = c->begin[last] - begin, allowed = 0;
    bool good = true;
    for (int64_t i = first; i < last; i++) {
        int64_t from = c->begin[i], to = c->begin[i + 1];
        if (from == to) continue;
        good &= id_of(c, from) >= 0 && id_of(c, to - 1) < d;
        allowed += from > begin && id_of(c, from - 1) >= id_of(c, from);
    }
    const void *ids = element(&c->index, begin);
    return good && (c->index.dtype == HSP_INT64 ? falls_64 : falls_32)(ids, count) == allowed;
}

static void check_rows(void *ctx, int64_t task) {
    row_check *g = ctx;
    const hsp_compressed *c = g->c;
    int64_t first = task * g->rows, last = first + g->rows < c->lines ? first + g->rows : c->lines;
    bool good = ids_ascend(c, first, last, g->d);
    for (int64_t t = c->begin[first]; good && t < c->begin[last]; t += HSP_SCAN_MOST) {
        int64_t count = c->begin[last] - t < HSP_SCAN_MOST ? c->begin[last] - t : HSP_SCAN_MOST, nonzeros = 0;
        good = hsp_scan_numbers(c->value.dtype, element(&c->value, t), count, 1, &nonzeros) && nonzeros == count;
    }
    if (!good) g->bad = true;
}

static bool adjacent(const hsp_array *a) {
    return hsp_array_in_place(a) && a->strides[0] == hsp_dtype_size(a->dtype);
}

/* Whether the rows can be read in place. If not, copying them finds out what is wrong, if anything. */
static bool usable_rows(const hsp_compressed *c, int64_t d) {
    int64_t stored = c->begin[c->lines];
    if (stored == 0 || !adjacent(&c->index) || !adjacent(&c->value)) return false;
    row_check g = {.c = c, .d = d, .rows = ENTRIES / (stored / c->lines + 1) + 1};
    int64_t tasks = (c->lines + g.rows - 1) / g.rows;
    hsp_pool_run(tasks, tasks > 1 ? hsp_pool_threads(0) : 1, check_rows, &g);
    return !g.bad;
}

static int view_csr(const hsp_array *row, const hsp_array *column, const hsp_array *value, int64_t d,
                    const char *const *names, hsp_owner *owner, hsp_data **out, hsp_error **err) {
    static const hsp_compressed_words say = {"row", "row", "column"};
    hsp_compressed c = {0};
    int status = hsp_compressed_open(row, column, value, &say, &c, err);
    if (!status) status = hsp_memory_check_shape(c.lines, d, err);
    if (!status && !usable_rows(&c, d))
        status = hsp_memory_from_csr(c.begin, &c.index, &c.value, c.lines, d, NULL, names, out, err);
    else if (!status) {
        hsp_matrix m = hsp_compressed_matrix(c.lines, d, c.begin[c.lines], c.value.dtype);
        m.ids = c.index.dtype == HSP_INT64 ? HSP_IDS_64 : HSP_IDS_32;
        m.row = (int64_t *)(uintptr_t)c.begin; /* none of them is written to */
        m.id = (uint32_t *)(uintptr_t)c.index.data;
        m.value = (void *)(uintptr_t)c.value.data;
        m.lent = HSP_LENT_ID | HSP_LENT_VALUE | (c.own ? 0 : HSP_LENT_ROW);
        m.owner = hsp_owner_share(owner);
        c.own = NULL;
        status = hsp_memory_data(&m, names, out, err);
    }
    hsp_free(c.own);
    return status;
}

int hsp_data_view_csr(const hsp_array *row, const hsp_array *column, const hsp_array *value, int64_t d,
                      const char *const *names, void (*release)(void *user), void *user, hsp_data **out, hsp_error **err) {
    *out = NULL;
    hsp_owner *owner = hsp_memory_owner(release, user, err);
    if (!owner) return HSP_EMEMORY;
    int status = view_csr(row, column, value, d, names, owner, out, err);
    hsp_owner_drop(owner); /* the data set holds it while it borrows */
    return status;
}
