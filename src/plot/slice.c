#include "plot/slice.h"

#include <inttypes.h>
#include <math.h>
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
        int64_t j = hsp_model_class_of(m, name);
        if (j < 0)
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

/* ---- which features ---- */

/* How much feature j can set the scores apart: the range of its weights over the classes times its standard deviation. What
 * all weights have in common favours no class. */
static double influence(const hsp_array *w, int64_t j, double variance) {
    double least = entry(w, 0, j), most = least;
    if (w->shape[0] == 1) least = fmin(least, 0), most = fmax(most, 0); /* the other class has score 0 */
    for (int64_t k = 1; k < w->shape[0]; k++) {
        least = fmin(least, entry(w, k, j));
        most = fmax(most, entry(w, k, j));
    }
    double size = (most - least) * sqrt(variance);
    return isnan(size) ? 0 : size; /* beyond the range of doubles */
}

/* The two features of the largest influence, in the order of the columns; the first ones among equals. */
static void choose_axes(const hsp_array *w, const double *variance, hsp_slice *s) {
    double best = -1, second = -1;
    s->axis[1] = 1;
    for (int64_t j = 0; j < s->d && s->d > 2; j++) {
        double size = influence(w, j, variance[j]);
        if (size > best) {
            second = best;
            s->axis[1] = s->axis[0];
            best = size;
            s->axis[0] = j;
        } else if (size > second) {
            second = size;
            s->axis[1] = j;
        }
    }
    if (s->axis[0] > s->axis[1]) {
        int64_t swap = s->axis[0];
        s->axis[0] = s->axis[1];
        s->axis[1] = swap;
    }
}

/* The variance of every feature (Welford's recurrence); row, mean and variance hold d numbers. */
static int take_variances(const hsp_data *data, const hsp_slice *s, double *row, double *mean, double *variance,
                          hsp_error **err) {
    for (int64_t i = 0; i < s->n; i++) {
        int code = hsp_data_row(data, i, row, err);
        if (code != HSP_OK) return code;
        double share = 1 / (double)(i + 1);
        for (int64_t j = 0; j < s->d; j++) {
            double off = row[j] - mean[j];
            mean[j] += off * share;
            variance[j] += (off * (row[j] - mean[j]) - variance[j]) * share;
        }
    }
    return HSP_OK;
}

/* "x3" and "3" are the letter x with a subscript, typed. */
static bool is_number(const char *label) {
    label += *label == 'x';
    size_t n = strspn(label, "0123456789");
    return n > 0 && n < 20 && label[n] == 0;
}

static void take_names(const hsp_model *m, const hsp_data *data, hsp_slice *s) {
    for (int a = 0; a < 2 && a < s->d; a++) {
        char buf[32];
        const char *label = hsp_data_feature_name(data, s->axis[a]);
        if (hsp_model_feature_name(m, s->axis[a]) || !label) label = hsp_model_feature_label(m, s->axis[a], buf);
        bool numbered = is_number(label);
        s->name[a] = numbered ? NULL : label;
        s->letter[a][0] = 'x';
        hsp_numeral_subscript(numbered ? label + (*label == 'x') : a == 0 ? "1" : "2", s->letter[a] + 1);
    }
}

/* ---- scores ---- */

/* Sums of the deviations from the means over the rows so far: of x and y, and of them with a score. In long double, in
 * which squares of any double are in range. */
typedef struct moments {
    long double x, y, xx, xy, yy; /* x, y: the means */
} moments;

typedef struct co_moments {
    long double g, xg, yg; /* g: the mean */
} co_moments;

static void add_row(moments *a, co_moments *b, int64_t outputs, double x, double y, const double *score, int64_t rows) {
    long double dx = x - a->x, dy = y - a->y;
    a->x += dx / rows;
    a->y += dy / rows;
    a->xx += dx * (x - a->x);
    a->xy += dx * (y - a->y);
    a->yy += dy * (y - a->y);
    for (int64_t k = 0; k < outputs; k++) {
        b[k].g += (score[k] - b[k].g) / rows;
        b[k].xg += dx * (score[k] - b[k].g);
        b[k].yg += dy * (score[k] - b[k].g);
    }
}

/* The plane nearest to the scores of the rows. Of two features that say the same, x speaks for both. */
static hsp_slice_score nearest_plane(const moments *a, const co_moments *b) {
    long double square = a->xx * a->yy, area = square - a->xy * a->xy, u = 0, v = 0;
    if (area > 1e-12L * square) {
        u = (a->yy * b->xg - a->xy * b->yg) / area;
        v = (a->xx * b->yg - a->xy * b->xg) / area;
    } else if (a->xx > 0) {
        u = b->xg / a->xx;
    } else if (a->yy > 0) {
        v = b->yg / a->yy;
    }
    return (hsp_slice_score){{(double)u, (double)v}, (double)(b->g - u * a->x - v * a->y)};
}

/* One pass: the two features and the answer of every row, and what the scores have to do with them. */
static int take_rows(const hsp_model *m, const hsp_data *data, hsp_slice *s, double *row, moments *a, co_moments *b,
                     double *score, hsp_error **err) {
    for (int64_t i = 0; i < s->n; i++) {
        int code = hsp_data_row(data, i, row, err);
        if (code != HSP_OK) return code;
        s->x[i] = row[s->axis[0]];
        s->y[i] = s->d > 1 ? row[s->axis[1]] : 0;
        s->answer[i] = (int32_t)hsp_model_classify(m, row, score);
        s->correct += s->truth && s->truth[i] == s->answer[i];
        if (s->d > 2) add_row(a, b, hsp_model_outputs(m), s->x[i], s->y[i], score, i + 1);
    }
    return HSP_OK;
}

static hsp_slice_score own_plane(const hsp_array *w, const hsp_array *b, int64_t k, int64_t d) {
    return (hsp_slice_score){{entry(w, k, 0), d > 1 ? entry(w, k, 1) : 0}, entry(b, k, 0)};
}

static void take_scores(const hsp_model *m, const hsp_array *w, const hsp_array *b, const moments *sums,
                        const co_moments *with, hsp_slice *s) {
    s->positive = hsp_model_outputs(m) == 1 ? hsp_model_positive(m) : -1;
    for (int64_t k = 0; k < hsp_model_outputs(m); k++)
        s->score[s->positive >= 0 ? s->positive : k] = s->d > 2 ? nearest_plane(sums, &with[k]) : own_plane(w, b, k, s->d);
    for (int64_t k = 0; k < s->classes; k++) s->order[k] = (int32_t)k;
    if (s->positive == 0) {
        s->order[0] = 1;
        s->order[1] = 0;
    }
}

/* Everything that is seen of the rows: two passes, one for d <= 2. */
static int take_all(const hsp_model *m, const hsp_data *data, hsp_slice *s, hsp_error **err) {
    hsp_array w, b;
    int code = array_of(m, "weights", &w, err);
    if (code == HSP_OK) code = array_of(m, "intercepts", &b, err);
    if (code != HSP_OK) return code;
    double *row = hsp_plot_alloc(hsp_data_features(data), sizeof *row);
    double *mean = hsp_plot_alloc(s->d, sizeof *mean), *variance = hsp_plot_alloc(s->d, sizeof *variance);
    double *score = hsp_plot_alloc(hsp_model_outputs(m), sizeof *score);
    moments sums = {0};
    co_moments *with = hsp_plot_alloc(hsp_model_outputs(m), sizeof *with);
    code = row && mean && variance && score && with ? HSP_OK : hsp_plot_fail_memory(err);
    if (code == HSP_OK && s->d > 2) code = take_variances(data, s, row, mean, variance, err);
    if (code == HSP_OK) {
        choose_axes(&w, variance, s);
        take_names(m, data, s);
        code = take_rows(m, data, s, row, &sums, with, score, err);
    }
    if (code == HSP_OK) take_scores(m, &w, &b, &sums, with, s);
    free(row);
    free(mean);
    free(variance);
    free(score);
    free(with);
    return code;
}

int hsp_slice_take(const hsp_model *m, const hsp_data *data, hsp_slice *s, hsp_error **err) {
    hsp_array labels = {.size = sizeof labels};
    memset(s, 0, sizeof *s);
    int code = check(m, data, err);
    if (code != HSP_OK) return code;
    s->n = hsp_data_rows(data);
    s->d = hsp_model_features(m);
    s->classes = hsp_model_classes(m);
    bool labelled = hsp_data_classes(data) > 0 && hsp_data_array(data, "labels", &labels, NULL) == HSP_OK && labels.data;
    code = allocate(s, labelled, err);
    if (code != HSP_OK) return code;
    for (int64_t k = 0; k < s->classes; k++) s->class_name[k] = hsp_model_class_name(m, k);
    if (labelled) code = take_labels(m, data, &labels, s, err);
    return code == HSP_OK ? take_all(m, data, s, err) : code;
}
