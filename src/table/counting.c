#include "table/counting.h"

#include "base/text.h"
#include "data/matrix.h"
#include "data/schema.h"
#include "table/spelling.h"

#include <math.h>

enum { LIKE_ID = 20, MOST = 20 }; /* rows with which it is not a coincidence; most warnings */

static double value_at(const hsp_matrix *x, int64_t i, int64_t j) {
    hsp_row r = hsp_matrix_row(x, i);
    if (!r.id) return hsp_row_value(r, j);
    int64_t t = hsp_row_find(r, j);
    return t < r.count && hsp_row_id(r, t) == j ? hsp_row_value(r, t) : 0;
}

/* Whether column j ascends by whole numbers. */
static bool is_counter(const hsp_matrix *x, int64_t j) {
    double last = -INFINITY;
    for (int64_t i = 0; i < x->n; i++) {
        double v = value_at(x, i, j);
        if (!(v > last) || v != floor(v)) return false;
        last = v;
    }
    return true;
}

int hsp_note_counting(hsp_data *data) {
    const double *range = atomic_load(&data->column_range);
    int64_t n = data->x.n, d = data->x.d;
    hsp_text t = {0};
    char buf[32], name[HSP_EXCERPT];
    int notes = 0;
    if (!range || n < LIKE_ID || d < 2) return 0; /* a single column must be a feature */
    for (int64_t j = 0; j < d && notes < MOST; j++) {
        double width = range[d + j] - range[j];
        if (width < (double)(n - 1) || width >= 2 * (double)n || !is_counter(&data->x, j)) continue;
        const char *own = hsp_schema_feature(&data->schema, j, buf);
        hsp_text_format(&t, "%scolumn '%s' numbers the rows, like an id: ignore it with --ignore ", notes++ ? "\n" : "",
                        hsp_excerpt(name, own, (int64_t)strlen(own)));
        hsp_type_column(&t, &data->schema, j);
        hsp_text_add(&t, "");
    }
    if (notes == 0 && !t.failed) return 0;
    return hsp_text_take(&t, &data->notes, NULL);
}
