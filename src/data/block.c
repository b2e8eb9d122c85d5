#include "data/block.h"

#include "base/memory.h"

#include <string.h>

static int grow_int64(int64_t **v, int64_t *capacity, int64_t needed) {
    void *p = *v;
    int rc = hsp_reserve(&p, capacity, needed, sizeof **v);
    *v = p;
    return rc;
}

static int grow_ids(hsp_block *b, int64_t needed) {
    void *p = b->id;
    int rc = hsp_reserve(&p, &b->id_capacity, needed, sizeof *b->id);
    b->id = p;
    return rc;
}

static int grow_values(hsp_block *b, int64_t needed) {
    void *p = b->value;
    int rc = hsp_reserve(&p, &b->value_capacity, needed, sizeof *b->value);
    b->value = p;
    return rc;
}

static int grow_text(hsp_block *b, int64_t needed) {
    void *p = b->text;
    int rc = hsp_reserve(&p, &b->text_capacity, needed, sizeof *b->text);
    b->text = p;
    return rc;
}

void hsp_block_reset(hsp_block *b, bool dense, int64_t d) {
    b->rows = 0;
    b->dense = dense;
    b->d = dense ? d : 0;
    b->labelled = false;
    if (b->row) b->row[0] = 0;
    if (b->label) b->label[0] = 0;
}

int64_t hsp_block_tail(const hsp_block *b) {
    if (b->dense) return b->rows * b->d;
    return b->rows ? b->row[b->rows] : 0;
}

int hsp_block_reserve(hsp_block *b, int64_t values, int64_t label) {
    int64_t n = b->rows, tail = hsp_block_tail(b), text = n ? b->label[n] : 0;
    if (grow_int64(&b->label, &b->label_capacity, n + 2) || grow_int64(&b->line, &b->line_capacity, n + 1) ||
        grow_values(b, tail + values) || grow_text(b, text + label))
        return HSP_EMEMORY;
    if (!b->dense && (grow_int64(&b->row, &b->row_capacity, n + 2) || grow_ids(b, tail + values))) return HSP_EMEMORY;
    if (n == 0) b->label[0] = 0;
    if (n == 0 && !b->dense) b->row[0] = 0;
    return 0;
}

void hsp_block_close_row(hsp_block *b, int64_t values, const char *label, int64_t label_length, int64_t line) {
    int64_t n = b->rows, text = b->label[n];
    if (!b->dense) b->row[n + 1] = b->row[n] + values;
    if (label) {
        if (label_length > 0) memcpy(b->text + text, label, (size_t)label_length);
        text += label_length;
        b->labelled = true;
    }
    b->label[n + 1] = text;
    b->line[n] = line;
    b->rows = n + 1;
}

void hsp_block_free(hsp_block *b) {
    if (!b) return;
    hsp_free(b->row);
    hsp_free(b->id);
    hsp_free(b->value);
    hsp_free(b->text);
    hsp_free(b->label);
    hsp_free(b->line);
    *b = (hsp_block){0};
}
