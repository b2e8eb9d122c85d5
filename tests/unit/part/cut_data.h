/* Random data, whole and cut into parts of whole blocks; and engines over some of them, in any order. */
#ifndef TESTS_PART_CUT_DATA_H
#define TESTS_PART_CUT_DATA_H

#include "base/memory.h"
#include "base/rng.h"
#include "data/data.h"
#include "halfspace.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_CUTS = 8 };

/* Data in as many pieces as asked for, each of whole blocks but for the last. */
typedef struct cut_data {
    int64_t count;
    hsp_data *data[MOST_CUTS];
    hsp_part *part[MOST_CUTS];
} cut_data;

typedef struct random_rows {
    int64_t n, d, classes; /* classes 0: targets */
    double filled;         /* share of the values that are not 0 */
    bool weights;
    uint64_t seed;
    double units; /* column j is in units of this to the power of j % 5; 0: all are alike */
} random_rows;

/* Rows `from` to `to` - 1 of the random rows; each row depends on its number alone. */
static hsp_data *make_rows(const random_rows *r, int64_t from, int64_t to) {
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    int64_t n = to - from;
    double *x = hsp_alloc(n * r->d, sizeof *x), *y = hsp_alloc(n, sizeof *y), *weight = hsp_alloc(n, sizeof *weight);
    const char **labels = hsp_alloc(n, sizeof *labels);
    for (int64_t i = 0; i < n; i++) {
        hsp_rng rng = hsp_rng_new(r->seed, (uint64_t)(from + i));
        double g = 0;
        for (int64_t j = 0; j < r->d; j++) {
            double v = hsp_rng_uniform(&rng) < r->filled ? 2 * hsp_rng_uniform(&rng) - 0.8 : 0;
            x[i * r->d + j] = r->units > 0 ? v * pow(r->units, (double)(j % 5)) : v;
            g += v * sin(1 + (double)j);
        }
        g += hsp_rng_uniform(&rng) - 0.5;
        y[i] = g;
        weight[i] = 0.5 + hsp_rng_uniform(&rng);
        if (r->classes == 2) labels[i] = names[g > 0];
        if (r->classes > 2) labels[i] = names[(int64_t)(fabs(3 * g) + hsp_rng_uniform(&rng)) % r->classes];
    }
    hsp_data *data;
    assert_int_equal(hsp_data_from_dense(x, n, r->d, r->d, r->classes ? labels : NULL, NULL, &data, NULL), HSP_OK);
    if (!r->classes) assert_int_equal(hsp_data_set_targets(data, y, NULL), HSP_OK);
    if (r->weights) assert_int_equal(hsp_data_set_weights(data, weight, NULL), HSP_OK);
    HSP_FREE(x, y, weight, labels);
    return data;
}

static cut_data cut_rows(const random_rows *r, int64_t count) {
    cut_data c = {.count = count};
    int64_t blocks = (r->n + HSP_PART_ROWS - 1) / HSP_PART_ROWS;
    for (int64_t k = 0; k < count; k++) {
        int64_t first = blocks * k / count, end = blocks * (k + 1) / count;
        c.data[k] = make_rows(r, first * HSP_PART_ROWS, end * HSP_PART_ROWS < r->n ? end * HSP_PART_ROWS : r->n);
        assert_int_equal(hsp_part_of_data(c.data[k], first, NULL, &c.part[k], NULL), HSP_OK);
    }
    return c;
}

static void free_cut(cut_data *c) {
    for (int64_t k = 0; k < c->count; k++) {
        hsp_part_free(c->part[k]);
        hsp_data_free(c->data[k]);
    }
}

/* The parts in another order: `turn` places further, and backwards if odd. */
static hsp_engine *engine_of(const cut_data *c, int64_t turn) {
    hsp_part *parts[MOST_CUTS];
    hsp_engine *engine;
    for (int64_t k = 0; k < c->count; k++) parts[k] = c->part[(turn % 2 ? c->count - 1 - k + turn : k + turn) % c->count];
    assert_int_equal(hsp_engine_local(parts, c->count, &engine, NULL), HSP_OK);
    return engine;
}

#endif
