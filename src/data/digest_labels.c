/* The labels of a block: spellings numbered in the order in which they come, or the numbers that they are. */
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
    memset(g->slot, 0xff, (size_t)g->slots * sizeof *g->slot);
}

static int grow_slots(hsp_digest *g) {
    int64_t slots = g->slots > 0 ? 2 * g->slots : FIRST_SLOTS;
    if (hsp_reserve((void **)&g->slot, &g->slot_capacity, slots, sizeof *g->slot)) return HSP_EMEMORY;
    g->slots = slots;
    clear_slots(g);
    for (int64_t k = 0; k < g->labels; k++) {
        uint64_t at = g->label[k].hash & (uint64_t)(slots - 1);
        while (g->slot[at] >= 0) at = (at + 1) & (uint64_t)(slots - 1);
        g->slot[at] = (int32_t)k;
    }
    return 0;
}

/* The spelling of row i, a new one if need be; negative: no memory. */
static int32_t find_spelling(hsp_digest *g, const hsp_block *b, int64_t i) {
    int64_t n = b->label[i + 1] - b->label[i];
    uint64_t hash = XXH3_64bits(n > 0 ? b->text + b->label[i] : "", (size_t)n);
    if (2 * (g->labels + 1) > g->slots && grow_slots(g)) return HSP_EMEMORY;
    uint64_t mask = (uint64_t)(g->slots - 1), at = hash & mask;
    for (; g->slot[at] >= 0; at = (at + 1) & mask) {
        const hsp_digest_label *l = &g->label[g->slot[at]];
        if (l->hash == hash && same_text(b, i, l->first)) return g->slot[at];
    }
    if (hsp_reserve((void **)&g->label, &g->label_capacity, g->labels + 1, sizeof *g->label)) return HSP_EMEMORY;
    g->label[g->labels] = (hsp_digest_label){.first = i, .hash = hash};
    g->slot[at] = (int32_t)g->labels;
    return (int32_t)g->labels++;
}

/* Most labels are the one before or, with two classes, the other one: no need to hash them. */
static int find_spellings(hsp_digest *g, const hsp_block *b) {
    int32_t last = -1, other = -1;
    if (hsp_reserve((void **)&g->spelling, &g->spelling_capacity, b->rows, sizeof *g->spelling)) return HSP_EMEMORY;
    if (g->slots > 0) clear_slots(g);
    for (int64_t i = 0; i < b->rows; i++) {
        if (last < 0 || !same_text(b, i, g->label[last].first)) {
            int32_t now = other >= 0 && same_text(b, i, g->label[other].first) ? other : find_spelling(g, b, i);
            if (now < 0) return HSP_EMEMORY;
            other = last;
            last = now;
        }
        g->label[last].rows++;
        g->spelling[i] = last;
    }
    return 0;
}

static int find_targets(hsp_digest *g, const hsp_block *b) {
    if (hsp_reserve((void **)&g->target, &g->target_capacity, b->rows, sizeof *g->target)) return HSP_EMEMORY;
    for (int64_t i = 0; i < b->rows && g->bad_target < 0; i++) {
        const char *label = b->text + b->label[i];
        int64_t n = b->label[i + 1] - b->label[i];
        if (hsp_target_parse(label, n, b->dense, (hsp_place){0}, &g->target[i], NULL)) g->bad_target = i;
    }
    return 0;
}

int hsp_digest_labels(hsp_digest *g, const hsp_block *b, const hsp_digest_hints *h) {
    g->labels = 0;
    g->bad_target = -1;
    if (!b->labelled) return 0;
    return h->regression ? find_targets(g, b) : find_spellings(g, b);
}
