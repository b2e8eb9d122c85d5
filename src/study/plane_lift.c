#include "base/memory.h"
#include "data/matrix.h"
#include "design/design.h"
#include "study/plane.h"

#include <math.h>

void hsp_plane_project(const hsp_plane *p, const double *direction, int64_t count, double offset, double *out) {
    for (int64_t i = 0; i < p->n; i++) {
        hsp_row r = hsp_matrix_row(p->x, i);
        if (r.id)
            r.count = count < p->x->d ? hsp_row_find(r, count) : r.count;
        else
            r.count = count < r.count ? count : r.count;
        out[i] = hsp_row_dot(r, direction) + offset;
    }
}

void hsp_plane_feature(const hsp_plane *p, int64_t j, double *out) {
    for (int64_t i = 0; i < p->n; i++) {
        hsp_row r = hsp_matrix_row(p->x, i);
        int64_t t = r.id ? hsp_row_find(r, j) : j;
        out[i] = t < r.count && hsp_row_id(r, t) == j ? hsp_row_value(r, t) : 0;
    }
}

/* Deviations of one coordinate from its mean, divided by the largest, so that their squares stay in range. */
typedef struct deviation {
    const double *at;
    long double mean, unit; /* unit 0: constant */
} deviation;

static deviation deviation_of(const double *at, int64_t n) {
    deviation a = {.at = at};
    for (int64_t i = 0; i < n; i++) a.mean += (at[i] - a.mean) / (i + 1);
    for (int64_t i = 0; i < n; i++) a.unit = fmaxl(a.unit, fabsl(at[i] - a.mean));
    if (a.unit < 1e-13L * fabsl(a.mean)) a.unit = 0; /* only rounding error */
    return a;
}

static long double part(const deviation *a, int64_t i) {
    return a->unit > 0 ? (a->at[i] - a->mean) / a->unit : 0;
}

/* sums[2 j] and sums[2 j + 1]: products of the deviations of feature j with those of u and v. The deviations of u and v sum
 * to 0, so feature columns need no centring, and entries that are not stored add nothing. */
static void multiply(const hsp_plane *p, const deviation *a, const deviation *b, long double *sums) {
    enum { CHUNK = 256 };
    uint32_t id[CHUNK];
    double value[CHUNK];
    for (int64_t i = 0; i < p->n; i++) {
        hsp_row r = hsp_matrix_row(p->x, i);
        long double u = part(a, i), v = part(b, i);
        for (int64_t from = 0, count; (count = hsp_row_decode(r, from, CHUNK, r.id ? id : NULL, value)) > 0;
             from += count) {
            for (int64_t t = 0; t < count; t++) {
                int64_t j = r.id ? (int64_t)id[t] : from + t;
                if (j >= p->d) continue;
                long double x = r.id ? value[t] : value[t] - (long double)p->mean[j];
                sums[2 * j] += u * x;
                sums[2 * j + 1] += v * x;
            }
        }
    }
}

static double number(long double v) {
    double rounded = (double)v;
    return isfinite(rounded) ? rounded : 0;
}

/* If u and v are collinear, the regression uses u alone. */
int hsp_plane_lift(hsp_plane *p) {
    long double *sums = hsp_alloc_zero(2 * p->d, sizeof *sums), uu = 0, uv = 0, vv = 0;
    if (!sums) return HSP_EMEMORY;
    deviation a = deviation_of(p->u, p->n), b = deviation_of(p->v, p->n);
    for (int64_t i = 0; i < p->n; i++) {
        uu += part(&a, i) * part(&a, i);
        uv += part(&a, i) * part(&b, i);
        vv += part(&b, i) * part(&b, i);
    }
    multiply(p, &a, &b, sums);
    long double area = uu * vv - uv * uv;
    bool both = area > 1e-12L * uu * vv;
    for (int64_t j = 0; j < p->d; j++) {
        long double xu = sums[2 * j], xv = sums[2 * j + 1], to_u = 0, to_v = 0;
        if (both) {
            to_u = (vv * xu - uv * xv) / area / a.unit;
            to_v = (uu * xv - uv * xu) / area / b.unit;
        } else if (uu > 0) {
            to_u = xu / uu / a.unit;
        } else if (vv > 0) {
            to_v = xv / vv / b.unit;
        }
        p->lift[p->d + j] = number(to_u);
        p->lift[2 * p->d + j] = number(to_v);
        p->lift[j] = number((long double)p->mean[j] - (long double)p->lift[p->d + j] * a.mean -
                            (long double)p->lift[2 * p->d + j] * b.mean);
    }
    hsp_free(sums);
    return HSP_OK;
}
