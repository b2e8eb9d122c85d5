/* The losses of two classes at the scores of a model, whichever loss it was trained with. */
#include "eval/metrics.h"
#include "loss/loss.h"

const char *const hsp_metrics_loss_names[HSP_METRICS_LOSSES] = {"zero_one",      "perceptron", "hinge",
                                                                "squared_hinge", "logistic",   "squared"};

void hsp_metrics_add_losses(hsp_metrics *x, double weight, double y, double g) {
    /* In the order of the names. A score of 0 is on neither side: it counts as an error, whatever its class. */
    const hsp_loss *const table[] = {
        NULL, &hsp_loss_perceptron, &hsp_loss_hinge, &hsp_loss_squared_hinge, &hsp_loss_logistic, &hsp_loss_squared};
    for (int i = 0; weight > 0 && i < HSP_METRICS_LOSSES; i++) {
        double value = table[i] ? table[i]->at(table[i], y, g, HSP_KINK_OPEN).value : y * g <= 0;
        x->losses[i] = hsp_metrics_clamp((long double)x->losses[i] + (long double)weight * (long double)value);
    }
}
