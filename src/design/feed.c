#include "design/feed.h"

#include "data/matrix.h"

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

void hsp_feed_row(const hsp_feed *f, int64_t i, int64_t step, double *out, double c, double *weighted, double *scratch) {
    hsp_row r = hsp_matrix_row(f->D->x, i);
    hsp_decode q = f->q;
    if (f->centres) q.centre = f->centres + (f->group ? f->group[i] : 0) * f->D->d + f->from;
    if (!r.id) {
        f->level->pack[r.coding](&q, hsp_row_at(r, f->from), r.table, step, out, c, weighted);
        return;
    }
    int64_t begin = hsp_row_find(r, f->from), end = hsp_row_find(r, f->from + q.d);
    for (int64_t t = begin; t < end; t++) {
        int64_t j = hsp_row_id(r, t);
        scratch[j - f->from] = transformed(f->D, j, hsp_row_value(r, t));
    }
    f->level->pack[HSP_CODING_F64](&q, scratch, NULL, step, out, c, weighted);
    for (int64_t t = begin; t < end; t++) {
        int64_t j = hsp_row_id(r, t);
        scratch[j - f->from] = transformed(f->D, j, 0);
    }
}
