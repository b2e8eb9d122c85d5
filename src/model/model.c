/* The model in memory: creation, checks, scores, names. */
#include "model/model.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/schema.h"
#include "kernel/form.h"
#include "kernel/kernel.h"
#include "model/model_file.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>
#include <xxhash.h>

int hsp_model_new(hsp_prepare *prepare, const char *algorithm, int64_t outputs, hsp_model **out, hsp_error **err) {
    *out = NULL;
    int64_t d = prepare->schema.d, count;
    if (outputs < 1 || d < 0 || (prepare->regression && outputs != 1) || __builtin_mul_overflow(outputs, d, &count)) {
        return hsp_fail(err, HSP_EINTERNAL, "a model cannot have %lld outputs and %lld features: please report this bug",
                        (long long)outputs, (long long)d);
    }
    hsp_model *m = hsp_alloc_zero(1, sizeof *m);
    if (!m) return hsp_fail_memory(err);
    m->outputs = outputs;
    m->algorithm = hsp_strdup(algorithm);
    m->task = hsp_strdup(prepare->regression ? "regression" : "classification");
    m->origin.halfspace = hsp_strdup(hsp_version());
    m->w = hsp_alloc_zero(count > 0 ? count : 1, sizeof(double));
    m->b = hsp_alloc_zero(outputs, sizeof(double));
    if (!m->algorithm || !m->task || !m->origin.halfspace || !m->w || !m->b) {
        hsp_model_free(m);
        return hsp_fail_memory(err);
    }
    hsp_clock_utc(m->origin.when);
    m->certificate = (hsp_certificate){NAN, NAN, NAN, NAN};
    m->prepare = *prepare;
    *prepare = (hsp_prepare){0};
    *out = m;
    return 0;
}

void hsp_model_free(hsp_model *m) {
    if (!m) return;
    hsp_prepare_clear(&m->prepare);
    HSP_FREE(m->algorithm, m->task, m->w, m->b, m->class_weight, m->decision.rule);
    hsp_calibration_clear(&m->calibration);
    hsp_network_free(m->network);
    for (int64_t i = 0; i < m->extra_count; i++) hsp_free(m->extras[i].data);
    HSP_FREE(m->extras, m->objective.endless);
    hsp_dual_free(m->dual);
    hsp_report_free(m->claims);
    hsp_report_free(m->options);
    hsp_report_free(m->report);
    hsp_free(m->origin.halfspace);
    hsp_free(atomic_load(&m->fields));
    hsp_free(m);
}

int hsp_model_take_network(hsp_model *m, hsp_network *network, hsp_error **err) {
    hsp_network_free(m->network);
    HSP_FREE(m->w, m->b);
    m->w = m->b = NULL;
    m->network = network;
    return hsp_network_ready(network, err);
}

int hsp_model_no_weights(const hsp_model *m, hsp_error **err) {
    return hsp_fail(err, HSP_EUSAGE,
                    "the model (%s) is a network and has no weight for each feature: `halfspace show` prints its layers",
                    m->algorithm);
}

static int check_layers(const hsp_network *net, hsp_error **err) {
    if (hsp_finite_f64(net->theta, hsp_network_parameters(net))) return HSP_OK;
    return hsp_fail(err, HSP_EINTERNAL, "a weight of the network is not finite");
}

int hsp_model_check(const hsp_model *m, hsp_error **err) {
    int64_t d = m->prepare.schema.d;
    if (!hsp_model_link_fits(m)) {
        return hsp_fail(err, HSP_EINTERNAL, "the probabilities of the model do not fit its %lld outputs",
                        (long long)m->outputs);
    }
    if (!hsp_model_extra(m, "directions") != !hsp_model_extra(m, "direction-offsets")) {
        return hsp_fail(err, HSP_EINTERNAL, "the model has directions without offsets, or offsets alone");
    }
    if (!hsp_model_decision_fits(m))
        return hsp_fail(err, HSP_EINTERNAL, "the calibration or the decision rule of the model does not fit it");
    if (m->dual && !hsp_dual_fits(m->dual, m->outputs, m->rows)) {
        return hsp_fail(err, HSP_EINTERNAL, "the dual vector of the model does not fit it");
    }
    if (m->network) return check_layers(m->network, err);
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

static uint64_t layers_checksum(const hsp_network *net) {
    uint64_t h = XXH3_64bits(net->size, (size_t)(net->layers + 1) * sizeof *net->size);
    return XXH3_64bits_withSeed(net->theta, (size_t)hsp_network_parameters(net) * sizeof(double), h);
}

uint64_t hsp_model_checksum(const hsp_model *m) {
    if (m->network) return layers_checksum(m->network);
    size_t count = (size_t)m->outputs * (size_t)m->prepare.schema.d;
    uint64_t h = XXH3_64bits(m->w, count * sizeof(double));
    return XXH3_64bits_withSeed(m->b, (size_t)m->outputs * sizeof(double), h);
}

static int64_t known_count(hsp_row x, int64_t d) {
    int64_t count = x.count;
    if (!x.id) return count < d ? count : d;
    while (count > 0 && hsp_row_id(x, count - 1) >= d) count--;
    return count;
}

int64_t hsp_model_known(const hsp_model *m, hsp_row x) {
    return known_count(x, m->prepare.schema.d);
}

/* A sum of finite products can still overflow. Computes it again in long double, then clamps it to the range of double. */
static double wide_score(const double *w, double b, hsp_row x, int64_t count) {
    long double sum = 0;
    for (int64_t t = 0; t < count; t++) sum += (long double)w[hsp_row_id(x, t)] * (long double)hsp_row_value(x, t);
    sum += (long double)b;
    if (sum != sum) return 0;
    return sum > (long double)DBL_MAX ? DBL_MAX : sum < -(long double)DBL_MAX ? -DBL_MAX : (double)sum;
}

/* One sum in the order of the columns, so that a row has the same score in every storage format: zeros add nothing. */
#define SUM(form, id_type, COLUMN, type, VALUE)                                           \
    static double sum_##form(const double *w, hsp_row r, int64_t count) {                 \
        const id_type *id = r.id;                                                         \
        const type *x = r.value;                                                          \
        const double *table = r.table;                                                    \
        double sum = 0;                                                                   \
        (void)id, (void)x, (void)table;                                                   \
        for (int64_t t = 0; t < count; t++) sum += w[COLUMN(id, t)] * VALUE(x, table, t); \
        return sum;                                                                       \
    }

/* Four outputs at a time: each is the same sum in the same order, but the processor computes them in parallel. */
#define SUM_FOUR(form, id_type, COLUMN, type, VALUE)                                                      \
    static void four_##form(const double *w, int64_t d, hsp_row r, int64_t count, double *restrict out) { \
        const id_type *id = r.id;                                                                         \
        const type *x = r.value;                                                                          \
        const double *table = r.table;                                                                    \
        double s0 = 0, s1 = 0, s2 = 0, s3 = 0;                                                            \
        (void)id, (void)x, (void)table;                                                                   \
        for (int64_t t = 0; t < count; t++) {                                                             \
            int64_t j = COLUMN(id, t);                                                                    \
            double value = VALUE(x, table, t);                                                            \
            s0 += w[j] * value, s1 += w[d + j] * value;                                                   \
            s2 += w[2 * d + j] * value, s3 += w[3 * d + j] * value;                                       \
        }                                                                                                 \
        out[0] = s0, out[1] = s1, out[2] = s2, out[3] = s3;                                               \
    }

HSP_EACH_FORM(SUM)
HSP_EACH_FORM(SUM_FOUR)

#define SUM_ENTRY(form, ...) sum_##form,
#define SUM_FOUR_ENTRY(form, ...) four_##form,
static double (*const sums[HSP_FORMS])(const double *, hsp_row, int64_t) = {HSP_EACH_FORM(SUM_ENTRY)};
static void (*const sums_of_four[HSP_FORMS])(const double *, int64_t, hsp_row, int64_t,
                                             double *restrict) = {HSP_EACH_FORM(SUM_FOUR_ENTRY)};

static double score_known(const double *w, double b, hsp_row x, int64_t count) {
    double sum = sums[hsp_row_form(x)](w, x, count) + b;
    return isfinite(sum) ? sum : wide_score(w, b, x, count);
}

static void score_four(const double *w, int64_t d, const double *b, hsp_row x, int64_t count, double *out) {
    sums_of_four[hsp_row_form(x)](w, d, x, count, out);
    for (int64_t k = 0; k < 4; k++) {
        out[k] += b[k];
        if (!isfinite(out[k])) out[k] = wide_score(w + k * d, b[k], x, count);
    }
}

void hsp_model_score_outputs(const hsp_model *m, int64_t first, int64_t outputs, hsp_row x, double *out) {
    int64_t d = m->prepare.schema.d, count = known_count(x, d), k = 0;
    if (m->network) {
        hsp_network_scores(m->network, x, count, first, outputs, out);
        return;
    }
    const double *w = m->w + first * d, *b = m->b + first;
    for (; k + 4 <= outputs; k += 4) score_four(w + k * d, d, b + k, x, count, out + k);
    for (; k < outputs; k++) out[k] = score_known(w + k * d, b[k], x, count);
}

double hsp_model_score_output(const hsp_model *m, int64_t k, hsp_row x) {
    int64_t d = m->prepare.schema.d;
    double score;
    if (!m->network) return score_known(m->w + k * d, m->b[k], x, known_count(x, d));
    hsp_model_score_outputs(m, k, 1, x, &score);
    return score;
}

int64_t hsp_model_score_row(const hsp_model *m, hsp_row x, double *out) {
    hsp_model_score_outputs(m, 0, m->outputs, x, out);
    return x.count - known_count(x, m->prepare.schema.d);
}

void hsp_model_project(const hsp_model *m, hsp_row x, double *z) {
    const hsp_extra *directions = hsp_model_extra(m, "directions"), *offsets = hsp_model_extra(m, "direction-offsets");
    int64_t d = m->prepare.schema.d, count = known_count(x, d);
    for (int64_t j = 0; j < directions->rows; j++) {
        z[j] = score_known(directions->data + j * d, offsets->data[j], x, count);
    }
}

int hsp_model_no_directions(const hsp_model *m, hsp_error **err) {
    return hsp_fail(err, HSP_EUSAGE, "the model (%s) has no discriminant directions: train with fisher or lda",
                    m->algorithm);
}

int64_t hsp_model_classify(const hsp_model *m, const double *x, double *scores) {
    hsp_row row = hsp_row_dense(m->prepare.schema.d, x);
    if (scores) {
        hsp_model_score_row(m, row, scores);
        return hsp_model_decide(m, scores);
    }
    double best = hsp_model_score_output(m, 0, row);
    if (m->outputs == 1) return hsp_model_decide(m, &best);
    int64_t winner = 0;
    double most = hsp_model_rank(m, 0, best);
    for (int64_t k = 1; k < m->outputs; k++) {
        double score = hsp_model_score_output(m, k, row), rank = hsp_model_rank(m, k, score);
        if (hsp_model_beats(rank, score, most, best)) best = score, most = rank, winner = k;
    }
    return winner;
}

/* Describes an array of the dual vector. */
static void set_dual(hsp_array *a, const hsp_dual *dual, const char *name) {
    const struct {
        const char *name;
        const void *data;
        int32_t dtype;
        int64_t count, item;
    } list[] = {{"dual-begin", dual->begin, HSP_INT64, dual->outputs + 1, (int64_t)sizeof *dual->begin},
                {"dual-rows", dual->row, HSP_UINT32, dual->begin[dual->outputs], (int64_t)sizeof *dual->row},
                {"dual-values", dual->value, HSP_FLOAT64, dual->begin[dual->outputs], (int64_t)sizeof *dual->value}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        if (strcmp(list[i].name, name) != 0) continue;
        a->data = list[i].data;
        a->dtype = list[i].dtype;
        a->ndim = 1;
        a->shape[0] = list[i].count, a->shape[1] = 1;
        a->strides[0] = a->strides[1] = list[i].item;
    }
}

/* Describes a borrowed row-major array; `vector`: with one dimension. */
static void set_array(hsp_array *a, const double *data, int64_t rows, int64_t columns, bool vector) {
    int64_t item = (int64_t)sizeof(double);
    a->data = data;
    a->ndim = vector ? 1 : 2;
    a->shape[0] = rows, a->shape[1] = columns;
    a->strides[0] = columns * item, a->strides[1] = item;
}

static void set_calibration(hsp_array *a, const hsp_calibration *c, const char *name) {
    if (strcmp(name, "calibration-pairs") == 0) set_array(a, c->pairs[0], c->begin[c->maps], 2, false);
    if (strcmp(name, "calibration-begin") != 0) return;
    a->data = c->begin;
    a->dtype = HSP_INT64;
    a->ndim = 1;
    a->shape[0] = c->maps + 1, a->shape[1] = 1;
    a->strides[0] = a->strides[1] = (int64_t)sizeof *c->begin;
}

static void set_layer(hsp_array *a, const hsp_network *net, const char *name) {
    for (int64_t l = 1; l <= net->layers; l++) {
        if (strcmp(name, hsp_model_layer_names[l - 1][0]) == 0)
            set_array(a, hsp_network_weights(net, l), net->size[l], net->size[l - 1], false);
        else if (strcmp(name, hsp_model_layer_names[l - 1][1]) == 0)
            set_array(a, hsp_network_intercepts(net, l), net->size[l], 1, true);
    }
}

static int no_array(const hsp_model *m, const char *name, hsp_error **err) {
    hsp_text names = {0};
    if (m->network && (strcmp(name, "weights") == 0 || strcmp(name, "intercepts") == 0)) return hsp_model_no_weights(m, err);
    hsp_text_add(&names, m->network ? "layer-1-weights, layer-1-intercepts and so on" : "weights, intercepts");
    for (int64_t i = 0; i < m->extra_count; i++) hsp_text_format(&names, ", %s", m->extras[i].name);
    if (m->calibration.method) hsp_text_add(&names, ", calibration-begin, calibration-pairs");
    if (m->dual) hsp_text_add(&names, ", dual-begin, dual-rows, dual-values");
    int status = names.failed ? hsp_fail_memory(err)
                              : hsp_fail(err, HSP_EUSAGE, "the model has no array '%s': choose one of %s", name, names.s);
    hsp_text_free(&names);
    return status;
}

int hsp_model_array(const hsp_model *m, const char *name, hsp_array *out, hsp_error **err) {
    if (out->size < sizeof *out) return hsp_fail(err, HSP_EUSAGE, "hsp_array.size is not set: set it to sizeof(hsp_array)");
    hsp_array a = {.size = out->size, .dtype = HSP_FLOAT64};
    const hsp_extra *extra = hsp_model_extra(m, name);
    if (m->calibration.method && strncmp(name, "calibration-", strlen("calibration-")) == 0) {
        set_calibration(&a, &m->calibration, name);
    } else if (m->network && !extra) {
        set_layer(&a, m->network, name);
    } else if (strcmp(name, "weights") == 0) {
        set_array(&a, m->w, m->outputs, m->prepare.schema.d, false);
    } else if (strcmp(name, "intercepts") == 0) {
        set_array(&a, m->b, m->outputs, 1, true);
    } else if (extra) {
        set_array(&a, extra->data, extra->rows, extra->columns, hsp_model_extra_is_vector(extra));
    } else if (m->dual) {
        set_dual(&a, m->dual, name);
    }
    *out = a;
    return a.data ? 0 : no_array(m, name, err);
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

int64_t hsp_model_class_of(const hsp_model *m, const char *label) {
    return hsp_prepare_class(&m->prepare, label, (int64_t)strlen(label));
}

const char *hsp_model_feature_label(const hsp_model *m, int64_t j, char *buf) {
    return j >= 0 && j < m->prepare.schema.d ? hsp_schema_feature(&m->prepare.schema, j, buf) : NULL;
}

const char *hsp_model_feature_name(const hsp_model *m, int64_t j) {
    return m->prepare.schema.name && j >= 0 && j < m->prepare.schema.d ? m->prepare.schema.name[j] : NULL;
}
