/* Reads a model. The container has checked every array against the size of the file; this file checks the header against
 * the arrays, and the numbers against the valid range. */
#include "base/clock.h"
#include "base/container.h"
#include "base/error.h"
#include "base/json_read.h"
#include "base/json_value.h"
#include "base/memory.h"
#include "base/report.h"
#include "model/model_file.h"
#include "network/network.h"
#include "prepare/prepare.h"
#include "prepare/prepare_json.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the file's bytes ---- */

/* Reads to the end; stops after the first bytes if they show that the file is not a container, since it may have any
 * size. */
static int read_descriptor(int fd, const char *name, char **bytes, int64_t *size, hsp_error **err) {
    static const char magic[] = "halfspace ";
    struct stat st;
    char *p = NULL;
    int64_t capacity = 0, n = 0, needed = 65536;
    ssize_t got = 1;
    while (got != 0) {
        if (n == capacity && hsp_reserve((void **)&p, &capacity, needed, 1)) {
            hsp_free(p);
            return hsp_fail_memory(err);
        }
        got = read(fd, p + n, (size_t)(capacity - n));
        if (got < 0) {
            int errnum = errno;
            bool cancelled = errnum == EINTR && hsp_cancel_take();
            if (errnum == EINTR && !cancelled) continue;
            hsp_free(p);
            return cancelled ? hsp_fail(err, HSP_ECANCELLED, "cancelled while reading %s", name)
                             : hsp_fail_errno(err, name, "cannot read", errnum);
        }
        n += got;
        if (n >= (int64_t)sizeof magic - 1 && memcmp(p, magic, sizeof magic - 1) != 0) break;
        needed = n + 65536;
        if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size >= needed) needed = (int64_t)st.st_size + 1;
    }
    *bytes = p;
    *size = n;
    return 0;
}

static int read_bytes(const char *path, const char *name, char **bytes, int64_t *size, hsp_error **err) {
    if (strcmp(path, "-") == 0) return read_descriptor(STDIN_FILENO, name, bytes, size, err);
    int fd;
    do fd = open(path, O_RDONLY | O_CLOEXEC);
    while (fd < 0 && errno == EINTR && !hsp_cancel_pending());
    if (fd < 0 && errno == EINTR && hsp_cancel_take())
        return hsp_fail(err, HSP_ECANCELLED, "cancelled while reading %s", name);
    if (fd < 0) return hsp_fail_errno(err, name, "cannot open", errno);
    int status = read_descriptor(fd, name, bytes, size, err);
    close(fd);
    return status;
}

/* ---- header and arrays ---- */

typedef struct loading {
    hsp_container file;
    const char *name; /* for errors */
    hsp_error **err;
} loading;

static int damaged(const loading *l, const char *what) {
    return hsp_fail_at(l->err, HSP_EINPUT, (hsp_place){.file = l->name},
                       "damaged model, %s: copy the file again, or train again", what);
}

/* Copies a float64 array of the given shape from the file; every number must be finite. */
static int copy_array(const loading *l, const char *name, int64_t rows, int64_t columns, double *out) {
    const hsp_container_array *a = hsp_container_find(&l->file, name, HSP_FLOAT64);
    if (!a || a->shape[0] != rows || a->shape[1] != columns) return damaged(l, "its arrays do not match its header");
    int64_t count = rows * columns;
    if (count > 0) memcpy(out, a->data, (size_t)count * sizeof(double));
    for (int64_t i = 0; i < count; i++) {
        if (!isfinite(out[i])) return damaged(l, "a number in it is not finite");
    }
    return 0;
}

static int copy_string(const loading *l, const char *key, char **out) {
    const char *s = hsp_json_text(hsp_json_get(l->file.json, key));
    if (!s) return damaged(l, "a text in its header is missing");
    char *copy = hsp_strdup(s);
    if (!copy) return hsp_fail_memory(l->err);
    hsp_free(*out);
    *out = copy;
    return 0;
}

static int read_object(const loading *l, const char *key, hsp_report **out) {
    const hsp_json_value *object = hsp_json_get(l->file.json, key);
    if (!hsp_json_is(object, HSP_JSON_OBJECT)) return damaged(l, "an object in its header is missing");
    hsp_json j = {0};
    hsp_report_add_parsed(&j, NULL, object);
    int status = hsp_json_take(&j, out, l->err);
    if (status) return status;
    /* Before 0.2 margin_width was called street. */
    return hsp_report_rename(*out, "street", "margin_width") ? hsp_fail_memory(l->err) : 0;
}

static int read_hex(const loading *l, const char *key, uint64_t *out) {
    return hsp_json_hex(hsp_json_get(l->file.json, key), out) ? 0 : damaged(l, "a hash in its header is invalid");
}

/* Reads a figure of the certificate: a number, or null if unknown. */
static int read_figure(const loading *l, const char *key, double *out) {
    const hsp_json_value *v = hsp_json_get(hsp_json_get(l->file.json, "certificate"), key);
    if (!hsp_json_is(v, HSP_JSON_NUMBER) && !hsp_json_is(v, HSP_JSON_NULL)) return damaged(l, "its certificate is incomplete");
    *out = hsp_json_is(v, HSP_JSON_NULL) ? (double)NAN : hsp_json_double(v);
    return 0;
}

static int read_figures(const loading *l, hsp_model *m) {
    const char *when = hsp_json_text(hsp_json_get(l->file.json, "when"));
    if (!when || strlen(when) >= sizeof m->origin.when) return damaged(l, "its date is invalid");
    memcpy(m->origin.when, when, strlen(when) + 1);
    if (!hsp_json_whole(hsp_json_get(l->file.json, "rows"), &m->rows) ||
        !hsp_json_whole(hsp_json_get(l->file.json, "nonzeros"), &m->nonzeros)) {
        return damaged(l, "a count in its header is invalid");
    }
    int status = read_figure(l, "objective", &m->certificate.objective);
    if (!status) status = read_figure(l, "dual_bound", &m->certificate.dual_bound);
    if (!status) status = read_figure(l, "relative_gap", &m->certificate.relative_gap);
    if (!status) status = read_figure(l, "tolerance", &m->certificate.tolerance);
    if (!status) status = read_hex(l, "data_hash", &m->data_hash);
    return status;
}

/* Reads the arrays that the kind of scaling needs. read_extras checks all other arrays except the weights. */
static int read_scale(const loading *l, hsp_prepare *p) {
    int64_t d = p->schema.d, room = d > 0 ? d : 1;
    bool none = strcmp(p->scale, "none") == 0, centred = !none && strcmp(p->scale, "maxabs") != 0;
    int status = 0;
    if (!none) {
        p->factor = hsp_alloc(room, sizeof(double));
        status = p->factor ? copy_array(l, "scale-factor", d, 1, p->factor) : hsp_fail_memory(l->err);
    }
    if (!status && centred) {
        p->shift = hsp_alloc(room, sizeof(double));
        status = p->shift ? copy_array(l, "scale-shift", d, 1, p->shift) : hsp_fail_memory(l->err);
    }
    return status;
}

/* Reads the three arrays of the dual vector, or none of them. */
static int read_dual(const loading *l, hsp_model *m) {
    const hsp_container_array *begin = hsp_container_find(&l->file, "dual-begin", HSP_INT64);
    const hsp_container_array *row = hsp_container_find(&l->file, "dual-rows", HSP_UINT32);
    const hsp_container_array *value = hsp_container_find(&l->file, "dual-values", HSP_FLOAT64);
    if (l->file.version < 3 || (!begin && !row && !value)) return 0;
    bool whole = begin && row && value && begin->shape[0] == m->outputs + 1 && begin->shape[1] == 1 && row->shape[1] == 1 &&
                 value->shape[1] == 1 && row->shape[0] == value->shape[0];
    if (!whole) return damaged(l, "its dual vector is incomplete");
    int status = hsp_dual_load(begin->data, row->data, value->data, m->outputs, row->shape[0], m->rows, &m->dual, l->err);
    return status == HSP_EINPUT ? damaged(l, "its dual vector does not match its rows") : status;
}

/* Reads the claims about the training data: from version 3 on, possibly null. */
static int read_claims(const loading *l, hsp_model *m) {
    const hsp_json_value *claims = hsp_json_get(l->file.json, "claims");
    if (l->file.version < 3 || hsp_json_is(claims, HSP_JSON_NULL)) return 0;
    return read_object(l, "claims", &m->claims);
}

/* Reads the remaining arrays, which must all be known optional ones. Rejects unknown names, duplicates, and scaling arrays
 * that the header does not mention. */
static int read_extras(const loading *l, hsp_model *m, int64_t of_calibration) {
    int64_t weights = m->network ? 2 * m->network->layers : 2;
    int64_t own = of_calibration + weights + (m->prepare.shift != NULL) + (m->prepare.factor != NULL) + (m->dual ? 3 : 0);
    for (int64_t i = own; i < l->file.count; i++) {
        const hsp_container_array *a = &l->file.arrays[i];
        if (l->file.version < 2 || a->dtype != HSP_FLOAT64 || !hsp_model_extra_fits(m, a->name, a->shape[0], a->shape[1])) {
            return damaged(l, "it has an unknown array");
        }
        int64_t count = a->shape[0] * a->shape[1];
        double *data = hsp_alloc(count > 0 ? count : 1, sizeof *data);
        if (!data) return hsp_fail_memory(l->err);
        int status = copy_array(l, a->name, a->shape[0], a->shape[1], data);
        if (status) {
            hsp_free(data);
            return status;
        }
        status = hsp_model_add_extra(m, a->name, a->shape[0], a->shape[1], data, l->err);
        if (status) return status;
    }
    bool paired = !hsp_model_extra(m, "directions") == !hsp_model_extra(m, "direction-offsets");
    return paired ? 0 : damaged(l, "its directions and their offsets do not match");
}

static int read_class_weight(const loading *l, hsp_model *m) {
    const hsp_json_value *list = hsp_json_get(l->file.json, "class_weight");
    int64_t count = m->prepare.classes.count;
    if (hsp_json_is(list, HSP_JSON_NULL)) return 0;
    if (!hsp_json_is(list, HSP_JSON_ARRAY) || hsp_json_count(list) != count || count == 0) {
        return damaged(l, "its class weights do not match its classes");
    }
    m->class_weight = hsp_alloc(count, sizeof(double));
    if (!m->class_weight) return hsp_fail_memory(l->err);
    for (int64_t k = 0; k < count; k++) {
        const hsp_json_value *v = hsp_json_item(list, k);
        if (!hsp_json_is(v, HSP_JSON_NUMBER)) return damaged(l, "a class weight is not a number");
        m->class_weight[k] = hsp_json_double(v);
    }
    return 0;
}

/* Reads the map from scores to probabilities; version 1 had none. */
static int read_link(const loading *l, hsp_model *m) {
    if (l->file.version < 2) return 0;
    const char *name = hsp_json_text(hsp_json_get(l->file.json, "link"));
    int link = 0;
    while (name && hsp_model_link_names[link] && strcmp(hsp_model_link_names[link], name) != 0) link++;
    if (!name || !hsp_model_link_names[link]) return damaged(l, "its link is unknown");
    m->link = (hsp_link)link;
    int status = read_class_weight(l, m);
    if (status) return status;
    if (!hsp_model_link_fits(m)) return damaged(l, "its link and class weights do not match its outputs");
    return 0;
}

/* Reads what follows the link: the calibration and the decision rule, from version 7 on. */
static int read_decision(const loading *l, hsp_model *m, int64_t *arrays) {
    const char *fault = NULL;
    char buf[HSP_MODEL_DECISION];
    int status = l->file.version >= 7 ? hsp_model_load_calibration(&l->file, m, arrays, &fault, l->err) : HSP_OK;
    if (status) return fault ? damaged(l, fault) : status;
    /* Older models do not state the rule; it was the same. */
    const char *stated = hsp_json_text(hsp_json_get(l->file.json, "decision")), *rule = hsp_model_decision(m, buf);
    if (stated && (!rule || strcmp(stated, rule) != 0)) return damaged(l, "it states another decision rule than it has");
    return 0;
}

static int read_texts(const loading *l, hsp_model *m) {
    int status = copy_string(l, "algorithm", &m->algorithm);
    if (!status) status = copy_string(l, "task", &m->task);
    if (!status) status = copy_string(l, "halfspace", &m->origin.halfspace);
    if (!status) status = read_object(l, "options", &m->options);
    if (!status) status = read_object(l, "report", &m->report);
    const char *task = m->prepare.regression ? "regression" : "classification";
    if (!status && strcmp(m->task, task) != 0) status = damaged(l, "its task is unknown");
    return status;
}

/* The layers of a network, or the shape of the weights: what the file is known to contain bounds features and outputs. */
static int read_shape(const loading *l, hsp_network **net, int64_t shape[2]) {
    const char *fault = NULL;
    if (l->file.version >= 6 && hsp_json_get(l->file.json, "network")) {
        int status = hsp_network_load(&l->file, net, &fault, l->err);
        if (status) return fault ? damaged(l, fault) : status;
        shape[0] = (*net)->size[(*net)->layers];
        shape[1] = (*net)->size[0];
        return 0;
    }
    const hsp_container_array *w = hsp_container_find(&l->file, "weights", HSP_FLOAT64);
    if (!w) return damaged(l, "it has no weights");
    shape[0] = w->shape[0];
    shape[1] = w->shape[1];
    return 0;
}

static int read_weights(const loading *l, hsp_model *m, hsp_network **net) {
    hsp_network *layers = *net;
    *net = NULL;
    if (layers) return hsp_model_take_network(m, layers, l->err);
    int status = copy_array(l, "weights", m->outputs, m->prepare.schema.d, m->w);
    return status ? status : copy_array(l, "intercepts", m->outputs, 1, m->b);
}

static int read_model(const loading *l, hsp_model **out) {
    hsp_prepare p = {0};
    hsp_model *m = NULL;
    hsp_network *net = NULL;
    int64_t outputs = 0, shape[2] = {0, 0};
    int status = read_shape(l, &net, shape);
    if (!status) status = hsp_prepare_load(l->file.json, shape[1], l->name, &p, l->err);
    if (!status) {
        bool one = p.regression || p.classes.count == 2;
        bool ok = hsp_json_whole(hsp_json_get(l->file.json, "outputs"), &outputs);
        if (!ok || outputs != (one ? 1 : p.classes.count) || outputs != shape[0] || p.schema.d != shape[1]) {
            status = damaged(l, "its classes, features and weights do not match");
        }
    }
    if (!status) status = read_scale(l, &p);
    if (!status) status = hsp_model_new(&p, "", outputs, &m, l->err);
    if (!status) m->origin.format = l->file.version;
    if (!status) status = read_texts(l, m);
    if (!status) status = read_figures(l, m);
    uint64_t checksum = 0;
    if (!status) status = read_weights(l, m, &net);
    if (!status) status = read_hex(l, "checksum", &checksum);
    if (!status && checksum != hsp_model_checksum(m)) status = damaged(l, "its weights do not match its header");
    int64_t of_calibration = 0;
    if (!status) status = read_link(l, m);
    if (!status) status = read_decision(l, m, &of_calibration);
    if (!status) status = read_claims(l, m);
    if (!status) status = read_dual(l, m);
    if (!status) status = read_extras(l, m, of_calibration);
    if (!status) status = hsp_objective_read(m, &m->objective, l->err);
    if (!status) status = hsp_model_lay_out_fields(m, l->err);
    hsp_prepare_clear(&p);
    hsp_network_free(net);
    if (status) {
        hsp_model_free(m);
        return status;
    }
    *out = m;
    return 0;
}

const hsp_container_kind hsp_model_container = {"model", HSP_MODEL_FORMAT_VERSION, "model", "train"};

static int load_named(const void *bytes, int64_t size, const char *name, hsp_model **out, hsp_error **err) {
    loading l = {.name = name, .err = err};
    int status = hsp_container_unpack(&hsp_model_container, bytes, size, name, &l.file, err);
    if (!status) status = read_model(&l, out);
    hsp_container_clear(&l.file);
    return status;
}

int hsp_model_load_memory(const void *bytes, size_t size, hsp_model **out, hsp_error **err) {
    *out = NULL;
    return load_named(bytes, (int64_t)size, "model in memory", out, err);
}

int hsp_model_load(const char *path, hsp_model **out, hsp_error **err) {
    *out = NULL;
    const char *name = strcmp(path, "-") == 0 ? "<stdin>" : path;
    char *bytes = NULL;
    int64_t size = 0;
    /* Read, not mapped: another program may change the file after its checksum was checked. */
    int status = read_bytes(path, name, &bytes, &size, err);
    if (!status) status = load_named(bytes, size, name, out, err);
    hsp_free(bytes);
    return status;
}
