/* The trainers. To add one: a file beside this one, its name in trainer.h, and a line here. */
#include "solve/network/trainer.h"

#include <string.h>

const hsp_trainer *const hsp_trainer_table[] = {&hsp_trainer_lbfgs, &hsp_trainer_adam, &hsp_trainer_gradient, NULL};

const hsp_trainer *hsp_trainer_find(const char *name) {
    for (int64_t i = 0; hsp_trainer_table[i]; i++)
        if (strcmp(hsp_trainer_table[i]->name, name) == 0) return hsp_trainer_table[i];
    return NULL;
}
