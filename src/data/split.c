/* Random subsets of a data set, by selection sampling (Knuth, The Art of Computer Programming 2, algorithm S): with `open`
 * rows left, of which `wanted` must be taken, the next is taken with the probability wanted/open. The number is exact and
 * the order of the rows is kept. */
#include "base/error.h"
#include "base/memory.h"
#include "base/rng.h"
#include "data/data.h"
#include "data/features.h"
#include "option/options.h"

#include <math.h>
#include <stdlib.h>

static const uint64_t SPLIT_STREAM = 0x73706c6974; /* "split" */

static int take_numbers(double **to, const double *from, const int64_t *rows, int64_t count) {
    if (!from) return 0;
    if (!HSP_ALLOC(*to, count)) return HSP_EMEMORY;
    for (int64_t i = 0; i < count; i++) (*to)[i] = from[rows[i]];
    return 0;
}

/* Fills `part`, except schema, classes and frame. */
static int take_members(const hsp_data *data, const int64_t *rows, int64_t count, hsp_data *part) {
    part->read_seconds = data->read_seconds;
    part->incomplete = data->incomplete;
    part->whole_rows = data->whole_rows > 0 ? data->whole_rows : data->x.n;
    part->features = hsp_features_hold(data->features);
    if (hsp_copy_string(&part->assumed, data->assumed) || hsp_copy_string(&part->source, data->source) ||
        hsp_copy_string(&part->refusal, data->refusal) || hsp_copy_string(&part->notes, data->notes) ||
        take_numbers(&part->target, data->target, rows, count) || take_numbers(&part->weight, data->weight, rows, count) ||
        (data->y && !HSP_ALLOC(part->y, count)))
        return HSP_EMEMORY;
    for (int64_t i = 0; data->y && i < count; i++) part->y[i] = data->y[rows[i]];
    return hsp_matrix_take(&data->x, rows, count, &part->x);
}

int hsp_data_take(const hsp_data *data, const int64_t *rows, int64_t count, hsp_data **out, hsp_error **err) {
    *out = NULL;
    hsp_data *part = hsp_alloc_zero(1, sizeof *part);
    if (!part) return hsp_fail_memory(err);
    int status = hsp_schema_copy(&data->schema, &part->schema, err);
    if (status == 0) status = hsp_classes_copy(&data->classes, &part->classes, err);
    if (status == 0 && take_members(data, rows, count, part)) status = hsp_fail_memory(err);
    if (status == 0 && data->frame) status = hsp_frame_take(data->frame, rows, count, &part->frame, err);
    if (status)
        hsp_data_free(part);
    else
        *out = part;
    return status;
}

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

/* Splits 0 .. n-1 in two. Groups are the classes if `y` is given, else all rows are one group. */
static void draw_rows(hsp_rng *r, const int32_t *y, int64_t n, int64_t *open, int64_t *wanted, int64_t *train,
                      int64_t *test) {
    for (int64_t i = 0; i < n; i++) {
        int64_t k = y ? y[i] : 0;
        bool taken = hsp_rng_below(r, open[k]--) < wanted[k];
        wanted[k] -= taken;
        *(taken ? test++ : train++) = i;
    }
}

int hsp_data_split(const hsp_data *data, const hsp_options *o, hsp_data **train, hsp_data **test, hsp_error **err) {
    *train = *test = NULL;
    bool stratify = hsp_options_flag(o, "stratify");
    int64_t n = data->x.n, m = 0, groups = stratify ? data->classes.count : 1, *rows = NULL, *open = NULL;
    if (stratify && data->target)
        return hsp_fail(err, HSP_EUSAGE, "--stratify needs classes, and the data have a numeric target: leave it out");
    if (stratify && !data->y) return hsp_fail(err, HSP_EUSAGE, "--stratify needs labels: leave it out, or give --target");
    int status = count_test(n, hsp_options_real(o, "test", 0.3), &m, err);
    if (status) return status;
    if (!HSP_ALLOC(rows, n) || !HSP_ALLOC(open, 2 * groups)) {
        status = hsp_fail_memory(err);
        goto done;
    }
    open[0] = n;
    open[groups] = m;
    if (stratify) {
        hsp_data_class_counts(data, open);
        if (apportion(open, groups, n, m, open + groups)) {
            status = hsp_fail_memory(err);
            goto done;
        }
    }
    hsp_rng rng = hsp_rng_new((uint64_t)hsp_options_int(o, "seed", 1), SPLIT_STREAM);
    draw_rows(&rng, stratify ? data->y : NULL, n, open, open + groups, rows, rows + (n - m));
    status = hsp_data_take(data, rows, n - m, train, err);
    if (status == 0) status = hsp_data_take(data, rows + (n - m), m, test, err);
    if (status) {
        hsp_data_free(*train);
        *train = NULL;
    }
done:
    HSP_FREE(rows, open);
    return status;
}
