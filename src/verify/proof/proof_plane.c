/* Checks that all rows are on their sides of a plane. In floating point each score has a bound on its rounding error that
 * holds for any order of summation (Higham 2002, section 3.1). Sums are exact where the bound cannot decide, and everywhere
 * if the data are small. */
#include "base/pool.h"
#include "data/matrix.h"
#include "kernel/form.h"
#include "verify/proof/proof_rows.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>

enum { DENSE_LANES = 8, SPARSE_LANES = 4 };

/* Sums products and their sizes in `lanes` partial sums each, so that the compiler vectorises the loop. */
#define SCORE(form, id_type, COLUMN, type, VALUE, lanes)                              \
    static void score_##form(hsp_row r, const double *w, double *sum, double *size) { \
        const id_type *id = r.id;                                                     \
        const type *x = r.value;                                                      \
        const double *table = r.table;                                                \
        double s[lanes] = {0}, a[lanes] = {0};                                        \
        int64_t n = r.count, t = 0;                                                   \
        (void)id, (void)x, (void)table;                                               \
        for (; t + (lanes) <= n; t += (lanes))                                        \
            for (int l = 0; l < (lanes); l++) {                                       \
                double p = w[COLUMN(id, t + l)] * VALUE(x, table, t + l);             \
                s[l] += p;                                                            \
                a[l] += fabs(p);                                                      \
            }                                                                         \
        for (; t < n; t++) {                                                          \
            double p = w[COLUMN(id, t)] * VALUE(x, table, t);                         \
            s[0] += p;                                                                \
            a[0] += fabs(p);                                                          \
        }                                                                             \
        for (int l = 0; l < (lanes); l++) *sum += s[l], *size += a[l];                \
    }
#define DENSE(form, id_type, COLUMN, type, VALUE) SCORE(form, id_type, COLUMN, type, VALUE, DENSE_LANES)
#define SPARSE(form, id_type, COLUMN, type, VALUE) SCORE(form, id_type, COLUMN, type, VALUE, SPARSE_LANES)
HSP_EACH_DENSE_FORM(DENSE)
HSP_EACH_SPARSE_FORM(SPARSE)

#define SCORE_ENTRY(form, ...) score_##form,
static void (*const score_of_form[HSP_FORMS])(hsp_row, const double *, double *, double *) = {HSP_EACH_FORM(SCORE_ENTRY)};

double hsp_rows_score(hsp_row x, const double *w, double b, double *error) {
    double g = b, size = fabs(b);
    score_of_form[hsp_row_form(x)](x, w, &g, &size);
    /* n u / (1 - 2 n u) times the rounded sum of sizes, for n below 2^33, plus a bound on the underflow. */
    double n = (double)x.count + 16, u = DBL_EPSILON / 2;
    *error = size <= DBL_MAX / 8 && x.count < (int64_t)1 << 33 ? n * u * 1.0001 * size + n * DBL_MIN : INFINITY;
    return g;
}

void hsp_rows_exact(hsp_exact *s, hsp_row x, const double *w, double sign) {
    for (int64_t t = 0; t < x.count; t++) hsp_exact_add_product(s, sign * w[hsp_row_id(x, t)], hsp_row_value(x, t));
}

int64_t hsp_rows_blocks(const hsp_matrix *x) {
    return x->n < HSP_ROWS_BLOCKS ? x->n : HSP_ROWS_BLOCKS;
}

int64_t hsp_rows_begin(const hsp_matrix *x, int64_t block) {
    int64_t blocks = hsp_rows_blocks(x), each = x->n / blocks, more = x->n % blocks;
    return block * each + (block < more ? block : more);
}

bool hsp_rows_finite(const double *v, int64_t n) {
    for (int64_t j = 0; j < n; j++)
        if (!isfinite(v[j])) return false;
    return true;
}

typedef struct plane_block {
    bool any;         /* some row counts */
    bool bounded;     /* some row was decided by its error bound */
    hsp_scaled least; /* lower bound of the margins y g */
} plane_block;

typedef struct plane_check {
    const hsp_rows_by_side *q;
    const double *w;
    double b;
    bool exact;
    atomic_bool refuted;
    plane_block block[HSP_ROWS_BLOCKS];
} plane_check;

static void check_block(void *ctx, int64_t index) {
    plane_check *c = ctx;
    plane_block *out = &c->block[index];
    int64_t end = hsp_rows_begin(c->q->x, index + 1);
    bool exact = c->exact || !hsp_exact_ieee();
    for (int64_t i = hsp_rows_begin(c->q->x, index); i < end && !atomic_load_explicit(&c->refuted, memory_order_relaxed);
         i++) {
        int y = c->q->y[i];
        if (y == 0) continue;
        hsp_row x = hsp_matrix_row(c->q->x, i);
        double error, g = exact ? 0 : y * hsp_rows_score(x, c->w, c->b, &error);
        hsp_scaled least;
        if (!exact && g > error && (g - error) * (1 - DBL_EPSILON) >= DBL_MIN) {
            out->bounded = true;
            least = hsp_scaled_of((g - error) * (1 - DBL_EPSILON));
        } else if (!exact && g < -error) {
            least = (hsp_scaled){0, 0};
        } else {
            hsp_exact s;
            hsp_exact_clear(&s);
            hsp_rows_exact(&s, x, c->w, 1);
            hsp_exact_add(&s, c->b);
            least = hsp_exact_sign(&s) == y ? hsp_exact_size(&s, false) : (hsp_scaled){0, 0};
        }
        if (!out->any || hsp_scaled_compare(least, out->least) < 0) out->least = least;
        out->any = true;
        if (least.m == 0) atomic_store(&c->refuted, true);
    }
}

hsp_proof_kind hsp_proof_check_plane(const hsp_rows_by_side *q, const double *w, double b, double *margin) {
    plane_check c = {.q = q, .w = w, .b = q->origin ? 0 : b, .exact = q->x->stored <= HSP_ROWS_ALL_EXACT};
    *margin = NAN;
    if (!isfinite(c.b) || !hsp_rows_finite(w, q->x->d)) return HSP_PROOF_NONE;
    int64_t blocks = hsp_rows_blocks(q->x);
    atomic_init(&c.refuted, false);
    hsp_pool_run(blocks, q->threads, check_block, &c);
    if (atomic_load(&c.refuted)) return HSP_PROOF_NONE;
    plane_block all = {0};
    for (int64_t k = 0; k < blocks; k++) {
        if (!c.block[k].any) continue;
        if (!all.any || hsp_scaled_compare(c.block[k].least, all.least) < 0) all.least = c.block[k].least;
        all.any = true;
        all.bounded |= c.block[k].bounded;
    }
    hsp_exact s;
    hsp_exact_clear(&s);
    for (int64_t j = 0; j < q->x->d; j++) hsp_exact_add_product(&s, w[j], w[j]);
    hsp_scaled norm = hsp_exact_size(&s, true);
    *margin = !all.any || norm.m == 0 ? INFINITY : hsp_scaled_over_root(all.least, norm);
    return all.bounded ? HSP_PROOF_BOUNDED : HSP_PROOF_EXACT;
}
