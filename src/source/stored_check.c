/* The bytes of rows: checked once, wanted before they are used, given back after. */
#include "base/container.h"
#include "base/error.h"
#include "base/map.h"
#include "data/matrix.h"
#include "read/hsd.h"
#include "source/files_source.h"

/* The bytes of some rows in one array. */
typedef struct hsp_byte_range {
    const char *from;
    int64_t bytes;
} hsp_byte_range;

enum { ARRAYS = 6 };

static hsp_byte_range bytes_of(const void *array, int64_t from, int64_t count, size_t size) {
    if (!array) return (hsp_byte_range){NULL, 0};
    return (hsp_byte_range){(const char *)array + from * (int64_t)size, count * (int64_t)size};
}

static void find_bytes(const hsp_matrix *x, const int32_t *y, const double *target, const double *weight, int64_t row,
                       int64_t rows, hsp_byte_range out[ARRAYS]) {
    int64_t begin = x->dense ? row * hsp_matrix_stride(x) : x->row[row];
    int64_t count = x->dense ? rows * hsp_matrix_stride(x) : x->row[row + rows] - begin;
    out[0] = bytes_of(x->value, begin, count, hsp_matrix_value_size(x));
    out[1] = bytes_of(x->id, begin, count, hsp_matrix_id_size(x));
    out[2] = bytes_of(x->row, row, rows + 1, sizeof *x->row);
    out[3] = bytes_of(y, row, rows, sizeof *y);
    out[4] = bytes_of(target, row, rows, sizeof *target);
    out[5] = bytes_of(weight, row, rows, sizeof *weight);
}

static void advise(const hsp_stored_rows *s, int64_t row, int64_t rows, bool want) {
    hsp_byte_range of[ARRAYS];
    find_bytes(&s->data->x, s->data->y, s->data->target, s->data->weight, row, rows, of);
    for (int k = 0; k < ARRAYS; k++) {
        if (want)
            hsp_map_want(s->map, of[k].from, of[k].bytes);
        else
            hsp_map_spare(s->map, of[k].from, of[k].bytes);
    }
}

void hsp_stored_want(const hsp_stored_rows *s, int64_t row, int64_t rows) {
    advise(s, row, rows, true);
}

void hsp_stored_spare(const hsp_stored_rows *s, int64_t row, int64_t rows) {
    advise(s, row, rows, false);
}

/* Checks the pieces with the bytes of an array that no block before had. *done: pieces before it are checked. */
static int check_array(const hsp_hsd *f, hsp_byte_range r, int64_t *done, int threads, bool sparing, hsp_error **err) {
    int64_t begin = r.from - f->file.body, from = begin / HSP_CONTAINER_PIECE;
    int64_t to = (begin + r.bytes + HSP_CONTAINER_PIECE - 1) / HSP_CONTAINER_PIECE;
    if (r.bytes == 0) return 0;
    if (from < *done) from = *done;
    if (from >= to) return 0;
    *done = to;
    int status = hsp_container_check_pieces(&f->file, from, to, f->name, threads, err);
    int64_t at = from * HSP_CONTAINER_PIECE, end = to * HSP_CONTAINER_PIECE;
    if (end > f->file.body_size) end = f->file.body_size;
    if (sparing) hsp_map_spare(f->map, f->file.body + at, end - at);
    return status;
}

/* Offsets are checked before they tell where the entries of the rows are. */
static int check_offsets(const hsp_hsd *f, int64_t from, int64_t to, hsp_error **err) {
    for (int64_t i = from; i <= to && !f->x.dense; i++)
        if (f->x.row[i] < (i > from ? f->x.row[i - 1] : 0) || f->x.row[i] > f->x.stored)
            return hsp_fail_file(err, f->name,
                                 "damaged data file, row %lld has invalid bounds: copy the file again, or convert again",
                                 (long long)(i > from ? i : i + 1));
    return 0;
}

int hsp_stored_check(const hsp_hsd *f, int64_t from, int64_t to, int threads, bool sparing, hsp_error **err) {
    int64_t done[ARRAYS] = {0};
    bool weighs = false;
    int status = 0;
    hsp_byte_range of[ARRAYS];
    for (int64_t i = from; i < to && status == 0; i += HSP_PART_ROWS) {
        int64_t end = to - i < HSP_PART_ROWS ? to : i + HSP_PART_ROWS;
        status = check_offsets(f, i, end, err);
        if (status < 0) return status;
        find_bytes(&f->x, f->y, f->target, f->weight, i, end - i, of);
        for (int k = 0; k < ARRAYS && status == 0; k++) status = check_array(f, of[k], &done[k], threads, sparing, err);
        if (status == 0) status = hsp_hsd_check_rows(f, i, end, threads, &weighs, NULL, err);
        for (int k = 0; k < ARRAYS && sparing; k++) hsp_map_spare(f->map, of[k].from, of[k].bytes);
    }
    return status;
}
