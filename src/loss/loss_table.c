/* The losses. To add one: a file beside this one and one in src/verify/loss, and a line in loss_list.h. */
#include "base/text.h"
#include "loss/loss.h"
#include "loss/loss_list.h"

#include <string.h>

#define ENTRY(name) &hsp_loss_##name,
const hsp_loss *const hsp_loss_table[] = {HSP_EACH_LOSS(ENTRY) NULL};

const hsp_loss *hsp_loss_find(const char *name) {
    for (int64_t i = 0; hsp_loss_table[i]; i++)
        if (strcmp(hsp_loss_table[i]->name, name) == 0) return hsp_loss_table[i];
    return NULL;
}

void hsp_loss_names(hsp_text *t, bool (*has)(const hsp_loss *loss), const char *last) {
    int64_t left = 0, first = 1;
    for (int64_t i = 0; hsp_loss_table[i]; i++) left += has(hsp_loss_table[i]);
    for (int64_t i = 0; hsp_loss_table[i]; i++) {
        if (!has(hsp_loss_table[i])) continue;
        if (!first) hsp_text_add(t, left == 1 ? last : ", ");
        hsp_text_add(t, hsp_loss_table[i]->name);
        first = 0;
        left--;
    }
}
