#include "table/kind.h"
#include "table/transform.h"

#include <string.h>

const hsp_kind *const hsp_kind_table[] = {
    &hsp_kind_numeric, &hsp_kind_categorical, &hsp_kind_boolean, &hsp_kind_date, &hsp_kind_text, &hsp_kind_ignored, NULL};

const hsp_kind *hsp_kind_find(const char *name) {
    for (const hsp_kind *const *k = hsp_kind_table; *k; k++)
        if (strcmp((*k)->name, name) == 0) return *k;
    return NULL;
}

void hsp_column_forget(hsp_table_column *c) {
    if (c->state && c->kind->clear) c->kind->clear(c->state);
    hsp_free(c->state);
    c->state = NULL;
    hsp_transform_free(c->transform);
    c->transform = NULL;
}
