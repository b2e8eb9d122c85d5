#include "table/fill.h"

#include "base/exact_sum.h"
#include "base/json_value.h"

#include <math.h>
#include <stdlib.h>

bool hsp_fill_allowed(const hsp_table_rules *r) {
    return r->missing == HSP_MISSING_MEAN || r->missing == HSP_MISSING_MEDIAN || r->missing == HSP_MISSING_INDICATOR;
}

/* Hoare's quickselect with the median of three as the pivot: v[k] becomes what it is in sorted order, and nothing before it
 * is greater. */
static double select_one(double *v, int64_t n, int64_t k) {
    int64_t low = 0, high = n - 1;
    while (low < high) {
        double a = v[low], b = v[low + (high - low) / 2], c = v[high];
        double pivot = a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
        int64_t i = low, j = high;
        while (i <= j) {
            while (v[i] < pivot) i++;
            while (v[j] > pivot) j--;
            if (i > j) break;
            double swap = v[i];
            v[i++] = v[j];
            v[j--] = swap;
        }
        if (k <= j)
            high = j;
        else if (k >= i)
            low = i;
        else
            break;
    }
    return v[k];
}

double hsp_fill_median(double *v, int64_t n) {
    if (n == 0) return 0;
    double upper = select_one(v, n, n / 2), lower = upper;
    if (n % 2 == 0) {
        lower = v[0];
        for (int64_t i = 1; i < n / 2; i++)
            if (v[i] > lower) lower = v[i];
    }
    return lower == upper ? upper : lower / 2 + upper / 2;
}

void hsp_fill_set(const hsp_column_cells *s, double fill, hsp_table_column *c) {
    c->fills = hsp_fill_allowed(s->r);
    c->fill = c->fills ? fill + 0.0 : 0; /* -0 becomes 0: JSON would lose the sign */
    c->indicator = s->r->missing == HSP_MISSING_INDICATOR && s->p->missing > 0;
    c->features = c->kind->numbers + c->indicator;
}

void hsp_fill_learn(const hsp_column_cells *s, double *v, int64_t n, hsp_table_column *c) {
    double fill = 0;
    if (s->r->missing == HSP_MISSING_MEDIAN) {
        fill = hsp_fill_median(v, n);
    } else if (hsp_fill_allowed(s->r)) {
        hsp_exact_sum sum = {0};
        for (int64_t i = 0; i < n; i++) hsp_exact_sum_add(&sum, v[i]);
        if (n > 0) fill = hsp_exact_sum_mean(&sum, n);
    }
    hsp_fill_set(s, fill, c);
}

static int by_value(const void *a, const void *b) {
    double x = ((const hsp_weighted *)a)->v, y = ((const hsp_weighted *)b)->v;
    return (x > y) - (x < y);
}

/* The value of place k among all, each as often as it occurs. */
static double value_at(const hsp_weighted *sorted, int64_t k) {
    while (k >= sorted->count) k -= sorted++->count;
    return sorted->v;
}

void hsp_fill_learn_weighted(const hsp_column_cells *s, hsp_weighted *v, int64_t n, hsp_table_column *c) {
    double fill = 0;
    int64_t all = 0;
    hsp_exact_sum sum = {0};
    for (int64_t i = 0; i < n; i++) {
        all += v[i].count;
        hsp_exact_sum_add(&sum, v[i].v * (double)v[i].count);
    }
    if (all > 0 && s->r->missing == HSP_MISSING_MEDIAN) {
        qsort(v, (size_t)n, sizeof *v, by_value);
        double upper = value_at(v, all / 2), lower = all % 2 ? upper : value_at(v, all / 2 - 1);
        fill = lower == upper ? upper : lower / 2 + upper / 2;
    } else if (all > 0) {
        fill = hsp_exact_sum_mean(&sum, all);
    }
    hsp_fill_set(s, fill, c);
}

void hsp_fill_feature(const hsp_table_column *c, hsp_text *t) {
    hsp_text_add(t, c->name);
    hsp_text_add(t, "?missing");
}

void hsp_fill_missing(const hsp_table_column *c, hsp_emit *out) {
    hsp_emit_one(out, c->first, c->fill);
    hsp_fill_indicate(c, out);
}

void hsp_fill_name(const hsp_table_column *c, int64_t k, hsp_text *t) {
    if (k == 0)
        hsp_text_add(t, c->name);
    else
        hsp_fill_feature(c, t);
}

void hsp_fill_save(const hsp_table_column *c, hsp_json *j) {
    hsp_json_number(j, "fill", c->fill);
    hsp_json_bool(j, "indicator", c->indicator);
}

int hsp_fill_load(const hsp_json_loader *l, int64_t room, hsp_table_column *c) {
    (void)room;
    const hsp_json_value *fill = hsp_json_get(l->from, "fill"), *indicator = hsp_json_get(l->from, "indicator");
    if (!hsp_json_is(fill, HSP_JSON_NUMBER) || !isfinite(hsp_json_double(fill))) return hsp_json_wrong(l, "fill");
    if (!hsp_json_is_flag(indicator) || (hsp_json_is(indicator, HSP_JSON_TRUE) && !c->fills))
        return hsp_json_wrong(l, "indicator");
    c->fill = hsp_json_double(fill);
    c->indicator = hsp_json_is(indicator, HSP_JSON_TRUE);
    c->features = c->kind->numbers + c->indicator;
    return 0;
}
