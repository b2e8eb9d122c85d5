/* A network of layers. Layer l maps the signals a_{l-1} (a_0 = x) to
 *     z_l = W_l a_{l-1} + b_l,   a_l = f(z_l),
 * with f the identity in the last layer: its z are the scores. All parameters are in one vector theta, layer by layer: W_l
 * row by row (a row for each unit), then b_l. */
#ifndef HSP_NETWORK_NETWORK_H
#define HSP_NETWORK_NETWORK_H

#include "data/matrix.h"
#include "halfspace.h"
#include "network/activation.h"

enum {
    HSP_NETWORK_HIDDEN = 8,   /* hidden layers at most */
    HSP_NETWORK_UNITS = 4096, /* units of a hidden layer at most */
    HSP_NETWORK_LAYERS = HSP_NETWORK_HIDDEN + 1
};

typedef struct hsp_network {
    int64_t layers;                       /* of weights: the hidden ones and the last */
    int64_t size[HSP_NETWORK_LAYERS + 1]; /* size[0] columns, size[l] units of layer l, size[layers] outputs */
    int64_t begin[HSP_NETWORK_LAYERS + 1]; /* of layer l + 1 in theta; begin[layers]: the number of parameters */
    const hsp_activation *activation;
    double *theta;      /* owned */
    double *lanes;      /* owned: the weights for hsp_network_scores, made by hsp_network_ready; NULL: not ready */
    uint16_t *identity; /* owned: 0, 1, 2, ... */
} hsp_network;

/* With `layers` + 1 sizes; all parameters are 0. HSP_EMEMORY, HSP_EINTERNAL for sizes that are out of range. */
int hsp_network_new(const int64_t *size, int64_t layers, const hsp_activation *f, hsp_network **out, hsp_error **err);
void hsp_network_free(hsp_network *net);
static inline int64_t hsp_network_parameters(const hsp_network *net) {
    return net->begin[net->layers];
}
/* Layer l = 1 .. layers: W_l (size[l] x size[l - 1]) and b_l (size[l]). */
static inline double *hsp_network_weights(const hsp_network *net, int64_t l) {
    return net->theta + net->begin[l - 1];
}
static inline double *hsp_network_intercepts(const hsp_network *net, int64_t l) {
    return net->theta + net->begin[l] - net->size[l];
}
/* Whether the sizes are in range; the number of parameters, or -1. */
int64_t hsp_network_count(const int64_t *size, int64_t layers);

/* Lays out the weights for hsp_network_scores, after theta is set. 0 or HSP_EMEMORY. */
int hsp_network_ready(hsp_network *net, hsp_error **err);
/* Scores `first` to `first + outputs` - 1 of a row, whose `count` leading entries have columns below size[0]. Every form of
 * the row gives the same bits, as do all levels of the kernels. All are finite: what overflows is clamped. */
void hsp_network_scores(const hsp_network *net, hsp_row x, int64_t count, int64_t first, int64_t outputs, double *out);

/* The sum of |w| from column j to the units of the first layer. */
double hsp_network_influence(const hsp_network *net, int64_t j);

/* Reads "4" or "32,32": the units of each hidden layer into `units` (HSP_NETWORK_HIDDEN numbers). HSP_EUSAGE. */
int hsp_network_hidden(const char *text, int64_t *units, int64_t *layers, hsp_error **err);

#endif
