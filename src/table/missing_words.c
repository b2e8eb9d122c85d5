#include "table/missing_words.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/text.h"
#include "data/block.h"
#include "data/table_frame.h"
#include "table/choose_kind.h"
#include "table/odd_cell.h"
#include "table/spelling.h"

#include <string.h>

enum { MOST_WORDS = 5, FEW_FRACTIONS = 10, FEW_WHOLE = 20 };

static bool is_blank(const hsp_profile *p, int64_t k) {
    const char *word = hsp_intern_text(p->dictionary, k);
    return hsp_blank_word(word, (int64_t)strlen(word));
}

/* Up to 20 different whole numbers may be levels beside words, such as grades and sizes. */
bool hsp_has_missing_words(const hsp_profile *p) {
    int64_t words = p->words - p->blanks, distinct = 0;
    if (words <= 0 || 4 * p->numbers < words || p->distinct <= (p->whole ? FEW_WHOLE : FEW_FRACTIONS)) return false;
    for (int64_t k = 0; k < hsp_profile_levels(p); k++) {
        if (is_blank(p, k)) continue;
        if (p->count[k] < 2 || ++distinct > MOST_WORDS) return false;
    }
    return true;
}

typedef struct word_search {
    int64_t column; /* that does not count */
    const char *word;
    int64_t length;
    bool found;
} word_search;

static int search_word(void *ctx, const hsp_frame *f, hsp_error **err) {
    word_search *s = ctx;
    (void)err;
    for (int64_t k = 0; !s->found && k < f->blocks; k++) {
        const hsp_block *b = &f->block[k];
        for (int64_t t = 0; !s->found && t < b->word_count; t++) {
            const hsp_word *w = &b->word[t];
            s->found = w->column != s->column && w->length == s->length &&
                       hsp_text_same_letters(s->word, b->words + w->from, s->length);
        }
    }
    return s->found;
}

/* Whether another column has the word, so that it should be missing in this one alone. */
static bool is_elsewhere(const hsp_column_cells *c, const char *word) {
    word_search s = {.column = c->j, .word = word, .length = (int64_t)strlen(word)};
    hsp_frame_each(c->f, search_word, &s, NULL);
    return s.found;
}

static bool is_typed_plainly(const char *s) {
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-+:@%/";
    return s[strspn(s, plain)] == '\0';
}

/* Adds the option that makes all these words missing; false: one of them cannot be typed. */
static bool add_option(const hsp_column_cells *c, hsp_text *t) {
    const hsp_profile *p = c->p;
    bool own = false;
    hsp_text list = {0};
    for (int64_t k = 0; k < hsp_profile_levels(p); k++)
        own = own || (!is_blank(p, k) && is_elsewhere(c, hsp_intern_text(p->dictionary, k)));
    for (int64_t k = 0; k < hsp_profile_levels(p); k++) {
        const char *word = hsp_intern_text(p->dictionary, k);
        if (is_blank(p, k)) continue;
        if (!hsp_can_type(word, (int64_t)strlen(word)) || strpbrk(word, "=\"")) {
            hsp_text_free(&list);
            return false;
        }
        if (list.length > 0) hsp_text_char(&list, ',');
        if (own) hsp_type_column(&list, &c->f->schema, c->j);
        if (own) hsp_text_char(&list, '=');
        hsp_text_format(&list, is_typed_plainly(word) ? "%s" : "'%s'", word);
    }
    hsp_text_format(t, "add --missing-values %s, or ", list.s ? list.s : "");
    t->failed = t->failed || list.failed;
    hsp_text_free(&list);
    return true;
}

static bool is_unknown_word(hsp_cell cell, const void *unused) {
    return hsp_cell_is_word(cell, unused) && !hsp_blank_word(cell.text, cell.length);
}

int hsp_fail_missing_words(const hsp_column_cells *c, hsp_error **err) {
    const hsp_profile *p = c->p;
    int64_t most = -1;
    for (int64_t k = 0; k < hsp_profile_levels(p); k++)
        if (!is_blank(p, k) && (most < 0 || p->count[k] > p->count[most])) most = k;
    char word[HSP_EXCERPT];
    const char *text = hsp_intern_text(p->dictionary, most);
    hsp_excerpt(word, text, (int64_t)strlen(text));
    hsp_text remedy = {0};
    hsp_odd_cell first;
    hsp_odd_cell_find(c, is_unknown_word, NULL, &first);
    bool typed = add_option(c, &remedy);
    hsp_note_remedy(c, &remedy, typed ? "--categorical " : "use --categorical ", " to encode all values as levels");
    int status = remedy.failed
                     ? hsp_fail_memory(err)
                     : hsp_fail_at(err, HSP_EINPUT, first.where,
                                   "column '%s': %lld of %lld cells are numbers, '%s' stands %lld times: %s", first.column,
                                   (long long)p->numbers, (long long)p->cells, word, (long long)p->count[most], remedy.s);
    hsp_text_free(&remedy);
    return status;
}
