/* Reads the calibration and the decision rule of a model. The shapes of the arrays, which the file is known to contain, bound
 * every count before anything is allocated. */
#include "base/container.h"
#include "base/error.h"
#include "base/json_value.h"
#include "base/memory.h"
#include "calibrate/calibration.h"
#include "calibrate/decision_rule.h"
#include "model/model_file.h"

#include <math.h>
#include <string.h>

static int refuse(const char **fault, const char *what) {
    *fault = what;
    return HSP_EINPUT;
}

/* The two arrays, where their counts fit the method. */
static int copy_maps(const hsp_container *file, hsp_model *m, const char **fault, hsp_error **err) {
    const hsp_container_array *begin = hsp_container_find(file, "calibration-begin", HSP_INT64);
    const hsp_container_array *pairs = hsp_container_find(file, "calibration-pairs", HSP_FLOAT64);
    hsp_calibration *c = &m->calibration;
    if (!begin || !pairs || begin->shape[1] != 1 || pairs->shape[1] != 2 || begin->shape[0] < 2 || pairs->shape[0] < 1)
        return refuse(fault, "its calibration is incomplete");
    int64_t maps = begin->shape[0] - 1, count = pairs->shape[0];
    c->begin = hsp_alloc(maps + 1, sizeof *c->begin);
    c->pairs = hsp_alloc(count, sizeof *c->pairs);
    if (!c->begin || !c->pairs) return hsp_fail_memory(err);
    memcpy(c->begin, begin->data, (size_t)(maps + 1) * sizeof *c->begin);
    memcpy(c->pairs, pairs->data, (size_t)count * sizeof *c->pairs);
    c->maps = maps;
    return hsp_calibration_fits(c, m->outputs, count) ? HSP_OK : refuse(fault, "its calibration does not fit its outputs");
}

static int load_calibration(const hsp_container *file, hsp_model *m, int64_t *arrays, const char **fault, hsp_error **err) {
    const hsp_json_value *object = hsp_json_get(file->json, "calibration");
    const char *name = hsp_json_text(hsp_json_get(object, "method"));
    if (!object || hsp_json_is(object, HSP_JSON_NULL)) return HSP_OK;
    if (m->prepare.regression) return refuse(fault, "a regression has a calibration");
    m->calibration.method = hsp_calibration_find(name);
    if (!m->calibration.method) return refuse(fault, "its calibration is unknown");
    int status = copy_maps(file, m, fault, err);
    if (status) {
        hsp_calibration_clear(&m->calibration);
        return status;
    }
    *arrays = 2;
    return HSP_OK;
}

/* The rule must be one that the text can mean; its threshold is only known to be in range. */
static int load_rule(const hsp_container *file, hsp_model *m, const char **fault, hsp_error **err) {
    const hsp_json_value *object = hsp_json_get(file->json, "decision_rule"), *v = hsp_json_get(object, "threshold");
    const char *rule = hsp_json_text(hsp_json_get(object, "rule")),
               *level = hsp_json_text(hsp_json_get(object, "level"));
    hsp_decision_rule parsed;
    if (!object || hsp_json_is(object, HSP_JSON_NULL)) return HSP_OK;
    bool known = rule && level && hsp_json_is(v, HSP_JSON_NUMBER) && !hsp_decision_parse(rule, &parsed, NULL) &&
                 parsed.kind != HSP_DECIDE_AUTO && (strcmp(level, "probability") == 0 || strcmp(level, "score") == 0);
    if (!known) return refuse(fault, "its decision rule is unknown");
    m->decision = (hsp_decision){.rule = hsp_strdup(rule),
                                 .of_probability = strcmp(level, "probability") == 0,
                                 .threshold = hsp_json_double(v)};
    if (!m->decision.rule) return hsp_fail_memory(err);
    bool fixed = hsp_decision_is_fixed(&parsed, m->decision.of_probability);
    if (!hsp_model_decision_fits(m) || hsp_decision_check(&parsed, m->decision.of_probability, NULL) ||
        (fixed && m->decision.threshold != hsp_decision_fixed(&parsed)))
        return refuse(fault, "its decision rule does not fit it");
    return HSP_OK;
}

int hsp_model_load_calibration(const hsp_container *file, hsp_model *m, int64_t *arrays, const char **fault,
                               hsp_error **err) {
    *fault = NULL;
    int status = load_calibration(file, m, arrays, fault, err);
    return status ? status : load_rule(file, m, fault, err);
}
