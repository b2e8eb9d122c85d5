#include "plot/boundary/slice.h"

#include "plot/draw/picture_bytes.h"
#include "plot/part/chart.h"

#include <math.h>
#include <string.h>

void hsp_slice_clear(hsp_slice *s) {
    HSP_FREE(s->truth, s->answer, s->g, s->score, s->order, s->class_name);
    memset(s, 0, sizeof *s);
}

static int allocate_slice(hsp_slice *s, bool labelled, bool one_score) {
    bool classes = s->classes > 0;
    s->truth = labelled ? hsp_alloc_zero(s->n, sizeof *s->truth) : NULL;
    s->answer = classes ? hsp_alloc_zero(s->n, sizeof *s->answer) : NULL;
    s->g = one_score ? hsp_alloc_zero(s->n, sizeof *s->g) : NULL;
    s->score = hsp_alloc_zero(s->classes + 1, sizeof *s->score);
    s->order = hsp_alloc_zero(s->classes, sizeof *s->order);
    s->class_name = hsp_alloc_zero(s->classes, sizeof *s->class_name);
    bool whole =
        (s->truth || !labelled) && (s->answer || !classes) && (s->g || !one_score) && s->score && s->order && s->class_name;
    return whole ? HSP_OK : HSP_EMEMORY;
}

/* ---- labels ---- */

/* Only classes that have rows must be known to the model: a part of a table has the classes of all of it. */
int hsp_slice_labels(const hsp_model *m, const hsp_data *data, int32_t *truth, hsp_error **err) {
    hsp_array labels = {.size = sizeof labels};
    int status = hsp_data_array(data, "labels", &labels, err);
    if (status != HSP_OK) return status;
    int32_t *match = hsp_alloc_zero(hsp_data_classes(data), sizeof *match);
    if (!match) return HSP_EMEMORY;
    for (int64_t k = 0; k < hsp_data_classes(data); k++)
        match[k] = (int32_t)hsp_model_class_of(m, hsp_data_class_name(data, k));
    for (int64_t i = 0; status == HSP_OK && i < hsp_data_rows(data); i++) {
        int32_t k = ((const int32_t *)labels.data)[i];
        truth[i] = match[k];
        if (truth[i] < 0)
            status = hsp_fail(err, HSP_EINPUT, "class '%.200s' of the data is not in the model: give data with its classes",
                              hsp_data_class_name(data, k));
    }
    hsp_free(match);
    return status;
}

/* ---- the plane ---- */

static int numbers_of(const hsp_report *study, const char *name, int64_t count, const double **out, hsp_error **err) {
    hsp_array a = {.size = sizeof a};
    int status = hsp_report_array(study, name, &a, err);
    if (status != HSP_OK) return status;
    if (a.shape[0] * a.shape[1] != count)
        return hsp_fail(err, HSP_EINPUT, "the models have different features: draw each separately");
    *out = a.data;
    return HSP_OK;
}

static void set_order(const hsp_model *m, hsp_slice *s) {
    s->positive = hsp_model_outputs(m) == 1 && s->classes == 2 ? hsp_model_positive(m) : -1;
    for (int64_t k = 0; k < s->classes; k++) s->order[k] = (int32_t)(s->positive == 0 ? 1 - k : k);
    s->norm = NAN;
    const char *threshold = s->positive < 0 ? NULL : hsp_model_field(m, "score_threshold");
    double v;
    if (threshold && hsp_parse_number(threshold, strlen(threshold), &v) == 0) s->score[1 - s->positive].b = v;
}

/* The scores of the rows that are expected over the plane, which are linear in x and y. */
static int take_scores(const hsp_model *m, const double *lift, hsp_slice *s, hsp_error **err) {
    hsp_array weights = {.size = sizeof weights}, intercepts = {.size = sizeof intercepts};
    int status = hsp_model_array(m, "weights", &weights, err);
    if (status == HSP_OK) status = hsp_model_array(m, "intercepts", &intercepts, err);
    if (status != HSP_OK) return status;
    const double *w = weights.data, *b = intercepts.data;
    int64_t outputs = hsp_model_outputs(m);
    long double square = 0;
    for (int64_t k = 0; k < outputs; k++) {
        long double sum[3] = {b[k], 0, 0};
        for (int64_t j = 0; j < s->d; j++)
            for (int r = 0; r < 3; r++) sum[r] += (long double)w[k * s->d + j] * lift[r * s->d + j];
        s->score[s->positive >= 0 ? s->positive : k] = (hsp_slice_score){{(double)sum[1], (double)sum[2]}, (double)sum[0]};
    }
    if (outputs > 1) return HSP_OK;
    for (int64_t j = 0; j < s->d; j++) square += (long double)w[j] * w[j];
    s->norm = (double)sqrtl(square);
    s->origin = s->exact && s->positive >= 0 && s->norm > 0 && b[0] == hsp_slice_threshold(s);
    return HSP_OK;
}

/* Labels such as "x3" and "3" are written as x with a subscript. */
static bool is_number(const char *label) {
    label += *label == 'x';
    size_t n = strspn(label, "0123456789");
    return n > 0 && n < 20 && label[n] == 0;
}

const char *hsp_slice_axis(const char *label, char *letter) {
    if (!is_number(label)) return label;
    letter[0] = 'x';
    hsp_numeral_subscript(label + (*label == 'x'), letter + 1);
    return letter;
}

/* ---- points on points ---- */

enum { FEW = 24 }; /* at most this many values: a category or a grade */

typedef struct values {
    double v[FEW];
    int count; /* FEW + 1: more than FEW */
} values;

static int index_of(const values *s, double v) {
    for (int k = 0; k < s->count && k < FEW; k++)
        if (s->v[k] == v) return k;
    return -1;
}

static values values_of(const double *v, int64_t n) {
    values s = {.count = 0};
    for (int64_t i = 0; i < n && s.count <= FEW; i++) {
        if (index_of(&s, v[i]) >= 0) continue;
        if (s.count < FEW) s.v[s.count] = v[i];
        s.count++;
    }
    return s;
}

static double least_gap(const values *s) {
    double least = INFINITY;
    for (int i = 0; i < s->count; i++)
        for (int k = 0; k < i; k++) least = fmin(least, fabs(s->v[i] - s->v[k]));
    return isfinite(least) ? least : 0;
}

void hsp_slice_spread(const double *u, const double *v, int64_t n, double spread[2]) {
    bool seen[FEW][FEW] = {{false}};
    int64_t places = 0;
    values x = values_of(u, n), y = values_of(v, n);
    spread[0] = spread[1] = 0;
    if (x.count > FEW || y.count > FEW || x.count * y.count < 2) return;
    for (int64_t i = 0; i < n; i++) {
        bool *here = &seen[index_of(&x, u[i])][index_of(&y, v[i])];
        places += !*here;
        *here = true;
    }
    if (n < 4 * places) return;
    spread[0] = 0.22 * least_gap(&x);
    spread[1] = 0.22 * least_gap(&y);
}

/* ---- margins ---- */

/* Whether the model has a margin, that is rows with y g <= 1 determine it: its loss is positive below y g = 1 and 0 from there
 * on, as the study "losses" shows, or it has a penalty but no loss, as a hard margin does. */
static int find_margin(const hsp_model *m, bool *found, hsp_error **err) {
    const char *own = hsp_model_field(m, "loss"), *name;
    const double *margin, *value;
    hsp_report *s = NULL;
    int64_t n = 0;
    *found = !own && hsp_model_field(m, "penalty");
    if (!own) return HSP_OK;
    int status = hsp_study_run("losses", NULL, NULL, NULL, NULL, &s, err);
    if (status == HSP_OK) status = HSP_CHART_ARRAYS(s, err, {"margin", &margin, &n}, {"value", &value, NULL});
    for (int64_t k = 0; status == HSP_OK && (name = hsp_report_text_at(s, "losses", k)); k++) {
        if (strcmp(name, own) != 0) continue;
        *found = true;
        for (int64_t i = 0; i < n; i++) *found = *found && (value[k * n + i] > 0) == (margin[i] < 1);
    }
    hsp_report_free(s);
    return status;
}

/* Weights are off by about the square root of the relative gap that training reported. */
static double tolerance_of(const hsp_model *m) {
    const char *text = hsp_model_field(m, "relative_gap");
    double gap;
    if (!text || hsp_parse_number(text, strlen(text), &gap)) return 1e-2;
    return fmin(1e-2, fmax(1e-8, sqrt(fmax(gap, 0))));
}

double hsp_slice_margin(const hsp_slice *s, int64_t i) {
    return s->truth[i] == s->positive ? s->g[i] : -s->g[i];
}

hsp_support_mark hsp_slice_support(const hsp_slice *s, int64_t i) {
    double margin = hsp_slice_margin(s, i);
    return margin > 1 + s->tolerance ? HSP_SUPPORT_NONE : margin < 1 - s->tolerance ? HSP_SUPPORT_BOUND : HSP_SUPPORT_ON;
}

double hsp_slice_distance(const hsp_slice *s, double *g) {
    *g = NAN;
    if (!s->truth || s->positive < 0 || !s->g || !(s->norm > 0)) return NAN;
    *g = INFINITY;
    for (int64_t i = 0; i < s->n; i++)
        *g = fmin(*g, (s->truth[i] == s->positive ? 1 : -1) * (s->g[i] - hsp_slice_threshold(s)));
    return *g / s->norm;
}

/* ---- all of it ---- */

int hsp_slice_take(const hsp_model *m, const hsp_data *data, const hsp_report *study, hsp_slice *s, hsp_error **err) {
    hsp_array labels = {.size = sizeof labels};
    const double *lift = NULL;
    memset(s, 0, sizeof *s);
    s->n = hsp_data_rows(data);
    const char *kind = hsp_report_text(study, "kind");
    s->regions = kind && strcmp(kind, "regions") == 0 ? study : NULL;
    s->d = s->regions ? (int64_t)hsp_report_number(study, "features") : hsp_model_features(m);
    s->classes = hsp_model_classes(m);
    s->dimensions = hsp_report_number(study, "dimensions") > 1 ? 2 : 1;
    s->exact = s->d <= 2 && !(s->regions && hsp_report_count(study, "held") > 0);
    bool labelled = s->classes > 0 && hsp_data_classes(data) > 0 &&
                    hsp_data_array(data, "labels", &labels, NULL) == HSP_OK && labels.data;
    int status = allocate_slice(s, labelled, hsp_model_outputs(m) == 1);
    if (status != HSP_OK) return status;
    for (int64_t k = 0; k < s->classes; k++) s->class_name[k] = hsp_model_class_name(m, k);
    if (labelled) status = hsp_slice_labels(m, data, s->truth, err);
    if (status == HSP_OK) status = numbers_of(study, "u", s->n, &s->x, err);
    if (status == HSP_OK) status = numbers_of(study, "v", s->n, &s->y, err);
    if (status == HSP_OK) set_order(m, s);
    if (status == HSP_OK && !s->regions) status = numbers_of(study, "lift", 3 * s->d, &lift, err);
    if (status == HSP_OK && !s->regions) status = take_scores(m, lift, s, err);
    if (status == HSP_OK) status = hsp_model_score(m, data, s->g, s->answer, err);
    if (status == HSP_OK) status = find_margin(m, &s->margin_model, err);
    if (status != HSP_OK) return status;
    s->method = hsp_report_text_at(study, "method", 0);
    if (!s->method) s->method = "";
    for (int a = 0; a < s->dimensions; a++) {
        const char *label = hsp_report_text_at(study, "axes", a);
        bool numbered = label && is_number(label);
        s->name[a] = numbered ? NULL : label;
        hsp_slice_axis(numbered ? label : a == 0 ? "1" : "2", s->letter[a]);
    }
    const char *scale = hsp_model_field(m, "scale");
    s->tolerance = tolerance_of(m);
    s->scaled = !scale || strcmp(scale, "none") != 0;
    if (s->dimensions > 1) hsp_slice_spread(s->x, s->y, s->n, s->spread);
    for (int64_t i = 0; s->truth && i < s->n; i++) s->correct += s->truth[i] == s->answer[i];
    return HSP_OK;
}
