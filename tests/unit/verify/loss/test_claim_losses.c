/* The losses of verify: all of the table, the same bits on any processor, and the duals and slopes of src/loss. */
#include "base/rng.h"
#include "loss/loss.h"
#include "verify/loss/exp_log.h"
#include "verify/loss/loss_claim.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 300 };
static const double C = 0.37;

typedef struct rows {
    double y[ROWS], c[ROWS], a[ROWS];
    hsp_dd g[ROWS];
    hsp_rows_part part;
} rows;

/* Scores from -4 to 4, and weights that may be 0. */
static void fill(rows *r) {
    for (int i = 0; i < ROWS; i++) {
        r->y[i] = i % 3 ? 1 : -1;
        r->c[i] = i % 7 * 0.3;
        r->g[i] = (hsp_dd){4 * sin(i + 0.1), 1e-17 * cos(i)};
    }
    r->part = (hsp_rows_part){.count = ROWS, .y = r->y, .c = r->c, .C = C, .a = r->a, .parameter = 1.35};
}

static void every_loss_is_here(void **unused) {
    (void)unused;
    for (int64_t l = 0; hsp_loss_table[l]; l++) {
        const hsp_loss *loss = hsp_loss_table[l];
        const hsp_claim_loss *claim = hsp_claim_loss_find(loss->name);
        assert_non_null(claim);
        assert_string_equal(claim->name, loss->name);
        assert_true((claim->shape != HSP_CLAIM_NO_DUAL) == ((loss->traits & HSP_LOSS_DUAL) != 0));
        assert_true((claim->shape == HSP_CLAIM_BOX) == (loss->dual_shape == HSP_DUAL_BOX));
        assert_true((claim->shape == HSP_CLAIM_ENTROPY) == (loss->dual_shape == HSP_DUAL_ENTROPY));
        assert_true((claim->many != NULL) == ((loss->traits & HSP_LOSS_MANY) != 0));
        assert_true(claim->endless == ((loss->traits & HSP_LOSS_POSITIVE) != 0));
        bool derived = claim->derive || (claim->many && !claim->kinked);
        assert_true(derived == ((loss->traits & HSP_LOSS_SMOOTH) != 0));
        if (claim->shape == HSP_CLAIM_BOX) assert_true(claim->high == loss->dual_high && claim->ridge == loss->dual_ridge);
    }
    assert_null(hsp_claim_loss_find("hard"));
    assert_null(hsp_claim_loss_find(""));
    assert_null(hsp_claim_loss_find(NULL));
}

extern const hsp_claim_loss *const hsp_claim_table_plain[];

/* Fused multiply-adds by one instruction or by the C library. */
static void the_same_bits_on_any_processor(void **unused) {
    (void)unused;
    static rows r[2];
    for (const hsp_claim_loss *const *l = hsp_claim_table_plain + 1; *l; l++) {
        const hsp_claim_loss *both[2] = {*l, hsp_claim_loss_find((*l)->name)};
        hsp_dd total[2] = {{0}}, rest[2] = {{0}}, t[2] = {{0.3, 1e-18}, {0.9, -1e-18}};
        hsp_dual_sums sums[2];
        memset(sums, 0, sizeof sums);
        for (int v = 0; v < 2; v++) {
            fill(&r[v]);
            if (!both[v]->losses) continue;
            total[v] = both[v]->losses(&r[v].part, r[v].g);
            for (int i = 0; i < ROWS; i++) r[v].a[i] = sin(3 * i);
            if (both[v]->derive) both[v]->derive(&r[v].part, r[v].g);
            if (both[v]->confine) both[v]->confine(&r[v].part);
            if (both[v]->sums) both[v]->sums(&r[v].part, &sums[v]);
            if (both[v]->entropies) rest[v] = both[v]->entropies(&r[v].part, t);
        }
        assert_memory_equal(r[0].a, r[1].a, sizeof r[0].a);
        assert_memory_equal(&sums[0], &sums[1], sizeof sums[0]);
        assert_true(total[0].hi == total[1].hi && total[0].lo == total[1].lo);
        assert_true(rest[0].hi == rest[1].hi && rest[0].lo == rest[1].lo);
    }
}

/* The multipliers of the slopes are in the domain, and their dual is loss + r g: Fenchel-Young. */
static void slopes_and_duals_belong_together(void **unused) {
    (void)unused;
    static rows r;
    for (int64_t l = 0; hsp_loss_table[l]; l++) {
        const hsp_claim_loss *claim = hsp_claim_loss_find(hsp_loss_table[l]->name);
        if (!claim->derive) continue;
        fill(&r);
        hsp_dd losses = claim->losses(&r.part, r.g), one[2] = {{1, 0}, {1, 0}};
        claim->derive(&r.part, r.g);
        double before[ROWS], linear, products = 0;
        memcpy(before, r.a, sizeof before);
        claim->confine(&r.part);
        for (int i = 0; i < ROWS; i++)
            assert_true(fabs(before[i] - r.a[i]) <= 0x1p-51 * fabs(before[i])); /* C c is rounded */
        for (int i = 0; i < ROWS; i++) products += r.a[i] * r.g[i].hi;
        hsp_dual_sums s;
        claim->sums(&r.part, &s);
        linear = claim->shape == HSP_CLAIM_BOX ? s.total[0].hi + s.total[1].hi : s.linear[0].hi + s.linear[1].hi;
        double dual = claim->entropies ? claim->entropies(&r.part, one).hi : linear - s.quadratic[0].hi - s.quadratic[1].hi;
        assert_true(fabs(dual - (C * losses.hi + products)) < 1e-11);
    }
}

/* Multipliers outside are moved to the bounds, and no further. */
static void multipliers_are_confined(void **unused) {
    (void)unused;
    static rows r;
    for (int64_t l = 0; hsp_loss_table[l]; l++) {
        const hsp_claim_loss *claim = hsp_claim_loss_find(hsp_loss_table[l]->name);
        if (!claim->confine) continue;
        fill(&r);
        for (int i = 0; i < ROWS; i++) r.a[i] = i % 11 ? 20 * sin(i) : NAN;
        claim->confine(&r.part);
        for (int i = 0; i < ROWS; i++) {
            double alpha = r.y[i] * r.a[i];
            if (r.c[i] == 0)
                assert_true(r.a[i] == 0);
            else if (claim->shape == HSP_CLAIM_BOX || claim->shape == HSP_CLAIM_ENTROPY)
                assert_true(alpha >= 0 && alpha <= claim->high * C * r.c[i] * (1 + 1e-15));
        }
    }
}

/* ---- levels ---- */

enum { MOST_ROWS = 203 };

/* Ordinary scores, zeros, tiny and huge ones, and those where a branch of exp or log ends. */
static double hard_score(hsp_rng *r, int64_t i) {
    static const double special[] = {0,      -0.0, 1,    -1,    1e-300, -1e-320, 689.9, -690,
                                     -690.1, 745,  -1e4, 1e300, -1e300, 4.158,   -4.16};
    enum { COUNT = sizeof special / sizeof *special };
    return i % 4 == 1 ? special[i / 4 % COUNT] : hsp_rng_normal(r) * (i % 3 == 0 ? 30 : 1);
}

typedef struct level_results {
    hsp_dd losses, entropies;
    double derived[MOST_ROWS], confined[MOST_ROWS];
    hsp_dual_sums sums;
} level_results;

static void run_level(const hsp_claim_loss *l, int64_t count, bool finite, level_results *out) {
    hsp_rng r = hsp_rng_new((uint64_t)count, 1);
    double y[MOST_ROWS], c[MOST_ROWS], a[MOST_ROWS];
    hsp_dd g[MOST_ROWS];
    for (int64_t i = 0; i < count; i++) {
        y[i] = l->numbers ? hsp_rng_normal(&r) : hsp_rng_uniform(&r) < 0.5 ? -1 : 1;
        c[i] = i % 7 == 3 ? 0 : i % 5 == 2 ? 1e-3 : 1 + (i % 3 == 0 ? hsp_rng_uniform(&r) : 0);
        double v = hard_score(&r, i);
        if (!finite && i == count / 2) v = (double)NAN;
        g[i] = hsp_two_sum(v, v * 0x1p-54);
        a[i] = y[i] * c[i] * 0.7 * (i % 9 == 4 ? 0 : i % 9 == 5 ? 1e-290 : i % 9 == 6 ? 2 : hsp_rng_uniform(&r));
    }
    hsp_rows_part p = {.count = count, .y = y, .c = c, .C = 0.7, .a = out->derived, .parameter = 1.35};
    memset(out, 0, sizeof *out);
    if (l->losses) out->losses = l->losses(&p, g);
    if (l->derive) l->derive(&p, g);
    p.a = out->confined;
    memcpy(p.a, a, (size_t)count * sizeof *a);
    if (l->confine) l->confine(&p);
    if (l->sums) l->sums(&p, &out->sums);
    const hsp_dd t[2] = {{0.9, 0x1p-60}, {1, 0}};
    if (l->entropies) out->entropies = l->entropies(&p, t);
}

/* Terms l, l + 8, ... are added one after the other, and these eight sums in pairs. */
static hsp_dd sum_of_chains(hsp_dd *chain) {
    for (int half = 4; half > 0; half /= 2)
        for (int l = 0; l < half; l++) chain[l] = hsp_dd_add(chain[l], chain[l + half]);
    return chain[0];
}

/* The logistic loss by the functions of one number, row by row. */
static void run_simply(int64_t count, const double *y, const double *c, const double *a, const hsp_dd *g, double strength,
                       level_results *out) {
    hsp_dd losses[8] = {{0}}, entropies[8] = {{0}};
    memset(out, 0, sizeof *out);
    for (int64_t i = 0; i < count; i++) {
        hsp_dd m = {y[i] * g[i].hi, y[i] * g[i].lo}, e = hsp_dd_exp(m.hi > 0 ? hsp_dd_negative(m) : m);
        hsp_dd one = hsp_dd_log1p(e), k = hsp_two_product(strength, c[i]), u = hsp_dd_of(fabs(a[i]));
        if (!(m.hi > 0)) one = hsp_dd_subtract(one, m);
        double r = (m.hi > 0 ? e.hi : 1) / (1 + e.hi);
        if (c[i] == 0) continue;
        if (one.hi != 0) losses[i % 8] = hsp_dd_add(losses[i % 8], hsp_dd_scale(one, c[i]));
        out->derived[i] = hsp_dd_value(hsp_dd_multiply(k, hsp_dd_times_power(hsp_dd_of(r), y[i])));
        hsp_dd rest = hsp_dd_subtract(k, u), small = u.hi < rest.hi ? u : rest, large = u.hi < rest.hi ? rest : u;
        if (a[i] == 0 || !(u.hi > 1e-280) || !(small.hi > 0)) continue;
        double share = small.hi / k.hi;
        hsp_dd s = hsp_dd_multiply(small, hsp_dd_log(hsp_dd_of(share)));
        s = hsp_dd_add(s, hsp_dd_multiply(large, hsp_dd_log1p(hsp_dd_of(-share))));
        entropies[i % 8] = hsp_dd_add(entropies[i % 8], hsp_dd_negative(s));
    }
    out->losses = sum_of_chains(losses);
    out->entropies = sum_of_chains(entropies);
}

static void vectors_compute_what_numbers_do(void **unused) {
    enum { COUNT = 1 << 14 };
    static double y[COUNT], c[COUNT], a[COUNT], derived[COUNT];
    static hsp_dd g[COUNT];
    static level_results wanted;
    const hsp_claim_loss *logistic = hsp_claim_loss_find("logistic");
    const hsp_dd whole[2] = {{1, 0}, {1, 0}};
    hsp_rng r = hsp_rng_new(8, 1);
    (void)unused;
    for (int64_t from = 0; from < COUNT; from += 100) {
        for (int64_t i = 0; i < 100; i++) {
            double v = hard_score(&r, i);
            y[i] = hsp_rng_uniform(&r) < 0.5 ? -1 : 1;
            c[i] = i % 11 == 3 ? 0 : hsp_rng_uniform(&r);
            g[i] = hsp_two_sum(v, v * 0x1.3p-54);
            a[i] = y[i] * 0.7 * c[i] *
                   (i % 5 == 0   ? hsp_rng_uniform(&r) * 1e-9
                    : i % 5 == 1 ? 1 - 1e-9
                                 : hsp_rng_uniform(&r));
        }
        hsp_rows_part p = {.count = 100, .y = y, .c = c, .C = 0.7, .a = derived};
        run_simply(100, y, c, a, g, 0.7, &wanted);
        hsp_dd found = logistic->losses(&p, g);
        assert_memory_equal(&found, &wanted.losses, sizeof found);
        logistic->derive(&p, g);
        assert_memory_equal(derived, wanted.derived, 100 * sizeof *derived);
        p.a = a;
        found = logistic->entropies(&p, whole);
        assert_memory_equal(&found, &wanted.entropies, sizeof found);
    }
}

static void levels_give_the_same_bits(void **unused) {
    static level_results plain, other;
    (void)unused;
    for (int level = 1; level <= hsp_claim_level(); level++)
        for (int64_t k = 0; hsp_claim_losses_of_level(0)[k]; k++)
            for (int64_t count = 1; count <= MOST_ROWS; count += count < 20 ? 1 : 61)
                for (int finite = 0; finite < 2; finite++) {
                    run_level(hsp_claim_losses_of_level(0)[k], count, finite, &plain);
                    run_level(hsp_claim_losses_of_level(level)[k], count, finite, &other);
                    for (int64_t i = 0; i < count; i++) /* the sign of a NaN has no meaning */
                        if (isnan(plain.derived[i]) && isnan(other.derived[i])) plain.derived[i] = other.derived[i] = 0;
                    if (isnan(plain.losses.hi) && isnan(other.losses.hi)) plain.losses = other.losses = hsp_dd_of(0);
                    assert_memory_equal(&plain, &other, sizeof plain);
                }
    assert_null(hsp_claim_losses_of_level(3));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_loss_is_here),
        cmocka_unit_test(the_same_bits_on_any_processor),
        cmocka_unit_test(slopes_and_duals_belong_together),
        cmocka_unit_test(multipliers_are_confined),
        cmocka_unit_test(vectors_compute_what_numbers_do),
        cmocka_unit_test(levels_give_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
