/* The whole model as one JSON object: `halfspace show --json`. */
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "calibrate/calibration.h"
#include "data/data.h"
#include "data/schema.h"
#include "model/model_file.h"
#include "network/network.h"
#include "prepare/prepare.h"
#include "table/encoding.h"

static void report_classes(const hsp_model *m, hsp_json *j) {
    const hsp_classes *c = &m->prepare.classes;
    hsp_json_array(j, "classes");
    for (int64_t k = 0; k < c->count; k++) hsp_json_string(j, NULL, c->name[k]);
    hsp_json_array_end(j);
    hsp_json_string(j, "positive", m->prepare.positive >= 0 ? c->name[m->prepare.positive] : NULL);
    if (!m->prepare.merged) return;
    hsp_json_object(j, "merged"); /* the class of each label in the data */
    for (int64_t k = 0; k < m->prepare.source.count; k++) {
        hsp_json_string(j, m->prepare.source.name[k], c->name[m->prepare.merged[k]]);
    }
    hsp_json_object_end(j);
}

static void report_vector(hsp_json *j, const char *key, const double *v, int64_t n) {
    if (v) {
        hsp_json_numbers(j, key, v, n);
    } else {
        hsp_json_null(j, key);
    }
}

/* Older models have neither. */
static void report_spread(const hsp_model *m, hsp_json *j) {
    const hsp_extra *means = hsp_model_extra(m, "feature-means"), *sds = hsp_model_extra(m, "feature-sds");
    if (!sds) return;
    report_vector(j, "feature_means", means ? means->data : NULL, m->prepare.schema.d);
    hsp_json_numbers(j, "feature_sds", sds->data, m->prepare.schema.d);
}

static void report_layers(const hsp_network *net, hsp_json *j) {
    hsp_json_string(j, "activation", net->activation->name);
    hsp_json_array(j, "layers");
    for (int64_t l = 1; l <= net->layers; l++) {
        hsp_json_object(j, NULL);
        hsp_json_array(j, "weights");
        for (int64_t k = 0; k < net->size[l]; k++)
            hsp_json_numbers(j, NULL, hsp_network_weights(net, l) + k * net->size[l - 1], net->size[l - 1]);
        hsp_json_array_end(j);
        hsp_json_numbers(j, "intercepts", hsp_network_intercepts(net, l), net->size[l]);
        hsp_json_object_end(j);
    }
    hsp_json_array_end(j);
}

static void report_weights(const hsp_model *m, hsp_json *j) {
    int64_t d = m->prepare.schema.d;
    char buf[32];
    hsp_json_array(j, "features");
    for (int64_t i = 0; i < d; i++) hsp_json_string(j, NULL, hsp_schema_feature(&m->prepare.schema, i, buf));
    hsp_json_array_end(j);
    if (m->network) {
        hsp_json_null(j, "weights");
        hsp_json_null(j, "intercepts");
        report_layers(m->network, j);
        return;
    }
    hsp_json_array(j, "weights");
    for (int64_t k = 0; k < m->outputs; k++) hsp_json_numbers(j, NULL, m->w + k * d, d);
    hsp_json_array_end(j);
    hsp_json_numbers(j, "intercepts", m->b, m->outputs);
}

static void report_scale(const hsp_prepare *p, hsp_json *j) {
    if (!p->factor) {
        hsp_json_null(j, "scale");
        return;
    }
    hsp_json_object(j, "scale");
    hsp_json_string(j, "kind", p->scale);
    hsp_json_string(j, "columns", p->scale_all ? "all" : "numeric");
    report_vector(j, "shift", p->shift, p->schema.d);
    report_vector(j, "factor", p->factor, p->schema.d);
    hsp_json_object_end(j);
}

/* Writes names and shapes; hsp_model_array and hsp_model_moments give the numbers. */
static void report_arrays(const hsp_model *m, hsp_json *j) {
    hsp_json_object(j, "arrays");
    for (int64_t i = 0; i < m->extra_count; i++) {
        hsp_json_array(j, m->extras[i].name);
        hsp_json_int(j, NULL, m->extras[i].rows);
        hsp_json_int(j, NULL, m->extras[i].columns);
        hsp_json_array_end(j);
    }
    hsp_json_object_end(j);
}

/* A column of the pairs of map k. */
static void report_pairs(const hsp_calibration *c, int64_t k, hsp_json *j, const char *key, int column) {
    int64_t count = c->begin[k + 1] - c->begin[k];
    double *v = hsp_alloc(count, sizeof *v);
    for (int64_t i = 0; v && i < count; i++) v[i] = c->pairs[c->begin[k] + i][column];
    if (v)
        hsp_json_numbers(j, key, v, count);
    else
        hsp_json_fail(j);
    hsp_free(v);
}

/* The parameters by name: one number for each output, or a list of knots for each. */
static void report_calibration(const hsp_model *m, hsp_json *j) {
    const hsp_calibration *c = &m->calibration;
    if (!c->method) {
        hsp_json_null(j, "calibration");
        return;
    }
    hsp_json_object(j, "calibration");
    hsp_json_string(j, "method", c->method->name);
    if (c->method->joint) {
        hsp_json_number(j, "temperature", 1 / c->pairs[0][0]);
    } else if (c->method->knots) {
        hsp_json_array(j, "maps");
        for (int64_t k = 0; k < c->maps; k++) {
            hsp_json_object(j, NULL);
            report_pairs(c, k, j, "scores", 0);
            report_pairs(c, k, j, "probabilities", 1);
            hsp_json_object_end(j);
        }
        hsp_json_array_end(j);
    } else {
        const hsp_calibration all = {.begin = (int64_t[]){0, c->maps}, .pairs = c->pairs};
        report_pairs(&all, 0, j, "slopes", 0);
        report_pairs(&all, 0, j, "intercepts", 1);
    }
    hsp_json_object_end(j);
}

int hsp_model_report(const hsp_model *m, hsp_report **out, hsp_error **err) {
    hsp_json j = {0};
    char hex[17], rule[HSP_MODEL_DECISION];
    hsp_json_object(&j, NULL);
    hsp_json_string(&j, "format", "halfspace model");
    hsp_json_int(&j, "version", hsp_model_version(m));
    hsp_json_string(&j, "algorithm", m->algorithm);
    hsp_json_string(&j, "task", m->task);
    report_classes(m, &j);
    hsp_model_write_link(m, &j);
    hsp_json_string(&j, "decision", hsp_model_decision(m, rule));
    hsp_model_write_rule(m, &j);
    report_calibration(m, &j);
    report_weights(m, &j);
    report_spread(m, &j);
    report_scale(&m->prepare, &j);
    hsp_encoding_report(m->prepare.encoding, &j);
    report_arrays(m, &j);
    hsp_model_write_claims(m, &j);
    hsp_json_object(&j, "training");
    hsp_model_write_origin(m, &j);
    hsp_model_write_object(&j, "report", m->report);
    hsp_json_object_end(&j);
    hsp_hex(hsp_model_checksum(m), hex);
    hsp_json_string(&j, "checksum", hex);
    hsp_json_object_end(&j);
    return hsp_json_take(&j, out, err);
}
