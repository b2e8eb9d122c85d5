/* From the definition: z = W a + b in each layer, a = tanh z or max(z, 0). The rows of a layer are computed unit by unit. */
#include "verify/claim/network_scores.h"

#include "network/network.h"
#include "verify/loss/double_double.h"
#include "verify/loss/exp_log.h"

#include <string.h>

static int64_t widest(const hsp_network *net) {
    int64_t most = 1;
    for (int64_t l = 1; l < net->layers; l++) most = net->size[l] > most ? net->size[l] : most;
    return most;
}

int64_t hsp_audit_network_scratch(const hsp_network *net, int64_t rows) {
    return 2 * widest(net) * rows;
}

/* (1 - e) / (1 + e) with e = exp(-2 |x|) */
static hsp_dd tanh_of(hsp_dd x) {
    bool negative = x.hi < 0;
    hsp_dd size = negative ? hsp_dd_negative(x) : x;
    if (size.hi > 40) return hsp_dd_of(negative ? -1 : 1);
    hsp_dd e = hsp_dd_exp(hsp_dd_times_power(hsp_dd_negative(size), 2)), one = hsp_dd_of(1);
    hsp_dd t = hsp_dd_divide(hsp_dd_subtract(one, e), hsp_dd_add(one, e));
    return negative ? hsp_dd_negative(t) : t;
}

static hsp_dd activate(bool hyperbolic, hsp_dd z) {
    if (hyperbolic) return tanh_of(z);
    return z.hi > 0 ? z : hsp_dd_of(0);
}

/* One unit of a layer: z_i = sum_j w_j a_ij + b, with a_ij at a[j * rows + i]. */
static void add_unit(int64_t rows, int64_t from, const double *w, double b, const hsp_dd *a, hsp_dd *z) {
    for (int64_t i = 0; i < rows; i++) z[i] = hsp_dd_of(b);
    for (int64_t j = 0; j < from; j++)
        for (int64_t i = 0; w[j] != 0 && i < rows; i++) z[i] = hsp_dd_add(z[i], hsp_dd_scale(a[j * rows + i], w[j]));
}

void hsp_audit_network(const hsp_audit *u, int64_t first, int64_t count, int64_t step, hsp_dd *g, hsp_dd *scratch) {
    const hsp_network *net = u->c.m->network;
    const double *theta = net->theta;
    bool hyperbolic = strcmp(net->activation->name, "tanh") == 0;
    hsp_dd *before = scratch, *now = scratch + widest(net) * count;
    for (int64_t l = 1; l <= net->layers; l++) {
        int64_t from = net->size[l - 1], to = net->size[l];
        bool last = l == net->layers;
        for (int64_t k = 0; k < to; k++) {
            const double *w = theta + k * from, b = theta[to * from + k];
            hsp_dd *z = last ? g + k * step : now + k * count;
            if (l == 1)
                u->pass->scores(&u->c.data->x, first, count, w, b, z);
            else
                add_unit(count, from, w, b, before, z);
            for (int64_t i = 0; !last && i < count; i++) z[i] = activate(hyperbolic, z[i]);
        }
        theta += to * (from + 1);
        hsp_dd *spare = before;
        before = now;
        now = spare;
    }
}

void hsp_audit_network_penalty(const hsp_claim *c, hsp_dd *R, hsp_dd *norm) {
    const hsp_network *net = c->m->network;
    const double *theta = net->theta, *factor = c->m->prepare.factor;
    hsp_dd sum = {0, 0};
    for (int64_t l = 1; l <= net->layers; l++) {
        int64_t from = net->size[l - 1], count = net->size[l] * from;
        for (int64_t t = 0; t < count; t++) {
            hsp_dd w = hsp_dd_of(theta[t]);
            if (l == 1 && factor) w = hsp_dd_divide(w, hsp_dd_of(factor[t % from]));
            sum = hsp_dd_add(sum, hsp_dd_square(w));
        }
        theta += count + net->size[l];
    }
    *norm = hsp_dd_add(*norm, sum);
    if (c->penalised) *R = hsp_dd_add(*R, hsp_dd_times_power(sum, 0.5));
}
