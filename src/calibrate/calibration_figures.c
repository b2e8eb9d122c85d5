/* How well probabilities agree with the classes. */
#include "base/error.h"
#include "base/memory.h"
#include "calibrate/calibration.h"

#include <math.h>
#include <stdlib.h>

typedef struct ranked_row {
    double v;
    int64_t row;
} ranked_row;

static int by_value(const void *a, const void *b) {
    const ranked_row *x = a, *y = b;
    if (x->v != y->v) return x->v < y->v ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

int hsp_calibration_order(const double *v, int64_t n, int64_t *rows) {
    ranked_row *list = hsp_alloc(n > 0 ? n : 1, sizeof *list);
    if (!list) return HSP_EMEMORY;
    for (int64_t i = 0; i < n; i++) list[i] = (ranked_row){v[i], i};
    qsort(list, (size_t)n, sizeof *list, by_value);
    for (int64_t i = 0; i < n; i++) rows[i] = list[i].row;
    hsp_free(list);
    return HSP_OK;
}

void hsp_calibration_bin(hsp_calibration_bins *b, double p, double hit, double miss, bool whole, bool last) {
    b->mass += hit + miss;
    b->done += hit + miss;
    b->hits += hit;
    b->sum += (hit + miss) * p;
    double due = b->done / b->all * HSP_CALIBRATION_BINS;
    if (!last && (!whole || !(b->mass > 0) || due < b->closed + 1)) return;
    b->error += fabs(b->sum - b->hits) / b->all; /* share of the bin x |mean probability - frequency| */
    b->mass = b->hits = b->sum = 0;
    b->closed = floor(due);
}

double hsp_calibration_error(const double *p, const bool *hit, const double *weight, int64_t n) {
    hsp_calibration_bins b = {0};
    for (int64_t i = 0; i < n; i++) b.all += weight ? weight[i] : 1;
    for (int64_t i = 0; i < n; i++) {
        double c = weight ? weight[i] : 1;
        bool last = i == n - 1;
        hsp_calibration_bin(&b, p[i], hit[i] ? c : 0, hit[i] ? 0 : c, last || p[i + 1] != p[i], last);
    }
    return b.all > 0 ? b.error : (double)NAN;
}

/* Arrays of n, in the order of one probability. */
typedef struct sorted_rows {
    double *value, *p, *weight;
    bool *hit;
    int64_t *order;
} sorted_rows;

static void free_sorted(sorted_rows *s) {
    HSP_FREE(s->value, s->p, s->weight, s->hit, s->order);
}

/* The expected calibration error of output k. */
static int error_of(const hsp_calibration_rows *rows, const double *p, int64_t k, sorted_rows *s, double *out) {
    for (int64_t i = 0; i < rows->n; i++) s->value[i] = p[i * rows->outputs + k];
    if (hsp_calibration_order(s->value, rows->n, s->order)) return HSP_EMEMORY;
    for (int64_t i = 0; i < rows->n; i++) {
        int64_t row = s->order[i];
        s->p[i] = s->value[row];
        s->weight[i] = rows->weight ? rows->weight[row] : 1;
        s->hit[i] = rows->outputs == 1 ? rows->class[row] == 1 : rows->class[row] == k;
    }
    *out = hsp_calibration_error(s->p, s->hit, s->weight, rows->n);
    return HSP_OK;
}

/* Adds the squared distance and -log p of a row. */
static void add_row(const hsp_calibration_rows *rows, const double *p, int64_t i, hsp_calibration_figures *out) {
    double c = rows->weight ? rows->weight[i] : 1, square = 0, right;
    if (rows->outputs == 1) {
        right = rows->class[i] ? p[0] : 1 - p[0];
        square = (1 - right) * (1 - right);
    } else {
        right = p[rows->class[i]];
        for (int64_t k = 0; k < rows->outputs; k++) {
            double apart = p[k] - (rows->class[i] == k ? 1 : 0);
            square += apart * apart;
        }
    }
    out->brier += c * square;
    out->log_loss -= c * log(fmax(right, HSP_CALIBRATION_LEAST));
}

int hsp_calibration_measure(const hsp_calibration_rows *rows, const double *p, hsp_calibration_figures *out,
                            hsp_error **err) {
    int64_t n = rows->n > 0 ? rows->n : 1;
    sorted_rows s = {.value = hsp_alloc(n, sizeof *s.value),
                     .p = hsp_alloc(n, sizeof *s.p),
                     .weight = hsp_alloc(n, sizeof *s.weight),
                     .hit = hsp_alloc(n, sizeof *s.hit),
                     .order = hsp_alloc(n, sizeof *s.order)};
    double mass = 0, error = 0;
    int status = s.value && s.p && s.weight && s.hit && s.order ? HSP_OK : HSP_EMEMORY;
    *out = (hsp_calibration_figures){0};
    for (int64_t i = 0; !status && i < rows->n; i++) {
        mass += rows->weight ? rows->weight[i] : 1;
        add_row(rows, p + i * rows->outputs, i, out);
    }
    for (int64_t k = 0; !status && k < rows->outputs; k++) {
        status = error_of(rows, p, k, &s, &error);
        out->calibration_error += error / (double)rows->outputs;
    }
    out->log_loss /= mass;
    out->brier /= mass;
    free_sorted(&s);
    return status ? hsp_fail_memory(err) : HSP_OK;
}
