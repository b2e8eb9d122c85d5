#include "table/tokens.h"

#include "base/memory.h"
#include "base/text.h"

int64_t hsp_tokens_most(int64_t n, bool characters) {
    return characters ? n : (n + 1) / 3; /* the shortest word has two bytes and a separator */
}

int64_t hsp_tokens_grams(int64_t count, int64_t least, int64_t most) {
    int64_t longest = most < count ? most : count, product;
    if (least > longest) return 0;
    /* Order `least` has count - least + 1 runs, each following order one fewer. */
    int64_t orders = longest - least + 1, first = count - least + 1, last = count - longest + 1;
    if (__builtin_mul_overflow(orders, first + last, &product)) return INT64_MAX;
    return product / 2;
}

/* The code point of the `length` bytes at s, which are UTF-8. */
static uint32_t decode(const char *s, int length) {
    const unsigned char *u = (const unsigned char *)s;
    uint32_t c = length == 1 ? u[0] : u[0] & (0xffu >> (length + 1));
    for (int i = 1; i < length; i++) c = c << 6 | (u[i] & 0x3f);
    return c;
}

static char *encode(uint32_t c, char *out) {
    if (c < 0x80) {
        *out++ = (char)c;
        return out;
    }
    int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const unsigned char head[] = {0, 0xc0, 0xe0, 0xf0};
    *out++ = (char)(head[more] | c >> (6 * more));
    for (int i = more - 1; i >= 0; i--) *out++ = (char)(0x80 | (c >> (6 * i) & 0x3f));
    return out;
}

/* Iterates over the characters of a text. */
typedef struct walker {
    const char *s, *end;
    bool sound; /* no byte was invalid UTF-8 */
} walker;

/* The next character, lower-cased; 0 for an invalid byte, which is skipped. */
static inline uint32_t next_character(walker *w) {
    unsigned char byte = (unsigned char)*w->s;
    if (byte < 0x80) {
        w->s++;
        return byte >= 'A' && byte <= 'Z' ? byte + 32u : byte;
    }
    int length = hsp_text_utf8(w->s, w->end - w->s);
    if (length == 0) {
        w->s++;
        w->sound = false;
        return 0;
    }
    uint32_t c = decode(w->s, length);
    w->s += length;
    return hsp_letter_lower(c);
}

static inline bool in_words(uint32_t c) {
    return c < 0x80 ? (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' : hsp_letter_is(c);
}

/* Writes each word with a blank after it; words that are too short are overwritten by the next. */
static int64_t cut_words(walker *w, char *text, int64_t *begin) {
    int64_t count = 0;
    char *out = text;
    while (w->s < w->end) {
        char *start = out;
        int64_t letters = 0;
        while (w->s < w->end) {
            uint32_t c = next_character(w);
            if (!in_words(c)) break;
            out = encode(c, out);
            letters++;
        }
        if (letters < 2) {
            out = start;
            continue;
        }
        begin[count++] = start - text;
        *out++ = ' ';
    }
    begin[count] = out - text;
    return count;
}

/* White space, and ASCII controls. */
static bool is_blank(uint32_t c) {
    if (c < 0x80) return c <= 0x20 || c == 0x7f;
    return c == 0x85 || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 ||
           c == 0x202f || c == 0x205f || c == 0x3000;
}

static int64_t cut_characters(walker *w, char *text, int64_t *begin) {
    int64_t count = 0;
    char *out = text;
    bool blank = false; /* the previous character was */
    while (w->s < w->end) {
        uint32_t c = next_character(w);
        bool now = is_blank(c);
        if (!now || !blank) {
            begin[count++] = out - text;
            out = encode(now ? ' ' : c, out);
        }
        blank = now;
    }
    begin[count] = out - text;
    return count;
}

int hsp_tokens_cut(const char *s, int64_t n, bool characters, hsp_encode_room *room, hsp_tokens *out) {
    walker w = {s, s + n, true};
    int64_t most = hsp_tokens_most(n, characters);
    hsp_text_clear(&room->text);
    char *text = hsp_text_room(&room->text, n + 1);
    if (!text || hsp_reserve(&room->scratch, &room->scratch_capacity, (most + 1) * (int64_t)sizeof(int64_t), 1))
        return HSP_EMEMORY;
    int64_t *begin = room->scratch;
    int64_t count = characters ? cut_characters(&w, text, begin) : cut_words(&w, text, begin);
    *out = (hsp_tokens){text, begin, count, characters ? 0 : 1, w.sound};
    return 0;
}
