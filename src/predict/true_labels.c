#include "predict/true_labels.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/labels.h"

#include <string.h>

#define MOST_SPELLINGS 65536 /* then the table is cleared: "1", "1.0", "1.00" and so on must not fill the memory */

void hsp_true_labels_init(hsp_true_labels *g, const hsp_prepare *prepare, const char *map) {
    *g = (hsp_true_labels){.prepare = prepare, .map = map};
}

void hsp_true_labels_free(hsp_true_labels *g) {
    hsp_intern_free(g->spelling);
    hsp_free(g->class);
    *g = (hsp_true_labels){0};
}

/* The class of a label after --map-label; -1: none; or HSP_EMEMORY. */
static int64_t class_by_map(const hsp_true_labels *g, const char *label, int64_t length) {
    hsp_labels *labels = NULL;
    int32_t class = -1;
    int status = hsp_labels_new(hsp_prepare_labels(g->prepare), g->map, &labels, NULL);
    if (!status) status = hsp_labels_class(labels, label, length, 1, (hsp_place){0}, &class, NULL);
    hsp_labels_free(labels);
    if (status) return status == HSP_EMEMORY ? HSP_EMEMORY : -1;
    return class >= 0 && g->prepare->merged ? g->prepare->merged[class] : class;
}

/* The class of a label, from the table of spellings if it is there; -1: none; or HSP_EMEMORY. */
static int64_t look_up(hsp_true_labels *g, const char *label, int64_t length) {
    if (g->spelling && hsp_intern_count(g->spelling) >= MOST_SPELLINGS) {
        hsp_intern_free(g->spelling);
        g->spelling = NULL;
    }
    if (!g->spelling && hsp_intern_new(&g->spelling, NULL)) return HSP_EMEMORY;
    int64_t at = hsp_intern_find(g->spelling, label, length);
    if (at >= 0) return g->class[at];
    int64_t class = g->map ? class_by_map(g, label, length) : hsp_prepare_class(g->prepare, label, length);
    if (class < 0) return class;
    at = hsp_intern_count(g->spelling);
    if (hsp_reserve((void **)&g->class, &g->class_capacity, at + 1, sizeof *g->class) ||
        hsp_intern_add(g->spelling, label, length, NULL) < 0)
        return HSP_EMEMORY;
    g->class[at] = (int32_t) class;
    return class;
}

/* Most labels are short and few: a direct-mapped cache of recent ones. */
static int64_t class_of(hsp_true_labels *g, const char *label, int64_t length) {
    uint64_t text = 0;
    if (length > (int64_t)sizeof text || length == 0) return look_up(g, label, length);
    memcpy(&text, label, (size_t)length);
    uint64_t mixed = text * UINT64_C(0x9e3779b97f4a7c15);
    hsp_known_label *known = &g->recent[mixed >> 58];
    if (known->text == text && known->length == length) return known->class;
    int64_t class = look_up(g, label, length);
    if (class >= 0) *known = (hsp_known_label){text, (int32_t)length, (int32_t) class};
    return class;
}

int64_t hsp_true_labels_read(hsp_true_labels *g, const hsp_block *block, double *truth) {
    for (int64_t i = 0; i < block->rows; i++) {
        const char *label = block->text + block->label[i];
        int64_t length = block->label[i + 1] - block->label[i];
        if (g->prepare->regression) {
            if (hsp_parse_number(label, (size_t)length, &truth[i])) return i;
            continue;
        }
        int64_t class = class_of(g, label, length);
        if (class == HSP_EMEMORY) return class;
        if (class < 0) return i;
        truth[i] = (double)class;
    }
    return block->rows;
}
