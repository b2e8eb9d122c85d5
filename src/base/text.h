/* A growable text buffer with a sticky error: after many appends one check of `failed` is enough. halfspace_internal.h
 * declares the struct, hsp_text_take and hsp_text_free. */
#ifndef HSP_BASE_TEXT_H
#define HSP_BASE_TEXT_H

#include "base/error.h"
#include "halfspace_internal.h"

#include <stdarg.h>

void hsp_text_add(hsp_text *t, const char *s);
void hsp_text_add_n(hsp_text *t, const char *s, int64_t n);
void hsp_text_char(hsp_text *t, char c);
void hsp_text_number(hsp_text *t, double v); /* shortest form that reads back */
void hsp_text_int(hsp_text *t, int64_t v);
void hsp_text_format(hsp_text *t, const char *format, ...) HSP_PRINTF(2, 3);
void hsp_text_vformat(hsp_text *t, const char *format, va_list arguments) HSP_PRINTF(2, 0);
/* Makes room for n more bytes after the text, which the caller writes and then adds to `length`; the next append restores
 * the NUL. Returns where to write, or NULL when memory fails. */
char *hsp_text_room(hsp_text *t, int64_t n);
void hsp_text_clear(hsp_text *t); /* length 0, memory kept */

/* The length, 1 to 4, of the UTF-8 character at the start of the n bytes at s; 0: not UTF-8. */
int hsp_text_utf8(const char *s, int64_t n);
/* The same, but 0 for control characters (C0, DEL, C1), which a terminal would interpret, and for those that hsp_text_turns
 * finds. */
int hsp_text_printable(const char *s, int64_t n);
/* Whether s begins with a character that changes the direction of writing. */
bool hsp_text_turns(const char *s, int64_t n);
/* Copies n bytes; each byte of what is not printable becomes '?'. out may be s. */
void hsp_text_mask(char *out, const char *s, int64_t n);
/* An excerpt for messages: at most 40 bytes, whole characters, masked, "..." at the end when text was cut. */
#define HSP_EXCERPT 48
const char *hsp_excerpt(char buf[HSP_EXCERPT], const char *s, int64_t n);
/* Whether a and b are equal in their first n bytes, or to their ends, ignoring the case of A to Z. (The C library's
 * strncasecmp depends on the locale.) */
bool hsp_text_same_letters(const char *a, const char *b, int64_t n);
/* The edit distance of a and b (insertions, deletions, substitutions, swaps of neighbours), for "did you mean"; INT32_MAX
 * when one is longer than 40 bytes. */
int hsp_text_distance(const char *a, const char *b);

/* Sixteen hexadecimal digits and a NUL, the text form of all hashes. */
void hsp_hex(uint64_t v, char out[17]);

#endif
