/* The losses of verify: all of the table, the same bits on any processor, and the duals and slopes of src/loss. */
#include "loss/loss.h"
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_loss_is_here),
        cmocka_unit_test(the_same_bits_on_any_processor),
        cmocka_unit_test(slopes_and_duals_belong_together),
        cmocka_unit_test(multipliers_are_confined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
