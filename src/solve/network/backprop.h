/* Losses and their gradient by backpropagation, over any list of rows. With D_l = d loss / d z_l (a row for each example),
 *     D_L = c dloss/dscore,   D_{l-1} = (D_l W_l) * f'(z_{l-1}),   dW_l = D_l' A_{l-1},   db_l = D_l' 1.
 * The rows are cut into slabs, each with its own sums, which are added in order. Slabs depend only on the number of rows and
 * parameters: the same bits for any number of threads. */
#ifndef HSP_SOLVE_NETWORK_BACKPROP_H
#define HSP_SOLVE_NETWORK_BACKPROP_H

#include "halfspace.h"
#include "network/network.h"
#include "solve/network/examples.h"
#include "solve/network/net_output.h"

typedef struct hsp_backprop hsp_backprop;

/* most: the largest number of rows of a call. All are borrowed. 0 or HSP_EMEMORY. */
int hsp_backprop_new(const hsp_examples *e, const hsp_network *net, const hsp_output *output, int64_t most,
                     hsp_backprop **out, hsp_error **err);
void hsp_backprop_free(hsp_backprop *b);
/* The sums of c loss over rows list[0] .. list[count - 1] of the examples (list NULL: 0 .. count - 1), at net->theta.
 * gradient: the sum of c dloss/dtheta; NULL: not wanted. */
void hsp_backprop_run(hsp_backprop *b, const int64_t *list, int64_t count, double *gradient, hsp_output_sums *sums);

#endif
