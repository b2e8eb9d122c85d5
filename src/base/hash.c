/* The texts are contiguous in an arena, each with a NUL; begin[i] is the start of text i, begin[count] the end of all. The
 * number of slots is a power of two; at most two thirds are in use. */
#include "base/hash.h"

#include "base/memory.h"

#include <string.h>
#include <xxhash.h>

typedef struct intern_slot {
    uint64_t hash;
    int64_t number; /* -1: free */
} intern_slot;

struct hsp_intern {
    char *arena; /* owned, as all arrays here */
    int64_t arena_capacity;
    int64_t *begin;
    int64_t begin_capacity;
    int64_t count;
    intern_slot *slots;
    int64_t slot_count;
};

static intern_slot *new_slots(int64_t n) {
    intern_slot *s = hsp_alloc(n, sizeof *s);
    if (s == NULL) return NULL;
    for (int64_t i = 0; i < n; i++) s[i] = (intern_slot){0, -1};
    return s;
}

int hsp_intern_new(hsp_intern **out, hsp_error **err) {
    enum { FIRST_SLOTS = 64 };
    *out = NULL;
    hsp_intern *t = hsp_alloc_zero(1, sizeof *t);
    if (t == NULL) return hsp_fail_memory(err);
    t->slots = new_slots(FIRST_SLOTS);
    t->slot_count = FIRST_SLOTS;
    if (t->slots == NULL || hsp_reserve((void **)&t->begin, &t->begin_capacity, 1, sizeof *t->begin) != HSP_OK) {
        hsp_intern_free(t);
        return hsp_fail_memory(err);
    }
    t->begin[0] = 0;
    *out = t;
    return HSP_OK;
}

/* The slot of the text, or the free one to put it in. */
static intern_slot *find_slot(const hsp_intern *t, const char *s, int64_t n, uint64_t hash) {
    uint64_t mask = (uint64_t)t->slot_count - 1;
    for (uint64_t i = hash & mask;; i = (i + 1) & mask) {
        intern_slot *at = &t->slots[i];
        if (at->number < 0) return at;
        if (at->hash != hash) continue;
        const int64_t *begin = t->begin + at->number;
        if (begin[1] - begin[0] - 1 == n && (n == 0 || memcmp(t->arena + begin[0], s, (size_t)n) == 0)) return at;
    }
}

static int grow_slots(hsp_intern *t) {
    if (t->slot_count > INT64_MAX / 4) return HSP_EMEMORY;
    intern_slot *larger = new_slots(2 * t->slot_count);
    if (larger == NULL) return HSP_EMEMORY;
    uint64_t mask = 2 * (uint64_t)t->slot_count - 1;
    for (int64_t k = 0; k < t->slot_count; k++) {
        if (t->slots[k].number < 0) continue;
        uint64_t i = t->slots[k].hash & mask;
        while (larger[i].number >= 0) i = (i + 1) & mask;
        larger[i] = t->slots[k];
    }
    hsp_free(t->slots);
    t->slots = larger;
    t->slot_count *= 2;
    return HSP_OK;
}

int64_t hsp_intern_add(hsp_intern *t, const char *s, int64_t n, hsp_error **err) {
    uint64_t hash = XXH3_64bits(n > 0 ? s : "", (size_t)n);
    intern_slot *at = find_slot(t, s, n, hash);
    if (at->number >= 0) return at->number;
    int64_t start = t->begin[t->count], end;
    if (__builtin_add_overflow(start, n, &end) || __builtin_add_overflow(end, 1, &end) ||
        hsp_reserve((void **)&t->arena, &t->arena_capacity, end, 1) != HSP_OK ||
        hsp_reserve((void **)&t->begin, &t->begin_capacity, t->count + 2, sizeof *t->begin) != HSP_OK)
        return hsp_fail_memory(err);
    if (3 * (t->count + 1) > 2 * t->slot_count) {
        if (grow_slots(t) != HSP_OK) return hsp_fail_memory(err);
        at = find_slot(t, s, n, hash);
    }
    if (n > 0) memcpy(t->arena + start, s, (size_t)n);
    t->arena[end - 1] = '\0';
    *at = (intern_slot){hash, t->count};
    t->begin[++t->count] = end;
    return t->count - 1;
}

int64_t hsp_intern_find(const hsp_intern *t, const char *s, int64_t n) {
    return find_slot(t, s, n, XXH3_64bits(n > 0 ? s : "", (size_t)n))->number;
}

int64_t hsp_intern_count(const hsp_intern *t) {
    return t->count;
}

const char *hsp_intern_text(const hsp_intern *t, int64_t i) {
    return i < 0 || i >= t->count ? NULL : t->arena + t->begin[i];
}

void hsp_intern_free(hsp_intern *t) {
    if (t == NULL) return;
    HSP_FREE(t->arena, t->begin, t->slots, t);
}
