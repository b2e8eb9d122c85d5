#include "data/unseen_levels.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"

#include <string.h>

enum { MOST_LEVELS = 100000 };

typedef struct unseen_entry {
    int64_t column, count;
    char *like;    /* owned, or NULL */
    int64_t begin; /* of the level in the text of its key */
} unseen_entry;

struct hsp_unseen_levels {
    hsp_intern *key; /* owned: column and level */
    hsp_text scratch;
    unseen_entry *entry; /* owned: of each key */
    int64_t capacity;
};

void hsp_unseen_levels_free(hsp_unseen_levels *u) {
    if (!u) return;
    for (int64_t k = 0; u->key && k < hsp_intern_count(u->key); k++) hsp_free(u->entry[k].like);
    hsp_intern_free(u->key);
    hsp_text_free(&u->scratch);
    hsp_free(u->entry);
    hsp_free(u);
}

static int make_levels(hsp_unseen_levels **u) {
    if (*u) return 0;
    *u = hsp_alloc_zero(1, sizeof **u);
    return *u && !hsp_intern_new(&(*u)->key, NULL) ? 0 : HSP_EMEMORY;
}

int hsp_unseen_levels_add(hsp_unseen_levels **out, const hsp_unseen_level *level, int64_t length) {
    if (make_levels(out)) return HSP_EMEMORY;
    hsp_unseen_levels *u = *out;
    hsp_text_clear(&u->scratch);
    hsp_text_int(&u->scratch, level->column);
    hsp_text_char(&u->scratch, ':');
    int64_t begin = u->scratch.length, known = hsp_intern_count(u->key);
    hsp_text_add_n(&u->scratch, level->level, length);
    if (u->scratch.failed || HSP_RESERVE(u->entry, u->capacity, known + 1)) return HSP_EMEMORY;
    int64_t k = hsp_intern_find(u->key, u->scratch.s, u->scratch.length);
    if (k < 0) {
        if (known >= MOST_LEVELS) return 0;
        char *like = NULL;
        if (hsp_copy_string(&like, level->like)) return HSP_EMEMORY;
        k = hsp_intern_add(u->key, u->scratch.s, u->scratch.length, NULL);
        if (k < 0) {
            hsp_free(like);
            return HSP_EMEMORY;
        }
        u->entry[k] = (unseen_entry){.column = level->column, .like = like, .begin = begin};
    }
    u->entry[k].count += level->count;
    return 0;
}

static hsp_unseen_level level_at(const hsp_unseen_levels *u, int64_t k) {
    const unseen_entry *e = &u->entry[k];
    return (hsp_unseen_level){e->column, hsp_intern_text(u->key, k) + e->begin, e->like, e->count};
}

int hsp_unseen_levels_join(hsp_unseen_levels **u, const hsp_unseen_levels *part) {
    for (int64_t k = 0; part && part->key && k < hsp_intern_count(part->key); k++) {
        const hsp_unseen_level level = level_at(part, k);
        if (hsp_unseen_levels_add(u, &level, (int64_t)strlen(level.level))) return HSP_EMEMORY;
    }
    return 0;
}

/* Whether a comes before b. */
static bool is_before(const hsp_unseen_level *a, const hsp_unseen_level *b) {
    if (a->count != b->count) return a->count > b->count;
    if (a->column != b->column) return a->column < b->column;
    return strcmp(a->level, b->level) < 0;
}

int64_t hsp_unseen_levels_most(const hsp_unseen_levels *u, hsp_unseen_level out[HSP_UNSEEN_SHOWN]) {
    int64_t n = 0;
    for (int64_t k = 0; u && u->key && k < hsp_intern_count(u->key); k++) {
        const hsp_unseen_level level = level_at(u, k);
        int64_t at = n;
        while (at > 0 && is_before(&level, &out[at - 1])) at--;
        if (at == HSP_UNSEEN_SHOWN) continue;
        if (n < HSP_UNSEEN_SHOWN) n++;
        memmove(out + at + 1, out + at, (size_t)(n - at - 1) * sizeof *out);
        out[at] = level;
    }
    return n;
}

void hsp_unseen_move(hsp_unseen *from, hsp_unseen *to) {
    *to = *from;
    to->by_value = NULL;
    *from = (hsp_unseen){.by_value = from->by_value};
}
