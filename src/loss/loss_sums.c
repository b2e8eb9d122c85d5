#include "loss/loss_sums.h"
#include "loss/loss.h"

#include <float.h>
#include <math.h>

static const char *const names[HSP_LOSS_SUMS] = {"zero_one", "perceptron", "hinge", "squared_hinge", "logistic", "squared"};

/* Finite losses may have a sum above the largest double. */
static void add(double *sum, double value) {
    *sum = fmin(*sum + value, DBL_MAX);
}

void hsp_loss_sums_add(hsp_loss_sums *s, double weight, double y, double g) {
    /* In the order of the names. A score of 0 is on neither side: it counts as an error, whatever its class. */
    const hsp_loss *const table[] = {
        NULL, &hsp_loss_perceptron, &hsp_loss_hinge, &hsp_loss_squared_hinge, &hsp_loss_logistic, &hsp_loss_squared};
    for (int i = 0; weight > 0 && i < HSP_LOSS_SUMS; i++) {
        double value = table[i] ? table[i]->at(table[i], y, g, HSP_KINK_OPEN).value : y * g <= 0;
        add(&s->sum[i], weight * value);
    }
}

void hsp_loss_sums_merge(hsp_loss_sums *s, const hsp_loss_sums *other) {
    for (int i = 0; i < HSP_LOSS_SUMS; i++) add(&s->sum[i], other->sum[i]);
}

void hsp_loss_sums_report(const hsp_loss_sums *s, double mass, hsp_json *j) {
    hsp_json_object(j, "losses");
    for (int i = 0; i < HSP_LOSS_SUMS; i++) {
        hsp_json_object(j, names[i]);
        hsp_json_number(j, "mean", s->sum[i] / mass);
        hsp_json_number(j, "sum", s->sum[i]);
        hsp_json_object_end(j);
    }
    hsp_json_object_end(j);
}
