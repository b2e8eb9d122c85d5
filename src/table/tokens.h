/* Tokens: the lower-cased words or characters of a text (its units). An n-gram is a contiguous piece of the lower-cased
 * text, so it needs no memory of its own. */
#ifndef HSP_TABLE_TOKENS_H
#define HSP_TABLE_TOKENS_H

#include "table/kind.h"

/* Words are runs of two or more letters, digits or _ (as scikit-learn's \w\w+), stored with one blank after each. Beyond
 * ASCII everything is a letter except spaces, controls, punctuation and symbols; combining marks are letters. Characters are
 * code points; a run of white space or ASCII controls is one blank. */
typedef struct hsp_tokens {
    const char *text;     /* lower-cased, without a NUL */
    const int64_t *begin; /* count + 1: where unit i begins */
    int64_t count;
    int64_t gap; /* bytes between two units: 1 for words, 0 for characters */
    bool sound;  /* the text was valid UTF-8; invalid bytes are taken as blanks */
} hsp_tokens;

/* The units of the n bytes at s. `text` is in room->text and `begin` at the start of room->scratch, valid until the room is
 * used again. 0 or HSP_EMEMORY. */
int hsp_tokens_cut(const char *s, int64_t n, bool characters, hsp_encode_room *room, hsp_tokens *out);
/* The most units of n bytes. */
int64_t hsp_tokens_most(int64_t n, bool characters);
/* The number of n-grams of `least` to `most` units among `count` units; INT64_MAX on overflow. */
int64_t hsp_tokens_grams(int64_t count, int64_t least, int64_t most);

/* Bytes of the n-gram of k units at unit i; it begins at text + begin[i]. */
static inline int64_t hsp_tokens_length(const hsp_tokens *t, int64_t i, int64_t k) {
    return t->begin[i + k] - t->gap - t->begin[i];
}

/* The lower-case letter of a code point, or itself: ASCII, Latin, Greek, Cyrillic, Armenian, full width. */
uint32_t hsp_letter_lower(uint32_t c);
bool hsp_letter_is(uint32_t c); /* whether it is part of a word */

#endif
