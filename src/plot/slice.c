#include "plot/slice.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void hsp_slice_clear(hsp_slice *s) {
    free(s->x);
    free(s->y);
    free(s->truth);
    free(s->answer);
    free(s->score);
    free(s->order);
    free(s->class_name);
    memset(s, 0, sizeof *s);
}

static int check(const hsp_model *m, const hsp_data *data, hsp_error **err) {
    int64_t d = hsp_model_features(m), have = hsp_data_features(data);
    if (have < d) /* more are columns that the model has never seen: it does not look at them */
        return hsp_plot_fail(err, HSP_EINPUT,
                             "the data have %" PRId64 " features, the model has %" PRId64
                             ": draw the data it was trained on, or like ones",
                             have, d);
    if (d < 1) return hsp_plot_fail(err, HSP_EINPUT, "there are no features: a boundary needs one at least");
    if (hsp_data_rows(data) < 1) return hsp_plot_fail(err, HSP_EINPUT, "the data have no rows: there is nothing to draw");
    if (hsp_model_classes(m) < 2)
        return hsp_plot_fail(err, HSP_EINPUT, "the model has no two classes: there is no boundary");
    return HSP_OK;
}

static int allocate(hsp_slice *s, bool labelled, hsp_error **err) {
    s->x = hsp_plot_alloc(s->n, sizeof *s->x);
    s->y = hsp_plot_alloc(s->n, sizeof *s->y);
    s->truth = labelled ? hsp_plot_alloc(s->n, sizeof *s->truth) : NULL;
    s->answer = hsp_plot_alloc(s->n, sizeof *s->answer);
    s->score = hsp_plot_alloc(s->classes, sizeof *s->score);
    s->order = hsp_plot_alloc(s->classes, sizeof *s->order);
    s->class_name = hsp_plot_alloc(s->classes, sizeof *s->class_name);
    bool whole = s->x && s->y && (s->truth || !labelled) && s->answer && s->score && s->order && s->class_name;
    return whole ? HSP_OK : hsp_plot_fail_memory(err);
}

/* The model's class of every class of the data, by name. */
static int match_classes(const hsp_model *m, const hsp_data *data, int32_t *match, hsp_error **err) {
    for (int64_t k = 0; k < hsp_data_classes(data); k++) {
        const char *name = hsp_data_class_name(data, k);
        int64_t j = 0;
        while (j < hsp_model_classes(m) && strcmp(name, hsp_model_class_name(m, j)) != 0) j++;
        if (j == hsp_model_classes(m))
            return hsp_plot_fail(err, HSP_EINPUT,
                                 "the model does not know the class '%.200s' of the data: draw data with its classes",
                                 name);
        match[k] = (int32_t)j;
    }
    return HSP_OK;
}

static int take_labels(const hsp_model *m, const hsp_data *data, const hsp_array *labels, hsp_slice *s, hsp_error **err) {
    int32_t *match = hsp_plot_alloc(hsp_data_classes(data), sizeof *match);
    if (!match) return hsp_plot_fail_memory(err);
    int code = match_classes(m, data, match, err);
    const char *at = labels->data;
    for (int64_t i = 0; code == HSP_OK && i < s->n; i++) {
        int32_t k;
        memcpy(&k, at + i * labels->strides[0], sizeof k);
        s->truth[i] = match[k];
    }
    free(match);
    return code;
}

/* One pass: the two features and the answer of every row, the mean of every feature. row and mean hold d numbers. */
static int take_rows(const hsp_model *m, const hsp_data *data, hsp_slice *s, double *row, double *mean, hsp_error **err) {
    for (int64_t i = 0; i < s->n; i++) {
        int code = hsp_data_row(data, i, row, err);
        if (code != HSP_OK) return code;
        s->x[i] = row[0];
        s->y[i] = s->d > 1 ? row[1] : 0;
        s->answer[i] = (int32_t)hsp_model_classify(m, row, NULL);
        s->correct += s->truth && s->truth[i] == s->answer[i];
        for (int64_t j = 2; j < s->d; j++) mean[j] += (row[j] - mean[j]) / (double)(i + 1);
    }
    return HSP_OK;
}

static int array_of(const hsp_model *m, const char *name, hsp_array *out, hsp_error **err) {
    memset(out, 0, sizeof *out);
    out->size = sizeof *out;
    int code = hsp_model_array(m, name, out, err);
    if (code != HSP_OK) return code;
    if (out->dtype != HSP_FLOAT64)
        return hsp_plot_fail(err, HSP_EINTERNAL, "the model's %s are not doubles: please report this", name);
    return HSP_OK;
}

static double entry(const hsp_array *a, int64_t i, int64_t j) {
    double v;
    memcpy(&v, (const char *)a->data + i * a->strides[0] + (a->ndim > 1 ? j * a->strides[1] : 0), sizeof v);
    return v;
}

static int take_scores(const hsp_model *m, const double *mean, hsp_slice *s, hsp_error **err) {
    hsp_array w, b;
    int code = array_of(m, "weights", &w, err);
    if (code == HSP_OK) code = array_of(m, "intercepts", &b, err);
    if (code != HSP_OK) return code;
    s->positive = hsp_model_outputs(m) == 1 ? hsp_model_positive(m) : -1;
    for (int64_t k = 0; k < hsp_model_outputs(m); k++) {
        hsp_slice_score *score = &s->score[s->positive >= 0 ? s->positive : k];
        score->w[0] = entry(&w, k, 0);
        score->w[1] = s->d > 1 ? entry(&w, k, 1) : 0;
        long double rest = entry(&b, k, 0);
        for (int64_t j = 2; j < s->d; j++) rest += (long double)entry(&w, k, j) * mean[j];
        score->b = (double)rest;
    }
    for (int64_t k = 0; k < s->classes; k++) s->order[k] = (int32_t)k;
    if (s->positive == 0) {
        s->order[0] = 1;
        s->order[1] = 0;
    }
    return HSP_OK;
}

int hsp_slice_take(const hsp_model *m, const hsp_data *data, hsp_slice *s, hsp_error **err) {
    double *row = NULL, *mean = NULL;
    hsp_array labels = {.size = sizeof labels};
    memset(s, 0, sizeof *s);
    int code = check(m, data, err);
    if (code != HSP_OK) return code;
    s->n = hsp_data_rows(data);
    s->d = hsp_model_features(m);
    s->classes = hsp_model_classes(m);
    bool labelled = hsp_data_classes(data) > 0 && hsp_data_array(data, "labels", &labels, NULL) == HSP_OK && labels.data;
    if ((code = allocate(s, labelled, err)) != HSP_OK) goto done;
    for (int64_t k = 0; k < s->classes; k++) s->class_name[k] = hsp_model_class_name(m, k);
    for (int j = 0; j < 2 && j < s->d; j++) {
        s->name[j] = hsp_model_feature_name(m, j);
        if (!s->name[j]) s->name[j] = hsp_data_feature_name(data, j);
    }
    row = hsp_plot_alloc(hsp_data_features(data), sizeof *row);
    mean = hsp_plot_alloc(s->d, sizeof *mean);
    if (!row || !mean) {
        code = hsp_plot_fail_memory(err);
        goto done;
    }
    if (labelled && (code = take_labels(m, data, &labels, s, err)) != HSP_OK) goto done;
    if ((code = take_rows(m, data, s, row, mean, err)) != HSP_OK) goto done;
    code = take_scores(m, mean, s, err);
done:
    free(row);
    free(mean);
    return code;
}
