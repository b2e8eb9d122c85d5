#include "network/activation.h"

#include "kernel/level.h"

#include <stddef.h>
#include <string.h>

static void apply_tanh(int64_t count, double *z) {
    hsp_level_now()->tanhs(count, z, z);
}

/* tanh' = 1 - tanh^2 */
static void slope_tanh(int64_t count, const double *h, double *delta) {
    for (int64_t i = 0; i < count; i++) delta[i] *= 1 - h[i] * h[i];
}

static void apply_relu(int64_t count, double *z) {
    for (int64_t i = 0; i < count; i++) z[i] = z[i] > 0 ? z[i] : 0;
}

/* At the kink the slope is 0. */
static void slope_relu(int64_t count, const double *h, double *delta) {
    for (int64_t i = 0; i < count; i++) delta[i] = h[i] > 0 ? delta[i] : 0;
}

/* X. Glorot, Y. Bengio 2010 for tanh; K. He et al. 2015 for relu. */
const hsp_activation *const hsp_activation_table[] = {
    &(const hsp_activation){.name = "tanh", .apply = apply_tanh, .slope = slope_tanh, .spread = 6, .fan = HSP_FAN_IN_AND_OUT},
    &(const hsp_activation){.name = "relu", .apply = apply_relu, .slope = slope_relu, .spread = 6, .fan = HSP_FAN_IN},
    NULL,
};

const hsp_activation *hsp_activation_find(const char *name) {
    for (int64_t i = 0; name && hsp_activation_table[i]; i++)
        if (strcmp(hsp_activation_table[i]->name, name) == 0) return hsp_activation_table[i];
    return NULL;
}
