/* Networks: sizes, --hidden, and scores against a plain loop in long double, over activations, depths, widths and forms. */
#include "base/memory.h"
#include "base/rng.h"
#include "halfspace.h"
#include "kernel/level.h"
#include "network/network.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static hsp_network *made(const int64_t *size, int64_t layers, const char *activation, uint64_t seed) {
    hsp_network *net = NULL;
    assert_int_equal(hsp_network_new(size, layers, hsp_activation_find(activation), &net, NULL), 0);
    hsp_rng r = hsp_rng_new(seed, 0);
    for (int64_t t = 0; t < hsp_network_parameters(net); t++) net->theta[t] = hsp_rng_normal(&r);
    assert_int_equal(hsp_network_ready(net, NULL), 0);
    return net;
}

/* The definition. */
static void plain_scores(const hsp_network *net, const double *x, long double *out) {
    long double a[HSP_NETWORK_UNITS], z[HSP_NETWORK_UNITS];
    for (int64_t j = 0; j < net->size[0]; j++) a[j] = x[j];
    for (int64_t l = 1; l <= net->layers; l++) {
        const double *w = hsp_network_weights(net, l), *b = hsp_network_intercepts(net, l);
        for (int64_t k = 0; k < net->size[l]; k++) {
            z[k] = b[k];
            for (int64_t j = 0; j < net->size[l - 1]; j++) z[k] += (long double)w[k * net->size[l - 1] + j] * a[j];
        }
        for (int64_t k = 0; k < net->size[l]; k++) {
            bool hidden = l < net->layers, smooth = strcmp(net->activation->name, "tanh") == 0;
            a[k] = !hidden ? z[k] : smooth ? tanhl(z[k]) : z[k] > 0 ? z[k] : 0;
        }
    }
    for (int64_t k = 0; k < net->size[net->layers]; k++) out[k] = a[k];
}

static const int64_t SHAPES[][5] = {{2, 4, 1}, {3, 1, 2}, {5, 17, 3}, {7, 8, 9, 16}, {1, 33, 5, 20, 11}, {600, 24, 1}};
static const int64_t LAYERS[] = {2, 2, 2, 3, 4, 2};
enum { SHAPE_COUNT = sizeof LAYERS / sizeof *LAYERS };

static void scores_follow_the_definition(void **state) {
    (void)state;
    for (int64_t i = 0; hsp_activation_table[i]; i++)
        for (int s = 0; s < SHAPE_COUNT; s++) {
            hsp_network *net = made(SHAPES[s], LAYERS[s], hsp_activation_table[i]->name, (uint64_t)s + 1);
            int64_t d = net->size[0], K = net->size[net->layers];
            double *x = hsp_alloc(d, sizeof *x), out[64], one;
            long double expected[64];
            hsp_rng r = hsp_rng_new(7, (uint64_t)s);
            for (int64_t j = 0; j < d; j++) x[j] = hsp_rng_normal(&r);
            plain_scores(net, x, expected);
            hsp_network_scores(net, hsp_row_dense(d, x), d, 0, K, out);
            for (int64_t k = 0; k < K; k++) {
                assert_true(fabsl(out[k] - expected[k]) <= 1e-12L * (1 + fabsl(expected[k])));
                hsp_network_scores(net, hsp_row_dense(d, x), d, k, 1, &one); /* one output alone: the same bits */
                assert_true(one == out[k]);
            }
            hsp_free(x);
            hsp_network_free(net);
        }
}

/* Dense and sparse rows, values in every width, and all levels: the same bits. */
static void forms_and_levels_give_the_same_bits(void **state) {
    (void)state;
    const int64_t size[] = {40, 19, 12, 3};
    hsp_network *net = made(size, 3, "tanh", 3);
    double dense[40], value[40], first[3], out[3];
    float narrow[40];
    uint32_t id[40];
    uint16_t id16[40];
    int64_t count = 0;
    hsp_rng r = hsp_rng_new(5, 0);
    for (int64_t j = 0; j < 40; j++) {
        dense[j] = hsp_rng_below(&r, 3) ? 0 : (double)(float)hsp_rng_normal(&r);
        if (dense[j] == 0) continue;
        id[count] = (uint32_t)j, id16[count] = (uint16_t)j, value[count] = dense[j], narrow[count++] = (float)dense[j];
    }
    hsp_row forms[] = {hsp_row_dense(40, dense),
                       hsp_row_sparse(count, id, value),
                       {.count = count, .id = id16, .value = narrow, .coding = HSP_CODING_F32, .ids = HSP_IDS_16}};
    hsp_network_scores(net, forms[0], 40, 0, 3, first);
    static const char *const names[] = {"plain", "v3", "v4"};
    for (int level = 0; level < 3; level++) {
        if (!hsp_level_choose(names[level])) continue;
        for (int f = 0; f < 3; f++) {
            hsp_network_scores(net, forms[f], forms[f].count, 0, 3, out);
            assert_memory_equal(out, first, sizeof out);
        }
    }
    hsp_level_choose(NULL);
    hsp_network_free(net);
}

/* Sums of finite numbers may overflow; scores stay finite. */
static void overflow_is_clamped(void **state) {
    (void)state;
    const int64_t size[] = {2, 2, 1};
    for (int64_t i = 0; hsp_activation_table[i]; i++) {
        hsp_network *net = made(size, 2, hsp_activation_table[i]->name, 1);
        for (int64_t t = 0; t < hsp_network_parameters(net); t++) net->theta[t] = t % 2 ? 1e300 : -1e300;
        assert_int_equal(hsp_network_ready(net, NULL), 0);
        const double rows[][2] = {{1e300, 1e300}, {-1e300, 1e300}, {DBL_MAX, -DBL_MAX}};
        for (int k = 0; k < 3; k++) {
            double out;
            hsp_network_scores(net, hsp_row_dense(2, rows[k]), 2, 0, 1, &out);
            assert_true(isfinite(out));
        }
        hsp_network_free(net);
    }
}

static void hidden_is_read_or_refused(void **state) {
    (void)state;
    int64_t units[HSP_NETWORK_HIDDEN], layers;
    assert_int_equal(hsp_network_hidden("4", units, &layers, NULL), 0);
    assert_true(layers == 1 && units[0] == 4);
    assert_int_equal(hsp_network_hidden("32,16,4096", units, &layers, NULL), 0);
    assert_true(layers == 3 && units[1] == 16 && units[2] == 4096);
    assert_int_equal(hsp_network_hidden("1,1,1,1,1,1,1,1", units, &layers, NULL), 0);
    static const char *const broken[] = {"",
                                         "0",
                                         "4,0",
                                         "4,",
                                         ",4",
                                         "4,,4",
                                         "4,x",
                                         "x",
                                         "-1",
                                         "4.5",
                                         "4097",
                                         "1e2",
                                         " 4",
                                         "4 ",
                                         "99999999999999999999",
                                         "1,1,1,1,1,1,1,1,1"};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        hsp_error *err = NULL;
        assert_int_equal(hsp_network_hidden(broken[i], units, &layers, &err), HSP_EUSAGE);
        assert_non_null(strstr(hsp_error_message(err), "--hidden cannot be"));
        hsp_error_free(err);
    }
}

static void sizes_are_bounded(void **state) {
    (void)state;
    const int64_t good[] = {0, 1, 1}, wide[] = {2, 4097, 1}, none[] = {2, 0, 1}, negative[] = {-1, 2, 1};
    const int64_t huge[] = {INT64_MAX - 1, 4096, 1};
    assert_int_equal(hsp_network_count(good, 2), 3);
    assert_int_equal(hsp_network_count(wide, 2), -1);
    assert_int_equal(hsp_network_count(none, 2), -1);
    assert_int_equal(hsp_network_count(negative, 2), -1);
    assert_int_equal(hsp_network_count(huge, 2), -1);
    assert_int_equal(hsp_network_count(good, 0), -1);
    assert_int_equal(hsp_network_count(good, HSP_NETWORK_LAYERS + 1), -1);
    hsp_network *net = (hsp_network *)&good;
    assert_int_equal(hsp_network_new(wide, 2, hsp_activation_table[0], &net, NULL), HSP_EINTERNAL);
    assert_null(net);
}

static void memory_runs_out(void **state) {
    (void)state;
    const int64_t size[] = {3, 4, 2};
    int status = HSP_EMEMORY;
    for (int64_t calls = 0; status == HSP_EMEMORY && calls < 10; calls++) {
        hsp_network *net = NULL;
        hsp_memory_fail_after(calls);
        status = hsp_network_new(size, 2, hsp_activation_table[0], &net, NULL);
        if (!status) status = hsp_network_ready(net, NULL);
        hsp_memory_fail_after(-1);
        hsp_network_free(net);
    }
    assert_int_equal(status, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_follow_the_definition),
        cmocka_unit_test(forms_and_levels_give_the_same_bits),
        cmocka_unit_test(overflow_is_clamped),
        cmocka_unit_test(hidden_is_read_or_refused),
        cmocka_unit_test(sizes_are_bounded),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
