#include "data/folds.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/rng.h"
#include "option/options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t FOLD_STREAM = UINT64_C(0x666f6c6473); /* "folds"; each repeat has the stream after that of the last */

void hsp_folds_clear(hsp_folds *f) {
    hsp_free(f->fold);
    *f = (hsp_folds){0};
}

static int64_t list_rows(const hsp_folds *f, int64_t r, int64_t k, bool tested, int64_t *rows) {
    const int32_t *fold = f->fold + r * f->n;
    int64_t count = 0;
    for (int64_t i = 0; i < f->n; i++) {
        bool other = f->by_time ? fold[i] < k : fold[i] != k;
        if (tested ? fold[i] == k : other) rows[count++] = i;
    }
    return count;
}

int64_t hsp_folds_tested(const hsp_folds *f, int64_t r, int64_t k, int64_t *rows) {
    return list_rows(f, r, k, true, rows);
}

int64_t hsp_folds_trained(const hsp_folds *f, int64_t r, int64_t k, int64_t *rows) {
    return list_rows(f, r, k, false, rows);
}

/* ---- rows one by one ---- */

/* Assigns shuffled rows to the folds class by class. The sizes of two folds, in total and by class, differ by at most 1. */
static int deal_rows(const hsp_data *data, hsp_rng rng, int64_t folds, int32_t *fold, hsp_error **err) {
    int64_t n = data->x.n, classes = data->y ? data->classes.count : 1;
    int64_t *order = hsp_alloc(n, sizeof *order), *next = hsp_alloc_zero(classes + 1, sizeof *next);
    int status = order && next ? HSP_OK : hsp_fail_memory(err);
    if (!status) {
        for (int64_t i = 0; i < n; i++) order[i] = i;
        hsp_rng_shuffle(&rng, order, n);
        /* The first index of each class: the number of rows in the classes before it. */
        for (int64_t i = 0; data->y && i < n; i++) next[data->y[i] + 1]++;
        for (int64_t k = 1; k < classes; k++) next[k] += next[k - 1];
        for (int64_t i = 0; i < n; i++) {
            int64_t at = data->y ? data->y[order[i]] : 0;
            fold[order[i]] = (int32_t)(next[at]++ % folds);
        }
    }
    HSP_FREE(order, next);
    return status;
}

/* ---- groups ---- */

/* The rows of each group, group after group: group g has row[begin[g]] .. row[begin[g + 1] - 1]. */
typedef struct grouped_rows {
    int64_t count; /* groups that have rows */
    int64_t *begin, *row;
} grouped_rows;

static void free_grouped(grouped_rows *g) {
    HSP_FREE(g->begin, g->row);
    *g = (grouped_rows){0};
}

static int group_rows(const hsp_data *data, grouped_rows *out, hsp_error **err) {
    int64_t n = data->x.n, most = 0, *place;
    *out = (grouped_rows){0};
    for (int64_t i = 0; i < n; i++) most = data->group[i] >= most ? data->group[i] + 1 : most;
    place = hsp_alloc_zero(most + 1, sizeof *place);
    out->begin = hsp_alloc_zero(most + 2, sizeof *out->begin);
    out->row = hsp_alloc(n, sizeof *out->row);
    int status = place && out->begin && out->row ? HSP_OK : hsp_fail_memory(err);
    if (!status) { /* numbers the groups that have rows, counts these, and lists them */
        for (int64_t i = 0; i < n; i++) place[data->group[i]]++;
        for (int64_t g = 0; g < most; g++) {
            if (place[g] == 0) continue;
            out->begin[out->count + 1] = out->begin[out->count] + place[g];
            place[g] = out->begin[out->count++];
        }
        for (int64_t i = 0; i < n; i++) out->row[place[data->group[i]]++] = i;
    }
    hsp_free(place);
    if (status) free_grouped(out);
    return status;
}

typedef struct sized_group {
    int64_t size, drawn, group; /* drawn: its place in a random order */
} sized_group;

static int larger_first(const void *a, const void *b) {
    const sized_group *u = a, *v = b;
    if (u->size != v->size) return u->size > v->size ? -1 : 1;
    return (u->drawn > v->drawn) - (u->drawn < v->drawn);
}

/* The fold to which the group adds least to
 *     sum_k sum_c (rows of class c in fold k / rows of class c)^2 + sum_k (rows in fold k / n)^2,
 * which is least when all folds have the same number of rows of every class. */
static int64_t choose_fold(const hsp_data *data, const grouped_rows *g, int64_t group, int64_t folds, const double *has,
                           const double *all) {
    int64_t classes = data->y ? data->classes.count : 0, best = 0;
    double least = INFINITY;
    for (int64_t k = 0; k < folds; k++) {
        const double *of = has + k * (classes + 1);
        double cost = 0;
        for (int64_t t = g->begin[group]; t < g->begin[group + 1]; t++) {
            cost += of[classes] / (all[classes] * all[classes]);
            if (classes > 0) {
                int64_t c = data->y[g->row[t]];
                cost += of[c] / (all[c] * all[c]);
            }
        }
        if (cost < least) {
            least = cost;
            best = k;
        }
    }
    return best;
}

static void put_group(const hsp_data *data, const grouped_rows *g, int64_t group, int64_t k, double *has, int32_t *fold) {
    int64_t classes = data->y ? data->classes.count : 0;
    for (int64_t t = g->begin[group]; t < g->begin[group + 1]; t++) {
        int64_t i = g->row[t];
        fold[i] = (int32_t)k;
        has[k * (classes + 1) + classes]++;
        if (classes > 0) has[k * (classes + 1) + data->y[i]]++;
    }
}

/* Assigns whole groups, the largest first and equal ones in random order. */
static int deal_groups(const hsp_data *data, const grouped_rows *g, hsp_rng rng, int64_t folds, int32_t *fold,
                       hsp_error **err) {
    int64_t classes = data->y ? data->classes.count : 0;
    int64_t *order = hsp_alloc(g->count, sizeof *order);
    sized_group *list = hsp_alloc(g->count, sizeof *list);
    double *has = hsp_alloc_zero((folds + 1) * (classes + 1), sizeof *has), *all = has ? has + folds * (classes + 1) : NULL;
    int status = order && list && has ? HSP_OK : hsp_fail_memory(err);
    if (!status) {
        for (int64_t i = 0; i < g->count; i++) order[i] = i;
        hsp_rng_shuffle(&rng, order, g->count);
        for (int64_t i = 0; i < g->count; i++)
            list[i] = (sized_group){g->begin[order[i] + 1] - g->begin[order[i]], i, order[i]};
        qsort(list, (size_t)g->count, sizeof *list, larger_first);
        all[classes] = (double)data->x.n;
        for (int64_t i = 0; data->y && i < data->x.n; i++) all[data->y[i]]++;
        for (int64_t i = 0; i < g->count; i++) {
            int64_t k = choose_fold(data, g, list[i].group, folds, has, all);
            put_group(data, g, list[i].group, k, has, fold);
        }
    }
    HSP_FREE(order, list, has);
    return status;
}

static int fold_groups(const hsp_data *data, const hsp_options *o, bool each, hsp_folds *f, hsp_error **err) {
    grouped_rows g = {0};
    int status = group_rows(data, &g, err);
    uint64_t seed = (uint64_t)hsp_options_int(o, "seed", 1);
    if (!status && each) f->count = g.count;
    if (!status && g.count < 2)
        status = hsp_fail_at(err, HSP_EINPUT, hsp_data_place(data),
                             "all rows are of one group, so none can be tested without it: choose another column with "
                             "--group, or leave it out");
    if (!status && g.count < f->count)
        status = hsp_fail_at(err, HSP_EINPUT, hsp_data_place(data),
                             "%lld groups are too few for %lld folds: use --folds %lld or fewer", (long long)g.count,
                             (long long)f->count, (long long)g.count);
    for (int64_t k = 0; !status && each && k < g.count; k++)
        for (int64_t t = g.begin[k]; t < g.begin[k + 1]; t++) f->fold[g.row[t]] = (int32_t)k;
    for (int64_t r = 0; !status && !each && r < f->repeats; r++)
        status = deal_groups(data, &g, hsp_rng_new(seed, FOLD_STREAM + (uint64_t)r), f->count, f->fold + r * f->n, err);
    free_grouped(&g);
    return status;
}

/* ---- time ---- */

typedef struct timed_row {
    double time;
    int64_t row;
} timed_row;

static int earlier_first(const void *a, const void *b) {
    const timed_row *u = a, *v = b;
    if (u->time != v->time) return u->time < v->time ? -1 : 1;
    return (u->row > v->row) - (u->row < v->row);
}

/* Cuts the rows, in the order of their times, into count + 1 parts of about equal size. Rows of the same time stay together:
 * a model of rows of the same time would not be one of earlier rows. The first part is only trained on. cut: the places at
 * which the time changes. */
static void cut_times(const timed_row *v, const int64_t *cut, int64_t cuts, hsp_folds *f) {
    int64_t from = 0, at = 0;
    for (int64_t part = 0; part <= f->count; part++) {
        int64_t to = f->n, left = f->count - part; /* cuts that are still needed, this one included */
        if (left > 0) {
            double target = (double)f->n * (double)(part + 1) / (double)(f->count + 1);
            while (at < cuts - left && fabs((double)cut[at + 1] - target) <= fabs((double)cut[at] - target)) at++;
            to = cut[at++];
        }
        for (int64_t i = from; i < to; i++) f->fold[v[i].row] = (int32_t)part - 1;
        from = to;
    }
}

static int fold_times(const hsp_data *data, hsp_folds *f, hsp_error **err) {
    int64_t n = f->n, cuts = 0, *cut = hsp_alloc(n, sizeof *cut);
    timed_row *v = hsp_alloc(n, sizeof *v);
    int status = cut && v ? HSP_OK : hsp_fail_memory(err);
    f->by_time = true;
    if (!status) {
        for (int64_t i = 0; i < n; i++) v[i] = (timed_row){data->time[i], i};
        qsort(v, (size_t)n, sizeof *v, earlier_first);
        for (int64_t i = 1; i < n; i++)
            if (v[i].time > v[i - 1].time) cut[cuts++] = i;
        if (cuts < f->count)
            status =
                hsp_fail_at(err, HSP_EINPUT, hsp_data_place(data),
                            "%lld different time%s: %lld folds in time order need at least %lld; use fewer --folds, or "
                            "leave --time out",
                            (long long)cuts + 1, cuts == 0 ? "" : "s", (long long)f->count, (long long)f->count + 1);
    }
    if (!status) cut_times(v, cut, cuts, f);
    HSP_FREE(cut, v);
    return status;
}

/* ---- the whole ---- */

/* Options that exclude each other. */
static int check_options(const hsp_data *data, const hsp_options *o, bool each, hsp_error **err) {
    bool repeated = hsp_options_int(o, "repeats", 1) > 1;
    if (data->group && data->time)
        return hsp_fail(
            err, HSP_EUSAGE,
            "--group and --time exclude each other, as a group may have rows in several folds of time: give one "
            "of them");
    if (data->time && each)
        return hsp_fail(err, HSP_EUSAGE, "--folds loo has no order of time: give a number of folds, or leave --time out");
    if (repeated && data->time)
        return hsp_fail(err, HSP_EUSAGE, "--repeats has no effect with --time, as the folds are not random: leave it out");
    if (repeated && each)
        return hsp_fail(err, HSP_EUSAGE,
                        "--repeats has no effect with --folds loo, as the folds are not random: leave it "
                        "out");
    return HSP_OK;
}

/* A fold of weight 0 has no error, so the mean over the folds would be undefined. */
static int check_weights(const hsp_data *data, const hsp_folds *f, hsp_error **err) {
    if (!data->weight) return HSP_OK;
    double *mass = hsp_alloc(f->count, sizeof *mass);
    if (!mass) return hsp_fail_memory(err);
    int status = HSP_OK;
    for (int64_t r = 0; !status && r < f->repeats; r++) {
        const int32_t *fold = f->fold + r * f->n;
        for (int64_t k = 0; k < f->count; k++) mass[k] = 0;
        for (int64_t i = 0; i < f->n; i++)
            if (fold[i] >= 0) mass[fold[i]] += data->weight[i];
        for (int64_t k = 0; !status && k < f->count; k++) {
            int64_t rows = 0;
            for (int64_t i = 0; i < f->n; i++) rows += fold[i] == k;
            if (!(mass[k] > 0))
                status = hsp_fail_at(err, HSP_EINPUT, hsp_data_place(data),
                                     "all %lld rows of a fold have weight 0: remove such rows, or use fewer --folds",
                                     (long long)rows);
        }
    }
    hsp_free(mass);
    return status;
}

static int fill_folds(const hsp_data *data, const hsp_options *o, bool each, hsp_folds *f, hsp_error **err) {
    if (data->group) return fold_groups(data, o, each, f, err);
    if (data->time) return fold_times(data, f, err);
    int status = HSP_OK;
    uint64_t seed = (uint64_t)hsp_options_int(o, "seed", 1);
    for (int64_t i = 0; each && i < f->n; i++) f->fold[i] = (int32_t)i;
    for (int64_t r = 0; !status && !each && r < f->repeats; r++)
        status = deal_rows(data, hsp_rng_new(seed, FOLD_STREAM + (uint64_t)r), f->count, f->fold + r * f->n, err);
    return status;
}

int hsp_folds_new(const hsp_data *data, const hsp_options *o, hsp_folds *out, hsp_error **err) {
    bool each = hsp_options_is(o, "folds", "loo");
    *out = (hsp_folds){.n = data->x.n, .repeats = hsp_options_int(o, "repeats", 1)};
    out->count = each ? out->n : hsp_options_int(o, "folds", 5);
    int status = check_options(data, o, each, err);
    if (!status && (out->n < 2 || out->n < out->count) && !data->group)
        status = hsp_fail_at(err, HSP_EINPUT, hsp_data_place(data),
                             "%lld row%s too few for %lld folds: give more rows, or a smaller --folds", (long long)out->n,
                             out->n == 1 ? " is" : "s are", (long long)(out->count > 2 ? out->count : 2));
    if (!status && out->n > INT32_MAX)
        status =
            hsp_fail_at(err, HSP_EINPUT, hsp_data_place(data), "more than 2147483647 rows: cross-validate a part of them");
    if (!status && !(out->fold = hsp_alloc(out->n * out->repeats, sizeof *out->fold))) status = hsp_fail_memory(err);
    if (!status) status = fill_folds(data, o, each, out, err);
    if (!status) status = check_weights(data, out, err);
    if (status) hsp_folds_clear(out);
    return status;
}
