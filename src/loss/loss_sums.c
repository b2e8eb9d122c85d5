#include "loss/loss_sums.h"
#include "loss/loss.h"

#include <float.h>

static const char *const names[HSP_LOSS_SUMS] = {"zero_one", "perceptron", "hinge", "squared_hinge", "logistic", "squared"};
/* In the order of the names; NULL: errors. */
static const hsp_loss *const table[HSP_LOSS_SUMS] = {
    NULL, &hsp_loss_perceptron, &hsp_loss_hinge, &hsp_loss_squared_hinge, &hsp_loss_logistic, &hsp_loss_squared};

/* Finite losses may have a sum above the largest double; one of NaN counts as that too. */
static inline void add(double *sum, double value) {
    *sum = *sum + value < DBL_MAX ? *sum + value : DBL_MAX;
}

/* A score of 0 is on neither side: it counts as an error, whatever its class. */
static inline double error_of(double y, double g) {
    return y * g <= 0;
}

void hsp_loss_sums_add(hsp_loss_sums *s, double weight, double y, double g) {
    for (int i = 0; weight > 0 && i < HSP_LOSS_SUMS; i++)
        add(&s->sum[i], weight * (table[i] ? table[i]->at(table[i], y, g, HSP_KINK_OPEN).value : error_of(y, g)));
}

void hsp_loss_sums_add_rows(hsp_loss_sums *s, const double *weight, const double *y, const double *g, int64_t count) {
    enum { BLOCK = 256 };
    double value[BLOCK];
    for (int64_t from = 0; from < count; from += BLOCK) {
        int64_t rows = count - from < BLOCK ? count - from : BLOCK;
        for (int i = 0; i < HSP_LOSS_SUMS; i++) {
            if (table[i])
                table[i]->batch(table[i], y + from, g + from, rows, 1, HSP_KINK_OPEN, value, NULL);
            else
                for (int64_t t = 0; t < rows; t++) value[t] = error_of(y[from + t], g[from + t]);
            for (int64_t t = 0; t < rows; t++) {
                double c = weight ? weight[from + t] : 1;
                if (c > 0) add(&s->sum[i], c * value[t]);
            }
        }
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
