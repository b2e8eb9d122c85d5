/* Squared loss: (y - g)^2 / 2; dual a y - a^2 / (2 k) for every a. */
#include "verify/loss/claim_chains.h"
#include "verify/loss/claim_rows.h"

static hsp_dd losses(const hsp_rows_part *p, const hsp_dd *g) {
    dd_chains sum = {0};
    some_rows r;
    for (int64_t from = 0; from < p->count; from += ROWS) {
        copy_scored(p, g, from, &r);
        for (int64_t i = 0; i < r.count; i += WIDTH) {
            lanes c = load(r.c + i);
            hsp_dd_lanes d = lanes_add_double((hsp_dd_lanes){load(r.hi + i), load(r.lo + i)}, -load(r.y + i));
            hsp_dd_lanes square = lanes_multiply(d, d);
            square = (hsp_dd_lanes){square.hi * 0.5, square.lo * 0.5};
            chains_add(&sum, i, lanes_where(c != 0, lanes_scale(square, c)));
        }
    }
    return chains_total(&sum);
}

/* k (y - g) */
static void derive(const hsp_rows_part *p, const hsp_dd *g) {
    some_rows r;
    for (int64_t from = 0; from < p->count; from += ROWS) {
        copy_scored(p, g, from, &r);
        for (int64_t i = 0; i < r.count; i += WIDTH) {
            lanes c = load(r.c + i);
            hsp_dd_lanes k = lanes_two_product(all(p->C), c);
            hsp_dd_lanes d = lanes_add_double((hsp_dd_lanes){-load(r.hi + i), -load(r.lo + i)}, load(r.y + i));
            hsp_dd_lanes a = lanes_multiply(k, d);
            store(r.a + i, choose(c == 0, all(0), a.hi + a.lo + 0.0));
        }
        for (int64_t i = 0; i < r.count; i++) p->a[from + i] = r.a[i];
    }
}

static void confine(const hsp_rows_part *p) {
    for (int64_t i = 0; i < p->count; i++)
        if (p->c[i] == 0) p->a[i] = 0;
}

static void sums(const hsp_rows_part *p, hsp_dual_sums *out) {
    dd_chains mass = {0}, labels = {0}, linear = {0}, quadratic = {0}, total = {0};
    double_chains size = {0}, labels_size = {0};
    some_rows r;
    for (int64_t from = 0; from < p->count; from += ROWS) {
        copy_multiplied(p, from, &r);
        for (int64_t i = 0; i < r.count; i += WIDTH) {
            lanes y = load(r.y + i), c = load(r.c + i), a = load(r.a + i);
            flags counts = c != 0;
            hsp_dd_lanes k = lanes_two_product(all(p->C), c), twice = {k.hi * 2, k.lo * 2};
            int64_t v = i / WIDTH % CHAIN_VECTORS;
            chains_add(&mass, i, k);
            chains_add(&labels, i, lanes_where(counts, lanes_scale(k, y)));
            chains_add(&linear, i, lanes_where(counts, lanes_two_product(a, y)));
            chains_add(&quadratic, i, lanes_where(counts, lanes_divide(lanes_two_product(a, a), twice)));
            chains_add_double(&total, i, choose(counts, a, all(0)));
            size.v[v] += choose(counts, absolute(a * y) + absolute(a), all(0));
            labels_size.v[v] += choose(counts, k.hi * absolute(y), all(0));
        }
    }
    *out = (hsp_dual_sums){.mass = chains_total(&mass), .labels = chains_total(&labels)};
    out->total[0] = chains_total(&total);
    out->linear[0] = chains_total(&linear);
    out->quadratic[0] = chains_total(&quadratic);
    out->size = double_chains_total(&size);
    out->labels_size = double_chains_total(&labels_size);
}

const hsp_claim_loss HSP_CLAIM_ENTRY(squared) = {.name = "squared",
                                                 .shape = HSP_CLAIM_LINE,
                                                 .high = INFINITY,
                                                 .ridge = 1,
                                                 .numbers = true,
                                                 .losses = losses,
                                                 .derive = derive,
                                                 .confine = confine,
                                                 .sums = sums};
