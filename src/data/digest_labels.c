/* The labels of a block: spellings, numbered in the order of appearance, or targets. */
#include "base/error.h"
#include "base/memory.h"
#include "data/digest.h"
#include "data/labels.h"

#include <string.h>
#include <xxhash.h>

enum { FIRST_SLOTS = 64 };

static bool same_text(const hsp_block *b, int64_t i, int64_t k) {
    int64_t n = b->label[i + 1] - b->label[i];
    return n == b->label[k + 1] - b->label[k] &&
           (n == 0 || memcmp(b->text + b->label[i], b->text + b->label[k], (size_t)n) == 0);
}

static void clear_slots(hsp_digest *g) {
    memset(g->met.slot, 0xff, (size_t)g->met.slots * sizeof *g->met.slot);
}

static int grow_slots(hsp_digest *g) {
    int64_t slots = g->met.slots > 0 ? 2 * g->met.slots : FIRST_SLOTS;
    if (HSP_RESERVE(g->met.slot, g->met.slot_capacity, slots)) return HSP_EMEMORY;
    g->met.slots = slots;
    clear_slots(g);
    for (int64_t k = 0; k < g->met.count; k++) {
        uint64_t at = g->met.label[k].hash & (uint64_t)(slots - 1);
        while (g->met.slot[at] >= 0) at = (at + 1) & (uint64_t)(slots - 1);
        g->met.slot[at] = (int32_t)k;
    }
    return 0;
}

/* The spelling of row i, added if it is new; negative: no memory. */
static int32_t find_spelling(hsp_digest *g, const hsp_block *b, int64_t i) {
    int64_t n = b->label[i + 1] - b->label[i];
    uint64_t hash = XXH3_64bits(n > 0 ? b->text + b->label[i] : "", (size_t)n);
    if (2 * (g->met.count + 1) > g->met.slots && grow_slots(g)) return HSP_EMEMORY;
    uint64_t mask = (uint64_t)(g->met.slots - 1), at = hash & mask;
    for (; g->met.slot[at] >= 0; at = (at + 1) & mask) {
        const hsp_digest_label *l = &g->met.label[g->met.slot[at]];
        if (l->hash == hash && same_text(b, i, l->first)) return g->met.slot[at];
    }
    if (HSP_RESERVE(g->met.label, g->met.label_capacity, g->met.count + 1)) return HSP_EMEMORY;
    g->met.label[g->met.count] = (hsp_digest_label){.first = i, .hash = hash};
    g->met.slot[at] = (int32_t)g->met.count;
    return (int32_t)g->met.count++;
}

/* Most labels are equal to the previous one or, with two classes, to the other one: these need no hash. */
static int find_spellings(hsp_digest *g, const hsp_block *b) {
    int32_t last = -1, other = -1;
    if (HSP_RESERVE(g->met.spelling, g->met.spelling_capacity, b->rows)) return HSP_EMEMORY;
    if (g->met.slots > 0) clear_slots(g);
    for (int64_t i = 0; i < b->rows; i++) {
        if (last < 0 || !same_text(b, i, g->met.label[last].first)) {
            int32_t now = other >= 0 && same_text(b, i, g->met.label[other].first) ? other : find_spelling(g, b, i);
            if (now < 0) return HSP_EMEMORY;
            other = last;
            last = now;
        }
        g->met.label[last].rows++;
        g->met.spelling[i] = last;
    }
    return 0;
}

static int find_targets(hsp_digest *g, const hsp_block *b) {
    if (HSP_RESERVE(g->target, g->target_capacity, b->rows)) return HSP_EMEMORY;
    for (int64_t i = 0; i < b->rows && g->bad_target < 0; i++) {
        const char *label = b->text + b->label[i];
        int64_t n = b->label[i + 1] - b->label[i];
        if (hsp_target_parse(label, n, b->dense, (hsp_place){0}, &g->target[i], NULL)) g->bad_target = i;
    }
    return 0;
}

int hsp_digest_labels(hsp_digest *g, const hsp_block *b, const hsp_digest_hints *h) {
    g->met.count = 0;
    g->bad_target = -1;
    if (!b->labelled) return 0;
    return h->regression ? find_targets(g, b) : find_spellings(g, b);
}
