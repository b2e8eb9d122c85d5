/* Passes over dense rows and products in single precision: every level that runs on this machine against plain loops, bit for
 * bit, with arrays of exactly the documented size. */
#include "base/memory.h"
#include "base/rng.h"
#include "halfspace.h"
#include "kernel/in_form.h"
#include "kernel/kernel.h"
#include "kernel/level.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

static const char *const NAMES[] = {"plain", "v3", "v4"};
static const int64_t SIZES[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 23, 24, 31, 33, 48, 49, 54, 97};
enum { SIZE_COUNT = sizeof SIZES / sizeof *SIZES, MOST = 97, ROWS_MOST = 19 };

static void each_level(void (*check)(const hsp_level *)) {
    int found = 0;
    for (int k = 0; k < 3; k++)
        if (hsp_level_choose(NAMES[k])) {
            check(hsp_level_now());
            found++;
        }
    assert_true(found >= 1);
    assert_true(hsp_level_choose(NULL));
}

/* Memory that ends at a page that cannot be read or written. */
typedef struct guarded {
    char *page;
    size_t size;
    void *at;
} guarded;

static guarded guard(const void *from, size_t bytes) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = (bytes + page - 1) / page * page;
    guarded g = {.size = size + page};
    g.page = mmap(NULL, g.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(g.page != MAP_FAILED);
    assert_int_equal(mprotect(g.page + size, page, PROT_NONE), 0);
    g.at = g.page + size - bytes;
    memcpy(g.at, from, bytes);
    return g;
}

static void unguard(guarded g) {
    assert_int_equal(munmap(g.page, g.size), 0);
}

/* Ordinary numbers, zeros, subnormal and huge ones. */
static double hard_number(hsp_rng *r, int64_t t) {
    double v = hsp_rng_normal(r);
    return t % 17 == 3 ? 0 : t % 19 == 5 ? v * 1e-320 : t % 23 == 7 ? v * 1e300 : v;
}

static double dot_simply(const double *x, const double *w, int64_t n) {
    double s[16] = {0}, q[4];
    for (int64_t t = 0; t < n; t++) s[t % 16] += x[t] * w[t];
    for (int l = 0; l < 4; l++) q[l] = (s[l] + s[l + 8]) + (s[l + 4] + s[l + 12]);
    return (q[0] + q[2]) + (q[1] + q[3]);
}

/* One shape: `single`: floats; `moved`: with a transform. */
static void check_moved(const hsp_level *level, int64_t count, int64_t d, bool single, bool moved) {
    hsp_rng r = hsp_rng_new((uint64_t)(count * 1000 + d), 0);
    int64_t step = d + 3;
    double stored[ROWS_MOST * (MOST + 3)], x[ROWS_MOST * MOST], shift[MOST], factor[MOST], w[MOST], a[ROWS_MOST];
    double out[ROWS_MOST], sum[MOST], wanted[MOST];
    float narrow[ROWS_MOST * (MOST + 3)];
    for (int64_t t = 0; t < count * step; t++) {
        stored[t] = hard_number(&r, t);
        if (single) stored[t] = (double)(narrow[t] = (float)fmin(fmax(stored[t], -1e38), 1e38));
    }
    for (int64_t j = 0; j < d; j++) {
        shift[j] = j % 5 ? hsp_rng_normal(&r) : 0;
        factor[j] = j % 7 ? hsp_rng_normal(&r) : 0;
        w[j] = hsp_rng_normal(&r);
        sum[j] = wanted[j] = hsp_rng_normal(&r);
    }
    for (int64_t t = 0; t < count * d; t++) {
        double v = stored[t / d * step + t % d];
        x[t] = moved ? (v - shift[t % d]) * factor[t % d] : v;
    }
    for (int64_t i = 0; i < count; i++) a[i] = i % 4 == 2 ? 0 : hsp_rng_normal(&r);
    size_t last = (size_t)((count - 1) * step + d); /* nothing behind the last row */
    guarded g = single ? guard(narrow, last * sizeof *narrow) : guard(stored, last * sizeof *stored);
    size_t columns = (size_t)d * sizeof *w;
    guarded gw = guard(w, columns), gs = guard(shift, columns), gf = guard(factor, columns), to = guard(sum, columns);
    hsp_moved_rows rows = {.single = single, .d = d, .step = step};
    if (moved) rows.shift = gs.at, rows.factor = gf.at;
    level->moved.scores(&rows, g.at, count, gw.at, out);
    level->moved.pulls(&rows, g.at, count, a, to.at);
    for (int64_t i = 0; i < count; i++) {
        double one = dot_simply(x + i * d, w, d);
        assert_memory_equal(&out[i], &one, sizeof one);
        for (int64_t j = 0; j < d; j++) wanted[j] += a[i] * x[i * d + j];
    }
    assert_memory_equal(to.at, wanted, (size_t)d * sizeof *wanted);
    /* Packed as the transformed rows are. */
    static double panel[4][ROWS_MOST * (MOST + HSP_WIDTH_MOST)];
    int64_t width = level->width, apart = count * width;
    const double *centre = d % 2 ? w : NULL;
    memset(panel, 0, sizeof panel);
    level->pack_rows(count, d, x, d, centre, apart, panel[0], a, panel[1]);
    level->moved.pack(&rows, g.at, count, centre, width, apart, panel[2], a, panel[3]);
    assert_memory_equal(panel[0], panel[2], sizeof panel[0]);
    assert_memory_equal(panel[1], panel[3], sizeof panel[0]);
    guarded all[] = {g, gw, gs, gf, to};
    for (int k = 0; k < 5; k++) unguard(all[k]);
}

static void check_moved_rows(const hsp_level *level) {
    for (int s = 0; s < SIZE_COUNT; s++)
        for (int64_t count = 1; count <= ROWS_MOST; count += count < 6 ? 1 : 4)
            for (int kind = 0; kind < 4; kind++) check_moved(level, count, SIZES[s], kind & 1, kind & 2);
}

static void rows_are_transformed_on_the_way(void **unused) {
    (void)unused;
    each_level(check_moved_rows);
}

/* ---- several vectors ---- */

enum { OUTPUTS_MOST = 7 };

/* Eight chains side by side, which are added. */
static double chains_simply(const double *x, const double *w, int64_t n) {
    double s[8] = {0};
    for (int64_t t = 0; t < n; t++) s[t % 8] = fma(x[t], w[t], s[t % 8]);
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

static void check_many(const hsp_level *level, int64_t count, int64_t d, int64_t K, int kind) {
    bool single = kind & 1, moved = kind & 2;
    hsp_rng r = hsp_rng_new((uint64_t)(count * 1000 + d + K), 1);
    int64_t step = d + 2;
    static double stored[ROWS_MOST * (MOST + 2)], x[ROWS_MOST * MOST], W[OUTPUTS_MOST * MOST], a[ROWS_MOST * OUTPUTS_MOST];
    static double out[ROWS_MOST * OUTPUTS_MOST], sums[OUTPUTS_MOST * MOST];
    static float narrow[ROWS_MOST * (MOST + 2)];
    double shift[MOST], factor[MOST];
    for (int64_t t = 0; t < count * step; t++) stored[t] = (double)(narrow[t] = (float)hsp_rng_normal(&r));
    for (int64_t j = 0; j < d; j++) shift[j] = hsp_rng_normal(&r), factor[j] = hsp_rng_normal(&r);
    for (int64_t t = 0; t < count * d; t++) {
        double v = stored[t / d * step + t % d];
        x[t] = moved ? (v - shift[t % d]) * factor[t % d] : v;
    }
    for (int64_t t = 0; t < K * d; t++) W[t] = hsp_rng_normal(&r), sums[t] = 0.5;
    for (int64_t t = 0; t < count * K; t++) a[t] = hsp_rng_normal(&r), out[t] = 0.25;
    size_t last = (size_t)((count - 1) * step + d), size = (size_t)(K * d) * sizeof *W, columns = (size_t)d * sizeof *W;
    guarded g = single ? guard(narrow, last * sizeof *narrow) : guard(stored, last * sizeof *stored);
    guarded gw = guard(W, size), to = guard(sums, size), gs = guard(shift, columns), gf = guard(factor, columns);
    hsp_moved_rows rows = {.single = single, .d = d, .step = step};
    if (moved) rows.shift = gs.at, rows.factor = gf.at;
    level->moved.scores_many(&rows, g.at, count, gw.at, K, out);
    level->moved.pulls_many(&rows, g.at, count, a, K, to.at);
    for (int64_t k = 0; k < K; k++) {
        for (int64_t i = 0; i < count; i++) {
            double one = 0.25 + chains_simply(x + i * d, W + k * d, d);
            assert_memory_equal(&out[i * K + k], &one, sizeof one);
        }
        for (int64_t j = 0; j < d; j++) {
            double one = 0.5;
            for (int64_t i = 0; i < count; i++) one = fma(a[i * K + k], x[i * d + j], one);
            assert_memory_equal((const double *)to.at + k * d + j, &one, sizeof one);
        }
    }
    guarded all[] = {g, gw, gs, gf, to};
    for (int k = 0; k < 5; k++) unguard(all[k]);
}

static void check_many_rows(const hsp_level *level) {
    for (int s = 0; s < SIZE_COUNT; s++)
        for (int64_t count = 1; count <= ROWS_MOST; count += count < 6 ? 1 : 4)
            for (int64_t K = 1; K <= OUTPUTS_MOST; K++) check_many(level, count, SIZES[s], K, (int)(count + K) % 4);
}

static void rows_are_multiplied_by_several_vectors(void **unused) {
    (void)unused;
    each_level(check_many_rows);
}

/* ---- decoding ---- */

static void check_decoding(const hsp_level *level) {
    (void)level, (void)listed;
    for (int coding = 0; coding < HSP_DENSE_CODINGS; coding++)
        for (int s = 0; s < SIZE_COUNT; s++) {
            int64_t n = SIZES[s];
            double *table, *x = values_for(coding, n, 11), found[MOST], shift[MOST], factor[MOST];
            void *stored = coded(coding, n, x, &table);
            for (int64_t t = 0; t < n; t++) shift[t] = (double)t / 3 - 5, factor[t] = 1 / (1 + (double)t);
            hsp_decodes[coding](NULL, stored, table, 0, n, NULL, found);
            assert_memory_equal(found, x, (size_t)n * sizeof *x);
            hsp_transforms[coding](stored, table, n, shift, factor, found);
            for (int64_t t = 0; t < n; t++) assert_true(found[t] == (x[t] - shift[t]) * factor[t]);
            hsp_transforms[coding](stored, table, n, NULL, factor, found);
            for (int64_t t = 0; t < n; t++) assert_true(found[t] == x[t] * factor[t]);
            void *all[] = {stored, table, x};
            for (int k = 0; k < 3; k++) hsp_free(all[k]);
        }
}

static void every_coding_is_decoded_and_transformed(void **unused) {
    (void)unused;
    each_level(check_decoding);
}

/* ---- single precision ---- */

static void check_single_product(const hsp_level *level, int64_t depth, int64_t d) {
    hsp_rng r = hsp_rng_new((uint64_t)(depth * 100 + d), 0);
    int64_t width = HSP_SINGLE * level->width, panels = (d + width - 1) / width, step = depth * width;
    double *x = hsp_alloc(depth * d, sizeof *x), centre[MOST], scale[MOST], weight[HSP_BLOCK_DEPTH];
    double *G = hsp_alloc_zero(d * d, sizeof *G);
    float *b = hsp_alloc(panels * step, sizeof *b), *z = hsp_alloc(depth * d, sizeof *z);
    assert_true(x && G && b && z);
    for (int64_t t = 0; t < depth * d; t++) x[t] = hsp_rng_normal(&r);
    for (int64_t j = 0; j < d; j++) centre[j] = hsp_rng_normal(&r), scale[j] = ldexp(1, (int)j % 5 - 2);
    for (int64_t k = 0; k < depth; k++) weight[k] = hsp_rng_uniform(&r);
    for (int64_t t = 0; t < depth * d; t++) z[t] = (float)(weight[t / d] * ((x[t] - centre[t % d]) * scale[t % d]));
    level->single.pack(depth, d, x, d, centre, scale, weight, step, b);
    hsp_product_single p = {.depth = depth, .a = b, .a_step = step, .b = b, .b_step = step, .c = G};
    p.c_step = p.i1 = p.j1 = d, p.lower = true;
    level->single.multiply(&p);
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j <= i; j++) {
            float sum = 0;
            for (int64_t k = 0; k < depth; k++) sum = fmaf(z[k * d + i], z[k * d + j], sum);
            assert_true(G[i * d + j] == (double)sum);
        }
    void *all[] = {x, G, b, z};
    for (int k = 0; k < 4; k++) hsp_free(all[k]);
}

static void check_single(const hsp_level *level) {
    for (int s = 0; s < SIZE_COUNT; s++)
        for (int64_t depth = 1; depth <= HSP_BLOCK_DEPTH; depth = depth * 3 + 1)
            check_single_product(level, depth, SIZES[s]);
}

static void a_product_of_floats_is_one_chain_for_each_number(void **unused) {
    (void)unused;
    each_level(check_single);
}

/* ---- spread ---- */

static void check_spread(const hsp_level *level) {
    enum { ROWS = 23 };
    for (int64_t d = 1; d <= MOST; d++) {
        hsp_rng r = hsp_rng_new((uint64_t)d, 0);
        int64_t step = d + d % 3;
        float x[ROWS * (MOST + 2)];
        double pivot[MOST], s[MOST], q[MOST], wanted_s[MOST], wanted_q[MOST];
        for (int64_t t = 0; t < ROWS * step; t++) x[t] = (float)hsp_rng_normal(&r);
        for (int64_t j = 0; j < d; j++) pivot[j] = hsp_rng_normal(&r), s[j] = wanted_s[j] = 1, q[j] = wanted_q[j] = 2;
        guarded g = guard(x, (size_t)((ROWS - 1) * step + d) * sizeof *x);
        level->single.spread(ROWS, d, g.at, step, pivot, s, q);
        for (int64_t i = 0; i < ROWS; i++)
            for (int64_t j = 0; j < d; j++) {
                double v = (double)x[i * step + j] - pivot[j];
                wanted_s[j] += v;
                wanted_q[j] += v * v;
            }
        assert_memory_equal(s, wanted_s, (size_t)d * sizeof *s);
        assert_memory_equal(q, wanted_q, (size_t)d * sizeof *q);
        unguard(g);
    }
}

static void floats_are_spread_as_doubles_are(void **unused) {
    (void)unused;
    each_level(check_spread);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_transformed_on_the_way),
        cmocka_unit_test(rows_are_multiplied_by_several_vectors),
        cmocka_unit_test(every_coding_is_decoded_and_transformed),
        cmocka_unit_test(floats_are_spread_as_doubles_are),
        cmocka_unit_test(a_product_of_floats_is_one_chain_for_each_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
