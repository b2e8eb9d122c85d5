/* A growable text buffer with a sticky error, so that a long row of appends needs one check at the end.
 * halfspace_internal.h declares the struct, and how to hand it over and free it. */
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
/* Room for n more bytes after the text, for one who writes them himself and then adds to `length` (the NUL may be lacking
 * until the next append); NULL when memory fails. */
char *hsp_text_room(hsp_text *t, int64_t n);
void hsp_text_clear(hsp_text *t); /* length 0, memory kept */

/* The length, 1 to 4, of the UTF-8 character that the n bytes at s begin with; 0 when they begin with none. */
int hsp_text_utf8(const char *s, int64_t n);
/* The same of one that can be shown as it is; 0: not UTF-8, or one that a terminal would obey. */
int hsp_text_shown(const char *s, int64_t n);
/* A piece of text for a message: at most 40 bytes of it, whole characters, "..." after them when it is longer; what cannot
 * be shown is a question mark. */
#define HSP_EXCERPT 48
const char *hsp_excerpt(char buf[HSP_EXCERPT], const char *s, int64_t n);
/* Whether a and b are the same, but for the case of the letters A to Z, in their first n bytes or to their ends. (The C
 * library's strncasecmp follows the locale.) */
bool hsp_text_same_letters(const char *a, const char *b, int64_t n);
/* Slips of the finger between a and b (bytes put in, left out, changed, or swapped with the next), for "did you mean";
 * INT32_MAX when one is longer than 40 bytes. */
int hsp_text_distance(const char *a, const char *b);

/* Sixteen hexadecimal digits and a NUL: how hashes are written everywhere. */
void hsp_hex(uint64_t v, char out[17]);

#endif
