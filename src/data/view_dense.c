/* A data set over a dense array of the caller. Everything is read in place: C or Fortran order, any strides, integers as they
 * are. What C cannot address as values a whole number of places apart is copied, in its own dtype: elements that are not
 * aligned, and rows that are all the same memory (a row stride of 0, which a matrix has no form for). */
#include "base/error.h"
#include "base/memory.h"
#include "base/owner.h"
#include "base/pool.h"
#include "data/array_input.h"
#include "data/from_memory.h"
#include "data/number_scan.h"
#include "kernel/form.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* ---- the matrix ---- */

/* The coding of adjacent values, and the one of values that are apart. */
static const hsp_coding codings[][2] = {
    [HSP_FLOAT32] = {HSP_CODING_F32, HSP_CODING_STEP_F32},  [HSP_FLOAT64] = {HSP_CODING_F64, HSP_CODING_STEP_F64},
    [HSP_INT8] = {HSP_CODING_CODE8, HSP_CODING_STEP_CODE8}, [HSP_UINT8] = {HSP_CODING_CODE8, HSP_CODING_STEP_CODE8},
    [HSP_BOOL] = {HSP_CODING_CODE8, HSP_CODING_STEP_CODE8}, [HSP_INT16] = {HSP_CODING_I16, HSP_CODING_STEP_I16},
    [HSP_INT32] = {HSP_CODING_I32, HSP_CODING_STEP_I32},    [HSP_INT64] = {HSP_CODING_I64, HSP_CODING_STEP_I64},
};

/* The numbers of the bytes. */
static double number_of(int32_t dtype, int byte) {
    if (dtype == HSP_BOOL) return byte != 0;
    return dtype == HSP_INT8 && byte > INT8_MAX ? byte - HSP_TABLE : byte;
}

static int add_table(hsp_matrix *m, int32_t dtype, int64_t step) {
    if (!hsp_coding_has_table(m->coding)) return 0;
    if (!HSP_ALLOC_ZERO(m->table, HSP_STEP + 1)) return HSP_EMEMORY;
    for (int k = 0; hsp_dtype_size(dtype) == 1 && k < HSP_TABLE; k++) m->table[k] = number_of(dtype, k);
    m->table[HSP_STEP] = (double)step;
    return 0;
}

/* Strides of dimensions with one element mean nothing. */
static int64_t places(const hsp_array *x, int k, int64_t otherwise) {
    return x->shape[k] > 1 ? x->strides[k] / hsp_dtype_size(x->dtype) : otherwise;
}

/* The array as a matrix; *step: places from one value of a row to the next. */
static int lay_over(const hsp_array *x, hsp_matrix *m, int64_t *step) {
    int64_t n = x->shape[0], d = x->shape[1];
    bool exact = x->dtype != HSP_FLOAT64 && x->dtype != HSP_INT32 && x->dtype != HSP_INT64;
    *step = places(x, 1, 1);
    *m = (hsp_matrix){.n = n,
                      .d = d,
                      .dense = true,
                      .coding = codings[x->dtype][*step != 1],
                      .dtype = exact ? HSP_FLOAT32 : HSP_FLOAT64,
                      .stored = n * d,
                      .stride = places(x, 0, d),
                      .value = (void *)(uintptr_t)x->data, /* never written to */
                      .lent = HSP_LENT_VALUE};
    return add_table(m, x->dtype, *step);
}

/* The same elements side by side, in memory of the matrix. */
static int copy_cells(const hsp_array *x, hsp_array *copy) {
    int64_t n = x->shape[0], d = x->shape[1], size = hsp_dtype_size(x->dtype);
    char *to = hsp_alloc(n * d, (size_t)size);
    *copy = *x;
    copy->data = to;
    copy->strides[0] = d * size;
    copy->strides[1] = size;
    for (int64_t i = 0; to && i < n; i++)
        for (int64_t j = 0; j < d; j++, to += size)
            memcpy(to, (const char *)x->data + i * x->strides[0] + j * x->strides[1], (size_t)size);
    return copy->data ? 0 : HSP_EMEMORY;
}

/* ---- the check ---- */

/* Runs of values along the dimension in which they are nearer to each other. */
typedef struct cell_check {
    const hsp_matrix *m;
    int32_t dtype;
    int64_t lines, length;          /* runs, and values of each */
    int64_t apart, step;            /* places from one run to the next, and from one value to the next */
    int64_t pieces, lines_of, most; /* pieces of a run, runs of a task, values of a piece */
    atomic_int_fast64_t nonzeros;
    atomic_bool bad;
} cell_check;

static void check_piece(void *ctx, int64_t task) {
    cell_check *g = ctx;
    int64_t first = task / g->pieces * g->lines_of, from = task % g->pieces * g->most, nonzeros = 0;
    int64_t last = first + g->lines_of < g->lines ? first + g->lines_of : g->lines;
    int64_t count = g->length - from < g->most ? g->length - from : g->most;
    int64_t size = hsp_dtype_size(g->dtype);
    bool good = true;
    for (int64_t line = first; good && line < last; line++) {
        const char *at = (const char *)g->m->value + (line * g->apart + from * g->step) * size;
        good = hsp_scan_numbers(g->dtype, at, count, g->step, &nonzeros);
    }
    atomic_fetch_add(&g->nonzeros, nonzeros);
    if (!good) g->bad = true;
}

/* Names the first bad value by rows. */
static int fail_first(const hsp_matrix *m, int32_t dtype, int64_t step, hsp_error **err) {
    int64_t unused = 0;
    for (int64_t i = 0; i < m->n; i++) {
        hsp_row r = hsp_matrix_row(m, i);
        for (int64_t j = 0; j < m->d; j++) {
            if (hsp_scan_numbers(dtype, hsp_row_at(r, j), 1, step, &unused)) continue;
            if (dtype != HSP_INT64) return hsp_memory_fail_value(i, j, err);
            return hsp_fail(err, HSP_EINPUT,
                            "row %lld, column %lld (from 0) is %lld, which a double cannot hold exactly: scale the column, "
                            "or give it as float64",
                            (long long)i, (long long)j, (long long)*(const int64_t *)hsp_row_at(r, j));
        }
    }
    return hsp_fail(err, HSP_EINPUT, "the array changed while it was checked: leave it alone until its release");
}

/* The runs: rows, or columns if their values are nearer; all numbers are one if there are no gaps. */
static cell_check cut_runs(const hsp_matrix *m, int32_t dtype, int64_t step) {
    int64_t stride = hsp_matrix_stride(m);
    cell_check g = {.m = m, .dtype = dtype, .lines = m->n, .length = m->d, .apart = stride, .step = step};
    if (m->n > 1 && m->d > 1 && llabs(stride) < llabs(step))
        g = (cell_check){.m = m, .dtype = dtype, .lines = m->d, .length = m->n, .apart = step, .step = stride};
    if (g.step == 1 && g.apart == g.length) {
        g.length *= g.lines;
        g.lines = 1;
    }
    g.most = HSP_SCAN_MOST;
    g.pieces = (g.length + g.most - 1) / g.most;
    g.lines_of = g.pieces > 1 ? 1 : g.most / g.length;
    return g;
}

static int check_numbers(hsp_matrix *m, int32_t dtype, int64_t step, hsp_error **err) {
    cell_check g = cut_runs(m, dtype, step);
    int64_t tasks = (g.lines + g.lines_of - 1) / g.lines_of * g.pieces;
    hsp_pool_run(tasks, tasks > 1 ? hsp_pool_threads(0) : 1, check_piece, &g);
    m->nonzeros = g.nonzeros;
    return g.bad ? fail_first(m, dtype, step, err) : 0;
}

/* ---- the data set ---- */

static int view(const hsp_array *x, const char *const *names, hsp_owner *owner, hsp_data **out, hsp_error **err) {
    static const hsp_array_form form = {"x", 2, HSP_DTYPES_DENSE,
                                        "float32, float64, int8, uint8, bool, int16, int32 or int64"};
    int status = hsp_array_check(x, &form, err);
    if (!status) status = hsp_memory_check_shape(x->shape[0], x->shape[1], err);
    if (status) return status;
    bool in_place = hsp_array_in_place(x) && (x->shape[0] == 1 || x->strides[0] != 0);
    hsp_array copy = *x;
    hsp_matrix m = {0};
    int64_t step = 1;
    if (!in_place && copy_cells(x, &copy)) return hsp_fail_memory(err);
    status = lay_over(&copy, &m, &step) ? hsp_fail_memory(err) : 0;
    if (in_place)
        m.owner = hsp_owner_share(owner);
    else
        m.lent = 0;
    if (!status) status = check_numbers(&m, x->dtype, step, err);
    if (!status) return hsp_memory_data(&m, names, out, err);
    hsp_matrix_clear(&m);
    return status;
}

int hsp_data_view_dense(const hsp_array *x, const char *const *names, void (*release)(void *user), void *user,
                        hsp_data **out, hsp_error **err) {
    *out = NULL;
    hsp_owner *owner = hsp_memory_owner(release, user, err);
    if (!owner) return HSP_EMEMORY;
    int status = view(x, names, owner, out, err);
    hsp_owner_drop(owner); /* the data set holds it while it borrows */
    return status;
}
