/* The model as a file: the members of the header, and the arrays. */
#ifndef HSP_MODEL_MODEL_FILE_H
#define HSP_MODEL_MODEL_FILE_H

#include "base/container.h"
#include "base/json.h"
#include "halfspace.h"
#include "model/model.h"
#include "network/network.h"

/* Versions:
 * 1: the first
 * 2: link and class_weight in the header, optional arrays (see model.h), the task regression
 * 3: claims in the header, the arrays dual-begin, dual-rows and dual-values
 * 4: the member table in place of schema
 * 5: the arrays feature-means and feature-sds
 * 6: networks: the member network {activation, units} and, in place of weights and intercepts, the arrays layer-1-weights,
 *    layer-1-intercepts, layer-2-weights and so on
 * 7: calibration: the member calibration {method} and the arrays calibration-begin and calibration-pairs; the member
 *    decision_rule {rule, level, threshold} */
#define HSP_MODEL_FORMAT_VERSION 7
extern const hsp_container_kind hsp_model_container;
/* The version in which a model is written: the oldest that can represent it. */
static inline int hsp_model_version(const hsp_model *m) {
    if (m->calibration.method || m->decision.rule) return 7;
    if (m->network) return 6;
    if (hsp_model_extra(m, "feature-sds")) return 5;
    return m->prepare.encoding ? 4 : 3;
}

/* The names of the arrays of layer l + 1: weights, intercepts. */
extern const char *const hsp_model_layer_names[HSP_NETWORK_LAYERS][2];

/* Reads the layers of a network. HSP_EINPUT: *fault says what is wrong (err is not set). */
int hsp_network_load(const hsp_container *file, hsp_network **out, const char **fault, hsp_error **err);

/* Writes the members of a report (NULL: none) as an object. */
void hsp_model_write_object(hsp_json *j, const char *key, const hsp_report *r);
/* Writes the members rows, nonzeros, when, halfspace and data_hash, which file and report share ... */
void hsp_model_write_origin(const hsp_model *m, hsp_json *j);
/* ... and certificate {objective, dual_bound, relative_gap, tolerance}, claims and options. */
void hsp_model_write_claims(const hsp_model *m, hsp_json *j);
/* "none", "logistic", "softmax", "ovr", indexed by hsp_link; then NULL. */
extern const char *const hsp_model_link_names[];
/* Writes the members link and class_weight. */
void hsp_model_write_link(const hsp_model *m, hsp_json *j);
/* Writes the member decision_rule; null without one. */
void hsp_model_write_rule(const hsp_model *m, hsp_json *j);
/* Reads calibration and decision rule of a model whose classes and link are read; `arrays` gets the number of arrays that
 * belong to them. HSP_EINPUT: *fault says what is wrong (err is not set). */
int hsp_model_load_calibration(const hsp_container *file, hsp_model *m, int64_t *arrays, const char **fault, hsp_error **err);

#endif
