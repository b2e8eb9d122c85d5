/* The model in memory: making, checking, scoring, naming. */
#include "model/model.h"
#include "base/clock.h"
#include "base/memory.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include <xxhash.h>

int hsp_model_new(hsp_prepare *prepare, const char *algorithm, int64_t outputs, hsp_model **out, hsp_error **err) {
    *out = NULL;
    int64_t d = prepare->schema.d, count;
    if (outputs < 1 || d < 0 || __builtin_mul_overflow(outputs, d, &count)) {
        return hsp_fail(err, HSP_EINTERNAL, "a model of %lld outputs and %lld features cannot be", (long long)outputs,
                        (long long)d);
    }
    hsp_model *m = hsp_alloc_zero(1, sizeof *m);
    if (!m) return hsp_fail_memory(err);
    m->outputs = outputs;
    m->algorithm = hsp_strdup(algorithm);
    m->task = hsp_strdup("classification");
    m->halfspace = hsp_strdup(hsp_version());
    m->w = hsp_alloc_zero(count > 0 ? count : 1, sizeof(double));
    m->b = hsp_alloc_zero(outputs, sizeof(double));
    if (!m->algorithm || !m->task || !m->halfspace || !m->w || !m->b) {
        hsp_model_free(m);
        return hsp_fail_memory(err);
    }
    hsp_clock_utc(m->when);
    m->certificate = (hsp_certificate){NAN, NAN, NAN, NAN};
    m->prepare = *prepare;
    *prepare = (hsp_prepare){0};
    *out = m;
    return 0;
}

void hsp_model_free(hsp_model *m) {
    if (!m) return;
    hsp_prepare_clear(&m->prepare);
    hsp_free(m->algorithm);
    hsp_free(m->task);
    hsp_free(m->w);
    hsp_free(m->b);
    hsp_free(m->options);
    hsp_free(m->report);
    hsp_free(m->halfspace);
    hsp_free(m);
}

int hsp_model_check(const hsp_model *m, hsp_error **err) {
    int64_t d = m->prepare.schema.d;
    for (int64_t k = 0; k < m->outputs; k++) {
        if (!isfinite(m->b[k])) return hsp_fail(err, HSP_EINTERNAL, "an intercept of the model is not finite");
        for (int64_t j = 0; j < d; j++) {
            if (isfinite(m->w[k * d + j])) continue;
            char buf[32];
            return hsp_fail(err, HSP_EINTERNAL, "the weight of feature '%s' is not finite",
                            hsp_schema_feature(&m->prepare.schema, j, buf));
        }
    }
    return 0;
}

uint64_t hsp_model_checksum(const hsp_model *m) {
    size_t count = (size_t)m->outputs * (size_t)m->prepare.schema.d;
    uint64_t h = XXH3_64bits(m->w, count * sizeof(double));
    return XXH3_64bits_withSeed(m->b, (size_t)m->outputs * sizeof(double), h);
}

/* The leading values of a row whose columns the model has: ids ascend, so the others are at the end. */
static int64_t known_count(hsp_row x, int64_t d) {
    int64_t count = x.count;
    if (!x.id) return count < d ? count : d;
    while (count > 0 && (int64_t)x.id[count - 1] >= d) count--;
    return count;
}

/* Finite factors can still overflow in a sum of products: once more with a wider exponent, then held to the range. */
static double wide_score(const double *w, double b, hsp_row x, int64_t count) {
    long double sum = 0;
    for (int64_t t = 0; t < count; t++)
        sum += (long double)w[x.id ? (int64_t)x.id[t] : t] * (long double)hsp_row_value(x, t);
    sum += (long double)b;
    if (sum != sum) return 0;
    return sum > (long double)DBL_MAX ? DBL_MAX : sum < -(long double)DBL_MAX ? -DBL_MAX : (double)sum;
}

/* One sum in the order of the columns, so that a row has the same score however it is stored: a zero adds nothing. */
static double score_known(const double *w, double b, hsp_row x, int64_t count) {
    double sum = 0;
    if (x.dtype == HSP_FLOAT32) {
        const float *v = x.value;
        if (x.id) {
            for (int64_t t = 0; t < count; t++) sum += w[x.id[t]] * (double)v[t];
        } else {
            for (int64_t t = 0; t < count; t++) sum += w[t] * (double)v[t];
        }
    } else {
        const double *v = x.value;
        if (x.id) {
            for (int64_t t = 0; t < count; t++) sum += w[x.id[t]] * v[t];
        } else {
            for (int64_t t = 0; t < count; t++) sum += w[t] * v[t];
        }
    }
    sum += b;
    return isfinite(sum) ? sum : wide_score(w, b, x, count);
}

double hsp_model_score_output(const hsp_model *m, int64_t k, hsp_row x) {
    int64_t d = m->prepare.schema.d;
    return score_known(m->w + k * d, m->b[k], x, known_count(x, d));
}

int64_t hsp_model_score(const hsp_model *m, hsp_row x, double *out) {
    int64_t d = m->prepare.schema.d, count = known_count(x, d);
    for (int64_t k = 0; k < m->outputs; k++) out[k] = score_known(m->w + k * d, m->b[k], x, count);
    return x.count - count;
}

int64_t hsp_model_decide(const hsp_model *m, const double *scores) {
    if (m->outputs == 1) return scores[0] > 0 ? m->prepare.positive : 1 - m->prepare.positive;
    int64_t best = 0;
    for (int64_t k = 1; k < m->outputs; k++) {
        if (scores[k] > scores[best]) best = k;
    }
    return best;
}

int64_t hsp_model_classify(const hsp_model *m, const double *x, double *scores) {
    hsp_row row = {.count = m->prepare.schema.d, .value = x, .dtype = HSP_FLOAT64};
    if (scores) {
        hsp_model_score(m, row, scores);
        return hsp_model_decide(m, scores);
    }
    double best = hsp_model_score_output(m, 0, row);
    if (m->outputs == 1) return hsp_model_decide(m, &best);
    int64_t winner = 0;
    for (int64_t k = 1; k < m->outputs; k++) {
        double score = hsp_model_score_output(m, k, row);
        if (score > best) best = score, winner = k;
    }
    return winner;
}

int hsp_model_array(const hsp_model *m, const char *name, hsp_array *out, hsp_error **err) {
    if (out->size < sizeof *out) return hsp_fail(err, HSP_EUSAGE, "hsp_array.size is not set: set it to sizeof(hsp_array)");
    hsp_array a = {.size = out->size, .dtype = HSP_FLOAT64};
    int64_t d = m->prepare.schema.d, item = (int64_t)sizeof(double);
    if (strcmp(name, "weights") == 0) {
        a.data = m->w;
        a.ndim = 2;
        a.shape[0] = m->outputs, a.shape[1] = d;
        a.strides[0] = d * item, a.strides[1] = item;
    } else if (strcmp(name, "intercepts") == 0) {
        a.data = m->b;
        a.ndim = 1;
        a.shape[0] = m->outputs, a.shape[1] = 1;
        a.strides[0] = item, a.strides[1] = item;
    } else {
        *out = a;
        return hsp_fail(err, HSP_EUSAGE, "a model has no array '%s': it has weights and intercepts", name);
    }
    *out = a;
    return 0;
}

int64_t hsp_model_outputs(const hsp_model *m) {
    return m->outputs;
}

int64_t hsp_model_features(const hsp_model *m) {
    return m->prepare.schema.d;
}

int64_t hsp_model_classes(const hsp_model *m) {
    return m->prepare.classes.count;
}

int64_t hsp_model_positive(const hsp_model *m) {
    return m->prepare.positive;
}

const char *hsp_model_class_name(const hsp_model *m, int64_t k) {
    return k >= 0 && k < m->prepare.classes.count ? m->prepare.classes.name[k] : NULL;
}

const char *hsp_model_feature_label(const hsp_model *m, int64_t j, char *buf) {
    return j >= 0 && j < m->prepare.schema.d ? hsp_schema_feature(&m->prepare.schema, j, buf) : NULL;
}

const char *hsp_model_feature_name(const hsp_model *m, int64_t j) {
    return m->prepare.schema.name && j >= 0 && j < m->prepare.schema.d ? m->prepare.schema.name[j] : NULL;
}
