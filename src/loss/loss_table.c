/* The losses. To add one: a file beside this one, its name in loss.h, and a line here. */
#include "loss/loss.h"

#include <stddef.h>
#include <string.h>

const hsp_loss *const hsp_loss_table[] = {
    &hsp_loss_zero_one, &hsp_loss_perceptron, &hsp_loss_hinge,   &hsp_loss_squared_hinge,
    &hsp_loss_logistic, &hsp_loss_squared,    &hsp_loss_softmax, NULL,
};

const hsp_loss *hsp_loss_find(const char *name) {
    for (int64_t i = 0; hsp_loss_table[i]; i++)
        if (strcmp(hsp_loss_table[i]->name, name) == 0) return hsp_loss_table[i];
    return NULL;
}
