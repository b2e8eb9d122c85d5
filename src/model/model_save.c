/* Writes a model: the short members of the header first, so that `head` shows them; names and arrays follow. */
#include "base/container.h"
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "calibrate/calibration.h"
#include "calibrate/decision_rule.h"
#include "model/model_file.h"
#include "network/network.h"
#include "prepare/prepare_json.h"

void hsp_model_write_origin(const hsp_model *m, hsp_json *j) {
    char hex[17];
    hsp_json_int(j, "rows", m->rows);
    hsp_json_int(j, "nonzeros", m->nonzeros);
    hsp_json_string(j, "when", m->origin.when);
    hsp_json_string(j, "halfspace", m->origin.halfspace);
    hsp_hex(m->data_hash, hex);
    hsp_json_string(j, "data_hash", hex);
}

void hsp_model_write_object(hsp_json *j, const char *key, const hsp_report *r) {
    hsp_json_object(j, key);
    hsp_json_members(j, r);
    hsp_json_object_end(j);
}

void hsp_model_write_claims(const hsp_model *m, hsp_json *j) {
    hsp_json_object(j, "certificate");
    hsp_json_number(j, "objective", m->certificate.objective);
    hsp_json_number(j, "dual_bound", m->certificate.dual_bound);
    hsp_json_number(j, "relative_gap", m->certificate.relative_gap);
    hsp_json_number(j, "tolerance", m->certificate.tolerance);
    hsp_json_object_end(j);
    hsp_json_report(j, "claims", m->claims);
    hsp_model_write_object(j, "options", m->options);
}

const char *const hsp_model_link_names[] = {[HSP_LINK_NONE] = "none",
                                            [HSP_LINK_LOGISTIC] = "logistic",
                                            [HSP_LINK_SOFTMAX] = "softmax",
                                            [HSP_LINK_OVR] = "ovr",
                                            NULL};

void hsp_model_write_link(const hsp_model *m, hsp_json *j) {
    hsp_json_string(j, "link", hsp_model_link_names[m->link]);
    if (m->class_weight) {
        hsp_json_numbers(j, "class_weight", m->class_weight, m->prepare.classes.count);
    } else {
        hsp_json_null(j, "class_weight");
    }
}

void hsp_model_write_rule(const hsp_model *m, hsp_json *j) {
    const hsp_decision *d = &m->decision;
    if (!d->rule) {
        hsp_json_null(j, "decision_rule");
        return;
    }
    hsp_json_object(j, "decision_rule");
    hsp_json_string(j, "rule", d->rule);
    hsp_json_string(j, "level", d->of_probability ? "probability" : "score");
    hsp_json_number(j, "threshold", d->threshold);
    hsp_json_object_end(j);
}

static void write_calibration(const hsp_model *m, hsp_json *j) {
    if (m->calibration.method) {
        hsp_json_object(j, "calibration");
        hsp_json_string(j, "method", m->calibration.method->name);
        hsp_json_object_end(j);
    } else {
        hsp_json_null(j, "calibration");
    }
    hsp_model_write_rule(m, j);
}

static void write_network(const hsp_network *net, hsp_json *j) {
    hsp_json_object(j, "network");
    hsp_json_string(j, "activation", net->activation->name);
    hsp_json_array(j, "units");
    for (int64_t l = 0; l <= net->layers; l++) hsp_json_int(j, NULL, net->size[l]);
    hsp_json_array_end(j);
    hsp_json_object_end(j);
}

static void write_header(const hsp_model *m, hsp_json *j) {
    char hex[17], rule[HSP_MODEL_DECISION];
    hsp_json_object(j, NULL);
    hsp_json_string(j, "algorithm", m->algorithm);
    hsp_json_string(j, "task", m->task);
    hsp_json_int(j, "outputs", m->outputs);
    if (m->network) write_network(m->network, j);
    hsp_model_write_link(m, j);
    if (hsp_model_version(m) >= 5) hsp_json_string(j, "decision", hsp_model_decision(m, rule));
    if (hsp_model_version(m) >= 7) write_calibration(m, j);
    hsp_model_write_origin(m, j);
    hsp_hex(hsp_model_checksum(m), hex);
    hsp_json_string(j, "checksum", hex);
    hsp_model_write_claims(m, j);
    hsp_model_write_object(j, "report", m->report);
    hsp_prepare_save(&m->prepare, j);
    hsp_json_object_end(j);
}

const char *const hsp_model_layer_names[HSP_NETWORK_LAYERS][2] = {
    {"layer-1-weights", "layer-1-intercepts"}, {"layer-2-weights", "layer-2-intercepts"},
    {"layer-3-weights", "layer-3-intercepts"}, {"layer-4-weights", "layer-4-intercepts"},
    {"layer-5-weights", "layer-5-intercepts"}, {"layer-6-weights", "layer-6-intercepts"},
    {"layer-7-weights", "layer-7-intercepts"}, {"layer-8-weights", "layer-8-intercepts"},
    {"layer-9-weights", "layer-9-intercepts"}};

static int64_t list_layers(const hsp_network *net, hsp_container_array *arrays) {
    for (int64_t l = 1; l <= net->layers; l++) {
        const char *const *name = hsp_model_layer_names[l - 1];
        *arrays++ = (hsp_container_array){name[0], HSP_FLOAT64, {net->size[l], net->size[l - 1]}, hsp_network_weights(net, l)};
        *arrays++ = (hsp_container_array){name[1], HSP_FLOAT64, {net->size[l], 1}, hsp_network_intercepts(net, l)};
    }
    return 2 * net->layers;
}

/* Fills `arrays`, which is large enough, with the arrays of the file; returns their number. */
static int64_t list_arrays(const hsp_model *m, hsp_container_array *arrays) {
    int64_t d = m->prepare.schema.d, count = 0;
    if (m->network) {
        count = list_layers(m->network, arrays);
    } else {
        arrays[count++] = (hsp_container_array){"weights", HSP_FLOAT64, {m->outputs, d}, m->w};
        arrays[count++] = (hsp_container_array){"intercepts", HSP_FLOAT64, {m->outputs, 1}, m->b};
    }
    if (m->prepare.shift) arrays[count++] = (hsp_container_array){"scale-shift", HSP_FLOAT64, {d, 1}, m->prepare.shift};
    if (m->prepare.factor) arrays[count++] = (hsp_container_array){"scale-factor", HSP_FLOAT64, {d, 1}, m->prepare.factor};
    if (m->dual) {
        int64_t entries = m->dual->begin[m->dual->outputs];
        arrays[count++] = (hsp_container_array){"dual-begin", HSP_INT64, {m->dual->outputs + 1, 1}, m->dual->begin};
        arrays[count++] = (hsp_container_array){"dual-rows", HSP_UINT32, {entries, 1}, m->dual->row};
        arrays[count++] = (hsp_container_array){"dual-values", HSP_FLOAT64, {entries, 1}, m->dual->value};
    }
    const hsp_calibration *c = &m->calibration;
    if (c->method) {
        arrays[count++] = (hsp_container_array){"calibration-begin", HSP_INT64, {c->maps + 1, 1}, c->begin};
        arrays[count++] = (hsp_container_array){"calibration-pairs", HSP_FLOAT64, {c->begin[c->maps], 2}, c->pairs};
    }
    for (int64_t i = 0; i < m->extra_count; i++) {
        const hsp_extra *x = &m->extras[i];
        arrays[count++] = (hsp_container_array){x->name, HSP_FLOAT64, {x->rows, x->columns}, x->data};
    }
    return count;
}

int hsp_model_save_memory(const hsp_model *m, void **bytes, size_t *size, hsp_error **err) {
    *bytes = NULL;
    *size = 0;
    int status = hsp_model_check(m, err);
    if (status) return status;
    hsp_text header = {0};
    hsp_json j = {.out = &header};
    hsp_container_array *arrays = hsp_alloc(7 + 2 * HSP_NETWORK_LAYERS + m->extra_count, sizeof *arrays);
    write_header(m, &j);
    if (header.failed || !arrays) {
        status = hsp_fail_memory(err);
        goto done;
    }
    int64_t length = 0, count = list_arrays(m, arrays);
    status =
        hsp_container_pack(hsp_model_container.name, hsp_model_version(m), header.s, arrays, count, bytes, &length, err);
    *size = (size_t)length;
done:
    hsp_free(arrays);
    hsp_text_free(&header);
    return status;
}

int hsp_model_save(const hsp_model *m, const char *path, hsp_error **err) {
    void *bytes = NULL;
    size_t size = 0;
    int status = hsp_model_save_memory(m, &bytes, &size, err);
    if (status) return status;
    status = hsp_write_file(path, bytes, size, err);
    hsp_free(bytes);
    return status;
}
