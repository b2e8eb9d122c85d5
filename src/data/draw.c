/* Selection sampling (Knuth, The Art of Computer Programming 2, algorithm S): with `open` rows left, of which `wanted` must be
 * taken, the next is taken with the probability wanted/open. The number is exact, the order of the rows is kept, and only the
 * counts are stored. */
#include "data/draw.h"

#include "base/error.h"
#include "base/memory.h"
#include "option/options.h"

#include <math.h>
#include <stdlib.h>

static const uint64_t SPLIT_STREAM = 0x73706c6974; /* "split" */

static int count_test(int64_t n, double test, int64_t *count, hsp_error **err) {
    if (test >= 1 && test != floor(test))
        return hsp_fail(err, HSP_EUSAGE,
                        "--test is neither a share nor a number of rows: give a number below 1, or a whole number");
    double m = test < 1 ? round(test * (double)n) : test;
    if (!(m >= 1))
        return hsp_fail(err, HSP_EUSAGE, "none of the %lld rows would be in the test set: use a larger --test",
                        (long long)n);
    if (m >= (double)n)
        return hsp_fail(err, HSP_EUSAGE, "none of the %lld rows would be left for training: use a smaller --test",
                        (long long)n);
    *count = (int64_t)m;
    return 0;
}

typedef struct share {
    int64_t k, wanted;
    uint64_t rest;
} share;

static int compare_shares(const void *a, const void *b) {
    const share *u = a, *v = b;
    if (u->rest != v->rest) return u->rest > v->rest ? -1 : 1;
    return u->k < v->k ? -1 : 1;
}

/* Largest remainders: class k gets floor(count open[k] / n); the remaining rows go to the greatest fractions. */
static int apportion(const int64_t *open, int64_t classes, int64_t n, int64_t count, int64_t *wanted) {
    share *s = hsp_alloc(classes, sizeof *s);
    if (!s) return HSP_EMEMORY;
    int64_t left = count;
    for (int64_t k = 0; k < classes; k++) {
        unsigned __int128 product = (unsigned __int128)count * (uint64_t)open[k];
        s[k] = (share){k, (int64_t)(product / (uint64_t)n), (uint64_t)(product % (uint64_t)n)};
        left -= s[k].wanted;
    }
    qsort(s, (size_t)classes, sizeof *s, compare_shares);
    for (int64_t k = 0; k < classes; k++) wanted[s[k].k] = s[k].wanted + (k < left);
    hsp_free(s);
    return 0;
}

int hsp_draw_begin(hsp_draw *d, const hsp_options *o, const int64_t *count, int64_t groups, hsp_error **err) {
    int64_t n = 0;
    *d = (hsp_draw){0};
    for (int64_t k = 0; k < groups; k++) n += count[k];
    int status = count_test(n, hsp_options_real(o, "test", 0.3), &d->test, err);
    if (status) return status;
    if (!HSP_ALLOC(d->open, 2 * groups)) return hsp_fail_memory(err);
    d->wanted = d->open + groups;
    for (int64_t k = 0; k < groups; k++) d->open[k] = count[k];
    if (apportion(count, groups, n, d->test, d->wanted)) return hsp_fail_memory(err);
    d->rng = hsp_rng_new((uint64_t)hsp_options_int(o, "seed", 1), SPLIT_STREAM);
    return 0;
}

bool hsp_draw_row(hsp_draw *d, int64_t group) {
    bool taken = hsp_rng_below(&d->rng, d->open[group]--) < d->wanted[group];
    d->wanted[group] -= taken;
    return taken;
}

void hsp_draw_end(hsp_draw *d) {
    hsp_free(d->open);
    *d = (hsp_draw){0};
}
