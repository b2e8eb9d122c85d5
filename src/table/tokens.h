/* What a text is cut into: lower-cased words, or characters. A run of units is one piece of the lower-cased text, so
 * n-grams need no memory of their own. */
#ifndef HSP_TABLE_TOKENS_H
#define HSP_TABLE_TOKENS_H

#include "table/kind.h"

/* Words are runs of two or more letters, digits or _ (as scikit-learn's \w\w+), kept with one blank after each. Letters are
 * those of ASCII, and all beyond it that is neither space, control, punctuation nor symbol; marks that belong to a letter
 * before them count as letters. Characters are code points; a run of white space, or of ASCII controls, is one blank. */
typedef struct hsp_tokens {
    const char *text;     /* lower-cased, not ended */
    const int64_t *begin; /* count + 1: where unit i begins */
    int64_t count;
    int64_t gap; /* bytes between two units: 1 for words, 0 for characters */
    bool sound;  /* the text was UTF-8 throughout; a byte that was not is taken for a blank */
} hsp_tokens;

/* The units of the n bytes at s. Their text lies in room->text, `begin` at the head of room->scratch, which is counted in
 * bytes: both are the room's, until it is used again. 0 or HSP_EMEMORY. */
int hsp_tokens_cut(const char *s, int64_t n, bool characters, hsp_encode_room *room, hsp_tokens *out);
/* Units that n bytes can have at most. */
int64_t hsp_tokens_most(int64_t n, bool characters);
/* Runs of `least` to `most` units among `count`; INT64_MAX when they cannot be counted. */
int64_t hsp_tokens_grams(int64_t count, int64_t least, int64_t most);

/* Bytes of the run of k units from unit i on; it begins at text + begin[i]. */
static inline int64_t hsp_tokens_length(const hsp_tokens *t, int64_t i, int64_t k) {
    return t->begin[i + k] - t->gap - t->begin[i];
}

/* The lower-case letter of a code point, itself when it has none: ASCII, Latin, Greek, Cyrillic, Armenian, full width. */
uint32_t hsp_letter_lower(uint32_t c);
bool hsp_letter_is(uint32_t c); /* belongs to words */

#endif
