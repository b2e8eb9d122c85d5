/* The scores of one row. The weights of a layer are laid out in panels of 16 or 8 units, column by column, so that the
 * kernel `gather` computes the units of a panel side by side. Each z is one chain of fused multiply-adds over ascending
 * columns that starts at its intercept, in every form of the row: zeros do not change it. */
#include "base/error.h"
#include "base/memory.h"
#include "data/matrix.h"
#include "kernel/form.h"
#include "kernel/kernel.h"
#include "kernel/level.h"
#include "network/network.h"

#include <float.h>
#include <math.h>

enum { PANEL = 2 * HSP_LANES_SPARSE, CHUNK = 512 }; /* units of a panel; columns decoded at a time */

static int64_t lanes_of(int64_t units, int64_t first) {
    return units - first > HSP_LANES_SPARSE ? PANEL : HSP_LANES_SPARSE;
}

static int64_t padded(int64_t units) {
    return (units + HSP_LANES_SPARSE - 1) / HSP_LANES_SPARSE * HSP_LANES_SPARSE;
}

static void lay_out(const hsp_network *net, int64_t l, double *out) {
    int64_t units = net->size[l], from = net->size[l - 1];
    const double *w = hsp_network_weights(net, l);
    for (int64_t first = 0; first < units; first += PANEL) {
        int64_t lanes = lanes_of(units, first);
        for (int64_t k = 0; k < lanes && first + k < units; k++)
            for (int64_t j = 0; j < from; j++) out[j * lanes + k] = w[(first + k) * from + j];
        out += lanes * from;
    }
}

int hsp_network_ready(hsp_network *net, hsp_error **err) {
    int64_t total = 0;
    for (int64_t l = 1; l <= net->layers; l++) total += padded(net->size[l]) * net->size[l - 1];
    HSP_FREE(net->lanes, net->identity);
    net->identity = NULL;
    if (!HSP_ALLOC_ZERO(net->lanes, total > 0 ? total : 1) || !HSP_ALLOC(net->identity, CHUNK)) return hsp_fail_memory(err);
    for (int t = 0; t < CHUNK; t++) net->identity[t] = (uint16_t)t;
    double *out = net->lanes;
    for (int64_t l = 1; l <= net->layers; out += padded(net->size[l]) * net->size[l - 1], l++) lay_out(net, l, out);
    return HSP_OK;
}

/* acc += the products of the row's entries with a panel of `lanes` units. Dense rows are decoded in chunks. */
static void add_row(const hsp_network *net, hsp_row x, int64_t count, const double *w, int64_t lanes, double *acc) {
    const hsp_level *level = hsp_level_now();
    if (x.id) {
        level->gather[hsp_row_form(x)](count, x.id, x.value, x.table, w, lanes, acc);
        return;
    }
    hsp_gather *gather = level->gather[hsp_form(true, HSP_IDS_16, HSP_CODING_F64)];
    if (x.coding == HSP_CODING_F64) {
        const double *value = x.value;
        for (int64_t j = 0; j < count; j += CHUNK, w += CHUNK * lanes)
            gather(count - j < CHUNK ? count - j : CHUNK, net->identity, value + j, NULL, w, lanes, acc);
        return;
    }
    double value[CHUNK];
    for (int64_t j = 0; j < count; j += CHUNK, w += CHUNK * lanes) {
        int64_t n = count - j < CHUNK ? count - j : CHUNK;
        hsp_row_decode(x, j, n, NULL, value);
        gather(n, net->identity, value, NULL, w, lanes, acc);
    }
}

/* Sums of finite products may overflow. */
static void clamp(int64_t count, double *z) {
    if (hsp_finite_f64(z, count)) return;
    for (int64_t k = 0; k < count; k++) z[k] = isnan(z[k]) ? 0 : fmin(fmax(z[k], -DBL_MAX), DBL_MAX);
}

/* Units `first` to `last` - 1 of layer l; w: its panels. */
static void apply_layer(const hsp_network *net, int64_t l, const double *w, hsp_row x, int64_t count, int64_t first,
                        int64_t last, double *out) {
    int64_t units = net->size[l];
    const double *b = hsp_network_intercepts(net, l);
    for (int64_t k = 0; k < last; k += PANEL) {
        int64_t lanes = lanes_of(units, k), end = k + lanes < last ? k + lanes : last;
        const double *panel = w + k * net->size[l - 1];
        if (end <= first) continue;
        double acc[PANEL] = {0};
        for (int64_t u = k; u < k + lanes && u < units; u++) acc[u - k] = b[u];
        add_row(net, x, count, panel, lanes, acc);
        for (int64_t u = k > first ? k : first; u < end; u++) out[u - first] = acc[u - k];
    }
    clamp(last - first, out);
}

void hsp_network_scores(const hsp_network *net, hsp_row x, int64_t count, int64_t first, int64_t outputs, double *out) {
    double signal[2][HSP_NETWORK_UNITS];
    const double *w = net->lanes;
    for (int64_t l = 1; l < net->layers; l++) {
        double *z = signal[l % 2];
        apply_layer(net, l, w, x, count, 0, net->size[l], z);
        net->activation->apply(net->size[l], z);
        w += padded(net->size[l]) * net->size[l - 1];
        x = hsp_row_dense(net->size[l], z);
        count = net->size[l];
    }
    apply_layer(net, net->layers, w, x, count, first, first + outputs, out);
}
