/* All weights are 0 exactly if the gradient of the mean loss at w = 0,
 *     G_j = sum c_i (y_i - mean y) x_ij / sum c_i,
 * satisfies |G_j| <= rho lambda for every column j. */
#include "select/largest_lambda.h"

#include "base/error.h"
#include "base/memory.h"
#include "design/design.h"
#include "prepare/prepare.h"

#include <math.h>

/* c_i (y_i - mean y) / sum c. */
static void residuals(const hsp_data *data, double *r) {
    double mass = 0, mean = 0;
    for (int64_t i = 0; i < data->x.n; i++) {
        double c = data->weight ? data->weight[i] : 1;
        mass += c;
        mean += c * data->target[i];
    }
    mean /= mass;
    for (int64_t i = 0; i < data->x.n; i++)
        r[i] = (data->weight ? data->weight[i] : 1) * (data->target[i] - mean) / mass;
}

int hsp_largest_lambda(const hsp_data *data, const hsp_options *o, double rho, double *out, hsp_error **err) {
    hsp_prepare prepare = {0};
    hsp_design *D = NULL;
    double *r = NULL, *G = NULL;
    int status = hsp_prepare_fit(data, o, &prepare, err);
    if (!status) status = hsp_design_new(&data->x, prepare.shift, prepare.factor, 1, &D, err);
    if (!status && (!HSP_ALLOC(r, data->x.n) || !HSP_ALLOC(G, data->x.d))) status = hsp_fail_memory(err);
    if (!status) {
        double most = 0;
        residuals(data, r);
        hsp_design_adjoint(D, r, G);
        for (int64_t j = 0; j < data->x.d; j++) most = fmax(most, fabs(G[j]));
        *out = most > 0 ? most / rho : 1;
    }
    HSP_FREE(r, G);
    hsp_design_free(D);
    hsp_prepare_clear(&prepare);
    return status;
}
