#include "design/feed.h"

#include "data/matrix.h"
#include "kernel/form.h"

hsp_feed hsp_feed_new(const hsp_design *D, int64_t from, int64_t columns, const double *centres, const int32_t *group) {
    hsp_feed f = {.D = D, .level = hsp_level_now(), .from = from, .centres = centres, .group = group};
    f.q.d = columns;
    if (D->factor && D->x->dense) {
        f.q.shift = D->shift ? D->shift + from : NULL;
        f.q.factor = D->factor + from;
    }
    return f;
}

int64_t hsp_feed_scratch(const hsp_feed *f) {
    return f->D->x->dense ? 0 : f->q.d;
}

/* The value x of column j after the transform. */
static double transformed(const hsp_design *D, int64_t j, double x) {
    double v = D->shift ? x - D->shift[j] : x;
    return D->factor ? v * D->factor[j] : v;
}

void hsp_feed_prepare(const hsp_feed *f, double *scratch) {
    if (f->D->x->dense) return;
    for (int64_t j = 0; j < f->q.d; j++) scratch[j] = transformed(f->D, f->from + j, 0);
}

/* The entries from index `begin` to `end` of a sparse row, transformed, into their places of scratch; and those places as zeros
 * of the row are again. One function a form: most rows are short, and a test for each entry would cost more than the entry. */
#define SPREAD(form, id_type, COLUMN, type, VALUE)                                                                 \
    static void spread_##form(const hsp_feed *f, hsp_row r, int64_t begin, int64_t end, double *scratch) {         \
        HSP_ROW_ENTRIES(id_type, type, r);                                                                         \
        const hsp_design *D = f->D;                                                                                \
        for (int64_t t = begin; t < end; t++)                                                                      \
            scratch[COLUMN(id, t) - f->from] = transformed(D, COLUMN(id, t), VALUE(x, table, t));                  \
    }                                                                                                              \
    static void restore_##form(const hsp_feed *f, hsp_row r, int64_t begin, int64_t end, double *scratch) {        \
        HSP_ROW_ENTRIES(id_type, type, r);                                                                         \
        const hsp_design *D = f->D;                                                                                \
        for (int64_t t = begin; t < end; t++) scratch[COLUMN(id, t) - f->from] = transformed(D, COLUMN(id, t), 0); \
    }
HSP_EACH_SPARSE_FORM(SPREAD)

typedef void entries_of_form(const hsp_feed *f, hsp_row r, int64_t begin, int64_t end, double *scratch);
#define SPREAD_ENTRY(form, ...) spread_##form,
#define RESTORE_ENTRY(form, ...) restore_##form,
static entries_of_form *const spreads[HSP_SPARSE_FORMS] = {HSP_EACH_SPARSE_FORM(SPREAD_ENTRY)};
static entries_of_form *const restores[HSP_SPARSE_FORMS] = {HSP_EACH_SPARSE_FORM(RESTORE_ENTRY)};

void hsp_feed_row(const hsp_feed *f, int64_t i, int64_t step, double *out, double c, double *weighted, double *scratch) {
    hsp_row r = hsp_matrix_row(f->D->x, i);
    hsp_decode q = f->q;
    if (f->centres) q.centre = f->centres + (f->group ? f->group[i] : 0) * f->D->d + f->from;
    if (!r.id) {
        f->level->pack[r.coding](&q, hsp_row_at(r, f->from), r.table, step, out, c, weighted);
        return;
    }
    bool whole = f->from == 0 && q.d == f->D->d;
    int64_t begin = whole ? 0 : hsp_row_find(r, f->from), end = whole ? r.count : hsp_row_find(r, f->from + q.d);
    int form = hsp_sparse_form(r.ids, (int)r.coding);
    spreads[form](f, r, begin, end, scratch);
    f->level->pack[HSP_CODING_F64](&q, scratch, NULL, step, out, c, weighted);
    restores[form](f, r, begin, end, scratch);
}

/* Whether the rows are doubles as they are stored, all with the same centre: these are packed many at a time. */
static bool is_plain(const hsp_feed *f) {
    return f->D->x->dense && hsp_matrix_coding(f->D->x) == HSP_CODING_F64 && !f->q.shift && !f->q.factor && !f->group;
}

void hsp_feed_rows(const hsp_feed *f, int64_t from, int64_t count, int64_t step, double *out, const double *c,
                   double *weighted, double *scratch) {
    const hsp_matrix *x = f->D->x;
    int64_t width = f->level->width;
    if (count > 0 && is_plain(f)) {
        const double *first = hsp_row_at(hsp_matrix_row(x, from), f->from),
                     *centre = f->centres ? f->centres + f->from : NULL;
        f->level->pack_rows(count, f->q.d, first, hsp_matrix_stride(x), centre, step, out, c ? c + from : NULL, weighted);
        return;
    }
    for (int64_t k = 0; k < count; k++)
        hsp_feed_row(f, from + k, step, out + k * width, c ? c[from + k] : 1, weighted ? weighted + k * width : NULL,
                     scratch);
}
