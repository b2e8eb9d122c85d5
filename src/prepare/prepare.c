/* Learns the preparation of rows: columns and classes are copied from the data, the scaling is computed from them. */
#include "prepare/prepare.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/features.h"
#include "option/options.h"
#include "prepare/positive.h"

#include <math.h>
#include <string.h>

/* How many classes have rows of weight above 0, and the last of those. */
static int count_present(const hsp_data *data, const hsp_prepare *p, int64_t *present, int64_t *last, hsp_error **err) {
    bool *found = hsp_alloc_zero(p->classes.count > 0 ? p->classes.count : 1, sizeof *found);
    if (!found) return hsp_fail_memory(err);
    for (int64_t i = 0; i < data->x.n; i++) {
        if (data->weight && data->weight[i] == 0) continue;
        found[p->merged ? p->merged[data->y[i]] : data->y[i]] = true;
    }
    *present = 0;
    for (int64_t k = 0; k < p->classes.count; k++) {
        if (found[k]) ++*present, *last = k;
    }
    hsp_free(found);
    return 0;
}

static int check_classes(const hsp_data *data, const hsp_prepare *p, hsp_error **err) {
    int64_t present = 0, last = -1;
    enum { MANY = 1000 };
    int status = count_present(data, p, &present, &last, err);
    hsp_place where = hsp_data_place(data);
    /* A number or an identifier of each row is not a class. Small data may look like that by chance. */
    if (!status && present > MANY && present == data->x.n)
        return hsp_fail_at(
            err, HSP_EINPUT, where,
            "each of the %lld rows has a class of its own: give another column with --target, or use --task regression",
            (long long)present);
    if (status || present >= 2) return status;
    if (present == 0 && data->weight && data->x.n > 0)
        return hsp_fail_at(err, HSP_EINPUT, where, "no row has a positive weight: give at least one row a positive weight");
    if (present == 0) return hsp_fail_at(err, HSP_EINPUT, where, "no labelled rows: a classifier needs labels");
    if (data->weight)
        return hsp_fail_at(err, HSP_EINPUT, where,
                           "only one class ('%s') has rows with a positive weight, a classifier needs two: check --weight "
                           "and --class-weight",
                           p->classes.name[last]);
    return hsp_fail_at(err, HSP_EINPUT, where,
                       "only one class ('%s') in the training data, a classifier needs two: check --target, --missing and "
                       "the rows held out",
                       p->classes.name[last]);
}

/* Regression needs a row of weight above 0. */
static int check_targets(const hsp_data *data, hsp_error **err) {
    for (int64_t i = 0; i < data->x.n; i++)
        if (!data->weight || data->weight[i] > 0) return 0;
    return hsp_fail_at(err, HSP_EINPUT, hsp_data_place(data),
                       data->x.n > 0 ? "no row has a positive weight: give at least one row a positive weight"
                                     : "no rows: training needs data");
}

static bool is_utf8(const char *s) {
    for (int64_t n = (int64_t)strlen(s), length; n > 0; s += length, n -= length) {
        length = hsp_text_utf8(s, n);
        if (length == 0) return false;
    }
    return true;
}

/* The model stores names as JSON, which is UTF-8: other bytes would not survive. */
static int check_names(const hsp_data *data, hsp_error **err) {
    static const char advice[] = "is not UTF-8: convert the file, for instance with iconv -f latin1 -t utf-8";
    for (int64_t k = 0; k < data->classes.count; k++) {
        const char *s = data->classes.name[k];
        if (!is_utf8(s)) return hsp_fail_at(err, HSP_EINPUT, hsp_data_place(data), "label '%s' %s", s, advice);
    }
    hsp_place header = hsp_data_place(data);
    header.line = data->schema.header && header.file ? 1 : 0;
    for (int64_t j = 0; data->schema.name && j < data->schema.d; j++) {
        const char *s = data->schema.name[j];
        if (s && !is_utf8(s)) return hsp_fail_at(err, HSP_EINPUT, header, "column name '%s' %s", s, advice);
    }
    const char *other[] = {data->schema.target, data->schema.weight};
    for (int i = 0; i < 2; i++)
        if (other[i] && !is_utf8(other[i]))
            return hsp_fail_at(err, HSP_EINPUT, header, "column name '%s' %s", other[i], advice);
    return 0;
}

/* Checks that the data suit the task. */
static int check_data(const hsp_data *data, const hsp_options *o, hsp_error **err) {
    hsp_place where = hsp_data_place(data);
    bool asked = hsp_options_is(o, "task", "regression");
    if (asked && !data->target)
        return hsp_fail_at(
            err, HSP_EINPUT, where,
            data->y ? "the data were read with labels, not with a numeric target: read them with --task regression"
                    : "no target: give its column with --target");
    if (data->target && !asked && hsp_options_is_set(o, "task"))
        return hsp_fail_at(err, HSP_EINPUT, where, "the data have a numeric target, not labels: use --task regression");
    if (data->target && hsp_options_text(o, "positive"))
        return hsp_fail(err, HSP_EUSAGE, "--positive is for classification, not for --task regression: leave it out");
    if (!data->y && !data->target) return hsp_fail_at(err, HSP_EINPUT, where, "no labels: give their column with --target");
    if (data->x.d < 1)
        return hsp_fail_at(err, HSP_EINPUT, where, "no features: give at least one column besides the label");
    return check_names(data, err);
}

static int check_declared(const hsp_data *data, hsp_error **err) {
    if (data->classes.count >= 2) return 0;
    return hsp_fail_at(err, HSP_EINPUT, hsp_data_place(data),
                       "only one class is declared, a classifier needs two: declare all classes with the first rows");
}

static int fit_classes(const hsp_data *data, const hsp_options *o, bool declared, hsp_prepare *p, hsp_error **err) {
    p->positive = -1;
    p->regression = data->target != NULL;
    if (p->regression) return check_targets(data, err);
    int status = declared ? check_declared(data, err) : 0;
    if (!status) status = hsp_prepare_positive(&data->classes, hsp_options_text(o, "positive"), p, err);
    return status || declared ? status : check_classes(data, p, err);
}

/* 1 / (high - low), at most 2^900 so that weights in original units stay finite. Both are halved first, since the
 * difference may overflow. */
static double inverse_span(double low, double high) {
    double half = high / 2 - low / 2;
    double most = scalbn(1.0, 900);
    return half > 0.5 / most ? 0.5 / half : most;
}

static void fit_column(const char *kind, const hsp_column_stats *s, int64_t j, double *shift, double *factor) {
    bool constant = s->min[j] >= s->max[j];
    double size = fmax(fabs(s->min[j]), fabs(s->max[j]));
    if (strcmp(kind, "maxabs") == 0) {
        *factor = size > 0 ? inverse_span(0, size) : 1;
    } else if (constant) {
        *shift = s->min[j];
        *factor = 1;
    } else if (strcmp(kind, "minmax") == 0) {
        *shift = s->min[j];
        *factor = inverse_span(s->min[j], s->max[j]);
    } else {
        *shift = s->mean[j];
        *factor = inverse_span(0, s->sd[j]);
    }
}

int hsp_prepare_quantities(const hsp_encoding *e, bool **out) {
    *out = NULL;
    if (!e) return 0;
    if (!HSP_ALLOC_ZERO(*out, e->d + 1)) return HSP_EMEMORY;
    hsp_encoding_mark_quantities(e, *out);
    return 0;
}

/* Fits shift and factor, which are allocated, to the columns that `scaled` marks; NULL: to all. */
static void fit_columns(const hsp_column_stats *s, const bool *scaled, hsp_prepare *p) {
    for (int64_t j = 0; j < p->schema.d; j++) {
        double *shift = p->shift ? &p->shift[j] : NULL;
        if (!scaled || scaled[j]) {
            fit_column(p->scale, s, j, shift, &p->factor[j]);
            continue;
        }
        if (shift) *shift = 0;
        p->factor[j] = 1;
    }
}

/* The kind of scaling, without its numbers. */
static int name_scale(const hsp_options *o, hsp_prepare *p, hsp_error **err) {
    p->scale = hsp_strdup(hsp_options_text(o, "scale"));
    if (!p->scale) return hsp_fail_memory(err);
    bool all = hsp_options_is(o, "scale-all", "yes");
    p->scale_all = !p->encoding || all;
    if (strcmp(p->scale, "none") != 0 || !all) return 0;
    return hsp_fail(err, HSP_EUSAGE, "--scale-all has no effect without --scale: add --scale standard, or leave it out");
}

int hsp_prepare_scale(const hsp_column_stats *s, const hsp_options *o, hsp_prepare *p, hsp_error **err) {
    int64_t d = p->schema.d;
    bool *scaled = NULL;
    int status = name_scale(o, p, err);
    if (status || strcmp(p->scale, "none") == 0) return status;
    bool centred = strcmp(p->scale, "maxabs") != 0;
    status = p->scale_all ? 0 : hsp_prepare_quantities(p->encoding, &scaled);
    p->factor = hsp_alloc(d, sizeof(double));
    if (centred) p->shift = hsp_alloc(d, sizeof(double));
    if (!p->factor || (centred && !p->shift)) status = HSP_EMEMORY;
    if (!status) fit_columns(s, scaled, p);
    hsp_free(scaled);
    return status ? hsp_fail_memory(err) : 0;
}

static int fit_scale(const hsp_matrix *x, const hsp_options *o, hsp_prepare *p, hsp_error **err) {
    hsp_column_stats s = {0};
    bool scales = !hsp_options_is(o, "scale", "none");
    int status = scales && hsp_column_stats_fit(x, &s) ? hsp_fail_memory(err) : hsp_prepare_scale(&s, o, p, err);
    hsp_column_stats_clear(&s);
    return status;
}

static int fit_prepare(const hsp_data *data, const hsp_options *o, bool declared, hsp_prepare *out, hsp_error **err) {
    hsp_prepare p = {0};
    *out = p;
    int status = check_data(data, o, err);
    if (!status) status = fit_classes(data, o, declared, &p, err);
    if (!status) status = hsp_schema_copy(&data->schema, &p.schema, err);
    if (status) goto done;
    p.schema.d = data->x.d;
    p.encoding = hsp_encoding_of(data->features);
    if (p.encoding) hsp_features_hold(data->features);
    status = fit_scale(&data->x, o, &p, err);
done:
    if (status) hsp_prepare_clear(&p);
    *out = p;
    return status;
}

int hsp_prepare_fit(const hsp_data *data, const hsp_options *o, hsp_prepare *out, hsp_error **err) {
    return fit_prepare(data, o, false, out, err);
}

int hsp_prepare_declared(const hsp_data *data, const hsp_options *o, hsp_prepare *out, hsp_error **err) {
    return fit_prepare(data, o, true, out, err);
}

int hsp_prepare_copy(const hsp_prepare *p, hsp_prepare *out, hsp_error **err) {
    int64_t d = p->schema.d, labels = p->source.count;
    hsp_prepare q = {.regression = p->regression, .positive = p->positive, .scale_all = p->scale_all};
    *out = q;
    int status = hsp_schema_copy(&p->schema, &q.schema, err);
    if (!status) status = hsp_classes_copy(&p->classes, &q.classes, err);
    if (!status) status = hsp_classes_copy(&p->source, &q.source, err);
    if (!status && (hsp_copy_string(&q.scale, p->scale) || HSP_COPY(q.merged, p->merged, labels) ||
                    HSP_COPY(q.shift, p->shift, d) || HSP_COPY(q.factor, p->factor, d)))
        status = hsp_fail_memory(err);
    if (!status && p->encoding) {
        q.encoding = p->encoding;
        hsp_features_hold(&p->encoding->features);
    }
    if (status) hsp_prepare_clear(&q);
    *out = q;
    return status;
}

void hsp_prepare_clear(hsp_prepare *p) {
    hsp_encoding_release(p->encoding);
    hsp_schema_clear(&p->schema);
    hsp_classes_clear(&p->classes);
    hsp_classes_clear(&p->source);
    HSP_FREE(p->merged, p->scale, p->shift, p->factor);
    *p = (hsp_prepare){0};
}

const hsp_schema *hsp_prepare_columns(const hsp_prepare *p) {
    return p->encoding ? &p->encoding->raw : &p->schema;
}

const hsp_classes *hsp_prepare_labels(const hsp_prepare *p) {
    return p->merged ? &p->source : &p->classes;
}

int64_t hsp_prepare_class(const hsp_prepare *p, const char *label, int64_t length) {
    int64_t k = hsp_classes_find(hsp_prepare_labels(p), label, length);
    return k >= 0 && p->merged ? p->merged[k] : k;
}

void hsp_prepare_unscale(const hsp_prepare *p, double *w, double *b) {
    if (!p->factor) return;
    double sum = 0;
    for (int64_t j = 0; j < p->schema.d; j++) {
        /* (shift factor) w, in this order: the first product is moderate even if both factors are extreme. */
        if (p->shift) sum += (p->shift[j] * p->factor[j]) * w[j];
        w[j] *= p->factor[j];
    }
    *b -= sum;
}

void hsp_prepare_unscale_point(const hsp_prepare *p, double *x) {
    if (!p->factor) return;
    for (int64_t j = 0; j < p->schema.d; j++) x[j] = x[j] / p->factor[j] + (p->shift ? p->shift[j] : 0);
}

void hsp_prepare_unscale_scatter(const hsp_prepare *p, double *A) {
    if (!p->factor) return;
    int64_t d = p->schema.d;
    /* Divide by one factor after the other: their product may overflow. The same order on both sides of the diagonal keeps
     * A symmetric to the bit. */
    for (int64_t j = 0; j < d; j++) {
        for (int64_t k = 0; k < j; k++) A[j * d + k] = A[j * d + k] / p->factor[j] / p->factor[k];
        for (int64_t k = j; k < d; k++) A[j * d + k] = A[j * d + k] / p->factor[k] / p->factor[j];
    }
}
