/* The escapes in strings of JSON, for the two readers that know them. */
#ifndef HSP_BASE_JSON_ESCAPE_H
#define HSP_BASE_JSON_ESCAPE_H

#include <stdint.h>

/* What an escape cannot be. */
enum { HSP_ESCAPE_UNKNOWN = -1, HSP_ESCAPE_DIGITS = -2, HSP_ESCAPE_HALF = -3, HSP_ESCAPE_NUL = -4 };

/* The character that the escape at s means, which begins with the backslash; *length: its bytes, 12 for a surrogate pair.
 * Negative: why there is none. */
int32_t hsp_json_escape(const char *s, const char *end, int *length);
/* Writes a character as UTF-8, 1 to 4 bytes; returns how many. */
int hsp_utf8_write(int32_t character, char *out);

#endif
