#include "network/network.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

int64_t hsp_network_count(const int64_t *size, int64_t layers) {
    int64_t count = 0, part;
    if (layers < 1 || layers > HSP_NETWORK_LAYERS) return -1;
    for (int64_t l = 0; l <= layers; l++) {
        bool hidden = l > 0 && l < layers;
        if (size[l] < (l > 0) || (hidden && size[l] > HSP_NETWORK_UNITS)) return -1;
        if (l == 0) continue;
        if (__builtin_mul_overflow(size[l], size[l - 1] + 1, &part) || __builtin_add_overflow(count, part, &count)) return -1;
    }
    return count;
}

int hsp_network_new(const int64_t *size, int64_t layers, const hsp_activation *f, hsp_network **out, hsp_error **err) {
    *out = NULL;
    int64_t count = hsp_network_count(size, layers);
    if (count < 0) return hsp_fail(err, HSP_EINTERNAL, "a network cannot have these layers: please report this bug");
    hsp_network *net = hsp_alloc_zero(1, sizeof *net);
    if (!net) return hsp_fail_memory(err);
    net->layers = layers;
    net->activation = f;
    memcpy(net->size, size, (size_t)(layers + 1) * sizeof *size);
    for (int64_t l = 1; l <= layers; l++) net->begin[l] = net->begin[l - 1] + size[l] * (size[l - 1] + 1);
    if (!HSP_ALLOC_ZERO(net->theta, count)) {
        hsp_network_free(net);
        return hsp_fail_memory(err);
    }
    *out = net;
    return HSP_OK;
}

void hsp_network_free(hsp_network *net) {
    if (!net) return;
    HSP_FREE(net->theta, net->lanes, net->identity, net);
}

double hsp_network_influence(const hsp_network *net, int64_t j) {
    double sum = 0;
    for (int64_t k = 0; k < net->size[1]; k++) sum += fabs(hsp_network_weights(net, 1)[k * net->size[0] + j]);
    return sum;
}

/* The number at *s, up to a comma or the end; -1: none. */
static int64_t read_units(const char **s) {
    int64_t v = 0;
    const char *from = *s;
    for (; **s >= '0' && **s <= '9'; (*s)++) v = v < HSP_NETWORK_UNITS * 10 ? v * 10 + (**s - '0') : v;
    return *s > from && (**s == ',' || **s == '\0') ? v : -1;
}

int hsp_network_hidden(const char *text, int64_t *units, int64_t *layers, hsp_error **err) {
    const char *s = text;
    for (*layers = 0; *layers < HSP_NETWORK_HIDDEN; s++) {
        int64_t v = read_units(&s);
        if (v < 1 || v > HSP_NETWORK_UNITS) break;
        units[(*layers)++] = v;
        if (*s == '\0') return HSP_OK;
    }
    return hsp_fail(err, HSP_EUSAGE,
                    "--hidden cannot be '%s': give the units of each hidden layer, such as 32 or 32,32 (1 to %d units, at "
                    "most %d layers)",
                    text, HSP_NETWORK_UNITS, HSP_NETWORK_HIDDEN);
}
