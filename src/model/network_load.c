/* Reads the layers of a network. The shapes of the arrays, which the file is known to contain, bound every count before
 * anything is allocated. */
#include "base/container.h"
#include "base/json_read.h"
#include "base/json_value.h"
#include "model/model_file.h"
#include "network/activation.h"
#include "network/network.h"

#include <math.h>
#include <string.h>

/* The sizes in the header: columns, units of each hidden layer, outputs. */
static bool read_sizes(const hsp_json_value *units, int64_t *size, int64_t *layers) {
    int64_t count = hsp_json_count(units);
    if (count < 3 || count > HSP_NETWORK_LAYERS + 1) return false;
    *layers = count - 1;
    for (int64_t l = 0; l < count; l++)
        if (!hsp_json_whole(hsp_json_item(units, l), &size[l])) return false;
    return hsp_network_count(size, *layers) >= 0;
}

static const hsp_container_array *find_array(const hsp_container *file, const char *name, int64_t rows, int64_t columns) {
    const hsp_container_array *a = hsp_container_find(file, name, HSP_FLOAT64);
    return a && a->shape[0] == rows && a->shape[1] == columns ? a : NULL;
}

static bool arrays_fit(const hsp_container *file, const int64_t *size, int64_t layers) {
    for (int64_t l = 1; l <= layers; l++)
        if (!find_array(file, hsp_model_layer_names[l - 1][0], size[l], size[l - 1]) ||
            !find_array(file, hsp_model_layer_names[l - 1][1], size[l], 1))
            return false;
    return true;
}

static bool copy_finite(const hsp_container_array *a, double *out) {
    int64_t count = a->shape[0] * a->shape[1];
    if (count > 0) memcpy(out, a->data, (size_t)count * sizeof *out);
    for (int64_t i = 0; i < count; i++)
        if (!isfinite(out[i])) return false;
    return true;
}

int hsp_network_load(const hsp_container *file, hsp_network **out, const char **fault, hsp_error **err) {
    const hsp_json_value *header = hsp_json_get(file->json, "network");
    const hsp_activation *f = hsp_activation_find(hsp_json_text(hsp_json_get(header, "activation")));
    int64_t size[HSP_NETWORK_LAYERS + 1], layers = 0;
    *out = NULL;
    *fault = !f                                                                ? "its activation is unknown"
             : !read_sizes(hsp_json_get(header, "units"), size, &layers) ? "the units of its layers are invalid"
             : !arrays_fit(file, size, layers)                              ? "its layers do not match its header"
                                                                            : NULL;
    if (*fault) return HSP_EINPUT;
    int status = hsp_network_new(size, layers, f, out, err);
    for (int64_t l = 1; !status && l <= layers; l++) {
        const hsp_container_array *w = find_array(file, hsp_model_layer_names[l - 1][0], size[l], size[l - 1]);
        const hsp_container_array *b = find_array(file, hsp_model_layer_names[l - 1][1], size[l], 1);
        if (copy_finite(w, hsp_network_weights(*out, l)) && copy_finite(b, hsp_network_intercepts(*out, l))) continue;
        *fault = "a number in it is not finite";
        status = HSP_EINPUT;
    }
    if (status) {
        hsp_network_free(*out);
        *out = NULL;
    }
    return status;
}
