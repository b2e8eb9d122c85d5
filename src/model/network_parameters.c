/* A network with other parameters than those of the model: what it was after some update. */
#include "base/error.h"
#include "data/matrix.h"
#include "halfspace_internal.h"
#include "model/model.h"
#include "network/network.h"

#include <string.h>

const double *hsp_model_parameters(const hsp_model *m, int64_t *count) {
    *count = m->network ? hsp_network_parameters(m->network) : 0;
    return m->network ? m->network->theta : NULL;
}

int hsp_model_score_with(const hsp_model *m, const double *parameters, const double *x, int64_t rows, double *scores,
                         hsp_error **err) {
    const hsp_network *shape = m->network;
    hsp_network *net = NULL;
    if (!shape) return hsp_fail(err, HSP_EINTERNAL, "the model is no network: give one with hidden layers");
    int status = hsp_network_new(shape->size, shape->layers, shape->activation, &net, err);
    if (!status) memcpy(net->theta, parameters, (size_t)hsp_network_parameters(net) * sizeof *parameters);
    if (!status) status = hsp_network_ready(net, err);
    int64_t d = shape->size[0], outputs = shape->size[shape->layers];
    for (int64_t i = 0; !status && i < rows; i++)
        hsp_network_scores(net, hsp_row_dense(d, x + i * d), d, 0, outputs, scores + i * outputs);
    hsp_network_free(net);
    return status;
}
