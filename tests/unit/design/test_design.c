/* The design against a plain dense copy of the transformed matrix: both layouts, every kind of scaling. */
#include "base/memory.h"
#include "option/options.h"
#include "base/rng.h"
#include "design/design.h"
#include "prepare/prepare.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { N = 3000, D = 7 };

static const char *const KINDS[] = {"none", "standard", "maxabs", "minmax"};

/* Random data with the given share of non-zeros; far from centred, of very different scales. */
static hsp_data *make(double density) {
    static double x[N * D];
    static const char *labels[N];
    hsp_rng r = hsp_rng_new(11, 0);
    for (int64_t i = 0; i < N * D; i++) {
        bool zero = hsp_rng_uniform(&r) >= density;
        x[i] = zero ? 0 : (hsp_rng_normal(&r) + 3) * pow(10, (double)(i % D) - 3);
    }
    for (int64_t i = 0; i < N; i++) labels[i] = i % 2 ? "a" : "b";
    hsp_data *data = NULL;
    assert_int_equal(hsp_data_from_dense(x, N, D, D, labels, NULL, &data, NULL), 0);
    assert_int_equal(data->x.dense, density > 0.7);
    return data;
}

static void each_scaling(double density, void (*check)(const hsp_data *, const hsp_prepare *, const double *)) {
    hsp_data *data = make(density);
    for (int k = 0; k < 4; k++) {
        hsp_options *o;
        hsp_prepare prepare;
        static double plain[N * D];
        assert_int_equal(hsp_options_new(&o, NULL), 0);
        assert_int_equal(hsp_options_set(o, "scale", KINDS[k], NULL), 0);
        assert_int_equal(hsp_prepare_fit(data, o, &prepare, NULL), 0);
        for (int64_t i = 0; i < N; i++) {
            hsp_data_row(data, i, plain + i * D, NULL);
            for (int64_t j = 0; j < D; j++) {
                if (prepare.shift) plain[i * D + j] -= prepare.shift[j];
                if (prepare.factor) plain[i * D + j] *= prepare.factor[j];
            }
        }
        check(data, &prepare, plain);
        hsp_prepare_clear(&prepare);
        hsp_options_free(o);
    }
    hsp_data_free(data);
}

static bool close_to(double a, double b) {
    return fabs(a - b) <= 1e-10 * (1 + fabs(a) + fabs(b));
}

static void check_passes(const hsp_data *data, const hsp_prepare *prepare, const double *plain) {
    hsp_design *X = NULL;
    assert_int_equal(hsp_design_new(&data->x, prepare->shift, prepare->factor, 1, &X, NULL), 0);
    const double w[D] = {1, -2, 0.5, 3, -0.25, 2, 1.5};
    static double scores[N], r[N];
    double out[D], mean, largest;
    hsp_design_scores(X, w, 0.75, scores);
    for (int64_t i = 0; i < N; i++) {
        double g = 0.75;
        for (int64_t j = 0; j < D; j++) g += plain[i * D + j] * w[j];
        assert_true(close_to(scores[i], g));
        r[i] = (double)(i % 5) - 2;
    }
    hsp_design_adjoint(X, r, out);
    for (int64_t j = 0; j < D; j++) {
        double s = 0;
        for (int64_t i = 0; i < N; i++) s += r[i] * plain[i * D + j];
        assert_true(fabs(out[j] - s) <= 1e-9 * (1 + fabs(s)));
    }
    hsp_design_norms(X, NULL, &mean, &largest);
    double sum = 0, top = 0;
    for (int64_t i = 0; i < N; i++) {
        double q = 0;
        for (int64_t j = 0; j < D; j++) q += plain[i * D + j] * plain[i * D + j];
        sum += q;
        top = q > top ? q : top;
    }
    assert_true(close_to(mean, sum / N) && close_to(largest, top));
    hsp_design_free(X);
}

static void dense_passes_match(void **unused) {
    (void)unused;
    each_scaling(1, check_passes);
}

static void sparse_passes_match(void **unused) {
    (void)unused;
    each_scaling(0.3, check_passes);
}

static void check_threads(const hsp_data *data, const hsp_prepare *prepare, const double *plain) {
    (void)plain;
    static double one[N], many[N];
    double a[D], b[D];
    const double w[D] = {1, -2, 0.5, 3, -0.25, 2, 1.5};
    for (int threads = 2; threads <= 5; threads++) {
        hsp_design *X = NULL, *Y = NULL;
        assert_int_equal(hsp_design_new(&data->x, prepare->shift, prepare->factor, 1, &X, NULL), 0);
        assert_int_equal(hsp_design_new(&data->x, prepare->shift, prepare->factor, threads, &Y, NULL), 0);
        hsp_design_scores(X, w, 1, one);
        hsp_design_scores(Y, w, 1, many);
        for (int64_t i = 0; i < N; i++) assert_true(one[i] == many[i]);
        hsp_design_adjoint(X, one, a);
        hsp_design_adjoint(Y, one, b);
        for (int64_t j = 0; j < D; j++) assert_true(a[j] == b[j]);
        hsp_design_free(X);
        hsp_design_free(Y);
    }
}

static void any_number_of_threads_gives_the_same_bits(void **unused) {
    (void)unused;
    each_scaling(1, check_threads);
    each_scaling(0.3, check_threads);
}

static void running_out_of_memory_is_reported(void **unused) {
    (void)unused;
    hsp_data *data = make(0.3);
    double shift[D] = {0}, factor[D];
    for (int j = 0; j < D; j++) factor[j] = 1;
    int status = HSP_EMEMORY;
    for (int64_t calls = 0; status; calls++) {
        hsp_design *X = NULL;
        hsp_memory_fail_after(calls);
        status = hsp_design_new(&data->x, shift, factor, 1, &X, NULL);
        hsp_memory_fail_after(-1);
        assert_true(status == 0 ? X != NULL : X == NULL && status == HSP_EMEMORY);
        assert_true(calls < 50);
        hsp_design_free(X);
    }
    hsp_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dense_passes_match),
        cmocka_unit_test(sparse_passes_match),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(running_out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
