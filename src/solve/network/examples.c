#include "solve/network/examples.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/matrix.h"

#include <math.h>
#include <stdlib.h>

/* Weighted sums of a column: of its non-zero values, and of their squares, relative to `about`; and the share of the weights
 * of these rows. A weight of m counts like m rows. */
typedef struct column_sums {
    double *first, *second, *about, *share;
    double typical; /* the root mean square of the non-zeros of columns of mostly zeros: its median over them */
} column_sums;

static const double HALF = 0.5 - 1e-9; /* up to rounding */
/* Inputs of mostly zeros are smaller by this factor: on 10,000 images of mnist the test accuracy was 0.4 points higher than
 * with 1 or 3. */
static const double SOFT = 1.5;

/* Two passes, so that means that are large beside the spread cost no digits: the first finds the means. */
static void add_rows(const hsp_examples *e, const column_sums *s) {
    for (int64_t i = 0; i < e->n; i++) {
        hsp_row x = hsp_matrix_row(e->design->x, e->row[i]);
        double c = hsp_examples_weight(e, i) / e->sum_c;
        for (int64_t t = 0; t < x.count; t++) {
            int64_t j = hsp_row_id(x, t);
            double v = hsp_row_value(x, t);
            if (v == 0) continue;
            double from = v - s->about[j];
            s->first[j] += c * from;
            s->second[j] += c * (from * from);
            s->share[j] += c;
        }
    }
}

/* The input is the column of the design, (x - shift) factor. */
static void copy_column(hsp_examples *e, int64_t j) {
    const hsp_design *D = e->design;
    e->centre[j] = D->shift ? D->shift[j] : 0;
    e->unit[j] = D->factor ? 1 / D->factor[j] : 1;
}

/* A column with at least half non-zeros is standardised. One of mostly zeros, such as the count of a word, is divided by the
 * root mean square of its other values: dividing by its standard deviation would make rare values huge. Where that is less
 * than in the other such columns, it is divided by theirs, up to a factor: the pixels at the border of images stay faint. */
static void set_column(hsp_examples *e, const column_sums *s, int64_t j) {
    double share = s->share[j], zeros = fmax(1 - share, 0), m = s->about[j];
    bool standard = share >= HALF;
    double shift = standard ? s->first[j] - zeros * m : 0; /* of the mean from `about` */
    double squares = standard ? s->second[j] + zeros * m * m - shift * shift : s->second[j] / fmax(share, 1e-300);
    double unit = sqrt(squares > 0 ? squares : 0);
    if (!standard) unit = SOFT * fmin(fmax(unit, s->typical), 4 * unit);
    double size = fabs(m) + fabs(shift);
    bool constant = !(unit > 1e-12 * size) || !isfinite(unit);
    e->centre[j] = standard ? m + shift : 0;
    e->unit[j] = constant ? 1 : unit;
    if (!isfinite(squares) || !isfinite(e->centre[j])) copy_column(e, j); /* squares overflow */
    if (e->centre[j] != 0) e->centred = true;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sets s->typical; spare: d numbers. */
static void find_typical(column_sums *s, int64_t d, double *spare) {
    int64_t count = 0;
    for (int64_t j = 0; j < d; j++)
        if (s->share[j] > 0 && s->share[j] < HALF) spare[count++] = sqrt(s->second[j] / s->share[j]);
    if (count > 0) qsort(spare, (size_t)count, sizeof *spare, ascending);
    s->typical = count > 0 ? spare[count / 2] : 0;
}

static int measure_columns(hsp_examples *e, hsp_error **err) {
    int64_t d = e->design->d;
    column_sums s = {0};
    bool whole = HSP_ALLOC_DOUBLES(d, &s.first, &s.second, &s.about, &s.share);
    if (whole) {
        add_rows(e, &s);
        for (int64_t j = 0; j < d; j++) {
            s.about[j] = s.share[j] >= HALF ? s.first[j] / s.share[j] : 0;
            if (!isfinite(s.about[j])) s.about[j] = 0;
            s.first[j] = s.second[j] = s.share[j] = 0;
        }
        add_rows(e, &s);
        find_typical(&s, d, e->unit);
        for (int64_t j = 0; j < d; j++) set_column(e, &s, j);
    }
    HSP_FREE(s.first, s.second, s.about, s.share);
    return whole ? HSP_OK : hsp_fail_memory(err);
}

static void copy_columns(hsp_examples *e) {
    for (int64_t j = 0; j < e->design->d; j++) {
        copy_column(e, j);
        if (e->centre[j] != 0) e->centred = true;
    }
}

/* Standardises the targets, by the weights of the rows. */
static void measure_targets(hsp_examples *e) {
    double mean = 0, squares = 0;
    for (int64_t i = 0; i < e->n; i++) mean += hsp_examples_weight(e, i) / e->sum_c * e->target[e->row[i]];
    for (int64_t i = 0; i < e->n; i++) {
        double t = e->target[e->row[i]] - mean;
        squares += hsp_examples_weight(e, i) / e->sum_c * (t * t);
    }
    if (!isfinite(mean) || !isfinite(squares)) return;
    e->target_centre = mean;
    if (sqrt(squares) > 1e-12 * fabs(mean)) e->target_unit = sqrt(squares);
}

int hsp_examples_open(hsp_examples *e, bool plain, hsp_error **err) {
    int64_t n = e->design->n, d = e->design->d;
    e->target_unit = 1;
    if (!HSP_ALLOC(e->row, n) || !HSP_ALLOC(e->centre, d > 0 ? d : 1) || !HSP_ALLOC(e->unit, d > 0 ? d : 1))
        return hsp_fail_memory(err);
    for (int64_t i = 0; i < n; i++) {
        if (e->c && !(e->c[i] > 0)) continue;
        e->row[e->n++] = i;
        e->sum_c += e->c ? e->c[i] : 1;
    }
    if (plain) {
        copy_columns(e);
        return HSP_OK;
    }
    if (e->target) measure_targets(e);
    return measure_columns(e, err);
}

void hsp_examples_clear(hsp_examples *e) {
    HSP_FREE(e->row, e->centre, e->unit);
    *e = (hsp_examples){0};
}

/* z_1 = V (x - centre) / unit + a: W = V / unit, b = a - W centre; scores = centre + unit z_L. */
void hsp_examples_to_original(const hsp_examples *e, hsp_network *net) {
    int64_t d = net->size[0], last = net->layers;
    double *w = hsp_network_weights(net, 1), *b = hsp_network_intercepts(net, 1);
    for (int64_t k = 0; k < net->size[1]; k++) {
        long double sum = (long double)b[k];
        for (int64_t j = 0; j < d; j++) {
            w[k * d + j] /= e->unit[j];
            sum -= (long double)w[k * d + j] * (long double)e->centre[j];
        }
        b[k] = (double)sum;
    }
    w = hsp_network_weights(net, last), b = hsp_network_intercepts(net, last);
    for (int64_t t = 0; t < net->size[last] * net->size[last - 1]; t++) w[t] *= e->target_unit;
    for (int64_t k = 0; k < net->size[last]; k++) b[k] = b[k] * e->target_unit + e->target_centre;
}

void hsp_examples_from_original(const hsp_examples *e, hsp_network *net) {
    int64_t d = net->size[0], last = net->layers;
    double *w = hsp_network_weights(net, last), *b = hsp_network_intercepts(net, last);
    for (int64_t k = 0; k < net->size[last]; k++) b[k] = (b[k] - e->target_centre) / e->target_unit;
    for (int64_t t = 0; t < net->size[last] * net->size[last - 1]; t++) w[t] /= e->target_unit;
    w = hsp_network_weights(net, 1), b = hsp_network_intercepts(net, 1);
    for (int64_t k = 0; k < net->size[1]; k++) {
        long double sum = (long double)b[k];
        for (int64_t j = 0; j < d; j++) {
            sum += (long double)w[k * d + j] * (long double)e->centre[j];
            w[k * d + j] *= e->unit[j];
        }
        b[k] = (double)sum;
    }
}
