/* The model as a file: the members of the header, and the arrays. */
#ifndef HSP_MODEL_MODEL_FILE_H
#define HSP_MODEL_MODEL_FILE_H

#include "base/container.h"
#include "base/json.h"
#include "halfspace.h"
#include "model/model.h"

/* Versions:
 * 1: the first
 * 2: link and class_weight in the header, optional arrays (see model.h), the task regression
 * 3: claims in the header, the arrays dual-begin, dual-rows and dual-values
 * 4: the member table in place of schema
 * 5: the arrays feature-means and feature-sds */
#define HSP_MODEL_FORMAT_VERSION 5
extern const hsp_container_kind hsp_model_container;
/* The version in which a model is written: the oldest that can represent it. */
static inline int hsp_model_version(const hsp_model *m) {
    if (hsp_model_extra(m, "feature-sds")) return 5;
    return m->prepare.encoding ? 4 : 3;
}

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

#endif
