#include "design/feed.h"

#include "data/matrix.h"
#include "kernel/form.h"
#include "kernel/kernel.h"
#include "kernel/level.h"

hsp_feed hsp_feed_new(const hsp_design *D, int64_t from, int64_t columns, const double *centres, const int32_t *group) {
    hsp_feed f = {.D = D, .level = hsp_level_now(), .from = from, .centres = centres, .group = group};
    f.q.d = columns;
    if (D->factor && D->x->dense) {
        f.q.shift = D->shift ? D->shift + from : NULL;
        f.q.factor = D->factor + from;
    }
    return f;
}

/* Of sparse rows: a row without entries, transformed, and the place of each column in panels: its panel, and in the low bits
 * its place in it. */
enum { PLACE_BITS = 8 };
_Static_assert(HSP_WIDTH_MOST < 1 << PLACE_BITS && sizeof(int64_t) == sizeof(double), "places fit in the scratch");

int64_t hsp_feed_scratch(const hsp_feed *f) {
    return f->D->x->dense ? 0 : 2 * f->q.d;
}

/* The value x of column j after the transform. */
static double transformed(const hsp_design *D, int64_t j, double x) {
    double v = D->shift ? x - D->shift[j] : x;
    return D->factor ? v * D->factor[j] : v;
}

void hsp_feed_prepare(const hsp_feed *f, double *scratch) {
    int64_t width = f->level->width, *place = (int64_t *)(scratch + f->q.d);
    if (f->D->x->dense) return;
    for (int64_t j = 0; j < f->q.d; j++) {
        scratch[j] = transformed(f->D, f->from + j, 0);
        place[j] = j / width << PLACE_BITS | j % width;
    }
}

typedef struct panels {
    int64_t step;
    double *out, c, *weighted;
    const double *centre; /* of the columns from f->from on, or NULL */
    const int64_t *place;
} panels;

/* Writes the entries from index `begin` to `end` of a sparse row into panels that hold a row without entries. One function a
 * form: most rows are short, and a test for each entry would cost more than the entry. */
#define WRITE(form, id_type, COLUMN, type, VALUE)                                                              \
    static void write_##form(const hsp_feed *f, hsp_row r, int64_t begin, int64_t end, const panels *to) {     \
        HSP_ROW_ENTRIES(id_type, type, r);                                                                     \
        const panels p = *to;                                                                                  \
        const int64_t from = f->from;                                                                          \
        for (int64_t t = begin; t < end; t++) {                                                                \
            int64_t j = COLUMN(id, t) - from;                                                                  \
            int64_t at = (p.place[j] >> PLACE_BITS) * p.step + (p.place[j] & ((1 << PLACE_BITS) - 1));         \
            double v = transformed(f->D, COLUMN(id, t), VALUE(x, table, t)) - (p.centre ? p.centre[j] : 0);    \
            p.out[at] = v;                                                                                     \
            if (p.weighted) p.weighted[at] = p.c * v;                                                          \
        }                                                                                                      \
    }
HSP_EACH_SPARSE_FORM(WRITE)

typedef void write_of_form(const hsp_feed *f, hsp_row r, int64_t begin, int64_t end, const panels *to);
#define WRITE_ENTRY(form, ...) write_##form,
static write_of_form *const writers[HSP_SPARSE_FORMS] = {HSP_EACH_SPARSE_FORM(WRITE_ENTRY)};

void hsp_feed_row(const hsp_feed *f, int64_t i, int64_t step, double *out, double c, double *weighted, const double *scratch) {
    hsp_row r = hsp_matrix_row(f->D->x, i);
    hsp_decode q = f->q;
    if (f->centres) q.centre = f->centres + (f->group ? f->group[i] : 0) * f->D->d + f->from;
    if (!r.id) {
        f->level->pack[r.coding](&q, hsp_row_at(r, f->from), r.table, step, out, c, weighted);
        return;
    }
    bool whole = f->from == 0 && q.d == f->D->d;
    int64_t begin = whole ? 0 : hsp_row_find(r, f->from), end = whole ? r.count : hsp_row_find(r, f->from + q.d);
    /* Not by a dense copy of the row: packing would read it before its stores have left the processor's buffer. */
    f->level->pack[HSP_CODING_F64](&q, scratch, NULL, step, out, c, weighted);
    const panels to = {step, out, c, weighted, q.centre, (const int64_t *)(scratch + f->q.d)};
    writers[hsp_sparse_form(r.ids, (int)r.coding)](f, r, begin, end, &to);
}

/* Whether the rows are doubles as they are stored, all with the same centre: these are packed many at a time. */
static bool is_plain(const hsp_feed *f) {
    return f->D->x->dense && hsp_matrix_coding(f->D->x) == HSP_CODING_F64 && !f->q.shift && !f->q.factor && !f->group;
}

int64_t hsp_feed_room(const hsp_feed *f) {
    enum { FEWEST = 2 };
    int64_t rows = f->D->x->dense && !f->group && f->q.d > 0 ? HSP_FEED_TILE / f->q.d : 0;
    return rows < FEWEST ? 0 : rows;
}

void hsp_feed_decode(const hsp_feed *f, int64_t from, int64_t count, double *tile, int64_t step) {
    for (int64_t i = 0; i < count; i++, tile += step) {
        hsp_row r = hsp_matrix_row(f->D->x, from + i);
        if (f->q.factor)
            hsp_transforms[r.coding](hsp_row_at(r, f->from), r.table, f->q.d, f->q.shift, f->q.factor, tile);
        else
            hsp_row_decode(r, f->from, f->q.d, NULL, tile);
    }
}

/* Some rows at a time through a tile: numbers of all codings are packed as doubles are. */
static void feed_by_tile(const hsp_feed *f, int64_t from, int64_t count, int64_t step, double *out, const double *c,
                         double *weighted) {
    double tile[HSP_FEED_TILE];
    int64_t width = f->level->width, room = hsp_feed_room(f);
    const double *centre = f->centres ? f->centres + f->from : NULL;
    for (int64_t k = 0, rows; k < count; k += rows) {
        rows = count - k < room ? count - k : room;
        hsp_feed_decode(f, from + k, rows, tile, f->q.d);
        f->level->pack_rows(rows, f->q.d, tile, f->q.d, centre, step, out + k * width, c ? c + from + k : NULL,
                            weighted ? weighted + k * width : NULL);
    }
}

void hsp_feed_rows(const hsp_feed *f, int64_t from, int64_t count, int64_t step, double *out, const double *c,
                   double *weighted, const double *scratch) {
    const hsp_matrix *x = f->D->x;
    int64_t width = f->level->width;
    if (count > 0 && is_plain(f)) {
        const double *first = hsp_row_at(hsp_matrix_row(x, from), f->from),
                     *centre = f->centres ? f->centres + f->from : NULL;
        f->level->pack_rows(count, f->q.d, first, hsp_matrix_stride(x), centre, step, out, c ? c + from : NULL, weighted);
        return;
    }
    if (hsp_feed_room(f) > 0) {
        feed_by_tile(f, from, count, step, out, c, weighted);
        return;
    }
    for (int64_t k = 0; k < count; k++)
        hsp_feed_row(f, from + k, step, out + k * width, c ? c[from + k] : 1, weighted ? weighted + k * width : NULL,
                     scratch);
}

bool hsp_feed_movable(const hsp_design *D) {
    return D->x->dense && (D->shift || !D->factor);
}

bool hsp_feed_moved(const hsp_design *D, hsp_moved_rows *out) {
    const hsp_matrix *x = D->x;
    hsp_coding coding = hsp_matrix_coding(x);
    *out = (hsp_moved_rows){coding == HSP_CODING_F32, x->d, hsp_matrix_stride(x), D->shift, D->factor};
    return hsp_feed_movable(D) && (coding == HSP_CODING_F64 || coding == HSP_CODING_F32);
}

const void *hsp_feed_as_stored(const hsp_feed *f, int64_t from, int64_t count, double *tile, hsp_moved_rows *rows) {
    if (hsp_feed_moved(f->D, rows)) return hsp_matrix_row(f->D->x, from).value;
    hsp_feed_decode(f, from, count, tile, f->D->d);
    *rows = (hsp_moved_rows){false, f->D->d, f->D->d, NULL, NULL};
    return tile;
}
