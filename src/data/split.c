/* Subsets of the rows of a data set. */
#include "base/error.h"
#include "base/memory.h"
#include "data/apart.h"
#include "data/data.h"
#include "data/draw.h"
#include "data/features.h"
#include "option/options.h"

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
        take_numbers(&part->time, data->time, rows, count) || (data->group && !HSP_ALLOC(part->group, count)) ||
        (data->y && !HSP_ALLOC(part->y, count)))
        return HSP_EMEMORY;
    for (int64_t i = 0; data->group && i < count; i++) part->group[i] = data->group[rows[i]];
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

int hsp_data_split(const hsp_data *data, const hsp_options *o, hsp_data **train, hsp_data **test, hsp_error **err) {
    *train = *test = NULL;
    bool stratify = hsp_options_flag(o, "stratify");
    int64_t n = data->x.n, groups = stratify ? data->classes.count : 1, *rows = NULL, *count = NULL;
    hsp_draw draw = {0};
    bool *apart = NULL; /* which rows are test rows, where rows belong together */
    if (stratify && (data->group || data->time))
        return hsp_fail(err, HSP_EUSAGE, "--stratify has no effect on rows with %s, which decide the parts: leave it out",
                        data->group ? "groups" : "times");
    if (stratify && data->target)
        return hsp_fail(err, HSP_EUSAGE, "--stratify needs classes, and the data have a numeric target: leave it out");
    if (stratify && !data->y) return hsp_fail(err, HSP_EUSAGE, "--stratify needs labels: leave it out, or give --target");
    int status = HSP_ALLOC(rows, n) && HSP_ALLOC(count, groups) ? 0 : hsp_fail_memory(err);
    if (status) goto done;
    count[0] = n;
    if (stratify) hsp_data_class_counts(data, count);
    status = hsp_draw_begin(&draw, o, count, groups, err);
    if (!status && (data->group || data->time)) {
        status = HSP_ALLOC(apart, n) ? hsp_split_apart(data, draw.test, &draw.rng, apart, err) : hsp_fail_memory(err);
        draw.test = 0;
        for (int64_t i = 0; i < n && !status; i++) draw.test += apart[i];
    }
    if (status) goto done;
    int64_t kept = n - draw.test, a = 0, b = kept;
    for (int64_t i = 0; i < n; i++) {
        bool held = apart ? apart[i] : hsp_draw_row(&draw, stratify ? data->y[i] : 0);
        rows[held ? b++ : a++] = i;
    }
    status = hsp_data_take(data, rows, kept, train, err);
    if (status == 0) status = hsp_data_take(data, rows + kept, n - kept, test, err);
    if (status) {
        hsp_data_free(*train);
        *train = NULL;
    }
done:
    hsp_draw_end(&draw);
    HSP_FREE(rows, count, apart);
    return status;
}
