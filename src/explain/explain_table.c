/* The explanations. To add one, write a file beside this one, declare its name in derivation.h, and add a line here. */
#include "explain/derivation.h"

#include <string.h>

const hsp_explanation *const hsp_explanation_table[] = {
    &hsp_explanation_nearest_mean,
    &hsp_explanation_least_squares,
    &hsp_explanation_ridge,
    NULL,
};

const hsp_explanation *hsp_explanation_find(const char *algorithm) {
    for (int64_t i = 0; hsp_explanation_table[i]; i++)
        if (strcmp(hsp_explanation_table[i]->algorithm, algorithm) == 0) return hsp_explanation_table[i];
    return NULL;
}
