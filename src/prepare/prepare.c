/* Learning what new rows must go through: columns and classes are copied from the data, scaling from its statistics. */
#include "prepare/prepare.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

static int check_classes(const hsp_data *data, hsp_error **err) {
    int64_t *count = hsp_alloc_zero(data->classes.count > 0 ? data->classes.count : 1, sizeof *count);
    if (!count) return hsp_fail_memory(err);
    hsp_data_class_counts(data, count);
    int64_t present = 0, last = -1;
    for (int64_t k = 0; k < data->classes.count; k++) {
        if (count[k] > 0) present++, last = k;
    }
    hsp_free(count);
    if (present >= 2) return 0;
    if (present == 0)
        return hsp_fail_at(err, HSP_EINPUT, hsp_data_place(data), "has no labelled rows: a classifier learns from labels");
    return hsp_fail_at(err, HSP_EINPUT, hsp_data_place(data),
                       "only one class ('%s') in the data: a classifier needs at least two", data->classes.name[last]);
}

static bool is_utf8(const char *s) {
    for (int64_t n = (int64_t)strlen(s), length; n > 0; s += length, n -= length) {
        length = hsp_text_utf8(s, n);
        if (length == 0) return false;
    }
    return true;
}

/* Names travel in the model as JSON, which is UTF-8: other bytes would come back changed and match nothing. */
static int check_names(const hsp_data *data, hsp_error **err) {
    static const char advice[] = "is not UTF-8: convert the file, for instance with iconv -f latin1 -t utf-8";
    for (int64_t k = 0; k < data->classes.count; k++) {
        const char *s = data->classes.name[k];
        if (!is_utf8(s)) return hsp_fail_at(err, HSP_EINPUT, hsp_data_place(data), "label '%s' %s", s, advice);
    }
    for (int64_t j = 0; data->schema.name && j < data->schema.d; j++) {
        const char *s = data->schema.name[j];
        if (!is_utf8(s)) return hsp_fail_at(err, HSP_EINPUT, hsp_data_place(data), "column name '%s' %s", s, advice);
    }
    const char *target = data->schema.target;
    if (!target || is_utf8(target)) return 0;
    return hsp_fail_at(err, HSP_EINPUT, hsp_data_place(data), "column name '%s' %s", target, advice);
}

static int check_data(const hsp_data *data, hsp_error **err) {
    if (!data->y) {
        return hsp_fail_at(err, HSP_EINPUT, hsp_data_place(data),
                           "has no labels: a classifier learns from labels, name their column with --target");
    }
    if (data->x.d < 1)
        return hsp_fail_at(err, HSP_EINPUT, hsp_data_place(data), "has no features: there is nothing to learn from");
    int status = check_classes(data, err);
    return status ? status : check_names(data, err);
}

/* The class of positive scores: as asked, else the greater of two; -1 for more than two classes. */
static int choose_positive(const hsp_classes *classes, const hsp_options *o, int64_t *out, hsp_error **err) {
    const char *asked = hsp_options_text(o, "positive");
    *out = classes->count == 2 ? 1 : -1;
    if (!asked) return 0;
    if (classes->count != 2) {
        return hsp_fail(err, HSP_EUSAGE, "--positive needs two classes, the data has %lld: leave it out",
                        (long long)classes->count);
    }
    *out = hsp_classes_find(classes, asked, (int64_t)strlen(asked));
    if (*out >= 0) return 0;
    return hsp_fail(err, HSP_EUSAGE, "--positive '%s' is not a class of the data: it has '%s' and '%s'", asked,
                    classes->name[0], classes->name[1]);
}

/* 1/(high - low) of a column that spans low to high, kept so far inside the range of doubles that weights in original
 * units stay finite: at most 2^900, and halved first where the difference would overflow. */
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

static int fit_scale(const hsp_matrix *x, const char *kind, hsp_prepare *p, hsp_error **err) {
    p->scale = hsp_strdup(kind);
    if (!p->scale) return hsp_fail_memory(err);
    if (strcmp(kind, "none") == 0) return 0;
    hsp_column_stats s;
    if (hsp_column_stats_fit(x, &s)) return hsp_fail_memory(err);
    bool centred = strcmp(kind, "maxabs") != 0;
    p->factor = hsp_alloc(x->d, sizeof(double));
    if (centred) p->shift = hsp_alloc(x->d, sizeof(double));
    bool ok = p->factor && (p->shift || !centred);
    for (int64_t j = 0; ok && j < x->d; j++) fit_column(kind, &s, j, centred ? &p->shift[j] : NULL, &p->factor[j]);
    hsp_column_stats_clear(&s);
    return ok ? 0 : hsp_fail_memory(err);
}

int hsp_prepare_fit(const hsp_data *data, const hsp_options *o, hsp_prepare *out, hsp_error **err) {
    hsp_prepare p = {0};
    *out = p;
    int status = check_data(data, err);
    if (status) goto done;
    status = choose_positive(&data->classes, o, &p.positive, err);
    if (status) goto done;
    status = hsp_schema_copy(&data->schema, &p.schema, err);
    if (status) goto done;
    p.schema.d = data->x.d;
    status = hsp_classes_copy(&data->classes, &p.classes, err);
    if (status) goto done;
    status = fit_scale(&data->x, hsp_options_text(o, "scale"), &p, err);
done:
    if (status) hsp_prepare_clear(&p);
    *out = p;
    return status;
}

void hsp_prepare_clear(hsp_prepare *p) {
    hsp_schema_clear(&p->schema);
    hsp_classes_clear(&p->classes);
    hsp_free(p->scale);
    hsp_free(p->shift);
    hsp_free(p->factor);
    *p = (hsp_prepare){0};
}

void hsp_prepare_unscale(const hsp_prepare *p, double *w, double *b) {
    if (!p->factor) return;
    double offset = 0;
    for (int64_t j = 0; j < p->schema.d; j++) {
        /* (shift factor) w, in this order: the product of the first two is moderate also where both are extreme. */
        if (p->shift) offset += (p->shift[j] * p->factor[j]) * w[j];
        w[j] *= p->factor[j];
    }
    *b -= offset;
}
