#include "base/error.h"
#include "base/memory.h"
#include "base/rng.h"
#include "network/activation.h"
#include "network/network.h"
#include "problem/problem.h"
#include "solve/network/trainer.h"

#include <math.h>

/* P = C sum c (lambda |W|^2 / 2 + mean loss); with targets in units u, the losses are u^2 times those of the examples, so
 *     P = C sum c u^2 (lambda / u^2 |W|^2 / 2 + mean loss of the examples). */
int hsp_net_objective_open(hsp_net_objective *o, hsp_network *net, const hsp_examples *e, const hsp_output *output, double C,
                           int64_t most, hsp_error **err) {
    double unit2 = e->target_unit * e->target_unit;
    const double *factor = e->design->factor;
    int64_t d = net->size[0];
    *o = (hsp_net_objective){.net = net, .e = e, .scale = C * e->sum_c * unit2};
    o->lambda = 1 / o->scale;
    o->ridge_last = o->lambda * unit2;
    if (!HSP_ALLOC(o->ridge, d > 0 ? d : 1)) return hsp_fail_memory(err);
    for (int64_t j = 0; j < d; j++) {
        double w = 1 / (e->unit[j] * (factor ? factor[j] : 1)); /* a weight of the design's column for V = 1 */
        o->ridge[j] = o->lambda * (w * w);
    }
    return hsp_backprop_new(e, net, output, most, &o->backprop, err);
}

void hsp_net_objective_clear(hsp_net_objective *o) {
    hsp_backprop_free(o->backprop);
    hsp_free(o->ridge);
    *o = (hsp_net_objective){0};
}

/* The penalty of layer 1, whose columns have ridges of their own; adds its gradient. */
static double penalise_first(const hsp_net_objective *o, double *gradient) {
    const hsp_network *net = o->net;
    const double *w = hsp_network_weights(net, 1);
    int64_t d = net->size[0];
    double sum = 0;
    for (int64_t k = 0; k < net->size[1]; k++)
        for (int64_t j = 0; j < d; j++) {
            double r = o->ridge[j] * w[k * d + j];
            sum += r * w[k * d + j];
            if (gradient) gradient[k * d + j] += r;
        }
    return sum / 2;
}

static double penalise(const hsp_net_objective *o, double *gradient) {
    const hsp_network *net = o->net;
    double total = penalise_first(o, gradient);
    for (int64_t l = 2; l <= net->layers; l++) {
        double ridge = l == net->layers ? o->ridge_last : o->lambda, sum = 0;
        const double *w = hsp_network_weights(net, l);
        for (int64_t t = 0; t < net->size[l] * net->size[l - 1]; t++) {
            sum += w[t] * w[t];
            if (gradient) gradient[net->begin[l - 1] + t] += ridge * w[t];
        }
        total += ridge * sum / 2;
    }
    return total;
}

hsp_evaluation hsp_net_evaluate(hsp_net_objective *o, const int64_t *list, int64_t count, double *gradient) {
    hsp_output_sums sums;
    hsp_backprop_run(o->backprop, list, count, gradient, &sums);
    double mass = o->e->sum_c * ((double)count / (double)o->e->n);
    for (int64_t t = 0; gradient && t < hsp_network_parameters(o->net); t++) gradient[t] /= mass;
    double penalty = penalise(o, gradient), unit2 = o->e->target_unit * o->e->target_unit;
    return (hsp_evaluation){.objective = o->scale * (penalty + sums.loss / mass),
                            .mean_loss = sums.loss / mass * unit2,
                            .error = o->e->target ? NAN : sums.wrong / mass,
                            .norm = sqrt(2 * penalty / o->lambda)};
}

void hsp_net_start(hsp_network *net, uint64_t seed, uint64_t stream) {
    hsp_rng rng = hsp_rng_new(seed, stream);
    const hsp_activation *f = net->activation;
    for (int64_t l = 1; l <= net->layers; l++) {
        double fan = (double)(net->size[l - 1] + (f->fan == HSP_FAN_IN_AND_OUT ? net->size[l] : 0));
        double most = sqrt(f->spread / fmax(fan, 1));
        for (int64_t t = net->begin[l - 1]; t < net->begin[l]; t++)
            net->theta[t] = most * (2 * hsp_rng_uniform(&rng) - 1);
    }
}
